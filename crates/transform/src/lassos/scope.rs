//! What belongs to a loop or a recursive function: its members, and the functions that are called from there. And which
//! writes to memory may change what it reads when it goes on.

use cfa::{Allocation, BinOp, EdgeId, Expr, ExprId, FunctionId, Node, Op, Program, Scalar, VarId};
use flow::{CallGraph, LoopId, Loops};
use std::collections::BTreeSet;

/// What is watched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Watched {
    /// Iterations of a loop.
    Loop(LoopId),
    /// Activations of a function inside each other.
    Function(FunctionId),
}

/// A loop or a recursive function with all that happens while it runs.
pub struct Scope {
    /// Which.
    pub what: Watched,
    /// Whose loop, or the function.
    pub function: FunctionId,
    /// Where it begins.
    pub head: Node,
    /// The functions that it calls, and those that they call; a recursive function is among them.
    pub functions: BTreeSet<FunctionId>,
    /// Edges between members of the loop; none of a function.
    pub own: BTreeSet<EdgeId>,
    /// Those, and all edges of the functions.
    pub edges: Vec<EdgeId>,
}

impl Scope {
    /// Of a loop.
    pub fn of_loop(program: &Program, loops: &Loops, calls: &CallGraph, id: LoopId) -> Scope {
        let one = &loops.loops[id];
        let inside = |&edge: &EdgeId| loops.contains(id, program.edges[edge].to);
        let own: BTreeSet<EdgeId> =
            loops.members(id).iter().flat_map(|&node| program.leaving(node)).filter(inside).collect();
        let called = |edge: &EdgeId| match program.edges[*edge].op {
            Op::Call { function, .. } => Some(function),
            _ => None,
        };
        let callees: Vec<FunctionId> = own.iter().filter_map(called).collect();
        Scope::new(program, calls, (Watched::Loop(id), one.function, one.head), own, callees)
    }

    /// Of a recursive function.
    pub fn of_function(program: &Program, calls: &CallGraph, id: FunctionId) -> Scope {
        let head = program.functions[id].entry;
        Scope::new(program, calls, (Watched::Function(id), id, head), BTreeSet::new(), vec![id])
    }

    fn new(
        program: &Program,
        calls: &CallGraph,
        (what, function, head): (Watched, FunctionId, Node),
        own: BTreeSet<EdgeId>,
        mut stack: Vec<FunctionId>,
    ) -> Scope {
        let mut functions = BTreeSet::new();
        while let Some(function) = stack.pop() {
            if functions.insert(function) {
                stack.extend(calls.calls(function).iter().map(|(_, callee)| *callee));
            }
        }
        let elsewhere = program.edges.iter().filter(|(_, edge)| functions.contains(&program.nodes[edge.from].function));
        let edges = own.iter().copied().chain(elsewhere.map(|(edge, _)| edge)).collect();
        assert_eq!(program.nodes[head].function, function, "it begins in its function");
        Scope { what, function, head, functions, own, edges }
    }

    /// The registers that are written while it runs.
    pub fn changed(&self, program: &Program) -> BTreeSet<VarId> {
        self.edges.iter().filter_map(|&edge| program.edges[edge].op.variable()).collect()
    }

    /// Whether what an edge does to memory, if anything, may be seen when it goes on.
    pub fn sees(&self, program: &Program, id: EdgeId) -> bool {
        let edge = &program.edges[id];
        if !writes(&edge.op) {
            return false;
        }
        let function = program.nodes[edge.from].function;
        let is_own = owner(program, &edge.op) == Some(function);
        match self.what {
            // What belongs to an activation is gone when it returns, before the loop goes on.
            Watched::Loop(_) => self.own.contains(&id) || self.functions.contains(&function) && !is_own,
            // Activations further in may have its address; a new object is not theirs yet.
            Watched::Function(_) => {
                self.functions.contains(&function) && !(is_own && matches!(edge.op, Op::Declare(_)))
            }
        }
    }
}

/// Whether an operation may change memory, or what lives there.
fn writes(op: &Op) -> bool {
    match op {
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Call { .. } | Op::Return(_) => false,
        Op::Halt(_) | Op::Unsupported(_) => false,
        Op::Library { function, .. } => !function.writes().is_empty(),
        Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => true,
        Op::Allocate { .. } | Op::Free(_) | Op::End(_) | Op::Init(_) | Op::CallPointer { .. } => true,
    }
}

/// The function whose activation owns the memory that an operation changes, where that is clear.
fn owner(program: &Program, op: &Op) -> Option<FunctionId> {
    let var = match op {
        Op::Declare(var) => Some(*var),
        Op::Store { to, .. } | Op::Copy { to, .. } | Op::Fill { to, .. } => object(program, *to),
        Op::HavocMemory { to, .. } | Op::End(to) => object(program, *to),
        // Gone when the function returns.
        Op::Allocate { how: Allocation::Stack, result, .. } => Some(*result),
        _ => None,
    };
    var.and_then(|var| program.vars[var].function)
}

/// A store whose value can be compared with what is there. Pointers also have an origin, which cannot.
pub fn compared(program: &Program, op: &Op) -> Option<(ExprId, ExprId)> {
    match *op {
        Op::Store { to, value } if program.exprs.ty(value).is_int() => Some((to, value)),
        _ => None,
    }
}

/// The variable that a pointer is made from.
pub fn object(program: &Program, pointer: ExprId) -> Option<VarId> {
    match program.exprs.node(pointer) {
        Expr::Addr(var) => Some(var),
        Expr::Binary(BinOp::PtrAdd, base, _) => object(program, base),
        Expr::Cast(inner) if program.exprs.ty(inner) == Scalar::Ptr => object(program, inner),
        _ => None,
    }
}
