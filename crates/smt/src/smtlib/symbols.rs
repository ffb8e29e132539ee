//! How SMT-LIB spells our operators.

use crate::op::Op;
use crate::terms::{TermId, Terms};

/// The start of a term's text.
pub enum Head {
    /// The whole text.
    Leaf(String),
    /// What stands before the arguments; rounding modes are part of it.
    Operator(String),
}

/// How the text of `term` starts.
pub fn head(terms: &Terms, term: TermId) -> Head {
    let operator = |text: &str| Head::Operator(text.to_owned());
    match terms.op(term) {
        Op::Bool(value) => Head::Leaf(value.to_string()),
        Op::Bv(value) => Head::Leaf(terms.value(value).to_string()),
        Op::Fp(format, value) => {
            let bits = terms.value(value);
            if crate::float::is_nan(format, bits) {
                return Head::Leaf(format!("(_ NaN {} {})", format.exponent, format.significand));
            }
            let (top, fraction) = (format.width() - 1, u32::from(format.significand) - 1);
            let part = |high, low| bits.extract(high, low).to_binary();
            let (sign, exponent, fraction) = (part(top, top), part(top - 1, fraction), part(fraction - 1, 0));
            Head::Leaf(format!("(fp #b{sign} #b{exponent} #b{fraction})"))
        }
        Op::Var(variable) => Head::Leaf(quote(&terms.var_name(variable))),
        Op::Apply(function) => Head::Operator(quote(terms.function_name(function))),
        Op::ConstArray(_) => Head::Operator(format!("(as const {})", terms.sort(term))),
        Op::BvExtract { high, low } => Head::Operator(format!("(_ extract {high} {low})")),
        Op::BvZeroExtend(by) => Head::Operator(format!("(_ zero_extend {by})")),
        Op::BvSignExtend(by) => Head::Operator(format!("(_ sign_extend {by})")),
        Op::FpFromBits(format) => Head::Operator(format!("(_ to_fp {} {})", format.exponent, format.significand)),
        Op::FpFromFp(mode, format) | Op::FpFromSbv(mode, format) => {
            Head::Operator(format!("(_ to_fp {} {}) {mode}", format.exponent, format.significand))
        }
        Op::FpFromUbv(mode, format) => {
            Head::Operator(format!("(_ to_fp_unsigned {} {}) {mode}", format.exponent, format.significand))
        }
        Op::FpToSbv(mode, width) => Head::Operator(format!("(_ fp.to_sbv {width}) {mode}")),
        Op::FpToUbv(mode, width) => Head::Operator(format!("(_ fp.to_ubv {width}) {mode}")),
        Op::FpAdd(mode) => Head::Operator(format!("fp.add {mode}")),
        Op::FpSub(mode) => Head::Operator(format!("fp.sub {mode}")),
        Op::FpMul(mode) => Head::Operator(format!("fp.mul {mode}")),
        Op::FpDiv(mode) => Head::Operator(format!("fp.div {mode}")),
        Op::FpSqrt(mode) => Head::Operator(format!("fp.sqrt {mode}")),
        Op::FpRound(mode) => Head::Operator(format!("fp.roundToIntegral {mode}")),
        other => {
            operator(SIMPLE.iter().find(|(_, op)| *op == other).map(|(name, _)| *name).expect("all others listed"))
        }
    }
}

/// Operators that are one symbol without indices or rounding mode.
pub const SIMPLE: &[(&str, Op)] = &[
    ("not", Op::Not),
    ("and", Op::And),
    ("or", Op::Or),
    ("=", Op::Eq),
    ("ite", Op::Ite),
    ("bvnot", Op::BvNot),
    ("bvneg", Op::BvNeg),
    ("bvand", Op::BvAnd),
    ("bvor", Op::BvOr),
    ("bvxor", Op::BvXor),
    ("bvadd", Op::BvAdd),
    ("bvsub", Op::BvSub),
    ("bvmul", Op::BvMul),
    ("bvudiv", Op::BvUdiv),
    ("bvurem", Op::BvUrem),
    ("bvsdiv", Op::BvSdiv),
    ("bvsrem", Op::BvSrem),
    ("bvshl", Op::BvShl),
    ("bvlshr", Op::BvLshr),
    ("bvashr", Op::BvAshr),
    ("concat", Op::BvConcat),
    ("bvult", Op::BvUlt),
    ("bvule", Op::BvUle),
    ("bvslt", Op::BvSlt),
    ("bvsle", Op::BvSle),
    ("fp.abs", Op::FpAbs),
    ("fp.neg", Op::FpNeg),
    ("fp.rem", Op::FpRem),
    ("fp.eq", Op::FpEq),
    ("fp.lt", Op::FpLt),
    ("fp.leq", Op::FpLe),
    ("fp.isNaN", Op::FpIsNan),
    ("fp.isInfinite", Op::FpIsInf),
    ("fp.isZero", Op::FpIsZero),
    ("fp.isNormal", Op::FpIsNormal),
    ("fp.isSubnormal", Op::FpIsSubnormal),
    ("fp.isNegative", Op::FpIsNegative),
    ("fp.isPositive", Op::FpIsPositive),
    ("select", Op::Select),
    ("store", Op::Store),
];

/// A name as a symbol, between bars where it needs them. SMT-LIB has no way to write `|` and `\` in names; they become
/// `!`.
pub fn quote(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let plain = name.chars().all(simple) && !name.starts_with(|c: char| c.is_ascii_digit() || "@.%".contains(c));
    let reserved = SIMPLE.iter().any(|(word, _)| *word == name)
        || ["true", "false", "let", "as", "_", "par", "assert", "exists", "forall"].contains(&name);
    if plain && !name.is_empty() && !reserved {
        name.to_owned()
    } else {
        format!("|{}|", name.replace(['|', '\\'], "!"))
    }
}
