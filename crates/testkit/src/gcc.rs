//! gcc as the oracle: preprocesses, compiles and runs programs.

use crate::program::Finished;
use crate::scratch::Scratch;
use cfa::DataModel;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Whether gcc is installed and can make programs for the data model.
pub fn is_available(model: DataModel) -> bool {
    matches!(run("int main(void) { return 0; }", model, &[], Duration::from_secs(30)), Ok(Some(_)))
}

/// Flags that fix the data model; 32-bit floats must not be computed with x87's excess precision.
fn model_flags(model: DataModel) -> &'static [&'static str] {
    match model {
        DataModel::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
        DataModel::Lp64 => &["-m64"],
    }
}

fn checked(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot run gcc: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(message.lines().take(20).collect::<Vec<_>>().join("\n"))
}

/// The text after `gcc -E`.
pub fn preprocess(text: &str, model: DataModel, flags: &[&str]) -> Result<String, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let file = scratch.file("program.c");
    write(&file, text)?;
    let output = checked(Command::new("gcc").args(["-E", "-w"]).args(model_flags(model)).args(flags).arg(file))?;
    Ok(base::raw_text(output))
}

/// Writes a text with the bytes that it stands for.
fn write(file: &Path, text: &str) -> Result<(), String> {
    let mut bytes = Vec::new();
    base::raw_bytes(text, &mut bytes);
    std::fs::write(file, bytes).map_err(|error| error.to_string())
}

/// What gcc's sanitizer finds undefined in the program, if it does. Misaligned accesses, which x86 allows, do not count.
pub fn undefined_behaviour(text: &str, model: DataModel, flags: &[&str]) -> Option<String> {
    let sanitize = ["-fsanitize=undefined,float-cast-overflow", "-fno-sanitize=alignment", "-fno-sanitize-recover=all"];
    let all: Vec<&str> = flags.iter().copied().chain(sanitize).collect();
    let scratch = Scratch::new().ok()?;
    let (file, binary) = (scratch.file("program.c"), scratch.file("program"));
    compile(text, model, &all, &file, &binary).ok()?;
    let output = Command::new("timeout").arg("20").arg(&binary).stdin(Stdio::null()).output().ok()?;
    let message = String::from_utf8_lossy(&output.stderr);
    message.lines().find(|line| line.contains("runtime error")).map(str::to_owned)
}

/// Compiles the text with `-O0 -fwrapv`, by way of `file`, to `binary`.
pub fn compile(text: &str, model: DataModel, flags: &[&str], file: &Path, binary: &Path) -> Result<(), String> {
    write(file, text)?;
    let mut command = Command::new("gcc");
    command.args(["-O0", "-fwrapv", "-w", "-std=gnu11"]).args(model_flags(model)).args(flags);
    checked(command.arg(file).arg("-o").arg(binary).arg("-lm")).map(|_| ())
}

/// What the program does when compiled with `-O0 -fwrapv`; `None` if it does not end in time.
pub fn run(text: &str, model: DataModel, flags: &[&str], limit: Duration) -> Result<Option<Finished>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let (file, binary) = (scratch.file("program.c"), scratch.file("program"));
    compile(text, model, flags, &file, &binary)?;
    let output = scratch.file("output");
    let sink = std::fs::File::create(&output).map_err(|error| error.to_string())?;
    let mut child = Command::new(&binary)
        .stdin(Stdio::null())
        .stdout(sink)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if start.elapsed() > limit => {
                child.kill().ok();
                child.wait().ok();
                return Ok(None);
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    // As a shell shows it: 128 and the signal.
    let status = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(-1);
    let bytes = std::fs::read(&output).map_err(|error| error.to_string())?;
    Ok(Some(Finished { output: String::from_utf8_lossy(&bytes).into_owned(), status }))
}
