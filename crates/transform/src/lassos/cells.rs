//! Memory that a loop changes and that can be remembered like registers, cell by cell: where all that the loop does to it
//! are writes to places that are known, comparing these places is comparing memory.
//!
//! 1. A store through a pointer that the loop does not change always writes the same cell.
//! 2. A write that can only lead to few small variables, by the points-to analysis, writes one of their cells.
//! 3. Whatever else is written is not remembered: the loop forgets what it remembered.

use super::scope::{Scope, object};
use cfa::{BinOp, EdgeId, Expr, ExprId, Op, Program, Scalar, Storage, VarId};
use flow::points_to::ObjectKind;
use flow::{CallGraph, PointsTo};
use std::collections::{BTreeMap, BTreeSet};

/// More cells than this are not remembered for one loop.
const MOST: usize = 24;

/// The cells of a loop.
#[derive(Default)]
pub struct Cells {
    /// Values that are remembered: what lies in each cell.
    pub values: Vec<ExprId>,
    /// Edges that write nothing else.
    pub covered: BTreeSet<EdgeId>,
}

/// A variable of which all cells are remembered.
#[derive(Clone, Copy)]
struct Whole {
    size: u64,
    /// Bytes of a cell.
    width: u64,
    pointers: bool,
    numbers: bool,
}

/// Finds the cells of a loop, but for those that `harmless` edges write. Adds their expressions to `program`, which is
/// otherwise as the points-to analysis saw it.
pub fn find(
    program: &mut Program,
    calls: &CallGraph,
    scope: &Scope,
    points_to: &PointsTo,
    harmless: &BTreeSet<EdgeId>,
) -> Cells {
    let changed = scope.changed(program);
    let mut found = Cells::default();
    let mut single: BTreeSet<(ExprId, Scalar)> = BTreeSet::new();
    let mut whole: BTreeMap<VarId, Whole> = BTreeMap::new();
    for &id in scope.edges.iter().filter(|id| scope.sees(program, **id) && !harmless.contains(id)) {
        let op = &program.edges[id].op;
        if let Op::Store { to, value } = *op
            && let Some(ty) = cell_type(program, value)
            && is_fixed(program, scope, &changed, to)
        {
            single.insert((to, ty)); // 1
            found.covered.insert(id);
        } else if let Some(vars) = variables(program, points_to, op)
            && vars.iter().all(|(var, _)| is_here(program, calls, scope, *var).is_some())
        {
            let seen = vars.into_iter().filter(|(var, _)| is_here(program, calls, scope, *var) == Some(true));
            seen.for_each(|(var, one)| merge(&mut whole, var, one)); // 2
            found.covered.insert(id);
        }
    }
    let count = single.len() + whole.values().map(|one| (one.size / one.width) as usize).sum::<usize>();
    if count > MOST || whole.values().any(|one| one.pointers && one.numbers) {
        return Cells::default();
    }
    for (pointer, ty) in single {
        let value = guarded(program, pointer, ty);
        found.values.push(value);
    }
    for (var, one) in whole {
        assert_eq!(one.size % one.width, 0, "cells make up their variable");
        let ty = if one.pointers { Scalar::Ptr } else { Scalar::int(8 * one.width as u32, false) };
        for at in 0..one.size / one.width {
            let (start, offset_type) = (program.exprs.addr(var), program.model.offset_type());
            let offset = program.exprs.int(offset_type, i128::from(at * one.width));
            let place = if at == 0 { start } else { program.exprs.binary(BinOp::PtrAdd, start, offset) };
            found.values.push(program.exprs.load(place, ty));
        }
    }
    assert!(found.values.len() <= MOST, "few cells are remembered");
    found
}

/// What a stored value is read as to compare it bit by bit.
fn cell_type(program: &Program, value: ExprId) -> Option<Scalar> {
    let bits = program.exprs.ty(value).bits(program.model);
    match program.exprs.ty(value) {
        Scalar::Ptr => Some(Scalar::Ptr),
        Scalar::Int { .. } | Scalar::Float(_) if matches!(bits, 8 | 16 | 32 | 64) => Some(Scalar::int(bits, false)),
        Scalar::Int { .. } | Scalar::Float(_) | Scalar::Bool => None,
    }
}

/// Whether a pointer is the same in all iterations.
fn is_fixed(program: &Program, scope: &Scope, changed: &BTreeSet<VarId>, pointer: ExprId) -> bool {
    let mut fixed = true;
    program.exprs.visit(pointer, |_, node| {
        fixed &= match node {
            Expr::Var(var) => {
                let here = program.vars[var].function.is_none_or(|function| function == scope.function);
                here && !changed.contains(&var)
            }
            Expr::Load(_) | Expr::Living(_) => false,
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) => true,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => true,
        };
    });
    // The variable of another function is another object each time.
    let owner = object(program, pointer).and_then(|var| program.vars[var].function);
    fixed && owner.is_none_or(|owner| owner == scope.function)
}

/// Whether the loop knows a variable by name; those of functions that it calls are gone when it goes on. `None` if the
/// variable belongs to an activation outside of the loop.
fn is_here(program: &Program, calls: &CallGraph, scope: &Scope, var: VarId) -> Option<bool> {
    match program.vars[var].function {
        None => Some(true),
        Some(owner) if owner == scope.function => Some(true),
        Some(owner) => (scope.functions.contains(&owner) && !calls.is_recursive(owner)).then_some(false),
    }
}

/// The variables that a write may lead to, if these are few and small.
fn variables(program: &Program, points_to: &PointsTo, op: &Op) -> Option<Vec<(VarId, Whole)>> {
    let (to, value) = match *op {
        Op::Declare(var) => return Some(vec![(var, whole(program, var, None)?)]),
        Op::Store { to, value } => (to, Some(value)),
        Op::Copy { to, .. } | Op::Fill { to, .. } => (to, None),
        _ => return None,
    };
    let vars: BTreeSet<VarId> = match object(program, to) {
        Some(var) => BTreeSet::from([var]),
        None => {
            let targets = points_to.targets(to);
            let var = |object| match points_to.objects[object].kind {
                ObjectKind::Variable(var) => Some(var),
                ObjectKind::Unknown | ObjectKind::Allocation(_) | ObjectKind::Function(_) => None,
            };
            let vars = targets.places.iter().map(|place| var(place.object)).collect::<Option<BTreeSet<VarId>>>()?;
            if targets.unknown || vars.is_empty() {
                return None;
            }
            vars
        }
    };
    vars.into_iter().map(|var| Some((var, whole(program, var, value)?))).collect()
}

fn whole(program: &Program, var: VarId, value: Option<ExprId>) -> Option<Whole> {
    let Storage::Memory { size, .. } = program.vars[var].storage else { return None };
    let ty = match value {
        Some(value) => Some(cell_type(program, value)?),
        None => None,
    };
    let fits = |width: &u64| size % width == 0;
    let width = match ty {
        Some(ty) => Some(ty.bytes(program.model)).filter(fits)?,
        None => [8, 4, 2, 1].into_iter().find(fits)?,
    };
    let (pointers, numbers) = (ty == Some(Scalar::Ptr), ty.is_some_and(|ty| ty != Scalar::Ptr));
    (0 < size && size <= 8 * MOST as u64).then_some(Whole { size, width, pointers, numbers })
}

/// Cells are as narrow as the narrowest write of a single value.
fn merge(known: &mut BTreeMap<VarId, Whole>, var: VarId, new: Whole) {
    let old = *known.entry(var).or_insert(new);
    assert_eq!(old.size, new.size, "a variable has one size");
    let typed = |one: Whole| one.pointers || one.numbers;
    let width = match (typed(old), typed(new)) {
        (true, false) => old.width,
        (false, true) => new.width,
        (true, true) | (false, false) => old.width.min(new.width),
    };
    let merged =
        Whole { width, pointers: old.pointers || new.pointers, numbers: old.numbers || new.numbers, size: old.size };
    known.insert(var, merged);
}

/// What lies at a pointer; of null, nothing.
fn guarded(program: &mut Program, pointer: ExprId, ty: Scalar) -> ExprId {
    let named = object(program, pointer).is_some();
    let exprs = &mut program.exprs;
    let value = exprs.load(pointer, ty);
    if named {
        return value;
    }
    let (null, none) = (exprs.bits(Scalar::Ptr, 0), exprs.bits(ty, 0));
    let nowhere = exprs.binary(BinOp::Eq, pointer, null);
    exprs.ite(nowhere, none, value)
}
