//! Value states as expressions: a conjunction of equations over what is visible at a location.

use super::ValueAnalysis;
use super::store::{KnownValue, Origin, State, StoredObjectId};
use analysis::Export;
use cfa::{BinOp, ExprId, Exprs, Node, Scalar, VarId};
use semantics::scalar;

impl Export for ValueAnalysis<'_> {
    fn formula(&self, state: &State, node: Node, depth: u32, exprs: &mut Exprs) -> ExprId {
        let program = self.store.program;
        let here = program.nodes[node].function;
        self.equations(state, exprs, &|var, at| {
            program.vars[var].function.is_none_or(|function| function == here && at == depth)
        })
    }
}

impl ValueAnalysis<'_> {
    /// What is known of the variables that are visible, by variable and activation.
    pub(super) fn equations(
        &self,
        state: &State,
        exprs: &mut Exprs,
        is_visible: &dyn Fn(VarId, u32) -> bool,
    ) -> ExprId {
        let program = self.store.program;
        let mut equations = Vec::new();
        self.store.maps.for_each(state.regs(), &mut |slot, handle| {
            let (var, at) = self.store.slot_var(slot);
            if let (true, Some(ty), Some(KnownValue::Bits(bits))) =
                (is_visible(var, at), program.register(var), self.store.value(handle))
            {
                let var = exprs.var(var, ty);
                equations.extend(equals(exprs, var, ty, bits));
            }
        });
        self.store.maps.for_each(state.mem(), &mut |object, content| {
            let object = self.store.object_info(StoredObjectId(object));
            let Origin::Variable(var) = object.origin else { return };
            if !is_visible(var, object.depth) || self.store.fill_of(content).is_some() {
                return;
            }
            self.store.maps.for_each(content, &mut |key, chunk| {
                let chunk = self.store.chunks[chunk as usize];
                let Some(KnownValue::Bits(bits)) = self.store.value(chunk.value) else { return };
                if !matches!(chunk.size, 1 | 2 | 4 | 8 | 16) {
                    return;
                }
                let ty = Scalar::int(u32::from(chunk.size) * 8, false);
                let offset = exprs.int(exprs.model().offset_type(), i128::from(key) - 1);
                let base = exprs.addr(var);
                let pointer = exprs.binary(BinOp::PtrAdd, base, offset);
                let load = exprs.load(pointer, ty);
                equations.extend(equals(exprs, load, ty, bits));
            });
        });
        let all = equations.into_iter().reduce(|a, b| exprs.binary(BinOp::And, a, b));
        all.unwrap_or_else(|| exprs.bool(true))
    }
}

/// `expr == bits`, except for NaNs, which equal nothing.
fn equals(exprs: &mut Exprs, expr: ExprId, ty: Scalar, bits: u128) -> Option<ExprId> {
    if let Scalar::Float(kind) = ty
        && scalar::is_nan(kind, bits)
    {
        return None;
    }
    let value = exprs.bits(ty, bits);
    Some(exprs.binary(BinOp::Eq, expr, value))
}
