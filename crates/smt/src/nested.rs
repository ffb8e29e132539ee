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

    /// The width of a bit vector term.
    pub fn width(&self, term: TermId) -> u32 {
        self.terms().width(term)
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
