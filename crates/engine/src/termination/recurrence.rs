//! Executions that seem to run forever, as candidates for closed recurrent sets [GHMRX08]: with inputs that stay the same at
//! each place that asks, what the program does depends on its state alone. Whether it really never ends is asked of
//! other engines, about the program that has these inputs and must reach no end ([`transform::without_end`]).
//!
//! 1. Values are guessed from what conditions compare with, and at random.
//! 2. Runs that come to an end are of no use, nor are those that come to one later.
//! 3. The loop in which an execution stays is the first one that it enters and still iterates at the end of a long run.

use crate::evidence::confirm;
use crate::random::execute;
use base::{Cancel, Counters};
use cfa::{EdgeId, Expr, Node, Op, Program, Scalar, Source, VarId, WatchedLoop};
use semantics::choices::Chooser;
use semantics::interpreter::{RunEnd, Tracing};
use semantics::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use verdict::{Counterexample, Verdict};

/// Runs that are tried.
const RUNS: u64 = 96;
/// Instructions of a first run, and of one that has to go on for long.
const STEPS: u64 = 50_000;
const LONG: u64 = 3_000_000;
/// Different constants that are tried as inputs.
const MOST_CONSTANTS: usize = 24;

/// An execution that may never end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The values of inputs, by the nodes where they are asked for.
    pub inputs: BTreeMap<Node, u128>,
    /// Where it seems to stay.
    pub watched: WatchedLoop,
}

impl Candidate {
    /// The program in which no end may be reached; `None` if memory may run out before.
    pub fn endless(&self, program: &Program) -> Option<Program> {
        let plain = &program.termination.as_ref()?.plain;
        // What other files define is not up to the program: it may hold anything.
        let elsewhere = |node: &Node| {
            let mut ops = plain.leaving(*node).map(|edge| &plain.edges[edge].op);
            plain.nodes[*node].function == plain.entry && ops.any(|op| matches!(op, Op::Havoc(_, Source::Extern(_))))
        };
        let own = self.inputs.iter().filter(|(node, _)| !elsewhere(node));
        transform::without_end(plain, &own.map(|(&node, &value)| (node, value)).collect())
    }
}

/// Executions that run for long, one after the other.
pub struct Candidates<'a> {
    program: &'a Program,
    constants: Vec<u128>,
    number: u64,
    /// The inputs of runs that did not end at once.
    known: BTreeSet<BTreeMap<Node, u128>>,
}

impl<'a> Candidates<'a> {
    /// Nothing was tried.
    pub fn new(program: &'a Program) -> Self {
        let constants = program.termination.as_ref().map_or_else(Vec::new, |watched| constants(&watched.plain));
        Candidates { program, constants, number: 0, known: BTreeSet::new() }
    }

    /// The next one.
    pub fn next(&mut self, cancel: &Cancel, counters: &mut Counters) -> Option<Candidate> {
        let termination = self.program.termination.as_ref()?;
        let plain = &termination.plain;
        while self.number < RUNS && cancel.check().is_ok() {
            let values = Values::new(self.number, &self.constants);
            self.number += 1;
            let mut steady = Steady { program: plain, inputs: BTreeMap::new(), values };
            let run = execute(plain, &mut steady, (STEPS, Tracing::On), cancel);
            counters.add("runs with steady inputs", 1);
            if steady.inputs.is_empty() {
                // There is no other one.
                self.number = RUNS;
            }
            let inputs = steady.inputs.clone();
            if !matches!(run.outcome, RunEnd::StepLimit) || !self.known.insert(inputs.clone()) {
                continue;
            }
            let Some(watched) = stays(&termination.loops, plain, &run.path) else { continue }; // 3
            let long = execute(plain, &mut steady, (LONG, Tracing::Off), cancel);
            if matches!(long.outcome, RunEnd::StepLimit) && steady.inputs == inputs {
                return Some(Candidate { inputs, watched }); // 2
            }
        }
        None
    }
}

/// The loop in which a run stays.
fn stays(loops: &[WatchedLoop], plain: &Program, path: &[EdgeId]) -> Option<WatchedLoop> {
    let arrives = |edge: &EdgeId, one: &WatchedLoop| plain.edges[*edge].to == one.head;
    let late = &path[path.len() / 2..];
    let iterated = loops.iter().filter(|one| late.iter().filter(|edge| arrives(edge, one)).count() > 1);
    iterated.min_by_key(|one| path.iter().position(|edge| arrives(edge, one))).copied()
}

/// The execution up to the second iteration of its loop, in the program where that is a target.
pub fn enter(program: &Program, candidate: &Candidate, cancel: &Cancel) -> Option<(Program, Counterexample)> {
    let shown = transform::close_at(program, &candidate.watched);
    let choices = program.termination.as_ref().map_or(&[][..], |termination| &termination.choices);
    let mut chooser = Entering { program: &shown, candidate, choices, remembered: false };
    let run = execute(&shown, &mut chooser, (LONG, Tracing::Off), cancel);
    if !matches!(run.outcome, RunEnd::Target(_)) {
        return None;
    }
    match confirm(&shown, &run.choices, cancel) {
        Verdict::Unsafe(found) => Some((shown, found)),
        Verdict::Safe(_) | Verdict::Unknown(_) => None,
    }
}

/// Numbers that conditions are about, and their neighbours.
fn constants(program: &Program) -> Vec<u128> {
    let mut found: Vec<u128> = vec![1, u128::MAX, 2, 100];
    for (_, edge) in program.edges.iter() {
        let Op::Assume(condition) = edge.op else { continue };
        program.exprs.visit(condition, |id, node| {
            let Expr::Const { .. } = node else { return };
            let Some(value) = program.exprs.integer(id).filter(|_| program.exprs.ty(id).is_int()) else { return };
            for near in [value, value.wrapping_add(1), value.wrapping_sub(1)] {
                let near = near as u128;
                if near != 0 && !found.contains(&near) && found.len() < MOST_CONSTANTS {
                    found.push(near);
                }
            }
        });
    }
    found
}

/// Where new inputs come from.
enum Values<'a> {
    Always(u128),
    /// One of these, or 0, at random.
    Mixed(Random, &'a [u128]),
    Drawn(Random),
}

impl<'a> Values<'a> {
    /// Step 1.
    fn new(number: u64, constants: &'a [u128]) -> Self {
        let count = constants.len() as u64;
        match number.checked_sub(1) {
            None => Values::Always(0),
            Some(at) if at < count => Values::Always(constants[at as usize]),
            Some(at) if at % 3 != 0 => Values::Mixed(Random::new(number), constants),
            Some(_) => Values::Drawn(Random::new(number)),
        }
    }

    fn next(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        match self {
            Values::Always(value) => *value,
            Values::Mixed(random, values) => {
                let at = random.below(values.len() as u64 + 1) as usize;
                values.get(at).copied().unwrap_or(0)
            }
            Values::Drawn(random) => random.havoc(edge, source, ty),
        }
    }
}

/// Inputs stay the same; uninitialised bytes are 0.
struct Steady<'a> {
    program: &'a Program,
    inputs: BTreeMap<Node, u128>,
    values: Values<'a>,
}

impl Chooser for Steady<'_> {
    fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        let bits = ty.bits(self.program.model);
        let values = &mut self.values;
        let cut = |value: u128| if bits < 128 { value & ((1 << bits) - 1) } else { value };
        *self.inputs.entry(self.program.edges[edge].from).or_insert_with(|| cut(values.next(edge, source, ty)))
    }
    fn byte(&mut self, _: u32, _: u64) -> u8 {
        0
    }
    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        0
    }
}

/// The inputs of a candidate; the first iteration of its loop is remembered.
struct Entering<'a> {
    program: &'a Program,
    candidate: &'a Candidate,
    choices: &'a [VarId],
    remembered: bool,
}

impl Chooser for Entering<'_> {
    fn havoc(&mut self, edge: EdgeId, _: Source, _: Scalar) -> u128 {
        let edge = &self.program.edges[edge];
        match edge.op {
            Op::Havoc(var, _) if self.choices.binary_search(&var).is_ok() => {
                let first = var == self.candidate.watched.choice && !self.remembered;
                self.remembered |= first;
                u128::from(first)
            }
            _ => self.candidate.inputs.get(&edge.from).copied().unwrap_or(0),
        }
    }
    fn byte(&mut self, _: u32, _: u64) -> u8 {
        0
    }
    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        0
    }
}
