//! Calls: what a function knows of its parameters, and its caller of the result.

use super::linear::Linear;
use super::matrix::{Matrix, Term};
use super::{Octagon, OctagonDomain, Place};
use cfa::{ExprId, FunctionId, VarId};

impl OctagonDomain<'_> {
    pub(super) fn enter_function(&self, before: &Octagon, function: FunctionId, args: &[ExprId]) -> Option<Octagon> {
        let (caller, callee) = (self.frame(before), &self.frames[function]);
        // The caller's variables, with the parameters of the callee after them.
        let own = caller.places.len();
        let params = self.params(function);
        let with_params = self.with_params(before, &params, args)?;
        let from: Vec<Option<usize>> = (0..callee.places.len())
            .map(|at| match callee.places[at] {
                _ if at < self.shared => Some(at),
                Place::Register(var) => params.iter().position(|(_, param)| *param == var).map(|nth| own + nth),
                Place::Cell(_) => None,
            })
            .collect();
        let mut inside = Octagon { function, matrix: with_params.placed(&from)? };
        for &place in &self.fresh[function] {
            inside = self.forget_place(inside, place)?;
        }
        self.typed(inside)
    }

    /// The parameters of a function that are followed there, by their number.
    fn params(&self, function: FunctionId) -> Vec<(usize, VarId)> {
        let all = self.program.functions[function].params.iter().copied().enumerate();
        all.filter(|(_, var)| self.frames[function].positions.contains_key(&Place::Register(*var))).collect()
    }

    /// What is known before a call, with a variable more for each argument.
    fn with_params(&self, before: &Octagon, params: &[(usize, VarId)], args: &[ExprId]) -> Option<Matrix> {
        let own = self.frame(before).places.len();
        let from: Vec<Option<usize>> = (0..own + params.len()).map(|at| (at < own).then_some(at)).collect();
        let mut matrix = before.matrix.placed(&from)?;
        for (nth, (number, _)) in params.iter().enumerate() {
            let (at, Some(&arg)) = (own + nth, args.get(*number)) else { continue };
            if let Some(range) = self.range(before, arg) {
                matrix = matrix.restricted(Term::plus(at), Term::plus(at), 2 * range.most)?;
                matrix = matrix.restricted(Term::minus(at), Term::minus(at), -2 * range.least)?;
            }
            match self.linear(before, arg) {
                Some(value) => {
                    for term in value.units() {
                        let rest = self.range_of(before, &value.plus(&Linear::term(term), -1))?;
                        matrix = matrix.restricted(Term::plus(at), term.opposite(), rest.most)?;
                        matrix = matrix.restricted(Term::minus(at), term, -rest.least)?;
                    }
                }
                None => {
                    for (other, distance) in self.bounded_by(before, arg) {
                        matrix = matrix.restricted(Term::plus(at), Term::minus(other), distance)?;
                    }
                }
            }
        }
        Some(matrix)
    }

    /// After a call: the caller's variables as before, shared ones and the result as the exit has them. What the exit
    /// knows of parameters that are never assigned is known of the arguments.
    pub(super) fn leave_function(
        &self,
        before: &Octagon,
        (function, args, result): (FunctionId, &[ExprId], Option<VarId>),
        exit: &Octagon,
    ) -> Option<Octagon> {
        let own = self.frame(before).places.len();
        let params: Vec<(usize, VarId)> =
            self.params(function).into_iter().filter(|(_, var)| self.constant.contains(var)).collect();
        // Variables: the caller's, parameters, and one for the result.
        let outside = self.with_params(before, &params, args)?;
        let given = result.and_then(|var| self.position(before, Place::Register(var)));
        let size = own + params.len() + 1;
        let from: Vec<Option<usize>> =
            (0..size).map(|at| (at < size - 1 && at >= self.shared && given != Some(at)).then_some(at)).collect();
        let outside = outside.placed(&from)?;
        let inner = |var: VarId| self.frames[function].positions.get(&Place::Register(var)).copied();
        let source = self.program.functions[function].result.and_then(inner);
        let from: Vec<Option<usize>> = (0..size)
            .map(|at| match at {
                _ if at == size - 1 => source,
                _ if at < self.shared => (given != Some(at)).then_some(at),
                _ if at < own => None,
                _ => inner(params[at - own].1),
            })
            .collect();
        let inside = exit.matrix.placed(&from)?;
        let both = outside.meet(&inside)?;
        let from: Vec<Option<usize>> =
            (0..own).map(|at| if given == Some(at) { Some(size - 1) } else { Some(at) }).collect();
        self.typed(Octagon { function: before.function, matrix: both.placed(&from)? })
    }
}
