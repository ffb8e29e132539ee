//! What the front half costs: time of reading (with the preprocessor), parsing, making the automaton, points-to and all
//! that engines need, and the most memory that the process had until then.
//!
//! `front FILE.c ENTRY [NAME=VALUE]...`, with the function where executions start, and macros.

use driver::{Preprocessing, Request, Sources, Task, peak_memory};
use flow::PointsTo;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, entry, macros @ ..] = args.as_slice() else {
        eprintln!("usage: front FILE.c ENTRY [NAME=VALUE]...");
        return ExitCode::from(2);
    };
    let preprocessing = Preprocessing { defines: macros.to_vec(), ..Preprocessing::default() };
    let entry = Some(entry.clone());
    match measure(Request { files: vec![file.into()], entry, preprocessing, ..Request::default() }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("front: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(request: Request) -> Result<(), driver::InputError> {
    let task = Task::new(request)?;
    println!("{:<28} {:>8} {:>10}", "phase", "seconds", "peak MiB");
    let mut begun = Instant::now();
    let mut phase = |name: &str| {
        println!("{name:<28} {:>8.2} {:>10}", begun.elapsed().as_secs_f64(), peak_memory().unwrap_or(0) >> 20);
        begun = Instant::now();
    };
    let sources = Sources::read(&task)?;
    phase("read and preprocess");
    let mut names = base::Interner::default();
    for text in sources.texts() {
        syntax::parse(text, 0, &mut names);
    }
    phase("parse");
    let mut program = sources.load(&task)?.program;
    phase("parse again, lower, checks");
    PointsTo::new(&program);
    phase("points-to");
    driver::prepare(&mut program, task.outside);
    phase("points-to again, resolve");
    println!("{} functions, {} locations", program.functions.len(), program.nodes.len());
    Ok(())
}
