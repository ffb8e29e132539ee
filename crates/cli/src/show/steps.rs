//! An error path in the user's terms: source lines in the order of execution, each with what happened there.

use super::{FilePosition, FinishedRun, value};
use base::{Cancel, FileId, Span, printable};
use cfa::{FunctionKind, Op, Source, VarKind};
use std::collections::{HashMap, VecDeque};
use verdict::{Choice, Counterexample, OpenCalls};
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

/// The end of an error path, as much of it as a reader is shown.
pub struct ShownPath {
    /// How many steps before these are left out.
    pub earlier: usize,
    pub steps: Vec<ShownStep>,
}

/// The line that an edge belongs to.
type Line = (FileId, u32);

/// What one execution of a line did.
#[derive(Default)]
struct Group<'t> {
    line: Option<Line>,
    edges: Vec<&'t trace::Traced>,
}

impl Group<'_> {
    /// Whether a further edge still belongs to this line: not if the line is executed once more.
    fn takes(&self, line: Line, of: &trace::Traced) -> bool {
        let same = |one: &&trace::Traced| one.activation == of.activation;
        self.line == Some(line)
            && self.edges.first().is_some_and(same)
            && self.edges.iter().all(|known| known.edge != of.edge)
    }
}

impl FinishedRun<'_> {
    /// The path through the functions that the user wrote, one step a source line, and at most so many. Steps have texts,
    /// so only those are made that are shown: a path may have millions of them.
    pub fn steps(&self, counterexample: &Counterexample, shown: Shown, most: usize) -> ShownPath {
        let trace = trace(self.program, counterexample, &Cancel::never());
        let mut lines: HashMap<cfa::EdgeId, Option<Line>> = HashMap::new();
        let mut groups: VecDeque<Group> = VecDeque::new();
        let mut earlier = 0;
        for of in trace.iter().filter(|of| shown == Shown::All || of.matters) {
            let Some(line) = *lines.entry(of.edge).or_insert_with(|| self.shown_line(of.edge)) else { continue };
            match groups.back_mut() {
                Some(last) if last.takes(line, of) => last.edges.push(of),
                _ => {
                    let mut next = Group::default();
                    if groups.len() >= most.max(1) {
                        next = groups.pop_front().expect("there is one");
                        next.edges.clear();
                        earlier += 1;
                    }
                    next.line = Some(line);
                    next.edges.push(of);
                    groups.push_back(next);
                }
            }
        }
        let mut steps: Vec<ShownStep> = groups.iter().filter_map(|group| self.step(group)).collect();
        let error = self.last_step(counterexample);
        match steps.last_mut() {
            Some(last) if last.place.line == error.place.line && last.place.file == error.place.file => {
                add_note(&mut last.note, &error.note);
                last.matters = true;
            }
            Some(_) | None => steps.push(error),
        }
        ShownPath { earlier, steps }
    }

    /// All choices of the execution, each with the place where the program got it: what a function without body or of the
    /// library chose, at its call.
    pub fn placed_choices<'c>(&self, counterexample: &'c Counterexample) -> Vec<(Span, &'c Choice)> {
        let program = self.program;
        let mut calls = OpenCalls::default();
        let mut callers = counterexample.path.iter().filter_map(|&edge| {
            let caller = matches!(program.edges[edge].op, Op::Havoc(..)).then(|| calls.innermost(program));
            calls.follow(program, edge);
            caller
        });
        let place = |choice: &'c Choice| {
            let edge = &program.edges[choice.edge];
            let outside = program.functions[program.nodes[edge.from].function].kind == FunctionKind::Extern;
            let called = outside || program.sources.is_model(edge.span);
            let caller = callers.next().flatten().filter(|_| called);
            (caller.unwrap_or(edge.span), choice)
        };
        counterexample.choices.iter().map(place).collect()
    }

    /// The inputs, and what else was open and had a part in reaching the error.
    pub fn mattering_choices<'c>(&self, counterexample: &'c Counterexample) -> Vec<(Span, &'c Choice)> {
        let steps = trace(self.program, counterexample, &Cancel::never());
        let open = steps.iter().filter(|step| matches!(self.program.edges[step.edge].op, Op::Havoc(..)));
        let mut matters = open.map(|step| step.matters);
        let is_input = |choice: &Choice| matches!(choice.source, Source::Input(_));
        let chosen = self.placed_choices(counterexample).into_iter();
        let chosen = chosen.map(|placed| (placed, matters.next().unwrap_or(true)));
        // What a function that is verified on its own is called with is shown as such.
        let by_itself = self.task.given.is_some();
        let chosen = chosen.filter(|((_, choice), _)| !by_itself || choice.source != Source::Parameter);
        // Which state is remembered is not an input of the program.
        let watched = self.program.termination.as_ref();
        let own = |choice: &Choice| match (&self.program.edges[choice.edge].op, watched) {
            (Op::Havoc(var, _), Some(watched)) => watched.choices.binary_search(var).is_err(),
            _ => true,
        };
        let chosen = chosen.filter(|((_, choice), _)| own(choice));
        chosen.filter(|((_, choice), matters)| *matters || is_input(choice)).map(|(placed, _)| placed).collect()
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

    /// The line of an edge, if the user wrote it.
    fn shown_line(&self, edge: cfa::EdgeId) -> Option<Line> {
        let edge = &self.program.edges[edge];
        let function = self.program.nodes[edge.from].function;
        if self.program.functions[function].kind != FunctionKind::Defined || edge.span.start == edge.span.end {
            return None;
        }
        let position = self.program.sources.position(edge.span);
        Some((position.file, position.line))
    }

    fn step(&self, group: &Group) -> Option<ShownStep> {
        let program = self.program;
        let first = group.edges.first()?.edge;
        let span = program.edges[first].span;
        let mut note = String::new();
        group.edges.iter().for_each(|of| add_note(&mut note, &printable(&self.note(of))));
        Some(ShownStep {
            place: self.place(span),
            function: program.function_name(program.nodes[program.edges[first].from].function).to_owned(),
            source: printable(program.sources.line_text(span).trim()).into_owned(),
            note,
            matters: group.edges.iter().any(|of| of.matters),
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
