//! Bitwuzla's terms as ours: values of models, and interpolants.

use crate::manager::Manager;
use crate::raw::{self, kind};
use rustc_hash::FxHashMap;
use smt::{ArrayValue, BitVec, FloatFormat, Op, RoundingMode, Sort, TermId, Terms, Value};
use std::collections::BTreeMap;
use std::ffi::CStr;

/// The value that the value term `term` of sort `sort` denotes; `None` if it is not a value.
pub fn value(term: raw::Term, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Bool => {
            // SAFETY: `term` is a live term; that it is a value is asked first.
            let value = unsafe { is_value(term).then(|| raw::bitwuzla_term_value_get_bool(term)) };
            Some(Value::Bool(value?))
        }
        Sort::BitVec(_) => Some(Value::BitVec(bits(term)?)),
        Sort::Float(format) => Some(Value::Float(format, smt::float::canonical(format, bits(term)?))),
        Sort::Array { index, element } => {
            let mut stores = Vec::new();
            let mut array = term;
            while kind_of(array) == kind::ARRAY_STORE {
                let args = children(array);
                stores.push((value(args[1], index.into())?, value(args[2], element.into())?));
                array = args[0];
            }
            let default = match kind_of(array) {
                kind::CONST_ARRAY => value(children(array)[0], element.into())?,
                _ => return None,
            };
            let mut result = ArrayValue { index, default: Box::new(default), entries: BTreeMap::new() };
            // The innermost store came last: outer ones overwrite it.
            for (at, what) in stores.into_iter().rev() {
                result = result.store(at, what);
            }
            Some(Value::Array(result))
        }
    }
}

fn kind_of(term: raw::Term) -> i32 {
    // SAFETY: all terms in this file come from the library and live as long as their manager.
    unsafe { raw::bitwuzla_term_get_kind(term) }
}

fn is_value(term: raw::Term) -> bool {
    kind_of(term) == kind::VALUE
}

fn bits(term: raw::Term) -> Option<BitVec> {
    if !is_value(term) {
        return None;
    }
    // SAFETY: `term` is a bit vector or float value; the text lives until the next such call and is read at once.
    let text = unsafe { CStr::from_ptr(raw::bitwuzla_term_value_get_str_fmt(term, 2)) };
    BitVec::from_binary(text.to_str().ok()?)
}

fn children(term: raw::Term) -> Vec<raw::Term> {
    let mut size = 0;
    // SAFETY: the array lives until the next such call and is copied at once; it may be null if it is empty.
    unsafe {
        let start = raw::bitwuzla_term_get_children(term, &mut size);
        if size == 0 { Vec::new() } else { std::slice::from_raw_parts(start, size).to_vec() }
    }
}

fn indices(term: raw::Term) -> Vec<u32> {
    let mut size = 0;
    // SAFETY: as in `children`.
    let all = unsafe {
        let start = raw::bitwuzla_term_get_indices(term, &mut size);
        if size == 0 { Vec::new() } else { std::slice::from_raw_parts(start, size).to_vec() }
    };
    all.into_iter().map(|index| index as u32).collect()
}

/// Our term for `root`, whose constants are our variables; `None` if it uses what we do not have.
pub fn term(manager: &Manager, terms: &mut Terms, root: raw::Term) -> Option<TermId> {
    let mut done: FxHashMap<raw::Term, TermId> = FxHashMap::default();
    let mut stack = vec![(root, false)];
    while let Some((raw, args_done)) = stack.pop() {
        if done.contains_key(&raw) {
            continue;
        }
        let args = children(raw);
        if args_done {
            if is_part_of_float(raw, &args) {
                return None;
            }
            let known: Vec<TermId> = args.iter().filter_map(|arg| done.get(arg).copied()).collect();
            let ours = rebuild(manager, terms, raw, &args, &known)?;
            done.insert(raw, ours);
        } else {
            stack.push((raw, true));
            stack.extend(args.iter().filter(|&&arg| has_translation(manager, terms, arg)).map(|&arg| (arg, false)));
        }
    }
    done.get(&root).copied()
}

/// Whether a term is a piece of a float's or rounding mode's inner representation, which interpolants may be made of.
/// The library has no public kind for these; asking for it would end the process.
fn is_part_of_float(term: raw::Term, args: &[raw::Term]) -> bool {
    let &[of] = args else { return false };
    // SAFETY: both are live.
    unsafe { raw::bitwuzla_term_is_bv(term) && (raw::bitwuzla_term_is_fp(of) || raw::bitwuzla_term_is_rm(of)) }
}

/// Rounding modes and heads of applications are parts of operators for us, not terms.
fn has_translation(manager: &Manager, terms: &Terms, term: raw::Term) -> bool {
    // SAFETY: `term` is live.
    let is_mode = unsafe { raw::bitwuzla_term_is_rm(term) };
    !is_mode && manager.function(terms.store(), term).is_none()
}

/// `raw` from its arguments: `args` are the library's, `known` ours without modes and heads of applications.
fn rebuild(
    manager: &Manager,
    terms: &mut Terms,
    raw: raw::Term,
    args: &[raw::Term],
    known: &[TermId],
) -> Option<TermId> {
    let simple = |terms: &mut Terms, op: Op| (terms.sort_of(op, known).is_some()).then(|| terms.make(op, known));
    let chain = |terms: &mut Terms, op: Op| known.iter().copied().reduce(|a, b| terms.make(op, &[a, b]));
    let negated = |terms: &mut Terms, op: Op| simple(terms, op).map(|term| terms.not(term));
    let flipped = |terms: &mut Terms, op: Op| match *known {
        [a, b] => Some(terms.make(op, &[b, a])),
        _ => None,
    };
    let complement = |terms: &mut Terms, op: Op| chain(terms, op).map(|term| terms.bv_not(term));
    let mode = || args.first().and_then(|&arg| rounding_mode(arg));
    let format = || match indices(raw)[..] {
        [exponent, significand] => {
            Some(FloatFormat { exponent: exponent.try_into().ok()?, significand: significand.try_into().ok()? })
        }
        _ => None,
    };
    let index = || indices(raw).first().copied();
    match kind_of(raw) {
        kind::CONSTANT => manager.variable(terms.store(), raw),
        kind::VALUE => value_term(terms, raw),
        kind::AND => Some(terms.and(known.iter().copied())),
        kind::OR => Some(terms.or(known.iter().copied())),
        kind::NOT => simple(terms, Op::Not),
        kind::XOR => negated(terms, Op::Eq),
        kind::IMPLIES => match *known {
            [a, b] => Some(terms.implies(a, b)),
            _ => None,
        },
        kind::EQUAL | kind::IFF if known.len() == 2 => simple(terms, Op::Eq),
        kind::DISTINCT => Some(terms.distinct(known)),
        kind::ITE => simple(terms, Op::Ite),
        kind::APPLY => {
            let function = manager.function(terms.store(), *args.first()?)?;
            Some(terms.apply(function, known))
        }
        kind::ARRAY_SELECT => simple(terms, Op::Select),
        kind::ARRAY_STORE => simple(terms, Op::Store),
        kind::BV_ADD => chain(terms, Op::BvAdd),
        kind::BV_AND => chain(terms, Op::BvAnd),
        kind::BV_OR => chain(terms, Op::BvOr),
        kind::BV_XOR => chain(terms, Op::BvXor),
        kind::BV_MUL => chain(terms, Op::BvMul),
        kind::BV_CONCAT => chain(terms, Op::BvConcat),
        kind::BV_NAND => complement(terms, Op::BvAnd),
        kind::BV_NOR => complement(terms, Op::BvOr),
        kind::BV_XNOR => complement(terms, Op::BvXor),
        kind::BV_NOT => simple(terms, Op::BvNot),
        kind::BV_NEG => simple(terms, Op::BvNeg),
        kind::BV_SUB => simple(terms, Op::BvSub),
        kind::BV_UDIV => simple(terms, Op::BvUdiv),
        kind::BV_UREM => simple(terms, Op::BvUrem),
        kind::BV_SDIV => simple(terms, Op::BvSdiv),
        kind::BV_SREM => simple(terms, Op::BvSrem),
        kind::BV_SHL => simple(terms, Op::BvShl),
        kind::BV_SHR => simple(terms, Op::BvLshr),
        kind::BV_ASHR => simple(terms, Op::BvAshr),
        kind::BV_ULT => simple(terms, Op::BvUlt),
        kind::BV_ULE => simple(terms, Op::BvUle),
        kind::BV_SLT => simple(terms, Op::BvSlt),
        kind::BV_SLE => simple(terms, Op::BvSle),
        kind::BV_UGT => flipped(terms, Op::BvUlt),
        kind::BV_UGE => flipped(terms, Op::BvUle),
        kind::BV_SGT => flipped(terms, Op::BvSlt),
        kind::BV_SGE => flipped(terms, Op::BvSle),
        kind::BV_INC | kind::BV_DEC => {
            let a = *known.first()?;
            let step = if kind_of(raw) == kind::BV_INC { 1 } else { -1 };
            let step = terms.bv_i64(terms.width(a), step);
            Some(terms.bv_add(a, step))
        }
        kind::BV_COMP => simple(terms, Op::Eq).map(|same| terms.bv_from_bool(same, 1)),
        kind::BV_REDOR => {
            let nonzero = terms.bv_is_nonzero(*known.first()?);
            Some(terms.bv_from_bool(nonzero, 1))
        }
        kind::BV_REDAND => {
            let a = *known.first()?;
            let ones = terms.bv(BitVec::ones(terms.width(a)));
            let all = terms.eq(a, ones);
            Some(terms.bv_from_bool(all, 1))
        }
        kind::BV_EXTRACT => match indices(raw)[..] {
            [high, low] => simple(terms, Op::BvExtract { high, low }),
            _ => None,
        },
        kind::BV_REPEAT => {
            let a = *known.first()?;
            let times = index()?;
            Some((1..times).fold(a, |all, _| terms.bv_concat(all, a)))
        }
        kind::BV_ZERO_EXTEND => simple(terms, Op::BvZeroExtend(index()?)),
        kind::BV_SIGN_EXTEND => simple(terms, Op::BvSignExtend(index()?)),
        kind::FP_ABS => simple(terms, Op::FpAbs),
        kind::FP_NEG => simple(terms, Op::FpNeg),
        kind::FP_REM => simple(terms, Op::FpRem),
        kind::FP_EQUAL => simple(terms, Op::FpEq),
        kind::FP_LT => simple(terms, Op::FpLt),
        kind::FP_LEQ => simple(terms, Op::FpLe),
        kind::FP_GT => flipped(terms, Op::FpLt),
        kind::FP_GEQ => flipped(terms, Op::FpLe),
        kind::FP_IS_NAN => simple(terms, Op::FpIsNan),
        kind::FP_IS_INF => simple(terms, Op::FpIsInf),
        kind::FP_IS_ZERO => simple(terms, Op::FpIsZero),
        kind::FP_IS_NORMAL => simple(terms, Op::FpIsNormal),
        kind::FP_IS_SUBNORMAL => simple(terms, Op::FpIsSubnormal),
        kind::FP_IS_NEG => simple(terms, Op::FpIsNegative),
        kind::FP_IS_POS => simple(terms, Op::FpIsPositive),
        kind::FP_ADD => simple(terms, Op::FpAdd(mode()?)),
        kind::FP_SUB => simple(terms, Op::FpSub(mode()?)),
        kind::FP_MUL => simple(terms, Op::FpMul(mode()?)),
        kind::FP_DIV => simple(terms, Op::FpDiv(mode()?)),
        kind::FP_SQRT => simple(terms, Op::FpSqrt(mode()?)),
        kind::FP_RTI => simple(terms, Op::FpRound(mode()?)),
        kind::FP_TO_FP_FROM_BV => simple(terms, Op::FpFromBits(format()?)),
        kind::FP_TO_FP_FROM_FP => simple(terms, Op::FpFromFp(mode()?, format()?)),
        kind::FP_TO_FP_FROM_SBV => simple(terms, Op::FpFromSbv(mode()?, format()?)),
        kind::FP_TO_FP_FROM_UBV => simple(terms, Op::FpFromUbv(mode()?, format()?)),
        kind::FP_TO_SBV => simple(terms, Op::FpToSbv(mode()?, index()?)),
        kind::FP_TO_UBV => simple(terms, Op::FpToUbv(mode()?, index()?)),
        _ => None,
    }
}

fn value_term(terms: &mut Terms, term: raw::Term) -> Option<TermId> {
    // SAFETY: `term` is live, and a float where its sizes are asked.
    let sort = unsafe {
        if raw::bitwuzla_term_is_bool(term) {
            Sort::Bool
        } else if raw::bitwuzla_term_is_bv(term) {
            Sort::BitVec(1) // the value knows its width
        } else if raw::bitwuzla_term_is_fp(term) {
            let exponent = raw::bitwuzla_term_fp_get_exp_size(term).try_into().ok()?;
            let significand = raw::bitwuzla_term_fp_get_sig_size(term).try_into().ok()?;
            Sort::Float(FloatFormat { exponent, significand })
        } else {
            return None;
        }
    };
    let value = value(term, sort)?;
    Some(terms.value_term(&value))
}

fn rounding_mode(term: raw::Term) -> Option<RoundingMode> {
    // SAFETY: `term` is live, and a rounding mode value where it is asked.
    let number = unsafe {
        if !raw::bitwuzla_term_is_rm(term) || !is_value(term) {
            return None;
        }
        raw::bitwuzla_term_value_get_rm(term)
    };
    match number {
        0 => Some(RoundingMode::NearestEven),
        1 => Some(RoundingMode::NearestAway),
        2 => Some(RoundingMode::Down),
        3 => Some(RoundingMode::Up),
        4 => Some(RoundingMode::Zero),
        _ => None,
    }
}
