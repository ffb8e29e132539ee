//! Refinement of classes: where an assignment sends values of one class into several classes of its target, the class is
//! cut where the target's class changes, so that every part has one image.

use super::compile::Compiler;
use super::ranges::Ranges;
use analysis::{Move, Step};
use base::{Cancel, Stopped};
use bdd::BddStore;
use cfa::{Expr, ExprId, Exprs, Op, Program, Scalar, VarId};
use semantics::scalar;
use std::collections::HashMap;

/// Cuts that one class may get at a time.
const MOST_CUTS: usize = 32;
/// Places in a class that are looked at for a change of the image.
const SAMPLES: i128 = 64;

/// What a step assigns to which variables.
pub fn assignments(program: &Program, step: &Step) -> Vec<(VarId, ExprId)> {
    match (step.kind, &program.edges[step.edge].op) {
        (Move::Edge, Op::Assign(var, value)) => vec![(*var, *value)],
        (Move::Edge, Op::Return(Some(value))) => {
            let function = program.nodes[program.edges[step.edge].from].function;
            program.functions[function].result.iter().map(|result| (*result, *value)).collect()
        }
        (Move::Enter, Op::Call { function, args, .. }) => {
            program.functions[*function].params.iter().copied().zip(args.iter().copied()).collect()
        }
        _ => Vec::new(),
    }
}

/// The cuts that make `target := value` map classes to classes, if the value depends on one tracked variable only.
pub fn cuts<S: BddStore>(
    compiler: &Compiler<S>,
    exprs: &Exprs,
    (target, value): (VarId, ExprId),
    cancel: &Cancel,
) -> Result<Vec<(VarId, i128)>, Stopped> {
    let mut vars = Vec::new();
    let mut open = false;
    exprs.visit(value, |_, expr| match expr {
        Expr::Var(var) if !vars.contains(&var) => vars.push(var),
        Expr::Load(_) | Expr::Addr(_) | Expr::Function(_) => open = true,
        _ => {}
    });
    let [source] = vars[..] else { return Ok(Vec::new()) };
    let (Some(from), Some(to)) = (compiler.coded.get(&source), compiler.coded.get(&target)) else {
        return Ok(Vec::new());
    };
    if open {
        return Ok(Vec::new());
    }
    let image = |value_of_source: i128| {
        let result = evaluate(exprs, value, source, value_of_source)?;
        to.partition.classes.iter().position(|class| class.meets(&Ranges::single(result)))
    };
    let mut found = Vec::new();
    for class in &from.partition.classes {
        cancel.check()?;
        let start = found.len();
        for (low, high) in class.iter() {
            let distance = ((high - low) / SAMPLES).max(1);
            let mut at = low;
            while at < high && found.len() - start < MOST_CUTS {
                let next = (at + distance).min(high);
                if image(at) != image(next) {
                    found.push((source, change(&image, at, next)));
                }
                at = next;
            }
        }
    }
    Ok(found)
}

/// The first place after `low` where the image is that of `high`, if it changes once between them.
fn change(image: &impl Fn(i128) -> Option<usize>, mut low: i128, mut high: i128) -> i128 {
    let goal = image(high);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if image(middle) == goal {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The value of an integer expression where its one variable has this value; `None` where it is arbitrary.
fn evaluate(exprs: &Exprs, root: ExprId, var: VarId, value: i128) -> Option<i128> {
    let model = exprs.model();
    let mut values: HashMap<ExprId, Option<u128>> = HashMap::new();
    exprs.visit(root, |id, expr| {
        let of = |id: ExprId| values.get(&id).copied().flatten();
        let result = match expr {
            Expr::Const { .. } => exprs.constant(id),
            Expr::Var(other) => (other == var).then(|| value as u128 & scalar::mask(exprs.ty(id).bits(model))),
            Expr::Unary(op, a) => of(a).and_then(|x| scalar::unary(model, op, exprs.ty(a), x)),
            Expr::Binary(op, a, b) => {
                of(a).zip(of(b)).and_then(|(x, y)| scalar::binary(model, op, exprs.ty(a), exprs.ty(b), x, y))
            }
            Expr::Cast(a) => of(a).and_then(|x| scalar::cast(model, exprs.ty(a), exprs.ty(id), x)),
            Expr::Ite(c, a, b) => of(c).and_then(|c| if c != 0 { of(a) } else { of(b) }),
            Expr::Load(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Living(_) => None,
        };
        values.insert(id, result);
    });
    let bits = values[&root]?;
    match exprs.ty(root) {
        Scalar::Int { bits: width, signed: true } => Some(scalar::sign_extend(bits, u32::from(width)) as i128),
        Scalar::Int { signed: false, .. } => i128::try_from(bits).ok(),
        Scalar::Bool | Scalar::Float(_) | Scalar::Ptr => None,
    }
}
