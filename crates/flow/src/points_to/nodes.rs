//! The constraint graph: nodes with sets of places, edges that carry them on, and what is done with the places of a node.
//! The first two steps of a wave (see `solver`) happen here.

use super::pointee::{BUILT, Offset, PointeeTable, UNKNOWN, UNKNOWN_INT};
use super::set::Set;
use crate::graph::Graph;
use rustc_hash::FxHashSet;

/// A node of the constraint graph.
pub type N = u32;

/// What happens to places on an edge that is not plain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    pub by: Offset,
    pub unknown: Unknown,
}

/// What happens to pointers to the outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unknown {
    /// They pass.
    Pass,
    /// They do not pass.
    Drop,
    /// They pass, and arbitrary integers become such pointers.
    Cast,
}

impl Move {
    pub fn by(by: Offset) -> Move {
        Move { by, unknown: Unknown::Pass }
    }
}

/// What is done with the places of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Use {
    /// `to` gets the values at these places.
    Load { to: N, width: u64 },
    /// These places get the values of `from`.
    Store { from: N, width: u64 },
    /// The block copy with this number writes to these places.
    CopyTo(u32),
    /// The block copy with this number reads from them.
    CopyFrom(u32),
    /// These places get arbitrary values.
    Scramble { size: Option<u64> },
    /// The call with this number calls these places.
    Call(u32),
    /// These places escape to the outside.
    Escape,
    /// Values that were stored at an unknown place.
    StoredOutside,
    /// These places are those of the crowd.
    Crowd,
}

#[derive(Default)]
pub struct Nodes {
    pub(super) parent: Vec<N>,
    pub(super) sets: Vec<Set>,
    /// The part of the set that was not carried on yet.
    pub(super) fresh: Vec<Set>,
    /// The part of the set that was carried on but not applied to uses yet.
    pub(super) pending: Vec<Set>,
    copies: Vec<Vec<N>>,
    moves: Vec<Vec<(Move, N)>>,
    pub(super) uses: Vec<Vec<Use>>,
    pub(super) new_uses: Vec<(N, Use)>,
    known_copies: FxHashSet<(N, N)>,
    known_moves: FxHashSet<(N, N, Move)>,
    /// The node whose places are whole objects: nothing moves them.
    pub crowd: Option<N>,
    pub work: u64,
}

impl Nodes {
    pub fn add(&mut self) -> N {
        let node = self.parent.len() as N;
        self.parent.push(node);
        self.sets.push(Set::default());
        self.fresh.push(Set::default());
        self.pending.push(Set::default());
        self.copies.push(Vec::new());
        self.moves.push(Vec::new());
        self.uses.push(Vec::new());
        node
    }

    /// The node that stands for a merged one.
    pub fn find(&mut self, mut node: N) -> N {
        while self.parent[node as usize] != node {
            let next = self.parent[node as usize];
            self.parent[node as usize] = self.parent[next as usize];
            node = next;
        }
        node
    }

    pub fn set(&mut self, node: N) -> &Set {
        let node = self.find(node);
        &self.sets[node as usize]
    }

    pub fn insert(&mut self, node: N, place: u32) {
        let node = self.find(node);
        if self.sets[node as usize].insert(place) {
            self.fresh[node as usize].insert(place);
        }
        self.work += 1;
    }

    fn absorb(&mut self, to: N, set: &Set) {
        debug_assert_eq!(self.parent[to as usize], to, "sets are those of roots");
        self.work += 1 + set.words() as u64;
        let new = self.sets[to as usize].absorb(set);
        if !new.is_empty() {
            self.fresh[to as usize].merge(&new);
        }
    }

    /// The values of `from` are values of `to`.
    pub fn copy(&mut self, from: N, to: N) {
        let (from, to) = (self.find(from), self.find(to));
        self.work += 1;
        if from == to || !self.known_copies.insert((from, to)) {
            return;
        }
        self.copies[from as usize].push(to);
        let set = std::mem::take(&mut self.sets[from as usize]);
        self.absorb(to, &set);
        self.sets[from as usize] = set;
    }

    /// The values of `from`, moved, are values of `to`.
    pub fn shift(&mut self, places: &mut PointeeTable, from: N, to: N, how: Move) {
        if how == Move::by(Offset::exact(0)) {
            return self.copy(from, to);
        }
        let (from, to) = (self.find(from), self.find(to));
        if self.is_crowd(from) {
            return self.copy(from, to);
        }
        if self.known_moves.insert((from, to, how)) {
            self.moves[from as usize].push((how, to));
            let moved = moved(places, &self.sets[from as usize], how);
            self.absorb(to, &moved);
        }
    }

    /// Registers a use; the next wave applies it to all that the node holds.
    pub fn add_use(&mut self, node: N, what: Use) {
        self.new_uses.push((node, what));
    }

    /// Whether this root is the crowd.
    pub fn is_crowd(&mut self, root: N) -> bool {
        self.crowd.is_some_and(|crowd| self.find(crowd) == root)
    }

    /// The roots that hold more places than this.
    pub fn larger_than(&self, most: usize) -> Vec<N> {
        let large = |&node: &usize| {
            let set = &self.sets[node];
            self.parent[node] == node as N && set.words() * 64 > most && set.len() > most
        };
        (0..self.parent.len()).filter(large).map(|node| node as N).collect()
    }

    /// A root becomes part of another one, which takes over what it holds and where that goes. Returns what was done
    /// with its places.
    pub fn join(&mut self, into: N, member: N) -> Vec<Use> {
        assert_ne!(into, member, "a node joins another one");
        debug_assert_eq!(self.parent[into as usize], into, "the crowd is a root");
        debug_assert_eq!(self.parent[member as usize], member, "only roots join");
        let at = member as usize;
        self.parent[at] = into;
        self.fresh[at] = Set::default();
        self.pending[at] = Set::default();
        let set = std::mem::take(&mut self.sets[at]);
        self.absorb(into, &set);
        for to in std::mem::take(&mut self.copies[at]) {
            self.copy(into, to);
        }
        self.still(into, at);
        std::mem::take(&mut self.uses[at])
    }

    /// Edges at `at` that move places are plain from now on, and those of `into`.
    fn still(&mut self, into: N, at: usize) {
        for (_, to) in std::mem::take(&mut self.moves[at]) {
            self.copy(into, to);
        }
    }

    /// What is done with the places of a root, which come to rest.
    pub fn take_uses(&mut self, root: N) -> Vec<Use> {
        self.still(root, root as usize);
        std::mem::take(&mut self.uses[root as usize])
    }

    pub fn put_use(&mut self, root: N, what: Use) {
        debug_assert_eq!(self.parent[root as usize], root, "uses are those of roots");
        self.uses[root as usize].push(what);
    }

    fn merge(&mut self, into: N, from: N) {
        assert!(into < from, "the smallest of a cycle stands for it");
        debug_assert_eq!(self.parent[into as usize], into, "only roots are merged");
        debug_assert_eq!(self.parent[from as usize], from, "only roots are merged");
        let (to, at) = (into as usize, from as usize);
        self.parent[at] = into;
        let set = std::mem::take(&mut self.sets[at]);
        self.sets[to].merge(&set);
        for list in [&mut self.fresh, &mut self.pending] {
            list[at] = Set::default();
        }
        let copies = std::mem::take(&mut self.copies[at]);
        self.copies[to].extend(copies);
        let moves = std::mem::take(&mut self.moves[at]);
        self.moves[to].extend(moves);
        let uses = std::mem::take(&mut self.uses[at]);
        self.uses[to].extend(uses);
        // What one of them carried on, the other did not.
        let all = self.sets[to].clone();
        self.work += all.words() as u64;
        self.fresh[to].merge(&all);
    }

    /// Step 1. Returns the remaining nodes in topological order of plain edges.
    pub(super) fn collapse(&mut self, places: &mut PointeeTable) -> Vec<N> {
        let count = self.parent.len();
        let mut plain = Vec::new();
        let mut all = Vec::new();
        for from in 0..count as N {
            if self.parent[from as usize] != from {
                continue;
            }
            let mut copies = std::mem::take(&mut self.copies[from as usize]);
            for to in &mut copies {
                *to = self.find(*to);
            }
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|&to| to != from);
            plain.extend(copies.iter().map(|&to| (from, to)));
            self.copies[from as usize] = copies;
            let mut moves = std::mem::take(&mut self.moves[from as usize]);
            for (_, to) in &mut moves {
                *to = self.find(*to);
            }
            all.extend(moves.iter().map(|&(_, to)| (from, to)));
            self.moves[from as usize] = moves;
        }
        self.work += (plain.len() + all.len()) as u64;
        let plain = Graph::new(count, &plain);
        let components = plain.components();
        all.extend((0..count as N).flat_map(|from| plain.successors(from).iter().map(move |&to| (from, to))));
        let cyclic = Graph::new(count, &all).components();
        for from in 0..count as N {
            for at in 0..self.moves[from as usize].len() {
                let (how, to) = self.moves[from as usize][at];
                if how.by.stride == 0 && cyclic.of(from) == cyclic.of(to) {
                    let stride = u32::try_from(how.by.start.unsigned_abs()).unwrap_or(1);
                    let how = Move { by: Offset { start: 0, stride }, ..how };
                    self.moves[from as usize][at].0 = how;
                    let moved = moved(places, &self.sets[from as usize], how);
                    self.absorb(to, &moved);
                }
            }
        }
        let mut order = Vec::with_capacity(components.len());
        for component in (0..components.len() as u32).rev() {
            let members = components.members(component);
            let into = *members.iter().min().expect("components have a node");
            for &member in members.iter().filter(|&&member| member != into) {
                self.merge(into, member);
            }
            order.push(into);
        }
        order
    }

    /// Step 2 for one node.
    pub(super) fn carry(&mut self, places: &mut PointeeTable, node: N) {
        let fresh = std::mem::take(&mut self.fresh[node as usize]);
        debug_assert!(fresh.is_subset_of(&self.sets[node as usize]), "what is new is in the set");
        if fresh.is_empty() {
            return;
        }
        for at in 0..self.copies[node as usize].len() {
            let to = self.copies[node as usize][at];
            let to = self.find(to);
            if to != node {
                self.absorb(to, &fresh);
            }
        }
        for at in 0..self.moves[node as usize].len() {
            let (how, to) = self.moves[node as usize][at];
            let to = self.find(to);
            let moved = moved(places, &fresh, how);
            self.work += fresh.len() as u64;
            self.absorb(to, &moved);
        }
        if !self.uses[node as usize].is_empty() {
            self.pending[node as usize].merge(&fresh);
        }
    }
}

fn moved(places: &mut PointeeTable, set: &Set, how: Move) -> Set {
    let mut out = Set::default();
    for place in set.iter() {
        match (place, how.unknown) {
            (UNKNOWN | UNKNOWN_INT | BUILT, Unknown::Drop) => {}
            (UNKNOWN_INT, Unknown::Cast) => {
                out.insert(UNKNOWN);
            }
            (place, _) => {
                out.insert(places.moved(place, how.by));
            }
        }
    }
    out
}
