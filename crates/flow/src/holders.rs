//! Whether something may still hold the address of a local when the local ends, with its scope or with its function. Only then
//! can an execution use the dead object, or take the next object in its place for it.
//!
//! Holders are memory, global registers and results of functions, wherever the address is put there, and at the end of a scope
//! also registers of the same function that are read afterwards. Registers of callers have it from memory or from a result.
//! Locals of the same function end with it, so they do not count as holders at its end, unless their bytes are copied elsewhere; and so
//! are those that end together with a local, in one run of `End` edges, at the end of its scope: what lies in a dead object is
//! only found by an access that is an error itself, and the object's next life begins with arbitrary bytes.

use crate::CallGraph;
use crate::points_to::{ObjectId, ObjectKind, PointsTo};
use cfa::{EdgeId, Expr, ExprId, FunctionId, Op, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Where addresses may be kept.
pub struct Holders<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    /// What lies in memory that is not a local's, or in global registers, or is returned.
    anywhere: FxHashSet<ObjectId>,
    /// The locals in which others' addresses lie, by the latter.
    inside: FxHashMap<ObjectId, FxHashSet<ObjectId>>,
    /// What lies in any memory or in global registers, or is returned, without what only lies in locals of the function
    /// that it is a local of.
    beyond: FxHashSet<ObjectId>,
    /// The local registers of each function that are read, each with the expression that does so.
    registers: FxHashMap<FunctionId, Vec<(VarId, ExprId)>>,
    calls: OnceCell<CallGraph>,
}

impl<'p> Holders<'p> {
    /// Looks at every operation that keeps a value.
    pub fn new(program: &'p Program, points_to: &'p PointsTo) -> Self {
        let mut registers: FxHashMap<FunctionId, Vec<(VarId, ExprId)>> = FxHashMap::default();
        for id in program.exprs.ids() {
            if let Expr::Var(var) = program.exprs.node(id)
                && let Some(function) = program.vars[var].function
            {
                registers.entry(function).or_default().push((var, id));
            }
        }
        let (anywhere, beyond, inside) = Default::default();
        let mut holders = Self { program, points_to, anywhere, inside, beyond, registers, calls: OnceCell::new() };
        let copied = holders.copied();
        for (_, edge) in program.edges.iter() {
            match &edge.op {
                Op::Store { to, value } => holders.keep(*value, Some((*to, &copied))),
                Op::Return(Some(value)) => holders.keep(*value, None),
                Op::Assign(var, value) if program.vars[*var].function.is_none() => holders.keep(*value, None),
                _ => {}
            }
        }
        holders.follow_copies();
        holders
    }

    /// What lies in a local lies wherever its bytes are copied to as well.
    fn follow_copies(&mut self) {
        let mut copies: FxHashMap<ObjectId, Option<FxHashSet<ObjectId>>> = FxHashMap::default();
        for (_, edge) in self.program.edges.iter() {
            if let Op::Copy { to, from, .. } = edge.op {
                let locals = self.locals(to);
                for place in self.points_to.targets(from).places.iter() {
                    let known = copies.entry(place.object).or_insert_with(|| Some(FxHashSet::default()));
                    match (known.as_mut(), &locals) {
                        (Some(known), Some(more)) => known.extend(more),
                        (None, _) | (_, None) => *known = None,
                    }
                }
            }
        }
        for (object, holders) in &mut self.inside {
            let mut work: Vec<ObjectId> = holders.iter().copied().collect();
            while let Some(holder) = work.pop() {
                match copies.get(&holder) {
                    Some(Some(more)) => work.extend(more.iter().copied().filter(|&new| holders.insert(new))),
                    Some(None) => _ = self.anywhere.insert(*object),
                    None => {}
                }
            }
        }
    }

    /// What a pointer leads to, if these are locals that the program names.
    fn locals(&self, pointer: ExprId) -> Option<FxHashSet<ObjectId>> {
        let targets = self.points_to.targets(pointer);
        let named = |object| self.function_of(object).is_some() && !self.points_to.objects[object].escaped;
        let all = !targets.unknown && targets.places.iter().all(|place| named(place.object));
        all.then(|| targets.places.iter().map(|place| place.object).collect())
    }

    /// Objects whose bytes are copied to other functions' objects, or to an unknown place.
    fn copied(&self) -> FxHashSet<ObjectId> {
        let mut copied = FxHashSet::default();
        for (_, edge) in self.program.edges.iter() {
            if let Op::Copy { to, from, .. } = edge.op {
                let from = self.points_to.targets(from).places;
                let leaves = |object: ObjectId| match self.function_of(object) {
                    Some(function) => !self.stays_in(to, function),
                    None => false,
                };
                copied.extend(from.iter().map(|place| place.object).filter(|&object| leaves(object)));
            }
        }
        copied
    }

    /// Notes where a value is kept: in memory, or elsewhere.
    fn keep(&mut self, value: ExprId, memory: Option<(ExprId, &FxHashSet<ObjectId>)>) {
        let held: FxHashSet<ObjectId> = self.points_to.targets(value).places.iter().map(|place| place.object).collect();
        let locals = memory.and_then(|(to, _)| self.locals(to));
        for object in held {
            match &locals {
                Some(locals) => self.inside.entry(object).or_default().extend(locals),
                None => _ = self.anywhere.insert(object),
            }
            let stays = |(to, copied): (ExprId, &FxHashSet<ObjectId>)| {
                let is_copied = || self.points_to.targets(to).places.iter().any(|place| copied.contains(&place.object));
                self.function_of(object).is_some_and(|function| self.stays_in(to, function)) && !is_copied()
            };
            if !memory.is_some_and(stays) {
                self.beyond.insert(object);
            }
        }
    }

    /// Whether a pointer leads to locals of this function only.
    fn stays_in(&self, pointer: ExprId, function: FunctionId) -> bool {
        let targets = self.points_to.targets(pointer);
        let own = |object| self.function_of(object) == Some(function) && !self.points_to.objects[object].escaped;
        !targets.unknown && targets.places.iter().all(|place| own(place.object))
    }

    /// The function whose local an object is.
    fn function_of(&self, object: ObjectId) -> Option<FunctionId> {
        match self.points_to.objects[object].kind {
            ObjectKind::Variable(var) => self.program.vars[var].function,
            ObjectKind::Allocation(_) | ObjectKind::Function(_) | ObjectKind::Unknown => None,
        }
    }

    /// Whether the address of a local may be found after its function has returned.
    pub fn after_return(&self, var: VarId) -> bool {
        let object = self.points_to.variable(var);
        object.is_some_and(|object| self.beyond.contains(&object) || self.points_to.objects[object].escaped)
    }

    fn is_recursive(&self, function: FunctionId) -> bool {
        self.calls.get_or_init(|| CallGraph::new(self.program)).is_recursive(function)
    }

    /// Whether the address of what an `End` ends may be found afterwards.
    pub fn after_scope(&self, end: EdgeId) -> bool {
        let own = self.own_register(end);
        let targets = self.points_to.targets(self.ended(end));
        let objects: FxHashSet<ObjectId> = targets.places.iter().map(|place| place.object).collect();
        let leaves = |object: &ObjectId| self.points_to.objects[*object].escaped || self.anywhere.contains(object);
        if targets.unknown || objects.iter().any(leaves) {
            return true;
        }
        let function = self.program.nodes[self.program.edges[end].from].function;
        let holders: FxHashSet<ObjectId> =
            objects.iter().filter_map(|one| self.inside.get(one)).flatten().copied().collect();
        // Another activation's local may hold the address where there is one.
        let may_stay = || self.is_recursive(function) || !holders.is_subset(&self.ended_together(end));
        if !holders.is_empty() && may_stay() {
            return true;
        }
        let registers = self.registers.get(&function).map_or(&[][..], Vec::as_slice);
        registers.iter().filter(|(var, _)| Some(*var) != own).any(|&(var, read)| {
            let held = self.points_to.targets(read);
            held.places.iter().any(|place| objects.contains(&place.object)) && self.is_read_after(end, var)
        })
    }

    /// Locals that end right before or right after an `End`, with nothing in between that reads.
    fn ended_together(&self, end: EdgeId) -> FxHashSet<ObjectId> {
        let mut ended = FxHashSet::default();
        let mut note = |edge: EdgeId| match self.program.edges[edge].op {
            Op::End(pointer) => {
                if let Expr::Addr(var) = self.program.exprs.node(pointer) {
                    ended.extend(self.points_to.variable(var));
                }
                true
            }
            Op::Assign(_, value) => self.program.exprs.constant(value).is_some(),
            Op::Skip => true,
            _ => false,
        };
        let mut seen = FxHashSet::default();
        let mut at = end;
        while seen.insert(at) && note(at) {
            let mut next = self.program.leaving(self.program.edges[at].to);
            let (Some(only), None) = (next.next(), next.next()) else { break };
            at = only;
        }
        let mut at = end;
        seen.clear();
        while seen.insert(at) && note(at) {
            let &[only] = self.program.entering(self.program.edges[at].from) else { break };
            at = only;
        }
        ended
    }

    fn ended(&self, end: EdgeId) -> ExprId {
        match self.program.edges[end].op {
            Op::End(pointer) => pointer,
            _ => unreachable!("the edge is the end of an object"),
        }
    }

    /// The register through which the program names a variable-length array.
    fn own_register(&self, end: EdgeId) -> Option<VarId> {
        match self.program.exprs.node(self.ended(end)) {
            Expr::Var(var) => Some(var),
            _ => None,
        }
    }

    /// Whether some path from the edge reads the register before it is written.
    fn is_read_after(&self, end: EdgeId, var: VarId) -> bool {
        let start = self.program.edges[end].to;
        let mut seen = FxHashSet::from_iter([start]);
        let mut work = vec![start];
        while let Some(node) = work.pop() {
            for id in self.program.leaving(node) {
                let edge = &self.program.edges[id];
                let reads = edge.op.operands().any(|operand| self.mentions(operand, var));
                // The end of another scope reads nothing.
                if reads && !matches!(edge.op, Op::End(_)) {
                    return true;
                }
                if edge.op.variable() != Some(var) && seen.insert(edge.to) {
                    work.push(edge.to);
                }
            }
        }
        false
    }

    fn mentions(&self, root: ExprId, var: VarId) -> bool {
        let mut found = false;
        self.program.exprs.visit(root, |_, node| found |= node == Expr::Var(var));
        found
    }
}
