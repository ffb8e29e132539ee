//! The two encoders and the interpreter agree: on the final values of programs that write memory in many ways, and on
//! whether the errors of generated programs can be reached. The interpreter is the judge, who himself agrees with gcc.

use base::Cancel;
use cfa::{DataModel, Program};
use driver::{Options, Preset};
use flow::Prepared;
use obligations::{Checker, Claims, Role};
use smt::{Answer, Backend};
use smt_bitwuzla::BitwuzlaBackend;
use std::time::Duration;
use testkit::agreement::generate;
use testkit::program::{interpret, lower};
use testkit::steps::SingleStep;
use testkit::writes::{INPUTS, Writes};
use verdict::Verdict;

/// An encoder that needs longer says nothing.
const PATIENCE: Duration = Duration::from_secs(5);

fn program(text: &str, model: DataModel) -> Program {
    let mut program = lower(text, model).unwrap_or_else(|error| panic!("{error}\n{text}"));
    driver::prepare(&mut program, cfa::Outside::Pure);
    program
}

/// Whether the second encoder finds an execution to a target with at most so many visits of loop heads.
fn reaches(program: &Program, visits: u32) -> Option<bool> {
    let cancel = Cancel::with_limits(Some(PATIENCE), None);
    let checker = Checker::new(program).expect("the programs are small");
    let claims = Claims { exprs: &program.exprs, invariants: &[], states: None, visits };
    let obligation = checker.obligation(&claims, Role::Base(visits), &cancel).ok()?;
    let mut solver = BitwuzlaBackend.solver();
    obligation.assertions.iter().for_each(|&formula| solver.assert(&obligation.terms, formula));
    solver.check(&obligation.terms, &cancel).ok().map(|answer| answer == Answer::Sat)
}

/// Whether bounded model checking, by the other encoder, does.
fn bmc_reaches(program: &Program) -> Option<bool> {
    let preset = Preset::named("bmc").expect("a preset");
    let cancel = Cancel::with_limits(Some(PATIENCE), None);
    let outcome =
        driver::run(&Prepared::new(program.clone()), &preset, &Options::default(), None, &cancel, &mut |_| {});
    match outcome.expect("no options").verdict {
        Verdict::Safe(_) => Some(false),
        Verdict::Unsafe(_) => Some(true),
        Verdict::Unknown(_) => None,
    }
}

fn seeds(variable: &str, most: u64) -> std::ops::Range<u64> {
    match std::env::var(variable).ok().and_then(|range| {
        let (first, last) = range.split_once("..")?;
        Some(first.parse().ok()?..last.parse().ok()?)
    }) {
        Some(range) => range,
        None => 0..most,
    }
}

#[test]
fn encoders_know_what_writes_leave_behind() {
    let (mut decided, mut asked) = (0, 0);
    for seed in seeds("ENCODERS_SEEDS", 8) {
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let writes = Writes::new(seed);
        let text = |input| writes.printing(input).replace("__SIZE_TYPE__", "unsigned long");
        let run = |input| {
            let ended = interpret(&text(input), model).unwrap_or_else(|error| panic!("{error}\n{}", text(input)));
            ended.output.trim().parse().expect("it prints a number")
        };
        let sums: Vec<u64> = (0..INPUTS).map(run).collect();
        for (input, reached) in [(seed % INPUTS, false), ((seed / 2) % INPUTS, true)] {
            let text = writes.asking(input, sums[input as usize], reached).replace("__SIZE_TYPE__", "unsigned long");
            let program = program(&text, model);
            asked += 1;
            for (name, found) in [("reference", reaches(&program, 0)), ("bmc", bmc_reaches(&program))] {
                if let Some(found) = found {
                    decided += u32::from(name == "reference");
                    assert_eq!(found, reached, "seed {seed}, {model:?}, {name}:\n{text}");
                }
            }
        }
    }
    assert!(3 * decided > asked, "the reference encoder decided {decided} of {asked}");
}

#[test]
fn the_reference_encoder_finds_errors_that_exist_and_no_others() {
    let mut found = 0;
    for seed in seeds("KNOWN_SEEDS", 40).filter(|seed| seed % 5 != 4) {
        let known = generate(seed).expect("these need no tool");
        let program = program(&known.text, DataModel::Lp64);
        if reaches(&program, 14) == Some(true) {
            assert!(known.fails, "{}", known.text);
            found += 1;
        }
    }
    assert!(found > 5, "errors are found: {found}");
}

/// One operation on a state that is known in every byte: both encoders agree with the interpreter on whether it is
/// possible, on the state that it leads to, and on that it leads to no other.
#[test]
fn encoders_and_interpreter_agree_on_single_steps() {
    let (mut decided, mut asked, mut stuck) = ([0, 0], 0, 0);
    for seed in seeds("STEP_SEEDS", 12) {
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let step = SingleStep::new(seed);
        let fit = |text: String| match model {
            DataModel::Lp64 => text,
            DataModel::Ilp32 => text.replace("unsigned long)", "unsigned)"),
        };
        let run = fit(step.printing());
        let ended = interpret(&run, model).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{run}"));
        let questions = match step.after(&ended.output) {
            Some(after) => vec![(step.asking(&after, true), true), (step.asking(&after, false), false)],
            None => vec![(step.asking_whether(), false)],
        };
        stuck += u32::from(questions.len() == 1);
        for (text, reached) in questions {
            let text = fit(text);
            let program = program(&text, model);
            asked += 1;
            let found = [("reference", reaches(&program, 0)), ("bmc", bmc_reaches(&program))];
            for (count, (name, found)) in decided.iter_mut().zip(found) {
                *count += u32::from(found.is_some());
                assert!(found.is_none_or(|found| found == reached), "seed {seed}, {model:?}, {name}:\n{run}\n{text}");
            }
        }
    }
    println!("{asked} questions, {stuck} steps that are not possible, decided by reference and bmc: {decided:?}");
    assert!(decided.iter().all(|&count| 3 * count > asked), "{decided:?} of {asked} decided");
}

/// Whether the reference encoder finds a way to an access of dead memory, also where the access is to a local of the last
/// round that has the same row as that of this one.
#[test]
fn a_local_of_the_last_round_is_another_object() {
    let rows = [
        ("int *p = 0; for (int i = 0; i < 2; i++) { int x = i; if (p) *p = 1; p = &x; }", true),
        ("int *q[1] = {0}; for (int i = 0; i < 2; i++) { int x = i; if (q[0]) *q[0] = 1; q[0] = &x; }", true),
        ("for (int i = 0; i < 2; i++) { int x = i; int *p = &x; *p = 1; }", false),
        ("int *p = 0; for (int i = 0; i < 2; i++) { int x = i; p = &x; *p = 1; }", false),
        ("int x, *p = 0; for (int i = 0; i < 2; i++) { if (p) *p = 1; p = &x; }", false),
    ];
    let checks = cfa::Checks::of(&[cfa::Check::Deref]);
    for (body, reached) in rows {
        let options = lower::Options { checks, ..lower::Options::default() };
        let text = format!("int main(void) {{ {body} return 0; }}");
        let mut program = testkit::program::lower_with(&text, &options).expect("C");
        transform::check_memory(&mut program, checks);
        driver::prepare(&mut program, cfa::Outside::Pure);
        assert_eq!(reaches(&program, 4), Some(reached), "{body}");
    }
}
