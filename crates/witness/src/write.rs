//! Verdicts as witnesses: a violation is a sequence of waypoints that ends at the target, a proof is a set of
//! invariants. The subset that is written is the one that validators agree on: assumptions after statements that take
//! an input, branches of `if`, `switch` and loops, the target; invariants of loops and statements.

use crate::code::Code;
use crate::facts::{FactKind, SourceFact, facts, transitions};
use crate::hash::{sha256, uuid};
use crate::model::{Action, Content, Invariant, Location, Mark, Metadata, Waypoint, WaypointKind, Witness};
use crate::story::{Event, Taken, events};
use crate::{graphml, yaml};
use base::{Cancel, Span};
use cfa::{DataModel, Program};
use spec::{Property, violated_part};
use verdict::Verdict;

/// What the witness is about.
pub struct Subject<'a> {
    /// The program's files: names as the user gave them, and their bytes.
    pub files: &'a [(String, Vec<u8>)],
    /// What was checked.
    pub property: &'a Property,
    /// `2026-01-31T12:00:00Z`, see [`crate::utc`].
    pub created: &'a str,
}

/// The file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WitnessFormat {
    /// Version 2.0.
    Yaml,
    /// Version 1.0.
    GraphMl,
}

/// The witness of a verdict; `None` for UNKNOWN.
pub fn write(program: &Program, verdict: &Verdict, subject: &Subject, format: WitnessFormat) -> Option<String> {
    if let Verdict::Unknown(_) = verdict {
        return None;
    }
    let code = Code::new(&program.sources, &program.names);
    let metadata = metadata(program.model, subject);
    Some(match (verdict, format) {
        (Verdict::Unsafe(counterexample), format) => {
            let events = events(program, &code, counterexample, &Cancel::never());
            match format {
                WitnessFormat::Yaml => {
                    let segments = segments(program, &code, &events);
                    let cycles = events.contains(&Event::Cycle);
                    let format_version = if cycles { "2.1".into() } else { metadata.format_version.clone() };
                    let metadata = Metadata { format_version, ..metadata };
                    yaml::write(&Witness { metadata, content: Content::Violation(segments) })
                }
                WitnessFormat::GraphMl => graphml::violation(program, &code, &events, &metadata),
            }
        }
        (Verdict::Safe(proof), format) => {
            let facts = facts(program, &code, proof);
            match format {
                WitnessFormat::Yaml => {
                    let mut invariants: Vec<Invariant> =
                        facts.iter().map(|fact| invariant(program, &code, fact)).collect();
                    let transitions = transitions(program, &code, proof);
                    let relation = |fact| Invariant { transition: true, ..invariant(program, &code, fact) };
                    invariants.extend(transitions.iter().map(relation));
                    let plain = metadata.format_version.clone();
                    let format_version = if transitions.is_empty() { plain } else { "2.1".into() };
                    let metadata = Metadata { format_version, ..metadata };
                    yaml::write(&Witness { metadata, content: Content::Correctness(invariants) })
                }
                WitnessFormat::GraphMl => graphml::correctness(program, &code, &facts, &metadata),
            }
        }
        (Verdict::Unknown(_), _) => return None,
    })
}

fn metadata(model: DataModel, subject: &Subject) -> Metadata {
    let hash = |(name, bytes): &(String, Vec<u8>)| (name.clone(), sha256(bytes));
    let hashes: Vec<(String, String)> = subject.files.iter().map(hash).collect();
    let specification = specification(subject.property);
    let mut parts: Vec<&str> = hashes.iter().map(|(_, hash)| hash.as_str()).collect();
    parts.extend([specification.as_str(), subject.created]);
    Metadata {
        format_version: "2.0".into(),
        uuid: uuid(&parts),
        creation_time: subject.created.into(),
        producer: "Argonaut".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        input_files: subject.files.iter().map(|(name, _)| name.clone()).collect(),
        hashes,
        specification,
        data_model: data_model(model).into(),
        language: "C".into(),
    }
}

/// Its name in witnesses.
pub fn data_model(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    }
}

/// The property as a `.prp` file has it. Without one, the competition's usual property is the nearest.
fn specification(property: &Property) -> String {
    let formula = match property {
        Property::NoError | Property::NoFailure => "G ! call(reach_error())".into(),
        Property::NoCall(function) => format!("G ! call({function}())"),
        Property::NoLabel(label) => format!("G ! label({label})"),
        Property::NoOverflow => "G ! overflow".into(),
        Property::ValidCleanup => "G valid-memcleanup".into(),
        Property::DefinedBehaviour => "G def-behavior".into(),
        Property::Termination => "F end".into(),
        Property::ValidMemory(parts) => {
            let part = |kind| format!("CHECK( init(main()), LTL(G {}) )", violated_part(kind));
            return parts.iter().map(part).collect::<Vec<_>>().join("\n");
        }
        // Other tools do not know such a property; the nearest one is that all behaviour is defined.
        Property::Checked { .. } => "G def-behavior".into(),
        Property::Unsupported(name) => name.clone(),
    };
    format!("CHECK( init(main()), LTL({formula}) )")
}

/// One segment an event. An execution that never ends has no target but a cycle.
fn segments(program: &Program, code: &Code, events: &[Event]) -> Vec<Vec<Waypoint>> {
    let Some(cycle) = events.iter().position(|event| *event == Event::Cycle) else {
        return events.iter().map(|event| vec![waypoint(program, code, event)]).collect();
    };
    let (stem, repeated) = (&events[..cycle], &events[cycle + 1..]);
    let mut all: Vec<Vec<Waypoint>> = stem.iter().map(|event| vec![waypoint(program, code, event)]).collect();
    let told: Vec<&Event> = repeated.iter().filter(|event| !matches!(event, Event::Target(_))).collect();
    // A cycle in which nothing is decided passes at least the loop itself.
    let told = if told.is_empty() { repeated.iter().collect() } else { told };
    for event in told {
        let mut waypoint = Waypoint { action: Action::Cycle, ..waypoint(program, code, event) };
        if waypoint.kind == WaypointKind::Target {
            (waypoint.kind, waypoint.constraint) = (WaypointKind::Assumption, Some("1".into()));
        }
        all.push(vec![waypoint]);
    }
    all
}

fn waypoint(program: &Program, code: &Code, event: &Event) -> Waypoint {
    let byte = |start: u32| Span { start, end: start + 1 };
    let (kind, span, constraint) = match event {
        Event::Holds { next, condition, .. } => (WaypointKind::Assumption, byte(*next), Some(condition.clone())),
        Event::Returns { call, value } => {
            (WaypointKind::FunctionReturn, byte(call.end - 1), Some(format!("\\result == {value}")))
        }
        Event::Branches { keyword, taken, .. } => {
            let value = match taken {
                Taken::Condition(holds) => holds.to_string(),
                Taken::Case(value) => value.to_string(),
                Taken::Default => "default".into(),
            };
            (WaypointKind::Branching, *keyword, Some(value))
        }
        Event::Enters(call) => (WaypointKind::FunctionEnter, byte(call.end - 1), None),
        Event::Target(span) => (WaypointKind::Target, *span, None),
        Event::Cycle => unreachable!("a mark between events"),
    };
    let location = location(program, code, span);
    Waypoint { kind, action: Action::Follow, location, constraint, mark: Mark::default() }
}

fn invariant(program: &Program, code: &Code, fact: &SourceFact) -> Invariant {
    Invariant {
        is_loop: fact.kind == FactKind::Loop,
        transition: false,
        location: location(program, code, fact.statement),
        value: fact.value.clone(),
        mark: Mark::default(),
    }
}

/// Where a piece of source starts.
pub fn location(program: &Program, code: &Code, span: Span) -> Location {
    let at = program.sources.position(span);
    Location {
        file: program.sources.name(at.file).to_owned(),
        line: at.line,
        column: Some(at.column),
        function: code.function_at(span.start).map(str::to_owned),
    }
}
