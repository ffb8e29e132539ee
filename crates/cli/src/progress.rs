//! Live progress on standard error: one line that is rewritten, only on a terminal, only after a second.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The line and when it was last written.
pub struct Progress {
    enabled: bool,
    start: Instant,
    shown: Option<Instant>,
}

impl Progress {
    /// Shows nothing when `quiet`, or when standard error is not a terminal.
    pub fn new(start: Instant, quiet: bool) -> Self {
        Self { enabled: !quiet && std::io::stderr().is_terminal(), start, shown: None }
    }

    /// Whether it is shown.
    pub fn is_shown(&self) -> bool {
        self.enabled
    }

    /// Rewrites the line, at most eight times a second: time, engine, where that is, memory.
    pub fn show(&mut self, part: Option<(&str, &str)>, memory: Option<u64>) {
        let due = match self.shown {
            None => self.start.elapsed() > Duration::from_secs(1),
            Some(last) => last.elapsed() > Duration::from_millis(125),
        };
        if !self.enabled || !due {
            return;
        }
        let seconds = self.start.elapsed().as_secs_f64();
        let part = match part {
            None => "reading the program".to_owned(),
            Some((name, "")) => name.to_owned(),
            Some((name, live)) => format!("{name}: {live}"),
        };
        let memory = memory.map(|bytes| format!(", {} MiB", bytes >> 20)).unwrap_or_default();
        let mut err = std::io::stderr();
        // Progress that cannot be shown does no harm.
        let _ = write!(err, "\r\x1b[K{seconds:6.1} s  {part}{memory}");
        let _ = err.flush();
        self.shown = Some(Instant::now());
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
