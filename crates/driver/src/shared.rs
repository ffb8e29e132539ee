//! What the parts of one run work out about its program, once for all of them: how memory is split, facts at loop heads
//! that were proved, and what a part that was stopped leaves to the next: the values it tracked, the bound it came to.
//! The program is the same for all; only the targets that are asked about may differ.

use crate::run::Learned;
use base::{Cancel, Stopped};
use cfa::Program;
use encode::MemoryModel;
use engine::k_induction::Facts;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use verdict::Stop;

/// Where facts come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Intervals and congruences.
    Intervals,
    /// Affine equalities.
    Affine,
    /// Guessed orders of variables.
    Order,
    /// Guesses made of the program's terms.
    Terms,
}

/// The common knowledge.
#[derive(Default)]
pub struct Shared {
    memory: Mutex<Option<Arc<MemoryModel>>>,
    facts: Mutex<Vec<(Source, Facts)>>,
    learned: Mutex<Learned>,
}

impl Shared {
    /// How memory is split.
    pub fn memory(&self, program: &Program, cancel: &Cancel) -> Result<Arc<MemoryModel>, Stopped> {
        if let Some(model) = &*lock(&self.memory) {
            return Ok(model.clone());
        }
        let model = MemoryModel::new(program, cancel)?;
        *lock(&self.memory) = Some(model.clone());
        Ok(model)
    }

    /// The facts of a source. `find` proves them at the first time and may take for granted what is known already.
    pub fn facts(&self, source: Source, find: impl FnOnce(&[Facts]) -> Result<Facts, Stop>) -> Result<Facts, Stop> {
        let known = lock(&self.facts).clone();
        if let Some((_, facts)) = known.iter().find(|(from, _)| *from == source) {
            return Ok(facts.clone());
        }
        let known: Vec<Facts> = known.into_iter().map(|(_, facts)| facts).collect();
        let facts = find(&known)?;
        lock(&self.facts).push((source, facts.clone()));
        Ok(facts)
    }

    /// Keeps what a part leaves: the last values that were tracked, and the largest bound.
    pub fn learn(&self, learned: &Learned) {
        let mut all = lock(&self.learned);
        all.k = all.k.max(learned.k);
        if learned.precision.is_some() {
            all.precision.clone_from(&learned.precision);
        }
    }

    /// What the parts before left. These are hints: a wrong one costs time, never an answer.
    pub fn learned(&self) -> Learned {
        lock(&self.learned).clone()
    }
}

/// A thread that died left whole values behind.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts { exprs: cfa::Exprs::new(cfa::DataModel::Lp64), facts: Vec::new() }
    }

    #[test]
    fn a_part_without_values_leaves_those_of_another() {
        let shared = Shared::default();
        shared.learn(&Learned { k: 0, precision: Some("x".into()) });
        shared.learn(&Learned { k: 8, precision: None });
        shared.learn(&Learned { k: 4, precision: None });
        assert_eq!(shared.learned(), Learned { k: 8, precision: Some("x".into()) });
    }

    #[test]
    fn facts_are_found_once_and_build_on_each_other() {
        let shared = Shared::default();
        let count = |source: Source, expected: usize| {
            let found = shared.facts(source, |known| {
                assert_eq!(known.len(), expected);
                Ok(facts())
            });
            assert!(found.is_ok());
        };
        count(Source::Intervals, 0);
        count(Source::Affine, 1);
        let again = shared.facts(Source::Intervals, |_| panic!("they are known"));
        assert!(again.is_ok());
        let failed = shared.facts(Source::Order, |_| Err(Stop::Limit(Stopped::Time)));
        assert!(failed.is_err());
        count(Source::Order, 2);
    }
}
