//! The check of invariants by a solver that knows nothing of how they were found.
//!
//! 1. From the start of the program, every loop head that is reached first satisfies its invariant, and no target and no
//!    C that is not modelled lies before it. 2. From any state at a loop head that satisfies its invariant, the same
//!    holds of the loop heads that are reached next. So every execution satisfies the invariants, and none reaches a
//!    target.
//!
//! The calls that led to a loop head are forgotten there. A refutation of the second point is therefore final only if
//! all loops lie in the program's first function, where there is nothing to forget.

use base::{Budget, Cancel, Stopped};
use cfa::{ExprId, Exprs, Node, Op, Scalar};
use encode::{Addressing, Encoder, Layer, MemoryModel, PathFormula, Segments, Successors, stop_of};
use flow::Prepared;
use smt::{Answer, Backend, TermId};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use verdict::Stop;

/// Invariants with more different parts than this are left to other checks.
const LARGEST: usize = 50_000;

/// What the solver said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Confirmed {
    /// The invariants are inductive and exclude targets.
    Yes,
    /// There is no answer, for this reason.
    NotTried(&'static str),
}

/// What is said of the invariants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// They hold, and no target is reached from where they hold.
    Sufficient,
    /// They hold.
    Invariant,
    /// Together with something that they leave out, they hold, and no target is reached from where they hold. A refutation
    /// between loop heads says nothing then.
    Partial,
}

impl Claim {
    fn excludes_targets(self) -> bool {
        matches!(self, Claim::Sufficient | Claim::Partial)
    }
}

/// Checks invariants at loop heads. An invariant that the solver refutes is an error.
pub fn check(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    backend: &dyn Backend,
    exprs: &Exprs,
    invariants: &[(Node, ExprId)],
    claim: Claim,
    cancel: &Cancel,
) -> Result<Confirmed, Stop> {
    let (loops, calls) = (program.loops(), program.calls());
    if program.functions.ids().any(|id| calls.is_reachable(id) && calls.is_recursive(id)) {
        return Ok(Confirmed::NotTried("the program is recursive"));
    }
    assert!(
        invariants.iter().all(|&(node, _)| program.nodes[node].loop_head || loops.headed_by(node).is_some()),
        "invariants belong to loop heads: elsewhere nothing would check them"
    );
    assert!(invariants.iter().all(|(_, part)| exprs.ty(*part) == Scalar::Bool), "invariants are conditions");
    let mut known: BTreeMap<Node, Vec<ExprId>> = BTreeMap::new();
    for &(node, invariant) in invariants {
        known.entry(node).or_default().push(invariant);
    }
    let heads = || loops.loops.iter().map(|(_, one)| one).filter(|one| calls.is_reachable(one.function));
    if claim.excludes_targets() && !heads().all(|one| known.contains_key(&one.head)) {
        return Ok(Confirmed::NotTried("some loop head has too many different states"));
    }
    if is_too_large(exprs, invariants.iter().map(|(_, invariant)| *invariant)) {
        return Ok(Confirmed::NotTried("they are too large"));
    }
    let limited = cancel.within(Budget::Invariants);
    let mut checker = Checker {
        encoder: Encoder::new(program, model.clone(), Addressing::Fixed),
        invariants: BTreeMap::new(),
        claim,
        before: 0,
    };
    for (node, parts) in known {
        let own: Option<Vec<ExprId>> = parts.iter().map(|part| checker.encoder.import(exprs, *part)).collect();
        let Some(own) = own else {
            return Ok(Confirmed::NotTried("they mention memory that the formulas have no name for"));
        };
        checker.invariants.insert(node, own);
    }
    let segments = Segments::new(program, &loops, &calls);
    let result = checker.run(&segments, backend, &limited);
    match result {
        Ok(Outcome::Proved) => Ok(Confirmed::Yes),
        Ok(Outcome::FailsFirst) => {
            Err(Stop::Evidence("a solver refutes the invariants at their first visit".to_owned()))
        }
        Ok(Outcome::FailsLater) if claim == Claim::Partial => {
            Ok(Confirmed::NotTried("they say less than the states that they stand for"))
        }
        Ok(Outcome::FailsLater) if heads().all(|one| is_first(program, one.function)) => {
            Err(Stop::Evidence("a solver refutes the invariants".to_owned()))
        }
        Ok(Outcome::FailsLater) => Ok(Confirmed::NotTried("they depend on calls that the formulas forget")),
        Err(Stop::Limit(Stopped::Time)) if !cancel.is_stopped() => Ok(Confirmed::NotTried("it took too long")),
        Err(Stop::Limit(limit)) => Err(limit.into()),
        Err(_) => Ok(Confirmed::NotTried("the solver gave up")),
    }
}

/// Whether the function is the entry or is called by it, once.
fn is_first(program: &Prepared, function: cfa::FunctionId) -> bool {
    let mut callers =
        program.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Call { function: to, .. } if to == function));
    match (callers.next(), callers.next()) {
        (Some((_, call)), None) => program.nodes[call.from].function == program.entry,
        (None, _) => function == program.entry,
        (Some(_), Some(_)) => false,
    }
}

/// Whether formulas have more different parts than a solver should be asked about.
pub fn is_too_large(exprs: &Exprs, formulas: impl Iterator<Item = ExprId>) -> bool {
    let mut seen = HashSet::new();
    for formula in formulas {
        exprs.visit(formula, |id, _| {
            seen.insert(id);
        });
        if seen.len() > LARGEST {
            return true;
        }
    }
    false
}

struct Checker<'p> {
    encoder: Encoder<'p>,
    /// Conjuncts; a loop head without any may be in any state.
    invariants: BTreeMap<Node, Vec<ExprId>>,
    claim: Claim,
    /// How many definitions belong to other questions.
    before: usize,
}

enum Outcome {
    Proved,
    /// Already on the way from the start of the program to the first loop heads.
    FailsFirst,
    /// Between loop heads.
    FailsLater,
}

impl Checker<'_> {
    fn run(&mut self, segments: &Segments, backend: &dyn Backend, cancel: &Cancel) -> Result<Outcome, Stop> {
        let start = segments.initial(&mut self.encoder);
        let first = segments.run(&mut self.encoder, start, cancel)?;
        if !self.refuted(&[], &first, backend, cancel)? {
            return Ok(Outcome::FailsFirst); // 1
        }
        // All heads in one formula are more than that many times as hard.
        for head in segments.each(&self.encoder) {
            self.before = self.encoder.definition_count();
            let assumed = self.assumed(&head);
            let next = segments.run(&mut self.encoder, head, cancel)?;
            if !self.refuted(&assumed, &next, backend, cancel)? {
                return Ok(Outcome::FailsLater); // 2
            }
        }
        Ok(Outcome::Proved)
    }

    /// The path is taken, and whether the invariant holds at its end.
    fn instance(&mut self, node: Node, path: &PathFormula) -> (TermId, TermId) {
        let mut path = path.clone();
        let parts = self.invariants.get(&node).cloned().unwrap_or_default();
        let holds: Vec<TermId> = parts.into_iter().map(|part| self.encoder.eval(&mut path, part, 0)).collect();
        let holds = self.encoder.terms.and(holds);
        (self.encoder.guards.formula(&mut self.encoder.terms, path.guard), holds)
    }

    fn assumed(&mut self, layer: &Layer) -> Vec<TermId> {
        let mut all = Vec::new();
        for ((_, node), path) in layer {
            let (taken, holds) = self.instance(*node, path);
            all.push(self.encoder.terms.implies(taken, holds));
        }
        all
    }

    /// Whether no model of the assumptions reaches a target or a loop head whose invariant fails.
    fn refuted(
        &mut self,
        assumed: &[TermId],
        segment: &Successors,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<bool, Stop> {
        let mut failures = Vec::new();
        let bad = segment.targets.iter().map(|(_, guard)| *guard);
        let bad = bad.chain(segment.unsupported.iter().map(|(_, guard)| *guard));
        for guard in bad.filter(|_| self.claim.excludes_targets()) {
            failures.push(self.encoder.guards.formula(&mut self.encoder.terms, guard));
        }
        for ((_, node), path) in &segment.heads {
            let (taken, holds) = self.instance(*node, path);
            let fails = self.encoder.terms.not(holds);
            failures.push(self.encoder.terms.and([taken, fails]));
        }
        let failure = self.encoder.terms.or(failures);
        if self.encoder.terms.as_bool(failure) == Some(false) {
            return Ok(true);
        }
        let mut solver = backend.solver();
        for definition in self.encoder.definitions(self.before).collect::<Vec<_>>() {
            solver.assert(&self.encoder.terms, definition);
        }
        let mut query = assumed.to_vec();
        query.push(failure);
        let answer = solver.check_assuming(&self.encoder.terms, &query, cancel).map_err(stop_of)?;
        Ok(answer == Answer::Unsat)
    }
}
