//! Affine equalities between integer variables, modulo 2^32 and 2^64 [MS07]: γ(state) = the states whose 32-bit
//! variables are a point of one space and whose 64-bit variables are a point of another. This is the relational
//! domain alongside intervals: `i + j == n`, `s == 4 * i`, `x == y`, exact under wrapping.

mod space;

pub use space::Space;

use analysis::dataflow::FlowDomain;
use base::IdVec;
use cfa::{BinOp, EdgeId, Expr, ExprId, Exprs, FunctionId, Op, Program, Scalar, UnOp, VarId};
use flow::Prepared;
use space::{Degree, Vector};
use std::collections::{BTreeSet, HashMap};

/// The widths that are tracked, each in a space of its own.
const WIDTHS: [u32; 2] = [32, 64];
/// Variables per space: so many globals, and so many locals of each function.
const MOST: usize = 24;

/// The variables that a space talks about within one function: globals first, the same in all functions.
#[derive(Clone, Debug, Default)]
struct Frame {
    vars: Vec<VarId>,
    positions: HashMap<VarId, usize>,
}

/// One space for each of the tracked widths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AffineState {
    function: FunctionId,
    spaces: [Space; 2],
}

/// Affine equalities of a program's integer registers.
pub struct AffineDomain<'p> {
    program: &'p Program,
    frames: IdVec<FunctionId, [Frame; 2]>,
    globals: [usize; 2],
    /// The globals that a call of the function may change.
    changes: IdVec<FunctionId, BTreeSet<VarId>>,
}

/// `coefficients · x + constant`
struct Linear {
    coefficients: Vector,
    constant: u64,
}

impl<'p> AffineDomain<'p> {
    /// The domain for a program.
    pub fn new(program: &'p Prepared) -> Self {
        let mut globals: [Vec<VarId>; 2] = Default::default();
        let mut locals: IdVec<FunctionId, [Vec<VarId>; 2]> = IdVec::filled(program.functions.len(), Default::default());
        for (var, variable) in program.vars.iter() {
            let Some(class) = program.register(var).and_then(class) else { continue };
            let list = match variable.function {
                Some(function) => &mut locals[function][class],
                None => &mut globals[class],
            };
            if list.len() < MOST {
                list.push(var);
            }
        }
        let frame = |locals: &[Vec<VarId>; 2], class: usize| {
            let vars: Vec<VarId> = globals[class].iter().chain(&locals[class]).copied().collect();
            let positions = vars.iter().enumerate().map(|(at, var)| (*var, at)).collect();
            Frame { vars, positions }
        };
        let frames: Vec<[Frame; 2]> = locals.iter().map(|(_, own)| [frame(own, 0), frame(own, 1)]).collect();
        Self {
            program,
            frames: frames.into(),
            globals: [globals[0].len(), globals[1].len()],
            changes: changes(program),
        }
    }

    fn position(&self, function: FunctionId, var: VarId) -> Option<(usize, usize)> {
        let class = self.program.register(var).and_then(class)?;
        Some((class, *self.frames[function][class].positions.get(&var)?))
    }

    /// The expression as an affine function of the variables of its width.
    fn linear(&self, function: FunctionId, id: ExprId) -> Option<Linear> {
        let exprs = &self.program.exprs;
        let own = class(exprs.ty(id))?;
        let dimension = self.frames[function][own].vars.len();
        let constant = |value: u64| Some(Linear { coefficients: vec![0; dimension].into(), constant: value });
        let same = |a: ExprId| (class(exprs.ty(a)) == Some(own)).then(|| self.linear(function, a)).flatten();
        match exprs.node(id) {
            Expr::Const { low, .. } => constant(low),
            Expr::Var(var) => {
                let (_, at) = self.position(function, var)?;
                let mut coefficients = vec![0; dimension];
                coefficients[at] = 1;
                Some(Linear { coefficients: coefficients.into(), constant: 0 })
            }
            Expr::Cast(a) => same(a),
            Expr::Unary(UnOp::Neg, a) => Some(same(a)?.scaled(u64::MAX)),
            Expr::Unary(UnOp::BitNot, a) => Some(same(a)?.scaled(u64::MAX).plus(&constant(1)?, u64::MAX)),
            Expr::Binary(BinOp::Add, a, b) => Some(same(a)?.plus(&same(b)?, 1)),
            Expr::Binary(BinOp::Sub, a, b) => Some(same(a)?.plus(&same(b)?, u64::MAX)),
            Expr::Binary(BinOp::Mul, a, b) => match (exprs.constant(a), exprs.constant(b)) {
                (Some(factor), _) => Some(same(b)?.scaled(factor as u64)),
                (_, Some(factor)) => Some(same(a)?.scaled(factor as u64)),
                (None, None) => None,
            },
            Expr::Binary(BinOp::Shl, a, b) => {
                let by = exprs.integer(b).filter(|by| (0..i128::from(WIDTHS[own])).contains(by))?;
                Some(same(a)?.scaled(1 << by))
            }
            Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) => None,
            Expr::Ite(..) | Expr::Living(_) => None,
        }
    }

    fn assign(&self, state: &mut AffineState, var: VarId, value: Option<ExprId>) {
        let Some((class, at)) = self.position(state.function, var) else { return };
        let space = &mut state.spaces[class];
        match value.and_then(|value| self.linear(state.function, value)) {
            Some(linear) => {
                *space = space.map(space.dimension(), |vector, degree| {
                    let mut moved: Vector = vector.into();
                    moved[at] = linear.apply(vector, degree);
                    moved
                });
            }
            None => space.forget(at),
        }
    }

    fn assume(&self, state: &AffineState, id: ExprId) -> Option<AffineState> {
        let exprs = &self.program.exprs;
        match exprs.node(id) {
            Expr::Const { low: 0, .. } => None,
            Expr::Binary(BinOp::And, a, b) => self.assume(&self.assume(state, a)?, b),
            Expr::Binary(BinOp::Or, a, b) => match (self.assume(state, a), self.assume(state, b)) {
                (Some(a), Some(b)) => Some(self.join(&a, &b)),
                (a, b) => a.or(b),
            },
            Expr::Binary(BinOp::Eq, a, b) => {
                let Some(class) = class(exprs.ty(a)) else { return Some(state.clone()) };
                let sides = (self.linear(state.function, a), self.linear(state.function, b));
                let (Some(left), Some(right)) = sides else { return Some(state.clone()) };
                let zero = left.plus(&right, u64::MAX);
                let mut restricted = state.clone();
                let constant = zero.constant.wrapping_neg();
                restricted.spaces[class] = state.spaces[class].restrict(&zero.coefficients, constant)?;
                Some(restricted)
            }
            _ => Some(state.clone()),
        }
    }

    fn full(&self, function: FunctionId) -> AffineState {
        let space = |class: usize| Space::full(self.frames[function][class].vars.len(), WIDTHS[class]);
        AffineState { function, spaces: [space(0), space(1)] }
    }
}

impl Linear {
    fn scaled(mut self, factor: u64) -> Linear {
        self.coefficients.iter_mut().for_each(|entry| *entry = entry.wrapping_mul(factor));
        self.constant = self.constant.wrapping_mul(factor);
        self
    }

    fn plus(mut self, other: &Linear, factor: u64) -> Linear {
        debug_assert_eq!(self.coefficients.len(), other.coefficients.len(), "sums over the same variables");
        for (entry, more) in self.coefficients.iter_mut().zip(&other.coefficients) {
            *entry = entry.wrapping_add(more.wrapping_mul(factor));
        }
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        self
    }

    fn apply(&self, vector: &[u64], degree: Degree) -> u64 {
        debug_assert_eq!(self.coefficients.len(), vector.len(), "a point of the space that the sum is over");
        let start = if degree == Degree::Point { self.constant } else { 0 };
        let terms = self.coefficients.iter().zip(vector);
        terms.fold(start, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
    }
}

impl FlowDomain for AffineDomain<'_> {
    type State = AffineState;

    fn initial(&self) -> AffineState {
        self.full(self.program.entry)
    }

    fn leq(&self, a: &AffineState, b: &AffineState) -> bool {
        assert_eq!(a.function, b.function, "states of one function are compared");
        a.spaces.iter().zip(&b.spaces).all(|(a, b)| a.leq(b))
    }

    fn join(&self, a: &AffineState, b: &AffineState) -> AffineState {
        assert_eq!(a.function, b.function, "states of one function are joined");
        let [x, y] = [0, 1].map(|class| a.spaces[class].join(&b.spaces[class]));
        AffineState { function: a.function, spaces: [x, y] }
    }

    fn meet(&self, a: &AffineState, b: &AffineState) -> Option<AffineState> {
        assert_eq!(a.function, b.function, "states of one function are met");
        let mut result = a.clone();
        for (space, other) in result.spaces.iter_mut().zip(&b.spaces) {
            for (coefficients, constant) in other.equations() {
                *space = space.restrict(&coefficients, constant)?;
            }
        }
        Some(result)
    }

    /// Chains of spaces are finite: every step adds a vector that was not spanned before.
    fn widen(&self, old: &AffineState, new: &AffineState) -> AffineState {
        self.join(old, new)
    }

    fn post(&self, before: &AffineState, edge: EdgeId) -> Option<AffineState> {
        let mut after = before.clone();
        match &self.program.edges[edge].op {
            Op::Assume(condition) => return self.assume(before, *condition),
            Op::Assign(var, value) => self.assign(&mut after, *var, Some(*value)),
            Op::Return(Some(value)) => {
                if let Some(result) = self.program.functions[before.function].result {
                    self.assign(&mut after, result, Some(*value));
                }
            }
            Op::Havoc(var, _) | Op::Allocate { result: var, .. } => self.assign(&mut after, *var, None),
            Op::Library { result, .. } => {
                if let Some(result) = result {
                    self.assign(&mut after, *result, None);
                }
            }
            Op::Halt(_) => return None,
            Op::Call { .. } | Op::CallPointer { .. } | Op::Unsupported(_) => after = self.full(before.function),
            Op::Skip | Op::Return(None) | Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } => {}
            Op::Fill { .. } | Op::HavocMemory { .. } | Op::Free(_) | Op::End(_) => {}
        }
        Some(after)
    }

    fn enter(&self, before: &AffineState, call: EdgeId) -> AffineState {
        let Op::Call { function, args, .. } = &self.program.edges[call].op else { return self.full(before.function) };
        let params = &self.program.functions[*function].params;
        let spaces = [0, 1].map(|class| {
            let frame = &self.frames[*function][class];
            let mut values: Vec<Option<Linear>> = frame.vars.iter().map(|_| None).collect();
            for (param, arg) in params.iter().zip(args) {
                if let Some(&at) = frame.positions.get(param) {
                    values[at] = self.linear(before.function, *arg);
                }
            }
            let globals = self.globals[class];
            let mut inside = before.spaces[class].map(frame.vars.len(), |vector, degree| {
                let value = |at: usize| values[at].as_ref().map_or(0, |linear| linear.apply(vector, degree));
                (0..frame.vars.len()).map(|at| if at < globals { vector[at] } else { value(at) }).collect()
            });
            (globals..frame.vars.len()).filter(|&at| values[at].is_none()).for_each(|at| inside.forget(at));
            inside
        });
        AffineState { function: *function, spaces }
    }

    fn leave(&self, before: &AffineState, call: EdgeId, exit: &AffineState) -> AffineState {
        let Op::Call { function, result, .. } = &self.program.edges[call].op else { return self.full(before.function) };
        let mut after = before.clone();
        for var in self.changes[*function].iter().chain(result) {
            self.assign(&mut after, *var, None);
        }
        let source = self.program.functions[*function].result.and_then(|var| self.position(*function, var));
        let target = result.and_then(|var| self.position(before.function, var));
        for class in [0, 1] {
            let dimension = after.spaces[class].dimension();
            let globals = self.globals[class];
            // Where the value of a variable outside is found inside. The result may be a global: it is no longer what it
            // was inside.
            let from = |at: usize| match target {
                Some(to) if to == (class, at) => source.filter(|from| from.0 == class).map(|from| from.1),
                _ => (at < globals).then_some(at),
            };
            let mut outside = exit.spaces[class].map(dimension, |vector, _| {
                (0..dimension).map(|at| from(at).map_or(0, |inside| vector[inside])).collect()
            });
            (0..dimension).filter(|&at| from(at).is_none()).for_each(|at| outside.forget(at));
            for (coefficients, constant) in outside.equations() {
                if let Some(restricted) = after.spaces[class].restrict(&coefficients, constant) {
                    after.spaces[class] = restricted;
                }
            }
        }
        after
    }

    fn invariant(&self, state: &AffineState, exprs: &mut Exprs) -> ExprId {
        let mut all = exprs.bool(true);
        for (class, space) in state.spaces.iter().enumerate() {
            let vars = &self.frames[state.function][class].vars;
            for (coefficients, constant) in space.equations() {
                let fact = self.equation(exprs, class, vars, &coefficients, constant);
                all = if exprs.constant(all) == Some(1) { fact } else { exprs.binary(BinOp::And, all, fact) };
            }
        }
        all
    }
}

impl AffineDomain<'_> {
    /// `coefficients · vars == constant` with every term on the side where its factor is small.
    fn equation(&self, exprs: &mut Exprs, class: usize, vars: &[VarId], coefficients: &[u64], constant: u64) -> ExprId {
        assert_eq!(vars.len(), coefficients.len(), "a coefficient for each variable");
        let ty = Scalar::int(WIDTHS[class], false);
        let bit = 1u64 << (WIDTHS[class] - 1);
        let negated = |value: u64| value.wrapping_neg() & (bit - 1 + bit);
        let mut sides = [None, None];
        let mut add = |exprs: &mut Exprs, side: usize, term: ExprId| {
            sides[side] = Some(match sides[side] {
                Some(sum) => exprs.binary(BinOp::Add, sum, term),
                None => term,
            });
        };
        for (var, &factor) in vars.iter().zip(coefficients) {
            let Some(scalar) = self.program.register(*var).filter(|_| factor != 0) else { continue };
            let x = exprs.var(*var, scalar);
            let x = exprs.cast(x, ty);
            let (side, factor) = if factor > bit { (1, negated(factor)) } else { (0, factor) };
            let c = exprs.int(ty, i128::from(factor));
            let term = if factor == 1 { x } else { exprs.binary(BinOp::Mul, c, x) };
            add(exprs, side, term);
        }
        let (side, value) = if constant > bit { (0, negated(constant)) } else { (1, constant) };
        if value != 0 {
            let c = exprs.int(ty, i128::from(value));
            add(exprs, side, c);
        }
        let [left, right] = sides.map(|side| side.unwrap_or_else(|| exprs.int(ty, 0)));
        exprs.binary(BinOp::Eq, left, right)
    }
}

/// Which space a type belongs to.
fn class(ty: Scalar) -> Option<usize> {
    match ty {
        Scalar::Int { bits, .. } => WIDTHS.iter().position(|&width| width == u32::from(bits)),
        Scalar::Bool | Scalar::Float(_) | Scalar::Ptr => None,
    }
}

/// The globals that each function, or one that it calls, writes.
fn changes(program: &Prepared) -> IdVec<FunctionId, BTreeSet<VarId>> {
    let mut changes: IdVec<FunctionId, BTreeSet<VarId>> = IdVec::filled(program.functions.len(), BTreeSet::new());
    for (_, edge) in program.edges.iter() {
        let written = match &edge.op {
            Op::Assign(var, _) | Op::Havoc(var, _) | Op::Allocate { result: var, .. } => Some(*var),
            Op::Call { result, .. } | Op::CallPointer { result, .. } | Op::Library { result, .. } => *result,
            Op::Skip | Op::Assume(_) | Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } => None,
            Op::Fill { .. } | Op::HavocMemory { .. } | Op::Free(_) | Op::Return(_) | Op::Halt(_) => None,
            Op::End(_) | Op::Unsupported(_) => None,
        };
        if let Some(var) = written.filter(|var| program.vars[*var].function.is_none()) {
            changes[program.nodes[edge.from].function].insert(var);
        }
    }
    let calls = program.calls();
    loop {
        let mut grew = false;
        for caller in program.functions.ids() {
            for &(_, callee) in calls.calls(caller) {
                let more: Vec<VarId> = changes[callee].difference(&changes[caller]).copied().collect();
                grew |= !more.is_empty();
                changes[caller].extend(more);
            }
        }
        if !grew {
            return changes;
        }
    }
}
