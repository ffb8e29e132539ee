//! The one execution of a program without inputs, with loops that count taken many iterations at a time, after [KLW13]
//! and [Boi03]: where an iteration changes every register by the same amount as the one before, takes the same edges,
//! and would do so again, only the number of times matters.
//!
//! An iteration is followed with two numbers for each value: what it is, and by how much it differs an iteration later
//! (modulo its width). Operators carry both exactly, or not at all; a comparison bounds the number of iterations for
//! which its outcome stays. If each register ends with the change that it began with, the iterations are an arithmetic
//! progression, up to that bound.
//!
//! Only registers: what touches memory is left to the interpreter.

mod changing;
#[cfg(test)]
mod tests;

use base::{Cancel, Id, IdVec, Stopped};
use cfa::{Edge, EdgeId, Expr, ExprId, Exprs, FunctionId, Node, Op, Program, Source, VarId};
use changing::Changing;
use semantics::scalar::{self, mask};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How the execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// By itself.
    Ended,
    /// Never: it repeats an iteration.
    Endless,
    /// At the target with this index.
    Target(usize),
}

/// Numbers of iterations after which a loop is taken to repeat itself, tried in turn.
const PERIODS: [u64; 8] = [1, 2, 3, 4, 6, 8, 12, 16];
/// How often each is tried; the first time, changes may be those since another visit to the loop.
const TRIES: u32 = 2;
/// The edges of an iteration that is followed, at most.
const LONGEST: u64 = 100_000;
/// Edges between two looks at the clock.
const BREATH: u64 = 1 << 12;
/// With more registers, iterations cost too much to be followed; with many more, recursion runs away.
const FEW_REGISTERS: usize = 1 << 12;
const MOST_REGISTERS: usize = 1 << 20;

/// Follows the execution over so many edges at most, those that a jump skips not counted. Gives its end and its length,
/// or nothing where it does what this does not follow.
pub(crate) fn accelerate(program: &Program, most: u64, cancel: &Cancel) -> Result<Option<(End, u128)>, Stopped> {
    let mut walk = Walk::new(program);
    while walk.followed < most {
        if walk.followed.is_multiple_of(BREATH) {
            cancel.check()?;
        }
        match walk.step() {
            Some(None) => {}
            Some(Some(end)) => return Ok(Some((end, walk.edges))),
            None => break,
        }
    }
    Ok(None)
}

/// A value, or what C leaves open.
type Register = Option<u128>;

struct Frame {
    function: FunctionId,
    /// Where its registers begin.
    base: usize,
    /// Who called, and gets the result.
    call: Option<EdgeId>,
    loops: HashMap<Node, Loop>,
}

/// An iteration, or several, that is being followed.
struct Recording {
    head: Node,
    depth: usize,
    start: Vec<Register>,
    /// By how much registers are taken to change.
    changes: Vec<u128>,
    /// By how much registers, as they are now, change from one iteration to the next.
    now: Vec<u128>,
    /// What the iteration read or wrote of the registers that there were.
    touched: Vec<bool>,
    /// For how many iterations comparisons come out as they do now; nothing if that cannot be told.
    limit: Option<u128>,
    /// The length of the execution where it began, and the edges that were followed until then and until its last pass.
    edges: u128,
    began: u64,
    passed: u64,
    passes: u64,
}

/// What is known of a loop in one activation of its function.
#[derive(Default)]
struct Loop {
    failures: u32,
    /// Arrivals until it is tried again.
    rest: u64,
    /// The registers at an earlier arrival, and the arrivals since.
    earlier: Option<(Vec<Register>, u64)>,
}

struct Walk<'p> {
    program: &'p Program,
    /// Of globals, and of the locals of each function, from the base of its frame.
    places: IdVec<VarId, usize>,
    targets: HashMap<Node, usize>,
    registers: Vec<Register>,
    masks: Vec<u128>,
    frames: Vec<Frame>,
    node: Node,
    /// The length of the execution, and how much of it was followed edge by edge.
    edges: u128,
    followed: u64,
    recordings: Vec<Recording>,
    /// An expression and all below, in the order of evaluation.
    orders: HashMap<ExprId, Rc<[ExprId]>>,
    /// Of each expression, when it was last evaluated.
    values: Vec<u128>,
    /// By how much that changes, for each recording; there may be more of these.
    changes: Vec<Vec<u128>>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Self {
        let mut places = IdVec::filled(program.vars.len(), usize::MAX);
        let globals = program.vars.iter().filter(|(_, variable)| variable.function.is_none());
        globals.enumerate().for_each(|(at, (var, _))| places[var] = at);
        for (_, function) in program.functions.iter() {
            function.locals.iter().enumerate().for_each(|(at, &var)| places[var] = at);
        }
        let targets = program.targets.iter().enumerate().map(|(at, target)| (target.node, at)).collect();
        let mut walk = Self {
            program,
            places,
            targets,
            registers: Vec::new(),
            masks: Vec::new(),
            frames: Vec::new(),
            node: program.functions[program.entry].entry,
            edges: 0,
            followed: 0,
            recordings: Vec::new(),
            orders: HashMap::new(),
            values: vec![0; program.exprs.len()],
            changes: Vec::new(),
        };
        program.vars.iter().filter(|(_, variable)| variable.function.is_none()).for_each(|(var, _)| walk.add(var));
        walk.enter(program.entry, None);
        walk
    }

    fn add(&mut self, var: VarId) {
        let ty = self.program.register(var);
        self.registers.push(Some(0));
        self.masks.push(ty.map_or(0, |ty| mask(ty.bits(self.program.model))));
        self.recordings.iter_mut().for_each(|recording| recording.now.push(0));
    }

    fn enter(&mut self, function: FunctionId, call: Option<EdgeId>) {
        self.frames.push(Frame { function, base: self.registers.len(), call, loops: HashMap::new() });
        self.program.functions[function].locals.iter().for_each(|&var| self.add(var));
        self.node = self.program.functions[function].entry;
    }

    fn place(&self, var: VarId) -> usize {
        let local = self.program.vars[var].function.is_some();
        let base = if local { self.frames.last().expect("the program runs").base } else { 0 };
        base + self.places[var]
    }

    /// One edge; `None` where it does what is not followed here.
    fn step(&mut self) -> Option<Option<End>> {
        if let Some(&target) = self.targets.get(&self.node) {
            return Some(Some(End::Target(target)));
        }
        if self.program.nodes[self.node].loop_head && self.registers.len() < FEW_REGISTERS && self.arrive() {
            return Some(Some(End::Endless));
        }
        let Some(edge) = self.choose()? else { return self.dead_end() };
        (self.edges, self.followed) = (self.edges + 1, self.followed + 1);
        let program = self.program;
        let Edge { op, to, .. } = &program.edges[edge];
        match op {
            Op::Skip | Op::Assume(_) | Op::Init(_) | Op::Declare(_) | Op::End(_) => self.node = *to,
            Op::Assign(var, expr) => {
                let value = self.evaluate(*expr)?;
                self.write(self.place(*var), Some(value), |changes| changes[expr.index()]);
                self.node = *to;
            }
            Op::Havoc(var, Source::Uninitialised) => {
                self.write(self.place(*var), None, |_| 0);
                self.node = *to;
            }
            Op::Call { function, args, .. } => {
                let values: Option<Vec<u128>> = args.iter().map(|&arg| self.evaluate(arg)).collect();
                self.enter(*function, Some(edge));
                if self.registers.len() > MOST_REGISTERS {
                    return None;
                }
                for ((&param, arg), value) in program.functions[*function].params.iter().zip(args).zip(values?) {
                    self.write(self.place(param), Some(value), |changes| changes[arg.index()]);
                }
            }
            Op::Return(value) => {
                let result = match value {
                    Some(expr) => Some((*expr, self.evaluate(*expr)?)),
                    None => None,
                };
                return self.leave(result);
            }
            Op::Halt(_) => return Some(Some(End::Ended)),
            Op::Havoc(..) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => {
                return None;
            }
            Op::Allocate { .. } | Op::Free(_) | Op::CallPointer { .. } | Op::Library { .. } => return None,
            Op::Unsupported(_) => return None,
        }
        Some(None)
    }

    /// The edge that the execution takes; none where it ends.
    fn choose(&mut self) -> Option<Option<EdgeId>> {
        for edge in self.program.leaving(self.node) {
            let taken = match self.program.edges[edge].op {
                Op::Assume(condition) => self.evaluate(condition)? != 0,
                _ => true,
            };
            if taken {
                return Some(Some(edge));
            }
        }
        Some(None)
    }

    /// At a node that no edge leaves: the exit of a function, or where an execution ends otherwise.
    fn dead_end(&mut self) -> Option<Option<End>> {
        let function = self.frames.last()?.function;
        if self.node == self.program.functions[function].exit { self.leave(None) } else { Some(Some(End::Ended)) }
    }

    fn leave(&mut self, result: Option<(ExprId, u128)>) -> Option<Option<End>> {
        let depth = self.frames.len();
        let frame = self.frames.pop()?;
        // Those of the callee began last, so `changes` still belong to the others.
        self.recordings.truncate(self.recordings.partition_point(|recording| recording.depth < depth));
        self.registers.truncate(frame.base);
        self.masks.truncate(frame.base);
        self.recordings.iter_mut().for_each(|recording| recording.now.truncate(frame.base));
        let Some(call) = frame.call else { return Some(Some(End::Ended)) };
        let edge = &self.program.edges[call];
        if let Op::Call { result: Some(to), .. } = &edge.op {
            // What a function returns that returns nothing is open.
            let change = |changes: &[u128]| result.map_or(0, |(expr, _)| changes[expr.index()]);
            self.write(self.place(*to), result.map(|(_, value)| value), change);
        }
        self.node = edge.to;
        Some(None)
    }

    /// A register gets a value, which changes as the expressions tell that were evaluated last.
    fn write(&mut self, place: usize, value: Register, change: impl Fn(&[u128]) -> u128) {
        self.registers[place] = value;
        for (recording, changes) in self.recordings.iter_mut().zip(&self.changes) {
            recording.now[place] = change(changes);
            recording.touch(place);
        }
    }

    fn evaluate(&mut self, expr: ExprId) -> Option<u128> {
        let order = match self.orders.get(&expr) {
            Some(order) => order.clone(),
            None => {
                let order: Rc<[ExprId]> = below(&self.program.exprs, expr).into();
                self.orders.insert(expr, order.clone());
                order
            }
        };
        for &id in order.iter() {
            self.values[id.index()] = self.value(id)?;
            for (recording, changes) in self.recordings.iter_mut().zip(&mut self.changes) {
                let known = recording.limit;
                let change = match self.program.exprs.node(id) {
                    Expr::Var(_) => continue,
                    _ => Changing { exprs: &self.program.exprs, values: &self.values, changes }.of(id),
                };
                changes[id.index()] = change.map_or(0, |(change, _)| change);
                recording.limit = known.zip(change).map(|(limit, (_, most))| limit.min(most));
            }
        }
        Some(self.values[expr.index()])
    }

    fn value(&mut self, id: ExprId) -> Option<u128> {
        let exprs = &self.program.exprs;
        let (model, values) = (self.program.model, &self.values);
        let of = |id: ExprId| values[id.index()];
        match exprs.node(id) {
            Expr::Const { .. } => exprs.constant(id),
            Expr::Var(var) => {
                let place = self.place(var);
                for (recording, changes) in self.recordings.iter_mut().zip(&mut self.changes) {
                    changes[id.index()] = recording.now[place];
                    recording.touch(place);
                }
                self.registers[place]
            }
            Expr::Unary(op, a) => scalar::unary(model, op, exprs.ty(a), of(a)),
            Expr::Binary(op, a, b) => scalar::binary(model, op, exprs.ty(a), exprs.ty(b), of(a), of(b)),
            Expr::Cast(a) => scalar::cast(model, exprs.ty(a), exprs.ty(id), of(a)),
            Expr::Ite(c, a, b) => Some(if of(c) != 0 { of(a) } else { of(b) }),
            Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Living(_) => None,
        }
    }

    /// At the head of a loop: an iteration that is followed is complete, or one may begin. Whether the execution never
    /// leaves the loop.
    fn arrive(&mut self) -> bool {
        let (node, depth, followed) = (self.node, self.frames.len(), self.followed);
        self.recordings.retain(|recording| followed - recording.began <= LONGEST);
        let known = self.recordings.iter().position(|recording| recording.head == node && recording.depth == depth);
        let here = self.frames.last_mut().expect("the program runs").loops.entry(node).or_default();
        let period = PERIODS[(here.failures / TRIES) as usize % PERIODS.len()];
        if let Some(at) = known {
            let recording = &mut self.recordings[at];
            (recording.passes, recording.passed) = (recording.passes + 1, followed);
            if recording.passes < period {
                return false;
            }
            let recording = self.recordings.remove(at);
            let iterations = self.iterations(&recording);
            let here = self.frames.last_mut().expect("the program runs").loops.entry(node).or_default();
            match iterations {
                Some(u128::MAX) => return true,
                Some(iterations) if iterations > 1 => {
                    here.failures -= here.failures % TRIES;
                    self.skip(&recording, iterations - 1);
                }
                Some(_) | None => {
                    here.failures += 1;
                    if !here.failures.is_multiple_of(TRIES) {
                        self.record(&recording.start);
                    } else {
                        here.rest = 1 << (here.failures / TRIES).min(20);
                    }
                }
            }
            return false;
        }
        if here.rest > 0 {
            here.rest -= 1;
            return false;
        }
        match &mut here.earlier {
            None => here.earlier = Some((self.registers.clone(), 0)),
            Some((_, passes)) if *passes + 1 < period => *passes += 1,
            earlier => {
                let (start, _) = earlier.take().expect("there is one");
                self.record(&start);
            }
        }
        false
    }

    /// Begins to follow an iteration, with the changes since the registers were as given.
    fn record(&mut self, earlier: &[Register]) {
        let registers = self.registers.iter().zip(earlier).zip(&self.masks);
        let change = |((now, before), mask): ((&Register, &Register), &u128)| match (now, before) {
            (Some(now), Some(before)) => now.wrapping_sub(*before) & mask,
            (None, _) | (_, None) => 0,
        };
        let changes: Vec<u128> = registers.map(change).collect();
        self.recordings.push(Recording {
            head: self.node,
            depth: self.frames.len(),
            start: self.registers.clone(),
            now: changes.clone(),
            touched: vec![false; changes.len()],
            changes,
            limit: Some(u128::MAX),
            edges: self.edges,
            began: self.followed,
            passed: self.followed,
            passes: 0,
        });
        if self.changes.len() < self.recordings.len() {
            self.changes.push(vec![0; self.values.len()]);
        }
    }

    /// How many iterations, the one that was followed among them, are alike.
    fn iterations(&self, recording: &Recording) -> Option<u128> {
        let kept = |at: usize| match (recording.start[at], self.registers[at]) {
            (Some(start), Some(end)) => start.wrapping_add(recording.changes[at]) & self.masks[at] == end,
            (start, end) => start == end,
        };
        let progressing = recording.now == recording.changes && (0..self.registers.len()).all(kept);
        recording.limit.filter(|_| progressing)
    }

    /// Takes so many more iterations at once. Others that are being followed go on if these are the same each time: if
    /// what they read and write does not change.
    fn skip(&mut self, recording: &Recording, iterations: u128) {
        for (at, register) in self.registers.iter_mut().enumerate() {
            let change = recording.changes[at].wrapping_mul(iterations);
            *register = register.map(|value| value.wrapping_add(change) & self.masks[at]);
        }
        self.edges = self.edges.saturating_add((self.edges - recording.edges).saturating_mul(iterations));
        self.recordings.retain(|other| {
            let around = other.began <= recording.began && other.passed <= recording.began;
            let touched = recording.touched.iter().enumerate().filter(|(_, touched)| **touched);
            around && touched.map(|(at, _)| at).all(|at| other.now[at] == 0)
        });
    }
}

impl Recording {
    fn touch(&mut self, place: usize) {
        if let Some(touched) = self.touched.get_mut(place) {
            *touched = true;
        }
    }
}

/// An expression after all that it is made of.
fn below(exprs: &Exprs, expr: ExprId) -> Vec<ExprId> {
    let mut seen = HashSet::new();
    let mut pending = vec![expr];
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            pending.extend(exprs.node(id).operands());
        }
    }
    // Expressions are built from those that were there.
    let mut order: Vec<ExprId> = seen.into_iter().collect();
    order.sort_unstable();
    order
}
