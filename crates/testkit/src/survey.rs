//! What surveys of presets over generated programs have in common: their arguments, the threads that ask, and how they end.

use crate::ask::Verifier;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// Whom a survey asks, and about how much.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Whom.
    pub verifier: Verifier,
    /// How many programs, or questions.
    pub count: u64,
    /// The first seed.
    pub first: u64,
    /// With which presets; none stand for all.
    pub presets: Vec<String>,
    /// How many at a time; `None` if it asks one question after the other.
    pub jobs: Option<usize>,
}

impl Survey {
    /// Reads the command line: the verifier, then pairs of a name and a value; the given time, count and number of jobs
    /// apply without them. `further` takes the options that only this survey has; `None` if one is not understood.
    pub fn parse(
        (time, count, jobs): (f64, u64, Option<usize>),
        mut further: impl FnMut(&str, String) -> Option<()>,
    ) -> Option<Survey> {
        let mut words = std::env::args().skip(1);
        let verifier = Verifier { path: words.next()?, time };
        let mut survey = Survey { verifier, count, first: 0, presets: Vec::new(), jobs };
        while let Some(word) = words.next() {
            let value = words.next()?;
            match word.as_str() {
                "--count" => survey.count = value.parse().ok()?,
                "--first" => survey.first = value.parse().ok()?,
                "--time" => survey.verifier.time = value.parse().ok().filter(|time| *time > 0.0)?,
                "--jobs" if jobs.is_some() => survey.jobs = Some(value.parse().ok().filter(|&jobs| jobs > 0)?),
                "--presets" => survey.presets = value.split(',').map(str::to_owned).collect(),
                other => further(other, value)?,
            }
        }
        Some(survey)
    }

    /// All presets, if none were named.
    pub fn complete(&mut self) -> Result<(), String> {
        if self.presets.is_empty() {
            self.presets = self.verifier.presets()?;
        }
        Ok(())
    }

    /// Lets as many workers as there are jobs do the work; what they made of it.
    pub fn share<W: Send>(&self, work: W, worker: impl Fn(&Mutex<W>) + Sync) -> W {
        let work = Mutex::new(work);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.unwrap_or(1) {
                scope.spawn(|| worker(&work));
            }
        });
        work.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The status of the command `name`: 1 if something is wrong, 2 if it could not be found out.
pub fn status(name: &str, is_good: Result<bool, String>) -> ExitCode {
    match is_good {
        Ok(is_good) => ExitCode::from(u8::from(!is_good)),
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::from(2)
        }
    }
}
