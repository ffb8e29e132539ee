//! Which local registers die where: a register that no path reads any more says nothing, and forgetting it lets more
//! states cover each other. Classic backward liveness, per function.

use base::Id;
use cfa::{EdgeId, Expr, FunctionId, Node, Op, Program, VarId};
use rustc_hash::FxHashMap;

/// For each edge the local registers that are dead behind it and were not before, or that it assigns for nobody.
pub struct Deaths {
    start: Vec<u32>,
    vars: Vec<VarId>,
}

impl Deaths {
    /// Nobody dies.
    pub fn none(program: &Program) -> Self {
        Self { start: vec![0; program.edges.len() + 1], vars: Vec::new() }
    }

    /// By liveness.
    pub fn new(program: &Program) -> Self {
        let mut by_edge: Vec<Vec<VarId>> = vec![Vec::new(); program.edges.len()];
        let mut edges: Vec<Vec<EdgeId>> = vec![Vec::new(); program.functions.len()];
        for (id, edge) in program.edges.iter() {
            edges[program.nodes[edge.from].function.index()].push(id);
        }
        for (function, own) in edges.iter().enumerate() {
            function_deaths(program, FunctionId::new(function), own, &mut by_edge);
        }
        let mut deaths = Self { start: vec![0], vars: Vec::new() };
        for vars in by_edge {
            deaths.vars.extend(vars);
            deaths.start.push(deaths.vars.len() as u32);
        }
        deaths
    }

    /// Who dies along an edge.
    pub fn along(&self, edge: EdgeId) -> &[VarId] {
        &self.vars[self.start[edge.index()] as usize..self.start[edge.index() + 1] as usize]
    }
}

fn function_deaths(program: &Program, id: FunctionId, edges: &[EdgeId], deaths: &mut [Vec<VarId>]) {
    let function = &program.functions[id];
    let locals: Vec<VarId> = function.locals.iter().copied().filter(|&var| program.register(var).is_some()).collect();
    let number: FxHashMap<VarId, usize> = locals.iter().enumerate().map(|(at, &var)| (var, at)).collect();
    let words = locals.len().div_ceil(64).max(1);
    let mut nodes: FxHashMap<Node, usize> = FxHashMap::default();
    for &edge in edges {
        for node in [program.edges[edge].from, program.edges[edge].to] {
            let next = nodes.len();
            nodes.entry(node).or_insert(next);
        }
    }
    let mut live = vec![0_u64; nodes.len() * words];
    if let (Some(result), Some(&exit)) = (function.result, nodes.get(&function.exit))
        && let Some(&at) = number.get(&result)
    {
        live[exit * words + at / 64] |= 1 << (at % 64);
    }
    let reads: Vec<Vec<usize>> = edges.iter().map(|&edge| read_by(program, edge, &number)).collect();
    let written: Vec<Option<usize>> = edges.iter().map(|&edge| written_by(program, id, edge, &number)).collect();
    let position: FxHashMap<EdgeId, usize> = edges.iter().enumerate().map(|(at, &edge)| (edge, at)).collect();
    let mut work: Vec<usize> = (0..edges.len()).collect();
    let mut queued = vec![true; edges.len()];
    while let Some(at) = work.pop() {
        queued[at] = false;
        let edge = &program.edges[edges[at]];
        let (from, to) = (nodes[&edge.from], nodes[&edge.to]);
        let mut changed = false;
        for word in 0..words {
            let mut need = live[to * words + word];
            if let Some(var) = written[at]
                && var / 64 == word
            {
                need &= !(1 << (var % 64));
            }
            for &var in reads[at].iter().filter(|&&var| var / 64 == word) {
                need |= 1 << (var % 64);
            }
            changed |= need & !live[from * words + word] != 0;
            live[from * words + word] |= need;
        }
        if changed {
            for before in program.entering(edge.from) {
                let before = position[before];
                if !std::mem::replace(&mut queued[before], true) {
                    work.push(before);
                }
            }
        }
    }
    for (at, &edge) in edges.iter().enumerate() {
        let (from, to) = (nodes[&program.edges[edge].from], nodes[&program.edges[edge].to]);
        for word in 0..words {
            let mut before = live[from * words + word];
            if let Some(var) = written[at]
                && var / 64 == word
            {
                before |= 1 << (var % 64);
            }
            let mut dying = before & !live[to * words + word];
            while dying != 0 {
                deaths[edge.index()].push(locals[word * 64 + dying.trailing_zeros() as usize]);
                dying &= dying - 1;
            }
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
