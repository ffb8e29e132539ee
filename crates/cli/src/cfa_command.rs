//! `argonaut cfa`: the control-flow automata of a program, as text, graph or picture.

use crate::args::CfaArgs;
use crate::request::request;
use cfa::{FunctionId, FunctionKind, Op, Program};
use driver::Task;
use std::collections::HashSet;

/// What comes before the text of a function that executions do not reach.
const NEVER_CALLED: &str = "// never called\n";

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
        crate::print(&match chosen {
            Some(function) if called.contains(&function) => program.function_text(function),
            Some(function) => format!("{NEVER_CALLED}{}", whole.function_text(function)),
            None => {
                let is_uncalled =
                    |id: &FunctionId| whole.functions[*id].kind == FunctionKind::Defined && !called.contains(id);
                let (uncalled, others): (Vec<FunctionId>, Vec<FunctionId>) =
                    whole.functions.ids().partition(is_uncalled);
                let mut text = program.globals_text();
                text.push_str(&program.functions_text(others, ""));
                text.push_str(&whole.functions_text(uncalled, NEVER_CALLED));
                text
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
