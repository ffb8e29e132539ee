//! A program that no pass changes any more, with what static analyses say of it: each is computed once, on
//! first use, and all parts that share the program share the answer.
//!
//! A request for a fact that is being computed waits for that computation, as long as its own clock allows. What may
//! take long is computed on a thread of its own, within the limits of the whole run: when the time of the part that
//! asked first is over, the computation goes on for the parts that ask later. It ends when no one is left to ask.

use crate::classes::Classes;
use crate::{CallGraph, Liveness, Loops, PointsTo};
use base::{Cancel, Counters, Stopped};
use cfa::{Program, Target};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Something to know about a program, whatever its targets are.
pub trait Fact: Sized + Send + Sync + 'static {
    /// What the statistics call it.
    const NAME: &'static str;
    /// Whether it may take longer than a part of a run has.
    const LONG: bool = false;

    /// Finds it out.
    fn compute(program: &Prepared, cancel: &Cancel) -> Result<Self, Stopped>;
}

/// A program and the facts about it; a clone shares both.
#[derive(Clone)]
pub struct Prepared {
    program: Arc<Program>,
    facts: Arc<Facts>,
    /// `None` where a fact is computed on the side.
    askers: Option<Arc<Askers>>,
}

/// All parts that may ask: when the last one is gone, what is being computed for them ends.
#[derive(Default)]
struct Askers {
    computing: Mutex<Vec<Cancel>>,
}

impl Drop for Askers {
    fn drop(&mut self) {
        let computing = self.computing.get_mut().unwrap_or_else(PoisonError::into_inner);
        computing.iter().for_each(Cancel::stop);
    }
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
    /// Whether it is being computed.
    taken: AtomicBool,
    /// What ended a computation on the side, for one of the parts that wait for it.
    ended: Mutex<Option<End>>,
    computed: AtomicU64,
}

/// Why a computation aside has no value.
enum End {
    Panic(Box<dyn Any + Send>),
    Stopped(Stopped),
}

/// The right to compute a fact.
struct Turn(Arc<Slot>);

impl Turn {
    fn take(slot: &Arc<Slot>) -> Option<Turn> {
        let free = slot.taken.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire);
        free.is_ok().then(|| Turn(slot.clone()))
    }

    fn compute<F: Fact>(&self, program: &Prepared, cancel: &Cancel) -> Result<(), Stopped> {
        // Another one may have ended in the meantime.
        if self.0.value.get().is_none() {
            self.0.computed.fetch_add(1, Ordering::Relaxed);
            let found: Arc<dyn Any + Send + Sync> = Arc::new(F::compute(program, cancel)?);
            assert!(self.0.value.set(found).is_ok(), "only the one whose turn it is writes");
        }
        Ok(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        assert!(self.0.taken.swap(false, Ordering::AcqRel), "a turn is given back once");
    }
}

/// How often parts that wait for a fact look at the clock.
const PERIOD: Duration = Duration::from_millis(1);
/// Of a thread that computes a fact.
const STACK: usize = 64 << 20;

impl Prepared {
    /// Nothing is asked yet.
    pub fn new(program: Program) -> Prepared {
        Prepared { program: Arc::new(program), facts: Arc::default(), askers: Some(Arc::default()) }
    }

    /// The same automata with some of the targets: no fact depends on them.
    pub fn with_targets(&self, keep: impl Fn(&Target) -> bool) -> Prepared {
        Prepared { program: Arc::new(self.program.with_targets(keep)), ..self.clone() }
    }

    /// A fact, computed at the first time.
    pub fn fact<F: Fact>(&self, cancel: &Cancel) -> Result<Arc<F>, Stopped> {
        let slot = self.facts.slot::<F>();
        let value = loop {
            if let Some(known) = slot.value.get() {
                break known.clone();
            }
            match slot.ended.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(End::Panic(panic)) => std::panic::resume_unwind(panic),
                Some(End::Stopped(Stopped::Memory)) => return Err(Stopped::Memory),
                // The clock of another run, or the own one as well.
                Some(End::Stopped(Stopped::Time | Stopped::Asked)) | None => {}
            }
            match (Turn::take(&slot), &self.askers) {
                (Some(turn), Some(askers)) if F::LONG => self.compute_aside::<F>(turn, askers, cancel)?,
                (Some(turn), _) => turn.compute::<F>(self, cancel)?,
                (None, _) => {
                    cancel.check()?;
                    std::thread::sleep(PERIOD);
                }
            }
        };
        Ok(value.downcast::<F>().expect("slots are found by the type of their fact"))
    }

    /// Lets a thread of its own compute a fact, within the limits of the whole run.
    fn compute_aside<F: Fact>(&self, turn: Turn, askers: &Askers, cancel: &Cancel) -> Result<(), Stopped> {
        cancel.check()?;
        let clock = cancel.whole().child(None);
        askers.computing.lock().unwrap_or_else(PoisonError::into_inner).push(clock.clone());
        let program = Prepared { askers: None, ..self.clone() };
        let slot = turn.0.clone();
        let work = move || {
            let turn = turn;
            let compute = std::panic::AssertUnwindSafe(|| turn.compute::<F>(&program, &clock));
            let ended = match std::panic::catch_unwind(compute) {
                Ok(Ok(())) => None,
                Ok(Err(stopped)) => Some(End::Stopped(stopped)),
                Err(panic) => Some(End::Panic(panic)),
            };
            *turn.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = ended;
        };
        if std::thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
            // There are too many threads: this one does it.
            if let Some(turn) = Turn::take(&slot) {
                return turn.compute::<F>(self, cancel);
            }
        }
        Ok(())
    }

    /// A fact that takes no time worth a look at the clock.
    fn quick<F: Fact>(&self) -> Arc<F> {
        self.fact(&Cancel::never()).expect("it is never stopped")
    }

    /// The loops of all functions.
    pub fn loops(&self) -> Arc<Loops> {
        self.quick()
    }

    /// Which functions call which.
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
        let new = || Slot {
            name: F::NAME,
            value: OnceLock::new(),
            taken: AtomicBool::new(false),
            ended: Mutex::default(),
            computed: AtomicU64::new(0),
        };
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
    const LONG: bool = true;

    fn compute(program: &Prepared, cancel: &Cancel) -> Result<Self, Stopped> {
        PointsTo::within(program, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::testing::Build;

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
            // A computation that is stopped does not stop those that wait for it.
            let others: Vec<_> = (0..3).map(|_| scope.spawn(|| program.fact::<Slow>(&never).is_ok())).collect();
            stopped.stop();
            assert!(first.join().expect("it does not panic"));
            GATE.store(true, Ordering::Relaxed);
            assert!(others.into_iter().all(|other| other.join().expect("it does not panic")));
        });
        assert_eq!(computed::<Slow>(&program), 2, "one was stopped, one did it for all");
    }

    /// Takes until its gate opens, or until it is stopped.
    struct Long;

    static LONG_GATE: AtomicBool = AtomicBool::new(false);
    static LONG_STOPPED: AtomicBool = AtomicBool::new(false);

    impl Fact for Long {
        const NAME: &'static str = "long";
        const LONG: bool = true;

        fn compute(_: &Prepared, cancel: &Cancel) -> Result<Self, Stopped> {
            while !LONG_GATE.load(Ordering::Relaxed) {
                cancel.check().inspect_err(|_| LONG_STOPPED.store(true, Ordering::Relaxed))?;
                std::thread::sleep(PERIOD);
            }
            Ok(Long)
        }
    }

    #[test]
    fn what_takes_long_goes_on_without_who_asked_first_and_ends_with_the_last() {
        let (gone, whole) = (program(), Cancel::never());
        let part = || whole.child(Some(Duration::from_millis(20)));
        assert!(gone.clone().fact::<Long>(&part()).is_err(), "it takes longer than the part has");
        assert!(!LONG_STOPPED.load(Ordering::Relaxed), "the whole has more time");
        drop(gone);
        while !LONG_STOPPED.load(Ordering::Relaxed) {
            std::thread::sleep(PERIOD);
        }
        let program = program();
        assert!(program.fact::<Long>(&part()).is_err());
        LONG_GATE.store(true, Ordering::Relaxed);
        assert!(program.fact::<Long>(&whole.child(None)).is_ok());
        assert_eq!(computed::<Long>(&program), 1, "nothing was computed in vain");
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

    struct LongAndBroken;

    impl Fact for LongAndBroken {
        const NAME: &'static str = "long and broken";
        const LONG: bool = true;

        fn compute(_: &Prepared, _: &Cancel) -> Result<Self, Stopped> {
            panic!("it is broken")
        }
    }

    #[test]
    fn a_panic_aside_reaches_who_waits() {
        let program = program();
        let ask = std::panic::AssertUnwindSafe(|| program.fact::<LongAndBroken>(&Cancel::never()).is_ok());
        assert!(std::panic::catch_unwind(ask).is_err());
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
