//! Checks for undefined behaviour, made explicit: a branch to a target of its own before each operation that may be
//! undefined. Every analysis, proof and witness then decides them as it decides calls of an error function.
//!
//! Checks are made of what the user wrote: not inside models of library functions, not in expressions that are never
//! evaluated, not outside functions. Lowering decides those whose condition is constant; others that cheap facts
//! discharge go before the analyses run.

mod overflow;

use crate::context::Lowering;
use base::Span;
use cfa::{Check, Checks, ExprId, Op, TargetKind};

/// The kinds of checks that lowering makes; whoever adds one adds it here, and only then it may be asked for.
pub const CHECKED: Checks = Checks::of(&[Check::Overflow, Check::Division, Check::Shift, Check::Conversion]);

impl Lowering<'_> {
    /// Whether checks of this kind are made of what is being lowered.
    pub fn wants(&self, kind: Check) -> bool {
        self.options.checks.has(kind) && !self.in_model && self.is_evaluated && self.body.function.is_some()
    }

    /// Lowers arithmetic that wraps, hence without checks.
    pub fn wrapping<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let evaluated = std::mem::replace(&mut self.is_evaluated, false);
        let result = f(self);
        self.is_evaluated = evaluated;
        result
    }

    /// Control goes on unless the condition holds, which is an error of this kind. A report shows the values.
    pub fn check(&mut self, violated: ExprId, kind: Check, span: Span, values: [Option<ExprId>; 2]) {
        debug_assert!(self.wants(kind), "nobody asked for it");
        self.program.checks.made += 1;
        if self.is_zero(violated) {
            self.program.checks.constant += 1;
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
        self.body.targets.push(crate::body::Goal { node: error, kind: TargetKind::Check(kind), span, values });
    }
}
