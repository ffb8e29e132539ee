//! Measures for all loops and recursive functions [PR04, CPR06]: each step from one visit of a loop head to the next, and
//! each call from one activation of a recursive function to the next, decreases a lexicographic measure. Supporting
//! facts come from data-flow analyses and from elimination of guesses; they are asked for as long as something is open.

use super::lexicographic::{self, Transition};
use super::measure::{Guesses, Measure};
use super::walk::Walker;
use crate::facts::{FactSource, Facts};
use base::{Cancel, Counters, Span};
use cfa::{Allocation, BinOp, ExprId, Exprs, FunctionId, FunctionKind, Node, Op, Program, Scalar, VarId};
use encode::{Encoder, MemoryModel, unsupported};
use flow::{CallGraph, LoopId, Loops, Prepared};
use smt::Backend;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use verdict::{Argument, Measured, Proof, Stop, Verdict};

/// The most time for one loop, in rounds that have supporting facts still to come.
const PATIENCE: Duration = Duration::from_secs(4);

/// Something that has to end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Obligation {
    Loop(LoopId),
    /// A function and those that call each other with it.
    Recursion(FunctionId),
}

/// Proves that all executions end. `sources` give facts at nodes, the first one at all of them.
pub fn verify(
    program: &Program,
    backend: &dyn Backend,
    sources: &[FactSource],
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let Some(termination) = &program.termination else {
        return Verdict::Unknown(Stop::Bound("the question is not whether executions end".to_owned()));
    };
    let plain = &Prepared::new(Program::clone(&termination.plain));
    prove(plain, backend, sources, cancel, counters).map_or_else(Verdict::Unknown, Verdict::Safe)
}

fn prove(
    program: &Prepared,
    backend: &dyn Backend,
    sources: &[FactSource],
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let (loops, calls) = (program.loops(), program.calls());
    let model = encode::memory_model(program, cancel)?;
    let mut ranking =
        Ranking { program, loops: &loops, calls: &calls, model, backend, facts: Vec::new(), proved: BTreeMap::new() };
    let mut open = ranking.obligations();
    counters.add("loops and recursive functions", open.len() as u64);
    let mut why = BTreeMap::new();
    for (round, source) in sources.iter().enumerate() {
        counters.live.phase("supporting facts");
        match source(program, cancel) {
            Ok(facts) => ranking.facts.push(facts),
            Err(Stop::Limit(stopped)) => return Err(stopped.into()),
            Err(_) if round > 0 => continue,
            Err(stop) => return Err(stop),
        }
        if round == 0 {
            ranking.supported()?;
        }
        counters.live.phase("measures");
        let mut left = Vec::new();
        for obligation in open {
            cancel.check()?;
            let limited = if round + 1 < sources.len() { cancel.child(Some(PATIENCE)) } else { cancel.child(None) };
            match ranking.discharge(obligation, &limited) {
                Ok(true) => {}
                Ok(false) => {
                    why.insert(obligation, "no measure was found that decreases in every iteration".to_owned());
                    left.push(obligation);
                }
                Err(Stop::Limit(stopped)) if cancel.is_stopped() => return Err(stopped.into()),
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
        Some(first) => Err(ranking.undecided(*first, why.get(first).cloned().unwrap_or_default())),
    }
}

struct Ranking<'a> {
    program: &'a Program,
    loops: &'a Loops,
    calls: &'a CallGraph,
    model: Arc<MemoryModel>,
    backend: &'a dyn Backend,
    facts: Vec<Facts>,
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
        let mut walker = Walker::new(self.program, (self.loops, self.calls), &self.model, cancel);
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
        let mut walker = self.walker(cancel);
        let (transitions, measures) = match obligation {
            Obligation::Loop(id) => self.iteration(&mut walker, id)?,
            Obligation::Recursion(function) => self.recursion(&mut walker, function)?,
        };
        let encoder = &mut walker.encoder;
        let solver = |encoder: &Encoder| {
            let mut solver = self.backend.solver();
            encoder.definitions(0).for_each(|definition| solver.assert(&encoder.terms, definition));
            solver
        };
        let mut first = solver(encoder);
        let Some(chosen) = lexicographic::choose(encoder, &mut *first, &transitions, cancel)? else {
            return Ok(false);
        };
        let mut second = solver(encoder);
        if !lexicographic::confirm(encoder, &mut *second, &transitions, &chosen, cancel)? {
            return Err(Stop::Evidence("a fresh solver finds a step that does not decrease the measure".to_owned()));
        }
        let mut named = self.program.clone();
        named.exprs = walker.encoder.exprs.clone();
        let texts: Vec<String> = chosen.iter().map(|&at| format!("`{}`", measures[at].text(&named))).collect();
        let bound = match (obligation, chosen.as_slice()) {
            (Obligation::Loop(_), []) => Some("1".to_owned()),
            (Obligation::Loop(_), &[only]) => {
                let least = lexicographic::least(&mut walker.encoder, &mut *second, &transitions, only, cancel)?;
                let text = measures[only].text(&named);
                least.map(|least| if least > 0 { text } else { format!("{text} + 1") })
            }
            (Obligation::Loop(_) | Obligation::Recursion(_), _) => None,
        };
        let (sentence, measure) = (self.sentence(obligation, &texts), texts);
        let (node, span) = (self.node(obligation), self.place(obligation));
        self.proved.insert(obligation, Measured { node, span, measure, sentence, bound });
        Ok(true)
    }

    fn sentence(&self, obligation: Obligation, texts: &[String]) -> String {
        let what = self.name(obligation);
        match (obligation, texts) {
            (_, []) => format!("{what} ends: no step leads from one round of it to the next"),
            (Obligation::Loop(_), [one]) => format!("{what} ends: {one} decreases in every iteration"),
            (Obligation::Loop(_), all) => {
                format!("{what} ends: ({}) decreases lexicographically in every iteration", all.join(", "))
            }
            (Obligation::Recursion(_), [one]) => format!("{what} ends: {one} decreases with every call"),
            (Obligation::Recursion(_), all) => {
                format!("{what} ends: ({}) decreases lexicographically with every call", all.join(", "))
            }
        }
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
        Stop::Undecided { what, span: self.place(obligation) }
    }

    fn iteration(&self, walker: &mut Walker, id: LoopId) -> Result<(Vec<Transition>, Vec<Measure>), Stop> {
        let Some((mut start, mut next)) = walker.iteration(id)? else { return Ok((Vec::new(), Vec::new())) };
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
        Ok((vec![Transition { guard, values }], measures))
    }

    fn recursion(&self, walker: &mut Walker, first: FunctionId) -> Result<(Vec<Transition>, Vec<Measure>), Stop> {
        let members: Vec<FunctionId> =
            walker.component(first).into_iter().filter(|&member| self.calls.is_reachable(member)).collect();
        if self.allocates(&members) {
            // No object that a call allocates is gone while the next one runs, and nobody bounds how many there are.
            return Err(Stop::Bound("each call allocates memory, which may run out first".to_owned()));
        }
        let guesses = self.guess_calls(&mut walker.encoder, &members);
        let mut transitions = Vec::new();
        for &member in &members {
            let (start, calls) = walker.calls_of(member)?;
            for (callee, mut path) in calls.into_iter().filter(|(callee, _)| members.contains(callee)) {
                let encoder = &mut walker.encoder;
                let guard = encoder.guards.formula(&mut encoder.terms, path.guard);
                let mut values = Vec::new();
                for (before, behind) in guesses[&member].iter().zip(&guesses[&callee]) {
                    let width = before.width(encoder).max(behind.width(encoder));
                    let now = before.value(encoder, &mut start.clone(), 0, width);
                    values.push((now, behind.value(encoder, &mut path, 1, width)));
                }
                transitions.push(Transition { guard, values });
            }
        }
        Ok((transitions, guesses[&first].clone()))
    }

    /// Guesses for each of some functions that call each other; those with one number belong together.
    fn guess_calls(&self, encoder: &mut Encoder, members: &[FunctionId]) -> BTreeMap<FunctionId, Vec<Measure>> {
        let mut exprs = std::mem::take(&mut encoder.exprs);
        let mut all = BTreeMap::new();
        let most = members.iter().map(|&id| self.program.functions[id].params.len()).min().unwrap_or(0);
        for &member in members {
            let function = &self.program.functions[member];
            let params = &function.params;
            let is_number = |var: &VarId| self.program.register(*var).is_some_and(Scalar::is_int);
            let common =
                (0..most).filter(|&at| members.iter().all(|&id| is_number(&self.program.functions[id].params[at])));
            let values: Vec<ExprId> = common.map(|at| variable(self.program, &mut exprs, params[at])).collect();
            let globals: Vec<ExprId> =
                self.changed_globals(members).into_iter().map(|var| variable(self.program, &mut exprs, var)).collect();
            let mut guesses = Guesses::new(self.program, &mut exprs);
            guesses.variables(&values);
            guesses.sums(&values);
            guesses.variables(&globals);
            if members.len() == 1 {
                let inside = |op: &&cfa::Edge| self.program.nodes[op.from].function == member;
                let ops: Vec<&Op> =
                    self.program.edges.iter().map(|(_, edge)| edge).filter(inside).map(|edge| &edge.op).collect();
                let counts = |var: VarId| params.contains(&var) || self.program.vars[var].function.is_none();
                guesses.add(ops.iter().copied(), counts);
            }
            all.insert(member, guesses.finish());
        }
        encoder.exprs = exprs;
        all
    }

    /// Whether one of the functions takes memory from the heap itself.
    fn allocates(&self, members: &[FunctionId]) -> bool {
        let inside = |edge: &cfa::Edge| members.contains(&self.program.nodes[edge.from].function);
        let takes = |op: &Op| matches!(op, Op::Allocate { how, .. } if *how != Allocation::Stack);
        self.program.edges.iter().any(|(_, edge)| inside(edge) && takes(&edge.op))
    }

    /// Global integers that the functions change themselves.
    fn changed_globals(&self, members: &[FunctionId]) -> BTreeSet<VarId> {
        let edges = self.program.edges.iter().map(|(_, edge)| edge);
        let inside = edges.filter(|edge| members.contains(&self.program.nodes[edge.from].function));
        let counts = |var: &VarId| {
            self.program.vars[*var].function.is_none() && self.program.register(*var).is_some_and(Scalar::is_int)
        };
        inside.filter_map(|edge| edge.op.variable()).filter(counts).collect()
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
            "Each measure was put to a fresh solver, for one step from arbitrary states that the facts allow."
                .to_owned()
        };
        let invariants = invariants.into_iter().collect();
        let mut measures: Vec<Measured> = self.proved.values().cloned().collect();
        measures.sort_by_key(|one| one.span);
        Proof { exprs, invariants, checked, argument: Argument::Measures, measures, ..Proof::default() }
    }
}

fn variable(program: &Program, exprs: &mut Exprs, var: VarId) -> ExprId {
    let ty = program.register(var).expect("only registers are measured");
    exprs.var(var, ty)
}

/// An expression of another store that begins like this one.
fn copied(from: &Exprs, root: ExprId, to: &mut Exprs) -> ExprId {
    use cfa::Expr;
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
