//! `--config FILE.toml`: options by their long names. The file's options come before those of the command line, which
//! therefore win; what may be repeated adds up.
//!
//! ```toml
//! time-limit = "60s"
//! analysis = "k-induction"
//! set = ["k-max=20"]
//! statistics = true
//! ```

use clap::Parser;
use clap::error::ErrorKind;
use std::ffi::OsString;

/// The arguments with those of the configuration file put in after the subcommand.
pub fn expand(args: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let Some(file) = named_file(&args)? else { return Ok(args) };
    let path = std::path::Path::new(&file);
    let text = driver::read_text(path, "options in TOML").map_err(|error| error.to_string())?;
    let words = driver::config_file::words(&text, &path.display().to_string())?;
    let at = args.len().min(2);
    check(&args[..at], &words, path)?;
    let mut all = args;
    all.splice(at..at, words.into_iter().map(OsString::from));
    Ok(all)
}

/// Whether the options of the file are ones, so that a mistake names the file and not the command line.
fn check(command: &[OsString], words: &[String], path: &std::path::Path) -> Result<(), String> {
    let all = command.iter().cloned().chain(words.iter().map(OsString::from)).chain(["FILE".into()]);
    match crate::args::Cli::try_parse_from(all) {
        // What is missing may stand on the command line.
        Err(error) if error.use_stderr() && error.kind() != ErrorKind::MissingRequiredArgument => {
            Err(format!("{}: {}", path.display(), crate::args::one_line(&error)))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// `--config FILE` or `--config=FILE`.
fn named_file(args: &[OsString]) -> Result<Option<OsString>, String> {
    for (at, arg) in args.iter().enumerate() {
        match arg.to_str() {
            Some("--") => break,
            Some("--config") => {
                return args.get(at + 1).cloned().map(Some).ok_or_else(|| "expected --config FILE.toml".into());
            }
            Some(word) => {
                if let Some(file) = word.strip_prefix("--config=") {
                    return Ok(Some(file.into()));
                }
            }
            None => {}
        }
    }
    Ok(None)
}
