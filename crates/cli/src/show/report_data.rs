//! What the page's script shows: files, the path, automata. Short keys and lists, since drivers are large.

use super::exploration::{self, Coverage};
use super::{FinishedRun, Shown};
use cfa::FunctionKind;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use verdict::Verdict;

/// The data of a page without program.
pub const EMPTY: &str = "{\"files\":[],\"steps\":[],\"functions\":[],\"states\":null,\"error\":null}";

/// Of longer paths only the end is shown.
const MOST_STEPS: usize = 5000;
/// Longer labels are cut.
const LONGEST_LABEL: usize = 80;

/// The data as JSON.
pub fn data(found: &FinishedRun) -> String {
    let files = files(found);
    let numbers: HashMap<&str, usize> = files.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
    let number = |file: &str| numbers.get(file).map_or(-1, |&at| at as i64);
    let coverage = Coverage::new(found);
    let code = exploration::lines(found.program, &|_| true);
    let reached = coverage.map(|coverage| coverage.reached).unwrap_or_default();
    let of = |lines: &BTreeMap<String, BTreeSet<u32>>, name: &String| lines.get(name).cloned().unwrap_or_default();
    let checked = checked(found);
    let texts: Vec<Value> = files
        .iter()
        .map(|(name, text)| {
            let checked = checked.get(name).cloned().unwrap_or_default();
            let checked: Vec<(u32, &str)> = checked.into_iter().map(|(line, state)| (line, state.word())).collect();
            json!({
                "name": name, "text": text, "code": of(&code, name), "reached": of(&reached, name), "checked": checked,
            })
        })
        .collect();
    let (steps, error, path) = match &found.outcome.verdict {
        Verdict::Unsafe(counterexample) => {
            let path = found.steps(counterexample, Shown::All, MOST_STEPS);
            let steps: Vec<Value> = path
                .steps
                .iter()
                .filter(|step| number(&step.place.file) >= 0)
                .map(|step| {
                    let values: Vec<_> = step.note.split(", ").filter_map(|note| note.split_once(" = ")).collect();
                    json!({
                        "file": number(&step.place.file), "line": step.place.line, "function": step.function,
                        "source": step.source, "note": step.note, "matters": step.matters, "values": values,
                    })
                })
                .collect();
            let at = found.place(found.violation(counterexample).0);
            let path: HashSet<cfa::EdgeId> = counterexample.path.iter().copied().collect();
            (steps, json!({ "file": number(&at.file), "line": at.line }), path)
        }
        Verdict::Safe(_) | Verdict::Unknown(_) => (Vec::new(), Value::Null, HashSet::new()),
    };
    let functions = functions(found, &path, &number);
    let states = exploration::states(found, &number);
    json!({ "files": texts, "steps": steps, "functions": functions, "states": states, "error": error }).to_string()
}

/// What is known of the checks of a line, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Checked {
    Proved,
    Open,
    Violated,
}

impl Checked {
    fn word(self) -> &'static str {
        match self {
            Checked::Proved => "proved",
            Checked::Open => "open",
            Checked::Violated => "violated",
        }
    }
}

/// The lines with checks for undefined behaviour, by file.
fn checked(found: &FinishedRun) -> BTreeMap<String, BTreeMap<u32, Checked>> {
    let program = found.program;
    let mut lines: BTreeMap<String, BTreeMap<u32, Checked>> = BTreeMap::new();
    let mut note = |span: base::Span, state: Checked| {
        if span.start < span.end {
            let at = program.sources.position(span);
            let line =
                lines.entry(program.sources.name(at.file).to_owned()).or_default().entry(at.line).or_insert(state);
            *line = state.max(*line);
        }
    };
    program.settled.iter().for_each(|&span| note(span, Checked::Proved));
    for (at, target) in program.targets.iter().enumerate().filter(|(_, target)| target.check().is_some()) {
        // Where only one answer was asked for, an execution to one target says nothing of the others.
        let state = match found.outcome.targets.get(at).unwrap_or(&found.outcome.verdict) {
            Verdict::Safe(_) => Checked::Proved,
            Verdict::Unsafe(counterexample) if counterexample.target == at => Checked::Violated,
            Verdict::Unsafe(_) | Verdict::Unknown(_) => Checked::Open,
        };
        note(target.span, state);
    }
    lines
}

/// The files that the user named, as they are.
fn files(found: &FinishedRun) -> Vec<(String, String)> {
    let read = |path: &std::path::PathBuf| {
        let name = base::printable(&path.display().to_string()).into_owned();
        Some((name, driver::read_text(path, "a C program").ok()?))
    };
    found.task.files.iter().filter_map(read).collect()
}

/// Per function: nodes `[line, kind, name, on path, file]` with the entry first, edges `[from, to, label, on path]`.
fn functions(found: &FinishedRun, path: &HashSet<cfa::EdgeId>, number: &dyn Fn(&str) -> i64) -> Vec<Value> {
    let program = found.program;
    let mut nodes: Vec<Vec<cfa::Node>> = vec![Vec::new(); program.functions.len()];
    for (node, info) in program.nodes.iter() {
        nodes[info.function.0 as usize].push(node);
    }
    let defined = program.functions.iter().filter(|(_, function)| function.kind == FunctionKind::Defined);
    defined
        .map(|(id, function)| {
            let own = &mut nodes[id.0 as usize];
            own.sort_by_key(|&node| node != function.entry);
            let places: HashMap<cfa::Node, usize> = own.iter().enumerate().map(|(at, &node)| (node, at)).collect();
            let edges: Vec<cfa::EdgeId> = own.iter().flat_map(|&node| program.leaving(node)).collect();
            let on_path: HashSet<cfa::Node> = edges
                .iter()
                .filter(|edge| path.contains(edge))
                .flat_map(|&edge| [program.edges[edge].from, program.edges[edge].to])
                .collect();
            let node = |&node: &cfa::Node| {
                let place = program.leaving(node).next().map(|edge| found.place(program.edges[edge].span));
                let target = program.target_at(node);
                let place = target.map(|target| found.place(target.span)).or(place);
                let kind = if target.is_some() { 2 } else { u8::from(program.nodes[node].loop_head) };
                let (line, file) = place.map_or((0, -1), |place| (place.line, number(&place.file)));
                json!([line, kind, node.to_string(), on_path.contains(&node), file])
            };
            let edge = |&edge: &cfa::EdgeId| {
                let data = &program.edges[edge];
                let label: String = program.op_text(&data.op).chars().take(LONGEST_LABEL).collect();
                json!([places[&data.from], places[&data.to], label, path.contains(&edge)])
            };
            json!({
                "name": program.text(function.name),
                "nodes": own.iter().map(node).collect::<Vec<_>>(),
                "edges": edges.iter().map(edge).collect::<Vec<_>>(),
            })
        })
        .collect()
}
