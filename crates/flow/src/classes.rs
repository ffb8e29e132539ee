//! How the program uses its variables: the classes by which an analysis is chosen per variable [ABFR13] and
//! refinements are scored. Variables that are copied to or compared with each other form a partition, which has the
//! class of its most demanding use. Nothing here decides soundness.
//!
//! Variables are registers and scalar globals in memory, the latter by their direct loads and stores only.

use crate::loops::Loops;
use base::{Id, define_id};
use cfa::{BinOp, Expr, ExprId, FunctionId, Op, Program, UnOp, VarId};
use std::collections::BTreeSet;

define_id!(
    /// A set of variables whose values are related.
    PartitionId,
    "partition"
);

/// What a variable is used for, the least demanding first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Only told zero from one or non-zero.
    Boolean,
    /// Assigned constants and other variables, compared for equality.
    Equality,
    /// Also added, subtracted, multiplied by constants, and ordered.
    Linear,
    /// Also masked and shifted.
    Bits,
    /// Anything else.
    Other,
}

/// The classes of all variables.
#[derive(Clone, Debug)]
pub struct Classes {
    partition: Vec<PartitionId>,
    partitions: Vec<Partition>,
    counters: Vec<bool>,
    constants: Vec<Vec<i128>>,
}

/// Related variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// The most demanding use of a member.
    pub class: Class,
    /// Ascending.
    pub members: Vec<VarId>,
    /// The constants that members are assigned or compared with, ascending, as their types read them.
    pub constants: Vec<i128>,
}

impl Classes {
    /// Looks at every operation once.
    pub fn new(program: &Program, loops: &Loops) -> Classes {
        let mut survey = Survey::new(program);
        for (_, edge) in program.edges.iter() {
            survey.op(&edge.op, program.nodes[edge.from].function);
        }
        let counters = counters(program, loops);
        survey.finish(counters)
    }

    /// The class of a variable's partition.
    pub fn class(&self, var: VarId) -> Class {
        self.partitions[self.partition(var).index()].class
    }

    /// Whether a loop changes the variable by a constant and is left depending on it.
    pub fn is_loop_counter(&self, var: VarId) -> bool {
        self.counters[var.index()]
    }

    /// The variable's partition.
    pub fn partition(&self, var: VarId) -> PartitionId {
        self.partition[var.index()]
    }

    /// What is known of a partition.
    pub fn members(&self, id: PartitionId) -> &Partition {
        &self.partitions[id.index()]
    }

    /// The constants that the variable itself is assigned or compared with, ascending.
    pub fn constants(&self, var: VarId) -> &[i128] {
        &self.constants[var.index()]
    }
}

struct Survey<'a> {
    program: &'a Program,
    parent: Vec<u32>,
    class: Vec<Class>,
    constants: Vec<BTreeSet<i128>>,
    seen_conditions: Vec<bool>,
}

/// One comparison or assignment: its variables, the constants alongside them, its most demanding operator.
struct Relation {
    vars: Vec<VarId>,
    constants: Vec<i128>,
    class: Class,
}

impl Survey<'_> {
    fn new(program: &Program) -> Survey<'_> {
        Survey {
            program,
            parent: (0..program.vars.len() as u32).collect(),
            class: vec![Class::Boolean; program.vars.len()],
            constants: vec![BTreeSet::new(); program.vars.len()],
            seen_conditions: vec![false; program.exprs.len()],
        }
    }

    fn find(&mut self, mut at: u32) -> u32 {
        while self.parent[at as usize] != at {
            let next = self.parent[at as usize];
            self.parent[at as usize] = self.parent[next as usize];
            at = next;
        }
        at
    }

    fn op(&mut self, op: &Op, function: FunctionId) {
        let program = self.program;
        match op {
            Op::Assume(condition) => self.conditions(*condition),
            Op::Assign(var, value) => self.assign(*var, *value),
            Op::Store { to, value } => match self.scalar_at(*to, *value) {
                Some(var) => self.assign(var, *value),
                None => self.demand(*value, Class::Equality),
            },
            Op::Call { function, args, result } => {
                let callee = &program.functions[*function];
                for (&param, &arg) in callee.params.iter().zip(args) {
                    self.assign(param, arg);
                }
                if let (Some(to), Some(from)) = (*result, callee.result) {
                    self.relate(Relation { vars: vec![to, from], constants: Vec::new(), class: Class::Boolean });
                }
            }
            Op::Return(Some(value)) => {
                if let Some(result) = program.functions[function].result {
                    self.assign(result, *value);
                }
            }
            Op::Allocate { size, .. } => self.demand(*size, Class::Other),
            Op::Copy { .. }
            | Op::Fill { .. }
            | Op::HavocMemory { .. }
            | Op::Library { .. }
            | Op::CallPointer { .. } => {
                for operand in op.operands() {
                    self.demand(operand, Class::Other);
                }
            }
            Op::Skip | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Free(_) | Op::End(_) => {}
            Op::Return(None) | Op::Halt(_) | Op::Unsupported(_) => {}
        }
    }

    /// The global that a store of `value` writes as a whole.
    fn scalar_at(&self, pointer: ExprId, value: ExprId) -> Option<VarId> {
        match self.program.exprs.node(pointer) {
            Expr::Addr(var)
                if self.program.types.scalar(self.program.vars[var].ty) == Some(self.program.exprs.ty(value)) =>
            {
                Some(var)
            }
            _ => None,
        }
    }

    fn assign(&mut self, var: VarId, value: ExprId) {
        let mut relation = Relation { vars: vec![var], constants: Vec::new(), class: Class::Boolean };
        self.terms(value, &mut relation);
        self.relate(relation);
    }

    /// A value that goes where it is not looked at as a number of its own.
    fn demand(&mut self, value: ExprId, class: Class) {
        let mut relation = Relation { vars: Vec::new(), constants: Vec::new(), class };
        self.terms(value, &mut relation);
        for var in relation.vars {
            self.class[var.index()] = self.class[var.index()].max(relation.class);
        }
    }

    fn relate(&mut self, relation: Relation) {
        let Some(&first) = relation.vars.first() else { return };
        for &var in &relation.vars {
            let (a, b) = (self.find(first.0), self.find(var.0));
            debug_assert!(self.parent[a as usize] == a && self.parent[b as usize] == b, "roots are joined");
            self.parent[a.max(b) as usize] = a.min(b);
            self.class[var.index()] = self.class[var.index()].max(relation.class);
            self.constants[var.index()].extend(&relation.constants);
        }
    }

    /// Every comparison below a condition.
    fn conditions(&mut self, root: ExprId) {
        let program = self.program;
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut self.seen_conditions[id.index()], true) {
                continue;
            }
            match program.exprs.node(id) {
                Expr::Binary(op, a, b) if op.is_comparison() => {
                    let class = if op == BinOp::Eq { Class::Boolean } else { Class::Linear };
                    let mut relation = Relation { vars: Vec::new(), constants: Vec::new(), class };
                    self.terms(a, &mut relation);
                    self.terms(b, &mut relation);
                    self.relate(relation);
                }
                node => stack.extend(node.operands()),
            }
        }
    }

    /// Variables and constants that make up a number; conditions inside it are relations of their own.
    fn terms(&mut self, root: ExprId, relation: &mut Relation) {
        let exprs = &self.program.exprs;
        let mut stack = vec![root];
        let mut conditions = Vec::new();
        let mut visited = 0;
        while let Some(id) = stack.pop() {
            visited += 1;
            if visited > 10_000 {
                relation.class = Class::Other;
                break;
            }
            let ty = exprs.ty(id);
            let mut at_least = |class: Class| relation.class = relation.class.max(class);
            match exprs.node(id) {
                Expr::Const { .. } if ty.is_int() => {
                    debug_assert!((1..=128).contains(&ty.bits(self.program.model)), "{ty:?}");
                    let width = 128 - ty.bits(self.program.model);
                    let bits = exprs.constant(id).unwrap_or(0);
                    let value = if ty.is_signed() { (bits << width) as i128 >> width } else { bits as i128 };
                    relation.constants.push(value);
                    if !(0..=1).contains(&value) {
                        at_least(Class::Equality);
                    }
                }
                Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) => at_least(Class::Equality),
                Expr::Var(var) => relation.vars.push(var),
                Expr::Load(pointer) => match self.scalar_at(pointer, id) {
                    Some(var) => relation.vars.push(var),
                    None => at_least(Class::Equality),
                },
                Expr::Unary(UnOp::Neg, a) if ty.is_int() => {
                    at_least(Class::Linear);
                    stack.push(a);
                }
                Expr::Unary(UnOp::BitNot, a) => {
                    at_least(Class::Bits);
                    stack.push(a);
                }
                Expr::Unary(UnOp::Not, _) => conditions.push(id),
                Expr::Unary(_, a) => {
                    at_least(Class::Other);
                    stack.push(a);
                }
                Expr::Binary(..) if ty == cfa::Scalar::Bool => conditions.push(id),
                Expr::Binary(op, a, b) => {
                    at_least(operator_class(self.program, op, a, b));
                    stack.extend([a, b]);
                }
                Expr::Cast(a) => stack.push(a),
                Expr::Living(_) => at_least(Class::Other),
                Expr::Ite(condition, a, b) => {
                    conditions.push(condition);
                    stack.extend([a, b]);
                }
            }
        }
        for condition in conditions {
            self.conditions(condition);
        }
    }

    fn finish(mut self, counters: Vec<bool>) -> Classes {
        let count = self.parent.len();
        let mut partitions: Vec<Partition> = Vec::new();
        let mut partition = Vec::with_capacity(count);
        let mut number = vec![None; count];
        let mut constants: Vec<BTreeSet<i128>> = Vec::new();
        for at in 0..count as u32 {
            let root = self.find(at);
            let id = *number[root as usize].get_or_insert_with(|| {
                partitions.push(Partition { class: Class::Boolean, members: Vec::new(), constants: Vec::new() });
                constants.push(BTreeSet::new());
                PartitionId::new(partitions.len() - 1)
            });
            let this = &mut partitions[id.index()];
            this.members.push(VarId(at));
            this.class = this.class.max(self.class[at as usize]);
            constants[id.index()].extend(&self.constants[at as usize]);
            partition.push(id);
        }
        for (this, constants) in partitions.iter_mut().zip(constants) {
            this.constants = constants.into_iter().collect();
        }
        let constants = self.constants.into_iter().map(|set| set.into_iter().collect()).collect();
        assert_eq!(partition.len(), counters.len(), "each variable has a partition, and is a counter or not");
        debug_assert!(partitions.iter().all(|one| !one.members.is_empty()), "partitions have members");
        debug_assert!(partitions.iter().all(|one| one.members.is_sorted() && one.constants.is_sorted()));
        Classes { partition, partitions, counters, constants }
    }
}

fn operator_class(program: &Program, op: BinOp, a: ExprId, b: ExprId) -> Class {
    let constant = program.exprs.constant(a).is_some() || program.exprs.constant(b).is_some();
    if !program.exprs.ty(a).is_int() {
        return Class::Other;
    }
    match op {
        BinOp::Add | BinOp::Sub => Class::Linear,
        BinOp::Mul if constant => Class::Linear,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => Class::Bits,
        BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::PtrAdd => Class::Other,
        BinOp::Eq => Class::Boolean,
        BinOp::Lt | BinOp::Le => Class::Linear,
    }
}

/// Variables that a loop changes by a constant (`i = i + 1`, casts aside) and that a condition on leaving it reads.
fn counters(program: &Program, loops: &Loops) -> Vec<bool> {
    let mut counters = vec![false; program.vars.len()];
    for (id, found) in loops.loops.iter() {
        let mut asked = BTreeSet::new();
        for &exit in &found.exits {
            if let Op::Assume(condition) = program.edges[exit].op {
                program.exprs.visit(condition, |_, node| {
                    asked.extend(match node {
                        Expr::Var(var) | Expr::Addr(var) => Some(var),
                        _ => None,
                    });
                });
            }
        }
        for &node in loops.members(id) {
            for edge in program.leaving(node) {
                let stepped = match program.edges[edge].op {
                    Op::Assign(var, value) => Some(var).filter(|&var| steps(program, var, value)),
                    Op::Store { to, value } => match program.exprs.node(to) {
                        Expr::Addr(var) => Some(var).filter(|&var| steps(program, var, value)),
                        _ => None,
                    },
                    _ => None,
                };
                if let Some(var) = stepped.filter(|var| asked.contains(var)) {
                    counters[var.index()] = true;
                }
            }
        }
    }
    counters
}

/// Whether a value is the variable plus or minus a constant.
fn steps(program: &Program, var: VarId, value: ExprId) -> bool {
    let exprs = &program.exprs;
    let is_var = |mut id: ExprId| loop {
        match exprs.node(id) {
            Expr::Cast(a) => id = a,
            Expr::Var(of) => return of == var,
            Expr::Load(pointer) => return exprs.node(pointer) == Expr::Addr(var),
            _ => return false,
        }
    };
    let mut value = value;
    while let Expr::Cast(a) = exprs.node(value) {
        value = a;
    }
    match exprs.node(value) {
        Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::PtrAdd, a, b) => {
            let constant = |id| exprs.constant(id).is_some();
            (is_var(a) && constant(b)) || (is_var(b) && constant(a))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::testing::Build;
    use cfa::types::{IntKind, Type};

    /// The example of S3: `b` is a truth value, `i` counts a loop.
    #[test]
    fn booleans_and_counters() {
        let mut b = Build::new();
        let n = b.start(8);
        let int = || Type::Int(IntKind::Int);
        let (flag, i, state) = (b.register("b", int()), b.register("i", int()), b.register("s", int()));
        let (other, mask) = (b.register("t", int()), b.register("m", int()));
        let source = b.input();
        b.edge(n[0], n[1], Op::Havoc(flag, source));
        let (zero, one, seven) = (b.int(0), b.int(1), b.int(7));
        let [eb, ei, es, et, em] = [flag, i, state, other, mask].map(|var| b.get(var));
        let is_zero = b.bin(BinOp::Eq, eb, zero);
        b.branch(n[1], is_zero, n[2], n[3]);
        let less = b.bin(BinOp::Lt, ei, seven);
        b.branch(n[2], less, n[4], n[3]);
        let next = b.bin(BinOp::Add, ei, one);
        b.edge(n[4], n[2], Op::Assign(i, next));
        let same = b.bin(BinOp::Eq, es, et);
        b.branch(n[3], same, n[5], n[6]);
        b.edge(n[5], n[6], Op::Assign(state, seven));
        let masked = b.bin(BinOp::And, em, seven);
        b.edge(n[6], n[7], Op::Assign(mask, masked));
        let mut program = b.finish();
        let loops = crate::find_loops(&mut program);
        let classes = Classes::new(&program, &loops);
        let found = [flag, i, state, other, mask].map(|var| classes.class(var));
        assert_eq!(found, [Class::Boolean, Class::Linear, Class::Equality, Class::Equality, Class::Bits]);
        assert_eq!([flag, i].map(|var| classes.is_loop_counter(var)), [false, true]);
        assert_eq!(classes.partition(state), classes.partition(other));
        assert_ne!(classes.partition(state), classes.partition(i));
        assert_eq!(classes.constants(i), [1, 7]);
        assert_eq!(classes.members(classes.partition(other)).constants, [7]);
    }
}
