//! A witness as a change of the program: what is verified then is what the witness claims.
//!
//! - A *correctness* witness becomes assertions: every invariant is checked where it stands. If neither the error nor a
//!   violated invariant is reachable, the property holds, and so does every invariant. Engines that work by induction
//!   use the assertions on the way, since what passes an assertion is known to satisfy it.
//! - A *violation* witness becomes a counter of the segments that an execution has passed, in the order of the witness;
//!   executions that meet the target without having passed them all end there. What is left are the executions that
//!   the witness describes, the product of program and witness automaton.
//!
//! All changes are insertions without line breaks, so lines stay what they are.

use crate::code::{Code, ExprAt, Form, Statement};
use crate::model::{Action, Invariant, Location, Mark, Waypoint, WaypointKind};
use base::Span;
use std::collections::BTreeMap;

/// The counter of passed segments.
const AT: &str = "__argonaut_at";
/// What a condition or the value of a `switch` is.
const TAKEN: &str = "__argonaut_taken";
/// Functions whose call is a violated invariant start so; the invariant's number follows.
pub const INVALID: &str = "__argonaut_invalid_";

/// Text to insert before a byte; the order in the list counts at equal bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Insertion {
    /// Offset in the source map of the program.
    pub at: u32,
    /// What.
    pub text: String,
}

/// A program with a witness woven in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instrumented {
    /// What stands before everything else in the first file.
    pub prelude: String,
    /// By ascending offset.
    pub insertions: Vec<Insertion>,
    /// Functions whose calls are errors besides those of the property.
    pub targets: Vec<String>,
    /// The statement, in the program as it was, that alone is the error of a violation.
    pub target: Option<Span>,
    /// What could not be woven in, and why.
    pub problems: Vec<Problem>,
}

/// Something wrong with a part of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where in the witness.
    pub mark: Mark,
    /// What kind of thing.
    pub fault: Fault,
    /// What.
    pub message: String,
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// There is no statement where the witness names one.
    NoStatement,
    /// Anything else.
    Other,
}

/// A fault and what is said about it.
type Faulty = (Fault, String);

fn other(message: impl Into<String>) -> Faulty {
    (Fault::Other, message.into())
}

fn no_statement(at: &Location) -> Faulty {
    (Fault::NoStatement, format!("no statement starts at {}", show(at)))
}

/// The assertions of a correctness witness.
pub fn correctness(code: &Code, invariants: &[Invariant]) -> Instrumented {
    let mut weaver = Weaver::default();
    for (number, invariant) in invariants.iter().enumerate() {
        let name = format!("{INVALID}{number}");
        match assertion(code, invariant, &name) {
            Ok(wraps) => {
                weaver.wraps.extend(wraps);
                weaver.out.prelude += &format!("extern int {name}(void); ");
                weaver.out.targets.push(name);
            }
            Err((fault, message)) => weaver.out.problems.push(Problem { mark: invariant.mark, fault, message }),
        }
    }
    weaver.finish()
}

fn assertion(code: &Code, invariant: &Invariant, name: &str) -> Result<Vec<Wrap>, Faulty> {
    if invariant.transition {
        // It speaks of two visits of the loop, which no assertion can.
        return Ok(Vec::new());
    }
    let value = check_expression(&invariant.value).map_err(other)?;
    let candidates = code.on_line(&invariant.location.file, invariant.location.line);
    if invariant.is_loop {
        let statement = pick(code, &candidates, &invariant.location, |form| form.is_loop())
            .ok_or_else(|| other(format!("no loop starts at {}", show(&invariant.location))))?;
        let check = format!("(({value}) ? 0 : {name}())");
        return Ok(match (code.condition(statement), statement.form) {
            (Some(condition), _) => vec![Wrap::around(code.span(condition), format!("({check}, ("), "))".into())],
            (None, Form::For(Err(at))) => vec![Wrap::before(at, format!("{check}, 1"))],
            (None, _) => Vec::new(),
        });
    }
    let statement = pick(code, &candidates, &invariant.location, |form| form != Form::Labelled)
        .ok_or_else(|| no_statement(&invariant.location))?;
    Ok(vec![before(statement, format!("if (!({value})) {name}(); "))])
}

/// What a segment waits for, and what happens then.
enum Check {
    /// At a statement: a condition.
    Statement { offset: u32, condition: String },
    /// At a condition: its truth value.
    Branch { condition: Span, taken: bool },
    /// At a `switch`: a condition on its value.
    Switch { value: Span, condition: String },
    /// At a call: before it.
    Enter(Span),
    /// At a call: after it, a condition on `\result`.
    Return { call: Span, condition: String },
}

/// Where a violation is: undefined behaviour may be in a full expression that no statement starts with.
#[derive(Clone, Copy)]
enum Goal {
    Statement(Statement),
    Expression(Span),
}

impl Goal {
    fn span(self) -> Span {
        match self {
            Goal::Statement(statement) => statement.span,
            Goal::Expression(span) => span,
        }
    }
}

/// The condition that waypoints are missing where the target is met. The last ones may be calls in the very expression that
/// is wrong, as in `2147483647 + input()`, and are passed while it is evaluated.
fn missing(checks: &[(usize, Action, Check)], goal: Span, passed: usize) -> String {
    let within = |check: &Check| match check {
        Check::Enter(call) | Check::Return { call, .. } => goal.start <= call.start && call.end <= goal.end,
        Check::Statement { .. } | Check::Branch { .. } | Check::Switch { .. } => false,
    };
    let follows = |action: &Action| *action == Action::Follow;
    let inside = checks.iter().rev().take_while(|(_, action, check)| follows(action) && within(check)).count();
    match inside {
        0 => format!("{AT} != {passed}"),
        _ => format!("{AT} < {}", passed.saturating_sub(inside)),
    }
}

/// The counter of a violation witness. In GraphML an assumption holds after the statement that its edge names.
pub fn violation(code: &Code, segments: &[Vec<Waypoint>], is_graphml: bool) -> Instrumented {
    let mut weaver = Weaver::default();
    let mut checks: Vec<(usize, Action, Check)> = Vec::new();
    let mut passed = 0;
    let mut target = None;
    for segment in segments {
        let mut found = Vec::new();
        let mut follows = false;
        for waypoint in segment {
            if waypoint.kind == WaypointKind::Target {
                let candidates = code.on_line(&waypoint.location.file, waypoint.location.line);
                // Without column, the last statement of the line is the most likely one: `if (x) reach_error();`
                let last = candidates.last().copied().filter(|_| waypoint.location.column.is_none());
                match last.or_else(|| pick(code, &candidates, &waypoint.location, |_| true)) {
                    Some(statement) => target = Some(Goal::Statement(*statement)),
                    None => match code.expression_at(&waypoint.location) {
                        Some(span) => target = Some(Goal::Expression(span)),
                        None => weaver.problem(waypoint, no_statement(&waypoint.location)),
                    },
                }
                continue;
            }
            match check(code, waypoint, is_graphml) {
                Ok(check) => {
                    follows |= waypoint.action != Action::Avoid;
                    found.push((passed, waypoint.action, check));
                }
                Err(faulty) => weaver.problem(waypoint, faulty),
            }
        }
        let is_target = segment.iter().any(|waypoint| waypoint.kind == WaypointKind::Target);
        // A segment whose end is not understood is left out: the witness then describes more executions.
        if follows || is_target {
            checks.extend(found);
            passed += usize::from(follows);
        }
    }
    weaver.out.prelude = format!("static unsigned {AT}; ");
    let missing = match target {
        Some(goal) => missing(&checks, goal.span(), passed),
        None => String::new(),
    };
    weaver.add_checks(code, checks);
    match target {
        Some(Goal::Statement(statement)) => {
            let stop = format!("if ({missing}) __builtin_unreachable(); ");
            weaver.wraps.push(before(&statement, stop));
            weaver.out.target = Some(statement.span);
        }
        Some(Goal::Expression(span)) => {
            let stop = format!("(({missing} ? __builtin_unreachable() : (void)0), (");
            weaver.wraps.push(Wrap::around(span, stop, "))".into()));
            weaver.out.target = Some(span);
        }
        None => {}
    }
    weaver.finish()
}

fn check(code: &Code, waypoint: &Waypoint, is_graphml: bool) -> Result<Check, Faulty> {
    let at = &waypoint.location;
    let missing = |what: &str| other(format!("no {what} at {}", show(at)));
    let statements = code.on_line(&at.file, at.line);
    let constraint = waypoint.constraint.as_deref().unwrap_or("");
    match waypoint.kind {
        WaypointKind::Assumption => {
            let condition = check_expression(constraint).map_err(other)?.to_owned();
            let statement = pick(code, &statements, at, |_| true).ok_or_else(|| no_statement(at))?;
            let offset = match is_graphml {
                true => statement.next.ok_or_else(|| other(format!("no statement after {}", show(at))))?,
                false => statement.span.start,
            };
            Ok(Check::Statement { offset, condition })
        }
        WaypointKind::Branching => {
            let here =
                |statement: &&&Statement| at.column.is_none_or(|column| code.column(statement.keyword) == column);
            let branching = code.branching_on_line(&at.file, at.line);
            // Some tools point at the `do`.
            let any = |form: Form| form.condition().is_some();
            let statement = branching.iter().find(here).copied().or_else(|| pick(code, &statements, at, any));
            let is_switch = statement.is_some_and(|statement| matches!(statement.form, Form::Switch(_)));
            let condition: ExprAt = statement
                .and_then(|statement| code.condition(statement))
                .or_else(|| code.choice_at(&at.file, at.line, at.column))
                .ok_or_else(|| missing("branch"))?;
            let span = code.span(condition);
            match constraint {
                "true" | "false" if !is_switch => Ok(Check::Branch { condition: span, taken: constraint == "true" }),
                "default" if is_switch => {
                    let cases = statement.map(|statement| code.cases(statement, TAKEN)).unwrap_or_default();
                    let condition = if cases.is_empty() { "1".into() } else { format!("!({})", cases.join(" || ")) };
                    Ok(Check::Switch { value: span, condition })
                }
                number => match number.parse::<i64>() {
                    Ok(equals) if is_switch => {
                        Ok(Check::Switch { value: span, condition: format!("{TAKEN} == {equals}") })
                    }
                    _ => Err(other("expected `true` or `false`, or the value of a `switch`")),
                },
            }
        }
        WaypointKind::FunctionEnter => {
            let call = code.call_ending(&at.file, at.line, at.column).ok_or_else(|| missing("call ends"))?;
            Ok(Check::Enter(code.span(call)))
        }
        WaypointKind::FunctionReturn => {
            let call = code.call_ending(&at.file, at.line, at.column.filter(|_| !is_graphml));
            let call = code.span(call.ok_or_else(|| missing("call ends"))?);
            if waypoint.constraint.is_none() {
                return Ok(Check::Enter(call));
            }
            let condition =
                check_expression(&constraint.replace("\\result", "__argonaut_result")).map_err(other)?.to_owned();
            Ok(Check::Return { call, condition })
        }
        WaypointKind::Target => unreachable!("targets are not checks"),
    }
}

/// The statement at a location: that of the column, else the first on the line that is fit.
fn pick<'c>(
    code: &Code,
    candidates: &[&'c Statement],
    location: &Location,
    fits: impl Fn(Form) -> bool,
) -> Option<&'c Statement> {
    let fitting: Vec<&'c Statement> = candidates.iter().copied().filter(|statement| fits(statement.form)).collect();
    let in_function = |statement: &&&'c Statement| {
        location.function.as_deref().is_none_or(|function| code.function_at(statement.span.start) == Some(function))
    };
    match location.column {
        Some(column) => {
            let column_of = |statement: &&'c Statement| code.column(statement.span.start);
            fitting.iter().find(|statement| column_of(statement) == column).copied()
        }
        None => fitting.iter().find(in_function).or(fitting.first()).copied(),
    }
}

fn show(location: &Location) -> String {
    match location.column {
        Some(column) => format!("{}:{}:{column}", location.file, location.line),
        None => format!("{}:{}", location.file, location.line),
    }
}

/// Text around a piece of source.
struct Wrap {
    span: Span,
    pre: String,
    post: String,
}

impl Wrap {
    fn around(span: Span, pre: String, post: String) -> Wrap {
        Wrap { span, pre, post }
    }

    fn before(at: u32, pre: String) -> Wrap {
        Wrap { span: Span { start: at, end: at }, pre, post: String::new() }
    }
}

/// Code that runs before a statement.
fn before(statement: &Statement, text: String) -> Wrap {
    match statement.form {
        // Braces would end the life of what it declares.
        Form::Declaration => Wrap::before(statement.span.start, text),
        _ => Wrap::around(statement.span, format!("{{ {text}"), " }".into()),
    }
}

#[derive(Default)]
struct Weaver {
    out: Instrumented,
    wraps: Vec<Wrap>,
}

impl Weaver {
    fn problem(&mut self, waypoint: &Waypoint, (fault, message): Faulty) {
        self.out.problems.push(Problem { mark: waypoint.mark, fault, message });
    }

    /// One chain of tests per place, so that an execution passes at most one segment each time it comes by.
    fn add_checks(&mut self, code: &Code, checks: Vec<(usize, Action, Check)>) {
        let mut statements: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        let mut branches: BTreeMap<Span, Vec<String>> = BTreeMap::new();
        let mut switches: BTreeMap<Span, Vec<String>> = BTreeMap::new();
        let mut calls: BTreeMap<Span, (Vec<String>, Vec<String>)> = BTreeMap::new();
        for (number, action, check) in checks {
            let then = match action {
                Action::Follow | Action::Cycle => format!("{AT} = {};", number + 1),
                Action::Avoid => "__builtin_unreachable();".into(),
            };
            let test = |condition: &str| format!("if ({AT} == {number} && ({condition})) {then}");
            match check {
                Check::Statement { offset, condition } => statements.entry(offset).or_default().push(test(&condition)),
                Check::Branch { condition, taken } => {
                    let truth = if taken { TAKEN.to_owned() } else { format!("!{TAKEN}") };
                    branches.entry(condition).or_default().push(test(&truth));
                }
                Check::Switch { value, condition } => switches.entry(value).or_default().push(test(&condition)),
                Check::Enter(call) => calls.entry(call).or_default().0.push(test("1")),
                Check::Return { call, condition } => calls.entry(call).or_default().1.push(test(&condition)),
            }
        }
        for (offset, tests) in statements {
            let start = |statement: &&Statement| statement.span.start == offset;
            // The outermost statement that starts there; the list is sorted so.
            if let Some(statement) = code.statements.iter().find(start) {
                self.wraps.push(before(statement, format!("{} ", tests.join(" else "))));
            }
        }
        for (span, tests) in branches {
            let post = format!("); {} {TAKEN}; }})", tests.join(" else "));
            self.wraps.push(Wrap::around(span, format!("({{ _Bool {TAKEN} = ("), post));
        }
        for (span, tests) in switches {
            let post = format!("); {} {TAKEN}; }})", tests.join(" else "));
            self.wraps.push(Wrap::around(span, format!("({{ long long {TAKEN} = ("), post));
        }
        for (span, (enter, leave)) in calls {
            let before = enter.join(" else ");
            let (pre, post) = if leave.is_empty() {
                (format!("({{ {before} "), "; })".to_owned())
            } else {
                let pre = format!("({{ {before} __typeof__({}) __argonaut_result = ", code.text(span));
                (pre, format!("; {} __argonaut_result; }})", leave.join(" else ")))
            };
            self.wraps.push(Wrap::around(span, pre, post));
        }
    }

    /// Where pieces meet, what ends comes before what begins, and the outer piece begins first and ends last.
    fn finish(mut self) -> Instrumented {
        let mut ordered: Vec<((u32, u8, u32, i64), Insertion)> = Vec::new();
        for (number, Wrap { span, pre, post }) in (0_i64..).zip(self.wraps) {
            ordered.push(((span.start, 1, u32::MAX - span.end, number), Insertion { at: span.start, text: pre }));
            if !post.is_empty() {
                ordered.push(((span.end, 0, u32::MAX - span.start, -number), Insertion { at: span.end, text: post }));
            }
        }
        ordered.sort_by_key(|(key, _)| *key);
        self.out.insertions = ordered.into_iter().map(|(_, insertion)| insertion).collect();
        self.out
    }
}

/// The text of a C expression, if it is one without side effects as far as its tokens tell; so a witness cannot change
/// what the program does.
pub fn check_expression(text: &str) -> Result<&str, String> {
    let text = text.trim();
    let bad = |why: &str| Err(format!("`{text}` is not a C expression without side effects: {why}"));
    if text.is_empty() {
        return bad("it is empty");
    }
    let bytes = text.as_bytes();
    let mut depth = 0_i32;
    let mut word = String::new();
    for (at, &byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let before = if at > 0 { bytes[at - 1] } else { b' ' };
        match byte {
            b'(' | b'[' => {
                if byte == b'(' && !word.is_empty() && !matches!(word.as_str(), "sizeof" | "_Alignof" | "__alignof__") {
                    return bad("it calls a function");
                }
                depth += 1;
            }
            b')' | b']' => depth -= 1,
            b';' | b'{' | b'}' | b'#' | b'"' | b'\\' | b'@' | b'$' | b'`' | b'\n' => return bad("a strange character"),
            b'/' if next == b'/' || next == b'*' => return bad("it holds a comment"),
            b'+' | b'-' if next == byte => return bad("it changes a variable"),
            b'=' if next != b'=' && !matches!(before, b'=' | b'<' | b'>' | b'!') => return bad("it is an assignment"),
            b'=' if matches!(before, b'<' | b'>') && at > 1 && bytes[at - 2] == before => {
                return bad("it is an assignment");
            }
            _ => {}
        }
        if depth < 0 {
            return bad("a parenthesis is missing");
        }
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9' => word.push(char::from(byte)),
            b' ' | b'\t' => {}
            _ => word.clear(),
        }
    }
    if depth == 0 { Ok(text) } else { bad("a parenthesis is missing") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_no_side_effects() {
        for good in ["x == 1", "(a <= 3 && !(b >= c)) || p->n[2] != 0", "sizeof(int) == 4", "(char)(x) < -1", "- -x"] {
            assert!(check_expression(good).is_ok(), "{good}");
        }
        let bad = ["", "x = 1", "x++", "f(1)", "1) || (1", "1; x", "x <<= 1", "x |= 1", "(1", "--x", "x /* 1", "f (1)"];
        for bad in bad {
            assert!(check_expression(bad).is_err(), "{bad}");
        }
    }
}
