//! Formulas in which numbers are added up in one order and in another, perhaps fewer of them in some cases. Solvers that
//! look at bits take long for five summands; case by case, definitions and the order of summands decide.

use super::eliminate::without_definitions;
use crate::bitvec::BitVec;
use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Fewer sums of two unknown numbers than this are left to solvers.
const SUMS: usize = 3;
/// Larger formulas, in distinct subterms, are left to solvers.
const LARGEST: usize = 1_500;
/// Most cases.
const CASES: u32 = 100;
/// Most values of a variable that are looked at one by one.
const VALUES: i128 = 8;

impl Terms {
    /// Whether conjuncts are so much about sums that looking at cases may be faster than a solver.
    pub fn is_of_sums(&self, conjuncts: &[TermId]) -> bool {
        let parts = self.reachable(conjuncts);
        let is_sum = |part: &&TermId| {
            self.op(**part) == Op::BvAdd && {
                let (a, b) = self.pair(**part);
                !self.is_value(a) && !self.is_value(b)
            }
        };
        parts.len() <= LARGEST && parts.iter().filter(is_sum).count() >= SUMS
    }

    /// Whether conjuncts about sums have no model, as far as a few cases show.
    pub fn is_refuted_by_sums(&mut self, conjuncts: &[TermId]) -> bool {
        self.is_of_sums(conjuncts) && Refuter { terms: self, cases: CASES }.refutes(conjuncts.to_vec())
    }
}

struct Refuter<'a> {
    terms: &'a mut Terms,
    /// How many cases may still be looked at.
    cases: u32,
}

impl Refuter<'_> {
    /// Looks at the values of a variable that has few, at both sides of a choice, and so on, until each case is plainly
    /// contradictory, or one is not.
    fn refutes(&mut self, conjuncts: Vec<TermId>) -> bool {
        let conjuncts = without_definitions(self.terms, conjuncts);
        if conjuncts.iter().any(|&part| self.terms.as_bool(part) == Some(false) || self.denies_order(part)) {
            return true;
        }
        if let Some((variable, values)) = self.few_values(&conjuncts) {
            return values.into_iter().all(|value| self.refutes_case(&conjuncts, variable, value));
        }
        let Some(condition) = self.choice(&conjuncts) else { return false };
        [true, false].into_iter().all(|value| {
            let literal = if value { condition } else { self.terms.not(condition) };
            let all: Vec<TermId> = conjuncts.iter().copied().chain([literal]).collect();
            let value = self.terms.bool(value);
            self.refutes_case(&all, condition, value)
        })
    }

    /// Literals that are the part itself stay as they are, for they say what the case is.
    fn refutes_case(&mut self, conjuncts: &[TermId], part: TermId, value: TermId) -> bool {
        let Some(left) = self.cases.checked_sub(1) else { return false };
        self.cases = left;
        let negated = (self.terms.sort(part) == Sort::Bool).then(|| self.terms.not(part));
        let (literals, others): (Vec<TermId>, Vec<TermId>) =
            conjuncts.iter().partition(|&&conjunct| conjunct == part || Some(conjunct) == negated);
        if literals.iter().any(|&literal| literal != literals[0]) {
            return true;
        }
        let mut case = self.terms.substitute_all(&others, &FxHashMap::from_iter([(part, value)]));
        case.extend(literals);
        self.refutes(case)
    }

    /// Whether a conjunct says that terms differ that are the same up to the order of their parts.
    fn denies_order(&mut self, conjunct: TermId) -> bool {
        if self.terms.op(conjunct) != Op::Not || self.terms.op(self.terms.arg(conjunct)) != Op::Eq {
            return false;
        }
        let (a, b) = self.terms.pair(self.terms.arg(conjunct));
        if !matches!(self.terms.sort(a), Sort::BitVec(_)) {
            return false;
        }
        let same = self.terms.eq_up_to_order(a, b);
        self.terms.as_bool(same) == Some(true)
    }

    /// The variable to which bounds leave the fewest values, if these are few.
    fn few_values(&mut self, conjuncts: &[TermId]) -> Option<(TermId, Vec<TermId>)> {
        let mut bounds: BTreeMap<TermId, (Option<i128>, Option<i128>)> = BTreeMap::new();
        for &conjunct in conjuncts {
            let (holds, atom) = match self.terms.op(conjunct) {
                Op::Not => (false, self.terms.arg(conjunct)),
                _ => (true, conjunct),
            };
            if self.terms.op(atom) != Op::BvSlt {
                continue;
            }
            let (x, limit) = self.terms.pair(atom);
            let limit = self.terms.as_bv(limit).and_then(BitVec::to_i128);
            if let (Some(_), Some(limit)) = (self.terms.as_var(x), limit) {
                let (low, high) = bounds.entry(x).or_default();
                if holds {
                    let Some(limit) = limit.checked_sub(1) else { continue };
                    *high = Some(high.map_or(limit, |known| known.min(limit)));
                } else {
                    *low = Some(low.map_or(limit, |known| known.max(limit)));
                }
            }
        }
        let range = |(x, (low, high)): (TermId, (Option<i128>, Option<i128>))| {
            let (low, high) = (low?, high?);
            high.checked_sub(low).filter(|&length| length < VALUES).map(|length| (length, x, low, high))
        };
        let (_, x, low, high) = bounds.into_iter().filter_map(range).min()?;
        let width = self.terms.width(x);
        Some((x, (low..=high).map(|value| self.terms.bv(BitVec::from_signed(width, value))).collect()))
    }

    /// A part of a disjunction, or else the condition of a conditional.
    fn choice(&self, conjuncts: &[TermId]) -> Option<TermId> {
        let alternative = |&conjunct: &TermId| match self.terms.op(conjunct) {
            Op::Or => self.terms.args(conjunct).first().copied(),
            Op::Not if self.terms.op(self.terms.arg(conjunct)) == Op::And => {
                self.terms.args(self.terms.arg(conjunct)).first().copied()
            }
            _ => None,
        };
        if let Some(part) = conjuncts.iter().find_map(alternative) {
            return Some(part);
        }
        let parts = self.terms.reachable(conjuncts);
        let choice = parts.iter().find(|&&part| self.terms.op(part) == Op::Ite)?;
        Some(self.terms.triple(*choice).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smtlib::Command;

    fn refutes(conjuncts: &str) -> bool {
        let script = "(declare-const a (_ BitVec 8)) (declare-const b (_ BitVec 8)) (declare-const c (_ BitVec 8))
            (declare-const d (_ BitVec 8)) (declare-const n (_ BitVec 8)) (declare-const s (_ BitVec 8))
            (declare-const w (_ BitVec 128)) ";
        let mut terms = Terms::new();
        let commands = terms.read_script(&format!("{script} (assert (and {conjuncts}))")).expect("a script");
        let formulas = commands.iter().filter_map(|command| match command {
            Command::Assert(formula) => Some(*formula),
            Command::Push(_) | Command::Pop(_) | Command::Check(_) => None,
        });
        let formulas: Vec<TermId> = formulas.collect();
        terms.is_refuted_by_sums(&formulas)
    }

    #[test]
    fn the_order_of_summands_does_not_matter() {
        let sum = "(= s (bvadd a (bvadd b (bvadd c d))))";
        assert!(refutes(&format!("{sum} (distinct s (bvadd (bvadd d b) (bvadd a c)))")));
        assert!(!refutes(&format!("{sum} (distinct s (bvadd (bvadd d b) (bvadd a a)))")));
    }

    #[test]
    fn each_number_of_summands_is_a_case() {
        let bounds = "(bvslt n #x04) (not (bvslt n #x00))";
        let up = "(= s (ite (= n #x00) #x00 (bvadd a (ite (= n #x01) #x00 (bvadd b (ite (= n #x02) #x00 c))))))";
        let down = |last: &str| {
            format!(
                "(or (and (= n #x03) (distinct s (bvadd (bvadd {last} b) a))) (and (= n #x02) (distinct s (bvadd b a)))
                 (and (= n #x01) (distinct s a)) (and (= n #x00) (distinct s #x00)))"
            )
        };
        assert!(refutes(&format!("{bounds} {up} {}", down("c"))));
        assert!(!refutes(&format!("{bounds} {up} {}", down("d"))));
        assert!(!refutes(&format!("{up} {} (bvslt n #x04)", down("d"))));
    }

    #[test]
    fn bounds_may_lie_as_far_apart_as_numbers_do() {
        let bound = |digit: char| format!("(_ bv{} 128)", u128::from(digit.to_digit(16).expect("a digit")) << 124);
        assert!(!refutes(&format!("(bvslt w {}) (not (bvslt w {}))", bound('6'), bound('a'))));
    }

    #[test]
    fn sides_of_a_choice_are_cases() {
        let choice = "(= s (ite (bvult a b) (bvadd a (bvadd b c)) (bvadd b (bvadd c a))))";
        assert!(refutes(&format!("{choice} (distinct s (bvadd c (bvadd a b)))")));
        assert!(!refutes(&format!("{choice} (distinct s (bvadd c (bvadd a d)))")));
    }
}
