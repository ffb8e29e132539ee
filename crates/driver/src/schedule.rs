//! Which parts of a sequence fit a program, and how they are run: one after the other, or several at once on threads
//! of their own. The first sound verdict wins and stops the others.

use crate::board::Board;
use crate::engines::{Knowledge, is_native};
use crate::features::{Condition, Features};
use crate::options::{BadOption, Options};
use crate::preset::{Plan, Preset, Slice};
use crate::run::{Event, Record, Settings, Step};
use base::{Cancel, Counters, Live};
use cfa::Program;
use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use verdict::{Stop, Verdict, Wanted};

/// The parts whose conditions the program satisfies, in order.
pub fn fitting(slices: &[Slice], features: &Features) -> Vec<Slice> {
    slices.iter().filter(|slice| unmet(slice, features).is_none()).cloned().collect()
}

/// The first condition of a part that the program does not satisfy.
fn unmet<'s>(slice: &'s Slice, features: &Features) -> Option<&'s str> {
    let holds = |text: &str| features.satisfy(&Condition::parse(text).expect("plans are checked by a test"));
    slice.when.iter().map(String::as_str).find(|text| !holds(text))
}

/// What a preset does with a program and why, one line each.
pub fn explain(program: &Program, preset: &Preset, threads: usize, wanted: Wanted) -> Vec<String> {
    let features = Features::new(program);
    let mut lines = vec![format!("features: {features}")];
    if wanted == Wanted::Each {
        lines.push(format!("targets: {}, each decided by itself", program.targets.len()));
    }
    let alone = |preset: &Preset| match preset.plan() {
        Plan::Engine { engine, .. } if wanted == Wanted::Each && !is_native(&engine) => ", one run per target",
        Plan::Engine { .. } | Plan::Sequence(_) => "",
    };
    match preset.plan() {
        Plan::Engine { engine, .. } => {
            lines.push(format!("plan: engine {engine} alone{}", alone(preset)));
        }
        Plan::Sequence(slices) => {
            let chosen = fitting(&slices, &features);
            let shares: f64 = chosen.iter().map(|slice| slice.share).sum();
            lines.push(format!("plan: {} of {} analyses, {threads} at a time", chosen.len(), slices.len()));
            lines.push("shared: how memory is split, and facts proved at loop heads".to_owned());
            for slice in &slices {
                let reason = match (unmet(slice, &features), slice.when.is_empty()) {
                    (Some(condition), _) => format!("left out: not `{condition}`"),
                    (None, true) => format!("{:.0} % of the time", 100.0 * slice.share / shares),
                    (None, false) => {
                        format!("{:.0} % of the time, since {}", 100.0 * slice.share / shares, slice.when.join(", "))
                    }
                };
                let part = Preset::named(&slice.preset).expect("plans are checked by a test");
                lines.push(format!("  {}: {reason}{}", slice.preset, alone(&part)));
            }
        }
    }
    lines
}

/// What the threads tell.
enum Message {
    Start(String, Duration, Live),
    Done(Box<Step>, Result<Verdict, BadOption>, Box<Counters>),
}

/// What came of a round.
pub struct Round {
    /// The sound verdict, or why there is none.
    pub verdict: Result<Verdict, Stop>,
    /// The parts that ran out of time.
    pub unfinished: Vec<String>,
    /// All parts in the order in which they ended; the one with the verdict is last.
    pub steps: Vec<Step>,
    /// What they counted; the trail is that of the verdict, else the last one.
    pub counters: Counters,
}

/// Runs parts on threads until one has a sound verdict.
pub fn round(
    board: &Board,
    slices: &[Slice],
    settings: &Settings,
    time: Duration,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Event),
) -> Result<Round, BadOption> {
    let (threads, record) = (settings.threads, settings.record);
    let end = Instant::now() + time;
    let group = cancel.child(None);
    let waiting: Mutex<VecDeque<Slice>> = Mutex::new(slices.iter().cloned().collect());
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(slices.len()) {
            let (waiting, group, sender) = (&waiting, &group, sender.clone());
            scope.spawn(move || work(board, waiting, (threads, record), end, group, &sender));
        }
        drop(sender);
        let mut running: Vec<(String, Instant, Live)> = Vec::new();
        let verdict = Err(Stop::Bound("no analysis is available".into()));
        let mut round = Round { verdict, unfinished: Vec::new(), steps: Vec::new(), counters: Counters::default() };
        let (mut bad, mut winner) = (None, None);
        for message in receiver {
            match message {
                Message::Start(name, time, live) => running.push((name, Instant::now() + time, live)),
                Message::Done(step, verdict, counters) => {
                    running.retain(|(name, ..)| *name != step.preset);
                    round.counters.absorb(&counters);
                    let answered = round.verdict.is_ok();
                    let sound = matches!(verdict, Ok(Verdict::Safe(_) | Verdict::Unsafe(_)));
                    match verdict {
                        Err(error) => bad = Some(error),
                        // Whoever was stopped by the winner has nothing to say.
                        _ if round.verdict.is_ok() => continue,
                        Ok(Verdict::Unknown(Stop::Limit(_))) => round.unfinished.push(step.preset.clone()),
                        Ok(Verdict::Unknown(stop)) => round.verdict = Err(stop),
                        Ok(verdict) => round.verdict = Ok(verdict),
                    }
                    if !answered {
                        round.counters.trail = counters.trail;
                    }
                    if sound {
                        group.stop();
                        winner = Some(*step);
                        continue;
                    }
                    tell(Event::GaveUp(&step));
                    round.steps.push(*step);
                }
            }
            // Who watches us from outside knows one part: the one that may take longest.
            if let Some((name, end, live)) = running.iter().max_by_key(|(_, end, _)| *end) {
                tell(Event::Start(name, Some(end.saturating_duration_since(Instant::now())), live));
            }
        }
        round.steps.extend(winner);
        bad.map_or(Ok(round), Err)
    })
}

/// Takes parts until none is left or the answer is known. A part's time is its share of what all threads have left.
fn work(
    board: &Board,
    waiting: &Mutex<VecDeque<Slice>>,
    (threads, record): (usize, Record),
    end: Instant,
    group: &Cancel,
    sender: &Sender<Message>,
) {
    while group.check().is_ok() {
        let (slice, time) = {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let shares: f64 = waiting.iter().map(|slice| slice.share).sum();
            let Some(slice) = waiting.pop_front() else { return };
            let left = end.saturating_duration_since(Instant::now());
            let time = left.min(left.mul_f64(threads as f64 * slice.share / shares));
            (slice, time)
        };
        let preset = Preset::named(&slice.preset).expect("plans are checked by a test");
        let mut counters = record.counters();
        if sender.send(Message::Start(slice.preset, time, counters.live.clone())).is_err() {
            return;
        }
        let (own, mut knowledge) = (group.child(Some(time)), Knowledge::default());
        let (done, verdict) = board.step(&preset, &Options::default(), &mut knowledge, &own, &mut counters);
        if sender.send(Message::Done(Box::new(done), verdict, Box::new(counters))).is_err() {
            return;
        }
    }
}
