//! Where auxiliary invariants come from: data flow, guesses that are inductive, and predicates of other parts.

use base::Cancel;
use cfa::{Check, Edge, Op};
use domains::affine::AffineDomain;
use domains::interval::{Environment, IntervalDomain};
use domains::octagon::OctagonDomain;
use encode::MemoryModel;
use engine::board::{Board, FactOrigin};
use engine::dataflow::{self, Solution};
use engine::facts::{FactSource, Facts, dataflow_facts};
use engine::houdini::{candidates::Guesses, facts_among, facts_with, places::are_compared};
use flow::Prepared;
use smt::Backend;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use verdict::Stop;

/// Invariants by data flow, of whatever program is asked about.
pub fn flow_sources() -> Vec<FactSource<'static>> {
    vec![
        Box::new(|program, cancel| dataflow_facts(program, &IntervalDomain::new(program), cancel)),
        Box::new(|program, cancel| dataflow_facts(program, &AffineDomain::new(program), cancel)),
    ]
}

/// What intervals know of each location, checked as their proofs are; `None` if C that is not modelled is reached, after
/// which nothing is known.
pub fn interval_states(
    program: &Prepared,
    domain: &IntervalDomain,
    cancel: &Cancel,
) -> Result<Option<Solution<Environment>>, Stop> {
    let states = dataflow::solve(program, domain, cancel)?;
    let vague = |edge: &Edge| matches!(edge.op, Op::Unsupported(_) | Op::CallPointer { .. });
    if program.edges.iter().any(|(_, edge)| states[edge.from].is_some() && vague(edge)) {
        return Ok(None);
    }
    dataflow::check(program, domain, &states)?;
    Ok(Some(states))
}

/// Auxiliary invariants for induction, the cheap ones first; each source may take those before it for granted.
pub fn fact_sources<'a>(
    (program, model): (&'a Prepared, &Arc<MemoryModel>),
    backend: &'a dyn Backend,
    board: &Board,
) -> Vec<FactSource<'a>> {
    let all = board.clone();
    let intervals: FactSource = Box::new(move |_, cancel| {
        all.facts(FactOrigin::Intervals, |_| dataflow_facts(program, &IntervalDomain::new(program), cancel))
    });
    let all = board.clone();
    let affine: FactSource = Box::new(move |_, cancel| {
        all.facts(FactOrigin::Affine, |_| dataflow_facts(program, &AffineDomain::new(program), cancel))
    });
    let all = board.clone();
    let octagons: FactSource = Box::new(move |_, cancel| {
        all.facts(FactOrigin::Octagons, |_| dataflow_facts(program, &OctagonDomain::new(program, cancel)?, cancel))
    });
    let mut sources = vec![intervals, affine];
    // Other errors rarely depend on how large sums are.
    if program.targets.iter().any(|target| target.check() == Some(Check::Overflow)) {
        sources.push(octagons);
    }
    let asks = program.exprs.ids().any(|id| matches!(program.exprs.node(id), cfa::Expr::Living(_)));
    let rooms = asks.then_some((FactOrigin::Rooms, Guesses::Rooms));
    let guessed = [(FactOrigin::Order, Guesses::Order), (FactOrigin::Terms, Guesses::Terms)];
    let places = are_compared(program).then_some((FactOrigin::Places, Guesses::Places));
    for (source, guesses) in guessed.into_iter().chain(rooms).chain(places) {
        let (all, model) = (board.clone(), model.clone());
        sources.push(Box::new(move |_, cancel| {
            all.facts(source, |known| facts_among((program, &model), backend, guesses, known, cancel))
        }));
    }
    sources
}

/// Whether to wait for what does not exist yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// What is there must do.
    No,
    /// As long as the time lasts.
    Yes,
}

/// How often a part that waits for predicates polls for them.
const PERIOD: Duration = Duration::from_millis(5);

/// Facts among the predicates of other parts and their negations: those that are inductive together with what is
/// proved already. They are looked for again whenever there are new predicates; without a `wait` once at most.
pub fn predicate_facts<'a>(
    (program, model): (&'a Prepared, &Arc<MemoryModel>),
    backend: &'a dyn Backend,
    board: &Board,
    wait: Wait,
) -> impl Iterator<Item = FactSource<'a>> + Send + use<'a> {
    let seen = Arc::new(Mutex::new(0));
    let (model, board) = (model.clone(), board.clone());
    let one = move || -> FactSource<'a> {
        let (model, board, seen) = (model.clone(), board.clone(), seen.clone());
        Box::new(move |_, cancel| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            let found = loop {
                let (found, now) = board.predicates(*seen);
                assert!(*seen <= now, "predicates are never taken back");
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
            let known: Vec<Facts> = board.proved().into_iter().map(|proved| proved.facts).collect();
            let further = (exprs, &found.claims[..]);
            let proved = facts_with((program, &model), backend, Guesses::Given, further, &known, cancel)?;
            board.proved_predicates(proved.facts.len());
            Ok(proved)
        })
    };
    std::iter::repeat_with(one).take(match wait {
        Wait::No => 1,
        Wait::Yes => usize::MAX,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Cancel;

    /// The facts that are proved when another part offers `x == y` and `x == 3` at the loop head, as C.
    fn proved(source: &str, wait: Wait) -> Vec<String> {
        let program = lower::testing::prepared(source);
        let (all, cancel) = (Board::default(), Cancel::never());
        let (one, other) = (all.part(), all.part());
        let head = program.loops().loops.iter().next().expect("there is a loop").1.head;
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
        let model = encode::memory_model(&program, &cancel).expect("it is never stopped");
        let backend = &smt_bitwuzla::BitwuzlaBackend;
        let mut sources = predicate_facts((&program, &model), backend, &other, wait);
        let facts = sources.next().expect("there is one")(&program, &cancel).expect("a program without recursion");
        let stopped = Cancel::never();
        stopped.stop();
        let next = sources.next().map(|source| source(&program, &stopped).is_err());
        assert!(next.unwrap_or(true), "there is nothing new");
        let named = program.with_exprs(facts.exprs);
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
}
