//! Arrays in projections: what is read from an array that must go becomes a choice between what was written to it and a
//! number of its own. Equal indices give equal numbers.

use crate::op::{Op, VarId};
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use rustc_hash::FxHashMap;

/// Most different reads.
const READS: usize = 48;
/// Most writes below one read.
const WRITES: u32 = 40;
/// Most reads of one array that are compared with each other.
const COMPARED: usize = 4;

/// `conjuncts` without reads of arrays with variables that `unwanted` accepts, as far as that is possible; new variables
/// stand for what the arrays hold. There is a model exactly if there was one.
pub(super) fn without_reads(
    terms: &mut Terms,
    conjuncts: &[TermId],
    unwanted: &dyn Fn(&Terms, TermId) -> bool,
) -> Option<Vec<TermId>> {
    let mut reads: Vec<TermId> =
        terms.reachable(conjuncts).into_iter().filter(|&part| terms.op(part) == Op::Select).collect();
    reads.retain(|&read| unwanted(terms, terms.pair(read).0));
    if reads.is_empty() || reads.len() > READS {
        return None;
    }
    // Operands are made before what uses them.
    reads.sort_unstable_by_key(|read| base::Id::index(*read));
    let mut reader = Reader { terms, unwanted, held: Vec::new() };
    let mut map = FxHashMap::default();
    for read in reads {
        let (array, index) = reader.terms.pair(read);
        let parts = reader.terms.substitute_all(&[array, index], &map);
        let value = reader.read(parts[0], parts[1], WRITES)?;
        assert_eq!(reader.terms.sort(value), reader.terms.sort(read), "what is read");
        map.insert(read, value);
    }
    let held = reader.held;
    let mut result = terms.substitute_all(conjuncts, &map);
    result.extend(equal_indices(terms, &held));
    Some(result)
}

struct Reader<'a> {
    terms: &'a mut Terms,
    unwanted: &'a dyn Fn(&Terms, TermId) -> bool,
    /// Array, index, what it holds there.
    held: Vec<(VarId, TermId, TermId)>,
}

impl Reader<'_> {
    /// match: `select(store(a, i, v), j)`; result: `ite(i = j, v, select(a, j))`; and so on. `None` if it is too deep.
    fn read(&mut self, array: TermId, index: TermId, writes: u32) -> Option<TermId> {
        match self.terms.op(array) {
            Op::Store => {
                let (below, at, value) = self.terms.triple(array);
                let here = self.terms.eq(at, index);
                match self.terms.as_bool(here) {
                    Some(true) => Some(value),
                    Some(false) => self.read(below, index, writes.checked_sub(1)?),
                    None => {
                        let other = self.read(below, index, writes.checked_sub(1)?)?;
                        Some(self.terms.ite(here, value, other))
                    }
                }
            }
            Op::Ite => {
                let (condition, yes, no) = self.terms.triple(array);
                let yes = self.read(yes, index, writes / 2)?;
                let no = self.read(no, index, writes / 2)?;
                Some(self.terms.ite(condition, yes, no))
            }
            Op::Var(variable) if (self.unwanted)(self.terms, array) => {
                let known = self.held.iter().find(|(of, at, _)| (*of, *at) == (variable, index));
                if let Some((_, _, value)) = known {
                    return Some(*value);
                }
                let read = self.terms.select(array, index);
                let sort: Sort = self.terms.sort(read);
                let value = self.terms.fresh_var("?held", sort);
                self.held.push((variable, index, value));
                Some(value)
            }
            _ => Some(self.terms.select(array, index)),
        }
    }
}

/// Equal indices of one array give equal values.
fn equal_indices(terms: &mut Terms, held: &[(VarId, TermId, TermId)]) -> Vec<TermId> {
    let mut result = Vec::new();
    for (at, &(array, index, value)) in held.iter().enumerate() {
        let before: Vec<(TermId, TermId)> =
            held[..at].iter().filter(|(of, _, _)| *of == array).map(|(_, index, value)| (*index, *value)).collect();
        for &(other, other_value) in before.iter().rev().take(COMPARED) {
            let same_index = terms.eq(index, other);
            let same_value = terms.eq(value, other_value);
            let formula = terms.implies(same_index, same_value);
            if terms.as_bool(formula) != Some(true) {
                result.push(formula);
            }
        }
    }
    result
}
