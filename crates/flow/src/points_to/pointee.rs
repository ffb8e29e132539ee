//! Where pointers point: an object and an offset into it, exact or up to multiples of a stride.

use base::{Id, IdVec, define_id};
use cfa::{EdgeId, FunctionId, VarId};
use rustc_hash::FxHashMap;

define_id!(
    /// An object of memory as the points-to analysis tells them apart.
    ObjectId,
    "object"
);

/// What an object stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// What lies outside the program: a pointer to it points to objects that the program did not make, or to
    /// any object that escaped. Always object 0.
    Unknown,
    /// A variable in memory, in all activations of its function.
    Variable(VarId),
    /// All objects that an `Allocate` edge makes.
    Allocation(EdgeId),
    /// The code of a function.
    Function(FunctionId),
}

/// An object.
#[derive(Clone, Copy, Debug)]
pub struct ObjectInfo {
    /// What it stands for.
    pub kind: ObjectKind,
    /// Bytes, where every object that it stands for has the same known size.
    pub size: Option<u64>,
    /// Whether its address got to the outside: pointers from there may point to it.
    pub escaped: bool,
}

/// A byte offset: `start` exactly if `stride` is 0, else `start` plus any multiple of `stride`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offset {
    /// Less than `stride` unless exact.
    pub start: i64,
    /// 0 for exact offsets; 1 for any.
    pub stride: u32,
}

impl Offset {
    /// Any offset.
    pub const ANY: Offset = Offset { start: 0, stride: 1 };

    /// That offset.
    pub fn exact(start: i64) -> Offset {
        Offset { start, stride: 0 }
    }

    /// Whether the start is the smallest of its class, so that equal sets of offsets compare equal.
    fn is_reduced(self) -> bool {
        self.stride == 0 || (0..i64::from(self.stride)).contains(&self.start)
    }

    /// All that are aligned like this one: what is left where offsets are not told apart.
    fn aligned(self) -> Offset {
        const MAX_ALIGNMENT: u32 = 16;
        debug_assert!(self.is_reduced(), "{self:?}");
        let zeros = self.start.trailing_zeros().min(self.stride.trailing_zeros());
        Offset { start: 0, stride: 1 << zeros.min(MAX_ALIGNMENT.trailing_zeros()) }
    }

    /// All sums of an offset of each.
    pub fn plus(self, other: Offset) -> Offset {
        debug_assert!(self.is_reduced() && other.is_reduced(), "{self:?} {other:?}");
        let stride = gcd(self.stride, other.stride);
        let start = self.start.wrapping_add(other.start);
        Offset { start: if stride == 0 { start } else { start.rem_euclid(i64::from(stride)) }, stride }
    }

    /// All negatives of an offset.
    pub fn negated(self) -> Offset {
        debug_assert!(self.is_reduced(), "{self:?}");
        let start = self.start.wrapping_neg();
        Offset { start: if self.stride == 0 { start } else { start.rem_euclid(i64::from(self.stride)) }, ..self }
    }

    /// Whether `width` bytes here and `other_width` bytes at the other offset may have a byte in common.
    pub fn overlaps(self, width: u64, other: Offset, other_width: u64) -> bool {
        debug_assert!(self.is_reduced() && other.is_reduced(), "{self:?} {other:?}");
        let stride = i128::from(gcd(self.stride, other.stride));
        let distance = i128::from(other.start) - i128::from(self.start);
        if stride == 0 {
            return distance < i128::from(width) && -distance < i128::from(other_width);
        }
        let ahead = distance.rem_euclid(stride);
        ahead < i128::from(width) || stride - ahead < i128::from(other_width)
    }
}

/// A place that a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pointee {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offset: Offset,
}

pub fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// More offsets than this in one object become all of the same alignment.
const MAX_OFFSETS: u32 = 256;
/// Offsets that leave the object may come back (`container_of` of a list's head), but not from this far.
const MAX_OUTSIDE: i64 = 1 << 16;

/// All objects and the numbers of the places in them.
#[derive(Clone, Debug)]
pub struct PointeeTable {
    pub objects: IdVec<ObjectId, ObjectInfo>,
    pub places: Vec<Pointee>,
    index: FxHashMap<Pointee, u32>,
    counts: Vec<u32>,
}

/// The place of a pointer to the outside.
pub const UNKNOWN: u32 = 0;
/// The place of an arbitrary integer, were it used as a pointer.
pub const UNKNOWN_INT: u32 = 1;
/// Marks integers that were not purely computed from pointers, and what they are cast to. It is not a place.
pub const BUILT: u32 = 2;

impl PointeeTable {
    pub fn new() -> PointeeTable {
        let mut places =
            PointeeTable { objects: IdVec::new(), places: Vec::new(), index: FxHashMap::default(), counts: Vec::new() };
        let outside = places.object(ObjectKind::Unknown, None);
        places.number(Pointee { object: outside, offset: Offset::ANY });
        for _ in [UNKNOWN_INT, BUILT] {
            places.places.push(Pointee { object: outside, offset: Offset::ANY });
        }
        assert_eq!(places.places.len() as u32, BUILT + 1, "the places with numbers of their own come first");
        assert_eq!(outside.index(), 0, "the outside is the first object");
        places
    }

    pub fn object(&mut self, kind: ObjectKind, size: Option<u64>) -> ObjectId {
        debug_assert_eq!(self.counts.len(), self.objects.len(), "each object has a count");
        self.counts.push(0);
        self.objects.push(ObjectInfo { kind, size, escaped: kind == ObjectKind::Unknown })
    }

    /// The number of a place, or of all in its object of that alignment where so many offsets are not told apart.
    pub fn number(&mut self, place: Pointee) -> u32 {
        debug_assert!(place.offset.is_reduced(), "{place:?}");
        if let Some(&number) = self.index.get(&place) {
            return number;
        }
        let rough = Pointee { offset: place.offset.aligned(), ..place };
        let size = self.objects[place.object].size.map_or(i64::MAX, |size| i64::try_from(size).unwrap_or(i64::MAX));
        let far = place.offset.start < -MAX_OUTSIDE || place.offset.start > size.saturating_add(MAX_OUTSIDE);
        let count = &mut self.counts[place.object.index()];
        if place != rough && (far || *count >= MAX_OFFSETS) {
            return self.number(rough);
        }
        assert!(*count <= MAX_OFFSETS + 5, "only offsets by alignment come on top");
        *count += 1;
        let number = self.places.len() as u32;
        self.places.push(place);
        self.index.insert(place, number);
        number
    }

    /// The place that an offset away from another one.
    pub fn moved(&mut self, number: u32, by: Offset) -> u32 {
        let place = self.places[number as usize];
        match self.objects[place.object].kind {
            ObjectKind::Unknown | ObjectKind::Function(_) => number,
            ObjectKind::Variable(_) | ObjectKind::Allocation(_) => {
                self.number(Pointee { object: place.object, offset: place.offset.plus(by) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_meet_in_their_common_divisor() {
        let at = |start, stride| Offset { start, stride };
        assert_eq!(at(4, 0).plus(at(0, 12)), at(4, 12));
        assert_eq!(at(4, 12).plus(at(0, 8)), at(0, 4));
        assert_eq!(at(3, 0).plus(at(-7, 0)), at(-4, 0));
        assert_eq!(at(-4, 0).plus(at(0, 12)), at(8, 12));
    }

    #[test]
    fn offsets_keep_their_alignment() {
        let at = |start, stride| Offset { start, stride };
        let rows = [
            (at(0, 0), 16),
            (at(4, 0), 4),
            (at(-6, 0), 2),
            (at(0, 1), 1),
            (at(4, 12), 4),
            (at(1, 8), 1),
            (at(0, 64), 16),
        ];
        for (offset, stride) in rows {
            assert_eq!(offset.aligned(), at(0, stride), "{offset:?}");
            assert_eq!(offset.aligned().aligned(), offset.aligned());
        }
    }

    #[test]
    fn overlap_by_definition() {
        let at = |start, stride| Offset { start, stride };
        let offsets = [at(0, 0), at(5, 0), at(-3, 0), at(0, 4), at(2, 6), at(5, 6), at(0, 1)];
        let points = |o: Offset| (-60i64..60).map(move |n| o.start + n * i64::from(o.stride));
        for a in offsets {
            for b in offsets {
                for (wa, wb) in [(1, 1), (4, 2), (2, 4)] {
                    let expected = points(a).any(|x| points(b).any(|y| x < y + wb && y < x + wa));
                    assert_eq!(a.overlaps(wa as u64, b, wb as u64), expected, "{a:?} {wa} {b:?} {wb}");
                }
            }
        }
    }
}
