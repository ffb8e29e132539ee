//! Infeasible sliced prefixes [BLW15a; Loewe17, Alg. 2]: one path may be infeasible for several reasons, and each of
//! them suffices to exclude it.

use crate::board::PathNumbers;
use analysis::{PathDomain, Step};
use base::Cancel;
use verdict::Stop;

/// A path with all contradictions that its strongest posts meet.
pub struct Sliced<S> {
    /// The strongest post before each step and after the last; steps that contradict count as `[true]`.
    pub states: Vec<S>,
    /// The positions of contradicting steps, ascending. Empty: the path is feasible for the domain.
    pub contradictions: Vec<usize>,
}

/// What was found on the path that was looked at last: the next one often begins like it, and has the same there.
pub struct LastPath<S> {
    /// How many contradictions were looked for.
    pub limit: usize,
    /// What slicing found.
    pub sliced: Sliced<S>,
    /// What stands for its beginnings on the blackboard.
    pub numbers: PathNumbers,
}

impl<S> LastPath<S> {
    /// What holds of a path of which so many steps at the beginning are the same.
    #[must_use]
    pub fn up_to(mut self, kept: usize) -> Self {
        self.sliced.states.truncate(kept + 1);
        let looked = self.sliced.states.len() - 1;
        self.sliced.contradictions.retain(|&position| position < looked);
        self.numbers.truncate(kept);
        self
    }
}

/// ExtractInfeasibleSlicedPrefixes [Loewe17, Alg. 2]:
///
/// 1. start from the empty feasible prefix σf;
/// 2. for each step: if σf ∧ step is contradicting, that is an infeasible sliced prefix, and the step becomes
///    `[true]` in σf; else the step is appended to σf.
///
/// A prefix is given by its last position: all prefixes share the states of σf. At most `limit` are looked for.
pub fn slice<D: PathDomain>(
    domain: &mut D,
    path: &[Step],
    limit: usize,
    cancel: &Cancel,
) -> Result<Sliced<D::Facts>, Stop> {
    slice_after(domain, path, limit, None, cancel)
}

/// The same, after what is known of the beginning of the path.
pub fn slice_after<D: PathDomain>(
    domain: &mut D,
    path: &[Step],
    limit: usize,
    begun: Option<Sliced<D::Facts>>,
    cancel: &Cancel,
) -> Result<Sliced<D::Facts>, Stop> {
    let nothing = || Sliced { states: vec![domain.nothing_known()], contradictions: Vec::new() }; // 1
    let mut sliced = begun.unwrap_or_else(nothing);
    let known = sliced.states.len() - 1;
    for (position, step) in path.iter().enumerate().skip(known) {
        cancel.check()?;
        let before = &sliced.states[position];
        let after = match domain.strongest_post(before, step, position)? {
            Some(after) => after,
            None => {
                sliced.contradictions.push(position); // 2
                if sliced.contradictions.len() == limit {
                    break;
                }
                before.clone()
            }
        };
        sliced.states.push(after);
    }
    let cut = sliced.contradictions.last().filter(|_| sliced.contradictions.len() == limit);
    let looked = cut.map_or(path.len(), |last| *last);
    assert_eq!(sliced.states.len(), looked + 1, "a state before each step that was looked at");
    Ok(sliced)
}
