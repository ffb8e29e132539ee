//! The program: functions, variables, nodes and edges in flat tables.

use crate::expr::{ExprId, Exprs};
use crate::op::Op;
use crate::scalar::{DataModel, Scalar};
use crate::target::{CheckCounts, Target};
use crate::types::{TypeId, Types};
use base::{Id, IdVec, Interner, SourceMap, Span, Symbol, define_id};
use std::collections::BTreeSet;
use std::sync::Arc;

define_id!(
    /// A program location.
    Node,
    "n"
);
define_id!(
    /// An edge of some automaton.
    EdgeId,
    "edge"
);
define_id!(
    /// A variable of the program.
    VarId,
    "v"
);
define_id!(
    /// A function of the program.
    FunctionId,
    "fn"
);

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// A scalar whose address is never taken: read by [`crate::Expr::Var`], written by `Assign` and `Havoc`.
    Register(Scalar),
    /// An object of this many bytes: read and written through its address.
    Memory {
        /// Bytes.
        size: u64,
        /// Alignment of its address.
        align: u64,
    },
}

/// What a variable is to the user.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VarKind {
    /// File scope, or a local `static`.
    Global,
    /// The bytes of a string literal.
    Literal,
    /// Declared in a function.
    Local,
    /// A parameter, always a register.
    Parameter,
    /// The value that a function returns, always a register.
    Result,
    /// Made by lowering.
    Temporary,
}

impl VarKind {
    /// Whether it exists as long as the program runs, and holds zeros where nothing initialises it.
    pub fn is_static(self) -> bool {
        match self {
            VarKind::Global | VarKind::Literal => true,
            VarKind::Local | VarKind::Parameter | VarKind::Result | VarKind::Temporary => false,
        }
    }
}

/// The global register that says that the function which has just returned gave no value, where that is checked.
pub const UNRETURNED: &str = "$unreturned";

/// One scalar of a static initialiser. Bytes that no cell covers are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitCell {
    /// From the variable's first byte.
    pub offset: u64,
    /// A constant, or an address plus a constant.
    pub value: ExprId,
}

/// A static initialiser: non-overlapping cells by ascending offset.
pub type Init = Box<[InitCell]>;

/// A variable. Locals exist once per activation of their function.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in C; temporaries have one that C cannot spell.
    pub name: Symbol,
    /// The function it is local to.
    pub function: Option<FunctionId>,
    /// What it is to the user.
    pub kind: VarKind,
    /// Its C type.
    pub ty: TypeId,
    /// Where it lives.
    pub storage: Storage,
    /// What a global in memory holds at the start.
    pub init: Init,
    /// Its declaration.
    pub span: Span,
}

/// Where a function's automaton comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// Defined by the user.
    Defined,
    /// The start of the program: initialises globals, then calls the entry function.
    Start,
    /// A library function, by a model.
    Model,
    /// Has no body: its automaton returns arbitrary values.
    Extern,
}

/// A function and its automaton.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in C.
    pub name: Symbol,
    /// Where its automaton comes from.
    pub kind: FunctionKind,
    /// Its C type.
    pub ty: TypeId,
    /// Register variables that calls assign. Aggregates are passed by the address of a copy; a function that
    /// returns an aggregate gets the address for it as first parameter; a variadic one gets the address of its
    /// further arguments as last parameter.
    pub params: Vec<VarId>,
    /// The register variable that `Return` assigns.
    pub result: Option<VarId>,
    /// Parameters, result and locals.
    pub locals: Vec<VarId>,
    /// Where calls begin.
    pub entry: Node,
    /// Where `Return` leads; has no leaving edge.
    pub exit: Node,
    /// The header of the definition.
    pub span: Span,
}

impl Function {
    /// A function whose automaton is still to be made.
    pub fn new(name: Symbol, kind: FunctionKind, ty: TypeId, span: Span) -> Function {
        let (params, locals) = (Vec::new(), Vec::new());
        Function { name, kind, ty, params, result: None, locals, entry: Node(0), exit: Node(0), span }
    }
}

/// A location.
#[derive(Clone, Copy, Debug)]
pub struct NodeInfo {
    /// The function it belongs to.
    pub function: FunctionId,
    /// Whether every cycle through it is cut here; set by `loops`.
    pub loop_head: bool,
}

/// A step between two locations of one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Before.
    pub from: Node,
    /// After.
    pub to: Node,
    /// What it does.
    pub op: Op,
    /// The piece of source that it comes from.
    pub span: Span,
}

/// What functions outside the program may do: those without a body, and those that pointers from outside lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outside {
    /// They return arbitrary values and change nothing that the program can see.
    Pure,
    /// They may also write to what they get by a non-const pointer.
    Writes,
}

/// What an execution does when it meets undefined behaviour (signed overflow and reading uninitialised bytes do not
/// count).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Undefined {
    /// It ends: what would come after it is not an execution that shows an error.
    #[default]
    Report,
    /// It goes on: reads give an arbitrary value, writes change nothing.
    Continue,
}

/// What is asked about a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Question {
    /// Whether an execution reaches a target.
    #[default]
    Targets,
    /// Whether every execution ends. Then loops are watched, see [`Termination`].
    End,
}

/// A loop that is watched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WatchedLoop {
    /// Its head.
    pub head: Node,
    /// The target that is reached where it repeats itself.
    pub target: Node,
    /// The register that says whether to remember a state of it.
    pub choice: VarId,
}

/// A program whose loops are watched: executions that repeat themselves reach a target.
#[derive(Clone, Debug)]
pub struct Termination {
    /// The program without watches. Its nodes have the same ids.
    pub plain: Program,
    /// Whether every execution that does not end repeats itself.
    pub complete: bool,
    /// The loops that are watched, by head.
    pub loops: Vec<WatchedLoop>,
    /// Those among them that have finitely many states, so that each of them ends unless it repeats itself.
    pub finite: Vec<WatchedLoop>,
    /// The register with the number of what is remembered: it gets a constant where a repetition may begin.
    pub held: VarId,
    /// The registers that say whether to remember, ascending; each is an arbitrary value.
    pub choices: Vec<VarId>,
}

impl Termination {
    /// Whether an operation remembers a state.
    pub fn remembers(&self, exprs: &Exprs, op: &Op) -> bool {
        matches!(op, Op::Assign(var, value) if *var == self.held && exprs.constant(*value).is_some_and(|value| value != 0))
    }
}

/// A whole program. Built by `lower`; passes change `nodes` and `edges` and then call [`Program::index`].
#[derive(Clone, Debug)]
pub struct Program {
    /// Sizes.
    pub model: DataModel,
    /// All names.
    pub names: Interner,
    /// All texts.
    pub sources: SourceMap,
    /// C types and their layout.
    pub types: Types,
    /// All expressions.
    pub exprs: Exprs,
    /// All variables.
    pub vars: IdVec<VarId, Variable>,
    /// All functions, each with an automaton.
    pub functions: IdVec<FunctionId, Function>,
    /// All locations.
    pub nodes: IdVec<Node, NodeInfo>,
    /// All edges; after `index` sorted by source node, in the order of construction at each node.
    pub edges: IdVec<EdgeId, Edge>,
    /// Where the program starts (of kind `Start`).
    pub entry: FunctionId,
    /// What must not be reached.
    pub targets: Vec<Target>,
    /// How many targets lowering met in code that no path leads to.
    pub dead_targets: u32,
    /// What became of checks for undefined behaviour.
    pub checks: CheckCounts,
    /// Where checks were that cheap facts proved, so that they are not targets.
    pub settled: Vec<Span>,
    /// What the verdict rests on beyond the source text, one line each, no repetitions.
    pub assumptions: Vec<String>,
    /// Parts of expressions that C leaves unordered; gone once those are listed that matter.
    pub unordered: Vec<crate::unordered::Unordered>,
    /// Nodes from which an object that is defined `const` gets its initial value; gone once writes to such objects are
    /// checked.
    pub initialising: BTreeSet<Node>,
    /// String literals that the text has more than once.
    pub repeated_literals: BTreeSet<VarId>,
    /// Whether an execution after undefined behaviour counts.
    pub undefined: Undefined,
    /// What is asked.
    pub question: Question,
    /// Set once loops are watched, where the question is whether executions end.
    pub termination: Option<Arc<Termination>>,
    leaving: Vec<u32>,
    entering: Vec<u32>,
    entering_edges: Vec<EdgeId>,
}

impl Program {
    /// A program without functions; the builder sets `entry`.
    pub fn new(model: DataModel, names: Interner, sources: SourceMap) -> Self {
        Self {
            model,
            names,
            sources,
            types: Types::new(model),
            exprs: Exprs::new(model),
            vars: IdVec::new(),
            functions: IdVec::new(),
            nodes: IdVec::new(),
            edges: IdVec::new(),
            entry: FunctionId(0),
            targets: Vec::new(),
            dead_targets: 0,
            checks: CheckCounts::default(),
            settled: Vec::new(),
            assumptions: Vec::new(),
            unordered: Vec::new(),
            initialising: BTreeSet::new(),
            repeated_literals: BTreeSet::new(),
            undefined: Undefined::default(),
            question: Question::default(),
            termination: None,
            leaving: Vec::new(),
            entering: Vec::new(),
            entering_edges: Vec::new(),
        }
    }

    /// Sorts edges by source node and rebuilds the tables behind [`Program::leaving`] and [`Program::entering`].
    pub fn index(&mut self) {
        let mut edges: Vec<Edge> = std::mem::take(&mut self.edges).into_iter().collect();
        edges.sort_by_key(|edge| edge.from);
        let count = |key: fn(&Edge) -> Node| {
            let mut offsets = vec![0; self.nodes.len() + 1];
            for edge in &edges {
                offsets[key(edge).index() + 1] += 1;
            }
            for at in 1..offsets.len() {
                offsets[at] += offsets[at - 1];
            }
            offsets
        };
        self.leaving = count(|edge| edge.from);
        self.entering = count(|edge| edge.to);
        let mut next = self.entering.clone();
        self.entering_edges = vec![EdgeId(0); edges.len()];
        for (at, edge) in edges.iter().enumerate() {
            let slot = &mut next[edge.to.index()];
            self.entering_edges[*slot as usize] = EdgeId::new(at);
            *slot += 1;
        }
        self.edges = IdVec::from(edges);
    }

    /// Whether edges and nodes are as the last [`Program::index`] left them, as far as it matters to look them up.
    pub fn is_indexed(&self) -> bool {
        let edges = self.edges.as_slice();
        self.leaving.len() == self.nodes.len() + 1
            && self.entering_edges.len() == edges.len()
            && edges.is_sorted_by_key(|edge| edge.from)
            && self.nodes.ids().all(|node| self.leaving(node).all(|edge| self.edges[edge].from == node))
            && self.nodes.ids().all(|node| self.entering(node).iter().all(|&edge| self.edges[edge].to == node))
    }

    /// The edges that leave a node.
    pub fn leaving(&self, node: Node) -> impl ExactSizeIterator<Item = EdgeId> + use<> {
        (self.leaving[node.index()]..self.leaving[node.index() + 1]).map(EdgeId)
    }

    /// The edges that enter a node.
    pub fn entering(&self, node: Node) -> &[EdgeId] {
        &self.entering_edges[self.entering[node.index()] as usize..self.entering[node.index() + 1] as usize]
    }

    /// The target at a node.
    pub fn target_at(&self, node: Node) -> Option<&Target> {
        self.targets.iter().find(|target| target.node == node)
    }

    /// The same program with fewer targets; where the others were, executions end.
    pub fn with_targets(&self, keep: impl Fn(&Target) -> bool) -> Program {
        let mut program = self.clone();
        program.targets.retain(keep);
        program
    }

    /// The same program with a store that has further expressions after its own.
    pub fn with_exprs(&self, exprs: Exprs) -> Program {
        assert!(exprs.len() >= self.exprs.len(), "its own expressions keep their numbers");
        let mut program = self.clone();
        program.exprs = exprs;
        program
    }

    /// The type of a register variable; `None` for one in memory.
    pub fn register(&self, var: VarId) -> Option<Scalar> {
        match self.vars[var].storage {
            Storage::Register(ty) => Some(ty),
            Storage::Memory { .. } => None,
        }
    }

    /// Whether C forbids to write to a variable in memory: a string literal, or what is defined `const`.
    pub fn is_read_only(&self, var: VarId) -> bool {
        let variable = &self.vars[var];
        let is_constant = variable.kind == VarKind::Literal || self.types.is_const(variable.ty);
        matches!(variable.storage, Storage::Memory { .. }) && is_constant
    }

    /// The text of a name.
    pub fn text(&self, name: Symbol) -> &str {
        self.names.text(name)
    }

    /// The name of a variable.
    pub fn var_name(&self, var: VarId) -> &str {
        self.text(self.vars[var].name)
    }

    /// The name of a function.
    pub fn function_name(&self, function: FunctionId) -> &str {
        self.text(self.functions[function].name)
    }

    /// The function of a name, if the program has it.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        let symbol = self.names.lookup(name)?;
        self.functions.iter().find(|(_, function)| function.name == symbol).map(|(id, _)| id)
    }
}
