//! Broken invariants become a value: a panic is caught once, with its message and position, and prints nothing.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

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
