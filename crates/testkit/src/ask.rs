//! Asks an `argonaut` command for a verdict on a file.

use cfa::DataModel;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command and how long it may take.
#[derive(Clone, Debug)]
pub struct Verifier {
    /// The binary.
    pub path: String,
    /// Seconds for a run.
    pub time: f64,
}

/// What the command said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// The error cannot be reached.
    True,
    /// It can.
    False,
    /// It does not know.
    Unknown,
    /// Something in it is broken: what it said.
    Broken(String),
}

impl Verifier {
    /// The names that `argonaut presets` lists.
    pub fn presets(&self) -> Result<Vec<String>, String> {
        let output = Command::new(&self.path).arg("presets").output();
        let output = output.map_err(|error| format!("{}: {error}", self.path))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let names =
            text.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_whitespace().next());
        Ok(names.map(str::to_owned).collect())
    }

    /// What it says, and how long that took.
    pub fn ask(&self, preset: &str, model: DataModel, flags: &[&str], file: &Path) -> Result<(Said, Duration), String> {
        let mut command = Command::new(&self.path);
        command.args(["verify", "--analysis", preset, "--time-limit", &format!("{}s", self.time)]);
        let model = match model {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        };
        command.args(["--threads", "1", "--data-model", model]).args(flags).arg(file);
        let start = Instant::now();
        let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{}: {error}", self.path))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let broken = text.lines().find(|line| line.contains("internal error"));
        let said = match (output.status.code(), broken) {
            (Some(0), _) => Said::True,
            (Some(1), _) => Said::False,
            (Some(3), None) => Said::Unknown,
            (_, Some(line)) => Said::Broken(line.to_owned()),
            (code, None) => Said::Broken(format!("status {code:?}: {}", String::from_utf8_lossy(&output.stderr))),
        };
        Ok((said, start.elapsed()))
    }
}
