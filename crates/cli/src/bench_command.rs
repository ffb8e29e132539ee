//! `argonaut bench`: presets over lists of tasks, within limits. Every run is a process of its own; results are kept one
//! by one, so that the same command goes on where an earlier one stopped.

mod cluster;
mod element;
mod list;
mod overhead;
mod plot;
mod results;
mod run;
mod slurm;
mod table;

use crate::args::{BenchArgs, PlaceArg};
use driver::Preset;
use list::Task;
use results::{Results, Row};
use run::Limits;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Exit status of a benchmark that was interrupted.
const INTERRUPTED: u8 = 3;

pub use element::{ELEMENT, element};

/// Runs what is missing and writes tables and plots of all.
pub fn bench(args: &BenchArgs) -> Result<u8, String> {
    for name in &args.presets {
        if Preset::named(name).is_none() {
            return Err(format!("no preset is called `{name}`; `argonaut presets` lists them"));
        }
    }
    let tasks = list::read(&args.lists)?;
    if args.on == PlaceArg::Slurm && args.memory_limit.is_none() {
        return Err("--on slurm wants --memory-limit, which the scheduler has to know".into());
    }
    let results = Results::open(&args.out, Limits::new(args).cells())?;
    let pairs = || args.presets.iter().flat_map(|preset| tasks.iter().map(move |task| (preset.as_str(), task)));
    let waiting: VecDeque<(&str, &Task)> =
        pairs().filter(|(preset, task)| results.of(preset, task).is_none()).collect();
    let (missing, all) = (waiting.len(), pairs().count());
    if missing < all && !args.quiet {
        note(&format!("{} of {all} runs are done already", all - missing));
    }
    let stopped = Arc::new(AtomicBool::new(false));
    let on_signal = stopped.clone();
    // Without a handler Ctrl-C ends us the hard way; finished runs are kept all the same.
    let _ = ctrlc::set_handler(move || on_signal.store(true, Ordering::Relaxed));
    let results = match args.on {
        PlaceArg::Here => work(args, waiting, results, &stopped)?,
        PlaceArg::Slurm => cluster::work(args, waiting, results, &stopped)?,
    };
    let rows: Vec<Row> = pairs().filter_map(|(preset, task)| results.of(preset, task).cloned()).collect();
    let lines = table::lines(&args.presets, &rows);
    crate::write_file(&args.out.join("table.csv"), &table::csv(&lines))?;
    crate::write_file(&args.out.join("table.md"), &table::markdown(&lines))?;
    let title = format!("{} on {} tasks", args.presets.join(", "), tasks.len());
    crate::write_file(&args.out.join("index.html"), &plot::page(&title, &args.presets, &rows, &lines))?;
    let overhead = overhead::lines(&args.presets, &rows);
    crate::print(&format!("{}{overhead}{}", table::text(&lines), table::wrong(&rows)));
    if rows.len() < all {
        note(&format!("argonaut: {} of {all} runs are done; the same command continues from here", rows.len()));
        return Ok(INTERRUPTED);
    }
    Ok(0)
}

/// Does what waits, several runs at a time.
fn work(
    args: &BenchArgs,
    waiting: VecDeque<(&str, &Task)>,
    results: Results,
    stopped: &AtomicBool,
) -> Result<Results, String> {
    let (count, limits) = (waiting.len(), Limits::new(args));
    let (waiting, results) = (Mutex::new(waiting), Mutex::new(results));
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let one = || -> Result<(), String> {
        while let Some((preset, task)) = next().filter(|_| !stopped.load(Ordering::Relaxed)) {
            let Some(row) = run::run(&limits, preset, task, stopped)? else { return Ok(()) };
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            if !args.quiet {
                let left = waiting.lock().unwrap_or_else(PoisonError::into_inner).len();
                let (verdict, wall) = (&row.verdict, row.wall);
                note(&format!("{}/{count}  {preset}  {}  {verdict}  {wall:.2} s", count - left, task.name));
            }
            results.add(row)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..args.jobs.unwrap_or(1).max(1)).map(|_| scope.spawn(one)).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("internal error".into())));
        ends.collect::<Vec<_>>().into_iter().collect::<Result<(), String>>()
    })?;
    Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// A line on standard error; it does not matter whether it can be written.
fn note(line: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{}\n", base::printable(line)).as_bytes());
}
