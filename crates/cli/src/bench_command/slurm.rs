//! What Slurm is asked: its own commands, run and read.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A job array to submit.
pub struct Order<'o> {
    /// By which its elements are found again.
    pub name: &'o str,
    /// How many elements it has.
    pub count: usize,
    /// How many of them run at a time.
    pub at_a_time: Option<usize>,
    pub minutes: u64,
    /// Bytes.
    pub memory: u64,
    pub processors: usize,
    /// Where the elements say what went wrong, in a file each.
    pub folder: &'o Path,
    /// The command of an element, to which its index is added.
    pub command: &'o [&'o Path],
}

/// How an element of an array is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// It waits, runs, or is about to.
    Active,
    /// It ended by itself.
    Ended,
    /// The scheduler ended it, since it took more than it may: it would do so again. With the scheduler's word.
    OverLimit(String),
    /// It is lost: with its node, its process, or since it was cancelled. With the scheduler's word.
    Lost(String),
}

impl State {
    /// Reads the scheduler's word.
    fn new(word: &str) -> State {
        match word {
            "COMPLETED" => State::Ended,
            "TIMEOUT" | "OUT_OF_MEMORY" | "DEADLINE" => State::OverLimit(word.to_owned()),
            "FAILED" | "NODE_FAIL" | "BOOT_FAIL" | "PREEMPTED" | "CANCELLED" | "REVOKED" => {
                State::Lost(word.to_owned())
            }
            // PENDING, RUNNING, COMPLETING, REQUEUED, SUSPENDED and what later versions may have: it is still there.
            _ => State::Active,
        }
    }
}

/// Submits an array.
pub fn submit(order: &Order) -> Result<(), String> {
    let last = order.count.saturating_sub(1);
    let at_a_time = order.at_a_time.map_or(String::new(), |number| format!("%{number}"));
    // In names of files `%a` stands for the index.
    let log = order.folder.display().to_string().replace('%', "%%");
    let mut command = Command::new("sbatch");
    command.args(["--parsable", "--requeue", "--nodes=1", "--ntasks=1"]);
    command.arg(format!("--job-name={}", order.name));
    command.arg(format!("--array=0-{last}{at_a_time}"));
    command.arg(format!("--time={}", order.minutes));
    command.arg(format!("--mem={}K", order.memory.div_ceil(1 << 10)));
    command.arg(format!("--cpus-per-task={}", order.processors));
    command.arg(format!("--output={log}/%a.log"));
    answer(command, &script(order.command)).map(drop)
}

/// What an element executes.
fn script(command: &[&Path]) -> String {
    let quoted = |word: &&Path| format!("'{}'", word.display().to_string().replace('\'', r"'\''"));
    let words: Vec<String> = command.iter().map(quoted).collect();
    format!("#!/bin/sh\nexec {} \"$SLURM_ARRAY_TASK_ID\"\n", words.join(" "))
}

/// The elements of an array that the scheduler still knows. An error: it does not answer now.
pub fn states(name: &str) -> Result<BTreeMap<usize, State>, String> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--states=all", "--format=%K %T"]);
    command.arg(format!("--name={name}"));
    answer(command, "").map(|text| read_states(&text))
}

fn read_states(text: &str) -> BTreeMap<usize, State> {
    let line = |line: &str| {
        let (index, word) = line.trim().split_once(' ')?;
        Some((index.parse().ok()?, State::new(word.trim())))
    };
    text.lines().filter_map(line).collect()
}

/// Cancels what is left of an array.
pub fn cancel(name: &str) -> Result<(), String> {
    let mut command = Command::new("scancel");
    command.arg(format!("--name={name}"));
    answer(command, "").map(drop)
}

/// How many elements an array may have.
pub fn largest_array() -> Option<usize> {
    let mut command = Command::new("scontrol");
    command.args(["show", "config"]);
    let text = answer(command, "").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MaxArraySize"))?;
    line.trim_start_matches([' ', '=']).trim().parse().ok()
}

/// What a command of Slurm prints, or its complaint.
fn answer(mut command: Command, input: &str) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{name}: cannot be run ({error}); is Slurm here?"))?;
    if let Some(mut pipe) = child.stdin.take() {
        // It ends and complains without reading all.
        let _ = pipe.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    let said = if said.is_empty() { output.status.to_string() } else { said };
    let said = said.trim_start_matches(&format!("{name}: ")).trim_start_matches("error: ");
    Err(format!("{name}: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_scheduler() {
        let text = "0 COMPLETED\n1 RUNNING\n2 OUT_OF_MEMORY\n3 NODE_FAIL\n 4 CANCELLED\nN/A PENDING\n5 CONFIGURING\n";
        let states = read_states(text);
        let lost = |word: &str| State::Lost(word.into());
        let over = State::OverLimit("OUT_OF_MEMORY".into());
        let expected = [State::Ended, State::Active, over, lost("NODE_FAIL"), lost("CANCELLED"), State::Active];
        assert_eq!(states, expected.into_iter().enumerate().collect());
    }

    #[test]
    fn names_with_quotes_stay_words() {
        let text = script(&[Path::new("/o'b/argonaut"), Path::new("a b")]);
        assert_eq!(text, "#!/bin/sh\nexec '/o'\\''b/argonaut' 'a b' \"$SLURM_ARRAY_TASK_ID\"\n");
    }
}
