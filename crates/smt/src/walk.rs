//! Walks over terms. Never recursive: a path formula can be a million terms deep.

use crate::op::{Op, VarId};
use crate::terms::{TermId, Terms};
use base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

impl Terms {
    /// All distinct subterms of `roots`, arguments before the terms that use them.
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<TermId> = roots.to_vec();
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                stack.extend(self.args(term));
            }
        }
        let mut order: Vec<TermId> = seen.into_iter().collect();
        order.sort_unstable(); // arguments have smaller ids
        debug_assert!(order.iter().all(|&term| self.args(term).iter().all(|&arg| arg < term)), "arguments come first");
        order
    }

    /// The variables of `roots`, in order of their creation.
    pub fn free_vars(&self, roots: &[TermId]) -> Vec<VarId> {
        let mut variables: Vec<VarId> = self.reachable(roots).iter().filter_map(|&term| self.as_var(term)).collect();
        variables.sort_unstable();
        debug_assert!(variables.is_sorted_by(|a, b| a < b), "a variable is one term");
        variables
    }

    /// The number of distinct subterms.
    pub fn size(&self, root: TermId) -> usize {
        self.reachable(&[root]).len()
    }

    /// `root` with every term in `map` replaced, all at once: replacements are not searched again.
    pub fn substitute(&mut self, root: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        self.substitute_all(&[root], map)[0]
    }

    /// [`Terms::substitute`] on several roots, sharing the work.
    pub fn substitute_all(&mut self, roots: &[TermId], map: &FxHashMap<TermId, TermId>) -> Vec<TermId> {
        self.rebuild(roots, |_, term| map.get(&term).copied())
    }

    /// Rebuilds `roots` bottom up; `replace` is asked once for every distinct subterm and may give another term of the
    /// same sort for it, whose own subterms are not visited.
    pub fn rebuild(
        &mut self,
        roots: &[TermId],
        mut replace: impl FnMut(&mut Terms, TermId) -> Option<TermId>,
    ) -> Vec<TermId> {
        // Children come after their parents on the stack, hence are done first; `done` holds the results.
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut stack: Vec<(TermId, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        let mut args = Vec::new();
        while let Some((term, children_done)) = stack.pop() {
            if done.contains_key(&term) {
                continue;
            }
            if children_done {
                args.clear();
                args.extend(self.args(term).iter().map(|arg| done[arg]));
                let new = if args == self.args(term) { term } else { self.make(self.op(term), &args) };
                done.insert(term, new);
            } else if let Some(new) = replace(self, term) {
                assert_eq!(self.sort(new), self.sort(term), "replacements keep the sort");
                done.insert(term, new);
            } else if self.args(term).is_empty() {
                done.insert(term, term);
            } else {
                stack.push((term, true));
                stack.extend(self.args(term).iter().rev().map(|&arg| (arg, false)));
            }
        }
        roots.iter().map(|root| done[root]).collect()
    }

    /// The conjuncts of a formula: nested conjunctions flattened, without repetition, in order.
    pub fn conjuncts(&self, root: TermId) -> Vec<TermId> {
        debug_assert_eq!(self.sort(root), crate::Sort::Bool, "formulas are truth values");
        let mut seen = FxHashSet::default();
        let mut result = Vec::new();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.op(term) {
                Op::And => stack.extend(self.args(term).iter().rev()),
                Op::Bool(true) => {}
                _ => result.push(term),
            }
        }
        result
    }

    /// The atoms of a formula: its smallest subterms of sort Bool that are not connectives (and not conditions inside
    /// other atoms), in order of their ids.
    pub fn atoms(&self, root: TermId) -> Vec<TermId> {
        debug_assert_eq!(self.sort(root), crate::Sort::Bool, "formulas are truth values");
        let mut seen = FxHashSet::default();
        let mut atoms = Vec::new();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            let boolean = |arg: TermId| self.sort(arg) == crate::Sort::Bool;
            match self.op(term) {
                Op::Bool(_) => {}
                Op::Not | Op::And | Op::Or => stack.extend(self.args(term)),
                Op::Ite => stack.extend(self.args(term)),
                Op::Eq if boolean(self.args(term)[0]) => stack.extend(self.args(term)),
                _ => atoms.push(term),
            }
        }
        atoms.sort_unstable_by_key(|term| term.index());
        atoms
    }
}
