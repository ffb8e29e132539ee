//! Bounded unrolling of the whole program: every loop up to a bound, calls followed into their functions, paths merged
//! wherever they meet. Branches whose condition folds to a constant are not followed, so loops over constants end by
//! themselves.
//!
//! Nodes of the unrolled program are visited in weak topological order [Bou93]: by position, and inside a loop by
//! iteration first. Every path of the program visits them in that order, so when a node is visited, all paths to it are
//! merged there.

use crate::guard::Guard;
use crate::path::PathFormula;
use crate::{Addressing, Encoder};
use base::{Cancel, Id, Stopped};
use cfa::{EdgeId, FunctionId, Node, Op, Program};
use flow::Loops;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How far to unroll.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Iterations of every loop, each time it is entered.
    pub iterations: u32,
    /// Activations of a recursive function on top of the first.
    pub recursion: u32,
    /// Iterations whose conditions all fold to constants do not count, up to this many of a loop, and until so many
    /// edges were followed that all were of such iterations: nested loops over constants are long.
    pub constant_iterations: u32,
    /// After so many edges unrolling ends where a loop or a recursion would go on: the rest is not followed.
    pub edges: u64,
}

/// How many edges an iteration that does not count has, about.
const EDGES_PER_ITERATION: u64 = 30;

/// The unrolled program.
#[derive(Debug, Default)]
pub struct Unrolled {
    /// Where targets are reached: index into the program's targets.
    pub targets: Vec<(usize, Guard)>,
    /// Where a bound cut paths off.
    pub cuts: Vec<(Node, Guard)>,
    /// Where C that is not modelled is reached.
    pub unsupported: Vec<(EdgeId, Guard)>,
    /// The watched nodes that are reached, with the paths there.
    pub watched: Vec<(Node, PathFormula)>,
    /// Edges that were followed.
    pub steps: u64,
    /// The most iterations of a loop.
    pub iterations: u32,
    /// By the number of a node: whether it was visited.
    pub visited: Vec<bool>,
}

/// Where in the unrolled automaton of a function: for every loop around a node, the position of its head and the
/// iteration; then the node's own position.
type Position = Vec<u32>;

struct Frame {
    function: FunctionId,
    depth: u32,
    /// The call that began it and where the caller made it; `None` for the entry function.
    call: Option<(EdgeId, Position)>,
    /// The paths to a node in the order of their arrival.
    waiting: BTreeMap<Position, (Node, Vec<PathFormula>)>,
    /// Calls to follow before anything that waits.
    calls: Vec<(EdgeId, Position, PathFormula)>,
    exit: Option<PathFormula>,
    /// Loops that are being unrolled, by the position of their heads without the iteration.
    running: FxHashMap<Position, Running>,
}

/// A loop that is being unrolled.
struct Running {
    /// At the head's last visit.
    guard: Guard,
    /// Iterations that count.
    counted: u32,
    /// Iterations that do not.
    free: u32,
    /// Whether an exit folded to false since the last visit.
    stays: bool,
}

/// Unrolls the program from its start.
pub fn unroll(encoder: &mut Encoder, loops: &Loops, bounds: Bounds, cancel: &Cancel) -> Result<Unrolled, Stopped> {
    unroll_watching(encoder, loops, bounds, &BTreeSet::new(), cancel)
}

/// Unrolls the program from its start and tells the paths to some nodes.
pub fn unroll_watching(
    encoder: &mut Encoder,
    loops: &Loops,
    bounds: Bounds,
    watched: &BTreeSet<Node>,
    cancel: &Cancel,
) -> Result<Unrolled, Stopped> {
    assert_eq!(encoder.addressing, Addressing::Events, "the unrolled program is followed from its start");
    let program = encoder.program;
    let start = encoder.initial();
    let out = Unrolled { visited: vec![false; program.nodes.len()], ..Unrolled::default() };
    let mut unroller = Unroller { program, loops, bounds, watched, out, frames: Vec::new() };
    unroller.begin(encoder, program.entry, None, 0, start);
    let end = unroller.run(encoder, cancel);
    encoder.running.clear();
    end.map(|()| unroller.out)
}

struct Unroller<'a> {
    program: &'a Program,
    loops: &'a Loops,
    bounds: Bounds,
    watched: &'a BTreeSet<Node>,
    out: Unrolled,
    frames: Vec<Frame>,
}

impl Unroller<'_> {
    /// Until nothing is left, or the rest is cut off.
    fn run(&mut self, encoder: &mut Encoder, cancel: &Cancel) -> Result<(), Stopped> {
        while let Some(frame) = self.frames.last_mut() {
            cancel.check()?;
            if self.out.steps > self.bounds.edges && !self.out.cuts.is_empty() {
                break;
            }
            if let Some((edge, position, path)) = frame.calls.pop() {
                self.call(encoder, edge, position, path);
            } else if let Some((position, (node, paths))) = frame.waiting.pop_first() {
                let path = merged(encoder, paths);
                self.visit(encoder, position, node, path);
            } else {
                self.finish(encoder);
            }
        }
        Ok(())
    }

    fn begin(
        &mut self,
        encoder: &mut Encoder,
        function: FunctionId,
        call: Option<(EdgeId, Position)>,
        depth: u32,
        path: PathFormula,
    ) {
        encoder.running.push((function, depth));
        let mut frame = Frame {
            function,
            depth,
            call,
            waiting: BTreeMap::new(),
            calls: Vec::new(),
            exit: None,
            running: FxHashMap::default(),
        };
        let entry = self.program.functions[function].entry;
        frame.waiting.insert(self.position(None, entry), (entry, vec![path]));
        self.frames.push(frame);
    }

    fn call(&mut self, encoder: &mut Encoder, edge: EdgeId, position: Position, path: PathFormula) {
        let Op::Call { function, .. } = self.program.edges[edge].op else { unreachable!("only calls are followed") };
        let depth = self.frames.iter().filter(|frame| frame.function == function).count() as u32;
        if depth > self.bounds.recursion || self.out.steps > self.bounds.edges {
            self.out.cuts.push((self.program.edges[edge].from, path.guard));
            return;
        }
        let caller = self.frames.last().expect("a function is running").depth;
        let path = encoder.enter(path, edge, caller, depth);
        self.begin(encoder, function, Some((edge, position)), depth, path);
    }

    /// The function on top has no more paths: its caller goes on.
    fn finish(&mut self, encoder: &mut Encoder) {
        let frame = self.frames.pop().expect("a function is running");
        encoder.running.pop();
        let (Some((call, position)), Some(exit), Some(caller)) = (frame.call, frame.exit, self.frames.last()) else {
            return;
        };
        let path = encoder.leave(exit, call, caller.depth, frame.depth);
        self.arrive((&position, self.program.edges[call].from), self.program.edges[call].to, path);
    }

    fn visit(&mut self, encoder: &mut Encoder, position: Position, node: Node, path: PathFormula) {
        let program = self.program;
        self.out.visited[node.index()] = true;
        if self.watched.contains(&node) {
            self.out.watched.push((node, path.clone()));
        }
        if let Some(target) = program.targets.iter().position(|target| target.node == node) {
            self.out.targets.push((target, path.guard));
            return;
        }
        let frame = self.frames.last_mut().expect("a function is running");
        if node == program.functions[frame.function].exit {
            frame.exit = Some(path);
            return;
        }
        if self.loops.headed_by(node).is_some() {
            self.out.iterations = self.out.iterations.max(position[position.len() - 2]);
        }
        let mut bounds = self.bounds;
        if self.out.steps > EDGES_PER_ITERATION * u64::from(bounds.constant_iterations) {
            bounds.constant_iterations = 0;
        }
        if self.out.steps > bounds.edges {
            bounds.iterations = 0;
        }
        if self.loops.headed_by(node).is_some() && !goes_on(frame, &position, path.guard, bounds) {
            self.out.cuts.push((node, path.guard));
            return;
        }
        let depth = frame.depth;
        for edge in program.leaving(node) {
            self.out.steps += 1;
            match &program.edges[edge].op {
                Op::Call { .. } => {
                    let frame = self.frames.last_mut().expect("a function is running");
                    frame.calls.push((edge, position.clone(), path.clone()));
                }
                Op::CallPointer { .. } | Op::Unsupported(_) => self.out.unsupported.push((edge, path.guard)),
                op => {
                    if matches!(op, Op::Havoc(..)) {
                        encoder.set_here(self.place(&position));
                    }
                    match encoder.step(path.clone(), edge, depth) {
                        Some(next) => self.arrive((&position, node), program.edges[edge].to, next),
                        None => self.note_closed_exit(&position, edge),
                    }
                }
            }
        }
    }

    /// A position in the function on top with the calls that lead there, one after the other.
    fn place(&self, position: &Position) -> Vec<u32> {
        let mut place = Vec::new();
        for (call, from) in self.frames.iter().filter_map(|frame| frame.call.as_ref()) {
            place.extend([from.len() as u32, call.0]);
            place.extend(from);
        }
        place.push(position.len() as u32);
        place.extend(position);
        place
    }

    /// An exit that folds to false shows that the loop's condition is known.
    fn note_closed_exit(&mut self, position: &Position, edge: EdgeId) {
        let edge = &self.program.edges[edge];
        let mut around = self.loops.innermost(edge.from);
        let mut length = position.len() - 1;
        let frame = self.frames.last_mut().expect("a function is running");
        while let Some(at) = around {
            if self.loops.contains(at, edge.to) {
                return;
            }
            if let Some(running) = frame.running.get_mut(&position[..length - 1]) {
                running.stays = true;
            }
            length -= 2;
            around = self.loops.loops[at].parent;
        }
    }

    /// A path from a node to its successor.
    fn arrive(&mut self, from: (&Position, Node), to: Node, path: PathFormula) {
        let position = self.position(Some(from), to);
        let frame = self.frames.last_mut().expect("a function is running");
        frame.waiting.entry(position).or_insert_with(|| (to, Vec::new())).1.push(path);
    }

    /// The position of `node` when it is reached from another: loops around both are in the same iteration, or in the
    /// next one if the edge leads back to the head.
    fn position(&self, from: Option<(&Position, Node)>, node: Node) -> Position {
        let mut around = Vec::new();
        let mut at = self.loops.innermost(node);
        while let Some(id) = at {
            around.push(id);
            at = self.loops.loops[id].parent;
        }
        let mut position = Vec::with_capacity(2 * around.len() + 1);
        for &id in around.iter().rev() {
            let head = self.loops.loops[id].head;
            let shared = from.filter(|(_, source)| self.loops.contains(id, *source));
            let iteration = shared.map_or(0, |(before, _)| before[position.len() + 1] + u32::from(head == node));
            position.extend([self.loops.position(head), iteration]);
        }
        position.push(self.loops.position(node));
        position
    }
}

/// All paths to a node as one. The last to arrive are merged first: they parted last, as the exits of a loop do, so that
/// every merge looks at a few conditions only.
fn merged(encoder: &mut Encoder, mut paths: Vec<PathFormula>) -> PathFormula {
    let mut all = paths.pop().expect("a node that waits is reached");
    while let Some(path) = paths.pop() {
        all = encoder.merge(&path, &all);
    }
    all
}

/// At a loop head: whether one more iteration is within the bounds. The counter is that of the loop-bound analysis
/// [BDW18, section 4.1] plus one: a head that is reached for the `iterations + 1`st time is not left.
fn goes_on(frame: &mut Frame, position: &Position, guard: Guard, bounds: Bounds) -> bool {
    let (iteration, key) = (position[position.len() - 2], &position[..position.len() - 2]);
    if iteration == 0 {
        frame.running.insert(key.to_vec(), Running { guard, counted: 0, free: 0, stays: false });
        return true;
    }
    let first = Running { guard: Guard::TRUE, counted: 0, free: 0, stays: false };
    let running = frame.running.entry(key.to_vec()).or_insert(first);
    if running.guard == guard && running.stays && running.free < bounds.constant_iterations {
        running.free += 1;
    } else {
        running.counted += 1;
    }
    running.guard = guard;
    running.stays = false;
    running.counted < bounds.iterations
}
