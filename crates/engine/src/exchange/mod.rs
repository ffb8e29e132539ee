//! What analyses of one program tell each other, while they run side by side or one after the other:
//!
//! - `paths`: prefixes of paths that no execution takes, and paths that nobody could decide;
//! - `predicates`: what a refinement found worth knowing at a location.
//!
//! All who take part work on the same automata; which targets they are asked about may differ. Nothing that is told here
//! is believed: a path that is said to be infeasible is refined or left undecided, never counted as excluded, and a
//! predicate is a question, or a fact after somebody has proved it. So a wrong one costs time, not an answer.

mod paths;
mod predicates;

pub use predicates::Claims;

use analysis::Step;
use base::Counters;
use cfa::{ExprId, Exprs, Node};
use paths::Paths;
use predicates::Predicates;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One part's access to what all of them know.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    pool: Arc<Pool>,
    part: Part,
}

/// Who told something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Part(u32);

#[derive(Debug, Default)]
struct Pool {
    paths: Mutex<Paths>,
    predicates: Mutex<Predicates>,
    parts: AtomicU32,
    /// How often a part used what another one had told.
    prefixes_used: AtomicU64,
    undecided_used: AtomicU64,
    predicates_used: AtomicU64,
    predicates_proved: AtomicU64,
}

impl Exchange {
    /// The access of one more part.
    pub fn part(&self) -> Exchange {
        let number = self.pool.parts.fetch_add(1, Ordering::Relaxed) + 1;
        Exchange { pool: self.pool.clone(), part: Part(number) }
    }

    /// No execution takes this path, a prefix of a path to a target.
    pub fn refute(&self, prefix: &[Step]) {
        lock(&self.pool.paths).refute(prefix, self.part);
    }

    /// The length of the shortest prefix of a path that no execution takes, as far as that is known.
    pub fn refuted(&self, path: &[Step]) -> Option<usize> {
        let (length, by) = lock(&self.pool.paths).refuted(path)?;
        self.count(&self.pool.prefixes_used, by);
        Some(length)
    }

    /// In so much time a solver did not find out whether an execution takes this path.
    pub fn give_up(&self, path: &[Step], time: Duration) {
        lock(&self.pool.paths).give_up(path, time, self.part);
    }

    /// Whether a path could not be decided in about so much time.
    pub fn is_hopeless(&self, path: &[Step], time: Duration) -> bool {
        match lock(&self.pool.paths).given_up(path) {
            Some((spent, by)) if paths::is_enough(spent, time) => {
                self.count(&self.pool.undecided_used, by);
                true
            }
            Some(_) | None => false,
        }
    }

    /// Offers a predicate at a location, written by `write`; it is kept if it is new.
    pub fn offer(&self, store: &Exprs, at: Node, write: impl FnOnce(&mut Exprs) -> Option<ExprId>) {
        lock(&self.pool.predicates).offer(store, at, self.part.0, write);
    }

    /// The predicates that other parts offered behind the first so many of all; how many there are now.
    pub fn predicates(&self, after: usize) -> (Claims, usize) {
        lock(&self.pool.predicates).of_others(after, self.part.0)
    }

    /// So many predicates of others were taken over.
    pub fn used_predicates(&self, count: usize) {
        self.pool.predicates_used.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// So many predicates of others, or their negations, were proved to hold.
    pub fn proved_predicates(&self, count: usize) {
        self.pool.predicates_proved.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Only what another part told counts as shared.
    fn count(&self, uses: &AtomicU64, by: Part) {
        if by != self.part {
            uses.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Says how much was told and used.
    pub fn report(&self, counters: &mut Counters) {
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (refuted, undecided) = lock(&self.pool.paths).sizes();
        counters.add("shared infeasible prefixes", refuted);
        counters.add("shared infeasible prefixes, used", number(&self.pool.prefixes_used));
        counters.add("shared undecided paths", undecided);
        counters.add("shared undecided paths, used", number(&self.pool.undecided_used));
        counters.add("shared predicates", lock(&self.pool.predicates).len() as u64);
        counters.add("shared predicates, used", number(&self.pool.predicates_used));
        counters.add("shared predicates, proved", number(&self.pool.predicates_proved));
    }
}

/// A thread that died left whole values behind.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
