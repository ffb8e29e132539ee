//! Where to look: the nodes whose reads decide whether a target is reached, and the cells that they read.
//!
//! Nothing here is needed for soundness: any choice of nodes and cells gives an abstraction that is sound.

use crate::arrays::{Access, Arrays};
use crate::reads::{is_pure, variables};
use crate::register::add_register;
use cfa::{ExprId, Exprs, Node, Program, Scalar, VarId, VarKind};
use flow::CallGraph;
use flow::Loops;
use flow::regions::Region;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Most cells that are kept.
const MOST_CELLS: usize = 10;

/// The reads nearest to the targets, going back from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Deciding {
    /// Nodes from which an edge with such a read leaves.
    pub nodes: BTreeSet<Node>,
    /// Whether every execution that reaches a target passes one of the nodes.
    pub always: bool,
}

impl Deciding {
    pub fn new(program: &Program, arrays: &Arrays) -> Deciding {
        let calls = CallGraph::new(program);
        let reads = |node: Node| {
            program.leaving(node).any(|edge| {
                program.edges[edge].op.operands().any(|operand| {
                    let mut found = false;
                    program.exprs.visit(operand, |id, _| found |= arrays.load(program, &program.exprs, id).is_some());
                    found
                })
            })
        };
        let mut deciding = Deciding { nodes: BTreeSet::new(), always: true };
        let mut seen: BTreeSet<Node> = program.targets.iter().map(|target| target.node).collect();
        let mut stack: Vec<Node> = seen.iter().copied().collect();
        while let Some(node) = stack.pop() {
            if reads(node) {
                deciding.nodes.insert(node);
                continue;
            }
            let function = program.nodes[node].function;
            let mut before: Vec<Node> = program.entering(node).iter().map(|&edge| program.edges[edge].from).collect();
            if node == program.functions[function].entry {
                deciding.always &= function != program.entry;
                before.extend(calls.callers(function).iter().map(|(edge, _)| program.edges[*edge].from));
            }
            stack.extend(before.into_iter().filter(|&node| seen.insert(node)));
        }
        deciding
    }
}

/// A value that is guessed at the start: that of some variable where a deciding node was last passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub ty: Scalar,
    /// Holds the guess; never changes.
    pub guess: VarId,
    /// Holds the value at the deciding node passed last.
    pub last: VarId,
}

/// A cell of an array, at an offset over the guesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub region: Region,
    pub offset: ExprId,
    /// Holds what the cell holds.
    pub var: VarId,
}

pub(super) struct Focus {
    pub slots: Vec<Slot>,
    pub cells: Vec<Cell>,
    /// By deciding node, which variable each slot is about.
    pub watched: BTreeMap<Node, Vec<(usize, VarId)>>,
    known: BTreeMap<VarId, usize>,
    /// Variables that some loop changes; others are not an index.
    moving: BTreeSet<VarId>,
}

impl Focus {
    /// The slots and cells that the deciding nodes need; new variables go to `program`.
    pub fn new(program: &mut Program, arrays: &Arrays, deciding: &Deciding) -> Focus {
        let writes = Loops::new(program).writes(program, &CallGraph::new(program));
        let moving = writes.iter().flat_map(|(_, writes)| writes.registers.iter().copied()).collect();
        let (watched, known) = (BTreeMap::new(), BTreeMap::new());
        let mut focus = Focus { slots: Vec::new(), cells: Vec::new(), watched, known, moving };
        for &node in &deciding.nodes {
            focus.watch(program, arrays, node);
        }
        let with_cell: BTreeSet<Region> = focus.cells.iter().map(|cell| cell.region).collect();
        for &region in arrays.arrays.keys().filter(|region| !with_cell.contains(region)) {
            focus.same_index(program, arrays, region);
        }
        focus
    }

    /// Slots for the variables of a deciding node's offsets, and the cells at those offsets.
    fn watch(&mut self, program: &mut Program, arrays: &Arrays, node: Node) {
        let accesses: Vec<Access> = arrays
            .accesses
            .iter()
            .filter(|access| program.edges[access.edge].from == node)
            .filter(|access| is_pure(&program.exprs, access.offset))
            .copied()
            .collect();
        let mut watched: Vec<(usize, VarId)> = Vec::new();
        for access in &accesses {
            for var in variables(&program.exprs, access.offset) {
                if watched.iter().all(|(_, other)| *other != var) {
                    let ty = program.register(var).expect("an expression reads registers");
                    let free = |(at, slot): (usize, &Slot)| {
                        (slot.ty == ty && watched.iter().all(|(used, _)| *used != at)).then_some(at)
                    };
                    let slot = self.slots.iter().enumerate().find_map(free);
                    let slot = slot.unwrap_or_else(|| self.add_slot(program, var, ty));
                    watched.push((slot, var));
                    self.known.entry(var).or_insert(slot);
                }
            }
        }
        for access in accesses {
            let mut map = self.substitution(&mut program.exprs, &watched);
            let offset = program.exprs.substitute(access.offset, &mut map);
            self.add_cell(program, arrays, access.region, offset);
        }
        let slots: BTreeSet<usize> = watched.iter().map(|(slot, _)| *slot).collect();
        assert_eq!(slots.len(), watched.len(), "no slot stands for two variables of one node");
        self.watched.insert(node, watched);
    }

    /// A cell of an array that no deciding node reads: with the guesses in place of the variables of some access.
    fn same_index(&mut self, program: &mut Program, arrays: &Arrays, region: Region) {
        let mut found: Option<ExprId> = None;
        for access in arrays.accesses.iter().filter(|access| access.region == region) {
            let Some(map) = self.mapping(program, access.offset) else { continue };
            if map.is_empty() {
                continue;
            }
            let mut map = self.substitution(&mut program.exprs, &map);
            let offset = program.exprs.substitute(access.offset, &mut map);
            // Small expressions come first: they tend to be the plain index.
            found = Some(found.map_or(offset, |old| old.min(offset)));
        }
        if let Some(offset) = found {
            self.add_cell(program, arrays, region, offset);
        }
    }

    /// Which slots stand for the index variables of an offset: those that they are watched for, or else in order.
    pub fn mapping(&self, program: &Program, offset: ExprId) -> Option<Vec<(usize, VarId)>> {
        if !is_pure(&program.exprs, offset) {
            return None;
        }
        let mut map: Vec<(usize, VarId)> = Vec::new();
        for var in variables(&program.exprs, offset).into_iter().filter(|var| self.moving.contains(var)) {
            let fits = |at: &usize| {
                Some(self.slots[*at].ty) == program.register(var) && map.iter().all(|(used, _)| used != at)
            };
            let known = self.known.get(&var).copied().filter(fits);
            let slot = known.or_else(|| (0..self.slots.len()).find(fits))?;
            map.push((slot, var));
        }
        Some(map)
    }

    /// Replaces variables by the guesses of their slots.
    pub fn substitution(&self, exprs: &mut Exprs, map: &[(usize, VarId)]) -> FxHashMap<ExprId, ExprId> {
        map.iter()
            .map(|&(slot, var)| {
                let Slot { ty, guess, .. } = self.slots[slot];
                assert_ne!(var, guess, "a guess stands for what it guesses");
                (exprs.var(var, ty), exprs.var(guess, ty))
            })
            .collect()
    }

    fn add_slot(&mut self, program: &mut Program, var: VarId, ty: Scalar) -> usize {
        let name = program.var_name(var).to_owned();
        let at = self.slots.len();
        let guess = add_register(program, &format!("{name}?{at}"), VarKind::Global, None, ty);
        let last = add_ghost(program, &format!("{name}?last{at}"), ty);
        self.slots.push(Slot { ty, guess, last });
        at
    }

    fn add_cell(&mut self, program: &mut Program, arrays: &Arrays, region: Region, offset: ExprId) {
        let exists = self.cells.iter().any(|cell| (cell.region, cell.offset) == (region, offset));
        // A cell stays where it is: nothing but guesses may say where.
        let is_guess = |var: &VarId| self.slots.iter().any(|slot| slot.guess == *var);
        let stays = is_pure(&program.exprs, offset) && variables(&program.exprs, offset).iter().all(is_guess);
        if exists || !stays || self.cells.len() == MOST_CELLS {
            return;
        }
        assert!(self.cells.len() < MOST_CELLS, "few cells are kept");
        let array = &arrays.arrays[&region];
        let var = add_ghost(program, &format!("{}[?{}]", array.name, self.cells.len()), array.ty);
        self.cells.push(Cell { region, offset, var });
    }

    /// The cell of an array at an offset over the guesses.
    pub fn cell_at(&self, region: Region, offset: ExprId) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.region == region && cell.offset == offset)
    }
}

/// A new register of all functions that only guessed facts should relate to others.
pub(super) fn add_ghost(program: &mut Program, name: &str, ty: Scalar) -> VarId {
    add_register(program, name, VarKind::Temporary, None, ty)
}
