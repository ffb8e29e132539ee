//! A counterexample as the events that witnesses speak of: inputs, branches, and the target, in order.

use crate::c_expr::constant;
use crate::code::{Code, ExprAt, Form, Last, Statement};
use crate::trace::{Traced, trace};
use base::{Cancel, Span};
use cfa::{BinOp, Expr, ExprId, Exprs, FunctionId, FunctionKind, Node, Op, Program, Scalar, Source, VarId, VarKind};
use std::collections::HashMap;
use syntax::ast::{BinaryOp, ExprKind, UnaryOp};
use verdict::Counterexample;

/// With more events than this, branches are left out.
const MOST_EVENTS: usize = 3000;

/// Something that a witness says about an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// After this statement, just before the one at `next`, the condition holds.
    Holds {
        /// The statement that took the input.
        statement: Span,
        /// The first byte of the next one.
        next: u32,
        /// A C expression in scope at `next`.
        condition: String,
    },
    /// This call returned this value.
    Returns {
        /// The call.
        call: Span,
        /// A C literal.
        value: String,
    },
    /// This call entered a function of the program.
    Enters(Span),
    /// A branch was taken.
    Branches {
        /// Its keyword.
        keyword: Span,
        /// Its condition.
        condition: Span,
        /// How.
        taken: Taken,
    },
    /// What follows is repeated forever.
    Cycle,
    /// The error; of an execution that never ends, where it repeats itself.
    Target(Span),
}

/// How a branch was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// The condition held or not.
    Condition(bool),
    /// The value of a `switch` was this one.
    Case(i128),
    /// The value of a `switch` was that of no `case`.
    Default,
}

/// The events of a counterexample; the last one is the target.
pub fn events(program: &Program, code: &Code, counterexample: &Counterexample, cancel: &Cancel) -> Vec<Event> {
    let steps = trace(program, counterexample, cancel);
    let mut teller = Teller { program, code, steps: &steps, events: Vec::new(), conditions: HashMap::new() };
    let remembers = |step: &Traced| {
        let watched = program.termination.as_ref();
        watched.is_some_and(|watched| watched.remembers(&program.exprs, &program.edges[step.edge].op))
    };
    let cycle = steps.iter().rposition(remembers);
    for at in 0..steps.len() {
        teller.step(at);
        if cycle == Some(at) {
            teller.events.push(Event::Cycle);
        }
    }
    let mut events = teller.events;
    if events.len() > MOST_EVENTS {
        events.retain(|event| !matches!(event, Event::Branches { .. } | Event::Enters(_)));
        events.truncate(MOST_EVENTS);
        if cycle.is_some() && !events.contains(&Event::Cycle) {
            events.push(Event::Cycle);
        }
    }
    let target = &program.targets[counterexample.target];
    let place = counterexample.place(program);
    let around = match target.check() {
        // The formats ask for the full expression.
        Some(_) => code.full_expression(place),
        None => code.statement_around(place).map(|statement| statement.span),
    };
    events.push(Event::Target(around.unwrap_or(place)));
    events
}

struct Teller<'a> {
    program: &'a Program,
    code: &'a Code<'a>,
    steps: &'a [Traced],
    events: Vec<Event>,
    /// Where the evaluation of a condition began, by activation.
    conditions: HashMap<u32, Node>,
}

impl Teller<'_> {
    fn step(&mut self, at: usize) {
        let step = &self.steps[at];
        let edge = &self.program.edges[step.edge];
        let function = &self.program.functions[self.program.nodes[edge.from].function];
        if function.kind != FunctionKind::Defined || edge.span.start == edge.span.end {
            return;
        }
        match edge.op {
            Op::Havoc(var, Source::Input(_)) => self.input(at, var),
            Op::Assume(_) => self.branch(at),
            Op::Call { function, .. } => self.call(at, function),
            _ => {}
        }
    }

    /// A call that matters, unless its arguments call as well: readers differ about which comes first then.
    fn call(&mut self, at: usize, function: FunctionId) {
        let step = &self.steps[at];
        let call = self.program.edges[step.edge].span;
        let own = self.program.functions[function].kind == FunctionKind::Defined;
        if own && step.matters && self.code.is_innermost_call(call) {
            self.events.push(Event::Enters(call));
        }
    }

    /// An input is told by the variable that it goes to, or else by what the call returned.
    fn input(&mut self, at: usize, var: VarId) {
        let step = &self.steps[at];
        let call = self.program.edges[step.edge].span;
        let Some((ty, bits)) = step.value else { return };
        let Some(statement) = self.code.statement_around(call) else { return };
        let event = self.holds(at, var, statement).or_else(|| {
            let value = constant(ty, bits).filter(|_| ty != Scalar::Ptr)?;
            let ends = self.program.sources.snippet(call).ends_with(')');
            ends.then_some(Event::Returns { call, value })
        });
        self.events.extend(event);
    }

    fn holds(&self, at: usize, var: VarId, statement: &Statement) -> Option<Event> {
        let plain = matches!(statement.form, Form::Plain | Form::Declaration) && statement.in_block;
        let next = statement.next.filter(|_| plain)?;
        let (var, (ty, bits)) = self.destination(at, var, statement.span)?;
        let name = self.code.name_at(self.program, var, next)?;
        let condition = format!("{name} == {}", constant(ty, bits)?);
        Some(Event::Holds { statement: statement.span, next, condition })
    }

    /// The last variable of the user that the same statement assigns, and its value after the statement.
    fn destination(&self, at: usize, var: VarId, statement: Span) -> Option<(VarId, (Scalar, u128))> {
        const NEAR: usize = 8;
        let inside = |span: Span| statement.start <= span.start && span.end <= statement.end;
        let own = |var: VarId| self.program.vars[var].kind != VarKind::Temporary;
        let mut found = own(var).then_some(()).and(Some(var).zip(self.steps[at].value));
        for step in self.steps[at + 1..].iter().take(NEAR) {
            let edge = &self.program.edges[step.edge];
            if step.activation != self.steps[at].activation || !inside(edge.span) {
                break;
            }
            // What is declared after it without a value is not its destination.
            if let Op::Havoc(_, Source::Uninitialised | Source::Indeterminate) = edge.op {
                continue;
            }
            if let Op::Assign(var, _) | Op::Havoc(var, _) = edge.op
                && own(var)
            {
                found = Some(var).zip(step.value);
            }
        }
        found
    }

    fn branch(&mut self, at: usize) {
        let step = &self.steps[at];
        let edge = &self.program.edges[step.edge];
        let mut leaving = self.program.leaving(edge.from);
        if leaving.len() != 2 {
            return;
        }
        let first = leaving.next() == Some(step.edge);
        if let Some((switch, last)) = self.code.switch_of(edge.span) {
            self.case(at, switch, first, last);
            return;
        }
        let Some(statement) = self.code.statement_around(edge.span) else { return };
        let told = matches!(statement.form, Form::If(_) | Form::While(_) | Form::DoWhile(_) | Form::For(_));
        let Some(condition) = self.code.condition(statement).filter(|_| told) else { return };
        let span = self.code.span(condition);
        if edge.span.start < span.start || span.end < edge.span.end {
            return;
        }
        if !is_plain(self.code, condition) || !self.is_written(statement) {
            return;
        }
        let start = *self.conditions.entry(step.activation).or_insert(edge.from);
        let inside =
            |span: Span| self.code.span(condition).start <= span.start && span.end <= self.code.span(condition).end;
        // Evaluation goes on in the condition unless it starts again, as that of a loop without body does.
        let later = self.steps[at + 1..].iter().find(|later| later.activation <= step.activation);
        let goes_on = later.is_some_and(|later| {
            let next = &self.program.edges[later.edge];
            later.activation == step.activation && inside(next.span) && next.from != start
        });
        if !goes_on {
            self.conditions.remove(&step.activation);
            let taken = Taken::Condition(first);
            self.events.push(Event::Branches { keyword: keyword(statement), condition: span, taken });
        }
    }

    /// One comparison of a `switch`: the first that holds names the value, and if the last one does not, no `case` fits.
    fn case(&mut self, at: usize, switch: &Statement, holds: bool, last: Last) {
        let step = &self.steps[at];
        let Op::Assume(condition) = self.program.edges[step.edge].op else { return };
        let taken = match (holds, last) {
            (true, _) => compared(&self.program.exprs, condition).map(Taken::Case),
            (false, Last::Yes) => Some(Taken::Default),
            (false, Last::No) => None,
        };
        let Some(condition) = self.code.condition(switch) else { return };
        if let Some(taken) = taken.filter(|_| self.is_written(switch)) {
            let condition = self.code.span(condition);
            self.events.push(Event::Branches { keyword: keyword(switch), condition, taken });
        }
    }

    /// Whether the user sees the keyword there: macros may hide it.
    fn is_written(&self, statement: &Statement) -> bool {
        let keyword = keyword(statement);
        let line = self.program.sources.line_text(keyword);
        let column = self.program.sources.position(keyword).column as usize;
        let rest = line.get(column - 1..).unwrap_or("");
        ["if", "while", "for", "switch"].iter().any(|keyword| rest.starts_with(keyword))
    }
}

/// Where a branching keyword starts.
fn keyword(statement: &Statement) -> Span {
    Span { start: statement.keyword, end: statement.keyword + 1 }
}

/// The constant that a value is compared with.
fn compared(exprs: &Exprs, condition: ExprId) -> Option<i128> {
    let Expr::Binary(BinOp::Eq, a, b) = exprs.node(condition) else { return None };
    let constant = if exprs.constant(b).is_some() { b } else { a };
    let Scalar::Int { bits, signed } = exprs.ty(constant) else { return None };
    let value = exprs.constant(constant)?;
    let shift = 128 - u32::from(bits);
    Some(if signed { ((value << shift) as i128) >> shift } else { value as i128 })
}

/// Whether a condition has the truth value of the last part that is evaluated: so it is with `&&` and `||`, unless they
/// are negated.
fn is_plain(code: &Code, condition: ExprAt) -> bool {
    let (ast, root) = code.unit(condition);
    let mut stack = vec![(root, false)];
    while let Some((expr, negated)) = stack.pop() {
        match ast[expr].kind {
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } if negated => return false,
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, left, right } => {
                stack.extend([(left, false), (right, false)]);
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => stack.push((operand, true)),
            ExprKind::Comma { right, .. } => stack.push((right, negated)),
            _ => {}
        }
    }
    true
}
