//! The values of numbers, character constants and strings. Messages are about the whole token.

use crate::ast::{Base, Encoding, FloatSuffix, IntSize, IntSuffix};

/// A decoded number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number<'a> {
    Int { value: u64, base: Base, suffix: IntSuffix },
    Float { text: &'a str, suffix: FloatSuffix, imaginary: bool },
}

/// Decodes a preprocessing number.
pub(crate) fn number(text: &str) -> Result<Number<'_>, String> {
    let bytes = text.as_bytes();
    let (base, digits_from) = match bytes {
        [b'0', b'x' | b'X', ..] => (Base::Hex, 2),
        [b'0', b'b' | b'B', ..] => (Base::Binary, 2),
        [b'0', ..] => (Base::Octal, 0),
        _ => (Base::Decimal, 0),
    };
    let is_digit = |byte: &u8| if base == Base::Hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let digits_to = bytes[digits_from..].iter().position(|byte| !is_digit(byte));
    let digits_to = digits_to.map_or(bytes.len(), |len| digits_from + len);
    let exponent: &[u8] = if base == Base::Hex { b".pP" } else { b".eE" };
    if base != Base::Binary && bytes.get(digits_to).is_some_and(|byte| exponent.contains(byte)) {
        return float(text, base, digits_from);
    }
    let suffix = int_suffix(&text[digits_to..])
        .ok_or_else(|| format!("'{}' is not a suffix of an integer constant", &text[digits_to..]))?;
    let value = int_value(&bytes[digits_from..digits_to], base)?;
    Ok(Number::Int { value, base, suffix })
}

fn int_value(digits: &[u8], base: Base) -> Result<u64, String> {
    let radix = match base {
        Base::Binary => 2,
        Base::Octal => 8,
        Base::Decimal => 10,
        Base::Hex => 16,
    };
    if digits.is_empty() {
        return Err("an integer constant without digits".into());
    }
    let mut value = 0u64;
    for &byte in digits {
        let digit = char::from(byte).to_digit(radix);
        let digit = digit.ok_or_else(|| format!("digit '{}' in a constant of base {radix}", char::from(byte)))?;
        value = value
            .checked_mul(u64::from(radix))
            .and_then(|value| value.checked_add(u64::from(digit)))
            .ok_or("this integer constant needs more than 64 bits")?;
    }
    Ok(value)
}

/// `u`, `l`, `ll` and `i` in any order, each at most once.
fn int_suffix(text: &str) -> Option<IntSuffix> {
    let mut suffix = IntSuffix::default();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'u' | b'U' if !suffix.unsigned => suffix.unsigned = true,
            b'i' | b'j' | b'I' | b'J' if !suffix.imaginary => suffix.imaginary = true,
            b'l' | b'L' if suffix.size == IntSize::Int => {
                if tail.first() == Some(first) {
                    rest = &tail[1..];
                    suffix.size = IntSize::LongLong;
                } else {
                    suffix.size = IntSize::Long;
                }
            }
            _ => return None,
        }
    }
    Some(suffix)
}

fn float(text: &str, base: Base, from: usize) -> Result<Number<'_>, String> {
    let bytes = text.as_bytes();
    let hex = base == Base::Hex;
    let mut at = from;
    let (mut digits, mut dots) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'.' => dots += 1,
            _ if byte.is_ascii_digit() || hex && byte.is_ascii_hexdigit() => digits += 1,
            _ => break,
        }
        at += 1;
    }
    let marks: &[u8] = if hex { b"pP" } else { b"eE" };
    let mut has_exponent = false;
    if bytes.get(at).is_some_and(|byte| marks.contains(byte)) {
        has_exponent = true;
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        let len = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if len == 0 {
            return Err("an exponent without digits".into());
        }
        at += len;
    }
    if digits == 0 || dots > 1 || hex && !has_exponent {
        return Err(format!("'{text}' is not a number"));
    }
    let (suffix, imaginary) =
        float_suffix(&text[at..]).ok_or_else(|| format!("'{}' is not a suffix of a floating constant", &text[at..]))?;
    Ok(Number::Float { text: &text[..at], suffix, imaginary })
}

fn float_suffix(text: &str) -> Option<(FloatSuffix, bool)> {
    let is_imaginary = |c: char| matches!(c, 'i' | 'j' | 'I' | 'J');
    let bare = text.strip_suffix(is_imaginary).or_else(|| text.strip_prefix(is_imaginary));
    let suffix = match bare.unwrap_or(text) {
        "" => FloatSuffix::Double,
        "f" | "F" => FloatSuffix::Float,
        "l" | "L" | "w" | "W" => FloatSuffix::LongDouble,
        "q" | "Q" | "f128" | "F128" => FloatSuffix::Float128,
        "f16" | "F16" => FloatSuffix::Float16,
        "f32" | "F32" => FloatSuffix::Float32,
        "f64" | "F64" => FloatSuffix::Float64,
        "f32x" | "F32x" => FloatSuffix::Float32x,
        "f64x" | "F64x" => FloatSuffix::Float64x,
        _ => return None,
    };
    Some((suffix, bare.is_some()))
}

/// Encoding and content (between the quotes) of a string or character token.
pub(crate) fn split_quoted(text: &str) -> (Encoding, &str) {
    let (encoding, prefix) = match text.as_bytes() {
        [b'u', b'8', ..] => (Encoding::Utf8, 2),
        [b'u', ..] => (Encoding::Utf16, 1),
        [b'U', ..] => (Encoding::Utf32, 1),
        [b'L', ..] => (Encoding::Wide, 1),
        _ => (Encoding::Narrow, 0),
    };
    (encoding, text.get(prefix + 1..text.len() - 1).unwrap_or(""))
}

/// The value of a character constant.
pub(crate) fn character(text: &str) -> Result<(i64, Encoding), String> {
    let (encoding, content) = split_quoted(text);
    let mut bytes = Vec::new();
    decode(content, encoding, &mut bytes)?;
    let value = match (encoding, &bytes[..]) {
        (_, []) => return Err("an empty character constant".into()),
        (Encoding::Narrow | Encoding::Utf8, [byte]) => i64::from(*byte as i8),
        (Encoding::Narrow | Encoding::Utf8, many) => {
            i64::from(many.iter().fold(0u32, |value, &byte| value << 8 | u32::from(byte)) as i32)
        }
        (Encoding::Utf16, [low, high]) => i64::from(u16::from_le_bytes([*low, *high])),
        (Encoding::Utf32, &[a, b, c, d]) => i64::from(u32::from_le_bytes([a, b, c, d])),
        (Encoding::Wide, &[a, b, c, d]) => i64::from(i32::from_le_bytes([a, b, c, d])),
        (Encoding::Utf16 | Encoding::Utf32 | Encoding::Wide, _) => {
            return Err("a wide character constant must hold one character".into());
        }
    };
    Ok((value, encoding))
}

/// Appends the units of `content` to `out`, little endian.
pub(crate) fn decode(content: &str, encoding: Encoding, out: &mut Vec<u8>) -> Result<(), String> {
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        plain(&rest[..at], encoding, out)?;
        rest = escape(&rest[at + 1..], encoding, out)?;
    }
    plain(rest, encoding, out)
}

fn plain(text: &str, encoding: Encoding, out: &mut Vec<u8>) -> Result<(), String> {
    let is_narrow = matches!(encoding, Encoding::Narrow | Encoding::Utf8);
    if !is_narrow && text.chars().any(|c| base::raw_byte(c).is_some()) {
        return Err("a byte that is not UTF-8 in a wide literal".into());
    }
    match encoding {
        Encoding::Narrow | Encoding::Utf8 => base::raw_bytes(text, out),
        Encoding::Utf16 => text.encode_utf16().for_each(|unit| out.extend(unit.to_le_bytes())),
        Encoding::Utf32 | Encoding::Wide => text.chars().for_each(|c| out.extend((c as u32).to_le_bytes())),
    }
    Ok(())
}

/// One unit of exactly this value, cut to the width of the encoding.
fn unit(value: u32, encoding: Encoding, out: &mut Vec<u8>) {
    let bytes = value.to_le_bytes();
    out.extend_from_slice(match encoding {
        Encoding::Narrow | Encoding::Utf8 => &bytes[..1],
        Encoding::Utf16 => &bytes[..2],
        Encoding::Utf32 | Encoding::Wide => &bytes,
    });
}

/// Decodes the escape after a backslash; returns what follows it.
fn escape<'a>(text: &'a str, encoding: Encoding, out: &mut Vec<u8>) -> Result<&'a str, String> {
    let Some(first) = text.chars().next() else { return Err("a backslash at the end".into()) };
    let after = &text[first.len_utf8()..];
    let simple = match first {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        '\\' | '\'' | '"' | '?' => first as u32,
        '\n' => return Ok(after),
        '\r' => return Ok(after.strip_prefix('\n').unwrap_or(after)),
        '0'..='7' => return Ok(radix_escape(text, 8, 3, encoding, out)),
        'x' if after.starts_with(|c: char| c.is_ascii_hexdigit()) => {
            return Ok(radix_escape(after, 16, usize::MAX, encoding, out));
        }
        'x' => return Err("\\x without hexadecimal digits".into()),
        'u' => return universal(after, 4, encoding, out),
        'U' => return universal(after, 8, encoding, out),
        // As gcc: an unknown escape is the character itself.
        _ => {
            plain(&text[..first.len_utf8()], encoding, out)?;
            return Ok(after);
        }
    };
    unit(simple, encoding, out);
    Ok(after)
}

/// At most `max` digits as one unit; values that do not fit keep their low bits, as in gcc.
fn radix_escape<'a>(text: &'a str, radix: u32, max: usize, encoding: Encoding, out: &mut Vec<u8>) -> &'a str {
    let len = text.bytes().take(max).take_while(|&byte| char::from(byte).is_digit(radix)).count();
    let digits = text[..len].chars().filter_map(|c| c.to_digit(radix));
    unit(digits.fold(0u32, |value, digit| value.wrapping_mul(radix).wrapping_add(digit)), encoding, out);
    &text[len..]
}

fn universal<'a>(text: &'a str, len: usize, encoding: Encoding, out: &mut Vec<u8>) -> Result<&'a str, String> {
    let digits = text.get(..len).ok_or("a universal character name that is too short")?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| hex).and_then(char::from_u32);
    let c = value.ok_or_else(|| format!("'{digits}' is not a universal character"))?;
    plain(c.encode_utf8(&mut [0; 4]), encoding, out)?;
    Ok(&text[len..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(texts: &[&str], expected: Expect) {
        let lines: Vec<String> = texts
            .iter()
            .map(|text| match text.contains(['\'', '"']) {
                true => format!("{text} -> {:?}", character(text)),
                false => format!("{text} -> {:?}", number(text)),
            })
            .collect();
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn integers() {
        check(
            &["0", "42", "0x2aUL", "017ll", "0b101", "3i", "5LLu", "18446744073709551615", "0xE"],
            expect![[r#"
                0 -> Ok(Int { value: 0, base: Octal, suffix: IntSuffix { unsigned: false, size: Int, imaginary: false } })
                42 -> Ok(Int { value: 42, base: Decimal, suffix: IntSuffix { unsigned: false, size: Int, imaginary: false } })
                0x2aUL -> Ok(Int { value: 42, base: Hex, suffix: IntSuffix { unsigned: true, size: Long, imaginary: false } })
                017ll -> Ok(Int { value: 15, base: Octal, suffix: IntSuffix { unsigned: false, size: LongLong, imaginary: false } })
                0b101 -> Ok(Int { value: 5, base: Binary, suffix: IntSuffix { unsigned: false, size: Int, imaginary: false } })
                3i -> Ok(Int { value: 3, base: Decimal, suffix: IntSuffix { unsigned: false, size: Int, imaginary: true } })
                5LLu -> Ok(Int { value: 5, base: Decimal, suffix: IntSuffix { unsigned: true, size: LongLong, imaginary: false } })
                18446744073709551615 -> Ok(Int { value: 18446744073709551615, base: Decimal, suffix: IntSuffix { unsigned: false, size: Int, imaginary: false } })
                0xE -> Ok(Int { value: 14, base: Hex, suffix: IntSuffix { unsigned: false, size: Int, imaginary: false } })"#]],
        );
    }

    #[test]
    fn floats() {
        check(
            &["1.", ".5", "1e3", "1.5e-3f", "0x1.8p3", "0x.8p-3L", "1.0f128", "2.0Q", "3.0i", "1.fi", "09.5"],
            expect![[r#"
                1. -> Ok(Float { text: "1.", suffix: Double, imaginary: false })
                .5 -> Ok(Float { text: ".5", suffix: Double, imaginary: false })
                1e3 -> Ok(Float { text: "1e3", suffix: Double, imaginary: false })
                1.5e-3f -> Ok(Float { text: "1.5e-3", suffix: Float, imaginary: false })
                0x1.8p3 -> Ok(Float { text: "0x1.8p3", suffix: Double, imaginary: false })
                0x.8p-3L -> Ok(Float { text: "0x.8p-3", suffix: LongDouble, imaginary: false })
                1.0f128 -> Ok(Float { text: "1.0", suffix: Float128, imaginary: false })
                2.0Q -> Ok(Float { text: "2.0", suffix: Float128, imaginary: false })
                3.0i -> Ok(Float { text: "3.0", suffix: Double, imaginary: true })
                1.fi -> Ok(Float { text: "1.", suffix: Float, imaginary: true })
                09.5 -> Ok(Float { text: "09.5", suffix: Double, imaginary: false })"#]],
        );
    }

    #[test]
    fn bad_numbers() {
        check(
            &["0x", "08", "0b12", "1uu", "1lL", "18446744073709551616", "1e", "0x1.8", "1..2", "1.0x", "0xfghi"],
            expect![[r#"
                0x -> Err("an integer constant without digits")
                08 -> Err("digit '8' in a constant of base 8")
                0b12 -> Err("digit '2' in a constant of base 2")
                1uu -> Err("'uu' is not a suffix of an integer constant")
                1lL -> Err("'lL' is not a suffix of an integer constant")
                18446744073709551616 -> Err("this integer constant needs more than 64 bits")
                1e -> Err("an exponent without digits")
                0x1.8 -> Err("'0x1.8' is not a number")
                1..2 -> Err("'1..2' is not a number")
                1.0x -> Err("'x' is not a suffix of a floating constant")
                0xfghi -> Err("'ghi' is not a suffix of an integer constant")"#]],
        );
    }

    #[test]
    fn characters() {
        check(
            &[
                "'a'",
                r"'\n'",
                r"'\0'",
                r"'\377'",
                r"'\xff'",
                r"L'\xff'",
                "L'é'",
                "u'é'",
                "U'é'",
                "'ab'",
                "'é'",
                "''",
                "L'ab'",
                r"'\e'",
                r"'\q'",
                r"'\u00e9'",
                r"'\x'",
                r"L'\xffffffff'",
                r"U'\xffffffff'",
            ],
            expect![[r#"
                'a' -> Ok((97, Narrow))
                '\n' -> Ok((10, Narrow))
                '\0' -> Ok((0, Narrow))
                '\377' -> Ok((-1, Narrow))
                '\xff' -> Ok((-1, Narrow))
                L'\xff' -> Ok((255, Wide))
                L'é' -> Ok((233, Wide))
                u'é' -> Ok((233, Utf16))
                U'é' -> Ok((233, Utf32))
                'ab' -> Ok((24930, Narrow))
                'é' -> Ok((50089, Narrow))
                '' -> Err("an empty character constant")
                L'ab' -> Err("a wide character constant must hold one character")
                '\e' -> Ok((27, Narrow))
                '\q' -> Ok((113, Narrow))
                '\u00e9' -> Ok((50089, Narrow))
                '\x' -> Err("\\x without hexadecimal digits")
                L'\xffffffff' -> Ok((-1, Wide))
                U'\xffffffff' -> Ok((4294967295, Utf32))"#]],
        );
    }
}
