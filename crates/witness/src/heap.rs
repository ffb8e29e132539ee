//! The heap objects of an execution: how large they were, where they were allocated and where they were freed.

use base::{Cancel, IdVec, Span};
use cfa::{Allocation, Edge, ExprId, FunctionId, NodeInfo, Op, Program, Scalar, Storage, VarId, VarKind, Variable};
use semantics::history::EdgeEffect;
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

/// What a new register of a function keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kept {
    Size,
    Base,
    Freed,
}

/// The heap objects in the order in which they were allocated. The execution is repeated on a program that assigns sizes and
/// addresses to registers of its own.
pub fn heap(program: &Program, counterexample: &Counterexample, cancel: &Cancel) -> Vec<Allocated> {
    let mut watch = Watch { program: program.clone(), registers: BTreeMap::new() };
    let mut edges: Vec<Edge> = std::mem::take(&mut watch.program.edges).into_iter().collect();
    for at in 0..edges.len() {
        match edges[at].op {
            Op::Allocate { result, size, how } if how != Allocation::Stack => {
                watch.before(&mut edges, at, Kept::Size, size);
                if let Allocation::Resize(old) = how {
                    watch.before(&mut edges, at, Kept::Freed, old);
                }
                watch.after(&mut edges, at, result);
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
    let mut objects: Vec<Allocated> = Vec::new();
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
            Some(Kept::Base) => objects.push(Allocated { base: bits, size, span: *span, freed: None }),
            Some(Kept::Freed) => {
                let freed = objects.iter_mut().rev().find(|object| object.base == bits && object.freed.is_none());
                freed.into_iter().for_each(|object| object.freed = Some(*span));
            }
            None => {}
        }
    }
    objects
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

    fn after(&mut self, edges: &mut Vec<Edge>, at: usize, result: VarId) {
        let Edge { to, span, .. } = edges[at];
        let function = self.program.nodes[to].function;
        let var = self.register(function, Kept::Base, Scalar::Ptr, span);
        let value = self.program.exprs.var(result, Scalar::Ptr);
        let middle = self.program.nodes.push(NodeInfo { function, loop_head: false });
        edges.push(Edge { from: middle, to, op: Op::Assign(var, value), span });
        edges[at].to = middle;
    }
}
