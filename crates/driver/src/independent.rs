//! The check of a TRUE by the second encoder (crates `reference` and `obligations`), which shares no code with the one that
//! engines use.
//!
//! 1. The proof's own argument: the states at its loop heads with the calls that lead there, its invariants, inductive or
//!    as facts of an induction, or the unrolled program.
//! 2. Its invariants with facts of data-flow analyses.
//! 3. The unrolled program, for half of the time that is left.
//! 4. Its invariants with these facts, by induction over few further visits of loop heads.
//!
//! The first that has no model confirms the proof. A model says that the encoders disagree only if it is one of the
//! proof's own argument, the formula is as strong as the definition of C, and the other encoder answered the same question
//! or the model begins at the start of the program. All other models just say that this way of proof does not work here:
//! where invariants are completed, loop heads of calls that the proof steps over are taken for unreachable.

use crate::certificate::Certificate;
use analyses::flow_sources;
use base::{Budget, Cancel, Counters, Span, Stopped};
use cfa::{EdgeId, ExprId, Exprs, FunctionId, Node};
use flow::Prepared;
use obligations::{Checker, Claims, Cut, Obligation, Refusal, Role};
use smt::{Answer, Backend, SolverFailure, TermId, Terms};
use smt_bitwuzla::BitwuzlaBackend;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use verdict::{Argument, ClosedSet, Counterexample, HeadStates, Independent, Proof, Stop, Verdict};

/// How much the check may take and what it is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// A share of the time that the proof took: the answer stands without it, too.
    Share,
    /// The time that is left: the certificate was requested.
    Patient,
    /// The time that is left: a TRUE that is not confirmed is worth nothing.
    Required,
}

/// What is left to print the answer.
const MARGIN: Duration = Duration::from_millis(300);
/// The most that a required check takes where there is no limit.
const LONGEST: Duration = Duration::from_secs(60);
/// How long a check that does not stop is waited for.
const GRACE: Duration = Duration::from_millis(50);
/// Inductions over this many further visits are tried for proofs that are not sufficient on their own.
const VISITS: [u32; 2] = [1, 2];
/// Programs are unrolled for this many visits of loop heads at most.
const MOST_VISITS: u32 = 200;

/// Whose claims are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Claimed {
    /// The proof's, nothing added.
    ByProof,
    /// The proof's, completed by what is known here.
    Here,
}

/// How a check ended.
#[derive(Debug)]
enum End {
    Confirmed {
        how: String,
        obligations: Vec<(Role, String)>,
    },
    /// With a model that is an execution, at this place.
    Refuted(Span),
    Not(String),
}

/// Checks a TRUE and says in the proof what came of it; a proof that is refuted, or that had to be confirmed and was
/// not, becomes UNKNOWN. The certificate is what was confirmed.
pub fn check(
    program: &Prepared,
    verdict: &mut Verdict,
    (effort, proof_took): (Effort, Duration),
    cancel: &Cancel,
    counters: &mut Counters,
) -> Option<Certificate> {
    if let Verdict::Unsafe(found) = verdict {
        if let Err(stop) = check_closed(found, (effort, proof_took), cancel, counters) {
            *verdict = Verdict::Unknown(stop);
        }
        return None;
    }
    let Verdict::Safe(proof) = verdict else { return None };
    let start = Instant::now();
    let end = match (&program.termination, proof.argument) {
        (Some(_), Argument::Unrolled | Argument::Measures) => {
            End::Not("it only handles targets, and the proof is that executions end".into())
        }
        _ => within(program, proof, time(effort, proof_took, cancel), cancel),
    };
    counters.add_time("independent check", start.elapsed());
    let mut certificate = None;
    match end {
        End::Confirmed { how, obligations } => {
            counters.add("independent obligations", obligations.len() as u64);
            proof.checked += &format!(" Confirmed by the reference encoding, too, by {how}.");
            proof.independent = Independent::Confirmed { obligations: obligations.len(), how };
            certificate = Some(Certificate::new(program, proof, obligations));
        }
        End::Refuted(span) => {
            let place = program.sources.display(span);
            let why = format!("the independent check refutes the proof at {place}");
            *verdict = Verdict::Unknown(Stop::Evidence(why));
        }
        End::Not(why) if effort == Effort::Required => {
            *verdict = Verdict::Unknown(Stop::Bound(format!("the proof is not confirmed independently: {why}")));
        }
        End::Not(why) => {
            proof.checked += &format!(" The reference encoding did not confirm it: {why}.");
            proof.independent = Independent::Not(why);
        }
    }
    certificate
}

/// The same for the closed set of an execution that never ends, if there is one.
fn check_closed(
    found: &mut Counterexample,
    how: (Effort, Duration),
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<(), Stop> {
    let Some(set) = &found.closed else { return Ok(()) };
    let mut claim = Verdict::Safe(set.proof.clone());
    check(&set.endless, &mut claim, how, cancel, counters);
    match claim {
        Verdict::Safe(proof) => {
            let (shown, endless) = (set.shown.clone(), set.endless.clone());
            found.closed = Some(Arc::new(ClosedSet { shown, endless, proof }));
            Ok(())
        }
        Verdict::Unknown(stop) => Err(stop),
        Verdict::Unsafe(_) => unreachable!("a check does not turn a proof into an execution"),
    }
}

fn time(effort: Effort, proof_took: Duration, cancel: &Cancel) -> Duration {
    let left = cancel.remaining().map_or(LONGEST, |left| left.saturating_sub(MARGIN));
    match effort {
        Effort::Share => cancel.budgets().allowance(Budget::Independent).of(proof_took).min(left),
        Effort::Patient | Effort::Required => left,
    }
}

/// The check on a thread of its own, which is left behind when its time is over: solvers do not always look at the clock.
fn within(program: &Prepared, proof: &Proof, time: Duration, cancel: &Cancel) -> End {
    if proof.exprs.is_empty() && !program.exprs.is_empty() {
        return End::Not("the proof came without its expressions".into());
    }
    let (program, proof, cancel) = (program.clone(), proof.clone(), cancel.child(Some(time)));
    let (sender, receiver) = channel();
    let work = move || {
        let end = crate::panics::catch(|| {
            Check { program: &program, proof: &proof, backend: BitwuzlaBackend, cancel, why: String::new() }.run()
        });
        // The receiver may be gone.
        let _ =
            sender.send(end.unwrap_or_else(|panic| End::Not(crate::panics::stop(panic).describe(&program.sources))));
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work);
    if thread.is_err() {
        return End::Not("no thread could be started".into());
    }
    receiver.recv_timeout(time + GRACE).unwrap_or_else(|_| End::Not("time".into()))
}

struct Check<'a> {
    program: &'a Prepared,
    proof: &'a Proof,
    backend: BitwuzlaBackend,
    cancel: Cancel,
    /// Why the first way of proof did not work.
    why: String,
}

/// What became of one way of proof.
enum Tried {
    Proved(Vec<(Role, String)>),
    Refuted(Span),
    Failed(String),
}

impl<'a> Check<'a> {
    fn run(&mut self) -> End {
        if let Some(nothing) = Checker::nothing(self.program) {
            let obligations = vec![(nothing.role.clone(), script(&nothing.terms, &nothing.assertions))];
            return End::Confirmed { how: "its own argument".into(), obligations };
        }
        if let Some(end) = self.stated() {
            return end; // 1
        }
        let checker = match self.checker() {
            Ok(checker) => checker,
            Err(end) => return end,
        };
        let loops = !checker.cuts().is_empty();
        let visits = match self.proof.argument {
            Argument::Induction(visits) => Some(visits),
            Argument::Unrolled if loops => None,
            Argument::Described | Argument::Inductive | Argument::Unrolled | Argument::Measures => Some(0),
        };
        if let Some(visits) = visits {
            let own = "its own argument";
            let (exprs, invariants) = (&self.proof.exprs, &self.proof.invariants[..]);
            let claims = Claims { exprs, invariants, states: None, visits };
            // States that an analysis describes may be too much for a solver; other ways are worth a try, too.
            let tried = match self.proof.argument {
                Argument::Described if loops => {
                    self.within_half(|check| check.claims(&checker, &claims, Claimed::ByProof, own))
                }
                _ => self.claims(&checker, &claims, Claimed::ByProof, own),
            };
            if let Some(end) = tried.filter(|end| self.counts(end)) {
                return end; // 1
            }
        } else if self.proof.invariants.is_empty() {
            if let Some(end) = self.unrolled(&checker) {
                return end; // 1
            }
        } else if let Some(end) = self.within_half(|check| check.unrolled(&checker)) {
            return end; // 1
        }
        if loops {
            let (exprs, facts) = self.facts(&checker);
            let claims = |visits| Claims { exprs: &exprs, invariants: &facts, states: None, visits };
            let how = "its invariants with facts of data flow";
            let tried = self.within_half(|check| check.claims(&checker, &claims(0), Claimed::Here, how));
            if let Some(end) = tried.filter(|end| self.counts(end)) {
                return end; // 2
            }
            if visits.is_some()
                && let Some(end) = self.within_half(|check| check.unrolled(&checker))
            {
                return end; // 3
            }
            for visits in VISITS {
                let how = format!("induction over {visits} further visits, with facts of data flow");
                if let Some(end) = self.claims(&checker, &claims(visits), Claimed::Here, &how) {
                    return end; // 4
                }
            }
        }
        End::Not(match self.cancel.check() {
            Ok(()) => std::mem::take(&mut self.why),
            Err(stopped) => limit(stopped),
        })
    }

    /// The states that the proof reached at loop heads: first with the calls left out that it did not look into.
    fn stated(&mut self) -> Option<End> {
        if self.proof.states.is_empty() {
            return None;
        }
        let entered = |function: &FunctionId| self.proof.entered.contains(function);
        let unknown: BTreeSet<FunctionId> = self.program.functions.ids().filter(|id| !entered(id)).collect();
        for skipped in [unknown, BTreeSet::new()] {
            let checker = match Checker::skipping(self.program, &skipped) {
                Ok(checker) if !checker.is_recursive() && checker.skips() != skipped.is_empty() => checker,
                Ok(_) | Err(_) => continue,
            };
            let states = by_cut(&checker, &self.proof.states);
            let claims = Claims { exprs: &self.proof.exprs, invariants: &[], states: Some(&states), visits: 0 };
            let how = "its own argument";
            let tried = self.within_half(|check| check.claims(&checker, &claims, Claimed::Here, how));
            if let Some(end) = tried.filter(|end| self.counts(end)) {
                return Some(end);
            }
        }
        None
    }

    /// All calls are followed, or, where those are too many or recursive, only those that may lead to a target. Recursion
    /// that does is unrolled.
    fn checker(&mut self) -> Result<Checker<'a>, End> {
        let program = self.program;
        let whole = match Checker::new(program) {
            Ok(checker) if !checker.is_recursive() => return Ok(checker),
            whole => whole,
        };
        let all: BTreeSet<FunctionId> = program.functions.ids().collect();
        let part = Checker::skipping(program, &all).ok().filter(|checker| !checker.is_recursive());
        match (whole, part) {
            (Err(_), Some(part)) => Ok(part),
            (Err(refusal), None) => Err(End::Not(self.reason(&refusal))),
            (Ok(whole), Some(part)) => match self.within_half(|check| check.unrolled(&whole)) {
                Some(end) => Err(end),
                None => {
                    self.why = format!("the program is recursive; {}", self.why);
                    Ok(part)
                }
            },
            (Ok(whole), None) => {
                let end = self.unrolled(&whole);
                Err(end.unwrap_or_else(|| End::Not(format!("the program is recursive; {}", self.why))))
            }
        }
    }

    /// Whether a part of the time led to an end of the whole.
    fn counts(&self, end: &End) -> bool {
        !matches!(end, End::Not(_)) || self.cancel.is_stopped()
    }

    /// Half of the time that is left.
    fn within_half<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let half = self.cancel.child(self.cancel.remaining().map(|left| left / 2));
        let whole = std::mem::replace(&mut self.cancel, half);
        let result = work(self);
        self.cancel = whole;
        result
    }

    /// The proof's invariants with facts of data flow.
    fn facts(&self, checker: &Checker) -> (Exprs, Vec<(Node, ExprId)>) {
        let mut exprs = self.proof.exprs.clone();
        let mut all = self.listed(checker, &mut exprs);
        for source in flow_sources() {
            let Ok(facts) = source(self.program, &self.cancel) else { continue };
            for &(node, fact) in &facts.facts {
                all.extend(import(&mut exprs, &facts.exprs, fact).map(|fact| (node, fact)));
            }
        }
        (exprs, all)
    }

    /// The proof's invariants; loop heads without one are taken for unreachable if all others have one.
    fn listed(&self, checker: &Checker, exprs: &mut Exprs) -> Vec<(Node, ExprId)> {
        let mut all = self.proof.invariants.clone();
        if all.is_empty() {
            return all;
        }
        for cut in checker.cuts() {
            if !all.iter().any(|(node, _)| *node == cut.node) {
                all.push((cut.node, exprs.bool(false)));
            }
        }
        all
    }

    fn claims(&mut self, checker: &Checker, claims: &Claims, claimed: Claimed, how: &str) -> Option<End> {
        match self.try_claims(checker, claims) {
            Tried::Proved(obligations) => Some(End::Confirmed { how: how.to_owned(), obligations }),
            Tried::Refuted(span) if claimed == Claimed::ByProof => Some(End::Refuted(span)),
            Tried::Refuted(span) => self.failed(format!("not shown (fails at {})", self.program.sources.display(span))),
            Tried::Failed(why) => self.failed(why),
        }
    }

    /// One way of proof did not work; others may, if there is time.
    fn failed(&mut self, why: String) -> Option<End> {
        if self.why.is_empty() {
            self.why = why;
        }
        self.cancel.check().err().map(|stopped| End::Not(limit(stopped)))
    }

    fn try_claims(&self, checker: &Checker, claims: &Claims) -> Tried {
        let mut done = Vec::new();
        for role in checker.roles(claims) {
            let obligation = match checker.obligation(claims, role, &self.cancel) {
                Ok(obligation) => obligation,
                Err(refusal) => return Tried::Failed(self.reason(&refusal)),
            };
            match self.model(&obligation) {
                Ok(None) => done.push((obligation.role.clone(), script(&obligation.terms, &obligation.assertions))),
                Ok(Some(span)) if self.is_final(&obligation) => return Tried::Refuted(span),
                Ok(Some(span)) => {
                    let what = obligation.role.describe(self.program);
                    let place = self.program.sources.display(span);
                    return Tried::Failed(format!("not shown: {what} (fails at {place})"));
                }
                Err(why) => return Tried::Failed(why),
            }
        }
        Tried::Proved(done)
    }

    /// Whether a model shows that the encoders disagree.
    fn is_final(&self, obligation: &Obligation) -> bool {
        let same = match obligation.role {
            Role::Start | Role::FactsAtStart | Role::Base(_) => true,
            Role::Next(_) | Role::Case(..) => self.proof.argument == Argument::Inductive,
            Role::Step(_, visits) => self.proof.argument == Argument::Induction(visits),
            Role::Facts(_) | Role::Unrolled(_) | Role::Nothing => false,
        };
        same && obligation.exact && self.stays_inside(obligation)
    }

    /// Whether some model reads nothing outside of its object. What is found there is no matter of the encoders.
    fn stays_inside(&self, obligation: &Obligation) -> bool {
        if obligation.inside.is_empty() {
            return true;
        }
        let mut solver = self.backend.solver();
        for &assertion in obligation.assertions.iter().chain(&obligation.inside) {
            solver.assert(&obligation.terms, assertion);
        }
        solver.check(&obligation.terms, &self.cancel).is_ok_and(|answer| answer == Answer::Sat)
    }

    /// Where a model of the obligation fails; `None`: it has no model.
    fn model(&self, obligation: &Obligation) -> Result<Option<Span>, String> {
        let mut solver = self.backend.solver();
        for &assertion in &obligation.assertions {
            solver.assert(&obligation.terms, assertion);
        }
        if solver.check(&obligation.terms, &self.cancel).map_err(failure)? == Answer::Unsat {
            return Ok(None);
        }
        for &(span, condition) in &obligation.failures {
            let holds = solver.value(&obligation.terms, condition).map_err(failure)?;
            if holds.as_bool() == Some(true) {
                return Ok(Some(span));
            }
        }
        Err("the solver's model does not say where it fails".into())
    }

    fn unrolled(&mut self, checker: &Checker) -> Option<End> {
        let mut unrolling = checker.unrolling(&self.cancel);
        // Asked after so many visits, then after half as many more each time.
        let mut next = 0;
        let role = loop {
            match unrolling.advance() {
                Ok(more) if more && (unrolling.visits() < next || unrolling.goes_on()) => continue,
                Ok(_) => {}
                Err(refusal) => {
                    self.refused(&refusal);
                    return None;
                }
            }
            let visits = unrolling.visits();
            let (formula, terms) = match unrolling.question() {
                Ok(question) => question,
                Err(refusal) => {
                    self.refused(&refusal);
                    return None;
                }
            };
            let mut solver = self.backend.solver();
            for &assertion in &formula {
                solver.assert(&terms, assertion);
            }
            match solver.check(&terms, &self.cancel) {
                Ok(Answer::Unsat) => break (Role::Unrolled(visits), script(&terms, &formula)),
                Ok(Answer::Sat) if visits < MOST_VISITS => next = visits + visits / 2 + 1,
                Ok(Answer::Sat) | Err(_) => {
                    if self.why.is_empty() {
                        self.why =
                            format!("executions with more than {visits} visits of loop heads are too much for it");
                    }
                    return None;
                }
            }
        };
        Some(End::Confirmed { how: "complete unrolling".into(), obligations: vec![role] })
    }

    fn refused(&mut self, refusal: &Refusal) {
        if self.why.is_empty() {
            self.why = self.reason(refusal);
        }
    }

    fn reason(&self, refusal: &Refusal) -> String {
        match refusal {
            Refusal::Unsupported(what, span) => {
                format!("it has no formula for {what} at {}", self.program.sources.display(*span))
            }
            Refusal::Large(why) => (*why).to_owned(),
            Refusal::Stopped(stopped) => limit(*stopped),
        }
    }
}

/// The states that are claimed for each loop head with its calls: those at the head, and those in which a call that leads
/// there was stepped over.
fn by_cut(checker: &Checker, stated: &[HeadStates]) -> BTreeMap<Cut, Vec<ExprId>> {
    let mut known: BTreeMap<(&[EdgeId], Option<Node>), &[ExprId]> = BTreeMap::new();
    for one in stated {
        known.insert((&one.calls, one.node), &one.any_of);
    }
    let states = |cut: &Cut| {
        let outer = (1..=cut.calls.len()).filter_map(|calls| known.get(&(&cut.calls[..calls], None)));
        let all: BTreeSet<ExprId> =
            known.get(&(&cut.calls[..], Some(cut.node))).into_iter().chain(outer).copied().flatten().copied().collect();
        (cut.clone(), all.into_iter().collect())
    };
    checker.cuts().iter().map(states).collect()
}

/// That a share of the time is used up does not mean that the user's time limit is.
fn limit(stopped: Stopped) -> String {
    match stopped {
        Stopped::Time => "time".to_owned(),
        Stopped::Memory | Stopped::Asked => stopped.to_string(),
    }
}

fn failure(failure: SolverFailure) -> String {
    match failure {
        SolverFailure::Stopped(stopped) => limit(stopped),
        SolverFailure::Incomplete(why) => why,
    }
}

/// As other solvers read it.
fn script(terms: &Terms, assertions: &[TermId]) -> String {
    terms.print_script(&smt::smtlib::Script { assertions, assumptions: &[], status: "unsat" })
}

/// An expression of another store among these. Both begin with the program's expressions; facts are built of further
/// ones.
fn import(into: &mut Exprs, from: &Exprs, root: ExprId) -> Option<ExprId> {
    let mut known = std::collections::HashMap::new();
    let mut order = Vec::new();
    from.visit(root, |id, node| order.push((id, node)));
    for (id, node) in order {
        let ty = from.ty(id);
        let at = |id: ExprId| known[&id];
        let new = match node {
            cfa::Expr::Const { .. } => into.bits(ty, from.constant(id)?),
            cfa::Expr::Var(var) => into.var(var, ty),
            cfa::Expr::Addr(var) => into.addr(var),
            cfa::Expr::Function(function) => into.function(function),
            cfa::Expr::Load(pointer) => into.load(at(pointer), ty),
            cfa::Expr::Unary(op, a) => into.unary(op, at(a)),
            cfa::Expr::Binary(op, a, b) => into.binary(op, at(a), at(b)),
            cfa::Expr::Cast(a) => into.cast(at(a), ty),
            cfa::Expr::Ite(a, b, c) => into.ite(at(a), at(b), at(c)),
            cfa::Expr::Living(question) => into.living(question.about(at)),
        };
        known.insert(id, new);
    }
    debug_assert_eq!(into.ty(known[&root]), cfa::Scalar::Bool, "facts are truth values");
    known.get(&root).copied()
}
