//! The blackboard of a run: where its parts, side by side or one after the other, leave and find what is known about
//! their program. All of them work on the same automata; which targets they are asked about may differ. Parts that
//! work on another program (`cells`, `summaries`) have no access.
//!
//! Everything stands there with the part that left it, and with its [`Trust`]:
//!
//! | what | trust |
//! |---|---|
//! | facts at loop heads (`facts`) | proved |
//! | answers about targets (`answers`) | proved, by the evidence that they come with |
//! | prefixes of paths that no execution takes, paths that could not be decided (`paths`) | a hint |
//! | predicates of refinements, and claims of earlier runs (`predicates`, `claims`) | a hint |
//! | values of any type, such as bounds and tracked variables (`left`) | a hint |
//!
//! A path that is said to be infeasible is refined or left undecided, never counted as excluded; a predicate is a
//! question, or a fact after it has been proved. So a wrong hint costs time, not an answer.

mod facts;
mod left;
mod paths;
mod predicates;

pub use facts::{FactOrigin, Proved};
pub use left::{Note, SafeBound, Sufficed, TriedWhole};
pub use paths::{PathNumber, PathNumbers};
pub use predicates::Conjectures;

use crate::facts::Facts;
use analysis::Step;
use base::Counters;
use cfa::{ExprId, Exprs, Node, Scalar};
use left::Left;
use paths::Paths;
use predicates::Predicates;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use verdict::{Stop, Verdict};

/// One part's access to the blackboard.
#[derive(Clone, Default)]
pub struct Board {
    all: Arc<All>,
    part: Part,
}

/// Which part left something; 0 is the one that set the board up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Part(u32);

/// Whether what stands on the board may be believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// It was proved: others build on it.
    Proved,
    /// It may be wrong: a part that uses it proves it first, or only takes it as advice where to look.
    Hint,
}

#[derive(Default)]
struct All {
    facts: Mutex<Vec<Proved>>,
    answers: Mutex<BTreeMap<Node, (Part, Verdict)>>,
    paths: Mutex<Paths>,
    predicates: Mutex<Predicates>,
    claims: Mutex<Conjectures>,
    left: Mutex<Left>,
    parts: AtomicU32,
    /// How often a part used what another one had told.
    prefixes_used: AtomicU64,
    undecided_used: AtomicU64,
    predicates_used: AtomicU64,
    predicates_proved: AtomicU64,
}

impl Board {
    /// The access of one more part.
    pub fn part(&self) -> Board {
        let number = self.all.parts.fetch_add(1, Ordering::Relaxed) + 1;
        Board { all: self.all.clone(), part: Part(number) }
    }

    /// Whose access it is.
    pub fn who(&self) -> Part {
        self.part
    }

    /// The facts of a source. `find` proves them at the first time and may take for granted what is known already.
    pub fn facts(&self, source: FactOrigin, find: impl FnOnce(&[Facts]) -> Result<Facts, Stop>) -> Result<Facts, Stop> {
        let known = lock(&self.all.facts).clone();
        if let Some(proved) = known.iter().find(|proved| proved.source == source) {
            return Ok(proved.facts.clone());
        }
        let known: Vec<Facts> = known.into_iter().map(|proved| proved.facts).collect();
        let facts = find(&known)?;
        let is_condition = |&(_, fact): &(Node, ExprId)| facts.exprs.ty(fact) == Scalar::Bool;
        assert!(facts.facts.iter().all(is_condition), "facts are conditions");
        lock(&self.all.facts).push(Proved { source, by: self.part, facts: facts.clone() });
        Ok(facts)
    }

    /// All facts so far.
    pub fn proved(&self) -> Vec<Proved> {
        lock(&self.all.facts).clone()
    }

    /// Leaves the answer about a target, unless there is a sound one.
    pub fn answer(&self, target: Node, verdict: Verdict) {
        let mut answers = lock(&self.all.answers);
        let open = answers.get(&target).is_none_or(|(_, known)| matches!(known, Verdict::Unknown(_)));
        if open {
            answers.insert(target, (self.part, verdict));
        }
    }

    /// The answer about a target, and whose it is.
    pub fn answered(&self, target: Node) -> Option<(Part, Verdict)> {
        lock(&self.all.answers).get(&target).cloned()
    }

    /// No execution takes this path, a prefix of a path to a target.
    pub fn refute(&self, prefix: &[Step]) {
        lock(&self.all.paths).refute(prefix, self.part);
    }

    /// The same by the number of the path, for those who look at many paths that begin alike.
    pub fn refute_number(&self, number: PathNumber) {
        lock(&self.all.paths).refute_number(number, self.part);
    }

    /// The length of the shortest prefix of a path that no execution takes, as far as that is known.
    pub fn refuted(&self, path: &[Step]) -> Option<usize> {
        let (length, by) = lock(&self.all.paths).refuted(path)?;
        self.count(&self.all.prefixes_used, by);
        Some(length)
    }

    /// In so much time a solver did not find out whether an execution takes this path.
    pub fn give_up(&self, path: &[Step], time: Duration) {
        lock(&self.all.paths).give_up(path, time, self.part);
    }

    /// Whether a path could not be decided in about so much time.
    pub fn is_hopeless(&self, path: &[Step], time: Duration) -> bool {
        match lock(&self.all.paths).given_up(path) {
            Some((spent, by)) if paths::is_enough(spent, time) => {
                self.count(&self.all.undecided_used, by);
                true
            }
            Some(_) | None => false,
        }
    }

    /// Offers a predicate at a location, written by `write`; it is kept if it is new.
    pub fn offer(&self, store: &Exprs, at: Node, write: impl FnOnce(&mut Exprs) -> Option<ExprId>) {
        lock(&self.all.predicates).offer(store, at, self.part, write);
    }

    /// The predicates that other parts offered after the first so many of all; how many there are now.
    pub fn predicates(&self, after: usize) -> (Conjectures, usize) {
        lock(&self.all.predicates).of_others(after, self.part)
    }

    /// So many predicates of others were taken over.
    pub fn used_predicates(&self, count: usize) {
        self.all.predicates_used.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// So many predicates of others, or their negations, were proved to hold.
    pub fn proved_predicates(&self, count: usize) {
        self.all.predicates_proved.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Leaves truth values at loop heads that may hold, as they did of a similar program.
    pub fn claim(&self, claims: Conjectures) {
        *lock(&self.all.claims) = claims;
    }

    /// What is claimed.
    pub fn claims(&self) -> Conjectures {
        lock(&self.all.claims).clone()
    }

    /// Leaves a value for later parts.
    pub fn leave<N: Note>(&self, note: N) {
        lock(&self.all.left).leave(self.part, note);
    }

    /// The value of a type that was left last, or as [`Note::prefer`] says.
    pub fn find<N: Note>(&self) -> Option<N> {
        lock(&self.all.left).find()
    }

    /// The value of a type that one part left last.
    pub fn left_by<N: Note>(&self, part: Part) -> Option<N> {
        lock(&self.all.left).left_by(part)
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
        let (refuted, undecided) = lock(&self.all.paths).sizes();
        counters.add("shared infeasible prefixes", refuted);
        counters.add("shared infeasible prefixes, used", number(&self.all.prefixes_used));
        counters.add("shared undecided paths", undecided);
        counters.add("shared undecided paths, used", number(&self.all.undecided_used));
        counters.add("shared predicates", lock(&self.all.predicates).len() as u64);
        counters.add("shared predicates, used", number(&self.all.predicates_used));
        counters.add("shared predicates, proved", number(&self.all.predicates_proved));
    }
}

/// For debuggers: a board is large.
impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Board({:?})", self.part)
    }
}

/// A thread that died left whole values behind.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
