//! Printing. Subterms that are used more than once, and those that would nest deep, get a `define-fun` of their own, so
//! the text is linear in the size of the DAG and no reader needs a deep stack.

use super::symbols::{Head, head, quote};
use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use base::Id;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Levels of nesting before a subterm is named.
const DEPTH: u32 = 40;

/// A query as SMT-LIB text: declarations and assertions, then a check.
#[derive(Clone, Copy, Debug)]
pub struct Script<'a> {
    /// Formulas that are asserted.
    pub assertions: &'a [TermId],
    /// Formulas that are assumed in the check.
    pub assumptions: &'a [TermId],
    /// What is known of the answer: `sat`, `unsat` or `unknown`, written as the status.
    pub status: &'a str,
}

/// One piece of text, or a term whose text comes here.
enum Piece {
    Text(&'static str),
    Term(TermId),
}

impl Terms {
    /// The text of a script that [`Terms::read_script`] and other solvers read.
    pub fn print_script(&self, script: &Script<'_>) -> String {
        let mut out = String::from("(set-logic ALL)\n");
        if !script.status.is_empty() {
            let _ = writeln!(out, "(set-info :status {})", script.status);
        }
        let roots: Vec<TermId> = script.assertions.iter().chain(script.assumptions).copied().collect();
        let order = self.reachable(&roots);
        self.print_declarations(&order, &mut out);
        let named = self.print_definitions(&order, &roots, &mut out);
        for &assertion in script.assertions {
            out.push_str("(assert ");
            self.print_term(assertion, &named, &mut out);
            out.push_str(")\n");
        }
        if script.assumptions.is_empty() {
            out.push_str("(check-sat)\n");
        } else {
            out.push_str("(check-sat-assuming (");
            for (position, &assumption) in script.assumptions.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { " " });
                self.print_term(assumption, &named, &mut out);
            }
            out.push_str("))\n");
        }
        out
    }

    /// The term alone, shared parts written out: for messages and tests. Cut off with `...` after `limit` characters.
    pub fn display(&self, term: TermId, limit: usize) -> String {
        let mut out = String::new();
        let none = FxHashMap::default();
        self.print_limited(term, &none, &mut out, limit);
        out
    }

    fn print_declarations(&self, order: &[TermId], out: &mut String) {
        let mut functions = Vec::new();
        for &term in order {
            match self.op(term) {
                Op::Var(variable) => {
                    let name = self.var_name(variable);
                    let _ = writeln!(out, "(declare-const {} {})", quote(&name), self.sort(term));
                }
                Op::Apply(function) if !functions.contains(&function) => {
                    functions.push(function);
                    let (parameters, result) = self.signature(function);
                    let parameters: Vec<String> =
                        parameters.iter().map(|&parameter| Sort::from(parameter).to_string()).collect();
                    let name = quote(self.function_name(function));
                    let _ = writeln!(out, "(declare-fun {name} ({}) {})", parameters.join(" "), Sort::from(result));
                }
                _ => {}
            }
        }
    }

    /// Defines shared and deep subterms and gives their names.
    fn print_definitions(&self, order: &[TermId], roots: &[TermId], out: &mut String) -> FxHashMap<TermId, String> {
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        let args = order.iter().flat_map(|&term| self.args(term));
        for &used in args.chain(roots) {
            *uses.entry(used).or_default() += 1;
        }
        let mut named: FxHashMap<TermId, String> = FxHashMap::default();
        let mut depth: FxHashMap<TermId, u32> = FxHashMap::default();
        for &term in order {
            if self.args(term).is_empty() {
                continue;
            }
            let inside = self.args(term).iter().map(|arg| depth.get(arg).copied().unwrap_or(0)).max();
            let own = inside.unwrap_or(0) + 1;
            if uses[&term] > 1 || own > DEPTH {
                let _ = write!(out, "(define-fun %{} () {} ", term.index(), self.sort(term));
                self.print_term(term, &named, out);
                out.push_str(")\n");
                named.insert(term, format!("%{}", term.index()));
            } else {
                depth.insert(term, own);
            }
        }
        named
    }

    fn print_term(&self, root: TermId, named: &FxHashMap<TermId, String>, out: &mut String) {
        self.print_limited(root, named, out, usize::MAX);
    }

    fn print_limited(&self, root: TermId, named: &FxHashMap<TermId, String>, out: &mut String, limit: usize) {
        let mut stack = vec![Piece::Term(root)];
        while let Some(piece) = stack.pop() {
            if out.len() >= limit {
                out.push_str("...");
                return;
            }
            let term = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Term(term) => term,
            };
            if let Some(name) = named.get(&term) {
                out.push_str(name);
                continue;
            }
            match head(self, term) {
                Head::Leaf(text) => out.push_str(&text),
                Head::Operator(text) => {
                    out.push('(');
                    out.push_str(&text);
                    stack.push(Piece::Text(")"));
                    for &arg in self.args(term).iter().rev() {
                        stack.extend([Piece::Term(arg), Piece::Text(" ")]);
                    }
                }
            }
        }
    }
}
