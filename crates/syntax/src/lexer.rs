//! Text to tokens, on demand: skips blanks, comments, line markers and pragmas, cuts the next token.

use crate::names::Names;
use crate::pragma::Pack;
use crate::token::{Tok, Token};
use base::{Diagnostic, Interner, Severity, Span, Symbol};

/// Errors after which the rest of a text is not looked at.
pub(crate) const MAX_ERRORS: usize = 100;

/// The reader of one text.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// Offset of the text in the program's source map.
    start: u32,
    at: usize,
    errors: usize,
    pub names: Names<'a>,
    pub pack: Pack,
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    /// Before the first token. The caller has checked that all offsets fit `u32`.
    pub fn new(text: &'a str, start: u32, interner: &'a mut Interner) -> Self {
        Self {
            text,
            start,
            // A byte order mark is not part of the program.
            at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 },
            errors: 0,
            names: Names::new(interner),
            pack: Pack::default(),
            diagnostics: Vec::new(),
        }
    }

    /// The bytes of a span.
    pub fn snippet(&self, span: Span) -> &'a str {
        &self.text[(span.start - self.start) as usize..(span.end - self.start) as usize]
    }

    /// Reports, unless there were too many already; the last error ends the text.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.errors >= MAX_ERRORS {
            return;
        }
        let span = diagnostic.span;
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        self.diagnostics.push(diagnostic);
        if self.errors >= MAX_ERRORS {
            self.diagnostics.push(Diagnostic::error(span, format!("{MAX_ERRORS} errors; the rest is skipped")));
            self.at = self.text.len();
        }
    }

    /// Whether there were too many errors to go on.
    pub fn is_exhausted(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    /// The next token; `Eof` again and again at the end.
    pub fn next(&mut self) -> Token {
        self.skip_blanks();
        let from = self.at;
        let Some(first) = self.byte(0) else {
            return self.token(Tok::Eof, from);
        };
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(),
            b'\\' if self.universal(self.at).is_some() => self.word(),
            b'"' => self.quoted(Tok::String, 0),
            b'\'' => self.quoted(Tok::Char, 0),
            _ => {
                let (kind, len) = punctuator(first, self.byte(1), self.byte(2));
                self.at += len;
                self.token(kind, from)
            }
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn span_from(&self, from: usize) -> Span {
        Span { start: self.start + from as u32, end: self.start + self.at as u32 }
    }

    fn token(&self, kind: Tok, from: usize) -> Token {
        Token { kind, symbol: Symbol(u32::MAX), span: self.span_from(from) }
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b'/') if self.byte(1) == Some(b'*') => self.skip_comment(),
                Some(b'/') if self.byte(1) == Some(b'/') => self.skip_line(),
                Some(b'\\') if self.splice(self.at).is_some() => self.at = self.splice(self.at).unwrap_or(self.at + 1),
                Some(b'#') if self.at_line_start() => self.directive(),
                _ => return,
            }
        }
    }

    /// If a backslash at `at` joins two lines: where the second begins.
    fn splice(&self, at: usize) -> Option<usize> {
        match self.text.as_bytes()[at + 1..] {
            [b'\n', ..] => Some(at + 2),
            [b'\r', b'\n', ..] => Some(at + 3),
            _ => None,
        }
    }

    fn skip_comment(&mut self) {
        let from = self.at;
        match self.text[from + 2..].find("*/") {
            Some(len) => self.at = from + 2 + len + 2,
            None => {
                self.at = self.text.len();
                let span = Span { start: self.span_from(from).start, end: self.span_from(from).start + 2 };
                self.report(Diagnostic::error(span, "this comment is not closed"));
            }
        }
    }

    /// To the end of the line. A backslash at its end joins no other line to it: the preprocessor did that, and in its
    /// output gcc does not do so again.
    fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        // gcc takes a carriage return for the end of a line, too.
        let len = rest.iter().position(|&byte| matches!(byte, b'\n' | b'\r'));
        self.at += len.unwrap_or(rest.len());
    }

    fn at_line_start(&self) -> bool {
        let before = &self.text.as_bytes()[..self.at];
        let blank = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(blank, None | Some(b'\n' | b'\r'))
    }

    /// `# 1 "file"`, `#line`, `#pragma`, `#ident`; any other directive should have been preprocessed away.
    fn directive(&mut self) {
        let from = self.at;
        self.skip_line();
        let line = self.text[from + 1..self.at].trim();
        let word = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        let span = self.span_from(from);
        if word == "pragma" {
            if let Some(what) = crate::pragma::not_modelled(&line[word.len()..]) {
                self.report(Diagnostic::error(span, format!("#pragma {what} is not supported")));
            }
            if let Err(problem) = self.pack.pragma(&line[word.len()..]) {
                self.report(Diagnostic::warning(span, format!("{problem}; it is ignored")));
            }
            return;
        }
        let harmless = line.is_empty() || word == "line" || word == "ident";
        if !harmless && !word.starts_with(|c: char| c.is_ascii_digit()) {
            self.report(Diagnostic::error(span, "a preprocessor directive in preprocessed text"));
        }
    }

    fn word(&mut self) -> Token {
        let from = self.at;
        let rest = &self.text.as_bytes()[from..];
        let len = rest.iter().position(|&byte| !WORD[byte as usize]).unwrap_or(rest.len());
        if len <= 2
            && let Some(quote @ (b'"' | b'\'')) = self.byte(len)
        {
            match (&rest[..len], quote) {
                (b"L" | b"u" | b"U", b'\'') => return self.quoted(Tok::Char, len),
                (b"L" | b"u" | b"U" | b"u8", b'"') => return self.quoted(Tok::String, len),
                _ => {}
            }
        }
        self.at += len;
        if self.universal(self.at).is_some() {
            return self.universal_word(from);
        }
        let (kind, symbol) = self.names.word(&self.text[from..from + len]);
        Token { kind, symbol, span: self.span_from(from) }
    }

    /// The character that a universal character name (`\u00e9`) at `at` means, and its length.
    fn universal(&self, at: usize) -> Option<(char, usize)> {
        let len = match self.text.as_bytes().get(at..)? {
            [b'\\', b'u', ..] => 6,
            [b'\\', b'U', ..] => 10,
            _ => return None,
        };
        let digits = self.text.get(at + 2..at + len)?;
        let value = digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok());
        let c = char::from_u32(value??)?;
        // Characters of C's own alphabet cannot be written so.
        (!c.is_ascii()).then_some((c, len))
    }

    /// The word from `from` on, of which some characters are universal character names: it is the same as the one with
    /// the characters themselves.
    fn universal_word(&mut self, from: usize) -> Token {
        let mut word = self.text[from..self.at].to_owned();
        loop {
            if let Some((c, len)) = self.universal(self.at) {
                word.push(c);
                self.at += len;
                continue;
            }
            let rest = &self.text[self.at..];
            let len = rest.bytes().position(|byte| !WORD[byte as usize]).unwrap_or(rest.len());
            if len == 0 {
                break;
            }
            word.push_str(&rest[..len]);
            self.at += len;
        }
        let (kind, symbol) = self.names.word(&word);
        Token { kind, symbol, span: self.span_from(from) }
    }

    /// A preprocessing number; the parser finds out whether it is a good one.
    fn number(&mut self) -> Token {
        let from = self.at;
        while let Some(byte) = self.byte(0) {
            let sign_follows = matches!(self.byte(1), Some(b'+' | b'-'));
            match byte {
                b'e' | b'E' | b'p' | b'P' if sign_follows => self.at += 2,
                b'.' => self.at += 1,
                _ if WORD[byte as usize] => self.at += 1,
                _ => break,
            }
        }
        self.token(Tok::Number, from)
    }

    /// A string or character constant with a prefix of `prefix` bytes.
    fn quoted(&mut self, kind: Tok, prefix: usize) -> Token {
        let from = self.at;
        let bytes = self.text.as_bytes();
        let quote = bytes[from + prefix];
        let mut at = from + prefix + 1;
        loop {
            match bytes.get(at) {
                Some(b'\\') => at = self.splice(at).unwrap_or(at + 2),
                Some(&byte) if byte == quote => break,
                None | Some(b'\n') => {
                    self.at = at.min(bytes.len());
                    let what = if kind == Tok::String { "string" } else { "character constant" };
                    self.report(Diagnostic::error(self.span_from(from), format!("this {what} is not closed")));
                    // Reported: the parser sees a literal without content.
                    let empty = Span { start: self.start + from as u32, end: self.start + from as u32 };
                    return Token { kind: Tok::Invalid, symbol: Symbol(u32::MAX), span: empty };
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.token(kind, from)
    }
}

/// Which bytes continue an identifier; all of UTF-8 beyond ASCII does.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let ascii = byte as u8;
        table[byte] = byte >= 128 || ascii.is_ascii_alphanumeric() || ascii == b'_' || ascii == b'$';
        byte += 1;
    }
    table
};

/// The longest punctuator, digraphs included, and its length.
fn punctuator(first: u8, second: Option<u8>, third: Option<u8>) -> (Tok, usize) {
    let (second, third) = (second.unwrap_or(0), third.unwrap_or(0));
    match (first, second, third) {
        (b'.', b'.', b'.') => (Tok::Ellipsis, 3),
        (b'<', b'<', b'=') => (Tok::ShlAssign, 3),
        (b'>', b'>', b'=') => (Tok::ShrAssign, 3),
        (b'-', b'>', _) => (Tok::Arrow, 2),
        (b'+', b'+', _) => (Tok::PlusPlus, 2),
        (b'-', b'-', _) => (Tok::MinusMinus, 2),
        (b'<', b'<', _) => (Tok::Shl, 2),
        (b'>', b'>', _) => (Tok::Shr, 2),
        (b'<', b'=', _) => (Tok::Le, 2),
        (b'>', b'=', _) => (Tok::Ge, 2),
        (b'=', b'=', _) => (Tok::EqEq, 2),
        (b'!', b'=', _) => (Tok::Ne, 2),
        (b'&', b'&', _) => (Tok::AmpAmp, 2),
        (b'|', b'|', _) => (Tok::PipePipe, 2),
        (b'*', b'=', _) => (Tok::StarAssign, 2),
        (b'/', b'=', _) => (Tok::SlashAssign, 2),
        (b'%', b'=', _) => (Tok::PercentAssign, 2),
        (b'+', b'=', _) => (Tok::PlusAssign, 2),
        (b'-', b'=', _) => (Tok::MinusAssign, 2),
        (b'&', b'=', _) => (Tok::AmpAssign, 2),
        (b'^', b'=', _) => (Tok::CaretAssign, 2),
        (b'|', b'=', _) => (Tok::PipeAssign, 2),
        (b'<', b':', _) => (Tok::LBracket, 2),
        (b':', b'>', _) => (Tok::RBracket, 2),
        (b'<', b'%', _) => (Tok::LBrace, 2),
        (b'%', b'>', _) => (Tok::RBrace, 2),
        _ => (single(first), 1),
    }
}

/// The punctuator of one byte.
fn single(byte: u8) -> Tok {
    match byte {
        b'(' => Tok::LParen,
        b')' => Tok::RParen,
        b'[' => Tok::LBracket,
        b']' => Tok::RBracket,
        b'{' => Tok::LBrace,
        b'}' => Tok::RBrace,
        b';' => Tok::Semi,
        b',' => Tok::Comma,
        b':' => Tok::Colon,
        b'?' => Tok::Question,
        b'.' => Tok::Dot,
        b'~' => Tok::Tilde,
        b'!' => Tok::Bang,
        b'*' => Tok::Star,
        b'/' => Tok::Slash,
        b'%' => Tok::Percent,
        b'+' => Tok::Plus,
        b'-' => Tok::Minus,
        b'<' => Tok::Lt,
        b'>' => Tok::Gt,
        b'&' => Tok::Amp,
        b'^' => Tok::Caret,
        b'|' => Tok::Pipe,
        b'=' => Tok::Assign,
        _ => Tok::Invalid,
    }
}
