//! Our terms as Bitwuzla's. One manager per thread, shared by its solvers, so that a term is translated once however
//! many solvers see it.

use crate::failure;
use crate::raw::{self, kind};
use rustc_hash::FxHashMap;
use smt::{BitVec, FloatFormat, FunctionId, Op, RoundingMode, Sort, TermId, Terms};
use std::cell::RefCell;
use std::ffi::{CString, c_int};
use std::ptr::null_mut;
use std::rc::{Rc, Weak};

/// Bitwuzla's term manager with what was translated into it.
pub struct Manager {
    raw: *mut raw::TermManager,
    sorts: FxHashMap<Sort, raw::Sort>,
    stores: FxHashMap<u32, Translations>,
}

/// The translations of one [`Terms`].
#[derive(Default)]
struct Translations {
    /// By term; null where not translated.
    terms: Vec<raw::Term>,
    functions: FxHashMap<FunctionId, raw::Term>,
    /// Variables of ours behind Bitwuzla's constants.
    variables: FxHashMap<raw::Term, TermId>,
    /// Functions of ours behind Bitwuzla's constants.
    function_ids: FxHashMap<raw::Term, FunctionId>,
}

thread_local! {
    static OF_THREAD: RefCell<Weak<RefCell<Manager>>> = const { RefCell::new(Weak::new()) };
}

impl Manager {
    /// The manager of this thread; it lives as long as one of the thread's solvers.
    pub fn of_this_thread() -> Rc<RefCell<Manager>> {
        OF_THREAD.with_borrow_mut(|weak| {
            weak.upgrade().unwrap_or_else(|| {
                // SAFETY: no preconditions; freed in `drop`.
                let raw = unsafe { raw::bitwuzla_term_manager_new() };
                let new = Manager { raw, sorts: FxHashMap::default(), stores: FxHashMap::default() };
                let manager = Rc::new(RefCell::new(new));
                *weak = Rc::downgrade(&manager);
                manager
            })
        })
    }

    /// The library's object.
    pub fn raw(&self) -> *mut raw::TermManager {
        self.raw
    }

    /// The variable of ours that became the constant `term`.
    pub fn variable(&self, store: u32, term: raw::Term) -> Option<TermId> {
        self.stores.get(&store)?.variables.get(&term).copied()
    }

    /// The function of ours that became the constant `term`.
    pub fn function(&self, store: u32, term: raw::Term) -> Option<FunctionId> {
        self.stores.get(&store)?.function_ids.get(&term).copied()
    }

    /// Bitwuzla's term for `root`.
    pub fn translate(&mut self, terms: &Terms, root: TermId) -> raw::Term {
        let store = terms.store();
        let known = |manager: &Manager, term: TermId| {
            let table = manager.stores.get(&store).map_or(&[][..], |translations| &translations.terms);
            table.get(term.0 as usize).copied().filter(|raw| !raw.is_null())
        };
        if let Some(raw) = known(self, root) {
            return raw;
        }
        self.stores.entry(store).or_default().terms.resize(terms.len(), null_mut());
        let mut stack = vec![(root, false)];
        let mut args = Vec::new();
        while let Some((term, args_done)) = stack.pop() {
            if known(self, term).is_some() {
                continue;
            }
            if !args_done {
                stack.push((term, true));
                stack.extend(terms.args(term).iter().map(|&arg| (arg, false)));
                continue;
            }
            args.clear();
            args.extend(terms.args(term).iter().map(|&arg| known(self, arg).expect("arguments come first")));
            let raw = self.term(terms, term, &args);
            if raw.is_null() {
                let problem = failure::take().unwrap_or_default();
                panic!("Bitwuzla rejects {:?}: {problem}", terms.op(term));
            }
            self.translations(store).terms[term.0 as usize] = raw;
        }
        known(self, root).expect("just translated")
    }

    fn translations(&mut self, store: u32) -> &mut Translations {
        self.stores.entry(store).or_default()
    }

    fn term(&mut self, terms: &Terms, term: TermId, args: &[raw::Term]) -> raw::Term {
        match terms.op(term) {
            // SAFETY: `self.raw` is alive, here and in all calls below; arguments are live terms of this manager.
            Op::Bool(true) => unsafe { raw::bitwuzla_mk_true(self.raw) },
            Op::Bool(false) => unsafe { raw::bitwuzla_mk_false(self.raw) },
            Op::Bv(value) => self.bv_value(terms.value(value)),
            Op::Fp(format, value) => self.fp_value(format, terms.value(value)),
            Op::Var(variable) => {
                let constant = self.constant(terms.sort(term), &terms.var_name(variable));
                self.translations(terms.store()).variables.insert(constant, term);
                constant
            }
            Op::Apply(function) => {
                let head = self.function_constant(terms, function);
                let args: Vec<raw::Term> = std::iter::once(head).chain(args.iter().copied()).collect();
                self.apply(kind::APPLY, &args)
            }
            Op::ConstArray(_) => {
                let sort = self.sort(terms.sort(term));
                unsafe { raw::bitwuzla_mk_const_array(self.raw, sort, args[0]) }
            }
            Op::BvExtract { high, low } => self.apply_indexed(kind::BV_EXTRACT, args, &[high.into(), low.into()]),
            Op::BvZeroExtend(by) => self.apply_indexed(kind::BV_ZERO_EXTEND, args, &[by.into()]),
            Op::BvSignExtend(by) => self.apply_indexed(kind::BV_SIGN_EXTEND, args, &[by.into()]),
            Op::FpFromBits(format) => self.apply_indexed(kind::FP_TO_FP_FROM_BV, args, &format_indices(format)),
            Op::FpFromFp(mode, format) => self.convert(kind::FP_TO_FP_FROM_FP, mode, args, &format_indices(format)),
            Op::FpFromSbv(mode, format) => self.convert(kind::FP_TO_FP_FROM_SBV, mode, args, &format_indices(format)),
            Op::FpFromUbv(mode, format) => self.convert(kind::FP_TO_FP_FROM_UBV, mode, args, &format_indices(format)),
            Op::FpToSbv(mode, width) => self.convert(kind::FP_TO_SBV, mode, args, &[width.into()]),
            Op::FpToUbv(mode, width) => self.convert(kind::FP_TO_UBV, mode, args, &[width.into()]),
            Op::FpAdd(mode) => self.rounded(kind::FP_ADD, mode, args),
            Op::FpSub(mode) => self.rounded(kind::FP_SUB, mode, args),
            Op::FpMul(mode) => self.rounded(kind::FP_MUL, mode, args),
            Op::FpDiv(mode) => self.rounded(kind::FP_DIV, mode, args),
            Op::FpSqrt(mode) => self.rounded(kind::FP_SQRT, mode, args),
            Op::FpRound(mode) => self.rounded(kind::FP_RTI, mode, args),
            Op::Not => self.apply(kind::NOT, args),
            Op::And => self.apply(kind::AND, args),
            Op::Or => self.apply(kind::OR, args),
            Op::Eq => self.apply(kind::EQUAL, args),
            Op::Ite => self.apply(kind::ITE, args),
            Op::BvNot => self.apply(kind::BV_NOT, args),
            Op::BvNeg => self.apply(kind::BV_NEG, args),
            Op::BvAnd => self.apply(kind::BV_AND, args),
            Op::BvOr => self.apply(kind::BV_OR, args),
            Op::BvXor => self.apply(kind::BV_XOR, args),
            Op::BvAdd => self.apply(kind::BV_ADD, args),
            Op::BvSub => self.apply(kind::BV_SUB, args),
            Op::BvMul => self.apply(kind::BV_MUL, args),
            Op::BvUdiv => self.apply(kind::BV_UDIV, args),
            Op::BvUrem => self.apply(kind::BV_UREM, args),
            Op::BvSdiv => self.apply(kind::BV_SDIV, args),
            Op::BvSrem => self.apply(kind::BV_SREM, args),
            Op::BvShl => self.apply(kind::BV_SHL, args),
            Op::BvLshr => self.apply(kind::BV_SHR, args),
            Op::BvAshr => self.apply(kind::BV_ASHR, args),
            Op::BvConcat => self.apply(kind::BV_CONCAT, args),
            Op::BvUlt => self.apply(kind::BV_ULT, args),
            Op::BvUle => self.apply(kind::BV_ULE, args),
            Op::BvSlt => self.apply(kind::BV_SLT, args),
            Op::BvSle => self.apply(kind::BV_SLE, args),
            Op::FpAbs => self.apply(kind::FP_ABS, args),
            Op::FpNeg => self.apply(kind::FP_NEG, args),
            Op::FpRem => self.apply(kind::FP_REM, args),
            Op::FpEq => self.apply(kind::FP_EQUAL, args),
            Op::FpLt => self.apply(kind::FP_LT, args),
            Op::FpLe => self.apply(kind::FP_LEQ, args),
            Op::FpIsNan => self.apply(kind::FP_IS_NAN, args),
            Op::FpIsInf => self.apply(kind::FP_IS_INF, args),
            Op::FpIsZero => self.apply(kind::FP_IS_ZERO, args),
            Op::FpIsNormal => self.apply(kind::FP_IS_NORMAL, args),
            Op::FpIsSubnormal => self.apply(kind::FP_IS_SUBNORMAL, args),
            Op::FpIsNegative => self.apply(kind::FP_IS_NEG, args),
            Op::FpIsPositive => self.apply(kind::FP_IS_POS, args),
            Op::Select => self.apply(kind::ARRAY_SELECT, args),
            Op::Store => self.apply(kind::ARRAY_STORE, args),
        }
    }

    /// A new constant that stands for no variable of ours.
    pub fn fresh(&mut self, sort: Sort) -> raw::Term {
        self.constant(sort, "fresh")
    }

    /// An operator on terms of this manager.
    pub fn apply(&self, kind: c_int, args: &[raw::Term]) -> raw::Term {
        // SAFETY: see `term`; the library copies the arguments and does not write to them.
        unsafe { raw::bitwuzla_mk_term(self.raw, kind, args.len() as u32, args.as_ptr().cast_mut()) }
    }

    fn apply_indexed(&self, kind: c_int, args: &[raw::Term], indices: &[u64]) -> raw::Term {
        let (count, index_count) = (args.len() as u32, indices.len() as u32);
        // SAFETY: as in `apply`.
        unsafe {
            let args = args.as_ptr().cast_mut();
            raw::bitwuzla_mk_term_indexed(self.raw, kind, count, args, index_count, indices.as_ptr())
        }
    }

    fn rounded(&self, kind: c_int, mode: RoundingMode, args: &[raw::Term]) -> raw::Term {
        let args: Vec<raw::Term> = std::iter::once(self.mode(mode)).chain(args.iter().copied()).collect();
        self.apply(kind, &args)
    }

    fn convert(&self, kind: c_int, mode: RoundingMode, args: &[raw::Term], indices: &[u64]) -> raw::Term {
        self.apply_indexed(kind, &[self.mode(mode), args[0]], indices)
    }

    fn mode(&self, mode: RoundingMode) -> raw::Term {
        let number = match mode {
            RoundingMode::NearestEven => 0,
            RoundingMode::NearestAway => 1,
            RoundingMode::Down => 2,
            RoundingMode::Up => 3,
            RoundingMode::Zero => 4,
        };
        // SAFETY: see `term`; the numbers are those of BitwuzlaRoundingMode.
        unsafe { raw::bitwuzla_mk_rm_value(self.raw, number) }
    }

    fn bv_value(&mut self, value: &BitVec) -> raw::Term {
        let sort = self.sort(Sort::BitVec(value.width()));
        // SAFETY: see `term`; the library copies the text.
        unsafe {
            match value.to_u64() {
                Some(small) => raw::bitwuzla_mk_bv_value_uint64(self.raw, sort, small),
                None => {
                    let text = CString::new(value.to_binary()).expect("zeros and ones");
                    raw::bitwuzla_mk_bv_value(self.raw, sort, text.as_ptr(), 2)
                }
            }
        }
    }

    fn fp_value(&mut self, format: FloatFormat, bits: &BitVec) -> raw::Term {
        let (top, fraction) = (format.width() - 1, u32::from(format.significand) - 1);
        let sign = self.bv_value(&bits.extract(top, top));
        let exponent = self.bv_value(&bits.extract(top - 1, fraction));
        let significand = self.bv_value(&bits.extract(fraction - 1, 0));
        // SAFETY: see `term`.
        unsafe { raw::bitwuzla_mk_fp_value(self.raw, sign, exponent, significand) }
    }

    fn constant(&mut self, sort: Sort, name: &str) -> raw::Term {
        let sort = self.sort(sort);
        self.constant_of(sort, name)
    }

    fn constant_of(&self, sort: raw::Sort, name: &str) -> raw::Term {
        let name = CString::new(name.replace('\0', "?")).expect("no zero byte is left");
        // SAFETY: see `term`; the library copies the name.
        unsafe { raw::bitwuzla_mk_const(self.raw, sort, name.as_ptr()) }
    }

    fn function_constant(&mut self, terms: &Terms, function: FunctionId) -> raw::Term {
        if let Some(&known) = self.translations(terms.store()).functions.get(&function) {
            return known;
        }
        let (parameters, result) = terms.signature(function);
        let mut domain: Vec<raw::Sort> = parameters.iter().map(|&parameter| self.sort(parameter.into())).collect();
        let codomain = self.sort(result.into());
        // SAFETY: see `term`; the library copies the domain.
        let sort = unsafe { raw::bitwuzla_mk_fun_sort(self.raw, domain.len() as u64, domain.as_mut_ptr(), codomain) };
        let constant = self.constant_of(sort, terms.function_name(function));
        let translations = self.translations(terms.store());
        translations.functions.insert(function, constant);
        translations.function_ids.insert(constant, function);
        constant
    }

    fn sort(&mut self, sort: Sort) -> raw::Sort {
        if let Some(&known) = self.sorts.get(&sort) {
            return known;
        }
        // SAFETY: see `term`; sorts are never released before the manager.
        let raw = unsafe {
            match sort {
                Sort::Bool => raw::bitwuzla_mk_bool_sort(self.raw),
                Sort::BitVec(width) => raw::bitwuzla_mk_bv_sort(self.raw, width.into()),
                Sort::Float(format) => {
                    raw::bitwuzla_mk_fp_sort(self.raw, format.exponent.into(), format.significand.into())
                }
                Sort::Array { index, element } => {
                    let (index, element) = (self.sort(index.into()), self.sort(element.into()));
                    raw::bitwuzla_mk_array_sort(self.raw, index, element)
                }
            }
        };
        self.sorts.insert(sort, raw);
        raw
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        // SAFETY: made in `of_this_thread`, deleted once; solvers hold an `Rc` of the manager, so all are gone.
        unsafe { raw::bitwuzla_term_manager_delete(self.raw) }
    }
}

fn format_indices(format: FloatFormat) -> [u64; 2] {
    [format.exponent.into(), format.significand.into()]
}
