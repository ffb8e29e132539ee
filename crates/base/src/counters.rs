//! Named numbers that engines count and reports show.

use crate::{Live, Trail};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Statistics of one run, in a fixed order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counters {
    values: BTreeMap<&'static str, u64>,
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
        *self.values.entry(name).or_default() += amount;
    }

    /// Keeps the largest value seen.
    pub fn max(&mut self, name: &'static str, value: u64) {
        let entry = self.values.entry(name).or_default();
        *entry = (*entry).max(value);
    }

    /// The value of a counter; 0 if it was never touched.
    pub fn value(&self, name: &str) -> u64 {
        self.values.get(name).copied().unwrap_or(0)
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
        self.values.iter().map(|(&name, &value)| (name, value))
    }

    /// All phases by name.
    pub fn times(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        self.times.iter().map(|(&name, &time)| (name, time))
    }

    /// Adds all numbers of `other`.
    pub fn absorb(&mut self, other: &Counters) {
        for (name, value) in other.values() {
            self.add(name, value);
        }
        for (name, time) in other.times() {
            *self.times.entry(name).or_default() += time;
        }
    }
}
