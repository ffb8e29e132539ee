//! In which order waiting states are expanded. No order changes the answer; it changes how soon it comes and how
//! much is covered.

use crate::arg::ArgId;
use crate::place::{Place, Stacks};
use base::Id;
use cfa::{Node, Program};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// An order of expansion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The newest first; of several levels of recursion the lowest, so that no level waits for ever.
    #[default]
    Dfs,
    /// The oldest first.
    Bfs,
    /// The oldest first, so that error paths are short and cheap to look at, but after some thousand states the newest
    /// first, so that deep errors are found too.
    BfsThenDfs,
    /// Locations in reverse postorder, so that all paths into a join are explored before it.
    ReversePostorder,
    /// Deeper call stacks first (a call is finished before its caller goes on), then inner loops before what follows
    /// them, then reverse postorder.
    Structured,
}

/// So many states are expanded breadth first by [`Order::BfsThenDfs`].
pub const BROAD: u64 = 10_000;

/// For each location its rank in reverse postorder of its function (0 is the entry), with loops before their exits.
pub struct Ranks {
    rank: Vec<u32>,
}

impl Ranks {
    /// Ranks for all functions. Edges are visited last first, so that the body of a loop, which its condition's first
    /// edge enters, is ranked before what follows the loop.
    pub fn new(program: &Program) -> Self {
        let mut rank = vec![u32::MAX; program.nodes.len()];
        let mut seen = vec![false; program.nodes.len()];
        for (_, function) in program.functions.iter() {
            let mut postorder: Vec<Node> = Vec::new();
            let mut stack = vec![(function.entry, false)];
            while let Some((node, done)) = stack.pop() {
                if done {
                    postorder.push(node);
                } else if !std::mem::replace(&mut seen[node.index()], true) {
                    stack.push((node, true));
                    // Popped in reverse: the last edge's target is finished first, hence ranked last.
                    stack.extend(program.leaving(node).map(|edge| (program.edges[edge].to, false)));
                }
            }
            for (at, node) in postorder.iter().rev().enumerate() {
                rank[node.index()] = at as u32;
            }
        }
        Self { rank }
    }

    /// The rank of a location.
    pub fn of(&self, node: Node) -> u32 {
        self.rank[node.index()]
    }
}

/// Waiting states by layer and priority; ties are broken by age.
type Heap = BinaryHeap<Reverse<((u64, u32, u32), u32)>>;

/// Waiting states by level of recursion, the newest of the lowest level first.
#[derive(Default)]
pub struct Levels {
    states: Vec<Vec<ArgId>>,
    /// No level below has a state.
    lowest: usize,
}

impl Levels {
    fn push(&mut self, id: ArgId, level: usize) {
        if self.states.len() <= level {
            self.states.resize_with(level + 1, Vec::new);
        }
        self.states[level].push(id);
        self.lowest = level.min(self.lowest);
    }

    fn pop(&mut self) -> Option<ArgId> {
        loop {
            debug_assert!(self.states.iter().take(self.lowest).all(Vec::is_empty), "lower levels come first");
            match self.states.get_mut(self.lowest)?.pop() {
                Some(id) => return Some(id),
                None => self.lowest += 1,
            }
        }
    }

    fn take_all(&mut self) -> impl Iterator<Item = ArgId> {
        self.lowest = 0;
        std::mem::take(&mut self.states).into_iter().flatten()
    }

    fn clear(&mut self) {
        self.states.clear();
        self.lowest = 0;
    }
}

/// The frontier.
pub enum Waitlist {
    /// [`Order::Dfs`].
    Stack(Levels),
    /// [`Order::Bfs`].
    Queue(VecDeque<ArgId>),
    /// [`Order::BfsThenDfs`]: how many states were taken, those that wait by depth and age with their level of
    /// recursion, and the stack that takes them over.
    Staged(u64, BinaryHeap<Reverse<(u32, u32, usize)>>, Levels),
    /// The other orders.
    Sorted(Order, Ranks, Heap),
}

impl Waitlist {
    /// An empty waitlist.
    pub fn new(program: &Program, order: Order) -> Self {
        match order {
            Order::Dfs => Waitlist::Stack(Levels::default()),
            Order::Bfs => Waitlist::Queue(VecDeque::new()),
            Order::BfsThenDfs => Waitlist::Staged(0, BinaryHeap::new(), Levels::default()),
            Order::ReversePostorder | Order::Structured => {
                Waitlist::Sorted(order, Ranks::new(program), BinaryHeap::new())
            }
        }
    }

    /// Adds a state that so many steps lead to; sorted orders look at its layer first.
    pub fn push(&mut self, stacks: &Stacks, id: ArgId, place: Place, (depth, layer): (u32, u64)) {
        match self {
            Waitlist::Stack(levels) => levels.push(id, stacks.recursion(place.stack) as usize),
            Waitlist::Queue(queue) => queue.push_back(id),
            Waitlist::Staged(taken, queue, levels) => {
                let level = stacks.recursion(place.stack) as usize;
                if *taken < BROAD { queue.push(Reverse((depth, id.0, level))) } else { levels.push(id, level) }
            }
            Waitlist::Sorted(order, ranks, heap) => {
                let height = if *order == Order::Structured { u32::MAX - stacks.height(place.stack) } else { 0 };
                heap.push(Reverse(((layer, height, ranks.of(place.node)), id.0)));
            }
        }
    }

    /// Takes the next state.
    pub fn pop(&mut self) -> Option<ArgId> {
        match self {
            Waitlist::Stack(levels) => levels.pop(),
            Waitlist::Queue(queue) => queue.pop_front(),
            Waitlist::Staged(taken, queue, levels) => {
                *taken += 1;
                if *taken < BROAD {
                    return queue.pop().map(|Reverse((_, id, _))| ArgId(id));
                }
                while let Some(Reverse((_, id, level))) = queue.pop() {
                    levels.push(ArgId(id), level);
                }
                levels.pop()
            }
            Waitlist::Sorted(_, _, heap) => heap.pop().map(|Reverse((_, id))| ArgId(id)),
        }
    }

    /// Takes all states at once, in no particular order.
    pub fn take_all(&mut self) -> Vec<ArgId> {
        match self {
            Waitlist::Stack(levels) => levels.take_all().collect(),
            Waitlist::Queue(queue) => queue.drain(..).collect(),
            Waitlist::Staged(_, queue, levels) => {
                queue.drain().map(|Reverse((_, id, _))| ArgId(id)).chain(levels.take_all()).collect()
            }
            Waitlist::Sorted(_, _, heap) => heap.drain().map(|Reverse((_, id))| ArgId(id)).collect(),
        }
    }

    /// Forgets all, as if so many states had been taken.
    pub fn clear(&mut self, expanded: u64) {
        match self {
            Waitlist::Stack(levels) => levels.clear(),
            Waitlist::Queue(queue) => queue.clear(),
            Waitlist::Staged(taken, queue, levels) => {
                *taken = expanded;
                queue.clear();
                levels.clear();
            }
            Waitlist::Sorted(_, _, heap) => heap.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Interner, SourceMap};
    use cfa::DataModel;

    #[test]
    fn first_broad_then_deep() {
        let program = Program::new(DataModel::Lp64, Interner::default(), SourceMap::new());
        let stacks = Stacks::new(&program);
        let place = Place { node: Node(0), stack: Stacks::EMPTY };
        let mut waitlist = Waitlist::new(&program, Order::BfsThenDfs);
        let push = |waitlist: &mut Waitlist, id| waitlist.push(&stacks, ArgId(id), place, (0, 0));
        let last = BROAD as u32 - 1;
        (0..3).for_each(|id| push(&mut waitlist, id));
        for id in 0..last {
            assert_eq!(waitlist.pop(), Some(ArgId(id)), "the oldest");
            push(&mut waitlist, id + 3);
        }
        assert_eq!(waitlist.pop(), Some(ArgId(last + 2)), "the newest of those that wait");
        push(&mut waitlist, last + 3);
        let rest: Vec<ArgId> = std::iter::from_fn(|| waitlist.pop()).collect();
        assert_eq!(rest, [last + 3, last + 1, last].map(ArgId));
        waitlist.clear(0);
        (0..2).for_each(|id| push(&mut waitlist, id));
        waitlist.push(&stacks, ArgId(2), place, (1, 0));
        waitlist.push(&stacks, ArgId(3), place, (0, 0));
        let rest: Vec<ArgId> = std::iter::from_fn(|| waitlist.pop()).collect();
        assert_eq!(rest, [0, 1, 3, 2].map(ArgId), "a new search is broad again");
        waitlist.clear(BROAD);
        (0..2).for_each(|id| push(&mut waitlist, id));
        assert_eq!(waitlist.pop(), Some(ArgId(1)), "one that goes on is not");
    }
}
