//! A program that no pass changes any more, with what static analyses say of it: each is asked once, when somebody first
//! wants to know, and all who share the program share the answer.
//!
//! Who asks while another computes waits for that one computation, as long as its own clock allows. A computation that is
//! stopped, by the clock of whoever runs it, leaves nothing behind: the next one who asks starts anew, with its own clock.

use crate::classes::Classes;
use crate::{CallGraph, Liveness, Loops, PointsTo};
use base::{Cancel, Counters, Stopped};
use cfa::{Program, Target};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

/// Something to know about a program, whatever its targets are.
pub trait Fact: Sized + Send + Sync + 'static {
    /// What the statistics call it.
    const NAME: &'static str;

    /// Finds it out.
    fn compute(program: &Prepared, cancel: &Cancel) -> Result<Self, Stopped>;
}

/// A program and the facts about it; a clone shares both.
#[derive(Clone)]
pub struct Prepared {
    program: Arc<Program>,
    facts: Arc<Facts>,
}

/// The facts by their type, and how often each was computed.
#[derive(Default)]
struct Facts {
    slots: Mutex<HashMap<TypeId, Arc<Slot>>>,
}

/// One fact.
struct Slot {
    name: &'static str,
    value: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// Held by whoever computes.
    turn: Mutex<()>,
    computed: AtomicU64,
}

/// How often somebody who waits for a fact looks at the clock.
const PERIOD: Duration = Duration::from_millis(1);

impl Prepared {
    /// Nothing is asked yet.
    pub fn new(program: Program) -> Prepared {
        Prepared { program: Arc::new(program), facts: Arc::default() }
    }

    /// The same automata with some of the targets: no fact depends on them.
    pub fn with_targets(&self, keep: impl Fn(&Target) -> bool) -> Prepared {
        Prepared { program: Arc::new(self.program.with_targets(keep)), facts: self.facts.clone() }
    }

    /// A fact, computed at the first time.
    pub fn fact<F: Fact>(&self, cancel: &Cancel) -> Result<Arc<F>, Stopped> {
        let slot = self.facts.slot::<F>();
        let value = loop {
            if let Some(known) = slot.value.get() {
                break known.clone();
            }
            let _turn = match slot.turn.try_lock() {
                Ok(turn) => turn,
                // Whoever had it died; there is no value behind the lock that could be broken.
                Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    cancel.check()?;
                    std::thread::sleep(PERIOD);
                    continue;
                }
            };
            // Somebody else may have ended in the meantime.
            if slot.value.get().is_none() {
                slot.computed.fetch_add(1, Ordering::Relaxed);
                let found: Arc<dyn Any + Send + Sync> = Arc::new(F::compute(self, cancel)?);
                assert!(slot.value.set(found).is_ok(), "only whoever has the turn writes");
            }
        };
        Ok(value.downcast::<F>().expect("slots are found by the type of their fact"))
    }

    /// A fact that takes no time worth a look at the clock.
    fn quick<F: Fact>(&self) -> Arc<F> {
        self.fact(&Cancel::never()).expect("nobody stops it")
    }

    /// The loops of all functions.
    pub fn loops(&self) -> Arc<Loops> {
        self.quick()
    }

    /// Who calls whom.
    pub fn calls(&self) -> Arc<CallGraph> {
        self.quick()
    }

    /// Where local registers are live.
    pub fn liveness(&self) -> Arc<Liveness> {
        self.quick()
    }

    /// What variables are used for.
    pub fn classes(&self) -> Arc<Classes> {
        self.quick()
    }

    /// Where pointers may lead.
    pub fn points_to(&self, cancel: &Cancel) -> Result<Arc<PointsTo>, Stopped> {
        self.fact(cancel)
    }

    /// Says how often each fact was computed: once, unless it was stopped.
    pub fn report(&self, counters: &mut Counters) {
        for slot in self.facts.lock().values() {
            counters.max(slot.name, slot.computed.load(Ordering::Relaxed));
        }
    }
}

impl Facts {
    fn lock(&self) -> MutexGuard<'_, HashMap<TypeId, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot<F: Fact>(&self) -> Arc<Slot> {
        let new =
            || Slot { name: F::NAME, value: OnceLock::new(), turn: Mutex::default(), computed: AtomicU64::new(0) };
        self.lock().entry(TypeId::of::<F>()).or_insert_with(|| Arc::new(new())).clone()
    }
}

impl Deref for Prepared {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}

impl Fact for Loops {
    const NAME: &'static str = "computations of loops";

    fn compute(program: &Prepared, _: &Cancel) -> Result<Self, Stopped> {
        Ok(Loops::new(program))
    }
}

impl Fact for CallGraph {
    const NAME: &'static str = "computations of call graph";

    fn compute(program: &Prepared, _: &Cancel) -> Result<Self, Stopped> {
        Ok(CallGraph::new(program))
    }
}

impl Fact for Liveness {
    const NAME: &'static str = "computations of liveness";

    fn compute(program: &Prepared, _: &Cancel) -> Result<Self, Stopped> {
        Ok(Liveness::new(program))
    }
}

impl Fact for Classes {
    const NAME: &'static str = "computations of variable classes";

    fn compute(program: &Prepared, _: &Cancel) -> Result<Self, Stopped> {
        Ok(Classes::new(program, &program.loops()))
    }
}

impl Fact for PointsTo {
    const NAME: &'static str = "computations of points-to";

    fn compute(program: &Prepared, cancel: &Cancel) -> Result<Self, Stopped> {
        PointsTo::within(program, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::testing::Build;
    use std::sync::atomic::AtomicBool;

    fn program() -> Prepared {
        Prepared::new({
            let mut build = Build::new();
            build.start(2);
            build.finish()
        })
    }

    fn computed<F: Fact>(program: &Prepared) -> u64 {
        program.facts.slot::<F>().computed.load(Ordering::Relaxed)
    }

    /// Takes until the gate opens.
    struct Slow;

    static GATE: AtomicBool = AtomicBool::new(false);

    impl Fact for Slow {
        const NAME: &'static str = "slow";

        fn compute(_: &Prepared, cancel: &Cancel) -> Result<Self, Stopped> {
            while !GATE.load(Ordering::Relaxed) {
                cancel.check()?;
                std::thread::sleep(PERIOD);
            }
            Ok(Slow)
        }
    }

    #[test]
    fn all_who_ask_at_once_wait_for_one_computation() {
        let program = program();
        let (stopped, never) = (Cancel::never(), Cancel::never());
        std::thread::scope(|scope| {
            let first = scope.spawn(|| program.fact::<Slow>(&stopped).is_err());
            while computed::<Slow>(&program) == 0 {
                std::thread::sleep(PERIOD);
            }
            let impatient = Cancel::never();
            impatient.stop();
            assert!(program.fact::<Slow>(&impatient).is_err(), "waiting obeys the clock");
            // A computation that is stopped takes nobody with it.
            let others: Vec<_> = (0..3).map(|_| scope.spawn(|| program.fact::<Slow>(&never).is_ok())).collect();
            stopped.stop();
            assert!(first.join().expect("it does not panic"));
            GATE.store(true, Ordering::Relaxed);
            assert!(others.into_iter().all(|other| other.join().expect("it does not panic")));
        });
        assert_eq!(computed::<Slow>(&program), 2, "one was stopped, one did it for all");
    }

    #[test]
    fn facts_are_computed_once_whatever_the_targets_are() {
        let program = program();
        let other = program.with_targets(|_| false);
        assert!(Arc::ptr_eq(&program.loops(), &other.loops()));
        program.classes();
        let mut counters = Counters::default();
        other.report(&mut counters);
        assert_eq!(counters.value("computations of loops"), 1);
    }

    struct Broken;

    impl Fact for Broken {
        const NAME: &'static str = "broken";

        fn compute(_: &Prepared, _: &Cancel) -> Result<Self, Stopped> {
            panic!("it is broken")
        }
    }

    #[test]
    fn who_panics_does_not_block_the_others() {
        let program = program();
        for _ in 0..2 {
            let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| program.quick::<Broken>()));
            assert!(asked.is_err());
        }
        assert_eq!(computed::<Broken>(&program), 2);
    }
}
