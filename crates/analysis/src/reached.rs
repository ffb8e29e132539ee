//! The reached set with its waitlist. States are filed by place and by the domain's key, so that looking for a
//! covering state costs the same however many states there are.

use crate::arg::{Arg, ArgId, PathStep};
use crate::contexts::Contexts;
use crate::cpa::Cpa;
use crate::place::{Place, Stacks};
use crate::waitlist::{Order, Waitlist};
use cfa::{EdgeId, Program};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use verdict::Stop;

/// `reached` and `waitlist` of the CPA algorithm, as an ARG.
pub struct Reached<S> {
    /// The graph of all abstract states.
    pub arg: Arg<S>,
    /// The call stacks of its places.
    pub stacks: Stacks,
    waitlist: Waitlist,
    /// Per drawer (place and key) the hash and the newest node; the others follow by `next_filed`.
    drawers: HashTable<(u32, ArgId)>,
    keys: Vec<u64>,
    /// Layers of nodes that are not in layer 0.
    layers: FxHashMap<ArgId, u64>,
    /// If set, calls in the same state share their exploration.
    pub contexts: Option<Contexts>,
}

impl<S: Clone + PartialEq> Reached<S> {
    /// An empty reached set.
    pub fn new(program: &Program, order: Order) -> Self {
        Self {
            arg: Arg::default(),
            stacks: Stacks::new(program),
            waitlist: Waitlist::new(program, order),
            drawers: HashTable::new(),
            keys: Vec::new(),
            layers: FxHashMap::default(),
            contexts: None,
        }
    }

    /// The path from the root to a state.
    pub fn path_to(&self, program: &Program, id: ArgId) -> Vec<PathStep> {
        match &self.contexts {
            Some(contexts) => contexts.path_to(program, &self.arg, id),
            None => self.arg.path_to(program, &self.stacks, id),
        }
    }

    /// Forgets all states.
    pub fn clear<C: Cpa<State = S>>(&mut self, cpa: &mut C) {
        self.arg.clear();
        self.waitlist.clear();
        self.drawers.clear();
        self.layers.clear();
        if let Some(contexts) = &mut self.contexts {
            contexts.clear();
        }
        cpa.cleared();
    }

    /// Takes the next waiting state.
    pub fn pop(&mut self) -> Option<ArgId> {
        loop {
            let id = self.waitlist.pop()?;
            // Entries of removed or covered nodes, and second entries, are stale.
            if self.arg.is_waiting(id) && !self.arg.is_removed(id) {
                self.arg.mark_waiting(id, false);
                return Some(id);
            }
        }
    }

    /// Puts a state on the waitlist.
    pub fn wait(&mut self, id: ArgId) {
        if !self.arg.is_waiting(id) {
            self.arg.mark_waiting(id, true);
            let layer = self.layers.get(&id).copied().unwrap_or(0);
            self.waitlist.push(&self.stacks, id, self.arg.place(id), layer);
        }
    }

    /// Adds a state to the reached set; it does not wait yet.
    pub fn add<C: Cpa<State = S>>(
        &mut self,
        cpa: &mut C,
        state: S,
        place: Place,
        parent: Option<(ArgId, EdgeId)>,
    ) -> ArgId {
        let id = self.arg.add(state, place, parent);
        self.file(cpa, id);
        cpa.filed(self.arg.state(id), place);
        id
    }

    /// Adds a state that `by` covers: it is part of the graph, but covers nobody itself.
    pub fn add_covered(&mut self, state: S, place: Place, parent: (ArgId, EdgeId), by: ArgId) -> ArgId {
        let id = self.arg.add(state, place, Some(parent));
        self.arg.cover(id, by);
        id
    }

    fn file<C: Cpa<State = S>>(&mut self, cpa: &C, id: ArgId) {
        let layer = cpa.layer(self.arg.state(id));
        if layer != 0 || self.layers.contains_key(&id) {
            self.layers.insert(id, layer);
        }
        let arg = &mut self.arg;
        let place = arg.place(id);
        let key = cpa.key(arg.state(id));
        let hash = hash(place, key);
        let found = self.drawers.find_mut(spread(hash), |&other| same_drawer(cpa, arg, other, place, key));
        match found {
            Some((_, head)) => {
                let next = std::mem::replace(head, id);
                arg.set_next_filed(id, Some(next));
            }
            None => {
                arg.set_next_filed(id, None);
                self.drawers.insert_unique(spread(hash), (hash, id), |&(hash, _)| spread(hash));
            }
        }
    }

    fn unfile<C: Cpa<State = S>>(&mut self, cpa: &C, id: ArgId) {
        let arg = &mut self.arg;
        let place = arg.place(id);
        let key = cpa.key(arg.state(id));
        let Ok(mut entry) =
            self.drawers.find_entry(spread(hash(place, key)), |&other| same_drawer(cpa, arg, other, place, key))
        else {
            return;
        };
        let next = arg.next_filed(id);
        if entry.get().1 == id {
            match next {
                Some(next) => entry.get_mut().1 = next,
                None => drop(entry.remove()),
            }
            return;
        }
        let mut at = entry.get().1;
        while let Some(other) = arg.next_filed(at) {
            if other == id {
                arg.set_next_filed(at, next);
                return;
            }
            at = other;
        }
    }

    /// The nodes in one drawer, newest first.
    pub fn drawer<C: Cpa<State = S>>(&self, cpa: &C, place: Place, key: u64) -> Vec<ArgId> {
        let head = self.drawers.find(spread(hash(place, key)), |&other| same_drawer(cpa, &self.arg, other, place, key));
        std::iter::successors(head.map(|&(_, id)| id), |&id| self.arg.next_filed(id)).collect()
    }

    /// A reached state that covers `state`.
    pub fn covering<C: Cpa<State = S>>(&mut self, cpa: &mut C, state: &S, place: Place) -> Result<Option<ArgId>, Stop> {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        cpa.covering_keys(state, place, &mut keys);
        let mut found = None;
        'keys: for &key in &keys {
            let head =
                self.drawers.find(spread(hash(place, key)), |&other| same_drawer(cpa, &self.arg, other, place, key));
            let mut next = head.map(|&(_, id)| id);
            while let Some(id) = next {
                if self.arg.covered_by(id).is_none() && cpa.covers(self.arg.state(id), state)? {
                    found = Some(id);
                    break 'keys;
                }
                next = self.arg.next_filed(id);
            }
        }
        self.keys = keys;
        Ok(found)
    }

    /// Replaces the state of a reached node, which may change its drawer.
    pub fn replace<C: Cpa<State = S>>(&mut self, cpa: &mut C, id: ArgId, state: S) {
        self.unfile(cpa, id);
        self.arg.set_state(id, state);
        self.file(cpa, id);
        cpa.filed(self.arg.state(id), self.arg.place(id));
    }

    /// Lets `by` cover a node that was expanded or waits: its subtree goes away.
    pub fn cover<C: Cpa<State = S>>(&mut self, cpa: &mut C, id: ArgId, by: ArgId) {
        let below: Vec<ArgId> = self.arg.children(id).collect();
        for child in below {
            self.remove_subtree(cpa, child);
        }
        if !self.arg.is_removed(id) && !self.arg.is_removed(by) {
            self.unfile(cpa, id);
            self.arg.mark_waiting(id, false);
            self.arg.cover(id, by);
        }
    }

    /// Removes a node and all below it. Their surviving parents wait again, and so do states that they covered.
    pub fn remove_subtree<C: Cpa<State = S>>(&mut self, cpa: &mut C, root: ArgId) {
        if self.arg.is_removed(root) {
            return;
        }
        let doomed = self.arg.subtree(root);
        let parents: Vec<ArgId> =
            doomed.iter().flat_map(|&id| self.arg.parents(id)).map(|(parent, _)| parent).collect();
        self.discard(cpa, root);
        for parent in parents {
            if !self.arg.is_removed(parent) {
                self.wait(parent);
            }
        }
    }

    /// Removes a node that stands for nothing, and all below it. States that they covered wait again.
    pub fn discard<C: Cpa<State = S>>(&mut self, cpa: &mut C, root: ArgId) {
        if self.arg.is_removed(root) {
            return;
        }
        let doomed = self.arg.subtree(root);
        let mut orphans = Vec::new();
        for &id in &doomed {
            orphans.extend_from_slice(self.arg.covers(id));
            if self.arg.covered_by(id).is_none() {
                self.unfile(cpa, id);
            }
        }
        self.arg.remove(&doomed);
        for id in orphans {
            if !self.arg.is_removed(id) {
                self.uncover(cpa, id);
            }
        }
    }

    /// Takes back a coverage: the state is reached on its own account and waits.
    pub fn uncover<C: Cpa<State = S>>(&mut self, cpa: &mut C, id: ArgId) {
        self.arg.uncover(id);
        self.file(cpa, id);
        cpa.filed(self.arg.state(id), self.arg.place(id));
        self.wait(id);
    }

    /// Whether no state waits.
    pub fn is_done(&mut self) -> bool {
        match self.pop() {
            Some(id) => {
                self.wait(id);
                false
            }
            None => true,
        }
    }

    /// Memory of nodes and index in bytes.
    pub fn bytes(&self) -> usize {
        self.arg.bytes() + self.drawers.capacity() * 9
    }
}

fn same_drawer<C: Cpa>(cpa: &C, arg: &Arg<C::State>, (filed, id): (u32, ArgId), place: Place, key: u64) -> bool {
    filed == hash(place, key) && arg.place(id) == place && cpa.key(arg.state(id)) == key
}

fn hash(place: Place, key: u64) -> u32 {
    let place = u64::from(place.node.0) << 32 | u64::from(place.stack.0);
    let hash = [place, key].iter().fold(0, |hash, &word| {
        let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 32
    });
    hash as u32
}

/// The table uses the highest and the lowest bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
