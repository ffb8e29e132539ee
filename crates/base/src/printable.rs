//! Text of others made fit for a terminal: names, source lines and messages may hold anything, and must neither move the
//! cursor nor begin a line of their own.

use std::borrow::Cow;

/// The text on one line, without anything that a terminal obeys: line breaks, control characters and marks that turn the
/// direction of writing are shown as escapes. Tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_obeyed(c) && c != '\t')
}

/// The same for text of several lines, which keep their breaks.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_obeyed(c) && c != '\t' && c != '\n')
}

/// Whether terminals, or those who read them, take the character for something else than itself.
pub fn is_obeyed(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks = matches!(c, '\u{2028}' | '\u{2029}');
    // Two more that XML cannot hold.
    c.is_control() || turns || breaks || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Text for HTML and XML, between tags or in double quotes. XML has no place at all for most control characters.
pub fn markup(text: &str) -> String {
    let text = printable_lines(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn escape(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            _ if !is_bad(c) => out.push(c),
            '\n' | '\r' | '\t' => out.extend(c.escape_default()),
            _ if (c as u32) < 0x100 => out.push_str(&format!("\\x{:02x}", c as u32)),
            _ => out.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(printable(text), expected);
    }

    #[test]
    fn what_terminals_obey_is_shown() {
        check("a\nVerdict: TRUE", "a\\nVerdict: TRUE");
        check("\x1b[31m\r\x07\u{9b}2J", "\\x1b[31m\\r\\x07\\x9b2J");
        check("int x; /* \u{202e} */", "int x; /* \\u{202e} */");
        check("a\u{2028}b\0", "a\\u{2028}b\\x00");
    }

    #[test]
    fn other_text_stays() {
        check("\tint ä = '\\n'; // 漢字 🦀", "\tint ä = '\\n'; // 漢字 🦀");
        assert_eq!(markup("<a href=\"&\x1b\">"), "&lt;a href=&quot;&amp;\\x1b&quot;&gt;");
        assert_eq!(printable_lines("a\n\x1bb\n"), "a\n\\x1bb\n");
    }
}
