//! How much of the time left a step inside an analysis may take: checks of proofs, second looks, short tries. One table
//! for all of them, so that `--explain` can show it and a preset can change it.
//!
//! The parts of a sequence have their shares in its plan; this is about what each of them does with its own time.

use std::sync::Arc;
use std::time::Duration;

/// A step that has a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Which checks intervals prove.
    CheapChecks,
    /// Which branches intervals decide.
    CheapBranches,
    /// Whether a solver confirms invariants.
    Invariants,
    /// Whether a solver confirms sets of states alongside values.
    Sets,
    /// Whether a solver confirms sets of states that are the whole proof.
    SetsAlone,
    /// Whether invariants of predicates stand on their own.
    SecondLook,
    /// Invariants for a proof by unrolling.
    UnrolledInvariants,
    /// An execution near an undecided path of predicates.
    UnrolledPath,
    /// The formula of a program that is unrolled completely.
    Complete,
    /// A box of inputs that intervals do not decide.
    BoxQuestion,
    /// Whether a solver confirms boxes of inputs that are drawn at random.
    BoxSamples,
    /// The step of an induction over few visits of loop heads.
    FewVisits,
    /// The wait of the first induction step for the first facts.
    FirstFacts,
    /// A measure for one loop while supporting facts are still to come.
    Measure,
    /// One question about a guessed measure.
    MeasureQuestion,
    /// One question about the steps of a loop that may be a fold.
    FoldQuestion,
    /// A simpler counterexample.
    Simplify,
    /// The check of a proof by the second encoder.
    Independent,
    /// Hints from the store.
    Hints,
}

/// What a budget allows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allowance {
    /// The share of the time that it is taken from.
    pub share: f64,
    /// At least so much, as far as there is time.
    pub least: Duration,
    /// At most so much.
    pub most: Option<Duration>,
}

impl Allowance {
    /// The budget where the time that it is taken from is `time`.
    pub fn of(&self, time: Duration) -> Duration {
        let share = time.mul_f64(self.share).max(self.least);
        self.most.map_or(share, |most| share.min(most))
    }
}

impl std::fmt::Display for Allowance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} %", self.share * 100.0)?;
        if !self.least.is_zero() {
            write!(f, ", at least {} s", self.least.as_secs_f64())?;
        }
        self.most.map_or(Ok(()), |most| write!(f, ", at most {} s", most.as_secs_f64()))
    }
}

/// One row of the policy.
struct Row {
    budget: Budget,
    name: &'static str,
    purpose: &'static str,
    allowance: Allowance,
}

const fn row(
    budget: Budget,
    name: &'static str,
    (share, least, most): (f64, u64, Option<u64>),
    purpose: &'static str,
) -> Row {
    let most = match most {
        Some(most) => Some(Duration::from_millis(most)),
        None => None,
    };
    Row { budget, name, purpose, allowance: Allowance { share, least: Duration::from_millis(least), most } }
}

/// The policy: share of the time left (unless the purpose says otherwise), least and most in milliseconds.
#[rustfmt::skip]
const POLICY: [Row; 19] = [
    row(Budget::CheapChecks, "cheap-checks", (0.1, 0, Some(10_000)), "checks that intervals prove, before any analysis"),
    row(Budget::CheapBranches, "cheap-branches", (0.05, 0, Some(5_000)), "branches that intervals decide, before any analysis"),
    row(Budget::Invariants, "invariants", (0.125, 0, Some(20_000)), "a solver confirms invariants"),
    row(Budget::Sets, "sets", (0.125, 0, Some(20_000)), "a solver confirms sets of states alongside values"),
    row(Budget::SetsAlone, "sets-alone", (0.75, 0, None), "a solver confirms sets of states that are the whole proof"),
    row(Budget::SecondLook, "second-look", (0.05, 0, Some(2_000)), "whether invariants of predicates stand on their own"),
    row(Budget::UnrolledInvariants, "unrolled-invariants", (0.25, 0, None), "invariants for a proof by unrolling"),
    row(Budget::UnrolledPath, "unrolled-path", (0.25, 0, None), "an execution near an undecided path of predicates"),
    row(Budget::Complete, "complete", (0.25, 300, None), "the formula of a program that is unrolled completely"),
    row(Budget::BoxQuestion, "box-question", (0.05, 0, Some(1_000)), "one question about a box of inputs"),
    row(Budget::BoxSamples, "box-samples", (0.05, 0, Some(300)), "a solver confirms boxes of inputs drawn at random"),
    row(Budget::FewVisits, "few-visits", (0.25, 0, Some(20_000)), "the induction step over few visits of loop heads"),
    row(Budget::FirstFacts, "first-facts", (1.0, 0, Some(300)), "the first induction step waits for the first facts"),
    row(Budget::Measure, "measure", (1.0, 0, Some(4_000)), "a measure for one loop while supporting facts are to come"),
    row(Budget::MeasureQuestion, "measure-question", (1.0, 0, Some(2_000)), "one question about a guessed measure"),
    row(Budget::FoldQuestion, "fold-question", (0.05, 0, Some(20_000)), "one question about the steps of a fold"),
    row(Budget::Simplify, "simplify", (1.0, 0, Some(1_000)), "a simpler counterexample"),
    row(Budget::Independent, "independent", (0.2, 200, None), "the second encoder's check, as a share of the time that the proof took"),
    row(Budget::Hints, "hints", (2.0, 2_000, None), "hints from the store, as a share of the time that the answer took then"),
];

/// The policy of a run.
#[derive(Clone, Debug)]
pub struct Budgets(Arc<[Allowance; POLICY.len()]>);

impl Default for Budgets {
    fn default() -> Self {
        Budgets(Arc::new(POLICY.map(|row| row.allowance)))
    }
}

impl Budgets {
    /// What a step may take.
    pub fn allowance(&self, budget: Budget) -> Allowance {
        let at = budget as usize;
        assert_eq!(POLICY[at].budget, budget, "rows come in the order of the names");
        self.0[at]
    }

    /// Changes the budget of a name; the known names if there is none such.
    pub fn change(&mut self, name: &str, change: impl FnOnce(&mut Allowance)) -> Result<(), String> {
        let at = POLICY.iter().position(|row| row.name == name);
        let Some(at) = at else {
            return Err(format!("known are {}", POLICY.map(|row| row.name).join(", ")));
        };
        change(&mut Arc::make_mut(&mut self.0)[at]);
        Ok(())
    }

    /// Name, allowance and purpose of every budget.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, Allowance, &'static str)> {
        POLICY.iter().zip(self.0.iter()).map(|(row, allowance)| (row.name, *allowance, row.purpose))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cancel;

    #[test]
    fn every_budget_has_its_own_row() {
        for (at, row) in POLICY.iter().enumerate() {
            assert_eq!(row.budget as usize, at, "{}", row.name);
            assert!(row.allowance.share > 0.0 && !row.purpose.is_empty());
            assert!(POLICY[..at].iter().all(|other| other.name != row.name), "{}", row.name);
        }
    }

    #[test]
    fn a_share_lies_between_its_bounds() {
        let allowance = Allowance { share: 0.5, least: Duration::from_secs(2), most: Some(Duration::from_secs(8)) };
        let of = |seconds| allowance.of(Duration::from_secs(seconds)).as_secs();
        assert_eq!([of(1), of(10), of(60)], [2, 5, 8]);
        assert_eq!(allowance.to_string(), "50 %, at least 2 s, at most 8 s");
    }

    #[test]
    fn budgets_limit_what_is_done_within_them() {
        let mut budgets = Budgets::default();
        budgets.change("simplify", |allowance| allowance.most = Some(Duration::ZERO)).expect("a budget");
        assert!(budgets.change("simple", |_| ()).expect_err("no budget").contains("simplify"));
        let cancel = Cancel::never().with_budgets(budgets);
        assert!(cancel.child(None).within(Budget::Simplify).is_stopped());
        assert!(!cancel.within(Budget::UnrolledPath).is_stopped());
        assert_eq!(Cancel::never().within(Budget::UnrolledPath).remaining(), None);
    }
}
