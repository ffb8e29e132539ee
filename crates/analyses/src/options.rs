//! Options of engines: a preset's `[options]` table with the user's `--set key=value` on top, read into the engine's
//! own option struct.

use serde::de::DeserializeOwned;

/// An option that no engine knows, or a value that does not fit; the user's mistake, not an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadOption(pub String);

impl std::fmt::Display for BadOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadOption {}

/// Options by name, in TOML's types.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    table: toml::Table,
}

impl Options {
    /// The options of a preset.
    pub fn new(table: toml::Table) -> Self {
        Self { table }
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// What an option is set to, as one writes it.
    pub fn value(&self, key: &str) -> Option<String> {
        self.table.get(key).map(toml::Value::to_string)
    }

    /// Whether an option names a file to write.
    pub fn writes_files(&self) -> bool {
        self.table.contains_key("precision-out")
    }

    /// Sets one option; the value is TOML, or else a plain string: `k-max=5`, `track=["x"]`, `select=score`.
    pub fn set(&mut self, key: &str, value: &str) {
        let parsed = format!("value = {value}").parse::<toml::Table>().ok();
        let parsed = parsed.and_then(|mut table| table.remove("value"));
        self.table.insert(key.to_owned(), parsed.unwrap_or_else(|| toml::Value::String(value.to_owned())));
    }

    /// Sets one option to this very text, such as a file's name.
    pub fn set_text(&mut self, key: &str, value: &str) {
        self.table.insert(key.to_owned(), toml::Value::String(value.to_owned()));
    }

    /// Sets one option to a list of strings.
    pub fn set_list(&mut self, key: &str, values: &[String]) {
        self.table.insert(key.to_owned(), values.iter().cloned().map(toml::Value::String).collect::<Vec<_>>().into());
    }

    /// These options with those of `over` on top.
    pub fn with(&self, over: &Options) -> Options {
        let mut table = self.table.clone();
        table.extend(over.table.clone());
        Options { table }
    }

    /// For an analysis that has no options.
    pub fn none(&self) -> Result<(), BadOption> {
        match self.table.keys().next() {
            Some(key) => Err(BadOption(format!("bad option: unknown field `{key}`, there are no options"))),
            None => Ok(()),
        }
    }

    /// The options as the struct of an engine, which says by `deny_unknown_fields` what it knows.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, BadOption> {
        self.table.clone().try_into().map_err(|error: toml::de::Error| {
            BadOption(format!("bad option: {}", error.message().lines().collect::<Vec<_>>().join(" ")))
        })
    }
}

/// `key = value` lines.
impl std::fmt::Display for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde::Deserialize;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
    struct Example {
        k_max: u32,
        select: String,
        track: Vec<String>,
    }

    fn check(settings: &[(&str, &str)], expected: Expect) {
        let mut options = Options::default();
        for (key, value) in settings {
            options.set(key, value);
        }
        expected.assert_eq(&match options.read::<Example>() {
            Ok(example) => format!("{example:?}"),
            Err(error) => error.to_string(),
        });
    }

    #[test]
    fn values_are_toml_or_plain_text() {
        check(
            &[("k-max", "5"), ("select", "score-min"), ("track", "[\"x\"]")],
            expect![[r#"Example { k_max: 5, select: "score-min", track: ["x"] }"#]],
        );
    }

    #[test]
    fn mistakes_are_named() {
        check(
            &[("kmax", "5")],
            expect!["bad option: unknown field `kmax`, expected one of `k-max`, `select`, `track`"],
        );
        check(&[("k-max", "many")], expect![[r#"bad option: invalid type: string "many", expected u32"#]]);
    }
}
