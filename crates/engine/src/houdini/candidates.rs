//! Facts worth trying at the head of a loop, over the registers that its function sees.

use cfa::{BinOp, Check, Expr, ExprId, Exprs, FunctionId, Living, Op, Program, Scalar, VarId, VarKind};
use flow::{LoopId, Loops};
use std::collections::{BTreeMap, BTreeSet};

/// Which facts are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guesses {
    /// Order and equality of variables, bounds by the program's constants.
    Order,
    /// Distances of variables, conditions that the program tests, and what it assigns.
    Terms,
    /// What lies at places in memory that the program compares.
    Places,
    /// Sizes of objects, how far pointers are inside, and what lies there.
    Rooms,
    /// Only those that the caller gives.
    Given,
}

/// Most variables of a loop that are related to each other.
const MOST_VARIABLES: usize = 14;
/// Most constants that variables are compared with.
const MOST_CONSTANTS: usize = 10;
/// Most variables whose distances are compared with constants, and most such constants.
const MOST_DISTANT: (usize, usize) = (6, 4);
/// Most variables whose sums are tried.
const MOST_SUMMED: usize = 7;
/// Most questions whether something was written.
const MOST_WRITTEN: usize = 32;
/// Most facts about terms of the program.
const MOST_TERMS: usize = 120;

/// Facts to try at the head of a loop.
pub fn guess(program: &Program, loops: &Loops, id: LoopId, guesses: Guesses, exprs: &mut Exprs) -> Vec<ExprId> {
    let found = Found::new(program, loops, id);
    let (vars, constants) = (found.variables(program, exprs), &found.constants);
    let mut facts = Vec::new();
    match guesses {
        Guesses::Order => {
            order(exprs, &vars, constants, &mut facts);
            let overflow = |target: &cfa::Target| target.check() == Some(Check::Overflow);
            if program.targets.iter().any(overflow) {
                sums(exprs, &vars, &mut facts);
            }
            written(program, loops.loops[id].function, exprs, &mut facts);
        }
        Guesses::Terms => {
            found.terms(program, exprs, &mut facts);
            distances(exprs, &vars, constants, &mut facts);
        }
        Guesses::Places => super::places::guess(program, loops.loops[id].function, exprs, &mut facts),
        Guesses::Rooms => super::rooms::guess(program, loops.loops[id].function, &vars, exprs, &mut facts),
        Guesses::Given => {}
    }
    let mut seen = BTreeSet::new();
    facts.retain(|fact| exprs.constant(*fact).is_none() && seen.insert(*fact));
    facts
}

/// What the function of a loop speaks of.
struct Found {
    /// How often variables are used, conditions counted more.
    uses: BTreeMap<VarId, u32>,
    constants: BTreeSet<(Scalar, u128)>,
    comparisons: BTreeSet<ExprId>,
    assigned: BTreeSet<(VarId, ExprId)>,
}

impl Found {
    fn new(program: &Program, loops: &Loops, id: LoopId) -> Found {
        let function = loops.loops[id].function;
        let mut found = Found {
            uses: BTreeMap::new(),
            constants: BTreeSet::new(),
            comparisons: BTreeSet::new(),
            assigned: BTreeSet::new(),
        };
        for (_, edge) in program.edges.iter() {
            if program.nodes[edge.from].function != function {
                continue;
            }
            match &edge.op {
                Op::Assume(condition) => found.look(program, *condition, 3),
                Op::Assign(var, value) => {
                    found.look(program, *value, u32::from(loops.contains(id, edge.from)));
                    found.assigned.insert((*var, *value));
                }
                Op::Call { args, .. } => args.iter().for_each(|arg| found.look(program, *arg, 0)),
                Op::Return(Some(value)) => found.look(program, *value, 0),
                _ => {}
            }
        }
        found
    }

    fn look(&mut self, program: &Program, root: ExprId, weight: u32) {
        program.exprs.visit(root, |at, node| match node {
            Expr::Var(var) if weight > 0 && is_related(program, var) => *self.uses.entry(var).or_default() += weight,
            Expr::Const { .. } if weight == 3 && program.exprs.ty(at).is_int() => {
                self.constants.extend(program.exprs.constant(at).map(|bits| (program.exprs.ty(at), bits)));
            }
            Expr::Binary(op, _, _) if op.is_comparison() => {
                self.comparisons.insert(at);
            }
            _ => {}
        });
    }

    /// The variables that matter most.
    fn variables(&self, program: &Program, exprs: &mut Exprs) -> Vec<ExprId> {
        let mut vars: Vec<(VarId, u32)> = self.uses.iter().map(|(var, count)| (*var, *count)).collect();
        vars.sort_by_key(|(var, count)| (std::cmp::Reverse(*count), *var));
        vars.truncate(MOST_VARIABLES);
        vars.iter().filter_map(|(var, _)| program.register(*var).map(|ty| exprs.var(*var, ty))).collect()
    }

    /// The program's own comparisons, and how variables relate to what they are assigned.
    fn terms(&self, program: &Program, exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
        for &comparison in self.comparisons.iter().filter(|at| is_over_registers(program, **at)) {
            facts.push(comparison);
            facts.push(exprs.not(comparison));
        }
        for &(var, value) in &self.assigned {
            let (Some(ty), ty_value) = (program.register(var), program.exprs.ty(value)) else { continue };
            let plain = matches!(program.exprs.node(value), Expr::Const { .. } | Expr::Var(_));
            if plain
                || !ty.is_int()
                || ty != ty_value
                || !is_related(program, var)
                || !is_over_registers(program, value)
            {
                continue;
            }
            let mut itself = false;
            program.exprs.visit(value, |_, node| itself |= node == Expr::Var(var));
            if !itself {
                let x = exprs.var(var, ty);
                relate(exprs, x, value, facts);
            }
        }
        facts.truncate(MOST_TERMS);
    }
}

fn order(exprs: &mut Exprs, values: &[ExprId], constants: &BTreeSet<(Scalar, u128)>, facts: &mut Vec<ExprId>) {
    for (at, &x) in values.iter().enumerate() {
        for &y in &values[..at] {
            if exprs.ty(x) == exprs.ty(y) {
                relate(exprs, x, y, facts);
            }
        }
        let ty = exprs.ty(x);
        for &(_, bits) in constants.iter().filter(|(other, _)| *other == ty).take(MOST_CONSTANTS) {
            let constant = exprs.bits(ty, bits);
            relate(exprs, x, constant, facts);
        }
    }
}

/// The exact sum and difference of two variables fit their type: what bounds a counter by another one that runs down.
/// These are the octagonal constraints [Min06] whose constant is the end of the type's range.
fn sums(exprs: &mut Exprs, values: &[ExprId], facts: &mut Vec<ExprId>) {
    for (at, &x) in values.iter().enumerate().take(MOST_SUMMED) {
        for &y in &values[..at] {
            let Scalar::Int { bits, signed: true } = exprs.ty(x) else { continue };
            if exprs.ty(x) != exprs.ty(y) || bits > 64 {
                continue;
            }
            let wide = Scalar::int(if bits <= 32 { 64 } else { 128 }, true);
            let (a, b) = (exprs.cast(x, wide), exprs.cast(y, wide));
            let most = (1_i128 << (bits - 1)) - 1;
            let (least, most) = (exprs.int(wide, -most - 1), exprs.int(wide, most));
            for op in [BinOp::Add, BinOp::Sub] {
                let exact = exprs.binary(op, a, b);
                facts.push(exprs.binary(BinOp::Le, exact, most));
                facts.push(exprs.binary(BinOp::Le, least, exact));
            }
        }
    }
}

/// What is asked about was written: by pointers of the function, or in variables of any function.
fn written(program: &Program, function: FunctionId, exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
    let mut found = 0;
    for at in program.exprs.ids() {
        let Expr::Binary(BinOp::Le, bytes, question) = program.exprs.node(at) else { continue };
        let Expr::Living(Living::Written(pointer)) = program.exprs.node(question) else { continue };
        let mut known = program.exprs.constant(bytes).is_some();
        program.exprs.visit(pointer, |_, node| match node {
            Expr::Var(var) => known &= program.vars[var].function.is_none_or(|owner| owner == function),
            Expr::Load(_) | Expr::Living(_) => known = false,
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => {}
            Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
        });
        if known && found < MOST_WRITTEN {
            found += 1;
            facts.push(exprs.binary(BinOp::Le, bytes, question));
        }
    }
}

/// `x < y + c` and `x <= y + c`.
fn distances(exprs: &mut Exprs, values: &[ExprId], constants: &BTreeSet<(Scalar, u128)>, facts: &mut Vec<ExprId>) {
    let (most_values, most_constants) = MOST_DISTANT;
    let values = &values[..values.len().min(most_values)];
    for &x in values {
        let ty = exprs.ty(x);
        let constants = constants.iter().filter(|(other, bits)| *other == ty && *bits != 0).take(most_constants);
        for &(_, bits) in constants {
            for &y in values.iter().filter(|y| **y != x) {
                if exprs.ty(y) != ty {
                    continue;
                }
                let constant = exprs.bits(ty, bits);
                let sum = exprs.binary(BinOp::Add, y, constant);
                facts.push(exprs.binary(BinOp::Le, x, sum));
                facts.push(exprs.binary(BinOp::Lt, x, sum));
            }
        }
    }
}

pub(super) fn is_related(program: &Program, var: VarId) -> bool {
    let kind = program.vars[var].kind;
    program.register(var).is_some_and(Scalar::is_int) && !matches!(kind, VarKind::Temporary | VarKind::Result)
}

/// Whether an expression reads variables of the program in registers only.
pub(super) fn is_over_registers(program: &Program, root: ExprId) -> bool {
    let mut only = true;
    program.exprs.visit(root, |_, node| match node {
        Expr::Var(var) => only &= is_related(program, var),
        Expr::Load(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Living(_) => only = false,
        Expr::Const { .. } | Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
    });
    only
}

pub(super) fn relate(exprs: &mut Exprs, x: ExprId, y: ExprId, facts: &mut Vec<ExprId>) {
    let equal = exprs.binary(BinOp::Eq, x, y);
    let different = exprs.not(equal);
    facts.extend([equal, different]);
    for (a, b) in [(x, y), (y, x)] {
        facts.push(exprs.binary(BinOp::Le, a, b));
        facts.push(exprs.binary(BinOp::Lt, a, b));
    }
}
