//! What the parts of one run work out about its program, once for all of them: how memory is split, facts at loop heads
//! that were proved, paths that no execution takes, predicates of refinements, and what a part that was stopped leaves to
//! the next: the values it tracked, the bound it came to. The program is the same for all; only the targets that are asked
//! about may differ. Parts that work on another program (`cells`, `summaries`) have no access.

use base::{Cancel, Counters, Stopped};
use cfa::Program;
use encode::MemoryModel;
use engine::exchange::Exchange;
use engine::facts::{FactSource, Facts};
use engine::houdini::candidates::Guesses;
use engine::houdini::facts_with;

use smt::Backend;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use verdict::Stop;

/// What an engine found out beside the verdict.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Learned {
    /// The last bound of k-induction or bounded model checking.
    pub k: u64,
    /// What the value analysis tracked in the end, as in a precision file.
    pub precision: Option<String>,
}

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

/// Whether to wait for what does not exist yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// What is there must do.
    No,
    /// As long as the time lasts.
    Yes,
}

/// The common knowledge.
#[derive(Default)]
pub struct Shared {
    memory: Mutex<Option<Arc<MemoryModel>>>,
    facts: Mutex<Vec<(Source, Facts)>>,
    learned: Mutex<Learned>,
    exchange: Exchange,
}

/// How often somebody who waits for predicates looks.
const PERIOD: Duration = Duration::from_millis(5);

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

    /// Paths and predicates: the access of one more part.
    pub fn exchange(&self) -> Exchange {
        self.exchange.part()
    }

    /// Facts among the predicates of other parts and their negations: those that are inductive together with what is
    /// proved already. They are looked for again whenever there are new predicates; without a `wait` once at most.
    pub fn predicate_facts<'a>(
        self: &Arc<Self>,
        (program, model): (&'a Program, &Arc<MemoryModel>),
        backend: &'a dyn Backend,
        exchange: &Exchange,
        wait: Wait,
    ) -> impl Iterator<Item = FactSource<'a>> + Send + use<'a> {
        let seen = Arc::new(Mutex::new(0));
        let (all, model, exchange) = (self.clone(), model.clone(), exchange.clone());
        let one = move || -> FactSource<'a> {
            let (all, model, exchange, seen) = (all.clone(), model.clone(), exchange.clone(), seen.clone());
            Box::new(move |_, cancel| {
                let mut seen = lock(&seen);
                let found = loop {
                    let (found, now) = exchange.predicates(*seen);
                    *seen = now;
                    if !found.claims.is_empty() || wait == Wait::No {
                        break found.both_ways();
                    }
                    cancel.check()?;
                    std::thread::sleep(PERIOD);
                };
                let Some(exprs) = &found.exprs else {
                    return Err(Stop::Bound("no other part has found a predicate".to_owned()));
                };
                let known: Vec<Facts> = lock(&all.facts).iter().map(|(_, facts)| facts.clone()).collect();
                let further = (exprs, &found.claims[..]);
                let proved = facts_with((program, &model), backend, Guesses::Given, further, &known, cancel)?;
                exchange.proved_predicates(proved.facts.len());
                Ok(proved)
            })
        };
        std::iter::repeat_with(one).take(match wait {
            Wait::No => 1,
            Wait::Yes => usize::MAX,
        })
    }

    /// Says what was shared, and how often that was of use.
    pub fn report(&self, counters: &mut Counters) {
        self.exchange.report(counters);
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

    /// The facts that are proved when another part offers `x == y` and `x == 3` at the loop head, as C.
    fn proved(source: &str, wait: Wait) -> Vec<String> {
        let program = lower::testing::program(source);
        let (shared, cancel) = (Arc::new(Shared::default()), Cancel::never());
        let (one, other) = (shared.exchange(), shared.exchange());
        let head = flow::Loops::new(&program).loops.iter().next().expect("there is a loop").1.head;
        let var = |exprs: &mut cfa::Exprs, name: &str| {
            let named = |var: &cfa::VarId| program.var_name(*var) == name;
            let var = program.vars.ids().find(named).expect("it is declared");
            exprs.var(var, program.register(var).expect("a register"))
        };
        one.offer(&program.exprs, head, |exprs| {
            let (x, y) = (var(exprs, "x"), var(exprs, "y"));
            Some(exprs.binary(cfa::BinOp::Eq, x, y))
        });
        one.offer(&program.exprs, head, |exprs| {
            let x = var(exprs, "x");
            let three = exprs.bits(exprs.ty(x), 3);
            Some(exprs.binary(cfa::BinOp::Eq, x, three))
        });
        let model = shared.memory(&program, &cancel).expect("nobody stops it");
        let backend = &smt_bitwuzla::BitwuzlaBackend;
        let mut sources = shared.predicate_facts((&program, &model), backend, &other, wait);
        let facts = sources.next().expect("there is one")(&program, &cancel).expect("a program without recursion");
        let stopped = Cancel::never();
        stopped.stop();
        let next = sources.next().map(|source| source(&program, &stopped).is_err());
        assert!(next.unwrap_or(true), "there is nothing new");
        let mut named = program.clone();
        named.exprs = facts.exprs;
        facts.facts.iter().map(|(_, fact)| named.expr_text(*fact)).collect()
    }

    #[test]
    fn predicates_become_facts_if_they_are_inductive() {
        let source = "extern int __VERIFIER_nondet_int(void);
            int main() { int x = 0, y = 0; while (__VERIFIER_nondet_int()) { x++; y++; } return 0; }";
        assert_eq!(proved(source, Wait::No), ["x == y"]);
        assert_eq!(proved(source, Wait::Yes), ["x == y"]);
        let source = "extern int __VERIFIER_nondet_int(void);
            int main() { int x = 0, y = 1; while (__VERIFIER_nondet_int()) { x = 1 - x; y = 1 - y; } return 0; }";
        assert_eq!(proved(source, Wait::No), ["x != y"]);
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
