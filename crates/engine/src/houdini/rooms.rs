//! Guesses about memory at the head of a loop: how large objects are, how far pointers are inside, whether a text in them
//! ends, what may be freed.
//!
//! Everything is made of what the checks of the function ask: each asks for the room at an offset from a pointer. The offset
//! that is asked for stays inside, and so does the same expression with another variable in the place of its own, such
//! as the bound of a loop. What the caller passed and tested holds as long as the callee runs.

use super::candidates::is_over_registers;
use base::Id;
use cfa::{BinOp, Expr, ExprId, Exprs, FunctionId, Living, Op, Program, Scalar, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Most pointers, offsets, sizes and variables that are related.
const MOST_POINTERS: usize = 7;
const MOST_OFFSETS: usize = 8;
const MOST_SIZES: usize = 4;
const MOST_VARIABLES: usize = 7;
/// Most conditions of callers.
const MOST_CONDITIONS: usize = 30;
/// The largest number of heap objects that is guessed.
const MOST_OBJECTS: i128 = 3;

/// What the checks of a function ask.
#[derive(Default)]
struct Asked {
    /// Pointers in registers that sums start from.
    pointers: BTreeSet<ExprId>,
    /// Offsets from them, without constants.
    offsets: BTreeSet<(ExprId, ExprId)>,
    /// Pointers that are freed.
    freed: BTreeSet<ExprId>,
    /// Whether it is asked what is left of the heap.
    heap: bool,
}

/// Facts to try at the head of a loop of the function, whose most used variables are `vars`.
pub fn guess(program: &Program, function: FunctionId, vars: &[ExprId], exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
    let asked = Asked::new(program, function, exprs);
    let vars = &vars[..vars.len().min(MOST_VARIABLES)];
    asked.sizes(program, exprs, facts);
    asked.inside(vars, exprs, facts);
    asked.together(exprs, facts);
    asked.heap(exprs, facts);
    if !asked.pointers.is_empty() || asked.heap {
        from_callers(program, function, exprs, facts);
    }
}

impl Asked {
    fn new(program: &Program, function: FunctionId, exprs: &mut Exprs) -> Asked {
        let mut asked = Asked::default();
        let used = used_questions(program);
        let visible = |var: VarId| program.vars[var].function.is_none_or(|owner| owner == function);
        let lasts = |var: VarId, question| program.vars[var].kind != VarKind::Temporary || used.contains(&question);
        for at in 0..program.exprs.len() {
            let Expr::Living(question) = program.exprs.node(ExprId::new(at)) else { continue };
            let (root, offset) = match question.pointer() {
                Some(pointer) => parts(exprs, pointer),
                None => {
                    asked.heap = true;
                    continue;
                }
            };
            if !matches!(exprs.node(root), Expr::Var(var) if visible(var) && lasts(var, question)) {
                continue;
            }
            match question {
                Living::Room(_) | Living::Ended(_) => {
                    asked.pointers.insert(root);
                    asked
                        .offsets
                        .extend(offset.filter(|&offset| reads_registers(exprs, offset)).map(|offset| (root, offset)));
                }
                Living::Freeable(_) => _ = asked.freed.insert(root),
                Living::Written(_) | Living::Writable(_) | Living::Heap | Living::NoHeap | Living::Tracked => {}
            }
        }
        asked
    }

    fn pointers(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.pointers.iter().copied().take(MOST_POINTERS)
    }

    /// As large as some allocation makes objects; at least as large as small accesses; ended by a zero.
    fn sizes(&self, program: &Program, exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
        let sizes: BTreeSet<ExprId> = program
            .edges
            .iter()
            .filter_map(|(_, edge)| if let Op::Allocate { size, .. } = edge.op { Some(size) } else { None })
            .filter(|&size| is_over_registers(program, size))
            .collect();
        for pointer in self.pointers() {
            let room = exprs.living(Living::Room(pointer));
            for &size in sizes.iter().take(MOST_SIZES) {
                facts.push(exprs.binary(BinOp::Eq, room, size));
                facts.push(exprs.binary(BinOp::Le, size, room));
            }
            for bytes in [1, 4] {
                let bytes = exprs.int(exprs.model().size_type(), bytes);
                facts.push(exprs.binary(BinOp::Le, bytes, room));
            }
            facts.push(exprs.living(Living::Ended(pointer)));
        }
    }

    /// How offsets relate to the size, to each other, and what else is as far inside.
    fn inside(&self, vars: &[ExprId], exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
        let (size, signed) = (exprs.model().size_type(), exprs.model().offset_type());
        let offsets: Vec<(ExprId, ExprId)> = self.offsets.iter().copied().take(MOST_OFFSETS).collect();
        for &(pointer, offset) in &offsets {
            let room = exprs.living(Living::Room(pointer));
            let zero = exprs.int(exprs.ty(offset), 0);
            facts.push(exprs.binary(BinOp::Le, zero, offset));
            for other in with_others(exprs, offset, vars) {
                let other = exprs.cast(other, size);
                for op in [BinOp::Le, BinOp::Lt, BinOp::Eq] {
                    facts.push(exprs.binary(op, other, room));
                }
            }
            // What is left to do may count down.
            for &var in vars {
                if mentions(exprs, offset, var) {
                    continue;
                }
                let rest = exprs.cast(var, signed);
                let sum = exprs.binary(BinOp::Add, offset, rest);
                let sum = exprs.cast(sum, size);
                facts.push(exprs.binary(BinOp::Le, sum, room));
                facts.push(exprs.binary(BinOp::Eq, sum, room));
                if exprs.ty(var) == exprs.ty(offset) {
                    facts.push(exprs.binary(BinOp::Eq, offset, var));
                } else if exprs.ty(offset) == signed {
                    facts.push(exprs.binary(BinOp::Eq, offset, rest));
                }
            }
        }
        for (at, &(_, x)) in offsets.iter().enumerate() {
            for &(_, y) in &offsets[..at] {
                if y == x || exprs.ty(y) != exprs.ty(x) {
                    continue;
                }
                facts.push(exprs.binary(BinOp::Eq, x, y));
                facts.push(exprs.binary(BinOp::Le, x, y));
                facts.push(exprs.binary(BinOp::Le, y, x));
            }
        }
    }

    /// Pointers compared with each other, and where they are.
    fn together(&self, exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
        let pointers: Vec<ExprId> = self.pointers().collect();
        for (at, &x) in pointers.iter().enumerate() {
            for &y in &pointers[..at] {
                let (a, b) = (exprs.living(Living::Room(x)), exprs.living(Living::Room(y)));
                facts.push(exprs.binary(BinOp::Le, a, b));
                facts.push(exprs.binary(BinOp::Le, b, a));
                facts.push(exprs.binary(BinOp::Eq, x, y));
                // A pointer that walks is where its start and its offset say.
                let of =
                    |pointer| self.offsets.iter().filter(move |(root, _)| *root == pointer).map(|(_, offset)| *offset);
                for (walks, start) in [(x, y), (y, x)] {
                    for offset in of(start).take(2) {
                        let sum = exprs.binary(BinOp::PtrAdd, start, offset);
                        facts.push(exprs.binary(BinOp::Eq, walks, sum));
                    }
                }
            }
        }
    }

    /// What may be freed, and how much there is.
    fn heap(&self, exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
        let freed: Vec<ExprId> = self.freed.iter().copied().take(MOST_POINTERS).collect();
        for (at, &pointer) in freed.iter().enumerate() {
            facts.push(exprs.living(Living::Freeable(pointer)));
            let null = exprs.int(Scalar::Ptr, 0);
            for &other in freed[..at].iter().chain([&null]) {
                let same = exprs.binary(BinOp::Eq, pointer, other);
                facts.push(exprs.not(same));
            }
        }
        if self.heap {
            let count = exprs.living(Living::Heap);
            for number in 0..=MOST_OBJECTS {
                let number = exprs.int(exprs.ty(count), number);
                facts.push(exprs.binary(BinOp::Eq, count, number));
            }
        }
    }
}

/// What edges ask; passes leave others behind that nothing asks any more.
fn used_questions(program: &Program) -> BTreeSet<Living> {
    let mut used = BTreeSet::new();
    for operand in program.edges.iter().flat_map(|(_, edge)| edge.op.operands().collect::<Vec<_>>()) {
        program.exprs.visit(operand, |_, node| {
            if let Expr::Living(question) = node {
                used.insert(question);
            }
        });
    }
    used
}

/// Parameters are what callers passed, and what they tested still holds of their variables.
pub(super) fn from_callers(program: &Program, function: FunctionId, exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
    let mut callers: BTreeSet<FunctionId> = BTreeSet::new();
    for (_, edge) in program.edges.iter() {
        let Op::Call { function: callee, args, .. } = &edge.op else { continue };
        if *callee != function {
            continue;
        }
        callers.insert(program.nodes[edge.from].function);
        for (&param, &arg) in program.functions[function].params.iter().zip(args.iter()) {
            if let Some(ty) = program.register(param).filter(|ty| *ty == exprs.ty(arg) && !ty.is_float())
                && reads_registers(exprs, arg)
            {
                let param = exprs.var(param, ty);
                facts.push(exprs.binary(BinOp::Eq, param, arg));
            }
        }
    }
    let mut conditions: BTreeSet<ExprId> = BTreeSet::new();
    for (_, edge) in program.edges.iter() {
        if let Op::Assume(condition) = edge.op
            && callers.contains(&program.nodes[edge.from].function)
            && is_over_registers(program, condition)
        {
            conditions.insert(condition);
        }
    }
    facts.extend(conditions.into_iter().take(MOST_CONDITIONS));
}

/// The pointer that a sum starts from, and what is added without constants.
fn parts(exprs: &mut Exprs, mut pointer: ExprId) -> (ExprId, Option<ExprId>) {
    let mut sum: Option<ExprId> = None;
    while let Expr::Binary(BinOp::PtrAdd, base, by) = exprs.node(pointer) {
        pointer = base;
        let by = without_constant(exprs, by);
        if exprs.constant(by).is_none() {
            sum = Some(sum.map_or(by, |sum| exprs.binary(BinOp::Add, by, sum)));
        }
    }
    (pointer, sum)
}

fn without_constant(exprs: &Exprs, mut offset: ExprId) -> ExprId {
    while let Expr::Binary(BinOp::Add, a, b) = exprs.node(offset) {
        offset = match (exprs.constant(a), exprs.constant(b)) {
            (_, Some(_)) => a,
            (Some(_), None) => b,
            (None, None) => return offset,
        };
    }
    offset
}

/// The expression, and itself with its only variable replaced by others of that type.
fn with_others(exprs: &mut Exprs, root: ExprId, vars: &[ExprId]) -> Vec<ExprId> {
    let mut found: BTreeSet<ExprId> = BTreeSet::new();
    exprs.visit(root, |id, node| {
        if let Expr::Var(_) = node {
            found.insert(id);
        }
    });
    let mut all = vec![root];
    if let (Some(&own), 1) = (found.first(), found.len()) {
        for &var in vars {
            if var == own || exprs.ty(var) != exprs.ty(own) {
                continue;
            }
            let mut known: FxHashMap<ExprId, ExprId> = [(own, var)].into_iter().collect();
            all.push(exprs.substitute(root, &mut known));
        }
    }
    all
}

fn mentions(exprs: &Exprs, root: ExprId, var: ExprId) -> bool {
    let mut found = false;
    exprs.visit(root, |id, _| found |= id == var);
    found
}

/// Whether only registers are read, of the program or not.
fn reads_registers(exprs: &Exprs, root: ExprId) -> bool {
    let mut only = true;
    exprs.visit(root, |_, node| only &= !matches!(node, Expr::Load(_) | Expr::Living(_) | Expr::Function(_)));
    only
}
