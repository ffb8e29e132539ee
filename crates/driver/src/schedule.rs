//! Which parts of a sequence fit a program, and how they are run: one after the other, or several at once on threads
//! of their own. The first sound verdict wins and stops the others.

use crate::asked::Asked;
use crate::features::{Condition, Features};
use crate::preset::{Plan, Preset, Slice};
use crate::run::{PartRun, Recording, RunEvent, Settings};
use analyses::{BadOption, Options, TargetHandling};
use base::{Cancel, Counters, Live, Stopped};
use flow::Prepared;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
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
pub fn explain(program: &Prepared, preset: &Preset, threads: usize, wanted: Wanted) -> Vec<String> {
    let features = Features::new(program);
    let mut lines = vec![format!("features: {features}")];
    if wanted == Wanted::Each {
        lines.push(format!("targets: {}, each decided separately", program.targets.len()));
    }
    let alone = |preset: &Preset| match preset.plan() {
        Plan::Engine { analysis, .. } if wanted == Wanted::Each && analysis.targets == TargetHandling::Together => {
            ", one run per target"
        }
        Plan::Engine { .. } | Plan::Sequence(_) => "",
    };
    match preset.plan() {
        Plan::Engine { analysis, .. } => {
            lines.push(format!("plan: engine {} alone{}", analysis.name, alone(preset)));
        }
        Plan::Sequence(slices) => {
            let chosen = fitting(&slices, &features);
            let shares: f64 = chosen.iter().map(|slice| slice.share).sum();
            lines.push(format!("plan: {} of {} analyses, {threads} at a time", chosen.len(), slices.len()));
            let shared = "shared: how memory is split, facts proved at loop heads, infeasible prefixes of paths, \
                          predicates, tracked values, and bounds";
            lines.push(shared.to_owned());
            for slice in &slices {
                let reason = match unmet(slice, &features) {
                    Some(condition) => format!("left out: not `{condition}`"),
                    None => {
                        let most = slice.seconds.map(|seconds| format!(", at most {seconds} s"));
                        let why = (!slice.when.is_empty()).then(|| format!(", since {}", slice.when.join(", ")));
                        let share = 100.0 * slice.share / shares;
                        format!("{share:.0} % of the time{}{}", most.unwrap_or_default(), why.unwrap_or_default())
                    }
                };
                let part = Preset::named(&slice.preset).expect("plans are checked by a test");
                lines.push(format!("  {}: {reason}{}", slice.label, alone(&part)));
            }
        }
    }
    lines.push("budgets: what a step within an analysis may take of the time that the analysis has left".to_owned());
    lines
        .extend(preset.budgets().rows().map(|(name, allowance, purpose)| format!("  {name}: {allowance} ({purpose})")));
    lines
}

/// What the parts of a run told each other, and how often others had use for it; `None` if there was one part only.
pub fn explain_shared(counters: &Counters) -> Option<String> {
    counters.values().find(|(name, _)| name.starts_with("shared"))?;
    let number = |name: &str| counters.value(&format!("shared {name}"));
    Some(format!(
        "shared: {} infeasible prefixes (used {} times by another part), {} undecided paths (used {} times), {} \
         predicates ({} taken over, {} proved as facts)",
        number("infeasible prefixes"),
        number("infeasible prefixes, used"),
        number("undecided paths"),
        number("undecided paths, used"),
        number("predicates"),
        number("predicates, used"),
        number("predicates, proved"),
    ))
}

/// What the threads tell.
enum Message {
    Start(String, Duration, Live),
    Done(String, Box<PartRun>, Box<Result<Verdict, BadOption>>, Box<Counters>),
}

/// What came of a round.
pub struct Round {
    /// The sound verdict, or why there is none.
    pub verdict: Result<Verdict, Stop>,
    /// The parts, by label, that ran out of time.
    pub unfinished: Vec<String>,
    /// All parts in the order in which they ended; the one with the verdict is last.
    pub steps: Vec<PartRun>,
    /// What they counted; the trail is that of the verdict, else the last one.
    pub counters: Counters,
}

/// How long others have to say what they counted once one part has a verdict.
const FAREWELL: Duration = Duration::from_millis(100);

/// Runs parts on threads until one has a sound verdict. A part that does not stop then is not waited for: a solver that
/// simplifies a large formula does not look at the clock.
pub fn round(
    asked: &Arc<Asked>,
    slices: &[Slice],
    settings: &Settings,
    time: Duration,
    cancel: &Cancel,
    tell: &mut dyn FnMut(RunEvent),
) -> Result<Round, BadOption> {
    let (threads, record) = (settings.threads, settings.record);
    let end = Instant::now() + time;
    let group = cancel.child(None);
    let queue = Arc::new(Mutex::new(Queue::new(slices, threads, end)));
    let (sender, receiver) = channel();
    for _ in 0..threads.min(slices.len()) {
        let (asked, queue, group, sender) = (asked.clone(), queue.clone(), group.clone(), sender.clone());
        let thread = std::thread::Builder::new().spawn(move || work(&asked, &queue, record, &group, &sender));
        if thread.is_err() {
            // The system has no room for more; those that run do all the work.
            break;
        }
    }
    drop(sender);
    let mut running: Vec<(String, Instant, Live)> = Vec::new();
    let verdict = Err(Stop::Bound("no analysis is available".into()));
    let verdict = if slices.is_empty() { verdict } else { Err(Stop::Limit(Stopped::Memory)) };
    let mut round = Round { verdict, unfinished: Vec::new(), steps: Vec::new(), counters: Counters::default() };
    let (mut bad, mut winner, mut farewell) = (None, None, None);
    while let Some(message) = next(&receiver, farewell) {
        match message {
            Message::Start(name, time, live) => running.push((name, Instant::now() + time, live)),
            Message::Done(label, step, verdict, counters) => {
                running.retain(|(name, ..)| *name != label);
                round.counters.absorb(&counters);
                let answered = round.verdict.is_ok();
                let sound = matches!(*verdict, Ok(Verdict::Safe(_) | Verdict::Unsafe(_)));
                match *verdict {
                    Err(error) => bad = Some(error),
                    // A part that the winner stopped has nothing to say.
                    _ if round.verdict.is_ok() => continue,
                    Ok(Verdict::Unknown(Stop::Limit(Stopped::Time | Stopped::Asked))) => round.unfinished.push(label),
                    Ok(Verdict::Unknown(stop)) => {
                        if round.verdict.as_ref().is_err_and(|known| known.weight() <= stop.weight()) {
                            round.verdict = Err(stop);
                        }
                    }
                    Ok(verdict) => round.verdict = Ok(verdict),
                }
                if !answered {
                    round.counters.trail = counters.trail;
                }
                if sound {
                    group.stop();
                    winner = Some(*step);
                    farewell = Some(Instant::now() + FAREWELL);
                    continue;
                }
                tell(RunEvent::GaveUp(&step));
                round.steps.push(*step);
            }
        }
        // Watchers outside this process are shown one part: the one that may take longest.
        if let Some((name, end, live)) = running.iter().max_by_key(|(_, end, _)| *end) {
            tell(RunEvent::Start(name, Some(end.saturating_duration_since(Instant::now())), live));
        }
    }
    round.steps.extend(winner);
    bad.map_or(Ok(round), Err)
}

/// The next message, if there is one before the end.
fn next(receiver: &Receiver<Message>, end: Option<Instant>) -> Option<Message> {
    match end {
        None => receiver.recv().ok(),
        Some(end) => receiver.recv_timeout(end.saturating_duration_since(Instant::now())).ok(),
    }
}

/// The parts that wait for a thread.
pub struct Queue {
    waiting: VecDeque<Slice>,
    /// The parts that run, and when their time is over.
    running: Vec<(String, Instant)>,
    threads: usize,
    end: Instant,
}

impl Queue {
    /// Parts that have all their threads until `end`.
    pub fn new(slices: &[Slice], threads: usize, end: Instant) -> Queue {
        Queue { waiting: slices.iter().cloned().collect(), running: Vec::new(), threads, end }
    }

    /// The next part, and its share of the time that all threads have left apart from what is promised to others.
    pub fn take(&mut self, now: Instant) -> Option<(Slice, Duration)> {
        let shares: f64 = self.waiting.iter().map(|slice| slice.share).sum();
        let slice = self.waiting.pop_front()?;
        let left = self.end.saturating_duration_since(now);
        let promised: Duration = self.running.iter().map(|(_, end)| end.saturating_duration_since(now)).sum();
        let free = (left * self.threads as u32).saturating_sub(promised);
        let most = slice.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let time = left.min(free.mul_f64(slice.share / shares)).min(most.unwrap_or(left));
        self.running.push((slice.label.clone(), now + time));
        Some((slice, time))
    }

    /// A part has ended. One that has said all it can, or took more memory than there is, does not come again: with more
    /// time it would be the same.
    pub fn end(&mut self, slice: &Slice, ran_out: RanOut) {
        self.running.retain(|(label, _)| *label != slice.label);
        match ran_out {
            RanOut::OfTime => {}
            RanOut::OfIdeas => self.waiting.retain(|later| later.preset != slice.preset),
        }
    }
}

/// Why a part has no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RanOut {
    /// It might have one with more time.
    OfTime,
    /// It would not.
    OfIdeas,
}

/// Takes parts until none is left or the answer is known.
fn work(asked: &Asked, queue: &Mutex<Queue>, record: Recording, group: &Cancel, sender: &Sender<Message>) {
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    while group.check().is_ok() {
        let Some((slice, time)) = lock().take(Instant::now()) else { return };
        let preset = Preset::named(&slice.preset).expect("plans are checked by a test");
        let mut counters = record.counters();
        if sender.send(Message::Start(slice.label.clone(), time, counters.live.clone())).is_err() {
            return;
        }
        let own = group.part(Some(time));
        let (done, verdict) = asked.step(&preset, &Options::default(), &own, &mut counters);
        let in_time = own.remaining().is_none_or(|left| !left.is_zero());
        lock().end(&slice, if in_time { RanOut::OfIdeas } else { RanOut::OfTime });
        if sender.send(Message::Done(slice.label, Box::new(done), Box::new(verdict), Box::new(counters))).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue of `preset share` or `preset share seconds`, with 60 s left.
    fn queue(parts: &[&str], threads: usize, now: Instant) -> Queue {
        let slice = |(at, text): (usize, &&str)| {
            let words: Vec<&str> = text.split(' ').collect();
            let number = |at: usize| words.get(at).map(|word| word.parse().expect("a number"));
            Slice {
                preset: words[0].into(),
                label: format!("{}#{at}", words[0]),
                share: number(1).expect("a share"),
                seconds: number(2),
                when: Vec::new(),
            }
        };
        let slices: Vec<Slice> = parts.iter().enumerate().map(slice).collect();
        Queue::new(&slices, threads, now + Duration::from_secs(60))
    }

    fn take(queue: &mut Queue, now: Instant, preset: &str, seconds: f64) -> Slice {
        let (slice, time) = queue.take(now).expect("there is one more");
        assert_eq!((slice.preset.as_str(), (time.as_secs_f64() * 1e6).round() / 1e6), (preset, seconds));
        slice
    }

    /// The sender is a part that still runs.
    #[test]
    fn a_part_that_does_not_stop_is_not_waited_for() {
        let (sender, receiver) = channel();
        assert!(next(&receiver, Some(Instant::now())).is_none());
        drop(sender);
    }

    #[test]
    fn a_try_leaves_its_time_to_the_others() {
        let now = Instant::now();
        let mut queue = queue(&["a 10 2", "b 10", "c 19"], 1, now);
        let first = take(&mut queue, now, "a", 2.0);
        queue.end(&first, RanOut::OfTime);
        take(&mut queue, now + Duration::from_secs(2), "b", 20.0);
    }

    #[test]
    fn what_is_promised_to_one_thread_is_not_given_to_another() {
        let now = Instant::now();
        let mut queue = queue(&["a 50", "b 25", "c 25"], 2, now);
        take(&mut queue, now, "a", 60.0);
        let second = take(&mut queue, now, "b", 30.0);
        queue.end(&second, RanOut::OfTime);
        take(&mut queue, now + Duration::from_secs(30), "c", 30.0);
    }

    #[test]
    fn who_said_all_does_not_come_again() {
        let now = Instant::now();
        let mut queue = queue(&["a 10 1", "b 10 1", "a 20", "b 20"], 1, now);
        let (first, second) = (take(&mut queue, now, "a", 1.0), take(&mut queue, now, "b", 1.0));
        queue.end(&first, RanOut::OfIdeas);
        queue.end(&second, RanOut::OfTime);
        take(&mut queue, now, "b", 60.0);
        assert!(queue.take(now).is_none());
    }
}
