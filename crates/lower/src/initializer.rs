//! Initialisers: designators, nested braces and elided ones, strings, ranges. First the syntax is spread into
//! leaves, each with its place in the object; then static ones become cells and local ones stores.

use crate::context::{Definition, Lowering, Lowers, ObjectId, Value};
use crate::expr::Want;
use crate::place::{Location, Place};
use crate::tags::Found;
use crate::types::Ty;
use base::Span;
use cfa::types::{RecordId, Type, TypeId};
use cfa::{Expr, ExprId, InitCell, Op, Scalar, Storage, VarKind, Variable};
use std::collections::BTreeMap;
use syntax::ast::{self, Designator, ExprKind, Init, InitItem, List};

/// What initialises a scalar, a string's array, or a whole aggregate.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    /// Its place from the start of the object.
    at: Found,
    value: LeafValue,
    /// How many places in a row get the value, and their distance in bytes.
    times: u64,
    stride: u64,
}

#[derive(Clone, Copy, Debug)]
enum LeafValue {
    Expr(ast::ExprId),
    String(ast::StringId),
    /// `{}` for a scalar.
    Zero,
}

/// The items of a braced list, and how far they are used up.
struct Items {
    list: List<InitItem>,
    next: usize,
}

/// An object or part of one.
#[derive(Clone, Copy)]
struct Part {
    ty: TypeId,
    /// Bits from the start of the whole object.
    at: u64,
}

impl Lowering<'_> {
    /// The type of an object after its initialiser said how long an open array is.
    pub fn completed(&mut self, ty: Ty, init: Option<Init>) -> Lowers<Ty> {
        let (Type::OpenArray(element), Some(init)) = (self.ty(ty.id).clone(), init) else { return Ok(ty) };
        let length = match init {
            Init::Expr(expr) => match self.ast[expr].kind {
                ExprKind::String(string) => {
                    let string = self.string_type(string);
                    match *self.ty(string) {
                        Type::Array(_, length) => length,
                        _ => 0,
                    }
                }
                ExprKind::CompoundLiteral { ty: literal, init } => {
                    let literal = self.ast_type(literal)?;
                    return self.completed(literal, Some(Init::List(init)));
                }
                _ => return self.error(self.ast[expr].span, "expected a braced initialiser"),
            },
            Init::List(list) => {
                let mut leaves = Vec::new();
                self.braced(Part { ty: ty.id, at: 0 }, list, &mut leaves)?
            }
        };
        let id = self.intern(Type::Array(element, length));
        Ok(Ty { id, ..ty })
    }

    fn leaves(&mut self, ty: TypeId, init: Init) -> Lowers<Vec<Leaf>> {
        let mut leaves = Vec::new();
        let whole = Part { ty, at: 0 };
        match init {
            Init::List(list) => _ = self.braced(whole, list, &mut leaves)?,
            Init::Expr(expr) => match self.ast[expr].kind {
                ExprKind::String(string) if self.is_string_array(ty, string) => {
                    leaves.push(leaf(whole, LeafValue::String(string)));
                }
                // `int a[] = (int []){1, 2}`: GNU C lets the literal initialise the array.
                ExprKind::CompoundLiteral { init, .. } if self.element_type(ty).is_some() => {
                    self.braced(whole, init, &mut leaves)?;
                }
                _ => leaves.push(leaf(whole, LeafValue::Expr(expr))),
            },
        }
        Ok(leaves)
    }

    fn element_type(&self, ty: TypeId) -> Option<TypeId> {
        match *self.ty(self.program.types.unqualified(ty)) {
            Type::Array(element, _) | Type::OpenArray(element) => Some(element),
            _ => None,
        }
    }

    fn record(&self, ty: TypeId) -> Option<RecordId> {
        match *self.ty(self.program.types.unqualified(ty)) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Whether a string literal can initialise an array of this type.
    fn is_string_array(&mut self, ty: TypeId, string: ast::StringId) -> bool {
        let Some(element) = self.element_type(ty) else { return false };
        let width = self.program.types.size(element);
        let character = self.string_element(string);
        self.is_integer(element) && width == self.program.types.size(character)
    }

    /// `{ ... }` for a part. Returns how many elements an array has after it.
    fn braced(&mut self, part: Part, list: ast::InitListId, leaves: &mut Vec<Leaf>) -> Lowers<u64> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.braced_inner(part, list, leaves))
    }

    fn braced_inner(&mut self, part: Part, list: ast::InitListId, leaves: &mut Vec<Leaf>) -> Lowers<u64> {
        let ast = self.ast;
        let ast::InitList { items, span } = ast[list];
        if self.element_type(part.ty).is_none() && self.record(part.ty).is_none() {
            let value = match ast[items].first() {
                Some(InitItem { init: Init::Expr(expr), .. }) => LeafValue::Expr(*expr),
                Some(InitItem { init: Init::List(inner), .. }) => return self.braced(part, *inner, leaves),
                None => LeafValue::Zero,
            };
            leaves.push(leaf(part, value));
            return Ok(0);
        }
        if let [InitItem { designators, init: Init::Expr(expr) }] = ast[items]
            && designators.is_empty()
            && let ExprKind::String(string) = ast[expr].kind
            && self.is_string_array(part.ty, string)
        {
            leaves.push(leaf(part, LeafValue::String(string)));
            let string = self.string_type(string);
            return Ok(match *self.ty(string) {
                Type::Array(_, length) => length,
                _ => 0,
            });
        }
        let mut items = Items { list: items, next: 0 };
        let mut longest = 0;
        let mut index = 0;
        while items.next < items.list.len() {
            let item = ast[items.list][items.next];
            if item.designators.is_empty() {
                let Some((sub, found)) = self.part(part, index) else {
                    self.warning(span, "more initialisers than places");
                    break;
                };
                index = found + 1;
                self.element(sub, &mut items, leaves)?;
            } else {
                index = self.designated(part, &ast[item.designators], &mut items, leaves)?;
            }
            longest = longest.max(index);
        }
        Ok(longest)
    }

    /// The part number `index` or, among members, the next that can be initialised; with its number.
    fn part(&self, part: Part, index: u64) -> Option<(Found, u64)> {
        if let Some(element) = self.element_type(part.ty) {
            if let Type::Array(_, length) = *self.ty(self.program.types.unqualified(part.ty))
                && index >= length
            {
                return None;
            }
            let size = self.program.types.size(element)?;
            let bit_offset = part.at.checked_add(8_u64.checked_mul(size.checked_mul(index)?)?)?;
            return Some((Found { ty: element, bit_offset, bit_width: None, unit: None }, index));
        }
        let record = &self.program.types.records[self.record(part.ty)?];
        let fields = record.fields.as_ref()?;
        if record.is_union && index > 0 {
            return None;
        }
        let named = |field: &&cfa::types::Field| field.name.is_some() || field.bit_width.is_none();
        let skipped = fields.iter().skip(index as usize).position(|field| named(&field))?;
        let index = index + skipped as u64;
        Some((within(part, &fields[index as usize]), index))
    }

    /// Initialises a part with the next item, or with as many as its elements take if braces are left out.
    fn element(&mut self, at: Found, items: &mut Items, leaves: &mut Vec<Leaf>) -> Lowers<()> {
        let ast = self.ast;
        let Some(item) = ast[items.list].get(items.next) else { return Ok(()) };
        let sub = Part { ty: self.program.types.unqualified(at.ty), at: at.bit_offset };
        let expr = match item.init {
            Init::List(list) => {
                items.next += 1;
                if at.bit_width.is_some() {
                    let value = match ast[ast[list].items].first() {
                        Some(InitItem { init: Init::Expr(expr), .. }) => LeafValue::Expr(*expr),
                        _ => LeafValue::Zero,
                    };
                    leaves.push(Leaf { at, value, times: 1, stride: 0 });
                    return Ok(());
                }
                return self.braced(sub, list, leaves).map(drop);
            }
            Init::Expr(expr) => expr,
        };
        if let ExprKind::String(string) = ast[expr].kind
            && self.is_string_array(sub.ty, string)
        {
            items.next += 1;
            leaves.push(leaf(sub, LeafValue::String(string)));
            return Ok(());
        }
        let aggregate = self.element_type(sub.ty).is_some() || self.record(sub.ty).is_some();
        if aggregate && !self.is_whole(sub.ty, expr) {
            return self.elided(sub, 0, items, leaves);
        }
        items.next += 1;
        leaves.push(Leaf { at, value: LeafValue::Expr(expr), times: 1, stride: 0 });
        Ok(())
    }

    /// Whether an expression is a whole struct or union of the type.
    fn is_whole(&mut self, ty: TypeId, expr: ast::ExprId) -> bool {
        if self.record(ty).is_none() {
            return false;
        }
        match self.ast[expr].kind {
            ExprKind::Int { .. } | ExprKind::Char { .. } | ExprKind::Float { .. } | ExprKind::String(_) => false,
            _ => {
                let reported = self.diagnostics.len();
                let found = self.type_of(expr);
                self.diagnostics.truncate(reported);
                found.is_ok_and(|found| self.compatible(found, ty))
            }
        }
    }

    /// Items without braces of their own for the elements of `part` from `index` on.
    fn elided(&mut self, part: Part, mut index: u64, items: &mut Items, leaves: &mut Vec<Leaf>) -> Lowers<()> {
        let ast = self.ast;
        let mut first = true;
        while let Some(item) = ast[items.list].get(items.next) {
            if !first && !item.designators.is_empty() {
                break;
            }
            let Some((sub, found)) = self.part(part, index) else { break };
            let before = items.next;
            self.element(sub, items, leaves)?;
            // The item's designators led here, those of the next one lead elsewhere.
            first &= items.next == before;
            index = found + 1;
        }
        Ok(())
    }

    /// Follows designators to the part that they name, initialises it, and goes on behind it with items that have
    /// none. Returns the number of the next element of `part` itself.
    fn designated(
        &mut self,
        part: Part,
        path: &[Designator],
        items: &mut Items,
        leaves: &mut Vec<Leaf>,
    ) -> Lowers<u64> {
        let span = self.items_span(items);
        let Some((&step, rest)) = path.split_first() else { return Ok(0) };
        match step {
            Designator::Field(name) => {
                let found = self.record(part.ty).and_then(|record| Some((record, self.field_path(record, name)?)));
                let Some((record, (_, index))) = found else {
                    let message = format!("'{}' has no member '{}'", self.show(part.ty), self.text(name));
                    return self.error(span, message);
                };
                let fields = self.program.types.records[record].fields.as_ref().expect("it has the member");
                let direct = within(part, &fields[index]);
                // A member of an anonymous one is looked up again there.
                let rest = if fields[index].name.is_none() { path } else { rest };
                self.designated_part(direct, rest, items, leaves)?;
                Ok(index as u64 + 1)
            }
            Designator::Index(index) => {
                let low = self.index_constant(index, span)?;
                let sub = self.checked_part(part, low, span)?;
                self.designated_part(sub, rest, items, leaves)?;
                Ok(low + 1)
            }
            Designator::Range(low, high) => {
                let (low, high) = (self.index_constant(low, span)?, self.index_constant(high, span)?);
                let first = self.checked_part(part, low, span)?;
                self.checked_part(part, high.max(low), span)?;
                let start = items.next;
                let before = leaves.len();
                self.designated_part(first, rest, items, leaves)?;
                let stride = self.element_type(part.ty).and_then(|element| self.program.types.size(element));
                let times = high.saturating_sub(low) + 1;
                let repeated = leaves.split_off(before);
                match repeated[..] {
                    [one] if items.next == start + 1 && one.times == 1 => {
                        leaves.push(Leaf { times, stride: stride.unwrap_or(1), ..one });
                    }
                    _ => {
                        for round in 0..times {
                            let shift = round * 8 * stride.unwrap_or(1);
                            leaves.extend(repeated.iter().map(|leaf| leaf.moved(shift)));
                        }
                    }
                }
                Ok(high + 1)
            }
        }
    }

    fn designated_part(
        &mut self,
        at: Found,
        rest: &[Designator],
        items: &mut Items,
        leaves: &mut Vec<Leaf>,
    ) -> Lowers<()> {
        if rest.is_empty() {
            return self.element(at, items, leaves);
        }
        let sub = Part { ty: self.program.types.unqualified(at.ty), at: at.bit_offset };
        let next = self.designated(sub, rest, items, leaves)?;
        if self.ast[items.list].get(items.next).is_some_and(|item| item.designators.is_empty()) {
            self.elided(sub, next, items, leaves)?;
        }
        Ok(())
    }

    fn items_span(&self, items: &Items) -> Span {
        match self.ast[items.list].get(items.next).map(|item| item.init) {
            Some(Init::Expr(expr)) => self.ast[expr].span,
            Some(Init::List(list)) => self.ast[list].span,
            None => self.here,
        }
    }

    fn index_constant(&mut self, index: ast::ExprId, span: Span) -> Lowers<u64> {
        match u64::try_from(self.constant_int(index)?.0) {
            Ok(index) if index < 1 << 40 => Ok(index),
            _ => self.error(span, "the index is out of range"),
        }
    }

    fn checked_part(&mut self, part: Part, index: u64, span: Span) -> Lowers<Found> {
        match self.part(part, index) {
            Some((found, _)) if self.element_type(part.ty).is_some() => Ok(found),
            _ => self.error(span, "the index is out of range"),
        }
    }

    // Static initialisers

    pub fn initialise_global(&mut self, object: ObjectId, init: Init, span: Span) -> Lowers<()> {
        if self.objects[object].definition == Definition::Initialised {
            return self.error(span, "the object is initialised twice");
        }
        self.objects[object].definition = Definition::Initialised;
        let (ty, align) = (self.objects[object].ty, self.objects[object].align);
        let complete = self.completed(Ty { id: ty, is_const: false, align }, Some(init))?;
        self.set_type(object, complete);
        let var = self.objects[object].var;
        let (cells, end) = self.static_cells(complete.id, init, span)?;
        match self.program.vars[var].storage {
            Storage::Register(_) => {
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
    fn static_cells(&mut self, ty: TypeId, init: Init, span: Span) -> Lowers<(Vec<InitCell>, u64)> {
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
        let mut offset = 0;
        // The terminating zero matters where it makes a flexible array longer.
        for chunk in bytes.chunks(width as usize).chain([&[][..]]) {
            if offset + width > room {
                break;
            }
            let value = chunk.iter().rev().fold(0_u128, |value, &byte| value << 8 | u128::from(byte));
            let value = self.program.exprs.bits(scalar, value);
            for round in 0..leaf.times {
                cells.set(base + leaf.at.bit_offset / 8 + round * leaf.stride + offset, width, value);
            }
            offset += width;
        }
    }

    fn static_leaf(&mut self, leaf: Leaf, expr: ast::ExprId, base: u64, cells: &mut Cells, span: Span) -> Lowers<()> {
        let ty = self.program.types.unqualified(leaf.at.ty);
        let at = base + leaf.at.bit_offset / 8;
        if self.is_aggregate(ty) {
            return match self.ast[expr].kind {
                ExprKind::CompoundLiteral { init, .. } => {
                    for round in 0..leaf.times {
                        self.add_static(ty, Init::List(init), at + round * leaf.stride, cells, span)?;
                    }
                    Ok(())
                }
                ExprKind::Cast { operand, .. } => self.static_leaf(leaf, operand, base, cells, span),
                _ => self.error(self.ast[expr].span, "expected a constant initialiser"),
            };
        }
        let edges = self.body.edges.len();
        let value = self.unevaluated(|l| {
            let value = l.rvalue(expr)?;
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
                    cells.set(at + round * leaf.stride, bytes, value.expr);
                }
                Ok(())
            }
        }
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
        let scalar = Scalar::int(8 * unit.bytes, false);
        let shift = leaf.at.bit_offset - 8 * unit.offset;
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

    // Local initialisers

    pub fn initialise_local(&mut self, place: Place, init: Init, span: Span) -> Lowers<()> {
        let address = match place.location {
            Location::Memory(address) if self.is_aggregate(place.ty) => address,
            _ => return self.initialise_scalar(place, init, span),
        };
        let leaves = self.leaves(place.ty, init)?;
        // An expression of the aggregate's own type initialises it as a whole.
        let whole = matches!(leaves[..], [Leaf { value: LeafValue::Expr(_), at, .. }] if at.ty == place.ty);
        let zeroed = !whole && !self.covers(place.ty, &leaves);
        if zeroed {
            let size = self.size_expr(place.ty, span)?;
            let byte = self.number(Scalar::BYTE, 0);
            self.emit(Op::Fill { to: address, byte, size });
        }
        for leaf in leaves {
            self.local_leaf(address, leaf, zeroed, span)?;
        }
        Ok(())
    }

    fn initialise_scalar(&mut self, place: Place, init: Init, span: Span) -> Lowers<()> {
        let leaves = self.leaves(place.ty, init)?;
        let value = match leaves.first().map(|leaf| leaf.value) {
            Some(LeafValue::Expr(expr)) => {
                let want = match place.location {
                    Location::Register(var) => Want::Into(var),
                    Location::Memory(_) | Location::Bits(_) => Want::Value,
                };
                self.expr(expr, want)?
            }
            Some(LeafValue::String(_) | LeafValue::Zero) | None => self.int_value(0),
        };
        let value = self.convert_assigned(value, place.ty, span)?;
        self.write(place, value, span)
    }

    fn local_leaf(&mut self, address: ExprId, leaf: Leaf, zeroed: bool, span: Span) -> Lowers<()> {
        let place = self.field_place(address, leaf.at);
        let expr = match leaf.value {
            LeafValue::Zero if zeroed => return Ok(()),
            LeafValue::Zero => {
                let zero = self.int_value(0);
                let zero = self.convert(zero, place.ty, span)?;
                return self.write(place, zero, span);
            }
            LeafValue::String(string) => return self.local_string(place, leaf, string),
            LeafValue::Expr(expr) => expr,
        };
        let outer = std::mem::replace(&mut self.here, self.ast[expr].span);
        let value = self.rvalue(expr)?;
        let value = self.convert_assigned(value, place.ty, span)?;
        if zeroed && self.is_zero(value.expr) && !self.is_aggregate(place.ty) {
            self.here = outer;
            return Ok(());
        }
        let value = match leaf.times {
            1 => value,
            _ if self.stable(value.expr) || self.is_aggregate(value.ty) => value,
            _ => Value { expr: self.spill(value.ty, value.expr), ..value },
        };
        for round in 0..leaf.times {
            let moved = leaf.moved(8 * round * leaf.stride);
            let place = self.field_place(address, moved.at);
            self.write(place, value, span)?;
        }
        self.here = outer;
        Ok(())
    }

    fn local_string(&mut self, place: Place, leaf: Leaf, string: ast::StringId) -> Lowers<()> {
        let Location::Memory(to) = place.location else { return Ok(()) };
        let literal = self.string_type(string);
        let bytes = self.program.types.size(literal).unwrap_or(0);
        let bytes = bytes.min(self.program.types.size(place.ty).unwrap_or(bytes));
        let literal = self.string_object(string);
        let (from, size) = (self.addr(literal), self.size_const(bytes));
        for round in 0..leaf.times {
            let to = self.offset(to, round * leaf.stride);
            self.emit(Op::Copy { to, from, size });
        }
        Ok(())
    }

    /// Whether the leaves initialise every scalar of the type.
    fn covers(&mut self, ty: TypeId, leaves: &[Leaf]) -> bool {
        let mut places: Vec<u64> = Vec::new();
        for leaf in leaves {
            if leaf.times > 64 {
                return false;
            }
            let own = match leaf.value {
                LeafValue::String(string) => {
                    let (literal, ty) = (self.string_type(string), leaf.at.ty);
                    let room = self.program.types.size(ty);
                    if self.program.types.size(literal) < room {
                        return false;
                    }
                    self.scalar_count(ty)
                }
                LeafValue::Expr(_) | LeafValue::Zero => self.scalar_count(leaf.at.ty),
            };
            let Some(own) = own else { return false };
            for round in 0..leaf.times {
                places.extend((0..own).map(|index| leaf.at.bit_offset + 8 * round * leaf.stride + index));
            }
            if places.len() > 1 << 16 {
                return false;
            }
        }
        places.sort_unstable();
        places.dedup();
        self.scalar_count(ty) == Some(places.len() as u64)
    }

    /// How many scalars a type holds, a union's first member; `None` if unknown or very many.
    fn scalar_count(&self, ty: TypeId) -> Option<u64> {
        match *self.ty(self.program.types.unqualified(ty)) {
            Type::Array(element, length) => {
                Some(self.scalar_count(element)?.checked_mul(length)?).filter(|&count| count < 1 << 16)
            }
            Type::OpenArray(_) | Type::VariableArray(..) | Type::Complex(_) => None,
            Type::Record(record) => {
                let record = &self.program.types.records[record];
                // Members of different sizes leave bytes of a union uninitialised.
                if record.is_union {
                    return None;
                }
                let fields = record.fields.as_ref()?.iter();
                let named = fields.filter(|field| field.name.is_some() || field.bit_width.is_none());
                named.map(|field| self.scalar_count(field.ty)).sum()
            }
            _ => Some(1),
        }
    }

    /// `(T){ ... }`: an object of the block, or a global one at file scope.
    pub fn compound_literal(&mut self, ty: ast::TypeId, init: ast::InitListId, span: Span) -> Lowers<Place> {
        let ty = self.ast_type(ty)?;
        let ty = self.completed(ty, Some(Init::List(init)))?;
        let Some(size) = self.program.types.size(ty.id) else {
            let message = format!("a literal of the incomplete type '{}'", self.show(ty.id));
            return self.error(span, message);
        };
        let var = if self.static_context || self.body.function.is_none() {
            let (cells, end) = self.static_cells(ty.id, Init::List(init), span)?;
            let name = self.program.names.intern("$literal");
            let align = self.program.types.align(ty.id);
            let storage = Storage::Memory { size: size.max(end), align };
            let kind = VarKind::Literal;
            self.program.vars.push(Variable {
                name,
                function: None,
                kind,
                ty: ty.id,
                storage,
                init: cells.into(),
                span,
            })
        } else {
            let var = self.temporary_object(ty.id, size);
            let address = self.addr(var);
            self.initialise_local(Place::memory(ty.id, address), Init::List(init), span)?;
            var
        };
        Ok(Place::memory(ty.id, self.addr(var)))
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
        self.by_offset.insert(offset, (bytes, value));
    }
}

impl Leaf {
    /// The same leaf some bits further.
    fn moved(self, bits: u64) -> Leaf {
        let unit = self.at.unit.map(|unit| cfa::types::Unit { offset: unit.offset + bits / 8, ..unit });
        Leaf { at: Found { bit_offset: self.at.bit_offset + bits, unit, ..self.at }, ..self }
    }
}

fn leaf(part: Part, value: LeafValue) -> Leaf {
    let at = Found { ty: part.ty, bit_offset: part.at, bit_width: None, unit: None };
    Leaf { at, value, times: 1, stride: 0 }
}

/// A direct member, placed from the start of the whole object.
fn within(part: Part, field: &cfa::types::Field) -> Found {
    Found {
        ty: field.ty,
        bit_offset: part.at + field.bit_offset,
        bit_width: field.bit_width,
        unit: field.unit.map(|unit| cfa::types::Unit { offset: unit.offset + part.at / 8, ..unit }),
    }
}
