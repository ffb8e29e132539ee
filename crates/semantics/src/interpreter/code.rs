//! The compact form that the interpreter runs: a flat array of small instructions on register slots.

use super::value::Value;
use cfa::{Allocation, BinOp, EdgeId, FunctionId, Library, Living, Scalar, Source, UnOp, VarId};

/// A slot: with [`GLOBAL`] set from the start of the slot array, else from the frame's base.
pub(super) type Slot = u32;
/// Marks slots of globals and constants.
pub(super) const GLOBAL: Slot = 1 << 31;
/// An address in the code.
pub(super) type Pc = u32;

/// Arithmetic on binary32 and binary64.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fp {
    Add,
    Sub,
    Mul,
    Div,
    Eq,
    Lt,
    Le,
}

/// An instruction. Slots are `d` (result), `a`, `b`; `unused` is 64 minus the width of the operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Inst {
    Move {
        d: Slot,
        a: Slot,
    },
    MoveWide {
        d: Slot,
        a: Slot,
    },
    MoveIf {
        d: Slot,
        c: Slot,
        a: Slot,
    },
    MoveWideIf {
        d: Slot,
        c: Slot,
        a: Slot,
    },
    Add {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    /// Keeps the origin of `a`.
    PtrAdd {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    Sub {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    Mul {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    And {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Shl {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    ShrSigned {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    ShrUnsigned {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    DivSigned {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    DivUnsigned {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    RemSigned {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    RemUnsigned {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    Neg {
        d: Slot,
        a: Slot,
        unused: u8,
    },
    BitNot {
        d: Slot,
        a: Slot,
        unused: u8,
    },
    Not {
        d: Slot,
        a: Slot,
    },
    Eq {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    LtSigned {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    LtUnsigned {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    LeSigned {
        d: Slot,
        a: Slot,
        b: Slot,
        unused: u8,
    },
    LeUnsigned {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Cuts to a smaller width.
    Cut {
        d: Slot,
        a: Slot,
        unused: u8,
    },
    /// Extends the sign from one width to another.
    Extend {
        d: Slot,
        a: Slot,
        unused_from: u8,
        unused_to: u8,
    },
    Float32 {
        op: Fp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Float64 {
        op: Fp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// The answer to a question; `pointer` counts where it is about one.
    Living {
        d: Slot,
        question: Living,
        pointer: Slot,
    },
    /// Any operator on any types: index into [`Code::generics`].
    Generic(u32),
    Load {
        d: Slot,
        pointer: Slot,
        offset: i32,
        bytes: u8,
    },
    LoadPointer {
        d: Slot,
        pointer: Slot,
        offset: i32,
        bytes: u8,
    },
    LoadWide {
        d: Slot,
        pointer: Slot,
        offset: i32,
        bytes: u8,
    },
    Store {
        a: Slot,
        pointer: Slot,
        offset: i32,
        bytes: u8,
    },
    StoreWide {
        a: Slot,
        pointer: Slot,
        offset: i32,
        bytes: u8,
    },
    Jump(Pc),
    JumpUnless {
        c: Slot,
        to: Pc,
    },
    JumpUnlessEq {
        a: Slot,
        b: Slot,
        to: Pc,
    },
    JumpIfEq {
        a: Slot,
        b: Slot,
        to: Pc,
    },
    JumpUnlessLtSigned {
        a: Slot,
        b: Slot,
        to: Pc,
        unused: u8,
    },
    JumpUnlessLtUnsigned {
        a: Slot,
        b: Slot,
        to: Pc,
    },
    JumpUnlessLeSigned {
        a: Slot,
        b: Slot,
        to: Pc,
        unused: u8,
    },
    JumpUnlessLeUnsigned {
        a: Slot,
        b: Slot,
        to: Pc,
    },
    /// Ends the run unless the condition holds.
    Require {
        c: Slot,
    },
    /// Index into [`Code::calls`].
    Call(u32),
    Return,
    /// Index into [`Code::effects`].
    Effect(u32),
    /// The edge was taken; only in traced code.
    Trace(EdgeId),
    /// Index into [`Code::notes`]; only in code that notes values.
    Note(u32),
    /// A target was reached.
    Target(u32),
    /// No edge leads on.
    Stuck,
}

/// Which operator a generic instruction applies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    Unary(UnOp),
    Binary(BinOp),
    Cast,
}

/// An operator on operands of any width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Generic {
    pub operator: Operator,
    pub d: Slot,
    pub result: Scalar,
    pub a: Operand,
    pub b: Operand,
}

/// A typed slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub slot: Slot,
    pub ty: Scalar,
}

/// A call of a known function.
#[derive(Clone, Debug)]
pub(super) struct CallSite {
    pub function: FunctionId,
    pub args: Box<[Operand]>,
    pub result: Option<Operand>,
}

/// Operations that are not worth an instruction of their own.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Havoc { d: Operand, source: Source },
    Init(VarId),
    Declare(VarId),
    Copy { to: Slot, from: Slot, size: Slot },
    Fill { to: Slot, byte: Slot, size: Slot },
    HavocMemory { to: Slot, size: Option<Slot>, source: Source },
    Allocate { d: Slot, size: Slot, how: Allocation, old: Option<Slot> },
    Free(Slot),
    End(Slot),
    CallPointer { pointer: Slot, args: Box<[Operand]>, result: Option<Operand> },
    Library { function: Library, args: Box<[Operand]>, result: Option<Operand> },
    Halt(Option<Operand>),
    Unsupported(base::Symbol),
}

/// What code that notes values tells about the edge it belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    pub what: Noted,
    /// Whether it comes before the edge is known to be taken: conditions are evaluated first.
    pub ahead: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Noted {
    /// The value that the edge assigned, stored or returned.
    Value(Operand),
    /// A piece of memory that it read.
    Read(Touched),
    /// A piece of memory that it wrote.
    Written(Touched),
}

/// A piece of memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched {
    pub pointer: Slot,
    pub offset: i32,
    pub size: Size,
}

/// How long a piece of memory is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Bytes(u64),
    /// As long as the slot says.
    Slot(Slot),
    /// Up to the object's end.
    Rest,
}

/// A compiled function.
#[derive(Clone, Debug, Default)]
pub(super) struct Routine {
    /// Where it starts; `None` until it is first called.
    pub entry: Option<Pc>,
    /// Slots of a frame.
    pub frame: u32,
    /// The first slots, which hold variables; the others are temporaries.
    pub variables: u32,
    pub params: Box<[Operand]>,
    pub result: Option<Operand>,
    /// Slots that hold the addresses of memory variables, with their sizes and alignments.
    pub objects: Box<[(Slot, u64, u64)]>,
    /// Those of them that are `const`.
    pub constants: Box<[Slot]>,
}

/// All that was compiled so far.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub insts: Vec<Inst>,
    /// The edge that an instruction belongs to.
    pub edges: Vec<EdgeId>,
    pub generics: Vec<Generic>,
    pub calls: Vec<CallSite>,
    pub effects: Vec<Effect>,
    pub notes: Vec<Note>,
    pub routines: Vec<Routine>,
    /// First values of the global slots.
    pub globals: Vec<Value>,
}
