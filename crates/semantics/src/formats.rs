//! Conversion specifications of `printf` as glibc reads them, taken apart: the interpreter writes what they say, and
//! lowering models it.

use cfa::DataModel;

/// A width or a precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Amount {
    /// There is none.
    #[default]
    None,
    /// This number.
    Fixed(usize),
    /// The next argument.
    Star,
}

/// How long an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Length {
    /// `hh`.
    Char,
    /// `h`.
    Short,
    /// None is given.
    #[default]
    Int,
    /// `l`.
    Long,
    /// `ll`, `q` or `j`.
    LongLong,
    /// `L`, of floats; of integers the same as `ll`.
    LongDouble,
    /// `z`, `t` or `Z`.
    Pointer,
}

impl Length {
    /// How many bits an integer of this length has.
    pub fn bits(self, model: DataModel) -> u32 {
        match self {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long | Length::Pointer => model.pointer_bits(),
            Length::LongLong | Length::LongDouble => 64,
        }
    }
}

/// A specification: everything from `%` to its letter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FormatSpec {
    /// `-`.
    pub left: bool,
    /// `+`.
    pub plus: bool,
    /// A blank.
    pub space: bool,
    /// `#`.
    pub alternate: bool,
    /// `0`.
    pub zero: bool,
    /// `'` or `I`, which the C locale ignores.
    pub grouped: bool,
    /// How wide the text is at least.
    pub width: Amount,
    /// After `.`, where a missing number means 0.
    pub precision: Amount,
    /// How long the argument is.
    pub length: Length,
    /// The kind of conversion; `None` if the format ends before.
    pub letter: Option<u8>,
}

impl FormatSpec {
    /// Reads the specification whose `%` is at position `at` of a format, and moves `at` past it.
    pub fn read(format: &[u8], at: &mut usize) -> FormatSpec {
        assert_eq!(format.get(*at), Some(&b'%'), "a specification begins with %");
        let mut found = FormatSpec::default();
        *at += 1;
        while let Some(flag) = format.get(*at).and_then(|&byte| found.flag(byte)) {
            *flag = true;
            *at += 1;
        }
        found.width = amount(format, at);
        if format.get(*at) == Some(&b'.') {
            *at += 1;
            found.precision = match amount(format, at) {
                Amount::None => Amount::Fixed(0),
                given => given,
            };
        }
        found.length = length(format, at);
        found.letter = format.get(*at).copied();
        *at += usize::from(found.letter.is_some());
        found
    }

    fn flag(&mut self, byte: u8) -> Option<&mut bool> {
        match byte {
            b'-' => Some(&mut self.left),
            b'+' => Some(&mut self.plus),
            b' ' => Some(&mut self.space),
            b'#' => Some(&mut self.alternate),
            b'0' => Some(&mut self.zero),
            b'\'' | b'I' => Some(&mut self.grouped),
            _ => None,
        }
    }
}

fn amount(format: &[u8], at: &mut usize) -> Amount {
    if format.get(*at) == Some(&b'*') {
        *at += 1;
        return Amount::Star;
    }
    let mut number = None;
    while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
        number = Some(number.unwrap_or(0_usize).saturating_mul(10).saturating_add(usize::from(digit - b'0')));
        *at += 1;
    }
    number.map_or(Amount::None, Amount::Fixed)
}

fn length(format: &[u8], at: &mut usize) -> Length {
    let (length, count) = match format[*at..] {
        [b'h', b'h', ..] => (Length::Char, 2),
        [b'l', b'l', ..] => (Length::LongLong, 2),
        [b'h', ..] => (Length::Short, 1),
        [b'l', ..] => (Length::Long, 1),
        [b'q' | b'j', ..] => (Length::LongLong, 1),
        [b'L', ..] => (Length::LongDouble, 1),
        [b'z' | b't' | b'Z', ..] => (Length::Pointer, 1),
        _ => (Length::Int, 0),
    };
    *at += count;
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_taken_apart() {
        use Amount::{Fixed, Star};
        use Length::{Char, Int, Long, LongDouble, LongLong, Pointer};
        let rows = [
            ("%d", "", Amount::None, Amount::None, Int, Some(b'd')),
            ("%-05ld!", "-0", Fixed(5), Amount::None, Long, Some(b'd')),
            ("%+*.*Lg", "+", Star, Star, LongDouble, Some(b'g')),
            ("%# .hhx", "# ", Amount::None, Fixed(0), Char, Some(b'x')),
            ("%'.3zu", "'", Amount::None, Fixed(3), Pointer, Some(b'u')),
            ("%lli", "", Amount::None, Amount::None, LongLong, Some(b'i')),
            ("%%", "", Amount::None, Amount::None, Int, Some(b'%')),
            ("%5.", "", Fixed(5), Fixed(0), Int, None),
        ];
        for (text, flags, width, precision, length, letter) in rows {
            let mut at = 0;
            let found = FormatSpec::read(text.as_bytes(), &mut at);
            let mut expected = FormatSpec { width, precision, length, letter, ..FormatSpec::default() };
            flags.bytes().for_each(|byte| *expected.flag(byte).expect("a flag") = true);
            assert_eq!((found, at), (expected, text.trim_end_matches('!').len()), "{text}");
        }
    }
}
