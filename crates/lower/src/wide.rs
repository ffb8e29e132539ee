//! `wprintf`, `fwprintf` and `swprintf` with a literal format: calls of models (`models/wchar.c`) say which texts they read and
//! what `swprintf` writes. Other formats are left to the contract of functions without model.

use crate::context::{Lowering, Value};
use crate::expr::Want;
use crate::printed::{Conversion, MOST, NUMBER, Piece, pieces};
use cfa::types::Type;
use cfa::{ExprId, FloatKind, Op, Scalar, Source};
use semantics::formats::{Amount, Length};
use std::vec::IntoIter;

impl Lowering<'_> {
    /// The call as calls of models, if all of its format is modelled.
    pub fn printed_wide(&mut self, name: &str, passed: &[Value], want: Want) -> Option<Value> {
        let format = match name {
            "wprintf" => 0,
            "fwprintf" => 1,
            "swprintf" => 2,
            _ => return None,
        };
        if self.options.running {
            return None;
        }
        let text = self.wide_literal(passed.get(format)?.expr)?;
        let (pointer, size) = (Scalar::Ptr, self.program.model.size_type());
        if !passed[..format].iter().map(|value| self.scalar_of(value.expr)).eq([pointer, size].into_iter().take(format))
        {
            return None;
        }
        let pieces = pieces(&text, &[Length::Int, Length::Long])?;
        self.fits_wide(&pieces, &passed[format + 1..])?;
        let mut given = Vec::new();
        for value in &passed[format + 1..] {
            given.push(Value { expr: self.spill(value.ty, value.expr), ..*value });
        }
        if name == "swprintf" {
            let to = self.spill(passed[0].ty, passed[0].expr);
            let limit = self.spill(passed[1].ty, passed[1].expr);
            return Some(self.put_wide(&pieces, to, limit, given));
        }
        if self.checks_memory() {
            if name == "fwprintf" {
                self.call_model("__model_stream", &[passed[0].expr], self.basic.void);
            }
            self.read_wide_arguments(&pieces, given);
        }
        let source = Source::Extern(self.program.names.intern(name));
        Some(self.arbitrary_result(self.basic.int, source, want))
    }

    /// Walks a text of wide characters to its end, or as far as `most` says.
    pub fn read_wide_text(&mut self, text: ExprId, most: Option<ExprId>) {
        let size = self.program.model.size_type();
        let most = most.unwrap_or_else(|| self.number(size, -1));
        self.call_model("wcsnlen", &[text, most], self.basic.size);
    }

    /// Walks the texts among the arguments.
    fn read_wide_arguments(&mut self, pieces: &[Piece], given: Vec<Value>) {
        let (to, limit, count) = (self.null(), self.size_const(0), self.size_const(0));
        let mut given = given.into_iter();
        for piece in pieces {
            let Piece::Conversion(one) = piece else { continue };
            if one.letter == b's' {
                // With room for nothing, the text is read and nothing is written.
                self.wide_text(one, [to, limit, count], &mut given);
            } else {
                let amounts = [one.width, one.precision].iter().filter(|&&amount| amount == Amount::Star).count();
                given.nth(amounts);
            }
        }
    }

    /// What `swprintf` writes.
    fn put_wide(&mut self, pieces: &[Piece], to: ExprId, limit: ExprId, given: Vec<Value>) -> Value {
        let (int, size) = (self.basic.int, self.basic.size);
        let mut given = given.into_iter();
        let mut count = self.size_const(0);
        for piece in pieces {
            count = match piece {
                Piece::Text(text) => {
                    let length = self.size_const(text.len() as u64);
                    let text = self.text_object(text.clone());
                    self.call_model("__model_put_widened", &[to, limit, count, text, length], size)
                }
                Piece::Conversion(one) if one.letter == b's' => self.wide_text(one, [to, limit, count], &mut given),
                Piece::Conversion(one) if one.letter == b'c' && one.length == Length::Long => {
                    let value = given.next().expect("the arguments fit");
                    let character = self.temporary_object(value.ty, 4);
                    let at = self.addr(character);
                    self.emit(Op::Store { to: at, value: value.expr });
                    let one = self.size_const(1);
                    self.call_model("__model_put_wide", &[to, limit, count, at, one], size)
                }
                Piece::Conversion(one) => {
                    let ty = self.intern(Type::Array(self.basic.char, NUMBER));
                    let buffer = self.temporary_object(ty, NUMBER);
                    let (buffer, room, none) = (self.addr(buffer), self.size_const(NUMBER), self.size_const(0));
                    let length = self.conversion(one, [buffer, room, none], &mut given);
                    self.call_model("__model_put_widened", &[to, limit, count, buffer, length], size)
                }
            };
        }
        let expr = self.call_model("__model_put_wide_end", &[to, limit, count], int);
        Value { ty: int, expr }
    }

    fn wide_text(&mut self, one: &Conversion, at: [ExprId; 3], given: &mut IntoIter<Value>) -> ExprId {
        let mut amount = |this: &mut Self, amount: Amount, none: i128| match amount {
            Amount::None => this.number(Scalar::INT, none),
            Amount::Fixed(value) => this.number(Scalar::INT, value as i128),
            Amount::Star => given.next().expect("the arguments fit").expr,
        };
        let (width, precision) = (amount(self, one.width, 0), amount(self, one.precision, -1));
        let text = given.next().expect("the arguments fit").expr;
        let flags = self.number(Scalar::INT, one.flags);
        let name = if one.length == Length::Long { "__model_put_wide_string" } else { "__model_put_wide_narrow" };
        let [to, limit, count] = at;
        self.call_model(name, &[to, limit, count, text, flags, width, precision], self.basic.size)
    }

    /// Whether the arguments are what the format says, and all of them can be modelled.
    fn fits_wide(&self, pieces: &[Piece], given: &[Value]) -> Option<()> {
        let mut given = given.iter().map(|value| self.scalar_of(value.expr));
        for piece in pieces {
            let Piece::Conversion(one) = piece else { continue };
            for amount in [one.width, one.precision] {
                if amount == Amount::Star && given.next()? != Scalar::INT {
                    return None;
                }
            }
            let small = |amount| matches!(amount, Amount::None | Amount::Fixed(..=MOST));
            let is_small = small(one.width) && small(one.precision);
            let (ty, long) = (given.next()?, one.length == Length::Long);
            let fits = match one.letter {
                b's' => ty == Scalar::Ptr,
                b'c' if long => ty.is_int() && ty.bytes(self.program.model) == 4 && one.width == Amount::None,
                b'c' => ty == Scalar::INT && is_small,
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                    let bits = one.length.bits(self.program.model).max(32);
                    matches!(ty, Scalar::Int { bits: own, .. } if u32::from(own) == bits) && is_small
                }
                _ => {
                    let longer = matches!(one.length, Length::LongLong | Length::LongDouble);
                    !longer && is_small && ty == Scalar::Float(FloatKind::F64)
                }
            };
            fits.then_some(())?;
        }
        Some(())
    }

    /// The text of an argument that is a literal of wide characters, each of which is a byte.
    fn wide_literal(&self, value: ExprId) -> Option<Vec<u8>> {
        let bytes = self.literal_bytes(value)?;
        let characters = bytes.chunks_exact(4);
        if !characters.remainder().is_empty() {
            return None;
        }
        let characters = characters.map(|one| u32::from_le_bytes([one[0], one[1], one[2], one[3]]));
        let text = characters.take_while(|&one| one != 0);
        text.map(|one| u8::try_from(one).ok().filter(u8::is_ascii)).collect()
    }
}
