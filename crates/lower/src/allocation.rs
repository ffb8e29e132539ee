//! `malloc` and its relatives as operations, with the sizes that no object can have.

use crate::context::{CalleeId, Lowering, Lowers, Value};
use crate::errno::ENOMEM;
use crate::expr::Want;
use crate::known::Known;
use cfa::{Allocation, BinOp, DataModel, Expr, ExprId, Node, Op, Scalar, Source, VarId};
use syntax::ast::{self, List};

/// What all of `malloc`'s results are aligned to.
const USUAL_ALIGNMENT: u128 = 16;

impl Lowering<'_> {
    pub fn call_allocation(
        &mut self,
        known: Known,
        callee: CalleeId,
        args: List<ast::ExprId>,
        want: Want,
    ) -> Lowers<Value> {
        let (size, void_ptr) = (self.basic.size, self.basic.void_ptr);
        match known {
            Known::Calloc => {
                let values = self.converted(args, &[size, size])?;
                let (count, each) = (self.kept_size(values[0]), self.kept_size(values[1]));
                let large = self.product_too_large(count, each);
                let bytes = self.binary(BinOp::Mul, count, each);
                Ok(self.allocate(bytes, large, Allocation::HeapZeroed, callee, want))
            }
            Known::AlignedAlloc => {
                let values = self.converted(args, &[size, size])?;
                let (align, bytes) = (self.kept_size(values[0]), self.kept_size(values[1]));
                let large = self.too_large(bytes);
                let result = self.allocate(bytes, large, Allocation::Heap, callee, Want::Value);
                Ok(self.placed(result, align))
            }
            Known::Realloc => {
                let values = self.converted(args, &[void_ptr, size])?;
                let (old, bytes) = (self.spilled(void_ptr, values[0]), self.kept_size(values[1]));
                Ok(self.resize(old, bytes, callee, want))
            }
            _ => {
                let values = self.converted(args, &[size])?;
                let bytes = self.kept_size(values[0]);
                let large = self.too_large(bytes);
                Ok(self.allocate(bytes, large, Allocation::Heap, callee, want))
            }
        }
    }

    pub fn allocate(
        &mut self,
        size: ExprId,
        too_large: Option<ExprId>,
        how: Allocation,
        callee: CalleeId,
        want: Want,
    ) -> Value {
        let ty = self.basic.void_ptr;
        let want = if want == Want::Nothing { Want::Value } else { want };
        let result = self.result_register(ty, Scalar::Ptr, want).expect("the value is wanted");
        let end = self.node();
        if let Some(large) = too_large {
            let (yes, no) = self.fork(large);
            self.allocation_fails(yes, result, end);
            self.body.at = no;
        }
        if self.options.malloc_may_fail && how != Allocation::Stack {
            let name = self.callees[callee].name;
            let int = self.basic.int;
            let fails = self.arbitrary(int, Scalar::INT, Source::Extern(name));
            let fails = self.truth_of(Value { ty: int, expr: fails });
            let (yes, no) = self.fork(fails);
            self.allocation_fails(yes, result, end);
            self.body.at = no;
        }
        self.emit(Op::Allocate { result, size, how });
        let after = self.body.at;
        self.join(after, end);
        self.body.at = end;
        Value { ty, expr: self.var(result) }
    }

    fn allocation_fails(&mut self, at: Node, result: VarId, end: Node) {
        self.body.at = at;
        self.set_errno(ENOMEM);
        let null = self.null();
        self.emit(Op::Assign(result, null));
        let after = self.body.at;
        self.join(after, end);
    }

    /// `realloc`: of size 0 it frees what there is and returns null, as glibc does.
    fn resize(&mut self, old: ExprId, size: ExprId, callee: CalleeId, want: Want) -> Value {
        let nothing = self.size_const(0);
        let (null, empty) = (self.null(), self.binary(BinOp::Eq, size, nothing));
        let none = self.binary(BinOp::Eq, old, null);
        let some = self.not(none);
        let frees = self.binary(BinOp::And, empty, some);
        let large = self.too_large(size);
        if self.constant(frees) == Some(0) {
            return self.allocate(size, large, Allocation::Resize(old), callee, want);
        }
        let (yes, no) = self.fork(frees);
        self.body.at = no;
        let value = self.allocate(size, large, Allocation::Resize(old), callee, Want::Value);
        let end = self.body.at;
        let Expr::Var(result) = self.program.exprs.node(value.expr) else {
            unreachable!("allocations go to registers")
        };
        self.body.at = yes;
        self.emit(Op::Free(old));
        self.emit(Op::Assign(result, null));
        let after = self.body.at;
        self.join(after, end);
        self.body.at = end;
        value
    }

    /// What was asked for beyond the usual alignment. Null is aligned.
    fn placed(&mut self, result: Value, align: ExprId) -> Value {
        // The interpreter places heap objects so.
        let most = match self.program.model {
            DataModel::Ilp32 => 256,
            DataModel::Lp64 => 4096,
        };
        match self.constant(align) {
            Some(align) if align <= USUAL_ALIGNMENT => return result,
            Some(align) if !align.is_power_of_two() || align > most => {
                self.unsupported(&format!("allocation with an alignment of {align}"));
                return result;
            }
            Some(_) | None => {}
        }
        let size = self.program.model.size_type();
        let address = self.cast(result.expr, size);
        let (zero, one) = (self.size_const(0), self.size_const(1));
        let mask = self.binary(BinOp::Sub, align, one);
        let (rest, others) = (self.binary(BinOp::And, address, mask), self.binary(BinOp::And, align, mask));
        let (fits, power) = (self.binary(BinOp::Eq, rest, zero), self.binary(BinOp::Eq, others, zero));
        // What is not a power of two asks for nothing.
        let odd = self.not(power);
        let condition = self.binary(BinOp::Or, odd, fits);
        self.emit(Op::Assume(condition));
        result
    }

    /// Whether a size is over half of the address space, if it can be.
    fn too_large(&mut self, size: ExprId) -> Option<ExprId> {
        let most = self.largest_object();
        if self.at_most(size) <= most {
            return None;
        }
        let most = self.size_const(most as u64);
        Some(self.binary(BinOp::Lt, most, size))
    }

    /// Whether a product is over half of the address space or overflows, if it can be.
    fn product_too_large(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let most = self.largest_object();
        if self.at_most(a).checked_mul(self.at_most(b)).is_some_and(|product| product <= most) {
            return None;
        }
        for (constant, other) in [(a, b), (b, a)] {
            if let Some(factor) = self.constant(constant).filter(|&factor| factor > 0) {
                let limit = self.size_const((most / factor) as u64);
                return Some(self.binary(BinOp::Lt, limit, other));
            }
        }
        let wide = Scalar::int(2 * self.program.model.size_type().bits(self.program.model), false);
        let (x, y) = (self.cast(a, wide), self.cast(b, wide));
        let (product, limit) = (self.binary(BinOp::Mul, x, y), self.number(wide, most as i128));
        Some(self.binary(BinOp::Lt, limit, product))
    }

    fn largest_object(&self) -> u128 {
        (1 << (self.program.model.pointer_bits() - 1)) - 1
    }

    /// The largest value that an unsigned expression can have, as far as its form says.
    fn at_most(&self, value: ExprId) -> u128 {
        let exprs = &self.program.exprs;
        let bits = exprs.ty(value).bits(self.program.model);
        let all = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
        let form = match exprs.node(value) {
            Expr::Const { .. } => exprs.constant(value).unwrap_or(all),
            Expr::Cast(inner) if exprs.ty(inner) == Scalar::Bool => 1,
            Expr::Cast(inner) if exprs.ty(inner).is_int() && !exprs.ty(inner).is_signed() => self.at_most(inner),
            Expr::Binary(BinOp::Mul, a, b) => self.at_most(a).saturating_mul(self.at_most(b)),
            Expr::Binary(BinOp::Add, a, b) => self.at_most(a).saturating_add(self.at_most(b)),
            Expr::Binary(BinOp::And, a, b) => self.at_most(a).min(self.at_most(b)),
            Expr::Ite(_, a, b) => self.at_most(a).max(self.at_most(b)),
            _ => all,
        };
        // A sum or product that may exceed the type wraps to anything.
        if form > all { all } else { form }
    }

    /// A size that is used twice.
    fn kept_size(&mut self, value: ExprId) -> ExprId {
        let ty = self.basic.size;
        self.spilled(ty, value)
    }

    fn spilled(&mut self, ty: cfa::types::TypeId, value: ExprId) -> ExprId {
        if self.loads(value) || self.depth(value) > 8 { self.spill(ty, value) } else { value }
    }
}
