//! Conditions worth trying before and after calls, in the spirit of [ECGN01]: what all observed calls have in common,
//! within a fixed set of shapes.
//!
//! - before: bounds of inputs by the program's constants, also where another input has a certain value;
//! - after: outputs as combinations of inputs, their parity, products and powers of two; order of outputs, inputs and
//!   constants; the value at each observed input. All that also for a part of the inputs only, `guard -> condition`.

use super::fit::fit;
use super::samples::{Sample, evaluate};
use cfa::{BinOp, Expr, ExprId, Exprs, Program, Scalar, UnOp, VarId};
use semantics::scalar;
use std::collections::BTreeSet;
use transform::Contract;

/// Most constants of the program that matter.
const MOST_CONSTANTS: usize = 10;
/// Most conditions of one kind.
const MOST_CONDITIONS: usize = 300;
/// Inputs whose outputs are listed one by one.
const LISTED: std::ops::RangeInclusive<i128> = 0..=64;

/// Guessed conditions, over the ghosts of a contract.
#[derive(Debug)]
pub struct Guess {
    /// Of inputs.
    pub before: Vec<ExprId>,
    /// Outputs as linear combinations of inputs.
    pub after: Vec<ExprId>,
    /// How outputs relate to constants and inputs.
    pub order: Vec<ExprId>,
    /// Outputs as other combinations of inputs, which are hard for solvers.
    pub hard: Vec<ExprId>,
}

impl Guess {
    /// What the samples do not refute.
    pub fn new(
        program: &Program,
        contract: &Contract,
        constants: &[i128],
        samples: &[Sample],
        exprs: &mut Exprs,
    ) -> Guess {
        let integers = |vars: &[(VarId, VarId)]| -> Vec<(usize, VarId, Scalar)> {
            let typed =
                vars.iter().enumerate().filter_map(|(at, (_, ghost))| Some((at, *ghost, program.register(*ghost)?)));
            typed.filter(|(_, _, ty)| ty.is_int()).collect()
        };
        let (inputs, outputs) = (integers(&contract.inputs), integers(&contract.outputs));
        let constants = constants.to_vec();
        let guess = Guess { before: Vec::new(), after: Vec::new(), order: Vec::new(), hard: Vec::new() };
        let mut guesser = Guesser { program, contract, samples, exprs, inputs, constants, guess };
        guesser.guess.before = guesser.before();
        let guards = guesser.guards();
        for output in outputs {
            guesser.after(output, &guards);
        }
        guesser.guess
    }
}

/// The constants that the program compares with, the smallest first.
pub fn constants(program: &Program) -> Vec<i128> {
    let mut found = BTreeSet::from([0, 1]);
    for operand in program.edges.iter().flat_map(|(_, edge)| edge.op.operands()) {
        program.exprs.visit(operand, |_, node| {
            if let Expr::Binary(op, a, b) = node
                && op.is_comparison()
            {
                found.extend([a, b].iter().filter_map(|side| program.exprs.integer(*side)));
            }
        });
    }
    let mut found: Vec<i128> = found.into_iter().collect();
    found.sort_by_key(|constant| constant.abs());
    found.truncate(MOST_CONSTANTS);
    found
}

/// A part of the inputs, and which samples lie in it.
struct Guard {
    condition: Option<ExprId>,
    inside: Vec<bool>,
}

struct Guesser<'a> {
    program: &'a Program,
    contract: &'a Contract,
    samples: &'a [Sample],
    exprs: &'a mut Exprs,
    /// Integers: index in the contract, ghost, type.
    inputs: Vec<(usize, VarId, Scalar)>,
    constants: Vec<i128>,
    guess: Guess,
}

impl Guesser<'_> {
    fn before(&mut self) -> Vec<ExprId> {
        let mut facts = Vec::new();
        let constants = self.constants.clone();
        for (_, ghost, ty) in self.inputs.clone() {
            let x = self.exprs.var(ghost, ty);
            for &constant in &constants {
                let constant = self.exprs.int(ty, constant);
                self.compare(x, constant, &mut facts);
            }
        }
        for ((_, a, ta), (_, b, tb)) in pairs(&self.inputs) {
            let (x, y) = (self.exprs.var(a, ta), self.exprs.var(b, tb));
            if ta == tb {
                self.compare(x, y, &mut facts);
            }
            for &value in &constants {
                let value = self.exprs.int(ta, value);
                let guard = self.exprs.binary(BinOp::Eq, x, value);
                let mut bounds = Vec::new();
                for &constant in &constants {
                    let constant = self.exprs.int(tb, constant);
                    self.compare(y, constant, &mut bounds);
                }
                facts.extend(bounds.into_iter().map(|bound| implies(self.exprs, Some(guard), bound)));
            }
        }
        facts.truncate(2 * MOST_CONDITIONS);
        facts
    }

    /// `x <= y`, `y <= x`, `x != y`.
    fn compare(&mut self, x: ExprId, y: ExprId, facts: &mut Vec<ExprId>) {
        let equal = self.exprs.binary(BinOp::Eq, x, y);
        facts.push(self.exprs.binary(BinOp::Le, x, y));
        facts.push(self.exprs.binary(BinOp::Le, y, x));
        facts.push(self.exprs.not(equal));
    }

    fn guards(&mut self) -> Vec<Guard> {
        let bounds: BTreeSet<i128> = self.constants.iter().flat_map(|&constant| [constant, constant + 1]).collect();
        let mut conditions = Vec::new();
        for (_, ghost, ty) in self.inputs.clone() {
            let x = self.exprs.var(ghost, ty);
            for &bound in &bounds {
                let bound = self.exprs.int(ty, bound);
                let less = self.exprs.binary(BinOp::Lt, x, bound);
                conditions.extend([self.exprs.binary(BinOp::Eq, x, bound), less, self.exprs.not(less)]);
            }
        }
        let part = |condition: ExprId| Guard {
            condition: Some(condition),
            inside: self.samples.iter().map(|sample| self.holds(sample, condition)).collect(),
        };
        let parts = conditions.into_iter().map(part);
        // A part that holds all samples or none says nothing new.
        parts.filter(|guard| guard.inside.contains(&true) && guard.inside.contains(&false)).collect()
    }

    fn holds(&self, sample: &Sample, condition: ExprId) -> bool {
        let of = |ghost: VarId| {
            let input = self.contract.inputs.iter().position(|(_, var)| *var == ghost).map(|at| sample.inputs[at]);
            let output = || self.contract.outputs.iter().position(|(_, var)| *var == ghost);
            input.or_else(|| output().map(|at| sample.outputs[at]))
        };
        evaluate(self.program, self.exprs, &of, condition) == Some(1)
    }

    fn after(&mut self, output: (usize, VarId, Scalar), guards: &[Guard]) {
        let all = Guard { condition: None, inside: vec![true; self.samples.len()] };
        let fits = self.combination(output, &all);
        if !fits {
            for guard in guards {
                self.combination(output, guard);
            }
            self.list(output);
        }
        let mut guarded = Vec::new();
        for atom in self.order(output) {
            let fails: Vec<bool> = self.samples.iter().map(|sample| !self.holds(sample, atom)).collect();
            let is_in = |guard: &Guard| !guard.inside.iter().zip(&fails).any(|(inside, fails)| *inside && *fails);
            if is_in(&all) {
                self.guess.order.push(atom);
            } else if !fits {
                let parts = guards.iter().filter(|guard| is_in(guard));
                guarded.extend(parts.map(|guard| implies(self.exprs, guard.condition, atom)));
            }
        }
        guarded.truncate(MOST_CONDITIONS);
        self.guess.order.extend(guarded);
    }

    /// How an output may relate to constants and inputs.
    fn order(&mut self, (_, ghost, ty): (usize, VarId, Scalar)) -> Vec<ExprId> {
        let y = self.exprs.var(ghost, ty);
        let mut atoms = Vec::new();
        for constant in self.constants.clone() {
            let constant = self.exprs.int(ty, constant);
            self.compare(y, constant, &mut atoms);
        }
        for (_, ghost, _) in self.inputs.clone().into_iter().filter(|(_, _, other)| *other == ty) {
            let x = self.exprs.var(ghost, ty);
            let one = self.exprs.int(ty, 1);
            let (above, below) = (self.exprs.binary(BinOp::Add, x, one), self.exprs.binary(BinOp::Sub, x, one));
            for other in [x, above, below] {
                self.compare(y, other, &mut atoms);
            }
        }
        atoms
    }

    /// Of functions with one input, the output at each that was seen.
    fn list(&mut self, (at, ghost, ty): (usize, VarId, Scalar)) {
        let &[(_, input, input_type)] = &self.inputs[..] else { return };
        if self.contract.inputs.len() != 1 {
            return;
        }
        for sample in self.samples {
            let value = self.number(sample.inputs[0], input_type);
            if LISTED.contains(&value) {
                let (x, y) = (self.exprs.var(input, input_type), self.exprs.var(ghost, ty));
                let (value, seen) = (self.exprs.int(input_type, value), self.exprs.bits(ty, sample.outputs[at]));
                let (guard, equal) = (self.exprs.binary(BinOp::Eq, x, value), self.exprs.binary(BinOp::Eq, y, seen));
                self.guess.after.push(implies(self.exprs, Some(guard), equal));
            }
        }
    }

    /// Adds an output as the simplest combination of features that fits the samples inside a guard, if there is one.
    fn combination(&mut self, (at, ghost, ty): (usize, VarId, Scalar), guard: &Guard) -> bool {
        let inside: Vec<&Sample> =
            self.samples.iter().zip(&guard.inside).filter(|(_, inside)| **inside).map(|(sample, _)| sample).collect();
        let values: Vec<i128> = inside.iter().map(|sample| self.number(sample.outputs[at], ty)).collect();
        let numbers: Vec<Vec<i128>> = inside
            .iter()
            .map(|sample| self.inputs.iter().map(|&(at, _, ty)| self.number(sample.inputs[at], ty)).collect())
            .collect();
        let width = ty.bits(self.program.model);
        for family in families(self.inputs.len()) {
            let row = |inputs: &Vec<i128>| family.iter().map(|feature| feature.value(inputs, width)).collect();
            let rows: Vec<Vec<i128>> = numbers.iter().map(row).collect();
            let Some(coefficients) = fit(&rows, &values, width) else { continue };
            let y = self.exprs.var(ghost, ty);
            let sum = self.sum(&family, &coefficients, ty);
            let equal = self.exprs.binary(BinOp::Eq, y, sum);
            let fact = implies(self.exprs, guard.condition, equal);
            let is_hard = matches!(family.last(), Some(Feature::Product(..) | Feature::Power(_)));
            if is_hard {
                self.guess.hard.push(fact)
            } else {
                self.guess.after.push(fact)
            }
            return true;
        }
        false
    }

    /// An encoding as a small number, also for unsigned types, where arithmetic wraps.
    fn number(&self, bits: u128, ty: Scalar) -> i128 {
        scalar::sign_extend(bits, ty.bits(self.program.model)) as i128
    }

    fn sum(&mut self, family: &[Feature], coefficients: &[i128], ty: Scalar) -> ExprId {
        let mut sum: Option<ExprId> = None;
        for (feature, &coefficient) in family.iter().zip(coefficients).filter(|(_, coefficient)| **coefficient != 0) {
            let value = feature.expr(self, ty);
            let part = match coefficient {
                1 => value,
                -1 => self.exprs.unary(UnOp::Neg, value),
                _ => {
                    let factor = self.exprs.int(ty, coefficient);
                    semantics::fold::binary(self.exprs, BinOp::Mul, factor, value)
                }
            };
            sum = Some(sum.map_or(part, |sum| self.exprs.binary(BinOp::Add, sum, part)));
        }
        sum.unwrap_or_else(|| self.exprs.int(ty, 0))
    }
}

/// What outputs are combined of.
#[derive(Clone, Copy, Debug)]
enum Feature {
    One,
    Input(usize),
    /// The lowest bit.
    Parity(usize),
    Product(usize, usize),
    /// Two to the power of an input, modulo the width.
    Power(usize),
}

impl Feature {
    fn value(self, inputs: &[i128], width: u32) -> i128 {
        match self {
            Feature::One => 1,
            Feature::Input(at) => inputs[at],
            Feature::Parity(at) => inputs[at] & 1,
            Feature::Product(a, b) => inputs[a].wrapping_mul(inputs[b]),
            Feature::Power(at) => 1 << (inputs[at] & i128::from(width - 1)).min(126),
        }
    }

    fn expr(self, guesser: &mut Guesser, ty: Scalar) -> ExprId {
        let mut input = |at: usize| {
            let (_, ghost, from) = guesser.inputs[at];
            let x = guesser.exprs.var(ghost, from);
            if from == ty { x } else { guesser.exprs.cast(x, ty) }
        };
        match self {
            Feature::One => guesser.exprs.int(ty, 1),
            Feature::Input(at) => input(at),
            Feature::Parity(at) => {
                let (x, one) = (input(at), guesser.exprs.int(ty, 1));
                guesser.exprs.binary(BinOp::And, x, one)
            }
            Feature::Product(a, b) => {
                let (x, y) = (input(a), input(b));
                guesser.exprs.binary(BinOp::Mul, x, y)
            }
            Feature::Power(at) => {
                let x = input(at);
                let width = i128::from(ty.bits(guesser.program.model));
                let (one, mask) = (guesser.exprs.int(ty, 1), guesser.exprs.int(ty, width - 1));
                let by = guesser.exprs.binary(BinOp::And, x, mask);
                guesser.exprs.binary(BinOp::Shl, one, by)
            }
        }
    }
}

/// Sets of features, the simple ones first.
fn families(inputs: usize) -> Vec<Vec<Feature>> {
    let mut linear = vec![Feature::One];
    linear.extend((0..inputs).map(Feature::Input));
    let mut further: Vec<Feature> = (0..inputs).map(Feature::Parity).collect();
    further.extend((0..inputs).flat_map(|a| (a..inputs).map(move |b| Feature::Product(a, b))));
    further.extend((0..inputs).map(Feature::Power));
    let mut families = vec![vec![Feature::One], linear.clone()];
    families.extend(further.into_iter().map(|one| linear.iter().copied().chain([one]).collect()));
    families
}

fn pairs<T: Copy>(all: &[T]) -> Vec<(T, T)> {
    let ordered =
        all.iter().enumerate().flat_map(|(a, x)| all.iter().enumerate().map(move |(b, y)| ((a, *x), (b, *y))));
    ordered.filter(|((a, _), (b, _))| a != b).map(|((_, x), (_, y))| (x, y)).collect()
}

fn implies(exprs: &mut Exprs, guard: Option<ExprId>, fact: ExprId) -> ExprId {
    let Some(guard) = guard else { return fact };
    let outside = exprs.not(guard);
    exprs.binary(BinOp::Or, outside, fact)
}
