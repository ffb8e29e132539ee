//! What a graph says of registers, as an expression; segments cannot be written as one.

use super::ShapeAnalysis;
use super::graph::Graph;
use super::value::Value;
use analysis::Export;
use cfa::{BinOp, ExprId, Exprs, Node};
use std::rc::Rc;

impl Export for ShapeAnalysis<'_> {
    fn formula(&self, state: &Rc<Graph>, node: Node, depth: u32, exprs: &mut Exprs) -> ExprId {
        let here = self.program.nodes[node].function;
        let mut all = exprs.bool(true);
        for (&(var, at), value) in &state.registers {
            let visible = self.program.vars[var].function.is_none_or(|function| function == here && at == depth);
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
