//! IMPACT refinement and forced covering [BDW18, sections 3.2.4 and 3.3; McM06].

use super::Search;
use super::art::ArtId;
use encode::Chain;
use smt::TermId;
use verdict::Stop;

/// How many states are tried for forced covering: the oldest are the most general.
const MOST_CANDIDATES: usize = 8;

impl Search<'_, '_> {
    /// Conjoins facts to the states of a path. States that one of them covered are looked at again, states that became
    /// false are removed, and states that became stronger may be covered now.
    pub(super) fn strengthen(&mut self, path: &[ArtId], facts: &[TermId]) -> Result<(), Stop> {
        let mut stronger = Vec::new();
        for (&state, &fact) in path.iter().zip(facts) {
            let psi = self.art.psi(state);
            if self.entails(psi, fact)? {
                continue;
            }
            let new = self.encoder.terms.and([psi, fact]);
            self.art.set_psi(state, new);
            stronger.push(state);
            for covered in self.art.covers(state) {
                let theirs = self.art.psi(covered);
                if !self.entails(theirs, new)? {
                    self.art.uncover(covered);
                }
            }
        }
        for state in stronger {
            if self.art.is_removed(state) {
                continue;
            }
            let psi = self.art.psi(state);
            if !self.satisfiable(&[psi])? {
                self.art.remove(state);
            } else if self.art.is_open(state) {
                self.cover(state)?;
            }
        }
        Ok(())
    }

    /// fcover: a state is covered by an older one e' if ψ' holds at its end of the path from their nearest common
    /// ancestor; the states between are strengthened by interpolants of that proof.
    pub(super) fn force_cover(&mut self, state: ArtId) -> Result<bool, Stop> {
        let candidates = self.art.candidates(state);
        for &by in candidates.iter().take(MOST_CANDIDATES) {
            let goal = self.art.psi(by);
            if self.encoder.terms.as_bool(goal) == Some(true) {
                self.art.cover(state, by);
                return Ok(true);
            }
            let ancestor = self.common_ancestor(state, by);
            let path = self.art.path(state);
            let below: Vec<ArtId> = path.iter().copied().skip_while(|&above| above != ancestor).skip(1).collect();
            let chain = self.cover_chain(ancestor, &below, goal)?;
            if self.satisfiable(&chain.groups)? {
                continue;
            }
            let Ok(sequence) = self.interpolants(&chain.groups) else { continue };
            // τ after each block: group 0 is what is known of the ancestor.
            let facts: Vec<TermId> =
                sequence[2..below.len() + 1].iter().map(|&fact| self.encoder.at_start(fact)).collect();
            self.counters.add("forced coverings", 1);
            self.strengthen(&below[..below.len() - 1], &facts)?;
            if self.art.is_removed(state) || !self.art.is_open(state) {
                return Ok(true);
            }
            let psi = self.art.psi(state);
            let new = self.encoder.terms.and([psi, goal]);
            self.art.set_psi(state, new);
            if self.art.is_open(by) && !self.art.is_removed(by) {
                let (mine, theirs) = (self.art.psi(state), self.art.psi(by));
                if self.entails(mine, theirs)? {
                    self.art.cover(state, by);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn common_ancestor(&self, a: ArtId, b: ArtId) -> ArtId {
        let (a, b) = (self.art.path(a), self.art.path(b));
        let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
        a[shared - 1]
    }

    /// ψ of the ancestor, the blocks below it, and that the goal does not hold at the end.
    fn cover_chain(&mut self, ancestor: ArtId, below: &[ArtId], goal: TermId) -> Result<Chain, Stop> {
        let psi = self.known(ancestor);
        let mut chain = Chain::from_place(&mut self.encoder, psi);
        let mut before = ancestor;
        for &state in below {
            let blocks = self.blocks_of(before)?;
            let (_, at) = self.art.parent(state).expect("states below others have parents");
            chain.push(&mut self.encoder, &blocks, &blocks.next[at]);
            let fact = self.fact(state);
            chain.assume(&mut self.encoder, fact);
            before = state;
        }
        let holds = chain.here(&mut self.encoder, goal);
        let fails = self.encoder.terms.not(holds);
        chain.groups.push(fails);
        if self.art.place(ancestor).is_none() {
            chain.ground(&mut self.encoder);
        }
        Ok(chain)
    }
}
