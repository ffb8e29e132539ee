//! What is known of an execution at one place: registers, memory, which objects live.

use crate::{Encoder, SymbolicState as State, SymbolicValue as Value, memory::Writes};
use base::define_id;
use cfa::{EdgeId, FunctionId, VarId, types::Type};
use smt::TermId;
use std::collections::{BTreeMap, BTreeSet};

define_id!(
    /// An object of the allocation table.
    ObjectId,
    "object"
);

/// A value: its bits, or a truth value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SymbolicValue {
    /// A bit vector, for `Bool` a truth value.
    pub bits: TermId,
    /// For a pointer that was made from an object's address: which, and how far after its first byte. Then the bits
    /// are the sum of the object's base and this offset.
    pub origin: Option<(ObjectId, TermId)>,
}

impl SymbolicValue {
    /// A value that carries no object.
    pub fn plain(bits: TermId) -> SymbolicValue {
        SymbolicValue { bits, origin: None }
    }
}

/// A function that runs.
#[derive(Clone, Debug)]
pub struct SymbolicFrame {
    /// Which.
    pub function: FunctionId,
    /// The call; `None` for the program's first function.
    pub call: Option<EdgeId>,
    /// Its registers.
    pub registers: BTreeMap<VarId, Value>,
    /// Its variables in memory.
    pub(crate) objects: BTreeMap<VarId, ObjectId>,
}

/// A place in an execution.
#[derive(Clone, Debug)]
pub struct SymbolicState {
    /// The execution comes here.
    pub guard: TermId,
    /// The functions that run, the innermost last. The first holds the global registers, too.
    pub frames: Vec<SymbolicFrame>,
    pub(crate) memory: Writes,
    /// Objects that are not listed do not live, unless they always do.
    pub(crate) live: BTreeMap<ObjectId, TermId>,
    /// Locals whose scope may have ended before. If they live again, it is another object in the same row: a pointer that does
    /// not carry the object may be one to the dead one.
    pub(crate) ended: BTreeSet<ObjectId>,
    /// By address, how many bytes there are from it on in a living object that the table does not know: an older one, or
    /// one of the world outside; zero where there is none.
    pub(crate) rooms: TermId,
    /// Whether the table knows all objects of the program, since the execution began at its start.
    pub(crate) from_start: bool,
}

impl SymbolicState {
    /// Whether executions that come to one place are in the same functions, so that they can be merged.
    pub fn meets(&self, other: &State) -> bool {
        let same = |(a, b): (&SymbolicFrame, &SymbolicFrame)| a.call == b.call && a.objects == b.objects;
        self.frames.len() == other.frames.len() && self.frames.iter().zip(&other.frames).all(same)
    }
}

impl Encoder<'_> {
    /// Two executions meet: the state is that of `a` where its guard holds, else that of `b`.
    pub fn merge(&self, mut a: State, b: State) -> State {
        let choice = a.guard;
        assert_eq!(a.frames.len(), b.frames.len(), "executions that meet are in the same functions");
        for (frame, other) in a.frames.iter_mut().zip(&b.frames) {
            for (var, value) in &mut frame.registers {
                *value = self.choose(choice, *value, other.registers[var]);
            }
        }
        for object in a.live.keys().chain(b.live.keys()).copied().collect::<Vec<_>>() {
            let lives = self.terms.ite(choice, self.lives(&a, object), self.lives(&b, object));
            a.live.insert(object, lives);
        }
        a.ended.extend(b.ended);
        State {
            guard: self.terms.or([choice, b.guard]),
            memory: self.merge_memory(choice, a.memory, b.memory),
            rooms: self.terms.ite(choice, a.rooms, b.rooms),
            from_start: a.from_start && b.from_start,
            ..a
        }
    }

    /// `a` where the condition holds, else `b`. The object is kept if both have the same.
    pub(crate) fn choose(&self, condition: TermId, a: Value, b: Value) -> Value {
        match (a.origin, b.origin) {
            (Some((x, at)), Some((y, other))) if x == y => self.pointer(x, self.terms.ite(condition, at, other)),
            _ => Value::plain(self.terms.ite(condition, a.bits, b.bits)),
        }
    }

    /// What a register holds.
    pub(crate) fn register(&self, state: &State, var: VarId) -> Value {
        let found = state.frames.iter().rev().find_map(|frame| frame.registers.get(&var));
        found.copied().unwrap_or_else(|| {
            self.not_running(var);
            self.arbitrary(var)
        })
    }

    /// A register holds a value from now on.
    pub fn assign(&self, state: &mut State, var: VarId, value: Value) {
        let frame = state.frames.iter_mut().rev().find(|frame| frame.registers.contains_key(&var));
        let Some(frame) = frame else { return self.not_running(var) };
        let old = frame.registers.insert(var, value).expect("the frame has it");
        assert_eq!(self.terms.width(value.bits), self.terms.width(old.bits), "a register keeps its width");
    }

    pub(crate) fn not_running(&self, var: VarId) {
        let name = self.program.var_name(var);
        self.unsupported(format!("`{name}`, which is not a variable of a function that is running"));
    }

    /// A register holds any value of its type.
    pub fn havoc(&self, state: &mut State, var: VarId) {
        self.assign(state, var, self.arbitrary(var));
    }

    /// An arbitrary value of a register's type. A `_Bool` is 0 or 1.
    pub fn arbitrary(&self, var: VarId) -> Value {
        let ty = self.program.register(var).expect("a variable in memory is no register");
        let width = ty.bits(self.program.model);
        let bits = self.fresh_bits(self.program.var_name(var), width);
        if *self.program.types.get(self.program.vars[var].ty) == Type::Bool {
            self.assume(self.terms.bv_ule(bits, self.terms.bv_u64(width, 1)));
        }
        Value::plain(bits)
    }
}
