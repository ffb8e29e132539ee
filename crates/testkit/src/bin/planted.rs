//! Bugs planted in a real library: `LZ4_decompress_safe` on arbitrary bytes, as it is and with a test taken out. Its
//! source comes inside a crate, which cargo fetches into a folder that is given; nothing of it is part of this repository.
//!
//! `planted target/release/argonaut FOLDER [--preset auto] [--time 60]`
//!
//! Says for each violation whether a build with gcc's sanitizers confirmed it in the time that was left.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;
use testkit::fetched::fetch;

const HARNESS: &str = include_str!("../../projects/lz4.c");
const PROPERTY: &str = "CHECK( init(main()), LTL(G valid-deref) )\n";

/// A test that is taken out: the text, and what is there instead.
type Plant = (&'static str, &'static str);

/// The end of the input is not looked at: literals are read past it.
const END: Plant = ("if ((ip+length != iend) || (cpy > oend))", "if (cpy > oend)");
/// Matches may begin before the output. Blocks of few bytes consist of literals alone, so they do not come there.
const OFFSET: Plant = ("if ((checkOffset) && (unlikely(match + dictSize < lowPrefix))) goto _output_error;", ";");

/// A question: what is planted, the sizes of input and output, and whether there is a violation.
const QUESTIONS: &[(&str, Option<Plant>, u32, u32, bool)] = &[
    ("as it is", None, 6, 16, false),
    ("end of input", Some(END), 6, 16, true),
    ("offset of matches", Some(OFFSET), 6, 16, false),
    ("offset of matches", Some(OFFSET), 14, 32, true),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [argonaut, folder, options @ ..] = args.as_slice() else {
        eprintln!("usage: planted ARGONAUT FOLDER [--preset auto] [--time 60]");
        return ExitCode::from(2);
    };
    let option = |name: &str, default: &str| {
        let given = options.iter().position(|word| word == name).and_then(|at| options.get(at + 1));
        given.cloned().unwrap_or_else(|| default.to_owned())
    };
    let (preset, time) = (option("--preset", "auto"), option("--time", "60"));
    let mut wrong = 0;
    for &question in QUESTIONS {
        match ask(argonaut, Path::new(folder), question, (&preset, &time)) {
            Ok((said, seconds)) => {
                let expected = if question.4 { "FALSE" } else { "TRUE" };
                println!("{:20} {:2} bytes  {said:18} {seconds:6.1} s", question.0, question.2);
                wrong += usize::from(!said.starts_with(expected) && said != "UNKNOWN");
            }
            Err(error) => {
                eprintln!("planted: {error}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::from(u8::from(wrong > 0))
}

/// The verdict and the seconds that it took.
fn ask(
    argonaut: &str,
    folder: &Path,
    (_, plant, input, output, _): (&str, Option<Plant>, u32, u32, bool),
    (preset, time): (&str, &str),
) -> Result<(String, f64), String> {
    let text = |error: std::io::Error| error.to_string();
    let sources = fetch(folder, &["lz4-sys"])?.join("lz4-sys/liblz4/lib");
    let mut library = std::fs::read_to_string(sources.join("lz4.c")).map_err(text)?;
    if let Some((test, instead)) = plant {
        if library.matches(test).count() != 1 {
            return Err(format!("not once in lz4.c: {test}"));
        }
        library = library.replace(test, instead);
    }
    let changed = folder.join("planted");
    std::fs::create_dir_all(&changed).map_err(text)?;
    std::fs::write(changed.join("lz4.c"), library).map_err(text)?;
    std::fs::write(changed.join("harness.c"), HARNESS).map_err(text)?;
    std::fs::write(changed.join("valid-deref.prp"), PROPERTY).map_err(text)?;
    let mut command = Command::new(argonaut);
    command.args(["verify", "--confirm", "--analysis", preset, "--time-limit", &format!("{time}s"), "-I"]).arg(sources);
    command.args(["-D", &format!("INPUT={input}"), "-D", &format!("OUTPUT={output}")]);
    command.arg("--property").arg(changed.join("valid-deref.prp")).arg(changed.join("harness.c"));
    let start = Instant::now();
    let done = command.output().map_err(text)?;
    let printed = String::from_utf8_lossy(&done.stdout);
    let said = match done.status.code() {
        Some(0) => "TRUE",
        Some(1) if printed.lines().any(|line| line.starts_with("confirmed")) => "FALSE, confirmed",
        Some(1) => "FALSE",
        Some(3) => "UNKNOWN",
        _ => return Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    };
    Ok((said.to_owned(), start.elapsed().as_secs_f64()))
}
