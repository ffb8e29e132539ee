//! What tracking an item costs, by how the program uses it: the domain types behind refinement selection by score
//! [BLW15b]. Truth values are cheap, variables that are only compared for equality next, other numbers more expensive,
//! and loop counters (changed by arithmetic on themselves) worst, because tracking them unrolls the loop.

use super::precision::Item;
use base::Id;
use cfa::{BinOp, Expr, ExprId, Op, Program, VarId, VarKind};
use rustc_hash::FxHashMap;

const BOOLEAN: u64 = 2;
const EQUALITY: u64 = 8;
const NUMBER: u64 = 64;
/// What a variable costs at least that is changed by arithmetic on itself.
pub const COUNTER: u64 = 4096;
/// Memory cells: their use is not looked at.
const CELL: u64 = 64;
/// A whole object.
const WHOLE: u64 = 256;

/// The cost of each register.
pub(super) struct Costs {
    registers: Vec<u64>,
    /// Registers that are somewhere moved by a constant.
    counters: Vec<bool>,
}

impl Costs {
    /// From one pass over the program's edges.
    pub fn new(program: &Program) -> Self {
        let mut registers = vec![BOOLEAN; program.vars.len()];
        let mut counters = vec![false; program.vars.len()];
        let copies = Copies::new(program);
        let raise = |registers: &mut Vec<u64>, var: VarId, cost: u64| {
            registers[var.index()] = registers[var.index()].max(cost);
        };
        for (_, edge) in program.edges.iter() {
            if let Op::Assign(var, value) = edge.op {
                counters[var.index()] |= copies.moves(program, value, var);
                match program.exprs.constant(value) {
                    Some(0 | 1) => {}
                    Some(_) => raise(&mut registers, var, EQUALITY),
                    None if copies.mentions(program, value, var) => raise(&mut registers, var, COUNTER),
                    None if matches!(program.exprs.node(value), Expr::Var(_)) => raise(&mut registers, var, EQUALITY),
                    None => raise(&mut registers, var, NUMBER),
                }
            }
            for root in edge.op.operands() {
                program.exprs.visit(root, |_, node| {
                    let Expr::Binary(op, a, b) = node else { return };
                    let cost = match op {
                        BinOp::Eq => EQUALITY,
                        BinOp::And | BinOp::Or | BinOp::Xor => BOOLEAN,
                        _ => NUMBER,
                    };
                    for operand in [a, b] {
                        if let Some(var) = plain(program, operand) {
                            let other = if operand == a { b } else { a };
                            let small = matches!(program.exprs.constant(other), Some(0 | 1));
                            let cost = if op == BinOp::Eq && small { BOOLEAN } else { cost };
                            registers[var.index()] = registers[var.index()].max(cost);
                        }
                    }
                });
            }
        }
        Self { registers, counters }
    }

    /// Whether a register is moved by constants somewhere, as loop counters are.
    pub fn is_counter(&self, var: VarId) -> bool {
        self.counters[var.index()]
    }

    /// The cost of an item.
    pub fn of(&self, item: Item) -> u64 {
        match item {
            Item::Register(var) => self.registers[var.index()],
            Item::Cell(..) => CELL,
            Item::Whole(_) => WHOLE,
        }
    }
}

/// What tracking each variable costs; those in memory count as one cell.
pub fn variable_costs(program: &Program) -> Vec<u64> {
    let Costs { mut registers, .. } = Costs::new(program);
    for (var, _) in program.vars.iter() {
        if program.register(var).is_none() {
            registers[var.index()] = CELL;
        }
    }
    registers
}

/// The variable that an expression is, casts aside.
fn plain(program: &Program, mut expr: ExprId) -> Option<VarId> {
    loop {
        match program.exprs.node(expr) {
            Expr::Var(var) => return Some(var),
            Expr::Cast(inner) => expr = inner,
            _ => return None,
        }
    }
}

/// Temporaries that hold a copy of one variable: `i++` leaves the old value in one and adds to that.
struct Copies {
    of: FxHashMap<VarId, Option<VarId>>,
}

impl Copies {
    fn new(program: &Program) -> Copies {
        let mut of: FxHashMap<VarId, Option<VarId>> = FxHashMap::default();
        for (_, edge) in program.edges.iter() {
            let Op::Assign(to, value) = edge.op else { continue };
            if program.vars[to].kind == VarKind::Temporary {
                let copied = plain(program, value);
                let known = of.entry(to).or_insert(copied);
                *known = known.filter(|known| Some(*known) == copied);
            }
        }
        Copies { of }
    }

    /// Whether `other` is the variable or a copy of it.
    fn is(&self, other: VarId, var: VarId) -> bool {
        other == var || self.of.get(&other) == Some(&Some(var))
    }

    /// Whether an expression is the variable plus or minus a constant.
    fn moves(&self, program: &Program, mut expr: ExprId, var: VarId) -> bool {
        while let Expr::Cast(inner) = program.exprs.node(expr) {
            expr = inner;
        }
        let Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::PtrAdd, a, b) = program.exprs.node(expr) else {
            return false;
        };
        let steps = |a: ExprId, b: ExprId| {
            plain(program, a).is_some_and(|a| self.is(a, var)) && program.exprs.constant(b).is_some()
        };
        steps(a, b) || steps(b, a)
    }

    fn mentions(&self, program: &Program, root: ExprId, var: VarId) -> bool {
        let mut found = false;
        program.exprs.visit(root, |_, node| found |= matches!(node, Expr::Var(other) if self.is(other, var)));
        found
    }
}
