//! `recurrence`: executions that never end, by a closed recurrent set. Runs with inputs that stay the same are candidates;
//! safety engines prove that such a run reaches no end. Their invariants are the set.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling, k_induction, pdr};
use engine::board::Board;
use engine::termination::{Candidates, enter};
use flow::Prepared;
use std::sync::Arc;
use verdict::{ClosedSet, Counterexample, Goals, Proof, Stop, Verdict};

pub const ENTRY: Entry =
    Entry { name: "recurrence", options: Vec::new, decides: Decides::Errors, targets: TargetHandling::Together, run };

/// What proves that no end is reached, in this order, and which part of the time that is left each has.
const PROVERS: [(&Entry, u32); 2] = [(&k_induction::ENTRY, 2), (&pdr::ENTRY, 1)];

/// Candidates that are tried.
const MOST: u32 = 6;
/// Which part of the time that is left each of them has.
const SHARE: u32 = 3;

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    options.none()?;
    if run.program.termination.is_none() {
        return Err(Stop::Bound("the question is not whether executions end".to_owned()).into());
    }
    let mut candidates = Candidates::new(run.program);
    for tried in 0..MOST {
        run.counters.live.phase("runs with steady inputs");
        let next = candidates.next(run.cancel, run.counters);
        run.cancel.check()?;
        let Some(candidate) = next else { return Ok(Verdict::Unknown(unsuccessful(tried))) };
        let Some(endless) = candidate.endless(run.program) else {
            return Err(Stop::Bound("memory is allocated in a loop".to_owned()).into());
        };
        let endless = Prepared::new(endless);
        let time = run.cancel.remaining().map(|time| time / SHARE);
        let Some(proof) = closed(run, &endless, time) else { continue };
        if let Some((shown, found)) = enter(run.program, &candidate, run.cancel) {
            let set = ClosedSet { shown: Prepared::new(shown), endless, proof };
            return Ok(Verdict::Unsafe(Counterexample { closed: Some(Arc::new(set)), ..found }));
        }
    }
    Ok(Verdict::Unknown(unsuccessful(MOST)))
}

fn unsuccessful(tried: u32) -> Stop {
    Stop::Bound(match tried {
        0 => "no run with steady inputs went on for long".to_owned(),
        1 => "one run went on for long, but was not proved to stay in a closed set".to_owned(),
        _ => format!("{tried} runs went on for long, but none of them was proved to stay in a closed set"),
    })
}

/// A proof that no end is reached.
fn closed(run: &mut Run, endless: &Prepared, time: Option<std::time::Duration>) -> Option<Proof> {
    let all = run.cancel.child(time);
    for (prover, part) in PROVERS {
        let cancel = all.child(all.remaining().map(|left| left / part));
        run.counters.live.phase("proof that no end is reached");
        let mut alone = Run {
            program: endless,
            goals: &mut Goals::any(endless),
            backend: run.backend,
            board: &Board::default(),
            files: run.files,
            cancel: &cancel,
            counters: run.counters,
        };
        match (prover.run)(&Options::default(), &mut alone) {
            Ok(Verdict::Safe(proof)) => return Some(proof),
            Ok(Verdict::Unsafe(_)) => return None,
            Ok(Verdict::Unknown(_)) | Err(_) => {}
        }
    }
    None
}
