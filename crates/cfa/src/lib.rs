//! The program as control-flow automata [BHT08]: one automaton per function, nodes are program
//! locations, edges carry operations. After lowering nothing of C's rules is left implicit:
//! expressions are typed, have no side effect and convert only by explicit casts.
#![warn(missing_docs)]

mod call_graph;
mod cells;
pub mod classes;
mod compatible;
mod cone;
mod contracts;
mod dead;
mod dot;
mod expr;
mod filters;
pub mod graph;
mod indeterminate;
pub mod layout;
mod library;
mod live;
mod loops;
mod memory_use;
mod op;
mod order;
mod outside;
pub mod points_to;
mod program;
pub mod regions;
mod resolve;
mod scalar;
mod split;
pub mod standard;
mod substitute;
mod svg;
#[cfg(test)]
mod testing;
mod text;
pub mod types;
mod verify;

pub use call_graph::CallGraph;
pub use cells::Cells;
pub use cone::Cone;
pub use contracts::{Contract, Contracts, Places};
pub use dead::Live;
pub use expr::{BinOp, Expr, ExprId, Exprs, Living, UnOp};
pub use library::Library;
pub use live::Deaths;
pub use loops::{Loop, LoopId, Loops, Writes};
pub use op::{Allocation, Op, Source};
pub use order::{Part, Unordered};
pub use points_to::PointsTo;
pub use program::{
    Edge, EdgeId, Function, FunctionId, FunctionKind, Init, InitCell, Node, NodeInfo, Program, Storage, Target,
    TargetKind, Undefined, VarId, VarKind, Variable,
};
pub use resolve::Outside;
pub use scalar::{DataModel, FloatKind, Scalar};
