//! The crowd: where pointers lead to so many places that telling them apart would cost more than it tells, they are one
//! node. Merging nodes only makes sets larger, so every answer stays right. The crowd holds whole objects, so adding an
//! offset changes nothing; all that is read through its pointers comes from one node, and all that is written goes to one.
//! Whatever the crowd flows to holds as many places and joins, so that the rest of the graph has small sets, and the
//! work is nearly linear in the size of the program.

use super::nodes::{N, Use};
use super::pointee::{BUILT, ObjectKind, UNKNOWN, UNKNOWN_INT};
use super::solver::{Caller, Solver, is_unknown};

/// The crowd.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// Nodes that hold more places join.
    most: usize,
    /// Holds all places.
    node: N,
    /// Holds what is read there.
    read: N,
    /// Holds what is written there.
    write: N,
}

impl Solver {
    /// From now on, nodes that hold more than this many places are one.
    pub fn crowd_beyond(&mut self, most: usize) {
        let (node, read, write) = (self.nodes.add(), self.nodes.add(), self.nodes.add());
        self.nodes.put_use(node, Use::Crowd);
        self.nodes.crowd = Some(node);
        self.crowd = Some(Crowd { most, node, read, write });
    }

    /// Has nodes that are large by now join; whether there were any.
    pub(super) fn gather(&mut self, program: &mut impl Caller) -> bool {
        let Some(Crowd { most, node, .. }) = self.crowd else { return false };
        let crowd = self.nodes.find(node);
        // A cycle of plain edges brought others in, with uses of their own.
        let mut uses = self.nodes.take_uses(crowd);
        self.nodes.put_use(crowd, Use::Crowd);
        uses.retain(|what| match what {
            Use::Crowd => false,
            Use::Call(_) | Use::Escape | Use::StoredOutside => {
                self.nodes.put_use(crowd, *what);
                false
            }
            Use::Load { .. } | Use::Store { .. } | Use::CopyTo(_) | Use::CopyFrom(_) | Use::Scramble { .. } => true,
        });
        let mut any = !uses.is_empty();
        // These hold what they are made for, whatever the program does.
        let own = [self.unknown, self.unknown_int, self.built, self.outside, self.stored_outside, crowd];
        for member in self.nodes.larger_than(most) {
            if !own.contains(&member) {
                any = true;
                uses.extend(self.nodes.join(crowd, member));
            }
        }
        for what in uses {
            self.use_crowd(program, crowd, what);
        }
        any
    }

    /// Does with the places of the crowd, at any offset, what is done with a member's places.
    pub(super) fn use_crowd(&mut self, program: &mut impl Caller, root: N, what: Use) {
        let Some(Crowd { read, write, .. }) = self.crowd else { return };
        match what {
            Use::Load { to, .. } => self.nodes.copy(read, to),
            Use::Store { from, .. } => self.nodes.copy(from, write),
            Use::Scramble { .. } => self.nodes.copy(self.unknown, write),
            Use::CopyTo(copy) | Use::CopyFrom(copy) => self.coarse_copy(copy),
            Use::Call(_) | Use::Escape | Use::StoredOutside => self.apply_to_all(program, root, what),
            Use::Crowd => {}
        }
    }

    /// The crowd has a new place: then it has the whole object, and what is in it.
    pub(super) fn crowd_place(&mut self, number: u32) {
        let Some(Crowd { node, read, write, .. }) = self.crowd else { return };
        debug_assert_ne!(number, BUILT, "uses leave it out");
        if is_unknown(number) {
            // Casts of members, which are plain by now, make pointers of integers.
            if number == UNKNOWN_INT {
                self.nodes.insert(node, UNKNOWN);
            }
            self.nodes.insert(read, UNKNOWN);
            return self.nodes.copy(write, self.stored_outside);
        }
        let object = self.places.places[number as usize].object;
        match self.places.objects[object].kind {
            ObjectKind::Function(_) | ObjectKind::Unknown => {}
            ObjectKind::Variable(_) | ObjectKind::Allocation(_) => {
                let any = self.any_offset(number);
                self.nodes.insert(node, any);
                self.load(any, read, 1);
                self.store(any, write, 1);
            }
        }
    }
}
