//! What a strategy costs over knowing the best analysis beforehand: its time on a task over that of the fastest other
//! preset with a right answer, in the median of the tasks; and the tasks that only others answer.

use super::measure::median;
use super::results::{Judgement, Row};
use driver::{Plan, Preset};

/// Times are kept in hundredths of a second.
const LEAST: f64 = 0.01;

/// One line for every preset that is a sequence of others, if others ran as well.
pub fn lines(presets: &[String], rows: &[Row]) -> String {
    let sequences = presets.iter().filter(|name| {
        Preset::named(name).is_some_and(|preset| match preset.plan() {
            Plan::Sequence(_) => true,
            Plan::Engine { .. } => false,
        })
    });
    sequences.filter_map(|name| line(name, rows)).collect()
}

fn line(name: &str, rows: &[Row]) -> Option<String> {
    let right = |row: &&Row| row.judge() == Judgement::Correct;
    let (mut ratios, mut missed) = (Vec::new(), Vec::new());
    for own in rows.iter().filter(|row| row.preset == name) {
        let others = rows.iter().filter(|row| row.preset != name && row.task == own.task).filter(right);
        let Some(fastest) = others.min_by(|a, b| a.wall.total_cmp(&b.wall)) else { continue };
        match own.judge() {
            Judgement::Correct => ratios.push(own.wall.max(LEAST) / fastest.wall.max(LEAST)),
            Judgement::Wrong | Judgement::Open => missed.push(format!("  {} by {}\n", own.task, fastest.preset)),
        }
    }
    if ratios.is_empty() && missed.is_empty() {
        return None;
    }
    let tasks = ratios.len();
    let median = match median(ratios) {
        Some(median) => format!("{median:.2} times the fastest other preset in the median"),
        None => "no answer in common with other presets".to_owned(),
    };
    Some(format!("{name}: {median} ({tasks} tasks); {} answered only by others\n{}", missed.len(), missed.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(rows: &[&str], expected: Expect) {
        let rows: Vec<Row> = rows.iter().map(|text| Row::written(text)).collect();
        expected.assert_eq(&lines(&["auto".into(), "bmc".into(), "pred".into()], &rows));
    }

    #[test]
    fn the_fastest_right_answer_is_the_measure() {
        let rows = [
            "auto a true 3",
            "bmc a true 1",
            "pred a true 2", // 3
            "auto b true 2",
            "bmc b unknown 1",
            "pred b true 2", // 1
            "auto c true 8",
            "bmc c false 1",
            "pred c true 4", // 2
            "auto d unknown 9",
            "bmc d true 1",
            "auto e true 1",
            "bmc e unknown 1",
        ];
        check(
            &rows,
            expect![[r#"
                auto: 2.00 times the fastest other preset in the median (3 tasks); 1 answered only by others
                  d by bmc
            "#]],
        );
    }

    #[test]
    fn nothing_to_compare() {
        check(&["auto a true 3", "bmc a unknown 1"], expect![""]);
        check(&["bmc a true 1", "pred a true 3"], expect![""]);
        check(
            &["auto a unknown 3", "bmc a true 1"],
            expect![[r#"
                auto: no answer in common with other presets (0 tasks); 1 answered only by others
                  a by bmc
            "#]],
        );
    }
}
