//! Messages about the user's input, shown with position, source line and caret.

use crate::printable;
use crate::source::{SourceMap, Span};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; the run goes on.
    Warning,
    /// The input cannot be used.
    Error,
}

/// One message about one place in the user's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong and what was expected, one line, no final stop.
    pub message: String,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, message: message.into() }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, span, message: message.into() }
    }

    /// `file:line:column: error: message`, the source line and a caret under the position.
    pub fn render(&self, sources: &SourceMap) -> String {
        let word = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let line = sources.line_text(self.span);
        let column = sources.position(self.span).column as usize;
        let (shown, caret) = window(line, column.saturating_sub(1));
        let (at, message) = (sources.display(self.span), printable(&self.message));
        format!("{at}: {word}: {message}\n  {shown}\n  {caret}^")
    }
}

/// At most 120 bytes of `line` around byte `at`, and the blanks that put a caret under it.
fn window(line: &str, at: usize) -> (String, String) {
    let floor = |mut index: usize| {
        index = index.min(line.len());
        while !line.is_char_boundary(index) {
            index -= 1;
        }
        index
    };
    let from = if line.len() <= 120 { 0 } else { floor(at.saturating_sub(60)) };
    let shown = |part: &str| printable(&part.replace('\t', " ")).into_owned();
    let blanks = shown(&line[from..floor(at.max(from))]).chars().count();
    (shown(&line[from..floor(from + 120)]), " ".repeat(blanks))
}
