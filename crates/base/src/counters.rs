//! Named numbers that engines count and reports show.

use crate::{Live, Trail};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A counter: how two readings of it become one.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Reading {
    Sum(u64),
    Largest(u64),
}

impl Reading {
    fn value(self) -> u64 {
        match self {
            Reading::Sum(value) | Reading::Largest(value) => value,
        }
    }

    fn with(self, other: Reading) -> Reading {
        match (self, other) {
            (Reading::Sum(a), Reading::Sum(b)) => Reading::Sum(a.saturating_add(b)),
            (Reading::Largest(a), Reading::Largest(b)) => Reading::Largest(a.max(b)),
            (Reading::Sum(a), Reading::Largest(b)) | (Reading::Largest(a), Reading::Sum(b)) => {
                // Not worth an answer in a release.
                debug_assert!(false, "a counter is a sum or a largest value, wherever it is counted");
                Reading::Largest(a.max(b))
            }
        }
    }
}

/// Statistics of one run, in a fixed order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counters {
    values: BTreeMap<&'static str, Reading>,
    times: BTreeMap<&'static str, Duration>,
    /// What the engine went through.
    pub trail: Trail,
    /// What it shows while it runs.
    pub live: Live,
}

impl Counters {
    /// Nothing counted yet; records what the trail wants, and shows it there.
    pub fn new(trail: Trail, live: Live) -> Self {
        Self { trail, live, ..Self::default() }
    }

    /// Adds to a counter.
    pub fn add(&mut self, name: &'static str, amount: u64) {
        self.read(name, Reading::Sum(amount));
    }

    /// Keeps the largest value seen.
    pub fn max(&mut self, name: &'static str, value: u64) {
        self.read(name, Reading::Largest(value));
    }

    fn read(&mut self, name: &'static str, new: Reading) {
        self.values.entry(name).and_modify(|old| *old = old.with(new)).or_insert(new);
    }

    /// The value of a counter; 0 if it was never touched.
    pub fn value(&self, name: &str) -> u64 {
        self.values.get(name).map_or(0, |reading| reading.value())
    }

    /// Adds the time since `start` to a phase.
    pub fn time_since(&mut self, phase: &'static str, start: Instant) {
        *self.times.entry(phase).or_default() += start.elapsed();
    }

    /// Adds time to a phase.
    pub fn add_time(&mut self, phase: &'static str, time: Duration) {
        *self.times.entry(phase).or_default() += time;
    }

    /// All counters by name.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.values.iter().map(|(&name, reading)| (name, reading.value()))
    }

    /// All phases by name.
    pub fn times(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        self.times.iter().map(|(&name, &time)| (name, time))
    }

    /// Takes in all numbers of `other`: sums are added up, of largest values the larger stays.
    pub fn absorb(&mut self, other: &Counters) {
        for (name, &reading) in &other.values {
            self.read(name, reading);
        }
        for (name, time) in other.times() {
            *self.times.entry(name).or_default() += time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absorbed_sums_add_up_and_largest_values_stay() {
        let mut total = Counters::default();
        for (queries, k) in [(3, 7), (4, 2)] {
            let mut part = Counters::default();
            part.add("queries", queries);
            part.max("k", k);
            total.absorb(&part);
        }
        assert_eq!(total.values().collect::<Vec<_>>(), [("k", 7), ("queries", 7)]);
    }
}
