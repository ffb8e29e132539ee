//! Real programs under `argonaut run` and under gcc -O0: Lua with a script, SQLite with queries in memory. Their sources
//! come inside crates, which cargo fetches into a folder that is given; nothing of them is part of this repository.
//!
//! `projects target/release/argonaut FOLDER [lua|sqlite]...`

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use testkit::fetched::fetch;

/// A project: its crate, where its C files lie in it, and with which macros it is compiled.
struct Project {
    name: &'static str,
    package: &'static str,
    /// The folder in the crate starts like this.
    folder: &'static str,
    /// `None` means all C files of the folder.
    files: Option<&'static [&'static str]>,
    defines: &'static [&'static str],
    harness: &'static str,
}

const PROJECTS: &[Project] = &[
    Project {
        name: "lua",
        package: "lua-src",
        folder: "lua-5.4",
        files: None,
        defines: &[],
        harness: include_str!("../../projects/lua.c"),
    },
    Project {
        name: "sqlite",
        package: "libsqlite3-sys",
        folder: "sqlite3",
        files: Some(&["sqlite3.c"]),
        defines: &[
            "SQLITE_THREADSAFE=0",
            "SQLITE_OMIT_LOAD_EXTENSION",
            "SQLITE_OMIT_WAL",
            "SQLITE_MAX_MMAP_SIZE=0",
            "SQLITE_DQS=0",
        ],
        harness: include_str!("../../projects/sqlite.c"),
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [argonaut, folder, wanted @ ..] = args.as_slice() else {
        eprintln!("usage: projects ARGONAUT FOLDER [NAME]...");
        return ExitCode::from(2);
    };
    let packages: Vec<&str> = PROJECTS.iter().map(|project| project.package).collect();
    let vendored = match fetch(Path::new(folder), &packages) {
        Ok(vendored) => vendored,
        Err(error) => {
            eprintln!("projects: {error}");
            return ExitCode::from(2);
        }
    };
    let mut failed = false;
    for project in PROJECTS.iter().filter(|project| wanted.is_empty() || wanted.iter().any(|name| name == project.name))
    {
        match attempt(project, argonaut, Path::new(folder), &vendored) {
            Ok((theirs, ours, lines)) => {
                println!("{}: the same {lines} lines; gcc -O0 {:.3} s, argonaut {:.1} s", project.name, theirs, ours);
            }
            Err(error) => {
                println!("{}: {error}", project.name);
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}

/// Seconds that both take, and how many lines both print.
fn attempt(project: &Project, argonaut: &str, folder: &Path, vendored: &Path) -> Result<(f64, f64, usize), String> {
    let root = vendored.join(project.package);
    let entries = std::fs::read_dir(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    let sources = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| {
            path.is_dir() && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(project.folder))
        })
        .ok_or("its sources are not where they are expected")?;
    let harness = folder.join(format!("{}-harness.c", project.name));
    std::fs::write(&harness, project.harness).map_err(|error| error.to_string())?;
    let mut files = match project.files {
        Some(files) => files.iter().map(|file| sources.join(file)).collect(),
        None => testkit::folder::programs(&sources).map_err(|error| error.to_string())?,
    };
    files.push(harness);
    let mut options = vec!["-I".to_owned(), sources.display().to_string()];
    options.extend(project.defines.iter().flat_map(|define| ["-D".to_owned(), (*define).to_owned()]));

    let binary = folder.join(project.name);
    let mut gcc = Command::new("gcc");
    gcc.args(["-O0", "-w"]).args(&options).args(&files).arg("-o").arg(&binary).args(["-lm", "-ldl"]);
    let (compiled, _, _) = timed(&mut gcc)?;
    if !compiled {
        return Err("gcc rejects it".into());
    }
    let (_, theirs, expected) = timed(&mut Command::new(&binary))?;
    let (_, ours, found) = timed(Command::new(argonaut).arg("run").args(&options).args(&files))?;
    if expected != found {
        return Err(format!("gcc's program prints\n{expected}\nargonaut prints\n{found}"));
    }
    Ok((theirs.as_secs_f64(), ours.as_secs_f64(), expected.lines().count()))
}

/// Whether it succeeds, how long it takes, and what it prints; errors are shown.
fn timed(command: &mut Command) -> Result<(bool, Duration, String), String> {
    let start = Instant::now();
    let output = command.output().map_err(|error| error.to_string())?;
    let took = start.elapsed();
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok((output.status.success(), took, String::from_utf8_lossy(&output.stdout).into_owned()))
}
