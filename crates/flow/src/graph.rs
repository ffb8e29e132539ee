//! Directed graphs on `0..n` as flat arrays, and the algorithms on them that several passes need. None recurses.

mod dominators;
mod order;

pub use dominators::Dominators;
pub use order::{Component, TopologicalOrder};

/// A directed graph: the successors of node `i` are one slice.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    offsets: Vec<u32>,
    successors: Vec<u32>,
}

impl Graph {
    /// The graph with these edges; successors keep the order of `edges`.
    pub fn new(nodes: usize, edges: &[(u32, u32)]) -> Graph {
        debug_assert!(edges.iter().all(|&(from, to)| from.max(to) < nodes as u32), "edges connect nodes of the graph");
        let mut offsets = vec![0u32; nodes + 1];
        for &(from, _) in edges {
            offsets[from as usize + 1] += 1;
        }
        for at in 0..nodes {
            offsets[at + 1] += offsets[at];
        }
        let mut next = offsets.clone();
        let mut successors = vec![0; edges.len()];
        for &(from, to) in edges {
            let slot = &mut next[from as usize];
            successors[*slot as usize] = to;
            *slot += 1;
        }
        debug_assert!(offsets.is_sorted(), "slices of successors follow each other");
        debug_assert_eq!(next[..nodes], offsets[1..], "every edge is some node's");
        Graph { offsets, successors }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The successors of a node.
    pub fn successors(&self, node: u32) -> &[u32] {
        &self.successors[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }

    /// The same edges, turned around.
    pub fn reversed(&self) -> Graph {
        let edges: Vec<(u32, u32)> =
            (0..self.len() as u32).flat_map(|from| self.successors(from).iter().map(move |&to| (to, from))).collect();
        Graph::new(self.len(), &edges)
    }

    /// Which nodes some root reaches.
    pub fn reachable(&self, roots: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut stack: Vec<u32> = roots.into_iter().collect();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                stack.extend(self.successors(node));
            }
        }
        seen
    }

    /// The strongly connected components.
    pub fn components(&self) -> Components {
        let mut tarjan = Tarjan::new(self.len());
        let mut component = vec![0; self.len()];
        let mut members = Vec::with_capacity(self.len());
        let mut starts = vec![0];
        for root in 0..self.len() as u32 {
            tarjan.run(
                self,
                root,
                |_| true,
                |found| {
                    for &node in found {
                        component[node as usize] = starts.len() as u32 - 1;
                    }
                    members.extend_from_slice(found);
                    starts.push(members.len() as u32);
                },
            );
        }
        assert_eq!(members.len(), self.len(), "each node is in one component");
        Components { component, members, starts }
    }
}

/// Strongly connected components, numbered so that edges between different ones lead to smaller numbers.
#[derive(Clone, Debug)]
pub struct Components {
    component: Vec<u32>,
    members: Vec<u32>,
    starts: Vec<u32>,
}

impl Components {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The component of a node.
    pub fn of(&self, node: u32) -> u32 {
        self.component[node as usize]
    }

    /// The nodes of a component; the one that the search met first is the last.
    pub fn members(&self, component: u32) -> &[u32] {
        &self.members[self.starts[component as usize] as usize..self.starts[component as usize + 1] as usize]
    }
}

/// Tarjan's algorithm [Tar72] with its own stack. State is kept over several roots.
struct Tarjan {
    /// 0: not visited. `DONE`: in a component that was reported.
    number: Vec<u32>,
    low: Vec<u32>,
    count: u32,
    path: Vec<u32>,
    /// Nodes being visited, each with the position of its next successor.
    calls: Vec<(u32, u32)>,
}

const DONE: u32 = u32::MAX;

impl Tarjan {
    fn new(nodes: usize) -> Tarjan {
        Tarjan { number: vec![0; nodes], low: vec![0; nodes], count: 0, path: Vec::new(), calls: Vec::new() }
    }

    /// Makes nodes unvisited again.
    fn forget(&mut self, nodes: &[u32]) {
        for &node in nodes {
            self.number[node as usize] = 0;
        }
    }

    fn enter(&mut self, node: u32) {
        debug_assert_eq!(self.number[node as usize], 0, "a node is entered once");
        self.count += 1;
        self.number[node as usize] = self.count;
        self.low[node as usize] = self.count;
        self.path.push(node);
        self.calls.push((node, 0));
    }

    /// Reports every component reached from `root` within the nodes `inside`, successors first.
    fn run(&mut self, graph: &Graph, root: u32, inside: impl Fn(u32) -> bool, mut report: impl FnMut(&[u32])) {
        if self.number[root as usize] != 0 || !inside(root) {
            return;
        }
        self.enter(root);
        while let Some((node, next)) = self.calls.last_mut() {
            let node = *node;
            if let Some(&to) = graph.successors(node).get(*next as usize) {
                *next += 1;
                if self.number[to as usize] == 0 && inside(to) {
                    self.enter(to);
                } else if self.number[to as usize] != 0 && self.number[to as usize] != DONE && inside(to) {
                    let seen = self.number[to as usize];
                    self.low[node as usize] = self.low[node as usize].min(seen);
                }
                continue;
            }
            self.calls.pop();
            if let Some(&(parent, _)) = self.calls.last() {
                self.low[parent as usize] = self.low[parent as usize].min(self.low[node as usize]);
            }
            debug_assert!(self.low[node as usize] <= self.number[node as usize], "a node reaches itself");
            if self.low[node as usize] == self.number[node as usize] {
                let start = self.path.iter().rposition(|&other| other == node).expect("the node is on the path");
                let mut found = self.path.split_off(start);
                found.reverse();
                for &member in &found {
                    self.number[member as usize] = DONE;
                }
                report(&found);
            }
        }
        debug_assert!(self.path.is_empty(), "every node of the path is in a component");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_successors_first() {
        let graph = Graph::new(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 3), (4, 0), (4, 5)]);
        let components = graph.components();
        assert_eq!(components.len(), 5);
        assert_eq!(components.of(1), components.of(2));
        assert!(components.of(3) < components.of(2) && components.of(2) < components.of(0));
        assert_eq!(components.members(components.of(1)), [2, 1]);
        assert_eq!(graph.reachable([1]), [false, true, true, true, false, false]);
        assert_eq!(graph.reversed().successors(1), [0, 2]);
    }

    #[test]
    fn long_chains_do_not_overflow() {
        let edges: Vec<(u32, u32)> = (0..300_000).map(|at| (at, at + 1)).chain([(300_000, 0)]).collect();
        assert_eq!(Graph::new(300_001, &edges).components().len(), 1);
    }
}
