//! Model checking with sequences of interpolants [VG09].
//!
//! F(j) contains the states of the visit j of the head. For growing k:
//! 1. Is a bad state reached after exactly k steps? Then that is an execution.
//! 2. The sequence of interpolants of these steps: its j-th element contains the states of visit j, and is added to F(j).
//!    So F(j) and one step imply F(j + 1), and F(j) excludes bad states.
//! 3. If F(j) lies in the union of the F(i) before it, that union is an invariant.

use super::{Found, InterpolantSource, Search};
use base::options;
use encode::Depth;
use smt::{Answer, TermId};
use verdict::Stop;

options! {
    /// Options of model checking with sequences of interpolants.
    pub struct IsmcOptions {
        /// The last number of steps.
        pub k_max: u32 = u32::MAX,
        /// Where interpolants come from.
        pub interpolants: InterpolantSource = InterpolantSource::Best,
    }
}

/// Decides a system.
pub fn search(search: &mut Search, options: &IsmcOptions) -> Result<Found, Stop> {
    let mut frames: Vec<TermId> = Vec::new();
    let mut k = 0;
    while k <= options.k_max {
        search.counters.max("k", u64::from(k));
        search.counters.live.bound(u64::from(k));
        let execution = search.system.execution(Depth::Steps(k as usize));
        if search.check(&[execution.formula])? == Answer::Sat {
            return Ok(Found::Execution(Depth::Steps(k as usize))); // 1
        }
        let groups = execution.chain.groups;
        let Some(sequence) = search.interpolants(&groups, options.interpolants)? else {
            return Err(Stop::Solver("two answers to one question".to_owned()));
        };
        // 2
        let terms = &mut search.system.encoder.terms;
        for (at, &interpolant) in sequence.iter().enumerate() {
            match frames.get_mut(at) {
                Some(known) => *known = terms.and([*known, interpolant]),
                None => frames.push(interpolant),
            }
        }
        assert_eq!(frames.len(), sequence.len(), "each visit has a frame");
        if let Some(invariant) = closed(search, &frames)? {
            return Ok(Found::Invariant(invariant));
        }
        k += 1;
    }
    Err(Stop::Bound(format!("no interpolants are inductive up to {} steps", options.k_max)))
}

/// Step 3: the union of frames in which the next one lies.
pub(super) fn closed(search: &mut Search, frames: &[TermId]) -> Result<Option<TermId>, Stop> {
    assert!(!frames.is_empty(), "the first visit has a frame");
    let mut union = frames[0];
    for &frame in &frames[1..] {
        if search.includes(union, frame)? {
            return Ok(Some(union));
        }
        union = search.system.encoder.terms.or([union, frame]);
    }
    Ok(None)
}
