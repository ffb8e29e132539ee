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
    /// Locations in reverse postorder, so that all paths into a join are explored before it.
    ReversePostorder,
    /// Deeper call stacks first (a call is finished before its caller goes on), then inner loops before what follows
    /// them, then reverse postorder.
    Structured,
}

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

/// The frontier.
pub enum Waitlist {
    /// [`Order::Dfs`], by level of recursion; no level below the number has a state.
    Stack(Vec<Vec<ArgId>>, usize),
    /// [`Order::Bfs`].
    Queue(VecDeque<ArgId>),
    /// The other orders.
    Sorted(Order, Ranks, Heap),
}

impl Waitlist {
    /// An empty waitlist.
    pub fn new(program: &Program, order: Order) -> Self {
        match order {
            Order::Dfs => Waitlist::Stack(Vec::new(), 0),
            Order::Bfs => Waitlist::Queue(VecDeque::new()),
            Order::ReversePostorder | Order::Structured => {
                Waitlist::Sorted(order, Ranks::new(program), BinaryHeap::new())
            }
        }
    }

    /// Adds a state; sorted orders look at its layer first.
    pub fn push(&mut self, stacks: &Stacks, id: ArgId, place: Place, layer: u64) {
        match self {
            Waitlist::Stack(levels, lowest) => {
                let level = stacks.recursion(place.stack) as usize;
                if levels.len() <= level {
                    levels.resize_with(level + 1, Vec::new);
                }
                levels[level].push(id);
                *lowest = level.min(*lowest);
            }
            Waitlist::Queue(queue) => queue.push_back(id),
            Waitlist::Sorted(order, ranks, heap) => {
                let height = if *order == Order::Structured { u32::MAX - stacks.height(place.stack) } else { 0 };
                heap.push(Reverse(((layer, height, ranks.of(place.node)), id.0)));
            }
        }
    }

    /// Takes the next state.
    pub fn pop(&mut self) -> Option<ArgId> {
        match self {
            Waitlist::Stack(levels, lowest) => loop {
                match levels.get_mut(*lowest)?.pop() {
                    Some(id) => return Some(id),
                    None => *lowest += 1,
                }
            },
            Waitlist::Queue(queue) => queue.pop_front(),
            Waitlist::Sorted(_, _, heap) => heap.pop().map(|Reverse((_, id))| ArgId(id)),
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        match self {
            Waitlist::Stack(levels, lowest) => {
                levels.clear();
                *lowest = 0;
            }
            Waitlist::Queue(queue) => queue.clear(),
            Waitlist::Sorted(_, _, heap) => heap.clear(),
        }
    }
}
