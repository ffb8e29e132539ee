//! Which targets a run asks about and what it found out about each of them.
//!
//! A run either asks whether any target is reached, and ends with the first one that is, or it asks about every target
//! by itself. Then a target that is decided is closed: executions end there as before, but nobody asks about it any
//! more, and the exploration goes on with the others. What is open when an engine says `Safe` holds.

use crate::{Counterexample, Proof, Stop, Verdict};
use base::IdVec;
use cfa::{Node, Program};
use flow::Prepared;

/// How many answers are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// One for all targets together.
    One,
    /// One for each target.
    Each,
}

/// The targets and what is known of them.
#[derive(Clone, Debug)]
pub struct Goals {
    wanted: Wanted,
    /// The target at each node: its index into the program's targets.
    at: IdVec<Node, Option<u32>>,
    /// By index into the program's targets; `None`: open.
    answers: Vec<Option<Verdict>>,
}

/// What an undecided path is about: all targets, or the one with this index.
pub type Question = Option<usize>;

impl Goals {
    /// All targets of a program are open.
    pub fn new(program: &Program, wanted: Wanted) -> Goals {
        let mut at = IdVec::filled(program.nodes.len(), None);
        for (index, target) in program.targets.iter().enumerate() {
            at[target.node] = Some(index as u32);
        }
        Goals { wanted, answers: vec![None; program.targets.len()], at }
    }

    /// Is any target reached?
    pub fn any(program: &Program) -> Goals {
        Goals::new(program, Wanted::One)
    }

    /// How many answers are wanted.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// Whether a node is a target that nobody asks about any more.
    pub fn is_closed(&self, node: Node) -> bool {
        self.index(node).is_some_and(|at| self.answers[at].is_some())
    }

    /// Whether a node is a target that is asked about.
    pub fn is_open(&self, node: Node) -> bool {
        self.index(node).is_some_and(|at| self.answers[at].is_none())
    }

    fn index(&self, node: Node) -> Option<usize> {
        self.at[node].map(|at| at as usize)
    }

    /// The targets that are open.
    pub fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.answers.len()).filter(|&at| self.answers[at].is_none())
    }

    /// The questions that are open, each with its targets.
    pub fn questions(&self) -> Vec<(Question, Vec<usize>)> {
        match self.wanted {
            Wanted::One => vec![(None, self.open().collect())],
            Wanted::Each => self.open().map(|at| (Some(at), vec![at])).collect(),
        }
    }

    /// What a path to a node is about.
    pub fn question(&self, node: Node) -> Question {
        match self.wanted {
            Wanted::One => None,
            Wanted::Each => self.index(node),
        }
    }

    /// An execution reaches a target. It is given back if that ends the run.
    pub fn violated(&mut self, counterexample: Counterexample) -> Option<Counterexample> {
        if self.wanted == Wanted::One {
            return Some(counterexample);
        }
        let at = counterexample.target;
        self.answers[at].get_or_insert(Verdict::Unsafe(counterexample));
        match (self.is_done(), &self.answers[at]) {
            (true, Some(Verdict::Unsafe(last))) => Some(last.clone()),
            _ => None,
        }
    }

    /// A question is left open for a reason. `Err`: that ends the run.
    pub fn leave(&mut self, question: Question, stop: Stop) -> Result<(), Stop> {
        let Some(at) = question else { return Err(stop) };
        self.answers[at].get_or_insert_with(|| Verdict::Unknown(stop.clone()));
        if self.is_done() { Err(stop) } else { Ok(()) }
    }

    /// Targets that no execution reaches. The proof is given back if that ends the run.
    pub fn proved(&mut self, targets: &[usize], proof: Proof) -> Option<Proof> {
        if self.wanted == Wanted::One {
            return Some(proof);
        }
        for &at in targets {
            self.answers[at].get_or_insert_with(|| Verdict::Safe(proof.clone()));
        }
        self.is_done().then_some(proof)
    }

    /// Whether no target is open.
    pub fn is_done(&self) -> bool {
        self.answers.iter().all(Option::is_some)
    }

    /// Whether some target was left open for a reason.
    pub fn has_left(&self) -> bool {
        self.answers.iter().flatten().any(|answer| matches!(answer, Verdict::Unknown(_)))
    }

    /// Asks again about what was left open for a reason.
    pub fn reopen(&mut self) {
        for answer in &mut self.answers {
            if matches!(answer, Some(Verdict::Unknown(_))) {
                *answer = None;
            }
        }
    }

    /// The program with the open targets alone: the one that a proof is about.
    pub fn asked(&self, program: &Prepared) -> Prepared {
        match self.answers.iter().all(Option::is_none) {
            true => program.clone(),
            false => program.with_targets(|target| self.is_open(target.node)),
        }
    }

    /// The verdict on each target, where an engine ended with one on those that are still open.
    pub fn answers(self, rest: &Verdict) -> Vec<Verdict> {
        self.answers.into_iter().map(|answer| answer.unwrap_or_else(|| rest.clone())).collect()
    }
}
