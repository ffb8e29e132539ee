//! CPA++ [BDW18, Alg. 2], the one exploration algorithm: with an abort function that stops at targets and no forced
//! covering it is the algorithm of [BL13, Alg. 1], without abort that of [BHT08].

use analysis::{Analysis, ArgId, Move, Place, Reached, Step};
use base::{Cancel, Counters};
use cfa::{Op, Program};
use verdict::{Goals, Stop};

/// Why exploration came back.
#[derive(Clone, Debug)]
pub enum Explored {
    /// No state waits: the reached set is closed.
    Done,
    /// The abort function said so at this state, which is in the reached set.
    Aborted(ArgId),
}

/// Whether the last step to a state means that the analysis must not go on after it without a second look: a
/// target that is asked about, or C that is not modelled.
pub fn is_target(program: &Program, goals: &Goals, step: &Step) -> bool {
    matches!(program.edges[step.edge].op, Op::Unsupported(_)) || goals.is_open(step.to.node)
}

/// Puts the initial state into an empty reached set.
pub fn start<C: Analysis>(
    program: &Program,
    cpa: &mut C,
    precision: &mut C::Precision,
    reached: &mut Reached<C::State>,
) -> Result<(), Stop> {
    let place = reached.stacks.start(program);
    assert!(reached.arg.is_empty(), "exploration starts with an empty reached set");
    let initial = cpa.initial();
    if let Some(state) = cpa.adjust(initial, place, precision)? {
        let root = reached.add(cpa, state, place, None);
        reached.wait(root);
    }
    Ok(())
}

/// CPA++(𝔻, reached, waitlist, abort) [BDW18, Alg. 2]:
///
/// 1. while a state waits, take it; if its precision is still to be adjusted, do that, and leave it alone if that makes
///    it empty or covered;
/// 2. try to get it covered by force, then leave it alone;
/// 3. for each abstract successor, adjust its precision;
/// 4. merge it with the states reached at its place, and let those that changed wait again;
/// 5. unless a reached state covers it, add it and let it wait;
/// 6. stop where the abort function says so.
///
/// Deviates from [BDW18]: an analysis may put off the adjustment of 3 until 1, as CPA+ [BHT08] does, and with it 6,
/// where it aborts at every target; so that blocks which end in one place are merged before they are abstracted. A state whose expansion is cut short by 6 waits again, because its other successors are
/// still missing; and a successor that a merge absorbed is not added a second time, which 5 would find out too.
pub fn explore<C: Analysis>(
    (program, goals): (&Program, &Goals),
    cpa: &mut C,
    precision: &mut C::Precision,
    reached: &mut Reached<C::State>,
    abort: &mut dyn FnMut(&Step, &C::State) -> bool,
    limits: (&Cancel, &mut Counters),
) -> Result<Explored, Stop> {
    let (cancel, counters) = limits;
    let mut steps = Vec::new();
    let mut next = Vec::new();
    let mut moves: Vec<Taken> = Vec::new();
    let mut expanded = 0_u64;
    while let Some(id) = reached.pop() {
        // 1
        if expanded.is_multiple_of(256) {
            counters.live.reached(reached.arg.len() as u64);
            if let Err(stopped) = cancel.check() {
                reached.wait(id);
                counters.add("expanded states", expanded);
                return Err(stopped.into());
            }
        }
        expanded += 1;
        debug_assert!(reached.arg.covered_by(id).is_none(), "covered states are not expanded");
        if C::SETTLES {
            match settle((program, goals), cpa, precision, reached, id)? {
                Settled::Gone => continue,
                Settled::Open => {}
                Settled::Target => {
                    counters.add("expanded states", expanded);
                    return Ok(Explored::Aborted(id));
                }
            }
        }
        if cpa.force_cover(reached, id)? {
            continue; // 2
        }
        steps.clear();
        reached.stacks.steps(program, reached.arg.place(id), &mut steps);
        moves.clear();
        for &step in &steps {
            taken(program, reached, id, step, &mut moves);
        }
        let mut at = 0;
        while let Some(&Taken { from: source, mut step, call }) = moves.get(at) {
            at += 1;
            next.clear();
            if step.kind == Move::Enter && cpa.steps_over(step.edge, precision) {
                step = reached.stacks.over(program, &step);
            }
            let step = &mut step;
            let from = reached.arg.state(source);
            debug_assert_eq!(step.from, reached.arg.place(source), "a step leaves the place of its state");
            if let Op::Unsupported(_) = program.edges[step.edge].op
                && !C::SETTLES
            {
                // What it does is not known; the algorithm above decides whether it is reached at all. No other state
                // after it may hide that, and nothing is explored after it.
                let state = from.clone();
                if reached.arg.children(id).any(|child| reached.arg.parent(child) == Some((id, step.edge))) {
                    continue;
                }
                let new = reached.arg.add(state, step.to, Some((id, step.edge)));
                if abort(step, reached.arg.state(new)) {
                    reached.wait(id);
                    counters.add("expanded states", expanded);
                    return Ok(Explored::Aborted(new));
                }
                continue;
            }
            cpa.post(from, step, precision, &mut next)?;
            for successor in next.drain(..) {
                let Some(state) = cpa.adjust(successor, step.to, precision)? else { continue }; // 3
                let key = cpa.key(&state);
                let free = reached.contexts.is_some() && cpa.is_depth_free(&state, step);
                let entry = enter(program, reached, source, step, (&state, key, free), &mut moves);
                if entry == Entry::Known {
                    continue;
                }
                let Some(new) = include(cpa, reached, source, step, state)? else { continue };
                if let Some(contexts) = &mut reached.contexts {
                    if entry == Entry::New {
                        contexts.add(step.to, key, new, (source, step.edge));
                    }
                    if let Some(call) = call {
                        contexts.behind(new, call);
                        reached.arg.deepen(new, call);
                    }
                }
                if reached.arg.covered_by(new).is_some() {
                    continue;
                }
                reached.wait(new);
                if !C::SETTLES && abort(step, reached.arg.state(new)) {
                    reached.wait(id); // 6
                    counters.add("expanded states", expanded);
                    return Ok(Explored::Aborted(new));
                }
            }
        }
    }
    counters.add("expanded states", expanded);
    Ok(Explored::Done)
}

/// A step to take.
#[derive(Clone, Copy)]
struct Taken {
    from: ArgId,
    step: Step,
    /// For a return from a shared call, the state before the call.
    call: Option<ArgId>,
}

/// Appends a step of a node; from the exit of a shared call, the returns to all its callers.
fn taken<S: Clone + PartialEq>(
    program: &Program,
    reached: &mut Reached<S>,
    from: ArgId,
    step: Step,
    moves: &mut Vec<Taken>,
) {
    let callers = match &mut reached.contexts {
        Some(contexts) if step.kind == Move::Leave => contexts.exit(from, step.from.stack),
        Some(_) | None => None,
    };
    match callers {
        Some(callers) => moves.extend(callers.into_iter().map(|(call, edge)| {
            let step = reached.stacks.leave(program, step.from, edge, reached.arg.place(call));
            Taken { from, step, call: Some(call) }
        })),
        None => moves.push(Taken { from, step, call: None }),
    }
}

/// What a step is with respect to shared calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// It enters no shared call.
    None,
    /// It enters a function in a state that was not seen there before.
    New,
    /// It enters a function in a known state, and what is known of its exits is to be taken.
    Known,
}

fn enter<S: Clone + PartialEq>(
    program: &Program,
    reached: &mut Reached<S>,
    from: ArgId,
    step: &mut Step,
    (state, key, depth_free): (&S, u64, bool),
    moves: &mut Vec<Taken>,
) -> Entry {
    let Reached { arg, stacks, contexts: Some(contexts), .. } = reached else { return Entry::None };
    let (Move::Enter, Op::Call { function, .. }) = (step.kind, &program.edges[step.edge].op) else {
        return Entry::None;
    };
    if contexts.is_recursive(*function) && !depth_free {
        return Entry::None;
    }
    let Some(entry) = contexts.find(step.to.node, key, |entry| arg.state(entry) == state) else {
        step.to.stack = stacks.push_fresh(step.from.stack, step.edge, *function);
        return Entry::New;
    };
    for exit in contexts.join(entry, arg.place(entry).stack, (from, step.edge)) {
        let step = stacks.leave(program, arg.place(exit), step.edge, step.from);
        moves.push(Taken { from: exit, step, call: Some(from) });
    }
    Entry::Known
}

/// What became of a state whose adjustment was put off.
enum Settled {
    /// It is empty or covered.
    Gone,
    /// It is to be expanded.
    Open,
    /// A target or another goal; it has no successors.
    Target,
}

fn settle<C: Analysis>(
    (program, goals): (&Program, &Goals),
    cpa: &mut C,
    precision: &mut C::Precision,
    reached: &mut Reached<C::State>,
    id: ArgId,
) -> Result<Settled, Stop> {
    let place = reached.arg.place(id);
    let Some(state) = cpa.settle(reached.arg.state(id), place, precision)? else {
        reached.discard(cpa, id);
        return Ok(Settled::Gone);
    };
    if state != *reached.arg.state(id) {
        let by = reached.covering(cpa, &state, place)?;
        reached.replace(cpa, id, state);
        if let Some(by) = by {
            reached.cover(cpa, id, by);
            return Ok(Settled::Gone);
        }
    }
    let Some((parent, edge)) = reached.arg.parent(id) else { return Ok(Settled::Open) };
    let step = reached.stacks.step_between(program, reached.arg.place(parent), edge, place);
    let goal = cpa.is_goal(reached.arg.state(id)) && !goals.is_closed(place.node);
    let target = goal || is_target(program, goals, &step);
    Ok(if target { Settled::Target } else { Settled::Open })
}

/// Steps 4 and 5 for one successor; the new node, which is to wait unless it is covered. `None` if there is none.
fn include<C: Analysis>(
    cpa: &mut C,
    reached: &mut Reached<C::State>,
    parent: ArgId,
    step: &Step,
    state: C::State,
) -> Result<Option<ArgId>, Stop> {
    let place: Place = step.to;
    if merge(cpa, reached, parent, step, &state)? {
        return Ok(None);
    }
    if let Some(by) = reached.covering(cpa, &state, place)? {
        // A state that is expanded again finds its successors again.
        let known = reached.arg.parent(by) == Some((parent, step.edge)) && *reached.arg.state(by) == state;
        return Ok((!known).then(|| reached.add_covered(state, place, (parent, step.edge), by)));
    }
    Ok(Some(reached.add(cpa, state, place, Some((parent, step.edge)))))
}

/// Step 4; whether some reached state has absorbed the new one.
fn merge<C: Analysis>(
    cpa: &mut C,
    reached: &mut Reached<C::State>,
    parent: ArgId,
    step: &Step,
    state: &C::State,
) -> Result<bool, Stop> {
    if !C::MERGES {
        return Ok(false);
    }
    let mut absorbed = false;
    for old in reached.drawer(cpa, step.to, cpa.key(state)) {
        if let Some(merged) = cpa.merge(state, reached.arg.state(old), step.to)?
            && merged != *reached.arg.state(old)
        {
            reached.replace(cpa, old, merged);
            reached.arg.add_parent(old, parent, step.edge);
            reached.wait(old);
            absorbed = true;
        }
    }
    Ok(absorbed)
}
