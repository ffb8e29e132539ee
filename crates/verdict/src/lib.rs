//! The answer and its evidence. There is no `Safe` without invariants that were checked, no `Unsafe` without an
//! execution that the interpreter replayed, and no `Unknown` without a reason.
#![warn(missing_docs)]

mod goals;

pub use goals::{Goals, TargetQuestion, Wanted};

use base::{Id, SourceMap, Span, Stopped};
use cfa::{EdgeId, ExprId, Exprs, FunctionId, Node, Op, Program, Scalar, Source, VarId};
use flow::Prepared;
use semantics::choices::Choices;
use std::fmt;
use std::sync::Arc;

/// What a run found out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No execution reaches a target.
    Safe(Proof),
    /// This execution reaches a target.
    Unsafe(Counterexample),
    /// Neither was shown.
    Unknown(Stop),
}

impl From<Result<Proof, Stop>> for Verdict {
    /// What an attempt at a proof says.
    fn from(proved: Result<Proof, Stop>) -> Self {
        proved.map_or_else(Verdict::Unknown, Verdict::Safe)
    }
}

impl Verdict {
    /// The program that the evidence is about: the one that was asked about, or where the execution does not repeat itself,
    /// the one in which it reaches a target all the same.
    pub fn about<'a>(&'a self, asked: &'a Prepared) -> &'a Prepared {
        match self {
            Verdict::Unsafe(Counterexample { closed: Some(set), .. }) => &set.shown,
            Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => asked,
        }
    }

    /// Panics if the evidence cannot be about the program: what an analysis hands over is looked at once for all.
    pub fn assert_fits(&self, program: &Program) {
        match self {
            Verdict::Safe(proof) => {
                let is_condition = |(_, invariant): &(Node, ExprId)| proof.exprs.ty(*invariant) == Scalar::Bool;
                assert!(proof.invariants.iter().all(is_condition), "invariants are conditions");
                let mut nodes = proof.invariants.iter().map(|(node, _)| node.index());
                assert!(nodes.all(|node| node < program.nodes.len()), "invariants are about locations of the program");
            }
            Verdict::Unsafe(found) => {
                assert!(found.target < program.targets.len(), "a counterexample reaches a target of the program");
                let edges = found.path.iter().chain(found.choices.iter().map(|choice| &choice.edge));
                let mut edges = edges.map(|edge| edge.index());
                assert!(edges.all(|edge| edge < program.edges.len()), "a counterexample takes edges of the program");
                debug_assert!(is_connected(program, &found.path), "the path leads from the start of the program");
                let mut objects: Vec<u32> = found.addresses.iter().map(|(object, _)| *object).collect();
                objects.sort_unstable();
                assert!(objects.windows(2).all(|pair| pair[0] < pair[1]), "an object lies in one place");
            }
            Verdict::Unknown(_) => {}
        }
    }
}

/// Whether edges follow each other from the start of the program on: a call's edge comes before those of the callee, and
/// from the exit of a function control continues after the call.
fn is_connected(program: &Program, path: &[EdgeId]) -> bool {
    let mut at = program.functions[program.entry].entry;
    let mut calls: Vec<EdgeId> = Vec::new();
    path.iter().all(|&id| {
        let edge = &program.edges[id];
        while at != edge.from && at == program.functions[program.nodes[at].function].exit {
            let Some(call) = calls.pop() else { return false };
            at = program.edges[call].to;
        }
        let follows = at == edge.from;
        at = match edge.op {
            Op::Call { function, .. } => {
                calls.push(id);
                program.functions[function].entry
            }
            _ => edge.to,
        };
        follows
    })
}

/// Why no execution reaches a target.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// The program's expressions and those that the invariants add.
    pub exprs: Exprs,
    /// Truth values that hold whenever an execution is at the node; what is not listed is `true`.
    pub invariants: Vec<(Node, ExprId)>,
    /// How the proof was checked, for the report: a full sentence.
    pub checked: String,
    /// What kind of proof it is.
    pub argument: Argument,
    /// Whether the second encoder came to the same end.
    pub independent: Independent,
    /// Where the proof is that executions end: why each loop and each recursion does.
    pub measures: Vec<Measured>,
    /// The states that were reached at loop heads, by the calls that lead there: more than the invariants say, and for the
    /// check of the proof only. Empty if they were not recorded.
    pub states: Vec<HeadStates>,
    /// If states were recorded: the functions that the proof looks into. Calls of others may do anything to what it is about.
    pub entered: Vec<FunctionId>,
}

/// What was reached at a loop head under some calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeadStates {
    /// The calls that lead there, the first one first.
    pub calls: Vec<EdgeId>,
    /// The loop head; `None`: every loop head in the last of the calls and in what that one calls.
    pub node: Option<Node>,
    /// Truth values over the variables of all functions that run, of which one holds.
    pub any_of: Vec<ExprId>,
}

/// Why a loop or a recursion ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// The head of the loop, or the entry of the function.
    pub node: Node,
    /// Where the user finds it.
    pub span: Span,
    /// What gets smaller each time, in lexicographic order, as C expressions. None where there is never a second time.
    pub measure: Vec<String>,
    /// What a full sentence says of it.
    pub sentence: String,
    /// How many iterations there are at most, in terms of values that variables have where the loop is entered.
    pub bound: Option<String>,
    /// The measure of a loop again, for output in another notation; empty if it is more than sums of variables.
    pub ranked: Vec<Ranked>,
}

/// One number of a measure: a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranked {
    /// Whether it counts as 0 where it is negative.
    pub cut: bool,
    /// Integers of at most 32 bits, and whether each is negated.
    pub parts: Vec<(bool, Summand)>,
}

/// A part of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Summand {
    /// The value of a variable.
    Variable(VarId),
    /// A constant.
    Number(i128),
}

/// What a solver found of a proof, in formulas of the encoder that engines use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Argument {
    /// The invariants describe the states that were reached. They need not be inductive by themselves.
    #[default]
    Described,
    /// The invariants are inductive and exclude all targets.
    Inductive,
    /// With the invariants as facts, no target is reached by induction over this many visits of loop heads.
    Induction(u32),
    /// Every loop and every recursive function has a measure that decreases each time, so that all executions end.
    Measures,
    /// All executions lie in an unrolled part of the program, which contains no target.
    Unrolled,
}

/// What became of the check by the second encoder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Independent {
    /// Not requested.
    #[default]
    NotAsked,
    /// It confirmed the proof, by so many formulas without models.
    Confirmed {
        /// How many.
        obligations: usize,
        /// By which argument: words that follow "by".
        how: String,
    },
    /// It did not, for this reason.
    Not(String),
}

/// One arbitrary value that an execution took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The edge that asked for it.
    pub edge: EdgeId,
    /// What it stands for.
    pub source: Source,
    /// Its type.
    pub ty: Scalar,
    /// Its encoding.
    pub bits: u128,
}

/// A byte of memory that was uninitialised when the execution read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteChoice {
    /// Objects are counted in the order of their creation.
    pub object: u32,
    /// From the object's first byte.
    pub offset: u64,
    /// What it held.
    pub value: u8,
}

/// An execution from the start of the program to a target, replayed by the interpreter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// Index into the program's targets.
    pub target: usize,
    /// Every edge that was taken; calls are followed by the edges of the callee. None where they were too many to keep.
    pub path: Vec<EdgeId>,
    /// Every arbitrary value of a register, in order.
    pub choices: Vec<Choice>,
    /// Every arbitrary byte of memory.
    pub bytes: Vec<ByteChoice>,
    /// The results of undefined operations, in order, where the execution was allowed to go on after them.
    pub undefined: Vec<u128>,
    /// Where objects have to lie: object and address.
    pub addresses: Vec<(u32, u64)>,
    /// Of an execution that never ends and need not repeat itself: what it never leaves.
    pub closed: Option<Arc<ClosedSet>>,
}

/// A closed recurrent set [GHMRX08]: states such that some step from each of them stays among them.
pub struct ClosedSet {
    /// The program in which the counterexample reaches its target, where the set is entered.
    pub shown: Prepared,
    /// The program with the inputs of the counterexample, in which every end is a target.
    pub endless: Prepared,
    /// That no target of it is reached; its invariants describe the set.
    pub proof: Proof,
}

/// A set is only compared with itself.
impl PartialEq for ClosedSet {
    fn eq(&self, other: &ClosedSet) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ClosedSet {}

impl fmt::Debug for ClosedSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClosedSet").field("proof", &self.proof).finish_non_exhaustive()
    }
}

impl Counterexample {
    /// What makes the interpreter repeat the execution.
    pub fn replay_choices(&self) -> Choices {
        Choices {
            havocs: self.choices.iter().map(|choice| choice.bits).collect(),
            bytes: self.bytes.iter().map(|byte| ((byte.object, byte.offset), byte.value)).collect(),
            undefined: self.undefined.clone(),
            addresses: self.addresses.iter().copied().collect(),
        }
    }

    /// Where in the program the error is: in a library function, at the call of it.
    pub fn place(&self, program: &Program) -> Span {
        error_place(program, self.target, &self.path)
    }
}

/// Where in the program the error is that a path leads to: in a library function, at the call of it.
pub fn error_place(program: &Program, target: usize, path: &[EdgeId]) -> Span {
    let span = program.targets[target].span;
    if !program.sources.is_model(span) {
        return span;
    }
    let mut calls = OpenCalls::default();
    path.iter().for_each(|&edge| calls.follow(program, edge));
    calls.innermost(program).unwrap_or(span)
}

/// The calls that a path has not returned from.
#[derive(Default)]
pub struct OpenCalls(Vec<Span>);

impl OpenCalls {
    /// The path goes on by this edge.
    pub fn follow(&mut self, program: &Program, edge: EdgeId) {
        let edge = &program.edges[edge];
        if matches!(edge.op, Op::Call { .. }) {
            self.0.push(edge.span);
        } else if edge.to == program.functions[program.nodes[edge.from].function].exit {
            self.0.pop();
        }
    }

    /// The innermost call in the text of the program, not in library functions.
    pub fn innermost(&self, program: &Program) -> Option<Span> {
        let own = |span: &&Span| span.start < span.end && !program.sources.is_model(**span);
        self.0.iter().rev().find(own).copied()
    }
}

/// Why a run gave up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Time, memory, or a request to stop.
    Limit(Stopped),
    /// C that is not modelled lies on a path that may be executed.
    Unsupported {
        /// What.
        what: String,
        /// Where.
        span: Span,
    },
    /// The execution that was found meets undefined behaviour before the target.
    UndefinedBehaviour {
        /// What.
        what: String,
        /// Where.
        span: Span,
    },
    /// A path to a target that the analysis can neither exclude nor confirm; says which condition it failed at.
    Undecided {
        /// What could not be decided.
        what: String,
        /// Where.
        span: Span,
    },
    /// It was not shown that something ends.
    Open {
        /// What, and why not, for the user.
        what: String,
        /// Where.
        span: Span,
    },
    /// A bound of the configuration was hit.
    Bound(String),
    /// The solver gave no answer.
    Solver(String),
    /// The evidence did not pass its check; a bug of Argonaut.
    Evidence(String),
    /// A broken invariant of Argonaut (a panic), caught by `driver`.
    Internal(String),
}

impl Stop {
    /// How much it tells of the program, for a choice between the reasons of several analyses.
    pub fn weight(&self) -> u32 {
        match self {
            Stop::Bound(_) => 0,
            Stop::Limit(_) | Stop::Solver(_) => 1,
            Stop::Undecided { .. } => 2,
            Stop::Open { .. } => 3,
            Stop::Unsupported { .. } | Stop::UndefinedBehaviour { .. } => 4,
            Stop::Evidence(_) | Stop::Internal(_) => 5,
        }
    }

    /// One line for the user.
    pub fn describe(&self, sources: &SourceMap) -> String {
        match self {
            Stop::Limit(limit) => limit.to_string(),
            Stop::Unsupported { what, span } => format!("unsupported: {what} at {}", sources.display(*span)),
            Stop::UndefinedBehaviour { what, span } => {
                format!("undefined behaviour: {what} at {}", sources.display(*span))
            }
            Stop::Undecided { what, span } | Stop::Open { what, span } => {
                format!("undecided: {what} at {}", sources.display(*span))
            }
            Stop::Bound(what) => what.clone(),
            Stop::Solver(what) => format!("solver: {what}"),
            Stop::Evidence(what) => format!("evidence rejected: {what}"),
            Stop::Internal(what) => format!("internal error: {what}"),
        }
    }
}

impl From<Stopped> for Stop {
    fn from(limit: Stopped) -> Self {
        Stop::Limit(limit)
    }
}

/// The verdict's word: `TRUE`, `FALSE`, `UNKNOWN`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Safe(_) => "TRUE",
            Verdict::Unsafe(_) => "FALSE",
            Verdict::Unknown(_) => "UNKNOWN",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the least to the most telling one, with the words that the user reads.
    #[test]
    fn reasons_have_words_and_weights() {
        let (mut sources, what) = (SourceMap::new(), || "it".to_owned());
        let start = sources.add("f.c", "int x;\nint y;\n".to_owned()) + 7;
        let span = Span { start, end: start + 3 };
        let reasons = [
            (Stop::Bound(what()), "it"),
            (Stop::Limit(Stopped::Time), "time limit reached"),
            (Stop::Solver(what()), "solver: it"),
            (Stop::Undecided { what: what(), span }, "undecided: it at f.c:2:1"),
            (Stop::Unsupported { what: what(), span }, "unsupported: it at f.c:2:1"),
            (Stop::UndefinedBehaviour { what: what(), span }, "undefined behaviour: it at f.c:2:1"),
            (Stop::Evidence(what()), "evidence rejected: it"),
            (Stop::Internal(what()), "internal error: it"),
        ];
        for (stop, words) in &reasons {
            assert_eq!(stop.describe(&sources), *words);
        }
        assert!(reasons.is_sorted_by_key(|(stop, _)| stop.weight()));
        assert!(
            reasons[0].0.weight() < reasons[1].0.weight(),
            "any limit tells more than a bound of the configuration"
        );
    }

    #[test]
    fn a_counterexample_says_all_that_its_replay_needs() {
        let choice = |bits| Choice { edge: EdgeId(3), source: Source::Uninitialised, ty: Scalar::int(32, true), bits };
        let counterexample = Counterexample {
            target: 0,
            path: vec![EdgeId(3), EdgeId(4)],
            choices: vec![choice(7), choice(9)],
            bytes: vec![ByteChoice { object: 2, offset: 5, value: 0xAB }],
            undefined: vec![1],
            addresses: vec![(2, 0x5000)],
            closed: None,
        };
        let choices = counterexample.replay_choices();
        assert_eq!(choices.havocs, [7, 9], "in the order of the execution");
        assert_eq!(choices.bytes.get(&(2, 5)), Some(&0xAB));
        assert_eq!(choices.bytes.len(), 1);
        assert_eq!(choices.undefined, [1]);
        assert_eq!(choices.addresses.get(&2), Some(&0x5000));
    }

    #[test]
    fn verdicts_are_one_word() {
        assert_eq!(Verdict::Safe(Proof::default()).to_string(), "TRUE");
        assert_eq!(Verdict::Unknown(Stop::Bound(String::new())).to_string(), "UNKNOWN");
    }
}
