//! `compile_commands.json`, which build tools write: the files of a program with their folders and macros.
//!
//! One set of options serves all files of a program, so those of the chosen files are put together. Only folders and macros
//! are taken over. The rest is for the compiler, which strangers do not command; what of it changes the meaning of a
//! program is listed.

use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What the database says about some files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// The C files.
    pub files: Vec<PathBuf>,
    /// Folders of `-I`, `-iquote`, `-isystem` and `-idirafter`.
    pub include_dirs: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE` of `-D`.
    pub defines: Vec<String>,
    /// Options that change what the program means and are not taken over.
    pub ignored: BTreeSet<String>,
    /// What of both is there already; folders begin with `/`, as no macro does.
    known: HashSet<PathBuf>,
}

/// The flags of these files, or of all C files if none is named.
pub fn read(database: &Path, wanted: &[PathBuf]) -> Result<Flags, String> {
    let text = crate::read_text(database, "compile_commands.json").map_err(|error| error.to_string())?;
    parse(&text, &database.display().to_string(), wanted)
}

/// The same from a text; `show` is its name.
pub fn parse(text: &str, show: &str, wanted: &[PathBuf]) -> Result<Flags, String> {
    let entries: Vec<Value> =
        serde_json::from_str(text).map_err(|error| format!("{show}: not a list in JSON ({error})"))?;
    let mut flags = Flags::default();
    let wanted: HashMap<PathBuf, &PathBuf> = wanted.iter().map(|named| (real(named), named)).collect();
    let mut found = HashSet::new();
    for entry in &entries {
        let text = |key: &str| entry[key].as_str();
        let (Some(folder), Some(file)) = (text("directory"), text("file")) else {
            return Err(format!("{show}: expected `directory` and `file` in every entry"));
        };
        let file = Path::new(folder).join(file);
        let own = real(&file);
        if !wanted.is_empty() && !wanted.contains_key(&own) || file.extension().is_none_or(|extension| extension != "c")
        {
            continue;
        }
        let words: Vec<String> = match (&entry["arguments"], text("command")) {
            (Value::Array(words), _) => words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
            (_, Some(command)) => split(command),
            _ => Vec::new(),
        };
        flags.add(&words, Path::new(folder));
        flags.files.push(file);
        found.insert(own);
    }
    if let Some((_, missing)) = wanted.iter().find(|(own, _)| !found.contains(*own)) {
        return Err(format!("{show}: has no entry for {}", missing.display()));
    }
    if flags.files.is_empty() {
        return Err(format!("{show}: names no C file"));
    }
    Ok(flags)
}

/// The flags of each C file by itself, in the order of the database; a file that is compiled twice counts once.
pub fn each(database: &Path) -> Result<Vec<Flags>, String> {
    let text = crate::read_text(database, "compile_commands.json").map_err(|error| error.to_string())?;
    let show = database.display().to_string();
    let entries: Vec<Value> =
        serde_json::from_str(&text).map_err(|error| format!("{show}: not a list in JSON ({error})"))?;
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for entry in entries {
        let is_c = entry["file"].as_str().is_some_and(|file| file.ends_with(".c"));
        let one = parse(&Value::Array(vec![entry]).to_string(), &show, &[]);
        match one {
            Ok(flags) if flags.files.iter().all(|file| seen.insert(real(file))) => all.push(flags),
            Ok(_) => {}
            // Other languages are not meant.
            Err(_) if !is_c => {}
            Err(problem) => return Err(problem),
        }
    }
    if all.is_empty() { Err(format!("{show}: names no C file")) } else { Ok(all) }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl Flags {
    /// A file without options.
    pub fn of(file: PathBuf) -> Flags {
        Flags { files: vec![file], ..Flags::default() }
    }

    fn add(&mut self, words: &[String], folder: &Path) {
        let mut words = words.iter().skip(1);
        let mut defines: Vec<String> = Vec::new();
        while let Some(word) = words.next() {
            let option = WITH_VALUE.into_iter().find(|option| word.starts_with(option));
            let Some(option) = option else {
                self.ignored.extend(has_meaning(word).then(|| word.clone()));
                continue;
            };
            let value = match &word[option.len()..] {
                "" => words.next().cloned().unwrap_or_default(),
                rest => rest.to_owned(),
            };
            match option {
                "-D" => defines.push(value),
                "-U" if defines.iter().any(|define| is_of(define, &value)) => {
                    defines.retain(|define| !is_of(define, &value));
                }
                "-U" | "-include" | "-imacros" => drop(self.ignored.insert(format!("{option} {value}"))),
                _ if self.known.insert(PathBuf::from("/").join(folder).join(&value)) => {
                    self.include_dirs.push(folder.join(value));
                }
                _ => {}
            }
        }
        for define in defines {
            if self.known.insert(define.clone().into()) {
                self.defines.push(define);
            }
        }
    }
}

/// Options whose value may be a word of its own.
const WITH_VALUE: [&str; 8] = ["-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-I", "-D", "-U"];

/// Whether the macro of a `-D` has this name.
fn is_of(define: &str, name: &str) -> bool {
    define.split(['=', '(']).next() == Some(name)
}

/// Whether another option changes what a program means: sizes and signs of types, the language, what overflow does, where
/// headers are. So may options in a file.
fn has_meaning(word: &str) -> bool {
    const WORDS: [&str; 15] = [
        "-m32",
        "-m64",
        "-mx32",
        "-m16",
        "-ansi",
        "-funsigned-char",
        "-fsigned-char",
        "-funsigned-bitfields",
        "-fshort-enums",
        "-fshort-wchar",
        "-fpack-struct",
        "-fwrapv",
        "-ftrapv",
        "-nostdinc",
        "-ffast-math",
    ];
    let language = word.strip_prefix("-std=");
    let other =
        language.is_some_and(|name| !["c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c18", "gnu18"].contains(&name));
    let begins = ["@", "--sysroot", "-isysroot", "-Wp,", "-Xpreprocessor", "-fpack-struct="];
    WORDS.contains(&word) || other || begins.iter().any(|begin| word.starts_with(begin))
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

    #[test]
    fn what_is_not_taken_over_is_listed() {
        for (command, defines, ignored) in [
            ("cc -DA -DB(x)=1 -UA -O2 -Wall -std=gnu11 -o x.o", &["B(x)=1"][..], &[][..]),
            ("cc -UA -DA", &["A"], &["-U A"]),
            ("cc -include a.h -imacrosb.h @x", &[], &["-imacros b.h", "-include a.h", "@x"]),
            ("cc -funsigned-char -m32 -std=c89", &[], &["-funsigned-char", "-m32", "-std=c89"]),
        ] {
            let mut flags = Flags::default();
            flags.add(&split(command), Path::new("/w"));
            assert_eq!(flags.defines, defines, "{command}");
            assert!(flags.ignored.iter().eq(ignored), "{command}: {:?}", flags.ignored);
        }
    }
}
