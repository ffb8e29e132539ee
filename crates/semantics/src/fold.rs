//! Expressions with constants folded by the one evaluator, and identities that need no more than a look at the
//! operands. An identity never drops an operand that might be undefined, and never changes the value.

use crate::scalar;
use cfa::{BinOp, DataModel, Expr, ExprId, Exprs, Scalar, UnOp};

/// `op a`.
pub fn unary(exprs: &mut Exprs, op: UnOp, a: ExprId) -> ExprId {
    let ty = exprs.ty(a);
    if let Some(bits) = exprs.constant(a).and_then(|bits| scalar::unary(exprs.model(), op, ty, bits)) {
        let result = if op == UnOp::SignBit { Scalar::Bool } else { ty };
        return exprs.bits(result, bits);
    }
    match (op, exprs.node(a)) {
        // match: -(-x), ~(~x)
        // result: x
        (UnOp::Neg | UnOp::BitNot, Expr::Unary(inner, x)) if op == inner => x,
        _ => exprs.unary(op, a),
    }
}

/// `a op b`.
pub fn binary(exprs: &mut Exprs, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
    let (ta, tb, model) = (exprs.ty(a), exprs.ty(b), exprs.model());
    let (ca, cb) = (exprs.constant(a), exprs.constant(b));
    if let (Some(x), Some(y)) = (ca, cb)
        && let Some(bits) = scalar::binary(model, op, ta, tb, x, y)
    {
        return exprs.bits(if op.is_comparison() { Scalar::Bool } else { ta }, bits);
    }
    if ta.is_float() {
        return exprs.binary(op, a, b);
    }
    let ones = scalar::mask(ta.bits(model));
    match (op, ca, cb) {
        // match: x + 0, x - 0, x << 0, x >> 0, x | 0, x ^ 0, p + 0
        // result: x
        (BinOp::Add | BinOp::Sub | BinOp::Shl | BinOp::Shr | BinOp::Or | BinOp::Xor | BinOp::PtrAdd, _, Some(0)) => a,
        // match: 0 + x, 0 | x, 0 ^ x
        // result: x
        (BinOp::Add | BinOp::Or | BinOp::Xor, Some(0), _) => b,
        // match: x * 1, x / 1
        // result: x
        (BinOp::Mul | BinOp::Div, _, Some(1)) if ta.is_int() => a,
        // match: 1 * x
        // result: x
        (BinOp::Mul, Some(1), _) if ta.is_int() => b,
        // match: x & ~0
        // result: x
        (BinOp::And, _, Some(bits)) if bits == ones => a,
        (BinOp::And, Some(bits), _) if bits == ones => b,
        // Conditions have no traps, so these may drop the other side.
        // match: c && false
        // result: false
        (BinOp::And, _, Some(0)) if ta == Scalar::Bool => b,
        (BinOp::And, Some(0), _) if ta == Scalar::Bool => a,
        // match: c || true
        // result: true
        (BinOp::Or, _, Some(1)) if ta == Scalar::Bool => b,
        (BinOp::Or, Some(1), _) if ta == Scalar::Bool => a,
        // match: c != true
        // result: !c
        (BinOp::Xor, _, Some(1)) if ta == Scalar::Bool => exprs.not(a),
        (BinOp::Xor, Some(1), _) if ta == Scalar::Bool => exprs.not(b),
        (BinOp::Eq, _, Some(bits)) => equal_constant(exprs, a, b, bits),
        (BinOp::Eq, Some(bits), _) => equal_constant(exprs, b, a, bits),
        (BinOp::PtrAdd, _, Some(bits)) => add_offset(exprs, a, b, bits),
        _ => exprs.binary(op, a, b),
    }
}

/// `a == b` where `b` is the constant `bits`.
fn equal_constant(exprs: &mut Exprs, a: ExprId, b: ExprId, bits: u128) -> ExprId {
    // match: c == true, (int) c == 1
    // result: c
    // match: c == false, (int) c == 0
    // result: !c
    let truth = match exprs.node(a) {
        Expr::Cast(inner) if exprs.ty(inner) == Scalar::Bool => Some(inner),
        _ if exprs.ty(a) == Scalar::Bool => Some(a),
        _ => None,
    };
    match (truth, bits) {
        (Some(c), 0) => exprs.not(c),
        (Some(c), 1) => c,
        (Some(_) | None, _) => exprs.binary(BinOp::Eq, a, b),
    }
}

/// `a + b` where `a` is a pointer and `b` the constant `bits`.
fn add_offset(exprs: &mut Exprs, a: ExprId, b: ExprId, bits: u128) -> ExprId {
    // match: (p + c) + d
    // result: p + (c + d)
    if let Expr::Binary(BinOp::PtrAdd, p, c) = exprs.node(a)
        && let Some(first) = exprs.constant(c)
    {
        let offset = exprs.model().offset_type();
        let sum = exprs.bits(offset, first.wrapping_add(bits));
        return binary(exprs, BinOp::PtrAdd, p, sum);
    }
    exprs.binary(BinOp::PtrAdd, a, b)
}

/// `a` converted to `ty`.
pub fn cast(exprs: &mut Exprs, a: ExprId, ty: Scalar) -> ExprId {
    let (from, model) = (exprs.ty(a), exprs.model());
    if from == ty {
        return a;
    }
    if let Some(bits) = exprs.constant(a).and_then(|bits| scalar::cast(model, from, ty, bits)) {
        return exprs.bits(ty, bits);
    }
    // match: (T)(U)x where U keeps all bits of x that T needs
    // result: (T)x
    if let Expr::Cast(inner) = exprs.node(a)
        && let Some(needless) = middle_is_needless(model, exprs.ty(inner), from, ty)
        && needless
    {
        return cast(exprs, inner, ty);
    }
    exprs.cast(a, ty)
}

/// Whether converting integers `from -> middle -> to` is converting `from -> to`; `None` if floats are involved.
fn middle_is_needless(model: DataModel, from: Scalar, middle: Scalar, to: Scalar) -> Option<bool> {
    // Pointers extend their sign when cast to wider integers.
    let shape = |ty: Scalar| match ty {
        Scalar::Float(_) => None,
        Scalar::Bool | Scalar::Int { .. } => Some((ty.bits(model), ty.is_signed())),
        Scalar::Ptr => Some((ty.bits(model), true)),
    };
    let ((from_bits, from_signed), (bits, signed), (to_bits, _)) = (shape(from)?, shape(middle)?, shape(to)?);
    // A truth value must not become a pointer in one step.
    if from == Scalar::Bool && to == Scalar::Ptr {
        return Some(false);
    }
    let keeps_value =
        if from_signed { signed && bits >= from_bits } else { bits > from_bits || bits == from_bits && !signed };
    Some(to_bits <= bits || keeps_value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::{FloatKind, VarId};

    #[test]
    fn constants_fold_and_undefined_results_stay() {
        let mut exprs = Exprs::new(DataModel::Lp64);
        let (seven, zero) = (exprs.int(Scalar::INT, 7), exprs.int(Scalar::INT, 0));
        let product = binary(&mut exprs, BinOp::Mul, seven, seven);
        assert_eq!(exprs.constant(product), Some(49));
        let less = binary(&mut exprs, BinOp::Lt, zero, seven);
        assert_eq!((exprs.constant(less), exprs.ty(less)), (Some(1), Scalar::Bool));
        let quotient = binary(&mut exprs, BinOp::Div, seven, zero);
        assert_eq!(exprs.constant(quotient), None);
        let minus = unary(&mut exprs, UnOp::Neg, seven);
        let wide = cast(&mut exprs, minus, Scalar::int(64, true));
        assert_eq!(exprs.constant(wide), Some(u128::from(-7_i64 as u64)));
    }

    /// The bits of a float are not its value.
    #[test]
    fn floats_are_not_multiplied_by_their_bits() {
        let mut exprs = Exprs::new(DataModel::Lp64);
        let double = Scalar::Float(FloatKind::F64);
        let (x, tiny) = (exprs.var(VarId(0), double), exprs.bits(double, 1));
        for (a, b) in [(x, tiny), (tiny, x)] {
            assert_ne!(binary(&mut exprs, BinOp::Mul, a, b), x);
        }
    }

    #[test]
    fn offsets_add_up() {
        let mut exprs = Exprs::new(DataModel::Lp64);
        let p = exprs.var(VarId(0), Scalar::Ptr);
        let offset = exprs.model().offset_type();
        let (four, minus_four) = (exprs.int(offset, 4), exprs.int(offset, -4));
        let there = binary(&mut exprs, BinOp::PtrAdd, p, four);
        assert_eq!(binary(&mut exprs, BinOp::PtrAdd, there, minus_four), p);
    }

    /// Every identity of casts against the evaluator, on all types and telling values.
    #[test]
    fn double_casts_keep_the_value() {
        let widths = [8, 16, 32, 64, 128];
        let mut types: Vec<_> = widths.iter().flat_map(|&w| [Scalar::int(w, false), Scalar::int(w, true)]).collect();
        types.push(Scalar::Ptr);
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let mut exprs = Exprs::new(model);
            let count = types.len();
            for index in 0..count.pow(3) {
                let (from, middle, to) =
                    (types[index / count / count], types[index / count % count], types[index % count]);
                if [(from, middle), (middle, to)].contains(&(Scalar::Ptr, Scalar::Ptr)) {
                    continue;
                }
                let x = exprs.var(VarId(0), from);
                let inner = cast(&mut exprs, x, middle);
                let folded = cast(&mut exprs, inner, to);
                let ones = scalar::mask(from.bits(model));
                for bits in [0, 1, ones, ones >> 1, (ones >> 1) + 1, 0xDEAD_BEEF_CAFE_F00D_8765_4321_0FED_CBA9 & ones] {
                    let direct = scalar::cast(model, from, middle, bits)
                        .and_then(|middle_bits| scalar::cast(model, middle, to, middle_bits));
                    assert_eq!(evaluate(&exprs, folded, bits), direct, "{from} -> {middle} -> {to} of {bits:#x}");
                }
            }
        }
    }

    /// Every operator with a constant on either side against the evaluator, on telling types and values.
    #[test]
    fn identities_keep_the_value() {
        use BinOp::{Add, And, Div, Eq, Le, Lt, Mul, Or, PtrAdd, Rem, Shl, Shr, Sub, Xor};
        let model = DataModel::Lp64;
        let int: &[BinOp] = &[Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor, Eq, Lt, Le];
        let cases = [
            (Scalar::Bool, Scalar::Bool, &[And, Or, Xor, Eq] as &[BinOp]),
            (Scalar::int(8, false), Scalar::int(8, false), int),
            (Scalar::INT, Scalar::INT, int),
            (Scalar::int(64, true), Scalar::int(64, true), int),
            (Scalar::Float(FloatKind::F64), Scalar::Float(FloatKind::F64), &[Add, Sub, Mul, Div, Eq, Lt, Le]),
            (Scalar::Ptr, model.offset_type(), &[PtrAdd]),
        ];
        for (ta, tb, ops) in cases {
            for &op in ops {
                let values = |ty: Scalar| {
                    let ones = scalar::mask(ty.bits(model));
                    [0, 1, 2, ones, ones >> 1, (ones >> 1) + 1].map(|bits| bits & ones)
                };
                for constant in values(tb) {
                    check(model, op, (ta, None), (tb, Some(constant)), &values(ta));
                }
                for constant in values(ta) {
                    check(model, op, (ta, Some(constant)), (tb, None), &values(tb));
                }
            }
        }
    }

    /// Compares for all values of the operand that is not a constant.
    fn check(model: DataModel, op: BinOp, a: (Scalar, Option<u128>), b: (Scalar, Option<u128>), values: &[u128]) {
        let mut exprs = Exprs::new(model);
        let [left, right] = [a, b].map(|(ty, constant)| match constant {
            Some(bits) => exprs.bits(ty, bits),
            None => exprs.var(VarId(0), ty),
        });
        let folded = binary(&mut exprs, op, left, right);
        for &value in values {
            let direct = scalar::binary(model, op, a.0, b.0, a.1.unwrap_or(value), b.1.unwrap_or(value));
            assert_eq!(evaluate(&exprs, folded, value), direct, "{op:?} of {a:?} and {b:?}, {value:#x} for none");
        }
    }

    #[test]
    fn identities_are_found() {
        use BinOp::{Add, And, Div, Mul, Or, Shl, Shr, Sub, Xor};
        let mut exprs = Exprs::new(DataModel::Lp64);
        let (x, c) = (exprs.var(VarId(0), Scalar::INT), exprs.var(VarId(1), Scalar::Bool));
        let numbers = [0, 1, -1].map(|number| exprs.int(Scalar::INT, number));
        let [zero, one, ones] = numbers;
        for op in [Add, Sub, Shl, Shr, Or, Xor] {
            assert_eq!(binary(&mut exprs, op, x, zero), x, "{op:?}");
        }
        for op in [Add, Or, Xor] {
            assert_eq!(binary(&mut exprs, op, zero, x), x, "{op:?}");
        }
        for (op, a, b) in [(Mul, x, one), (Div, x, one), (Mul, one, x), (And, x, ones), (And, ones, x)] {
            assert_eq!(binary(&mut exprs, op, a, b), x, "{op:?}");
        }
        let [no, yes] = [0, 1].map(|bits| exprs.bits(Scalar::Bool, bits));
        let negated = exprs.not(c);
        for (op, constant, result) in [(And, no, no), (Or, yes, yes), (Xor, yes, negated)] {
            assert_eq!(binary(&mut exprs, op, c, constant), result, "{op:?}");
            assert_eq!(binary(&mut exprs, op, constant, c), result, "{op:?}");
        }
        let (signed, unsigned) = (Scalar::int(32, true), Scalar::int(32, false));
        let there = cast(&mut exprs, x, unsigned);
        assert_eq!(cast(&mut exprs, there, signed), x);
    }

    /// A number may be undefined, so it stays where its value does not matter; other numbers are not truth values; a
    /// truth value becomes a pointer by way of a number.
    #[test]
    fn what_only_looks_like_an_identity_stays() {
        let mut exprs = Exprs::new(DataModel::Lp64);
        let (x, c) = (exprs.var(VarId(0), Scalar::INT), exprs.var(VarId(1), Scalar::Bool));
        let zero = exprs.int(Scalar::INT, 0);
        for (a, b) in [(x, zero), (zero, x)] {
            let kept = binary(&mut exprs, BinOp::And, a, b);
            assert_eq!(exprs.node(kept), Expr::Binary(BinOp::And, a, b));
        }
        let wide = Scalar::int(64, true);
        let (number, one) = (cast(&mut exprs, x, wide), exprs.int(wide, 1));
        let equal = binary(&mut exprs, BinOp::Eq, number, one);
        assert_eq!(exprs.node(equal), Expr::Binary(BinOp::Eq, number, one));
        let word = exprs.model().offset_type();
        let number = cast(&mut exprs, c, word);
        let pointer = cast(&mut exprs, number, Scalar::Ptr);
        assert_eq!(exprs.node(pointer), Expr::Cast(number));
    }

    #[test]
    fn two_signs_or_complements_cancel_and_one_of_each_does_not() {
        let mut exprs = Exprs::new(DataModel::Lp64);
        let x = exprs.var(VarId(0), Scalar::INT);
        for (outer, inner) in [(UnOp::Neg, UnOp::Neg), (UnOp::Neg, UnOp::BitNot), (UnOp::BitNot, UnOp::BitNot)] {
            let once = unary(&mut exprs, inner, x);
            let twice = unary(&mut exprs, outer, once);
            assert_eq!(twice == x, outer == inner);
        }
    }

    #[test]
    fn a_comparison_of_a_truth_value_is_the_truth_value() {
        let mut exprs = Exprs::new(DataModel::Lp64);
        let c = exprs.var(VarId(0), Scalar::Bool);
        let number = cast(&mut exprs, c, Scalar::INT);
        let (zero, one) = (exprs.int(Scalar::INT, 0), exprs.int(Scalar::INT, 1));
        assert_eq!(binary(&mut exprs, BinOp::Eq, number, one), c);
        let negated = exprs.not(c);
        assert_eq!(binary(&mut exprs, BinOp::Eq, zero, number), negated);
    }

    fn evaluate(exprs: &Exprs, id: ExprId, var: u128) -> Option<u128> {
        let model = exprs.model();
        match exprs.node(id) {
            Expr::Var(_) => Some(var),
            Expr::Cast(inner) => scalar::cast(model, exprs.ty(inner), exprs.ty(id), evaluate(exprs, inner, var)?),
            Expr::Unary(op, a) => scalar::unary(model, op, exprs.ty(a), evaluate(exprs, a, var)?),
            Expr::Binary(op, a, b) => {
                let (x, y) = (evaluate(exprs, a, var)?, evaluate(exprs, b, var)?);
                scalar::binary(model, op, exprs.ty(a), exprs.ty(b), x, y)
            }
            _ => Some(exprs.constant(id).expect("there is nothing else")),
        }
    }
}
