//! Domains whose states are sets of concrete states with exact union and difference, such as BDDs. For them
//! merge is union, stop is inclusion, and exploration can go on with only what is new [CBM90].

use crate::cpa::{Query, QueryAnswer};
use crate::place::Step;
use cfa::{ExprId, Exprs, Node, Program, VarId};
use verdict::Stop;

/// Asks the analysis beside the sets what it knows before a step.
pub type Ask<'a> = &'a mut dyn FnMut(Query) -> Option<QueryAnswer>;

/// Parts of a set, and the value that a register has in each.
pub type Parts<S> = Vec<(S, Option<u128>)>;

/// A domain of sets of states at one location.
pub trait SetDomain {
    /// A set; equal sets compare equal.
    type Set: Clone + PartialEq;

    /// What an execution may start with.
    fn initial(&self) -> Self::Set;
    /// All that a path leads to from elements for which the answers of `ask` are true. No branch and no return lies
    /// inside the path, and it has more than one step only if nothing is known apart from the sets.
    fn post(&mut self, program: &Program, path: &[Step], set: &Self::Set, ask: Ask) -> Result<Self::Set, Stop>;
    /// All states that such a path leads into `set`, as far as the answers of `ask` are true of them.
    fn pre(&mut self, program: &Program, path: &[Step], set: &Self::Set, ask: Ask) -> Result<Self::Set, Stop>;
    /// Union.
    fn join(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Stop>;
    /// Intersection.
    fn meet(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Stop>;
    /// What is in `a` and not in `b`.
    fn minus(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Stop>;
    /// Whether there is nothing in it.
    fn is_empty(&self, set: &Self::Set) -> bool;
    /// One element, as a set.
    fn pick(&self, set: &Self::Set) -> Result<Self::Set, Stop>;
    /// Whether sets say anything about a register.
    fn tracks(&self, var: VarId) -> bool;
    /// Parts of a set, together all of it, in which the register has one value each, where that can be told.
    fn split(&self, set: &Self::Set, var: VarId) -> Result<Parts<Self::Set>, Stop>;
    /// The encoding of the value that the variable, just made arbitrary, may have in this one element; `None` if sets
    /// say nothing about it.
    fn example(&self, program: &Program, element: &Self::Set, var: VarId) -> Option<u128>;
    /// The set as a truth value over all variables, also those of callers.
    fn formula(&self, program: &Program, exprs: &mut Exprs, set: &Self::Set) -> Result<ExprId, Stop>;
    /// The set as a truth value over the variables that are visible at a location.
    fn invariant(&self, program: &Program, exprs: &mut Exprs, set: &Self::Set, at: Node) -> Result<ExprId, Stop>;
    /// Tells apart states that the domain confused on a path that no execution takes. Whether anything changed; all
    /// sets from before are void then.
    fn refine(&mut self, program: &Program, path: &[Step]) -> Result<bool, Stop>;
}
