//! Makes a program small on which something goes wrong, by leaving out lines.

use super::Program;
use super::truth::{Question, ground};
use std::collections::BTreeSet;

/// The smallest question that could be found about which `bad` still says yes. `bad` is asked only about programs that
/// gcc and the interpreter agree about, with values that are observed (or not) as in the first question.
pub fn shrink(question: &Question, bad: impl Fn(&Question) -> bool) -> Question {
    let mut best = question.clone();
    let mut length = (best.program.body.len() / 2).max(1);
    loop {
        let before = size(&best.program);
        let mut at = 0;
        while at < best.program.file.len() + best.program.body.len() + best.program.observed.len() {
            let candidates = [
                without(&best.program, at, length),
                block(&best.program, at, Block::Whole),
                block(&best.program, at, Block::Ends),
            ];
            match candidates.into_iter().flatten().find_map(|smaller| still_bad(&smaller, &best, &bad)) {
                Some(smaller) => best = smaller,
                None => at += 1,
            }
        }
        if length == 1 && size(&best.program) == before {
            return best;
        }
        length = (length / 2).max(1);
    }
}

/// What to do about a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    /// All of it goes.
    Whole,
    /// Head and end go.
    Ends,
}

/// The program without the block that begins in this line of the body.
fn block(program: &Program, at: usize, which: Block) -> Option<Program> {
    let head = program.body.get(at).filter(|line| line.ends_with('{'))?;
    let indent = head.len() - head.trim_start().len();
    let end = format!("{}}}", " ".repeat(indent));
    let length = program.body[at..].iter().position(|line| *line == end)?;
    let mut smaller = program.clone();
    match which {
        Block::Whole => drop(smaller.body.drain(at..=at + length)),
        Block::Ends => {
            smaller.body.remove(at + length);
            smaller.body.remove(at);
        }
    }
    Some(smaller)
}

fn size(program: &Program) -> usize {
    program.file.len() + program.body.len() + program.observed.len()
}

/// The program without `length` lines from `at` on, counted from the body's first over the file's to what is observed.
fn without(program: &Program, at: usize, length: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let (body, file) = (program.body.len(), program.file.len());
    if at < body {
        smaller.body.drain(at..(at + length).min(body));
    } else if at < body + file && length == 1 {
        smaller.file.remove(at - body);
    } else if at >= body + file && length == 1 && program.observed.len() > 1 {
        smaller.observed.remove(at - body - file);
    } else {
        return None;
    }
    Some(smaller)
}

/// A question about the smaller program that is answered badly as well.
fn still_bad(smaller: &Program, best: &Question, bad: &impl Fn(&Question) -> bool) -> Option<Question> {
    let truth = ground(std::slice::from_ref(smaller), smaller.model).pop()?.ok()?;
    let reached: BTreeSet<Vec<u64>> = truth.into_iter().collect();
    let ask = |values: Vec<u64>| {
        let question = Question { program: smaller.clone(), values, fails: best.fails };
        bad(&question).then_some(question)
    };
    match best.fails {
        true => reached.into_iter().take(8).find_map(ask),
        false if best.values.len() == smaller.observed.len() && !reached.contains(&best.values) => {
            ask(best.values.clone())
        }
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gcc;
    use crate::memory::{Input, Observed};
    use cfa::DataModel;

    /// What does not matter goes, and what others need stays.
    #[test]
    fn lines_and_blocks_that_do_not_matter_go() {
        if !gcc::is_available(DataModel::Lp64) {
            return;
        }
        let lines = ["int a[2] = {1, 2};", "if (x) {", "    a[1] = 5;", "}", "memset(a, 0, 4);"];
        let inputs = vec![Input { line: "unsigned x = __VERIFIER_nondet_uint() & 1;".into(), values: vec![0, 1] }];
        let observed = vec![Observed { name: "r".into(), expression: "a[1]".into() }];
        let body = lines.map(str::to_owned).to_vec();
        let (seed, model, names, file) = (0, DataModel::Lp64, Vec::new(), Vec::new());
        let program = Program { seed, model, names, file, inputs, body, observed };
        let question = Question { program, values: vec![5], fails: true };
        let small = shrink(&question, |question| question.text().contains("memset("));
        assert_eq!(small.program.body, [lines[0], lines[4]]);
        assert_eq!(small.values, [2]);
    }
}
