//! Loops: guesses of what decreases from one iteration to the next, and the steps in which it has to.

use super::super::change::{Change, State, change, evaluated};
use super::super::disjunctive::{self, Sequence};
use super::super::lexicographic::Transition;
use super::super::linear;
use super::super::measure::{Guesses, Measure};
use super::super::monotone;
use super::super::walk::Walker;
use super::{Obligation, Ranking, Step, Way, decrease};
use base::{Budget, Cancel};
use cfa::{Expr, Op, Program, Scalar, VarId};
use encode::{Encoder, PathFormula};
use flow::LoopId;
use std::collections::BTreeSet;
use verdict::{Measured, Stop};

/// Cases are told apart by so many variables at most.
const MOST_STABLE: usize = 3;

impl Ranking<'_> {
    /// One iteration of a loop, or two.
    pub fn iteration(&self, walker: &mut Walker, id: LoopId, way: Way, cancel: &Cancel) -> Result<Step, Stop> {
        let Some((mut start, first)) = walker.iteration(id)? else { return Ok(Step::default()) };
        let (mut next, guard) = match way {
            Way::Each | Way::Sequences => (first.clone(), first.guard),
            Way::Followed | Way::Pairs => match walker.again(id, &first)? {
                Some(second) if way == Way::Pairs => (second.clone(), second.guard),
                Some(second) => (first, second.guard),
                None => return Ok(Step::default()),
            },
        };
        let function = self.loops.loops[id].function;
        let ops = self.ops(id);
        let here = |var: VarId| self.program.vars[var].function.is_none_or(|owner| owner == function);
        let measures = self.guess(&mut walker.encoder, id);
        let encoder = &mut walker.encoder;
        let guard = encoder.guards.formula(&mut encoder.terms, guard);
        let changes = changes(encoder, &measures, (&mut start, &mut next));
        let mut stable = Vec::new();
        for var in summands(self.program, &ops).into_iter().filter(|&var| here(var)) {
            let value = monotone::variable(self.program, encoder, var);
            let now = encoder.eval(&mut start, value, 0);
            if now == encoder.eval(&mut next, value, 0) {
                stable.push((self.program.var_name(var).to_owned(), now));
            }
        }
        stable.truncate(MOST_STABLE);
        let mut summed = Vec::new();
        let mut moved = Vec::new();
        for var in ops.iter().filter_map(|op| op.variable()).filter(|&var| here(var)).collect::<BTreeSet<VarId>>() {
            let is_short = |ty: Scalar| matches!(ty, Scalar::Int { bits, .. } if bits <= 64);
            if summed.len() < linear::MOST_SUMMANDS && self.program.register(var).is_some_and(is_short) {
                let value = monotone::variable(self.program, encoder, var);
                summed.push(value);
                moved.push((evaluated(encoder, &mut start, value, 0), evaluated(encoder, &mut next, value, 0)));
            }
        }
        // The loop is seen as a whole by loops around it, and by callers, which may be in loops.
        let seen = self.loops.loops[id].parent.is_some() || self.calls.callers(function).len() > 1;
        let directions = if seen && way == Way::Each {
            let mut solver = self.solver(encoder);
            let place = (self.program, self.loops, id);
            monotone::directions(place, encoder, (&start, &next), &mut *solver, cancel)?
        } else {
            Vec::new()
        };
        let transitions = vec![Transition { guard, changes, summands: moved }];
        Ok(Step { transitions, measures, summed, stable, directions, states: Some((start, next)) })
    }

    /// Finds out in which directions variables go in inner loops, inner ones first.
    pub fn direct(&mut self, cancel: &Cancel) -> Result<(), Stop> {
        for (id, _) in self.loops.loops.iter().rev().filter(|(_, one)| one.parent.is_some()) {
            let limited = cancel.within(Budget::Measure);
            let found = {
                let mut walker = self.walker(&limited);
                self.iteration(&mut walker, id, Way::Each, &limited).map(|step| step.directions)
            };
            cancel.check()?;
            self.directions.extend(found.ok().map(|found| (id, found)));
        }
        Ok(())
    }

    /// Measures of which any number of iterations decreases one.
    pub fn covered(&self, walker: &mut Walker, id: LoopId, cancel: &Cancel) -> Result<Option<Measured>, Stop> {
        let Some([mut first, mut second, mut third]) = walker.sequence(id)? else { return Ok(None) };
        let measures = self.guess(&mut walker.encoder, id);
        let encoder = &mut walker.encoder;
        let sequence = Sequence {
            guard: encoder.guards.formula(&mut encoder.terms, third.guard),
            before: changes(encoder, &measures, (&mut first, &mut second)),
            step: changes(encoder, &measures, (&mut second, &mut third)),
            whole: changes(encoder, &measures, (&mut first, &mut third)),
        };
        let mut solver = self.solver(encoder);
        let Some(cover) = disjunctive::choose(encoder, &mut *solver, &sequence, cancel)? else { return Ok(None) };
        let mut second = self.solver(encoder);
        if !disjunctive::confirm(encoder, &mut *second, &sequence, &cover, cancel)? {
            return Err(Stop::Evidence("a fresh solver finds iterations that decrease no measure".to_owned()));
        }
        let mut named = self.program.clone();
        named.exprs = encoder.exprs.clone();
        let texts: Vec<String> = cover.chosen.iter().map(|&at| format!("`{}`", measures[at].text(&named))).collect();
        let obligation = Obligation::Loop(id);
        let reason = decrease(obligation, Way::Sequences, &texts);
        Ok(Some(self.measured(obligation, texts, &[reason])))
    }

    /// The operations of a loop.
    pub fn ops(&self, id: LoopId) -> Vec<&Op> {
        let inside = self.loops.members(id).iter().flat_map(|&node| self.program.leaving(node));
        inside.map(|edge| &self.program.edges[edge].op).collect()
    }

    /// What may decrease in a loop.
    fn guess(&self, encoder: &mut Encoder, id: LoopId) -> Vec<Measure> {
        let function = self.loops.loops[id].function;
        let mut exprs = std::mem::take(&mut encoder.exprs);
        let mut guesses = Guesses::new(self.program, &mut exprs);
        let here = |var: VarId| self.program.vars[var].function.is_none_or(|owner| owner == function);
        guesses.add(self.ops(id).into_iter(), here);
        let measures = guesses.finish();
        encoder.exprs = exprs;
        measures
    }
}

/// How measures change from one state to another.
fn changes(
    encoder: &mut Encoder,
    measures: &[Measure],
    (start, end): (&mut PathFormula, &mut PathFormula),
) -> Vec<Change> {
    let one = |measure| change(encoder, (measure, State::new(start, 0)), (measure, State::new(end, 0)));
    measures.iter().map(one).collect()
}

/// Signed variables in values that operations assign.
fn summands(program: &Program, ops: &[&Op]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for op in ops {
        let Op::Assign(_, value) = op else { continue };
        program.exprs.visit(*value, |id, node| {
            if let Expr::Var(var) = node
                && program.exprs.ty(id).is_int()
                && program.exprs.ty(id).is_signed()
            {
                found.insert(var);
            }
        });
    }
    found
}
