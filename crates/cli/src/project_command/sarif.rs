//! All findings of a project in one SARIF document; what is open is a notification.

use super::baseline::{Finding, KEY};
use super::results::{Record, Word};
use super::units::Subject;
use serde_json::{Value, json};

/// The document, indented.
pub fn render(known: &[(&Subject, Record)], findings: &[Finding], problems: &[String]) -> String {
    let results: Vec<Value> = findings.iter().map(result).collect();
    let mut kinds: Vec<&str> = findings.iter().map(|finding| finding.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rules: Vec<Value> = kinds.into_iter().map(rule).collect();
    let mut notifications: Vec<Value> = problems.iter().map(|text| notification("error", text)).collect();
    for (subject, record) in known {
        if matches!(record.word, Word::Open | Word::Failed) {
            let text = format!("{}:{}: {}: {}", subject.file, subject.line, subject.name, record.describe());
            notifications.push(notification("warning", &text));
        }
    }
    let document = json!({
        "$schema": crate::show::sarif::SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Argonaut", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "invocations": [{
                "executionSuccessful": problems.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    crate::show::json_text(&document)
}

fn notification(level: &str, text: &str) -> Value {
    json!({ "level": level, "message": { "text": text } })
}

fn rule(kind: &str) -> Value {
    match cfa::Check::ALL.into_iter().find(|check| check.word() == kind) {
        Some(check) => crate::show::sarif::check_rule(check),
        None => json!({ "id": kind, "shortDescription": { "text": "An error location is reachable" } }),
    }
}

fn result(finding: &Finding) -> Value {
    let called = match finding.arguments.is_empty() {
        true => String::new(),
        false => format!(" when called with {}", finding.arguments.join("; ")),
    };
    json!({
        "ruleId": finding.kind,
        "level": "error",
        "message": { "text": format!("{}: {}{called}", finding.function, finding.message) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&finding.file) },
            "region": { "startLine": finding.line.max(1), "startColumn": finding.column.max(1) },
        } }],
        "partialFingerprints": { KEY: finding.print },
        "baselineState": if finding.is_new { "new" } else { "unchanged" },
    })
}

/// A path as URIs write it.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => out.push(byte as char),
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}
