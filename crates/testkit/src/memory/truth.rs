//! What generated programs really observe: gcc's sanitized program and the interpreter, each with all inputs.

use super::{End, Program};
use crate::scratch::Scratch;
use crate::{gcc, program};
use base::Cancel;
use cfa::{DataModel, EdgeId, Scalar, Source};
use semantics::choices::Chooser;
use semantics::interpreter::{Options, RunEnd, run};
use semantics::random::Random;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a program observes, for all inputs in the order of [`Program::executions`].
pub type Truth = Vec<Vec<u64>>;

/// Why nothing is known about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejected {
    /// gcc does not take it, or it is undefined, does not end, or reads uninitialised memory.
    Undefined,
    /// The interpreter observes something else, which is a bug.
    Interpreter(String),
}

/// Undefined behaviour ends these executions; uninitialised memory is not zero.
const CHECKED: &[&str] = &[
    "-fsanitize=address,undefined",
    "-fno-sanitize=alignment",
    "-fno-sanitize-recover=all",
    "-fno-strict-aliasing",
    "-ftrivial-auto-var-init=pattern",
];
/// Here uninitialised memory is zero where possible.
const PLAIN: &[&str] = &["-fno-strict-aliasing", "-ftrivial-auto-var-init=zero"];

const HEAD: &str = "#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
static const long long *inputs;
unsigned char __VERIFIER_nondet_uchar(void) { return *inputs++; }
unsigned __VERIFIER_nondet_uint(void) { return *inputs++; }
int __VERIFIER_nondet_int(void) { return *inputs++; }
short __VERIFIER_nondet_short(void) { return *inputs++; }
static void execute(int (*program)(void), int number, const long long *values) {
    printf(\"= %d\\n\", number);
    fflush(stdout);
    if (fork() == 0) {
        alarm(5);
        inputs = values;
        program();
        fflush(stdout);
        _exit(0);
    }
    int status;
    wait(&status);
    if (status) printf(\"! %d\\n\", status);
}
";

/// The truth about each of these programs, which are for one data model. All go through gcc together.
pub fn ground(programs: &[Program], model: DataModel) -> Vec<Result<Truth, Rejected>> {
    let judged =
        executed(programs, model, CHECKED).and_then(|checked| Some((checked, executed(programs, model, PLAIN)?)));
    match judged {
        Some((checked, plain)) => {
            let pairs = checked.into_iter().zip(plain).zip(programs);
            pairs.map(|((checked, plain), program)| settle(program, checked, plain)).collect()
        }
        None if programs.len() == 1 => vec![Err(Rejected::Undefined)],
        None => programs.iter().flat_map(|program| ground(std::slice::from_ref(program), model)).collect(),
    }
}

fn settle(program: &Program, checked: Option<Truth>, plain: Option<Truth>) -> Result<Truth, Rejected> {
    match (checked, plain) {
        (Some(truth), Some(plain)) if truth == plain => interpreted(program, &truth).map(|()| truth),
        _ => Err(Rejected::Undefined),
    }
}

/// All programs in one text, each under names of its own.
fn together(programs: &[Program]) -> String {
    let mut text = HEAD.to_owned();
    let mut calls = String::new();
    for (number, program) in programs.iter().enumerate() {
        let names: Vec<&str> = program.names.iter().map(String::as_str).chain(["main"]).collect();
        names.iter().for_each(|name| writeln!(text, "#define {name} {name}_of_{number}").expect("a string grows"));
        text += &program.text(&End::Print);
        names.iter().for_each(|name| writeln!(text, "#undef {name}").expect("a string grows"));
        for values in program.executions() {
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            writeln!(calls, "    execute(main_of_{number}, {number}, (long long[]){{{}}});", values.join(", "))
                .expect("a string grows");
        }
    }
    format!("{text}int main(void) {{\n{calls}    return 0;\n}}\n")
}

/// What each program observes; `None` in the list if an execution does not end well, `None` if gcc rejects the text.
fn executed(programs: &[Program], model: DataModel, flags: &[&str]) -> Option<Vec<Option<Truth>>> {
    let scratch = Scratch::new().ok()?;
    let (file, binary) = (scratch.file("programs.c"), scratch.file("programs"));
    gcc::compile(&together(programs), model, flags, &file, &binary).ok()?;
    let mut command = Command::new("timeout");
    command.arg("120").arg(&binary).stdin(Stdio::null()).stderr(Stdio::null());
    command.env("ASAN_OPTIONS", "detect_leaks=0:max_malloc_fill_size=4096:malloc_fill_byte=90");
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut truths: Vec<Option<Truth>> = vec![Some(Truth::new()); programs.len()];
    for part in text.split("= ").skip(1) {
        let (number, rest) = part.split_once('\n')?;
        let row: Option<Vec<u64>> = rest.split_whitespace().map(|word| word.parse().ok()).collect();
        let truth = truths.get_mut(number.parse::<usize>().ok()?)?;
        match row {
            Some(row) => truth.iter_mut().for_each(|truth| truth.push(row.clone())),
            None => *truth = None,
        }
    }
    let complete = |truth: &Truth, program: &Program| {
        truth.len() == program.executions().len() && truth.iter().all(|row| row.len() == program.observed.len())
    };
    let pairs = truths.into_iter().zip(programs);
    Some(pairs.map(|(truth, program)| truth.filter(|truth| complete(truth, program))).collect())
}

/// Inputs in their order; all else that is open is random.
struct Inputs<'v> {
    values: std::slice::Iter<'v, i64>,
    rest: Random,
}

impl Chooser for Inputs<'_> {
    fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        match source {
            Source::Input(_) => self.values.next().map_or(0, |&value| i128::from(value) as u128),
            _ => self.rest.havoc(edge, source, ty),
        }
    }
    fn byte(&mut self, birth: u32, offset: u64) -> u8 {
        self.rest.byte(birth, offset)
    }
    fn undefined(&mut self, edge: EdgeId, ty: Scalar) -> u128 {
        self.rest.undefined(edge, ty)
    }
}

/// Whether the interpreter observes the same.
fn interpreted(program: &Program, truth: &Truth) -> Result<(), Rejected> {
    let text = program.text(&End::Print);
    let lowered = program::lower(&text, program.model).map_err(Rejected::Interpreter)?;
    for (values, expected) in program.executions().iter().zip(truth) {
        let mut chooser = Inputs { values: values.iter(), rest: Random::new(program.seed) };
        let mut output = Vec::new();
        let cancel = Cancel::with_limits(Some(Duration::from_secs(20)), None);
        let finished = run(&lowered, &mut chooser, &mut output, &Options::default(), &cancel);
        let output = String::from_utf8_lossy(&output);
        let found: Vec<u64> = output.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if finished.outcome != RunEnd::Exit(0) || found != *expected {
            let outcome = finished.outcome;
            let how = format!("inputs {values:?}: gcc observes {expected:?}, the interpreter {found:?} ({outcome:?})");
            return Err(Rejected::Interpreter(how));
        }
    }
    Ok(())
}

/// A program, values, and whether an execution observes them.
#[derive(Clone, Debug)]
pub struct Question {
    /// Observes one or two values.
    pub program: Program,
    /// The values that make it call `reach_error`.
    pub values: Vec<u64>,
    /// Whether it does.
    pub fails: bool,
}

impl Question {
    /// The C text.
    pub fn text(&self) -> String {
        self.program.text(&End::Check(&self.values))
    }
}

/// Both questions about a program: values that one execution observes, and values that none does.
pub fn questions(program: &Program, truth: &Truth) -> [Question; 2] {
    let mut random = Random::new(program.seed ^ 0xABCD);
    let columns = columns(program, truth, &mut random);
    let mut program = program.clone();
    program.observed = columns.iter().map(|&at| program.observed[at].clone()).collect();
    let rows: Truth = truth.iter().map(|row| columns.iter().map(|&at| row[at]).collect()).collect();
    // Rare values are more telling than frequent ones.
    let mut counts: BTreeMap<&Vec<u64>, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(row).or_default() += 1);
    let distinct: Vec<&Vec<u64>> = counts.into_keys().collect();
    let reached = distinct[random.below(distinct.len() as u64) as usize].clone();
    let missed = missed(&rows, &reached, &mut random);
    [(reached, true), (missed, false)].map(|(values, fails)| Question { program: program.clone(), values, fails })
}

/// Which one or two of the observed values to ask about: those that differ between executions first.
fn columns(program: &Program, truth: &Truth, random: &mut Random) -> Vec<usize> {
    let varies = |at: &usize| truth.iter().any(|row| row[*at] != truth[0][*at]);
    let (mut moving, mut still): (Vec<usize>, Vec<usize>) = (0..program.observed.len()).partition(varies);
    let mut chosen = Vec::new();
    for _ in 0..1 + random.below(2) {
        let list = if moving.is_empty() { &mut still } else { &mut moving };
        if !list.is_empty() {
            chosen.push(list.remove(random.below(list.len() as u64) as usize));
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Values that no execution observes, close to some that are.
fn missed(rows: &Truth, reached: &[u64], random: &mut Random) -> Vec<u64> {
    let at = random.below(reached.len() as u64) as usize;
    let others = rows.iter().map(|row| row[at]).chain([reached[at] ^ 1, 0]);
    let others = others.chain((1..).map(|step| reached[at].wrapping_add(step)));
    let changed = others.map(|value| {
        let mut values = reached.to_vec();
        values[at] = value;
        values
    });
    changed.into_iter().find(|values| !rows.contains(values)).expect("there are more values than executions")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Input, Observed, generate};

    fn program(body: &str) -> Program {
        let inputs = vec![Input { line: "unsigned x = __VERIFIER_nondet_uint() & 1;".into(), values: vec![0, 1] }];
        let observed = vec![Observed { name: "r".into(), expression: "a[1]".into() }];
        let (seed, model, names, file) = (0, DataModel::Lp64, Vec::new(), Vec::new());
        Program { seed, model, names, file, inputs, body: vec![body.into()], observed }
    }

    #[test]
    fn what_is_undefined_is_rejected() {
        if !gcc::is_available(DataModel::Lp64) {
            return;
        }
        let programs = [
            program("int a[2] = {1, 2}; a[x] = 5;"),
            program("int a[2] = {1, 2}; a[x * 2] = 5;"),
            program("int a[2]; a[0] = x;"),
            program("int *a = malloc(2 * sizeof(int)); a[x] = 5;"),
        ];
        let truths = ground(&programs, DataModel::Lp64);
        let rejected = || Err(Rejected::Undefined);
        assert_eq!(truths, [Ok(vec![vec![2], vec![5]]), rejected(), rejected(), rejected()]);
        // One that is not C does not spoil the others.
        let truths = ground(&[programs[0].clone(), program("int a[2")], DataModel::Lp64);
        assert_eq!(truths, [Ok(vec![vec![2], vec![5]]), rejected()]);
    }

    #[test]
    fn one_question_is_reached_and_one_is_not() {
        let program = generate(7, DataModel::Lp64);
        let width = program.observed.len();
        let truth: Truth = (0..program.executions().len() as u64).map(|row| vec![row % 3; width]).collect();
        let [reached, missed] = questions(&program, &truth);
        let observes = |values: &Vec<u64>| truth.iter().any(|row| values.iter().all(|value| *value == row[0]));
        assert!(reached.fails && observes(&reached.values));
        assert!(!missed.fails && !observes(&missed.values));
        assert_eq!(program, generate(7, DataModel::Lp64));
    }
}
