//! Predicates and abstraction states as text, for reports: C where there is an expression for them, else SMT-LIB.

use super::cpa::PredicateCpa;
use super::{BlockRole, Precision, State};
use base::Counters;
use cfa::{FunctionId, Node, Program};
use encode::expression;
use rustc_hash::FxHashMap;
use smt::TermId;

/// Larger formulas are cut.
const LONGEST: usize = 120;
/// Formulas with more operators than this are not written as C.
const LARGEST: u64 = 60;

impl PredicateCpa<'_> {
    /// A predicate of a function (`None`: of the whole program) as text.
    pub fn text(&mut self, predicate: TermId, function: Option<FunctionId>) -> String {
        let function = function.unwrap_or(self.program.entry);
        // Expressions are printed by a program, and those of predicates are not the program's own.
        let printer = self.printer.get_or_insert_with(|| Box::new(Program::clone(self.program)));
        let made = if is_small(&self.encoder, predicate) {
            expression(&self.encoder, function, &mut printer.exprs, predicate)
        } else {
            None
        };
        match made {
            Some(made) => printer.expr_text(made),
            None => self.encoder.terms.display(predicate, LONGEST),
        }
    }

    /// What an abstract state knows at a location: the parts of its formula, and facts that hold there anyway.
    pub(super) fn state_text(&mut self, state: &State, node: Node) -> Vec<String> {
        if state.role != BlockRole::Start {
            return Vec::new();
        }
        let function = self.program.nodes[node].function;
        let mut parts = self.encoder.terms.conjuncts(self.blocks[state.block].psi.formula);
        parts.extend(self.fact_at(node).map(|fact| self.encoder.terms.conjuncts(fact)).unwrap_or_default());
        parts.retain(|&part| self.encoder.terms.as_bool(part) != Some(true));
        parts.into_iter().map(|part| self.text(part, Some(function))).collect()
    }

    /// Notes the predicates that are tracked at the end.
    pub fn note_precision(&mut self, precision: &Precision, counters: &mut Counters) {
        if !counters.trail.wanted {
            return;
        }
        for (function, node, predicate) in precision.places() {
            let function = function.or(node.map(|node| self.program.nodes[node].function));
            let place = match (node, function) {
                (None, Some(function)) => format!(" in {}", self.program.function_name(function)),
                (None, None) => " everywhere".to_owned(),
                (Some(_), _) => String::new(),
            };
            let text = self.text(predicate, function) + &place;
            counters.trail.track(node.map(|node| node.0), || text);
        }
    }
}

/// Whether a formula is short enough to be written out.
pub(super) fn is_small(encoder: &encode::Encoder, formula: TermId) -> bool {
    tree_size(encoder, formula) <= LARGEST
}

/// How many operators a formula has when it is written out, as shared parts are each time.
fn tree_size(encoder: &encode::Encoder, root: TermId) -> u64 {
    let mut sizes: FxHashMap<TermId, u64> = FxHashMap::default();
    for term in encoder.terms.reachable(&[root]) {
        let parts = encoder.terms.args(term).iter().map(|part| sizes[part]);
        let size = parts.fold(1, u64::saturating_add);
        sizes.insert(term, size);
    }
    sizes[&root]
}
