//! The answer as one self-contained page: verdict, inputs, the path beside the source, assumptions, statistics.

use super::{Answer, Found, Shown, Step};
use std::collections::BTreeMap;
use std::fmt::Write;
use verdict::Verdict;

/// Files with more lines than this are shown around the path only.
const WHOLE_FILE: usize = 3000;
/// How many lines are shown around a step of the path then.
const AROUND: u32 = 20;

/// The page.
pub fn render(answer: &Answer) -> String {
    let mut body = String::new();
    let word = answer.word();
    write!(
        body,
        "<header><span class=\"verdict {}\">{word}</span><h1>{}</h1><p>{} &middot; {} &middot; {:.2} s</p></header>",
        word.to_lowercase(),
        escape(&answer.files.join(", ")),
        escape(&answer.property),
        escape(&answer.analysis),
        answer.seconds,
    )
    .expect("strings take all text");
    if let Some(reason) = answer.reason() {
        section(&mut body, "Why", &format!("<p>{}</p>", escape(&reason)));
    }
    if let Ok(found) = &answer.result {
        details(&mut body, found);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{word}: {}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n\
         <footer>Argonaut {}</footer>\n</body>\n</html>\n",
        escape(&answer.files.join(", ")),
        env!("CARGO_PKG_VERSION")
    )
}

fn details(body: &mut String, found: &Found) {
    let mut steps = Vec::new();
    match &found.outcome.verdict {
        Verdict::Safe(proof) => section(body, "Proof", &format!("<p>{}</p>", escape(&proof.checked))),
        Verdict::Unsafe(counterexample) => {
            let (span, what) = found.violation(counterexample);
            let at = found.place(span);
            let text = format!("<p>{} at {}:{}:{}</p>", escape(&what), escape(&at.file), at.line, at.column);
            section(body, "Violation", &text);
            let rows = counterexample.choices.iter().map(|choice| {
                let (name, value) = found.choice(choice);
                let line = found.place(found.program.edges[choice.edge].span).line;
                vec![name, value, format!("line {line}")]
            });
            section(body, "Inputs, in order", &table(rows));
            steps = found.steps(counterexample, Shown::All);
            section(body, "Path", &path(&steps));
        }
        Verdict::Unknown(_) => {}
    }
    for (file, lines) in path_lines(&steps) {
        section(body, &file, &source(found, &file, &lines));
    }
    let items: String = found.program.assumptions.iter().map(|item| format!("<li>{}</li>", escape(item))).collect();
    section(body, "Assumptions", &if items.is_empty() { String::new() } else { format!("<ul>{items}</ul>") });
    let rows = super::text::statistics_rows(found).into_iter().map(|(name, value)| vec![name, value]);
    section(body, "Statistics", &table(rows));
}

/// A titled part; nothing if it is empty.
fn section(body: &mut String, title: &str, content: &str) {
    if !content.is_empty() {
        write!(body, "\n<section><h2>{}</h2>{content}</section>", escape(title)).expect("strings take all text");
    }
}

fn table(rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: String = rows
        .map(|cells| {
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
            format!("<tr>{cells}</tr>")
        })
        .collect();
    if rows.is_empty() { rows } else { format!("<table>{rows}</table>") }
}

fn path(steps: &[Step]) -> String {
    let rows: String = steps
        .iter()
        .map(|step| {
            format!(
                "<tr><td>{}</td><td><a href=\"#{}\">{}</a></td><td><code>{}</code></td><td>{}</td></tr>",
                escape(&step.function),
                anchor(&step.place.file, step.place.line),
                step.place.line,
                escape(&step.source),
                escape(&step.note)
            )
        })
        .collect();
    format!("<table>{rows}</table>")
}

/// The notes of every line on the path, by file.
fn path_lines(steps: &[Step]) -> BTreeMap<String, BTreeMap<u32, String>> {
    let mut files: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
    for step in steps {
        let note = files.entry(step.place.file.clone()).or_default().entry(step.place.line).or_default();
        if !step.note.is_empty() && !note.split(", ").any(|known| known == step.note) {
            if !note.is_empty() {
                note.push_str(", ");
            }
            note.push_str(&step.note);
        }
    }
    files
}

fn source(found: &Found, file: &str, notes: &BTreeMap<u32, String>) -> String {
    let Ok(text) = driver::read_text(std::path::Path::new(file), "a C program") else { return String::new() };
    let whole = text.lines().count() <= WHOLE_FILE;
    let near = |line: u32| notes.range(line.saturating_sub(AROUND)..=line + AROUND).next().is_some();
    let target = match &found.outcome.verdict {
        Verdict::Unsafe(counterexample) => Some(found.place(found.violation(counterexample).0)),
        Verdict::Safe(_) | Verdict::Unknown(_) => None,
    };
    let mut out = String::from("<pre>");
    for (line, text) in (1..).zip(text.lines()).filter(|&(line, _)| whole || near(line)) {
        let is_target = target.as_ref().is_some_and(|target| target.file == file && target.line == line);
        let class = match notes.get(&line) {
            _ if is_target => " class=\"error\"",
            Some(_) => " class=\"path\"",
            None => "",
        };
        let note = notes.get(&line).filter(|note| !note.is_empty());
        let note = note.map(|note| format!("<em>{}</em>", escape(note))).unwrap_or_default();
        writeln!(out, "<span id=\"{}\"{class}><b>{line:5}</b> {}{note}</span>", anchor(file, line), escape(text))
            .expect("strings take all text");
    }
    out + "</pre>"
}

fn anchor(file: &str, line: u32) -> String {
    format!("{}-{line}", file.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --path: #ffd54f55; --error: #e5393566; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: .5rem 0; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { font-weight: bold; color: #fff; padding: .2rem .8rem; border-radius: .3rem; }
.true { background: #2e7d32; } .false { background: #c62828; } .unknown { background: #8d6e00; }
table { border-collapse: collapse; } td { padding: .1rem .8rem .1rem 0; border-bottom: 1px solid var(--line); }
pre { overflow-x: auto; border: 1px solid var(--line); padding: .5rem; line-height: 1.35; }
pre span { display: inline-block; min-width: 100%; } pre b { opacity: .5; font-weight: normal; }
.path { background: var(--path); } .error { background: var(--error); } pre em { opacity: .8; margin-left: 2rem; }
footer { margin-top: 3rem; opacity: .6; font-size: .9rem; }
";
