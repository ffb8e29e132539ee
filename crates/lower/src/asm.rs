//! Inline assembly: inputs leave the program, outputs become arbitrary, `asm goto` may go to any of its labels. A
//! template without instructions is only a barrier: each output is the input that shares its register.

use crate::context::{Lowering, Lowers, Value};
use crate::lvalue::{Location, Lvalue};
use cfa::types::TypeId;
use cfa::{BinOp, ExprId, Op, Scalar, Source};
use syntax::ast;

/// An operand, as far as its constraint matters.
struct Operand<'a> {
    constraint: std::borrow::Cow<'a, str>,
    value: ast::ExprId,
}

impl Operand<'_> {
    /// Whether it lies in memory (or anywhere): it is only named, and may be incomplete or of any type.
    fn is_place(&self) -> bool {
        self.constraint.contains(['m', 'o', 'p', 'X'])
    }

    /// Whether it lies in memory and nowhere else.
    fn is_memory(&self) -> bool {
        self.constraint.trim_start_matches(['=', '+', '&']) == "m"
    }

    /// Whether the output is an input, too.
    fn is_both(&self) -> bool {
        self.constraint.starts_with('+')
    }
}

impl Lowering<'_> {
    pub fn asm_statement(&mut self, asm: ast::AsmId) -> Lowers<()> {
        let ast = self.ast;
        let ast::Asm { template, outputs, inputs, clobbers, labels, .. } = ast[asm];
        let span = self.here;
        let is_empty = ast.string_bytes(template).iter().all(u8::is_ascii_whitespace);
        let operands = |list: ast::List<ast::AsmOperand>| -> Vec<Operand<'_>> {
            let operand = |operand: &ast::AsmOperand| Operand {
                constraint: String::from_utf8_lossy(ast.string_bytes(operand.constraint)),
                value: operand.value,
            };
            ast[list].iter().map(operand).collect()
        };
        let (outputs, inputs) = (operands(outputs), operands(inputs));
        let mut values: Vec<Value> = Vec::with_capacity(inputs.len());
        let start = self.start();
        for input in &inputs {
            let place = input.is_place();
            let value = self.then(start, &mut values, |l| {
                if place { l.place_or_value(input.value) } else { l.rvalue(input.value) }
            })?;
            values.push(value);
        }
        let mut places = Vec::with_capacity(outputs.len());
        for output in &outputs {
            let place = self.then(start, &mut values, |l| l.place(output.value))?;
            self.here = span;
            places.push(place);
        }
        if is_empty {
            self.run_nothing(&outputs, &inputs, &values, &places)?;
        } else {
            self.run_assembly(&outputs, &values, &places, clobbers)?;
        }
        if !labels.is_empty() {
            let int = self.basic.int;
            let choice = self.arbitrary(int, Scalar::INT, Source::Asm);
            for (index, &label) in ast[labels].iter().enumerate() {
                let label = self.label(self.label_name(label), span);
                let number = self.number(Scalar::INT, index as i128 + 1);
                let chosen = self.binary(BinOp::Eq, choice, number);
                let (yes, no) = self.fork(chosen);
                self.join(yes, label.node);
                self.body.at = no;
            }
        }
        Ok(())
    }

    /// Nothing happens but that inputs become the outputs which share their registers.
    fn run_nothing(
        &mut self,
        outputs: &[Operand<'_>],
        inputs: &[Operand<'_>],
        values: &[Value],
        places: &[Lvalue],
    ) -> Lowers<()> {
        let mut kept = values.to_vec();
        if places.len() > 1 {
            // The first output must not change what the next one gets.
            for value in &mut kept {
                if !self.is_void(value.ty) {
                    value.expr = self.spill(value.ty, value.expr);
                }
            }
        }
        for (index, (output, &place)) in outputs.iter().zip(places).enumerate() {
            let shared = inputs.iter().position(|input| input.constraint.parse() == Ok(index));
            match shared.and_then(|input| self.as_register(kept[input], place.ty)) {
                Some(value) => self.write(place, value, self.here)?,
                None if output.is_both() => {}
                // The same bytes are an input, so they were there before.
                None if let Location::Memory(address) = place.location
                    && output.is_memory()
                    && inputs.iter().zip(values).any(|(input, value)| input.is_memory() && value.expr == address) => {}
                None => self.havoc(place)?,
            }
        }
        Ok(())
    }

    /// Assembly that does something: its inputs leave the program, its outputs are arbitrary.
    fn run_assembly(
        &mut self,
        outputs: &[Operand<'_>],
        inputs: &[Value],
        places: &[Lvalue],
        clobbers: ast::List<ast::StringId>,
    ) -> Lowers<()> {
        let ast = self.ast;
        let mut given: Vec<ExprId> = inputs.iter().map(|value| value.expr).collect();
        for (output, &place) in outputs.iter().zip(places) {
            match place.location {
                Location::Memory(address) if output.is_place() => given.push(address),
                Location::Memory(_) | Location::Register(_) if output.is_both() => {
                    given.extend(self.scalar(place.ty).map(|_| self.read_given(place).expr));
                }
                Location::Memory(_) | Location::Register(_) | Location::Bits(_) => {}
            }
        }
        self.give_outside(&given);
        let writes = ast[clobbers].iter().any(|&clobber| ast.string_bytes(clobber) == b"memory");
        if writes && self.options.outside == cfa::Outside::Writes {
            self.assume("inline assembly changes nothing but its outputs and what its inputs point to");
            for value in inputs.iter() {
                if self.may_write_to(*value) {
                    self.emit(Op::HavocMemory { to: value.expr, size: None, source: Source::Asm });
                }
            }
        } else if writes || !places.is_empty() {
            self.assume("inline assembly changes nothing but its outputs");
        }
        for &place in places {
            self.havoc(place)?;
        }
        Ok(())
    }

    /// The address of a place, or a value.
    fn place_or_value(&mut self, expr: ast::ExprId) -> Lowers<Value> {
        let reported = self.diagnostics.len();
        let Ok(place) = self.place(expr) else {
            self.diagnostics.truncate(reported);
            return self.rvalue(expr);
        };
        Ok(match place.location {
            Location::Memory(expr) => Value { ty: self.pointer_to(place.ty), expr },
            Location::Register(_) | Location::Bits(_) => self.read_given(place),
        })
    }

    /// What another type sees of a value in a general register; of a narrower one, not all bits are known.
    fn as_register(&mut self, value: Value, ty: TypeId) -> Option<Value> {
        let model = self.program.model;
        let general = |scalar: &Scalar| !scalar.is_float();
        let (from, to) = (self.scalar(value.ty).filter(general)?, self.scalar(ty).filter(general)?);
        (from.bits(model) >= to.bits(model)).then(|| Value { ty, expr: self.cast(value.expr, to) })
    }

    /// Makes a place arbitrary.
    fn havoc(&mut self, place: Lvalue) -> Lowers<()> {
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
