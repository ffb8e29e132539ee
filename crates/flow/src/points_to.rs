//! Where pointers may point: an inclusion-based (Andersen [And94]), flow- and context-insensitive analysis of the
//! whole program that tells fields apart by byte offsets [PKH07] and finds the targets of calls through pointers as
//! it goes.
//!
//! Meaning: whenever an execution evaluates a pointer (or an integer that was computed from one) and the result
//! points into an object, the set of the expression has a place of that object with that offset, or is `unknown`
//! and the object escaped or is not the program's. What points nowhere (null, uninitialised, small constants) has
//! no place. Integers carry provenance through arithmetic and memory, as the project's semantics says. Where addresses
//! leave the flow of data (`constraints::exposed`) and pointers are made from integers that may have been put together
//! from what is learned there, such a pointer is `unknown`, and the exposed objects count as escaped.

use crate::call_graph::address_taken_functions;
use base::{Cancel, Id, IdVec, Stopped};
use cfa::{EdgeId, ExprId, FunctionId, Program, VarId};
use constraints::Builder;
use pointee::{BUILT, PointeeTable, UNKNOWN, UNKNOWN_INT};
use rustc_hash::FxHashMap;
use set::Set;
use solver::{GaveUp, Solver};
use std::rc::Rc;

mod constraints;
mod crowd;
mod memory;
mod nodes;
mod pointee;
mod set;
mod solver;

pub use constraints::offset_of;
pub use pointee::{ObjectId, ObjectInfo, ObjectKind, Offset, Pointee};

/// Beyond this much work pointers that lead to many places are not told apart, beyond as much again nothing is.
const LIMIT: u64 = 100_000_000;

/// So many places are many.
const CROWD: usize = 200;

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct PointsTo {
    /// All objects; the first is what lies outside the program.
    pub objects: IdVec<ObjectId, ObjectInfo>,
    places: Vec<Pointee>,
    sets: Vec<Set>,
    /// By expression, which set; `NOTHING` and `NEVER` have none.
    exprs: Vec<u32>,
    variables: FxHashMap<VarId, ObjectId>,
    allocations: FxHashMap<EdgeId, ObjectId>,
    calls: FxHashMap<EdgeId, Callees>,
    reached: IdVec<FunctionId, bool>,
    /// How exact the analysis was.
    pub detail: Detail,
    /// Whether pointers made from integers that were not computed from addresses may reach objects of the program.
    pub exposed: bool,
}

/// The expression holds no pointer.
const NOTHING: u32 = u32::MAX;
/// No reachable operation evaluates the expression.
const NEVER: u32 = u32::MAX - 1;

/// How exact an analysis was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Detail {
    /// Offsets are told apart.
    Fields,
    /// So they are, but pointers that lead to many places lead to the same ones.
    Crowd,
    /// Nothing is told apart: every pointer may point to every object.
    Nothing,
}

/// What a pointer may point to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PointsToSet {
    /// Places in objects of the program, by object.
    pub places: Vec<Pointee>,
    /// Whether it may also point to any object that escaped, or that is not the program's.
    pub unknown: bool,
}

/// What a call through a pointer may call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Callees {
    /// Functions of the program, ascending.
    pub functions: Vec<FunctionId>,
    /// Whether it may also be a function that is not the program's.
    pub unknown: bool,
    /// Whether functions are left out because they are of another type than what is called.
    pub mistyped: bool,
}

impl PointsTo {
    /// Analyses a program, with less detail if it takes too much work.
    pub fn new(program: &Program) -> PointsTo {
        PointsTo::within(program, &Cancel::never()).expect("it is never stopped")
    }

    /// Analyses a program unless it is stopped.
    pub fn within(program: &Program, cancel: &Cancel) -> Result<PointsTo, Stopped> {
        PointsTo::with_limit(program, LIMIT, cancel)
    }

    fn with_limit(program: &Program, limit: u64, cancel: &Cancel) -> Result<PointsTo, Stopped> {
        for crowd in [None, Some(CROWD)] {
            match PointsTo::run(program, crowd, limit, cancel) {
                Ok(found) => return Ok(found),
                Err(GaveUp::TooMuch) => {}
                Err(GaveUp::Stopped(stopped)) => return Err(stopped),
            }
        }
        Ok(PointsTo::nothing(program))
    }

    /// With a crowd, which is for large programs, addresses count as exposed at once.
    fn run(program: &Program, crowd: Option<usize>, limit: u64, cancel: &Cancel) -> Result<PointsTo, GaveUp> {
        let granule = u64::from(program.model.pointer_bits() / 8);
        let solve = |exposed: bool| {
            let mut solver = Solver::new(PointeeTable::new(), granule, limit, exposed);
            if let Some(most) = crowd {
                solver.crowd_beyond(most);
            }
            let mut builder = Builder::new(program, exposed);
            solver.solve(&mut builder, cancel)?;
            Ok((solver, builder))
        };
        let (mut solver, mut builder) = solve(crowd.is_some())?;
        let mut exposed = crowd.is_some();
        if !exposed && exposes(&mut solver, &builder) && builds_pointers(program, &mut solver, &builder) {
            exposed = true;
            (solver, builder) = solve(true)?;
        }
        let detail = if crowd.is_some() { Detail::Crowd } else { Detail::Fields };
        let mut numbers: FxHashMap<Rc<Set>, u32> = FxHashMap::default();
        let mut sets = Vec::new();
        let mut by_node: FxHashMap<u32, u32> = FxHashMap::default();
        let mut exprs = vec![NEVER; program.exprs.len()];
        for (at, value) in builder.exprs.iter().enumerate() {
            let Some(value) = value else { continue };
            exprs[at] = value.map_or(NOTHING, |node| {
                let node = solver.nodes.find(node);
                *by_node.entry(node).or_insert_with(|| {
                    let set = Rc::new(solver.nodes.set(node).clone());
                    *numbers.entry(set).or_insert_with_key(|set| {
                        sets.push((**set).clone());
                        sets.len() as u32 - 1
                    })
                })
            });
        }
        let calls = builder.calls.into_iter().map(|mut call| {
            call.functions.sort_unstable();
            debug_assert!(call.functions.is_sorted_by(|a, b| a < b), "a call lists each function once");
            let mistyped = !call.mistyped.is_empty();
            (call.edge, Callees { functions: call.functions, unknown: call.unknown, mistyped })
        });
        assert!(sets.len() < NEVER as usize, "numbers of sets are not those with a meaning");
        debug_assert!(exprs.iter().all(|&set| set >= NEVER || (set as usize) < sets.len()), "every set is kept");
        Ok(PointsTo {
            objects: solver.places.objects,
            places: solver.places.places,
            sets,
            exprs,
            variables: builder.variables,
            allocations: builder.allocations,
            calls: calls.collect(),
            reached: builder.reached,
            detail,
            exposed,
        })
    }

    /// The answer that is always right: everything escaped, every pointer is unknown.
    fn nothing(program: &Program) -> PointsTo {
        let mut places = PointeeTable::new();
        let mut variables = FxHashMap::default();
        let mut allocations = FxHashMap::default();
        for (id, var) in program.vars.iter() {
            if let cfa::Storage::Memory { size, .. } = var.storage {
                variables.insert(id, places.object(ObjectKind::Variable(id), Some(size)));
            }
        }
        let functions = address_taken_functions(program);
        for &function in &functions {
            places.object(ObjectKind::Function(function), Some(1));
        }
        let callees = Callees { functions, unknown: true, mistyped: false };
        let mut calls = FxHashMap::default();
        for (id, edge) in program.edges.iter() {
            match edge.op {
                cfa::Op::Allocate { .. } => {
                    allocations.insert(id, places.object(ObjectKind::Allocation(id), None));
                }
                cfa::Op::CallPointer { .. } => {
                    calls.insert(id, callees.clone());
                }
                _ => {}
            }
        }
        for (_, object) in places.objects.iter_mut() {
            object.escaped = true;
        }
        let mut unknown = Set::default();
        unknown.insert(UNKNOWN);
        PointsTo {
            objects: places.objects,
            places: places.places,
            sets: vec![unknown],
            exprs: vec![0; program.exprs.len()],
            variables,
            allocations,
            calls,
            reached: IdVec::filled(program.functions.len(), true),
            detail: Detail::Nothing,
            exposed: true,
        }
    }

    fn set(&self, id: ExprId) -> Option<&Set> {
        // Expressions made after the analysis ran are unknown.
        let number = self.exprs.get(id.index()).copied().unwrap_or(NEVER);
        self.sets.get(number as usize)
    }

    /// Whether the analysis knows the expression: some reachable operation of the program as it was evaluates it.
    pub fn knows(&self, id: ExprId) -> bool {
        self.exprs.get(id.index()).is_some_and(|&number| number != NEVER)
    }

    /// Where an expression may point. Of an expression that the analysis does not know: unknown.
    pub fn targets(&self, id: ExprId) -> PointsToSet {
        let mut targets = PointsToSet { places: Vec::new(), unknown: !self.knows(id) };
        for number in self.set(id).into_iter().flat_map(Set::iter) {
            match number {
                UNKNOWN | UNKNOWN_INT => targets.unknown = true,
                BUILT => {}
                number => targets.places.push(self.places[number as usize]),
            }
        }
        targets.places.sort_unstable();
        debug_assert!(targets.places.is_sorted_by(|a, b| a < b), "each place has one number");
        targets
    }

    /// What a `CallPointer` edge may call; nothing if the edge is not reachable.
    pub fn callees(&self, edge: EdgeId) -> Callees {
        self.calls.get(&edge).cloned().unwrap_or_default()
    }

    /// The object of a variable in memory; `None` if its address is never used.
    pub fn variable(&self, var: VarId) -> Option<ObjectId> {
        self.variables.get(&var).copied()
    }

    /// The objects that an `Allocate` edge makes; `None` if it is not reachable.
    pub fn allocation(&self, edge: EdgeId) -> Option<ObjectId> {
        self.allocations.get(&edge).copied()
    }

    /// Whether calls from the program's start reach a function, also through pointers.
    pub fn is_reachable(&self, function: FunctionId) -> bool {
        self.reached[function]
    }

    /// Whether accesses through two pointers, of so many bytes each, may touch a byte in common.
    pub fn may_alias(&self, a: ExprId, width_a: u64, b: ExprId, width_b: u64) -> bool {
        assert!(width_a > 0 && width_b > 0, "accesses have bytes");
        let (a, b) = (self.targets(a), self.targets(b));
        let outside = |t: &PointsToSet| t.unknown || t.places.iter().any(|place| self.objects[place.object].escaped);
        if (a.unknown && outside(&b)) || (b.unknown && outside(&a)) {
            return true;
        }
        let meets = |x: &Pointee, y: &Pointee| x.object == y.object && x.offset.overlaps(width_a, y.offset, width_b);
        a.places.iter().any(|x| b.places.iter().any(|y| meets(x, y)))
    }

    /// An object's name for people: the variable, `malloc@n3`, `&f`.
    pub fn object_text(&self, program: &Program, id: ObjectId) -> String {
        match self.objects[id].kind {
            ObjectKind::Unknown => "unknown".to_owned(),
            ObjectKind::Variable(var) => program.unique_var_name(var),
            ObjectKind::Allocation(edge) => format!("malloc@{}", program.edges[edge].from),
            ObjectKind::Function(function) => format!("&{}", program.function_name(function)),
        }
    }

    /// `{a, s+8, v+4%12, unknown}`: `%` before the stride, `+*` for any offset.
    pub fn targets_text(&self, program: &Program, id: ExprId) -> String {
        let targets = self.targets(id);
        let mut texts: Vec<String> = targets
            .places
            .iter()
            .map(|place| {
                let name = self.object_text(program, place.object);
                match place.offset {
                    Offset { start: 0, stride: 0 } => name,
                    Offset::ANY => format!("{name}+*"),
                    Offset { start, stride: 0 } => format!("{name}{start:+}"),
                    Offset { start, stride } => format!("{name}{start:+}%{stride}"),
                }
            })
            .collect();
        if targets.unknown {
            texts.push("unknown".to_owned());
        }
        format!("{{{}}}", texts.join(", "))
    }
}

/// Whether the address of some object leaves the flow of data.
fn exposes(solver: &mut Solver, builder: &Builder<'_>) -> bool {
    let is_place = |number: u32| !matches!(number, UNKNOWN | UNKNOWN_INT | BUILT);
    builder.exposing.iter().any(|&node| solver.nodes.set(node).iter().any(is_place))
}

/// Whether some pointer was an integer that may have been put together from parts.
fn builds_pointers(program: &Program, solver: &mut Solver, builder: &Builder<'_>) -> bool {
    builder.exprs.iter().enumerate().any(|(at, value)| match value {
        Some(Some(node)) if program.exprs.ty(ExprId::new(at)) == cfa::Scalar::Ptr => {
            solver.nodes.set(*node).iter().any(|number| number == BUILT)
        }
        Some(_) | None => false,
    })
}

#[cfg(test)]
mod tests;
