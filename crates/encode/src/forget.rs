//! Forgetting what a piece of the program may change: what holds after any number of iterations of a loop, or after a
//! call, of which only the changes of one run through its body from arbitrary states are known.

use crate::Encoder;
use crate::path::PathFormula;
use crate::regions::{MemoryHalf, Region};
use crate::slot::{Slot, SlotKind};
use cfa::{ExprId, VarId};
use smt::TermId;
use std::collections::BTreeSet;

/// Which changes count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outliving {
    /// All: the body belongs to the activation.
    Body,
    /// Those that another activation of the same function sees: globals and memory.
    Call,
}

/// What a piece of the program may change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Changes {
    slots: BTreeSet<Slot>,
    memory: BTreeSet<(Region, MemoryHalf)>,
}

impl Changes {
    /// All changes of both.
    pub fn absorb(&mut self, other: Changes) {
        self.slots.extend(other.slots);
        self.memory.extend(other.memory);
    }
}

impl Encoder<'_> {
    /// What `body`, a path from an arbitrary state, changes.
    pub fn changes(&mut self, body: &PathFormula, outliving: Outliving) -> Changes {
        let counts = |slot: &Slot| outliving == Outliving::Body || self.outlives(*slot);
        let slots = body.written().map(|(slot, _)| slot).filter(counts).collect();
        let mut memory = BTreeSet::new();
        for (region, half) in self.touched(body) {
            let mut end = body.clone();
            let (start, end) = (self.start_array(region, half, body.instance), self.array(&mut end, region, half));
            if start != end {
                memory.insert((region, half));
            }
        }
        Changes { slots, memory }
    }

    /// What may change becomes arbitrary at the end of `path`.
    pub fn forget_changes(&mut self, path: &mut PathFormula, changes: &Changes) {
        for &slot in &changes.slots {
            let start = self.start_value(slot, path.instance);
            let sort = self.terms.sort(start);
            let value = self.terms.fresh_var("?changed", sort);
            self.set(path, slot, value);
        }
        for &(region, half) in &changes.memory {
            self.forget_half(path, region, half);
        }
    }

    fn outlives(&self, slot: Slot) -> bool {
        let is_global = |var: VarId| self.program.vars[var].function.is_none();
        match self.slots.kind(slot) {
            SlotKind::Register(var, _) | SlotKind::Piece(var, _, _) => is_global(var),
            SlotKind::Cell(_) | SlotKind::Next(_) | SlotKind::Alive(_) | SlotKind::HeapCount => true,
            SlotKind::Address(..) => false,
        }
    }

    /// A register becomes arbitrary.
    pub fn forget_register(&mut self, path: &mut PathFormula, var: VarId, depth: u32) {
        let ty = self.program.register(var).expect("the variable is a register");
        let value = self.arbitrary_of(ty);
        let slot = self.register(var, depth);
        self.set(path, slot, value);
    }

    /// `path` where accesses of so many bytes at a pointer are valid, as far as addresses alone tell: no object lies at
    /// null, and each ends before addresses begin anew.
    pub fn assume_valid(
        &mut self,
        mut path: PathFormula,
        pointer: ExprId,
        bytes: u64,
        depth: u32,
    ) -> Option<PathFormula> {
        let address: TermId = self.eval(&mut path, pointer, depth);
        let (null, size) = (self.address(0), self.address(bytes));
        let end = self.terms.bv_add(address, size);
        let (is_null, inside) = (self.terms.eq(address, null), self.terms.bv_ugt(end, address));
        let not_null = self.terms.not(is_null);
        let valid = self.terms.and([not_null, inside]);
        self.assume(path, valid)
    }
}
