//! Cooperative cancellation: every long loop asks [`Cancel::check`] now and then.

use crate::budget::{Budget, Budgets};
use crate::memory::Account;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why work was stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The time limit passed.
    Time,
    /// The memory limit was reached.
    Memory,
    /// Stopped on request: Ctrl-C, or another engine has the answer.
    Asked,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stopped::Time => "time limit reached",
            Stopped::Memory => "memory limit reached",
            Stopped::Asked => "stopped",
        })
    }
}

impl std::error::Error for Stopped {}

/// Limits and a stop flag, shared by all threads that work on one answer. Clones share the flag.
#[derive(Clone, Debug)]
pub struct Cancel {
    deadline: Option<Instant>,
    memory: Option<Account>,
    stop: Arc<AtomicBool>,
    parents: Vec<Arc<AtomicBool>>,
    /// What this is a part of; `None` if it is all.
    whole: Option<Arc<Cancel>>,
    budgets: Budgets,
}

impl Cancel {
    /// No limit at all.
    pub fn never() -> Self {
        Self::with_limits(None, None)
    }

    /// Stops after `time`, or when the process holds more than `memory` bytes.
    pub fn with_limits(time: Option<Duration>, memory: Option<u64>) -> Self {
        Self {
            deadline: time.map(|limit| Instant::now() + limit),
            memory: memory.map(Account::new),
            stop: Arc::default(),
            parents: Vec::new(),
            whole: None,
            budgets: Budgets::default(),
        }
    }

    /// A part of this work with a flag and, perhaps, a nearer deadline of its own; stopping `self` stops it too.
    pub fn child(&self, time: Option<Duration>) -> Self {
        let own = time.map(|limit| Instant::now() + limit);
        let deadline = match (self.deadline, own) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let parents = self.parents.iter().chain([&self.stop]).cloned().collect();
        let whole = Some(self.whole.clone().unwrap_or_else(|| Arc::new(self.clone())));
        Self { deadline, stop: Arc::default(), parents, whole, ..self.clone() }
    }

    /// The same with another policy for its steps.
    pub fn with_budgets(self, budgets: Budgets) -> Self {
        Self { budgets, ..self }
    }

    /// The policy for its steps.
    pub fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// A [`child`](Self::child) for a step that has a budget.
    pub fn within(&self, budget: Budget) -> Self {
        self.child(self.allowed(budget))
    }

    /// The time that a step may take, if there is a limit.
    pub fn allowed(&self, budget: Budget) -> Option<Duration> {
        let allowance = self.budgets.allowance(budget);
        self.remaining().map_or(allowance.most, |left| Some(allowance.of(left)))
    }

    /// The limits of all the work that this is a part of: for what the other parts want as well.
    pub fn whole(&self) -> &Cancel {
        self.whole.as_deref().unwrap_or(self)
    }

    /// A [`child`](Self::child) that works alongside others from now on, on this thread: when memory becomes scarce, the one
    /// that took most of it is stopped, not the one that checks first.
    pub fn part(&self, time: Option<Duration>) -> Self {
        Self { memory: self.memory.as_ref().map(Account::part), ..self.child(time) }
    }

    /// Asks everything that shares this to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested or the deadline passed.
    pub fn is_stopped(&self) -> bool {
        self.check().is_err()
    }

    /// `Err` once the work must end. Cheap: memory is looked at now and then.
    pub fn check(&self) -> Result<(), Stopped> {
        let asked = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if asked(&self.stop) || self.parents.iter().any(|flag| asked(flag)) {
            return Err(Stopped::Asked);
        }
        if self.deadline.is_none() && self.memory.is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Stopped::Time);
        }
        if self.memory.as_ref().is_some_and(|memory| memory.is_exhausted(now)) {
            return Err(Stopped::Memory);
        }
        Ok(())
    }

    /// Time left, if there is a limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_parent_stops_its_children() {
        let parent = Cancel::never();
        let child = parent.child(None);
        assert_eq!(child.check(), Ok(()));
        let grandchild = child.child(None);
        parent.stop();
        assert_eq!(child.check(), Err(Stopped::Asked));
        assert_eq!(grandchild.check(), Err(Stopped::Asked));
    }

    #[test]
    fn a_stopped_child_leaves_its_parent_alone() {
        let parent = Cancel::never();
        parent.child(None).stop();
        assert_eq!(parent.check(), Ok(()));
    }

    #[test]
    fn the_whole_outlives_its_parts() {
        let whole = Cancel::never();
        let part = whole.child(Some(Duration::ZERO)).child(None);
        assert_eq!(part.check(), Err(Stopped::Time));
        assert_eq!(part.whole().check(), Ok(()));
        whole.stop();
        assert_eq!(part.whole().check(), Err(Stopped::Asked));
    }

    #[test]
    fn the_nearer_deadline_wins() {
        let parent = Cancel::with_limits(Some(Duration::ZERO), None);
        assert_eq!(parent.child(Some(Duration::from_secs(60))).check(), Err(Stopped::Time));
    }
}
