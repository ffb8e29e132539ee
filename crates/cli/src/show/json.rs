//! The answer as one JSON document; `docs/json.md` describes it.

use super::{Answer, FilePosition, FinishedRun, Shown, TargetAnswer};
use serde_json::{Map, Value, json};
use verdict::{Counterexample, Independent, Proof, Verdict};

/// Of longer paths only the end is written.
const MOST_STEPS: usize = 100_000;
/// Of more inputs only the first are written, and how many follow.
const MOST_INPUTS: usize = 100_000;

/// The document, indented.
pub fn render(answer: &Answer) -> String {
    let mut document = json!({
        "tool": { "name": "argonaut", "version": env!("CARGO_PKG_VERSION") },
        "files": answer.files,
        "property": answer.property,
        "analysis": answer.analysis,
        "verdict": answer.word(),
        "reason": answer.reason(),
        "seconds": round(answer.seconds),
    });
    if !answer.parts.is_empty() {
        let steps = answer.parts.iter();
        let steps =
            steps.map(|part| json!({ "preset": part.preset, "seconds": round(part.seconds), "reason": part.reason }));
        document["steps"] = steps.collect();
    }
    if let Ok(found) = &answer.result {
        let more = found_fields(found);
        document.as_object_mut().expect("built as an object").extend(more);
    }
    super::json_text(&document)
}

/// The document about input that cannot be used.
pub fn mistake(files: &[String], property: &str, mistake: &str) -> String {
    super::json_text(&json!({
        "tool": { "name": "argonaut", "version": env!("CARGO_PKG_VERSION") },
        "files": files,
        "property": property,
        "analysis": "",
        "verdict": "ERROR",
        "reason": mistake,
        "seconds": 0,
    }))
}

fn found_fields(found: &FinishedRun) -> Map<String, Value> {
    let outcome = found.outcome;
    let mut fields = Map::new();
    match &outcome.verdict {
        Verdict::Safe(proof) => drop(fields.insert("proof".into(), proof_value(found, proof))),
        Verdict::Unsafe(path) => drop(fields.insert("violation".into(), violation(found, path))),
        Verdict::Unknown(_) => {}
    }
    if !outcome.targets.is_empty() {
        fields.insert("targets".into(), found.targets().map(|target| target_value(found, &target)).collect());
    }
    let steps = outcome.steps.iter().map(|step| {
        let reason = step.stop.as_ref().map(|stop| found.reason(stop));
        json!({ "preset": step.preset, "seconds": round(step.time.as_secs_f64()), "reason": reason })
    });
    let counters: Map<_, _> = outcome.counters.values().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let times = outcome.counters.times();
    let times: Map<_, _> = times.map(|(name, time)| (name.to_owned(), json!(round(time.as_secs_f64())))).collect();
    fields.insert("assumptions".into(), json!(found.program.assumptions));
    fields.insert("expected".into(), json!(found.task.expected));
    fields.insert("steps".into(), steps.collect());
    fields.insert("counters".into(), counters.into());
    fields.insert("times".into(), times.into());
    fields
}

fn target_value(found: &FinishedRun, target: &TargetAnswer) -> Value {
    let mut value = json!({
        "location": place(&target.place),
        "error": target.what,
        "verdict": target.verdict.to_string(),
        "reason": target.reason,
    });
    if let Some(kind) = target.kind {
        value["kind"] = json!(kind.word());
    }
    match target.verdict {
        Verdict::Safe(proof) => value["checked"] = json!(proof.checked),
        Verdict::Unsafe(counterexample) => value["violation"] = violation(found, counterexample),
        Verdict::Unknown(_) => {}
    }
    value
}

fn violation(found: &FinishedRun, counterexample: &Counterexample) -> Value {
    let (span, what) = found.violation(counterexample);
    let inputs = found.placed_choices(counterexample).into_iter().take(MOST_INPUTS).map(|(span, choice)| {
        let (name, value) = found.choice(choice);
        json!({ "name": name, "type": choice.ty.to_string(), "value": value, "location": place(&found.place(span)) })
    });
    let shown = found.steps(counterexample, Shown::All, MOST_STEPS);
    let path = shown.steps.into_iter().map(|step| {
        json!({
            "location": place(&step.place), "function": step.function, "source": step.source, "note": step.note,
            "matters": step.matters,
        })
    });
    let mut value = json!({
        "message": what,
        "location": place(&found.place(span)),
        "inputs": inputs.collect::<Vec<_>>(),
        "later_inputs": counterexample.choices.len().saturating_sub(MOST_INPUTS),
        "path": path.collect::<Vec<_>>(),
        "earlier": shown.earlier,
        "reproduce": found.reproduce(counterexample),
        "executed": found.executed(counterexample).map(|execution| execution.executed == driver::Executed::Reached),
        "execution": found.execution(counterexample),
    });
    if let Some((arguments, objects)) = found.arguments(counterexample) {
        let named = |(name, value): &(String, String)| json!({ "name": name, "value": value });
        value["arguments"] = arguments.iter().map(named).collect();
        value["objects"] = json!(objects);
    }
    if let Some((conditions, checked)) = found.closed_set(counterexample) {
        let states = conditions.iter().map(|(place, condition)| json!({ "place": place, "condition": condition }));
        value["closed_set"] = json!({ "states": states.collect::<Vec<_>>(), "checked": checked });
    }
    if let Some(kind) = found.program.targets[counterexample.target].check() {
        value["kind"] = json!(kind.word());
        value["violates"] = json!(found.violated(counterexample));
    }
    value
}

fn proof_value(found: &FinishedRun, proof: &Proof) -> Value {
    // Invariants have expressions of their own: shown with the program's names around them.
    let mut program = found.program.clone();
    program.exprs = proof.exprs.clone();
    let invariants = proof.invariants.iter().map(|&(node, expr)| {
        let function = program.function_name(program.nodes[node].function);
        let mut one = json!({ "function": function, "node": node.to_string(), "invariant": program.expr_text(expr) });
        if let Some(edge) = program.leaving(node).next() {
            one["location"] = place(&found.place(program.edges[edge].span));
        }
        one
    });
    let independent = match &proof.independent {
        Independent::NotAsked => json!({ "status": "not asked" }),
        Independent::Confirmed { obligations, how } => {
            json!({ "status": "confirmed", "obligations": obligations, "how": how })
        }
        Independent::Not(reason) => json!({ "status": "not confirmed", "reason": reason }),
    };
    let mut value =
        json!({ "checked": proof.checked, "independent": independent, "invariants": invariants.collect::<Vec<_>>() });
    if !proof.measures.is_empty() {
        let measures = proof
            .measures
            .iter()
            .map(|one| json!({ "place": place(&found.place(one.span)), "measure": one.measure, "bound": one.bound }));
        value["measures"] = json!(measures.collect::<Vec<_>>());
    }
    value
}

fn place(place: &FilePosition) -> Value {
    json!({ "file": place.file, "line": place.line, "column": place.column })
}

fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
