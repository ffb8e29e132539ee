//! Experiments: tables and plots of a paper, to be made again by one command. An experiment is a file,
//! `experiments/NAME.toml`, which is built into the program:
//!
//! ```toml
//! title = "Values with and without CEGAR"   # one line, no final stop
//! paper = "BL13"                            # a key of docs/papers.bib
//! time-limit = "60s"                        # of every run; also cpu-limit, memory-limit
//! counters = ["refinements"]                # what is kept of the statistics of a run
//! [[configuration]]
//! name = "plain"                            # in tables and plots
//! run = "expl"                              # a preset, perhaps with options: "expl-refsel select=none"
//! [[group]]                                 # a row or column of tables; without categories and tasks: all tasks
//! name = "drivers"
//! categories = ["DeviceDrivers64"]
//! tasks = ["ldv-*"]                         # patterns of names
//! of-each = 4                               # of the safe tasks so many, and of the unsafe ones, evenly spread
//! [[table]]
//! title = "Solved tasks"
//! rows = "groups"                           # or "configurations", "measures"
//! measures = ["solved", "cpu"]
//! paper = [["37 / 63"]]                     # what the paper has in these cells
//! [[plot]]                                  # a quantile plot
//! title = "Time"
//! [[winners]]                               # tasks that a single configuration solves
//! title = "Single winners"
//! ```

use super::configuration::Configuration;
use super::list::Task;
use super::measure::Measure;
use super::results::Row;
use super::run::Limits;
use crate::limits::{parse_memory, parse_time};
use driver::task_list::fits;
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;
use toml::Spanned;

const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// One experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// The file's name without `.toml`.
    #[serde(skip)]
    pub name: String,
    pub title: String,
    /// A key of `docs/papers.bib`.
    pub paper: String,
    time_limit: Spanned<String>,
    cpu_limit: Option<Spanned<String>>,
    memory_limit: Option<Spanned<String>>,
    #[serde(default)]
    pub counters: Vec<String>,
    #[serde(rename = "configuration")]
    pub configurations: Vec<Configured>,
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
    #[serde(default, rename = "table")]
    pub tables: Vec<Table>,
    #[serde(default, rename = "plot")]
    pub plots: Vec<Plot>,
    #[serde(default)]
    pub winners: Vec<Winners>,
}

/// A configuration by its name in tables.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configured {
    pub name: String,
    /// As `Configuration` reads it.
    pub run: Spanned<String>,
}

/// Tasks that belong together.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Group {
    pub name: String,
    #[serde(default)]
    categories: Vec<String>,
    #[serde(default)]
    tasks: Vec<String>,
    of_each: Option<usize>,
}

/// What the rows of a table are; its columns are configurations, or groups if the rows are configurations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    Groups,
    Configurations,
    Measures,
}

/// A table: the paper's figures beside ours.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    pub title: String,
    pub rows: Rows,
    pub measures: Vec<Spanned<String>>,
    /// Only tasks with this answer.
    pub expected: Option<bool>,
    /// Whether the best configuration of each group, and all of them together, have rows of their own.
    #[serde(default)]
    pub virtual_best: bool,
    /// How many tasks the paper has in each group.
    #[serde(default)]
    pub paper_tasks: Vec<String>,
    /// Row by row; empty where the paper has nothing.
    paper: Option<Spanned<Vec<Vec<String>>>>,
}

/// A quantile plot.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    pub title: String,
    /// Of this group only.
    pub group: Option<String>,
    /// Only tasks with this answer.
    pub expected: Option<bool>,
}

/// A list of tasks that a single configuration solves.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Winners {
    pub title: String,
}

impl Experiment {
    /// The experiment of a name, or of a file.
    pub fn find(name: &str) -> Result<Experiment, String> {
        if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
            let text = driver::read_text(Path::new(name), "an experiment").map_err(|error| error.to_string())?;
            let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
            return Experiment::parse(&stem, name, &text);
        }
        let Some((_, text)) = FILES.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(format!("no experiment is called `{name}`; expected a file NAME.toml or one of {names}"));
        };
        Experiment::parse(name, &format!("experiments/{name}.toml"), text)
    }

    /// Reads an experiment; mistakes name the file `show` and the line.
    fn parse(name: &str, show: &str, text: &str) -> Result<Experiment, String> {
        let at = |place: Option<std::ops::Range<usize>>, what: &str| {
            let line = place.map_or(0, |place| text[..place.start].matches('\n').count()) + 1;
            format!("{show}:{line}: {}", what.replace('\n', " "))
        };
        let read: Result<Experiment, toml::de::Error> = toml::from_str(text);
        let experiment = read.map_err(|error| at(error.span(), error.message()))?;
        let experiment = Experiment { name: name.to_owned(), ..experiment };
        for run in experiment.configurations.iter().map(|configured| &configured.run) {
            Configuration::new(run.as_ref()).check().map_err(|what| at(Some(run.span()), &what))?;
        }
        for table in &experiment.tables {
            for measure in &table.measures {
                Measure::parse(measure.as_ref(), &experiment.counters)
                    .map_err(|what| at(Some(measure.span()), &what))?;
            }
            let (rows, columns) = experiment.shape(table);
            let fits = |paper: &[Vec<String>]| paper.len() == rows && paper.iter().all(|row| row.len() == columns);
            if let Some(paper) = table.paper.as_ref().filter(|paper| !fits(paper.as_ref())) {
                return Err(at(Some(paper.span()), &format!("expected {rows} rows of {columns} figures")));
            }
        }
        for group in experiment.plots.iter().filter_map(|plot| plot.group.as_ref()) {
            if !experiment.groups.iter().any(|known| known.name == *group) {
                return Err(at(None, &format!("no group is called `{group}`")));
            }
        }
        experiment.read_limits().map_err(|(place, what)| at(Some(place), &what))?;
        Ok(experiment)
    }

    /// How many rows and columns of figures a table has.
    fn shape(&self, table: &Table) -> (usize, usize) {
        let (configurations, groups) = (self.configurations.len(), self.groups.len());
        match table.rows {
            Rows::Groups => (groups, configurations),
            Rows::Configurations => (configurations + if table.virtual_best { 2 } else { 0 }, groups),
            Rows::Measures => (table.measures.len(), configurations),
        }
    }

    /// What its runs may use.
    pub fn limits(&self) -> Limits {
        self.read_limits().expect("they were read before")
    }

    fn read_limits(&self) -> Result<Limits, (std::ops::Range<usize>, String)> {
        fn read<T>(
            text: &Spanned<String>,
            parse: fn(&str) -> Result<T, String>,
        ) -> Result<T, (std::ops::Range<usize>, String)> {
            parse(text.as_ref()).map_err(|what| (text.span(), what))
        }
        let time: Duration = read(&self.time_limit, parse_time)?;
        let cpu = self.cpu_limit.as_ref().map(|text| read(text, parse_time)).transpose()?;
        let memory = self.memory_limit.as_ref().map(|text| read(text, parse_memory)).transpose()?;
        Ok(Limits { time, cpu, memory, threads: None, counters: self.counters.clone() })
    }

    /// The tasks of a list that belong to it.
    pub fn choose(&self, all: Vec<Task>) -> Vec<Task> {
        let mut chosen = vec![false; all.len()];
        for group in self.groups.iter().filter(|group| !group.is_all()) {
            for answer in [Some(true), Some(false), None] {
                let is_own = |task: &Task| task.expected == answer && group.has(&task.category, &task.name);
                let own: Vec<usize> = (0..all.len()).filter(|&at| is_own(&all[at])).collect();
                let most = group.of_each.unwrap_or(own.len()).min(own.len());
                (0..most).for_each(|number| chosen[own[number * own.len() / most]] = true);
            }
        }
        if self.groups.iter().all(Group::is_all) {
            return all;
        }
        all.into_iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(task, _)| task).collect()
    }

    /// Whether a run is one of this experiment.
    pub fn asks_for(&self, row: &Row) -> bool {
        self.configurations.iter().any(|configured| *configured.run.as_ref() == row.preset)
            && self.groups.iter().any(|group| self.has(group, &row.category, &row.task))
    }

    /// Whether a task belongs to a group of this experiment.
    pub fn has(&self, group: &Group, category: &str, task: &str) -> bool {
        if !group.is_all() {
            return group.has(category, task);
        }
        let mut others = self.groups.iter().filter(|group| !group.is_all()).peekable();
        others.peek().is_none() || others.any(|group| group.has(category, task))
    }
}

impl Table {
    /// What the paper has in a cell, if it has something.
    pub fn paper(&self, row: usize, column: usize) -> Option<&str> {
        let cell = self.paper.as_ref()?.as_ref().get(row)?.get(column)?;
        Some(cell.as_str()).filter(|cell| !cell.is_empty())
    }
}

impl Group {
    /// Whether it stands for all tasks of the experiment.
    pub fn is_all(&self) -> bool {
        self.categories.is_empty() && self.tasks.is_empty()
    }

    fn has(&self, category: &str, task: &str) -> bool {
        let in_category = self.categories.is_empty() || self.categories.iter().any(|own| own == category);
        in_category && (self.tasks.is_empty() || self.tasks.iter().any(|pattern| fits(task, pattern)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[test]
    fn what_is_built_in_is_well_formed() {
        let bibliography = include_str!("../../../../docs/papers.bib");
        assert!(FILES.len() >= 5, "{}", FILES.len());
        for (name, _) in FILES {
            let experiment = Experiment::find(name).unwrap_or_else(|problem| panic!("{problem}"));
            let Experiment { title, paper, .. } = experiment;
            assert!(bibliography.contains(&format!("{{{paper},")), "{name}: {paper}");
            assert!(!title.ends_with('.') && !title.contains('\n'), "{name}: {title}");
        }
    }

    const GOOD: &str = "title = \"t\"\npaper = \"BL13\"\ntime-limit = \"5s\"\ncounters = [\"refinements\"]\n\
        [[configuration]]\nname = \"plain\"\nrun = \"expl\"\n[[group]]\nname = \"loops\"\ncategories = [\"Loops\"]\nof-each = 2\n\
        [[group]]\nname = \"all\"\n[[table]]\ntitle = \"T\"\nrows = \"groups\"\nmeasures = [\"solved\", \"mean refinements\"]\n\
        paper = [[\"1\"], [\"2\"]]\n";

    /// The message about `GOOD` with one part of it replaced.
    fn check(part: &str, other: &str, expected: Expect) {
        assert!(GOOD.contains(part), "{part}");
        expected.assert_eq(&match Experiment::parse("x", "x.toml", &GOOD.replace(part, other)) {
            Ok(experiment) => format!("{} tables", experiment.tables.len()),
            Err(problem) => problem,
        });
    }

    #[test]
    fn mistakes_name_the_line() {
        check("plain", "plain", expect!["1 tables"]);
        check(
            "paper = \"BL13\"",
            "papper = \"BL13\"",
            expect![
                "x.toml:2: unknown field `papper`, expected one of `title`, `paper`, `time-limit`, `cpu-limit`, `memory-limit`, `counters`, `configuration`, `group`, `table`, `plot`, `winners`"
            ],
        );
        check(
            "run = \"expl\"",
            "run = \"magic\"",
            expect!["x.toml:7: no preset is called `magic`; `argonaut presets` lists them"],
        );
        check(
            "run = \"expl\"",
            "run = \"expl speed=3\"",
            expect!["x.toml:7: `expl` has no option `speed`; `argonaut presets expl` lists them"],
        );
        check("5s", "soon", expect!["x.toml:3: expected a number and a unit, such as 60s or 4GiB"]);
        check(
            "mean refinements",
            "mean weight",
            expect![
                "x.toml:17: no measure is called `mean weight`: solved, proofs, alarms, wrong, score, out of time, out of memory, inconclusive, solved by no other, cpu, mean cpu, mean cpu of proofs, mean cpu of alarms, or mean, median, most of one of the `counters`"
            ],
        );
        check("[\"1\"], ", "", expect!["x.toml:18: expected 2 rows of 1 figures"]);
        check(
            "\"groups\"",
            "\"lines\"",
            expect!["x.toml:16: unknown variant `lines`, expected one of `groups`, `configurations`, `measures`"],
        );
        check(
            "name = \"plain\"",
            "name = ",
            expect!["x.toml:6: string values must be quoted, expected literal string"],
        );
    }

    #[test]
    fn groups_choose_tasks() {
        let experiment = Experiment::parse("x", "x.toml", GOOD).expect("well formed");
        let task = |category: &str, number: usize| Task {
            category: category.into(),
            name: format!("{number}.yml"),
            args: Vec::new(),
            expected: Some(number != 5),
        };
        let all: Vec<Task> = (0..6).map(|n| task(if n == 0 { "Heap" } else { "Loops" }, n)).collect();
        let names: Vec<String> = experiment.choose(all).into_iter().map(|task| task.name).collect();
        assert_eq!(names, ["1.yml", "3.yml", "5.yml"]);
        let [loops, every] = &experiment.groups[..] else { panic!("two groups") };
        assert!(experiment.has(loops, "Loops", "x") && experiment.has(every, "Loops", "x"));
        assert!(!experiment.has(loops, "Heap", "x") && !experiment.has(every, "Heap", "x"));
    }
}
