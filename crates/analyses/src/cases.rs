//! Values where inputs choose elements of arrays and sizes of objects: an analysis that cannot decide the program is asked
//! about the one with case splits ([`transform::split_cases`]) over what intervals say they may be.

use crate::fact_sources::interval_states;
use crate::run::one_by_one;
use crate::{Entry, Failed, Options, Run};
use base::{Budget, Cancel, Id};
use cfa::Node;
use domains::interval::{IntervalDomain, Strided};
use engine::board::Board;
use engine::derived::apart;
use engine::evidence::confirm;
use flow::Prepared;
use transform::{CaseSplit, deciding_registers, split_cases};
use verdict::{Goals, Proof, Stop, Verdict, Wanted};

/// A register with more possible values than this is not told apart.
const MOST_VALUES: i128 = 16;
/// Larger programs are not split: each case is another part of the state space.
const MOST_NODES: usize = 5000;
/// A program gets no more cases than this.
const MOST_CASES: usize = 2000;

/// How an analysis runs.
pub(crate) type RunAnalysis = fn(&Options, &mut Run) -> Result<Verdict, Failed>;

/// Runs an analysis; where it gives up before its time is over, and there are cases, `again` decides what is left.
pub(crate) fn then_with_cases(
    options: &Options,
    run: &mut Run,
    alone: RunAnalysis,
    again: &Entry,
) -> Result<Verdict, Failed> {
    let first = alone(options, run)?;
    let gave_up = matches!(&first, Verdict::Unknown(stop) if !matches!(stop, Stop::Limit(_)));
    if !gave_up || run.program.nodes.len() > MOST_NODES || cases(run.program, run.cancel).is_empty() {
        return Ok(first);
    }
    run.goals.reopen();
    let second = match run.goals.wanted() {
        Wanted::One => (again.run)(options, run)?,
        Wanted::Each if run.goals.open().next().is_none() => return Ok(first),
        Wanted::Each => one_by_one(again, options, run)?,
    };
    Ok(if matches!(second, Verdict::Unknown(_)) { first } else { second })
}

/// Runs an analysis on the program with case splits.
pub(crate) fn with_cases(options: &Options, run: &mut Run, alone: RunAnalysis) -> Result<Verdict, Failed> {
    let Run { program: source, backend, files, cancel, .. } = *run;
    let cases = cases(source, cancel);
    run.counters.max("case splits", cases.len() as u64);
    let split = &Prepared::new(split_cases(source, &cases));
    let origin = |node: Node| (node.index() < source.nodes.len()).then_some(node);
    let verdict = apart(split, run.counters, origin, |counters| {
        let (goals, board) = (&mut Goals::any(split), &Board::default());
        alone(options, &mut Run { program: split, goals, backend, board, files, cancel, counters })
    })?;
    Ok(match verdict {
        Verdict::Safe(proof) => Verdict::Safe(of_source(source, cases.len(), proof)),
        Verdict::Unsafe(found) => confirm(source, &found.replay_choices(), cancel),
        unknown @ Verdict::Unknown(_) => unknown,
    })
}

/// The registers that are worth telling apart, with the values that they may have; none if that takes too long to find out.
fn cases(program: &Prepared, cancel: &Cancel) -> Vec<CaseSplit> {
    let deciding = deciding_registers(program);
    if deciding.is_empty() || program.termination.is_some() {
        return Vec::new();
    }
    let domain = IntervalDomain::new(program);
    let Ok(Some(states)) = interval_states(program, &domain, &cancel.within(Budget::CheapBranches)) else {
        return Vec::new();
    };
    let mut all: Vec<CaseSplit> = Vec::new();
    let mut count = 0;
    for (node, register) in deciding {
        let Some(known) = states[node].as_ref().and_then(|state| state.of(register)) else { continue };
        let values = values(known);
        if values.len() > 1 && count + values.len() <= MOST_CASES {
            count += values.len();
            all.push(CaseSplit { node, register, values });
        }
    }
    all
}

/// The values of an interval, none if there are many.
fn values(known: Strided) -> Vec<i128> {
    let step = known.step().max(1);
    if (known.hi() - known.lo()) / step >= MOST_VALUES {
        return Vec::new();
    }
    (0..=(known.hi() - known.lo()) / step).map(|at| known.lo() + at * step).collect()
}

/// The executions are the same, and so are locations and variables; edges are not.
fn of_source(source: &Prepared, cases: usize, proof: Proof) -> Proof {
    let Proof { exprs, mut invariants, checked, .. } = proof;
    invariants.retain(|(node, _)| node.index() < source.nodes.len());
    let checked = format!("At {cases} places, cases were told apart by the values that intervals allow. {checked}");
    Proof { exprs, invariants, checked, ..Proof::default() }
}
