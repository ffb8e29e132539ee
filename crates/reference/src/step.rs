//! What the operations of edges do to a state.

use crate::{Encoder, Lifetime, RowId, SymbolicState as State, SymbolicValue as Value, memory::Content};
use cfa::{Allocation, EdgeId, Expr, Op, VarId};
use smt::TermId;

impl Encoder<'_> {
    /// An edge on which executions go on in the same function.
    pub fn step(&self, edge: EdgeId, state: &mut State) {
        self.place.set(self.program.edges[edge].span);
        match self.program.edges[edge].op {
            // The condition is part of the guard already.
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(var, expr) => self.assign(state, var, self.value(state, expr)),
            Op::Havoc(var, _) => self.assign(state, var, self.arbitrary(var)),
            Op::Init(var) => self.init(state, var),
            Op::Declare(var) => self.bring_to_life(state, self.variable(state, var), self.terms.truth()),
            Op::Store { to, value } => self.store(state, self.value(state, to), self.value(state, value).bits),
            Op::Copy { to, from, size } => {
                let (from, size) = (self.value(state, from), self.value(state, size).bits);
                let (to, memory) = (self.value(state, to), state.memory);
                let valid = [self.valid(state, from, size), self.valid(state, to, size)];
                // What lies outside of the source is arbitrary.
                self.write(state, (to, size), self.any_bytes(), valid[1]);
                self.write(state, (to, size), Content::Copy { from, memory }, self.terms.and(valid));
            }
            Op::Fill { to, byte, size } => {
                let (byte, size) = (self.value(state, byte).bits, self.value(state, size).bits);
                self.write_inside(state, (self.value(state, to), size), Content::Fill(byte));
            }
            Op::HavocMemory { to, size: Some(size), source: _ } => {
                self.write_inside(state, (self.value(state, to), self.value(state, size).bits), self.any_bytes());
            }
            Op::HavocMemory { to, size: None, source: _ } => self.forget_around(state, self.value(state, to)),
            Op::Allocate { result, size, how } => self.allocate(state, result, self.value(state, size).bits, how),
            Op::Free(pointer) => self.end(state, self.value(state, pointer), |lifetime| lifetime == Lifetime::Heap),
            Op::End(pointer) => self.end_scope(state, self.value(state, pointer)),
            Op::Return(result) => {
                let function = self.program.nodes[self.program.edges[edge].from].function;
                if let (Some(result), Some(var)) = (result, self.program.functions[function].result) {
                    self.assign(state, var, self.value(state, result));
                }
            }
            Op::Library { function, ref args, result } => {
                self.inexact.set(true);
                for &arg in function.writes().iter().filter_map(|&at| args.get(at)) {
                    self.forget_around(state, self.value(state, arg));
                }
                result.into_iter().for_each(|result| self.assign(state, result, self.arbitrary(result)));
            }
            // Which function it is was not looked for, since no path leads to an error.
            Op::CallPointer { .. } => self.unsupported("a call through a pointer"),
            Op::Call { .. } | Op::Halt(_) | Op::Unsupported(_) => unreachable!("executions do not go on here"),
        }
    }

    /// Zeros, then the cells.
    fn init(&self, state: &mut State, var: VarId) {
        let object = self.variable(state, var);
        self.write_whole(state, object, Content::Fill(self.terms.bv_u64(8, 0)), self.terms.truth());
        for cell in self.program.vars[var].init.iter() {
            let to = self.pointer(object, self.word(cell.offset));
            self.store(state, to, self.value(state, cell.value).bits);
        }
    }

    fn allocate(&self, state: &mut State, result: VarId, size: TermId, how: Allocation) {
        let fits = self.can_exist(size);
        let lifetime = if how == Allocation::Stack { Lifetime::Stack(state.frames.len() - 1) } else { Lifetime::Heap };
        // `malloc` and `alloca` align to 16 bytes, at least.
        let object = self.object(state, Expr::Var(result), size, lifetime, 16);
        self.bring_to_life(state, object, fits);
        match how {
            Allocation::Heap | Allocation::Stack => {}
            Allocation::HeapZeroed => self.write_whole(state, object, Content::Fill(self.terms.bv_u64(8, 0)), fits),
            Allocation::Resize(old) => {
                let old = self.value(state, old);
                self.move_bytes(state, old, object, fits);
                self.end(state, old, |lifetime| lifetime == Lifetime::Heap);
            }
        }
        // Where it does not fit, this is any address, of an object that does not live.
        self.inexact.set(self.inexact.get() || self.terms.as_bool(fits) != Some(true));
        self.assign(state, result, self.start(object));
    }

    /// The bytes of an object that `old` points to the start of come to a new one, as far as both reach. Of objects that
    /// the table does not know the size is not known: the new bytes stay arbitrary.
    fn move_bytes(&self, state: &mut State, old: Value, new: RowId, when: TermId) {
        let t = &self.terms;
        for (object, at) in self.candidates(old).into_iter().filter(|(object, _)| *object != new) {
            let when = t.and([when, self.lives(state, object), t.eq(at, self.word(0))]);
            let (old_size, new_size) = (self.row(object).size, self.row(new).size);
            let size = t.ite(t.bv_ult(old_size, new_size), old_size, new_size);
            let content = Content::Copy { from: self.start(object), memory: state.memory };
            self.write(state, (self.start(new), size), content, when);
        }
    }

    /// The life of the object that starts where a pointer leads ends, if it is such a one. Null and others change nothing.
    fn end(&self, state: &mut State, pointer: Value, ends: impl Fn(Lifetime) -> bool) {
        for (object, at) in self.candidates(pointer).into_iter().filter(|(object, _)| ends(self.lifetime(*object))) {
            let lives = self.terms.and([self.lives(state, object), self.terms.ne(at, self.word(0))]);
            state.live.insert(object, lives);
        }
        if pointer.origin.is_none() && pointer.bits != self.word(0) {
            // One that the table does not know: which addresses it had is not known either.
            self.inexact.set(true);
            state.rooms = self.fresh_array("rooms", self.program.model.pointer_bits());
        }
    }

    /// The scope of a local, or of a variable-length array, ends.
    fn end_scope(&self, state: &mut State, pointer: Value) {
        let is_local = |lifetime| matches!(lifetime, Lifetime::Stack(_));
        self.end(state, pointer, is_local);
        let objects = self.candidates(pointer).into_iter().map(|(object, _)| object);
        let objects: Vec<RowId> = objects.filter(|object| is_local(self.lifetime(*object))).collect();
        let registers = state.frames.iter_mut().flat_map(|frame| frame.registers.values_mut());
        registers.for_each(|value| value.origin = value.origin.filter(|(object, _)| !objects.contains(object)));
        state.ended.extend(objects);
    }

    /// All bytes of the object that a pointer leads into become arbitrary.
    fn forget_around(&self, state: &mut State, pointer: Value) {
        for (object, at) in self.candidates(pointer) {
            let when = self.terms.and([self.lives(state, object), self.terms.bv_ule(at, self.row(object).size)]);
            self.write_whole(state, object, self.any_bytes(), when);
        }
        if pointer.origin.is_none() {
            self.inexact.set(true);
            state.memory = self.forget_outside(self.tables.objects.borrow().next_id(), Some(state.memory));
        }
    }
}
