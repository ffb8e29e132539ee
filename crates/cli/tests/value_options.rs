//! Options of the value analysis on the command line: what is tracked, which refinement is taken, precision reuse,
//! pictures of the abstract reachability graph, statistics.

mod command;

use command::{argonaut, file, without_folder};
use expect_test::{Expect, expect};

const TICKS: &str = "examples/papers/bl13-listing-1.c";
const GOOD_AND_BAD: &str = "examples/papers/loewe17-good-and-bad.c";

/// The number in a row of the statistics.
fn statistic(out: &str, name: &str) -> Option<String> {
    let row = out.lines().find_map(|line| line.strip_prefix(&format!("  {name} ")))?;
    Some(row.trim().to_owned())
}

fn tracked(args: &[&str], name: &str) -> (String, String) {
    let output = file(name, "");
    let run = argonaut(&[&["verify", "--precision-out", &output], args].concat());
    let precision = std::fs::read_to_string(&output).expect("written");
    (run.verdict().to_owned(), precision.lines().collect::<Vec<_>>().join(" "))
}

fn check_bad(args: &[&str], expected: Expect) {
    let run = argonaut(args);
    expected.assert_eq(&without_folder(&run.err));
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}");
}

#[test]
fn the_selection_decides_what_is_tracked() {
    let with = |select, name| tracked(&["--analysis", "expl-refsel", "--select", select, GOOD_AND_BAD], name);
    assert_eq!(with("score-min", "score-min.txt"), ("Verdict: TRUE".into(), "main::b".into()));
    assert_eq!(with("score-max", "score-max.txt"), ("Verdict: TRUE".into(), "main::i main::$1".into()));
    check_bad(
        &["verify", "--analysis", "expl-refsel", "--select", "beauty", GOOD_AND_BAD],
        expect![[r#"
        argonaut: error: no refinement selection `beauty`: length, width, depth or score, -min or -max
    "#]],
    );
}

#[test]
fn a_users_precision_is_kept() {
    let args = |track| ["verify", "--analysis", "expl-itp", "--track", track, "--statistics", TICKS];
    let run = argonaut(&args("flag"));
    assert_eq!(run.verdict(), "Verdict: TRUE");
    assert_eq!(statistic(&run.out, "refinements"), None);
    let run = argonaut(&args("result"));
    assert!(run.verdict().starts_with("Verdict: UNKNOWN"), "{}", run.out);
    check_bad(
        &args("nothing"),
        expect![[r#"
        argonaut: error: no variable is called `nothing`
    "#]],
    );
}

#[test]
fn a_precision_serves_again() {
    let precision = file("ticks-precision.txt", "");
    let first = ["verify", "--analysis", "expl-itp", "--precision-out", &precision, "--statistics", TICKS];
    let run = argonaut(&first);
    assert_eq!((run.verdict(), statistic(&run.out, "refinements").as_deref()), ("Verdict: TRUE", Some("1")));
    assert_eq!(std::fs::read_to_string(&precision).expect("written"), "main::flag\n");
    let run = argonaut(&["verify", "--analysis", "expl-itp", "--precision-in", &precision, "--statistics", TICKS]);
    assert_eq!((run.verdict(), statistic(&run.out, "refinements")), ("Verdict: TRUE", None));
}

#[test]
fn precision_files() {
    let check = |name: &str, text: &str, expected| {
        check_bad(&["verify", "--analysis", "expl-itp", "--precision-in", &file(name, text), TICKS], expected);
    };
    check(
        "unknown.txt",
        "# what matters\nmain::flag\n  main::flags # no\n",
        expect![[r#"
        unknown.txt:3:3: error: no variable is called `main::flags`
    "#]],
    );
    check(
        "offset.txt",
        "flag\nticks+x\n",
        expect![[r#"
        offset.txt:2:1: error: expected an offset, found `x`
    "#]],
    );
    check_bad(
        &["verify", "--analysis", "expl-itp", "--precision-in", "nowhere.txt", TICKS],
        expect![[r#"
        argonaut: error: nowhere.txt: no such file, expected a precision
    "#]],
    );
    check_bad(
        &["verify", "--analysis", "bmc", "--precision-in", TICKS, TICKS],
        expect![[r#"
        argonaut: error: bad option: unknown field `precision-in`, expected one of `k-init`, `k-max`, `increment`, `complete`, `run-on`
    "#]],
    );
    let comments = file("comments.txt", "\n# nothing but\n  # comments\nflag # this one\n");
    let run = argonaut(&["verify", "--analysis", "expl-itp", "--precision-in", &comments, TICKS]);
    assert_eq!(run.verdict(), "Verdict: TRUE");
}

#[test]
fn the_graph_is_drawn() {
    let dump = |name: &str, program: &str| {
        let picture = file(name, "");
        let run = argonaut(&["verify", "--analysis", "expl-itp", "--dump-arg", &picture, program]);
        (run.verdict().to_owned(), std::fs::read_to_string(&picture).expect("written"))
    };
    let (verdict, dot) = dump("arg.dot", TICKS);
    assert_eq!(verdict, "Verdict: TRUE");
    assert!(
        dot.starts_with("digraph arg {") && dot.contains("main::flag = 0") && dot.contains("style=dashed"),
        "{dot}"
    );
    let (_, svg) = dump("arg.svg", TICKS);
    assert!(svg.starts_with("<svg") && svg.contains("main::flag = 0") && svg.contains("stroke-dasharray"), "{svg}");
    assert!(svg.trim_end().ends_with("</svg>") && !svg.contains("flag > 0"), "operations are escaped: {svg}");
    // Predicates have such graphs, unrollings have none.
    let picture = file("pred.dot", "");
    let run = argonaut(&["verify", "--analysis", "pred", "--dump-arg", &picture, TICKS]);
    let dot = std::fs::read_to_string(&picture).expect("written");
    assert!(run.code == 0 && dot.starts_with("digraph arg {") && dot.contains(" -> "), "{}{dot}", run.err);
    let picture = file("bmc.dot", "untouched");
    let run = argonaut(&["verify", "--analysis", "k-induction", "--dump-arg", &picture, TICKS]);
    assert!(run.err.ends_with("bmc.dot: not written, k-induction has no abstract reachability graph\n"), "{}", run.err);
    assert_eq!((run.code, std::fs::read_to_string(&picture).expect("kept").as_str()), (0, "untouched"));
    // A graph with an error in it is drawn as well.
    let (verdict, dot) = dump("error.dot", "examples/first-bug.c");
    assert!(!verdict.contains("TRUE") && dot.contains("salmon"), "{verdict} {dot}");
}

#[test]
fn statistics_are_complete() {
    let rows = [
        "iterations",
        "refinements",
        "error paths",
        "error path steps",
        "longest error path",
        "reached states",
        "covered states",
        "precision size",
        "tracked at a location, most",
        "tracked at a location, mean",
        "exploration",
        "refinement",
        "proof check",
        "peak memory, bytes",
    ];
    let run = argonaut(&["verify", "--analysis", "expl-itp", "--statistics", TICKS]);
    for row in rows {
        assert!(statistic(&run.out, row).is_some(), "{row} in {}", run.out);
    }
    let json = argonaut(&["verify", "--analysis", "expl-itp", "--format", "json", TICKS]).out;
    for row in rows {
        assert!(json.contains(&format!("\"{row}\"")), "{row} in {json}");
    }
}

#[test]
fn statistics_of_diagrams_are_complete() {
    let run = argonaut(&["verify", "--analysis", "bdd", "--statistics", "examples/papers/bs12-figure-1.c"]);
    let rows = [
        "bdd cache lookups",
        "bdd cache hits",
        "bdd nodes",
        "bdd nodes at most",
        "bdd operations",
        "exploration",
        "recomputation of successors",
        "check by a solver",
        "peak memory, bytes",
    ];
    for row in rows {
        assert!(statistic(&run.out, row).is_some(), "{row} in {}", run.out);
    }
}
