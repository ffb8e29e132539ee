//! The state of a run: slots, frames, memory, and what instructions do to them.

use super::code::{Fp, GLOBAL, Generic, Note, Noted, Operand, Operator, Pc, Size, Slot, Touched};
use super::compile::{Compiler, is_wide};
use super::memory::Memory;
use super::object::{Contents, Fault, Kind};
use super::value::{Origin, Value};
use super::{InterpreterRun, Options, RunEnd, Tracing, Undefined};
use crate::choices::Draws;
use crate::history::{EdgeEffect, History, Noticed};
use crate::scalar;
use base::{Cancel, Id};
use cfa::addresses::function_at;
use cfa::{BinOp, EdgeId, FloatKind, FunctionId, Op, Program, Scalar, Source, Storage, VarId};
use std::io::Write;

/// Where to go on after a call.
struct Frame {
    pub pc: Pc,
    base: u32,
    function: FunctionId,
    result: Option<Operand>,
    mark: (u32, u64),
    activation: u32,
}

pub(super) struct Machine<'r> {
    pub program: &'r Program,
    pub compiler: Compiler<'r>,
    /// Globals and constants, then frames.
    pub slots: Vec<Value>,
    base: usize,
    frames: Vec<Frame>,
    /// The next instruction.
    pub pc: usize,
    pub memory: Memory,
    pub draws: Draws<'r>,
    pub out: &'r mut dyn Write,
    options: &'r Options,
    cancel: &'r Cancel,
    pub steps: u64,
    taken: Vec<EdgeId>,
    history: History,
    /// Of the function that runs, and how many there were.
    activation: u32,
    activations: u32,
    path: Option<&'r [EdgeId]>,
    /// Mask of addresses.
    pub address_mask: u64,
}

/// Instructions between two looks at the clock.
const BREATH: u64 = 1 << 17;
/// More slots than this mean a runaway recursion.
const MOST_SLOTS: usize = 1 << 24;

impl<'r> Machine<'r> {
    pub fn new(
        program: &'r Program,
        mut draws: Draws<'r>,
        out: &'r mut dyn Write,
        options: &'r Options,
        cancel: &'r Cancel,
        path: Option<&'r [EdgeId]>,
    ) -> Self {
        let tracing = match options.tracing {
            Tracing::Off if path.is_some() => Tracing::On,
            tracing => tracing,
        };
        draws.noting = tracing == Tracing::Values;
        let compiler = Compiler::new(program, tracing);
        Self {
            program,
            slots: compiler.code.globals.clone(),
            compiler,
            base: 0,
            frames: Vec::new(),
            pc: 0,
            memory: Memory::new(program),
            draws,
            out,
            options,
            cancel,
            steps: 0,
            taken: Vec::new(),
            history: History::default(),
            activation: 0,
            activations: 0,
            path,
            address_mask: u64::MAX >> (64 - program.model.pointer_bits()),
        }
    }

    pub fn finish(self, outcome: RunEnd) -> InterpreterRun {
        let outcome = match (outcome, self.draws.unmodelled) {
            (RunEnd::Target(_), Some(edge)) => self.rests_on(edge),
            (outcome, _) => outcome,
        };
        InterpreterRun {
            outcome,
            steps: self.steps,
            path: self.taken,
            history: History { bytes: self.draws.noted, undefined: self.draws.undefined_at, ..self.history },
            drawn: self.draws.drawn,
            choices: self.draws.choices,
        }
    }

    pub fn run(&mut self) -> RunEnd {
        self.base = self.slots.len();
        let start = self.create_globals().and_then(|()| self.enter(self.program.entry, &[], None, self.base));
        match start {
            Ok(()) => self.execute().unwrap_or_else(|outcome| outcome),
            Err(outcome) => outcome,
        }
    }

    fn create_globals(&mut self) -> Result<(), RunEnd> {
        for (id, var) in self.program.vars.iter().filter(|(_, var)| var.function.is_none()) {
            if let Storage::Memory { size, align } = var.storage {
                let kind = if self.program.is_read_only(id) { Kind::Constant } else { Kind::Static };
                let made = self.memory.create(size, align, kind, Contents::Zero, &mut self.draws);
                let pointer = made.map_err(|fault| self.unsupported(fault.text()))?;
                self.set_global(id, pointer);
            }
        }
        Ok(())
    }

    fn set_global(&mut self, var: VarId, value: Value) {
        let slot = self.compiler.vars[var] & !GLOBAL;
        self.slots[slot as usize] = value;
    }

    #[inline(always)]
    pub fn index(&self, slot: Slot) -> usize {
        if slot & GLOBAL != 0 { (slot ^ GLOBAL) as usize } else { self.base + slot as usize }
    }

    #[inline(always)]
    pub fn get(&self, slot: Slot) -> Value {
        self.slots[self.index(slot)]
    }

    #[inline(always)]
    pub fn set(&mut self, slot: Slot, value: Value) {
        let index = self.index(slot);
        self.slots[index] = value;
    }

    /// All bits of a value of any width.
    pub fn bits(&self, operand: Operand) -> u128 {
        let index = self.index(operand.slot);
        let low = u128::from(self.slots[index].bits);
        if is_wide(&self.program.exprs, operand.ty) { low | u128::from(self.slots[index + 1].bits) << 64 } else { low }
    }

    pub fn set_bits(&mut self, slot: Slot, ty: Scalar, bits: u128) {
        debug_assert!(
            ty.is_float() || bits & !scalar::mask(ty.bits(self.program.model)) == 0,
            "{bits:#x} is no {ty:?}"
        );
        let index = self.index(slot);
        self.slots[index] = Value::number(bits as u64);
        if is_wide(&self.program.exprs, ty) {
            self.slots[index + 1] = Value::number((bits >> 64) as u64);
        }
    }

    /// The edge that is being executed.
    pub fn edge(&self) -> EdgeId {
        self.compiler.code.edges.get(self.pc.wrapping_sub(1)).copied().unwrap_or(EdgeId(0))
    }

    pub fn unsupported(&self, what: &str) -> RunEnd {
        let span = self.program.edges.get(self.edge()).map(|edge| edge.span).unwrap_or_default();
        RunEnd::Unsupported { what: what.to_owned(), span }
    }

    /// No run continues past a value of a library function that is not modelled: the real one gives another value.
    fn modelled(&self) -> Result<(), RunEnd> {
        self.draws.unmodelled.map_or(Ok(()), |edge| Err(self.rests_on(edge)))
    }

    /// The end of a run that looked at what the library function on this edge returned or wrote.
    pub fn rests_on(&self, edge: EdgeId) -> RunEnd {
        let edge = &self.program.edges[edge];
        let name = match edge.op {
            Op::Havoc(_, Source::Extern(name)) | Op::HavocMemory { source: Source::Extern(name), .. } => {
                self.program.text(name)
            }
            _ => "a library function",
        };
        if let (true, Some((called, span))) = (name == cfa::standard::UNKNOWN_STATE, self.library_call()) {
            let called = self.program.text(self.program.functions[called].name);
            return RunEnd::Unsupported {
                what: format!("the result of {called}, which is not modelled in full"),
                span,
            };
        }
        RunEnd::Unsupported { what: format!("the result of {name}, which is not modelled"), span: edge.span }
    }

    /// Undefined behaviour: ends the run, or lets it go on.
    pub fn undefined(&self, what: &'static str) -> Result<(), RunEnd> {
        match self.options.undefined {
            Undefined::Report => Err(RunEnd::Undefined { what, span: self.program.edges[self.edge()].span }),
            Undefined::Continue => Ok(()),
        }
    }

    pub fn fault(&self, fault: Fault) -> Result<(), RunEnd> {
        if fault == Fault::TooLarge { Err(self.unsupported(fault.text())) } else { self.undefined(fault.text()) }
    }

    /// An arbitrary value for the result of an undefined operation.
    pub fn arbitrary(&mut self, what: &'static str, ty: Scalar) -> Result<u128, RunEnd> {
        self.undefined(what)?;
        let edge = self.edge();
        Ok(self.draws.undefined(edge, ty))
    }

    /// Whether the function around `main` runs.
    pub fn in_start(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.function == self.program.entry)
    }

    /// Starts a function: its frame begins at `base`, arguments lie in the current frame.
    pub fn enter(
        &mut self,
        function: FunctionId,
        args: &[Operand],
        result: Option<Operand>,
        base: usize,
    ) -> Result<(), RunEnd> {
        let entry = match self.compiler.code.routines[function.index()].entry {
            Some(entry) => entry,
            None => self.compiler.function(function),
        };
        let routine = &self.compiler.code.routines[function.index()];
        debug_assert_eq!(routine.params.len(), args.len(), "an argument for each parameter");
        debug_assert!(routine.variables <= routine.frame && base >= self.base, "frames lie one after the other");
        let end = base + routine.frame as usize;
        if end > self.slots.len() {
            if end > MOST_SLOTS {
                return Err(self.unsupported("recursion too deep for the interpreter"));
            }
            self.slots.resize(end.next_power_of_two(), Value::default());
        }
        self.slots[base..base + routine.variables as usize].fill(Value::default());
        for (param, arg) in routine.params.iter().zip(args) {
            let from =
                if arg.slot & GLOBAL != 0 { (arg.slot ^ GLOBAL) as usize } else { self.base + arg.slot as usize };
            let to = base + param.slot as usize;
            self.slots[to] = self.slots[from];
            if is_wide(&self.program.exprs, param.ty) {
                self.slots[to + 1] = self.slots[from + 1];
            }
        }
        self.frames.push(Frame {
            pc: self.pc as Pc,
            base: self.base as u32,
            function,
            result,
            mark: self.memory.mark(),
            activation: self.activation,
        });
        // The start of the program gives constants their values.
        self.memory.protects = self.frames.len() > 1;
        self.activations += 1;
        self.activation = self.activations;
        for &(slot, size, align) in &routine.objects {
            match self.memory.create(size, align, Kind::Stack, Contents::Undefined, &mut self.draws) {
                Ok(pointer) => self.slots[base + slot as usize] = pointer,
                Err(_) => return Err(self.unsupported("stack overflow")),
            }
        }
        for &slot in &routine.constants {
            self.memory.make_constant(self.slots[base + slot as usize]);
        }
        self.base = base;
        self.pc = entry as usize;
        Ok(())
    }

    /// The functions that run, with where their slots begin, the innermost first.
    pub fn running(&self) -> impl Iterator<Item = (FunctionId, usize)> + '_ {
        let mut base = self.base;
        self.frames.iter().rev().map(move |frame| (frame.function, std::mem::replace(&mut base, frame.base as usize)))
    }

    /// The library function that the program's own text called last, and where.
    fn library_call(&self) -> Option<(FunctionId, base::Span)> {
        let place = |frame: &Frame| {
            let &edge = self.compiler.code.edges.get((frame.pc as usize).wrapping_sub(1))?;
            Some((frame.function, self.program.edges.get(edge)?.span))
        };
        let is_own = |(_, span): &(FunctionId, base::Span)| !self.program.sources.is_model(*span);
        self.frames.iter().rev().filter_map(place).find(is_own)
    }

    /// Where the frame of a callee goes.
    pub fn top(&self) -> usize {
        let function = self.frames.last().expect("the program runs").function;
        self.base + self.compiler.code.routines[function.index()].frame as usize
    }

    pub fn leave(&mut self) -> Result<(), RunEnd> {
        let frame = self.frames.pop().expect("the program runs");
        self.memory.protects = self.frames.len() > 1;
        self.memory.release(frame.mark);
        let result = self.compiler.code.routines[frame.function.index()].result;
        self.activation = frame.activation;
        let base = std::mem::replace(&mut self.base, frame.base as usize);
        self.pc = frame.pc as usize;
        if self.frames.is_empty() {
            let status = result.map_or(0, |operand| self.slots[base + operand.slot as usize].bits);
            return Err(RunEnd::Exit((status & 0xFF) as i32));
        }
        if let (Some(to), Some(from)) = (frame.result, result) {
            let (at, index) = (base + from.slot as usize, self.index(to.slot));
            self.slots[index] = self.slots[at];
            if is_wide(&self.program.exprs, to.ty) {
                self.slots[index + 1] = self.slots[at + 1];
            }
        }
        Ok(())
    }

    /// Calls the function that a pointer points to.
    pub fn call_pointer(&mut self, pointer: Slot, args: &[Operand], result: Option<Operand>) -> Result<(), RunEnd> {
        let address = self.get(pointer).bits;
        let Some(index) = function_at(self.program.model, address, self.program.functions.len()) else {
            let what = if address == 0 { "call through a null pointer" } else { "call through an invalid pointer" };
            self.undefined(what)?;
            return Err(self.unsupported(what));
        };
        let function = FunctionId::new(index);
        let routine = &self.compiler.code.routines[index];
        let width = |ty: Scalar| ty.bits(self.program.model);
        let fits = routine.params.len() == args.len()
            && routine.params.iter().zip(args).all(|(param, arg)| width(param.ty) == width(arg.ty))
            && result.is_none_or(|to| routine.result.is_some_and(|from| width(from.ty) == width(to.ty)));
        if !fits {
            let what = "call through a pointer of another function type";
            self.undefined(what)?;
            return Err(self.unsupported(what));
        }
        let top = self.top();
        self.enter(function, args, result, top)
    }

    #[inline(always)]
    pub fn load(&mut self, d: Slot, pointer: Slot, offset: i32, bytes: u8) -> Result<(), RunEnd> {
        let start = self.get(pointer);
        let value = match self.memory.load_fast(start, offset, u64::from(bytes)) {
            Some(value) => value,
            None => self.load_slow(start, offset, bytes)?,
        };
        self.set(d, value);
        Ok(())
    }

    pub fn moved(&self, start: Value, offset: i64) -> Value {
        Value { bits: start.bits.wrapping_add(offset as u64) & self.address_mask, origin: start.origin }
    }

    #[cold]
    pub fn load_slow(&mut self, start: Value, offset: i32, bytes: u8) -> Result<Value, RunEnd> {
        let (bits, origin) = self.load_bits(start, offset, bytes)?;
        Ok(Value { bits: bits as u64, origin })
    }

    pub fn load_bits(&mut self, start: Value, offset: i32, bytes: u8) -> Result<(u128, Origin), RunEnd> {
        let at = self.moved(start, i64::from(offset));
        match self.memory.load(at, u64::from(bytes), &mut self.draws) {
            Ok(loaded) => self.modelled().map(|()| loaded),
            Err(fault) => {
                self.fault(fault)?;
                let edge = self.edge();
                Ok((self.draws.undefined(edge, Scalar::int(8 * u32::from(bytes), false)), Origin::NONE))
            }
        }
    }

    #[inline(always)]
    pub fn load_pointer(&mut self, d: Slot, pointer: Slot, offset: i32, bytes: u8) -> Result<(), RunEnd> {
        let start = self.get(pointer);
        let value = match self.memory.load_fast(start, offset, u64::from(bytes)) {
            Some(value) => value,
            None => {
                let at = self.moved(start, i64::from(offset));
                let loaded = self.memory.load_pointer(at, &mut self.draws);
                self.modelled()?;
                match loaded {
                    Ok(value) => value,
                    Err(fault) => Value::number(self.arbitrary_after(fault, Scalar::Ptr)? as u64),
                }
            }
        };
        self.set(d, value);
        Ok(())
    }

    pub fn arbitrary_after(&mut self, fault: Fault, ty: Scalar) -> Result<u128, RunEnd> {
        self.fault(fault)?;
        let edge = self.edge();
        Ok(self.draws.undefined(edge, ty))
    }

    #[inline(always)]
    pub fn store(&mut self, a: Slot, pointer: Slot, offset: i32, bytes: u8) -> Result<(), RunEnd> {
        let (start, value) = (self.get(pointer), self.get(a));
        if self.memory.store_fast(start, offset, u64::from(bytes), value) {
            return Ok(());
        }
        let at = self.moved(start, i64::from(offset));
        let stored = self.memory.store(at, u64::from(bytes), u128::from(value.bits), value.origin);
        stored.or_else(|fault| self.fault(fault))
    }

    #[cold]
    pub fn undefined_result(&mut self, d: Slot, what: &'static str, unused: u8) -> Result<(), RunEnd> {
        let bits = self.arbitrary(what, Scalar::int(64, false))?;
        self.set(d, Value::number(bits as u64 & u64::MAX >> unused));
        Ok(())
    }

    pub fn generic(&mut self, generic: Generic) -> Result<(), RunEnd> {
        let Generic { operator, d, result, a, b } = generic;
        let (x, model) = (self.bits(a), self.program.model);
        let (bits, what) = match operator {
            Operator::Unary(op) => (scalar::unary(model, op, a.ty, x), "undefined operation"),
            Operator::Binary(op) => {
                let what = match op {
                    BinOp::Div | BinOp::Rem => "division by zero",
                    _ => "shift by a negative or too large number",
                };
                (scalar::binary(model, op, a.ty, b.ty, x, self.bits(b)), what)
            }
            Operator::Cast => {
                (scalar::cast(model, a.ty, result, x), "conversion of a float that the integer cannot hold")
            }
        };
        let bits = match bits {
            Some(bits) => bits,
            None => self.arbitrary(what, result)?,
        };
        self.set_bits(d, result, bits);
        Ok(())
    }

    pub fn float(&mut self, kind: FloatKind, op: Fp, d: Slot, a: Slot, b: Slot) {
        let op = match op {
            Fp::Add => BinOp::Add,
            Fp::Sub => BinOp::Sub,
            Fp::Mul => BinOp::Mul,
            Fp::Div => BinOp::Div,
            Fp::Eq => BinOp::Eq,
            Fp::Lt => BinOp::Lt,
            Fp::Le => BinOp::Le,
        };
        let (x, y) = (u128::from(self.get(a).bits), u128::from(self.get(b).bits));
        let ty = Scalar::Float(kind);
        let bits = scalar::binary(self.program.model, op, ty, ty, x, y).expect("float operations are total");
        self.set(d, Value::number(bits as u64));
    }

    /// Notes an edge; `Err` if it is not the next one of the path to follow.
    pub fn trace(&mut self, edge: EdgeId) -> Result<(), RunEnd> {
        if self.path.is_some_and(|path| path.get(self.taken.len()) != Some(&edge)) {
            return Err(RunEnd::Diverged);
        }
        self.taken.push(edge);
        self.draws.now = self.taken.len() as u32;
        if self.options.tracing == Tracing::Values {
            self.history.activations.push(self.activation);
        }
        Ok(())
    }

    /// Notes what an edge did; values of assignments come after the edge, what conditions read before it.
    pub fn note(&mut self, at: u32) {
        let Note { what, ahead } = self.compiler.code.notes[at as usize];
        debug_assert!(ahead || !self.taken.is_empty(), "what an edge did comes after it");
        let step = self.taken.len() as u32 - u32::from(!ahead);
        let edge = self.edge();
        let fact = match what {
            Noted::Value(operand) => EdgeEffect::Value { ty: operand.ty, bits: self.bits(operand) },
            Noted::Read(place) => self.piece(place).map_or(EdgeEffect::Nothing, EdgeEffect::Read),
            Noted::Written(place) => self.piece(place).map_or(EdgeEffect::Nothing, EdgeEffect::Written),
        };
        self.history.facts.push(Noticed { step, edge, fact });
    }

    /// The addresses of a piece of memory; `None` where it leaves its object.
    fn piece(&self, place: Touched) -> Option<std::ops::Range<u64>> {
        let start = self.moved(self.get(place.pointer), i64::from(place.offset));
        let room = self.memory.room(start).ok()?;
        let size = match place.size {
            Size::Bytes(bytes) => bytes,
            Size::Slot(slot) => self.get(slot).bits,
            Size::Rest => room,
        };
        Some(start.bits..start.bits + size.min(room))
    }

    pub fn breathe(&mut self) -> Result<u64, RunEnd> {
        self.cancel.check().map_err(RunEnd::Stopped)?;
        if self.steps >= self.options.steps {
            return Err(RunEnd::StepLimit);
        }
        Ok((self.steps + BREATH).min(self.options.steps))
    }
}
