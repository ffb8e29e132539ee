//! The path through the graph to one state after the other. The next one often begins like the one before: what both have
//! in common stays, so that a path costs as many steps as it adds.

use crate::arg::ArgId;
use crate::place::{Stacks, Step};
use crate::reached::Reached;
use base::Id;
use cfa::{EdgeId, Program};

/// No position.
const NOWHERE: u32 = u32::MAX;

/// A path from the root.
#[derive(Default)]
pub struct ErrorPath {
    /// The steps of control.
    pub steps: Vec<Step>,
    /// The nodes that they lead to.
    pub nodes: Vec<ArgId>,
    /// So many steps at the beginning are the same as at the time of [`ErrorPath::looked_at`].
    kept: usize,
    /// By position whether the path has left no call since that it was in there. How a path gets to such a node does not
    /// depend on what comes after it.
    settled: Vec<bool>,
    /// By node its position, if it is still there.
    positions: Vec<u32>,
    generation: u64,
    /// Where calls share their exploration, a path has stacks of its own.
    stacks: Option<Stacks>,
}

impl ErrorPath {
    /// Leads to another node of the same reached set:
    ///
    /// 1. backwards along first parents, until the path before is met; after a shared call on to the callee's exit, and
    ///    from the callee's entry to the state before that call, no matter which caller came first;
    /// 2. forwards again.
    pub fn lead_to<S: Clone + PartialEq>(&mut self, program: &Program, reached: &Reached<S>, target: ArgId) {
        let arg = &reached.arg;
        if self.generation != arg.generation() {
            *self = Self { generation: arg.generation(), ..Self::default() };
        }
        let mut found = Vec::new();
        let mut pending = Vec::new();
        let mut at = target;
        let common = loop {
            // 1
            let settled = pending.is_empty();
            if let Some(position) = self.position(at).filter(|_| settled) {
                break position + 1;
            }
            let Some((parent, edge)) = arg.parent(at) else { break 0 };
            let (kind, before, edge) = match &reached.contexts {
                Some(contexts) => contexts.step_back(program, arg, (parent, edge, at), &mut pending),
                None => {
                    let step = reached.stacks.step_between(program, arg.place(parent), edge, arg.place(at));
                    (step.kind, parent, edge)
                }
            };
            found.push((kind, edge, at, settled));
            at = before;
        };
        self.steps.truncate(common);
        self.nodes.truncate(common);
        self.settled.truncate(common);
        self.kept = self.kept.min(common);
        for (kind, edge, node, settled) in found.into_iter().rev() {
            // 2
            let from = self.steps.last().map_or_else(|| reached.stacks.start(program), |step| step.to);
            let step = match &reached.contexts {
                Some(contexts) => {
                    let stacks = self.stacks.get_or_insert_with(|| contexts.stacks(program));
                    stacks.follow(program, from, kind, edge)
                }
                None => reached.stacks.step(kind, edge, from, arg.place(node)),
            };
            if settled {
                self.positions.resize(self.positions.len().max(node.index() + 1), NOWHERE);
                self.positions[node.index()] = self.steps.len() as u32;
            }
            self.steps.push(step);
            self.nodes.push(node);
            self.settled.push(settled);
        }
    }

    fn position(&self, node: ArgId) -> Option<usize> {
        let position = *self.positions.get(node.index())? as usize;
        (self.nodes.get(position) == Some(&node) && self.settled[position]).then_some(position)
    }

    /// How many steps at the beginning are the same as at the time of [`ErrorPath::looked_at`].
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// Notes that the whole path has been looked at.
    pub fn looked_at(&mut self) {
        self.kept = self.steps.len();
    }

    /// The last step.
    pub fn last(&self) -> &Step {
        self.steps.last().expect("a target is not the root")
    }

    /// The node that it leads to.
    pub fn target(&self) -> ArgId {
        *self.nodes.last().expect("a target is not the root")
    }

    /// Its edges.
    pub fn edges(&self) -> Vec<EdgeId> {
        self.steps.iter().map(|step| step.edge).collect()
    }

    /// Whether another path takes the same steps to the same nodes.
    pub fn is_like(&self, other: &ErrorPath) -> bool {
        let step = |step: &Step| (step.kind, step.edge, step.from_depth, step.to_depth);
        self.nodes == other.nodes && self.steps.iter().map(step).eq(other.steps.iter().map(step))
    }
}
