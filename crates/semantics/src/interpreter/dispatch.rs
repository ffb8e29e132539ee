//! The loop that runs code: one flat match over the instructions.

use super::RunEnd;
use super::code::{Inst, Operand};
use super::machine::Machine;
use super::value::{Origin, Value};
use cfa::{FloatKind, Scalar};

#[inline(always)]
fn mask(unused: u8) -> u64 {
    u64::MAX >> unused
}

#[inline(always)]
fn signed(bits: u64, unused: u8) -> i64 {
    ((bits << unused) as i64) >> unused
}

impl Machine<'_> {
    /// Runs until something ends it, which is the `Err`.
    pub fn execute(&mut self) -> Result<RunEnd, RunEnd> {
        let mut pause = self.breathe()?;
        loop {
            if self.steps >= pause {
                pause = self.breathe()?;
            }
            self.steps += 1;
            let inst = self.compiler.code.insts[self.pc];
            self.pc += 1;
            match inst {
                Inst::Move { d, a } => self.set(d, self.get(a)),
                Inst::MoveWide { d, a } => {
                    let (to, from) = (self.index(d), self.index(a));
                    self.slots.copy_within(from..from + 2, to);
                }
                Inst::MoveIf { d, c, a } => {
                    if self.get(c).bits != 0 {
                        self.set(d, self.get(a));
                    }
                }
                Inst::MoveWideIf { d, c, a } => {
                    if self.get(c).bits != 0 {
                        let (to, from) = (self.index(d), self.index(a));
                        self.slots.copy_within(from..from + 2, to);
                    }
                }
                Inst::Add { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b));
                    let bits = x.bits.wrapping_add(y.bits) & mask(unused);
                    self.set(d, Value { bits, origin: x.origin.combine(y.origin) });
                }
                Inst::PtrAdd { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b));
                    let bits = x.bits.wrapping_add(y.bits) & mask(unused);
                    let origin = if x.origin == Origin::NONE { y.origin } else { x.origin };
                    self.set(d, Value { bits, origin });
                }
                Inst::Sub { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b));
                    let bits = x.bits.wrapping_sub(y.bits) & mask(unused);
                    self.set(d, Value { bits, origin: x.origin.combine_apart(y.origin) });
                }
                Inst::Mul { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b));
                    let bits = x.bits.wrapping_mul(y.bits) & mask(unused);
                    self.set(d, Value { bits, origin: x.origin.scatter(y.origin) });
                }
                Inst::And { d, a, b } => {
                    let (x, y) = (self.get(a), self.get(b));
                    self.set(d, Value { bits: x.bits & y.bits, origin: x.origin.combine(y.origin) });
                }
                Inst::Or { d, a, b } => {
                    let (x, y) = (self.get(a), self.get(b));
                    self.set(d, Value { bits: x.bits | y.bits, origin: x.origin.combine(y.origin) });
                }
                Inst::Xor { d, a, b } => {
                    let (x, y) = (self.get(a), self.get(b));
                    self.set(d, Value { bits: x.bits ^ y.bits, origin: x.origin.combine_apart(y.origin) });
                }
                Inst::Shl { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b).bits);
                    if y >= u64::from(64 - unused) {
                        self.undefined_result(d, "shift by a negative or too large number", unused)?;
                    } else {
                        self.set(d, Value { bits: x.bits << y & mask(unused), origin: x.origin });
                    }
                }
                Inst::ShrSigned { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b).bits);
                    if y >= u64::from(64 - unused) {
                        self.undefined_result(d, "shift by a negative or too large number", unused)?;
                    } else {
                        let bits = (signed(x.bits, unused) >> y) as u64 & mask(unused);
                        self.set(d, Value { bits, origin: x.origin });
                    }
                }
                Inst::ShrUnsigned { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b).bits);
                    if y >= u64::from(64 - unused) {
                        self.undefined_result(d, "shift by a negative or too large number", unused)?;
                    } else {
                        self.set(d, Value { bits: x.bits >> y, origin: x.origin });
                    }
                }
                Inst::DivSigned { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b));
                    if y.bits == 0 {
                        self.undefined_result(d, "division by zero", unused)?;
                    } else {
                        let bits = signed(x.bits, unused).wrapping_div(signed(y.bits, unused)) as u64 & mask(unused);
                        self.set(d, Value { bits, origin: x.origin.scatter(y.origin) });
                    }
                }
                Inst::DivUnsigned { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b));
                    match x.bits.checked_div(y.bits) {
                        Some(bits) => self.set(d, Value { bits, origin: x.origin.scatter(y.origin) }),
                        None => self.undefined_result(d, "division by zero", unused)?,
                    }
                }
                Inst::RemSigned { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b));
                    if y.bits == 0 {
                        self.undefined_result(d, "division by zero", unused)?;
                    } else {
                        let bits = signed(x.bits, unused).wrapping_rem(signed(y.bits, unused)) as u64 & mask(unused);
                        self.set(d, Value { bits, origin: x.origin.scatter(y.origin) });
                    }
                }
                Inst::RemUnsigned { d, a, b, unused } => {
                    let (x, y) = (self.get(a), self.get(b));
                    match x.bits.checked_rem(y.bits) {
                        Some(bits) => self.set(d, Value { bits, origin: x.origin.scatter(y.origin) }),
                        None => self.undefined_result(d, "division by zero", unused)?,
                    }
                }
                Inst::Neg { d, a, unused } => {
                    let x = self.get(a);
                    let bits = x.bits.wrapping_neg() & mask(unused);
                    self.set(d, Value { bits, origin: x.origin.scatter(Origin::NONE) });
                }
                Inst::BitNot { d, a, unused } => {
                    let x = self.get(a);
                    self.set(d, Value { bits: !x.bits & mask(unused), origin: x.origin });
                }
                Inst::Not { d, a } => self.set(d, Value::number(self.get(a).bits ^ 1)),
                Inst::Eq { d, a, b } => {
                    self.set(d, Value::number(u64::from(self.get(a).bits == self.get(b).bits)));
                }
                Inst::LtSigned { d, a, b, unused } => {
                    let less = signed(self.get(a).bits, unused) < signed(self.get(b).bits, unused);
                    self.set(d, Value::number(u64::from(less)));
                }
                Inst::LtUnsigned { d, a, b } => {
                    self.set(d, Value::number(u64::from(self.get(a).bits < self.get(b).bits)));
                }
                Inst::LeSigned { d, a, b, unused } => {
                    let less = signed(self.get(a).bits, unused) <= signed(self.get(b).bits, unused);
                    self.set(d, Value::number(u64::from(less)));
                }
                Inst::LeUnsigned { d, a, b } => {
                    self.set(d, Value::number(u64::from(self.get(a).bits <= self.get(b).bits)));
                }
                Inst::Cut { d, a, unused } => {
                    let x = self.get(a);
                    self.set(d, Value { bits: x.bits & mask(unused), origin: x.origin });
                }
                Inst::Extend { d, a, unused_from, unused_to } => {
                    let x = self.get(a);
                    let bits = signed(x.bits, unused_from) as u64 & mask(unused_to);
                    self.set(d, Value { bits, origin: x.origin });
                }
                Inst::Float32 { op, d, a, b } => self.float(FloatKind::F32, op, d, a, b),
                Inst::Float64 { op, d, a, b } => self.float(FloatKind::F64, op, d, a, b),
                Inst::Living { d, question, pointer } => {
                    let about = question.pointer().map_or(Value::default(), |_| self.get(pointer));
                    self.set(d, self.living(question, about));
                }
                Inst::Generic(at) => self.generic(self.compiler.code.generics[at as usize])?,
                Inst::Load { d, pointer, offset, bytes } => self.load(d, pointer, offset, bytes)?,
                Inst::LoadPointer { d, pointer, offset, bytes } => self.load_pointer(d, pointer, offset, bytes)?,
                Inst::LoadWide { d, pointer, offset, bytes } => {
                    let (bits, _) = self.load_bits(self.get(pointer), offset, bytes)?;
                    self.set_bits(d, Scalar::int(128, false), bits);
                }
                Inst::Store { a, pointer, offset, bytes } => self.store(a, pointer, offset, bytes)?,
                Inst::StoreWide { a, pointer, offset, bytes } => {
                    let bits = self.bits(Operand { slot: a, ty: Scalar::int(128, false) });
                    let at = self.moved(self.get(pointer), i64::from(offset));
                    let stored = self.memory.store(at, u64::from(bytes), bits, Origin::NONE);
                    stored.or_else(|fault| self.fault(fault))?;
                }
                Inst::Jump(to) => self.pc = to as usize,
                Inst::JumpUnless { c, to } => {
                    if self.get(c).bits == 0 {
                        self.pc = to as usize;
                    }
                }
                Inst::JumpUnlessEq { a, b, to } => {
                    if self.get(a).bits != self.get(b).bits {
                        self.pc = to as usize;
                    }
                }
                Inst::JumpIfEq { a, b, to } => {
                    if self.get(a).bits == self.get(b).bits {
                        self.pc = to as usize;
                    }
                }
                Inst::JumpUnlessLtSigned { a, b, to, unused } => {
                    if signed(self.get(a).bits, unused) >= signed(self.get(b).bits, unused) {
                        self.pc = to as usize;
                    }
                }
                Inst::JumpUnlessLtUnsigned { a, b, to } => {
                    if self.get(a).bits >= self.get(b).bits {
                        self.pc = to as usize;
                    }
                }
                Inst::JumpUnlessLeSigned { a, b, to, unused } => {
                    if signed(self.get(a).bits, unused) > signed(self.get(b).bits, unused) {
                        self.pc = to as usize;
                    }
                }
                Inst::JumpUnlessLeUnsigned { a, b, to } => {
                    if self.get(a).bits > self.get(b).bits {
                        self.pc = to as usize;
                    }
                }
                Inst::Require { c } => {
                    if self.get(c).bits == 0 {
                        return Ok(RunEnd::Assumed);
                    }
                }
                Inst::Call(at) => {
                    let top = self.top();
                    let site = &mut self.compiler.code.calls[at as usize];
                    let (function, result) = (site.function, site.result);
                    // Taken out while the callee may be compiled, which only adds to the table.
                    let args = std::mem::take(&mut site.args);
                    let entered = self.enter(function, &args, result, top);
                    self.compiler.code.calls[at as usize].args = args;
                    entered?;
                }
                Inst::Return => self.leave()?,
                Inst::Effect(at) => {
                    let effect = self.compiler.code.effects[at as usize].clone();
                    self.effect(&effect)?;
                }
                Inst::Trace(edge) => self.trace(edge)?,
                Inst::Note(at) => self.note(at),
                Inst::Target(index) => return Ok(RunEnd::Target(index as usize)),
                Inst::Stuck => return Ok(RunEnd::Assumed),
            }
        }
    }
}
