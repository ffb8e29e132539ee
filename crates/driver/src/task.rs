//! From what the user typed to a task: files, property, data model, entry function.

use crate::InputError;
use crate::source::{Preprocessing, read_text};
use cfa::{DataModel, Undefined};
use spec::{Check, Property, TaskDefinition, TaskProperty};
use std::path::{Path, PathBuf};
use transform::Outside;

/// What functions without a body may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Externs {
    /// Return arbitrary values.
    Pure,
    /// Also overwrite what they get by a non-const pointer.
    Havoc,
}

/// What the user typed; `None` where nothing was said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// C files, or one task definition.
    pub files: Vec<PathBuf>,
    /// A `.prp` file.
    pub property: Option<PathBuf>,
    /// Sizes of C's types.
    pub data_model: Option<DataModel>,
    /// Functions without a body.
    pub externs: Option<Externs>,
    /// Whether executions behind undefined behaviour count.
    pub undefined: Undefined,
    /// Whether `malloc` and its kin may return null.
    pub malloc_may_fail: bool,
    /// Where executions start.
    pub entry: Option<String>,
    /// Options of the preprocessor.
    pub preprocessing: Preprocessing,
}

/// What is to be verified, with nothing left open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// C files.
    pub files: Vec<PathBuf>,
    /// What must not happen.
    pub property: Property,
    /// Sizes of C's types.
    pub model: DataModel,
    /// Functions without a body.
    pub externs: Externs,
    /// Whether executions behind undefined behaviour count.
    pub undefined: Undefined,
    /// Whether `malloc` and its kin may return null.
    pub malloc_may_fail: bool,
    /// Where executions start.
    pub entry: String,
    /// Options of the preprocessor.
    pub preprocessing: Preprocessing,
    /// What a task definition says the answer is.
    pub expected: Option<bool>,
}

impl Task {
    /// What functions outside the program may do.
    pub fn outside(&self) -> Outside {
        match self.externs {
            Externs::Pure => Outside::Pure,
            Externs::Havoc => Outside::Writes,
        }
    }

    /// Reads property file and task definition. SV-COMP's convention, functions without body are pure, comes with
    /// task definitions only; `--extern` overrides it.
    pub fn new(request: Request) -> Result<Task, InputError> {
        let definition = match request.files.as_slice() {
            [file] if is_definition(file) => Some(read_definition(file)?),
            files => match files.iter().find(|file| is_definition(file)) {
                Some(file) => {
                    return Err(InputError::new(format!(
                        "{}: a task definition names all its files, expected no other file beside it",
                        file.display()
                    )));
                }
                None => None,
            },
        };
        let is_task = definition.is_some();
        let definition = definition.unwrap_or_default();
        let (check, expected) = choose_property(request.property.as_deref(), &definition.properties)?;
        let check = check.unwrap_or(Check { entry: "main".into(), property: Property::NoError });
        Ok(Task {
            files: if is_task { definition.input_files.iter().map(PathBuf::from).collect() } else { request.files },
            property: check.property,
            model: request.data_model.or(definition.data_model).unwrap_or_default(),
            externs: request.externs.unwrap_or(if is_task { Externs::Pure } else { Externs::Havoc }),
            undefined: request.undefined,
            malloc_may_fail: request.malloc_may_fail,
            entry: request.entry.unwrap_or(check.entry),
            preprocessing: request.preprocessing,
            expected,
        })
    }
}

fn is_definition(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// A task definition with paths relative to the current folder.
fn read_definition(file: &Path) -> Result<TaskDefinition, InputError> {
    let text = read_text(file, "a task definition")?;
    let mut task =
        TaskDefinition::parse(&text).map_err(|error| InputError::new(format!("{}:{error}", file.display())))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let resolve = |path: &mut String| *path = folder.join(&*path).display().to_string();
    task.input_files.iter_mut().for_each(resolve);
    task.properties.iter_mut().for_each(|property| resolve(&mut property.file));
    Ok(task)
}

fn read_check(file: &Path) -> Result<Check, InputError> {
    let text = read_text(file, "a property (.prp)")?;
    Check::parse(&text).map_err(|error| InputError::new(format!("{}:{error}", file.display())))
}

/// The property that the user names, else the first one of the task that is supported, else its first.
fn choose_property(
    named: Option<&Path>,
    offered: &[TaskProperty],
) -> Result<(Option<Check>, Option<bool>), InputError> {
    if let Some(file) = named {
        let same = |property: &&TaskProperty| Path::new(&property.file).file_name() == file.file_name();
        return Ok((Some(read_check(file)?), offered.iter().find(same).and_then(|property| property.expected)));
    }
    let mut first = None;
    for property in offered {
        let check = read_check(Path::new(&property.file))?;
        if !matches!(check.property, Property::Unsupported(_)) {
            return Ok((Some(check), property.expected));
        }
        first.get_or_insert((Some(check), property.expected));
    }
    Ok(first.unwrap_or_default())
}
