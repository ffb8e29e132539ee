//! Formula construction and solving on growing unrollings: every kernel's loop is unrolled 10, 100 and 1,000 times, and
//! one query asks whether the error is reached. `cargo run --release -p driver --example unrollings`; with
//! `--features z3` the same queries, written as SMT-LIB, are also read back and run by Z3. Arguments are other bounds;
//! with `construction` nothing is solved.

use base::Cancel;
use encode::{Addressing, Bounds, Encoder, memory_model, unroll};
use flow::Prepared;
use smt::{Answer, Backend, Dumping, Solver, SolverFailure, TermId};
use smt_bitwuzla::BitwuzlaBackend;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// No query may take longer.
const LIMIT: Duration = Duration::from_secs(20);

const KERNELS: &[(&str, &str)] = &[
    (
        "registers",
        "int x = 0, y = 0; while (nondet()) { int d = nondet(); x += d; y += d; if (x > 1000) { x -= y; y = 0; } }
         if (x < 0 && y == 77 && x == y) reach_error();",
    ),
    (
        "array",
        "int a[16] = {0}; while (nondet()) { unsigned i = nondet() & 15; a[i] = i; }
         unsigned j = nondet() & 15; if (a[j] != 0 && a[j] != j) reach_error();",
    ),
    (
        "list",
        "struct node { struct node *next; int value; } *list = 0;
         while (nondet()) { struct node *n = malloc(16); n->next = list; n->value = 1; list = n; }
         if (list && list->value != 1) reach_error();",
    ),
];

fn program(body: &str) -> Prepared {
    let head = "extern void reach_error(void); extern int nondet(void); extern void *malloc(unsigned long);";
    driver::load_text("kernel.c", &format!("{head}\nint main(void) {{ {body} return 0; }}")).expect("a correct program")
}

fn main() {
    let bounds: Vec<u32> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let bounds = if bounds.is_empty() { vec![10, 100, 1000] } else { bounds };
    let limit = if std::env::args().any(|arg| arg == "construction") { Duration::ZERO } else { LIMIT };
    println!("kernel     bound    edges    terms  build ms  us/edge  Bitwuzla ms  share  answer  Z3 ms");
    for (name, body) in KERNELS {
        let program = program(body);
        for &bound in &bounds {
            measure(name, &program, bound, limit);
        }
    }
}

fn measure(name: &str, program: &Prepared, bound: u32, limit: Duration) {
    let (loops, model) = (program.loops(), memory_model(program, &Cancel::never()).expect("it is never stopped"));
    let start = Instant::now();
    let mut encoder = Encoder::new(program, model, Addressing::Events);
    let bounds = Bounds { iterations: bound, recursion: 0, constant_iterations: 0, edges: u64::MAX };
    let unrolled = unroll(&mut encoder, &loops, bounds, &Cancel::never()).expect("it is never stopped");
    let reached: Vec<TermId> =
        unrolled.targets.iter().map(|(_, guard)| encoder.guards.formula(&mut encoder.terms, *guard)).collect();
    let goal = encoder.terms.or(reached);
    let built = start.elapsed();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let per_edge = built.as_secs_f64() * 1e6 / unrolled.steps as f64;
    let (edges, terms) = (unrolled.steps, encoder.terms.len());
    print!("{name:10} {bound:5} {edges:8} {terms:8} {:9.1} {per_edge:8.2}", milliseconds(built));
    if limit.is_zero() {
        return println!();
    }

    let text = Rc::new(RefCell::new(String::new()));
    let sink = text.clone();
    let write = Box::new(move |query: &str| *sink.borrow_mut() = query.to_owned());
    let mut solver = Dumping::new(BitwuzlaBackend.solver(), write);
    for definition in encoder.definitions(0) {
        solver.assert(&encoder.terms, definition);
    }
    let start = Instant::now();
    let answer = solver.check_assuming(&encoder.terms, &[goal], &Cancel::never().child(Some(limit)));
    let solved = start.elapsed();

    let share = 100.0 * solved.as_secs_f64() / (solved + built).as_secs_f64();
    println!(
        " {:12.1} {share:5.0}%  {:6}  {}",
        milliseconds(solved),
        word(&answer),
        second_opinion(&text.borrow(), &answer),
    );
}

fn word(answer: &Result<Answer, SolverFailure>) -> &'static str {
    match answer {
        Ok(Answer::Sat) => "sat",
        Ok(Answer::Unsat) => "unsat",
        Err(_) => "none",
    }
}

/// How long Z3 takes for a query as text.
#[cfg(feature = "z3")]
fn second_opinion(script: &str, first: &Result<Answer, SolverFailure>) -> String {
    use smt::smtlib::Command;
    let mut terms = smt::Terms::new();
    let commands = terms.read_script(script).expect("our own text");
    let mut solver = smt_z3::Z3Backend.solver();
    let (mut answer, start) = (Err(SolverFailure::Incomplete("no check".to_owned())), Instant::now());
    for command in commands {
        match command {
            Command::Assert(formula) => solver.assert(&terms, formula),
            Command::Push(levels) => (0..levels).for_each(|_| solver.push()),
            Command::Pop(levels) => (0..levels).for_each(|_| solver.pop()),
            Command::Check(assumptions) => {
                answer = solver.check_assuming(&terms, &assumptions, &Cancel::never().child(Some(LIMIT)));
            }
        }
    }
    let time = start.elapsed().as_secs_f64() * 1e3;
    if let (Ok(a), Ok(b)) = (&answer, first) {
        assert_eq!(a, b, "solvers disagree");
    }
    format!("{time:.1} ({})", word(&answer))
}

#[cfg(not(feature = "z3"))]
fn second_opinion(script: &str, _: &Result<Answer, SolverFailure>) -> String {
    format!("(not asked; {} bytes of SMT-LIB)", script.len())
}
