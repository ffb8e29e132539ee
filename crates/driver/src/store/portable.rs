//! Evidence in a form that survives a change of the program: places and variables by name and number instead of by id,
//! expressions as a list in which operands come first.

use super::content::{Content, Names};
use base::IdVec;
use cfa::{BinOp, Expr, ExprId, Exprs, FloatKind, FunctionId, Living, Node, Program, Scalar, UnOp, VarId};
use semantics::choices::Choices;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use verdict::Proof;

/// The choices of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Inputs {
    havocs: Vec<u128>,
    bytes: Vec<(u32, u64, u8)>,
    addresses: Vec<(u32, u64)>,
}

impl Inputs {
    /// The choices of a counterexample without undefined behaviour.
    pub fn new(choices: &Choices) -> Inputs {
        Inputs {
            havocs: choices.havocs.clone(),
            bytes: choices.bytes.iter().map(|(&(birth, offset), &byte)| (birth, offset, byte)).collect(),
            addresses: choices.addresses.iter().map(|(&birth, &address)| (birth, address)).collect(),
        }
    }

    /// What the interpreter takes.
    pub fn choices(&self) -> Choices {
        Choices {
            havocs: self.havocs.clone(),
            bytes: self.bytes.iter().map(|&(birth, offset, byte)| ((birth, offset), byte)).collect(),
            addresses: self.addresses.iter().copied().collect(),
            undefined: Vec::new(),
        }
    }
}

/// A location.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum PortableNode {
    /// The loop head of this number in the function.
    Loop(String, usize),
    /// The location of this number in the function, which had this digest.
    Node(String, usize, String),
}

/// An expression over names; numbers are positions in the list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Part {
    Const(String, u64, u64),
    Var(String),
    Addr(String),
    Function(String),
    Load(String, usize),
    Unary(String, usize),
    Binary(String, usize, usize),
    Cast(String, usize),
    Ite(usize, usize, usize),
    /// A question about living objects.
    Living(String, Option<usize>),
}

/// Truth values at locations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Invariants {
    parts: Vec<Part>,
    at: Vec<(PortableNode, usize)>,
}

/// The nodes of every function, and their numbers.
struct Numbering {
    nodes: IdVec<FunctionId, Vec<Node>>,
    loops: IdVec<FunctionId, Vec<Node>>,
}

impl Numbering {
    fn new(program: &Program) -> Numbering {
        let nodes = program.nodes_by_function();
        let mut loops: IdVec<FunctionId, Vec<Node>> = IdVec::filled(program.functions.len(), Vec::new());
        for (node, info) in program.nodes.iter().filter(|(_, info)| info.loop_head) {
            loops[info.function].push(node);
        }
        Numbering { nodes, loops }
    }
}

impl Invariants {
    /// The invariants of a proof. Those inside functions that do not count are of no use to another program.
    pub fn new(program: &Program, names: &Names, content: &Content, proof: &Proof) -> Invariants {
        let numbering = Numbering::new(program);
        let place = |node: Node| {
            let function = program.nodes[node].function;
            let name = names.functions[function].clone();
            let digest = content.functions[function].map(|(digest, _)| digest.to_string()).unwrap_or_default();
            // Nodes of a function are in ascending order.
            match numbering.loops[function].binary_search(&node) {
                Ok(number) => PortableNode::Loop(name, number),
                Err(_) => {
                    let number = numbering.nodes[function].binary_search(&node).expect("a node of its function");
                    PortableNode::Node(name, number, digest)
                }
            }
        };
        let mut parts = Vec::new();
        let mut known: HashMap<ExprId, usize> = HashMap::new();
        let mut at = Vec::new();
        let counts = |node: Node| !content.idle[program.nodes[node].function];
        for &(node, invariant) in proof.invariants.iter().filter(|(node, _)| counts(*node)) {
            proof.exprs.visit(invariant, |id, expr| {
                if !known.contains_key(&id) {
                    parts.push(part(&proof.exprs, names, id, expr, &known));
                    known.insert(id, parts.len() - 1);
                }
            });
            at.push((place(node), known[&invariant]));
        }
        Invariants { parts, at }
    }

    /// The invariants in terms of a program whose expressions they are added to. What the program has no name for is
    /// left out; `complete` tells whether nothing was.
    pub fn restore(&self, program: &Program, names: &Names, content: &Content) -> Restored {
        let lookup = Lookup::new(program, names);
        let mut exprs = program.exprs.clone();
        let mut known: Vec<Option<ExprId>> = Vec::new();
        for part in &self.parts {
            let expr = build(&mut exprs, program, &lookup, &known, part);
            known.push(expr);
        }
        let numbering = Numbering::new(program);
        let node = |place: &PortableNode| -> Option<Node> {
            match place {
                PortableNode::Loop(name, number) => {
                    numbering.loops[*lookup.functions.get(name.as_str())?].get(*number).copied()
                }
                PortableNode::Node(name, number, digest) => {
                    let function = *lookup.functions.get(name.as_str())?;
                    let same = content.functions[function].is_some_and(|(own, _)| own.to_string() == *digest);
                    numbering.nodes[function].get(*number).copied().filter(|_| same)
                }
            }
        };
        let found = self.at.iter().map(|(place, at)| Some((node(place)?, known.get(*at).copied().flatten()?)));
        let found: Vec<Option<(Node, ExprId)>> = found.collect();
        let complete = found.iter().all(Option::is_some);
        let truths = found.into_iter().flatten().filter(|(_, expr)| exprs.ty(*expr) == Scalar::Bool).collect();
        Restored { invariants: truths, exprs, complete }
    }
}

/// Invariants of an earlier run as expressions of this one.
pub struct Restored {
    /// The program's expressions and those of the invariants.
    pub exprs: Exprs,
    /// What once held.
    pub invariants: Vec<(Node, ExprId)>,
    /// Whether this is all of it.
    pub complete: bool,
}

fn part(exprs: &Exprs, names: &Names, id: ExprId, expr: Expr, known: &HashMap<ExprId, usize>) -> Part {
    let ty = exprs.ty(id).to_string();
    match expr {
        Expr::Const { low, high } => Part::Const(ty, low, high),
        Expr::Var(var) => Part::Var(names.vars[var].clone()),
        Expr::Addr(var) => Part::Addr(names.vars[var].clone()),
        Expr::Function(function) => Part::Function(names.functions[function].clone()),
        Expr::Load(a) => Part::Load(ty, known[&a]),
        Expr::Unary(op, a) => Part::Unary(format!("{op:?}"), known[&a]),
        Expr::Binary(op, a, b) => Part::Binary(format!("{op:?}"), known[&a], known[&b]),
        Expr::Cast(a) => Part::Cast(ty, known[&a]),
        Expr::Ite(a, b, c) => Part::Ite(known[&a], known[&b], known[&c]),
        Expr::Living(question) => Part::Living(question.name().to_owned(), question.pointer().map(|a| known[&a])),
    }
}

struct Lookup<'n> {
    functions: HashMap<&'n str, FunctionId>,
    vars: HashMap<&'n str, VarId>,
}

impl<'n> Lookup<'n> {
    fn new(program: &Program, names: &'n Names) -> Self {
        Lookup {
            functions: program.functions.ids().map(|id| (names.functions[id].as_str(), id)).collect(),
            vars: program.vars.ids().map(|id| (names.vars[id].as_str(), id)).collect(),
        }
    }
}

/// The expression, if the program has what it speaks of. Types may have changed with the program: where they no longer
/// fit, the constructors panic, which the caller catches.
fn build(
    exprs: &mut Exprs,
    program: &Program,
    lookup: &Lookup,
    known: &[Option<ExprId>],
    part: &Part,
) -> Option<ExprId> {
    let of = |at: &usize| known.get(*at).copied().flatten();
    Some(match part {
        Part::Const(ty, low, high) => exprs.bits(scalar(ty)?, u128::from(*low) | u128::from(*high) << 64),
        Part::Var(name) => {
            let var = *lookup.vars.get(name.as_str())?;
            exprs.var(var, program.register(var)?)
        }
        Part::Addr(name) => {
            let var = *lookup.vars.get(name.as_str())?;
            match program.register(var) {
                Some(_) => return None,
                None => exprs.addr(var),
            }
        }
        Part::Function(name) => exprs.function(*lookup.functions.get(name.as_str())?),
        Part::Load(ty, a) => exprs.load(of(a)?, scalar(ty)?),
        Part::Unary(op, a) => exprs.unary(unary(op)?, of(a)?),
        Part::Binary(op, a, b) => exprs.binary(binary(op)?, of(a)?, of(b)?),
        Part::Cast(ty, a) => exprs.cast(of(a)?, scalar(ty)?),
        Part::Ite(a, b, c) => exprs.ite(of(a)?, of(b)?, of(c)?),
        Part::Living(name, a) => exprs.living(living(name, a.as_ref().and_then(of))?),
    })
}

fn scalar(text: &str) -> Option<Scalar> {
    let floats = FloatKind::ALL.map(Scalar::Float);
    let ints = (1..=16).flat_map(|bytes| [true, false].map(|signed| Scalar::int(8 * bytes, signed)));
    [Scalar::Bool, Scalar::Ptr].into_iter().chain(floats).chain(ints).find(|scalar| scalar.to_string() == text)
}

fn living(name: &str, pointer: Option<ExprId>) -> Option<Living> {
    let all = Living::all(pointer.unwrap_or(ExprId(0)));
    { all }.find(|question| question.name() == name && question.pointer().is_some() == pointer.is_some())
}

fn unary(text: &str) -> Option<UnOp> {
    use UnOp::*;
    let all = [Not, Neg, BitNot, Abs, Sqrt, Floor, Ceil, Trunc, Round, RoundEven, SignBit];
    all.into_iter().find(|op| format!("{op:?}") == text)
}

fn binary(text: &str) -> Option<BinOp> {
    use BinOp::*;
    let all = [Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor, Eq, Lt, Le, PtrAdd];
    all.into_iter().find(|op| format!("{op:?}") == text)
}
