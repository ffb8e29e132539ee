//! Checks that nothing writes to a string literal [C11 6.4.5p7] or to an object that is defined `const` [C11 6.7.3p6],
//! also in models of library functions.
//!
//! - A write to a named object is decided at once; what gives an object its initial value is none
//!   (`Program::initialising`).
//! - A write through a pointer asks [`Living::Writable`], unless the pointer never leads to such an object.
//! - Functions without a body are not assumed to write to constants.
//! - A member that is declared `const` in an object that is not may be written: it depends on how the object came to be.

use crate::memory_checks::{Need, insert};
use base::Cancel;
use cfa::{BinOp, Check, Checks, Edge, EdgeId, Expr, ExprId, FunctionKind, Living, Node, Op, Program, VarKind};
use flow::points_to::{ObjectId, ObjectKind, PointsTo};
use rustc_hash::FxHashSet;

/// Adds the checks, if they are wanted.
pub(crate) fn check_writes(program: &mut Program, wanted: Checks) {
    let initialising = std::mem::take(&mut program.initialising);
    let has_constants = program.vars.ids().any(|var| is_constant(program, var));
    if !wanted.has(Check::ReadOnly) || !has_constants {
        return;
    }
    let written: Vec<(Node, Written, base::Span)> = program
        .edges
        .iter()
        .filter(|(_, edge)| !initialising.contains(&edge.from) && is_written_by_program(program, edge))
        .filter_map(|(_, edge)| Some((edge.from, written(program, &edge.op)?, edge.span)))
        .collect();
    let points_to = PointsTo::within(program, &Cancel::never()).expect("it is never stopped");
    let places = Places::new(program, &points_to);
    let mut needs: Vec<(Node, Need)> = Vec::new();
    for (node, Written { pointer, size }, span) in written {
        program.checks.made += 1;
        let mut violated = match places.of(program, pointer) {
            Leads::Elsewhere => {
                program.checks.constant += 1;
                continue;
            }
            Leads::There => program.exprs.bool(true),
            Leads::Perhaps => {
                let writable = program.exprs.living(Living::Writable(pointer));
                program.exprs.not(writable)
            }
        };
        if let Some(size) = size.filter(|&size| program.exprs.constant(size).is_none()) {
            let none = program.exprs.int(program.model.size_type(), 0);
            let none = program.exprs.binary(BinOp::Eq, size, none);
            let some = program.exprs.not(none);
            violated = program.exprs.binary(BinOp::And, some, violated);
        }
        needs.push((node, Need { violated, kind: Check::ReadOnly, span, values: [Some(pointer), None], symbol: "" }));
    }
    let leaving = |program: &Program, node| program.leaving(node).collect::<Vec<EdgeId>>();
    let found: Vec<(Node, Vec<EdgeId>, Need)> =
        needs.into_iter().map(|(node, need)| (node, leaving(program, node), need)).collect();
    for (node, leaving, need) in found {
        insert(program, node, leaving, &[need]);
    }
    program.index();
}

/// Whether C forbids to write to what a variable stands for: an object, or the one that a parameter was passed.
fn is_constant(program: &Program, var: cfa::VarId) -> bool {
    let variable = &program.vars[var];
    let is_passed = variable.kind == VarKind::Parameter && program.types.is_const(variable.ty);
    program.is_read_only(var) || is_passed
}

/// Not what the start does, nor what functions without a body might.
fn is_written_by_program(program: &Program, edge: &Edge) -> bool {
    match program.functions[program.nodes[edge.from].function].kind {
        FunctionKind::Defined | FunctionKind::Model => true,
        FunctionKind::Start | FunctionKind::Extern => false,
    }
}

/// Where an operation writes; `size` bytes where that is not what a scalar has.
struct Written {
    pointer: ExprId,
    size: Option<ExprId>,
}

fn written(program: &Program, op: &Op) -> Option<Written> {
    let range = |pointer: ExprId, size: ExprId| {
        (program.exprs.constant(size) != Some(0)).then_some(Written { pointer, size: Some(size) })
    };
    match op {
        Op::Store { to, .. } => Some(Written { pointer: *to, size: None }),
        Op::Copy { to, size, .. } | Op::Fill { to, size, .. } => range(*to, *size),
        Op::HavocMemory { to, size: Some(size), .. } => range(*to, *size),
        // What a function of unknown length or effect may write to is not known to be written.
        Op::HavocMemory { size: None, .. } => None,
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) => None,
        Op::Allocate { .. } | Op::Free(_) | Op::End(_) | Op::Call { .. } | Op::CallPointer { .. } => None,
        // Lowering says in other operations what these access.
        Op::Return(_) | Op::Library { .. } | Op::Halt(_) | Op::Unsupported(_) => None,
    }
}

/// Whether a pointer leads to a constant.
enum Leads {
    There,
    Perhaps,
    Elsewhere,
}

/// The constants of a program.
struct Places<'a> {
    points_to: &'a PointsTo,
    constants: FxHashSet<ObjectId>,
    /// Whether some of them may be known outside.
    escaped: bool,
}

impl Places<'_> {
    fn new<'a>(program: &Program, points_to: &'a PointsTo) -> Places<'a> {
        let is_constant = |kind| matches!(kind, ObjectKind::Variable(var) if program.is_read_only(var));
        let found = points_to.objects.iter().filter(|(_, object)| is_constant(object.kind));
        let constants: FxHashSet<ObjectId> = found.map(|(id, _)| id).collect();
        let escaped = constants.iter().any(|&id| points_to.objects[id].escaped);
        Places { points_to, constants, escaped }
    }

    fn of(&self, program: &Program, pointer: ExprId) -> Leads {
        match program.exprs.node(program.exprs.root(pointer)) {
            Expr::Addr(var) if program.is_read_only(var) => return Leads::There,
            Expr::Addr(_) => return Leads::Elsewhere,
            Expr::Var(var) if is_constant(program, var) => return Leads::There,
            _ => {}
        }
        let targets = self.points_to.targets(pointer);
        let leads = targets.places.iter().any(|place| self.constants.contains(&place.object));
        if leads || targets.unknown && self.escaped { Leads::Perhaps } else { Leads::Elsewhere }
    }
}
