//! Reachability over sets of states: the CPA algorithm of [BS12, Alg. 1] with merge = join, so that there is one set
//! per location and call stack, and only what is new travels on [CBM90].
//!
//! 1. Take the waiting place that lies deepest in calls and first in the order of the automaton.
//! 2. Whatever waits there and was not reached before becomes a ring; 3. its successors wait at their places.
//! 4. A ring at a target is walked back ring by ring to the start, then forward choosing one state at each
//!    step: the choices of an execution.

use crate::from_model::confirm;
use analysis::sets::SetDomain;
use analysis::{Move, Place, Ranks, Stacks, Step};
use base::{Cancel, Counters};
use cfa::{ExprId, Node, Op, Program};
use semantics::choices::Choices;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use verdict::{Proof, Stop, Verdict};

/// Deeper calls first, so that a callee is done before its caller goes on; then the order of the automaton.
type Key = (Reverse<u32>, u32, Place);

/// Sets that lead here: which ring, by which step.
type Origins = Vec<(usize, Step)>;

/// New states at a place, and where they may come from.
struct Ring<S> {
    place: Place,
    set: S,
    from: Origins,
}

/// What the exploration found.
pub enum Outcome<S> {
    /// No target is reachable; the sets at every place.
    Unreachable(HashMap<Place, S>, Stacks),
    /// An abstract path to a target.
    Path {
        /// The steps.
        steps: Vec<Step>,
        /// The value for every `Havoc` on it, in order.
        havocs: Vec<u128>,
    },
}

/// Explores all states of the program.
pub fn explore<D: SetDomain>(
    program: &Program,
    domain: &mut D,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Outcome<D::Set>, Stop> {
    let mut search = Search {
        program,
        ranks: Ranks::new(program),
        stacks: Stacks::new(program),
        reached: HashMap::new(),
        waiting: BTreeMap::new(),
        rings: Vec::new(),
    };
    let start = search.stacks.start(program);
    search.waiting.insert(search.key(start), (domain.initial(), Vec::new()));
    while let Some(((_, _, place), (set, from))) = search.waiting.pop_first() {
        cancel.check()?; // 1
        let reached = search.reached.get(&place);
        let fresh = reached.map_or(Ok(set.clone()), |old| domain.minus(&set, old))?;
        if domain.is_empty(&fresh) {
            continue;
        }
        let all = reached.map_or(Ok(fresh.clone()), |old| domain.join(old, &fresh))?;
        search.reached.insert(place, all);
        search.rings.push(Ring { place, set: fresh, from }); // 2
        if program.target_at(place.node).is_some() {
            search.count(counters);
            return search.path(domain); // 4
        }
        search.expand(domain)?; // 3
    }
    search.count(counters);
    Ok(Outcome::Unreachable(search.reached, search.stacks))
}

/// Explores, checks what was found, and answers. A path that the interpreter cannot follow refines the domain.
pub fn verify<D: SetDomain>(program: &Program, domain: &mut D, cancel: &Cancel, counters: &mut Counters) -> Verdict {
    loop {
        let (steps, havocs) = match explore(program, domain, cancel, counters) {
            Ok(Outcome::Unreachable(reached, stacks)) => {
                return prove(program, domain, reached, stacks, cancel).map_or_else(Verdict::Unknown, Verdict::Safe);
            }
            Ok(Outcome::Path { steps, havocs }) => (steps, havocs),
            Err(stop) => return Verdict::Unknown(stop),
        };
        let verdict = confirm(program, &Choices { havocs, ..Choices::default() }, cancel);
        if !matches!(verdict, Verdict::Unknown(Stop::Undecided { .. })) {
            return verdict;
        }
        counters.add("refinements", 1);
        match domain.refine(program, &steps) {
            Ok(true) => {}
            Ok(false) => return verdict,
            Err(stop) => return Verdict::Unknown(stop),
        }
    }
}

/// Every step from every set leads into the set behind it, and the start is inside.
fn prove<D: SetDomain>(
    program: &Program,
    domain: &mut D,
    reached: HashMap<Place, D::Set>,
    mut stacks: Stacks,
    cancel: &Cancel,
) -> Result<Proof, Stop> {
    let failed = |node: Node| Stop::Evidence(format!("the reached sets are not inductive at {node}"));
    let start = stacks.start(program);
    let outside = |domain: &D, place: &Place, set: &D::Set| match reached.get(place) {
        Some(known) => domain.minus(set, known),
        None => Ok(set.clone()),
    };
    if !domain.is_empty(&outside(domain, &start, &domain.initial())?) {
        return Err(failed(start.node));
    }
    let mut steps = Vec::new();
    let mut heads: BTreeMap<Node, D::Set> = BTreeMap::new();
    for (place, set) in &reached {
        cancel.check()?;
        if program.target_at(place.node).is_some() {
            return Err(failed(place.node));
        }
        stacks.steps(program, *place, &mut steps);
        for step in steps.drain(..) {
            let image = domain.post(program, &step, set)?;
            if !domain.is_empty(&outside(domain, &step.to, &image)?) {
                return Err(failed(step.to.node));
            }
        }
        if program.nodes[place.node].loop_head {
            let joined = heads.get(&place.node).map_or(Ok(set.clone()), |other| domain.join(other, set))?;
            heads.insert(place.node, joined);
        }
    }
    let mut exprs = program.exprs.clone();
    let unreached = program.nodes.iter().filter(|(node, info)| info.loop_head && !heads.contains_key(node));
    let mut invariants: Vec<(Node, ExprId)> = unreached.map(|(node, _)| (node, exprs.bool(false))).collect();
    for (node, set) in &heads {
        invariants.push((*node, domain.invariant(program, &mut exprs, set)));
    }
    invariants.sort_unstable();
    let checked = "The successors of every reached set were recomputed and lie in the reached sets.".to_owned();
    Ok(Proof { exprs, invariants, checked })
}

struct Search<'p, S> {
    program: &'p Program,
    ranks: Ranks,
    stacks: Stacks,
    reached: HashMap<Place, S>,
    waiting: BTreeMap<Key, (S, Origins)>,
    rings: Vec<Ring<S>>,
}

impl<S: Clone + PartialEq> Search<'_, S> {
    fn count(&self, counters: &mut Counters) {
        counters.add("rings", self.rings.len() as u64);
        counters.add("reached", self.reached.len() as u64);
    }

    fn key(&self, place: Place) -> Key {
        (Reverse(self.stacks.height(place.stack)), self.ranks.of(place.node), place)
    }

    /// Sends the last ring on.
    fn expand<D: SetDomain<Set = S>>(&mut self, domain: &mut D) -> Result<(), Stop> {
        let index = self.rings.len() - 1;
        let set = self.rings[index].set.clone();
        let mut steps = Vec::new();
        self.stacks.steps(self.program, self.rings[index].place, &mut steps);
        for step in steps {
            self.refuse(&step)?;
            let image = domain.post(self.program, &step, &set)?;
            if domain.is_empty(&image) {
                continue;
            }
            let key = self.key(step.to);
            match self.waiting.get_mut(&key) {
                Some((waiting, from)) => {
                    *waiting = domain.join(waiting, &image)?;
                    from.push((index, step));
                }
                None => {
                    self.waiting.insert(key, (image, vec![(index, step)]));
                }
            }
        }
        Ok(())
    }

    /// What ends the analysis: C that is not modelled, and recursion, since a variable exists only once here.
    fn refuse(&self, step: &Step) -> Result<(), Stop> {
        let edge = &self.program.edges[step.edge];
        let what = match &edge.op {
            Op::Unsupported(what) => self.program.text(*what).to_owned(),
            Op::CallPointer { .. } => "call through a pointer".to_owned(),
            _ if step.to_depth > 0 => "recursion in the BDD analysis".to_owned(),
            _ => return Ok(()),
        };
        Err(Stop::Unsupported { what, span: edge.span })
    }

    /// From the last ring back to the first, then forward with one state.
    fn path<D: SetDomain<Set = S>>(&self, domain: &mut D) -> Result<Outcome<S>, Stop> {
        let mut at = self.rings.len() - 1;
        let mut goal = self.rings[at].set.clone();
        let mut back: Vec<(Step, S)> = Vec::new();
        while !self.rings[at].from.is_empty() {
            let (previous, step, sources) = self.origin(domain, at, &goal)?;
            back.push((step, goal));
            (at, goal) = (previous, sources);
        }
        let mut element = domain.pick(&goal)?;
        let mut steps = Vec::with_capacity(back.len());
        let mut havocs = Vec::new();
        for (step, goal) in back.into_iter().rev() {
            let image = domain.post(self.program, &step, &element)?;
            element = domain.pick(&domain.meet(&image, &goal)?)?;
            if let (Move::Edge, Op::Havoc(var, _)) = (step.kind, &self.program.edges[step.edge].op) {
                havocs.push(domain.example(self.program, &element, *var));
            }
            steps.push(step);
        }
        Ok(Outcome::Path { steps, havocs })
    }

    /// A ring and a step from it into `goal`, and the states there that it leads from.
    fn origin<D: SetDomain<Set = S>>(&self, domain: &mut D, at: usize, goal: &S) -> Result<(usize, Step, S), Stop> {
        for &(previous, step) in &self.rings[at].from {
            let sources = domain.pre(self.program, &step, goal)?;
            let sources = domain.meet(&sources, &self.rings[previous].set)?;
            if !domain.is_empty(&sources) {
                return Ok((previous, step, sources));
            }
        }
        Err(Stop::Evidence("a set of states without predecessor".to_owned()))
    }
}
