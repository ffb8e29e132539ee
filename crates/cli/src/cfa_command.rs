//! `argonaut cfa`: the control-flow automata of a program, as text, graph or picture.

use crate::args::CfaArgs;
use crate::request::request;
use cfa::{FunctionId, FunctionKind};
use driver::Task;

/// Prints the automata, or writes them to files. Pictures show what the user wrote; `--function` shows any function.
pub fn cfa(args: &CfaArgs) -> Result<u8, String> {
    let task = Task::new(request(&args.program, None)?).map_err(|error| error.to_string())?;
    let loaded = driver::load(&task).map_err(|error| error.to_string())?;
    let mut program = loaded.program;
    driver::prepare(&mut program, task.outside);
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
    if let Some(path) = &args.dot {
        crate::write_file(path, &cfa::dot(&program, &drawn))?;
    }
    if let Some(path) = &args.svg {
        crate::write_file(path, &flow::svg(&program, &drawn))?;
    }
    if args.dot.is_none() && args.svg.is_none() {
        crate::print(&chosen.map_or_else(|| program.to_string(), |function| program.function_text(function)));
    }
    Ok(0)
}
