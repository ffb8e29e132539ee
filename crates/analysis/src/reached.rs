//! The reached set with its waitlist. States are filed by place and by the domain's key, so that looking for a
//! covering state costs the same however many states there are.

use crate::arg::{Arg, ArgId};
use crate::contexts::Contexts;
use crate::cpa::Analysis;
use crate::drawers::{Drawers, Label, Work};
use crate::error_path::ErrorPath;
use crate::place::{Place, Stacks, Step};
use crate::waitlist::{Order, Waitlist};
use cfa::{EdgeId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use verdict::Stop;

/// `reached` and `waitlist` of the CPA algorithm, as an ARG.
pub struct Reached<S> {
    /// The graph of all abstract states.
    pub arg: Arg<S>,
    /// The call stacks of its places.
    pub stacks: Stacks,
    waitlist: Waitlist,
    /// Per drawer (place and key) the newest node; the others follow by `next_filed`.
    drawers: Drawers,
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
            drawers: Drawers::default(),
            keys: Vec::new(),
            layers: FxHashMap::default(),
            contexts: None,
        }
    }

    /// The path from the root to a state.
    pub fn path_to(&self, program: &Program, id: ArgId) -> ErrorPath {
        let mut path = ErrorPath::default();
        path.lead_to(program, self, id);
        path
    }

    /// Forgets all states.
    pub fn clear<C: Analysis<State = S>>(&mut self, cpa: &mut C) {
        self.arg.clear();
        self.waitlist.clear(0);
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
        debug_assert!(!self.arg.is_removed(id), "a node that is gone does not wait");
        if !self.arg.is_waiting(id) {
            self.arg.mark_waiting(id, true);
            self.enqueue(id);
        }
    }

    fn enqueue(&mut self, id: ArgId) {
        let layer = self.layers.get(&id).copied().unwrap_or(0);
        self.waitlist.push(&self.stacks, id, self.arg.place(id), (self.arg.depth(id), layer));
    }

    /// Adds a state to the reached set; it does not wait yet.
    pub fn add<C: Analysis<State = S>>(
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

    /// Adds a state that `by` covers: it is part of the graph, but covers no other state.
    pub fn add_covered(&mut self, state: S, place: Place, parent: (ArgId, EdgeId), by: ArgId) -> ArgId {
        let id = self.arg.add(state, place, Some(parent));
        self.arg.cover(id, by);
        id
    }

    fn file<C: Analysis<State = S>>(&mut self, cpa: &C, id: ArgId) {
        let layer = cpa.layer(self.arg.state(id));
        if layer != 0 || self.layers.contains_key(&id) {
            self.layers.insert(id, layer);
        }
        let label = label(cpa, self.arg.place(id), cpa.key(self.arg.state(id)));
        let next = self.drawers.put(label, id, |other| belongs(cpa, &self.arg, other, label));
        self.arg.set_next_filed(id, next);
    }

    fn unfile<C: Analysis<State = S>>(&mut self, cpa: &C, id: ArgId) {
        let arg = &mut self.arg;
        let label = label(cpa, arg.place(id), cpa.key(arg.state(id)));
        let Some(head) = self.drawers.head(label, |other| belongs(cpa, arg, other, label)) else { return };
        let next = arg.next_filed(id);
        if head == id {
            self.drawers.set_head(label, next, |other| belongs(cpa, arg, other, label));
            return;
        }
        let mut at = head;
        while let Some(other) = arg.next_filed(at) {
            if other == id {
                arg.set_next_filed(at, next);
                return;
            }
            at = other;
        }
    }

    /// The nodes in one drawer, newest first.
    pub fn drawer<C: Analysis<State = S>>(&mut self, cpa: &C, place: Place, key: u64) -> Vec<ArgId> {
        let Self { arg, drawers, .. } = self;
        let label = label(cpa, place, key);
        let head = drawers.head(label, |other| belongs(cpa, arg, other, label));
        std::iter::successors(head, |&id| arg.next_filed(id)).collect()
    }

    /// A reached state that covers `state`.
    pub fn covering<C: Analysis<State = S>>(
        &mut self,
        cpa: &mut C,
        state: &S,
        place: Place,
    ) -> Result<Option<ArgId>, Stop> {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        cpa.covering_keys(state, place, &mut keys);
        let mut found = None;
        'keys: for &key in &keys {
            let label = label(cpa, place, key);
            let mut next = self.drawers.head(label, |other| belongs(cpa, &self.arg, other, label));
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
    pub fn replace<C: Analysis<State = S>>(&mut self, cpa: &mut C, id: ArgId, state: S) {
        self.unfile(cpa, id);
        self.arg.set_state(id, state);
        self.file(cpa, id);
        cpa.filed(self.arg.state(id), self.arg.place(id));
    }

    /// Lets `by` cover a node that was expanded or waits: its subtree goes away.
    pub fn cover<C: Analysis<State = S>>(&mut self, cpa: &mut C, id: ArgId, by: ArgId) {
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
    pub fn remove_subtree<C: Analysis<State = S>>(&mut self, cpa: &mut C, root: ArgId) {
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
    pub fn discard<C: Analysis<State = S>>(&mut self, cpa: &mut C, root: ArgId) {
        if self.arg.is_removed(root) {
            return;
        }
        for id in self.take_out(cpa, &self.arg.subtree(root)) {
            self.uncover(cpa, id);
        }
    }

    /// Removes nodes; the states that they covered.
    fn take_out<C: Analysis<State = S>>(&mut self, cpa: &C, doomed: &[ArgId]) -> Vec<ArgId> {
        let mut orphans = Vec::new();
        for &id in doomed {
            orphans.extend_from_slice(self.arg.covers(id));
            if self.arg.covered_by(id).is_none() {
                self.unfile(cpa, id);
            }
        }
        self.arg.remove(doomed);
        orphans.retain(|&id| !self.arg.is_removed(id));
        orphans
    }

    /// The step by which a node was found from its first parent.
    pub fn step_to(&self, program: &Program, id: ArgId) -> Option<(ArgId, Step)> {
        let (parent, edge) = self.arg.parent(id)?;
        let (from, to) = (self.arg.place(parent), self.arg.place(id));
        let step = match &self.contexts {
            Some(contexts) => self.stacks.step(contexts.kind(program, &self.arg, parent, edge, id), edge, from, to),
            None => self.stacks.step_between(program, from, edge, to),
        };
        Some((parent, step))
    }

    /// Nodes and all that was found from them, also by returns from calls that others share; `None` if that is more than
    /// `most` nodes.
    pub fn found_from(&self, roots: &[ArgId], most: usize) -> Option<FxHashSet<ArgId>> {
        let mut doomed = FxHashSet::default();
        let mut work = roots.to_vec();
        while let Some(id) = work.pop() {
            if !doomed.insert(id) {
                continue;
            }
            if doomed.len() > most {
                return None;
            }
            work.extend(self.arg.children(id));
            if let Some(contexts) = &self.contexts {
                work.extend(contexts.after(id));
            }
        }
        Some(doomed)
    }

    /// Removes the nodes of [`Reached::found_from`]. Whatever they were found from waits again, and so do states that
    /// they covered and no other does; the search goes on in the order in which a new one would have got here. What stays
    /// is not looked at.
    pub fn prune<C: Analysis<State = S>>(
        &mut self,
        program: &Program,
        cpa: &mut C,
        doomed: &FxHashSet<ArgId>,
    ) -> Result<(), Stop> {
        let is_doomed = |id: ArgId| doomed.contains(&id);
        let mut all: Vec<ArgId> = doomed.iter().copied().collect();
        all.sort_unstable();
        let mut again: Vec<ArgId> = all.iter().flat_map(|&id| self.arg.parents(id)).map(|(parent, _)| parent).collect();
        if let Some(contexts) = &mut self.contexts {
            let keyed: Vec<(ArgId, u64)> = all.iter().map(|&id| (id, cpa.key(self.arg.state(id)))).collect();
            again.extend(contexts.remove(program, &self.arg, &keyed, &is_doomed));
        }
        let mut orphans = self.take_out(cpa, &all);
        orphans.sort_unstable();
        for id in orphans {
            self.arg.uncover(id);
            let (state, place) = (self.arg.state(id).clone(), self.arg.place(id));
            match self.covering(cpa, &state, place)? {
                Some(by) => self.arg.cover(id, by),
                None => self.uncover(cpa, id),
            }
        }
        again.retain(|&id| !is_doomed(id));
        for id in again {
            self.wait(id);
        }
        let mut waiting = self.waitlist.take_all();
        waiting.retain(|&id| self.arg.is_waiting(id));
        waiting.sort_unstable();
        waiting.dedup();
        self.waitlist.clear((self.arg.len() - waiting.len()) as u64);
        for id in waiting {
            self.enqueue(id);
        }
        Ok(())
    }

    /// Takes back a coverage: the state is reached on its own account and waits.
    pub fn uncover<C: Analysis<State = S>>(&mut self, cpa: &mut C, id: ArgId) {
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

    /// How often the index was asked.
    pub fn work(&self) -> Work {
        self.drawers.work()
    }

    /// Memory of nodes and index in bytes.
    pub fn bytes(&self) -> usize {
        self.arg.bytes() + self.drawers.bytes()
    }
}

fn label<C: Analysis>(cpa: &C, place: Place, key: u64) -> Label {
    Label { place, key, number: cpa.number(key) }
}

/// Whether a node is in a drawer.
fn belongs<C: Analysis>(cpa: &C, arg: &Arg<C::State>, id: ArgId, label: Label) -> bool {
    arg.place(id) == label.place && cpa.key(arg.state(id)) == label.key
}
