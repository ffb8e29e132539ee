//! Functions begin to run and return, executions meet, and what may be at places of which nothing is known.

use cfa::{EdgeId, Expr, FunctionId, Node, Op, Program, Storage};
use reference::{Encoder, Lifetime, RowId, SymbolicFrame, SymbolicState};
use smt::{Sort, TermId};
use std::collections::{BTreeMap, BTreeSet};

/// The start of the program; or anything that may be in the function to which these calls have led.
pub(crate) fn begin(encoder: &Encoder, calls: Option<&[EdgeId]>) -> SymbolicState {
    let mut state = SymbolicState {
        guard: encoder.terms.truth(),
        frames: Vec::new(),
        memory: encoder.any_memory(),
        live: BTreeMap::new(),
        ended: BTreeSet::new(),
        rooms: any_rooms(encoder),
        from_start: calls.is_none(),
    };
    enter(encoder, &mut state, encoder.program.entry, None);
    for &call in calls.unwrap_or_default() {
        if let Op::Call { function, .. } = encoder.program.edges[call].op {
            enter(encoder, &mut state, function, Some(call));
        }
    }
    if calls.is_some() {
        may_have_ended(encoder, &mut state);
    }
    state
}

/// What may live that the table of objects does not know.
fn any_rooms(encoder: &Encoder) -> TermId {
    encoder.fresh_array("rooms", encoder.program.model.pointer_bits())
}

/// Whether a function runs.
pub(crate) fn runs(program: &Program, state: &SymbolicState, function: FunctionId) -> bool {
    let is_call =
        |call: EdgeId| matches!(program.edges[call].op, Op::Call { function: callee, .. } if callee == function);
    state.frames.iter().any(|frame| frame.call.is_some_and(is_call))
}

/// Locals of the functions that run may be out of scope.
fn may_have_ended(encoder: &Encoder, state: &mut SymbolicState) {
    for (_, edge) in encoder.program.edges.iter() {
        let Op::End(pointer) = edge.op else { continue };
        let Expr::Addr(var) = encoder.program.exprs.node(pointer) else { continue };
        for object in state.frames.iter().filter_map(|frame| frame.objects.get(&var)) {
            state.live.insert(*object, encoder.terms.fresh_var("lives", Sort::Bool));
            state.ended.insert(*object);
        }
    }
}

/// A call: the function's parameters get the arguments.
pub(crate) fn call(encoder: &Encoder, edge: EdgeId, state: &mut SymbolicState) {
    let program = encoder.program;
    let Op::Call { function, args, .. } = &program.edges[edge].op else { unreachable!("the edge is a call") };
    encoder.place.set(program.edges[edge].span);
    let values: Vec<_> = args.iter().map(|&arg| encoder.eval(&program.exprs, state, arg)).collect();
    let params = &program.functions[*function].params;
    assert!(values.len() >= params.len(), "every parameter gets a value");
    enter(encoder, state, *function, Some(edge));
    params.iter().zip(values).for_each(|(&param, value)| encoder.assign(state, param, value));
}

/// A function begins to run: its registers and its variables in memory hold arbitrary values.
fn enter(encoder: &Encoder, state: &mut SymbolicState, function: FunctionId, call: Option<EdgeId>) {
    let (program, depth) = (encoder.program, state.frames.len());
    let (registers, objects) = (BTreeMap::new(), BTreeMap::new());
    state.frames.push(SymbolicFrame { call, registers, objects });
    let globals = program.vars.iter().filter(|(_, var)| depth == 0 && var.function.is_none()).map(|(id, _)| id);
    for var in program.functions[function].locals.iter().copied().chain(globals) {
        match program.vars[var].storage {
            Storage::Register(_) => {
                state.frames[depth].registers.insert(var, encoder.arbitrary(var));
            }
            // It always lives.
            Storage::Memory { .. } if program.vars[var].function.is_none() => {}
            Storage::Memory { size, align } => encoder.local(state, var, (size, align)),
        }
    }
}

/// The innermost function returns: where its caller goes on.
pub(crate) fn leave(encoder: &Encoder, state: &mut SymbolicState) -> Node {
    let frame = state.frames.pop().expect("a function that returns runs");
    let depth = state.frames.len();
    state.live.retain(|&object, _| !matches!(encoder.lifetime(object), Lifetime::Stack(of) if of >= depth));
    let edge = &encoder.program.edges[frame.call.expect("the first function does not return to anybody")];
    let Op::Call { function, result, .. } = edge.op else { unreachable!("the edge is a call") };
    if let (Some(to), Some(result)) = (result, encoder.program.functions[function].result) {
        encoder.assign(state, to, frame.registers[&result]);
    }
    edge.to
}

/// Memory holds anything, heap objects may have been freed or allocated. Stack objects live as before.
pub(crate) fn forget_memory(encoder: &Encoder, state: &mut SymbolicState) {
    encoder.inexact.set(true);
    (state.memory, state.rooms, state.from_start) = (encoder.any_memory(), any_rooms(encoder), false);
    let heap = state.live.iter_mut().filter(|(object, _)| encoder.lifetime(**object) == Lifetime::Heap);
    heap.for_each(|(_, lives)| *lives = encoder.terms.and([*lives, encoder.unknown("lives", Sort::Bool)]));
}

/// Whether executions that come to one place are in the same functions, so that they can be merged.
pub(crate) fn meet(a: &SymbolicState, b: &SymbolicState) -> bool {
    let same = |(a, b): (&SymbolicFrame, &SymbolicFrame)| a.call == b.call && a.objects == b.objects;
    a.frames.len() == b.frames.len() && a.frames.iter().zip(&b.frames).all(same)
}

/// Two executions meet: the state is that of `a` where its guard holds, else that of `b`.
pub(crate) fn merge(encoder: &Encoder, mut a: SymbolicState, b: SymbolicState) -> SymbolicState {
    let choice = a.guard;
    debug_assert!(meet(&a, &b), "executions that meet are in the same functions");
    for (frame, other) in a.frames.iter_mut().zip(&b.frames) {
        for (var, value) in &mut frame.registers {
            *value = encoder.choose(choice, *value, other.registers[var]);
        }
    }
    for object in a.live.keys().chain(b.live.keys()).copied().collect::<Vec<RowId>>() {
        let lives = encoder.terms.ite(choice, encoder.lives(&a, object), encoder.lives(&b, object));
        a.live.insert(object, lives);
    }
    a.ended.extend(b.ended);
    SymbolicState {
        guard: encoder.terms.or([choice, b.guard]),
        memory: encoder.either_memory(choice, a.memory, b.memory),
        rooms: encoder.terms.ite(choice, a.rooms, b.rooms),
        from_start: a.from_start && b.from_start,
        ..a
    }
}
