//! What memory holds: per object one node of the constraint graph for each granule (as many bytes as a pointer has)
//! that is accessed at an exact offset, and for each stride of inexact accesses a node that all its writes go to and
//! one that all its reads come from. An access touches every granule that it has a byte in, so misaligned and
//! bytewise copies of pointers keep their provenance.

use super::nodes::{N, Nodes};
use super::pointee::{ObjectId, ObjectKind, Offset, Pointee, PointeeTable, gcd};
use rustc_hash::{FxHashMap, FxHashSet};

/// Granules `start + n * stride` of an object.
#[derive(Clone, Copy, Debug)]
struct Row {
    start: i64,
    stride: i64,
    write: N,
    read: N,
}

impl Row {
    fn has(&self, granule: i64) -> bool {
        debug_assert!(self.stride > 0 && (0..self.stride).contains(&self.start), "{self:?}");
        (granule - self.start) % self.stride == 0
    }

    fn meets(&self, other: &Row) -> bool {
        debug_assert!(self.stride > 0 && other.stride > 0, "{self:?} {other:?}");
        (other.start - self.start) % i64::from(gcd(self.stride as u32, other.stride as u32)) == 0
    }
}

/// Granules from `start` on, up to `end`, are copied to another object, `distance` granules further.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Link {
    start: i64,
    end: i64,
    to: ObjectId,
    distance: i64,
}

#[derive(Default)]
struct Contents {
    cells: Vec<(i64, N)>,
    rows: Vec<Row>,
    links: Vec<Link>,
}

/// The contents of all objects.
pub struct Memory {
    granule: i64,
    objects: FxHashMap<ObjectId, Contents>,
    cells: FxHashMap<(ObjectId, i64), N>,
    known_links: FxHashSet<(ObjectId, Link)>,
}

/// Copies within objects of unknown size, there and back, would make cells without end: beyond this many in one
/// object, what is copied to it may be anywhere in it.
const MAX_CELLS: usize = 1024;

/// Rows of one object are linked with each other: beyond this many, further ones are all granules.
const MAX_ROWS: usize = 32;

/// One node, or two for a misaligned access, or more for a wide one.
type Touched = Vec<N>;

impl Memory {
    pub fn new(granule: u64) -> Memory {
        assert!(granule.is_power_of_two(), "{granule}");
        Memory {
            granule: granule as i64,
            objects: FxHashMap::default(),
            cells: FxHashMap::default(),
            known_links: FxHashSet::default(),
        }
    }

    /// The nodes whose values an access of `width` bytes reads.
    pub fn read(&mut self, nodes: &mut Nodes, places: &PointeeTable, number: u32, width: u64) -> Touched {
        let place = places.places[number as usize];
        match self.shape(places, place, width) {
            Shape::Nothing => Vec::new(),
            Shape::Granules(from, to) => (from..=to).map(|at| self.cell(nodes, place.object, at)).collect(),
            Shape::Row(start, stride) => vec![self.row(nodes, place.object, start, stride).read],
        }
    }

    /// The nodes that an access of `width` bytes writes.
    pub fn write(&mut self, nodes: &mut Nodes, places: &PointeeTable, number: u32, width: u64) -> Touched {
        let place = places.places[number as usize];
        match self.shape(places, place, width) {
            Shape::Nothing => Vec::new(),
            Shape::Granules(from, to) => (from..=to).map(|at| self.cell(nodes, place.object, at)).collect(),
            Shape::Row(start, stride) => vec![self.row(nodes, place.object, start, stride).write],
        }
    }

    /// Which granules an access touches. Outside its object it touches nothing.
    fn shape(&self, places: &PointeeTable, place: Pointee, width: u64) -> Shape {
        let object = &places.objects[place.object];
        if matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Unknown) {
            return Shape::Nothing;
        }
        let width = width.clamp(1, 1 << 20) as i64;
        let Offset { start, stride } = place.offset;
        if stride == 0 {
            let inside = object.size.is_none_or(|size| i128::from(start) < i128::from(size));
            if start + width <= 0 || !inside {
                return Shape::Nothing;
            }
            return Shape::Granules(start.max(0) / self.granule, (start + width - 1) / self.granule);
        }
        let stride = i64::from(stride);
        if stride % self.granule == 0 && start % self.granule + width <= self.granule {
            return Shape::Row(start / self.granule, stride / self.granule);
        }
        Shape::Row(0, 1)
    }

    fn cell(&mut self, nodes: &mut Nodes, object: ObjectId, granule: i64) -> N {
        if let Some(&node) = self.cells.get(&(object, granule)) {
            return node;
        }
        let first = self.add_cell(nodes, object, granule);
        // Links carry new cells on to other objects, whose links may carry them further.
        let mut new = vec![(object, granule, first)];
        while let Some((object, granule, node)) = new.pop() {
            let links = self.objects[&object].links.clone();
            for link in links.iter().filter(|link| (link.start..link.end).contains(&granule)) {
                let at = (link.to, granule + link.distance);
                let crowded = self.objects.get(&link.to).is_some_and(|contents| contents.cells.len() >= MAX_CELLS);
                let to = match self.cells.get(&at) {
                    Some(&to) => to,
                    None if crowded => self.row(nodes, link.to, 0, 1).write,
                    None => {
                        let to = self.add_cell(nodes, at.0, at.1);
                        new.push((at.0, at.1, to));
                        to
                    }
                };
                nodes.copy(node, to);
            }
        }
        first
    }

    fn add_cell(&mut self, nodes: &mut Nodes, object: ObjectId, granule: i64) -> N {
        assert!(granule >= 0, "no object has bytes before its first");
        let node = nodes.add();
        self.cells.insert((object, granule), node);
        let contents = self.objects.entry(object).or_default();
        contents.cells.push((granule, node));
        for row in contents.rows.iter().filter(|row| row.has(granule)) {
            nodes.copy(row.write, node);
            nodes.copy(node, row.read);
        }
        node
    }

    fn row(&mut self, nodes: &mut Nodes, object: ObjectId, start: i64, stride: i64) -> Row {
        let (first, is_new) = self.own_row(nodes, object, start, stride);
        // Links carry new rows on to other objects, as they do with cells.
        let mut new: Vec<(ObjectId, Row)> = is_new.then_some((object, first)).into_iter().collect();
        while let Some((object, row)) = new.pop() {
            let links = self.objects[&object].links.clone();
            for link in links {
                let (to, is_new) = self.own_row(nodes, link.to, row.start + link.distance, row.stride);
                if is_new {
                    new.push((link.to, to));
                }
                nodes.copy(row.write, to.write);
            }
        }
        first
    }

    /// The row itself, and whether it was made just now.
    fn own_row(&mut self, nodes: &mut Nodes, object: ObjectId, start: i64, stride: i64) -> (Row, bool) {
        assert!(stride > 0, "rows have granules at a distance");
        let rows = &self.objects.entry(object).or_default().rows;
        let find = |start, stride| rows.iter().find(|row| (row.start, row.stride) == (start, stride));
        let start = start.rem_euclid(stride);
        match find(start, stride) {
            Some(row) => (*row, false),
            None if rows.len() < MAX_ROWS => (self.add_row(nodes, object, start, stride), true),
            None => match find(0, 1) {
                Some(row) => (*row, false),
                None => (self.add_row(nodes, object, 0, 1), true),
            },
        }
    }

    fn add_row(&mut self, nodes: &mut Nodes, object: ObjectId, start: i64, stride: i64) -> Row {
        debug_assert!((0..stride).contains(&start), "{start} is not the first of a row of stride {stride}");
        let row = Row { start, stride, write: nodes.add(), read: nodes.add() };
        let contents = self.objects.entry(object).or_default();
        contents.rows.push(row);
        for &(_, node) in contents.cells.iter().filter(|(granule, _)| row.has(*granule)) {
            nodes.copy(row.write, node);
            nodes.copy(node, row.read);
        }
        for other in contents.rows.iter().filter(|other| row.meets(other)) {
            nodes.copy(row.write, other.read);
            nodes.copy(other.write, row.read);
        }
        row
    }

    /// `size` bytes at `from`, or as many as there are, are copied to `to`.
    pub fn link(&mut self, nodes: &mut Nodes, places: &PointeeTable, from: Pointee, to: Pointee, size: Option<u64>) {
        let object = |place: Pointee| {
            let kind = places.objects[place.object].kind;
            matches!(kind, ObjectKind::Variable(_) | ObjectKind::Allocation(_))
        };
        if !object(from) || !object(to) {
            return;
        }
        let distance = to.offset.start - from.offset.start;
        let exact = from.offset.stride == 0 && to.offset.stride == 0;
        // A copy within one object would carry cells on and on.
        let within = from.object == to.object && distance != 0;
        if !exact || within || distance % self.granule != 0 {
            let from = self.row(nodes, from.object, 0, 1);
            let to = self.row(nodes, to.object, 0, 1);
            return nodes.copy(from.read, to.write);
        }
        let start = from.offset.start.max(0).max(-distance);
        let largest = |place: Pointee| places.objects[place.object].size.map_or(i64::MAX / 2, |size| size as i64);
        let length = size.map_or(i64::MAX / 2, |size| i64::try_from(size).unwrap_or(i64::MAX / 2));
        let end = (from.offset.start.saturating_add(length)).min(largest(from)).min(largest(to) - distance);
        if end <= start {
            return;
        }
        let link = Link {
            start: start / self.granule,
            end: (end - 1) / self.granule + 1,
            to: to.object,
            distance: distance / self.granule,
        };
        assert!(0 <= link.start && link.start < link.end, "{link:?} copies nothing");
        assert!(link.start + link.distance >= 0, "{link:?} writes before the first byte");
        if !self.known_links.insert((from.object, link)) {
            return;
        }
        let contents = self.objects.entry(from.object).or_default();
        contents.links.push(link);
        let cells: Vec<(i64, N)> = contents.cells.clone();
        let rows: Vec<Row> = contents.rows.clone();
        for (granule, node) in cells.into_iter().filter(|(granule, _)| (link.start..link.end).contains(granule)) {
            let target = self.cell(nodes, link.to, granule + link.distance);
            nodes.copy(node, target);
        }
        for row in rows {
            let target = self.row(nodes, link.to, row.start + link.distance, row.stride);
            nodes.copy(row.write, target.write);
        }
    }
}

enum Shape {
    Nothing,
    /// From the first to the last, both touched.
    Granules(i64, i64),
    Row(i64, i64),
}
