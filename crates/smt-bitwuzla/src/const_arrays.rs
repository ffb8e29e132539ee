//! Constant arrays in equations, which Bitwuzla does not support: it answers unknown.
//!
//! Each constant array const(v) is replaced by a new array variable K, with K[i] = v for every index term i that the
//! query reads or writes. These facts hold for const(v), so without a model there is none for the query. With a model
//! there is one for the query too, if every equation of arrays is a conjunct of the query and all constant arrays of one
//! sort have one v: let I be the values of the index terms, and let every array have v outside I. Reads are inside I,
//! writes change nothing outside, and both sides of an equation agree there.

use crate::instance::Instance;
use crate::manager::Manager;
use crate::raw;
use base::Cancel;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, ArrayValue, Op, SolverFailure, Sort, TermId, Terms, Value};

/// A query without constant arrays, decided by an instance of its own.
pub struct Replaced {
    instance: Instance,
    /// Constant arrays of the library, and the variables that stand for them.
    from: Vec<raw::Term>,
    to: Vec<raw::Term>,
    /// By sort of the array: what it has outside of the indices that the query mentions.
    elements: FxHashMap<Sort, TermId>,
    /// By assumption, as it was given: what it became.
    assumptions: FxHashMap<raw::Term, raw::Term>,
}

/// Whether some formula contains a constant array.
pub fn occur(terms: &Terms, formulas: &[TermId]) -> bool {
    terms.reachable(formulas).iter().any(|&term| matches!(terms.op(term), Op::ConstArray(_)))
}

/// Decides the conjunction of `assertions` and `assumptions`, given as pairs of our and the library's terms.
pub fn check(
    terms: &Terms,
    settings: &[(i32, u64)],
    assertions: &[(TermId, raw::Term)],
    assumptions: &[(TermId, raw::Term)],
    cancel: &Cancel,
) -> Result<(Answer, Replaced), SolverFailure> {
    let formulas: Vec<TermId> = assertions.iter().chain(assumptions).map(|&(term, _)| term).collect();
    let parts = terms.reachable(&formulas);
    let mut replaced = replace(terms, settings, &parts);
    for &(_, assertion) in assertions {
        let assertion = replaced.substitute(assertion);
        replaced.instance.assert(assertion);
    }
    replaced.assert_elements(terms, &parts);
    let mut raw = Vec::new();
    for &(_, assumption) in assumptions {
        let new = replaced.substitute(assumption);
        replaced.assumptions.insert(assumption, new);
        raw.push(new);
    }
    let answer = replaced.instance.check(&mut raw, cancel)?;
    if answer == Answer::Sat && !replaced.is_complete(terms, &formulas, &parts) {
        return Err(SolverFailure::Incomplete("Bitwuzla does not support this use of constant arrays".to_owned()));
    }
    Ok((answer, replaced))
}

/// A new variable for every constant array.
fn replace(terms: &Terms, settings: &[(i32, u64)], parts: &[TermId]) -> Replaced {
    let instance = Instance::new(settings);
    let (mut from, mut to, mut elements) = (Vec::new(), Vec::new(), FxHashMap::default());
    let mut manager = instance.manager.borrow_mut();
    for &part in parts {
        if let Op::ConstArray(_) = terms.op(part) {
            from.push(manager.translate(terms, part));
            to.push(manager.fresh(terms.sort(part)));
            elements.insert(terms.sort(part), terms.args(part)[0]);
        }
    }
    drop(manager);
    Replaced { instance, from, to, elements, assumptions: FxHashMap::default() }
}

impl Replaced {
    fn substitute(&self, term: raw::Term) -> raw::Term {
        let (from, to) = (self.from.as_ptr().cast_mut(), self.to.as_ptr().cast_mut());
        // SAFETY: all terms are live and of one manager; the library reads `from.len()` of each array.
        unsafe { raw::bitwuzla_substitute_term(term, self.from.len(), from, to) }
    }

    /// Asserts K[i] = v for all constant arrays and index terms of one sort.
    fn assert_elements(&mut self, terms: &Terms, parts: &[TermId]) {
        let mut indices: Vec<TermId> = Vec::new();
        for &part in parts {
            if matches!(terms.op(part), Op::Select | Op::Store) {
                indices.push(terms.args(part)[1]);
            }
        }
        indices.sort_unstable();
        indices.dedup();
        let arrays: Vec<TermId> =
            parts.iter().copied().filter(|&part| matches!(terms.op(part), Op::ConstArray(_))).collect();
        for (position, &array) in arrays.iter().enumerate() {
            let Sort::Array { index: sort, .. } = terms.sort(array) else { unreachable!("a constant array is one") };
            for &index in indices.iter().filter(|&&index| terms.sort(index) == sort.into()) {
                let fact = {
                    let mut manager = self.instance.manager.borrow_mut();
                    let (index, element) =
                        (manager.translate(terms, index), manager.translate(terms, terms.args(array)[0]));
                    element_fact(&manager, self.to[position], self.substitute(index), self.substitute(element))
                };
                self.instance.assert(fact);
            }
        }
    }

    /// Whether a model of the replaced query means a model of the query, see above.
    fn is_complete(&self, terms: &Terms, formulas: &[TermId], parts: &[TermId]) -> bool {
        let is_array_equation =
            |term: TermId| terms.op(term) == Op::Eq && matches!(terms.sort(terms.args(term)[0]), Sort::Array { .. });
        let conjuncts: FxHashSet<TermId> = formulas.iter().flat_map(|&formula| terms.conjuncts(formula)).collect();
        let used_inside: FxHashSet<TermId> = parts
            .iter()
            .filter(|&&part| terms.op(part) != Op::And)
            .flat_map(|&part| terms.args(part))
            .copied()
            .collect();
        let equations_are_conjuncts = parts
            .iter()
            .filter(|&&part| is_array_equation(part))
            .all(|equation| conjuncts.contains(equation) && !used_inside.contains(equation));
        let arrays = parts.iter().filter(|&&part| matches!(terms.op(part), Op::ConstArray(_)));
        let mut elements = arrays.map(|&part| (terms.sort(part), terms.args(part)[0]));
        equations_are_conjuncts && elements.all(|(sort, element)| self.elements[&sort] == element)
    }

    /// Whether an assumption of the last check, as it was given, is part of the reason.
    pub fn is_failed_assumption(&self, assumption: raw::Term) -> bool {
        self.assumptions.get(&assumption).is_some_and(|&new| self.instance.is_failed_assumption(new))
    }

    /// The value of a term in the model.
    pub fn value(&self, terms: &Terms, term: TermId) -> Result<Option<Value>, SolverFailure> {
        let sort = terms.sort(term);
        let value = self.library_value(terms, term)?;
        let Some(&element) = self.elements.get(&sort) else { return Ok(value) };
        let (Some(Value::Array(array)), Some(default)) = (value, self.library_value(terms, element)?) else {
            return Ok(None);
        };
        let changed = ArrayValue { index: array.index, default: Box::new(default), entries: Default::default() };
        let stored = array.entries.into_iter().fold(changed, |array, (index, what)| array.store(index, what));
        Ok(Some(Value::Array(stored)))
    }

    fn library_value(&self, terms: &Terms, term: TermId) -> Result<Option<Value>, SolverFailure> {
        let raw = self.instance.manager.borrow_mut().translate(terms, term);
        let value = self.instance.value(self.substitute(raw))?;
        Ok(crate::back::value(value, terms.sort(term)))
    }
}

fn element_fact(manager: &Manager, array: raw::Term, index: raw::Term, element: raw::Term) -> raw::Term {
    let read = manager.apply(raw::kind::ARRAY_SELECT, &[array, index]);
    manager.apply(raw::kind::EQUAL, &[read, element])
}
