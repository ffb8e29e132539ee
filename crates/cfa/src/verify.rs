//! Checks the invariants of a [`Program`]. Passes call [`Program::assert_valid`], which does nothing in release builds.

use crate::expr::{BinOp, Expr, ExprId, UnOp};
use crate::op::{Allocation, Op};
use crate::program::{Edge, EdgeId, FunctionId, FunctionKind, Node, Program, Storage, VarId, VarKind};
use crate::scalar::Scalar;
use crate::types::Type;
use base::Id;

impl Program {
    /// Every broken invariant, one line each; empty for a valid program.
    pub fn violations(&self) -> Vec<String> {
        let mut verifier = Verifier { program: self, found: Vec::new(), owners: owners(self) };
        verifier.variables();
        verifier.functions();
        // The rest looks edges up by node and would panic on ids that are out of range.
        if verifier.found.is_empty() && verifier.tables() {
            verifier.automata();
            for edge in self.edges.ids() {
                verifier.edge(edge);
            }
        }
        verifier.found
    }

    /// Panics with what is broken, in debug builds.
    pub fn assert_valid(&self) {
        if cfg!(debug_assertions) {
            let found = self.violations();
            let shown = &found[..found.len().min(20)];
            assert!(found.is_empty(), "{} broken invariants of the program:\n{}", found.len(), shown.join("\n"));
        }
    }

    /// Whether one of two conditions is the negation of the other as [`crate::Exprs::not`] builds it.
    pub fn complementary(&self, a: ExprId, b: ExprId) -> bool {
        let exprs = &self.exprs;
        match (exprs.node(a), exprs.node(b)) {
            (Expr::Unary(UnOp::Not, inner), _) if inner == b => true,
            (_, Expr::Unary(UnOp::Not, inner)) if inner == a => true,
            (Expr::Const { low, .. }, Expr::Const { low: other, .. }) => low != other,
            (Expr::Binary(BinOp::Lt, x, y), Expr::Binary(BinOp::Le, v, u))
            | (Expr::Binary(BinOp::Le, v, u), Expr::Binary(BinOp::Lt, x, y)) => {
                (x, y) == (u, v) && !exprs.ty(x).is_float()
            }
            _ => false,
        }
    }
}

/// Whose local variables an expression mentions.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Nobody,
    One(FunctionId),
    /// Not a valid expression anywhere.
    Broken(&'static str),
}

fn owners(program: &Program) -> Vec<Owner> {
    let exprs = &program.exprs;
    let mut owners: Vec<Owner> = Vec::with_capacity(exprs.len());
    for at in 0..exprs.len() {
        let id = ExprId::new(at);
        let own = match exprs.node(id) {
            Expr::Var(var) => match program.vars.get(var) {
                None => Owner::Broken("unknown variable"),
                Some(var) if var.storage != Storage::Register(exprs.ty(id)) => Owner::Broken("not such a register"),
                Some(var) => var.function.map_or(Owner::Nobody, Owner::One),
            },
            Expr::Addr(var) => match program.vars.get(var) {
                None => Owner::Broken("unknown variable"),
                Some(var) if matches!(var.storage, Storage::Register(_)) => Owner::Broken("address of a register"),
                Some(var) => var.function.map_or(Owner::Nobody, Owner::One),
            },
            Expr::Function(function) if program.functions.get(function).is_none() => Owner::Broken("unknown function"),
            node => node.operands().fold(Owner::Nobody, |owner, operand| {
                if operand.index() >= at {
                    return Owner::Broken("operand after expression");
                }
                match (owner, owners[operand.index()]) {
                    (owner, Owner::Nobody) | (Owner::Nobody, owner) => owner,
                    (Owner::Broken(why), _) | (_, Owner::Broken(why)) => Owner::Broken(why),
                    (Owner::One(a), Owner::One(b)) if a == b => owner,
                    (Owner::One(_), Owner::One(_)) => Owner::Broken("locals of two functions"),
                }
            }),
        };
        owners.push(own);
    }
    owners
}

struct Verifier<'a> {
    program: &'a Program,
    found: Vec<String>,
    owners: Vec<Owner>,
}

impl Verifier<'_> {
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.found.push(what());
        }
    }

    fn variables(&mut self) {
        let program = self.program;
        let mut listed = vec![0u32; program.vars.len()];
        for (id, function) in program.functions.iter() {
            for &local in &function.locals {
                let owned = program.vars.get(local).is_some_and(|var| var.function == Some(id));
                self.require(owned, || format!("{id} lists the local {local}, which is not its"));
                if owned {
                    listed[local.index()] += 1;
                }
            }
        }
        for (id, var) in program.vars.iter() {
            let times = u32::from(var.function.is_some());
            self.require(listed[id.index()] == times, || format!("{id} must be listed as local {times} times"));
            let in_memory = matches!(var.storage, Storage::Memory { .. });
            let (scope, register) = match var.kind {
                VarKind::Global | VarKind::Literal => (var.function.is_none(), true),
                VarKind::Constant => (var.function.is_none(), in_memory),
                VarKind::Local | VarKind::Temporary => (true, true),
                VarKind::Parameter | VarKind::Result => (var.function.is_some(), !in_memory),
            };
            self.require(scope && register, || format!("{id} of kind {:?} in the wrong scope or storage", var.kind));
            self.require(var.storage != Storage::Register(Scalar::Bool), || format!("{id} stores a truth value"));
            if let Storage::Memory { size, .. } = var.storage {
                self.init(id, size);
            } else {
                self.require(var.init.is_empty(), || format!("{id} is a register with static bytes"));
            }
        }
    }

    /// Cells ascend, do not overlap, stay inside, and hold what a linker could put there.
    fn init(&mut self, id: VarId, size: u64) {
        let program = self.program;
        let mut end = 0;
        for cell in &program.vars[id].init {
            let known = cell.value.index() < program.exprs.len();
            self.require(known, || format!("{id}: unknown initial value"));
            if !known {
                continue;
            }
            let bytes = program.exprs.ty(cell.value).bytes(program.model);
            self.require(end <= cell.offset && cell.offset.saturating_add(bytes) <= size, || {
                format!("{id}: initial cell at {} overlaps or leaves the object", cell.offset)
            });
            end = cell.offset.saturating_add(bytes);
            let mut constant = self.owners[cell.value.index()] == Owner::Nobody;
            program.exprs.visit(cell.value, |_, node| {
                constant &= !matches!(node, Expr::Var(_) | Expr::Load(_) | Expr::Living(_))
            });
            self.require(constant && program.exprs.ty(cell.value) != Scalar::Bool, || {
                format!("{id}: the initial value at {} is not constant", cell.offset)
            });
        }
    }

    fn functions(&mut self) {
        let program = self.program;
        for (id, function) in program.functions.iter() {
            for node in [function.entry, function.exit] {
                let inside = program.nodes.get(node).is_some_and(|info| info.function == id);
                self.require(inside, || format!("{id}: entry or exit {node} is not its"));
            }
            for &var in function.params.iter().chain(&function.result) {
                let local = program.vars.get(var).is_some_and(|var| var.function == Some(id));
                self.require(local && program.register(var).is_some(), || {
                    format!("{id}: {var} is not a register of it")
                });
            }
        }
        let start = program.functions.get(program.entry).is_some_and(|f| f.kind == FunctionKind::Start);
        self.require(start, || format!("the program starts at {}, not at the start function", program.entry));
    }

    /// Whether edges connect known nodes of one function and the index is up to date.
    fn tables(&mut self) -> bool {
        let program = self.program;
        let before = self.found.len();
        for (id, info) in program.nodes.iter() {
            self.require(program.functions.get(info.function).is_some(), || format!("{id} is of no function"));
        }
        for (id, edge) in program.edges.iter() {
            let function = |node| program.nodes.get(node).map(|info| info.function);
            let inside = function(edge.from).is_some() && function(edge.from) == function(edge.to);
            self.require(inside, || format!("{id} does not stay in a function"));
        }
        for target in &program.targets {
            self.require(program.nodes.get(target.node).is_some(), || format!("unknown target {}", target.node));
        }
        self.require(program.is_indexed(), || "edges changed without index()".to_owned());
        self.found.len() == before
    }

    fn automata(&mut self) {
        let program = self.program;
        for (id, function) in program.functions.iter() {
            self.require(program.leaving(function.exit).len() == 0, || format!("{id}: edges leave the exit"));
        }
        for target in &program.targets {
            self.require(program.leaving(target.node).len() == 0, || format!("edges leave the target {}", target.node));
        }
        for node in program.nodes.ids() {
            let edges: Vec<EdgeId> = program.leaving(node).collect();
            let branch = match edges[..] {
                [] | [_] => true,
                [a, b] => match (&program.edges[a].op, &program.edges[b].op) {
                    (&Op::Assume(a), &Op::Assume(b)) if self.fits(node, a) && self.fits(node, b) => {
                        program.complementary(a, b)
                    }
                    _ => false,
                },
                _ => false,
            };
            self.require(branch, || format!("{node}: {} edges that are not a branch", edges.len()));
        }
    }

    /// Whether the expression is valid in the function of the node.
    fn fits(&self, node: Node, id: ExprId) -> bool {
        self.owners.get(id.index()).is_some_and(|&owner| match owner {
            Owner::Nobody => true,
            Owner::One(function) => self.program.nodes[node].function == function,
            Owner::Broken(_) => false,
        })
    }

    fn edge(&mut self, id: EdgeId) {
        let program = self.program;
        let edge = &program.edges[id];
        if !self.operands_fit(edge) {
            let why = edge.op.operands().find_map(|e| match self.owners.get(e.index()) {
                Some(Owner::Broken(why)) => Some(*why),
                _ => None,
            });
            self.found.push(format!("{id}: operand {}", why.unwrap_or("of another function or unknown")));
            return;
        }
        if let Some(problem) = self.op_problem(edge) {
            self.found.push(format!("{id}: {problem} in {}", program.edge_text(id)));
        }
        let exit = program.functions[program.nodes[edge.from].function].exit;
        let returns = matches!(edge.op, Op::Return(_));
        self.require(returns == (edge.to == exit), || format!("{id}: returns and edges to the exit must agree"));
    }

    /// Whether all ids in an operation are known and locals are those of its function.
    fn operands_fit(&self, edge: &Edge) -> bool {
        let program = self.program;
        let function = program.nodes[edge.from].function;
        let var_fits =
            |var: VarId| program.vars.get(var).is_some_and(|v| v.function.is_none_or(|owner| owner == function));
        edge.op.operands().all(|id| self.fits(edge.from, id)) && edge.op.variable().is_none_or(var_fits)
    }

    fn op_problem(&self, edge: &Edge) -> Option<String> {
        let program = self.program;
        let ty = |id: ExprId| program.exprs.ty(id);
        let register = |var: VarId| program.register(var);
        let size = program.model.size_type();
        let expect = |holds: bool, what: &str| (!holds).then(|| what.to_owned());
        let is_ptr = |id: ExprId| ty(id) == Scalar::Ptr;
        match &edge.op {
            Op::Skip | Op::Unsupported(_) | Op::Halt(None) => None,
            Op::Assume(condition) => expect(ty(*condition) == Scalar::Bool, "condition is not a truth value"),
            Op::Assign(var, value) => expect(register(*var) == Some(ty(*value)), "types differ"),
            Op::Havoc(var, _) => expect(register(*var).is_some(), "not a register"),
            Op::Init(var) => {
                let start = program.functions[program.nodes[edge.from].function].kind == FunctionKind::Start;
                let global = program.vars[*var].function.is_none() && register(*var).is_none();
                expect(start && global, "not a global in memory, or not at the start")
            }
            Op::Declare(var) => {
                expect(program.vars[*var].function.is_some() && register(*var).is_none(), "not a local in memory")
            }
            Op::Store { to, value } => expect(is_ptr(*to) && ty(*value) != Scalar::Bool, "wrong types"),
            Op::Copy { to, from, size: n } => expect(is_ptr(*to) && is_ptr(*from) && ty(*n) == size, "wrong types"),
            Op::Fill { to, byte, size: n } => {
                expect(is_ptr(*to) && ty(*byte) == Scalar::BYTE && ty(*n) == size, "wrong types")
            }
            Op::HavocMemory { to, size: n, source: _ } => {
                expect(is_ptr(*to) && n.is_none_or(|n| ty(n) == size), "wrong types")
            }
            Op::Allocate { result, size: n, how } => {
                let old = match how {
                    Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack => true,
                    Allocation::Resize(old) => is_ptr(*old),
                };
                expect(register(*result) == Some(Scalar::Ptr) && ty(*n) == size && old, "wrong types")
            }
            Op::Free(pointer) | Op::End(pointer) => expect(is_ptr(*pointer), "not a pointer"),
            Op::Call { function, args, result } => self.call_problem(*function, args, *result),
            Op::CallPointer { pointer, args: _, result, ty } => {
                let callable = matches!(program.types.get(*ty), Type::Function { .. });
                let stored = result.is_none_or(|result| register(result).is_some());
                expect(is_ptr(*pointer) && callable && stored, "wrong types")
            }
            Op::Return(value) => {
                let result = program.functions[program.nodes[edge.from].function].result;
                match value {
                    None => None,
                    Some(value) => expect(result.and_then(register) == Some(ty(*value)), "not the result's type"),
                }
            }
            Op::Library { function: _, args: _, result } => {
                expect(result.is_none_or(|result| register(result).is_some()), "result is not a register")
            }
            Op::Halt(Some(status)) => expect(ty(*status).is_int(), "status is not an integer"),
        }
    }

    fn call_problem(&self, callee: FunctionId, args: &[ExprId], result: Option<VarId>) -> Option<String> {
        let program = self.program;
        let Some(callee) = program.functions.get(callee) else { return Some("unknown function".to_owned()) };
        let types_match = callee.params.len() == args.len()
            && args.iter().zip(&callee.params).all(|(&a, &p)| program.register(p) == Some(program.exprs.ty(a)));
        let result_matches = match (result, callee.result) {
            (None, _) => true,
            (Some(to), Some(from)) => program.register(to).is_some() && program.register(to) == program.register(from),
            (Some(_), None) => false,
        };
        match (types_match, result_matches) {
            (true, true) => None,
            (false, _) => Some("arguments differ from parameters".to_owned()),
            (true, false) => Some("result differs from the callee's".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;
    use crate::types::IntKind;
    use expect_test::{Expect, expect};

    /// A program `x := 1; return;` with `n4` to spare, changed by `change`.
    fn check(change: impl FnOnce(&mut Build, &[Node], VarId), expected: Expect) {
        let mut b = Build::new();
        let n = b.start(5);
        let x = b.register("x", Type::Int(IntKind::Int));
        let one = b.int(1);
        b.edge(n[0], n[1], Op::Assign(x, one));
        b.edge(n[1], n[4], Op::Return(None));
        change(&mut b, &n, x);
        expected.assert_eq(&b.finish().violations().join("\n"));
    }

    #[test]
    fn valid_programs_pass() {
        check(|_, _, _| (), expect![""]);
    }

    #[test]
    fn types_must_agree() {
        check(
            |b, n, x| {
                let wide = b.program.exprs.int(Scalar::int(64, true), 1);
                b.edge(n[2], n[3], Op::Assign(x, wide));
            },
            expect!["edge2: types differ in n2 -> n3: x := 1;"],
        );
        check(
            |b, n, x| {
                let x = b.get(x);
                b.edge(n[2], n[3], Op::Assume(x));
            },
            expect!["edge2: condition is not a truth value in n2 -> n3: [x]"],
        );
    }

    #[test]
    fn branches_are_complementary() {
        check(
            |b, n, x| {
                let (x, one) = (b.get(x), b.int(1));
                let less = b.bin(BinOp::Lt, x, one);
                let equal = b.bin(BinOp::Eq, x, one);
                b.edge(n[2], n[3], Op::Assume(less));
                b.edge(n[2], n[3], Op::Assume(equal));
            },
            expect!["n2: 2 edges that are not a branch"],
        );
        check(
            |b, n, x| {
                let (x, one) = (b.get(x), b.int(1));
                let less = b.bin(BinOp::Lt, x, one);
                b.branch(n[2], less, n[3], n[1]);
            },
            expect![""],
        );
    }

    #[test]
    fn exits_and_targets_end() {
        check(|b, n, _| b.edge(n[4], n[2], Op::Skip), expect!["fn0: edges leave the exit"]);
        check(|b, n, _| b.target(n[1]), expect!["edges leave the target n1"]);
        check(|b, n, _| b.edge(n[2], n[4], Op::Skip), expect!["edge2: returns and edges to the exit must agree"]);
    }

    #[test]
    fn functions_stay_apart() {
        check(
            |b, n, _| {
                let other = b.function("g", 2);
                b.edge(n[2], other[1], Op::Skip);
            },
            expect!["edge2 does not stay in a function"],
        );
        check(
            |b, _, x| {
                let other = b.function("g", 2);
                let x = b.get(x);
                b.edge(other[0], other[1], Op::Free(x));
            },
            expect!["edge2: operand of another function or unknown"],
        );
    }

    #[test]
    fn calls_fit_their_callees() {
        check(
            |b, n, x| {
                b.edge(n[2], n[3], Op::Call { function: FunctionId(1), args: Box::default(), result: Some(x) });
                b.function("g", 2);
            },
            expect!["edge2: result differs from the callee's in n2 -> n3: x := g();"],
        );
    }
}
