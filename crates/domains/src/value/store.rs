//! What value states are made of: registers and objects with dense numbers, values with small handles, and the two
//! maps of a state. γ(state) = all concrete states that agree with every register and every byte that it knows.

use super::maps::{EMPTY, Maps, Root};
use super::sign::Sign;
use base::{Id, IdVec, define_id};
use cfa::{EdgeId, FunctionId, Program, Storage, VarId};
use rustc_hash::FxHashMap;

define_id!(
    /// An object in memory, of one [`Store`].
    StoredObjectId,
    "object"
);

/// A known value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KnownValue {
    /// The bits of its encoding: numbers, truth values, null, and addresses without provenance.
    Bits(u128),
    /// An object's address plus so many bytes, also as an integer as wide as a pointer.
    Pointer(StoredObjectId, i64),
    /// The address of a function.
    Function(FunctionId),
    /// Any integer or pointer with one of these signs.
    Sign(Sign),
}

/// What an object in memory stems from; precisions name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// A memory variable.
    Variable(VarId),
    /// An `Allocate` edge.
    Site(EdgeId),
}

/// An object in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StoredObject {
    /// Where it comes from.
    pub origin: Origin,
    /// Variables and `alloca`: how many activations of the function lie below the one it belongs to.
    pub depth: u32,
    /// Which one of the site's objects.
    pub instance: u32,
    /// Bytes, where known.
    pub size: Option<u64>,
    /// Whether it dies with its activation.
    pub local: bool,
}

/// A conjunction of known values: two maps, everything else lies in the `Store`. The maps share one word, because half
/// of a state written and then a whole one read makes the processor wait until all writes before it, such as that of a
/// new map into its table, have reached the cache. Packed, so that nodes of a graph have no padding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(Rust, packed(4))]
pub struct State(u64);

impl State {
    pub(super) fn new(regs: Root, mem: Root) -> Self {
        Self(u64::from(regs) << 32 | u64::from(mem))
    }

    /// From register slots to values.
    pub(super) fn regs(self) -> Root {
        (self.0 >> 32) as Root
    }

    /// From objects to their contents.
    pub(super) fn mem(self) -> Root {
        self.0 as Root
    }

    pub(super) fn set_regs(&mut self, regs: Root) {
        *self = Self::new(regs, self.mem());
    }

    pub(super) fn set_mem(&mut self, mem: Root) {
        *self = Self::new(self.regs(), mem);
    }

    /// Different for different states.
    pub(super) fn number(self) -> u64 {
        self.0
    }
}

/// A handle of a value: odd for small numbers, even for entries of a table. 0 is "unknown".
pub(super) type Handle = u32;
pub(super) const UNKNOWN: Handle = 0;

/// Some bytes with one value, or (only in an object with a fill) an unknown one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Chunk {
    pub size: u8,
    pub value: Handle,
}

/// All values, slots, objects and maps of one analysis.
pub struct Store<'p> {
    pub(super) program: &'p Program,
    pub(super) maps: Maps,
    values: Vec<KnownValue>,
    value_index: FxHashMap<KnownValue, Handle>,
    pub(super) chunks: Vec<Chunk>,
    chunk_index: FxHashMap<Chunk, u32>,
    objects: IdVec<StoredObjectId, StoredObject>,
    object_index: FxHashMap<StoredObject, StoredObjectId>,
    /// Of memory variables at depth 0.
    var_objects: Vec<Option<StoredObjectId>>,
    slots: Vec<(VarId, u32)>,
    /// Of registers at depth 0; `u32::MAX` if it has none yet.
    var_slots: Vec<u32>,
    deep_slots: FxHashMap<(VarId, u32), u32>,
    is_local: Vec<bool>,
}

impl<'p> Store<'p> {
    /// A store for one program.
    pub fn new(program: &'p Program) -> Self {
        let mut store = Self {
            program,
            maps: Maps::default(),
            values: vec![KnownValue::Bits(0)],
            value_index: FxHashMap::default(),
            chunks: Vec::new(),
            chunk_index: FxHashMap::default(),
            objects: IdVec::new(),
            object_index: FxHashMap::default(),
            var_objects: vec![None; program.vars.len()],
            slots: Vec::new(),
            var_slots: vec![u32::MAX; program.vars.len()],
            deep_slots: FxHashMap::default(),
            is_local: program.vars.iter().map(|(_, variable)| variable.function.is_some()).collect(),
        };
        for (var, variable) in program.vars.iter() {
            if let Storage::Memory { size, .. } = variable.storage {
                let id = store.object(store.variable_object(var, 0, size));
                store.var_objects[var.index()] = Some(id);
            }
        }
        store
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.maps.bytes() + self.values.len() * 48 + self.chunks.len() * 24
    }

    fn variable_object(&self, var: VarId, depth: u32, size: u64) -> StoredObject {
        let local = self.is_local[var.index()];
        let depth = if local { depth } else { 0 };
        StoredObject { origin: Origin::Variable(var), depth, instance: 0, size: Some(size), local }
    }

    /// The id of an object.
    pub(super) fn object(&mut self, object: StoredObject) -> StoredObjectId {
        debug_assert!(object.local || object.depth == 0, "only what dies with an activation belongs to one");
        *self.object_index.entry(object).or_insert_with(|| self.objects.push(object))
    }

    /// What is known of an object.
    pub fn object_info(&self, id: StoredObjectId) -> &StoredObject {
        &self.objects[id]
    }

    /// The object of a memory variable in the activation with that many of its function below it. `None` for an
    /// activation that was never entered.
    pub(super) fn object_of(&self, var: VarId, depth: u32) -> Option<StoredObjectId> {
        if depth == 0 || !self.is_local[var.index()] {
            return self.var_objects[var.index()];
        }
        let Storage::Memory { size, .. } = self.program.vars[var].storage else { return None };
        self.object_index.get(&self.variable_object(var, depth, size)).copied()
    }

    /// Makes the objects of a function's activation known.
    pub(super) fn enter(&mut self, function: FunctionId, depth: u32) {
        if depth == 0 {
            return;
        }
        let program = self.program;
        for &var in &program.functions[function].locals {
            if let Storage::Memory { size, .. } = program.vars[var].storage {
                self.object(self.variable_object(var, depth, size));
            }
        }
    }

    /// The slot of a register, if it ever had a value.
    pub(super) fn known_slot(&self, var: VarId, depth: u32) -> Option<u32> {
        debug_assert!(matches!(self.program.vars[var].storage, Storage::Register(_)), "{var} is not a register");
        if depth == 0 || !self.is_local[var.index()] {
            let slot = self.var_slots[var.index()];
            return (slot != u32::MAX).then_some(slot);
        }
        self.deep_slots.get(&(var, depth)).copied()
    }

    /// The slot of a register.
    pub(super) fn slot(&mut self, var: VarId, depth: u32) -> u32 {
        if let Some(slot) = self.known_slot(var, depth) {
            return slot;
        }
        let depth = if self.is_local[var.index()] { depth } else { 0 };
        assert!(self.slots.len() < u32::MAX as usize, "the last number means none");
        let slot = self.slots.len() as u32;
        self.slots.push((var, depth));
        match depth {
            0 => self.var_slots[var.index()] = slot,
            _ => drop(self.deep_slots.insert((var, depth), slot)),
        }
        slot
    }

    /// The register of a slot.
    pub(super) fn slot_var(&self, slot: u32) -> (VarId, u32) {
        self.slots[slot as usize]
    }

    /// The handle of a value.
    pub(super) fn handle(&mut self, value: KnownValue) -> Handle {
        if let KnownValue::Bits(bits) = value
            && bits < 1 << 31
        {
            return (bits as u32) << 1 | 1;
        }
        *self.value_index.entry(value).or_insert_with(|| {
            self.values.push(value);
            u32::try_from((self.values.len() - 1) << 1).expect("fewer than 2^31 large values")
        })
    }

    /// The value of a handle; `None` for "unknown".
    pub(super) fn value(&self, handle: Handle) -> Option<KnownValue> {
        match handle {
            UNKNOWN => None,
            small if small & 1 == 1 => Some(KnownValue::Bits(u128::from(small >> 1))),
            large => Some(self.values[large as usize >> 1]),
        }
    }

    pub(super) fn chunk(&mut self, chunk: Chunk) -> u32 {
        debug_assert!((1..=16).contains(&chunk.size), "chunks are scalars");
        *self.chunk_index.entry(chunk).or_insert_with(|| {
            self.chunks.push(chunk);
            self.chunks.len() as u32 - 1
        })
    }

    /// The value of a register.
    pub(super) fn register(&self, state: State, var: VarId, depth: u32) -> Option<KnownValue> {
        let slot = self.known_slot(var, depth)?;
        self.value(self.maps.get(state.regs(), slot)?)
    }

    /// The state with the value of a register set or, with `None`, forgotten.
    pub(super) fn with_register(&mut self, state: State, var: VarId, depth: u32, value: Option<KnownValue>) -> State {
        let regs = match value {
            Some(value) => {
                let slot = self.slot(var, depth);
                let handle = self.handle(value);
                self.maps.set(state.regs(), slot, handle)
            }
            None if state.regs() == EMPTY => EMPTY,
            None => match self.known_slot(var, depth) {
                Some(slot) => self.maps.remove(state.regs(), slot),
                None => state.regs(),
            },
        };
        State::new(regs, state.mem())
    }

    /// Forgets the contents of all objects that `dead` names and every pointer to them.
    pub(super) fn kill(&mut self, state: &mut State, dead: &dyn Fn(&StoredObject) -> bool) {
        let Self { maps, values, objects, chunks, .. } = self;
        let points_there = |handle: Handle| {
            handle & 1 == 0
                && handle != UNKNOWN
                && matches!(values[handle as usize >> 1], KnownValue::Pointer(object, _) if dead(&objects[object]))
        };
        state.set_regs(maps.map(state.regs(), &mut |_, _, handle| (!points_there(handle)).then_some(handle)));
        let mem = maps.map(state.mem(), &mut |maps, object, content| {
            if dead(&objects[StoredObjectId(object)]) {
                return None;
            }
            // In an object with a fill, a lost pointer would have to become an explicit "unknown"; forget it all.
            let filled = maps.get(content, 0).is_some();
            let mut lost = false;
            let content = maps.map(content, &mut |_, key, chunk| {
                let gone = key > 0 && points_there(chunks[chunk as usize].value);
                lost |= gone;
                (!gone).then_some(chunk)
            });
            (content != EMPTY && !(filled && lost)).then_some(content)
        });
        state.set_mem(mem);
    }
}

/// Comparison of states.
impl Store<'_> {
    /// Whether `old` stands for all that `new` stands for: it knows nothing that `new` does not.
    pub(super) fn covers(&self, old: State, new: State) -> bool {
        self.maps.includes(new.regs(), old.regs(), &|_, _| false)
            && self.maps.includes(new.mem(), old.mem(), &|new, old| self.content_covers(old, new))
    }

    /// Whether `new` knows all that `old` knows of an object. Where there is a fill, missing chunks mean the fill.
    fn content_covers(&self, old: Root, new: Root) -> bool {
        let (filled, byte) = match (self.fill_of(old), self.fill_of(new)) {
            (None, None) => return self.maps.includes(new, old, &|_, _| false),
            (Some(old), Some(new)) if old == new => (true, new),
            (None, Some(new)) => (false, new),
            (Some(_), _) => return false,
        };
        let mut all = true;
        self.maps.for_each(old, &mut |key, known| {
            if key == 0 || self.maps.get(new, key) == Some(known) {
                return;
            }
            let Chunk { size, value } = self.chunks[known as usize];
            all &= match self.value(value) {
                None => true,
                Some(KnownValue::Bits(bits)) => {
                    !filled && self.is_filled(new, u64::from(key) - 1, u64::from(size), byte, bits)
                }
                Some(KnownValue::Pointer(..) | KnownValue::Function(_) | KnownValue::Sign(_)) => false,
            };
        });
        // Elsewhere `old` has the fill, so `new` must have no chunk there.
        self.maps.for_each(new, &mut |key, chunk| {
            let extent = |chunk: u32| self.chunks[chunk as usize].size;
            all &= !filled || key == 0 || self.maps.get(old, key).map(extent) == Some(extent(chunk));
        });
        all
    }

    /// Whether two states know the same cells.
    pub(super) fn same_shape(&self, a: State, b: State) -> bool {
        self.maps.same_keys(a.regs(), b.regs(), &|_, _| true)
            && self.maps.same_keys(a.mem(), b.mem(), &|x, y| self.maps.same_keys(x, y, &|_, _| true))
    }

    /// The state that knows of `state` just the cells that `shape` knows, if it was ever made.
    pub(super) fn project(&self, state: State, shape: State) -> Option<State> {
        let regs = self.maps.project(state.regs(), shape.regs(), &|ours, _| Some(ours))?;
        let mem = self.maps.project(state.mem(), shape.mem(), &|ours, theirs| {
            if self.fill_of(ours).is_some() || self.fill_of(theirs).is_some() {
                return (self.fill_of(ours) == self.fill_of(theirs)).then_some(ours);
            }
            self.maps.project(ours, theirs, &|chunk, _| Some(chunk))
        })?;
        Some(State::new(regs, mem))
    }

    /// Forgets the chunk at a key of an object's content; all of the object if it has a fill.
    pub(super) fn forget_cell(&mut self, state: &mut State, object: StoredObjectId, key: u32) {
        debug_assert!(object.index() < self.objects.len(), "an object of this store");
        let Some(content) = self.maps.get(state.mem(), object.0) else { return };
        let content = if self.fill_of(content).is_some() { EMPTY } else { self.maps.remove(content, key) };
        let mem = match content {
            EMPTY => self.maps.remove(state.mem(), object.0),
            _ => self.maps.set(state.mem(), object.0, content),
        };
        state.set_mem(mem);
    }
}
