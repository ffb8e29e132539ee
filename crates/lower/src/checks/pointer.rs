//! Pointers and the values behind them: arithmetic that leaves the object, comparison and difference of pointers into
//! different objects, and reads of memory that was never written.
//!
//! - Arithmetic on the address of a named object is about the offset alone, a condition on integers. All other pointers
//!   ask how much room there is after them ([`Living::Room`]): `p + n` needs n bytes after `p`, `p - n` lies n bytes
//!   before a place in the same object. One past the end is a place, too.
//! - Two pointers belong to one object if it ends at the same address. What came from outside has no known end.
//! - Registers that may be read before they are set are found in the automaton, when it is complete.

use crate::context::{Lowering, Value};
use crate::lvalue::BitField;
use base::Span;
use cfa::{BinOp, Check, Expr, ExprId, Living, Scalar, Storage, UnOp, VarKind};

impl Lowering<'_> {
    /// Checks `pointer + bytes`.
    pub fn check_pointer_sum(&mut self, pointer: ExprId, bytes: ExprId, span: Span) {
        if !self.wants(Check::Pointer) || self.is_zero(bytes) {
            return;
        }
        let violated = match self.named_place(pointer) {
            Some((size, offset)) => {
                let sum = self.binary(BinOp::Add, offset, bytes);
                let unsigned = self.program.model.size_type();
                let (sum, size) = (self.cast(sum, unsigned), self.number(unsigned, size.into()));
                self.binary(BinOp::Lt, size, sum)
            }
            None => self.leaves_object(pointer, bytes),
        };
        self.check_operator(violated, Check::Pointer, span, [Some(pointer), Some(bytes)], "+");
    }

    /// The size of the object whose name a pointer is made from, and how far from its start the pointer is.
    fn named_place(&mut self, pointer: ExprId) -> Option<(u64, ExprId)> {
        let signed = self.program.model.offset_type();
        let (mut at, mut offset) = (pointer, self.number(signed, 0));
        while let Expr::Binary(BinOp::PtrAdd, base, by) = self.program.exprs.node(at) {
            offset = self.binary(BinOp::Add, by, offset);
            at = base;
        }
        let Expr::Addr(var) = self.program.exprs.node(at) else { return None };
        match self.program.vars[var].storage {
            // Objects of other files may be larger than this one knows.
            Storage::Memory { size, .. } if size > 0 => Some((size, offset)),
            Storage::Memory { .. } | Storage::Register(_) => None,
        }
    }

    fn leaves_object(&mut self, pointer: ExprId, bytes: ExprId) -> ExprId {
        let (signed, unsigned) = (self.program.model.offset_type(), self.program.model.size_type());
        let zero = self.number(signed, 0);
        let back = self.binary(BinOp::Lt, bytes, zero);
        let forth = self.not(back);
        let lacks = |l: &mut Self, from: ExprId, bytes: ExprId| {
            let (room, bytes) = (l.program.exprs.living(Living::Room(from)), l.cast(bytes, unsigned));
            l.binary(BinOp::Lt, room, bytes)
        };
        let too_far = lacks(self, pointer, bytes);
        let too_far = self.binary(BinOp::And, forth, too_far);
        let moved = self.binary(BinOp::PtrAdd, pointer, bytes);
        let opposite = self.unary(UnOp::Neg, bytes);
        let before = lacks(self, moved, opposite);
        let before = self.binary(BinOp::And, back, before);
        self.binary(BinOp::Or, too_far, before)
    }

    /// Checks that two pointers that are compared or subtracted belong to one object.
    pub fn check_same_object(&mut self, a: Value, b: Value, symbol: &'static str, span: Span) {
        let pointers = [a, b].map(|value| self.scalar_of(value.expr) == Scalar::Ptr);
        if !self.wants(Check::Pointer) || pointers != [true; 2] || a.expr == b.expr {
            return;
        }
        let (root_a, root_b) = (self.program.exprs.root(a.expr), self.program.exprs.root(b.expr));
        let same = root_a == root_b && matches!(self.program.exprs.node(root_a), Expr::Addr(_));
        let (end_a, known_a) = self.end_of_object(a.expr);
        let (end_b, known_b) = self.end_of_object(b.expr);
        let equal = self.binary(BinOp::Eq, end_a, end_b);
        let differ = self.not(equal);
        let known = self.binary(BinOp::And, known_a, known_b);
        let violated = if same { self.program.exprs.bool(false) } else { self.binary(BinOp::And, known, differ) };
        self.check_operator(violated, Check::Pointer, span, [Some(a.expr), Some(b.expr)], symbol);
    }

    /// The string literal that a pointer is made from.
    pub fn literal_of(&self, at: ExprId) -> Option<cfa::VarId> {
        match self.program.exprs.node(self.program.exprs.root(at)) {
            Expr::Addr(var) if self.program.vars[var].kind == VarKind::Literal => Some(var),
            _ => None,
        }
    }

    /// Whether two pointers are made from the names of different objects.
    pub(super) fn in_other_objects(&self, a: ExprId, b: ExprId) -> bool {
        let (a, b) = (self.program.exprs.root(a), self.program.exprs.root(b));
        let named = |at: ExprId| matches!(self.program.exprs.node(at), Expr::Addr(_));
        named(a) && named(b) && a != b
    }

    /// Where the object of a pointer ends, and whether it has an end that is known.
    fn end_of_object(&mut self, pointer: ExprId) -> (ExprId, ExprId) {
        let (signed, unsigned) = (self.program.model.offset_type(), self.program.model.size_type());
        let room = self.program.exprs.living(Living::Room(pointer));
        let half = self.number(unsigned, 1 << (self.program.model.pointer_bits() - 1));
        let known = self.binary(BinOp::Lt, room, half);
        let bytes = self.cast(room, signed);
        (self.binary(BinOp::PtrAdd, pointer, bytes), known)
    }

    /// Checks that what is read from memory was written. Static objects hold something at first, but what never was may be
    /// copied there; where it is not, these checks go when the automaton is complete.
    pub fn check_written(&mut self, address: ExprId, bytes: u64) {
        if !self.wants(Check::Uninitialised) || self.literal_of(address).is_some() {
            return;
        }
        let written = self.program.exprs.written(address, bytes);
        let mut violated = self.not(written);
        // What lies outside of the object is another matter.
        if let Some((size, offset)) = self.named_place(address) {
            let unsigned = self.program.model.size_type();
            let last = self.number(unsigned, i128::from(size) - i128::from(bytes));
            let offset = self.cast(offset, unsigned);
            let inside = self.binary(BinOp::Le, offset, last);
            violated = self.binary(BinOp::And, inside, violated);
        }
        self.check(violated, Check::Uninitialised, self.here, [Some(address), None]);
    }

    /// The same of a bit-field. Memory is written by bytes, so a write to one field counts for all in its bytes.
    pub fn check_bits_written(&mut self, field: BitField) {
        self.check_written(field.unit, field.unit_bytes.into());
        let shares = field.width < 8 * field.unit_bytes;
        if shares && self.wants(Check::Uninitialised) && !self.is_static_place(field.unit) {
            self.assume("bit-fields that share bytes were all given values when one of them was");
        }
    }

    fn is_static_place(&self, at: ExprId) -> bool {
        let at = self.program.exprs.root(at);
        matches!(self.program.exprs.node(at), Expr::Addr(var) if self.program.vars[var].kind.is_static())
    }
}
