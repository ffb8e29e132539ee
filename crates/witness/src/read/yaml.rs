//! The YAML format, versions 2.x: one entry of type `violation_sequence` or `invariant_set`.

use super::ReadError;
use crate::model::{Action, Content, Invariant, Location, Mark, Metadata, Waypoint, WaypointKind, Witness};
use saphyr::{LoadableYamlNode, MarkedYaml};

type Read<T> = Result<T, ReadError>;

/// Reads the first entry that says something about the program.
pub fn read(text: &str) -> Read<Witness> {
    let documents = MarkedYaml::load_from_str(text).map_err(|error| ReadError {
        line: error.marker().line(),
        column: error.marker().col() + 1,
        message: format!("not YAML: {}", error.info()),
    })?;
    let nothing = ReadError { line: 1, column: 1, message: "expected a witness, that is a list of entries".into() };
    let root = documents.first().ok_or(nothing)?;
    let entries = root.data.as_sequence().ok_or_else(|| error(root, "expected a list of entries"))?;
    let [entry] = entries.as_slice() else {
        return Err(error(root, &format!("expected one entry, found {}", entries.len())));
    };
    let kind = text_of(required(entry, "entry_type")?, "a type of entry")?;
    let content = required(entry, "content")?;
    Ok(Witness {
        metadata: metadata(required(entry, "metadata")?)?,
        content: match kind.as_str() {
            "violation_sequence" => Content::Violation(list(content)?.iter().map(segment).collect::<Read<_>>()?),
            "invariant_set" => Content::Correctness(invariants(content)?),
            _ => {
                let node = required(entry, "entry_type")?;
                return Err(error(node, "expected `violation_sequence` or `invariant_set`"));
            }
        },
    })
}

fn mark(node: &MarkedYaml) -> Mark {
    Mark { line: node.span.start.line(), column: node.span.start.col() + 1 }
}

fn error(node: &MarkedYaml, message: &str) -> ReadError {
    let Mark { line, column } = mark(node);
    ReadError { line, column, message: message.into() }
}

fn field<'a, 'b>(node: &'a MarkedYaml<'b>, key: &str) -> Option<&'a MarkedYaml<'b>> {
    node.data.as_mapping_get(key)
}

fn required<'a, 'b>(node: &'a MarkedYaml<'b>, key: &str) -> Read<&'a MarkedYaml<'b>> {
    field(node, key).ok_or_else(|| error(node, &format!("expected `{key}:`")))
}

fn list<'a, 'b>(node: &'a MarkedYaml<'b>) -> Read<&'a Vec<MarkedYaml<'b>>> {
    node.data.as_sequence().ok_or_else(|| error(node, "expected a list"))
}

/// Text, or what YAML takes for a number or a truth value where text is meant.
fn text_of(node: &MarkedYaml, what: &str) -> Read<String> {
    let number = || node.data.as_integer().map(|number| number.to_string());
    let truth = || node.data.as_bool().map(|truth| truth.to_string());
    let fraction = || node.data.as_floating_point().map(|number| format!("{number:?}"));
    let text = node.data.as_str().map(str::to_owned);
    text.or_else(number).or_else(truth).or_else(fraction).ok_or_else(|| error(node, &format!("expected {what}")))
}

fn required_text(node: &MarkedYaml, key: &str) -> Read<String> {
    text_of(required(node, key)?, "text")
}

/// Text that some tools leave out; to miss it is for `lint`.
fn perhaps_empty(node: &MarkedYaml, key: &str) -> Read<String> {
    let value = required(node, key)?;
    if value.data.is_null() { Ok(String::new()) } else { text_of(value, "text") }
}

fn metadata(node: &MarkedYaml) -> Read<Metadata> {
    let producer = required(node, "producer")?;
    let task = required(node, "task")?;
    let files = required(task, "input_files")?;
    let hashes = required(task, "input_file_hashes")?;
    let hashes = hashes.data.as_mapping().ok_or_else(|| error(hashes, "expected a hash for every file"))?;
    let version_node = required(node, "format_version")?;
    let format_version = text_of(version_node, "a version")?;
    if !format_version.starts_with("2.") {
        return Err(error(version_node, "expected format version 2.0, 2.1 or 2.2"));
    }
    Ok(Metadata {
        format_version,
        uuid: perhaps_empty(node, "uuid")?,
        creation_time: perhaps_empty(node, "creation_time")?,
        producer: required_text(producer, "name")?,
        version: required_text(producer, "version")?,
        input_files: list(files)?.iter().map(|file| text_of(file, "a file name")).collect::<Read<_>>()?,
        hashes: hashes
            .iter()
            .map(|(name, hash)| Ok((text_of(name, "a file name")?, text_of(hash, "a hash")?)))
            .collect::<Read<_>>()?,
        specification: required_text(task, "specification")?,
        data_model: required_text(task, "data_model")?,
        language: required_text(task, "language")?,
    })
}

fn segment(node: &MarkedYaml) -> Read<Vec<Waypoint>> {
    list(required(node, "segment")?)?.iter().map(waypoint).collect()
}

fn waypoint(node: &MarkedYaml) -> Read<Waypoint> {
    let node = required(node, "waypoint")?;
    let kind_node = required(node, "type")?;
    let name = text_of(kind_node, "a type of waypoint")?;
    let kind = WaypointKind::NAMES.iter().find(|(known, _)| *known == name);
    let kind = kind.ok_or_else(|| error(kind_node, &format!("`{name}` is not a supported type of waypoint")))?.1;
    let action_node = required(node, "action")?;
    let action = match text_of(action_node, "an action")?.as_str() {
        "follow" => Action::Follow,
        "avoid" => Action::Avoid,
        "cycle" => Action::Cycle,
        _ => return Err(error(action_node, "expected `follow`, `avoid` or `cycle`")),
    };
    let constraint = match field(node, "constraint") {
        Some(constraint) => {
            check_format(constraint, kind == WaypointKind::FunctionReturn)?;
            Some(required_text(constraint, "value")?)
        }
        None => None,
    };
    let needs = match kind {
        WaypointKind::Assumption | WaypointKind::Branching => constraint.is_none(),
        WaypointKind::FunctionEnter | WaypointKind::FunctionReturn | WaypointKind::Target => false,
    };
    if needs {
        return Err(error(node, &format!("expected a `constraint:` for {name}")));
    }
    Ok(Waypoint { kind, action, location: location(required(node, "location")?)?, constraint, mark: mark(node) })
}

fn check_format(node: &MarkedYaml, acsl: bool) -> Read<()> {
    let Some(format) = field(node, "format") else { return Ok(()) };
    match text_of(format, "a format")?.as_str() {
        "c_expression" => Ok(()),
        "ext_c_expression" | "acsl_expression" if acsl => Ok(()),
        _ => Err(error(format, "expected format `c_expression`")),
    }
}

fn invariants(node: &MarkedYaml) -> Read<Vec<Invariant>> {
    let invariant = |node: &MarkedYaml| {
        let node = required(node, "invariant")?;
        let kind = required(node, "type")?;
        let (is_loop, transition) = match text_of(kind, "a type of invariant")?.as_str() {
            "loop_invariant" => (true, false),
            "location_invariant" => (false, false),
            "loop_transition_invariant" => (true, true),
            _ => return Err(error(kind, "expected `loop_invariant` or `location_invariant`")),
        };
        if !transition {
            check_format(node, false)?;
        }
        Ok(Invariant {
            is_loop,
            transition,
            location: location(required(node, "location")?)?,
            value: required_text(node, "value")?,
            mark: mark(node),
        })
    };
    list(node)?.iter().map(invariant).collect()
}

fn location(node: &MarkedYaml) -> Read<Location> {
    let number = |key: &str| match field(node, key) {
        Some(node) => {
            let number = node.data.as_integer().and_then(|number| u32::try_from(number).ok());
            number.filter(|&number| number > 0).map(Some).ok_or_else(|| error(node, "expected a number above 0"))
        }
        None => Ok(None),
    };
    Ok(Location {
        file: required_text(node, "file_name")?,
        line: number("line")?.ok_or_else(|| error(node, "expected `line:`"))?,
        column: number("column")?,
        function: field(node, "function").map(|node| text_of(node, "a function")).transpose()?,
    })
}
