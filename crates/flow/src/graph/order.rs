//! Weak topological orders [Bou93]: the nodes in one sequence, cut into nested components that each begin with a
//! head. Every cycle contains the head of a component, whether or not the graph is reducible; where it is, heads are
//! the headers of its natural loops. Data-flow analyses iterate component by component.
//!
//! 1. Find the strongly connected components from the roots on.
//! 2. In topological order: a single node without a loop of its own is a vertex; of any other component, the node
//!    that the search met first is the head.
//! 3. Remove the head and decompose the rest, searching from the head's successors.

use super::{Graph, Tarjan};

/// One component of an [`TopologicalOrder`]: a range of the sequence that begins with the head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    /// The node that cuts the cycles which no inner component's head cuts.
    pub head: u32,
    /// Position of the head in the sequence.
    pub start: u32,
    /// One past the position of the last member.
    pub end: u32,
    /// The smallest component around it.
    pub parent: Option<u32>,
}

/// A weak topological order of a graph.
#[derive(Clone, Debug, Default)]
pub struct TopologicalOrder {
    /// All nodes.
    pub sequence: Vec<u32>,
    /// Outer components before inner ones, ascending by `start`.
    pub components: Vec<Component>,
}

enum Task {
    Vertex(u32),
    /// A component: its head and its other nodes.
    Open(u32, Vec<u32>, Option<u32>),
    Close(u32),
}

impl TopologicalOrder {
    /// The order that searches from the roots first, then from whatever they do not reach.
    pub fn new(graph: &Graph, roots: &[u32]) -> TopologicalOrder {
        let mut order = TopologicalOrder::default();
        let mut tarjan = Tarjan::new(graph.len());
        let mut scope = vec![0u32; graph.len()];
        let mut scopes = 0;
        let mut tasks = Vec::new();
        let all: Vec<u32> = roots.iter().copied().chain(0..graph.len() as u32).collect();
        decompose(graph, &mut tarjan, &all, |_| true, None, &mut tasks); // 1
        while let Some(task) = tasks.pop() {
            match task {
                Task::Vertex(node) => order.sequence.push(node), // 2
                Task::Open(head, rest, parent) => {
                    let id = order.components.len() as u32;
                    let start = order.sequence.len() as u32;
                    order.components.push(Component { head, start, end: start, parent });
                    order.sequence.push(head);
                    tasks.push(Task::Close(id));
                    // 3
                    scopes += 1;
                    for &node in &rest {
                        scope[node as usize] = scopes;
                    }
                    tarjan.forget(&rest);
                    let inside = |node: u32| scope[node as usize] == scopes && node != head;
                    decompose(graph, &mut tarjan, graph.successors(head), inside, Some(id), &mut tasks);
                }
                Task::Close(id) => order.components[id as usize].end = order.sequence.len() as u32,
            }
        }
        assert_eq!(order.sequence.len(), graph.len(), "each node has one place");
        debug_assert!(order.components.is_sorted_by_key(|component| component.start), "outer components come first");
        debug_assert!(order.components.iter().all(|one| one.start < one.end), "components have a head");
        debug_assert!(order.components.iter().all(|one| order.sequence[one.start as usize] == one.head));
        order
    }

    /// For every node the innermost component that holds it.
    pub fn innermost(&self) -> Vec<Option<u32>> {
        let mut innermost = vec![None; self.sequence.len()];
        for (id, component) in self.components.iter().enumerate() {
            // Inner components come later and overwrite outer ones.
            for at in component.start..component.end {
                innermost[self.sequence[at as usize] as usize] = Some(id as u32);
            }
        }
        innermost
    }
}

/// Pushes the components found from `starts` so that they are popped in topological order.
fn decompose(
    graph: &Graph,
    tarjan: &mut Tarjan,
    starts: &[u32],
    inside: impl Fn(u32) -> bool + Copy,
    parent: Option<u32>,
    tasks: &mut Vec<Task>,
) {
    // Components come successors first, and what an earlier start found comes after what a later one finds: popping
    // them gives a topological order.
    for &start in starts {
        tarjan.run(graph, start, inside, |found| {
            let head = *found.last().expect("components have a node");
            if found.len() == 1 && !graph.successors(head).contains(&head) {
                tasks.push(Task::Vertex(head));
            } else {
                tasks.push(Task::Open(head, found[..found.len() - 1].to_vec(), parent));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// `0 1 (2 3 (4 5)) 6`: heads open parentheses.
    fn check(nodes: usize, edges: &[(u32, u32)], expected: Expect) {
        let graph = Graph::new(nodes, edges);
        let order = TopologicalOrder::new(&graph, &[0]);
        let mut out = String::new();
        for at in 0..=order.sequence.len() as u32 {
            out.push_str(&")".repeat(order.components.iter().filter(|c| c.end == at).count()));
            if at > 0 {
                out.push(' ');
            }
            out.push_str(&"(".repeat(order.components.iter().filter(|c| c.start == at).count()));
            if let Some(node) = order.sequence.get(at as usize) {
                out.push_str(&node.to_string());
            }
        }
        expected.assert_eq(out.trim_end());
        every_cycle_has_a_head(&graph, &order);
    }

    fn every_cycle_has_a_head(graph: &Graph, order: &TopologicalOrder) {
        let head = |node: u32| order.components.iter().any(|c| c.head == node);
        let rest: Vec<(u32, u32)> = (0..graph.len() as u32)
            .flat_map(|from| graph.successors(from).iter().map(move |&to| (from, to)))
            .filter(|&(from, to)| !head(from) && !head(to))
            .collect();
        assert!(rest.iter().all(|(from, to)| from != to));
        assert_eq!(Graph::new(graph.len(), &rest).components().len(), graph.len());
    }

    #[test]
    fn nests_natural_loops() {
        // The example of [Bou93], from 0.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (1, 7), (2, 7), (4, 6), (5, 4), (6, 2)];
        check(8, &edges, expect!["0 1 (2 3 (4 5) 6) 7"]);
    }

    #[test]
    fn cuts_irreducible_cycles_and_own_loops() {
        check(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3), (3, 3)], expect!["0 (1 2) (3)"]);
        check(3, &[(1, 2), (2, 1)], expect!["(1 2) 0"]);
    }

    #[test]
    fn random_graphs() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for round in 0..300 {
            let nodes = 1 + random(12);
            let edges: Vec<(u32, u32)> =
                (0..random(2 * nodes + 1)).map(|_| (random(nodes) as u32, random(nodes) as u32)).collect();
            let graph = Graph::new(nodes as usize, &edges);
            let order = TopologicalOrder::new(&graph, &[0]);
            let mut sorted = order.sequence.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..nodes as u32).collect::<Vec<_>>(), "round {round}: {edges:?}");
            every_cycle_has_a_head(&graph, &order);
        }
    }
}
