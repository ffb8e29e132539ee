//! The Loop-Bound CPA 𝕃𝔹 [BDW18, section 4.1]: how often each loop head was visited on the way. γ of a state is
//! everything: it only ends paths, on purpose without a reason in the program, after `k` iterations of some loop.

use analysis::{Cpa, Filing, Step};
use base::Id;
use cfa::Node;
use flow::Prepared;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use verdict::Stop;

/// Visits of loop heads beyond the first; heads that were not visited at all have none.
pub type Counts = BTreeMap<Node, u32>;

/// The counts of one [`LoopBound`] by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Iterations(u32);

/// Counts iterations. Its precision is the bound `k`.
pub struct LoopBound {
    heads: Vec<bool>,
    all: Vec<Counts>,
    index: FxHashMap<Counts, Iterations>,
    /// Whether a path was ended.
    pub restricted: bool,
}

impl LoopBound {
    /// For the loops of a program.
    pub fn new(program: &Prepared) -> LoopBound {
        let loops = program.loops();
        let heads = program.nodes.ids().map(|node| loops.headed_by(node).is_some()).collect();
        LoopBound { heads, all: Vec::new(), index: FxHashMap::default(), restricted: false }
    }

    /// The counts of a state.
    pub fn counts(&self, state: Iterations) -> &Counts {
        &self.all[state.0 as usize]
    }

    fn intern(&mut self, counts: Counts) -> Iterations {
        if let Some(&known) = self.index.get(&counts) {
            return known;
        }
        let id = Iterations(self.all.len() as u32);
        self.all.push(counts.clone());
        self.index.insert(counts, id);
        id
    }
}

impl Cpa for LoopBound {
    type State = Iterations;
    type Precision = u32;
    const MERGES: bool = false;

    fn initial(&mut self) -> Iterations {
        self.intern(Counts::new())
    }

    fn post(&mut self, from: &Iterations, step: &Step, k: &u32, next: &mut Vec<Iterations>) -> Result<(), Stop> {
        if self.counts(*from).values().any(|visits| visits >= k) {
            self.restricted = true;
            return Ok(());
        }
        let mut state = *from;
        if self.heads[step.to.node.index()] {
            let mut counts = self.counts(state).clone();
            counts.entry(step.to.node).and_modify(|visits| *visits += 1).or_insert(0);
            state = self.intern(counts);
        }
        next.push(state);
        Ok(())
    }

    fn covers(&mut self, old: &Iterations, new: &Iterations) -> Result<bool, Stop> {
        Ok(old == new)
    }
}

impl Filing for LoopBound {
    fn key(&self, state: &Iterations) -> u64 {
        u64::from(state.0)
    }

    fn number(&self, _: u64) -> Option<u32> {
        None
    }

    fn covering_keys(&mut self, state: &Iterations, _: analysis::Place, keys: &mut Vec<u64>) {
        keys.push(self.key(state));
    }
}

analysis::without! { LoopBound: StepsOver, Settles, Watches, ForcesCover, Tells }

#[cfg(test)]
mod laws {
    //! The order is equality, and a step counts the head that it enters and nothing else, on all small counts.

    use super::*;
    use analysis::Stacks;

    const PROGRAM: &str = "start fn s() { x: int; n0: entry; n0 -> n1: skip; n1 -> n2: [x < 3]; n1 -> n3: [3 <= x];
        n2 -> n5: [x < 2]; n2 -> n1: [2 <= x]; n5 -> n2: x := x + 1; n3 -> n4: return; n4: exit; }";

    #[test]
    fn laws() {
        let program = Prepared::new(cfa::notation::read(PROGRAM).expect("a program"));
        let mut domain = LoopBound::new(&program);
        let heads: Vec<Node> = program.nodes.ids().filter(|node| domain.heads[node.index()]).collect();
        assert_eq!(heads, [Node(1), Node(2)]);
        let visits = [None, Some(0), Some(1), Some(2)];
        let mut states = Vec::new();
        for (a, b) in visits.iter().flat_map(|a| visits.iter().map(move |b| (a, b))) {
            let counts = heads.iter().copied().zip([a, b]).filter_map(|(head, &visits)| Some((head, visits?)));
            states.push(domain.intern(counts.collect()));
        }
        for (&a, &b) in states.iter().flat_map(|a| states.iter().map(move |b| (a, b))) {
            assert_eq!(domain.covers(&a, &b).expect("an answer"), a == b);
            assert_eq!(domain.key(&a) == domain.key(&b), a == b);
        }
        let (mut stacks, mut steps) = (Stacks::new(&program), Vec::new());
        for node in program.nodes.ids() {
            stacks.steps(&program, analysis::Place { node, stack: Stacks::EMPTY }, &mut steps);
        }
        for (state, k) in states.iter().flat_map(|&state| (1..4).map(move |k| (state, k))) {
            let before = domain.counts(state).clone();
            for step in &steps {
                let mut next = Vec::new();
                domain.post(&state, step, &k, &mut next).expect("counting does not stop");
                let full = before.values().any(|&visits| visits >= k);
                assert_eq!(next.len(), usize::from(!full));
                for after in next {
                    let mut expected = before.clone();
                    if heads.contains(&step.to.node) {
                        expected.insert(step.to.node, before.get(&step.to.node).map_or(0, |visits| visits + 1));
                    }
                    assert_eq!(*domain.counts(after), expected);
                }
            }
        }
    }
}
