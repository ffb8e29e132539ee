//! The characters of the notation as words, names, numbers and symbols. Nothing is looked at twice but what a choice
//! needs, and nothing panics, whatever the text is.

use super::names::is_inner;
use crate::scalar::{FloatKind, Scalar};
use std::fmt;

/// Where a text in the notation is wrong, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What was expected, or what does not fit.
    pub message: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Wrong {}

/// What reading gives.
pub(super) type Reads<T> = Result<T, Wrong>;

/// A name, and which of several equal ones.
pub(super) type Key = (String, u32);

/// Symbols of more than one character, longest first.
const LONG: [&str; 11] = ["...", "->", ":=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"];
/// How deep expressions and types may be.
const MOST_DEPTH: u32 = 400;

/// A text and a position in it.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Lexer<'t> {
        let mut lexer = Lexer { text, at: 0, depth: 0 };
        lexer.skip_space();
        lexer
    }

    /// Where the next token begins.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes on at a position that [`Lexer::at`] gave.
    pub fn jump(&mut self, at: usize) {
        self.at = at;
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.at += bytes;
        self.skip_space();
    }

    pub fn is_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// An error here: what was expected.
    pub fn wrong(&self, expected: &str) -> Wrong {
        let found: String = self.rest().chars().take_while(|c| !c.is_whitespace()).take(20).collect();
        let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        self.error(self.at, format!("expected {expected}, found {found}"))
    }

    /// An error at an earlier position: what was expected there.
    pub fn wrong_at(&self, at: usize, expected: &str) -> Wrong {
        self.error(at, format!("expected {expected}"))
    }

    /// An error with its own words.
    pub fn error(&self, at: usize, message: String) -> Wrong {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        Wrong { line, column, message }
    }

    pub fn deeper(&mut self) -> Reads<()> {
        self.depth += 1;
        if self.depth > MOST_DEPTH { Err(self.wrong("less depth")) } else { Ok(()) }
    }

    pub fn shallower(&mut self) {
        assert!(self.depth > 0, "what is left was entered");
        self.depth -= 1;
    }

    /// The symbol that comes next: the longest one.
    pub fn symbol(&self) -> &'t str {
        let rest = self.rest();
        let long = LONG.iter().find(|symbol| rest.starts_with(**symbol)).map(|symbol| symbol.len());
        let single = rest.chars().next().filter(|c| !is_inner(*c)).map_or(0, char::len_utf8);
        &rest[..long.unwrap_or(single)]
    }

    pub fn takes(&mut self, symbol: &str) -> bool {
        let found = self.symbol() == symbol;
        if found {
            self.advance(symbol.len());
        }
        found
    }

    pub fn expect(&mut self, symbol: &str) -> Reads<()> {
        if self.takes(symbol) { Ok(()) } else { Err(self.wrong(&format!("`{symbol}`"))) }
    }

    /// A comma, or nothing before the closing symbol.
    pub fn separator(&mut self, closing: &str) -> Reads<()> {
        if self.symbol() == closing || self.takes(",") {
            Ok(())
        } else {
            Err(self.wrong(&format!("`,` or `{closing}`")))
        }
    }

    /// The word that comes next.
    pub fn peek_word(&self) -> Option<&'t str> {
        let rest = self.rest();
        let end = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
        Some(&rest[..end]).filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
    }

    pub fn word(&mut self) -> Reads<String> {
        let word = self.peek_word().filter(|word| !word.is_empty()).ok_or_else(|| self.wrong("a word"))?;
        self.advance(word.len());
        Ok(word.to_owned())
    }

    pub fn takes_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        if found {
            self.advance(word.len());
        }
        found
    }

    /// A name without a number: a word, or anything between backquotes.
    pub fn name(&mut self) -> Reads<String> {
        if self.rest().starts_with('`') { self.quoted('`') } else { self.word() }
    }

    /// A name if there is one.
    pub fn takes_name(&mut self) -> Reads<Option<String>> {
        let found = self.rest().starts_with('`') || self.peek_word().is_some_and(|word| !word.is_empty());
        if found { self.name().map(Some) } else { Ok(None) }
    }

    /// A name, and which of several equal ones: `x`, `x'2`.
    pub fn key(&mut self) -> Reads<Key> {
        let name = self.name()?;
        let number = if self.takes("'") { self.small()? } else { 1 };
        Ok((name, number))
    }

    /// Whether a name and a colon come next.
    pub fn name_and_colon(&mut self) -> bool {
        let at = self.at;
        let found = self.name().is_ok() && self.symbol() == ":";
        self.at = at;
        found
    }

    /// A text between quotes.
    pub fn quoted(&mut self, quote: char) -> Reads<String> {
        let start = self.at;
        let mut out = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        if !self.rest().starts_with(quote) {
            return Err(self.wrong("a text between quotes"));
        }
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, c)) => out.push(c),
                    None => break,
                },
                c if c == quote => {
                    self.advance(at + c.len_utf8());
                    return Ok(out);
                }
                c => out.push(c),
            }
        }
        Err(self.wrong_at(start, "a closing quote"))
    }

    fn digits(&self, radix: u32) -> &'t str {
        let rest = self.rest();
        &rest[..rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len())]
    }

    /// A number without sign.
    pub fn number<T: std::str::FromStr>(&mut self) -> Reads<T> {
        let digits = self.digits(10);
        let number = digits.parse().map_err(|_| self.wrong("a number"))?;
        self.advance(digits.len());
        Ok(number)
    }

    pub fn small(&mut self) -> Reads<u32> {
        self.number()
    }

    /// The number of a node: `n12`.
    pub fn node(&mut self) -> Reads<u32> {
        let word = self.peek_word().unwrap_or("");
        let number = word.strip_prefix('n').and_then(|digits| digits.parse().ok());
        let number = number.ok_or_else(|| self.wrong("a node"))?;
        self.advance(word.len());
        Ok(number)
    }

    pub fn is_node(&self) -> bool {
        let digits = self.peek_word().and_then(|word| word.strip_prefix('n'));
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    }

    /// A type of values, if one comes next.
    pub fn takes_scalar(&mut self) -> Option<Scalar> {
        let word = self.peek_word()?;
        let scalar = scalar(word)?;
        self.advance(word.len());
        Some(scalar)
    }

    /// Whether a constant comes next.
    pub fn starts_literal(&self) -> bool {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        digits.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with('#')
    }

    /// Passes over whatever comes next.
    pub fn skip_token(&mut self) -> Reads<()> {
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|c| ['`', '"'].contains(c)) {
            return self.quoted(quote).map(|_| ());
        }
        let inner = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
        self.advance(inner.max(self.symbol().len()));
        Ok(())
    }

    /// A constant's digits with its type: `-5:i64`, `1.5:f64`, `#7ff8:f64`; the type only where it is given.
    pub fn literal(&mut self) -> Reads<(Literal, Option<Scalar>)> {
        let negative = self.rest().starts_with('-');
        self.at += usize::from(negative);
        let literal = if self.rest().starts_with('#') {
            self.at += 1;
            let digits = self.digits(16);
            let bits = u128::from_str_radix(digits, 16).map_err(|_| self.wrong("hexadecimal digits"))?;
            self.at += digits.len();
            Literal::Bits(bits)
        } else {
            let whole = self.digits(10);
            let is_float = self.rest()[whole.len()..].starts_with(['.', 'e']);
            if is_float { self.float(negative)? } else { self.whole(negative)? }
        };
        let mut ty = None;
        if let Some(after) = self.rest().strip_prefix(':')
            && after.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            self.at += 1;
            let word = self.peek_word().unwrap_or("");
            ty = Some(scalar(word).ok_or_else(|| self.wrong("a type of values"))?);
            self.at += word.len();
        }
        self.skip_space();
        Ok((literal, ty))
    }

    fn whole(&mut self, negative: bool) -> Reads<Literal> {
        let digits = self.digits(10);
        let value: u128 = digits.parse().map_err(|_| self.wrong("a number"))?;
        self.at += digits.len();
        Ok(Literal::Whole { negative, value })
    }

    fn float(&mut self, negative: bool) -> Reads<Literal> {
        let rest = self.rest();
        let mut end = 0;
        for (at, c) in rest.char_indices() {
            let sign = c == '-' && rest[..at].ends_with('e');
            if !(c.is_ascii_digit() || c == '.' || c == 'e' || sign) {
                break;
            }
            end = at + c.len_utf8();
        }
        let value: f64 = rest[..end].parse().map_err(|_| self.wrong("a number"))?;
        self.at += end;
        Ok(Literal::Float(if negative { -value } else { value }))
    }
}

/// A constant before its type is known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Literal {
    Whole { negative: bool, value: u128 },
    Float(f64),
    Bits(u128),
}

fn scalar(word: &str) -> Option<Scalar> {
    let int = |digits: &str, signed| {
        let bits: u32 = digits.parse().ok()?;
        (bits.is_multiple_of(8) && (8..=128).contains(&bits)).then(|| Scalar::int(bits, signed))
    };
    match word {
        "bool" => Some(Scalar::Bool),
        "ptr" => Some(Scalar::Ptr),
        "f16" => Some(Scalar::Float(FloatKind::F16)),
        "f32" => Some(Scalar::Float(FloatKind::F32)),
        "f64" => Some(Scalar::Float(FloatKind::F64)),
        "f80" => Some(Scalar::Float(FloatKind::X87)),
        "f128" => Some(Scalar::Float(FloatKind::F128)),
        _ => match word.split_at_checked(1)? {
            ("i", digits) => int(digits, true),
            ("u", digits) => int(digits, false),
            _ => None,
        },
    }
}
