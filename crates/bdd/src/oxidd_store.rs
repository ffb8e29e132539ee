//! The OxiDD back end.

use crate::{Full, Store};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, Manager, ManagerRef};

/// A boolean function of an [`OxiddStore`].
pub type Bdd = BCDDFunction;

/// A store that holds at most a fixed number of nodes.
pub struct OxiddStore {
    manager: BCDDManagerRef,
}

impl OxiddStore {
    /// Room for `nodes` nodes and a cache of a sixteenth as many results, which is cleared now and so costs time. A node takes 16 bytes once it is used.
    pub fn new(nodes: usize) -> Self {
        Self { manager: new_manager(nodes, nodes / 16, 1) }
    }
}

fn lift<T>(result: AllocResult<T>) -> Result<T, Full> {
    result.map_err(|_| Full)
}

impl Store for OxiddStore {
    type Function = Bdd;

    fn add_variables(&mut self, count: u32) -> u32 {
        self.manager.with_manager_exclusive(|manager| manager.add_vars(count)).start
    }

    fn constant(&self, value: bool) -> Bdd {
        self.manager.with_manager_shared(|manager| if value { Bdd::t(manager) } else { Bdd::f(manager) })
    }

    fn variable(&self, variable: u32) -> Result<Bdd, Full> {
        lift(self.manager.with_manager_shared(|manager| Bdd::var(manager, variable)))
    }

    fn not(&self, a: &Bdd) -> Result<Bdd, Full> {
        lift(a.not())
    }

    fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Full> {
        lift(a.and(b))
    }

    fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Full> {
        lift(a.or(b))
    }

    fn exists(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Full> {
        lift(a.exists(cube))
    }

    fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Full> {
        lift(a.apply_exists(BooleanOperator::And, b, cube))
    }

    fn is_false(&self, a: &Bdd) -> bool {
        !a.satisfiable()
    }

    fn pick(&self, a: &Bdd) -> Option<Vec<Option<bool>>> {
        let cube = a.pick_cube(|_, _, _| false)?;
        Some(
            cube.into_iter()
                .map(|value| match value {
                    OptBool::None => None,
                    OptBool::False => Some(false),
                    OptBool::True => Some(true),
                })
                .collect(),
        )
    }

    fn branch(&self, a: &Bdd) -> Option<(u32, Bdd, Bdd)> {
        let (yes, no) = a.cofactors()?;
        let variable = a.with_manager_shared(|manager, edge| manager.level_to_var(manager.get_node(edge).level()));
        Some((variable, yes, no))
    }

    fn size(&self, a: &Bdd) -> usize {
        a.node_count()
    }

    fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function of three variables, built from its truth table, agrees with the table under every operation.
    #[test]
    fn agrees_with_truth_tables() {
        let mut store = OxiddStore::new(1 << 16);
        let first = store.add_variables(3);
        let vars: Vec<Bdd> = (0..3).map(|at| store.variable(first + at).expect("room")).collect();
        let from_table = |table: u32| {
            (0..8).filter(|row| table >> row & 1 == 1).fold(store.constant(false), |sum, row: u32| {
                let minterm = (0..3).fold(store.constant(true), |product, at| {
                    let literal =
                        if row >> at & 1 == 1 { vars[at].clone() } else { store.not(&vars[at]).expect("room") };
                    store.and(&product, &literal).expect("room")
                });
                store.or(&sum, &minterm).expect("room")
            })
        };
        let functions: Vec<Bdd> = (0..256).map(from_table).collect();
        for a in (0..256u32).step_by(7) {
            assert!(store.not(&functions[a as usize]).expect("room") == functions[(!a & 255) as usize]);
            let positive = (a >> 1 | a) & 0b0101_0101;
            let projected = store.exists(&functions[a as usize], &vars[0]).expect("room");
            assert!(projected == functions[(positive | positive << 1) as usize]);
            for b in 0..256u32 {
                let (f, g) = (&functions[a as usize], &functions[b as usize]);
                assert!(store.and(f, g).expect("room") == functions[(a & b) as usize]);
                assert!(store.or(f, g).expect("room") == functions[(a | b) as usize]);
            }
        }
        assert_eq!(store.pick(&functions[0]), None);
        assert_eq!(store.pick(&functions[0b1000_0000]), Some(vec![Some(true); 3]));
    }
}
