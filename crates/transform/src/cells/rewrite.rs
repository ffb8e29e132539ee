//! Replaces reads and writes of arrays by reads and writes of their cells.
//!
//! - read at `o`: `t := arbitrary; t := o == cell's offset ? cell : o == noted offset ? noted : t`, and note `o` and `t`;
//! - write of `e` at `o`: `cell := o == cell's offset ? e : cell` for each cell, and note `o` and `e`;
//! - whatever else changes the array makes cells and the noted value arbitrary, unless the new value is known.

use super::focus::add_ghost;
use super::focus::{Cell, Focus};
use super::places::{self, Ranges};
use crate::arrays::Arrays;
use crate::reads::variables;
use crate::register::add_register;
use base::{IdVec, Span};
use cfa::{
    Allocation, BinOp, Edge, EdgeId, ExprId, FunctionId, Node, NodeInfo, Op, Program, Scalar, Source, VarId, VarKind,
};
use flow::regions::Region;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The last access to an array: `value` is what lies at `offset`, wherever that is.
#[derive(Clone, Copy, Debug)]
struct Note {
    offset: VarId,
    value: VarId,
}

pub(super) struct Rewrite<'a> {
    source: &'a Program,
    arrays: &'a Arrays,
    focus: &'a Focus,
    program: Program,
    edges: Vec<Edge>,
    notes: BTreeMap<Region, Note>,
    temporaries: FxHashMap<(FunctionId, ExprId), VarId>,
    /// What holds at nodes of the source.
    known: &'a BTreeMap<Node, ExprId>,
    /// The ranges of the guesses, and of the variables at the node that is being rewritten.
    guessed: Ranges,
    here: Ranges,
}

impl<'a> Rewrite<'a> {
    /// Rewrites `program`, which is `source` with further variables and expressions. `ranges` holds of the guesses,
    /// `known` at the source's nodes.
    pub fn run(
        source: &'a Program,
        mut program: Program,
        arrays: &'a Arrays,
        focus: &'a Focus,
        (ranges, known): (&[ExprId], &'a BTreeMap<Node, ExprId>),
    ) -> Program {
        assert!(ranges.iter().all(|&range| program.exprs.ty(range) == Scalar::Bool), "ranges are conditions");
        program.edges = IdVec::new();
        let (notes, temporaries) = (BTreeMap::new(), FxHashMap::default());
        let mut guessed = Ranges::default();
        for &range in ranges {
            guessed.meet(&Ranges::of(&program.exprs, range));
        }
        let (edges, here) = (Vec::new(), Ranges::default());
        let mut rewrite = Rewrite { source, arrays, focus, program, edges, notes, temporaries, known, guessed, here };
        rewrite.add_notes();
        rewrite.start(ranges);
        for node in source.nodes.ids() {
            rewrite.node(node);
        }
        let Rewrite { mut program, mut edges, .. } = rewrite;
        debug_assert!(edges.len() >= source.edges.len(), "every edge of the source is followed");
        drop_unused(&program, &mut edges);
        program.edges = IdVec::from(edges);
        program.index();
        flow::find_loops(&mut program);
        program.assert_valid();
        program
    }

    /// Arrays that are accessed at several nodes through the same pointer remember their last access.
    fn add_notes(&mut self) {
        let mut users: BTreeMap<(Region, ExprId), BTreeSet<Node>> = BTreeMap::new();
        for access in &self.arrays.accesses {
            let node = self.source.edges[access.edge].from;
            users.entry((access.region, access.pointer)).or_default().insert(node);
        }
        let offset_type = self.program.model.offset_type();
        for ((region, _), nodes) in users {
            if nodes.len() > 1 && !self.notes.contains_key(&region) {
                let array = &self.arrays.arrays[&region];
                let offset = add_ghost(&mut self.program, &format!("{}[?at]", array.name), offset_type);
                let value = add_ghost(&mut self.program, &format!("{}[?noted]", array.name), array.ty);
                self.notes.insert(region, Note { offset, value });
            }
        }
    }

    fn fresh(&mut self, like: Node) -> Node {
        let function = self.program.nodes[like].function;
        self.program.nodes.push(NodeInfo { function, loop_head: false })
    }

    /// An edge with `op` to a new node, which is returned.
    fn step(&mut self, from: Node, op: Op, span: Span) -> Node {
        let to = self.fresh(from);
        self.edges.push(Edge { from, to, op, span });
        to
    }

    /// Edges with `ops` from `from` to `to`.
    fn connect(&mut self, mut from: Node, to: Node, ops: Vec<Op>, span: Span) {
        let Some((last, rest)) = ops.split_last() else {
            self.edges.push(Edge { from, to, op: Op::Skip, span });
            return;
        };
        for op in rest {
            from = self.step(from, op.clone(), span);
        }
        self.edges.push(Edge { from, to, op: last.clone(), span });
    }

    /// All that is new is arbitrary at first, but the guesses lie in their ranges.
    fn start(&mut self, ranges: &[ExprId]) {
        let function = self.program.entry;
        let old = self.program.functions[function].entry;
        let slots = self.focus.slots.iter().flat_map(|slot| [slot.guess, slot.last]);
        let notes = self.notes.values().flat_map(|note| [note.offset, note.value]);
        let vars: Vec<VarId> = slots.chain(self.focus.cells.iter().map(|cell| cell.var)).chain(notes).collect();
        let mut ops: Vec<Op> = vars.into_iter().map(|var| Op::Havoc(var, Source::Indeterminate)).collect();
        ops.extend(ranges.iter().map(|&range| Op::Assume(range)));
        let entry = self.fresh(old);
        self.program.functions[function].entry = entry;
        self.connect(entry, old, ops, Span::default());
    }

    fn node(&mut self, node: Node) {
        let source = self.source;
        let leaving: Vec<EdgeId> = source.leaving(node).collect();
        let Some(&first) = leaving.first() else { return };
        let span = source.edges[first].span;
        // Loads of loads come before what they lead to, since operands have smaller ids.
        let mut loads: BTreeSet<ExprId> = BTreeSet::new();
        for operand in leaving.iter().flat_map(|&edge| source.edges[edge].op.operands()) {
            source.exprs.visit(operand, |id, _| {
                if self.arrays.load(source, &source.exprs, id).is_some() {
                    loads.insert(id);
                }
            });
        }
        self.look(node);
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut at = node;
        for load in loads {
            at = self.read(at, load, &mut known, span);
        }
        for &(slot, var) in self.focus.watched.get(&node).into_iter().flatten() {
            let slot = self.focus.slots[slot];
            let value = self.program.exprs.var(var, slot.ty);
            at = self.step(at, Op::Assign(slot.last, value), span);
        }
        for id in leaving {
            self.edge(at, id, &mut known);
        }
    }

    /// Learns what is known at a node.
    fn look(&mut self, node: Node) {
        self.here = self.guessed.clone();
        if let Some(&fact) = self.known.get(&node) {
            self.here.meet(&Ranges::of(&self.source.exprs, fact));
        }
    }

    fn read(&mut self, at: Node, load: ExprId, known: &mut FxHashMap<ExprId, ExprId>, span: Span) -> Node {
        let (region, pointer) =
            self.arrays.load(self.source, &self.source.exprs, load).expect("only loads of arrays are read");
        let offset = self.offset(region, pointer, known);
        let function = self.program.nodes[at].function;
        let ty = self.source.exprs.ty(load);
        let own = self.arrays.arrays[&region].ty;
        let temporary = match self.temporaries.get(&(function, load)) {
            Some(&var) => var,
            None => {
                let var = add_register(&mut self.program, "read$", VarKind::Temporary, Some(function), own);
                self.temporaries.insert((function, load), var);
                var
            }
        };
        let mut value = self.program.exprs.var(temporary, own);
        if let Some(&note) = self.notes.get(&region) {
            let (place, noted) = (self.var(note.offset), self.var(note.value));
            let same = self.program.exprs.binary(BinOp::Eq, offset, place);
            value = self.program.exprs.ite(same, noted, value);
        }
        for cell in self.cells(region) {
            let content = self.var(cell.var);
            let here = places::same(&mut self.program.exprs, offset, cell.offset, &self.here);
            value = self.program.exprs.ite(here, content, value);
        }
        if let Some(last) = self.last_offset(region)
            && let Some(inside) = places::inside(&mut self.program.exprs, offset, last, &self.here)
        {
            let anything = self.program.exprs.var(temporary, own);
            value = self.program.exprs.ite(inside, value, anything);
        }
        let at = self.step(at, Op::Havoc(temporary, Source::Indeterminate), span);
        let mut at = self.step(at, Op::Assign(temporary, value), span);
        let value = self.program.exprs.var(temporary, own);
        for op in self.note(region, offset, value) {
            at = self.step(at, op, span);
        }
        known.insert(load, self.program.exprs.cast(value, ty));
        at
    }

    /// Where the last element of an array begins, if its size is constant.
    fn last_offset(&self, region: Region) -> Option<u64> {
        self.arrays.size(self.source, region)?.checked_sub(self.arrays.arrays[&region].ty.bytes(self.source.model))
    }

    fn var(&mut self, var: VarId) -> ExprId {
        let ty = self.program.register(var).expect("ghosts are registers");
        self.program.exprs.var(var, ty)
    }

    fn cells(&self, region: Region) -> Vec<Cell> {
        self.focus.cells.iter().filter(|cell| cell.region == region).copied().collect()
    }

    /// The offset of an access where the loads in it were read.
    fn offset(&mut self, region: Region, pointer: ExprId, known: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        let object = self.arrays.arrays[&region].object;
        let offset = self.arrays.offset(&mut self.program.exprs, pointer, object).expect("offsets of arrays are known");
        self.program.exprs.substitute(offset, known)
    }

    fn note(&mut self, region: Region, offset: ExprId, value: ExprId) -> Vec<Op> {
        let Some(note) = self.notes.get(&region) else { return Vec::new() };
        vec![Op::Assign(note.offset, offset), Op::Assign(note.value, value)]
    }

    fn edge(&mut self, from: Node, id: EdgeId, known: &mut FxHashMap<ExprId, ExprId>) {
        let Edge { to, ref op, span, .. } = self.source.edges[id];
        let mut ops = self.before(op);
        ops.push(op.map_operands(|operand| self.program.exprs.substitute(operand, known)));
        if let Op::Store { to: pointer, value } = op
            && let Some(region) = self.arrays.of(self.source, *pointer, self.source.exprs.ty(*value))
        {
            ops.pop();
            ops.extend(self.write(region, *pointer, *value, known));
        } else {
            ops.extend(self.effects(id));
        }
        if self.source.target_at(to).is_some() {
            ops.extend(self.cut());
        }
        self.connect(from, to, ops, span);
    }

    /// A call begins with arbitrary bytes in the callee's local arrays.
    fn before(&self, op: &Op) -> Vec<Op> {
        let Op::Call { function, .. } = op else { return Vec::new() };
        let is_local = |region: &Region| self.arrays.is_local(self.source, *region, *function);
        let regions: Vec<Region> = self.arrays.arrays.keys().copied().filter(is_local).collect();
        regions.into_iter().flat_map(|region| self.forget(region)).collect()
    }

    fn write(
        &mut self,
        region: Region,
        pointer: ExprId,
        value: ExprId,
        known: &mut FxHashMap<ExprId, ExprId>,
    ) -> Vec<Op> {
        let own = self.arrays.arrays[&region].ty;
        let offset = self.offset(region, pointer, known);
        let value = self.program.exprs.substitute(value, known);
        let value = self.program.exprs.cast(value, own);
        let mut ops = Vec::new();
        for cell in self.cells(region) {
            let old = self.var(cell.var);
            let here = places::same(&mut self.program.exprs, offset, cell.offset, &self.here);
            let new = self.program.exprs.ite(here, value, old);
            ops.push(Op::Assign(cell.var, new));
        }
        ops.extend(self.note(region, offset, value));
        ops
    }

    /// Cells and the noted value become arbitrary.
    fn forget(&self, region: Region) -> Vec<Op> {
        let cells = self.focus.cells.iter().filter(|cell| cell.region == region).map(|cell| cell.var);
        let noted = self.notes.get(&region).map(|note| note.value);
        cells.chain(noted).map(|var| Op::Havoc(var, Source::Indeterminate)).collect()
    }

    /// All elements become zero.
    fn clear(&mut self, region: Region) -> Vec<Op> {
        let ty = self.arrays.arrays[&region].ty;
        let zero = self.program.exprs.bits(ty, 0);
        let cells = self.focus.cells.iter().filter(|cell| cell.region == region).map(|cell| cell.var);
        let noted = self.notes.get(&region).map(|note| note.value);
        cells.chain(noted).map(|var| Op::Assign(var, zero)).collect()
    }

    /// What an edge that is not a store does to arrays, after it.
    fn effects(&mut self, id: EdgeId) -> Vec<Op> {
        let op = &self.source.edges[id].op;
        let mut regions = self.arrays.memory.written(self.source, id);
        if let Op::Free(pointer) = op {
            regions = self.arrays.memory.behind(&self.arrays.points_to, *pointer);
        }
        regions.retain(|region| self.arrays.arrays.contains_key(region));
        let mut ops = Vec::new();
        for region in regions {
            ops.extend(match op {
                Op::Init(var) => self.initial(region, *var),
                Op::Allocate { how: Allocation::HeapZeroed, .. } => self.clear(region),
                _ => self.forget(region),
            });
        }
        ops
    }

    /// Static initialisers with few cells that are not zero are known exactly.
    fn initial(&mut self, region: Region, var: VarId) -> Vec<Op> {
        const MOST: usize = 32;
        let own = self.arrays.arrays[&region].ty;
        let inits: Vec<_> = self.source.vars[var].init.to_vec();
        let fits = |value: ExprId| {
            let ty = self.program.exprs.ty(value);
            ty == own || (ty.is_int() && own.is_int() && ty.bits(self.program.model) == own.bits(self.program.model))
        };
        let zero = inits.iter().all(|init| self.program.exprs.constant(init.value) == Some(0));
        if zero {
            return self.clear(region);
        }
        if inits.len() > MOST || !inits.iter().all(|init| fits(init.value)) {
            return self.forget(region);
        }
        let mut ops = Vec::new();
        if let Some(note) = self.notes.get(&region) {
            ops.push(Op::Havoc(note.value, Source::Indeterminate));
        }
        let offset_type: Scalar = self.program.model.offset_type();
        for cell in self.cells(region) {
            let mut value = self.program.exprs.bits(own, 0);
            for init in &inits {
                let place = self.program.exprs.int(offset_type, i128::from(init.offset));
                let here = self.program.exprs.binary(BinOp::Eq, cell.offset, place);
                let content = self.program.exprs.cast(init.value, own);
                value = self.program.exprs.ite(here, content, value);
            }
            ops.push(Op::Assign(cell.var, value));
        }
        ops
    }

    /// The guesses were right.
    fn cut(&mut self) -> Vec<Op> {
        let mut ops = Vec::new();
        for slot in self.focus.slots.clone() {
            let (guess, last) = (self.var(slot.guess), self.var(slot.last));
            ops.push(Op::Assume(self.program.exprs.binary(BinOp::Eq, guess, last)));
        }
        ops
    }
}

/// Removes objects on the stack whose address nothing reads any more: arrays need not fit into memory if only their cells
/// matter. Executions that could not go on with such an object go on without it, so there are more of them.
fn drop_unused(program: &Program, edges: &mut [Edge]) {
    let mut read: BTreeSet<VarId> = BTreeSet::new();
    for operand in edges.iter().filter(|edge| !matches!(edge.op, Op::End(_))).flat_map(|edge| edge.op.operands()) {
        read.extend(variables(&program.exprs, operand));
    }
    // Whose address may be another one's is kept, too.
    let others = edges.iter().filter(|edge| !matches!(edge.op, Op::Allocate { .. }));
    read.extend(others.filter_map(|edge| edge.op.variable()));
    let mut dropped: BTreeSet<VarId> = BTreeSet::new();
    for edge in edges.iter_mut() {
        if let Op::Allocate { result, how: Allocation::Stack, .. } = edge.op
            && !read.contains(&result)
        {
            dropped.insert(result);
            edge.op = Op::Skip;
        }
    }
    for edge in edges {
        if let Op::End(pointer) = edge.op
            && variables(&program.exprs, pointer).iter().any(|var| dropped.contains(var))
        {
            edge.op = Op::Skip;
        }
    }
}
