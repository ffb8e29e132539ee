//! ψ as a BDD over predicates [BDW18, sections 3.1.1 and 3.1.5]: every predicate is a variable, every model that an abstraction
//! finds a cube. Regions compare without a solver: what implies another as a boolean function implies it as a formula.
//! Abstractions with the same predicates are sets of their combinations that have models, so nothing is lost by that.

use bdd::{Bdd, BddStore, Interrupted, OxiddStore};
use rustc_hash::FxHashMap;
use smt::{Op, TermId, Terms};

/// Room for this many nodes; a region that finds none is kept as a formula only.
const NODES: usize = 1 << 20;

/// The predicates of one run as variables.
pub(super) struct Regions {
    store: OxiddStore,
    variables: FxHashMap<TermId, u32>,
    predicates: Vec<TermId>,
}

impl Regions {
    /// No predicates yet.
    pub fn new(cancel: &base::Cancel) -> Regions {
        Regions { store: OxiddStore::new(NODES, cancel), variables: FxHashMap::default(), predicates: Vec::new() }
    }

    /// *true*.
    pub fn all(&self) -> Bdd {
        self.store.constant(true)
    }

    /// The states in which a predicate has a value.
    fn literal(&mut self, terms: &Terms, predicate: TermId, value: bool) -> Result<Bdd, Interrupted> {
        if let Some(constant) = terms.as_bool(predicate) {
            return Ok(self.store.constant(constant == value));
        }
        let (predicate, value) = match terms.op(predicate) {
            Op::Not => (terms.args(predicate)[0], !value),
            _ => (predicate, value),
        };
        let variable = match self.variables.get(&predicate) {
            Some(&variable) => variable,
            None => {
                let variable = self.store.add_variables(1);
                self.variables.insert(predicate, variable);
                self.predicates.push(predicate);
                variable
            }
        };
        let positive = self.store.variable(variable)?;
        if value { Ok(positive) } else { self.store.not(&positive) }
    }

    /// The states in which all the predicates have these values.
    pub fn cube(&mut self, terms: &Terms, literals: &[(TermId, bool)]) -> Result<Bdd, Interrupted> {
        let mut cube = self.all();
        for &(predicate, value) in literals {
            let literal = self.literal(terms, predicate, value)?;
            cube = self.store.and(&cube, &literal)?;
        }
        Ok(cube)
    }

    /// The states of one of the cubes.
    pub fn union(&mut self, terms: &Terms, cubes: &[Vec<(TermId, bool)>]) -> Result<Bdd, Interrupted> {
        let mut any = self.store.constant(false);
        for cube in cubes {
            let cube = self.cube(terms, cube)?;
            any = self.store.or(&any, &cube)?;
        }
        Ok(any)
    }

    /// The states of both.
    pub fn meet(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Interrupted> {
        self.store.and(a, b)
    }

    /// Whether one region lies in another.
    pub fn implies(&self, a: &Bdd, b: &Bdd) -> Result<bool, Interrupted> {
        let outside = self.store.not(b)?;
        Ok(self.store.is_false(&self.store.and(a, &outside)?))
    }

    /// The region as a formula over its predicates: one conditional for each node.
    #[expect(clippy::mutable_key_type, reason = "a function is hashed by its node's number, which never changes")]
    pub fn formula(&self, terms: &mut Terms, region: &Bdd) -> TermId {
        let mut known = FxHashMap::default();
        self.formula_of(terms, region, &mut known)
    }

    #[expect(clippy::mutable_key_type, reason = "a function is hashed by its node's number, which never changes")]
    fn formula_of(&self, terms: &mut Terms, region: &Bdd, known: &mut FxHashMap<Bdd, TermId>) -> TermId {
        if let Some(&formula) = known.get(region) {
            return formula;
        }
        let formula = match self.store.branch(region) {
            None => terms.bool(!self.store.is_false(region)),
            Some((variable, yes, no)) => {
                let yes = self.formula_of(terms, &yes, known);
                let no = self.formula_of(terms, &no, known);
                terms.ite(self.predicates[variable as usize], yes, no)
            }
        };
        known.insert(region.clone(), formula);
        formula
    }

    /// How many nodes a region has.
    pub fn size(&self, region: &Bdd) -> usize {
        self.store.size(region)
    }
}
