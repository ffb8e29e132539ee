//! Expressions as C text, the one place where invariants become what other tools read.
//!
//! The text means exactly what the expression means, and evaluating it is never undefined: signed arithmetic, which
//! wraps here and overflows in C, goes through the unsigned type; what C computes in `int` although the operands are
//! narrower is cut back by a cast. What has no such text (a division by a variable, 128 bits, memory that is no
//! variable) gives `None`.

use crate::c_place::place;
use cfa::{BinOp, Expr, ExprId, Exprs, FloatKind, Program, Scalar, UnOp, VarId};
use std::collections::HashMap;

/// Longer texts are of no help.
const LONGEST: usize = 4000;

/// Writes expressions for one place in the program.
pub struct Printer<'a> {
    /// The program.
    pub program: &'a Program,
    /// The expressions, perhaps more than the program's own.
    pub exprs: &'a Exprs,
    /// The name by which a variable is known at the place, if it is.
    pub name: &'a dyn Fn(VarId) -> Option<String>,
}

impl Printer<'_> {
    /// The conjuncts of a condition that can be written, the others left out: what is left is weaker.
    pub fn conjuncts(&self, condition: ExprId) -> Vec<String> {
        let mut stack = vec![condition];
        let mut found = Vec::new();
        while let Some(next) = stack.pop() {
            match self.exprs.node(next) {
                Expr::Binary(BinOp::And, a, b) => stack.extend([b, a]),
                _ if self.exprs.constant(next).is_some() => {}
                _ => found.extend(self.text(next).filter(|text| !found.contains(text))),
            }
        }
        found
    }

    /// The text of an expression.
    pub fn text(&self, root: ExprId) -> Option<String> {
        let mut texts: HashMap<ExprId, Option<String>> = HashMap::new();
        let mut order = Vec::new();
        self.exprs.visit(root, |id, node| order.push((id, node)));
        for (id, node) in order {
            let text = self.node(id, node, &texts).filter(|text| text.len() <= LONGEST);
            texts.insert(id, text);
        }
        texts.remove(&root)?
    }

    fn node(&self, id: ExprId, node: Expr, texts: &HashMap<ExprId, Option<String>>) -> Option<String> {
        let ty = self.exprs.ty(id);
        let text = |id: ExprId| texts.get(&id)?.clone();
        match node {
            Expr::Const { .. } => constant(ty, self.exprs.constant(id)?),
            Expr::Var(var) => (self.name)(var),
            Expr::Addr(var) => Some(format!("&{}", (self.name)(var)?)),
            Expr::Function(function) => Some(self.program.function_name(function).to_owned()),
            Expr::Load(pointer) => {
                let (var, offset) = self.variable_place(pointer)?;
                Some(format!("{}{}", (self.name)(var)?, place(self.program, self.program.vars[var].ty, offset, ty)?))
            }
            Expr::Unary(op, a) => self.unary(op, ty, text(a)?),
            Expr::Binary(op, a, b) => self.binary(op, a, b, &text(a)?, &text(b)?),
            Expr::Cast(a) => cast(self.exprs.ty(a), ty, &text(a)?),
            Expr::Ite(c, a, b) => Some(format!("({} ? {} : {})", text(c)?, text(a)?, text(b)?)),
            // C has no words for it.
            Expr::Living(_) => None,
        }
    }

    /// A variable in memory and a constant offset in it.
    fn variable_place(&self, pointer: ExprId) -> Option<(VarId, u64)> {
        match self.exprs.node(pointer) {
            Expr::Addr(var) => Some((var, 0)),
            Expr::Binary(BinOp::PtrAdd, base, offset) => {
                let (var, start) = self.variable_place(base)?;
                Some((var, start.checked_add(u64::try_from(self.exprs.integer(offset)?).ok()?)?))
            }
            _ => None,
        }
    }

    fn unary(&self, op: UnOp, ty: Scalar, a: String) -> Option<String> {
        match (op, ty) {
            (UnOp::Not, _) => Some(format!("!({a})")),
            (UnOp::BitNot, _) => Some(narrowed(ty, format!("~{a}"))),
            (UnOp::Neg, Scalar::Float(_)) => Some(format!("(-{a})")),
            (UnOp::Neg, _) => wrapping(ty, "-", "0", &a),
            (UnOp::Abs | UnOp::Sqrt | UnOp::Floor | UnOp::Ceil, _) => None,
            (UnOp::Trunc | UnOp::Round | UnOp::RoundEven | UnOp::SignBit, _) => None,
        }
    }

    fn binary(&self, op: BinOp, a: ExprId, b: ExprId, x: &str, y: &str) -> Option<String> {
        let ty = self.exprs.ty(a);
        let float = ty.is_float();
        let divisor = self.exprs.integer(b).filter(|&value| value != 0 && value != -1);
        let shift = self.exprs.integer(b).filter(|&by| by >= 0 && by < i128::from(ty.bits(self.exprs.model())));
        let plain = |operator: &str| Some(format!("({x} {operator} {y})"));
        match op {
            // C computes it in another type.
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div if ty == Scalar::Float(FloatKind::F16) => None,
            BinOp::Add if float => plain("+"),
            BinOp::Sub if float => plain("-"),
            BinOp::Mul if float => plain("*"),
            BinOp::Div if float => plain("/"),
            BinOp::Rem if float => None,
            BinOp::Add => wrapping(ty, "+", x, y),
            BinOp::Sub => wrapping(ty, "-", x, y),
            BinOp::Mul => wrapping(ty, "*", x, y),
            BinOp::Div => divisor.and_then(|_| plain("/")),
            BinOp::Rem => divisor.and_then(|_| plain("%")),
            BinOp::Shl => shift.and_then(|by| wrapping(ty, "<<", x, &by.to_string())),
            BinOp::Shr => shift.map(|by| format!("({x} >> {by})")),
            BinOp::And if ty == Scalar::Bool => plain("&&"),
            BinOp::Or if ty == Scalar::Bool => plain("||"),
            BinOp::Xor if ty == Scalar::Bool => Some(format!("(!({x}) != !({y}))")),
            BinOp::And => plain("&"),
            BinOp::Or => plain("|"),
            BinOp::Xor => plain("^"),
            BinOp::Eq if ty == Scalar::Bool => Some(format!("(!({x}) == !({y}))")),
            BinOp::Eq => plain("=="),
            // C compares pointers into one object only.
            BinOp::Lt | BinOp::Le if ty == Scalar::Ptr => None,
            BinOp::Lt => plain("<"),
            BinOp::Le => plain("<="),
            BinOp::PtrAdd => None,
        }
    }
}

/// `x op y` of an integer type without overflow.
fn wrapping(ty: Scalar, operator: &str, x: &str, y: &str) -> Option<String> {
    let name = type_name(ty)?;
    let unsigned = match ty {
        Scalar::Int { bits: 0..=32, .. } => "unsigned int",
        Scalar::Int { .. } => "unsigned long long",
        Scalar::Bool | Scalar::Float(_) | Scalar::Ptr => return None,
    };
    Some(match ty {
        Scalar::Int { bits: 32 | 64, signed: false } => format!("({x} {operator} {y})"),
        _ => format!("(({name})(({unsigned}){x} {operator} ({unsigned}){y}))"),
    })
}

/// What C computes in `int`, cut back to the type.
fn narrowed(ty: Scalar, text: String) -> String {
    match (ty, type_name(ty)) {
        (Scalar::Int { bits: 0..=16, .. }, Some(name)) => format!("(({name})({text}))"),
        _ => format!("({text})"),
    }
}

fn cast(from: Scalar, to: Scalar, text: &str) -> Option<String> {
    match (from, to) {
        (Scalar::Bool, Scalar::INT) => Some(text.to_owned()),
        (Scalar::Ptr, _) | (_, Scalar::Ptr) => None,
        // A float that the integer cannot hold is undefined.
        (Scalar::Float(_), Scalar::Int { .. }) => None,
        _ => Some(format!("(({}){text})", type_name(to)?)),
    }
}

/// A C type of this kind under both data models.
fn type_name(ty: Scalar) -> Option<&'static str> {
    Some(match ty {
        Scalar::Int { bits: 8, signed: true } => "signed char",
        Scalar::Int { bits: 8, signed: false } => "unsigned char",
        Scalar::Int { bits: 16, signed: true } => "short",
        Scalar::Int { bits: 16, signed: false } => "unsigned short",
        Scalar::Int { bits: 32, signed: true } => "int",
        Scalar::Int { bits: 32, signed: false } => "unsigned int",
        Scalar::Int { bits: 64, signed: true } => "long long",
        Scalar::Int { bits: 64, signed: false } => "unsigned long long",
        Scalar::Float(FloatKind::F16) => "_Float16",
        Scalar::Float(FloatKind::F32) => "float",
        Scalar::Float(FloatKind::F64) => "double",
        Scalar::Bool | Scalar::Int { .. } | Scalar::Float(_) | Scalar::Ptr => return None,
    })
}

/// A literal of a type; also for the values of inputs.
pub fn constant(ty: Scalar, bits: u128) -> Option<String> {
    Some(match ty {
        Scalar::Bool => u8::from(bits != 0).to_string(),
        Scalar::Int { bits: width @ ..=64, signed: true } => {
            let shift = 128 - u32::from(width);
            let value = ((bits << shift) as i128) >> shift;
            let suffix = if width > 32 { "LL" } else { "" };
            match value {
                _ if width >= 32 && value == i128::MIN >> shift => format!("({}{suffix} - 1)", value + 1),
                0.. => format!("{value}{suffix}"),
                _ => format!("({value}{suffix})"),
            }
        }
        Scalar::Int { bits: ..=16, signed: false } => bits.to_string(),
        Scalar::Int { bits: ..=32, signed: false } => format!("{bits}U"),
        Scalar::Int { bits: ..=64, signed: false } => format!("{bits}ULL"),
        Scalar::Float(FloatKind::F16) => float(f64::from(cfa::half(bits)), "f16")?,
        Scalar::Float(FloatKind::F32) => float(f64::from(f32::from_bits(bits as u32)), "f")?,
        Scalar::Float(FloatKind::F64) => float(f64::from_bits(bits as u64), "")?,
        Scalar::Ptr if bits == 0 => "(void *)0".into(),
        Scalar::Int { .. } | Scalar::Float(_) | Scalar::Ptr => return None,
    })
}

/// A hexadecimal literal, which is exact; none for infinities and NaNs.
fn float(value: f64, suffix: &str) -> Option<String> {
    let bits = value.to_bits();
    let (mantissa, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i64);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let number = match exponent {
        0x7ff => return None,
        0 if mantissa == 0 => format!("{sign}0.0"),
        0 => format!("{sign}0x0.{mantissa:013x}p-1022"),
        _ => format!("{sign}0x1.{mantissa:013x}p{}", exponent - 1023),
    };
    Some(if sign.is_empty() { format!("{number}{suffix}") } else { format!("({number}{suffix})") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;
    use cfa::Op;
    use expect_test::{Expect, expect};

    /// The first condition of `main`, as C.
    fn check(declarations: &str, condition: &str, expected: Expect) {
        let program = program(&format!("{declarations} int main(void) {{ if ({condition}) return 1; return 0; }}"));
        let name = |var| Some(program.var_name(var).to_owned());
        let printer = Printer { program: &program, exprs: &program.exprs, name: &name };
        let first = program.edges.iter().find_map(|(_, edge)| match edge.op {
            Op::Assume(condition) => Some(condition),
            _ => None,
        });
        expected.assert_eq(&printer.text(first.expect("a branch")).unwrap_or("none".into()));
    }

    #[test]
    fn arithmetic_is_never_undefined() {
        check("int a, b;", "a + b < 3", expect!["(((int)((unsigned int)a + (unsigned int)b)) < 3)"]);
        check("unsigned a, b;", "a * b == 7", expect!["((a * b) == 7U)"]);
        check(
            "int a;",
            "-a == -2147483647 - 1",
            expect!["(((int)((unsigned int)0 - (unsigned int)a)) == (-2147483647 - 1))"],
        );
        check(
            "int a;",
            "a << 3 == 8 && a / 4 > 1",
            expect!["((((int)((unsigned int)a << (unsigned int)3)) == 8) && (1 < (a / 4)))"],
        );
        check("int a, b;", "a / b == 2", expect!["none"]);
        check(
            "char c; unsigned char d;",
            "(char)(c + d) == 'x'",
            expect!["(((int)((signed char)((int)((unsigned int)((int)c) + (unsigned int)((int)d))))) == 120)"],
        );
        check(
            "long long l; unsigned long long u;",
            "l < 5 && u == 18446744073709551615ULL",
            expect!["((l < 5LL) && (u == 18446744073709551615ULL))"],
        );
    }

    #[test]
    fn floats_pointers_and_places() {
        check(
            "double d; float f;",
            "d == 0.1 || f < -1.5f",
            expect!["((d == 0x1.999999999999ap-4) || (f < (-0x1.8000000000000p0f)))"],
        );
        check("int *p;", "p == 0", expect!["(p == (void *)0)"]);
        check("struct { int x; int a[3]; } s; int *q = &s.x;", "s.a[2] > s.x", expect!["(s.x < s.a[2])"]);
        check("int *p;", "*p == 0", expect!["none"]);
    }
}
