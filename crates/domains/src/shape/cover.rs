//! Coverage of graphs by embedding, and joins of graphs that differ in data only.
//!
//! The objects of the old graph are found in the new one along addresses from the registers and memory variables. Each
//! must be another object there; a segment of the old graph may be a plain object or a segment of the new one that is
//! as long, all of whose bodies are covered. Objects that no address of the old graph leads to do not matter.

use super::graph::Graph;
use super::object::{Blank, Body, Content, GraphObject, ListSegment, Shape};
use super::split::instance;
use super::value::{Name, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Whether `old` stands for all concrete states that `new` does. `width` is that of a pointer.
pub fn covers(old: &Graph, new: &Graph, width: u64) -> bool {
    // Data is compared first, since that is cheap.
    let may = |(slot, value): (&_, &Value)| match (value, new.registers.get(slot)) {
        (Value::Pointer(_), Some(Value::Pointer(_))) | (Value::Not(_), Some(Value::Pointer(_))) => true,
        (_, Some(other)) => other.is_within(value),
        (_, None) => false,
    };
    if !old.registers.iter().all(may) {
        return false;
    }
    let mut matching = Matching {
        old: old.clone(),
        new: new.clone(),
        to_new: BTreeMap::new(),
        to_old: BTreeMap::new(),
        nodes: BTreeSet::new(),
        scopes: 0,
        old_scopes: BTreeMap::new(),
        new_scopes: BTreeMap::new(),
        width,
    };
    let variables: Vec<Name> = old.objects.keys().copied().filter(|name| matches!(name, Name::Var(..))).collect();
    old.registers.iter().all(|(slot, value)| matching.value(value, &new.register(*slot)))
        && variables.into_iter().all(|name| matching.bind(name, name))
        && (old.lost || !new.lost && matching.has_all_heap(new))
}

#[derive(Clone)]
struct Matching {
    old: Graph,
    new: Graph,
    to_new: BTreeMap<Name, Name>,
    to_old: BTreeMap<Name, Name>,
    /// Nodes of old segments, and what they are in the new graph.
    nodes: BTreeSet<(Name, Name)>,
    /// Copies of bodies of new segments so far.
    scopes: u32,
    /// For objects of copies of bodies, of which new body there is one for each node; others are in scope 0. What each
    /// node has for itself must not be taken for what all nodes share, nor the other way round.
    old_scopes: BTreeMap<Name, u32>,
    new_scopes: BTreeMap<Name, u32>,
    width: u64,
}

impl Matching {
    /// Whether each heap object of the new graph is one of the old graph.
    fn has_all_heap(&self, new: &Graph) -> bool {
        let known = |name: &Name| self.to_old.contains_key(name) || self.nodes.iter().any(|(_, node)| node == name);
        new.objects.keys().all(|name| matches!(name, Name::Var(..)) || known(name))
    }

    fn value(&mut self, old: &Value, new: &Value) -> bool {
        match (old, new) {
            (Value::Pointer(x), Value::Pointer(y)) => {
                // Of a plain object, both ends are the same node.
                let end = x.end == y.end || !self.new.is_segment(y.to);
                x.at == y.at && end && self.bind(x.to, y.to)
            }
            (Value::Not(bits), Value::Pointer(y)) => bits.is_empty() || bits[..] == [0] && self.new.is_inside(*y),
            (Value::In(_) | Value::Not(_) | Value::Pointer(_) | Value::Function(_), _) => new.is_within(old),
        }
    }

    /// Whether the object `old` may be `new`, which is noted then.
    fn bind(&mut self, old: Name, new: Name) -> bool {
        if self.nodes.contains(&(old, new)) {
            return true;
        }
        match (self.to_new.get(&old), self.to_old.get(&new)) {
            (Some(known), Some(other)) => return *known == new && *other == old,
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => return false,
        }
        let variable = matches!(old, Name::Var(..)) || matches!(new, Name::Var(..));
        if self.old_scopes.get(&old) != self.new_scopes.get(&new) {
            return false;
        }
        if variable && old != new || self.nodes.iter().any(|&(x, y)| x == old || y == new) {
            return false;
        }
        let (Some(x), Some(y)) = (self.old.objects.get(&old).cloned(), self.new.objects.get(&new).cloned()) else {
            return false;
        };
        debug_assert_eq!(self.to_new.len(), self.to_old.len(), "objects are matched in pairs");
        self.to_new.insert(old, new);
        self.to_old.insert(new, old);
        x.size == y.size && self.object(&x, (new, &y))
    }

    fn object(&mut self, old: &GraphObject, (name, new): (Name, &GraphObject)) -> bool {
        match (&old.shape, &new.shape) {
            (Shape::Plain(x), Shape::Plain(y)) => self.content(x, y, &[]),
            (Shape::Plain(_), Shape::Segment(_)) => false,
            (Shape::Segment(segment), Shape::Plain(content)) => {
                let width = self.width;
                segment.least <= 1
                    && segment.prev.is_none_or(|prev| self.value(&segment.front, &content.read(prev, width)))
                    && self.value(&segment.tail, &content.read(segment.next, width))
                    && self.some_body(segment, old.size, (name, content))
            }
            (Shape::Segment(x), Shape::Segment(y)) => {
                x.least <= y.least
                    && (x.next, x.prev) == (y.next, y.prev)
                    && self.value(&x.front, &y.front)
                    && self.value(&x.tail, &y.tail)
                    && y.bodies.iter().all(|body| {
                        let node = instance(&mut self.new, body, new.size);
                        self.scopes += 1;
                        let copies = self.new.objects.range(node..=Name::Heap(u32::MAX)).map(|(name, _)| *name);
                        self.new_scopes.extend(copies.map(|name| (name, self.scopes)));
                        let object = self.new.objects[&node].clone();
                        let Shape::Plain(content) = &object.shape else { return false };
                        self.some_body(x, old.size, (node, content))
                    })
            }
        }
    }

    /// Whether the node is like one of the segment's bodies; the first that fits counts.
    fn some_body(&mut self, segment: &ListSegment, size: u64, (name, node): (Name, &Content)) -> bool {
        let links: Vec<u64> = std::iter::once(segment.next).chain(segment.prev).collect();
        segment.bodies.iter().any(|body| {
            let mut attempt = self.clone();
            let root = instance(&mut attempt.old, body, size);
            attempt.nodes.insert((root, name));
            if let Some(&scope) = attempt.new_scopes.get(&name) {
                let copies = attempt.old.objects.range(root..=Name::Heap(u32::MAX)).map(|(name, _)| *name);
                attempt.old_scopes.extend(copies.map(|name| (name, scope)));
            }
            let object = attempt.old.objects[&root].clone();
            let Shape::Plain(content) = &object.shape else { return false };
            let fits = attempt.content(content, node, &links);
            if fits {
                *self = attempt;
            }
            fits
        })
    }

    /// Whether bytes are covered, links aside.
    fn content(&mut self, old: &Content, new: &Content, links: &[u64]) -> bool {
        let zeros = match old.blank {
            Blank::Arbitrary => true,
            // Where the old one says zero, so must the new one.
            Blank::Zero => {
                let is_zero = |at: u64, width: u64, value: &Value| {
                    value.constant() == Some(0) && old.read(at, width).constant() == Some(0)
                };
                let same = |at: &u64, width: u64| old.cells.get(at).is_some_and(|(other, _)| *other == width);
                new.blank == Blank::Zero && { new.cells.iter() }
                    .all(|(at, (width, value))| same(at, *width) || is_zero(*at, *width, value))
            }
        };
        let mut cells = old.cells.iter().filter(|(at, _)| !links.contains(at));
        zeros && cells.all(|(at, (width, value))| self.value(value, &new.read(*at, *width)))
    }
}

/// A graph that stands for both, if they differ in data only.
pub fn join(a: &Graph, b: &Graph) -> Option<Graph> {
    let mut joined = Graph { lost: a.lost || b.lost, ..Graph::default() };
    if !a.objects.keys().eq(b.objects.keys()) {
        return None;
    }
    for (slot, value) in &a.registers {
        joined.set(*slot, join_values(value, &b.register(*slot))?);
    }
    if b.registers.iter().any(|(slot, value)| matches!(value, Value::Pointer(_)) && !a.registers.contains_key(slot)) {
        return None;
    }
    for ((name, x), y) in a.objects.iter().zip(b.objects.values()) {
        joined.objects.insert(*name, Rc::new(join_objects(x, y)?));
    }
    Some(joined)
}

fn join_values(a: &Value, b: &Value) -> Option<Value> {
    let data = |value: &Value| matches!(value, Value::In(_) | Value::Not(_));
    (a == b || data(a) && data(b)).then(|| a.join(b))
}

fn join_objects(a: &GraphObject, b: &GraphObject) -> Option<GraphObject> {
    if a == b {
        return Some(a.clone());
    }
    let shape = match (&a.shape, &b.shape) {
        (Shape::Plain(x), Shape::Plain(y)) => Shape::Plain(join_contents(x, y)?),
        (Shape::Segment(x), Shape::Segment(y)) => {
            if (x.next, x.prev, x.least) != (y.next, y.prev, y.least) || x.bodies.len() != y.bodies.len() {
                return None;
            }
            let bodies: Option<Vec<Body>> = x.bodies.iter().zip(&y.bodies).map(|(x, y)| join_bodies(x, y)).collect();
            let mut bodies = bodies?;
            bodies.sort();
            bodies.dedup();
            debug_assert!(!bodies.is_empty() && x.least > 0, "segments have nodes");
            let (tail, front) = (join_values(&x.tail, &y.tail)?, join_values(&x.front, &y.front)?);
            Shape::Segment(ListSegment { tail, front, bodies, ..x.clone() })
        }
        (Shape::Plain(_), Shape::Segment(_)) | (Shape::Segment(_), Shape::Plain(_)) => return None,
    };
    (a.size == b.size).then_some(GraphObject { size: a.size, shape })
}

fn join_contents(a: &Content, b: &Content) -> Option<Content> {
    if a.blank != b.blank {
        return None;
    }
    let mut joined = Content::new(a.blank);
    for (at, (width, value)) in &a.cells {
        match b.cells.get(at) {
            Some((other, _)) if other != width => return None,
            Some(_) | None => joined.write(*at, *width, join_values(value, &b.read(*at, *width))?),
        }
    }
    for (at, (width, value)) in b.cells.iter().filter(|(at, _)| !a.cells.contains_key(at)) {
        joined.write(*at, *width, join_values(value, &a.read(*at, *width))?);
    }
    Some(joined)
}

/// A body that stands for both, if they differ in data only.
pub fn join_bodies(a: &Body, b: &Body) -> Option<Body> {
    let root = join_contents(&a.root, &b.root)?;
    let own: Option<Vec<GraphObject>> = a.own.iter().zip(&b.own).map(|(x, y)| join_objects(x, y)).collect();
    (a.own.len() == b.own.len()).then_some(Body { root, own: own? })
}
