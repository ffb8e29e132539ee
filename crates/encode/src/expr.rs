//! Expressions as terms. What C leaves undefined is a fresh variable: every value is considered.

use crate::Encoder;
use crate::float;
use crate::guard::Guard;
use crate::memory::BytesAt;
use crate::observed::Observation;
use crate::path::PathFormula;
use crate::sort::sort_of;
use base::Id;
use cfa::{BinOp, Expr, ExprId, Scalar, UnOp};
use flow::uses::direct;
use rustc_hash::FxHashMap;
use smt::{BitVec, Sort, TermId};
use std::rc::Rc;

/// An expression flattened: operands before what uses them, with their places in the list.
pub(crate) struct Flat {
    steps: Vec<(ExprId, [u32; 3])>,
}

/// An operator and its operands, where the result depends on the layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Observing {
    operator: Operator,
    from: Scalar,
    to: Scalar,
    operands: [Option<TermId>; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operator {
    Unary(UnOp),
    Binary(BinOp),
    Cast,
}

impl Encoder<'_> {
    fn flat(&mut self, root: ExprId) -> Rc<Flat> {
        if let Some(flat) = self.flat.get(&root) {
            return flat.clone();
        }
        let mut place: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut steps: Vec<(ExprId, [u32; 3])> = Vec::new();
        let mut stack = vec![(root, false)];
        while let Some((id, done)) = stack.pop() {
            if place.contains_key(&id) {
                continue;
            }
            let node = self.exprs.node(id);
            // A load from pieces does not need the value of its pointer.
            let pieces = matches!(node, Expr::Load(pointer) if self.in_pieces(pointer));
            if done || pieces {
                let mut operands = [0; 3];
                if !pieces {
                    for (at, operand) in node.operands().enumerate() {
                        operands[at] = place[&operand];
                    }
                }
                place.insert(id, steps.len() as u32);
                steps.push((id, operands));
            } else {
                stack.push((id, true));
                stack.extend(node.operands().map(|operand| (operand, false)));
            }
        }
        let flat = Rc::new(Flat { steps });
        self.flat.insert(root, flat.clone());
        flat
    }

    fn in_pieces(&self, pointer: ExprId) -> bool {
        direct(&self.exprs, pointer).is_some_and(|place| self.model.pieces[place.var].is_some())
    }

    /// The value of an expression at the end of a path, in an activation of that depth.
    pub fn eval(&mut self, path: &mut PathFormula, root: ExprId, depth: u32) -> TermId {
        let flat = self.flat(root);
        let mut values: Vec<TermId> = Vec::with_capacity(flat.steps.len());
        for &(id, operands) in &flat.steps {
            let [a, b, c] = operands.map(|at| values.get(at as usize).copied());
            let before = self.defined.len();
            let mut value = self.node(path, id, [a, b, c], depth);
            if let Some(how) = self.model.observed.get(id) {
                let operands = if a.is_none() { [Some(value), None] } else { [a, b] };
                value = self.observed(id, how, operands, value);
            }
            for at in before..self.defined.len() {
                self.defined[at].0 = path.guard;
            }
            values.push(value);
        }
        *values.last().expect("an expression has at least one node")
    }

    fn node(&mut self, path: &mut PathFormula, id: ExprId, operands: [Option<TermId>; 3], depth: u32) -> TermId {
        let ty = self.exprs.ty(id);
        let [a, b, c] = operands;
        let first = || a.expect("the node has an operand");
        let second = || b.expect("the node has two operands");
        match self.exprs.node(id) {
            Expr::Const { .. } => {
                let bits = self.exprs.constant(id).expect("the node is a constant");
                self.constant(ty, bits)
            }
            Expr::Var(var) => {
                let slot = self.register(var, depth);
                self.value(path, slot)
            }
            Expr::Addr(var) => self.address_of(path, var, depth),
            Expr::Function(function) => self.address(self.layout.function(function.index())),
            Expr::Load(pointer) => {
                let target = match direct(&self.exprs, pointer) {
                    Some(place) if self.model.pieces[place.var].is_some() => {
                        let offset = place.offset.expect("variables that are cut are accessed at constant offsets");
                        BytesAt::Pieces(place.var, offset)
                    }
                    _ => BytesAt::Memory(self.spot(path, pointer, first(), depth)),
                };
                self.load(path, target, ty, depth)
            }
            Expr::Unary(op, operand) => self.unary(op, self.exprs.ty(operand), first()),
            Expr::Binary(op, x, y) => {
                let (tx, ty) = (self.exprs.ty(x), self.exprs.ty(y));
                let narrowed = self.narrowed(path.guard, op, tx, [first(), second()]);
                let value = narrowed.unwrap_or_else(|| self.binary(op, tx, ty, first(), second()));
                let value = self.folded(path.guard, value);
                self.settle(path.guard, op, tx, [first(), second()], value);
                if op == BinOp::PtrAdd { self.kept_inside(path, id, value, depth) } else { value }
            }
            Expr::Cast(operand) => {
                let from = self.exprs.ty(operand);
                let widened = self.widened(path.guard, from, ty, first());
                let value = widened.unwrap_or_else(|| self.cast(from, ty, first()));
                let value = self.folded(path.guard, value);
                self.settle_cast(path.guard, from, ty, first(), value);
                value
            }
            Expr::Ite(..) => self.terms.ite(first(), second(), c.expect("a choice has three operands")),
            Expr::Living(question) => self.living(path, question, a, depth),
        }
    }

    /// The value of an expression that depends on where objects lie; `here` in this layout. Counterexamples are looked
    /// for in this layout only.
    fn observed(&mut self, id: ExprId, how: Observation, operands: [Option<TermId>; 2], here: TermId) -> TermId {
        let mut same = self.terms.falsity();
        if let ([Some(a), Some(b)], Observation::Pair, Some(bits)) = (operands, how, self.layout.slot_bits())
            && self.terms.width(a) > bits
        // Narrower numbers do not say which object it is.
        {
            let top = self.terms.width(a) - 1;
            let (x, y) = (self.terms.bv_extract(a, top, bits), self.terms.bv_extract(b, top, bits));
            same = self.terms.eq(x, y);
        }
        if self.terms.as_bool(same) == Some(true) {
            return here;
        }
        let arbitrary = self.observation(id, operands, self.terms.sort(here));
        let as_here = self.terms.eq(arbitrary, here);
        let defined = self.terms.or([same, as_here]);
        self.defined.push((Guard::TRUE, defined));
        self.terms.ite(same, here, arbitrary)
    }

    fn observation(&mut self, id: ExprId, mut operands: [Option<TermId>; 2], sort: Sort) -> TermId {
        let (mut operator, first) = match self.exprs.node(id) {
            Expr::Unary(op, a) => (Operator::Unary(op), a),
            Expr::Binary(op, a, _) => (Operator::Binary(op), a),
            Expr::Cast(a) => (Operator::Cast, a),
            Expr::Const { .. } => (Operator::Cast, id),
            Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Ite(..) | Expr::Living(_) => {
                unreachable!("only operators and constants depend on the layout")
            }
        };
        // `a <= b` is `!(b < a)`.
        let negated = operator == Operator::Binary(BinOp::Le);
        if negated {
            operator = Operator::Binary(BinOp::Lt);
            operands.reverse();
        }
        let key = Observing { operator, from: self.exprs.ty(first), to: self.exprs.ty(id), operands };
        let value = match self.observations.get(&key) {
            Some(&value) => value,
            None => {
                let value = self.terms.fresh_var("?layout", sort);
                self.observations.insert(key, value);
                value
            }
        };
        if negated { self.terms.not(value) } else { value }
    }

    /// A constant by its encoding.
    pub fn constant(&mut self, ty: Scalar, bits: u128) -> TermId {
        match ty {
            Scalar::Bool => self.terms.bool(bits != 0),
            Scalar::Int { bits: width, .. } => self.terms.bv(BitVec::new(u32::from(width), bits)),
            Scalar::Ptr => self.terms.bv(BitVec::new(self.program.model.pointer_bits(), bits)),
            Scalar::Float(kind) => float::constant(&mut self.terms, kind, bits),
        }
    }

    fn unary(&mut self, op: UnOp, ty: Scalar, a: TermId) -> TermId {
        match (op, ty) {
            (UnOp::SignBit, _) => {
                let format = self.terms.format(a);
                let negative = self.terms.fp_is_negative(a);
                let nan = self.terms.fp_is_nan(a);
                if self.terms.as_bool(nan) == Some(false) {
                    return negative;
                }
                let bits = self.float_bits(a, format);
                let top = self.terms.bv_extract(bits, format.width() - 1, format.width() - 1);
                self.terms.bv_is_nonzero(top)
            }
            (_, Scalar::Float(_)) => float::unary(&mut self.terms, op, a),
            (UnOp::Not, _) => self.terms.not(a),
            (UnOp::Neg, _) => self.terms.bv_neg(a),
            (UnOp::BitNot, _) => self.terms.bv_not(a),
            (UnOp::Abs | UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Round | UnOp::RoundEven, _) => {
                unreachable!("an operator on floats")
            }
        }
    }

    fn binary(&mut self, op: BinOp, ta: Scalar, tb: Scalar, a: TermId, b: TermId) -> TermId {
        match ta {
            Scalar::Float(_) => self.float_binary(op, a, b),
            Scalar::Bool => match op {
                BinOp::And => self.terms.and([a, b]),
                BinOp::Or => self.terms.or([a, b]),
                BinOp::Xor => self.terms.xor(a, b),
                BinOp::Eq => self.terms.eq(a, b),
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => unreachable!("numbers only"),
                BinOp::Shl | BinOp::Shr | BinOp::Lt | BinOp::Le | BinOp::PtrAdd => unreachable!("numbers only"),
            },
            Scalar::Int { .. } | Scalar::Ptr => self.int_binary(op, ta, tb, a, b),
        }
    }

    fn int_binary(&mut self, op: BinOp, ta: Scalar, tb: Scalar, a: TermId, b: TermId) -> TermId {
        let signed = ta.is_signed();
        let terms = &mut self.terms;
        match op {
            BinOp::Add | BinOp::PtrAdd => terms.bv_add(a, b),
            BinOp::Sub => terms.bv_sub(a, b),
            BinOp::Mul => terms.bv_mul(a, b),
            BinOp::And => terms.bv_and(a, b),
            BinOp::Or => terms.bv_or(a, b),
            BinOp::Xor => terms.bv_xor(a, b),
            BinOp::Eq if ta.is_int() => terms.eq_up_to_order(a, b),
            BinOp::Eq => terms.eq(a, b),
            BinOp::Lt if signed => terms.bv_slt(a, b),
            BinOp::Lt => terms.bv_ult(a, b),
            BinOp::Le if signed => terms.bv_sle(a, b),
            BinOp::Le => terms.bv_ule(a, b),
            BinOp::Div | BinOp::Rem => {
                let result = match (op == BinOp::Div, signed) {
                    (true, true) => terms.bv_sdiv(a, b),
                    (true, false) => terms.bv_udiv(a, b),
                    (false, true) => terms.bv_srem(a, b),
                    (false, false) => terms.bv_urem(a, b),
                };
                let defined = terms.bv_is_nonzero(b);
                self.where_defined(defined, result)
            }
            BinOp::Shl | BinOp::Shr => {
                let (width, by_width) = (terms.width(a), terms.width(b));
                debug_assert_eq!(by_width, tb.bits(self.program.model));
                // A negative distance is a large unsigned one.
                let limit = terms.bv(BitVec::new(by_width, u128::from(width)));
                let defined = terms.bv_ult(b, limit);
                let distance = terms.bv_resize_unsigned(b, width);
                let result = match (op, signed) {
                    (BinOp::Shl, _) => terms.bv_shl(a, distance),
                    (_, true) => terms.bv_ashr(a, distance),
                    (_, false) => terms.bv_lshr(a, distance),
                };
                self.where_defined(defined, result)
            }
        }
    }

    fn float_binary(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let mode = smt::RoundingMode::NearestEven;
        match op {
            BinOp::Add => self.terms.fp_add(mode, a, b),
            BinOp::Sub => self.terms.fp_sub(mode, a, b),
            BinOp::Mul => self.terms.fp_mul(mode, a, b),
            BinOp::Div => self.terms.fp_div(mode, a, b),
            BinOp::Rem => float::fmod(&mut self.terms, a, b),
            BinOp::Eq => self.terms.fp_eq(a, b),
            BinOp::Lt => self.terms.fp_lt(a, b),
            BinOp::Le => self.terms.fp_le(a, b),
            BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::PtrAdd => {
                unreachable!("integers only")
            }
        }
    }

    fn cast(&mut self, from: Scalar, to: Scalar, a: TermId) -> TermId {
        let width = to.bits(self.program.model);
        match (from, to) {
            (Scalar::Float(_), Scalar::Float(kind)) => float::convert(&mut self.terms, kind, a),
            (Scalar::Float(_), _) => {
                let (value, defined) = float::to_int(&mut self.terms, width, to.is_signed(), a);
                self.where_defined(defined, value)
            }
            (Scalar::Bool, _) => self.terms.bv_from_bool(a, width),
            (_, Scalar::Float(kind)) => float::from_int(&mut self.terms, kind, from, a),
            // gcc converts pointers by way of the signed integer as wide as a pointer.
            (Scalar::Ptr, _) => self.terms.bv_resize_signed(a, width),
            (Scalar::Int { signed: true, .. }, _) => self.terms.bv_resize_signed(a, width),
            (Scalar::Int { signed: false, .. }, _) => self.terms.bv_resize_unsigned(a, width),
        }
    }

    /// `value` where it is defined, anything elsewhere.
    fn where_defined(&mut self, defined: TermId, value: TermId) -> TermId {
        if self.terms.as_bool(defined) == Some(true) {
            return value;
        }
        self.defined.push((Guard::TRUE, defined));
        let sort = self.terms.sort(value);
        let arbitrary = self.arbitrary(sort);
        self.terms.ite(defined, value, arbitrary)
    }

    /// Any value.
    pub(crate) fn arbitrary(&mut self, sort: Sort) -> TermId {
        self.terms.fresh_var("?any", sort)
    }

    /// Any value of a type.
    pub(crate) fn arbitrary_of(&mut self, ty: Scalar) -> TermId {
        self.arbitrary(sort_of(self.program.model, ty))
    }
}
