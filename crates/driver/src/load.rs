//! From files to a program: read, preprocess, parse, lower, prepare.

use crate::InputError;
use crate::branches::settle_branches;
use crate::requires::{Required, required};
use crate::source::{FileText, read_file};
use crate::task::Task;
use base::{Cancel, Diagnostic, Id, Interner, Severity, SourceMap, Stopped};
use cfa::{Expr, FunctionId, Op, Outside, Program, Question, Undefined, VarId};
use flow::{PointsTo, Prepared};
use spec::Property;
use std::collections::HashSet;
use syntax::Ast;
use witness::instrument::{Insertion, Instrumented};

/// A program and what is worth saying about its text.
pub struct Loaded {
    /// Ready for the interpreter; [`prepare`] makes it ready for engines.
    pub program: Program,
    /// Rendered, with positions.
    pub warnings: Vec<String>,
}

/// The files of a task, read and preprocessed.
pub struct Sources(pub(crate) Vec<FileText>);

impl Sources {
    /// Reads the files of a task.
    pub fn read(task: &Task) -> Result<Sources, InputError> {
        read(task).map(Sources)
    }

    /// The texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|file| file.text.as_str())
    }

    /// The lines that may be conditions for callers, comments included.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|file| file.written().lines()).filter(|line| line.contains("requires"))
    }

    /// These texts.
    #[cfg(test)]
    pub(crate) fn of(files: Vec<FileText>) -> Sources {
        Sources(files)
    }

    /// Makes a program of the files, which are those of this task.
    pub fn load(self, task: &Task) -> Result<Loaded, InputError> {
        let mut options = options(task);
        let (sources, required) = required(task, self)?;
        let Some(Required { sources, entry, conditions }) = required else {
            return Ok(meaning(task, build(sources.0, &options)?));
        };
        options.entry = match task.entry.rsplit_once(':') {
            Some((file, _)) => format!("{file}:{entry}"),
            None => entry,
        };
        let mut loaded = meaning(task, build(sources.0, &options)?);
        let said = conditions.iter().map(|condition| format!("callers ensure that {condition} (requires)"));
        loaded.program.assumptions.extend(said);
        Ok(loaded)
    }
}

/// Reads the files of a task and makes a program of them.
pub fn load(task: &Task) -> Result<Loaded, InputError> {
    Sources::read(task)?.load(task)
}

/// A program from a text instead of files, with default options and ready for engines.
pub fn load_text(name: &str, text: &str) -> Result<Prepared, InputError> {
    let mut program = build(vec![FileText::new(name, text)], &lower::Options::default())?.program;
    prepare(&mut program, Outside::Pure);
    Ok(Prepared::new(program))
}

/// The same program with a witness woven in.
pub fn load_instrumented(task: &Task, instrumented: &Instrumented) -> Result<Loaded, InputError> {
    let mut files = read(task)?;
    let mut start = 0;
    for (at, file) in files.iter_mut().enumerate() {
        let end = start + file.text.len() as u32;
        let inside = instrumented.insertions.iter().filter(|insertion| (start..=end).contains(&insertion.at));
        let mut text = String::new();
        let mut done = 0;
        if at == 0 {
            // Line markers have their lines to themselves.
            done = file.text.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
            text.push_str(&file.text[..done]);
            text.push_str(&instrumented.prelude);
        }
        for Insertion { at, text: inserted } in inside {
            let next = (at - start) as usize;
            text.push_str(&file.text[done..next]);
            text.push_str(inserted);
            done = next;
        }
        text.push_str(&file.text[done..]);
        file.text = text;
        // As `SourceMap` lays texts out.
        start = end + 1;
    }
    let mut options = options(task);
    options.targets.functions.extend(instrumented.targets.iter().cloned());
    Ok(meaning(task, build(files, &options)?))
}

/// What the task says about executions, beyond what lowering does about it.
fn meaning(task: &Task, mut loaded: Loaded) -> Loaded {
    loaded.program.undefined = task.undefined;
    if task.property == Property::Termination {
        loaded.program.question = Question::End;
    }
    for option in &task.preprocessing.ignored {
        let text = format!("the option {option} of the compile database, which is not passed on, changes nothing");
        loaded.program.assumptions.push(text);
    }
    if task.undefined == Undefined::Continue {
        let text = "executions continue after undefined behaviour (--ub=continue)";
        loaded.program.assumptions.push(text.to_owned());
    }
    loaded
}

fn read(task: &Task) -> Result<Vec<FileText>, InputError> {
    task.files.iter().chain(&task.models).map(|file| read_file(file, task.model, &task.preprocessing)).collect()
}

/// Texts, names and trees of files.
pub(crate) fn parse_units(files: Sources) -> Result<(SourceMap, Interner, Vec<Ast>), InputError> {
    let (sources, names, units, _) = parse(files.0)?;
    Ok((sources, names, units))
}

type Parsed = (SourceMap, Interner, Vec<Ast>, Vec<Diagnostic>);

fn parse(files: Vec<FileText>) -> Result<Parsed, InputError> {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let mut units = Vec::new();
    let mut diagnostics = Vec::new();
    for file in files {
        let start = file.add(&mut sources);
        let (ast, found) = syntax::parse(sources.text_at(start), start, &mut names);
        units.push(ast);
        diagnostics.extend(found);
    }
    check(&sources, &diagnostics)?;
    Ok((sources, names, units, diagnostics))
}

fn build(files: Vec<FileText>, options: &lower::Options) -> Result<Loaded, InputError> {
    let (sources, names, units, mut diagnostics) = parse(files)?;
    let lowered = lower::lower(units, names, sources, options)
        .map_err(|rejected| rejection(&rejected.sources, &rejected.diagnostics))?;
    let mut program = lowered.program;
    program.checks.calls = options.checks.has(cfa::Check::Argument);
    // Before registers follow pointers of the program: these copies are no reads of it.
    transform::check_initialised(&mut program, options.checks);
    transform::check_memory(&mut program, options.checks);
    transform::check_returned(&mut program, options.checks);
    transform::trust_truths(&mut program);
    diagnostics.extend(lowered.warnings);
    let warnings = diagnostics.iter().map(|warning| warning.render(&program.sources)).collect();
    Ok(Loaded { program, warnings })
}

/// What lowering must know about the task.
fn options(task: &Task) -> lower::Options {
    let none = || lower::Targets { functions: Vec::new(), assertions: false, labels: Vec::new() };
    let targets = match &task.property {
        Property::NoCall(function) => lower::Targets { functions: vec![function.clone()], ..none() },
        Property::NoLabel(label) => lower::Targets { labels: vec![label.clone()], ..none() },
        Property::NoFailure => lower::Targets { labels: Vec::new(), ..lower::Options::default().targets },
        Property::NoError | Property::Checked { errors: true, .. } => lower::Options::default().targets,
        Property::NoOverflow
        | Property::ValidMemory(_)
        | Property::ValidCleanup
        | Property::DefinedBehaviour
        | Property::Termination
        | Property::Checked { errors: false, .. }
        | Property::Unsupported(_) => none(),
    };
    lower::Options {
        model: task.model,
        entry: task.entry.clone(),
        targets,
        checks: task.property.checks(),
        outside: task.outside,
        malloc_may_fail: task.malloc_may_fail,
        running: task.running,
        models: task.models.len(),
        given: task.given.clone(),
    }
}

/// Passes that every engine relies on: pointer calls become branches, dead code goes, calls of filters become assumptions, loop heads are marked. Only the
/// interpreter does without.
pub fn prepare(program: &mut Program, outside: Outside) {
    prepare_within(program, outside, &Cancel::never()).expect("it is never stopped");
}

/// [`prepare`], unless it is stopped.
pub fn prepare_within(program: &mut Program, outside: Outside, cancel: &Cancel) -> Result<(), Stopped> {
    let points_to = PointsTo::within(program, cancel)?;
    flow::list_order_assumptions(program, &points_to);
    flow::list_literal_assumptions(program, &points_to);
    transform::drop_unseen_ends(program, &points_to);
    transform::resolve_pointer_calls(program, &points_to, outside);
    transform::remove_dead(program);
    transform::inline_filters(program);
    transform::remove_dead(program);
    flow::find_loops(program);
    flow::list_pointer_assumptions(program);
    forget_unused(program);
    if program.question == Question::End {
        settle_branches(program, cancel);
        transform::watch_lassos(program, &points_to);
    }
    program.assert_valid();
    cancel.check()
}

/// Forgets assumptions about functions without body that are never called and variables of other files that are never
/// used, now that dead code is gone.
fn forget_unused(program: &mut Program) {
    let about = |text: &str, what: &str| text.find(what).map(|at| text[..at].to_owned());
    let named: Vec<(usize, String, bool)> = program
        .assumptions
        .iter()
        .enumerate()
        .filter_map(|(at, text)| {
            let function = about(text, " has no body: ").map(|name| (at, name, true));
            function.or_else(|| about(text, " is defined elsewhere and holds").map(|name| (at, name, false)))
        })
        .collect();
    if named.is_empty() {
        return;
    }
    let mut used: HashSet<VarId> = HashSet::new();
    let mut called: HashSet<FunctionId> = HashSet::new();
    let mut seen = vec![false; program.exprs.len()];
    for (_, edge) in program.edges.iter() {
        let in_start = program.nodes[edge.from].function == program.entry;
        match &edge.op {
            Op::Call { function, .. } => drop(called.insert(*function)),
            Op::HavocMemory { .. } | Op::Havoc(..) if in_start => continue,
            op => used.extend(op.variable()),
        }
        let given = matches!(&edge.op, Op::Call { function, .. } if program.function_name(*function) == "outside$");
        for operand in edge.op.operands().filter(|_| !(in_start && given)) {
            if !std::mem::replace(&mut seen[operand.index()], true) {
                program.exprs.visit(operand, |_, node| match node {
                    Expr::Var(var) | Expr::Addr(var) => drop(used.insert(var)),
                    Expr::Function(function) => drop(called.insert(function)),
                    _ => {}
                });
            }
        }
    }
    let called: HashSet<&str> = called.iter().map(|&function| program.function_name(function)).collect();
    let used: HashSet<&str> = used.iter().map(|&var| program.var_name(var)).collect();
    let unused = |(_, name, function): &&(usize, String, bool)| {
        !if *function { called.contains(name.as_str()) } else { used.contains(name.as_str()) }
    };
    let unused: Vec<usize> = named.iter().filter(unused).map(|(at, ..)| *at).collect();
    let mut at = 0;
    program.assumptions.retain(|_| {
        at += 1;
        !unused.contains(&(at - 1))
    });
}

/// Gives every call of a helper that contains an error a target of its own; for runs that ask about each target. After
/// [`prepare`].
pub fn separate_targets(program: &mut Program) {
    transform::split_helpers(program);
    program.targets.sort_by_key(|target| target.span);
}

/// Fails if there is an error among the diagnostics.
fn check(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Result<(), InputError> {
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    if diagnostics.iter().any(is_error) { Err(rejection(sources, diagnostics)) } else { Ok(()) }
}

/// More errors than this are not shown.
const SHOWN_ERRORS: usize = 20;

/// The first error and how many more there are; in detail, the first errors with their source lines.
fn rejection(sources: &SourceMap, diagnostics: &[Diagnostic]) -> InputError {
    let errors: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    let rendered: Vec<String> = errors.iter().take(SHOWN_ERRORS).map(|error| error.render(sources)).collect();
    let first = rendered.first().and_then(|text| text.lines().next()).unwrap_or("error").to_owned();
    let message = match errors.len().saturating_sub(1) {
        0 => first,
        1 => format!("{first} (and 1 more error)"),
        more => format!("{first} (and {more} more errors)"),
    };
    let mut details: Vec<String> = rendered.iter().flat_map(|text| text.lines()).map(str::to_owned).collect();
    if errors.len() > SHOWN_ERRORS {
        details.push(format!("... and {} more errors", errors.len() - SHOWN_ERRORS));
    }
    InputError::new(message).with_details(details)
}
