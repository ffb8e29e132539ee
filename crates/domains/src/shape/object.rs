//! Objects of a graph: plain memory, and segments, which stand for chains of nodes [DPV13].
//!
//! γ(segment) are the chains n₁ … nₖ of at least `least` objects of `size` bytes, all different from each other and from
//! every other object, such that nᵢ.next = nᵢ₊₁ and nₖ.next is `tail`; if there is a `prev`, nᵢ₊₁.prev = nᵢ and n₁.prev
//! is `front`; and the rest of each nᵢ is as one of the bodies says, with a copy of its own of the body's further objects.

use super::value::{End, Name, Pointer, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Ranges with more bytes than this are forgotten together with what is zero around them.
const LONG: u64 = 64;

/// No cell has more bytes than this: `long double` and `__int128` have as many.
const WIDEST: u64 = 16;

/// What memory holds where no cell says it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Blank {
    /// Zeros.
    Zero,
    /// Anything.
    Arbitrary,
}

/// The bytes of an object: non-overlapping cells by offset, each with its width.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Content {
    /// Scalars.
    pub cells: BTreeMap<u64, (u64, Value)>,
    /// The rest.
    pub blank: Blank,
}

impl Content {
    /// Nothing but this.
    pub fn new(blank: Blank) -> Content {
        Content { cells: BTreeMap::new(), blank }
    }

    fn overlapping(&self, offset: u64, width: u64) -> Vec<u64> {
        debug_assert!(self.cells.values().all(|(size, _)| (1..=WIDEST).contains(size)), "cells are scalars");
        let before = self.cells.range(..offset + width).rev();
        // Cells do not overlap each other.
        let near = before.take_while(|(at, _)| **at + WIDEST > offset);
        near.filter(|(at, (size, _))| **at + size > offset).map(|(at, _)| *at).collect()
    }

    /// The value of `width` bytes.
    pub fn read(&self, offset: u64, width: u64) -> Value {
        match self.cells.get(&offset) {
            Some((size, value)) if *size == width => value.clone(),
            Some(_) => Value::TOP,
            None if self.blank == Blank::Zero && self.overlapping(offset, width).is_empty() => Value::bits(0),
            None => Value::TOP,
        }
    }

    /// Sets `width` bytes.
    pub fn write(&mut self, offset: u64, width: u64, value: Value) {
        assert!((1..=WIDEST).contains(&width), "scalars have 1 to {WIDEST} bytes, not {width}");
        self.forget(offset, width);
        if value.is_top() && self.blank == Blank::Arbitrary {
            return;
        }
        for at in offset..offset + width {
            self.cells.remove(&at);
        }
        self.cells.insert(offset, (width, value));
        debug_assert!(self.is_apart(), "cells overlap");
    }

    /// Whether no two cells have a byte in common.
    fn is_apart(&self) -> bool {
        self.cells.iter().zip(self.cells.keys().skip(1)).all(|((at, (size, _)), next)| at + size <= *next)
    }

    /// Makes bytes arbitrary.
    pub fn forget(&mut self, offset: u64, width: u64) {
        if width > LONG {
            self.blank = Blank::Arbitrary;
        }
        let mut unknown: Vec<u64> = if width > LONG { Vec::new() } else { (offset..offset + width).collect() };
        let touched: Vec<u64> = match width > LONG {
            true => self
                .cells
                .iter()
                .filter(|(at, (size, _))| **at < offset + width && **at + size > offset)
                .map(|(at, _)| *at)
                .collect(),
            false => self.overlapping(offset, width),
        };
        for at in touched {
            if let Some((size, _)) = self.cells.remove(&at) {
                unknown.extend(at..at + size);
            }
        }
        if self.blank == Blank::Zero {
            for at in unknown {
                self.cells.insert(at, (1, Value::TOP));
            }
        }
    }
}

/// What one node of a segment is like, links aside.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Body {
    /// The node, [`Name::Local`]`(0, 0)`.
    pub root: Content,
    /// Objects that each node has for itself, from [`Name::Local`]`(0, 1)` on.
    pub own: Vec<GraphObject>,
}

/// A chain of nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ListSegment {
    /// Where each node has the address of the next one.
    pub next: u64,
    /// Where each node has the address of the one before.
    pub prev: Option<u64>,
    /// At least so many nodes; not 0.
    pub least: u32,
    /// What the last node has at `next`.
    pub tail: Value,
    /// What the first node has at `prev`.
    pub front: Value,
    /// What nodes are like, sorted.
    pub bodies: Vec<Body>,
}

/// Plain memory or a segment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    /// One object.
    Plain(Content),
    /// Several.
    Segment(ListSegment),
}

/// An object of a graph.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GraphObject {
    /// Bytes; of each node of a segment.
    pub size: u64,
    /// What it holds.
    pub shape: Shape,
}

impl GraphObject {
    /// Calls `visit` on every value, with the number of bodies around it.
    pub fn visit<'a>(&'a self, depth: u32, visit: &mut dyn FnMut(u32, &'a Value)) {
        match &self.shape {
            Shape::Plain(content) => content.cells.values().for_each(|(_, value)| visit(depth, value)),
            Shape::Segment(segment) => {
                visit(depth, &segment.tail);
                visit(depth, &segment.front);
                for body in &segment.bodies {
                    body.root.cells.values().for_each(|(_, value)| visit(depth + 1, value));
                    body.own.iter().for_each(|object| object.visit(depth + 1, visit));
                }
            }
        }
    }

    /// Replaces addresses; `change` is told the number of bodies around each.
    pub fn map(&mut self, depth: u32, change: &mut dyn FnMut(u32, Pointer) -> Value) {
        match &mut self.shape {
            Shape::Plain(content) => map_content(content, depth, change),
            Shape::Segment(segment) => {
                map_value(&mut segment.tail, depth, change);
                map_value(&mut segment.front, depth, change);
                for body in &mut segment.bodies {
                    map_content(&mut body.root, depth + 1, change);
                    body.own.iter_mut().for_each(|object| object.map(depth + 1, change));
                }
                debug_assert!(segment.least > 0 && !segment.bodies.is_empty(), "segments have nodes");
                segment.bodies.sort();
                segment.bodies.dedup();
            }
        }
    }

    /// Whether a body has an address outside of the object of the body that it belongs to. `around` are the sizes of the
    /// objects of the bodies around this one, the innermost last.
    pub fn has_stray(&self, around: &[Vec<u64>]) -> bool {
        let stray = |around: &[Vec<u64>], value: &Value| match value {
            Value::Pointer(Pointer { to: Name::Local(up, index), at, .. }) => {
                let body = around.iter().rev().nth(*up as usize);
                let size = body.and_then(|sizes| sizes.get(*index as usize));
                !size.is_some_and(|size| u64::try_from(*at).is_ok_and(|at| at <= *size))
            }
            _ => false,
        };
        let has_stray =
            |around: &[Vec<u64>], content: &Content| content.cells.values().any(|(_, value)| stray(around, value));
        match &self.shape {
            Shape::Plain(content) => has_stray(around, content),
            Shape::Segment(segment) => {
                let ends = stray(around, &segment.tail) || stray(around, &segment.front);
                ends || segment.bodies.iter().any(|body| {
                    let sizes = std::iter::once(self.size).chain(body.own.iter().map(|object| object.size)).collect();
                    let inside: Vec<Vec<u64>> = around.iter().cloned().chain([sizes]).collect();
                    has_stray(&inside, &body.root) || body.own.iter().any(|object| object.has_stray(&inside))
                })
            }
        }
    }

    /// Whether an address leads to all nodes: the last one leads to the others only if these are linked backwards.
    pub fn is_reached_by(&self, pointer: Pointer) -> bool {
        match &self.shape {
            Shape::Plain(_) => true,
            Shape::Segment(segment) => pointer.end == End::First || segment.prev.is_some(),
        }
    }

    /// The objects it has addresses of, outside its bodies.
    pub fn targets(&self) -> Vec<Name> {
        let mut names = Vec::new();
        self.visit(0, &mut |_, value| {
            if let Value::Pointer(pointer) = value
                && !matches!(pointer.to, Name::Local(..))
            {
                names.push(pointer.to);
            }
        });
        names
    }
}

/// The addresses that are in an object for certain, as seen from around it: what stands in one of several bodies may be in
/// no node. Nothing if a body does not lead to all of its own objects for certain.
pub fn certain(object: &GraphObject) -> Option<BTreeSet<Pointer>> {
    match &object.shape {
        Shape::Plain(content) => Some(addresses(content)),
        Shape::Segment(segment) => {
            let bodies: Option<Vec<BTreeSet<Pointer>>> = segment.bodies.iter().map(certain_of_body).collect();
            let mut bodies = bodies?.into_iter();
            let mut all = bodies.next()?;
            bodies.for_each(|body| all.retain(|pointer| body.contains(pointer)));
            for end in [&segment.tail, &segment.front] {
                all.extend(end.pointer());
            }
            Some(all)
        }
    }
}

fn certain_of_body(body: &Body) -> Option<BTreeSet<Pointer>> {
    let mut found: BTreeSet<u32> = BTreeSet::new();
    let mut outside = BTreeSet::new();
    let mut waiting: Vec<Pointer> = addresses(&body.root).into_iter().collect();
    while let Some(pointer) = waiting.pop() {
        match pointer.to {
            Name::Local(0, 0) => {}
            Name::Local(0, index) => {
                let object = &body.own[index as usize - 1];
                if object.is_reached_by(pointer) && found.insert(index) {
                    waiting.extend(certain(object)?);
                }
            }
            Name::Local(up, index) => {
                outside.insert(Pointer { to: Name::Local(up - 1, index), ..pointer });
            }
            Name::Var(..) | Name::Heap(_) => {
                outside.insert(pointer);
            }
        }
    }
    (found.len() == body.own.len()).then_some(outside)
}

fn addresses(content: &Content) -> BTreeSet<Pointer> {
    content.cells.values().filter_map(|(_, value)| value.pointer()).collect()
}

/// Replaces the addresses among the cells.
pub fn map_content(content: &mut Content, depth: u32, change: &mut dyn FnMut(u32, Pointer) -> Value) {
    content.cells.values_mut().for_each(|(_, value)| map_value(value, depth, change));
    if content.blank == Blank::Arbitrary {
        content.cells.retain(|_, (_, value)| !value.is_top());
    }
}

/// Replaces the address that a value may be.
pub fn map_value(value: &mut Value, depth: u32, change: &mut dyn FnMut(u32, Pointer) -> Value) {
    if let Value::Pointer(pointer) = value {
        *value = change(depth, *pointer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_zeros() {
        let mut content = Content::new(Blank::Zero);
        assert_eq!(content.read(4, 4), Value::bits(0));
        content.write(4, 4, Value::bits(7));
        assert_eq!(content.read(4, 4), Value::bits(7));
        assert_eq!(content.read(6, 4), Value::TOP);
        assert_eq!(content.read(8, 4), Value::bits(0));
        content.write(6, 1, Value::bits(1));
        assert_eq!(content.read(4, 2), Value::TOP);
        assert_eq!(content.read(7, 1), Value::TOP);
        assert_eq!(content.read(6, 1), Value::bits(1));
        content.forget(0, 4);
        assert_eq!(content.read(0, 4), Value::TOP);
        assert_eq!(content.read(8, 4), Value::bits(0));
        content.forget(0, 1000);
        assert_eq!(content.read(8, 4), Value::TOP);
    }
}
