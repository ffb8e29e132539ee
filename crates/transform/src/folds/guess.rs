//! Facts about the ghosts of folds that are worth trying at loop heads: that the elements are those of the last fold,
//! but for one that was taken out and one that was put in, which some variable or element holds; and what results of
//! folds became. A loop's first iteration often makes the difference, so facts are also tried with and without it.

use super::rewrite::{Ghosts, Last, Quotient};
use super::step::Fold;
use crate::arrays::Arrays;
use crate::reads::variables;
use crate::starts::starts;
use cfa::{BinOp, Expr, ExprId, FunctionId, Node, Op, Program, Scalar, VarId, VarKind};
use flow::regions::Region;
use flow::{LoopId, Loops, Prepared};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Most facts per loop head.
const MOST_FACTS: usize = 400;
/// Most registers of a function that are compared with ghosts.
const MOST_REGISTERS: usize = 10;

struct Guess<'a> {
    source: &'a Program,
    program: &'a mut Program,
    arrays: &'a Arrays,
    loops: Arc<Loops>,
    folds: &'a [Fold],
    ghosts: &'a BTreeMap<Region, Ghosts>,
    results: &'a [(Last, Vec<VarId>)],
    quotients: &'a BTreeMap<ExprId, Quotient>,
}

/// What [`guess`] is about: folds, and by array, fold and division their ghosts.
type About<'a> = (&'a [Fold], &'a BTreeMap<Region, Ghosts>, &'a [(Last, Vec<VarId>)], &'a BTreeMap<ExprId, Quotient>);

/// Facts at the loop heads of `source` that are not folds, over the expressions and ghosts of `program`.
pub(super) fn guess(
    source: &Prepared,
    program: &mut Program,
    arrays: &Arrays,
    (folds, ghosts, results, quotients): About,
) -> Vec<(Node, ExprId)> {
    assert_eq!(folds.len(), results.len(), "every fold has results");
    let mut guess = Guess { source, program, arrays, loops: source.loops(), folds, ghosts, results, quotients };
    let mut facts = Vec::new();
    let rest = guess.loops.loops.iter().filter(|(_, one)| folds.iter().all(|fold| fold.head != one.head));
    for (id, head) in rest.map(|(id, one)| (id, one.head)).collect::<Vec<_>>() {
        facts.extend(guess.at(id).into_iter().map(|fact| (head, fact)));
    }
    facts
}

impl Guess<'_> {
    fn at(&mut self, id: LoopId) -> Vec<ExprId> {
        let function = self.loops.loops[id].function;
        let mut facts = self.about_folds(function);
        let elements = self.about_elements(id);
        for guard in self.first_iteration(id) {
            let later = self.program.exprs.not(guard);
            for &fact in &elements {
                for guard in [guard, later] {
                    facts.push(self.program.exprs.binary(BinOp::Or, guard, fact));
                }
            }
        }
        facts.extend(elements);
        let mut seen = BTreeSet::new();
        facts.retain(|&fact| self.program.exprs.constant(fact).is_none() && seen.insert(fact));
        facts.retain(|&fact| self.is_visible(fact, function));
        facts.truncate(MOST_FACTS);
        facts
    }

    fn is_visible(&self, id: ExprId, function: FunctionId) -> bool {
        let vars = variables(&self.program.exprs, id);
        vars.iter().all(|&var| self.program.vars[var].function.is_none_or(|owner| owner == function))
    }

    fn var(&mut self, var: VarId) -> ExprId {
        let ty = self.program.register(var).expect("ghosts are registers");
        self.program.exprs.var(var, ty)
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let exprs = &mut self.program.exprs;
        (exprs.ty(a) == exprs.ty(b)).then(|| exprs.binary(BinOp::Eq, a, b))
    }

    /// The registers that a function sees and people named.
    fn registers(&mut self, function: FunctionId) -> Vec<ExprId> {
        let named = |var: &VarId| {
            let info = &self.source.vars[*var];
            let kind = !matches!(info.kind, VarKind::Temporary | VarKind::Result);
            kind && info.function.is_none_or(|owner| owner == function)
        };
        let vars: Vec<(VarId, Scalar)> = self
            .source
            .vars
            .ids()
            .filter(named)
            .filter_map(|var| {
                let ty = self.source.register(var)?;
                ty.is_int().then_some((var, ty))
            })
            .collect();
        vars.into_iter().take(MOST_REGISTERS).map(|(var, ty)| self.program.exprs.var(var, ty)).collect()
    }

    /// What was folded last, from where to where, and what came of it.
    fn about_folds(&mut self, function: FunctionId) -> Vec<ExprId> {
        let registers = self.registers(function);
        let mut facts = Vec::new();
        for (fold, (last, results)) in self.folds.iter().zip(self.results) {
            let ghosts = self.ghosts[&last.region];
            let (token, current) = (self.var(last.token), self.var(ghosts.token));
            facts.extend(self.equal(token, current));
            facts.extend(self.range(fold, ghosts));
            let starts: Vec<ExprId> = fold.neutral.iter().map(|(start, _)| *start).collect();
            let parameters: Vec<ExprId> = fold.parameters.iter().map(|&var| self.var(var)).collect();
            for &key in &last.keys {
                let key = self.var(key);
                for &value in starts.iter().chain(&parameters) {
                    facts.extend(self.equal(key, value));
                }
            }
            let given: Vec<ExprId> = results.iter().map(|&var| self.var(var)).collect();
            for (&before, &value) in last.results.iter().zip(&given) {
                let before = self.var(before);
                facts.extend(self.equal(before, value));
            }
            facts.extend(self.divided(fold, &given));
            for value in self.returned(fold, &given).into_iter().chain(given.iter().copied()) {
                for &register in &registers {
                    facts.extend(self.equal(register, value));
                }
            }
        }
        facts
    }

    /// The elements from the first one, or one after it, to the bound of the fold.
    fn range(&mut self, fold: &Fold, ghosts: Ghosts) -> Vec<ExprId> {
        let array = &self.arrays.arrays[&fold.region];
        let bytes = array.ty.bytes(self.source.model);
        let (from, to) = (self.var(ghosts.from), self.var(ghosts.to));
        let exprs = &mut self.program.exprs;
        let ty = exprs.ty(from);
        let (zero, one) = (exprs.int(ty, 0), exprs.int(ty, i128::from(bytes)));
        let end = exprs.cast(fold.bound, ty);
        let end = exprs.binary(BinOp::Mul, end, one);
        let mut facts: Vec<ExprId> =
            [(from, zero), (from, one), (to, zero), (to, end)].map(|(a, b)| exprs.binary(BinOp::Eq, a, b)).into();
        let most = (1_i128 << (self.program.model.pointer_bits() - 1)) / i128::from(bytes);
        let wide = Scalar::int(128, true);
        let (bound, most) = (exprs.cast(fold.bound, wide), exprs.int(wide, most));
        facts.push(exprs.binary(BinOp::Le, bound, most));
        facts
    }

    /// Results in place of accumulators.
    fn names(&mut self, fold: &Fold, given: &[ExprId]) -> FxHashMap<ExprId, ExprId> {
        fold.accumulators.iter().zip(given).map(|(&var, &value)| (self.var(var), value)).collect()
    }

    /// What was divided last, over the results of a fold.
    fn divided(&mut self, fold: &Fold, given: &[ExprId]) -> Vec<ExprId> {
        let mut names = self.names(fold, given);
        let mut facts = Vec::new();
        for (&division, &quotient) in self.quotients {
            let Expr::Binary(_, a, b) = self.source.exprs.node(division) else { continue };
            for (last, operand) in [(quotient.dividend, a), (quotient.divisor, b)] {
                let (last, operand) = (self.var(last), self.program.exprs.substitute(operand, &mut names));
                facts.extend(self.equal(last, operand));
            }
        }
        facts
    }

    /// What the function of a fold returns, over the results of the fold.
    fn returned(&mut self, fold: &Fold, given: &[ExprId]) -> Vec<ExprId> {
        let function = self.source.nodes[fold.head].function;
        let mut names = self.names(fold, given);
        for (&division, &quotient) in self.quotients {
            let result = self.var(quotient.result);
            names.insert(division, result);
        }
        let edges = self.source.edges.iter().filter(|(_, edge)| self.source.nodes[edge.from].function == function);
        let values: Vec<ExprId> = edges
            .filter_map(|(_, edge)| match edge.op {
                Op::Return(value) => value,
                _ => None,
            })
            .collect();
        let mut found = Vec::new();
        for value in values {
            let mut loads = false;
            self.source.exprs.visit(value, |_, node| loads |= matches!(node, Expr::Load(_) | Expr::Living(_)));
            let value = self.program.exprs.substitute(value, &mut names);
            let local =
                variables(&self.program.exprs, value).iter().any(|var| self.program.vars[*var].function.is_some());
            if !loads && !local && self.program.exprs.constant(value).is_none() {
                found.push(value);
            }
        }
        found
    }

    /// Which elements are out and in, for each array that the loop accesses.
    fn about_elements(&mut self, id: LoopId) -> Vec<ExprId> {
        let registers = self.registers(self.loops.loops[id].function);
        let mut facts = Vec::new();
        for (&region, &ghosts) in self.ghosts {
            let ty = self.arrays.arrays[&region].ty;
            let inside = |access: &&crate::arrays::Access| {
                access.region == region && self.loops.contains(id, self.source.edges[access.edge].from)
            };
            let pointers: BTreeSet<ExprId> =
                self.arrays.accesses.iter().filter(inside).map(|access| access.pointer).collect();
            if pointers.is_empty() {
                continue;
            }
            let loads: Vec<ExprId> = pointers.into_iter().map(|at| self.program.exprs.load(at, ty)).collect();
            let held: Vec<ExprId> =
                registers.iter().copied().filter(|&register| self.program.exprs.ty(register) == ty).collect();
            let (out, inside) = (self.var(ghosts.out), self.var(ghosts.inside));
            facts.extend(self.equal(out, inside));
            for ghost in [out, inside] {
                for &value in held.iter().chain(&loads) {
                    facts.extend(self.equal(ghost, value));
                }
            }
            for &load in &loads {
                for &register in &held {
                    facts.extend(self.equal(register, load));
                }
            }
        }
        facts
    }

    /// Conditions that hold in the first iteration: counters have the values that they start from.
    fn first_iteration(&mut self, id: LoopId) -> Vec<ExprId> {
        let mut found = Vec::new();
        for (var, value) in starts(self.source, &self.loops, id) {
            let counter = self.var(var);
            found.extend(self.equal(counter, value));
        }
        found
    }
}
