//! Which calls a path has to enter: a path that the values do not exclude may be infeasible because of what happens
//! in the calls that it steps over.

use super::ValueAnalysis;
use super::aliases::Pointees;
use super::calls::Effects;
use super::precision::{Item, Precision};
use analysis::{Move, Step};
use base::Cancel;
use cfa::{Expr, ExprId, FunctionId, Op, VarId};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use verdict::Stop;

/// A function with more edges than this is not taken for a wrapper.
const LONGEST_WRAPPER: usize = 64;

/// What the rest of a path reads.
#[derive(Default)]
struct Needed {
    registers: FxHashSet<VarId>,
    memory: Vec<(Rc<Pointees>, Option<u64>)>,
    loads: FxHashSet<ExprId>,
}

impl Needed {
    /// Whether a call with these effects may change it.
    fn is_changed_by(&self, effects: &Effects) -> bool {
        let changed = |(pointees, size): &(Rc<Pointees>, Option<u64>)| {
            pointees.places().iter().any(|&(origin, offset)| match (size, offset.stride) {
                (Some(size), 0) => effects.writes_cell(origin, u64::try_from(offset.start).ok(), *size),
                (Some(_) | None, _) => effects.writes_cell(origin, None, 0),
            })
        };
        self.registers.iter().any(|&var| effects.writes_register(var)) || self.memory.iter().any(changed)
    }

    /// Whether a write may change it.
    fn is_changed_at(&self, written: &Pointees, size: Option<u64>) -> bool {
        let changed = |(pointees, read): &(Rc<Pointees>, Option<u64>)| {
            pointees.places().iter().any(|&(origin, offset)| {
                let exact = (offset.stride == 0).then_some(offset.start).filter(|_| read.is_some());
                written.may_touch(origin, exact, read.unwrap_or(0), size)
            })
        };
        self.memory.iter().any(changed)
    }
}

impl ValueAnalysis<'_> {
    /// Lets all functions be entered that may change an item.
    pub fn enter_writers(&mut self, precision: &mut Precision, item: Item) {
        if precision.entered.is_some() {
            precision.enter(self.calls.writers(self.store.program, &mut self.aliases, item));
        }
    }

    /// Lets calls be entered that a path steps over: those that may change what decides the path's branches, or end
    /// the execution; if there are none, all. The position of the first one.
    pub(super) fn enter_stepped_over(
        &mut self,
        precision: &mut Precision,
        path: &[Step],
        cancel: &Cancel,
    ) -> Result<Option<usize>, Stop> {
        let over: Vec<usize> =
            path.iter().enumerate().filter(|(_, step)| step.kind == Move::Over).map(|(at, _)| at).collect();
        let relevant = self.relevant_calls(path, over.first().copied().unwrap_or(path.len()), cancel)?;
        let chosen = if relevant.is_empty() { over } else { relevant };
        let callees: Vec<FunctionId> = chosen.iter().map(|&at| self.callee(path[at].edge)).collect();
        precision.enter(self.with_sources(callees));
        Ok(chosen.into_iter().min())
    }

    /// Functions, and those that they call for their results without a branch: only to enter a wrapper tells nothing.
    fn with_sources(&mut self, functions: Vec<FunctionId>) -> FxHashSet<FunctionId> {
        let mut found = FxHashSet::default();
        let mut waiting = functions;
        while let Some(function) = waiting.pop() {
            if found.insert(function) {
                waiting.extend(self.called_for_result(function));
            }
        }
        found
    }

    /// The functions whose results decide the result of a function that is one sequence of edges.
    fn called_for_result(&mut self, function: FunctionId) -> Vec<FunctionId> {
        let program = self.store.program;
        let (mut node, mut sequence) = (program.functions[function].entry, Vec::new());
        loop {
            let mut leaving = program.leaving(node);
            match (leaving.next(), leaving.next()) {
                (Some(edge), None) if sequence.len() < LONGEST_WRAPPER => {
                    sequence.push(edge);
                    node = program.edges[edge].to;
                }
                (None, _) => break,
                (Some(_), _) => return Vec::new(),
            }
        }
        let mut needed = Needed::default();
        needed.registers.extend(program.functions[function].result);
        let mut called = Vec::new();
        for &edge in sequence.iter().rev() {
            match program.edges[edge].op {
                Op::Return(Some(value)) => self.need(&mut needed, value),
                Op::Assign(var, value) if needed.registers.remove(&var) => self.need(&mut needed, value),
                Op::Call { function, result: Some(result), .. } if needed.registers.remove(&result) => {
                    called.push(function);
                }
                _ => {}
            }
        }
        called
    }

    /// The positions of calls that are stepped over, the first one at `first`, and may influence the path's branches: from
    /// a pass backwards.
    fn relevant_calls(&mut self, path: &[Step], first: usize, cancel: &Cancel) -> Result<Vec<usize>, Stop> {
        let program = self.store.program;
        let mut needed = Needed::default();
        let mut relevant = Vec::new();
        for (at, step) in path.iter().enumerate().skip(first).rev() {
            cancel.check()?;
            let op = &program.edges[step.edge].op;
            match (step.kind, op) {
                (Move::Over, Op::Call { function, result, .. }) => {
                    let result_needed = result.is_some_and(|result| needed.registers.contains(&result));
                    if result_needed || self.call_matters(&needed, *function) {
                        relevant.push(at);
                    }
                }
                (Move::Enter, Op::Call { function, args, .. }) => {
                    for (param, &arg) in program.functions[*function].params.iter().zip(args) {
                        if needed.registers.contains(param) {
                            self.need(&mut needed, arg);
                        }
                    }
                }
                (Move::Leave, Op::Call { function, result: Some(result), .. }) => {
                    if needed.registers.contains(result) {
                        needed.registers.extend(program.functions[*function].result);
                    }
                }
                (Move::Edge, op) => self.need_for(&mut needed, step, op),
                (Move::Over | Move::Enter | Move::Leave, _) => {}
            }
        }
        Ok(relevant)
    }

    fn call_matters(&mut self, needed: &Needed, function: FunctionId) -> bool {
        let Self { store, aliases, calls, .. } = self;
        calls.stops(function) || needed.is_changed_by(&calls.effects(store.program, aliases, function))
    }

    fn need_for(&mut self, needed: &mut Needed, step: &Step, op: &Op) {
        let program = self.store.program;
        let result = program.functions[program.nodes[step.from.node].function].result;
        match *op {
            Op::Assume(condition) => self.need(needed, condition),
            Op::Assign(var, value) if needed.registers.contains(&var) => {
                if step.from_depth == 0 {
                    needed.registers.remove(&var);
                }
                self.need(needed, value);
            }
            Op::Havoc(var, _) if step.from_depth == 0 => drop(needed.registers.remove(&var)),
            Op::Return(Some(value)) if result.is_some_and(|result| needed.registers.contains(&result)) => {
                self.need(needed, value);
            }
            Op::Store { to, value } => {
                let size = program.exprs.ty(value).bytes(program.model);
                if needed.is_changed_at(&self.aliases.of(to), Some(size)) {
                    self.need(needed, to);
                    self.need(needed, value);
                }
            }
            Op::Copy { to, from, .. } if needed.is_changed_at(&self.aliases.of(to), None) => {
                self.need(needed, to);
                self.need(needed, from);
                needed.memory.push((self.aliases.of(from), None));
            }
            _ => {}
        }
    }

    fn need(&mut self, needed: &mut Needed, root: ExprId) {
        let program = self.store.program;
        let mut loads = Vec::new();
        program.exprs.visit(root, |expr, node| match node {
            Expr::Var(var) => drop(needed.registers.insert(var)),
            Expr::Load(pointer) => loads.push((expr, pointer)),
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => {}
            Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => {}
        });
        for (expr, pointer) in loads {
            if needed.loads.insert(expr) {
                let size = program.exprs.ty(expr).bytes(program.model);
                needed.memory.push((self.aliases.of(pointer), Some(size)));
            }
        }
    }
}
