//! What must have no model for a proof to hold.
//!
//! Invariants hold at loop heads and exclude all targets:
//! 1. from the start of the program, and
//! 2. from any state at a loop head in which its invariant holds,
//!
//! no target is reached before the next loop head, whose invariant then holds. Where the invariant is that one of some
//! states holds, 2 is asked of each of them.
//!
//! By induction over `k` visits of loop heads, with invariants as facts: the invariants hold (1 and 2 without targets);
//! 3. no target is reached from the start with at most `k` visits of loop heads;
//! 4. from any state at a loop head, with `k` further visits, invariants holding at all of them, no target is reached
//!    before the next one.
//!
//! By complete unrolling:
//! 5. from the start no target is reached within `n` visits, and no execution has more visits.

use crate::known::Origins;
use crate::segment::{Arrival, Cut, Follower, cuts, place};
use crate::skip::{Effects, skippable};
use base::{Cancel, Span};
use cfa::{ExprId, Exprs, FunctionId, Node, Op, Program};
use flow::{CallGraph, Loops};
use reference::{Encoder, Refusal};
use smt::{Sort, TermId, Terms};
use std::cell::Ref;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Programs with more loop heads than this, counted with the calls that lead to them, are refused.
const MOST_CUTS: usize = 400;

/// What a proof claims.
#[derive(Clone, Copy, Debug)]
pub struct Claims<'a> {
    /// Where the invariants live.
    pub exprs: &'a Exprs,
    /// What holds at loop heads; heads that are not listed may be in any state.
    pub invariants: &'a [(Node, ExprId)],
    /// By loop head with the calls that lead there, states of which one holds, too; what is not listed is not reached.
    /// `None`: nothing is known of them. Not for induction.
    pub states: Option<&'a BTreeMap<Cut, Vec<ExprId>>>,
    /// Induction goes over this many further visits of loop heads.
    pub visits: u32,
}

/// The part of a proof that an obligation is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// From the start of the program to the first loop heads: the invariants hold there, no target is reached.
    Start,
    /// From a loop head to the next ones: the invariants hold there, no target is reached.
    Next(Cut),
    /// As `Next`, from one of the states that there may be at the loop head, counted from 0.
    Case(Cut, usize),
    /// As `Start`, of invariants alone.
    FactsAtStart,
    /// As `Next`, of invariants alone.
    Facts(Cut),
    /// No target is reached from the start with at most so many visits of loop heads.
    Base(u32),
    /// No target is reached from a loop head after so many further visits and before the next.
    Step(Cut, u32),
    /// No target is reached from the start, and no execution has more than so many visits of loop heads.
    Unrolled(u32),
    /// There is no target, and nothing that is not modelled.
    Nothing,
}

impl Role {
    /// Whether it speaks of executions from the start of the program, so that a model may be one.
    pub fn is_from_start(&self) -> bool {
        matches!(self, Role::Start | Role::FactsAtStart | Role::Base(_) | Role::Unrolled(_) | Role::Nothing)
    }

    /// The loop head that it begins at.
    pub fn cut(&self) -> Option<&Cut> {
        match self {
            Role::Next(cut) | Role::Case(cut, _) | Role::Facts(cut) | Role::Step(cut, _) => Some(cut),
            Role::Start | Role::FactsAtStart | Role::Base(_) | Role::Unrolled(_) | Role::Nothing => None,
        }
    }

    /// What it says, in a line.
    pub fn describe(&self, program: &Program) -> String {
        let at = |cut: &Cut| program.sources.display(place(program, cut.node)).to_string();
        match self {
            Role::Start => {
                "from the start the invariants hold at the first loop heads, and no target is reached".into()
            }
            Role::Next(cut) => {
                format!("from the loop at {} the invariants hold next, and no target is reached", at(cut))
            }
            Role::Case(cut, case) => format!(
                "from the loop at {}, in state {} there, the invariants hold next, and no target is reached",
                at(cut),
                case + 1
            ),
            Role::FactsAtStart => "from the start the invariants hold at the first loop heads".into(),
            Role::Facts(cut) => format!("from the loop at {} the invariants hold next", at(cut)),
            Role::Base(k) => format!("from the start no target is reached within {k} visits of loop heads"),
            Role::Step(cut, k) => {
                format!("from the loop at {} no target is reached after {k} further visits", at(cut))
            }
            Role::Nothing => "the program has no target, and no operation without a meaning".into(),
            Role::Unrolled(n) => {
                format!("no target is reached, and no execution has more than {n} visits of loop heads")
            }
        }
    }
}

/// A formula that has no model if the proof holds.
pub struct Obligation {
    /// Which part of the proof it is.
    pub role: Role,
    /// Its terms.
    pub terms: Terms,
    /// The formula: all of them.
    pub assertions: Vec<TermId>,
    /// Where executions go wrong in models: places and conditions, parts of the formula.
    pub failures: Vec<(Span, TermId)>,
    /// Whether it is as strong as the definition of C, so that a model shows a mistake.
    pub exact: bool,
    /// Conditions under which all reads stay in their objects: a model in which one does not is undefined behaviour.
    pub inside: Vec<TermId>,
}

/// Makes the obligations of proofs about one program.
pub struct Checker<'p> {
    program: &'p Program,
    loops: Loops,
    cuts: Vec<Cut>,
    recursive: bool,
    skipped: Rc<BTreeMap<FunctionId, Effects>>,
}

impl<'p> Checker<'p> {
    /// Finds the loop heads of a program.
    pub fn new(program: &'p Program) -> Result<Self, Refusal> {
        Checker::skipping(program, &BTreeSet::new())
    }

    /// Finds the loop heads of a program. Calls of these functions are left out as far as nothing in them can fail: they
    /// stand for all that they could do.
    pub fn skipping(program: &'p Program, functions: &BTreeSet<FunctionId>) -> Result<Self, Refusal> {
        let (loops, calls) = (Loops::new(program), CallGraph::new(program));
        let skipped = Rc::new(skippable(program, &calls, functions));
        let followed = |function: FunctionId| !skipped.contains_key(&function);
        let (mut reached, mut waiting) = (BTreeSet::from([program.entry]), vec![program.entry]);
        while let Some(function) = waiting.pop() {
            let callees = calls.calls(function).iter().map(|(_, callee)| *callee);
            waiting.extend(callees.filter(|&callee| followed(callee) && reached.insert(callee)));
        }
        let recursive = reached.iter().any(|&function| calls.is_recursive(function));
        let cuts = if recursive { Vec::new() } else { cuts(program, &loops, &calls, followed, MOST_CUTS)? };
        Ok(Checker { program, loops, cuts, recursive, skipped })
    }

    /// Whether some calls are left out.
    pub fn skips(&self) -> bool {
        !self.skipped.is_empty()
    }

    /// The proof of a program in which nothing can fail, no matter what executions do.
    pub fn nothing(program: &Program) -> Option<Obligation> {
        // A call through a pointer is one of a function of the program, too, or it is undefined.
        let vague = |op: &Op| matches!(op, Op::Unsupported(_));
        if !program.targets.is_empty() || program.edges.iter().any(|(_, edge)| vague(&edge.op)) {
            return None;
        }
        let mut terms = Terms::new();
        let assertions = vec![terms.falsity()];
        let (failures, inside) = (Vec::new(), Vec::new());
        Some(Obligation { role: Role::Nothing, terms, assertions, failures, exact: true, inside })
    }

    /// Whether functions call themselves: then the only argument is complete unrolling.
    pub fn is_recursive(&self) -> bool {
        self.recursive
    }

    /// The loop heads, with the calls that lead to them.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The parts of a proof of these claims.
    pub fn roles(&self, claims: &Claims) -> Vec<Role> {
        assert!(!self.recursive, "recursive programs are unrolled");
        let cuts = || self.cuts.iter().cloned();
        if claims.visits == 0 {
            let next = cuts().flat_map(|cut| match claims.states {
                Some(states) => {
                    let count = states.get(&cut).map_or(0, Vec::len);
                    (0..count).map(|case| Role::Case(cut.clone(), case)).collect()
                }
                None => vec![Role::Next(cut)],
            });
            return std::iter::once(Role::Start).chain(next).collect();
        }
        assert!(claims.states.is_none(), "induction has no cases");
        let mut roles = Vec::new();
        if !claims.invariants.is_empty() {
            roles.push(Role::FactsAtStart);
            roles.extend(cuts().map(Role::Facts));
        }
        roles.push(Role::Base(claims.visits));
        roles.extend(cuts().map(|cut| Role::Step(cut, claims.visits)));
        roles
    }

    /// The formula of one part. Unrolling has [`Unrolling`].
    pub fn obligation(&self, claims: &Claims, role: Role, cancel: &Cancel) -> Result<Obligation, Refusal> {
        let mut building = Building::new(self, claims, cancel);
        let start = building.follower.begin(role.cut());
        building.layer.push(start);
        match &role {
            Role::Start => building.advance(Ask::Both)?,
            Role::FactsAtStart => building.advance(Ask::Invariants)?,
            Role::Next(_) => {
                building.assume_first(None);
                building.advance(Ask::Both)?;
            }
            Role::Case(_, case) => {
                building.assume_first(Some(*case));
                building.advance(Ask::Both)?;
            }
            Role::Facts(_) => {
                building.assume_first(None);
                building.advance(Ask::Invariants)?;
            }
            Role::Base(visits) => {
                for _ in 0..=*visits {
                    building.advance(Ask::Targets)?;
                }
            }
            Role::Step(_, visits) => {
                building.assume_first(None);
                for _ in 0..*visits {
                    building.advance(Ask::Nothing)?;
                    building.assume();
                }
                building.advance(Ask::Targets)?;
            }
            Role::Unrolled(visits) => {
                for _ in 0..=*visits {
                    building.advance(Ask::Targets)?;
                }
                building.fail_later();
            }
            Role::Nothing => unreachable!("what does not depend on executions has no formula"),
        }
        building.finish(role)
    }

    /// Complete unrolling, visit by visit.
    pub fn unrolling(&self, cancel: &Cancel) -> Unrolling<'_> {
        let claims = Claims { exprs: &self.program.exprs, invariants: &[], states: None, visits: 0 };
        let mut building = Building::new(self, &claims, cancel);
        let start = building.follower.begin(None);
        building.layer.push(start);
        Unrolling { building, visits: 0 }
    }
}

/// What an advance may fail at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    Nothing,
    Targets,
    Invariants,
    Both,
}

/// All of it, and where executions go wrong in its models.
struct Formula {
    assertions: Vec<TermId>,
    failures: Vec<(Span, TermId)>,
}

struct Building<'a> {
    follower: Follower<'a>,
    exprs: &'a Exprs,
    invariants: BTreeMap<Node, Vec<ExprId>>,
    states: Option<&'a BTreeMap<Cut, Vec<ExprId>>>,
    layer: Vec<Arrival>,
    assumed: Vec<TermId>,
    failures: Vec<(Span, TermId)>,
}

impl<'a> Building<'a> {
    fn new(checker: &'a Checker<'_>, claims: &Claims<'a>, cancel: &Cancel) -> Self {
        let mut invariants: BTreeMap<Node, Vec<ExprId>> = BTreeMap::new();
        for &(node, invariant) in claims.invariants {
            invariants.entry(node).or_default().push(invariant);
        }
        Building {
            follower: Follower::new(checker.program, &checker.loops, &checker.skipped, cancel),
            exprs: claims.exprs,
            invariants,
            states: claims.states,
            layer: Vec::new(),
            assumed: Vec::new(),
            failures: Vec::new(),
        }
    }

    fn place(&self, arrival: &Arrival) -> Span {
        place(self.follower.encoder.program, arrival.cut.node)
    }

    /// What the invariants say of an arrival.
    fn holds(&self, arrival: &Arrival) -> TermId {
        let condition = |fact| self.follower.condition(arrival, self.exprs, fact);
        let invariants = self.invariants.get(&arrival.cut.node).into_iter().flatten();
        let mut parts: Vec<TermId> = invariants.map(|&invariant| condition(invariant)).collect();
        let terms = &self.follower.encoder.terms;
        if let Some(states) = self.states {
            let states = states.get(&arrival.cut).into_iter().flatten().copied();
            let carried = states.filter(|&state| self.follower.carries(arrival, self.exprs, state));
            parts.push(terms.or(carried.map(condition)));
        }
        terms.and(parts)
    }

    /// The invariants hold at the loop head where executions begin, and if there are cases, the state is this one.
    fn assume_first(&mut self, case: Option<usize>) {
        let mut arrival = self.layer.pop().expect("executions begin at a loop head");
        let invariants = self.invariants.get(&arrival.cut.node).cloned().unwrap_or_default();
        let state = case.map(|case| self.states.expect("cases are states")[&arrival.cut][case]);
        let known = invariants.into_iter().map(|invariant| (invariant, Origins::Unknown));
        let known: Vec<_> = known.chain(state.map(|state| (state, Origins::Carried))).collect();
        for &fact in &known {
            self.follower.know(&mut arrival, self.exprs, fact);
        }
        for (fact, _) in known {
            self.assumed.push(self.follower.condition(&arrival, self.exprs, fact));
        }
        self.layer.push(arrival);
    }

    /// The invariants hold where executions are.
    fn assume(&mut self) {
        for arrival in &self.layer {
            let holds = self.holds(arrival);
            self.assumed.push(self.follower.encoder.terms.implies(arrival.state.guard, holds));
        }
    }

    /// Executions go on to the next loop heads.
    fn advance(&mut self, ask: Ask) -> Result<(), Refusal> {
        let mut next = Vec::new();
        for arrival in std::mem::take(&mut self.layer) {
            let outcome = self.follower.run(arrival)?;
            if matches!(ask, Ask::Targets | Ask::Both) {
                self.failures.extend(outcome.errors);
            }
            for arrival in outcome.arrivals {
                self.follower.meet(&mut next, arrival);
            }
        }
        if matches!(ask, Ask::Invariants | Ask::Both) {
            let terms = &self.follower.encoder.terms;
            let fails = |arrival: &Arrival| terms.and([arrival.state.guard, terms.not(self.holds(arrival))]);
            let failures: Vec<_> = next.iter().map(|arrival| (self.place(arrival), fails(arrival))).collect();
            self.failures.extend(failures);
        }
        self.layer = next;
        self.follower.encoder.check()
    }

    /// Executions that are still under way fail.
    fn fail_later(&mut self) {
        let later: Vec<_> = self.layer.iter().map(|arrival| (self.place(arrival), arrival.state.guard)).collect();
        self.failures.extend(later);
    }

    fn finish(self, role: Role) -> Result<Obligation, Refusal> {
        let Formula { assertions, failures } = self.formula()?;
        let Encoder { inexact, inside, terms, .. } = self.follower.encoder;
        let (terms, exact, inside) = (terms.into_terms(), !inexact.get(), inside.into_inner());
        let is_truth_value = |formula: &TermId| terms.sort(*formula) == Sort::Bool;
        assert!(assertions.iter().all(is_truth_value), "a formula is a list of truth values");
        Ok(Obligation { role, assertions, failures, exact, inside, terms })
    }

    fn formula(&self) -> Result<Formula, Refusal> {
        let encoder = &self.follower.encoder;
        encoder.check()?;
        let (falsity, truth) = (encoder.terms.falsity(), encoder.terms.truth());
        let possible = self.failures.iter().copied().filter(|(_, failure)| *failure != falsity);
        let failures: Vec<(Span, TermId)> = possible.collect();
        let failure = encoder.terms.or(failures.iter().map(|(_, failure)| *failure));
        if failure == falsity {
            return Ok(Formula { assertions: vec![failure], failures });
        }
        let own = [&self.assumed[..], &[failure]].concat();
        let mut assertions = encoder.constraints(&own)?;
        assertions.extend(own);
        assertions.retain(|&formula| formula != truth);
        Ok(Formula { assertions, failures })
    }
}

/// The program from its start on, visit of loop heads by visit.
pub struct Unrolling<'a> {
    building: Building<'a>,
    visits: u32,
}

impl Unrolling<'_> {
    /// One more visit of loop heads. `false`: no execution is left.
    pub fn advance(&mut self) -> Result<bool, Refusal> {
        self.building.advance(Ask::Targets)?;
        self.visits += 1;
        Ok(!self.building.layer.is_empty())
    }

    /// Whether executions have more visits without any doubt.
    pub fn goes_on(&self) -> bool {
        let truth = |arrival: &Arrival| self.building.follower.encoder.terms.as_bool(arrival.state.guard) == Some(true);
        self.building.layer.iter().any(truth)
    }

    /// How many visits there were.
    pub fn visits(&self) -> u32 {
        assert!(self.visits > 0, "the start is not a visit");
        self.visits - 1
    }

    /// Some execution reaches a target within the visits so far, or has more of them: the formula.
    pub fn question(&mut self) -> Result<(Vec<TermId>, Ref<'_, Terms>), Refusal> {
        let before = self.building.failures.len();
        self.building.fail_later();
        let formula = self.building.formula();
        self.building.failures.truncate(before);
        Ok((formula?.assertions, self.building.follower.encoder.terms.terms()))
    }
}
