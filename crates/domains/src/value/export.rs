//! Value states as expressions: a conjunction of equations over what is visible at a location.

use super::ValueAnalysis;
use super::sign::Sign;
use super::store::{KnownValue, Origin, State, StoredObjectId};
use analysis::Export;
use cfa::{BinOp, ExprId, Exprs, Node, Scalar, VarId};
use semantics::scalar;

impl Export for ValueAnalysis<'_> {
    fn formula(&self, state: &State, node: Node, depth: u32, exprs: &mut Exprs) -> ExprId {
        self.equations(state, exprs, &|var, at| self.is_visible((var, at), (node, depth)), Told::Numbers)
    }

    fn whole(&self, state: &State, _node: Node, exprs: &mut Exprs) -> ExprId {
        self.equations(state, exprs, &|_, _| true, Told::All)
    }

    fn size(&self, state: &State) -> usize {
        let mut count = 0;
        self.store.maps.for_each(state.regs(), &mut |_, _| count += 1);
        self.store.maps.for_each(state.mem(), &mut |_, content| {
            self.store.maps.for_each(content, &mut |_, _| count += 1);
        });
        count
    }
}

/// Which values are written down.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Those that readers understand at once.
    Numbers,
    /// Addresses and signs, too.
    All,
}

impl ValueAnalysis<'_> {
    /// Whether a variable of an activation is visible at a node, in the activation with that many of its function below it.
    fn is_visible(&self, (var, at): (VarId, u32), (node, depth): (Node, u32)) -> bool {
        let program = self.store.program;
        program.vars[var].function.is_none_or(|function| function == program.nodes[node].function && at == depth)
    }

    /// Whether the formula at a node says all that is known. It says nothing of addresses and signs, of other activations, of
    /// allocated objects, which have no names, and of objects that are filled with one byte.
    pub(super) fn is_told(&self, state: &State, node: Node, depth: u32) -> bool {
        let is_number = |value: Option<KnownValue>| matches!(value, None | Some(KnownValue::Bits(_)));
        let mut all = true;
        self.store.maps.for_each(state.regs(), &mut |slot, handle| {
            let of = self.store.slot_var(slot);
            all &= self.is_visible(of, (node, depth)) && is_number(self.store.value(handle));
        });
        self.store.maps.for_each(state.mem(), &mut |object, content| {
            let object = self.store.object_info(StoredObjectId(object));
            let named = match object.origin {
                Origin::Variable(var) => self.is_visible((var, object.depth), (node, depth)),
                Origin::Site(_) => false,
            };
            let told = named && self.store.fill_of(content).is_none();
            self.store.maps.for_each(content, &mut |_, chunk| {
                all &= told && is_number(self.store.value(self.store.chunks[chunk as usize].value));
            });
        });
        all
    }

    /// What is known of the variables that are visible, by variable and activation.
    fn equations(
        &self,
        state: &State,
        exprs: &mut Exprs,
        is_visible: &dyn Fn(VarId, u32) -> bool,
        told: Told,
    ) -> ExprId {
        let program = self.store.program;
        let mut equations = Vec::new();
        self.store.maps.for_each(state.regs(), &mut |slot, handle| {
            let (var, at) = self.store.slot_var(slot);
            if let (true, Some(ty), Some(value)) =
                (is_visible(var, at), program.register(var), self.store.value(handle))
            {
                let var = exprs.var(var, ty);
                equations.extend(self.fact(exprs, (var, ty), value, told));
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
                let Some(value) = self.store.value(chunk.value) else { return };
                if !matches!(chunk.size, 1 | 2 | 4 | 8 | 16) {
                    return;
                }
                let bits = u32::from(chunk.size) * 8;
                let ty = match value {
                    KnownValue::Bits(_) | KnownValue::Sign(_) => Scalar::int(bits, false),
                    KnownValue::Pointer(..) | KnownValue::Function(_) => Scalar::Ptr,
                };
                if ty.bits(program.model) != bits {
                    return;
                }
                let offset = exprs.int(exprs.model().offset_type(), i128::from(key) - 1);
                let base = exprs.addr(var);
                let pointer = exprs.binary(BinOp::PtrAdd, base, offset);
                let load = exprs.load(pointer, ty);
                equations.extend(self.fact(exprs, (load, ty), value, told));
            });
        });
        let all = equations.into_iter().reduce(|a, b| exprs.binary(BinOp::And, a, b));
        all.unwrap_or_else(|| exprs.bool(true))
    }

    /// What a known value says of the expression that has it; `None` if that cannot be written down.
    fn fact(&self, exprs: &mut Exprs, (expr, ty): (ExprId, Scalar), value: KnownValue, told: Told) -> Option<ExprId> {
        match value {
            KnownValue::Bits(bits) => equals(exprs, expr, ty, bits),
            _ if told == Told::Numbers => None,
            KnownValue::Sign(sign) => has_sign(exprs, expr, ty, sign),
            _ if ty != Scalar::Ptr => None,
            KnownValue::Function(function) => {
                let address = exprs.function(function);
                Some(exprs.binary(BinOp::Eq, expr, address))
            }
            KnownValue::Pointer(object, offset) => {
                let Origin::Variable(var) = self.store.object_info(object).origin else { return None };
                let offset = exprs.int(exprs.model().offset_type(), i128::from(offset));
                let base = exprs.addr(var);
                let pointer = exprs.binary(BinOp::PtrAdd, base, offset);
                Some(exprs.binary(BinOp::Eq, expr, pointer))
            }
        }
    }
}

/// The least and the greatest number with these signs, and that it is not 0 if that is between them.
fn has_sign(exprs: &mut Exprs, expr: ExprId, ty: Scalar, sign: Sign) -> Option<ExprId> {
    let (low, high) = sign.range(exprs.model(), ty)?;
    let (zero, least, greatest) = (exprs.bits(ty, 0), exprs.int(ty, low), exprs.int(ty, high));
    let parts = [exprs.binary(BinOp::Le, least, expr), exprs.binary(BinOp::Le, expr, greatest)];
    let mut all = exprs.binary(BinOp::And, parts[0], parts[1]);
    if sign.and(Sign::ZERO).is_empty() {
        let is_zero = exprs.binary(BinOp::Eq, expr, zero);
        let other = exprs.not(is_zero);
        all = exprs.binary(BinOp::And, all, other);
    }
    Some(all)
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
