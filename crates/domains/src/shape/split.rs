//! Materialisation [DPV13]: the node at one end of a segment becomes an object of its own, in one graph for each way in
//! which the segment may be like that: with exactly one node or with more, and for each body.

use super::graph::{Graph, address};
use super::object::{Body, GraphObject, ListSegment, Shape};
use super::value::{End, Name, Pointer, Value};
use std::rc::Rc;

/// The graphs that together stand for all that `graph` does, in which the node at that end of the segment is plain.
pub fn split(graph: &Graph, name: Name, end: End, width: u64) -> Vec<Graph> {
    let Some(object) = graph.objects.get(&name) else { return vec![graph.clone()] };
    let Shape::Segment(segment) = &object.shape else { return vec![graph.clone()] };
    let mut graphs = Vec::new();
    for body in &segment.bodies {
        if segment.least <= 1 {
            graphs.push(alone(graph, (name, object.size, segment), body, width));
        }
        graphs.push(apart(graph, (name, object.size, segment), body, end, width));
    }
    graphs
}

/// The segment is one node.
fn alone(graph: &Graph, (name, size, segment): (Name, u64, &ListSegment), body: &Body, width: u64) -> Graph {
    let mut next = graph.clone();
    next.objects.remove(&name);
    let node = instance(&mut next, body, size);
    link(&mut next, node, segment, (segment.tail.clone(), segment.front.clone()), width);
    next.map(&mut |pointer| {
        let to = if pointer.to == name { Pointer { to: node, end: End::First, ..pointer } } else { pointer };
        Value::Pointer(to)
    });
    next
}

/// The segment is a node at that end and at least one other.
fn apart(graph: &Graph, (name, size, segment): (Name, u64, &ListSegment), body: &Body, end: End, width: u64) -> Graph {
    let mut next = graph.clone();
    let node = instance(&mut next, body, size);
    let mut rest = segment.clone();
    rest.least = segment.least.max(2) - 1;
    let links = match end {
        End::First => {
            if rest.prev.is_some() {
                rest.front = address(node, End::First);
            }
            (address(name, End::First), segment.front.clone())
        }
        End::Last => {
            rest.tail = address(node, End::First);
            (segment.tail.clone(), address(name, End::Last))
        }
    };
    // What pointed to this end of the segment now points to the node, but for the new link between them.
    let inner = if end == End::First { links.0.clone() } else { links.1.clone() };
    next.objects.insert(name, Rc::new(GraphObject { size, shape: Shape::Segment(rest) }));
    let outer = match end {
        End::First => (Value::TOP, links.1),
        End::Last => (links.0, Value::TOP),
    };
    link(&mut next, node, segment, outer, width);
    next.map(&mut |pointer| {
        let here = pointer.to == name && pointer.end == end;
        Value::Pointer(if here { Pointer { to: node, end: End::First, ..pointer } } else { pointer })
    });
    let at = match end {
        End::First => Some(segment.next),
        End::Last => segment.prev,
    };
    if let Some(at) = at {
        let here = Pointer { to: node, end: End::First, at: at as i64 };
        if let Some((content, at)) = next.content_mut(here, width) {
            content.write(at, width, inner);
        }
    }
    next
}

/// A copy of a body as objects of the graph; the name of its node. Bodies around it must have been copied before.
pub fn instance(graph: &mut Graph, body: &Body, size: u64) -> Name {
    let node = graph.add(GraphObject { size, shape: Shape::Plain(body.root.clone()) });
    let mut names = vec![node];
    for object in &body.own {
        names.push(graph.add(object.clone()));
    }
    for name in names.clone() {
        let object = graph.objects.get_mut(&name).expect("it was just added");
        Rc::make_mut(object).map(0, &mut |depth, pointer| match pointer.to {
            Name::Local(level, at) if level == depth => Value::Pointer(Pointer { to: names[at as usize], ..pointer }),
            Name::Local(..) | Name::Var(..) | Name::Heap(_) => Value::Pointer(pointer),
        });
    }
    node
}

fn link(graph: &mut Graph, node: Name, segment: &ListSegment, (next, prev): (Value, Value), width: u64) {
    let links = [(Some(segment.next), next), (segment.prev, prev)];
    for (at, value) in links {
        let Some(at) = at else { continue };
        let here = Pointer { to: node, end: End::First, at: at as i64 };
        if let Some((content, at)) = graph.content_mut(here, width) {
            content.write(at, width, value);
        }
    }
}
