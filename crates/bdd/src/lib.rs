//! Binary decision diagrams [Bry86] behind one small trait, so that domains do not know the library.
//! The back end is OxiDD's diagrams with complemented edges: negation is free, nodes and caches are shared by all
//! diagrams of one store, garbage is collected in the background.
#![warn(missing_docs)]

mod oxidd_store;

pub use oxidd_store::{Bdd, OxiddStore};

/// The store has no room for another node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the BDD store is full")
    }
}

impl std::error::Error for Full {}

/// A store of boolean functions over numbered variables. Equal functions compare equal.
pub trait Store {
    /// A function.
    type Function: Clone + Eq + std::hash::Hash;

    /// Adds variables below all others in the order; returns the number of the first.
    fn add_variables(&mut self, count: u32) -> u32;
    /// `true` or `false`.
    fn constant(&self, value: bool) -> Self::Function;
    /// The function that is the variable.
    fn variable(&self, variable: u32) -> Result<Self::Function, Full>;
    /// Negation.
    fn not(&self, a: &Self::Function) -> Result<Self::Function, Full>;
    /// Conjunction.
    fn and(&self, a: &Self::Function, b: &Self::Function) -> Result<Self::Function, Full>;
    /// Disjunction.
    fn or(&self, a: &Self::Function, b: &Self::Function) -> Result<Self::Function, Full>;
    /// `∃ cube: a`, where `cube` is a conjunction of variables.
    fn exists(&self, a: &Self::Function, cube: &Self::Function) -> Result<Self::Function, Full>;
    /// `∃ cube: a ∧ b` in one pass.
    fn and_exists(&self, a: &Self::Function, b: &Self::Function, cube: &Self::Function)
    -> Result<Self::Function, Full>;
    /// Whether no assignment satisfies it.
    fn is_false(&self, a: &Self::Function) -> bool;
    /// A satisfying assignment by variable number; `None` where the variable does not matter. `None` for `false`.
    fn pick(&self, a: &Self::Function) -> Option<Vec<Option<bool>>>;
    /// The variable that the function decides first, and what it is where that variable is true and where it is false;
    /// `None` for constants.
    fn branch(&self, a: &Self::Function) -> Option<(u32, Self::Function, Self::Function)>;
    /// How many nodes the function has.
    fn size(&self, a: &Self::Function) -> usize;
    /// How many nodes the store holds now, garbage included.
    fn nodes(&self) -> usize;
}
