//! Symbolic memory graphs [DPV13]: what registers and objects hold. γ(graph) are the concrete states in which each object
//! of the graph is a live object, or a chain of them, no two are the same, and all values are as the graph says.
//! A concrete state may have further objects: those that only unknown pointers lead to, or none; on the heap only where
//! objects were lost.

use super::object::{Content, GraphObject, Shape, certain};
use super::value::{End, Name, Pointer, Value};
use cfa::VarId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// One abstract state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Graph {
    /// Registers of which something is known, by activation.
    pub registers: BTreeMap<(VarId, u32), Value>,
    /// All objects that can be named.
    pub objects: BTreeMap<Name, Rc<GraphObject>>,
    /// Whether heap objects may live that the graph does not name. Always where it is not asked for.
    pub lost: bool,
}

impl Graph {
    /// A register's value.
    pub fn register(&self, slot: (VarId, u32)) -> Value {
        self.registers.get(&slot).cloned().unwrap_or(Value::TOP)
    }

    /// Sets a register.
    pub fn set(&mut self, slot: (VarId, u32), value: Value) {
        debug_assert!(
            !matches!(value, Value::Pointer(Pointer { to: Name::Local(..), .. })),
            "names of bodies stay in bodies"
        );
        if value.is_top() {
            self.registers.remove(&slot);
        } else {
            self.registers.insert(slot, value);
        }
    }

    /// Adds an object under a name of its own.
    pub fn add(&mut self, object: GraphObject) -> Name {
        let name = self.fresh();
        let before = self.objects.insert(name, Rc::new(object));
        assert!(before.is_none(), "the name is new");
        name
    }

    /// A name that no object has.
    pub fn fresh(&self) -> Name {
        let last = self.objects.range(Name::Heap(0)..=Name::Heap(u32::MAX)).next_back();
        match last {
            Some((Name::Heap(number), _)) => Name::Heap(number + 1),
            Some(_) | None => Name::Heap(0),
        }
    }

    /// The plain object there, if it is one and `width` bytes at the address are inside it.
    pub fn content(&self, pointer: Pointer, width: u64) -> Option<(&Content, u64)> {
        let object = self.objects.get(&pointer.to)?;
        let at =
            u64::try_from(pointer.at).ok().filter(|at| at.checked_add(width).is_some_and(|end| end <= object.size))?;
        match &object.shape {
            Shape::Plain(content) => Some((content, at)),
            Shape::Segment(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn content_mut(&mut self, pointer: Pointer, width: u64) -> Option<(&mut Content, u64)> {
        let object = self.objects.get_mut(&pointer.to)?;
        let at =
            u64::try_from(pointer.at).ok().filter(|at| at.checked_add(width).is_some_and(|end| end <= object.size))?;
        match &mut Rc::make_mut(object).shape {
            Shape::Plain(content) => Some((content, at)),
            Shape::Segment(_) => None,
        }
    }

    /// Whether an address is that of a byte of its object.
    pub fn is_inside(&self, pointer: Pointer) -> bool {
        self.size(pointer).is_some_and(|size| u64::try_from(pointer.at).is_ok_and(|at| at < size))
    }

    /// Whether an address is that of a byte of its object or of its end.
    pub fn is_within(&self, pointer: Pointer) -> bool {
        self.size(pointer).is_some_and(|size| u64::try_from(pointer.at).is_ok_and(|at| at <= size))
    }

    fn size(&self, pointer: Pointer) -> Option<u64> {
        self.objects.get(&pointer.to).map(|object| object.size)
    }

    /// Whether an object is a segment.
    pub fn is_segment(&self, name: Name) -> bool {
        self.objects.get(&name).is_some_and(|object| matches!(object.shape, Shape::Segment(_)))
    }

    /// Replaces all addresses.
    pub fn map(&mut self, change: &mut dyn FnMut(Pointer) -> Value) {
        let mut lost = Vec::new();
        for (slot, value) in &mut self.registers {
            if let Value::Pointer(pointer) = value {
                *value = change(*pointer);
                if value.is_top() {
                    lost.push(*slot);
                }
            }
        }
        for slot in lost {
            self.registers.remove(&slot);
        }
        for object in self.objects.values_mut() {
            if !has_pointer(object) {
                continue;
            }
            Rc::make_mut(object).map(0, &mut |_, pointer| match pointer.to {
                Name::Local(..) => Value::Pointer(pointer),
                Name::Var(..) | Name::Heap(_) => change(pointer),
            });
        }
    }

    /// Ends the life of objects. Of addresses of them it is only known that they are not null.
    pub fn kill(&mut self, dead: &dyn Fn(Name) -> bool) {
        if self.objects.keys().any(|&name| dead(name)) {
            let before = self.clone();
            self.objects.retain(|&name, _| !dead(name));
            self.map(&mut |pointer| match dead(pointer.to) {
                true if before.is_within(pointer) => Value::Not(vec![0]),
                true => Value::TOP,
                false => Value::Pointer(pointer),
            });
        }
    }

    /// Drops heap objects that no known address leads to, and numbers the others in the order in which they are found,
    /// so that equal graphs are written the same.
    pub fn tidy(&mut self) {
        let mut order: Vec<Name> = Vec::new();
        let mut seen: BTreeSet<Name> = BTreeSet::new();
        let mut queue: VecDeque<Name> = VecDeque::new();
        let roots = self.registers.values().filter_map(|value| match value {
            Value::Pointer(pointer) => Some(pointer.to),
            Value::In(_) | Value::Not(_) | Value::Function(_) => None,
        });
        queue.extend(roots);
        queue.extend(self.objects.keys().copied().filter(|name| matches!(name, Name::Var(..))));
        while let Some(name) = queue.pop_front() {
            if !seen.insert(name) {
                continue;
            }
            let Some(object) = self.objects.get(&name) else { continue };
            if let Name::Heap(_) = name {
                order.push(name);
            }
            queue.extend(object.targets());
        }
        let heap = self.objects.range(Name::Heap(0)..=Name::Heap(u32::MAX)).map(|(name, _)| *name);
        if heap.eq(order.iter().copied()) && order.iter().enumerate().all(|(at, name)| *name == Name::Heap(at as u32)) {
            return;
        }
        let new: BTreeMap<Name, Name> =
            order.iter().enumerate().map(|(at, name)| (*name, Name::Heap(at as u32))).collect();
        let before = self.objects.len();
        self.objects.retain(|name, _| matches!(name, Name::Var(..)) || new.contains_key(name));
        self.lost |= self.objects.len() < before;
        let objects = std::mem::take(&mut self.objects);
        self.objects =
            objects.into_iter().map(|(name, object)| (new.get(&name).copied().unwrap_or(name), object)).collect();
        self.map(&mut |pointer| {
            Value::Pointer(Pointer { to: new.get(&pointer.to).copied().unwrap_or(pointer.to), ..pointer })
        });
        debug_assert_eq!(self.heap_size(), new.len(), "objects keep apart under their new names");
    }

    /// Whether addresses of bytes or ends of objects lead to every heap object. One that lies outside of its object keeps
    /// the object in the graph, since arithmetic may lead back, but does not keep it from being lost.
    pub fn is_tracked(&self) -> bool {
        let mut found: BTreeSet<Name> =
            self.objects.keys().copied().filter(|name| matches!(name, Name::Var(..))).collect();
        let mut waiting: Vec<Name> = found.iter().copied().collect();
        let reaches = |pointer: &Pointer| {
            let object = self.objects.get(&pointer.to);
            self.is_within(*pointer) && object.is_some_and(|object| object.is_reached_by(*pointer))
        };
        let mut reach = |pointer: Pointer, waiting: &mut Vec<Name>| {
            if reaches(&pointer) && found.insert(pointer.to) {
                waiting.push(pointer.to);
            }
        };
        self.registers.values().filter_map(Value::pointer).for_each(|pointer| reach(pointer, &mut waiting));
        while let Some(name) = waiting.pop() {
            let object = &self.objects[&name];
            let Some(addresses) = certain(object).filter(|_| !object.has_stray(&[])) else { return false };
            addresses.into_iter().for_each(|pointer| reach(pointer, &mut waiting));
        }
        !self.lost && self.objects.keys().all(|name| found.contains(name))
    }

    /// Whether no heap object lives, if that is known.
    pub fn has_no_heap(&self) -> Option<bool> {
        match (self.heap_size(), self.lost) {
            (0, false) => Some(true),
            (0, true) => None,
            (_, _) => Some(false),
        }
    }

    /// How many bytes of its object lie at an address and after it.
    pub fn room(&self, pointer: Pointer) -> u64 {
        let size = self.size(pointer).unwrap_or(0);
        u64::try_from(pointer.at).map_or(0, |at| size.saturating_sub(at))
    }

    /// How many heap objects there are.
    pub fn heap_size(&self) -> usize {
        self.objects.keys().filter(|name| matches!(name, Name::Heap(_))).count()
    }
}

fn has_pointer(object: &GraphObject) -> bool {
    let mut found = false;
    object.visit(0, &mut |_, value| found |= matches!(value, Value::Pointer(_)));
    found
}

/// The address of an object's first byte.
pub fn address(to: Name, end: End) -> Value {
    Value::Pointer(Pointer { to, end, at: 0 })
}
