//! Terms over the start of blocks as expressions of the program, the inverse of [`Encoder::import`]. What has no counterpart
//! there (arrays, objects' addresses, locals of other functions) is left out where that makes the formula weaker.
//!
//! Bit vectors of widths that C does not have are numbers of the next larger type, with zeros on top.

use crate::{Encoder, SlotKind};
use cfa::{BinOp, Expr, ExprId, Exprs, FunctionId, Scalar, UnOp, VarId};
use rustc_hash::FxHashMap;
use smt::{Op, TermId};

/// A term as an expression of a function, if there is one.
pub fn expression(encoder: &Encoder, function: FunctionId, exprs: &mut Exprs, term: TermId) -> Option<ExprId> {
    Exporter::new(encoder, function, exprs).exact(term)
}

/// A truth value of a function that the formulas together imply.
pub fn implied(encoder: &Encoder, function: FunctionId, exprs: &mut Exprs, formulas: &[TermId]) -> ExprId {
    let mut exporter = Exporter::new(encoder, function, exprs);
    let parts: Vec<ExprId> = formulas.iter().map(|&formula| exporter.weaker(formula)).collect();
    conjunction(exprs, parts)
}

fn conjunction(exprs: &mut Exprs, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
    let mut all = exprs.bool(true);
    for part in parts {
        all = match (exprs.constant(all), exprs.constant(part)) {
            (Some(1), _) => part,
            (_, Some(1)) => all,
            _ => exprs.binary(BinOp::And, all, part),
        };
    }
    all
}

struct Exporter<'a, 'p> {
    encoder: &'a Encoder<'p>,
    function: FunctionId,
    exprs: &'a mut Exprs,
    known: FxHashMap<TermId, Option<ExprId>>,
    /// Conditionals that were weakened.
    weak: FxHashMap<TermId, ExprId>,
}

impl<'a, 'p> Exporter<'a, 'p> {
    fn new(encoder: &'a Encoder<'p>, function: FunctionId, exprs: &'a mut Exprs) -> Self {
        Exporter { encoder, function, exprs, known: FxHashMap::default(), weak: FxHashMap::default() }
    }

    /// A truth value that the formula implies.
    fn weaker(&mut self, formula: TermId) -> ExprId {
        let terms = &self.encoder.terms;
        match terms.op(formula) {
            Op::And => {
                let parts: Vec<ExprId> = terms.args(formula).iter().map(|&part| self.weaker(part)).collect();
                conjunction(self.exprs, parts)
            }
            Op::Or => {
                let parts: Vec<ExprId> = terms.args(formula).iter().map(|&part| self.weaker(part)).collect();
                if parts.iter().any(|&part| self.exprs.constant(part) == Some(1)) {
                    return self.exprs.bool(true);
                }
                let any = parts.into_iter().reduce(|a, b| self.exprs.binary(BinOp::Or, a, b));
                any.expect("a disjunction has parts")
            }
            Op::Ite => self.weaker_choice(formula),
            _ => self.exact(formula).unwrap_or_else(|| self.exprs.bool(true)),
        }
    }

    /// A conditional, or if its condition has no counterpart, one of both cases.
    fn weaker_choice(&mut self, formula: TermId) -> ExprId {
        if let Some(exact) = self.exact(formula) {
            return exact;
        }
        if let Some(&known) = self.weak.get(&formula) {
            return known;
        }
        let &[condition, yes, no] = self.encoder.terms.args(formula) else {
            unreachable!("a conditional has three arguments")
        };
        let (condition, yes, no) = (self.exact(condition), self.weaker(yes), self.weaker(no));
        let weak = match condition {
            Some(condition) => self.exprs.ite(condition, yes, no),
            None if [yes, no].iter().any(|&case| self.exprs.constant(case) == Some(1)) => self.exprs.bool(true),
            None => self.exprs.binary(BinOp::Or, yes, no),
        };
        self.weak.insert(formula, weak);
        weak
    }

    /// The term as an expression of the same width; operands first, without recursion.
    fn exact(&mut self, root: TermId) -> Option<ExprId> {
        for term in self.encoder.terms.reachable(&[root]) {
            if !self.known.contains_key(&term) {
                let made = self.term(term);
                self.known.insert(term, made);
            }
        }
        self.known[&root]
    }

    fn term(&mut self, term: TermId) -> Option<ExprId> {
        let encoder = self.encoder;
        let terms = &encoder.terms;
        let arg = |at: usize| self.known.get(&terms.args(term)[at]).copied().flatten();
        match terms.op(term) {
            Op::Bool(value) => Some(self.exprs.bool(value)),
            Op::Bv(value) => Some(self.exprs.bits(holder(terms.width(term))?, terms.value(value).to_u128()?)),
            Op::Var(variable) => {
                let (name, _) = terms.ssa_parts(variable);
                self.place(encoder.slots.kind(encoder.slots.named(name)?))
            }
            Op::Not => Some(self.exprs.not(arg(0)?)),
            Op::And | Op::Or => {
                let op = if terms.op(term) == Op::And { BinOp::And } else { BinOp::Or };
                let parts: Option<Vec<ExprId>> = (0..terms.args(term).len()).map(arg).collect();
                parts?.into_iter().reduce(|a, b| self.exprs.binary(op, a, b))
            }
            Op::Eq => self.equal(arg(0)?, arg(1)?),
            Op::Ite => {
                let (condition, a, b) = (arg(0)?, arg(1)?, arg(2)?);
                let ty = self.exprs.ty(a);
                let b = if ty == Scalar::Bool { b } else { self.number(b, ty.is_signed())? };
                let a = if ty == Scalar::Bool { a } else { self.number(a, ty.is_signed())? };
                Some(self.exprs.ite(condition, a, b))
            }
            // Zeros on top stay there.
            Op::BvAnd => self.binary(BinOp::And, arg(0)?, arg(1)?, false),
            Op::BvOr => self.binary(BinOp::Or, arg(0)?, arg(1)?, false),
            Op::BvXor => self.binary(BinOp::Xor, arg(0)?, arg(1)?, false),
            Op::BvUlt => self.binary(BinOp::Lt, arg(0)?, arg(1)?, false),
            Op::BvUle => self.binary(BinOp::Le, arg(0)?, arg(1)?, false),
            Op::BvZeroExtend(_) => self.zeros_on_top(arg(0)?, terms.width(term)),
            Op::BvExtract { high, low } => self.bits(arg(0)?, high, low),
            Op::BvConcat => self.joined(arg(0)?, arg(1)?, (terms.width(term), terms.width(terms.args(term)[1]))),
            _ if terms.args(term).iter().any(|&arg| has_no_type(terms, arg)) => None,
            Op::BvNot => self.unary(UnOp::BitNot, arg(0)?),
            Op::BvNeg => self.unary(UnOp::Neg, arg(0)?),
            Op::BvAdd => self.binary(BinOp::Add, arg(0)?, arg(1)?, false),
            Op::BvSub => self.binary(BinOp::Sub, arg(0)?, arg(1)?, false),
            Op::BvMul => self.binary(BinOp::Mul, arg(0)?, arg(1)?, false),
            Op::BvSlt => self.binary(BinOp::Lt, arg(0)?, arg(1)?, true),
            Op::BvSle => self.binary(BinOp::Le, arg(0)?, arg(1)?, true),
            Op::BvUdiv => self.divide(BinOp::Div, arg(0)?, arg(1)?, false),
            Op::BvUrem => self.divide(BinOp::Rem, arg(0)?, arg(1)?, false),
            Op::BvSdiv => self.divide(BinOp::Div, arg(0)?, arg(1)?, true),
            Op::BvSrem => self.divide(BinOp::Rem, arg(0)?, arg(1)?, true),
            Op::BvShl => self.shift(BinOp::Shl, arg(0)?, arg(1)?, false),
            Op::BvLshr => self.shift(BinOp::Shr, arg(0)?, arg(1)?, false),
            Op::BvAshr => self.shift(BinOp::Shr, arg(0)?, arg(1)?, true),
            Op::BvSignExtend(_) => self.widen(arg(0)?, terms.width(term), true),
            Op::FpEq => self.floats(BinOp::Eq, arg(0)?, arg(1)?),
            Op::FpLt => self.floats(BinOp::Lt, arg(0)?, arg(1)?),
            Op::FpLe => self.floats(BinOp::Le, arg(0)?, arg(1)?),
            _ => None,
        }
    }

    /// What a slot holds.
    fn place(&mut self, place: SlotKind) -> Option<ExprId> {
        let encoder = self.encoder;
        let (SlotKind::Register(var, 0) | SlotKind::Piece(var, _, 0)) = place else { return None };
        let local = encoder.program.vars[var].function;
        if local.is_some_and(|function| function != self.function) {
            return None;
        }
        match place {
            SlotKind::Piece(_, at, _) => self.piece(var, at as usize),
            _ => Some(self.exprs.var(var, encoder.program.register(var)?)),
        }
    }

    /// A part of a variable in memory.
    fn piece(&mut self, var: VarId, at: usize) -> Option<ExprId> {
        let piece = *self.encoder.model.pieces[var].as_ref()?.get(at)?;
        let smt::Sort::BitVec(width) = piece.sort else { return None };
        let ty = int(width, false).filter(|_| u64::from(width) == 8 * piece.bytes)?;
        let mut pointer = self.exprs.addr(var);
        if piece.offset > 0 {
            let offset = self.exprs.model().offset_type();
            let offset = self.exprs.int(offset, i128::from(piece.offset));
            pointer = self.exprs.binary(BinOp::PtrAdd, pointer, offset);
        }
        Some(self.exprs.load(pointer, ty))
    }

    /// The bits `low..=high` of a number.
    fn bits(&mut self, a: ExprId, high: u32, low: u32) -> Option<ExprId> {
        let mut a = self.number(a, false)?;
        if low > 0 {
            let by = self.exprs.int(Scalar::INT, i128::from(low));
            a = self.exprs.binary(BinOp::Shr, a, by);
        }
        let width = high - low + 1;
        let ty = holder(width)?;
        let a = self.exprs.cast(a, ty);
        if int(width, false).is_some() {
            return Some(a);
        }
        let mask = self.exprs.bits(ty, (1 << width) - 1);
        Some(self.exprs.binary(BinOp::And, a, mask))
    }

    fn zeros_on_top(&mut self, a: ExprId, width: u32) -> Option<ExprId> {
        let a = self.number(a, false)?;
        Some(self.exprs.cast(a, holder(width)?))
    }

    /// High bits and as many low bits.
    fn joined(&mut self, high: ExprId, low: ExprId, (width, below): (u32, u32)) -> Option<ExprId> {
        let (high, low) = (self.zeros_on_top(high, width)?, self.zeros_on_top(low, width)?);
        let by = self.exprs.int(Scalar::INT, i128::from(below));
        let high = self.exprs.binary(BinOp::Shl, high, by);
        Some(self.exprs.binary(BinOp::Or, high, low))
    }

    /// A shift by a constant that C defines.
    fn shift(&mut self, op: BinOp, a: ExprId, by: ExprId, signed: bool) -> Option<ExprId> {
        let a = self.number(a, signed)?;
        let Scalar::Int { bits, .. } = self.exprs.ty(a) else { return None };
        self.exprs.constant(by).filter(|&count| count < u128::from(bits))?;
        let by = self.number(by, false)?;
        Some(self.exprs.binary(op, a, by))
    }

    /// An integer operand, read as signed or not. Addresses are not numbers.
    fn number(&mut self, expr: ExprId, signed: bool) -> Option<ExprId> {
        let Scalar::Int { bits, signed: is } = self.exprs.ty(expr) else { return None };
        if is == signed {
            return Some(expr);
        }
        let ty = Scalar::Int { bits, signed };
        if let Some(value) = self.exprs.constant(expr) {
            return Some(self.exprs.bits(ty, value));
        }
        match self.exprs.node(expr) {
            Expr::Cast(inner) if self.exprs.ty(inner) == ty => Some(inner),
            _ => Some(self.exprs.cast(expr, ty)),
        }
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (ta, tb) = (self.exprs.ty(a), self.exprs.ty(b));
        match (ta, tb) {
            (Scalar::Bool, Scalar::Bool) | (Scalar::Ptr, Scalar::Ptr) => Some(self.exprs.binary(BinOp::Eq, a, b)),
            (Scalar::Ptr, _) if self.exprs.constant(b) == Some(0) => self.null(a),
            (_, Scalar::Ptr) if self.exprs.constant(a) == Some(0) => self.null(b),
            (Scalar::Int { signed, .. }, Scalar::Int { .. }) if self.exprs.constant(a).is_none() => {
                self.binary(BinOp::Eq, a, b, signed)
            }
            (Scalar::Int { .. }, Scalar::Int { signed, .. }) => self.binary(BinOp::Eq, b, a, signed),
            _ => None,
        }
    }

    fn null(&mut self, pointer: ExprId) -> Option<ExprId> {
        let null = self.exprs.bits(Scalar::Ptr, 0);
        Some(self.exprs.binary(BinOp::Eq, pointer, null))
    }

    fn unary(&mut self, op: UnOp, a: ExprId) -> Option<ExprId> {
        let a = self.number(a, false)?;
        Some(self.exprs.unary(op, a))
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId, signed: bool) -> Option<ExprId> {
        let (a, b) = (self.number(a, signed)?, self.number(b, signed)?);
        Some(self.exprs.binary(op, a, b))
    }

    /// Division by zero means something else in C.
    fn divide(&mut self, op: BinOp, a: ExprId, b: ExprId, signed: bool) -> Option<ExprId> {
        self.exprs.constant(b).filter(|&divisor| divisor != 0)?;
        self.binary(op, a, b, signed)
    }

    fn widen(&mut self, a: ExprId, width: u32, signed: bool) -> Option<ExprId> {
        let a = self.number(a, signed)?;
        Some(self.exprs.cast(a, int(width, signed)?))
    }

    fn floats(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let same = self.exprs.ty(a) == self.exprs.ty(b) && matches!(self.exprs.ty(a), Scalar::Float(_));
        same.then(|| self.exprs.binary(op, a, b))
    }
}

/// Whether a term is a bit vector of a width that C does not have.
fn has_no_type(terms: &smt::Terms, term: TermId) -> bool {
    matches!(terms.sort(term), smt::Sort::BitVec(width) if int(width, false).is_none())
}

/// The smallest unsigned type that has room for a width.
fn holder(width: u32) -> Option<Scalar> {
    [8, 16, 32, 64, 128].into_iter().find(|&bits| width <= bits).map(|bits| Scalar::int(bits, false))
}

/// The integer type of a width, if there is one.
fn int(width: u32, signed: bool) -> Option<Scalar> {
    (matches!(width, 8 | 16 | 32 | 64 | 128)).then(|| Scalar::int(width, signed))
}
