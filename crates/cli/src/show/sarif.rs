//! The answer in SARIF 2.1.0, the format of code-scanning services: a violation is a result with its code flow;
//! UNKNOWN is a notification of the tool, so that it is not taken for "no findings".

use super::{Answer, FilePosition, FinishedRun, Shown, ShownStep, TargetAnswer};
use cfa::Check;
use serde_json::{Value, json};
use verdict::Counterexample;

/// Where the format is described.
pub const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Of longer paths only the end is written: services refuse results with more places.
const MOST_STEPS: usize = 10_000;

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
                "rules": rules(answer),
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

/// The document about input that cannot be used.
pub fn mistake(mistake: &str) -> String {
    super::json_text(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Argonaut", "version": env!("CARGO_PKG_VERSION"), "rules": [] } },
            "invocations": [{
                "executionSuccessful": false,
                "exitCode": 2,
                "toolConfigurationNotifications": [{ "level": "error", "message": { "text": mistake } }],
            }],
            "results": [],
        }],
    }))
}

/// One rule for each kind of error that was found, with its numbers in the Common Weakness Enumeration.
fn rules(answer: &Answer) -> Vec<Value> {
    let all = answer.result.as_ref().map_or(Vec::new(), |found| found.counterexamples());
    let mut rules: Vec<Value> = Vec::new();
    for (counterexample, found) in all.into_iter().zip(answer.result.iter().cycle()) {
        let rule = match found.program.targets[counterexample.target].check() {
            Some(check) => check_rule(check),
            None => reachable(answer),
        };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    if rules.is_empty() { vec![reachable(answer)] } else { rules }
}

/// The rule of a check.
pub fn check_rule(check: Check) -> Value {
    json!({
        "id": check.word(),
        "shortDescription": { "text": check.describe() },
        "properties": { "tags": weaknesses(check) },
    })
}

fn reachable(answer: &Answer) -> Value {
    json!({ "id": answer.property, "shortDescription": { "text": "An error location is reachable" } })
}

fn weaknesses(check: Check) -> Vec<String> {
    check.weaknesses().iter().map(|number| format!("external/cwe/cwe-{number}")).collect()
}

fn rule_id(answer: &Answer, found: &FinishedRun, counterexample: &Counterexample) -> String {
    let check = found.program.targets[counterexample.target].check();
    check.map_or(answer.property.clone(), |check| check.word().to_owned())
}

fn result(answer: &Answer, found: &FinishedRun, counterexample: &Counterexample) -> Value {
    let (span, what) = found.violation(counterexample);
    let path = found.steps(counterexample, Shown::Mattering, MOST_STEPS);
    let flow: Vec<Value> = path.steps.iter().map(flow_location).collect();
    let mut flows = json!({ "threadFlows": [{ "locations": flow }] });
    if path.earlier > 0 {
        flows["message"] = json!({ "text": format!("{} earlier steps are left out", path.earlier) });
    }
    json!({
        "ruleId": rule_id(answer, found, counterexample),
        "level": "error",
        "message": { "text": what },
        "locations": [location(&found.place(span))],
        "codeFlows": [flows],
    })
}

fn flow_location(step: &ShownStep) -> Value {
    let mut place = location(&step.place);
    let text = if step.note.is_empty() { step.source.clone() } else { format!("{}: {}", step.source, step.note) };
    place["message"] = json!({ "text": text });
    json!({ "location": place })
}

fn location(place: &FilePosition) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": place.file.replace(' ', "%20") },
        "region": { "startLine": place.line, "startColumn": place.column },
    } })
}
