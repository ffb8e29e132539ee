//! Facts about cells that are worth trying at loop heads: `where => what`. `what` comes from the program's conditions
//! on array elements and from what it writes into them, with the cell in place of the element and the guesses in place
//! of the index; `where` says that a loop has passed the cell already, or that the cell lies in the range that is
//! checked in the end.

use super::focus::Focus;
use crate::arrays::{Access, Arrays};
use crate::reads::{is_pure, variables};
use crate::starts::starts;
use base::IdVec;
use cfa::{BinOp, EdgeId, Expr, ExprId, FunctionId, Node, Op, Program, Scalar, VarId};
use flow::{LoopId, Loops, Prepared, Writes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Most claims about cells, and most conditions, per loop head.
const MOST_CLAIMS: usize = 40;
const MOST_GUARDS: usize = 96;
/// Conditions that are also tried without the first iteration.
const MOST_LATER: usize = 12;
/// Claims of deciding nodes that are combined in pairs.
const MOST_PAIRED: usize = 7;

pub(super) struct Guess<'a> {
    source: &'a Program,
    program: &'a mut Program,
    arrays: &'a Arrays,
    focus: &'a Focus,
    loops: Arc<Loops>,
    writes: IdVec<LoopId, Writes>,
    /// Conditions that hold at a deciding node, with the node: `condition` led there, at `from`.
    leading: Vec<Leading>,
}

/// A condition that every execution has passed when it is at a deciding node.
#[derive(Clone, Copy)]
struct Leading {
    node: Node,
    condition: ExprId,
}

/// Facts at the loop heads of `source`, over the expressions and ghosts of `program`.
pub(super) fn guess(source: &Prepared, program: &mut Program, arrays: &Arrays, focus: &Focus) -> Vec<(Node, ExprId)> {
    let loops = source.loops();
    let writes = loops.writes(source, &source.calls());
    let mut guess = Guess { source, program, arrays, focus, loops, writes, leading: Vec::new() };
    for &node in focus.watched.keys() {
        // Before the loops around the node, the indices were others.
        let around = |from: Node| {
            guess.loops.loops.ids().any(|id| guess.loops.contains(id, from) && guess.loops.contains(id, node))
        };
        let conditions = guess.passed(node).into_iter().filter(|(from, _)| around(*from));
        let leading: Vec<Leading> = conditions.map(|(_, condition)| Leading { node, condition }).collect();
        guess.leading.extend(leading);
    }
    let claims = guess.claims();
    let mut facts = Vec::new();
    for id in guess.loops.loops.ids().collect::<Vec<_>>() {
        let (head, function) = (guess.loops.loops[id].head, guess.loops.loops[id].function);
        let guards = guess.guards(id);
        let first = guess.first_iteration(id);
        facts.extend(guess.bounds(id).into_iter().map(|fact| (head, fact)));
        let fitting: Vec<ExprId> = claims.iter().copied().filter(|claim| guess.fits(*claim, function)).collect();
        for &claim in fitting.iter().take(MOST_CLAIMS) {
            facts.push((head, claim));
            for (at, &guard) in guards.iter().enumerate() {
                let no = guess.program.exprs.not(guard);
                let fact = guess.program.exprs.binary(BinOp::Or, no, claim);
                facts.push((head, fact));
                // Loops that write ahead have passed nothing before their first iteration.
                for &first in first.iter().filter(|_| at < MOST_LATER) {
                    facts.push((head, guess.program.exprs.binary(BinOp::Or, first, fact)));
                }
            }
        }
    }
    facts
}

impl Guess<'_> {
    /// Whether all variables of an expression exist in a function.
    fn fits(&self, id: ExprId, function: FunctionId) -> bool {
        let vars = variables(&self.program.exprs, id);
        vars.iter().all(|&var| self.program.vars[var].function.is_none_or(|owner| owner == function))
    }

    // What ------------------------------------------------------------------------------------------------------------

    fn claims(&mut self) -> Vec<ExprId> {
        let mut decisive: Vec<ExprId> = Vec::new();
        let mut others: Vec<ExprId> = Vec::new();
        for (_, edge) in self.source.edges.iter() {
            let watched = self.focus.watched.contains_key(&edge.from);
            for condition in self.conditions(&edge.op) {
                if let Some(claim) = self.claim(edge.from, condition) {
                    let list = if watched { &mut decisive } else { &mut others };
                    list.push(claim);
                }
            }
            if let Op::Store { to, value } = edge.op {
                others.extend(self.written(to, value));
            }
        }
        let mut all = decisive.clone();
        let mut seen = BTreeSet::new();
        decisive.retain(|claim| seen.insert(*claim));
        decisive.truncate(MOST_PAIRED);
        for Leading { node, condition } in self.leading.clone() {
            let claim = self.claim(node, condition);
            decisive.extend(claim.map(|claim| self.program.exprs.not(claim)));
        }
        for (at, &a) in decisive.iter().enumerate() {
            for &b in &decisive[..at] {
                if !self.program.complementary(a, b) {
                    all.push(self.program.exprs.binary(BinOp::Or, a, b));
                }
            }
        }
        all.extend(others);
        let mut seen = BTreeSet::new();
        all.retain(|claim| self.program.exprs.constant(*claim).is_none() && seen.insert(*claim));
        all
    }

    /// The largest truth values in an operation's operands, and the parts of conjunctions and disjunctions.
    fn conditions(&self, op: &Op) -> Vec<ExprId> {
        let exprs = &self.source.exprs;
        let mut found = Vec::new();
        let mut stack: Vec<ExprId> = op.operands().collect();
        while let Some(id) = stack.pop() {
            let node = exprs.node(id);
            if exprs.ty(id) == Scalar::Bool {
                found.push(id);
                if !matches!(node, Expr::Binary(BinOp::And | BinOp::Or, ..)) {
                    continue;
                }
            }
            stack.extend(node.operands());
        }
        found
    }

    /// A condition on array elements as one on cells.
    fn claim(&mut self, node: Node, condition: ExprId) -> Option<ExprId> {
        let mut loads = Vec::new();
        self.source.exprs.visit(condition, |id, _| {
            loads.extend(self.arrays.load(self.source, &self.source.exprs, id).map(|load| (id, load)));
        });
        let &(_, (region, pointer)) = loads.first()?;
        let map = match self.focus.watched.get(&node) {
            Some(watched) => watched.clone(),
            None => {
                let offset = self.offset(region, pointer)?;
                self.focus.mapping(self.program, offset)?
            }
        };
        let ids: Vec<ExprId> = loads.iter().map(|(id, _)| *id).collect();
        self.with_cells(condition, &ids, &map)
    }

    /// What is written somewhere, as what the cell there holds.
    fn written(&mut self, to: ExprId, value: ExprId) -> Option<ExprId> {
        let region = self.arrays.of(self.source, to, self.source.exprs.ty(value))?;
        let offset = self.offset(region, to)?;
        let map = self.focus.mapping(self.program, offset)?;
        let mut names = self.focus.substitution(&mut self.program.exprs, &map);
        let offset = self.program.exprs.substitute(offset, &mut names);
        let cell = *self.focus.cell_at(region, offset)?;
        let mut loads = Vec::new();
        self.source.exprs.visit(value, |id, _| {
            loads.extend(self.arrays.load(self.source, &self.source.exprs, id).map(|_| id));
        });
        let value = self.with_cells(value, &loads, &map)?;
        let own = self.arrays.arrays[&region].ty;
        let value = self.program.exprs.cast(value, own);
        let content = self.program.exprs.var(cell.var, own);
        Some(self.program.exprs.binary(BinOp::Eq, content, value))
    }

    fn offset(&mut self, region: flow::regions::Region, pointer: ExprId) -> Option<ExprId> {
        let object = self.arrays.arrays[&region].object;
        self.arrays.offset(&mut self.program.exprs, pointer, object)
    }

    /// An expression with cells in place of the loads; `None` if a load is not one of a cell.
    fn with_cells(&mut self, id: ExprId, loads: &[ExprId], map: &[(usize, VarId)]) -> Option<ExprId> {
        let mut names = self.focus.substitution(&mut self.program.exprs, map);
        for &load in loads {
            let (region, pointer) = self.arrays.load(self.source, &self.source.exprs, load)?;
            let offset = self.offset(region, pointer)?;
            let offset = self.program.exprs.substitute(offset, &mut names);
            let cell = *self.focus.cell_at(region, offset)?;
            let content = self.program.exprs.var(cell.var, self.arrays.arrays[&region].ty);
            let content = self.program.exprs.cast(content, self.source.exprs.ty(load));
            names.insert(load, content);
        }
        Some(self.program.exprs.substitute(id, &mut names))
    }

    // Loops -----------------------------------------------------------------------------------------------------------

    /// The conditions that every execution at a node has passed in the node's function, and where.
    fn passed(&self, node: Node) -> Vec<(Node, ExprId)> {
        let source = self.source;
        let dominators = flow::dominators(source, source.nodes[node].function);
        let mut found = Vec::new();
        for (_, edge) in source.edges.iter() {
            if let Op::Assume(condition) = edge.op
                && source.entering(edge.to).len() == 1
                && dominators.dominates(edge.to.0, node.0)
            {
                found.push((edge.from, condition));
            }
        }
        found
    }

    /// Facts without cells: how far counters go, and what was found out before the loop and does not change in it.
    fn bounds(&mut self, id: LoopId) -> Vec<ExprId> {
        let head = self.loops.loops[id].head;
        let mut found = Vec::new();
        for (_, condition) in self.passed(head) {
            let vars = variables(&self.source.exprs, condition);
            let stays = vars.iter().all(|var| !self.writes[id].registers.contains(var));
            if stays && is_pure(&self.source.exprs, condition) {
                found.push(condition);
            }
        }
        for node in self.loops.members(id).to_vec() {
            let edges: Vec<EdgeId> = self.source.leaving(node).collect();
            let stays = |edge: &EdgeId| self.loops.contains(id, self.source.edges[*edge].to);
            if edges.iter().all(stays) {
                continue;
            }
            let staying: Vec<EdgeId> = edges.into_iter().filter(stays).collect();
            for edge in staying {
                if let Op::Assume(condition) = self.source.edges[edge].op
                    && is_pure(&self.source.exprs, condition)
                {
                    found.extend(self.last_bound(condition));
                }
            }
        }
        found
    }

    /// What is left of a loop's condition after the last iteration, if the counter moves by one.
    fn last_bound(&mut self, condition: ExprId) -> Vec<ExprId> {
        let exprs = &mut self.program.exprs;
        match exprs.node(condition) {
            Expr::Binary(BinOp::Lt, a, b) if exprs.ty(a).is_int() => vec![exprs.binary(BinOp::Le, a, b)],
            Expr::Binary(BinOp::Le, a, b) if exprs.ty(a).is_int() => {
                let one = exprs.int(exprs.ty(a), 1);
                let (before, behind) = (exprs.binary(BinOp::Sub, a, one), exprs.binary(BinOp::Add, b, one));
                vec![exprs.binary(BinOp::Le, before, b), exprs.binary(BinOp::Le, a, behind)]
            }
            Expr::Binary(BinOp::And, a, b) if exprs.ty(a) == Scalar::Bool => {
                let mut found = self.last_bound(a);
                found.extend(self.last_bound(b));
                found
            }
            _ => Vec::new(),
        }
    }

    /// Conditions that hold in the first iteration of a loop.
    fn first_iteration(&mut self, id: LoopId) -> Vec<ExprId> {
        let mut found = Vec::new();
        for (var, value) in starts(self.source, &self.loops, id) {
            if let Some(ty) = self.source.register(var).filter(|&ty| ty == self.source.exprs.ty(value)) {
                let counter = self.program.exprs.var(var, ty);
                found.push(self.program.exprs.binary(BinOp::Eq, counter, value));
            }
        }
        found
    }

    // Where -----------------------------------------------------------------------------------------------------------

    fn guards(&mut self, id: LoopId) -> Vec<ExprId> {
        let function = self.loops.loops[id].function;
        let inside: Vec<Access> = self
            .arrays
            .accesses
            .iter()
            .filter(|access| self.loops.contains(id, self.source.edges[access.edge].from))
            .copied()
            .collect();
        let mut progress = Vec::new();
        let mut residues = Vec::new();
        for access in inside {
            self.progress(id, access, &mut progress, &mut residues);
        }
        let ranges = self.ranges();
        let mut all = ranges.clone();
        all.extend(&progress);
        for &range in &ranges {
            for &guard in &progress {
                all.push(self.program.exprs.binary(BinOp::And, range, guard));
            }
        }
        let basis = all.clone();
        for &residue in &residues {
            for &guard in &basis {
                all.push(self.program.exprs.binary(BinOp::And, residue, guard));
            }
        }
        let mut seen = BTreeSet::new();
        all.retain(|guard| self.fits(*guard, function) && seen.insert(*guard));
        all.truncate(MOST_GUARDS);
        all
    }

    /// The loop has passed the cell: the access's indices lie past it, in the order of the dimensions.
    fn progress(&mut self, id: LoopId, access: Access, found: &mut Vec<ExprId>, residues: &mut Vec<ExprId>) {
        let Some(map) = self.focus.mapping(self.program, access.offset) else { return };
        if map.is_empty() {
            return;
        }
        let pairs: Vec<(ExprId, ExprId)> = map
            .iter()
            .map(|&(slot, var)| {
                let slot = self.focus.slots[slot];
                (self.program.exprs.var(slot.guess, slot.ty), self.program.exprs.var(var, slot.ty))
            })
            .collect();
        let (up, down) = self.direction(id, map[0].1);
        for length in 1..=pairs.len() {
            if up {
                found.push(self.before(&pairs[..length]));
            }
        }
        if let &[(guess, var)] = &pairs[..] {
            if down {
                found.push(self.program.exprs.binary(BinOp::Lt, var, guess));
            }
            let index = self.index(access.offset);
            if index != var && self.program.exprs.ty(index) == self.program.exprs.ty(guess) {
                found.push(self.program.exprs.binary(BinOp::Lt, guess, index));
                found.push(self.program.exprs.binary(BinOp::Lt, index, guess));
                residues.extend(self.residue(guess, index));
            }
        }
    }

    /// Whether a loop may move a variable up, and down.
    fn direction(&self, id: LoopId, var: VarId) -> (bool, bool) {
        let exprs = &self.source.exprs;
        let (mut up, mut down) = (false, false);
        for (_, edge) in self.source.edges.iter().filter(|(_, edge)| self.loops.contains(id, edge.from)) {
            let Op::Assign(to, value) = edge.op else { continue };
            if to != var {
                continue;
            }
            let by = match exprs.node(value) {
                Expr::Binary(BinOp::Add, a, b) if exprs.node(a) == Expr::Var(var) => exprs.integer(b),
                Expr::Binary(BinOp::Sub, a, b) if exprs.node(a) == Expr::Var(var) => exprs.integer(b).map(|by| -by),
                _ => None,
            };
            up |= by.is_some_and(|by| by > 0);
            down |= by.is_some_and(|by| by < 0);
        }
        if up || down { (up, down) } else { (true, true) }
    }

    /// `a0 < b0 || a0 == b0 && (a1 < b1 || ...)`.
    fn before(&mut self, pairs: &[(ExprId, ExprId)]) -> ExprId {
        let exprs = &mut self.program.exprs;
        let mut result = exprs.bool(false);
        for &(a, b) in pairs.iter().rev() {
            let (less, equal) = (exprs.binary(BinOp::Lt, a, b), exprs.binary(BinOp::Eq, a, b));
            let rest = exprs.binary(BinOp::And, equal, result);
            result = if exprs.constant(result) == Some(0) { less } else { exprs.binary(BinOp::Or, less, rest) };
        }
        result
    }

    /// The index that an offset stands for: without casts and the size of the elements.
    fn index(&self, offset: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        match exprs.node(offset) {
            Expr::Binary(BinOp::Mul, a, b) if exprs.constant(b).is_some() => self.index(a),
            Expr::Binary(BinOp::Mul, a, b) if exprs.constant(a).is_some() => self.index(b),
            Expr::Cast(a) if exprs.ty(a).is_int() => self.index(a),
            _ => offset,
        }
    }

    /// `guess % c == r` for an index of the form `v * c + d`, `d` congruent to `r`.
    fn residue(&mut self, guess: ExprId, index: ExprId) -> Option<ExprId> {
        let exprs = &mut self.program.exprs;
        let (scaled, shift) = match exprs.node(index) {
            Expr::Binary(BinOp::Add, a, b) => (a, exprs.integer(b)?),
            Expr::Binary(BinOp::Sub, a, b) => (a, -exprs.integer(b)?),
            _ => (index, 0),
        };
        let Expr::Binary(BinOp::Mul, a, b) = exprs.node(scaled) else { return None };
        let factor = exprs.integer(a).or(exprs.integer(b)).filter(|factor| *factor > 1)?;
        let ty = exprs.ty(guess);
        let (factor, rest) = (exprs.int(ty, factor), exprs.int(ty, shift.rem_euclid(factor)));
        let remainder = exprs.binary(BinOp::Rem, guess, factor);
        Some(exprs.binary(BinOp::Eq, remainder, rest))
    }

    /// What holds of the indices at each deciding node, about the guesses.
    fn ranges(&mut self) -> Vec<ExprId> {
        let mut found: BTreeMap<Node, ExprId> = BTreeMap::new();
        for Leading { node, condition } in self.leading.clone() {
            let watched = &self.focus.watched[&node];
            let about = variables(&self.source.exprs, condition);
            let mentions = about.iter().any(|var| watched.iter().any(|(_, other)| other == var));
            if !mentions || !is_pure(&self.source.exprs, condition) {
                continue;
            }
            let mut names = self.focus.substitution(&mut self.program.exprs, watched);
            let range = self.program.exprs.substitute(condition, &mut names);
            let exprs = &mut self.program.exprs;
            found.entry(node).and_modify(|all| *all = exprs.binary(BinOp::And, *all, range)).or_insert(range);
        }
        let mut ranges: Vec<ExprId> = found.into_values().collect();
        ranges.sort_unstable();
        ranges.dedup();
        ranges
    }
}
