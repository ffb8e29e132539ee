//! Binary decision diagrams [Bry86] behind one small trait, so that domains do not know the library.
//! The back end is OxiDD's diagrams with complemented edges: negation is free, nodes and caches are shared by all
//! diagrams of one store, garbage is collected in the background.
#![warn(missing_docs)]

mod meter;
mod oxidd_store;
mod product;

pub use meter::Statistics;
pub use oxidd_store::{Bdd, OxiddStore};

use base::Stopped;

/// Why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupted {
    /// The store has no room for another node.
    Full,
    /// The limits of the run ended in the middle of the operation.
    Stopped(Stopped),
}

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Interrupted::Full => f.write_str("the BDD store is full"),
            Interrupted::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

impl std::error::Error for Interrupted {}

/// A store of boolean functions over numbered variables. Equal functions compare equal.
pub trait BddStore {
    /// A function.
    type Function: Clone + Eq + std::hash::Hash;

    /// Adds variables below all others in the order; returns the number of the first.
    fn add_variables(&mut self, count: u32) -> u32;
    /// `true` or `false`.
    fn constant(&self, value: bool) -> Self::Function;
    /// The function that is the variable.
    fn variable(&self, variable: u32) -> Result<Self::Function, Interrupted>;
    /// Negation.
    fn not(&self, a: &Self::Function) -> Result<Self::Function, Interrupted>;
    /// Conjunction.
    fn and(&self, a: &Self::Function, b: &Self::Function) -> Result<Self::Function, Interrupted>;
    /// Disjunction.
    fn or(&self, a: &Self::Function, b: &Self::Function) -> Result<Self::Function, Interrupted>;
    /// `∃ cube: a`, where `cube` is a conjunction of variables.
    fn exists(&self, a: &Self::Function, cube: &Self::Function) -> Result<Self::Function, Interrupted>;
    /// `∃ cube: a ∧ b` in one pass.
    fn and_exists(
        &self,
        a: &Self::Function,
        b: &Self::Function,
        cube: &Self::Function,
    ) -> Result<Self::Function, Interrupted>;
    /// Whether no assignment satisfies it.
    fn is_false(&self, a: &Self::Function) -> bool;
    /// A satisfying assignment by variable number; `None` where the variable does not matter. `None` for `false`.
    fn pick(&self, a: &Self::Function) -> Option<Vec<Option<bool>>>;
    /// Just this assignment of the first variables, with the first value for the first one.
    fn element(&self, values: &[bool]) -> Result<Self::Function, Interrupted>;
    /// The variable that the function decides first, and what it is where that variable is true and where it is false;
    /// `None` for constants.
    fn branch(&self, a: &Self::Function) -> Option<(u32, Self::Function, Self::Function)>;
    /// How many nodes the function has.
    fn size(&self, a: &Self::Function) -> usize;
    /// What the store did so far.
    fn statistics(&self) -> Statistics;
}
