//! Places of the answer (lines and columns in bytes, from 1) as places of the protocol (from 0, in the client's units).

use lsp_types::{Position, Range};

/// What the client counts columns in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Utf8,
    Utf16,
}

/// The rest of the word that starts at a place, or an empty range where the text has no such place.
pub fn word_at(text: &str, line: u32, column: u32, encoding: Encoding) -> Range {
    let number = line.saturating_sub(1);
    let content = text.lines().nth(number as usize).unwrap_or("");
    let start = floor(content, column.saturating_sub(1) as usize);
    let rest = &content[start..];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let end = start + if length == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { length };
    let at = |byte: usize| Position::new(number, units(&content[..byte], encoding));
    Range::new(at(start), at(end))
}

/// Where a line ends.
pub fn end_of_line(text: &str, line: u32, encoding: Encoding) -> Position {
    let number = line.saturating_sub(1);
    let content = text.lines().nth(number as usize).unwrap_or("");
    Position::new(number, units(content, encoding))
}

/// The start of the character that a byte belongs to.
fn floor(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

fn units(text: &str, encoding: Encoding) -> u32 {
    let count = match encoding {
        Encoding::Utf8 => text.len(),
        Encoding::Utf16 => text.encode_utf16().count(),
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, place: (u32, u32), encoding: Encoding, expected: (u32, u32, u32)) {
        let Range { start, end } = word_at(text, place.0, place.1, encoding);
        assert_eq!((start.line, start.character, end.character), expected);
        assert_eq!(start.line, end.line);
    }

    #[test]
    fn columns_are_in_the_units_of_the_client() {
        let text = "int a;\n/* \u{e4}\u{1f600} */ reach_error();";
        check(text, (1, 5), Encoding::Utf8, (0, 4, 5));
        check(text, (2, 14), Encoding::Utf8, (1, 13, 24));
        check(text, (2, 14), Encoding::Utf16, (1, 10, 21));
    }

    #[test]
    fn places_outside_the_text_are_empty() {
        check("x", (1, 9), Encoding::Utf16, (0, 1, 1));
        check("x", (7, 1), Encoding::Utf16, (6, 0, 0));
        check("\u{e4}", (1, 2), Encoding::Utf8, (0, 0, 2));
    }
}
