//! Terms behind a cell: constructors take a shared reference, so calls nest as the terms do, as in
//! `t.and([t.not(a), t.bv_ult(b, c)])`.

use crate::bitvec::BitVec;
use crate::op::Op;
use crate::sort::{FloatFormat, RoundingMode, Sort};
use crate::terms::{TermId, Terms};
use std::cell::{Ref, RefCell};

/// [`Terms`] whose constructors nest. They mean what those of the same names do there.
#[derive(Default)]
pub struct NestedTerms(RefCell<Terms>);

impl NestedTerms {
    /// The terms, to be read; nothing may be constructed meanwhile.
    pub fn terms(&self) -> Ref<'_, Terms> {
        self.0.borrow()
    }

    /// The terms alone.
    pub fn into_terms(self) -> Terms {
        self.0.into_inner()
    }

    /// `op` applied to `args`, simplified. Panics where the sorts do not fit.
    pub fn make(&self, op: Op, args: &[TermId]) -> TermId {
        self.0.borrow_mut().make(op, args)
    }

    /// Conjunction of any number of terms.
    pub fn and(&self, args: impl IntoIterator<Item = TermId>) -> TermId {
        // The arguments may be constructed as they are taken.
        let args: Vec<TermId> = args.into_iter().collect();
        self.0.borrow_mut().and(args)
    }

    /// Disjunction of any number of terms.
    pub fn or(&self, args: impl IntoIterator<Item = TermId>) -> TermId {
        let args: Vec<TermId> = args.into_iter().collect();
        self.0.borrow_mut().or(args)
    }

    /// The truth value, if the term is one.
    pub fn as_bool(&self, term: TermId) -> Option<bool> {
        self.terms().as_bool(term)
    }

    /// The number, if the term is a bit vector value that fits.
    pub fn as_u64(&self, term: TermId) -> Option<u64> {
        self.terms().as_bv(term).and_then(BitVec::to_u64)
    }

    /// Parts of a bit vector as one, the lowest first.
    pub fn join(&self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        let whole = parts.into_iter().reduce(|low, high| self.bv_concat(high, low));
        whole.expect("a bit vector has at least one part")
    }

    /// So many elements of an array from an index on, as one bit vector, the first one lowest.
    pub fn select_range(&self, array: TermId, first: TermId, count: u64) -> TermId {
        let at = |k| self.bv_add(first, self.bv_u64(self.width(first), k));
        self.join((0..count).map(|k| self.select(array, at(k))))
    }

    /// Whether the `count` numbers from `first` on are among the `size` numbers from `start` on, modulo 2^n; `None` if it
    /// is not plain that it is all of them or none.
    pub fn all_or_none(&self, (first, count): (TermId, u64), (start, size): (TermId, TermId)) -> Option<TermId> {
        let number = |value| self.bv_u64(self.width(first), value);
        let distance = self.bv_sub(first, start);
        if let (Some(low), Some(size)) = (self.as_u64(distance), self.as_u64(size)) {
            let high = self.as_u64(self.bv_add(distance, number(count - 1)))?;
            let partly = high < low || (low < size) != (high < size);
            return (!partly).then(|| self.bool(low < size));
        }
        // Of multiples of a power of two it is always all or none.
        let is_multiple = |term| trailing_zeros(&self.terms(), term, DEPTH) >= count.trailing_zeros();
        let plain = count.is_power_of_two() && [first, start, size].into_iter().all(is_multiple);
        let equal = self.as_u64(size) == Some(count);
        plain.then(|| if equal { self.eq(distance, number(0)) } else { self.bv_ult(distance, size) })
    }

    /// A number that is signed or not, in `width` bits: cut or extended.
    pub fn bv_resize(&self, a: TermId, width: u32, signed: bool) -> TermId {
        if signed { self.bv_resize_signed(a, width) } else { self.bv_resize_unsigned(a, width) }
    }

    /// The width of a bit vector term.
    pub fn width(&self, term: TermId) -> u32 {
        self.terms().width(term)
    }
}

/// How far terms are looked into for factors.
const DEPTH: u32 = 8;

/// So many low bits of a number are zero, at least.
fn trailing_zeros(terms: &Terms, term: TermId, depth: u32) -> u32 {
    let Some(depth) = depth.checked_sub(1) else { return 0 };
    let args = terms.args(term);
    let zeros = |arg: TermId| trailing_zeros(terms, arg, depth);
    match terms.op(term) {
        Op::Bv(value) => terms.value(value).to_u64().map_or(0, u64::trailing_zeros),
        Op::BvAdd | Op::BvSub => zeros(args[0]).min(zeros(args[1])),
        Op::BvMul => (zeros(args[0]) + zeros(args[1])).min(64),
        Op::BvNeg | Op::BvSignExtend(_) | Op::BvZeroExtend(_) => zeros(args[0]),
        Op::BvConcat => zeros(args[1]).min(terms.width(args[1])),
        Op::Ite => zeros(args[1]).min(zeros(args[2])),
        Op::BvShl => {
            let by = terms.as_bv(args[1]).and_then(BitVec::to_u64).unwrap_or(0);
            zeros(args[0]) + by.min(64) as u32
        }
        _ => 0,
    }
}

macro_rules! forwarded {
    ($($name:ident($($arg:ident: $ty:ty),*);)+) => {
        impl NestedTerms {
            $(
                #[doc = concat!("See [`Terms::", stringify!($name), "`].")]
                pub fn $name(&self, $($arg: $ty),*) -> TermId { self.0.borrow_mut().$name($($arg),*) }
            )+
        }
    };
}

forwarded! {
    bool(value: bool);
    truth();
    falsity();
    bv(value: BitVec);
    bv_u64(width: u32, value: u64);
    fresh_var(prefix: &str, sort: Sort);
    not(a: TermId);
    implies(a: TermId, b: TermId);
    xor(a: TermId, b: TermId);
    eq(a: TermId, b: TermId);
    ne(a: TermId, b: TermId);
    ite(condition: TermId, yes: TermId, no: TermId);
    bv_resize_unsigned(a: TermId, width: u32);
    bv_resize_signed(a: TermId, width: u32);
    bv_extract(a: TermId, high: u32, low: u32);
    bv_from_bool(a: TermId, width: u32);
    bv_is_nonzero(a: TermId);
    fp_from_bits(format: FloatFormat, bits: TermId);
    fp_from_fp(mode: RoundingMode, format: FloatFormat, a: TermId);
    fp_from_signed(mode: RoundingMode, format: FloatFormat, a: TermId);
    fp_from_unsigned(mode: RoundingMode, format: FloatFormat, a: TermId);
    fp_round(mode: RoundingMode, a: TermId);
    fp_to_signed(mode: RoundingMode, width: u32, a: TermId);
    fp_to_unsigned(mode: RoundingMode, width: u32, a: TermId);
    select(array: TermId, index: TermId);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether all, none (`Some`) or some of a range lie in another one, by looking at each number.
    fn looked_at((first, count): (u64, u64), (start, size): (u64, u64)) -> Option<bool> {
        let inside = |k: u64| (first + k).wrapping_sub(start) % 256 < size;
        let all = (0..count).all(inside);
        (all || !(0..count).any(inside)).then_some(all)
    }

    #[test]
    fn ranges_of_numbers_lie_inside_or_beside_each_other() {
        let terms = NestedTerms::default();
        let number = |value| terms.bv_u64(8, value);
        for (first, start) in [(0, 0), (4, 0), (6, 4), (252, 0), (254, 254), (254, 1), (3, 250)] {
            for (count, size) in [(1, 1), (2, 1), (4, 4), (2, 8), (8, 3), (3, 6)] {
                let found = terms.all_or_none((number(first), count), (number(start), number(size)));
                let found = found.map(|inside| terms.as_bool(inside).expect("numbers are compared"));
                // What goes around the end of the numbers is not plain.
                if found.is_some() {
                    assert_eq!(found, looked_at((first, count), (start, size)), "{first}+{count} in {start}+{size}");
                }
            }
        }
    }

    #[test]
    fn multiples_are_inside_or_beside() {
        let terms = NestedTerms::default();
        let number = |value| terms.bv_u64(8, value);
        let index = terms.fresh_var("i", Sort::BitVec(8));
        let scaled = |scale| terms.bv_mul(index, number(scale));
        assert!(terms.all_or_none((scaled(4), 4), (number(8), number(12))).is_some());
        assert!(terms.all_or_none((scaled(2), 4), (number(8), number(12))).is_none());
        assert!(terms.all_or_none((scaled(4), 4), (number(8), number(11))).is_none());
        assert!(terms.all_or_none((index, 1), (number(8), number(11))).is_some());
    }
}
