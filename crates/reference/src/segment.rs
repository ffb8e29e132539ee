//! Executions between two visits of loop heads. Calls are followed into their functions, so a place is a node and the
//! calls that led there; recursion is followed up to a depth. Executions that meet at a node become one state.

mod objects;

use crate::Refusal;
use crate::memory::{Spot, Write, Writes, Written};
use crate::skip::Effects;
use crate::state::{Lifetime, ObjectId, Row, SymbolicState, SymbolicValue};
use base::{Cancel, IdVec, Span};
use cfa::{EdgeId, FloatKind, FunctionId, Node, Op, Program, Scalar, Storage, VarId};
use flow::{CallGraph, Loops};
use rustc_hash::FxHashMap;
use smt::{BitVec, Sort, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Formulas with more terms than this are refused.
const MOST_TERMS: usize = 300_000;

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

/// A function that runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    pub function: FunctionId,
    /// The call; `None` for the program's first function.
    pub call: Option<EdgeId>,
    /// Its variables in memory.
    pub objects: BTreeMap<VarId, ObjectId>,
}

/// Where executions are when they come to a loop head.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Where.
    pub cut: Cut,
    /// In which state.
    pub state: SymbolicState,
    pub(crate) frames: Vec<Frame>,
}

/// Where executions go.
#[derive(Clone, Debug, Default)]
pub struct SegmentEnds {
    /// The loop heads they come to next.
    pub arrivals: Vec<Arrival>,
    /// Targets and C that is not modelled: where, and when executions come there.
    pub errors: Vec<(Span, TermId)>,
}

/// One formula under construction.
pub struct Encoder<'p> {
    /// The terms of the formula.
    pub terms: Terms,
    pub(crate) program: &'p Program,
    loops: &'p Loops,
    targets: BTreeSet<Node>,
    pub(crate) objects: IdVec<ObjectId, Row>,
    pub(crate) statics: BTreeMap<VarId, ObjectId>,
    functions: BTreeMap<FunctionId, ObjectId>,
    /// Objects that lie apart where the condition holds.
    apart: Vec<(ObjectId, ObjectId, TermId)>,
    aligned: Vec<(ObjectId, u64, TermId)>,
    /// The frame that an object on the stack ends with.
    pub(crate) owners: BTreeMap<ObjectId, u32>,
    pub(crate) writes: IdVec<Writes, Written>,
    pub(crate) reads: FxHashMap<(Writes, Spot, u64), TermId>,
    pub(crate) numbers: FxHashMap<(FloatKind, TermId), TermId>,
    /// What holds of variables of the formula.
    pub(crate) assumed: Vec<TermId>,
    pub(crate) frames: Vec<Frame>,
    /// Functions whose calls are left out, and what these may change.
    skipped: Rc<BTreeMap<FunctionId, Effects>>,
    /// Whether some part says less than the definition of C: its models need not be executions.
    pub inexact: bool,
    /// Conditions under which reads stay in their objects. What lies outside is arbitrary each time it is read, here and not
    /// for every encoder.
    pub(crate) inside: Vec<TermId>,
    cancel: Cancel,
}

impl<'p> Encoder<'p> {
    /// An empty formula about a program.
    pub(crate) fn new(
        program: &'p Program,
        loops: &'p Loops,
        skipped: &Rc<BTreeMap<FunctionId, Effects>>,
        cancel: &Cancel,
    ) -> Self {
        Encoder {
            terms: Terms::new(),
            program,
            loops,
            targets: program.targets.iter().map(|target| target.node).collect(),
            objects: IdVec::new(),
            statics: BTreeMap::new(),
            functions: BTreeMap::new(),
            apart: Vec::new(),
            aligned: Vec::new(),
            owners: BTreeMap::new(),
            writes: IdVec::new(),
            reads: FxHashMap::default(),
            numbers: FxHashMap::default(),
            assumed: Vec::new(),
            frames: Vec::new(),
            skipped: skipped.clone(),
            inexact: false,
            inside: Vec::new(),
            cancel: cancel.clone(),
        }
    }

    pub(crate) fn refuse(what: &str, span: Span) -> Refusal {
        Refusal::Unsupported { what: what.to_owned(), span }
    }

    pub(crate) fn limits(&self) -> Result<(), Refusal> {
        if self.terms.len() > MOST_TERMS {
            return Err(Refusal::Large("the formula is too large"));
        }
        self.cancel.check().map_err(Refusal::Stopped)
    }

    /// A number as wide as an address.
    pub(crate) fn word(&mut self, value: u64) -> TermId {
        self.terms.bv(BitVec::new(self.program.model.pointer_bits(), u128::from(value)))
    }

    pub(crate) fn largest_word(&self) -> u64 {
        u64::MAX >> (64 - self.program.model.pointer_bits())
    }

    pub(crate) fn fresh_bits(&mut self, name: &str, width: u32) -> TermId {
        self.terms.fresh_var(name, Sort::BitVec(width))
    }

    pub(crate) fn fresh_bytes(&mut self, name: &str) -> TermId {
        self.terms.fresh_var(name, Sort::memory(self.program.model.pointer_bits(), 8))
    }

    pub(crate) fn fresh_addresses(&mut self, name: &str) -> TermId {
        let index = smt::ScalarSort::BitVec(self.program.model.pointer_bits());
        self.terms.fresh_var(name, Sort::Array { index, element: smt::ScalarSort::Bool })
    }

    pub(crate) fn fresh_words(&mut self, name: &str) -> TermId {
        let bits = self.program.model.pointer_bits();
        self.terms.fresh_var(
            name,
            Sort::Array { index: smt::ScalarSort::BitVec(bits), element: smt::ScalarSort::BitVec(bits) },
        )
    }

    /// An arbitrary value of a variable's type. A `_Bool` is 0 or 1.
    pub(crate) fn arbitrary(&mut self, var: VarId, ty: Scalar) -> SymbolicValue {
        let bits = self.fresh_bits(self.program.var_name(var), ty.bits(self.program.model));
        if *self.program.types.get(self.program.vars[var].ty) == cfa::types::Type::Bool {
            let one = self.terms.bv_u64(ty.bits(self.program.model), 1);
            let truth = self.terms.bv_ule(bits, one);
            self.assumed.push(truth);
        }
        SymbolicValue::plain(bits)
    }

    // Frames -----------------------------------------------------------------------------------------------------------

    /// A function begins to run: its registers and its variables in memory hold arbitrary values.
    fn push_frame(&mut self, state: &mut SymbolicState, function: FunctionId, call: Option<EdgeId>) {
        let frame = self.frames.len() as u32;
        self.frames.push(Frame { function, call, objects: BTreeMap::new() });
        let program = self.program;
        let mut vars = program.functions[function].locals.clone();
        if frame == 0 {
            vars.extend(program.vars.iter().filter(|(_, var)| var.function.is_none()).map(|(id, _)| id));
        }
        for var in vars {
            match program.vars[var].storage {
                Storage::Register(ty) => {
                    let value = self.arbitrary(var, ty);
                    state.registers.insert((frame, var), value);
                }
                Storage::Memory { .. } if program.vars[var].function.is_none() => {}
                Storage::Memory { size, align } => {
                    let (size, when) = (self.word(size), state.guard);
                    let snapshot = state.clone();
                    let lifetime = (Lifetime::Stack, align);
                    let object = self.object(program.var_name(var), size, lifetime, (Some(&snapshot), when));
                    self.owners.insert(object, frame);
                    self.frames[frame as usize].objects.insert(var, object);
                    let yes = self.terms.truth();
                    state.live.insert(object, yes);
                    self.forget_object(state, object);
                }
            }
        }
    }

    /// Locals of the functions that run may be out of scope.
    fn may_have_ended(&mut self, state: &mut SymbolicState) {
        let exprs = &self.program.exprs;
        let scoped = self.program.edges.iter().filter_map(|(_, edge)| match edge.op {
            Op::End(pointer) => Some(exprs.node(pointer)),
            _ => None,
        });
        for node in scoped.collect::<Vec<_>>() {
            let cfa::Expr::Addr(var) = node else { continue };
            for object in self.frames.iter().filter_map(|frame| frame.objects.get(&var).copied()).collect::<Vec<_>>() {
                let lives = self.terms.fresh_var("lives", Sort::Bool);
                state.live.insert(object, lives);
                state.ended.insert(object);
            }
        }
    }

    /// All bytes of an object become arbitrary.
    pub(crate) fn forget_object(&mut self, state: &mut SymbolicState, object: ObjectId) {
        let (at, size) = (self.word(0), self.objects[object].size);
        let bytes = self.fresh_bytes("bytes");
        let when = self.lives(state, object);
        self.write(state, Write::Arbitrary { to: Spot { object: Some(object), at }, size, bytes }, when);
    }

    fn leave_frame(&mut self, state: &mut SymbolicState) -> Result<Node, Refusal> {
        assert!(self.frames.len() > 1, "the first function does not return to a caller");
        let frame = self.frames.pop().expect("a function that returns runs");
        let depth = self.frames.len() as u32;
        let call = frame.call.expect("the first function does not return to anybody");
        let edge = &self.program.edges[call];
        let value = self.program.functions[frame.function].result.map(|var| state.registers[&(depth, var)]);
        state.registers.retain(|(frame, _), _| *frame < depth);
        state.live.retain(|object, _| self.owners.get(object).is_none_or(|owner| *owner < depth));
        if let (Op::Call { result: Some(result), .. }, Some(value)) = (&edge.op, value) {
            self.assign(state, *result, value, edge.span)?;
        }
        Ok(edge.to)
    }

    pub(crate) fn assign(
        &mut self,
        state: &mut SymbolicState,
        var: VarId,
        value: SymbolicValue,
        span: Span,
    ) -> Result<(), Refusal> {
        let frames = (0..self.frames.len() as u32).rev();
        let key = frames.map(|frame| (frame, var)).find(|key| state.registers.contains_key(key));
        let key = key.ok_or_else(|| Encoder::refuse("a register of no function that runs", span))?;
        let ty = self.program.register(var).expect("what a state keeps is a register");
        assert_eq!(self.terms.width(value.bits), ty.bits(self.program.model), "a register keeps its width");
        state.registers.insert(key, value);
        Ok(())
    }

    // Runs -------------------------------------------------------------------------------------------------------------

    /// The start of the program, or anything that may be at a loop head.
    pub fn begin(&mut self, cut: Option<&Cut>) -> Arrival {
        let (bytes, other) = (self.fresh_bytes("memory"), self.fresh_addresses("other"));
        let (rooms, from_start) = (self.fresh_words("rooms"), cut.is_none());
        let memory = self.start_memory(bytes);
        let guard = self.terms.truth();
        let (registers, live) = (BTreeMap::new(), BTreeMap::new());
        let mut state =
            SymbolicState { guard, registers, memory, live, ended: BTreeSet::new(), other, rooms, from_start };
        self.frames.clear();
        let first = self.program.entry;
        self.push_frame(&mut state, first, None);
        let start = Cut { calls: Vec::new(), node: self.program.functions[first].entry };
        let cut = cut.cloned().unwrap_or(start);
        for &call in &cut.calls {
            if let Op::Call { function, .. } = self.program.edges[call].op {
                self.push_frame(&mut state, function, Some(call));
            }
        }
        if !from_start {
            self.may_have_ended(&mut state);
        }
        Arrival { cut, state, frames: self.frames.clone() }
    }

    /// Evaluates a condition of the innermost function at an arrival.
    pub fn condition(
        &mut self,
        arrival: &Arrival,
        exprs: &cfa::Exprs,
        condition: cfa::ExprId,
        span: Span,
    ) -> Result<TermId, Refusal> {
        self.frames.clone_from(&arrival.frames);
        Ok(self.eval(exprs, &arrival.state, condition, span)?.bits)
    }

    /// Follows executions until they come to loop heads.
    pub fn run(&mut self, from: Arrival) -> Result<SegmentEnds, Refusal> {
        let mut out = SegmentEnds::default();
        self.frames = from.frames;
        let (mut node, mut state) = (from.cut.node, from.state);
        loop {
            let Some(mut left) = self.body(node, state, &mut out)? else { return Ok(out) };
            if self.frames.len() == 1 {
                return Ok(out);
            }
            node = self.leave_frame(&mut left)?;
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
    fn body(
        &mut self,
        start: Node,
        state: SymbolicState,
        out: &mut SegmentEnds,
    ) -> Result<Option<SymbolicState>, Refusal> {
        let exit = self.program.functions[self.program.nodes[start].function].exit;
        let mut waiting: BTreeMap<u32, (Node, SymbolicState)> = BTreeMap::new();
        waiting.insert(self.loops.position(start), (start, state));
        let mut left = None;
        while let Some((_, (node, state))) = waiting.pop_first() {
            self.limits()?;
            if node == exit {
                left = Some(state);
                continue;
            }
            for (edge, guard) in self.branches(node, &state)? {
                let Some(next) = self.follow(edge, SymbolicState { guard, ..state.clone() }, out)? else { continue };
                let to = self.program.edges[edge].to;
                if self.terms.as_bool(next.guard) == Some(false) {
                    continue;
                }
                if self.targets.contains(&to) {
                    out.errors.push((self.program.edges[edge].span, next.guard));
                } else if self.is_head(to) {
                    self.arrive(to, next, out);
                } else {
                    let place = self.loops.position(to);
                    let met = match waiting.remove(&place) {
                        Some((_, before)) => self.merge(before, next),
                        None => next,
                    };
                    waiting.insert(place, (to, met));
                }
            }
        }
        Ok(left)
    }

    fn arrive(&mut self, node: Node, state: SymbolicState, out: &mut SegmentEnds) {
        let calls = self.frames.iter().filter_map(|frame| frame.call).collect();
        let arrival = Arrival { cut: Cut { calls, node }, state, frames: self.frames.clone() };
        self.meet(&mut out.arrivals, arrival);
    }

    /// Adds an arrival to others; those at one place, in the same frames, become one.
    pub fn meet(&mut self, all: &mut Vec<Arrival>, new: Arrival) {
        match all.iter().position(|old| old.cut == new.cut && old.frames == new.frames) {
            Some(at) => {
                let old = all.swap_remove(at);
                let state = self.merge(old.state, new.state);
                all.push(Arrival { state, ..new });
            }
            None => all.push(new),
        }
    }

    /// The edges that leave a node and when they are taken. Where conditions do not exclude each other, a variable
    /// chooses, so that no execution hides another.
    fn branches(&mut self, node: Node, state: &SymbolicState) -> Result<Vec<(EdgeId, TermId)>, Refusal> {
        let mut taken = Vec::new();
        for edge in self.program.leaving(node) {
            let Op::Assume(condition) = self.program.edges[edge].op else {
                taken.push((edge, self.terms.truth()));
                continue;
            };
            let span = self.program.edges[edge].span;
            taken.push((edge, self.eval(&self.program.exprs, state, condition, span)?.bits));
        }
        if let [(_, a), (_, b)] = taken[..]
            && self.terms.not(a) == b
        {
            return Ok(self.under(state.guard, taken));
        }
        let mut rest = self.terms.truth();
        let last = taken.len().saturating_sub(1);
        for (_, condition) in &mut taken[..last] {
            let choice = self.terms.fresh_var("choice", Sort::Bool);
            *condition = self.terms.and([rest, choice, *condition]);
            let not = self.terms.not(choice);
            rest = self.terms.and([rest, not]);
        }
        if let Some((_, condition)) = taken.last_mut() {
            *condition = self.terms.and([rest, *condition]);
        }
        Ok(self.under(state.guard, taken))
    }

    fn under(&mut self, guard: TermId, mut taken: Vec<(EdgeId, TermId)>) -> Vec<(EdgeId, TermId)> {
        for (_, condition) in &mut taken {
            *condition = self.terms.and([guard, *condition]);
        }
        taken
    }

    /// One edge. `None`: executions end there, or in a loop of a function that is called.
    fn follow(
        &mut self,
        edge: EdgeId,
        mut state: SymbolicState,
        out: &mut SegmentEnds,
    ) -> Result<Option<SymbolicState>, Refusal> {
        if self.terms.as_bool(state.guard) == Some(false) {
            return Ok(None);
        }
        let Op::Call { function, args, .. } = &self.program.edges[edge].op else {
            return self.step(edge, state, out);
        };
        if let Some(effects) = self.skipped.clone().get(function) {
            self.skip(edge, &mut state, effects)?;
            return Ok(Some(state));
        }
        let span = self.program.edges[edge].span;
        if self.frames.len() > DEEPEST && self.frames.iter().any(|frame| frame.function == *function) {
            out.errors.push((span, state.guard));
            // Deeper calls need not lead to an error.
            self.inexact = true;
            return Ok(None);
        }
        if self.frames.len() > MOST_FRAMES {
            return Err(Refusal::Large("calls lie inside each other too deeply"));
        }
        let mut values = Vec::new();
        for &arg in args {
            values.push(self.eval(&self.program.exprs, &state, arg, span)?);
        }
        self.push_frame(&mut state, *function, Some(edge));
        let callee = &self.program.functions[*function];
        assert!(values.len() >= callee.params.len(), "every parameter gets a value");
        for (&param, value) in callee.params.iter().zip(values) {
            self.assign(&mut state, param, value, span)?;
        }
        if self.is_head(callee.entry) {
            self.arrive(callee.entry, state, out);
            self.frames.pop();
            return Ok(None);
        }
        match self.body(callee.entry, state, out)? {
            Some(mut left) => {
                self.leave_frame(&mut left)?;
                Ok(Some(left))
            }
            None => {
                self.frames.pop();
                Ok(None)
            }
        }
    }
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
