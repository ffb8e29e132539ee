//! Questions about living objects, answered from the allocation table. Of objects that the table does not know, which are
//! older than the first state or not the program's, only what a state keeps by address is known.

use crate::segment::Encoder;
use crate::state::{Lifetime, ObjectId, SymbolicState, SymbolicValue};
use cfa::Living;
use smt::{Sort, TermId};

impl Encoder<'_> {
    /// The answer to a question; `pointer` is what it is about.
    pub(crate) fn living(&mut self, state: &SymbolicState, question: Living, pointer: Option<SymbolicValue>) -> TermId {
        match (question, pointer) {
            (Living::Room(_), Some(pointer)) => self.room(state, pointer),
            (Living::Written(_), _) => {
                self.inexact = true;
                self.terms.fresh_var("written", Sort::BitVec(self.program.model.pointer_bits()))
            }
            (Living::Freeable(_), Some(pointer)) => self.freeable(state, pointer),
            (Living::Writable(_), Some(pointer)) => self.writable(state, pointer),
            (Living::Ended(_), _) => self.unknown_truth(),
            (Living::Heap, _) => {
                self.inexact = true;
                self.terms.fresh_var("living", Sort::BitVec(self.program.model.pointer_bits()))
            }
            (Living::NoHeap, _) => self.no_heap(state),
            (Living::Tracked, _) => {
                let none = self.no_heap(state);
                let reachable = self.unknown_truth();
                self.terms.or([none, reachable])
            }
            (Living::Room(_) | Living::Freeable(_) | Living::Writable(_), None) => {
                unreachable!("the question is about a pointer")
            }
        }
    }

    fn unknown_truth(&mut self) -> TermId {
        self.inexact = true;
        self.terms.fresh_var("reachable", Sort::Bool)
    }

    fn room(&mut self, state: &SymbolicState, pointer: SymbolicValue) -> TermId {
        let nothing = self.word(0);
        if let Some((object, at)) = pointer.origin {
            return self.room_in(state, object, at, nothing);
        }
        self.inexact = true;
        let foreign = self.terms.select(state.other, pointer.bits);
        let rest = self.terms.select(state.rooms, pointer.bits);
        let mut room = self.terms.ite(foreign, rest, nothing);
        for object in self.objects.ids().collect::<Vec<_>>() {
            let at = self.terms.bv_sub(pointer.bits, self.objects[object].base);
            let before = room;
            room = self.room_in(state, object, at, before);
            if state.ended.contains(&object) {
                let same_life = self.unknown_truth();
                room = self.terms.ite(same_life, room, before);
            }
        }
        room
    }

    /// The bytes of an object from `at` on, `otherwise` if it is dead or ends before.
    fn room_in(&mut self, state: &SymbolicState, object: ObjectId, at: TermId, otherwise: TermId) -> TermId {
        let size = self.objects[object].size;
        let (inside, lives) = (self.terms.bv_ult(at, size), self.lives(state, object));
        let here = self.terms.and([inside, lives]);
        let rest = self.terms.bv_sub(size, at);
        self.terms.ite(here, rest, otherwise)
    }

    fn freeable(&mut self, state: &SymbolicState, pointer: SymbolicValue) -> TermId {
        let zero = self.word(0);
        let mut ways = vec![self.terms.eq(pointer.bits, zero)];
        let candidates: Vec<ObjectId> = match pointer.origin {
            Some((object, _)) => vec![object],
            None => self.objects.ids().collect(),
        };
        for object in candidates {
            if self.objects[object].lifetime == Lifetime::Heap {
                let lives = self.lives(state, object);
                let base = self.objects[object].base;
                let start = self.terms.eq(pointer.bits, base);
                ways.push(self.terms.and([lives, start]));
            }
        }
        if pointer.origin.is_none() {
            let foreign = self.terms.select(state.other, pointer.bits);
            let start = self.unknown_truth();
            ways.push(self.terms.and([foreign, start]));
        }
        self.terms.or(ways)
    }

    /// Whether a pointer leads into no object that the table knows to be constant; of others it is not known.
    fn writable(&mut self, state: &SymbolicState, pointer: SymbolicValue) -> TermId {
        let locals = self.frames.iter().flat_map(|frame| frame.objects.iter());
        let constants: Vec<ObjectId> = self
            .statics
            .iter()
            .chain(locals)
            .filter(|(var, _)| self.program.is_read_only(**var))
            .map(|(_, object)| *object)
            .filter(|&object| pointer.origin.is_none_or(|(origin, _)| origin == object))
            .collect();
        let mut all = Vec::new();
        for object in constants {
            let at = match pointer.origin {
                Some((_, at)) => at,
                None => self.terms.bv_sub(pointer.bits, self.objects[object].base),
            };
            let (inside, lives) = (self.terms.bv_ult(at, self.objects[object].size), self.lives(state, object));
            let here = self.terms.and([inside, lives]);
            all.push(self.terms.not(here));
        }
        if pointer.origin.is_none() {
            let foreign = self.terms.select(state.other, pointer.bits);
            let (own, unknown) = (self.terms.not(foreign), self.unknown_truth());
            all.push(self.terms.or([own, unknown]));
        }
        self.terms.and(all)
    }

    fn no_heap(&mut self, state: &SymbolicState) -> TermId {
        let mut all = Vec::new();
        for object in self.objects.ids().collect::<Vec<_>>() {
            if self.objects[object].lifetime == Lifetime::Heap {
                let lives = self.lives(state, object);
                all.push(self.terms.not(lives));
            }
        }
        if !state.from_start {
            all.push(self.unknown_truth());
        }
        self.terms.and(all)
    }
}
