//! Assignment, compound assignment, `++` and `--`.

use crate::context::{Lowering, Lowers, Value};
use crate::expr::Want;
use crate::operator::StepValue;
use crate::order::{Evaluated, Start};
use crate::place::{BitField, Location, Place};
use base::Span;
use cfa::Expr;
use cfa::types::Type;
use syntax::ast::{self, BinaryOp};

impl Lowering<'_> {
    pub fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        target: ast::ExprId,
        value: ast::ExprId,
        want: Want,
    ) -> Lowers<Value> {
        let span = self.here;
        let start = self.start();
        if self.is_variable(target) && op.is_none() {
            let place = self.assigned_place(target, span)?;
            self.check_sequenced(target, place, value);
            let into = match place.location {
                Location::Register(var) => Want::Into(var),
                Location::Memory(_) | Location::Bits(_) => Want::Value,
            };
            let (place, value) = self.after_place(start, place, |l| l.expr(value, into))?;
            let value = self.convert_into(value, place, span)?;
            return self.store(place, value, want, span);
        }
        let (place, value, old) = if self.value_first(op, target, value)? {
            self.value_then_place(op, target, value)?
        } else if op.is_none() && self.acts(value) {
            self.place_in_call(target, value)?
        } else {
            self.place_then_value(op, target, value)?
        };
        let value = match op {
            None => self.convert_into(value, place, span)?,
            Some(op) => {
                let result = self.updating(target, op, |l| l.apply(op, old, value, span))?;
                self.convert_into(result, place, span)?
            }
        };
        self.store(place, value, want, span)
    }

    /// The place that an assignment writes.
    pub fn assigned_place(&mut self, target: ast::ExprId, span: Span) -> Lowers<Place> {
        let place = self.place(target)?;
        self.check_writable(place, span)?;
        if matches!(self.ty(place.ty), Type::Function { .. } | Type::Array(..) | Type::OpenArray(_)) {
            let message = format!("cannot assign to '{}'", self.show(place.ty));
            return self.error(span, message);
        }
        Ok(place)
    }

    /// Where an assignment writes, its right side, and what the place holds if the assignment is a compound one.
    fn place_then_value(
        &mut self,
        op: Option<BinaryOp>,
        target: ast::ExprId,
        value: ast::ExprId,
    ) -> Lowers<(Place, Value, Value)> {
        let start = self.start();
        let place = self.assigned_place(target, self.here)?;
        self.check_sequenced(target, place, value);
        let address = address_value(self, place);
        let old = if op.is_some() { self.read(place) } else { address };
        let mut earlier = [address, old];
        let value = self.then(start, &mut earlier, |l| l.rvalue(value))?;
        Ok((with_address(place, earlier[0]), value, earlier[1]))
    }

    fn value_then_place(
        &mut self,
        op: Option<BinaryOp>,
        target: ast::ExprId,
        value: ast::ExprId,
    ) -> Lowers<(Place, Value, Value)> {
        let (start, span) = (self.start(), self.here);
        if op.is_none() && self.is_read(value) {
            return self.place_then_read(target, value);
        }
        let mut earlier = [self.rvalue(value)?];
        let (place, old) = if op.is_some() {
            self.then(start, &mut earlier, |l| l.old_value(target, span))?
        } else {
            let place = self.then(start, &mut earlier, |l| l.assigned_place(target, span))?;
            (place, earlier[0])
        };
        Ok((place, earlier[0], old))
    }

    /// `place = object`: which object it is comes first, but it is read last if nothing must be converted.
    fn place_then_read(&mut self, target: ast::ExprId, value: ast::ExprId) -> Lowers<(Place, Value, Value)> {
        let (start, span) = (self.start(), self.here);
        let from = self.place(value)?;
        let mut earlier = [address_value(self, from), self.read(from)];
        let is_bits = matches!(from.location, Location::Bits(_));
        let late = |l: &Self, ty, place: &Place| !is_bits && l.scalar(ty) == l.scalar(place.ty);
        let keep = |l: &mut Self, earlier: &[Value], place: &Place| if late(l, earlier[1].ty, place) { 1 } else { 2 };
        let place = self.then_keeping(start, &mut earlier, |l| l.assigned_place(target, span), keep)?;
        let value =
            if late(self, earlier[1].ty, &place) { self.read(with_address(from, earlier[0])) } else { earlier[1] };
        Ok((place, value, value))
    }

    fn old_value(&mut self, target: ast::ExprId, span: Span) -> Lowers<(Place, Value)> {
        let place = self.assigned_place(target, span)?;
        Ok((place, self.read(place)))
    }

    /// The place is found before the call that gives the value, but after its arguments.
    fn place_in_call(&mut self, target: ast::ExprId, value: ast::ExprId) -> Lowers<(Place, Value, Value)> {
        let (start, span) = (self.start(), self.here);
        let mut earlier = [self.expr(value, Want::Stored(target))?];
        let place = match self.body.placed.take() {
            Some(place) => place,
            None => self.then(start, &mut earlier, |l| l.assigned_place(target, span))?,
        };
        Ok((place, earlier[0], earlier[0]))
    }

    fn check_writable(&mut self, place: Place, span: Span) -> Lowers<()> {
        if !place.is_const {
            return Ok(());
        }
        let message = format!("cannot assign to 'const {}'", self.show(place.ty));
        self.error(span, message)
    }

    /// Evaluates something between finding a place and writing it.
    pub fn after_place<T: Evaluated>(
        &mut self,
        start: Start,
        place: Place,
        f: impl FnOnce(&mut Self) -> Lowers<T>,
    ) -> Lowers<(Place, T)> {
        let mut earlier = [address_value(self, place)];
        let result = self.then(start, &mut earlier, f)?;
        Ok((with_address(place, earlier[0]), result))
    }

    /// A place that a call does not move.
    pub fn kept_place(&mut self, place: Place) -> Place {
        let address = address_value(self, place);
        let mut moves = self.loads(address.expr);
        let vars = &self.program.vars;
        self.program.exprs.visit(address.expr, |_, node| {
            moves |= matches!(node, Expr::Var(var) if vars[var].function.is_none());
        });
        if !moves {
            return place;
        }
        let expr = self.spill(address.ty, address.expr);
        with_address(place, Value { expr, ..address })
    }

    /// A conversion that also checks what gcc rejects in assignments.
    pub fn convert_assigned(&mut self, value: Value, ty: cfa::types::TypeId, span: Span) -> Lowers<Value> {
        if self.complex_kind(ty).is_some() || self.complex_kind(value.ty).is_some() {
            return self.convert(value, ty, span);
        }
        if self.is_aggregate(ty) && self.is_aggregate(value.ty) && !self.compatible(value.ty, ty) {
            let message = format!("cannot assign '{}' to '{}'", self.show(value.ty), self.show(ty));
            return self.error(span, message);
        }
        if self.is_aggregate(ty) && self.is_aggregate(value.ty) {
            return Ok(Value { ty, expr: value.expr });
        }
        self.check_lossless(value.expr, ty, span);
        self.convert(value, ty, span)
    }

    /// `value` as it is assigned to a place. A bit-field holds what fits its bits.
    pub fn convert_into(&mut self, value: Value, place: Place, span: Span) -> Lowers<Value> {
        let Location::Bits(field) = place.location else { return self.convert_assigned(value, place.ty, span) };
        let range = match self.scalar(place.ty) {
            Some(declared) if !matches!(self.ty(self.program.types.unqualified(place.ty)), Type::Bool) => {
                self.intern(Type::Bits { width: field.width, signed: declared.is_signed() })
            }
            Some(_) | None => place.ty,
        };
        self.check_lossless(value.expr, range, span);
        self.convert_checked(value, place.ty, range, span)
    }

    /// Writes a converted value; what the assignment's own value is depends on whether it is used.
    pub fn store(&mut self, place: Place, value: Value, want: Want, span: Span) -> Lowers<Value> {
        if want == Want::Nothing {
            self.write(place, value, span)?;
            return Ok(value);
        }
        match place.location {
            Location::Register(var) => {
                self.write(place, value, span)?;
                Ok(Value { ty: place.ty, expr: self.var(var) })
            }
            Location::Memory(_) if self.is_aggregate(place.ty) => {
                self.write(place, value, span)?;
                Ok(self.read(place))
            }
            Location::Memory(_) | Location::Bits(_) => {
                // The write may change what the expression reads.
                let value = if self.loads(value.expr) {
                    Value { expr: self.spill(value.ty, value.expr), ..value }
                } else {
                    value
                };
                self.write(place, value, span)?;
                Ok(self.as_stored(place, value))
            }
        }
    }

    /// `++x`, `x--`, ...
    pub fn step(&mut self, operand: ast::ExprId, op: BinaryOp, which: StepValue, want: Want) -> Lowers<Value> {
        let span = self.here;
        let place = self.place(operand)?;
        self.check_writable(place, span)?;
        let old = self.read(place);
        if self.scalar(old.ty).is_none() || self.is_aggregate(place.ty) {
            let message = format!("expected a number or pointer, found '{}'", self.show(old.ty));
            return self.error(span, message);
        }
        let used = want != Want::Nothing && which == StepValue::Old;
        let old = if used { Value { expr: self.spill(old.ty, old.expr), ..old } } else { old };
        let one = self.int_value(1);
        let new = self.updating(operand, op, |l| l.apply(op, old, one, span))?;
        let new = self.convert_into(new, place, span)?;
        match which {
            StepValue::Old => {
                self.write(place, new, span)?;
                Ok(old)
            }
            StepValue::New => self.store(place, new, want, span),
        }
    }
}

/// The address of a place, as a value that can be saved; places without one give a constant.
fn address_value(lowering: &mut Lowering<'_>, place: Place) -> Value {
    let ty = lowering.basic.void_ptr;
    match place.location {
        Location::Register(_) => Value { ty, expr: lowering.null() },
        Location::Memory(address) => Value { ty, expr: address },
        Location::Bits(field) => Value { ty, expr: field.unit },
    }
}

fn with_address(place: Place, address: Value) -> Place {
    let location = match place.location {
        Location::Register(var) => Location::Register(var),
        Location::Memory(_) => Location::Memory(address.expr),
        Location::Bits(field) => Location::Bits(BitField { unit: address.expr, ..field }),
    };
    Place { location, ..place }
}
