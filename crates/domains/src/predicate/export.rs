//! Abstraction states as expressions of the program. What has no counterpart there (arrays, objects' addresses, locals
//! of other functions) is left out where that makes the formula weaker.

use super::cpa::{PredicateCpa, Role, State};
use analysis::Export;
use cfa::{BinOp, Expr, ExprId, Exprs, FunctionId, Node, Scalar, UnOp};
use encode::{Encoder, SlotKind};
use rustc_hash::FxHashMap;
use smt::{Op, TermId};

impl Export for PredicateCpa<'_> {
    fn formula(&self, state: &State, node: Node, _: u32, exprs: &mut Exprs) -> ExprId {
        if state.role != Role::Start {
            return exprs.bool(true);
        }
        let function = self.program.nodes[node].function;
        let mut export = Exporter {
            encoder: &self.encoder,
            function,
            exprs,
            known: FxHashMap::default(),
            weak: FxHashMap::default(),
        };
        let psi = export.weaker(self.blocks[state.block].psi.formula);
        match self.fact_at(node) {
            Some(fact) => {
                let fact = export.weaker(fact);
                conjunction(exprs, [psi, fact])
            }
            None => psi,
        }
    }
}

/// A term as an expression of a function, if there is one.
pub(super) fn expression(encoder: &Encoder, function: FunctionId, exprs: &mut Exprs, term: TermId) -> Option<ExprId> {
    let (known, weak) = (FxHashMap::default(), FxHashMap::default());
    Exporter { encoder, function, exprs, known, weak }.exact(term)
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

impl Exporter<'_, '_> {
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
            Op::Bv(value) => Some(self.exprs.bits(int(terms.width(term), false)?, terms.value(value).to_u128()?)),
            Op::Var(variable) => {
                let (name, _) = terms.ssa_parts(variable);
                let SlotKind::Register(var, 0) = encoder.slots.kind(encoder.slots.named(name)?) else { return None };
                let local = encoder.program.vars[var].function;
                if local.is_some_and(|function| function != self.function) {
                    return None;
                }
                Some(self.exprs.var(var, encoder.program.register(var)?))
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
            Op::BvNot => self.unary(UnOp::BitNot, arg(0)?),
            Op::BvNeg => self.unary(UnOp::Neg, arg(0)?),
            Op::BvAnd => self.binary(BinOp::And, arg(0)?, arg(1)?, false),
            Op::BvOr => self.binary(BinOp::Or, arg(0)?, arg(1)?, false),
            Op::BvXor => self.binary(BinOp::Xor, arg(0)?, arg(1)?, false),
            Op::BvAdd => self.binary(BinOp::Add, arg(0)?, arg(1)?, false),
            Op::BvSub => self.binary(BinOp::Sub, arg(0)?, arg(1)?, false),
            Op::BvMul => self.binary(BinOp::Mul, arg(0)?, arg(1)?, false),
            Op::BvUlt => self.binary(BinOp::Lt, arg(0)?, arg(1)?, false),
            Op::BvUle => self.binary(BinOp::Le, arg(0)?, arg(1)?, false),
            Op::BvSlt => self.binary(BinOp::Lt, arg(0)?, arg(1)?, true),
            Op::BvSle => self.binary(BinOp::Le, arg(0)?, arg(1)?, true),
            Op::BvUdiv => self.divide(BinOp::Div, arg(0)?, arg(1)?, false),
            Op::BvUrem => self.divide(BinOp::Rem, arg(0)?, arg(1)?, false),
            Op::BvSdiv => self.divide(BinOp::Div, arg(0)?, arg(1)?, true),
            Op::BvSrem => self.divide(BinOp::Rem, arg(0)?, arg(1)?, true),
            Op::BvZeroExtend(_) => self.widen(arg(0)?, terms.width(term), false),
            Op::BvSignExtend(_) => self.widen(arg(0)?, terms.width(term), true),
            Op::BvExtract { low: 0, .. } => self.widen(arg(0)?, terms.width(term), false),
            Op::FpEq => self.floats(BinOp::Eq, arg(0)?, arg(1)?),
            Op::FpLt => self.floats(BinOp::Lt, arg(0)?, arg(1)?),
            Op::FpLe => self.floats(BinOp::Le, arg(0)?, arg(1)?),
            _ => None,
        }
    }

    /// An integer operand, read as signed or not. Addresses are no numbers.
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

/// The integer type of a width, if there is one.
fn int(width: u32, signed: bool) -> Option<Scalar> {
    (matches!(width, 8 | 16 | 32 | 64 | 128)).then(|| Scalar::int(width, signed))
}
