//! Structure of the examples of [BDW18] on its Figure 2, as far as they need no refinement.

use super::abstraction::Abstract;
use super::cpa::Abstraction;
use super::region::Regions;
use super::*;
use base::Cancel;
use encode::{PathId, Paths, Turn};
use lower::testing::prepared as program;
use smt_bitwuzla::BitwuzlaBackend;

const FIGURE_2: &str = "int main() { unsigned int x = 0; unsigned int y = 0;
    while (x < 2) { x++; y++; if (x != y) { ERROR: return 1; } } return 0; }";

/// A path by the texts of its operations.
fn path(cpa: &mut PredicateCpa, from: PathId, ops: &[&str]) -> PathId {
    let program = cpa.program;
    ops.iter().fold(from, |path, op| {
        let (edge, _) = program.edges.iter().find(|(_, edge)| program.op_text(&edge.op) == *op).expect(op);
        cpa.paths.step(path, edge, Turn::Along, None)
    })
}

/// Example 2: the boolean abstraction of one iteration from x = y, with the predicate x = y, is x = y.
#[test]
fn the_abstraction_of_an_iteration_keeps_equality() {
    let program = program(FIGURE_2);
    let options = PredicateOptions::default();
    let (model, cancel) = (encode::memory_model(&program, &Cancel::never()).unwrap(), Cancel::never());
    let mut cpa = PredicateCpa::new((&program, &model), &BitwuzlaBackend, &options, &cancel).unwrap();
    let (_, edge) = program.edges.iter().find(|(_, edge)| program.op_text(&edge.op) == "[x == y]").unwrap();
    let cfa::Op::Assume(predicate) = edge.op else { unreachable!() };
    let given = GivenPredicate { function: None, exprs: program.exprs.clone(), predicate };
    let precision = cpa.precision(&[given]).unwrap();
    let equal = precision.all().next().unwrap();
    let node = program.nodes.ids().find(|&node| program.nodes[node].loop_head).unwrap();
    let psi = Abstract { formula: equal, region: None };
    let block = cpa.blocks.push(Abstraction { node, psi, before: None, predicates: 1 });
    let path = path(&mut cpa, Paths::BLOCK, &["[x < 2]", "x := x + 1;", "y := y + 1;"]);
    let state = State { block, path, role: BlockRole::End };
    let found = cpa.abstraction(&state, node, &precision).unwrap();
    assert_eq!(found.formula, equal);
    assert_eq!(cpa.counters.value("abstractions"), 1);
}

/// Regions that a solver would compare, compared without one.
#[test]
fn regions_are_sets_of_cubes() {
    let mut terms = smt::Terms::new();
    let [a, b] = ["a", "b"].map(|name| terms.var(name, smt::Sort::Bool));
    let mut regions = Regions::new(&Cancel::never());
    let either = regions.union(&terms, &[vec![(a, true), (b, false)], vec![(a, false), (b, true)]]).unwrap();
    let not_b = terms.not(b);
    let first = regions.cube(&terms, &[(a, true), (not_b, true)]).unwrap();
    let both = regions.cube(&terms, &[(a, true), (b, true)]).unwrap();
    assert_eq!(regions.implies(&first, &either), Ok(true));
    assert_eq!(regions.implies(&either, &first), Ok(false));
    assert_eq!(regions.implies(&both, &either), Ok(false));
    let (formula, expected) = (regions.formula(&mut terms, &either), terms.ite(a, not_b, b));
    assert_eq!(formula, expected);
}
