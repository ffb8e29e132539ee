//! What decides how a loop goes on: where these registers, what is read from these places of memory and inputs are the same
//! at its head, the same happens again. A counter that no condition reads is not among them, wherever it lies, so that a
//! loop which only counts, or only adds to a list, repeats itself.
//!
//! 1. Decisive are registers and memory in conditions, in pointers that are accessed, and in operands whose values may be
//!    undefined behaviour.
//! 2. So is what is assigned to such a register, by arguments, results and returned values as well, and what is written to
//!    such memory.
//! 3. Of the registers count those that the loop changes and that may be read at its head before they are written; of a
//!    recursive function, its parameters and the globals that change.
//!
//! For recursive functions, all memory is decisive.

use super::scope::{Scope, Watched};
use cfa::{BinOp, EdgeId, Expr, ExprId, FunctionKind, Node, Op, Program, Scalar, VarId, standard};
use flow::PointsTo;
use flow::points_to::{ObjectId, Offset, Pointee, PointsToSet};
use std::collections::{BTreeMap, BTreeSet};

/// A range whose end is not known.
const LONG: u64 = u64::MAX >> 1;

/// Scopes with more edges are not looked at closely: all memory is decisive.
const MOST_EDGES: usize = 20_000;

/// Registers, and places in memory.
pub struct Decisive<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    registers: BTreeSet<VarId>,
    /// Pointers that are read through, and how many bytes.
    reads: BTreeSet<(ExprId, u64)>,
    /// The same by object.
    places: BTreeMap<ObjectId, Vec<(Offset, u64)>>,
    /// Whether what an unknown pointer leads to is read.
    unknown: bool,
    /// Whether all memory counts.
    all: bool,
}

impl<'a> Decisive<'a> {
    /// What decides how a loop or a function goes on.
    pub fn of(program: &'a Program, scope: &Scope, points_to: &'a PointsTo) -> Decisive<'a> {
        let mut found = Decisive {
            program,
            points_to,
            registers: BTreeSet::new(),
            reads: BTreeSet::new(),
            places: BTreeMap::new(),
            unknown: false,
            all: matches!(scope.what, Watched::Function(_)) || scope.edges.len() > MOST_EDGES,
        };
        loop {
            let before = (found.registers.len(), found.reads.len(), found.all);
            for &edge in &scope.edges {
                found.seeds(&program.edges[edge].op); // 1
                found.sources(edge); // 2
            }
            if before == (found.registers.len(), found.reads.len(), found.all) {
                return found;
            }
        }
    }

    /// The registers of the loop's function and globals that have to be equal.
    pub fn registers(&self, scope: &Scope) -> Vec<VarId> {
        let program = self.program;
        let changed = scope.changed(program);
        let decisive = self.registers.iter().copied().filter(|&var| program.register(var).is_some());
        if let Watched::Function(function) = scope.what {
            let params = &program.functions[function].params;
            let is_global = |var: &VarId| program.vars[*var].function.is_none() && changed.contains(var);
            return decisive.filter(|var| params.contains(var) || is_global(var)).collect();
        }
        let here = |var: &VarId| program.vars[*var].function.is_none_or(|function| function == scope.function);
        decisive.filter(|var| here(var) && changed.contains(var) && is_live(program, scope, *var)).collect() // 3
    }

    /// Whether a clock or a generator of random numbers decides something: it does not give the same for ever.
    pub fn asks_what_moves_on(&self, scope: &Scope) -> bool {
        scope.edges.iter().any(|&id| match self.program.edges[id].op {
            Op::Havoc(var, _) => self.registers.contains(&var) && moves_on(self.program, id),
            _ => false,
        })
    }

    /// Whether what an edge writes may be read where that decides something.
    pub fn is_read(&self, id: EdgeId) -> bool {
        if self.all {
            return true;
        }
        match self.program.edges[id].op {
            Op::Store { to, value } => self.meets(to, self.bytes(value)),
            Op::Copy { to, size, .. } | Op::Fill { to, size, .. } => self.meets(to, self.length(size)),
            Op::HavocMemory { to, size: Some(size), .. } => self.meets(to, self.length(size)),
            Op::Declare(var) => self.points_to.variable(var).is_some_and(|object| self.has(object)),
            Op::Allocate { .. } => self.points_to.allocation(id).is_none_or(|object| self.has(object)),
            _ => true,
        }
    }

    /// Whether something of an object is read.
    fn has(&self, object: ObjectId) -> bool {
        self.places.contains_key(&object) || self.unknown && self.points_to.objects[object].escaped
    }

    fn bytes(&self, value: ExprId) -> u64 {
        self.program.exprs.ty(value).bytes(self.program.model).max(1)
    }

    fn length(&self, size: ExprId) -> u64 {
        self.program.exprs.constant(size).and_then(|size| u64::try_from(size).ok()).unwrap_or(LONG).clamp(1, LONG)
    }

    fn targets(&self, pointer: ExprId) -> Option<PointsToSet> {
        self.points_to.knows(pointer).then(|| self.points_to.targets(pointer))
    }

    /// Whether so many bytes at a pointer may be among those that are read.
    fn meets(&self, pointer: ExprId, width: u64) -> bool {
        let Some(targets) = self.targets(pointer) else { return true };
        let escaped = |object: ObjectId| self.points_to.objects[object].escaped;
        let outside = targets.unknown && (self.unknown || self.places.keys().any(|&object| escaped(object)));
        let meets = |place: &Pointee| {
            let read = self.places.get(&place.object).into_iter().flatten();
            self.unknown && escaped(place.object)
                || read.clone().any(|&(offset, bytes)| place.offset.overlaps(width, offset, bytes))
        };
        self.all || outside || targets.places.iter().any(meets)
    }

    /// So many bytes at a pointer are read.
    fn read(&mut self, pointer: ExprId, width: u64) {
        if !self.reads.insert((pointer, width)) {
            return;
        }
        let Some(targets) = self.targets(pointer) else {
            self.all = true;
            return;
        };
        self.unknown |= targets.unknown;
        for place in targets.places {
            let known = self.places.entry(place.object).or_default();
            if !known.contains(&(place.offset, width)) {
                known.push((place.offset, width));
            }
        }
    }

    /// The value of an expression decides something.
    fn add(&mut self, root: ExprId) {
        let program = self.program;
        program.exprs.visit(root, |id, node| match node {
            Expr::Var(var) => {
                self.registers.insert(var);
            }
            Expr::Load(pointer) => self.read(pointer, self.bytes(id)),
            Expr::Living(_) => self.all = true,
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) => {}
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
        });
    }

    fn seeds(&mut self, op: &Op) {
        let exprs = &self.program.exprs;
        for operand in op.operands() {
            exprs.visit(operand, |id, node| match node {
                Expr::Load(pointer) => self.add(pointer),
                Expr::Living(question) => question.pointer().into_iter().for_each(|pointer| self.add(pointer)),
                Expr::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, a, b) => {
                    self.add(a);
                    self.add(b);
                }
                Expr::Cast(inner) if exprs.ty(inner).is_float() && exprs.ty(id).is_int() => self.add(inner),
                Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) => {}
                Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
            });
        }
        match *op {
            Op::Assign(..) | Op::Havoc(..) | Op::Call { .. } | Op::Return(_) | Op::Halt(_) | Op::Skip => {}
            Op::Declare(_) | Op::Init(_) => {}
            Op::Library { ref args, .. } => {
                for &arg in args.iter().filter(|arg| exprs.ty(**arg) == Scalar::Ptr) {
                    self.add(arg);
                    self.read(arg, LONG);
                }
            }
            Op::Store { to, value } => {
                self.add(to);
                if self.meets(to, self.bytes(value)) {
                    self.add(value);
                }
            }
            Op::Copy { to, from, size } => {
                [to, from, size].into_iter().for_each(|operand| self.add(operand));
                if self.meets(to, self.length(size)) {
                    self.read(from, self.length(size));
                }
            }
            Op::Fill { to, byte, size } => {
                [to, size].into_iter().for_each(|operand| self.add(operand));
                if self.meets(to, self.length(size)) {
                    self.add(byte);
                }
            }
            Op::Assume(_) | Op::HavocMemory { .. } | Op::Allocate { .. } | Op::Free(_) | Op::End(_) => {
                op.operands().for_each(|operand| self.add(operand));
            }
            Op::CallPointer { .. } | Op::Unsupported(_) => {
                self.all = true;
                op.operands().for_each(|operand| self.add(operand));
            }
        }
    }

    /// What flows into decisive registers along an edge.
    fn sources(&mut self, id: EdgeId) {
        let program = self.program;
        let edge = &program.edges[id];
        match &edge.op {
            Op::Assign(var, value) if self.registers.contains(var) => self.add(*value),
            Op::Call { function, args, result } => {
                let callee = &program.functions[*function];
                for (param, &arg) in callee.params.iter().zip(args) {
                    if self.registers.contains(param) {
                        self.add(arg);
                    }
                }
                if result.is_some_and(|result| self.registers.contains(&result)) {
                    self.registers.extend(callee.result);
                }
            }
            Op::Return(Some(value)) => {
                let result = program.functions[program.nodes[edge.from].function].result;
                if result.is_some_and(|result| self.registers.contains(&result)) {
                    self.add(*value);
                }
            }
            Op::Library { args, result: Some(result), .. } if self.registers.contains(result) => {
                args.iter().for_each(|&arg| self.add(arg));
            }
            _ => {}
        }
    }
}

/// Whether an edge belongs to the model of a clock or of a generator of random numbers.
pub fn moves_on(program: &Program, id: EdgeId) -> bool {
    let function = program.nodes[program.edges[id].from].function;
    program.functions[function].kind == FunctionKind::Model && standard::moves_on(program.function_name(function))
}

/// Whether the register may be read on a way from the head that stays in the loop and did not write it.
pub fn is_live(program: &Program, scope: &Scope, var: VarId) -> bool {
    let global = program.vars[var].function.is_none();
    let mut seen: BTreeSet<Node> = BTreeSet::new();
    let mut stack = vec![scope.head];
    while let Some(node) = stack.pop() {
        if !seen.insert(node) {
            continue;
        }
        for id in program.leaving(node) {
            let edge = &program.edges[id];
            if edge.op.operands().any(|operand| reads(program, operand, var))
                || global && matches!(edge.op, Op::Call { .. })
            {
                return true;
            }
            if scope.own.contains(&id) && edge.op.variable() != Some(var) {
                stack.push(edge.to);
            }
        }
    }
    false
}

fn reads(program: &Program, root: ExprId, var: VarId) -> bool {
    let mut found = false;
    program.exprs.visit(root, |_, node| found |= node == Expr::Var(var));
    found
}
