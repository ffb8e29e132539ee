//! Abstraction states as expressions of the program.

use super::cpa::{BlockRole, PredicateCpa, State};
use analysis::Export;
use cfa::{ExprId, Exprs, Node};
use encode::implied;

impl Export for PredicateCpa<'_> {
    fn formula(&self, state: &State, node: Node, _: u32, exprs: &mut Exprs) -> ExprId {
        if state.role != BlockRole::Start {
            return exprs.bool(true);
        }
        let function = self.program.nodes[node].function;
        let mut known = vec![self.blocks[state.block].psi.formula];
        known.extend(self.fact_at(node));
        implied(&self.encoder, function, exprs, &known)
    }

    fn whole(&self, state: &State, node: Node, exprs: &mut Exprs) -> ExprId {
        self.formula(state, node, 0, exprs)
    }

    fn size(&self, _state: &State) -> usize {
        1
    }
}
