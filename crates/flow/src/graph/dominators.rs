//! Dominators by iteration over a reverse postorder [CHK01].

use super::Graph;

/// The dominator tree of a graph from one root.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Position in the reverse postorder; `None` for what the root does not reach.
    rank: Vec<Option<u32>>,
    /// By rank, the rank of the immediate dominator; the root's own is 0.
    parent: Vec<u32>,
    nodes: Vec<u32>,
}

impl Dominators {
    /// 1. Number nodes in reverse postorder.
    /// 2. Until nothing changes, make each node's immediate dominator the nearest common ancestor, in the tree so
    ///    far, of its predecessors.
    pub fn new(graph: &Graph, root: u32) -> Dominators {
        assert!((root as usize) < graph.len(), "the root is a node");
        let nodes = reverse_postorder(graph, root); // 1
        assert_eq!(nodes.first(), Some(&root), "the root is left last");
        let mut rank = vec![None; graph.len()];
        for (at, &node) in nodes.iter().enumerate() {
            rank[node as usize] = Some(at as u32);
        }
        let mut edges = Vec::new();
        for (at, &node) in nodes.iter().enumerate() {
            edges.extend(graph.successors(node).iter().filter_map(|&to| Some((rank[to as usize]?, at as u32))));
        }
        let predecessors = Graph::new(nodes.len(), &edges);
        const UNKNOWN: u32 = u32::MAX;
        let mut parent = vec![UNKNOWN; nodes.len()];
        parent[0] = 0;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for at in 1..nodes.len() as u32 {
                let known = predecessors.successors(at).iter().copied().filter(|&p| parent[p as usize] != UNKNOWN);
                let meet = known.reduce(|a, b| common_ancestor(&parent, a, b)); // 2
                let meet = meet.expect("a node's predecessor in the search comes before it");
                changed |= std::mem::replace(&mut parent[at as usize], meet) != meet;
            }
        }
        debug_assert!((1..parent.len()).all(|at| (parent[at] as usize) < at), "dominators come first in the order");
        Dominators { rank, parent, nodes }
    }

    /// The immediate dominator; `None` for the root and for what it does not reach.
    pub fn immediate(&self, node: u32) -> Option<u32> {
        let rank = self.rank[node as usize].filter(|&rank| rank != 0)?;
        Some(self.nodes[self.parent[rank as usize] as usize])
    }

    /// Whether every path from the root to `node` passes `by`. Nodes dominate themselves; what is not reached is
    /// dominated by nothing.
    pub fn dominates(&self, by: u32, node: u32) -> bool {
        let (Some(by), Some(mut at)) = (self.rank[by as usize], self.rank[node as usize]) else { return false };
        while at > by {
            at = self.parent[at as usize];
        }
        at == by
    }
}

fn common_ancestor(parent: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        if a > b {
            a = parent[a as usize];
        } else {
            b = parent[b as usize];
        }
    }
    a
}

fn reverse_postorder(graph: &Graph, root: u32) -> Vec<u32> {
    let mut seen = vec![false; graph.len()];
    let mut order = Vec::new();
    let mut stack = vec![(root, 0)];
    seen[root as usize] = true;
    while let Some((node, next)) = stack.last_mut() {
        match graph.successors(*node).get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By definition: `by` dominates `node` iff `node` is not reached once `by` is removed.
    #[test]
    fn agree_with_the_definition_on_random_graphs() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let nodes = 1 + random(9) as u32;
            let edges: Vec<(u32, u32)> =
                (0..random(20)).map(|_| (random(u64::from(nodes)) as u32, random(u64::from(nodes)) as u32)).collect();
            let graph = Graph::new(nodes as usize, &edges);
            let dominators = Dominators::new(&graph, 0);
            let reached = graph.reachable([0]);
            for by in 0..nodes {
                let without: Vec<(u32, u32)> = edges.iter().copied().filter(|&(a, b)| a != by && b != by).collect();
                let left = Graph::new(nodes as usize, &without).reachable([0]);
                for node in 0..nodes {
                    let expected = reached[node as usize] && (by == node || by == 0 || !left[node as usize]);
                    assert_eq!(dominators.dominates(by, node), expected, "{by} {node} {edges:?}");
                }
            }
        }
    }
}
