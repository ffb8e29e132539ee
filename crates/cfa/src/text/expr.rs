//! Expressions as text. Works on a stack of pieces still to print, so depth never matters.

use super::{float, place};
use crate::expr::{BinOp, Expr, ExprId, Living, UnOp};
use crate::program::Program;
use crate::scalar::Scalar;

/// Shared subexpressions are printed each time; beyond this many pieces the text ends in dots.
const LIMIT: usize = 50_000;

/// What is still to be printed.
pub(super) enum Piece {
    Text(String),
    /// An expression, in parentheses if it binds weaker than this.
    Expr(ExprId, u8),
}

// How strongly C's operators bind.
const TERNARY: u8 = 3;
const LOGICAL_OR: u8 = 4;
const LOGICAL_AND: u8 = 5;
const BIT_OR: u8 = 6;
const BIT_XOR: u8 = 7;
const BIT_AND: u8 = 8;
const EQUALITY: u8 = 9;
const RELATION: u8 = 10;
const SHIFT: u8 = 11;
const SUM: u8 = 12;
const PRODUCT: u8 = 13;
pub(super) const UNARY: u8 = 14;
pub(super) const POSTFIX: u8 = 15;

fn text(text: impl Into<String>) -> Piece {
    Piece::Text(text.into())
}

impl Program {
    /// An expression as C would write it, casts as `(i32)e`.
    pub fn expr_text(&self, id: ExprId) -> String {
        self.print(vec![Piece::Expr(id, 0)])
    }

    /// The place of type `ty` in memory at a pointer: `x`, `s.f`, `p->f`, `a[i]` where C types tell, else `*(i32*)p`.
    pub fn lvalue_text(&self, pointer: ExprId, ty: Scalar) -> String {
        self.print(place::lvalue(self, pointer, ty).0)
    }

    /// Prints pieces in order.
    fn print(&self, mut pieces: Vec<Piece>) -> String {
        pieces.reverse();
        let mut out = String::new();
        for _ in 0..LIMIT {
            match pieces.pop() {
                None => return out,
                Some(Piece::Text(text)) => out.push_str(&text),
                Some(Piece::Expr(id, context)) => {
                    let (parts, binds) = self.pieces(id);
                    if binds < context {
                        out.push('(');
                        pieces.push(text(")"));
                    }
                    pieces.extend(parts.into_iter().rev());
                }
            }
        }
        out + " ..."
    }

    /// An expression cut into operators and operands, and how strongly it binds.
    fn pieces(&self, id: ExprId) -> (Vec<Piece>, u8) {
        let ty = self.exprs.ty(id);
        match self.exprs.node(id) {
            Expr::Const { low, high } => {
                let constant = constant_text(ty, self.bits(ty), u128::from(low) | u128::from(high) << 64);
                let binds = if constant.starts_with('-') { UNARY } else { POSTFIX };
                (vec![text(constant)], binds)
            }
            Expr::Var(var) => (vec![text(self.unique_var_name(var))], POSTFIX),
            Expr::Addr(var) => (vec![text(format!("&{}", self.unique_var_name(var)))], UNARY),
            Expr::Function(function) => (vec![text(format!("&{}", self.function_name(function)))], UNARY),
            Expr::Load(pointer) => place::lvalue(self, pointer, ty),
            Expr::Unary(op, a) => self.unary_pieces(op, a),
            Expr::Binary(op, a, b) => self.binary_pieces(id, op, a, b),
            Expr::Cast(a) => (vec![text(format!("({ty})")), Piece::Expr(a, UNARY)], UNARY),
            Expr::Ite(condition, a, b) => (
                vec![
                    Piece::Expr(condition, TERNARY + 1),
                    text(" ? "),
                    Piece::Expr(a, TERNARY),
                    text(" : "),
                    Piece::Expr(b, TERNARY),
                ],
                TERNARY,
            ),
            Expr::Living(question) => living_pieces(question),
        }
    }

    fn unary_pieces(&self, op: UnOp, a: ExprId) -> (Vec<Piece>, u8) {
        let call = |name: &str| (vec![text(format!("{name}(")), Piece::Expr(a, 0), text(")")], POSTFIX);
        match op {
            UnOp::Not => match self.exprs.node(a) {
                Expr::Binary(BinOp::Eq, x, y) => self.infix("!=", EQUALITY, x, y),
                _ => (vec![text("!"), Piece::Expr(a, UNARY)], UNARY),
            },
            // A negative constant below must not make `--1`.
            UnOp::Neg => (vec![text("-"), Piece::Expr(a, POSTFIX)], UNARY),
            UnOp::BitNot => (vec![text("~"), Piece::Expr(a, UNARY)], UNARY),
            UnOp::Abs => call("fabs"),
            UnOp::Sqrt => call("sqrt"),
            UnOp::Floor => call("floor"),
            UnOp::Ceil => call("ceil"),
            UnOp::Trunc => call("trunc"),
            UnOp::Round => call("round"),
            UnOp::RoundEven => call("rint"),
            UnOp::SignBit => call("signbit"),
        }
    }

    fn binary_pieces(&self, id: ExprId, op: BinOp, a: ExprId, b: ExprId) -> (Vec<Piece>, u8) {
        let logical = self.exprs.ty(a) == Scalar::Bool;
        // A constant on the left reads better on the right.
        let flipped = self.exprs.constant(a).is_some() && self.exprs.constant(b).is_none();
        match op {
            BinOp::Add => self.infix("+", SUM, a, b),
            BinOp::Sub => self.infix("-", SUM, a, b),
            BinOp::Mul => self.infix("*", PRODUCT, a, b),
            BinOp::Div => self.infix("/", PRODUCT, a, b),
            BinOp::Rem => self.infix("%", PRODUCT, a, b),
            BinOp::Shl => self.infix("<<", SHIFT, a, b),
            BinOp::Shr => self.infix(">>", SHIFT, a, b),
            BinOp::And if logical => self.infix("&&", LOGICAL_AND, a, b),
            BinOp::Or if logical => self.infix("||", LOGICAL_OR, a, b),
            BinOp::Xor if logical => self.infix("!=", EQUALITY, a, b),
            BinOp::And => self.infix("&", BIT_AND, a, b),
            BinOp::Or => self.infix("|", BIT_OR, a, b),
            BinOp::Xor => self.infix("^", BIT_XOR, a, b),
            BinOp::Eq if flipped => self.infix("==", EQUALITY, b, a),
            BinOp::Eq => self.infix("==", EQUALITY, a, b),
            BinOp::Lt if flipped => self.infix(">", RELATION, b, a),
            BinOp::Lt => self.infix("<", RELATION, a, b),
            BinOp::Le if flipped => self.infix(">=", RELATION, b, a),
            BinOp::Le => self.infix("<=", RELATION, a, b),
            BinOp::PtrAdd => place::address(self, id).unwrap_or_else(|| self.infix("+", SUM, a, b)),
        }
    }

    /// `a op b`; all operators group to the left.
    fn infix(&self, symbol: &str, binds: u8, a: ExprId, b: ExprId) -> (Vec<Piece>, u8) {
        (vec![Piece::Expr(a, binds), text(format!(" {symbol} ")), Piece::Expr(b, binds + 1)], binds)
    }

    fn bits(&self, ty: Scalar) -> u32 {
        ty.bits(self.model)
    }
}

fn constant_text(ty: Scalar, width: u32, bits: u128) -> String {
    match ty {
        Scalar::Bool => if bits == 0 { "false" } else { "true" }.to_owned(),
        Scalar::Int { signed: false, .. } => bits.to_string(),
        Scalar::Int { signed: true, .. } => {
            let unused = 128 - width;
            ((bits << unused) as i128 >> unused).to_string()
        }
        Scalar::Float(kind) => float::text(kind, bits),
        Scalar::Ptr if bits == 0 => "null".to_owned(),
        Scalar::Ptr => format!("{bits:#x}"),
    }
}

fn living_pieces(question: Living) -> (Vec<Piece>, u8) {
    let name = question.name();
    let pointer = question.pointer().map(|pointer| Piece::Expr(pointer, 0));
    (std::iter::once(text(format!("{name}("))).chain(pointer).chain([text(")".to_owned())]).collect(), POSTFIX)
}
