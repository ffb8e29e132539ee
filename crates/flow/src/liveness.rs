//! Which local registers are live where: classic backward liveness, per function. A register that no path reads any
//! more says nothing, and forgetting it lets more states cover each other; one that may be read before it is written is
//! arbitrary in every new activation.

use base::{Id, IdVec};
use cfa::{EdgeId, Expr, Function, FunctionId, Node, Op, Program, VarId};
use rustc_hash::FxHashMap;

/// Where local registers are live.
pub struct Liveness {
    /// By edge, where its deaths begin in `dying`.
    start: Vec<u32>,
    dying: Vec<VarId>,
    at_entry: IdVec<FunctionId, Box<[VarId]>>,
}

impl Liveness {
    /// Every register lives everywhere.
    pub fn none(program: &Program) -> Self {
        let at_entry = IdVec::filled(program.functions.len(), Box::default());
        Self { start: vec![0; program.edges.len() + 1], dying: Vec::new(), at_entry }
    }

    /// Of all functions.
    pub fn new(program: &Program) -> Self {
        let mut deaths: Vec<Vec<VarId>> = vec![Vec::new(); program.edges.len()];
        let mut edges: IdVec<FunctionId, Vec<EdgeId>> = IdVec::filled(program.functions.len(), Vec::new());
        for (id, edge) in program.edges.iter() {
            edges[program.nodes[edge.from].function].push(id);
        }
        let mut liveness = Self { start: vec![0], dying: Vec::new(), at_entry: IdVec::new() };
        for (id, own) in edges.iter() {
            let mut sets = Sets::new(program, id, own);
            sets.solve();
            sets.deaths(&mut deaths);
            liveness.at_entry.push(sets.at_entry());
        }
        for vars in deaths {
            liveness.dying.extend(vars);
            liveness.start.push(liveness.dying.len() as u32);
        }
        assert_eq!(liveness.start.len(), program.edges.len() + 1, "every edge has its deaths");
        liveness
    }

    /// The local registers that are dead after an edge and were not before, or that it assigns without a use.
    pub fn deaths(&self, edge: EdgeId) -> &[VarId] {
        &self.dying[self.start[edge.index()] as usize..self.start[edge.index() + 1] as usize]
    }

    /// The local registers that some path from a function's entry reads before it writes them. The result is one if
    /// a path returns nothing.
    pub fn at_entry(&self, function: FunctionId) -> &[VarId] {
        &self.at_entry[function]
    }
}

/// The live registers of one function by node, as bits.
struct Sets<'p> {
    program: &'p Program,
    function: &'p Function,
    edges: &'p [EdgeId],
    registers: Vec<VarId>,
    nodes: FxHashMap<Node, usize>,
    words: usize,
    live: Vec<u64>,
    /// By edge.
    reads: Vec<Vec<usize>>,
    written: Vec<Option<usize>>,
}

impl<'p> Sets<'p> {
    /// At the exit the result is live.
    fn new(program: &'p Program, id: FunctionId, edges: &'p [EdgeId]) -> Self {
        let function = &program.functions[id];
        let locals = function.locals.iter().copied();
        let registers: Vec<VarId> = locals.filter(|&var| program.register(var).is_some()).collect();
        let number: FxHashMap<VarId, usize> = registers.iter().enumerate().map(|(at, &var)| (var, at)).collect();
        assert_eq!(number.len(), registers.len(), "a function names each local once");
        let words = registers.len().div_ceil(64).max(1);
        let mut nodes: FxHashMap<Node, usize> = FxHashMap::default();
        for &edge in edges {
            for node in [program.edges[edge].from, program.edges[edge].to] {
                let next = nodes.len();
                nodes.entry(node).or_insert(next);
            }
        }
        assert!(words * 64 >= registers.len(), "a bit for each register");
        let mut live = vec![0_u64; nodes.len() * words];
        if let (Some(result), Some(&exit)) = (function.result, nodes.get(&function.exit))
            && let Some(&at) = number.get(&result)
        {
            live[exit * words + at / 64] |= 1 << (at % 64);
        }
        let reads = edges.iter().map(|&edge| read_by(program, edge, &number)).collect();
        let written = edges.iter().map(|&edge| written_by(program, id, edge, &number)).collect();
        Sets { program, function, edges, registers, nodes, words, live, reads, written }
    }

    /// Where the bits of an edge's ends are.
    fn ends(&self, at: usize) -> (usize, usize) {
        let edge = &self.program.edges[self.edges[at]];
        (self.nodes[&edge.from] * self.words, self.nodes[&edge.to] * self.words)
    }

    /// The bit that an edge writes, in one word.
    fn written_bit(&self, at: usize, word: usize) -> u64 {
        debug_assert!(word < self.words, "word {word} of {}", self.words);
        self.written[at].filter(|var| var / 64 == word).map_or(0, |var| 1 << (var % 64))
    }

    fn solve(&mut self) {
        let position: FxHashMap<EdgeId, usize> = self.edges.iter().enumerate().map(|(at, &edge)| (edge, at)).collect();
        let mut work: Vec<usize> = (0..self.edges.len()).collect();
        let mut queued = vec![true; self.edges.len()];
        while let Some(at) = work.pop() {
            queued[at] = false;
            if self.step(at) {
                for before in self.program.entering(self.program.edges[self.edges[at]].from) {
                    let before = position[before];
                    if !std::mem::replace(&mut queued[before], true) {
                        work.push(before);
                    }
                }
            }
        }
    }

    /// What is live after an edge is live before it unless it writes it; what it reads is, too.
    fn step(&mut self, at: usize) -> bool {
        let (from, to) = self.ends(at);
        let mut changed = false;
        for word in 0..self.words {
            let mut need = self.live[to + word] & !self.written_bit(at, word);
            for &var in self.reads[at].iter().filter(|&&var| var / 64 == word) {
                need |= 1 << (var % 64);
            }
            changed |= need & !self.live[from + word] != 0;
            self.live[from + word] |= need;
        }
        changed
    }

    fn deaths(&self, deaths: &mut [Vec<VarId>]) {
        for (at, &edge) in self.edges.iter().enumerate() {
            let (from, to) = self.ends(at);
            for word in 0..self.words {
                let before = self.live[from + word] | self.written_bit(at, word);
                self.push(before & !self.live[to + word], word, &mut deaths[edge.index()]);
            }
        }
    }

    fn at_entry(&self) -> Box<[VarId]> {
        let mut found = Vec::new();
        if let Some(&entry) = self.nodes.get(&self.function.entry) {
            for word in 0..self.words {
                self.push(self.live[entry * self.words + word], word, &mut found);
            }
        }
        found.into()
    }

    fn push(&self, mut bits: u64, word: usize, vars: &mut Vec<VarId>) {
        debug_assert!(word * 64 < self.registers.len().max(1), "bits are registers");
        while bits != 0 {
            vars.push(self.registers[word * 64 + bits.trailing_zeros() as usize]);
            bits &= bits - 1;
        }
    }
}

fn read_by(program: &Program, edge: EdgeId, number: &FxHashMap<VarId, usize>) -> Vec<usize> {
    let mut reads = Vec::new();
    for root in program.edges[edge].op.operands() {
        program.exprs.visit(root, |_, node| {
            if let Expr::Var(var) = node {
                reads.extend(number.get(&var));
            }
        });
    }
    reads.sort_unstable();
    reads.dedup();
    reads
}

fn written_by(
    program: &Program,
    function: FunctionId,
    edge: EdgeId,
    number: &FxHashMap<VarId, usize>,
) -> Option<usize> {
    let var = match program.edges[edge].op {
        Op::Return(Some(_)) => program.functions[function].result,
        ref op => op.variable(),
    };
    var.and_then(|var| number.get(&var).copied())
}
