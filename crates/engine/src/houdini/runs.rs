//! Guessed facts that a few executions refute: what fails in a state that some execution reaches is not an invariant, and to
//! see that by running the program is cheaper than by a solver, which drops few facts per model. Dropping guesses is
//! always sound. Dynamic detection of invariants [ECGN01] before static elimination [NE02].
//!
//! The program is run with a chain of branches at every loop head, one per fact; where a fact fails, the run asks for
//! an arbitrary value, and whatever supplies the values notes it.

use base::{Cancel, IdVec, Span};
use cfa::{
    BinOp, Edge, EdgeId, Expr, ExprId, Exprs, FunctionId, Node, NodeInfo, Op, Program, Scalar, Source, VarId, VarKind,
};
use flow::{Loops, Prepared};
use rustc_hash::FxHashMap;
use semantics::choices::Chooser;
use semantics::interpreter::{self, Options, RunEnd};
use semantics::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use transform::add_register;

/// Runs with different inputs.
const RUNS: u64 = 32;
/// Instructions of a run, and of all.
const STEPS: u64 = 1_000_000;
const ALL_STEPS: u64 = 4_000_000;
/// How often facts are looked at where a loop goes on, and where it ends.
const VISITS: i128 = 16;
/// Fewer facts are left to the solver.
const FEWEST: usize = 24;

const COUNTER: Scalar = Scalar::Int { bits: 32, signed: false };

/// The candidates that fail in some execution. `exprs` are those of the program and of the candidates.
pub(super) fn refuted(
    program: &Prepared,
    exprs: &Exprs,
    candidates: &BTreeMap<Node, Vec<ExprId>>,
    cancel: &Cancel,
) -> BTreeSet<(Node, ExprId)> {
    if candidates.values().map(Vec::len).sum::<usize>() < FEWEST {
        return BTreeSet::new();
    }
    let watched = Watched::new(program, exprs, candidates);
    let mut failed = BTreeSet::new();
    let mut left = ALL_STEPS;
    for run in 0..RUNS {
        let mut inputs = Inputs { watched: &watched, failed: &mut failed, random: Random::new(run), run, drawn: false };
        let options = Options { undefined: program.undefined, steps: STEPS.min(left), ..Options::default() };
        let ended = interpreter::run(&watched.program, &mut inputs, &mut std::io::sink(), &options, cancel);
        left = left.saturating_sub(ended.steps);
        // Without inputs there is no other run.
        if left == 0 || !inputs.drawn || matches!(ended.outcome, RunEnd::Stopped(_)) {
            break;
        }
    }
    failed.into_iter().map(|at| watched.facts[at]).collect()
}

/// A program that asks for a value wherever a fact fails.
struct Watched {
    program: Program,
    facts: Vec<(Node, ExprId)>,
    /// Which fact fails there.
    asking: FxHashMap<EdgeId, usize>,
}

impl Watched {
    fn new(source: &Prepared, exprs: &Exprs, candidates: &BTreeMap<Node, Vec<ExprId>>) -> Watched {
        let mut program = source.with_exprs(exprs.clone());
        let loops = source.loops();
        let ignored = add_register(&mut program, "?ignored", VarKind::Temporary, None, COUNTER);
        let mut edges: Vec<Edge> = program.edges.iter().map(|(_, edge)| edge.clone()).collect();
        let mut builder = Builder { program, edges: Vec::new(), counters: Vec::new() };
        let (mut facts, mut nodes) = (Vec::new(), FxHashMap::default());
        for (&head, all) in candidates {
            let after = builder.fresh(head);
            let looked = builder.gate(head, after, leaving_condition(source, &loops, head));
            edges.iter_mut().filter(|edge| edge.from == head).for_each(|edge| edge.from = after);
            let mut at = looked;
            let function = source.nodes[head].function;
            for &fact in all.iter().filter(|&&fact| is_at_hand(source, function, exprs, fact)) {
                let (fails, next) = (builder.fresh(head), builder.fresh(head));
                let no = builder.program.exprs.not(fact);
                builder.edge(at, next, Op::Assume(fact));
                builder.edge(at, fails, Op::Assume(no));
                builder.edge(fails, next, Op::Havoc(ignored, Source::Uninitialised));
                nodes.insert(fails, facts.len());
                facts.push((head, fact));
                at = next;
            }
            builder.edge(at, after, Op::Skip);
        }
        builder.start();
        let Builder { mut program, edges: further, .. } = builder;
        edges.extend(further);
        program.edges = IdVec::from(edges);
        program.index();
        flow::find_loops(&mut program);
        let asking = program.edges.iter().filter_map(|(id, edge)| Some((id, *nodes.get(&edge.from)?))).collect();
        Watched { program, facts, asking }
    }
}

struct Builder {
    program: Program,
    edges: Vec<Edge>,
    counters: Vec<VarId>,
}

impl Builder {
    fn fresh(&mut self, like: Node) -> Node {
        let function = self.program.nodes[like].function;
        self.program.nodes.push(NodeInfo { function, loop_head: false })
    }

    fn edge(&mut self, from: Node, to: Node, op: Op) {
        self.edges.push(Edge { from, to, op, span: Span::default() });
    }

    /// Where facts at a head are looked at; other visits go on to `after`.
    fn gate(&mut self, head: Node, after: Node, leaves: Option<ExprId>) -> Node {
        let (looked, counted) = (self.fresh(head), self.fresh(head));
        let kinds = leaves.map_or(vec![None], |leaves| vec![Some(leaves), Some(self.program.exprs.not(leaves))]);
        let most = self.program.exprs.int(COUNTER, VISITS);
        let mut counts = Vec::new();
        let mut few = self.program.exprs.bool(false);
        for kind in kinds {
            let counter = add_register(&mut self.program, "?visits", VarKind::Temporary, None, COUNTER);
            self.counters.push(counter);
            let exprs = &mut self.program.exprs;
            let (count, one) = (exprs.var(counter, COUNTER), exprs.int(COUNTER, 1));
            let more = exprs.binary(BinOp::Add, count, one);
            let below = exprs.binary(BinOp::Lt, count, most);
            let (below, more) = kind
                .map_or((below, more), |kind| (exprs.binary(BinOp::And, kind, below), exprs.ite(kind, more, count)));
            few = exprs.binary(BinOp::Or, few, below);
            counts.push(Op::Assign(counter, more));
        }
        let many = self.program.exprs.not(few);
        self.edge(head, counted, Op::Assume(few));
        self.edge(head, after, Op::Assume(many));
        let mut at = counted;
        for count in counts {
            let next = self.fresh(head);
            self.edge(at, next, count);
            at = next;
        }
        self.edge(at, looked, Op::Skip);
        looked
    }

    /// No head was visited at first.
    fn start(&mut self) {
        let function = self.program.entry;
        let mut at = self.program.functions[function].entry;
        for counter in std::mem::take(&mut self.counters) {
            let before = self.fresh(at);
            let zero = self.program.exprs.int(COUNTER, 0);
            self.edge(before, at, Op::Assign(counter, zero));
            at = before;
        }
        self.program.functions[function].entry = at;
    }
}

/// The condition under which a loop is left at its head.
fn leaving_condition(program: &Program, loops: &Loops, head: Node) -> Option<ExprId> {
    let id = loops.headed_by(head)?;
    program.leaving(head).find_map(|edge| match program.edges[edge].op {
        Op::Assume(condition) if !loops.contains(id, program.edges[edge].to) => {
            is_at_hand(program, program.nodes[head].function, &program.exprs, condition).then_some(condition)
        }
        _ => None,
    })
}

/// Whether an expression can be evaluated while a function runs: it needs no memory, and no variable of a caller, whose
/// frame is out of reach there.
fn is_at_hand(program: &Program, function: FunctionId, exprs: &Exprs, id: ExprId) -> bool {
    let mut only = true;
    exprs.visit(id, |_, node| match node {
        Expr::Load(_) | Expr::Living(_) => only = false,
        Expr::Var(var) | Expr::Addr(var) => only &= program.vars[var].function.is_none_or(|owner| owner == function),
        Expr::Const { .. } | Expr::Function(_) => {}
        Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
    });
    only
}

/// Small values, most of the time: they lead through loops. Asked where a fact fails, it notes that.
struct Inputs<'w> {
    watched: &'w Watched,
    failed: &'w mut BTreeSet<usize>,
    random: Random,
    run: u64,
    drawn: bool,
}

impl Inputs<'_> {
    fn draw(&mut self) -> u128 {
        self.drawn = true;
        match (self.run % 4, self.random.below(8)) {
            (0, _) | (_, 0..=3) => u128::from(self.random.below(8)),
            (_, 4) => (i128::from(self.random.below(9)) - 4) as u128,
            (_, 5 | 6) => u128::from(self.random.below(64)),
            _ => self.random.bits128(),
        }
    }
}

impl Chooser for Inputs<'_> {
    fn havoc(&mut self, edge: EdgeId, _: Source, _: Scalar) -> u128 {
        if let Some(&at) = self.watched.asking.get(&edge) {
            self.failed.insert(at);
            return 0;
        }
        self.draw()
    }
    fn byte(&mut self, _: u32, _: u64) -> u8 {
        self.draw() as u8
    }
    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        self.draw()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::program;

    /// The facts `x < c` for c up to 40 that remain at the only loop head of a program with an `int x`.
    fn bounds(source: &str) -> Vec<i128> {
        let program = program(source);
        let mut exprs = program.exprs.clone();
        let x = program.vars.ids().find(|&var| program.var_name(var) == "x").expect("there is an x");
        let ty = program.register(x).expect("x is a register");
        let x = exprs.var(x, ty);
        let facts: Vec<ExprId> = (0..=40)
            .map(|bound| {
                let bound = exprs.int(ty, bound);
                exprs.binary(BinOp::Lt, x, bound)
            })
            .collect();
        let head = program.loops().loops.iter().next().expect("there is a loop").1.head;
        let candidates = BTreeMap::from([(head, facts.clone())]);
        let failed = refuted(&program, &exprs, &candidates, &Cancel::never());
        let kept = |bound: &i128| !failed.contains(&(head, facts[*bound as usize]));
        (0..=40).filter(kept).collect()
    }

    #[test]
    fn what_happens_is_seen() {
        assert_eq!(bounds("int main() { int x = 0; while (x < 7) x++; }"), Vec::from_iter(8..=40));
        // Also where the loop ends, after many iterations.
        assert_eq!(bounds("int main() { int x = 0; for (int i = 0; i < 5000; i++) if (i == 4999) x = 33; }").len(), 7);
        // Inputs are often small.
        let source = "int __VERIFIER_nondet_int(); int main() { int n = __VERIFIER_nondet_int(); int x = 0;
                      while (x < n) x++; }";
        assert!(bounds(source).len() < 35);
    }

    #[test]
    fn what_holds_stays() {
        let source = "int __VERIFIER_nondet_int(); int main() { int x = __VERIFIER_nondet_int(); if (x > 9) return 0;
                      while (x < 9 && __VERIFIER_nondet_int()) x++; }";
        assert!((10..=40).all(|bound| bounds(source).contains(&bound)));
    }
}
