//! Refinement selection [BLW15b]: which infeasible sliced prefix to exclude, judged by its interpolants.

use super::interpolants::Interpolants;
use analysis::PathDomain;
use std::collections::BTreeSet;
use std::str::FromStr;

/// What of a refinement is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Steps of the prefix.
    Length,
    /// Positions at which something must be tracked.
    Width,
    /// The first position at which something must be tracked (the pivot).
    Depth,
    /// What the tracked facts cost.
    Score,
}

/// Which end of the scale is preferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Small values.
    Min,
    /// Large values.
    Max,
}

/// A heuristic: measures in order of importance; what they leave open goes to the first prefix.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection(pub Vec<(Measure, Direction)>);

impl Selection {
    /// Whether the first prefix is always taken, so that the others need no interpolants.
    pub fn is_first(&self) -> bool {
        self.0.is_empty()
    }

    /// The index of the preferred refinement.
    pub fn choose<D: PathDomain>(&self, domain: &D, refinements: &[Interpolants<D::Fact>]) -> usize {
        let rank = |refinement: &Interpolants<D::Fact>| -> Vec<i128> {
            let value = |&(measure, direction): &(Measure, Direction)| {
                let value = i128::from(measure.of(domain, refinement));
                if direction == Direction::Min { value } else { -value }
            };
            self.0.iter().map(value).collect()
        };
        let best = refinements.iter().enumerate().min_by_key(|(at, refinement)| (rank(refinement), *at));
        best.map_or(0, |(at, _)| at)
    }
}

impl Measure {
    fn of<D: PathDomain>(self, domain: &D, refinement: &Interpolants<D::Fact>) -> u64 {
        match self {
            Measure::Length => refinement.end as u64,
            Measure::Width => refinement.facts.iter().filter(|facts| !facts.is_empty()).count() as u64,
            Measure::Depth => {
                refinement.facts.iter().position(|facts| !facts.is_empty()).unwrap_or(refinement.end) as u64
            }
            Measure::Score => {
                let distinct: BTreeSet<D::Fact> = refinement.facts.iter().flatten().copied().collect();
                distinct.into_iter().map(|fact| domain.cost(fact)).fold(0, u64::saturating_add)
            }
        }
    }
}

/// `none`, `length-min`, `width-max`, `depth-min`, `score-min`, combinations as `width-min+score-min`; without a
/// direction `min` is meant.
impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::default());
        }
        let part = |part: &str| {
            let (name, direction) = match part.rsplit_once('-') {
                Some((name, "min")) => (name, Direction::Min),
                Some((name, "max")) => (name, Direction::Max),
                Some(_) | None => (part, Direction::Min),
            };
            let measure = match name {
                "length" => Measure::Length,
                "width" => Measure::Width,
                "depth" => Measure::Depth,
                "score" => Measure::Score,
                _ => {
                    return Err(format!(
                        "no refinement selection `{part}`: length, width, depth or score, -min or -max"
                    ));
                }
            };
            Ok((measure, direction))
        };
        text.split('+').map(part).collect::<Result<_, _>>().map(Selection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heuristics_have_names() {
        assert_eq!("none".parse(), Ok(Selection::default()));
        assert_eq!("depth-max".parse(), Ok(Selection(vec![(Measure::Depth, Direction::Max)])));
        let both = Selection(vec![(Measure::Width, Direction::Min), (Measure::Score, Direction::Min)]);
        assert_eq!("width+score".parse(), Ok(both));
        assert!("size".parse::<Selection>().is_err());
    }
}
