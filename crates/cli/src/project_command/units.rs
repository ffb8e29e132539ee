//! The files of a project with their options of the preprocessor, and the functions in them.

use crate::args::{ProjectArgs, VerifyArgs};
use base::printable;
use driver::compile_database;
use driver::{Given, Preprocessing, PrivateFolder, Request, Sources, Task};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// A C file and how it is compiled.
pub struct Unit {
    /// One, or those of `verify`.
    pub files: Vec<PathBuf>,
    /// The request without function.
    request: Request,
    /// Macros that are too many for a command line, in a database of one entry.
    macros: OnceLock<Result<PrivateFolder, String>>,
}

/// A function to verify.
#[derive(Clone, Debug)]
pub struct Subject {
    pub unit: usize,
    /// As the user named it.
    pub file: String,
    pub name: String,
    pub line: u32,
    pub digest: String,
    /// Where the other functions of the file are: name, first and last line.
    pub neighbours: std::sync::Arc<Vec<(String, u32, u32)>>,
}

impl Unit {
    /// The files of one command.
    pub fn of(args: &VerifyArgs) -> Result<Unit, String> {
        let request = crate::request::request(&args.program, args.property.as_deref())?;
        let request = Request { checked: args.check.clone(), requires: args.given.requires.clone(), ..request };
        Ok(Unit::new(request))
    }

    fn new(request: Request) -> Unit {
        Unit { files: request.files.clone(), request, macros: OnceLock::new() }
    }

    /// Options of the database that change what the file means and are not passed on.
    pub fn ignored(&self) -> &[String] {
        &self.request.preprocessing.ignored
    }

    /// Folders and macros as options.
    pub fn words(&self) -> Result<Vec<OsString>, String> {
        let Preprocessing { include_dirs, defines, ignored: _ } = &self.request.preprocessing;
        let folders = include_dirs.iter().map(|folder| {
            let mut word = OsString::from("-I");
            word.push(folder);
            word
        });
        let mut words: Vec<OsString> = folders.collect();
        match driver::are_many(defines) {
            true => words.extend(["--compile-commands".into(), self.database()?.into()]),
            false => words.extend(defines.iter().map(|define| OsString::from(format!("-D{define}")))),
        }
        Ok(words)
    }

    /// A database that gives this unit its macros.
    fn database(&self) -> Result<PathBuf, String> {
        const NAME: &str = "compile_commands.json";
        let made = self.macros.get_or_init(|| {
            let folder = PrivateFolder::new()?;
            let defines = self.request.preprocessing.defines.iter().map(|define| format!("-D{define}"));
            let words: Vec<String> = ["cc".to_owned()].into_iter().chain(defines).collect();
            let entry = |file: &PathBuf| serde_json::json!({ "directory": "", "file": file, "arguments": &words });
            let text = serde_json::Value::from(self.files.iter().map(entry).collect::<Vec<_>>()).to_string();
            crate::write_file(&folder.path().join(NAME), &text)?;
            Ok(folder)
        });
        made.as_ref().map(|folder| folder.path().join(NAME)).map_err(Clone::clone)
    }
}

/// The units of a project: those of a compilation database, or all C files of a folder.
pub fn find(args: &ProjectArgs) -> Result<Vec<Unit>, String> {
    let path = &args.path;
    let database = match path.is_dir() {
        true => Some(path.join("compile_commands.json")).filter(|file| file.is_file()),
        false => path.extension().is_some_and(|extension| extension == "json").then(|| path.clone()),
    };
    let flags: Vec<compile_database::Flags> = match database {
        Some(database) => compile_database::each(&database)?,
        None if path.is_dir() => {
            let mut files = Vec::new();
            driver::c_files(path, &mut files).map_err(|error| error.to_string())?;
            let own = super::run::harnesses(&args.out).canonicalize().ok();
            let is_own = |file: &PathBuf| own.as_ref().is_some_and(|own| is_below(file, own));
            files.retain(|file| !is_own(file));
            files.sort();
            if files.is_empty() {
                return Err(format!("{}: holds no C file", path.display()));
            }
            // Code scanning knows files by their paths in the repository, without `./`.
            let plain = |file: PathBuf| file.strip_prefix(".").map(Path::to_path_buf).unwrap_or(file);
            files.into_iter().map(plain).map(compile_database::Flags::of).collect()
        }
        None => vec![compile_database::Flags::of(path.clone())],
    };
    let matches = |file: &Path| args.files.is_empty() || args.files.iter().any(|pattern| names(pattern, file));
    let wanted = flags.into_iter().filter(|flags| flags.files.iter().any(|file| matches(file)));
    let units = wanted.map(|mut flags| {
        flags.include_dirs.extend(args.include_dirs.iter().cloned());
        flags.defines.extend(args.defines.iter().cloned());
        let request = Request {
            files: flags.files.clone(),
            checked: args.check.as_deref().map(spec::Property::checked).transpose()?,
            data_model: args.data_model.map(crate::request::data_model),
            malloc_may_fail: args.malloc_may_fail,
            requires: args.given.requires.clone(),
            preprocessing: Preprocessing {
                include_dirs: flags.include_dirs,
                defines: flags.defines,
                ignored: flags.ignored.into_iter().collect(),
            },
            ..Request::default()
        };
        Ok(Unit::new(request))
    });
    units.collect()
}

/// Whether a file lies in a folder, whose path is complete.
fn is_below(file: &Path, folder: &Path) -> bool {
    file.canonicalize().is_ok_and(|file| file.starts_with(folder))
}

/// The functions of all units that are wanted, in order, and what kept a unit from being read.
pub fn subjects(units: &[Unit], args: &ProjectArgs, given: &Given, jobs: usize) -> (Vec<Subject>, Vec<String>) {
    let next = Mutex::new(0..units.len());
    let read = || {
        let mut all = Vec::new();
        loop {
            let at = next.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
            let Some(at) = at else { return all };
            all.push((at, in_unit(at, &units[at], given, &args.functions)));
        }
    };
    // Trees may nest deep.
    const STACK: usize = 256 << 20;
    let mut all: Vec<(usize, Result<Vec<Subject>, String>)> = std::thread::scope(|scope| {
        let builder = || std::thread::Builder::new().stack_size(STACK);
        let threads: Vec<_> = (0..jobs).filter_map(|_| builder().spawn_scoped(scope, read).ok()).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    all.sort_by_key(|(at, _)| *at);
    let (mut subjects, mut problems) = (Vec::new(), Vec::new());
    for (_, read) in all {
        match read {
            Ok(more) => subjects.extend(more),
            Err(problem) => problems.push(problem.lines().next().unwrap_or("").to_owned()),
        }
    }
    (subjects, problems)
}

/// The functions of a unit whose names fit one of the patterns, or all.
pub fn in_unit(at: usize, unit: &Unit, given: &Given, patterns: &[String]) -> Result<Vec<Subject>, String> {
    let request = Request { entry: Some("main".into()), given: Some(given.clone()), ..unit.request.clone() };
    let task = Task::new(request).map_err(|error| error.to_string())?;
    let sources = Sources::read(&task).map_err(|error| error.to_string())?;
    let listed = driver::functions::functions(&task, sources).map_err(|error| error.to_string())?;
    let neighbours: Vec<(String, u32, u32)> = listed.iter().map(|one| (one.name.clone(), one.line, one.last)).collect();
    let neighbours = std::sync::Arc::new(neighbours);
    let file = unit.files.first().map_or(String::new(), |file| printable(&file.display().to_string()).into_owned());
    let wanted = listed.into_iter().filter(|one| {
        let is_wanted = |pattern: &String| fits(pattern, &one.name);
        patterns.is_empty() && one.name != "main" || patterns.iter().any(is_wanted)
    });
    let subjects = wanted.map(|one| Subject {
        unit: at,
        file: file.clone(),
        name: one.name,
        line: one.line,
        digest: one.digest,
        neighbours: neighbours.clone(),
    });
    Ok(subjects.collect())
}

/// Whether a pattern names a file: with its folders, or without them.
fn names(pattern: &str, file: &Path) -> bool {
    let path = file.display().to_string();
    fits(pattern, &path) || fits(pattern, path.trim_start_matches("./")) || fits(pattern, &file_name(&path))
}

/// Whether a name fits a pattern in which `*` stands for anything and `?` for one character.
pub fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut next, mut star) = (0, 0, None);
    while next < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, next));
                at += 1;
            }
            Some(&c) if c == '?' || c == name[next] => (at, next) = (at + 1, next + 1),
            _ => match star {
                Some((back, taken)) => {
                    star = Some((back, taken + 1));
                    (at, next) = (back + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

/// A file name that is short and has no folder in it.
pub fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::{fits, names};
    use std::path::Path;

    #[test]
    fn files_have_folders_or_not() {
        for pattern in ["a.c", "src/a.c", "./src/a.c", "*/a.c", "src/*", "?.c"] {
            assert!(names(pattern, Path::new("./src/a.c")), "{pattern}");
        }
        for pattern in ["b.c", "src", "rc/a.c", ".c"] {
            assert!(!names(pattern, Path::new("./src/a.c")), "{pattern}");
        }
    }

    #[test]
    fn patterns() {
        for (pattern, name) in
            [("*", "f"), ("lua_*", "lua_gc"), ("*_init*", "a_init_b"), ("f?", "fx"), ("f", "f"), ("*", "")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("f", "ff"), ("lua_*", "luaL_x"), ("f?", "f"), ("", "f"), ("*b", "abc")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
