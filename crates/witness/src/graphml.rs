//! The GraphML format, version 1.0: writing. A violation is a path of edges from the entry to the violation node; a
//! proof is one node per loop or statement that an edge from the entry enters, with its invariant.

use crate::code::Code;
use crate::facts::{FactKind, SourceFact};
use crate::model::Metadata;
use crate::story::{Event, Taken};
use crate::write::location;
use base::{Span, markup};
use cfa::Program;
use std::fmt::Write;

/// Keys of the format that are used: name, what it belongs to.
const KEYS: [(&str, &str); 20] = [
    ("witness-type", "graph"),
    ("sourcecodelang", "graph"),
    ("producer", "graph"),
    ("specification", "graph"),
    ("programfile", "graph"),
    ("programhash", "graph"),
    ("architecture", "graph"),
    ("creationtime", "graph"),
    ("entry", "node"),
    ("violation", "node"),
    ("cyclehead", "node"),
    ("invariant", "node"),
    ("invariant.scope", "node"),
    ("startline", "edge"),
    ("endline", "edge"),
    ("assumption", "edge"),
    ("assumption.scope", "edge"),
    ("assumption.resultfunction", "edge"),
    ("control", "edge"),
    ("enterLoopHead", "edge"),
];

/// The witness of a violation. An execution that never ends comes back to the head of a cycle.
pub fn violation(program: &Program, code: &Code, events: &[Event], metadata: &Metadata) -> String {
    let mut graph = Graph::new("violation_witness", metadata);
    // The format knows two-way branches only, and readers differ about the entry of functions.
    let told = |event: &&Event| match event {
        Event::Branches { taken: Taken::Case(_) | Taken::Default, .. } | Event::Enters(_) => false,
        Event::Branches { taken: Taken::Condition(_), .. } | Event::Holds { .. } => true,
        Event::Returns { .. } | Event::Target(_) => true,
        Event::Cycle => false,
    };
    let before = |cycle: usize| events[..cycle].iter().filter(told).count();
    let head = events.iter().position(|event| *event == Event::Cycle).map(before);
    let mut marks = vec![("entry", "true".to_owned())];
    marks.extend(head.filter(|&head| head == 0).map(|_| ("cyclehead", "true".to_owned())));
    graph.node("N0", &marks);
    let events: Vec<&Event> = events.iter().filter(told).collect();
    for (at, &event) in events.iter().enumerate() {
        let (span, mut data) = match event {
            Event::Holds { statement, condition, .. } => (*statement, vec![("assumption", format!("{condition};"))]),
            Event::Returns { call, value } => {
                let text = program.sources.snippet(*call);
                let function = text.split('(').next().unwrap_or(text).trim().to_owned();
                let assumption = format!("\\result == {value};");
                (*call, vec![("assumption", assumption), ("assumption.resultfunction", function)])
            }
            Event::Branches { condition, taken: Taken::Condition(holds), .. } => {
                (*condition, vec![("control", format!("condition-{holds}"))])
            }
            Event::Branches { condition: span, .. } | Event::Enters(span) => (*span, Vec::new()),
            Event::Target(span) => (*span, Vec::new()),
            Event::Cycle => unreachable!("marks are left out"),
        };
        if let (Some(function), true) = (code.function_at(span.start), data.iter().any(|(key, _)| *key == "assumption"))
        {
            data.push(("assumption.scope", function.to_owned()));
        }
        let is_last = at + 1 == events.len();
        let to = match head {
            Some(head) if is_last => format!("N{head}"),
            _ => format!("N{}", at + 1),
        };
        match head {
            Some(_) if is_last => {}
            Some(head) if head == at + 1 => graph.node(&to, &[("cyclehead", "true".to_owned())]),
            None if is_last => graph.node(&to, &[("violation", "true".to_owned())]),
            Some(_) | None => graph.node(&to, &[]),
        }
        data.splice(0..0, lines(program, span));
        graph.edge(&format!("N{at}"), &to, &data);
    }
    graph.finish()
}

/// The witness of a proof.
pub fn correctness(program: &Program, code: &Code, facts: &[SourceFact], metadata: &Metadata) -> String {
    let mut graph = Graph::new("correctness_witness", metadata);
    graph.node("N0", &[("entry", "true".into())]);
    // The format has no place for invariants of other statements than loops that readers agree on.
    for (at, fact) in facts.iter().filter(|fact| fact.kind == FactKind::Loop).enumerate() {
        let to = format!("N{}", at + 1);
        let scope = location(program, code, fact.statement).function.unwrap_or_default();
        graph.node(&to, &[("invariant", fact.value.clone()), ("invariant.scope", scope)]);
        let mut data = lines(program, fact.statement);
        data.push(("enterLoopHead", "true".into()));
        graph.edge("N0", &to, &data);
    }
    graph.finish()
}

/// The lines of the first token; what spans more lines starts there.
fn lines(program: &Program, span: Span) -> Vec<(&'static str, String)> {
    let line = program.sources.position(span).line.to_string();
    vec![("startline", line.clone()), ("endline", line)]
}

struct Graph {
    text: String,
}

impl Graph {
    fn new(kind: &str, metadata: &Metadata) -> Graph {
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
        text += "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
                 xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n";
        for (name, owner) in KEYS {
            let line = format!(" <key attr.name=\"{name}\" attr.type=\"string\" for=\"{owner}\" id=\"{name}\"/>\n");
            text += &line;
        }
        text += " <graph edgedefault=\"directed\">\n";
        let mut graph = Graph { text };
        let architecture = if metadata.data_model == "ILP32" { "32bit" } else { "64bit" };
        let first = metadata.hashes.first();
        let (file, hash) = first.map_or(("", ""), |(file, hash)| (file.as_str(), hash.as_str()));
        for (key, value) in [
            ("witness-type", kind),
            ("sourcecodelang", "C"),
            ("producer", &format!("{} {}", metadata.producer, metadata.version)),
            ("specification", &metadata.specification),
            ("programfile", file),
            ("programhash", hash),
            ("architecture", architecture),
            ("creationtime", &metadata.creation_time),
        ] {
            graph.data(2, key, value);
        }
        graph
    }

    fn data(&mut self, indent: usize, key: &str, value: &str) {
        writeln!(self.text, "{:indent$}<data key=\"{key}\">{}</data>", "", markup(value))
            .expect("strings take all text");
    }

    fn node(&mut self, id: &str, data: &[(&str, String)]) {
        if data.is_empty() {
            writeln!(self.text, "  <node id=\"{id}\"/>").expect("strings take all text");
            return;
        }
        writeln!(self.text, "  <node id=\"{id}\">").expect("strings take all text");
        data.iter().for_each(|(key, value)| self.data(3, key, value));
        self.text += "  </node>\n";
    }

    fn edge(&mut self, from: &str, to: &str, data: &[(&str, String)]) {
        writeln!(self.text, "  <edge source=\"{from}\" target=\"{to}\">").expect("strings take all text");
        data.iter().for_each(|(key, value)| self.data(3, key, value));
        self.text += "  </edge>\n";
    }

    fn finish(mut self) -> String {
        self.text += " </graph>\n</graphml>\n";
        self.text
    }
}
