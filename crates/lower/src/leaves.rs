//! What initialises an object, in the order of the object, in which gcc evaluates it. A later initialiser replaces what
//! an earlier one gave to the same bytes (C11 6.7.9p19); as in gcc, what is replaced is not evaluated.

use crate::tags::FoundMember;
use cfa::types::RecordId;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::ast;

/// What initialises a scalar, a string's array, or a whole aggregate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    /// Its place from the start of the object.
    pub at: FoundMember,
    pub value: LeafValue,
    /// How many bits the value takes.
    pub bits: u64,
    /// How many places in a row, one right after the other, get the value.
    pub times: u64,
    /// Whether a string around this place is written before.
    pub in_string: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum LeafValue {
    Expr(ast::ExprId),
    String(ast::StringId),
    /// `{}` for a scalar.
    Zero,
}

/// The value of a struct or of a repeated element is replaced in part: C, gcc and others differ on what remains.
pub(crate) struct PartlyReplaced;

/// Leaves that do not overlap, unless one replaces characters of a string.
#[derive(Default)]
pub(crate) struct Leaves {
    by_place: BTreeMap<(u64, Reverse<u64>), (Leaf, Element)>,
    /// The member of each union that has a value, by the union's start.
    members: BTreeMap<(u64, RecordId), Member>,
    /// Values that were replaced, and hence are not evaluated.
    replaced: Vec<ast::ExprId>,
    /// The element of a range, evaluated once for all of them, that leaves are added for.
    pub element: Element,
}

struct Member {
    index: u64,
    /// Where the union ends.
    end: u64,
}

/// The bits of an element of a range.
pub(crate) type Element = Option<(u64, u64)>;

impl Leaf {
    pub fn new(at: FoundMember, bits: u64, value: LeafValue) -> Leaf {
        Leaf { at, value, bits, times: 1, in_string: false }
    }

    fn place(&self) -> Range<u64> {
        let start = self.at.bit_offset;
        start..start.saturating_add(self.bits.saturating_mul(self.times))
    }

    /// Bytes from one place to the next.
    pub fn stride(&self) -> u64 {
        self.bits / 8
    }

    /// The leaf of one round alone.
    pub fn round(self, round: u64) -> Leaf {
        assert!(round < self.times, "there are so many rounds");
        let bits = round * self.bits;
        let unit = self.at.unit.map(|unit| cfa::types::Unit { offset: unit.offset + bits / 8, ..unit });
        Leaf { at: FoundMember { bit_offset: self.at.bit_offset + bits, unit, ..self.at }, times: 1, ..self }
    }
}

impl Leaves {
    /// Adds a leaf, which replaces what its place had.
    pub fn put(&mut self, leaf: Leaf) -> Result<(), PartlyReplaced> {
        let in_string = self.clear_leaves(leaf.place())?;
        self.insert(Leaf { in_string, ..leaf }, self.element);
        Ok(())
    }

    /// A union's member will get a value: another one's is gone.
    pub fn leave_others(&mut self, place: Range<u64>, union: RecordId, index: u64) -> Result<(), PartlyReplaced> {
        match self.members.get(&(place.start, union)) {
            Some(old) if old.index != index => self.clear(place),
            _ => Ok(()),
        }
    }

    /// A union's member got a value.
    pub fn choose(&mut self, place: Range<u64>, union: RecordId, index: u64) {
        self.members.insert((place.start, union), Member { index, end: place.end });
    }

    /// Whether some leaf is a member of a union.
    pub fn in_union(&self) -> bool {
        !self.members.is_empty()
    }

    /// Forgets what an object or part of one had.
    pub fn clear(&mut self, place: Range<u64>) -> Result<(), PartlyReplaced> {
        let near = self.members.range((place.start, RecordId(0))..(place.end, RecordId(0)));
        let inside = near.filter(|(_, member)| member.end <= place.end).map(|(&union, _)| union);
        for union in inside.collect::<Vec<_>>() {
            self.members.remove(&union);
        }
        self.clear_leaves(place).map(drop)
    }

    /// Forgets the leaves of a place. Returns whether it lies in a string, of which the other characters remain.
    fn clear_leaves(&mut self, place: Range<u64>) -> Result<bool, PartlyReplaced> {
        if place.is_empty() {
            return Ok(false);
        }
        // Before a place that ends earlier there may be the string around it, but nothing else that reaches further.
        let ends_later = |leaf: &Leaf| leaf.place().end > place.start;
        let before = self.by_place.range(..(place.end, Reverse(u64::MAX))).rev();
        let near = before.take_while(|(_, (leaf, _))| ends_later(leaf) || leaf.in_string || leaf.bits == 0);
        let hit = near.filter(|(_, (leaf, _))| ends_later(leaf)).map(|(&key, _)| key);
        let mut in_string = false;
        for key in hit.collect::<Vec<_>>() {
            let (leaf, element) = self.by_place.remove(&key).expect("it was found there");
            if element.is_some_and(|(start, end)| start < place.start || place.end < end) {
                return Err(PartlyReplaced);
            }
            in_string |= self.replace(leaf, element, &place)?;
        }
        Ok(in_string)
    }

    /// Adds again what remains of a leaf after a place was cleared.
    fn replace(&mut self, leaf: Leaf, element: Element, place: &Range<u64>) -> Result<bool, PartlyReplaced> {
        let start = leaf.at.bit_offset;
        let first = place.start.saturating_sub(start) / leaf.bits.max(1);
        let last = (place.end - 1).saturating_sub(start) / leaf.bits.max(1);
        if first > 0 {
            self.insert(Leaf { times: first, ..leaf }, element);
        }
        if last + 1 < leaf.times {
            self.insert(Leaf { times: leaf.times - last - 1, ..leaf.round(last + 1) }, element);
        }
        let hit = leaf.round(first);
        if place.start <= hit.at.bit_offset && hit.place().end <= place.end {
            if let LeafValue::Expr(value) = hit.value {
                self.replaced.push(value);
            }
            return Ok(false);
        }
        match hit.value {
            LeafValue::String(_) => self.insert(hit, element),
            LeafValue::Expr(_) | LeafValue::Zero => return Err(PartlyReplaced),
        }
        Ok(true)
    }

    fn insert(&mut self, leaf: Leaf, element: Element) {
        let place = leaf.place();
        self.by_place.insert((place.start, Reverse(place.end)), (leaf, element));
    }

    /// Values that no place has any more.
    pub fn gone(&self) -> Vec<ast::ExprId> {
        let is = |value: ast::ExprId| move |leaf: &Leaf| matches!(leaf.value, LeafValue::Expr(it) if it == value);
        let gone = |value: &&ast::ExprId| !self.by_place.values().any(|(leaf, _)| is(**value)(leaf));
        self.replaced.iter().filter(gone).copied().collect()
    }

    pub fn into_order_of_object(self) -> Vec<Leaf> {
        self.by_place.into_values().map(|(leaf, _)| leaf).collect()
    }
}
