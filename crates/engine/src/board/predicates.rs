//! Predicates that refinements found, as expressions of the program.

use super::Part;
use cfa::{ExprId, Exprs, Node, Scalar};
use rustc_hash::FxHashSet;

/// More predicates than this are not kept.
const MOST: usize = 400;

/// Truth values at locations that may hold or not.
#[derive(Clone, Debug, Default)]
pub struct Conjectures {
    /// Where their expressions live; `None` if there are none.
    pub exprs: Option<Exprs>,
    /// The claims.
    pub claims: Vec<(Node, ExprId)>,
}

impl Conjectures {
    /// With the negation of every claim beside it.
    pub fn both_ways(mut self) -> Conjectures {
        if let Some(exprs) = &mut self.exprs {
            let negated: Vec<_> = self.claims.iter().map(|&(node, claim)| (node, exprs.not(claim))).collect();
            self.claims.extend(negated);
        }
        self
    }
}

/// All predicates, in the order in which they were found.
#[derive(Debug, Default)]
pub struct Predicates {
    exprs: Option<Exprs>,
    found: Vec<(Node, ExprId, Part)>,
    known: FxHashSet<(Node, ExprId)>,
}

impl Predicates {
    /// Keeps what `write` adds to the expressions, which start as those of `store`.
    pub fn offer(&mut self, store: &Exprs, at: Node, by: Part, write: impl FnOnce(&mut Exprs) -> Option<ExprId>) {
        if self.found.len() >= MOST {
            return;
        }
        let exprs = self.exprs.get_or_insert_with(|| store.clone());
        let Some(predicate) = write(exprs) else { return };
        assert_eq!(exprs.ty(predicate), Scalar::Bool, "predicates are conditions");
        if exprs.constant(predicate).is_none() && self.known.insert((at, predicate)) {
            self.found.push((at, predicate, by));
        }
    }

    /// What others than `part` found after the first so many of all, and how many there are now.
    pub fn of_others(&self, after: usize, part: Part) -> (Conjectures, usize) {
        let new = self.found.iter().skip(after).filter(|(.., by)| *by != part);
        let claims: Vec<(Node, ExprId)> = new.map(|&(node, predicate, _)| (node, predicate)).collect();
        let exprs = if claims.is_empty() { None } else { self.exprs.clone() };
        (Conjectures { exprs, claims }, self.found.len())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.found.len()
    }
}
