//! Bounds of sums and differences of integer variables [Min06]: γ(state) = the states in which `±x ±y` is at most what the
//! matrix says, for all pairs of variables of the function. This is what bounds a counter by another one that runs down:
//! `x + z <= 2147483647`.
//!
//! Variables are integer registers and places in memory that only one object has and all accesses mean, the most used ones
//! of each function. Numbers are exact: an operation whose result may not fit its type gives whatever the type has.

mod calls;
mod export;
mod linear;
mod matrix;
mod used;

use analysis::dataflow::FlowDomain;
use base::{Cancel, IdVec, Stopped};
use cfa::{BinOp, EdgeId, Expr, ExprId, Exprs, FunctionId, Op, Program, Scalar, UnOp, VarId};
use flow::points_to::ObjectKind;
use flow::regions::{Region, Regions};
use flow::{Prepared, Uses};
use linear::{Linear, Range};
use matrix::{Matrix, Term};
use std::collections::{BTreeMap, BTreeSet};
use used::{Used, owner};

/// Variables that all functions share, and those of one function alone.
const MOST_GLOBALS: usize = 6;
const MOST_LOCALS: usize = 14;
/// Most facts that a state is told by.
const MOST_FACTS: usize = 60;

/// What the domain follows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Register(VarId),
    /// A place in memory, by its region.
    Cell(Region),
}

/// The variables of a function: those that all functions share come first.
#[derive(Clone, Debug, Default)]
struct Frame {
    places: Vec<Place>,
    types: Vec<Scalar>,
    positions: BTreeMap<Place, usize>,
}

/// What is known within one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Octagon {
    function: FunctionId,
    matrix: Matrix,
}

/// Octagons over a program's integer variables.
pub struct OctagonDomain<'p> {
    program: &'p Program,
    regions: Regions,
    frames: IdVec<FunctionId, Frame>,
    shared: usize,
    /// Places in the memory of locals, by function: a new activation makes them arbitrary.
    fresh: IdVec<FunctionId, Vec<Place>>,
    /// Parameters that their function never assigns.
    constant: BTreeSet<VarId>,
    /// Where widening stops first.
    thresholds: Vec<i128>,
}

impl<'p> OctagonDomain<'p> {
    /// The domain for a program.
    pub fn new(program: &'p Prepared, cancel: &Cancel) -> Result<Self, Stopped> {
        let points_to = program.points_to(cancel)?;
        let regions = Regions::new(program, &Uses::new(program), &points_to);
        let used = Used::new(program, &regions);
        let mut fresh: IdVec<FunctionId, Vec<Place>> = IdVec::filled(program.functions.len(), Vec::new());
        for (region, shape) in regions.iter() {
            for &object in &shape.objects {
                if let ObjectKind::Variable(var) = points_to.objects[object].kind
                    && let Some(function) = program.vars[var].function
                {
                    fresh[function].push(Place::Cell(region));
                }
            }
        }
        let most = |function: Option<FunctionId>, most: usize| {
            let mut own: Vec<(&Place, &(Scalar, u32))> =
                used.places.iter().filter(|(place, _)| owner(program, place) == function).collect();
            own.sort_by_key(|(place, (_, count))| (std::cmp::Reverse(*count), **place));
            own.into_iter().take(most).map(|(place, (ty, _))| (*place, *ty)).collect::<Vec<_>>()
        };
        let shared = most(None, MOST_GLOBALS);
        let frames = program.functions.ids().map(|function| {
            let all: Vec<(Place, Scalar)> = shared.iter().copied().chain(most(Some(function), MOST_LOCALS)).collect();
            Frame {
                places: all.iter().map(|(place, _)| *place).collect(),
                types: all.iter().map(|(_, ty)| *ty).collect(),
                positions: all.iter().enumerate().map(|(at, (place, _))| (*place, at)).collect(),
            }
        });
        let frames = frames.collect::<Vec<_>>().into();
        let assigned: BTreeSet<VarId> = program.edges.iter().filter_map(|(_, edge)| edge.op.variable()).collect();
        let params = program.functions.iter().flat_map(|(_, function)| function.params.iter().copied());
        let constant = params.filter(|var| !assigned.contains(var)).collect();
        let thresholds = used.thresholds.into_iter().collect();
        Ok(Self { program, regions, frames, shared: shared.len(), fresh, constant, thresholds })
    }

    fn frame(&self, state: &Octagon) -> &Frame {
        &self.frames[state.function]
    }

    fn position(&self, state: &Octagon, place: Place) -> Option<usize> {
        self.frame(state).positions.get(&place).copied()
    }

    /// The place in memory that a pointer leads to, if it is one that is followed.
    fn cell(&self, pointer: ExprId) -> Place {
        Place::Cell(self.regions.of_pointer(pointer))
    }

    fn full(&self, function: FunctionId) -> Octagon {
        let matrix = Matrix::full(self.frames[function].places.len());
        let all = Octagon { function, matrix };
        self.typed(all).expect("types have values")
    }

    /// Every variable lies in its type.
    fn typed(&self, mut state: Octagon) -> Option<Octagon> {
        for at in 0..state.matrix.vars() {
            self.enter_type(&mut state, at);
        }
        state.matrix = state.matrix.closed()?;
        Some(state)
    }

    fn enter_type(&self, state: &mut Octagon, at: usize) {
        let range = Range::of_type(self.frame(state).types[at]).expect("variables are integers");
        state.matrix.entered(Term::plus(at), Term::plus(at), 2 * range.most);
        state.matrix.entered(Term::minus(at), Term::minus(at), -2 * range.least);
    }

    fn forget(&self, state: &Octagon, at: usize) -> Option<Octagon> {
        let mut after = Octagon { matrix: state.matrix.forgotten(at)?, ..*state };
        self.enter_type(&mut after, at);
        after.matrix = after.matrix.closed()?;
        Some(after)
    }

    fn forget_place(&self, state: Octagon, place: Place) -> Option<Octagon> {
        match self.position(&state, place) {
            Some(at) => self.forget(&state, at),
            None => Some(state),
        }
    }

    fn assign(&self, state: &Octagon, place: Place, value: ExprId) -> Option<Octagon> {
        let Some(at) = self.position(state, place) else { return Some(state.clone()) };
        match self.linear(state, value) {
            Some(linear) => self.set(state, at, &linear),
            None => {
                let range = self.range(state, value);
                let below = self.bounded_by(state, value);
                let mut after = self.forget(state, at)?;
                if let Some(range) = range {
                    after = self.within(after, at, range)?;
                }
                // Quotients and the like are not above what they are made from.
                for (other, distance) in below.into_iter().filter(|(other, _)| *other != at) {
                    after.matrix = after.matrix.restricted(Term::plus(at), Term::minus(other), distance)?;
                }
                Some(after)
            }
        }
    }

    fn within(&self, state: Octagon, at: usize, range: Range) -> Option<Octagon> {
        assert!(range.least <= range.most, "{range:?} is empty");
        let matrix = state.matrix.restricted(Term::plus(at), Term::plus(at), 2 * range.most)?;
        let matrix = matrix.restricted(Term::minus(at), Term::minus(at), -2 * range.least)?;
        Some(Octagon { matrix, ..state })
    }

    /// The variable at a position becomes a sum of others.
    fn set(&self, state: &Octagon, at: usize, value: &Linear) -> Option<Octagon> {
        // It grows, or its opposite does.
        for (own, negate) in [(1, false), (-1, true)] {
            if value.factor(at) == own {
                let rest = value.without(at);
                let range = self.range_of(state, &rest)?;
                let matrix = if negate { state.matrix.negated(at) } else { state.matrix.clone() };
                let after = Octagon { matrix: matrix.moved(at, range.least, range.most)?, ..*state };
                // Constants move exactly; of sums the bounds by their parts are known as well.
                return if rest.terms.is_empty() { Some(after) } else { self.bounded(after, state, at, value) };
            }
        }
        let after = self.forget(state, at)?;
        self.bounded(after, state, at, value)
    }

    /// Bounds of the variable at a position, which holds what `value` was `before`, and its distances to other variables.
    fn bounded(&self, mut after: Octagon, before: &Octagon, at: usize, value: &Linear) -> Option<Octagon> {
        after = self.within(after, at, self.range_of(before, value)?)?;
        for other in value.terms.keys().copied().filter(|other| *other != at) {
            for term in [Term::plus(other), Term::minus(other)] {
                // value + term is at most this, and at least that.
                let sum = value.plus(&Linear::term(term), 1);
                let range = self.range_of(before, &sum)?;
                after.matrix = after.matrix.restricted(Term::plus(at), term, range.most)?;
                after.matrix = after.matrix.restricted(Term::minus(at), term.opposite(), -range.least)?;
            }
        }
        Some(after)
    }

    /// The states where a condition has this truth.
    fn assume(&self, state: &Octagon, id: ExprId, truth: bool) -> Option<Octagon> {
        let exprs = &self.program.exprs;
        match exprs.node(id) {
            Expr::Const { low, .. } => ((low != 0) == truth).then(|| state.clone()),
            Expr::Unary(UnOp::Not, a) => self.assume(state, a, !truth),
            Expr::Binary(op @ (BinOp::And | BinOp::Or), a, b) if exprs.ty(a) == Scalar::Bool => {
                if (op == BinOp::And) == truth {
                    return self.assume(&self.assume(state, a, truth)?, b, truth);
                }
                match (self.assume(state, a, truth), self.assume(state, b, truth)) {
                    (Some(a), Some(b)) => Some(self.join(&a, &b)),
                    (a, b) => a.or(b),
                }
            }
            Expr::Binary(op @ (BinOp::Eq | BinOp::Lt | BinOp::Le), a, b) if exprs.ty(a).is_int() => {
                let (Some(x), Some(y)) = (self.linear_or_range(state, a), self.linear_or_range(state, b)) else {
                    return Some(state.clone());
                };
                let (forth, back) = (x.minus(&y), y.minus(&x));
                match (op, truth) {
                    (BinOp::Lt, true) => self.at_most(state, &forth, -1),
                    (BinOp::Lt, false) => self.at_most(state, &back, 0),
                    (BinOp::Le, true) => self.at_most(state, &forth, 0),
                    (BinOp::Le, false) => self.at_most(state, &back, -1),
                    (_, true) => self.at_most(&self.at_most(state, &forth, 0)?, &back, 0),
                    (_, false) => self.differs(state, &forth, &back),
                }
            }
            _ => Some(state.clone()),
        }
    }

    /// Where two numbers differ: only the ends of a range say anything.
    fn differs(&self, state: &Octagon, forth: &linear::Vague, back: &linear::Vague) -> Option<Octagon> {
        if !forth.is_exact() {
            return Some(state.clone());
        }
        let range = self.range_of(state, &forth.linear)?;
        match (range.least, range.most) {
            (0, 0) => None,
            (0, _) => self.at_most(state, back, -1),
            (_, 0) => self.at_most(state, forth, -1),
            (_, _) => Some(state.clone()),
        }
    }

    /// The states where a sum is at most this: bounds of all pairs of its variables, the rest at its least.
    fn at_most(&self, state: &Octagon, sum: &linear::Vague, bound: i128) -> Option<Octagon> {
        let bound = bound - sum.least;
        let linear = &sum.linear;
        if self.range_of(state, linear)?.least > bound {
            return None;
        }
        let units: Vec<Term> = linear.units().collect();
        let mut after = state.clone();
        for (at, &a) in units.iter().enumerate() {
            for &b in &units[at..] {
                let mut rest = linear.plus(&Linear::term(a), -1);
                let mut twice = 1;
                if a == b {
                    twice = 2;
                } else {
                    rest = rest.plus(&Linear::term(b), -1);
                }
                let most = bound - self.range_of(state, &rest)?.least;
                after.matrix = after.matrix.restricted(a, b, twice * most)?;
            }
        }
        // A multiple of one variable.
        for (&var, &factor) in linear.terms.iter().filter(|(_, factor)| factor.abs() > 1) {
            let term = if factor > 0 { Term::plus(var) } else { Term::minus(var) };
            let most = (bound - self.range_of(state, &linear.without(var))?.least).div_euclid(factor.abs());
            after.matrix = after.matrix.restricted(term, term, 2 * most)?;
        }
        Some(after)
    }
}

impl FlowDomain for OctagonDomain<'_> {
    type State = Octagon;

    fn initial(&self) -> Octagon {
        self.full(self.program.entry)
    }

    fn leq(&self, a: &Octagon, b: &Octagon) -> bool {
        assert_eq!(a.function, b.function, "states of one function are compared");
        a.matrix.closed().is_none_or(|a| a.leq(&b.matrix))
    }

    fn join(&self, a: &Octagon, b: &Octagon) -> Octagon {
        assert_eq!(a.function, b.function, "states of one function are joined");
        match (a.matrix.closed(), b.matrix.closed()) {
            (Some(x), Some(y)) => Octagon { matrix: x.join(&y), ..*a },
            (Some(_), None) => a.clone(),
            (None, _) => b.clone(),
        }
    }

    fn meet(&self, a: &Octagon, b: &Octagon) -> Option<Octagon> {
        assert_eq!(a.function, b.function, "states of one function are met");
        Some(Octagon { matrix: a.matrix.meet(&b.matrix)?, ..*a })
    }

    fn widen(&self, old: &Octagon, new: &Octagon) -> Octagon {
        let new = self.join(old, new);
        let mut matrix = old.matrix.widened(&new.matrix);
        let types = &self.frame(old).types;
        for (at, ty) in types.iter().enumerate() {
            let range = Range::of_type(*ty).expect("variables are integers");
            for (term, last) in [(Term::plus(at), range.most), (Term::minus(at), -range.least)] {
                let most = new.matrix.most(term).unwrap_or(last);
                let stop = self.threshold(term, most).unwrap_or(last).min(last);
                matrix.entered(term, term, 2 * stop);
            }
        }
        Octagon { matrix, ..*old }
    }

    fn post(&self, before: &Octagon, edge: EdgeId) -> Option<Octagon> {
        let program = self.program;
        let before = &Octagon { matrix: before.matrix.closed()?, ..*before };
        match &program.edges[edge].op {
            Op::Assume(condition) => self.assume(before, *condition, true),
            Op::Assign(var, value) => self.assign(before, Place::Register(*var), *value),
            Op::Return(Some(value)) => match program.functions[before.function].result {
                Some(result) => self.assign(before, Place::Register(result), *value),
                None => Some(before.clone()),
            },
            Op::Store { to, value } => self.assign(before, self.cell(*to), *value),
            Op::Havoc(var, _) => self.forget_place(before.clone(), Place::Register(*var)),
            Op::Halt(_) => None,
            Op::Call { .. } | Op::CallPointer { .. } | Op::Unsupported(_) => Some(self.full(before.function)),
            Op::Skip | Op::Return(None) | Op::Free(_) | Op::End(_) => Some(before.clone()),
            Op::Init(_) | Op::Declare(_) | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => {
                self.after_writes(before, edge)
            }
            op @ (Op::Allocate { .. } | Op::Library { .. }) => {
                let after = self.after_writes(before, edge)?;
                match op.variable() {
                    Some(result) => self.forget_place(after, Place::Register(result)),
                    None => Some(after),
                }
            }
        }
    }

    fn enter(&self, before: &Octagon, call: EdgeId) -> Octagon {
        match &self.program.edges[call].op {
            Op::Call { function, args, .. } => {
                self.enter_function(before, *function, args).unwrap_or_else(|| self.full(*function))
            }
            _ => self.full(before.function),
        }
    }

    fn leave(&self, before: &Octagon, call: EdgeId, exit: &Octagon) -> Octagon {
        match &self.program.edges[call].op {
            Op::Call { function, args, result } => self
                .leave_function(before, (*function, args, *result), exit)
                .unwrap_or_else(|| self.full(before.function)),
            _ => self.full(before.function),
        }
    }

    fn invariant(&self, state: &Octagon, exprs: &mut Exprs) -> ExprId {
        let mut all = exprs.bool(true);
        let Some(matrix) = state.matrix.closed() else { return exprs.bool(false) };
        for fact in self.facts(state, &matrix, exprs).into_iter().take(MOST_FACTS) {
            all = if exprs.constant(all) == Some(1) { fact } else { exprs.binary(BinOp::And, all, fact) };
        }
        all
    }
}

impl OctagonDomain<'_> {
    /// The next bound of a term where widening stops.
    fn threshold(&self, term: Term, most: i128) -> Option<i128> {
        if term.negative {
            let above = self.thresholds.partition_point(|value| *value <= -most);
            above.checked_sub(1).map(|at| -self.thresholds[at])
        } else {
            self.thresholds.get(self.thresholds.partition_point(|value| *value < most)).copied()
        }
    }

    /// What an edge may write in memory is forgotten.
    fn after_writes(&self, before: &Octagon, edge: EdgeId) -> Option<Octagon> {
        let written = self.regions.written(self.program, edge);
        written.into_iter().try_fold(before.clone(), |state, region| self.forget_place(state, Place::Cell(region)))
    }
}
