//! The system's C compiler: it preprocesses, and builds the programs of counterexamples. The author of the program also
//! chose the names of its files, folders and macros, so none of them may look to the compiler like an option or like
//! `@FILE`, which stands for options in a file.

use crate::InputError;
use crate::children::{self, ChildEnd, ChildLimits, ChildProgram, Ended};
use crate::private_folder::PrivateFolder;
use crate::source::{INPUT_COPY, LARGEST_FILE, Preprocessing, file_bytes, is_standard_input};
use base::{Stopped, printable, raw_text};
use cfa::DataModel;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long preprocessing may take; a shorter time limit ends the whole run.
const PREPROCESS: Duration = Duration::from_secs(300);

/// `$CC`, or this one.
pub fn name(default: &str) -> String {
    std::env::var("CC").ok().filter(|cc| !cc.is_empty()).unwrap_or_else(|| default.into())
}

/// Whether the compiler may be given the name. It also hands the last part on by itself, as a word of its own.
pub fn is_plain(path: &Path) -> bool {
    let begins = |word: &std::ffi::OsStr| matches!(word.as_encoded_bytes().first(), Some(b'@' | b'-'));
    !begins(path.as_os_str()) && path.file_name().is_some_and(|name| !begins(name))
}

/// A text that includes a file whose name is not plain.
pub fn including(path: &Path) -> Result<String, InputError> {
    let name = path.to_str().filter(|name| !name.contains(|c: char| c == '"' || c.is_control()));
    let name = name.ok_or_else(|| {
        let shown = path.display().to_string();
        InputError::new(format!("{}: expected a plain file name for the compiler", printable(&shown)))
    })?;
    Ok(format!("#include \"{name}\"\n"))
}

/// More bytes of macros than a command line has room for.
const MANY: usize = 256 << 10;
/// The same for one word: the system's limit is twice as large.
const LONG: usize = 64 << 10;

/// Whether the macros are too many for options, or one is too long.
pub fn are_many(defines: &[String]) -> bool {
    let sizes = || defines.iter().map(|define| define.len() + "-D".len());
    sizes().sum::<usize>() > MANY || sizes().any(|size| size > LONG)
}

/// The text that defines the macros, if they are too many for options: it belongs into the file [`macro_file`].
pub fn macro_text(preprocessing: &Preprocessing) -> Option<String> {
    let defines = &preprocessing.defines;
    are_many(defines).then(|| defines.iter().map(|define| directive(define)).collect())
}

/// Where the macros stand in a folder that are too many for options.
pub fn macro_file(folder: &Path) -> PathBuf {
    folder.join("macros.h")
}

/// What `-D` means.
fn directive(define: &str) -> String {
    match define.split_once('=') {
        Some((head, value)) => format!("#define {head} {value}\n"),
        None => format!("#define {define} 1\n"),
    }
}

/// The options for folders and macros; `folder` is for macros that are too many.
pub fn options(preprocessing: &Preprocessing, folder: &Path) -> Result<Vec<OsString>, InputError> {
    let folders = preprocessing.include_dirs.iter().map(|folder| {
        let mut option = OsString::from("-I");
        option.push(if is_plain(folder) { folder.clone() } else { PathBuf::from(".").join(folder) });
        Ok(option)
    });
    let defines = preprocessing.defines.iter().map(|define| match is_macro(define) {
        true => Ok(OsString::from(format!("-D{define}"))),
        false => {
            let shown = printable(define);
            Err(InputError::new(format!("macro `{shown}`: expected NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE")))
        }
    });
    let words: Result<Vec<OsString>, InputError> = folders.chain(defines).collect();
    if macro_text(preprocessing).is_none() {
        return words;
    }
    let mut words = words?;
    words.truncate(preprocessing.include_dirs.len());
    words.extend([OsString::from("-imacros"), macro_file(folder).into()]);
    Ok(words)
}

/// Whether it is `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE` on one line.
fn is_macro(define: &str) -> bool {
    let head = define.split('=').next().unwrap_or("");
    let (name, parameters) = head.split_once('(').map_or((head, None), |(name, rest)| (name, Some(rest)));
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let begins = name.starts_with(|c: char| is_word(c) && !c.is_ascii_digit());
    let named = begins && name.chars().all(is_word);
    let closed = parameters.is_none_or(|text| {
        text.strip_suffix(')').is_some_and(|text| text.chars().all(|c| is_word(c) || ", .".contains(c)))
    });
    named && closed && !define.contains(['\n', '\r', '\0'])
}

/// Runs `$CC -E` or `cc -E`. 32-bit headers may be missing: then those of the machine have to do.
pub fn preprocess(path: &Path, model: DataModel, preprocessing: &Preprocessing) -> Result<String, InputError> {
    let small = model == DataModel::Ilp32;
    let first = run(path, preprocessing, if small { &["-m32"] } else { &[] });
    match first {
        Err(error) if small && error.stopped().is_none() => {
            run(path, preprocessing, &["-U__x86_64__", "-U__LP64__", "-U_LP64", "-D__i386__=1"]).or(Err(error))
        }
        other => other,
    }
}

fn run(path: &Path, preprocessing: &Preprocessing, flags: &[&str]) -> Result<String, InputError> {
    let (compiler, shown) = (name("cc"), path.display().to_string());
    let folder = folder_for(path, preprocessing)?;
    let inside = folder.as_ref().map_or(Path::new("."), PrivateFolder::path);
    let options = options(preprocessing, inside)?;
    let program = ChildProgram::new(&compiler).args(["-E", "-std=gnu11"]).args(flags).args(options);
    let program = program.args(["-x", "c"]);
    let program = match (is_standard_input(path), is_plain(path)) {
        (true, _) => program.args(["-"]).input_file(input_copy().unwrap_or_else(|| input_file(inside))),
        (false, true) => program.args([path]),
        (false, false) => program.args(["-"]).input(including(path)?),
    };
    let program = program.within(ChildLimits::default(), PREPROCESS);
    let ended = program.most_output(LARGEST_FILE as usize).run().map_err(|error| match error.kind() {
        _ if is_starved() => starved(&shown),
        std::io::ErrorKind::ArgumentListTooLong => InputError::new(format!(
            "{shown}: the folders of headers take more room than a command line of the compiler has; expected fewer -I"
        )),
        _ => InputError::new(format!(
            "{shown}: needs the preprocessor, but the compiler `{compiler}` cannot be run ({error}); install one \
             (apt install gcc), set CC, or give a preprocessed .i file"
        )),
    })?;
    if ended.end == ChildEnd::Exit(0) {
        return Ok(raw_text(ended.out));
    }
    Err(failure(&shown, &compiler, &ended))
}

/// A copy of standard input that the run already has.
fn input_copy() -> Option<PathBuf> {
    std::env::var_os(INPUT_COPY).map(PathBuf::from)
}

fn input_file(folder: &Path) -> PathBuf {
    folder.join("input.c")
}

/// A folder that holds what the compiler cannot be given otherwise: many macros, and standard input, which was read
/// already, may be long, and may hold any bytes.
fn folder_for(path: &Path, preprocessing: &Preprocessing) -> Result<Option<PrivateFolder>, InputError> {
    let macros = macro_text(preprocessing);
    let has_input = is_standard_input(path) && input_copy().is_none();
    if macros.is_none() && !has_input {
        return Ok(None);
    }
    let folder = PrivateFolder::new().map_err(InputError::new)?;
    if let Some(macros) = macros {
        crate::output::write_file(&macro_file(folder.path()), &macros).map_err(InputError::new)?;
    }
    if has_input {
        crate::output::write_bytes(&input_file(folder.path()), &file_bytes(path)?).map_err(InputError::new)?;
    }
    Ok(Some(folder))
}

/// Whether no compiler does anything within the limit.
fn is_starved() -> bool {
    const LEAST: u64 = 64 << 20;
    children::most_memory().is_some_and(|bytes| bytes < LEAST)
}

fn starved(shown: &str) -> InputError {
    InputError::limit(Stopped::Memory, format!("{shown}: preprocessing needs too much memory"))
}

/// Why the compiler did not do it.
fn failure(shown: &str, compiler: &str, ended: &Ended) -> InputError {
    let message = String::from_utf8_lossy(&ended.err).into_owned();
    let says_so = message.contains("out of memory") || message.contains("virtual memory exhausted");
    // Without memory for its own stack a program ends by a signal, and says nothing.
    let out_of_memory =
        says_so || is_starved() || matches!(ended.end, ChildEnd::Signal(_) if children::most_memory().is_some());
    match ended.end {
        ChildEnd::Time => return InputError::limit(Stopped::Time, format!("{shown}: preprocessing takes too long")),
        ChildEnd::Output => return InputError::new(format!("{shown}: is larger than 1 GiB after preprocessing")),
        ChildEnd::Memory => return starved(shown),
        ChildEnd::Exit(_) | ChildEnd::Signal(_) | ChildEnd::Lost if out_of_memory => {
            return starved(shown);
        }
        ChildEnd::Exit(_) | ChildEnd::Signal(_) | ChildEnd::Lost => {}
    }
    // The compiler also shows the line, and by what ways it came to the file.
    let error = message.lines().find(|line| line.contains("error: ")).or(message.lines().next());
    InputError::new(match error {
        Some(error) => error.to_owned(),
        None => format!("{shown}: the compiler `{compiler}` cannot preprocess it ({})", ended.end),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_options() {
        for plain in ["a.c", "/x/a.c", "d@/a.c", "./a-@.c"] {
            assert!(is_plain(Path::new(plain)), "{plain}");
        }
        for odd in ["@a.c", "-a.c", "d/@a.c", "/x/-fplugin=a.c", "@d/a.c", ".."] {
            assert!(!is_plain(Path::new(odd)), "{odd}");
        }
    }

    #[test]
    fn directives_mean_what_the_option_means() {
        for (define, meaning) in [("A", "#define A 1\n"), ("A=", "#define A \n"), ("A(x)=x=1", "#define A(x) x=1\n")] {
            assert_eq!(directive(define), meaning);
        }
    }

    #[test]
    fn many_macros_stand_in_a_file() {
        let defines = (0..300_000).map(|number| format!("M{number}={number}")).collect();
        let many = Preprocessing { defines, ..Preprocessing::default() };
        assert_eq!(options(&many, Path::new("/f")).expect("plain macros"), ["-imacros", "/f/macros.h"]);
        assert_eq!(macro_text(&many).expect("a file").lines().count(), 300_000);
    }

    #[test]
    fn a_long_macro_stands_in_a_file() {
        let of = |length: usize| are_many(&[format!("A={}", "x".repeat(length))]);
        assert!(!of(60_000) && of(70_000));
    }

    #[test]
    fn macros() {
        for good in ["A", "A=", "_a1=@x", "A(x, ...)=x + 1", "A=a b\tc"] {
            assert!(is_macro(good), "{good}");
        }
        for bad in ["", "@opts", "-wrapper", "1A", "A B", "A(x", "=1", "A=1\n#include <x>", "A\n"] {
            assert!(!is_macro(bad), "{bad}");
        }
    }
}
