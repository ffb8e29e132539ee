//! Broken invariants become a value: a panic is caught once, with its message and position, and prints nothing.

use base::Stopped;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use verdict::Stop;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on panics print nothing; [`catch`] tells about them.
pub fn silence() {
    set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let at = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        LAST.with_borrow_mut(|last| *last = text + &at);
    }));
}

/// What `work` returns, or what its panic said, in one line.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    LAST.with_borrow_mut(String::clear);
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let text = LAST.with_borrow_mut(std::mem::take);
        if text.is_empty() { "panic".to_owned() } else { text }
    })
}

/// What libraries say that panic for want of a thread or of memory.
const REFUSED: [&str; 4] = [
    "could not build thread pool",
    "failed to spawn thread",
    "Resource temporarily unavailable",
    "Cannot allocate memory",
];

/// What a panic means: threads and memory that the system refuses are a limit, everything else is a mistake of ours.
pub fn stop(panic: String) -> Stop {
    match REFUSED.iter().any(|words| panic.contains(words)) {
        true => Stop::Limit(Stopped::Memory),
        false => Stop::Internal(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_refuses_is_a_limit() {
        let pool = "could not build thread pool: ThreadPoolBuildError { kind: IOError(Os { code: 11 }) }";
        assert_eq!(stop(pool.into()), Stop::Limit(Stopped::Memory));
        assert_eq!(stop("it is odd".into()), Stop::Internal("it is odd".into()));
    }
}
