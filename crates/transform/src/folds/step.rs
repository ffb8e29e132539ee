//! Which loops are folds: the step function of a loop as expressions over its accumulators and one element.

use crate::arrays::Arrays;
use crate::reads::variables;
use crate::register::add_register;
use base::{Id, Span};
use cfa::{BinOp, Expr, ExprId, Exprs, Node, Op, Program, Scalar, UnOp, VarId, VarKind};
use flow::regions::Region;
use flow::{LoopId, Loops};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A loop that may be a fold, and what that depends on.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    pub head: Node,
    pub exit: Node,
    pub span: Span,
    /// Runs from its value before the loop up to `bound`, by one.
    pub index: VarId,
    pub bound: ExprId,
    pub region: Region,
    pub accumulators: Vec<VarId>,
    /// The accumulators after a step, over [`Registers`] and `parameters`.
    pub step: Vec<ExprId>,
    /// Registers that the step reads and the loop does not change.
    pub parameters: Vec<VarId>,
    /// The order of two steps does not matter.
    pub commutes: ExprId,
    /// `g` and that the only accumulator grows by it, if that is possible.
    pub sum: Option<Sum>,
    /// Constants from which the first step gives the element itself, with the condition that it does.
    pub neutral: Vec<(ExprId, ExprId)>,
    /// A pointer to the element before `index`.
    pub before: ExprId,
}

/// The step adds `addend` to the accumulator if `is_sum` holds.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub addend: ExprId,
    pub is_sum: ExprId,
    /// Other addends, and that this one is such an addend negated.
    pub opposites: Vec<(ExprId, ExprId)>,
}

impl Fold {
    /// Conditions that a solver should decide.
    pub fn questions(&self) -> Vec<ExprId> {
        let mut all = vec![self.commutes];
        all.extend(self.neutral.iter().map(|(_, condition)| *condition));
        if let Some(sum) = &self.sum {
            all.push(sum.is_sum);
            all.extend(sum.opposites.iter().map(|(_, condition)| *condition));
        }
        all
    }
}

/// Registers that stand for accumulators and elements in step functions, so that equal steps are equal expressions.
#[derive(Default)]
pub(super) struct Registers {
    accumulators: BTreeMap<(usize, Scalar), VarId>,
    elements: BTreeMap<(usize, Scalar), VarId>,
}

impl Registers {
    fn accumulator(&mut self, program: &mut Program, at: usize, ty: Scalar) -> ExprId {
        let new = |program: &mut Program| add_register(program, &format!("?state{at}"), VarKind::Temporary, None, ty);
        let var = *self.accumulators.entry((at, ty)).or_insert_with(|| new(program));
        program.exprs.var(var, ty)
    }

    fn element(&mut self, program: &mut Program, at: usize, ty: Scalar) -> ExprId {
        let new = |program: &mut Program| add_register(program, &format!("?element{at}"), VarKind::Temporary, None, ty);
        let var = *self.elements.entry((at, ty)).or_insert_with(|| new(program));
        program.exprs.var(var, ty)
    }
}

/// The values of registers after a part of the loop's body, where they changed.
type Values = BTreeMap<VarId, ExprId>;

/// The loop as a fold, if it has the shape of one.
pub(super) fn fold(
    source: &Program,
    program: &mut Program,
    (arrays, loops): (&Arrays, &Loops),
    id: LoopId,
    registers: &mut Registers,
) -> Option<Fold> {
    let one = &loops.loops[id];
    let whole = loops.members(id).iter().all(|&node| loops.innermost(node) == Some(id));
    let [exit] = one.exits[..] else { return None };
    if !whole || loops.is_irreducible(source, id) || source.edges[exit].from != one.head {
        return None;
    }
    let (entering, index, bound) = condition(source, one.head, source.edges[exit].to)?;
    let changed = body(source, &mut program.exprs, loops, id, source.edges[entering].to)?;
    let ty = source.register(index)?;
    let (i, by) = (program.exprs.var(index, ty), program.exprs.int(ty, 1));
    let next = program.exprs.binary(BinOp::Add, i, by);
    let fixed = |vars: &[VarId]| vars.iter().all(|var| !changed.contains_key(var));
    if changed.get(&index) != Some(&next)
        || !fixed(&variables(&source.exprs, bound))
        || !is_function(&source.exprs, bound)
    {
        return None;
    }
    let accumulators: Vec<VarId> =
        changed.keys().copied().filter(|&var| var != index && is_read(source, one.head, var)).collect();
    let values: Vec<ExprId> = accumulators.iter().map(|var| changed[var]).collect();
    let (region, pointer) = element(source, &program.exprs, arrays, &values)?;
    let elements = arrays.arrays[&region].ty;
    if !elements.is_int() || !is_indexed_by(program, arrays, (region, pointer), index) {
        return None;
    }
    // Over the registers that stand for accumulators and elements.
    let mut names: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut states = Vec::new();
    for (at, &var) in accumulators.iter().enumerate() {
        let ty = source.register(var).filter(|ty| ty.is_int())?;
        let state = registers.accumulator(program, at, ty);
        names.insert(program.exprs.var(var, ty), state);
        states.push(state);
    }
    let (v, w) = (registers.element(program, 0, elements), registers.element(program, 1, elements));
    for load in loads(&program.exprs, &values) {
        let ty = program.exprs.ty(load);
        let content = program.exprs.cast(v, ty);
        names.insert(load, content);
    }
    let step: Vec<ExprId> = values.iter().map(|&value| program.exprs.substitute(value, &mut names)).collect();
    if !step.iter().all(|&value| is_function(&program.exprs, value)) {
        return None;
    }
    let stands = |var: &VarId| states.iter().chain([&v]).any(|&id| program.exprs.node(id) == Expr::Var(*var));
    let all: BTreeSet<VarId> = step.iter().flat_map(|&value| variables(&program.exprs, value)).collect();
    let parameters: Vec<VarId> = all.into_iter().filter(|var| !stands(var)).collect();
    if parameters.contains(&index) || !fixed(&parameters) {
        return None;
    }
    let exprs = &mut program.exprs;
    let commutes = commutes(exprs, &step, &states, (v, w));
    let single = (states.len() == 1).then(|| (step[0], states[0]));
    let sum = single.map(|(step, state)| sum(exprs, step, state));
    let neutral = single.map_or_else(Vec::new, |(step, state)| neutral(exprs, step, state, v));
    let before = exprs.binary(BinOp::Sub, i, by);
    let before = exprs.substitute(pointer, &mut FxHashMap::from_iter([(i, before)]));
    let (exit, span) = (source.edges[exit].to, source.edges[exit].span);
    Some(Fold {
        head: one.head,
        exit,
        span,
        index,
        bound,
        region,
        accumulators,
        step,
        parameters,
        commutes,
        sum,
        neutral,
        before,
    })
}

/// The edge into the loop, and `index` and `bound` of the condition `index < bound` there.
fn condition(source: &Program, head: Node, exit: Node) -> Option<(cfa::EdgeId, VarId, ExprId)> {
    let edges: Vec<cfa::EdgeId> = source.leaving(head).collect();
    let &[a, b] = &edges[..] else { return None };
    let entering = if source.edges[a].to == exit { b } else { a };
    if source.edges[entering].to == exit {
        return None;
    }
    let Op::Assume(condition) = source.edges[entering].op else { return None };
    let Expr::Binary(BinOp::Lt, i, bound) = source.exprs.node(condition) else { return None };
    let Expr::Var(index) = source.exprs.node(i) else { return None };
    source.exprs.ty(i).is_int().then_some((entering, index, bound))
}

/// What one iteration does to registers; `None` if it does more, or may not come back to the head.
fn body(source: &Program, exprs: &mut Exprs, loops: &Loops, id: LoopId, start: Node) -> Option<Values> {
    let head = loops.loops[id].head;
    let always = exprs.bool(true);
    let mut states: BTreeMap<Node, Vec<(ExprId, Values)>> = BTreeMap::from([(start, vec![(always, Values::new())])]);
    // An empty body changes nothing, so it is not one of a fold.
    for &node in loops.members(id).iter().filter(|&&node| node != head) {
        let (guard, values) = join(source, exprs, states.remove(&node)?);
        let edges: Vec<cfa::EdgeId> = source.leaving(node).collect();
        let branches = match edges[..] {
            [one] => !matches!(source.edges[one].op, Op::Assume(_)),
            [a, b] => match (&source.edges[a].op, &source.edges[b].op) {
                (Op::Assume(a), Op::Assume(b)) => source.complementary(*a, *b),
                _ => false,
            },
            _ => false,
        };
        if !branches {
            return None;
        }
        for edge in edges {
            let edge = &source.edges[edge];
            let (mut guard, mut values) = (guard, values.clone());
            match edge.op {
                Op::Skip => {}
                Op::Assume(condition) => {
                    let condition = after(source, exprs, &values, condition);
                    guard = exprs.binary(BinOp::And, guard, condition);
                }
                Op::Assign(var, value) => {
                    let value = after(source, exprs, &values, value);
                    values.insert(var, value);
                }
                _ => return None,
            }
            states.entry(edge.to).or_default().push((guard, values));
        }
    }
    let (_, values) = join(source, exprs, states.remove(&head)?);
    states.is_empty().then_some(values)
}

/// An expression where registers have these values.
fn after(source: &Program, exprs: &mut Exprs, values: &Values, id: ExprId) -> ExprId {
    let mut names: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for (&var, &value) in values {
        let ty = source.register(var).expect("what is assigned is a register");
        names.insert(exprs.var(var, ty), value);
    }
    exprs.substitute(id, &mut names)
}

/// Where ways meet: one of the guards holds.
fn join(source: &Program, exprs: &mut Exprs, mut ways: Vec<(ExprId, Values)>) -> (ExprId, Values) {
    let (mut guard, mut values) = ways.pop().expect("a node that is reached is reached in some way");
    for (other, changed) in ways {
        let vars: BTreeSet<VarId> = values.keys().chain(changed.keys()).copied().collect();
        for var in vars {
            let ty = source.register(var).expect("what is assigned is a register");
            let old = exprs.var(var, ty);
            let (a, b) = (*changed.get(&var).unwrap_or(&old), *values.get(&var).unwrap_or(&old));
            let value = if a == b { a } else { exprs.ite(other, a, b) };
            values.insert(var, value);
        }
        guard = exprs.binary(BinOp::Or, guard, other);
    }
    (guard, values)
}

fn loads(exprs: &Exprs, values: &[ExprId]) -> BTreeSet<ExprId> {
    let mut found = BTreeSet::new();
    for &value in values {
        exprs.visit(value, |id, node| {
            if matches!(node, Expr::Load(_)) {
                found.insert(id);
            }
        });
    }
    found
}

/// The one place in an array that these values depend on.
fn element(source: &Program, exprs: &Exprs, arrays: &Arrays, values: &[ExprId]) -> Option<(Region, ExprId)> {
    let mut found = None;
    for load in loads(exprs, values) {
        let Expr::Load(pointer) = exprs.node(load) else { unreachable!("loads are loads") };
        // The analysis of pointers knows the source's expressions.
        if pointer.index() >= source.exprs.len() {
            return None;
        }
        let place = (arrays.of(source, pointer, exprs.ty(load))?, pointer);
        if *found.get_or_insert(place) != place {
            return None;
        }
    }
    found
}

/// Whether the offset of a pointer is the index times the size of an element.
fn is_indexed_by(program: &mut Program, arrays: &Arrays, (region, pointer): (Region, ExprId), index: VarId) -> bool {
    let array = &arrays.arrays[&region];
    let bytes = array.ty.bytes(program.model);
    let Some(offset) = arrays.offset(&mut program.exprs, pointer, array.object) else { return false };
    let exprs = &program.exprs;
    let factor = match exprs.node(offset) {
        Expr::Binary(BinOp::Mul, a, b) if exprs.integer(b) == Some(i128::from(bytes)) => a,
        _ if bytes == 1 => offset,
        _ => return false,
    };
    let inner = match exprs.node(factor) {
        Expr::Cast(inner) => inner,
        _ => factor,
    };
    let narrow = exprs.ty(inner).bits(program.model) <= exprs.ty(offset).bits(program.model);
    exprs.node(inner) == Expr::Var(index) && exprs.ty(inner).is_int() && narrow
}

/// Whether a value is a function of what it mentions: over integers only, and defined for all of them.
fn is_function(exprs: &Exprs, root: ExprId) -> bool {
    let mut total = true;
    exprs.visit(root, |id, node| {
        let plain = exprs.ty(id).is_int() || exprs.ty(id) == Scalar::Bool;
        total &= plain
            && match node {
                Expr::Const { .. } | Expr::Var(_) | Expr::Unary(..) | Expr::Cast(_) | Expr::Ite(..) => true,
                Expr::Binary(BinOp::Div | BinOp::Rem, _, by) => exprs.integer(by).is_some_and(|by| by > 0),
                Expr::Binary(BinOp::Shl | BinOp::Shr, a, by) => {
                    let width = i128::from(exprs.ty(a).bits(exprs.model()));
                    exprs.integer(by).is_some_and(|by| (0..width).contains(&by))
                }
                Expr::Binary(..) => true,
                Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Living(_) => false,
            };
    });
    total
}

/// Whether a register may be read after a node before it is written.
fn is_read(program: &Program, from: Node, var: VarId) -> bool {
    let local = program.vars[var].function.is_some();
    let function = program.nodes[from].function;
    let mut seen = BTreeSet::from([from]);
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        if node == program.functions[function].exit && !local {
            return true;
        }
        for edge in program.leaving(node) {
            let edge = &program.edges[edge];
            if edge.op.operands().any(|operand| variables(&program.exprs, operand).contains(&var)) {
                return true;
            }
            if !local && matches!(edge.op, Op::Call { .. } | Op::CallPointer { .. } | Op::Halt(_)) {
                return true;
            }
            if edge.op.variable() != Some(var) && seen.insert(edge.to) {
                stack.push(edge.to);
            }
        }
    }
    false
}

/// φ(φ(s, v), w) = φ(φ(s, w), v)
fn commutes(exprs: &mut Exprs, step: &[ExprId], states: &[ExprId], (v, w): (ExprId, ExprId)) -> ExprId {
    let mut renamed = FxHashMap::from_iter([(v, w)]);
    let with_w: Vec<ExprId> = step.iter().map(|&value| exprs.substitute(value, &mut renamed)).collect();
    let mut all = exprs.bool(true);
    let mut after_v: FxHashMap<ExprId, ExprId> = states.iter().copied().zip(step.iter().copied()).collect();
    let mut after_w: FxHashMap<ExprId, ExprId> = states.iter().copied().zip(with_w).collect();
    after_v.insert(v, w);
    for &value in step {
        let (a, b) = (exprs.substitute(value, &mut after_v), exprs.substitute(value, &mut after_w));
        let equal = exprs.binary(BinOp::Eq, a, b);
        all = exprs.binary(BinOp::And, all, equal);
    }
    all
}

/// φ(s, v) = s + φ(0, v)
fn sum(exprs: &mut Exprs, step: ExprId, state: ExprId) -> Sum {
    let zero = exprs.int(exprs.ty(state), 0);
    let addend = exprs.substitute(step, &mut FxHashMap::from_iter([(state, zero)]));
    let total = exprs.binary(BinOp::Add, state, addend);
    Sum { addend, is_sum: exprs.binary(BinOp::Eq, step, total), opposites: Vec::new() }
}

/// The constants that may be neutral: φ(c, v) = v.
fn neutral(exprs: &mut Exprs, step: ExprId, state: ExprId, v: ExprId) -> Vec<(ExprId, ExprId)> {
    let ty = exprs.ty(state);
    let Scalar::Int { bits, signed } = ty else { return Vec::new() };
    let ones = u128::MAX >> (128 - u32::from(bits));
    let least = if signed { 1 << (bits - 1) } else { 0 };
    let element = exprs.cast(v, ty);
    [0, ones, least, ones ^ least]
        .map(|value| {
            let constant = exprs.bits(ty, value);
            let first = exprs.substitute(step, &mut FxHashMap::from_iter([(state, constant)]));
            (constant, exprs.binary(BinOp::Eq, first, element))
        })
        .into()
}

/// Asks of sums over one array whether one subtracts what the other adds.
pub(super) fn compare_sums(exprs: &mut Exprs, folds: &mut [Fold]) {
    for at in 1..folds.len() {
        let (before, rest) = folds.split_at_mut(at);
        let (region, Some(own)) = (rest[0].region, &mut rest[0].sum) else { continue };
        for other in before.iter().filter(|other| other.region == region) {
            let Some(sum) = &other.sum else { continue };
            if sum.addend == own.addend || exprs.ty(sum.addend) != exprs.ty(own.addend) {
                continue;
            }
            let negated = exprs.unary(UnOp::Neg, sum.addend);
            let opposite = exprs.binary(BinOp::Eq, own.addend, negated);
            own.opposites.push((sum.addend, opposite));
        }
    }
}
