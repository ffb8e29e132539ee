//! Structure of the examples of [BDW18] on its Figure 2.

use super::*;
use analysis::Export;
use domains::predicate::{AbstractionKind, BlockEnds, Forced, Psi, Scope};
use encode::{Addressing, Bounds, Chain, Encoder, MemoryModel, PathId, Paths, Turn, any, ask, memory_model, unroll};
use engine::k_induction::{self, KInductionOptions};
use expect_test::{Expect, expect};
use flow::Prepared;
use lower::testing::prepared as program;
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

fn memory(program: &Prepared) -> Arc<MemoryModel> {
    memory_model(program, &Cancel::never()).expect("it is never stopped")
}

/// What k-induction without facts says about any of the targets.
fn induction(program: &Prepared, options: &KInductionOptions, cancel: &Cancel) -> Verdict {
    let (goals, counters) = (&mut Goals::any(program), &mut Counters::default());
    k_induction::verify(
        (program, &memory(program)),
        goals,
        &BitwuzlaBackend,
        (options, &Board::default()),
        Vec::new(),
        cancel,
        counters,
    )
}

/// What lazy abstraction says about any of the targets.
fn run(
    program: &Prepared,
    options: &PredicateOptions,
    inputs: Inputs,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let goals = &mut Goals::any(program);
    verify((program, &memory(program)), goals, &BitwuzlaBackend, options, inputs, cancel, counters).unwrap()
}

/// Runs lazy abstraction and tells what it did: the same whatever ψ is kept as.
fn check(source: &str, options: PredicateOptions, expected: Expect) {
    let program = program(source);
    for psi in [Psi::Bdd, Psi::Formula] {
        let options = PredicateOptions { psi, ..options.clone() };
        let mut counters = Counters::default();
        let verdict = run(&program, &options, Inputs::default(), &Cancel::never(), &mut counters);
        let count = |name: &str| counters.value(name);
        expected.assert_eq(&format!(
            "{verdict}: {} refinements, {} abstraction states, {} predicates, {} forced coverings",
            count("refinements"),
            count("abstraction states"),
            count("predicates"),
            count("forced coverings"),
        ));
    }
}

/// Example 6: with k = 1 no target is reachable, but the loop head is reached again.
#[test]
fn bounded_model_checking_is_inconclusive_with_one_iteration() {
    let program = program(FIGURE_2);
    let mut encoder = Encoder::new(&program, memory(&program), Addressing::Events);
    let bounds = Bounds { iterations: 1, recursion: 0, constant_iterations: 0, edges: u64::MAX };
    let unrolled = unroll(&mut encoder, &program.loops(), bounds, &Cancel::never()).unwrap();
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
        let verdict = induction(&program, &options, &Cancel::never());
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
    let mut cpa =
        PredicateCpa::new((&program, &memory(&program)), &BitwuzlaBackend, &options, &Cancel::never()).unwrap();
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
    let options = PredicateOptions { refinement: RefinementKind::Impact, ..PredicateOptions::default() };
    let expected = expect!["TRUE: 1 refinements, 3 abstraction states, 0 predicates, 1 forced coverings"];
    check(NONDET, options, expected);
}

/// Example 9: without forced covering two refinements are needed, then the third visit of the head is covered.
#[test]
fn impact_without_forced_covering_needs_two_refinements() {
    let options = PredicateOptions {
        refinement: RefinementKind::Impact,
        force_cover: Forced::Never,
        ..PredicateOptions::default()
    };
    let expected = expect!["TRUE: 2 refinements, 3 abstraction states, 0 predicates, 0 forced coverings"];
    check(NONDET, options, expected);
}

#[test]
fn feasible_paths_are_replayed() {
    let refinements = [RefinementKind::Predicates, RefinementKind::Impact, RefinementKind::Both];
    for refinement in refinements {
        let program = program(UNSAFE);
        let options = PredicateOptions { refinement, ..PredicateOptions::default() };
        let verdict = run(&program, &options, Inputs::default(), &Cancel::never(), &mut Counters::default());
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    }
}

/// Order of variables that neither intervals nor equalities express.
#[test]
fn relations_of_variables_are_found() {
    let source = "int __VERIFIER_nondet_int(void); int main() { int n = __VERIFIER_nondet_int(); int i = 0;
        if (n < 0) return 0; while (i < n) { i++; } if (i != n) { ERROR: return 1; } return 0; }";
    let program = program(source);
    let found = engine::houdini::facts((&program, &memory(&program)), &BitwuzlaBackend, &[], &Cancel::never()).unwrap();
    let texts: Vec<String> = found.facts.iter().map(|(_, fact)| format!("{:?}", found.exprs.node(*fact))).collect();
    assert!(!texts.is_empty());
    let options = PredicateOptions { invariants: true, ..PredicateOptions::default() };
    let source: FactSource =
        Box::new(|program, cancel| engine::houdini::facts((program, &memory(program)), &BitwuzlaBackend, &[], cancel));
    let mut counters = Counters::default();
    let inputs = Inputs { facts: vec![source], ..Inputs::default() };
    let verdict = run(&program, &options, inputs, &Cancel::never(), &mut counters);
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    assert_eq!(counters.value("refinements"), 0);
}

/// The uncovered states at some nodes, and which states cover which.
fn states(cpa: &PredicateCpa, reached: &Reached<State>, at: impl Fn(cfa::Node) -> bool) -> String {
    let mut text = String::new();
    let mut shown = cfa::Program::clone(cpa.program);
    for id in reached.arg.ids().filter(|&id| at(reached.arg.place(id).node)) {
        let node = reached.arg.place(id).node;
        let state = reached.arg.state(id);
        match reached.arg.covered_by(id) {
            Some(by) if cpa.options.blocks == BlockEnds::Loops => {
                text.push_str(&format!("{}, covered by {}\n", state.block, reached.arg.state(by).block));
            }
            Some(_) => {}
            None => {
                let psi = cpa.formula(state, node, 0, &mut shown.exprs);
                text.push_str(&format!("{node}: {}\n", shown.expr_text(psi)));
            }
        }
    }
    text
}

/// The states at the loop head of a program that is proved, with the number of refinements: the same whatever ψ is
/// kept as.
fn check_head(source: &str, options: PredicateOptions, expected: Expect) {
    for psi in [Psi::Bdd, Psi::Formula] {
        expected.assert_eq(&head(source, &PredicateOptions { psi, ..options.clone() }));
    }
}

fn head(source: &str, options: &PredicateOptions) -> String {
    let program = program(source);
    let (cancel, mut counters) = (Cancel::never(), Counters::default());
    let mut cpa = PredicateCpa::new((&program, &memory(&program)), &BitwuzlaBackend, options, &cancel).unwrap();
    let mut precision = cpa.precision(&[]).unwrap();
    let end = search(
        (&program, &mut Goals::any(&program)),
        &mut cpa,
        &mut precision,
        &mut BlockInterpolation::default(),
        &cancel,
        &mut counters,
    );
    let End::Closed(reached) = end else { panic!("the program is safe") };
    let text = states(&cpa, &reached, |node| program.nodes[node].loop_head);
    format!("{text}{} refinements", counters.value("refinements"))
}

/// Example 1: one loop head, one error location.
#[test]
fn figure_2_has_one_loop_and_one_target() {
    let program = program(FIGURE_2);
    assert_eq!(program.nodes.iter().filter(|(_, node)| node.loop_head).count(), 1);
    assert_eq!(program.targets.len(), 1);
}

/// Examples 4 and 9: the first visit of the head is strengthened to x = y, then the second one, which is covered.
#[test]
fn impact_strengthens_the_visits_of_the_head() {
    let options = PredicateOptions {
        refinement: RefinementKind::Impact,
        force_cover: Forced::Never,
        ..PredicateOptions::default()
    };
    check_head(
        NONDET,
        options,
        expect![[r#"
        n2: x == y
        e2, covered by e1
        2 refinements"#]],
    );
}

/// Examples 5 and 8: with x = y at the head, the second visit is covered by the first.
#[test]
fn the_predicate_describes_the_head() {
    check_head(
        NONDET,
        PredicateOptions::default(),
        expect![[r#"
        n2: x == y
        e3, covered by e2
        1 refinements"#]],
    );
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
    let mut cpa =
        PredicateCpa::new((&program, &memory(&program)), &BitwuzlaBackend, &options, &Cancel::never()).unwrap();
    let (_, edge) = program.edges.iter().find(|(_, edge)| program.op_text(&edge.op) == "[x < 1000]").unwrap();
    let cfa::Op::Assume(predicate) = edge.op else { unreachable!() };
    let function = program.function_named("main");
    let given = GivenPredicate { function, exprs: program.exprs.clone(), predicate };
    let mut precision = cpa.precision(&[given]).unwrap();
    let (cancel, mut counters) = (Cancel::never(), Counters::default());
    let end = search(
        (&program, &mut Goals::any(&program)),
        &mut cpa,
        &mut precision,
        &mut BlockInterpolation::default(),
        &cancel,
        &mut counters,
    );
    let End::Closed(reached) = end else { panic!("the predicate suffices") };
    assert_eq!(counters.value("refinements"), 0);
    let text = states(&cpa, &reached, |node| Some(program.nodes[node].function) == function);
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

/// Two predicates in all their combinations: ψ is a disjunction, as a BDD and as a formula, and later visits of the head
/// are covered by the first.
#[test]
fn models_become_cubes() {
    let source = "int __VERIFIER_nondet_int(void); int main() { int lock = 0; int old = 0; int new = 0;
        do { lock = 1; old = new; if (__VERIFIER_nondet_int()) { lock = 0; new++; } } while (new != old);
        if (lock == 0) { ERROR: return 1; } return 0; }";
    let program = program(source);
    let mut all = Vec::new();
    for psi in [Psi::Bdd, Psi::Formula] {
        let options = PredicateOptions { psi, ..PredicateOptions::default() };
        let (cancel, mut counters) = (Cancel::never(), Counters::default());
        let mut cpa = PredicateCpa::new((&program, &memory(&program)), &BitwuzlaBackend, &options, &cancel).unwrap();
        let mut precision = cpa.precision(&[]).unwrap();
        let end = search(
            (&program, &mut Goals::any(&program)),
            &mut cpa,
            &mut precision,
            &mut BlockInterpolation::default(),
            &cancel,
            &mut counters,
        );
        let End::Closed(reached) = end else { panic!("the program is safe") };
        let blocks = |id: &analysis::ArgId| (reached.arg.place(*id).node, reached.arg.state(*id).role);
        let graph: Vec<_> = reached.arg.ids().map(|id| (blocks(&id), reached.arg.covered_by(id))).collect();
        all.push(graph);
    }
    assert_eq!(all[0], all[1]);
}

/// Whatever the settings, a run that is stopped says so.
#[test]
fn limits_end_the_search() {
    let program = program(NONDET);
    let cancel = Cancel::never();
    cancel.stop();
    let refinements = [RefinementKind::Predicates, RefinementKind::Impact, RefinementKind::Both];
    let ends = [BlockEnds::Loops, BlockEnds::LoopsAndCalls, BlockEnds::Never, BlockEnds::Edges(1)];
    for (refinement, blocks) in refinements.into_iter().flat_map(|one| ends.map(|end| (one, end))) {
        let options = PredicateOptions { refinement, blocks, ..PredicateOptions::default() };
        let (inputs, mut counters) = (Inputs::default(), Counters::default());
        let verdict = run(&program, &options, inputs, &cancel, &mut counters);
        assert!(matches!(verdict, Verdict::Unknown(verdict::Stop::Limit(_))), "{verdict:?}");
    }
    let options = KInductionOptions::default();
    let verdict = induction(&program, &options, &cancel);
    assert!(matches!(verdict, Verdict::Unknown(verdict::Stop::Limit(_))), "{verdict:?}");
}

/// Predicates of one location, its function or the whole program: the same proof, more or fewer predicates.
#[test]
fn predicates_have_a_scope() {
    let source = "int __VERIFIER_nondet_int(void); int x; int y;
        void step(void) { while (__VERIFIER_nondet_int()) { x++; y++; } while (__VERIFIER_nondet_int()) { x--; y--; } }
        int main() { while (__VERIFIER_nondet_int()) { step(); } if (x != y) { ERROR: return 1; } return 0; }";
    let with = |scope| PredicateOptions { scope, ..PredicateOptions::default() };
    let proof = |scope, expected: Expect| check(source, with(scope), expected);
    proof(Scope::Location, expect!["TRUE: 2 refinements, 7 abstraction states, 3 predicates, 0 forced coverings"]);
    proof(Scope::Function, expect!["TRUE: 2 refinements, 7 abstraction states, 2 predicates, 0 forced coverings"]);
    proof(Scope::Global, expect!["TRUE: 1 refinements, 7 abstraction states, 1 predicates, 0 forced coverings"]);
}

/// With fixed addresses the model is not an execution, with those of the unrolled program it is.
#[test]
fn executions_are_looked_for_in_the_unrolled_program() {
    let source = "int __VERIFIER_nondet_int(void); void *malloc(unsigned long); struct n { struct n *next; int v; };
        int main() { struct n *l = malloc(16); l->next = malloc(16); while (__VERIFIER_nondet_int()) l = l->next;
        if (l->v == 7) { ERROR: return 1; } return 0; }";
    let program = program(source);
    for refinement in [RefinementKind::Predicates, RefinementKind::Impact] {
        let options = PredicateOptions { refinement, ..PredicateOptions::default() };
        let (inputs, cancel, mut counters) = (Inputs::default(), Cancel::never(), Counters::default());
        let verdict = run(&program, &options, inputs, &cancel, &mut counters);
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    }
}

/// What a part of an board does: verdict, refinements, feasibility checks, and predicates that it took over.
fn check_part(source: &str, options: &PredicateOptions, all: &Board, expected: Expect) {
    let program = program(source);
    let (inputs, mut counters) = (Inputs { board: all.part(), ..Inputs::default() }, Counters::default());
    let verdict = run(&program, options, inputs, &Cancel::never(), &mut counters);
    all.report(&mut counters);
    let count = |name: &str| counters.value(name);
    expected.assert_eq(&format!(
        "{verdict}: {} refinements, {} feasibility checks, {} prefixes of others, {} predicates of others",
        count("refinements"),
        count("feasibility checks"),
        count("shared infeasible prefixes, used"),
        count("shared predicates, used"),
    ));
}

#[test]
fn a_path_that_another_part_refuted_is_refined_at_once() {
    let options = PredicateOptions { refinement: RefinementKind::Impact, ..PredicateOptions::default() };
    let all = Board::default();
    check_part(
        NONDET,
        &options,
        &all,
        expect!["TRUE: 1 refinements, 1 feasibility checks, 0 prefixes of others, 0 predicates of others"],
    );
    check_part(
        NONDET,
        &options,
        &all,
        expect!["TRUE: 1 refinements, 0 feasibility checks, 1 prefixes of others, 0 predicates of others"],
    );
    check_part(
        NONDET,
        &options,
        &Board::default(),
        expect!["TRUE: 1 refinements, 1 feasibility checks, 0 prefixes of others, 0 predicates of others"],
    );
}

#[test]
fn the_predicates_of_another_part_spare_refinements() {
    let all = Board::default();
    check_part(
        NONDET,
        &PredicateOptions::default(),
        &all,
        expect!["TRUE: 1 refinements, 1 feasibility checks, 0 prefixes of others, 0 predicates of others"],
    );
    check_part(
        NONDET,
        &PredicateOptions::default(),
        &all,
        expect!["TRUE: 0 refinements, 0 feasibility checks, 0 prefixes of others, 1 predicates of others"],
    );
}

#[test]
fn a_wrong_hint_costs_no_answer() {
    let (program, all) = (program(UNSAFE), Board::default());
    // A liar says that no execution comes into main.
    let place = analysis::Stacks::new(&program).start(&program);
    let edge = program.leaving(place.node).next().expect("the program does something");
    let to = analysis::Place { node: program.edges[edge].to, ..place };
    let first = analysis::Step { kind: analysis::Move::Enter, edge, from: place, to, from_depth: 0, to_depth: 0 };
    all.part().refute(&[first]);
    let inputs = Inputs { board: all.part(), ..Inputs::default() };
    let mut counters = Counters::default();
    let verdict = run(&program, &PredicateOptions::default(), inputs, &Cancel::never(), &mut counters);
    all.report(&mut counters);
    assert_eq!(verdict.to_string(), "FALSE");
    assert!(counters.value("shared infeasible prefixes, used") > 0, "it listened");
}
