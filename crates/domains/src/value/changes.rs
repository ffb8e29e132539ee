//! Which steps of an earlier search a refinement of the precision may change, for [`Incremental`].

use super::ValueAnalysis;
use super::aliases::{Aliases, Pointees};
use super::precision::{Item, Precision, Scoping};
use super::store::{KnownValue, Origin, State};
use analysis::{Incremental, Move, Step};
use cfa::{EdgeId, Expr, ExprId, FunctionId, Op, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a refinement added to a precision.
#[derive(Debug, Default)]
pub struct Added {
    registers: FxHashSet<VarId>,
    /// Cells of objects of these origins.
    memory: FxHashSet<Origin>,
    /// Functions whose calls are entered.
    functions: Vec<FunctionId>,
}

/// Which edges may have other successors when an item is tracked, for all items.
pub(super) struct Concerned {
    registers: FxHashMap<VarId, Vec<EdgeId>>,
    memory: FxHashMap<Origin, Vec<EdgeId>>,
    /// Those that may concern whatever has escaped.
    outside: Vec<EdgeId>,
    escaped: Option<Rc<FxHashSet<Origin>>>,
    /// The calls of each function.
    calls: FxHashMap<FunctionId, Vec<EdgeId>>,
}

impl Concerned {
    /// From one pass over the program.
    fn new(program: &Program, aliases: &mut Aliases) -> Self {
        let mut all = Self {
            registers: FxHashMap::default(),
            memory: FxHashMap::default(),
            outside: Vec::new(),
            escaped: None,
            calls: FxHashMap::default(),
        };
        for (id, edge) in program.edges.iter() {
            match &edge.op {
                Op::Assign(var, _) => all.register(*var, id),
                Op::Assume(condition) => program.exprs.visit(*condition, |_, node| match node {
                    Expr::Var(var) => all.register(var, id),
                    Expr::Load(pointer) => all.pointees(&aliases.of(pointer), id),
                    Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => {}
                    Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => {}
                }),
                Op::Call { function, result, .. } => {
                    let params = program.functions[*function].params.iter().chain(result);
                    params.for_each(|&var| all.register(var, id));
                    all.calls.entry(*function).or_default().push(id);
                }
                Op::Return(_) => {
                    let result = program.functions[program.nodes[edge.from].function].result;
                    result.into_iter().for_each(|var| all.register(var, id));
                }
                Op::Allocate { result, .. } => {
                    all.register(*result, id);
                    all.memory.entry(Origin::Site(id)).or_default().push(id);
                }
                Op::Store { to, .. } | Op::Copy { to, .. } | Op::Fill { to, .. } => all.pointees(&aliases.of(*to), id),
                Op::Init(var) => all.memory.entry(Origin::Variable(*var)).or_default().push(id),
                Op::Skip | Op::Halt(_) | Op::Unsupported(_) | Op::Havoc(..) | Op::Declare(_) => {}
                Op::HavocMemory { .. } | Op::Free(_) | Op::End(_) | Op::Library { .. } | Op::CallPointer { .. } => {}
            }
        }
        all
    }

    fn register(&mut self, var: VarId, edge: EdgeId) {
        self.registers.entry(var).or_default().push(edge);
    }

    fn pointees(&mut self, pointees: &Pointees, edge: EdgeId) {
        for &(origin, _) in pointees.places() {
            self.memory.entry(origin).or_default().push(edge);
        }
        if let Some(escaped) = pointees.escaped() {
            self.outside.push(edge);
            self.escaped.get_or_insert_with(|| escaped.clone());
        }
    }

    /// In ascending order.
    fn of(&self, added: &Added) -> Vec<EdgeId> {
        let registers = added.registers.iter().filter_map(|var| self.registers.get(var));
        let memory = added.memory.iter().filter_map(|origin| self.memory.get(origin));
        let calls = added.functions.iter().filter_map(|function| self.calls.get(function));
        let mut edges: Vec<EdgeId> = registers.chain(memory).chain(calls).flatten().copied().collect();
        if self.escaped.as_ref().is_some_and(|escaped| added.memory.iter().any(|origin| escaped.contains(origin))) {
            edges.extend(&self.outside);
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

impl ValueAnalysis<'_> {
    /// Whether a pointer leads to an object of one of the origins; `None` if it is not known where it leads.
    fn leads_to(&self, state: State, depth: u32, pointer: ExprId, origins: &FxHashSet<Origin>) -> Option<bool> {
        let Self { store, large, .. } = self;
        match (super::Scope { store, state, depth, large }.eval(pointer))? {
            KnownValue::Pointer(object, _) => Some(origins.contains(&store.object_info(object).origin)),
            KnownValue::Bits(_) | KnownValue::Function(_) | KnownValue::Sign(_) => Some(false),
        }
    }

    /// Whether a condition mentions what was added, or may.
    fn mentions(&self, from: State, depth: u32, condition: ExprId, added: &Added) -> bool {
        let mut found = false;
        self.store.program.exprs.visit(condition, |_, node| match node {
            Expr::Var(var) => found |= added.registers.contains(&var),
            Expr::Load(pointer) if !added.memory.is_empty() => {
                found |= self.leads_to(from, depth, pointer, &added.memory).unwrap_or(true);
            }
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Unary(..) => {}
            Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => {}
        });
        found
    }
}

impl Incremental for ValueAnalysis<'_> {
    type Added = Added;

    fn added(&mut self, precision: &mut Precision) -> Added {
        let (items, functions) = precision.take_new();
        let mut added = Added { functions, ..Added::default() };
        for item in items {
            match item {
                Item::Register(var) => drop(added.registers.insert(var)),
                Item::Cell(origin, _) | Item::Whole(origin) => drop(added.memory.insert(origin)),
            }
        }
        added
    }

    /// A pointer that is known leads where points-to says; through others nothing comes into a state.
    fn affected(&mut self, precision: &Precision, added: &Added) -> Option<Vec<EdgeId>> {
        let program = self.store.program;
        let Self { aliases, concerned, .. } = self;
        matches!(precision.scoping, Scoping::Scoped(_))
            .then(|| concerned.get_or_insert_with(|| Concerned::new(program, aliases)).of(added))
    }

    /// Values come into a state where the transfer relation asks the precision for what it assigns or learns. A write
    /// through a pointer that is not known only forgets.
    fn may_change(&self, from: &State, step: &Step, precision: &Precision, added: &Added) -> bool {
        if !matches!(precision.scoping, Scoping::Scoped(_)) {
            return true;
        }
        let program = self.store.program;
        let register = |var: VarId| added.registers.contains(&var);
        let written = |to: ExprId| {
            !added.memory.is_empty() && self.leads_to(*from, step.from_depth, to, &added.memory).unwrap_or(false)
        };
        match &program.edges[step.edge].op {
            Op::Assign(var, _) => register(*var),
            Op::Assume(condition) => self.mentions(*from, step.from_depth, *condition, added),
            Op::Call { function, .. } if step.kind == Move::Enter => {
                program.functions[*function].params.iter().any(|&param| register(param))
            }
            Op::Call { result, .. } => result.is_some_and(register),
            Op::Return(_) => program.functions[program.nodes[step.from.node].function].result.is_some_and(register),
            Op::Allocate { result, .. } => register(*result) || added.memory.contains(&Origin::Site(step.edge)),
            Op::Store { to, .. } | Op::Copy { to, .. } | Op::Fill { to, .. } => written(*to),
            Op::Init(var) => added.memory.contains(&Origin::Variable(*var)),
            Op::Skip | Op::Halt(_) | Op::Unsupported(_) | Op::Havoc(..) | Op::Declare(_) => false,
            Op::HavocMemory { .. } | Op::Free(_) | Op::End(_) | Op::Library { .. } | Op::CallPointer { .. } => false,
        }
    }

    fn pruned(&mut self, left: usize) {
        self.filed = left as u64;
        self.seen.clear();
        self.seen_in_memory.clear();
    }
}
