//! Small, fixed parts of the comparisons that `differential` makes at large.

use cfa::DataModel;
use semantics::random::Random;
use testkit::{compare, csmith, floats, formats, gcc, initialisers, layouts, libm, order};

fn check(generate: impl Fn(DataModel) -> String) {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        if !gcc::is_available(model) {
            eprintln!("skipped: no gcc for {model:?} (install gcc and gcc-multilib)");
            continue;
        }
        if let Err(how) = compare(&generate(model), model, &[]) {
            panic!("{model:?}: {how}");
        }
    }
}

#[test]
fn layouts_are_those_of_gcc() {
    check(|model| layouts::generate(&mut Random::new(11), 60, model));
}

#[test]
fn floats_are_those_of_the_machine() {
    check(|_| floats::generate(&mut Random::new(12), 12));
}

#[test]
fn mathematical_functions_are_those_of_glibc() {
    if !gcc::is_available(DataModel::Lp64) {
        eprintln!("skipped: no gcc");
        return;
    }
    for (name, text) in libm::programs(DataModel::Lp64, 200, 14) {
        if let Err(how) = compare(&text, DataModel::Lp64, &["-fno-builtin"]) {
            panic!("{name}: {how}");
        }
    }
}

#[test]
fn formats_are_those_of_glibc() {
    check(|_| formats::generate(&mut Random::new(13), 400));
}

#[test]
fn operands_are_evaluated_in_gccs_order() {
    for seed in 1..=10 {
        check(|_| order::generate(&mut Random::new(seed), 20));
    }
}

#[test]
fn initialisers_give_gccs_values() {
    for seed in 1..=4 {
        check(|_| initialisers::generate(&mut Random::new(seed), 50));
    }
}

#[test]
fn csmith_programs_print_gccs_checksum() {
    if !csmith::is_available() {
        eprintln!("skipped: csmith is missing (install csmith and libcsmith-dev)");
        return;
    }
    for (first, model) in [(1001, DataModel::Lp64), (2001, DataModel::Ilp32)] {
        if !gcc::is_available(model) {
            eprintln!("skipped: no gcc for {model:?} (install gcc and gcc-multilib)");
            continue;
        }
        let summary = csmith::check_many(first, 5, model, |_, _| {});
        assert!(summary.failures.is_empty(), "{model:?}: {:?}", summary.failures);
    }
}
