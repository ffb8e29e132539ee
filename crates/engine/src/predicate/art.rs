//! The tree of abstraction states, who covers whom, and who waits.

use super::Place;
use base::{Id, define_id};
use smt::TermId;
use std::collections::{BTreeMap, VecDeque};

define_id!(
    /// An abstraction state.
    ArtId,
    "e"
);

#[derive(Clone, Debug)]
struct ArtNode {
    /// `None` for the start of the program.
    place: Option<Place>,
    psi: TermId,
    /// And which of its blocks led here.
    parent: Option<(ArtId, usize)>,
    children: Vec<ArtId>,
    covered_by: Option<ArtId>,
    covers: Vec<ArtId>,
    expanded: bool,
    removed: bool,
    /// How many predicates described it.
    predicates: usize,
}

/// The tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Art {
    nodes: Vec<ArtNode>,
    waiting: VecDeque<ArtId>,
    by_place: BTreeMap<Place, Vec<ArtId>>,
}

impl Art {
    pub fn add(&mut self, parent: Option<(ArtId, usize)>, psi: TermId, place: Option<Place>) -> ArtId {
        let id = ArtId::new(self.nodes.len());
        if let Some(place) = &place {
            self.by_place.entry(place.clone()).or_default().push(id);
        }
        if let Some((parent, _)) = parent {
            self.nodes[parent.index()].children.push(id);
        }
        let (children, covers) = (Vec::new(), Vec::new());
        self.nodes.push(ArtNode {
            place,
            psi,
            parent,
            children,
            covered_by: None,
            covers,
            expanded: false,
            removed: false,
            predicates: 0,
        });
        id
    }

    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| !node.removed).count()
    }

    pub fn ids(&self) -> impl Iterator<Item = ArtId> + '_ {
        (0..self.nodes.len()).map(ArtId::new).filter(|id| !self.nodes[id.index()].removed)
    }

    pub fn place(&self, id: ArtId) -> Option<&Place> {
        self.nodes[id.index()].place.as_ref()
    }

    pub fn psi(&self, id: ArtId) -> TermId {
        self.nodes[id.index()].psi
    }

    pub fn set_psi(&mut self, id: ArtId, psi: TermId) {
        self.nodes[id.index()].psi = psi;
    }

    pub fn predicates(&self, id: ArtId) -> usize {
        self.nodes[id.index()].predicates
    }

    pub fn set_predicates(&mut self, id: ArtId, count: usize) {
        self.nodes[id.index()].predicates = count;
    }

    pub fn parent(&self, id: ArtId) -> Option<(ArtId, usize)> {
        self.nodes[id.index()].parent
    }

    pub fn children(&self, id: ArtId) -> &[ArtId] {
        &self.nodes[id.index()].children
    }

    pub fn covered_by(&self, id: ArtId) -> Option<ArtId> {
        self.nodes[id.index()].covered_by
    }

    pub fn covers(&self, id: ArtId) -> Vec<ArtId> {
        self.nodes[id.index()].covers.clone()
    }

    pub fn is_removed(&self, id: ArtId) -> bool {
        self.nodes[id.index()].removed
    }

    pub fn is_expanded(&self, id: ArtId) -> bool {
        self.nodes[id.index()].expanded
    }

    /// From the root to the state, both included.
    pub fn path(&self, id: ArtId) -> Vec<ArtId> {
        let mut path = vec![id];
        while let Some((parent, _)) = self.parent(path[path.len() - 1]) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// Whether the state counts: it is in the tree, and neither it nor a state above it is covered.
    pub fn is_open(&self, id: ArtId) -> bool {
        !self.is_removed(id) && self.path(id).iter().all(|&above| self.covered_by(above).is_none())
    }

    pub fn wait(&mut self, id: ArtId) {
        self.nodes[id.index()].expanded = false;
        self.waiting.push_back(id);
    }

    /// The next state that has to be expanded.
    pub fn pop(&mut self) -> Option<ArtId> {
        while let Some(id) = self.waiting.pop_front() {
            if !self.is_expanded(id) && self.is_open(id) {
                return Some(id);
            }
        }
        None
    }

    pub fn expanded(&mut self, id: ArtId) {
        self.nodes[id.index()].expanded = true;
    }

    /// States that may cover `id`: open, at the same place, older.
    pub fn candidates(&self, id: ArtId) -> Vec<ArtId> {
        let Some(place) = self.place(id) else { return Vec::new() };
        let here = self.by_place.get(place).into_iter().flatten().copied();
        here.filter(|&other| other < id && self.is_open(other)).collect()
    }

    /// Covers a state; what lies below it no longer counts.
    pub fn cover(&mut self, id: ArtId, by: ArtId) {
        debug_assert!(by < id && self.covered_by(id).is_none(), "covered once, by an older state");
        self.nodes[id.index()].covered_by = Some(by);
        self.nodes[by.index()].covers.push(id);
        // States below it may have covered others.
        for below in self.subtree(id) {
            for orphan in std::mem::take(&mut self.nodes[below.index()].covers) {
                self.uncover(orphan);
            }
        }
    }

    /// Takes a coverage back: the unexpanded states below wait again.
    pub fn uncover(&mut self, id: ArtId) {
        if let Some(by) = self.nodes[id.index()].covered_by.take() {
            self.nodes[by.index()].covers.retain(|&other| other != id);
        }
        for below in self.subtree(id) {
            if !self.is_expanded(below) && !self.is_removed(below) {
                self.waiting.push_back(below);
            }
        }
    }

    /// The state and all below it.
    pub fn subtree(&self, id: ArtId) -> Vec<ArtId> {
        let mut all = vec![id];
        let mut at = 0;
        while at < all.len() {
            all.extend(self.children(all[at]));
            at += 1;
        }
        all
    }

    /// Takes a state and all below it out of the tree; states that they covered are on their own again.
    pub fn remove(&mut self, id: ArtId) {
        if let Some((parent, _)) = self.parent(id) {
            self.nodes[parent.index()].children.retain(|&child| child != id);
        }
        let doomed = self.subtree(id);
        for &gone in &doomed {
            self.nodes[gone.index()].removed = true;
            if let Some(by) = self.nodes[gone.index()].covered_by.take() {
                self.nodes[by.index()].covers.retain(|&other| other != gone);
            }
            if let Some(place) = self.nodes[gone.index()].place.clone()
                && let Some(here) = self.by_place.get_mut(&place)
            {
                here.retain(|&other| other != gone);
            }
        }
        for gone in doomed {
            for orphan in std::mem::take(&mut self.nodes[gone.index()].covers) {
                if !self.is_removed(orphan) {
                    self.uncover(orphan);
                }
            }
        }
    }
}
