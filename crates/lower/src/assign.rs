//! Assignment, compound assignment, `++` and `--`.

use crate::context::{Lowering, Lowers, Value};
use crate::expr::Want;
use crate::operator::StepValue;
use crate::place::{BitField, Location, Place};
use base::Span;
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
        let place = self.place(target)?;
        self.check_writable(place, span)?;
        if matches!(self.ty(place.ty), Type::Function { .. } | Type::Array(..) | Type::OpenArray(_)) {
            let message = format!("cannot assign to '{}'", self.show(place.ty));
            return self.error(span, message);
        }
        match op {
            None => {
                let into = match place.location {
                    Location::Register(var) => Want::Into(var),
                    Location::Memory(_) | Location::Bits(_) => Want::Value,
                };
                let (place, value) = self.after_place(place, |l| l.expr(value, into))?;
                let value = self.convert_assigned(value, place.ty, span)?;
                self.store(place, value, want, span)
            }
            Some(op) => {
                let old = self.read(place);
                let mut earlier = [address_value(self, place), old];
                let right = self.then(&mut earlier, |l| l.rvalue(value))?;
                let place = with_address(place, earlier[0]);
                let result = self.apply(op, earlier[1], right, span)?;
                let result = self.convert(result, place.ty, span)?;
                self.store(place, result, want, span)
            }
        }
    }

    fn check_writable(&mut self, place: Place, span: Span) -> Lowers<()> {
        if !place.is_const {
            return Ok(());
        }
        let message = format!("cannot assign to 'const {}'", self.show(place.ty));
        self.error(span, message)
    }

    /// Evaluates something between finding a place and writing it.
    pub fn after_place<T>(&mut self, place: Place, f: impl FnOnce(&mut Self) -> Lowers<T>) -> Lowers<(Place, T)> {
        let mut earlier = [address_value(self, place)];
        let result = self.then(&mut earlier, f)?;
        Ok((with_address(place, earlier[0]), result))
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
        self.convert(value, ty, span)
    }

    /// Writes a converted value; what the assignment's own value is depends on whether anybody looks.
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
        let new = self.apply(op, old, one, span)?;
        let new = self.convert(new, place.ty, span)?;
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
