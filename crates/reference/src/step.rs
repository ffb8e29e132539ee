//! What the operations of edges do to a state.

use crate::{Encoder, ObjectId, SymbolicState as State, SymbolicValue as Value, memory::Content, objects::Lifetime};
use cfa::{Allocation, EdgeId, Op, VarId};
use smt::TermId;

/// What `malloc` aligns to, at least.
const HEAP_ALIGN: u64 = 8;

impl Encoder<'_> {
    /// An edge on which executions go on in the same function.
    pub fn step(&self, edge: EdgeId, state: &mut State) {
        self.place.set(self.program.edges[edge].span);
        match self.program.edges[edge].op {
            // The condition is part of the guard already.
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(var, expr) => self.assign(state, var, self.value(state, expr)),
            Op::Havoc(var, _) => self.havoc(state, var),
            Op::Init(var) => self.init(state, var),
            Op::Declare(var) => {
                self.bring_to_life(state, self.variable_object(state, var), self.terms.truth());
            }
            Op::Store { to, value } => self.store(state, self.value(state, to), self.value(state, value).bits),
            Op::Copy { to, from, size } => {
                let (from, size) = (self.value(state, from), self.value(state, size).bits);
                let (valid, otherwise) = (self.valid(state, from, size), self.fresh_array("outside", 8));
                self.write_inside(state, (self.value(state, to), size), Content::Copy { from, valid, otherwise });
            }
            Op::Fill { to, byte, size } => {
                let (byte, size) = (self.value(state, byte).bits, self.value(state, size).bits);
                self.write_inside(state, (self.value(state, to), size), Content::Fill(byte));
            }
            Op::HavocMemory { to, size: Some(size), source: _ } => {
                let to = (self.value(state, to), self.value(state, size).bits);
                self.write_inside(state, to, Content::Array(self.fresh_array("bytes", 8)));
            }
            Op::HavocMemory { to, size: None, source: _ } => self.forget_around(state, self.value(state, to)),
            Op::Allocate { result, size, how } => self.allocate(state, result, self.value(state, size).bits, how),
            Op::Free(pointer) => self.end(state, self.value(state, pointer), |lifetime| lifetime == Lifetime::Heap),
            Op::End(pointer) => self.end_scope(state, self.value(state, pointer)),
            Op::Return(result) => {
                let function = state.frames.last().expect("an edge belongs to a function that runs").function;
                if let (Some(result), Some(var)) = (result, self.program.functions[function].result) {
                    self.assign(state, var, self.value(state, result));
                }
            }
            Op::Library { function, ref args, result } => {
                self.inexact.set(true);
                for &arg in function.writes().iter().filter_map(|&at| args.get(at)) {
                    self.forget_around(state, self.value(state, arg));
                }
                result.into_iter().for_each(|result| self.havoc(state, result));
            }
            // Which function it is was not looked for, since no path leads to an error.
            Op::CallPointer { .. } => self.unsupported("a call through a pointer"),
            Op::Call { .. } | Op::Halt(_) | Op::Unsupported(_) => unreachable!("executions do not go on here"),
        }
    }

    /// Zeros, then the cells.
    fn init(&self, state: &mut State, var: VarId) {
        let object = self.variable_object(state, var);
        let zeros = Content::Fill(self.terms.bv_u64(8, 0));
        self.write(state, (self.start(object), self.size(object)), zeros, self.terms.truth());
        for cell in self.program.vars[var].init.iter() {
            let to = self.pointer(object, self.word(cell.offset));
            self.store(state, to, self.value(state, cell.value).bits);
        }
    }

    fn allocate(&self, state: &mut State, result: VarId, size: TermId, how: Allocation) {
        // No object is larger than half of the address space.
        let half = self.word(u64::MAX >> (65 - self.program.model.pointer_bits()));
        let fits = self.terms.bv_ule(size, half);
        let lifetime = if how == Allocation::Stack { Lifetime::Stack(state.frames.len() - 1) } else { Lifetime::Heap };
        let when = self.terms.and([state.guard, fits]);
        let object = self.object((state, when), (self.program.var_name(result), size), (lifetime, HEAP_ALIGN));
        self.bring_to_life(state, object, fits);
        match how {
            Allocation::Heap | Allocation::Stack => {}
            Allocation::HeapZeroed => {
                let zeros = Content::Fill(self.terms.bv_u64(8, 0));
                self.write(state, (self.start(object), size), zeros, fits);
            }
            Allocation::Resize(old) => {
                let old = self.value(state, old);
                self.move_bytes(state, old, object, fits);
                self.end(state, old, |lifetime| lifetime == Lifetime::Heap);
            }
        }
        let mut pointer = self.start(object);
        if self.terms.as_bool(fits) != Some(true) {
            self.inexact.set(true);
            let failed = self.fresh_bits("too_large", self.program.model.pointer_bits());
            pointer = Value::plain(self.terms.ite(fits, pointer.bits, failed));
        }
        self.assign(state, result, pointer);
    }

    /// The bytes of an object that `old` points to the start of come to a new one, as far as both reach. Of objects that
    /// the table does not know the size is not known: the new bytes stay arbitrary.
    fn move_bytes(&self, state: &mut State, old: Value, new: ObjectId, when: TermId) {
        let t = &self.terms;
        for (object, at) in self.candidates(old).into_iter().filter(|(object, _)| *object != new) {
            let when = t.and([when, self.lives(state, object), t.eq(at, self.word(0))]);
            let (old_size, new_size) = (self.size(object), self.size(new));
            let size = t.ite(t.bv_ult(old_size, new_size), old_size, new_size);
            let otherwise = self.fresh_array("bytes", 8);
            let content = Content::Copy { from: self.start(object), valid: t.truth(), otherwise };
            self.write(state, (self.start(new), size), content, when);
        }
    }

    /// The life of the object that starts where a pointer leads ends, if it is such a one. Null and others change nothing.
    fn end(&self, state: &mut State, pointer: Value, ends: impl Fn(Lifetime) -> bool) {
        if pointer.bits == self.word(0) {
            return;
        }
        for (object, at) in self.candidates(pointer).into_iter().filter(|(object, _)| ends(self.lifetime(*object))) {
            let lives = self.terms.and([self.lives(state, object), self.terms.ne(at, self.word(0))]);
            state.live.insert(object, lives);
        }
        if pointer.origin.is_none() {
            // One that the table does not know: which addresses it had is not known either.
            self.inexact.set(true);
            state.rooms = self.any_rooms();
        }
    }

    /// The scope of a local, or of a variable-length array, ends.
    fn end_scope(&self, state: &mut State, pointer: Value) {
        self.end(state, pointer, |lifetime| matches!(lifetime, Lifetime::Stack(_)));
        let objects: Vec<ObjectId> = self.candidates(pointer).into_iter().map(|(object, _)| object).collect();
        let registers = state.frames.iter_mut().flat_map(|frame| frame.registers.values_mut());
        for value in registers.filter(|value| value.origin.is_some_and(|(object, _)| objects.contains(&object))) {
            value.origin = None;
        }
        state.ended.extend(objects);
    }

    /// All bytes of the object that a pointer leads into become arbitrary.
    fn forget_around(&self, state: &mut State, pointer: Value) {
        for (object, at) in self.candidates(pointer) {
            let when = self.terms.and([self.lives(state, object), self.terms.bv_ule(at, self.size(object))]);
            let bytes = Content::Array(self.fresh_array("bytes", 8));
            self.write(state, (self.start(object), self.size(object)), bytes, when);
        }
        if pointer.origin.is_none() {
            self.inexact.set(true);
            self.forget_outside(state);
        }
    }
}
