//! What generated programs look like: counters that may wrap, nests, phases, gcd and its like, bit tricks, walks through
//! tables and lists, recursion, and random mixtures.

use super::{Comparison, Condition, Home, Looping, Operator, Shape, Statement, Value, Width};
use semantics::random::Random;

/// The program of a seed; kinds take turns.
pub fn shape(seed: u64, random: &mut Random) -> Looping {
    let count = 2 + random.below(2) as usize;
    let variables: Vec<Width> = (0..count).map(|_| width(random)).collect();
    let table = std::array::from_fn(|_| random.below(8) as u8);
    let mut make = Make { random, count };
    let shape = match seed % 8 {
        0 => Shape::Loops(make.counter()),
        1 => Shape::Loops(make.nest()),
        2 => Shape::Loops(make.phases()),
        3 => Shape::Loops(make.remainders()),
        4 => Shape::Loops(make.bits()),
        5 => make.recursion(),
        6 => make.list(),
        _ => Shape::Loops(make.mixture()),
    };
    let home = [Home::Locals, Home::Pointers, Home::Members, Home::Globals][(seed / 8 % 4) as usize];
    Looping { seed, variables, home, table, shape }
}

fn width(random: &mut Random) -> Width {
    Width { bits: if random.below(4) == 0 { 16 } else { 8 }, signed: random.below(2) == 0 }
}

struct Make<'r> {
    random: &'r mut Random,
    count: usize,
}

fn number(value: i64) -> Value {
    Value::Number(value)
}

fn variable(at: usize) -> Value {
    Value::Variable(at)
}

fn binary(operator: Operator, a: Value, b: Value) -> Value {
    Value::Binary(operator, Box::new(a), Box::new(b))
}

fn plus(at: usize, by: i64) -> Statement {
    Statement::Assign(at, binary(Operator::Add, variable(at), number(by)))
}

fn compare(how: Comparison, a: Value, b: Value) -> Condition {
    Condition::Compare(how, a, b)
}

impl Make<'_> {
    fn below(&mut self, bound: i64) -> i64 {
        self.random.below(bound as u64) as i64
    }

    fn coin(&mut self) -> bool {
        self.random.below(2) == 0
    }

    fn any(&mut self) -> usize {
        self.random.below(self.count as u64) as usize
    }

    fn comparison(&mut self) -> Comparison {
        const ALL: [Comparison; 5] = [Comparison::Lt, Comparison::Le, Comparison::Eq, Comparison::Ne, Comparison::Gt];
        ALL[self.random.below(5) as usize]
    }

    fn step(&mut self) -> i64 {
        [1, -1, 2, -2, 3, 0, 5, -3][self.random.below(8) as usize]
    }

    fn inputs(&mut self) -> Vec<Statement> {
        (0..self.count)
            .map(|at| match self.below(3) {
                0 => Statement::Assign(at, number(self.below(300) - 150)),
                1 => Statement::Input(at, 4),
                _ => Statement::Input(at, 16),
            })
            .collect()
    }

    /// A counter runs to a limit, perhaps past it.
    fn counter(&mut self) -> Vec<Statement> {
        let mut all = self.inputs();
        let (step, how) = (self.step(), self.comparison());
        let limit = if self.coin() { variable(1) } else { number(self.below(260) - 130) };
        let mut body = vec![plus(0, step)];
        if self.coin() {
            let other = self.step();
            body.push(Statement::If(Condition::Any, vec![plus(1, other)], Vec::new()));
        }
        all.push(Statement::While(compare(how, variable(0), limit), body));
        all
    }

    /// A loop in a loop.
    fn nest(&mut self) -> Vec<Statement> {
        let mut all = self.inputs();
        let (outer, inner) = (self.comparison(), self.comparison());
        let (up, down, reset) = (self.step(), self.step(), self.below(5));
        let bound = if self.coin() { variable(0) } else { number(self.below(20)) };
        let inside = Statement::While(compare(inner, variable(1), bound), vec![plus(1, up)]);
        let mut body = vec![Statement::Assign(1, number(reset)), inside, plus(0, down)];
        if self.coin() {
            body.swap(0, 2);
        }
        all.push(Statement::While(compare(outer, variable(0), number(self.below(30))), body));
        all
    }

    /// One variable drives another.
    fn phases(&mut self) -> Vec<Statement> {
        let mut all = self.inputs();
        let drift = self.step();
        let first = Statement::Assign(0, binary(Operator::Add, variable(0), variable(1)));
        let (how, limit) = (self.comparison(), self.below(40) - 20);
        let mut condition = compare(how, variable(0), number(limit));
        if self.coin() {
            let other = compare(self.comparison(), variable(1), number(self.below(20) - 10));
            condition = if self.coin() {
                Condition::And(Box::new(condition), Box::new(other))
            } else {
                Condition::Or(Box::new(condition), Box::new(other))
            };
        }
        let split = compare(self.comparison(), variable(1), number(self.below(9) - 4));
        let step = self.step();
        let body = if self.coin() {
            vec![first, plus(1, drift)]
        } else {
            vec![Statement::If(split, vec![plus(0, step)], vec![plus(1, drift)])]
        };
        all.push(Statement::While(condition, body));
        all
    }

    /// Euclid and relatives.
    fn remainders(&mut self) -> Vec<Statement> {
        let mut all = self.inputs();
        let by_subtraction = Statement::If(
            compare(Comparison::Gt, variable(0), variable(1)),
            vec![Statement::Assign(0, binary(Operator::Sub, variable(0), variable(1)))],
            vec![Statement::Assign(1, binary(Operator::Sub, variable(1), variable(0)))],
        );
        let operator = if self.coin() { Operator::Rem } else { Operator::Div };
        let by_division = vec![
            Statement::Assign(0, binary(operator, variable(0), variable(1))),
            Statement::Assign(1, binary(Operator::Sub, variable(1), variable(0))),
        ];
        let condition = match self.below(3) {
            0 => compare(Comparison::Ne, variable(0), variable(1)),
            1 => compare(Comparison::Gt, variable(1), number(self.below(3))),
            _ => compare(Comparison::Ne, variable(0), number(0)),
        };
        let body = if self.coin() { vec![by_subtraction] } else { by_division };
        all.push(Statement::While(condition, body));
        all
    }

    /// Shifts and masks.
    fn bits(&mut self) -> Vec<Statement> {
        let mut all = self.inputs();
        let less = binary(Operator::Sub, variable(0), number(1));
        let next = match self.below(6) {
            0 => binary(Operator::And, variable(0), less),
            1 => binary(Operator::Shr, variable(0), number(1 + self.below(3))),
            2 => binary(Operator::Xor, variable(0), binary(Operator::Shr, variable(0), number(1))),
            3 => binary(Operator::And, variable(0), number(self.below(256))),
            4 => binary(Operator::Or, less, number(self.below(4))),
            _ => binary(Operator::Div, variable(0), number(2)),
        };
        let body = vec![Statement::Assign(0, next), plus(1, 1)];
        let how = if self.coin() { Comparison::Ne } else { Comparison::Gt };
        all.push(Statement::While(compare(how, variable(0), number(self.below(2))), body));
        all
    }

    fn recursion(&mut self) -> Shape {
        let mut calls = Vec::new();
        for _ in 0..1 + self.below(2) {
            let at = self.any();
            let how = if self.coin() { Comparison::Gt } else { self.comparison() };
            let condition = compare(how, variable(at), number(self.below(3)));
            let args = (0..self.count)
                .map(|arg| {
                    let step = if arg == at { -1 - self.below(2) } else { self.step() };
                    let from = if self.below(6) == 0 { self.any() } else { arg };
                    binary(Operator::Add, variable(from), number(step))
                })
                .collect();
            calls.push((condition, args));
        }
        Shape::Recursion(calls, (0..self.count).map(|_| 4).collect())
    }

    fn list(&mut self) -> Shape {
        let count = 3 + self.below(6);
        let next = (0..count)
            .map(|at| match self.below(5) {
                0 => None,
                1 => Some(self.below(count) as usize),
                _ => Some(at as usize + 1).filter(|&to| (to as i64) < count),
            })
            .collect();
        Shape::List(next, 1 + self.below(3))
    }

    /// Random statements.
    fn mixture(&mut self) -> Vec<Statement> {
        let mut all = self.inputs();
        all.extend(self.block(2));
        all
    }

    fn block(&mut self, depth: u32) -> Vec<Statement> {
        (0..1 + self.below(3)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Statement {
        match (depth, self.below(6)) {
            (1.., 0) => Statement::If(self.condition(), self.block(depth - 1), self.block(depth - 1)),
            (1.., 1 | 2) => {
                let condition = self.condition();
                let mut body = self.block(depth - 1);
                let (at, step) = (self.any(), self.step());
                body.push(plus(at, step));
                Statement::While(condition, body)
            }
            (_, 3) => Statement::Assign(self.any(), Value::Entry(self.any())),
            (_, _) => Statement::Assign(self.any(), self.value()),
        }
    }

    fn value(&mut self) -> Value {
        const ALL: [Operator; 8] = [
            Operator::Add,
            Operator::Sub,
            Operator::Div,
            Operator::Rem,
            Operator::And,
            Operator::Or,
            Operator::Xor,
            Operator::Shr,
        ];
        let operator = ALL[self.random.below(8) as usize];
        let other = if self.coin() { variable(self.any()) } else { number(self.below(9) - 4) };
        binary(operator, variable(self.any()), other)
    }

    fn condition(&mut self) -> Condition {
        if self.below(8) == 0 {
            return Condition::Any;
        }
        let limit = if self.coin() { variable(self.any()) } else { number(self.below(40) - 20) };
        compare(self.comparison(), variable(self.any()), limit)
    }
}
