//! Soundness by comparison: no path that the interpreter runs is ever excluded by the value analysis.

use analysis::{Move, Place, Stacks, Step};
use base::{Cancel, Interner, SourceMap};
use cfa::EdgeId;
use domains::value::{Options, ValueAnalysis};
use engine::refinement::slice;
use flow::{PointsTo, Prepared};
use semantics::interpreter::{self, Tracing, Undefined};
use semantics::random::Random;

fn lower(name: &str, source: String) -> Option<Prepared> {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let start = sources.add(name, source);
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    if !diagnostics.is_empty() {
        return None;
    }
    let mut program = lower::lower(vec![ast], names, sources, &lower::Options::default()).ok()?.program;
    driver::prepare(&mut program, cfa::Outside::Writes);
    Some(Prepared::new(program))
}

/// The steps of a run: its edges, with the returns in between.
fn steps(program: &Prepared, edges: &[EdgeId]) -> Vec<Step> {
    let mut stacks = Stacks::new(program);
    let mut place = stacks.start(program);
    let mut path = Vec::new();
    let mut possible = Vec::new();
    for &edge in edges {
        loop {
            possible.clear();
            stacks.steps(program, place, &mut possible);
            if let Some(step) = possible.iter().find(|step| step.edge == edge && program.edges[edge].from == place.node)
            {
                path.push(*step);
                place = step.to;
                break;
            }
            // Not an edge of this function: it has ended.
            let Some(step) = possible.last().copied() else { return path };
            path.push(step);
            place = step.to;
        }
    }
    path
}

/// The path with steps over the calls that are made at a height of the stack and come back.
fn step_over(program: &Prepared, path: &[Step], height: usize) -> Vec<Step> {
    let mut shorter: Vec<Step> = Vec::new();
    let mut calls: Vec<usize> = Vec::new();
    for step in path {
        match step.kind {
            Move::Enter => calls.push(shorter.len()),
            Move::Leave => {
                let call = calls.pop().expect("calls come before returns");
                if calls.len() == height {
                    let from = shorter[call];
                    shorter.truncate(call);
                    let to = Place { node: program.edges[from.edge].to, stack: from.from.stack };
                    shorter.push(Step { kind: Move::Over, to, to_depth: from.from_depth, ..from });
                    continue;
                }
            }
            Move::Edge | Move::Over => {}
        }
        shorter.push(*step);
    }
    shorter
}

/// Runs a program a few times and follows each run abstractly.
fn check(name: &str, source: String) -> usize {
    let Some(program) = lower(name, source) else { return 0 };
    let points_to = PointsTo::new(&program);
    let mut runs = 0;
    for seed in 0..20 {
        let options =
            interpreter::Options { undefined: Undefined::Report, steps: 3000, tracing: Tracing::On, recording: false };
        let run = interpreter::run(&program, &mut Random::new(seed), &mut std::io::sink(), &options, &Cancel::never());
        let path = steps(&program, &run.path);
        let options = Options { signs: seed % 2 == 1, ..Options::default() };
        let mut domain = ValueAnalysis::new(&program, &points_to, options);
        let shorter = (1..4).map(|height| step_over(&program, &path, height));
        for path in std::iter::once(path.clone()).chain(shorter) {
            let sliced = slice(&mut domain, &path, 1, &Cancel::never()).expect("no limit");
            if let Some(&at) = sliced.contradictions.first() {
                let known = domain.describe(sliced.states[at]);
                panic!("{name}, seed {seed}: {} is excluded by {known:?}", program.edge_text(path[at].edge));
            }
        }
        runs += 1;
    }
    runs
}

#[test]
fn runs_of_the_examples_are_never_excluded() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut runs = 0;
    for folder in [root.clone(), root.join("papers")] {
        for entry in std::fs::read_dir(folder).expect("a folder of examples") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "c") {
                let source = std::fs::read_to_string(&path).expect("readable");
                if !source.contains("#include") {
                    runs += check(&path.display().to_string(), source);
                }
            }
        }
    }
    assert!(runs > 100, "{runs} runs");
}

#[test]
fn runs_of_pointer_programs_are_never_excluded() {
    let programs = [
        "int __VERIFIER_nondet_int(void); int a[4]; struct s { int x; struct s *next; }; void *malloc(unsigned long);
         int sum(struct s *p) { int t = 0; while (p) { t += p->x; p = p->next; } return t; }
         int main() { struct s *head = 0; int n = __VERIFIER_nondet_int() & 3;
           for (int i = 0; i < n; i++) { struct s *e = malloc(sizeof *e); e->x = i; e->next = head; head = e; }
           a[n] = sum(head); int *p = &a[n]; *p += 1; if (a[n] > 5) { return 1; } return 0; }",
        "int __VERIFIER_nondet_int(void); union u { int i; short s[2]; char c[4]; };
         int f(int n, int *out) { int own = n; if (n > 0) { f(n - 1, &own); } *out += own; return own; }
         int main() { union u v; v.i = __VERIFIER_nondet_int(); v.s[1] = 3; v.c[0] = 7; int r = 0;
           int d = f(v.c[3] & 3, &r); int *q = __VERIFIER_nondet_int() ? &r : &d; *q = 9;
           if (r == 9) { return d; } if (d == 9) { return r; } return 2; }",
        "int __VERIFIER_nondet_int(void); double __VERIFIER_nondet_double(void);
         int main() { double x = __VERIFIER_nondet_double(); unsigned char c = __VERIFIER_nondet_int();
           if (x == 0.0) { if (1.0 / x < 0.0) { return 1; } } if (c + 1 > 255) { return c; }
           if (!(c < 1) || x != x) { c = c - 1; } switch (c) { case 0: return 3; case 1 ... 9: return 4; }
           return (x > 1.0) + (c == 17 && x < 5.0); }",
    ];
    for (at, source) in programs.into_iter().enumerate() {
        assert_eq!(check(&format!("program {at}"), source.to_owned()), 20);
    }
}
