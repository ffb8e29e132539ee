//! `sprintf` and `snprintf` with a literal format: a call of a model for each conversion (`models/print.c`), so that
//! analyses know what is written and how long it is. Other formats are operations of the interpreter alone.

use crate::context::{Entity, Lowering, Value};
use cfa::types::{Type, TypeId};
use cfa::{BinOp, Expr, ExprId, FloatKind, Library, Op, Scalar, VarId, VarKind};
use semantics::formats::{Amount, FormatSpec, Length};

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(Vec<u8>),
    Conversion(Conversion),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    /// As `models/print.c` numbers them.
    pub flags: i128,
    pub width: Amount,
    pub precision: Amount,
    pub length: Length,
    pub letter: u8,
    /// As the format has it.
    text: Vec<u8>,
}

/// Room for a number in the forms that are modelled: digits before the point of the largest one, and these many more.
pub(crate) const NUMBER: u64 = 512;
pub(crate) const MOST: usize = 100;
/// Larger widths and precisions are not modelled.
const MOST_ROOM: usize = 4096;

impl Lowering<'_> {
    /// The call as calls of models, if all of its format is modelled.
    pub fn printed(&mut self, library: Library, passed: &[Value]) -> Option<Value> {
        let format = match library {
            Library::Sprintf => 1,
            Library::Snprintf => 2,
            _ => return None,
        };
        if self.options.running {
            return None;
        }
        let text = self.literal_text(passed.get(format)?.expr)?;
        let pieces = pieces(&text, &[Length::Int])?;
        self.fits(&pieces, &passed[format + 1..])?;
        let mut given = Vec::new();
        for value in &passed[format + 1..] {
            given.push(Value { expr: self.spill(value.ty, value.expr), ..*value });
        }
        let mut given = given.into_iter();
        let to = self.spill(passed[0].ty, passed[0].expr);
        let limit = match library {
            Library::Snprintf => self.spill(passed[1].ty, passed[1].expr),
            _ => self.size_const(u64::MAX >> (64 - self.program.model.pointer_bits())),
        };
        let mut count = self.size_const(0);
        for piece in pieces {
            count = match piece {
                Piece::Text(text) => {
                    let length = self.size_const(text.len() as u64);
                    let text = self.text_object(text);
                    self.call_model("__model_put_text", &[to, limit, count, text, length], self.basic.size)
                }
                Piece::Conversion(conversion) => self.conversion(&conversion, [to, limit, count], &mut given),
            };
        }
        let int = self.basic.int;
        let expr = self.call_model("__model_put_end", &[to, limit, count], int);
        Some(Value { ty: int, expr })
    }

    /// What functions that write text return: what was written, or -1.
    pub fn assume_written(&mut self, library: Library, first: Option<Value>, result: VarId) {
        let result = self.var(result);
        if self.scalar_of(result) != Scalar::INT {
            return;
        }
        let failure = self.number(Scalar::INT, -1);
        let success = match (library, first) {
            (Library::Putchar | Library::Putc | Library::Fputc, Some(byte)) => {
                let byte = self.cast(byte.expr, Scalar::BYTE);
                self.cast(byte, Scalar::INT)
            }
            (Library::Fflush, _) => self.number(Scalar::INT, 0),
            (Library::Puts | Library::Fputs | Library::Printf | Library::Fprintf | Library::Vprintf, _)
            | (Library::Vfprintf | Library::Sprintf | Library::Snprintf | Library::Vsprintf | Library::Vsnprintf, _) => {
                let known = self.binary(BinOp::Le, failure, result);
                return self.emit(Op::Assume(known));
            }
            _ => return,
        };
        let (done, failed) = (self.binary(BinOp::Eq, result, success), self.binary(BinOp::Eq, result, failure));
        let known = self.binary(BinOp::Or, done, failed);
        self.emit(Op::Assume(known));
    }

    /// Calls a function that only models have.
    pub fn call_model(&mut self, name: &str, args: &[ExprId], ty: TypeId) -> ExprId {
        let symbol = self.program.names.intern(name);
        self.model_functions.insert(symbol);
        let callee = match self.externals.get(&symbol) {
            Some(&Entity::Function(callee)) => callee,
            _ => self.implicit_function(symbol, self.here),
        };
        let function = self.function(callee);
        let result = self.scalar(ty).map(|scalar| self.temporary(ty, scalar));
        self.emit(Op::Call { function, args: args.into(), result });
        match result {
            Some(result) => self.var(result),
            None => self.null(),
        }
    }

    /// The address of a text of the program.
    pub fn text_object(&mut self, text: Vec<u8>) -> ExprId {
        let char = self.basic.char;
        let ty = self.intern(Type::Array(char, text.len() as u64 + 1));
        let object = self.string_bytes_object(ty, char, text, self.here);
        self.addr(object)
    }

    /// Whether the arguments are what the format says, and all of them can be modelled.
    fn fits(&self, pieces: &[Piece], given: &[Value]) -> Option<()> {
        let mut given = given.iter();
        let mut next = |wanted: &dyn Fn(Scalar) -> bool| {
            let value = given.next()?;
            wanted(self.scalar_of(value.expr)).then_some(value.expr)
        };
        for piece in pieces {
            let Piece::Conversion(one) = piece else { continue };
            for amount in [one.width, one.precision] {
                if amount == Amount::Star {
                    next(&|ty| ty == Scalar::INT)?;
                }
            }
            match one.letter {
                b's' => {
                    let text = next(&|ty| ty == Scalar::Ptr)?;
                    let short = matches!(one.precision, Amount::Fixed(..=MOST));
                    (short || self.is_array(text)).then_some(())?;
                }
                b'c' => _ = next(&|ty| ty == Scalar::INT)?,
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                    let bits = one.length.bits(self.program.model).max(32);
                    next(&|ty| matches!(ty, Scalar::Int { bits: own, .. } if u32::from(own) == bits))?;
                }
                _ => {
                    let small = |amount| matches!(amount, Amount::None | Amount::Fixed(..=MOST));
                    let long = matches!(one.length, Length::LongLong | Length::LongDouble);
                    (!long && small(one.width) && small(one.precision)).then_some(())?;
                    next(&|ty| ty == Scalar::Float(FloatKind::F64))?;
                }
            }
        }
        Some(())
    }

    /// Whether it is a named object: then the text in it has a known bound.
    fn is_array(&self, text: ExprId) -> bool {
        match self.program.exprs.node(text) {
            Expr::Addr(var) => {
                let variable = &self.program.vars[var];
                variable.kind == VarKind::Literal || self.program.types.size(variable.ty).is_some_and(|size| size <= 64)
            }
            _ => false,
        }
    }

    pub(crate) fn conversion(
        &mut self,
        one: &Conversion,
        [to, limit, count]: [ExprId; 3],
        given: &mut impl Iterator<Item = Value>,
    ) -> ExprId {
        let mut amount = |this: &mut Self, amount: Amount, none: i128| match amount {
            Amount::None => this.number(Scalar::INT, none),
            Amount::Fixed(value) => this.number(Scalar::INT, value as i128),
            Amount::Star => given.next().map(|value| value.expr).expect("the arguments fit"),
        };
        let (width, precision) = (amount(self, one.width, 0), amount(self, one.precision, -1));
        let value = given.next().expect("the arguments fit").expr;
        let (size, flags) = (self.basic.size, self.number(Scalar::INT, one.flags));
        match one.letter {
            b's' => self.call_model("__model_put_string", &[to, limit, count, value, flags, width, precision], size),
            b'c' => self.call_model("__model_put_char", &[to, limit, count, value, flags, width], size),
            b'd' | b'i' => {
                let value = self.cast(value, Scalar::int(one.length.bits(self.program.model), true));
                let value = self.cast(value, Scalar::int(64, true));
                self.call_model("__model_put_signed", &[to, limit, count, value, flags, width, precision], size)
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = self.cast(value, Scalar::int(one.length.bits(self.program.model), false));
                let value = self.cast(value, Scalar::int(64, false));
                let base = match one.letter {
                    b'u' => 10,
                    b'o' => 8,
                    _ => 16,
                };
                let base = self.number(Scalar::int(32, false), base);
                self.call_model("__model_put_unsigned", &[to, limit, count, value, base, flags, width, precision], size)
            }
            _ => self.number_text(one, [to, limit, count], value),
        }
    }

    /// A float: the interpreter knows its text, analyses its length at most.
    fn number_text(&mut self, one: &Conversion, [to, limit, count]: [ExprId; 3], value: ExprId) -> ExprId {
        let (char, int, size) = (self.basic.char, self.basic.int, self.basic.size);
        let ty = self.intern(Type::Array(char, NUMBER));
        let buffer = self.temporary_object(ty, NUMBER);
        let (buffer, room) = (self.addr(buffer), self.size_const(NUMBER));
        let format = self.text_object(one.text.clone());
        let length = self.temporary(int, Scalar::INT);
        let args = [buffer, room, format, value].into();
        self.emit(Op::Library { function: Library::Snprintf, args, result: Some(length) });
        let length = self.var(length);
        let (least, most) = (self.number(Scalar::INT, 1), self.number(Scalar::INT, i128::from(NUMBER) - 1));
        let (above, below) = (self.binary(BinOp::Le, least, length), self.binary(BinOp::Le, length, most));
        let within = self.binary(BinOp::And, above, below);
        self.emit(Op::Assume(within));
        let length = self.cast(length, self.program.model.size_type());
        self.call_model("__model_put_text", &[to, limit, count, buffer, length], size)
    }
}

/// The parts of a format, unless there is something in it that is not modelled; texts and characters may have these lengths.
pub(crate) fn pieces(format: &[u8], texts: &[Length]) -> Option<Vec<Piece>> {
    let mut found = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while at < format.len() {
        if format[at] != b'%' {
            text.push(format[at]);
            at += 1;
            continue;
        }
        if format.get(at + 1) == Some(&b'%') {
            text.push(b'%');
            at += 2;
            continue;
        }
        if !text.is_empty() {
            found.push(Piece::Text(std::mem::take(&mut text)));
        }
        found.push(Piece::Conversion(conversion(format, &mut at, texts)?));
    }
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    Some(found)
}

/// The conversion at this place of a format, unless it is not modelled.
fn conversion(format: &[u8], at: &mut usize, texts: &[Length]) -> Option<Conversion> {
    let start = *at;
    let FormatSpec { left, plus, space, alternate, zero, grouped, width, precision, length, letter } =
        FormatSpec::read(format, at);
    let letter = letter.filter(|_| !grouped)?;
    let is_large = |amount: Amount| matches!(amount, Amount::Fixed(number) if number > MOST_ROOM);
    let known = match letter {
        b's' | b'c' => texts.contains(&length),
        b'd' | b'i' | b'u' | b'o' | b'x' | b'e' | b'f' | b'g' | b'a' => true,
        b'X' | b'E' | b'F' | b'G' | b'A' => true,
        _ => false,
    };
    if !known || is_large(width) || is_large(precision) {
        return None;
    }
    let flags = [(left, 1), (plus, 2), (space, 4), (alternate, 8), (zero, 16), (letter.is_ascii_uppercase(), 32)];
    let flags = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum();
    Some(Conversion { flags, width, precision, length, letter, text: format[start..*at].to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let found = pieces(b"a%%b%-5ld|%.*s%08.3f", &[Length::Int]).expect("all of it is known");
        assert_eq!(found.len(), 5);
        assert_eq!(found[0], Piece::Text(b"a%b".to_vec()));
        let Piece::Conversion(number) = &found[1] else { panic!("expected a conversion") };
        assert_eq!((number.flags, number.width, number.length), (1, Amount::Fixed(5), Length::Long));
        let Piece::Conversion(text) = &found[3] else { panic!("expected a conversion") };
        assert_eq!((text.precision, text.letter), (Amount::Star, b's'));
        for unknown in [&b"%n"[..], b"%p", b"%ls", b"%", b"%5"] {
            assert_eq!(pieces(unknown, &[Length::Int]), None);
        }
        let wide = pieces(b"%ls%s", &[Length::Int, Length::Long]).expect("both are known");
        assert_eq!(wide.len(), 2);
    }
}
