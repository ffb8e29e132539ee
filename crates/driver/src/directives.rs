//! Whether a C text means the same before and after the preprocessor, so that it can do without. Whatever could be a
//! directive, a predefined macro or a line joined to another one says no: then gcc decides.

/// Words that gcc replaces although they are not written `__LIKE_THIS__`.
const PREDEFINED: &[&str] = &[
    "unix",
    "linux",
    "i386",
    "__unix",
    "__unix__",
    "__linux",
    "__linux__",
    "__gnu_linux__",
    "__x86_64",
    "__x86_64__",
    "__amd64",
    "__amd64__",
    "__i386",
    "__i386__",
    "__i686",
    "__i686__",
    "__pentiumpro",
    "__pentiumpro__",
    "__k8",
    "__k8__",
    "__code_model_small__",
    "__code_model_32__",
    "__pic__",
    "__pie__",
    "__aarch64__",
    "__arm__",
    "__riscv",
    "_LP64",
    "_ILP32",
    "_STDC_PREDEF_H",
    "_Pragma",
];

/// Beginnings of the predefined names that do not end with underscores (`__INT64_C`, `__ATOMIC_SEQ_CST`).
const BEGINNINGS: &[&str] =
    &["__ATOMIC_", "__GCC_", "__GNUC", "__GXX_", "__SEG_", "__HAVE_", "__PRAGMA_", "__INT", "__UINT", "__has_"];

/// Words that look like macros and are not.
const NO_MACROS: &[&str] = &["__FUNCTION__", "__PRETTY_FUNCTION__"];

/// Whether the text must go through the preprocessor.
pub(crate) fn needs_preprocessor(text: &str) -> bool {
    joins_lines(text.as_bytes()) || Scanner { bytes: text.as_bytes(), at: 0, line_start: true }.finds_work()
}

/// Whether some line ends with a backslash, perhaps with blanks after it, or with a carriage return alone.
fn joins_lines(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().any(|(at, &byte)| match byte {
        b'\\' => {
            let behind = bytes[at + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | 0x0b | 0x0c));
            matches!(behind, Some(b'\n' | b'\r'))
        }
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    })
}

/// Walks over a text without joined lines, token by token.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether only blanks stand before `at` in its line.
    line_start: bool,
}

impl<'a> Scanner<'a> {
    fn finds_work(mut self) -> bool {
        while let Some(&byte) = self.bytes.get(self.at) {
            let pair = &self.bytes[self.at..self.bytes.len().min(self.at + 2)];
            let line_start = std::mem::take(&mut self.line_start);
            match byte {
                b'\n' => self.line_start = true,
                b' ' | b'\t' => self.line_start = line_start,
                b'#' if line_start && self.is_read_by_parser() => {
                    self.skip_to(b"\n");
                    continue;
                }
                b'#' => return true,
                _ if pair == b"%:" => return true,
                _ if pair == b"//" => {
                    self.skip_to(b"\n");
                    continue;
                }
                _ if pair == b"/*" => {
                    self.at += 2;
                    self.skip_to(b"*/");
                    self.at += 2;
                    continue;
                }
                b'"' | b'\'' => self.skip_quoted(byte),
                b'0'..=b'9' => {
                    self.word();
                    continue;
                }
                _ if is_word(byte) => {
                    if is_macro(self.word()) {
                        return true;
                    }
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        false
    }

    /// Whether the directive here is a line marker, `#line`, `#ident`, `#pragma` or nothing at all.
    fn is_read_by_parser(&self) -> bool {
        let line = self.bytes[self.at + 1..].split(|&byte| byte == b'\n').next().unwrap_or(b"");
        let line = line.trim_ascii();
        let word = line.split(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or(b"");
        // A comment may begin here and end in another line.
        let plain = !line.windows(2).any(|pair| pair == b"/*");
        plain && (line.is_empty() || matches!(word, b"line" | b"pragma" | b"ident") || line[0].is_ascii_digit())
    }

    fn skip_to(&mut self, end: &[u8]) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let len = rest.windows(end.len()).position(|window| window == end);
        self.at = self.at.min(self.bytes.len()) + len.unwrap_or(rest.len());
    }

    /// To the closing quote, or to the end of the line that lacks it.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'\n' => {
                    self.at -= 1;
                    return;
                }
                _ if byte == quote => return,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn word(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let len = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

fn is_macro(word: &[u8]) -> bool {
    let Ok(word) = std::str::from_utf8(word) else { return false };
    if PREDEFINED.contains(&word) {
        return true;
    }
    let Some(rest) = word.strip_prefix("__") else { return false };
    let shouts = !rest.bytes().any(|byte| byte.is_ascii_lowercase());
    shouts && rest.ends_with("__") && rest.len() > 2 && !NO_MACROS.contains(&word)
        || BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: bool) {
        assert_eq!(needs_preprocessor(text), expected, "{text}");
    }

    #[test]
    fn what_gcc_must_preprocess() {
        check("#include <assert.h>\nint x;", true);
        check("int x;\n  # define A 1\n", true);
        check("#if 0\n#endif", true);
        check("/* c */\n#undef A", true);
        check("/* c */ #define A 1", true);
        check("%:define A 1\n", true);
        check("int x; // \\\nx", true);
        check("int x; // \\ \t\nx", true);
        check("int x; // c\ry", true);
        check("int a[__CHAR_BIT__];", true);
        check("long x = (__UINTPTR_TYPE__)(p);", true);
        check("__INT64_C(3)", true);
        check("int x = linux;", true);
        check("int x = __LINE__;", true);
        check("_Pragma(\"pack(1)\") struct s { char c; int i; };", true);
        check("# 1 \"a.c\" /*\n#if */", true);
    }

    #[test]
    fn what_the_parser_reads_itself() {
        check("int main(void) { return 0; }", false);
        check("# 1 \"a.c\"\n#line 3 \"b.c\"\nint x;\n#pragma pack(1)\n#\n", false);
        check("/*\n#include <x.h>\n*/ int x;", false);
        check("char *s = \"/*\";\n// /*\n", false);
        check("char c = '\"'; /* \n#if\n */", false);
        check("char *s = \"__LINE__ # \\\" \\n\"; // __FILE__\n", false);
        check("extern int __VERIFIER_nondet_int(void) __attribute__((__noreturn__)); __FUNCTION__; __func__;", false);
        check("int x = 1; \r\nint y;\r\n", false);
    }
}
