//! The automaton of one function under construction.
//!
//! Nodes are numbered from 0 within the body. Control flow that merges without an operation makes two nodes one
//! ([`Body::join`]), so no `Skip` edges are needed. [`Body::finish`] numbers what is reachable and adds it to the
//! program.

use crate::ends::{Blocks, Destination, Position};
use base::{Id, Span, Symbol};
use cfa::{Edge, ExprId, FunctionId, Node, NodeInfo, Op, Program, Target, TargetKind, VarId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A label of the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub node: Node,
    pub defined: bool,
    /// Where it is, once it is defined.
    pub position: Position,
    /// Its first use or its definition.
    pub span: Span,
    /// Whose address stands for the label in `&&label`.
    pub address: Option<VarId>,
}

/// An open `switch`.
#[derive(Debug, Default)]
pub(crate) struct Switch {
    /// Inclusive bounds as bits of the promoted type, the label's node and position.
    pub cases: Vec<(cfa::ExprId, cfa::ExprId, (Node, Position), Span)>,
    /// The same bounds as numbers, lower to upper.
    pub values: BTreeMap<i128, i128>,
    pub default: Option<(Node, Position)>,
    pub ty: Option<cfa::types::TypeId>,
}

/// A target under construction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub node: Node,
    pub kind: TargetKind,
    pub span: Span,
    /// What a report shows of an execution.
    pub values: [Option<ExprId>; 2],
    pub symbol: &'static str,
}

/// A function's edges so far, and where control is.
#[derive(Debug)]
pub(crate) struct Body {
    /// `None` at file scope, where a body only collects what constant expressions must not do.
    pub function: Option<FunctionId>,
    pub edges: Vec<Edge>,
    /// Union-find over nodes.
    parent: Vec<u32>,
    /// Where control is.
    pub at: Node,
    pub entry: Node,
    pub exit: Node,
    pub labels: HashMap<Symbol, Label>,
    /// Where `break` and `continue` lead, and how many variables with the attribute `cleanup` stay in scope there.
    pub breaks: Vec<(Node, Position, usize)>,
    pub continues: Vec<(Node, Position, usize)>,
    /// Variables in scope with the attribute `cleanup`.
    pub cleanups: Vec<crate::cleanup::Cleanup>,
    /// For each open scope, how many of them are older.
    pub scope_starts: Vec<usize>,
    /// Those that are in scope at a label.
    pub label_cleanups: HashMap<Symbol, Vec<crate::cleanup::Cleanup>>,
    pub leavings: Vec<crate::cleanup::Leaving>,
    pub switches: Vec<Switch>,
    /// What blocks declare, and jumps between them.
    pub blocks: Blocks,
    /// `goto *p`: where, `p`, and its position.
    pub computed: Vec<((Node, Position), cfa::ExprId, Span)>,
    /// Whether what is emitted gives an object its initial value, and the nodes where such operations begin.
    pub initialises: bool,
    pub initialising: HashSet<Node>,
    pub locals: Vec<VarId>,
    pub targets: Vec<Goal>,
    pub temporaries: u32,
    /// Whether the function is said not to return.
    pub noreturn: bool,
    /// What `return` converts to.
    pub result: Option<cfa::types::TypeId>,
    /// Where an aggregate result goes.
    pub result_address: Option<VarId>,
    /// Where further arguments lie.
    pub variadic_area: Option<VarId>,
    /// The place of an assignment, found by the call whose result goes there.
    pub placed: Option<crate::lvalue::Lvalue>,
    /// What functions inside this one see of it.
    pub frame: Option<crate::nested::Frame>,
    /// The parameter with the frame of the enclosing function.
    pub link: Option<VarId>,
    /// Labels declared by `__label__`, which functions inside this one may jump to.
    pub own_labels: HashSet<Symbol>,
    /// For each open scope, what its `__label__` names are called in `labels`.
    pub label_scopes: Vec<HashMap<Symbol, Symbol>>,
    /// Labels of enclosing functions that this one jumps to.
    pub outer_labels: HashSet<Symbol>,
    /// Where control goes when something jumps out of a function that was called here.
    pub way_out: Option<Node>,
    /// Where such jumps may lead.
    pub sites: Vec<Destination>,
    /// The register with the number of this activation.
    pub activation: Option<VarId>,
}

impl Body {
    pub fn new(function: Option<FunctionId>) -> Self {
        Self {
            function,
            edges: Vec::new(),
            parent: vec![0, 1],
            at: Node(0),
            entry: Node(0),
            exit: Node(1),
            labels: HashMap::new(),
            blocks: Blocks::default(),
            cleanups: Vec::new(),
            scope_starts: Vec::new(),
            label_cleanups: HashMap::new(),
            leavings: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            computed: Vec::new(),
            initialises: false,
            initialising: HashSet::new(),
            locals: Vec::new(),
            targets: Vec::new(),
            temporaries: 0,
            noreturn: false,
            result: None,
            result_address: None,
            variadic_area: None,
            placed: None,
            frame: None,
            link: None,
            own_labels: HashSet::new(),
            label_scopes: Vec::new(),
            outer_labels: HashSet::new(),
            way_out: None,
            sites: Vec::new(),
            activation: None,
        }
    }

    /// Drops all edges; parameters and locals stay.
    pub fn start_over(&mut self) {
        let fresh = Self::new(self.function);
        let old = std::mem::replace(self, fresh);
        (self.locals, self.result, self.temporaries) = (old.locals, old.result, old.temporaries);
    }

    /// A new node without edges.
    pub fn node(&mut self) -> Node {
        self.parent.push(self.parent.len() as u32);
        Node::new(self.parent.len() - 1)
    }

    pub fn edge(&mut self, from: Node, to: Node, op: Op, span: Span) {
        debug_assert!(from.index().max(to.index()) < self.parent.len(), "an edge joins nodes of this body");
        self.edges.push(Edge { from, to, op, span });
    }

    /// Control goes on after `op`.
    pub fn emit(&mut self, op: Op, span: Span) {
        let to = self.node();
        if self.initialises {
            self.initialising.insert(self.at);
        }
        self.edge(self.at, to, op, span);
        self.at = to;
    }

    fn find(&mut self, node: Node) -> Node {
        let mut at = node.0;
        while self.parent[at as usize] != at {
            let up = self.parent[at as usize];
            self.parent[at as usize] = self.parent[up as usize];
            at = up;
        }
        Node(at)
    }

    /// Control that is at `from`, which no edge leaves, goes on at `to`.
    pub fn join(&mut self, from: Node, to: Node, span: Span) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to {
            // An empty loop must stay a loop.
            self.edge(from, to, Op::Skip, span);
        } else {
            self.parent[from.index()] = to.0;
        }
    }

    /// The same as [`Body::join`] for two nodes that control only enters once more; joining one with itself is nothing.
    pub fn merge(&mut self, a: Node, b: Node) -> Node {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.index()] = b.0;
        b
    }

    /// Whether control can come to a node by an edge, or starts there.
    pub fn is_entered(&mut self, node: Node) -> bool {
        let node = self.find(node);
        if node == self.find(self.entry) {
            return true;
        }
        for at in (0..self.edges.len()).rev() {
            if self.find(self.edges[at].to) == node {
                return true;
            }
        }
        false
    }

    /// Adds all that is reachable from the entry to the program; returns entry and exit there.
    pub fn finish(&mut self, program: &mut Program, function: FunctionId) -> (Node, Node) {
        let mut edges = std::mem::take(&mut self.edges);
        for edge in &mut edges {
            edge.from = self.find(edge.from);
            edge.to = self.find(edge.to);
        }
        let count = self.parent.len();
        let mut first = vec![0_u32; count + 1];
        for edge in &edges {
            first[edge.from.index() + 1] += 1;
        }
        for at in 0..count {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut by_source = vec![0_u32; edges.len()];
        for (at, edge) in edges.iter().enumerate() {
            let slot = &mut next[edge.from.index()];
            by_source[*slot as usize] = at as u32;
            *slot += 1;
        }
        let exit = self.find(self.exit);
        assert_eq!(first[exit.index()], first[exit.index() + 1], "what follows the exit would be lost");
        // Nodes are numbered in the order of a depth-first walk, so that text reads from top to bottom.
        let mut number: Vec<Option<Node>> = vec![None; count];
        let mut order = Vec::new();
        let entry = self.find(self.entry);
        let mut stack = vec![entry];
        while let Some(node) = stack.pop() {
            if number[node.index()].is_some() || node == exit {
                continue;
            }
            number[node.index()] = Some(program.nodes.push(NodeInfo { function, loop_head: false }));
            order.push(node);
            let leaving = &by_source[first[node.index()] as usize..first[node.index() + 1] as usize];
            stack.extend(leaving.iter().rev().map(|&at| edges[at as usize].to));
        }
        let exit_node = program.nodes.push(NodeInfo { function, loop_head: false });
        number[exit.index()] = Some(exit_node);
        let mut slots: Vec<Option<Edge>> = edges.into_iter().map(Some).collect();
        for node in order {
            for at in first[node.index()]..first[node.index() + 1] {
                let edge = slots[by_source[at as usize] as usize].take().expect("each edge leaves one node");
                let from = number[edge.from.index()].expect("a walked node");
                let to = number[edge.to.index()].expect("targets of walked edges are walked");
                program.edges.push(Edge { from, to, ..edge });
            }
        }
        for node in std::mem::take(&mut self.initialising) {
            program.initialising.extend(number[self.find(node).index()]);
        }
        for Goal { node, kind, span, values, symbol } in std::mem::take(&mut self.targets) {
            match number[self.find(node).index()] {
                Some(node) => program.targets.push(Target { node, kind, span, values, symbol }),
                None => program.dead_targets += 1,
            }
        }
        (number[entry.index()].unwrap_or(exit_node), exit_node)
    }
}
