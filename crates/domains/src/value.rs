//! Explicit values [BL13]: a state maps registers and memory cells to values; what it does not map may have any value.
//! merge-sep, stop-sep, prec drops what the precision does not track.
//!
//! - `store`: states and what they are made of, on the hash-consed `maps`; `memory`: objects' bytes;
//! - `aliases`: what a write through an unknown pointer may change; `eval`: values of expressions; `assume`: what conditions teach; `transfer`: the transfer relation;
//! - `calls`: what calls change and which ones need not be entered, `entering`: which ones a path shows to matter;
//! - `precision`: what is tracked; `adjust`: what leaves a state because it is not; `path`: strongest posts along one path,
//!   for refinement.

mod adjust;
mod aliases;
mod assume;
mod beside;
mod calls;
mod changes;
mod cost;
mod entering;
mod eval;
mod export;
mod maps;
mod memory;
mod path;
pub mod precision;
mod sign;
mod store;
#[cfg(test)]
mod tests;
mod transfer;

pub use cost::{COUNTER, variable_costs};
pub use path::ValueFact;
pub use precision::{Item, Precision};
pub use store::{KnownValue, Origin, State, StoredObject, StoredObjectId};

use aliases::Aliases;
use analysis::{Cpa, Filing, Move, Place, Query, QueryAnswer, Step, StepsOver, Tells, Watches, Work};
use base::Id;
use calls::Calls;
use cfa::types::{Type, TypeId};
use cfa::{Allocation, EdgeId, FunctionId, Node, Op, Program};
use changes::Concerned;
use cost::Costs;
use eval::Scope;
use flow::{Liveness, PointsTo, Prepared};
use maps::EMPTY;
use precision::{Scoping, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use store::{Store, UNKNOWN};
use transfer::Transfer;
use verdict::Stop;

/// How new heap objects are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Names {
    /// By the smallest number that no pointer in the state uses: equal heaps get equal names.
    Canonical,
    /// By the position on a path: names do not depend on what else the state knows.
    Position(u32),
}

/// Options of the value analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Forget registers that are never read again.
    pub live_only: bool,
    /// A variable with more different values than this at one loop head leaves the precision for good.
    pub threshold: Option<u32>,
    /// Which variables the threshold is for.
    pub counted: ThresholdScope,
    /// So many states are reached before values are counted: small programs are explored to the end.
    pub patience: u64,
    /// Remember whether a value is negative, 0 or positive where nothing else is known about it.
    ///
    /// Deviates from [BL13], where a variable has one known value or none: drivers check pointers and error codes.
    pub signs: bool,
}

/// Which variables a threshold is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThresholdScope {
    /// Counters: the others have finitely many values.
    Counters,
    /// All, because another domain takes care of them.
    All,
}

impl Default for Options {
    fn default() -> Self {
        Self { live_only: true, threshold: None, counted: ThresholdScope::Counters, patience: 0, signs: false }
    }
}

/// The value analysis of one program.
pub struct ValueAnalysis<'p> {
    store: Store<'p>,
    options: Options,
    large: Vec<bool>,
    liveness: Arc<Liveness>,
    costs: Costs,
    aliases: Aliases<'p>,
    calls: Calls,
    /// Per function whether it has objects that die with its activations.
    has_memory: Vec<bool>,
    /// Per place one reached state of each shape (set of known cells).
    shapes: FxHashMap<Place, Vec<State>>,
    /// Per loop head and register slot the values that were seen.
    seen: FxHashMap<(cfa::Node, u32), rustc_hash::FxHashSet<u32>>,
    /// The same for memory cells; those of all objects of one origin together.
    seen_in_memory: FxHashMap<(cfa::Node, Item), rustc_hash::FxHashSet<u32>>,
    /// How many states are in the reached set.
    filed: u64,
    /// By filled content the one of which nothing but the fill is known.
    blanks: FxHashMap<maps::Root, maps::Root>,
    /// Which edges an item concerns, once that was asked.
    concerned: Option<Concerned>,
}

/// A place with more shapes than this looks only among the newest ones for a covering state.
const SHAPES: usize = 24;

/// Maps start so many words apart, or share a number; those with three entries or more have their own.
const NUMBERED: u32 = 4;

/// The function whose activations an object belongs to.
fn owner(program: &Program, origin: Origin) -> Option<FunctionId> {
    match origin {
        Origin::Variable(var) => program.vars[var].function,
        Origin::Site(edge) => Some(program.nodes[program.edges[edge].from].function),
    }
}

impl<'p> ValueAnalysis<'p> {
    /// The analysis of a program whose pointer calls are resolved.
    pub fn new(program: &'p Prepared, points_to: &'p PointsTo, options: Options) -> Self {
        let mut has_memory = vec![false; program.functions.len()];
        for (_, variable) in program.vars.iter() {
            if let (Some(function), cfa::Storage::Memory { .. }) = (variable.function, variable.storage) {
                has_memory[function.index()] = true;
            }
        }
        for (_, edge) in program.edges.iter() {
            if let Op::Allocate { how: Allocation::Stack, .. } = edge.op {
                has_memory[program.nodes[edge.from].function.index()] = true;
            }
        }
        Self {
            store: Store::new(program),
            options,
            large: eval::large(&program.exprs),
            liveness: if options.live_only { program.liveness() } else { Arc::new(Liveness::none(program)) },
            costs: Costs::new(program),
            aliases: Aliases::new(points_to),
            calls: Calls::new(program),
            has_memory,
            shapes: FxHashMap::default(),
            seen: FxHashMap::default(),
            seen_in_memory: FxHashMap::default(),
            filed: 0,
            blanks: FxHashMap::default(),
            concerned: None,
        }
    }

    /// From now on no variable has too many values.
    pub fn lift_threshold(&mut self) {
        self.options.threshold = None;
    }

    fn callee(&self, call: EdgeId) -> FunctionId {
        match self.store.program.edges[call].op {
            Op::Call { function, .. } => function,
            _ => unreachable!("only calls are entered or stepped over"),
        }
    }

    /// Memory of all states in bytes.
    pub fn bytes(&self) -> usize {
        self.store.bytes()
    }

    /// How often the table of all maps was asked.
    pub fn work(&self) -> Work {
        self.store.maps.work()
    }

    /// The successor with a given view of the precision.
    fn successor(&mut self, from: State, step: &Step, view: View<'_>, names: Names) -> Option<State> {
        Transfer { analysis: self, view, names, state: from, depth: step.from_depth }.run(step)
    }

    /// Calls `visit` on every value that a state knows.
    fn for_each_value(&self, state: State, visit: &mut dyn FnMut(KnownValue)) {
        let mut handle = |handle: u32| {
            if handle & 1 == 0
                && handle != UNKNOWN
                && let Some(value) = self.store.value(handle)
            {
                visit(value);
            }
        };
        self.store.maps.for_each(state.regs(), &mut |_, value| handle(value));
        self.store.maps.for_each(state.mem(), &mut |_, content| {
            self.store.maps.for_each(content, &mut |key, chunk| {
                if key > 0 {
                    handle(self.store.chunks[chunk as usize].value);
                }
            });
        });
    }

    /// The smallest instance of a site that no pointer of the state refers to.
    fn free_instance(&self, state: State, site: EdgeId) -> u32 {
        let mut used = Vec::new();
        self.for_each_value(state, &mut |value| {
            if let KnownValue::Pointer(object, _) = value {
                let object = self.store.object_info(object);
                if object.origin == Origin::Site(site) {
                    used.push(object.instance);
                }
            }
        });
        (0..).find(|instance| !used.contains(instance)).expect("finitely many are used")
    }

    /// The scalars of a C type that has few of them: offsets and sizes.
    fn scalars(&self, ty: TypeId, size: u64) -> Option<Vec<(u64, u64)>> {
        let mut found = Vec::new();
        let fits = collect_scalars(self.store.program, ty, 0, &mut found);
        (fits && found.iter().all(|&(offset, bytes)| offset + bytes <= size)).then_some(found)
    }

    /// What a state knows, one `name = value` each, in a fixed order.
    pub fn describe(&self, state: State) -> Vec<String> {
        let program = self.store.program;
        let text = |value: Option<KnownValue>| match value {
            Some(KnownValue::Bits(bits)) => format!("{bits}"),
            Some(KnownValue::Pointer(object, offset)) => {
                let info = self.store.object_info(object);
                format!("&{}+{offset}", Item::Whole(info.origin).display(program).trim_end_matches("[]"))
            }
            Some(KnownValue::Function(function)) => format!("&{}", program.function_name(function)),
            Some(KnownValue::Sign(sign)) => sign.text().to_owned(),
            None => "?".to_owned(),
        };
        let mut lines = Vec::new();
        self.store.maps.for_each(state.regs(), &mut |slot, value| {
            let (var, depth) = self.store.slot_var(slot);
            let name = Item::Register(var).display(program);
            let up = if depth > 0 { format!("@{depth}") } else { String::new() };
            let value = match (self.store.value(value), program.register(var)) {
                (Some(KnownValue::Bits(bits)), Some(ty)) if ty.is_signed() => {
                    format!("{}", semantics::scalar::sign_extend(bits, ty.bits(program.model)) as i128)
                }
                (value, _) => text(value),
            };
            lines.push(format!("{name}{up} = {value}"));
        });
        self.store.maps.for_each(state.mem(), &mut |object, content| {
            let origin = self.store.object_info(StoredObjectId(object)).origin;
            self.store.maps.for_each(content, &mut |key, chunk| {
                lines.push(match key {
                    0 => format!("{} = all {}", Item::Whole(origin).display(program), chunk - 1),
                    _ => {
                        let value = self.store.value(self.store.chunks[chunk as usize].value);
                        format!("{} = {}", Item::Cell(origin, u64::from(key) - 1).display(program), text(value))
                    }
                });
            });
        });
        lines.sort();
        lines
    }
}

/// Appends offset and size of every scalar of a type; `false` if there are too many or one is not plain.
fn collect_scalars(program: &Program, ty: TypeId, offset: u64, found: &mut Vec<(u64, u64)>) -> bool {
    if found.len() >= 64 {
        return false;
    }
    let types = &program.types;
    let ty = types.unqualified(ty);
    if let Some(scalar) = types.scalar(ty) {
        found.push((offset, scalar.bytes(program.model)));
        return true;
    }
    match types.get(ty) {
        Type::Array(element, length) => {
            let Some(size) = types.size(*element) else { return false };
            *length <= 64 && (0..*length).all(|at| collect_scalars(program, *element, offset + at * size, found))
        }
        Type::Record(id) => {
            let record = &types.records[*id];
            let Some(fields) = &record.fields else { return false };
            !record.is_union
                && fields.iter().all(|field| {
                    field.bit_width.is_none()
                        && collect_scalars(program, field.ty, offset + field.bit_offset / 8, found)
                })
        }
        Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) | Type::Complex(_) | Type::Pointer(_) => false,
        Type::OpenArray(_) | Type::VariableArray(..) | Type::Function { .. } => false,
        Type::Enum(_) | Type::Const(_) | Type::Bits { .. } => false,
    }
}

impl Cpa for ValueAnalysis<'_> {
    type State = State;
    type Precision = Precision;
    const MERGES: bool = false;

    fn initial(&mut self) -> State {
        State::default()
    }

    fn post(&mut self, from: &State, step: &Step, precision: &Precision, next: &mut Vec<State>) -> Result<(), Stop> {
        if step.kind == Move::Over && !self.calls.summarisable(self.callee(step.edge)) {
            return Err(Stop::Evidence("a call was stepped over that may lead to an error".to_owned()));
        }
        next.extend(self.successor(*from, step, precision.view(step.to.node), Names::Canonical));
        Ok(())
    }

    fn adjust(&mut self, state: State, at: Place, precision: &mut Precision) -> Result<Option<State>, Stop> {
        let mut state = state;
        if let Scoping::Local(_) = precision.scoping {
            state = self.restrict_to(state, precision.view(at.node));
        }
        if let Some(limit) = self.options.threshold
            && self.filed >= self.options.patience
            && self.store.program.nodes[at.node].loop_head
        {
            state = self.count_values(state, at, limit, precision);
        }
        if state.mem() != EMPTY {
            self.collect(&mut state);
        }
        Ok(Some(state))
    }

    fn covers(&mut self, old: &State, new: &State) -> Result<bool, Stop> {
        Ok(self.store.covers(*old, *new))
    }
}

impl StepsOver for ValueAnalysis<'_> {
    fn steps_over(&mut self, call: EdgeId, precision: &Precision) -> bool {
        let Some(entered) = &precision.entered else { return false };
        let edge = &self.store.program.edges[call];
        let callee = self.callee(call);
        self.calls.summarisable(callee)
            && !entered.contains(&callee)
            && !edge.op.variable().is_some_and(|result| precision.view(edge.to).register(result))
    }

    fn is_depth_free(&self, state: &State, entry: &Step) -> bool {
        if entry.kind != Move::Enter {
            return false;
        }
        let program = self.store.program;
        let callee = self.callee(entry.edge);
        let related =
            |function: Option<FunctionId>| function.is_some_and(|other| self.calls.call_each_other(callee, other));
        let mut free = true;
        self.store.maps.for_each(state.regs(), &mut |slot, _| {
            let (var, depth) = self.store.slot_var(slot);
            let own = program.functions[callee].params.contains(&var) && depth == entry.to_depth;
            free &= own || !related(program.vars[var].function);
        });
        let mut object = |object: StoredObjectId| {
            let info = self.store.object_info(object);
            free &= !info.local || !related(owner(program, info.origin));
        };
        self.store.maps.for_each(state.mem(), &mut |id, _| object(StoredObjectId(id)));
        self.for_each_value(*state, &mut |value| {
            if let KnownValue::Pointer(id, _) = value {
                object(id);
            }
        });
        free
    }
}

impl Filing for ValueAnalysis<'_> {
    fn key(&self, state: &State) -> u64 {
        state.number()
    }

    /// Of both maps the one that came into being last tells most.
    fn number(&self, key: u64) -> Option<u32> {
        let newest = ((key >> 32) as u32).max(key as u32);
        (newest != EMPTY).then_some(newest / NUMBERED)
    }

    fn covering_keys(&mut self, state: &State, at: Place, keys: &mut Vec<u64>) {
        keys.push(self.key(state));
        let Some(shapes) = self.shapes.get(&at) else { return };
        for shape in shapes.iter().rev().take(SHAPES) {
            if !self.store.same_shape(*state, *shape)
                && let Some(part) = self.store.project(*state, *shape)
            {
                keys.push(self.key(&part));
            }
        }
    }
}

impl Watches for ValueAnalysis<'_> {
    fn filed(&mut self, state: &State, at: Place) {
        self.filed += 1;
        let shapes = self.shapes.entry(at).or_default();
        let known = shapes.iter().rev().take(SHAPES).any(|shape| self.store.same_shape(*state, *shape));
        if !known {
            shapes.push(*state);
        }
    }

    fn cleared(&mut self) {
        self.shapes.clear();
        self.seen.clear();
        self.seen_in_memory.clear();
        self.filed = 0;
    }
}

impl Tells for ValueAnalysis<'_> {
    fn lines(&mut self, state: &State, _: Node) -> Vec<String> {
        self.describe(*state)
    }

    fn answer(&mut self, state: &State, at: &Step, query: Query) -> Option<QueryAnswer> {
        let Self { store, large, .. } = &*self;
        let scope = Scope { store, state: *state, depth: at.to_depth, large };
        match query {
            Query::Value(expr) => match scope.eval(expr)? {
                KnownValue::Bits(bits) => Some(QueryAnswer::Bits(bits)),
                KnownValue::Pointer(..) | KnownValue::Function(_) | KnownValue::Sign(_) => None,
            },
            Query::Holds(expr) => scope.truth(expr).map(QueryAnswer::Truth),
        }
    }
}

analysis::without! { ValueAnalysis<'_>: Settles, ForcesCover }
