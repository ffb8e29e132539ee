//! Expressions -> code. Casts that change no bit cost nothing; a constant offset becomes part of a load or store.

use super::code::{Fp, Generic, Inst, Operand, Operator, Slot};
use super::compile::{Compiler, is_wide};
use cfa::{BinOp, Expr, ExprId, FloatKind, Scalar, UnOp};

impl Compiler<'_> {
    /// Code that computes an expression and all that it needs, operands first; gives the slot with its value.
    pub(super) fn operand(&mut self, root: ExprId) -> Slot {
        if let Some(slot) = self.ready(root) {
            return slot;
        }
        // Expressions nest deeply in generated programs, so no recursion.
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.ready(id).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(self.needed(id).filter(|&operand| self.ready(operand).is_none()));
            if stack.len() == before {
                stack.pop();
                let slot = self.node(id, None);
                self.remember(id, slot);
            }
        }
        self.ready(root).expect("just computed")
    }

    /// Like `operand`, with the value in `d`.
    pub(super) fn operand_into(&mut self, root: ExprId, d: Slot) {
        if self.ready(root).is_none() {
            let needed: Vec<ExprId> = self.needed(root).collect();
            for operand in needed {
                self.operand(operand);
            }
            // A choice is two instructions, of which the first must not overwrite operands of the second.
            let aim = if matches!(self.program.exprs.node(root), Expr::Ite(..)) { None } else { Some(d) };
            let slot = self.node(root, aim);
            self.remember(root, slot);
        }
        let a = self.ready(root).expect("just computed");
        if a != d {
            let wide = is_wide(&self.program.exprs, self.program.exprs.ty(root));
            self.emit(if wide { Inst::MoveWide { d, a } } else { Inst::Move { d, a } });
        }
    }

    /// The operands that must be in slots; constant offsets of loads need not.
    fn needed(&self, id: ExprId) -> impl Iterator<Item = ExprId> + use<> {
        let exprs = &self.program.exprs;
        match exprs.node(id) {
            Expr::Load(pointer) => Expr::Load(self.split(pointer).0),
            other => other,
        }
        .operands()
        .collect::<Vec<_>>()
        .into_iter()
    }

    /// A pointer as another one plus a small constant.
    fn split(&self, pointer: ExprId) -> (ExprId, i32) {
        let exprs = &self.program.exprs;
        if let Expr::Binary(BinOp::PtrAdd, start, offset) = exprs.node(pointer)
            && let Some(bits) = exprs.constant(offset)
        {
            let bits = crate::scalar::sign_extend(bits, exprs.model().pointer_bits()) as i128;
            if let Ok(offset) = i32::try_from(bits) {
                return (start, offset);
            }
        }
        (pointer, 0)
    }

    /// Slot and offset of a place in memory.
    pub(super) fn place(&mut self, pointer: ExprId) -> (Slot, i32) {
        let (start, offset) = self.split(pointer);
        (self.operand(start), offset)
    }

    /// Code for one node whose operands are ready. `aim`: where the result should go.
    fn node(&mut self, id: ExprId, aim: Option<Slot>) -> Slot {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        let model = exprs.model();
        let wide = is_wide(exprs, ty);
        match exprs.node(id) {
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) => {
                unreachable!("leaves are always ready")
            }
            Expr::Load(pointer) => {
                let (pointer, offset) = self.place(pointer);
                let d = self.aimed(aim, ty);
                let bytes = ty.bytes(model) as u8;
                self.emit(match ty {
                    _ if wide => Inst::LoadWide { d, pointer, offset, bytes },
                    Scalar::Ptr => Inst::LoadPointer { d, pointer, offset, bytes },
                    Scalar::Bool | Scalar::Int { .. } | Scalar::Float(_) => Inst::Load { d, pointer, offset, bytes },
                });
                d
            }
            Expr::Ite(condition, yes, no) => {
                let (c, a, b) = (self.operand(condition), self.operand(yes), self.operand(no));
                let d = self.aimed(aim, ty);
                if wide {
                    self.emit(Inst::MoveWide { d, a: b });
                    self.emit(Inst::MoveWideIf { d, c, a });
                } else {
                    self.emit(Inst::Move { d, a: b });
                    self.emit(Inst::MoveIf { d, c, a });
                }
                d
            }
            Expr::Unary(op, x) => {
                let a = self.typed(x);
                let d = self.aimed(aim, ty);
                let unused = 64_u8.wrapping_sub(ty.bits(model) as u8);
                match op {
                    UnOp::Not => self.emit(Inst::Not { d, a: a.slot }),
                    UnOp::Neg if ty.is_int() && !wide => self.emit(Inst::Neg { d, a: a.slot, unused }),
                    UnOp::BitNot if !wide => self.emit(Inst::BitNot { d, a: a.slot, unused }),
                    _ => self.generic(Operator::Unary(op), d, ty, a, a),
                };
                d
            }
            Expr::Binary(op, x, y) => {
                let (a, b) = (self.typed(x), self.typed(y));
                let d = self.aimed(aim, ty);
                self.binary(op, d, ty, a, b);
                d
            }
            Expr::Cast(x) => {
                let a = self.typed(x);
                self.cast(aim, ty, a)
            }
        }
    }

    fn aimed(&mut self, aim: Option<Slot>, ty: Scalar) -> Slot {
        aim.unwrap_or_else(|| self.temporary(ty))
    }

    fn generic(&mut self, operator: Operator, d: Slot, result: Scalar, a: Operand, b: Operand) -> u32 {
        self.code.generics.push(Generic { operator, d, result, a, b });
        self.emit(Inst::Generic(self.code.generics.len() as u32 - 1))
    }

    fn binary(&mut self, op: BinOp, d: Slot, result: Scalar, x: Operand, y: Operand) {
        let (a, b, ty) = (x.slot, y.slot, x.ty);
        let model = self.program.model;
        let fp = match op {
            BinOp::Add => Some(Fp::Add),
            BinOp::Sub => Some(Fp::Sub),
            BinOp::Mul => Some(Fp::Mul),
            BinOp::Div => Some(Fp::Div),
            BinOp::Eq => Some(Fp::Eq),
            BinOp::Lt => Some(Fp::Lt),
            BinOp::Le => Some(Fp::Le),
            BinOp::Rem | BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::PtrAdd => None,
        };
        let inst = match (ty, fp) {
            (Scalar::Float(FloatKind::F32), Some(op)) => Some(Inst::Float32 { op, d, a, b }),
            (Scalar::Float(FloatKind::F64), Some(op)) => Some(Inst::Float64 { op, d, a, b }),
            (Scalar::Float(_), _) => None,
            (Scalar::Bool | Scalar::Int { .. } | Scalar::Ptr, _) => {
                let narrow = ty.bits(model) <= 64 && y.ty.bits(model) <= 64;
                narrow.then(|| integer(op, d, a, b, 64 - ty.bits(model) as u8, ty.is_signed()))
            }
        };
        match inst {
            Some(inst) => self.emit(inst),
            None => self.generic(Operator::Binary(op), d, result, x, y),
        };
    }

    fn cast(&mut self, aim: Option<Slot>, to: Scalar, a: Operand) -> Slot {
        let model = self.program.model;
        let (from_bits, to_bits) = (a.ty.bits(model), to.bits(model));
        if a.ty.is_float() || to.is_float() || from_bits > 64 || to_bits > 64 {
            let d = self.aimed(aim, to);
            self.generic(Operator::Cast, d, to, a, a);
            return d;
        }
        // Pointers extend their sign when cast to wider integers.
        let signed = a.ty.is_signed() || a.ty == Scalar::Ptr;
        if to_bits < from_bits {
            let d = self.aimed(aim, to);
            self.emit(Inst::Cut { d, a: a.slot, unused: 64 - to_bits as u8 });
            d
        } else if to_bits > from_bits && signed {
            let d = self.aimed(aim, to);
            let (unused_from, unused_to) = (64 - from_bits as u8, 64 - to_bits as u8);
            self.emit(Inst::Extend { d, a: a.slot, unused_from, unused_to });
            d
        } else {
            a.slot
        }
    }
}

/// The instruction for integers of at most 64 bits, truth values and pointers.
fn integer(op: BinOp, d: Slot, a: Slot, b: Slot, unused: u8, signed: bool) -> Inst {
    match (op, signed) {
        (BinOp::Add, _) => Inst::Add { d, a, b, unused },
        (BinOp::PtrAdd, _) => Inst::PtrAdd { d, a, b, unused },
        (BinOp::Sub, _) => Inst::Sub { d, a, b, unused },
        (BinOp::Mul, _) => Inst::Mul { d, a, b, unused },
        (BinOp::Div, true) => Inst::DivSigned { d, a, b, unused },
        (BinOp::Div, false) => Inst::DivUnsigned { d, a, b, unused },
        (BinOp::Rem, true) => Inst::RemSigned { d, a, b, unused },
        (BinOp::Rem, false) => Inst::RemUnsigned { d, a, b, unused },
        (BinOp::Shl, _) => Inst::Shl { d, a, b, unused },
        (BinOp::Shr, true) => Inst::ShrSigned { d, a, b, unused },
        (BinOp::Shr, false) => Inst::ShrUnsigned { d, a, b, unused },
        (BinOp::And, _) => Inst::And { d, a, b },
        (BinOp::Or, _) => Inst::Or { d, a, b },
        (BinOp::Xor, _) => Inst::Xor { d, a, b },
        (BinOp::Eq, _) => Inst::Eq { d, a, b },
        (BinOp::Lt, true) => Inst::LtSigned { d, a, b, unused },
        (BinOp::Lt, false) => Inst::LtUnsigned { d, a, b },
        (BinOp::Le, true) => Inst::LeSigned { d, a, b, unused },
        (BinOp::Le, false) => Inst::LeUnsigned { d, a, b },
    }
}
