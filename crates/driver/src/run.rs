//! Runs a preset on a program. A panic of an engine becomes `Unknown`; a sequence goes on with its next part.

use crate::asked::{Asked, overall};
use crate::features::Features;
use crate::output::UserFiles;
use crate::panics;
use crate::preset::{Plan, Preset, Slice};
use crate::schedule::{fitting, round};
use crate::trivial;
use analyses::{BadOption, Options};
use base::{Cancel, Counters, Live, Stopped, Trail};
use engine::board::{Board, Part};
use flow::Prepared;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdict::{Counterexample, Goals, Stop, Verdict, Wanted};

/// Without a time limit, the parts of a sequence share this; every further round doubles it.
const FIRST_ROUND: Duration = Duration::from_secs(60);

/// What a run found out and what it took.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The answer for each of the program's targets, if that was asked.
    pub targets: Vec<Verdict>,
    /// The single-engine presets that ran, in order; the last one gave the verdict.
    pub steps: Vec<PartRun>,
    /// What the engines counted, all steps together; the trail is that of the one that answered, if one did.
    pub counters: Counters,
    /// What the parts left.
    pub board: Board,
}

/// One engine's part of a run.
#[derive(Clone, Debug)]
pub struct PartRun {
    /// The preset.
    pub preset: String,
    /// Why it gave up; `None` if it gave the verdict.
    pub stop: Option<Stop>,
    /// How long it took.
    pub time: Duration,
    /// Who it was on the blackboard.
    pub part: Part,
    /// Files that could not be written, one line each.
    pub problems: Vec<String>,
}

/// What is wanted of a run besides its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Recording {
    /// Nothing.
    #[default]
    Numbers,
    /// What was reached, tracked and refined, and the abstract states.
    Trail,
}

impl Recording {
    /// What an engine gets to count and to write in.
    pub(crate) fn counters(self) -> Counters {
        let trail = match self {
            Recording::Numbers => Trail::default(),
            Recording::Trail => Trail::asked_for(),
        };
        Counters::new(trail, Live::default())
    }
}

/// How a run is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings<'a> {
    /// So many parts of a sequence at a time. With more than one, which part answers may differ from run to run.
    pub threads: usize,
    /// A sequence starts after the part with this name.
    pub after: Option<&'a str>,
    /// What is written down on the way.
    pub record: Recording,
    /// One answer for all targets, or one for each.
    pub wanted: Wanted,
}

/// What the user is told while a run goes on.
pub enum RunEvent<'a> {
    /// A preset starts and has this much time; what it shows.
    Start(&'a str, Option<Duration>, &'a Live),
    /// A preset gave up.
    GaveUp(&'a PartRun),
    /// Something is wrong that does not stop the run.
    Warning(&'a str),
}

/// Runs `preset` with the user's options on top of its own. A sequence starts after the part called `after`: so a
/// run goes on whose process did not survive that part.
pub fn run(
    program: &Prepared,
    preset: &Preset,
    options: &Options,
    after: Option<&str>,
    cancel: &Cancel,
    tell: &mut dyn FnMut(RunEvent),
) -> Result<Outcome, BadOption> {
    let settings = Settings { threads: 1, after, record: Recording::default(), wanted: Wanted::One };
    run_with(&settings, program, preset, options, cancel, tell)
}

/// [`run`] with other settings.
pub fn run_with(
    settings: &Settings,
    program: &Prepared,
    preset: &Preset,
    options: &Options,
    cancel: &Cancel,
    tell: &mut dyn FnMut(RunEvent),
) -> Result<Outcome, BadOption> {
    if let Some(outcome) = trivial::outcome(program, &preset.name, settings.record).filter(|_| options.is_empty()) {
        return Ok(outcome);
    }
    let mut outcome = match preset.plan() {
        Plan::Engine { .. } => {
            let asked = Asked::new(program.clone(), settings.wanted);
            let mut counters = settings.record.counters();
            tell(RunEvent::Start(&preset.name, cancel.remaining(), &counters.live));
            let (step, verdict) = asked.step(preset, options, cancel, &mut counters);
            // The verdict is worth more than a file.
            step.problems.iter().for_each(|problem| tell(RunEvent::Warning(problem)));
            if step.stop.is_some() {
                tell(RunEvent::GaveUp(&step));
            }
            Outcome { verdict: verdict?, targets: asked.answers(), steps: vec![step], counters, board: asked.board }
        }
        Plan::Sequence(slices) => {
            if !options.is_empty() {
                return Err(BadOption(format!(
                    "options belong to one engine: choose it by --analysis instead of `{}`",
                    preset.name
                )));
            }
            let slices = fitting(&slices, &Features::new(program));
            let done = settings.after.and_then(|after| slices.iter().position(|slice| slice.label == after));
            // What did not survive with others alongside it may do so alone.
            let threads = if settings.after.is_some() { 1 } else { settings.threads.max(1) };
            let settings = Settings { threads, ..*settings };
            let asked = Arc::new(Asked::new(program.clone(), settings.wanted));
            let mut outcome = sequence(&asked, &slices[done.map_or(0, |at| at + 1)..], &settings, cancel, tell)?;
            asked.report(&mut outcome.counters);
            outcome.targets = asked.answers();
            outcome
        }
    };
    if outcome.targets.is_empty() {
        if let Verdict::Unsafe(found) = outcome.verdict {
            outcome.verdict = Verdict::Unsafe(engine::evidence::simplify(program, found, cancel));
        }
    } else {
        let simpler = outcome.targets.into_iter().map(|answer| match answer {
            Verdict::Unsafe(found) => Verdict::Unsafe(simplify_alone(program, found, cancel)),
            other => other,
        });
        outcome.targets = simpler.collect();
        outcome.verdict = overall(&outcome.targets);
    }
    if let Some(bytes) = peak_memory() {
        outcome.counters.max("peak memory, bytes", bytes);
    }
    Ok(outcome)
}

/// A simpler execution to the same target.
fn simplify_alone(program: &Prepared, found: Counterexample, cancel: &Cancel) -> Counterexample {
    let target = found.target;
    let node = program.targets[target].node;
    let alone = program.with_targets(|target| target.node == node);
    let simpler = engine::evidence::simplify(&alone, Counterexample { target: 0, ..found }, cancel);
    Counterexample { target, ..simpler }
}

/// The most memory that this process ever held, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// 1. Every part gets its share of the time that is left, so what one leaves over serves the later ones. 2. The first
///    TRUE or FALSE counts. 3. A part that gave up for another reason than its slice has said all it can; without a time
///    limit the others run again with twice the time, but for first tries.
fn sequence(
    asked: &Arc<Asked>,
    slices: &[Slice],
    settings: &Settings,
    cancel: &Cancel,
    tell: &mut dyn FnMut(RunEvent),
) -> Result<Outcome, BadOption> {
    let mut waiting = slices.to_vec();
    let mut time = FIRST_ROUND;
    let unknown = Verdict::Unknown(Stop::Bound("no analysis is available".into()));
    let mut outcome = Outcome {
        verdict: unknown,
        targets: Vec::new(),
        steps: Vec::new(),
        counters: Counters::default(),
        board: asked.board.clone(),
    };
    while !waiting.is_empty() {
        let limit = cancel.remaining();
        let round = round(asked, &waiting, settings, limit.unwrap_or(time), cancel, tell)?; // 1
        outcome.steps.extend(round.steps);
        outcome.counters.absorb(&round.counters);
        outcome.counters.trail = round.counters.trail;
        match round.verdict {
            Ok(verdict) => return Ok(Outcome { verdict, ..outcome }), // 2
            Err(stop) => outcome.verdict = Verdict::Unknown(stop),
        }
        if let Err(stopped) = cancel.check() {
            return Ok(Outcome { verdict: interrupted(outcome.verdict, stopped), ..outcome });
        }
        if limit.is_some() {
            break;
        }
        waiting.retain(|slice| slice.seconds.is_none() && round.unfinished.contains(&slice.label)); // 3
        time *= 2;
    }
    Ok(outcome)
}

/// What a sequence answers whose time is over: what is open, undefined or unsupported tells more than that.
fn interrupted(found: Verdict, stopped: Stopped) -> Verdict {
    match found {
        Verdict::Unknown(Stop::Open { .. } | Stop::UndefinedBehaviour { .. } | Stop::Unsupported { .. }) => found,
        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => Verdict::Unknown(stopped.into()),
    }
}

/// Runs the engine of a preset. A panic is `Unknown`.
pub(crate) fn step(
    preset: &Preset,
    (program, goals): (&Prepared, &mut Goals),
    options: &Options,
    board: &Board,
    cancel: &Cancel,
    counters: &mut Counters,
) -> (PartRun, Result<Verdict, BadOption>) {
    let Plan::Engine { analysis, options: own } = preset.plan() else { unreachable!("sequences are flat") };
    let start = Instant::now();
    let options = own.with(options);
    let asked = (program, goals);
    let files = UserFiles::default();
    let caught = panics::catch(|| {
        let verdict = analyses::run(analysis, &options, asked, (board, &files), cancel, counters);
        verdict.inspect(|verdict| verdict.assert_fits(program))
    });
    let verdict = caught.unwrap_or_else(|panic| Ok(Verdict::Unknown(panics::stop(panic))));
    let stop = match &verdict {
        Ok(Verdict::Unknown(stop)) => Some(stop.clone()),
        Ok(Verdict::Safe(_) | Verdict::Unsafe(_)) | Err(_) => None,
    };
    let (part, problems) = (board.who(), files.problems());
    (PartRun { preset: preset.name.clone(), stop, time: start.elapsed(), part, problems }, verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Span;

    #[test]
    fn what_an_analysis_saw_of_the_program_is_told_when_the_time_is_over() {
        let (what, span) = (|| "it".to_owned(), Span::default());
        let telling = [
            Stop::Open { what: what(), span },
            Stop::UndefinedBehaviour { what: what(), span },
            Stop::Unsupported { what: what(), span },
        ];
        for stop in telling {
            let words = format!("{stop:?}");
            let Verdict::Unknown(said) = interrupted(Verdict::Unknown(stop), Stopped::Time) else {
                panic!("{words} is not an answer")
            };
            assert_eq!(format!("{said:?}"), words);
        }
        let other = interrupted(Verdict::Unknown(Stop::Undecided { what: what(), span }), Stopped::Time);
        assert!(matches!(other, Verdict::Unknown(Stop::Limit(Stopped::Time))), "{other:?}");
    }
}
