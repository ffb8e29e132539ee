//! Questions about living objects, answered from the allocation table. Of objects that the table does not know, which are
//! older than the first state or not the program's, only what a state keeps by address is known.

use crate::{Encoder, Lifetime, RowId, SymbolicState as State, SymbolicValue as Value};
use cfa::{ExprId, Living};
use smt::{Sort, TermId};

impl Encoder<'_> {
    /// The answer to a question about the value of an expression, or about none.
    pub(crate) fn living(&self, state: &State, question: Living, value: impl Fn(ExprId) -> Value) -> TermId {
        match question {
            Living::Room(pointer) => self.room(state, value(pointer)),
            Living::Freeable(pointer) => self.freeable(state, value(pointer)),
            Living::Writable(pointer) => self.writable(state, value(pointer)),
            Living::Ended(_) => self.unknown("ended", Sort::Bool),
            Living::Written(_) | Living::Heap => {
                self.unknown("living", Sort::BitVec(self.program.model.pointer_bits()))
            }
            Living::NoHeap => self.no_heap(state),
            Living::Tracked => self.terms.or([self.no_heap(state), self.unknown("reachable", Sort::Bool)]),
        }
    }

    /// Whether an object lives and a place lies in it.
    fn is_inside(&self, state: &State, (object, at): (RowId, TermId)) -> TermId {
        self.terms.and([self.lives(state, object), self.terms.bv_ult(at, self.row(object).size)])
    }

    /// Whether a pointer leads into a living object that the table does not know.
    pub(crate) fn foreign(&self, state: &State, pointer: Value) -> TermId {
        if pointer.origin.is_some() {
            return self.terms.falsity();
        }
        self.inexact.set(true);
        let known = self.terms.or(self.candidates(pointer).into_iter().map(|place| self.is_inside(state, place)));
        self.terms.and([self.terms.not(known), self.terms.bv_is_nonzero(self.terms.select(state.rooms, pointer.bits))])
    }

    fn room(&self, state: &State, pointer: Value) -> TermId {
        let t = &self.terms;
        let plain = pointer.origin.is_none();
        self.inexact.set(self.inexact.get() || plain);
        let room = if plain { t.select(state.rooms, pointer.bits) } else { self.word(0) };
        self.candidates(pointer).into_iter().fold(room, |room, (object, at)| {
            let another_life = plain && state.ended.contains(&object);
            let same_life = if another_life { self.unknown("same_life", Sort::Bool) } else { t.truth() };
            let here = t.and([self.is_inside(state, (object, at)), same_life]);
            t.ite(here, t.bv_sub(self.row(object).size, at), room)
        })
    }

    /// Whether a pointer leads to one of these places, or to one that is not known.
    fn leads_to(&self, state: &State, pointer: Value, place: impl Fn(RowId, TermId) -> Option<TermId>) -> TermId {
        let known = self.candidates(pointer).into_iter().filter_map(|(object, at)| place(object, at));
        let other = || self.terms.and([self.foreign(state, pointer), self.unknown("unknown", Sort::Bool)]);
        self.terms.or(known.chain(pointer.origin.is_none().then(other)))
    }

    fn freeable(&self, state: &State, pointer: Value) -> TermId {
        let (t, zero) = (&self.terms, self.word(0));
        let start = |object, at| t.and([self.lives(state, object), t.eq(at, zero)]);
        let place = |object, at| (self.lifetime(object) == Lifetime::Heap).then(|| start(object, at));
        t.or([t.eq(pointer.bits, zero), self.leads_to(state, pointer, place)])
    }

    /// Whether a pointer leads into no object that the table knows to be constant; of others it is not known.
    fn writable(&self, state: &State, pointer: Value) -> TermId {
        let inside = |object, at| self.row(object).constant.then(|| self.is_inside(state, (object, at)));
        self.terms.not(self.leads_to(state, pointer, inside))
    }

    fn no_heap(&self, state: &State) -> TermId {
        let heap = self.all_objects().filter(|object| self.lifetime(*object) == Lifetime::Heap);
        let other = (!state.from_start).then(|| self.unknown("heap", Sort::Bool));
        self.terms.not(self.terms.or(heap.map(|object| self.lives(state, object)).chain(other)))
    }
}
