//! Functions begin to run and return, or are not followed at all.

use crate::{Encoder, SymbolicFrame, SymbolicState as State, objects::Lifetime};
use cfa::{EdgeId, Expr, FunctionId, Node, Op, Storage};
use smt::{Sort, TermId};
use std::collections::{BTreeMap, BTreeSet};

impl Encoder<'_> {
    /// The start of the program; or anything that may be in the function to which these calls have led.
    pub fn begin(&self, calls: Option<&[EdgeId]>) -> State {
        let mut state = State {
            guard: self.terms.truth(),
            frames: Vec::new(),
            memory: self.any_memory(),
            live: BTreeMap::new(),
            ended: BTreeSet::new(),
            rooms: self.any_rooms(),
            from_start: calls.is_none(),
        };
        self.enter(&mut state, self.program.entry, None);
        for &call in calls.unwrap_or_default() {
            if let Op::Call { function, .. } = self.program.edges[call].op {
                self.enter(&mut state, function, Some(call));
            }
        }
        if calls.is_some() {
            self.may_have_ended(&mut state);
        }
        state
    }

    /// What may live that the table does not know.
    pub(crate) fn any_rooms(&self) -> TermId {
        self.fresh_array("rooms", self.program.model.pointer_bits())
    }

    /// A call: the function's parameters get the arguments.
    pub fn call(&self, edge: EdgeId, state: &mut State) {
        self.place.set(self.program.edges[edge].span);
        let Op::Call { function, args, .. } = &self.program.edges[edge].op else { unreachable!("the edge is a call") };
        let values: Vec<_> = args.iter().map(|&arg| self.value(state, arg)).collect();
        let params = &self.program.functions[*function].params;
        assert!(values.len() >= params.len(), "every parameter gets a value");
        self.enter(state, *function, Some(edge));
        params.iter().zip(values).for_each(|(&param, value)| self.assign(state, param, value));
    }

    /// A function begins to run: its registers and its variables in memory hold arbitrary values. Static objects get their
    /// rows when they are first needed.
    fn enter(&self, state: &mut State, function: FunctionId, call: Option<EdgeId>) {
        let (program, depth) = (self.program, state.frames.len());
        let (registers, objects) = (BTreeMap::new(), BTreeMap::new());
        state.frames.push(SymbolicFrame { function, call, registers, objects });
        let globals = program.vars.iter().filter(|(_, var)| depth == 0 && var.function.is_none()).map(|(id, _)| id);
        for var in program.functions[function].locals.iter().copied().chain(globals) {
            match program.vars[var].storage {
                Storage::Register(_) => {
                    state.frames[depth].registers.insert(var, self.arbitrary(var));
                }
                Storage::Memory { .. } if program.vars[var].function.is_none() => {}
                Storage::Memory { size, align } => {
                    let named = (program.var_name(var), self.word(size));
                    let object = self.object((state, state.guard), named, (Lifetime::Stack(depth), align));
                    state.frames[depth].objects.insert(var, object);
                    self.bring_to_life(state, object, self.terms.truth());
                }
            }
        }
    }

    /// Locals of the functions that run may be out of scope.
    fn may_have_ended(&self, state: &mut State) {
        for (_, edge) in self.program.edges.iter() {
            let Op::End(pointer) = edge.op else { continue };
            let Expr::Addr(var) = self.program.exprs.node(pointer) else { continue };
            for object in state.frames.iter().filter_map(|frame| frame.objects.get(&var)) {
                state.live.insert(*object, self.terms.fresh_var("lives", Sort::Bool));
                state.ended.insert(*object);
            }
        }
    }

    /// The innermost function returns: where its caller goes on.
    pub fn leave(&self, state: &mut State) -> Node {
        let frame = state.frames.pop().expect("a function that returns runs");
        let depth = state.frames.len();
        let ends = |lifetime| matches!(lifetime, Lifetime::Stack(frame) if frame >= depth);
        state.live.retain(|&object, _| !ends(self.lifetime(object)));
        let edge = &self.program.edges[frame.call.expect("the first function does not return to anybody")];
        let result = self.program.functions[frame.function].result;
        if let (Op::Call { result: Some(to), .. }, Some(result)) = (&edge.op, result) {
            self.assign(state, *to, frame.registers[&result]);
        }
        edge.to
    }

    /// Whatever functions may have done that are not followed: memory holds anything, heap objects may have been freed
    /// or allocated. Stack objects live as before.
    pub fn forget_memory(&self, state: &mut State) {
        self.inexact.set(true);
        (state.memory, state.rooms, state.from_start) = (self.any_memory(), self.any_rooms(), false);
        let heap = state.live.iter_mut().filter(|(object, _)| self.lifetime(**object) == Lifetime::Heap);
        heap.for_each(|(_, lives)| *lives = self.terms.and([*lives, self.unknown("lives")]));
    }
}
