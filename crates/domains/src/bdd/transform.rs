//! What operations do to sets of states, forwards and backwards, and how several become one.

use super::compile::Compiler;
use bdd::{BddStore, Interrupted};
use cfa::VarId;
use std::rc::Rc;

/// What an operation does to a set of states.
#[derive(Clone)]
pub enum Transform<F> {
    /// Nothing.
    Keep,
    /// States in `when` go on; the variables of `cube` get any values in `then`, which speaks of no others.
    Move {
        /// Where it can be done.
        when: F,
        /// The bits that change.
        cube: F,
        /// What they are afterwards.
        then: F,
    },
    /// The variable changes: from each set of states into that class.
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
    pub fn cases(&self, var: VarId, arrows: Vec<(S::Function, usize)>) -> Transform<S::Function> {
        match &arrows[..] {
            [(when, class)] => {
                let coded = &self.coded[&var];
                let (when, cube, then) = (when.clone(), coded.cube.clone(), coded.codes[*class].clone());
                Transform::Move { when, cube, then }
            }
            _ => Transform::Cases(var, arrows.into()),
        }
    }

    /// The same transforms, neighbours as one where that loses nothing.
    pub fn chain(&self, list: Vec<Transform<S::Function>>) -> Result<Vec<Transform<S::Function>>, Interrupted> {
        let mut chained: Vec<Transform<S::Function>> = Vec::with_capacity(list.len());
        for transform in list {
            if let Transform::Keep = transform {
                continue;
            }
            let joined = match chained.last() {
                Some(last) => self.compose(last, &transform)?,
                None => None,
            };
            match joined {
                Some(joined) => *chained.last_mut().expect("composed with it") = joined,
                None => chained.push(transform),
            }
        }
        Ok(chained)
    }

    /// Both moves as one. The second may ask only what the first leaves alone or decides: then the question can be
    /// asked before.
    ///
    /// match: `∃b (∃a (S ∧ when_a) ∧ then_a ∧ when_b) ∧ then_b` with `then_a ∧ when_b = then_a ∧ earlier`, no `a` in
    ///        `earlier`
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
        let asked = store.and(then_a, when_b)?;
        let earlier = store.exists(&asked, a)?;
        if store.and(then_a, &earlier)? != asked {
            return Ok(None);
        }
        Ok(Some(Transform::Move {
            when: store.and(when_a, &earlier)?,
            cube: store.and(a, b)?,
            then: store.and(&store.exists(then_a, b)?, then_b)?,
        }))
    }

    /// All of them, halves first: sums of neighbours stay small, and only few large sums are made.
    fn union(&self, mut parts: Vec<S::Function>) -> Result<S::Function, Interrupted> {
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
