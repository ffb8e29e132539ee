//! Which objects live, how large they are and which of them are the heap's: what checks of memory ask. Formulas keep it
//! where a program asks, nowhere else.
//!
//! - A pointer that leads to few variables only, by the points-to analysis, belongs to the one whose bytes it names; how
//!   large that is and where it lies is known, and it is asked whether it lives only where its address may be kept
//!   for longer than that. No state is needed, so inductions know it too.
//! - All other objects are in tables by the address of their first byte: their size, 0 once they are dead, and whether
//!   they may be freed. The upper bits of an address tell its object (`layout::Spacing::Slots`), so the table is asked for
//!   the object of a pointer. What was never written in a table is arbitrary.
//! - *Provenance*: an address tells its object only while arithmetic on pointers stays in the slot. The room behind `p + i`
//!   is that of the object that `p` points into. A value `p + i` that is kept and leaves the slot becomes an arbitrary
//!   address ([`Lives::wanders`]): whatever it may lead to, it may also lead nowhere.
//! - *The next object in the same place*: a local has one address, whether it is the one of this call or round or of the last.
//!   Where its address may be found after it ended and it may come into being again ([`reborn`]), a pointer to it may lead
//!   nowhere: the room there is the rest of the object, or none.

mod reborn;
mod standing;

use crate::Encoder;
use crate::path::PathFormula;
use crate::regions::{EncodedRegions, Region};
use crate::slot::{Slot, SlotKind, slot_name};
use base::IdVec;
use cfa::addresses::PAGE;
use cfa::{Allocation, BinOp, Expr, ExprId, Exprs, FunctionId, Living, Op, Program, VarId};
use flow::Prepared;
use flow::points_to::{ObjectKind, PointsTo};
use flow::uses::size_of;
use reborn::reborn;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{BitVec, Sort, TermId};
use standing::{Mortal, Standing};
use std::collections::BTreeSet;

/// A pointer to more variables than this is looked up in the tables.
const MOST_VARIABLES: usize = 8;
/// A pointer to more constants than this may lead anywhere.
const MOST_CONSTANTS: usize = 64;
/// Constant offsets up to this never leave a slot on the way into another object: objects begin further from its start.
const SMALL_OFFSET: i128 = 2048;

/// Bits of the number of heap objects.
pub(crate) const COUNT_BITS: u32 = 32;

/// What a pointer may lead to.
#[derive(Clone, Debug, Default)]
struct Whereto {
    /// Variables that are not in the tables.
    vars: Vec<VarId>,
    /// Whether to look into the tables.
    table: bool,
    /// Whether nothing is known.
    unknown: bool,
    /// Where the bytes of its objects are, if all are in one region of bytes.
    bytes: Option<Region>,
    /// Which of its variables may not be written; `None` if that is not known.
    constants: Option<Vec<VarId>>,
}

/// What a program asks about living objects.
pub struct Lives {
    rooms: FxHashMap<ExprId, Whereto>,
    /// Values that may be addresses outside of the slot of the pointer that they were computed from.
    wanders: FxHashSet<ExprId>,
    standing: IdVec<VarId, Standing>,
    /// Variables of which a pointer may be older than the object.
    reborn: FxHashSet<VarId>,
    counts: bool,
    /// Where it is asked what is lost: the variables that end before their function does.
    ended: Option<FxHashSet<VarId>>,
}

impl Lives {
    /// `None` if the program asks nothing.
    pub fn new(program: &Prepared, points_to: &PointsTo, regions: &EncodedRegions) -> Option<Lives> {
        let mut questions = questions(program);
        questions.retain(|question| !matches!(question, Living::Written(_)));
        if questions.is_empty() {
            return None;
        }
        let mortal = Mortal::new(program, points_to);
        let reborn = reborn(program, points_to);
        let mut lives = Lives {
            rooms: FxHashMap::default(),
            wanders: FxHashSet::default(),
            standing: program.vars.ids().map(|var| mortal.standing(program, var)).collect::<Vec<_>>().into(),
            reborn,
            counts: questions
                .iter()
                .any(|question| matches!(question, Living::Heap | Living::NoHeap | Living::Tracked)),
            ended: questions.contains(&Living::Tracked).then(|| ended_in_blocks(program)),
        };
        let mut all: Vec<(ExprId, Whereto)> = Vec::new();
        let asked: FxHashSet<ExprId> = questions.iter().filter_map(|question| question.pointer()).collect();
        // Facts are about the pointers themselves.
        let roots = asked.iter().map(|&pointer| program.exprs.root(pointer));
        let pointers: BTreeSet<ExprId> = asked.iter().copied().chain(roots).collect();
        for pointer in pointers {
            let mut found = Whereto::default();
            let targets = points_to.targets(pointer);
            found.unknown = targets.unknown || from_integer(&program.exprs, pointer);
            for place in &targets.places {
                match points_to.objects[place.object].kind {
                    ObjectKind::Variable(var) => found.vars.push(var),
                    ObjectKind::Allocation(edge) => {
                        found.table = true;
                        found.unknown |= mortal.stacks.contains(&edge);
                    }
                    ObjectKind::Function(_) => {}
                    ObjectKind::Unknown => found.unknown = true,
                }
            }
            debug_assert!(targets.places.is_sorted_by_key(|place| place.object), "places of one object stand together");
            found.vars.dedup();
            if let [region] = regions.behind(points_to, pointer)[..] {
                let shape = regions.shape(region);
                found.bytes = (shape.bytes == 1 && !shape.cell && !found.unknown).then_some(region);
            }
            if found.vars.len() > MOST_VARIABLES {
                found.vars.iter().for_each(|&var| lives.standing[var] = Standing::Table);
            }
            all.push((pointer, found));
        }
        // The others are never asked about.
        let asked: FxHashSet<VarId> = all.iter().flat_map(|(_, found)| found.vars.iter().copied()).collect();
        let others = program.vars.ids().filter(|var| !asked.contains(var));
        others.for_each(|var| lives.standing[var] = Standing::Always);
        for (pointer, mut found) in all {
            found.constants = lives.constants(program, &found);
            let in_table = |var: &&VarId| lives.standing[**var] == Standing::Table;
            found.table |= found.vars.iter().any(|var| in_table(&var));
            found.unknown |= found.vars.iter().filter(in_table).any(|var| lives.reborn.contains(var));
            found.vars.retain(|&var| lives.standing[var] != Standing::Table);
            assert!(found.vars.len() <= MOST_VARIABLES, "the tables know the others");
            lives.rooms.insert(pointer, found);
        }
        lives.find_wanderers(program, points_to);
        Some(lives)
    }

    /// The constants among what a pointer may lead to, if these are few and each has one place.
    fn constants(&self, program: &Program, found: &Whereto) -> Option<Vec<VarId>> {
        let constants: Vec<VarId> = found.vars.iter().copied().filter(|&var| program.is_read_only(var)).collect();
        let placed = |&var: &VarId| program.vars[var].function.is_none() || self.standing[var] != Standing::Table;
        (!found.unknown && constants.len() <= MOST_CONSTANTS && constants.iter().all(placed)).then_some(constants)
    }

    /// Sums of pointers that are kept, passed or compared. Those that can lead to one variable only are asked about
    /// without the slot.
    fn find_wanderers(&mut self, program: &Program, points_to: &PointsTo) {
        let exprs = &program.exprs;
        let mut note = |id: ExprId| {
            if let Expr::Binary(BinOp::PtrAdd, _, offset) = exprs.node(id)
                && exprs.integer(offset).is_none_or(|offset| offset.abs() > SMALL_OFFSET)
            {
                let targets = points_to.targets(id);
                let objects: FxHashSet<_> = targets.places.iter().map(|place| place.object).collect();
                let one = objects.len() <= 1 && !targets.unknown && objects.iter().all(|&object| {
                    matches!(points_to.objects[object].kind, ObjectKind::Variable(var) if self.standing[var] != Standing::Table)
                });
                if !one {
                    self.wanders.insert(id);
                }
            }
        };
        for id in exprs.ids() {
            match exprs.node(id) {
                Expr::Load(_) | Expr::Living(_) => {}
                Expr::Binary(BinOp::PtrAdd, _, offset) => note(offset),
                other => other.operands().for_each(&mut note),
            }
        }
        for (_, edge) in program.edges.iter() {
            match &edge.op {
                Op::Assign(_, value) | Op::Store { value, .. } | Op::Return(Some(value)) => note(*value),
                Op::Call { args, .. } | Op::CallPointer { args, .. } => args.iter().for_each(|arg| note(*arg)),
                Op::Skip | Op::Assume(_) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Copy { .. } => {}
                Op::Fill { .. } | Op::HavocMemory { .. } | Op::Allocate { .. } | Op::Free(_) | Op::End(_) => {}
                Op::Return(None) | Op::Library { .. } | Op::Halt(_) | Op::Unsupported(_) => {}
            }
        }
    }

    /// Whether it is asked what is lost.
    pub(crate) fn asks_tracked(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether a variable may end before its function does; any may where that is not asked.
    pub(crate) fn ends_in_block(&self, var: VarId) -> bool {
        self.ended.as_ref().is_none_or(|ended| ended.contains(&var))
    }

    /// Whether a question about this pointer can be answered.
    pub(crate) fn knows(&self, question: Living) -> bool {
        question.pointer().is_none_or(|pointer| self.rooms.contains_key(&pointer))
    }
}

/// The variables that some operation ends.
fn ended_in_blocks(program: &Program) -> FxHashSet<VarId> {
    let ended = program.edges.iter().filter_map(|(_, edge)| match edge.op {
        Op::End(pointer) => Some(program.exprs.node(program.exprs.root(pointer))),
        _ => None,
    });
    ended.filter_map(|root| if let Expr::Addr(var) = root { Some(var) } else { None }).collect()
}

fn questions(program: &Program) -> Vec<Living> {
    let question = |id| if let Expr::Living(question) = program.exprs.node(id) { Some(question) } else { None };
    program.exprs.ids().filter_map(question).collect()
}

/// Whether a pointer was made from an integer by this very expression.
fn from_integer(exprs: &Exprs, pointer: ExprId) -> bool {
    matches!(exprs.node(exprs.root(pointer)), Expr::Cast(_))
}

impl Encoder<'_> {
    /// The answer to a question; `pointer` is the value of the pointer that it is about.
    pub(crate) fn living(
        &mut self,
        path: &mut PathFormula,
        question: Living,
        pointer: Option<TermId>,
        depth: u32,
    ) -> TermId {
        match (question, pointer) {
            (Living::Room(asked), Some(value)) => self.room(path, asked, value, depth),
            (Living::Written(asked), Some(value)) => self.written(path, asked, value),
            (Living::Freeable(asked), Some(value)) => self.freeable(path, asked, value),
            (Living::Ended(asked), Some(value)) => self.ended(path, asked, value, depth),
            (Living::Writable(asked), Some(value)) => self.writable(path, asked, value),
            (Living::Heap, _) => {
                let slot = self.heap_count();
                let count = self.value(path, slot);
                match self.program.model.pointer_bits() - COUNT_BITS {
                    0 => count,
                    more => {
                        let zeros = self.terms.bv(BitVec::zero(more));
                        self.terms.bv_concat(zeros, count)
                    }
                }
            }
            (Living::NoHeap, _) => self.no_heap(path),
            (Living::Tracked, _) => {
                // Without heap objects, all are reachable.
                let none = self.no_heap(path);
                let surely = self.surely_tracked(path).unwrap_or_else(|| self.terms.falsity());
                let arbitrary = self.arbitrary(Sort::Bool);
                self.terms.or([none, surely, arbitrary])
            }
            (Living::Room(_) | Living::Written(_) | Living::Freeable(_), None)
            | (Living::Ended(_) | Living::Writable(_), None) => unreachable!("the question is about a pointer"),
        }
    }

    fn room(&mut self, path: &mut PathFormula, asked: ExprId, value: TermId, depth: u32) -> TermId {
        let model = self.model.clone();
        let lives = model.living.as_ref().expect("the program asks");
        let Some(whereto) = lives.rooms.get(&asked) else { return self.arbitrary_address() };
        let nothing = self.address(0);
        let least = self.address(PAGE);
        let mut room = nothing;
        if whereto.unknown || whereto.table {
            // A sum belongs to the object of the pointer that it starts from, and to none if that is null.
            let root = self.exprs.root(asked);
            let of = if root == asked { value } else { self.eval(path, root, depth) };
            room = match self.layout.slot_bits() {
                Some(bits) if !whereto.unknown => self.table_room(path, of, value, bits),
                _ => self.arbitrary_address(),
            };
            let null = self.terms.bv_ult(of, least);
            room = self.terms.ite(null, nothing, room);
        }
        for &var in &whereto.vars {
            let (inside, mut rest) = self.inside_variable(path, lives, var, value);
            if lives.reborn.contains(&var) {
                let current = self.arbitrary(Sort::Bool);
                rest = self.terms.ite(current, rest, nothing);
            }
            room = self.terms.ite(inside, rest, room);
        }
        room
    }

    /// Whether an address lies in a variable that lives, and how many bytes are left of it there.
    fn inside_variable(
        &mut self,
        path: &mut PathFormula,
        lives: &Lives,
        var: VarId,
        value: TermId,
    ) -> (TermId, TermId) {
        let start = self.address_of(path, var, 0);
        let size = size_of(self.program, var).expect("a pointer leads to memory");
        let (offset, size) = (self.terms.bv_sub(value, start), self.address(size));
        let mut inside = self.terms.bv_ult(offset, size);
        if lives.standing[var] == Standing::Flag {
            let flag = self.flag(var);
            let alive = self.value(path, flag);
            inside = self.terms.and([inside, alive]);
        }
        (inside, self.terms.bv_sub(size, offset))
    }

    /// Whether the last byte of the object is zero. Claims only, so an object whose bytes lie elsewhere just has no answer.
    fn ended(&mut self, path: &mut PathFormula, asked: ExprId, value: TermId, depth: u32) -> TermId {
        let model = self.model.clone();
        let region = model.living.as_ref().and_then(|lives| lives.rooms.get(&asked)?.bytes);
        let Some(region) = region else { return self.arbitrary(Sort::Bool) };
        let room = self.room(path, asked, value, depth);
        let (nothing, one) = (self.address(0), self.address(1));
        let last = self.terms.bv_sub(room, one);
        let last = self.terms.bv_add(value, last);
        let byte = self.read_halves(path, region, last);
        let (empty, written) = (self.terms.eq(room, nothing), self.terms.bv_is_nonzero(byte));
        let not = self.terms.or([empty, written]);
        self.terms.not(not)
    }

    /// The room from an address of an object on in the tables: the one that `of` points into.
    fn table_room(&mut self, path: &mut PathFormula, of: TermId, value: TermId, bits: u32) -> TermId {
        let base = self.slot_base(of, bits);
        let sizes = self.model.regions.sizes().expect("a program that asks has a table of sizes");
        let size = self.read_halves(path, sizes, base);
        let offset = self.terms.bv_sub(value, base);
        let room = self.rest(offset, size);
        if of == value {
            return room;
        }
        // A step that stays inside takes so much of the room: the same number, but facts speak of the room at the start.
        let before = self.terms.bv_sub(of, base);
        let before = self.rest(before, size);
        let step = self.terms.bv_sub(value, of);
        let stays = self.terms.bv_ule(step, before);
        let after = self.terms.bv_sub(before, step);
        self.terms.ite(stays, after, room)
    }

    /// What is left of an object of that size.
    fn rest(&mut self, offset: TermId, size: TermId) -> TermId {
        let inside = self.terms.bv_ult(offset, size);
        let rest = self.terms.bv_sub(size, offset);
        let nothing = self.address(0);
        self.terms.ite(inside, rest, nothing)
    }

    /// Where the object of an address begins.
    fn slot_base(&mut self, address: TermId, bits: u32) -> TermId {
        let width = self.program.model.pointer_bits();
        let start = self.terms.bv(BitVec::new(bits, u128::from(self.layout.slot_start())));
        let number = self.terms.bv_extract(address, width - 1, bits);
        self.terms.bv_concat(number, start)
    }

    fn freeable(&mut self, path: &mut PathFormula, asked: ExprId, value: TermId) -> TermId {
        let model = self.model.clone();
        let lives = model.living.as_ref().expect("the program asks");
        let null = self.address(0);
        let is_null = self.terms.eq(value, null);
        let start = match lives.rooms.get(&asked) {
            Some(whereto) if !whereto.unknown && self.layout.slot_bits().is_some() => {
                if whereto.table {
                    self.is_heap(path, value)
                } else {
                    self.terms.falsity()
                }
            }
            _ => self.arbitrary(Sort::Bool),
        };
        self.terms.or([is_null, start])
    }

    /// Whether the address lies in none of the constants that the pointer may lead to.
    fn writable(&mut self, path: &mut PathFormula, asked: ExprId, value: TermId) -> TermId {
        let model = self.model.clone();
        let lives = model.living.as_ref().expect("the program asks");
        let Some(constants) = lives.rooms.get(&asked).and_then(|whereto| whereto.constants.as_ref()) else {
            return self.arbitrary(Sort::Bool);
        };
        let mut elsewhere = Vec::new();
        for &var in constants {
            let inside = self.inside_variable(path, lives, var, value).0;
            elsewhere.push(self.terms.not(inside));
        }
        self.terms.and(elsewhere)
    }

    fn is_heap(&mut self, path: &mut PathFormula, address: TermId) -> TermId {
        let heap = self.model.regions.living().expect("a program that asks has a table of heap objects");
        let flag = self.read_halves(path, heap, address);
        self.terms.bv_is_nonzero(flag)
    }

    fn no_heap(&mut self, path: &PathFormula) -> TermId {
        let slot = self.heap_count();
        let count = self.value(path, slot);
        let none = self.terms.bv(BitVec::zero(COUNT_BITS));
        self.terms.eq(count, none)
    }

    fn heap_count(&mut self) -> Slot {
        self.slots.slot(SlotKind::HeapCount, || ("?heap!count".to_owned(), Sort::BitVec(COUNT_BITS)))
    }

    fn arbitrary_address(&mut self) -> TermId {
        self.arbitrary(Sort::BitVec(self.program.model.pointer_bits()))
    }

    fn flag(&mut self, var: VarId) -> Slot {
        let program = self.program;
        self.slots.slot(SlotKind::Alive(var), || (format!("?alive!{}", slot_name(program, var)), Sort::Bool))
    }

    /// An object of the tables is born.
    pub(crate) fn allocated(&mut self, path: &mut PathFormula, address: TermId, size: TermId, how: Allocation) {
        if let Some(sizes) = self.model.regions.sizes() {
            self.write_conditionally(path, sizes, address, size);
        }
        let heap = match how {
            Allocation::Heap | Allocation::HeapZeroed | Allocation::Resize(_) => self.model.regions.living(),
            Allocation::Stack => None,
        };
        if let Some(heap) = heap {
            let yes = self.terms.bv(BitVec::one(8));
            self.write_conditionally(path, heap, address, yes);
            let one = self.terms.bv(BitVec::one(COUNT_BITS));
            self.count(path, one);
        }
    }

    fn count(&mut self, path: &mut PathFormula, by: TermId) {
        if self.model.living.as_ref().is_some_and(|lives| lives.counts) {
            let slot = self.heap_count();
            let before = self.value(path, slot);
            let after = self.terms.bv_add(before, by);
            self.set(path, slot, after);
        }
    }

    /// The heap object at a pointer ends; nothing does at null.
    pub(crate) fn freed(&mut self, path: &mut PathFormula, pointer: ExprId, depth: u32) {
        if self.model.living.is_some() {
            let address = self.eval(path, pointer, depth);
            let (heap, sizes) = (self.model.regions.living(), self.model.regions.sizes());
            let (lived, null) = (self.is_heap(path, address), self.address(0));
            let null = self.terms.eq(address, null);
            let some = self.terms.not(null);
            let lived = self.terms.and([some, lived]);
            let none = self.terms.bv(BitVec::zero(COUNT_BITS));
            let less = self.terms.bv(BitVec::new(COUNT_BITS, u128::from(u32::MAX)));
            let change = self.terms.ite(lived, less, none);
            self.count(path, change);
            let (dead, empty) = (self.terms.bv(BitVec::zero(8)), self.address(0));
            heap.into_iter().for_each(|heap| self.write_conditionally(path, heap, address, dead));
            sizes.into_iter().for_each(|sizes| self.write_conditionally(path, sizes, address, empty));
        }
    }

    /// A local comes into being, or is in scope again.
    pub(crate) fn begins(&mut self, path: &mut PathFormula, var: VarId, depth: u32) {
        self.set_life(path, var, depth, true);
    }

    /// The scope of what a pointer leads to ends.
    pub(crate) fn ends(&mut self, path: &mut PathFormula, pointer: ExprId, depth: u32) {
        match self.exprs.node(pointer) {
            Expr::Addr(var) => self.set_life(path, var, depth, false),
            _ => {
                let address = self.eval(path, pointer, depth);
                let empty = self.address(0);
                let sizes = self.model.regions.sizes();
                sizes.into_iter().for_each(|sizes| self.write_conditionally(path, sizes, address, empty));
            }
        }
    }

    /// The locals of an activation end.
    pub(crate) fn end_locals(&mut self, path: &mut PathFormula, function: FunctionId, depth: u32) {
        if self.model.living.is_some() {
            for &var in &self.program.functions[function].locals {
                self.set_life(path, var, depth, false);
            }
        }
    }

    fn set_life(&mut self, path: &mut PathFormula, var: VarId, depth: u32, alive: bool) {
        let Some(standing) = self.model.living.as_ref().map(|lives| lives.standing[var]) else { return };
        match standing {
            Standing::Always => {}
            Standing::Flag => {
                let slot = self.flag(var);
                let alive = self.terms.bool(alive);
                self.set(path, slot, alive);
            }
            Standing::Table => {
                let size = if alive { size_of(self.program, var).expect("a pointer leads to memory") } else { 0 };
                let (address, size) = (self.address_of(path, var, depth), self.address(size));
                let sizes = self.model.regions.sizes();
                sizes.into_iter().for_each(|sizes| self.write_conditionally(path, sizes, address, size));
            }
        }
    }

    /// A sum of a pointer that is kept: an arbitrary address if it leaves the slot of the pointer, whose object it
    /// belongs to all the same.
    pub(crate) fn kept_inside(&mut self, path: &mut PathFormula, sum: ExprId, value: TermId, depth: u32) -> TermId {
        let wanders = self.model.living.as_ref().is_some_and(|lives| lives.wanders.contains(&sum));
        let Some(bits) = self.layout.slot_bits().filter(|_| wanders) else { return value };
        let root = self.exprs.root(sum);
        let of = self.eval(path, root, depth);
        let top = self.program.model.pointer_bits() - 1;
        let (a, b) = (self.terms.bv_extract(of, top, bits), self.terms.bv_extract(value, top, bits));
        let same = self.terms.eq(a, b);
        if self.terms.as_bool(same) == Some(true) {
            return value;
        }
        let anywhere = self.arbitrary_address();
        self.terms.ite(same, value, anywhere)
    }
}
