//! A real editor talks to `argonaut lsp`, where Neovim is installed; `lsp.rs` tests the protocol everywhere.

mod command;

use command::root;
use std::process::Command;

#[test]
fn neovim_shows_a_bug_and_an_invariant() {
    if Command::new("nvim").arg("--version").output().is_err() {
        eprintln!("skipped: nvim is missing");
        return;
    }
    let script = root().join("contrib/neovim/test");
    let output = Command::new(script).arg(env!("CARGO_BIN_EXE_argonaut")).output().expect("a script");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success(), "{text}");
    for part in ["bug.c:7:9: reach_error() is called", "line 5: x = ", "holds whenever the loop", "even"] {
        assert!(text.contains(part), "{text}");
    }
}
