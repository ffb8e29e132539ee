//! Diagrams as formulas: nested choices on the class of one variable after the other, so that the questions are those
//! of the program (`a == 3`), and every node is one formula, however often it is used.

use super::compile::Compiler;
use bdd::{BddStore, Interrupted};
use cfa::{BinOp, ExprId, Exprs, Program, Scalar, VarId};
use std::collections::HashMap;

/// A variable with more classes than this is asked for one bit of its class at a time.
const MOST_CHOICES: usize = 32;

/// A choice: where the variable lies in these ranges, that function is left.
struct Choice<F> {
    ranges: Vec<(i128, i128)>,
    rest: F,
}

/// Functions to make formulas of; those with choices when all that is left by them is done.
type Waiting<F> = Vec<(F, Option<(VarId, Vec<Choice<F>>)>)>;

impl<S: BddStore> Compiler<S> {
    /// The set as a truth value.
    pub fn invariant(&self, program: &Program, exprs: &mut Exprs, set: &S::Function) -> Result<ExprId, Interrupted> {
        let mut owners: HashMap<u32, (VarId, usize)> = HashMap::new();
        for (var, coded) in &self.coded {
            owners.extend(coded.bits.iter().enumerate().map(|(place, bit)| (*bit, (*var, place))));
        }
        let mut done: HashMap<S::Function, ExprId> = HashMap::new();
        let mut stack: Waiting<S::Function> = vec![(set.clone(), None)];
        while let Some((function, choices)) = stack.pop() {
            if done.contains_key(&function) {
                continue;
            }
            if let Some((var, choices)) = choices {
                let made = self.nested(program, exprs, var, &choices, &done);
                done.insert(function, made);
                continue;
            }
            let Some((bit, yes, no)) = self.store.branch(&function) else {
                let truth = exprs.bool(!self.store.is_false(&function));
                done.insert(function, truth);
                continue;
            };
            let (var, place) = owners[&bit];
            let choices = match self.coded[&var].codes.len() {
                0..=MOST_CHOICES => self.by_class(&function, var)?,
                _ => self.by_bit(var, place, yes, no),
            };
            let rests: Vec<S::Function> = choices.iter().map(|choice| choice.rest.clone()).collect();
            stack.push((function, Some((var, choices))));
            stack.extend(rests.into_iter().map(|rest| (rest, None)));
        }
        Ok(done[set])
    }

    /// What is left of a function in each class of a variable; classes that leave the same together.
    fn by_class(&self, function: &S::Function, var: VarId) -> Result<Vec<Choice<S::Function>>, Interrupted> {
        let coded = &self.coded[&var];
        let mut choices: Vec<Choice<S::Function>> = Vec::new();
        for (code, class) in coded.codes.iter().zip(&coded.partition.classes) {
            let rest = self.store.and_exists(function, code, &coded.cube)?;
            match choices.iter_mut().find(|choice| choice.rest == rest) {
                Some(choice) => choice.ranges.extend(class.iter()),
                None => choices.push(Choice { ranges: class.iter().collect(), rest }),
            }
        }
        Ok(choices)
    }

    /// What is left where the class of a variable has this bit, and where not.
    fn by_bit(&self, var: VarId, place: usize, yes: S::Function, no: S::Function) -> Vec<Choice<S::Function>> {
        let coded = &self.coded[&var];
        let ranges = |wanted: bool| {
            let classes = coded.partition.classes.iter().enumerate();
            let members = classes.filter(|(class, _)| coded.has_bit(*class, place) == wanted);
            members.flat_map(|(_, class)| class.iter()).collect()
        };
        vec![Choice { ranges: ranges(true), rest: yes }, Choice { ranges: ranges(false), rest: no }]
    }

    /// The choices one after the other; the one that is longest to describe is what remains.
    fn nested(
        &self,
        program: &Program,
        exprs: &mut Exprs,
        var: VarId,
        choices: &[Choice<S::Function>],
        done: &HashMap<S::Function, ExprId>,
    ) -> ExprId {
        let ty = program.register(var).expect("only registers are tracked");
        let longest = (0..choices.len()).max_by_key(|&at| choices[at].ranges.len()).expect("some class is left");
        let mut made = done[&choices[longest].rest];
        for (_, choice) in choices.iter().enumerate().filter(|(at, _)| *at != longest) {
            let condition = within(exprs, var, ty, &choice.ranges);
            made = self::choice(exprs, condition, done[&choice.rest], made);
        }
        made
    }
}

/// Whether the variable lies in one of the ranges.
fn within(exprs: &mut Exprs, var: VarId, ty: Scalar, ranges: &[(i128, i128)]) -> ExprId {
    let x = exprs.var(var, ty);
    let mut any = None;
    for &(low, high) in ranges {
        let (from, to) = (exprs.int(ty, low), exprs.int(ty, high));
        let inside = if low == high {
            exprs.binary(BinOp::Eq, x, from)
        } else {
            let (above, below) = (exprs.binary(BinOp::Le, from, x), exprs.binary(BinOp::Le, x, to));
            exprs.binary(BinOp::And, above, below)
        };
        any = Some(any.map_or(inside, |other| exprs.binary(BinOp::Or, other, inside)));
    }
    any.unwrap_or_else(|| exprs.bool(false))
}

/// A choice between truth values, without constants where possible.
fn choice(exprs: &mut Exprs, condition: ExprId, yes: ExprId, no: ExprId) -> ExprId {
    match (exprs.constant(yes), exprs.constant(no)) {
        (Some(1), Some(0)) => condition,
        (Some(0), Some(1)) => exprs.not(condition),
        (Some(1), None) => exprs.binary(BinOp::Or, condition, no),
        (None, Some(0)) => exprs.binary(BinOp::And, condition, yes),
        (Some(0), None) => {
            let otherwise = exprs.not(condition);
            exprs.binary(BinOp::And, otherwise, no)
        }
        (None, Some(1)) => {
            let otherwise = exprs.not(condition);
            exprs.binary(BinOp::Or, otherwise, yes)
        }
        _ => exprs.ite(condition, yes, no),
    }
}
