//! Functions that end without the value they should return. Only using it is undefined (C11 6.9.1), so a register says
//! that it was missing, and `transform::check_returned` looks at it after calls whose result is used.

use crate::context::Lowering;
use base::Span;
use cfa::{Check, Op, Scalar, Storage, VarKind, Variable};

impl Lowering<'_> {
    /// The function ends here, and what it gives was never computed.
    pub fn note_missing_value(&mut self) {
        let result = self.body.result.expect("statements are in functions");
        if !self.wants(Check::Uninitialised) || self.scalar(result).is_none() {
            return;
        }
        // Trampolines pass on what these return, whether it is used or not.
        if !self.enclosing.is_empty() {
            return self.assume("functions inside functions return the values that are used");
        }
        let flag = match self.unreturned {
            Some(flag) => flag,
            None => {
                let name = self.program.names.intern(cfa::UNRETURNED);
                self.new_var(Variable {
                    name,
                    function: None,
                    kind: VarKind::Temporary,
                    ty: self.basic.char,
                    storage: Storage::Register(Scalar::BYTE),
                    init: Box::default(),
                    span: Span::default(),
                })
            }
        };
        self.unreturned = Some(flag);
        let one = self.number(Scalar::BYTE, 1);
        self.emit(Op::Assign(flag, one));
    }

    /// No value is missing when the program starts.
    pub fn initial_unreturned(&mut self) {
        if let Some(flag) = self.unreturned {
            let zero = self.number(Scalar::BYTE, 0);
            self.emit(Op::Assign(flag, zero));
        }
    }
}
