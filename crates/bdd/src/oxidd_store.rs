//! The OxiDD back end.

use crate::meter::{Meter, Statistics};
use crate::product::{Product, not, not_own};
use crate::{BddStore, Interrupted};
use base::Cancel;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::OptBool;
use oxidd::{BooleanFunction, Function, Manager, ManagerRef};

/// A boolean function of an [`OxiddStore`].
pub type Bdd = BCDDFunction;

/// A store that holds at most a fixed number of nodes.
pub struct OxiddStore {
    manager: BCDDManagerRef,
    meter: Meter,
}

impl OxiddStore {
    /// Room for `nodes` nodes and a cache of a sixteenth as many results, which is cleared now and so costs time. A
    /// node takes 16 bytes once it is used. Operations end in the middle when `cancel` says so.
    pub fn new(nodes: usize, cancel: &Cancel) -> Self {
        Self { manager: new_manager(nodes, nodes / 16, 1), meter: Meter::new(cancel.clone()) }
    }
}

impl BddStore for OxiddStore {
    type Function = Bdd;

    fn add_variables(&mut self, count: u32) -> u32 {
        self.manager.with_manager_exclusive(|manager| manager.add_vars(count)).start
    }

    fn constant(&self, value: bool) -> Bdd {
        self.manager.with_manager_shared(|manager| if value { Bdd::t(manager) } else { Bdd::f(manager) })
    }

    fn variable(&self, variable: u32) -> Result<Bdd, Interrupted> {
        self.manager.with_manager_shared(|manager| Bdd::var(manager, variable)).map_err(|_| Interrupted::Full)
    }

    fn not(&self, a: &Bdd) -> Result<Bdd, Interrupted> {
        a.not().map_err(|_| Interrupted::Full)
    }

    fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Interrupted> {
        self.manager.with_manager_shared(|manager| {
            let product = Product::new(manager, &self.meter)?;
            let result = product.run(a.as_edge(manager), b.as_edge(manager), product.top())?;
            Ok(Bdd::from_edge(manager, result))
        })
    }

    fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Interrupted> {
        self.manager.with_manager_shared(|manager| {
            let product = Product::new(manager, &self.meter)?;
            let result = product.run(not(a.as_edge(manager)), not(b.as_edge(manager)), product.top())?;
            Ok(Bdd::from_edge(manager, not_own(result)))
        })
    }

    fn exists(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, Interrupted> {
        self.manager.with_manager_shared(|manager| {
            let product = Product::new(manager, &self.meter)?;
            let result = product.run(a.as_edge(manager), product.top(), cube.as_edge(manager))?;
            Ok(Bdd::from_edge(manager, result))
        })
    }

    fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, Interrupted> {
        self.manager.with_manager_shared(|manager| {
            let product = Product::new(manager, &self.meter)?;
            let result = product.run(a.as_edge(manager), b.as_edge(manager), cube.as_edge(manager))?;
            Ok(Bdd::from_edge(manager, result))
        })
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

    fn element(&self, values: &[bool]) -> Result<Bdd, Interrupted> {
        self.manager.with_manager_shared(|manager| {
            let product = Product::new(manager, &self.meter)?;
            Ok(Bdd::from_edge(manager, product.element(values)?))
        })
    }

    fn branch(&self, a: &Bdd) -> Option<(u32, Bdd, Bdd)> {
        let (yes, no) = a.cofactors()?;
        let variable = a.with_manager_shared(|manager, edge| manager.level_to_var(manager.get_node(edge).level()));
        Some((variable, yes, no))
    }

    fn size(&self, a: &Bdd) -> usize {
        a.node_count()
    }

    fn statistics(&self) -> Statistics {
        let (nodes, collections) =
            self.manager.with_manager_shared(|manager| (manager.num_inner_nodes(), manager.gc_count()));
        self.meter.statistics(nodes, collections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn store(variables: u32, nodes: usize, cancel: &Cancel) -> (OxiddStore, Vec<Bdd>) {
        let mut store = OxiddStore::new(nodes, cancel);
        let first = store.add_variables(variables);
        let vars = (first..first + variables).map(|at| store.variable(at).expect("room")).collect();
        (store, vars)
    }

    /// Every function of three variables, built from its truth table, agrees with the table under every operation.
    #[test]
    fn agrees_with_truth_tables() {
        let (store, vars) = store(3, 1 << 16, &Cancel::never());
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
        let cubes: Vec<Bdd> = (0..8u32)
            .map(|set| {
                let chosen = (0..3).filter(|at| set >> at & 1 == 1);
                chosen.fold(store.constant(true), |cube, at| store.and(&cube, &vars[at]).expect("room"))
            })
            .collect();
        // Some row that differs in the variables of `set` only satisfies the table.
        let project = |table: u32, set: u32| {
            let reaches = |row: u32| (0..8).any(|other| (row ^ other) & !set == 0 && table >> other & 1 == 1);
            (0..8).filter(|&row| reaches(row)).fold(0, |sum, row| sum | 1 << row)
        };
        for a in (0..256u32).step_by(7) {
            let f = &functions[a as usize];
            assert!(store.not(f).expect("room") == functions[(!a & 255) as usize]);
            for (set, cube) in (0u32..).zip(&cubes) {
                assert!(store.exists(f, cube).expect("room") == functions[project(a, set) as usize]);
            }
            for b in 0..256u32 {
                let g = &functions[b as usize];
                assert!(store.and(f, g).expect("room") == functions[(a & b) as usize]);
                assert!(store.or(f, g).expect("room") == functions[(a | b) as usize]);
                for (set, cube) in (0u32..).zip(&cubes) {
                    let projected = store.and_exists(f, g, cube).expect("room");
                    assert!(projected == functions[project(a & b, set) as usize], "{a:08b} {b:08b} {set:03b}");
                }
            }
        }
        for row in 0..8u32 {
            let values = [0, 1, 2].map(|at| row >> at & 1 == 1);
            assert!(store.element(&values).expect("room") == functions[1 << row]);
        }
        assert_eq!(store.pick(&functions[0]), None);
        assert_eq!(store.pick(&functions[0b1000_0000]), Some(vec![Some(true); 3]));
    }

    /// `x0 == y0 ∧ x1 == y1 ∧ …` with all `x` above all `y`: the number of nodes doubles with every pair.
    fn equal_words(store: &OxiddStore, vars: &[Bdd]) -> Result<Bdd, Interrupted> {
        let half = vars.len() / 2;
        let mut all = store.constant(true);
        for (x, y) in vars[..half].iter().zip(&vars[half..]) {
            let both = store.and(x, y)?;
            let neither = store.not(&store.or(x, y)?)?;
            all = store.and(&all, &store.or(&both, &neither)?)?;
        }
        Ok(all)
    }

    #[test]
    fn a_full_store_says_so() {
        let (store, vars) = store(60, 1 << 10, &Cancel::never());
        assert_eq!(equal_words(&store, &vars).err(), Some(Interrupted::Full));
    }

    /// The sum over many steps is large, whichever operation is at work when the time is over.
    #[test]
    fn limits_end_operations() {
        let (store, vars) = store(60, 1 << 20, &Cancel::with_limits(Some(Duration::ZERO), None));
        assert_eq!(equal_words(&store, &vars).err(), Some(Interrupted::Stopped(base::Stopped::Time)));
    }

    #[test]
    fn the_cache_is_counted() {
        let (store, vars) = store(12, 1 << 16, &Cancel::never());
        let first = equal_words(&store, &vars).expect("room");
        let before = store.statistics();
        assert!(before.cache_lookups >= before.cache_hits && before.cache_lookups > 0);
        assert!(equal_words(&store, &vars).expect("room") == first);
        let after = store.statistics();
        assert_eq!(after.operations, 2 * before.operations);
        // Every operation that is repeated is known at its top.
        let asked = after.cache_lookups - before.cache_lookups;
        assert_eq!(after.cache_hits - before.cache_hits, asked);
        assert!(after.nodes > 0 && after.most_nodes >= after.nodes);
    }
}
