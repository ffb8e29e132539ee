//! AIGER 1.9, the readable kind.

use super::Inputs;

/// A circuit as its file gives it.
#[derive(Debug, Default)]
pub struct Aiger {
    inputs: Vec<usize>,
    /// Which bit of its word each input is, by its symbol.
    bits: Vec<u32>,
    latches: Vec<(usize, usize, bool)>,
    bad: Vec<usize>,
    ands: Vec<(usize, usize, usize)>,
    variables: usize,
}

/// Reads a file.
pub fn read(text: &str) -> Result<Aiger, String> {
    let mut lines = text.lines();
    let header = numbers(lines.next().and_then(|line| line.strip_prefix("aag ")).ok_or("no header")?)?;
    let [variables, inputs, latches, outputs, ands, bad] = header[..] else { return Err("another header".into()) };
    let mut next = || lines.next().ok_or("too few lines".to_owned()).and_then(numbers);
    let mut found = Aiger { variables, ..Aiger::default() };
    for _ in 0..inputs {
        found.inputs.push(next()?[0]);
    }
    for _ in 0..latches {
        match next()?[..] {
            [now, after, reset] if reset < 2 => found.latches.push((now, after, reset == 1)),
            [now, after] => found.latches.push((now, after, false)),
            _ => return Err("a latch without a value at the start".into()),
        }
    }
    for _ in 0..outputs {
        next()?;
    }
    for _ in 0..bad {
        found.bad.push(next()?[0]);
    }
    for _ in 0..ands {
        match next()?[..] {
            [gate, a, b] if gate > a && a >= b && gate % 2 == 0 => found.ands.push((gate, a, b)),
            _ => return Err("a gate that is none".into()),
        }
    }
    found.bits = vec![0; inputs];
    for line in lines.take_while(|line| *line != "c") {
        let Some((at, name)) = line.strip_prefix('i').and_then(|rest| rest.split_once(' ')) else { continue };
        let bit = name.rsplit_once('[').and_then(|(_, bit)| bit.strip_suffix(']')).ok_or("a symbol without bit")?;
        let at: usize = at.parse().map_err(|_| "a symbol without input")?;
        *found.bits.get_mut(at).ok_or("a symbol without an input")? =
            bit.parse().map_err(|_| "a bit that is not a number")?;
    }
    Ok(found)
}

fn numbers(line: &str) -> Result<Vec<usize>, String> {
    line.split(' ').map(|word| word.parse().map_err(|_| format!("not numbers: {line}"))).collect()
}

impl Aiger {
    /// The first step in which a bad state is reached.
    pub fn simulate(&self, inputs: Inputs) -> Option<usize> {
        let mut values = vec![false; 2 * self.variables + 2];
        values[1] = true;
        for &(now, _, reset) in &self.latches {
            set(&mut values, now, reset);
        }
        for (step, &word) in inputs.iter().enumerate() {
            for (&input, &bit) in self.inputs.iter().zip(&self.bits) {
                set(&mut values, input, word >> bit & 1 == 1);
            }
            for &(gate, a, b) in &self.ands {
                let both = values[a] && values[b];
                set(&mut values, gate, both);
            }
            if self.bad.iter().any(|&bad| values[bad]) {
                return Some(step);
            }
            let after: Vec<bool> = self.latches.iter().map(|&(_, after, _)| values[after]).collect();
            for (&(now, _, _), value) in self.latches.iter().zip(after) {
                set(&mut values, now, value);
            }
        }
        None
    }
}

fn set(values: &mut [bool], literal: usize, value: bool) {
    values[literal] = value;
    values[literal ^ 1] = !value;
}
