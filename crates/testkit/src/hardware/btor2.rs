//! BTOR2 without arrays, words of at most 128 bits.

use super::Inputs;
use std::collections::HashMap;

/// A system: its lines, in order.
#[derive(Debug, Default)]
pub struct Btor2 {
    lines: Vec<Line>,
    /// Widths of sorts, and of everything that has a value.
    widths: HashMap<i64, u32>,
}

#[derive(Debug)]
struct Line {
    number: i64,
    op: String,
    /// What follows the operator: its sort first, if it has one.
    operands: Vec<i64>,
    /// A constant.
    value: u128,
}

/// Reads a file.
pub fn read(text: &str) -> Result<Btor2, String> {
    let mut system = Btor2::default();
    for line in text.lines().filter(|line| !line.starts_with(';')) {
        let words: Vec<&str> = line.split(' ').collect();
        let (number, op) = (words[0].parse::<i64>().map_err(|_| format!("no number: {line}"))?, words[1].to_owned());
        let mut read = Line { number, op, operands: Vec::new(), value: 0 };
        match read.op.as_str() {
            "sort" if words[2] == "bitvec" => {
                let width = words[3].parse().map_err(|_| format!("no width: {line}"))?;
                system.widths.insert(number, width);
            }
            "sort" => return Err("an array".into()),
            "const" => {
                read.operands = vec![words[2].parse().map_err(|_| format!("no sort: {line}"))?];
                read.value = u128::from_str_radix(words[3], 2).map_err(|_| format!("no bits: {line}"))?;
            }
            "state" | "input" => read.operands = vec![words[2].parse().map_err(|_| format!("no sort: {line}"))?],
            _ => {
                let operands: Result<Vec<i64>, _> = words[2..].iter().map(|word| word.parse::<i64>()).collect();
                read.operands = operands.map_err(|_| format!("no operands: {line}"))?;
            }
        }
        let sorted = !matches!(read.op.as_str(), "sort" | "bad" | "constraint" | "init" | "next");
        if sorted {
            let width = *system.widths.get(&read.operands[0]).ok_or_else(|| format!("no sort: {line}"))?;
            system.widths.insert(number, width);
        }
        system.lines.push(read);
    }
    Ok(system)
}

impl Btor2 {
    /// The first step in which a bad state is reached; a step whose constraints fail ends the simulation.
    pub fn simulate(&self, inputs: Inputs) -> Result<Option<usize>, String> {
        let mut states: HashMap<i64, u128> = HashMap::new();
        for (step, &word) in inputs.iter().enumerate() {
            let mut values: HashMap<i64, u128> = HashMap::new();
            let mut after: HashMap<i64, u128> = HashMap::new();
            for line in &self.lines {
                let operand = |at: usize| values.get(&line.operands[at]).copied().ok_or("a value that is not there");
                match line.op.as_str() {
                    "sort" => {}
                    "init" => {
                        if step == 0 {
                            let value = operand(2)?;
                            values.insert(line.operands[1], value);
                        }
                    }
                    "next" => {
                        after.insert(line.operands[1], operand(2)?);
                    }
                    "constraint" if operand(0)? == 0 => return Ok(None),
                    "constraint" => {}
                    "bad" if operand(0)? == 1 => return Ok(Some(step)),
                    "bad" => {}
                    "state" => {
                        values.insert(line.number, states.get(&line.number).copied().unwrap_or(0));
                    }
                    "input" => {
                        values.insert(line.number, word & mask(self.widths[&line.number]));
                    }
                    _ => {
                        let value = self.value(line, &values)?;
                        values.insert(line.number, value & mask(self.widths[&line.number]));
                    }
                }
            }
            states = after;
        }
        Ok(None)
    }

    fn value(&self, line: &Line, values: &HashMap<i64, u128>) -> Result<u128, String> {
        let at = |index: usize| {
            let known = line.operands.get(index).and_then(|number| values.get(number));
            known.copied().ok_or_else(|| format!("line {} needs a value that is not there", line.number))
        };
        let width = |index: usize| self.widths[&line.operands[index]];
        let signed = |index: usize| Ok::<i128, String>(signed(at(index)?, width(index)));
        let (one, two) = (at(1), at(2));
        Ok(match line.op.as_str() {
            "zero" => 0,
            "one" => 1,
            "const" => line.value,
            "not" => !one?,
            "neg" => one?.wrapping_neg(),
            "and" => one? & two?,
            "or" => one? | two?,
            "xor" => one? ^ two?,
            "add" => one?.wrapping_add(two?),
            "sub" => one?.wrapping_sub(two?),
            "mul" => one?.wrapping_mul(two?),
            "udiv" => one?.checked_div(two?).unwrap_or(u128::MAX),
            "urem" => {
                let (a, b) = (one?, two?);
                a.checked_rem(b).unwrap_or(a)
            }
            "sdiv" => match (signed(1)?, signed(2)?) {
                (a, 0) => {
                    if a < 0 {
                        1
                    } else {
                        u128::MAX
                    }
                }
                (a, b) => a.wrapping_div(b) as u128,
            },
            "srem" => match (signed(1)?, signed(2)?) {
                (a, 0) => a as u128,
                (a, b) => a.wrapping_rem(b) as u128,
            },
            "sll" => u32::try_from(two?).ok().filter(|&by| by < width(1)).map_or(0, |by| one.unwrap_or(0) << by),
            "srl" => u32::try_from(two?).ok().filter(|&by| by < width(1)).map_or(0, |by| one.unwrap_or(0) >> by),
            "sra" => {
                let by = u32::try_from(two?).unwrap_or(u32::MAX).min(width(1) - 1);
                (signed(1)? >> by) as u128
            }
            "concat" => one? << width(2) | two?,
            "slice" => one? >> line.operands[3],
            "uext" => one?,
            "sext" => signed(1)? as u128,
            "eq" => u128::from(one? == two?),
            "ult" => u128::from(one? < two?),
            "ulte" => u128::from(one? <= two?),
            "slt" => u128::from(signed(1)? < signed(2)?),
            "slte" => u128::from(signed(1)? <= signed(2)?),
            "ite" => {
                if one? == 1 {
                    two?
                } else {
                    at(3)?
                }
            }
            other => return Err(format!("the operator {other} is not known")),
        })
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

fn signed(value: u128, width: u32) -> i128 {
    let up = 128 - width;
    ((value << up) as i128) >> up
}
