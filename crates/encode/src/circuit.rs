//! A machine as a sequential and-inverter circuit. Two latches beside the bits of registers say whether step 0 is over and
//! whether the machine is not stuck; all latches but the second are zero at the start.

use crate::machine::Machine;
use smt::aig::{Blaster, Lit};
use smt::{TermId, Terms};

/// A latch of a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Latch {
    /// Its value before a step, an input of the graph.
    pub now: Lit,
    /// Its value after the step.
    pub next: Lit,
    /// Its value at the start.
    pub reset: bool,
}

/// A circuit. The first latch says that step 0 is over, the second that the machine is not stuck; then come the bits of
/// registers in order, the lowest first.
pub struct Circuit {
    /// All gates.
    pub aig: smt::aig::Aig,
    /// What it remembers.
    pub latches: Vec<Latch>,
    /// For each latch after the first two, the index of its register and the number of its bit.
    pub bits: Vec<(usize, u32)>,
    /// What is given at each step.
    pub inputs: Vec<Lit>,
    /// For each input, the index among those of the machine and the number of its bit.
    pub input_bits: Vec<(usize, u32)>,
    /// A target is reached.
    pub bad: Lit,
}

impl Circuit {
    /// The circuit of a machine; else, what in it has no gates.
    pub fn new(terms: &Terms, machine: &Machine) -> Result<Circuit, String> {
        let mut blaster = Blaster::default();
        let (running, valid) = (blaster.aig.input(), blaster.aig.input());
        let mut words: Vec<Vec<Lit>> = Vec::new();
        for register in &machine.registers {
            words.push(blaster.input(terms, register.variable)?);
        }
        let (mut inputs, mut input_bits) = (Vec::new(), Vec::new());
        for (index, &input) in machine.inputs.iter().enumerate() {
            let word = blaster.input(terms, input)?;
            input_bits.extend((0..word.len() as u32).map(|bit| (index, bit)));
            inputs.extend(word);
        }
        // Inputs that do not satisfy the definitions of a step are none: the machine is stuck then.
        let mut defined = Lit::TRUE;
        for &definition in &machine.definitions {
            let holds = blaster.formula(terms, definition)?;
            defined = blaster.aig.and(defined, holds);
        }
        let formula = |blaster: &mut Blaster, term: TermId| -> Result<Lit, String> {
            let holds = blaster.formula(terms, term)?;
            Ok(blaster.aig.and(holds, defined))
        };
        let (starts, goes_on) = (formula(&mut blaster, machine.starts)?, formula(&mut blaster, machine.goes_on)?);
        let (early, bad) = (formula(&mut blaster, machine.early)?, formula(&mut blaster, machine.bad)?);
        let mut latches = vec![Latch { now: running, next: Lit::TRUE, reset: false }];
        let taken = blaster.aig.ite(running, goes_on, starts);
        latches.push(Latch { now: valid, next: blaster.aig.and(valid, taken), reset: true });
        let mut bits = Vec::new();
        for (index, register) in machine.registers.iter().enumerate() {
            let (first, next) = (blaster.bits(terms, register.first)?, blaster.bits(terms, register.next)?);
            for (at, &now) in words[index].iter().enumerate() {
                let next = blaster.aig.ite(running, next[at], first[at]);
                latches.push(Latch { now, next, reset: false });
                bits.push((index, at as u32));
            }
        }
        let bad = blaster.aig.ite(running, bad, early);
        let bad = blaster.aig.and(valid, bad);
        Ok(Circuit { aig: blaster.aig, latches, bits, inputs, input_bits, bad })
    }

    /// A literal of one latch as a formula over the state, where the machine is at the head of the loop; `Ok` says what
    /// is always so there.
    pub fn term(&self, terms: &mut Terms, machine: &Machine, (latch, value): (usize, bool)) -> Result<bool, TermId> {
        let Some(&(register, bit)) = latch.checked_sub(2).and_then(|at| self.bits.get(at)) else { return Ok(value) };
        let variable = machine.registers[register].variable;
        if terms.sort(variable) == smt::Sort::Bool {
            return Err(if value { variable } else { terms.not(variable) });
        }
        let bit = terms.bv_extract(variable, bit, bit);
        let wanted = terms.bv_u64(1, u64::from(value));
        Err(terms.eq(bit, wanted))
    }
}
