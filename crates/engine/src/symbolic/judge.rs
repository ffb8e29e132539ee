//! What becomes of an abstract path to a target: an execution, or something that tells the states on it apart.

use super::search::Path;
use crate::cegar::elsewhere;
use crate::evidence::{Confirm, Confirmation, confirm_within};
use crate::refinement::{PathInterpolants, Selection, interpolate, slice};
use analysis::sets::SetDomain;
use analysis::{Beside, Mixed, Nothing, RefinableBeside, Step};
use base::{Cancel, Counters};
use cfa::{Op, Program};
use semantics::choices::Choices;
use verdict::{Counterexample, Goals, Stop, Verdict};

/// What a path is.
pub enum Judgement {
    /// An execution takes it.
    Unsafe(Counterexample),
    /// No execution does, and that is known now.
    Refined,
    /// Neither was found out.
    Undecided(Stop),
}

/// Judges paths.
pub trait Judge<C: Beside, D: SetDomain> {
    /// Judges one path.
    fn judge(
        &mut self,
        asked: (&Program, &Goals),
        mixed: &mut Mixed<C, D>,
        precision: &mut C::Precision,
        path: &Path,
        counters: &mut Counters,
    ) -> Result<Judgement, Stop>;
}

impl Path {
    /// Whether it leads to C that is not modelled.
    pub fn ends_unsupported(&self, program: &Program) -> bool {
        self.unsupported(program).is_some()
    }

    fn unsupported(&self, program: &Program) -> Option<Stop> {
        let edge = &program.edges[self.steps.last()?.edge];
        match edge.op {
            Op::Unsupported(what) => Some(Stop::Unsupported { what: program.text(what).to_owned(), span: edge.span }),
            _ => None,
        }
    }

    /// Runs the program with the values that the sets chose.
    fn replay(&self, (program, goals): (&Program, &Goals), cancel: &Cancel) -> Verdict {
        if let Some(stop) = self.unsupported(program) {
            return Verdict::Unknown(stop);
        }
        let havocs = self.havocs.iter().map(|value| value.unwrap_or(0)).collect();
        // After the first condition that only looked possible, it may run forever.
        let most = 100 * self.steps.len() as u64 + 100_000;
        match confirm_within(program, &Choices { havocs, ..Choices::default() }, most, cancel) {
            Verdict::Unsafe(found) if goals.is_closed(program.targets[found.target].node) => {
                let last = self.steps.last().expect("a target is not the start");
                Verdict::Unknown(elsewhere(program, last.edge))
            }
            verdict => verdict,
        }
    }
}

/// By sets alone: a path that the interpreter cannot follow refines the classes of values.
pub struct BySets<'a>(pub &'a Cancel);

impl<D: SetDomain> Judge<Nothing, D> for BySets<'_> {
    fn judge(
        &mut self,
        (program, goals): (&Program, &Goals),
        mixed: &mut Mixed<Nothing, D>,
        _precision: &mut (),
        path: &Path,
        _counters: &mut Counters,
    ) -> Result<Judgement, Stop> {
        match path.replay((program, goals), self.0) {
            Verdict::Unsafe(counterexample) => Ok(Judgement::Unsafe(counterexample)),
            Verdict::Unknown(stop @ Stop::Undecided { .. }) => {
                let finer = mixed.sets.refine(program, &path.steps)?;
                Ok(if finer { Judgement::Refined } else { Judgement::Undecided(stop) })
            }
            Verdict::Unknown(stop) => Ok(Judgement::Undecided(stop)),
            Verdict::Safe(_) => Err(Stop::Evidence("a replay proves nothing".to_owned())),
        }
    }
}

/// By values: what makes a path impossible is tracked from now on [BL13], by the values if the sets do not.
///
/// 1. The interpreter runs with the values that the sets chose. 2. If strongest posts along the path contradict, the
///    precision gets the facts of one infeasible sliced prefix, first those that the sets say nothing about. 3. If not,
///    the path formula may have a model that the interpreter can follow. 4. At last the sets tell more values apart.
pub struct ByValues<'a> {
    /// Looks for an execution along a path.
    pub confirm: Confirm<'a>,
    /// Which prefix.
    pub selection: Selection,
    /// How many prefixes are looked at.
    pub most_prefixes: usize,
}

impl<C: RefinableBeside, D: SetDomain> Judge<C, D> for ByValues<'_> {
    fn judge(
        &mut self,
        (program, goals): (&Program, &Goals),
        mixed: &mut Mixed<C, D>,
        precision: &mut C::Precision,
        path: &Path,
        counters: &mut Counters,
    ) -> Result<Judgement, Stop> {
        let replayed = path.replay((program, goals), self.confirm.cancel); // 1
        let mut stop = match replayed {
            Verdict::Unsafe(counterexample) => return Ok(Judgement::Unsafe(counterexample)),
            Verdict::Unknown(stop) => stop,
            Verdict::Safe(_) => return Err(Stop::Evidence("a replay proves nothing".to_owned())),
        };
        self.confirm.cancel.check()?;
        let sequences = self.sequences(&mut mixed.values, &path.steps)?;
        if sequences.is_empty() && !path.ends_unsupported(program) {
            // 3
            match self.confirm.path(&mut mixed.values, &path.steps) {
                Confirmation::Unsafe(counterexample) => return Ok(Judgement::Unsafe(counterexample)),
                Confirmation::Undecided(why) => stop = why,
            }
        }
        if self.track(mixed, precision, path, &sequences, Which::Others, counters) // 2
            || mixed.sets.refine(program, &path.steps)? // 4
            || self.track(mixed, precision, path, &sequences, Which::All, counters)
        {
            return Ok(Judgement::Refined);
        }
        Ok(Judgement::Undecided(stop))
    }
}

/// Which facts a refinement may track.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those that the sets say nothing about.
    Others,
    All,
}

impl ByValues<'_> {
    /// The interpolants of the infeasible sliced prefixes, the best one first.
    fn sequences<C: RefinableBeside>(
        &self,
        values: &mut C,
        steps: &[Step],
    ) -> Result<Vec<PathInterpolants<C::Fact>>, Stop> {
        let limit = if self.selection.is_first() { 1 } else { self.most_prefixes };
        let sliced = slice(values, steps, limit, self.confirm.cancel)?;
        let mut choices = Vec::new();
        for &end in &sliced.contradictions {
            choices.push(interpolate(values, steps, &sliced, end, self.confirm.cancel)?);
        }
        let mut ordered = Vec::with_capacity(choices.len());
        while !choices.is_empty() {
            ordered.push(choices.swap_remove(self.selection.choose(values, &choices)));
        }
        Ok(ordered)
    }

    fn track<C: RefinableBeside, D: SetDomain>(
        &self,
        mixed: &mut Mixed<C, D>,
        precision: &mut C::Precision,
        path: &Path,
        sequences: &[PathInterpolants<C::Fact>],
        which: Which,
        counters: &mut Counters,
    ) -> bool {
        for sequence in sequences {
            let mut new = 0;
            for (position, facts) in sequence.facts.iter().enumerate().skip(1) {
                for &fact in facts {
                    let in_sets = mixed.values.register_of(fact).is_some_and(|var| mixed.sets.tracks(var));
                    let node = path.steps[position - 1].to.node;
                    if (which == Which::All || !in_sets) && mixed.values.track(precision, node, fact) {
                        counters.trail.add(Some(node.0), || mixed.values.name(fact));
                        new += 1;
                    }
                }
            }
            counters.add("tracked items", new);
            if new > 0 {
                return true;
            }
        }
        false
    }
}
