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
    /// Shows nothing when `quiet`, or where nobody watches.
    pub fn new(start: Instant, quiet: bool) -> Self {
        Self { enabled: !quiet && std::io::stderr().is_terminal(), start, shown: None }
    }

    /// Rewrites the line, at most eight times a second.
    pub fn show(&mut self, part: Option<&str>, memory: Option<u64>) {
        let due = match self.shown {
            None => self.start.elapsed() > Duration::from_secs(1),
            Some(last) => last.elapsed() > Duration::from_millis(125),
        };
        if !self.enabled || !due {
            return;
        }
        let seconds = self.start.elapsed().as_secs_f64();
        let memory = memory.map(|bytes| format!(", {} MiB", bytes >> 20)).unwrap_or_default();
        let mut err = std::io::stderr();
        // Progress that cannot be shown harms nobody.
        let _ = write!(err, "\r\x1b[K{seconds:6.1} s  {}{memory}", part.unwrap_or("reading the program"));
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
