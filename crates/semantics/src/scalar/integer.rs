//! Two's-complement arithmetic on 1 to 128 bits. Truth values are one-bit, pointers unsigned integers.

use cfa::{BinOp, UnOp};

/// The low `width` bits set.
pub fn mask(width: u32) -> u128 {
    debug_assert!((1..=128).contains(&width), "width {width}");
    u128::MAX >> (128 - width)
}

/// `a` of `width` bits with its sign bit repeated up to bit 127.
pub fn sign_extend(a: u128, width: u32) -> u128 {
    debug_assert!((1..=128).contains(&width), "width {width}");
    let unused = 128 - width;
    (((a << unused) as i128) >> unused) as u128
}

/// The type of a shift's right operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub bits: u32,
    pub signed: bool,
}

pub(super) fn unary(op: UnOp, width: u32, a: u128) -> Option<u128> {
    match op {
        UnOp::Not => Some(a ^ 1),
        UnOp::Neg => Some(a.wrapping_neg() & mask(width)),
        UnOp::BitNot => Some(!a & mask(width)),
        UnOp::Abs | UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Round => unreachable!("float operator"),
        UnOp::RoundEven | UnOp::SignBit => unreachable!("float operator"),
    }
}

pub(super) fn binary(op: BinOp, width: u32, signed: bool, shift: Shift, a: u128, b: u128) -> Option<u128> {
    let full = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Div if signed => signed_pair(a, b, width, i128::wrapping_div)?,
        BinOp::Rem if signed => signed_pair(a, b, width, i128::wrapping_rem)?,
        BinOp::Div => a.checked_div(b)?,
        BinOp::Rem => a.checked_rem(b)?,
        BinOp::Shl => a << distance(width, shift, b)?,
        BinOp::Shr if signed => ((sign_extend(a, width) as i128) >> distance(width, shift, b)?) as u128,
        BinOp::Shr => a >> distance(width, shift, b)?,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Eq => u128::from(a == b),
        BinOp::Lt if signed => u128::from((sign_extend(a, width) as i128) < sign_extend(b, width) as i128),
        BinOp::Le if signed => u128::from(sign_extend(a, width) as i128 <= sign_extend(b, width) as i128),
        BinOp::Lt => u128::from(a < b),
        BinOp::Le => u128::from(a <= b),
        BinOp::PtrAdd => a.wrapping_add(b),
    };
    Some(full & mask(width))
}

fn signed_pair(a: u128, b: u128, width: u32, op: fn(i128, i128) -> i128) -> Option<u128> {
    (b != 0).then(|| op(sign_extend(a, width) as i128, sign_extend(b, width) as i128) as u128)
}

/// How far to shift; `None` if that is negative or not below the width.
fn distance(width: u32, shift: Shift, b: u128) -> Option<u32> {
    debug_assert!((1..=128).contains(&shift.bits), "width {}", shift.bits);
    let negative = shift.signed && b >> (shift.bits - 1) & 1 == 1;
    (!negative && b < u128::from(width)).then_some(b as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [BinOp; 14] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Eq,
        BinOp::Lt,
        BinOp::Le,
        BinOp::PtrAdd,
    ];

    /// The mathematical result on numbers small enough not to overflow 128 bits.
    fn expected(op: BinOp, x: i128, y: i128, width: u32) -> Option<i128> {
        let shift_fits = (0..i128::from(width)).contains(&y);
        match op {
            BinOp::Add | BinOp::PtrAdd => Some(x + y),
            BinOp::Sub => Some(x - y),
            BinOp::Mul => Some(x * y),
            BinOp::Div => x.checked_div(y),
            BinOp::Rem => x.checked_rem(y),
            BinOp::Shl => shift_fits.then(|| x * (1 << y)),
            BinOp::Shr => shift_fits.then(|| x.div_euclid(1 << y)),
            BinOp::And => Some(x & y),
            BinOp::Or => Some(x | y),
            BinOp::Xor => Some(x ^ y),
            BinOp::Eq => Some(i128::from(x == y)),
            BinOp::Lt => Some(i128::from(x < y)),
            BinOp::Le => Some(i128::from(x <= y)),
        }
    }

    #[test]
    fn every_pair_of_small_integers() {
        for width in [1, 3, 5, 8] {
            for signed in [false, true] {
                let number = |a: u128| if signed { sign_extend(a, width) as i128 } else { a as i128 };
                for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
                    for op in ALL {
                        let got = binary(op, width, signed, Shift { bits: width, signed }, a, b);
                        let want = expected(op, number(a), number(b), width).map(|r| r as u128 & mask(width));
                        assert_eq!(got, want, "{op:?} on {width} bits, signed {signed}: {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_ends_of_wide_integers() {
        let shift = Shift { bits: 32, signed: true };
        for width in [16, 32, 64, 128] {
            let (min, minus_one) = (1 << (width - 1), mask(width));
            assert_eq!(binary(BinOp::Div, width, true, shift, min, minus_one), Some(min));
            assert_eq!(binary(BinOp::Rem, width, true, shift, min, minus_one), Some(0));
            assert_eq!(binary(BinOp::Div, width, false, shift, min, minus_one), Some(0));
            assert_eq!(binary(BinOp::Shr, width, true, shift, min, u128::from(width) - 1), Some(minus_one));
            assert_eq!(binary(BinOp::Shl, width, true, shift, 1, u128::from(width)), None);
            assert_eq!(binary(BinOp::Shl, width, true, shift, 1, mask(32)), None);
            assert_eq!(binary(BinOp::Lt, width, true, shift, min, 0), Some(1));
            assert_eq!(binary(BinOp::Lt, width, false, shift, min, 0), Some(0));
            assert_eq!(unary(UnOp::Neg, width, min), Some(min));
            assert_eq!(unary(UnOp::BitNot, width, 0), Some(minus_one));
        }
    }
}
