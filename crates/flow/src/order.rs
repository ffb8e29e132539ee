//! Where C leaves the order of evaluation open and it can matter. Lowering evaluates operands and arguments in the
//! order that gcc takes, and notes every two parts of an expression between which C does not decide and of which one
//! does something. Of these, the ones whose effects may meet are listed among the assumptions: an access and a write to
//! the same object or register, or an end of the program next to an error.

use crate::points_to::{ObjectId, ObjectKind, PointsTo};
use base::Id;
use cfa::{Allocation, Expr, ExprId, FunctionId, Op, Program, Unordered, UnorderedPart, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// What can be read and written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Thing {
    Register(VarId),
    Object(ObjectId),
}

/// What an execution of something may do.
#[derive(Clone, Debug, Default)]
struct Effects {
    reads: FxHashSet<Thing>,
    writes: FxHashSet<Thing>,
    /// It may not come to its end.
    stops: bool,
    target: bool,
}

impl Effects {
    fn add(&mut self, other: &Effects) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.stops |= other.stops;
        self.target |= other.target;
    }

    /// Whether it matters which of the two comes first.
    fn meets(&self, other: &Effects) -> bool {
        let touched = |writes: &FxHashSet<Thing>, by: &Effects| {
            writes.iter().any(|thing| by.reads.contains(thing) || by.writes.contains(thing))
        };
        touched(&self.writes, other)
            || touched(&other.writes, self)
            || self.stops && other.target
            || other.stops && self.target
    }
}

/// Lists the places where another order than gcc's may lead to something else.
pub fn list_order_assumptions(program: &mut Program, points_to: &PointsTo) {
    /// More places are counted, not named.
    const NAMED: usize = 8;
    let open = std::mem::take(&mut program.unordered);
    let mut meeting = Meeting::new(program, points_to);
    let mut places: Vec<String> = Vec::new();
    for both in &open {
        if points_to.is_reachable(both.function) && meeting.matters(both) {
            let at = program.sources.position(both.span);
            let place = format!("{}:{}", program.sources.name(at.file), at.line);
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let further = places.len().saturating_sub(NAMED);
    for place in places.iter().take(NAMED) {
        program.assumptions.push(format!("operands at {place} are evaluated in gcc's order"));
    }
    if further > 0 {
        program.assumptions.push(format!("operands are evaluated in gcc's order (at {further} further places)"));
    }
}

struct Meeting<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    nodes: Vec<Vec<cfa::Node>>,
    with_target: FxHashSet<FunctionId>,
    escaped: Vec<ObjectId>,
    /// By function, what it does itself, and which functions it calls.
    own: FxHashMap<FunctionId, (Effects, Vec<FunctionId>)>,
    /// By function, what a call of it does.
    whole: FxHashMap<FunctionId, Effects>,
    /// How many more effects are looked at. Then every two parts may meet.
    fuel: Cell<u64>,
}

/// Enough for programs in which pointers lead to few objects.
const FUEL: u64 = 20_000_000;

impl<'p> Meeting<'p> {
    fn new(program: &'p Program, points_to: &'p PointsTo) -> Self {
        let nodes = program.nodes_by_function().into_iter().collect();
        let with_target = program.targets.iter().map(|target| program.nodes[target.node].function).collect();
        let escaped = points_to.objects.iter().filter(|(_, object)| object.escaped).map(|(id, _)| id).collect();
        let (own, whole) = Default::default();
        Meeting { program, points_to, nodes, with_target, escaped, own, whole, fuel: Cell::new(FUEL) }
    }

    fn matters(&mut self, both: &Unordered) -> bool {
        if both.first.large || both.second.large {
            return true;
        }
        let meet = self.part(&both.first).meets(&self.part(&both.second));
        // What was left out may meet.
        meet || self.fuel.get() == 0
    }

    /// Whether so many further effects may be looked at.
    fn spend(&self, effects: usize) -> bool {
        self.fuel.set(self.fuel.get().saturating_sub(effects as u64));
        self.fuel.get() > 0
    }

    fn part(&mut self, part: &UnorderedPart) -> Effects {
        let mut effects = Effects { target: part.target, ..Effects::default() };
        let mut callees = Vec::new();
        for op in &part.ops {
            self.op(&mut effects, &mut callees, op, true);
        }
        for &value in &part.values {
            self.value(&mut effects, value, true);
        }
        for &pointer in &part.aggregates {
            self.memory(&mut effects.reads, pointer);
        }
        for callee in callees {
            effects.add(&self.call(callee));
        }
        effects
    }

    /// What a call of the function does, with all that it calls.
    fn call(&mut self, root: FunctionId) -> Effects {
        if let Some(known) = self.whole.get(&root) {
            let known = known.clone();
            self.spend(known.reads.len() + known.writes.len());
            return known;
        }
        let mut all = Effects::default();
        let mut seen = FxHashSet::from_iter([root]);
        let mut again = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(function) = stack.pop() {
            self.function(function);
            let (own, callees) = &self.own[&function];
            if !self.spend(own.reads.len() + own.writes.len()) {
                break;
            }
            all.add(own);
            for &callee in callees {
                if seen.insert(callee) {
                    stack.push(callee);
                } else {
                    again.insert(callee);
                }
            }
        }
        // Recursion may not end. Locals of functions that run only now do not belong to another activation.
        all.stops |= !again.is_empty();
        let vars = &self.program.vars;
        let objects = &self.points_to.objects;
        let outer = |thing: &Thing| match *thing {
            Thing::Register(_) => true,
            Thing::Object(object) => match objects[object].kind {
                ObjectKind::Variable(var) => {
                    vars[var].function.is_none_or(|owner| !seen.contains(&owner) || again.contains(&owner))
                }
                ObjectKind::Unknown | ObjectKind::Allocation(_) | ObjectKind::Function(_) => true,
            },
        };
        all.reads.retain(outer);
        all.writes.retain(outer);
        self.whole.insert(root, all.clone());
        all
    }

    fn function(&mut self, function: FunctionId) {
        if !self.own.contains_key(&function) {
            let mut effects = Effects { target: self.with_target.contains(&function), ..Effects::default() };
            let mut callees = Vec::new();
            for &node in &self.nodes[function.index()] {
                let mut conditions = 0;
                for id in self.program.leaving(node) {
                    let edge = &self.program.edges[id];
                    // Numbers of nodes grow along paths that are not loops.
                    effects.stops |= edge.to <= edge.from;
                    conditions += usize::from(matches!(edge.op, Op::Assume(_)));
                    self.op(&mut effects, &mut callees, &edge.op, false);
                }
                effects.stops |= conditions == 1;
            }
            callees.sort_unstable();
            callees.dedup();
            self.own.insert(function, (effects, callees));
        }
    }

    /// What an operation does itself; locals count where activations are the same (`here`).
    fn op(&self, effects: &mut Effects, callees: &mut Vec<FunctionId>, op: &Op, here: bool) {
        op.operands().for_each(|value| self.value(effects, value, here));
        match op {
            Op::Skip | Op::Assume(_) | Op::Init(_) | Op::Declare(_) | Op::End(_) | Op::Return(_) => {}
            Op::Assign(..) | Op::Havoc(..) => {}
            Op::Halt(_) | Op::Unsupported(_) => effects.stops = true,
            Op::Store { to, .. } | Op::Fill { to, .. } | Op::HavocMemory { to, .. } | Op::Free(to) => {
                self.memory(&mut effects.writes, *to);
            }
            Op::Copy { to, from, .. } => {
                self.memory(&mut effects.writes, *to);
                self.memory(&mut effects.reads, *from);
            }
            Op::Allocate { how, .. } => {
                if let Allocation::Resize(old) = how {
                    self.memory(&mut effects.writes, *old);
                }
            }
            Op::Call { function, .. } => callees.push(*function),
            Op::CallPointer { pointer, .. } => {
                let targets = self.points_to.targets(*pointer);
                for place in &targets.places {
                    if let ObjectKind::Function(function) = self.points_to.objects[place.object].kind {
                        callees.push(function);
                    }
                }
                if targets.unknown {
                    self.outside(&mut effects.writes);
                }
            }
            Op::Library { function, args, .. } => {
                for &arg in args.iter() {
                    self.memory(&mut effects.reads, arg);
                }
                for &arg in function.writes().iter().filter_map(|&at| args.get(at)) {
                    self.memory(&mut effects.writes, arg);
                }
            }
        }
        if let Some(var) = op.variable().filter(|&var| self.counts(var, here)) {
            effects.writes.insert(Thing::Register(var));
        }
    }

    /// Whether another function may use a register.
    fn counts(&self, var: VarId, here: bool) -> bool {
        let variable = &self.program.vars[var];
        self.program.register(var).is_some()
            && (variable.function.is_none() || here && variable.kind != VarKind::Temporary)
    }

    fn value(&self, effects: &mut Effects, root: ExprId, here: bool) {
        self.program.exprs.visit(root, |_, node| match node {
            Expr::Var(var) if self.counts(var, here) => {
                effects.reads.insert(Thing::Register(var));
            }
            Expr::Load(pointer) => self.memory(&mut effects.reads, pointer),
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => {}
            Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => {}
        });
    }

    /// What a pointer may lead to. One that the analysis does not know is never followed.
    fn memory(&self, to: &mut FxHashSet<Thing>, pointer: ExprId) {
        if !self.points_to.knows(pointer) || self.fuel.get() == 0 {
            return;
        }
        let targets = self.points_to.targets(pointer);
        self.spend(targets.places.len());
        to.extend(targets.places.iter().map(|place| Thing::Object(place.object)));
        if targets.unknown {
            self.outside(to);
        }
    }

    fn outside(&self, to: &mut FxHashSet<Thing>) {
        self.spend(self.escaped.len());
        to.extend(self.escaped.iter().map(|&object| Thing::Object(object)));
    }
}
