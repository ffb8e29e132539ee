//! Recursion without recursion: every call of a function that cuts a cycle of calls is replaced by what is known of the
//! function, its *contract*, and the contract becomes something to prove of the function's body. This is Hoare's rule
//! for recursive procedures [Hoa71] as a change of the program: if no target of the new program is reached, then none of
//! the source is.
//!
//! 1. **Inputs and outputs.** A contract relates the parameters and the globals that the function and its callees use,
//!    as they are when it is called, to its result and to the globals that they change. Ghost registers hold them.
//! 2. **Calls.** `r = f(e)` becomes: inputs get their values; the precondition is *claimed*; outputs become arbitrary;
//!    the postcondition is *granted*; `r` and the globals get the outputs.
//! 3. **Bodies.** The program starts with a choice: it goes on as before, or it calls one such function with arbitrary
//!    inputs for which the precondition is granted, and where that call returns, the postcondition is claimed.
//!
//! *Soundness.* Conditions hold at every call and return of an execution of the source, by induction over the order in
//! which these happen. A call is made, or a target is reached, by an activation of some function, or by the start of the
//! program. Up to then, that activation has been called with its precondition (an earlier call), and the calls it made
//! returned with their postconditions (earlier returns). So the new program can follow it: from the choice of that
//! function, with these inputs and these outputs of calls. What is claimed there holds, since claims that fail are
//! targets. The same goes for its return. Nothing is said about termination, nor needed.
//!
//! The functions must touch no memory and have no pointers among inputs and outputs: then nothing else can change.

use crate::register::add_register;
use base::{IdVec, Span};
use cfa::{
    BinOp, Edge, Expr, ExprId, Exprs, FunctionId, Node, NodeInfo, Op, Program, Scalar, Source, Target, TargetKind,
    VarId, VarKind,
};
use flow::{CallGraph, PointsTo, Prepared};
use std::collections::BTreeSet;

/// A program without recursion, with contracts to be chosen.
#[derive(Clone, Debug)]
pub struct Contracts {
    /// Grants and claims nothing yet. Nodes, variables and expressions of the source keep their ids.
    pub program: Program,
    /// One for each function that cuts a cycle of calls.
    pub contracts: Vec<Contract>,
}

/// What a contract is about.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Whose.
    pub function: FunctionId,
    /// Parameters, then globals, each with the ghost that holds its value at the call.
    pub inputs: Vec<(VarId, VarId)>,
    /// The result, if there is one, then globals, each with the ghost that holds its value at the return.
    pub outputs: Vec<(VarId, VarId)>,
    /// The precondition.
    pub before: Places,
    /// The postcondition.
    pub after: Places,
}

/// Where a condition is granted and claimed: nodes with one leaving edge that does nothing.
#[derive(Clone, Default, Debug)]
pub struct Places {
    /// Nodes where it may be assumed.
    pub granted: Vec<Node>,
    /// Nodes where it must hold.
    pub claimed: Vec<Node>,
}

impl Contracts {
    /// For a program with recursion; else, why it cannot be done.
    pub fn new(source: &Prepared, points_to: &PointsTo) -> Result<Contracts, String> {
        let calls = source.calls();
        let heads: Vec<FunctionId> =
            calls.recursion_heads().iter().copied().filter(|&head| calls.is_reachable(head)).collect();
        if heads.is_empty() {
            return Err("there is no recursion".to_owned());
        }
        let mut program = Program::clone(source);
        let mut contracts = Vec::new();
        for function in heads {
            let used = Used::new(source, &calls, function)?;
            let made = contract(&mut program, function, &used)?;
            if passes_addresses(source, points_to, &made) {
                let name = source.function_name(function);
                return Err(format!("the recursive function `{name}` passes addresses as numbers"));
            }
            contracts.push(made);
        }
        let mut rewrite = Rewrite { program, contracts, edges: Vec::new() };
        for (_, edge) in source.edges.iter() {
            rewrite.edge(edge);
        }
        rewrite.start();
        let Rewrite { mut program, contracts, edges } = rewrite;
        program.edges = IdVec::from(edges);
        program.index();
        flow::find_loops(&mut program);
        program.assert_valid();
        Ok(Contracts { program, contracts })
    }

    /// The program with these conditions, one pair per contract, over its ghosts. Claims that fail are targets.
    pub fn with(&self, exprs: Exprs, conditions: &[(ExprId, ExprId)]) -> Program {
        assert_eq!(conditions.len(), self.contracts.len(), "a pair of conditions for each contract");
        let is_condition = |id: ExprId| exprs.ty(id) == Scalar::Bool;
        assert!(
            conditions.iter().all(|&(before, after)| is_condition(before) && is_condition(after)),
            "of truth values"
        );
        let mut program = self.program.clone();
        program.exprs = exprs;
        let mut edges: Vec<Edge> = program.edges.iter().map(|(_, edge)| edge.clone()).collect();
        for (contract, &(before, after)) in self.contracts.iter().zip(conditions) {
            for (places, condition) in [(&contract.before, before), (&contract.after, after)] {
                let stated: BTreeSet<Node> = places.granted.iter().chain(&places.claimed).copied().collect();
                for edge in edges.iter_mut().filter(|edge| stated.contains(&edge.from)) {
                    edge.op = Op::Assume(condition);
                }
                let fails = program.exprs.not(condition);
                for &from in &places.claimed {
                    let NodeInfo { function, .. } = program.nodes[from];
                    let to = program.nodes.push(NodeInfo { function, loop_head: false });
                    let span = edges.iter().find(|edge| edge.from == from).map_or(Span::default(), |edge| edge.span);
                    edges.push(Edge { from, to, op: Op::Assume(fails), span });
                    program.targets.push(Target::new(to, TargetKind::Assertion, span));
                }
            }
        }
        program.edges = IdVec::from(edges);
        program.index();
        flow::find_loops(&mut program);
        program.assert_valid();
        program
    }
}

/// The globals that a function and its callees read and change.
#[derive(Default)]
struct Used {
    read: BTreeSet<VarId>,
    changed: BTreeSet<VarId>,
}

impl Used {
    fn new(program: &Program, calls: &CallGraph, function: FunctionId) -> Result<Used, String> {
        let mut functions = BTreeSet::from([function]);
        let mut stack = vec![function];
        while let Some(function) = stack.pop() {
            let callees = calls.calls(function).iter().map(|(_, callee)| *callee);
            stack.extend(callees.filter(|callee| functions.insert(*callee)));
        }
        let mut used = Used::default();
        let is_global = |var: VarId| program.vars[var].function.is_none();
        for (_, edge) in program.edges.iter() {
            if !functions.contains(&program.nodes[edge.from].function) {
                continue;
            }
            let mut touches = touches_memory(&edge.op);
            for operand in edge.op.operands() {
                program.exprs.visit(operand, |_, node| match node {
                    Expr::Var(var) if is_global(var) => {
                        used.read.insert(var);
                    }
                    Expr::Load(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Living(_) => touches = true,
                    Expr::Var(_) | Expr::Const { .. } | Expr::Unary(..) => {}
                    Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
                });
            }
            if touches {
                let name = program.function_name(function);
                return Err(format!("the recursive function `{name}` touches memory"));
            }
            used.changed.extend(edge.op.variable().filter(|&var| is_global(var)));
        }
        Ok(used)
    }
}

/// Whether a function is given numbers that are addresses: a contract would say what they are, but not where they lead.
/// It makes none itself, since it touches no memory.
fn passes_addresses(program: &Program, points_to: &PointsTo, contract: &Contract) -> bool {
    let given: BTreeSet<VarId> = contract.inputs.iter().map(|(input, _)| *input).collect();
    program.exprs.ids().any(|id| match program.exprs.node(id) {
        Expr::Var(var) => given.contains(&var) && points_to.knows(id) && !points_to.targets(id).places.is_empty(),
        _ => false,
    })
}

fn touches_memory(op: &Op) -> bool {
    match op {
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Call { .. } | Op::Return(_) => false,
        Op::Halt(_) | Op::Unsupported(_) => false,
        Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => true,
        Op::HavocMemory { .. } | Op::Allocate { .. } | Op::Free(_) | Op::End(_) | Op::CallPointer { .. } => true,
        Op::Library { .. } => true,
    }
}

fn contract(program: &mut Program, function: FunctionId, used: &Used) -> Result<Contract, String> {
    let params = program.functions[function].params.clone();
    let result = program.functions[function].result;
    let given = params.into_iter().chain(used.read.union(&used.changed).copied());
    let given = given.map(|var| ghost(program, function, var, "at the call")).collect::<Result<_, _>>()?;
    let back = result.into_iter().chain(used.changed.iter().copied());
    let back = back.map(|var| ghost(program, function, var, "at the return")).collect::<Result<_, _>>()?;
    Ok(Contract { function, inputs: given, outputs: back, before: Places::default(), after: Places::default() })
}

fn ghost(program: &mut Program, function: FunctionId, var: VarId, when: &str) -> Result<(VarId, VarId), String> {
    let name = program.function_name(function);
    let Some(ty) = program.register(var).filter(|ty| *ty != Scalar::Ptr) else {
        return Err(format!("the recursive function `{name}` passes pointers"));
    };
    let name = format!("{name}: {} {when}", program.var_name(var));
    Ok((var, add_register(program, &name, VarKind::Temporary, None, ty)))
}

struct Rewrite {
    program: Program,
    contracts: Vec<Contract>,
    edges: Vec<Edge>,
}

impl Rewrite {
    fn fresh(&mut self, like: Node) -> Node {
        let function = self.program.nodes[like].function;
        self.program.nodes.push(NodeInfo { function, loop_head: false })
    }

    /// Edges with `ops` from `from` to a new node, which is returned.
    fn steps(&mut self, mut from: Node, ops: Vec<Op>, span: Span) -> Node {
        for op in ops {
            let to = self.fresh(from);
            self.edges.push(Edge { from, to, op, span });
            from = to;
        }
        from
    }

    /// `to := the value of from`, for all pairs.
    fn assign(&mut self, pairs: impl Iterator<Item = (VarId, VarId)>) -> Vec<Op> {
        let program = &mut self.program;
        pairs
            .map(|(to, from)| {
                let ty = program.register(from).expect("inputs and outputs are registers");
                Op::Assign(to, program.exprs.var(from, ty))
            })
            .collect()
    }

    fn edge(&mut self, edge: &Edge) {
        let Op::Call { function, args, result } = &edge.op else {
            return self.edges.push(edge.clone());
        };
        let Some(at) = self.contracts.iter().position(|contract| contract.function == *function) else {
            return self.edges.push(edge.clone());
        };
        let Contract { inputs, outputs, .. } = self.contracts[at].clone();
        let returns = self.program.functions[*function].result.is_some();
        let mut ops: Vec<Op> = inputs.iter().zip(args).map(|((_, ghost), arg)| Op::Assign(*ghost, *arg)).collect();
        ops.extend(self.assign(inputs[args.len()..].iter().map(|&(global, ghost)| (ghost, global))));
        let claimed = self.steps(edge.from, ops, edge.span);
        let mut ops = vec![Op::Skip];
        ops.extend(outputs.iter().map(|(_, ghost)| Op::Havoc(*ghost, Source::Uninitialised)));
        let granted = self.steps(claimed, ops, edge.span);
        let to = result.iter().map(|result| (*result, outputs[0].1));
        let globals = outputs[usize::from(returns)..].iter().copied();
        let ops = self.assign(to.chain(globals));
        let after = self.steps(granted, vec![Op::Skip], edge.span);
        let last = self.steps(after, ops, edge.span);
        self.edges.push(Edge { from: last, to: edge.to, op: Op::Skip, span: edge.span });
        self.contracts[at].before.claimed.push(claimed);
        self.contracts[at].after.granted.push(granted);
    }

    /// The choice at the start, and the calls with arbitrary inputs.
    fn start(&mut self) {
        let start = self.program.entry;
        let old = self.program.functions[start].entry;
        let choice = add_register(&mut self.program, "which call", VarKind::Temporary, Some(start), Scalar::INT);
        let entry = self.fresh(old);
        self.program.functions[start].entry = entry;
        let mut at = self.steps(entry, vec![Op::Havoc(choice, Source::Uninitialised)], Span::default());
        for number in 0..self.contracts.len() {
            let exprs = &mut self.program.exprs;
            let (chosen, this) = (exprs.var(choice, Scalar::INT), exprs.int(Scalar::INT, number as i128));
            let this = exprs.binary(BinOp::Eq, chosen, this);
            let other = exprs.not(this);
            let (body, next) = (self.fresh(old), self.fresh(old));
            self.edges.push(Edge { from: at, to: body, op: Op::Assume(this), span: Span::default() });
            self.edges.push(Edge { from: at, to: next, op: Op::Assume(other), span: Span::default() });
            self.body(number, body);
            at = next;
        }
        self.edges.push(Edge { from: at, to: old, op: Op::Skip, span: Span::default() });
    }

    /// Calls a function with arbitrary inputs; they are kept, since calls that it makes use the ghosts.
    fn body(&mut self, number: usize, at: Node) {
        let Contract { function, inputs, outputs, .. } = self.contracts[number].clone();
        let (start, span) = (self.program.entry, self.program.functions[function].span);
        let returned = self.program.functions[function].result;
        let kept: Vec<(VarId, VarId)> = inputs
            .iter()
            .map(|&(_, ghost)| {
                let ty = self.program.register(ghost).expect("ghosts are registers");
                let name = self.program.var_name(ghost).to_owned();
                (ghost, add_register(&mut self.program, &name, VarKind::Temporary, Some(start), ty))
            })
            .collect();
        let mut ops: Vec<Op> = kept.iter().map(|(_, kept)| Op::Havoc(*kept, Source::Uninitialised)).collect();
        ops.extend(self.assign(kept.iter().copied()));
        let params = self.program.functions[function].params.len();
        let globals = inputs.iter().zip(&kept).skip(params).map(|((global, _), (_, kept))| (*global, *kept));
        ops.extend(self.assign(globals));
        let granted = self.steps(at, ops, span);
        let args: Box<[ExprId]> = kept[..params]
            .iter()
            .map(|&(_, kept)| {
                let ty = self.program.register(kept).expect("ghosts are registers");
                self.program.exprs.var(kept, ty)
            })
            .collect();
        let result = returned.map(|_| outputs[0].1);
        let mut ops = vec![Op::Skip, Op::Call { function, args, result }];
        ops.extend(self.assign(kept.iter().copied()));
        let globals = outputs[usize::from(returned.is_some())..].iter().map(|&(global, ghost)| (ghost, global));
        ops.extend(self.assign(globals));
        let claimed = self.steps(granted, ops, span);
        self.steps(claimed, vec![Op::Skip, Op::Halt(None)], span);
        self.contracts[number].before.granted.push(granted);
        self.contracts[number].after.claimed.push(claimed);
    }
}
