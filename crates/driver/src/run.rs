//! Runs a preset on a program. A panic of an engine becomes `Unknown`; a sequence goes on with its next part.

use crate::engines;
use crate::options::{BadOption, Options};
use crate::panics;
use crate::preset::{Plan, Preset, Slice};
use base::{Cancel, Counters};
use cfa::Program;
use std::time::{Duration, Instant};
use verdict::{Stop, Verdict};

/// Without a time limit, the parts of a sequence share this; every further round doubles it.
const FIRST_ROUND: Duration = Duration::from_secs(60);

/// What a run found out and what it took.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The single-engine presets that ran, in order; the last one gave the verdict.
    pub steps: Vec<Step>,
    /// What the engines counted, all steps together.
    pub counters: Counters,
}

/// One engine's part of a run.
#[derive(Clone, Debug)]
pub struct Step {
    /// The preset.
    pub preset: String,
    /// Why it gave up; `None` if it gave the verdict.
    pub stop: Option<Stop>,
    /// How long it took.
    pub time: Duration,
}

/// What the user is told while a run goes on.
pub enum Event<'a> {
    /// A preset starts and has this much time.
    Start(&'a str, Option<Duration>),
    /// A preset gave up.
    GaveUp(&'a Step),
}

/// Runs `preset` with the user's options on top of its own. A sequence starts behind the part called `after`: so a
/// run goes on whose process did not survive that part.
pub fn run(
    program: &Program,
    preset: &Preset,
    options: &Options,
    after: Option<&str>,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Event),
) -> Result<Outcome, BadOption> {
    let mut run = Run { program, options, tell, steps: Vec::new(), counters: Counters::default() };
    let verdict = match preset.plan() {
        Plan::Engine { .. } => run.step(preset, cancel)?,
        Plan::Sequence(slices) => {
            if !options.is_empty() {
                return Err(BadOption(format!(
                    "options belong to one engine: choose it by --analysis instead of `{}`",
                    preset.name
                )));
            }
            let done = after.and_then(|after| slices.iter().position(|slice| slice.preset == after));
            run.sequence(&slices[done.map_or(0, |at| at + 1)..], cancel)?
        }
    };
    let verdict = match verdict {
        Verdict::Unsafe(found) => Verdict::Unsafe(engine::simplify::simplify(program, found, cancel)),
        other => other,
    };
    if let Some(bytes) = peak_memory() {
        run.counters.max("peak memory, bytes", bytes);
    }
    Ok(Outcome { verdict, steps: run.steps, counters: run.counters })
}

/// The most memory that this process ever held, where the system tells.
fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

struct Run<'a> {
    program: &'a Program,
    options: &'a Options,
    tell: &'a mut dyn FnMut(Event),
    steps: Vec<Step>,
    counters: Counters,
}

impl Run<'_> {
    /// 1. Every part gets its share of the time that is left, so what one leaves over serves the later ones.
    /// 2. The first TRUE or FALSE counts. 3. A part that gave up for another reason than its slice has said all it
    ///    can; without a time limit the others run again with twice the time.
    fn sequence(&mut self, slices: &[Slice], cancel: &Cancel) -> Result<Verdict, BadOption> {
        let mut waiting = slices.to_vec();
        let mut round = FIRST_ROUND;
        let mut reason = Stop::Bound("no analysis is available".into());
        while !waiting.is_empty() {
            let end = Instant::now() + cancel.remaining().unwrap_or(round);
            let mut again = Vec::new();
            for (at, slice) in waiting.iter().enumerate() {
                let shares: f64 = waiting[at..].iter().map(|slice| slice.share).sum();
                let time = end.saturating_duration_since(Instant::now()).mul_f64(slice.share / shares); // 1
                let preset = Preset::named(&slice.preset).expect("plans are checked by a test");
                let verdict = self.step(&preset, &cancel.child(Some(time)))?;
                match verdict {
                    Verdict::Safe(_) | Verdict::Unsafe(_) => return Ok(verdict), // 2
                    Verdict::Unknown(Stop::Limit(_)) => again.push(slice.clone()),
                    Verdict::Unknown(stop) => reason = stop,
                }
                if let Err(limit) = cancel.check() {
                    return Ok(Verdict::Unknown(limit.into()));
                }
            }
            if cancel.remaining().is_some() {
                break;
            }
            waiting = again; // 3
            round *= 2;
        }
        Ok(Verdict::Unknown(reason))
    }

    fn step(&mut self, preset: &Preset, cancel: &Cancel) -> Result<Verdict, BadOption> {
        let Plan::Engine { engine, options } = preset.plan() else { unreachable!("sequences are flat") };
        (self.tell)(Event::Start(&preset.name, cancel.remaining()));
        let start = Instant::now();
        let options = options.with(self.options);
        let mut counters = Counters::default();
        let caught = panics::catch(|| engines::run(&engine, self.program, &options, cancel, &mut counters));
        let verdict = caught.unwrap_or_else(|panic| Ok(Verdict::Unknown(Stop::Internal(panic))))?;
        self.counters.absorb(&counters);
        let stop = match &verdict {
            Verdict::Unknown(stop) => Some(stop.clone()),
            Verdict::Safe(_) | Verdict::Unsafe(_) => None,
        };
        let step = Step { preset: preset.name.clone(), stop, time: start.elapsed() };
        if step.stop.is_some() {
            (self.tell)(Event::GaveUp(&step));
        }
        self.steps.push(step);
        Ok(verdict)
    }
}
