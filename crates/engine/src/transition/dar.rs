//! Dual approximated reachability [VGS13]: sets of states forward from the first visit and backward from bad states, each made
//! smaller by interpolants with the other.
//!
//! F(i) contains the states of visit i, and F(i) and one step imply F(i + 1); none of its states is bad. B(j) contains the
//! states from which a bad one is reached after exactly j steps; B(0) are the bad states. For growing n:
//! 1. *Local*: if for some i no step leads from F(i) to B(n - i), interpolants of single steps make F(i + 1) to F(n + 1) and
//!    B(n - i + 1) to B(n + 1) smaller.
//! 2. *Global*: else the first i for which B(n - i) is not reached by i + 1 steps from the first visit; the sequence of
//!    interpolants of these steps makes F(0) to F(i + 1) smaller, and 1. follows. If there is none, bad states are reached.
//! 3. If F(j) lies in the union of the F(i) before it, that union is an invariant.
//!
//! Deviates from [VGS13]: fixed points of the backward sets are not looked for, since B(0) depends on inputs.

use super::ismc::closed;
use super::{Found, InterpolantSource, Search};
use base::options;
use encode::{Chain, Depth};
use smt::{Answer, TermId};
use verdict::Stop;

options! {
    /// Options of dual approximated reachability.
    pub struct DarOptions {
        /// The last number of steps.
        pub k_max: u32 = u32::MAX,
        /// Where interpolants come from.
        pub interpolants: InterpolantSource = InterpolantSource::Best,
    }
}

/// Decides a system.
pub fn search(search: &mut Search, options: &DarOptions) -> Result<Found, Stop> {
    let first = search.system.execution(Depth::Steps(0));
    if search.check(&[first.formula])? == Answer::Sat {
        return Ok(Found::Execution(Depth::Steps(0)));
    }
    let forward = search.interpolants(&first.chain.groups, options.interpolants)?.ok_or_else(contradiction)?;
    let backward = vec![search.system.bad.formula];
    let mut dar = Dar { search, interpolants: options.interpolants, forward, backward };
    for n in 0..options.k_max as usize {
        dar.search.counters.max("k", n as u64 + 1);
        dar.search.counters.live.bound(n as u64 + 1);
        let local = dar.local(n)?;
        let from = match local {
            Some(from) => from,
            None => match dar.global(n)? {
                Some(from) => from,
                None => return Ok(Found::Execution(Depth::Steps(n + 1))), // 2
            },
        };
        dar.strengthen(n, from)?; // 1
        if let Some(invariant) = closed(dar.search, &dar.forward)? {
            return Ok(Found::Invariant(invariant)); // 3
        }
    }
    Err(Stop::Bound(format!("no interpolants are inductive up to {} steps", options.k_max)))
}

fn contradiction() -> Stop {
    Stop::Solver("two answers to one question".to_owned())
}

struct Dar<'s, 'a, 'p> {
    search: &'s mut Search<'a, 'p>,
    interpolants: InterpolantSource,
    forward: Vec<TermId>,
    backward: Vec<TermId>,
}

impl Dar<'_, '_, '_> {
    /// States, a step from them, and states after it, as formulas of one chain.
    fn step(&mut self, from: TermId, to: TermId) -> [TermId; 3] {
        let encoder = &mut self.search.system.encoder;
        let mut chain = Chain::from_place(encoder, from);
        let step = self.search.system.step.clone();
        chain.push(encoder, &step);
        let to = chain.next(encoder, to);
        [chain.groups[0], chain.groups[1], to]
    }

    /// The last set from which no step leads to its counterpart.
    fn local(&mut self, n: usize) -> Result<Option<usize>, Stop> {
        for at in (0..=n).rev() {
            let query = self.step(self.forward[at], self.backward[n - at]);
            if self.search.check(&query)? == Answer::Unsat {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Step 2: `None` if a bad state is reached after n + 1 steps.
    fn global(&mut self, n: usize) -> Result<Option<usize>, Stop> {
        self.search.counters.add("global strengthenings", 1);
        for at in 0..=n {
            let encoder = &mut self.search.system.encoder;
            let mut chain = Chain::default();
            let (init, step) = (self.search.system.init.clone(), self.search.system.step.clone());
            chain.push(encoder, &init);
            for _ in 0..=at {
                chain.push(encoder, &step);
            }
            let last = chain.next(encoder, self.backward[n - at]);
            chain.groups.push(last);
            chain.ground(encoder);
            if self.search.check(&chain.groups)? == Answer::Sat {
                continue;
            }
            let sequence = self.search.interpolants(&chain.groups, self.interpolants)?.ok_or_else(contradiction)?;
            for (visit, &smaller) in sequence.iter().enumerate() {
                self.forward_is(visit, smaller);
            }
            return Ok(Some(at));
        }
        Ok(None)
    }

    fn forward_is(&mut self, visit: usize, smaller: TermId) {
        assert!(visit <= self.forward.len(), "sets of visits are found in their order");
        let terms = &mut self.search.system.encoder.terms;
        match self.forward.get_mut(visit) {
            Some(known) => *known = terms.and([*known, smaller]),
            None => self.forward.push(smaller),
        }
    }

    /// Step 1.
    fn strengthen(&mut self, n: usize, from: usize) -> Result<(), Stop> {
        for at in from..=n {
            let [before, step, after] = self.step(self.forward[at], self.backward[n - at]);
            let reached = self.search.system.encoder.terms.and([before, step]);
            let found = self.search.interpolants(&[reached, after], self.interpolants)?.ok_or_else(contradiction)?;
            self.forward_is(at + 1, found[0]);
        }
        for at in n - from..=n {
            let [before, step, after] = self.step(self.forward[n - at], self.backward[at]);
            let leads = self.search.system.encoder.terms.and([step, after]);
            let found = self.search.interpolants(&[before, leads], self.interpolants)?.ok_or_else(contradiction)?;
            let terms = &mut self.search.system.encoder.terms;
            let smaller = terms.not(found[0]);
            assert!(at < self.backward.len(), "sets before bad states are found in their order");
            match self.backward.get_mut(at + 1) {
                Some(known) => *known = terms.and([*known, smaller]),
                None => self.backward.push(smaller),
            }
        }
        let sets = (self.forward.len(), self.backward.len());
        assert_eq!(sets, (n + 2, n + 2), "each side has a set for every number of steps");
        Ok(())
    }
}
