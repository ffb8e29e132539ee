//! What functions return for small inputs: a memoising evaluator of functions that touch registers only. Arbitrary
//! values are zero here and runs that take long are given up, so samples suggest conditions and prove nothing.

use base::Cancel;
use cfa::{Expr, ExprId, FunctionId, Op, Program, VarId};
use semantics::random::Random;
use semantics::scalar;
use std::collections::{BTreeMap, BTreeSet};
use transform::{Contract, Contracts};
use verdict::Stop;

/// Calls inside each other at most.
const MOST_DEPTH: u32 = 300;
/// Edges per sample.
const MOST_STEPS: u32 = 20_000;
/// Constants that are larger are not a sample, since calls go deep from there.
const MOST_CONSTANT: i128 = 1000;

/// Inputs and outputs of one call, by the order of the contract.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The encodings of the inputs.
    pub inputs: Vec<u128>,
    /// The encodings of the outputs.
    pub outputs: Vec<u128>,
}

type Store = BTreeMap<VarId, u128>;

/// Runs functions of one program.
pub struct Sampler<'p> {
    program: &'p Program,
    contracts: &'p Contracts,
    known: BTreeMap<(FunctionId, Vec<u128>), Vec<u128>>,
    steps: u32,
}

impl<'p> Sampler<'p> {
    /// `program` is what `contracts` were made of.
    pub fn new(program: &'p Program, contracts: &'p Contracts) -> Self {
        Sampler { program, contracts, known: BTreeMap::new(), steps: 0 }
    }

    /// Calls of one function with small inputs, and with inputs near the program's constants.
    pub fn run(&mut self, contract: &Contract, constants: &[i128], cancel: &Cancel) -> Result<Vec<Sample>, Stop> {
        let mut samples = Vec::new();
        for point in points(contract.inputs.len(), constants) {
            cancel.check()?;
            let widths = contract.inputs.iter().map(|(var, _)| self.width(*var));
            let inputs: Vec<u128> =
                point.iter().zip(widths).map(|(value, width)| *value as u128 & scalar::mask(width)).collect();
            self.steps = 0;
            if let Some(outputs) = self.call(contract, &inputs, 0) {
                samples.push(Sample { inputs, outputs });
            }
        }
        Ok(samples)
    }

    fn width(&self, var: VarId) -> u32 {
        self.program.register(var).map_or(1, |ty| ty.bits(self.program.model))
    }

    fn call(&mut self, contract: &Contract, inputs: &[u128], depth: u32) -> Option<Vec<u128>> {
        let key = (contract.function, inputs.to_vec());
        if let Some(outputs) = self.known.get(&key) {
            return Some(outputs.clone());
        }
        let mut store: Store = contract.inputs.iter().map(|(var, _)| *var).zip(inputs.iter().copied()).collect();
        self.execute(contract.function, &mut store, depth)?;
        let outputs: Option<Vec<u128>> = contract.outputs.iter().map(|(var, _)| store.get(var).copied()).collect();
        let outputs = outputs?;
        self.known.insert(key, outputs.clone());
        Some(outputs)
    }

    /// Runs a function; parameters and globals are in the store, where result and globals are left.
    fn execute(&mut self, function: FunctionId, store: &mut Store, depth: u32) -> Option<()> {
        let program = self.program;
        if depth > MOST_DEPTH {
            return None;
        }
        let mut node = program.functions[function].entry;
        while node != program.functions[function].exit {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            let edge = program.leaving(node).find(|&edge| match program.edges[edge].op {
                Op::Assume(condition) => self.value(store, condition) == Some(1),
                _ => true,
            })?;
            match &program.edges[edge].op {
                Op::Skip | Op::Assume(_) => {}
                Op::Assign(var, value) => {
                    let value = self.value(store, *value)?;
                    store.insert(*var, value);
                }
                Op::Havoc(var, _) => {
                    store.insert(*var, 0);
                }
                Op::Return(value) => {
                    if let (Some(result), Some(value)) = (program.functions[function].result, value) {
                        let value = self.value(store, *value)?;
                        store.insert(result, value);
                    }
                }
                Op::Call { function, args, result } => self.follow(*function, args, *result, store, depth)?,
                Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => return None,
                Op::HavocMemory { .. } | Op::Allocate { .. } | Op::Free(_) | Op::End(_) | Op::CallPointer { .. } => {
                    return None;
                }
                Op::Library { .. } | Op::Halt(_) | Op::Unsupported(_) => return None,
            }
            node = program.edges[edge].to;
        }
        Some(())
    }

    fn follow(
        &mut self,
        function: FunctionId,
        args: &[ExprId],
        result: Option<VarId>,
        store: &mut Store,
        depth: u32,
    ) -> Option<()> {
        let program = self.program;
        let args: Vec<u128> = args.iter().map(|arg| self.value(store, *arg)).collect::<Option<_>>()?;
        let global = |store: &Store, var: VarId| store.get(&var).copied().unwrap_or(0);
        let returned = if let Some(contract) = self.contracts.contracts.iter().find(|c| c.function == function) {
            let globals = contract.inputs.iter().skip(args.len()).map(|(var, _)| global(store, *var));
            let inputs: Vec<u128> = args.iter().copied().chain(globals).collect();
            let outputs = self.call(contract, &inputs, depth + 1)?;
            let returns = usize::from(program.functions[function].result.is_some());
            store.extend(contract.outputs.iter().map(|(var, _)| *var).zip(outputs.iter().copied()).skip(returns));
            outputs.first().copied()
        } else {
            let mut inner: Store =
                store.iter().filter(|(var, _)| program.vars[**var].function.is_none()).map(|(v, x)| (*v, *x)).collect();
            inner.extend(program.functions[function].params.iter().copied().zip(args));
            self.execute(function, &mut inner, depth + 1)?;
            let returned = program.functions[function].result.and_then(|result| inner.get(&result).copied());
            store.extend(inner.into_iter().filter(|(var, _)| program.vars[*var].function.is_none()));
            returned
        };
        if let Some(result) = result {
            store.insert(result, returned?);
        }
        Some(())
    }

    fn value(&self, store: &Store, id: ExprId) -> Option<u128> {
        evaluate(self.program, &self.program.exprs, &|var| store.get(&var).copied(), id)
    }
}

/// The value of an expression over registers; `None` if it is undefined or of another kind.
pub fn evaluate(program: &Program, exprs: &cfa::Exprs, of: &dyn Fn(VarId) -> Option<u128>, id: ExprId) -> Option<u128> {
    let model = program.model;
    let value = |at: ExprId| evaluate(program, exprs, of, at);
    match exprs.node(id) {
        Expr::Const { .. } => exprs.constant(id),
        Expr::Var(var) => of(var),
        Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Living(_) => None,
        Expr::Unary(op, a) => scalar::unary(model, op, exprs.ty(a), value(a)?),
        Expr::Binary(op, a, b) => scalar::binary(model, op, exprs.ty(a), exprs.ty(b), value(a)?, value(b)?),
        Expr::Cast(a) => scalar::cast(model, exprs.ty(a), exprs.ty(id), value(a)?),
        Expr::Ite(condition, a, b) => value(if value(condition)? == 1 { a } else { b }),
    }
}

/// All combinations of some numbers as long as there are few, else some at random.
fn points(inputs: usize, constants: &[i128]) -> Vec<Vec<i128>> {
    let small = constants.iter().copied().filter(|constant| constant.abs() <= MOST_CONSTANT);
    let numbers: BTreeSet<i128> = match inputs {
        0 | 1 => (-4..=70).chain(small.flat_map(|constant| constant - 2..=constant + 4)).collect(),
        2 => (-3..=9).chain(small.flat_map(|constant| [constant, constant + 1])).collect(),
        3 => (-2..=5).collect(),
        _ => {
            let mut random = Random::new(1);
            let mut draw = || (0..inputs).map(|_| i128::from(random.below(10)) - 2).collect();
            return (0..400).map(|_| draw()).collect();
        }
    };
    let mut points: Vec<Vec<i128>> = vec![Vec::new()];
    for _ in 0..inputs {
        let longer = |point: &Vec<i128>| {
            let point = point.clone();
            numbers.iter().map(move |number| point.iter().copied().chain([*number]).collect())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}
