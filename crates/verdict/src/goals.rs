//! Which targets a run asks about and what it found out about each of them.
//!
//! A run either asks whether any target is reached, and ends with the first one that is, or it asks about every target
//! separately. Then a target that is decided is closed: executions end there as before, but it is not asked about any
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
pub type TargetQuestion = Option<usize>;

impl Goals {
    /// All targets of a program are open.
    pub fn new(program: &Program, wanted: Wanted) -> Goals {
        let mut at = IdVec::filled(program.nodes.len(), None);
        for (index, target) in program.targets.iter().enumerate() {
            let other = at[target.node].replace(index as u32);
            debug_assert!(other.is_none(), "two targets are at {}", target.node);
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

    /// Whether a node is a target that is no longer asked about.
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
    pub fn questions(&self) -> Vec<(TargetQuestion, Vec<usize>)> {
        match self.wanted {
            Wanted::One => vec![(None, self.open().collect())],
            Wanted::Each => self.open().map(|at| (Some(at), vec![at])).collect(),
        }
    }

    /// What a path to a node is about.
    pub fn question(&self, node: Node) -> TargetQuestion {
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
        let proved = matches!(self.answers[at], Some(Verdict::Safe(_)));
        assert!(!proved, "an execution reaches a target of which it was proved that none does");
        self.answers[at].get_or_insert(Verdict::Unsafe(counterexample));
        match (self.is_done(), &self.answers[at]) {
            (true, Some(Verdict::Unsafe(last))) => Some(last.clone()),
            _ => None,
        }
    }

    /// A question is left open for a reason. `Err`: that ends the run.
    pub fn leave(&mut self, question: TargetQuestion, stop: Stop) -> Result<(), Stop> {
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
        debug_assert_eq!(program.targets.len(), self.answers.len(), "these are the goals of this program");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Argument, Independent};

    /// Two targets, after a branch.
    fn program() -> Prepared {
        let text = "start fn s() { x: int; n0: entry; n0 -> n1: [x == 0]; n0 -> n2: [x != 0]; n1: target reach_error;
            n2: target reach_error; n3: exit; }";
        Prepared::new(cfa::notation::read(text).expect("a program"))
    }

    fn counterexample(target: usize) -> Counterexample {
        let (path, choices, bytes, undefined, addresses, closed) = Default::default();
        Counterexample { target, path, choices, bytes, undefined, addresses, closed }
    }

    fn proof(program: &Prepared) -> Proof {
        Proof {
            exprs: program.exprs.clone(),
            invariants: Vec::new(),
            checked: "Nothing was checked.".to_owned(),
            argument: Argument::default(),
            independent: Independent::default(),
            measures: Vec::new(),
            states: Vec::new(),
            entered: Vec::new(),
        }
    }

    #[test]
    fn one_answer_for_all_ends_with_the_first() {
        let program = program();
        let mut goals = Goals::any(&program);
        assert_eq!(goals.questions(), [(None, vec![0, 1])]);
        assert_eq!(goals.question(Node(2)), None);
        assert!(goals.leave(None, Stop::Bound("it".to_owned())).is_err());
        assert!(goals.proved(&[0], proof(&program)).is_some());
        assert!(goals.violated(counterexample(1)).is_some_and(|found| found.target == 1));
        assert!(goals.is_open(Node(1)) && !goals.is_open(Node(0)));
    }

    #[test]
    fn each_target_is_closed_by_itself() {
        let program = program();
        let mut goals = Goals::new(&program, Wanted::Each);
        assert_eq!(goals.questions(), [(Some(0), vec![0]), (Some(1), vec![1])]);
        assert_eq!(goals.question(Node(2)), Some(1));
        assert!(goals.violated(counterexample(1)).is_none());
        assert!(goals.is_closed(Node(2)) && goals.is_open(Node(1)) && !goals.is_done());
        // What is decided stays so.
        assert!(goals.proved(&[1], proof(&program)).is_none());
        assert_eq!(goals.asked(&program).targets.len(), 1);
        let bound = Stop::Bound("it".to_owned());
        assert_eq!(goals.clone().answers(&Verdict::Unknown(bound.clone())).len(), 2);
        assert!(goals.leave(Some(0), bound.clone()).is_err() && goals.has_left());
        goals.reopen();
        assert!(!goals.has_left() && goals.open().eq([0]));
        assert!(goals.proved(&[0], proof(&program)).is_some());
        let answers = goals.answers(&Verdict::Unknown(bound));
        assert!(matches!(answers[0], Verdict::Safe(_)) && matches!(answers[1], Verdict::Unsafe(_)));
    }
}
