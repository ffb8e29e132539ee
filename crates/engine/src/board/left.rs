//! Values that a part leaves to later ones: hints of any type, which only the parts that leave and find them know.

use super::{Part, Trust};
use std::any::{Any, TypeId};
use std::collections::HashMap;

/// A value on the board.
pub trait Note: Clone + Send + Sync + 'static {
    /// What is left is a hint: where to start, not what holds.
    const TRUST: Trust = Trust::Hint;

    /// Which of two values counts: what stands there, or what comes now.
    fn prefer(_old: Self, new: Self) -> Self {
        new
    }
}

/// No error lies within this bound on the iterations of loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SafeBound(pub u32);

impl Note for SafeBound {
    fn prefer(old: Self, new: Self) -> Self {
        SafeBound(old.0.max(new.0))
    }
}

/// The bound at which an earlier run had its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sufficed(pub u32);

impl Note for Sufficed {}

/// Some part unrolls the program completely, or tried to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriedWhole;

impl Note for TriedWhole {}

/// By type, what counts, and what each part left last.
#[derive(Default)]
pub struct Left {
    notes: HashMap<TypeId, Notes>,
}

struct Notes {
    counts: Box<dyn Any + Send>,
    by_part: Vec<(Part, Box<dyn Any + Send>)>,
}

impl Left {
    pub fn leave<N: Note>(&mut self, part: Part, note: N) {
        let counts = match self.find::<N>() {
            Some(old) => N::prefer(old, note.clone()),
            None => note.clone(),
        };
        let new = || Notes { counts: Box::new(counts.clone()), by_part: Vec::new() };
        let notes = self.notes.entry(TypeId::of::<N>()).or_insert_with(new);
        notes.counts = Box::new(counts.clone());
        notes.by_part.retain(|(by, _)| *by != part);
        notes.by_part.push((part, Box::new(note)));
    }

    pub fn find<N: Note>(&self) -> Option<N> {
        self.notes.get(&TypeId::of::<N>())?.counts.downcast_ref::<N>().cloned()
    }

    pub fn left_by<N: Note>(&self, part: Part) -> Option<N> {
        let notes = self.notes.get(&TypeId::of::<N>())?;
        let (_, note) = notes.by_part.iter().find(|(by, _)| *by == part)?;
        note.downcast_ref::<N>().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Board;
    use super::*;

    #[test]
    fn the_largest_bound_and_the_last_value_count() {
        let all = Board::default();
        let (one, other) = (all.part(), all.part());
        assert_eq!(all.find::<SafeBound>(), None);
        one.leave(SafeBound(8));
        other.leave(SafeBound(4));
        assert_eq!(all.find(), Some(SafeBound(8)));
        assert_eq!(all.left_by(other.who()), Some(SafeBound(4)));
        one.leave(Sufficed(8));
        other.leave(Sufficed(4));
        assert_eq!(all.find(), Some(Sufficed(4)));
        assert_eq!(all.left_by::<Sufficed>(Part(9)), None);
    }
}
