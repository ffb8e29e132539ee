//! Projection: from conjuncts over many variables to conjuncts over some of them that follow. Exact for variables with
//! a definition; otherwise as much as bounds and case splits give, and the rest is dropped.

use super::arrays;
use crate::op::{Op, VarId};
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Case splits on conditions with unwanted variables: at most this deep.
const SPLITS: u32 = 10;
/// Cases in all.
const CASES: u32 = 64;

/// Whether an array that was written to may be expressed by what it became.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writes {
    Kept,
    /// `store(a, i, v) = b` says that a is `store(b, i, u)` for some u, and that `select(b, i)` is v.
    Undone,
}

/// What is left after a projection.
pub(super) struct Projected {
    /// Conjuncts over the wanted variables that follow.
    pub(super) conjuncts: Vec<TermId>,
    /// Whether nothing was dropped.
    pub(super) exact: bool,
}

/// Conjuncts that follow from `conjuncts` and have only variables that `keeps` accepts.
pub(super) fn project(
    terms: &mut Terms,
    conjuncts: Vec<TermId>,
    keeps: &dyn Fn(VarId) -> bool,
    writes: Writes,
) -> Projected {
    let mut projection = Projection { terms, keeps, writes, exact: true, cases: CASES };
    let conjuncts = projection.project(conjuncts, SPLITS);
    debug_assert!(conjuncts.iter().all(|&part| projection.unwanted(part).is_empty()), "only wanted variables are left");
    Projected { conjuncts, exact: projection.exact }
}

/// Conjuncts that have a model exactly if `conjuncts` have one, without the variables that have definitions. Contains
/// `false`, and is empty, only if the answer is plain to see.
pub(super) fn without_definitions(terms: &mut Terms, conjuncts: Vec<TermId>) -> Vec<TermId> {
    let mut projection = Projection { terms, keeps: &|_| false, writes: Writes::Kept, exact: true, cases: 0 };
    let mut conjuncts = projection.flatten(conjuncts);
    while let Some(simpler) = projection.substitute_definitions(&conjuncts) {
        conjuncts = projection.flatten(simpler);
    }
    conjuncts
}

struct Projection<'a> {
    terms: &'a mut Terms,
    keeps: &'a dyn Fn(VarId) -> bool,
    writes: Writes,
    exact: bool,
    /// How many cases may still be told apart.
    cases: u32,
}

impl Projection<'_> {
    fn project(&mut self, conjuncts: Vec<TermId>, splits: u32) -> Vec<TermId> {
        let (mut kept, mut open) = self.partition(conjuncts);
        let keeps = self.keeps;
        let unwanted = |terms: &Terms, term: TermId| terms.free_vars(&[term]).iter().any(|&variable| !keeps(variable));
        if let Some(simpler) = arrays::without_reads(self.terms, &open, &unwanted) {
            let (more, rest) = self.partition(simpler);
            kept.extend(more);
            open = rest;
        }
        if kept.iter().any(|&conjunct| self.terms.as_bool(conjunct) == Some(false)) {
            return vec![self.terms.falsity()];
        }
        if !open.is_empty() {
            kept.extend(self.project_open(open, splits));
        }
        kept
    }

    /// Conjuncts over wanted variables, and others.
    fn partition(&mut self, conjuncts: Vec<TermId>) -> (Vec<TermId>, Vec<TermId>) {
        let mut conjuncts = self.flatten(conjuncts);
        while let Some(simpler) = self.substitute_definitions(&conjuncts).or_else(|| self.undo_write(&conjuncts)) {
            conjuncts = self.flatten(simpler);
        }
        conjuncts.into_iter().partition(|&conjunct| self.unwanted(conjunct).is_empty())
    }

    fn flatten(&self, conjuncts: Vec<TermId>) -> Vec<TermId> {
        let mut seen = FxHashSet::default();
        let parts = conjuncts.into_iter().flat_map(|conjunct| self.terms.conjuncts(conjunct));
        parts.filter(|&part| seen.insert(part)).collect()
    }

    fn unwanted(&self, term: TermId) -> Vec<VarId> {
        self.terms.free_vars(&[term]).into_iter().filter(|&variable| !(self.keeps)(variable)).collect()
    }

    // Definitions ------------------------------------------------------------------------------------------------------

    /// The conjuncts with all defined unwanted variables replaced; `None` if there is no definition.
    fn substitute_definitions(&mut self, conjuncts: &[TermId]) -> Option<Vec<TermId>> {
        let mut definitions: FxHashMap<VarId, (usize, TermId)> = FxHashMap::default();
        for (position, &conjunct) in conjuncts.iter().enumerate() {
            if let Some((variable, meaning)) = self.definition(conjunct, &definitions) {
                definitions.insert(variable, (position, meaning));
            }
        }
        let order = self.acyclic_order(&mut definitions);
        if order.is_empty() {
            return None;
        }
        debug_assert!(
            order.iter().all(|variable| definitions.contains_key(variable)),
            "what is ordered has a definition"
        );
        let mut map = FxHashMap::default();
        for variable in order {
            let meaning = self.terms.substitute(definitions[&variable].1, &map);
            map.insert(self.terms.var_term(variable), meaning);
        }
        let used: FxHashSet<usize> = definitions.values().map(|&(position, _)| position).collect();
        let others: Vec<TermId> = (0..conjuncts.len())
            .filter(|position| !used.contains(position))
            .map(|position| conjuncts[position])
            .collect();
        Some(self.terms.substitute_all(&others, &map))
    }

    /// `x` and `e` if the conjunct says `x = e` for an unwanted x without a definition so far.
    fn definition(&mut self, conjunct: TermId, known: &FxHashMap<VarId, (usize, TermId)>) -> Option<(VarId, TermId)> {
        let free = |this: &Self, term: TermId| {
            let variable = this.terms.as_var(term)?;
            (!(this.keeps)(variable) && !known.contains_key(&variable)).then_some(variable)
        };
        match self.terms.op(conjunct) {
            Op::Var(_) => Some((free(self, conjunct)?, self.terms.truth())),
            Op::Not => {
                let inner = self.terms.arg(conjunct);
                if let Some(variable) = free(self, inner) {
                    return Some((variable, self.terms.falsity()));
                }
                if self.terms.op(inner) != Op::Eq {
                    return None;
                }
                let (a, b) = self.terms.pair(inner);
                if self.terms.sort(a) != Sort::Bool {
                    return None;
                }
                let not_b = self.terms.not(b);
                self.solve(a, not_b, &free).or_else(|| {
                    let not_a = self.terms.not(a);
                    self.solve(b, not_a, &free)
                })
            }
            Op::Eq => {
                let (a, b) = self.terms.pair(conjunct);
                self.solve(a, b, &free).or_else(|| self.solve(b, a, &free))
            }
            _ => None,
        }
    }

    /// Solves `left = right` for a variable on the left, through operators that can be undone.
    fn solve(
        &mut self,
        mut left: TermId,
        mut right: TermId,
        free: &dyn Fn(&Self, TermId) -> Option<VarId>,
    ) -> Option<(VarId, TermId)> {
        loop {
            if let Some(variable) = free(self, left) {
                let occurs = self.terms.free_vars(&[right]).contains(&variable);
                return (!occurs).then_some((variable, right));
            }
            (left, right) = match self.terms.op(left) {
                Op::Not => (self.terms.arg(left), self.terms.not(right)),
                Op::BvNot => (self.terms.arg(left), self.terms.bv_not(right)),
                Op::BvNeg => (self.terms.arg(left), self.terms.bv_neg(right)),
                Op::FpNeg => (self.terms.arg(left), self.terms.fp_neg(right)),
                op @ (Op::BvAdd | Op::BvXor | Op::BvSub) => {
                    let (a, b) = self.terms.pair(left);
                    // x op e = r or e op x = r: the side with the unwanted variable goes on.
                    let unwanted_left = free(self, a).is_some() || !self.unwanted(a).is_empty();
                    match (op, unwanted_left) {
                        (Op::BvAdd, true) => (a, self.terms.bv_sub(right, b)),
                        (Op::BvAdd, false) => (b, self.terms.bv_sub(right, a)),
                        (Op::BvXor, true) => (a, self.terms.bv_xor(right, b)),
                        (Op::BvXor, false) => (b, self.terms.bv_xor(right, a)),
                        (_, true) => (a, self.terms.bv_add(right, b)),
                        (_, false) => (b, self.terms.bv_sub(a, right)),
                    }
                }
                _ => return None,
            };
        }
    }

    /// The conjuncts without one unwanted array, which is expressed by what writes to it led to.
    fn undo_write(&mut self, conjuncts: &[TermId]) -> Option<Vec<TermId>> {
        if self.writes == Writes::Kept {
            return None;
        }
        let (position, (array, meaning, held)) = conjuncts
            .iter()
            .enumerate()
            .find_map(|(position, &conjunct)| Some((position, self.array_before_writes(conjunct)?)))?;
        let mut others: Vec<TermId> = conjuncts.to_vec();
        others.swap_remove(position);
        others.extend(held);
        let map = FxHashMap::from_iter([(self.terms.var_term(array), meaning)]);
        Some(self.terms.substitute_all(&others, &map))
    }

    /// From `store(... store(a, i, v) ..., j, w) = b`: a, the array that it was in terms of b, and what b holds.
    fn array_before_writes(&mut self, conjunct: TermId) -> Option<(VarId, TermId, Vec<TermId>)> {
        if self.terms.op(conjunct) != Op::Eq {
            return None;
        }
        let (a, b) = self.terms.pair(conjunct);
        [(a, b), (b, a)].into_iter().find_map(|(mut written, mut result)| {
            let mut held = Vec::new();
            while self.terms.op(written) == Op::Store {
                let (below, index, value) = self.terms.triple(written);
                let read = self.terms.select(result, index);
                held.push(self.terms.eq(read, value));
                let before = self.terms.fresh_var("?before", self.terms.sort(value));
                result = self.terms.store_at(result, index, before);
                written = below;
            }
            let variable = self.terms.as_var(written)?;
            let occurs = self.terms.free_vars(&[result]).contains(&variable);
            (!held.is_empty() && !(self.keeps)(variable) && !occurs).then_some((variable, result, held))
        })
    }

    /// The defined variables, each after those in its meaning. Definitions on a cycle are given up.
    fn acyclic_order(&self, definitions: &mut FxHashMap<VarId, (usize, TermId)>) -> Vec<VarId> {
        let mut variables: Vec<VarId> = definitions.keys().copied().collect();
        variables.sort_unstable();
        let mut order = Vec::new();
        let mut open: FxHashSet<VarId> = FxHashSet::default();
        let mut done: FxHashSet<VarId> = FxHashSet::default();
        for root in variables {
            let mut stack = vec![(root, false)];
            while let Some((variable, parts_done)) = stack.pop() {
                if done.contains(&variable) {
                    continue;
                }
                if parts_done {
                    open.remove(&variable);
                    done.insert(variable);
                    if definitions.contains_key(&variable) {
                        order.push(variable);
                    }
                    continue;
                }
                let Some(&(_, meaning)) = definitions.get(&variable) else { continue };
                if !open.insert(variable) {
                    // Met again below itself.
                    continue;
                }
                let parts: Vec<VarId> = self
                    .terms
                    .free_vars(&[meaning])
                    .into_iter()
                    .filter(|part| definitions.contains_key(part))
                    .collect();
                if parts.iter().any(|part| open.contains(part)) {
                    definitions.remove(&variable);
                    open.remove(&variable);
                    done.insert(variable);
                    continue;
                }
                stack.push((variable, true));
                stack.extend(parts.into_iter().map(|part| (part, false)));
            }
        }
        order
    }

    // What has no definition -------------------------------------------------------------------------------------------

    /// Conjuncts that follow from `open`, all of which contain unwanted variables.
    fn project_open(&mut self, open: Vec<TermId>, splits: u32) -> Vec<TermId> {
        if splits > 0
            && self.cases > 0
            && let Some(condition) = self.split_condition(&open)
        {
            self.cases -= 1;
            return self.split(&open, condition, splits - 1);
        }
        self.combine_bounds(&open)
    }

    /// What decides about unwanted variables: the condition of a conditional with them, or a part of a disjunction.
    fn split_condition(&self, open: &[TermId]) -> Option<TermId> {
        let of_disjunction = open
            .iter()
            .filter(|&&conjunct| self.terms.op(conjunct) == Op::Or)
            .find_map(|&conjunct| self.terms.args(conjunct).first().copied());
        of_disjunction.or_else(|| {
            let parts = self.terms.reachable(open);
            let mut choices = parts.iter().filter(|&&part| self.terms.op(part) == Op::Ite);
            let choice = choices.find(|&&part| !self.unwanted(part).is_empty());
            choice.map(|&part| self.terms.triple(part).0)
        })
    }

    /// F is (c ∧ F[c := true]) ∨ (¬c ∧ F[c := false]); each case is projected alone.
    fn split(&mut self, open: &[TermId], condition: TermId, splits: u32) -> Vec<TermId> {
        let mut cases = Vec::new();
        for value in [true, false] {
            let case = self.case(open, condition, value);
            let projected = self.project(case, splits);
            cases.push(self.terms.and(projected));
        }
        let either = self.terms.or(cases);
        self.terms.conjuncts(either)
    }

    fn case(&mut self, open: &[TermId], condition: TermId, value: bool) -> Vec<TermId> {
        let literal = if value { condition } else { self.terms.not(condition) };
        let constant = self.terms.bool(value);
        let mut case = self.terms.substitute_all(open, &FxHashMap::from_iter([(condition, constant)]));
        case.push(literal);
        case
    }

    /// From l < x and x < u follows l < u; the same with ≤, signed or not.
    fn combine_bounds(&mut self, open: &[TermId]) -> Vec<TermId> {
        self.exact = false;
        let mut lower: Vec<(TermId, Op, TermId, bool)> = Vec::new();
        let mut upper: Vec<(TermId, Op, TermId, bool)> = Vec::new();
        for &conjunct in open {
            // Literals are a < b and ¬(a < b), that is b ≤ a.
            let (strict, atom) = match self.terms.op(conjunct) {
                Op::Not => (false, self.terms.arg(conjunct)),
                _ => (true, conjunct),
            };
            let op = self.terms.op(atom);
            if !matches!(op, Op::BvUlt | Op::BvSlt) {
                continue;
            }
            let (a, b) = self.terms.pair(atom);
            let (small, large) = if strict { (a, b) } else { (b, a) };
            match (self.unwanted(small).is_empty(), self.unwanted(large).is_empty()) {
                (true, false) => lower.push((large, op, small, strict)),
                (false, true) => upper.push((small, op, large, strict)),
                (true, true) | (false, false) => {}
            }
        }
        let mut result = Vec::new();
        for &(x, op, small, strict) in &lower {
            for &(y, other_op, large, other_strict) in &upper {
                if x == y && op == other_op {
                    let bound = match (op, strict || other_strict) {
                        (Op::BvUlt, true) => self.terms.bv_ult(small, large),
                        (Op::BvUlt, false) => self.terms.bv_ule(small, large),
                        (_, true) => self.terms.bv_slt(small, large),
                        (_, false) => self.terms.bv_sle(small, large),
                    };
                    result.push(bound);
                }
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smtlib::Command;
    use expect_test::{Expect, expect};

    /// Projects the assertions of a script onto the variables whose names start with `k`.
    fn check(script: &str, expected: Expect) {
        check_with(script, Writes::Kept, expected);
    }

    fn check_with(script: &str, writes: Writes, expected: Expect) {
        let mut terms = Terms::new();
        let commands = terms.read_script(script).expect("a script");
        let conjuncts = commands
            .iter()
            .filter_map(|command| match command {
                Command::Assert(formula) => Some(*formula),
                Command::Push(_) | Command::Pop(_) | Command::Check(_) => None,
            })
            .collect();
        let kept: FxHashSet<VarId> = (0..terms.len() as u32)
            .filter_map(|index| terms.as_var(TermId(index)))
            .filter(|&variable| terms.var_name(variable).starts_with('k'))
            .collect();
        let result = project(&mut terms, conjuncts, &|variable| kept.contains(&variable), writes);
        let lines: Vec<String> = result.conjuncts.iter().map(|&conjunct| terms.display(conjunct, 500)).collect();
        expected.assert_eq(&lines.join("\n"));
    }

    const DECLARATIONS: &str = "(declare-const k (_ BitVec 8)) (declare-const k2 (_ BitVec 8))
        (declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8)) (declare-const b Bool)";

    #[test]
    fn definitions_are_substituted() {
        check(
            &format!("{DECLARATIONS} (assert (= x (bvadd k #x01))) (assert (= y (bvadd x x))) (assert (bvult y k2))"),
            expect!["(bvult (bvadd (bvadd k k) #x02) k2)"],
        );
    }

    #[test]
    fn equations_are_solved() {
        check(
            &format!("{DECLARATIONS} (assert (= k (bvsub #x05 x))) (assert (bvult x k2))"),
            expect!["(bvult (bvadd (bvneg k) #x05) k2)"],
        );
    }

    #[test]
    fn bounds_are_combined() {
        check(
            &format!("{DECLARATIONS} (assert (bvsle k x)) (assert (bvslt x k2)) (assert (bvult x y))"),
            expect!["(bvslt k k2)"],
        );
    }

    #[test]
    fn conditions_are_split() {
        check(
            &format!("{DECLARATIONS} (assert (= x (ite b k k2))) (assert (= x #x03))"),
            expect!["(or (= k #x03) (= k2 #x03))"],
        );
    }

    #[test]
    fn cyclic_definitions_are_left() {
        check(&format!("{DECLARATIONS} (assert (= x (bvmul y k))) (assert (= y (bvmul x k)))"), expect![""]);
    }

    /// Two inputs were written to memory and added up: the sum is that of what memory holds now.
    #[test]
    fn arrays_are_what_they_became() {
        let arrays =
            "(declare-const m (Array (_ BitVec 8) (_ BitVec 8))) (declare-const n (Array (_ BitVec 8) (_ BitVec 8)))
            (declare-const k3 (Array (_ BitVec 8) (_ BitVec 8)))";
        let script = format!(
            "{DECLARATIONS} {arrays} (assert (= n (store m #x00 x))) (assert (= k3 (store n #x01 y)))
             (assert (= k (bvadd x y)))"
        );
        check_with(&script, Writes::Undone, expect!["(= (select k3 #x00) (bvsub k (select k3 #x01)))"]);
        check(&script, expect![""]);
    }
}
