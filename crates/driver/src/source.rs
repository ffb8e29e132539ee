//! Reads source files and decides about preprocessing: `.i` files are taken as they are, other files go through the
//! system's compiler if it could change them.

use crate::InputError;
use crate::compiler::preprocess;
use crate::directives::needs_preprocessor;
use base::{SourceMap, raw_text};
use cfa::DataModel;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Positions are 32 bits wide.
pub const LARGEST_FILE: u64 = 1 << 30;

/// Options of the preprocessor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preprocessing {
    /// Folders of `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE` of `-D`.
    pub defines: Vec<String>,
    /// Options of a compile database that are not passed on though they change what the program means.
    pub ignored: Vec<String>,
}

/// Set in the environment of a process whose standard input is something else: the file with a copy.
pub const INPUT_COPY: &str = "ARGONAUT_INPUT_COPY";

/// Whether a name means standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdin")
}

/// What standard input holds; it is read once.
pub fn standard_input() -> Result<&'static [u8], String> {
    static READ: std::sync::OnceLock<Result<Vec<u8>, String>> = std::sync::OnceLock::new();
    let read = READ.get_or_init(|| {
        let mut bytes = Vec::new();
        let read = match std::env::var_os(INPUT_COPY) {
            Some(copy) => {
                std::fs::File::open(copy).and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
            }
            None => std::io::stdin().take(LARGEST_FILE + 1).read_to_end(&mut bytes),
        };
        read.map(|_| bytes).map_err(|error| error.to_string())
    });
    read.as_deref().map_err(Clone::clone)
}

/// The bytes of a file of a program.
pub fn file_bytes(path: &Path) -> Result<Vec<u8>, InputError> {
    let read = match is_standard_input(path) {
        true => standard_input().map(<[u8]>::to_vec),
        false => std::fs::read(path).map_err(|error| error.to_string()),
    };
    read.map_err(|error| InputError::new(format!("{}: cannot be read ({error})", path.display())))
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
    if is_standard_input(path) {
        return match standard_input() {
            Ok(bytes) if bytes.len() as u64 > LARGEST_FILE => problem("is larger than 1 GiB"),
            Ok(bytes) if bytes.contains(&0) => problem("is a binary file"),
            Ok(bytes) => Ok(raw_text(bytes.to_vec())),
            Err(error) => problem(&format!("cannot be read ({error})")),
        };
    }
    let size = match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => return problem("is a folder"),
        Ok(data) => data.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return problem("no such file"),
        Err(error) => return problem(&format!("cannot be read ({error})")),
    };
    if size > LARGEST_FILE {
        return problem("is larger than 1 GiB");
    }
    let mut bytes = Vec::new();
    // Devices and pipes do not tell how long they are.
    let read = std::fs::File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes));
    match read {
        Ok(size) if size as u64 > LARGEST_FILE => return problem("is larger than 1 GiB"),
        Ok(_) => {}
        Err(error) => return problem(&format!("cannot be read ({error})")),
    }
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

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the user wrote.
    pub fn written(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.text)
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

/// The C files of a folder and of those in it. Links to folders are not followed, nor are hidden ones.
pub fn c_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), InputError> {
    let problem = |error: std::io::Error| InputError::new(format!("{}: cannot be read ({error})", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let kind = entry.file_type().map_err(problem)?;
        let path = entry.path();
        if kind.is_dir() && !entry.file_name().as_encoded_bytes().starts_with(b".") {
            c_files(&path, files)?;
        } else if !kind.is_dir() && path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
    Ok(())
}
