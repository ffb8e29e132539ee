//! SSA instances of variables: a formula over `x` becomes one over `x@3` and back.

use crate::terms::{TermId, Terms};
use base::Symbol;
use rustc_hash::FxHashMap;

/// Which instance of each variable is the current one; what was never assigned has instance 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SsaMap {
    indices: FxHashMap<Symbol, u32>,
}

impl Terms {
    /// The handle of a variable name in an [`SsaMap`].
    pub fn ssa_name(&mut self, name: &str) -> Symbol {
        self.intern_name(name)
    }

    /// The text of a name.
    pub fn ssa_text(&self, name: Symbol) -> &str {
        self.symbol_text(name)
    }

    /// `formula` over plain variables, with each `x` replaced by its instance in `ssa`. Instances stay as they are.
    pub fn instantiate(&mut self, formula: TermId, ssa: &SsaMap) -> TermId {
        self.rename(formula, |name, index| Some(index.unwrap_or(ssa.index(name))))
    }

    /// `formula` with each instance `x@k` replaced by plain `x`.
    pub fn uninstantiate(&mut self, formula: TermId) -> TermId {
        self.rename(formula, |_, _| None)
    }

    /// `formula` with the SSA index of each variable replaced by what `index` says.
    pub fn rename(&mut self, formula: TermId, mut index: impl FnMut(Symbol, Option<u32>) -> Option<u32>) -> TermId {
        let renamed = self.rebuild(&[formula], |terms, term| {
            let (name, old) = terms.ssa_symbol(terms.as_var(term)?);
            let sort = terms.sort(term);
            Some(terms.variable(name, index(name, old), sort))
        });
        assert_eq!(renamed.len(), 1, "one term in, one out");
        renamed[0]
    }
}

impl SsaMap {
    /// The current instance of a variable.
    pub fn index(&self, name: Symbol) -> u32 {
        self.indices.get(&name).copied().unwrap_or(0)
    }

    /// Whether the variable was ever assigned.
    pub fn is_assigned(&self, name: Symbol) -> bool {
        self.indices.contains_key(&name)
    }

    /// Makes a given instance the current one.
    pub fn set(&mut self, name: Symbol, index: u32) {
        self.indices.insert(name, index);
    }

    /// Makes the next instance current and gives its index.
    pub fn bump(&mut self, name: Symbol) -> u32 {
        let index = self.indices.entry(name).or_insert(0);
        *index += 1;
        *index
    }

    /// The variables that were ever assigned, in the order of their names' creation.
    pub fn names(&self) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = self.indices.keys().copied().collect();
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;

    #[test]
    fn instantiation_and_back() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::BitVec(8)), terms.var("y", Sort::BitVec(8)));
        let formula = terms.bv_ult(x, y);
        let mut ssa = SsaMap::default();
        let name = terms.ssa_name("x");
        ssa.bump(name);
        let instance = terms.instantiate(formula, &ssa);
        let names: Vec<String> = terms.free_vars(&[instance]).iter().map(|&v| terms.var_name(v)).collect();
        assert_eq!(names, ["x@1", "y@0"]);
        assert_eq!(terms.uninstantiate(instance), formula);
        assert_eq!(terms.var("x@1", Sort::BitVec(8)), terms.ssa_var("x", 1, Sort::BitVec(8)));
    }

    #[test]
    fn deep_terms_do_not_overflow_the_stack() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::BitVec(8));
        let mut sum = x;
        for _ in 0..1_000_000 {
            let product = terms.bv_mul(sum, x);
            sum = terms.bv_not(product);
        }
        let ssa = SsaMap::default();
        let instance = terms.instantiate(sum, &ssa);
        assert_eq!(terms.size(instance), 2_000_001);
    }
}
