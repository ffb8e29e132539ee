//! Checks witnesses of any tool: the program is verified with the witness woven in, see `witness::instrument`. What
//! confirms a violation is an execution of the program itself, what confirms a proof is a proof.

mod endless;

use crate::load::{Loaded, load, load_instrumented, prepare};
use crate::preset::Preset;
use crate::run::{RunEvent, run};
use crate::task::Task;
use crate::{InputError, source};
use analyses::Options;
use base::{Cancel, SourceMap, Span};
use cfa::{EdgeId, Program, Scalar, Source, TargetKind};
use flow::Prepared;
use semantics::choices::{Choices, Chooser};
use semantics::interpreter::{self, RunEnd};
use semantics::replay::replay;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;
use verdict::{Stop, Verdict};
use witness::hints::{Hint, hints};
use witness::instrument::{Fault, INVALID, Problem};
use witness::{Content, Witness, lint};

/// What a check of a witness found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Validation {
    /// What it claims holds.
    Confirmed,
    /// It does not, and why.
    Rejected(String),
    /// Neither was shown, and why.
    Unknown(String),
}

/// Reads a witness.
pub fn read_witness(path: &Path) -> Result<Witness, InputError> {
    let text = source::read_text(path, "a witness")?;
    witness::read::read(&text).map_err(|error| InputError::new(format!("{}:{error}", path.display())))
}

/// A program, its files as they are, and a witness of it.
pub struct Case<'a> {
    /// What was asked.
    pub task: &'a Task,
    /// The witness.
    pub witness: &'a Witness,
    /// Where the witness was read.
    pub path: &'a Path,
}

impl Case<'_> {
    fn at(&self, problem: &Problem) -> String {
        let file = self.path.display();
        match problem.mark.line {
            0 => format!("{file}: {}", problem.message),
            line => format!("{file}:{line}:{}: {}", problem.mark.column, problem.message),
        }
    }

    /// All that is wrong with the witness, short of its being untrue: one line each.
    pub fn lint(&self) -> Result<Vec<String>, InputError> {
        let program = load(self.task)?.program;
        let files = read_bytes(self.task)?;
        let woven = lint::weave(self.witness, &program);
        let mut problems: Vec<String> = Vec::new();
        let found =
            [lint::claims(self.witness, &files, &program), lint::structure(self.witness), woven.problems.clone()];
        problems.extend(found.iter().flatten().map(|problem| self.at(problem)));
        if let Err(all) = load_instrumented(self.task, &woven) {
            let before = problems.len();
            for (mark, part) in lint::parts(self.witness) {
                if let Err(error) = load_instrumented(self.task, &lint::weave(&part, &program)) {
                    let message = format!("not a C expression in scope there: {}", reason(&error));
                    problems.push(self.at(&Problem { mark, fault: Fault::Other, message }));
                }
            }
            if problems.len() == before {
                problems.push(format!("{}: {}", self.path.display(), reason(&all)));
            }
        }
        Ok(problems)
    }

    /// Checks what the witness claims; `tell` hears what goes on.
    pub fn validate(&self, cancel: &Cancel, tell: &mut dyn FnMut(RunEvent)) -> Result<Validation, InputError> {
        if self.task.property == spec::Property::Termination {
            return self.termination(cancel);
        }
        let mut original = load(self.task)?.program;
        let woven = lint::weave(self.witness, &original);
        let is_violation = matches!(self.witness.content, Content::Violation(_));
        let structure = lint::structure(self.witness);
        let fatal = structure.first().or(woven
            .problems
            .iter()
            .find(|problem| !is_violation || woven.insertions.is_empty() || problem.fault == Fault::NoStatement));
        if let Some(problem) = fatal {
            return Ok(Validation::Rejected(self.at(problem)));
        }
        let Loaded { mut program, .. } = match load_instrumented(self.task, &woven) {
            Ok(loaded) => loaded,
            Err(error) => {
                return Ok(Validation::Rejected(format!("its expressions are not valid C there: {}", reason(&error))));
            }
        };
        let statement = woven.target.map(|span| Statement::new(&original, span));
        if let Some(statement) = &statement {
            statement.keep_targets(&mut program);
        }
        prepare(&mut program, self.task.outside);
        prepare(&mut original, self.task.outside);
        Ok(if is_violation {
            let hints = hints(self.witness, &original);
            let original = Original { program: &original, statement: statement.as_ref() };
            violation(&original, &Prepared::new(program), hints, cancel, tell)
        } else {
            self.correctness(&Prepared::new(program), cancel, tell)
        })
    }

    /// That an execution never ends is confirmed by one that repeats itself with the inputs of the witness. Transition
    /// invariants are not checked.
    fn termination(&self, cancel: &Cancel) -> Result<Validation, InputError> {
        if let Some(problem) = lint::structure(self.witness).first() {
            return Ok(Validation::Rejected(self.at(problem)));
        }
        if !matches!(self.witness.content, Content::Violation(_)) {
            return Ok(Validation::Unknown("proofs that executions end are written, not validated".to_owned()));
        }
        let mut program = load(self.task)?.program;
        prepare(&mut program, self.task.outside);
        let hints = hints(self.witness, &program);
        Ok(endless::validate(&program, &hints, cancel))
    }

    fn correctness(&self, program: &Prepared, cancel: &Cancel, tell: &mut dyn FnMut(RunEvent)) -> Validation {
        let mut verdict = Verdict::Unknown(Stop::Bound("no proof was tried".into()));
        // Without invariants there is nothing that induction could use.
        let claims = matches!(&self.witness.content, Content::Correctness(invariants) if !invariants.is_empty());
        for (preset, share) in PROOFS.into_iter().skip(if claims { 0 } else { PROOFS.len() - 1 }) {
            let time = cancel.remaining().map(|left| left.mul_f64(share)).or(Some(Duration::from_secs(60)));
            verdict = verify(program, preset, &cancel.child(time), tell);
            if !matches!(verdict, Verdict::Unknown(_)) {
                break;
            }
        }
        match verdict {
            Verdict::Safe(_) => Validation::Confirmed,
            Verdict::Unknown(stop) => Validation::Unknown(stop.describe(&program.sources)),
            Verdict::Unsafe(counterexample) => {
                let target = &program.targets[counterexample.target];
                let number = match target.kind {
                    TargetKind::Call(name) => {
                        program.text(name).strip_prefix(INVALID).and_then(|text| text.parse().ok())
                    }
                    TargetKind::Assertion | TargetKind::Label | TargetKind::Check(_) | TargetKind::Repetition => None,
                };
                let Content::Correctness(invariants) = &self.witness.content else {
                    unreachable!("the witness is one of correctness")
                };
                let invariant = number.and_then(|number: usize| invariants.get(number));
                Validation::Rejected(match invariant {
                    Some(invariant) => {
                        let message = format!("`{}` is not an invariant", invariant.value);
                        self.at(&Problem { mark: invariant.mark, fault: Fault::Other, message })
                    }
                    None => "the program has an error".into(),
                })
            }
        }
    }
}

/// The lines of the statement that a witness names as the error. The insertions moved columns only.
struct Statement {
    file: String,
    lines: RangeInclusive<u32>,
}

impl Statement {
    fn new(original: &Program, span: Span) -> Statement {
        let first = original.sources.position(span);
        let last = original.sources.position(Span { start: span.end - 1, end: span.end });
        Statement { file: original.sources.name(first.file).to_owned(), lines: first.line..=last.line }
    }

    fn contains(&self, sources: &SourceMap, span: Span) -> bool {
        let at = sources.position(span);
        self.lines.contains(&at.line) && sources.name(at.file) == self.file
    }

    /// Errors elsewhere are not the witness's. Those in library functions may be: it depends on the call.
    fn keep_targets(&self, program: &mut Program) {
        let sources = &program.sources;
        program.targets.retain(|target| sources.is_model(target.span) || self.contains(sources, target.span));
    }
}

/// How the time is shared between proofs: executions that break an invariant and induction, which uses them, come first.
const PROOFS: [(&str, f64); 4] = [("intervals", 0.05), ("random", 0.05), ("k-induction", 0.25), ("auto", 1.0)];
/// How the time is shared between searches for an execution.
const SEARCHES: [(&str, f64); 3] = [("random", 0.05), ("bmc", 0.6), ("expl-itp", 1.0)];

/// Steps of the run with the inputs of the witness.
const HINTED_STEPS: u64 = 200_000_000;

/// Takes inputs from a witness where it names them for that place, else zero.
struct Told<'a> {
    program: &'a Program,
    hints: Vec<Hint>,
    next: usize,
}

impl Chooser for Told<'_> {
    fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        let Source::Input(_) = source else { return 0 };
        let span = self.program.edges[edge].span;
        let at = self.program.sources.position(span);
        let file = self.program.sources.name(at.file);
        let fits = |hint: &Hint| (hint.first..=hint.last).contains(&at.line) && ends_alike(&hint.file, file);
        let Some(found) = self.hints[self.next..].iter().position(fits) else { return 0 };
        let hint = &self.hints[self.next + found];
        self.next += found + 1;
        hint.value.bits(ty).unwrap_or(0)
    }

    fn byte(&mut self, _: u32, _: u64) -> u8 {
        0
    }

    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        0
    }
}

/// Whether two paths have the same last part.
fn ends_alike(one: &str, other: &str) -> bool {
    Path::new(one).file_name() == Path::new(other).file_name()
}

/// What the program itself does with the choices of an execution of the changed one.
enum Repeated {
    /// It has the error that the witness names.
    Yes,
    /// It has another one.
    Elsewhere,
    No,
}

/// The program itself, and the statement whose error it should have; `None`: any.
struct Original<'a> {
    program: &'a Program,
    statement: Option<&'a Statement>,
}

impl Original<'_> {
    fn repeat(&self, choices: &Choices, cancel: &Cancel) -> Repeated {
        let run = replay(self.program, choices, u64::MAX, cancel);
        let RunEnd::Target(target) = run.outcome else { return Repeated::No };
        let place = verdict::error_place(self.program, target, &run.path);
        match self.statement {
            Some(statement) if !statement.contains(&self.program.sources, place) => Repeated::Elsewhere,
            _ => Repeated::Yes,
        }
    }

    /// Whether the program with the witness woven in, and then the program itself, reach the error with the inputs that
    /// the witness names.
    fn has_told_inputs(&self, woven: &Program, hints: Vec<Hint>, cancel: &Cancel) -> bool {
        let options = interpreter::Options {
            undefined: woven.undefined,
            steps: HINTED_STEPS,
            recording: true,
            ..interpreter::Options::default()
        };
        let mut told = Told { program: woven, hints, next: 0 };
        let run = interpreter::run(woven, &mut told, &mut std::io::sink(), &options, cancel);
        matches!(run.outcome, RunEnd::Target(_)) && matches!(self.repeat(&run.choices, cancel), Repeated::Yes)
    }
}

fn violation(
    original: &Original,
    woven: &Prepared,
    hints: Vec<Hint>,
    cancel: &Cancel,
    tell: &mut dyn FnMut(RunEvent),
) -> Validation {
    let first = cancel.child(cancel.remaining().map(|left| left / 4));
    if original.has_told_inputs(woven, hints, &first) {
        return Validation::Confirmed;
    }
    let mut reason = String::new();
    for (preset, share) in SEARCHES {
        let time = cancel.remaining().map(|left| left.mul_f64(share)).or(Some(Duration::from_secs(30)));
        match verify(woven, preset, &cancel.child(time), tell) {
            Verdict::Safe(_) => return Validation::Rejected("no execution that it describes reaches the error".into()),
            Verdict::Unknown(stop) => reason = stop.describe(&woven.sources),
            // The execution of the changed program counts if the program itself repeats it.
            Verdict::Unsafe(found) => match original.repeat(&found.replay_choices(), cancel) {
                Repeated::Yes => return Validation::Confirmed,
                Repeated::Elsewhere => reason = "an execution was found whose error is elsewhere".into(),
                Repeated::No => reason = "an execution was found that the program does not repeat".into(),
            },
        }
    }
    Validation::Unknown(reason)
}

fn verify(program: &Prepared, preset: &str, cancel: &Cancel, tell: &mut dyn FnMut(RunEvent)) -> Verdict {
    let preset = Preset::named(preset).expect("presets are built in");
    let outcome = run(program, &preset, &Options::default(), None, cancel, tell);
    outcome.expect("a preset's own options are checked by a test").verdict
}

fn reason(error: &InputError) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or("").to_owned();
    line.split_once("error: ").map(|(_, message)| message.to_owned()).unwrap_or(line)
}

/// The bytes of the task's files, by their names.
pub fn read_bytes(task: &Task) -> Result<Vec<(String, Vec<u8>)>, InputError> {
    let read = |file: &std::path::PathBuf| {
        let name = file.display().to_string();
        Ok((name, crate::source::file_bytes(file)?))
    };
    task.files.iter().map(read).collect()
}
