//! One run of an analysis: what it is asked, and what it works with.

use crate::{BadOption, Decides, Entry, Failed, Options, TargetHandling};
use base::{Cancel, Counters, Stopped};
use encode::{MemoryModel, memory_model};
use engine::board::Board;
use flow::Prepared;
use smt::{Backend, Counted};
use smt_bitwuzla::BitwuzlaBackend;
use std::path::Path;
use std::sync::Arc;
use verdict::{Counterexample, Goals, Verdict, Wanted};

/// The files that options name. An analysis touches none itself.
pub trait Files {
    /// The text of a file, which is `expected` to be something.
    fn read(&self, file: &Path, expected: &str) -> Result<String, BadOption>;
    /// Writes a file; what goes wrong with it does not stop the analysis.
    fn write(&self, file: &Path, text: &str);
}

/// What an analysis is asked, and what it works with.
pub struct Run<'a> {
    /// The program.
    pub program: &'a Prepared,
    /// Which targets are asked about, and what is known of them.
    pub goals: &'a mut Goals,
    /// Makes solvers.
    pub backend: &'a dyn Backend,
    /// What is known already, and what is left for others.
    pub board: &'a Board,
    /// The files that options name.
    pub files: &'a dyn Files,
    /// Limits.
    pub cancel: &'a Cancel,
    /// What is counted and noted on the way.
    pub counters: &'a mut Counters,
}

impl Run<'_> {
    /// How memory is split.
    pub fn memory(&self) -> Result<Arc<MemoryModel>, Stopped> {
        memory_model(self.program, self.cancel)
    }

    /// Whether several targets are asked about, each by itself.
    pub fn several(&self) -> bool {
        self.goals.wanted() == Wanted::Each && self.goals.open().count() > 1
    }
}

/// Runs an analysis on a program.
pub fn run(
    entry: &Entry,
    options: &Options,
    (program, goals): (&Prepared, &mut Goals),
    (board, files): (&Board, &dyn Files),
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, BadOption> {
    let backend = Counted::new(BitwuzlaBackend);
    let run = &mut Run { program, goals, backend: &backend, board, files, cancel, counters };
    let verdict = if run.several() && entry.targets == TargetHandling::Together {
        one_by_one(entry, options, run)
    } else {
        (entry.run)(options, run)
    };
    backend.count(counters);
    match verdict {
        Ok(verdict) => {
            let declared = match &verdict {
                Verdict::Safe(_) => entry.decides != Decides::Errors,
                Verdict::Unsafe(_) => entry.decides != Decides::Proofs,
                Verdict::Unknown(_) => true,
            };
            assert!(declared, "{} gives an answer that its entry does not declare", entry.name);
            Ok(engine::termination::admitted(program, verdict))
        }
        Err(Failed::Stop(stop)) => Ok(Verdict::Unknown(stop)),
        Err(Failed::Option(bad)) => Err(bad),
    }
}

/// Asks about each target in a run of its own; each has its part of the time that is left.
pub(crate) fn one_by_one(entry: &Entry, options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let open: Vec<usize> = run.goals.open().collect();
    let mut left = open.len() as u32;
    for at in open {
        let node = run.program.targets[at].node;
        let alone = run.program.with_targets(|target| target.node == node);
        let cancel = run.cancel.child(run.cancel.remaining().map(|time| time / left));
        left -= 1;
        let one = &mut Run {
            program: &alone,
            goals: &mut Goals::any(&alone),
            backend: run.backend,
            board: &Board::default(),
            files: run.files,
            cancel: &cancel,
            counters: run.counters,
        };
        let verdict = match (entry.run)(options, one) {
            Err(Failed::Stop(stop)) => Verdict::Unknown(stop),
            other => other?,
        };
        let end = match verdict {
            Verdict::Safe(proof) => run.goals.proved(&[at], proof).map(Verdict::Safe),
            Verdict::Unsafe(found) => run.goals.violated(Counterexample { target: at, ..found }).map(Verdict::Unsafe),
            Verdict::Unknown(stop) => run.goals.leave(Some(at), stop).err().map(Verdict::Unknown),
        };
        if let Some(verdict) = end {
            return Ok(verdict);
        }
    }
    unreachable!("the last answer ends the run")
}
