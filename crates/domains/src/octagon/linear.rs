//! Expressions as sums of variables, and as ranges of numbers.

use super::matrix::Term;
use super::{Octagon, OctagonDomain, Place};
use cfa::{BinOp, Expr, ExprId, Scalar, UnOp};
use std::collections::BTreeMap;

/// Sums of more variables are not followed.
const MOST_TERMS: usize = 4;
/// Nor are larger factors.
const MOST_FACTOR: i128 = 1 << 20;

/// `factors · variables + constant`; no factor is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Linear {
    pub terms: BTreeMap<usize, i128>,
    pub constant: i128,
}

impl Linear {
    pub fn number(constant: i128) -> Linear {
        Linear { terms: BTreeMap::new(), constant }
    }

    pub fn term(term: Term) -> Linear {
        Linear { terms: BTreeMap::from([(term.var, if term.negative { -1 } else { 1 })]), constant: 0 }
    }

    pub fn factor(&self, var: usize) -> i128 {
        self.terms.get(&var).copied().unwrap_or(0)
    }

    pub fn without(&self, var: usize) -> Linear {
        let mut rest = self.clone();
        rest.terms.remove(&var);
        rest
    }

    /// The sum with a multiple of another.
    pub fn plus(&self, other: &Linear, times: i128) -> Linear {
        let mut sum = self.clone();
        sum.constant += times * other.constant;
        for (&var, factor) in &other.terms {
            let entry = sum.terms.entry(var).or_default();
            *entry += times * factor;
            if *entry == 0 {
                sum.terms.remove(&var);
            }
        }
        debug_assert!(sum.terms.values().all(|&factor| factor != 0), "no factor is zero");
        sum
    }

    /// The variables whose factor is 1 or -1.
    pub fn units(&self) -> impl Iterator<Item = Term> + '_ {
        let units = self.terms.iter().filter(|(_, factor)| factor.abs() == 1);
        units.map(|(&var, &factor)| Term { var, negative: factor < 0 })
    }

    fn is_small(&self) -> bool {
        self.terms.len() <= MOST_TERMS && self.terms.values().all(|factor| factor.abs() <= MOST_FACTOR)
    }
}

/// A sum of variables and a number of which only the bounds are known.
#[derive(Clone, Debug)]
pub(super) struct Vague {
    pub linear: Linear,
    pub least: i128,
    pub most: i128,
}

impl Vague {
    pub fn is_exact(&self) -> bool {
        self.least == 0 && self.most == 0
    }

    pub fn minus(&self, other: &Vague) -> Vague {
        debug_assert!(self.least <= self.most && other.least <= other.most, "bounds are in order");
        let linear = self.linear.plus(&other.linear, -1);
        Vague { linear, least: self.least - other.most, most: self.most - other.least }
    }
}

/// The numbers between two bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub least: i128,
    pub most: i128,
}

impl Range {
    /// The values of an integer type of at most 64 bits.
    pub fn of_type(ty: Scalar) -> Option<Range> {
        match ty {
            Scalar::Int { bits, signed } if bits <= 64 => Some(match signed {
                true => Range { least: -(1 << (bits - 1)), most: (1 << (bits - 1)) - 1 },
                false => Range { least: 0, most: (1 << bits) - 1 },
            }),
            Scalar::Int { .. } | Scalar::Bool | Scalar::Float(_) | Scalar::Ptr => None,
        }
    }

    fn join(self, other: Range) -> Range {
        debug_assert!(self.least <= self.most && other.least <= other.most, "bounds are in order");
        Range { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    fn covers(self, other: Range) -> bool {
        self.least <= other.least && other.most <= self.most
    }
}

/// What expressions may be: all integers of at most 64 bits, and exact sums of them in 128, as checks compute them.
fn range_of(ty: Scalar) -> Option<Range> {
    match ty {
        Scalar::Int { bits: 65.., signed: true } => Some(Range { least: -(1 << 120), most: 1 << 120 }),
        _ => Range::of_type(ty),
    }
}

impl OctagonDomain<'_> {
    /// The value of a constant as a number.
    fn number(&self, id: ExprId) -> Option<i128> {
        let exprs = &self.program.exprs;
        match exprs.ty(id) {
            Scalar::Int { bits: 65.., signed: true } => exprs.constant(id).map(|bits| bits as i128),
            _ => exprs.integer(id),
        }
    }

    /// The expression as a sum of variables, where that is exact: nothing wraps.
    pub(super) fn linear(&self, state: &Octagon, id: ExprId) -> Option<Linear> {
        let exprs = &self.program.exprs;
        let ty = range_of(exprs.ty(id))?;
        let place = |place: Place| self.position(state, place).map(|at| Linear::term(Term::plus(at)));
        let sum = match exprs.node(id) {
            Expr::Const { .. } => return self.number(id).map(Linear::number),
            Expr::Var(var) => return place(Place::Register(var)),
            Expr::Load(pointer) => return place(self.cell(pointer)),
            Expr::Cast(a) if exprs.ty(a).is_int() => self.linear(state, a)?,
            Expr::Unary(UnOp::Neg, a) => Linear::default().plus(&self.linear(state, a)?, -1),
            Expr::Binary(BinOp::Add, a, b) => self.linear(state, a)?.plus(&self.linear(state, b)?, 1),
            Expr::Binary(BinOp::Sub, a, b) => self.linear(state, a)?.plus(&self.linear(state, b)?, -1),
            Expr::Binary(BinOp::Mul, a, b) => {
                let (x, y) = (self.linear(state, a)?, self.linear(state, b)?);
                match (x.terms.is_empty(), y.terms.is_empty()) {
                    (true, _) if x.constant.abs() <= MOST_FACTOR => Linear::default().plus(&y, x.constant),
                    (_, true) if y.constant.abs() <= MOST_FACTOR => Linear::default().plus(&x, y.constant),
                    (_, _) => return None,
                }
            }
            Expr::Addr(_) | Expr::Function(_) | Expr::Cast(_) | Expr::Unary(..) | Expr::Binary(..) => return None,
            Expr::Ite(..) | Expr::Living(_) => return None,
        };
        (sum.is_small() && ty.covers(self.range_of(state, &sum)?)).then_some(sum)
    }

    /// A sum, or at least the bounds.
    pub(super) fn linear_or_range(&self, state: &Octagon, id: ExprId) -> Option<Vague> {
        match self.linear(state, id) {
            Some(linear) => Some(Vague { linear, least: 0, most: 0 }),
            None => self.range(state, id).map(|Range { least, most }| Vague { linear: Linear::default(), least, most }),
        }
    }

    /// The bounds of a sum; of two variables those that are known of both together.
    pub(super) fn range_of(&self, state: &Octagon, sum: &Linear) -> Option<Range> {
        let matrix = state.matrix.as_closed()?;
        let alone_most = |term: Term| matrix.most(term).expect("every variable lies in its type");
        let most = |sign: i128| {
            let terms: Vec<(Term, i128)> = sum
                .terms
                .iter()
                .map(|(&var, &factor)| (Term { var, negative: sign * factor < 0 }, factor.abs()))
                .collect();
            let mut alone = 0;
            for (term, factor) in &terms {
                alone += factor * alone_most(*term);
            }
            let mut best = alone;
            // A pair of variables that are bounded together, the others alone.
            for (at, (a, times)) in terms.iter().enumerate() {
                for (b, others) in &terms[..at] {
                    if let (1, 1, Some(both)) = (times, others, matrix.sum(*a, *b)) {
                        best = best.min(alone - alone_most(*a) - alone_most(*b) + both);
                    }
                }
            }
            best
        };
        let (most, least) = (most(1) + sum.constant, -most(-1) + sum.constant);
        debug_assert!(least <= most, "a closed octagon is not empty, so {least}..={most} is not");
        Some(Range { least, most })
    }

    /// The bounds of an expression.
    pub(super) fn range(&self, state: &Octagon, id: ExprId) -> Option<Range> {
        let exprs = &self.program.exprs;
        let ty = range_of(exprs.ty(id))?;
        if let Some(linear) = self.linear(state, id) {
            return self.range_of(state, &linear);
        }
        let of = |id: ExprId| self.range(state, id);
        let found = match exprs.node(id) {
            Expr::Cast(a) if exprs.ty(a) == Scalar::Bool => Some(Range { least: 0, most: 1 }),
            Expr::Cast(a) if exprs.ty(a).is_int() => of(a),
            Expr::Ite(_, a, b) => of(a).zip(of(b)).map(|(a, b)| a.join(b)),
            Expr::Binary(op, a, b) => {
                let width = exprs.ty(a).bits(exprs.model());
                of(a).zip(of(b)).and_then(|(a, b)| arithmetic(op, a, b, width))
            }
            Expr::Unary(UnOp::Neg, a) => of(a).map(|a| Range { least: -a.most, most: -a.least }),
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) => None,
            Expr::Unary(..) | Expr::Cast(_) | Expr::Living(_) => None,
        };
        // Of wider types the whole range is not known.
        found.filter(|found| ty.covers(*found)).or_else(|| Range::of_type(exprs.ty(id)))
    }

    /// Variables that the value of an expression is not above, and how far below it is: quotients, remainders and the
    /// like of what is not negative.
    pub(super) fn bounded_by(&self, state: &Octagon, id: ExprId) -> Vec<(usize, i128)> {
        let exprs = &self.program.exprs;
        let Expr::Binary(op @ (BinOp::Div | BinOp::Rem | BinOp::And | BinOp::Shr), a, b) = exprs.node(id) else {
            return Vec::new();
        };
        let (Some(x), Some(y)) = (self.range(state, a), self.range(state, b)) else { return Vec::new() };
        let too_far = op == BinOp::Shr && y.most >= i128::from(exprs.ty(a).bits(exprs.model()));
        if x.least < 0 || y.least < 0 || too_far {
            return Vec::new();
        }
        let variable = |id: ExprId| {
            let sum = self.linear(state, id)?;
            let mut terms = sum.units();
            let term = terms.next().filter(|term| !term.negative && sum.terms.len() == 1)?;
            Some((term.var, sum.constant))
        };
        // Half of something is at least one below it.
        let halves = match op {
            BinOp::Div => y.least >= 2,
            BinOp::Shr => y.least >= 1,
            _ => false,
        };
        let divides = op == BinOp::Div || op == BinOp::Rem;
        let mut all = Vec::new();
        if !divides || y.least >= 1 {
            let less = i128::from(halves && x.least >= 1);
            all.extend(variable(a).map(|(var, more)| (var, more - less)));
        }
        match op {
            BinOp::Rem if y.least >= 1 => all.extend(variable(b).map(|(var, more)| (var, more - 1))),
            BinOp::And => all.extend(variable(b)),
            _ => {}
        }
        all
    }
}

/// The bounds of the exact result.
fn arithmetic(op: BinOp, a: Range, b: Range, width: u32) -> Option<Range> {
    let products = |a: Range, b: Range| {
        let all = [(a.least, b.least), (a.least, b.most), (a.most, b.least), (a.most, b.most)];
        let all = all.map(|(x, y)| x.checked_mul(y));
        let all: Option<Vec<i128>> = all.into_iter().collect();
        let all = all?;
        Some(Range { least: *all.iter().min()?, most: *all.iter().max()? })
    };
    match op {
        BinOp::Add => Some(Range { least: a.least + b.least, most: a.most + b.most }),
        BinOp::Sub => Some(Range { least: a.least - b.most, most: a.most - b.least }),
        BinOp::Mul => products(a, b),
        // Towards zero, by something positive.
        BinOp::Div if b.least >= 1 => {
            let least = if a.least >= 0 { a.least / b.most } else { a.least / b.least };
            let most = if a.most >= 0 { a.most / b.least } else { a.most / b.most };
            Some(Range { least, most })
        }
        BinOp::Rem if b.least >= 1 => {
            let most = b.most - 1;
            let (least, most) = (if a.least >= 0 { 0 } else { a.least.max(-most) }, a.most.clamp(0, most));
            Some(Range { least, most })
        }
        BinOp::And if a.least >= 0 && b.least >= 0 => Some(Range { least: 0, most: a.most.min(b.most) }),
        BinOp::And if b.least >= 0 => Some(Range { least: 0, most: b.most }),
        BinOp::And if a.least >= 0 => Some(Range { least: 0, most: a.most }),
        BinOp::Shr if a.least >= 0 && b.least >= 0 && b.most < i128::from(width) => {
            Some(Range { least: a.least >> b.most, most: a.most >> b.least })
        }
        _ => None,
    }
}
