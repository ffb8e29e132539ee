//! Path formulas: what the variables and the memory hold at the end of all paths of a piece of the program, as terms over
//! what they held at its start, and the condition under which those paths are taken.
//!
//! Where paths meet, values are merged by `ite`, never by a disjunction of paths: construction is linear in the length
//! of the unrolled program, and constants stay constants.

use crate::guard::Guard;
use crate::regions::{MemoryHalf, Region};
use crate::slot::Slot;
use crate::spread::Addresses;
use crate::trie::Trie;
use crate::{Addressing, Encoder};
use base::Id;
use smt::{BitVec, Sort, TermId};

/// The effect of all paths from one place to another.
#[derive(Clone, Debug)]
pub struct PathFormula {
    /// When one of the paths is taken.
    pub guard: Guard,
    /// Which instance of the slots the terms are over.
    pub instance: u32,
    slots: Trie<TermId>,
    memory: Trie<Content>,
    /// Where the objects end that came into being on the paths, if they have addresses of their own.
    born: u64,
}

/// What a half of a region holds: an array, and the elements at constant addresses on top of it.
#[derive(Clone, Debug)]
struct Content {
    base: TermId,
    cells: Trie<Cell>,
}

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        self.base == other.base && self.cells.same(&other.cells)
    }
}

/// An element whose value is known; a dirty one is not yet in the array.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Cell {
    value: TermId,
    dirty: bool,
}

fn key(region: Region, half: MemoryHalf) -> u64 {
    2 * region.index() as u64 + u64::from(half == MemoryHalf::Arbitrary)
}

impl PathFormula {
    /// No step: everything is as it was at the start.
    pub fn start(instance: u32) -> PathFormula {
        PathFormula { guard: Guard::TRUE, instance, slots: Trie::default(), memory: Trie::default(), born: 0 }
    }

    /// The slots that were written, by number.
    pub fn written(&self) -> impl Iterator<Item = (Slot, TermId)> {
        self.slots.iter().map(|(slot, term)| (Slot::new(slot as usize), *term))
    }

    /// Objects up to this address came into being.
    pub(crate) fn give_birth(&mut self, end: u64) {
        self.born = self.born.max(end);
    }
}

impl Encoder<'_> {
    /// A slot gets a value.
    pub(crate) fn set(&self, path: &mut PathFormula, slot: Slot, value: TermId) {
        assert_eq!(self.terms.sort(value), self.slots.sort(slot), "{} keeps its sort", self.slots.name(slot));
        path.slots.insert(slot.index() as u64, value);
    }

    /// The value of a slot at the end of the paths.
    pub fn value(&mut self, path: &PathFormula, slot: Slot) -> TermId {
        match path.slots.get(slot.index() as u64) {
            Some(term) => *term,
            None => self.start_value(slot, path.instance),
        }
    }

    /// The array of a half at the start of formulas of an instance. Instance 0 is the start of the program.
    pub fn start_array(&mut self, region: Region, half: MemoryHalf, instance: u32) -> TermId {
        let shape = self.model.regions.shape(region);
        let array = shape.array;
        if instance == 0 && half == MemoryHalf::Zero {
            let zero = match shape.element {
                Sort::BitVec(width) => self.terms.bv(BitVec::zero(width)),
                Sort::Float(format) => self.terms.fp(format, BitVec::zero(format.width())),
                Sort::Bool | Sort::Array { .. } => unreachable!("memory holds bits and floats"),
            };
            let Sort::Array { index, .. } = array else { unreachable!("the sort of an array is one") };
            return self.terms.const_array(index, zero);
        }
        let name = array_name(region, half);
        self.terms.ssa_var(&name, instance, array)
    }

    /// Whether nothing was written to a half but at constant addresses.
    pub(crate) fn is_written_at_constants(&mut self, path: &PathFormula, region: Region, half: MemoryHalf) -> bool {
        let start = self.start_array(region, half, path.instance);
        path.memory.get(key(region, half)).is_none_or(|content| content.base == start)
    }

    /// The elements of a region at constant addresses whose values are known.
    pub(crate) fn known_elements(&self, path: &PathFormula, region: Region) -> Vec<(u64, TermId)> {
        let halves = [MemoryHalf::Zero, MemoryHalf::Arbitrary].map(|half| path.memory.get(key(region, half)));
        let cells = halves.into_iter().flatten().flat_map(|content| content.cells.iter());
        cells.map(|(at, cell)| (at, cell.value)).collect()
    }

    fn memory_content(&mut self, path: &PathFormula, region: Region, half: MemoryHalf) -> Content {
        match path.memory.get(key(region, half)) {
            Some(content) => content.clone(),
            None => Content { base: self.start_array(region, half, path.instance), cells: Trie::default() },
        }
    }

    /// The whole array of a half at the end of the paths, all writes in it.
    pub fn array(&mut self, path: &mut PathFormula, region: Region, half: MemoryHalf) -> TermId {
        let mut content = self.memory_content(path, region, half);
        self.flush(&mut content);
        let base = content.base;
        path.memory.insert(key(region, half), content);
        base
    }

    /// The halves that were touched, with their regions.
    pub fn touched(&self, path: &PathFormula) -> Vec<(Region, MemoryHalf)> {
        let half = |key: u64| if key.is_multiple_of(2) { MemoryHalf::Zero } else { MemoryHalf::Arbitrary };
        path.memory.iter().map(|(key, _)| (Region::new((key / 2) as usize), half(key))).collect()
    }

    fn flush(&mut self, content: &mut Content) {
        let dirty: Vec<(u64, TermId)> =
            content.cells.iter().filter(|(_, cell)| cell.dirty).map(|(at, cell)| (at, cell.value)).collect();
        for (at, value) in dirty {
            let index = self.address(at);
            content.base = self.terms.store_at(content.base, index, value);
            content.cells.insert(at, Cell { value, dirty: false });
        }
    }

    pub(crate) fn constant_index(&self, index: TermId) -> Option<u64> {
        self.terms.as_bv(index).and_then(BitVec::to_u64)
    }

    /// The element at an address.
    pub(crate) fn read_element(
        &mut self,
        path: &mut PathFormula,
        region: Region,
        half: MemoryHalf,
        index: TermId,
    ) -> TermId {
        let mut content = self.memory_content(path, region, half);
        let constant = self.constant_index(index);
        if let Some(cell) = constant.and_then(|at| content.cells.get(at)) {
            return cell.value;
        }
        if constant.is_none() {
            if let Some(addresses) = self.spread_over(path, &content, index) {
                return self.read_one_of(path, (region, half), index, &addresses);
            }
            self.flush(&mut content);
        }
        let value = self.terms.select(content.base, index);
        if let Some(at) = constant {
            content.cells.insert(at, Cell { value, dirty: false });
        }
        path.memory.insert(key(region, half), content);
        value
    }

    /// The few addresses that an index may have, where what some of them hold is known; more of them for a table.
    fn spread_over(&mut self, path: &PathFormula, content: &Content, index: TermId) -> Option<Addresses> {
        let addresses = self.few_addresses(path.guard, index)?;
        let constant = |at| content.cells.get(at).is_some_and(|cell| self.terms.as_bv(cell.value).is_some());
        let spread = match addresses.are_few() {
            true => addresses.all().into_iter().any(|at| content.cells.get(at).is_some()),
            false => addresses.all().into_iter().all(constant),
        };
        spread.then_some(addresses)
    }

    fn read_one_of(
        &mut self,
        path: &mut PathFormula,
        (region, half): (Region, MemoryHalf),
        index: TermId,
        addresses: &Addresses,
    ) -> TermId {
        let mut values = Vec::new();
        for at in addresses.all() {
            let here = self.address(at);
            values.push(self.read_element(path, region, half, here));
        }
        if let Addresses::Stepped { first, zeros, .. } = *addresses {
            return self.choose(index, (first, zeros), &values);
        }
        let mut value = values.pop().expect("an index has an address");
        for (element, at) in values.into_iter().zip(addresses.all()) {
            let here = self.is_at(index, at);
            value = self.terms.ite(here, element, value);
        }
        value
    }

    /// Writes the element at an address.
    pub(crate) fn write_element(
        &mut self,
        path: &mut PathFormula,
        region: Region,
        half: MemoryHalf,
        index: TermId,
        value: TermId,
    ) {
        let mut content = self.memory_content(path, region, half);
        match self.constant_index(index) {
            Some(at) => content.cells.insert(at, Cell { value, dirty: true }),
            None => {
                let spread = self.spread_over(path, &content, index).filter(Addresses::are_few);
                if let Some(addresses) = spread {
                    for at in addresses.all() {
                        let here = self.address(at);
                        let old = self.read_element(path, region, half, here);
                        let written = self.is_at(index, at);
                        let new = self.terms.ite(written, value, old);
                        self.write_element(path, region, half, here, new);
                    }
                    return;
                }
                self.flush(&mut content);
                content.base = self.terms.store_at(content.base, index, value);
                content.cells = Trie::default();
            }
        }
        path.memory.insert(key(region, half), content);
    }

    /// The whole half becomes arbitrary.
    pub(crate) fn forget_half(&mut self, path: &mut PathFormula, region: Region, half: MemoryHalf) {
        let array = self.model.regions.shape(region).array;
        let base = self.terms.fresh_var("?havoc", array);
        path.memory.insert(key(region, half), Content { base, cells: Trie::default() });
    }

    /// The paths of both, which exclude each other and start at the same place.
    pub fn merge(&mut self, a: &PathFormula, b: &PathFormula) -> PathFormula {
        assert_eq!(a.instance, b.instance, "paths that meet start together");
        let joined = self.guards.join(&mut self.terms, a.guard, b.guard);
        self.join_known(a, b, joined.guard);
        let (instance, condition) = (a.instance, joined.first);
        let slots = a.slots.merge(&b.slots, &mut |slot, x, y| {
            let mut of = |value: Option<&TermId>| match value {
                Some(term) => *term,
                None => self.start_value(Slot::new(slot as usize), instance),
            };
            let (x, y) = (of(x), of(y));
            Some(self.terms.ite(condition, x, y))
        });
        let memory = a.memory.merge(&b.memory, &mut |at, x, y| {
            let half = if at.is_multiple_of(2) { MemoryHalf::Zero } else { MemoryHalf::Arbitrary };
            let region = Region::new((at / 2) as usize);
            let mut of = |content: Option<&Content>| match content {
                Some(content) => content.clone(),
                None => Content { base: self.start_array(region, half, instance), cells: Trie::default() },
            };
            let (x, y) = (of(x), of(y));
            let unborn = match half {
                MemoryHalf::Zero => [u64::MAX; 2],
                MemoryHalf::Arbitrary => [a.born, b.born].map(|born| self.unborn_from(born)),
            };
            Some(self.merge_contents(condition, x, y, unborn))
        });
        PathFormula { guard: joined.guard, instance, slots, memory, born: a.born.max(b.born) }
    }

    /// From which address on objects did not come into being on paths whose last object ends at `born`. Nobody looks
    /// at what they hold there, so that merging can take what they hold on other paths.
    fn unborn_from(&self, born: u64) -> u64 {
        match self.addressing {
            Addressing::Events => born.max(self.layout.first_fresh()),
            Addressing::Fixed => u64::MAX,
        }
    }

    fn merge_contents(&mut self, condition: TermId, mut x: Content, mut y: Content, unborn: [u64; 2]) -> Content {
        if x.base != y.base {
            self.flush(&mut x);
            self.flush(&mut y);
            let base = self.terms.ite(condition, x.base, y.base);
            let cells = x.cells.merge(&y.cells, &mut |_, a, b| {
                let value = self.terms.ite(condition, a?.value, b?.value);
                Some(Cell { value, dirty: false })
            });
            return Content { base, cells };
        }
        let base = x.base;
        let cells = x.cells.merge_keeping(&y.cells, unborn, &mut |at, a, b| {
            let dirty = a.is_some_and(|cell| cell.dirty) || b.is_some_and(|cell| cell.dirty);
            if !dirty && (a.is_none() || b.is_none()) {
                return None;
            }
            let mut of = |cell: Option<&Cell>| match cell {
                Some(cell) => cell.value,
                None => {
                    let index = self.address(at);
                    self.terms.select(base, index)
                }
            };
            let (a, b) = (of(a), of(b));
            let value = self.terms.ite(condition, a, b);
            Some(Cell { value, dirty })
        });
        Content { base, cells }
    }

    /// A constant address.
    pub(crate) fn address(&mut self, at: u64) -> TermId {
        let width = self.program.model.pointer_bits();
        self.terms.bv(BitVec::new(width, u128::from(at)))
    }

    /// `path` where `condition` (over the end of the path) holds too; `None` if that is plainly impossible.
    pub fn assume(&mut self, path: PathFormula, condition: TermId) -> Option<PathFormula> {
        match self.known_truth(path.guard, condition) {
            Some(true) => return Some(path),
            Some(false) => return None,
            None => self.note_open(condition),
        }
        let guard = self.guards.push(&self.terms, path.guard, condition)?;
        self.learn(path.guard, condition, guard).then_some(PathFormula { guard, ..path })
    }
}

/// The name of a half's array, without instance.
pub fn array_name(region: Region, half: MemoryHalf) -> String {
    match half {
        MemoryHalf::Zero => format!("?static!{}", region.index()),
        MemoryHalf::Arbitrary => format!("?memory!{}", region.index()),
    }
}
