//! Which part holds the memory of a process whose threads work on different parts of one run. Threads share a heap, so this
//! cannot be known exactly; but the system counts for every thread the pages that it was the first to touch (minor faults), also
//! those of solvers in other languages. What a thread touched is counted as its growth as far as the process grew
//! meanwhile: freeing and taking the same pages again and again is not growth.
//!
//! When the process comes near its limit, the part that grew most ends, and the others go on.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

const PAGE: u64 = 4096;
/// How often memory is looked at.
const PERIOD: Duration = Duration::from_millis(20);
/// A part that grew by less than this share of the limit is not to blame: memory is full of something else.
const INNOCENT: u64 = 16;

thread_local! {
    /// The faults of this thread that were counted already.
    static COUNTED: Cell<u64> = const { Cell::new(0) };
}

/// The growth of one part of a run, in bytes.
#[derive(Debug, Default)]
struct Growth {
    bytes: AtomicU64,
    /// What the process held when this was last brought up to date.
    resident: AtomicU64,
}

/// A part's account of the memory that all parts share.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    limit: u64,
    /// All parts that are running; one that ended is gone from here when its account is.
    parts: Arc<Mutex<Vec<Weak<Growth>>>>,
    /// `None`: the run as a whole.
    own: Option<Arc<Growth>>,
    /// When memory is looked at next, in nanoseconds after `start`.
    next: Arc<AtomicU64>,
    start: Instant,
}

impl Account {
    /// The account of a whole run.
    pub fn new(limit: u64) -> Account {
        Account { limit, parts: Arc::default(), own: None, next: Arc::default(), start: Instant::now() }
    }

    /// The account of a part that runs on this thread from now on, perhaps with helpers.
    pub fn part(&self) -> Account {
        let own = Arc::new(Growth::default());
        own.resident.store(resident_bytes().unwrap_or(0), Ordering::Relaxed);
        COUNTED.set(faults().unwrap_or(0));
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.retain(|part| part.strong_count() > 0);
        parts.push(Arc::downgrade(&own));
        drop(parts);
        Account { own: Some(own), next: Arc::default(), ..self.clone() }
    }

    /// Whether this part must end. Looks at the system's numbers now and then only.
    pub fn is_exhausted(&self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.start);
        if (passed.as_nanos() as u64) < self.next.load(Ordering::Relaxed) {
            return false;
        }
        self.next.store((passed + PERIOD).as_nanos() as u64, Ordering::Relaxed);
        self.look()
    }

    fn look(&self) -> bool {
        let Some(resident) = resident_bytes() else { return false };
        let Some(own) = &self.own else { return resident > self.limit };
        let faults = faults().unwrap_or(0);
        let touched = faults.saturating_sub(COUNTED.replace(faults)) * PAGE;
        let before = own.resident.swap(resident, Ordering::Relaxed);
        let grown = touched.min(resident.saturating_sub(before));
        let bytes = own.bytes.fetch_add(grown, Ordering::Relaxed) + grown;
        resident > self.limit && bytes >= self.limit / INNOCENT && self.is_largest(bytes)
    }

    fn is_largest(&self, bytes: u64) -> bool {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.iter().filter_map(Weak::upgrade).all(|part| part.bytes.load(Ordering::Relaxed) <= bytes)
    }
}

/// Resident memory of this process, where the system tells.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

/// How many pages this thread was the first to touch, where the system tells.
fn faults() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    // The name of the program stands in parentheses and may hold anything; the eighth field after it is the number.
    text.rsplit_once(')')?.1.split_whitespace().nth(7)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_grew_ends_alone() {
        let all = Account::new(64 << 20);
        let small = std::thread::scope(|scope| scope.spawn(|| all.part()).join()).expect("it only opens an account");
        let large = all.part();
        assert!(!large.look(), "nothing happened yet");
        let memory = std::hint::black_box(vec![1_u8; 200 << 20]);
        assert!(large.look(), "it holds {}", memory.len());
        let looked = std::thread::scope(|scope| {
            // A thread that does the work of the other part.
            scope.spawn(|| (COUNTED.set(faults().unwrap_or(0)), small.look()).1).join()
        });
        assert!(!looked.expect("it only looks"), "it did not grow");
    }

    #[test]
    fn a_run_without_parts_is_measured_as_a_whole() {
        assert!(Account::new(1).is_exhausted(Instant::now()));
        assert!(!Account::new(u64::MAX).is_exhausted(Instant::now()));
    }
}
