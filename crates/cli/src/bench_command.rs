//! `argonaut bench`: presets over lists of tasks, within limits. Every run is a process of its own; results are kept one
//! by one, so that the same command goes on where an earlier one stopped.

mod cluster;
mod configuration;
mod element;
mod experiment;
mod fragment;
mod list;
mod measure;
mod overhead;
mod plot;
mod results;
mod run;
mod slurm;
mod table;

use crate::args::{BenchArgs, PlaceArg};
use configuration::Configuration;
use experiment::Experiment;
use list::Task;
use results::{Results, Row};
use run::Limits;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Exit status of a benchmark that was interrupted.
const INTERRUPTED: u8 = 3;

pub use element::{ELEMENT, element};

/// The time limit of runs unless another one is given.
const TIME: Duration = Duration::from_secs(60);

/// Runs what is missing and writes tables and plots of all.
pub fn bench(args: &BenchArgs) -> Result<u8, String> {
    let experiment = args.experiment.as_deref().map(Experiment::find).transpose()?;
    let presets: Vec<String> = match &experiment {
        Some(experiment) => experiment.configurations.iter().map(|one| one.run.as_ref().clone()).collect(),
        None => args.presets.clone(),
    };
    presets.iter().try_for_each(|preset| Configuration::new(preset).check())?;
    let limits = limits(args, experiment.as_ref());
    if let Some(experiment) = experiment.as_ref().filter(|_| args.lists.is_empty()) {
        return again(experiment, &args.out, &limits);
    }
    let mut tasks = list::read(&args.lists)?;
    if let Some(experiment) = &experiment {
        tasks = experiment.choose(tasks);
    }
    if tasks.is_empty() {
        return Err("the lists have no task of this experiment".into());
    }
    if args.on == PlaceArg::Slurm && limits.memory.is_none() {
        return Err("--on slurm wants --memory-limit, which the scheduler has to know".into());
    }
    let results = Results::open(&args.out, limits)?;
    let pairs = || presets.iter().flat_map(|preset| tasks.iter().map(move |task| (preset.as_str(), task)));
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
    let lines = table::lines(&presets, &rows);
    crate::write_file(&args.out.join("table.csv"), &table::csv(&lines))?;
    crate::write_file(&args.out.join("table.md"), &table::markdown(&lines))?;
    let title = experiment.as_ref().map_or_else(|| presets.join(", "), |experiment| experiment.title.clone());
    let title = format!("{title} on {} tasks", tasks.len());
    crate::write_file(&args.out.join("index.html"), &plot::page(&title, &presets, &rows, &lines))?;
    let overhead = overhead::lines(&presets, &rows);
    crate::print(&format!("{}{overhead}{}", table::text(&lines), table::wrong(&rows)));
    if rows.len() < all {
        note(&format!("argonaut: {} of {all} runs are done; the same command continues from here", rows.len()));
        return Ok(INTERRUPTED);
    }
    experiment.map_or(Ok(0), |experiment| write_fragment(&experiment, &args.out, results.limits(), &rows))
}

/// What every run may use: what the command line says, or else the experiment.
fn limits(args: &BenchArgs, experiment: Option<&Experiment>) -> Limits {
    let own = experiment.map(Experiment::limits);
    let own = own.unwrap_or(Limits { time: TIME, cpu: None, memory: None, threads: None, counters: Vec::new() });
    Limits {
        time: args.time_limit.unwrap_or(own.time),
        cpu: args.cpu_limit.or(own.cpu),
        memory: args.memory_limit.or(own.memory),
        threads: args.threads,
        counters: [own.counters, args.counters.clone()].concat(),
    }
}

/// Makes the part of a page from results that are there, without running anything. Tasks on which not all configurations
/// ran do not count: another experiment may have more of them.
fn again(experiment: &Experiment, folder: &Path, limits: &Limits) -> Result<u8, String> {
    let rows = results::read(&folder.join("results.csv"), limits)?;
    let rows: Vec<Row> = rows.into_iter().filter(|row| experiment.asks_for(row)).collect();
    let mut runs: HashMap<&str, usize> = HashMap::new();
    rows.iter().for_each(|row| *runs.entry(&row.task).or_default() += 1);
    let is_complete = |row: &&Row| runs[row.task.as_str()] == experiment.configurations.len();
    let complete: Vec<Row> = rows.iter().filter(is_complete).cloned().collect();
    if complete.is_empty() {
        return Err(format!("{}: has no complete results of this experiment; name a list of tasks", folder.display()));
    }
    if complete.len() < rows.len() {
        note(&format!("{} runs on tasks that not all configurations have are left out", rows.len() - complete.len()));
    }
    write_fragment(experiment, folder, limits, &complete)
}

fn write_fragment(experiment: &Experiment, folder: &Path, limits: &Limits, rows: &[Row]) -> Result<u8, String> {
    let path = folder.join(format!("{}.md", experiment.name));
    crate::write_file(&path, &fragment::fragment(experiment, limits, rows)).map(|()| 0)
}

/// Does what waits, several runs at a time.
fn work(
    args: &BenchArgs,
    waiting: VecDeque<(&str, &Task)>,
    results: Results,
    stopped: &AtomicBool,
) -> Result<Results, String> {
    let (count, limits) = (waiting.len(), results.limits().clone());
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
