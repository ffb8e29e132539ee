//! From an abstract error path to an execution: choices are guessed from what the path taught about its inputs, or
//! come from a model of the path formula, and count only if the interpreter follows the path with them to the target.

use super::{Confirmation, counterexample, without_addresses};
use crate::board::Board;
use crate::refinement::slice;
use analysis::{Move, PathDomain, Step, is_connected};
use base::{Cancel, Stopped};
use cfa::{EdgeId, Expr, ExprId, Op, Program, Scalar, Source, Undefined};
use encode::{Addressing, Encoder, LOWEST_ADDRESS, MemoryModel, check_room, memory_model, stop_of};
use flow::Prepared;
use semantics::choices::Choices;
use semantics::interpreter::RunEnd;
use semantics::replay::follow;
use smt::{Answer, Backend, TermId};
use std::sync::Arc;
use std::time::Instant;
use verdict::Stop;

/// The edges of a path as the interpreter counts them: a call's edge before those of the callee, none for the return.
pub fn edges(path: &[Step]) -> Vec<EdgeId> {
    path.iter().filter(|step| step.kind != Move::Leave).map(|step| step.edge).collect()
}

/// Values for the `Havoc`s of a path: the first one that the register is known to have before it is assigned again;
/// where the path teaches nothing 0, or for a pointer from outside an object of its own.
pub fn guess<D: PathDomain>(
    program: &Prepared,
    domain: &mut D,
    path: &[Step],
    cancel: &Cancel,
) -> Result<Vec<u128>, Stop> {
    let sliced = slice(domain, path, usize::MAX, cancel)?;
    let mut values = Vec::new();
    for (at, step) in path.iter().enumerate() {
        let Op::Havoc(var, source) = program.edges[step.edge].op else { continue };
        cancel.check()?;
        let depth = if program.vars[var].function.is_some() { step.from_depth } else { 0 };
        let mut value = None;
        for (later, state) in path.iter().zip(&sliced.states).skip(at + 1) {
            value = domain.number(state, var, depth);
            if value.is_some() {
                break;
            }
            if assigns(&program.edges[later.edge].op, var) && later.from_depth == step.from_depth {
                break;
            }
        }
        let last = sliced.states.last().filter(|_| value.unwrap_or(0) == 0);
        let value = last.and_then(|state| domain.number(state, var, depth)).or(value);
        let foreign = program.register(var) == Some(Scalar::Ptr) && source != Source::Uninitialised;
        values.push(match value {
            Some(0) => 0,
            Some(_) | None if foreign => (values.len() as u128 + 1) << 12,
            value => value.unwrap_or(0),
        });
    }
    Ok(values)
}

fn assigns(op: &Op, var: cfa::VarId) -> bool {
    matches!(op, Op::Havoc(to, _) | Op::Assign(to, _) if *to == var)
}

/// Follows a path with given choices.
pub fn try_choices(program: &Prepared, path: &[Step], choices: &Choices, cancel: &Cancel) -> Confirmation {
    if let Some(last) = path.last()
        && let Op::Unsupported(what) = program.edges[last.edge].op
    {
        let what = program.text(what).to_owned();
        return Confirmation::Undecided(Stop::Unsupported { what, span: program.edges[last.edge].span });
    }
    debug_assert!(is_connected(path), "steps of one path");
    let edges = edges(path);
    let followed = follow(program, &edges, choices, cancel);
    match followed.run.outcome {
        RunEnd::Target(target) => Confirmation::Unsafe(counterexample(target, followed.run)),
        RunEnd::Undefined { what, span } => {
            Confirmation::Undecided(Stop::UndefinedBehaviour { what: what.to_owned(), span })
        }
        RunEnd::Unsupported { what, span } => Confirmation::Undecided(Stop::Unsupported { what, span }),
        RunEnd::Stopped(stopped) => Confirmation::Undecided(stopped.into()),
        RunEnd::Exit(_) | RunEnd::Assumed | RunEnd::StepLimit | RunEnd::Diverged => {
            let at = followed.left_at.map(|(_, edge)| edge).or(edges.last().copied());
            Confirmation::Undecided(undecided(program, at.expect("a path to a target has an edge")))
        }
    }
}

/// Whether an edge of a path can be taken is not known.
fn undecided(program: &Prepared, edge: EdgeId) -> Stop {
    let edge = &program.edges[edge];
    let what = match edge.op {
        Op::Assume(condition) => format!("whether {} can hold on a path to an error", program.expr_text(condition)),
        _ => "a path to an error".to_owned(),
    };
    Stop::Undecided { what, span: edge.span }
}

/// What a solver says of a path.
#[derive(Clone, Debug)]
pub enum Solved {
    /// Choices that satisfy the path formula.
    Choices(Choices),
    /// No execution takes the first so many steps.
    Infeasible(usize),
}

/// Asks a solver for choices that satisfy the path formula.
pub fn solve(
    program: &Prepared,
    model: Arc<MemoryModel>,
    backend: &dyn Backend,
    path: &[Step],
    cancel: &Cancel,
) -> Result<Solved, Stop> {
    assert!(!path.is_empty(), "a path to a target has an edge");
    let mut encoder = Encoder::new(program, model, Addressing::Events);
    let mut formula = encoder.initial();
    let mut accesses = Vec::new();
    // The conditions on the way, each after the steps that it takes to meet it.
    let mut conditions: Vec<(usize, TermId)> = Vec::new();
    for (at, step) in path.iter().enumerate() {
        cancel.check()?;
        // Where executions go on after a bad read, every read is to be seen once.
        if program.undefined == Undefined::Report && step.kind != Move::Leave {
            for pointer in dereferenced(program, &program.edges[step.edge].op) {
                accesses.push(encoder.eval(&mut formula, pointer, step.from_depth));
            }
        }
        let before = formula.guard;
        formula = match step.kind {
            Move::Enter => encoder.enter(formula, step.edge, step.from_depth, step.to_depth),
            Move::Leave => encoder.leave(formula, step.edge, step.to_depth, step.from_depth),
            Move::Over => return Err(Stop::Bound("the path has no steps for a call".to_owned())),
            Move::Edge => match encoder.step(formula, step.edge, step.from_depth) {
                Some(next) => next,
                None => return Ok(Solved::Infeasible(at + 1)),
            },
        };
        conditions.extend(encoder.guards.since(formula.guard, before).into_iter().map(|condition| (at + 1, condition)));
    }
    check_room(&encoder)?;
    debug_assert!(conditions.is_sorted_by_key(|(length, _)| *length), "conditions are met one after the other");
    let mut solver = backend.solver();
    for definition in encoder.definitions(0) {
        solver.assert(&encoder.terms, definition);
    }
    let taken: Vec<TermId> = conditions.iter().map(|(_, condition)| *condition).collect();
    match solver.check_assuming(&encoder.terms, &taken, cancel).map_err(stop_of)? {
        Answer::Unsat => {
            let core = solver.failed_assumptions();
            let met = |needed: &TermId| conditions.iter().find(|(_, condition)| condition == needed);
            let last = core.iter().filter_map(met).map(|(length, _)| *length).max();
            let length = last.unwrap_or(path.len());
            assert!((1..=path.len()).contains(&length), "{length} of {} steps", path.len());
            return Ok(Solved::Infeasible(length));
        }
        Answer::Sat => {}
    }
    // An execution that dereferences null proves nothing, so one that does not is preferred.
    let lowest = encoder.terms.bv_u64(program.model.pointer_bits(), LOWEST_ADDRESS);
    let valid: Vec<TermId> = accesses.into_iter().map(|pointer| encoder.terms.bv_uge(pointer, lowest)).collect();
    let mut defined = taken.clone();
    defined.push(encoder.terms.and(valid));
    if solver.check_assuming(&encoder.terms, &defined, cancel).map_err(stop_of)? == Answer::Unsat {
        solver.check_assuming(&encoder.terms, &taken, cancel).map_err(stop_of)?;
    }
    encoder.choices(&mut *solver).map(Solved::Choices).map_err(stop_of)
}

/// The pointers through which an operation reads or writes.
pub fn dereferenced(program: &Program, op: &Op) -> Vec<ExprId> {
    let mut pointers: Vec<ExprId> = match op {
        Op::Store { to, .. } => vec![*to],
        _ => Vec::new(),
    };
    for root in op.operands() {
        program.exprs.visit(root, |_, node| {
            if let Expr::Load(pointer) = node {
                pointers.push(pointer);
            }
        });
    }
    pointers
}

/// How counterexamples are looked for.
pub struct Confirm<'a> {
    /// The program.
    pub program: &'a Prepared,
    /// The solver for path formulas.
    pub backend: &'a dyn Backend,
    /// Limits.
    pub cancel: &'a Cancel,
    board: Board,
}

impl<'a> Confirm<'a> {
    /// Nothing looked for yet.
    pub fn new(program: &'a Prepared, backend: &'a dyn Backend, cancel: &'a Cancel) -> Self {
        Self { program, backend, cancel, board: Board::default() }
    }

    /// With what others know about the program's paths.
    pub fn sharing(self, board: Board) -> Self {
        Self { board, ..self }
    }

    /// Follows the path with guesses, then with a model, unless that has failed before.
    pub fn path<D: PathDomain>(&self, domain: &mut D, path: &[Step]) -> Confirmation {
        self.attempt(path, || guess(self.program, domain, path, self.cancel))
    }

    /// The same without a domain that could guess: with zeros first.
    pub fn by_model(&self, path: &[Step]) -> Confirmation {
        self.attempt(path, || Ok(Vec::new()))
    }

    fn attempt(&self, path: &[Step], guess: impl FnOnce() -> Result<Vec<u128>, Stop>) -> Confirmation {
        if let Some(length) = self.refuted(path) {
            return Confirmation::Undecided(undecided(self.program, path[length - 1].edge));
        }
        let guessed = match guess() {
            Ok(havocs) => self.follow(path, &Choices { havocs, ..Choices::default() }),
            Err(stop) => Confirmation::Undecided(stop),
        };
        match guessed {
            Confirmation::Undecided(stop) if !matches!(stop, Stop::Unsupported { .. }) => self.solved(path, stop),
            Confirmation::Undecided(_) | Confirmation::Unsafe(_) => guessed,
        }
    }

    /// The length of a beginning of the path that no execution takes, if one is known.
    pub fn refuted(&self, path: &[Step]) -> Option<usize> {
        self.board.refuted(path)
    }

    /// Follows the path with a model of its formula; `stop` is why it was not followed before.
    fn solved(&self, path: &[Step], stop: Stop) -> Confirmation {
        let time = self.cancel.remaining().map(|left| left / 4);
        if time.is_some_and(|time| self.board.is_hopeless(path, time)) {
            return Confirmation::Undecided(stop);
        }
        let (limited, begun) = (self.cancel.child(time), Instant::now());
        let solved = memory_model(self.program, &limited)
            .map_err(Stop::from)
            .and_then(|model| solve(self.program, model, self.backend, path, &limited));
        match solved {
            Ok(Solved::Choices(choices)) => self.follow(path, &choices),
            Ok(Solved::Infeasible(length)) => {
                self.board.refute(&path[..length]);
                Confirmation::Undecided(stop)
            }
            Err(failed) => {
                if matches!(failed, Stop::Limit(Stopped::Time) | Stop::Solver(_)) {
                    self.board.give_up(path, begun.elapsed());
                }
                Confirmation::Undecided(stop)
            }
        }
    }

    fn follow(&self, path: &[Step], choices: &Choices) -> Confirmation {
        let replayed = try_choices(self.program, path, choices, self.cancel);
        match &replayed {
            Confirmation::Undecided(Stop::Undecided { .. }) if !choices.addresses.is_empty() => {
                try_choices(self.program, path, &without_addresses(choices), self.cancel)
            }
            _ => replayed,
        }
    }
}
