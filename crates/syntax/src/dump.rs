//! The text form of a tree: declarations and statements one a line, indented; expressions as s-expressions;
//! types spelled from the outside in (`ptr(array(int, 3))`). Parentheses and spans are not shown.

mod decl;
mod expr;
mod stmt;
mod types;

use crate::ast::{Ast, List};
use base::{Interner, Symbol};
use std::fmt::Write;

/// Indentation stops growing here: the text of a deep tree stays linear in its size.
const MAX_INDENT: usize = 40;

impl Ast {
    /// The text form, for tests and for people. `interner` is the one that the text was parsed with.
    pub fn dump(&self, interner: &Interner) -> String {
        let mut dump = Dump { ast: self, interner, out: String::new(), indent: 0 };
        for &item in &self.items {
            dump.decl(item);
        }
        dump.out
    }
}

struct Dump<'a> {
    ast: &'a Ast,
    interner: &'a Interner,
    out: String,
    indent: usize,
}

impl<'a> Dump<'a> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn put_args(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("writing to a string cannot fail");
    }

    fn name(&mut self, symbol: Symbol) {
        let interner: &'a Interner = self.interner;
        self.put(interner.text(symbol));
    }

    fn names(&mut self, symbols: List<Symbol>) {
        for &symbol in &self.ast[symbols] {
            self.put(" ");
            self.name(symbol);
        }
    }

    /// Begins a line.
    fn line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.put("\n");
        }
        for _ in 0..self.indent.min(MAX_INDENT) {
            self.put("  ");
        }
    }

    /// Runs `write` one level further in, on a stack that grows.
    fn inside(&mut self, write: impl FnOnce(&mut Self)) {
        self.indent += 1;
        self.deeper(write);
        self.indent -= 1;
    }

    fn deeper(&mut self, write: impl FnOnce(&mut Self)) {
        stacker::maybe_grow(64 << 10, 2 << 20, || write(self));
    }
}
