//! Path formulas by name: every path from the start of a block is a node of a graph, made by a step along an edge from
//! another one, or by merging several that meet. Equal paths are one node, so a block that is explored many times is
//! encoded once, and its formula only on demand.

use crate::Encoder;
use crate::blocks::{Block, START};
use crate::path::PathFormula;
use base::{Id, IdVec, define_id};
use cfa::EdgeId;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

define_id!(
    /// A set of paths of one [`Paths`]; what a path goes on from has a smaller number.
    PathId,
    "path"
);

/// How an edge is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turn {
    /// By its operation, which is not a call.
    Along,
    /// Into the function that it calls.
    Enter,
    /// Back from the function that it calls.
    Leave,
}

#[derive(Clone, Debug)]
enum Made {
    /// The start of the program (instance 0) or of any other block.
    Start(u32),
    Step(PathId, EdgeId, Turn),
    /// The second joins the first; all that met here.
    Merge(PathId, PathId, Rc<[PathId]>),
}

#[derive(Clone, Debug)]
struct Entry {
    made: Made,
    /// Edges of the longest path.
    length: u32,
    /// Which loop heads were passed, as a number of `Paths::visits`.
    visits: u32,
    /// What it does, once it was asked for; `None` in it: plainly impossible.
    formula: Option<Option<PathFormula>>,
    events: Range<usize>,
    defined: Range<usize>,
    block: Option<Rc<Block>>,
}

/// The paths of one encoder, for programs without recursion.
#[derive(Default)]
pub struct Paths {
    entries: IdVec<PathId, Entry>,
    steps: FxHashMap<(PathId, EdgeId, Turn), PathId>,
    merges: FxHashMap<Rc<[PathId]>, PathId>,
    /// Lists of loop heads: what came before, and the last one.
    visits: FxHashMap<(u32, u32), u32>,
}

impl Paths {
    /// No step yet, at the start of the program.
    pub const PROGRAM: PathId = PathId(0);
    /// No step yet, anywhere else.
    pub const BLOCK: PathId = PathId(1);

    /// Only the two starts.
    pub fn new() -> Paths {
        let mut paths = Paths::default();
        for instance in [0, START] {
            paths.add(Made::Start(instance), 0, 0);
        }
        paths
    }

    fn add(&mut self, made: Made, length: u32, visits: u32) -> PathId {
        let (events, defined) = (0..0, 0..0);
        self.entries.push(Entry { made, length, visits, formula: None, events, defined, block: None })
    }

    /// How many edges the longest path has.
    pub fn length(&self, id: PathId) -> u32 {
        self.entries[id].length
    }

    /// How many paths have a name.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never: there are always the two starts.
    pub fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// The path one edge further; `head` tells that this is a loop head inside the block.
    pub fn step(&mut self, from: PathId, edge: EdgeId, turn: Turn, head: Option<cfa::Node>) -> PathId {
        debug_assert!(from.index() < self.entries.len(), "a path of this encoder");
        if let Some(&known) = self.steps.get(&(from, edge, turn)) {
            return known;
        }
        let before = &self.entries[from];
        let (length, mut visits) = (before.length + 1, before.visits);
        if let Some(head) = head {
            let next = self.visits.len() as u32 + 1;
            visits = *self.visits.entry((visits, head.0)).or_insert(next);
        }
        let id = self.add(Made::Step(from, edge, turn), length, visits);
        self.steps.insert((from, edge, turn), id);
        id
    }

    /// Both paths, which start and end at the same places; `None` if one of them passed a loop head more often: then
    /// they do not exclude each other.
    pub fn merge(&mut self, old: PathId, new: PathId) -> Option<PathId> {
        if self.entries[old].visits != self.entries[new].visits {
            return None;
        }
        if self.includes(old, new) {
            return Some(old);
        }
        if self.includes(new, old) {
            return Some(new);
        }
        let mut all: Vec<PathId> = [old, new].iter().flat_map(|&id| self.parts(id).to_vec()).collect();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() > 1, "neither includes the other, so there are several");
        let all: Rc<[PathId]> = all.into();
        if let Some(&known) = self.merges.get(&all) {
            return Some(known);
        }
        let (a, b) = (&self.entries[old], &self.entries[new]);
        let (length, visits) = (a.length.max(b.length), a.visits);
        let id = self.add(Made::Merge(old, new, all.clone()), length, visits);
        self.merges.insert(all, id);
        Some(id)
    }

    fn parts(&self, id: PathId) -> Rc<[PathId]> {
        match &self.entries[id].made {
            Made::Merge(_, _, all) => all.clone(),
            Made::Start(_) | Made::Step(..) => Rc::new([id]),
        }
    }

    /// Whether all paths of `small` are known to be among those of `big`.
    pub fn includes(&self, mut big: PathId, mut small: PathId) -> bool {
        loop {
            if big == small {
                return true;
            }
            match (&self.entries[big].made, &self.entries[small].made) {
                (Made::Merge(_, _, all), Made::Merge(_, _, some)) => return some.iter().all(|one| all.contains(one)),
                (Made::Merge(_, _, all), Made::Start(_) | Made::Step(..)) => return all.contains(&small),
                (Made::Step(a, edge, turn), Made::Step(b, other, same)) if (edge, turn) == (other, same) => {
                    (big, small) = (*a, *b);
                }
                (Made::Start(_) | Made::Step(..), _) => return false,
            }
        }
    }

    /// What the paths do; `None` if they are plainly impossible.
    pub fn formula(&mut self, encoder: &mut Encoder, id: PathId) -> Option<&PathFormula> {
        let mut open = vec![id];
        while let Some(&at) = open.last() {
            if self.entries[at].formula.is_some() {
                open.pop();
                continue;
            }
            let before = open.len();
            let missing = |id: &PathId| self.entries[*id].formula.is_none();
            match &self.entries[at].made {
                Made::Start(_) => {}
                Made::Step(from, ..) => open.extend(Some(*from).filter(missing)),
                Made::Merge(old, new, _) => open.extend([*old, *new].into_iter().filter(missing)),
            }
            if open.len() == before {
                self.encode(encoder, at);
                open.pop();
            }
        }
        self.entries[id].formula.as_ref().expect("it was just made").as_ref()
    }

    /// Encodes a path whose predecessors are encoded.
    fn encode(&mut self, encoder: &mut Encoder, id: PathId) {
        let (events, defined) = (encoder.events.len(), encoder.defined.len());
        let known = |id: &PathId| self.entries[*id].formula.as_ref().expect("predecessors come first").clone();
        let formula = match &self.entries[id].made {
            Made::Start(0) => Some(encoder.initial()),
            Made::Start(instance) => Some(PathFormula::start(*instance)),
            Made::Step(from, edge, turn) => known(from).and_then(|before| match turn {
                Turn::Along => encoder.step(before, *edge, 0),
                Turn::Enter => Some(encoder.enter(before, *edge, 0, 0)),
                Turn::Leave => Some(encoder.leave(before, *edge, 0, 0)),
            }),
            Made::Merge(old, new, _) => match (known(old), known(new)) {
                (Some(a), Some(b)) => Some(encoder.merge(&a, &b)),
                (a, b) => a.or(b),
            },
        };
        let entry = &mut self.entries[id];
        entry.formula = Some(formula);
        entry.events = events..encoder.events.len();
        entry.defined = defined..encoder.defined.len();
    }

    /// The paths as a block that can be chained.
    pub fn block(&mut self, encoder: &mut Encoder, id: PathId) -> Rc<Block> {
        if let Some(block) = &self.entries[id].block {
            return block.clone();
        }
        let path = self.formula(encoder, id).cloned();
        let (mut events, mut defined) = (Vec::new(), Vec::new());
        for at in self.ancestors(id) {
            events.extend(self.entries[at].events.clone());
            defined.extend(self.entries[at].defined.clone());
        }
        let block = Rc::new(Block::new(encoder, path, events.into(), defined.into()));
        self.entries[id].block = Some(block.clone());
        block
    }

    /// The path and all that it goes on from, in the order in which they are taken.
    fn ancestors(&self, id: PathId) -> Vec<PathId> {
        let mut seen = vec![false; id.index() + 1];
        seen[id.index()] = true;
        let mut all = Vec::new();
        for at in (0..=id.index()).rev() {
            if !seen[at] {
                continue;
            }
            all.push(PathId::new(at));
            match &self.entries[PathId::new(at)].made {
                Made::Start(_) => {}
                Made::Step(from, ..) => seen[from.index()] = true,
                Made::Merge(old, new, _) => [old, new].iter().for_each(|one| seen[one.index()] = true),
            }
        }
        all.reverse();
        all
    }
}
