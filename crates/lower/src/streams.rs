//! The standard streams, which the library opens before the program starts.

use crate::context::Lowering;
use cfa::{BinOp, ExprId, Op, Scalar, VarId};

impl Lowering<'_> {
    /// The standard streams are there, and each is another one; `others` are those before it.
    pub fn assume_stream(&mut self, name: base::Symbol, value: ExprId, others: &mut Vec<ExprId>) {
        if ["stdin", "stdout", "stderr"].contains(&self.text(name)) && self.scalar_of(value) == Scalar::Ptr {
            let null = self.null();
            for &other in [null].iter().chain(&*others) {
                let same = self.binary(BinOp::Eq, value, other);
                let differs = self.not(same);
                self.emit(Op::Assume(differs));
            }
            others.push(value);
        }
    }

    /// Holds the highest address of a standard stream that the program names.
    pub fn last_standard_stream(&mut self) -> VarId {
        match self.standard_streams {
            Some(known) => known,
            None => {
                let (ty, scalar) = (self.basic.size, self.program.model.size_type());
                let new = self.hidden_register("$streams", ty, scalar);
                *self.standard_streams.insert(new)
            }
        }
    }

    /// When the program starts, these are the standard streams.
    pub fn keep_last_stream(&mut self, streams: &[ExprId]) {
        let Some(last) = self.standard_streams else { return };
        let mut highest = self.size_const(0);
        for &stream in streams {
            let stream = self.cast(stream, self.program.model.size_type());
            let is_higher = self.binary(BinOp::Lt, highest, stream);
            highest = self.ite(is_higher, stream, highest);
        }
        self.emit(Op::Assign(last, highest));
    }
}
