//! The BDD domain of [BS12]: a state is one diagram, the set of all values that the tracked variables may have
//! together. γ(B) = the concrete states whose variables lie in the classes of some assignment that satisfies B;
//! what is not tracked is arbitrary. Transfer is conjunction and quantification, merge is disjunction, stop is
//! implication.
//!
//! Deviates from [BS12], which encodes integers as bit vectors: a variable is encoded by the number of the class that
//! its value is in, and the classes come from the constants that the program compares it with. Programs that only
//! compare with and assign constants lose nothing by that; arithmetic on classes is by ranges and over-approximates.

mod compile;
mod groups;
mod partition;
mod ranges;
mod refine;

use analysis::sets::SetDomain;
use analysis::{Move, Step};
use base::Stopped;
use bdd::{Bdd, Full, OxiddStore, Store};
use cfa::{Deaths, EdgeId, ExprId, Exprs, FunctionId, Op, Program, VarId};
use compile::{Compiler, Transform};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use verdict::Stop;

/// The diagrams of one program.
pub struct BddDomain<'p> {
    program: &'p Program,
    /// The most nodes that the store may hold.
    room: usize,
    /// Bounds between classes that refinement added.
    cuts: BTreeSet<(VarId, i128)>,
    compiler: Compiler<'p, OxiddStore>,
    deaths: Deaths,
    transforms: HashMap<(Move, EdgeId), Rc<[Transform<Bdd>]>>,
}

/// How large the diagrams are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BddStatistics {
    /// Variables of the program that are tracked.
    pub tracked: usize,
    /// Bits that encode them.
    pub bits: usize,
    /// Nodes in the store, garbage included.
    pub nodes: usize,
}

impl<'p> BddDomain<'p> {
    /// The domain for a program, with room for `nodes` nodes.
    pub fn new(program: &'p Program, nodes: usize) -> Result<Self, Stop> {
        let cuts = BTreeSet::new();
        let compiler = Compiler::new(program, OxiddStore::new(nodes), &groups::groups(program, &cuts)).map_err(stop)?;
        Ok(Self { program, room: nodes, cuts, compiler, deaths: Deaths::new(program), transforms: HashMap::new() })
    }

    /// How large the diagrams are now.
    pub fn statistics(&self) -> BddStatistics {
        BddStatistics {
            tracked: self.compiler.coded.len(),
            bits: self.compiler.coded.values().map(|coded| coded.bits.len()).sum(),
            nodes: self.compiler.store.nodes(),
        }
    }

    fn transforms(&mut self, program: &Program, step: &Step) -> Result<Rc<[Transform<Bdd>]>, Stop> {
        if let Some(known) = self.transforms.get(&(step.kind, step.edge)) {
            return Ok(known.clone());
        }
        let mut list = match step.kind {
            Move::Edge => self.operation(program, step.edge),
            Move::Enter => self.enter(program, step.edge),
            Move::Leave => self.leave(program, step.edge),
            Move::Over => unreachable!("sets of states enter all calls"),
        }
        .map_err(stop)?;
        // What nobody reads any more need not be remembered. The callee cannot see the caller's registers, so all but
        // the result of a call can go when it begins.
        let result = program.edges[step.edge].op.variable();
        let dying = self.deaths.along(step.edge).iter().copied().filter(|var| match step.kind {
            Move::Edge | Move::Over => true,
            Move::Enter => result != Some(*var),
            Move::Leave => result == Some(*var),
        });
        list.extend(dying.map(Transform::Forget));
        let list: Rc<[Transform<Bdd>]> = list.into();
        self.transforms.insert((step.kind, step.edge), list.clone());
        Ok(list)
    }

    fn operation(&mut self, program: &Program, edge: EdgeId) -> Result<Vec<Transform<Bdd>>, Full> {
        Ok(match &program.edges[edge].op {
            Op::Assume(condition) => vec![Transform::Restrict(self.compiler.condition(*condition)?.0)],
            Op::Assign(var, value) => vec![self.compiler.assign(*var, *value)?],
            Op::Havoc(var, _) => vec![Transform::Forget(*var)],
            Op::Return(Some(value)) => {
                let function = program.nodes[program.edges[edge].from].function;
                match program.functions[function].result {
                    Some(result) => vec![self.compiler.assign(result, *value)?],
                    None => vec![],
                }
            }
            Op::Allocate { result, .. } => vec![Transform::Forget(*result)],
            Op::Library { result, .. } | Op::Call { result, .. } | Op::CallPointer { result, .. } => {
                result.iter().map(|result| Transform::Forget(*result)).collect()
            }
            // Memory is not tracked, and these write nothing else.
            Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => vec![],
            Op::HavocMemory { .. } | Op::Free(_) => vec![],
            Op::Skip | Op::Return(None) | Op::Halt(_) | Op::Unsupported(_) => vec![],
        })
    }

    fn enter(&mut self, program: &Program, edge: EdgeId) -> Result<Vec<Transform<Bdd>>, Full> {
        let Op::Call { function, args, .. } = &program.edges[edge].op else { return Ok(vec![]) };
        let params = &program.functions[*function].params;
        params.iter().zip(args).map(|(param, arg)| self.compiler.assign(*param, *arg)).collect()
    }

    fn leave(&mut self, program: &Program, edge: EdgeId) -> Result<Vec<Transform<Bdd>>, Full> {
        let Op::Call { function, result, .. } = &program.edges[edge].op else { return Ok(vec![]) };
        let mut list = Vec::new();
        if let (Some(to), Some(from)) = (*result, program.functions[*function].result) {
            list.push(self.compiler.copy(to, from)?);
        }
        list.extend(self.locals(program, *function).map(Transform::Forget));
        Ok(list)
    }

    fn locals<'a>(&'a self, program: &'a Program, function: FunctionId) -> impl Iterator<Item = VarId> + 'a {
        program.functions[function].locals.iter().copied().filter(|var| self.compiler.coded.contains_key(var))
    }
}

impl SetDomain for BddDomain<'_> {
    type Set = Bdd;

    fn initial(&self) -> Bdd {
        self.compiler.store.constant(true)
    }

    fn post(&mut self, program: &Program, step: &Step, set: &Bdd) -> Result<Bdd, Stop> {
        let list = self.transforms(program, step)?;
        list.iter().try_fold(set.clone(), |set, transform| self.compiler.post(transform, &set)).map_err(stop)
    }

    fn pre(&mut self, program: &Program, step: &Step, set: &Bdd) -> Result<Bdd, Stop> {
        let list = self.transforms(program, step)?;
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

    fn invariant(&self, program: &Program, exprs: &mut Exprs, set: &Bdd) -> ExprId {
        self.compiler.invariant(program, exprs, set)
    }

    fn refine(&mut self, program: &Program, path: &[Step]) -> Result<bool, Stop> {
        let before = self.cuts.len();
        for step in path {
            for (var, value) in refine::assignments(program, step) {
                self.cuts.extend(refine::cuts(&self.compiler, &program.exprs, var, value));
            }
        }
        if self.cuts.len() == before {
            return Ok(false);
        }
        let groups = groups::groups(program, &self.cuts);
        self.compiler = Compiler::new(self.program, OxiddStore::new(self.room), &groups).map_err(stop)?;
        self.transforms.clear();
        Ok(true)
    }

    fn example(&self, program: &Program, element: &Bdd, var: VarId) -> u128 {
        let value = self.compiler.example(element, var).unwrap_or(0);
        let bits = program.register(var).map_or(64, |ty| ty.bits(program.model));
        value as u128 & semantics::scalar::mask(bits)
    }
}

fn stop(_: Full) -> Stop {
    Stop::Limit(Stopped::Memory)
}
