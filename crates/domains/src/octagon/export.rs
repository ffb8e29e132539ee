//! What octagons say, as truth values over the program's registers.

use super::linear::Range;
use super::matrix::{Matrix, Term};
use super::{Octagon, OctagonDomain, Place};
use cfa::{BinOp, ExprId, Exprs, Scalar, VarId};

impl OctagonDomain<'_> {
    /// Bounds that do not follow from types, and sums that do not follow from bounds, of registers.
    pub(super) fn facts(&self, state: &Octagon, matrix: &Matrix, exprs: &mut Exprs) -> Vec<ExprId> {
        let frame = self.frame(state);
        let registers: Vec<(usize, VarId, Scalar)> = frame
            .places
            .iter()
            .enumerate()
            .filter_map(|(at, place)| match place {
                Place::Register(var) => Some((at, *var, frame.types[at])),
                Place::Cell(_) => None,
            })
            .collect();
        let mut facts = Vec::new();
        for &(at, var, ty) in &registers {
            let (range, x) = (Range::of_type(ty).expect("variables are integers"), exprs.var(var, ty));
            if let Some(most) = matrix.most(Term::plus(at)).filter(|most| *most < range.most) {
                let most = exprs.int(ty, most);
                facts.push(exprs.binary(BinOp::Le, x, most));
            }
            if let Some(least) = matrix.most(Term::minus(at)).map(|most| -most).filter(|least| *least > range.least) {
                let least = exprs.int(ty, least);
                facts.push(exprs.binary(BinOp::Le, least, x));
            }
        }
        for (nth, &(a, x, tx)) in registers.iter().enumerate() {
            for &(b, y, ty) in &registers[..nth] {
                for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
                    let (p, q) = (Term { var: a, negative: first }, Term { var: b, negative: second });
                    let Some(bound) = matrix.sum(p, q) else { continue };
                    let apart = matrix.most(p).zip(matrix.most(q)).map(|(p, q)| p + q);
                    if apart.is_none_or(|apart| bound < apart) {
                        facts.push(sum_fact(exprs, [(x, tx, first), (y, ty, second)], bound));
                    }
                }
            }
        }
        facts
    }
}

/// `±x ±y <= bound` in a type that is wide enough.
fn sum_fact(exprs: &mut Exprs, terms: [(VarId, Scalar, bool); 2], bound: i128) -> ExprId {
    let narrow = terms.iter().all(|(_, ty, _)| matches!(ty, Scalar::Int { bits: ..=32, .. }));
    let wide = Scalar::int(if narrow { 64 } else { 128 }, true);
    let mut sum = exprs.int(wide, 0);
    for (at, (var, ty, negative)) in terms.into_iter().enumerate() {
        let x = exprs.var(var, ty);
        let x = exprs.cast(x, wide);
        sum = match (at, negative) {
            (0, false) => x,
            (_, false) => exprs.binary(BinOp::Add, sum, x),
            (_, true) => exprs.binary(BinOp::Sub, sum, x),
        };
    }
    let bound = exprs.int(wide, bound);
    exprs.binary(BinOp::Le, sum, bound)
}
