//! From what the user typed to a task: files, property, data model, entry function.

use crate::InputError;
use crate::source::{Preprocessing, read_text};
use cfa::{DataModel, Outside, Undefined};
use spec::{KNOWN, Property, Specification, TaskDefinition, TaskProperty, violated_part};
use std::path::{Path, PathBuf};

/// What the user typed; `None` where nothing was said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// C files, or one task definition.
    pub files: Vec<PathBuf>,
    /// A `.prp` file.
    pub property: Option<PathBuf>,
    /// What to check instead of a property of a file.
    pub checked: Option<Property>,
    /// Sizes of C's types.
    pub data_model: Option<DataModel>,
    /// Functions without a body.
    pub outside: Option<Outside>,
    /// Whether executions after undefined behaviour count.
    pub undefined: Undefined,
    /// Whether `malloc` and its kin may return null.
    pub malloc_may_fail: bool,
    /// Where executions start.
    pub entry: Option<String>,
    /// Files with definitions of library functions.
    pub models: Vec<PathBuf>,
    /// What the entry function is called with if it is verified on its own.
    pub given: Option<lower::Given>,
    /// What its caller has to see to: C expressions over its parameters.
    pub requires: Vec<String>,
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
    pub outside: Outside,
    /// Whether executions after undefined behaviour count.
    pub undefined: Undefined,
    /// Whether `malloc` and its kin may return null.
    pub malloc_may_fail: bool,
    /// Whether the program is executed for a user, who gives it standard input and a clock.
    pub running: bool,
    /// Where executions start.
    pub entry: String,
    /// Files with definitions of library functions.
    pub models: Vec<PathBuf>,
    /// What the entry function is called with if it is verified on its own.
    pub given: Option<lower::Given>,
    /// What its caller has to see to: C expressions over its parameters.
    pub requires: Vec<String>,
    /// Options of the preprocessor.
    pub preprocessing: Preprocessing,
    /// What a task definition says the answer is.
    pub expected: Option<bool>,
}

impl Task {
    /// Reads property file and task definition. SV-COMP's convention, functions without body are pure, comes with
    /// task definitions only; `--extern` overrides it.
    pub fn new(request: Request) -> Result<Task, InputError> {
        let definition = match request.files.as_slice() {
            [file] if is_definition(file) => Some(read_definition(file)?),
            files => match files.iter().find(|file| is_definition(file)) {
                Some(file) => {
                    return Err(InputError::new(format!(
                        "{}: a task definition names all its files, expected no other file next to it",
                        file.display()
                    )));
                }
                None => None,
            },
        };
        let is_task = definition.is_some();
        let definition = definition.unwrap_or_default();
        let (check, expected) = choose_property(request.property.as_deref(), &definition.properties)?;
        let default = if request.given.is_some() { all_undefined() } else { Property::NoError };
        let check = check.unwrap_or(Specification { entry: "main".into(), property: default });
        let (property, expected) = match request.checked {
            Some(property) => (property, None),
            None => (check.property, expected),
        };
        supported(&property).map_err(InputError::new)?;
        Ok(Task {
            files: if is_task { definition.input_files.iter().map(PathBuf::from).collect() } else { request.files },
            property,
            model: request.data_model.or(definition.data_model).unwrap_or_default(),
            outside: request.outside.unwrap_or(if is_task { Outside::Pure } else { Outside::Writes }),
            undefined: request.undefined,
            malloc_may_fail: request.malloc_may_fail,
            running: false,
            entry: request.entry.unwrap_or(check.entry),
            models: request.models,
            given: request.given,
            requires: request.requires,
            preprocessing: request.preprocessing,
            expected,
        })
    }
}

/// What is checked of a function that is verified on its own: assertions, and all undefined behaviour that can be.
fn all_undefined() -> Property {
    let all = Property::DefinedBehaviour.checks();
    let known = lower::CHECKED.and(transform::CHECKED);
    Property::Checked { errors: true, kinds: all.without(all.without(known)) }
}

/// Whether a property can be checked, else why not. The one place that says so: kinds of checks that lowering makes are
/// in [`lower::CHECKED`] and [`transform::CHECKED`].
fn supported(property: &Property) -> Result<(), String> {
    match property {
        Property::Unsupported(name) => Err(format!("property not supported: {name}; known are {KNOWN}")),
        Property::Termination
        | Property::NoError
        | Property::NoFailure
        | Property::NoCall(_)
        | Property::NoLabel(_) => Ok(()),
        Property::NoOverflow
        | Property::ValidMemory(_)
        | Property::ValidCleanup
        | Property::DefinedBehaviour
        | Property::Checked { .. } => {
            match property.checks().without(lower::CHECKED.and(transform::CHECKED)).iter().next() {
                Some(missing) if violated_part(missing) == property.name() => {
                    Err(format!("property not supported: {}", property.name()))
                }
                Some(missing) if matches!(property, Property::Checked { .. }) => {
                    Err(format!("check not supported: {}", missing.word()))
                }
                Some(missing) => {
                    Err(format!("property not supported: {}, of {}", violated_part(missing), property.name()))
                }
                None => Ok(()),
            }
        }
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

fn read_check(file: &Path) -> Result<Specification, InputError> {
    let text = read_text(file, "a property (.prp)")?;
    Specification::parse(&text).map_err(|error| InputError::new(format!("{}:{error}", file.display())))
}

/// The property that the user names, else the first one of the task that is about reaching errors, else the first that is
/// supported, else its first.
fn choose_property(
    named: Option<&Path>,
    offered: &[TaskProperty],
) -> Result<(Option<Specification>, Option<bool>), InputError> {
    if let Some(file) = named {
        let same = |property: &&TaskProperty| Path::new(&property.file).file_name() == file.file_name();
        return Ok((Some(read_check(file)?), offered.iter().find(same).and_then(|property| property.expected)));
    }
    let mut all = Vec::new();
    for property in offered {
        all.push((read_check(Path::new(&property.file))?, property.expected));
    }
    let reaches = |property: &Property| matches!(property, Property::NoCall(_) | Property::NoLabel(_));
    let first = all.iter().find(|(one, _)| reaches(&one.property));
    let first = first.or_else(|| all.iter().find(|(one, _)| supported(&one.property).is_ok())).or(all.first());
    Ok(first.map_or((None, None), |(one, expected)| (Some(one.clone()), *expected)))
}
