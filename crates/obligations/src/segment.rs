//! Executions between two visits of loop heads. Calls are followed into their functions, so a place is a node and the
//! calls that led there; recursion is followed up to a depth. Executions that meet at a node become one state.

use crate::frames::{begin, call, leave, meet, merge, runs};
use crate::skip::{Effects, skip};
use base::{Cancel, Span};
use cfa::{EdgeId, ExprId, Exprs, FunctionId, Node, Op, Program};
use flow::{CallGraph, Loops};
use reference::{Encoder, Refusal, SymbolicState};
use smt::{Sort, TermId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Recursion with more calls inside each other than this counts as an error, so that it comes to an end.
const DEEPEST: usize = 60;

/// Programs with more calls inside each other than this are refused, recursive or not.
const MOST_FRAMES: usize = 4000;

/// A loop head and the calls that led to it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cut {
    /// The calls, the first one first.
    pub calls: Vec<EdgeId>,
    /// The loop head.
    pub node: Node,
}

/// Where executions are when they come to a loop head.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// Where.
    pub cut: Cut,
    /// In which state.
    pub state: SymbolicState,
}

/// Where executions go.
#[derive(Clone, Debug, Default)]
pub(crate) struct SegmentEnds {
    /// The loop heads they come to next.
    pub arrivals: Vec<Arrival>,
    /// Targets and C that is not modelled: where, and when executions come there.
    pub errors: Vec<(Span, TermId)>,
}

/// Follows executions, in one formula.
pub(crate) struct Follower<'p> {
    pub encoder: Encoder<'p>,
    program: &'p Program,
    loops: &'p Loops,
    targets: BTreeSet<Node>,
    /// Functions whose calls are left out, and what these may change.
    skipped: Rc<BTreeMap<FunctionId, Effects>>,
}

impl<'p> Follower<'p> {
    /// An empty formula about a program.
    pub fn new(
        program: &'p Program,
        loops: &'p Loops,
        skipped: &Rc<BTreeMap<FunctionId, Effects>>,
        cancel: &Cancel,
    ) -> Self {
        Follower {
            encoder: Encoder::new(program, cancel),
            program,
            loops,
            targets: program.targets.iter().map(|target| target.node).collect(),
            skipped: skipped.clone(),
        }
    }

    /// The start of the program, or anything that may be at a loop head.
    pub fn begin(&self, cut: Option<&Cut>) -> Arrival {
        let state = begin(&self.encoder, cut.map(|cut| &cut.calls[..]));
        let start = Cut { calls: Vec::new(), node: self.program.functions[self.program.entry].entry };
        Arrival { cut: cut.cloned().unwrap_or(start), state }
    }

    /// Evaluates a condition of the innermost function at an arrival.
    pub fn condition(&self, arrival: &Arrival, exprs: &Exprs, condition: ExprId) -> TermId {
        self.encoder.place.set(place(self.program, arrival.cut.node));
        self.encoder.eval(exprs, &arrival.state, condition).bits
    }

    /// Follows executions until they come to loop heads.
    pub fn run(&self, from: Arrival) -> Result<SegmentEnds, Refusal> {
        let mut out = SegmentEnds::default();
        let (mut node, mut state) = (from.cut.node, from.state);
        loop {
            let Some(mut left) = self.body(node, state, &mut out)? else { return Ok(out) };
            if left.frames.len() == 1 {
                return Ok(out);
            }
            node = leave(&self.encoder, &mut left);
            if self.is_head(node) {
                self.arrive(node, left, &mut out);
                return Ok(out);
            }
            state = left;
        }
    }

    fn is_head(&self, node: Node) -> bool {
        self.loops.headed_by(node).is_some()
    }

    /// Executions of the innermost function from a node on; the state where it returns.
    fn body(&self, start: Node, state: SymbolicState, out: &mut SegmentEnds) -> Result<Option<SymbolicState>, Refusal> {
        let exit = self.program.functions[self.program.nodes[start].function].exit;
        let mut waiting: BTreeMap<u32, (Node, SymbolicState)> = BTreeMap::new();
        waiting.insert(self.loops.position(start), (start, state));
        let mut left = None;
        while let Some((_, (node, state))) = waiting.pop_first() {
            self.encoder.check()?;
            if node == exit {
                left = Some(state);
                continue;
            }
            for (edge, guard) in self.branches(node, &state) {
                let mut next = state.clone();
                next.guard = guard;
                let Some(next) = self.follow(edge, next, out)? else { continue };
                let to = self.program.edges[edge].to;
                if self.encoder.terms.as_bool(next.guard) == Some(false) {
                    continue;
                }
                if self.targets.contains(&to) {
                    out.errors.push((self.program.edges[edge].span, next.guard));
                } else if self.is_head(to) {
                    self.arrive(to, next, out);
                } else {
                    let place = self.loops.position(to);
                    let met = match waiting.remove(&place) {
                        Some((_, before)) => merge(&self.encoder, before, next),
                        None => next,
                    };
                    waiting.insert(place, (to, met));
                }
            }
        }
        Ok(left)
    }

    fn arrive(&self, node: Node, state: SymbolicState, out: &mut SegmentEnds) {
        let calls = state.frames.iter().filter_map(|frame| frame.call).collect();
        self.meet(&mut out.arrivals, Arrival { cut: Cut { calls, node }, state });
    }

    /// Adds an arrival to others; those at one place, in the same frames, become one.
    pub fn meet(&self, all: &mut Vec<Arrival>, new: Arrival) {
        match all.iter().position(|old| old.cut == new.cut && meet(&old.state, &new.state)) {
            Some(at) => {
                let old = all.swap_remove(at);
                let state = merge(&self.encoder, old.state, new.state);
                all.push(Arrival { state, ..new });
            }
            None => all.push(new),
        }
    }

    /// The edges that leave a node and when they are taken. Where conditions do not exclude each other, a variable
    /// chooses, so that no execution hides another.
    fn branches(&self, node: Node, state: &SymbolicState) -> Vec<(EdgeId, TermId)> {
        let t = &self.encoder.terms;
        let condition = |edge: EdgeId| match self.program.edges[edge].op {
            Op::Assume(condition) => {
                self.encoder.place.set(self.program.edges[edge].span);
                self.encoder.eval(&self.program.exprs, state, condition).bits
            }
            _ => t.truth(),
        };
        let mut taken: Vec<(EdgeId, TermId)> = self.program.leaving(node).map(|edge| (edge, condition(edge))).collect();
        let exclusive = matches!(taken[..], [(_, a), (_, b)] if t.not(a) == b);
        if let ([choices @ .., (_, last)], false) = (&mut taken[..], exclusive) {
            let mut rest = t.truth();
            for (_, condition) in choices {
                let choice = t.fresh_var("choice", Sort::Bool);
                *condition = t.and([rest, choice, *condition]);
                rest = t.and([rest, t.not(choice)]);
            }
            *last = t.and([rest, *last]);
        }
        taken.into_iter().map(|(edge, condition)| (edge, t.and([state.guard, condition]))).collect()
    }

    /// One edge. `None`: executions end there, or in a loop of a function that is called.
    fn follow(
        &self,
        edge: EdgeId,
        mut state: SymbolicState,
        out: &mut SegmentEnds,
    ) -> Result<Option<SymbolicState>, Refusal> {
        if self.encoder.terms.as_bool(state.guard) == Some(false) {
            return Ok(None);
        }
        let span = self.program.edges[edge].span;
        let function = match self.program.edges[edge].op {
            Op::Call { function, .. } => function,
            Op::Halt(_) => return Ok(None),
            Op::Unsupported(_) => {
                out.errors.push((span, state.guard));
                return Ok(None);
            }
            _ => {
                self.encoder.step(edge, &mut state);
                return Ok(Some(state));
            }
        };
        if let Some(effects) = self.skipped.get(&function) {
            skip(&self.encoder, edge, &mut state, effects);
            return Ok(Some(state));
        }
        if state.frames.len() > DEEPEST && runs(self.program, &state, function) {
            out.errors.push((span, state.guard));
            // Deeper calls need not lead to an error.
            self.encoder.inexact.set(true);
            return Ok(None);
        }
        if state.frames.len() > MOST_FRAMES {
            return Err(Refusal::Large("calls lie inside each other too deeply"));
        }
        call(&self.encoder, edge, &mut state);
        let entry = self.program.functions[function].entry;
        if self.is_head(entry) {
            self.arrive(entry, state, out);
            return Ok(None);
        }
        let left = self.body(entry, state, out)?;
        Ok(left.map(|mut left| {
            leave(&self.encoder, &mut left);
            left
        }))
    }
}

/// The source position of a node: that of an edge there.
pub(crate) fn place(program: &Program, node: Node) -> Span {
    let edge = program.leaving(node).next().or_else(|| program.entering(node).first().copied());
    edge.map_or(program.functions[program.nodes[node].function].span, |edge| program.edges[edge].span)
}

/// All loop heads that executions of a program without recursion come to, each with the calls that lead there, of which
/// some are `followed`.
pub(crate) fn cuts(
    program: &Program,
    loops: &Loops,
    calls: &CallGraph,
    followed: impl Fn(FunctionId) -> bool,
    most: usize,
) -> Result<Vec<Cut>, Refusal> {
    let mut all = Vec::new();
    let mut waiting = vec![(program.entry, Vec::new())];
    let mut visits = 0;
    while let Some((function, path)) = waiting.pop() {
        visits += 1;
        if visits > 10 * most || all.len() > most {
            return Err(Refusal::Large("there are too many ways to call functions with loops"));
        }
        let heads = loops.loops.iter().map(|(_, one)| one).filter(|one| one.function == function);
        all.extend(heads.map(|one| Cut { calls: path.clone(), node: one.head }));
        for &(edge, callee) in calls.calls(function) {
            if !followed(callee) {
                continue;
            }
            let mut longer: Vec<EdgeId> = path.clone();
            longer.push(edge);
            waiting.push((callee, longer));
        }
    }
    all.sort();
    Ok(all)
}
