//! What is known where a guard holds: intervals of terms and truth values of conditions, learnt from the conditions on the
//! path and joined where paths meet. They decide branches and the ends of loops while a program is unrolled, without a
//! solver, and only where they prove it.

use crate::Encoder;
use crate::guard::Guard;
use crate::interval::{self, Interval};
use crate::linear;
use crate::path::PathFormula;
use crate::trie::Trie;
use base::Id;
use rustc_hash::FxHashMap;
use smt::{Op, Sort, TermId, Terms};

/// What is known of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fact {
    Interval(Interval),
    Truth(bool),
}

/// Facts by term.
type Facts = Trie<Fact>;

/// How deep terms are looked into where a guard's facts may say more than is true everywhere.
const DEPTH: u32 = 12;
/// How deep conditions are looked into that are learnt: exits of loops are nested as deep as there are iterations.
const CONDITIONS: u32 = 64;
/// How many disjunctions on a path are looked at again when something is learnt.
const DISJUNCTIONS: usize = 8;
/// How many conditions of a path are searched for them.
const MOST_CONDITIONS: usize = 64;
/// How many disjunctions on a path are taken apart for the interval of a term, and how many sides they may have.
const TAKEN_APART: usize = 2;
const MOST_SIDES: usize = 4;
/// How many terms are looked at for one question.
const MOST_TERMS: usize = 400;

/// What is known of the terms of an encoder.
#[derive(Default)]
pub(crate) struct Known {
    /// By the number of a term: its interval wherever it occurs.
    general: Vec<Option<Interval>>,
    /// What guards imply.
    at: FxHashMap<Guard, Facts>,
}

impl Known {
    fn facts(&self, guard: Guard) -> Facts {
        self.at.get(&guard).cloned().unwrap_or_default()
    }

    /// Computes intervals of all terms up to this one.
    fn extend(&mut self, terms: &Terms, term: TermId) {
        for at in self.general.len()..=term.index() {
            let term = TermId::new(at);
            let general = &self.general;
            let interval = bottom_up(terms, term, &mut |arg| general[arg.index()]);
            self.general.push(interval);
        }
    }
}

/// The interval of a term by those of its arguments.
fn bottom_up(terms: &Terms, term: TermId, of: &mut dyn FnMut(TermId) -> Option<Interval>) -> Option<Interval> {
    let Sort::BitVec(width) = terms.sort(term) else { return None };
    let all = Interval::full(width)?;
    let args = terms.args(term);
    let found = match (terms.op(term), args) {
        (Op::Bv(value), _) => Interval::exactly(terms.value(value)),
        (Op::Ite, &[_, yes, no]) => of(yes).zip(of(no)).map(|(yes, no)| yes.join(no)),
        (op, &[a]) => of(a).and_then(|a| interval::unary(op, a, width)),
        (op, &[a, b]) => of(a).zip(of(b)).and_then(|(a, b)| interval::binary(op, a, b, width)),
        _ => None,
    };
    Some(found.unwrap_or(all))
}

/// A look at terms under some facts.
struct Look<'a> {
    terms: &'a Terms,
    general: &'a [Option<Interval>],
    facts: &'a Facts,
    seen: FxHashMap<TermId, Option<Interval>>,
}

impl Look<'_> {
    fn interval(&mut self, term: TermId, depth: u32) -> Option<Interval> {
        if let Some(&known) = self.seen.get(&term) {
            return known;
        }
        let general = self.general[term.index()]?;
        let fact = match self.facts.get(term.index() as u64) {
            Some(Fact::Interval(fact)) => Some(*fact),
            _ => None,
        };
        // An empty meet says that the guard never holds; any answer is right then.
        let mut found = fact.and_then(|fact| fact.meet(general)).unwrap_or(general);
        if depth > 0 && found.single().is_none() && self.seen.len() < MOST_TERMS && !self.facts.is_empty() {
            let deeper = self.below(term, depth - 1);
            found = deeper.and_then(|deeper| deeper.meet(found)).unwrap_or(found);
        }
        self.seen.insert(term, Some(found));
        Some(found)
    }

    fn below(&mut self, term: TermId, depth: u32) -> Option<Interval> {
        let terms = self.terms;
        if let (Op::Ite, &[condition, yes, no]) = (terms.op(term), terms.args(term)) {
            match self.truth(condition, depth) {
                Some(true) => return self.interval(yes, depth),
                Some(false) => return self.interval(no, depth),
                None => {}
            }
        }
        bottom_up(terms, term, &mut |arg| self.interval(arg, depth))
    }

    fn truth(&mut self, condition: TermId, depth: u32) -> Option<bool> {
        if let Some(Fact::Truth(value)) = self.facts.get(condition.index() as u64) {
            return Some(*value);
        }
        let terms = self.terms;
        let args = terms.args(condition);
        let deeper = depth.checked_sub(1);
        match terms.op(condition) {
            Op::Bool(value) => Some(value),
            Op::Not => self.truth(args[0], deeper?).map(|value| !value),
            Op::And | Op::Or => {
                let stop = terms.op(condition) == Op::Or;
                let mut all = Some(!stop);
                for &arg in args {
                    match self.truth(arg, deeper?) {
                        Some(value) if value == stop => return Some(stop),
                        Some(_) => {}
                        None => all = None,
                    }
                }
                all
            }
            Op::Eq if terms.sort(args[0]) == Sort::Bool => {
                let (a, b) = (self.truth(args[0], deeper?)?, self.truth(args[1], deeper?)?);
                Some(a == b)
            }
            Op::Ite => match self.truth(args[0], deeper?)? {
                true => self.truth(args[1], deeper?),
                false => self.truth(args[2], deeper?),
            },
            op @ (Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle) => {
                let (a, b) = (self.interval(args[0], deeper?)?, self.interval(args[1], deeper?)?);
                match op {
                    Op::Eq => a.equal(b),
                    Op::BvUlt => a.unsigned_less(b),
                    Op::BvUle => b.unsigned_less(a).map(|less| !less),
                    Op::BvSlt => a.signed_less(b),
                    _ => b.signed_less(a).map(|less| !less),
                }
            }
            _ => None,
        }
    }
}

/// Conditions of which one at least has a truth value where this condition has one: the value, and each such set.
fn disjunctions_of<'t>(
    terms: &'t Terms,
    condition: TermId,
    value: bool,
    depth: u32,
    found: &mut Vec<(&'t [TermId], bool)>,
) {
    let Some(deeper) = depth.checked_sub(1) else { return };
    let args = terms.args(condition);
    match (terms.op(condition), value) {
        (Op::Not, _) => disjunctions_of(terms, args[0], !value, deeper, found),
        (Op::And, true) | (Op::Or, false) => {
            args.iter().for_each(|arg| disjunctions_of(terms, *arg, value, deeper, found));
        }
        (Op::And, false) | (Op::Or, true) if args.len() <= MOST_SIDES => found.push((args, value)),
        _ => {}
    }
}

/// A guard with a condition that never holds together with it.
struct Contradiction;

/// Learns from conditions.
struct Learner<'a> {
    terms: &'a Terms,
    general: &'a [Option<Interval>],
    facts: Facts,
}

impl Learner<'_> {
    fn interval(&self, term: TermId) -> Option<Interval> {
        let mut look =
            Look { terms: self.terms, general: self.general, facts: &self.facts, seen: FxHashMap::default() };
        look.interval(term, DEPTH)
    }

    fn truth(&self, term: TermId) -> Option<bool> {
        let mut look =
            Look { terms: self.terms, general: self.general, facts: &self.facts, seen: FxHashMap::default() };
        look.truth(term, DEPTH)
    }

    /// The condition has this truth value.
    fn learn(&mut self, condition: TermId, value: bool, depth: u32) -> Result<(), Contradiction> {
        let Some(deeper) = depth.checked_sub(1) else { return Ok(()) };
        let terms = self.terms;
        let args = terms.args(condition);
        self.facts.insert(condition.index() as u64, Fact::Truth(value));
        match (terms.op(condition), value) {
            (Op::Not, _) => self.learn(args[0], !value, deeper)?,
            (Op::And, true) | (Op::Or, false) => {
                for &arg in args {
                    self.learn(arg, value, deeper)?;
                }
            }
            (Op::And, false) | (Op::Or, true) => self.learn_rest(args, value, deeper)?,
            (Op::Eq, _) if terms.sort(args[0]) == Sort::Bool => {
                for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                    if let Some(known) = self.truth(a) {
                        self.learn(b, known == value, deeper)?;
                    }
                }
            }
            (op @ (Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle), _) => {
                self.compare(op, [args[0], args[1]], value, deeper)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// One of these conditions has this value; if all others are known to have the other one, it is the last.
    fn learn_rest(&mut self, args: &[TermId], value: bool, depth: u32) -> Result<(), Contradiction> {
        let mut open = None;
        for &arg in args {
            match self.truth(arg) {
                Some(known) if known == value => return Ok(()),
                Some(_) => {}
                None if open.is_some() => return Ok(()),
                None => open = Some(arg),
            }
        }
        match open {
            Some(last) => self.learn(last, value, depth),
            None => Err(Contradiction),
        }
    }

    fn compare(&mut self, op: Op, [a, b]: [TermId; 2], value: bool, depth: u32) -> Result<(), Contradiction> {
        let (Some(x), Some(y)) = (self.interval(a), self.interval(b)) else { return Ok(()) };
        // match: ¬(a < b), ¬(a ≤ b)   result: b ≤ a, b < a
        let strict = i128::from(matches!(op, Op::BvUlt | Op::BvSlt) == value);
        let both = match (op, value) {
            (Op::Eq, true) => x.meet(y).map(|both| (both, both)),
            (Op::Eq, false) => {
                let less = |one: Interval, other: Interval| match other.single() {
                    Some(bits) => one.without(bits),
                    None => Some(one),
                };
                less(x, y).zip(less(y, x))
            }
            (Op::BvUlt | Op::BvUle, true) => x.ordered_unsigned(y, strict),
            (Op::BvUlt | Op::BvUle, false) => y.ordered_unsigned(x, strict).map(|(y, x)| (x, y)),
            (_, true) => x.ordered_signed(y, strict),
            (_, false) => y.ordered_signed(x, strict).map(|(y, x)| (x, y)),
        };
        let Some((new_x, new_y)) = both else { return Err(Contradiction) };
        if new_x != x {
            self.bound(a, new_x, depth)?;
        }
        if new_y != y {
            self.bound(b, new_y, depth)?;
        }
        Ok(())
    }

    /// The term lies in the interval; what it is made of, accordingly.
    fn bound(&mut self, term: TermId, interval: Interval, depth: u32) -> Result<(), Contradiction> {
        let terms = self.terms;
        let Some(known) = self.interval(term) else { return Ok(()) };
        let Some(interval) = known.meet(interval) else { return Err(Contradiction) };
        if interval == known {
            return Ok(());
        }
        self.facts.insert(term.index() as u64, Fact::Interval(interval));
        let Some(deeper) = depth.checked_sub(1) else { return Ok(()) };
        match (terms.op(term), terms.args(term)) {
            (Op::BvAdd, &[a, b]) => {
                for (one, other) in [(a, b), (b, a)] {
                    let constant = self.interval(other).filter(|other| other.single().is_some());
                    if let Some(before) = constant.and_then(|constant| interval.minus(constant)) {
                        self.bound(one, before, deeper)?;
                    }
                }
            }
            (Op::BvMul, &[a, b]) => {
                for (one, other) in [(a, b), (b, a)] {
                    let (Some(x), Some(factor)) = (self.interval(one), self.interval(other)) else { continue };
                    if let Some(before) = interval.divided(x, factor) {
                        self.bound(one, before.ok_or(Contradiction)?, deeper)?;
                    }
                }
            }
            (op @ (Op::BvZeroExtend(_) | Op::BvSignExtend(_)), &[a]) => {
                let low = interval.truncated(terms.width(a), matches!(op, Op::BvSignExtend(_)));
                self.bound(a, low.ok_or(Contradiction)?, deeper)?;
            }
            (Op::Ite, &[condition, yes, no]) => {
                let can = |side: TermId| self.interval(side).is_none_or(|side| side.meet(interval).is_some());
                match (can(yes), can(no)) {
                    (true, true) => {}
                    (true, false) => {
                        self.learn(condition, true, deeper)?;
                        self.bound(yes, interval, deeper)?;
                    }
                    (false, true) => {
                        self.learn(condition, false, deeper)?;
                        self.bound(no, interval, deeper)?;
                    }
                    (false, false) => return Err(Contradiction),
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Encoder<'_> {
    /// From now on, what is known about values decides conditions along paths from the start of the program.
    pub fn learn_intervals(&mut self) {
        self.known = Some(Known::default());
    }

    /// The truth value that a condition has wherever the guard holds.
    pub(crate) fn known_truth(&mut self, guard: Guard, condition: TermId) -> Option<bool> {
        if let Some(value) = self.terms.as_bool(condition) {
            return Some(value);
        }
        let known = self.known.as_mut()?;
        known.extend(&self.terms, condition);
        let facts = known.facts(guard);
        let mut look = Look { terms: &self.terms, general: &known.general, facts: &facts, seen: FxHashMap::default() };
        look.truth(condition, DEPTH).or_else(|| linear::truth(&self.terms, condition))
    }

    /// The interval of a term wherever the guard holds.
    pub(crate) fn known_interval(&mut self, guard: Guard, term: TermId) -> Option<Interval> {
        let known = self.known.as_mut()?;
        known.extend(&self.terms, term);
        let facts = known.facts(guard);
        let mut look = Look { terms: &self.terms, general: &known.general, facts: &facts, seen: FxHashMap::default() };
        look.interval(term, DEPTH)
    }

    /// The interval of a term wherever the guard holds: one side after the other of the last disjunctions on the path.
    pub(crate) fn interval_by_sides(&mut self, guard: Guard, term: TermId) -> Option<Interval> {
        let mut found = self.known_interval(guard, term)?;
        let known = self.known.as_ref()?;
        let facts = known.facts(guard);
        let mut disjunctions = Vec::new();
        for condition in self.guards.backwards(guard).take(MOST_CONDITIONS) {
            if disjunctions.len() >= TAKEN_APART {
                break;
            }
            disjunctions_of(&self.terms, condition, true, CONDITIONS, &mut disjunctions);
        }
        for (sides, value) in disjunctions.into_iter().take(TAKEN_APART) {
            let mut around: Option<Interval> = None;
            for &side in sides {
                let mut learner = Learner { terms: &self.terms, general: &known.general, facts: facts.clone() };
                if learner.learn(side, value, CONDITIONS).is_ok() {
                    let here = learner.interval(term)?;
                    around = Some(around.map_or(here, |others| others.join(here)));
                }
            }
            // Without a side that is possible, the guard never holds; any answer is right then.
            found = around.and_then(|around| around.meet(found)).unwrap_or(found);
        }
        Some(found)
    }

    /// Notes that a term lies in an interval wherever the guard holds.
    pub(crate) fn note(&mut self, guard: Guard, term: TermId, interval: Interval) {
        let Some(known) = self.known.as_mut() else { return };
        known.at.entry(guard).or_default().insert(term.index() as u64, Fact::Interval(interval));
    }

    /// Notes that a term lies in an interval wherever the guard holds, if that is new; what is known then.
    pub(crate) fn note_better(&mut self, guard: Guard, term: TermId, interval: Interval) -> Option<Interval> {
        let before = self.known_interval(guard, term)?;
        // An empty meet says that the guard never holds.
        let known = before.meet(interval).unwrap_or(before);
        if known != before {
            self.note(guard, term, known);
        }
        Some(known)
    }

    /// Notes that a term lies in an interval wherever it occurs.
    pub(crate) fn note_everywhere(&mut self, term: TermId, interval: Interval) {
        let Some(known) = self.known.as_mut() else { return };
        known.extend(&self.terms, term);
        known.general[term.index()] = Some(interval);
    }

    /// Notes what a condition says that was added to a guard; `false` if the two contradict each other. Whether it holds
    /// there was asked before ([`Encoder::known_truth`]), so the intervals of its terms are known.
    pub(crate) fn learn(&mut self, before: Guard, condition: TermId, after: Guard) -> bool {
        let Some(known) = self.known.as_mut() else { return true };
        if before == after {
            return true;
        }
        let mut learner = Learner { terms: &self.terms, general: &known.general, facts: known.facts(before) };
        let mut possible = learner.learn(condition, true, CONDITIONS).is_ok();
        // What is new may leave one side of a disjunction only.
        let earlier = self.guards.backwards(before).take(MOST_CONDITIONS);
        for disjunction in earlier.filter(|term| self.terms.op(*term) == Op::Or).take(DISJUNCTIONS) {
            possible = possible && learner.learn(disjunction, true, CONDITIONS).is_ok();
        }
        known.at.insert(after, learner.facts);
        possible
    }

    /// Notes what is known on both of two paths where they meet.
    pub(crate) fn join_known(&mut self, a: &PathFormula, b: &PathFormula, joined: Guard) {
        let Some(known) = self.known.as_mut() else { return };
        if known.at.contains_key(&joined) || joined == Guard::TRUE {
            return;
        }
        let (facts_a, facts_b) = (known.facts(a.guard), known.facts(b.guard));
        let both = facts_a.merge(&facts_b, &mut |_, x, y| match (x?, y?) {
            (Fact::Interval(x), Fact::Interval(y)) => Some(Fact::Interval(x.join(*y))),
            (x, y) => (x == y).then_some(*x),
        });
        known.at.insert(joined, both);
    }
}
