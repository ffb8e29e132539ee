//! Precision adjustment: what leaves a state because the precision does not track it, because it has too many values, or
//! because no known pointer leads to it.

use super::maps::EMPTY;
use super::precision::{Item, Precision, View};
use super::store::{KnownValue, Origin, State, Store, StoredObjectId};
use super::{ThresholdScope, ValueAnalysis};
use analysis::Place;

impl ValueAnalysis<'_> {
    /// Forgets heap objects that no known pointer leads to: nothing can read them exactly any more.
    pub(super) fn collect(&mut self, state: &mut State) {
        let mut heap = Vec::new();
        self.store.maps.for_each(state.mem(), &mut |object, _| {
            if matches!(self.store.object_info(StoredObjectId(object)).origin, Origin::Site(_)) {
                heap.push(StoredObjectId(object));
            }
        });
        if heap.is_empty() {
            return;
        }
        let mut marked = rustc_hash::FxHashSet::default();
        let mut work: Vec<StoredObjectId> = Vec::new();
        let mut roots = |value: KnownValue| {
            if let KnownValue::Pointer(object, _) = value {
                work.push(object);
            }
        };
        self.store.maps.for_each(state.regs(), &mut |_, handle| {
            if let Some(value) = self.store.value(handle) {
                roots(value);
            }
        });
        self.store.maps.for_each(state.mem(), &mut |object, _| {
            if matches!(self.store.object_info(StoredObjectId(object)).origin, Origin::Variable(_)) {
                work.push(StoredObjectId(object));
            }
        });
        while let Some(object) = work.pop() {
            if !marked.insert(object) {
                continue;
            }
            let content = self.store.maps.get(state.mem(), object.0).unwrap_or(EMPTY);
            self.store.maps.for_each(content, &mut |key, chunk| {
                if key > 0
                    && let Some(KnownValue::Pointer(next, _)) =
                        self.store.value(self.store.chunks[chunk as usize].value)
                {
                    work.push(next);
                }
            });
        }
        for object in heap {
            if !marked.contains(&object) {
                self.store.forget_object(state, object);
            }
        }
    }

    /// Removes what a per-location precision does not track.
    pub(super) fn restrict_to(&mut self, state: State, view: View<'_>) -> State {
        let Store { maps, .. } = &self.store;
        let mut lost_registers = Vec::new();
        maps.for_each(state.regs(), &mut |slot, _| {
            if !view.register(self.store.slot_var(slot).0) {
                lost_registers.push(slot);
            }
        });
        let mut lost_cells = Vec::new();
        maps.for_each(state.mem(), &mut |object, content| {
            let origin = self.store.object_info(StoredObjectId(object)).origin;
            maps.for_each(content, &mut |key, _| {
                let kept = if key == 0 { view.whole(origin) } else { view.cell(origin, u64::from(key) - 1) };
                if !kept {
                    lost_cells.push((object, key));
                }
            });
        });
        let mut state = state;
        for slot in lost_registers {
            state.set_regs(self.store.maps.remove(state.regs(), slot));
        }
        for (object, key) in lost_cells {
            self.store.forget_cell(&mut state, StoredObjectId(object), key);
        }
        state
    }

    /// Counts the values at a loop head and drops variables that have too many.
    ///
    /// Deviates from [BL13], which drops every variable, where the option says so: one that is not counted up or down
    /// has finitely many values. Of cells in memory all numbers are counted, no matter what writes them.
    pub(super) fn count_values(&mut self, state: State, at: Place, limit: u32, precision: &mut Precision) -> State {
        let mut entries = Vec::new();
        self.store.maps.for_each(state.regs(), &mut |slot, value| {
            if self.options.counted == ThresholdScope::All || self.costs.is_counter(self.store.slot_var(slot).0) {
                entries.push((slot, value));
            }
        });
        let mut state = state;
        for (slot, value) in entries {
            let values = self.seen.entry((at.node, slot)).or_default();
            values.insert(value);
            if values.len() > limit as usize {
                precision.drop_item(Item::Register(self.store.slot_var(slot).0));
                state.set_regs(self.store.maps.remove(state.regs(), slot));
            }
        }
        self.count_cells(state, at, limit, precision)
    }

    fn count_cells(&mut self, state: State, at: Place, limit: u32, precision: &mut Precision) -> State {
        let mut cells = Vec::new();
        let Store { maps, chunks, .. } = &self.store;
        maps.for_each(state.mem(), &mut |object, content| {
            let origin = self.store.object_info(StoredObjectId(object)).origin;
            maps.for_each(content, &mut |key, chunk| {
                if key > 0
                    && let Some(KnownValue::Bits(_)) = self.store.value(chunks[chunk as usize].value)
                {
                    cells.push((StoredObjectId(object), key, Item::Cell(origin, u64::from(key) - 1), chunk));
                }
            });
        });
        let mut state = state;
        for (object, key, item, chunk) in cells {
            let values = self.seen_in_memory.entry((at.node, item)).or_default();
            values.insert(chunk);
            if values.len() > limit as usize {
                precision.drop_item(item);
                self.store.forget_cell(&mut state, object, key);
            }
        }
        state
    }
}
