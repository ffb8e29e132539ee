//! Results by preset and category, with SV-COMP's scores, as text, CSV and Markdown.

use super::results::{Judgement, Row};

/// The columns of all tables.
pub const COLUMNS: [&str; 10] =
    ["preset", "category", "tasks", "correct", "true", "false", "wrong", "score", "of", "cpu (correct), s"];

/// The sums of a category.
#[derive(Clone, PartialEq, Debug, Default)]
struct Sum {
    tasks: usize,
    proofs: usize,
    bugs: usize,
    wrong: usize,
    score: i64,
    best: i64,
    cpu: f64,
}

impl Sum {
    fn new<'r>(rows: impl Iterator<Item = &'r Row>) -> Sum {
        let mut sum = Sum::default();
        for row in rows {
            sum.tasks += 1;
            sum.score += row.score();
            sum.best += if row.expected == Some(false) { 1 } else { 2 };
            match (row.judge(), row.answer()) {
                (Judgement::Correct, answer) => {
                    sum.cpu += row.cpu;
                    sum.proofs += usize::from(answer == Some(true));
                    sum.bugs += usize::from(answer == Some(false));
                }
                (Judgement::Wrong, _) => sum.wrong += 1,
                (Judgement::Open, _) => {}
            }
        }
        sum
    }

    fn cells(&self, preset: &str, category: &str) -> [String; 10] {
        [
            preset.to_owned(),
            category.to_owned(),
            self.tasks.to_string(),
            (self.proofs + self.bugs).to_string(),
            self.proofs.to_string(),
            self.bugs.to_string(),
            self.wrong.to_string(),
            self.score.to_string(),
            self.best.to_string(),
            format!("{:.1}", self.cpu),
        ]
    }
}

/// A line for every category of every preset, the sum of each preset last.
pub fn lines(presets: &[String], rows: &[Row]) -> Vec<[String; 10]> {
    let mut lines = Vec::new();
    for preset in presets {
        let own = || rows.iter().filter(|row| row.preset == *preset);
        let mut categories: Vec<&str> = own().map(|row| row.category.as_str()).collect();
        categories.sort_unstable();
        categories.dedup();
        for category in &categories {
            lines.push(Sum::new(own().filter(|row| row.category == *category)).cells(preset, category));
        }
        if categories.len() != 1 {
            lines.push(Sum::new(own()).cells(preset, "all"));
        }
    }
    lines
}

/// The table for a terminal.
pub fn text(lines: &[[String; 10]]) -> String {
    let header = COLUMNS.map(str::to_owned);
    let all = || std::iter::once(&header).chain(lines);
    let widths: Vec<usize> =
        (0..COLUMNS.len()).map(|at| all().map(|line| line[at].chars().count()).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for line in all() {
        let cells = line.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| match at {
            0 | 1 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        out += cells.collect::<Vec<_>>().join("  ").trim_end();
        out.push('\n');
    }
    out
}

/// The table for other programs.
pub fn csv(lines: &[[String; 10]]) -> String {
    let rows = lines.iter().map(|line| driver::csv::line(line) + "\n");
    driver::csv::line(&COLUMNS) + "\n" + &rows.collect::<String>()
}

/// The table for documents.
pub fn markdown(lines: &[[String; 10]]) -> String {
    let mut out = format!("| {} |\n|---|---|{}\n", COLUMNS.join(" | "), "---:|".repeat(COLUMNS.len() - 2));
    for line in lines {
        out += &format!("| {} |\n", line.join(" | "));
    }
    out
}

/// The answers that are wrong, one a line.
pub fn wrong(rows: &[Row]) -> String {
    let wrong = rows.iter().filter(|row| row.judge() == Judgement::Wrong);
    wrong.map(|row| format!("WRONG: {} says {} of {}\n", row.preset, row.verdict, row.task)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn row(preset: &str, category: &str, expected: bool, verdict: &str, cpu: f64) -> Row {
        Row {
            preset: preset.into(),
            category: category.into(),
            task: "t.yml".into(),
            expected: Some(expected),
            verdict: verdict.into(),
            cpu,
            wall: cpu,
            reason: String::new(),
            counters: Vec::new(),
        }
    }

    #[test]
    fn scores_are_those_of_the_competition() {
        let rows = [
            row("a", "X", true, "true", 1.0),
            row("a", "X", false, "false", 2.0),
            row("a", "Y", false, "true", 4.0),
            row("a", "Y", true, "false", 8.0),
            row("b", "X", true, "unknown", 16.0),
        ];
        let lines = lines(&["a".into(), "b".into()], &rows);
        expect![[r#"
            preset  category  tasks  correct  true  false  wrong  score  of  cpu (correct), s
            a       X             2        2     1      1      0      3   3               3.0
            a       Y             2        0     0      0      2    -48   3               0.0
            a       all           4        2     1      1      2    -45   6               3.0
            b       X             1        0     0      0      0      0   2               0.0
        "#]]
        .assert_eq(&text(&lines));
        assert!(markdown(&lines).contains("| a | all | 4 | 2 | 1 | 1 | 2 | -45 | 6 | 3.0 |"));
        assert!(
            csv(&lines).starts_with("preset,category,tasks,correct,true,false,wrong,score,of,\"cpu (correct), s\"\n")
        );
        assert_eq!(wrong(&rows).lines().count(), 2);
    }
}
