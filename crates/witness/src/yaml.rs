//! The YAML format, version 2.0: writing. Just enough YAML: nested keys with quoted scalars.

use crate::model::{Action, Content, Invariant, Location, Metadata, Waypoint, WaypointKind, Witness};

/// The text of a witness.
pub fn write(witness: &Witness) -> String {
    let mut out = Document::default();
    match &witness.content {
        Content::Violation(segments) => {
            out.line(0, "- entry_type", "violation_sequence");
            metadata(&mut out, &witness.metadata);
            out.raw("  content:");
            for segment in segments {
                out.raw("    - segment:");
                segment.iter().for_each(|item| waypoint(&mut out, item));
            }
        }
        Content::Correctness(invariants) => {
            out.line(0, "- entry_type", "invariant_set");
            metadata(&mut out, &witness.metadata);
            out.raw(if invariants.is_empty() { "  content: []" } else { "  content:" });
            invariants.iter().for_each(|item| invariant(&mut out, item));
        }
    }
    out.text
}

fn metadata(out: &mut Document, data: &Metadata) {
    out.raw("  metadata:");
    out.line(4, "format_version", &data.format_version);
    out.line(4, "uuid", &data.uuid);
    out.line(4, "creation_time", &data.creation_time);
    out.raw("    producer:");
    out.line(6, "name", &data.producer);
    out.line(6, "version", &data.version);
    out.raw("    task:");
    out.raw("      input_files:");
    for name in &data.input_files {
        out.item(8, name);
    }
    out.raw("      input_file_hashes:");
    for (name, hash) in &data.hashes {
        out.line(8, &quoted(name), hash);
    }
    out.line(6, "specification", &data.specification);
    out.line(6, "data_model", &data.data_model);
    out.line(6, "language", &data.language);
}

fn waypoint(out: &mut Document, item: &Waypoint) {
    out.raw("        - waypoint:");
    out.line(12, "type", item.kind.name());
    let action = match item.action {
        Action::Follow => "follow",
        Action::Avoid => "avoid",
        Action::Cycle => "cycle",
    };
    out.line(12, "action", action);
    out.raw("            location:");
    location(out, 14, &item.location);
    if let Some(constraint) = &item.constraint {
        out.raw("            constraint:");
        match item.kind {
            WaypointKind::FunctionReturn => out.line(14, "format", "acsl_expression"),
            WaypointKind::Assumption => out.line(14, "format", "c_expression"),
            WaypointKind::Branching | WaypointKind::FunctionEnter | WaypointKind::Target => {}
        }
        out.line(14, "value", constraint);
    }
}

fn invariant(out: &mut Document, item: &Invariant) {
    out.raw("    - invariant:");
    let kind = match (item.is_loop, item.transition) {
        (_, true) => "loop_transition_invariant",
        (true, false) => "loop_invariant",
        (false, false) => "location_invariant",
    };
    out.line(8, "type", kind);
    out.raw("        location:");
    location(out, 10, &item.location);
    out.line(8, "value", &item.value);
    out.line(8, "format", if item.transition { "ext_c_expression" } else { "c_expression" });
}

fn location(out: &mut Document, indent: usize, at: &Location) {
    out.line(indent, "file_name", &at.file);
    out.number(indent, "line", at.line);
    if let Some(column) = at.column {
        out.number(indent, "column", column);
    }
    if let Some(function) = &at.function {
        out.line(indent, "function", function);
    }
}

/// A document in the making.
#[derive(Default)]
struct Document {
    text: String,
}

impl Document {
    /// A line as it is.
    fn raw(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// `key: "value"`
    fn line(&mut self, indent: usize, key: &str, value: &str) {
        self.raw(&format!("{:indent$}{key}: {}", "", quoted(value)));
    }

    /// `key: 7`
    fn number(&mut self, indent: usize, key: &str, value: u32) {
        self.raw(&format!("{:indent$}{key}: {value}", ""));
    }

    /// `- "value"`
    fn item(&mut self, indent: usize, value: &str) {
        self.raw(&format!("{:indent$}- {}", "", quoted(value)));
    }
}

/// A double-quoted scalar.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting() {
        assert_eq!(quoted("a \"b\"\\\n\u{1}"), r#""a \"b\"\\\n\u0001""#);
    }
}
