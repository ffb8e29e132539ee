//! What a plan would answer if each of its parts did what it did alone. Parts take turns as in a run with one thread, by
//! the driver's own code; what they tell each other in a real run is not known here.

use super::table::{End, Task};
use driver::{Queue, RanOut, Slice, fitting};
use std::time::{Duration, Instant};

/// What a preset comes to on a task in some time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    /// How it ends.
    pub end: End,
    /// After so many seconds.
    pub after: f64,
    /// Whether that was measured; else it is assumed to take all its time without an answer.
    pub measured: bool,
}

impl Part {
    /// A preset that has `time` seconds for a task.
    pub fn new(task: &Task, preset: &str, time: f64) -> Part {
        let in_vain = |measured| Part { end: End::Open(RanOut::OfTime), after: time, measured };
        let Some(run) = task.runs.get(preset) else { return in_vain(false) };
        let after = run.seconds - task.loading();
        match run.end {
            _ if after > time => in_vain(true),
            End::Open(RanOut::OfTime) => in_vain(false),
            end => Part { end, after, measured: true },
        }
    }
}

/// What a plan comes to on a task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Course {
    /// Whether the verdict is right, if there is one.
    pub right: Option<bool>,
    /// Seconds until then, or the time limit.
    pub seconds: f64,
    /// How many of its parts would have had more time than was measured.
    pub unmeasured: usize,
}

/// Runs a plan on a task with a time limit, one part at a time.
pub fn simulate(plan: &[Slice], task: &Task, limit: f64) -> Course {
    let start = Instant::now();
    let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
    let mut course = Course { right: None, seconds: task.loading().min(limit), unmeasured: 0 };
    let mut queue = Queue::new(&fitting(plan, &task.features), 1, at(limit));
    while let Some((slice, time)) = queue.take(at(course.seconds)) {
        let part = Part::new(task, &slice.preset, time.as_secs_f64());
        course.seconds += part.after;
        course.unmeasured += usize::from(!part.measured && !time.is_zero());
        match part.end {
            End::Verdict(right) => return Course { right: Some(right), ..course },
            End::Open(ran_out) => queue.end(&slice, ran_out),
        }
    }
    course
}

/// What a plan comes to on all tasks.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Summary {
    /// Right answers.
    pub right: usize,
    /// Wrong ones.
    pub wrong: usize,
    /// Of all tasks together.
    pub seconds: f64,
    /// Seconds of the right answers.
    pub times: Vec<f64>,
    /// Parts that would have had more time than was measured.
    pub unmeasured: usize,
}

impl Summary {
    /// All courses together.
    pub fn new(courses: impl IntoIterator<Item = Course>) -> Summary {
        let mut summary = Summary::default();
        for course in courses {
            summary.seconds += course.seconds;
            summary.unmeasured += course.unmeasured;
            match course.right {
                Some(true) => {
                    summary.right += 1;
                    summary.times.push(course.seconds);
                }
                Some(false) => summary.wrong += 1,
                None => {}
            }
        }
        summary.times.sort_by(f64::total_cmp);
        summary
    }

    /// The middle one of the times of right answers, 0 if there are none.
    pub fn median(&self) -> f64 {
        self.times.get(self.times.len() / 2).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::table::parse;
    use driver::Preset;

    /// `preset share [seconds]` or `preset share - condition` on a task with one loop and these runs, within 10 s.
    fn check(plan: &[&str], runs: &[&str], right: Option<bool>, seconds: f64) {
        let text: String = plan.iter().map(|part| entry(part)).collect();
        let plan = Preset::sequence(&format!("description = \"\"\nengine = \"sequence\"\n{text}")).expect("a plan");
        let runs: String = runs.iter().map(|run| format!("a/b,{run}\n")).collect();
        let table = parse("task,category,features\na/b,C,loops 1\n", &format!("task,preset,verdict,seconds\n{runs}"));
        let course = simulate(&plan, &table.expect("well formed")[0], 10.0);
        assert_eq!((course.right, (course.seconds * 1e6).round() / 1e6), (right, seconds), "{plan:?}");
    }

    fn entry(part: &str) -> String {
        let words: Vec<&str> = part.splitn(4, ' ').collect();
        let seconds = words.get(2).filter(|word| **word != "-").map(|word| format!("seconds = {word}\n"));
        let when = words.get(3).map(|word| format!("when = [\"{word}\"]\n"));
        format!(
            "[[plan]]\npreset = \"{}\"\nshare = {}\n{}{}",
            words[0],
            words[1],
            seconds.unwrap_or_default(),
            when.unwrap_or_default()
        )
    }

    #[test]
    fn parts_take_turns() {
        let runs = ["bmc,right,6", "pred,right,3", "intervals,unknown,1", "imc,out of time,2"];
        // Loading takes 1 s, which is all that `intervals` needs.
        check(&["pred 1"], &runs, Some(true), 3.0);
        check(&["intervals 1", "pred 1"], &runs, Some(true), 3.0);
        check(&["pred 1 0.5", "bmc 1"], &runs, Some(true), 6.5);
        check(&["imc 1", "bmc 2"], &runs, Some(true), 9.0);
        check(&["imc 2", "bmc 1"], &runs, None, 10.0);
        check(&["imc 2 - !loops", "bmc 1 - loops"], &runs, Some(true), 6.0);
        check(&["ic3 1 2", "bmc 1"], &runs, Some(true), 8.0);
        check(&["bmc 1"], &["bmc,wrong,2"], Some(false), 2.0);
    }
}
