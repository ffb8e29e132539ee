//! What a store did, and whether it may go on: counted inside the operations, so that neither a single large one nor
//! a million small ones escape the limits of the run.

use crate::Interrupted;
use base::Cancel;
use std::cell::Cell;

/// The limits are looked at once in so many steps: some fraction of a millisecond.
const STEPS: u64 = 1 << 12;

/// What a store did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Conjunctions, disjunctions and quantifications that were asked for.
    pub operations: u64,
    /// Pairs of nodes that they visited.
    pub steps: u64,
    /// Pairs of nodes whose result was looked for in the cache.
    pub cache_lookups: u64,
    /// How often it was there.
    pub cache_hits: u64,
    /// Nodes now, garbage included.
    pub nodes: usize,
    /// The most nodes at any look at the limits, garbage included.
    pub most_nodes: usize,
    /// How often garbage was collected.
    pub collections: u64,
}

impl Statistics {
    /// What two stores did one after the other.
    pub fn then(self, later: Statistics) -> Statistics {
        Statistics {
            operations: self.operations + later.operations,
            steps: self.steps + later.steps,
            cache_lookups: self.cache_lookups + later.cache_lookups,
            cache_hits: self.cache_hits + later.cache_hits,
            nodes: later.nodes,
            most_nodes: self.most_nodes.max(later.most_nodes),
            collections: self.collections + later.collections,
        }
    }
}

/// Counts for one store.
pub(crate) struct Meter {
    cancel: Cancel,
    pub operations: Cell<u64>,
    steps: Cell<u64>,
    lookups: Cell<u64>,
    hits: Cell<u64>,
    most_nodes: Cell<usize>,
}

impl Meter {
    pub fn new(cancel: Cancel) -> Self {
        Self {
            cancel,
            operations: Cell::new(0),
            steps: Cell::new(0),
            lookups: Cell::new(0),
            hits: Cell::new(0),
            most_nodes: Cell::new(0),
        }
    }

    /// One step of an operation; an error if it must not go on.
    pub fn step(&self, nodes: impl FnOnce() -> usize) -> Result<(), Interrupted> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps.is_multiple_of(STEPS) {
            self.saw(nodes());
            self.cancel.check().map_err(Interrupted::Stopped)?;
        }
        Ok(())
    }

    /// One look into the cache.
    pub fn lookup(&self, hit: bool) {
        self.lookups.set(self.lookups.get() + 1);
        self.hits.set(self.hits.get() + u64::from(hit));
    }

    fn saw(&self, nodes: usize) {
        self.most_nodes.set(self.most_nodes.get().max(nodes));
    }

    pub fn statistics(&self, nodes: usize, collections: u64) -> Statistics {
        self.saw(nodes);
        Statistics {
            operations: self.operations.get(),
            steps: self.steps.get(),
            cache_lookups: self.lookups.get(),
            cache_hits: self.hits.get(),
            nodes,
            most_nodes: self.most_nodes.get(),
            collections,
        }
    }
}
