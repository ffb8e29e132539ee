//! What is printed about an answer: shared facts here, one module per format.

mod exploration;
pub mod html;
pub mod json;
pub mod junit;
mod memory;
mod report_data;
mod reproduce;
pub mod sarif;
mod states_dot;
mod states_svg;
mod states_text;
mod steps;
pub mod text;
mod undefined;
mod value;

pub use reproduce::quoted;
pub use states_dot::dot;
pub use states_svg::svg;
pub use states_text::text as states;
pub use steps::{Shown, ShownPath, ShownStep};

use crate::supervise::PartEnd;
use base::{Position, Span, Stopped, is_obeyed, printable};
use cfa::{Check, Node, Op, Program, Source, Target};
use driver::{Executed, Execution, Outcome, Task};
use spec::Property;
use verdict::{Choice, Counterexample, Stop, Verdict};

/// The words of a TRUE about a program in which nothing is to be proved.
const TRIVIAL: &str = "TRUE (the program contains no error location)";

/// Everything that is known at the end of a run. A worker that died leaves only the reason.
pub struct Answer<'a> {
    /// What was asked; paths as the user wrote them.
    pub files: Vec<String>,
    /// The property's name.
    pub property: String,
    /// The preset.
    pub analysis: String,
    /// The answer in detail, or why there is none.
    pub result: Result<FinishedRun<'a>, String>,
    /// What was tried, where the answer in detail is lost.
    pub parts: Vec<PartEnd>,
    /// Wall time from start to end.
    pub seconds: f64,
}

/// A run that ended by itself.
pub struct FinishedRun<'a> {
    /// What was verified.
    pub program: &'a Program,
    /// What was asked.
    pub task: &'a Task,
    /// What was found.
    pub outcome: &'a Outcome,
    /// How the executions of counterexamples went, by target, if the user wanted them.
    pub executed: Vec<(usize, Execution)>,
    /// Whether bounds of loops are shown.
    pub bound_loops: bool,
}

impl Answer<'_> {
    /// The words of the last line: `TRUE`, `FALSE (unreach-call)`, `UNKNOWN (reason)`.
    pub fn verdict_line(&self) -> String {
        match &self.result {
            Err(reason) => format!("UNKNOWN ({reason})"),
            Ok(found) => match &found.outcome.verdict {
                Verdict::Safe(_) if found.is_trivial() => TRIVIAL.into(),
                Verdict::Safe(_) => "TRUE".into(),
                Verdict::Unsafe(counterexample) => format!("FALSE ({})", found.violated(counterexample)),
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
            Stop::Undecided { .. } | Stop::Open { .. } | Stop::Bound(_) | Stop::Solver(_)
                if self.analysis != "auto" =>
            {
                Some("another analysis may decide it; `argonaut presets` lists them, `auto` tries several")
            }
            Stop::UndefinedBehaviour { .. } => Some(
                "an error is reached after it; --ub=continue also counts executions that continue with arbitrary values",
            ),
            Stop::Open { .. } => Some("more time may help (--time-limit), or a bound on what the loop counts"),
            Stop::Limit(Stopped::Asked) | Stop::Unsupported { .. } => None,
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

/// A JSON document as text, with nothing in it that a terminal obeys but ends of lines.
pub fn json_text(document: &serde_json::Value) -> String {
    let text = format!("{document:#}\n");
    let obeyed = |c: char| is_obeyed(c) && c != '\n';
    if !text.contains(obeyed) {
        return text;
    }
    // Inside of strings only; all of them are below U+10000.
    text.chars().map(|c| if obeyed(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() }).collect()
}

/// A place in the user's files.
pub struct FilePosition {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// The answer for one error.
pub struct TargetAnswer<'a> {
    pub place: FilePosition,
    /// What would be wrong: `reach_error() is called`.
    pub what: String,
    /// The kind of undefined behaviour, if it is one.
    pub kind: Option<Check>,
    pub verdict: &'a Verdict,
    /// Why it is unknown.
    pub reason: Option<String>,
}

/// Arguments by name, and declarations of what they lead to.
pub type CalledWith = (Vec<(String, String)>, Vec<String>);

impl FinishedRun<'_> {
    /// Why the run gave up, in one line.
    pub fn reason(&self, stop: &Stop) -> String {
        printable(&stop.describe(&self.program.sources)).into_owned()
    }

    /// Whether nothing was to be proved, and the user may not know it.
    fn is_trivial(&self) -> bool {
        self.task.property == Property::NoError && !self.program.names_errors()
    }

    /// Where a piece of source is.
    pub fn place(&self, span: Span) -> FilePosition {
        let Position { file, line, column } = self.program.sources.position(span);
        FilePosition { file: self.program.sources.name(file).to_owned(), line, column }
    }

    /// What the error is: `reach_error() is called`.
    pub fn violation(&self, counterexample: &Counterexample) -> (Span, String) {
        let target = &self.program.targets[counterexample.target];
        if counterexample.closed.is_some() {
            return (target.span, "the loop never ends: no step leaves the states that it has reached".to_owned());
        }
        let place = counterexample.place(self.program);
        let what = self.undefined(counterexample).unwrap_or_else(|| self.error(target));
        if place == target.span {
            return (place, what);
        }
        (place, format!("in {}: {what}", self.program.function_name(self.program.nodes[target.node].function)))
    }

    /// The name of the property, or of the part of it, that a counterexample violates.
    pub fn violated(&self, counterexample: &Counterexample) -> &str {
        self.task.property.violated(self.program.targets[counterexample.target].kind)
    }

    fn error(&self, target: &Target) -> String {
        printable(&self.program.describe_target(target)).into_owned()
    }

    /// The answer for each error, if that was asked, in the order of the text.
    pub fn targets(&self) -> impl Iterator<Item = TargetAnswer<'_>> {
        self.program.targets.iter().zip(&self.outcome.targets).map(|(target, verdict)| {
            let (span, what) = match verdict {
                Verdict::Unsafe(found) => self.violation(found),
                Verdict::Safe(_) | Verdict::Unknown(_) => (target.span, self.error(target)),
            };
            let reason = match verdict {
                Verdict::Unknown(stop) => Some(self.reason(stop)),
                Verdict::Safe(_) | Verdict::Unsafe(_) => None,
            };
            TargetAnswer { place: self.place(span), what, kind: target.check(), verdict, reason }
        })
    }

    /// The executions to report: one, or one for each error that is reached.
    pub fn counterexamples(&self) -> Vec<&Counterexample> {
        let one = std::slice::from_ref(&self.outcome.verdict);
        let all = if self.outcome.targets.is_empty() { one } else { &self.outcome.targets };
        let found = all.iter().filter_map(|verdict| match verdict {
            Verdict::Unsafe(counterexample) => Some(counterexample),
            Verdict::Safe(_) | Verdict::Unknown(_) => None,
        });
        found.collect()
    }

    /// How the execution of a counterexample went.
    pub fn executed(&self, counterexample: &Counterexample) -> Option<&Execution> {
        let mut all = self.executed.iter();
        all.find_map(|(target, executed)| (*target == counterexample.target).then_some(executed))
    }

    /// The same in one line.
    pub fn execution(&self, counterexample: &Counterexample) -> Option<String> {
        self.executed(counterexample).map(|execution| {
            let how = match &execution.executed {
                Executed::Reached => {
                    "confirmed: compiled and executed with these inputs, the program reaches the error".into()
                }
                Executed::Warned => {
                    "confirmed by the compiler, which computes the expression itself and warns of the overflow".into()
                }
                Executed::Other(how) => format!("not confirmed: executed with these inputs, {how}"),
                Executed::NotBuilt(why) => format!("not confirmed: not executed: {why}"),
            };
            let lacks: String = execution.not_isolated.iter().map(|lack| format!("; {lack}")).collect();
            printable(&(how + &lacks)).into_owned()
        })
    }

    /// What a function that is verified on its own was called with: arguments, and declarations of the objects that they
    /// lead to.
    pub fn arguments(&self, counterexample: &Counterexample) -> Option<CalledWith> {
        self.task.given.as_ref()?;
        let call = witness::arguments::call(self.program, counterexample)?;
        Some((call.shown_arguments(self.program), call.shown_objects(self.program)))
    }

    /// The states that an execution never leaves, where it does not repeat itself: places and conditions that hold whenever
    /// it is there, and how that was checked.
    pub fn closed_set(&self, counterexample: &Counterexample) -> Option<(Vec<(String, String)>, String)> {
        let set = counterexample.closed.as_ref()?;
        let named = set.endless.with_exprs(set.proof.exprs.clone());
        let at = |node: Node| named.leaving(node).map(|edge| named.edges[edge].span).find(|span| span.start < span.end);
        let states = set.proof.invariants.iter().filter_map(|&(node, condition)| {
            let place = self.program.sources.display(at(node)?).to_string();
            let always = named.exprs.constant(condition) == Some(1);
            (!always).then(|| (place, named.expr_text(condition)))
        });
        Some((states.collect(), set.proof.checked.clone()))
    }

    /// `__VERIFIER_nondet_int()`, and its value.
    pub fn choice(&self, choice: &Choice) -> (String, String) {
        let name = match choice.source {
            Source::Input(function) => format!("{}()", self.program.text(function)),
            Source::Extern(name) => match self.program.edges[choice.edge].op {
                Op::Havoc(var, _) if self.program.vars[var].function.is_none() => {
                    format!("{} (defined elsewhere)", self.program.text(name))
                }
                _ => format!("{}() (no body)", self.program.text(name)),
            },
            Source::Uninitialised | Source::Indeterminate => match self.program.edges[choice.edge].op {
                _ if self.program.sources.is_model(self.program.edges[choice.edge].span) => {
                    "chosen by a library function".into()
                }
                Op::Havoc(var, _) => format!("{} (uninitialised)", self.program.var_name(var)),
                _ => "uninitialised value".into(),
            },
            Source::Asm => "output of inline assembly".into(),
            Source::Parameter => match self.program.edges[choice.edge].op {
                Op::Havoc(var, _) => format!("{} (parameter of the program)", self.program.var_name(var)),
                _ => "parameter of the program".into(),
            },
        };
        let value = match self.program.edges[choice.edge].op.variable() {
            Some(var) => value::display_typed(&self.program.types, self.program.vars[var].ty, choice.ty, choice.bits),
            None => value::display(choice.ty, choice.bits),
        };
        (printable(&name).into_owned(), value)
    }

    /// `line 7`, or with the file where the program has several.
    pub fn line(&self, place: &FilePosition) -> String {
        match self.task.files.len() {
            1 => format!("line {}", place.line),
            _ => format!("{}:{}", place.file, place.line),
        }
    }
}
