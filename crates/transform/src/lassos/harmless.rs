//! Writes that change nothing of what decides how a loop goes on, so that it repeats itself although memory is another:
//!
//! 1. a write to memory that is not read where it matters: what the loop adds to a list or counts in a variable;
//! 2. an allocation of such memory, if only accesses, tests for null and stores depend on its address: there it makes no
//!    difference which address the next iteration gets. That memory does not run out is an assumption then;
//! 3. a `free` of an object that the same iteration allocated so.

use super::decisive::{Decisive, is_live};
use super::scope::Scope;
use cfa::{Allocation, BinOp, EdgeId, Expr, ExprId, FunctionId, Op, Program, Scalar, VarId};
use flow::PointsTo;
use flow::points_to::{ObjectId, ObjectKind};
use std::collections::BTreeSet;

/// The harmless edges of a loop. If the program allocates memory, the points-to analysis is of this very program.
pub fn find(program: &Program, scope: &Scope, decisive: &Decisive, points_to: &PointsTo) -> BTreeSet<EdgeId> {
    let looked = LookedAt::new(program, scope, points_to);
    let fresh = fresh(program, scope);
    let grows = |id: EdgeId| !decisive.is_read(id) && points_to.allocation(id).is_some_and(|object| !looked.at(object));
    let is_harmless = |id: EdgeId| match program.edges[id].op {
        Op::Allocate { how: Allocation::Heap | Allocation::HeapZeroed, .. } => grows(id), // 2
        Op::Free(pointer) => {
            let targets = points_to.targets(pointer);
            let is_new = |object: ObjectId| match points_to.objects[object].kind {
                ObjectKind::Allocation(edge) => scope.edges.contains(&edge) && grows(edge),
                ObjectKind::Unknown | ObjectKind::Variable(_) | ObjectKind::Function(_) => false,
            };
            register(program, pointer).is_some_and(|var| fresh.contains(&var))
                && !targets.unknown
                && targets.places.iter().all(|place| is_new(place.object)) // 3
        }
        Op::Allocate { .. } | Op::End(_) | Op::Init(_) => false,
        _ => !decisive.is_read(id), // 1
    };
    scope.edges.iter().copied().filter(|&id| scope.sees(program, id) && is_harmless(id)).collect()
}

/// Whether addresses of objects that activations have for themselves are computed with or compared. Each activation has
/// others, so that those further in need not do the same.
pub fn looks_at_own(program: &Program, scope: &Scope, points_to: &PointsTo) -> bool {
    let looked = LookedAt::new(program, scope, points_to);
    let inside = |owner: Option<FunctionId>| owner.is_some_and(|owner| scope.functions.contains(&owner));
    let mut own = program.vars.iter().filter(|(_, var)| inside(var.function)).map(|(id, _)| id);
    own.any(|var| points_to.variable(var).is_some_and(|object| looked.at(object)))
}

/// Objects whose addresses are computed with or compared.
struct LookedAt<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    objects: BTreeSet<ObjectId>,
    /// Whether those of unknown ones are.
    unknown: bool,
}

impl<'a> LookedAt<'a> {
    fn new(program: &'a Program, scope: &Scope, points_to: &'a PointsTo) -> Self {
        let mut looked = LookedAt { program, points_to, objects: BTreeSet::new(), unknown: false };
        let exprs = &program.exprs;
        let is_null = |id: ExprId| exprs.constant(id) == Some(0);
        for &edge in &scope.edges {
            for operand in program.edges[edge].op.operands() {
                exprs.visit(operand, |id, node| match node {
                    Expr::Binary(BinOp::PtrAdd, _, by) => looked.note(by),
                    Expr::Binary(BinOp::Eq, a, b) if is_null(a) || is_null(b) => {}
                    Expr::Binary(_, a, b) => {
                        looked.note(a);
                        looked.note(b);
                    }
                    Expr::Unary(_, a) => looked.note(a),
                    Expr::Cast(a) if exprs.ty(a) == Scalar::Ptr && exprs.ty(id) != Scalar::Ptr => looked.note(a),
                    Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) => {}
                    Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => {}
                });
            }
        }
        looked
    }

    fn note(&mut self, value: ExprId) {
        let targets = self.points_to.targets(value);
        let unknown = if self.points_to.knows(value) {
            targets.unknown
        } else {
            let mut open = false;
            self.program.exprs.visit(value, |id, node| {
                open |= self.program.exprs.ty(id) == Scalar::Ptr || matches!(node, Expr::Load(_));
            });
            open
        };
        self.unknown |= unknown;
        self.objects.extend(targets.places.iter().map(|place| place.object));
    }

    fn at(&self, object: ObjectId) -> bool {
        self.objects.contains(&object) || self.unknown && self.points_to.objects[object].escaped
    }
}

/// Registers that hold nothing but addresses which the iteration has allocated: those that are not read before they are
/// written, and are only given new addresses or what such registers hold.
fn fresh(program: &Program, scope: &Scope) -> BTreeSet<VarId> {
    let mut given: Vec<(VarId, Option<VarId>)> = Vec::new();
    for &id in &scope.edges {
        let edge = &program.edges[id];
        match &edge.op {
            Op::Allocate { how: Allocation::Heap | Allocation::HeapZeroed, .. } => {}
            Op::Assign(var, value) => given.push((*var, register(program, *value))),
            Op::Call { function, args, result } => {
                let callee = &program.functions[*function];
                let passed = callee.params.iter().zip(args).map(|(&param, &arg)| (param, register(program, arg)));
                given.extend(passed);
                given.extend(result.map(|result| (result, callee.result)));
            }
            Op::Return(value) => {
                let result = program.functions[program.nodes[edge.from].function].result;
                given.extend(result.map(|result| (result, value.and_then(|value| register(program, value)))));
            }
            other => given.extend(other.variable().map(|var| (var, None))),
        }
    }
    let mut fresh = scope.changed(program);
    fresh.extend(given.iter().map(|(var, _)| *var));
    fresh.retain(|&var| {
        let owner = program.vars[var].function;
        owner.is_some_and(|owner| owner != scope.function) || !is_live(program, scope, var)
    });
    loop {
        let before = fresh.len();
        for (var, from) in &given {
            if !from.is_some_and(|from| fresh.contains(&from)) {
                fresh.remove(var);
            }
        }
        if fresh.len() == before {
            return fresh;
        }
    }
}

/// The register that an expression is, but for conversions between pointers.
fn register(program: &Program, value: ExprId) -> Option<VarId> {
    match program.exprs.node(value) {
        Expr::Var(var) => Some(var),
        Expr::Cast(inner) if program.exprs.ty(inner) == Scalar::Ptr && program.exprs.ty(value) == Scalar::Ptr => {
            register(program, inner)
        }
        _ => None,
    }
}
