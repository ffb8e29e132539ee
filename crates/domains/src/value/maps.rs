//! Persistent maps from `u32` to `u32`, hash-consed: equal maps have equal roots, an update copies one path of at most
//! eight small nodes, and what two maps have in common is stored once.
//!
//! A map is a radix tree with 16-way nodes that store only present children, bit-mapped as in [Bag01]. Keys should be
//! dense. A node is a header (bitmap, level) and its children or, at level 0, its values. The root has the lowest
//! level that its largest key needs, which makes the shape canonical.

use analysis::Work;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// A map of one [`Maps`] store.
pub type Root = u32;

/// The map without entries.
pub const EMPTY: Root = 0;

const BITMAP: u32 = 0xFFFF;

/// The store of all nodes.
pub struct Maps {
    words: Vec<u32>,
    /// Nodes with their hashes, so that growing the table does not read them.
    table: HashTable<(u32, u32)>,
    work: Work,
}

/// A node under construction.
struct Draft {
    words: [u32; 17],
    len: usize,
}

impl Draft {
    fn new(level: u32) -> Self {
        let mut words = [0; 17];
        words[0] = level << 16;
        Self { words, len: 1 }
    }

    /// Appends a child at a higher position than all before.
    fn push(&mut self, at: u32, child: u32) {
        debug_assert!(at < 16 && self.words[0] & BITMAP < 1 << at, "children are appended in order");
        self.words[0] |= 1 << at;
        self.words[self.len] = child;
        self.len += 1;
    }
}

impl Default for Maps {
    fn default() -> Self {
        Self { words: vec![0], table: HashTable::new(), work: Work::default() }
    }
}

impl Maps {
    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.words.len() * 4 + self.table.allocation_size()
    }

    /// How often the table was asked while maps were made.
    pub fn work(&self) -> Work {
        self.work
    }

    fn bitmap(&self, node: u32) -> u32 {
        self.words[node as usize] & BITMAP
    }

    fn level(&self, node: u32) -> u32 {
        self.words[node as usize] >> 16
    }

    fn children(&self, node: u32) -> &[u32] {
        let start = node as usize;
        &self.words[start + 1..start + 1 + self.bitmap(node).count_ones() as usize]
    }

    fn child(&self, node: u32, at: u32) -> Option<u32> {
        debug_assert!(at < 16 && node != EMPTY, "nodes have 16 places");
        let bitmap = self.bitmap(node);
        let bit = 1 << at;
        (bitmap & bit != 0).then(|| self.words[node as usize + 1 + (bitmap & (bit - 1)).count_ones() as usize])
    }

    fn find(&self, words: &[u32]) -> Option<u32> {
        let hash = hash(words);
        let found =
            self.table.find(spread(hash), |&(other, node)| other == hash && node_words(&self.words, node) == words);
        found.map(|&(_, node)| node)
    }

    fn intern(&mut self, draft: &Draft) -> u32 {
        let words = &draft.words[..draft.len];
        debug_assert_eq!(draft.len, 1 + (words[0] & BITMAP).count_ones() as usize, "a child for every bit");
        if draft.len == 1 {
            return EMPTY;
        }
        let hash = hash(words);
        let Self { words: store, table, work } = self;
        work.lookups += 1;
        let same = |&(other, node): &(u32, u32)| {
            other == hash && {
                work.compares += 1;
                node_words(store, node) == words
            }
        };
        match table.entry(spread(hash), same, |&(hash, _)| spread(hash)) {
            Entry::Occupied(entry) => entry.get().1,
            Entry::Vacant(entry) => {
                let node = u32::try_from(store.len()).expect("less than 16 GiB of nodes");
                store.extend_from_slice(words);
                entry.insert((hash, node));
                node
            }
        }
    }

    /// The value of a key.
    pub fn get(&self, root: Root, key: u32) -> Option<u32> {
        let mut level = self.level(root);
        if root == EMPTY || needed_level(key) > level {
            return None;
        }
        let mut node = root;
        loop {
            node = self.child(node, key >> (4 * level) & 15)?;
            if level == 0 {
                return Some(node);
            }
            level -= 1;
        }
    }

    /// The map with one entry changed or added.
    pub fn set(&mut self, root: Root, key: u32, value: u32) -> Root {
        let needed = needed_level(key);
        if root == EMPTY {
            return self.chain(key, value, needed);
        }
        let mut root = root;
        while self.level(root) < needed {
            let mut draft = Draft::new(self.level(root) + 1);
            draft.push(0, root);
            root = self.intern(&draft);
        }
        let changed = self.insert(root, key, value);
        debug_assert_eq!(self.get(changed, key), Some(value), "what is set is found");
        changed
    }

    /// The nodes from `level` down to the single entry.
    fn chain(&mut self, key: u32, value: u32, level: u32) -> u32 {
        let mut node = value;
        for at in 0..=level {
            let mut draft = Draft::new(at);
            draft.push(key >> (4 * at) & 15, node);
            node = self.intern(&draft);
        }
        node
    }

    fn insert(&mut self, node: u32, key: u32, value: u32) -> u32 {
        let level = self.level(node);
        let at = key >> (4 * level) & 15;
        let old = self.child(node, at);
        let new = match (level, old) {
            (0, _) => value,
            (_, Some(child)) => self.insert(child, key, value),
            (_, None) => self.chain(key, value, level - 1),
        };
        if old == Some(new) { node } else { self.with_child(node, at, Some(new)) }
    }

    /// The node with the child at one position replaced, added or taken out.
    fn with_child(&mut self, node: u32, at: u32, child: Option<u32>) -> u32 {
        let bitmap = self.bitmap(node);
        let mut draft = Draft::new(self.level(node));
        let below = (bitmap & ((1 << at) - 1)).count_ones() as usize;
        let start = node as usize + 1;
        draft.words[1..1 + below].copy_from_slice(&self.words[start..start + below]);
        draft.len += below;
        let had = bitmap >> at & 1;
        let mut present = bitmap & !(1 << at);
        if let Some(child) = child {
            draft.words[draft.len] = child;
            draft.len += 1;
            present |= 1 << at;
        }
        let rest = &self.words[start + below + had as usize..start + bitmap.count_ones() as usize];
        draft.words[draft.len..draft.len + rest.len()].copy_from_slice(rest);
        draft.len += rest.len();
        draft.words[0] |= present;
        self.intern(&draft)
    }

    /// The map without one entry.
    pub fn remove(&mut self, root: Root, key: u32) -> Root {
        if self.get(root, key).is_none() {
            return root;
        }
        let shrunk = self.delete(root, key);
        let removed = self.lower(shrunk);
        debug_assert_eq!(self.get(removed, key), None, "what is removed is not found");
        removed
    }

    fn delete(&mut self, node: u32, key: u32) -> u32 {
        let level = self.level(node);
        let at = key >> (4 * level) & 15;
        let child = match level {
            0 => None,
            _ => self.child(node, at).map(|child| self.delete(child, key)).filter(|&child| child != EMPTY),
        };
        self.with_child(node, at, child)
    }

    /// Removes root levels that the keys do not need.
    fn lower(&self, mut root: Root) -> Root {
        while root != EMPTY && self.level(root) > 0 && self.bitmap(root) == 1 {
            root = self.words[root as usize + 1];
        }
        root
    }

    /// Calls `visit` on all entries by ascending key.
    pub fn for_each(&self, root: Root, visit: &mut dyn FnMut(u32, u32)) {
        if root != EMPTY {
            self.walk(root, 0, visit);
        }
    }

    fn walk(&self, node: u32, base: u32, visit: &mut dyn FnMut(u32, u32)) {
        let level = self.level(node);
        let mut bitmap = self.bitmap(node);
        for &child in self.children(node) {
            let key = base | bitmap.trailing_zeros() << (4 * level);
            bitmap &= bitmap - 1;
            if level == 0 { visit(key, child) } else { self.walk(child, key, visit) }
        }
    }

    /// The map with values replaced, or dropped where `change` says `None`.
    pub fn map(&mut self, root: Root, change: &mut dyn FnMut(&mut Maps, u32, u32) -> Option<u32>) -> Root {
        if root == EMPTY {
            return EMPTY;
        }
        let changed = self.rebuild(root, 0, change);
        self.lower(changed)
    }

    fn rebuild(&mut self, node: u32, base: u32, change: &mut dyn FnMut(&mut Maps, u32, u32) -> Option<u32>) -> u32 {
        let level = self.level(node);
        let mut draft = Draft::new(level);
        let bitmap = self.bitmap(node);
        let mut count = 0;
        for at in 0..16 {
            if bitmap >> at & 1 == 0 {
                continue;
            }
            let child = self.words[node as usize + 1 + count];
            count += 1;
            let key = base | at << (4 * level);
            let new = match level {
                0 => change(self, key, child),
                _ => Some(self.rebuild(child, key, change)).filter(|&child| child != EMPTY),
            };
            if let Some(new) = new {
                draft.push(at, new);
            }
        }
        self.intern(&draft)
    }

    /// Whether `big` has every entry of `small`, where two values agree if `agree` says so.
    pub fn includes(&self, big: Root, small: Root, agree: &dyn Fn(u32, u32) -> bool) -> bool {
        let Some(big) = self.align(big, small) else { return false };
        self.includes_below(big, small, agree)
    }

    /// The node of `big` that covers the keys of `small`'s root.
    fn align(&self, mut big: Root, small: Root) -> Option<u32> {
        if small == EMPTY {
            return Some(big);
        }
        while big != EMPTY && self.level(big) > self.level(small) {
            big = self.child(big, 0)?;
        }
        (big != EMPTY && self.level(big) == self.level(small)).then_some(big)
    }

    fn includes_below(&self, big: u32, small: u32, agree: &dyn Fn(u32, u32) -> bool) -> bool {
        if big == small || small == EMPTY {
            return true;
        }
        let level = self.level(small);
        let mut bitmap = self.bitmap(small);
        if bitmap & !self.bitmap(big) != 0 {
            return false;
        }
        self.children(small).iter().all(|&theirs| {
            let at = bitmap.trailing_zeros();
            bitmap &= bitmap - 1;
            self.child(big, at).is_some_and(|ours| match level {
                0 => ours == theirs || agree(ours, theirs),
                _ => self.includes_below(ours, theirs, agree),
            })
        })
    }

    /// Whether two maps have the same keys, where two values count as the same shape if `same` says so.
    pub fn same_keys(&self, a: Root, b: Root, same: &dyn Fn(u32, u32) -> bool) -> bool {
        if a == b {
            return true;
        }
        if self.words[a as usize] != self.words[b as usize] {
            return false;
        }
        let level = self.level(a);
        self.children(a).iter().zip(self.children(b)).all(|(&x, &y)| match level {
            0 => x == y || same(x, y),
            _ => self.same_keys(x, y, same),
        })
    }

    /// The part of `map` that has the keys of `shape`, with leaf values cut by `cut(value, shape's value)`. `None` if
    /// a key is missing or no such map was ever made.
    pub fn project(&self, map: Root, shape: Root, cut: &dyn Fn(u32, u32) -> Option<u32>) -> Option<Root> {
        if shape == EMPTY {
            return Some(EMPTY);
        }
        self.project_below(self.align(map, shape)?, shape, cut)
    }

    fn project_below(&self, node: u32, shape: u32, cut: &dyn Fn(u32, u32) -> Option<u32>) -> Option<u32> {
        if node == shape {
            return Some(node);
        }
        debug_assert_eq!(self.level(node), self.level(shape), "nodes of one level are compared");
        let level = self.level(shape);
        let mut draft = Draft::new(level);
        let mut bitmap = self.bitmap(shape);
        for &theirs in self.children(shape) {
            let at = bitmap.trailing_zeros();
            bitmap &= bitmap - 1;
            let ours = self.child(node, at)?;
            let part = if level == 0 { cut(ours, theirs)? } else { self.project_below(ours, theirs, cut)? };
            draft.push(at, part);
        }
        self.find(&draft.words[..draft.len])
    }
}

/// Header and children of a node.
fn node_words(words: &[u32], node: u32) -> &[u32] {
    let start = node as usize;
    &words[start..start + 1 + (words[start] & BITMAP).count_ones() as usize]
}

fn needed_level(key: u32) -> u32 {
    (31 - (key | 1).leading_zeros()) / 4
}

fn hash(words: &[u32]) -> u32 {
    let hash = words.iter().fold(0, |hash, &word| {
        let mixed = (hash ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 32
    });
    hash as u32
}

/// The table uses the highest and the lowest bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Numbers that look random.
    fn next(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as u32
    }

    #[test]
    fn behaves_as_a_map_and_is_canonical() {
        let mut maps = Maps::default();
        let mut seed = 7;
        for spread in [8, 20, 300, 70_000] {
            let mut model = BTreeMap::new();
            let mut root = EMPTY;
            for _ in 0..2000 {
                let key = next(&mut seed) % spread;
                if next(&mut seed).is_multiple_of(3) {
                    model.remove(&key);
                    root = maps.remove(root, key);
                } else {
                    let value = next(&mut seed) % 5 + 1;
                    model.insert(key, value);
                    root = maps.set(root, key, value);
                }
                assert_eq!(maps.get(root, key), model.get(&key).copied());
            }
            let mut entries = Vec::new();
            maps.for_each(root, &mut |key, value| entries.push((key, value)));
            assert_eq!(entries, model.clone().into_iter().collect::<Vec<_>>());
            let again = model.iter().rev().fold(EMPTY, |root, (&key, &value)| maps.set(root, key, value));
            assert_eq!(again, root, "equal maps have equal roots");
        }
    }

    #[test]
    fn inclusion_and_projection() {
        let mut maps = Maps::default();
        let of = |maps: &mut Maps, entries: &[(u32, u32)]| entries.iter().fold(EMPTY, |r, &(k, v)| maps.set(r, k, v));
        let big = of(&mut maps, &[(1, 10), (5, 50), (40, 9), (5000, 3)]);
        let small = of(&mut maps, &[(1, 10), (40, 9)]);
        let other = of(&mut maps, &[(1, 11), (40, 9)]);
        let never = |_: u32, _: u32| false;
        assert!(maps.includes(big, small, &never));
        assert!(!maps.includes(big, other, &never));
        assert!(!maps.includes(small, big, &never));
        assert!(maps.includes(small, EMPTY, &never));
        assert!(maps.same_keys(small, other, &|_, _| true));
        assert_eq!(maps.project(big, other, &|ours, _| Some(ours)), Some(small));
        assert_eq!(maps.map(big, &mut |_, key, value| (key < 5000).then_some(value)), {
            of(&mut maps, &[(1, 10), (5, 50), (40, 9)])
        });
    }
}
