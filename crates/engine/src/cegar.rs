//! CEGAR [BL13, Alg. 2; BDW18, Alg. 4], generic over the analysis: explore until a target is reached, check the path,
//! refine the precision or confirm the path, start again at the root or at the pivot.

use crate::board::Board;
use crate::cpa::{self, Explored};
use crate::evidence::Confirmation;
use crate::refinement::{LastPath, PathInterpolants, Selection, interpolate, slice_after};
use analysis::{Analysis, Arg, ArgId, ErrorPath, Order, Reached, Refinable, Step, is_connected};
use base::{Cancel, Counters};
use cfa::{EdgeId, Program};
use std::collections::{BTreeMap, HashSet};
use std::time::Instant;
use verdict::{Counterexample, Goals, Stop, TargetQuestion};

/// Where exploration goes on after a refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Restart {
    /// From the start, with the new precision everywhere.
    #[default]
    Root,
    /// From the first state that has to track something new [HJMS02].
    Pivot,
}

/// What a refinement made of an abstract error path.
#[derive(Clone, Debug)]
pub enum Refinement {
    /// The path is infeasible, and the precision now excludes it from this position on.
    Refined {
        /// The first step after which something is tracked.
        pivot: usize,
    },
    /// The path is infeasible, and the refinement has already taken it out of the reached set.
    Excluded,
    /// The path is infeasible, but the precision cannot be made to exclude it.
    Stuck,
    /// The analysis cannot exclude the path.
    Feasible,
    /// The analysis cannot exclude the path, and has looked for an execution along it.
    Checked(Confirmation),
}

/// How CEGAR works on the paths of an analysis.
pub trait Refiner<C: Analysis> {
    /// Checks a path and refines the precision, or the states of the reached set themselves.
    fn refine(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        reached: &mut Reached<C::State>,
        path: &ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop>;
}

/// Refinement by interpolants of one infeasible sliced prefix [BL13, BLW15b].
#[derive(Clone, Debug)]
pub struct Interpolation {
    /// Which prefix.
    pub selection: Selection,
    /// How many prefixes are looked at.
    pub most_prefixes: usize,
    /// Limits.
    pub cancel: Cancel,
    /// Who is told about infeasible prefixes.
    pub board: Board,
}

impl Default for Interpolation {
    fn default() -> Self {
        let board = Board::default();
        Self { selection: Selection::default(), most_prefixes: 40, cancel: Cancel::never(), board }
    }
}

impl<C: Refinable> Refiner<C> for Interpolation {
    fn refine(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        _reached: &mut Reached<C::State>,
        path: &ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        self.refine_steps(cpa, precision, &path.steps, counters)
    }
}

impl Interpolation {
    /// Refines the precision by a path. The first prefix usually does; where only that one was asked for, the others
    /// are looked for if it cannot be excluded.
    pub fn refine_steps<C: Refinable>(
        &self,
        cpa: &mut C,
        precision: &mut C::Precision,
        steps: &[Step],
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        self.refine_after(cpa, precision, steps, &mut None, counters)
    }

    /// The same, faster if something is known of the beginning of the path; what is known of all of it now.
    pub fn refine_after<C: Refinable>(
        &self,
        cpa: &mut C,
        precision: &mut C::Precision,
        steps: &[Step],
        last: &mut Option<LastPath<C::Facts>>,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let choices = self.prefixes(cpa, steps, self.limit(), last, counters)?;
        if choices.is_empty() {
            return Ok(match cpa.enter_calls(precision, steps, &self.cancel)? {
                Some(pivot) => {
                    counters.add("refinements that enter calls", 1);
                    counters.trail.add(None, || "what calls on the path do".to_owned());
                    Refinement::Refined { pivot }
                }
                None => Refinement::Feasible,
            });
        }
        if let Some(pivot) = self.exclude(cpa, precision, steps, choices, counters) {
            return Ok(Refinement::Refined { pivot });
        }
        if self.selection.is_first() {
            let choices = self.prefixes(cpa, steps, self.most_prefixes, &mut None, counters)?;
            if let Some(pivot) = self.exclude(cpa, precision, steps, choices, counters) {
                return Ok(Refinement::Refined { pivot });
            }
        }
        Ok(Refinement::Stuck)
    }

    /// Lets the precision exclude the best of some prefixes; the first position where that tracks something new.
    fn exclude<C: Refinable>(
        &self,
        cpa: &mut C,
        precision: &mut C::Precision,
        steps: &[Step],
        mut choices: Vec<PathInterpolants<C::Fact>>,
        counters: &mut Counters,
    ) -> Option<usize> {
        // With a fact that is never tracked again, a prefix cannot be excluded.
        choices.retain(|choice| choice.facts.iter().flatten().all(|&fact| cpa.trackable(precision, fact)));
        // A prefix whose facts are all tracked already excludes nothing new: take the next best.
        while !choices.is_empty() {
            let chosen = choices.remove(self.selection.choose(cpa, &choices));
            let pivot = track(cpa, precision, steps, &chosen, counters);
            if pivot.is_some() {
                return pivot;
            }
        }
        None
    }

    /// The interpolants of a path's infeasible sliced prefixes; none if it is feasible for the domain.
    pub fn choices<C: Refinable>(
        &self,
        cpa: &mut C,
        steps: &[Step],
        counters: &mut Counters,
    ) -> Result<Vec<PathInterpolants<C::Fact>>, Stop> {
        self.prefixes(cpa, steps, self.limit(), &mut None, counters)
    }

    /// How many prefixes are looked for at first.
    fn limit(&self) -> usize {
        if self.selection.is_first() { 1 } else { self.most_prefixes }
    }

    /// The interpolants of a path's first infeasible sliced prefixes, at most so many.
    fn prefixes<C: Refinable>(
        &self,
        cpa: &mut C,
        steps: &[Step],
        limit: usize,
        last: &mut Option<LastPath<C::Facts>>,
        counters: &mut Counters,
    ) -> Result<Vec<PathInterpolants<C::Fact>>, Stop> {
        let begun = last.take().filter(|last| last.limit == limit);
        let (begun, numbers) = begun.map(|last| (last.sliced, last.numbers)).unzip();
        let mut numbers = numbers.unwrap_or_default();
        let sliced = slice_after(cpa, steps, limit, begun, &self.cancel)?;
        counters.add("infeasible sliced prefixes", sliced.contradictions.len() as u64);
        // No execution takes the steps up to the first contradiction; later ones need that one to be sliced away.
        if let Some(&first) = sliced.contradictions.first() {
            self.board.refute_number(numbers.of(steps, first + 1));
        }
        let interpolants =
            sliced.contradictions.iter().map(|&end| interpolate(cpa, steps, &sliced, end, &self.cancel)).collect();
        *last = Some(LastPath { limit, sliced, numbers });
        interpolants
    }
}

/// Lets a precision track the facts of interpolants; the first position where that is new.
pub fn track<C: Refinable>(
    cpa: &mut C,
    precision: &mut C::Precision,
    steps: &[Step],
    chosen: &PathInterpolants<C::Fact>,
    counters: &mut Counters,
) -> Option<usize> {
    let mut pivot = None;
    assert!(chosen.end < steps.len(), "interpolants lie between the steps of a prefix");
    for (position, facts) in chosen.positions().filter(|(position, _)| *position > 0) {
        for &fact in facts {
            if cpa.track(precision, steps[position - 1].to.node, fact) {
                counters.add("tracked items", 1);
                let node = steps[position - 1].to.node;
                counters.trail.add(Some(node.0), || cpa.name(fact));
                pivot = pivot.or(Some(position - 1));
            }
        }
    }
    pivot
}

/// Settings of CEGAR.
pub struct Cegar<'a, C: Analysis> {
    /// The program.
    pub program: &'a Program,
    /// In which order states are expanded.
    pub order: Order,
    /// Where to go on.
    pub restart: Restart,
    /// Limits.
    pub cancel: &'a Cancel,
    /// Looks for an execution along a path.
    pub confirm: &'a mut dyn FnMut(&mut C, &[Step]) -> Confirmation,
    /// After so many undecided paths a question is given up.
    pub most_undecided: usize,
    /// What is asked.
    pub goals: &'a mut Goals,
}

/// How CEGAR ended.
pub enum End<S> {
    /// The reached set is closed and has no target that is open.
    Closed(Box<Reached<S>>),
    /// An execution reaches a target.
    Unsafe(Counterexample),
    /// Neither.
    Unknown(Stop),
}

impl<C: Analysis> Cegar<'_, C> {
    /// Runs CEGAR:
    ///
    /// 1. explore until done or until a target is reached;
    /// 2. done: what is asked holds, unless a path before was left undecided;
    /// 3. else extract the path to the target; if it can be excluded, refine the precision and restart;
    /// 4. if not, look for an execution along it; without one, note the path and go on with the search; with one, go on
    ///    as long as other targets are asked about.
    ///
    /// Deviates from [BL13, Alg. 2] in 4: the search goes on because another path may be real.
    pub fn run(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        refiner: &mut dyn Refiner<C>,
        counters: &mut Counters,
    ) -> End<C::State> {
        let mut reached = Reached::new(self.program, self.order);
        match self.run_in(cpa, precision, refiner, &mut reached, counters) {
            Ok(Some(counterexample)) => End::Unsafe(counterexample),
            Ok(None) => End::Closed(Box::new(reached)),
            Err(stop) => End::Unknown(stop),
        }
    }

    /// The same in a reached set that the caller keeps, however it ends: `None` if it is closed.
    pub fn run_in(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        refiner: &mut dyn Refiner<C>,
        reached: &mut Reached<C::State>,
        counters: &mut Counters,
    ) -> Result<Option<Counterexample>, Stop> {
        let found = self.search(cpa, precision, refiner, reached, counters);
        counters.trail.states.clear();
        reached.arg.note(&mut counters.trail, &mut |state, node| cpa.lines(state, node));
        if found.is_err() {
            note_sizes(&reached.arg, counters);
        }
        found
    }

    fn search(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        refiner: &mut dyn Refiner<C>,
        reached: &mut Reached<C::State>,
        counters: &mut Counters,
    ) -> Result<Option<Counterexample>, Stop> {
        let program = self.program;
        let mut known: HashSet<Vec<EdgeId>> = HashSet::new();
        let mut feasible: HashSet<Vec<EdgeId>> = HashSet::new();
        let mut undecided = Undecided::new(self.most_undecided);
        // Whether states beside the paths of refinements may have been made with less precision than there is now.
        let mut outdated = false;
        let mut path = ErrorPath::default();
        cpa::start(program, cpa, precision, reached)?;
        loop {
            counters.add("iterations", 1);
            counters.live.phase("exploration");
            let begun = Instant::now();
            let goals: &Goals = self.goals;
            let outcome = cpa::explore(
                (program, goals),
                cpa,
                precision,
                reached,
                &mut |step, _| cpa::is_target(program, goals, step),
                (self.cancel, counters),
            );
            counters.time_since("exploration", begun);
            let target = match outcome? {
                Explored::Done => {
                    // 2
                    note_sizes(&reached.arg, counters);
                    undecided.give_up(self.goals)?;
                    return Ok(None);
                }
                Explored::Aborted(target) => target,
            };
            path.lead_to(program, reached, target); // 3
            let last = *path.last();
            debug_assert!(is_connected(&path.steps), "a path from the start to the target");
            debug_assert_eq!(path.steps[0].from, reached.stacks.start(program), "a path begins at the start");
            debug_assert!(
                path.is_like(&reached.path_to(program, target)),
                "what was kept of a path is part of this one"
            );
            let question = self.goals.question(last.to.node);
            let length = path.steps.len();
            counters.max("longest error path", length as u64);
            counters.add("error paths", 1);
            counters.add("error path steps", length as u64);
            counters.add("new error path steps", (length - path.kept()) as u64);
            // The analysis cannot exclude it, whatever was refined since.
            if !feasible.is_empty() && feasible.contains(&path.edges()) {
                counters.add("undecided paths found again", 1);
                continue;
            }
            counters.live.phase("refinement");
            let begun = Instant::now();
            let refinement = refiner.refine(cpa, precision, reached, &path, counters);
            path.looked_at();
            counters.time_since("refinement", begun);
            let confirmation = match refinement? {
                Refinement::Refined { pivot } => {
                    assert!(pivot < length, "step {pivot} of {length} is tracked anew");
                    note_refinement(length, counters);
                    note_sizes(&reached.arg, counters);
                    self.restart(cpa, precision, reached, path.nodes[pivot])?;
                    outdated = self.restart == Restart::Pivot;
                    continue;
                }
                Refinement::Excluded => {
                    note_refinement(length, counters);
                    continue;
                }
                // The precision may have what excludes the path, but its states were made before: they are made again.
                // That ends, since each of these restarts follows a refinement that tracked something new.
                Refinement::Stuck if outdated => {
                    counters.add("restarts at the root", 1);
                    reached.clear(cpa);
                    cpa::start(program, cpa, precision, reached)?;
                    outdated = false;
                    continue;
                }
                Refinement::Stuck => {
                    let span = program.edges[last.edge].span;
                    let what = "the path is infeasible, but what excludes it is no longer tracked".to_owned();
                    // The same path again: there is no way around it.
                    let again = !known.insert(path.edges());
                    undecided.note(question, Stop::Undecided { what, span }, again, self.goals)?;
                    continue;
                }
                Refinement::Feasible => {
                    known.insert(path.edges());
                    feasible.insert(path.edges());
                    counters.live.phase("counterexample check");
                    let begun = Instant::now();
                    let confirmation = (self.confirm)(cpa, &path.steps);
                    counters.time_since("counterexample check", begun);
                    confirmation
                }
                Refinement::Checked(confirmation) => {
                    known.insert(path.edges());
                    confirmation
                }
            };
            counters.add("checked counterexamples", 1); // 4
            match confirmation {
                Confirmation::Unsafe(counterexample) => {
                    let ends = self.goals.violated(counterexample);
                    if ends.is_some() {
                        note_sizes(&reached.arg, counters);
                        return Ok(ends);
                    }
                    // Also where the path leads to C that is not modelled: that is still to be decided.
                    if !self.goals.is_closed(last.to.node) {
                        undecided.note(question, elsewhere(program, last.edge), false, self.goals)?;
                    }
                }
                Confirmation::Undecided(stop) => undecided.note(question, stop, false, self.goals)?,
            }
        }
    }

    fn restart(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        reached: &mut Reached<C::State>,
        pivot: ArgId,
    ) -> Result<(), Stop> {
        match self.restart {
            Restart::Root => {
                reached.clear(cpa);
                cpa::start(self.program, cpa, precision, reached)
            }
            Restart::Pivot => {
                reached.remove_subtree(cpa, pivot);
                Ok(())
            }
        }
    }
}

/// Why a path to a target is undecided although an execution reaches a target.
pub(crate) fn elsewhere(program: &Program, edge: EdgeId) -> Stop {
    let what = "the execution along a path to this error reaches another one".to_owned();
    Stop::Undecided { what, span: program.edges[edge].span }
}

/// The paths that were neither excluded nor confirmed.
pub(crate) struct Undecided {
    most: usize,
    /// For each question how many there are, and what the first one failed at.
    questions: BTreeMap<TargetQuestion, (usize, Stop)>,
}

impl Undecided {
    /// After so many paths a question is given up.
    pub fn new(most: usize) -> Self {
        Self { most, questions: BTreeMap::new() }
    }

    /// One more path, after which its question may be given up; `last`: in any case. `Err`: that ends the run.
    pub fn note(&mut self, question: TargetQuestion, stop: Stop, last: bool, goals: &mut Goals) -> Result<(), Stop> {
        let (count, first) = self.questions.entry(question).or_insert((0, stop));
        *count += 1;
        if last || *count >= self.most { goals.leave(question, first.clone()) } else { Ok(()) }
    }

    /// All questions that have such paths.
    pub fn give_up(self, goals: &mut Goals) -> Result<(), Stop> {
        self.questions.into_iter().try_for_each(|(question, (_, stop))| goals.leave(question, stop))
    }
}

fn note_refinement(path: usize, counters: &mut Counters) {
    counters.add("refinements", 1);
    counters.live.refined();
    counters.trail.refined(path);
}

fn note_sizes<S>(arg: &Arg<S>, counters: &mut Counters) {
    counters.max("reached states", arg.len() as u64);
    counters.max("covered states", arg.covered_count() as u64);
}
