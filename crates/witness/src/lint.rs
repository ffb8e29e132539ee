//! What is wrong with a witness: its structure, its claims about the files, its places in the program. Whether its
//! expressions are C in scope shows when the program is read with the witness woven in, see [`crate::instrument`].

use crate::code::Code;
use crate::hash::sha256;
use crate::instrument::{Fault, Instrumented, Problem, correctness, violation};
use crate::model::{Action, Content, Mark, Metadata, Waypoint, WaypointKind, Witness};
use crate::write::data_model;
use cfa::Program;

/// A witness's claims about its task, checked against the task.
pub fn claims(witness: &Witness, files: &[(String, Vec<u8>)], program: &Program) -> Vec<Problem> {
    let mut problems = Vec::new();
    let data = &witness.metadata;
    let mut say = |message: String| problems.push(Problem { mark: Mark::default(), fault: Fault::Other, message });
    if data.format_version != "1.0" && !is_uuid(&data.uuid) {
        say(format!("uuid `{}` does not follow RFC 4122", data.uuid));
    }
    if data.format_version != "1.0" && !is_time(&data.creation_time) {
        say(format!("creation time `{}` does not follow ISO 8601", data.creation_time));
    }
    if data.language != "C" {
        say(format!("language is `{}`, expected `C`", data.language));
    }
    if !data.specification.contains("LTL(") && !data.specification.contains("G ") {
        say(format!("specification `{}` is not a property", data.specification));
    }
    let model = data_model(program.model);
    if data.data_model != model {
        say(format!("data model is `{}`, the program is read as {model}", data.data_model));
    }
    for problem in hashes(data, files) {
        say(problem);
    }
    problems
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn hashes(data: &Metadata, files: &[(String, Vec<u8>)]) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, bytes) in files {
        let same = |known: &&(String, String)| last_part(&known.0) == last_part(name);
        match data.hashes.iter().find(same) {
            None => problems.push(format!("no hash of {name}")),
            Some((_, hash)) if !hash.eq_ignore_ascii_case(&sha256(bytes)) => {
                problems.push(format!("the hash of {name} is not that of the file"));
            }
            Some(_) => {}
        }
    }
    problems
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

fn is_time(text: &str) -> bool {
    let shape: String = text.chars().take(19).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let zone = text.get(19..).unwrap_or("").trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    shape == "0000-00-00T00:00:00" && (zone.is_empty() || zone == "Z" || zone.starts_with(['+', '-']))
}

/// The order of waypoints.
pub fn structure(witness: &Witness) -> Vec<Problem> {
    let Content::Violation(segments) = &witness.content else { return Vec::new() };
    let mut problems = Vec::new();
    let at = |waypoint: &Waypoint, message: &str| Problem {
        mark: waypoint.mark,
        fault: Fault::Other,
        message: message.into(),
    };
    let mut cycles = false;
    for (number, segment) in segments.iter().enumerate() {
        let is_last = number + 1 == segments.len();
        let follows = segment.iter().filter(|waypoint| waypoint.action != Action::Avoid).count();
        let Some(end) = segment.last() else {
            let message = "a segment without waypoint".into();
            problems.push(Problem { mark: Mark::default(), fault: Fault::Other, message });
            continue;
        };
        if follows != 1 || end.action == Action::Avoid {
            problems.push(at(end, "expected one `follow` waypoint at the end of the segment"));
        }
        if cycles && end.action == Action::Follow {
            problems.push(at(end, "a cycle is not left again"));
        }
        cycles |= end.action == Action::Cycle;
        for waypoint in segment.iter().filter(|waypoint| waypoint.kind == WaypointKind::Target) {
            if waypoint.action != Action::Follow {
                problems.push(at(waypoint, "a target is followed, never avoided"));
            }
            if !is_last {
                problems.push(at(waypoint, "a target ends the last segment only"));
            }
            if waypoint.constraint.is_some() {
                problems.push(at(waypoint, "a target has no constraint"));
            }
        }
        if is_last && end.kind != WaypointKind::Target && !cycles {
            problems.push(at(end, "expected a target at the end of the last segment"));
        }
    }
    if segments.is_empty() {
        problems.push(Problem {
            mark: Mark::default(),
            fault: Fault::Other,
            message: "expected at least the segment with the target".into(),
        });
    }
    problems
}

/// The program with the witness woven in; what has no place in the program is among its problems.
pub fn weave(witness: &Witness, program: &Program) -> Instrumented {
    let code = Code::new(&program.sources, &program.names);
    match &witness.content {
        Content::Violation(segments) => violation(&code, segments, witness.metadata.format_version == "1.0"),
        Content::Correctness(invariants) => correctness(&code, invariants),
    }
}

/// One part of a witness alone, so that what is wrong with it has a place.
pub fn parts(witness: &Witness) -> Vec<(Mark, Witness)> {
    let with = |content: Content| Witness { metadata: witness.metadata.clone(), content };
    match &witness.content {
        Content::Violation(segments) => {
            let waypoints = segments.iter().flatten().filter(|waypoint| waypoint.kind != WaypointKind::Target);
            waypoints
                .map(|waypoint| {
                    let alone = Waypoint { action: Action::Follow, ..waypoint.clone() };
                    (waypoint.mark, with(Content::Violation(vec![vec![alone]])))
                })
                .collect()
        }
        Content::Correctness(invariants) => {
            let single = |invariant: &crate::model::Invariant| {
                (invariant.mark, with(Content::Correctness(vec![invariant.clone()])))
            };
            invariants.iter().map(single).collect()
        }
    }
}
