//! The check by a solver that sets are inductive, alone or alongside values: what is known at every cut point of the program (loop heads, entries
//! and exits of functions, after calls; each with its call stack) as a formula, and one query per cut point.
//!
//! From the states of the formula at a cut point, along all paths to the next ones, 1. no target and no C that is not
//! modelled is reached; 2. the formulas of the cut points that are reached hold. Since calls are part of a cut point,
//! nothing is forgotten, and for sets alone a refutation is final.

use crate::inductive::{Confirmed, is_too_large};
use analysis::{Move, Place, Stacks, Step};
use base::{Cancel, Stopped};
use cfa::{BinOp, Expr, ExprId, Exprs, Node, Op};
use encode::{Addressing, Encoder, MemoryModel, PathFormula, stop_of};
use flow::{Loops, Prepared};
use smt::{Answer, Backend, TermId};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use verdict::Stop;

/// Paths that a query asks about at a time: one query for all is hard, one for each starts over too often.
const TOGETHER: usize = 30;

/// Formulas at cut points.
pub struct Obligations<'a> {
    program: &'a Prepared,
    loops: Arc<Loops>,
    after_calls: HashSet<Node>,
    model: Arc<MemoryModel>,
}

/// What is known at the cut points: formulas in a store of expressions. What is missing is not reached.
pub struct Known<'a> {
    pub exprs: &'a Exprs,
    /// Whether the formulas say all that the states say. If not, a refutation means nothing.
    pub complete: bool,
    pub formulas: &'a BTreeMap<Place, ExprId>,
}

impl<'a> Obligations<'a> {
    pub fn new(program: &'a Prepared, model: &Arc<MemoryModel>) -> Self {
        let calls = program.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Call { .. }));
        Self {
            program,
            loops: program.loops(),
            after_calls: calls.map(|(_, edge)| edge.to).collect(),
            model: model.clone(),
        }
    }

    /// Whether paths are cut at a location.
    pub fn is_cut(&self, node: Node) -> bool {
        let function = &self.program.functions[self.program.nodes[node].function];
        node == function.entry
            || node == function.exit
            || self.loops.headed_by(node).is_some()
            || self.after_calls.contains(&node)
    }

    /// Asks for every cut point in turn.
    pub fn check(
        &self,
        known: &Known,
        stacks: &mut Stacks,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<Confirmed, Stop> {
        debug_assert!(known.formulas.keys().all(|place| self.is_cut(place.node)), "formulas belong to cut points");
        if self.is_recursive() {
            return Ok(Confirmed::NotTried("the program is recursive"));
        }
        if is_too_large(known.exprs, known.formulas.values().copied()) {
            return Ok(Confirmed::NotTried("they are too large"));
        }
        if self.multiplies() {
            return Ok(Confirmed::NotTried("the program multiplies or divides"));
        }
        for &place in known.formulas.keys() {
            match self.holds(place, known, stacks, backend, cancel) {
                Ok(Some(true)) => {}
                Ok(Some(false)) if known.complete => {
                    return Err(Stop::Evidence(format!("a solver refutes the set at {}", place.node)));
                }
                Ok(Some(false)) => {
                    return Ok(Confirmed::NotTried("they say less than the states that they stand for"));
                }
                Ok(None) => return Ok(Confirmed::NotTried("they mention memory that the formulas have no name for")),
                Err(Stop::Limit(Stopped::Time)) => return Ok(Confirmed::NotTried("it took too long")),
                Err(Stop::Limit(limit)) => return Err(limit.into()),
                Err(_) => return Ok(Confirmed::NotTried("the solver gave up")),
            }
        }
        Ok(Confirmed::Yes)
    }

    fn is_recursive(&self) -> bool {
        let calls = self.program.calls();
        self.program.functions.ids().any(|id| calls.is_reachable(id) && calls.is_recursive(id))
    }

    /// Whether some operand is multiplied or divided: the solver may take long for that, and hears of limits late.
    fn multiplies(&self) -> bool {
        let exprs = &self.program.exprs;
        let mut found = false;
        for root in self.program.edges.iter().flat_map(|(_, edge)| edge.op.operands()) {
            exprs.visit(root, |_, expr| {
                found |= matches!(expr, Expr::Binary(BinOp::Mul | BinOp::Div | BinOp::Rem, ..));
            });
        }
        found
    }

    /// Whether all is well one segment after a cut point; `None` if that cannot be said.
    fn holds(
        &self,
        start: Place,
        known: &Known,
        stacks: &mut Stacks,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<Option<bool>, Stop> {
        let mut encoder = Encoder::new(self.program, self.model.clone(), Addressing::Fixed);
        let first = if start == stacks.start(self.program) { encoder.initial() } else { PathFormula::start(1) };
        let Some(formula) = encoder.import(known.exprs, known.formulas[&start]) else { return Ok(None) };
        let assumed = encoder.eval(&mut first.clone(), formula, 0);
        let (mut failures, mut steps) = (Vec::new(), Vec::new());
        let mut waiting: BTreeMap<(u32, Node), PathFormula> = BTreeMap::new();
        waiting.insert((self.loops.position(start.node), start.node), first);
        while let Some(((position, node), path)) = waiting.pop_first() {
            cancel.check()?;
            stacks.steps(self.program, Place { node, stack: start.stack }, &mut steps);
            for step in steps.drain(..) {
                let Some(next) = self.follow(&mut encoder, &path, &step) else { continue };
                let stops = matches!(self.program.edges[step.edge].op, Op::Unsupported(_));
                if stops || self.program.target_at(step.to.node).is_some() {
                    failures.push(encoder.guards.formula(&mut encoder.terms, next.guard)); // 1
                } else if self.is_cut(step.to.node) {
                    let Some(failure) = self.failure(&mut encoder, &next, &step, known) else { return Ok(None) };
                    failures.push(failure); // 2
                } else {
                    let key = (self.loops.position(step.to.node), step.to.node);
                    debug_assert!(position < key.0, "between cut points control moves forward");
                    let merged = waiting.get(&key).map_or_else(|| next.clone(), |other| encoder.merge(other, &next));
                    waiting.insert(key, merged);
                }
            }
        }
        for group in failures.chunks(TOGETHER) {
            let failure = encoder.terms.or(group.to_vec());
            if encoder.terms.as_bool(failure) == Some(false) {
                continue;
            }
            let mut solver = backend.solver();
            // What is asserted is simplified with what is asserted alongside it.
            for term in encoder.definitions(0).collect::<Vec<_>>().into_iter().chain([assumed, failure]) {
                solver.assert(&encoder.terms, term);
            }
            if solver.check_assuming(&encoder.terms, &[], cancel).map_err(stop_of)? != Answer::Unsat {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }

    fn follow(&self, encoder: &mut Encoder, path: &PathFormula, step: &Step) -> Option<PathFormula> {
        match step.kind {
            Move::Enter => Some(encoder.enter(path.clone(), step.edge, step.from_depth, step.to_depth)),
            Move::Leave => Some(encoder.leave(path.clone(), step.edge, step.to_depth, step.from_depth)),
            Move::Edge | Move::Over => match self.program.edges[step.edge].op {
                Op::Unsupported(_) => Some(path.clone()),
                _ => encoder.step(path.clone(), step.edge, step.from_depth),
            },
        }
    }

    /// The path is taken, and the formula at its end does not hold.
    fn failure(&self, encoder: &mut Encoder, path: &PathFormula, step: &Step, known: &Known) -> Option<TermId> {
        let taken = encoder.guards.formula(&mut encoder.terms, path.guard);
        let Some(&formula) = known.formulas.get(&step.to) else { return Some(taken) };
        let formula = encoder.import(known.exprs, formula)?;
        let holds = encoder.eval(&mut path.clone(), formula, 0);
        let fails = encoder.terms.not(holds);
        Some(encoder.terms.and([taken, fails]))
    }
}
