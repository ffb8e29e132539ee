//! What `verify --format json` printed, as what editors show: diagnostics with the execution as related information,
//! and notes (invariants, measures) at lines.

use super::position::{Encoding, word_at};
use super::run::Printed;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range, Url,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Who writes the diagnostics.
const SOURCE: &str = "argonaut";
/// Steps of an execution that a diagnostic lists; editors show them one by one.
const SHOWN_STEPS: usize = 50;

/// Reads the text of a file, as the editor has it.
pub type Reader<'a> = dyn Fn(&Path) -> String + 'a;

/// An answer, ready to be shown.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The last word: `TRUE`, `FALSE`, `UNKNOWN (reason)` or what is wrong with the input.
    pub verdict: String,
    /// By file.
    pub diagnostics: BTreeMap<PathBuf, Vec<Diagnostic>>,
    /// What is known at a line (from 1) of a file.
    pub notes: Vec<Note>,
    /// Each execution as text, by the place of its error.
    pub executions: Vec<String>,
}

/// Something proved about a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub file: PathBuf,
    pub line: u32,
    /// `invariant` or `measure`.
    pub kind: &'static str,
    pub text: String,
}

impl Answer {
    /// The answer about `file` that a process printed.
    pub fn new(file: &Path, printed: &Printed, encoding: Encoding, read: &Reader) -> Answer {
        let folder = file.parent().unwrap_or(Path::new("/"));
        let mut builder = Builder { file, folder, encoding, read, answer: Answer::default() };
        match serde_json::from_str::<Value>(&printed.out) {
            Ok(document) if document["verdict"].is_string() && document["verdict"] != "ERROR" => {
                builder.document(&document);
            }
            // Bad input; standard error has the places.
            Ok(_) | Err(_) => builder.complaints(&printed.err),
        }
        builder.answer
    }
}

struct Builder<'a> {
    file: &'a Path,
    folder: &'a Path,
    encoding: Encoding,
    read: &'a Reader<'a>,
    answer: Answer,
}

impl Builder<'_> {
    fn document(&mut self, document: &Value) {
        let verdict = document["verdict"].as_str().unwrap_or("UNKNOWN");
        let reason = document["reason"].as_str();
        self.answer.verdict = reason.map_or(verdict.to_owned(), |reason| format!("{verdict} ({reason})"));
        let targets = document["targets"].as_array().map_or(&[][..], Vec::as_slice);
        for violation in targets.iter().map(|target| &target["violation"]).filter(|found| found.is_object()) {
            self.violation(violation);
        }
        if targets.is_empty() && document["violation"].is_object() {
            self.violation(&document["violation"]);
        }
        if verdict == "UNKNOWN" && self.answer.executions.is_empty() {
            let text = format!("not decided: {}", reason.unwrap_or("no reason given"));
            self.add(self.file.to_owned(), first_line(), DiagnosticSeverity::INFORMATION, text, None);
        }
        for one in list(&document["proof"]["invariants"]) {
            self.note("invariant", &one["location"], one["invariant"].as_str().unwrap_or(""));
        }
        for one in list(&document["proof"]["measures"]) {
            let measure = one["measure"].as_str().unwrap_or("");
            let most = one["bound"].as_str().map(|bound| format!(", at most {bound} iterations"));
            self.note("measure", &one["place"], &format!("`{measure}` gets smaller{}", most.unwrap_or_default()));
        }
    }

    fn note(&mut self, kind: &'static str, place: &Value, text: &str) {
        let Some((file, line, _)) = self.place(place) else { return };
        let note = Note { file, line, kind, text: text.to_owned() };
        if !self.answer.notes.contains(&note) {
            self.answer.notes.push(note);
        }
    }

    fn violation(&mut self, violation: &Value) {
        let message = violation["message"].as_str().unwrap_or("an error is reached").to_owned();
        let Some((file, range)) = self.range(&violation["location"]) else { return };
        let mut text = format!("{message}\n\ninputs\n");
        for input in list(&violation["inputs"]) {
            let word = |key: &str| input[key].as_str().unwrap_or("").to_owned();
            text.push_str(&format!("  {} = {}\n", word("name"), word("value")));
        }
        text.push_str("\nexecution\n");
        let mut related = Vec::new();
        for step in list(&violation["path"]).iter().filter(|step| step["matters"] == true) {
            let word = |key: &str| step[key].as_str().unwrap_or("").trim().to_owned();
            let line = step["location"]["line"].as_u64().unwrap_or(0);
            text.push_str(&format!("{line:>6} | {}   {}\n", word("source"), word("note")));
            let Some((at, range)) = self.range(&step["location"]) else { continue };
            if let (Ok(uri), true) = (Url::from_file_path(at), related.len() < SHOWN_STEPS) {
                let message = if word("note").is_empty() { word("source") } else { word("note") };
                related.push(DiagnosticRelatedInformation { location: Location::new(uri, range), message });
            }
        }
        if let Some(line) = violation["reproduce"].as_str() {
            text.push_str(&format!("\nreproduce with\n  {line}\n"));
        }
        self.answer.executions.push(text);
        let kind = violation["violates"].as_str().or(violation["kind"].as_str()).unwrap_or("unreach-call");
        self.add(file, range, DiagnosticSeverity::ERROR, message, Some((kind, related)));
    }

    /// Complaints of the command about its input: `file:line:column: error: what`.
    fn complaints(&mut self, err: &str) {
        self.answer.verdict = err.lines().next().unwrap_or("the verification was ended").to_owned();
        let mut found = false;
        for line in err.lines() {
            let Some((place, what)) = line.split_once(": error: ").or(line.split_once(": fatal error: ")) else {
                continue;
            };
            let mut parts = place.rsplitn(3, ':');
            let (column, number) = (parts.next().map(str::parse::<u32>), parts.next().map(str::parse::<u32>));
            let at = match (parts.next(), number, column) {
                (Some(file), Some(Ok(line)), Some(Ok(column))) => Some((self.folder.join(file), line, column)),
                _ => None,
            };
            let (file, range) = match at {
                Some((file, line, column)) => {
                    let range = word_at(&(self.read)(&file), line, column, self.encoding);
                    (file, range)
                }
                None => (self.file.to_owned(), first_line()),
            };
            self.add(file, range, DiagnosticSeverity::ERROR, what.to_owned(), None);
            found = true;
        }
        if !found && !err.is_empty() {
            let verdict = self.answer.verdict.clone();
            self.add(self.file.to_owned(), first_line(), DiagnosticSeverity::WARNING, verdict, None);
        }
    }

    fn add(
        &mut self,
        file: PathBuf,
        range: Range,
        severity: DiagnosticSeverity,
        message: String,
        violation: Option<(&str, Vec<DiagnosticRelatedInformation>)>,
    ) {
        let (code, related) = violation.unzip();
        self.answer.diagnostics.entry(file).or_default().push(Diagnostic {
            range,
            severity: Some(severity),
            code: code.map(|code| NumberOrString::String(code.to_owned())),
            source: Some(SOURCE.to_owned()),
            message,
            related_information: related,
            // Which execution a code action is about.
            data: code.map(|_| Value::from(self.answer.executions.len() - 1)),
            ..Diagnostic::default()
        });
    }

    fn place(&self, place: &Value) -> Option<(PathBuf, u32, u32)> {
        let number = |key: &str| u32::try_from(place[key].as_u64()?).ok();
        Some((self.folder.join(place["file"].as_str()?), number("line")?, number("column")?))
    }

    fn range(&self, place: &Value) -> Option<(PathBuf, Range)> {
        let (file, line, column) = self.place(place)?;
        let range = word_at(&(self.read)(&file), line, column, self.encoding);
        Some((file, range))
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn first_line() -> Range {
    Range::new(Position::new(0, 0), Position::new(0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(out: &str, err: &str) -> Answer {
        let printed = Printed { out: out.to_owned(), err: err.to_owned() };
        Answer::new(Path::new("/p/a.c"), &printed, Encoding::Utf16, &|_| "int x;\n  reach_error();\n".to_owned())
    }

    #[test]
    fn a_violation_is_an_error_with_its_execution() {
        let out = r#"{"verdict": "FALSE", "violation": {"message": "reach_error() is called",
            "location": {"file": "/p/a.c", "line": 2, "column": 3},
            "inputs": [{"name": "input()", "value": "7"}],
            "path": [{"location": {"file": "a.c", "line": 1, "column": 1}, "source": "int x;", "note": "x = 7",
                      "matters": true}]}}"#;
        let found = answer(out, "");
        let all = &found.diagnostics[Path::new("/p/a.c")];
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].range, Range::new(Position::new(1, 2), Position::new(1, 13)));
        assert_eq!(all[0].related_information.as_ref().map(Vec::len), Some(1));
        assert_eq!(all[0].data, Some(Value::from(0)));
        assert!(found.executions[0].contains("input() = 7"));
    }

    #[test]
    fn complaints_stand_at_their_places() {
        let found = answer("", "a.c:2:3: error: expected ';'\nargonaut: error: no such file\n");
        let all = &found.diagnostics[Path::new("/p/a.c")];
        let seen: Vec<_> = all.iter().map(|one| (one.range.start.line, one.message.as_str())).collect();
        assert_eq!(seen, [(1, "expected ';'"), (0, "no such file")]);
    }

    #[test]
    fn what_is_not_decided_is_said_at_the_top() {
        let found = answer(r#"{"verdict": "UNKNOWN", "reason": "time limit reached"}"#, "");
        let all = &found.diagnostics[Path::new("/p/a.c")];
        assert_eq!(all[0].message, "not decided: time limit reached");
        assert_eq!(all[0].severity, Some(DiagnosticSeverity::INFORMATION));
    }

    #[test]
    fn proofs_leave_notes() {
        let out = r#"{"verdict": "TRUE", "proof": {"invariants": [
            {"function": "main", "invariant": "x == 1", "location": {"file": "a.c", "line": 2, "column": 1}}],
            "measures": [{"place": {"file": "a.c", "line": 2, "column": 1}, "measure": "n - i", "bound": "n"}]}}"#;
        let found = answer(out, "");
        let seen: Vec<_> = found.notes.iter().map(|note| (note.line, note.text.as_str())).collect();
        assert_eq!(seen, [(2, "x == 1"), (2, "`n - i` gets smaller, at most n iterations")]);
        assert!(found.diagnostics.is_empty());
    }
}
