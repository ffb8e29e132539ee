//! The index of a reached set: per drawer (a place and a domain's key) the newest state in it.
//!
//! Most states of a long exploration are new to the domain's own table as well, so looking for them a second time in
//! a table of ours would only cost two more cache misses. A domain that numbers its states in the order in which they
//! come into being ([`crate::Filing::number`]) gets an array by number instead, which is written from front to back: no
//! entry means that no state with that number was ever filed. The array holds one drawer a number; further ones, of
//! the same state at another place, are found by hashing.

use crate::arg::ArgId;
use crate::place::Place;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// No drawer has the number.
const NONE: u32 = u32::MAX;
/// The drawer with the number was emptied; others may be in the table.
const GONE: u32 = u32::MAX - 1;

/// How often tables were asked, so that the work per state can be told from the speed of memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Searches in a hash table.
    pub lookups: u64,
    /// Entries that were looked at more closely in these.
    pub compares: u64,
}

/// What names a drawer.
#[derive(Clone, Copy)]
pub(crate) struct Label {
    pub place: Place,
    pub key: u64,
    /// The domain's number for the key.
    pub number: Option<u32>,
}

impl Label {
    fn hash(self) -> u32 {
        let place = u64::from(self.place.node.0) << 32 | u64::from(self.place.stack.0);
        let hash = [place, self.key].iter().fold(0, |hash, &word| {
            let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed ^ mixed >> 32
        });
        hash as u32
    }
}

/// The newest state of each drawer.
#[derive(Default)]
pub(crate) struct Drawers {
    /// By number.
    marks: Vec<u32>,
    /// Drawers that are not among `marks`, with their hashes, so that growing the table does not read nodes.
    table: HashTable<(u32, ArgId)>,
    work: Work,
}

impl Drawers {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.marks.clear();
        self.table.clear();
    }

    pub fn bytes(&self) -> usize {
        self.marks.len() * 4 + self.table.allocation_size()
    }

    pub fn work(&self) -> Work {
        self.work
    }

    fn mark(&self, label: Label) -> u32 {
        match label.number {
            Some(number) => self.marks.get(number as usize).copied().unwrap_or(NONE),
            None => GONE,
        }
    }

    /// The newest state of a drawer; `belongs` tells whether a state is in it.
    pub fn head(&mut self, label: Label, belongs: impl Fn(ArgId) -> bool) -> Option<ArgId> {
        match self.mark(label) {
            NONE => return None,
            GONE => {}
            id if belongs(ArgId(id)) => return Some(ArgId(id)),
            _ => {}
        }
        let hash = label.hash();
        let Self { table, work, .. } = self;
        work.lookups += 1;
        let found = table.find(spread(hash), |&(other, id)| {
            other == hash && {
                work.compares += 1;
                belongs(id)
            }
        });
        found.map(|&(_, id)| id)
    }

    /// Makes a state the newest of its drawer; the newest before.
    pub fn put(&mut self, label: Label, id: ArgId, belongs: impl Fn(ArgId) -> bool) -> Option<ArgId> {
        let mark = self.mark(label);
        if let Some(number) = label.number
            && (mark == NONE || mark != GONE && belongs(ArgId(mark)))
        {
            let number = number as usize;
            if self.marks.len() <= number {
                self.marks.resize(number + 1, NONE);
            }
            self.marks[number] = id.0;
            return (mark != NONE).then_some(ArgId(mark));
        }
        let hash = label.hash();
        let Self { table, work, .. } = self;
        work.lookups += 1;
        let same = |&(other, id): &(u32, ArgId)| {
            other == hash && {
                work.compares += 1;
                belongs(id)
            }
        };
        match table.entry(spread(hash), same, |&(hash, _)| spread(hash)) {
            Entry::Occupied(mut entry) => Some(std::mem::replace(&mut entry.get_mut().1, id)),
            Entry::Vacant(entry) => {
                entry.insert((hash, id));
                None
            }
        }
    }

    /// Makes `next` the newest state of a drawer, or takes the drawer away.
    pub fn set_head(&mut self, label: Label, next: Option<ArgId>, belongs: impl Fn(ArgId) -> bool) {
        let mark = self.mark(label);
        if let Some(number) = label.number
            && mark != NONE
            && mark != GONE
            && belongs(ArgId(mark))
        {
            self.marks[number as usize] = next.map_or(GONE, |id| id.0);
            return;
        }
        let hash = label.hash();
        let found = self.table.find_entry(spread(hash), |&(other, id)| other == hash && belongs(id));
        if let Ok(mut entry) = found {
            match next {
                Some(next) => entry.get_mut().1 = next,
                None => drop(entry.remove()),
            }
        }
    }
}

/// The table uses the highest and the lowest bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::StackId;
    use cfa::Node;
    use std::collections::BTreeMap;

    /// Drawers behave as a map from place and key, whatever numbers the keys have.
    #[test]
    fn numbers_change_nothing() {
        for numbering in [|_| None, |key| Some(key as u32), |key| Some(key as u32 / 3)] {
            let mut drawers = Drawers::default();
            let mut names: Vec<(u32, u64)> = Vec::new();
            let mut model: BTreeMap<(u32, u64), ArgId> = BTreeMap::new();
            let mut seed = 3_u64;
            for _ in 0..5000 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (node, key) = ((seed >> 33) as u32 % 3, (seed >> 40) % 40);
                let place = Place { node: Node(node), stack: StackId(0) };
                let label = Label { place, key, number: numbering(key) };
                let expected = model.get(&(node, key)).copied();
                assert_eq!(drawers.head(label, |id| names[id.0 as usize] == (node, key)), expected);
                if seed >> 60 < 6 {
                    drawers.set_head(label, None, |id| names[id.0 as usize] == (node, key));
                    model.remove(&(node, key));
                } else {
                    let id = ArgId(names.len() as u32);
                    names.push((node, key));
                    assert_eq!(drawers.put(label, id, |id| names[id.0 as usize] == (node, key)), expected);
                    model.insert((node, key), id);
                }
            }
        }
    }
}
