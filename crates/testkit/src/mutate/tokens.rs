//! Mutation that respects tokens, brackets and statements.

use super::pieces::{EXPRESSIONS, FUNCTIONS, LITERALS, OPERATORS, PREFIXES, STATEMENTS, SUFFIXES, TYPES};
use super::{below, pick};
use semantics::random::Random;
use std::ops::Range;

/// What a token is good for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Keyword,
    Literal,
    Operator,
    /// Brackets, commas, semicolons, pieces put in before.
    Other,
}

#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "if", "else", "while", "do", "for", "switch", "case", "default", "break", "continue", "goto", "return", "sizeof",
    "struct", "union", "enum", "typedef", "extern", "static", "register", "inline", "const", "volatile", "restrict",
    "signed", "asm", "typeof", "_Atomic", "_Alignas", "_Alignof", "_Generic", "_Static_assert", "_Noreturn",
];

const TYPE_WORDS: &[&str] = &["int", "char", "long", "short", "unsigned", "float", "double", "void", "_Bool"];

/// A text in tokens. Directives are one token up to the end of their line.
struct Tokens(Vec<String>);

/// A new input made of one or two of `seeds`.
pub fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    let mut tokens = Tokens::read(&String::from_utf8_lossy(&seeds[below(random, seeds.len())]));
    for _ in 0..1 + below(random, 3) {
        if below(random, 8) == 0 {
            let other = Tokens::read(&String::from_utf8_lossy(&seeds[below(random, seeds.len())]));
            tokens.steal(random, &other);
        } else {
            tokens.change(random);
        }
    }
    tokens.0.join(" ")
}

fn kind(token: &str) -> Kind {
    match token.bytes().next().unwrap_or(b';') {
        _ if KEYWORDS.contains(&token) || TYPE_WORDS.contains(&token) => Kind::Keyword,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Kind::Name,
        b'0'..=b'9' | b'"' | b'\'' => Kind::Literal,
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b':' | b'#' | b'\\' | b'.' => Kind::Other,
        _ => Kind::Operator,
    }
}

impl Tokens {
    fn read(text: &str) -> Tokens {
        let mut found = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let length = token_length(rest);
            let token = &rest[..length];
            if token.starts_with('#') {
                found.push(format!("\n{token}\n"));
            } else if !token.starts_with("//") && !token.starts_with("/*") {
                found.push(token.to_owned());
            }
            rest = rest[length..].trim_start();
        }
        Tokens(found)
    }

    fn change(&mut self, random: &mut Random) {
        match below(random, 16) {
            0 | 1 => self.rename(random),
            2 => self.replace(random, Kind::Literal, LITERALS),
            3 => self.replace(random, Kind::Operator, OPERATORS),
            4 => self.replace_type(random),
            5 => self.insert_beside_a_name(random, PREFIXES, 0),
            6 => self.insert_beside_a_name(random, SUFFIXES, 1),
            7 => self.replace(random, Kind::Literal, EXPRESSIONS),
            8 => self.replace_operand(random),
            9 => {
                let at = self.boundary(random);
                self.0.insert(at, pick(random, STATEMENTS).to_owned());
            }
            10 => self.replace(random, Kind::Name, FUNCTIONS),
            11 => {
                let range = self.statement(random);
                self.0.drain(range);
            }
            12 => {
                let copy = self.0[self.statement(random)].to_vec();
                let at = self.boundary(random);
                self.0.splice(at..at, copy);
            }
            13 => {
                let copy = self.0[self.group(random)].to_vec();
                let range = self.group(random);
                self.0.splice(range, copy);
            }
            14 => self.nest(random),
            _ => {
                let at = below(random, self.0.len());
                if at < self.0.len() {
                    self.0.remove(at);
                }
            }
        }
    }

    /// Puts a statement of another text into this one.
    fn steal(&mut self, random: &mut Random, other: &Tokens) {
        let statement = other.0[other.statement(random)].to_vec();
        let at = self.boundary(random);
        self.0.splice(at..at, statement);
    }

    /// The position of some token of a kind.
    fn some(&self, random: &mut Random, wanted: impl Fn(&str) -> bool) -> Option<usize> {
        let start = below(random, self.0.len());
        let matches = |at: &usize| wanted(self.0[*at].trim_start());
        (start..self.0.len()).find(matches).or_else(|| (0..start).find(matches))
    }

    fn replace(&mut self, random: &mut Random, what: Kind, by: &[&str]) {
        if let Some(at) = self.some(random, |token| kind(token) == what) {
            self.0[at] = pick(random, by).to_owned();
        }
    }

    /// A name that stands where an operand does becomes an expression.
    fn replace_operand(&mut self, random: &mut Random) {
        let start = below(random, self.0.len());
        let is_operand = |at: &usize| {
            let before = self.0[*at - 1].as_str();
            let opens = matches!(before, "(" | "[" | "," | "return" | "=") || kind(before) == Kind::Operator;
            opens && before != "*" && kind(&self.0[*at]) == Kind::Name
        };
        if let Some(at) = (start.max(1)..self.0.len()).find(is_operand) {
            self.0[at] = pick(random, EXPRESSIONS).to_owned();
        }
    }

    /// A name becomes another name of the text.
    fn rename(&mut self, random: &mut Random) {
        let is_name = |token: &str| kind(token) == Kind::Name;
        if let (Some(at), Some(from)) = (self.some(random, is_name), self.some(random, is_name)) {
            self.0[at] = self.0[from].clone();
        }
    }

    fn replace_type(&mut self, random: &mut Random) {
        if let Some(at) = self.some(random, |token| TYPE_WORDS.contains(&token)) {
            self.0[at] = pick(random, TYPES).to_owned();
        }
    }

    fn insert_beside_a_name(&mut self, random: &mut Random, what: &[&str], offset: usize) {
        if let Some(at) = self.some(random, |token| kind(token) == Kind::Name) {
            self.0.insert(at + offset, pick(random, what).to_owned());
        }
    }

    /// Where a statement or declaration may begin, most often inside of braces.
    fn boundary(&self, random: &mut Random) -> usize {
        let (mut depth, mut inside, mut outside) = (0u32, Vec::new(), vec![0]);
        for (at, token) in self.0.iter().enumerate() {
            match token.as_str() {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                ";" => {}
                _ => continue,
            }
            if depth == 0 { outside.push(at + 1) } else { inside.push(at + 1) }
        }
        let places = if inside.is_empty() || below(random, 6) == 0 { outside } else { inside };
        pick(random, &places)
    }

    /// From one boundary to the next of the same depth.
    fn statement(&self, random: &mut Random) -> Range<usize> {
        let start = self.boundary(random);
        let mut depth = 0;
        for at in start..self.0.len() {
            match self.0[at].as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return start..at;
            }
            if depth == 0 && matches!(self.0[at].as_str(), ";" | "}") {
                return start..at + 1;
            }
        }
        start..self.0.len()
    }

    /// What is between two brackets, themselves included.
    fn group(&self, random: &mut Random) -> Range<usize> {
        let Some(start) = self.some(random, |token| matches!(token, "(" | "[" | "{")) else { return 0..0 };
        let mut depth = 0;
        for at in start..self.0.len() {
            match self.0[at].as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return start..at + 1;
            }
        }
        start..start
    }

    /// Wraps an operand, a group or a statement many times.
    fn nest(&mut self, random: &mut Random) {
        const AROUND: &[(&str, &str)] = &[
            ("(", ")"),
            ("- (", ")"),
            ("(1 +", ")"),
            ("({", "; })"),
            ("(x ?", ": 1)"),
            ("(1 ||", ")"),
            ("*&(", ")"),
            ("(int)", ""),
            ("!", ""),
            ("sizeof(", ")"),
        ];
        const AROUND_STATEMENTS: &[(&str, &str)] =
            &[("{", "}"), ("if (1)", ""), ("while (0)", ""), ("do", "while (0);"), ("for (;;)", ""), ("l:", "")];
        let times = if below(random, 8) == 0 { 1 + below(random, 800) } else { 1 + below(random, 4) };
        let (range, around) = if below(random, 2) == 0 {
            let Some(at) = self.some(random, |token| matches!(kind(token), Kind::Name | Kind::Literal)) else { return };
            (at..at + 1, pick(random, AROUND))
        } else {
            (self.statement(random), pick(random, AROUND_STATEMENTS))
        };
        self.0.insert(range.end, around.1.repeat(times));
        self.0.insert(range.start, (around.0.to_owned() + " ").repeat(times));
    }
}

/// The bytes of the first token of `text`, which starts with no blank.
fn token_length(text: &str) -> usize {
    const LONG: &[&str] = &[
        "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
        "%=", "&=", "|=", "^=", "##", "?:",
    ];
    let up_to = |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    let bytes = text.as_bytes();
    match bytes[0] {
        b'#' => text.find('\n').unwrap_or(text.len()),
        b'/' if text.starts_with("//") => text.find('\n').unwrap_or(text.len()),
        b'/' if text.starts_with("/*") => up_to("*/", 2),
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                at += 1 + usize::from(bytes[at] == b'\\');
            }
            ceil(text, at + 1)
        }
        b'0'..=b'9' => text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(text.len()),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
            text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
        }
        _ => {
            let long = LONG.iter().find(|long| text.starts_with(**long)).map(|long| long.len());
            long.unwrap_or_else(|| text.chars().next().map_or(1, char::len_utf8))
        }
    }
}

fn ceil(text: &str, mut at: usize) -> usize {
    while at < text.len() && !text.is_char_boundary(at) {
        at += 1;
    }
    at.min(text.len())
}
