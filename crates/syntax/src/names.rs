//! The identifiers of one text: a small hash table before the program's interner, because almost every
//! identifier was seen before and the interner's hash is built for safety, not speed.

use crate::token::{KEYWORDS, Tok};
use base::{Interner, Symbol};

/// One distinct identifier or keyword.
struct Entry {
    hash: u32,
    start: u32,
    len: u32,
    kind: Tok,
    symbol: Symbol,
}

/// Open addressing with linear probing; `slots` holds index + 1 into `entries`, 0 is free.
pub(crate) struct Names<'a> {
    interner: &'a mut Interner,
    /// The characters of all entries.
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    slots: Vec<u32>,
}

impl<'a> Names<'a> {
    /// Knows the keywords.
    pub fn new(interner: &'a mut Interner) -> Self {
        let mut names = Self { interner, bytes: Vec::new(), entries: Vec::new(), slots: vec![0; 1024] };
        for &(text, kind) in KEYWORDS {
            // The symbol of a keyword is never read: any will do.
            names.insert(text, hash(text.as_bytes()), kind, Symbol(u32::MAX));
        }
        names
    }

    /// Kind and symbol of an identifier-like word.
    pub fn word(&mut self, text: &str) -> (Tok, Symbol) {
        let hash = hash(text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while let Some(index) = self.slots[at].checked_sub(1) {
            let entry = &self.entries[index as usize];
            if entry.hash == hash && self.text(entry) == text.as_bytes() {
                return (entry.kind, entry.symbol);
            }
            at = (at + 1) & mask;
        }
        let symbol = self.interner.intern(text);
        self.insert(text, hash, Tok::Ident, symbol);
        (Tok::Ident, symbol)
    }

    /// The symbol of any text, also that of a keyword.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.interner.intern(text)
    }

    /// The text of a symbol.
    pub fn text_of(&self, symbol: Symbol) -> &str {
        self.interner.text(symbol)
    }

    fn text(&self, entry: &Entry) -> &[u8] {
        &self.bytes[entry.start as usize..][..entry.len as usize]
    }

    fn insert(&mut self, text: &str, hash: u32, kind: Tok, symbol: Symbol) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text.as_bytes());
        self.entries.push(Entry { hash, start, len: text.len() as u32, kind, symbol });
        if self.entries.len() * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            for index in 0..self.entries.len() {
                self.occupy(index);
            }
        } else {
            self.occupy(self.entries.len() - 1);
        }
    }

    fn occupy(&mut self, index: usize) {
        let mask = self.slots.len() - 1;
        let mut at = self.entries[index].hash as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = index as u32 + 1;
    }
}

/// Multiply-and-rotate over 8-byte words.
fn hash(bytes: &[u8]) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut words = bytes.chunks_exact(8);
    let mut state = bytes.len() as u64;
    for word in &mut words {
        let word = u64::from_le_bytes(word.try_into().expect("chunks of 8"));
        state = (state.rotate_left(5) ^ word).wrapping_mul(K);
    }
    let tail = words.remainder().iter().fold(0, |tail, &byte| tail << 8 | u64::from(byte));
    state = (state.rotate_left(5) ^ tail).wrapping_mul(K);
    (state >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_symbol_while_the_table_grows() {
        let mut interner = Interner::default();
        let mut names = Names::new(&mut interner);
        let words: Vec<String> = (0..5000).map(|number| format!("name_{number}")).collect();
        let first: Vec<_> = words.iter().map(|word| names.word(word)).collect();
        let second: Vec<_> = words.iter().map(|word| names.word(word)).collect();
        assert_eq!(first, second);
        assert_eq!(names.text_of(first[4321].1), "name_4321");
        assert_eq!(names.word("__const__").0, Tok::Const);
    }
}
