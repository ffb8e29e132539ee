//! Our terms as Z3's.

use crate::raw::{self, Ast, Context};
use rustc_hash::FxHashMap;
use smt::{BitVec, FloatFormat, FunctionId, Op, RoundingMode, Sort, TermId, Terms};
use std::ffi::CString;

/// Terms that were translated into one context. Z3 keeps them until the context goes.
pub struct Translator {
    context: Context,
    terms: FxHashMap<TermId, Ast>,
    functions: FxHashMap<FunctionId, raw::Decl>,
}

impl Translator {
    pub fn new(context: Context) -> Translator {
        Translator { context, terms: FxHashMap::default(), functions: FxHashMap::default() }
    }

    /// Z3's term for `root`.
    pub fn translate(&mut self, terms: &Terms, root: TermId) -> Ast {
        let mut stack = vec![(root, false)];
        while let Some((term, args_done)) = stack.pop() {
            if self.terms.contains_key(&term) {
                continue;
            }
            if !args_done {
                stack.push((term, true));
                stack.extend(terms.args(term).iter().map(|&arg| (arg, false)));
                continue;
            }
            let args: Vec<Ast> = terms.args(term).iter().map(|arg| self.terms[arg]).collect();
            let ast = self.term(terms, term, &args);
            assert!(!ast.is_null(), "Z3 rejects {:?}", terms.op(term));
            self.terms.insert(term, ast);
        }
        self.terms[&root]
    }

    pub fn sort(&self, sort: Sort) -> raw::Sort {
        // SAFETY: the context is alive as long as the translator, here and below.
        unsafe {
            match sort {
                Sort::Bool => raw::Z3_mk_bool_sort(self.context),
                Sort::BitVec(width) => raw::Z3_mk_bv_sort(self.context, width),
                Sort::Float(FloatFormat { exponent, significand }) => {
                    raw::Z3_mk_fpa_sort(self.context, exponent.into(), significand.into())
                }
                Sort::Array { index, element } => {
                    raw::Z3_mk_array_sort(self.context, self.sort(index.into()), self.sort(element.into()))
                }
            }
        }
    }

    fn bv_value(&self, value: &BitVec) -> Ast {
        let text = CString::new(value.to_big().to_string()).expect("digits");
        // SAFETY: the text is copied.
        unsafe { raw::Z3_mk_numeral(self.context, text.as_ptr(), self.sort(Sort::BitVec(value.width()))) }
    }

    fn mode(&self, mode: RoundingMode) -> Ast {
        // SAFETY: see `sort`.
        unsafe {
            match mode {
                RoundingMode::NearestEven => raw::Z3_mk_fpa_rne(self.context),
                RoundingMode::NearestAway => raw::Z3_mk_fpa_rna(self.context),
                RoundingMode::Up => raw::Z3_mk_fpa_rtp(self.context),
                RoundingMode::Down => raw::Z3_mk_fpa_rtn(self.context),
                RoundingMode::Zero => raw::Z3_mk_fpa_rtz(self.context),
            }
        }
    }

    fn symbol(&self, name: &str) -> raw::Symbol {
        let name = CString::new(name.replace('\0', "?")).expect("no zero byte is left");
        // SAFETY: the name is copied.
        unsafe { raw::Z3_mk_string_symbol(self.context, name.as_ptr()) }
    }

    fn function(&mut self, terms: &Terms, function: FunctionId) -> raw::Decl {
        if let Some(&known) = self.functions.get(&function) {
            return known;
        }
        let (parameters, result) = terms.signature(function);
        let domain: Vec<raw::Sort> = parameters.iter().map(|&parameter| self.sort(parameter.into())).collect();
        let (name, range) = (self.symbol(terms.function_name(function)), self.sort(result.into()));
        // SAFETY: the domain is copied.
        let decl = unsafe { raw::Z3_mk_func_decl(self.context, name, domain.len() as u32, domain.as_ptr(), range) };
        self.functions.insert(function, decl);
        decl
    }

    fn term(&mut self, terms: &Terms, term: TermId, args: &[Ast]) -> Ast {
        let c = self.context;
        let count = args.len() as u32;
        let float = |translator: &Self, format: FloatFormat| translator.sort(Sort::Float(format));
        // SAFETY: arguments are terms of this context with the sorts that the operator wants; Z3 copies arrays.
        unsafe {
            match terms.op(term) {
                Op::Bool(true) => raw::Z3_mk_true(c),
                Op::Bool(false) => raw::Z3_mk_false(c),
                Op::Bv(value) => self.bv_value(terms.value(value)),
                Op::Fp(format, value) if smt::float::is_nan(format, terms.value(value)) => {
                    raw::Z3_mk_fpa_nan(c, float(self, format))
                }
                Op::Fp(format, value) => {
                    raw::Z3_mk_fpa_to_fp_bv(c, self.bv_value(terms.value(value)), float(self, format))
                }
                Op::Var(variable) => {
                    raw::Z3_mk_const(c, self.symbol(&terms.var_name(variable)), self.sort(terms.sort(term)))
                }
                Op::Apply(function) => raw::Z3_mk_app(c, self.function(terms, function), count, args.as_ptr()),
                Op::Not => raw::Z3_mk_not(c, args[0]),
                Op::And => raw::Z3_mk_and(c, count, args.as_ptr()),
                Op::Or => raw::Z3_mk_or(c, count, args.as_ptr()),
                Op::Eq => raw::Z3_mk_eq(c, args[0], args[1]),
                Op::Ite => raw::Z3_mk_ite(c, args[0], args[1], args[2]),
                Op::BvNot => raw::Z3_mk_bvnot(c, args[0]),
                Op::BvNeg => raw::Z3_mk_bvneg(c, args[0]),
                Op::BvAnd => raw::Z3_mk_bvand(c, args[0], args[1]),
                Op::BvOr => raw::Z3_mk_bvor(c, args[0], args[1]),
                Op::BvXor => raw::Z3_mk_bvxor(c, args[0], args[1]),
                Op::BvAdd => raw::Z3_mk_bvadd(c, args[0], args[1]),
                Op::BvSub => raw::Z3_mk_bvsub(c, args[0], args[1]),
                Op::BvMul => raw::Z3_mk_bvmul(c, args[0], args[1]),
                Op::BvUdiv => raw::Z3_mk_bvudiv(c, args[0], args[1]),
                Op::BvUrem => raw::Z3_mk_bvurem(c, args[0], args[1]),
                Op::BvSdiv => raw::Z3_mk_bvsdiv(c, args[0], args[1]),
                Op::BvSrem => raw::Z3_mk_bvsrem(c, args[0], args[1]),
                Op::BvShl => raw::Z3_mk_bvshl(c, args[0], args[1]),
                Op::BvLshr => raw::Z3_mk_bvlshr(c, args[0], args[1]),
                Op::BvAshr => raw::Z3_mk_bvashr(c, args[0], args[1]),
                Op::BvConcat => raw::Z3_mk_concat(c, args[0], args[1]),
                Op::BvExtract { high, low } => raw::Z3_mk_extract(c, high, low, args[0]),
                Op::BvZeroExtend(by) => raw::Z3_mk_zero_ext(c, by, args[0]),
                Op::BvSignExtend(by) => raw::Z3_mk_sign_ext(c, by, args[0]),
                Op::BvUlt => raw::Z3_mk_bvult(c, args[0], args[1]),
                Op::BvUle => raw::Z3_mk_bvule(c, args[0], args[1]),
                Op::BvSlt => raw::Z3_mk_bvslt(c, args[0], args[1]),
                Op::BvSle => raw::Z3_mk_bvsle(c, args[0], args[1]),
                Op::FpAbs => raw::Z3_mk_fpa_abs(c, args[0]),
                Op::FpNeg => raw::Z3_mk_fpa_neg(c, args[0]),
                Op::FpAdd(mode) => raw::Z3_mk_fpa_add(c, self.mode(mode), args[0], args[1]),
                Op::FpSub(mode) => raw::Z3_mk_fpa_sub(c, self.mode(mode), args[0], args[1]),
                Op::FpMul(mode) => raw::Z3_mk_fpa_mul(c, self.mode(mode), args[0], args[1]),
                Op::FpDiv(mode) => raw::Z3_mk_fpa_div(c, self.mode(mode), args[0], args[1]),
                Op::FpRem => raw::Z3_mk_fpa_rem(c, args[0], args[1]),
                Op::FpSqrt(mode) => raw::Z3_mk_fpa_sqrt(c, self.mode(mode), args[0]),
                Op::FpRound(mode) => raw::Z3_mk_fpa_round_to_integral(c, self.mode(mode), args[0]),
                Op::FpEq => raw::Z3_mk_fpa_eq(c, args[0], args[1]),
                Op::FpLt => raw::Z3_mk_fpa_lt(c, args[0], args[1]),
                Op::FpLe => raw::Z3_mk_fpa_leq(c, args[0], args[1]),
                Op::FpIsNan => raw::Z3_mk_fpa_is_nan(c, args[0]),
                Op::FpIsInf => raw::Z3_mk_fpa_is_infinite(c, args[0]),
                Op::FpIsZero => raw::Z3_mk_fpa_is_zero(c, args[0]),
                Op::FpIsNormal => raw::Z3_mk_fpa_is_normal(c, args[0]),
                Op::FpIsSubnormal => raw::Z3_mk_fpa_is_subnormal(c, args[0]),
                Op::FpIsNegative => raw::Z3_mk_fpa_is_negative(c, args[0]),
                Op::FpIsPositive => raw::Z3_mk_fpa_is_positive(c, args[0]),
                Op::FpFromBits(format) => raw::Z3_mk_fpa_to_fp_bv(c, args[0], float(self, format)),
                Op::FpFromFp(mode, format) => {
                    raw::Z3_mk_fpa_to_fp_float(c, self.mode(mode), args[0], float(self, format))
                }
                Op::FpFromSbv(mode, format) => {
                    raw::Z3_mk_fpa_to_fp_signed(c, self.mode(mode), args[0], float(self, format))
                }
                Op::FpFromUbv(mode, format) => {
                    raw::Z3_mk_fpa_to_fp_unsigned(c, self.mode(mode), args[0], float(self, format))
                }
                Op::FpToSbv(mode, width) => raw::Z3_mk_fpa_to_sbv(c, self.mode(mode), args[0], width),
                Op::FpToUbv(mode, width) => raw::Z3_mk_fpa_to_ubv(c, self.mode(mode), args[0], width),
                Op::Select => raw::Z3_mk_select(c, args[0], args[1]),
                Op::Store => raw::Z3_mk_store(c, args[0], args[1], args[2]),
                Op::ConstArray(index) => raw::Z3_mk_const_array(c, self.sort(index.into()), args[0]),
            }
        }
    }
}
