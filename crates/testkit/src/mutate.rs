//! Deterministic mutation of C programs. Half of the inputs change bytes and mostly test the parser; the other half
//! change whole tokens, groups and statements, so that most of them still parse and test what comes after it.

mod pieces;
mod tokens;

pub use pieces::SNIPPETS;
use pieces::TOKENS;
use semantics::random::Random;

/// Between the texts of two units of one program.
pub const NEXT_UNIT: &str = "//~ next unit\n";

/// Less than `bound`; 0 if that is 0.
fn below(random: &mut Random, bound: usize) -> usize {
    if bound == 0 { 0 } else { random.below(bound as u64) as usize }
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[below(random, from.len())]
}

/// A new input made of some of `seeds`.
pub fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    let mut text = mutate_one(random, seeds);
    if below(random, 16) == 0 {
        text = text + "\n" + NEXT_UNIT + &mutate_one(random, seeds);
    }
    text
}

fn mutate_one(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    match below(random, 6) {
        0 => mutate_bytes(random, seeds),
        _ => tokens::mutate(random, seeds),
    }
}

/// A text of any language, from `seeds` of that language: bytes change as those of programs do, and words, lines and
/// what lies between them are repeated, dropped, exchanged for those of other seeds and for what readers stumble over.
pub fn mutate_text(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    if below(random, 4) == 0 {
        return mutate_bytes(random, seeds);
    }
    let mut pieces = split(&seeds[below(random, seeds.len())]);
    for _ in 0..1 + below(random, 8) {
        let at = below(random, pieces.len() + 1);
        let other = split(&seeds[below(random, seeds.len())]);
        match below(random, 7) {
            0 if at < pieces.len() => drop(pieces.remove(at)),
            1 if at < pieces.len() => {
                // A few inputs repeat often.
                let times = if below(random, 40) == 0 { 1 + below(random, 5000) } else { 1 };
                let piece = pieces[at].clone();
                pieces.splice(at..at, std::iter::repeat_n(piece, times));
            }
            2 if at < pieces.len() => pieces[at] = pick(random, ODD_WORDS).as_bytes().to_vec(),
            3 => pieces.insert(at, pick(random, ODD_WORDS).as_bytes().to_vec()),
            4 if at < pieces.len() && !other.is_empty() => pieces[at] = other[below(random, other.len())].clone(),
            5 => {
                pieces.truncate(at);
                pieces.extend_from_slice(&other[below(random, other.len() + 1)..]);
            }
            _ => {
                let to = (at + below(random, 12)).min(pieces.len());
                let part = pieces[at..to].to_vec();
                let place = below(random, pieces.len() + 1);
                pieces.splice(place..place, part);
            }
        }
    }
    String::from_utf8_lossy(&pieces.concat()).into_owned()
}

/// What readers stumble over.
const ODD_WORDS: &[&str] = &[
    "",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "&",
    "*",
    "?",
    "#",
    "%",
    "@",
    "\\",
    "|",
    ":",
    ": ",
    "- ",
    "=",
    ",",
    ", ",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{1b}[2J",
    "\u{feff}",
    "\u{202e}",
    "\u{10ffff}",
    "0",
    "-1",
    "1e999",
    "nan",
    "4294967296",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0x",
    "null",
    "true",
    "~",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "&b;",
    "&#0;",
    "xmlns=\"a\"",
    "!!binary ",
    "&a ",
    "*a",
    "? ",
    "---\n",
    "...\n",
    "|2\n ",
    ">-\n",
    "\"\"\"",
    "'''",
    "[[a]]",
    "{}",
    "[]",
    "\\u0000",
    "\\ud800",
];

/// Words and what lies between them, one after the other.
fn split(text: &[u8]) -> Vec<Vec<u8>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    text.chunk_by(|&a, &b| is_word(a) && is_word(b)).map(<[u8]>::to_vec).collect()
}

/// Cut, repeated, spliced and sprinkled with tokens, without regard to structure.
pub fn mutate_bytes(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    let mut text = seeds[below(random, seeds.len())].clone();
    for _ in 0..1 + below(random, 6) {
        let from = below(random, text.len() + 1);
        let to = (from + below(random, 40)).min(text.len());
        match below(random, 8) {
            0 => drop(text.drain(from..to)),
            1 => {
                let piece = text[from..to].to_vec();
                text.splice(from..from, piece.repeat(1 + below(random, 3)));
            }
            2 => {
                // A few inputs nest deep.
                let times = if below(random, 50) == 0 { 1 + below(random, 3000) } else { 2 };
                let token = pick(random, TOKENS).as_bytes().repeat(times);
                text.splice(from..from, token);
            }
            3 | 4 => drop(text.splice(from..from, pick(random, TOKENS).bytes())),
            5 => drop(text.splice(from..to, pick(random, TOKENS).bytes())),
            6 => {
                if let Some(byte) = text.get_mut(from) {
                    *byte ^= 1 << below(random, 8);
                }
            }
            _ => {
                let other = &seeds[below(random, seeds.len())];
                let cut = below(random, other.len() + 1);
                text.truncate(from);
                text.extend_from_slice(&other[cut..]);
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}
