//! Infeasible sliced prefixes [BLW15a; Loewe17, Alg. 2]: one path may be infeasible for several reasons, and each of
//! them suffices to exclude it.

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

/// The path that was sliced last: the next one often begins like it, and has the same states there.
pub struct LastPath<S> {
    steps: Vec<Step>,
    limit: usize,
    sliced: Sliced<S>,
}

impl<S> LastPath<S> {
    /// Remembers a path with what was looked at of it.
    pub fn new(steps: &[Step], limit: usize, sliced: Sliced<S>) -> Self {
        Self { steps: steps.to_vec(), limit, sliced }
    }

    /// What slicing another path finds on the part that both have in common.
    fn begin(self, path: &[Step], limit: usize) -> Option<Sliced<S>> {
        let Self { steps, limit: before, mut sliced } = self;
        let looked = sliced.states.len() - 1;
        let common = steps.iter().zip(path).take(looked).take_while(|(old, new)| old == new).count();
        sliced.states.truncate(common + 1);
        sliced.contradictions.retain(|&position| position < common);
        (before == limit).then_some(sliced)
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

/// The same, from where the path differs from the one that was sliced before.
pub fn slice_after<D: PathDomain>(
    domain: &mut D,
    path: &[Step],
    limit: usize,
    last: Option<LastPath<D::Facts>>,
    cancel: &Cancel,
) -> Result<Sliced<D::Facts>, Stop> {
    let nothing = || Sliced { states: vec![domain.nothing_known()], contradictions: Vec::new() }; // 1
    let mut sliced = last.and_then(|last| last.begin(path, limit)).unwrap_or_else(nothing);
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
