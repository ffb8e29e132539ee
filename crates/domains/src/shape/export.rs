//! What a graph says of registers, as an expression; segments cannot be written as one.

use super::ShapeAnalysis;
use super::graph::Graph;
use super::value::Value;
use analysis::Export;
use cfa::{BinOp, ExprId, Exprs, Node, VarId};
use std::rc::Rc;

impl Export for ShapeAnalysis<'_> {
    fn formula(&self, state: &Rc<Graph>, node: Node, depth: u32, exprs: &mut Exprs) -> ExprId {
        let here = self.program.nodes[node].function;
        self.registers(state, exprs, |var, at| {
            self.program.vars[var].function.is_none_or(|function| function == here && at == depth)
        })
    }

    fn whole(&self, state: &Rc<Graph>, _node: Node, exprs: &mut Exprs) -> ExprId {
        self.registers(state, exprs, |_, _| true)
    }

    fn size(&self, state: &Rc<Graph>) -> usize {
        state.registers.len()
    }
}

impl ShapeAnalysis<'_> {
    /// What is known of the registers that are visible, by variable and activation.
    fn registers(&self, state: &Graph, exprs: &mut Exprs, is_visible: impl Fn(VarId, u32) -> bool) -> ExprId {
        let mut all = exprs.bool(true);
        for (&(var, at), value) in &state.registers {
            let visible = is_visible(var, at);
            let Some(ty) = self.program.register(var).filter(|ty| visible && !ty.is_float()) else { continue };
            let register = exprs.var(var, ty);
            let mut is = |bits: u128| {
                let constant = exprs.bits(ty, bits);
                exprs.binary(BinOp::Eq, register, constant)
            };
            let fact = match value {
                Value::In(bits) => {
                    let equal: Vec<ExprId> = bits.iter().map(|&bits| is(bits)).collect();
                    equal.into_iter().reduce(|a, b| exprs.binary(BinOp::Or, a, b))
                }
                Value::Not(bits) if bits.contains(&0) => {
                    let null = is(0);
                    Some(exprs.not(null))
                }
                Value::Pointer(pointer) if state.is_within(*pointer) => {
                    let null = is(0);
                    Some(exprs.not(null))
                }
                Value::Not(_) | Value::Pointer(_) | Value::Function(_) => None,
            };
            if let Some(fact) = fact {
                all = if exprs.constant(all) == Some(1) { fact } else { exprs.binary(BinOp::And, all, fact) };
            }
        }
        all
    }
}
