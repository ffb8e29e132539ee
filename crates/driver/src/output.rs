//! Files that the user asked for: written completely or not at all.

use crate::private_folder::random;
use crate::source::read_list;
use analyses::{BadOption, Files};
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a file completely or not at all. The error starts with the file's name.
pub fn write_file(path: &Path, text: &str) -> Result<(), String> {
    write_bytes(path, text.as_bytes())
}

/// [`write_file`] of any bytes.
pub fn write_bytes(path: &Path, text: &[u8]) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{}: cannot be written ({error})", path.display());
    if is_special(path) {
        // A device or a pipe has no partial content, and must not be replaced by a file.
        return std::fs::write(path, text).map_err(problem);
    }
    let temporary = temporary(path)?;
    let written = write_new(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|error| {
        // It may not even exist.
        let _ = std::fs::remove_file(&temporary);
        problem(error)
    })
}

/// Whether [`write_file`] will find a folder to write to; better known before a long run than after it.
pub fn check_writable(path: &Path) -> Result<(), String> {
    let temporary = temporary(path)?;
    if path.is_dir() {
        return Err(format!("{}: is a folder, expected a file to write", path.display()));
    }
    if is_special(path) {
        return Ok(());
    }
    let written = write_new(&temporary, b"").and_then(|()| std::fs::remove_file(&temporary));
    written.map_err(|error| format!("{}: cannot be written ({error})", path.display()))
}

/// Whether something stands there that is neither file nor folder.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// Writes a file that did not exist; a link that was planted there is not followed.
fn write_new(path: &Path, text: &[u8]) -> std::io::Result<()> {
    std::fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text)
}

/// An unpredictable, unused name next to `path`.
fn temporary(path: &Path) -> Result<PathBuf, String> {
    let name = path.file_name().ok_or_else(|| format!("{}: expected a file name", path.display()))?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    let unknown = random::<8>().map_or(u64::from(std::process::id()), u64::from_le_bytes);
    temporary.push(format!(".{unknown:016x}"));
    Ok(path.with_file_name(temporary))
}

/// The user's files, for analyses whose options name some.
#[derive(Default)]
pub struct UserFiles {
    problems: RefCell<Vec<String>>,
}

impl UserFiles {
    /// Files that could not be written, one line each.
    pub fn problems(self) -> Vec<String> {
        self.problems.into_inner()
    }
}

impl Files for UserFiles {
    fn read(&self, file: &Path, expected: &str) -> Result<String, BadOption> {
        read_list(file, expected).map_err(|error| BadOption(error.to_string()))
    }

    fn write(&self, file: &Path, text: &str) {
        self.problems.borrow_mut().extend(write_file(file, text).err());
    }
}
