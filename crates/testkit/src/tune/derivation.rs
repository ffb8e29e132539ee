//! A plan from a table, step by step: first tries, each time the one that decides most open tasks for the time that it
//! takes of all open ones; then the rest of the time for all presets, shared by how many tasks each decides.

use super::simulation::Part;
use super::table::{End, Task};
use driver::{Condition, RanOut};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Seconds that a try may have.
const SECONDS: [f64; 6] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0];

/// What a try may ask of a program; the first one asks nothing.
const CONDITIONS: [&str; 17] = [
    "",
    "arrays",
    "!arrays",
    "floats",
    "!floats",
    "heap",
    "!heap",
    "inputs",
    "!inputs",
    "links",
    "loops",
    "!memory",
    "quotients",
    "recursion",
    "!recursion",
    "nodes < 1000",
    "nodes < 3000",
];

/// A try that asks for something counts for less: what fits a few tasks may not fit others.
const ASKING: f64 = 0.8;

/// Times are measured in hundredths of a second.
const TICK: f64 = 0.01;

/// A wrong answer costs as much as so many right ones are worth.
const WRONG: i64 = 16;

/// A part of a derived plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Which preset.
    pub preset: String,
    /// Its share, in per cent of the time limit that the plan is derived for.
    pub share: f64,
    /// At most so many seconds, for a try.
    pub seconds: Option<f64>,
    /// For which programs; empty for all.
    pub when: &'static str,
    /// The tasks of the table that it decides and no try before it does.
    pub decides: usize,
}

/// A task that no part has decided yet.
struct OpenTask<'t> {
    task: &'t Task,
    left: f64,
    /// Presets that have said all they can.
    done: BTreeSet<&'t str>,
}

impl OpenTask<'_> {
    /// What a try comes to in the time that is left; `None` if the preset does not come again.
    fn part(&self, preset: &str, seconds: f64) -> Option<Part> {
        (!self.done.contains(preset)).then(|| Part::new(self.task, preset, seconds.min(self.left)))
    }
}

/// A plan for a time limit in seconds.
pub fn derive(tasks: &[&Task], limit: f64) -> Vec<Entry> {
    let presets: BTreeSet<&str> = tasks.iter().flat_map(|task| task.runs.keys().map(String::as_str)).collect();
    let mut open: Vec<OpenTask> = tasks
        .iter()
        .map(|task| OpenTask { task, left: (limit - task.loading()).max(0.0), done: BTreeSet::new() })
        .collect();
    let mut entries = Vec::new();
    while let Some((preset, seconds, when)) = best_try(&presets, &open) {
        let before = open.len();
        open.retain_mut(|open| !decides(open, preset, seconds, when));
        let share = 100.0 * seconds / limit;
        entries.push(Entry {
            preset: preset.into(),
            share,
            seconds: Some(seconds),
            when,
            decides: before - open.len(),
        });
    }
    let tried: f64 = entries.iter().map(|entry| entry.share).sum();
    entries.extend(rest(&presets, tasks, &open, (100.0 - tried).max(10.0)));
    entries
}

fn fits(task: &Task, when: &str) -> bool {
    when.is_empty() || task.features.satisfy(&Condition::parse(when).expect("a test reads all conditions"))
}

/// The try with the most open tasks decided for a second. It has to decide tasks of two folders, so that no task has a
/// try of its own.
fn best_try<'p>(presets: &BTreeSet<&'p str>, open: &[OpenTask]) -> Option<(&'p str, f64, &'static str)> {
    let mut best = None;
    for when in CONDITIONS {
        let fitting: Vec<&OpenTask> = open.iter().filter(|open| fits(open.task, when)).collect();
        for &preset in presets {
            for seconds in SECONDS {
                let worth = worth(&fitting, preset, seconds) * if when.is_empty() { 1.0 } else { ASKING };
                // Among equals the first one.
                if worth > best.map_or(0.0, |(worth, _)| worth) {
                    best = Some((worth, (preset, seconds, when)));
                }
            }
        }
    }
    best.map(|(_, which)| which)
}

/// Right answers of a try for each second that it takes.
fn worth(open: &[&OpenTask], preset: &str, seconds: f64) -> f64 {
    let (mut gain, mut cost, mut folders) = (0, 0.0, BTreeSet::new());
    for open in open {
        let Some(part) = open.part(preset, seconds) else { continue };
        cost += part.after.max(TICK);
        match part.end {
            End::Verdict(true) => {
                gain += 1;
                folders.insert(open.task.folder());
            }
            End::Verdict(false) => gain -= WRONG,
            End::Open(_) => {}
        }
    }
    if folders.len() < 2 { 0.0 } else { gain as f64 / cost }
}

/// Whether a try decides a task; what it leaves otherwise.
fn decides<'t>(open: &mut OpenTask<'t>, preset: &'t str, seconds: f64, when: &str) -> bool {
    let Some(part) = open.part(preset, seconds).filter(|_| fits(open.task, when)) else { return false };
    open.left -= part.after;
    if part.end == End::Open(RanOut::OfIdeas) {
        open.done.insert(preset);
    }
    matches!(part.end, End::Verdict(_))
}

/// All presets that decide something: first those that decide most of what is still open, then those that decide most.
fn rest(presets: &BTreeSet<&str>, tasks: &[&Task], open: &[OpenTask], share: f64) -> Vec<Entry> {
    let right = |task: &Task, preset: &str| task.runs.get(preset).is_some_and(|run| run.end == End::Verdict(true));
    let new = |preset: &str| open.iter().filter(|open| right(open.task, preset)).count();
    let all = |preset: &str| tasks.iter().filter(|task| right(task, preset)).count();
    let counts = presets.iter().map(|&preset| (new(preset), all(preset), preset));
    let mut counts: Vec<(usize, usize, &str)> = counts.filter(|(_, all, _)| *all > 0).collect();
    counts.sort_by_key(|&(new, all, _)| std::cmp::Reverse((new, all)));
    let sum: usize = counts.iter().map(|(_, all, _)| all).sum();
    let entry = |(decides, all, preset): (usize, usize, &str)| {
        let share = share * all as f64 / sum as f64;
        Entry { preset: preset.to_owned(), share, seconds: None, when: "", decides }
    };
    counts.into_iter().map(entry).collect()
}

/// The plan as a file like those of presets.
pub fn written(entries: &[Entry]) -> String {
    let mut text = "description = \"Derived from a table of runs\"\nengine = \"sequence\"\n".to_owned();
    for entry in entries {
        let comment = match entry.decides {
            0 => String::new(),
            tasks => format!("# Tasks that it decides and no try before it does: {tasks}.\n"),
        };
        let share = entry.share.round().max(1.0);
        let seconds = entry.seconds.map_or(String::new(), |seconds| format!("seconds = {seconds}\n"));
        let when = if entry.when.is_empty() { String::new() } else { format!("when = [\"{}\"]\n", entry.when) };
        write!(text, "\n{comment}[[plan]]\npreset = \"{}\"\nshare = {share}\n{seconds}{when}", entry.preset)
            .expect("texts take all that is written");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::table::parse;
    use driver::Preset;

    /// Tasks with features and runs.
    fn table(tasks: &[(&str, &str, &[&str])]) -> Vec<Task> {
        let (mut lines, mut runs) = (String::new(), String::new());
        for (name, features, own) in tasks {
            lines += &format!("{name},C,\"{features}\"\n");
            own.iter().for_each(|run| runs += &format!("{name},{run}\n"));
        }
        let table = parse(&format!("task,category,features\n{lines}"), &format!("task,preset,verdict,seconds\n{runs}"));
        table.expect("it is well formed")
    }

    /// The tries of a plan within 10 s: `preset seconds condition decides`.
    fn check(tasks: &[(&str, &str, &[&str])], expected: &[&str]) {
        let entries = derive(&table(tasks).iter().collect::<Vec<_>>(), 10.0);
        let tries = entries
            .iter()
            .filter_map(|entry| Some(format!("{} {} {} {}", entry.preset, entry.seconds?, entry.when, entry.decides)));
        assert_eq!(tries.collect::<Vec<_>>(), expected);
        assert_eq!(Preset::sequence(&written(&entries)).expect("a plan").len(), entries.len());
    }

    #[test]
    fn cheap_answers_come_first() {
        let easy: &[&str] = &["intervals,right,0.05", "bmc,right,1"];
        let hard: &[&str] = &["intervals,unknown,0.05", "bmc,right,1"];
        let tasks =
            [("a/1", "loops 1", easy), ("b/1", "loops 1", easy), ("c/1", "loops 1", hard), ("d/1", "loops 1", hard)];
        check(&tasks, &["intervals 0.1  2", "bmc 1  2"]);
    }

    #[test]
    fn conditions_spare_others_the_time() {
        let fits: &[&str] = &["boxes,right,1", "pred,unknown,0"];
        let in_vain: &[&str] = &["boxes,out of time,2", "pred,unknown,0"];
        let tasks = [("a/1", "floats 1", fits), ("b/1", "floats 1", fits), ("c/1", "", in_vain), ("d/1", "", in_vain)];
        check(&tasks, &["boxes 1 floats 2"]);
    }

    #[test]
    fn tasks_with_little_time_left_count() {
        let quick: &[&str] = &["bmc,right,0.05", "pred,unknown,0"];
        let tasks = [("a/1", "", quick), ("b/1", "", quick), ("c/1", "", &["bmc,out of time,9", "pred,unknown,7"])];
        check(&tasks, &["bmc 0.1  2"]);
    }

    #[test]
    fn one_folder_is_not_enough() {
        let runs: &[&str] = &["bmc,right,1"];
        check(&[("a/1", "", runs), ("a/2", "", runs)], &[]);
        // A wrong answer outweighs two right ones.
        check(&[("a/1", "", runs), ("b/2", "", runs), ("c/1", "", &["bmc,wrong,1"])], &[]);
    }

    #[test]
    fn the_rest_begins_with_what_is_open() {
        let easy: &[&str] = &["bmc,right,1", "pred,right,1"];
        let tasks = [("a/1", "", easy), ("b/1", "", easy), ("c/1", "", &["pdr,right,1"])];
        let entries = derive(&table(&tasks).iter().collect::<Vec<_>>(), 10.0);
        let rest = entries.iter().filter(|entry| entry.seconds.is_none());
        let rest: Vec<_> = rest.map(|entry| (entry.preset.as_str(), entry.decides)).collect();
        assert_eq!(rest, [("pdr", 1), ("bmc", 0), ("pred", 0)]);
    }

    #[test]
    fn conditions_can_be_read() {
        assert!(CONDITIONS[1..].iter().all(|condition| Condition::parse(condition).is_ok()));
    }
}
