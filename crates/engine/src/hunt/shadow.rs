//! Where the values of a run come from: a pass along its path that knows for each register and each byte of memory
//! how it was computed from the choices of the run, if from any. It is what a concolic execution [GKS05] keeps, made
//! afterwards from the history; addresses are those of the run.

use crate::evidence::dereferenced;
use base::IdVec;
use cfa::{EdgeId, Expr, ExprId, Op, Program, VarId};
use rustc_hash::FxHashMap;
use semantics::history::{DrawnByte, EdgeEffect};
use semantics::interpreter::InterpreterRun;
use std::ops::Range;

/// Of longer pieces of memory only the start is followed.
const MOST_BYTES: u64 = 4096;
/// In place of the activation of a global.
const GLOBAL: u32 = 0;

base::define_id!(
    /// A value that depends on choices.
    DefId,
    "d"
);

/// How a value was computed.
#[derive(Clone, Debug)]
pub enum Def {
    /// It is the choice with this number.
    Havoc(u32),
    /// It is made of uninitialised bytes: their births and offsets.
    Bytes(Vec<(u32, u64)>),
    /// It is the result of the undefined operation with this number.
    Undefined(u32),
    /// By an expression.
    Apply(Apply),
}

/// An expression at some step of the run.
#[derive(Clone, Debug)]
pub struct Apply {
    /// What was computed.
    pub expr: ExprId,
    /// Variables and loads in it that depend on choices.
    pub inputs: Vec<(ExprId, DefId)>,
    /// The values of its variables, where known.
    pub known: Vec<(ExprId, u128)>,
}

/// One byte of memory.
#[derive(Clone, Copy)]
enum Piece {
    /// The byte with this number of a value that was stored.
    Stored(DefId, u8),
    Drawn(u32, u64),
}

/// An activation that has not ended.
struct Frame {
    activation: u32,
    call: Option<usize>,
}

/// The state of the pass.
pub struct Shadow<'r> {
    program: &'r Program,
    run: &'r InterpreterRun,
    /// All values that depend on choices.
    pub defs: IdVec<DefId, Def>,
    /// How many choices were drawn so far.
    pub havocs: u32,
    /// How many undefined operations there were so far.
    pub undefined: u32,
    registers: FxHashMap<(u32, VarId), DefId>,
    values: FxHashMap<(u32, VarId), u128>,
    memory: FxHashMap<u64, Piece>,
    frames: Vec<Frame>,
    /// The largest activation so far.
    newest: u32,
    /// What the last step read.
    loads: Vec<(ExprId, DefId)>,
    next_fact: usize,
    next_byte: usize,
}

impl<'r> Shadow<'r> {
    /// Before the first step of a run with values traced.
    pub fn new(program: &'r Program, run: &'r InterpreterRun) -> Self {
        Self {
            program,
            run,
            defs: IdVec::default(),
            havocs: 0,
            undefined: 0,
            registers: FxHashMap::default(),
            values: FxHashMap::default(),
            memory: FxHashMap::default(),
            frames: Vec::new(),
            newest: 0,
            loads: Vec::new(),
            next_fact: 0,
            next_byte: 0,
        }
    }

    /// The calls that have not ended, oldest first.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = EdgeId> + '_ {
        self.frames.iter().filter_map(|frame| frame.call).map(|call| self.run.path[call])
    }

    /// Does a step; says whether it is a condition that depends on choices.
    pub fn step(&mut self, at: usize) -> bool {
        let edge = self.run.path[at];
        let activation = self.run.history.activations[at];
        self.set_frame(at, activation);
        let op = &self.program.edges[edge].op;
        let condition = matches!(op, Op::Assume(_));
        self.draw(at + usize::from(!condition));
        let (mut reads, mut writes, mut value) = (Vec::new(), Vec::new(), None);
        while let Some(noticed) = self.run.history.facts.get(self.next_fact).filter(|fact| fact.step as usize <= at) {
            self.next_fact += 1;
            match &noticed.fact {
                EdgeEffect::Read(range) => reads.push(Some(range.clone())),
                EdgeEffect::Nothing => reads.push(None),
                EdgeEffect::Written(range) => writes.push(range.clone()),
                // The result of a call comes after the callee's return, which gave the same value.
                EdgeEffect::Value { bits, .. } if noticed.edge == edge => value = Some(*bits),
                EdgeEffect::Value { .. } => {}
            }
        }
        let undefined = &self.run.history.undefined;
        let ended = undefined.partition_point(|&taken| taken as usize <= at + usize::from(!condition)) as u32;
        let branches = self.operation(at, activation, op, &reads, &writes, value);
        self.undefined = ended;
        branches
    }

    fn operation(
        &mut self,
        at: usize,
        activation: u32,
        op: &Op,
        reads: &[Option<Range<u64>>],
        writes: &[Range<u64>],
        value: Option<u128>,
    ) -> bool {
        let loads = self.loads(op, reads);
        self.loads.clone_from(&loads);
        match op {
            Op::Assume(condition) => return self.apply(*condition, activation, &loads).is_some(),
            Op::Assign(var, expr) => {
                let def = self.define(*expr, activation, &loads);
                self.assign(activation, *var, def, value);
            }
            Op::Havoc(var, _) => {
                let def = self.defs.push(Def::Havoc(self.havocs));
                self.havocs += 1;
                self.assign(activation, *var, Some(def), value);
            }
            Op::Store { value: stored, .. } => {
                let def = self.define(*stored, activation, &loads);
                for (number, address) in writes.iter().flat_map(bytes).enumerate() {
                    self.put(address, def.map(|def| Piece::Stored(def, number as u8)));
                }
            }
            Op::Copy { .. } => {
                let pieces: Vec<Option<Piece>> = reads
                    .iter()
                    .flatten()
                    .next_back()
                    .into_iter()
                    .flat_map(bytes)
                    .map(|address| self.memory.get(&address).copied())
                    .collect();
                for (address, piece) in writes.iter().flat_map(bytes).zip(pieces) {
                    self.put(address, piece);
                }
            }
            Op::Call { function, args, .. } => {
                let callee = self.run.history.activations.get(at + 1).copied().unwrap_or(self.newest + 1);
                for (&param, &arg) in self.program.functions[*function].params.iter().zip(args) {
                    let def = self.define(arg, activation, &loads);
                    let value = self.known(arg, activation);
                    self.assign(callee, param, def, value);
                }
            }
            Op::Return(expr) => {
                let def = expr.and_then(|expr| self.define(expr, activation, &loads));
                let call = self.frames.last().and_then(|frame| frame.call);
                if let Some(call) = call
                    && let Some(result) = self.program.edges[self.run.path[call]].op.variable()
                {
                    self.assign(self.run.history.activations[call], result, def, value);
                }
            }
            Op::Allocate { .. } | Op::CallPointer { .. } | Op::Library { .. } => {
                if let Some(var) = op.variable() {
                    self.assign(activation, var, None, value);
                }
                writes.iter().flat_map(bytes).for_each(|address| self.put(address, None));
            }
            Op::Init(_) | Op::Declare(_) | Op::Fill { .. } => {
                writes.iter().flat_map(bytes).for_each(|address| self.put(address, None));
            }
            // Its bytes are drawn one by one, at once or when they are read.
            Op::HavocMemory { .. } => {}
            Op::Skip | Op::Free(_) | Op::End(_) | Op::Halt(_) | Op::Unsupported(_) => {}
        }
        false
    }

    /// How the condition of another edge of the branch just taken depends on choices.
    pub fn condition(&self, at: usize, other: EdgeId) -> Option<Apply> {
        match self.program.edges[other].op {
            Op::Assume(condition) => self.apply(condition, self.run.history.activations[at], &self.loads),
            _ => None,
        }
    }

    /// The pointers at which the run may have ended, where they depend on choices: those of the last step, and of the
    /// conditions after it.
    pub fn last_pointers(&mut self) -> Vec<Apply> {
        let Some(&last) = self.run.path.last() else { return Vec::new() };
        let program = self.program;
        let edge = &program.edges[last];
        let mut activation = self.run.history.activations[self.run.path.len() - 1];
        let mut found = self.pointers(&edge.op, activation, &self.loads);
        let node = match edge.op {
            Op::Call { function, .. } => {
                activation = self.newest + 1;
                program.functions[function].entry
            }
            Op::Return(_) => {
                let Some(call) = self.frames.last().and_then(|frame| frame.call) else { return found };
                activation = self.run.history.activations[call];
                program.edges[self.run.path[call]].to
            }
            _ => edge.to,
        };
        self.draw(self.run.path.len());
        let facts = &self.run.history.facts[self.next_fact..];
        let reads: Vec<Option<Range<u64>>> = facts
            .iter()
            .filter_map(|noticed| match &noticed.fact {
                EdgeEffect::Read(range) => Some(Some(range.clone())),
                EdgeEffect::Written(_) | EdgeEffect::Value { .. } | EdgeEffect::Nothing => None,
            })
            .collect();
        for next in program.leaving(node).take(1) {
            let op = &program.edges[next].op;
            if matches!(op, Op::Assume(_)) {
                let loads = self.loads(op, &reads);
                found.extend(self.pointers(op, activation, &loads));
            }
        }
        found
    }

    fn pointers(&self, op: &Op, activation: u32, loads: &[(ExprId, DefId)]) -> Vec<Apply> {
        let pointers = dereferenced(self.program, op);
        pointers.into_iter().filter_map(|pointer| self.apply(pointer, activation, loads)).collect()
    }

    fn set_frame(&mut self, at: usize, activation: u32) {
        self.newest = self.newest.max(activation);
        while self.frames.last().is_some_and(|frame| frame.activation > activation) {
            self.frames.pop();
        }
        if self.frames.last().is_none_or(|frame| frame.activation != activation) {
            self.frames.push(Frame { activation, call: at.checked_sub(1) });
        }
    }

    /// Takes note of the bytes that were drawn when `taken` edges were taken, or before.
    fn draw(&mut self, taken: usize) {
        while let Some(&DrawnByte { address, birth, offset, .. }) =
            self.run.history.bytes.get(self.next_byte).filter(|byte| byte.taken as usize <= taken)
        {
            self.next_byte += 1;
            self.memory.insert(address, Piece::Drawn(birth, offset));
        }
    }

    fn put(&mut self, address: u64, piece: Option<Piece>) {
        match piece {
            Some(piece) => self.memory.insert(address, piece),
            None => self.memory.remove(&address),
        };
    }

    fn key(&self, activation: u32, var: VarId) -> (u32, VarId) {
        (if self.program.vars[var].function.is_some() { activation } else { GLOBAL }, var)
    }

    fn assign(&mut self, activation: u32, var: VarId, def: Option<DefId>, value: Option<u128>) {
        let key = self.key(activation, var);
        match def {
            Some(def) => self.registers.insert(key, def),
            None => self.registers.remove(&key),
        };
        match value {
            Some(value) => self.values.insert(key, value),
            None => self.values.remove(&key),
        };
    }

    /// The value of a global register, or of one in the oldest activation that has one, where it is known.
    pub fn value(&self, var: VarId) -> Option<u128> {
        let activations = self.frames.iter().map(|frame| frame.activation).take(4);
        let mut keys = std::iter::once(GLOBAL).chain(activations).map(|activation| (activation, var));
        keys.find_map(|key| self.values.get(&key).copied())
    }

    fn known(&self, expr: ExprId, activation: u32) -> Option<u128> {
        match self.program.exprs.node(expr) {
            Expr::Var(var) => self.values.get(&self.key(activation, var)).copied(),
            Expr::Const { .. } => self.program.exprs.constant(expr),
            _ => None,
        }
    }

    /// The loads of an operation that depend on choices. Operands have smaller numbers than what they are part of, and
    /// are mostly read in that order.
    fn loads(&mut self, op: &Op, reads: &[Option<Range<u64>>]) -> Vec<(ExprId, DefId)> {
        if reads.is_empty() {
            return Vec::new();
        }
        let mut loads = Vec::new();
        for root in op.operands() {
            self.program.exprs.visit(root, |id, node| {
                if matches!(node, Expr::Load(_)) {
                    loads.push(id);
                }
            });
        }
        loads.sort_unstable();
        loads.dedup();
        let mut undefined = self.undefined;
        let mut defined = Vec::new();
        for (load, range) in loads.into_iter().zip(reads) {
            let def = match range {
                Some(range) => self.loaded(range),
                None => {
                    undefined += 1;
                    Some(self.defs.push(Def::Undefined(undefined - 1)))
                }
            };
            defined.extend(def.map(|def| (load, def)));
        }
        defined
    }

    fn loaded(&mut self, range: &Range<u64>) -> Option<DefId> {
        let mut drawn = Vec::new();
        for (number, address) in bytes(range).enumerate() {
            match *self.memory.get(&address)? {
                Piece::Stored(def, byte) if usize::from(byte) == number => {
                    if number as u64 + 1 == range.end - range.start {
                        return Some(def);
                    }
                }
                Piece::Stored(..) => return None,
                Piece::Drawn(birth, offset) => drawn.push((birth, offset)),
            }
        }
        (drawn.len() as u64 == range.end - range.start).then(|| self.defs.push(Def::Bytes(drawn)))
    }

    fn define(&mut self, expr: ExprId, activation: u32, loads: &[(ExprId, DefId)]) -> Option<DefId> {
        let apply = self.apply(expr, activation, loads)?;
        match apply.inputs.as_slice() {
            &[(input, def)] if input == expr => Some(def),
            _ => Some(self.defs.push(Def::Apply(apply))),
        }
    }

    /// How an expression depends on choices, if it does.
    fn apply(&self, expr: ExprId, activation: u32, loads: &[(ExprId, DefId)]) -> Option<Apply> {
        let (mut inputs, mut vars) = (Vec::new(), Vec::new());
        self.program.exprs.visit(expr, |id, node| match node {
            Expr::Var(var) => {
                inputs.extend(self.registers.get(&self.key(activation, var)).map(|&def| (id, def)));
                vars.push(id);
            }
            Expr::Load(_) => inputs.extend(loads.iter().find(|(load, _)| *load == id)),
            _ => {}
        });
        if inputs.is_empty() {
            return None;
        }
        let known = vars.into_iter().filter_map(|id| Some((id, self.known(id, activation)?))).collect();
        Some(Apply { expr, inputs, known })
    }
}

fn bytes(range: &Range<u64>) -> Range<u64> {
    range.start..range.end.min(range.start + MOST_BYTES)
}
