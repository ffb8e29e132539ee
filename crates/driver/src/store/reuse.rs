//! Verification with a store: an earlier answer to the same question, or what an earlier run on a similar program
//! learned [BLNSW13], before the analysis itself.
//!
//! 1. The same program: a proof counts as it is, a counterexample is executed.
//! 2. A similar program: its inputs are tried, its invariants put to a solver, and the analysis that answered runs with
//!    the precision, facts and bound it ended with.
//! 3. Otherwise the analysis runs as if there were no store. What it finds is kept.

use super::content::{Content, Digest, Feed, Names};
use super::portable::{Inputs, Invariants, Restored};
use super::{Entry, Found, Store};
use crate::panics;
use crate::preset::{Plan, Preset};
use crate::run::{Outcome, PartRun, RunEvent, Settings, run_with, step};
use analyses::{BadOption, Options, TrackedValues, precision_text};
use base::{Budget, Cancel, Counters, Live};
use cfa::{BinOp, ExprId, Node, Program};
use encode::memory_model;
use engine::board::{Board, Conjectures, SafeBound, Sufficed};
use engine::evidence::confirm_within;
use engine::inductive::{self, Claim, Confirmed};
use flow::Prepared;
use smt_bitwuzla::BitwuzlaBackend;
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};
use verdict::{Goals, Proof, Stop, Verdict};

/// What the user is told that runs while hints are tried.
pub const STORE: &str = "store";
/// Said of a proof that counts again.
pub(super) const AGAIN: &str = "The proof comes from the store: an earlier run found it for the same program.";
/// So many of the largest functions say which programs are similar.
const LARGEST_FUNCTIONS: usize = 8;
/// Steps of the interpreter with earlier inputs; a changed program may run on and on.
const MOST_STEPS: u64 = 50_000_000;

/// What is asked beside the program, and of whom.
pub struct StoreQuestion<'a> {
    /// Where earlier answers are.
    pub store: &'a Store,
    /// The property's name; what it says is in the program.
    pub property: &'a str,
    /// Names by which an earlier version of the program may be found.
    pub files: &'a [String],
    /// How the run is done where the store does not answer.
    pub settings: Settings<'a>,
    /// Checks an answer that took so long, before it is kept: what it takes back must not come again from the store.
    pub check: &'a dyn Fn(&mut Outcome, Duration),
}

/// [`run_with`] with a store.
pub fn run_with_store(
    question: &StoreQuestion,
    program: &Prepared,
    preset: &Preset,
    options: &Options,
    cancel: &Cancel,
    tell: &mut dyn FnMut(RunEvent),
) -> Result<Outcome, BadOption> {
    let begun = Instant::now();
    let checked = |mut outcome: Outcome| {
        (question.check)(&mut outcome, begun.elapsed());
        outcome
    };
    // An earlier answer writes no files.
    if options.writes_files() {
        return run_with(&question.settings, program, preset, options, cancel, tell).map(checked);
    }
    let names = Names::new(program);
    let case = Case::new(program, &names, question, preset, options);
    // If a worker died on the way, then perhaps of what the store said.
    let known = if question.settings.after.is_some() { None } else { case.known(question.store, tell) };
    if let Some((entry, similarity)) = known
        && let Some(outcome) = case.reuse(&entry, similarity, cancel, tell)?
    {
        let outcome = checked(outcome);
        if similarity == Similarity::Changed {
            case.keep(question.store, &outcome, tell);
        }
        return Ok(outcome);
    }
    let outcome = checked(run_with(&question.settings, program, preset, options, cancel, tell)?);
    case.keep(question.store, &outcome, tell);
    Ok(outcome)
}

/// How much of an earlier program is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Similarity {
    Same,
    Changed,
}

struct Case<'p> {
    program: &'p Prepared,
    names: &'p Names,
    content: Content,
    preset: &'p Preset,
    options: &'p Options,
    key: Digest,
    /// What similar programs share with this one, and how much that counts.
    indices: Vec<(Digest, usize)>,
}

impl<'p> Case<'p> {
    fn new(
        program: &'p Prepared,
        names: &'p Names,
        question: &StoreQuestion,
        preset: &'p Preset,
        options: &'p Options,
    ) -> Self {
        let content = Content::new(program, names);
        let mut feed = Feed::default();
        feed.text(&build()).text(question.property).text(&preset.name).text(&options.to_string());
        let context = feed.finish();
        let of = |what: &str, digest: Digest| {
            let mut feed = Feed::default();
            feed.digest(context).text(what).digest(digest);
            feed.finish()
        };
        let mut functions: Vec<(usize, Digest)> = content
            .functions
            .iter()
            .filter_map(|(_, function)| function.map(|(digest, edges)| (edges, digest)))
            .collect();
        functions.sort_unstable_by(|a, b| b.cmp(a));
        let largest = functions.iter().take(LARGEST_FUNCTIONS);
        let mut indices: Vec<(Digest, usize)> =
            largest.map(|&(edges, digest)| (of("function", digest), edges)).collect();
        // Names count when content does not decide.
        indices.extend(question.files.iter().map(|file| (of(file, Digest::default()), 1)));
        let key = of("program", content.program);
        Case { program, names, content, preset, options, key, indices }
    }

    /// What the store knows of this program or a similar one.
    fn known(&self, store: &Store, tell: &mut dyn FnMut(RunEvent)) -> Option<(Entry, Similarity)> {
        let mut read = |key: Digest| {
            store.read(key).unwrap_or_else(|problem| {
                tell(RunEvent::Warning(&problem));
                None
            })
        };
        if let Some(entry) = read(self.key) {
            return Some((entry, Similarity::Same));
        }
        let key = store.most_similar(&self.indices).filter(|&key| key != self.key)?;
        Some((read(key)?, Similarity::Changed))
    }

    fn keep(&self, store: &Store, outcome: &Outcome, tell: &mut dyn FnMut(RunEvent)) {
        let Some(last) = outcome.steps.last() else { return };
        let found = match &outcome.verdict {
            Verdict::Safe(proof) => Found::Safe {
                invariants: Invariants::new(self.program, self.names, &self.content, proof),
                checked: proof.checked.clone(),
            },
            Verdict::Unsafe(found) if found.undefined.is_empty() && found.closed.is_none() => {
                Found::Unsafe { inputs: Inputs::new(&found.replay_choices()) }
            }
            Verdict::Unsafe(_) | Verdict::Unknown(_) => return,
        };
        let entry = Entry {
            key: self.key.to_string(),
            preset: last.preset.clone(),
            seconds: last.time.as_secs_f64(),
            k: outcome.board.left_by::<SafeBound>(last.part).map_or(0, |bound| bound.0.into()),
            precision: outcome
                .board
                .left_by::<TrackedValues>(last.part)
                .map(|tracked| precision_text::write(self.program, &tracked.0)),
            found,
        };
        if let Err(problem) = store.write(self.key, &entry, &self.indices) {
            tell(RunEvent::Warning(&problem));
        }
    }

    /// The answer as far as an entry helps to it.
    fn reuse(
        &self,
        entry: &Entry,
        similarity: Similarity,
        cancel: &Cancel,
        tell: &mut dyn FnMut(RunEvent),
    ) -> Result<Option<Outcome>, BadOption> {
        let then = Duration::try_from_secs_f64(entry.seconds).unwrap_or_default();
        let time = cancel.budgets().allowance(Budget::Hints).of(then);
        let time = cancel.remaining().map_or(time, |left| time.min(left / 2));
        tell(RunEvent::Start(STORE, Some(time), &Live::default()));
        let limited = cancel.child(Some(time));
        match &entry.found {
            Found::Unsafe { inputs } => {
                let verdict = confirm_within(self.program, &inputs.choices(), MOST_STEPS, &limited);
                if let Verdict::Unsafe(_) = verdict {
                    return Ok(Some(self.by_store(entry, verdict, "inputs from the store")));
                }
                self.answerer(entry, self.program, Vec::new(), &limited)
            }
            Found::Safe { invariants, checked } => {
                // Names that now stand for something else may make invalid expressions.
                let restored = panics::catch(|| invariants.restore(self.program, self.names, &self.content));
                match (restored, similarity) {
                    (Ok(restored), Similarity::Same) if restored.complete => {
                        let checked = format!("{checked} {AGAIN}");
                        let (exprs, invariants) = (restored.exprs, restored.invariants);
                        let proof = Proof { exprs, invariants, checked, ..Proof::default() };
                        Ok(Some(self.by_store(entry, Verdict::Safe(proof), "verdict from the store")))
                    }
                    (_, Similarity::Same) => {
                        tell(RunEvent::Warning("an entry of the store does not fit its program and is ignored"));
                        Ok(None)
                    }
                    (Ok(restored), Similarity::Changed) => self.prove_again(entry, restored, &limited),
                    (Err(_), Similarity::Changed) => self.answerer(entry, self.program, Vec::new(), &limited),
                }
            }
        }
    }

    /// A blackboard with what an entry says the analysis ended with.
    fn hints(&self, entry: &Entry) -> Board {
        let board = Board::default();
        if let Some(k) = u32::try_from(entry.k).ok().filter(|&k| k > 0) {
            board.leave(SafeBound(k));
            board.leave(Sufficed(k));
        }
        if let Some(text) = &entry.precision {
            board.leave(TrackedValues(precision_text::items(self.program, text)));
        }
        board
    }

    /// An answer that no analysis was needed for. Its time is that of the analysis, which later runs go by.
    fn by_store(&self, entry: &Entry, verdict: Verdict, how: &'static str) -> Outcome {
        let mut counters = Counters::default();
        counters.add(how, 1);
        let (board, time) = (self.hints(entry), Duration::try_from_secs_f64(entry.seconds).unwrap_or_default());
        let (preset, part) = (entry.preset.clone(), board.who());
        let step = PartRun { preset, stop: None, time, part, problems: Vec::new() };
        Outcome { verdict, targets: Vec::new(), steps: vec![step], counters, board }
    }

    /// Puts earlier invariants to a solver, alone and then as facts for the analysis that found them.
    fn prove_again(&self, entry: &Entry, restored: Restored, cancel: &Cancel) -> Result<Option<Outcome>, BadOption> {
        let mut extended = self.program.with_exprs(restored.exprs);
        let all = at_loop_heads(&mut extended, &restored.invariants);
        let extended = Prepared::new(extended);
        let solved = memory_model(&extended, cancel).map_err(Stop::from).and_then(|model| {
            let claim = Claim::Sufficient;
            inductive::check((&extended, &model), &BitwuzlaBackend, &extended.exprs, &all, claim, cancel)
        });
        if solved == Ok(Confirmed::Yes) {
            let checked = "The invariants of an earlier proof were proved inductive and sufficient by a solver.";
            let invariants = restored.invariants;
            let (exprs, checked) = (extended.exprs.clone(), checked.to_owned());
            let proof = Proof { exprs, invariants, checked, ..Proof::default() };
            return Ok(Some(self.by_store(entry, Verdict::Safe(proof), "invariants from the store")));
        }
        self.answerer(entry, &extended, restored.invariants, cancel)
    }

    /// Runs the analysis that answered before, with what it learned. `program` may have more expressions than ours.
    fn answerer(
        &self,
        entry: &Entry,
        program: &Prepared,
        facts: Vec<(Node, ExprId)>,
        cancel: &Cancel,
    ) -> Result<Option<Outcome>, BadOption> {
        let is_part = match self.preset.plan() {
            Plan::Engine { .. } => self.preset.name == entry.preset,
            Plan::Sequence(slices) => slices.iter().any(|slice| slice.preset == entry.preset),
        };
        let Some(preset) = Preset::named(&entry.preset).filter(|_| is_part) else { return Ok(None) };
        let board = self.hints(entry);
        board.claim(Conjectures { exprs: Some(program.exprs.clone()).filter(|_| !facts.is_empty()), claims: facts });
        let part = board.part();
        let mut counters = Counters::default();
        let asked = (program, &mut Goals::any(program));
        let (step, verdict) = step(&preset, asked, self.options, &part, cancel, &mut counters);
        counters.add("analyses with hints from the store", 1);
        Ok(match verdict? {
            Verdict::Unknown(_) => None,
            verdict => Some(Outcome { verdict, targets: Vec::new(), steps: vec![step], counters, board }),
        })
    }
}

/// One truth value for every loop head.
fn at_loop_heads(program: &mut Program, invariants: &[(Node, ExprId)]) -> Vec<(Node, ExprId)> {
    let heads = program.nodes.iter().filter(|(_, info)| info.loop_head).map(|(node, _)| node);
    let mut all: BTreeMap<Node, Option<ExprId>> = heads.map(|node| (node, None)).collect();
    for (node, invariant) in invariants {
        if let Some(known) = all.get_mut(node) {
            *known = Some(known.map_or(*invariant, |known| program.exprs.binary(BinOp::And, known, *invariant)));
        }
    }
    let truth = program.exprs.bool(true);
    all.into_iter().map(|(node, invariant)| (node, invariant.unwrap_or(truth))).collect()
}

/// Which build of Argonaut this is: answers of another one do not count.
pub(crate) fn build() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata);
    let data = file.ok().map(|data| {
        let time = data.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        (data.len(), time.unwrap_or_default().as_nanos())
    });
    format!("{} {data:?}", env!("CARGO_PKG_VERSION"))
}
