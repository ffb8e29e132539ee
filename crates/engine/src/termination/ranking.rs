//! Measures for all loops and recursive functions [PR04, CPR06]: each step from one visit of a loop head to the next, and
//! each call from one activation of a recursive function to the next, decreases a lexicographic measure. Supporting
//! facts come from data-flow analyses and from elimination of guesses; they are asked for as long as something is open.

mod recursion;

use super::lexicographic::{self, Transition};
use super::measure::{Guesses, Measure};
use super::monotone::{self, Direction, Directions};
use super::walk::Walker;
use crate::facts::{FactSource, Facts};
use base::{Budget, Cancel, Counters, Span, Stopped};
use cfa::{BinOp, Expr, ExprId, Exprs, FunctionId, FunctionKind, Node, Op, Program, VarId};
use encode::{Encoder, MemoryModel, unsupported};
use flow::{CallGraph, LoopId, Loops, Prepared};
use smt::{Backend, Solver, TermId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use verdict::{Argument, Measured, Proof, Stop};

/// Cases are told apart by so many variables at most.
const MOST_STABLE: usize = 3;

/// A variable and how it changes.
type Directed = (VarId, Direction);
/// Steps, under which condition they are all of them, and the guesses that decrease in them.
type Case = (Vec<Transition>, Option<String>, Vec<usize>);

/// All about one round of a loop or recursion.
struct Step {
    transitions: Vec<Transition>,
    measures: Vec<Measure>,
    /// Signed numbers that it does not change and that others are computed from.
    stable: Vec<(String, TermId)>,
    directions: Vec<Directed>,
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
    let model = encode::memory_model(program, cancel)?;
    let mut ranking = Ranking {
        program,
        loops: &loops,
        calls: &calls,
        model,
        backend,
        facts: Vec::new(),
        directions: Directions::new(),
        proved: BTreeMap::new(),
    };
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
            let limited = if round + 1 < sources.len() { cancel.within(Budget::Measure) } else { cancel.child(None) };
            match ranking.discharge(obligation, &limited) {
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

impl Ranking<'_> {
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
    fn discharge(&mut self, obligation: Obligation, cancel: &Cancel) -> Result<bool, Stop> {
        let (directions, measured) = self.attempt(obligation, cancel)?;
        if let Obligation::Loop(id) = obligation
            && !directions.is_empty()
        {
            self.directions.insert(id, directions);
        }
        let found = measured.is_some();
        self.proved.extend(measured.map(|measured| (obligation, measured)));
        Ok(found)
    }

    fn attempt(&self, obligation: Obligation, cancel: &Cancel) -> Result<(Vec<Directed>, Option<Measured>), Stop> {
        let mut walker = self.walker(cancel);
        let step = match obligation {
            Obligation::Loop(id) => self.iteration(&mut walker, id, cancel)?,
            Obligation::Recursion(function) => self.recursion(&mut walker, function)?,
        };
        let encoder = &mut walker.encoder;
        let cases = self.cases(encoder, &step, cancel)?;
        let mut second = self.solver(encoder);
        for (transitions, _, chosen) in &cases {
            if !lexicographic::confirm(encoder, &mut *second, transitions, chosen, cancel)? {
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
        let quoted = |at: &usize| format!("`{}`", step.measures[*at].text(&named));
        let bound = match (obligation, cases.as_slice()) {
            (Obligation::Loop(_), [(_, _, none)]) if none.is_empty() => Some("1".to_owned()),
            (Obligation::Loop(_), [(transitions, _, only)]) if only.len() == 1 => {
                let least = lexicographic::least(&mut walker.encoder, &mut *second, transitions, only[0], cancel)?;
                let text = step.measures[only[0]].text(&named);
                least.map(|least| if least > 0 { text } else { format!("{text} + 1") })
            }
            (Obligation::Loop(_) | Obligation::Recursion(_), _) => None,
        };
        let mut reasons = Vec::new();
        let mut measure: Vec<String> = Vec::new();
        for (_, place, chosen) in &cases {
            let texts: Vec<String> = chosen.iter().map(quoted).collect();
            let what = decrease(obligation, &texts);
            reasons.push(place.as_ref().map_or(what.clone(), |place| format!("where `{place}`, {what}")));
            measure.extend(texts.into_iter().filter(|text| !measure.contains(text)).collect::<Vec<_>>());
        }
        let sentence = format!("{} ends: {}", self.name(obligation), reasons.join("; "));
        let (node, span) = (self.node(obligation), self.place(obligation));
        let ranked = match cases.as_slice() {
            [(_, None, chosen)] => {
                chosen.iter().map(|&at| step.measures[at].ranked(&named)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        let ranked = ranked.unwrap_or_default();
        Ok((step.directions, Some(Measured { node, span, measure, sentence, bound, ranked })))
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
        if let Some(chosen) = lexicographic::choose(encoder, &mut *solver, &step.transitions, cancel)? {
            return Ok(vec![(step.transitions.clone(), None, chosen)]);
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
                match lexicographic::choose(encoder, &mut *solver, &transitions, cancel)? {
                    Some(chosen) => cases.push((transitions, Some(format!("{name} {sign}")), chosen)),
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

    fn iteration(&self, walker: &mut Walker, id: LoopId, cancel: &Cancel) -> Result<Step, Stop> {
        let Some((mut start, mut next)) = walker.iteration(id)? else {
            return Ok(Step {
                transitions: Vec::new(),
                measures: Vec::new(),
                stable: Vec::new(),
                directions: Vec::new(),
            });
        };
        let function = self.loops.loops[id].function;
        let members = self.loops.members(id);
        let inside = members.iter().flat_map(|&node| self.program.leaving(node));
        let ops: Vec<&Op> = inside.map(|edge| &self.program.edges[edge].op).collect();
        let encoder = &mut walker.encoder;
        let mut exprs = std::mem::take(&mut encoder.exprs);
        let mut guesses = Guesses::new(self.program, &mut exprs);
        let here = |var: VarId| self.program.vars[var].function.is_none_or(|owner| owner == function);
        guesses.add(ops.iter().copied(), here);
        let measures = guesses.finish();
        encoder.exprs = exprs;
        let guard = encoder.guards.formula(&mut encoder.terms, next.guard);
        let mut values = Vec::new();
        for measure in &measures {
            let width = measure.width(encoder);
            let now = measure.value(encoder, &mut start, 0, width);
            values.push((now, measure.value(encoder, &mut next, 0, width)));
        }
        let mut stable = Vec::new();
        for var in summands(self.program, &ops).into_iter().filter(|&var| here(var)) {
            let value = monotone::variable(self.program, encoder, var);
            let now = encoder.eval(&mut start, value, 0);
            if now == encoder.eval(&mut next, value, 0) {
                stable.push((self.program.var_name(var).to_owned(), now));
            }
        }
        stable.truncate(MOST_STABLE);
        // The loop is seen as a whole by loops around it, and by callers, which may be in loops.
        let directions = if self.loops.loops[id].parent.is_some() || self.calls.callers(function).len() > 1 {
            let mut solver = self.solver(encoder);
            let place = (self.program, self.loops, id);
            monotone::directions(place, encoder, (&start, &next), &mut *solver, cancel)?
        } else {
            Vec::new()
        };
        Ok(Step { transitions: vec![Transition { guard, values }], measures, stable, directions })
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

/// How a measure decreases, in words.
fn decrease(obligation: Obligation, texts: &[String]) -> String {
    let each = match obligation {
        Obligation::Loop(_) => "in every iteration",
        Obligation::Recursion(_) => "with every call",
    };
    match texts {
        [] => "no step leads from one round of it to the next".to_owned(),
        [one] => format!("{one} decreases {each}"),
        all => format!("({}) decreases lexicographically {each}", all.join(", ")),
    }
}

/// Signed variables in values that operations assign.
fn summands(program: &Program, ops: &[&Op]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for op in ops {
        let Op::Assign(_, value) = op else { continue };
        program.exprs.visit(*value, |id, node| {
            if let Expr::Var(var) = node
                && program.exprs.ty(id).is_int()
                && program.exprs.ty(id).is_signed()
            {
                found.insert(var);
            }
        });
    }
    found
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
