//! Measures for all loops and recursive functions [PR04, CPR06]: each step from one visit of a loop head to the next, and
//! each call from one activation of a recursive function to the next, decreases a lexicographic measure. Supporting
//! facts come from data-flow analyses and from elimination of guesses; they are asked for as long as something is open.

mod iterations;
mod recursion;
mod remaining;

pub use remaining::{States, closed_states};

use super::lexicographic::{self, Choice, Transition};
use super::measure::Measure;
use super::monotone::{Direction, Directions};
use super::walk::Walker;
use crate::facts::{FactSource, Facts};
use base::{Budget, Cancel, Counters, Span, Stopped};
use cfa::{BinOp, Expr, ExprId, Exprs, FunctionId, FunctionKind, Node, Op, Program, VarId};
use encode::{Encoder, MemoryModel, PathFormula, unsupported};
use flow::{CallGraph, LoopId, Loops, Prepared};
use smt::{Backend, Solver, TermId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use verdict::{Argument, Measured, Proof, Stop};

/// A variable and how it changes.
type Directed = (VarId, Direction);

/// Steps that have measures.
struct Case {
    transitions: Vec<Transition>,
    measures: Vec<Measure>,
    /// Under which condition they are all steps.
    place: Option<String>,
    /// The measures that decrease in them.
    chosen: Vec<usize>,
}

/// All about one round of a loop or recursion.
#[derive(Default)]
struct Step {
    transitions: Vec<Transition>,
    measures: Vec<Measure>,
    /// What summands of transitions are.
    summed: Vec<ExprId>,
    /// Signed numbers that it does not change and that others are computed from.
    stable: Vec<(String, TermId)>,
    directions: Vec<Directed>,
    /// The states that the step of a loop leads from and to.
    states: Option<(PathFormula, PathFormula)>,
}

/// What has to decrease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// A measure in each step.
    Each,
    /// A measure in each step that another one follows: what never ends takes no other ones.
    Followed,
    /// A measure in two steps together.
    Pairs,
    /// One of several measures in any number of steps together.
    Sequences,
}

impl Way {
    const ALL: [Way; 4] = [Way::Each, Way::Followed, Way::Pairs, Way::Sequences];
}

/// Something that has to end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Obligation {
    Loop(LoopId),
    /// A function and those that call each other with it.
    Recursion(FunctionId),
}

/// Proves that all executions end, or tells which loops are open. `sources` give facts at nodes, the first one at all of
/// them.
pub fn measures(
    program: &Program,
    backend: &dyn Backend,
    sources: &[FactSource],
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Partly> {
    let Some(termination) = &program.termination else {
        return Err(Stop::Bound("the question is not whether executions end".to_owned()).into());
    };
    let plain = &Prepared::new(Program::clone(&termination.plain));
    prove(plain, backend, sources, cancel, counters)
}

/// What measures were found for, where they do not show that all executions end.
#[derive(Clone, Debug)]
pub struct Partly {
    /// What was found.
    pub proof: Box<Proof>,
    /// The heads of the loops that are open; `None` if more than loops is open.
    pub loops: Option<Vec<Node>>,
    /// What to say about it.
    pub stop: Stop,
}

impl From<Stop> for Partly {
    fn from(stop: Stop) -> Partly {
        Partly { proof: Box::default(), loops: None, stop }
    }
}

impl From<Stopped> for Partly {
    fn from(stopped: Stopped) -> Partly {
        Partly::from(Stop::from(stopped))
    }
}

fn prove(
    program: &Prepared,
    backend: &dyn Backend,
    sources: &[FactSource],
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Partly> {
    let (loops, calls) = (program.loops(), program.calls());
    let mut ranking = Ranking::new(program, (&loops, &calls), backend, cancel)?;
    let mut open = ranking.obligations();
    counters.add("loops and recursive functions", open.len() as u64);
    let mut why = BTreeMap::new();
    for (round, source) in sources.iter().enumerate() {
        counters.live.phase("supporting facts");
        match source(program, cancel) {
            Ok(facts) => ranking.facts.push(facts),
            Err(Stop::Limit(stopped)) => return Err(stopped.into()),
            Err(_) if round > 0 => continue,
            Err(stop) => return Err(stop.into()),
        }
        if round == 0 {
            ranking.supported()?;
        }
        counters.live.phase("measures");
        let mut left = Vec::new();
        for obligation in open {
            cancel.check()?;
            let last = || cancel.child(cancel.remaining().map(|left| left / 2));
            let limited = if round + 1 < sources.len() { cancel.within(Budget::Measure) } else { last() };
            match ranking.discharge(obligation, &[Way::Each], &limited) {
                Ok(true) => {
                    why.remove(&obligation);
                }
                Ok(false) => {
                    why.insert(obligation, "no measure was found that decreases in every iteration".to_owned());
                    left.push(obligation);
                }
                Err(Stop::Limit(stopped)) if cancel.is_stopped() => {
                    return Err(match why.first_key_value() {
                        Some((open, why)) => ranking.undecided(*open, why.clone()).into(),
                        None => stopped.into(),
                    });
                }
                Err(stop) => {
                    why.insert(obligation, stop.describe(&program.sources));
                    left.push(obligation);
                }
            }
        }
        open = left;
        if open.is_empty() {
            break;
        }
    }
    if !open.is_empty() {
        counters.live.phase("measures of several iterations");
        // What does not work here leaves the loops as they are, also where it stops halfway.
        let _ = ranking.together(program, sources, &open, cancel);
        open.retain(|one| !ranking.proved.contains_key(one));
    }
    counters.add("measures", ranking.proved.len() as u64);
    match open.first() {
        None => Ok(ranking.proof()),
        Some(first) => {
            let mut reason = why.get(first).cloned().unwrap_or_default();
            if open.len() > 1 {
                reason += &format!("; {} more are open", open.len() - 1);
            }
            let heads = open.iter().map(|obligation| match obligation {
                Obligation::Loop(_) => Some(ranking.node(*obligation)),
                Obligation::Recursion(_) => None,
            });
            Err(Partly {
                loops: heads.collect(),
                stop: ranking.undecided(*first, reason),
                proof: Box::new(ranking.proof()),
            })
        }
    }
}

struct Ranking<'a> {
    program: &'a Program,
    loops: &'a Loops,
    calls: &'a CallGraph,
    model: Arc<MemoryModel>,
    backend: &'a dyn Backend,
    facts: Vec<Facts>,
    directions: Directions,
    proved: BTreeMap<Obligation, Measured>,
}

impl<'a> Ranking<'a> {
    fn new(
        program: &'a Prepared,
        (loops, calls): (&'a Loops, &'a CallGraph),
        backend: &'a dyn Backend,
        cancel: &Cancel,
    ) -> Result<Self, Stop> {
        let model = encode::memory_model(program, cancel)?;
        let (facts, directions, proved) = Default::default();
        Ok(Ranking { program, loops, calls, model, backend, facts, directions, proved })
    }

    fn obligations(&self) -> Vec<Obligation> {
        // The library's own loops end where it is used as it has to be.
        let own = |function: FunctionId| {
            self.calls.is_reachable(function) && self.program.functions[function].kind == FunctionKind::Defined
        };
        let inner_first = self.loops.loops.iter().rev().filter(|(_, one)| own(one.function));
        let mut all: Vec<Obligation> = inner_first.map(|(id, _)| Obligation::Loop(id)).collect();
        for group in self.calls.bottom_up() {
            let first = FunctionId(group[0]);
            if self.calls.is_recursive(first) && self.calls.is_reachable(first) {
                all.push(Obligation::Recursion(first));
            }
        }
        all
    }

    /// Nothing that is not modelled is reached, as far as the first facts tell.
    fn supported(&self) -> Result<(), Stop> {
        let dead: BTreeSet<Node> = self.dead();
        for (id, edge) in self.program.edges.iter() {
            let open = matches!(edge.op, Op::Unsupported(_) | Op::CallPointer { .. });
            if open && self.calls.is_reachable(self.program.nodes[edge.from].function) && !dead.contains(&edge.from) {
                return Err(unsupported(self.program, id));
            }
        }
        Ok(())
    }

    /// Nodes that no execution reaches.
    fn dead(&self) -> BTreeSet<Node> {
        let known = self.facts.iter().flat_map(|facts| facts.facts.iter().map(move |fact| (&facts.exprs, fact)));
        known.filter(|(exprs, (_, fact))| exprs.constant(*fact) == Some(0)).map(|(_, (node, _))| *node).collect()
    }

    fn walker<'w>(&'w self, cancel: &'w Cancel) -> Walker<'w, 'w> {
        let mut walker = Walker::new(self.program, (self.loops, self.calls), (&self.model, &self.directions), cancel);
        for facts in &self.facts {
            for &(node, fact) in &facts.facts {
                if let Some(fact) = walker.encoder.import(&facts.exprs, fact) {
                    walker.learn(node, fact);
                }
            }
        }
        walker
    }

    /// Whether a measure was found.
    fn discharge(&mut self, obligation: Obligation, ways: &[Way], cancel: &Cancel) -> Result<bool, Stop> {
        let ways = match obligation {
            Obligation::Loop(_) => ways,
            Obligation::Recursion(_) => &ways[..1],
        };
        let mut late = None;
        for (at, &way) in ways.iter().enumerate() {
            // One that takes long leaves time for the others.
            let share = cancel.child(cancel.remaining().map(|left| left / (ways.len() - at) as u32));
            let (directions, measured) = match self.attempt(obligation, way, &share) {
                Err(stop @ Stop::Limit(_)) if !cancel.is_stopped() => {
                    late = Some(stop);
                    continue;
                }
                found => found?,
            };
            if let Obligation::Loop(id) = obligation
                && !directions.is_empty()
            {
                self.directions.insert(id, directions);
            }
            if let Some(measured) = measured {
                self.proved.insert(obligation, measured);
                return Ok(true);
            }
        }
        late.map_or(Ok(false), Err)
    }

    fn attempt(
        &self,
        obligation: Obligation,
        way: Way,
        cancel: &Cancel,
    ) -> Result<(Vec<Directed>, Option<Measured>), Stop> {
        let mut walker = self.walker(cancel);
        let step = match (obligation, way) {
            (Obligation::Loop(id), Way::Sequences) => return Ok((Vec::new(), self.covered(&mut walker, id, cancel)?)),
            (Obligation::Loop(id), _) => self.iteration(&mut walker, id, way, cancel)?,
            (Obligation::Recursion(function), _) => self.recursion(&mut walker, function)?,
        };
        let encoder = &mut walker.encoder;
        let cases = self.cases(encoder, &step, cancel)?;
        let mut second = self.solver(encoder);
        for case in &cases {
            if !lexicographic::confirm(encoder, &mut *second, &case.transitions, &case.chosen, cancel)? {
                return Err(Stop::Evidence(
                    "a fresh solver finds a step that does not decrease the measure".to_owned(),
                ));
            }
        }
        if cases.is_empty() {
            return Ok((step.directions, None));
        }
        let mut named = self.program.clone();
        named.exprs = walker.encoder.exprs.clone();
        let bound = match (obligation, way, cases.as_slice()) {
            (Obligation::Loop(_), Way::Each, [only]) if only.chosen.is_empty() => Some("1".to_owned()),
            (Obligation::Loop(_), Way::Each, [Case { transitions, measures, chosen, .. }]) if chosen.len() == 1 => {
                let least = lexicographic::least(&mut walker.encoder, &mut *second, transitions, chosen[0], cancel)?;
                let text = measures[chosen[0]].text(&named);
                least.map(|least| if least > 0 { text } else { format!("{text} + 1") })
            }
            _ => None,
        };
        let mut reasons = Vec::new();
        let mut measure: Vec<String> = Vec::new();
        for Case { measures, place, chosen, .. } in &cases {
            let texts: Vec<String> = chosen.iter().map(|&at| format!("`{}`", measures[at].text(&named))).collect();
            let what = decrease(obligation, way, &texts);
            reasons.push(place.as_ref().map_or(what.clone(), |place| format!("where `{place}`, {what}")));
            measure.extend(texts.into_iter().filter(|text| !measure.contains(text)).collect::<Vec<_>>());
        }
        let ranked = match (way, cases.as_slice()) {
            (Way::Each, [Case { place: None, measures, chosen, .. }]) => {
                chosen.iter().map(|&at| measures[at].ranked(&named)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        let (bound, ranked) = (bound, ranked.unwrap_or_default());
        Ok((step.directions, Some(Measured { bound, ranked, ..self.measured(obligation, measure, &reasons) })))
    }

    /// Several iterations of loops that are open, in the program in which a signed operation that overflows gives any
    /// value: a number of steps that only comes to an end because integers wrap is hardly what is meant.
    fn together(
        &mut self,
        program: &Prepared,
        sources: &[FactSource],
        open: &[Obligation],
        cancel: &Cancel,
    ) -> Result<(), Stop> {
        let free = Prepared::new(transform::arbitrary_overflow(program));
        let (loops, calls) = (free.loops(), free.calls());
        let mut other = Ranking::new(&free, (&loops, &calls), self.backend, cancel)?;
        for (round, source) in sources.iter().enumerate() {
            match source(&free, cancel) {
                Ok(facts) => other.facts.push(facts),
                Err(stop) if cancel.is_stopped() => return Err(stop),
                Err(_) => continue,
            }
            if round == 0 {
                other.direct(cancel)?;
            }
            for &obligation in open {
                let Obligation::Loop(_) = obligation else { continue };
                let Some(same) = loops.headed_by(self.node(obligation)).map(Obligation::Loop) else { continue };
                if self.proved.contains_key(&obligation) {
                    continue;
                }
                let found = other.discharge(same, &Way::ALL, &cancel.within(Budget::Measure));
                cancel.check()?;
                if let (Ok(true), Some(measured)) = (found, other.proved.remove(&same)) {
                    self.proved.insert(obligation, measured);
                }
            }
            if open.iter().all(|one| self.proved.contains_key(one)) {
                break;
            }
        }
        Ok(())
    }

    /// What is said of something that ends, but for bounds and terms.
    fn measured(&self, obligation: Obligation, measure: Vec<String>, reasons: &[String]) -> Measured {
        let sentence = format!("{} ends: {}", self.name(obligation), reasons.join("; "));
        let (node, span) = (self.node(obligation), self.place(obligation));
        Measured { node, span, measure, sentence, bound: None, ranked: Vec::new() }
    }

    fn solver(&self, encoder: &Encoder) -> Box<dyn Solver> {
        let mut solver = self.backend.solver();
        encoder.definitions(0).for_each(|definition| solver.assert(&encoder.terms, definition));
        solver
    }

    /// The guesses that decrease in every step; or, for some variable that the loop does not change, those that do
    /// where it is negative, where it is 0 and where it is positive: which of these holds stays the same as long as
    /// the loop runs. None if there are none.
    fn cases(&self, encoder: &mut Encoder, step: &Step, cancel: &Cancel) -> Result<Vec<Case>, Stop> {
        let mut solver = self.solver(encoder);
        if let Some(case) = decreasing(encoder, &mut *solver, (step, step.transitions.clone()), None, cancel)? {
            return Ok(vec![case]);
        }
        for (name, value) in &step.stable {
            let width = encoder.terms.width(*value);
            let zero = encoder.terms.bv_u64(width, 0);
            let mut cases: Vec<Case> = Vec::new();
            for sign in ["< 0", "== 0", "> 0"] {
                let holds = match sign {
                    "< 0" => encoder.terms.bv_slt(*value, zero),
                    "== 0" => encoder.terms.eq(*value, zero),
                    _ => encoder.terms.bv_sgt(*value, zero),
                };
                let mut transitions = step.transitions.clone();
                for one in &mut transitions {
                    one.guard = encoder.terms.and([one.guard, holds]);
                }
                let place = Some(format!("{name} {sign}"));
                match decreasing(encoder, &mut *solver, (step, transitions), place, cancel)? {
                    Some(case) => cases.push(case),
                    None => break,
                }
            }
            if cases.len() == 3 {
                return Ok(cases);
            }
        }
        Ok(Vec::new())
    }

    fn node(&self, obligation: Obligation) -> Node {
        match obligation {
            Obligation::Loop(id) => self.loops.loops[id].head,
            Obligation::Recursion(function) => self.program.functions[function].entry,
        }
    }

    fn place(&self, obligation: Obligation) -> Span {
        match obligation {
            Obligation::Loop(id) => {
                let first = self.program.leaving(self.loops.loops[id].head).next();
                first.map_or(Span::default(), |edge| self.program.edges[edge].span)
            }
            Obligation::Recursion(function) => self.program.functions[function].span,
        }
    }

    fn name(&self, obligation: Obligation) -> String {
        let place = self.program.sources.display(self.place(obligation));
        match obligation {
            Obligation::Loop(_) => format!("the loop at {place}"),
            Obligation::Recursion(function) => {
                format!("the recursion of {}() at {place}", self.program.function_name(function))
            }
        }
    }

    fn undecided(&self, obligation: Obligation, why: String) -> Stop {
        let what = match obligation {
            Obligation::Loop(_) => format!("whether the loop ends ({why})"),
            Obligation::Recursion(function) => {
                format!("whether the recursion of {}() ends ({why})", self.program.function_name(function))
            }
        };
        Stop::Open { what, span: self.place(obligation) }
    }

    fn proof(&self) -> Proof {
        let mut exprs = self.program.exprs.clone();
        let heads: BTreeSet<Node> = self.loops.loops.iter().map(|(_, one)| one.head).collect();
        let mut invariants: BTreeMap<Node, ExprId> = BTreeMap::new();
        for facts in &self.facts {
            for &(node, fact) in facts.facts.iter().filter(|(node, _)| heads.contains(node)) {
                let fact = copied(&facts.exprs, fact, &mut exprs);
                let all = invariants.entry(node).or_insert(fact);
                if *all != fact {
                    *all = exprs.binary(BinOp::And, *all, fact);
                }
            }
        }
        let checked = if self.proved.is_empty() {
            "There is no loop and no recursion.".to_owned()
        } else {
            "Each measure was checked with a fresh solver, for one step from any state that the facts allow.".to_owned()
        };
        let invariants = invariants.into_iter().collect();
        let mut measures: Vec<Measured> = self.proved.values().cloned().collect();
        measures.sort_by_key(|one| one.span);
        Proof { exprs, invariants, checked, argument: Argument::Measures, measures, ..Proof::default() }
    }
}

/// The guesses that decrease in steps, if there are any.
fn decreasing(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    (step, mut transitions): (&Step, Vec<Transition>),
    place: Option<String>,
    cancel: &Cancel,
) -> Result<Option<Case>, Stop> {
    let mut sums = Vec::new();
    let Choice::Decreasing(chosen) = lexicographic::choose(encoder, solver, &mut transitions, &mut sums, cancel)?
    else {
        return Ok(None);
    };
    let mut measures = step.measures.clone();
    measures.extend(sums.iter().map(|factors| Measure::weighted(factors, &step.summed)));
    Ok(Some(Case { transitions, measures, place, chosen }))
}

/// How a measure decreases, in words.
fn decrease(obligation: Obligation, way: Way, texts: &[String]) -> String {
    let each = match (obligation, way) {
        (Obligation::Recursion(_), _) => "with every call",
        (Obligation::Loop(_), Way::Each) => "in every iteration",
        (Obligation::Loop(_), Way::Followed) => "in every iteration that another one follows",
        (Obligation::Loop(_), Way::Pairs) => "in any two iterations",
        (Obligation::Loop(_), Way::Sequences) => {
            return format!("any number of iterations together decreases one of {}", texts.join(", "));
        }
    };
    match texts {
        [] => "no step leads from one round of it to the next".to_owned(),
        [one] => format!("{one} decreases {each}"),
        all => format!("({}) decreases lexicographically {each}", all.join(", ")),
    }
}

/// An expression of another store that begins like this one.
fn copied(from: &Exprs, root: ExprId, to: &mut Exprs) -> ExprId {
    let mut order = Vec::new();
    from.visit(root, |id, node| order.push((id, node)));
    let mut known: rustc_hash::FxHashMap<ExprId, ExprId> = rustc_hash::FxHashMap::default();
    for (id, node) in order {
        let ty = from.ty(id);
        let new = match node {
            Expr::Const { .. } => to.bits(ty, from.constant(id).expect("the node is a constant")),
            Expr::Var(var) => to.var(var, ty),
            Expr::Addr(var) => to.addr(var),
            Expr::Function(function) => to.function(function),
            Expr::Load(pointer) => to.load(known[&pointer], ty),
            Expr::Unary(op, a) => to.unary(op, known[&a]),
            Expr::Binary(op, a, b) => to.binary(op, known[&a], known[&b]),
            Expr::Cast(a) => to.cast(known[&a], ty),
            Expr::Ite(a, b, c) => to.ite(known[&a], known[&b], known[&c]),
            Expr::Living(question) => to.living(question.about(|pointer| known[&pointer])),
        };
        known.insert(id, new);
    }
    known[&root]
}
