//! Reads source files and decides about preprocessing: `.i` files are taken as they are, other files go through the
//! system's compiler if they contain directives.

use crate::InputError;
use crate::compiler::preprocess;
use base::SourceMap;
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
    Ok(text_of(bytes))
}

/// Bytes that are not UTF-8 (old files are Latin-1) become replacement characters; C needs them in comments and
/// strings only.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
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
    let as_it_is = preprocessing.defines.is_empty() && !has_directives(&text);
    if path.extension().is_some_and(|extension| extension == "i") || as_it_is {
        return Ok(FileText { name, text, original: None });
    }
    let output = preprocess(path, model, preprocessing)?;
    Ok(FileText { name, text: output, original: Some(text) })
}

/// Whether a line starts with a directive other than a line marker, `#pragma` or `#ident`, outside comments.
fn has_directives(text: &str) -> bool {
    let mut in_comment = false;
    for line in text.lines() {
        if !in_comment && let Some(rest) = line.trim_start().strip_prefix('#') {
            let rest = rest.trim_start();
            let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
            let harmless =
                matches!(word, "line" | "pragma" | "ident") || word.starts_with(|c: char| c.is_ascii_digit());
            if !harmless && !rest.is_empty() {
                return true;
            }
        }
        in_comment = ends_in_comment(line, in_comment);
    }
    false
}

/// Whether a `/*` comment is open at the end of the line. Text in quotes does not open comments.
fn ends_in_comment(line: &str, mut in_comment: bool) -> bool {
    let bytes = line.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        let pair = &bytes[at..bytes.len().min(at + 2)];
        match quote {
            _ if in_comment && pair == b"*/" => {
                in_comment = false;
                at += 1;
            }
            _ if in_comment => {}
            Some(_) if bytes[at] == b'\\' => at += 1,
            Some(open) if bytes[at] == open => quote = None,
            Some(_) => {}
            None if pair == b"//" => return false,
            None if pair == b"/*" => {
                in_comment = true;
                at += 1;
            }
            None if bytes[at] == b'"' || bytes[at] == b'\'' => quote = Some(bytes[at]),
            None => {}
        }
        at += 1;
    }
    in_comment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: bool) {
        assert_eq!(has_directives(text), expected, "{text}");
    }

    #[test]
    fn directives_that_need_the_preprocessor() {
        check("#include <assert.h>\nint x;", true);
        check("int x;\n  # define A 1\n", true);
        check("#if 0\n#endif", true);
        check("/* c */\n#undef A", true);
    }

    #[test]
    fn what_the_parser_reads_itself() {
        check("int main(void) { return 0; }", false);
        check("# 1 \"a.c\"\n#line 3 \"b.c\"\nint x;\n#pragma pack(1)\n#\n", false);
        check("/*\n#include <x.h>\n*/ int x;", false);
        check("char *s = \"/*\";\n// /*\n", false);
        check("char c = '\"'; /* \n#if\n */", false);
    }
}
