//! The derived plan on tasks that it was not derived from, beside other ways to choose. Tasks of one folder are alike, so
//! a folder is never divided.

use super::derivation::{derive, written};
use super::simulation::{Course, Summary, simulate};
use super::table::{End, Task};
use driver::{Preset, Slice};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The fold of each folder: large folders first, each to the fold with the fewest tasks.
pub fn folds(tasks: &[Task], count: usize) -> BTreeMap<&str, usize> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    tasks.iter().for_each(|task| *sizes.entry(task.folder()).or_default() += 1);
    let mut folders: Vec<(&str, usize)> = sizes.into_iter().collect();
    folders.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
    let mut full = vec![0; count];
    let mut place = |(folder, size): (_, usize)| {
        let fold = (0..count).min_by_key(|&fold| full[fold]).unwrap_or(0);
        full[fold] += size;
        (folder, fold)
    };
    folders.into_iter().map(&mut place).collect()
}

/// The course of each task with the plan that is derived from the other folds.
fn held_out(tasks: &[Task], limit: f64, count: usize) -> Vec<Course> {
    let folds = folds(tasks, count);
    let plan = |fold: usize| {
        let others: Vec<&Task> = tasks.iter().filter(|task| folds[task.folder()] != fold).collect();
        Preset::sequence(&written(&derive(&others, limit))).expect("derived plans are well formed")
    };
    let plans: Vec<Vec<Slice>> = (0..count).map(plan).collect();
    tasks.iter().map(|task| simulate(&plans[folds[task.folder()]], task, limit)).collect()
}

/// One preset with all the time.
fn alone(tasks: &[Task], preset: &str, limit: f64) -> Summary {
    let slice = Slice { preset: preset.into(), label: preset.into(), share: 1.0, seconds: None, when: Vec::new() };
    Summary::new(tasks.iter().map(|task| simulate(std::slice::from_ref(&slice), task, limit)))
}

/// The fastest right answer of any preset: what no choice can do better than.
fn virtual_best(task: &Task, limit: f64) -> Course {
    let right = task.runs.values().filter(|run| run.end == End::Verdict(true)).map(|run| run.seconds);
    match right.reduce(f64::min).filter(|seconds| *seconds <= limit) {
        Some(seconds) => Course { right: Some(true), seconds, unmeasured: 0 },
        None => Course { right: None, seconds: limit, unmeasured: 0 },
    }
}

/// Plans side by side, within a time limit in seconds.
pub fn report(tasks: &[Task], plan: &[Slice], limit: f64, count: usize) -> String {
    let presets: BTreeSet<&str> = tasks.iter().flat_map(|task| task.runs.keys().map(String::as_str)).collect();
    let folders: BTreeSet<&str> = tasks.iter().map(Task::folder).collect();
    let runs: usize = tasks.iter().map(|task| task.runs.len()).sum();
    let all = tasks.len() * presets.len();
    let mut text = format!(
        "{} tasks of {} folders, {} presets, {runs} of {all} runs measured; {limit} s for a task, {count} folds\n",
        tasks.len(),
        folders.len(),
        presets.len()
    );
    let singles = presets.iter().map(|preset| (*preset, alone(tasks, preset, limit)));
    let best =
        singles.max_by(|(_, a), (_, b)| (a.right, -a.seconds).partial_cmp(&(b.right, -b.seconds)).expect("numbers"));
    let given: Vec<Course> = tasks.iter().map(|task| simulate(plan, task, limit)).collect();
    let held_out = held_out(tasks, limit, count);
    let mut rows = vec![
        ("the plan".to_owned(), Summary::new(given.iter().copied())),
        ("derived, on folders held out".to_owned(), Summary::new(held_out.iter().copied())),
    ];
    rows.extend(best.map(|(preset, summary)| (format!("best preset alone: {preset}"), summary)));
    rows.push((
        "best preset for each task".to_owned(),
        Summary::new(tasks.iter().map(|task| virtual_best(task, limit))),
    ));
    let line = |text: &mut String, cells: [&str; 6]| {
        let [name, right, wrong, seconds, median, unmeasured] = cells;
        writeln!(text, "{name:<34}{right:>6}{wrong:>6}{seconds:>9}{median:>8}{unmeasured:>14}").expect("memory");
    };
    line(&mut text, ["", "right", "wrong", "seconds", "median", "not measured"]);
    for (name, summary) in rows {
        let seconds = (format!("{:.1}", summary.seconds), format!("{:.2}", summary.median()));
        let counts = [summary.right, summary.wrong, summary.unmeasured].map(|count| count.to_string());
        line(&mut text, [&name, &counts[0], &counts[1], &seconds.0, &seconds.1, &counts[2]]);
    }
    text + &differences(tasks, &given, &held_out)
}

/// The categories in which two plans have different numbers of right answers.
fn differences(tasks: &[Task], given: &[Course], derived: &[Course]) -> String {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for ((task, given), derived) in tasks.iter().zip(given).zip(derived) {
        let count = counts.entry(&task.category).or_default();
        count[0] += usize::from(given.right == Some(true));
        count[1] += usize::from(derived.right == Some(true));
    }
    let different = counts.iter().filter(|(_, [given, derived])| given != derived);
    different
        .map(|(name, [given, derived])| format!("  {name}: {given} by the plan, {derived} by derived ones\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::table::parse;

    #[test]
    fn folders_are_not_divided() {
        let names = ["a/1", "a/2", "a/3", "b/1", "c/1", "c/2"];
        let tasks: String = names.iter().map(|name| format!("{name},C,nodes 1\n")).collect();
        let runs: String = names.iter().map(|name| format!("{name},bmc,right,1\n")).collect();
        let table = parse(&format!("task,category,features\n{tasks}"), &format!("task,preset,verdict,seconds\n{runs}"));
        let table = table.expect("it is well formed");
        assert_eq!(folds(&table, 2), BTreeMap::from([("a", 0), ("b", 1), ("c", 1)]));
        let right = held_out(&table, 5.0, 2).into_iter().filter(|course| course.right == Some(true)).count();
        // What is derived from `a` alone still has `bmc` for the rest of the time.
        assert_eq!(right, names.len());
    }
}
