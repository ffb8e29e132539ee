//! Lists of tasks: CSV files with the columns `category,task,input,bits,expected`, task definitions (`.yml`), and sets
//! of them (`.set`: a pattern such as `loops/*.yml` a line). Paths are relative to the list's folder.

use driver::task_list::{Row, fits};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One task of a benchmark.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// What tables group by.
    pub category: String,
    /// Its name in results.
    pub name: String,
    /// What is to be verified and how: arguments of `verify`.
    pub args: Vec<String>,
    /// The right answer, where it is known.
    pub expected: Option<bool>,
}

/// All tasks of some lists, in order, each once.
pub fn read(files: &[PathBuf]) -> Result<Vec<Task>, String> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for file in files {
        let found = match file.extension().and_then(|word| word.to_str()) {
            Some("csv") => read_csv(file)?,
            Some("yml" | "yaml") => vec![definition(file)?],
            Some("set") => read_set(file)?,
            _ => return Err(format!("{}: expected a list of tasks (.csv, .set) or a task (.yml)", file.display())),
        };
        tasks.extend(found.into_iter().filter(|task| known.insert(task.name.clone())));
    }
    if tasks.is_empty() { Err("the lists name no task".into()) } else { Ok(tasks) }
}

fn text(file: &Path, expected: &str) -> Result<String, String> {
    driver::read_text(file, expected).map_err(|error| error.to_string())
}

fn read_csv(file: &Path) -> Result<Vec<Task>, String> {
    let text = text(file, "a list of tasks")?;
    let rows = driver::task_list::rows(&text).map_err(|problem| format!("{}:{problem}", file.display()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let property = folder.join("properties").join("unreach-call.prp");
    let task = |row: Row| {
        let model = if row.bits == "64" { "LP64" } else { "ILP32" };
        let mut args: Vec<String> = ["--extern=pure", "--data-model", model].map(str::to_owned).to_vec();
        if property.is_file() {
            args.extend(["--property".to_owned(), property.display().to_string()]);
        }
        // After `--` no name is taken for an option.
        args.extend(["--".to_owned(), folder.join(row.input).display().to_string()]);
        Task { category: row.category, name: row.task, args, expected: row.expected.parse().ok() }
    };
    Ok(rows.into_iter().map(task).collect())
}

/// A task definition; its category is its folder.
fn definition(file: &Path) -> Result<Task, String> {
    let request = driver::Request { files: vec![file.to_owned()], ..driver::Request::default() };
    let task = driver::Task::new(request).map_err(|error| error.to_string())?;
    let folder = file.parent().and_then(Path::file_name).map_or("tasks".into(), |name| name.to_string_lossy());
    let path = file.display().to_string();
    let name = base::printable(&path).into_owned();
    Ok(Task { category: folder.into_owned(), args: vec!["--".to_owned(), path], name, expected: task.expected })
}

fn read_set(file: &Path) -> Result<Vec<Task>, String> {
    let text = text(file, "a set of tasks")?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut tasks = Vec::new();
    for (line, pattern) in driver::task_list::patterns(&text) {
        let found = matching(folder, pattern);
        if found.is_empty() {
            return Err(format!("{}:{line}: no file is called `{pattern}`", file.display()));
        }
        for path in found {
            tasks.push(definition(&path)?);
        }
    }
    Ok(tasks)
}

/// The files that a pattern with `*` stands for, in order.
fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut paths = vec![if pattern.starts_with('/') { PathBuf::from("/") } else { folder.to_owned() }];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let below = |path: PathBuf| -> Vec<PathBuf> {
            if !part.contains('*') {
                return vec![path.join(part)];
            }
            let inside = std::fs::read_dir(if path.as_os_str().is_empty() { Path::new(".") } else { &path });
            let names = inside.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
            let mut names: Vec<String> = names.filter(|name| fits(name, part)).collect();
            names.sort();
            names.into_iter().map(|name| path.join(name)).collect()
        };
        paths = paths.into_iter().flat_map(below).filter(|path| path.exists()).collect();
    }
    paths
}
