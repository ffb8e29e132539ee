//! Cases: ranges of values of single inputs. With a range or a value in place of an input, branches are decided, loops
//! have constant bounds and sums are plain, so that each case may be easy where all at once are not.
//!
//! An input is named by its place in the unrolled program, which does not depend on what is known of other inputs. So
//! the ranges into which one input of a case is split make cases that together are all of that case.

use crate::Encoder;
use crate::interval::{Interval, WIDEST};
use cfa::{EdgeId, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{BitVec, Op, Sort, TermId, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where an input is read in the unrolled program: the calls that are running, the iterations of loops, and the edge.
pub type InputPlace = Arc<[u32]>;

/// The executions in which some inputs lie in ranges, as their bits.
#[derive(Clone, Debug, Default)]
pub struct InputCase {
    ranges: BTreeMap<InputPlace, (u64, u64)>,
}

impl InputCase {
    /// Those executions of this case in which one more input lies in a range, or one lies in a smaller range.
    pub fn with(&self, place: &InputPlace, range: (u64, u64)) -> InputCase {
        let mut ranges = self.ranges.clone();
        let before = ranges.insert(place.clone(), range);
        assert!(range.0 <= range.1, "a range has values");
        assert!(before.is_none_or(|(low, high)| low <= range.0 && range.1 <= high), "a case becomes smaller");
        InputCase { ranges }
    }
}

/// An input and ranges that contain all its values, each value once.
#[derive(Clone, Debug)]
pub struct Split {
    /// Where the input is read.
    pub place: InputPlace,
    /// The ranges.
    pub parts: Vec<(u64, u64)>,
}

/// How a case may be split.
#[derive(Clone, Debug)]
pub struct Splits {
    /// By one of these inputs; any will do.
    pub by: Vec<Split>,
    /// How many values the inputs have together on which open conditions depend.
    pub values: f64,
}

/// An input with this many values or fewer is split into single ones.
const FEW_VALUES: u64 = 16;
/// An input with more values is only split where the program compares it with constants.
const MANY_VALUES: u64 = 1 << 13;
/// How many conditions that a case leaves open are noted.
const MOST_OPEN: usize = 256;
/// How many terms are looked at for what a condition compares.
const MOST_TERMS: usize = 256;
/// How many inputs are offered to split.
const MOST_OFFERS: usize = 4;

/// What an encoder knows about its case.
#[derive(Default)]
pub(crate) struct Cases {
    case: InputCase,
    /// Inputs that may be split: where they are read and their ranges, by the variables that stand for them.
    inputs: FxHashMap<TermId, (InputPlace, (u64, u64))>,
    /// Where inputs were read that have a place.
    read: FxHashSet<InputPlace>,
    /// Conditions of branches that were not decided, in the order of the unrolled program.
    open: Vec<TermId>,
    /// Where the next step is, without its edge.
    here: Vec<u32>,
}

impl Encoder<'_> {
    /// Only executions of this case are encoded from now on.
    pub fn restrict(&mut self, case: &InputCase) {
        self.cases.case = case.clone();
    }

    /// Where the next step of the unrolled program is.
    pub(crate) fn set_here(&mut self, here: Vec<u32>) {
        self.cases.here = here;
    }

    pub(crate) fn note_open(&mut self, condition: TermId) {
        if self.known.is_some() && self.cases.open.len() < MOST_OPEN {
            self.cases.open.push(condition);
        }
    }

    /// What stands for an input: any value, or one of the case.
    pub(crate) fn input(&mut self, edge: EdgeId, ty: Scalar, sort: Sort) -> TermId {
        let Sort::BitVec(width @ 1..=WIDEST) = sort else { return self.terms.fresh_var("?input", sort) };
        if self.cases.here.is_empty() || !ty.is_int() {
            return self.terms.fresh_var("?input", sort);
        }
        let mut place = std::mem::take(&mut self.cases.here);
        place.push(edge.0);
        let place: InputPlace = place.into();
        let is_first = self.cases.read.insert(place.clone());
        assert!(is_first, "ranges of one input would be taken for those of another");
        let range = self.cases.case.ranges.get(&place).copied();
        if let Some((low, high)) = range
            && low == high
        {
            return self.terms.bv_u64(width, low);
        }
        let value = self.terms.fresh_var("?input", sort);
        if let Some((low, high)) = range {
            let bounds = [self.terms.bv_u64(width, low), self.terms.bv_u64(width, high)];
            let (above, below) = (self.terms.bv_ule(bounds[0], value), self.terms.bv_ule(value, bounds[1]));
            let inside = self.terms.and([above, below]);
            // Where the input is not read, the variable is free, so it may as well have a value of the range.
            self.define(value, inside);
            let all = Interval::full(width).expect("the width was checked");
            let interval = all.meet_unsigned(low.into(), high.into()).expect("a range has values");
            self.note_everywhere(value, interval);
        }
        let range = range.unwrap_or((0, BitVec::ones(width).to_u64().expect("the width was checked")));
        self.cases.inputs.insert(value, (place, range));
        value
    }

    /// How to split the case so that more becomes known: by the first open condition that depends on inputs. If it
    /// compares one with constants, into ranges in which comparisons are decided; otherwise any of them may be halved that
    /// has not too many values.
    pub fn splits(&self) -> Option<Splits> {
        let by = self.cases.open.iter().map(|condition| self.splits_by(*condition)).find(|by| !by.is_empty())?;
        let variables = self.terms.free_vars(&self.cases.open);
        let counts = self.inputs(&variables).map(|(_, (low, high))| (high - low) as f64 + 1.0);
        Some(Splits { by, values: counts.product() })
    }

    /// The inputs among variables.
    fn inputs(&self, variables: &[VarId]) -> impl Iterator<Item = &(InputPlace, (u64, u64))> {
        variables.iter().filter_map(|variable| self.cases.inputs.get(&self.terms.var_term(*variable)))
    }

    fn splits_by(&self, condition: TermId) -> Vec<Split> {
        let mut landmarks = Landmarks { encoder: self, points: BTreeMap::new(), left: MOST_TERMS };
        landmarks.condition(condition);
        for (input, points) in landmarks.points {
            let Some((place, range)) = self.cases.inputs.get(&input) else { continue };
            let parts = cut(*range, &points);
            if parts.len() > 1 {
                return vec![Split { place: place.clone(), parts }];
            }
        }
        let variables = self.terms.free_vars(&[condition]);
        let small = self.inputs(&variables).filter(|(_, (low, high))| high - low < MANY_VALUES);
        let split = |(place, range): &(InputPlace, (u64, u64))| Split { place: place.clone(), parts: halves(*range) };
        small.take(MOST_OFFERS).map(split).collect()
    }
}

/// A range as two, or as single values if there are few.
fn halves((low, high): (u64, u64)) -> Vec<(u64, u64)> {
    if high - low < FEW_VALUES {
        return (low..=high).map(|value| (value, value)).collect();
    }
    let middle = low + (high - low) / 2;
    vec![(low, middle), (middle + 1, high)]
}

/// The parts of a range of which all but the first begin at one of these points.
fn cut((low, high): (u64, u64), points: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let inside = points.iter().copied().filter(|point| low < *point && *point <= high);
    let starts: Vec<u64> = [low].into_iter().chain(inside).collect();
    let ends = starts.iter().skip(1).map(|start| start - 1).chain([high]);
    starts.iter().copied().zip(ends).collect()
}

/// Where comparisons with constants change their truth value, by the input that is compared.
struct Landmarks<'a, 'p> {
    encoder: &'a Encoder<'p>,
    points: BTreeMap<TermId, BTreeSet<u64>>,
    /// Terms that may still be looked at.
    left: usize,
}

impl Landmarks<'_, '_> {
    fn condition(&mut self, condition: TermId) {
        let Some(fewer) = self.left.checked_sub(1) else { return };
        self.left = fewer;
        let terms = &self.encoder.terms;
        let args = terms.args(condition);
        let constant = |at: usize| args.get(at).and_then(|arg| terms.as_bv(*arg)).and_then(BitVec::to_u64);
        match terms.op(condition) {
            Op::Not | Op::And | Op::Or => args.iter().for_each(|arg| self.condition(*arg)),
            Op::Eq | Op::Ite if terms.sort(args[1]) == Sort::Bool => args.iter().for_each(|arg| self.condition(*arg)),
            op @ (Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle) => {
                let (value, other) = match (constant(0), constant(1)) {
                    (None, Some(other)) => (args[0], other),
                    (Some(other), None) => (args[1], other),
                    _ => return,
                };
                let width = terms.width(value);
                if width > WIDEST {
                    return;
                }
                // Ranges change where the constant begins or ends, and where the order of numbers does.
                let first = if matches!(op, Op::BvSlt | Op::BvSle) { 1 << (width - 1) } else { 0 };
                self.value(value, &[first, other, wrapping(other.wrapping_add(1), width)]);
            }
            _ => {}
        }
    }

    /// Something happens where a term reaches these points.
    fn value(&mut self, term: TermId, points: &[u64]) {
        let Some(fewer) = self.left.checked_sub(1) else { return };
        self.left = fewer;
        let terms = &self.encoder.terms;
        let width = terms.width(term);
        let constant = |term: TermId| terms.as_bv(term).and_then(BitVec::to_u64);
        let moved = |by: u64| points.iter().map(|point| wrapping(point.wrapping_sub(by), width)).collect::<Vec<_>>();
        match (terms.op(term), terms.args(term)) {
            (Op::Var(_), _) => self.points.entry(term).or_default().extend(points),
            (Op::BvZeroExtend(_), &[inner]) => {
                let inside = |point: &&u64| wrapping(**point, terms.width(inner)) == **point;
                self.value(inner, &points.iter().filter(inside).copied().collect::<Vec<_>>());
            }
            (Op::BvSignExtend(_), &[inner]) => {
                let narrow = terms.width(inner);
                let extended = |bits: u64| {
                    let wide = ((bits << (64 - narrow)) as i64 >> (64 - narrow)) as u64;
                    wrapping(wide, width)
                };
                let inside = points.iter().map(|point| wrapping(*point, narrow));
                let inside: Vec<u64> = inside.filter(|point| points.contains(&extended(*point))).collect();
                self.value(inner, &inside);
            }
            (Op::BvAdd, &[a, b]) => match (constant(a), constant(b)) {
                (None, Some(by)) => self.value(a, &moved(by)),
                (Some(by), None) => self.value(b, &moved(by)),
                _ => {}
            },
            (Op::BvSub, &[a, b]) => {
                if let Some(by) = constant(b) {
                    self.value(a, &moved(by.wrapping_neg()));
                }
            }
            (Op::Ite, &[condition, yes, no]) => {
                self.condition(condition);
                self.value(yes, points);
                self.value(no, points);
            }
            _ => {}
        }
    }
}

/// The low bits of a number.
fn wrapping(value: u64, width: u32) -> u64 {
    value & (u64::MAX >> (64 - width))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of parts, which come in order.
    fn values(parts: &[(u64, u64)]) -> Vec<u64> {
        parts.iter().flat_map(|(low, high)| *low..=*high).collect()
    }

    #[test]
    fn parts_contain_every_value_once() {
        for low in 0..8 {
            for high in low + 1..40 {
                let all: Vec<u64> = (low..=high).collect();
                assert_eq!(values(&halves((low, high))), all);
                let points = BTreeSet::from([0, 3, 4, 17, 39, 200]);
                let parts = cut((low, high), &points);
                assert_eq!(values(&parts), all);
                assert!(parts[1..].iter().all(|(first, _)| points.contains(first)));
            }
        }
        let widest = halves((0, u64::MAX));
        assert_eq!(widest, [(0, u64::MAX / 2), (u64::MAX / 2 + 1, u64::MAX)]);
        assert_eq!(cut((0, u64::MAX), &BTreeSet::from([0, 1 << 63])), widest);
    }

    #[test]
    fn cases_become_smaller() {
        let (first, second): (InputPlace, InputPlace) = (vec![1, 2].into(), vec![1, 3].into());
        let case = InputCase::default().with(&first, (0, 9)).with(&second, (4, 4)).with(&first, (3, 5));
        assert_eq!(case.ranges[&first], (3, 5));
    }
}
