//! What tables of experiments measure: numbers of the runs of one configuration on some tasks.

use super::results::{Judgement, Row};
use super::run::OUT_OF_CPU;
use base::Stopped;

/// One number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    Solved,
    /// Right answers TRUE.
    Proofs,
    /// Right answers FALSE.
    Alarms,
    Wrong,
    Score,
    /// Runs that a limit of time ended.
    OutOfTime,
    OutOfMemory,
    /// Runs without an answer that no limit ended.
    Inconclusive,
    /// Tasks that no other configuration solves.
    OnlyHere,
    /// Processor time of right answers, in seconds.
    Cpu,
    MeanCpu,
    MeanCpuOfProofs,
    MeanCpuOfAlarms,
    /// Of the counter with this number, over the right answers that have it.
    Mean(usize),
    Median(usize),
    Most(usize),
}

const PLAIN: [(&str, Measure); 13] = [
    ("solved", Measure::Solved),
    ("proofs", Measure::Proofs),
    ("alarms", Measure::Alarms),
    ("wrong", Measure::Wrong),
    ("score", Measure::Score),
    ("out of time", Measure::OutOfTime),
    ("out of memory", Measure::OutOfMemory),
    ("inconclusive", Measure::Inconclusive),
    ("solved by no other", Measure::OnlyHere),
    ("cpu", Measure::Cpu),
    ("mean cpu", Measure::MeanCpu),
    ("mean cpu of proofs", Measure::MeanCpuOfProofs),
    ("mean cpu of alarms", Measure::MeanCpuOfAlarms),
];

impl Measure {
    /// Reads `solved`, `mean refinements` and the like; counters are those that the experiment keeps.
    pub fn parse(text: &str, counters: &[String]) -> Result<Measure, String> {
        if let Some((_, measure)) = PLAIN.iter().find(|(name, _)| *name == text) {
            return Ok(*measure);
        }
        let kinds =
            [("mean ", Measure::Mean as fn(usize) -> Measure), ("median ", Measure::Median), ("most ", Measure::Most)];
        let found = kinds.iter().find_map(|(word, kind)| {
            let name = text.strip_prefix(word)?;
            Some(kind(counters.iter().position(|counter| counter == name)?))
        });
        found.ok_or_else(|| {
            let names: Vec<&str> = PLAIN.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            format!("no measure is called `{text}`: {names}, or mean, median, most of one of the `counters`")
        })
    }

    /// The number for runs of one configuration, as tables write it; `all` has the runs of the others on these tasks.
    pub fn of(self, own: &[&Row], all: &[&Row]) -> String {
        let right = |answer: Option<bool>| {
            let rows = own.iter().filter(|row| row.judge() == Judgement::Correct);
            rows.filter(|row| answer.is_none() || row.answer() == answer).copied().collect::<Vec<&Row>>()
        };
        let open = |ended: &dyn Fn(&Row) -> bool| {
            own.iter().filter(|row| row.answer().is_none() && ended(row)).count().to_string()
        };
        let out_of_time = |row: &Row| row.reason == OUT_OF_CPU || row.reason == Stopped::Time.to_string();
        let out_of_memory = |row: &Row| row.reason == Stopped::Memory.to_string();
        let cpu = |answer: Option<bool>| right(answer).iter().map(|row| row.cpu).collect::<Vec<f64>>();
        match self {
            Measure::Solved => right(None).len().to_string(),
            Measure::Proofs => right(Some(true)).len().to_string(),
            Measure::Alarms => right(Some(false)).len().to_string(),
            Measure::Wrong => own.iter().filter(|row| row.judge() == Judgement::Wrong).count().to_string(),
            Measure::Score => own.iter().map(|row| row.score()).sum::<i64>().to_string(),
            Measure::OutOfTime => open(&out_of_time),
            Measure::OutOfMemory => open(&out_of_memory),
            Measure::Inconclusive => open(&|row| !out_of_time(row) && !out_of_memory(row)),
            Measure::OnlyHere => only_here(&right(None), all).len().to_string(),
            // A sum of nothing is -0.
            Measure::Cpu => two_digits(Some(cpu(None).iter().fold(0.0, |sum, time| sum + time))),
            Measure::MeanCpu => two_digits(mean(&cpu(None))),
            Measure::MeanCpuOfProofs => two_digits(mean(&cpu(Some(true)))),
            Measure::MeanCpuOfAlarms => two_digits(mean(&cpu(Some(false)))),
            Measure::Mean(at) => two_digits(mean(&counted(&right(None), at))),
            Measure::Median(at) => two_digits(median(counted(&right(None), at))),
            Measure::Most(at) => two_digits(counted(&right(None), at).into_iter().reduce(f64::max)),
        }
    }
}

/// The runs on tasks that no other run solves.
pub fn only_here<'r>(right: &[&'r Row], all: &[&Row]) -> Vec<&'r Row> {
    let is_only = |own: &Row| {
        let others = all.iter().filter(|row| row.task == own.task && row.preset != own.preset);
        others.into_iter().all(|row| row.judge() != Judgement::Correct)
    };
    right.iter().filter(|row| is_only(row)).copied().collect()
}

fn counted(rows: &[&Row], at: usize) -> Vec<f64> {
    rows.iter().filter_map(|row| row.counters.get(at)?.parse().ok()).collect()
}

fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The middle one, or the mean of the two in the middle.
pub fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(numbers[middle]),
        _ => Some((numbers[middle - 1] + numbers[middle]) / 2.0),
    }
}

/// As the papers write times: two significant digits, but never less than a hundredth.
fn two_digits(number: Option<f64>) -> String {
    let Some(number) = number else { return "\u{2013}".to_owned() };
    if number < 1.0 {
        return format!("{number:.2}");
    }
    if number < 9.95 {
        return format!("{number:.1}");
    }
    let unit = 10_f64.powf(number.log10().floor() - 1.0).max(1.0);
    format!("{:.0}", (number / unit).round() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_digits() {
        let shown = [0.0, 0.123, 1.26, 9.96, 47.4, 128.0, 5_649.0].map(|number| two_digits(Some(number)));
        assert_eq!(shown, ["0.00", "0.12", "1.3", "10", "47", "130", "5600"]);
        assert_eq!(two_digits(None), "\u{2013}");
    }

    #[test]
    fn measures_count_right_answers() {
        let rows =
            ["a 1 true 1 4", "a 2 true 3 8", "a 3 unknown 9 99", "b 1 true 2 1", "b 2 false 2 1", "b 3 unknown 1 1"];
        let rows = rows.map(Row::written);
        let all: Vec<&Row> = rows.iter().collect();
        let counters = ["refinements".to_owned()];
        let number = |measure: &str| Measure::parse(measure, &counters).expect("known").of(&all[..3], &all);
        let shown =
            ["solved", "proofs", "alarms", "score", "out of time", "inconclusive", "solved by no other"].map(number);
        assert_eq!(shown, ["2", "2", "0", "4", "1", "0", "1"]);
        let shown = ["cpu", "mean cpu", "mean refinements", "median refinements", "most refinements"].map(number);
        assert_eq!(shown, ["4.0", "2.0", "6.0", "6.0", "8.0"]);
        assert_eq!(Measure::Wrong.of(&all[3..], &all), "1");
        assert_eq!(Measure::Cpu.of(&[], &all), "0.00");
    }
}
