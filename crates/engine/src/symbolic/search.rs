//! The search behind [`super::verify`]: sets at places, one per value state, and only what is new travels on [CBM90].
//!
//! 1. Take the waiting place that lies deepest in calls and first in the order of the automaton.
//! 2. Whatever waits there and was not reached before becomes a ring; 3. its successors wait at their places.
//! 4. A ring at a target is walked back ring by ring to the start, then forward choosing one state at each
//!    step: the choices of an execution.

use super::Recursion;
use super::images::{Images, Passed};
use analysis::sets::SetDomain;
use analysis::{Beside, Mixed, Move, Place, Ranks, Stacks, Step, Successor, is_connected};
use base::{Cancel, Counters, Live};
use cfa::Op;
use flow::Prepared;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use verdict::{Goals, Stop};

/// Less recursion first, since it may have no end; then deeper calls, so that a callee is done before its caller goes
/// on; then the order of the automaton.
type Key = (u32, Reverse<u32>, u32, Place, u64);

/// Where a set stems from.
struct Origin<V, S> {
    ring: usize,
    /// The last step of the branch that leads here from the ring.
    step: Step,
    /// What was known before the step.
    known: V,
    /// The part of the ring that led here.
    part: S,
    /// What it led to.
    image: S,
}

/// New states at a place, and where they may come from.
struct Ring<V, S> {
    place: Place,
    state: V,
    set: S,
    from: Vec<Origin<V, S>>,
}

struct Waiting<V, S> {
    state: V,
    set: S,
    from: Vec<Origin<V, S>>,
}

/// An abstract path to a target, or to C that is not modelled.
pub struct Path {
    /// The steps.
    pub steps: Vec<Step>,
    /// The value for every `Havoc` on it, in order, where the sets tell.
    pub havocs: Vec<Option<u128>>,
}

/// All sets that were reached: by place and by the key of the value state.
pub type ReachedSets<V, S> = HashMap<(Place, u64), (V, S)>;

/// A search at work.
pub struct Search<'a, C: Beside, D: SetDomain> {
    program: &'a Prepared,
    pub(super) mixed: &'a mut Mixed<C, D>,
    pub(super) precision: &'a mut C::Precision,
    recursion: Recursion,
    pub(super) passed: Passed,
    ranks: Ranks,
    pub(super) stacks: Stacks,
    pub(super) reached: ReachedSets<C::State, D::Set>,
    waiting: BTreeMap<Key, Waiting<C::State, D::Set>>,
    rings: Vec<Ring<C::State, D::Set>>,
}

impl<'a, C: Beside, D: SetDomain> Search<'a, C, D> {
    /// All that the program may start with waits.
    pub fn new(
        program: &'a Prepared,
        mixed: &'a mut Mixed<C, D>,
        precision: &'a mut C::Precision,
        recursion: Recursion,
        images: Images,
    ) -> Result<Self, Stop> {
        let mut search = Search {
            program,
            mixed,
            precision,
            recursion,
            passed: Passed::new(program, images),
            ranks: Ranks::new(program),
            stacks: Stacks::new(program),
            reached: HashMap::new(),
            waiting: BTreeMap::new(),
            rings: Vec::new(),
        };
        let start = search.stacks.start(program);
        let initial = search.mixed.values.initial();
        if let Some(state) = search.mixed.values.adjust(initial, start, search.precision)? {
            let key = search.key(start, &state);
            let set = search.mixed.sets.initial();
            search.waiting.insert(key, Waiting { state, set, from: Vec::new() });
        }
        Ok(search)
    }

    /// Goes on until a target is reached that is asked about; `None` if everything was explored.
    pub fn run(&mut self, goals: &Goals, cancel: &Cancel, live: &Live) -> Result<Option<Path>, Stop> {
        while let Some(((_, _, _, place, key), waiting)) = self.waiting.pop_first() {
            cancel.check()?; // 1
            live.reached(self.reached.len() as u64);
            let fresh = self.fresh(place, &waiting.state, waiting.set)?;
            if self.mixed.sets.is_empty(&fresh) {
                continue;
            }
            let all = match self.reached.get(&(place, key)) {
                Some((_, old)) => self.mixed.sets.join(old, &fresh)?,
                None => fresh.clone(),
            };
            self.reached.insert((place, key), (waiting.state, all));
            self.mixed.values.filed(&waiting.state, place);
            self.rings.push(Ring { place, state: waiting.state, set: fresh, from: waiting.from }); // 2
            if goals.is_open(place.node) {
                return self.path().map(Some); // 4
            }
            if self.expand()? {
                return self.path().map(Some);
            }
        }
        Ok(None)
    }

    /// Notes how much was done.
    pub fn count(&self, counters: &mut Counters) {
        for (place, _) in self.reached.keys() {
            counters.trail.reach(place.node);
        }
        counters.add("rings", self.rings.len() as u64);
        counters.max("reached sets", self.reached.len() as u64);
    }

    fn key(&self, place: Place, state: &C::State) -> Key {
        let (recursion, height) = (self.stacks.recursion(place.stack), Reverse(self.stacks.height(place.stack)));
        (recursion, height, self.ranks.of(place.node), place, self.mixed.values.key(state))
    }

    /// What no reached state covers.
    fn fresh(&mut self, place: Place, state: &C::State, set: D::Set) -> Result<D::Set, Stop> {
        outside(self.mixed, &self.reached, place, state, set)
    }

    /// 3: sends the last ring on; whether it leads to C that is not modelled, which is then the last ring.
    fn expand(&mut self) -> Result<bool, Stop> {
        let index = self.rings.len() - 1;
        let (place, state, set) = (self.rings[index].place, self.rings[index].state, self.rings[index].set.clone());
        let mut next = Vec::new();
        let Self { program, mixed, precision, stacks, .. } = self;
        self.passed.successors(program, mixed, precision, stacks, (place, state, &set), &mut next)?;
        for (step, successor) in next {
            self.refuse(&step)?;
            let Successor { state, set, known, part } = successor;
            let origin = Origin { ring: index, step, known, part, image: set.clone() };
            if let Op::Unsupported(_) = self.program.edges[step.edge].op {
                self.rings.push(Ring { place: step.to, state, set, from: vec![origin] });
                return Ok(true);
            }
            self.wait(step.to, state, set, origin)?;
        }
        Ok(false)
    }

    fn wait(
        &mut self,
        place: Place,
        state: C::State,
        set: D::Set,
        origin: Origin<C::State, D::Set>,
    ) -> Result<(), Stop> {
        let key = self.key(place, &state);
        match self.waiting.get_mut(&key) {
            Some(waiting) => {
                waiting.set = self.mixed.sets.join(&waiting.set, &set)?;
                waiting.from.push(origin);
            }
            None => {
                self.waiting.insert(key, Waiting { state, set, from: vec![origin] });
            }
        }
        Ok(())
    }

    /// What ends the analysis.
    fn refuse(&self, step: &Step) -> Result<(), Stop> {
        let edge = &self.program.edges[step.edge];
        let what = match &edge.op {
            Op::CallPointer { .. } => "call through a pointer".to_owned(),
            _ if step.to_depth > 0 && self.recursion == Recursion::Refuse => "recursion in the BDD analysis".to_owned(),
            _ => return Ok(()),
        };
        Err(Stop::Unsupported { what, span: edge.span })
    }

    /// 4: from the last ring back to the first, then forward with one state.
    fn path(&mut self) -> Result<Path, Stop> {
        let mut at = self.rings.len() - 1;
        let mut goal = self.rings[at].set.clone();
        let mut back: Vec<(Vec<Step>, C::State, D::Set)> = Vec::new();
        while !self.rings[at].from.is_empty() {
            let origin = self.origin(at, &goal)?;
            let Origin { ring, step, known, part, image } = &self.rings[at].from[origin];
            goal = self.mixed.sets.meet(&goal, image)?;
            let branch = self.passed.branch(self.program, &self.stacks, self.rings[*ring].place.node, step);
            for piece in self.passed.pieces(self.program, branch).into_iter().rev() {
                let sources = self.mixed.preimage(self.program, &piece, known, &goal)?;
                back.push((piece, *known, goal));
                goal = sources;
            }
            assert!(*ring < at, "a ring comes from an earlier one");
            goal = self.mixed.sets.meet(&goal, part)?;
            at = *ring;
        }
        assert_eq!(self.rings[at].place, self.stacks.start(self.program), "only the start comes from nowhere");
        debug_assert!(!self.mixed.sets.is_empty(&goal), "some state at the start leads to the target");
        let mut element = self.mixed.sets.pick(&goal)?;
        let mut path = Path { steps: Vec::with_capacity(back.len()), havocs: Vec::new() };
        for (piece, known, goal) in back.into_iter().rev() {
            let image = self.mixed.image(self.program, &piece, &known, &element)?;
            element = self.mixed.sets.pick(&self.mixed.sets.meet(&image, &goal)?)?;
            let last = piece[piece.len() - 1];
            if let (Move::Edge, Op::Havoc(var, _)) = (last.kind, &self.program.edges[last.edge].op) {
                path.havocs.push(self.mixed.sets.example(self.program, &element, *var));
            }
            path.steps.extend(piece);
        }
        debug_assert!(is_connected(&path.steps), "branches follow each other");
        Ok(path)
    }

    /// An origin of a ring that led into `goal`.
    fn origin(&self, at: usize, goal: &D::Set) -> Result<usize, Stop> {
        for (index, origin) in self.rings[at].from.iter().enumerate() {
            if !self.mixed.sets.is_empty(&self.mixed.sets.meet(&origin.image, goal)?) {
                return Ok(index);
            }
        }
        Err(Stop::Evidence("a set of states without predecessor".to_owned()))
    }
}

/// What is in a set at a place and in no reached set that covers its value state.
pub fn outside<C: Beside, D: SetDomain>(
    mixed: &mut Mixed<C, D>,
    reached: &ReachedSets<C::State, D::Set>,
    place: Place,
    state: &C::State,
    mut set: D::Set,
) -> Result<D::Set, Stop> {
    let mut keys = Vec::new();
    mixed.values.covering_keys(state, place, &mut keys);
    for key in keys {
        if let Some((old, known)) = reached.get(&(place, key))
            && mixed.values.covers(old, state)?
        {
            set = mixed.sets.minus(&set, known)?;
        }
    }
    Ok(set)
}
