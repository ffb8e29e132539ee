//! Whether a generated program always ends, by enumeration of its states. The evaluator here is of its own, a page of
//! code that knows nothing of the verifier.

use super::{Comparison, Condition, Looping, Operator, Shape, Statement, Value};
use std::collections::HashMap;

/// More states than this are not enumerated.
const MOST_STATES: usize = 400_000;

/// An instruction.
enum Step {
    Assign(usize, Value),
    Input(usize, i64),
    /// Where to go if the condition does not hold.
    Unless(Condition, usize),
    Jump(usize),
}

type State = (usize, Vec<i64>);

/// Whether every execution ends; `None` if there are too many states.
pub fn ends(program: &Looping) -> Option<bool> {
    match &program.shape {
        Shape::Loops(body) => {
            let mut steps = Vec::new();
            flatten(body, &mut steps);
            let start = (0, vec![0; program.variables.len()]);
            acyclic(vec![start], |state| next(program, &steps, state))
        }
        Shape::Recursion(calls, bounds) => {
            let mut starts: Vec<State> = vec![(0, Vec::new())];
            for bound in bounds {
                starts = starts
                    .into_iter()
                    .flat_map(|(at, known)| (0..*bound).map(move |value| (at, [known.clone(), vec![value]].concat())))
                    .collect();
            }
            acyclic(starts, |(_, values)| {
                let mut called = Vec::new();
                for (condition, args) in calls {
                    if holds(program, condition, values).contains(&true) {
                        let wraps = args.iter().zip(&program.variables);
                        called.push((0, wraps.map(|(arg, width)| width.wrap(of(program, arg, values))).collect()));
                    }
                }
                called
            })
        }
        Shape::List(nodes, starts) => {
            let starts = (0..*starts).map(|start| (start as usize, Vec::new())).collect();
            acyclic(starts, |(at, _)| nodes[*at].map(|to| (to, Vec::new())).into_iter().collect())
        }
    }
}

/// Depth-first search for a state that is still being explored.
fn acyclic(starts: Vec<State>, next: impl Fn(&State) -> Vec<State>) -> Option<bool> {
    let mut done: HashMap<State, bool> = HashMap::new();
    for start in starts {
        let mut stack = vec![(start, None::<Vec<State>>)];
        while let Some((state, waiting)) = stack.last_mut() {
            if waiting.is_none() {
                match done.get(state) {
                    Some(true) => {
                        stack.pop();
                        continue;
                    }
                    Some(false) => return Some(false),
                    None => {}
                }
                done.insert(state.clone(), false);
                if done.len() > MOST_STATES {
                    return None;
                }
                *waiting = Some(next(state));
            }
            match waiting.as_mut().and_then(Vec::pop) {
                Some(child) => stack.push((child, None)),
                None => {
                    let state = state.clone();
                    done.insert(state, true);
                    stack.pop();
                }
            }
        }
    }
    Some(true)
}

fn flatten(body: &[Statement], steps: &mut Vec<Step>) {
    for statement in body {
        match statement {
            Statement::Assign(to, value) => steps.push(Step::Assign(*to, value.clone())),
            Statement::Input(to, bound) => steps.push(Step::Input(*to, *bound)),
            Statement::If(condition, yes, no) => {
                let branch = steps.len();
                steps.push(Step::Jump(0));
                flatten(yes, steps);
                let jump = steps.len();
                steps.push(Step::Jump(0));
                steps[branch] = Step::Unless(condition.clone(), jump + 1);
                flatten(no, steps);
                steps[jump] = Step::Jump(steps.len());
            }
            Statement::While(condition, body) => {
                let head = steps.len();
                steps.push(Step::Jump(0));
                flatten(body, steps);
                steps.push(Step::Jump(head));
                steps[head] = Step::Unless(condition.clone(), steps.len());
            }
        }
    }
}

fn next(program: &Looping, steps: &[Step], (at, values): &State) -> Vec<State> {
    let set = |to: usize, value: i64| {
        let mut values = values.clone();
        values[to] = program.variables[to].wrap(value);
        (at + 1, values)
    };
    match steps.get(*at) {
        None => Vec::new(),
        Some(Step::Assign(to, value)) => vec![set(*to, of(program, value, values))],
        Some(Step::Input(to, bound)) => (0..*bound).map(|value| set(*to, value)).collect(),
        Some(Step::Jump(to)) => vec![(*to, values.clone())],
        Some(Step::Unless(condition, to)) => {
            let go = |yes: bool| if yes { at + 1 } else { *to };
            holds(program, condition, values).into_iter().map(|yes| (go(yes), values.clone())).collect()
        }
    }
}

fn of(program: &Looping, value: &Value, values: &[i64]) -> i64 {
    match value {
        Value::Number(number) => *number,
        Value::Variable(at) => values[*at],
        Value::Entry(at) => i64::from(program.table[(values[*at] & 7) as usize]),
        Value::Binary(operator, a, b) => {
            let (a, b) = (of(program, a, values), of(program, b, values));
            match operator {
                Operator::Add => a + b,
                Operator::Sub => a - b,
                Operator::Div => a / (b | 1),
                Operator::Rem => a % (b | 1),
                Operator::And => a & b,
                Operator::Or => a | b,
                Operator::Xor => a ^ b,
                Operator::Shr => a >> (b & 3),
            }
        }
    }
}

/// The truth values that a condition may have; C evaluates from left to right, and inputs are free.
fn holds(program: &Looping, condition: &Condition, values: &[i64]) -> Vec<bool> {
    let both = |a: &Condition, b: &Condition, stops: bool| {
        let mut found = Vec::new();
        for first in holds(program, a, values) {
            if first == stops {
                found.push(first);
            } else {
                found.extend(holds(program, b, values));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    };
    match condition {
        Condition::Compare(how, a, b) => {
            let (a, b) = (of(program, a, values), of(program, b, values));
            vec![match how {
                Comparison::Lt => a < b,
                Comparison::Le => a <= b,
                Comparison::Eq => a == b,
                Comparison::Ne => a != b,
                Comparison::Gt => a > b,
            }]
        }
        Condition::And(a, b) => both(a, b, false),
        Condition::Or(a, b) => both(a, b, true),
        Condition::Any => vec![false, true],
    }
}
