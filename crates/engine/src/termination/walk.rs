//! One iteration of a loop, or one way from a function's entry to a call of it, as a formula. Inner loops are summarised:
//! what an iteration of them may change becomes arbitrary at their head, and what is known to hold there holds. Calls are
//! followed into their functions; what a recursive call may change becomes arbitrary.
//!
//! Nodes are visited in weak topological order [Bou93], so that paths are merged where they meet.

use base::Cancel;
use cfa::{EdgeId, Expr, ExprId, FunctionId, Node, Op, Program};
use encode::{Addressing, Encoder, MemoryModel, Outliving, PathFormula, unsupported};
use flow::{CallGraph, LoopId, Loops};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use verdict::Stop;

/// What is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// From the head of the loop to its head.
    Loop(LoopId),
    /// From the entry of a function to its exit.
    Function(FunctionId),
}

/// More edges than this are not put into one formula.
const MOST_STEPS: u64 = 40_000;

/// Follows pieces of a program.
pub struct Walker<'a, 'p> {
    program: &'p Program,
    loops: &'a Loops,
    calls: &'a CallGraph,
    /// Truth values, among the encoder's expressions, that hold whenever an execution is at the node.
    facts: BTreeMap<Node, Vec<ExprId>>,
    pub encoder: Encoder<'p>,
    /// What an iteration changes; `None` if there is never a second one.
    iterations: FxHashMap<LoopId, Option<PathFormula>>,
    /// What calls of a recursive function change, other activations aside.
    effects: FxHashMap<FunctionId, Option<PathFormula>>,
    instances: u32,
    steps: u64,
    /// The recursive calls on the way, and the paths there; `None` if nobody asks.
    recursive: Option<Vec<(EdgeId, PathFormula)>>,
    /// Whether recursive calls change nothing, for the time that effects are found out.
    shallow: bool,
    cancel: &'a Cancel,
}

type Walked = Result<Option<PathFormula>, Stop>;

impl<'a, 'p> Walker<'a, 'p> {
    pub fn new(
        program: &'p Program,
        (loops, calls): (&'a Loops, &'a CallGraph),
        model: &Arc<MemoryModel>,
        cancel: &'a Cancel,
    ) -> Self {
        Walker {
            program,
            loops,
            calls,
            facts: BTreeMap::new(),
            encoder: Encoder::new(program, model.clone(), Addressing::Fixed),
            iterations: FxHashMap::default(),
            effects: FxHashMap::default(),
            instances: 1,
            steps: 0,
            recursive: None,
            shallow: false,
            cancel,
        }
    }

    /// Takes a fact for granted.
    pub fn learn(&mut self, node: Node, fact: ExprId) {
        if self.encoder.exprs.constant(fact) != Some(1) {
            self.facts.entry(node).or_default().push(fact);
        }
    }

    /// Where an iteration of a loop begins, and where the next one does; `None` if there is no next one.
    pub fn iteration(&mut self, id: LoopId) -> Result<Option<(PathFormula, PathFormula)>, Stop> {
        self.steps = 0;
        let Some(start) = self.begin(self.loops.loops[id].head) else { return Ok(None) };
        let next = self.walk(Piece::Loop(id), start.clone())?;
        Ok(next.map(|next| (start, next)))
    }

    /// The entry of a function, and every recursive call that it makes, at the entry of the callee, one level deeper.
    pub fn calls_of(&mut self, function: FunctionId) -> Result<(PathFormula, Vec<(FunctionId, PathFormula)>), Stop> {
        self.steps = 0;
        let entry = self.program.functions[function].entry;
        let Some(start) = self.begin(entry) else { return Ok((PathFormula::start(1), Vec::new())) };
        self.recursive = Some(Vec::new());
        let walked = self.walk(Piece::Function(function), start.clone());
        let found = self.recursive.take().unwrap_or_default();
        walked?;
        let mut calls = Vec::new();
        for (edge, path) in found {
            let Op::Call { function, .. } = self.program.edges[edge].op else { unreachable!("only calls are noted") };
            let inside = self.encoder.enter(path, edge, 0, 1);
            calls.push((function, inside));
        }
        Ok((start, calls))
    }

    fn begin(&mut self, node: Node) -> Option<PathFormula> {
        let start = PathFormula::start(self.instances);
        self.instances += 1;
        self.granted(node, start)
    }

    /// `path` with what is known of a node.
    fn granted(&mut self, node: Node, mut path: PathFormula) -> Option<PathFormula> {
        for fact in self.facts.get(&node).cloned().unwrap_or_default() {
            path = self.encoder.assume_fact(path, fact)?;
        }
        Some(path)
    }

    fn walk(&mut self, piece: Piece, start: PathFormula) -> Walked {
        let (loops, program) = (self.loops, self.program);
        let first = match piece {
            Piece::Loop(id) => loops.loops[id].head,
            Piece::Function(id) => program.functions[id].entry,
        };
        let mut waiting = BTreeMap::from([(loops.position(first), (first, vec![start]))]);
        let mut ends: Vec<PathFormula> = Vec::new();
        while let Some((_, (node, paths))) = waiting.pop_first() {
            let mut path = self.merged(paths);
            if piece == Piece::Function(program.nodes[node].function)
                && node == program.functions[program.nodes[node].function].exit
            {
                ends.push(path);
                continue;
            }
            if let Some(inner) = loops.headed_by(node).filter(|&inner| piece != Piece::Loop(inner)) {
                let Some(summary) = self.summarised(inner, path)? else { continue };
                path = summary;
            }
            for edge in program.leaving(node) {
                let to = program.edges[edge].to;
                let inner = loops.headed_by(to).filter(|&inner| loops.contains(inner, node));
                let again = piece == inner.map_or(piece, Piece::Loop) && inner.is_some();
                let leaves = matches!(piece, Piece::Loop(id) if !loops.contains(id, to));
                // What comes behind another iteration of an inner loop is covered by what its head stands for.
                if leaves || inner.is_some() && !again {
                    continue;
                }
                let Some(next) = self.step(edge, path.clone())? else { continue };
                if again {
                    ends.push(next);
                } else {
                    waiting.entry(loops.position(to)).or_insert((to, Vec::new())).1.push(next);
                }
            }
        }
        Ok((!ends.is_empty()).then(|| self.merged(ends)))
    }

    fn merged(&mut self, mut paths: Vec<PathFormula>) -> PathFormula {
        let mut all = paths.pop().expect("a node that waits is reached");
        while let Some(path) = paths.pop() {
            all = self.encoder.merge(&path, &all);
        }
        all
    }

    fn step(&mut self, edge: EdgeId, path: PathFormula) -> Walked {
        self.cancel.check()?;
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Stop::Bound("its body is too large for one formula".to_owned()));
        }
        let op = &self.program.edges[edge].op;
        match op {
            Op::Call { function, .. } => self.call(edge, *function, path),
            Op::CallPointer { .. } | Op::Unsupported(_) => Err(unsupported(self.program, edge)),
            _ => {
                let Some(path) = self.valid(edge, path) else { return Ok(None) };
                Ok(self.encoder.step(path, edge, 0))
            }
        }
    }

    /// The accesses on an edge are valid, which is among the assumptions of every proof of a program with pointers.
    fn valid(&mut self, edge: EdgeId, mut path: PathFormula) -> Option<PathFormula> {
        let program = self.program;
        let op = &program.edges[edge].op;
        let mut accesses: Vec<(ExprId, u64)> = Vec::new();
        for operand in op.operands() {
            program.exprs.visit(operand, |id, node| {
                if let Expr::Load(pointer) = node {
                    accesses.push((pointer, program.exprs.ty(id).bytes(program.model)));
                }
            });
        }
        if let Op::Store { to, value } = op {
            accesses.push((*to, program.exprs.ty(*value).bytes(program.model)));
        }
        for (pointer, bytes) in accesses {
            let mut fixed = false;
            program.exprs.visit(pointer, |_, node| fixed |= matches!(node, Expr::Addr(_)));
            if !fixed {
                path = self.encoder.assume_valid(path, pointer, bytes, 0)?;
            }
        }
        Some(path)
    }

    fn call(&mut self, edge: EdgeId, function: FunctionId, mut path: PathFormula) -> Walked {
        if !self.calls.is_recursive(function) {
            let inside = self.encoder.enter(path, edge, 0, 0);
            let exit = self.walk(Piece::Function(function), inside)?;
            return Ok(exit.map(|exit| self.encoder.leave(exit, edge, 0, 0)));
        }
        if let Some(found) = &mut self.recursive {
            found.push((edge, path.clone()));
        }
        if !self.shallow {
            for member in self.component(function) {
                if let Some(effect) = self.effect(member)? {
                    self.encoder.forget_changes(&mut path, &effect, Outliving::Call);
                }
            }
        }
        if let Op::Call { result: Some(result), .. } = self.program.edges[edge].op {
            self.encoder.forget_register(&mut path, result, 0);
        }
        Ok(Some(path))
    }

    /// The functions that call each other and this one.
    pub fn component(&self, function: FunctionId) -> Vec<FunctionId> {
        let group = self.calls.bottom_up().find(|group| group.contains(&function.0)).unwrap_or_default();
        group.iter().map(|&member| FunctionId(member)).collect()
    }

    fn effect(&mut self, function: FunctionId) -> Walked {
        if let Some(known) = self.effects.get(&function) {
            return Ok(known.clone());
        }
        let start = PathFormula::start(self.instances);
        self.instances += 1;
        let (shallow, recursive) = (std::mem::replace(&mut self.shallow, true), self.recursive.take());
        let walked = self.walk(Piece::Function(function), start);
        (self.shallow, self.recursive) = (shallow, recursive);
        let effect = walked?;
        self.effects.insert(function, effect.clone());
        Ok(effect)
    }

    /// `path` behind any number of iterations of a loop.
    fn summarised(&mut self, id: LoopId, mut path: PathFormula) -> Walked {
        if self.loops.is_irreducible(self.program, id) {
            return Err(Stop::Bound("it contains a loop with several entries".to_owned()));
        }
        let changes = match self.iterations.get(&id) {
            Some(known) => known.clone(),
            None => {
                let start = PathFormula::start(self.instances);
                self.instances += 1;
                let recursive = self.recursive.take();
                let found = self.walk(Piece::Loop(id), start);
                self.recursive = recursive;
                let found = found?;
                // With recursive calls that change nothing, it is not all that an iteration changes.
                if !self.shallow {
                    self.iterations.insert(id, found.clone());
                }
                found
            }
        };
        if let Some(changes) = &changes {
            self.encoder.forget_changes(&mut path, changes, Outliving::Body);
        }
        Ok(self.granted(self.loops.loops[id].head, path))
    }
}
