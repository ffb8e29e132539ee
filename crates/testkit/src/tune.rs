//! The plan of `auto` from data: a table of what each preset answers on each task and how soon, what a plan would answer
//! according to it, and a plan that is derived from it.
//!
//! - `table`: the measured runs and the features of tasks, as files
//! - `simulation`: a plan on a table
//! - `derivation`: a plan from a table
//! - `validation`: the derived plan on folders that it was not derived from

pub mod derivation;
pub mod simulation;
pub mod table;
pub mod validation;

#[cfg(test)]
mod tests {
    use super::*;
    use driver::{Plan, Preset};
    use expect_test::expect;
    use std::path::Path;

    /// The committed table is well formed, and what it says of `auto`'s plan is known: a change of the plan shows here.
    #[test]
    fn the_plan_of_auto_on_the_table() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/results/tune");
        let tasks = table::read(&folder).expect("the table is well formed");
        let Some(Plan::Sequence(plan)) = Preset::named("auto").map(|auto| auto.plan()) else {
            panic!("auto is a sequence")
        };
        let report = [2.0, 10.0].map(|limit| validation::report(&tasks, &plan, limit, 5)).join("\n");
        expect![[r#"
            61 tasks of 30 folders, 19 presets, 996 of 1159 runs measured; 2 s for a task, 5 folds
                                               right wrong  seconds  median  not measured
            the plan                              41     0     44.7    0.01           129
            derived, on folders held out          42     0     45.5    0.02           113
            best preset alone: expl-itp           30     0     50.7    0.01            25
            best preset for each task             44     0     35.0    0.00             0
              DeviceDrivers64: 8 by the plan, 9 by derived ones

            61 tasks of 30 folders, 19 presets, 996 of 1159 runs measured; 10 s for a task, 5 folds
                                               right wrong  seconds  median  not measured
            the plan                              44     0    180.4    0.02           191
            derived, on folders held out          44     0    206.7    0.03           317
            best preset alone: expl-itp           30     0    250.7    0.01            25
            best preset for each task             44     0    171.0    0.00             0
        "#]]
        .assert_eq(&report);
    }
}
