//! The abstract reachability graph: which abstract state was found from which, and which one covers which. Nodes are
//! small: one parent and the sibling links lie in the node, whatever is rare in side tables.

use crate::place::Place;
use base::{AbstractState, Id, Trail, define_id};
use cfa::{EdgeId, Node};
use rustc_hash::FxHashMap;

define_id!(
    /// A node of an [`Arg`].
    ArgId,
    "s"
);

/// No node.
const NONE: u32 = u32::MAX;
const REMOVED: u32 = 1;
const WAITING: u32 = 2;
/// The bits from here on hold the depth.
const DEPTH: u32 = 2;
const DEEPEST: u32 = u32::MAX >> DEPTH;

#[derive(Clone)]
struct ArgNode<S> {
    state: S,
    place: Place,
    parent: u32,
    edge: EdgeId,
    first_child: u32,
    next_sibling: u32,
    covered_by: u32,
    /// The next node in the same drawer of the reached set.
    next_filed: u32,
    /// [`REMOVED`], [`WAITING`] and the depth.
    marks: u32,
}

/// A graph over abstract states of type `S`. Covered nodes and nodes in drawers are linked by ids; removed nodes keep
/// their ids until [`Arg::clear`].
#[derive(Clone)]
pub struct Arg<S> {
    nodes: Vec<ArgNode<S>>,
    /// Parents beyond the first, which merging makes.
    more_parents: FxHashMap<ArgId, Vec<(ArgId, EdgeId)>>,
    /// Whom a node covers.
    covering: FxHashMap<ArgId, Vec<ArgId>>,
    removed: usize,
    covered: usize,
    /// How often it was cleared.
    generation: u64,
}

impl<S> Default for Arg<S> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            more_parents: FxHashMap::default(),
            covering: FxHashMap::default(),
            removed: 0,
            covered: 0,
            generation: 0,
        }
    }
}

impl<S> Arg<S> {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.more_parents.clear();
        self.covering.clear();
        self.removed = 0;
        self.covered = 0;
        self.generation += 1;
    }

    /// Another number after each [`Arg::clear`]: ids of nodes are of one generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The root.
    pub fn root(&self) -> ArgId {
        ArgId(0)
    }

    /// How many nodes there are, covered ones included.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.removed
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many nodes are covered.
    pub fn covered_count(&self) -> usize {
        self.covered
    }

    /// Memory of the nodes in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<ArgNode<S>>()
    }

    /// How many ids were given away, those of removed nodes included.
    pub fn ids_used(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes that are not removed, oldest first.
    pub fn ids(&self) -> impl Iterator<Item = ArgId> + '_ {
        self.ids_from(0)
    }

    /// Those of them with this id or a later one.
    pub fn ids_from(&self, first: usize) -> impl Iterator<Item = ArgId> + '_ {
        (first..self.nodes.len()).map(ArgId::new).filter(|&id| !self.is_removed(id))
    }

    /// The abstract state.
    pub fn state(&self, id: ArgId) -> &S {
        &self.nodes[id.index()].state
    }

    /// Where.
    pub fn place(&self, id: ArgId) -> Place {
        self.nodes[id.index()].place
    }

    /// Whether the node was removed.
    pub fn is_removed(&self, id: ArgId) -> bool {
        self.nodes[id.index()].marks & REMOVED != 0
    }

    /// Whether the node is on the waitlist.
    pub fn is_waiting(&self, id: ArgId) -> bool {
        self.nodes[id.index()].marks & WAITING != 0
    }

    /// Notes whether the node is on the waitlist.
    pub(crate) fn mark_waiting(&mut self, id: ArgId, waiting: bool) {
        let marks = &mut self.nodes[id.index()].marks;
        *marks = if waiting { *marks | WAITING } else { *marks & !WAITING };
    }

    /// How many steps lead to the node.
    pub fn depth(&self, id: ArgId) -> u32 {
        self.nodes[id.index()].marks >> DEPTH
    }

    /// Notes that the node comes after another one, too: the call that a shared exit returns from.
    pub fn deepen(&mut self, id: ArgId, before: ArgId) {
        let depth = (self.depth(before) + 1).min(DEEPEST);
        if depth > self.depth(id) {
            let marks = &mut self.nodes[id.index()].marks;
            *marks = *marks & ((1 << DEPTH) - 1) | depth << DEPTH;
        }
    }

    /// The node that covers this one.
    pub fn covered_by(&self, id: ArgId) -> Option<ArgId> {
        some(self.nodes[id.index()].covered_by)
    }

    /// The first parent and the edge from it.
    pub fn parent(&self, id: ArgId) -> Option<(ArgId, EdgeId)> {
        let node = &self.nodes[id.index()];
        some(node.parent).map(|parent| (parent, node.edge))
    }

    /// All parents.
    pub fn parents(&self, id: ArgId) -> impl Iterator<Item = (ArgId, EdgeId)> + '_ {
        self.parent(id).into_iter().chain(self.more_parents.get(&id).into_iter().flatten().copied())
    }

    /// The children whose first parent this is, newest first.
    pub fn children(&self, id: ArgId) -> impl Iterator<Item = ArgId> + '_ {
        let first = some(self.nodes[id.index()].first_child);
        std::iter::successors(first, |child| some(self.nodes[child.index()].next_sibling))
    }

    /// Adds a node below `parent`.
    pub fn add(&mut self, state: S, place: Place, parent: Option<(ArgId, EdgeId)>) -> ArgId {
        let id = ArgId::new(self.nodes.len());
        assert!(id.0 != NONE, "ids of nodes are less than the one that means none");
        let (parent_id, edge, next_sibling, depth) = match parent {
            Some((parent, edge)) => {
                debug_assert!(!self.is_removed(parent), "nothing is found from a node that is gone");
                let next = std::mem::replace(&mut self.nodes[parent.index()].first_child, id.0);
                (parent.0, edge, next, (self.depth(parent) + 1).min(DEEPEST))
            }
            None => (NONE, EdgeId(0), NONE, 0),
        };
        self.nodes.push(ArgNode {
            state,
            place,
            parent: parent_id,
            edge,
            first_child: NONE,
            next_sibling,
            covered_by: NONE,
            next_filed: NONE,
            marks: depth << DEPTH,
        });
        id
    }

    /// Adds a parent to a node that merging has widened.
    pub fn add_parent(&mut self, id: ArgId, parent: ArgId, edge: EdgeId) {
        debug_assert!(!self.is_removed(id) && !self.is_removed(parent), "both ends of an edge are in the graph");
        if !self.parents(id).any(|known| known == (parent, edge)) {
            self.more_parents.entry(id).or_default().push((parent, edge));
        }
    }

    /// Replaces the state of a node.
    pub fn set_state(&mut self, id: ArgId, state: S) {
        debug_assert!(!self.is_removed(id), "a node that is gone keeps its state");
        self.nodes[id.index()].state = state;
    }

    /// Notes that `by` covers `id`.
    pub fn cover(&mut self, id: ArgId, by: ArgId) {
        assert!(self.covered_by(id).is_none() && id != by, "covered once, by another");
        assert!(self.covered_by(by).is_none(), "what covers another is not covered itself, so no circle covers itself");
        assert!(!self.is_removed(by), "only nodes of the graph cover others");
        debug_assert!(self.place(id).node == self.place(by).node, "a state covers states of its own location");
        self.nodes[id.index()].covered_by = by.0;
        self.covering.entry(by).or_default().push(id);
        self.covered += 1;
    }

    /// Undoes a coverage.
    pub fn uncover(&mut self, id: ArgId) {
        if let Some(by) = self.covered_by(id) {
            self.nodes[id.index()].covered_by = NONE;
            self.covered -= 1;
            if let Some(list) = self.covering.get_mut(&by) {
                list.retain(|&other| other != id);
            }
        }
    }

    /// Whom the node covers.
    pub fn covers(&self, id: ArgId) -> &[ArgId] {
        self.covering.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn next_filed(&self, id: ArgId) -> Option<ArgId> {
        some(self.nodes[id.index()].next_filed)
    }

    pub(crate) fn set_next_filed(&mut self, id: ArgId, next: Option<ArgId>) {
        self.nodes[id.index()].next_filed = next.map_or(NONE, |next| next.0);
    }

    /// The nodes of the subtree at `root`, following first parents, `root` first.
    pub fn subtree(&self, root: ArgId) -> Vec<ArgId> {
        let mut all = vec![root];
        let mut at = 0;
        while at < all.len() {
            all.extend(self.children(all[at]));
            at += 1;
        }
        all
    }

    /// Takes nodes out of the graph. The caller has unfiled them and takes care of nodes that they covered.
    pub(crate) fn remove(&mut self, doomed: &[ArgId]) {
        for &id in doomed {
            assert!(!self.is_removed(id), "a node is removed once");
            self.uncover(id);
            let marks = &mut self.nodes[id.index()].marks;
            *marks = *marks & !WAITING | REMOVED;
            self.removed += 1;
        }
        for &id in doomed {
            if let Some((parent, _)) = self.parent(id)
                && !self.is_removed(parent)
            {
                self.unlink(parent, id);
            }
            self.more_parents.remove(&id);
            self.covering.remove(&id);
            self.nodes[id.index()].first_child = NONE;
        }
        let nodes = &self.nodes;
        self.more_parents.retain(|_, parents| {
            parents.retain(|(parent, _)| nodes[parent.index()].marks & REMOVED == 0);
            !parents.is_empty()
        });
    }

    fn unlink(&mut self, parent: ArgId, child: ArgId) {
        let next = self.nodes[child.index()].next_sibling;
        let mut at = self.nodes[parent.index()].first_child;
        if at == child.0 {
            self.nodes[parent.index()].first_child = next;
            return;
        }
        while at != NONE {
            let sibling = self.nodes[at as usize].next_sibling;
            if sibling == child.0 {
                self.nodes[at as usize].next_sibling = next;
                return;
            }
            at = sibling;
        }
        debug_assert!(false, "a child is in the list of its parent");
    }

    /// Writes the graph down for a report; `knows` says what a state at a location knows.
    pub fn note(&self, trail: &mut Trail, knows: &mut dyn FnMut(&S, Node) -> Vec<String>) {
        if !trail.wanted {
            return;
        }
        for id in self.ids() {
            let location = self.place(id).node;
            trail.reach(location);
            trail.state(|| AbstractState {
                id: id.0,
                location: location.0,
                parents: self.parents(id).map(|(parent, edge)| (parent.0, edge.0)).collect(),
                covered_by: self.covered_by(id).map(|by| by.0),
                knows: knows(self.state(id), location),
            });
        }
    }
}

fn some(id: u32) -> Option<ArgId> {
    (id != NONE).then_some(ArgId(id))
}
