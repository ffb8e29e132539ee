//! `errno`, which library functions set: the object that glibc's `__errno_location` gives, or a variable of that name
//! in programs without glibc's headers. In programs that never name it nothing is written.

use crate::context::{Entity, Lowering};
use cfa::types::Type;
use cfa::{BinOp, ExprId, Op, Scalar, Source, VarId};
use syntax::ast::ExprKind;

/// Numbers of errors on Linux.
pub(crate) const ENOMEM: i128 = 12;
pub(crate) const EDOM: i128 = 33;
pub(crate) const ERANGE: i128 = 34;
/// The largest one.
const LAST: i128 = 133;

/// By what programs name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Errno {
    pub function: bool,
    pub variable: bool,
}

impl Lowering<'_> {
    /// Whether some unit names it.
    pub fn find_errno(&mut self) {
        let [function, variable] = ["__errno_location", "errno"].map(|name| {
            let name = self.program.names.intern(name);
            let named = |unit: &syntax::Ast| unit.exprs.iter().any(|(_, expr)| expr.kind == ExprKind::Name(name));
            self.units.iter().any(named)
        });
        self.errno = Errno { function, variable };
    }

    pub fn uses_errno(&self) -> bool {
        self.errno.function || self.errno.variable
    }

    pub fn set_errno(&mut self, number: i128) {
        if self.uses_errno() {
            let number = self.number(Scalar::INT, number);
            self.write_errno(number);
        }
    }

    /// Sets it to any error.
    pub fn set_any_errno(&mut self) {
        if self.uses_errno() {
            let int = self.basic.int;
            let number = self.arbitrary(int, Scalar::INT, Source::Uninitialised);
            let (zero, last) = (self.number(Scalar::INT, 0), self.number(Scalar::INT, LAST));
            let (above, below) = (self.binary(BinOp::Lt, zero, number), self.binary(BinOp::Le, number, last));
            let within = self.binary(BinOp::And, above, below);
            self.emit(Op::Assume(within));
            self.write_errno(number);
        }
    }

    /// Afterwards it may have any value: it is not specified whether it was set.
    pub fn may_set_errno(&mut self, name: base::Symbol) {
        let source = Source::Extern(name);
        if self.errno.function {
            let to = self.errno_address();
            self.emit(Op::HavocMemory { to, size: None, source });
        }
        match self.errno_variable() {
            Some((var, Some(_))) => self.emit(Op::Havoc(var, source)),
            Some((var, None)) => {
                let to = self.addr(var);
                self.emit(Op::HavocMemory { to, size: None, source });
            }
            None => {}
        }
    }

    /// Sets it where a condition holds.
    pub fn set_errno_if(&mut self, condition: ExprId, number: i128) {
        self.where_errno_changes(condition, |lowering| lowering.set_errno(number));
    }

    /// Sets it to any error where a condition holds.
    pub fn set_any_errno_if(&mut self, condition: ExprId) {
        self.where_errno_changes(condition, Self::set_any_errno);
    }

    /// Sets it to any error, or leaves it as it is.
    pub fn set_any_errno_perhaps(&mut self) {
        if self.uses_errno() {
            let fails = self.arbitrary(self.basic.int, Scalar::INT, Source::Uninitialised);
            let zero = self.number(Scalar::INT, 0);
            let fails = self.binary(BinOp::Lt, zero, fails);
            self.set_any_errno_if(fails);
        }
    }

    /// What an output function does to it where the program is analysed: a negative result tells of an error. `perror` has
    /// no result, and does more than it says.
    pub fn errors_of_output(&mut self, result: Option<VarId>) {
        match result.map(|result| self.var(result)).filter(|&result| self.scalar_of(result) == Scalar::INT) {
            Some(result) => {
                let zero = self.number(Scalar::INT, 0);
                let failed = self.binary(BinOp::Lt, result, zero);
                self.set_any_errno_if(failed);
            }
            None => self.set_any_errno_perhaps(),
        }
    }

    fn where_errno_changes(&mut self, condition: ExprId, set: impl FnOnce(&mut Self)) {
        if self.uses_errno() {
            let (yes, no) = self.fork(condition);
            self.body.at = yes;
            set(self);
            let after = self.body.at;
            self.join(after, no);
            self.body.at = no;
        }
    }

    fn write_errno(&mut self, number: ExprId) {
        if self.errno.function {
            let to = self.errno_address();
            self.emit(Op::Store { to, value: number });
        }
        match self.errno_variable() {
            Some((var, Some(scalar))) => {
                let number = self.cast(number, scalar);
                self.emit(Op::Assign(var, number));
            }
            Some((var, None)) => {
                let to = self.addr(var);
                self.emit(Op::Store { to, value: number });
            }
            None => {}
        }
    }

    /// What `__errno_location` returns.
    fn errno_address(&mut self) -> ExprId {
        let name = self.program.names.intern("__errno_location");
        let callee = self.implicit_function(name, self.here);
        if !self.callees[callee].defined {
            self.model_functions.insert(name);
        }
        let function = self.function(callee);
        let int = self.basic.int;
        let ty = self.pointer_to(int);
        let to = self.temporary(ty, Scalar::Ptr);
        self.emit(Op::Call { function, args: Box::default(), result: Some(to) });
        self.var(to)
    }

    /// A variable of that name, and its type if it is a register. Anything else of that name is not the library's.
    fn errno_variable(&mut self) -> Option<(VarId, Option<Scalar>)> {
        if !self.errno.variable {
            return None;
        }
        let name = self.program.names.intern("errno");
        let &Entity::Object(object) = self.externals.get(&name)? else { return None };
        let object = self.objects[object];
        if !matches!(self.ty(self.program.types.unqualified(object.ty)), Type::Int(_)) {
            return None;
        }
        Some((object.var, self.program.register(object.var)))
    }
}
