//! What the operations of edges do to a state.

use crate::Refusal;
use crate::memory::{Spot, Write};
use crate::segment::{Encoder, SegmentEnds};
use crate::state::{Lifetime, ObjectId, SymbolicState, SymbolicValue};
use base::Span;
use cfa::{Allocation, EdgeId, ExprId, Op, Storage, VarId};
use smt::TermId;

/// What `malloc` aligns to, at least.
const HEAP_ALIGN: u64 = 8;

impl Encoder<'_> {
    /// One edge that is not a call. `None`: executions end.
    pub(crate) fn step(
        &mut self,
        edge: EdgeId,
        mut state: SymbolicState,
        out: &mut SegmentEnds,
    ) -> Result<Option<SymbolicState>, Refusal> {
        let edge = &self.program.edges[edge];
        let span = edge.span;
        let value =
            |encoder: &mut Self, state: &SymbolicState, expr| encoder.eval(&encoder.program.exprs, state, expr, span);
        match &edge.op {
            // The condition is part of the guard already.
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(var, expr) => {
                let new = value(self, &state, *expr)?;
                self.assign(&mut state, *var, new, span)?;
            }
            Op::Havoc(var, _) => self.havoc(&mut state, *var, span)?,
            Op::Init(var) => self.init(&mut state, *var, span)?,
            Op::Declare(var) => {
                let object = self.variable_object(*var, span)?;
                let yes = self.terms.truth();
                state.live.insert(object, yes);
                self.forget_object(&mut state, object);
            }
            Op::Store { to, value: stored } => {
                let (to, stored) = (value(self, &state, *to)?, value(self, &state, *stored)?);
                self.store(&mut state, to, stored.bits);
            }
            Op::Copy { to, from, size } => {
                let (to, from) = (value(self, &state, *to)?, value(self, &state, *from)?);
                let size = value(self, &state, *size)?.bits;
                let (to, from) = (self.spot(to), self.spot(from));
                let when = self.valid(&state, to, size);
                let valid = self.valid(&state, from, size);
                let bytes = self.fresh_bytes("outside");
                self.write(&mut state, Write::Copy { to, from, size, valid, bytes }, when);
            }
            Op::Fill { to, byte, size } => {
                let (to, byte) = (value(self, &state, *to)?, value(self, &state, *byte)?.bits);
                let size = value(self, &state, *size)?.bits;
                let to = self.spot(to);
                let when = self.valid(&state, to, size);
                self.write(&mut state, Write::Fill { to, size, byte }, when);
            }
            Op::HavocMemory { to, size: Some(size), source: _ } => {
                let (to, size) = (value(self, &state, *to)?, value(self, &state, *size)?.bits);
                let to = self.spot(to);
                let when = self.valid(&state, to, size);
                let bytes = self.fresh_bytes("bytes");
                self.write(&mut state, Write::Arbitrary { to, size, bytes }, when);
            }
            Op::HavocMemory { to, size: None, source: _ } => {
                let to = value(self, &state, *to)?;
                self.forget_around(&mut state, to);
            }
            Op::Allocate { result, size, how } => {
                let size = value(self, &state, *size)?.bits;
                self.allocate(&mut state, *result, size, *how, span)?;
            }
            Op::Free(pointer) => {
                let pointer = value(self, &state, *pointer)?;
                self.free(&mut state, pointer);
            }
            Op::End(pointer) => {
                let pointer = value(self, &state, *pointer)?;
                self.end(&mut state, pointer);
            }
            Op::Return(result) => {
                let function = self.frames.last().expect("an edge belongs to a function that runs").function;
                if let (Some(result), Some(var)) = (result, self.program.functions[function].result) {
                    let new = value(self, &state, *result)?;
                    self.assign(&mut state, var, new, span)?;
                }
            }
            Op::Library { function, args, result } => {
                self.library(&mut state, function.writes(), args, *result, span)?;
            }
            Op::Halt(_) => return Ok(None),
            Op::Call { .. } => unreachable!("calls are followed elsewhere"),
            // Which function it is was not looked for, since no path leads to an error.
            Op::CallPointer { .. } => {
                return Err(Refusal::Unsupported { what: "a call through a pointer".to_owned(), span });
            }
            Op::Unsupported(_) => {
                out.errors.push((span, state.guard));
                return Ok(None);
            }
        }
        Ok(Some(state))
    }

    pub(crate) fn havoc(&mut self, state: &mut SymbolicState, var: VarId, span: Span) -> Result<(), Refusal> {
        let ty =
            self.program.register(var).ok_or_else(|| Encoder::refuse("a variable in memory as a register", span))?;
        let new = self.arbitrary(var, ty);
        self.assign(state, var, new, span)
    }

    /// Zeros, then the cells.
    fn init(&mut self, state: &mut SymbolicState, var: VarId, span: Span) -> Result<(), Refusal> {
        let object = self.variable_object(var, span)?;
        debug_assert!(matches!(self.program.vars[var].storage, Storage::Memory { .. }));
        let (at, byte, yes) = (self.word(0), self.terms.bv_u64(8, 0), self.terms.truth());
        let size = self.objects[object].size;
        self.write(state, Write::Fill { to: Spot { object: Some(object), at }, size, byte }, yes);
        for cell in self.program.vars[var].init.iter() {
            let value = self.eval(&self.program.exprs, state, cell.value, span)?;
            let offset = self.word(cell.offset);
            let to = self.pointer(object, offset);
            self.store(state, to, value.bits);
        }
        Ok(())
    }

    fn allocate(
        &mut self,
        state: &mut SymbolicState,
        result: VarId,
        size: TermId,
        how: Allocation,
        span: Span,
    ) -> Result<(), Refusal> {
        let old = match how {
            Allocation::Resize(old) => Some(self.eval(&self.program.exprs, state, old, span)?),
            Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack => None,
        };
        // No object is larger than half of the address space.
        let half = self.word(self.largest_word() / 2);
        let fits = self.terms.bv_ule(size, half);
        let when = self.terms.and([state.guard, fits]);
        let lifetime = if how == Allocation::Stack { Lifetime::Stack } else { Lifetime::Heap };
        let snapshot = state.clone();
        let name = self.program.var_name(result);
        let object = self.object(name, size, (lifetime, HEAP_ALIGN), (Some(&snapshot), when));
        if lifetime == Lifetime::Stack {
            self.owners.insert(object, self.frames.len() as u32 - 1);
        }
        state.live.insert(object, fits);
        self.forget_object(state, object);
        let zero = self.word(0);
        let start = Spot { object: Some(object), at: zero };
        if how == Allocation::HeapZeroed {
            let byte = self.terms.bv_u64(8, 0);
            self.write(state, Write::Fill { to: start, size, byte }, fits);
        }
        if let Some(old) = old {
            self.move_bytes(state, old, (start, size), fits);
            self.free(state, old);
        }
        let pointer = self.pointer(object, zero);
        let pointer = if self.terms.as_bool(fits) == Some(true) {
            pointer
        } else {
            self.inexact = true;
            let failed = self.fresh_bits("too_large", self.program.model.pointer_bits());
            SymbolicValue::plain(self.terms.ite(fits, pointer.bits, failed))
        };
        self.assign(state, result, pointer, span)
    }

    /// The bytes of an object that `old` points to the start of come to a new place, as far as both reach. Of objects
    /// that the table does not know the size is not known: the new bytes stay arbitrary.
    fn move_bytes(
        &mut self,
        state: &mut SymbolicState,
        old: SymbolicValue,
        (to, new_size): (Spot, TermId),
        when: TermId,
    ) {
        let candidates: Vec<ObjectId> = match old.origin {
            Some((object, _)) => vec![object],
            None => self.objects.ids().filter(|&object| Some(object) != to.object).collect(),
        };
        for object in candidates {
            let (base, old_size) = (self.objects[object].base, self.objects[object].size);
            let lives = self.lives(state, object);
            let here = self.terms.eq(old.bits, base);
            let when = self.terms.and([when, lives, here]);
            let shorter = self.terms.bv_ult(old_size, new_size);
            let size = self.terms.ite(shorter, old_size, new_size);
            let (at, valid) = (self.word(0), self.terms.truth());
            let bytes = self.fresh_bytes("bytes");
            self.write(state, Write::Copy { to, from: Spot { object: Some(object), at }, size, valid, bytes }, when);
        }
    }

    /// Null and what is not the start of a living heap object change nothing.
    fn free(&mut self, state: &mut SymbolicState, pointer: SymbolicValue) {
        let zero = self.word(0);
        if pointer.bits == zero {
            return;
        }
        let candidates: Vec<ObjectId> = match pointer.origin {
            Some((object, _)) => vec![object],
            None => self.objects.ids().collect(),
        };
        for object in candidates {
            if self.objects[object].lifetime != Lifetime::Heap {
                continue;
            }
            let lives = self.lives(state, object);
            let base = self.objects[object].base;
            let other = self.terms.ne(pointer.bits, base);
            let lives = self.terms.and([lives, other]);
            state.live.insert(object, lives);
        }
        if pointer.origin.is_none() {
            // One that the table does not know: which addresses it had is not known either.
            self.inexact = true;
            state.other = self.fresh_addresses("other");
            state.rooms = self.fresh_words("rooms");
        }
    }

    /// The scope of a stack object ends.
    fn end(&mut self, state: &mut SymbolicState, pointer: SymbolicValue) {
        match pointer.origin {
            Some((object, _)) => {
                let no = self.terms.falsity();
                state.live.insert(object, no);
                state.ended.insert(object);
                let carries = |value: &SymbolicValue| value.origin.is_some_and(|(origin, _)| origin == object);
                for value in state.registers.values_mut().filter(|value| carries(value)) {
                    value.origin = None;
                }
            }
            // Whichever it was, it may be dead now.
            None => {
                self.inexact = true;
                for object in self.objects.ids().collect::<Vec<_>>() {
                    if self.objects[object].lifetime == Lifetime::Stack {
                        let lives = self.lives(state, object);
                        let base = self.objects[object].base;
                        let other = self.terms.ne(pointer.bits, base);
                        let lives = self.terms.and([lives, other]);
                        state.live.insert(object, lives);
                    }
                }
                state.other = self.fresh_addresses("other");
                state.rooms = self.fresh_words("rooms");
            }
        }
    }

    /// All bytes of the object that a pointer leads into become arbitrary.
    fn forget_around(&mut self, state: &mut SymbolicState, pointer: SymbolicValue) {
        if let Some((object, offset)) = pointer.origin {
            let (size, bytes, at) = (self.objects[object].size, self.fresh_bytes("bytes"), self.word(0));
            let inside = self.terms.bv_ule(offset, size);
            let lives = self.lives(state, object);
            let when = self.terms.and([lives, inside]);
            self.write(state, Write::Arbitrary { to: Spot { object: Some(object), at }, size, bytes }, when);
            return;
        }
        self.inexact = true;
        for object in self.objects.ids().collect::<Vec<_>>() {
            let at = self.terms.bv_sub(pointer.bits, self.objects[object].base);
            let size = self.objects[object].size;
            let inside = self.terms.bv_ule(at, size);
            let lives = self.lives(state, object);
            let when = self.terms.and([lives, inside]);
            let (at, bytes) = (self.word(0), self.fresh_bytes("bytes"));
            self.write(state, Write::Arbitrary { to: Spot { object: Some(object), at }, size, bytes }, when);
        }
        let (known, bytes, yes) = (self.objects.ids().collect(), self.fresh_bytes("bytes"), self.terms.truth());
        self.write(state, Write::Forget { known, bytes }, yes);
    }

    fn library(
        &mut self,
        state: &mut SymbolicState,
        writes: &[usize],
        args: &[ExprId],
        result: Option<VarId>,
        span: Span,
    ) -> Result<(), Refusal> {
        self.inexact = true;
        for arg in writes.iter().filter_map(|&at| args.get(at)) {
            let pointer = self.eval(&self.program.exprs, state, *arg, span)?;
            self.forget_around(state, pointer);
        }
        result.map_or(Ok(()), |result| self.havoc(state, result, span))
    }
}
