//! The BDD domain of [BS12]: a state is one diagram, the set of all values that the tracked variables may have
//! together. γ(B) = the concrete states whose variables lie in the classes of some assignment that satisfies B;
//! what is not tracked is arbitrary. Transfer is conjunction and quantification, merge is disjunction, stop is
//! implication.
//!
//! Deviates from [BS12], which encodes integers as bit vectors: a variable is encoded by the number of the class that
//! its value is in, and the classes come from the constants that the program compares it with. Programs that only
//! compare with and assign constants lose nothing by that; arithmetic on classes is by ranges and over-approximates.

mod coding;
mod compile;
mod foreign;
mod formula;
mod groups;
mod partition;
mod questions;
mod ranges;
mod refine;
mod transform;

pub use groups::Fit;

use analysis::sets::{Ask, Parts, SetDomain};
use analysis::{Move, Query, QueryAnswer, Step};
use base::{Cancel, Id, Stopped};
use bdd::{Bdd, BddStore, Interrupted, OxiddStore, Statistics};
use cfa::{EdgeId, Expr, ExprId, Exprs, Node, Op, Program, Scalar, VarId};
use compile::Compiler;
use flow::{Liveness, Prepared};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use transform::Transform;
use verdict::Stop;

/// What a step does to the tracked variables.
#[derive(Clone, Copy)]
enum Action {
    Assume(ExprId),
    Assign(VarId, ExprId),
    Copy(VarId, VarId),
    Forget(VarId),
}

/// Steps as transforms of sets.
struct Compiled {
    actions: Rc<[Action]>,
    /// Operands that the analysis alongside the diagrams may know.
    foreign: Rc<[ExprId]>,
    /// The transforms by what it knows of them.
    transforms: HashMap<Vec<Option<u128>>, Rc<[Transform<Bdd>]>>,
}

/// The diagrams of one program.
pub struct BddDomain<'p> {
    program: &'p Prepared,
    fit: Fit,
    /// The most nodes that the store may hold.
    room: usize,
    /// The limits that operations keep to.
    cancel: Cancel,
    /// What stores did that refinement replaced.
    before: Statistics,
    /// Bounds between classes that refinement added.
    cuts: BTreeSet<(VarId, i128)>,
    compiler: Compiler<OxiddStore>,
    liveness: Arc<Liveness>,
    /// The expressions that are just a register.
    names: HashMap<VarId, ExprId>,
    /// By the first step of a path and its length.
    compiled: HashMap<(Move, EdgeId, usize), Compiled>,
}

/// How large the diagrams are, and what was done with them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BddStatistics {
    /// Variables of the program that are tracked.
    pub tracked: usize,
    /// Bits that encode them.
    pub bits: usize,
    /// What the stores did, all refinements together.
    pub store: Statistics,
}

impl<'p> BddDomain<'p> {
    /// The domain for a program, with room for `nodes` nodes. Operations on diagrams keep to the limits of `cancel`.
    pub fn new(program: &'p Prepared, fit: Fit, nodes: usize, cancel: &Cancel) -> Result<Self, Stop> {
        let cuts = BTreeSet::new();
        let store = OxiddStore::new(nodes, cancel);
        let compiler = Compiler::new(program, store, &groups::groups(program, fit, &cuts)).map_err(stop)?;
        Ok(Self {
            program,
            fit,
            room: nodes,
            cancel: cancel.clone(),
            before: Statistics::default(),
            cuts,
            compiler,
            liveness: program.liveness(),
            names: names(&program.exprs),
            compiled: HashMap::new(),
        })
    }

    /// How large the diagrams are now, and what was done so far.
    pub fn statistics(&self) -> BddStatistics {
        BddStatistics {
            tracked: self.compiler.coded.len(),
            bits: self.compiler.coded.values().map(|coded| coded.bits.len()).sum(),
            store: self.before.then(self.compiler.store.statistics()),
        }
    }

    /// The steps of a path with what `ask` knows of their operands.
    fn transforms(&mut self, program: &Program, path: &[Step], ask: Ask) -> Result<Rc<[Transform<Bdd>]>, Stop> {
        let Some(first) = path.first() else { return Ok(Rc::new([])) };
        let key = (first.kind, first.edge, path.len());
        if !self.compiled.contains_key(&key) {
            let actions: Vec<Action> = path.iter().flat_map(|step| self.actions(program, step)).collect();
            let foreign = self.foreign(program, &actions);
            let compiled = Compiled { actions: actions.into(), foreign, transforms: HashMap::new() };
            self.compiled.insert(key, compiled);
        }
        let Compiled { actions, foreign, transforms } = &self.compiled[&key];
        let known: Vec<Option<u128>> = foreign.iter().map(|&part| answer(&program.exprs, part, ask)).collect();
        if let Some(list) = transforms.get(&known) {
            return Ok(list.clone());
        }
        let pairs = foreign.iter().zip(&known).filter_map(|(part, bits)| Some((*part, (*bits)?)));
        let values: Vec<(ExprId, u128)> = pairs.collect();
        let list = compile(&mut self.compiler, &actions.clone(), &values).map_err(stop)?;
        let entry = self.compiled.get_mut(&key).expect("inserted above");
        entry.transforms.insert(known, list.clone());
        Ok(list)
    }

    fn is_coded(&self, var: VarId) -> bool {
        self.compiler.coded.contains_key(&var)
    }

    fn foreign(&self, program: &Program, actions: &[Action]) -> Rc<[ExprId]> {
        let mut all = Vec::new();
        for action in actions {
            if let Action::Assume(root) | Action::Assign(_, root) = action {
                all.extend(foreign::foreign(&program.exprs, *root, |var| self.is_coded(var)));
            }
        }
        all.sort_unstable();
        all.dedup();
        all.into()
    }

    fn actions(&self, program: &Program, step: &Step) -> Vec<Action> {
        let op = &program.edges[step.edge].op;
        let mut list = match step.kind {
            Move::Edge => self.operation(program, step.edge),
            Move::Enter => self.enter(program, op),
            Move::Leave => self.leave(program, op),
            Move::Over => unreachable!("sets of states enter all calls"),
        };
        // What is never read again need not be remembered. The callee cannot see the caller's registers, so all but
        // the result of a call can go when it begins.
        let result = op.variable();
        let dying = self.liveness.deaths(step.edge).iter().copied().filter(|var| match step.kind {
            Move::Edge | Move::Over => true,
            Move::Enter => result != Some(*var),
            Move::Leave => result == Some(*var),
        });
        list.extend(dying.map(Action::Forget));
        list.retain(|action| match action {
            Action::Assume(_) => true,
            Action::Assign(var, _) | Action::Copy(var, _) | Action::Forget(var) => self.is_coded(*var),
        });
        list
    }

    fn operation(&self, program: &Program, edge: EdgeId) -> Vec<Action> {
        match &program.edges[edge].op {
            Op::Assume(condition) => vec![Action::Assume(*condition)],
            Op::Assign(var, value) => vec![Action::Assign(*var, *value)],
            Op::Havoc(var, _) => vec![Action::Forget(*var)],
            Op::Return(Some(value)) => {
                let function = program.nodes[program.edges[edge].from].function;
                program.functions[function].result.iter().map(|result| Action::Assign(*result, *value)).collect()
            }
            Op::Allocate { result, .. } => vec![Action::Forget(*result)],
            Op::Library { result, .. } | Op::Call { result, .. } | Op::CallPointer { result, .. } => {
                result.iter().map(|result| Action::Forget(*result)).collect()
            }
            // Memory is not tracked, and these write nothing else.
            Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => vec![],
            Op::HavocMemory { .. } | Op::Free(_) | Op::End(_) => vec![],
            Op::Skip | Op::Return(None) | Op::Halt(_) | Op::Unsupported(_) => vec![],
        }
    }

    fn enter(&self, program: &Program, op: &Op) -> Vec<Action> {
        let Op::Call { function, args, .. } = op else { return vec![] };
        let params = &program.functions[*function].params;
        params.iter().zip(args).map(|(param, arg)| Action::Assign(*param, *arg)).collect()
    }

    fn leave(&self, program: &Program, op: &Op) -> Vec<Action> {
        let Op::Call { function, result, .. } = op else { return vec![] };
        let mut list = Vec::new();
        if let (Some(to), Some(from)) = (*result, program.functions[*function].result) {
            list.push(self.passed(program, to, from));
        }
        list.extend(program.functions[*function].locals.iter().map(|var| Action::Forget(*var)));
        list
    }

    /// A result that only the analysis alongside the diagrams knows is asked for by its name, where the program has one.
    fn passed(&self, program: &Program, to: VarId, from: VarId) -> Action {
        let same_type = program.register(to).filter(|ty| program.register(from) == Some(*ty));
        match self.names.get(&from) {
            Some(&name) if !self.is_coded(from) && same_type.is_some() => Action::Assign(to, name),
            _ => Action::Copy(to, from),
        }
    }
}

/// The actions as transforms, with these values of operands.
fn compile(
    compiler: &mut Compiler<OxiddStore>,
    actions: &[Action],
    values: &[(ExprId, u128)],
) -> Result<Rc<[Transform<Bdd>]>, Interrupted> {
    let mut list = Vec::with_capacity(actions.len());
    for action in actions {
        list.push(match *action {
            Action::Assume(condition) => {
                let condition = compiler.with_values(condition, values);
                let when = compiler.condition(condition)?.0;
                compiler.restrict(when)
            }
            Action::Assign(var, value) => {
                let value = compiler.with_values(value, values);
                compiler.assign(var, value)?
            }
            Action::Copy(to, from) => compiler.copy(to, from)?,
            Action::Forget(var) => compiler.forget(var),
        });
    }
    Ok(compiler.chain(list)?.into())
}

fn names(exprs: &Exprs) -> HashMap<VarId, ExprId> {
    let all = (0..exprs.len()).map(ExprId::new);
    let registers = all.filter_map(|id| match exprs.node(id) {
        Expr::Var(var) => Some((var, id)),
        _ => None,
    });
    registers.collect()
}

/// The bits of an operand, if they are known.
fn answer(exprs: &Exprs, part: ExprId, ask: Ask) -> Option<u128> {
    let query = if exprs.ty(part) == Scalar::Bool { Query::Holds(part) } else { Query::Value(part) };
    match ask(query)? {
        QueryAnswer::Bits(bits) => Some(bits),
        QueryAnswer::Truth(truth) => Some(u128::from(truth)),
    }
}

impl SetDomain for BddDomain<'_> {
    type Set = Bdd;

    fn initial(&self) -> Bdd {
        self.compiler.store.constant(true)
    }

    fn post(&mut self, program: &Program, path: &[Step], set: &Bdd, ask: Ask) -> Result<Bdd, Stop> {
        let list = self.transforms(program, path, ask)?;
        list.iter().try_fold(set.clone(), |set, transform| self.compiler.post(transform, &set)).map_err(stop)
    }

    fn pre(&mut self, program: &Program, path: &[Step], set: &Bdd, ask: Ask) -> Result<Bdd, Stop> {
        let list = self.transforms(program, path, ask)?;
        list.iter().rev().try_fold(set.clone(), |set, transform| self.compiler.pre(transform, &set)).map_err(stop)
    }

    fn join(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        self.compiler.store.or(a, b).map_err(stop)
    }

    fn meet(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        self.compiler.store.and(a, b).map_err(stop)
    }

    fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        let store = &self.compiler.store;
        store.not(b).and_then(|b| store.and(a, &b)).map_err(stop)
    }

    fn is_empty(&self, set: &Bdd) -> bool {
        self.compiler.store.is_false(set)
    }

    fn pick(&self, set: &Bdd) -> Result<Bdd, Stop> {
        self.compiler.pick(set).map_err(stop)
    }

    fn formula(&self, program: &Program, exprs: &mut Exprs, set: &Bdd) -> Result<ExprId, Stop> {
        self.compiler.invariant(program, exprs, set).map_err(stop)
    }

    fn invariant(&self, program: &Program, exprs: &mut Exprs, set: &Bdd, at: Node) -> Result<ExprId, Stop> {
        let here = program.nodes[at].function;
        let is_visible = |var: VarId| program.vars[var].function.is_none_or(|function| function == here);
        let visible = self.compiler.project(set, is_visible).map_err(stop)?;
        self.formula(program, exprs, &visible)
    }

    fn refine(&mut self, program: &Program, path: &[Step]) -> Result<bool, Stop> {
        let before = self.cuts.len();
        // A path through a loop assigns the same again and again.
        let assigned: BTreeSet<(VarId, ExprId)> =
            path.iter().flat_map(|step| refine::assignments(program, step)).collect();
        for (var, value) in assigned {
            self.cuts.extend(refine::cuts(&self.compiler, &program.exprs, (var, value), &self.cancel)?);
        }
        if self.cuts.len() == before {
            return Ok(false);
        }
        let groups = groups::groups(self.program, self.fit, &self.cuts);
        self.before = self.before.then(self.compiler.store.statistics());
        let store = OxiddStore::new(self.room, &self.cancel);
        self.compiler = Compiler::new(self.program, store, &groups).map_err(stop)?;
        self.compiled.clear();
        Ok(true)
    }

    fn tracks(&self, var: VarId) -> bool {
        self.is_coded(var)
    }

    fn split(&self, set: &Bdd, var: VarId) -> Result<Parts<Bdd>, Stop> {
        let parts = self.compiler.split(set, var).map_err(stop)?;
        Ok(parts.into_iter().map(|(part, value)| (part, value.map(|value| self.bits(var, value)))).collect())
    }

    fn example(&self, _program: &Program, element: &Bdd, var: VarId) -> Option<u128> {
        self.compiler.example(element, var).map(|value| self.bits(var, value))
    }
}

impl BddDomain<'_> {
    /// The encoding of a value of a register.
    fn bits(&self, var: VarId, value: i128) -> u128 {
        let bits = self.program.register(var).map_or(64, |ty| ty.bits(self.program.model));
        value as u128 & semantics::scalar::mask(bits)
    }
}

fn stop(why: Interrupted) -> Stop {
    Stop::Limit(match why {
        Interrupted::Full => Stopped::Memory,
        Interrupted::Stopped(stopped) => stopped,
    })
}
