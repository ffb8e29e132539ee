//! What the value analysis knows at the end of small programs. A row is C and what `main` may return: numbers, `?` for
//! whatever is not known, `error` for a target. An expectation is not ours alone: every run of the interpreter must end
//! in one of these ways, and each of the numbers must be the end of a run, unless a `~` behind it says that values are
//! too weak here.

mod bytes;
mod learnt;
mod restricted;

use super::*;
use analysis::{PathDomain, Stacks};
use base::Cancel;
use lower::testing::prepared;
use semantics::interpreter::{self, RunEnd};
use semantics::random::Random;
use std::collections::BTreeSet;

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); void *alloca(unsigned long);
    void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void *realloc(void *, unsigned long);
    void free(void *); void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);
    void *memmove(void *, const void *, unsigned long); int abs(int);
    static int any(int n) { return __VERIFIER_nondet_int() & n; }\n";

/// How a row is explored.
struct Setting {
    options: Options,
    precision: Precision,
}

/// A step with the state before it.
type Taken = (State, Step);

struct Explored {
    /// How executions may end.
    ends: BTreeSet<String>,
    /// The states at the end of `main`, in the order in which they were found.
    last: Vec<State>,
    /// The steps to the end of each path, and to each place where a path cannot go on.
    paths: Vec<Vec<Taken>>,
    states: usize,
}

fn end_text(analysis: &ValueAnalysis, state: State, result: Option<cfa::VarId>) -> String {
    match result.and_then(|var| analysis.store.register(state, var, 0)) {
        Some(KnownValue::Bits(bits)) => (bits & 255).to_string(),
        Some(KnownValue::Sign(sign)) => sign.text().to_owned(),
        Some(KnownValue::Pointer(..) | KnownValue::Function(_)) | None => "?".to_owned(),
    }
}

/// Reaches all states, each place's as long as no earlier one there covers it.
fn explore(program: &Prepared, analysis: &mut ValueAnalysis, precision: &mut Precision) -> Explored {
    let main = program.functions.ids().find(|&id| program.function_name(id) == "main").expect("it has a main");
    let (exit, result) = (program.functions[main].exit, program.functions[main].result);
    let mut stacks = Stacks::new(program);
    let mut reached: FxHashMap<Place, Vec<State>> = FxHashMap::default();
    let mut found = Explored { ends: BTreeSet::new(), last: Vec::new(), paths: Vec::new(), states: 0 };
    let mut waiting = vec![(stacks.start(program), analysis.initial(), Vec::<Taken>::new())];
    while let Some((place, state, path)) = waiting.pop() {
        if program.targets.iter().any(|target| target.node == place.node) {
            found.ends.insert("error".to_owned());
        }
        if place.node == exit {
            found.last.push(state);
            found.paths.push(path);
            continue;
        }
        let mut steps = Vec::new();
        stacks.steps(program, place, &mut steps);
        for step in steps {
            let over = step.kind == Move::Enter && analysis.steps_over(step.edge, precision);
            let step = if over { stacks.over(program, &step) } else { step };
            let mut next = Vec::new();
            analysis.post(&state, &step, precision, &mut next).expect("nothing stops it");
            let mut longer = path.clone();
            longer.push((state, step));
            if next.is_empty() {
                found.paths.push(longer);
                continue;
            }
            let next = analysis.adjust(next[0], step.to, precision).expect("nothing stops it").expect("a state");
            if step.to.node == exit {
                found.ends.insert(end_text(analysis, next, result));
            }
            if is_new(analysis, next, step.to, &mut reached) {
                found.states += 1;
                assert!(found.states < 3000, "it comes to no end");
                waiting.push((step.to, next, longer));
            }
        }
    }
    found
}

/// Files a state unless one at its place covers it. The keys under which covering states are looked up say the same;
/// where objects have a fill, they may miss some.
fn is_new(analysis: &mut ValueAnalysis, state: State, at: Place, reached: &mut FxHashMap<Place, Vec<State>>) -> bool {
    let known = reached.entry(at).or_default();
    let covered = known.iter().any(|old| analysis.covers(old, &state).expect("nothing stops it"));
    let mut keys = Vec::new();
    analysis.covering_keys(&state, at, &mut keys);
    let by_key = known.iter().any(|old| keys.contains(&analysis.key(old)));
    let mut filled = false;
    analysis.store.maps.for_each(state.mem(), &mut |_, content| filled |= analysis.store.fill_of(content).is_some());
    assert!(if filled { !by_key || covered } else { by_key == covered }, "{:?}", analysis.describe(state));
    if !covered {
        known.push(state);
        analysis.filed(&state, at);
    }
    !covered
}

/// Whether a fact is that a byte of a filled object is not known.
fn is_hole(analysis: &ValueAnalysis, state: State, fact: ValueFact) -> bool {
    let store = &analysis.store;
    let chunk = |object: StoredObjectId, key: u32| store.maps.get(store.maps.get(state.mem(), object.0)?, key);
    match fact {
        ValueFact::Register(..) | ValueFact::Cell(_, 0) => false,
        ValueFact::Cell(object, key) => {
            chunk(object, key).is_some_and(|chunk| store.chunks[chunk as usize].value == UNKNOWN)
        }
    }
}

/// Follows paths by strongest posts. They are possible as far as the exploration found them so, and what a step
/// makes of a fact depends on no other facts than those that are said to influence it.
fn follow(analysis: &mut ValueAnalysis, paths: &[Vec<Taken>]) {
    for path in paths {
        let mut before = analysis.nothing_known();
        for (position, (_, step)) in path.iter().enumerate() {
            let after = analysis.strongest_post(&before, step, position).expect("nothing stops it");
            let mut wanted = Vec::new();
            if let Some(after) = &after {
                analysis.facts(after, &mut wanted);
                // Where a fill ends is not a fact by itself.
                wanted.retain(|&fact| !is_hole(analysis, *after, fact));
            }
            for wanted in wanted.into_iter().map(Some).chain(after.is_none().then_some(None)) {
                let mut facts = Vec::new();
                analysis.influences(&before, step, wanted.as_slice(), &mut facts);
                facts.extend(wanted);
                if let Some(ValueFact::Cell(object, _)) = wanted {
                    // What a step changes in part is known in part from before.
                    let mut all = Vec::new();
                    analysis.facts(&before, &mut all);
                    facts
                        .extend(all.into_iter().filter(|fact| matches!(fact, ValueFact::Cell(at, _) if *at == object)));
                }
                facts.retain(|&fact| analysis.agree(&before, &before, fact));
                let less = analysis.restrict(&before, &facts);
                assert!(analysis.store.covers(less, before), "less is known");
                let end = analysis.strongest_post(&less, step, position).expect("nothing stops it");
                let same = match (&end, &after, wanted) {
                    (Some(end), Some(after), Some(wanted)) => analysis.agree(end, after, wanted),
                    (end, _, _) => end.is_none(),
                };
                assert!(same, "{:?} of {:?}", wanted.map(|fact| analysis.name(fact)), analysis.describe(before));
            }
            let Some(after) = after else { break };
            before = after;
        }
    }
}

/// How runs end, in the same words: a few, or more until some end in each of the expected ways.
fn runs(program: &Prepared, expected: &[&str]) -> BTreeSet<String> {
    let mut ends = BTreeSet::new();
    for seed in 0..400 {
        if seed >= 12 && expected.iter().all(|end| ends.contains(*end)) {
            break;
        }
        let options = interpreter::Options { steps: 100_000, ..interpreter::Options::default() };
        let mut out = std::io::sink();
        let run = interpreter::run(program, &mut Random::new(seed), &mut out, &options, &Cancel::never());
        ends.insert(match run.outcome {
            RunEnd::Exit(status) => status.to_string(),
            RunEnd::Target(_) => "error".to_owned(),
            other => panic!("{other:?}"),
        });
    }
    ends
}

/// A row under a setting.
fn check(text: &str, expected: &str, make: &dyn Fn(&Prepared) -> Setting) -> Explored {
    let program = prepared(&format!("{HEAD}{text}"));
    let points_to = PointsTo::new(&program);
    let Setting { options, mut precision } = make(&program);
    let mut analysis = ValueAnalysis::new(&program, &points_to, options);
    let found = explore(&program, &mut analysis, &mut precision);
    let words: BTreeSet<String> = expected.split(' ').map(|word| word.trim_end_matches('~').to_owned()).collect();
    assert_eq!(found.ends, words, "\n{text}");
    if matches!(precision.scoping, Scoping::All) && precision.dropped.is_empty() && options.live_only {
        follow(&mut analysis, &found.paths);
    }
    let open = words.iter().any(|end| end != "error" && end.parse::<i32>().is_err());
    let is_exact = |word: &&str| *word == "error" || word.parse::<i32>().is_ok();
    let exact: Vec<&str> = expected.split(' ').filter(is_exact).collect();
    let runs = runs(&program, &exact);
    assert!(open || runs.is_subset(&words), "runs end with {runs:?}, the analysis says {words:?}\n{text}");
    assert!(exact.iter().all(|end| runs.contains(*end)), "runs end with {runs:?} only, not with {exact:?}\n{text}");
    found
}

/// Judges all rows, not only those up to the first that is wrong.
fn each<R>(rows: &[R], judge: impl Fn(&R)) {
    let wrong = |row: &&R| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| judge(row))).is_err();
    assert_eq!(rows.iter().filter(wrong).count(), 0, "rows are wrong");
}

fn everything(options: Options) -> Setting {
    Setting { options, precision: Precision::all() }
}

/// Rows that mean the same whether or not dead registers are kept.
fn check_all(rows: &[(&str, &str)]) {
    each(rows, |(text, expected)| {
        for live_only in [true, false] {
            check(text, expected, &|_| everything(Options { live_only, ..Options::default() }));
        }
    });
}
