//! What a run is asked: about all targets at once, or about each separately. Then later parts are asked about the rest
//! alone. What they find out stands on the blackboard.

use crate::preset::Preset;
use crate::run::{PartRun, step};
use analyses::{BadOption, Options};
use base::{Cancel, Counters};
use cfa::Node;
use engine::board::Board;
use flow::Prepared;
use verdict::{Counterexample, Goals, Stop, Verdict, Wanted};

/// A question, and the blackboard of the parts that answer it.
pub struct Asked {
    program: Prepared,
    wanted: Wanted,
    /// What the parts know.
    pub board: Board,
}

impl Asked {
    /// Nothing is known.
    pub fn new(program: Prepared, wanted: Wanted) -> Self {
        Asked { program, wanted, board: Board::default() }
    }

    /// Runs the engine of a preset on what is undecided. The verdict is `Unknown` unless everything is decided now.
    pub fn step(
        &self,
        preset: &Preset,
        options: &Options,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> (PartRun, Result<Verdict, BadOption>) {
        let board = self.board.part();
        if self.wanted == Wanted::One || self.program.targets.is_empty() {
            let asked = (&self.program, &mut Goals::any(&self.program));
            return step(preset, asked, options, &board, cancel, counters);
        }
        let targets = self.program.targets.iter().map(|target| target.node);
        let open: Vec<Node> = targets.filter(|&node| is_open(&self.answer(node))).collect();
        let asked = self.program.with_targets(|target| open.contains(&target.node));
        let mut goals = Goals::new(&asked, Wanted::Each);
        let (mut done, verdict) = step(preset, (&asked, &mut goals), options, &board, cancel, counters);
        let verdict = match verdict {
            Ok(verdict) => self.note(&board, &open, goals.answers(&verdict)),
            Err(error) => return (done, Err(error)),
        };
        if let Verdict::Unknown(stop) = &verdict {
            done.stop.get_or_insert_with(|| stop.clone());
        }
        (done, Ok(verdict))
    }

    /// Adds what was found out about some targets; the verdict on all.
    fn note(&self, board: &Board, nodes: &[Node], found: Vec<Verdict>) -> Verdict {
        for (&node, verdict) in nodes.iter().zip(found) {
            let at = self.program.targets.iter().position(|target| target.node == node);
            let at = at.expect("only this program's targets are asked about");
            board.answer(
                node,
                match verdict {
                    Verdict::Unsafe(found) => Verdict::Unsafe(Counterexample { target: at, ..found }),
                    other => other,
                },
            );
        }
        let answers = self.answers();
        match answers.iter().find(|answer| is_open(answer)) {
            Some(open) => open.clone(),
            None => overall(&answers),
        }
    }

    /// What is known of a target.
    fn answer(&self, target: Node) -> Verdict {
        let unknown = || Verdict::Unknown(Stop::Bound("no analysis is available".into()));
        self.board.answered(target).map_or_else(unknown, |(_, verdict)| verdict)
    }

    /// Says what the parts shared.
    pub fn report(&self, counters: &mut Counters) {
        self.board.report(counters);
        self.program.report(counters);
    }

    /// The answers for all targets; none if one answer is wanted.
    pub fn answers(&self) -> Vec<Verdict> {
        match self.wanted {
            Wanted::One => Vec::new(),
            Wanted::Each => self.program.targets.iter().map(|target| self.answer(target.node)).collect(),
        }
    }
}

fn is_open(answer: &Verdict) -> bool {
    matches!(answer, Verdict::Unknown(_))
}

/// The verdict on all targets together: a violation if there is one, else what is not known, else the last proof.
pub fn overall(answers: &[Verdict]) -> Verdict {
    let violated = answers.iter().find(|answer| matches!(answer, Verdict::Unsafe(_)));
    let worst = violated.or_else(|| answers.iter().find(|answer| is_open(answer)));
    worst.or(answers.last()).expect("there is a target").clone()
}
