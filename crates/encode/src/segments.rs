//! From loop heads to loop heads: the acyclic segments of a program between its cut points, explored layer by layer from
//! arbitrary states. The step case of k-induction and the checks of invariants are made of them.
//!
//! Where a segment starts, nothing is known of the calls that led there: a function whose caller is not known returns to
//! all its callers. For programs without recursion only.

use crate::guard::Guard;
use crate::path::PathFormula;
use crate::{Addressing, Encoder};
use base::{Cancel, Stopped};
use cfa::{EdgeId, FunctionId, Node, Op, Program};
use flow::{CallGraph, Loop, Loops};
use smt::{Sort, TermId};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Which calls are known to be running: those above a function whose caller is not known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Context {
    /// Callees have smaller numbers than their callers.
    rank: u32,
    bottom: FunctionId,
    calls: Vec<EdgeId>,
}

/// Paths at loop heads; one path per context and head.
pub type Layer = BTreeMap<(Context, Node), PathFormula>;

/// Where executions go from a layer.
#[derive(Debug, Default)]
pub struct Successors {
    /// The loop heads that are reached next.
    pub heads: Layer,
    /// The targets that are reached before: index into the program's targets.
    pub targets: Vec<(usize, Guard)>,
    /// C that is not modelled.
    pub unsupported: Vec<(EdgeId, Guard)>,
}

/// The order of exploration: deeper calls first, then callees before callers, then weak topological order.
type Key = (Reverse<usize>, Context, u32);

/// Explores segments of one program.
pub struct Segments<'a> {
    program: &'a Program,
    loops: &'a Loops,
    calls: &'a CallGraph,
    ranks: Vec<u32>,
}

impl<'a> Segments<'a> {
    /// For a program without reachable recursion.
    pub fn new(program: &'a Program, loops: &'a Loops, calls: &'a CallGraph) -> Self {
        let mut ranks = vec![0; program.functions.len()];
        for (rank, component) in calls.bottom_up().enumerate() {
            for &function in component {
                ranks[function as usize] = rank as u32;
            }
        }
        Segments { program, loops, calls, ranks }
    }

    fn context(&self, bottom: FunctionId) -> Context {
        Context { rank: self.ranks[base::Id::index(bottom)], bottom, calls: Vec::new() }
    }

    /// The start of the program.
    pub fn initial(&self, encoder: &mut Encoder) -> Layer {
        let entry = self.program.entry;
        let path = encoder.initial();
        Layer::from([((self.context(entry), self.program.functions[entry].entry), path)])
    }

    /// All loop heads that may be reached, which ones is a choice; every state is possible there.
    pub fn anywhere(&self, encoder: &mut Encoder, instance: u32) -> Layer {
        assert_eq!(encoder.addressing, Addressing::Fixed, "segments start anywhere");
        let heads = self.loops.loops.iter().filter(|(_, one)| self.calls.is_reachable(one.function));
        let heads: Vec<(FunctionId, Node)> = heads.map(|(_, one)| (one.function, one.head)).collect();
        let chosen = encoder.terms.fresh_var("?start", Sort::BitVec(32));
        let mut layer = Layer::new();
        for (at, (function, head)) in heads.iter().enumerate() {
            let number = encoder.terms.bv_u64(32, at as u64);
            let here = encoder.terms.eq(chosen, number);
            let path = encoder.assume(PathFormula::start(instance), here).expect("a choice is possible");
            layer.insert((self.context(*function), *head), path);
        }
        layer
    }

    /// Each loop head that may be reached by itself, where every state is possible. Each is an instance of its own.
    pub fn each(&self, encoder: &Encoder) -> Vec<Layer> {
        assert_eq!(encoder.addressing, Addressing::Fixed, "segments start anywhere");
        let heads = self.loops.loops.iter().filter(|(_, one)| self.calls.is_reachable(one.function));
        let start = |(instance, one): (u32, &Loop)| {
            Layer::from([((self.context(one.function), one.head), PathFormula::start(instance))])
        };
        (1..).zip(heads.map(|(_, one)| one)).map(start).collect()
    }

    /// Follows all paths from `layer` to the next loop heads.
    pub fn run(&self, encoder: &mut Encoder, layer: Layer, cancel: &Cancel) -> Result<Successors, Stopped> {
        let mut run = Run { segments: self, waiting: BTreeMap::new(), out: Successors::default() };
        for ((context, node), path) in layer {
            run.waiting.insert(run.key(context, node), (node, path));
        }
        while let Some(((_, context, _), (node, path))) = run.waiting.pop_first() {
            cancel.check()?;
            run.visit(encoder, &context, node, path);
        }
        Ok(run.out)
    }
}

struct Run<'s, 'a> {
    segments: &'s Segments<'a>,
    waiting: BTreeMap<Key, (Node, PathFormula)>,
    out: Successors,
}

impl Run<'_, '_> {
    fn key(&self, context: Context, node: Node) -> Key {
        (Reverse(context.calls.len()), context, self.segments.loops.position(node))
    }

    fn visit(&mut self, encoder: &mut Encoder, context: &Context, node: Node, path: PathFormula) {
        let program = self.segments.program;
        if let Some(target) = program.targets.iter().position(|target| target.node == node) {
            self.out.targets.push((target, path.guard));
            return;
        }
        let function = program.nodes[node].function;
        if node == program.functions[function].exit {
            self.leave(encoder, context, function, path);
            return;
        }
        for edge in program.leaving(node) {
            match &program.edges[edge].op {
                Op::Call { function, .. } => {
                    let inside = encoder.enter(path.clone(), edge, 0, 0);
                    let mut context = context.clone();
                    context.calls.push(edge);
                    self.arrive(encoder, context, program.functions[*function].entry, inside);
                }
                Op::CallPointer { .. } | Op::Unsupported(_) => self.out.unsupported.push((edge, path.guard)),
                _ => {
                    if let Some(next) = encoder.step(path.clone(), edge, 0) {
                        self.arrive(encoder, context.clone(), program.edges[edge].to, next);
                    }
                }
            }
        }
    }

    /// Back to the caller; to one of all callers where it is not known.
    fn leave(&mut self, encoder: &mut Encoder, context: &Context, function: FunctionId, path: PathFormula) {
        let (program, calls) = (self.segments.program, self.segments.calls);
        let mut caller = context.clone();
        if let Some(call) = caller.calls.pop() {
            let path = encoder.leave(path, call, 0, 0);
            return self.arrive(encoder, caller, program.edges[call].to, path);
        }
        let callers: Vec<(EdgeId, FunctionId)> =
            calls.callers(function).iter().copied().filter(|(_, caller)| calls.is_reachable(*caller)).collect();
        let callers: Vec<(EdgeId, FunctionId)> =
            callers.into_iter().filter(|(edge, _)| matches!(program.edges[*edge].op, Op::Call { .. })).collect();
        let chosen = encoder.terms.fresh_var("?caller", Sort::BitVec(32));
        for (at, (call, caller)) in callers.iter().enumerate() {
            let condition: TermId = if callers.len() == 1 {
                encoder.terms.truth()
            } else {
                let number = encoder.terms.bv_u64(32, at as u64);
                encoder.terms.eq(chosen, number)
            };
            let Some(back) = encoder.assume(path.clone(), condition) else { continue };
            let back = encoder.leave(back, *call, 0, 0);
            self.arrive(encoder, self.segments.context(*caller), program.edges[*call].to, back);
        }
    }

    fn arrive(&mut self, encoder: &mut Encoder, context: Context, node: Node, path: PathFormula) {
        if self.segments.loops.headed_by(node).is_some() {
            match self.out.heads.entry((context, node)) {
                Entry::Vacant(entry) => {
                    entry.insert(path);
                }
                Entry::Occupied(mut entry) => {
                    let merged = encoder.merge(entry.get(), &path);
                    entry.insert(merged);
                }
            }
            return;
        }
        match self.waiting.entry(self.key(context, node)) {
            Entry::Vacant(entry) => {
                entry.insert((node, path));
            }
            Entry::Occupied(mut entry) => {
                let merged = encoder.merge(&entry.get().1, &path);
                entry.get_mut().1 = merged;
            }
        }
    }
}
