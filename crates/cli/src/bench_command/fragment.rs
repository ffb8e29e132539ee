//! An experiment as a part of a page: its tables, in which the paper's figures stand beside ours, its plots, and the
//! tasks that one configuration alone solves. The book includes it; its style sheet has the colours.

use super::experiment::{Experiment, Group, Plot, Rows, Table};
use super::measure::{Measure, only_here};
use super::plot::{Curve, plot};
use super::results::{Judgement, Row};
use super::run::Limits;
use base::markup;
use std::fmt::Write;

const TEXT: &str = "strings take all text";
/// Where there is no figure.
const NOTHING: &str = "\u{2013}";

/// The part of a page, from the runs of the experiment; empty lines are nowhere inside its tables and plots, since they end HTML in Markdown.
pub fn fragment(experiment: &Experiment, limits: &Limits, rows: &[Row]) -> String {
    let page = Page { experiment, rows: rows.iter().collect() };
    let mut out = format!("<!-- argonaut bench --experiment {} -->\n\n{}", experiment.name, page.setting(limits));
    for table in &experiment.tables {
        write!(out, "\n{}", page.table(table)).expect(TEXT);
    }
    for plot in &experiment.plots {
        write!(out, "\n{}", page.plot(plot)).expect(TEXT);
    }
    for winners in &experiment.winners {
        write!(out, "\n{}", page.winners(&winners.title)).expect(TEXT);
    }
    out
}

struct Page<'p> {
    experiment: &'p Experiment,
    rows: Vec<&'p Row>,
}

/// A figure, beside the one of the paper, if it has one.
struct Figures {
    theirs: Option<String>,
    ours: String,
}

impl Page<'_> {
    /// What was run, in a sentence.
    fn setting(&self, limits: &Limits) -> String {
        let mut tasks: Vec<&str> = self.rows.iter().map(|row| row.task.as_str()).collect();
        tasks.sort_unstable();
        tasks.dedup();
        let time = match limits.cpu {
            Some(cpu) => format!("{} s of processor time", cpu.as_secs_f64()),
            None => format!("{} s", limits.time.as_secs_f64()),
        };
        let (name, count) = (&self.experiment.name, tasks.len());
        format!(
            "`argonaut bench --experiment {name} --out DIR LIST.csv`: {count} tasks, {time} for each run. Columns *paper* \
             are the figures of \\[{}\\], columns *here* ours.\n",
            self.experiment.paper
        )
    }

    /// The runs of a configuration on the tasks of a group.
    fn of(&self, configuration: Option<usize>, group: Option<&Group>, expected: Option<bool>) -> Vec<&Row> {
        let run = configuration.map(|at| self.experiment.configurations[at].run.as_ref());
        let rows = self.rows.iter().copied().filter(|row| run.is_none_or(|run| row.preset == *run));
        let rows = rows.filter(|row| expected.is_none() || row.expected == expected);
        rows.filter(|row| group.is_none_or(|group| self.experiment.has(group, &row.category, &row.task))).collect()
    }

    fn measured(&self, table: &Table, measures: &[Measure], configuration: usize, group: Option<&Group>) -> String {
        let own = self.of(Some(configuration), group, table.expected);
        let all = self.of(None, group, table.expected);
        let numbers: Vec<String> = measures.iter().map(|measure| measure.of(&own, &all)).collect();
        numbers.join(" / ")
    }

    fn table(&self, table: &Table) -> String {
        let Experiment { configurations, groups, counters, .. } = self.experiment;
        let measures: Vec<Measure> =
            table.measures.iter().filter_map(|text| Measure::parse(text.as_ref(), counters).ok()).collect();
        let names: Vec<&str> = table.measures.iter().map(|measure| measure.as_ref().as_str()).collect();
        let figures = |row: usize, column: usize, ours: String| Figures {
            theirs: table.paper(row, column).map(str::to_owned),
            ours,
        };
        let mut columns: Vec<&str> = Vec::new();
        let mut lines: Vec<(&str, Vec<Figures>)> = Vec::new();
        match table.rows {
            Rows::Groups => {
                columns.push("tasks");
                columns.extend(configurations.iter().map(|configured| configured.name.as_str()));
                for (row, group) in groups.iter().enumerate() {
                    let cell = |at: usize| figures(row, at, self.measured(table, &measures, at, Some(group)));
                    let cells = std::iter::once(self.tasks(table, row)).chain((0..configurations.len()).map(cell));
                    lines.push((&group.name, cells.collect()));
                }
            }
            Rows::Configurations => {
                columns.extend(groups.iter().map(|group| group.name.as_str()));
                lines.push(("tasks", (0..groups.len()).map(|at| self.tasks(table, at)).collect()));
                for (row, configured) in configurations.iter().enumerate() {
                    let cell = |at: usize| figures(row, at, self.measured(table, &measures, row, Some(&groups[at])));
                    lines.push((&configured.name, (0..groups.len()).map(cell).collect()));
                }
                if table.virtual_best {
                    let rest = configurations.len();
                    let best = |at: usize| figures(rest, at, self.best(table, &groups[at]).to_string());
                    lines.push(("best of each column", (0..groups.len()).map(best).collect()));
                    let any = |at: usize| figures(rest + 1, at, self.any(table, &groups[at]).to_string());
                    lines.push(("best of each task", (0..groups.len()).map(any).collect()));
                }
            }
            Rows::Measures => {
                columns.extend(configurations.iter().map(|configured| configured.name.as_str()));
                for (row, (name, measure)) in names.iter().zip(&measures).enumerate() {
                    let cell = |at: usize| figures(row, at, self.measured(table, &[*measure], at, None));
                    lines.push((name, (0..configurations.len()).map(cell).collect()));
                }
            }
        }
        let unit = if table.rows == Rows::Measures { String::new() } else { format!(" ({})", names.join(" / ")) };
        html(&format!("{}{unit}", table.title), &columns, &lines)
    }

    /// How many tasks a group has.
    fn tasks(&self, table: &Table, at: usize) -> Figures {
        let ours = self.of(Some(0), Some(&self.experiment.groups[at]), table.expected).len().to_string();
        Figures { theirs: table.paper_tasks.get(at).cloned(), ours }
    }

    /// What the best configuration of a group solves; of all tasks, the sum of that of the other groups.
    fn best(&self, table: &Table, group: &Group) -> usize {
        let parts: Vec<&Group> = self.experiment.groups.iter().filter(|group| !group.is_all()).collect();
        let solved = |at: usize| solved(&self.of(Some(at), Some(group), table.expected));
        match group.is_all() && !parts.is_empty() {
            true => parts.into_iter().map(|part| self.best(table, part)).sum(),
            false => (0..self.experiment.configurations.len()).map(solved).max().unwrap_or(0),
        }
    }

    /// What some configuration solves.
    fn any(&self, table: &Table, group: &Group) -> usize {
        let all = self.of(None, Some(group), table.expected);
        let mut right: Vec<&str> =
            all.iter().filter(|row| row.judge() == Judgement::Correct).map(|row| row.task.as_str()).collect();
        right.sort_unstable();
        right.dedup();
        right.len()
    }

    fn plot(&self, wanted: &Plot) -> String {
        let Experiment { configurations, groups, .. } = self.experiment;
        let group = wanted.group.as_ref().and_then(|name| groups.iter().find(|group| group.name == *name));
        let curve = |(at, configured): (usize, &super::experiment::Configured)| {
            Curve::new(&configured.name, self.of(Some(at), group, wanted.expected).into_iter())
        };
        let curves: Vec<Curve> = configurations.iter().enumerate().map(curve).collect();
        let title = markup(&wanted.title);
        format!("<figure class=\"quantiles\">\n{}<figcaption>{title}</figcaption>\n</figure>\n", plot(&curves))
    }

    fn winners(&self, title: &str) -> String {
        let mut out = format!(
            "<div class=\"figures\">\n<table class=\"figures winners\">\n<caption>{}</caption>\n",
            markup(title)
        );
        out += "<thead><tr><th>configuration</th><th>tasks that it alone solves</th></tr></thead>\n<tbody>\n";
        for (at, configured) in self.experiment.configurations.iter().enumerate() {
            let own = self.of(Some(at), None, None);
            let right: Vec<&Row> = own.into_iter().filter(|row| row.judge() == Judgement::Correct).collect();
            let only = only_here(&right, &self.rows);
            let task = |row: &&Row| format!("{} ({}, {:.1} s)", markup(&row.task), row.verdict, row.cpu);
            let tasks: Vec<String> = only.iter().map(task).collect();
            let tasks = if tasks.is_empty() { NOTHING.to_owned() } else { tasks.join("<br>") };
            writeln!(out, "<tr><th>{} ({})</th><td>{tasks}</td></tr>", markup(&configured.name), only.len())
                .expect(TEXT);
        }
        out + "</tbody>\n</table>\n</div>\n"
    }
}

fn solved(rows: &[&Row]) -> usize {
    rows.iter().filter(|row| row.judge() == Judgement::Correct).count()
}

/// A table with a pair of columns for each name, or a single one where the paper has no figure.
fn html(title: &str, columns: &[&str], lines: &[(&str, Vec<Figures>)]) -> String {
    let paired = |at: usize| lines.iter().any(|(_, cells)| cells[at].theirs.is_some());
    let paired: Vec<bool> = (0..columns.len()).map(paired).collect();
    let pairs = paired.iter().filter(|paired| **paired).count();
    let single = if pairs > 0 { " rowspan=\"2\"" } else { "" };
    let mut out = format!("<div class=\"figures\">\n<table class=\"figures\">\n<caption>{}</caption>\n", markup(title));
    let heads = columns.iter().zip(&paired).map(|(name, paired)| match paired {
        true => format!("<th colspan=\"2\">{}</th>", markup(name)),
        false => format!("<th{single}>{}</th>", markup(name)),
    });
    writeln!(out, "<thead>\n<tr><th{single}></th>{}</tr>", heads.collect::<String>()).expect(TEXT);
    if pairs > 0 {
        writeln!(out, "<tr>{}</tr>", "<th>paper</th><th>here</th>".repeat(pairs)).expect(TEXT);
    }
    out += "</thead>\n<tbody>\n";
    for (name, cells) in lines {
        let cells = cells.iter().zip(&paired).map(|(Figures { theirs, ours }, paired)| {
            let theirs = markup(theirs.as_deref().unwrap_or(NOTHING));
            let theirs = if *paired { format!("<td class=\"theirs\">{theirs}</td>") } else { String::new() };
            format!("{theirs}<td>{}</td>", markup(ours))
        });
        writeln!(out, "<tr><th>{}</th>{}</tr>", markup(name), cells.collect::<String>()).expect(TEXT);
    }
    out + "</tbody>\n</table>\n</div>\n"
}
