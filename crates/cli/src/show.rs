//! What is printed about an answer: shared facts here, one module per format.

pub mod html;
pub mod json;
pub mod sarif;
pub mod text;
mod value;

use base::{Position, Span, Stopped};
use cfa::{EdgeId, FunctionKind, Op, Program, Source, TargetKind};
use driver::{Outcome, Task};
use verdict::{Choice, Counterexample, Stop, Verdict};

/// Everything that is known at the end of a run. A worker that died leaves only the reason.
pub struct Answer<'a> {
    /// What was asked; paths as the user wrote them.
    pub files: Vec<String>,
    /// The property's name.
    pub property: String,
    /// The preset.
    pub analysis: String,
    /// The answer in detail, or why there is none.
    pub result: Result<Found<'a>, String>,
    /// Wall time from start to end.
    pub seconds: f64,
}

/// A run that ended by itself.
pub struct Found<'a> {
    /// What was verified.
    pub program: &'a Program,
    /// What was asked.
    pub task: &'a Task,
    /// What was found.
    pub outcome: &'a Outcome,
}

impl Answer<'_> {
    /// The words of the last line: `TRUE`, `FALSE (unreach-call)`, `UNKNOWN (reason)`.
    pub fn verdict_line(&self) -> String {
        match &self.result {
            Err(reason) => format!("UNKNOWN ({reason})"),
            Ok(found) => match &found.outcome.verdict {
                Verdict::Safe(_) => "TRUE".into(),
                Verdict::Unsafe(_) => format!("FALSE ({})", self.property),
                Verdict::Unknown(stop) => format!("UNKNOWN ({})", found.reason(stop)),
            },
        }
    }

    /// `TRUE`, `FALSE` or `UNKNOWN`.
    pub fn word(&self) -> String {
        self.result.as_ref().map_or("UNKNOWN".into(), |found| found.outcome.verdict.to_string())
    }

    /// Why the answer is UNKNOWN.
    pub fn reason(&self) -> Option<String> {
        match &self.result {
            Err(reason) => Some(reason.clone()),
            Ok(found) => match &found.outcome.verdict {
                Verdict::Unknown(stop) => Some(found.reason(stop)),
                Verdict::Safe(_) | Verdict::Unsafe(_) => None,
            },
        }
    }

    /// The most useful thing to do about an UNKNOWN.
    pub fn hint(&self) -> Option<&'static str> {
        let time = "more time may help (--time-limit), or another analysis (`argonaut presets` lists them)";
        let memory = "more memory may help (--memory-limit), or another analysis (`argonaut presets` lists them)";
        let stop = match &self.result {
            Err(reason) if *reason == Stopped::Time.to_string() => return Some(time),
            Err(reason) if *reason == Stopped::Memory.to_string() => return Some(memory),
            Err(_) => return None,
            Ok(found) => match &found.outcome.verdict {
                Verdict::Unknown(stop) => stop,
                Verdict::Safe(_) | Verdict::Unsafe(_) => return None,
            },
        };
        match stop {
            Stop::Limit(Stopped::Time) => Some(time),
            Stop::Limit(Stopped::Memory) => Some(memory),
            Stop::Undecided { .. } | Stop::Bound(_) | Stop::Solver(_) if self.analysis != "auto" => {
                Some("another analysis may decide it; `argonaut presets` lists them, `auto` tries several")
            }
            Stop::Limit(Stopped::Asked) | Stop::Unsupported { .. } | Stop::UndefinedBehaviour { .. } => None,
            Stop::Undecided { .. } | Stop::Bound(_) | Stop::Solver(_) | Stop::Evidence(_) | Stop::Internal(_) => None,
        }
    }

    /// The exit status.
    pub fn code(&self) -> u8 {
        match self.result.as_ref().map(|found| &found.outcome.verdict) {
            Ok(Verdict::Safe(_)) => 0,
            Ok(Verdict::Unsafe(_)) => 1,
            Ok(Verdict::Unknown(_)) | Err(_) => 3,
        }
    }
}

/// A place in the user's files.
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// One step of an error path that a reader wants to see.
pub struct Step {
    pub place: Place,
    pub function: String,
    /// The source line, without blanks around it.
    pub source: String,
    /// What happened there: `true` or `false` at a branch, the value of an input.
    pub note: String,
}

impl Found<'_> {
    /// Why the run gave up, in one line.
    pub fn reason(&self, stop: &Stop) -> String {
        stop.describe(&self.program.sources)
    }

    /// Where a piece of source is.
    pub fn place(&self, span: Span) -> Place {
        let Position { file, line, column } = self.program.sources.position(span);
        Place { file: self.program.sources.name(file).to_owned(), line, column }
    }

    /// What the error is: `reach_error() is called`.
    pub fn violation(&self, counterexample: &Counterexample) -> (Span, String) {
        let target = &self.program.targets[counterexample.target];
        let what = match target.kind {
            TargetKind::Call(function) => format!("{}() is called", self.program.text(function)),
            TargetKind::Assertion => "assertion fails".into(),
            TargetKind::Label => "label ERROR is reached".into(),
        };
        (target.span, what)
    }

    /// `__VERIFIER_nondet_int()`, and its value.
    pub fn choice(&self, choice: &Choice) -> (String, String) {
        let name = match choice.source {
            Source::Input(function) => format!("{}()", self.program.text(function)),
            Source::Extern(function) => format!("{}() (no body)", self.program.text(function)),
            Source::Uninitialised => match self.program.edges[choice.edge].op {
                Op::Havoc(var, _) => format!("{} (uninitialised)", self.program.var_name(var)),
                _ => "uninitialised value".into(),
            },
            Source::Asm => "output of inline assembly".into(),
            Source::Parameter => match self.program.edges[choice.edge].op {
                Op::Havoc(var, _) => format!("{} (parameter of the program)", self.program.var_name(var)),
                _ => "parameter of the program".into(),
            },
        };
        (name, value::display(choice.ty, choice.bits))
    }

    /// The path through the functions that the user wrote, one step a source line; notes tell which way branches
    /// went and what inputs were.
    pub fn steps(&self, counterexample: &Counterexample) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut choices = counterexample.choices.iter().peekable();
        for &edge in &counterexample.path {
            let mut note = self.branch(edge).map(str::to_owned).unwrap_or_default();
            while let Some(choice) = choices.next_if(|choice| choice.edge == edge) {
                note = self.choice(choice).1;
            }
            let Some(step) = self.step(edge, note) else { continue };
            match steps.last_mut() {
                Some(last) if last.place.line == step.place.line && last.place.file == step.place.file => {
                    if last.note.is_empty() {
                        last.note = step.note;
                    } else if !step.note.is_empty() && last.note != step.note {
                        steps.push(step);
                    }
                }
                _ => steps.push(step),
            }
        }
        let last = self.last_step(counterexample);
        steps.pop_if(|step| {
            step.place.line == last.place.line && step.place.file == last.place.file && step.note.is_empty()
        });
        steps.push(last);
        steps
    }

    /// The error itself, which no edge leaves or is.
    fn last_step(&self, counterexample: &Counterexample) -> Step {
        let target = &self.program.targets[counterexample.target];
        Step {
            place: self.place(target.span),
            function: self.program.function_name(self.program.nodes[target.node].function).to_owned(),
            source: self.program.sources.line_text(target.span).trim().to_owned(),
            note: "error".into(),
        }
    }

    fn step(&self, edge: EdgeId, note: String) -> Option<Step> {
        let program = self.program;
        let function = program.nodes[program.edges[edge].from].function;
        let span = program.edges[edge].span;
        if program.functions[function].kind != FunctionKind::Defined || span.start == span.end {
            return None;
        }
        Some(Step {
            place: self.place(span),
            function: program.function_name(function).to_owned(),
            source: program.sources.line_text(span).trim().to_owned(),
            note,
        })
    }

    /// Which way a branch went; the condition's edge stands first.
    fn branch(&self, edge: EdgeId) -> Option<&'static str> {
        let node = self.program.edges[edge].from;
        let mut leaving = self.program.leaving(node);
        match self.program.edges[edge].op {
            Op::Assume(_) if leaving.len() == 2 => Some(if leaving.next() == Some(edge) { "true" } else { "false" }),
            _ => None,
        }
    }
}
