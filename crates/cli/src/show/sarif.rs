//! The answer in SARIF 2.1.0, the format of code-scanning services: a violation is a result with its code flow;
//! UNKNOWN is a notification of the tool, so that it is not taken for "no findings".

use super::{Answer, Found, Place, Shown, Step, TargetAnswer};
use serde_json::{Value, json};
use verdict::Counterexample;

/// Where the format is described.
pub const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The document, indented.
pub fn render(answer: &Answer) -> String {
    let results: Vec<Value> = match &answer.result {
        Ok(found) => found.counterexamples().into_iter().map(|found_one| result(answer, found, found_one)).collect(),
        Err(_) => Vec::new(),
    };
    let mut notifications: Vec<Value> = Vec::new();
    let mut notify = |reason: &str| {
        notifications.push(json!({ "level": "warning", "message": { "text": format!("UNKNOWN ({reason})") } }));
    };
    match &answer.result {
        Ok(found) if !found.outcome.targets.is_empty() => {
            for TargetAnswer { place, reason, .. } in found.targets() {
                if let Some(reason) = reason {
                    notify(&format!("{}:{}:{}: {reason}", place.file, place.line, place.column));
                }
            }
        }
        Ok(_) | Err(_) => answer.reason().iter().for_each(|reason| notify(reason)),
    }
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Argonaut",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [{ "id": answer.property, "shortDescription": { "text": "An error location is reachable" } }],
            } },
            "invocations": [{
                "executionSuccessful": notifications.is_empty(),
                "exitCode": answer.code(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    super::json_text(&document)
}

fn result(answer: &Answer, found: &Found, counterexample: &Counterexample) -> Value {
    let (span, what) = found.violation(counterexample);
    let flow: Vec<Value> = found.steps(counterexample, Shown::Mattering).iter().map(flow_location).collect();
    json!({
        "ruleId": answer.property,
        "level": "error",
        "message": { "text": what },
        "locations": [location(&found.place(span))],
        "codeFlows": [{ "threadFlows": [{ "locations": flow }] }],
    })
}

fn flow_location(step: &Step) -> Value {
    let mut place = location(&step.place);
    let text = if step.note.is_empty() { step.source.clone() } else { format!("{}: {}", step.source, step.note) };
    place["message"] = json!({ "text": text });
    json!({ "location": place })
}

fn location(place: &Place) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": place.file.replace(' ', "%20") },
        "region": { "startLine": place.line, "startColumn": place.column },
    } })
}
