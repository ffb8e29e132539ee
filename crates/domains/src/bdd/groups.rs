//! Which variables the diagrams track, and what the program asks about their values: the pre-analysis of variable use
//! that S2 announces and S3 calls domain types. Nothing here needs to be right for soundness; a bad guess only makes
//! classes too coarse.

use super::partition::Partition;
use super::questions::{Question, Use, Uses, keeps_values};
use base::IdVec;
use cfa::{BinOp, Expr, ExprId, Op, Program, Scalar, UnOp, VarId};
use flow::{CallGraph, Prepared};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// A variable whose values need more classes than this is not tracked.
const MOST_CLASSES: usize = 4096;

/// Which variables suit diagrams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// All whose values fall into classes; arithmetic on classes is approximate.
    Classes,
    /// Those that are only compared with and assigned constants and each other.
    Constants,
    /// Those of them that are only ever compared with and assigned 0 and 1.
    Booleans,
}

/// Tracked variables of one group have related values: they are copied to or compared with each other.
pub struct Group {
    /// In order of first use.
    pub vars: Vec<VarId>,
    /// One for each variable: they differ where types differ, and where more is asked about one variable.
    pub partitions: Vec<Partition>,
}

/// The groups that can influence a condition, in order of first use in a condition.
/// `cuts` are questions `x < c` beyond those that the program asks.
pub fn groups(program: &Prepared, fit: Fit, cuts: &BTreeSet<(VarId, i128)>) -> Vec<Group> {
    let mut survey = Survey {
        program,
        fit,
        computed: Vec::new(),
        calls: program.calls(),
        parents: program.vars.ids().collect::<Vec<_>>().into(),
        asked: Vec::new(),
        uses: Uses::default(),
        sources: BTreeMap::new(),
        order: Vec::new(),
    };
    survey.run();
    survey.asked.extend(cuts.iter().map(|&(var, cut)| (var, Question::Below(cut))));
    survey.finish()
}

struct Survey<'p> {
    program: &'p Program,
    fit: Fit,
    /// Variables that get the result of arithmetic.
    computed: Vec<VarId>,
    calls: Arc<CallGraph>,
    parents: IdVec<VarId, VarId>,
    asked: Vec<(VarId, Question)>,
    uses: Uses,
    sources: BTreeMap<VarId, HashSet<VarId>>,
    order: Vec<VarId>,
}

impl Survey<'_> {
    fn run(&mut self) {
        for (_, edge) in self.program.edges.iter() {
            match &edge.op {
                Op::Assume(condition) => self.condition(*condition),
                Op::Assign(var, value) => self.flow(*var, *value),
                Op::Call { function, args, result } => {
                    let callee = &self.program.functions[*function];
                    for (param, arg) in callee.params.iter().zip(args) {
                        self.flow(*param, *arg);
                    }
                    if let (Some(to), Some(from)) = (*result, callee.result) {
                        self.pass(to, from, self.type_of(from));
                        self.sources.entry(to).or_default().insert(from);
                    }
                }
                Op::Return(Some(value)) => {
                    let function = self.program.nodes[edge.from].function;
                    match self.program.functions[function].result {
                        Some(result) => self.flow(result, *value),
                        None => self.uses.note(&self.program.exprs, *value, Use::Other),
                    }
                }
                Op::Skip | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Return(None) | Op::Unsupported(_) => {}
                op @ (Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } | Op::Free(_))
                | op @ (Op::Allocate { .. } | Op::End(_) | Op::CallPointer { .. } | Op::Library { .. } | Op::Halt(_)) => {
                    for operand in op.operands() {
                        self.uses.note(&self.program.exprs, operand, Use::Other);
                    }
                }
            }
        }
        for var in self.program.vars.ids() {
            if self.is_shared(var) {
                self.uses.other(var);
            }
        }
    }

    fn flow(&mut self, to: VarId, value: ExprId) {
        self.uses.note(&self.program.exprs, value, Use::Copied);
        let mut from = Vec::new();
        self.program.exprs.visit(value, |_, expr| {
            if let Expr::Var(var) = expr {
                from.push(var);
            }
        });
        self.sources.entry(to).or_default().extend(from);
        self.copy(to, value);
        // Conditions inside a value (`x = a < 5`) ask as well.
        let mut comparisons = Vec::new();
        self.program.exprs.visit(value, |_, expr| {
            if let Expr::Binary(op, a, b) = expr
                && op.is_comparison()
            {
                comparisons.push((op, a, b));
            }
        });
        for (op, a, b) in comparisons {
            self.comparison(op, a, b);
        }
    }

    fn copy(&mut self, to: VarId, value: ExprId) {
        let mut todo = vec![(value, Some(self.program.exprs.ty(value)))];
        // With the type after the last cast, if no cast changes a value.
        while let Some((id, ty)) = todo.pop() {
            match self.program.exprs.node(id) {
                Expr::Var(from) => self.pass(to, from, ty),
                Expr::Cast(inner) => {
                    let (before, after) = (self.program.exprs.ty(inner), self.program.exprs.ty(id));
                    todo.push((inner, ty.filter(|_| keeps_values(before, after))));
                }
                Expr::Ite(_, a, b) => todo.extend([(a, ty), (b, ty)]),
                Expr::Const { .. } => self.asked.extend(self.integer(id).map(|value| (to, Question::Is(value)))),
                Expr::Binary(op, ..) if op.is_comparison() => {
                    self.asked.extend([0, 1].map(|value| (to, Question::Is(value))));
                }
                Expr::Unary(..) | Expr::Binary(..) => self.computed.push(to),
                Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Living(_) => {}
            }
        }
    }

    /// A variable gets the value of another as a value of this type; `None` if casts before may change it.
    fn pass(&mut self, to: VarId, from: VarId, ty: Option<Scalar>) {
        self.unite(to, from);
        match (ty, self.type_of(to)) {
            (Some(ty), Some(target)) if keeps_values(ty, target) => self.uses.copy(to, from),
            _ => self.uses.convert(to, from),
        }
    }

    fn type_of(&self, var: VarId) -> Option<Scalar> {
        self.program.register(var)
    }

    fn condition(&mut self, condition: ExprId) {
        let mut comparisons = Vec::new();
        let mut vars = Vec::new();
        self.program.exprs.visit(condition, |_, expr| match expr {
            Expr::Var(var) => vars.push(var),
            Expr::Binary(op, a, b) if op.is_comparison() => comparisons.push((op, a, b)),
            _ => {}
        });
        self.uses.note(&self.program.exprs, condition, Use::Truth);
        self.order.extend(vars);
        for (op, a, b) in comparisons {
            self.comparison(op, a, b);
        }
    }

    fn comparison(&mut self, op: BinOp, a: ExprId, b: ExprId) {
        match (self.integer(a), self.integer(b)) {
            (None, Some(c)) => self.ask(a, op, c, if op == BinOp::Le { c + 1 } else { c }),
            (Some(c), None) => self.ask(b, op, c, if op == BinOp::Lt { c + 1 } else { c }),
            (Some(_), Some(_)) => {}
            (None, None) => {
                let mut vars = Vec::new();
                for side in [a, b] {
                    if let Some((var, _, _)) = self.shifted(side) {
                        vars.push(var);
                    }
                }
                if let [x, y] = vars[..] {
                    self.unite(x, y);
                    self.uses.compare(x, y);
                }
            }
        }
    }

    /// `side == value` or `side < below`, solved for the one variable in `side`.
    fn ask(&mut self, side: ExprId, op: BinOp, value: i128, below: i128) {
        if let Some((var, sign, offset)) = self.shifted(side) {
            let solved = |at: i128| sign * (at - offset);
            debug_assert!(sign == 1 || sign == -1, "the variable itself, or its opposite");
            self.asked.push((
                var,
                match (op, sign) {
                    (BinOp::Eq, _) => Question::Is(solved(value)),
                    (_, 1) => Question::Below(solved(below)),
                    (_, _) => Question::Below(solved(below) + 1),
                },
            ));
        }
    }

    /// The expression as `sign * variable + offset`, casts aside.
    fn shifted(&self, mut id: ExprId) -> Option<(VarId, i128, i128)> {
        let (mut sign, mut offset) = (1, 0);
        loop {
            match self.program.exprs.node(id) {
                Expr::Var(var) => return Some((var, sign, offset)),
                Expr::Cast(inner) => id = inner,
                Expr::Unary(UnOp::Neg, inner) => (id, sign) = (inner, -sign),
                Expr::Binary(BinOp::Add, a, b) => match (self.integer(a), self.integer(b)) {
                    (_, Some(c)) => (id, offset) = (a, offset + sign * c),
                    (Some(c), _) => (id, offset) = (b, offset + sign * c),
                    (None, None) => return None,
                },
                Expr::Binary(BinOp::Sub, a, b) => match (self.integer(a), self.integer(b)) {
                    (_, Some(c)) => (id, offset) = (a, offset - sign * c),
                    (Some(c), _) => (id, offset, sign) = (b, offset + sign * c, -sign),
                    (None, None) => return None,
                },
                _ => return None,
            }
        }
    }

    fn integer(&self, id: ExprId) -> Option<i128> {
        self.program.exprs.integer(id)
    }

    fn find(&self, mut var: VarId) -> VarId {
        while self.parents[var] != var {
            var = self.parents[var];
        }
        var
    }

    fn unite(&mut self, a: VarId, b: VarId) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// Everything that flows into a condition, in order of first use.
    fn relevant(&self) -> Vec<VarId> {
        let mut seen = HashSet::new();
        let mut found: Vec<VarId> = self.order.iter().copied().filter(|var| seen.insert(*var)).collect();
        let mut next = 0;
        while next < found.len() {
            let mut sources: Vec<VarId> = self.sources.get(&found[next]).into_iter().flatten().copied().collect();
            sources.sort_unstable();
            found.extend(sources.into_iter().filter(|var| seen.insert(*var)));
            next += 1;
        }
        found
    }

    /// Whether several activations of one function may have a variable of this name at a time; diagrams have it once.
    fn is_shared(&self, var: VarId) -> bool {
        self.program.vars[var].function.is_some_and(|function| self.calls.is_recursive(function))
    }

    fn finish(mut self) -> Vec<Group> {
        let questions = std::mem::take(&mut self.uses).spread(self.program.vars.len(), &self.asked);
        let is_boolean = |question: &Question| matches!(question, Question::Is(0 | 1));
        let asks_more = self.asked.iter().filter(|(_, question)| !is_boolean(question));
        let not_boolean: HashSet<VarId> = asks_more.map(|(var, _)| self.find(*var)).collect();
        let computed: HashSet<VarId> = self.computed.iter().map(|var| self.find(*var)).collect();
        let mut position: BTreeMap<VarId, usize> = BTreeMap::new();
        let mut groups: Vec<Group> = Vec::new();
        for var in self.relevant() {
            let root = self.find(var);
            if self.is_shared(var)
                || self.fit != Fit::Classes && computed.contains(&root)
                || self.fit == Fit::Booleans && not_boolean.contains(&root)
            {
                continue;
            }
            let asked = questions.about(var);
            let Some(partition) = self.program.register(var).and_then(|ty| Partition::new(ty, asked)) else { continue };
            if partition.classes.len() > MOST_CLASSES || partition.classes.len() < 2 {
                continue;
            }
            let at = *position.entry(root).or_insert_with(|| {
                groups.push(Group { vars: Vec::new(), partitions: Vec::new() });
                groups.len() - 1
            });
            groups[at].vars.push(var);
            groups[at].partitions.push(partition);
        }
        debug_assert!(
            groups.iter().all(|group| group.vars.len() == group.partitions.len()),
            "one partition per variable"
        );
        debug_assert!(groups.iter().all(|group| !group.vars.is_empty()), "groups have variables");
        groups
    }
}
