//! What an engine went through on its way to an answer, for reports: plain data, locations and edges by their numbers.

use crate::Id;

/// More abstract states than this are counted, not kept.
const MOST_STATES: usize = 10_000;
/// More refinements than this are counted, not kept.
const MOST_REFINEMENTS: usize = 1_000;
/// Of one refinement, or of one list of what is tracked.
const MOST_ITEMS: usize = 2_000;

/// Something that an analysis tracks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tracked {
    /// The location where it is tracked; `None` where the text says it.
    pub location: Option<u32>,
    /// A variable, a predicate.
    pub what: String,
}

/// What one refinement did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refined {
    /// Steps of the path that it excluded.
    pub path: usize,
    /// What is tracked since.
    pub added: Vec<Tracked>,
}

/// A state of the last abstract reachability graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractState {
    /// Its number.
    pub id: u32,
    /// Where it is.
    pub location: u32,
    /// States with an edge to it.
    pub parents: Vec<(u32, u32)>,
    /// The state that covers it.
    pub covered_by: Option<u32>,
    /// What it knows, one line each.
    pub knows: Vec<String>,
}

/// The record of one engine. Nothing is recorded unless it is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trail {
    /// Whether it is wanted.
    pub wanted: bool,
    /// By the number of a location: whether it was reached.
    reached: Vec<bool>,
    /// What is tracked at the end.
    pub tracked: Vec<Tracked>,
    /// The refinements in order.
    pub refinements: Vec<Refined>,
    /// Refinements that were not kept.
    pub more_refinements: usize,
    /// The last abstract reachability graph, oldest states first.
    pub states: Vec<AbstractState>,
    /// States that were not kept.
    pub more_states: usize,
    added: Vec<Tracked>,
}

impl Trail {
    /// An empty one that is wanted.
    pub fn asked_for() -> Trail {
        Trail { wanted: true, ..Trail::default() }
    }

    /// Notes that a location was reached.
    pub fn reach(&mut self, location: impl Id) {
        if self.wanted {
            let at = location.index();
            if self.reached.len() <= at {
                self.reached.resize(at + 1, false);
            }
            self.reached[at] = true;
        }
    }

    /// Whether a location was reached.
    pub fn has_reached(&self, location: impl Id) -> bool {
        self.reached.get(location.index()).copied().unwrap_or(false)
    }

    /// Whether it is known which locations were reached.
    pub fn knows_coverage(&self) -> bool {
        self.reached.contains(&true)
    }

    /// Notes what the refinement at work adds.
    pub fn add(&mut self, location: Option<u32>, what: impl FnOnce() -> String) {
        if self.wanted && self.added.len() < MOST_ITEMS {
            self.added.push(Tracked { location, what: what() });
        }
    }

    /// Ends the refinement at work.
    pub fn refined(&mut self, path: usize) {
        let added = std::mem::take(&mut self.added);
        if !self.wanted || self.refinements.len() >= MOST_REFINEMENTS {
            self.more_refinements += usize::from(self.wanted);
            return;
        }
        self.refinements.push(Refined { path, added });
    }

    /// Notes what is tracked at the end.
    pub fn track(&mut self, location: Option<u32>, what: impl FnOnce() -> String) {
        if self.wanted && self.tracked.len() < MOST_ITEMS {
            self.tracked.push(Tracked { location, what: what() });
        }
    }

    /// Notes a state of the last graph.
    pub fn state(&mut self, state: impl FnOnce() -> AbstractState) {
        if !self.wanted || self.states.len() >= MOST_STATES {
            self.more_states += usize::from(self.wanted);
            return;
        }
        self.states.push(state());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::define_id!(
        /// A location.
        At,
        "l"
    );

    #[test]
    fn an_unwanted_record_stays_empty() {
        let mut trail = Trail::default();
        trail.reach(At(3));
        trail.add(None, || unreachable!("not wanted"));
        trail.refined(7);
        trail.state(|| unreachable!("not wanted"));
        assert_eq!(trail, Trail::default());
    }

    #[test]
    fn a_refinement_owns_what_was_added_before_it_ended() {
        let mut trail = Trail::asked_for();
        trail.reach(At(3));
        trail.add(Some(3), || "x".to_owned());
        trail.refined(7);
        trail.refined(8);
        let added: Vec<(usize, usize)> = trail.refinements.iter().map(|one| (one.path, one.added.len())).collect();
        assert_eq!(added, [(7, 1), (8, 0)]);
        assert!(trail.has_reached(At(3)) && !trail.has_reached(At(2)));
    }
}
