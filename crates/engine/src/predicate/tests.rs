//! Structure of the examples of [BDW18] on its Figure 2.

use super::*;
use crate::bmc::{any, ask};
use crate::k_induction::{self, KInductionOptions};
use analysis::Export;
use base::{Interner, SourceMap};
use cfa::Loops;
use encode::{Addressing, Bounds, Chain, Encoder, MemoryModel, PathId, Paths, Turn, unroll};
use expect_test::{Expect, expect};
use smt::Answer;
use smt_bitwuzla::BitwuzlaBackend;

const FIGURE_2: &str = "int main() { unsigned int x = 0; unsigned int y = 0;
    while (x < 2) { x++; y++; if (x != y) { ERROR: return 1; } } return 0; }";

/// Figure 2 with an arbitrary loop condition, as in Example 7.
const NONDET: &str = "int __VERIFIER_nondet_int(void); int main() { unsigned int x = 0; unsigned int y = 0;
    while (__VERIFIER_nondet_int()) { x++; y++; if (x != y) { ERROR: return 1; } } return 0; }";

/// As Figure 2, but the second variable lags behind.
const UNSAFE: &str = "int __VERIFIER_nondet_int(void); int main() { unsigned int x = 0; unsigned int y = 0;
    while (__VERIFIER_nondet_int()) { x++; if (x < 3) y++; if (x != y) { ERROR: return 1; } } return 0; }";

fn program(source: &str) -> Program {
    let (mut sources, mut names) = (SourceMap::new(), Interner::default());
    let start = sources.add("test.c", source.to_owned());
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut program = lower::lower(vec![ast], names, sources, &lower::Options::default())
        .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
        .program;
    program.find_loops();
    program
}

/// Runs lazy abstraction and tells what it did.
fn check(source: &str, options: PredicateOptions, expected: Expect) {
    let program = program(source);
    let mut counters = Counters::default();
    let verdict =
        verify(&program, &BitwuzlaBackend, &options, Inputs::default(), &Cancel::never(), &mut counters).unwrap();
    let count = |name: &str| counters.value(name);
    expected.assert_eq(&format!(
        "{verdict}: {} refinements, {} abstraction states, {} predicates, {} forced coverings",
        count("refinements"),
        count("abstraction states"),
        count("predicates"),
        count("forced coverings"),
    ));
}

/// Example 6: with k = 1 no target is reachable, but the loop head is reached again.
#[test]
fn bounded_model_checking_is_inconclusive_with_one_iteration() {
    let program = program(FIGURE_2);
    let mut encoder = Encoder::new(&program, MemoryModel::new(&program), Addressing::Events);
    let bounds = Bounds { iterations: 1, recursion: 0, constant_iterations: 0 };
    let unrolled = unroll(&mut encoder, &Loops::new(&program), bounds, &Cancel::never()).unwrap();
    let mut solver = BitwuzlaBackend.solver();
    let targets = any(&mut encoder, unrolled.targets.iter().map(|(_, guard)| *guard));
    assert_eq!(ask(&mut *solver, &encoder, targets, &Cancel::never()), Ok(Answer::Unsat));
    let cuts = any(&mut encoder, unrolled.cuts.iter().map(|(_, guard)| *guard));
    assert_eq!(unrolled.cuts.len(), 1);
    assert_eq!(ask(&mut *solver, &encoder, cuts, &Cancel::never()), Ok(Answer::Sat));
}

/// Example 7: k-induction with k = 1 and no auxiliary invariant, also with an arbitrary loop condition.
#[test]
fn induction_proves_with_k_1() {
    for source in [FIGURE_2, NONDET] {
        let program = program(source);
        let options = KInductionOptions { k_max: 1, invariants: false, ..KInductionOptions::default() };
        let mut counters = Counters::default();
        let (backend, cancel) = (BitwuzlaBackend, Cancel::never());
        let verdict = k_induction::verify(&program, &backend, &options, Vec::new(), &cancel, &mut counters);
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    }
}

/// A path by the texts of its operations.
fn path(cpa: &mut PredicateCpa, from: PathId, ops: &[&str]) -> PathId {
    let program = cpa.program;
    ops.iter().fold(from, |path, op| {
        let (edge, _) = program.edges.iter().find(|(_, edge)| program.op_text(&edge.op) == *op).expect(op);
        cpa.paths.step(path, edge, Turn::Along, None)
    })
}

/// Example 3: the interpolants of the first infeasible path are true, x = y, false.
#[test]
fn the_interpolant_of_the_first_path_is_equality() {
    let program = program(FIGURE_2);
    let options = PredicateOptions::default();
    let mut cpa = PredicateCpa::new(&program, &BitwuzlaBackend, &options, &Cancel::never()).unwrap();
    let first = path(&mut cpa, Paths::BLOCK, &["x := 0;", "y := 0;"]);
    let second = path(&mut cpa, Paths::BLOCK, &["[x < 2]", "x := x + 1;", "y := y + 1;", "[x != y]"]);
    let mut chain = Chain::default();
    let (first, second) = (cpa.block(first), cpa.block(second));
    chain.push(&mut cpa.encoder, &first);
    chain.finish(&mut cpa.encoder, &second);
    let sequence = cpa.interpolants(&chain.groups).unwrap();
    let fact = cpa.encoder.at_start(sequence[1]);
    let names: Vec<String> =
        cpa.encoder.terms.free_vars(&[fact]).iter().map(|var| cpa.encoder.terms.ssa_parts(*var).0.to_owned()).collect();
    assert_eq!(cpa.encoder.terms.op(fact), smt::Op::Eq);
    assert!(names.len() == 2 && names[0].starts_with('x') && names[1].starts_with('y'), "{names:?}");
}

/// Examples 5 and 8: one predicate at the loop head, one refinement, the second visit of the head is covered.
#[test]
fn predicate_abstraction_needs_one_predicate() {
    let expected = expect!["TRUE: 1 refinements, 3 abstraction states, 1 predicates, 0 forced coverings"];
    check(NONDET, PredicateOptions::default(), expected);
}

#[test]
fn impact_covers_the_second_visit_of_the_head() {
    let options = PredicateOptions { refinement: Refinement::Impact, ..PredicateOptions::default() };
    let expected = expect!["TRUE: 1 refinements, 3 abstraction states, 0 predicates, 1 forced coverings"];
    check(NONDET, options, expected);
}

/// Example 9: without forced covering two refinements are needed, then the third visit of the head is covered.
#[test]
fn impact_without_forced_covering_needs_two_refinements() {
    let options =
        PredicateOptions { refinement: Refinement::Impact, force_cover: Forced::Never, ..PredicateOptions::default() };
    let expected = expect!["TRUE: 2 refinements, 3 abstraction states, 0 predicates, 0 forced coverings"];
    check(NONDET, options, expected);
}

#[test]
fn feasible_paths_are_replayed() {
    let refinements = [Refinement::Predicates, Refinement::Impact, Refinement::Both];
    for refinement in refinements {
        let program = program(UNSAFE);
        let options = PredicateOptions { refinement, ..PredicateOptions::default() };
        let verdict =
            verify(&program, &BitwuzlaBackend, &options, Inputs::default(), &Cancel::never(), &mut Counters::default())
                .unwrap();
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    }
}

/// Order of variables that neither intervals nor equalities express.
#[test]
fn relations_of_variables_are_found() {
    let source = "int __VERIFIER_nondet_int(void); int main() { int n = __VERIFIER_nondet_int(); int i = 0;
        if (n < 0) return 0; while (i < n) { i++; } if (i != n) { ERROR: return 1; } return 0; }";
    let program = program(source);
    let found = crate::houdini::facts(&program, &BitwuzlaBackend, &[], &Cancel::never()).unwrap();
    let texts: Vec<String> = found.facts.iter().map(|(_, fact)| format!("{:?}", found.exprs.node(*fact))).collect();
    assert!(!texts.is_empty());
    let options = PredicateOptions { invariants: true, ..PredicateOptions::default() };
    let source: FactSource = Box::new(|program, cancel| crate::houdini::facts(program, &BitwuzlaBackend, &[], cancel));
    let mut counters = Counters::default();
    let inputs = Inputs { facts: vec![source], ..Inputs::default() };
    let verdict = verify(&program, &BitwuzlaBackend, &options, inputs, &Cancel::never(), &mut counters).unwrap();
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    assert_eq!(counters.value("refinements"), 0);
}

/// [FTSRG22, Example 3.3], its Figure 6: one given predicate, cartesian abstraction after every edge.
#[test]
fn one_given_predicate_suffices() {
    let program =
        program("int main() { int x; x = 0; while (x < 1000) { x++; } if (!(x > 0)) { ERROR: return 1; } return 0; }");
    let options = PredicateOptions {
        blocks: BlockEnds::Edges(1),
        abstraction: AbstractionKind::Cartesian,
        ..PredicateOptions::default()
    };
    let mut cpa = PredicateCpa::new(&program, &BitwuzlaBackend, &options, &Cancel::never()).unwrap();
    let (_, edge) = program.edges.iter().find(|(_, edge)| program.op_text(&edge.op) == "[x < 1000]").unwrap();
    let cfa::Op::Assume(predicate) = edge.op else { unreachable!() };
    let function = program.function_named("main");
    let given = Given { function, exprs: program.exprs.clone(), predicate };
    let mut precision = cpa.precision(&[given]).unwrap();
    let (cancel, mut counters) = (Cancel::never(), Counters::default());
    let end = search(&program, &mut cpa, &mut precision, &mut BlockInterpolation, &cancel, &mut counters);
    let End::Closed(reached) = end else { panic!("the predicate suffices") };
    assert_eq!(counters.value("refinements"), 0);
    let mut text = String::new();
    let mut shown = program.clone();
    for id in reached.arg.ids() {
        let node = reached.arg.place(id).node;
        if Some(program.nodes[node].function) == function && reached.arg.covered_by(id).is_none() {
            let psi = cpa.formula(reached.arg.state(id), node, 0, &mut shown.exprs);
            text.push_str(&format!("{node}: {}\n", shown.expr_text(psi)));
        }
    }
    expect![[r#"
        n0: true
        n1: true
        n2: x < 1000
        n3: x < 1000
        n2: true
        n4: x >= 1000
        n7: x >= 1000
        n8: x >= 1000
    "#]]
    .assert_eq(&text);
}
