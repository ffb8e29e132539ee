//! What an edge does.

use crate::expr::ExprId;
use crate::library::Library;
use crate::program::{FunctionId, VarId};
use crate::types::TypeId;
use base::Symbol;

/// Where an arbitrary value comes from; counterexamples name it, replay feeds it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A call of `__VERIFIER_nondet_*`: an input of the program.
    Input(Symbol),
    /// An uninitialised variable or uninitialised memory.
    Uninitialised,
    /// A pointer variable that may be read before it is set: it is null or points outside the program.
    Indeterminate,
    /// What a function without body returned or wrote.
    Extern(Symbol),
    /// An output of inline assembly.
    Asm,
    /// A parameter of the entry function.
    Parameter,
}

/// How an object comes to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Allocation {
    /// `malloc`: arbitrary bytes, lives until freed.
    Heap,
    /// `calloc`: zero bytes, lives until freed.
    HeapZeroed,
    /// `alloca` or a variable-length array: arbitrary bytes, lives until the function returns.
    Stack,
    /// `realloc` of this pointer: the old bytes as far as they fit, then arbitrary ones; the old object is freed.
    /// Of a null pointer: as `Heap`.
    Resize(ExprId),
}

/// The operation of an edge. Evaluating an expression never fails: where C leaves behaviour undefined, the value is
/// arbitrary (see `BinOp` and the project's semantics). Writes outside an object change no object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Goes on only where the condition (of type `Bool`) holds. A branch is a pair of edges, the condition first,
    /// its negation second.
    Assume(ExprId),
    /// A register variable gets a value of its type.
    Assign(VarId, ExprId),
    /// A register variable gets an arbitrary value of its type.
    Havoc(VarId, Source),
    /// A global memory variable gets its static initial bytes (only in the entry function).
    Init(VarId),
    /// A local memory variable comes into scope: its bytes become arbitrary.
    Declare(VarId),
    /// Memory at `to` gets the bytes of `value`.
    Store {
        /// A pointer.
        to: ExprId,
        /// Any type but `Bool`.
        value: ExprId,
    },
    /// `size` bytes are copied; the ranges may overlap.
    Copy {
        /// A pointer.
        to: ExprId,
        /// A pointer.
        from: ExprId,
        /// Bytes, of the size type.
        size: ExprId,
    },
    /// `size` bytes at `to` become `byte`.
    Fill {
        /// A pointer.
        to: ExprId,
        /// A `u8`.
        byte: ExprId,
        /// Bytes, of the size type.
        size: ExprId,
    },
    /// Bytes become arbitrary: `size` of them, or the whole object that `to` points into.
    HavocMemory {
        /// A pointer; null changes nothing.
        to: ExprId,
        /// Bytes, of the size type.
        size: Option<ExprId>,
        /// Whose doing.
        source: Source,
    },
    /// A fresh object of `size` bytes; its address goes to `result`.
    Allocate {
        /// A register variable of type `Ptr`.
        result: VarId,
        /// Bytes, of the size type.
        size: ExprId,
        /// Which kind of memory.
        how: Allocation,
    },
    /// The heap object at this pointer ends its life; null changes nothing.
    Free(ExprId),
    /// The scope of the stack object at this pointer ends, and its life with it: the address of a local variable, or that
    /// of a variable-length array.
    End(ExprId),
    /// Calls a function with a body: its parameters get the arguments, its result goes to `result`.
    Call {
        /// Whom.
        function: FunctionId,
        /// As many and of the same types as the parameters.
        args: Box<[ExprId]>,
        /// A register variable of the result's type.
        result: Option<VarId>,
    },
    /// Calls through a pointer; gone once `resolve` has replaced it by calls of what it may point to.
    CallPointer {
        /// The callee.
        pointer: ExprId,
        /// In the order of parameters that the pointer's function type lowers to.
        args: Box<[ExprId]>,
        /// A register variable.
        result: Option<VarId>,
        /// The C function type that the pointer is called as.
        ty: TypeId,
    },
    /// Ends the function: its result variable gets the value; the edge leads to the function's exit.
    Return(Option<ExprId>),
    /// A library function that only the interpreter executes exactly; to analyses its result and what it writes are
    /// arbitrary, see [`Library`].
    Library {
        /// Which.
        function: Library,
        /// As C passes them, after default promotions.
        args: Box<[ExprId]>,
        /// A register variable.
        result: Option<VarId>,
    },
    /// The program ends (`exit`, `abort`), with an exit status where there is one.
    Halt(Option<ExprId>),
    /// C that is not modelled: an analysis that reaches this edge must answer UNKNOWN.
    Unsupported(Symbol),
}

impl Op {
    /// The expressions that an operation evaluates.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + '_ {
        let (few, list): ([Option<ExprId>; 3], &[ExprId]) = match self {
            Op::Skip | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Unsupported(_) => ([None; 3], &[]),
            Op::Assume(e) | Op::Assign(_, e) | Op::Free(e) | Op::End(e) => ([Some(*e), None, None], &[]),
            Op::Return(e) | Op::Halt(e) => ([*e, None, None], &[]),
            Op::Store { to, value } => ([Some(*to), Some(*value), None], &[]),
            Op::Copy { to, from: other, size } | Op::Fill { to, byte: other, size } => {
                ([Some(*to), Some(*other), Some(*size)], &[])
            }
            Op::HavocMemory { to, size, source: _ } => ([Some(*to), *size, None], &[]),
            Op::Allocate { result: _, size, how } => {
                let old = match how {
                    Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack => None,
                    Allocation::Resize(old) => Some(*old),
                };
                ([Some(*size), old, None], &[])
            }
            Op::Call { args, .. } | Op::Library { args, .. } => ([None; 3], args),
            Op::CallPointer { pointer, args, .. } => ([Some(*pointer), None, None], args),
        };
        few.into_iter().flatten().chain(list.iter().copied())
    }

    /// The variable that an operation names besides those in its expressions: a register that it writes, or a memory
    /// variable that it initialises or declares.
    pub fn variable(&self) -> Option<VarId> {
        match self {
            Op::Assign(var, _) | Op::Havoc(var, _) | Op::Init(var) | Op::Declare(var) => Some(*var),
            Op::Allocate { result, .. } => Some(*result),
            Op::Call { result, .. } | Op::CallPointer { result, .. } | Op::Library { result, .. } => *result,
            Op::Skip | Op::Assume(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => None,
            Op::HavocMemory { .. } | Op::Free(_) | Op::End(_) | Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => {
                None
            }
        }
    }

    /// The operation with the variable of [`Op::variable`] replaced by what `new` says.
    pub fn map_variable(mut self, new: impl Fn(VarId) -> VarId) -> Op {
        match &mut self {
            Op::Assign(var, _) | Op::Havoc(var, _) | Op::Init(var) | Op::Declare(var) => *var = new(*var),
            Op::Allocate { result, .. } => *result = new(*result),
            Op::Call { result, .. } | Op::CallPointer { result, .. } | Op::Library { result, .. } => {
                *result = result.map(new);
            }
            Op::Skip | Op::Assume(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => {}
            Op::HavocMemory { .. } | Op::Free(_) | Op::End(_) | Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => {}
        }
        self
    }
}
