//! Runs the passes on the automata of given files and prints a line of CPU times and sizes for each, and what is not
//! supported and can be reached:
//! `cargo run --release -p lower --example passes -- [--ilp32] FILE...`

use base::{Interner, SourceMap};
use cfa::{DataModel, Op, Program};
use flow::PointsTo;
use flow::classes::Classes;
use flow::regions::Regions;
use std::collections::BTreeMap;
use std::time::Duration;

fn program(path: &str, model: DataModel) -> Option<Program> {
    let text = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let (mut names, mut sources) = (Interner::default(), SourceMap::new());
    let start = sources.add(path, text);
    let (ast, _) = syntax::parse(sources.text_at(start), start, &mut names);
    let options = lower::Options { model, outside: cfa::Outside::Pure, ..lower::Options::default() };
    match lower::lower(vec![ast], names, sources, &options) {
        Ok(lowered) => Some(lowered.program),
        Err(rejected) => {
            println!("{path}: {} errors, first: {:?}", rejected.diagnostics.len(), rejected.diagnostics.first());
            None
        }
    }
}

fn main() {
    let mut model = DataModel::Lp64;
    for path in std::env::args().skip(1) {
        match path.as_str() {
            "--ilp32" => model = DataModel::Ilp32,
            "--lp64" => model = DataModel::Lp64,
            path => report(path, model),
        }
    }
}

/// CPU time of this process so far: other processes do not disturb it.
fn used() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// What is not supported in functions that calls reach, and how often.
fn unsupported(program: &Program, points_to: &PointsTo) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (_, edge) in program.edges.iter() {
        if let Op::Unsupported(what) = edge.op
            && points_to.is_reachable(program.nodes[edge.from].function)
        {
            *found.entry(program.text(what).to_owned()).or_default() += 1;
        }
    }
    found
}

fn report(path: &str, model: DataModel) {
    let started = used();
    let mut times = Vec::new();
    let mut lap = used();
    let mut step = |name: &str, since: Duration| {
        times.push(format!("{name} {:.3}", (used() - since).as_secs_f64()));
    };
    let Some(mut program) = program(path, model) else { return };
    step("lower", lap);
    let violations = program.violations();
    if let Some(first) = violations.first() {
        println!("{path}: {} violations, first: {first}", violations.len());
    }
    let edges = program.edges.len();
    lap = used();
    let points_to = PointsTo::new(&program);
    step("points-to", lap);
    let pointer_calls: Vec<_> = program
        .edges
        .iter()
        .filter(|(_, edge)| {
            matches!(edge.op, Op::CallPointer { .. }) && points_to.is_reachable(program.nodes[edge.from].function)
        })
        .map(|(id, _)| points_to.callees(id))
        .collect();
    let unknown_calls = pointer_calls.iter().filter(|callees| callees.unknown).count();
    let most = pointer_calls.iter().map(|callees| callees.functions.len()).max().unwrap_or(0);
    lap = used();
    transform::resolve_pointer_calls(&mut program, &points_to, cfa::Outside::Pure);
    transform::remove_dead(&mut program);
    flow::find_loops(&mut program);
    step("resolve", lap);
    let live_edges = program.edges.len();
    lap = used();
    let written = cfa::notation::write(&program);
    match cfa::notation::read(&written) {
        Ok(again) if cfa::notation::write(&again) == written => {}
        Ok(_) => println!("{path}: another program is read back than was written"),
        Err(wrong) => println!("{path}: the notation is not read back: {wrong}"),
    }
    step("notation", lap);
    lap = used();
    let points_to = PointsTo::new(&program);
    step("points-to", lap);
    for (what, count) in unsupported(&program, &points_to) {
        println!("{path}: unsupported: {count} x {what}");
    }
    lap = used();
    let program = flow::Prepared::new(program);
    let regions = Regions::new(&program, &flow::Uses::new(&program), &points_to);
    step("regions", lap);
    let escaped = points_to.objects.iter().filter(|(_, object)| object.escaped).count();
    let bytes = regions.iter().filter(|(_, shape)| !shape.uniform).count();
    lap = used();
    let loops = program.loops();
    let _classes = Classes::new(&program, &loops);
    step("classes", lap);
    println!(
        "{path}: {:.2} s ({}), {edges} edges, {live_edges} live; {:?}; {} pointer calls ({unknown_calls} \
         unknown, at most {most}); {} objects, {escaped} escaped; {} regions, {bytes} bytes; {} loops",
        (used() - started).as_secs_f64(),
        times.join(", "),
        points_to.detail,
        pointer_calls.len(),
        points_to.objects.len(),
        regions.iter().count(),
        loops.loops.len(),
    );
}
