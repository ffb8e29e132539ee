//! An error path in the user's terms: source lines in the order of execution, each with what happened there.

use super::{FilePosition, FinishedRun, value};
use base::{Cancel, printable};
use cfa::{FunctionKind, Op, Source, VarKind};
use verdict::{Choice, Counterexample};
use witness::trace::{self, trace};

/// One step of an error path that a reader wants to see.
pub struct ShownStep {
    pub place: FilePosition,
    pub function: String,
    /// The source line, without blanks around it.
    pub source: String,
    /// What happened there: `true` or `false` at a branch, `x = 7` at an assignment.
    pub note: String,
    /// Whether it had a part in reaching the error.
    pub matters: bool,
}

/// Which steps are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All lines that were executed.
    All,
    /// Only what had a part in reaching the error.
    Mattering,
}

/// The step in the making, and what went into it.
struct Open {
    step: ShownStep,
    activation: u32,
    edges: Vec<cfa::EdgeId>,
}

impl Open {
    /// Whether a further edge still belongs to this line: not if the line is executed once more.
    fn takes(&self, step: &ShownStep, of: &trace::Traced) -> bool {
        let same_line = self.step.place.line == step.place.line && self.step.place.file == step.place.file;
        same_line && self.activation == of.activation && !self.edges.contains(&of.edge)
    }
}

impl FinishedRun<'_> {
    /// The path through the functions that the user wrote, one step a source line.
    pub fn steps(&self, counterexample: &Counterexample, shown: Shown) -> Vec<ShownStep> {
        let mut steps: Vec<ShownStep> = Vec::new();
        let mut open: Option<Open> = None;
        for of in trace(self.program, counterexample, &Cancel::never()) {
            if shown == Shown::Mattering && !of.matters {
                continue;
            }
            let Some(step) = self.step(&of) else { continue };
            match &mut open {
                Some(last) if last.takes(&step, &of) => {
                    last.edges.push(of.edge);
                    add_note(&mut last.step.note, &step.note);
                    last.step.matters |= step.matters;
                }
                _ => {
                    let next = Open { step, activation: of.activation, edges: vec![of.edge] };
                    steps.extend(open.replace(next).map(|last| last.step));
                }
            }
        }
        steps.extend(open.map(|last| last.step));
        let error = self.last_step(counterexample);
        match steps.last_mut() {
            Some(last) if last.place.line == error.place.line && last.place.file == error.place.file => {
                add_note(&mut last.note, &error.note);
                last.matters = true;
            }
            Some(_) | None => steps.push(error),
        }
        steps
    }

    /// The inputs, and what else was open and had a part in reaching the error.
    pub fn mattering_choices<'c>(&self, counterexample: &'c Counterexample) -> Vec<&'c Choice> {
        let steps = trace(self.program, counterexample, &Cancel::never());
        let open = steps.iter().filter(|step| matches!(self.program.edges[step.edge].op, Op::Havoc(..)));
        let mut matters = open.map(|step| step.matters);
        let is_input = |choice: &&Choice| matches!(choice.source, Source::Input(_));
        let chosen = counterexample.choices.iter().map(|choice| (choice, matters.next().unwrap_or(true)));
        // What a function that is verified on its own is called with is shown as such.
        let by_itself = self.task.given.is_some();
        let chosen = chosen.filter(|(choice, _)| !by_itself || choice.source != Source::Parameter);
        // Which state is remembered is not an input of the program.
        let watched = self.program.termination.as_ref();
        let own = |choice: &Choice| match (&self.program.edges[choice.edge].op, watched) {
            (Op::Havoc(var, _), Some(watched)) => watched.choices.binary_search(var).is_err(),
            _ => true,
        };
        let chosen = chosen.filter(|(choice, _)| own(choice));
        chosen.filter(|(choice, matters)| *matters || is_input(choice)).map(|(choice, _)| choice).collect()
    }

    /// The error itself, which no edge leaves or is.
    fn last_step(&self, counterexample: &Counterexample) -> ShownStep {
        let target = &self.program.targets[counterexample.target];
        ShownStep {
            place: self.place(target.span),
            function: self.program.function_name(self.program.nodes[target.node].function).to_owned(),
            source: printable(self.program.sources.line_text(target.span).trim()).into_owned(),
            note: "error".into(),
            matters: true,
        }
    }

    fn step(&self, of: &trace::Traced) -> Option<ShownStep> {
        let program = self.program;
        let function = program.nodes[program.edges[of.edge].from].function;
        let span = program.edges[of.edge].span;
        if program.functions[function].kind != FunctionKind::Defined || span.start == span.end {
            return None;
        }
        Some(ShownStep {
            place: self.place(span),
            function: program.function_name(function).to_owned(),
            source: printable(program.sources.line_text(span).trim()).into_owned(),
            note: printable(&self.note(of)).into_owned(),
            matters: of.matters,
        })
    }

    /// What the edge did, in few words.
    fn note(&self, of: &trace::Traced) -> String {
        let program = self.program;
        let op = &program.edges[of.edge].op;
        if let Op::Assume(_) = op {
            return self.branch(of.edge).unwrap_or_default().to_owned();
        }
        let Some((ty, bits)) = of.value else { return String::new() };
        let named = op.variable().filter(|&var| program.vars[var].kind != VarKind::Temporary);
        let value = match named {
            Some(var) => value::display_typed(&program.types, program.vars[var].ty, ty, bits),
            None => value::display(ty, bits),
        };
        match (named, op) {
            (Some(var), _) => format!("{} = {value}", program.var_name(var)),
            // What a function of the user returned is told where it returns.
            (None, Op::Call { function, .. }) if program.functions[*function].kind != FunctionKind::Defined => {
                format!("{}() = {value}", program.function_name(*function))
            }
            (None, Op::Havoc(..) | Op::Store { .. }) => value,
            (None, Op::Return(_)) => format!("returns {value}"),
            (None, _) => String::new(),
        }
    }

    /// Which way a branch went; the condition's edge stands first.
    fn branch(&self, edge: cfa::EdgeId) -> Option<&'static str> {
        let mut leaving = self.program.leaving(self.program.edges[edge].from);
        (leaving.len() == 2).then(|| if leaving.next() == Some(edge) { "true" } else { "false" })
    }
}

fn add_note(notes: &mut String, note: &str) {
    if note.is_empty() || notes.split(", ").any(|known| known == note) {
        return;
    }
    if !notes.is_empty() {
        notes.push_str(", ");
    }
    notes.push_str(note);
}
