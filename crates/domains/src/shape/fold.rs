//! Abstraction [DPV13]: two neighbours of a list that need not be told apart become one segment.
//!
//! Objects a and b, plain or segments, are folded if
//!
//! 1. both are on the heap and as large, and a's last node has b's first one at `next`;
//! 2. in a doubly linked list b's first node has a's last one at `prev`;
//! 3. nothing else has the address of b's first node, but for heap objects in a doubly linked list if b is one node:
//!    they have that of the new segment's last node then;
//! 4. nothing else has the address of a's last node if a is a segment;
//! 5. they are alike, or the list that could be folded has more parts than `reach`; and it has at least three, or one
//!    of the two is a segment already;
//! 6. neither is a node with objects that only variables lead to besides: where a program looks at what a node has for
//!    itself, each node would otherwise become a body of its own.

use super::graph::{Graph, address};
use super::object::{Blank, Body, Content, GraphObject, ListSegment, Shape};
use super::value::{End, Name, Pointer, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// Segments with more bodies than this join those that differ in data only.
const BODIES: usize = 6;

/// Fewer objects in a row are not a list yet: a node and an object that it has for itself may look like two nodes.
const FEW: usize = 3;

/// How much is folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Folding {
    /// Parts of a list, each with nodes that are alike, that are kept apart.
    pub reach: usize,
    /// The largest lower bound that is kept for the number of nodes of a segment.
    pub least: u32,
}

/// Who has an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reference {
    /// The heap object that has it; `None`: a variable.
    holder: Option<Name>,
    end: End,
}

/// Two neighbours: what is at `next` (and `prev`) of them fits.
#[derive(Clone, Copy, Debug)]
struct Pair {
    a: Name,
    b: Name,
    next: u64,
    prev: Option<u64>,
}

/// Folds what can be folded. `width` is that of a pointer.
pub fn fold(graph: &mut Graph, folding: Folding, width: u64) {
    loop {
        let references = references(graph);
        let pairs = pairs(graph, &references, width);
        let Some((pair, bodies)) = choose(graph, &references, &pairs, folding, width) else { return };
        assert!(pair.a != pair.b && !bodies.is_empty(), "two neighbours become one segment");
        let before = graph.objects.len();
        merge(graph, pair, bodies, folding, width);
        graph.tidy();
        assert!(graph.objects.len() < before, "each step folds an object away, so that it ends");
    }
}

fn references(graph: &Graph) -> BTreeMap<Name, Vec<Reference>> {
    let mut all: BTreeMap<Name, Vec<Reference>> = BTreeMap::new();
    let mut note = |value: &Value, holder: Option<Name>| {
        if let Value::Pointer(Pointer { to, end, .. }) = value
            && !matches!(to, Name::Local(..))
        {
            all.entry(*to).or_default().push(Reference { holder, end: *end });
        }
    };
    graph.registers.values().for_each(|value| note(value, None));
    for (&name, object) in &graph.objects {
        let holder = matches!(name, Name::Heap(_)).then_some(name);
        object.visit(0, &mut |_, value| note(value, holder));
    }
    all
}

/// What the last node has at `next`.
fn link(object: &GraphObject, next: u64, width: u64) -> Option<Value> {
    match &object.shape {
        Shape::Plain(content) => (next + width <= object.size).then(|| content.read(next, width)),
        Shape::Segment(segment) => (segment.next == next).then(|| segment.tail.clone()),
    }
}

/// What the first node has at `prev`.
fn back(object: &GraphObject, prev: u64, width: u64) -> Option<Value> {
    match &object.shape {
        Shape::Plain(content) => (prev + width <= object.size).then(|| content.read(prev, width)),
        Shape::Segment(segment) => (segment.prev == Some(prev)).then(|| segment.front.clone()),
    }
}

/// All neighbours that satisfy 1 to 4.
fn pairs(graph: &Graph, references: &BTreeMap<Name, Vec<Reference>>, width: u64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (&a, object) in &graph.objects {
        if !matches!(a, Name::Heap(_)) {
            continue;
        }
        let links: Vec<(u64, &Value)> = match &object.shape {
            Shape::Plain(content) => content
                .cells
                .iter()
                .filter(|(_, (size, _))| *size == width)
                .map(|(at, (_, value))| (*at, value))
                .collect(),
            Shape::Segment(segment) => vec![(segment.next, &segment.tail)],
        };
        for (next, value) in links {
            let Value::Pointer(Pointer { to: b @ Name::Heap(_), end: End::First, at: 0 }) = *value else { continue };
            let Some(other) = graph.objects.get(&b) else { continue };
            if a == b || other.size != object.size || link(other, next, width).is_none() {
                continue;
            }
            let prev = match prev(a, object, other, next, width) {
                Ok(prev) => prev,
                Err(()) => continue,
            };
            let pair = Pair { a, b, next, prev };
            if is_free(graph, references, pair) {
                pairs.push(pair);
            }
        }
    }
    pairs
}

/// Condition 2: where the address of the node before is, if this is a doubly linked list; an error if it is one of
/// which the two cannot be neighbours.
fn prev(a: Name, object: &GraphObject, other: &GraphObject, next: u64, width: u64) -> Result<Option<u64>, ()> {
    let end = if matches!(object.shape, Shape::Segment(_)) { End::Last } else { End::First };
    let leads_back = |prev: u64| back(other, prev, width) == Some(address(a, end));
    let fits = |prev: u64| back(object, prev, width).is_some() && leads_back(prev);
    match (&object.shape, &other.shape) {
        (Shape::Segment(first), Shape::Segment(second)) if first.prev != second.prev => Err(()),
        (Shape::Segment(ListSegment { prev, .. }), _) | (_, Shape::Segment(ListSegment { prev, .. })) => match prev {
            Some(prev) if !fits(*prev) => Err(()),
            Some(_) | None => Ok(*prev),
        },
        (Shape::Plain(_), Shape::Plain(content)) => {
            let found = content.cells.keys().copied().find(|&at| {
                let apart = at + width <= next || next + width <= at;
                apart && fits(at)
            });
            // The same list seen from its other end is found there.
            if found.is_some_and(|prev| prev < next) { Err(()) } else { Ok(found) }
        }
    }
}

/// Conditions 3 and 4.
fn is_free(graph: &Graph, references: &BTreeMap<Name, Vec<Reference>>, pair: Pair) -> bool {
    let none = Vec::new();
    let to_b = references.get(&pair.b).unwrap_or(&none);
    let single = !graph.is_segment(pair.b);
    let first: Vec<&Reference> = to_b.iter().filter(|reference| reference.end == End::First).collect();
    let own = own(graph, references, pair.b, pair);
    let foreign = first.iter().filter(|reference| !reference.holder.is_some_and(|holder| own.contains(&holder)));
    let counted = foreign.clone().count();
    let fine = if single && pair.prev.is_some() {
        foreign.clone().all(|reference| reference.holder.is_some())
    } else {
        counted == 1
    };
    let last_of_a = references.get(&pair.a).unwrap_or(&none).iter().filter(|reference| reference.end == End::Last);
    let expected = usize::from(pair.prev.is_some() && graph.is_segment(pair.a));
    fine && counted >= 1 && last_of_a.count() == expected
}

/// The node and the objects that only it leads to, not by its links; in the order in which they are found.
fn own(graph: &Graph, references: &BTreeMap<Name, Vec<Reference>>, node: Name, pair: Pair) -> Vec<Name> {
    let Some(object) = graph.objects.get(&node) else { return Vec::new() };
    let Shape::Plain(content) = &object.shape else { return Vec::new() };
    let mut found = vec![node];
    let mut queue: VecDeque<Name> = VecDeque::new();
    for (at, (_, value)) in &content.cells {
        if let Value::Pointer(pointer) = value
            && *at != pair.next
            && Some(*at) != pair.prev
        {
            queue.push_back(pointer.to);
        }
    }
    while let Some(name) = queue.pop_front() {
        let inner = matches!(name, Name::Heap(_)) && name != pair.a && name != pair.b;
        if let (true, false, Some(object)) = (inner, found.contains(&name), graph.objects.get(&name)) {
            found.push(name);
            queue.extend(object.targets());
        }
    }
    // What others lead to as well is shared, and so is what it leads to.
    let linked: BTreeSet<Name> = [Some(pair.next), pair.prev]
        .into_iter()
        .flatten()
        .filter_map(|at| match content.cells.get(&at) {
            Some((_, Value::Pointer(pointer))) => Some(pointer.to),
            Some(_) | None => None,
        })
        .collect();
    loop {
        let kept: Vec<Name> = found
            .iter()
            .copied()
            .filter(|&name| {
                let private = |reference: &Reference| reference.holder.is_some_and(|holder| found.contains(&holder));
                let all = references.get(&name).is_none_or(|references| references.iter().all(private));
                name == node || all && !linked.contains(&name)
            })
            .collect();
        if kept.len() == found.len() {
            return kept;
        }
        found = kept;
    }
}

/// Condition 6 fails: without variables, more objects would be the node's own.
fn is_lending(graph: &Graph, references: &BTreeMap<Name, Vec<Reference>>, node: Name, pair: Pair) -> bool {
    let without_variables = |(&name, held): (&Name, &Vec<Reference>)| {
        (name, held.iter().copied().filter(|reference| reference.holder.is_some()).collect())
    };
    let others: BTreeMap<Name, Vec<Reference>> = references.iter().map(without_variables).collect();
    own(graph, &others, node, pair).len() > own(graph, references, node, pair).len()
}

/// What the nodes of an object are like, apart from the links.
fn bodies(graph: &Graph, references: &BTreeMap<Name, Vec<Reference>>, name: Name, pair: Pair, width: u64) -> Vec<Body> {
    let object = &graph.objects[&name];
    let content = match &object.shape {
        Shape::Segment(segment) => return segment.bodies.clone(),
        Shape::Plain(content) => content,
    };
    let own = own(graph, references, name, pair);
    let mut root = content.clone();
    for at in [Some(pair.next), pair.prev].into_iter().flatten() {
        cut(&mut root, at, width);
    }
    let mut inner = |depth: u32, pointer: Pointer| match own.iter().position(|&name| name == pointer.to) {
        Some(at) => Value::Pointer(Pointer { to: Name::Local(depth, at as u32), ..pointer }),
        None => Value::Pointer(pointer),
    };
    super::object::map_content(&mut root, 0, &mut inner);
    let objects = own[1..].iter().map(|name| {
        let mut object = GraphObject::clone(&graph.objects[name]);
        object.map(0, &mut inner);
        object
    });
    vec![Body { root, own: objects.collect() }]
}

/// Takes a link out of a node; the segment says what is there.
fn cut(content: &mut Content, at: u64, width: u64) {
    content.forget(at, width);
    if content.blank == Blank::Zero {
        for at in at..at + width {
            content.cells.remove(&at);
        }
        content.cells.insert(at, (width, Value::TOP));
    }
}

/// Condition 5: the neighbours to be folded next, with the bodies of the new segment.
fn choose(
    graph: &Graph,
    references: &BTreeMap<Name, Vec<Reference>>,
    pairs: &[Pair],
    folding: Folding,
    width: u64,
) -> Option<(Pair, Vec<Body>)> {
    let parts = |pair: &Pair| {
        let (mut parts, mut first, mut last) = (2, pair.a, pair.b);
        while let Some(before) = pairs.iter().find(|other| other.b == first && other.next == pair.next)
            && parts <= pairs.len()
        {
            (parts, first) = (parts + 1, before.a);
        }
        while let Some(after) = pairs.iter().find(|other| other.a == last && other.next == pair.next)
            && parts <= pairs.len()
        {
            (parts, last) = (parts + 1, after.b);
        }
        parts
    };
    let mut unlike = Vec::new();
    for pair in pairs {
        let length = parts(pair);
        if length < FEW && !graph.is_segment(pair.a) && !graph.is_segment(pair.b) {
            continue;
        }
        if [pair.a, pair.b].into_iter().any(|node| is_lending(graph, references, node, *pair)) {
            continue;
        }
        let first = bodies(graph, references, pair.a, *pair, width);
        let second = bodies(graph, references, pair.b, *pair, width);
        let within = |some: &[Body], all: &[Body]| some.iter().all(|body| all.contains(body));
        let alike = within(&first, &second) || within(&second, &first);
        let mut all = first;
        all.extend(second);
        all.sort();
        all.dedup();
        if alike {
            return Some((*pair, all));
        }
        if length > folding.reach {
            unlike.push((*pair, all));
        }
    }
    // Where much is joined already, least is lost.
    let joined = |name: Name| match &graph.objects[&name].shape {
        Shape::Segment(segment) => segment.bodies.len(),
        Shape::Plain(_) => 0,
    };
    let chosen = unlike.into_iter().rev().max_by_key(|(pair, _)| joined(pair.a).max(joined(pair.b)))?;
    Some((chosen.0, few(chosen.1)))
}

/// Joins bodies that differ in data only, if there are many.
fn few(mut bodies: Vec<Body>) -> Vec<Body> {
    if bodies.len() <= BODIES {
        return bodies;
    }
    let mut joined: Vec<Body> = Vec::new();
    for body in bodies.drain(..) {
        match joined.iter_mut().find_map(|other| super::cover::join_bodies(other, &body).map(|both| (other, both))) {
            Some((other, both)) => *other = both,
            None => joined.push(body),
        }
    }
    joined.sort();
    joined.dedup();
    joined
}

/// Puts one segment in the place of both.
fn merge(graph: &mut Graph, pair: Pair, bodies: Vec<Body>, folding: Folding, width: u64) {
    let Pair { a, b, next, prev } = pair;
    let name = graph.fresh();
    let (Some(first), Some(second)) = (graph.objects.remove(&a), graph.objects.remove(&b)) else { return };
    let least = |object: &GraphObject| match &object.shape {
        Shape::Plain(_) => 1,
        Shape::Segment(segment) => segment.least,
    };
    let segment = ListSegment {
        next,
        prev,
        least: (least(&first) + least(&second)).min(folding.least).max(1),
        tail: link(&second, next, width).unwrap_or(Value::TOP),
        front: prev.and_then(|prev| back(&first, prev, width)).unwrap_or(Value::TOP),
        bodies,
    };
    let single = matches!(second.shape, Shape::Plain(_));
    let size = first.size;
    graph.objects.insert(name, Rc::new(GraphObject { size, shape: Shape::Segment(segment) }));
    graph.map(&mut |pointer| {
        Value::Pointer(match pointer.to {
            to if to == a => Pointer { to: name, ..pointer },
            to if to == b && single => Pointer { to: name, end: End::Last, ..pointer },
            to if to == b => Pointer { to: name, ..pointer },
            _ => pointer,
        })
    });
}
