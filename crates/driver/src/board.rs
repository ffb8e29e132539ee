//! What the parts of a run found out, all together: about the targets, so that later parts are asked about the rest
//! alone, and about the program.

use crate::preset::{Plan, Preset};
use crate::run::{Step, step};
use analyses::{BadOption, Knowledge, Options, Shared};
use base::{Cancel, Counters};
use cfa::{Node, Program};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use verdict::{Counterexample, Goals, Stop, Verdict, Wanted};

/// The answers so far, about a program that the board has or is lent.
pub struct Board<P> {
    program: P,
    wanted: Wanted,
    /// By index into the program's targets; empty if one answer is wanted.
    answers: Mutex<Vec<Verdict>>,
    shared: Arc<Shared>,
}

impl<P: Deref<Target = Program>> Board<P> {
    /// Nothing is known.
    pub fn new(program: P, wanted: Wanted) -> Self {
        let unknown = Verdict::Unknown(Stop::Bound("no analysis is available".into()));
        let count = if wanted == Wanted::Each { program.targets.len() } else { 0 };
        Board { program, wanted, answers: Mutex::new(vec![unknown; count]), shared: Arc::default() }
    }

    /// Runs the engine of a preset on what is undecided. The verdict is `Unknown` unless everything is decided now.
    pub fn step(
        &self,
        preset: &Preset,
        options: &Options,
        knowledge: &mut Knowledge,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> (Step, Result<Verdict, BadOption>) {
        knowledge.shared = self.shared.clone();
        knowledge.exchange = self.shared.exchange();
        let hints = self.shared.learned();
        knowledge.precision = knowledge.precision.take().or(hints.precision);
        let options = &at_bound(preset, hints.k, options);
        if self.wanted == Wanted::One || self.program.targets.is_empty() {
            let asked = (&*self.program, &mut Goals::any(&self.program));
            let (done, verdict) = step(preset, asked, options, knowledge, cancel, counters);
            self.shared.learn(&done.learned);
            return (done, verdict);
        }
        let open: Vec<Node> = {
            let answers = self.lock();
            let targets = self.program.targets.iter().zip(answers.iter());
            targets.filter(|(_, answer)| is_open(answer)).map(|(target, _)| target.node).collect()
        };
        let asked = self.program.with_targets(|target| open.contains(&target.node));
        let mut goals = Goals::new(&asked, Wanted::Each);
        let (mut done, verdict) = step(preset, (&asked, &mut goals), options, knowledge, cancel, counters);
        self.shared.learn(&done.learned);
        let verdict = match verdict {
            Ok(verdict) => self.note(&open, goals.answers(&verdict)),
            Err(error) => return (done, Err(error)),
        };
        if let Verdict::Unknown(stop) = &verdict {
            done.stop.get_or_insert_with(|| stop.clone());
        }
        (done, Ok(verdict))
    }

    /// Adds what was found out about some targets; the verdict on all.
    fn note(&self, nodes: &[Node], found: Vec<Verdict>) -> Verdict {
        let mut answers = self.lock();
        for (&node, verdict) in nodes.iter().zip(found) {
            let at = self.program.targets.iter().position(|target| target.node == node);
            let at = at.expect("only this program's targets are asked about");
            // Somebody else may have been faster.
            if is_open(&answers[at]) {
                answers[at] = match verdict {
                    Verdict::Unsafe(found) => Verdict::Unsafe(Counterexample { target: at, ..found }),
                    other => other,
                };
            }
        }
        match answers.iter().find(|answer| is_open(answer)) {
            Some(open) => open.clone(),
            None => overall(&answers),
        }
    }

    /// Says what the parts shared.
    pub fn report(&self, counters: &mut Counters) {
        self.shared.report(counters);
    }

    /// The answers for all targets.
    pub fn answers(&self) -> Vec<Verdict> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Verdict>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bounded model checking goes on at the bound to which others came: it looks at all shorter executions once more, in
/// one step. For induction a small bound may suffice as soon as facts are known, so it starts anew.
fn at_bound(preset: &Preset, k: u64, options: &Options) -> Options {
    let mut options = options.clone();
    if let Plan::Engine { analysis, .. } = preset.plan()
        && analysis.name == "bmc"
        && k > 1
        && options.is_empty()
    {
        options.set("k-init", &k.to_string());
    }
    options
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
