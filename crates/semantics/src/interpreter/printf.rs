//! `printf` as glibc does it in the C locale.

use super::RunEnd;
use super::code::Operand;
use super::decimal::{self, Parts};
use super::machine::Machine;
use super::value::{Origin, Value};
use crate::formats::{Amount, FormatSpec, Length};
use crate::scalar;
use cfa::{FloatKind, Scalar};
use std::collections::VecDeque;

/// Where the arguments after the format come from.
pub(super) enum Arguments {
    /// As written at the call.
    Listed(VecDeque<Operand>),
    /// From memory, as a `va_list` points to them.
    Memory(Value),
}

/// A conversion specification, without its final letter, with the numbers that arguments give.
#[derive(Clone, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
}

impl Machine<'_> {
    /// Formats; `format` is a C string.
    pub(super) fn format(&mut self, format: Value, mut arguments: Arguments) -> Result<Vec<u8>, RunEnd> {
        let format = self.c_string(format)?;
        let mut text = Vec::new();
        let mut at = 0;
        while at < format.len() {
            if format[at] != b'%' {
                text.push(format[at]);
                at += 1;
                continue;
            }
            let start = at;
            let found = FormatSpec::read(&format, &mut at);
            let spec = self.given(&found, &mut arguments)?;
            let Some(letter) = found.letter else {
                // An unfinished specification at the end: glibc fails; the text so far is written.
                break;
            };
            self.convert(letter, &spec, &mut arguments, &mut text, &format[start..at])?;
        }
        Ok(text)
    }

    /// A specification with the numbers that arguments give.
    fn given(&mut self, found: &FormatSpec, arguments: &mut Arguments) -> Result<Spec, RunEnd> {
        let &FormatSpec { left, plus, space, alternate, zero, length, .. } = found;
        let mut spec = Spec { left, plus, space, alternate, zero, length, ..Spec::default() };
        match found.width {
            Amount::None => {}
            Amount::Fixed(width) => spec.width = width,
            Amount::Star => {
                let width = self.argument(arguments, Scalar::INT)?.0 as u32 as i32;
                spec.left |= width < 0;
                spec.width = width.unsigned_abs() as usize;
            }
        }
        spec.precision = match found.precision {
            Amount::None => None,
            Amount::Fixed(precision) => Some(precision),
            Amount::Star => {
                let precision = self.argument(arguments, Scalar::INT)?.0 as u32 as i32;
                usize::try_from(precision).ok()
            }
        };
        Ok(spec)
    }

    fn convert(
        &mut self,
        letter: u8,
        spec: &Spec,
        arguments: &mut Arguments,
        text: &mut Vec<u8>,
        source: &[u8],
    ) -> Result<(), RunEnd> {
        match letter {
            b'%' => text.push(b'%'),
            b'd' | b'i' => {
                let (bits, _) = self.integer(arguments, spec.length)?;
                let width = spec.length.bits(self.program.model);
                let number = scalar::sign_extend(bits, width) as i128;
                let sign = if number < 0 { "-" } else { positive(spec) };
                text.extend(integer(spec, sign, number.unsigned_abs().to_string(), ""));
            }
            b'u' => {
                let (bits, _) = self.integer(arguments, spec.length)?;
                text.extend(integer(spec, "", bits.to_string(), ""));
            }
            b'o' => {
                let (bits, _) = self.integer(arguments, spec.length)?;
                let mut digits = format!("{bits:o}");
                // The alternate form has a leading zero; precision 0 makes the number 0 vanish only without it.
                let zeros = spec.precision.is_some_and(|p| p > digits.len());
                if spec.alternate && bits != 0 && !zeros {
                    digits.insert(0, '0');
                }
                let keep = Spec { precision: spec.precision.map(|p| p.max(1)), ..spec.clone() };
                text.extend(integer(if spec.alternate { &keep } else { spec }, "", digits, ""));
            }
            b'x' | b'X' => {
                let (bits, _) = self.integer(arguments, spec.length)?;
                let (digits, prefix) =
                    if letter == b'x' { (format!("{bits:x}"), "0x") } else { (format!("{bits:X}"), "0X") };
                let prefix = if spec.alternate && bits != 0 { prefix } else { "" };
                text.extend(integer(spec, "", digits, prefix));
            }
            b'p' => {
                let (bits, _) = self.argument(arguments, Scalar::Ptr)?;
                if bits == 0 {
                    text.extend(pad(spec, b"(nil)"));
                } else {
                    text.extend(integer(spec, positive(spec), format!("{bits:x}"), "0x"));
                }
            }
            b'c' => {
                let (bits, _) = self.argument(arguments, Scalar::INT)?;
                text.extend(pad(spec, &[bits as u8]));
            }
            b's' => {
                let (bits, origin) = self.argument(arguments, Scalar::Ptr)?;
                let string = if bits == 0 {
                    // glibc writes nothing rather than a part of it.
                    if spec.precision.is_none_or(|p| p >= 6) { b"(null)".to_vec() } else { Vec::new() }
                } else {
                    let limit = spec.precision.map_or(u64::MAX, |p| p as u64);
                    self.c_string_up_to(Value { bits: bits as u64, origin }, limit)?
                };
                text.extend(pad(spec, &string));
            }
            b'n' => {
                let (bits, origin) = self.argument(arguments, Scalar::Ptr)?;
                let bytes = u64::from(spec.length.bits(self.program.model) / 8);
                let to = Value { bits: bits as u64, origin };
                let stored = self.memory.store(to, bytes, text.len() as u128, Origin::NONE);
                stored.or_else(|fault| self.fault(fault))?;
            }
            b'm' => text.extend(pad(spec, b"Success")),
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let kind = if spec.length == Length::LongDouble { FloatKind::X87 } else { FloatKind::F64 };
                let (bits, _) = self.argument(arguments, Scalar::Float(kind))?;
                let formatted = float(letter.to_ascii_lowercase(), spec, kind, bits);
                let upper = letter.is_ascii_uppercase();
                text.extend(if upper { formatted.to_ascii_uppercase() } else { formatted });
            }
            _ => {
                self.undefined("unknown conversion in a printf format")?;
                text.extend(source);
            }
        }
        Ok(())
    }

    /// An integer argument, cut to its length.
    fn integer(&mut self, arguments: &mut Arguments, length: Length) -> Result<(u128, Origin), RunEnd> {
        let width = length.bits(self.program.model);
        let (bits, origin) = self.argument(arguments, Scalar::int(width.max(32), true))?;
        Ok((bits & scalar::mask(width), origin))
    }

    /// The next argument, which the format takes as a `ty`.
    fn argument(&mut self, arguments: &mut Arguments, ty: Scalar) -> Result<(u128, Origin), RunEnd> {
        match arguments {
            Arguments::Listed(list) => {
                let Some(operand) = list.pop_front() else {
                    return Ok((self.arbitrary("too few arguments for a printf format", ty)?, Origin::NONE));
                };
                let model = self.program.model;
                if operand.ty.is_float() != ty.is_float() || operand.ty.is_float() && operand.ty != ty {
                    return Ok((
                        self.arbitrary("argument of another type than the printf format says", ty)?,
                        Origin::NONE,
                    ));
                }
                let origin = self.get(operand.slot).origin;
                Ok((self.bits(operand) & scalar::mask(ty.bits(model)), origin))
            }
            Arguments::Memory(next) => {
                let at = *next;
                *next = self.moved(at, self.variadic_slot(ty) as i64);
                match self.memory.load(at, ty.bytes(self.program.model), &mut self.draws) {
                    Ok(loaded) => Ok(loaded),
                    Err(fault) => Ok((self.arbitrary_after(fault, ty)?, Origin::NONE)),
                }
            }
        }
    }

    /// How far the next argument lies after one of type `ty`: lowering gives each its C size, rounded up to words.
    fn variadic_slot(&self, ty: Scalar) -> u64 {
        let word = u64::from(self.program.model.pointer_bits() / 8);
        let size = match ty {
            Scalar::Float(FloatKind::X87) => 10_u64.next_multiple_of(if word == 8 { 16 } else { 4 }),
            Scalar::Bool | Scalar::Int { .. } | Scalar::Float(_) | Scalar::Ptr => ty.bytes(self.program.model),
        };
        size.next_multiple_of(word)
    }

    pub(super) fn c_string(&mut self, pointer: Value) -> Result<Vec<u8>, RunEnd> {
        self.c_string_up_to(pointer, u64::MAX)
    }

    fn c_string_up_to(&mut self, pointer: Value, limit: u64) -> Result<Vec<u8>, RunEnd> {
        match self.memory.string_up_to(pointer, limit, &mut self.draws) {
            Ok(text) => Ok(text),
            Err(fault) => {
                self.fault(fault)?;
                Ok(Vec::new())
            }
        }
    }
}

/// What stands before a number that is not negative.
fn positive(spec: &Spec) -> &'static str {
    match (spec.plus, spec.space) {
        (true, _) => "+",
        (false, true) => " ",
        (false, false) => "",
    }
}

/// Blanks to the width.
fn pad(spec: &Spec, text: &[u8]) -> Vec<u8> {
    let blanks = vec![b' '; spec.width.saturating_sub(text.len())];
    if spec.left { [text, &blanks].concat() } else { [&blanks, text].concat() }
}

/// Sign, prefix and digits, with zeros to the precision or the width.
fn integer(spec: &Spec, sign: &str, mut digits: String, prefix: &str) -> Vec<u8> {
    match spec.precision {
        Some(0) if digits == "0" && prefix.is_empty() => digits.clear(),
        Some(precision) => digits = "0".repeat(precision.saturating_sub(digits.len())) + &digits,
        None if spec.zero && !spec.left => {
            let used = sign.len() + prefix.len() + digits.len();
            digits = "0".repeat(spec.width.saturating_sub(used)) + &digits;
        }
        None => {}
    }
    pad(spec, format!("{sign}{prefix}{digits}").as_bytes())
}

fn float(letter: u8, spec: &Spec, kind: FloatKind, bits: u128) -> Vec<u8> {
    let (negative, parts) = decimal::decode(kind, bits);
    let sign = if negative { "-" } else { positive(spec) };
    let (significand, exponent) = match parts {
        Parts::Nan => return pad(spec, format!("{sign}nan").as_bytes()),
        Parts::Infinity => return pad(spec, format!("{sign}inf").as_bytes()),
        Parts::Finite { significand, exponent } => (significand, exponent),
    };
    let precision = spec.precision.unwrap_or(6);
    let text = match letter {
        b'f' => decimal::fixed(significand, exponent, precision, spec.alternate),
        b'e' => decimal::scientific(significand, exponent, precision, spec.alternate),
        b'g' => decimal::general(significand, exponent, precision, spec.alternate),
        _ => decimal::hexadecimal(kind, significand, exponent, spec.precision, spec.alternate),
    };
    if !spec.zero || spec.left {
        return pad(spec, format!("{sign}{text}").as_bytes());
    }
    let zeros = "0".repeat(spec.width.saturating_sub(sign.len() + text.len()));
    match text.strip_prefix("0x") {
        Some(rest) => format!("{sign}0x{zeros}{rest}"),
        None => format!("{sign}{zeros}{text}"),
    }
    .into_bytes()
}
