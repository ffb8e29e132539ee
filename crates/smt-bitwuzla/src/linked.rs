//! What comes with the solver: the libraries that are linked into every program that uses it.

use crate::raw;
use std::ffi::{CStr, c_char};

/// A library inside the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linked {
    /// Its name.
    pub name: &'static str,
    /// Its version, as it says itself; empty if it has none.
    pub version: String,
    /// Its licence, as SPDX writes it.
    pub licence: &'static str,
}

/// Bitwuzla and the libraries that it is linked with.
pub fn linked() -> Vec<Linked> {
    // SAFETY: each of them is a C string that lives in its library.
    let [bitwuzla, cadical, gmp, mpfr] = unsafe {
        [raw::bitwuzla_version(), raw::ccadical_signature(), raw::__gmp_version, raw::mpfr_get_version()]
            .map(|text| words(text))
    };
    let cadical = cadical.trim_start_matches("cadical-").to_owned();
    vec![
        Linked { name: "Bitwuzla", version: bitwuzla, licence: "MIT" },
        Linked { name: "CaDiCaL", version: cadical, licence: "MIT" },
        Linked { name: "SymFPU", version: String::new(), licence: "BSD-3-Clause" },
        Linked { name: "GMP", version: gmp, licence: "LGPL-3.0-or-later OR GPL-2.0-or-later" },
        Linked { name: "MPFR", version: mpfr, licence: "LGPL-3.0-or-later" },
    ]
}

/// # Safety
/// `text` is a C string.
unsafe fn words(text: *const c_char) -> String {
    // SAFETY: the caller says so.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_say_their_versions() {
        for library in linked().into_iter().filter(|library| library.name != "SymFPU") {
            assert!(library.version.starts_with(|c: char| c.is_ascii_digit()), "{library:?}");
        }
    }
}
