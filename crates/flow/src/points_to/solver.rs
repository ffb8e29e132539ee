//! The solution of the constraint graph (`nodes`). A node holds a set of places; edges carry places on, unchanged or moved
//! by an offset; uses of a node (loads, stores, calls) make further edges as places arrive [And94].
//!
//! Waves [PB09], until nothing is new:
//! 1. Merge the nodes of every cycle of plain edges: their sets are equal. An edge within a cycle that moves by a
//!    constant would move for ever: it moves by any multiple of the constant from now on. Where there is a crowd, nodes
//!    with many places join it (see `crowd`).
//! 2. In topological order, carry what is new at each node along its edges.
//! 3. Apply what is new to the uses of each node, which adds edges.

use super::crowd::Crowd;
use super::memory::Memory;
use super::nodes::{Move, N, Nodes, Use};
use super::pointee::{BUILT, Offset, Pointee, PointeeTable, UNKNOWN, UNKNOWN_INT};
use super::set::Set;
use base::{Cancel, Stopped};
use rustc_hash::FxHashSet;

pub(super) fn is_unknown(number: u32) -> bool {
    matches!(number, UNKNOWN | UNKNOWN_INT)
}

/// A block copy.
#[derive(Clone, Copy, Debug)]
pub struct BlockCopy {
    pub to: N,
    pub from: N,
    pub size: Option<u64>,
}

/// What a wave's third step needs to know about the program.
pub trait Caller {
    /// A place is called.
    fn call(&mut self, solver: &mut Solver, call: u32, place: u32);
    /// Adds the constraints of functions that became reachable; whether there were any.
    fn reach(&mut self, solver: &mut Solver) -> bool;
    /// Nothing is new: lets calls that lead nowhere go where only they can; whether there were any.
    fn last_resort(&mut self, solver: &mut Solver) -> bool;
}

/// The analysis' state.
pub struct Solver {
    pub places: PointeeTable,
    pub nodes: Nodes,
    pub memory: Memory,
    pub block_copies: Vec<BlockCopy>,
    /// Holds a pointer to the outside and nothing else.
    pub unknown: N,
    /// Holds an arbitrary integer and nothing else.
    pub unknown_int: N,
    /// Holds what integers hold that were not purely computed from pointers, and nothing else.
    pub built: N,
    /// Everything that escaped.
    pub outside: N,
    /// What was stored at unknown places.
    pub stored_outside: N,
    /// Whether pointers were stored at unknown places: then escaped objects hold unknown pointers.
    scrambled: bool,
    limit: u64,
    /// The work at which the clock is looked at.
    next_check: u64,
    /// Block copies whose bytes are not told apart by position.
    coarse_copies: FxHashSet<u32>,
    pub(super) crowd: Option<Crowd>,
}

/// Why the analysis did not end.
#[derive(Debug)]
pub enum GaveUp {
    /// It took more work than it may.
    TooMuch,
    /// It was stopped.
    Stopped(Stopped),
}

impl Solver {
    /// `exposed` says whether an integer that was not computed from pointers may be an address of the program.
    pub fn new(places: PointeeTable, granule: u64, limit: u64, exposed: bool) -> Solver {
        assert!(granule.is_power_of_two(), "pointers have a power of two of bytes: {granule}");
        assert_eq!(places.places.len() as u32, BUILT + 1, "the analysis starts from nothing");
        let mut nodes = Nodes::default();
        let (unknown, unknown_int, outside, stored_outside) = (nodes.add(), nodes.add(), nodes.add(), nodes.add());
        let built = nodes.add();
        nodes.insert(built, if exposed { UNKNOWN_INT } else { BUILT });
        nodes.insert(unknown, UNKNOWN);
        nodes.insert(unknown_int, UNKNOWN_INT);
        nodes.copy(unknown, outside);
        nodes.copy(stored_outside, outside);
        nodes.add_use(outside, Use::Escape);
        nodes.add_use(stored_outside, Use::StoredOutside);
        Solver {
            places,
            nodes,
            memory: Memory::new(granule),
            block_copies: Vec::new(),
            unknown,
            unknown_int,
            built,
            outside,
            stored_outside,
            scrambled: false,
            limit,
            next_check: 0,
            coarse_copies: FxHashSet::default(),
            crowd: None,
        }
    }

    /// Runs waves until nothing is new.
    pub fn solve(&mut self, program: &mut impl Caller, cancel: &Cancel) -> Result<(), GaveUp> {
        loop {
            let mut changed = program.reach(self);
            let order = self.nodes.collapse(&mut self.places); // 1
            changed |= self.gather(program);
            for &node in &order {
                self.nodes.carry(&mut self.places, node); // 2
                self.check(cancel)?;
            }
            for (node, what) in std::mem::take(&mut self.nodes.new_uses) {
                changed = true;
                self.begin_use(program, node, what); // 3
                self.check(cancel)?;
            }
            for &node in &order {
                let pending = std::mem::take(&mut self.nodes.pending[node as usize]);
                if pending.is_empty() {
                    continue;
                }
                changed = true;
                for at in 0..self.nodes.uses[node as usize].len() {
                    let what = self.nodes.uses[node as usize][at];
                    self.apply(program, what, &pending);
                }
                self.check(cancel)?;
            }
            debug_assert!(self.nodes.work <= self.limit, "more work than was allowed ends the analysis");
            let closed = !changed && order.iter().all(|&node| self.nodes.fresh[node as usize].is_empty());
            debug_assert!(!closed || self.nodes.new_uses.is_empty(), "uses that were not applied");
            if closed && !program.last_resort(self) {
                return Ok(());
            }
        }
    }

    /// Applies a use to all that a node holds, and from now on to what is new.
    fn begin_use(&mut self, program: &mut impl Caller, node: N, what: Use) {
        let node = self.nodes.find(node);
        if self.nodes.is_crowd(node) {
            return self.use_crowd(program, node, what);
        }
        self.apply_to_all(program, node, what);
    }

    pub(super) fn apply_to_all(&mut self, program: &mut impl Caller, root: N, what: Use) {
        debug_assert_eq!(self.nodes.parent[root as usize], root, "uses are those of roots");
        let set = self.nodes.sets[root as usize].clone();
        self.apply(program, what, &set);
        self.nodes.put_use(root, what);
    }

    /// Looks at the clock after every so many units of work.
    fn check(&mut self, cancel: &Cancel) -> Result<(), GaveUp> {
        const PERIOD: u64 = 1 << 16;
        if self.nodes.work > self.limit {
            return Err(GaveUp::TooMuch);
        }
        if self.nodes.work >= self.next_check {
            self.next_check = self.nodes.work + PERIOD;
            cancel.check().map_err(GaveUp::Stopped)?;
        }
        Ok(())
    }

    fn apply(&mut self, program: &mut impl Caller, what: Use, new: &Set) {
        self.nodes.work += new.len() as u64;
        for number in new.iter().filter(|&number| number != BUILT) {
            match what {
                Use::Load { to, width } => self.load(number, to, width),
                Use::Store { from, width } => self.store(number, from, width),
                Use::CopyTo(copy) => self.block_copy(copy, Some(number), None),
                Use::CopyFrom(copy) => self.block_copy(copy, None, Some(number)),
                Use::Scramble { size } => self.scramble(number, size),
                Use::Call(call) => program.call(self, call, number),
                Use::Escape => self.escape(number),
                // An arbitrary integer is not a pointer unless it is cast to one.
                Use::StoredOutside if number == UNKNOWN_INT => {}
                Use::StoredOutside => self.scramble_escaped(),
                Use::Crowd => self.crowd_place(number),
            }
        }
    }

    pub(super) fn load(&mut self, number: u32, to: N, width: u64) {
        if is_unknown(number) {
            // What escaped objects hold escaped with them, so "unknown" covers it.
            return self.nodes.insert(to, UNKNOWN);
        }
        debug_assert_ne!(number, BUILT, "a mark is not a place");
        for cell in self.memory.read(&mut self.nodes, &self.places, number, width) {
            self.nodes.copy(cell, to);
        }
    }

    pub(super) fn store(&mut self, number: u32, from: N, width: u64) {
        if is_unknown(number) {
            return self.nodes.copy(from, self.stored_outside);
        }
        debug_assert_ne!(number, BUILT, "a mark is not a place");
        for cell in self.memory.write(&mut self.nodes, &self.places, number, width) {
            self.nodes.copy(from, cell);
        }
    }

    fn scramble(&mut self, number: u32, size: Option<u64>) {
        if is_unknown(number) {
            return self.scramble_escaped();
        }
        // Large or unknown sizes scramble the object at any offset.
        let exact = self.places.places[number as usize].offset.stride == 0;
        match size.filter(|&size| exact && size <= 256) {
            Some(size) => self.store(number, self.unknown, size),
            None => {
                let any = self.any_offset(number);
                self.store(any, self.unknown, 1);
            }
        }
    }

    pub(super) fn any_offset(&mut self, number: u32) -> u32 {
        let place = self.places.places[number as usize];
        self.places.number(Pointee { offset: Offset::ANY, ..place })
    }

    /// An object escapes: what it holds escapes, and unknown stores may change it.
    fn escape(&mut self, number: u32) {
        let object = self.places.places[number as usize].object;
        if std::mem::replace(&mut self.places.objects[object].escaped, true) {
            return;
        }
        assert!(!is_unknown(number), "what lies outside has escaped from the start");
        let any = self.any_offset(number);
        for cell in self.memory.read(&mut self.nodes, &self.places, any, 1) {
            self.nodes.copy(cell, self.outside);
        }
        if self.scrambled {
            self.store(any, self.unknown, 1);
        }
    }

    fn scramble_escaped(&mut self) {
        if std::mem::replace(&mut self.scrambled, true) {
            return;
        }
        for object in self.places.objects.ids() {
            if object.0 != 0 && self.places.objects[object].escaped {
                let any = self.places.number(Pointee { object, offset: Offset::ANY });
                self.store(any, self.unknown, 1);
            }
        }
    }

    /// A block copy meets a new place to write to or to read from.
    fn block_copy(&mut self, copy: u32, to: Option<u32>, from: Option<u32>) {
        /// Beyond this many pairs, bytes are not told apart by position.
        const MAX_PAIRS: usize = 2000;
        debug_assert!(to.is_some() != from.is_some(), "one side of a copy is new");
        if self.coarse_copies.contains(&copy) {
            return;
        }
        let BlockCopy { to: to_node, from: from_node, size } = self.block_copies[copy as usize];
        if self.nodes.set(from_node).len() * self.nodes.set(to_node).len() > MAX_PAIRS {
            return self.coarse_copy(copy);
        }
        let others: Vec<u32> = match (to, from) {
            (Some(_), _) => self.nodes.set(from_node).iter().filter(|&number| number != BUILT).collect(),
            (None, _) => self.nodes.set(to_node).iter().filter(|&number| number != BUILT).collect(),
        };
        for other in others {
            let (to, from) = (to.unwrap_or(other), from.unwrap_or(other));
            match (is_unknown(to), is_unknown(from)) {
                (true, true) => {}
                (true, false) => {
                    let any = self.any_offset(from);
                    self.load(any, self.stored_outside, 1);
                }
                (false, true) => self.scramble(to, size),
                (false, false) => {
                    let (to, from) = (self.places.places[to as usize], self.places.places[from as usize]);
                    self.memory.link(&mut self.nodes, &self.places, from, to, size);
                }
            }
        }
    }

    /// From now on, all that is read goes through one node to all that is written.
    pub(super) fn coarse_copy(&mut self, copy: u32) {
        if !self.coarse_copies.insert(copy) {
            return;
        }
        let BlockCopy { to, from, .. } = self.block_copies[copy as usize];
        let (middle, any_from, any_to) = (self.nodes.add(), self.nodes.add(), self.nodes.add());
        self.nodes.shift(&mut self.places, from, any_from, Move::by(Offset::ANY));
        self.nodes.shift(&mut self.places, to, any_to, Move::by(Offset::ANY));
        self.nodes.add_use(any_from, Use::Load { to: middle, width: 1 });
        self.nodes.add_use(any_to, Use::Store { from: middle, width: 1 });
    }
}
