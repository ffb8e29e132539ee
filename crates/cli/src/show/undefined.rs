//! What undefined behaviour was, in a sentence with the values of the execution.

use super::{FinishedRun, value};
use base::{Cancel, printable};
use cfa::{Check, DataModel, Expr, Scalar, Target, VarKind};
use verdict::Counterexample;
use witness::operands::{Operand, operands};

/// Longer expressions are cut.
const SHOWN: usize = 60;

impl FinishedRun<'_> {
    /// `'a + b' is outside the range of int: 2147483647 + 1`; `None` where no values tell more.
    pub(super) fn undefined(&self, counterexample: &Counterexample) -> Option<String> {
        let target = &self.program.targets[counterexample.target];
        let check = target.check()?;
        let values = operands(self.program, counterexample, &Cancel::never());
        let text = format!("'{}'", self.expression(target));
        Some(match (check, values) {
            (Check::Overflow, [Some(a), None]) => {
                let ty = type_name(a.0, self.program.model);
                format!("{text} is outside the range of {ty}: the opposite of {}", show(a))
            }
            (Check::Division, [Some(a), Some(b)]) if is_zero(b) => {
                format!("{text} divides by zero: {} {} 0", show(a), target.symbol)
            }
            (Check::Overflow | Check::Shift, [Some(a), Some(b)]) if matches!(target.symbol, "<<" | ">>") => {
                self.shift(&text, target.symbol, a, b)
            }
            (Check::Overflow | Check::Division, [Some(a), Some(b)]) => {
                let ty = type_name(a.0, self.program.model);
                format!("{text} is outside the range of {ty}: {} {} {}", show(a), target.symbol, show(b))
            }
            (Check::Conversion, [Some(a), _]) => {
                format!("{text} has no value of the integer type it is converted to: {}", show(a))
            }
            (Check::Deref | Check::Null, [Some(pointer), _]) if target.symbol == "call" => match is_zero(pointer) {
                true => format!("{text} calls a function through a null pointer"),
                false => format!("{text} calls a function through a pointer that leads to none"),
            },
            (Check::Argument, _) if target.symbol == "call" => {
                format!("{text} calls a function of another type, or none")
            }
            (Check::Argument, _) if target.symbol == "return" => "a function that is _Noreturn returns".to_owned(),
            (Check::Value, [Some(a), _]) => format!("{text} is read as _Bool, which is 0 or 1: it is {}", show(a)),
            (Check::Subscript, [Some(a), Some(b)]) => {
                format!("{text} is outside the array, which has {} elements: the subscript is {}", show(b), show(a))
            }
            (Check::ReadOnly, _) => format!("{text} writes to a string literal or a const object"),
            (Check::Length, [Some(a), _]) => format!("an array has the length {text}, which is {}", show(a)),
            (Check::Lossy, [Some(a), _]) => format!("{text} changes its value when it is converted: it is {}", show(a)),
            (Check::Uninitialised, _) => format!("'{}' is read, but was never given a value", self.variable(target)),
            (Check::Pointer, [Some(_), Some(b)]) => match target.symbol {
                "+" => format!("{text} leaves the object: {} bytes from where the pointer points", show(b)),
                "-" => format!("{text} subtracts pointers into different objects"),
                _ => format!("{text} compares pointers into different objects"),
            },
            (Check::Deref | Check::Null | Check::Bounds | Check::Free | Check::Track | Check::Cleanup, values) => {
                return self.memory(counterexample, (target, &text), values);
            }
            (_, _) => return None,
        })
    }

    /// The register that a check is about, else what is read.
    fn variable(&self, target: &Target) -> String {
        match target.values[0].map(|value| self.program.exprs.node(value)) {
            // Temporaries hold what an expression gives.
            Some(Expr::Var(var)) if self.program.vars[var].kind != VarKind::Temporary => {
                printable(self.program.var_name(var)).into_owned()
            }
            Some(_) | None => self.expression(target),
        }
    }

    fn shift(&self, text: &str, symbol: &str, a: Operand, b: Operand) -> String {
        let (ty, width) = (type_name(a.0, self.program.model), a.0.bits(self.program.model));
        if signed(b) < 0 || signed(b) >= i128::from(width) {
            return format!("{text} shifts by {}, but {ty} has {width} bits", show(b));
        }
        if signed(a) < 0 {
            return format!("{text} shifts a negative value: {} {symbol} {}", show(a), show(b));
        }
        format!("{text} is outside the range of {ty}: {} {symbol} {}", show(a), show(b))
    }

    /// The source text of what is checked, in one line.
    fn expression(&self, target: &Target) -> String {
        let text = self.program.sources.snippet(target.span);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = text.chars().take(SHOWN).collect();
        let text = if cut.len() < text.len() { cut + "..." } else { text };
        printable(&text).into_owned()
    }
}

fn show((ty, bits): Operand) -> String {
    value::display(ty, bits)
}

fn is_zero((_, bits): Operand) -> bool {
    bits == 0
}

/// The value as a number, whatever its type; those of unsigned types that do not fit are large.
fn signed((ty, bits): Operand) -> i128 {
    match ty {
        Scalar::Int { bits: width, signed: true } => {
            let shift = 128 - u32::from(width);
            ((bits << shift) as i128) >> shift
        }
        Scalar::Int { .. } | Scalar::Bool | Scalar::Float(_) | Scalar::Ptr => i128::try_from(bits).unwrap_or(i128::MAX),
    }
}

/// C's usual name of an integer type.
fn type_name(ty: Scalar, model: DataModel) -> String {
    let (bits, is_signed) = (ty.bits(model), ty.is_signed());
    let name = match (bits, model) {
        (8, _) => "char",
        (16, _) => "short",
        (32, _) => "int",
        (64, DataModel::Lp64) => "long",
        (64, DataModel::Ilp32) => "long long",
        (128, _) => "__int128",
        (_, _) => return ty.to_string(),
    };
    if is_signed { name.into() } else { format!("unsigned {name}") }
}
