//! Exceptions of the library. Without a callback it would end the process; with one it reports and returns a null.

use std::cell::RefCell;
use std::ffi::{CStr, c_char};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes the library report to this thread's [`take`]; its own setting is per thread too.
pub fn catch() {
    // SAFETY: the callback is a plain function that lives forever.
    unsafe { crate::raw::bitwuzla_set_abort_callback(Some(remember)) }
}

/// What went wrong in this thread since the last call, if anything.
pub fn take() -> Option<String> {
    LAST.take()
}

unsafe extern "C" fn remember(message: *const c_char) {
    // SAFETY: the library passes a C string.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    LAST.set(Some(text));
}
