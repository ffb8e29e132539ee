//! `ranking`: measures that show that every loop and every recursion ends.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use cfa::{BinOp, Expr, ExprId, Exprs, Node, Op, Scalar};
use domains::affine::AffineDomain;
use domains::interval::IntervalDomain;
use engine::facts::{FactSource, dataflow_facts, dataflow_facts_at};
use engine::houdini::{candidates::Guesses, facts_with};
use engine::termination::verify;
use flow::Prepared;
use smt::Backend;
use verdict::Verdict;

pub const ENTRY: Entry =
    Entry { name: "ranking", options: Vec::new, decides: Decides::Proofs, targets: TargetHandling::Together, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    options.none()?;
    Ok(verify(run.program, run.backend, &sources(run.backend), run.cancel, run.counters))
}

/// Facts of the program without watches: intervals at all nodes, then at loop heads what others prove.
fn sources(backend: &dyn Backend) -> Vec<FactSource<'_>> {
    let everywhere: FactSource = Box::new(|program, cancel| {
        dataflow_facts_at(program, &IntervalDomain::new(program), program.nodes.ids().collect(), cancel)
    });
    let affine: FactSource = Box::new(|program, cancel| dataflow_facts(program, &AffineDomain::new(program), cancel));
    let mut sources = vec![everywhere, affine];
    for guesses in [Guesses::Order, Guesses::Terms] {
        sources.push(Box::new(move |program, cancel| {
            let model = encode::memory_model(program, cancel)?;
            let (exprs, targets) = pointers(program);
            facts_with((program, &model), backend, guesses, (&exprs, &targets), &[], cancel)
        }));
    }
    sources
}

/// Guesses that pointers still hold the address that they were once given.
fn pointers(program: &Prepared) -> (Exprs, Vec<(Node, ExprId)>) {
    let mut exprs = program.exprs.clone();
    let mut guesses = Vec::new();
    let loops = program.loops();
    for (_, edge) in program.edges.iter() {
        let Op::Assign(var, value) = edge.op else { continue };
        if !matches!(program.exprs.node(value), Expr::Addr(_)) {
            continue;
        }
        let pointer = exprs.var(var, Scalar::Ptr);
        let same = exprs.binary(BinOp::Eq, pointer, value);
        let function = program.nodes[edge.from].function;
        let heads = loops.loops.iter().filter(|(_, one)| one.function == function);
        guesses.extend(heads.map(|(_, one)| (one.head, same)));
    }
    (exprs, guesses)
}
