//! What a program says, apart from where it says it: digests of functions and of the whole program that comments,
//! layout and code that is never called do not change.
//!
//! Equal digests of a function mean equal automata, node by node and edge by edge, over variables of equal names,
//! types and places. Equal digests of programs mean that all functions that can be called are equal, but for those
//! whose calls do nothing (`idle`), so that the executions of the one are those of the other, but for steps inside such
//! functions.

use super::idle::idle_functions;
use base::{Id, IdVec};
use cfa::{Allocation, Expr, ExprId, FunctionId, Node, Op, Program, Source, Storage, VarId, VarKind};
use flow::Prepared;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fmt;

/// 128 bits of SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Digest(u128);

impl Digest {
    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Digest> {
        let plain = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u128::from_str_radix(text, 16).ok().filter(|_| plain).map(Digest)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Takes pieces of content in; pieces cannot run into each other.
#[derive(Default)]
pub struct Feed(Sha256);

impl Feed {
    /// A text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
        self
    }

    /// A number.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0.update(number.to_le_bytes());
        self
    }

    /// What another feed came to.
    pub fn digest(&mut self, digest: Digest) -> &mut Self {
        self.0.update(digest.0.to_le_bytes());
        self
    }

    /// The digest of all that was fed.
    pub fn finish(self) -> Digest {
        let bytes = self.0.finalize();
        Digest(u128::from_le_bytes(bytes[..16].try_into().expect("SHA-256 has 32 bytes")))
    }
}

/// Names that a program changed elsewhere still has: `f`, `f::x`, `x`, and `x'2` for the second of a name.
pub struct Names {
    /// Of functions.
    pub functions: IdVec<FunctionId, String>,
    /// Of variables.
    pub vars: IdVec<VarId, String>,
}

impl Names {
    /// Names of all functions and variables; no two are equal.
    pub fn new(program: &Program) -> Names {
        let mut unique = unique_names();
        let functions: Vec<String> =
            program.functions.ids().map(|id| unique(program.function_name(id).to_owned())).collect();
        let mut unique = unique_names();
        let vars = program.vars.iter().map(|(id, var)| match var.function {
            Some(function) => unique(format!("{}::{}", functions[function.index()], program.var_name(id))),
            None => unique(program.var_name(id).to_owned()),
        });
        let vars: Vec<String> = vars.collect();
        Names { functions: IdVec::from(functions), vars: IdVec::from(vars) }
    }
}

/// Marks every name but the first of its kind with a number.
fn unique_names() -> impl FnMut(String) -> String {
    let mut counts: HashMap<String, u32> = HashMap::new();
    move |name| {
        let count = counts.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { name } else { format!("{name}'{count}") }
    }
}

/// Digests of the functions that can be called, and of all of them together.
pub struct Content {
    /// Of the program.
    pub program: Digest,
    /// Of each function that can be called, with the number of its edges.
    pub functions: IdVec<FunctionId, Option<(Digest, usize)>>,
    /// The functions that do not count in the digest of the program.
    pub idle: IdVec<FunctionId, bool>,
}

impl Content {
    /// The digests of a program, which is ready for engines.
    pub fn new(program: &Prepared, names: &Names) -> Content {
        let calls = program.calls();
        let reader = Reader::new(program, names);
        let nodes = program.nodes_by_function();
        let idle = idle_functions(program, &calls);
        let mut functions = IdVec::filled(program.functions.len(), None);
        let mut all: Vec<(&str, Digest)> = Vec::new();
        for id in program.functions.ids().filter(|&id| calls.is_reachable(id)) {
            let digest = reader.function(id, &nodes[id]);
            let edges = nodes[id].iter().map(|&node| program.leaving(node).len()).sum();
            functions[id] = Some((digest, edges));
            if !idle[id] {
                all.push((&names.functions[id], digest));
            }
        }
        all.sort_unstable();
        let mut feed = Feed::default();
        feed.text(&format!("{:?} {:?}", program.model, program.undefined)).text(&names.functions[program.entry]);
        for (name, digest) in all {
            feed.text(name).digest(digest);
        }
        Content { program: feed.finish(), functions, idle }
    }
}

struct Reader<'p> {
    program: &'p Program,
    names: &'p Names,
    vars: Vec<Digest>,
    exprs: Vec<Digest>,
    targets: HashMap<Node, String>,
}

impl<'p> Reader<'p> {
    fn new(program: &'p Program, names: &'p Names) -> Self {
        let targets = program.targets.iter().map(|target| (target.node, program.target_word(target.kind)));
        let mut reader = Reader { program, names, vars: Vec::new(), exprs: Vec::new(), targets: targets.collect() };
        reader.vars = program.vars.ids().map(|var| reader.variable(var)).collect();
        for at in 0..program.exprs.len() {
            // Operands have smaller ids.
            let digest = reader.expr(ExprId::new(at));
            reader.exprs.push(digest);
        }
        reader
    }

    fn variable(&self, id: VarId) -> Digest {
        let var = &self.program.vars[id];
        let mut feed = Feed::default();
        feed.text(&self.names.vars[id]).text(&self.program.types.display(var.ty, &self.program.names));
        feed.text(match var.kind {
            VarKind::Global => "global",
            VarKind::Constant => "constant",
            VarKind::Literal => "literal",
            VarKind::Local => "local",
            VarKind::Parameter => "parameter",
            VarKind::Result => "result",
            VarKind::Temporary => "temporary",
        });
        match var.storage {
            Storage::Register(ty) => feed.text(&ty.to_string()),
            Storage::Memory { size, align } => feed.number(size).number(align),
        };
        feed.finish()
    }

    fn expr(&self, id: ExprId) -> Digest {
        let mut feed = Feed::default();
        feed.text(&self.program.exprs.ty(id).to_string());
        let of = |id: ExprId| self.exprs[id.index()];
        match self.program.exprs.node(id) {
            Expr::Const { low, high } => feed.text("const").number(low).number(high),
            Expr::Var(var) => feed.text("var").digest(self.vars[var.index()]),
            Expr::Addr(var) => feed.text("addr").digest(self.vars[var.index()]),
            Expr::Function(function) => feed.text("function").text(&self.names.functions[function]),
            Expr::Load(a) => feed.text("load").digest(of(a)),
            Expr::Unary(op, a) => feed.text(&format!("{op:?}")).digest(of(a)),
            Expr::Binary(op, a, b) => feed.text(&format!("{op:?}")).digest(of(a)).digest(of(b)),
            Expr::Cast(a) => feed.text("cast").digest(of(a)),
            Expr::Ite(a, b, c) => feed.text("ite").digest(of(a)).digest(of(b)).digest(of(c)),
            Expr::Living(question) => {
                feed.text(question.name()).digest(question.pointer().map_or(Digest::default(), of))
            }
        };
        feed.finish()
    }

    fn function(&self, id: FunctionId, nodes: &[Node]) -> Digest {
        let function = &self.program.functions[id];
        let numbers: HashMap<Node, u64> = nodes.iter().zip(0..).map(|(&node, number)| (node, number)).collect();
        let mut feed = Feed::default();
        feed.text(&self.names.functions[id]).text(&format!("{:?}", function.kind));
        for list in [&function.params, &function.locals] {
            feed.number(list.len() as u64);
            for var in list {
                feed.digest(self.vars[var.index()]);
            }
        }
        feed.number(function.result.map_or(0, |_| 1));
        feed.digest(function.result.map_or(Digest::default(), |var| self.vars[var.index()]));
        feed.number(numbers[&function.entry]);
        feed.number(numbers[&function.exit]);
        for &node in nodes {
            feed.number(u64::from(self.program.nodes[node].loop_head));
            feed.text(self.targets.get(&node).map_or("", String::as_str));
            let leaving = self.program.leaving(node);
            feed.number(leaving.len() as u64);
            for edge in leaving {
                let edge = &self.program.edges[edge];
                feed.number(numbers[&edge.to]);
                self.op(&mut feed, &edge.op);
            }
        }
        feed.finish()
    }

    fn op(&self, feed: &mut Feed, op: &Op) {
        let text = |symbol| self.program.text(symbol);
        let function = |id: FunctionId| self.names.functions[id].as_str();
        match op {
            Op::Skip => feed.text("skip"),
            Op::Assume(_) => feed.text("assume"),
            Op::Assign(..) => feed.text("assign"),
            Op::Havoc(_, source) => feed.text("havoc").text(&self.source(*source)),
            Op::Init(var) => {
                feed.text("init").number(self.program.vars[*var].init.len() as u64);
                for cell in &self.program.vars[*var].init {
                    feed.number(cell.offset).digest(self.exprs[cell.value.index()]);
                }
                &mut *feed
            }
            Op::Declare(_) => feed.text("declare"),
            Op::Store { .. } => feed.text("store"),
            Op::Copy { .. } => feed.text("copy"),
            Op::Fill { .. } => feed.text("fill"),
            Op::HavocMemory { size, source, .. } => {
                feed.text("havoc memory").number(u64::from(size.is_some())).text(&self.source(*source))
            }
            Op::Allocate { how, .. } => feed.text(match how {
                Allocation::Heap => "malloc",
                Allocation::HeapZeroed => "calloc",
                Allocation::Stack => "alloca",
                Allocation::Resize(_) => "realloc",
            }),
            Op::Free(_) => feed.text("free"),
            Op::End(_) => feed.text("end"),
            Op::Call { function: callee, .. } => feed.text("call").text(function(*callee)),
            Op::CallPointer { ty, .. } => {
                feed.text("call pointer").text(&self.program.types.display(*ty, &self.program.names))
            }
            Op::Return(_) => feed.text("return"),
            Op::Library { function, .. } => feed.text("library").text(function.name()),
            Op::Halt(_) => feed.text("halt"),
            Op::Unsupported(what) => feed.text("unsupported").text(text(*what)),
        };
        feed.digest(op.variable().map_or(Digest::default(), |var| self.vars[var.index()]));
        let operands: Vec<ExprId> = op.operands().collect();
        feed.number(operands.len() as u64);
        for operand in operands {
            feed.digest(self.exprs[operand.index()]);
        }
    }

    fn source(&self, source: Source) -> String {
        match source {
            Source::Input(name) => format!("input {}", self.program.text(name)),
            Source::Uninitialised => "uninitialised".to_owned(),
            Source::Indeterminate => "indeterminate".to_owned(),
            Source::Extern(name) => format!("extern {}", self.program.text(name)),
            Source::Asm => "asm".to_owned(),
            Source::Parameter => "parameter".to_owned(),
        }
    }
}
