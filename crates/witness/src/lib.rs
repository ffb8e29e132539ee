//! Evidence as verification witnesses in the YAML format, version 2.0: a violation is a sequence of waypoints that ends
//! at the target, a proof is a set of invariants. Works on data; files are written by whoever asked for the text.
//!
//! Both are weak for now: a violation names its target, a proof claims no invariant. Such witnesses are valid, but they
//! leave all work to the validator.
#![warn(missing_docs)]

mod control;
pub mod harness;
#[cfg(test)]
mod testing;
mod time;
pub mod trace;
mod yaml;

pub use time::utc;

use base::Span;
use cfa::{DataModel, Program};
use sha2::{Digest, Sha256};
use spec::Property;
use verdict::{Counterexample, Verdict};
use yaml::Document;

/// What the witness is about.
pub struct Subject<'a> {
    /// The program's files: names as the user gave them, and their bytes.
    pub files: &'a [(String, Vec<u8>)],
    /// What was checked.
    pub property: &'a Property,
    /// `2026-01-31T12:00:00Z`, see [`utc`].
    pub created: &'a str,
}

/// The witness of a verdict; `None` for UNKNOWN.
pub fn write(program: &Program, verdict: &Verdict, subject: &Subject) -> Option<String> {
    let kind = match verdict {
        Verdict::Safe(_) => "invariant_set",
        Verdict::Unsafe(_) => "violation_sequence",
        Verdict::Unknown(_) => return None,
    };
    let mut out = Document::default();
    out.line(0, "- entry_type", kind);
    metadata(&mut out, program.model, subject);
    match verdict {
        Verdict::Unsafe(counterexample) => violation(&mut out, program, counterexample),
        Verdict::Safe(_) | Verdict::Unknown(_) => out.raw("  content: []"),
    }
    Some(out.text)
}

fn metadata(out: &mut Document, model: DataModel, subject: &Subject) {
    let hashes: Vec<String> = subject.files.iter().map(|(_, bytes)| hex(&Sha256::digest(bytes))).collect();
    out.raw("  metadata:");
    out.line(4, "format_version", "2.0");
    out.line(4, "uuid", &uuid(&hashes, subject));
    out.line(4, "creation_time", subject.created);
    out.raw("    producer:");
    out.line(6, "name", "Argonaut");
    out.line(6, "version", env!("CARGO_PKG_VERSION"));
    out.raw("    task:");
    out.raw("      input_files:");
    for (name, _) in subject.files {
        out.item(8, name);
    }
    out.raw("      input_file_hashes:");
    for ((name, _), hash) in subject.files.iter().zip(&hashes) {
        out.line(8, &yaml::quoted(name), hash);
    }
    out.line(6, "specification", &specification(subject.property));
    out.line(
        6,
        "data_model",
        match model {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        },
    );
    out.line(6, "language", "C");
}

/// The property as a `.prp` file has it. Without one, the competition's usual property is the nearest.
fn specification(property: &Property) -> String {
    let formula = match property {
        Property::NoError | Property::NoFailure => "G ! call(reach_error())".into(),
        Property::NoCall(function) => format!("G ! call({function}())"),
        Property::NoLabel(label) => format!("G ! label({label})"),
        Property::Unsupported(name) => name.clone(),
    };
    format!("CHECK( init(main()), LTL({formula}) )")
}

fn violation(out: &mut Document, program: &Program, counterexample: &Counterexample) {
    let target = &program.targets[counterexample.target];
    out.raw("  content:");
    out.raw("    - segment:");
    out.raw("        - waypoint:");
    out.line(12, "type", "target");
    out.line(12, "action", "follow");
    out.raw("            location:");
    location(out, 14, program, target.span, program.function_name(program.nodes[target.node].function));
}

fn location(out: &mut Document, indent: usize, program: &Program, span: Span, function: &str) {
    let at = program.sources.position(span);
    out.line(indent, "file_name", program.sources.name(at.file));
    out.number(indent, "line", at.line);
    out.number(indent, "column", at.column);
    out.line(indent, "function", function);
}

/// An identifier that depends on the task and the time alone: version 8, own scheme.
fn uuid(hashes: &[String], subject: &Subject) -> String {
    let mut digest = Sha256::new();
    for hash in hashes {
        digest.update(hash);
    }
    digest.update(specification(subject.property));
    digest.update(subject.created);
    let mut bytes = digest.finalize();
    bytes[6] = 0x80 | bytes[6] & 0x0f;
    bytes[8] = 0x80 | bytes[8] & 0x3f;
    let text = hex(&bytes[..16]);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
