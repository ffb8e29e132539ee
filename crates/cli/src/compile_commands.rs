//! `compile_commands.json`, which build tools write: the files of a program with their folders and macros.
//!
//! One set of options serves all files of a program, so those of the chosen files are put together.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the database says about some files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub files: Vec<PathBuf>,
    pub include_dirs: Vec<PathBuf>,
    pub defines: Vec<String>,
}

/// The flags of these files, or of all C files if none is named.
pub fn read(database: &Path, wanted: &[PathBuf]) -> Result<Flags, String> {
    let text = driver::read_text(database, "compile_commands.json").map_err(|error| error.to_string())?;
    let show = database.display();
    let entries: Vec<Value> =
        serde_json::from_str(&text).map_err(|error| format!("{show}: not a list in JSON ({error})"))?;
    let mut flags = Flags::default();
    for entry in &entries {
        let text = |key: &str| entry[key].as_str();
        let (Some(folder), Some(file)) = (text("directory"), text("file")) else {
            return Err(format!("{show}: expected `directory` and `file` in every entry"));
        };
        let file = Path::new(folder).join(file);
        let same = |named: &PathBuf| real(named) == real(&file);
        if !wanted.is_empty() && !wanted.iter().any(same) || file.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let words: Vec<String> = match (&entry["arguments"], text("command")) {
            (Value::Array(words), _) => words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
            (_, Some(command)) => split(command),
            _ => Vec::new(),
        };
        flags.add(&words, Path::new(folder));
        flags.files.push(file);
    }
    if let Some(missing) = wanted.iter().find(|named| !flags.files.iter().any(|file| real(file) == real(named))) {
        return Err(format!("{show}: has no entry for {}", missing.display()));
    }
    if flags.files.is_empty() {
        return Err(format!("{show}: names no C file"));
    }
    Ok(flags)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl Flags {
    fn add(&mut self, words: &[String], folder: &Path) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let option = ["-I", "-D", "-isystem"].into_iter().find(|option| word.starts_with(option));
            let Some(option) = option else { continue };
            let value = match &word[option.len()..] {
                "" => words.next().cloned().unwrap_or_default(),
                rest => rest.to_owned(),
            };
            if option == "-D" {
                if !self.defines.contains(&value) {
                    self.defines.push(value);
                }
            } else if !self.include_dirs.contains(&folder.join(&value)) {
                self.include_dirs.push(folder.join(value));
            }
        }
    }
}

/// Words as a shell splits them: blanks, quotes, backslashes.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(c),
            (_, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        assert_eq!(split(r#"cc -I a -D'X="b c"' "d e"\ f '' "#), ["cc", "-I", "a", "-DX=\"b c\"", "d e f", ""]);
    }

    #[test]
    fn options_in_one_word_or_two() {
        let mut flags = Flags::default();
        flags.add(&split("cc -Iinc -I /abs -DA -D B=2 -DA -c a.c"), Path::new("/w"));
        assert_eq!(flags.include_dirs, [PathBuf::from("/w/inc"), PathBuf::from("/abs")]);
        assert_eq!(flags.defines, ["A", "B=2"]);
    }
}
