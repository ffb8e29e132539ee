//! The words of a C text: what is left of it without comments, layout and line markers. Texts with the same words have
//! the same tokens in the same order, so they are the same program.

/// Gives the words piece by piece. Blanks, comments and line markers between tokens become one blank; other directives,
/// which end with their lines, are pieces of their own.
pub fn words(text: &str, give: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut behind_blank = false;
    let mut piece = |piece: &str| {
        let is_blank = piece == " ";
        if !(piece.is_empty() || is_blank && behind_blank) {
            give(piece);
            behind_blank = is_blank;
        }
    };
    let (mut at, mut starts_line, mut kept) = (0, true, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'#' | b'%' if starts_line && is_directive(bytes, at) => {
                piece(&text[kept..at]);
                let end = line_end(bytes, at);
                if !is_line_marker(&text[at..end]) {
                    piece(&text[at..end]);
                }
                (at, kept) = (end, end);
            }
            byte if byte.is_ascii_whitespace() || is_comment(bytes, at) => {
                piece(&text[kept..at]);
                let end = blank_end(bytes, at);
                starts_line |= bytes[at..end].contains(&b'\n');
                piece(" ");
                (at, kept) = (end, end);
            }
            quote @ (b'"' | b'\'') => {
                at = quote_end(bytes, at + 1, quote);
                starts_line = false;
            }
            _ => {
                at += 1;
                starts_line = false;
            }
        }
    }
    piece(&text[kept..]);
}

/// `#`, or `%:`, which means the same.
fn is_directive(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'#' || bytes.get(at + 1) == Some(&b':')
}

fn is_comment(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at..at + 2), Some(b"//" | b"/*"))
}

/// The end of blanks and comments; a comment that is never closed ends with the text.
fn blank_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at..bytes.len().min(at + 2)) {
            Some(b"//") => at = line_end(bytes, at),
            Some(b"/*") => {
                let close = bytes[at + 2..].windows(2).position(|pair| pair == b"*/");
                at = close.map_or(bytes.len(), |close| at + 2 + close + 2);
            }
            Some([byte, ..]) if byte.is_ascii_whitespace() => at += 1,
            Some(_) | None => return at,
        }
    }
}

/// The end of the line, which a backslash before the line feed does not end.
fn line_end(bytes: &[u8], from: usize) -> usize {
    let ends = |at: &usize| bytes[*at] == b'\n' && bytes[*at - 1] != b'\\';
    (from + 1..bytes.len()).find(ends).unwrap_or(bytes.len())
}

/// After the closing quote, or at the end of the line for one that is never closed.
fn quote_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// `# 12 "file.c"` or `#line 12`.
fn is_line_marker(directive: &str) -> bool {
    let rest = directive[1..].trim_start();
    let rest = rest.strip_prefix("line").map_or(rest, str::trim_start);
    rest.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    fn check(text: &str, expected: &str) {
        let mut pieces = Vec::new();
        super::words(text, &mut |piece| pieces.push(piece.to_owned()));
        assert_eq!(pieces.join("|"), expected, "{text}");
    }

    #[test]
    fn blanks_and_comments_are_one_blank() {
        check("int x ;", "int| |x| |;");
        check("int /* a\n b */ x\n// c\n ;", "int| |x| |;");
        check("a/**/b", "a| |b");
        check("a / b", "a| |/| |b");
        check("a /* never closed", "a| ");
        check("a // c \\\n still\nb", "a| |b");
    }

    #[test]
    fn quotes_are_kept() {
        check("\"/* no  comment */\"", "\"/* no  comment */\"");
        check("'\"' /* c */ '\\''", "'\"'| |'\\''");
        check("\"a\\\"//\" x", "\"a\\\"//\"| |x");
    }

    #[test]
    fn directives_end_with_their_lines() {
        check("#pragma pack(1)\nint x;", "#pragma pack(1)| |int| |x;");
        check("int #pragma pack(1)\n x", "int| |#pragma| |pack(1)| |x");
        check("# 3 \"a.c\" 1\n#line 4\nint x;", " |int| |x;");
        check("/* c */ #pragma once\nx", " |#pragma once| |x");
    }
}
