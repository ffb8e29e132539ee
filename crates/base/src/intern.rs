//! Strings as small numbers.

use crate::define_id;
use crate::id::Id;
use std::collections::HashMap;
use std::sync::Arc;

define_id!(
    /// An interned string; equal strings of one [`Interner`] have equal symbols.
    Symbol,
    "sym"
);

/// The table of all names of one program.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    by_text: HashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
}

impl Interner {
    /// The symbol of `text`, new if it was never seen.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.by_text.get(text) {
            return symbol;
        }
        let symbol = Symbol::new(self.texts.len());
        let shared: Arc<str> = Arc::from(text);
        self.texts.push(shared.clone());
        self.by_text.insert(shared, symbol);
        symbol
    }

    /// The symbol of `text` if it was interned before.
    pub fn lookup(&self, text: &str) -> Option<Symbol> {
        self.by_text.get(text).copied()
    }

    /// The text behind `symbol`.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.index()]
    }
}
