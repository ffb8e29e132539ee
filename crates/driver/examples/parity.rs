//! A domain of your own in one file: which variables are even, which are odd. The book's chapter on domains explains
//! it line by line. `cargo run --release -p driver --example parity -- FILE.c`

use analysis::dataflow::FlowDomain;
use base::{Cancel, Counters};
use cfa::{BinOp, EdgeId, Expr, ExprId, Exprs, Op, Scalar, VarId};
use flow::Prepared;
use std::collections::BTreeMap;
use verdict::Verdict;

// ANCHOR: state
/// γ(parities) = the states in which every variable that is named has this lowest bit.
type Parities = BTreeMap<VarId, bool>;

struct Parity<'p> {
    program: &'p Prepared,
}
// ANCHOR_END: state

impl Parity<'_> {
    // ANCHOR: eval
    /// The lowest bit of an integer expression, where it is known.
    fn eval(&self, known: &Parities, id: ExprId) -> Option<bool> {
        let exprs = &self.program.exprs;
        if !matches!(exprs.ty(id), Scalar::Int { .. }) {
            return None;
        }
        match exprs.node(id) {
            Expr::Const { low, .. } => Some(low & 1 == 1),
            Expr::Var(var) => known.get(&var).copied(),
            Expr::Cast(inner) => self.eval(known, inner),
            Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => Some(self.eval(known, a)? ^ self.eval(known, b)?),
            Expr::Binary(BinOp::Mul, a, b) => match (self.eval(known, a), self.eval(known, b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                (None, _) | (_, None) => None,
            },
            Expr::Binary(BinOp::And, a, b) if exprs.integer(b) == Some(1) => self.eval(known, a),
            _ => None,
        }
    }
    // ANCHOR_END: eval

    /// `x & 1` is the whole value, so that conditions such as `(x & 1) == 0` can be decided.
    fn lowest_bit(&self, known: &Parities, id: ExprId) -> Option<i128> {
        let exprs = &self.program.exprs;
        match exprs.node(id) {
            Expr::Binary(BinOp::And, _, mask) if exprs.integer(mask) == Some(1) => self.eval(known, id).map(i128::from),
            Expr::Cast(inner) => self.lowest_bit(known, inner),
            _ => exprs.integer(id),
        }
    }

    // ANCHOR: decide
    /// Whether a condition holds; `None` if it may or may not.
    fn decide(&self, known: &Parities, condition: ExprId) -> Option<bool> {
        match self.program.exprs.node(condition) {
            Expr::Unary(cfa::UnOp::Not, inner) => self.decide(known, inner).map(|truth| !truth),
            Expr::Binary(BinOp::Eq, a, b) => {
                if let (Some(a), Some(b)) = (self.lowest_bit(known, a), self.lowest_bit(known, b)) {
                    return Some(a == b);
                }
                let differ = self.eval(known, a)? != self.eval(known, b)?;
                differ.then_some(false)
            }
            _ => None,
        }
    }
    // ANCHOR_END: decide

    fn assign(&self, known: &mut Parities, var: VarId, value: Option<bool>) {
        match value {
            Some(odd) => known.insert(var, odd),
            None => known.remove(&var),
        };
    }

    fn is_global(&self, var: VarId) -> bool {
        self.program.vars[var].function.is_none()
    }
}

impl FlowDomain for Parity<'_> {
    type State = Parities;

    // ANCHOR: lattice
    fn initial(&self) -> Parities {
        Parities::new()
    }

    fn leq(&self, a: &Parities, b: &Parities) -> bool {
        b.iter().all(|(var, odd)| a.get(var) == Some(odd))
    }

    fn join(&self, a: &Parities, b: &Parities) -> Parities {
        a.iter().filter(|(var, odd)| b.get(var) == Some(odd)).map(|(var, odd)| (*var, *odd)).collect()
    }

    fn meet(&self, a: &Parities, b: &Parities) -> Option<Parities> {
        let contradict = a.iter().any(|(var, odd)| b.get(var).is_some_and(|other| other != odd));
        (!contradict).then(|| a.iter().chain(b).map(|(var, odd)| (*var, *odd)).collect())
    }

    /// Chains are as long as there are variables, so joining is enough.
    fn widen(&self, old: &Parities, new: &Parities) -> Parities {
        self.join(old, new)
    }
    // ANCHOR_END: lattice

    // ANCHOR: post
    fn post(&self, before: &Parities, edge: EdgeId) -> Option<Parities> {
        let edge = &self.program.edges[edge];
        let mut after = before.clone();
        match &edge.op {
            Op::Assume(condition) => return (self.decide(before, *condition) != Some(false)).then_some(after),
            Op::Assign(var, value) => self.assign(&mut after, *var, self.eval(before, *value)),
            Op::Return(Some(value)) => {
                let function = self.program.nodes[edge.from].function;
                if let Some(result) = self.program.functions[function].result {
                    self.assign(&mut after, result, self.eval(before, *value));
                }
            }
            Op::Havoc(var, _) | Op::Allocate { result: var, .. } | Op::Library { result: Some(var), .. } => {
                self.assign(&mut after, *var, None);
            }
            Op::Halt(_) => return None,
            Op::Call { .. } | Op::CallPointer { .. } | Op::Unsupported(_) => after.clear(),
            Op::Skip | Op::Return(None) | Op::Init(_) | Op::Declare(_) | Op::Library { result: None, .. } => {}
            // Registers do not lie in memory.
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => {}
            Op::Free(_) | Op::End(_) => {}
        }
        Some(after)
    }
    // ANCHOR_END: post

    // ANCHOR: calls
    fn enter(&self, before: &Parities, call: EdgeId) -> Parities {
        let Op::Call { function, args, .. } = &self.program.edges[call].op else { return Parities::new() };
        let mut inside = before.clone();
        inside.retain(|var, _| self.is_global(*var));
        for (param, arg) in self.program.functions[*function].params.iter().zip(args) {
            self.assign(&mut inside, *param, self.eval(before, *arg));
        }
        inside
    }

    fn leave(&self, before: &Parities, call: EdgeId, exit: &Parities) -> Parities {
        let Op::Call { function, result, .. } = &self.program.edges[call].op else { return Parities::new() };
        let mut after = before.clone();
        after.retain(|var, _| !self.is_global(*var));
        after.extend(exit.iter().filter(|(var, _)| self.is_global(**var)));
        if let Some(result) = result {
            let value = self.program.functions[*function].result.and_then(|from| exit.get(&from).copied());
            self.assign(&mut after, *result, value);
        }
        after
    }
    // ANCHOR_END: calls

    // ANCHOR: invariant
    fn invariant(&self, state: &Parities, exprs: &mut Exprs) -> ExprId {
        let mut all = exprs.bool(true);
        for (&var, &odd) in state {
            let Some(ty) = self.program.register(var) else { continue };
            let (x, one, bit) = (exprs.var(var, ty), exprs.int(ty, 1), exprs.int(ty, i128::from(odd)));
            let lowest = exprs.binary(BinOp::And, x, one);
            let fact = exprs.binary(BinOp::Eq, lowest, bit);
            all = exprs.binary(BinOp::And, all, fact);
        }
        all
    }
    // ANCHOR_END: invariant
}

// ANCHOR: main
fn verify(file: &str) -> Verdict {
    let request = driver::Request { files: vec![file.into()], ..Default::default() };
    let task = driver::Task::new(request).expect("a C file");
    let mut program = driver::load(&task).expect("C without mistakes").program;
    driver::prepare(&mut program, task.outside);
    let program = flow::Prepared::new(program);
    engine::dataflow::verify(&program, &Parity { program: &program }, &Cancel::never(), &mut Counters::default())
}

fn main() {
    for file in std::env::args().skip(1) {
        println!("{file}: {}", verify(&file));
    }
}
// ANCHOR_END: main

#[cfg(test)]
mod tests {
    #[test]
    fn parity_proves_what_it_is_for_and_nothing_else() {
        let example = |name: &str| format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(super::verify(&example("parity.c")).to_string(), "TRUE");
        assert_eq!(super::verify(&example("first-bug.c")).to_string(), "UNKNOWN");
    }
}
