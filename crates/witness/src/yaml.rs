//! Just enough YAML: nested keys with quoted scalars.

/// A document in the making.
#[derive(Default)]
pub struct Document {
    /// The text so far.
    pub text: String,
}

impl Document {
    /// A line as it is.
    pub fn raw(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// `key: "value"`
    pub fn line(&mut self, indent: usize, key: &str, value: &str) {
        self.raw(&format!("{:indent$}{key}: {}", "", quoted(value)));
    }

    /// `key: 7`
    pub fn number(&mut self, indent: usize, key: &str, value: u32) {
        self.raw(&format!("{:indent$}{key}: {value}", ""));
    }

    /// `- "value"`
    pub fn item(&mut self, indent: usize, value: &str) {
        self.raw(&format!("{:indent$}- {}", "", quoted(value)));
    }
}

/// A double-quoted scalar.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting() {
        assert_eq!(quoted("a \"b\"\\\n\u{1}"), r#""a \"b\"\\\n\u0001""#);
    }
}
