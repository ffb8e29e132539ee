//! Memory regions: a partition of all memory such that every access stays in one region and accesses in different
//! regions never touch a byte in common. Each region can be one array of a formula, with elements of the region's
//! uniform access size where it has one.
//!
//! 1. A shape is an offset into an object and a width. Every access has the shapes of its targets; they are one
//!    region.
//! 2. Shapes of one object that may overlap are one region.
//! 3. A block copy carries shapes between its two sides; a shape and what it is carried to are one region.
//! 4. An access through an unknown pointer is one region with all shapes of all escaped objects.

use crate::points_to::{ObjectId, ObjectKind, Offset, Place, PointsTo, Targets};
use base::{Id, IdVec, define_id};
use cfa::{Allocation, EdgeId, Expr, ExprId, Op, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

define_id!(
    /// A memory region.
    RegionId,
    "region"
);

/// One region.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Region {
    /// The size of every access where all have the same, and two accesses touch the same bytes or have none in
    /// common; accesses through unknown pointers are taken to be aligned. `None`: accesses mix, think in bytes.
    pub element: Option<u64>,
    /// The objects that have bytes in it, ascending.
    pub objects: Vec<ObjectId>,
    /// Whether it also holds what lies outside the program.
    pub unknown: bool,
}

/// The regions of a program.
#[derive(Clone, Debug)]
pub struct Regions {
    /// All regions.
    pub regions: IdVec<RegionId, Region>,
    accesses: FxHashMap<(ExprId, u64), RegionId>,
    objects: FxHashMap<ObjectId, Vec<(Shape, RegionId)>>,
    unknown: Option<RegionId>,
}

/// `width` bytes at an offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shape {
    /// Where in its object.
    pub offset: Offset,
    /// Bytes.
    pub width: u64,
}

impl Shape {
    fn meets(&self, other: &Shape) -> bool {
        self.offset.overlaps(self.width, other.offset, other.width)
    }

    /// Whether the offset may lie within an access, not at its start.
    fn split_at(&self, at: Offset) -> bool {
        let into = at.plus(self.offset.negated());
        let first = if into.stride != 0 && into.start == 0 { i64::from(into.stride) } else { into.start };
        first > 0 && (first as u64) < self.width
    }
}

impl Regions {
    /// The regions of all reachable accesses.
    pub fn new(program: &Program, points_to: &PointsTo) -> Regions {
        let mut finder = Finder::new(program, points_to);
        finder.collect();
        finder.spread();
        finder.finish()
    }

    /// The region of an access of `width` bytes. `None` if it is never made, or never inside an object.
    pub fn access(&self, pointer: ExprId, width: u64) -> Option<RegionId> {
        self.accesses.get(&(pointer, width)).copied()
    }

    /// What of an object is accessed, and in which region, ascending. Bytes in no shape are never read.
    pub fn object(&self, object: ObjectId) -> &[(Shape, RegionId)] {
        self.objects.get(&object).map_or(&[], Vec::as_slice)
    }

    /// The region of accesses through unknown pointers, if there are any.
    pub fn unknown(&self) -> Option<RegionId> {
        self.unknown
    }

    /// The regions with bytes among the `size` bytes (or all) from where a pointer points, ascending.
    pub fn block(&self, points_to: &PointsTo, pointer: ExprId, size: Option<u64>) -> Vec<RegionId> {
        let targets = points_to.targets(pointer);
        let mut found: Vec<RegionId> = Vec::new();
        for place in &targets.places {
            let whole = Shape { offset: place.offset, width: size.unwrap_or(u64::MAX / 4) };
            let shapes = self.object(place.object).iter();
            found.extend(shapes.filter(|(shape, _)| shape.meets(&whole)).map(|&(_, region)| region));
        }
        if targets.unknown {
            found.extend(self.unknown);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The regions that hold bytes of an object, ascending.
    pub fn whole(&self, object: ObjectId) -> Vec<RegionId> {
        let mut found: Vec<RegionId> = self.object(object).iter().map(|&(_, region)| region).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The regions in which an edge may change bytes that existed before it, ascending.
    pub fn written(&self, program: &Program, points_to: &PointsTo, id: EdgeId) -> Vec<RegionId> {
        let constant = |size: ExprId| program.exprs.constant(size).and_then(|size| u64::try_from(size).ok());
        let variable = |var: VarId| points_to.variable(var).map_or(Vec::new(), |object| self.whole(object));
        match &program.edges[id].op {
            Op::Store { to, value } => {
                self.access(*to, program.exprs.ty(*value).bytes(program.model)).into_iter().collect()
            }
            Op::Copy { to, size, .. } | Op::Fill { to, size, .. } => self.block(points_to, *to, constant(*size)),
            // Without a size the whole object changes, also before the pointer.
            Op::HavocMemory { to, size: None, .. } => self.containing(points_to, *to),
            Op::HavocMemory { to, size: Some(size), .. } => self.block(points_to, *to, constant(*size)),
            Op::Init(var) | Op::Declare(var) => variable(*var),
            Op::Allocate { .. } => points_to.allocation(id).map_or(Vec::new(), |object| self.whole(object)),
            Op::Library { function, args, .. } => {
                let pointers = function.writes().iter().filter_map(|&at| args.get(at));
                let mut found: Vec<RegionId> = pointers.flat_map(|&arg| self.containing(points_to, arg)).collect();
                found.sort_unstable();
                found.dedup();
                found
            }
            Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Free(_) | Op::End(_) => Vec::new(),
            Op::Call { .. } | Op::CallPointer { .. } | Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => Vec::new(),
        }
    }

    /// The regions of the objects that a pointer points into.
    fn containing(&self, points_to: &PointsTo, pointer: ExprId) -> Vec<RegionId> {
        let targets = points_to.targets(pointer);
        let mut found: Vec<RegionId> =
            targets.places.iter().flat_map(|place| self.object(place.object)).map(|&(_, region)| region).collect();
        if targets.unknown {
            found.extend(self.unknown);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A shape of an object by number; number 0 stands for the outside.
type Number = u32;
const OUTSIDE: Number = 0;

/// Bytes are copied between two objects: an offset in the first corresponds to the offset plus `distance` in the
/// second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Link {
    from: ObjectId,
    to: ObjectId,
    distance: Offset,
    /// Where the copied bytes lie in `from`, if that is exact.
    range: Option<(i64, i64)>,
}

struct Finder<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    parent: Vec<Number>,
    shapes: Vec<(ObjectId, Shape)>,
    index: FxHashMap<(ObjectId, Shape), Number>,
    by_object: FxHashMap<ObjectId, Vec<Number>>,
    links: FxHashMap<ObjectId, Vec<Link>>,
    known_links: FxHashSet<Link>,
    queue: Vec<Number>,
    accesses: FxHashMap<(ExprId, u64), Number>,
    /// Sizes of accesses through unknown pointers.
    unknown_widths: FxHashSet<u64>,
    unknown_accessed: bool,
    /// Shapes whose region must be bytes.
    mixed: Vec<Number>,
    /// Ranges that are written or read byte by byte.
    blocks: Vec<(Place, Option<u64>)>,
}

/// More shapes than this of one object are one.
const MAX_SHAPES: usize = 512;
/// A copy between more pairs of places than this merges them.
const MAX_PAIRS: usize = 2000;

impl<'a> Finder<'a> {
    fn new(program: &'a Program, points_to: &'a PointsTo) -> Finder<'a> {
        Finder {
            program,
            points_to,
            parent: vec![OUTSIDE],
            shapes: vec![(ObjectId(0), Shape { offset: Offset::ANY, width: 1 })],
            index: FxHashMap::default(),
            by_object: FxHashMap::default(),
            links: FxHashMap::default(),
            known_links: FxHashSet::default(),
            queue: Vec::new(),
            accesses: FxHashMap::default(),
            unknown_widths: FxHashSet::default(),
            unknown_accessed: false,
            mixed: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn find(&mut self, mut at: Number) -> Number {
        while self.parent[at as usize] != at {
            let next = self.parent[at as usize];
            self.parent[at as usize] = self.parent[next as usize];
            at = next;
        }
        at
    }

    fn union(&mut self, a: Number, b: Number) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    fn shape(&mut self, object: ObjectId, shape: Shape) -> Number {
        if let Some(&number) = self.index.get(&(object, shape)) {
            return number;
        }
        let crowded = self.by_object.get(&object).is_some_and(|shapes| shapes.len() >= MAX_SHAPES);
        let everything = Shape { offset: Offset::ANY, width: 1 };
        if crowded && shape != everything {
            let number = self.shape(object, everything);
            self.mixed.push(number);
            return number;
        }
        let number = self.parent.len() as Number;
        self.parent.push(number);
        self.shapes.push((object, shape));
        self.index.insert((object, shape), number);
        self.by_object.entry(object).or_default().push(number);
        self.queue.push(number);
        number
    }

    fn collect(&mut self) {
        let mut seen = vec![false; self.program.exprs.len()];
        for id in self.program.edges.ids() {
            let edge = &self.program.edges[id];
            if !self.points_to.is_reachable(self.program.nodes[edge.from].function) {
                continue;
            }
            let mut stack: Vec<ExprId> = edge.op.operands().collect();
            while let Some(expr) = stack.pop() {
                if std::mem::replace(&mut seen[expr.index()], true) {
                    continue;
                }
                let node = self.program.exprs.node(expr);
                if let Expr::Load(pointer) = node {
                    self.access(pointer, self.program.exprs.ty(expr).bytes(self.program.model));
                }
                stack.extend(node.operands());
            }
            self.op(id);
        }
    }

    fn op(&mut self, id: EdgeId) {
        let constant = |size: ExprId| self.program.exprs.constant(size).and_then(|size| u64::try_from(size).ok());
        match &self.program.edges[id].op {
            Op::Store { to, value } => {
                self.access(*to, self.program.exprs.ty(*value).bytes(self.program.model));
            }
            Op::Copy { to, from, size } => {
                let size = constant(*size);
                let (to, from) = (self.points_to.targets(*to), self.points_to.targets(*from));
                self.copy(&to, &from, size);
            }
            Op::Allocate { size, how: Allocation::Resize(old), .. } => {
                let size = constant(*size);
                let Some(object) = self.points_to.allocation(id) else { return };
                let place = Place { object, offset: Offset::exact(0) };
                let to = Targets { places: vec![place], unknown: false };
                let from = self.points_to.targets(*old);
                self.copy(&to, &from, size);
            }
            Op::Fill { to, size, .. } => {
                let size = constant(*size);
                let targets = self.points_to.targets(*to);
                self.blocks.extend(self.data(&targets).into_iter().map(|place| (place, size)));
                if targets.unknown {
                    self.unknown_accessed = true;
                    self.mixed.push(OUTSIDE);
                }
            }
            Op::HavocMemory { to, .. } => self.unknown_accessed |= self.points_to.targets(*to).unknown,
            Op::Allocate { .. } | Op::Library { .. } | Op::Init(_) | Op::Declare(_) | Op::Free(_) | Op::End(_) => {}
            Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) => {}
            Op::Call { .. } | Op::CallPointer { .. } | Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => {}
        }
    }

    fn is_data(&self, object: ObjectId) -> bool {
        matches!(self.points_to.objects[object].kind, ObjectKind::Variable(_) | ObjectKind::Allocation(_))
    }

    /// Step 1.
    fn access(&mut self, pointer: ExprId, width: u64) {
        if self.accesses.contains_key(&(pointer, width)) {
            return;
        }
        let targets = self.points_to.targets(pointer);
        let mut first = None;
        if targets.unknown {
            self.unknown_widths.insert(width);
            self.unknown_accessed = true;
            first = Some(OUTSIDE);
        }
        for place in targets.places {
            let size = self.points_to.objects[place.object].size.unwrap_or(u64::MAX);
            let exact = place.offset.stride == 0;
            let start = place.offset.start;
            let outside = exact && (start >= 0 && start as u64 >= size || start.saturating_add(width as i64) <= 0);
            if outside || !self.is_data(place.object) {
                continue;
            }
            let number = self.shape(place.object, Shape { offset: place.offset, width });
            match first {
                Some(first) => self.union(first, number),
                None => first = Some(number),
            }
        }
        if let Some(first) = first {
            self.accesses.insert((pointer, width), first);
        }
    }

    /// The places of targets that hold data.
    fn data(&self, targets: &Targets) -> Vec<Place> {
        targets.places.iter().copied().filter(|place| self.is_data(place.object)).collect()
    }

    fn copy(&mut self, to: &Targets, from: &Targets, size: Option<u64>) {
        let (targets, sources) = (self.data(to), self.data(from));
        if to.unknown || from.unknown {
            self.unknown_accessed = true;
            self.mixed.push(OUTSIDE);
            for place in targets.iter().chain(&sources) {
                let number = self.shape(place.object, Shape { offset: Offset::ANY, width: 1 });
                self.union(number, OUTSIDE);
            }
        }
        if targets.len().saturating_mul(sources.len()) > MAX_PAIRS {
            return self.merge_all(targets.iter().chain(&sources));
        }
        self.blocks.extend(targets.iter().chain(&sources).map(|&place| (place, size)));
        for &source in &sources {
            for &target in &targets {
                let distance = target.offset.plus(source.offset.negated());
                let end = size.map_or(i64::MAX, |size| source.offset.start.saturating_add_unsigned(size));
                let range = (distance.stride == 0).then_some((source.offset.start, end));
                let link = Link { from: source.object, to: target.object, distance, range };
                if self.known_links.insert(link) {
                    self.links.entry(link.from).or_default().push(link);
                    if link.from != link.to {
                        self.links.entry(link.to).or_default().push(link);
                    }
                }
            }
        }
    }

    /// All bytes of these objects become one region.
    fn merge_all<'p>(&mut self, places: impl Iterator<Item = &'p Place>) {
        let mut first = None;
        for place in places {
            let number = self.shape(place.object, Shape { offset: Offset::ANY, width: 1 });
            self.mixed.push(number);
            let first = *first.get_or_insert(number);
            self.union(first, number);
        }
    }

    /// Steps 2, 3 and 4, until no shape is new.
    fn spread(&mut self) {
        while let Some(number) = self.queue.pop() {
            let (object, shape) = self.shapes[number as usize];
            let others = self.by_object[&object].clone();
            for other in others {
                if self.shapes[other as usize].1.meets(&shape) {
                    self.union(number, other); // 2
                }
            }
            let links = self.links.get(&object).cloned().unwrap_or_default();
            for link in links {
                if link.from == object {
                    self.carry(number, shape, link.to, link.distance, link.range);
                }
                if link.to == object {
                    let shift = |at: i64| at.saturating_add(link.distance.start);
                    let range = link.range.map(|(start, end)| (shift(start), shift(end)));
                    self.carry(number, shape, link.from, link.distance.negated(), range);
                }
            }
            if self.unknown_accessed && self.points_to.objects[object].escaped {
                self.union(number, OUTSIDE); // 4
            }
        }
    }

    /// Step 3: the shape exists on the other side, too, if the copied bytes have a part of it.
    fn carry(&mut self, number: Number, shape: Shape, to: ObjectId, by: Offset, range: Option<(i64, i64)>) {
        let copied = match range {
            Some((start, end)) if shape.offset.stride == 0 => {
                shape.offset.start < end && shape.offset.start.saturating_add_unsigned(shape.width) > start
            }
            _ => true,
        };
        if !copied {
            return;
        }
        let offset = shape.offset.plus(by);
        let size = self.points_to.objects[to].size.unwrap_or(u64::MAX);
        let inside = offset.stride != 0 || offset.start < 0 || (offset.start as u64) < size;
        if inside {
            let partner = self.shape(to, Shape { offset, ..shape });
            self.union(number, partner);
        }
    }

    /// A block that begins or ends within an access splits it.
    fn split_by_blocks(&mut self) {
        for (place, size) in std::mem::take(&mut self.blocks) {
            let Some(shapes) = self.by_object.get(&place.object) else { continue };
            let block = Shape { offset: place.offset, width: size.unwrap_or(u64::MAX / 4) };
            for &number in shapes {
                let shape = self.shapes[number as usize].1;
                let end = size.and_then(|size| i64::try_from(size).ok());
                let split = shape.split_at(block.offset)
                    || end.is_none_or(|size| shape.split_at(block.offset.plus(Offset::exact(size))));
                if split && shape.width > 1 && block.meets(&shape) {
                    self.mixed.push(number);
                }
            }
        }
    }

    fn finish(mut self) -> Regions {
        self.split_by_blocks();
        let mut regions: IdVec<RegionId, Region> = IdVec::new();
        let mut by_root: FxHashMap<Number, RegionId> = FxHashMap::default();
        let mut bytes: FxHashSet<RegionId> = FxHashSet::default();
        let mut starts: FxHashMap<(RegionId, ObjectId), i64> = FxHashMap::default();
        let mut objects: FxHashMap<ObjectId, Vec<(Shape, RegionId)>> = FxHashMap::default();
        let mut region_of = |finder: &mut Self, regions: &mut IdVec<RegionId, Region>, number| {
            let root = finder.find(number);
            *by_root.entry(root).or_insert_with(|| regions.push(Region::default()))
        };
        let unknown = self.unknown_accessed.then(|| region_of(&mut self, &mut regions, OUTSIDE));
        if let Some(unknown) = unknown {
            regions[unknown].unknown = true;
            let mut widths = self.unknown_widths.iter();
            regions[unknown].element = widths.next().copied();
            if widths.next().is_some() {
                bytes.insert(unknown);
            }
        }
        for number in 1..self.parent.len() as Number {
            let region = region_of(&mut self, &mut regions, number);
            let (object, shape) = self.shapes[number as usize];
            objects.entry(object).or_default().push((shape, region));
            let width = shape.width as i64;
            // Unknown pointers are aligned to the start of objects.
            let first = if regions[region].unknown { 0 } else { shape.offset.start };
            let start = *starts.entry((region, object)).or_insert(first);
            let aligned = (shape.offset.start - start) % width == 0 && i64::from(shape.offset.stride) % width == 0;
            let uniform = *regions[region].element.get_or_insert(shape.width) == shape.width;
            if !aligned || !uniform {
                bytes.insert(region);
            }
            regions[region].objects.push(object);
        }
        for number in std::mem::take(&mut self.mixed) {
            if number != OUTSIDE || unknown.is_some() {
                bytes.insert(region_of(&mut self, &mut regions, number));
            }
        }
        for (id, region) in regions.iter_mut() {
            region.objects.sort_unstable();
            region.objects.dedup();
            if bytes.contains(&id) {
                region.element = None;
            }
        }
        for shapes in objects.values_mut() {
            shapes.sort_unstable();
        }
        let accesses = std::mem::take(&mut self.accesses);
        let accesses =
            accesses.into_iter().map(|(access, number)| (access, region_of(&mut self, &mut regions, number))).collect();
        Regions { regions, accesses, objects, unknown }
    }
}

#[cfg(test)]
mod tests;
