//! Work on a program that was derived from another one: what is counted and reached there counts for the source.

use base::{Counters, Trail};
use cfa::{Node, Program};

/// Works on a derived program with counters of its own, and adds them to those of the source. `origin` says which location of the
/// source one of the derived program stands for.
pub fn apart<T>(
    derived: &Program,
    counters: &mut Counters,
    origin: impl Fn(Node) -> Option<Node>,
    work: impl FnOnce(&mut Counters) -> T,
) -> T {
    let mut inner = Counters::new(Trail::default(), counters.live.clone());
    inner.trail.wanted = counters.trail.wanted;
    let result = work(&mut inner);
    counters.absorb(&inner);
    let reached = derived.nodes.ids().filter(|&node| inner.trail.has_reached(node));
    reached.filter_map(origin).for_each(|node| counters.trail.reach(node));
    result
}
