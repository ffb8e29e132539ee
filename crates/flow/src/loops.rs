//! Loops: every cycle of every automaton passes a loop head, irreducible ones included, and every recursion passes a
//! function entry that is one. Loops are the components of a weak topological order [Bou93] (see [`TopologicalOrder`]), which
//! are the natural loops where the automaton is reducible; loops with one head are one loop.

use crate::call_graph::{CallGraph, address_taken_functions};
use crate::graph::{Dominators, Graph, TopologicalOrder};
use base::{Id, IdVec, define_id};
use cfa::{EdgeId, FunctionId, Node, Op, Program, VarId};
use std::collections::BTreeSet;
use std::ops::Range;

define_id!(
    /// A loop of some automaton.
    LoopId,
    "loop"
);

/// One loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Where all iterations begin.
    pub head: Node,
    /// The function it is in.
    pub function: FunctionId,
    /// The smallest loop around it.
    pub parent: Option<LoopId>,
    /// How many loops are around it.
    pub depth: u32,
    /// Edges from members to the head.
    pub back_edges: Vec<EdgeId>,
    /// Edges from members to other nodes.
    pub exits: Vec<EdgeId>,
    /// Edges from other nodes to members; those that do not lead to the head make the loop irreducible.
    pub entries: Vec<EdgeId>,
    range: Range<u32>,
}

/// All loops of a program and its weak topological order.
#[derive(Clone, Debug)]
pub struct Loops {
    /// Outer loops before inner ones.
    pub loops: IdVec<LoopId, Loop>,
    sequence: Vec<Node>,
    position: Vec<u32>,
    innermost: Vec<Option<LoopId>>,
    functions: IdVec<FunctionId, Range<u32>>,
}

impl Loops {
    /// The loops of all functions.
    pub fn new(program: &Program) -> Loops {
        let graph = node_graph(program);
        let nodes = program.nodes_by_function();
        // Functions are laid out in order: what is searched from last comes first.
        let mut starts = Vec::with_capacity(program.nodes.len());
        for (id, function) in program.functions.iter().rev() {
            starts.push(function.entry.0);
            starts.extend(nodes[id].iter().map(|node| node.0));
        }
        let order = TopologicalOrder::new(&graph, &starts);
        assert_eq!(order.sequence.len(), program.nodes.len(), "every node has one place in the order");
        let innermost = order.innermost().into_iter().map(|inner| inner.map(LoopId)).collect();
        let mut position = vec![0; program.nodes.len()];
        for (at, &node) in order.sequence.iter().enumerate() {
            position[node as usize] = at as u32;
        }
        let mut next = 0;
        let mut functions = IdVec::new();
        for (_, members) in nodes.iter() {
            functions.push(next..next + members.len() as u32);
            next += members.len() as u32;
        }
        let mut loops: IdVec<LoopId, Loop> = IdVec::new();
        for component in &order.components {
            let head = Node(component.head);
            loops.push(Loop {
                head,
                function: program.nodes[head].function,
                parent: component.parent.map(LoopId),
                depth: component.parent.map_or(0, |parent| loops[LoopId(parent)].depth + 1),
                back_edges: Vec::new(),
                exits: Vec::new(),
                entries: Vec::new(),
                range: component.start..component.end,
            });
        }
        let sequence = order.sequence.into_iter().map(Node).collect();
        let mut found = Loops { loops, sequence, position, innermost, functions };
        found.classify_edges(program);
        debug_assert!(found.is_ordered(program), "edges lead forward or to the head of a loop around them");
        found
    }

    /// What a weak topological order promises, and that a loop has one function and an edge to its head.
    fn is_ordered(&self, program: &Program) -> bool {
        let forward = program.edges.iter().all(|(_, edge)| {
            let ahead = self.position(edge.from) < self.position(edge.to);
            ahead || self.headed_by(edge.to).is_some_and(|id| self.contains(id, edge.from))
        });
        forward
            && self.loops.iter().all(|(id, one)| {
                let inside = |node: &Node| program.nodes[*node].function == one.function;
                self.members(id).first() == Some(&one.head) && self.members(id).iter().all(inside)
            })
    }

    fn classify_edges(&mut self, program: &Program) {
        for (id, edge) in program.edges.iter() {
            let mut around = self.innermost[edge.from.index()];
            while let Some(at) = around {
                if !self.contains(at, edge.to) {
                    self.loops[at].exits.push(id);
                } else if self.loops[at].head == edge.to {
                    self.loops[at].back_edges.push(id);
                }
                around = self.loops[at].parent;
            }
            let mut around = self.innermost[edge.to.index()];
            while let Some(at) = around.filter(|&at| !self.contains(at, edge.from)) {
                self.loops[at].entries.push(id);
                around = self.loops[at].parent;
            }
        }
    }

    /// Whether a node is a member of a loop.
    pub fn contains(&self, id: LoopId, node: Node) -> bool {
        self.loops[id].range.contains(&self.position[node.index()])
    }

    /// The members of a loop, the head first, in weak topological order.
    pub fn members(&self, id: LoopId) -> &[Node] {
        let range = &self.loops[id].range;
        &self.sequence[range.start as usize..range.end as usize]
    }

    /// The innermost loop around a node.
    pub fn innermost(&self, node: Node) -> Option<LoopId> {
        self.innermost[node.index()]
    }

    /// The loop with this head.
    pub fn headed_by(&self, node: Node) -> Option<LoopId> {
        self.innermost(node).filter(|&id| self.loops[id].head == node)
    }

    /// Whether the loop can be entered elsewhere than at its head.
    pub fn is_irreducible(&self, program: &Program, id: LoopId) -> bool {
        self.loops[id].entries.iter().any(|&edge| program.edges[edge].to != self.loops[id].head)
    }

    /// The nodes of a function in weak topological order: sources of edges come before their targets, except for
    /// edges to heads of loops around the source.
    pub fn order(&self, function: FunctionId) -> &[Node] {
        let range = &self.functions[function];
        &self.sequence[range.start as usize..range.end as usize]
    }

    /// A node's place in the order of its function: the first place to iterate from is the smallest number.
    pub fn position(&self, node: Node) -> u32 {
        self.position[node.index()]
    }

    /// What the iterations of every loop may change.
    pub fn writes(&self, program: &Program, calls: &CallGraph) -> IdVec<LoopId, Writes> {
        let functions = function_writes(program, calls);
        let mut writes = IdVec::filled(self.loops.len(), Writes::default());
        for (_, edge) in program.edges.iter() {
            let (Some(inner), true) = (self.innermost(edge.from), self.innermost(edge.to).is_some()) else { continue };
            let mut around = Some(inner);
            while let Some(at) = around {
                if self.contains(at, edge.to) {
                    writes[at].absorb_op(program, &edge.op, |callee| &functions[callee]);
                }
                around = self.loops[at].parent;
            }
        }
        writes
    }
}

/// What a piece of program may change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Writes {
    /// Register variables.
    pub registers: BTreeSet<VarId>,
    /// Whether memory changes.
    pub memory: bool,
}

impl Writes {
    fn absorb_op<'a>(&mut self, program: &Program, op: &Op, callee: impl Fn(FunctionId) -> &'a Writes) {
        match op {
            Op::Call { function, .. } => self.absorb(callee(*function)),
            Op::CallPointer { .. } => {
                for function in address_taken_functions(program) {
                    self.absorb(callee(function));
                }
            }
            Op::Library { function, .. } => self.memory |= !function.writes().is_empty(),
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => self.memory = true,
            Op::Init(_) | Op::Declare(_) | Op::Allocate { .. } | Op::Free(_) | Op::End(_) => self.memory = true,
            Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) => {}
            Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => {}
        }
        self.registers.extend(op.variable().filter(|&var| program.register(var).is_some()));
    }

    fn absorb(&mut self, other: &Writes) {
        self.registers.extend(&other.registers);
        self.memory |= other.memory;
    }
}

/// What calls of each function may change that outlives the call.
fn function_writes(program: &Program, calls: &CallGraph) -> IdVec<FunctionId, Writes> {
    let mut own = IdVec::filled(program.functions.len(), Writes::default());
    let nothing = Writes::default();
    for (_, edge) in program.edges.iter() {
        let writes = &mut own[program.nodes[edge.from].function];
        if !matches!(edge.op, Op::CallPointer { .. }) {
            writes.absorb_op(program, &edge.op, |_| &nothing);
        }
    }
    for (_, writes) in own.iter_mut() {
        writes.registers.retain(|&var| program.vars[var].function.is_none());
    }
    for group in calls.bottom_up() {
        let mut all = Writes::default();
        for &function in group {
            all.absorb(&own[FunctionId(function)]);
            for &(_, callee) in calls.calls(FunctionId(function)) {
                all.absorb(&own[callee]);
            }
        }
        for &function in group {
            own[FunctionId(function)] = all.clone();
        }
    }
    own
}

/// All nodes and edges as a plain graph.
pub fn node_graph(program: &Program) -> Graph {
    let edges: Vec<(u32, u32)> = program.edges.iter().map(|(_, edge)| (edge.from.0, edge.to.0)).collect();
    Graph::new(program.nodes.len(), &edges)
}

/// The dominators of a function's nodes.
pub fn dominators(program: &Program, function: FunctionId) -> Dominators {
    Dominators::new(&node_graph(program), program.functions[function].entry.0)
}

/// Finds loops and recursion and marks their heads in [`cfa::NodeInfo::loop_head`].
pub fn find_loops(program: &mut Program) -> Loops {
    let loops = Loops::new(program);
    for (_, info) in program.nodes.iter_mut() {
        info.loop_head = false;
    }
    for (_, found) in loops.loops.iter() {
        program.nodes[found.head].loop_head = true;
    }
    for &function in CallGraph::new(program).recursion_heads() {
        let entry = program.functions[function].entry;
        program.nodes[entry].loop_head = true;
    }
    debug_assert!(every_cycle_has_a_head(program), "a cycle without loop head");
    loops
}

/// Whether the automata without loop heads have no cycle; true once [`Program::find_loops`] ran after the last
/// change of edges.
pub fn every_cycle_has_a_head(program: &Program) -> bool {
    let head = |node: Node| program.nodes[node].loop_head;
    let inner: Vec<(u32, u32)> = program
        .edges
        .iter()
        .filter(|(_, edge)| !head(edge.from) && !head(edge.to))
        .map(|(_, edge)| (edge.from.0, edge.to.0))
        .collect();
    let own_loop = inner.iter().any(|(from, to)| from == to);
    !own_loop && Graph::new(program.nodes.len(), &inner).components().len() == program.nodes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::BinOp;
    use cfa::testing::Build;
    use cfa::types::{IntKind, Type};

    #[test]
    fn nested_loops_and_what_they_write() {
        let mut b = Build::new();
        let n = b.start(6);
        let (x, y) = (b.register("x", Type::Int(IntKind::Int)), b.register("y", Type::Int(IntKind::Int)));
        let (ex, ey, one) = (b.get(x), b.get(y), b.int(1));
        let (outer, inner) = (b.bin(BinOp::Lt, ex, one), b.bin(BinOp::Lt, ey, one));
        b.branch(n[0], outer, n[1], n[4]);
        b.edge(n[1], n[2], Op::Assign(x, one));
        b.branch(n[2], inner, n[3], n[0]);
        b.edge(n[3], n[2], Op::Assign(y, one));
        b.edge(n[4], n[5], Op::Return(None));
        let mut program = b.finish();
        let loops = find_loops(&mut program);
        let (outer, inner) = (LoopId(0), LoopId(1));
        assert_eq!(loops.loops.len(), 2);
        assert_eq!(loops.members(outer), [n[0], n[1], n[2], n[3]]);
        assert_eq!(loops.members(inner), [n[2], n[3]]);
        assert_eq!(loops.loops[inner].parent, Some(outer));
        assert_eq!((loops.loops[inner].exits.len(), loops.loops[outer].exits.len()), (1, 1));
        assert_eq!(loops.loops[inner].back_edges.len(), 1);
        assert_eq!(loops.order(FunctionId(0)), n);
        let writes = loops.writes(&program, &CallGraph::new(&program));
        assert_eq!(writes[inner].registers, BTreeSet::from([y]));
        assert_eq!(writes[outer].registers, BTreeSet::from([x, y]));
        let heads: Vec<bool> = n.iter().map(|&node| program.nodes[node].loop_head).collect();
        assert_eq!(heads, [true, false, true, false, false, false]);
        assert!(!loops.is_irreducible(&program, outer));
    }

    #[test]
    fn recursion_has_a_head() {
        let mut b = Build::new();
        let n = b.start(2);
        let op = Op::Call { function: FunctionId(0), args: Box::default(), result: None };
        b.edge(n[0], n[1], op);
        let mut program = b.finish();
        find_loops(&mut program);
        assert!(program.nodes[n[0]].loop_head);
    }
}
