//! The answer for people. The last line is always `Verdict: ...`.

use super::{Answer, FilePosition, FinishedRun, Shown, ShownPath, TargetAnswer};
use anstyle::{AnsiColor, Style};
use base::printable;
use cfa::{Check, CheckCounts};
use driver::{Recalled, Task};
use spec::Property;
use std::collections::BTreeMap;
use std::fmt::Write;
use verdict::{Counterexample, Proof, Verdict};

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The verdict alone.
    Verdict,
    /// Evidence and assumptions.
    Evidence,
    /// Also statistics.
    Statistics,
}

/// More steps than this are cut from the start of a path.
const SHOWN_STEPS: usize = 24;
/// More inputs than this are not listed.
const SHOWN_INPUTS: usize = 32;
/// More measures than this are not listed.
const SHOWN_MEASURES: usize = 16;
/// More assumptions than this are not listed.
const SHOWN_ASSUMPTIONS: usize = 12;

/// The whole text. Colours are in it; the stream strips them where they do not belong.
pub fn render(answer: &Answer, detail: Detail) -> String {
    let mut out = String::new();
    if let (Ok(found), true) = (&answer.result, detail != Detail::Verdict) {
        match &found.outcome.verdict {
            Verdict::Safe(proof) => {
                let preset = found.outcome.steps.last().map_or("", |step| &step.preset);
                let has_targets = found.program.names_errors() || found.program.termination.is_some();
                safe(&mut out, has_targets, preset, &proof.checked);
                measures(&mut out, found, proof);
                discharged(&mut out, found);
            }
            Verdict::Unsafe(_) => {
                for counterexample in found.counterexamples() {
                    violation(&mut out, found, counterexample);
                }
            }
            Verdict::Unknown(_) => parts(&mut out, found),
        }
        if answer.code() != 3 {
            assumptions(&mut out, &found.program.assumptions);
        }
        expectation(&mut out, answer.code(), found.task.expected);
    }
    if detail != Detail::Verdict {
        let width = answer.parts.iter().map(|part| part.preset.len()).max().unwrap_or(0);
        for part in &answer.parts {
            let text = format!("  {:width$}  {:6.2} s  {}", part.preset, part.seconds, part.reason);
            line(&mut out, &printable(&text));
        }
    }
    if let (Err(_), Detail::Statistics) = (&answer.result, detail) {
        line(&mut out, "statistics");
        line(&mut out, &format!("  wall time  {:.3} s", answer.seconds));
    }
    if let (Ok(found), Detail::Verdict) = (&answer.result, detail) {
        unconfirmed(&mut out, found);
    }
    if let Ok(found) = &answer.result {
        targets(&mut out, found);
    }
    if let (Ok(found), Detail::Statistics) = (&answer.result, detail) {
        statistics(&mut out, answer, found);
    }
    if let (Some(hint), true) = (answer.hint(), detail != Detail::Verdict) {
        line(&mut out, &format!("hint: {hint}"));
    }
    verdict(&mut out, answer.code(), &answer.verdict_line());
    out
}

/// The same for a TRUE that is known from an earlier run on the same text.
pub fn recalled(known: &Recalled, task: &Task, detail: Detail) -> String {
    let mut out = String::new();
    if detail != Detail::Verdict {
        safe(&mut out, known.has_targets, &known.preset, &known.checked);
        assumptions(&mut out, &known.assumptions);
        expectation(&mut out, 0, task.expected);
    }
    let trivial = !known.has_targets && task.property == Property::NoError;
    verdict(&mut out, 0, if trivial { super::TRIVIAL } else { "TRUE" });
    out
}

fn safe(out: &mut String, has_targets: bool, preset: &str, checked: &str) {
    if !has_targets {
        line(out, "warning: the program contains no error location, so there was nothing to prove");
        line(out, "hint: --check looks for undefined behaviour, for example --check overflow,division,shift");
    }
    line(out, printable(&format!("proof by {preset}: {checked}")).trim_end_matches([':', ' ']));
}

/// How many checks were decided before the analyses.
fn discharged(out: &mut String, found: &FinishedRun) {
    let CheckCounts { made, constant, proved, accesses: _, calls: _ } = found.program.checks;
    if made > 0 {
        let early = constant + proved;
        line(out, &format!("checks for undefined behaviour: {made}, of which constants and intervals decide {early}"));
    }
}

/// Why each loop and each recursion ends.
fn measures(out: &mut String, found: &FinishedRun, proof: &Proof) {
    for one in proof.measures.iter().take(SHOWN_MEASURES) {
        line(out, &printable(&format!("  {}", one.sentence)));
    }
    if proof.measures.len() > SHOWN_MEASURES {
        line(out, &format!("  and {} more", proof.measures.len() - SHOWN_MEASURES));
    }
    if !found.bound_loops || proof.measures.is_empty() {
        return;
    }
    line(out, "how often loops come back to their start, in terms of values where they are entered (below 0: never):");
    for one in &proof.measures {
        let place = found.program.sources.display(one.span).to_string();
        let bound =
            one.bound.as_ref().map_or("bounded, no expression was proved".to_owned(), |most| format!("at most {most}"));
        line(out, &printable(&format!("  {place:<32} {bound}")));
    }
}

/// The last line.
fn verdict(out: &mut String, code: u8, words: &str) {
    let colour = match code {
        0 => AnsiColor::Green,
        1 => AnsiColor::Red,
        _ => AnsiColor::Yellow,
    };
    let style = Style::new().bold().fg_color(Some(colour.into()));
    line(out, &format!("{style}Verdict: {words}{style:#}"));
}

/// One line, whatever names and texts of others are in it.
fn line(out: &mut String, text: &str) {
    out.push_str(&text.replace('\n', "\\n"));
    out.push('\n');
}

fn assumptions(out: &mut String, items: &[String]) {
    if !items.is_empty() {
        line(out, "assuming that");
    }
    for item in items.iter().take(SHOWN_ASSUMPTIONS) {
        line(out, &format!("  {}", printable(item)));
    }
    if items.len() > SHOWN_ASSUMPTIONS {
        line(out, &format!("  ... and {} more; --format json lists them all", items.len() - SHOWN_ASSUMPTIONS));
    }
}

/// The violated line with a caret, the inputs, the path.
fn violation(out: &mut String, found: &FinishedRun, counterexample: &Counterexample) {
    let (span, what) = found.violation(counterexample);
    let bold = Style::new().bold();
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let message = base::Diagnostic::error(span, what).render(&found.program.sources);
    let message = message.replacen(": error: ", &format!(": {red}error:{red:#} "), 1);
    message.lines().for_each(|part| line(out, part));
    arguments(out, found, counterexample);
    let choices = found.mattering_choices(counterexample);
    let inputs: Vec<(String, String)> =
        choices.iter().take(SHOWN_INPUTS).map(|(_, choice)| found.choice(choice)).collect();
    if !inputs.is_empty() {
        line(out, &format!("{bold}inputs, in order{bold:#}"));
        let width = inputs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for ((name, value), (span, _)) in inputs.iter().zip(&choices) {
            let place = found.line(&found.place(*span));
            line(out, &printable(&format!("  {name:width$} = {value:<12} {place}")));
        }
        if choices.len() > SHOWN_INPUTS {
            line(out, &format!("  ... and {} more", choices.len() - SHOWN_INPUTS));
        }
    }
    path(out, &found.steps(counterexample, Shown::Mattering, SHOWN_STEPS));
    closed_set(out, found, counterexample);
    if let Some(command) = found.reproduce(counterexample) {
        line(out, &format!("{bold}reproduce with{bold:#}"));
        line(out, &format!("  {}", printable(&command)));
    }
    if let Some(execution) = found.execution(counterexample) {
        line(out, &execution);
    }
}

/// What an execution never leaves that does not repeat itself.
fn closed_set(out: &mut String, found: &FinishedRun, counterexample: &Counterexample) {
    let Some((conditions, checked)) = found.closed_set(counterexample) else { return };
    let bold = Style::new().bold();
    line(out, &format!("{bold}from there on, no step leaves these states{bold:#}"));
    for (place, condition) in conditions.iter().take(SHOWN_MEASURES) {
        line(out, &printable(&format!("  {place}: {condition}")));
    }
    if conditions.is_empty() {
        line(out, "  all that the program reaches: no path leads to its end");
    }
    line(out, &printable(&format!("  {checked}")));
}

/// What a function that is verified by itself was called with.
fn arguments(out: &mut String, found: &FinishedRun, counterexample: &Counterexample) {
    let Some((arguments, objects)) = found.arguments(counterexample) else { return };
    let bold = Style::new().bold();
    line(out, &format!("{bold}called with{bold:#}"));
    let width = arguments.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in &arguments {
        line(out, &printable(&format!("  {name:width$} = {value}")));
    }
    if !objects.is_empty() {
        line(out, "  where");
    }
    for object in &objects {
        line(out, &printable(&format!("  {object}")));
    }
}

fn path(out: &mut String, path: &ShownPath) {
    let bold = Style::new().bold();
    line(out, &format!("{bold}path, as far as it matters{bold:#}"));
    if path.earlier > 0 {
        line(out, &format!("  ... {} earlier steps", path.earlier));
    }
    let shown = &path.steps;
    let width = shown.iter().map(|step| step.source.chars().count().min(60)).max().unwrap_or(0);
    let digits = shown.iter().map(|step| step.place.line.to_string().len()).max().unwrap_or(0);
    let (dim, cyan) = (Style::new().dimmed(), Style::new().fg_color(Some(AnsiColor::Cyan.into())));
    let mut function = ("", "");
    let several = shown.iter().any(|step| step.place.file != shown[0].place.file);
    for step in shown {
        if (step.function.as_str(), step.place.file.as_str()) != function {
            function = (&step.function, &step.place.file);
            let file = if several { format!(" ({})", step.place.file) } else { String::new() };
            line(out, &printable(&format!("  {}{file}:", step.function)));
        }
        let source: String = step.source.chars().take(60).collect();
        let number = format!("{dim}{:>digits$} |{dim:#}", step.place.line);
        if step.note.is_empty() {
            line(out, &format!("  {number} {source}"));
        } else {
            line(out, &format!("  {number} {source:width$}   {cyan}{}{cyan:#}", step.note));
        }
    }
}

/// With the verdict alone: what executions did not confirm.
fn unconfirmed(out: &mut String, found: &FinishedRun) {
    for counterexample in found.counterexamples() {
        let confirmed =
            |one: &driver::Execution| matches!(one.executed, driver::Executed::Reached | driver::Executed::Warned);
        if let (false, Some(execution)) =
            (found.executed(counterexample).is_none_or(confirmed), found.execution(counterexample))
        {
            line(out, &execution);
        }
    }
}

/// One line for each error, if that was asked.
fn targets(out: &mut String, found: &FinishedRun) {
    let mut classes: BTreeMap<Check, [usize; 3]> = BTreeMap::new();
    for TargetAnswer { place, what, kind, verdict, reason } in found.targets() {
        let FilePosition { file, line: number, column } = place;
        let more = match verdict {
            Verdict::Safe(_) => kind.map_or(String::new(), |kind| format!(" ({})", kind.word())),
            Verdict::Unsafe(_) => format!(" ({what})"),
            Verdict::Unknown(_) => format!(" ({})", reason.unwrap_or_default()),
        };
        line(out, &format!("{file}:{number}:{column}: {verdict}{more}"));
        if let Some(kind) = kind {
            let column = match verdict {
                Verdict::Safe(_) => 0,
                Verdict::Unsafe(_) => 1,
                Verdict::Unknown(_) => 2,
            };
            classes.entry(kind).or_default()[column] += 1;
        }
    }
    for (kind, [proved, violated, open]) in classes {
        line(out, &format!("{}: {proved} proved, {violated} violated, {open} open", kind.word()));
    }
}

/// What every part of a sequence gave up for.
fn parts(out: &mut String, found: &FinishedRun) {
    let steps = &found.outcome.steps;
    let width = steps.iter().map(|step| step.preset.len()).max().unwrap_or(0);
    for step in steps.iter().filter(|_| steps.len() > 1) {
        let reason = step.stop.as_ref().map(|stop| found.reason(stop)).unwrap_or_default();
        line(out, &format!("  {:width$}  {:6.2} s  {reason}", step.preset, step.time.as_secs_f64()));
    }
}

fn expectation(out: &mut String, code: u8, expected: Option<bool>) {
    let word = |truth| if truth { "TRUE" } else { "FALSE" };
    if let (Some(expected), 0 | 1) = (expected, code)
        && expected != (code == 0)
    {
        line(out, &format!("warning: the task definition expects {}", word(expected)));
    }
}

fn statistics(out: &mut String, answer: &Answer, found: &FinishedRun) {
    let mut rows = vec![("wall time".to_owned(), format!("{:.3} s", answer.seconds))];
    rows.extend(statistics_rows(found));
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    line(out, "statistics");
    for (name, value) in rows {
        writeln!(out, "  {name:width$}  {value}").expect("strings take all text");
    }
}

/// What was counted and measured, by name.
pub fn statistics_rows(found: &FinishedRun) -> Vec<(String, String)> {
    let program = found.program;
    let mut rows = vec![
        ("functions".to_owned(), program.functions.len().to_string()),
        ("locations".to_owned(), program.nodes.len().to_string()),
        ("edges".to_owned(), program.edges.len().to_string()),
    ];
    for step in &found.outcome.steps {
        rows.push((format!("preset {}", step.preset), format!("{:.3} s", step.time.as_secs_f64())));
    }
    rows.extend(found.outcome.counters.values().map(|(name, value)| (name.to_owned(), value.to_string())));
    rows.extend(
        found.outcome.counters.times().map(|(name, time)| (name.to_owned(), format!("{:.3} s", time.as_secs_f64()))),
    );
    rows
}
