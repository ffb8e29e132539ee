//! One verification for the editor: `verify` as a process that ends when its answer is no longer wanted.

use crate::supervise::ENDS_WITH_INPUT;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is to be verified, and how.
#[derive(Clone, Debug)]
pub struct Question {
    pub file: PathBuf,
    pub time: Duration,
    /// Further options of `verify`.
    pub options: Vec<OsString>,
}

/// What the process printed.
#[derive(Clone, Debug)]
pub struct Printed {
    pub out: String,
    pub err: String,
}

/// A verification that goes on; it ends when this value goes away.
pub struct Running {
    child: Arc<Mutex<Child>>,
}

impl Running {
    /// Starts a verification and hands what it printed to `done`, unless it is ended before.
    pub fn start(question: &Question, done: impl FnOnce(Printed) + Send + 'static) -> Result<Running, String> {
        let mut child =
            command(question)?.spawn().map_err(|error| format!("the verification could not be started: {error}"))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let ended = child.clone();
        std::thread::spawn(move || {
            let complaints = std::thread::spawn(move || text(err));
            let printed = Printed { out: text(out), err: complaints.join().unwrap_or_default() };
            // Both pipes are closed: it has ended, or is about to.
            let _ = ended.lock().unwrap_or_else(PoisonError::into_inner).wait();
            done(printed);
        });
        Ok(Running { child })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself. What it started ends when its standard input does.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        drop(child.stdin.take());
        let _ = child.kill();
    }
}

fn command(question: &Question) -> Result<Command, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["verify", "--quiet", "--format", "json", "--time-limit"]);
    command.arg(format!("{}s", question.time.as_secs_f64())).args(&question.options).arg("--").arg(&question.file);
    // Headers and the compile database are looked for where the file is.
    command.current_dir(question.file.parent().unwrap_or(Path::new("/")));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env(ENDS_WITH_INPUT, "yes").process_group(0);
    Ok(command)
}

/// All that comes out of a pipe.
fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What was read before an error is all there is.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
