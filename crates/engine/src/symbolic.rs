//! Reachability over sets of states: the CPA algorithm of [BS13, Alg. 1] with merge = join, so that there is one set
//! per location and call stack, and only what is new travels on [CBM90].
//!
//! 1. Take the waiting location that lies deepest in calls and first in the order of the automaton.
//! 2. Whatever waits there and was not reached before becomes a ring; 3. its successors wait at their locations.
//! 4. A non-empty set at a target is walked back ring by ring to the start, then forward choosing one state at each
//!    step: the choices of an execution.

use analysis::sets::{SetDomain, Step};
use base::{Cancel, Counters};
use cfa::{EdgeId, Node, Op, Program};
use std::collections::{BTreeMap, HashMap};
use verdict::Stop;

/// A node under a stack of calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Place {
    /// Calls above: deeper ones go first, so that a callee is done before its caller goes on.
    depth: std::cmp::Reverse<u32>,
    stack: u32,
    rank: u32,
    node: Node,
}

/// New states at a place, and where they may come from.
struct Ring<S> {
    place: Place,
    set: S,
    from: Vec<(usize, Step)>,
}

/// What waits at a place.
struct Waiting<S> {
    set: S,
    from: Vec<(usize, Step)>,
}

/// What the exploration found.
pub enum Outcome<S> {
    /// No target is reachable; the sets at every location, joined over call stacks.
    Unreachable(BTreeMap<Node, S>),
    /// An abstract path to a target.
    Path {
        /// The steps.
        steps: Vec<Step>,
        /// The value for every `Havoc` on it, in order.
        havocs: Vec<u128>,
    },
}

/// Explores all states.
pub fn explore<D: SetDomain>(
    program: &Program,
    ranks: &dyn Fn(Node) -> u32,
    domain: &mut D,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Outcome<D::Set>, Stop> {
    let mut search = Search {
        program,
        ranks,
        stacks: vec![None],
        stack_ids: HashMap::new(),
        reached: HashMap::new(),
        waiting: BTreeMap::new(),
        rings: Vec::new(),
    };
    let entry = program.functions[program.entry].entry;
    let place = search.place(entry, 0);
    search.waiting.insert(place, Waiting { set: domain.initial(), from: Vec::new() });
    while let Some((place, waiting)) = search.waiting.pop_first() {
        cancel.check()?; // 1
        counters.add("rings", 1);
        let reached = search.reached.get(&place);
        let fresh = reached.map_or(Ok(waiting.set.clone()), |old| domain.minus(&waiting.set, old))?;
        if domain.is_empty(&fresh) {
            continue;
        }
        let all = reached.map_or(Ok(fresh.clone()), |old| domain.join(old, &fresh))?;
        search.reached.insert(place, all);
        search.rings.push(Ring { place, set: fresh, from: waiting.from }); // 2
        if program.target_at(place.node).is_some() {
            counters.add("locations", search.reached.len() as u64);
            return search.path(domain); // 4
        }
        search.expand(domain)?; // 3
    }
    counters.add("locations", search.reached.len() as u64);
    let mut sets: BTreeMap<Node, D::Set> = BTreeMap::new();
    for (place, set) in search.reached {
        let joined = sets.get(&place.node).map_or(Ok(set.clone()), |other| domain.join(other, &set))?;
        sets.insert(place.node, joined);
    }
    Ok(Outcome::Unreachable(sets))
}

struct Search<'p, S> {
    program: &'p Program,
    ranks: &'p dyn Fn(Node) -> u32,
    /// Each stack but the empty one is a call edge on top of another stack.
    stacks: Vec<Option<(u32, EdgeId, u32)>>,
    stack_ids: HashMap<(u32, EdgeId), u32>,
    reached: HashMap<Place, S>,
    waiting: BTreeMap<Place, Waiting<S>>,
    rings: Vec<Ring<S>>,
}

impl<S: Clone + PartialEq> Search<'_, S> {
    fn place(&self, node: Node, stack: u32) -> Place {
        let depth = self.stacks[stack as usize].map_or(0, |(_, _, depth)| depth);
        Place { depth: std::cmp::Reverse(depth), stack, rank: (self.ranks)(node), node }
    }

    fn push(&mut self, stack: u32, call: EdgeId) -> u32 {
        let depth = self.stacks[stack as usize].map_or(0, |(_, _, depth)| depth) + 1;
        let next = self.stacks.len() as u32;
        let id = *self.stack_ids.entry((stack, call)).or_insert(next);
        if id == next {
            self.stacks.push(Some((stack, call, depth)));
        }
        id
    }

    /// Whether the function that `call` is in, or calls, is already active: its variables exist only once here.
    fn is_recursive(&self, stack: u32, call: EdgeId) -> bool {
        let Op::Call { function, .. } = &self.program.edges[call].op else { return false };
        let mut at = Some(stack);
        if self.program.nodes[self.program.edges[call].from].function == *function {
            return true;
        }
        while let Some((below, edge, _)) = at.and_then(|stack| self.stacks[stack as usize]) {
            if self.program.nodes[self.program.edges[edge].from].function == *function {
                return true;
            }
            at = Some(below);
        }
        false
    }

    /// Sends the last ring on.
    fn expand<D: SetDomain<Set = S>>(&mut self, domain: &mut D) -> Result<(), Stop> {
        let index = self.rings.len() - 1;
        let Ring { place, set, .. } = &self.rings[index];
        let (place, set) = (*place, set.clone());
        let program = self.program;
        let function = &program.functions[program.nodes[place.node].function];
        if place.node == function.exit
            && let Some((below, call, _)) = self.stacks[place.stack as usize]
        {
            let next = self.place(program.edges[call].to, below);
            return self.send(domain, index, &set, Step::Leave(call), next);
        }
        for edge in program.leaving(place.node) {
            let to = program.edges[edge].to;
            match &program.edges[edge].op {
                Op::Unsupported(what) => {
                    let span = program.edges[edge].span;
                    return Err(Stop::Unsupported { what: program.text(*what).to_owned(), span });
                }
                Op::CallPointer { .. } => {
                    let span = program.edges[edge].span;
                    return Err(Stop::Unsupported { what: "call through a pointer".to_owned(), span });
                }
                Op::Halt(_) => {}
                Op::Call { function, .. } => {
                    if self.is_recursive(place.stack, edge) {
                        let span = program.edges[edge].span;
                        return Err(Stop::Unsupported { what: "recursion in the BDD analysis".to_owned(), span });
                    }
                    let stack = self.push(place.stack, edge);
                    let next = self.place(program.functions[*function].entry, stack);
                    self.send(domain, index, &set, Step::Enter(edge), next)?;
                }
                Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) => {
                    self.send(domain, index, &set, Step::Edge(edge), self.place(to, place.stack))?;
                }
                Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => {
                    self.send(domain, index, &set, Step::Edge(edge), self.place(to, place.stack))?;
                }
                Op::Allocate { .. } | Op::Free(_) | Op::Return(_) | Op::Library { .. } => {
                    self.send(domain, index, &set, Step::Edge(edge), self.place(to, place.stack))?;
                }
            }
        }
        Ok(())
    }

    fn send<D: SetDomain<Set = S>>(
        &mut self,
        domain: &mut D,
        from: usize,
        set: &S,
        step: Step,
        to: Place,
    ) -> Result<(), Stop> {
        let image = domain.post(self.program, step, set)?;
        if domain.is_empty(&image) {
            return Ok(());
        }
        match self.waiting.get_mut(&to) {
            Some(waiting) => {
                waiting.set = domain.join(&waiting.set, &image)?;
                waiting.from.push((from, step));
            }
            None => {
                self.waiting.insert(to, Waiting { set: image, from: vec![(from, step)] });
            }
        }
        Ok(())
    }

    /// From the last ring back to the first, then forward with one state.
    fn path<D: SetDomain<Set = S>>(&self, domain: &mut D) -> Result<Outcome<S>, Stop> {
        let mut at = self.rings.len() - 1;
        let mut goal = self.rings[at].set.clone();
        let mut back: Vec<(Step, S)> = Vec::new();
        while !self.rings[at].from.is_empty() {
            let mut found = None;
            for &(previous, step) in &self.rings[at].from {
                let sources = domain.pre(self.program, step, &goal)?;
                let sources = domain.meet(&sources, &self.rings[previous].set)?;
                if !domain.is_empty(&sources) {
                    found = Some((previous, step, sources));
                    break;
                }
            }
            let Some((previous, step, sources)) = found else {
                return Err(Stop::Evidence("a ring without predecessor".to_owned()));
            };
            back.push((step, goal));
            (at, goal) = (previous, sources);
        }
        let mut element = domain.pick(&goal)?;
        let mut steps = Vec::with_capacity(back.len());
        let mut havocs = Vec::new();
        for (step, goal) in back.into_iter().rev() {
            let image = domain.post(self.program, step, &element)?;
            element = domain.pick(&domain.meet(&image, &goal)?)?;
            if let Step::Edge(edge) = step
                && let Op::Havoc(var, _) = &self.program.edges[edge].op
            {
                havocs.push(domain.example(self.program, &element, *var));
            }
            steps.push(step);
        }
        Ok(Outcome::Path { steps, havocs })
    }
}
