//! Inline assembly: outputs become arbitrary, `asm goto` may go to any of its labels.

use crate::context::{Lowering, Lowers, Value};
use crate::place::{Location, Place};
use cfa::{BinOp, Op, Scalar, Source};
use syntax::ast;

impl Lowering<'_> {
    pub fn asm_statement(&mut self, asm: ast::AsmId) -> Lowers<()> {
        let ast = self.ast;
        let ast::Asm { outputs, inputs, labels, .. } = ast[asm];
        let span = self.here;
        for input in &ast[inputs] {
            // Operands in memory are only named, and may be incomplete or of any type.
            let constraint = String::from_utf8_lossy(ast.string_bytes(input.constraint)).into_owned();
            if constraint.contains(['m', 'o', 'p', 'X']) {
                self.place_or_value(input.value)?;
            } else {
                self.discard(input.value)?;
            }
        }
        if !outputs.is_empty() {
            self.assume("inline assembly changes nothing but its outputs");
        }
        for output in &ast[outputs] {
            let place = self.place(output.value)?;
            self.here = span;
            self.havoc(place)?;
        }
        if !labels.is_empty() {
            let int = self.basic.int;
            let choice = self.arbitrary(int, Scalar::INT, Source::Asm);
            for (index, &label) in ast[labels].iter().enumerate() {
                let label = self.label(label, span);
                let number = self.number(Scalar::INT, index as i128 + 1);
                let chosen = self.binary(BinOp::Eq, choice, number);
                let (yes, no) = self.fork(chosen);
                self.join(yes, label.node);
                self.body.at = no;
            }
        }
        Ok(())
    }

    fn place_or_value(&mut self, expr: ast::ExprId) -> Lowers<()> {
        let reported = self.diagnostics.len();
        if self.place(expr).is_err() {
            self.diagnostics.truncate(reported);
            self.discard(expr)?;
        }
        Ok(())
    }

    /// Makes a place arbitrary.
    fn havoc(&mut self, place: Place) -> Lowers<()> {
        let source = Source::Asm;
        match place.location {
            Location::Register(var) => self.emit(Op::Havoc(var, source)),
            Location::Memory(to) => {
                let size = self.size_expr(place.ty, self.here)?;
                self.emit(Op::HavocMemory { to, size: Some(size), source });
            }
            Location::Bits(_) => {
                let scalar = self.scalar(place.ty).expect("bit-fields are integers");
                let expr = self.arbitrary(place.ty, scalar, source);
                self.write(place, Value { ty: place.ty, expr }, self.here)?;
            }
        }
        Ok(())
    }
}
