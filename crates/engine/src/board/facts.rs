//! Facts on the board: what was proved of the program.

use super::{Part, Trust};
use crate::facts::Facts;

/// Where facts come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactOrigin {
    /// Intervals and congruences.
    Intervals,
    /// Affine equalities.
    Affine,
    /// Bounds of sums and differences.
    Octagons,
    /// Guessed orders of variables.
    Order,
    /// Guesses made of the program's terms.
    Terms,
    /// Guesses about places in memory.
    Places,
    /// Guesses about sizes of objects, and what lies in them.
    Rooms,
}

/// Facts with where they come from.
#[derive(Clone, Debug)]
pub struct Proved {
    /// How they were found.
    pub source: FactOrigin,
    /// Who proved them.
    pub by: Part,
    /// The facts.
    pub facts: Facts,
}

impl Proved {
    /// A source gives nothing away that it did not check.
    pub const TRUST: Trust = Trust::Proved;
}

#[cfg(test)]
mod tests {
    use super::super::Board;
    use super::*;
    use base::Stopped;
    use verdict::Stop;

    #[test]
    fn facts_are_found_once_and_build_on_each_other() {
        let all = Board::default();
        let (board, other) = (all.part(), all.part());
        let facts = || Facts { exprs: cfa::Exprs::new(cfa::DataModel::Lp64), facts: Vec::new() };
        let count = |source: FactOrigin, expected: usize| {
            let found = board.facts(source, |known| {
                assert_eq!(known.len(), expected);
                Ok(facts())
            });
            assert!(found.is_ok());
        };
        count(FactOrigin::Intervals, 0);
        count(FactOrigin::Affine, 1);
        assert!(other.facts(FactOrigin::Intervals, |_| panic!("they are known")).is_ok());
        assert!(board.facts(FactOrigin::Order, |_| Err(Stop::Limit(Stopped::Time))).is_err());
        count(FactOrigin::Order, 2);
        assert!(all.proved().iter().all(|proved| proved.by == board.who()));
    }
}
