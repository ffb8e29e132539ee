//! Checks for undefined behaviour, made explicit: a branch to a target of its own before each operation that may be
//! undefined. Every analysis, proof and witness then decides them as it decides calls of an error function.
//!
//! Checks are made of what the user wrote: not inside models of library functions but for what these ask of their
//! arguments, not in expressions that are never evaluated, not outside functions. Lowering decides those whose condition
//! is constant; others that cheap facts discharge go before the analyses run.

mod overflow;
mod pointer;
mod returned;

use crate::context::{Entity, Lowering};
use base::Span;
use cfa::{BinOp, Check, Checks, ExprId, Op, TargetKind};
use syntax::ast::{self, BinaryOp, ExprKind};

/// The kinds of checks that lowering makes. A new one is added here; only then can it be requested.
pub const CHECKED: Checks = Checks::of(&[
    Check::Overflow,
    Check::Division,
    Check::Shift,
    Check::Conversion,
    Check::Uninitialised,
    Check::Pointer,
    Check::Length,
    Check::Lossy,
    Check::Argument,
    Check::Value,
    Check::Subscript,
]);

/// Whether an object is atomic. Types do not say it, so of members and of what pointers lead to it is not known in a
/// program that has atomic types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomicity {
    No,
    Perhaps,
    Yes,
}

impl Lowering<'_> {
    /// Whether checks of this kind are made of what is being lowered.
    pub fn wants(&self, kind: Check) -> bool {
        let wraps = kind == Check::Overflow && self.atomicity == Atomicity::Yes;
        let is_read = kind == Check::Uninitialised && self.in_text_model();
        let is_asked = !self.in_model || self.in_requirement || is_read;
        let is_code = is_asked && self.is_evaluated && self.body.function.is_some();
        self.options.checks.has(kind) && is_code && !wraps
    }

    /// Whether this is the model of a function that looks at the bytes of a text, and the model reads just those.
    fn in_text_model(&self) -> bool {
        let Some(function) = self.body.function.filter(|_| self.in_model) else { return false };
        crate::modelled::reads_text(self.text(self.program.functions[function].name))
    }

    /// Reads a value of which nothing depends, where C does so and the read may come too early. Values that the program
    /// discards are not read: `(void)x` says that a variable is there.
    pub fn looked_at(&mut self, value: ExprId) {
        if self.wants(Check::Uninitialised) && self.constant(value).is_none() && self.traps(value) {
            self.spill(self.basic.int, value);
        }
    }

    /// Lowers what a model asks of the arguments of its function, which is checked although it stands in a model.
    pub fn requiring<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.in_requirement, true);
        let result = f(self);
        self.in_requirement = before;
        result
    }

    /// Checks that two ranges of so many bytes do not overlap; they may be the same.
    pub fn check_apart(&mut self, to: ExprId, from: ExprId, size: ExprId, span: Span) {
        if !self.wants(Check::Argument) || self.in_other_objects(to, from) {
            return;
        }
        let word = self.program.model.size_type();
        let (a, b) = (self.cast(to, word), self.cast(from, word));
        let (forth, back) = (self.binary(BinOp::Sub, a, b), self.binary(BinOp::Sub, b, a));
        let (behind, before) = (self.binary(BinOp::Lt, forth, size), self.binary(BinOp::Lt, back, size));
        let overlap = self.binary(BinOp::Or, behind, before);
        let same = self.binary(BinOp::Eq, a, b);
        let differ = self.not(same);
        let violated = self.binary(BinOp::And, differ, overlap);
        self.check(violated, Check::Argument, span, [Some(to), Some(from)]);
    }

    /// Lowers arithmetic of an operation that C calls atomic, which wraps.
    pub fn fetching<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.with_atomicity(Atomicity::Yes, f)
    }

    /// Lowers the arithmetic of a compound assignment, `++` or `--`: sums and differences of atomic objects wrap.
    pub fn updating<T>(&mut self, target: ast::ExprId, op: BinaryOp, f: impl FnOnce(&mut Self) -> T) -> T {
        let atomicity = match op {
            BinaryOp::Add | BinaryOp::Sub => self.atomicity_of(target),
            _ => Atomicity::No,
        };
        self.with_atomicity(atomicity, f)
    }

    fn with_atomicity<T>(&mut self, atomicity: Atomicity, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.atomicity, atomicity);
        let result = f(self);
        self.atomicity = before;
        result
    }

    fn atomicity_of(&self, target: ast::ExprId) -> Atomicity {
        match self.ast[target].kind {
            ExprKind::Name(name) => match self.names.lookup(name) {
                Some(Entity::Object(object)) if self.objects[object].is_atomic => Atomicity::Yes,
                _ => Atomicity::No,
            },
            _ if self.has_atomic => Atomicity::Perhaps,
            _ => Atomicity::No,
        }
    }

    /// Control goes on unless the condition holds, which is an error of this kind. A report shows the values.
    pub fn check(&mut self, violated: ExprId, kind: Check, span: Span, values: [Option<ExprId>; 2]) {
        self.check_operator(violated, kind, span, values, "");
    }

    /// [`Lowering::check`] of an operator that C spells like this.
    pub fn check_operator(
        &mut self,
        violated: ExprId,
        kind: Check,
        span: Span,
        values: [Option<ExprId>; 2],
        symbol: &'static str,
    ) {
        debug_assert!(self.wants(kind), "it was not requested");
        assert_eq!(self.scalar_of(violated), cfa::Scalar::Bool, "a violation is a truth value");
        self.program.checks.made += 1;
        if self.is_zero(violated) {
            self.program.checks.constant += 1;
            self.program.settled.push(span);
            return;
        }
        let error = self.node();
        let (from, here) = (self.body.at, std::mem::replace(&mut self.here, span));
        if self.constant(violated).is_some() {
            self.body.edge(from, error, Op::Skip, span);
            self.body.at = self.node();
        } else {
            let next = self.node();
            self.fork_to(violated, error, next);
            self.body.at = next;
        }
        self.here = here;
        if kind == Check::Overflow && self.atomicity == Atomicity::Perhaps {
            let what = self.program.names.intern("overflow of an object that may be atomic");
            let next = self.body.at;
            return self.body.edge(error, next, Op::Unsupported(what), span);
        }
        self.body.targets.push(crate::body::Goal { node: error, kind: TargetKind::Check(kind), span, values, symbol });
    }
}
