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
            14 tasks of 13 folders, 7 presets, 73 of 98 runs measured; 2 s for a task, 5 folds
                                               right wrong  seconds  median  not measured
            the plan                               8     0     12.4    0.02            74
            derived, on folders held out           8     0     15.9    0.11            45
            best preset alone: expl-itp            5     0     14.1    0.01             7
            best preset for each task              8     0     12.1    0.01             0

            14 tasks of 13 folders, 7 presets, 73 of 98 runs measured; 10 s for a task, 5 folds
                                               right wrong  seconds  median  not measured
            the plan                               8     0     60.9    0.02            87
            derived, on folders held out           8     0     76.9    0.11            50
            best preset alone: expl-itp            5     0     70.1    0.01             7
            best preset for each task              8     0     60.1    0.01             0
        "#]]
        .assert_eq(&report);
    }
}
