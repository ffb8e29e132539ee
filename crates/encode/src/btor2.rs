//! A machine as text in the BTOR2 format [NPWB18]: states with their next values, inputs, constraints, one bad state. Two
//! states of one bit beside the registers say whether step 0 is over and whether the machine is not stuck.

use crate::machine::Machine;
use rustc_hash::FxHashMap;
use smt::{Op, ScalarSort, Sort, TermId, Terms};
use std::fmt::Write;

/// The machine as a file; else, what in it the format has no operator for.
pub fn write(terms: &Terms, machine: &Machine) -> Result<String, String> {
    let mut writer =
        Writer { terms, text: String::new(), next: 1, sorts: FxHashMap::default(), known: FxHashMap::default() };
    writer.machine(machine)?;
    Ok(writer.text)
}

struct Writer<'a> {
    terms: &'a Terms,
    text: String,
    next: u64,
    sorts: FxHashMap<Sort, u64>,
    known: FxHashMap<TermId, u64>,
}

impl Writer<'_> {
    fn machine(&mut self, machine: &Machine) -> Result<(), String> {
        self.text.push_str("; written by argonaut\n");
        let bit = self.sort(Sort::Bool)?;
        let (zero, one) = (self.line(&format!("zero {bit}")), self.line(&format!("one {bit}")));
        let running = self.line(&format!("state {bit} $running"));
        self.line(&format!("init {bit} {running} {zero}"));
        let valid = self.line(&format!("state {bit} $valid"));
        self.line(&format!("init {bit} {valid} {one}"));
        for register in &machine.registers {
            let sort = self.sort(self.terms.sort(register.variable))?;
            let name = printable(&register.name);
            let state = self.line(&format!("state {sort} {name}"));
            self.known.insert(register.variable, state);
        }
        for &input in &machine.inputs {
            let sort = self.sort(self.terms.sort(input))?;
            let variable = self.terms.as_var(input).expect("inputs are variables");
            let name = printable(&self.terms.var_name(variable));
            let input_line = self.line(&format!("input {sort} {name}"));
            self.known.insert(input, input_line);
        }
        for &definition in &machine.definitions {
            let holds = self.term(definition)?;
            self.line(&format!("constraint {holds}"));
        }
        let (starts, goes_on) = (self.term(machine.starts)?, self.term(machine.goes_on)?);
        let (early, bad) = (self.term(machine.early)?, self.term(machine.bad)?);
        self.line(&format!("next {bit} {running} {one}"));
        let taken = self.line(&format!("ite {bit} {running} {goes_on} {starts}"));
        let still = self.line(&format!("and {bit} {valid} {taken}"));
        self.line(&format!("next {bit} {valid} {still}"));
        for register in &machine.registers {
            let sort = self.sort(self.terms.sort(register.variable))?;
            let (first, next) = (self.term(register.first)?, self.term(register.next)?);
            let value = self.line(&format!("ite {sort} {running} {next} {first}"));
            let state = self.known[&register.variable];
            self.line(&format!("next {sort} {state} {value}"));
        }
        let reached = self.line(&format!("ite {bit} {running} {bad} {early}"));
        let reached = self.line(&format!("and {bit} {valid} {reached}"));
        self.line(&format!("bad {reached}"));
        Ok(())
    }

    fn line(&mut self, words: &str) -> u64 {
        let number = self.next;
        self.next += 1;
        let _ = writeln!(self.text, "{number} {words}");
        number
    }

    fn sort(&mut self, sort: Sort) -> Result<u64, String> {
        // Truth values are bits.
        let sort = if sort == Sort::Bool { Sort::BitVec(1) } else { sort };
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let words = match sort {
            Sort::BitVec(width) => format!("sort bitvec {width}"),
            Sort::Array { index, element } => {
                let (index, element) = (self.sort(scalar(index))?, self.sort(scalar(element))?);
                format!("sort array {index} {element}")
            }
            Sort::Bool | Sort::Float(_) => return Err("a floating-point number is not bits".to_owned()),
        };
        let number = self.line(&words);
        self.sorts.insert(sort, number);
        Ok(number)
    }

    fn term(&mut self, root: TermId) -> Result<u64, String> {
        for term in self.terms.reachable(&[root]) {
            if !self.known.contains_key(&term) {
                let number = self.operation(term)?;
                self.known.insert(term, number);
            }
        }
        Ok(self.known[&root])
    }

    fn operation(&mut self, term: TermId) -> Result<u64, String> {
        let terms = self.terms;
        let sort = self.sort(terms.sort(term))?;
        let args: Vec<u64> = terms.args(term).iter().map(|arg| self.known[arg]).collect();
        let name = match terms.op(term) {
            Op::Bool(value) => return Ok(self.line(&format!("{} {sort}", if value { "one" } else { "zero" }))),
            Op::Bv(value) => {
                let bits = terms.value(value).to_binary();
                return Ok(self.line(&format!("const {sort} {bits}")));
            }
            Op::Var(variable) => {
                return Err(format!("the variable {} is neither a state nor an input", terms.var_name(variable)));
            }
            Op::And | Op::Or => {
                let name = if terms.op(term) == Op::And { "and" } else { "or" };
                let mut all = args[0];
                for &next in &args[1..] {
                    all = self.line(&format!("{name} {sort} {all} {next}"));
                }
                return Ok(all);
            }
            Op::BvExtract { high, low } => return Ok(self.line(&format!("slice {sort} {} {high} {low}", args[0]))),
            Op::BvZeroExtend(by) => return Ok(self.line(&format!("uext {sort} {} {by}", args[0]))),
            Op::BvSignExtend(by) => return Ok(self.line(&format!("sext {sort} {} {by}", args[0]))),
            Op::Not | Op::BvNot => "not",
            Op::Eq => "eq",
            Op::Ite => "ite",
            Op::BvNeg => "neg",
            Op::BvAnd => "and",
            Op::BvOr => "or",
            Op::BvXor => "xor",
            Op::BvAdd => "add",
            Op::BvSub => "sub",
            Op::BvMul => "mul",
            Op::BvUdiv => "udiv",
            Op::BvUrem => "urem",
            Op::BvSdiv => "sdiv",
            Op::BvSrem => "srem",
            Op::BvShl => "sll",
            Op::BvLshr => "srl",
            Op::BvAshr => "sra",
            Op::BvConcat => "concat",
            Op::BvUlt => "ult",
            Op::BvUle => "ulte",
            Op::BvSlt => "slt",
            Op::BvSle => "slte",
            Op::Select => "read",
            Op::Store => "write",
            other => {
                let text = format!("{other:?}");
                return Err(format!("{} has no operator", text.split(['(', ' ']).next().unwrap_or_default()));
            }
        };
        let args: Vec<String> = args.iter().map(u64::to_string).collect();
        Ok(self.line(&format!("{name} {sort} {}", args.join(" "))))
    }
}

fn scalar(scalar: ScalarSort) -> Sort {
    scalar.into()
}

/// A symbol without blanks.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_graphic() && c != ';' { c } else { '_' }).collect()
}
