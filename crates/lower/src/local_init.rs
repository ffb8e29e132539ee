//! Initialisers of locals and compound literals: the leaves of an initialiser as stores.

use crate::context::{Lowering, Lowers, Value};
use crate::expr::Want;
use crate::initializer::{MAX_REPEATED, RANGE_TOO_LONG};
use crate::leaves::{Leaf, LeafValue};
use crate::lvalue::{Location, Lvalue};
use base::Span;
use cfa::types::{Type, TypeId};
use cfa::{ExprId, Op, Scalar, Storage, UnorderedPart, VarKind, Variable};
use std::collections::{HashMap, HashSet};
use syntax::ast::{self, Init};

/// The object that is being initialised.
struct LocalInit {
    address: ExprId,
    /// Whether all its bytes were set to zero before.
    zeroed: bool,
    span: Span,
    earlier: UnorderedPart,
    /// What several leaves have in common, with its value once it was evaluated.
    once: HashMap<ast::ExprId, Option<Value>>,
}

impl Lowering<'_> {
    pub fn initialise_local(&mut self, place: Lvalue, init: Init, span: Span) -> Lowers<()> {
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
            self.initialising(|l| l.emit(Op::Fill { to: address, byte, size }));
        }
        let mut init = LocalInit { address, zeroed, span, earlier: UnorderedPart::default(), once: HashMap::new() };
        init.once.extend(repeated(&leaves).map(|expr| (expr, None)));
        for leaf in leaves {
            self.local_leaf(leaf, &mut init)?;
        }
        Ok(())
    }

    fn initialise_scalar(&mut self, place: Lvalue, init: Init, span: Span) -> Lowers<()> {
        let leaves = self.leaves(place.ty, init)?;
        let leaf = leaves.first().map(|leaf| leaf.value);
        let value_span = match leaf {
            Some(LeafValue::Expr(expr)) => self.ast[expr].span,
            Some(LeafValue::String(_) | LeafValue::Zero) | None => span,
        };
        let value = match leaf {
            Some(LeafValue::Expr(expr)) => {
                let want = match place.location {
                    Location::Register(var) => Want::Into(var),
                    Location::Memory(_) | Location::Bits(_) => Want::Value,
                };
                self.expr(expr, want)?
            }
            Some(LeafValue::String(_) | LeafValue::Zero) | None => self.int_value(0),
        };
        let value = self.convert_into(value, place, value_span)?;
        self.initialising(|l| l.write(place, value, span))
    }

    fn local_leaf(&mut self, leaf: Leaf, init: &mut LocalInit) -> Lowers<()> {
        let place = self.field_place(init.address, leaf.at);
        // What is zero need not be written again.
        let zeroed = init.zeroed && !leaf.in_string;
        let value = match leaf.value {
            LeafValue::Zero if zeroed => return Ok(()),
            LeafValue::Zero => {
                let zero = self.int_value(0);
                self.convert(zero, place.ty, init.span)?
            }
            LeafValue::String(string) => return self.local_string(place, leaf, string),
            LeafValue::Expr(expr) => {
                let outer = std::mem::replace(&mut self.here, self.ast[expr].span);
                let value = self.leaf_value(expr, leaf, place, init);
                self.here = outer;
                value?
            }
        };
        if zeroed && self.is_zero(value.expr) && !self.is_aggregate(place.ty) {
            return Ok(());
        }
        if leaf.times > MAX_REPEATED {
            return self.error(init.span, RANGE_TOO_LONG);
        }
        for round in 0..leaf.times {
            let place = self.field_place(init.address, leaf.round(round).at);
            self.initialising(|l| l.write(place, value, init.span))?;
        }
        Ok(())
    }

    /// The value of a leaf, converted; one that several places get is evaluated once.
    fn leaf_value(&mut self, expr: ast::ExprId, leaf: Leaf, place: Lvalue, init: &mut LocalInit) -> Lowers<Value> {
        if let Some(&Some(known)) = init.once.get(&expr) {
            return Ok(known);
        }
        let start = self.start();
        let value = self.rvalue(expr)?;
        self.note_leaf(&mut init.earlier, start, value);
        let mut value = self.convert_into(value, place, self.ast[expr].span)?;
        let once = init.once.get_mut(&expr);
        let several = leaf.times > 1 || once.is_some();
        if several && !self.stable(value.expr) && !self.is_aggregate(value.ty) {
            value.expr = self.spill(value.ty, value.expr);
        }
        if let Some(once) = once {
            *once = Some(value);
        }
        Ok(value)
    }

    fn local_string(&mut self, place: Lvalue, leaf: Leaf, string: ast::StringId) -> Lowers<()> {
        let Location::Memory(to) = place.location else { return Ok(()) };
        let literal = self.string_type(string);
        let bytes = self.program.types.size(literal).unwrap_or(0);
        let bytes = bytes.min(self.program.types.size(place.ty).unwrap_or(bytes));
        let literal = self.string_object(string);
        let (from, size) = (self.addr(literal), self.size_const(bytes));
        if leaf.times > MAX_REPEATED {
            return self.error(self.here, RANGE_TOO_LONG);
        }
        for round in 0..leaf.times {
            let to = self.offset(to, round * leaf.stride());
            self.initialising(|l| l.emit(Op::Copy { to, from, size }));
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
                places.extend((0..own).map(|index| leaf.at.bit_offset + 8 * round * leaf.stride() + index));
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
    pub fn compound_literal(&mut self, ty: ast::TypeId, init: ast::InitListId, span: Span) -> Lowers<Lvalue> {
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
            let (kind, ty) = (VarKind::Global, self.defined_type(ty));
            let init = cells.into();
            let var = self.program.vars.push(Variable { name, function: None, kind, ty, storage, init, span });
            self.static_literals.push(var);
            var
        } else {
            let var = self.temporary_object(ty.id, size);
            self.program.vars[var].ty = self.defined_type(ty);
            let address = self.addr(var);
            self.note_object(address);
            self.initialise_local(Lvalue::memory(ty.id, address), Init::List(init), span)?;
            var
        };
        Ok(Lvalue { is_const: ty.is_const, ..Lvalue::memory(ty.id, self.addr(var)) })
    }
}

/// Expressions that more than one leaf has.
fn repeated(leaves: &[Leaf]) -> impl Iterator<Item = ast::ExprId> {
    let mut seen = HashSet::new();
    let exprs = leaves.iter().filter_map(|leaf| match leaf.value {
        LeafValue::Expr(expr) => Some(expr),
        LeafValue::String(_) | LeafValue::Zero => None,
    });
    exprs.filter(move |&expr| !seen.insert(expr))
}
