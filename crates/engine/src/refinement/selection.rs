//! Refinement selection [BLW15b]: which infeasible sliced prefix to exclude, judged by its interpolants.

use super::interpolants::PathInterpolants;
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

    /// The index of the preferred refinement of one domain.
    pub fn choose<D: PathDomain>(&self, domain: &D, refinements: &[PathInterpolants<D::Fact>]) -> usize {
        let measured: Vec<Measurements> = refinements.iter().map(|one| Measurements::of(domain, one)).collect();
        self.best(&measured)
    }

    /// The index of the preferred refinement.
    pub fn best(&self, refinements: &[Measurements]) -> usize {
        assert!(!refinements.is_empty(), "there is something to choose from");
        let rank = |refinement: &Measurements| -> Vec<i128> {
            let value = |&(measure, direction): &(Measure, Direction)| {
                let value = i128::from(refinement.get(measure));
                if direction == Direction::Min { value } else { -value }
            };
            self.0.iter().map(value).collect()
        };
        let best = refinements.iter().enumerate().min_by_key(|(at, refinement)| (rank(refinement), *at));
        best.map_or(0, |(at, _)| at)
    }
}

/// What heuristics know of a refinement, whatever the domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measurements {
    /// [`Measure::Length`].
    pub length: u64,
    /// [`Measure::Width`].
    pub width: u64,
    /// [`Measure::Depth`].
    pub depth: u64,
    /// [`Measure::Score`].
    pub score: u64,
}

impl Measurements {
    /// Measures interpolants.
    pub fn of<D: PathDomain>(domain: &D, refinement: &PathInterpolants<D::Fact>) -> Measurements {
        let end = refinement.end as u64;
        let distinct: BTreeSet<D::Fact> = refinement.facts.iter().flatten().copied().collect();
        Measurements {
            length: end,
            width: refinement.facts.iter().filter(|facts| !facts.is_empty()).count() as u64,
            depth: refinement.positions().find(|(_, facts)| !facts.is_empty()).map_or(end, |(at, _)| at as u64),
            score: distinct.into_iter().map(|fact| domain.cost(fact)).fold(0, u64::saturating_add),
        }
    }

    fn get(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Length => self.length,
            Measure::Width => self.width,
            Measure::Depth => self.depth,
            Measure::Score => self.score,
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
