//! Parses files and prints errors, totals and speed: `parse_all FILE...`.

use base::{Interner, Severity, SourceMap};
use std::time::{Duration, Instant};

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let (mut bytes, mut broken, mut nodes) = (0, 0, 0);
    let mut time = Duration::ZERO;
    for file in &files {
        let text = match std::fs::read(file) {
            Ok(text) => String::from_utf8_lossy(&text).into_owned(),
            Err(error) => {
                println!("{file}: {error}");
                broken += 1;
                continue;
            }
        };
        let mut interner = Interner::default();
        let begin = Instant::now();
        let (ast, diagnostics) = syntax::parse(&text, 0, &mut interner);
        let took = begin.elapsed();
        time += took;
        bytes += text.len();
        nodes += ast.exprs.len() + ast.stmts.len();
        if text.len() > 500_000 {
            let speed = text.len() as f64 / 1e6 / took.as_secs_f64();
            println!(
                "{file}: {:.2} MB, {speed:.1} MB/s, tree {:.1} times the text",
                text.len() as f64 / 1e6,
                ast.bytes() as f64 / text.len() as f64
            );
        }
        if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            broken += 1;
            let mut sources = SourceMap::new();
            sources.add(file, text);
            for diagnostic in diagnostics.iter().take(5) {
                println!("{}", diagnostic.render(&sources));
            }
        }
    }
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{} files, {broken} with errors, {megabytes:.1} MB, {nodes} expressions and statements, {:.1} MB/s",
        files.len(),
        megabytes / time.as_secs_f64()
    );
}
