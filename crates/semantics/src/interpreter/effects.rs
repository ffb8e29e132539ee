//! The operations that change memory, or more than one slot.

use super::RunEnd;
use super::code::{Effect, Operand, Slot};
use super::machine::Machine;
use super::object::{Contents, Kind};
use super::value::{Origin, Value};
use base::Id;
use cfa::{Allocation, BinOp, DataModel, Expr, ExprId, Scalar, Source, Storage, VarId};

impl Machine<'_> {
    pub(super) fn effect(&mut self, effect: &Effect) -> Result<(), RunEnd> {
        match *effect {
            Effect::Havoc { d, source } => self.havoc(d, source),
            Effect::Init(var) => self.initialise(var),
            Effect::Declare(var) => {
                let slot = self.compiler.vars[var];
                let pointer = self.memory.begin(self.get(slot));
                self.set(slot, pointer);
                let forgotten = self.memory.forget(pointer, None, Contents::Undefined, &mut self.draws);
                forgotten.or_else(|fault| self.fault(fault))
            }
            Effect::Copy { to, from, size } => self.copy(to, from, size),
            Effect::Fill { to, byte, size } => {
                let (to, byte, size) = (self.get(to), self.get(byte).bits as u8, self.get(size).bits);
                self.memory.fill(to, byte, size).or_else(|fault| {
                    self.fault(fault)?;
                    // Only the bytes inside the object change.
                    let room = self.memory.room(to).unwrap_or(0).min(size);
                    self.memory.fill(to, byte, room).or(Ok(()))
                })
            }
            Effect::HavocMemory { to, size, source } => {
                let (to, size) = (self.get(to), size.map(|size| self.get(size).bits));
                // Null, or no pointer at all: there is nothing that an outside function could write to.
                if to.bits == 0 || self.memory.room(to).is_err() {
                    return Ok(());
                }
                let contents = self.contents_from(source);
                let forgotten = self.memory.forget(to, size, contents, &mut self.draws);
                if let Some(stream) = self.standard_stream(source)? {
                    let bytes = Scalar::Ptr.bytes(self.program.model);
                    // A variable of that name that holds no pointer is not the library's.
                    self.memory.store(to, bytes, u128::from(stream.bits), stream.origin).ok();
                }
                forgotten.or_else(|fault| self.fault(fault))
            }
            Effect::Allocate { d, size, how, old } => self.allocate(d, size, how, old),
            Effect::Free(pointer) => {
                let pointer = self.get(pointer);
                if pointer.bits == 0 {
                    return Ok(());
                }
                self.memory.release_heap(pointer).or_else(|fault| self.fault(fault))
            }
            Effect::End(pointer) => {
                let pointer = self.get(pointer);
                self.memory.end(pointer);
                Ok(())
            }
            Effect::CallPointer { pointer, ref args, result } => self.call_pointer(pointer, args, result),
            Effect::Library { function, ref args, result } => self.library(function, args, result),
            Effect::Halt(status) => {
                self.out.flush().ok();
                // As a shell sees it: `abort` dies of signal 6. A `main` without result ends the program all the same,
                // with a status that C leaves open.
                let other = if self.in_start() { 0 } else { 134 };
                Err(RunEnd::Exit(status.map_or(other, |status| (self.get(status.slot).bits & 0xFF) as i32)))
            }
            Effect::Unsupported(what) => Err(self.unsupported(self.program.text(what))),
        }
    }

    fn havoc(&mut self, d: Operand, source: Source) -> Result<(), RunEnd> {
        let edge = self.edge();
        if let Source::Extern(name) = source
            && cfa::standard::is_unmodelled(self.program.text(name))
        {
            return Err(self.rests_on(edge));
        }
        let bits = self.draws.havoc(edge, source, d.ty);
        if d.ty == Scalar::Ptr
            && bits == 0
            && let Some(stream) = self.standard_stream(source)?
        {
            self.set(d.slot, stream);
            return Ok(());
        }
        if d.ty == Scalar::Ptr && bits != 0 && source != Source::Uninitialised {
            let made = self.memory.foreign(bits as u64, &mut self.draws);
            let pointer = made.map_err(|fault| self.unsupported(fault.text()))?;
            self.set(d.slot, pointer);
        } else {
            self.set_bits(d.slot, d.ty, bits);
        }
        Ok(())
    }

    /// The value of `stdin`, `stdout` or `stderr` where nothing else was chosen: they differ and are not null.
    fn standard_stream(&mut self, source: Source) -> Result<Option<Value>, RunEnd> {
        let Source::Extern(name) = source else { return Ok(None) };
        let Some(number) = ["stdin", "stdout", "stderr"].iter().position(|known| *known == self.program.text(name))
        else {
            return Ok(None);
        };
        let made = self.memory.foreign_aside(u64::MAX - number as u64, &mut self.draws);
        made.map(Some).map_err(|fault| self.unsupported(fault.text()))
    }

    fn initialise(&mut self, var: VarId) -> Result<(), RunEnd> {
        let program = self.program;
        let pointer = self.get(self.compiler.vars[var]);
        let Storage::Memory { .. } = program.vars[var].storage else {
            unreachable!("only memory variables have static initialisers")
        };
        for cell in &program.vars[var].init {
            let bytes = program.exprs.ty(cell.value).bytes(program.model);
            let (bits, origin) = self.static_value(cell.value)?;
            let set = self.memory.initialise(pointer, cell.offset, bytes, bits, origin);
            set.map_err(|fault| self.unsupported(fault.text()))?;
        }
        Ok(())
    }

    /// The value of a static initialiser: a constant, or an address plus a constant.
    fn static_value(&self, id: ExprId) -> Result<(u128, Origin), RunEnd> {
        let exprs = &self.program.exprs;
        match exprs.node(id) {
            Expr::Const { low, high } => Ok((u128::from(low) | u128::from(high) << 64, Origin::NONE)),
            Expr::Addr(var) => {
                let value = self.get(self.compiler.vars[var]);
                Ok((u128::from(value.bits), value.origin))
            }
            Expr::Function(function) => {
                let address = cfa::addresses::function_address(self.program.model, function.index());
                Ok((u128::from(address), Origin::NONE))
            }
            Expr::Cast(inner) => {
                let (bits, origin) = self.static_value(inner)?;
                let cast = crate::scalar::cast(self.program.model, exprs.ty(inner), exprs.ty(id), bits);
                Ok((cast.unwrap_or(0), origin))
            }
            Expr::Binary(op, a, b) => {
                let ((x, origin), (y, _)) = (self.static_value(a)?, self.static_value(b)?);
                let bits = crate::scalar::binary(self.program.model, op, exprs.ty(a), exprs.ty(b), x, y);
                let keeps = matches!(op, BinOp::PtrAdd | BinOp::Add | BinOp::Sub);
                Ok((bits.unwrap_or(0), if keeps { origin } else { Origin::NONE }))
            }
            Expr::Var(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Ite(..) | Expr::Living(_) => {
                Err(self.unsupported("static initialiser that is not constant"))
            }
        }
    }

    fn copy(&mut self, to: Slot, from: Slot, size: Slot) -> Result<(), RunEnd> {
        let (to, from, size) = (self.get(to), self.get(from), self.get(size).bits);
        let Err(fault) = self.memory.copy(to, from, size, &mut self.draws) else {
            return Ok(());
        };
        self.fault(fault)?;
        // Byte by byte: what lies outside the source is arbitrary, what lies outside the target is not written.
        let room = self.memory.room(to).unwrap_or(0).min(size);
        let edge = self.edge();
        let bytes: Vec<u8> = (0..room)
            .map(|at| match self.memory.load(self.moved(from, at as i64), 1, &mut self.draws) {
                Ok((byte, _)) => byte as u8,
                Err(_) => self.draws.undefined(edge, Scalar::BYTE) as u8,
            })
            .collect();
        self.memory.write(to, &bytes).or(Ok(()))
    }

    fn allocate(&mut self, d: Slot, size: Slot, how: Allocation, old: Option<Slot>) -> Result<(), RunEnd> {
        let size = self.get(size).bits;
        let (kind, contents) = match how {
            Allocation::Heap | Allocation::Resize(_) => (Kind::Heap, Contents::Undefined),
            Allocation::HeapZeroed => (Kind::Heap, Contents::Zero),
            Allocation::Stack => (Kind::Stack, Contents::Undefined),
        };
        // What `aligned_alloc` asks for is an assumption after the operation; all heap objects meet it.
        let align = match (kind, self.program.model) {
            (Kind::Heap, DataModel::Lp64) => 4096,
            (Kind::Heap, DataModel::Ilp32) => 256,
            (Kind::Static | Kind::Constant | Kind::Stack | Kind::Foreign, _) => 16,
        };
        let made = self.memory.create(size, align, kind, contents, &mut self.draws);
        let pointer = made.map_err(|fault| self.unsupported(fault.text()))?;
        if let Some(old) = old.map(|old| self.get(old)).filter(|old| old.bits != 0) {
            let kept = self.memory.room(old).unwrap_or(0).min(size);
            let copied = self.memory.copy(pointer, old, kept, &mut self.draws);
            copied.and_then(|()| self.memory.release_heap(old)).or_else(|fault| self.fault(fault))?;
        }
        self.set(d, pointer);
        Ok(())
    }

    /// A value of pointer type as it is passed to a library function.
    pub(super) fn pointer(&self, operand: Operand) -> Value {
        self.get(operand.slot)
    }

    /// Pointers that come from outside the program point outside.
    fn contents_from(&self, source: Source) -> Contents {
        match source {
            Source::Uninitialised => Contents::Undefined,
            Source::Extern(name) if cfa::standard::is_unmodelled(self.program.text(name)) => {
                Contents::Unmodelled(self.edge())
            }
            Source::Input(_) | Source::Extern(_) | Source::Indeterminate | Source::Asm | Source::Parameter => {
                Contents::Outside
            }
        }
    }
}
