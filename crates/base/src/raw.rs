//! Bytes that are not UTF-8, as characters: C allows them in strings, where they count, and in comments. Each is a
//! character of a private range of its own, so that a text is a `String` and still all bytes come back.

use std::ops::RangeInclusive;

/// The character of byte 0x80 is the first one, that of 0xFF the last.
const RANGE: RangeInclusive<u32> = 0xEF80..=0xEFFF;
/// What is added to a byte above 127.
const OFFSET: u32 = 0xEF00;

/// The text of these bytes; [`raw_bytes`] gives them back.
pub fn raw_text(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if !text.chars().any(is_raw) => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_raw(c) {
                // A character of the private range itself must not be taken for a byte.
                push_raw(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                text.push(c);
            }
        }
        push_raw(&mut text, chunk.invalid());
    }
    text
}

/// The bytes that a piece of a text stands for.
pub fn raw_bytes(text: &str, out: &mut Vec<u8>) {
    for c in text.chars() {
        match raw_byte(c) {
            Some(byte) => out.push(byte),
            None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// The byte that a character stands for, if it is not UTF-8.
pub fn raw_byte(c: char) -> Option<u8> {
    is_raw(c).then_some(c as u8)
}

fn is_raw(c: char) -> bool {
    RANGE.contains(&u32::from(c))
}

fn push_raw(text: &mut String, bytes: &[u8]) {
    for &byte in bytes {
        debug_assert!(byte >= 0x80, "ASCII is UTF-8");
        text.extend(char::from_u32(OFFSET + u32::from(byte)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        let text = raw_text(bytes.to_vec());
        assert_eq!(text, expected, "{bytes:?}");
        let mut again = Vec::new();
        raw_bytes(&text, &mut again);
        assert_eq!(again, bytes);
    }

    #[test]
    fn all_bytes_come_back() {
        check(b"plain", "plain");
        check("é€".as_bytes(), "é€");
        check(b"a\xffb\x80", "a\u{efff}b\u{ef80}");
        check(b"\xc3\x28", "\u{efc3}(");
        check("\u{ef80}".as_bytes(), "\u{efee}\u{efbe}\u{ef80}");
        check(b"\xe2\x82", "\u{efe2}\u{ef82}");
    }
}
