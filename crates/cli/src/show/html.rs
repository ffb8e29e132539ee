//! The answer as one self-contained page: summary, source with the path, coverage and a step player, automata, abstract
//! states, precision, statistics. What needs no script is written here; the rest is data for `report/report.js`.

use super::exploration;
use super::report_data::data;
use super::{Answer, FinishedRun};
use base::markup;
use std::fmt::Write;
use verdict::Verdict;

/// Why writing to a string does not fail.
const TEXT: &str = "strings take all text";
const STYLE: &str = include_str!("report/report.css");
const SCRIPT: &str = include_str!("report/report.js");

/// The page.
pub fn render(answer: &Answer) -> String {
    let word = answer.word();
    let files = markup(&answer.files.join(", "));
    let mut out = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out += "<meta name=\"viewport\" content=\"width=device-width\">\n";
    let script = if answer.result.is_ok() { SCRIPT } else { "" };
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", policy(script)).expect(TEXT);
    write!(out, "<title>{word}: {files}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>").expect(TEXT);
    write!(out, "<span class=\"verdict {}\">{word}</span><h1>{files}</h1>", word.to_lowercase()).expect(TEXT);
    writeln!(
        out,
        "<p>{} &middot; {} &middot; {:.2} s</p></header>\n<nav role=\"tablist\"></nav>\n<main>",
        markup(&answer.property),
        markup(&answer.analysis),
        answer.seconds
    )
    .expect(TEXT);
    let found = answer.result.as_ref().ok();
    part(&mut out, "summary", "Summary", &summary(answer, found));
    if let Some(found) = found {
        let checks = if found.program.checks.made > 0 { CHECKS } else { "" };
        part(&mut out, "source", "Source and path", &SOURCE.replace("<!-- checks -->", checks));
        part(&mut out, "graph", "Automata", &graph("", "The path is red."));
        if let Some(about) = exploration::about_states(found) {
            part(&mut out, "arg", "Abstract states", &graph("arg-", &markup(&about)));
        }
        part(&mut out, "precision", "Precision", &exploration::precision(found));
    }
    part(&mut out, "statistics", "Statistics", &found.map(statistics).unwrap_or_default());
    let data = found.map_or_else(|| super::report_data::EMPTY.to_owned(), data);
    writeln!(out, "</main>\n<footer>Argonaut {}</footer>", env!("CARGO_PKG_VERSION")).expect(TEXT);
    writeln!(out, "<script type=\"application/json\" id=\"data\">{}</script>", embedded(&data)).expect(TEXT);
    let plain = if found.is_some() { "" } else { "main > section { display: block; }" };
    writeln!(out, "<style>{plain}</style>\n<noscript><style>main > section {{ display: block; }}</style></noscript>")
        .expect(TEXT);
    writeln!(out, "<script>{script}</script>\n</body>\n</html>").expect(TEXT);
    out
}

/// JSON between the tags of a script: in there `</script>` ends it and `<!--` changes what ends it, so no tag begins.
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// What the page may do: run this one script, and load nothing.
fn policy(script: &str) -> String {
    let digest = driver::sha256(script.as_bytes());
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        base64(&digest)
    )
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let all = chunk.iter().fold(0, |all, &byte| all << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = DIGITS[(all >> (18 - 6 * at)) as usize % 64];
            out.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// Where `report.js` shows the source and the path.
const SOURCE: &str = "\
<div><div class=\"buttons\"><select id=\"files\" aria-label=\"file\"></select> <input id=\"find\" type=\"search\" \
placeholder=\"find in source\"><span id=\"legend\"><i class=\"r\"></i>explored<i class=\"c\"></i>not explored<i \
class=\"p\"></i>on the path<!-- checks --></span></div><div id=\"text\"></div></div>
<div id=\"player\"><div class=\"buttons\"><button id=\"first\">|&lt;</button><button id=\"back\">&lt; previous</button>\
<button id=\"next\">next &gt;</button><button id=\"last\">&gt;|</button><label><input type=\"checkbox\" id=\"all\"> all \
steps</label></div><div id=\"where\"></div><div id=\"steps\"></div><table id=\"values\"></table></div>";

/// What the colours of line numbers mean, in a run that checks for undefined behaviour.
const CHECKS: &str = "<i class=\"y\"></i>checked: proved<i class=\"o\"></i>open<i class=\"v\"></i>violated";

/// Where it shows a graph; the ids of its controls start with a prefix.
fn graph(prefix: &str, about: &str) -> String {
    format!(
        "<div class=\"buttons\"><select id=\"{prefix}functions\" aria-label=\"function\"></select><input \
         id=\"{prefix}search\" type=\"search\" placeholder=\"search\"><span id=\"{prefix}hits\"></span><button \
         id=\"{prefix}out\">&minus;</button><span id=\"{prefix}zoom\"></span><button id=\"{prefix}in\">+</button><button \
         id=\"{prefix}fit\">fit</button><label><input type=\"checkbox\" id=\"{prefix}collapse\" checked> collapse \
         chains</label><button id=\"{prefix}unfold\">unfold all</button></div><canvas id=\"{prefix}canvas\"></canvas><p>{about} \
         Drag to move, wheel to zoom, double-click for the source, shift-click to fold what comes after a box.</p>"
    )
}

fn part(out: &mut String, id: &str, title: &str, content: &str) {
    writeln!(out, "<section id=\"{id}\" data-title=\"{title}\">{content}</section>").expect(TEXT);
}

fn summary(answer: &Answer, found: Option<&FinishedRun>) -> String {
    let mut out = String::new();
    if let Some(reason) = answer.reason() {
        heading(&mut out, "Why", &format!("<p>{}</p>", markup(&reason)));
    }
    if let Some(hint) = answer.hint() {
        heading(&mut out, "What may help", &format!("<p>{}</p>", markup(hint)));
    }
    let rows = answer.parts.iter();
    let rows = rows.map(|part| vec![part.preset.clone(), format!("{:.3} s", part.seconds), part.reason.clone()]);
    heading(&mut out, "Analyses", &table(rows));
    let Some(found) = found else { return out };
    match &found.outcome.verdict {
        Verdict::Safe(proof) => {
            let preset = found.outcome.steps.last().map_or("", |step| &step.preset);
            heading(&mut out, &format!("Proof by {preset}"), &format!("<p>{}</p>", markup(&proof.checked)));
            let mut program = found.program.clone();
            program.exprs = proof.exprs.clone();
            let rows = proof.invariants.iter().take(SHOWN_INVARIANTS).map(|&(node, invariant)| {
                let function = program.function_name(program.nodes[node].function).to_owned();
                let line = program.leaving(node).next().map(|edge| found.place(program.edges[edge].span).line);
                let line = line.map(|line| format!("line {line}")).unwrap_or_default();
                vec![function, line, program.expr_text(invariant)]
            });
            heading(&mut out, "Invariants", &table(rows));
            if !proof.measures.is_empty() {
                let rows = proof.measures.iter().map(|one| {
                    let most = one.bound.as_ref().map(|most| format!("at most {most} iterations")).unwrap_or_default();
                    vec![format!("line {}", found.place(one.span).line), one.sentence.clone(), most]
                });
                heading(&mut out, "Why loops and recursions end", &table(rows));
            }
        }
        Verdict::Unsafe(counterexample) => {
            let (span, what) = found.violation(counterexample);
            let at = found.place(span);
            let text = format!("<p>{} at {}:{}:{}</p>", markup(&what), markup(&at.file), at.line, at.column);
            heading(&mut out, "Violation", &text);
            if let Some((arguments, objects)) = found.arguments(counterexample) {
                let rows = arguments.into_iter().map(|(name, value)| vec![name, value]);
                heading(&mut out, "Called with", &table(rows));
                let lines: Vec<String> = objects.iter().map(|line| markup(line)).collect();
                let text = if lines.is_empty() { String::new() } else { format!("<pre>{}</pre>", lines.join("\n")) };
                heading(&mut out, "Where", &text);
            }
            let rows = found.mattering_choices(counterexample).into_iter().map(|(span, choice)| {
                let (name, value) = found.choice(choice);
                let line = found.line(&found.place(span));
                vec![name, value, line]
            });
            heading(&mut out, "Inputs, in order", &table(rows));
            let command = found.reproduce(counterexample).map(|line| format!("<pre>{}</pre>", markup(&line)));
            heading(&mut out, "Reproduce with", &command.unwrap_or_default());
            let execution = found.execution(counterexample).map(|line| format!("<p>{}</p>", markup(&line)));
            heading(&mut out, "Execution", &execution.unwrap_or_default());
        }
        Verdict::Unknown(_) => {}
    }
    if let Some(coverage) = exploration::Coverage::new(found) {
        heading(&mut out, "Coverage", &format!("<p>{}</p>", markup(&coverage.describe())));
    }
    let items: String = found.program.assumptions.iter().map(|item| format!("<li>{}</li>", markup(item))).collect();
    let list = if items.is_empty() { String::new() } else { format!("<ul>{items}</ul>") };
    heading(&mut out, "Assumptions", &list);
    out
}

/// More invariants than this are left to the JSON output.
const SHOWN_INVARIANTS: usize = 500;

fn statistics(found: &FinishedRun) -> String {
    let steps = found.outcome.steps.iter().map(|step| {
        let reason = step.stop.as_ref().map(|stop| found.reason(stop)).unwrap_or("answered".into());
        vec![step.preset.clone(), format!("{:.3} s", step.time.as_secs_f64()), reason]
    });
    let mut out = String::new();
    heading(&mut out, "Analyses", &table(steps));
    let rows = super::text::statistics_rows(found).into_iter().map(|(name, value)| vec![name, value]);
    heading(&mut out, "Counters", &table(rows));
    out
}

/// A titled part; nothing if it is empty.
pub fn heading(out: &mut String, title: &str, content: &str) {
    if !content.is_empty() {
        writeln!(out, "<h2>{}</h2>{content}", markup(title)).expect(TEXT);
    }
}

pub fn table(rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: String = rows
        .map(|cells| {
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", markup(cell))).collect();
            format!("<tr>{cells}</tr>")
        })
        .collect();
    if rows.is_empty() { rows } else { format!("<table>{rows}</table>") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits() {
        assert_eq!([base64(b""), base64(b"M"), base64(b"Ma"), base64(b"Man")], ["", "TQ==", "TWE=", "TWFu"]);
        assert_eq!(base64(&[0xff, 0xef, 0xbe, 0xfb]), "/+++ +w==".replace(' ', ""));
    }

    #[test]
    fn nothing_in_data_begins_a_tag() {
        assert_eq!(embedded("\"<!-- <script>\u{2028}\""), "\"\\u003c!-- \\u003cscript>\\u2028\"");
    }
}
