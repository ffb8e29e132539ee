//! Π of the Predicate CPA [BDW18, section 3.1.2]: which predicates describe the states at a location.

use super::Scope;
use cfa::{FunctionId, Node, Program};
use smt::TermId;
use std::collections::BTreeMap;

/// Predicates over the start of blocks, by where they are used.
#[derive(Clone, Debug)]
pub struct Precision {
    scope: Scope,
    locations: BTreeMap<Node, Vec<TermId>>,
    functions: BTreeMap<FunctionId, Vec<TermId>>,
    everywhere: Vec<TermId>,
}

impl Precision {
    /// No predicates; those that refinements find will be used in this scope.
    pub fn new(scope: Scope) -> Precision {
        Precision { scope, locations: BTreeMap::new(), functions: BTreeMap::new(), everywhere: Vec::new() }
    }

    /// Adds a predicate that was found at a location; whether it is new.
    pub fn add(&mut self, program: &Program, at: Node, predicate: TermId) -> bool {
        let list = match self.scope {
            Scope::Location => self.locations.entry(at).or_default(),
            Scope::Function => self.functions.entry(program.nodes[at].function).or_default(),
            Scope::Global => &mut self.everywhere,
        };
        let new = !list.contains(&predicate);
        if new {
            list.push(predicate);
        }
        new
    }

    /// Adds a predicate for a whole function, or everywhere.
    pub fn add_in(&mut self, function: Option<FunctionId>, predicate: TermId) {
        match function {
            Some(function) => self.functions.entry(function).or_default().push(predicate),
            None => self.everywhere.push(predicate),
        }
    }

    /// π(l).
    pub fn at(&self, program: &Program, node: Node) -> Vec<TermId> {
        let function = program.nodes[node].function;
        let lists = [self.locations.get(&node), self.functions.get(&function), Some(&self.everywhere)];
        lists.into_iter().flatten().flatten().copied().collect()
    }

    /// |π(l)|.
    pub fn count(&self, program: &Program, node: Node) -> usize {
        let function = program.nodes[node].function;
        self.locations.get(&node).map_or(0, Vec::len)
            + self.functions.get(&function).map_or(0, Vec::len)
            + self.everywhere.len()
    }

    /// All predicates with the function or the location where they are used; neither: everywhere.
    pub fn places(&self) -> impl Iterator<Item = (Option<FunctionId>, Option<Node>, TermId)> + '_ {
        let here = self.locations.iter().flat_map(|(&node, list)| list.iter().map(move |&it| (None, Some(node), it)));
        let inside = self.functions.iter().flat_map(|(&id, list)| list.iter().map(move |&it| (Some(id), None, it)));
        here.chain(inside).chain(self.everywhere.iter().map(|&it| (None, None, it)))
    }

    /// All predicates, each once per place where it is used.
    pub fn all(&self) -> impl Iterator<Item = TermId> + '_ {
        self.locations.values().chain(self.functions.values()).flatten().chain(&self.everywhere).copied()
    }
}
