//! Recursion to a given depth: each recursive function gets one copy for every call of it that may be open at a time, and
//! the last of them cannot call any further. What is asked of the new program has no recursion in it.
//!
//! 1. Functions that call each other are copied together. Copies of one depth call those of the next one; the functions
//!    themselves are the copies of depth 0, which the rest of the program calls. So there are as many copies as the depth,
//!    however many calls there are.
//! 2. Calls that would go deeper are `Unsupported`: an analysis that can reach one cannot say TRUE.
//!
//! Executions of both programs correspond step by step up to there: an activation of the source at depth *d* is one of the
//! copy *d*, which is not called again before it has returned, so the variables of a copy are those of one activation.

use crate::copied::copy_function;
use base::Span;
use cfa::{EdgeId, FunctionId, Node, Op, Program};
use flow::{CallGraph, Prepared};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A program with recursion to a given depth.
pub struct Depths {
    /// Nodes, variables and expressions of the source keep their ids.
    pub program: Program,
    /// The recursive functions of the source.
    pub recursive: BTreeSet<FunctionId>,
    /// The nodes of copies, with those of the source that they stand for.
    pub origins: BTreeMap<Node, Node>,
    /// Where the calls are that would go deeper.
    pub too_deep: BTreeSet<Span>,
}

impl Depths {
    /// The program in which at most so many further calls of a recursive function are open at a time, or `None` if it would have more
    /// than `most_nodes` nodes.
    pub fn new(source: &Prepared, depth: usize, most_nodes: usize) -> Option<Depths> {
        assert!(source.termination.is_none(), "watches are about the nodes of the source");
        let calls = source.calls();
        let is_copied = |id: FunctionId| calls.is_reachable(id) && calls.is_recursive(id);
        let recursive: BTreeSet<FunctionId> = source.functions.ids().filter(|&id| is_copied(id)).collect();
        let copied = source.nodes.iter().filter(|(_, info)| recursive.contains(&info.function)).count();
        if source.nodes.len().saturating_add(copied.saturating_mul(depth)) > most_nodes {
            return None;
        }
        let (program, origins, too_deep) = (Program::clone(source), BTreeMap::new(), BTreeSet::new());
        let mut depths = Depths { program, recursive, origins, too_deep };
        for group in groups(&calls, &depths.recursive) {
            depths.copy(&group, depth);
        }
        depths.program.index();
        flow::find_loops(&mut depths.program);
        depths.program.assert_valid();
        Some(depths)
    }

    /// Copies functions that call each other.
    fn copy(&mut self, group: &[FunctionId], depth: usize) {
        let mut levels: Vec<FxHashMap<FunctionId, FunctionId>> = vec![group.iter().map(|&id| (id, id)).collect()];
        for _ in 0..depth {
            let mut level = FxHashMap::default();
            for &id in group {
                let copy = copy_function(&mut self.program, id);
                self.origins.extend(copy.nodes.into_iter().map(|(node, copy)| (copy, node)));
                level.insert(id, copy.function);
            }
            levels.push(level);
        }
        let at: FxHashMap<FunctionId, usize> =
            levels.iter().enumerate().flat_map(|(depth, level)| level.values().map(move |&id| (id, depth))).collect();
        let edges: Vec<EdgeId> = self.program.edges.ids().collect();
        for id in edges {
            let caller = self.program.nodes[self.program.edges[id].from].function;
            let Some(&depth) = at.get(&caller) else { continue };
            let Op::Call { function, .. } = &mut self.program.edges[id].op else { continue };
            let callee = *function;
            if !group.contains(&callee) {
                continue;
            }
            match levels.get(depth + 1) {
                Some(next) => *function = next[&callee],
                None => {
                    let what =
                        format!("recursion of `{}` deeper than {depth} calls", self.program.function_name(callee));
                    let what = self.program.names.intern(&what);
                    self.program.edges[id].op = Op::Unsupported(what);
                    self.too_deep.insert(self.program.edges[id].span);
                }
            }
        }
    }
}

/// Functions that call each other, of those that are recursive.
fn groups(calls: &CallGraph, recursive: &BTreeSet<FunctionId>) -> Vec<Vec<FunctionId>> {
    let groups = calls.bottom_up().map(|group| group.iter().map(|&id| FunctionId(id)).collect::<Vec<_>>());
    groups.filter(|group| group.iter().any(|id| recursive.contains(id))).collect()
}
