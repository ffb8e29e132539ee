//! Replaces folds by single steps, and lets ghosts follow what writes do to the multisets of elements.

use super::step::Fold;
use crate::arrays::Arrays;
use crate::register::add_register;
use base::{IdVec, Span};
use cfa::{BinOp, Edge, EdgeId, Expr, ExprId, Node, NodeInfo, Op, Program, Scalar, Source, UnOp, VarId, VarKind};
use flow::regions::Region;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A token has more values than there are ghosts that hold one.
pub(super) const TOKEN: Scalar = Scalar::Int { bits: 32, signed: false };
const CASE: Scalar = Scalar::Int { bits: 8, signed: false };

/// What is known of the elements of an array between two offsets: they are the multiset `token - {out} + {inside}`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ghosts {
    pub token: VarId,
    pub out: VarId,
    pub inside: VarId,
    /// In bytes, of [`Rewrite::offset_type`]: the first element, and the end.
    pub from: VarId,
    pub to: VarId,
    old: VarId,
    case: VarId,
    fresh: VarId,
}

/// What the last fold of a kind got and gave.
#[derive(Clone, Debug)]
pub(super) struct Last {
    pub region: Region,
    pub token: VarId,
    /// The accumulators before, and parameters.
    pub keys: Vec<VarId>,
    /// What was added, or the accumulators after.
    pub results: Vec<VarId>,
}

/// The last division of a kind: what was divided by what, and what that gave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quotient {
    pub dividend: VarId,
    pub divisor: VarId,
    pub result: VarId,
    fresh: VarId,
}

/// Folds that give the same for the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Sum(Region, ExprId),
    Steps(Region, Vec<ExprId>),
}

pub(super) struct Rewritten {
    pub program: Program,
    pub ghosts: BTreeMap<Region, Ghosts>,
    /// By fold, what is known of its kind, and the registers that hold the accumulators after the last one.
    pub results: Vec<(Last, Vec<VarId>)>,
    /// Divisions by a divisor that is not constant.
    pub quotients: BTreeMap<ExprId, Quotient>,
}

pub(super) struct Rewrite<'a> {
    source: &'a Program,
    arrays: &'a Arrays,
    valid: &'a BTreeSet<ExprId>,
    program: Program,
    edges: Vec<Edge>,
    ghosts: BTreeMap<Region, Ghosts>,
    lasts: BTreeMap<Kind, Last>,
    quotients: BTreeMap<ExprId, Quotient>,
}

impl<'a> Rewrite<'a> {
    /// Rewrites `program`, which is `source` with further variables and expressions; what is `valid` holds always.
    pub fn run(
        source: &'a Program,
        mut program: Program,
        arrays: &'a Arrays,
        (folds, valid): (&[Fold], &'a BTreeSet<ExprId>),
    ) -> Rewritten {
        program.edges = IdVec::new();
        let (ghosts, lasts, quotients) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut rewrite = Rewrite { source, arrays, valid, program, edges: Vec::new(), ghosts, lasts, quotients };
        for fold in folds {
            rewrite.follow(fold.region);
        }
        let mut results = Vec::new();
        for fold in folds {
            results.push(rewrite.fold(fold));
        }
        let heads: BTreeSet<Node> = folds.iter().map(|fold| fold.head).collect();
        for (id, edge) in source.edges.iter() {
            if !heads.contains(&edge.from) {
                rewrite.edge(id);
            }
        }
        rewrite.start();
        let Rewrite { mut program, edges, ghosts, quotients, .. } = rewrite;
        program.edges = IdVec::from(edges);
        program.index();
        flow::find_loops(&mut program);
        program.assert_valid();
        Rewritten { program, ghosts, results, quotients }
    }

    /// Offsets are compared without sign: none inside an object is negative.
    fn offset_type(&self) -> Scalar {
        Scalar::int(self.program.model.pointer_bits(), false)
    }

    fn ghost(&mut self, name: &str, ty: Scalar) -> VarId {
        add_register(&mut self.program, name, VarKind::Temporary, None, ty)
    }

    fn follow(&mut self, region: Region) {
        if self.ghosts.contains_key(&region) {
            return;
        }
        let array = &self.arrays.arrays[&region];
        let (name, ty, offset) = (array.name.clone(), array.ty, self.offset_type());
        let mut new = |what: &str, ty: Scalar| self.ghost(&format!("{name}?{what}"), ty);
        let ghosts = Ghosts {
            token: new("elements", TOKEN),
            out: new("out", ty),
            inside: new("in", ty),
            from: new("from", offset),
            to: new("to", offset),
            old: new("old", ty),
            case: new("case", CASE),
            fresh: new("fresh", TOKEN),
        };
        self.ghosts.insert(region, ghosts);
    }

    fn var(&mut self, var: VarId) -> ExprId {
        let ty = self.program.register(var).expect("ghosts are registers");
        self.program.exprs.var(var, ty)
    }

    fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.program.exprs.binary(op, a, b)
    }

    fn equal(&mut self, a: VarId, b: ExprId) -> ExprId {
        let a = self.var(a);
        self.binary(BinOp::Eq, a, b)
    }

    fn zero(&mut self, var: VarId) -> ExprId {
        let ty = self.program.register(var).expect("ghosts are registers");
        self.program.exprs.int(ty, 0)
    }

    /// `var := condition ? value : var`
    fn set_if(&mut self, condition: ExprId, var: VarId, value: ExprId) -> Op {
        let old = self.var(var);
        Op::Assign(var, self.program.exprs.ite(condition, value, old))
    }

    /// Edges with `ops` from `from` to `to`.
    fn connect(&mut self, mut from: Node, to: Node, ops: Vec<Op>, span: Span) {
        let (last, rest) = ops.split_last().expect("something is done");
        let function = self.program.nodes[from].function;
        for op in rest {
            let next = self.program.nodes.push(NodeInfo { function, loop_head: false });
            self.edges.push(Edge { from, to: next, op: op.clone(), span });
            from = next;
        }
        self.edges.push(Edge { from, to, op: last.clone(), span });
    }

    /// No elements are followed at first, and no fold was seen.
    fn start(&mut self) {
        let function = self.program.entry;
        let old = self.program.functions[function].entry;
        let known = self.source.vars.len();
        let ghosts: Vec<VarId> = self.program.vars.ids().filter(|var| base::Id::index(*var) >= known).collect();
        let mut ops: Vec<Op> = ghosts.into_iter().map(|var| Op::Havoc(var, Source::Indeterminate)).collect();
        for ghosts in self.ghosts.values().copied().collect::<Vec<_>>() {
            for var in [ghosts.from, ghosts.to] {
                let zero = self.zero(var);
                ops.push(Op::Assign(var, zero));
            }
        }
        let entry = self.program.nodes.push(NodeInfo { function, loop_head: false });
        self.program.functions[function].entry = entry;
        self.connect(entry, old, ops, Span::default());
    }

    // Writes ----------------------------------------------------------------------------------------------------------

    fn edge(&mut self, id: EdgeId) {
        let Edge { from, to, ref op, span } = self.source.edges[id];
        let mut ops = match op {
            Op::Store { to, value } => self.store(*to, *value),
            Op::Call { function, .. } => self.call(*function),
            _ => Vec::new(),
        };
        let (before, op) = self.divide(op);
        ops.extend(before);
        ops.push(op.clone());
        if !matches!(op, Op::Store { .. }) {
            ops.extend(self.effects(id));
        }
        self.connect(from, to, ops, span);
    }

    /// An element is replaced, if it is one of those that are followed.
    fn store(&mut self, pointer: ExprId, value: ExprId) -> Vec<Op> {
        let region = self.arrays.of(self.source, pointer, self.source.exprs.ty(value));
        let Some((region, ghosts)) = region.and_then(|region| Some((region, *self.ghosts.get(&region)?))) else {
            return Vec::new();
        };
        let (ty, object) = (self.arrays.arrays[&region].ty, self.arrays.arrays[&region].object);
        let offset = self.arrays.offset(&mut self.program.exprs, pointer, object).expect("offsets of arrays are known");
        let offset = self.program.exprs.cast(offset, self.offset_type());
        let (from, to) = (self.var(ghosts.from), self.var(ghosts.to));
        let (behind, before) = (self.binary(BinOp::Le, from, offset), self.binary(BinOp::Lt, offset, to));
        let followed = self.binary(BinOp::And, behind, before);
        let load = self.program.exprs.load(pointer, ty);
        let (old, new) = (self.var(ghosts.old), self.program.exprs.cast(value, ty));
        let [other, moves, opens, anew] = [0, 1, 2, 3].map(|case| self.program.exprs.int(CASE, case));
        let (leaves, closed) = (self.equal(ghosts.inside, old), {
            let inside = self.var(ghosts.inside);
            self.equal(ghosts.out, inside)
        });
        let exprs = &mut self.program.exprs;
        let case = exprs.ite(closed, opens, anew);
        let case = exprs.ite(leaves, moves, case);
        let case = exprs.ite(followed, case, other);
        let (moves, opens, anew) =
            (self.equal(ghosts.case, moves), self.equal(ghosts.case, opens), self.equal(ghosts.case, anew));
        let kept = self.binary(BinOp::Or, moves, opens);
        let (fresh, zero) = (self.var(ghosts.fresh), self.zero(ghosts.out));
        vec![
            Op::Assign(ghosts.old, load),
            Op::Assign(ghosts.case, case),
            Op::Havoc(ghosts.fresh, Source::Indeterminate),
            self.set_if(anew, ghosts.token, fresh),
            self.set_if(anew, ghosts.out, zero),
            self.set_if(anew, ghosts.inside, zero),
            self.set_if(opens, ghosts.out, old),
            self.set_if(kept, ghosts.inside, new),
        ]
    }

    /// Lets divisions by a divisor that is not constant give what the last one with these numbers gave: solvers do not see in time
    /// that two circuits for one quotient are the same, and what quotients are does not matter here.
    fn divide(&mut self, op: &Op) -> (Vec<Op>, Op) {
        // A branch is a pair of edges from one node.
        if matches!(op, Op::Assume(_)) {
            return (Vec::new(), op.clone());
        }
        let mut found: BTreeSet<ExprId> = BTreeSet::new();
        for operand in op.operands() {
            self.source.exprs.visit(operand, |id, node| {
                if let Expr::Binary(BinOp::Div | BinOp::Rem, _, by) = node
                    && self.source.exprs.ty(id).is_int()
                    && self.source.exprs.constant(by).is_none()
                {
                    found.insert(id);
                }
            });
        }
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut ops = Vec::new();
        // Operands have smaller ids.
        for id in found {
            let Expr::Binary(_, a, b) = self.source.exprs.node(id) else { unreachable!("a division has operands") };
            let (a, b) = (self.program.exprs.substitute(a, &mut known), self.program.exprs.substitute(b, &mut known));
            let last = self.quotient(id, (self.program.exprs.ty(a), self.program.exprs.ty(b)));
            let (same_a, same_b) = (self.equal(last.dividend, a), self.equal(last.divisor, b));
            let zero = self.zero(last.divisor);
            let none = self.binary(BinOp::Eq, b, zero);
            let some = self.program.exprs.not(none);
            let same = self.binary(BinOp::And, same_a, same_b);
            let same = self.binary(BinOp::And, same, some);
            let other = self.program.exprs.not(same);
            let fresh = self.var(last.fresh);
            ops.push(Op::Havoc(last.fresh, Source::Indeterminate));
            ops.push(self.set_if(other, last.result, fresh));
            ops.extend([Op::Assign(last.dividend, a), Op::Assign(last.divisor, b)]);
            let result = self.var(last.result);
            known.insert(id, result);
        }
        let op = op.map_operands(|operand| self.program.exprs.substitute(operand, &mut known));
        (ops, op)
    }

    fn quotient(&mut self, id: ExprId, (dividend, divisor): (Scalar, Scalar)) -> Quotient {
        if let Some(&last) = self.quotients.get(&id) {
            return last;
        }
        let ty = self.source.exprs.ty(id);
        let last = Quotient {
            dividend: self.ghost("?dividend", dividend),
            divisor: self.ghost("?divisor", divisor),
            result: self.ghost("?quotient", ty),
            fresh: self.ghost("?any", ty),
        };
        self.quotients.insert(id, last);
        last
    }

    /// The elements are any.
    fn forget(&mut self, ghosts: Ghosts) -> Vec<Op> {
        let zero = self.zero(ghosts.out);
        vec![
            Op::Havoc(ghosts.token, Source::Indeterminate),
            Op::Assign(ghosts.out, zero),
            Op::Assign(ghosts.inside, zero),
        ]
    }

    /// A call begins with arbitrary bytes in the callee's local arrays.
    fn call(&mut self, function: cfa::FunctionId) -> Vec<Op> {
        let is_local = |region: &Region| self.arrays.is_local(self.source, *region, function);
        let local: Vec<Ghosts> =
            self.ghosts.iter().filter(|(region, _)| is_local(region)).map(|(_, ghosts)| *ghosts).collect();
        local.into_iter().flat_map(|ghosts| self.forget(ghosts)).collect()
    }

    /// What an edge that is not a store does to arrays.
    fn effects(&mut self, id: EdgeId) -> Vec<Op> {
        let mut regions = self.arrays.memory.written(self.source, id);
        if let Op::Free(pointer) | Op::End(pointer) = &self.source.edges[id].op {
            regions.extend(self.arrays.memory.behind(&self.arrays.points_to, *pointer));
        }
        let touched: Vec<Ghosts> = regions.iter().filter_map(|region| self.ghosts.get(region)).copied().collect();
        touched.into_iter().flat_map(|ghosts| self.forget(ghosts)).collect()
    }

    // Folds -----------------------------------------------------------------------------------------------------------

    /// One step from the head of the loop to where it leaves.
    fn fold(&mut self, fold: &Fold) -> (Last, Vec<VarId>) {
        let ghosts = self.ghosts[&fold.region];
        let ty = self.source.register(fold.index).expect("an index is a register");
        let index = self.program.exprs.var(fold.index, ty);
        let some = self.binary(BinOp::Lt, index, fold.bound);
        let (inside, mut ops) = self.inside(fold, index, some);
        let earlier = self.earlier(fold, index);
        // The range, and whether it is the one that is followed.
        let one = self.program.exprs.int(ty, 1);
        let before = self.binary(BinOp::Sub, index, one);
        let first = earlier.map_or(index, |(condition, _)| self.program.exprs.ite(condition, before, index));
        let (from, to) = (self.offset(fold, first), self.offset(fold, fold.bound));
        let (same_from, same_to) = (self.equal(ghosts.from, from), self.equal(ghosts.to, to));
        let content = self.var(ghosts.inside);
        let closed = self.equal(ghosts.out, content);
        let same = self.binary(BinOp::And, same_from, same_to);
        let same = self.binary(BinOp::And, same, closed);
        let other = self.program.exprs.not(same);
        let (fresh, zero) = (self.var(ghosts.fresh), self.zero(ghosts.out));
        ops.push(Op::Havoc(ghosts.fresh, Source::Indeterminate));
        ops.push(self.set_if(other, ghosts.token, fresh));
        ops.extend([ghosts.out, ghosts.inside].map(|var| Op::Assign(var, zero)));
        ops.extend([Op::Assign(ghosts.from, from), Op::Assign(ghosts.to, to)]);
        let counts = self.binary(BinOp::And, some, inside);
        let states: Vec<ExprId> = fold
            .accumulators
            .iter()
            .map(|&var| {
                let state = self.var(var);
                earlier.map_or(state, |(condition, start)| self.program.exprs.ite(condition, start, state))
            })
            .collect();
        let (last, results, more) = self.results(fold, &states, counts);
        ops.extend(more);
        for (&var, &result) in fold.accumulators.iter().zip(&results) {
            let value = self.var(result);
            ops.push(self.set_if(some, var, value));
        }
        ops.push(self.set_if(some, fold.index, fold.bound));
        self.connect(fold.head, fold.exit, ops, fold.span);
        (last, results)
    }

    /// Whether all elements lie inside the object, and how that is made sure elsewhere.
    fn inside(&mut self, fold: &Fold, index: ExprId, some: ExprId) -> (ExprId, Vec<Op>) {
        let bytes = self.arrays.arrays[&fold.region].ty.bytes(self.source.model);
        let size = self.arrays.size(self.source, fold.region);
        let most = size.unwrap_or(1 << (self.program.model.pointer_bits() - 1)) / bytes;
        let wide = Scalar::int(128, true);
        let exprs = &mut self.program.exprs;
        let (zero, most) = (exprs.int(wide, 0), exprs.int(wide, i128::from(most)));
        let (index, bound) = (exprs.cast(index, wide), exprs.cast(fold.bound, wide));
        let (low, high) = (exprs.binary(BinOp::Le, zero, index), exprs.binary(BinOp::Le, bound, most));
        let inside = exprs.binary(BinOp::And, low, high);
        if size.is_some() {
            return (inside, Vec::new());
        }
        let none = exprs.not(some);
        (exprs.bool(true), vec![Op::Assume(exprs.binary(BinOp::Or, none, inside))])
    }

    /// When the accumulator is the element before the first one, and what the fold starts from with that element.
    fn earlier(&mut self, fold: &Fold, index: ExprId) -> Option<(ExprId, ExprId)> {
        let &(start, _) = fold.neutral.iter().find(|(_, condition)| self.valid.contains(condition))?;
        let state = self.var(fold.accumulators[0]);
        let exprs = &mut self.program.exprs;
        let content = exprs.load(fold.before, self.arrays.arrays[&fold.region].ty);
        let content = exprs.cast(content, exprs.ty(state));
        let one = exprs.int(exprs.ty(index), 1);
        let (positive, equal) = (exprs.binary(BinOp::Le, one, index), exprs.binary(BinOp::Eq, state, content));
        Some((exprs.binary(BinOp::And, positive, equal), start))
    }

    /// Where an element begins.
    fn offset(&mut self, fold: &Fold, index: ExprId) -> ExprId {
        let bytes = self.arrays.arrays[&fold.region].ty.bytes(self.source.model);
        let ty = self.offset_type();
        let exprs = &mut self.program.exprs;
        let (index, bytes) = (exprs.cast(index, ty), exprs.int(ty, i128::from(bytes)));
        exprs.binary(BinOp::Mul, index, bytes)
    }

    /// What a fold gives in new registers, and what is remembered of it if it counts.
    fn results(&mut self, fold: &Fold, states: &[ExprId], counts: ExprId) -> (Last, Vec<VarId>, Vec<Op>) {
        let types: Vec<Scalar> = states.iter().map(|&state| self.program.exprs.ty(state)).collect();
        let results: Vec<VarId> = types.iter().map(|&ty| self.ghost("?result", ty)).collect();
        let mut ops: Vec<Op> = results.iter().map(|&var| Op::Havoc(var, Source::Indeterminate)).collect();
        let token = self.var(self.ghosts[&fold.region].token);
        let sum = fold.sum.as_ref().filter(|sum| self.valid.contains(&sum.is_sum) && fold.parameters.is_empty());
        if let Some(sum) = sum {
            let opposite = sum.opposites.iter().find(|(_, condition)| self.valid.contains(condition));
            let (addend, sign) = opposite.map_or((sum.addend, false), |(other, _)| (*other, true));
            let last = self.last(Kind::Sum(fold.region, addend), fold.region, (&[], &types));
            let same = self.equal(last.token, token);
            let same = self.binary(BinOp::And, same, counts);
            let added = self.var(last.results[0]);
            ops.push(self.set_if(same, results[0], added));
            let added = self.var(results[0]);
            ops.push(self.set_if(counts, last.results[0], added));
            ops.push(self.set_if(counts, last.token, token));
            let added = if sign { self.program.exprs.unary(UnOp::Neg, added) } else { added };
            let sum = self.binary(BinOp::Add, states[0], added);
            ops.push(self.set_if(counts, results[0], sum));
            return (last, results, ops);
        }
        let mut keys = states.to_vec();
        keys.extend(fold.parameters.iter().map(|&var| self.var(var)));
        let key_types: Vec<Scalar> = keys.iter().map(|&key| self.program.exprs.ty(key)).collect();
        let kind = Kind::Steps(fold.region, fold.step.clone());
        let last = self.last(kind, fold.region, (&key_types, &types));
        let mut same = self.equal(last.token, token);
        for (&var, &key) in last.keys.iter().zip(&keys) {
            let equal = self.equal(var, key);
            same = self.binary(BinOp::And, same, equal);
        }
        same = self.binary(BinOp::And, same, counts);
        for (&result, &before) in results.iter().zip(&last.results) {
            let before = self.var(before);
            ops.push(self.set_if(same, result, before));
        }
        let after: Vec<ExprId> = results.iter().map(|&result| self.var(result)).collect();
        let remembered = last.results.iter().copied().zip(after).chain(last.keys.iter().copied().zip(keys));
        for (var, value) in remembered.chain([(last.token, token)]).collect::<Vec<_>>() {
            ops.push(self.set_if(counts, var, value));
        }
        (last, results, ops)
    }

    /// What is remembered of a kind of folds.
    fn last(&mut self, kind: Kind, region: Region, (keys, results): (&[Scalar], &[Scalar])) -> Last {
        if let Some(last) = self.lasts.get(&kind) {
            return last.clone();
        }
        let last = Last {
            region,
            token: self.ghost("?last", TOKEN),
            keys: keys.iter().map(|&ty| self.ghost("?before", ty)).collect(),
            results: results.iter().map(|&ty| self.ghost("?after", ty)).collect(),
        };
        self.lasts.insert(kind, last.clone());
        last
    }
}
