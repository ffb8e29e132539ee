//! The Predicate CPA [BDW18]: predicate abstraction, IMPACT, UFO and symbolic execution are configurations of one
//! analysis. The exploration refines it, with the parts that are here:
//!
//! - `cpa`: abstract states (ψ, l, φ), transfer, merge, stop, `blk`;
//! - `precision`, `abstraction`, `region`: π, prec, and ψ as a BDD;
//! - `interpolants`: sequences of them for chains of blocks;
//! - `impact`: states strengthened by interpolants, forced covering;
//! - `export`: abstraction states as expressions, for invariants;
//! - `describe`: predicates and states as text, for reports.

mod abstraction;
mod cpa;
mod describe;
mod export;
mod impact;
mod interpolants;
mod precision;
mod region;
#[cfg(test)]
mod tests;

pub use cpa::{BlockId, BlockRole, PredicateCpa, State, is_recursion};
pub use impact::strengthen;
pub use interpolants::WithPredicates;
pub use precision::Precision;

use base::options::OptionValue;
use base::{choices, options};
use cfa::{ExprId, Exprs, FunctionId};
use serde::Deserialize;

options! {
    /// Options of the predicate analysis.
    pub struct PredicateOptions {
        /// What a refinement does with the interpolants of an infeasible path.
        pub refinement: RefinementKind = RefinementKind::Predicates,
        /// Where blocks end.
        pub blocks: BlockEnds = BlockEnds::Loops,
        /// How predicates describe states.
        pub abstraction: AbstractionKind = AbstractionKind::Boolean,
        /// How an abstraction is represented.
        pub psi: Psi = Psi::Bdd,
        /// Where the predicates of a location are used.
        pub scope: Scope = Scope::Location,
        /// Whether paths of one block that meet are merged.
        pub merge: Merging = Merging::Paths,
        /// When paths are looked at for contradictions.
        pub feasibility: Feasibility = Feasibility::Plain,
        /// Whether states are covered by force (IMPACT only).
        pub force_cover: Forced = Forced::Impact,
        /// Whether facts of data-flow analyses strengthen all states.
        pub invariants: bool = false,
        /// Which infeasible sliced prefix of a path a refinement excludes: `none` for all paths of its blocks at once, or
        /// `length`, `width`, `depth`, `score` with `-min` or `-max`, and combinations such as `width+score`.
        pub select: String = "none".to_owned(),
        /// How many prefixes a refinement looks at.
        pub prefixes: usize = 10,
        /// Predicates to start with, C expressions; `FUNCTION: EXPRESSION` for one function only.
        pub predicates: Vec<String> = Vec::new(),
        /// Follow paths only for this many iterations of every loop; 0: no limit.
        pub loop_bound: u32 = 0,
    }
}

choices! {
    /// What a refinement does with interpolants [BDW18, section 3.2.4].
    pub enum RefinementKind {
        /// Their atoms become predicates.
        Predicates,
        /// They strengthen the states.
        Impact,
        /// Both, as UFO does.
        Both,
    }
}

/// blk: where blocks end, besides targets [BDW18, section 3.1.6].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockEnds {
    /// blk^l: at loop heads.
    Loops,
    /// blk^lf: at loop heads, at the entry of functions and after calls.
    LoopsAndCalls,
    /// blk^never.
    Never,
    /// After so many edges.
    Edges(u32),
}

choices! {
    /// How predicates describe states [BPR01].
    pub enum AbstractionKind {
        /// The strongest boolean combination.
        Boolean,
        /// The strongest conjunction of predicates and negated predicates.
        Cartesian,
    }
}

choices! {
    /// What ψ is kept as [BDW18, section 3.1.5].
    pub enum Psi {
        /// A BDD over predicates, and the formula that it stands for: coverage asks no solver.
        Bdd,
        /// A formula.
        Formula,
    }
}

choices! {
    /// Where the predicates found for a location are used.
    pub enum Scope {
        /// There.
        Location,
        /// In its function.
        Function,
        /// Everywhere.
        Global,
    }
}

choices! {
    /// merge_ℙ or merge-sep.
    pub enum Merging {
        /// Paths of one block that meet become one state.
        Paths,
        /// All paths stay apart.
        Never,
    }
}

choices! {
    /// When a path formula is looked at before its block ends.
    pub enum Feasibility {
        /// Not at all: it is not even encoded.
        Lazy,
        /// When it is plainly false.
        Plain,
        /// A solver looks at it after every branch.
        Branches,
    }
}

choices! {
    /// fcover [BDW18, section 3.3].
    pub enum Forced {
        /// fcover^id.
        Never,
        /// fcover^IMPACT.
        Impact,
    }
}

impl OptionValue for BlockEnds {
    fn kind() -> String {
        "one of `loops`, `loops-and-calls`, `never`, or `{ edges = NUMBER }`".to_owned()
    }

    fn show(&self) -> String {
        match self {
            BlockEnds::Loops => "loops".to_owned(),
            BlockEnds::LoopsAndCalls => "loops-and-calls".to_owned(),
            BlockEnds::Never => "never".to_owned(),
            BlockEnds::Edges(count) => format!("{{ edges = {count} }}"),
        }
    }
}

impl OptionValue for PredicateOptions {
    fn kind() -> String {
        "a table of options of `predicate`".to_owned()
    }

    fn show(&self) -> String {
        "as there".to_owned()
    }
}

/// A predicate to start with.
#[derive(Clone, Debug)]
pub struct GivenPredicate {
    /// Where it is used; `None`: everywhere.
    pub function: Option<FunctionId>,
    /// Holds its expression.
    pub exprs: Exprs,
    /// The truth value.
    pub predicate: ExprId,
}
