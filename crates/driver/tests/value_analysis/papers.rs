//! The papers' examples with all abstract states: those of [BL13], of [Loewe17] and of [FTSRG22], the program of each
//! from the folder of examples.

use super::{Report, Setting, analyse, check_with, lower};
use analysis::{Cpa, Move, Place, Stacks, Step};
use domains::value::{Item, Options, Precision, ValueAnalysis};
use engine::cegar::Restart;
use expect_test::{Expect, expect};
use flow::{PointsTo, Prepared};

/// A precision of these registers of `main`.
fn tracking(program: &Prepared, names: &[&str]) -> Precision {
    let mut precision = Precision::scoped();
    for (var, _) in program.vars.iter() {
        let item = Item::Register(var);
        if names.iter().any(|name| item.display(program) == format!("main::{name}")) {
            precision.track(program.functions[program.entry].entry, item);
        }
    }
    precision
}

/// The verdict and the states at every location of `main`, in brackets where another one covers them.
fn states(program: &Prepared, cpa: &ValueAnalysis, report: &Report) -> String {
    let mut lines = vec![report.verdict.clone()];
    for id in report.reached.iter().flat_map(|reached| reached.arg.ids()) {
        let arg = &report.reached.as_ref().expect("just looked at").arg;
        let node = arg.place(id).node;
        if program.function_name(program.nodes[node].function) != "main" {
            continue;
        }
        let state = format!("{node}: {}", cpa.describe(*arg.state(id)).join(", "));
        lines.push(if arg.covered_by(id).is_some() { format!("({state})") } else { state });
    }
    let mut known = std::collections::HashSet::new();
    lines.retain(|line| known.insert(line.clone()));
    lines[1..].sort_by_key(|line| {
        let number =
            line.trim_start_matches(['(', 'n']).split(':').next().and_then(|number| number.parse::<u32>().ok());
        (number, line.starts_with('('), line.clone())
    });
    lines.join("\n").replace("main::", "").replace(" \n", "\n").trim_end().to_owned()
}

/// All states with a user's own choice of what to track.
fn check_tracking(source: &str, names: &[&str], expected: Expect) {
    let precision = tracking(&lower(source), names);
    let options = Options { live_only: false, ..Options::default() };
    let setting = Setting { precision, fixed: true, options, ..Setting::default() };
    analyse(source, setting, |program, cpa, report| expected.assert_eq(&states(program, cpa, &report)));
}

/// All states after CEGAR.
fn check_refined(source: &str, setting: Setting, expected: Expect) {
    let setting = Setting { options: Options { live_only: false, ..Options::default() }, ..setting };
    analyse(source, setting, |program, cpa, report| expected.assert_eq(&states(program, cpa, &report)));
}

const TICKS: &str = include_str!("../../../../examples/papers/bl13-listing-1.c");

/// [BL13, section 2.2]: v = {x = 2, y = 5} under the precision {x} is {x = 2}.
#[test]
fn abstraction_drops_what_is_not_tracked() {
    let source = "int main() { int x = 2; int y = 5; ERROR: return 1; }";
    let program = lower(source);
    let points_to = PointsTo::new(&program);
    let mut cpa = ValueAnalysis::new(&program, &points_to, Options { live_only: false, ..Options::default() });
    let mut walk = |precision: &Precision| {
        let main = program.function_named("main").expect("main");
        let (mut state, mut next) = (cpa.initial(), Vec::new());
        let mut at = program.functions[main].entry;
        for _ in 0..2 {
            let edge = program.leaving(at).next().expect("an assignment");
            let place = |node| Place { node, stack: Stacks::EMPTY };
            let (from, to) = (place(at), place(program.edges[edge].to));
            let step = Step { kind: Move::Edge, edge, from, to, from_depth: 0, to_depth: 0 };
            cpa.post(&state, &step, precision, &mut next).expect("supported");
            state = next.pop().expect("a successor");
            at = to.node;
        }
        cpa.describe(state).join(", ")
    };
    assert_eq!(walk(&Precision::all()), "main::x = 2, main::y = 5");
    assert_eq!(walk(&tracking(&program, &["x"])), "main::x = 2");
}

/// [BL13, Listing 1.1 and Fig. 1]: after one refinement every state knows the flag, and the loop is closed by covering.
#[test]
fn listing_1_1_states() {
    check_refined(
        TICKS,
        Setting::default(),
        expect![[r#"
        TRUE
        n0:
        n1: flag = 0
        n2: flag = 0
        n3: flag = 0
        (n3: flag = 0)
        n4: flag = 0
        n5: flag = 0
        n6: flag = 0
        n8: flag = 0
        n9: flag = 0"#]],
    );
    let lazy = Setting { precision: Precision::local(), restart: Restart::Pivot, ..Setting::default() };
    check_refined(
        TICKS,
        lazy,
        expect![[r#"
        TRUE
        n0:
        n1: flag = 0
        n2: flag = 0
        n3: flag = 0
        (n3: flag = 0)
        n4: flag = 0
        n5: flag = 0
        n6: flag = 0
        n8:
        n9:"#]],
    );
}

/// [Loewe17]: nothing before the flag is set, [flag = 0] up to the condition that contradicts, nothing after it. The
/// talk numbers locations by lines: N5 is n0, N8 is n3, N12 n4, N13 n5, N17 n6, N18 and N20 are n7.
#[test]
fn interpolants_of_the_talk() {
    analyse(TICKS, Setting::default(), |_, _, report| {
        expect![[r#"
            n0: <>
            n1: <flag = 0>
            n2: <flag = 0>
            n3: <flag = 0>
            n4: <flag = 0>
            n5: <flag = 0>
            n6: <flag = 0>
            n7: <>"#]]
        .assert_eq(&report.at_nodes.join("\n").replace("main::", ""));
    });
}

#[test]
fn constants_have_one_state_each() {
    let source = "int main() { int x = 10; int y = 3; int z = x + y; if (!(z > 0)) { ERROR: return 1; } }";
    check_tracking(
        source,
        &["x", "y", "z"],
        expect![[r#"
        TRUE
        n0:
        n1: x = 10
        n2: x = 10, y = 3
        n3: x = 10, y = 3, z = 13
        n5: x = 10, y = 3, z = 13
        n6: x = 10, y = 3, z = 13"#]],
    );
}

/// [Loewe17]: two branches, f is 0 on one and 1 on the other.
#[test]
fn branches_end_in_two_states() {
    let source = "int main() { int a = 0; int b = 1; int c; b = a + b; if (c) { a = 1; } else { a = 2; }
        int f = a - b; if (f < 0) { ERROR: return 1; } }";
    check_tracking(
        source,
        &["a", "b", "f"],
        expect![[r#"
        TRUE
        n0:
        n1: a = 0
        n2: a = 0, b = 1
        n3: a = 0, b = 1
        n4: a = 0, b = 1
        n5: a = 0, b = 1
        n6: a = 1, b = 1
        n6: a = 2, b = 1
        n7: a = 1, b = 1, f = 0
        n7: a = 2, b = 1, f = 1
        n9: a = 1, b = 1, f = 0
        n9: a = 2, b = 1, f = 1
        n10: a = 0, b = 1
        n11: a = 1, b = 1, f = 0
        n11: a = 2, b = 1, f = 1"#]],
    );
}

/// [FTSRG22, Example 2.5]: the state space of the loop, and how it ends.
#[test]
fn figure_3_has_six_values() {
    let source = "int main() { int x; x = 0; while (x < 5) { x = x + 1; } if (x > 5) { ERROR: return 1; } }";
    check_tracking(
        source,
        &["x"],
        expect![[r#"
        TRUE
        n0:
        n1:
        n2: x = 0
        n2: x = 1
        n2: x = 2
        n2: x = 3
        n2: x = 4
        n2: x = 5
        n3: x = 0
        n3: x = 1
        n3: x = 2
        n3: x = 3
        n3: x = 4
        n4: x = 5
        n6: x = 5
        n7: x = 5"#]],
    );
}

/// [FTSRG22, Example 3.1]: (l2, 0) and (l2, 1), whatever i is.
#[test]
fn figure_4_has_two_states_at_the_loop() {
    let source = "int main() { int x = 0; int i = 0;
        while (i < 1000) { if (x == 0) { x = 1; } else { x = 0; } i = i + 1; } if (x > 1) { ERROR: return 1; } }";
    check_tracking(
        source,
        &["x"],
        expect![[r#"
        TRUE
        n0:
        n1: x = 0
        n2: x = 0
        n2: x = 1
        (n2: x = 0)
        n3: x = 0
        n3: x = 1
        n4: x = 0
        n5: x = 0
        n5: x = 1
        n6: x = 1
        n7: x = 0
        n7: x = 1
        n9: x = 0
        n9: x = 1
        n10: x = 0
        n10: x = 1"#]],
    );
    // Tracking both unrolls the loop.
    let precision = tracking(&lower(source), &["x", "i"]);
    analyse(source, Setting { precision, fixed: true, ..Setting::default() }, |_, _, report| {
        let reached = report.counters.value("reached states");
        assert!(report.verdict == "TRUE" && reached > 4000, "{} with {reached} states", report.verdict);
    });
}

/// [FTSRG22, Example 3.2]: a false alarm even when x is tracked, so no verdict.
#[test]
fn figure_5_is_unknown_with_x_tracked() {
    let source = "extern int __VERIFIER_nondet_int(void);
int main() { int x = __VERIFIER_nondet_int(); if (x != 0) { if (!(x != 0)) { ERROR: return 1; } } }";
    check_tracking(
        source,
        &["x"],
        expect!["UNKNOWN (undecided: whether x != 0 can hold on a path to an error at test.c:2:51)"],
    );
    check_with(
        source,
        Setting::default(),
        expect![
            "UNKNOWN (undecided: whether x != 0 can hold on a path to an error at test.c:2:51), 0 refinements, tracks []"
        ],
    );
}
