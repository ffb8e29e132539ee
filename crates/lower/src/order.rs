//! The order of evaluation. Where C leaves it open, operands are evaluated as gcc does it: arguments from right to
//! left, the value of an assignment before its target, and so on. Parts of an expression whose order may matter are
//! noted for `cfa::Unordered`; side effects on one register that nothing orders are undefined.

use crate::context::{Entity, Lowering, Lowers, Value};
use crate::lvalue::{Location, Lvalue};
use crate::operator::is_comparison;
use cfa::types::{Type, TypeId};
use cfa::{Expr, ExprId, Op, TargetKind, Unordered, UnorderedPart, VarId, VarKind};
use syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

/// Where operands begin that C leaves unordered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    edges: usize,
    targets: usize,
}

/// Of larger parts, in operations, everything is believed.
const LARGE: usize = 256;

/// What an operand evaluates to.
pub(crate) trait Evaluated {
    fn reads(&self, lowering: &Lowering<'_>, part: &mut UnorderedPart);
}

impl Evaluated for Value {
    fn reads(&self, lowering: &Lowering<'_>, part: &mut UnorderedPart) {
        if lowering.is_void(self.ty) {
            return;
        }
        part.values.push(self.expr);
        if lowering.is_aggregate(self.ty) {
            part.aggregates.push(self.expr);
        }
    }
}

impl Evaluated for Lvalue {
    fn reads(&self, _: &Lowering<'_>, part: &mut UnorderedPart) {
        match self.location {
            Location::Register(_) => {}
            Location::Memory(address) => part.values.push(address),
            Location::Bits(field) => part.values.push(field.unit),
        }
    }
}

impl Evaluated for (Lvalue, Value) {
    fn reads(&self, lowering: &Lowering<'_>, part: &mut UnorderedPart) {
        self.0.reads(lowering, part);
        self.1.reads(lowering, part);
    }
}

impl Lowering<'_> {
    /// To be called before the first of some operands.
    pub fn start(&self) -> Start {
        Start { edges: self.body.edges.len(), targets: self.body.targets.len() }
    }

    /// What happened since, and what it evaluated to.
    pub fn happened<T: Evaluated>(&self, since: Start, values: &[T]) -> UnorderedPart {
        let edges = &self.body.edges[since.edges..];
        let large = edges.len() > LARGE;
        let ops = if large { Vec::new() } else { edges.iter().map(|edge| edge.op.clone()).collect() };
        // Checks read what the operands read anyway, and which of two comes first does not matter to C.
        let target = self.body.targets[since.targets..].iter().any(|goal| !matches!(goal.kind, TargetKind::Check(_)));
        let mut part = UnorderedPart { ops, target, large, ..UnorderedPart::default() };
        values.iter().for_each(|value| value.reads(self, &mut part));
        part
    }

    /// Evaluates the next operand; if that has side effects that may change the values of the earlier ones, these are
    /// saved before.
    pub fn then<T: Evaluated>(
        &mut self,
        since: Start,
        earlier: &mut [Value],
        f: impl FnOnce(&mut Self) -> Lowers<T>,
    ) -> Lowers<T> {
        self.then_keeping(since, earlier, f, |_, earlier, _| earlier.len())
    }

    /// As [`Lowering::then`], but only the first values of the earlier operands are saved, as many as `keep` says; the
    /// others are read after the next operand.
    pub fn then_keeping<T: Evaluated>(
        &mut self,
        since: Start,
        earlier: &mut [Value],
        f: impl FnOnce(&mut Self) -> Lowers<T>,
        keep: impl FnOnce(&mut Self, &[Value], &T) -> usize,
    ) -> Lowers<T> {
        let first = self.happened(since, earlier);
        let (before, start) = (self.body.at, self.start());
        let middle = self.node();
        self.body.at = middle;
        let next = f(self)?;
        let second = self.happened(start, std::slice::from_ref(&next));
        if self.body.at == middle {
            self.body.at = before;
        } else {
            let after = std::mem::replace(&mut self.body.at, before);
            let kept = keep(self, earlier, &next);
            self.save(&mut earlier[..kept], start.edges);
            let saved = self.body.at;
            self.join(saved, middle);
            self.body.at = after;
        }
        self.note(first, second);
        Ok(next)
    }

    /// Keeps values in temporaries that edges from number `edges` on may change.
    fn save(&mut self, values: &mut [Value], edges: usize) {
        let end = self.body.edges.len();
        for value in values {
            if !self.is_void(value.ty) && self.may_change(value.expr, edges..end) {
                value.expr = self.spill(value.ty, value.expr);
            }
        }
    }

    /// Whether these edges may change the value of the expression.
    fn may_change(&mut self, value: ExprId, edges: std::ops::Range<usize>) -> bool {
        let quiet = |edge: &cfa::Edge| matches!(edge.op, Op::Assume(_) | Op::Skip);
        if self.stable(value) || self.body.edges[edges.clone()].iter().all(quiet) {
            return false;
        }
        if self.loads(value) || edges.len() > 16 {
            return true;
        }
        let (program, body) = (&self.program, &self.body);
        let mut changes = false;
        program.exprs.visit(value, |_, node| {
            if let Expr::Var(var) = node {
                let global = program.vars[var].function.is_none();
                changes |= body.edges[edges.clone()].iter().any(|edge| match &edge.op {
                    Op::Call { result, .. } | Op::CallPointer { result, .. } => global || *result == Some(var),
                    op => op.variable() == Some(var),
                });
            }
        });
        changes
    }

    /// Two parts of an expression between which C leaves the order open.
    pub fn note(&mut self, first: UnorderedPart, second: UnorderedPart) {
        let Some(function) = self.body.function else { return };
        let (does_first, does_second) = (self.does(&first), self.does(&second));
        let counts = |l: &mut Self, part: &UnorderedPart, does: bool| {
            does || part.large
                || part.ops.len() + part.aggregates.len() > 0
                || part.values.iter().any(|&v| !l.stable(v))
        };
        let matters =
            does_first && counts(self, &second, does_second) || does_second && counts(self, &first, does_first);
        if !matters {
            return;
        }
        if let Some(var) = self.unsequenced(&first, &second).or_else(|| self.unsequenced(&second, &first)) {
            self.undefined_order(var);
        }
        self.program.unordered.push(Unordered { span: self.here, function, first, second });
    }

    /// Whether a part may do something that others notice.
    fn does(&self, part: &UnorderedPart) -> bool {
        let quiet = |op: &Op| match op {
            Op::Skip | Op::Assume(_) | Op::Declare(_) | Op::End(_) => true,
            Op::Assign(var, _) | Op::Havoc(var, _) => self.program.vars[*var].kind == VarKind::Temporary,
            Op::Init(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => false,
            Op::Allocate { .. } | Op::Free(_) | Op::Call { .. } | Op::CallPointer { .. } | Op::Library { .. } => false,
            Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => false,
        };
        part.large || part.target || !part.ops.iter().all(quiet)
    }

    /// A register that one part writes itself, not by a call, and the other one uses itself: C gives it no value.
    fn unsequenced(&self, writer: &UnorderedPart, other: &UnorderedPart) -> Option<VarId> {
        let own = |var: &VarId| self.program.vars[*var].kind != VarKind::Temporary;
        let written = |op: &Op| match op {
            Op::Assign(var, _) => Some(*var).filter(own),
            _ => None,
        };
        writer.ops.iter().filter_map(written).find(|&var| {
            let reads = |&value: &ExprId| {
                let mut found = false;
                self.program.exprs.visit(value, |_, node| found |= node == Expr::Var(var));
                found
            };
            other.ops.iter().any(|op| op.variable() == Some(var) || op.operands().any(|value| reads(&value)))
                || other.values.iter().any(reads)
        })
    }

    fn undefined_order(&mut self, var: VarId) {
        let text = format!("unsequenced side effects on '{}'", self.text(self.program.vars[var].name));
        self.unsupported(&text);
    }

    /// An assignment to a register whose value changes that register without a sequence point after it.
    pub fn check_sequenced(&mut self, target: ast::ExprId, place: Lvalue, value: ast::ExprId) {
        if let (ExprKind::Name(name), Location::Register(var)) = (self.ast[target].kind, place.location)
            && self.leaves_open(value, name)
        {
            self.undefined_order(var);
        }
    }

    /// Whether a side effect on the variable may happen after the value of the expression is known.
    fn leaves_open(&self, expr: ast::ExprId, name: base::Symbol) -> bool {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.leaves_open_inner(expr, name))
    }

    fn leaves_open_inner(&self, expr: ast::ExprId, name: base::Symbol) -> bool {
        let is_name = |expr: ast::ExprId| matches!(self.ast[expr].kind, ExprKind::Name(found) if found == name);
        match self.ast[expr].kind {
            ExprKind::Unary {
                op: UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                operand,
            } => is_name(operand) || self.leaves_open(operand, name),
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => self.leaves_open(operand, name),
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => false,
            ExprKind::Binary { left, right, .. } => self.leaves_open(left, name) || self.leaves_open(right, name),
            ExprKind::Index { base, index } => self.leaves_open(base, name) || self.leaves_open(index, name),
            ExprKind::Member { base, .. } => self.leaves_open(base, name),
            // `x = x = 1` is undefined as well, but no compiler gives it another value.
            ExprKind::Assign { value, .. } => self.leaves_open(value, name),
            ExprKind::Comma { right, .. } => self.leaves_open(right, name),
            _ => false,
        }
    }

    /// Whether gcc reads a variable that is the first operand after the second operand: it puts variables last where
    /// the operator allows that, unless they are converted to another width.
    pub fn variable_last(&mut self, op: BinaryOp, first: TypeId, second: TypeId) -> bool {
        let swaps = match op {
            BinaryOp::Add | BinaryOp::Mul | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => true,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => true,
            BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => false,
            BinaryOp::And | BinaryOp::Or => false,
        };
        if !self.is_arithmetic(first) || !self.is_arithmetic(second) {
            // The sum of a pointer and a number has the pointer first.
            return swaps && is_comparison(op);
        }
        let common = self.common_type(first, second);
        let (Some(own), Some(common)) = (self.scalar(first), self.scalar(common)) else { return false };
        let model = self.program.model;
        swaps && own.is_float() == common.is_float() && own.bits(model) == common.bits(model)
    }

    /// Whether an expression is a variable.
    pub fn is_variable(&self, expr: ast::ExprId) -> bool {
        match self.ast[expr].kind {
            ExprKind::Name(name) => matches!(self.names.lookup(name), Some(Entity::Object(_))),
            _ => false,
        }
    }

    /// Whether an expression calls or assigns, as its text says.
    pub fn acts(&self, expr: ast::ExprId) -> bool {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.acts_inner(expr))
    }

    fn acts_inner(&self, expr: ast::ExprId) -> bool {
        let ast = self.ast;
        match ast[expr].kind {
            ExprKind::Call { .. } | ExprKind::Assign { .. } | ExprKind::Stmt(_) | ExprKind::VaArg { .. } => true,
            ExprKind::Unary { op: UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec, .. } => true,
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => self.acts(operand),
            ExprKind::Binary { left, right, .. } | ExprKind::Comma { left, right } => {
                self.acts(left) || self.acts(right)
            }
            ExprKind::Index { base, index } => self.acts(base) || self.acts(index),
            ExprKind::Member { base, .. } => self.acts(base),
            ExprKind::Conditional { cond, then, other } => self.acts(cond) || self.acts(then) || self.acts(other),
            ExprKind::Elvis { cond, other } => self.acts(cond) || self.acts(other),
            ExprKind::CompoundLiteral { .. } | ExprKind::Generic { .. } | ExprKind::ChooseExpr { .. } => true,
            ExprKind::Error | ExprKind::Name(_) | ExprKind::Int { .. } | ExprKind::Char { .. } => false,
            ExprKind::Float { .. } | ExprKind::String(_) | ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => false,
            ExprKind::AlignofExpr { .. } | ExprKind::AlignofType { .. } | ExprKind::LabelAddress(_) => false,
            ExprKind::Offsetof { .. } | ExprKind::TypesCompatible { .. } => false,
        }
    }

    /// Whether gcc finds the target of an assignment after its value.
    pub fn value_first(&mut self, op: Option<BinaryOp>, target: ast::ExprId, value: ast::ExprId) -> Lowers<bool> {
        match op {
            Some(_) => Ok(self.acts(value)),
            None => Ok((self.acts(value) || self.acts(target)) && !self.is_direct_call(target, value)?),
        }
    }

    /// Whether the value is the result of a call as it is. gcc then finds the target between arguments and call.
    fn is_direct_call(&mut self, target: ast::ExprId, value: ast::ExprId) -> Lowers<bool> {
        let mut call = value;
        while let ExprKind::Cast { operand: inner, .. } | ExprKind::Comma { right: inner, .. } = self.ast[call].kind {
            call = inner;
        }
        let ExprKind::Call { callee, .. } = self.ast[call].kind else { return Ok(false) };
        let result = match self.ast[callee].kind {
            ExprKind::Name(name) if self.names.lookup(name).is_none() => self.basic.int,
            _ => {
                let ty = self.known_type(callee)?;
                let ty = self.pointee(ty).unwrap_or(ty);
                self.result_type(ty)
            }
        };
        let ty = self.known_type(target)?;
        let is_bool = |l: &Self, ty: TypeId| matches!(l.ty(l.program.types.unqualified(ty)), Type::Bool);
        Ok(self.scalar(result) == self.scalar(ty) && is_bool(self, result) == is_bool(self, ty))
    }

    /// The type of an expression. Types are found by lowering, which must not be done again and again.
    fn known_type(&mut self, expr: ast::ExprId) -> Lowers<TypeId> {
        let key = (std::ptr::from_ref(self.ast).addr(), expr);
        if let Some(&ty) = self.known_types.get(&key) {
            return Ok(ty);
        }
        let ty = self.type_of(expr)?;
        self.known_types.insert(key, ty);
        Ok(ty)
    }

    /// Whether an expression reads an object.
    pub fn is_read(&self, expr: ast::ExprId) -> bool {
        match self.ast[expr].kind {
            ExprKind::Index { .. } | ExprKind::Member { .. } | ExprKind::Unary { op: UnaryOp::Deref, .. } => true,
            _ => self.is_variable(expr),
        }
    }

    /// Another part of an initialiser was evaluated.
    pub fn note_leaf(&mut self, earlier: &mut UnorderedPart, since: Start, value: Value) {
        let part = self.happened(since, &[value]);
        if self.does(&part) || self.does(earlier) {
            self.note(earlier.clone(), part.clone());
        }
        earlier.ops.extend(part.ops);
        earlier.values.extend(part.values);
        earlier.aggregates.extend(part.aggregates);
        earlier.target |= part.target;
        earlier.large |= part.large || earlier.ops.len() > LARGE;
        if earlier.large {
            earlier.ops.clear();
        }
    }
}
