//! Library functions that only the interpreter executes: output, numbers in text and transcendental functions.

use super::RunEnd;
use super::code::Operand;
use super::machine::Machine;
use super::printf::Arguments;
use super::value::Value;
use crate::choices::Asked;
use cfa::{DataModel, FloatKind, Library, Scalar};

impl Machine<'_> {
    pub(super) fn library(
        &mut self,
        function: Library,
        args: &[Operand],
        result: Option<Operand>,
    ) -> Result<(), RunEnd> {
        let value = match function {
            Library::Printf => self.print(None, args[0], listed(&args[1..]))?,
            Library::Vprintf => {
                let area = self.area(args[1])?;
                self.print(None, args[0], area)?
            }
            Library::Fprintf => self.print(Some(args[0]), args[1], listed(&args[2..]))?,
            Library::Vfprintf => {
                let area = self.area(args[2])?;
                self.print(Some(args[0]), args[1], area)?
            }
            Library::Sprintf => self.print_to(args[0], None, args[1], listed(&args[2..]))?,
            Library::Vsprintf => {
                let area = self.area(args[2])?;
                self.print_to(args[0], None, args[1], area)?
            }
            Library::Snprintf => self.print_to(args[0], Some(args[1]), args[2], listed(&args[3..]))?,
            Library::Vsnprintf => {
                let area = self.area(args[3])?;
                self.print_to(args[0], Some(args[1]), args[2], area)?
            }
            Library::Puts => {
                let mut text = self.c_string(self.pointer(args[0]))?;
                text.push(b'\n');
                self.write(None, &text);
                text.len() as u128
            }
            Library::Putchar => {
                let byte = self.get(args[0].slot).bits as u8;
                self.write(None, &[byte]);
                u128::from(byte)
            }
            Library::Putc | Library::Fputc => {
                let byte = self.get(args[0].slot).bits as u8;
                self.write(Some(args[1]), &[byte]);
                u128::from(byte)
            }
            Library::Fputs => {
                let text = self.c_string(self.pointer(args[0]))?;
                self.write(Some(args[1]), &text);
                1
            }
            Library::Fflush => {
                self.out.flush().ok();
                0
            }
            Library::Perror => 0,
            Library::WriteBytes => {
                let length = self.get(args[1].slot).bits;
                let text = self.bytes_at(args[0], length)?;
                self.write(Some(args[2]), &text);
                0
            }
            Library::ReadDouble => self.read_number(args, FloatKind::F64)?.0,
            Library::ReadFloat => self.read_number(args, FloatKind::F32)?.0,
            Library::ReadLongDouble => self.read_number(args, FloatKind::X87)?.0,
            Library::ReadStatus => {
                let kind = match self.get(args[2].slot).bits {
                    4 => FloatKind::F32,
                    8 => FloatKind::F64,
                    _ => FloatKind::X87,
                };
                u128::from(self.read_number(args, kind)?.1)
            }
            Library::ReadByte => {
                let stream = self.pointer(args[0]);
                if stream.bits != 0 && !self.is_stream("stdin", stream) {
                    return Err(self.unsupported("input from another stream than stdin"));
                }
                self.outside(Asked::Input)?
            }
            Library::HasByte => {
                let (byte, length) = (self.get(args[1].slot).bits as u8, self.get(args[2].slot).bits);
                u128::from(self.bytes_at(args[0], length)?.contains(&byte))
            }
            Library::Outside => {
                let asked = match self.get(args[0].slot).bits {
                    1 => Asked::Seconds,
                    2 => Asked::Nanoseconds,
                    _ => Asked::Processor,
                };
                self.outside(asked)?
            }
            other => {
                let bits: Vec<u128> = args.iter().map(|arg| u128::from(self.get(arg.slot).bits)).collect();
                crate::math::compute(other, &bits).expect("calls of mathematical functions have all arguments")
            }
        };
        if let Some(to) = result {
            self.set_bits(to.slot, to.ty, value & crate::scalar::mask(to.ty.bits(self.program.model)));
        }
        Ok(())
    }

    fn outside(&mut self, asked: Asked) -> Result<u128, RunEnd> {
        match self.draws.outside(asked) {
            Some(answer) => Ok(answer as u128),
            None => Err(self.unsupported("input from outside the program")),
        }
    }

    fn bytes_at(&mut self, from: Operand, length: u64) -> Result<Vec<u8>, RunEnd> {
        let from = self.pointer(from);
        let mut bytes = Vec::new();
        for offset in 0..length {
            match self.memory.load(self.moved(from, offset as i64), 1, &mut self.draws) {
                Ok((byte, _)) => bytes.push(byte as u8),
                Err(fault) => bytes.push(self.arbitrary_after(fault, Scalar::BYTE)? as u8),
            }
        }
        Ok(bytes)
    }

    /// The number that so many characters stand for, as C writes constants, with a sign; and whether it is too small (1)
    /// or too large (2) for its format.
    fn read_number(&mut self, args: &[Operand], kind: FloatKind) -> Result<(u128, u32), RunEnd> {
        let length = self.get(args[1].slot).bits;
        let text = self.bytes_at(args[0], length)?;
        let read = crate::scalar::read_float(kind, &String::from_utf8_lossy(&text));
        Ok(read.map_or((0, 0), |read| (read.bits, u32::from(read.underflows) + 2 * u32::from(read.overflows))))
    }

    /// The arguments that a `va_list` stands for: on LP64 it is passed as the address of an object whose first pointer
    /// walks over them, on ILP32 it is that pointer.
    fn area(&mut self, list: Operand) -> Result<Arguments, RunEnd> {
        let list = self.pointer(list);
        let next = match self.program.model {
            DataModel::Ilp32 => list,
            DataModel::Lp64 => match self.memory.load_pointer(list, &mut self.draws) {
                Ok(next) => next,
                Err(fault) => Value::number(self.arbitrary_after(fault, Scalar::Ptr)? as u64),
            },
        };
        Ok(Arguments::Memory(next))
    }

    fn print(&mut self, stream: Option<Operand>, format: Operand, arguments: Arguments) -> Result<u128, RunEnd> {
        let text = self.format(self.pointer(format), arguments)?;
        self.write(stream, &text);
        Ok(text.len() as u128)
    }

    /// Formats into memory, with a final zero byte; a limit counts that byte.
    fn print_to(
        &mut self,
        to: Operand,
        limit: Option<Operand>,
        format: Operand,
        arguments: Arguments,
    ) -> Result<u128, RunEnd> {
        let mut text = self.format(self.pointer(format), arguments)?;
        let length = text.len();
        let room = limit.map_or(u64::MAX, |limit| self.get(limit.slot).bits);
        if room > 0 {
            text.truncate(usize::try_from(room - 1).unwrap_or(usize::MAX));
            text.push(0);
            let written = self.memory.write(self.pointer(to), &text);
            written.or_else(|fault| self.fault(fault))?;
        }
        Ok(length as u128)
    }

    /// Writes to standard output. What goes to another stream is not shown.
    fn write(&mut self, stream: Option<Operand>, text: &[u8]) {
        let shown = stream.map(|stream| self.pointer(stream)).filter(|stream| stream.bits != 0);
        let shown = shown.is_none_or(|stream| self.is_stream("stdout", stream));
        if shown {
            // Programs that check the result of `printf` are not told about a closed pipe.
            self.out.write_all(text).ok();
        }
    }

    /// Whether a `FILE *` is the value of the variable of that name.
    fn is_stream(&mut self, name: &str, stream: Value) -> bool {
        let Some(name) = self.program.names.lookup(name) else { return false };
        let var = self.program.vars.iter().find(|(_, var)| var.name == name && var.function.is_none());
        let Some((id, _)) = var else { return false };
        let held = match self.program.register(id) {
            Some(_) => Some(self.get(self.compiler.vars[id]).bits),
            None => {
                let address = self.get(self.compiler.vars[id]);
                let bytes = Scalar::Ptr.bytes(self.program.model);
                self.memory.load(address, bytes, &mut self.draws).ok().map(|(bits, _)| bits as u64)
            }
        };
        held == Some(stream.bits)
    }
}

fn listed(args: &[Operand]) -> Arguments {
    Arguments::Listed(args.iter().copied().collect())
}
