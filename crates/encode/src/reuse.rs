//! Addresses of dead objects may be used again: a comparison with such an address is as arbitrary as where objects lie.
//!
//! An integer may hold the address of an object that is dead by now, so two integers are only compared as their objects
//! are where one of the objects never dies, or both can only be the same one. A dead object's pointer has no value in
//! C; that compared pointers point to living objects is listed with the verdict. It is not believed of pointers
//! that were just freed, and of globals that hold the address of an earlier activation's local.

use base::{Id, IdVec};
use cfa::{Allocation, Expr, ExprId, Op, Program, VarId};
use flow::Prepared;
use flow::points_to::{ObjectKind, PointsTo, PointsToSet};
use rustc_hash::FxHashSet;

/// What must be known of a program to tell where a reused address matters.
pub struct Reuse<'a> {
    points_to: &'a PointsTo,
    /// By object, whether it may die before the program ends.
    mortal: Vec<bool>,
    /// By object, whether there is only one in an execution.
    only: Vec<bool>,
    /// Registers and what is read from memory that hold a pointer to a freed object somewhere.
    freed: FxHashSet<ExprId>,
}

impl<'a> Reuse<'a> {
    /// Looks at all objects of a program.
    pub fn new(program: &Program, points_to: &'a PointsTo, once: &Once) -> Reuse<'a> {
        let frees = program
            .edges
            .iter()
            .any(|(_, edge)| matches!(edge.op, Op::Free(_) | Op::Allocate { how: Allocation::Resize(_), .. }));
        let mortal = |kind: ObjectKind| match kind {
            ObjectKind::Variable(var) => program.vars[var].function.is_some(),
            ObjectKind::Allocation(edge) => {
                frees || matches!(program.edges[edge].op, Op::Allocate { how: Allocation::Stack, .. })
            }
            ObjectKind::Function(_) | ObjectKind::Unknown => false,
        };
        let objects = &points_to.objects;
        debug_assert!(objects.iter().all(|(_, object)| !once.is_only(object.kind) || once.is_single(object.kind)));
        Reuse {
            points_to,
            mortal: objects.iter().map(|(_, object)| mortal(object.kind)).collect(),
            only: objects.iter().map(|(_, object)| once.is_only(object.kind)).collect(),
            freed: freed(program),
        }
    }

    /// Whether two addresses may be one although the objects are two, of which one is dead.
    pub fn matters(&self, program: &Program, a: ExprId, b: ExprId) -> bool {
        if program.exprs.are_pointers(a, b) {
            let (a, b) = (program.exprs.without_casts(a), program.exprs.without_casts(b));
            return self.freed.contains(&a)
                || self.freed.contains(&b)
                || self.is_earlier_local(program, a, b)
                || self.is_earlier_local(program, b, a);
        }
        let (a, b) = (self.points_to.targets(a), self.points_to.targets(b));
        let mortal = |targets: &PointsToSet| -> Vec<usize> {
            let objects = targets.places.iter().map(|place| place.object.index());
            objects.filter(|&object| self.mortal[object]).collect()
        };
        let (x, y) = (mortal(&a), mortal(&b));
        (a.unknown && !y.is_empty())
            || (b.unknown && !x.is_empty())
            || x.iter().any(|one| y.iter().any(|other| one != other || !self.only[*one]))
    }

    /// Whether a global, which may hold the address of a local of a call that ended, is compared with that of a local.
    fn is_earlier_local(&self, program: &Program, global: ExprId, local: ExprId) -> bool {
        let exprs = &program.exprs;
        let is_global = match exprs.node(global) {
            Expr::Var(var) => program.vars[var].function.is_none(),
            Expr::Load(from) => matches!(exprs.node(from), Expr::Addr(var) if program.vars[var].function.is_none()),
            _ => false,
        };
        let Expr::Addr(var) = exprs.node(local) else { return false };
        let Some(object) = self.points_to.variable(var) else { return false };
        let is_other = |held: usize| self.mortal[held] && (held != object.index() || !self.only[held]);
        let holds = || self.points_to.targets(global).places.iter().any(|place| is_other(place.object.index()));
        is_global && program.vars[var].function.is_some() && holds()
    }
}

/// Pointers that are read, perhaps, when what they point to was freed by the same expression.
fn freed(program: &Program) -> FxHashSet<ExprId> {
    let mut found = FxHashSet::default();
    for (_, edge) in program.edges.iter() {
        let Op::Free(freed) = edge.op else { continue };
        let freed = program.exprs.without_casts(freed);
        if matches!(program.exprs.node(freed), Expr::Var(_) | Expr::Load(_)) && is_used_behind(program, edge.to, freed)
        {
            found.insert(freed);
        }
    }
    found
}

/// Whether an operation reads the register or the memory before it plainly gets another value.
fn is_used_behind(program: &Program, from: cfa::Node, pointer: ExprId) -> bool {
    let exprs = &program.exprs;
    let mut vars: Vec<VarId> = Vec::new();
    exprs.visit(pointer, |_, node| {
        if let Expr::Var(var) = node {
            vars.push(var);
        }
    });
    let mut seen = FxHashSet::from_iter([from]);
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        for id in program.leaving(node) {
            let edge = &program.edges[id];
            let mut reads = false;
            for operand in edge.op.operands() {
                exprs.visit(operand, |id, _| reads |= id == pointer);
            }
            if reads {
                return true;
            }
            let replaced = match &edge.op {
                Op::Store { to, .. } => exprs.node(pointer) == Expr::Load(*to),
                op => op.variable().is_some_and(|var| vars.contains(&var)),
            };
            if !replaced && seen.insert(edge.to) {
                stack.push(edge.to);
            }
        }
    }
    false
}

/// Which edges are passed at most once in an execution.
pub struct Once {
    edges: Vec<bool>,
    functions: IdVec<cfa::FunctionId, bool>,
    recursive: Vec<bool>,
    of_function: Vec<Option<cfa::FunctionId>>,
}

impl Once {
    pub fn new(program: &Prepared) -> Once {
        let (loops, calls) = (program.loops(), program.calls());
        let mut functions: IdVec<cfa::FunctionId, bool> = IdVec::filled(program.functions.len(), false);
        functions[program.entry] = true;
        let once = |functions: &IdVec<cfa::FunctionId, bool>, edge: cfa::EdgeId| {
            let from = program.edges[edge].from;
            functions[program.nodes[from].function] && loops.innermost(from).is_none()
        };
        // Callers come before their callees.
        for component in calls.bottom_up().rev() {
            for &function in component {
                let id = cfa::FunctionId(function);
                if let [(call, _)] = calls.callers(id)
                    && !calls.is_recursive(id)
                {
                    functions[id] |= once(&functions, *call);
                }
            }
        }
        let edges = program.edges.iter().map(|(id, _)| once(&functions, id)).collect();
        let recursive = program.functions.ids().map(|id| calls.is_recursive(id)).collect();
        Once { edges, functions, recursive, of_function: program.vars.iter().map(|(_, var)| var.function).collect() }
    }

    /// Whether there is never more than one living object of this kind.
    pub fn is_single(&self, kind: ObjectKind) -> bool {
        match kind {
            ObjectKind::Variable(var) => {
                self.of_function[var.index()].is_none_or(|function| !self.recursive[function.index()])
            }
            ObjectKind::Allocation(edge) => self.edges[edge.index()],
            ObjectKind::Function(_) => true,
            ObjectKind::Unknown => false,
        }
    }

    /// Whether there is never more than one object of this kind in an execution, dead ones included.
    fn is_only(&self, kind: ObjectKind) -> bool {
        match kind {
            ObjectKind::Variable(var) => self.of_function[var.index()].is_none_or(|function| self.functions[function]),
            ObjectKind::Allocation(edge) => self.edges[edge.index()],
            ObjectKind::Function(_) => true,
            ObjectKind::Unknown => false,
        }
    }
}
