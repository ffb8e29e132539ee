//! Reads source files and decides about preprocessing: `.i` files are taken as they are, other files go through the
//! system's compiler if it could change them.

use crate::InputError;
use crate::directives::needs_preprocessor;
use base::{SourceMap, raw_text};
use cfa::DataModel;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Positions are 32 bits wide.
const LARGEST_FILE: u64 = 1 << 30;

/// Options of the preprocessor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preprocessing {
    /// Folders of `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE` of `-D`.
    pub defines: Vec<String>,
}

/// The text of a file that the user named.
pub fn read_text(path: &Path, expected: &str) -> Result<String, InputError> {
    let text = read_list(path, expected)?;
    if text.trim().is_empty() {
        return Err(InputError::new(format!("{}: is empty, expected {expected}", path.display())));
    }
    Ok(text)
}

/// The text of a file that the user named, which may be empty.
pub fn read_list(path: &Path, expected: &str) -> Result<String, InputError> {
    let problem = |what: &str| Err(InputError::new(format!("{}: {what}, expected {expected}", path.display())));
    let size = match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => return problem("is a folder"),
        Ok(data) => data.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return problem("no such file"),
        Err(error) => return problem(&format!("cannot be read ({error})")),
    };
    if size > LARGEST_FILE {
        return problem("is larger than 1 GiB");
    }
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return problem(&format!("cannot be read ({error})")),
    };
    if bytes.contains(&0) {
        return problem("is a binary file");
    }
    Ok(raw_text(bytes))
}

/// A C file as the parser gets it.
#[derive(Clone, Debug)]
pub struct FileText {
    name: String,
    /// The text, after preprocessing.
    pub text: String,
    /// What the user wrote, if the text was preprocessed.
    original: Option<String>,
}

impl FileText {
    /// A text that needs no preprocessing.
    pub fn new(name: &str, text: &str) -> FileText {
        FileText { name: name.to_owned(), text: text.to_owned(), original: None }
    }

    /// Adds the text to `sources`. Returns the offset of its first byte.
    pub fn add(self, sources: &mut SourceMap) -> u32 {
        match self.original {
            Some(original) => {
                sources.keep_original(&self.name, &original);
                sources.add_preprocessed(&self.name, self.text)
            }
            None => sources.add(&self.name, self.text),
        }
    }
}

/// Reads a C file, preprocessed if it needs that.
pub fn read_file(path: &Path, model: DataModel, preprocessing: &Preprocessing) -> Result<FileText, InputError> {
    let name = path.display().to_string();
    let text = read_text(path, "a C program")?;
    let as_it_is = preprocessing.defines.is_empty() && !needs_preprocessor(&text);
    if path.extension().is_some_and(|extension| extension == "i") || as_it_is {
        return Ok(FileText { name, text, original: None });
    }
    let output = preprocess(path, model, preprocessing)?;
    Ok(FileText { name, text: output, original: Some(text) })
}

/// Runs `$CC -E` or `cc -E`. 32-bit headers may be missing: then those of the machine have to do.
fn preprocess(path: &Path, model: DataModel, preprocessing: &Preprocessing) -> Result<String, InputError> {
    let small = model == DataModel::Ilp32;
    let first = run_preprocessor(path, preprocessing, if small { &["-m32"] } else { &[] });
    match first {
        Err(_) if small => {
            run_preprocessor(path, preprocessing, &["-U__x86_64__", "-U__LP64__", "-U_LP64", "-D__i386__=1"]).or(first)
        }
        other => other,
    }
}

fn run_preprocessor(path: &Path, preprocessing: &Preprocessing, flags: &[&str]) -> Result<String, InputError> {
    let compiler = std::env::var("CC").ok().filter(|cc| !cc.is_empty()).unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&compiler);
    command.args(["-E", "-std=gnu11"]).args(flags).stdin(Stdio::null());
    for folder in &preprocessing.include_dirs {
        command.arg("-I").arg(folder);
    }
    for define in &preprocessing.defines {
        command.arg("-D").arg(define);
    }
    let looks_like_an_option = path.to_str().is_some_and(|path| path.starts_with('-'));
    let plain = if looks_like_an_option { Path::new(".").join(path) } else { path.to_owned() };
    let output = command.arg(plain).output().map_err(|error| {
        InputError::new(format!(
            "{}: needs the preprocessor, but the compiler `{compiler}` cannot be run ({error}); install one \
             (apt install gcc), set CC, or give a preprocessed .i file",
            path.display()
        ))
    })?;
    if output.status.success() {
        return Ok(raw_text(output.stdout));
    }
    let message = raw_text(output.stderr);
    // The compiler also shows the line, and by what ways it came to the file.
    let error = message.lines().find(|line| line.contains("error: ")).or(message.lines().next());
    Err(InputError::new(match error {
        Some(error) => error.to_owned(),
        None => format!("{}: the compiler `{compiler}` cannot preprocess it", path.display()),
    }))
}
