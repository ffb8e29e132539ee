//! What is known of an execution at one place: registers, memory, which objects live.

use crate::{Encoder, RowId, SymbolicState as State, SymbolicValue as Value, WriteList};
use cfa::{EdgeId, VarId, types::Type};
use smt::TermId;
use std::collections::{BTreeMap, BTreeSet};

/// A value: its bits, or a truth value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SymbolicValue {
    /// A bit vector, for `Bool` a truth value.
    pub bits: TermId,
    /// For a pointer that was made from an object's address: which, and how far after its first byte. Then the bits
    /// are the sum of the object's base and this offset.
    pub origin: Option<(RowId, TermId)>,
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
    /// The call; `None` for the program's first function.
    pub call: Option<EdgeId>,
    /// What its registers hold; those of the first function are the global ones, too.
    pub registers: BTreeMap<VarId, Value>,
    /// Its variables in memory.
    pub objects: BTreeMap<VarId, RowId>,
}

/// A place in an execution.
#[derive(Clone, Debug)]
pub struct SymbolicState {
    /// The execution comes here.
    pub guard: TermId,
    /// The functions that run, the innermost last.
    pub frames: Vec<SymbolicFrame>,
    /// What was written to memory.
    pub memory: WriteList,
    /// Objects that are not listed do not live, unless they always do.
    pub live: BTreeMap<RowId, TermId>,
    /// Locals whose scope may have ended before. If they live again, it is another object in the same row: a pointer that does
    /// not carry the object may be one to the dead one.
    pub ended: BTreeSet<RowId>,
    /// By address, how many bytes there are from it on in a living object that the table does not know: an older one, or
    /// one of the world outside; zero where there is none.
    pub rooms: TermId,
    /// Whether the table knows all objects of the program, since the execution began at its start.
    pub from_start: bool,
}

impl Encoder<'_> {
    /// `a` where the condition holds, else `b`. The object is kept if both have the same.
    pub fn choose(&self, condition: TermId, a: Value, b: Value) -> Value {
        match (a.origin, b.origin) {
            (Some((x, at)), Some((y, other))) if x == y => self.pointer(x, self.terms.ite(condition, at, other)),
            _ => Value::plain(self.terms.ite(condition, a.bits, b.bits)),
        }
    }

    pub(crate) fn register(&self, state: &State, var: VarId) -> Value {
        let found = state.frames.iter().rev().find_map(|frame| frame.registers.get(&var).copied());
        found.unwrap_or_else(|| {
            self.not_running(var);
            self.arbitrary(var)
        })
    }

    /// A register of the innermost frame that has it gets a value.
    pub fn assign(&self, state: &mut State, var: VarId, value: Value) {
        match state.frames.iter_mut().rev().find_map(|frame| frame.registers.get_mut(&var)) {
            Some(register) => *register = value,
            None => self.not_running(var),
        }
    }

    pub(crate) fn not_running(&self, var: VarId) {
        let name = self.program.var_name(var);
        self.unsupported(format!("`{name}`, which is not a variable of a function that is running"));
    }

    /// An arbitrary value of a register's type. A `_Bool` is 0 or 1.
    pub fn arbitrary(&self, var: VarId) -> Value {
        let ty = self.program.register(var).expect("a variable in memory is no register");
        let bits = self.fresh_bits(self.program.var_name(var), ty.bits(self.program.model));
        if *self.program.types.get(self.program.vars[var].ty) == Type::Bool {
            let one = self.terms.bv_u64(ty.bits(self.program.model), 1);
            self.tables.assumed.borrow_mut().push(self.terms.bv_ule(bits, one));
        }
        Value::plain(bits)
    }
}
