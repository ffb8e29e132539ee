//! `argv`: pointers to terminated strings, `argc` of them, and a null pointer. The strings are objects of their own, as
//! many as the program may look at by constant indices, or a few; no execution may rest on what further ones hold.

use crate::context::Lowering;
use base::Id;
use cfa::{Allocation, BinOp, Expr, ExprId, Op, Scalar, Source, VarId};

/// How many strings there are where any may be looked at.
const FIRST: u64 = 16;

/// The longest string that Linux passes, with its end.
const LONGEST: u64 = 131_072;

impl Lowering<'_> {
    /// The argument for the parameter `argv`.
    pub fn argument_vector(&mut self, count: ExprId, param: VarId) -> ExprId {
        let (size, offset) = (self.program.model.size_type(), self.program.model.offset_type());
        let ty = self.basic.void_ptr;
        let result = self.temporary(ty, Scalar::Ptr);
        let width = self.pointer_width();
        let (width, one) = (self.number(size, width.into()), self.number(size, 1));
        let wide = self.cast(count, size);
        let slots = self.binary(BinOp::Add, wide, one);
        let bytes = self.binary(BinOp::Mul, slots, width);
        self.emit(Op::Allocate { result, size: bytes, how: Allocation::Stack });
        let start = self.var(result);
        let used = self.binary(BinOp::Mul, wide, width);
        let read = self.strings_read(param);
        if read.is_none() {
            self.further_arguments(count, start, used);
        }
        let end = self.cast(used, offset);
        let end = self.binary(BinOp::PtrAdd, start, end);
        let null = self.null();
        self.emit(Op::Store { to: end, value: null });
        self.argument_strings(count, start, read.unwrap_or(FIRST));
        start
    }

    fn pointer_width(&self) -> u64 {
        u64::from(self.program.model.pointer_bits() / 8)
    }

    /// How many of the first strings the program may look at; `None` if any.
    fn strings_read(&mut self, param: VarId) -> Option<u64> {
        let before = self.program.exprs.len();
        let argv = self.var(param);
        if self.program.exprs.len() > before {
            return Some(0);
        }
        let exprs = &self.program.exprs;
        let direct = |value: ExprId| value == argv;
        if self.program.edges.iter().any(|(_, edge)| edge.op.operands().any(direct)) {
            return None;
        }
        let mut strings = 1;
        for id in (0..before).map(ExprId::new) {
            let place = match exprs.node(id) {
                // `argv[0]`
                Expr::Load(place) if place == argv => continue,
                Expr::Binary(BinOp::PtrAdd, base, offset) if base == argv => exprs.constant(offset),
                node if node.operands().any(direct) => None,
                _ => continue,
            };
            let width = u128::from(self.pointer_width());
            match place.map(|place| place / width) {
                Some(index) if index < u128::from(FIRST) && self.is_only_read(id) => {
                    strings = strings.max(index as u64 + 1)
                }
                _ => return None,
            }
        }
        Some(strings)
    }

    /// Whether nothing happens to a pointer but that it is read through.
    fn is_only_read(&self, pointer: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let mut edges = self.program.edges.iter();
        !edges.any(|(_, edge)| edge.op.operands().any(|value| value == pointer))
            && (0..exprs.len()).map(ExprId::new).all(|id| match exprs.node(id) {
                Expr::Load(_) => true,
                node => !node.operands().any(|operand| operand == pointer),
            })
    }

    /// What further arguments point to is not modelled: no execution may rest on them.
    fn further_arguments(&mut self, count: ExprId, start: ExprId, used: ExprId) {
        let width = self.pointer_width();
        let most = self.number(Scalar::INT, FIRST.into());
        let more = self.binary(BinOp::Lt, most, count);
        let (yes, no) = self.fork(more);
        self.body.at = yes;
        let first = self.size_const(FIRST * width);
        let to = self.offset(start, FIRST * width);
        let size = Some(self.binary(BinOp::Sub, used, first));
        let name = self.program.names.intern(cfa::standard::FURTHER_ARGUMENTS);
        self.emit(Op::HavocMemory { to, size, source: Source::Extern(name) });
        self.go_on_at(no);
    }

    /// The first arguments: each an object with arbitrary bytes, of which the last is zero.
    fn argument_strings(&mut self, count: ExprId, start: ExprId, strings: u64) {
        let end = self.node();
        for index in 0..strings {
            let number = self.number(Scalar::INT, index.into());
            let given = self.binary(BinOp::Lt, number, count);
            let (yes, no) = self.fork(given);
            self.join(no, end);
            self.body.at = yes;
            let value = self.argument_string();
            let to = self.offset(start, index * self.pointer_width());
            self.emit(Op::Store { to, value });
        }
        let last = self.body.at;
        self.join(last, end);
        self.body.at = end;
    }

    fn argument_string(&mut self) -> ExprId {
        let (ty, scalar) = (self.basic.size, self.program.model.size_type());
        let size = self.arbitrary(ty, scalar, Source::Parameter);
        let (one, longest) = (self.size_const(1), self.size_const(LONGEST));
        let (from, to) = (self.binary(BinOp::Le, one, size), self.binary(BinOp::Le, size, longest));
        let bounded = self.binary(BinOp::And, from, to);
        self.emit(Op::Assume(bounded));
        let string = self.temporary(self.basic.void_ptr, Scalar::Ptr);
        self.emit(Op::Allocate { result: string, size, how: Allocation::Stack });
        let string = self.var(string);
        self.emit(Op::HavocMemory { to: string, size: Some(size), source: Source::Parameter });
        let offset = self.program.model.offset_type();
        let last = self.binary(BinOp::Sub, size, one);
        let last = self.cast(last, offset);
        let (to, value) = (self.binary(BinOp::PtrAdd, string, last), self.number(Scalar::BYTE, 0));
        self.emit(Op::Store { to, value });
        string
    }
}
