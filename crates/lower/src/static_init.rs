//! Static initialisers: the leaves of an initialiser as cells of constants.

use crate::context::{Definition, Lowering, Lowers, ObjectId, Value};
use crate::initializer::{MAX_REPEATED, RANGE_TOO_LONG};
use crate::leaves::{Leaf, LeafValue};
use crate::types::Ty;
use base::Span;
use cfa::types::TypeId;
use cfa::{Expr, ExprId, InitCell, Scalar, Storage};
use std::collections::BTreeMap;
use syntax::ast::{self, ExprKind, Init};

impl Lowering<'_> {
    pub fn initialise_global(&mut self, object: ObjectId, init: Init, span: Span) -> Lowers<()> {
        if self.objects[object].definition == Definition::Initialised {
            return self.error(span, "the object is initialised twice");
        }
        self.objects[object].definition = Definition::Initialised;
        let (ty, align) = (self.objects[object].ty, self.objects[object].align);
        let complete = self.completed(Ty { align, ..ty.into() }, Some(init))?;
        self.set_type(object, complete);
        let var = self.objects[object].var;
        let outer = self.weak_initialiser.replace(false);
        let initialiser = self.static_cells(complete.id, init, span);
        if std::mem::replace(&mut self.weak_initialiser, outer) == Some(true) {
            self.weakly_initialised.push(var);
        }
        let (cells, end) = initialiser?;
        match self.program.vars[var].storage {
            Storage::Register(_) => {
                assert!(cells.len() <= 1, "a register holds one value");
                if let Some(cell) = cells.first() {
                    self.register_inits.insert(var, cell.value);
                }
            }
            Storage::Memory { size, align } => {
                // A flexible array member makes the object longer than its type.
                self.program.vars[var].storage = Storage::Memory { size: size.max(end), align };
                self.program.vars[var].init = cells.into();
            }
        }
        Ok(())
    }

    /// The cells of a static initialiser, without those that are zero, and where the last one ends.
    pub fn static_cells(&mut self, ty: TypeId, init: Init, span: Span) -> Lowers<(Vec<InitCell>, u64)> {
        let outer = std::mem::replace(&mut self.static_context, true);
        let mut cells = Cells::default();
        let result = self.add_static(ty, init, 0, &mut cells, span);
        self.static_context = outer;
        result?;
        let end = cells.by_offset.last_key_value().map_or(0, |(&offset, &(bytes, _))| offset + bytes);
        let nonzero = cells.by_offset.into_iter().filter(|(_, cell)| self.constant(cell.1) != Some(0));
        Ok((nonzero.map(|(offset, (_, value))| InitCell { offset, value }).collect(), end))
    }

    fn add_static(&mut self, ty: TypeId, init: Init, base: u64, cells: &mut Cells, span: Span) -> Lowers<()> {
        for leaf in self.leaves(ty, init)? {
            if leaf.times > MAX_REPEATED {
                return self.error(span, RANGE_TOO_LONG);
            }
            match leaf.value {
                LeafValue::Zero => {}
                LeafValue::String(string) => self.static_string(leaf, string, base, cells),
                LeafValue::Expr(expr) => self.static_leaf(leaf, expr, base, cells, span)?,
            }
        }
        Ok(())
    }

    fn static_string(&mut self, leaf: Leaf, string: ast::StringId, base: u64, cells: &mut Cells) {
        let element = self.string_element(string);
        let width = self.program.types.size(element).expect("characters have a size");
        let scalar = self.scalar(element).expect("characters are scalars");
        let room = self.program.types.size(leaf.at.ty).unwrap_or(u64::MAX);
        let bytes = self.ast.string_bytes(string);
        debug_assert!(bytes.len().is_multiple_of(width as usize), "a string is whole characters");
        let mut offset = 0;
        // The terminating zero matters where it makes a flexible array longer.
        for chunk in bytes.chunks(width as usize).chain([&[][..]]) {
            if offset + width > room {
                break;
            }
            let value = chunk.iter().rev().fold(0_u128, |value, &byte| value << 8 | u128::from(byte));
            let value = self.program.exprs.bits(scalar, value);
            for round in 0..leaf.times {
                cells.set(base + leaf.at.bit_offset / 8 + round * leaf.stride() + offset, width, value);
            }
            offset += width;
        }
    }

    fn static_leaf(&mut self, leaf: Leaf, expr: ast::ExprId, base: u64, cells: &mut Cells, span: Span) -> Lowers<()> {
        let ty = self.program.types.unqualified(leaf.at.ty);
        let at = base + leaf.at.bit_offset / 8;
        if let Some(kind) = self.complex_kind(ty) {
            let Some(parts) = self.complex_constant(expr, kind)? else {
                return self.error(self.ast[expr].span, "expected a constant initialiser");
            };
            let bytes = self.scalar_of(parts[0]).bytes(self.program.model);
            for round in 0..leaf.times {
                let at = at + round * leaf.stride();
                cells.set(at, bytes, parts[0]);
                cells.set(at + bytes, bytes, parts[1]);
            }
            return Ok(());
        }
        if self.is_aggregate(ty) {
            return match self.ast[expr].kind {
                ExprKind::CompoundLiteral { ty: literal, .. }
                    if self.vector(ty).is_some() && self.ast_type(literal)?.id != ty =>
                {
                    // Its elements are others.
                    self.error(self.ast[expr].span, "expected a constant vector of the same type")
                }
                ExprKind::CompoundLiteral { init, .. } => {
                    for round in 0..leaf.times {
                        self.add_static(ty, Init::List(init), at + round * leaf.stride(), cells, span)?;
                    }
                    Ok(())
                }
                ExprKind::Cast { operand, .. } => self.static_leaf(leaf, operand, base, cells, span),
                _ => self.error(self.ast[expr].span, "expected a constant initialiser"),
            };
        }
        let edges = self.body.edges.len();
        let value = self.unevaluated(|l| {
            let value = l.static_value(expr)?;
            let value = l.convert(value, ty, span)?;
            Ok((value, l.body.edges.len() == edges))
        });
        let (mut value, pure) = value?;
        if let Expr::Var(var) = self.program.exprs.node(value.expr)
            && let Some(&known) = self.register_inits.get(&var)
        {
            value.expr = known;
        }
        if !pure || !self.is_static(value.expr) {
            return self.error(self.ast[expr].span, "expected a constant initialiser");
        }
        match (leaf.at.bit_width, leaf.at.unit) {
            (Some(width), Some(unit)) => self.static_bits(leaf, width, unit, base, cells, value),
            _ => {
                let bytes = self.scalar_of(value.expr).bytes(self.program.model);
                for round in 0..leaf.times {
                    cells.set(at + round * leaf.stride(), bytes, value.expr);
                }
                Ok(())
            }
        }
    }

    /// The value of an expression; of `(int){42}` that of its initialiser.
    fn static_value(&mut self, expr: ast::ExprId) -> Lowers<Value> {
        if let ExprKind::CompoundLiteral { ty, init } = self.ast[expr].kind {
            let ty = self.ast_type(ty)?.id;
            let leaves = if self.scalar(ty).is_some() { self.leaves(ty, Init::List(init))? } else { Vec::new() };
            if let [Leaf { value: LeafValue::Expr(inner), .. }] = leaves[..] {
                let value = self.static_value(inner)?;
                return self.convert(value, ty, self.ast[expr].span);
            }
        }
        self.rvalue(expr)
    }

    /// Puts a bit-field into the cell that its neighbours share.
    fn static_bits(
        &mut self,
        leaf: Leaf,
        width: u32,
        unit: cfa::types::Unit,
        base: u64,
        cells: &mut Cells,
        value: Value,
    ) -> Lowers<()> {
        let Some(bits) = self.constant(value.expr).filter(|_| unit.bytes <= 16) else {
            return self.error(self.here, "expected a constant for the bit-field");
        };
        assert!(leaf.times == 1, "bit-fields do not lie one right after the other");
        let scalar = Scalar::int(8 * unit.bytes, false);
        let shift = leaf.at.bit_offset - 8 * unit.offset;
        assert!(shift + u64::from(width) <= 8 * u64::from(unit.bytes), "the field lies in its unit");
        let mask = semantics::scalar::mask(width) << shift;
        let offset = base + unit.offset;
        let old = match cells.by_offset.get(&offset) {
            Some(&(_, old)) if self.scalar_of(old) == scalar => Some(self.constant(old).unwrap_or(0)),
            _ => None,
        };
        if old.is_none() && cells.overlap(offset, unit.bytes.into()) {
            // Very long runs have no common unit: their bytes are set one by one.
            self.static_bytes(offset, unit.bytes.into(), bits << shift & mask, mask, cells);
            return Ok(());
        }
        let value = self.program.exprs.bits(scalar, old.unwrap_or(0) & !mask | bits << shift & mask);
        cells.set(offset, unit.bytes.into(), value);
        Ok(())
    }

    /// Sets the masked bits of some bytes and keeps the others, whatever cells they lie in.
    fn static_bytes(&mut self, offset: u64, bytes: u64, bits: u128, mask: u128, cells: &mut Cells) {
        for index in 0..bytes {
            let at = offset + index;
            let around = cells.by_offset.range(..=at).next_back().map(|(&start, &cell)| (start, cell));
            let mut old = 0;
            if let Some((start, (size, value))) = around
                && start + size > at
                && let Some(whole) = self.constant(value)
            {
                old = whole >> (8 * (at - start)) & 0xff;
                cells.by_offset.remove(&start);
                for part in 0..size {
                    let byte = self.program.exprs.bits(Scalar::BYTE, whole >> (8 * part) & 0xff);
                    cells.by_offset.insert(start + part, (1, byte));
                }
            }
            let (mask, bits) = (mask >> (8 * index) & 0xff, bits >> (8 * index) & 0xff);
            let byte = self.program.exprs.bits(Scalar::BYTE, old & !mask | bits);
            cells.by_offset.insert(at, (1, byte));
        }
    }
}

/// Cells by offset, with their sizes; later ones replace what they overlap.
#[derive(Default)]
struct Cells {
    by_offset: BTreeMap<u64, (u64, ExprId)>,
}

impl Cells {
    /// Whether some cell has one of these bytes.
    fn overlap(&self, offset: u64, bytes: u64) -> bool {
        let last = self.by_offset.range(..offset + bytes).next_back();
        last.is_some_and(|(&start, &(size, _))| start + size > offset)
    }

    fn set(&mut self, offset: u64, bytes: u64, value: ExprId) {
        if let Some((&before, &(size, _))) = self.by_offset.range(..offset).next_back()
            && before + size > offset
        {
            self.by_offset.remove(&before);
        }
        while let Some((&next, _)) = self.by_offset.range(offset..offset + bytes).next() {
            self.by_offset.remove(&next);
        }
        debug_assert!(!self.overlap(offset, bytes), "no two cells have a byte in common");
        self.by_offset.insert(offset, (bytes, value));
    }
}
