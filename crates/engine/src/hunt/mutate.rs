//! Changes at random, as fuzzers make them: runs that went where none had been before are kept, and some of their choices
//! replaced by constants of the program, by values next to what they were, or by anything. They find what cannot be
//! inverted, such as an index into a table.

use cfa::{Expr, ExprId, Op, Program};
use semantics::choices::Choices;
use semantics::random::Random;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// So many of the latest runs that saw something new are kept.
const MOST_RUNS: usize = 64;
/// So many constants of the program are tried.
const MOST_CONSTANTS: usize = 512;
/// At most so many choices are changed at once.
const MOST_CHANGES: u64 = 4;

/// Runs that saw something new, and what is put into them.
pub struct Corpus {
    runs: VecDeque<Rc<Choices>>,
    constants: Vec<u128>,
    random: Random,
}

impl Corpus {
    /// Without runs; the constants are those of the program's conditions.
    pub fn new(program: &Program) -> Corpus {
        let mut constants = BTreeSet::new();
        let mut add = |id: ExprId, node: Expr| {
            if let Expr::Const { .. } = node
                && let Some(value) = program.exprs.constant(id)
            {
                constants.extend([value.wrapping_sub(1), value, value.wrapping_add(1)]);
            }
        };
        for (_, edge) in program.edges.iter() {
            if let Op::Assume(condition) = edge.op {
                program.exprs.visit(condition, &mut add);
            }
        }
        let constants = constants.into_iter().take(MOST_CONSTANTS).collect();
        Corpus { runs: VecDeque::new(), constants, random: Random::new(1) }
    }

    /// A run that saw something new.
    pub fn keep(&mut self, choices: &Rc<Choices>) {
        if self.runs.len() == MOST_RUNS {
            self.runs.pop_front();
        }
        self.runs.push_back(choices.clone());
    }

    /// One of the runs with changes; `None` if there is none that chose anything.
    pub fn changed(&mut self) -> Option<Choices> {
        let count = self.runs.len() as u64;
        if count == 0 {
            return None;
        }
        // The latest runs are the most interesting ones.
        let back = self.random.below(count).min(self.random.below(count));
        let mut choices = Choices::clone(&self.runs[(count - 1 - back) as usize]);
        let all = choices.havocs.len() + choices.bytes.len();
        if all == 0 {
            return None;
        }
        for _ in 0..=self.random.below(MOST_CHANGES) {
            let at = self.random.below(all as u64) as usize;
            match choices.havocs.get(at).copied() {
                Some(before) => {
                    let other = choices.havocs[self.random.below(choices.havocs.len() as u64) as usize];
                    choices.havocs[at] = self.value(before, other);
                }
                None => {
                    let at = at - choices.havocs.len();
                    if let Some((&key, &byte)) = choices.bytes.iter().nth(at) {
                        let value = self.value(byte.into(), byte.into()) as u8;
                        choices.bytes.insert(key, value);
                    }
                }
            }
        }
        Some(choices)
    }

    /// What a choice becomes; another choice of the run is a candidate.
    fn value(&mut self, before: u128, other: u128) -> u128 {
        let random = &mut self.random;
        match random.below(8) {
            0 => random.bits128(),
            1 => before ^ 1 << random.below(64),
            2 => before.wrapping_add(u128::from(random.below(8))).wrapping_sub(4),
            3 => other,
            4 | 5 => u128::from(random.below(256)),
            _ if self.constants.is_empty() => 0,
            _ => self.constants[random.below(self.constants.len() as u64) as usize],
        }
    }
}
