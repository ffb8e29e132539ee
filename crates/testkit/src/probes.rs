//! Probes: small pieces of C with an expression that holds after them and one that does not. gcc executes all of them,
//! so that what is expected is never ours alone.
//!
//! ```text
//! [name] lp64
//! file: static int f(void) { return 1; }
//! int x = f();
//! holds: x == 1
//! fails: x == 2
//! ```
//!
//! Lines after `file:` stand before the function, plain lines in it; a data model after the name means that the probe
//! is for it alone. Lines that start with `#` before the first probe, and empty lines, are comments.

use crate::gcc;
use crate::scratch::Scratch;
use cfa::DataModel;
use std::fmt::Write;
use std::process::{Command, Stdio};

/// One probe.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// Its name, with the file's before it.
    pub name: String,
    /// The only data model that it is for, if it is not for both.
    pub model: Option<DataModel>,
    /// Lines before the function.
    pub file: Vec<String>,
    /// Lines in the function.
    pub body: Vec<String>,
    /// The expression that holds, and the one that does not.
    pub expressions: [String; 2],
}

/// The probes of a text.
pub fn parse(file: &str, text: &str) -> Result<Vec<Probe>, String> {
    let mut probes: Vec<Probe> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let wrong = |what: &str| format!("{file}:{}: {what}", at + 1);
        if let Some(head) = line.strip_prefix('[') {
            let (name, model) = head.split_once(']').ok_or_else(|| wrong("a name needs a closing bracket"))?;
            let model = match model.trim() {
                "" => None,
                "lp64" => Some(DataModel::Lp64),
                "ilp32" => Some(DataModel::Ilp32),
                _ => return Err(wrong("no such data model")),
            };
            probes.push(Probe { name: format!("{file}/{name}"), model, ..Probe::default() });
            continue;
        }
        let Some(probe) = probes.last_mut() else {
            match line.is_empty() || line.starts_with('#') {
                true => continue,
                false => return Err(wrong("no probe has begun")),
            }
        };
        let after = |prefix: &str| line.strip_prefix(prefix).map(str::trim).map(str::to_owned);
        if let Some(line) = after("file:") {
            probe.file.push(line);
        } else if let Some(holds) = after("holds:") {
            probe.expressions[0] = holds;
        } else if let Some(fails) = after("fails:") {
            probe.expressions[1] = fails;
        } else if !line.is_empty() {
            probe.body.push(line.to_owned());
        }
    }
    match probes.iter().find(|probe| probe.expressions.iter().any(String::is_empty)) {
        Some(probe) => Err(format!("{} lacks an expression", probe.name)),
        None => Ok(probes),
    }
}

impl Probe {
    /// Whether it is for this data model.
    pub fn is_for(&self, model: DataModel) -> bool {
        self.model.is_none_or(|own| own == model)
    }

    /// A program that calls `reach_error` unless the expression (0: what holds, 1: what fails) holds.
    pub fn program(&self, expression: usize) -> String {
        let (file, body) = (self.file.join("\n"), self.body.join("\n"));
        let expression = &self.expressions[expression];
        format!(
            "{file}\nextern void reach_error(void);\nint main(void) {{\n{body}\n    \
             if (!({expression})) reach_error();\n    return 0;\n}}\n"
        )
    }

    /// A file with one visible function, which evaluates one of the expressions.
    fn unit(&self, number: usize) -> String {
        let (file, body, [holds, fails]) = (self.file.join("\n"), self.body.join("\n"), &self.expressions);
        format!(
            "{file}\nint probe_{number}(int which) {{\n{body}\n    \
             if (which == 0) return !!({holds});\n    return !!({fails});\n}}\n"
        )
    }
}

/// What gcc's programs say: for each probe the values of both expressions, 0 or 1; other numbers are signals.
pub fn execute(probes: &[&Probe], model: DataModel) -> Result<Vec<[i32; 2]>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let (mut head, mut calls) = (String::new(), String::new());
    let (mut objects, mut errors) = (Vec::new(), Vec::new());
    for (number, probe) in probes.iter().enumerate() {
        let (file, object) = (scratch.file("probe.c"), scratch.file(&format!("probe{number}.o")));
        let compiled =
            gcc::compile(&probe.unit(number), model, &["-c", "-fno-strict-aliasing", "-fno-pie"], &file, &object);
        if let Err(error) = compiled {
            errors.push(format!("{}: {error}", probe.name));
            continue;
        }
        // All other names of the file are its own.
        let keep = format!("--keep-global-symbol=probe_{number}");
        let status = Command::new("objcopy").arg(keep).arg(&object).status();
        if !status.map_err(|error| format!("objcopy: {error}"))?.success() {
            return Err(format!("{}: objcopy fails", probe.name));
        }
        objects.push(object.to_string_lossy().into_owned());
        writeln!(head, "int probe_{number}(int);").expect("a string grows");
        writeln!(calls, "    call(probe_{number}, 0); call(probe_{number}, 1);").expect("a string grows");
    }
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    let text = format!(
        "#include <stdio.h>\n#include <unistd.h>\n#include <sys/wait.h>\n{head}
static void call(int (*probe)(int), int which) {{
    int status;
    if (fork() == 0) _exit(probe(which));
    wait(&status);
    printf(\"%d\\n\", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
}}
int main(void) {{\n{calls}    return 0;\n}}\n"
    );
    let (file, binary) = (scratch.file("main.c"), scratch.file("main"));
    let objects: Vec<&str> = objects.iter().map(String::as_str).chain(["-no-pie"]).collect();
    gcc::compile(&text, model, &objects, &file, &binary)?;
    let output = Command::new(&binary).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let values: Vec<i32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    if values.len() != 2 * probes.len() {
        return Err(format!("{} values of {} probes", values.len(), probes.len()));
    }
    Ok(values.chunks(2).map(|pair| [pair[0], pair[1]]).collect())
}
