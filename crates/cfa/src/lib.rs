//! The program as control-flow automata [BHT08]: one automaton per function, nodes are program
//! locations, edges carry operations. After lowering nothing of C's rules is left implicit:
//! expressions are typed, have no side effect and convert only by explicit casts.
#![warn(missing_docs)]

pub mod addresses;
mod compatible;
mod dot;
mod expr;
pub mod layout;
mod library;
pub mod notation;
mod op;
mod outside;
mod program;
mod scalar;
pub mod standard;
mod substitute;
mod target;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs, clippy::unwrap_used, clippy::new_without_default)]
pub mod testing;
mod text;
pub mod types;
mod unordered;
mod verify;

pub use dot::dot;
pub use expr::{BinOp, Expr, ExprId, Exprs, Living, UnOp};
pub use library::Library;
pub use op::{Allocation, Op, Source};
pub use program::{
    Edge, EdgeId, Function, FunctionId, FunctionKind, Init, InitCell, Node, NodeInfo, Outside, Program, Question,
    Storage, Termination, UNRETURNED, Undefined, VarId, VarKind, Variable, WatchedLoop,
};
pub use scalar::{DataModel, FloatKind, Scalar, half};
pub use target::{Check, CheckCounts, Checks, Target, TargetKind};
pub use unordered::{Unordered, UnorderedPart};
