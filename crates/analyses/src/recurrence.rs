//! `recurrence`: executions that never end, by a closed recurrent set. Runs with inputs that stay the same are candidates,
//! and so are those that enter a set that a failed search for measures suggests; safety engines prove that such a run
//! reaches no end. Their invariants are the set.

use crate::ranking::everywhere;
use crate::{Decides, Entry, Failed, Options, Run, TargetHandling, bmc, k_induction, pdr};
use engine::board::{Board, Conjectures};
use engine::termination::{Candidate, Candidates, Suspect, enter, suspects};
use flow::Prepared;
use std::sync::Arc;
use std::time::Duration;
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
    let mut tried = 0;
    let mut candidates = Candidates::new(run.program);
    for _ in 0..MOST {
        run.counters.live.phase("runs with steady inputs");
        let next = candidates.next(run.cancel, run.counters);
        run.cancel.check()?;
        let Some(candidate) = next else { break };
        tried += 1;
        if let Some(found) = endless(run, &candidate, Conjectures::default())? {
            return Ok(Verdict::Unsafe(found));
        }
    }
    for suspect in suspected(run)? {
        let Some(found) = entered(run, &suspect) else { continue };
        let Some((candidate, claims)) = suspect.candidate(run.program, &found) else { continue };
        tried += 1;
        if let Some(found) = endless(run, &candidate, claims)? {
            return Ok(Verdict::Unsafe(found));
        }
    }
    Ok(Verdict::Unknown(unsuccessful(tried)))
}

/// The execution of a candidate, if it is proved never to end.
fn endless(run: &mut Run, candidate: &Candidate, claims: Conjectures) -> Result<Option<Counterexample>, Failed> {
    let Some(endless) = candidate.endless(run.program) else {
        return Err(Stop::Bound("memory is allocated in a loop".to_owned()).into());
    };
    let endless = Prepared::new(endless);
    let time = run.cancel.remaining().map(|time| time / SHARE);
    let Some(proof) = closed(run, &endless, claims, time) else { return Ok(None) };
    Ok(enter(run.program, candidate, run.cancel).map(|(shown, found)| {
        let set = ClosedSet { shown: Prepared::new(shown), endless, proof };
        Counterexample { closed: Some(Arc::new(set)), ..found }
    }))
}

/// States of loops that no measure was found for, and that may never be left.
fn suspected(run: &mut Run) -> Result<Vec<Suspect>, Failed> {
    run.counters.live.phase("sets of states that may be closed");
    let cancel = run.cancel.child(run.cancel.remaining().map(|time| time / 2));
    let found = suspects(run.program, run.backend, &everywhere(), &cancel, run.counters);
    run.cancel.check()?;
    Ok(found.unwrap_or_default())
}

/// An execution that enters such states.
fn entered(run: &mut Run, suspect: &Suspect) -> Option<Counterexample> {
    run.counters.live.phase("a way into a set of states");
    let cancel = run.cancel.child(run.cancel.remaining().map(|time| time / SHARE));
    let mut alone = Run {
        program: &suspect.entered,
        goals: &mut Goals::any(&suspect.entered),
        backend: run.backend,
        board: &Board::default(),
        files: run.files,
        cancel: &cancel,
        counters: run.counters,
    };
    match (bmc::ENTRY.run)(&Options::default(), &mut alone) {
        Ok(Verdict::Unsafe(found)) => Some(found),
        Ok(Verdict::Safe(_) | Verdict::Unknown(_)) | Err(_) => None,
    }
}

fn unsuccessful(tried: u32) -> Stop {
    Stop::Bound(match tried {
        0 => "no run with steady inputs went on for long, and no closed set was guessed".to_owned(),
        1 => "one run may go on for ever, but was not proved to stay in a closed set".to_owned(),
        _ => format!("{tried} runs may go on for ever, but none of them was proved to stay in a closed set"),
    })
}

/// A proof that no end is reached.
fn closed(run: &mut Run, endless: &Prepared, claims: Conjectures, time: Option<Duration>) -> Option<Proof> {
    let all = run.cancel.child(time);
    let board = Board::default();
    board.claim(claims);
    for (prover, part) in PROVERS {
        let cancel = all.child(all.remaining().map(|left| left / part));
        run.counters.live.phase("proof that no end is reached");
        let mut alone = Run {
            program: endless,
            goals: &mut Goals::any(endless),
            backend: run.backend,
            board: &board,
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
