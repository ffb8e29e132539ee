//! Expressions and operations with some of their parts replaced.

use crate::expr::{Expr, ExprId, Exprs};
use crate::op::{Allocation, Op};
use rustc_hash::FxHashMap;

impl Exprs {
    /// `root` with every expression that is a key of `known` replaced by its value. What was found on the way is
    /// added to `known`, so that later calls with the same map are cheap. Does not recurse.
    pub fn substitute(&mut self, root: ExprId, known: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if known.contains_key(&id) {
                continue;
            }
            if !ready {
                stack.push((id, true));
                stack.extend(self.node(id).operands().map(|operand| (operand, false)));
                continue;
            }
            let ty = self.ty(id);
            let new = match self.node(id) {
                Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) => id,
                Expr::Load(pointer) => self.load(known[&pointer], ty),
                Expr::Unary(op, a) => self.unary(op, known[&a]),
                Expr::Binary(op, a, b) => self.binary(op, known[&a], known[&b]),
                Expr::Cast(a) => self.cast(known[&a], ty),
                Expr::Ite(a, b, c) => self.ite(known[&a], known[&b], known[&c]),
                Expr::Living(question) => self.living(question.about(|pointer| known[&pointer])),
            };
            known.insert(id, new);
        }
        known[&root]
    }
}

impl Op {
    /// The operation with every operand replaced by what `new` says.
    pub fn map_operands(&self, mut new: impl FnMut(ExprId) -> ExprId) -> Op {
        match self {
            Op::Skip | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Unsupported(_) => self.clone(),
            Op::Assume(e) => Op::Assume(new(*e)),
            Op::Assign(var, e) => Op::Assign(*var, new(*e)),
            Op::Free(e) => Op::Free(new(*e)),
            Op::End(e) => Op::End(new(*e)),
            Op::Return(e) => Op::Return(e.map(new)),
            Op::Halt(e) => Op::Halt(e.map(new)),
            Op::Store { to, value } => Op::Store { to: new(*to), value: new(*value) },
            Op::Copy { to, from, size } => Op::Copy { to: new(*to), from: new(*from), size: new(*size) },
            Op::Fill { to, byte, size } => Op::Fill { to: new(*to), byte: new(*byte), size: new(*size) },
            Op::HavocMemory { to, size, source } => {
                Op::HavocMemory { to: new(*to), size: size.map(new), source: *source }
            }
            Op::Allocate { result, size, how } => {
                let size = new(*size);
                let how = match how {
                    Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack => *how,
                    Allocation::Resize(old) => Allocation::Resize(new(*old)),
                };
                Op::Allocate { result: *result, size, how }
            }
            Op::Call { function, args, result } => {
                Op::Call { function: *function, args: args.iter().map(|&arg| new(arg)).collect(), result: *result }
            }
            Op::CallPointer { pointer, args, result, ty } => Op::CallPointer {
                pointer: new(*pointer),
                args: args.iter().map(|&arg| new(arg)).collect(),
                result: *result,
                ty: *ty,
            },
            Op::Library { function, args, result } => {
                Op::Library { function: *function, args: args.iter().map(|&arg| new(arg)).collect(), result: *result }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::BinOp;
    use crate::program::VarId;
    use crate::scalar::{DataModel, Scalar};

    #[test]
    fn replaces_inside_loads() {
        let mut exprs = Exprs::new(DataModel::Lp64);
        let (x, y) = (exprs.var(VarId(0), Scalar::Ptr), exprs.var(VarId(1), Scalar::Ptr));
        let int = Scalar::int(32, true);
        let one = exprs.int(int, 1);
        let sum = |exprs: &mut Exprs, pointer| {
            let load = exprs.load(pointer, int);
            exprs.binary(BinOp::Add, load, one)
        };
        let (old, new) = (sum(&mut exprs, x), sum(&mut exprs, y));
        assert_eq!(exprs.substitute(old, &mut FxHashMap::from_iter([(x, y)])), new);
        let op = Op::Store { to: x, value: old };
        assert_eq!(op.map_operands(|e| if e == x { y } else { e }), Op::Store { to: y, value: old });
    }
}
