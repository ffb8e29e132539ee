//! `argonaut cfa`: the control-flow automata of a program, as text, graph or picture.

use crate::args::CfaArgs;
use crate::request::request;
use cfa::{FunctionId, FunctionKind, Op, Program};
use driver::Task;
use std::collections::HashSet;

/// Prints the automata, or writes them to files. Pictures show what the user wrote; `--function` shows any function.
///
/// Functions that executions reach are shown as analyses see them; others, of which nothing would be left, as they are
/// before anything is removed.
pub fn cfa(args: &CfaArgs) -> Result<u8, String> {
    let mut task = Task::new(request(&args.program, None)?).map_err(|error| error.to_string())?;
    let sources = match driver::Sources::read(&task) {
        Ok(sources) => sources,
        Err(error) => return Ok(crate::say(&error)),
    };
    let listed = match driver::functions::functions(&task, sources) {
        Ok(listed) => listed,
        Err(error) => return Ok(crate::say(&error)),
    };
    if args.program.entry.is_none() && task.entry == "main" && listed.iter().all(|function| function.name != "main") {
        task.entry = String::new();
    }
    let loaded = match driver::load(&task) {
        Ok(loaded) => loaded,
        Err(error) => return Ok(crate::say(&error)),
    };
    let whole = loaded.program;
    let mut program = whole.clone();
    driver::prepare(&mut program, task.outside);
    let called = called(&program);
    let chosen = match &args.function {
        Some(name) => Some(program.function_named(name).ok_or_else(|| format!("no function is called `{name}`"))?),
        None => None,
    };
    let drawn: Vec<FunctionId> = match chosen {
        Some(function) => vec![function],
        None => {
            let functions = program.functions.iter();
            functions.filter(|(_, function)| function.kind == FunctionKind::Defined).map(|(id, _)| id).collect()
        }
    };
    // One picture is of one program.
    let pictured = if drawn.iter().all(|function| called.contains(function)) { &program } else { &whole };
    if let Some(path) = &args.dot {
        crate::write_file(path, &cfa::dot(pictured, &drawn))?;
    }
    if let Some(path) = &args.svg {
        crate::write_file(path, &flow::svg(pictured, &drawn))?;
    }
    if args.dot.is_none() && args.svg.is_none() {
        let text = |function: FunctionId| match called.contains(&function) {
            true => program.function_text(function),
            false => format!("// never called\n{}", whole.function_text(function)),
        };
        let uncalled = whole
            .functions
            .iter()
            .filter(|(id, function)| function.kind == FunctionKind::Defined && !called.contains(id));
        let uncalled: Vec<FunctionId> = uncalled.map(|(id, _)| id).collect();
        crate::print(&match chosen {
            Some(function) => text(function),
            None => {
                let more: Vec<String> = uncalled.iter().map(|&function| text(function)).collect();
                format!("{}{}", without(&program, &uncalled), more.concat())
            }
        });
    }
    Ok(0)
}

/// The functions that executions reach, as far as calls tell.
fn called(program: &Program) -> HashSet<FunctionId> {
    let mut called = HashSet::from([program.entry]);
    for (_, edge) in program.edges.iter() {
        if let Op::Call { function, .. } = edge.op {
            called.insert(function);
        }
    }
    called
}

/// The text of a program without that of some functions.
fn without(program: &Program, functions: &[FunctionId]) -> String {
    let mut text = program.to_string();
    for &function in functions {
        text = text.replacen(&program.function_text(function), "", 1);
    }
    text
}
