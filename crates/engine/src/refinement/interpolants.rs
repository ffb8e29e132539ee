//! Interpolants for constraint sequences of a domain of facts [BL13, Alg. 3 and 4], computed backwards.
//!
//! [BL13] goes forwards: at each of the n positions it tries to drop each of the m known facts and checks the rest of
//! the path, m·n² strongest posts. Here the sequence is built from its end: the facts that the contradicting step
//! needs, then for each earlier step the facts that it needs to yield those. Each position costs a few posts of one
//! step, so the whole sequence is linear in the path; it is inductive by construction.

use super::prefixes::Sliced;
use analysis::{PathDomain, Step};
use base::Cancel;
use std::collections::BTreeSet;
use verdict::Stop;

/// An inductive sequence of interpolants.
#[derive(Clone, Debug)]
pub struct PathInterpolants<F> {
    /// The position of the contradicting step.
    pub end: usize,
    /// Before steps in front of this one nothing need be known.
    pub first: usize,
    /// `facts[i]` suffice before step `first + i` for the rest of the path to be infeasible, up to step `end`.
    pub facts: Vec<Vec<F>>,
}

impl<F> PathInterpolants<F> {
    /// The facts that suffice before a step; `None` after the contradiction.
    pub fn before(&self, position: usize) -> Option<&[F]> {
        let facts = || position.checked_sub(self.first).map_or(&[][..], |at| &self.facts[at]);
        (position <= self.end).then(facts)
    }

    /// The positions with the facts before them, from the first one on that needs any.
    pub fn positions(&self) -> impl Iterator<Item = (usize, &[F])> {
        self.facts.iter().enumerate().map(|(at, facts)| (self.first + at, facts.as_slice()))
    }
}

/// The inductive interpolants of the infeasible sliced prefix that ends at `end`:
///
/// 1. before the contradicting step: a minimal set of facts under which it is still impossible;
/// 2. before each earlier step, last one first: a minimal set of facts under which its strongest post yields the set
///    after it.
///
/// The most expensive facts are given up first, so of two reasons for a contradiction the cheaper one stays.
pub fn interpolate<D: PathDomain>(
    domain: &mut D,
    path: &[Step],
    sliced: &Sliced<D::Facts>,
    end: usize,
    cancel: &Cancel,
) -> Result<PathInterpolants<D::Fact>, Stop> {
    assert!(sliced.contradictions.binary_search(&end).is_ok(), "a prefix ends with a contradiction");
    // The last position first, so that a reason at the end of a long path costs nothing before it.
    let mut wanted = needed(domain, sliced, path, end, None, cancel)?; // 1
    let mut facts: Vec<Vec<D::Fact>> = Vec::new();
    let mut first = end;
    // Nothing is needed for nothing.
    while first > 0 && !wanted.is_empty() {
        cancel.check()?;
        first -= 1;
        // 2
        let before = if sliced.contradictions.binary_search(&first).is_ok() {
            wanted.clone()
        } else {
            needed(domain, sliced, path, first, Some(&wanted), cancel)?
        };
        facts.push(std::mem::replace(&mut wanted, before));
    }
    facts.push(wanted);
    facts.reverse();
    Ok(PathInterpolants { end, first, facts })
}

/// Facts before a step under which it yields the `wanted` facts, or with `None` is impossible.
fn needed<D: PathDomain>(
    domain: &mut D,
    sliced: &Sliced<D::Facts>,
    path: &[Step],
    position: usize,
    wanted: Option<&Vec<D::Fact>>,
    cancel: &Cancel,
) -> Result<Vec<D::Fact>, Stop> {
    let before = &sliced.states[position];
    let step = &path[position];
    let mut influences = Vec::new();
    domain.influences(before, step, wanted.map_or(&[], Vec::as_slice), &mut influences);
    influences.retain(|&fact| domain.agree(before, before, fact));
    let carried: Vec<D::Fact> = match wanted {
        Some(wanted) => {
            let after = &sliced.states[position + 1];
            wanted.iter().copied().filter(|&fact| domain.agree(before, after, fact)).collect()
        }
        None => Vec::new(),
    };
    let yields = |domain: &mut D, facts: &[D::Fact]| -> Result<bool, Stop> {
        let start = domain.restrict(before, facts);
        let Some(end) = domain.strongest_post(&start, step, position)? else { return Ok(true) };
        let Some(wanted) = wanted else { return Ok(false) };
        Ok(wanted.iter().all(|&fact| domain.agree(&end, &sliced.states[position + 1], fact)))
    };
    let all_carried = wanted.is_some_and(|wanted| wanted.len() == carried.len());
    if influences.is_empty() && all_carried {
        return Ok(carried);
    }
    let mut kept: BTreeSet<D::Fact> = carried.iter().copied().collect();
    let list = |set: &BTreeSet<D::Fact>| set.iter().copied().collect::<Vec<_>>();
    if !(all_carried && yields(domain, &carried)?) {
        kept.extend(&influences);
        let mut enough = yields(domain, &list(&kept))?;
        if !enough && let Some(wanted) = wanted {
            // What a step changes in part is known in part from before.
            influences.extend(wanted.iter().copied().filter(|&fact| domain.agree(before, before, fact)));
            kept.extend(&influences);
            enough = yields(domain, &list(&kept))?;
        }
        if !enough {
            // The domain could not say what matters: keep everything that is known.
            let mut all = Vec::new();
            domain.facts(before, &mut all);
            kept = all.into_iter().collect();
            influences = list(&kept);
        }
    }
    let mut candidates: Vec<D::Fact> = influences.into_iter().filter(|fact| kept.contains(fact)).collect();
    candidates.sort_by_key(|&fact| (std::cmp::Reverse(domain.cost(fact)), fact));
    candidates.dedup();
    // What holds with some facts holds with more, so giving up many at a time ends with the same facts as giving up
    // one after the other; but where few of many matter, after few posts.
    let alone = candidates.len() <= 4;
    let mut chunks: Vec<&[D::Fact]> = if alone { candidates.chunks(1).rev().collect() } else { vec![&candidates] };
    while let Some(chunk) = chunks.pop() {
        cancel.check()?;
        for fact in chunk {
            kept.remove(fact);
        }
        if !yields(domain, &list(&kept))? {
            kept.extend(chunk);
            if chunk.len() > 1 {
                let (first, second) = chunk.split_at(chunk.len() / 2);
                chunks.extend([second, first]);
            }
        }
    }
    Ok(list(&kept))
}
