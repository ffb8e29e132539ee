//! How regions are found: fields of objects that accesses name, joined where one access may mean several of them or where
//! they overlap; the classes that remain are the regions.

use super::{Region, RegionField, RegionInfo, Regions};
use crate::alignment::may_misalign;
use crate::points_to::{ObjectId, ObjectKind, Offset, Pointee, PointsTo, PointsToSet};
use crate::union::Union;
use crate::uses::{Access, Extent, Uses};
use crate::{CallGraph, Prepared};
use base::IdVec;
use cfa::{Allocation, DataModel, ExprId, Living, Node, Op, Program, Scalar, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Objects with more different accesses than this are not split.
const MOST_FIELDS: usize = 200;

struct Builder<'a> {
    program: &'a Prepared,
    points_to: &'a PointsTo,
    union: Union,
    fields: Vec<(ObjectId, Offset, u64)>,
    index: FxHashMap<(ObjectId, Offset, u64), u32>,
    sorts: Vec<BTreeSet<Scalar>>,
    by_object: FxHashMap<ObjectId, Vec<u32>>,
    whole: BTreeSet<ObjectId>,
    /// Accesses of several bytes: a field of the object, where they start, how many bytes if that is known.
    ranges: Vec<(u32, ObjectId, Offset, Option<u64>)>,
    pointers: FxHashMap<ExprId, u32>,
    rooms: FxHashMap<ExprId, u64>,
}

/// The field that stands for what lies outside the program; also for pointers that point nowhere.
const OUTSIDE: u32 = 0;

/// The regions of a program.
pub(super) fn regions(program: &Prepared, uses: &Uses, points_to: &PointsTo) -> Regions {
    let mut builder = Builder {
        program,
        points_to,
        union: Union::default(),
        fields: Vec::new(),
        index: FxHashMap::default(),
        sorts: Vec::new(),
        by_object: FxHashMap::default(),
        whole: BTreeSet::new(),
        ranges: Vec::new(),
        pointers: FxHashMap::default(),
        rooms: FxHashMap::default(),
    };
    let unknown = points_to.objects.ids().next().expect("the outside is an object");
    assert_eq!(points_to.objects[unknown].kind, ObjectKind::Unknown, "it is the first one");
    let outside = builder.field(unknown, Offset::ANY, 1);
    assert_eq!(outside, OUTSIDE, "its field is the first one");
    for (id, var) in program.vars.iter() {
        let Some(object) = points_to.variable(id) else { continue };
        for cell in &var.init {
            let ty = program.exprs.ty(cell.value);
            let offset = Offset::exact(cell.offset as i64);
            let field = builder.field(object, offset, ty.bytes(program.model));
            builder.sorts[field as usize].insert(raw(program.model, ty));
        }
    }
    uses.accesses.iter().for_each(|access| builder.access(access));
    let outside = uses.accesses.iter().any(|access| points_to.targets(access.pointer).unknown);
    builder.join_overlaps(outside);
    builder.finish(uses)
}

impl Builder<'_> {
    fn field(&mut self, object: ObjectId, offset: Offset, width: u64) -> u32 {
        let key = (object, offset, width);
        if let Some(&field) = self.index.get(&key) {
            return field;
        }
        let field = self.union.add();
        self.fields.push(key);
        assert_eq!(field as usize + 1, self.fields.len(), "fields are numbered as the union numbers them");
        self.sorts.push(BTreeSet::new());
        self.by_object.entry(object).or_default().push(field);
        self.index.insert(key, field);
        field
    }

    fn access(&mut self, access: &Access) {
        let targets = self.points_to.targets(access.pointer);
        let mut all = Vec::new();
        for place in &targets.places {
            match (self.points_to.objects[place.object].kind, access.extent) {
                (ObjectKind::Function(_) | ObjectKind::Unknown, _) => {}
                (_, Extent::Scalar(ty)) => {
                    let field = self.field(place.object, place.offset, ty.bytes(self.program.model));
                    self.sorts[field as usize].insert(raw(self.program.model, ty));
                    all.push(field);
                }
                (_, extent @ (Extent::Bytes(_) | Extent::Unknown | Extent::Object)) => {
                    self.whole.insert(place.object);
                    let field = self.field(place.object, Offset::ANY, 0);
                    let bytes = if let Extent::Bytes(bytes) = extent { Some(bytes) } else { None };
                    self.ranges.push((field, place.object, place.offset, bytes));
                    all.push(field);
                }
            }
        }
        if targets.unknown || all.is_empty() {
            all.push(OUTSIDE);
            if let Extent::Scalar(ty) = access.extent {
                self.sorts[OUTSIDE as usize].insert(raw(self.program.model, ty));
            }
        }
        if access.extent == Extent::Unknown
            && let Some(room) = self.room(&targets)
        {
            self.rooms.insert(access.pointer, room);
        }
        if let Some(&before) = self.pointers.get(&access.pointer) {
            all.push(before);
        }
        assert!(!all.is_empty(), "an access that leads nowhere leads outside");
        all.windows(2).for_each(|pair| self.union.join(pair[0], pair[1]));
        self.pointers.insert(access.pointer, all[0]);
    }

    /// How many bytes there are at most from a pointer on.
    fn room(&self, targets: &PointsToSet) -> Option<u64> {
        if targets.unknown {
            return None;
        }
        let room = |place: &Pointee| {
            let before = if place.offset.stride == 0 { u64::try_from(place.offset.start).unwrap_or(0) } else { 0 };
            self.points_to.objects[place.object].size.map(|size| size.saturating_sub(before))
        };
        targets.places.iter().map(room).try_fold(0, |most, room| room.map(|room| most.max(room)))
    }

    /// Fields that share bytes are one; so are all fields of objects that are accessed as a whole or from outside.
    fn join_overlaps(&mut self, outside: bool) {
        let objects: Vec<ObjectId> = self.by_object.keys().copied().collect();
        for object in objects {
            let fields = self.by_object[&object].clone();
            let escaped = self.points_to.objects[object].escaped && outside;
            if escaped {
                self.union.join(OUTSIDE, fields[0]);
            }
            let all = escaped || self.whole.contains(&object) || fields.len() > MOST_FIELDS;
            for (at, &a) in fields.iter().enumerate() {
                for &b in &fields[..at] {
                    let ((_, x, width_x), (_, y, width_y)) = (self.fields[a as usize], self.fields[b as usize]);
                    if all || x.overlaps(width_x, y, width_y) {
                        self.union.join(a, b);
                    }
                }
            }
        }
    }
}

/// What is known about a class of fields.
#[derive(Clone, Default)]
struct Found {
    sizes: BTreeSet<u64>,
    sorts: BTreeSet<Scalar>,
    bytes: bool,
    zero: bool,
    arbitrary: bool,
    objects: BTreeSet<ObjectId>,
    many: bool,
    /// Whether one of its objects may come into being again.
    repeated: bool,
    fields: u32,
    exact: bool,
    statics: BTreeSet<VarId>,
    heap: bool,
}

impl Builder<'_> {
    fn finish(mut self, uses: &Uses) -> Regions {
        let mut number: FxHashMap<u32, u32> = FxHashMap::default();
        let mut class = Vec::new();
        for field in 0..self.fields.len() as u32 {
            let root = self.union.find(field);
            let next = number.len() as u32;
            class.push(*number.entry(root).or_insert(next));
        }
        let calls = self.program.calls();
        let mut found = vec![Found { exact: true, ..Found::default() }; number.len()];
        for (field, &(object, offset, _)) in self.fields.iter().enumerate() {
            let found = &mut found[class[field] as usize];
            found.objects.insert(object);
            found.fields += 1;
            // What is accessed as a whole has bytes that no field names.
            found.exact &= offset.stride == 0 && !self.whole.contains(&object);
            // What lies outside has accesses of any width.
            found.sizes.extend(self.sorts[field].iter().map(|sort| sort.bytes(self.program.model)));
            found.sorts.extend(&self.sorts[field]);
            self.classify(object, found, &calls);
        }
        // Copies may give elements of one width to what had none, and bytes to what had wider ones.
        self.align_copies(uses, &class, &mut found);
        let residues = self.check_alignment(&class, &mut found);
        self.align_copies(uses, &class, &mut found);
        let region_of = |field: u32| Region(class[field as usize]);
        let fields_of = |object: ObjectId| -> Vec<RegionField> {
            let fields = self.by_object.get(&object).into_iter().flatten();
            let mut fields: Vec<RegionField> = fields
                .map(|&field| {
                    let (_, offset, width) = self.fields[field as usize];
                    let region = class[field as usize];
                    let size = found[region as usize].element_bytes();
                    let residue = residues.get(&(region, object)).map_or(0, |residue| *residue as u64 % size);
                    RegionField { region: Region(region), offset, width, residue }
                })
                .collect();
            fields.sort_by_key(|field| (field.region, field.offset, field.width));
            fields
        };
        let mut vars = FxHashMap::default();
        for (id, _) in self.program.vars.iter() {
            if let Some(object) = self.points_to.variable(id) {
                vars.insert(id, fields_of(object));
            }
        }
        let mut allocations = FxHashMap::default();
        for (id, edge) in self.program.edges.iter() {
            if let (Op::Allocate { .. }, Some(object)) = (&edge.op, self.points_to.allocation(id)) {
                allocations.insert(id, fields_of(object));
            }
        }
        let mut shapes = IdVec::new();
        for found in &found {
            shapes.push(found.shape(self.program));
        }
        let resizes = |op: &Op| matches!(op, Op::Allocate { how: Allocation::Resize(_), .. });
        let sizes = self.program.edges.iter().any(|(_, edge)| resizes(&edge.op));
        let asks = asks_about_life(self.program);
        let (size, byte) = (self.program.model.size_type(), Scalar::BYTE);
        let sizes = (sizes || asks).then(|| shapes.push(table_shape(self.program, size)));
        let living = asks.then(|| shapes.push(table_shape(self.program, byte)));
        let written = asks_about_writes(self.program).then(|| shapes.push(table_shape(self.program, byte)));
        let pointers = self.pointers.iter().map(|(pointer, field)| (*pointer, region_of(*field))).collect();
        let (nowhere, rooms) = (region_of(OUTSIDE), self.rooms);
        Regions { shapes, pointers, vars, allocations, nowhere, rooms, sizes, living, written }
    }

    fn classify(&self, object: ObjectId, found: &mut Found, calls: &CallGraph) {
        match self.points_to.objects[object].kind {
            ObjectKind::Variable(var) => {
                let variable = &self.program.vars[var];
                let zero = variable.kind.is_static();
                found.zero |= zero;
                found.arbitrary |= !zero;
                if zero {
                    found.statics.insert(var);
                }
                let recursive = variable.function.is_some_and(|function| calls.is_recursive(function));
                found.many |= recursive;
                found.repeated |= recursive;
            }
            ObjectKind::Allocation(edge) => {
                let zero = matches!(self.program.edges[edge].op, Op::Allocate { how: Allocation::HeapZeroed, .. });
                found.zero |= zero;
                found.heap |= zero;
                found.arbitrary |= !zero;
                found.many = true;
                found.repeated |= !self.runs_once(self.program.edges[edge].from, calls);
            }
            ObjectKind::Unknown => {
                found.arbitrary = true;
                found.many = true;
                found.repeated = true;
            }
            ObjectKind::Function(_) => {}
        }
    }

    /// Whether executions are at a node once at most: in no loop, and all that calls its function is one such place.
    fn runs_once(&self, mut node: Node, calls: &CallGraph) -> bool {
        let loops = self.program.loops();
        loop {
            let function = self.program.nodes[node].function;
            if loops.innermost(node).is_some() || calls.is_recursive(function) {
                return false;
            }
            match calls.callers(function) {
                [] => return function == self.program.entry,
                [(call, _)] => node = self.program.edges[*call].from,
                [_, _, ..] => return false,
            }
        }
    }

    /// Elements of one width must not overlap in part: all offsets in an object are equal modulo the width.
    fn check_alignment(&self, class: &[u32], found: &mut [Found]) -> FxHashMap<(u32, ObjectId), i64> {
        let mut residues: FxHashMap<(u32, ObjectId), i64> = FxHashMap::default();
        for (field, &(object, offset, width)) in self.fields.iter().enumerate() {
            let scalar = !self.sorts[field].is_empty();
            let found = &mut found[class[field] as usize];
            // Pointers to the outside have no offsets; see below.
            if !scalar || found.sizes.len() != 1 || matches!(self.points_to.objects[object].kind, ObjectKind::Unknown) {
                continue;
            }
            let width = width as i64;
            let residue = offset.start.rem_euclid(width);
            let regular = i64::from(offset.stride) % width == 0;
            let known = *residues.entry((class[field], object)).or_insert(residue);
            found.bytes |= !regular || known != residue;
        }
        let outside = &mut found[class[OUTSIDE as usize] as usize];
        let width = outside.sizes.first().copied().filter(|&width| width > 1 && outside.element_bytes() == width);
        outside.bytes |= width.is_some_and(|width| may_misalign(self.program, self.points_to, width));
        // A range of whole elements starts and ends with one.
        for &(field, object, offset, bytes) in &self.ranges {
            let found = &mut found[class[field as usize] as usize];
            let (1, Some(&width)) = (found.sizes.len(), found.sizes.first()) else { continue };
            let width = width as i64;
            let residue = offset.start.rem_euclid(width);
            let known = *residues.entry((class[field as usize], object)).or_insert(residue);
            let regular = i64::from(offset.stride) % width == 0 && known == residue;
            found.bytes |= !regular || bytes.is_some_and(|bytes| !bytes.is_multiple_of(width as u64));
        }
        residues
    }

    /// A copy moves whole elements only if both sides have elements of one width that divides its size.
    fn align_copies(&self, uses: &Uses, class: &[u32], found: &mut [Found]) {
        loop {
            let mut changed = false;
            for &(to, from, bytes) in &uses.copies {
                let (Some(&to), Some(&from)) = (self.pointers.get(&to), self.pointers.get(&from)) else { continue };
                let (a, b) = (class[to as usize] as usize, class[from as usize] as usize);
                for (one, other) in [(a, b), (b, a)] {
                    let sizes = found[other].sizes.clone();
                    let before = (found[one].sizes.len(), found[one].bytes);
                    found[one].sizes.extend(sizes);
                    found[one].bytes |= found[other].bytes;
                    found[one].bytes |= found[one].sizes.first().is_some_and(|size| !bytes.is_multiple_of(*size));
                    changed |= before != (found[one].sizes.len(), found[one].bytes);
                }
            }
            if !changed {
                return;
            }
        }
    }
}

impl Found {
    /// Bytes of an element.
    fn element_bytes(&self) -> u64 {
        let uniform = (self.sizes.len() == 1 && !self.bytes).then(|| self.sizes.first().copied()).flatten();
        uniform.unwrap_or(1)
    }

    fn shape(&self, program: &Program) -> RegionInfo {
        let uniform = (self.sizes.len() == 1 && !self.bytes).then(|| self.sizes.first().copied()).flatten();
        let (bytes, element) = match uniform {
            Some(bytes) => match self.sorts.first() {
                Some(sort) if self.sorts.len() == 1 => (bytes, *sort),
                _ => (bytes, raw_bytes(bytes)),
            },
            None => (1, raw_bytes(1)),
        };
        let single = !self.many && self.objects.len() == 1;
        let one_element = self.fields == 1 && self.exact && uniform.is_some();
        let cell = single && one_element;
        let lone = !self.repeated && self.objects.len() == 1 && one_element;
        let statics = self.statics.iter().copied().collect();
        let (zero, arbitrary, heap) = (self.zero, self.arbitrary, self.heap);
        let (uniform, objects) = (uniform.is_some(), self.objects.iter().copied().collect());
        assert_eq!(bytes, element.bytes(program.model), "an element holds what accesses read");
        RegionInfo { bytes, element, uniform, objects, zero, arbitrary, cell, lone, single, statics, heap }
    }
}

/// Whether a program asks anything about living objects.
fn asks_about_life(program: &Program) -> bool {
    let mut ids = (0..program.exprs.len() as u32).map(ExprId);
    let lives = |question: Living| !matches!(question, Living::Written(_));
    ids.any(|id| matches!(program.exprs.node(id), cfa::Expr::Living(question) if lives(question)))
}

/// Whether a program asks which bytes were written.
fn asks_about_writes(program: &Program) -> bool {
    let mut ids = (0..program.exprs.len() as u32).map(ExprId);
    ids.any(|id| matches!(program.exprs.node(id), cfa::Expr::Living(Living::Written(_))))
}

/// Numbers of this type by addresses.
fn table_shape(program: &Program, element: Scalar) -> RegionInfo {
    RegionInfo {
        bytes: element.bytes(program.model),
        element,
        uniform: true,
        objects: Box::default(),
        zero: false,
        arbitrary: true,
        cell: false,
        lone: false,
        single: false,
        statics: Box::default(),
        heap: false,
    }
}

/// What memory keeps of a value of this type: signs and provenance are nothing to it.
fn raw(model: DataModel, ty: Scalar) -> Scalar {
    match ty {
        Scalar::Int { bits, .. } => Scalar::Int { bits, signed: false },
        Scalar::Ptr => raw_bytes(ty.bytes(model)),
        Scalar::Float(_) => ty,
        Scalar::Bool => unreachable!("memory holds bits and floats"),
    }
}

fn raw_bytes(bytes: u64) -> Scalar {
    Scalar::int(u32::try_from(8 * bytes).expect("an element is small"), false)
}
