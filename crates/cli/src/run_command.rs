//! `argonaut run`: executes a program with the one evaluator.

use crate::args::RunArgs;

/// Executes the program; the exit status is the program's.
pub fn run(args: &RunArgs) -> Result<u8, String> {
    let _ = args;
    Err("not yet".into())
}
