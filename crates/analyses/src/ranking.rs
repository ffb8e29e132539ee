//! `ranking`: measures that show that every loop and every recursion ends. A loop without one that has finitely many states
//! ends unless it comes back to one of them; that it does not is looked for among shapes, since it is mostly a walk along a
//! list. An execution that never ends stays in some loop for ever, so that one reason for each loop is enough.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use base::Cancel;
use cfa::{Allocation, BinOp, Expr, ExprId, Exprs, Node, Op, Program, Scalar, VarId, WatchedLoop};
use domains::affine::AffineDomain;
use domains::interval::IntervalDomain;
use engine::board::Board;
use engine::facts::{FactSource, dataflow_facts, dataflow_facts_at};
use engine::houdini::{candidates::Guesses, facts_with};
use engine::termination::{Partly, measures};
use flow::Prepared;
use smt::Backend;
use std::collections::BTreeSet;
use verdict::{Goals, Measured, Proof, Verdict};

pub const ENTRY: Entry =
    Entry { name: "ranking", options: Vec::new, decides: Decides::Proofs, targets: TargetHandling::Together, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    options.none()?;
    let sources = sources(run.backend);
    if walks(run.program)
        && let Some(proof) = attempt(run, &sources[..1], SHORT)
    {
        return Ok(Verdict::Safe(proof));
    }
    let found = measures(run.program, run.backend, &sources, run.cancel, run.counters);
    Ok(match found {
        Ok(proof) => Verdict::Safe(proof),
        Err(partly) => match without_repetition(run, &partly, run.cancel) {
            Some(proof) => Verdict::Safe(proof),
            None => Verdict::Unknown(partly.stop),
        },
    })
}

/// Which part of the time goes to measures by few facts, and then to shapes, where there may be walks along lists.
const SHORT: u32 = 4;

/// Whether the program has memory to walk through and a loop that may do that.
fn walks(program: &Program) -> bool {
    let has_loops = program.termination.as_ref().is_some_and(|watched| !watched.finite.is_empty());
    let takes = |op: &Op| matches!(op, Op::Allocate { how, .. } if *how != Allocation::Stack);
    has_loops && program.edges.iter().any(|(_, edge)| takes(&edge.op))
}

fn attempt(run: &mut Run, sources: &[FactSource], part: u32) -> Option<Proof> {
    let limited = run.cancel.child(run.cancel.remaining().map(|left| left / part));
    match measures(run.program, run.backend, sources, &limited, run.counters) {
        Ok(proof) => Some(proof),
        Err(partly) => {
            let cancel = run.cancel.child(run.cancel.remaining().map(|left| left / part));
            without_repetition(run, &partly, &cancel)
        }
    }
}

/// A proof that the loops which have no measure do not repeat themselves, next to the measures of the others.
fn without_repetition(run: &mut Run, partly: &Partly, cancel: &Cancel) -> Option<Proof> {
    let (heads, watched) = (partly.loops.as_ref()?, run.program.termination.as_ref()?);
    let finite = |head: &Node| watched.finite.iter().copied().find(|one| one.head == *head);
    let open: Vec<WatchedLoop> = heads.iter().map(finite).collect::<Option<_>>()?;
    let program = Prepared::new(remembering(run.program, &open));
    let mut alone = Run {
        program: &program,
        goals: &mut Goals::any(&program),
        backend: run.backend,
        board: &Board::default(),
        files: run.files,
        cancel,
        counters: run.counters,
    };
    let shapes = crate::shapes::proof(&mut alone)?;
    let mut proof = Proof::clone(&partly.proof);
    for one in open {
        let span = program.targets.iter().find(|target| target.node == one.target)?.span;
        let place = program.sources.display(span);
        let sentence = format!(
            "the loop at {place} ends: it has finitely many states, and no iteration ends in one in which an earlier one did"
        );
        let (measure, bound, ranked) = (Vec::new(), None, Vec::new());
        proof.measures.push(Measured { node: one.head, span, measure, sentence, bound, ranked });
    }
    proof.measures.sort_by_key(|one| one.span);
    proof.checked = format!("{} For loops without a measure: {}", proof.checked, shapes.checked);
    Some(proof)
}

/// The program in which only these loops are watched. What others remember would only take the place of what these do.
fn remembering(program: &Program, open: &[WatchedLoop]) -> Program {
    let mut program = program.with_targets(|target| open.iter().any(|one| one.target == target.node));
    let choices = program.termination.as_ref().map_or(Vec::new(), |watched| watched.choices.clone());
    let zero = program.exprs.int(Scalar::INT, 0);
    for id in program.edges.ids() {
        if let Op::Havoc(var, _) = program.edges[id].op
            && choices.contains(&var)
            && !open.iter().any(|one| one.choice == var)
        {
            program.edges[id].op = Op::Assign(var, zero);
        }
    }
    program.assert_valid();
    program
}

/// Intervals at all nodes.
pub(crate) fn everywhere() -> FactSource<'static> {
    Box::new(|program, cancel| {
        dataflow_facts_at(program, &IntervalDomain::new(program), program.nodes.ids().collect(), cancel)
    })
}

/// Facts of the program without watches: intervals at all nodes, then at loop heads what others prove, guesses about what
/// was tested before last.
fn sources(backend: &dyn Backend) -> Vec<FactSource<'_>> {
    let affine: FactSource = Box::new(|program, cancel| dataflow_facts(program, &AffineDomain::new(program), cancel));
    let mut sources = vec![everywhere(), affine];
    for guesses in [Guesses::Order, Guesses::Terms] {
        sources.push(Box::new(move |program, cancel| {
            let model = encode::memory_model(program, cancel)?;
            let (mut exprs, mut further) = pointers(program);
            further.extend(signs(program, &mut exprs));
            facts_with((program, &model), backend, guesses, (&exprs, &further), &[], cancel)
        }));
    }
    sources.push(Box::new(move |program, cancel| {
        let model = encode::memory_model(program, cancel)?;
        let (exprs, guesses) = tested(program);
        facts_with((program, &model), backend, Guesses::Given, (&exprs, &guesses), &[], cancel)
    }));
    sources
}

/// Most comparisons in front of a loop, and most of its exits, of which guesses are made.
const MOST_TESTED: (usize, usize) = (16, 2);

/// Guesses that what was tested in front of a loop, or its contrary, holds as long as the loop goes on: in the last round
/// it need not any more.
fn tested(program: &Prepared) -> (Exprs, Vec<(Node, ExprId)>) {
    let mut exprs = program.exprs.clone();
    let loops = program.loops();
    let mut guesses = Vec::new();
    for (id, one) in loops.loops.iter() {
        let (mut exits, mut before) = (Vec::new(), BTreeSet::new());
        for (_, edge) in program.edges.iter().filter(|(_, edge)| program.nodes[edge.from].function == one.function) {
            let Op::Assume(condition) = edge.op else { continue };
            match (loops.contains(id, edge.from), loops.contains(id, edge.to)) {
                (true, false) => exits.push(condition),
                (true, true) => {}
                (false, _) => comparisons(&program.exprs, condition, &mut before),
            }
        }
        for &exit in exits.iter().take(MOST_TESTED.1) {
            for &condition in before.iter().take(MOST_TESTED.0) {
                for side in [condition, exprs.not(condition)] {
                    guesses.push((one.head, exprs.binary(BinOp::Or, exit, side)));
                }
            }
        }
    }
    (exprs, guesses)
}

/// The comparisons of registers in a condition.
fn comparisons(exprs: &Exprs, condition: ExprId, found: &mut BTreeSet<ExprId>) {
    let mut reads = false;
    exprs.visit(condition, |_, node| reads |= matches!(node, Expr::Load(_) | Expr::Living(_)));
    exprs.visit(condition, |id, node| {
        if let Expr::Binary(BinOp::Lt | BinOp::Le | BinOp::Eq, a, _) = node
            && !reads
            && exprs.ty(a).is_int()
        {
            found.insert(id);
        }
    });
}

/// Most variables of a loop whose sign is guessed.
const MOST_SIGNS: usize = 6;

/// Guesses about the signs of numbers that a loop adds and does not change: whatever they are added to goes one way.
fn signs(program: &Prepared, exprs: &mut Exprs) -> Vec<(Node, ExprId)> {
    let loops = program.loops();
    let mut guesses = Vec::new();
    for (id, one) in loops.loops.iter() {
        let inside = loops.members(id).iter().flat_map(|&node| program.leaving(node));
        let ops: Vec<&Op> = inside.map(|edge| &program.edges[edge].op).collect();
        let changed: BTreeSet<VarId> = ops.iter().filter_map(|op| op.variable()).collect();
        let mut added = BTreeSet::new();
        for op in ops {
            let Op::Assign(_, value) = op else { continue };
            program.exprs.visit(*value, |_, node| {
                if let Expr::Var(var) = node
                    && !changed.contains(&var)
                    && program.register(var).is_some_and(|ty| ty.is_int() && ty.is_signed())
                {
                    added.insert(var);
                }
            });
        }
        for var in added.into_iter().take(MOST_SIGNS) {
            let Some(ty) = program.register(var) else { continue };
            let (value, zero) = (exprs.var(var, ty), exprs.int(ty, 0));
            let (is_zero, below) = (exprs.binary(BinOp::Eq, value, zero), exprs.binary(BinOp::Lt, value, zero));
            let above = exprs.binary(BinOp::Lt, zero, value);
            guesses.extend([exprs.not(is_zero), below, above].map(|guess| (one.head, guess)));
        }
    }
    guesses
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
