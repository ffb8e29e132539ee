//! A directed search for executions that reach a target: runs of the interpreter, each made from an earlier one by
//! changing the choices on which one of its branches depends, so that it may go the other way. In the manner of
//! concolic testing [GKS05] with the distance to the target as in [MPFH11], but without a solver: changes are guessed by
//! inverting the computations of the run, and a run is cheap enough to try.
//!
//! 1. Run; if it reaches a target, it is the answer. 2. Go along its path and note each branch whose other side may
//!    lead to a target and depends on choices. 3. Take the most promising of all noted branches, change the choices,
//!    and go on with 1.
//!
//! A branch side is worth trying once for each state of the property, which is the values of the global variables
//! that are compared near targets and of the harness's own state. A run that ends at a null pointer from outside is
//! repeated with a pointer to an object. When all of them were tried, runs that saw something new are changed at random
//! for a while, and then everything is looked at more closely: more calls, and iterations of loops, tell places apart.

mod distance;
mod invert;
mod mutate;
mod shadow;
mod state;

use crate::evidence::{Guided, settle};
use base::{Cancel, Counters, IdVec, Stopped, options};
use cfa::{EdgeId, Node, Op, Program};
use distance::{Distances, FAR};
use invert::{Change, Inverse};
use mutate::Corpus;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use semantics::choices::Choices;
use semantics::interpreter::{InterpreterRun, RunEnd, Tracing};
use shadow::{Def, DefId, Shadow};
use state::StateVariables;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use verdict::{Goals, Stop, Verdict};

/// So many of the calls that have not ended tell places apart at first.
const CALLS: usize = 3;
/// So many runs are changed at random when there is no other idea, each time more.
const MUTANTS: u32 = 200;

options! {
    /// How long to look.
    pub struct HuntOptions {
        /// The largest number of runs.
        pub runs: u64 = 1_000_000,
        /// The largest number of instructions of a run.
        pub steps: u64 = 20_000,
        /// How often a branch side is tried in the same state of the property before it is given up.
        pub tries: u32 = 6,
        /// By how many edges a branch side seems farther away for each time it was tried.
        pub weariness: u32 = 30,
    }
}

/// A run to make.
struct Idea {
    /// What an earlier run chose.
    choices: Rc<Choices>,
    change: Vec<(Changed, u128)>,
    noted: Noted,
}

/// How many of an earlier run's choices are kept; the rest are new.
#[derive(Clone, Copy)]
struct Kept {
    havocs: u32,
    undefined: u32,
}

impl Kept {
    fn of(shadow: &Shadow<'_>) -> Kept {
        Kept { havocs: shadow.havocs, undefined: shadow.undefined }
    }
}

/// Why a run may be worth it.
#[derive(Clone, Copy)]
struct Noted {
    keep: Kept,
    /// The side of a branch that it is to take, in which state.
    aim: (EdgeId, u64),
    distance: u32,
}

/// A choice.
#[derive(Clone, Debug)]
enum Changed {
    Havoc(u32),
    Bytes(Vec<(u32, u64)>),
    Undefined(u32),
}

/// Looks for a violation.
pub fn hunt(
    program: &Program,
    goals: &mut Goals,
    options: &HuntOptions,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let distances = Distances::new(program);
    let shortened = without_dead_ends(program, &distances);
    let mut hunt = Hunt {
        program,
        options,
        state: StateVariables::new(program, &distances),
        distances,
        seen: FxHashSet::default(),
        tried: FxHashMap::default(),
        weary: FxHashMap::default(),
        ideas: Vec::new(),
        queue: BinaryHeap::new(),
        fresh: 1 << 40,
        calls: CALLS,
        iterations: 0,
        tries: options.tries,
        corpus: Corpus::new(program),
        mutants: MUTANTS,
        looks: 0,
    };
    let (mut choices, mut random) = (Choices::default(), None);
    for number in 0..options.runs {
        if let Err(stopped) = cancel.check() {
            return Verdict::Unknown(stopped.into());
        }
        let run = Guided::new(choices, random).run(&shortened, options.steps, Tracing::Values, cancel);
        counters.add("directed runs", 1);
        counters.add("directed run instructions", run.steps);
        match run.outcome {
            RunEnd::Target(target) if goals.is_open(program.targets[target].node) => {
                if let Some(verdict) = settle(program, goals, &run.choices, cancel) {
                    return verdict;
                }
            }
            RunEnd::Stopped(stopped @ (Stopped::Time | Stopped::Memory | Stopped::Asked)) => {
                return Verdict::Unknown(stopped.into());
            }
            RunEnd::Exit(_) | RunEnd::Undefined { .. } | RunEnd::Unsupported { .. } | RunEnd::Target(_) => {}
            RunEnd::Assumed | RunEnd::StepLimit | RunEnd::Diverged => {}
        }
        // A program without open choices has no other execution.
        if run.drawn.is_empty() && run.history.bytes.is_empty() {
            break;
        }
        hunt.learn(&run);
        (choices, random) = hunt.next(number);
    }
    counters.add("directed branch sides", hunt.seen.len() as u64);
    Verdict::Unknown(Stop::Bound("no directed run reached an error".into()))
}

struct Hunt<'p> {
    program: &'p Program,
    options: &'p HuntOptions,
    distances: Distances,
    state: StateVariables,
    /// Branch sides that were taken, with the state of the property.
    seen: FxHashSet<(EdgeId, u64)>,
    tried: FxHashMap<(EdgeId, u64), u32>,
    weary: FxHashMap<EdgeId, u32>,
    ideas: Vec<Option<Idea>>,
    /// The ideas by how far they seem to be, then by age.
    queue: BinaryHeap<Reverse<(u32, usize)>>,
    fresh: u128,
    /// By how many calls and iterations places are told apart, and how often each is tried; they grow when there is no
    /// idea left.
    calls: usize,
    iterations: u32,
    tries: u32,
    corpus: Corpus,
    /// So many runs are still to be changed at random.
    mutants: u32,
    /// How often everything was looked at.
    looks: u32,
}

impl Hunt<'_> {
    /// Goes along a run and notes what else could be done.
    fn learn(&mut self, run: &InterpreterRun) {
        let program = self.program;
        let choices = Rc::new(run.choices.clone());
        let mut shadow = Shadow::new(program, run);
        let (mut found, mut aims) = (Vec::new(), FxHashSet::default());
        let mut state = 0;
        let mut place = 0;
        let mut visits: FxHashMap<Node, u32> = FxHashMap::default();
        let mut is_new = false;
        for (at, &edge) in run.path.iter().enumerate() {
            let branches = shadow.step(at);
            let step = &program.edges[edge];
            if self.state.is_changed_by(&step.op) {
                state = self.state.hash(&shadow);
            }
            if matches!(step.op, Op::Assume(_)) {
                let visits = visits.entry(step.from).or_default();
                *visits = (*visits + 1).min(self.iterations);
                place = context(&shadow, state, self.calls) ^ u64::from(*visits) << 48;
                is_new |= self.seen.insert((edge, place));
            }
            if !branches {
                continue;
            }
            for other in program.leaving(step.from).filter(|&other| other != edge) {
                let aim = (other, place);
                let distance = self.distances.from(program.edges[other].to, self.after(&shadow));
                if distance < FAR
                    && self.is_open(aim)
                    && aims.insert(aim)
                    && let Some(condition) = shadow.condition(at, other)
                {
                    found.push((condition, Noted { keep: Kept::of(&shadow), aim, distance }));
                }
            }
        }
        if is_new {
            self.corpus.keep(&choices);
        }
        if matches!(run.outcome, RunEnd::Undefined { .. })
            && let Some(&last) = run.path.last()
        {
            let distance = self.distances.from(program.edges[last].to, self.after(&shadow));
            for pointer in shadow.last_pointers() {
                let mut changes = self.inverse(&shadow.defs).changes(&pointer, &[self.fresh]);
                changes.retain(|change| change.iter().all(|&(def, _)| is_null(&shadow.defs[def], run)));
                // Not the place where the run ended, which was seen, but the pointer there.
                let aim = (last, place ^ (u64::from(pointer.expr.0) << 32));
                self.note(&choices, &shadow, changes, Noted { keep: Kept::of(&shadow), aim, distance });
            }
        }
        for (condition, noted) in found {
            if self.is_open(noted.aim) {
                let changes = self.inverse(&shadow.defs).changes(&condition, &[1]);
                self.note(&choices, &shadow, changes, noted);
            }
        }
    }

    fn inverse<'s>(&mut self, defs: &'s IdVec<DefId, Def>) -> Inverse<'s>
    where
        Self: 's,
    {
        self.fresh += 1 << 12;
        Inverse { program: self.program, defs, fresh: self.fresh }
    }

    fn is_open(&self, aim: (EdgeId, u64)) -> bool {
        !self.seen.contains(&aim) && self.tried.get(&aim).copied().unwrap_or(0) < self.tries
    }

    /// How far it is from where the running function returns to.
    fn after(&self, shadow: &Shadow<'_>) -> u32 {
        shadow.calls().fold(FAR, |after, call| self.distances.from(self.program.edges[call].to, after))
    }

    fn note(&mut self, choices: &Rc<Choices>, shadow: &Shadow<'_>, changes: Vec<Change>, noted: Noted) {
        let tried = self.tried.entry(noted.aim).or_default();
        for change in changes {
            if *tried >= self.tries {
                break;
            }
            *tried += 1;
            let changed = |def: DefId| match &shadow.defs[def] {
                Def::Havoc(number) => Some(Changed::Havoc(*number)),
                Def::Bytes(bytes) => Some(Changed::Bytes(bytes.clone())),
                Def::Undefined(number) => Some(Changed::Undefined(*number)),
                Def::Apply(_) => None,
            };
            let change = change.into_iter().filter_map(|(def, value)| Some((changed(def)?, value))).collect();
            self.queue.push(Reverse((noted.distance, self.ideas.len())));
            self.ideas.push(Some(Idea { choices: choices.clone(), change, noted }));
        }
    }

    /// The choices of the next run, and where random numbers after them start. Without ideas it starts
    /// anew and looks closer.
    fn next(&mut self, number: u64) -> (Choices, Option<u64>) {
        while let Some(Reverse((score, at))) = self.queue.pop() {
            let Some(idea) = self.ideas[at].take_if(|idea| !self.seen.contains(&idea.noted.aim)) else { continue };
            let weary = self.weary.entry(idea.noted.aim.0).or_default();
            let now = idea.noted.distance.saturating_add(*weary * self.options.weariness);
            if now > score {
                self.queue.push(Reverse((now, at)));
                self.ideas[at] = Some(idea);
                continue;
            }
            *weary += 1;
            return (idea.changed(), (number % 4 == 3).then_some(number));
        }
        if self.mutants > 0
            && let Some(choices) = self.corpus.changed()
        {
            self.mutants -= 1;
            return (choices, None);
        }
        self.seen.clear();
        self.tried.clear();
        self.ideas.clear();
        self.looks += 1;
        self.mutants = MUTANTS * (self.looks + 1);
        self.calls += 2;
        self.iterations = (self.iterations * 4).clamp(4, 64);
        self.tries += self.options.tries;
        (Choices::default(), Some(number))
    }
}

/// The state of the property and the last calls: what is alike in both is not looked at twice.
fn context(shadow: &Shadow<'_>, state: u64, calls: usize) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(state);
    for call in shadow.calls().rev().take(calls) {
        call.hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether a choice was 0.
fn is_null(def: &Def, run: &InterpreterRun) -> bool {
    match def {
        Def::Havoc(number) => run.choices.havocs.get(*number as usize).is_none_or(|&value| value == 0),
        Def::Bytes(bytes) => bytes.iter().all(|key| run.choices.bytes.get(key).is_none_or(|&byte| byte == 0)),
        Def::Undefined(_) | Def::Apply(_) => false,
    }
}

/// Where executions go on for ever without a way to a target or out of the function, they end.
fn without_dead_ends(program: &Program, distances: &Distances) -> Program {
    let mut program = program.clone();
    let stuck: Vec<EdgeId> = program
        .edges
        .iter()
        .filter(|(_, edge)| distances.from(edge.from, 0) == FAR && !matches!(edge.op, Op::Assume(_)))
        .map(|(id, _)| id)
        .collect();
    for edge in stuck {
        program.edges[edge].op = Op::Halt(None);
    }
    program
}

impl Idea {
    fn changed(&self) -> Choices {
        let all = &self.choices;
        let Kept { havocs, undefined } = self.noted.keep;
        let first = |values: &[u128], keep: u32| values[..values.len().min(keep as usize)].to_vec();
        let mut choices = Choices {
            havocs: first(&all.havocs, havocs),
            undefined: first(&all.undefined, undefined),
            bytes: all.bytes.clone(),
            ..Choices::default()
        };
        for (changed, value) in &self.change {
            match changed {
                Changed::Havoc(number) => {
                    if let Some(place) = choices.havocs.get_mut(*number as usize) {
                        *place = *value;
                    }
                }
                Changed::Undefined(number) => {
                    if let Some(place) = choices.undefined.get_mut(*number as usize) {
                        *place = *value;
                    }
                }
                Changed::Bytes(bytes) => {
                    for (&key, byte) in bytes.iter().zip(value.to_le_bytes()) {
                        choices.bytes.insert(key, byte);
                    }
                }
            }
        }
        choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::program;

    const HEAD: &str = "int nondet(void); void *outside(void); void *malloc(unsigned long); void reach_error(void);";

    /// Whether an error is found within so many runs.
    fn check(source: &str, runs: u64, found: bool) {
        let program = program(&format!("{HEAD} {source}"));
        let options = HuntOptions { runs, steps: 10_000, tries: 6, weariness: 30 };
        let (goals, counters) = (&mut Goals::any(&program), &mut Counters::default());
        let verdict = hunt(&program, goals, &options, &Cancel::never(), counters);
        assert_eq!(matches!(verdict, Verdict::Unsafe(_)), found, "{verdict:?}");
    }

    #[test]
    fn constants_are_found_one_after_the_other() {
        check(
            "int main(void) { if (nondet() == 123456789) if (nondet() * 2 + 1 == 4243) if (nondet() > 77) reach_error(); }",
            8,
            true,
        );
    }

    #[test]
    fn values_are_followed_through_calls_and_memory() {
        check(
            "struct s { int a, b; }; int add(int x) { return x + 3; }
            int main(void) { struct s s; struct s t; s.a = add(nondet()); s.b = 1; t = s;
              switch (t.a) { case 5: break; case 991: if (t.b == 1) reach_error(); } return 0; }",
            8,
            true,
        );
    }

    #[test]
    fn pointers_from_outside_become_objects() {
        check(
            "struct s { struct s *next; int value; };
            int main(void) { struct s *p = outside(); if (p->next->next->value == 400) reach_error(); return 0; }",
            8,
            true,
        );
        check(
            "struct s { char large[400000]; int value; };
            int main(void) { struct s *p = outside(); if (p->value == 400) reach_error(); return 0; }",
            8,
            true,
        );
    }

    #[test]
    fn a_harness_is_driven_to_the_right_state() {
        check(
            "int state, lock; void take(void) { if (lock) reach_error(); lock = 1; }
            int main(void) { while (1) switch (nondet()) {
              case 10: if (state == 0) state = 1; break;
              case 20: if (state == 1) { if (nondet() == 7) state = 2; } break;
              case 30: if (state == 2) take(); break;
              default: return 0; } }",
            200,
            true,
        );
    }

    const BUFFER: &str = "char next(void) { return (char) nondet(); }
        void fill(char *to) { for (int i = 0; i < 8; i++) to[i] = next(); to[8] = 0; }";

    /// A buffer of inputs, in which one element after the other has to be right.
    #[test]
    fn buffers_are_filled_step_by_step() {
        // All digits count, the last one least.
        let digits = "int main(void) { char text[9]; fill(text); int value = 0, at = 0;
            for (; text[at]; at++) { if (text[at] < '0' || text[at] > '9') return 0; value = 10 * value + (text[at] - '0'); }
            if (value == 314159) reach_error(); return 0; }";
        check(&format!("{BUFFER} {digits}"), 4_000, true);
        check(&format!("{BUFFER} {}", digits.replace("== 314159", "== 999999999")), 4_000, false);
        // Iterations are counted.
        let shifts =
            "int main(void) { unsigned value = nondet(); int size = 0; while (value >= 128) { value >>= 7; size++; }
            if (size == 4) reach_error(); return 0; }";
        check(shifts, 2_000, true);
    }

    /// What was read from a table cannot be inverted.
    #[test]
    fn runs_are_changed_at_random_where_nothing_else_helps() {
        let table = "const char digits[16] = \"0123456789abcdeF\"; int main(void) { char text[9]; fill(text);
            if (digits[text[2] & 15] == 'F' && digits[text[3] >> 4 & 15] == '7') reach_error(); return 0; }";
        check(&format!("{BUFFER} {table}"), 4_000, true);
        check(&format!("{BUFFER} {}", table.replace("'F'", "'f'")), 1_000, false);
    }

    #[test]
    fn heap_objects_lie_low() {
        check(
            "void assume(int c) { if (c == 0) { again: goto again; } }
            int main(void) { void *p = malloc(8); assume((unsigned long) p <= 4294967295ul); if (nondet()) reach_error(); }",
            8,
            true,
        );
    }

    #[test]
    fn what_does_not_happen_is_not_found() {
        check("int main(void) { int x = nondet(); if (x > 5 && x < 3) reach_error(); return 0; }", 50, false);
    }
}
