//! Domains whose states are sets of concrete states with exact union and difference, such as BDDs. For them
//! merge is union, stop is inclusion, and exploration can go on with only what is new [CBM90].

use crate::place::Step;
use cfa::{ExprId, Exprs, Program, VarId};
use verdict::Stop;

/// A domain of sets of states at one location.
pub trait SetDomain {
    /// A set; equal sets compare equal.
    type Set: Clone + PartialEq;

    /// What an execution may start with.
    fn initial(&self) -> Self::Set;
    /// All successors.
    fn post(&mut self, program: &Program, step: &Step, set: &Self::Set) -> Result<Self::Set, Stop>;
    /// All states with a successor in `set`.
    fn pre(&mut self, program: &Program, step: &Step, set: &Self::Set) -> Result<Self::Set, Stop>;
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
    /// The encoding of the value that the variable, just made arbitrary, may have in this one element.
    fn example(&self, program: &Program, element: &Self::Set, var: VarId) -> u128;
    /// The set as a truth value over the program's variables.
    fn invariant(&self, program: &Program, exprs: &mut Exprs, set: &Self::Set) -> ExprId;
    /// Tells apart states that the domain confused on a path that no execution takes. Whether anything changed; all
    /// sets from before are void then.
    fn refine(&mut self, program: &Program, path: &[Step]) -> Result<bool, Stop>;
}
