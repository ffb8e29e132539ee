//! One iteration of a loop, or one way from a function's entry to a call of it, as a formula. Inner loops are summarised:
//! what an iteration of them may change becomes arbitrary at their head, and what is known to hold there holds. Calls are
//! followed into their functions; what a recursive call may change becomes arbitrary.
//!
//! Nodes are visited in weak topological order [Bou93], so that paths are merged where they meet.

use super::monotone::{self, Directions};
use base::Cancel;
use cfa::{EdgeId, Expr, ExprId, FunctionId, Node, Op, Program};
use encode::{Addressing, Changes, Encoder, MemoryModel, Outliving, PathFormula, unsupported};
use flow::{CallGraph, LoopId, Loops};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
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
    /// What an iteration changes.
    iterations: FxHashMap<LoopId, Changes>,
    /// What calls of functions that call each other change, by the first of them.
    effects: FxHashMap<FunctionId, Changes>,
    /// Functions with loops that are entered elsewhere than at their heads.
    irreducible: BTreeSet<FunctionId>,
    instances: u32,
    steps: u64,
    /// The recursive calls on the way, and the paths there; `None` if they are not needed.
    recursive: Option<Vec<(EdgeId, PathFormula)>>,
    /// What iterations of loops do to variables.
    directions: &'a Directions,
    /// Recursive functions that are followed as if they were not, since each circle of calls passes another one.
    pub followed: BTreeSet<FunctionId>,
    /// How many effects are being found out: what is known of them grows.
    unsettled: u32,
    cancel: &'a Cancel,
}

type Walked = Result<Option<PathFormula>, Stop>;

impl<'a, 'p> Walker<'a, 'p> {
    pub fn new(
        program: &'p Program,
        (loops, calls): (&'a Loops, &'a CallGraph),
        (model, directions): (&Arc<MemoryModel>, &'a Directions),
        cancel: &'a Cancel,
    ) -> Self {
        let several = loops.loops.iter().filter(|(id, _)| loops.is_irreducible(program, *id));
        Walker {
            irreducible: several.map(|(_, one)| one.function).collect(),
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
            directions,
            followed: BTreeSet::new(),
            unsettled: 0,
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

    /// The next iteration of a loop from where one ended.
    pub fn again(&mut self, id: LoopId, end: &PathFormula) -> Walked {
        match self.granted(self.loops.loops[id].head, end.clone()) {
            Some(start) => self.walk(Piece::Loop(id), start),
            None => Ok(None),
        }
    }

    /// A state at the head of a loop, one after any number of iterations, and one after one more; `None` if there is none.
    pub fn sequence(&mut self, id: LoopId) -> Result<Option<[PathFormula; 3]>, Stop> {
        self.steps = 0;
        let Some(first) = self.begin(self.loops.loops[id].head) else { return Ok(None) };
        let Some(second) = self.summarised(id, first.clone())? else { return Ok(None) };
        let third = self.walk(Piece::Loop(id), second.clone())?;
        Ok(third.map(|third| [first, second, third]))
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
        // A way into the middle of a loop does not pass what its head stands for.
        if self.irreducible.contains(&program.nodes[first].function) {
            return Err(Stop::Bound("there is a loop with several entries".to_owned()));
        }
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
                // What comes after another iteration of an inner loop is covered by what its head stands for.
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
        if !self.calls.is_recursive(function) || self.followed.contains(&function) {
            let inside = self.encoder.enter(path, edge, 0, 0);
            let exit = self.walk(Piece::Function(function), inside)?;
            return Ok(exit.map(|exit| self.encoder.leave(exit, edge, 0, 0)));
        }
        if let Some(found) = &mut self.recursive {
            found.push((edge, path.clone()));
        }
        let effect = self.effect(function)?;
        self.encoder.forget_changes(&mut path, &effect);
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

    /// What a call of a recursive function may change, by iteration: at first nothing, then what one activation changes
    /// whose calls change what is known so far.
    fn effect(&mut self, function: FunctionId) -> Result<Changes, Stop> {
        let members = self.component(function);
        let first = members[0];
        if let Some(known) = self.effects.get(&first) {
            return Ok(known.clone());
        }
        self.unsettled += 1;
        self.effects.insert(first, Changes::default());
        let recursive = self.recursive.take();
        let grown = self.grow(first, &members);
        self.recursive = recursive;
        self.unsettled -= 1;
        if grown.is_err() || self.unsettled > 0 {
            // What was found rests on effects of others that may still grow.
            let found = self.effects.remove(&first).unwrap_or_default();
            return grown.map(|()| found);
        }
        Ok(self.effects[&first].clone())
    }

    fn grow(&mut self, first: FunctionId, members: &[FunctionId]) -> Result<(), Stop> {
        loop {
            let mut all = self.effects[&first].clone();
            for &member in members {
                let start = PathFormula::start(self.instances);
                self.instances += 1;
                if let Some(exit) = self.walk(Piece::Function(member), start)? {
                    all.absorb(self.encoder.changes(&exit, Outliving::Call));
                }
            }
            if self.effects[&first] == all {
                return Ok(());
            }
            self.effects.insert(first, all);
        }
    }

    /// `path` after any number of iterations of a loop.
    fn summarised(&mut self, id: LoopId, mut path: PathFormula) -> Walked {
        let changes = match self.iterations.get(&id) {
            Some(known) => known.clone(),
            None => {
                let start = PathFormula::start(self.instances);
                self.instances += 1;
                let recursive = self.recursive.take();
                let next = self.walk(Piece::Loop(id), start);
                self.recursive = recursive;
                let next = next?;
                let found = next.map(|next| self.encoder.changes(&next, Outliving::Body)).unwrap_or_default();
                if self.unsettled == 0 {
                    self.iterations.insert(id, found.clone());
                }
                found
            }
        };
        let before = path.clone();
        self.encoder.forget_changes(&mut path, &changes);
        for &(var, direction) in self.directions.get(&id).into_iter().flatten() {
            let value = monotone::variable(self.program, &mut self.encoder, var);
            let now = self.encoder.eval(&mut before.clone(), value, 0);
            let then = self.encoder.eval(&mut path, value, 0);
            let goes = monotone::order(&mut self.encoder, self.program, var, direction, (now, then));
            let Some(known) = self.encoder.assume(path, goes) else { return Ok(None) };
            path = known;
        }
        Ok(self.granted(self.loops.loops[id].head, path))
    }
}
