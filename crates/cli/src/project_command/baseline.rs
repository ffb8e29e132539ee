//! Findings, and which of them are new: a baseline is the `results.sarif` of an earlier run. A finding is known again by its
//! file, function, kind and the text of its line, so that moved lines do not make it new.

use super::results::{Record, Word};
use super::units::{Subject, file_name};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// The key under which results of SARIF have their print.
pub const KEY: &str = "argonaut/v1";

/// A violated check.
#[derive(Clone, Debug)]
pub struct Finding {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    pub kind: String,
    pub message: String,
    pub arguments: Vec<String>,
    pub report: Option<String>,
    /// What it is known by.
    pub print: String,
    pub is_new: bool,
}

/// The prints of a baseline, with how often each occurs.
pub fn read(path: &Path) -> Result<HashMap<String, usize>, String> {
    let text =
        driver::read_text(path, "results of an earlier run (results.sarif)").map_err(|error| error.to_string())?;
    let problem =
        |what: &str| format!("{}: {what}, expected results of an earlier run (results.sarif)", path.display());
    let document: Value = serde_json::from_str(&text).map_err(|error| problem(&format!("is not JSON ({error})")))?;
    let runs = document["runs"].as_array().ok_or_else(|| problem("has no runs"))?;
    let results = runs.iter().filter_map(|run| run["results"].as_array()).flatten();
    let prints = results.filter_map(|result| result["partialFingerprints"][KEY].as_str());
    let mut known = HashMap::new();
    prints.for_each(|print| *known.entry(print.to_owned()).or_default() += 1);
    Ok(known)
}

/// All findings. Without a baseline all are new. A place that several functions lead to is one finding.
pub fn findings(known: &[(&Subject, Record)], baseline: Option<&HashMap<String, usize>>) -> Vec<Finding> {
    let mut left = baseline.cloned().unwrap_or_default();
    let mut all: Vec<Finding> = Vec::new();
    for (subject, record) in known {
        for check in record.checks.iter().filter(|check| check.word == Word::Violated) {
            let place = (check.file.as_str(), check.line, check.column, check.kind.as_str());
            if all.iter().any(|one| (one.file.as_str(), one.line, one.column, one.kind.as_str()) == place) {
                continue;
            }
            let within = check.inside.as_ref().unwrap_or(&subject.name);
            let words = [&file_name(&check.file), within, &check.kind, check.source.trim()].map(String::from);
            let hash = driver::sha256(words.join("\n").as_bytes());
            let print: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
            let is_new = match left.get_mut(&print) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            };
            all.push(Finding {
                file: check.file.clone(),
                line: check.line,
                column: check.column,
                function: subject.name.clone(),
                kind: check.kind.clone(),
                message: check.message.clone(),
                arguments: check.arguments.clone(),
                report: record.report.clone(),
                print,
                is_new,
            });
        }
    }
    all
}
