//! The GraphML format, version 1.0. A violation automaton is read along one path from its entry to a violation node, of
//! which every edge with a condition becomes a segment; of a correctness automaton the invariants at loop heads count.

use super::ReadError;
use crate::model::{Action, Content, Invariant, Location, Mark, Metadata, Waypoint, WaypointKind, Witness};
use roxmltree::{Document, Node};
use std::collections::{HashMap, VecDeque};

/// Reads an automaton.
pub fn read(text: &str) -> Result<Witness, ReadError> {
    if let Some(at) = too_many(text) {
        let before = &text.as_bytes()[..at];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        return Err(ReadError { line, column: 1, message: "too many attributes or namespaces".into() });
    }
    let document = Document::parse(text).map_err(|error| {
        let at = error.pos();
        ReadError { line: at.row as usize, column: at.col as usize, message: format!("not XML: {error}") }
    })?;
    let graph = document.descendants().find(|node| node.has_tag_name("graph") || node.tag_name().name() == "graph");
    let graph = graph.ok_or_else(|| problem(&document, document.root(), "expected a `graph`"))?;
    let automaton = Automaton { document: &document, graph };
    let kind = automaton.required(graph, "witness-type")?;
    let content = match kind.as_str() {
        "violation_witness" => Content::Violation(automaton.segments()?),
        "correctness_witness" => Content::Correctness(automaton.invariants()),
        _ => {
            return Err(problem(
                &document,
                graph,
                "expected witness type `violation_witness` or `correctness_witness`",
            ));
        }
    };
    Ok(Witness { metadata: automaton.metadata()?, content })
}

/// Where an element has more attributes, or the document more namespaces, than any witness: the parser compares all of
/// them with each other.
fn too_many(text: &str) -> Option<usize> {
    const MOST_ATTRIBUTES: u32 = 256;
    const MOST_NAMESPACES: u32 = 64;
    let bytes = text.as_bytes();
    let (mut attributes, mut namespaces, mut quote, mut at) = (None, 0, None, 0);
    while at < bytes.len() {
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].into_iter().find_map(|(from, to)| {
            let inside = bytes[at..].starts_with(from.as_bytes()) && quote.is_none();
            inside.then(|| text[at..].find(to).map_or(text.len(), |length| at + length + to.len()))
        });
        if let Some(end) = skipped {
            at = end;
            continue;
        }
        match (quote, bytes[at]) {
            (Some(open), byte) => quote = (byte != open).then_some(open),
            (None, b'<') => attributes = Some(0),
            (None, b'>') => attributes = None,
            (None, open @ (b'"' | b'\'')) if attributes.is_some() => quote = Some(open),
            (None, b'=') => attributes = attributes.map(|count: u32| count + 1),
            (None, _) => {}
        }
        namespaces += u32::from(bytes[at..].starts_with(b"xmlns"));
        if attributes.is_some_and(|count| count > MOST_ATTRIBUTES) || namespaces > MOST_NAMESPACES {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn problem(document: &Document, node: Node, message: &str) -> ReadError {
    let at = document.text_pos_at(node.range().start);
    ReadError { line: at.row as usize, column: at.col as usize, message: message.into() }
}

struct Automaton<'d> {
    document: &'d Document<'d>,
    graph: Node<'d, 'd>,
}

impl<'d> Automaton<'d> {
    fn data(&self, node: Node<'d, 'd>, key: &str) -> Option<String> {
        let is_it = |child: &Node| child.tag_name().name() == "data" && child.attribute("key") == Some(key);
        node.children().find(is_it).map(|child| child.text().unwrap_or("").trim().to_owned())
    }

    fn required(&self, node: Node<'d, 'd>, key: &str) -> Result<String, ReadError> {
        self.data(node, key).ok_or_else(|| problem(self.document, node, &format!("expected data `{key}`")))
    }

    fn number(&self, node: Node<'d, 'd>, key: &str) -> Option<u32> {
        self.data(node, key)?.parse().ok().filter(|&line| line > 0)
    }

    fn mark(&self, node: Node<'d, 'd>) -> Mark {
        let at = self.document.text_pos_at(node.range().start);
        Mark { line: at.row as usize, column: at.col as usize }
    }

    fn metadata(&self) -> Result<Metadata, ReadError> {
        let file = self.required(self.graph, "programfile")?;
        let data_model = match self.required(self.graph, "architecture")?.as_str() {
            "32bit" => "ILP32",
            "64bit" => "LP64",
            _ => return Err(problem(self.document, self.graph, "expected architecture `32bit` or `64bit`")),
        };
        Ok(Metadata {
            format_version: "1.0".into(),
            uuid: String::new(),
            creation_time: self.data(self.graph, "creationtime").unwrap_or_default(),
            producer: self.required(self.graph, "producer")?,
            version: String::new(),
            hashes: vec![(file.clone(), self.required(self.graph, "programhash")?)],
            input_files: vec![file],
            specification: self.required(self.graph, "specification")?,
            data_model: data_model.into(),
            language: self.required(self.graph, "sourcecodelang")?,
        })
    }

    fn nodes(&self, tag: &'static str) -> impl Iterator<Item = Node<'d, 'd>> {
        self.graph.children().filter(move |node| node.tag_name().name() == tag)
    }

    fn marked(&self, key: &str) -> Vec<&'d str> {
        let marked = self.nodes("node").filter(|node| self.data(*node, key).as_deref() == Some("true"));
        marked.filter_map(|node| node.attribute("id")).collect()
    }

    fn location(&self, edge: Node<'d, 'd>) -> Option<Location> {
        let line = self.number(edge, "startline")?;
        let file = self.data(edge, "originfile").or_else(|| self.data(self.graph, "programfile"))?;
        Some(Location { file, line, column: None, function: self.data(edge, "assumption.scope") })
    }

    /// 1. Find a shortest path from the entry to a violation node, or to the head of a cycle and around it. 2. Its edges
    ///    are the segments; 3. the target, of which only the last edge tells the line, unless there is a cycle.
    fn segments(&self) -> Result<Vec<Vec<Waypoint>>, ReadError> {
        let (path, stem) = self.path()?; // 1
        let cycles = stem < path.len();
        let mut segments: Vec<Vec<Waypoint>> = Vec::new();
        let mut last = None;
        for (at, edge) in path.into_iter().enumerate() {
            let Some(location) = self.location(edge) else { continue };
            last = Some((location.clone(), self.mark(edge)));
            let condition = self.data(edge, "control").and_then(|control| match control.as_str() {
                "condition-true" => Some((WaypointKind::Branching, "true".to_owned())),
                "condition-false" => Some((WaypointKind::Branching, "false".to_owned())),
                _ => None,
            });
            let assumption = self.data(edge, "assumption").map(|text| {
                let parts: Vec<String> = text
                    .split(';')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                    .map(|part| format!("({part})"))
                    .collect();
                let result = text.contains("\\result");
                let kind = if result { WaypointKind::FunctionReturn } else { WaypointKind::Assumption };
                let value = if result { text.trim_end_matches(';').to_owned() } else { parts.join(" && ") };
                (kind, value)
            });
            for (kind, constraint) in condition.into_iter().chain(assumption) {
                // 2
                let location = location.clone();
                let (action, mark) = (if at < stem { Action::Follow } else { Action::Cycle }, self.mark(edge));
                segments.push(vec![Waypoint { kind, action, location, constraint: Some(constraint), mark }]);
            }
        }
        if let Some((location, mark)) = last {
            let (kind, action, constraint) = if cycles {
                (WaypointKind::Assumption, Action::Cycle, Some("1".to_owned()))
            } else {
                (WaypointKind::Target, Action::Follow, None) // 3
            };
            let told = segments.iter().flatten().any(|waypoint| waypoint.action == Action::Cycle);
            if !told {
                segments.push(vec![Waypoint { kind, action, location, constraint, mark }]);
            }
        }
        Ok(segments)
    }

    /// The edges of a path, and how many of them come before its cycle; all, if it has none.
    fn path(&self) -> Result<(Vec<Node<'d, 'd>>, usize), ReadError> {
        let entries = self.marked("entry");
        let [entry] = entries.as_slice() else {
            return Err(problem(self.document, self.graph, "expected one node with data `entry`"));
        };
        let mut leaving: HashMap<&str, Vec<Node>> = HashMap::new();
        for edge in self.nodes("edge") {
            leaving.entry(edge.attribute("source").unwrap_or("")).or_default().push(edge);
        }
        if let Some((path, _)) = shortest(&leaving, entry, &self.marked("violation")) {
            let stem = path.len();
            return Ok((path, stem));
        }
        if let Some((mut path, head)) = shortest(&leaving, entry, &self.marked("cyclehead")) {
            let stem = path.len();
            for edge in leaving.get(head).into_iter().flatten() {
                if let Some((back, _)) = shortest(&leaving, edge.attribute("target").unwrap_or(""), &[head]) {
                    path.push(*edge);
                    path.extend(back);
                    return Ok((path, stem));
                }
            }
        }
        Err(problem(self.document, self.graph, "expected a path from the entry to a violation node"))
    }

    fn invariants(&self) -> Vec<Invariant> {
        let mut heads: HashMap<&str, Node> = HashMap::new();
        for edge in self.nodes("edge").filter(|edge| self.data(*edge, "enterLoopHead").as_deref() == Some("true")) {
            if let Some(target) = edge.attribute("target").filter(|_| self.number(edge, "startline").is_some()) {
                heads.entry(target).or_insert(edge);
            }
        }
        let invariant = |node: Node<'d, 'd>| {
            let value = self.data(node, "invariant").filter(|value| value != "1" && value != "true")?;
            let edge = *heads.get(node.attribute("id")?)?;
            let location = Location { function: self.data(node, "invariant.scope"), ..self.location(edge)? };
            Some(Invariant { is_loop: true, transition: false, location, value, mark: self.mark(node) })
        };
        self.nodes("node").filter_map(invariant).collect()
    }
}

/// A shortest path to one of the goals, and which it is.
fn shortest<'d>(
    leaving: &HashMap<&'d str, Vec<Node<'d, 'd>>>,
    start: &'d str,
    goals: &[&'d str],
) -> Option<(Vec<Node<'d, 'd>>, &'d str)> {
    let mut reached: HashMap<&str, Option<Node>> = HashMap::from([(start, None)]);
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        if goals.contains(&node) {
            let mut path = Vec::new();
            let mut at = node;
            while let Some(Some(edge)) = reached.get(at) {
                path.push(*edge);
                at = edge.attribute("source").unwrap_or("");
            }
            path.reverse();
            return Some((path, node));
        }
        for edge in leaving.get(node).into_iter().flatten() {
            let to = edge.attribute("target").unwrap_or("");
            if !reached.contains_key(to) {
                reached.insert(to, Some(*edge));
                queue.push_back(to);
            }
        }
    }
    None
}
