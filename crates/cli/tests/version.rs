//! `-V` for programs, `--version` for people who report a bug.

mod command;

use command::argonaut;

#[test]
fn the_short_version_is_one_line() {
    let run = argonaut(&["-V"]);
    assert_eq!((run.code, run.out), (0, format!("argonaut {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn the_long_version_names_commit_solvers_and_licences() {
    let run = argonaut(&["--version"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.out.lines().next(), Some(concat!("argonaut ", env!("CARGO_PKG_VERSION"))));
    for word in ["commit: ", "licence: Apache-2.0", "Bitwuzla 0.", "CaDiCaL ", "GMP ", "MPFR ", "batsat 0.", "OxiDD 0."]
    {
        assert!(run.out.contains(word), "no {word:?} in {}", run.out);
    }
}
