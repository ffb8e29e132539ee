//! Measures: numbers that get smaller with every iteration. All are made of variables of fixed width, computed in enough
//! bits that nothing wraps, so there are finitely many values, and a measure that always decreases ends the loop whatever
//! its lower bound is [DKL15]: bit-vectors need no ranking function that is bounded by a proof.
//!
//! Guesses come from the program: differences of what conditions of the loop compare [PR04], the variables that it
//! changes, and sums of two of them; each also cut off at zero, for phases in which it does not matter any more, and
//! truth values that change once.

use base::Id;
use cfa::{BinOp, Expr, ExprId, Exprs, Op, Program, Scalar, VarId};
use encode::{Encoder, PathFormula};
use rustc_hash::FxHashMap;
use smt::{Sort, TermId};
use std::collections::BTreeSet;
use verdict::{Ranked, Summand};

/// What is measured.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Measure {
    /// A sum of integers and pointers, each as it is or negated.
    Sum(Vec<(bool, ExprId)>),
    /// The same, or 0 if that is negative.
    Positive(Vec<(bool, ExprId)>),
    /// The distance of an integer from zero.
    Distance(ExprId),
    /// An integer read as an unsigned one.
    Unsigned(ExprId),
    /// 1 if the condition holds, else 0.
    Truth(ExprId),
}

/// Bits beyond those of the widest part.
const SPARE: u32 = 3;
/// More guesses than this are not made for one loop.
const MOST: usize = 240;
/// Sums are of so many variables.
const MOST_SUMMED: usize = 8;

impl Measure {
    /// A sum with small coefficients: parts are there several times.
    pub fn weighted(factors: &[i32], parts: &[ExprId]) -> Measure {
        let repeated =
            |(&factor, &part): (&i32, &ExprId)| std::iter::repeat_n((factor < 0, part), factor.unsigned_abs() as usize);
        Measure::Sum(factors.iter().zip(parts).flat_map(repeated).collect())
    }

    /// Whether it depends on where objects lie, and not only on what they hold.
    pub fn is_about_addresses(&self, exprs: &Exprs) -> bool {
        let mut waiting: Vec<ExprId> = match self {
            Measure::Sum(parts) | Measure::Positive(parts) => parts.iter().map(|(_, part)| *part).collect(),
            Measure::Distance(part) | Measure::Unsigned(part) | Measure::Truth(part) => vec![*part],
        };
        while let Some(part) = waiting.pop() {
            if exprs.ty(part) == Scalar::Ptr {
                return true;
            }
            let node = exprs.node(part);
            if !matches!(node, Expr::Load(_)) {
                waiting.extend(node.operands());
            }
        }
        false
    }

    /// Its value at the end of a path, a signed number of `width` bits.
    pub fn value(&self, encoder: &mut Encoder, path: &mut PathFormula, depth: u32, width: u32) -> TermId {
        match self {
            Measure::Sum(parts) => sum(encoder, path, parts, depth, width),
            Measure::Positive(parts) => {
                let value = sum(encoder, path, parts, depth, width);
                let zero = encoder.terms.bv_u64(width, 0);
                let negative = encoder.terms.bv_slt(value, zero);
                encoder.terms.ite(negative, zero, value)
            }
            Measure::Distance(part) => {
                let value = sum(encoder, path, &[(false, *part)], depth, width);
                let zero = encoder.terms.bv_u64(width, 0);
                let (negative, turned) = (encoder.terms.bv_slt(value, zero), encoder.terms.bv_sub(zero, value));
                encoder.terms.ite(negative, turned, value)
            }
            Measure::Unsigned(part) => {
                let value = encoder.eval(path, *part, depth);
                encoder.terms.bv_resize_unsigned(value, width)
            }
            Measure::Truth(condition) => {
                let value = encoder.eval(path, *condition, depth);
                encoder.terms.bv_from_bool(value, width)
            }
        }
    }

    /// The bits that its values take.
    pub fn width(&self, encoder: &Encoder) -> u32 {
        let bits = |part: &ExprId| encoder.exprs.ty(*part).bits(encoder.program.model);
        match self {
            Measure::Sum(parts) | Measure::Positive(parts) => {
                let widest = parts.iter().map(|(_, part)| bits(part)).max().unwrap_or(1);
                widest + SPARE + parts.len().max(1).ilog2()
            }
            Measure::Distance(part) | Measure::Unsigned(part) => bits(part) + SPARE,
            Measure::Truth(_) => 1 + SPARE,
        }
    }

    /// As a sum of variables, if it is one.
    pub fn ranked(&self, program: &Program) -> Option<Ranked> {
        let (cut, parts) = match self {
            Measure::Sum(parts) => (false, parts),
            Measure::Positive(parts) => (true, parts),
            Measure::Distance(_) | Measure::Unsigned(_) | Measure::Truth(_) => return None,
        };
        let summand = |part: ExprId| match (program.exprs.node(part), program.exprs.ty(part)) {
            (Expr::Var(var), Scalar::Int { bits, .. }) if bits <= 32 => Some(Summand::Variable(var)),
            (Expr::Const { .. }, Scalar::Int { bits, .. }) if bits <= 32 => {
                program.exprs.integer(part).map(Summand::Number)
            }
            _ => None,
        };
        let parts = parts.iter().map(|&(negated, part)| Some((negated, summand(part)?))).collect::<Option<Vec<_>>>()?;
        Some(Ranked { cut, parts })
    }

    /// As C would write it. The program has the measure's expressions.
    pub fn text(&self, program: &Program) -> String {
        let join = |parts: &[(bool, ExprId)]| {
            let mut text = String::new();
            for (at, same) in parts.chunk_by(|a, b| a == b).enumerate() {
                let (negated, part) = same[0];
                let one = program.expr_text(part);
                let plain = one.chars().all(|c| c.is_alphanumeric() || "_[]->.*".contains(c));
                let one = if plain { one } else { format!("({one})") };
                let one = if same.len() > 1 { format!("{} * {one}", same.len()) } else { one };
                text += match (at, negated) {
                    (0, false) => "",
                    (0, true) => "-",
                    (_, false) => " + ",
                    (_, true) => " - ",
                };
                text += &one;
            }
            text
        };
        match self {
            Measure::Sum(parts) => join(parts),
            Measure::Positive(parts) => format!("max({}, 0)", join(parts)),
            Measure::Distance(part) => format!("|{}|", program.expr_text(*part)),
            Measure::Unsigned(part) => format!("(unsigned) {}", join(&[(false, *part)])),
            Measure::Truth(condition) => format!("({}) ? 1 : 0", program.expr_text(*condition)),
        }
    }
}

fn sum(encoder: &mut Encoder, path: &mut PathFormula, parts: &[(bool, ExprId)], depth: u32, width: u32) -> TermId {
    let mut all = encoder.terms.bv_u64(width, 0);
    for &(negated, part) in parts {
        let value = encoder.eval(path, part, depth);
        let wide = match encoder.exprs.ty(part) {
            Scalar::Int { signed: true, .. } => encoder.terms.bv_resize_signed(value, width),
            Scalar::Int { .. } | Scalar::Ptr | Scalar::Bool | Scalar::Float(_) => {
                encoder.terms.bv_resize_unsigned(value, width)
            }
        };
        debug_assert_eq!(encoder.terms.sort(wide), Sort::BitVec(width));
        all = if negated { encoder.terms.bv_sub(all, wide) } else { encoder.terms.bv_add(all, wide) };
    }
    all
}

/// Collects guesses in the order of how likely they are.
pub struct Guesses<'e> {
    program: &'e Program,
    exprs: &'e mut Exprs,
    found: Vec<Measure>,
    known: BTreeSet<Measure>,
}

impl<'e> Guesses<'e> {
    pub fn new(program: &'e Program, exprs: &'e mut Exprs) -> Self {
        Guesses { program, exprs, found: Vec::new(), known: BTreeSet::new() }
    }

    /// All guesses.
    pub fn finish(mut self) -> Vec<Measure> {
        self.found.truncate(MOST);
        self.found
    }

    fn push(&mut self, measure: Measure) {
        if self.known.insert(measure.clone()) {
            self.found.push(measure);
        }
    }

    /// From operations that decide how a loop or a function goes on, over variables that `counts` accepts.
    pub fn add<'o>(&mut self, ops: impl Iterator<Item = &'o Op> + Clone, counts: impl Fn(VarId) -> bool) {
        let mut assigned: FxHashMap<VarId, Option<ExprId>> = FxHashMap::default();
        for op in ops.clone() {
            if let Some(var) = op.variable().filter(|&var| self.program.register(var).is_some()) {
                let value = match op {
                    Op::Assign(_, value) => Some(*value),
                    _ => None,
                };
                assigned.entry(var).and_modify(|known| *known = None).or_insert(value);
            }
        }
        let conditions: Vec<ExprId> = ops
            .clone()
            .filter_map(|op| match op {
                Op::Assume(condition) => Some(*condition),
                _ => None,
            })
            .collect();
        let mut truths = Vec::new();
        for condition in conditions {
            self.condition(condition, &counts, &mut truths);
            // A value that is computed before it is asked for means nothing at the head.
            let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
            for (&var, &value) in &assigned {
                if let (Some(value), Some(ty)) = (value, self.program.register(var)) {
                    let itself = self.reads(value, var);
                    if !itself {
                        known.insert(self.exprs.var(var, ty), value);
                    }
                }
            }
            let traced = self.exprs.substitute(condition, &mut known);
            if traced != condition {
                self.condition(traced, &counts, &mut truths);
            }
        }
        let mut changed: Vec<ExprId> = Vec::new();
        for (&var, _) in assigned.iter().filter(|(var, _)| counts(**var)) {
            if let Some(ty) = self.program.register(var).filter(|ty| ty.is_int() || *ty == Scalar::Ptr) {
                changed.push(self.exprs.var(var, ty));
            }
        }
        changed.sort();
        self.variables(&changed);
        for truth in truths {
            self.push(Measure::Truth(truth));
        }
        self.addresses(ops.clone(), &counts);
        self.loads(ops);
        self.sums(&changed);
    }

    /// Where memory is accessed: accesses are valid, so an address that grows comes to the end of its object.
    fn addresses<'o>(&mut self, ops: impl Iterator<Item = &'o Op>, counts: &impl Fn(VarId) -> bool) {
        let mut pointers = BTreeSet::new();
        for op in ops {
            for operand in op.operands() {
                self.exprs.visit(operand, |_, node| {
                    if let Expr::Load(pointer) = node {
                        pointers.insert(pointer);
                    }
                });
            }
            if let Op::Store { to, .. } = op {
                pointers.insert(*to);
            }
        }
        for pointer in pointers {
            let moves = matches!(self.exprs.node(pointer), Expr::Binary(BinOp::PtrAdd, _, by) if self.exprs.constant(by).is_none());
            if moves && self.is_known(pointer) && self.is_about(pointer, counts) {
                self.push(Measure::Sum(vec![(true, pointer)]));
                self.push(Measure::Sum(vec![(false, pointer)]));
            }
        }
    }

    fn reads(&self, root: ExprId, var: VarId) -> bool {
        let mut found = false;
        self.exprs.visit(root, |_, node| found |= node == Expr::Var(var));
        found
    }

    /// Values that parameters and variables have.
    pub fn variables(&mut self, values: &[ExprId]) {
        for &value in values {
            self.push(Measure::Sum(vec![(false, value)]));
            self.push(Measure::Sum(vec![(true, value)]));
        }
        for &value in values.iter().filter(|value| self.exprs.ty(**value).is_int()).collect::<Vec<_>>() {
            self.push(Measure::Distance(value));
            self.push(Measure::Positive(vec![(false, value)]));
            self.push(Measure::Positive(vec![(true, value)]));
            self.push(Measure::Unsigned(value));
        }
    }

    /// Sums and differences of two.
    pub fn sums(&mut self, values: &[ExprId]) {
        let values = &values[..values.len().min(MOST_SUMMED)];
        for (at, &a) in values.iter().enumerate() {
            for &b in &values[..at] {
                for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                    self.push(Measure::Sum(vec![(x, a), (y, b)]));
                }
            }
        }
    }

    /// Whether memory is read only as the program itself reads it: of other pointers no region is known.
    fn is_known(&self, root: ExprId) -> bool {
        let mut known = true;
        self.exprs.visit(root, |id, node| {
            known &= !matches!(node, Expr::Load(_)) || id.index() < self.program.exprs.len();
        });
        known
    }

    fn condition(&mut self, root: ExprId, counts: &impl Fn(VarId) -> bool, truths: &mut Vec<ExprId>) {
        if !self.is_known(root) {
            return;
        }
        let mut comparisons = Vec::new();
        let mut all_count = true;
        self.exprs.visit(root, |id, node| match node {
            Expr::Binary(BinOp::Lt | BinOp::Le | BinOp::Eq, a, b) => comparisons.push((id, a, b)),
            Expr::Var(var) => all_count &= counts(var),
            _ => {}
        });
        for (id, a, b) in comparisons {
            let fits = |ty: Scalar| ty.is_int() || ty == Scalar::Ptr;
            if !fits(self.exprs.ty(a)) || !self.is_about(a, counts) || !self.is_about(b, counts) {
                continue;
            }
            let equal = matches!(self.exprs.node(id), Expr::Binary(BinOp::Eq, ..));
            let (a, b) = (self.narrow(a), self.narrow(b));
            let parts = |exprs: &Exprs, x: ExprId, y: ExprId| {
                let is_zero = |part: ExprId| exprs.constant(part) == Some(0);
                let both = [(false, x), (true, y)];
                both.into_iter().filter(|(_, part)| !is_zero(*part)).collect::<Vec<(bool, ExprId)>>()
            };
            let (down, up) = (parts(self.exprs, b, a), parts(self.exprs, a, b));
            self.push(Measure::Sum(down.clone()));
            self.push(Measure::Sum(up.clone()));
            self.push(Measure::Positive(down));
            self.push(Measure::Positive(up));
            if equal && self.exprs.ty(a) == self.exprs.ty(b) && self.exprs.ty(a).is_int() {
                // What comes nearer by one arrives, however often it wraps before.
                for (x, y) in [(a, b), (b, a)] {
                    let apart = self.exprs.binary(BinOp::Sub, x, y);
                    self.push(Measure::Unsigned(apart));
                }
            }
            truths.push(id);
            let other = self.exprs.not(id);
            truths.push(other);
        }
        if all_count && self.exprs.ty(root) == Scalar::Bool && self.exprs.constant(root).is_none() {
            truths.push(root);
        }
    }

    /// A value without conversions that keep it.
    fn narrow(&self, mut id: ExprId) -> ExprId {
        while let Expr::Cast(inner) = self.exprs.node(id) {
            let (Scalar::Int { bits: from, signed }, Scalar::Int { bits: to, signed: kept }) =
                (self.exprs.ty(inner), self.exprs.ty(id))
            else {
                break;
            };
            if from > to || from == to && signed != kept || from < to && signed && !kept {
                break;
            }
            id = inner;
        }
        id
    }

    fn is_about(&self, root: ExprId, counts: &impl Fn(VarId) -> bool) -> bool {
        let mut all = true;
        self.exprs.visit(root, |_, node| {
            if let Expr::Var(var) = node {
                all &= counts(var);
            }
        });
        all
    }

    /// What is read from memory.
    fn loads<'o>(&mut self, ops: impl Iterator<Item = &'o Op>) {
        let mut loads = BTreeSet::new();
        for op in ops {
            for operand in op.operands() {
                self.exprs.visit(operand, |id, node| {
                    if matches!(node, Expr::Load(_)) {
                        loads.insert(id);
                    }
                });
            }
        }
        let loads: Vec<ExprId> = loads.into_iter().filter(|&load| self.exprs.ty(load).is_int()).collect();
        self.variables(&loads);
        self.sums(&loads);
    }
}
