//! Programs about memory whose verdicts are known, because gcc executed them with every input.
//!
//! A program has a few objects of all storage classes and types, some statements that write them in all the ways that C
//! has, and values that it observes in the end. It reads one or two inputs of a few bits, and has no undefined
//! behaviour. [`truth`] executes it with all inputs; then two questions are known: whether values that one execution
//! observes can be observed (FALSE), and whether values that none observes can (TRUE). [`judge`] asks a preset both,
//! and [`shrink`] makes a program small on which the answer is wrong. The command `memory` tries many.

mod bodies;
mod helpers;
pub mod judge;
mod maker;
mod objects;
mod observe;
pub mod shrink;
mod statements;
pub mod truth;

use cfa::DataModel;
use helpers::prototypes;
pub use maker::generate;

/// A program whose inputs are still open and whose observed values are still unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// What it was made from.
    pub seed: u64,
    /// What it is compiled for.
    pub model: DataModel,
    /// Names with file scope, so that several programs fit into one file.
    pub names: Vec<String>,
    /// Lines before `main`.
    pub file: Vec<String>,
    /// What it reads first.
    pub inputs: Vec<Input>,
    /// Lines of `main`.
    pub body: Vec<String>,
    /// What it observes in the end.
    pub observed: Vec<Observed>,
}

/// An input and all its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The line that reads and narrows it.
    pub line: String,
    /// What `__VERIFIER_nondet_*` may return so that the program goes on.
    pub values: Vec<i64>,
}

/// A value that the program computes in the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// The name of the variable that holds it.
    pub name: String,
    /// An expression of an integer type.
    pub expression: String,
}

/// What the program does with what it observes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End<'v> {
    /// Prints it.
    Print,
    /// Calls `reach_error` if these are the values.
    Check(&'v [u64]),
}

impl Program {
    /// The C text.
    pub fn text(&self, end: &End<'_>) -> String {
        let mut lines = self.file.clone();
        lines.push("int main(void) {".into());
        let inner = self.inputs.iter().map(|input| &input.line).chain(&self.body);
        lines.extend(inner.map(|line| format!("    {line}")));
        for Observed { name, expression } in &self.observed {
            lines.push(format!("    unsigned long long {name} = {expression};"));
        }
        lines.push(format!("    {}", self.end(end)));
        lines.push("    return 0;\n}\n".into());
        let text = lines.join("\n");
        prototypes(&text, self.model) + &text
    }

    fn end(&self, end: &End<'_>) -> String {
        let names = self.observed.iter().map(|observed| observed.name.clone());
        match end {
            End::Print => {
                let format = vec!["%llu"; self.observed.len()].join(" ");
                format!("printf(\"{format}\\n\", {});", names.collect::<Vec<_>>().join(", "))
            }
            End::Check(values) => {
                let equal = names.zip(*values).map(|(name, value)| format!("{name} == {value}ull"));
                format!("if ({}) reach_error();", equal.collect::<Vec<_>>().join(" && "))
            }
        }
    }

    /// All combinations of inputs.
    pub fn executions(&self) -> Vec<Vec<i64>> {
        let mut all = vec![Vec::new()];
        for input in &self.inputs {
            all = all
                .iter()
                .flat_map(|row: &Vec<i64>| input.values.iter().map(|&value| [row.as_slice(), &[value]].concat()))
                .collect();
        }
        all
    }
}
