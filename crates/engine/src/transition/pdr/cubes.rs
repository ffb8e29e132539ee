//! How states are described: by equations of variables, and in clauses by predicates and bounds.

use encode::{SlotKind, System, stop_of};
use smt::{Model, Solver, Sort, TermId, Terms, Value};
use std::collections::BTreeSet;
use verdict::Stop;

/// Larger atoms are not predicates.
const LARGEST_PREDICATE: usize = 40;

/// A conjunction: conditions, or (for states of a model) values of variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Cube {
    /// Conditions over the start of blocks.
    pub literals: Vec<TermId>,
    /// Variables with values, as terms.
    values: Vec<(TermId, TermId)>,
}

impl Cube {
    pub(super) fn of(literals: impl IntoIterator<Item = TermId>) -> Cube {
        Cube { literals: literals.into_iter().collect(), values: Vec::new() }
    }

    pub(super) fn negation(&self, terms: &mut Terms) -> TermId {
        let all = terms.and(self.literals.iter().copied());
        terms.not(all)
    }

    /// What the values say, one equation each.
    pub(super) fn equations(&self, terms: &mut Terms) -> Vec<TermId> {
        self.values.iter().map(|&(variable, value)| terms.eq(variable, value)).collect()
    }

    /// The values whose equations are among these.
    pub(super) fn only(&self, terms: &mut Terms, equations: &[TermId]) -> Cube {
        let kept = |&(variable, value): &(TermId, TermId)| equations.contains(&terms.eq(variable, value));
        Cube { literals: Vec::new(), values: self.values.iter().copied().filter(kept).collect() }
    }
}

/// What states are described by.
pub(super) struct Describe {
    /// Variables of states, and whether their bounds are those of signed numbers.
    variables: Vec<(TermId, bool)>,
    /// Everything else that blocks depend on and a model has scalar values for.
    inputs: Vec<TermId>,
    /// Atoms over variables of states.
    pub predicates: BTreeSet<TermId>,
}

impl Describe {
    pub(super) fn new(system: &mut System) -> Describe {
        let (step, bad) = (system.step.clone(), system.bad.clone());
        let mut formulas: Vec<TermId> = vec![step.formula, bad.formula];
        formulas.extend(step.path.written().map(|(_, value)| value));
        let mut path = step.path.clone();
        for (region, segment) in system.encoder.touched(&path) {
            formulas.push(system.encoder.array(&mut path, region, segment));
        }
        let (mut variables, mut inputs) = (Vec::new(), Vec::new());
        let encoder = &system.encoder;
        for variable in encoder.terms.free_vars(&formulas) {
            let term = encoder.terms.var_term(variable);
            if matches!(encoder.terms.sort(term), Sort::Array { .. }) {
                continue;
            }
            let (name, index) = encoder.terms.ssa_parts(variable);
            match (index, encoder.slots.named(name)) {
                (Some(_), Some(slot)) => variables.push((term, is_signed(system, encoder.slots.kind(slot)))),
                (_, _) => inputs.push(term),
            }
        }
        let mut describe = Describe { variables, inputs, predicates: BTreeSet::new() };
        for formula in formulas {
            if encoder.terms.sort(formula) == Sort::Bool {
                describe.learn(&encoder.terms, formula);
            }
        }
        describe
    }

    /// The atoms of a formula that are about states become predicates.
    pub(super) fn learn(&mut self, terms: &Terms, formula: TermId) {
        for atom in terms.atoms(formula) {
            let about_states = terms
                .free_vars(&[atom])
                .iter()
                .all(|&variable| self.variables.iter().any(|(known, _)| *known == terms.var_term(variable)));
            if about_states && terms.size(atom) <= LARGEST_PREDICATE && !terms.is_value(atom) {
                self.predicates.insert(atom);
            }
        }
    }

    /// Whether a condition is a predicate or its negation.
    pub(super) fn is_predicate(&self, literal: TermId, terms: &Terms) -> bool {
        let atoms = terms.atoms(literal);
        atoms.iter().all(|atom| self.predicates.contains(atom))
    }

    /// The state of the solver's model, and equations for its inputs.
    pub(super) fn values(&self, terms: &mut Terms, solver: &mut dyn Solver) -> Result<(Cube, Vec<TermId>), Stop> {
        let mut values = Vec::new();
        for &(variable, _) in &self.variables {
            let value = solver.value(terms, variable).map_err(stop_of)?;
            values.push((variable, terms.value_term(&value)));
        }
        let mut inputs = Vec::new();
        for &input in &self.inputs {
            let value = solver.value(terms, input).map_err(stop_of)?;
            let value = terms.value_term(&value);
            inputs.push(terms.eq(input, value));
        }
        Ok((Cube { literals: Vec::new(), values }, inputs))
    }

    /// All conditions that describe a state: predicates over its variables, and bounds that leave only its values.
    pub(super) fn literals(&self, terms: &mut Terms, cube: &Cube) -> Cube {
        let mut model = Model::default();
        for &(variable, value) in &cube.values {
            let id = terms.as_var(variable).expect("states are described by variables");
            let value = terms.eval(value, &Model::default()).expect("a value has a value");
            model.variables.insert(id, value);
        }
        let mut literals = Vec::new();
        for &predicate in &self.predicates {
            let known = terms.free_vars(&[predicate]).iter().all(|variable| model.variables.contains_key(variable));
            match known.then(|| terms.eval(predicate, &model)).flatten() {
                Some(Value::Bool(true)) => literals.push(predicate),
                Some(Value::Bool(false)) => literals.push(terms.not(predicate)),
                _ => {}
            }
        }
        for &(variable, value) in &cube.values {
            let signed = self.variables.iter().any(|&(known, signed)| known == variable && signed);
            match (terms.sort(variable), signed) {
                (Sort::BitVec(_), true) => {
                    literals.push(terms.bv_sle(variable, value));
                    literals.push(terms.bv_sle(value, variable));
                }
                (Sort::BitVec(_), false) => {
                    literals.push(terms.bv_ule(variable, value));
                    literals.push(terms.bv_ule(value, variable));
                }
                _ => literals.push(terms.eq(variable, value)),
            }
        }
        let mut seen = BTreeSet::new();
        literals.retain(|&literal| terms.as_bool(literal) != Some(true) && seen.insert(literal));
        Cube::of(literals)
    }
}

fn is_signed(system: &System, place: SlotKind) -> bool {
    match place {
        SlotKind::Register(var, _) => system.encoder.program.register(var).is_some_and(|ty| ty.is_signed()),
        _ => false,
    }
}
