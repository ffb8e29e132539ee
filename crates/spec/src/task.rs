//! Task definitions: BenchExec's YAML format, versions 1.0 and 2.x.

use crate::SpecError;
use cfa::DataModel;
use saphyr::{LoadableYamlNode, MarkedYaml};

/// A task definition. Paths are as written, relative to the definition's own folder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskDefinition {
    /// The program.
    pub input_files: Vec<String>,
    /// What may be asked about it.
    pub properties: Vec<TaskProperty>,
    /// Sizes of C's types, if the task says.
    pub data_model: Option<DataModel>,
}

/// One property of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskProperty {
    /// Its `.prp` file.
    pub file: String,
    /// What the answer should be, if known.
    pub expected: Option<bool>,
}

impl TaskDefinition {
    /// Reads a task definition.
    pub fn parse(text: &str) -> Result<TaskDefinition, SpecError> {
        let documents = MarkedYaml::load_from_str(text).map_err(|error| SpecError {
            line: error.marker().line(),
            column: error.marker().col() + 1,
            message: format!("not YAML: {}", error.info()),
        })?;
        let first = SpecError { line: 1, column: 1, message: "expected a task definition".into() };
        let root = documents.first().ok_or(first)?;
        if root.data.as_mapping().is_none() {
            return Err(error(
                root,
                "expected a task definition, that is `format_version`, `input_files`, `properties`",
            ));
        }
        check_version(root)?;
        Ok(TaskDefinition {
            input_files: input_files(root)?,
            properties: properties(root)?,
            data_model: data_model(root)?,
        })
    }
}

fn error(node: &MarkedYaml, message: &str) -> SpecError {
    SpecError { line: node.span.start.line(), column: node.span.start.col() + 1, message: message.into() }
}

fn field<'a, 'b>(node: &'a MarkedYaml<'b>, key: &str) -> Option<&'a MarkedYaml<'b>> {
    node.data.as_mapping_get(key)
}

fn text(node: &MarkedYaml, what: &str) -> Result<String, SpecError> {
    node.data.as_str().map(str::to_owned).ok_or_else(|| error(node, &format!("expected {what}")))
}

/// `'2.0'` and `2.0` are both seen in the wild.
fn check_version(root: &MarkedYaml) -> Result<(), SpecError> {
    let node = field(root, "format_version").ok_or_else(|| error(root, "expected `format_version: '2.0'`"))?;
    let number = node.data.as_floating_point().map(|number| format!("{number:.1}"));
    let version = node.data.as_str().map(str::to_owned).or(number).unwrap_or_default();
    if version == "1.0" || version.starts_with("2.") {
        return Ok(());
    }
    Err(error(node, "expected format version 1.0 or 2.x of task definitions"))
}

fn input_files(root: &MarkedYaml) -> Result<Vec<String>, SpecError> {
    let node = field(root, "input_files").ok_or_else(|| error(root, "expected `input_files:` with the program"))?;
    let files = match node.data.as_sequence() {
        Some(files) => files.iter().map(|file| text(file, "a file name")).collect::<Result<_, _>>()?,
        None => vec![text(node, "a file name or a list of them")?],
    };
    if files.is_empty() {
        return Err(error(node, "expected at least one file name"));
    }
    Ok(files)
}

fn properties(root: &MarkedYaml) -> Result<Vec<TaskProperty>, SpecError> {
    let Some(node) = field(root, "properties") else { return Ok(Vec::new()) };
    let list = node.data.as_sequence().ok_or_else(|| error(node, "expected a list of properties"))?;
    let property = |item: &MarkedYaml| {
        let file = field(item, "property_file").ok_or_else(|| error(item, "expected `property_file: FILE.prp`"))?;
        let expected = match field(item, "expected_verdict") {
            Some(node) => Some(node.data.as_bool().ok_or_else(|| error(node, "expected `true` or `false`"))?),
            None => None,
        };
        Ok(TaskProperty { file: text(file, "a file name")?, expected })
    };
    list.iter().map(property).collect()
}

fn data_model(root: &MarkedYaml) -> Result<Option<DataModel>, SpecError> {
    let Some(options) = field(root, "options") else { return Ok(None) };
    if let Some(language) = field(options, "language")
        && language.data.as_str() != Some("C")
    {
        return Err(error(language, "expected language `C`, the only one that Argonaut reads"));
    }
    match field(options, "data_model") {
        None => Ok(None),
        Some(node) => match node.data.as_str() {
            Some("ILP32") => Ok(Some(DataModel::Ilp32)),
            Some("LP64") => Ok(Some(DataModel::Lp64)),
            Some(_) | None => Err(error(node, "expected data model `ILP32` or `LP64`")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&match TaskDefinition::parse(text) {
            Ok(task) => format!("{task:?}"),
            Err(error) => error.to_string(),
        });
    }

    #[test]
    fn both_versions() {
        check(
            "format_version: '1.0'\n# old name\ninput_files: 'a.i'\nproperties:\n  - property_file: ../p/u.prp\n    expected_verdict: false\n  - property_file: t.prp\n",
            expect![[
                r#"TaskDefinition { input_files: ["a.i"], properties: [TaskProperty { file: "../p/u.prp", expected: Some(false) }, TaskProperty { file: "t.prp", expected: None }], data_model: None }"#
            ]],
        );
        check(
            "format_version: 2.0\ninput_files:\n  - a.c\n  - b.c\nproperties: []\noptions:\n  language: C\n  data_model: ILP32\n",
            expect![[r#"TaskDefinition { input_files: ["a.c", "b.c"], properties: [], data_model: Some(Ilp32) }"#]],
        );
    }

    #[test]
    fn errors_have_positions() {
        check("", expect!["1:1: expected a task definition"]);
        check(
            "int main;",
            expect!["1:1: expected a task definition, that is `format_version`, `input_files`, `properties`"],
        );
        check("format_version: '3.0'", expect!["1:17: expected format version 1.0 or 2.x of task definitions"]);
        check("format_version: '2.0'\ninput_files: []", expect!["2:14: expected at least one file name"]);
        check(
            "format_version: '2.0'\ninput_files: a.c\noptions:\n  data_model: LP32",
            expect!["4:15: expected data model `ILP32` or `LP64`"],
        );
        check("a: [", expect!["2:1: not YAML: while parsing a node, did not find expected node content"]);
    }
}
