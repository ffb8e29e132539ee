//! `argonaut doctor`: whether all that Argonaut uses is there and works.

use base::Cancel;
use driver::children::{ChildEnd, ChildLimits, ChildProgram};
use driver::{Options, Preset, Request, Task};
use flow::Prepared;
use std::time::Duration;
use verdict::Verdict;

/// A finding: what was looked at, how it is, whether Argonaut needs it.
struct Finding {
    what: &'static str,
    state: Result<String, String>,
    needed: bool,
}

/// Looks at everything; the exit status is 0 if all that is needed works.
pub fn doctor() -> Result<u8, String> {
    let findings = [
        Finding { what: "solver", state: solver(), needed: true },
        Finding { what: "compiler (cc -E)", state: compiler(&["-E"]), needed: false },
        Finding { what: "32-bit programs (cc -m32)", state: compiler(&["-m32", "-fsyntax-only"]), needed: false },
        Finding { what: "temporary files", state: temporary_files(), needed: false },
        Finding { what: "isolation (--confirm)", state: isolation(), needed: false },
        Finding { what: "memory", state: memory(), needed: false },
    ];
    let mut all_well = true;
    let mut text = format!("argonaut {}\n", env!("CARGO_PKG_VERSION"));
    for Finding { what, state, needed } in findings {
        let (word, detail) = match state {
            Ok(detail) => ("ok", detail),
            Err(detail) if needed => {
                all_well = false;
                ("FAILS", detail)
            }
            Err(detail) => ("missing", detail),
        };
        text += &format!("{what:26} {word:8} {detail}\n");
    }
    crate::print(&text);
    Ok(if all_well { 0 } else { 1 })
}

const PROGRAM: &str = "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x * x == 1369u && x < 100u && x > 30u) reach_error(); }\n";

/// Lets the solver find the square root of 1369.
fn solver() -> Result<String, String> {
    let folder = driver::PrivateFolder::new()?;
    let file = folder.path().join("doctor.c");
    crate::write_file(&file, PROGRAM)?;
    let found = (|| {
        let request = Request { files: vec![file.clone()], ..Request::default() };
        let task = Task::new(request).map_err(|error| error.to_string())?;
        let mut program = driver::load(&task).map_err(|error| error.to_string())?.program;
        driver::prepare(&mut program, task.outside);
        let preset = Preset::named("bmc").expect("built in");
        let run =
            driver::run(&Prepared::new(program), &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
        run.map(|outcome| outcome.verdict).map_err(|error| error.to_string())
    })();
    match found? {
        Verdict::Unsafe(found) if found.choices.iter().any(|choice| choice.bits == 37) => Ok("Bitwuzla answers".into()),
        _ => Err("the solver gives a wrong answer".into()),
    }
}

fn compiler(flags: &[&str]) -> Result<String, String> {
    const LONG: Duration = Duration::from_secs(30);
    let name = driver::compiler("cc");
    let program = ChildProgram::new(&name).args(flags).args(["-x", "c", "/dev/null"]).silent();
    match program.within(ChildLimits::default(), LONG).run() {
        Ok(ended) if ended.end == ChildEnd::Exit(0) => Ok(name),
        Ok(_) => Err(format!("`{name}` fails; apt install gcc gcc-multilib")),
        Err(error) => Err(format!("`{name}` cannot be run ({error}); apt install gcc")),
    }
}

fn temporary_files() -> Result<String, String> {
    driver::PrivateFolder::new()?;
    Ok(std::env::temp_dir().display().to_string())
}

/// What keeps programs that `--confirm` executes to themselves.
fn isolation() -> Result<String, String> {
    const LONG: Duration = Duration::from_secs(30);
    let folder = driver::PrivateFolder::new()?;
    let program = ChildProgram::new("true").silent().alone(folder.path()).tested().within(ChildLimits::default(), LONG);
    match program.run() {
        Ok(ended) if ended.not_isolated.is_empty() => {
            Ok("no network, no sockets, no files outside a private folder".into())
        }
        Ok(ended) => Err(ended.not_isolated.join("; ")),
        Err(error) => Err(error.to_string()),
    }
}

fn memory() -> Result<String, String> {
    let bytes = crate::limits::default_memory().ok_or("the system does not say how much there is")?;
    match bytes >> 20 {
        enough @ 1000.. => Ok(format!("{enough} MiB")),
        little => Err(format!("{little} MiB are little")),
    }
}
