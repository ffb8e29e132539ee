//! What must hold for any text at all: the parser gives a sound tree and messages that can be shown, lowering gives a
//! program or messages, the program is valid and stays valid after each pass.

use crate::mutate::NEXT_UNIT;
use base::{Diagnostic, Interner, Severity, SourceMap};
use cfa::Outside;
use cfa::{DataModel, Program};
use flow::classes::Classes;
use flow::regions::Regions;
use flow::{CallGraph, Loops, PointsTo};
use lower::Options;
use syntax::Ast;

/// How far a text came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The parser found errors.
    Parsed,
    /// Lowering found errors.
    Rejected,
    /// It became a program, and all passes ran.
    Program,
}

/// How many sets of options [`options`] knows.
pub const CHOICES: u64 = 8;

/// The options of a number: both data models, and what else changes how programs are lowered.
pub fn options(choice: u64) -> Options {
    let model = if choice & 1 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
    let outside = if choice & 2 != 0 { Outside::Pure } else { Outside::Writes };
    Options { model, outside, malloc_may_fail: choice & 4 != 0, ..Options::default() }
}

/// Larger programs are not drawn: a picture takes more than linear time, and would be of no use.
const MAX_DRAWN_NODES: usize = 300;

/// Parses each unit of a text; panics if something is broken.
pub fn check_parser(text: &str) {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    for unit in text.split(NEXT_UNIT) {
        parse(unit, &mut sources, &mut names);
    }
}

fn parse(unit: &str, sources: &mut SourceMap, names: &mut Interner) -> (Ast, Vec<Diagnostic>) {
    let start = sources.add("fuzz.c", unit.to_owned());
    let (ast, diagnostics) = syntax::parse(unit, start, names);
    assert_eq!(ast.verify(), Ok(()));
    ast.dump(names);
    check_diagnostics(&diagnostics, sources, start as usize + unit.len());
    (ast, diagnostics)
}

fn check_diagnostics(diagnostics: &[Diagnostic], sources: &SourceMap, end: usize) {
    for diagnostic in diagnostics {
        let span = diagnostic.span;
        assert!(span.start <= span.end && span.end as usize <= end, "{diagnostic:?} ends after {end}");
        diagnostic.render(sources);
    }
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Takes the units of a text through the whole front end; panics if something is broken.
pub fn check(text: &str, options: &Options) -> Stage {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let mut units = Vec::new();
    let mut wrong = false;
    for unit in text.split(NEXT_UNIT) {
        let (ast, diagnostics) = parse(unit, &mut sources, &mut names);
        wrong |= has_error(&diagnostics);
        units.push(ast);
    }
    if wrong {
        return Stage::Parsed;
    }
    match lower::lower(units, names, sources, options) {
        Err(rejected) => {
            assert!(has_error(&rejected.diagnostics), "rejected without a reason");
            check_diagnostics(&rejected.diagnostics, &rejected.sources, u32::MAX as usize);
            Stage::Rejected
        }
        Ok(lowered) => {
            assert!(!has_error(&lowered.warnings), "accepted with errors");
            check_diagnostics(&lowered.warnings, &lowered.program.sources, u32::MAX as usize);
            check_passes(lowered.program, options.outside);
            Stage::Program
        }
    }
}

/// The passes that all engines share, in the driver's order, then the analyses that change nothing.
fn check_passes(mut program: Program, outside: Outside) {
    check_valid(&program, "lowering");
    let points_to = PointsTo::new(&program);
    transform::resolve_pointer_calls(&mut program, &points_to, outside);
    check_valid(&program, "resolving pointer calls");
    transform::remove_dead(&mut program);
    check_valid(&program, "removing dead code");
    let loops = flow::find_loops(&mut program);
    check_valid(&program, "finding loops");
    assert!(flow::every_cycle_has_a_head(&program));
    show(&program);
    analyse(&program, &loops);
}

fn show(program: &Program) {
    let text = program.to_string();
    assert!(!text.is_empty());
    let written = cfa::notation::write(program);
    let again = cfa::notation::read(&written).unwrap_or_else(|wrong| panic!("the notation is not read back: {wrong}"));
    assert!(cfa::notation::write(&again) == written, "another program is read back than was written");
    let all: Vec<cfa::FunctionId> = program.functions.ids().collect();
    cfa::dot(program, &all);
    if program.nodes.len() <= MAX_DRAWN_NODES {
        flow::svg(program, &all);
    }
}

fn analyse(program: &Program, loops: &Loops) {
    let calls = CallGraph::new(program);
    loops.writes(program, &calls);
    Classes::new(program, loops);
    let points_to = PointsTo::new(program);
    Regions::new(&flow::Prepared::new(program.clone()), &flow::Uses::new(program), &points_to);
}

/// As `Program::assert_valid`, in release builds too.
fn check_valid(program: &Program, pass: &str) {
    let found = program.violations();
    assert!(found.is_empty(), "broken by {pass}: {}", found[..found.len().min(5)].join("; "));
}
