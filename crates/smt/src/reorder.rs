//! Terms that are the same up to the order of what they are made of: sums, bitwise conjunctions and disjunctions, and the
//! largest or smallest of several numbers. Programs that add up the elements of an array in two orders give such terms,
//! and solvers that look at bits hardly ever see that they are equal.
//!
//! - A sum is a number of times each of its summands, modulo 2^width. `c ? s + 1 : s - 1` is the sum `s - 1 + 2·[c]`.
//! - `a < b ? b : a` is the largest of what `a` and `b` are the largest of.
//!
//! Only the answer "yes" says something.

use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most terms that are looked at.
const MOST_TERMS: usize = 100_000;
/// As how many terms a conditional in a sum counts.
const CONDITIONAL: usize = 20;
/// How deep conditionals in sums are nested; each has a table of all its summands.
const DEEPEST: usize = 150;
/// How far below equal operators to look.
const LEVELS: usize = 6;

impl Terms {
    /// `a == b` of bit vectors, where both may be made of the same parts in different order.
    pub fn eq_up_to_order(&mut self, a: TermId, b: TermId) -> TermId {
        assert_eq!(self.sort(a), self.sort(b), "terms of one sort");
        if is_composed(self, a) && is_composed(self, b) {
            let mut reorder = Reorder { terms: self, sums: FxHashMap::default(), left: MOST_TERMS };
            if reorder.same(a, b, LEVELS) {
                return self.truth();
            }
        }
        self.eq(a, b)
    }
}

fn is_composed(terms: &Terms, term: TermId) -> bool {
    !terms.args(term).is_empty() && terms.op(term) != Op::Select
}

/// Numbers of times of summands, modulo 2^width, and a constant.
#[derive(Clone, PartialEq, Eq, Default)]
struct Sum {
    parts: BTreeMap<Part, u128>,
    constant: u128,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Term(TermId),
    /// 1 if the condition holds, else 0.
    If(TermId),
}

impl Sum {
    fn add(&mut self, other: &Sum, times: u128, mask: u128) {
        for (&part, &count) in &other.parts {
            self.count(part, count.wrapping_mul(times), mask);
        }
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(times)) & mask;
    }

    fn count(&mut self, part: Part, times: u128, mask: u128) {
        let count = self.parts.entry(part).or_default();
        *count = count.wrapping_add(times) & mask;
        if *count == 0 {
            self.parts.remove(&part);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Extremum {
    SignedMax,
    SignedMin,
    UnsignedMax,
    UnsignedMin,
}

/// What is compared: a number, or a term without the extension that keeps its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Compared {
    Number(i128),
    Term(TermId),
}

struct Reorder<'t> {
    terms: &'t Terms,
    sums: FxHashMap<TermId, Rc<Sum>>,
    left: usize,
}

impl Reorder<'_> {
    fn same(&mut self, a: TermId, b: TermId, levels: usize) -> bool {
        if a == b {
            return true;
        }
        if self.terms.sort(a) != self.terms.sort(b) || levels == 0 {
            return false;
        }
        let (op, other) = (self.terms.op(a), self.terms.op(b));
        match (op, other) {
            (Op::BvAnd | Op::BvOr, _) if op == other => self.operands(op, a) == self.operands(op, b) && self.left > 0,
            (Op::BvAdd | Op::BvSub | Op::BvNeg | Op::Ite, Op::BvAdd | Op::BvSub | Op::BvNeg | Op::Ite)
                if matches!(self.terms.sort(a), Sort::BitVec(1..=128)) =>
            {
                self.same_extremum(a, b) || self.sum(a, 0) == self.sum(b, 0)
            }
            _ if op == other => {
                let pairs = self.terms.args(a).iter().zip(self.terms.args(b));
                let pairs: Vec<(TermId, TermId)> = pairs.map(|(&x, &y)| (x, y)).collect();
                let all = self.terms.args(a).len() == self.terms.args(b).len();
                all && pairs.into_iter().all(|(x, y)| self.same(x, y, levels - 1))
            }
            _ => false,
        }
    }

    /// Whether another term may be looked at.
    fn may_go_on(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// The operands below nested operators that do not care for order and repetition.
    fn operands(&mut self, op: Op, root: TermId) -> BTreeSet<TermId> {
        let mut found = BTreeSet::new();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if self.terms.op(term) == op && self.may_go_on() {
                stack.extend(self.terms.args(term));
            } else {
                found.insert(term);
            }
        }
        found
    }

    // Sums -------------------------------------------------------------------------------------------------------------

    fn sum(&mut self, root: TermId, depth: usize) -> Rc<Sum> {
        if let Some(sum) = self.sums.get(&root) {
            return sum.clone();
        }
        let width = self.terms.width(root);
        assert!((1..=128).contains(&width), "sums are counted modulo 2^{width}");
        let mask = u128::MAX >> (128 - width);
        let mut sum = Sum::default();
        let mut stack: Vec<(TermId, u128)> = vec![(root, 1)];
        while let Some((term, times)) = stack.pop() {
            if !self.may_go_on() {
                sum.count(Part::Term(term), times, mask);
                continue;
            }
            if let Some(value) = self.terms.as_bv(term).and_then(|value| value.to_u128()) {
                sum.constant = sum.constant.wrapping_add(value.wrapping_mul(times)) & mask;
                continue;
            }
            match (self.terms.op(term), self.terms.args(term)) {
                (Op::BvAdd, &[a, b]) => stack.extend([(a, times), (b, times)]),
                (Op::BvSub, &[a, b]) => stack.extend([(a, times), (b, times.wrapping_neg())]),
                (Op::BvNeg, &[a]) => stack.push((a, times.wrapping_neg())),
                (Op::Ite, &[condition, yes, no]) if depth < DEEPEST => {
                    self.left = self.left.saturating_sub(CONDITIONAL);
                    let chosen = self.conditional(term, condition, (yes, no), mask, depth);
                    sum.add(&chosen, times, mask);
                }
                _ => sum.count(Part::Term(term), times, mask),
            }
        }
        debug_assert!(
            sum.parts.values().all(|&count| count != 0 && count & !mask == 0),
            "counts are kept below 2^width"
        );
        let sum = Rc::new(sum);
        self.sums.insert(root, sum.clone());
        sum
    }

    /// `condition ? s + d : s` for a constant `d`, or the term as it is.
    fn conditional(
        &mut self,
        term: TermId,
        condition: TermId,
        (yes, no): (TermId, TermId),
        mask: u128,
        depth: usize,
    ) -> Rc<Sum> {
        if let Some(sum) = self.sums.get(&term) {
            return sum.clone();
        }
        let (yes, no) = (self.sum(yes, depth + 1), self.sum(no, depth + 1));
        let mut sum = Sum::default();
        if yes.parts == no.parts {
            sum = (*no).clone();
            let difference = yes.constant.wrapping_sub(no.constant) & mask;
            if difference != 0 {
                sum.count(Part::If(condition), difference, mask);
            }
        } else {
            sum.count(Part::Term(term), 1, mask);
        }
        let sum = Rc::new(sum);
        self.sums.insert(term, sum.clone());
        sum
    }

    // Extrema ----------------------------------------------------------------------------------------------------------

    fn same_extremum(&mut self, a: TermId, b: TermId) -> bool {
        let Some((kind, _)) = self.extremum(a) else { return false };
        self.compared_in(kind, a) == self.compared_in(kind, b) && self.left > 0
    }

    /// What a term is the largest or smallest of.
    fn compared_in(&mut self, kind: Extremum, root: TermId) -> BTreeSet<Compared> {
        let mut found = BTreeSet::new();
        let mut stack = vec![root];
        let mut seen = BTreeSet::new();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) || !self.may_go_on() {
                continue;
            }
            match self.extremum(term) {
                Some((own, (a, b))) if own == kind => stack.extend([a, b]),
                Some(_) | None => {
                    found.insert(self.compared(kind, term));
                }
            }
        }
        found
    }

    /// The two terms of which a conditional is the largest or smallest.
    fn extremum(&self, term: TermId) -> Option<(Extremum, (TermId, TermId))> {
        let (Op::Ite, &[condition, yes, no]) = (self.terms.op(term), self.terms.args(term)) else { return None };
        let (max, min) = match self.terms.op(condition) {
            Op::BvSlt => (Extremum::SignedMax, Extremum::SignedMin),
            Op::BvUlt => (Extremum::UnsignedMax, Extremum::UnsignedMin),
            _ => return None,
        };
        let &[a, b] = self.terms.args(condition) else { return None };
        let [a, b, y, n] = [a, b, yes, no].map(|term| self.compared(max, term));
        let kind = if (a, b) == (n, y) {
            max
        } else if (a, b) == (y, n) {
            min
        } else if let (Compared::Number(bound), Compared::Number(value)) = (b, y)
            && a == n
            && Some(value) == bound.checked_sub(1)
        {
            // x < c + 1 ? c : x
            max
        } else if let (Compared::Number(bound), Compared::Number(value)) = (b, n)
            && a == y
            && Some(value) == bound.checked_sub(1)
        {
            // x < c + 1 ? x : c
            min
        } else {
            return None;
        };
        Some((kind, (yes, no)))
    }

    fn compared(&self, kind: Extremum, term: TermId) -> Compared {
        let signed = matches!(kind, Extremum::SignedMax | Extremum::SignedMin);
        if let Some(value) = self.terms.as_bv(term) {
            let number = if signed { value.to_i128() } else { value.to_u128().and_then(|value| value.try_into().ok()) };
            return number.map_or(Compared::Term(term), Compared::Number);
        }
        match self.terms.op(term) {
            Op::BvSignExtend(_) if signed => Compared::Term(self.terms.args(term)[0]),
            Op::BvZeroExtend(_) if !signed => Compared::Term(self.terms.args(term)[0]),
            _ => Compared::Term(term),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folds variables in the two orders, with the same start; whether the results are seen to be equal.
    fn check(orders: [&[usize]; 2], start: u64, step: fn(&mut Terms, TermId, TermId) -> TermId) -> bool {
        let mut terms = Terms::new();
        let vars: Vec<TermId> = (0..6).map(|at| terms.var(&format!("x{at}"), Sort::BitVec(32))).collect();
        let [a, b] = orders.map(|order| {
            let start = terms.bv_u64(64, start);
            order.iter().fold(start, |sum, &at| {
                let wide = terms.bv_resize_signed(vars[at], 64);
                step(&mut terms, sum, wide)
            })
        });
        let same = terms.eq_up_to_order(a, b);
        terms.as_bool(same) == Some(true)
    }

    fn add(terms: &mut Terms, sum: TermId, x: TermId) -> TermId {
        terms.bv_add(sum, x)
    }

    fn max(terms: &mut Terms, sum: TermId, x: TermId) -> TermId {
        let less = terms.bv_slt(sum, x);
        terms.ite(less, x, sum)
    }

    fn min(terms: &mut Terms, sum: TermId, x: TermId) -> TermId {
        let less = terms.bv_slt(x, sum);
        terms.ite(less, x, sum)
    }

    fn count(terms: &mut Terms, sum: TermId, x: TermId) -> TermId {
        let (even, one) = (terms.bv_extract(x, 0, 0), terms.bv_u64(64, 1));
        let even = terms.bv_is_nonzero(even);
        let (up, down) = (terms.bv_add(sum, one), terms.bv_sub(sum, one));
        terms.ite(even, up, down)
    }

    #[test]
    fn order_does_not_matter() {
        for step in [add, max, min, count, |terms: &mut Terms, a, b| terms.bv_or(a, b)] {
            assert!(check([&[0, 1, 2, 3, 4, 5], &[1, 2, 3, 4, 5, 0]], 0, step));
            assert!(check([&[0, 1, 2, 3], &[3, 1, 0, 2]], 7, step));
        }
    }

    #[test]
    fn parts_matter() {
        for step in [add, max, min, count, |terms: &mut Terms, a, b| terms.bv_or(a, b)] {
            assert!(!check([&[0, 1, 2, 3], &[0, 1, 2, 4]], 0, step));
            assert!(!check([&[0, 1, 2, 3], &[2, 1, 0]], 0, step));
        }
        assert!(!check([&[0, 1, 2, 2], &[0, 1, 1, 2]], 0, add));
        assert!(check([&[0, 1, 2, 2], &[0, 1, 1, 2]], 0, max));
    }

    /// The smallest and the largest are told apart, and so is what only looks like one of them.
    #[test]
    fn what_is_no_extremum() {
        assert!(!check([&[0, 1, 2], &[2, 0, 1]], 0, |terms, sum, x| {
            let less = terms.bv_ult(sum, x);
            let one = terms.bv_u64(64, 1);
            let next = terms.bv_add(x, one);
            terms.ite(less, next, sum)
        }));
        assert!(!check([&[0, 1, 2], &[2, 0, 1]], 0, |terms, sum, x| {
            let two = terms.bv_u64(64, 2);
            let twice = terms.bv_mul(sum, two);
            terms.bv_add(twice, x)
        }));
    }
}
