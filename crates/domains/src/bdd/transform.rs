//! What operations do to sets of states, forwards and backwards, and how several become one.

use super::compile::Compiler;
use bdd::{BddStore, Interrupted};
use cfa::VarId;
use std::rc::Rc;

/// Two moves that copy become one if that has at most so many nodes more than both.
const SLACK: usize = 16;

/// What an operation does to a set of states.
#[derive(Clone)]
pub enum Transform<F> {
    /// Nothing.
    Keep,
    /// States in `when` go on; the variables of `cube` get any values for which `then` holds afterwards, also of the
    /// variables that stay as they are.
    Move {
        /// Where it can be done.
        when: F,
        /// The bits that change.
        cube: F,
        /// What they are afterwards, alone or beside others.
        then: F,
    },
    /// The variable changes, and what it is depends on what it was: from each set of states into that class.
    Cases(VarId, Rc<[(F, usize)]>),
}

impl<S: BddStore> Compiler<S> {
    /// Only states in a set go on.
    pub fn restrict(&self, when: S::Function) -> Transform<S::Function> {
        Transform::Move { when, cube: self.store.constant(true), then: self.store.constant(true) }
    }

    /// Any value for the variable.
    pub fn forget(&self, var: VarId) -> Transform<S::Function> {
        let Some(coded) = self.coded.get(&var) else { return Transform::Keep };
        let all = self.store.constant(true);
        Transform::Move { when: all.clone(), cube: coded.cube.clone(), then: all }
    }

    /// The variable gets a class where one of the arrows begins.
    pub fn cases(&self, var: VarId, arrows: Vec<(S::Function, usize)>) -> Result<Transform<S::Function>, Interrupted> {
        let coded = &self.coded[&var];
        if let [(when, class)] = &arrows[..] {
            let (when, cube, then) = (when.clone(), coded.cube.clone(), coded.codes[*class].clone());
            return Ok(Transform::Move { when, cube, then });
        }
        let mut parts = Vec::with_capacity(arrows.len());
        for (from, class) in &arrows {
            if self.store.exists(from, &coded.cube)? != *from {
                return Ok(Transform::Cases(var, arrows.into()));
            }
            parts.push(self.store.and(from, &coded.codes[*class])?);
        }
        Ok(Transform::Move { when: self.store.constant(true), cube: coded.cube.clone(), then: self.union(parts)? })
    }

    /// The same transforms, neighbours as one where that loses nothing. Halves come first, so that of a long path, too, most
    /// transforms that are joined are small.
    pub fn chain(&self, mut list: Vec<Transform<S::Function>>) -> Result<Vec<Transform<S::Function>>, Interrupted> {
        list.retain(|transform| !matches!(transform, Transform::Keep));
        if list.len() < 2 {
            return Ok(list);
        }
        let rest = list.split_off(list.len() / 2);
        let mut chained = self.chain(list)?;
        let mut is_joined = true;
        for transform in self.chain(rest)? {
            // What follows was compared with its neighbour before, but not with what that is part of now.
            let joined = match chained.last() {
                Some(last) if is_joined => self.compose(last, &transform)?,
                _ => None,
            };
            is_joined = joined.is_some();
            match joined {
                Some(joined) => *chained.last_mut().expect("composed with it") = joined,
                None => chained.push(transform),
            }
        }
        Ok(chained)
    }

    /// Both moves as one. The second may ask only what the first leaves alone or decides: then the question can be
    /// asked before. And it may not change what the first needs: that would be lost.
    ///
    /// match: `∃b (∃a (S ∧ when_a) ∧ then_a ∧ when_b) ∧ then_b` with `then_a ∧ when_b = then_a ∧ earlier`, no `a` in
    ///        `earlier`, no `b` in `then_a` but what is in `a`
    /// result: `∃a,b (S ∧ when_a ∧ earlier) ∧ ∃b then_a ∧ then_b`
    fn compose(
        &self,
        first: &Transform<S::Function>,
        second: &Transform<S::Function>,
    ) -> Result<Option<Transform<S::Function>>, Interrupted> {
        let (
            Transform::Move { when: when_a, cube: a, then: then_a },
            Transform::Move { when: when_b, cube: b, then: then_b },
        ) = (first, second)
        else {
            return Ok(None);
        };
        let store = &self.store;
        let lost = store.exists(b, a)?;
        if store.exists(then_a, &lost)? != *then_a {
            return Ok(None);
        }
        let asked = store.and(then_a, when_b)?;
        let earlier = store.exists(&asked, a)?;
        if store.and(then_a, &earlier)? != asked {
            return Ok(None);
        }
        let when = store.and(when_a, &earlier)?;
        let then = store.and(&store.exists(then_a, b)?, then_b)?;
        let size = |parts: [&S::Function; 2]| parts.map(|part| store.size(part)).iter().sum::<usize>();
        let reads = |then, cube| store.exists(then, cube).map(|others| others != store.constant(true));
        if (reads(then_a, a)? || reads(then_b, b)?)
            && size([&when, &then]) > size([when_a, then_a]) + size([when_b, then_b]) + SLACK
        {
            return Ok(None);
        }
        Ok(Some(Transform::Move { when, cube: store.and(a, b)?, then }))
    }

    /// All of them, halves first: sums of neighbours stay small, and only few large sums are made.
    pub fn union(&self, mut parts: Vec<S::Function>) -> Result<S::Function, Interrupted> {
        while parts.len() > 1 {
            let halves = parts.chunks(2).map(|pair| match pair {
                [a, b] => self.store.or(a, b),
                rest => Ok(rest[0].clone()),
            });
            parts = halves.collect::<Result<_, _>>()?;
        }
        Ok(parts.pop().unwrap_or_else(|| self.store.constant(false)))
    }

    /// The successors of `set`.
    pub fn post(&self, transform: &Transform<S::Function>, set: &S::Function) -> Result<S::Function, Interrupted> {
        let store = &self.store;
        match transform {
            Transform::Keep => Ok(set.clone()),
            Transform::Move { when, cube, then } => store.and(&store.and_exists(set, when, cube)?, then),
            Transform::Cases(var, arrows) => {
                let coded = &self.coded[var];
                let mut parts = Vec::with_capacity(arrows.len());
                for (from, class) in arrows.iter() {
                    let moved = store.and_exists(set, from, &coded.cube)?;
                    parts.push(store.and(&moved, &coded.codes[*class])?);
                }
                self.union(parts)
            }
        }
    }

    /// The states with a successor in `set`.
    pub fn pre(&self, transform: &Transform<S::Function>, set: &S::Function) -> Result<S::Function, Interrupted> {
        let store = &self.store;
        match transform {
            Transform::Keep => Ok(set.clone()),
            Transform::Move { when, cube, then } => store.and(&store.and_exists(set, then, cube)?, when),
            Transform::Cases(var, arrows) => {
                let coded = &self.coded[var];
                let mut parts = Vec::with_capacity(arrows.len());
                for (from, class) in arrows.iter() {
                    let reached = store.and_exists(set, &coded.codes[*class], &coded.cube)?;
                    parts.push(store.and(&reached, from)?);
                }
                self.union(parts)
            }
        }
    }
}
