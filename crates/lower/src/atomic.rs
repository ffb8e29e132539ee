//! `__sync_*` and `__atomic_*` as sequential code: threads are not modelled, so nothing comes in between.

use crate::context::{Lowering, Lowers, Value};
use crate::expr::Want;
use crate::lvalue::Lvalue;
use cfa::types::TypeId;
use cfa::{BinOp, Op, UnOp};
use syntax::ast::{self, BinaryOp, List};

/// What is done to the object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Atomic {
    /// `*p op= v`, which value it gives.
    Update(Update, Which),
    /// `*p = v`, gives the old value.
    Exchange,
    /// `*p`
    Load,
    /// `*p = v`
    Store,
    /// `*p = 0`
    Clear,
    /// `old = *p; *p = 1`, gives whether it was set.
    TestAndSet,
    /// `__sync_bool_compare_and_swap`
    CompareBool,
    /// `__sync_val_compare_and_swap`
    CompareValue,
    /// `__atomic_compare_exchange_n`: the expected value is in memory and updated on failure.
    CompareExchange,
    /// The forms of `__atomic_load`, `store`, `exchange`, `compare_exchange` that pass pointers to values.
    Generic(Generic),
    Fence,
    LockFree,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Update {
    Op(BinaryOp),
    Nand,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Which {
    Old,
    New,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Generic {
    Load,
    Store,
    Exchange,
    CompareExchange,
}

/// The operation that a name stands for; sizes at its end do not matter.
pub(crate) fn named(name: &str) -> Option<Atomic> {
    let (family, rest) = match (name.strip_prefix("__sync_"), name.strip_prefix("__atomic_")) {
        (Some(rest), _) => ("sync", rest),
        (_, Some(rest)) => ("atomic", rest),
        _ => return None,
    };
    let rest = ["_1", "_2", "_4", "_8", "_16"].iter().find_map(|size| rest.strip_suffix(size)).unwrap_or(rest);
    let update = |text: &str| {
        Some(match text {
            "add" => Update::Op(BinaryOp::Add),
            "sub" => Update::Op(BinaryOp::Sub),
            "or" => Update::Op(BinaryOp::BitOr),
            "and" => Update::Op(BinaryOp::BitAnd),
            "xor" => Update::Op(BinaryOp::BitXor),
            "nand" => Update::Nand,
            _ => return None,
        })
    };
    if let Some(op) = rest.strip_prefix("fetch_and_").or(rest.strip_prefix("fetch_")).and_then(update) {
        return Some(Atomic::Update(op, Which::Old));
    }
    if let Some(op) = rest.strip_suffix("_and_fetch").or(rest.strip_suffix("_fetch")).and_then(update) {
        return Some(Atomic::Update(op, Which::New));
    }
    Some(match (family, rest) {
        ("sync", "bool_compare_and_swap") => Atomic::CompareBool,
        ("sync", "val_compare_and_swap") => Atomic::CompareValue,
        ("sync", "lock_test_and_set") | ("atomic", "exchange_n") => Atomic::Exchange,
        ("sync", "lock_release") | ("atomic", "clear") => Atomic::Clear,
        ("sync", "synchronize") | ("atomic", "thread_fence" | "signal_fence") => Atomic::Fence,
        ("atomic", "load_n") => Atomic::Load,
        ("atomic", "store_n") => Atomic::Store,
        ("atomic", "test_and_set") => Atomic::TestAndSet,
        ("atomic", "compare_exchange_n") => Atomic::CompareExchange,
        ("atomic", "load") => Atomic::Generic(Generic::Load),
        ("atomic", "store") => Atomic::Generic(Generic::Store),
        ("atomic", "exchange") => Atomic::Generic(Generic::Exchange),
        ("atomic", "compare_exchange") => Atomic::Generic(Generic::CompareExchange),
        ("atomic", "always_lock_free" | "is_lock_free") => Atomic::LockFree,
        _ => return None,
    })
}

impl Lowering<'_> {
    pub fn atomic(&mut self, atomic: Atomic, args: List<ast::ExprId>, want: Want) -> Lowers<Value> {
        let mut values = self.arguments(args)?;
        let span = self.here;
        match atomic {
            Atomic::Fence => return Ok(self.void_value()),
            Atomic::LockFree => return Ok(self.int_value(1)),
            _ => {}
        }
        // Every operand is used more than once, so it gets a name.
        for value in &mut values {
            if !self.stable(value.expr) && self.scalar(value.ty).is_some() {
                let number = self.as_number(*value);
                *value = Value { expr: self.spill(number.ty, number.expr), ..number };
            }
        }
        let Some(&pointer) = values.first() else { return self.error(span, "expected a pointer") };
        let mut place = self.deref(pointer, span)?;
        if self.is_void(place.ty) {
            place.ty = self.basic.char;
        }
        let operand = |index: usize| values.get(index).copied();
        let missing = |l: &mut Self| l.error::<Value>(span, "expected more arguments");
        match atomic {
            Atomic::Update(update, which) => match operand(1) {
                Some(operand) => self.update(place, update, which, operand, want),
                None => missing(self),
            },
            Atomic::Exchange => match operand(1) {
                Some(value) => {
                    let old = self.old(place);
                    let value = self.convert(value, place.ty, span)?;
                    self.write(place, value, span)?;
                    Ok(old)
                }
                None => missing(self),
            },
            Atomic::Load => Ok(self.old(place)),
            Atomic::Store => match operand(1) {
                Some(value) => {
                    let value = self.convert(value, place.ty, span)?;
                    self.write(place, value, span)?;
                    Ok(self.void_value())
                }
                None => missing(self),
            },
            Atomic::Clear | Atomic::TestAndSet => {
                // An `atomic_flag` is a struct of one byte.
                let place = match place.location {
                    crate::lvalue::Location::Memory(address) if self.is_aggregate(place.ty) => {
                        crate::lvalue::Lvalue::memory(self.basic.char, address)
                    }
                    _ => place,
                };
                let old = self.old(place);
                let new = self.int_value((atomic == Atomic::TestAndSet).into());
                let new = self.convert(new, place.ty, span)?;
                self.write(place, new, span)?;
                let was_set = self.truth_of(old);
                Ok(self.truth_value(was_set))
            }
            Atomic::CompareBool | Atomic::CompareValue => match (operand(1), operand(2)) {
                (Some(expected), Some(desired)) => {
                    let old = self.old(place);
                    let expected = self.convert(expected, place.ty, span)?;
                    let desired = self.convert(desired, place.ty, span)?;
                    let same = self.binary(BinOp::Eq, old.expr, expected.expr);
                    let new = self.ite(same, desired.expr, old.expr);
                    self.write(place, Value { ty: place.ty, expr: new }, span)?;
                    Ok(if atomic == Atomic::CompareBool { self.truth_value(same) } else { old })
                }
                _ => missing(self),
            },
            Atomic::CompareExchange => match (operand(1), operand(2)) {
                (Some(expected), Some(desired)) => self.compare_exchange(place, expected, desired),
                _ => missing(self),
            },
            Atomic::Generic(generic) => match operand(1) {
                Some(first) => self.generic_atomic(generic, place, first, operand(2)),
                None => missing(self),
            },
            Atomic::Fence | Atomic::LockFree => unreachable!("returned above"),
        }
    }

    /// What the place holds before anything changes, in a temporary.
    fn old(&mut self, place: Lvalue) -> Value {
        let old = self.read(place);
        Value { expr: self.spill(old.ty, old.expr), ..old }
    }

    fn update(&mut self, place: Lvalue, update: Update, which: Which, operand: Value, want: Want) -> Lowers<Value> {
        let span = self.here;
        let old = self.old(place);
        // Pointers move by bytes here, not by elements.
        let is_pointer = self.pointee(place.ty).is_some();
        let offset: TypeId = self.basic.offset;
        let number = if is_pointer { self.convert(old, offset, span)? } else { old };
        let op = match update {
            Update::Op(op) => op,
            Update::Nand => BinaryOp::BitAnd,
        };
        let mut new = self.fetching(|l| l.apply(op, number, operand, span))?;
        if update == Update::Nand {
            new.expr = self.unary(UnOp::BitNot, new.expr);
        }
        let new = self.convert(new, place.ty, span)?;
        self.write(place, new, span)?;
        match which {
            _ if want == Want::Nothing => Ok(old),
            Which::Old => Ok(old),
            Which::New => Ok(new),
        }
    }

    fn compare_exchange(&mut self, place: Lvalue, expected: Value, desired: Value) -> Lowers<Value> {
        let span = self.here;
        let expected = self.deref(expected, span)?;
        let (old, wanted) = (self.old(place), self.old(expected));
        let desired = self.convert(desired, place.ty, span)?;
        let wanted = self.convert(wanted, place.ty, span)?;
        let same = self.binary(BinOp::Eq, old.expr, wanted.expr);
        let new = self.ite(same, desired.expr, old.expr);
        self.write(place, Value { ty: place.ty, expr: new }, span)?;
        let seen = self.convert(old, expected.ty, span)?;
        let kept = self.convert(wanted, expected.ty, span)?;
        let left = self.ite(same, kept.expr, seen.expr);
        self.write(expected, Value { ty: expected.ty, expr: left }, span)?;
        Ok(self.truth_value(same))
    }

    fn generic_atomic(
        &mut self,
        generic: Generic,
        place: Lvalue,
        first: Value,
        second: Option<Value>,
    ) -> Lowers<Value> {
        let span = self.here;
        let other = self.deref(first, span)?;
        match (generic, second) {
            (Generic::Load, _) => self.copy_between(other, place)?,
            (Generic::Store, _) => self.copy_between(place, other)?,
            (Generic::Exchange, Some(result)) => {
                let result = self.deref(result, span)?;
                self.copy_between(result, place)?;
                self.copy_between(place, other)?;
            }
            (Generic::CompareExchange, Some(desired)) if self.scalar(place.ty).is_some() => {
                let desired = self.deref(desired, span)?;
                let desired = self.old(desired);
                return self.compare_exchange(place, first, desired);
            }
            _ => {
                let int = self.basic.int;
                return Ok(self.unsupported_value("atomic operation on an aggregate", int));
            }
        }
        Ok(self.void_value())
    }

    fn copy_between(&mut self, to: Lvalue, from: Lvalue) -> Lowers<()> {
        let (span, ty) = (self.here, from.ty);
        if let (crate::lvalue::Location::Memory(to), crate::lvalue::Location::Memory(from), true) =
            (to.location, from.location, self.is_aggregate(from.ty))
        {
            let size = self.size_expr(ty, span)?;
            self.emit(Op::Copy { to, from, size });
            return Ok(());
        }
        let value = self.read(from);
        let value = self.convert(value, to.ty, span)?;
        self.write(to, value, span)
    }
}
