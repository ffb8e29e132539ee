//! Programs that end after few steps: unrolled completely at once, where intervals of values show where loops end. If
//! the formula of the whole program is hard, one formula for each value of inputs that have few may be easy.

use super::{Bounded, check_unrolled, guards, unrolled};
use base::{Budget, Cancel, Counters};
use encode::{Bounds, Encoder, FewValued, Guard, MemoryModel, Unrolled, any, ask};
use flow::{Loops, Prepared};
use smt::{Answer, Backend};
use std::sync::Arc;
use verdict::{Argument, Goals, Proof, Stop, Verdict, Wanted};

/// The most cases.
const MOST_CASES: u64 = 16;
/// The part of the time for all cases at once, if there are several.
const SHARE_OF_ALL: u32 = 4;

/// What the whole program shows, if it can be unrolled completely with so many edges, and how often loops run.
pub(super) fn check(
    (program, goals): (&Prepared, &mut Goals),
    (loops, model): (&Loops, &Arc<MemoryModel>),
    backend: &dyn Backend,
    edges: u64,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Option<(Bounded, u32)>, Stop> {
    let bounds = Bounds { iterations: u32::MAX, recursion: u32::MAX, constant_iterations: u32::MAX, edges };
    counters.live.phase("complete unrolling");
    if never_left(program, loops) {
        return Ok(None);
    }
    let unroll = |given: &[(&FewValued, u64)], cancel: &Cancel, counters: &mut Counters| {
        let give = |encoder: &mut Encoder| given.iter().for_each(|(case, value)| encoder.give(case.edge, *value));
        unrolled(program, (loops, model), bounds, &give, cancel, counters)
    };
    // What takes long here is a loop that goes on for as long as its inputs say.
    let (mut encoder, whole) = match unroll(&[], &cancel.within(Budget::Complete), counters) {
        Err(Stop::Limit(_)) if !cancel.is_stopped() => return Ok(None),
        unrolled => unrolled?,
    };
    if !whole.cuts.is_empty() {
        return Ok(None);
    }
    counters.max("complete unrolling, edges", whole.steps);
    let cases = if goals.wanted() == Wanted::One { cases(&mut encoder, &whole) } else { Vec::new() };
    let how = "completely";
    if cases.is_empty() {
        let found = check_unrolled((&mut encoder, &whole), goals, backend, how, cancel, counters)?;
        return Ok(Some((found, whole.iterations)));
    }
    let limited = cancel.child(cancel.remaining().map(|left| left / SHARE_OF_ALL));
    match check_unrolled((&mut encoder, &whole), goals, backend, how, &limited, counters) {
        Err(Stop::Limit(_)) if !cancel.is_stopped() => {}
        answer => return answer.map(|found| Some((found, whole.iterations))),
    }
    let count = cases.iter().map(FewValued::count).product::<u64>();
    let (mut chosen, mut looked): (Vec<u64>, u64) = (cases.iter().map(|case| case.low).collect(), 0);
    loop {
        let given: Vec<(&FewValued, u64)> = cases.iter().zip(chosen.iter().copied()).collect();
        let (mut encoder, part) = unroll(&given, cancel, counters)?;
        if !part.cuts.is_empty() {
            return Ok(None);
        }
        counters.add("cases", 1);
        looked += 1;
        match check_unrolled((&mut encoder, &part), goals, backend, how, cancel, counters)? {
            Bounded::Verdict(Verdict::Safe(_)) => {}
            other => return Ok(Some((other, part.iterations))),
        }
        if !advance(&cases, &mut chosen) {
            break;
        }
    }
    assert_eq!(looked, count, "each case was looked at once");
    let proof = no_other_case((&mut encoder, &whole), goals, backend, &cases, cancel)?;
    Ok(Some((Bounded::Verdict(Verdict::Safe(proof)), whole.iterations)))
}

/// Whether a loop is never left: executions that enter it end inside a call, if at all.
fn never_left(program: &Prepared, loops: &Loops) -> bool {
    let calls = program.calls();
    loops.loops.iter().any(|(_, it)| it.exits.is_empty() && calls.is_reachable(it.function))
}

/// Where an execution shows something: at targets, and where C is not modelled.
fn ends(unrolled: &Unrolled, goals: &Goals) -> Vec<Guard> {
    let open: Vec<usize> = goals.open().collect();
    let unsupported = unrolled.unsupported.iter().map(|(_, guard)| *guard);
    guards(unrolled, &open).chain(unsupported).collect()
}

/// Inputs with few values that make few cases together.
fn cases(encoder: &mut Encoder, unrolled: &Unrolled) -> Vec<FewValued> {
    let targets = unrolled.targets.iter().map(|(_, guard)| *guard);
    let ends: Vec<Guard> = targets.chain(unrolled.unsupported.iter().map(|(_, guard)| *guard)).collect();
    let mut count = 1;
    let fits = |case: &FewValued| {
        count *= case.count();
        count <= MOST_CASES
    };
    encoder.few_valued_inputs(&ends, MOST_CASES).into_iter().take_while(fits).collect()
}

/// The next values, like the digits of a number; `false` if there are no more.
fn advance(cases: &[FewValued], chosen: &mut [u64]) -> bool {
    assert_eq!(cases.len(), chosen.len(), "each input has a value");
    for (case, value) in cases.iter().zip(chosen) {
        if *value < case.high {
            *value += 1;
            return true;
        }
        *value = case.low;
    }
    false
}

/// All cases are safe; a solver confirms that there is no other.
fn no_other_case(
    (encoder, whole): (&mut Encoder, &Unrolled),
    goals: &Goals,
    backend: &dyn Backend,
    cases: &[FewValued],
    cancel: &Cancel,
) -> Result<Proof, Stop> {
    let ends = any(encoder, ends(whole, goals));
    let elsewhere: Vec<_> = cases.iter().map(|case| encoder.is_elsewhere(case)).collect();
    let elsewhere = encoder.terms.or(elsewhere);
    let other = encoder.terms.and([ends, elsewhere]);
    let mut solver = backend.solver();
    for definition in encoder.definitions(0) {
        solver.assert(&encoder.terms, definition);
    }
    if ask(&mut *solver, encoder, other, cancel)? != Answer::Unsat {
        return Err(Stop::Evidence("a solver finds an execution with other inputs than those of all cases".to_owned()));
    }
    let count: u64 = cases.iter().map(FewValued::count).product();
    let checked = format!(
        "With every loop unrolled completely, for each of {count} values of inputs separately, a fresh solver found no \
         execution that reaches a target; it found none with other values either."
    );
    Ok(Proof { exprs: encoder.program.exprs.clone(), checked, argument: Argument::Unrolled, ..Proof::default() })
}
