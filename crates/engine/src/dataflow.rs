//! Interprocedural data-flow analysis by chaotic iteration in the order of the automata [Bou93], with widening at loop
//! heads and at functions that are called from several places, then narrowing [CC77]. One state per location: what a
//! function knows is joined over its callers, what a caller knows of its locals survives the call.

use analysis::Ranks;
use analysis::dataflow::FlowDomain;
use base::{Cancel, Counters, IdVec};
use cfa::{Node, Op};
use flow::{CallGraph, Prepared};
use std::collections::BTreeSet;
use std::sync::Arc;
use verdict::{Goals, Proof, Stop, Verdict};

/// Joins at a widening point before the first widening.
const DELAY: u32 = 3;
/// Descending passes.
const NARROWINGS: usize = 2;

/// The solution: what is known at every location; `None` where control never is.
pub type Solution<S> = IdVec<Node, Option<S>>;

/// Solves the data-flow equations of the program.
pub fn solve<D: FlowDomain>(program: &Prepared, domain: &D, cancel: &Cancel) -> Result<Solution<D::State>, Stop> {
    let mut solver = Solver {
        program,
        domain,
        calls: program.calls(),
        states: IdVec::filled(program.nodes.len(), None),
        joins: IdVec::filled(program.nodes.len(), 0),
        widening: IdVec::filled(program.nodes.len(), false),
    };
    solver.choose_widening_points();
    let ranks = Ranks::new(program);
    solver.ascend(&ranks, cancel)?;
    let mut order: Vec<Node> = program.nodes.ids().filter(|&node| solver.states[node].is_some()).collect();
    order.sort_by_key(|&node| ranks.of(node));
    for _ in 0..NARROWINGS {
        solver.descend(&order, cancel)?;
    }
    Ok(solver.states)
}

/// Proves what the data-flow analysis alone can prove, perhaps for each target separately.
pub fn decide<D: FlowDomain>(
    (program, goals): (&Prepared, &mut Goals),
    domain: &D,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    prove((program, goals), domain, cancel, counters).into()
}

fn prove<D: FlowDomain>(
    (program, goals): (&Prepared, &mut Goals),
    domain: &D,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let states = solve(program, domain, cancel)?;
    for (node, _) in states.iter().filter(|(_, state)| state.is_some()) {
        counters.trail.reach(node);
    }
    counters.add("reached", states.iter().filter(|(_, state)| state.is_some()).count() as u64);
    for target in program.targets.iter().filter(|target| states[target.node].is_some()) {
        let what = "the data-flow analysis cannot exclude that the target is reached".to_owned();
        goals.leave(goals.question(target.node), Stop::Undecided { what, span: target.span })?;
    }
    for (_, edge) in program.edges.iter() {
        if states[edge.from].is_none() {
            continue;
        }
        if let Op::Unsupported(what) = &edge.op {
            return Err(Stop::Unsupported { what: program.text(*what).to_owned(), span: edge.span });
        }
        if let Op::CallPointer { .. } = &edge.op {
            return Err(Stop::Unsupported { what: "call through a pointer".to_owned(), span: edge.span });
        }
    }
    check(program, domain, &states)?;
    debug_assert!(states[program.functions[program.entry].entry].is_some(), "control is at the start");
    let mut exprs = program.exprs.clone();
    let heads = program.nodes.iter().filter(|(_, info)| info.loop_head);
    let invariants = heads
        .map(|(node, _)| {
            let invariant = match &states[node] {
                Some(state) => domain.invariant(state, &mut exprs),
                None => exprs.bool(false),
            };
            (node, invariant)
        })
        .collect();
    let checked = "Every edge was checked to lead from the states at its start into those at its end.".to_owned();
    Ok(Proof { exprs, invariants, checked, ..Proof::default() })
}

/// The solution is a post-fixpoint: it holds at the start, and every edge leads into it.
pub fn check<D: FlowDomain>(program: &Prepared, domain: &D, states: &Solution<D::State>) -> Result<(), Stop> {
    let inside = |node: Node, state: &D::State| states[node].as_ref().is_some_and(|known| domain.leq(state, known));
    let failed = |node: Node| Err(Stop::Evidence(format!("the data-flow solution is not inductive at {node}")));
    let entry = program.functions[program.entry].entry;
    if !inside(entry, &domain.initial()) {
        return failed(entry);
    }
    for (id, edge) in program.edges.iter() {
        let Some(before) = &states[edge.from] else { continue };
        if let Op::Call { function, .. } = &edge.op {
            let callee = &program.functions[*function];
            if !inside(callee.entry, &domain.enter(before, id)) {
                return failed(callee.entry);
            }
            if let Some(exit) = &states[callee.exit]
                && !inside(edge.to, &domain.leave(before, id, exit))
            {
                return failed(edge.to);
            }
        } else if domain.post(before, id).is_some_and(|after| !inside(edge.to, &after)) {
            return failed(edge.to);
        }
    }
    Ok(())
}

struct Solver<'p, D: FlowDomain> {
    program: &'p Prepared,
    domain: &'p D,
    calls: Arc<CallGraph>,
    states: Solution<D::State>,
    joins: IdVec<Node, u32>,
    widening: IdVec<Node, bool>,
}

impl<D: FlowDomain> Solver<'_, D> {
    /// Every cycle of the equations runs through a loop head, through a function with several callers, whose exit
    /// flows back to all of them, or from the exit of a recursive function to the point after a call and on to an exit.
    fn choose_widening_points(&mut self) {
        for (node, info) in self.program.nodes.iter() {
            self.widening[node] = info.loop_head;
        }
        for (id, function) in self.program.functions.iter() {
            if self.calls.callers(id).len() > 1 || self.calls.is_recursive(id) {
                self.widening[function.entry] = true;
            }
            self.widening[function.exit] |= self.calls.is_recursive(id);
        }
    }

    fn ascend(&mut self, ranks: &Ranks, cancel: &Cancel) -> Result<(), Stop> {
        let entry = self.program.functions[self.program.entry].entry;
        let mut waiting = BTreeSet::from([(ranks.of(entry), entry)]);
        self.states[entry] = Some(self.domain.initial());
        while let Some((_, node)) = waiting.pop_first() {
            cancel.check()?;
            for (to, state) in self.successors(node) {
                if self.update(to, state) {
                    waiting.insert((ranks.of(to), to));
                }
            }
        }
        Ok(())
    }

    fn successors(&self, node: Node) -> Vec<(Node, D::State)> {
        let Some(state) = &self.states[node] else { return Vec::new() };
        let mut next = Vec::new();
        for id in self.program.leaving(node) {
            let edge = &self.program.edges[id];
            if let Op::Call { function, .. } = &edge.op {
                let callee = &self.program.functions[*function];
                next.push((callee.entry, self.domain.enter(state, id)));
                if let Some(exit) = &self.states[callee.exit] {
                    next.push((edge.to, self.domain.leave(state, id, exit)));
                }
            } else {
                next.extend(self.domain.post(state, id).map(|after| (edge.to, after)));
            }
        }
        let function = self.program.nodes[node].function;
        if self.program.functions[function].exit == node {
            for &(call, _) in self.calls.callers(function) {
                let edge = &self.program.edges[call];
                if let Some(before) = &self.states[edge.from] {
                    next.push((edge.to, self.domain.leave(before, call, state)));
                }
            }
        }
        next
    }

    /// Whether the state at the node grew.
    fn update(&mut self, node: Node, new: D::State) -> bool {
        let grown = match &self.states[node] {
            None => new,
            Some(old) if self.domain.leq(&new, old) => return false,
            Some(old) => {
                self.joins[node] += 1;
                let joined = self.domain.join(old, &new);
                debug_assert!(self.domain.leq(old, &joined) && self.domain.leq(&new, &joined), "a join is above both");
                let grown = match self.widening[node] && self.joins[node] > DELAY {
                    true => self.domain.widen(old, &joined),
                    false => joined,
                };
                debug_assert!(self.domain.leq(old, &grown) && self.domain.leq(&new, &grown), "states only grow");
                grown
            }
        };
        self.states[node] = Some(grown);
        true
    }

    /// One pass that recomputes every state from its predecessors. Each state stands for all concrete states at its
    /// location before and after, so meeting the two is sound whether or not the domain's operations are monotone.
    fn descend(&mut self, order: &[Node], cancel: &Cancel) -> Result<(), Stop> {
        for &node in order {
            cancel.check()?;
            if let Some(old) = &self.states[node] {
                self.states[node] = self.incoming(node).and_then(|new| self.domain.meet(old, &new));
            }
        }
        Ok(())
    }

    fn incoming(&self, node: Node) -> Option<D::State> {
        let info = self.program.nodes[node];
        let function = &self.program.functions[info.function];
        let mut all = Vec::new();
        if node == function.entry {
            if info.function == self.program.entry {
                all.push(self.domain.initial());
            }
            for &(call, _) in self.calls.callers(info.function) {
                let before = self.states[self.program.edges[call].from].as_ref();
                all.extend(before.map(|before| self.domain.enter(before, call)));
            }
        }
        for &id in self.program.entering(node) {
            let edge = &self.program.edges[id];
            let Some(before) = &self.states[edge.from] else { continue };
            if let Op::Call { function, .. } = &edge.op {
                let exit = self.states[self.program.functions[*function].exit].as_ref();
                all.extend(exit.map(|exit| self.domain.leave(before, id, exit)));
            } else {
                all.extend(self.domain.post(before, id));
            }
        }
        all.into_iter().reduce(|a, b| self.domain.join(&a, &b))
    }
}
