//! The index page of a project: files, functions, checks, with links to reports. No script: it works everywhere.

use super::baseline::Finding;
use super::results::{Record, Word};
use super::units::Subject;
use base::markup;
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const TEXT: &str = "strings take all text";

/// The page.
pub fn render(known: &[(&Subject, Record)], findings: &[Finding], left: usize, problems: &[String]) -> String {
    let count = |word: Word| known.iter().filter(|(_, record)| record.word == word).count();
    let (proved, violated) = (count(Word::Proved), count(Word::Violated));
    let open = count(Word::Open) + count(Word::Failed) + left;
    let mut out = String::from("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">";
    out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Argonaut: project</title>";
    write!(out, "<style>{STYLE}</style></head><body><main><h1>Functions, verified one by one</h1>").expect(TEXT);
    write!(
        out,
        "<p class=\"counts\"><span class=\"proved\">{proved} proved</span> <span class=\"violated\">{violated} violated\
         </span> <span class=\"open\">{open} open</span></p>{}",
        bar(proved, violated, open)
    )
    .expect(TEXT);
    for problem in problems {
        write!(out, "<p class=\"problem\">Not read: {}</p>", markup(problem)).expect(TEXT);
    }
    if left > 0 {
        write!(out, "<p class=\"problem\">{left} functions were not begun; the same command continues from here.</p>")
            .expect(TEXT);
    }
    if count(Word::Open) > 0 {
        out += "<p><small>What is open is tried again when the function changes or something that it uses, or when there is \
                more time for each function (<code>--time-limit-per-function</code>).</small></p>";
    }
    list(&mut out, findings);
    let mut files: BTreeMap<&str, Vec<&(&Subject, Record)>> = BTreeMap::new();
    for one in known {
        files.entry(&one.0.file).or_default().push(one);
    }
    for (file, functions) in files {
        table(&mut out, file, &functions);
    }
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "<footer>Argonaut {version}</footer></main></body></html>").expect(TEXT);
    out
}

fn bar(proved: usize, violated: usize, open: usize) -> String {
    let all = (proved + violated + open).max(1) as f64;
    let part = |class: &str, count: usize| {
        let width = 100.0 * count as f64 / all;
        format!("<i class=\"{class}\" style=\"width:{width:.2}%\"></i>")
    };
    format!(
        "<div class=\"bar\" role=\"img\" aria-label=\"{proved} proved, {violated} violated, {open} open\">{}{}{}</div>",
        part("proved", proved),
        part("violated", violated),
        part("open", open)
    )
}

fn list(out: &mut String, findings: &[Finding]) {
    if findings.is_empty() {
        return;
    }
    out.push_str("<h2>Findings</h2><ul class=\"findings\">");
    for finding in findings {
        let place = format!("{}:{}:{}", finding.file, finding.line, finding.column);
        let place = match &finding.report {
            Some(report) => format!("<a href=\"{}\">{}</a>", markup(report), markup(&place)),
            None => markup(&place),
        };
        let known = if finding.is_new { "" } else { " <small>(in the baseline)</small>" };
        write!(
            out,
            "<li><span class=\"violated\">{}</span> {place} in <code>{}</code>: {}{known}",
            markup(&finding.kind),
            markup(&finding.function),
            markup(&finding.message)
        )
        .expect(TEXT);
        if !finding.arguments.is_empty() {
            let lines: Vec<String> = finding.arguments.iter().map(|line| markup(line)).collect();
            write!(out, "<details><summary>called with</summary><pre>{}</pre></details>", lines.join("\n"))
                .expect(TEXT);
        }
        out.push_str("</li>");
    }
    out.push_str("</ul>");
}

fn table(out: &mut String, file: &str, functions: &[&(&Subject, Record)]) {
    write!(out, "<h2 class=\"file\">{}</h2><table><thead><tr><th>function</th><th>answer</th>", markup(file))
        .expect(TEXT);
    out.push_str("<th>checks</th><th class=\"number\">time</th></tr></thead><tbody>");
    for (subject, record) in functions {
        let name = markup(&subject.name);
        let name = match &record.report {
            Some(report) => format!("<a href=\"{}\">{name}</a>", markup(report)),
            None => name,
        };
        let (class, word) = match record.word {
            Word::Proved => ("proved", "proved"),
            Word::Violated => ("violated", "violated"),
            Word::Open => ("open", "open"),
            Word::Failed => ("open", "not verified"),
        };
        let reason = match (record.word, &record.reason) {
            (Word::Open | Word::Failed, Some(reason)) => format!("<small>{}</small>", markup(reason)),
            _ => String::new(),
        };
        write!(
            out,
            "<tr><td>{name} <small>line {}</small></td><td><span class=\"{class}\">{word}</span> {reason}</td>\
             <td>{}</td><td class=\"number\">{:.1} s</td></tr>",
            subject.line,
            checks(record),
            record.seconds
        )
        .expect(TEXT);
    }
    out.push_str("</tbody></table>");
}

/// Each kind of check with its numbers.
fn checks(record: &Record) -> String {
    let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for check in &record.checks {
        let column = match check.word {
            Word::Proved => 0,
            Word::Violated => 1,
            Word::Open | Word::Failed => 2,
        };
        kinds.entry(&check.kind).or_default()[column] += 1;
    }
    let parts = kinds.into_iter().map(|(kind, counts)| {
        let words = [("proved", counts[0]), ("violated", counts[1]), ("open", counts[2])];
        let shown = words.into_iter().filter(|(_, count)| *count > 0);
        let shown: String =
            shown.map(|(word, count)| format!(" <span class=\"{word}\" title=\"{word}\">{count}</span>")).collect();
        format!("<span class=\"kind\">{}{shown}</span>", markup(kind))
    });
    let parts: Vec<String> = parts.collect();
    match (parts.is_empty(), record.word) {
        (true, Word::Proved) => format!("<span class=\"proved\">all {}</span>", record.count),
        (true, _) if record.count > 0 => format!("<span class=\"open\">{}</span>", record.count),
        _ => parts.join(" "),
    }
}
