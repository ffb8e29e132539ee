//! Where control is, and how it moves: locations with their call stack, and the steps between them. Call stacks are
//! hash-consed; recursion only makes them longer.

use base::{Id, define_id};
use cfa::{EdgeId, FunctionId, Node, Op, Program};
use flow::CallGraph;
use rustc_hash::FxHashMap;

define_id!(
    /// A call stack of one [`Stacks`] store; equal stacks have equal ids.
    StackId,
    "stack"
);

/// A location under a call stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The location.
    pub node: Node,
    /// The calls that led here.
    pub stack: StackId,
}

#[derive(Clone, Copy)]
struct Frame {
    /// The call; meaningless for the empty stack.
    call: EdgeId,
    caller: StackId,
    /// Calls on the stack.
    height: u32,
    /// Activations of the same function below.
    depth: u32,
    /// Activations on the stack that are not the first ones of their function.
    recursion: u32,
    function: FunctionId,
}

/// What a step does beyond moving control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// The edge's own operation, which is not a call.
    Edge,
    /// The edge is a call: its arguments go to the callee's parameters.
    Enter,
    /// The edge is a call: the callee's result goes to the call's result, its locals end.
    Leave,
    /// The edge is a call and what the callee does is summarised: from before the call to after it in one step.
    Over,
}

/// One step of control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// What it does.
    pub kind: Move,
    /// Whose operation; of a call for `Enter` and `Leave`.
    pub edge: EdgeId,
    /// Before.
    pub from: Place,
    /// After.
    pub to: Place,
    /// Activations of the function of `from` that lie below its current one on the stack.
    pub from_depth: u32,
    /// Activations of the function of `to` that lie below its current one on the stack.
    pub to_depth: u32,
}

/// Whether every step begins where the one before it ends.
pub fn is_connected(path: &[Step]) -> bool {
    path.windows(2).all(|pair| pair[0].to.node == pair[1].from.node)
}

/// All call stacks that occurred.
pub struct Stacks {
    frames: Vec<Frame>,
    index: FxHashMap<(EdgeId, StackId), StackId>,
    /// By the number of a function: whether it may be on a stack twice.
    recursive: Vec<bool>,
}

impl Stacks {
    /// The stack without calls.
    pub const EMPTY: StackId = StackId(0);

    /// Only the empty stack, on which the program's entry function runs.
    pub fn new(program: &Program) -> Self {
        let recursive = if program.functions.is_empty() {
            Vec::new()
        } else {
            let graph = CallGraph::new(program);
            program.functions.ids().map(|function| graph.is_recursive(function)).collect()
        };
        Self::knowing(program, recursive)
    }

    /// The same, where it is known which functions are recursive.
    pub(crate) fn knowing(program: &Program, recursive: Vec<bool>) -> Self {
        let bottom =
            Frame { call: EdgeId(0), caller: StackId(0), height: 0, depth: 0, recursion: 0, function: program.entry };
        Self { frames: vec![bottom], index: FxHashMap::default(), recursive }
    }

    /// Where the program starts.
    pub fn start(&self, program: &Program) -> Place {
        Place { node: program.functions[program.entry].entry, stack: Self::EMPTY }
    }

    /// How many calls are on the stack.
    pub fn height(&self, stack: StackId) -> u32 {
        self.frames[stack.index()].height
    }

    /// How many activations of the running function lie below the current one.
    pub fn depth(&self, stack: StackId) -> u32 {
        self.frames[stack.index()].depth
    }

    /// How many activations on the stack are not the first ones of their function.
    pub fn recursion(&self, stack: StackId) -> u32 {
        self.frames[stack.index()].recursion
    }

    /// The function that runs.
    pub fn function(&self, stack: StackId) -> FunctionId {
        self.frames[stack.index()].function
    }

    /// The call on top and the stack below it.
    pub fn top(&self, stack: StackId) -> Option<(EdgeId, StackId)> {
        let frame = &self.frames[stack.index()];
        (stack != Self::EMPTY).then_some((frame.call, frame.caller))
    }

    /// All calls of the stack, the first one first.
    pub fn calls(&self, mut stack: StackId) -> Vec<EdgeId> {
        let mut calls = Vec::new();
        while let Some((call, below)) = self.top(stack) {
            calls.push(call);
            stack = below;
        }
        calls.reverse();
        calls
    }

    /// The stack after the call `edge` of `function`.
    pub fn push(&mut self, caller: StackId, edge: EdgeId, function: FunctionId) -> StackId {
        if let Some(&known) = self.index.get(&(edge, caller)) {
            return known;
        }
        let stack = self.push_fresh(caller, edge, function);
        self.index.insert((edge, caller), stack);
        stack
    }

    /// A stack after the call, other than all before.
    pub fn push_fresh(&mut self, caller: StackId, edge: EdgeId, function: FunctionId) -> StackId {
        debug_assert!(caller.index() < self.frames.len(), "the caller's stack is one of these");
        // Most functions are not recursive, and stacks may be high.
        let depth = if self.recursive[function.index()] { self.activations(caller, function) } else { 0 };
        let stack = StackId::new(self.frames.len());
        let height = self.height(caller) + 1;
        let recursion = self.recursion(caller) + u32::from(depth > 0);
        debug_assert!(depth <= height && recursion <= height, "no more activations than calls");
        self.frames.push(Frame { call: edge, caller, height, depth, recursion, function });
        stack
    }

    /// How many activations of a function are on a stack.
    fn activations(&self, stack: StackId, function: FunctionId) -> u32 {
        let mut below = stack;
        loop {
            let frame = self.frames[below.index()];
            if frame.function == function {
                return frame.depth + 1;
            }
            if below == Self::EMPTY {
                return 0;
            }
            below = frame.caller;
        }
    }

    /// Appends every step that leaves `place`: one per edge, calls lead into the callee, and the exit of a function
    /// leads past its call. Edges that end the execution (`Halt`) have no step.
    pub fn steps(&mut self, program: &Program, place: Place, steps: &mut Vec<Step>) {
        debug_assert_eq!(
            program.nodes[place.node].function,
            self.function(place.stack),
            "a place of the function that runs"
        );
        for edge in program.leaving(place.node) {
            let target = &program.edges[edge];
            let step = match &target.op {
                Op::Call { function, .. } => {
                    let stack = self.push(place.stack, edge, *function);
                    let to = Place { node: program.functions[*function].entry, stack };
                    self.step(Move::Enter, edge, place, to)
                }
                Op::Halt(_) => continue,
                Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) => {
                    self.step(Move::Edge, edge, place, Place { node: target.to, stack: place.stack })
                }
                Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => {
                    self.step(Move::Edge, edge, place, Place { node: target.to, stack: place.stack })
                }
                Op::Allocate { .. } | Op::Free(_) | Op::End(_) | Op::CallPointer { .. } | Op::Return(_) => {
                    self.step(Move::Edge, edge, place, Place { node: target.to, stack: place.stack })
                }
                Op::Library { .. } | Op::Unsupported(_) => {
                    self.step(Move::Edge, edge, place, Place { node: target.to, stack: place.stack })
                }
            };
            steps.push(step);
        }
        if place.node == program.functions[self.function(place.stack)].exit
            && let Some((call, caller)) = self.top(place.stack)
        {
            let to = Place { node: program.edges[call].to, stack: caller };
            steps.push(self.step(Move::Leave, call, place, to));
        }
    }

    /// The return from a place to the point after a call that was made at another place.
    pub fn leave(&self, program: &Program, from: Place, call: EdgeId, caller: Place) -> Step {
        debug_assert_eq!(caller.node, program.edges[call].from, "the caller is at its call");
        let to = Place { node: program.edges[call].to, stack: caller.stack };
        self.step(Move::Leave, call, from, to)
    }

    pub(crate) fn step(&self, kind: Move, edge: EdgeId, from: Place, to: Place) -> Step {
        Step { kind, edge, from, to, from_depth: self.depth(from.stack), to_depth: self.depth(to.stack) }
    }

    /// The step over a call instead of the one into it.
    pub fn over(&self, program: &Program, call: &Step) -> Step {
        debug_assert_eq!(call.kind, Move::Enter, "what is stepped over is a call");
        let to = Place { node: program.edges[call.edge].to, stack: call.from.stack };
        self.step(Move::Over, call.edge, call.from, to)
    }

    /// The step that was taken from one place to another along `edge`.
    pub fn step_between(&self, program: &Program, from: Place, edge: EdgeId, to: Place) -> Step {
        let kind = match (&program.edges[edge].op, from.stack == to.stack) {
            (Op::Call { .. }, false) if self.height(to.stack) > self.height(from.stack) => Move::Enter,
            (Op::Call { .. }, false) => Move::Leave,
            (Op::Call { .. }, true) => Move::Over,
            _ => Move::Edge,
        };
        self.step(kind, edge, from, to)
    }
}
