//! Positions: a [`Span`] is a pair of byte offsets into the text of one [`SourceMap`]; the map knows
//! the user's file, line and column of every offset, also after preprocessing.

use crate::define_id;
use crate::id::IdVec;
use crate::printable;
use std::collections::{BTreeMap, HashMap};

define_id!(
    /// A file the user named, or one that line markers name.
    FileId,
    "file"
);

/// A half-open range of byte offsets into the concatenated texts of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// Line and column, both from 1; the column counts bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The file.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// One text as the parser sees it.
#[derive(Clone, Debug)]
struct Text {
    start: u32,
    text: String,
    /// Offset (within `text`) of the first byte of every line.
    line_starts: Vec<u32>,
    /// Sorted: from this physical line (0-based) on, lines belong to `file`, the first being number `line`.
    markers: Vec<Marker>,
}

impl Text {
    fn line(&self, physical: usize) -> &str {
        let from = self.line_starts[physical] as usize;
        let to = self.line_starts.get(physical + 1).map_or(self.text.len(), |&next| next as usize - 1);
        self.text.get(from..to).unwrap_or("")
    }
}

#[derive(Clone, Copy, Debug)]
struct Marker {
    physical: u32,
    file: FileId,
    line: u32,
}

/// All texts of one program, laid end to end.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    texts: Vec<Text>,
    /// Fit for a terminal.
    names: IdVec<FileId, String>,
    /// Files by the names that texts give them.
    files: HashMap<String, FileId>,
    /// Lines of files as they were before preprocessing.
    originals: BTreeMap<FileId, Vec<String>>,
}

/// The name of the text that models library functions.
pub const MODELS: &str = "<models>";

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text whose physical lines are the user's lines. Returns the offset of its first byte.
    pub fn add(&mut self, name: &str, text: String) -> u32 {
        let file = self.file(name);
        self.push(text, vec![Marker { physical: 0, file, line: 1 }])
    }

    /// Adds the output of our own `cc -E`: `# LINE "FILE"` markers say where lines come from.
    pub fn add_preprocessed(&mut self, name: &str, text: String) -> u32 {
        let mut markers = vec![Marker { physical: 0, file: self.file(name), line: 1 }];
        for (physical, line) in text.lines().enumerate() {
            if let Some((number, file)) = parse_marker(line) {
                let file = self.file(file);
                markers.push(Marker { physical: physical as u32 + 1, file, line: number });
            }
        }
        self.push(text, markers)
    }

    /// Keeps the lines of a file that goes through the preprocessor, so that people see what they wrote.
    pub fn keep_original(&mut self, name: &str, text: &str) {
        let file = self.file(name);
        self.originals.insert(file, text.lines().map(str::to_owned).collect());
    }

    fn push(&mut self, text: String, markers: Vec<Marker>) -> u32 {
        let start = self.texts.last().map_or(0, |last| last.start + last.text.len() as u32 + 1);
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1))
            .collect();
        self.texts.push(Text { start, text, line_starts, markers });
        start
    }

    /// The id of a file name, new if it was never seen.
    pub fn file(&mut self, name: &str) -> FileId {
        if let Some(known) = self.files.get(name) {
            return *known;
        }
        let file = self.names.push(printable(name).into_owned());
        self.files.insert(name.to_owned(), file);
        file
    }

    /// The name of a file.
    pub fn name(&self, file: FileId) -> &str {
        &self.names[file]
    }

    /// Whether a piece of text belongs to the models of library functions, not to the program.
    pub fn is_model(&self, span: Span) -> bool {
        self.name(self.position(span).file) == MODELS
    }

    /// The text that starts at `start`, as returned by [`SourceMap::add`].
    pub fn text_at(&self, start: u32) -> &str {
        &self.containing(start).text
    }

    /// The first offsets of all texts, in order.
    pub fn starts(&self) -> impl Iterator<Item = u32> {
        self.texts.iter().map(|text| text.start)
    }

    /// The characters of a span; empty where the span leaves its text.
    pub fn snippet(&self, span: Span) -> &str {
        let text = self.containing(span.start);
        let range = (span.start - text.start) as usize..span.end.saturating_sub(text.start) as usize;
        text.text.get(range).unwrap_or("")
    }

    /// The user's position of a span's first byte. Where the preprocessor changed the line, the column is that of the
    /// same word in the user's line, or of the line's first word.
    pub fn position(&self, span: Span) -> Position {
        let (text, physical, position) = self.physical(span);
        match self.original(position) {
            Some(original) => {
                let changed = text.line(physical);
                let column = original_column(changed, position.column as usize - 1, original) as u32 + 1;
                Position { column, ..position }
            }
            None => position,
        }
    }

    /// The whole line that holds the span's first byte, as the user wrote it, without its line break.
    pub fn line_text(&self, span: Span) -> &str {
        let (text, physical, position) = self.physical(span);
        self.original(position).unwrap_or_else(|| text.line(physical))
    }

    /// The text, the line in it, and the position that markers give.
    fn physical(&self, span: Span) -> (&Text, usize, Position) {
        let text = self.containing(span.start);
        let offset = span.start - text.start;
        let physical = text.line_starts.partition_point(|&start| start <= offset) - 1;
        let marker = &text.markers[text.markers.partition_point(|m| m.physical as usize <= physical) - 1];
        let position = Position {
            file: marker.file,
            line: marker.line + (physical as u32 - marker.physical),
            column: offset - text.line_starts[physical] + 1,
        };
        (text, physical, position)
    }

    fn original(&self, at: Position) -> Option<&str> {
        self.originals.get(&at.file)?.get((at.line as usize).checked_sub(1)?).map(String::as_str)
    }

    /// `file:line:column` of a span's first byte.
    pub fn display(&self, span: Span) -> String {
        if self.texts.is_empty() {
            return "?".to_owned();
        }
        let at = self.position(span);
        format!("{}:{}:{}", self.name(at.file), at.line, at.column)
    }

    fn containing(&self, offset: u32) -> &Text {
        let index = self.texts.partition_point(|text| text.start <= offset);
        &self.texts[index.checked_sub(1).expect("spans point into a text of this map")]
    }
}

/// The byte in the `original` line that corresponds to byte `at` of the `changed` one: where both lines are equal up to
/// there or from there on, that is clear; else it is the nearest occurrence of the word there, or the first word.
fn original_column(changed: &str, at: usize, original: &str) -> usize {
    let (Some(before), Some(rest)) = (changed.get(..at), changed.get(at..)) else { return 0 };
    if original.starts_with(before) && original[at..].chars().next() == rest.chars().next() {
        return at;
    }
    if original.ends_with(rest) {
        return original.len() - rest.len();
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
    let stands_alone = |found: usize| {
        let before = original[..found].chars().next_back().is_some_and(is_word);
        !before && !original[found + word.len()..].chars().next().is_some_and(is_word)
    };
    let found = original.match_indices(word).map(|(found, _)| found);
    let found = found.filter(|&found| !word.is_empty() && stands_alone(found));
    // A line that the preprocessor cuts into pieces, because a macro comes from a header, goes on in the old column.
    let first = |line: &str| line.len() - line.trim_start().len();
    let piece = original.get(first(changed)..).filter(|rest| !rest.is_empty()).map(|rest| first(changed) + first(rest));
    found.min_by_key(|found| found.abs_diff(at)).or(piece).unwrap_or(first(original))
}

/// `# 12 "file.c" 1 3` or `#line 12 "file.c"`: the line number of the next line and the file.
fn parse_marker(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = rest[..digits].parse().ok()?;
    let file = rest[digits..].trim_start().strip_prefix('"')?;
    Some((number, &file[..file.find('"')?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one() {
        let mut map = SourceMap::new();
        let first = map.add("a.c", "ab\ncd\n".into());
        let second = map.add("b.c", "x\n y".into());
        assert_eq!(map.display(Span { start: first + 4, end: first + 5 }), "a.c:2:2");
        assert_eq!(map.display(Span { start: second + 3, end: second + 4 }), "b.c:2:2");
        assert_eq!(map.line_text(Span { start: second + 3, end: second + 4 }), " y");
        assert_eq!(map.snippet(Span { start: first, end: first + 2 }), "ab");
    }

    #[test]
    fn markers_move_positions_to_the_users_file() {
        let mut map = SourceMap::new();
        let start = map.add_preprocessed("m.c", "# 1 \"m.c\"\n# 1 \"h.h\" 1\nint h;\n# 2 \"m.c\" 2\nint x;\n".into());
        let x = map.text_at(start).find("x;").map(|at| at as u32).expect("in the text");
        assert_eq!(map.display(Span { start: start + x, end: start + x + 1 }), "m.c:2:5");
    }

    #[test]
    fn people_see_the_line_that_they_wrote() {
        let mut map = SourceMap::new();
        map.keep_original("m.c", "int y = ONE + x;\n");
        let start = map.add_preprocessed("m.c", "# 1 \"m.c\"\nint y = 1000000 + x;\n".into());
        let x = map.text_at(start).find("x;").map(|at| at as u32).expect("in the text");
        let at = |offset| Span { start: start + offset, end: start + offset + 1 };
        assert_eq!((map.display(at(x)).as_str(), map.line_text(at(x))), ("m.c:1:15", "int y = ONE + x;"));
        assert_eq!(map.display(at(x - 10)), "m.c:1:1", "a macro's value has no column of its own");
    }
}
