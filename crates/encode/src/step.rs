//! Operations: how an edge changes a path formula.

use crate::Encoder;
use crate::bounds::Spot;
use crate::input::{EventKind, Held};
use crate::memory::{Target, suffix};
use crate::path::PathFormula;
use crate::regions::{Field, Region, Segment};
use crate::slot::{Place, Slot, slot_name};
use crate::sort::sort_of;
use crate::{Addressing, uses};
use cfa::points_to::Offset;
use cfa::{Allocation, EdgeId, ExprId, FunctionId, Op, Scalar, Source, Storage, VarId};
use smt::{BitVec, Sort, TermId};
use std::collections::BTreeSet;

/// Longer fills, copies and declarations than this many elements are over-approximated.
const MOST_ELEMENTS: u64 = 1024;

impl Encoder<'_> {
    /// The path behind an edge that is not a call; `None` if nothing goes on: the condition is plainly false, or the
    /// program ends. `depth` counts the activations of the edge's function below the current one.
    pub fn step(&mut self, mut path: PathFormula, edge: EdgeId, depth: u32) -> Option<PathFormula> {
        let program = self.program;
        match &program.edges[edge].op {
            Op::Skip | Op::Free(_) => {}
            Op::Assume(condition) => {
                let condition = self.eval(&mut path, *condition, depth);
                return self.assume(path, condition);
            }
            Op::Assign(var, value) => {
                let value = self.eval(&mut path, *value, depth);
                let slot = self.register(*var, depth);
                path.set(slot, value);
            }
            Op::Havoc(var, source) => self.havoc(&mut path, edge, *var, *source, depth),
            Op::Init(var) => self.init(&mut path, *var),
            Op::Declare(var) => self.declare(&mut path, *var, depth, false),
            Op::Store { to, value } => {
                let value = self.eval(&mut path, *value, depth);
                let target = self.target(&mut path, *to, depth);
                self.store(&mut path, target, value, depth);
            }
            Op::Copy { to, from, size } => self.copy(&mut path, *to, *from, *size, depth),
            Op::Fill { to, byte, size } => self.fill(&mut path, *to, *byte, *size, depth),
            Op::HavocMemory { to, size, .. } => self.havoc_memory(&mut path, *to, *size, depth),
            Op::Allocate { result, size, how } => self.allocate(&mut path, edge, *result, *size, *how, depth),
            Op::Return(value) => {
                let result = program.functions[program.nodes[program.edges[edge].from].function].result;
                if let (Some(value), Some(result)) = (value, result) {
                    let value = self.eval(&mut path, *value, depth);
                    let slot = self.register(result, depth);
                    path.set(slot, value);
                }
            }
            Op::Library { function, args, result } => {
                for &at in function.writes() {
                    self.havoc_memory(&mut path, args[at], None, depth);
                }
                if let Some(result) = result {
                    let ty = program.register(*result).expect("results are registers");
                    let value = self.arbitrary_of(ty);
                    let slot = self.register(*result, depth);
                    path.set(slot, value);
                }
            }
            Op::Halt(_) | Op::Unsupported(_) => return None,
            Op::Call { .. } | Op::CallPointer { .. } => unreachable!("calls are entered and left"),
        }
        Some(path)
    }

    /// The path at the entry of a called function.
    pub fn enter(&mut self, mut path: PathFormula, call: EdgeId, caller_depth: u32, depth: u32) -> PathFormula {
        let program = self.program;
        let Op::Call { function, args, .. } = &program.edges[call].op else { unreachable!("the edge is a call") };
        let values: Vec<TermId> = args.iter().map(|arg| self.eval(&mut path, *arg, caller_depth)).collect();
        self.activate(&mut path, *function, depth);
        for (param, value) in program.functions[*function].params.iter().zip(values) {
            let slot = self.register(*param, depth);
            path.set(slot, value);
        }
        path
    }

    /// Locals of a new activation are arbitrary.
    pub(crate) fn activate(&mut self, path: &mut PathFormula, function: FunctionId, depth: u32) {
        let program = self.program;
        for &var in self.model.clone().stale[function].iter() {
            let ty = program.register(var).expect("only registers are stale");
            let value = self.arbitrary_of(ty);
            let slot = self.register(var, depth);
            path.set(slot, value);
        }
        for &var in &program.functions[function].locals {
            if uses::size_of(program, var).is_some() {
                self.declare(path, var, depth, true);
            }
        }
    }

    /// The path behind a call, from the exit of the called function.
    pub fn leave(&mut self, mut path: PathFormula, call: EdgeId, caller_depth: u32, depth: u32) -> PathFormula {
        let Op::Call { function, result, .. } = &self.program.edges[call].op else {
            unreachable!("the edge is a call")
        };
        if let (Some(to), Some(from)) = (*result, self.program.functions[*function].result) {
            let from = self.register(from, depth);
            let value = self.value(&path, from);
            let to = self.register(to, caller_depth);
            path.set(to, value);
        }
        path
    }

    /// The slot of a register variable.
    pub fn register(&mut self, var: VarId, depth: u32) -> Slot {
        let depth = self.depth_of(var, depth);
        let program = self.program;
        self.slots.slot(Place::Register(var, depth), || {
            let ty = program.register(var).expect("the variable is a register");
            (format!("{}{}", slot_name(program, var), suffix(depth)), sort_of(program.model, ty))
        })
    }

    /// Globals exist once, whatever the depth is.
    pub(crate) fn depth_of(&self, var: VarId, depth: u32) -> u32 {
        if self.program.vars[var].function.is_some() { depth } else { 0 }
    }

    fn havoc(&mut self, path: &mut PathFormula, edge: EdgeId, var: VarId, source: Source, depth: u32) {
        let ty = self.program.register(var).expect("only registers are made arbitrary");
        let value = self.terms.fresh_var("?input", sort_of(self.program.model, ty));
        self.event(path, EventKind::Input { edge, source, ty, value });
        let slot = self.register(var, depth);
        path.set(slot, value);
    }

    // Objects ----------------------------------------------------------------------------------------------------------

    /// The address of a memory variable.
    pub(crate) fn address_of(&mut self, path: &PathFormula, var: VarId, depth: u32) -> TermId {
        let place = Place::Address(var, self.depth_of(var, depth));
        match self.slots.find(place) {
            Some(slot) => self.value(path, slot),
            None => self.address(self.layout.var(var)),
        }
    }

    fn init(&mut self, path: &mut PathFormula, var: VarId) {
        let program = self.program;
        if self.model.pieces[var].is_some() {
            for (at, piece) in self.pieces_in(var, 0, u64::MAX) {
                let zero = self.zero(piece.sort);
                let slot = self.piece_slot(var, at, 0);
                path.set(slot, zero);
            }
        } else if path.instance != 0 {
            let size = crate::regions::variable_size(program, var);
            let (address, model) = (self.address(self.layout.var(var)), self.model.clone());
            self.clear_fields(path, model.regions.of_var(var), (address, Some(size)), Clear::Zero, &mut Vec::new());
        }
        let model = self.model.clone();
        for cell in &program.vars[var].init {
            let target = if model.pieces[var].is_some() {
                Target::Pieces(var, cell.offset)
            } else {
                let here = |field: &&Field| field.offset == Offset::exact(cell.offset as i64);
                let Some(field) = model.regions.of_var(var).iter().find(here) else { continue };
                let address = self.address(self.layout.var(var) + cell.offset);
                Target::Memory(Spot { region: field.region, address, object: None })
            };
            let value = self.eval(path, cell.value, 0);
            self.store(path, target, value, 0);
        }
    }

    /// The bytes of a local become arbitrary. In a new activation it is a new object, at an address of its own where
    /// formulas follow events.
    fn declare(&mut self, path: &mut PathFormula, var: VarId, depth: u32, new_activation: bool) {
        if self.model.pieces[var].is_some() {
            let mut parts = Vec::new();
            for (at, piece) in self.pieces_in(var, 0, u64::MAX) {
                let value = self.arbitrary(piece.sort);
                let slot = self.piece_slot(var, at, depth);
                path.set(slot, value);
                parts.push((piece.offset, value));
            }
            return self.event(path, EventKind::Birth { unless_null: None, object: None, parts });
        }
        let Storage::Memory { size, align } = self.program.vars[var].storage else { return };
        let model = self.model.clone();
        let fields = model.regions.of_var(var);
        let mut parts = Vec::new();
        if self.addressing == Addressing::Events && (new_activation || size > 64) {
            let at = self.layout.fresh(Segment::Arbitrary, Some(size), align);
            path.give_birth(self.layout.last_fresh());
            let address = self.address(at);
            let depth = self.depth_of(var, depth);
            let (program, width) = (self.program, self.program.model.pointer_bits());
            let slot = self.slots.slot(Place::Address(var, depth), || {
                (format!("&{}{}", slot_name(program, var), suffix(depth)), Sort::BitVec(width))
            });
            path.set(slot, address);
            // What is not in an array does not get a new address with the object.
            let cells: Vec<Field> =
                fields.iter().copied().filter(|field| model.regions.shape(field.region).cell).collect();
            self.clear_fields(path, &cells, (address, Some(size)), Clear::Arbitrary, &mut parts);
        } else {
            let address = self.address_of(path, var, depth);
            self.clear_fields(path, fields, (address, Some(size)), Clear::Arbitrary, &mut parts);
        }
        let object = Some((self.address_of(path, var, depth), regions_of(fields), size));
        self.event(path, EventKind::Birth { unless_null: None, object, parts });
    }

    /// The fields of an object get new contents; which ones, by offset, goes to `parts`.
    fn clear_fields(
        &mut self,
        path: &mut PathFormula,
        fields: &[Field],
        (address, size): (TermId, Option<u64>),
        how: Clear,
        parts: &mut Vec<(u64, TermId)>,
    ) {
        let model = self.model.clone();
        let mut elements: BTreeSet<(Region, u64)> = BTreeSet::new();
        for field in fields {
            let shape = model.regions.shape(field.region);
            let step = if field.offset.stride == 1 { shape.bytes } else { u64::from(field.offset.stride) };
            let start = u64::try_from(field.offset.start).unwrap_or(0);
            let count = match (field.offset.stride, size) {
                (0, _) => 1,
                (_, Some(size)) => size.saturating_sub(start).div_ceil(step.max(1)),
                (_, None) => u64::MAX,
            };
            if count > MOST_ELEMENTS {
                self.forget_region(path, field.region);
                continue;
            }
            for at in 0..count {
                let offset = start + at * step;
                let parts = 0..field.width.div_ceil(shape.bytes);
                elements.extend(parts.map(|part| (field.region, offset + part * shape.bytes)));
            }
        }
        for (region, offset) in elements {
            let (bytes, element) = self.element(region);
            let value = self.cleared(element, bytes, how);
            let index = self.offset_by(address, offset);
            self.write_conditionally(path, region, index, value);
            parts.push((offset, value));
        }
    }

    /// So many bytes from a place on get new contents; which ones, by offset from the place.
    fn clear_range(
        &mut self,
        path: &mut PathFormula,
        to: Target,
        size: Option<u64>,
        how: Clear,
        depth: u32,
    ) -> Vec<(u64, TermId)> {
        let mut parts = Vec::new();
        match to {
            Target::Pieces(var, offset) => {
                for (at, piece) in self.pieces_in(var, offset, size.unwrap_or(u64::MAX)) {
                    let value = self.cleared(piece.sort, piece.bytes, how);
                    let slot = self.piece_slot(var, at, depth);
                    path.set(slot, value);
                    parts.push((piece.offset - offset, value));
                }
            }
            Target::Memory(spot) => {
                let shape = self.model.regions.shape(spot.region).clone();
                // Parts of elements cannot be told; arbitrary bytes may be more than asked for.
                let whole = |size: &u64| matches!(how, Clear::Arbitrary) || size.is_multiple_of(shape.bytes);
                let elements = size.filter(whole).map(|size| size.div_ceil(shape.bytes));
                match elements {
                    Some(elements) if elements <= MOST_ELEMENTS => {
                        for at in 0..elements {
                            let value = self.cleared(shape.element, shape.bytes, how);
                            let spot = self.further(spot, at * shape.bytes);
                            self.write_inside(path, spot, value);
                            parts.push((at * shape.bytes, value));
                        }
                    }
                    _ => {
                        self.forget_region(path, spot.region);
                    }
                }
            }
        }
        parts
    }

    fn cleared(&mut self, sort: Sort, bytes: u64, how: Clear) -> TermId {
        match how {
            Clear::Zero => self.zero(sort),
            Clear::Arbitrary => self.arbitrary(sort),
            Clear::Byte(byte) => {
                let mut bits = byte;
                for _ in 1..bytes {
                    bits = self.terms.bv_concat(bits, byte);
                }
                match sort {
                    Sort::Float(format) => {
                        let kind = crate::memory::kind_of(format);
                        self.of_image(bits, Scalar::Float(kind))
                    }
                    Sort::BitVec(_) => bits,
                    Sort::Bool | Sort::Array { .. } => unreachable!("memory holds bits and floats"),
                }
            }
        }
    }

    fn forget_region(&mut self, path: &mut PathFormula, region: Region) {
        let shape = self.model.regions.shape(region);
        let (zero, arbitrary, element) = (shape.zero, shape.arbitrary, shape.element);
        if shape.cell {
            let value = self.arbitrary(element);
            let slot = self.cell_slot(region);
            return path.set(slot, value);
        }
        if zero {
            self.forget_segment(path, region, Segment::Zero);
        }
        if arbitrary {
            self.forget_segment(path, region, Segment::Arbitrary);
        }
    }

    // Ranges -----------------------------------------------------------------------------------------------------------

    fn constant_size(&mut self, path: &mut PathFormula, size: ExprId, depth: u32) -> Option<u64> {
        let size = self.eval(path, size, depth);
        self.terms.as_bv(size).and_then(BitVec::to_u64)
    }

    fn fill(&mut self, path: &mut PathFormula, to: ExprId, byte: ExprId, size: ExprId, depth: u32) {
        let byte = self.eval(path, byte, depth);
        let size = self.constant_size(path, size, depth);
        let to = self.target(path, to, depth);
        self.clear_range(path, to, size, Clear::Byte(byte), depth);
    }

    fn havoc_memory(&mut self, path: &mut PathFormula, to: ExprId, size: Option<ExprId>, depth: u32) {
        if let (None, Some(place)) = (size, uses::direct(&self.exprs, to)) {
            return self.havoc_variable(path, place.var, depth);
        }
        let bytes = size.and_then(|size| self.constant_size(path, size, depth));
        let target = self.target(path, to, depth);
        let pointer = match target {
            Target::Pieces(..) => None,
            Target::Memory(spot) => Some(spot.address),
        };
        let parts = self.clear_range(path, target, bytes, Clear::Arbitrary, depth);
        match target {
            // Which object it is, only a model can tell.
            Target::Memory(spot) if parts.is_empty() => {
                let held = self.held(path, spot.region);
                self.event(path, EventKind::Forgotten { pointer: spot.address, held });
            }
            Target::Memory(..) | Target::Pieces(..) => {
                self.event(path, EventKind::Birth { unless_null: pointer, object: None, parts });
            }
        }
    }

    /// All that a region holds, as terms.
    fn held(&mut self, path: &mut PathFormula, region: Region) -> Vec<Held> {
        let shape = self.model.regions.shape(region);
        let (zero, arbitrary, bytes) = (shape.zero, shape.arbitrary, shape.bytes);
        if shape.cell {
            let slot = self.cell_slot(region);
            let value = self.value(path, slot);
            let model = self.model.clone();
            let of_vars = self.program.vars.ids().flat_map(|var| model.regions.of_var(var));
            let field = of_vars.into_iter().find(|field| field.region == region);
            let offset = field.and_then(|field| u64::try_from(field.offset.start).ok());
            return vec![Held::Cell { offset: offset.unwrap_or(0), value }];
        }
        let segments = [(zero, Segment::Zero), (arbitrary, Segment::Arbitrary)];
        let used = segments.into_iter().filter(|(is_used, _)| *is_used);
        used.map(|(_, segment)| Held::Array { bytes, value: self.array(path, region, segment) }).collect()
    }

    /// A whole variable becomes arbitrary, wherever in it the pointer points to.
    fn havoc_variable(&mut self, path: &mut PathFormula, var: VarId, depth: u32) {
        let parts = if self.model.pieces[var].is_some() {
            self.clear_range(path, Target::Pieces(var, 0), None, Clear::Arbitrary, depth)
        } else {
            let (model, address) = (self.model.clone(), self.address_of(path, var, depth));
            let (fields, size) = (model.regions.of_var(var), uses::size_of(self.program, var));
            let mut parts = Vec::new();
            self.clear_fields(path, fields, (address, size), Clear::Arbitrary, &mut parts);
            parts
        };
        self.event(path, EventKind::Birth { unless_null: None, object: None, parts });
    }

    fn copy(&mut self, path: &mut PathFormula, to: ExprId, from: ExprId, size: ExprId, depth: u32) {
        let size = self.constant_size(path, size, depth);
        let (to, from) = (self.target(path, to, depth), self.target(path, from, depth));
        let whole = |target: &Target, size: u64| match target {
            Target::Pieces(..) => true,
            Target::Memory(spot) => size.is_multiple_of(self.model.regions.shape(spot.region).bytes),
        };
        let fits = |size: &u64| *size <= 8 * MOST_ELEMENTS && whole(&from, *size) && whole(&to, *size);
        let Some(size) = size.filter(fits) else {
            self.clear_range(path, to, None, Clear::Arbitrary, depth);
            return;
        };
        let mut moved: Vec<(u64, u64, TermId)> = Vec::new();
        match (from, to) {
            (Target::Pieces(var, offset), _) => {
                for (at, piece) in self.pieces_in(var, offset, size) {
                    let slot = self.piece_slot(var, at, depth);
                    let value = self.value(path, slot);
                    moved.push((piece.offset - offset, piece.bytes, value));
                }
            }
            (Target::Memory(spot), Target::Pieces(var, offset)) => {
                for (_, piece) in self.pieces_in(var, offset, size) {
                    let at = piece.offset - offset;
                    let part = self.further(spot, at);
                    let value = self.load_as(path, Target::Memory(part), piece.bytes, piece.sort, depth);
                    moved.push((at, piece.bytes, value));
                }
            }
            (Target::Memory(spot), Target::Memory(..)) => {
                let (bytes, _) = self.element(spot.region);
                for at in 0..size / bytes {
                    let part = self.further(spot, at * bytes);
                    moved.push((at * bytes, bytes, self.read_any(path, part)));
                }
            }
        }
        let mut done = 0;
        for (at, bytes, value) in moved {
            self.gap(path, to, done, at, depth);
            let part = match to {
                Target::Pieces(var, offset) => Target::Pieces(var, offset + at),
                Target::Memory(spot) => Target::Memory(self.further(spot, at)),
            };
            self.store(path, part, value, depth);
            done = at + bytes;
        }
        self.gap(path, to, done, size, depth);
    }

    /// Bytes that nobody reads at their source become arbitrary where they are copied to.
    fn gap(&mut self, path: &mut PathFormula, to: Target, from: u64, until: u64, depth: u32) {
        if from >= until {
            return;
        }
        let part = match to {
            Target::Pieces(var, offset) => Target::Pieces(var, offset + from),
            Target::Memory(spot) => {
                let (bytes, _) = self.element(spot.region);
                if !(until - from).is_multiple_of(bytes) {
                    return;
                }
                Target::Memory(self.further(spot, from))
            }
        };
        self.clear_range(path, part, Some(until - from), Clear::Arbitrary, depth);
    }

    // The heap ---------------------------------------------------------------------------------------------------------

    fn allocate(
        &mut self,
        path: &mut PathFormula,
        edge: EdgeId,
        result: VarId,
        size: ExprId,
        how: Allocation,
        depth: u32,
    ) {
        let size_term = self.eval(path, size, depth);
        let size = self.terms.as_bv(size_term).and_then(BitVec::to_u64);
        let segment = match how {
            Allocation::HeapZeroed => Segment::Zero,
            Allocation::Heap | Allocation::Stack | Allocation::Resize(_) => Segment::Arbitrary,
        };
        let model = self.model.clone();
        let fields = model.regions.of_allocation(edge);
        let address = match self.addressing {
            Addressing::Events => {
                let at = self.layout.fresh(segment, size, 16);
                path.give_birth(self.layout.last_fresh());
                self.address(at)
            }
            Addressing::Fixed => self.bump(path, segment, size_term),
        };
        if self.addressing == Addressing::Fixed {
            // The allocator may be behind where an earlier object was, as far as an abstraction knows.
            let how = if how == Allocation::HeapZeroed { Clear::Zero } else { Clear::Arbitrary };
            self.clear_fields(path, fields, (address, size), how, &mut Vec::new());
        }
        if let Allocation::Resize(old) = how {
            for region in regions_of(fields) {
                self.resize(path, old, (region, address), size, depth);
            }
        }
        let object = Some((address, regions_of(fields), size.unwrap_or(1 << 20)));
        self.event(path, EventKind::Birth { unless_null: None, object, parts: Vec::new() });
        let slot = self.register(result, depth);
        path.set(slot, address);
    }

    /// The next address of a deterministic allocator: aligned, disjoint from all before.
    fn bump(&mut self, path: &mut PathFormula, segment: Segment, size: TermId) -> TermId {
        let width = self.program.model.pointer_bits();
        let name = match segment {
            Segment::Zero => "?next!zeroed",
            Segment::Arbitrary => "?next!heap",
        };
        let slot = self.slots.slot(Place::Next(segment), || (name.to_owned(), Sort::BitVec(width)));
        let mut address = self.value(path, slot);
        if let Some(bits) = self.layout.slot_bits() {
            let start = self.layout.slot_start();
            let start = self.terms.bv(BitVec::new(bits, u128::from(start)));
            let number = self.terms.bv_extract(address, width - 1, bits);
            address = self.terms.bv_concat(number, start);
        }
        let unit = self.layout.slot_bits().map_or(32, |bits| 1 << bits);
        let rest = self.address(2 * unit - 1);
        let rounded = self.terms.bv_add(size, rest);
        let mask = self.address(!(unit - 1) & (u64::MAX >> (64 - width)));
        let rounded = self.terms.bv_and(rounded, mask);
        let next = self.terms.bv_add(address, rounded);
        path.set(slot, next);
        address
    }

    fn resize(
        &mut self,
        path: &mut PathFormula,
        old: ExprId,
        (region, address): (Region, TermId),
        size: Option<u64>,
        depth: u32,
    ) {
        let source = self.eval(path, old, depth);
        let from = self.model.regions.of_pointer(old);
        let (bytes, element) = self.element(from);
        let fits = self.element(region) == (bytes, element);
        let Some(size) = size.filter(|size| fits && *size <= MOST_ELEMENTS) else {
            return self.forget_region(path, region);
        };
        let null = self.address(0);
        let from_null = self.terms.eq(source, null);
        for at in 0..size / bytes {
            let kept = Spot { region: from, address: self.offset_by(source, at * bytes), object: None };
            let kept = self.read_any(path, kept);
            let new = self.arbitrary(element);
            let value = self.terms.ite(from_null, new, kept);
            let index = self.offset_by(address, at * bytes);
            self.write_conditionally(path, region, index, value);
        }
    }
}

/// The regions of fields, each once.
pub(crate) fn regions_of(fields: &[Field]) -> Vec<Region> {
    let mut regions: Vec<Region> = fields.iter().map(|field| field.region).collect();
    regions.sort_unstable();
    regions.dedup();
    regions
}

/// New contents of a range.
#[derive(Clone, Copy)]
enum Clear {
    Zero,
    Arbitrary,
    Byte(TermId),
}
