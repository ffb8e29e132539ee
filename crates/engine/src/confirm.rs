//! From an abstract error path to an execution: choices are guessed from what the path taught about its inputs, or
//! come from a model of the path formula, and count only if the interpreter follows the path with them to the target.

use crate::bmc::{check_room, stop_of};
use crate::cegar::Confirmation;
use crate::from_model::without_addresses;
use crate::random::counterexample;
use crate::refinement::slice;
use analysis::{Move, PathDomain, Step};
use base::Cancel;
use cfa::{EdgeId, Expr, ExprId, Op, Program, Scalar, Source, Undefined};
use encode::{Addressing, Encoder, MemoryModel};
use semantics::choices::Choices;
use semantics::interpreter::Outcome;
use semantics::replay::follow;
use smt::{Answer, Backend, TermId};
use std::cell::OnceCell;
use std::sync::Arc;
use verdict::Stop;

/// The edges of a path as the interpreter counts them: a call's edge before those of the callee, none for the return.
pub fn edges(path: &[Step]) -> Vec<EdgeId> {
    path.iter().filter(|step| step.kind != Move::Leave).map(|step| step.edge).collect()
}

/// Values for the `Havoc`s of a path: the first one that the register is known to have before it is assigned again;
/// where the path teaches nothing 0, or for a pointer from outside an object of its own.
pub fn guess<D: PathDomain>(
    program: &Program,
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
pub fn try_choices(program: &Program, path: &[Step], choices: &Choices, cancel: &Cancel) -> Confirmation {
    if let Some(last) = path.last()
        && let Op::Unsupported(what) = program.edges[last.edge].op
    {
        let what = program.text(what).to_owned();
        return Confirmation::Undecided(Stop::Unsupported { what, span: program.edges[last.edge].span });
    }
    let edges = edges(path);
    let followed = follow(program, &edges, choices, cancel);
    let undecided = |edge: EdgeId| {
        let edge = &program.edges[edge];
        let what = match edge.op {
            Op::Assume(condition) => format!("whether {} can hold on a path to an error", program.expr_text(condition)),
            _ => "a path to an error".to_owned(),
        };
        Confirmation::Undecided(Stop::Undecided { what, span: edge.span })
    };
    match followed.run.outcome {
        Outcome::Target(target) => Confirmation::Unsafe(counterexample(target, followed.run)),
        Outcome::Undefined { what, span } => {
            Confirmation::Undecided(Stop::UndefinedBehaviour { what: what.to_owned(), span })
        }
        Outcome::Unsupported { what, span } => Confirmation::Undecided(Stop::Unsupported { what, span }),
        Outcome::Stopped(stopped) => Confirmation::Undecided(stopped.into()),
        Outcome::Exit(_) | Outcome::Assumed | Outcome::StepLimit | Outcome::Diverged => {
            let at = followed.left_at.map(|(_, edge)| edge).or(edges.last().copied());
            undecided(at.expect("a path to a target has an edge"))
        }
    }
}

/// No object of the encoding lies below; a smaller address stems from null.
const LOWEST_ADDRESS: u64 = 1 << 16;

/// Choices that satisfy the path formula; `None` if there are none: no execution takes the path.
pub fn solve(
    program: &Program,
    model: Arc<MemoryModel>,
    backend: &dyn Backend,
    path: &[Step],
    cancel: &Cancel,
) -> Result<Option<Choices>, Stop> {
    let mut encoder = Encoder::new(program, model, Addressing::Events);
    let mut formula = encoder.initial();
    let mut accesses = Vec::new();
    for step in path {
        cancel.check()?;
        // Where executions go on behind a bad read, every read is to be seen once.
        if program.undefined == Undefined::Report && step.kind != Move::Leave {
            for pointer in dereferenced(program, &program.edges[step.edge].op) {
                accesses.push(encoder.eval(&mut formula, pointer, step.from_depth));
            }
        }
        formula = match step.kind {
            Move::Enter => encoder.enter(formula, step.edge, step.from_depth, step.to_depth),
            Move::Leave => encoder.leave(formula, step.edge, step.to_depth, step.from_depth),
            Move::Over => return Err(Stop::Bound("the path has no steps for a call".to_owned())),
            Move::Edge => match encoder.step(formula, step.edge, step.from_depth) {
                Some(next) => next,
                None => return Ok(None),
            },
        };
    }
    check_room(&encoder)?;
    let mut solver = backend.solver();
    for definition in encoder.definitions(0) {
        solver.assert(&encoder.terms, definition);
    }
    let taken = encoder.guards.formula(&mut encoder.terms, formula.guard);
    if encoder.terms.as_bool(taken) == Some(false) {
        return Ok(None);
    }
    match solver.check_assuming(&encoder.terms, &[taken], cancel).map_err(stop_of)? {
        Answer::Unsat => return Ok(None),
        Answer::Sat => {}
    }
    // An execution that dereferences null proves nothing, so one that does not is preferred.
    let lowest = encoder.terms.bv_u64(program.model.pointer_bits(), LOWEST_ADDRESS);
    let valid: Vec<TermId> = accesses.into_iter().map(|pointer| encoder.terms.bv_uge(pointer, lowest)).collect();
    let valid = encoder.terms.and(valid);
    if solver.check_assuming(&encoder.terms, &[taken, valid], cancel).map_err(stop_of)? == Answer::Unsat {
        solver.check_assuming(&encoder.terms, &[taken], cancel).map_err(stop_of)?;
    }
    encoder.choices(&mut *solver).map(Some).map_err(stop_of)
}

/// The pointers through which an operation reads or writes.
pub(crate) fn dereferenced(program: &Program, op: &Op) -> Vec<ExprId> {
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
    pub program: &'a Program,
    /// The solver for path formulas.
    pub backend: &'a dyn Backend,
    /// Limits.
    pub cancel: &'a Cancel,
    model: OnceCell<Arc<MemoryModel>>,
}

impl<'a> Confirm<'a> {
    /// Nothing looked for yet.
    pub fn new(program: &'a Program, backend: &'a dyn Backend, cancel: &'a Cancel) -> Self {
        Self { program, backend, cancel, model: OnceCell::new() }
    }

    /// With what is known about the program's memory.
    pub fn knowing(self, model: Arc<MemoryModel>) -> Self {
        Self { model: OnceCell::from(model), ..self }
    }

    fn model(&self, cancel: &Cancel) -> Result<Arc<MemoryModel>, Stop> {
        if let Some(known) = self.model.get() {
            return Ok(known.clone());
        }
        let made = MemoryModel::new(self.program, cancel)?;
        Ok(self.model.get_or_init(|| made).clone())
    }

    /// Follows the path with guesses, then with a model.
    pub fn path<D: PathDomain>(&self, domain: &mut D, path: &[Step]) -> Confirmation {
        let guessed = match guess(self.program, domain, path, self.cancel) {
            Ok(havocs) => self.follow(path, &Choices { havocs, ..Choices::default() }),
            Err(stop) => Confirmation::Undecided(stop),
        };
        let Confirmation::Undecided(stop) = guessed else { return guessed };
        if matches!(stop, Stop::Unsupported { .. }) {
            return Confirmation::Undecided(stop);
        }
        let slice = self.cancel.remaining().map(|left| left / 4);
        let limited = self.cancel.child(slice);
        let solved = self.model(&limited).and_then(|model| solve(self.program, model, self.backend, path, &limited));
        match solved {
            Ok(Some(choices)) => self.follow(path, &choices),
            Ok(None) | Err(_) => Confirmation::Undecided(stop),
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
