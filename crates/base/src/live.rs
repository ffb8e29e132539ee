//! What an engine is doing right now, for an observer on another thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What one engine shows; clones show the same.
#[derive(Clone, Debug, Default)]
pub struct Live {
    shown: Arc<Shown>,
}

#[derive(Debug, Default)]
struct Shown {
    phase: Mutex<&'static str>,
    refinements: AtomicU64,
    reached: AtomicU64,
    bound: AtomicU64,
}

impl Live {
    /// The engine begins with something else.
    pub fn phase(&self, phase: &'static str) {
        *self.shown.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    /// One refinement more.
    pub fn refined(&self) {
        self.shown.refinements.fetch_add(1, Ordering::Relaxed);
    }

    /// So many states are reached.
    pub fn reached(&self, states: u64) {
        self.shown.reached.store(states, Ordering::Relaxed);
    }

    /// The bound of an unrolling.
    pub fn bound(&self, k: u64) {
        self.shown.bound.store(k, Ordering::Relaxed);
    }

    /// One short line; what is zero is left out.
    pub fn text(&self) -> String {
        let phase = *self.shown.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let number = |count: &AtomicU64| Some(count.load(Ordering::Relaxed)).filter(|&count| count > 0);
        let words = [
            Some(phase.to_owned()).filter(|phase| !phase.is_empty()),
            number(&self.shown.bound).map(|k| format!("k = {k}")),
            number(&self.shown.refinements).map(|count| format!("{count} refinement{}", plural(count))),
            number(&self.shown.reached).map(|count| format!("{count} reached")),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Watching makes no difference to what is counted.
impl PartialEq for Live {
    fn eq(&self, _: &Live) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_known() {
        let live = Live::default();
        assert_eq!(live.text(), "");
        let watched = live.clone();
        live.phase("exploration");
        live.reached(512);
        assert_eq!(watched.text(), "exploration, 512 reached");
        live.phase("refinement");
        live.refined();
        assert_eq!(watched.text(), "refinement, 1 refinement, 512 reached");
    }
}
