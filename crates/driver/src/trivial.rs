//! Programs in which no path leads to an error, as far as control flow tells: they need no analysis, not even of where
//! pointers point. Calls through pointers may be calls of every function whose address is taken.

use crate::run::{Outcome, PartRun, Recording};
use base::Counters;
use cfa::{Op, Program, Question};
use engine::board::Board;
use flow::Reachable;
use std::time::Duration;
use verdict::{Proof, Verdict};

/// Whether no path of the program leads to an error or to C that is not modelled. If so, what no path leads to is
/// removed, and the program need not be prepared: [`crate::run_with`] answers without an analysis.
pub fn holds_trivially(program: &mut Program) -> bool {
    let trivial = is_trivial(program);
    if trivial {
        transform::remove_dead(program);
        flow::find_loops(program);
    }
    trivial
}

fn is_trivial(program: &Program) -> bool {
    if program.question == Question::End {
        return false;
    }
    let live = Reachable::new(program);
    // Where such calls are checked, what they may call decides.
    let checked = program.checks.accesses || program.checks.calls;
    let vague = |op: &Op| match op {
        Op::Unsupported(_) => true,
        Op::CallPointer { .. } => checked,
        _ => false,
    };
    !program.targets.iter().any(|target| live.contains(target.node))
        && !program.edges.iter().any(|(_, edge)| vague(&edge.op) && live.contains(edge.from))
}

/// The answer for a program in which no path leads to an error; `None` for all others.
pub(crate) fn outcome(program: &Program, preset: &str, record: Recording) -> Option<Outcome> {
    // Without targets, nothing has to be followed to see it.
    if !program.targets.is_empty() || !is_trivial(program) {
        return None;
    }
    let checked = "No path of the automaton leads to an error.".to_owned();
    let proof = Proof { exprs: program.exprs.clone(), checked, ..Proof::default() };
    let board = Board::default();
    let (part, problems, time) = (board.who(), Vec::new(), Duration::ZERO);
    let step = PartRun { preset: preset.to_owned(), stop: None, time, part, problems };
    let counters: Counters = record.counters();
    Some(Outcome { verdict: Verdict::Safe(proof), targets: Vec::new(), steps: vec![step], counters, board })
}
