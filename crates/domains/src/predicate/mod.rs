//! The Predicate CPA [BDW18]: predicate abstraction, IMPACT, UFO and symbolic execution are configurations of one
//! analysis. How it is refined is told by whoever explores it, with what stands here:
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

pub use cpa::{BlockId, PredicateCpa, Role, State, is_recursion};
pub use impact::strengthen;
pub use interpolants::WithPredicates;
pub use precision::Precision;

use cfa::{ExprId, Exprs, FunctionId};
use serde::Deserialize;

/// Options of the predicate analysis.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PredicateOptions {
    /// What a refinement does with the interpolants of an infeasible path.
    pub refinement: Refinement,
    /// Where blocks end.
    pub blocks: BlockEnds,
    /// How predicates describe states.
    pub abstraction: AbstractionKind,
    /// What an abstraction is kept as.
    pub psi: Psi,
    /// Where the predicates of a location are used.
    pub scope: Scope,
    /// Whether paths of one block that meet are merged.
    pub merge: Merging,
    /// When paths are looked at for contradictions.
    pub feasibility: Feasibility,
    /// Whether states are covered by force (IMPACT only).
    pub force_cover: Forced,
    /// Whether facts of data-flow analyses strengthen all states.
    pub invariants: bool,
    /// Which infeasible sliced prefix of a path a refinement excludes: `none` for all paths of its blocks at once, or
    /// `length`, `width`, `depth`, `score` with `-min` or `-max`, and combinations such as `width+score`.
    pub select: String,
    /// How many prefixes a refinement looks at.
    pub prefixes: usize,
    /// Predicates to start with, C expressions; `FUNCTION: EXPRESSION` for one function only.
    pub predicates: Vec<String>,
    /// Follow paths only for so many iterations of every loop; 0: no limit.
    pub loop_bound: u32,
}

impl Default for PredicateOptions {
    fn default() -> Self {
        PredicateOptions {
            refinement: Refinement::Predicates,
            blocks: BlockEnds::Loops,
            abstraction: AbstractionKind::Boolean,
            psi: Psi::Bdd,
            scope: Scope::Location,
            merge: Merging::Paths,
            feasibility: Feasibility::Plain,
            force_cover: Forced::Impact,
            invariants: false,
            select: "none".to_owned(),
            prefixes: 10,
            predicates: Vec::new(),
            loop_bound: 0,
        }
    }
}

/// What a refinement does with interpolants [BDW18, section 3.2.4].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refinement {
    /// Their atoms become predicates.
    Predicates,
    /// They strengthen the states.
    Impact,
    /// Both, as UFO does.
    Both,
}

/// blk: where blocks end, besides targets [BDW18, section 3.1.6].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockEnds {
    /// blk^l: at loop heads.
    Loops,
    /// blk^lf: at loop heads, at the entry of functions and behind calls.
    LoopsAndCalls,
    /// blk^never.
    Never,
    /// After so many edges.
    Edges(u32),
}

/// How predicates describe states [BPR01].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbstractionKind {
    /// The strongest boolean combination.
    Boolean,
    /// The strongest conjunction of predicates and negated predicates.
    Cartesian,
}

/// What ψ is kept as [BDW18, section 3.1.5].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Psi {
    /// A BDD over predicates, and the formula that it stands for: coverage asks no solver.
    Bdd,
    /// A formula.
    Formula,
}

/// Where the predicates found for a location are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// There.
    Location,
    /// In its function.
    Function,
    /// Everywhere.
    Global,
}

/// merge_ℙ or merge-sep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merging {
    /// Paths of one block that meet become one state.
    Paths,
    /// All paths stay apart.
    Never,
}

/// When a path formula is looked at before its block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feasibility {
    /// Not at all: it is not even encoded.
    Lazy,
    /// When it is plainly false.
    Plain,
    /// A solver looks at it behind every branch.
    Branches,
}

/// fcover [BDW18, section 3.3].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forced {
    /// fcover^id.
    Never,
    /// fcover^IMPACT.
    Impact,
}

/// A predicate to start with.
#[derive(Clone, Debug)]
pub struct Given {
    /// Where it is used; `None`: everywhere.
    pub function: Option<FunctionId>,
    /// Holds its expression.
    pub exprs: Exprs,
    /// The truth value.
    pub predicate: ExprId,
}
