//! Which checks for undefined behaviour never fail is decided by cheap facts before the analyses run: one data-flow
//! analysis with intervals, within a small share of the time. What it proves is checked as its proofs are, and such
//! checks go: the branch to their target, and the condition on the other side.

use analyses::interval_states;
use base::{Budget, Cancel, IdVec, Span};
use cfa::{Edge, Node, Op, Program, Target};
use domains::interval::IntervalDomain;
use flow::Prepared;
use std::collections::HashSet;
use verdict::Stop;

/// Removes the checks that intervals prove. Giving up loses nothing: the analyses decide what is left.
pub fn discharge_checks(program: &mut Program, cancel: &Cancel) {
    if program.targets.iter().all(|target| target.check().is_none()) {
        return;
    }
    if let Ok(proved) = proved(&Prepared::new(program.clone()), &cancel.within(Budget::CheapChecks)) {
        remove(program, &proved);
    }
}

/// The targets of checks that no execution reaches.
fn proved(program: &Prepared, cancel: &Cancel) -> Result<HashSet<Node>, Stop> {
    let domain = IntervalDomain::new(program);
    let Some(states) = interval_states(program, &domain, cancel)? else { return Ok(HashSet::new()) };
    let unreached = program.targets.iter().filter(|target| target.check().is_some() && states[target.node].is_none());
    Ok(unreached.map(|target| target.node).collect())
}

fn remove(program: &mut Program, proved: &HashSet<Node>) {
    let is_proved = |target: &Target| proved.contains(&target.node);
    let spans: Vec<Span> =
        program.targets.iter().filter(|target| is_proved(target)).map(|target| target.span).collect();
    program.checks.proved += spans.len() as u32;
    program.settled.extend(spans);
    program.targets.retain(|target| !is_proved(target));
    let edges: Vec<Edge> = std::mem::take(&mut program.edges).into_iter().collect();
    let branches: HashSet<Node> = edges.iter().filter(|edge| proved.contains(&edge.to)).map(|edge| edge.from).collect();
    let kept = edges.into_iter().filter(|edge| !proved.contains(&edge.to)).map(|mut edge| {
        if branches.contains(&edge.from) && matches!(edge.op, Op::Assume(_)) {
            edge.op = Op::Skip;
        }
        edge
    });
    program.edges = IdVec::from(kept.collect::<Vec<Edge>>());
    program.index();
    transform::remove_dead(program);
    flow::find_loops(program);
    program.assert_valid();
}
