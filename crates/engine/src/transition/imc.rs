//! Interpolation-based model checking [McM03], on programs as [BLW22] does it: blocks end at the head of the single loop.
//!
//! For growing k:
//! 1. Is a bad state reached within k steps from the first visit? Then that is an execution.
//! 2. R is an interpolant between the states of the first visit and "a bad state within k steps".
//! 3. The interpolant between "R, and one step" and "a bad state within k - 1 further steps" contains all successors of R.
//!    If it lies in R, then R is an invariant; else it is added to R. 4. If a state of R reaches a bad state, R contains too
//!    much: k grows.
//!
//! Deviates from [BLW22], where the second formula is about exactly k steps: so every interpolant excludes bad states itself.

use super::{Found, InterpolantSource, Search};
use base::options;
use encode::{Chain, Depth};
use smt::{Answer, TermId};
use verdict::Stop;

options! {
    /// Options of interpolation-based model checking.
    pub struct ImcOptions {
        /// The last number of steps.
        pub k_max: u32 = u32::MAX,
        /// Where interpolants come from.
        pub interpolants: InterpolantSource = InterpolantSource::Best,
    }
}

/// Decides a system.
pub fn search(search: &mut Search, options: &ImcOptions) -> Result<Found, Stop> {
    let mut k = 0;
    while k <= options.k_max {
        search.counters.max("k", u64::from(k));
        search.counters.live.bound(u64::from(k));
        let mut chain = Chain::default();
        let first = search.first(&mut chain);
        let bad = search.system.within(&mut chain, k as usize);
        let first = search.grounded(first, &[bad]);
        if search.check(&[first, bad])? == Answer::Sat {
            return Ok(Found::Execution(Depth::Steps(k as usize))); // 1
        }
        let Some(reached) = search.interpolants(&[first, bad], options.interpolants)? else {
            return Err(Stop::Solver("two answers to one question".to_owned()));
        };
        if let Some(invariant) = fixed_point(search, reached[0], k.saturating_sub(1) as usize, options)? {
            return Ok(Found::Invariant(invariant));
        }
        k += 1;
    }
    Err(Stop::Bound(format!("no interpolants are inductive up to {} steps", options.k_max)))
}

/// Steps 2 to 4.
fn fixed_point(
    search: &mut Search,
    mut reached: TermId,
    steps: usize,
    options: &ImcOptions,
) -> Result<Option<TermId>, Stop> {
    loop {
        search.counters.add("images", 1);
        let mut chain = Chain::from_place(&mut search.system.encoder, reached);
        let from = chain.groups[0];
        let step = search.system.step.clone();
        let (taken, values) = chain.push_apart(&mut search.system.encoder, &step);
        let image = search.system.encoder.terms.and([from, taken, values]);
        let bad = search.system.within(&mut chain, steps);
        let Some(found) = search.interpolants(&[image, bad], options.interpolants)? else { return Ok(None) }; // 4
        if search.includes(reached, found[0])? {
            return Ok(Some(reached)); // 3
        }
        reached = search.system.encoder.terms.or([reached, found[0]]);
    }
}
