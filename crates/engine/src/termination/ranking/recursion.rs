//! Recursive functions: guesses of what decreases from one activation to the next, and the calls in which it has to.

use super::super::change::{State, change};
use super::super::lexicographic::Transition;
use super::super::measure::{Guesses, Measure};
use super::super::walk::Walker;
use super::{Ranking, Step};
use cfa::{Allocation, ExprId, Exprs, FunctionId, Op, Program, Scalar, Storage, VarId};
use encode::Encoder;
use std::collections::{BTreeMap, BTreeSet};
use verdict::Stop;

impl Ranking<'_> {
    /// All calls of functions that call each other.
    pub fn recursion(&self, walker: &mut Walker, first: FunctionId) -> Result<Step, Stop> {
        let mut members: Vec<FunctionId> =
            walker.component(first).into_iter().filter(|&member| self.calls.is_reachable(member)).collect();
        if self.allocates(&members) {
            // No object that a call allocates is gone while the next one runs, and their number is not bounded.
            return Err(Stop::Bound("each call allocates memory, which may run out first".to_owned()));
        }
        // Formulas have one address for a local of all activations, so how addresses change tells nothing.
        let drops = self.have_objects(&members);
        // Where every circle of calls passes one function, only its activations count, and the others are steps between.
        // Guesses are made of what it does itself, so the longest one is best.
        let gates = members.iter().copied().filter(|&gate| members.len() > 1 && self.is_gate(gate, &members));
        if let Some(gate) = gates.max_by_key(|&gate| self.length(gate)) {
            walker.followed = members.iter().copied().filter(|&member| member != gate).collect();
            members = vec![gate];
        }
        let mut guesses = self.guess_calls(&mut walker.encoder, &members);
        if drops {
            drop_addresses(&mut guesses, &walker.encoder.exprs);
        }
        let mut transitions = Vec::new();
        for &member in &members {
            let (mut start, calls) = walker.calls_of(member)?;
            for (callee, mut path) in calls.into_iter().filter(|(callee, _)| members.contains(callee)) {
                let encoder = &mut walker.encoder;
                let guard = encoder.guards.formula(&mut encoder.terms, path.guard);
                let mut changes = Vec::new();
                for (before, behind) in guesses[&member].iter().zip(&guesses[&callee]) {
                    let (now, next) = (State::new(&mut start, 0), State::new(&mut path, 1));
                    changes.push(change(encoder, (before, now), (behind, next)));
                }
                transitions.push(Transition { guard, changes, summands: Vec::new() });
            }
        }
        let measures = guesses[&members[0]].clone();
        Ok(Step { transitions, measures, ..Step::default() })
    }

    /// The operations of a function.
    fn length(&self, function: FunctionId) -> usize {
        self.program.edges.iter().filter(|(_, edge)| self.program.nodes[edge.from].function == function).count()
    }

    /// Whether every circle of calls among the functions passes this one.
    fn is_gate(&self, gate: FunctionId, members: &[FunctionId]) -> bool {
        let mut left: BTreeSet<FunctionId> = members.iter().copied().filter(|&member| member != gate).collect();
        loop {
            let calls_left = |id: FunctionId| self.calls.calls(id).iter().any(|(_, callee)| left.contains(callee));
            let leaves: Vec<FunctionId> = left.iter().copied().filter(|&id| !calls_left(id)).collect();
            if leaves.is_empty() {
                return left.is_empty();
            }
            leaves.iter().for_each(|leaf| {
                left.remove(leaf);
            });
        }
    }

    /// Guesses for each of some functions that call each other; those with one number belong together.
    fn guess_calls(&self, encoder: &mut Encoder, members: &[FunctionId]) -> BTreeMap<FunctionId, Vec<Measure>> {
        let mut exprs = std::mem::take(&mut encoder.exprs);
        let mut all = BTreeMap::new();
        let most = members.iter().map(|&id| self.program.functions[id].params.len()).min().unwrap_or(0);
        for &member in members {
            let function = &self.program.functions[member];
            let params = &function.params;
            let is_number = |var: &VarId| self.program.register(*var).is_some_and(Scalar::is_int);
            let common =
                (0..most).filter(|&at| members.iter().all(|&id| is_number(&self.program.functions[id].params[at])));
            let values: Vec<ExprId> = common.map(|at| variable(self.program, &mut exprs, params[at])).collect();
            let globals: Vec<ExprId> =
                self.changed_globals(members).into_iter().map(|var| variable(self.program, &mut exprs, var)).collect();
            let mut guesses = Guesses::new(self.program, &mut exprs);
            guesses.variables(&values);
            guesses.sums(&values);
            guesses.variables(&globals);
            if members.len() == 1 {
                let inside = |op: &&cfa::Edge| self.program.nodes[op.from].function == member;
                let ops: Vec<&Op> =
                    self.program.edges.iter().map(|(_, edge)| edge).filter(inside).map(|edge| &edge.op).collect();
                let counts = |var: VarId| params.contains(&var) || self.program.vars[var].function.is_none();
                guesses.add(ops.iter().copied(), counts);
            }
            all.insert(member, guesses.finish());
        }
        encoder.exprs = exprs;
        all
    }

    /// Whether one of the functions takes memory from the heap itself.
    fn allocates(&self, members: &[FunctionId]) -> bool {
        let inside = |edge: &cfa::Edge| members.contains(&self.program.nodes[edge.from].function);
        let takes = |op: &Op| matches!(op, Op::Allocate { how, .. } if *how != Allocation::Stack);
        self.program.edges.iter().any(|(_, edge)| inside(edge) && takes(&edge.op))
    }

    /// Whether activations of the functions have objects of their own in memory.
    fn have_objects(&self, members: &[FunctionId]) -> bool {
        let own = |owner: Option<FunctionId>| owner.is_some_and(|owner| members.contains(&owner));
        let takes = |op: &Op| matches!(op, Op::Allocate { how: Allocation::Stack, .. });
        self.program.vars.iter().any(|(_, var)| own(var.function) && matches!(var.storage, Storage::Memory { .. }))
            || self
                .program
                .edges
                .iter()
                .any(|(_, edge)| own(Some(self.program.nodes[edge.from].function)) && takes(&edge.op))
    }

    /// Global integers that the functions change themselves.
    fn changed_globals(&self, members: &[FunctionId]) -> BTreeSet<VarId> {
        let edges = self.program.edges.iter().map(|(_, edge)| edge);
        let inside = edges.filter(|edge| members.contains(&self.program.nodes[edge.from].function));
        let counts = |var: &VarId| {
            self.program.vars[*var].function.is_none() && self.program.register(*var).is_some_and(Scalar::is_int)
        };
        inside.filter_map(|edge| edge.op.variable()).filter(counts).collect()
    }
}

/// Drops guesses that depend on where objects lie, together with those of the same number for other functions.
fn drop_addresses(guesses: &mut BTreeMap<FunctionId, Vec<Measure>>, exprs: &Exprs) {
    let mut kept: Vec<bool> = Vec::new();
    for all in guesses.values() {
        kept.resize(kept.len().max(all.len()), true);
        kept.iter_mut().zip(all).for_each(|(kept, one)| *kept &= !one.is_about_addresses(exprs));
    }
    for all in guesses.values_mut() {
        let mut kept = kept.iter();
        all.retain(|_| kept.next() == Some(&true));
    }
}

fn variable(program: &Program, exprs: &mut Exprs, var: VarId) -> ExprId {
    let ty = program.register(var).expect("only registers are measured");
    exprs.var(var, ty)
}
