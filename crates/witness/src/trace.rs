//! A counterexample as a story: every step with the value that it gave, and whether it mattered.
//!
//! What matters is the dynamic backward slice [KL88] from the target: the branches that led there, the assignments
//! that decided these branches, and so on.

use crate::control::Control;
use base::Cancel;
use cfa::{EdgeId, Expr, ExprId, Op, Program, Scalar, VarId};
use semantics::history::EdgeEffect;
use semantics::interpreter::RunEnd;
use semantics::replay::observe;
use std::collections::HashSet;
use std::ops::Range;
use verdict::Counterexample;

/// Longer paths are shown without knowing what matters.
const LONGEST: usize = 2_000_000;
/// Of longer pieces of memory only the start is followed.
const MOST_BYTES: u64 = 4096;
/// In place of the activation of a global.
const GLOBAL: u32 = 0;

/// One edge of the path.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The edge.
    pub edge: EdgeId,
    /// Which activation of its function took it; they are numbered in the order of calls.
    pub activation: u32,
    /// The value that it assigned, stored or returned; that of a call is its result.
    pub value: Option<(Scalar, u128)>,
    /// Whether it had a part in reaching the target.
    pub matters: bool,
}

/// The steps of a counterexample. One that the interpreter does not repeat, or that is too long, has no values, and
/// everything in it may matter.
pub fn trace(program: &Program, counterexample: &Counterexample, cancel: &Cancel) -> Vec<Traced> {
    let plain = || {
        let step = |&edge| Traced { edge, activation: GLOBAL, value: None, matters: true };
        counterexample.path.iter().map(step).collect()
    };
    if counterexample.path.is_empty() || counterexample.path.len() > LONGEST {
        return plain();
    }
    let run = observe(program, &counterexample.replay_choices(), cancel);
    if run.outcome != RunEnd::Target(counterexample.target) || run.path != counterexample.path {
        return plain();
    }
    let mut slice = Slice::new(program, &run.path, &run.history.activations);
    for noticed in run.history.facts {
        let step = noticed.step as usize;
        match noticed.fact {
            EdgeEffect::Value { ty, bits } => slice.value(step, noticed.edge, (ty, bits)),
            EdgeEffect::Read(range) => slice.reads.push((step, range)),
            EdgeEffect::Written(range) => slice.writes.push((step, range)),
            EdgeEffect::Nothing => {}
        }
    }
    slice.find();
    slice.steps
}

/// A register of one activation.
type Register = (u32, VarId);

struct Slice<'p> {
    program: &'p Program,
    steps: Vec<Traced>,
    /// The call that started the step's activation, if it is not the first one.
    callers: Vec<Option<usize>>,
    /// The step whose branch decided about this one.
    parents: Vec<Option<usize>>,
    reads: Vec<(usize, Range<u64>)>,
    writes: Vec<(usize, Range<u64>)>,
    registers: HashSet<Register>,
    bytes: HashSet<u64>,
}

impl<'p> Slice<'p> {
    fn new(program: &'p Program, path: &[EdgeId], activations: &[u32]) -> Self {
        let step = |(&edge, &activation)| Traced { edge, activation, value: None, matters: false };
        let steps: Vec<Traced> = path.iter().zip(activations).map(step).collect();
        let mut slice = Self {
            program,
            callers: Vec::with_capacity(steps.len()),
            parents: Vec::with_capacity(steps.len()),
            steps,
            reads: Vec::new(),
            writes: Vec::new(),
            registers: HashSet::new(),
            bytes: HashSet::new(),
        };
        slice.find_parents();
        slice
    }

    /// Calls by the stack that the activations tell, branches by control dependence.
    fn find_parents(&mut self) {
        let mut control = Control::default();
        // Per activation that has not ended: its number, its call, where each of its branches was last taken.
        let mut stack: Vec<(u32, Option<usize>, std::collections::HashMap<cfa::Node, usize>)> = Vec::new();
        for at in 0..self.steps.len() {
            let Traced { edge, activation, .. } = self.steps[at];
            while stack.last().is_some_and(|(number, ..)| *number > activation) {
                stack.pop();
            }
            if stack.last().is_none_or(|(number, ..)| *number != activation) {
                stack.push((activation, at.checked_sub(1), std::collections::HashMap::new()));
            }
            let (_, call, branches) = stack.last_mut().expect("just pushed");
            let from = self.program.edges[edge].from;
            let nearest = control.parents(self.program, from).iter().filter_map(|node| branches.get(node)).max();
            self.callers.push(*call);
            self.parents.push(nearest.copied().or(*call));
            if matches!(self.program.edges[edge].op, Op::Assume(_)) {
                branches.insert(from, at);
            }
        }
    }

    fn value(&mut self, step: usize, edge: EdgeId, value: (Scalar, u128)) {
        // A call's result comes with the last step of the callee.
        let at = match self.steps.get(step) {
            Some(found) if found.edge == edge => Some(step),
            Some(_) => self.callers[step].filter(|&call| self.steps[call].edge == edge),
            None => None,
        };
        if let Some(at) = at {
            self.steps[at].value = Some(value);
        }
    }

    /// 1. The last branch, or all that led there by a call, matters. 2. From the end: a step that gives something that
    ///    is needed matters, and 3. so does all it uses, and the branch that decided about it.
    fn find(&mut self) {
        let Some(last) = self.steps.len().checked_sub(1) else { return };
        self.steps[last].matters = true; // 1
        for at in (0..=last).rev() {
            let gives = self.takes_needed(at); // 2
            let reads = pop_of(&mut self.reads, at);
            if !(gives || self.steps[at].matters) {
                continue;
            }
            self.steps[at].matters = true;
            for range in reads {
                self.bytes.extend(range.start..range.end.min(range.start + MOST_BYTES)); // 3
            }
            self.need_operands(at);
            if let Some(parent) = self.parents[at] {
                self.steps[parent].matters = true;
            }
        }
    }

    /// Whether the step gives a value that is needed, which then is needed no more.
    fn takes_needed(&mut self, at: usize) -> bool {
        let Traced { edge, activation, .. } = self.steps[at];
        let mut gives = false;
        for range in pop_of(&mut self.writes, at) {
            for byte in range.start..range.end.min(range.start + MOST_BYTES) {
                gives |= self.bytes.remove(&byte);
            }
        }
        let program = self.program;
        match &program.edges[edge].op {
            Op::Return(_) => {
                // The caller's variable gets the value here.
                let call = self.callers[at].map(|call| &self.steps[call]);
                let result = call.and_then(|call| Some((call.activation, program.edges[call.edge].op.variable()?)));
                gives |= result.is_some_and(|(activation, var)| self.registers.remove(&self.register(activation, var)));
            }
            Op::Call { function, .. } => {
                let callee = self.steps.get(at + 1).map(|next| next.activation);
                for &param in &program.functions[*function].params {
                    gives |= callee.is_some_and(|callee| self.registers.contains(&(callee, param)));
                }
            }
            op => {
                let var = op.variable().filter(|&var| program.register(var).is_some());
                gives |= var.is_some_and(|var| self.registers.remove(&self.register(activation, var)));
            }
        }
        gives
    }

    fn need_operands(&mut self, at: usize) {
        let Traced { edge, activation, .. } = self.steps[at];
        let program = self.program;
        match &program.edges[edge].op {
            Op::Call { function, args, .. } => {
                let callee = self.steps.get(at + 1).map(|next| next.activation);
                for (&param, &arg) in program.functions[*function].params.iter().zip(args) {
                    if callee.is_some_and(|callee| self.registers.remove(&(callee, param))) {
                        self.need(activation, arg);
                    }
                }
            }
            op => {
                for operand in op.operands() {
                    self.need(activation, operand);
                }
            }
        }
    }

    fn need(&mut self, activation: u32, expr: ExprId) {
        let program = self.program;
        program.exprs.visit(expr, |_, node| {
            if let Expr::Var(var) = node {
                self.registers.insert(self.register(activation, var));
            }
        });
    }

    fn register(&self, activation: u32, var: VarId) -> Register {
        (if self.program.vars[var].function.is_some() { activation } else { GLOBAL }, var)
    }
}

/// Takes the entries of this step off the end; later steps are gone already.
fn pop_of(list: &mut Vec<(usize, Range<u64>)>, step: usize) -> Vec<Range<u64>> {
    let start = list.partition_point(|(at, _)| *at < step);
    list.drain(start..).filter(|(at, _)| *at == step).map(|(_, range)| range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{counterexample, program};
    use expect_test::{Expect, expect};

    /// The steps that matter: source text and value.
    fn check(source: &str, havocs: &[u128], expected: Expect) {
        let program = program(source);
        let mut text = String::new();
        for step in trace(&program, &counterexample(&program, havocs), &Cancel::never()) {
            let span = program.edges[step.edge].span;
            if step.matters && span.start < span.end {
                let value = step.value.map(|(_, bits)| format!(" -> {bits}")).unwrap_or_default();
                text += &format!("{}{value}\n", program.sources.snippet(span));
            }
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn only_what_decides_matters() {
        check(
            "int __VERIFIER_nondet_int(void); void reach_error(void);
            int main(void) { int a = __VERIFIER_nondet_int(); int b = 5; int noise = 1; noise = noise + a;
              if (noise > 3) noise = 0;
              while (b < 7) b = b + 1;
              if (a == b) reach_error(); return noise; }",
            &[7],
            expect![[r#"
                main(void)
                __VERIFIER_nondet_int() -> 7
                b = 5 -> 5
                b < 7
                b = b + 1 -> 6
                b < 7
                b = b + 1 -> 7
                a == b
            "#]],
        );
    }

    #[test]
    fn values_go_through_calls_and_memory() {
        check(
            "int __VERIFIER_nondet_int(void); void reach_error(void);
            int add(int x, int y, int unused) { return x + y; }
            int main(void) { int a[4]; int i = __VERIFIER_nondet_int(); a[1] = 3; a[2] = 4;
              int *p = &a[i]; *p = *p + 1; int r = add(a[2], 10, a[1]); if (r == 15) reach_error(); return 0; }",
            &[2],
            expect![[r#"
                main(void)
                __VERIFIER_nondet_int() -> 2
                a[1] = 3 -> 3
                a[2] = 4 -> 4
                *p = &a[i] -> 140737488289768
                *p = *p + 1 -> 5
                add(a[2], 10, a[1]) -> 15
                return x + y; -> 15
                r == 15
            "#]],
        );
    }

    #[test]
    fn earlier_assertions_are_no_part_of_it() {
        check(
            "int __VERIFIER_nondet_int(void); void reach_error(void); void abort(void);
            int main(void) { int a = __VERIFIER_nondet_int(); int b = __VERIFIER_nondet_int();
              if (a < 0) abort(); if (b == 3) reach_error(); if (a == 1 && b == 0) reach_error(); return 0; }",
            &[1, 0],
            expect![[r#"
                main(void)
                __VERIFIER_nondet_int() -> 1
                __VERIFIER_nondet_int() -> 0
                a == 1 && b == 0
            "#]],
        );
    }
}
