//! An uninitialised `_Bool` is still 0 or 1. Any other byte that is read as one is a trap representation [C11 6.2.6.1p5].

use crate::context::Lowering;
use cfa::types::{Type, TypeId};
use cfa::{BinOp, Check, ExprId, Scalar};

/// So many of one object are bounded; those after them hold arbitrary bytes.
const MOST: usize = 256;

impl Lowering<'_> {
    pub fn is_bool(&self, ty: TypeId) -> bool {
        matches!(self.ty(self.program.types.unqualified(ty)), Type::Bool)
    }

    /// Checks that what is read from memory as `_Bool` is 0 or 1. Of a function that is verified on its own, not all that
    /// it is given is bounded.
    pub fn check_truth(&mut self, ty: TypeId, address: ExprId) {
        if !self.wants(Check::Value) || !self.is_bool(ty) || self.options.given.is_some() {
            return;
        }
        let (value, one) = (self.load(address, Scalar::BYTE), self.number(Scalar::BYTE, 1));
        let violated = self.binary(BinOp::Lt, one, value);
        self.check(violated, Check::Value, self.here, [Some(value), None]);
    }

    /// Assumes that an arbitrary value is one of its type.
    pub fn assume_proper(&mut self, ty: TypeId, value: ExprId) {
        if self.is_bool(ty) {
            self.assume_truth(value);
        }
    }

    /// Assumes that the truth values in arbitrary memory of this type are 0 or 1.
    pub fn assume_proper_object(&mut self, ty: TypeId, address: ExprId) {
        let mut offsets = Vec::new();
        self.bool_offsets(ty, 0, &mut offsets);
        let one = self.number(Scalar::BYTE, 1);
        // Not all in one condition: expressions stay shallow.
        for offsets in offsets.chunks(16) {
            let mut all = self.program.exprs.bool(true);
            for &offset in offsets {
                let at = self.offset(address, offset);
                let value = self.load(at, Scalar::BYTE);
                let small = self.binary(BinOp::Le, value, one);
                all = self.binary(BinOp::And, all, small);
            }
            self.emit(cfa::Op::Assume(all));
        }
    }

    /// Where truth values lie. In unions other members share their bytes, and bit-fields have no other values.
    fn bool_offsets(&self, ty: TypeId, at: u64, offsets: &mut Vec<u64>) {
        match *self.ty(self.program.types.unqualified(ty)) {
            Type::Bool if offsets.len() < MOST => offsets.push(at),
            Type::Array(element, length) => {
                let Some(size) = self.program.types.size(element) else { return };
                for index in 0..length {
                    let before = offsets.len();
                    self.bool_offsets(element, at + index * size, offsets);
                    if offsets.len() == before {
                        break;
                    }
                }
            }
            Type::Record(record) if !self.program.types.records[record].is_union => {
                let fields = self.program.types.records[record].fields.iter().flatten();
                for field in fields.filter(|field| field.bit_width.is_none()) {
                    self.bool_offsets(field.ty, at + field.bit_offset / 8, offsets);
                }
            }
            _ => {}
        }
    }
}
