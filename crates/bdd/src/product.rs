//! The one operation that all others are cases of, the relational product `∃ vars: f ∧ g` [BCM+92], on OxiDD's nodes.
//!
//! OxiDD has it too, but nothing can stop its recursion before the node store is full, and it keeps its count of cache
//! hits to itself. Here every step is counted and now and then asks whether the run may go on.
//!
//! 1. Constants and equal or opposite operands need no recursion. 2. Quantified variables above both operands do not
//!    matter. 3. A known result is taken from the cache. 4. Otherwise the halves where the top variable is true and
//!    false are computed; 5. they are joined if the variable is quantified (a half that is `true` decides), and become a
//!    node if not.

use crate::Interrupted;
use crate::meter::Meter;
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache, DiagramRules, Edge, HasApplyCache, HasLevel, InnerNode, LevelNo, Manager, Node, VarNo};
use oxidd_rules_bdd::complement_edge::{BCDDOp, BCDDRules, BCDDTerminal, EdgeTag};

/// One operation at work.
pub(crate) struct Product<'a, M: Manager> {
    manager: &'a M,
    meter: &'a Meter,
    top: EdgeDropGuard<'a, M>,
}

/// The negation.
pub(crate) fn not<E: Edge<Tag = EdgeTag>>(edge: Ref<'_, E>) -> Ref<'_, E> {
    edge.with_tag(!edge.tag())
}

/// The negation of an edge that is ours.
pub(crate) fn not_own<E: Edge<Tag = EdgeTag>>(edge: Own<E>) -> Own<E> {
    let tag = edge.tag();
    edge.with_tag(!tag)
}

impl<'a, M> Product<'a, M>
where
    M: Manager<EdgeTag = EdgeTag, Terminal = BCDDTerminal> + HasApplyCache<M, BCDDOp>,
    M::InnerNode: HasLevel,
{
    pub fn new(manager: &'a M, meter: &'a Meter) -> Result<Self, Interrupted> {
        let top = manager.get_terminal(BCDDTerminal).map_err(|_| Interrupted::Full)?;
        meter.operations.set(meter.operations.get() + 1);
        Ok(Self { manager, meter, top: EdgeDropGuard::new(manager, top) })
    }

    /// `true`: the set of quantified variables that is empty, the conjunct that says nothing.
    pub fn top(&self) -> Ref<'_, M::Edge> {
        self.top.borrowed()
    }

    fn level(&self, edge: Ref<'_, M::Edge>) -> LevelNo {
        match self.manager.get_node(edge) {
            Node::Inner(node) => node.level(),
            Node::Terminal(_) => LevelNo::MAX,
        }
    }

    /// The set of variables without those above a level.
    fn vars_below<'e>(&'e self, mut vars: Ref<'e, M::Edge>, level: LevelNo) -> Ref<'e, M::Edge> {
        while let Node::Inner(node) = self.manager.get_node(vars)
            && node.level() < level
        {
            vars = node.child(0);
        }
        vars
    }

    /// What a function is where the variable of a level is true and where it is false; it decides none above.
    fn halves<'e>(&'e self, edge: Ref<'e, M::Edge>, level: LevelNo) -> [Ref<'e, M::Edge>; 2] {
        match self.manager.get_node(edge) {
            Node::Inner(node) if node.level() == level => [0, 1].map(|at| BCDDRules::cofactor(edge.tag(), node, at)),
            Node::Inner(_) | Node::Terminal(_) => [edge, edge],
        }
    }

    /// The one assignment of these values to the first variables, from the last of them to the first.
    pub fn element(&self, values: &[bool]) -> Result<Own<M::Edge>, Interrupted> {
        let (manager, top) = (self.manager, self.top());
        let mut below = EdgeDropGuard::new(manager, manager.clone_edge(top));
        for (variable, &value) in values.iter().enumerate().rev() {
            self.meter.step(|| manager.approx_num_inner_nodes())?;
            let level = manager.var_to_level(variable as VarNo);
            assert!(level < self.level(below.borrowed()), "variables are in the order of their numbers");
            let (yes, no) = (below.into_edge(), not_own(manager.clone_edge(top)));
            let halves = if value { [yes, no] } else { [no, yes] };
            let node: oxidd_core::ReducedOrNew<M::Edge, M::InnerNode> = BCDDRules::reduce(manager, level, halves);
            below = EdgeDropGuard::new(manager, node.then_insert(manager, level).map_err(|_| Interrupted::Full)?);
        }
        Ok(below.into_edge())
    }

    /// `∃ vars: f ∧ g`.
    pub fn run(
        &self,
        f: Ref<'_, M::Edge>,
        g: Ref<'_, M::Edge>,
        vars: Ref<'_, M::Edge>,
    ) -> Result<Own<M::Edge>, Interrupted> {
        self.meter.step(|| self.manager.approx_num_inner_nodes())?;
        let (manager, top) = (self.manager, self.top());
        if f == not(top) || g == not(top) || f == not(g) {
            return Ok(not_own(manager.clone_edge(top))); // 1
        }
        // The smaller one first, so that both orders share a result; `true` last.
        let (f, g) = match (f == top, f == g || g == top) {
            (true, true) => return Ok(manager.clone_edge(top)),
            (true, false) => (g, top),
            (false, true) => (f, top),
            (false, false) if f < g => (f, g),
            (false, false) => (g, f),
        };
        let level = self.level(f).min(self.level(g));
        let vars = self.vars_below(vars, level); // 2
        let pair = [f, g];
        let (op, operands): (BCDDOp, &[Ref<'_, M::Edge>]) = match (g == top, vars == top) {
            (true, true) => return Ok(manager.clone_edge(f)),
            (false, true) => (BCDDOp::And, &pair),
            (true, false) => (BCDDOp::Exists, &[f, vars]),
            (false, false) => (BCDDOp::ExistAnd, &[f, g, vars]),
        };
        let known = manager.apply_cache().get(manager, op, operands); // 3
        self.meter.lookup(known.is_some());
        if let Some(known) = known {
            return Ok(known);
        }
        let ([f_yes, f_no], [g_yes, g_no]) = (self.halves(f, level), self.halves(g, level));
        let quantified = self.level(vars) == level;
        let rest = self.vars_below(vars, level + 1);
        let yes = EdgeDropGuard::new(manager, self.run(f_yes, g_yes, rest)?); // 4
        let result = if quantified && yes.borrowed() == top {
            yes.into_edge() // 5
        } else {
            let no = EdgeDropGuard::new(manager, self.run(f_no, g_no, rest)?);
            if quantified {
                not_own(self.run(not(yes.borrowed()), not(no.borrowed()), top)?)
            } else {
                let node: oxidd_core::ReducedOrNew<M::Edge, M::InnerNode> =
                    BCDDRules::reduce(manager, level, [yes.into_edge(), no.into_edge()]);
                node.then_insert(manager, level).map_err(|_| Interrupted::Full)?
            }
        };
        manager.apply_cache().add(manager, op, operands, result.borrowed());
        Ok(result)
    }
}
