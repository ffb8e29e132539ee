//! A circuit as text in the AIGER format 1.9, the readable kind (`aag`) [BHW11]: inputs, latches with their values at the
//! start, one bad state, and symbols `name[bit]`.

use crate::circuit::Circuit;
use crate::machine::Machine;
use smt::Terms;
use smt::aig::{Gate, Lit};
use std::fmt::Write;

/// The circuit of a machine as a file.
pub fn write(terms: &Terms, machine: &Machine, circuit: &Circuit) -> String {
    // Variables are numbered inputs, latches, gates.
    let nodes = circuit.aig.nodes();
    let mut numbers = vec![0u32; nodes.len()];
    let mut next = 1;
    let mut number = |lit: Lit| {
        numbers[lit.node()] = next;
        next += 1;
    };
    circuit.inputs.iter().for_each(|&input| number(input));
    circuit.latches.iter().for_each(|latch| number(latch.now));
    let used = cone(circuit);
    let gates: Vec<usize> = (0..nodes.len()).filter(|&at| used[at] && matches!(nodes[at], Gate::And(..))).collect();
    gates.iter().for_each(|&at| number(Lit(2 * at as u32)));
    let of = |lit: Lit| 2 * numbers[lit.node()] + u32::from(lit.is_negated());
    let (i, l, a) = (circuit.inputs.len(), circuit.latches.len(), gates.len());
    let mut text = String::new();
    let mut line = |words: &str| {
        text.push_str(words);
        text.push('\n');
    };
    line(&format!("aag {} {i} {l} 0 {a} 1", i + l + a));
    circuit.inputs.iter().for_each(|&input| line(&of(input).to_string()));
    for latch in &circuit.latches {
        line(&format!("{} {} {}", of(latch.now), of(latch.next), u32::from(latch.reset)));
    }
    line(&of(circuit.bad).to_string());
    for &at in &gates {
        let Gate::And(a, b) = nodes[at] else { unreachable!("only conjunctions are gates") };
        let (a, b) = (of(a), of(b));
        line(&format!("{} {} {}", of(Lit(2 * at as u32)), a.max(b), a.min(b)));
    }
    for (at, &(input, bit)) in circuit.input_bits.iter().enumerate() {
        let variable = terms.as_var(machine.inputs[input]).expect("inputs are variables");
        let _ = writeln!(text, "i{at} {}[{bit}]", terms.var_name(variable));
    }
    let _ = write!(text, "l0 $running[0]\nl1 $valid[0]\n");
    for (at, &(register, bit)) in circuit.bits.iter().enumerate() {
        let _ = writeln!(text, "l{} {}[{bit}]", at + 2, machine.registers[register].name);
    }
    text.push_str("c\nwritten by argonaut\n");
    text
}

/// By node, whether latches or the bad state depend on it.
fn cone(circuit: &Circuit) -> Vec<bool> {
    let nodes = circuit.aig.nodes();
    let mut used = vec![false; nodes.len()];
    used[circuit.bad.node()] = true;
    circuit.latches.iter().for_each(|latch| used[latch.next.node()] = true);
    for at in (0..nodes.len()).rev().filter(|&at| matches!(nodes[at], Gate::And(..))) {
        if let (true, Gate::And(a, b)) = (used[at], nodes[at]) {
            used[a.node()] = true;
            used[b.node()] = true;
        }
    }
    used
}
