//! Variable arguments. The caller lays the further arguments end to end in an object, each in a slot of the
//! pointer's size or its own size rounded up to that; the callee gets the object's address as hidden last
//! parameter. The first pointer of a `va_list` walks over the slots.

use crate::context::{Lowering, Lowers, Value};
use crate::lvalue::{Location, Lvalue};
use base::Span;
use cfa::types::{Type, TypeId};
use cfa::{DataModel, ExprId, Op, Scalar};
use syntax::ast;

impl Lowering<'_> {
    fn slot(&self, ty: TypeId) -> u64 {
        let word = u64::from(self.program.model.pointer_bits() / 8);
        self.program.types.size(ty).unwrap_or(word).max(1).next_multiple_of(word)
    }

    /// The address of an object that holds the further arguments of a call.
    pub fn variadic_area(&mut self, values: &[Value]) -> ExprId {
        if values.is_empty() {
            return self.null();
        }
        let size = values.iter().map(|value| self.slot(value.ty)).sum();
        let long = self.basic.long;
        let words = size / u64::from(self.program.model.pointer_bits() / 8);
        let ty = self.intern(Type::Array(long, words));
        let area = self.temporary_object(ty, size);
        let start = self.addr(area);
        let mut offset = 0;
        for value in values {
            let to = self.offset(start, offset);
            if self.is_aggregate(value.ty) {
                let bytes = self.program.types.size(value.ty).unwrap_or(0);
                let size = self.size_const(bytes);
                self.emit(Op::Copy { to, from: value.expr, size });
            } else {
                self.emit(Op::Store { to, value: value.expr });
            }
            offset += self.slot(value.ty);
        }
        start
    }

    /// Where the walking pointer of a `va_list` lies. On LP64 the list is an array (or a pointer to its element in a
    /// parameter), so its value is that address; on ILP32 it is the pointer itself.
    fn walker(&mut self, list: ast::ExprId) -> Lowers<Lvalue> {
        let ty = self.basic.void_ptr;
        match self.program.model {
            DataModel::Lp64 => {
                let list = self.rvalue(list)?;
                if self.scalar_of(list.expr) != Scalar::Ptr {
                    return self.error(self.here, "expected a va_list");
                }
                Ok(Lvalue::memory(ty, list.expr))
            }
            DataModel::Ilp32 => {
                let place = self.place(list)?;
                if self.scalar(place.ty) != Some(Scalar::Ptr) {
                    return self.error(self.here, "expected a va_list");
                }
                Ok(Lvalue { ty, ..place })
            }
        }
    }

    /// Keeps the address of a place in a temporary if it would be computed twice.
    fn pinned(&mut self, place: Lvalue) -> Lvalue {
        match place.location {
            Location::Memory(address) if !self.stable(address) => {
                let address = self.spill(self.basic.void_ptr, address);
                Lvalue { location: Location::Memory(address), ..place }
            }
            Location::Memory(_) | Location::Register(_) | Location::Bits(_) => place,
        }
    }

    pub fn va_start(&mut self, list: ast::ExprId, span: Span) -> Lowers<Value> {
        let Some(area) = self.body.variadic_area else {
            return self.error(span, "'va_start' in a function without further arguments");
        };
        let place = self.walker(list)?;
        let value = Value { ty: self.basic.void_ptr, expr: self.var(area) };
        self.write(place, value, span)?;
        Ok(self.void_value())
    }

    pub fn va_copy(&mut self, to: ast::ExprId, from: ast::ExprId, span: Span) -> Lowers<Value> {
        let start = self.start();
        let target = self.walker(to)?;
        let (target, source) = self.after_place(start, target, |l| l.walker(from))?;
        let value = self.read_given(source);
        self.write(target, value, span)?;
        Ok(self.void_value())
    }

    pub fn va_arg(&mut self, list: ast::ExprId, ty: ast::TypeId) -> Lowers<Value> {
        let span = self.here;
        let ty = self.ast_type(ty)?.id;
        if self.is_variable_length(ty) {
            self.unsupported("argument of variable size");
        }
        let place = self.walker(list)?;
        let place = self.pinned(place);
        let at = self.read_given(place);
        let at = self.spill(at.ty, at.expr);
        let next = self.offset(at, self.slot(ty));
        self.write(place, Value { ty: self.basic.void_ptr, expr: next }, span)?;
        let value = self.read_given(Lvalue::memory(ty, at));
        if self.is_aggregate(value.ty) {
            return Ok(value);
        }
        Ok(Value { expr: self.spill(value.ty, value.expr), ..value })
    }
}
