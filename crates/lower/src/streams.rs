//! The standard streams, which the library opens before the program starts.

use crate::context::{Access, Entity, Lowering};
use cfa::{BinOp, Expr, ExprId, Op, Scalar, VarId};

/// By their descriptors.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

impl Lowering<'_> {
    /// The standard streams are there, and each is another one; `others` are those before it.
    pub fn assume_stream(&mut self, name: base::Symbol, value: ExprId, others: &mut Vec<ExprId>) {
        if STREAMS.contains(&self.text(name)) && self.scalar_of(value) == Scalar::Ptr {
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

    /// The value of the variable for a standard stream; null where no program that is analysed names it.
    pub fn standard_stream(&mut self, number: usize) -> ExprId {
        let stream =
            if self.options.running || !self.mentions(&[STREAMS[number]]) { None } else { self.stream(number) };
        stream.unwrap_or_else(|| self.null())
    }

    fn stream(&mut self, number: usize) -> Option<ExprId> {
        let name = self.program.names.intern(STREAMS[number]);
        let &Entity::Object(object) = self.externals.get(&name)? else { return None };
        let object = self.objects[object];
        if self.scalar(object.ty) != Some(Scalar::Ptr) {
            return None;
        }
        if object.access == Access::Register {
            return Some(self.var(object.var));
        }
        let at = self.addr(object.var);
        Some(self.load(at, Scalar::Ptr))
    }

    /// Whether this is the value of `stdout` or `stderr`, which are open for writing unless the program opens them again.
    pub fn is_standard_output(&mut self, value: ExprId) -> bool {
        let var = match self.program.exprs.node(value) {
            Expr::Var(var) => var,
            Expr::Load(at) => match self.program.exprs.node(at) {
                Expr::Addr(var) => var,
                _ => return false,
            },
            _ => return false,
        };
        let name = self.program.vars[var].name;
        STREAMS[1..].contains(&self.text(name)) && !self.mentions(&["freopen"])
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
