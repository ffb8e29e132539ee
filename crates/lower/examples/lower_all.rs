//! Lowers every input of a task list (`category,task,input,bits,expected`) and says what was rejected, what is not
//! supported, how fast it went and how much memory it took.
//!
//! `cargo run --release -p lower --example lower_all -- tasks/train.csv`

use base::{Interner, Severity, SourceMap};
use cfa::{DataModel, Op};
use lower::{Options, lower};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

fn main() {
    let list = std::env::args().nth(1).expect("usage: lower_all TASKS.csv [SUBSTRING]");
    let only = std::env::args().nth(2).unwrap_or_default();
    let folder = Path::new(&list).parent().expect("a file has a folder").to_owned();
    let text = std::fs::read_to_string(&list).expect("the list can be read");
    let mut totals = Totals::default();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [_, _, input, bits, ..] = fields[..] else { continue };
        if !input.contains(&only) {
            continue;
        }
        let model = if bits == "32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        let Ok(bytes) = std::fs::read(folder.join(input)) else {
            println!("{input}: cannot be read");
            continue;
        };
        totals.one(input, String::from_utf8_lossy(&bytes).into_owned(), model);
    }
    totals.print();
}

/// CPU time of this process so far: other processes do not disturb it.
fn used() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

#[derive(Default)]
struct Totals {
    inputs: u32,
    failed: u32,
    bytes: u64,
    time: Duration,
    slowest: Vec<(f64, String)>,
    unsupported: BTreeMap<String, u32>,
    edges: u64,
    exprs: u64,
}

impl Totals {
    fn one(&mut self, input: &str, text: String, model: DataModel) {
        self.inputs += 1;
        let size = text.len() as u64;
        let begin = used();
        let mut names = Interner::default();
        let mut sources = SourceMap::new();
        let start = sources.add(input, text.clone());
        let (ast, diagnostics) = syntax::parse(&text, start, &mut names);
        let parsed = used() - begin;
        if diagnostics.iter().any(|found| found.severity == Severity::Error) {
            self.failed += 1;
            println!("{input}: parser: {}", diagnostics[0].render(&sources));
            return;
        }
        let result = lower(vec![ast], names, sources, &Options { model, ..Options::default() });
        let time = used() - begin;
        match result {
            Err(rejected) => {
                self.failed += 1;
                let errors = rejected.diagnostics.iter().filter(|found| found.severity == Severity::Error);
                for found in errors.take(3) {
                    println!("{}", found.render(&rejected.sources));
                }
            }
            Ok(lowered) => {
                self.edges += lowered.program.edges.len() as u64;
                self.exprs += lowered.program.exprs.len() as u64;
                for (_, edge) in lowered.program.edges.iter() {
                    if let Op::Unsupported(name) = edge.op {
                        *self.unsupported.entry(lowered.program.text(name).to_owned()).or_default() += 1;
                    }
                }
                let found = lowered.program.violations();
                for violation in found.iter().take(3) {
                    println!("{input}: invalid: {violation}");
                }
                self.failed += u32::from(!found.is_empty());
            }
        }
        self.bytes += size;
        self.time += time;
        let speed = size as f64 / 1e6 / time.as_secs_f64();
        self.slowest.push((
            size as f64,
            format!(
                "{speed:6.1} MB/s {:8.2} MB, parsing {:.3} s of {:.3} s, {input}",
                size as f64 / 1e6,
                parsed.as_secs_f64(),
                time.as_secs_f64()
            ),
        ));
    }

    fn print(&mut self) {
        self.slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("{} inputs, {} failed", self.inputs, self.failed);
        println!("{} edges, {} expressions", self.edges, self.exprs);
        for (name, count) in &self.unsupported {
            println!("unsupported: {count} x {name}");
        }
        for (_, line) in self.slowest.iter().take(8) {
            println!("{line}");
        }
        println!("{:.1} MB/s over all", self.bytes as f64 / 1e6 / self.time.as_secs_f64());
        if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
            let peak = status.lines().find(|line| line.starts_with("VmHWM"));
            println!("{}", peak.unwrap_or(""));
        }
    }
}
