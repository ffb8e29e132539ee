//! Speed and memory of exploration with explicit values: a loop that changes ten tracked variables, explored up to
//! 10^4, 10^5, 10^6 and 10^7 abstract states. `cargo run --release -p driver --example exploration`

use analysis::{Order, Reached};
use base::{Cancel, Counters, Interner, SourceMap, Span};
use cfa::types::{IntKind, Type};
use cfa::{
    BinOp, DataModel, Edge, ExprId, Function, FunctionId, FunctionKind, Node, NodeInfo, Op, Program, Scalar, Storage,
    VarId, VarKind, Variable,
};
use domains::value::{Options, Precision, ValueAnalysis};
use flow::{PointsTo, Prepared};

const VARIABLES: usize = 10;

/// `for (v0 = 0; v0 < rounds; v0++) { v1 = v0 ^ v1; ...; v9 = v8 ^ v9; }`
fn program(rounds: i128) -> Prepared {
    let mut p = Program::new(DataModel::Lp64, Interner::default(), SourceMap::new());
    let function = FunctionId(0);
    let name = p.names.intern("start");
    let int = p.types.intern(Type::Int(IntKind::Int));
    let vars: Vec<VarId> = (0..VARIABLES)
        .map(|at| {
            let name = p.names.intern(&format!("v{at}"));
            let storage = Storage::Register(Scalar::INT);
            let (init, span) = (Box::default(), Span::default());
            p.vars.push(Variable { name, function: Some(function), kind: VarKind::Local, ty: int, storage, init, span })
        })
        .collect();
    let nodes: Vec<Node> =
        (0..2 * VARIABLES + 2).map(|_| p.nodes.push(NodeInfo { function, loop_head: false })).collect();
    let head = nodes[VARIABLES];
    p.nodes[head].loop_head = true;
    let exit = nodes[2 * VARIABLES + 1];
    p.functions.push(Function {
        name,
        kind: FunctionKind::Start,
        ty: int,
        params: Vec::new(),
        result: None,
        locals: vars.clone(),
        entry: nodes[0],
        exit,
        span: Span::default(),
    });
    let mut edges: Vec<(Node, Node, Op)> = Vec::new();
    let zero = p.exprs.int(Scalar::INT, 0);
    for at in 0..VARIABLES {
        edges.push((nodes[at], nodes[at + 1], Op::Assign(vars[at], zero)));
    }
    let read: Vec<ExprId> = vars.iter().map(|&var| p.exprs.var(var, Scalar::INT)).collect();
    let (bound, one) = (p.exprs.int(Scalar::INT, rounds), p.exprs.int(Scalar::INT, 1));
    let more = p.exprs.binary(BinOp::Lt, read[0], bound);
    let done = p.exprs.not(more);
    edges.push((head, nodes[VARIABLES + 1], Op::Assume(more)));
    edges.push((head, exit, Op::Assume(done)));
    for at in 1..VARIABLES {
        let value = p.exprs.binary(BinOp::Xor, read[at - 1], read[at]);
        edges.push((nodes[VARIABLES + at], nodes[VARIABLES + at + 1], Op::Assign(vars[at], value)));
    }
    let next = p.exprs.binary(BinOp::Add, read[0], one);
    edges.push((nodes[2 * VARIABLES], head, Op::Assign(vars[0], next)));
    for (from, to, op) in edges {
        p.edges.push(Edge { from, to, op, span: Span::default() });
    }
    p.entry = function;
    p.index();
    Prepared::new(p)
}

/// Time that this thread was on a processor, so that a busy machine does not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}

fn main() {
    println!(
        "{:>10} {:>12} {:>14} {:>10} {:>12} {:>14} {:>15}",
        "states", "CPU seconds", "states/second", "ns/state", "bytes/state", "lookups/state", "compares/state"
    );
    let mut first = None;
    let mut last = 0.0;
    for exponent in 4..=7 {
        // Short runs are repeated, so that all sizes are measured for about as long.
        let repeat = 10_u32.pow(7 - exponent).min(100);
        let program = program(10_i128.pow(exponent) / (VARIABLES as i128 + 1));
        let points_to = PointsTo::new(&program);
        let mut seconds = 0.0;
        let mut line = String::new();
        for _ in 0..repeat {
            let begun = cpu_seconds();
            let mut cpa = ValueAnalysis::new(&program, &points_to, Options { live_only: false, ..Options::default() });
            let mut precision = Precision::all();
            let mut reached = Reached::new(&program, Order::Dfs);
            engine::cpa::start(&program, &mut cpa, &mut precision, &mut reached).expect("no limit");
            let goals = verdict::Goals::any(&program);
            let limits = (&Cancel::never(), &mut Counters::default());
            engine::cpa::explore((&program, &goals), &mut cpa, &mut precision, &mut reached, &mut |_, _| false, limits)
                .expect("no limit");
            seconds += cpu_seconds() - begun;
            let states = reached.arg.len() as f64;
            let bytes = (reached.bytes() + cpa.bytes()) as f64 / states;
            let (maps, index) = (cpa.work(), reached.work());
            let lookups = (maps.lookups + index.lookups) as f64 / states;
            let compares = (maps.compares + index.compares) as f64 / states;
            last = seconds * 1e9 / f64::from(repeat) / states;
            line = format!(
                "{states:>10} {:>12.4} {:>14.0} {last:>10.0} {bytes:>12.1} {lookups:>14.3} {compares:>15.3}",
                seconds / f64::from(repeat),
                1e9 / last,
            );
        }
        println!("{line}");
        first.get_or_insert(last);
    }
    println!("cost per state at 10^7 states : at 10^4 states = {:.2}", last / first.unwrap_or(last));
}
