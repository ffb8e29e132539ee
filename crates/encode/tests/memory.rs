//! What memory holds in formulas is what it holds in executions. A row is the body of a C function with an input `n`
//! that sets `out`; for every value of `n` the interpreter says what `out` is, and the formula must allow that value
//! and, where the encoding is exact, no other one. What a model chose is an execution: the interpreter replays it. Both
//! ways to give addresses to objects, both data models.

#![allow(clippy::unwrap_used, reason = "a test")]

use base::{Cancel, Interner, SourceMap};
use cfa::{BinOp, Checks, DataModel, Outside, Scalar, Undefined};
use encode::{Addressing, Bounds, Encoder, Event, EventKind, Guard, Segments, SlotKind, memory_model, unroll};
use flow::{CallGraph, Loops, PointsTo, Prepared};
use semantics::choices::{Choices, Replayer};
use semantics::interpreter::{self, Options, RunEnd};
use smt::{Answer, Op, Solver, Sort, TermId};
use smt_bitwuzla::Bitwuzla;
use std::collections::BTreeSet;

#[path = "memory/anywhere.rs"]
mod anywhere;
#[path = "memory/checks.rs"]
mod checks;
#[path = "memory/cuts.rs"]
mod cuts;
#[path = "memory/intervals.rs"]
mod intervals;
#[path = "memory/known.rs"]
mod known;
#[path = "memory/ranges.rs"]
mod ranges;
#[path = "memory/rows.rs"]
mod rows;

const HEAD: &str = "
extern unsigned nondet_uint(void); extern unsigned long long nondet_goal(void); extern void reach_error(void);
extern int printf(const char *, ...); extern int sprintf(char *, const char *, ...);
extern void *memset(void *, int, unsigned long); extern void *memcpy(void *, const void *, unsigned long);
extern void *memmove(void *, const void *, unsigned long);
extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long); extern void free(void *); extern void *alloca(unsigned long);
extern void __VERIFIER_nondet_memory(void *, unsigned long); extern void change(void *);
typedef unsigned char byte;
unsigned long long out;
";

/// What a row says of `out`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    /// The formula knows it exactly.
    Exactly,
    /// The formula allows what executions do, and perhaps more.
    AtLeast,
    /// The formula allows what executions do, and more, though it forgets no memory.
    Within,
    /// Executions may do anything: two runs that differ in arbitrary bytes differ, and the formula allows both.
    Anything,
}

/// How a row is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// From the start of the program.
    Events,
    /// The same, where intervals of values decide what they can.
    Intervals,
    /// From anywhere.
    Fixed,
}

impl Way {
    fn encoder(self, program: &Prepared) -> Encoder<'_> {
        let memory = memory_model(program, &Cancel::never()).unwrap();
        let mut encoder = Encoder::new(program, memory, self.addressing());
        if self == Way::Intervals {
            encoder.learn_intervals();
        }
        encoder
    }

    fn addressing(self) -> Addressing {
        match self {
            Way::Events | Way::Intervals => Addressing::Events,
            Way::Fixed => Addressing::Fixed,
        }
    }
}

fn lower(text: String, model: DataModel, undefined: Undefined) -> Prepared {
    lower_checked(text, model, undefined, Checks::NONE)
}

/// A program in which these checks are targets.
fn lower_checked(text: String, model: DataModel, undefined: Undefined, checks: Checks) -> Prepared {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let start = sources.add("row.c", text);
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let options = lower::Options { model, checks, ..lower::Options::default() };
    let lowered = lower::lower(vec![ast], names, sources, &options);
    let mut program = lowered.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).program;
    checks::ask(&mut program);
    transform::check_memory(&mut program, checks);
    transform::check_initialised(&mut program, checks);
    let points_to = PointsTo::new(&program);
    transform::resolve_pointer_calls(&mut program, &points_to, Outside::Pure);
    transform::remove_dead(&mut program);
    flow::find_loops(&mut program);
    program.undefined = undefined;
    Prepared::new(program)
}

/// What `out` is in an execution with this input; bytes that were never written are `filler`.
fn execute(program: &Prepared, n: u32, filler: u8) -> u64 {
    let mut choices = Choices { havocs: vec![n.into(), 0], ..Choices::default() };
    let places = (0..64).flat_map(|birth| (0..64).map(move |offset| (birth, offset)));
    choices.bytes = places.map(|place| (place, filler)).collect();
    let mut text = Vec::new();
    let run = interpreter::run(program, &mut Replayer::new(&choices), &mut text, &Options::default(), &Cancel::never());
    assert!(matches!(run.outcome, RunEnd::Exit(_) | RunEnd::Target(_)), "n = {n}: {:?}", run.outcome);
    String::from_utf8(text).unwrap().trim().parse().unwrap()
}

/// The formula of the whole program: when a target is reached.
fn formula(encoder: &mut Encoder, addressing: Addressing) -> TermId {
    let guards: Vec<TermId> = reached(encoder, addressing).into_iter().map(|(_, guard)| guard).collect();
    encoder.terms.or(guards)
}

/// When targets are reached, by their number.
fn reached(encoder: &mut Encoder, addressing: Addressing) -> Vec<(usize, TermId)> {
    let (program, never) = (encoder.program, Cancel::never());
    let loops = Loops::new(program);
    let guards: Vec<(usize, Guard)> = match addressing {
        Addressing::Events => {
            let bounds = Bounds { iterations: 5, recursion: 2, constant_iterations: 20, edges: u64::MAX };
            let unrolled = unroll(encoder, &loops, bounds, &never).unwrap();
            unrolled.targets
        }
        Addressing::Fixed => {
            let calls = CallGraph::new(program);
            let segments = Segments::new(program, &loops, &calls);
            let layer = segments.initial(encoder);
            let reached = segments.run(encoder, layer, &never).unwrap();
            assert!(reached.heads.is_empty(), "loops are for unrolled programs");
            reached.targets
        }
    };
    let mut formula = |guard| encoder.guards.formula(&mut encoder.terms, guard);
    guards.into_iter().map(|(target, guard)| (target, formula(guard))).collect()
}

/// The program of a row.
fn program_of(body: &str, model: DataModel) -> Prepared {
    lower(text_of(body), model, Undefined::Report)
}

fn text_of(body: &str) -> String {
    let (before, body) = body.split_once("MAIN").unwrap_or(("", body));
    format!(
        "{HEAD}{before}\nint main(void) {{ unsigned n = nondet_uint(); {body} printf(\"%llu\\n\", out); \
         if (out == nondet_goal()) reach_error(); return 0; }}"
    )
}

/// The first and the last input.
fn inputs_of(encoder: &Encoder) -> (TermId, TermId) {
    let input = |event: &Event| match event.kind {
        EventKind::Input { value, .. } => Some(value),
        EventKind::Birth { .. } | EventKind::Read { .. } | EventKind::Forgotten { .. } => None,
    };
    let values: Vec<TermId> = encoder.events.iter().filter_map(input).collect();
    (*values.first().unwrap(), *values.last().unwrap())
}

/// The execution that the solver's model stands for.
fn replay(encoder: &mut Encoder, program: &Prepared, solver: &mut Bitwuzla) -> RunEnd {
    let choices = encoder.choices(solver).unwrap();
    let (mut replayer, options) =
        (Replayer::new(&choices), Options { undefined: program.undefined, ..Options::default() });
    interpreter::run(program, &mut replayer, &mut Vec::new(), &options, &Cancel::never()).outcome
}

fn check(body: &str, inputs: u32, says: Says, model: DataModel, way: Way) {
    let what = format!("{model:?}, {way:?}: {body}");
    let program = program_of(body, model);
    let mut encoder = way.encoder(&program);
    let reached = formula(&mut encoder, way.addressing());
    let (n, goal) = inputs_of(&encoder);
    let mut solver = Bitwuzla::new();
    let definitions: Vec<TermId> = encoder.definitions(0).collect();
    definitions.iter().for_each(|definition| solver.assert(&encoder.terms, *definition));
    solver.assert(&encoder.terms, reached);
    for value in 0..inputs {
        let given = encoder.terms.bv_u64(32, value.into());
        let given = encoder.terms.eq(n, given);
        let mut is_possible = |out: u64, equal: bool| {
            let width = encoder.terms.width(goal);
            let wanted = encoder.terms.bv_u64(width, out);
            let same = encoder.terms.eq(goal, wanted);
            let goal = if equal { same } else { encoder.terms.not(same) };
            let answer = solver.check_assuming(&encoder.terms, &[given, goal], &Cancel::never()).unwrap();
            if answer == Answer::Sat && matches!(says, Says::Exactly | Says::Anything) {
                let outcome = replay(&mut encoder, &program, &mut solver);
                assert!(matches!(outcome, RunEnd::Target(_)), "n = {value}: {outcome:?} in a replay: {what}");
            }
            answer == Answer::Sat
        };
        let out = execute(&program, value, 0);
        assert!(is_possible(out, true), "n = {value}: {out} is lost: {what}");
        let other = execute(&program, value, 0x5A);
        match says {
            Says::Exactly => {
                assert_eq!(out, other, "arbitrary bytes are read: {what}");
                assert!(!is_possible(out, false), "n = {value}: something else than {out}: {what}");
            }
            Says::AtLeast => {}
            Says::Within => assert!(is_possible(out, false), "n = {value}: nothing else than {out}: {what}"),
            Says::Anything => {
                assert_ne!(out, other, "nothing arbitrary is read: {what}");
                assert!(is_possible(out, false), "n = {value}: nothing else than {out}: {what}");
            }
        }
        assert!(is_possible(other, true), "n = {value}: {other} is lost: {what}");
    }
    assert_eq!(encoder.forgotten, u64::from(says == Says::AtLeast), "how often memory is forgotten: {what}");
}

/// Which inputs lead to undefined behaviour: the interpreter says it, and the formula's conditions of what is defined
/// allow exactly the others. Executions continue after it all the same.
fn check_defined(body: &str, inputs: u32, model: DataModel, way: Way) {
    let (before, body) = body.split_once("MAIN").unwrap_or(("", body));
    let text =
        format!("{HEAD}{before}\nint main(void) {{ unsigned n = nondet_uint(); {body} reach_error(); return 0; }}");
    let what = format!("{model:?}, {way:?}: {body}");
    let program = lower(text, model, Undefined::Report);
    let mut encoder = way.encoder(&program);
    let reached = formula(&mut encoder, way.addressing());
    let (n, _) = inputs_of(&encoder);
    let mut defined = Vec::new();
    for (guard, condition) in encoder.defined.clone() {
        let guard = encoder.guards.formula(&mut encoder.terms, guard);
        defined.push(encoder.terms.implies(guard, condition));
    }
    let defined = encoder.terms.and(defined);
    let mut solver = Bitwuzla::new();
    let definitions: Vec<TermId> = encoder.definitions(0).collect();
    definitions.iter().for_each(|definition| solver.assert(&encoder.terms, *definition));
    solver.assert(&encoder.terms, reached);
    let mut kinds = [false; 2];
    for value in 0..inputs {
        let choices = Choices { havocs: vec![value.into()], ..Choices::default() };
        let options = Options { undefined: Undefined::Report, ..Options::default() };
        let run = interpreter::run(&program, &mut Replayer::new(&choices), &mut Vec::new(), &options, &Cancel::never());
        let expected = match run.outcome {
            RunEnd::Target(_) => true,
            RunEnd::Undefined { .. } => false,
            other => panic!("n = {value}: {other:?}: {what}"),
        };
        kinds[usize::from(expected)] = true;
        let given = encoder.terms.bv_u64(32, value.into());
        let given = encoder.terms.eq(n, given);
        let mut allows = |more: &[TermId]| {
            let all: Vec<TermId> = more.iter().copied().chain([given]).collect();
            solver.check_assuming(&encoder.terms, &all, &Cancel::never()).unwrap() == Answer::Sat
        };
        assert!(allows(&[]), "n = {value}: the execution is lost: {what}");
        assert_eq!(allows(&[defined]), expected, "n = {value}: whether it is defined: {what}");
    }
    assert_eq!(kinds, [true; 2], "some inputs are defined, others are not: {what}");
}

/// How formulas keep the variables of a row: `name.offset:width` of each piece, `f` before the width of floats.
fn check_cut(body: &str, expected: &str) {
    let program = program_of(body, DataModel::Lp64);
    let memory = memory_model(&program, &Cancel::never()).unwrap();
    let mut encoder = Encoder::new(&program, memory, Addressing::Events);
    formula(&mut encoder, Addressing::Events);
    let mut pieces = Vec::new();
    for slot in encoder.slots.ids() {
        let SlotKind::Piece(var, ..) = encoder.slots.kind(slot) else { continue };
        let offset = encoder.slots.name(slot).rsplit_once('.').unwrap().1.to_owned();
        let sort = match encoder.slots.sort(slot) {
            Sort::BitVec(width) => width.to_string(),
            Sort::Float(format) => format!("f{}", format.width()),
            other => panic!("{other} in memory"),
        };
        pieces.push(format!("{}.{offset}:{sort}", program.var_name(var)));
    }
    // Those of the row alone, not of what is printed.
    pieces.retain(|piece| !piece.starts_with("out.") && !piece.starts_with('"'));
    let shown = if pieces.len() > 20 { format!("{} pieces", pieces.len()) } else { pieces.join(" ") };
    assert_eq!(shown, expected, "{body}");
}

/// How many operations of a kind there are in a formula.
fn check_operations(body: &str, way: Way, op: Op, expected: usize) {
    let program = program_of(body, DataModel::Lp64);
    let mut encoder = way.encoder(&program);
    let mut waiting = vec![formula(&mut encoder, way.addressing())];
    let (mut seen, mut found) = (BTreeSet::new(), 0);
    while let Some(term) = waiting.pop() {
        if seen.insert(term) {
            found += usize::from(encoder.terms.op(term) == op);
            waiting.extend(encoder.terms.args(term));
        }
    }
    assert_eq!(found, expected, "{op:?} in {body}");
}

#[test]
fn pieces() {
    cuts::PIECES.iter().for_each(|(body, expected)| check_cut(body, expected));
}

/// How many comparisons tell what a fill or copy of unknown size reaches: one an element where sizes are whole elements.
#[test]
fn whole_elements() {
    cuts::COMPARISONS.iter().for_each(|&(body, expected)| check_operations(body, Way::Events, Op::BvUlt, expected));
}

#[test]
fn what_intervals_spare() {
    cuts::OPERATIONS.iter().for_each(|&(body, op, expected)| check_operations(body, Way::Intervals, op, expected));
}

/// Where executions continue past undefined behaviour, the model says what a read near null gives.
#[test]
fn reads_near_null() {
    let text = text_of("int x = 1, *p = n ? &x : 0; out = *p;");
    let program = lower(text, DataModel::Lp64, Undefined::Continue);
    let memory = memory_model(&program, &Cancel::never()).unwrap();
    let mut encoder = Encoder::new(&program, memory, Addressing::Events);
    let mut formulas = vec![formula(&mut encoder, Addressing::Events)];
    let (n, goal) = inputs_of(&encoder);
    for (input, value) in [(n, 0), (goal, 0x5A)] {
        let width = encoder.terms.width(input);
        let value = encoder.terms.bv_u64(width, value);
        formulas.push(encoder.terms.eq(input, value));
    }
    formulas.extend(encoder.definitions(0));
    let mut solver = Bitwuzla::new();
    assert_eq!(solver.check_assuming(&encoder.terms, &formulas, &Cancel::never()).unwrap(), Answer::Sat);
    let outcome = replay(&mut encoder, &program, &mut solver);
    assert!(matches!(outcome, RunEnd::Target(_)), "{outcome:?}");
}

/// Which values of a variable in pieces a fact may be about: those that are whole pieces.
#[test]
fn facts_are_about_whole_pieces() {
    let program = program_of("struct { short a, b; int c; } s = {1, 2, 3}; out = s.a + s.b + s.c;", DataModel::Lp64);
    let memory = memory_model(&program, &Cancel::never()).unwrap();
    let mut encoder = Encoder::new(&program, memory, Addressing::Events);
    let var = program.vars.ids().find(|var| program.var_name(*var) == "s").unwrap();
    let mut known = Vec::new();
    for (offset, bits) in (0..9).flat_map(|offset| [8, 16, 32, 64].map(|bits| (offset, bits))) {
        let mut exprs = program.exprs.clone();
        let (start, by) = (exprs.addr(var), exprs.int(program.model.offset_type(), offset));
        let pointer = exprs.binary(BinOp::PtrAdd, start, by);
        let value = exprs.load(pointer, Scalar::int(bits, false));
        if encoder.import(&exprs, value).is_some() {
            known.push((offset, bits));
        }
    }
    assert_eq!(known, [(0, 16), (0, 32), (0, 64), (2, 16), (4, 32)]);
}

#[test]
fn many_pieces_are_an_array() {
    let body = |count: u32| {
        let stores: String = (0..count).map(|at| format!("t[{at}] = n;")).collect();
        format!("char t[600]; {stores} out = t[0];")
    };
    check_cut(&body(512), "512 pieces");
    check_cut(&body(513), "");
}

#[test]
fn what_is_defined() {
    for &(body, inputs) in rows::DEFINED {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            for way in [Way::Events, Way::Intervals, Way::Fixed] {
                check_defined(body, inputs, model, way);
            }
        }
    }
}

fn check_all(rows: &[rows::Row]) {
    for &(body, inputs, says) in rows {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            check(body, inputs, says, model, Way::Events);
            check(body, inputs, says, model, Way::Intervals);
            if !body.contains("for (") && !body.contains("recursive") {
                check(body, inputs, says, model, Way::Fixed);
            }
        }
    }
}

#[test]
fn what_intervals_decide() {
    for &(body, inputs, says) in intervals::INTERVALS.iter().chain(intervals::ROUNDS) {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            check(body, inputs, says, model, Way::Intervals);
        }
    }
}

#[test]
fn fills() {
    check_all(ranges::FILLS);
}

#[test]
fn copies() {
    check_all(ranges::COPIES);
}

#[test]
fn widths() {
    check_all(rows::WIDTHS);
}

#[test]
fn the_heap() {
    check_all(rows::HEAP);
}

#[test]
fn arbitrary_memory() {
    check_all(ranges::ARBITRARY);
}

#[test]
fn objects() {
    check_all(rows::OBJECTS);
}

#[test]
fn floats() {
    check_all(rows::FLOATS);
}
