//! Library functions that only the interpreter executes: output and transcendental functions.

use super::Outcome;
use super::code::Operand;
use super::machine::Machine;
use super::printf::Arguments;
use super::value::Value;
use cfa::{DataModel, Library, Scalar};

impl Machine<'_> {
    pub(super) fn library(
        &mut self,
        function: Library,
        args: &[Operand],
        result: Option<Operand>,
    ) -> Result<(), Outcome> {
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
            Library::Sin => self.double(args, f64::sin),
            Library::Cos => self.double(args, f64::cos),
            Library::Tan => self.double(args, f64::tan),
            Library::Asin => self.double(args, f64::asin),
            Library::Acos => self.double(args, f64::acos),
            Library::Atan => self.double(args, f64::atan),
            Library::Atan2 => self.double_pair(args, f64::atan2),
            Library::Sinh => self.double(args, f64::sinh),
            Library::Cosh => self.double(args, f64::cosh),
            Library::Tanh => self.double(args, f64::tanh),
            Library::Exp => self.double(args, f64::exp),
            Library::Exp2 => self.double(args, f64::exp2),
            Library::Expm1 => self.double(args, f64::exp_m1),
            Library::Log => self.double(args, f64::ln),
            Library::Log2 => self.double(args, f64::log2),
            Library::Log10 => self.double(args, f64::log10),
            Library::Log1p => self.double(args, f64::ln_1p),
            Library::Pow => self.double_pair(args, f64::powf),
            Library::Hypot => self.double_pair(args, f64::hypot),
            Library::Fma => self.fma(args),
            Library::Sinf => self.single(args, f32::sin),
            Library::Cosf => self.single(args, f32::cos),
            Library::Tanf => self.single(args, f32::tan),
            Library::Asinf => self.single(args, f32::asin),
            Library::Acosf => self.single(args, f32::acos),
            Library::Atanf => self.single(args, f32::atan),
            Library::Atan2f => self.single_pair(args, f32::atan2),
            Library::Sinhf => self.single(args, f32::sinh),
            Library::Coshf => self.single(args, f32::cosh),
            Library::Tanhf => self.single(args, f32::tanh),
            Library::Expf => self.single(args, f32::exp),
            Library::Exp2f => self.single(args, f32::exp2),
            Library::Expm1f => self.single(args, f32::exp_m1),
            Library::Logf => self.single(args, f32::ln),
            Library::Log2f => self.single(args, f32::log2),
            Library::Log10f => self.single(args, f32::log10),
            Library::Log1pf => self.single(args, f32::ln_1p),
            Library::Powf => self.single_pair(args, f32::powf),
            Library::Hypotf => self.single_pair(args, f32::hypot),
            Library::Fmaf => self.fmaf(args),
        };
        if let Some(to) = result {
            self.set_bits(to.slot, to.ty, value & crate::scalar::mask(to.ty.bits(self.program.model)));
        }
        Ok(())
    }

    fn double(&self, args: &[Operand], function: fn(f64) -> f64) -> u128 {
        u128::from(function(f64::from_bits(self.get(args[0].slot).bits)).to_bits())
    }

    fn double_pair(&self, args: &[Operand], function: fn(f64, f64) -> f64) -> u128 {
        let [a, b] = [0, 1].map(|at| f64::from_bits(self.get(args[at].slot).bits));
        u128::from(function(a, b).to_bits())
    }

    fn single(&self, args: &[Operand], function: fn(f32) -> f32) -> u128 {
        u128::from(function(f32::from_bits(self.get(args[0].slot).bits as u32)).to_bits())
    }

    fn single_pair(&self, args: &[Operand], function: fn(f32, f32) -> f32) -> u128 {
        let [a, b] = [0, 1].map(|at| f32::from_bits(self.get(args[at].slot).bits as u32));
        u128::from(function(a, b).to_bits())
    }

    fn fma(&self, args: &[Operand]) -> u128 {
        let [a, b, c] = [0, 1, 2].map(|at| f64::from_bits(self.get(args[at].slot).bits));
        u128::from(a.mul_add(b, c).to_bits())
    }

    fn fmaf(&self, args: &[Operand]) -> u128 {
        let [a, b, c] = [0, 1, 2].map(|at| f32::from_bits(self.get(args[at].slot).bits as u32));
        u128::from(a.mul_add(b, c).to_bits())
    }

    /// The arguments that a `va_list` stands for: on LP64 it is passed as the address of an object whose first pointer
    /// walks over them, on ILP32 it is that pointer.
    fn area(&mut self, list: Operand) -> Result<Arguments, Outcome> {
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

    fn print(&mut self, stream: Option<Operand>, format: Operand, arguments: Arguments) -> Result<u128, Outcome> {
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
    ) -> Result<u128, Outcome> {
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
        let shown = stream.is_none_or(|stream| self.is_stdout(self.pointer(stream)));
        if shown {
            // Programs that check the result of `printf` are not told about a closed pipe.
            self.out.write_all(text).ok();
        }
    }

    /// Whether a `FILE *` is the value of the variable `stdout`.
    fn is_stdout(&mut self, stream: Value) -> bool {
        let Some(name) = self.program.names.lookup("stdout") else { return false };
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
