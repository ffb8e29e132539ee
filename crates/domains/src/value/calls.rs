//! Calls that need not be entered: what a call may change is known from the points-to analysis, so a call that leads
//! to no target and changes nothing that is tracked can be summarised by forgetting what it may change. So only the
//! functions that matter to the property and to the current precision are analysed, and refinement brings in others.

use super::aliases::{Aliases, Pointees};
use super::precision::Item;
use super::store::{Origin, State, Store, StoredObject, StoredObjectId};
use base::{Id, IdVec};
use cfa::{Allocation, EdgeId, ExprId, FunctionId, Op, Program, VarId};
use flow::points_to::Offset;
use flow::{CallGraph, Prepared};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// Bytes from an offset on: so many, or all of the object.
type Extent = (Offset, Option<u64>);

/// What a call may change that outlives it.
#[derive(Default)]
pub(super) struct Effects {
    registers: FxHashSet<VarId>,
    places: FxHashMap<Origin, Vec<Extent>>,
    /// What has escaped, if it may be written.
    escaped: Option<Rc<FxHashSet<Origin>>>,
    freed: FxHashSet<Origin>,
}

impl Effects {
    /// Whether a register may be changed.
    pub fn writes_register(&self, var: VarId) -> bool {
        self.registers.contains(&var)
    }

    /// Whether `width` bytes at an offset of an object may be changed; without an offset, any of its bytes.
    pub fn writes_cell(&self, origin: Origin, offset: Option<u64>, width: u64) -> bool {
        let overlaps = |&(at, size): &Extent| match (offset.and_then(|offset| i64::try_from(offset).ok()), size) {
            (Some(offset), Some(size)) => at.overlaps(size, Offset::exact(offset), width),
            (None, _) | (_, None) => true,
        };
        self.writes_origin(origin)
            && (self.escapes(origin)
                || self.freed.contains(&origin)
                || self.places.get(&origin).is_some_and(|extents| extents.iter().any(overlaps)))
    }

    fn writes_origin(&self, origin: Origin) -> bool {
        self.places.contains_key(&origin) || self.freed.contains(&origin) || self.escapes(origin)
    }

    fn escapes(&self, origin: Origin) -> bool {
        self.escaped.as_ref().is_some_and(|escaped| escaped.contains(&origin))
    }

    fn writes_item(&self, item: Item) -> bool {
        match item {
            Item::Register(var) => self.writes_register(var),
            // Its width is not known here; a write that misses the first byte only costs precision.
            Item::Cell(origin, offset) => self.writes_cell(origin, Some(offset), 1),
            Item::Whole(origin) => self.writes_origin(origin),
        }
    }

    fn write(&mut self, pointees: &Pointees, size: Option<u64>) {
        for &(origin, offset) in pointees.places() {
            let extents = self.places.entry(origin).or_default();
            if !extents.contains(&(offset, size)) {
                extents.push((offset, size));
            }
        }
        if self.escaped.is_none() {
            self.escaped = pointees.escaped().cloned();
        }
    }

    fn free(&mut self, pointees: &Pointees) {
        self.freed.extend(pointees.places().iter().map(|&(origin, _)| origin));
        self.freed.extend(pointees.escaped().into_iter().flat_map(|escaped| escaped.iter().copied()));
    }

    fn absorb(&mut self, other: &Effects) {
        self.registers.extend(&other.registers);
        for (&origin, extents) in &other.places {
            let own = self.places.entry(origin).or_default();
            for extent in extents {
                if !own.contains(extent) {
                    own.push(*extent);
                }
            }
        }
        if self.escaped.is_none() {
            self.escaped.clone_from(&other.escaped);
        }
        self.freed.extend(&other.freed);
    }
}

/// What is known of the functions of a program.
pub(super) struct Calls {
    graph: Arc<CallGraph>,
    /// Whether a call may lead to a target or to C that is not modelled.
    erring: IdVec<FunctionId, bool>,
    /// Functions that call each other, directly or not, have the same number.
    groups: IdVec<FunctionId, u32>,
    /// Whether a call can come back.
    returning: IdVec<FunctionId, bool>,
    /// Whether a call may end the execution.
    stopping: IdVec<FunctionId, bool>,
    /// Of the function's own edges; empty until first used.
    own: IdVec<FunctionId, Effects>,
    /// The functions whose own edges may change a global register, some of an object, or what has escaped.
    register_writers: FxHashMap<VarId, Vec<FunctionId>>,
    object_writers: FxHashMap<Origin, Vec<FunctionId>>,
    escaped_writers: Vec<FunctionId>,
    /// With those of all callees.
    all: IdVec<FunctionId, Option<Rc<Effects>>>,
}

impl Calls {
    /// From one pass over the program; effects are computed when they are asked for.
    pub fn new(program: &Prepared) -> Self {
        let graph = program.calls();
        let count = program.functions.len();
        let function = |edge: EdgeId| program.nodes[program.edges[edge].from].function;
        let ids = || program.edges.iter();
        let unsupported = ids().filter(|(_, edge)| matches!(edge.op, Op::Unsupported(_))).map(|(id, _)| function(id));
        let targets = program.targets.iter().map(|target| program.nodes[target.node].function);
        let erring = callers_of(&graph, count, unsupported.chain(targets).collect());
        let halting = ids().filter(|(_, edge)| matches!(edge.op, Op::Halt(_))).map(|(id, _)| function(id));
        let returning = returning(program, &graph);
        let stuck = returning.iter().filter(|(_, returns)| !**returns).map(|(id, _)| id);
        let stopping = callers_of(&graph, count, halting.chain(stuck).collect());
        let mut groups = IdVec::filled(count, 0);
        for (number, group) in graph.bottom_up().enumerate() {
            group.iter().for_each(|&function| groups[FunctionId(function)] = number as u32);
        }
        Self {
            graph,
            erring,
            groups,
            returning,
            stopping,
            own: IdVec::new(),
            register_writers: FxHashMap::default(),
            object_writers: FxHashMap::default(),
            escaped_writers: Vec::new(),
            all: IdVec::filled(count, None),
        }
    }

    /// Whether two functions are the same or call each other, directly or not.
    pub fn call_each_other(&self, a: FunctionId, b: FunctionId) -> bool {
        self.groups[a] == self.groups[b]
    }

    /// Whether a call of the function can be summarised at all.
    pub fn summarisable(&self, function: FunctionId) -> bool {
        !self.erring[function]
    }

    /// Whether a call can come back.
    pub fn returns(&self, function: FunctionId) -> bool {
        self.returning[function]
    }

    /// Whether a call may end the execution instead of coming back.
    pub fn stops(&self, function: FunctionId) -> bool {
        self.stopping[function]
    }

    /// What a call of the function may change.
    pub fn effects(&mut self, program: &Program, aliases: &mut Aliases, function: FunctionId) -> Rc<Effects> {
        if let Some(known) = &self.all[function] {
            return known.clone();
        }
        let mut effects = Effects::default();
        let mut seen = vec![false; program.functions.len()];
        let mut stack = vec![function];
        while let Some(callee) = stack.pop() {
            if std::mem::replace(&mut seen[callee.index()], true) {
                continue;
            }
            if let Some(known) = &self.all[callee] {
                effects.absorb(known);
                continue;
            }
            effects.absorb(&self.own(program, aliases)[callee]);
            stack.extend(self.graph.calls(callee).iter().map(|&(_, callee)| callee));
        }
        let effects = Rc::new(effects);
        self.all[function] = Some(effects.clone());
        effects
    }

    fn own(&mut self, program: &Program, aliases: &mut Aliases) -> &IdVec<FunctionId, Effects> {
        if self.own.is_empty() {
            self.own = program.functions.ids().map(|_| Effects::default()).collect::<Vec<_>>().into();
            for (_, edge) in program.edges.iter() {
                note(program, aliases, &edge.op, &mut self.own[program.nodes[edge.from].function]);
            }
            for (function, own) in self.own.iter() {
                for &var in &own.registers {
                    self.register_writers.entry(var).or_default().push(function);
                }
                for &origin in own.places.keys().chain(&own.freed) {
                    self.object_writers.entry(origin).or_default().push(function);
                }
                if own.escaped.is_some() {
                    self.escaped_writers.push(function);
                }
            }
        }
        &self.own
    }

    /// The functions that must be entered to know an item: those that may change it themselves, and who calls them,
    /// up to the function whose variable it is.
    pub fn writers(&mut self, program: &Program, aliases: &mut Aliases, item: Item) -> Vec<FunctionId> {
        let owner = match item {
            Item::Register(var) => program.vars[var].function,
            Item::Cell(origin, _) | Item::Whole(origin) => match origin {
                Origin::Variable(var) => program.vars[var].function,
                Origin::Site(_) => None,
            },
        };
        if matches!(item, Item::Register(_)) && owner.is_some() {
            return Vec::new();
        }
        self.own(program, aliases);
        let writers = match item {
            Item::Register(var) => self.register_writers.get(&var),
            Item::Cell(origin, _) | Item::Whole(origin) => self.object_writers.get(&origin),
        };
        let writers = writers.into_iter().flatten().chain(&self.escaped_writers).copied();
        let mut stack: Vec<FunctionId> = writers.filter(|&function| self.own[function].writes_item(item)).collect();
        let mut found = BTreeSet::new();
        while let Some(function) = stack.pop() {
            if found.insert(function) && Some(function) != owner {
                stack.extend(self.graph.callers(function).iter().map(|&(_, caller)| caller));
            }
        }
        found.into_iter().collect()
    }
}

/// The given functions and all that call them.
fn callers_of(graph: &CallGraph, count: usize, mut stack: Vec<FunctionId>) -> IdVec<FunctionId, bool> {
    let mut found = IdVec::filled(count, false);
    while let Some(function) = stack.pop() {
        if !std::mem::replace(&mut found[function], true) {
            stack.extend(graph.callers(function).iter().map(|&(_, caller)| caller));
        }
    }
    found
}

/// By function, whether a path leads from its entry to its exit, through calls that come back.
fn returning(program: &Program, graph: &CallGraph) -> IdVec<FunctionId, bool> {
    let mut returning: IdVec<FunctionId, bool> = IdVec::filled(program.functions.len(), false);
    let mut reached = vec![false; program.nodes.len()];
    // Nodes to go on from; a call waits until its callee is known to come back.
    let mut stack: Vec<cfa::Node> = program.functions.iter().map(|(_, function)| function.entry).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut reached[node.index()], true) {
            continue;
        }
        let function = program.nodes[node].function;
        if program.functions[function].exit == node && !std::mem::replace(&mut returning[function], true) {
            let waiting = graph.callers(function).iter().map(|&(call, _)| &program.edges[call]);
            stack.extend(waiting.filter(|edge| reached[edge.from.index()]).map(|edge| edge.to));
        }
        for edge in program.leaving(node).map(|edge| &program.edges[edge]) {
            match edge.op {
                Op::Halt(_) => {}
                Op::Call { function, .. } if !returning[function] => {}
                _ => stack.push(edge.to),
            }
        }
    }
    returning
}

/// Adds what one operation may change.
fn note(program: &Program, aliases: &mut Aliases, op: &Op, effects: &mut Effects) {
    let constant = |size: ExprId| program.exprs.constant(size).and_then(|size| u64::try_from(size).ok());
    match op {
        Op::Store { to, value } => {
            effects.write(&aliases.of(*to), Some(program.exprs.ty(*value).bytes(program.model)));
        }
        Op::Copy { to, size, .. } | Op::Fill { to, size, .. } => effects.write(&aliases.of(*to), constant(*size)),
        Op::HavocMemory { to, size, .. } => effects.write(&aliases.of(*to), size.and_then(constant)),
        Op::Library { function, args, .. } => {
            for &at in function.writes() {
                effects.write(&aliases.of(args[at]), None);
            }
        }
        Op::Free(pointer) | Op::Allocate { how: Allocation::Resize(pointer), .. } => {
            effects.free(&aliases.of(*pointer));
        }
        // Initialisers run before any call; a declared variable and a new object are the callee's own.
        Op::Init(_) | Op::Declare(_) | Op::End(_) => {}
        Op::Allocate { how: Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack, .. } => {}
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Call { .. } | Op::CallPointer { .. } => {}
        Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => {}
    }
    if let Some(var) = op.variable()
        && program.register(var).is_some()
        && program.vars[var].function.is_none()
    {
        effects.registers.insert(var);
    }
}

impl Store<'_> {
    /// Forgets what a call may have changed.
    pub(super) fn forget_effects(&mut self, state: &mut State, effects: &Effects) {
        let mut registers = Vec::new();
        self.maps.for_each(state.regs(), &mut |slot, _| {
            if effects.writes_register(self.slot_var(slot).0) {
                registers.push(slot);
            }
        });
        for slot in registers {
            state.set_regs(self.maps.remove(state.regs(), slot));
        }
        let mut cells = Vec::new();
        self.maps.for_each(state.mem(), &mut |object, content| {
            let origin = self.object_info(StoredObjectId(object)).origin;
            if !effects.writes_origin(origin) {
                return;
            }
            self.maps.for_each(content, &mut |key, chunk| {
                let (offset, width) = match key {
                    0 => (None, 0),
                    _ => (Some(u64::from(key) - 1), u64::from(self.chunks[chunk as usize].size)),
                };
                if effects.writes_cell(origin, offset, width) {
                    cells.push((StoredObjectId(object), key));
                }
            });
        });
        for (object, key) in cells {
            self.forget_cell(state, object, key);
        }
        if !effects.freed.is_empty() {
            let freed = |object: &StoredObject| !object.local && effects.freed.contains(&object.origin);
            self.kill(state, &freed);
        }
    }
}
