//! The heap objects of an execution: how large they were, where they were allocated and where they were freed, and what new
//! ones held.

use base::{Cancel, IdVec, Span};
use cfa::{
    Allocation, Edge, ExprId, FunctionId, FunctionKind, NodeInfo, Op, Program, Scalar, Storage, VarId, VarKind,
    Variable,
};
use semantics::history::{DrawnByte, EdgeEffect};
use semantics::replay::observe;
use std::collections::BTreeMap;
use verdict::Counterexample;

/// A heap object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocated {
    /// Its address.
    pub base: u64,
    /// Its bytes.
    pub size: u64,
    /// Where it was allocated.
    pub span: Span,
    /// Where it was freed, if it was.
    pub freed: Option<Span>,
}

/// A byte that new memory held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoundByte {
    /// Which call of `malloc` in the program made the object, from 0.
    pub call: usize,
    /// From the object's first byte.
    pub offset: u64,
    /// What it held.
    pub value: u8,
}

/// What a new register of a function keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kept {
    Size,
    Base,
    /// The address that a call of `malloc` in the program gave.
    Fresh,
    Freed,
}

/// The heap objects of an execution, each with the step that made it and whether that was a `malloc` of the program.
struct Watched {
    objects: Vec<(Allocated, u32, bool)>,
    drawn: Vec<DrawnByte>,
}

/// The heap objects in the order in which they were allocated.
pub fn heap(program: &Program, counterexample: &Counterexample, cancel: &Cancel) -> Vec<Allocated> {
    watched(program, counterexample, cancel).objects.into_iter().map(|(object, ..)| object).collect()
}

/// What the execution read from memory that `malloc` had just made, where that was not zero.
pub fn found_bytes(program: &Program, counterexample: &Counterexample, cancel: &Cancel) -> Vec<FoundByte> {
    let values: BTreeMap<(u32, u64), u8> =
        counterexample.bytes.iter().map(|byte| ((byte.object, byte.offset), byte.value)).collect();
    if values.values().all(|&value| value == 0) {
        return Vec::new();
    }
    let Watched { objects, drawn } = watched(program, counterexample, cancel);
    let found = drawn.iter().filter_map(|byte| {
        let value = values.get(&(byte.birth, byte.offset)).copied().filter(|&value| value != 0)?;
        // Memory that was freed comes again.
        let mut before = objects.iter().enumerate().filter(|(_, (_, step, _))| *step < byte.taken);
        let base = byte.address.checked_sub(byte.offset)?;
        let (at, (.., fresh)) = before.rfind(|(_, (object, ..))| object.base == base)?;
        let call = objects[..at].iter().filter(|(.., fresh)| *fresh).count();
        fresh.then_some(FoundByte { call, offset: byte.offset, value })
    });
    found.collect()
}

/// Repeats the execution on a program that assigns sizes and addresses to registers of its own.
fn watched(program: &Program, counterexample: &Counterexample, cancel: &Cancel) -> Watched {
    let mut watch = Watch { program: program.clone(), registers: BTreeMap::new() };
    let mut edges: Vec<Edge> = std::mem::take(&mut watch.program.edges).into_iter().collect();
    for at in 0..edges.len() {
        match edges[at].op {
            Op::Allocate { result, size, how } if how != Allocation::Stack => {
                watch.before(&mut edges, at, Kept::Size, size);
                if let Allocation::Resize(old) = how {
                    watch.before(&mut edges, at, Kept::Freed, old);
                }
                let function = watch.program.nodes[edges[at].to].function;
                let is_own = watch.program.functions[function].kind == FunctionKind::Defined;
                let kept = if how == Allocation::Heap && is_own { Kept::Fresh } else { Kept::Base };
                watch.after(&mut edges, at, kept, result);
            }
            Op::Free(pointer) => watch.before(&mut edges, at, Kept::Freed, pointer),
            _ => {}
        }
    }
    let Watch { program: mut watched, registers } = watch;
    let kept: BTreeMap<VarId, Kept> = registers.into_iter().map(|((_, kept), var)| (var, kept)).collect();
    watched.edges = IdVec::from(edges);
    watched.index();
    let run = observe(&watched, &counterexample.replay_choices(), cancel);
    let mut objects: Vec<(Allocated, u32, bool)> = Vec::new();
    let mut size = 0;
    for noticed in &run.history.facts {
        let (EdgeEffect::Value { bits, .. }, Edge { op: Op::Assign(var, _), span, .. }) =
            (&noticed.fact, &watched.edges[noticed.edge])
        else {
            continue;
        };
        let bits = *bits as u64;
        match kept.get(var) {
            Some(Kept::Size) => size = bits,
            Some(kept @ (Kept::Base | Kept::Fresh)) => {
                let object = Allocated { base: bits, size, span: *span, freed: None };
                objects.push((object, noticed.step, *kept == Kept::Fresh));
            }
            Some(Kept::Freed) => {
                let mut all = objects.iter_mut().rev().map(|(object, ..)| object);
                let freed = all.find(|object| object.base == bits && object.freed.is_none());
                freed.into_iter().for_each(|object| object.freed = Some(*span));
            }
            None => {}
        }
    }
    Watched { objects, drawn: run.history.bytes }
}

struct Watch {
    program: Program,
    registers: BTreeMap<(FunctionId, Kept), VarId>,
}

impl Watch {
    fn register(&mut self, function: FunctionId, kept: Kept, ty: Scalar, span: Span) -> VarId {
        if let Some(&var) = self.registers.get(&(function, kept)) {
            return var;
        }
        let var = self.program.vars.push(Variable {
            name: self.program.names.intern(&format!("${kept:?}")),
            function: Some(function),
            kind: VarKind::Temporary,
            ty: self.program.types.intern(cfa::types::Type::Void),
            storage: Storage::Register(ty),
            init: Box::default(),
            span,
        });
        self.program.functions[function].locals.push(var);
        self.registers.insert((function, kept), var);
        var
    }

    fn before(&mut self, edges: &mut Vec<Edge>, at: usize, kept: Kept, value: ExprId) {
        let Edge { from, span, .. } = edges[at];
        let function = self.program.nodes[from].function;
        let var = self.register(function, kept, self.program.exprs.ty(value), span);
        let middle = self.program.nodes.push(NodeInfo { function, loop_head: false });
        edges.push(Edge { from, to: middle, op: Op::Assign(var, value), span });
        edges[at].from = middle;
    }

    fn after(&mut self, edges: &mut Vec<Edge>, at: usize, kept: Kept, result: VarId) {
        let Edge { to, span, .. } = edges[at];
        let function = self.program.nodes[to].function;
        let var = self.register(function, kept, Scalar::Ptr, span);
        let value = self.program.exprs.var(result, Scalar::Ptr);
        let middle = self.program.nodes.push(NodeInfo { function, loop_head: false });
        edges.push(Edge { from: middle, to, op: Op::Assign(var, value), span });
        edges[at].to = middle;
    }
}
