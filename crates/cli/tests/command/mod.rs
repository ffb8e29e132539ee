//! Runs the built command; shared by the tests of this folder.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod hostile;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What a run of the command left behind.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// The last line of standard output.
    pub fn verdict(&self) -> &str {
        self.out.lines().last().unwrap_or("")
    }
}

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The command, to be run in the repository's folder.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_argonaut"));
    command.args(args).current_dir(root()).stdin(Stdio::null()).env_remove("CC");
    command
}

/// Runs the command to its end.
pub fn argonaut(args: &[&str]) -> Run {
    finish(command(args).output().expect("the command starts"))
}

/// What a finished process left behind.
pub fn finish(output: Output) -> Run {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8 only");
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// Writes a file for a test; returns its path. Names must differ between tests.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("a writable folder");
    path.to_str().expect("a plain path").to_owned()
}

/// The text without the folder where `file` writes.
pub fn without_folder(text: &str) -> String {
    text.replace(&format!("{}/", env!("CARGO_TARGET_TMPDIR")), "")
}

/// Waits until some thread of the process has started another process: the worker, once signals are handled.
pub fn await_worker(process: u32) {
    let start = Instant::now();
    let has_children = || {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let mut children = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
        children.any(|children| !children.trim().is_empty())
    };
    while !has_children() {
        assert!(start.elapsed() < Duration::from_secs(60), "no worker was started, or it ended before it was seen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
