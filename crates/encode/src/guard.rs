//! Guards: the conditions on a path, as lists that share their beginnings. Joining two branches then only looks at what
//! came after they parted, and a condition that both sides of a branch cover vanishes.

use base::{Id, IdVec, define_id};
use smt::{Op, Sort, TermId, Terms};

define_id!(
    /// A list of conditions of one [`Guards`]; id 0 is the empty one.
    Guard,
    "g"
);

impl Guard {
    /// No condition.
    pub const TRUE: Guard = Guard(0);
}

struct Link {
    condition: TermId,
    before: Guard,
    length: u32,
}

/// All guards of an encoder.
pub struct Guards {
    links: IdVec<Guard, Link>,
}

/// What [`Guards::join`] found out.
pub struct Joined {
    /// One of the two.
    pub guard: Guard,
    /// Under `guard`: the first one (the second one where this is false).
    pub first: TermId,
}

impl Guards {
    /// Only the empty guard.
    pub fn new(terms: &mut Terms) -> Self {
        let condition = terms.truth();
        let mut links = IdVec::new();
        links.push(Link { condition, before: Guard::TRUE, length: 0 });
        Guards { links }
    }

    /// `guard` and one more condition; `None` if that is false.
    pub fn push(&mut self, terms: &Terms, guard: Guard, condition: TermId) -> Option<Guard> {
        assert_eq!(terms.sort(condition), Sort::Bool, "conditions are truth values");
        match terms.as_bool(condition) {
            Some(true) => Some(guard),
            Some(false) => None,
            None if guard != Guard::TRUE && self.links[guard].condition == condition => Some(guard),
            None => Some(self.link(guard, condition)),
        }
    }

    fn link(&mut self, before: Guard, condition: TermId) -> Guard {
        debug_assert!(before.index() < self.links.len(), "a guard of this encoder");
        let length = self.links[before].length + 1;
        self.links.push(Link { condition, before, length })
    }

    /// The conditions of `guard` after `from`, which it continues.
    pub fn since(&self, guard: Guard, from: Guard) -> Vec<TermId> {
        let mut conditions = Vec::new();
        let mut at = guard;
        while at != from {
            assert_ne!(at, Guard::TRUE, "the guard continues the other one");
            conditions.push(self.links[at].condition);
            at = self.links[at].before;
        }
        conditions.reverse();
        conditions
    }

    /// All conditions, the last one first.
    pub fn backwards(&self, guard: Guard) -> impl Iterator<Item = TermId> + '_ {
        std::iter::successors(self.last(guard), |(_, before)| self.last(*before)).map(|(condition, _)| condition)
    }

    /// The last condition and what came before; `None` for the empty guard.
    pub fn last(&self, guard: Guard) -> Option<(TermId, Guard)> {
        (guard != Guard::TRUE).then(|| (self.links[guard].condition, self.links[guard].before))
    }

    /// Whether a guard is another one, perhaps with further conditions.
    pub fn continues(&self, mut guard: Guard, before: Guard) -> bool {
        while self.links[guard].length > self.links[before].length {
            guard = self.links[guard].before;
        }
        guard == before
    }

    /// The guard as one formula.
    pub fn formula(&self, terms: &mut Terms, guard: Guard) -> TermId {
        let conditions = self.since(guard, Guard::TRUE);
        terms.and(conditions)
    }

    fn common(&self, mut a: Guard, mut b: Guard) -> Guard {
        while a != b {
            if self.links[a].length >= self.links[b].length {
                a = self.links[a].before;
            } else {
                b = self.links[b].before;
            }
        }
        a
    }

    /// `a` or `b`, which exclude each other.
    pub fn join(&mut self, terms: &mut Terms, a: Guard, b: Guard) -> Joined {
        let common = self.common(a, b);
        let (rest_a, rest_b) = (self.since(a, common), self.since(b, common));
        let first = terms.and(rest_a.iter().copied());
        // match: a, !a && x   result: a || x
        let negated: Vec<TermId> = disjuncts(terms, first).into_iter().map(|part| terms.not(part)).collect();
        let not_first = terms.not(first);
        let second: Vec<TermId> =
            rest_b.iter().copied().filter(|part| *part != not_first && !negated.contains(part)).collect();
        let guard = if second.is_empty() {
            common
        } else {
            let second = terms.and(second);
            // match: x && y, !x   result: y || !x
            let not_second = terms.not(second);
            let rest: Vec<TermId> = rest_a.iter().copied().filter(|part| *part != not_second).collect();
            let smaller = terms.and(rest);
            let either = terms.or([smaller, second]);
            // Both may turn out to be impossible only now; the path then goes on under a false condition.
            self.push(terms, common, either).unwrap_or_else(|| self.link(common, either))
        };
        Joined { guard, first }
    }
}

fn disjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    match terms.op(formula) {
        Op::Or => terms.args(formula).to_vec(),
        _ => vec![formula],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::Sort;

    #[test]
    fn both_sides_of_a_switch_give_back_what_was_before() {
        let mut terms = Terms::new();
        let mut guards = Guards::new(&mut terms);
        let [p, x, y] = ["p", "x", "y"].map(|name| terms.var(name, Sort::Bool));
        let (not_x, not_y) = (terms.not(x), terms.not(y));
        let before = guards.push(&terms, Guard::TRUE, p).unwrap();
        let one = guards.push(&terms, before, x).unwrap();
        let rest = guards.push(&terms, before, not_x).unwrap();
        let two = guards.push(&terms, rest, y).unwrap();
        let three = guards.push(&terms, rest, not_y).unwrap();
        let joined = guards.join(&mut terms, one, two);
        let all = guards.join(&mut terms, joined.guard, three);
        assert_eq!(all.guard, before);
        let other = guards.join(&mut terms, two, three);
        assert_eq!(other.guard, rest);
        assert_eq!(guards.join(&mut terms, one, other.guard).guard, before);
    }
}
