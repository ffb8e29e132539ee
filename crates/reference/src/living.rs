//! Questions about living objects, answered from the allocation table. Of objects that the table does not know, which are
//! older than the first state or not the program's, only what a state keeps by address is known.

use crate::{Encoder, ObjectId, SymbolicState as State, SymbolicValue as Value, objects::Lifetime};
use cfa::{ExprId, Living};
use smt::TermId;
use std::collections::BTreeSet;

impl Encoder<'_> {
    /// The answer to a question about the value of an expression, or about none.
    pub(crate) fn living(&self, state: &State, question: Living, value: impl Fn(ExprId) -> Value) -> TermId {
        match question {
            Living::Room(pointer) => self.room(state, value(pointer)),
            Living::Freeable(pointer) => self.freeable(state, value(pointer)),
            Living::Writable(pointer) => self.writable(state, value(pointer)),
            Living::Ended(_) => self.unknown("ended"),
            Living::Written(_) | Living::Heap => {
                self.inexact.set(true);
                self.fresh_bits("living", self.program.model.pointer_bits())
            }
            Living::NoHeap => self.no_heap(state),
            Living::Tracked => self.terms.or([self.no_heap(state), self.unknown("reachable")]),
        }
    }

    /// Whether an object lives and a place lies in it.
    fn is_inside(&self, state: &State, (object, at): (ObjectId, TermId)) -> TermId {
        self.terms.and([self.lives(state, object), self.terms.bv_ult(at, self.size(object))])
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
            let same_life = if another_life { self.unknown("same_life") } else { t.truth() };
            let here = t.and([self.is_inside(state, (object, at)), same_life]);
            t.ite(here, t.bv_sub(self.size(object), at), room)
        })
    }

    fn freeable(&self, state: &State, pointer: Value) -> TermId {
        let (t, zero) = (&self.terms, self.word(0));
        let heap = |(object, _): &(ObjectId, TermId)| self.lifetime(*object) == Lifetime::Heap;
        let starts = |(object, at)| t.and([self.lives(state, object), t.eq(at, zero)]);
        let known = t.or(self.candidates(pointer).into_iter().filter(heap).map(starts));
        let other = pointer.origin.is_none().then(|| t.and([self.foreign(state, pointer), self.unknown("start")]));
        t.or([known, t.eq(pointer.bits, zero)].into_iter().chain(other))
    }

    /// Whether a pointer leads into no object that the table knows to be constant; of others it is not known.
    fn writable(&self, state: &State, pointer: Value) -> TermId {
        let (t, statics) = (&self.terms, self.statics.borrow());
        let variables = state.frames.iter().flat_map(|frame| &frame.objects).chain(&*statics);
        let constants = variables.filter(|(var, _)| self.program.is_read_only(**var));
        let constants: BTreeSet<ObjectId> = constants.map(|(_, object)| *object).collect();
        let places = self.candidates(pointer).into_iter().filter(|(object, _)| constants.contains(object));
        let constant = t.or(places.map(|place| self.is_inside(state, place)));
        let other = pointer.origin.is_none().then(|| t.and([self.foreign(state, pointer), self.unknown("constant")]));
        t.not(t.or([constant].into_iter().chain(other)))
    }

    fn no_heap(&self, state: &State) -> TermId {
        let heap = self.all_objects().filter(|object| self.lifetime(*object) == Lifetime::Heap);
        let other = (!state.from_start).then(|| self.unknown("heap"));
        self.terms.not(self.terms.or(heap.map(|object| self.lives(state, object)).chain(other)))
    }
}
