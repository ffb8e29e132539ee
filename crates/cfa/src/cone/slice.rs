//! The program without what does not matter. Every execution of the program that reaches a target is, step for step
//! without the removed steps, an execution of the slice.

use super::Cone;
use crate::op::Op;
use crate::program::{Edge, EdgeId, Program};
use base::{Id, IdVec};

impl Program {
    /// Removes what a cone says does not matter: assignments become `Skip`, branches go straight to where their sides
    /// meet again, nodes that reach no target have no leaving edges. Call [`Program::remove_dead`] to clean up.
    /// Edges get new ids, nodes keep theirs.
    pub fn slice(&mut self, cone: &Cone) {
        let old = std::mem::take(&mut self.edges);
        let count = old.len();
        let mut edges: Vec<Edge> = Vec::with_capacity(count);
        let mut last = None;
        for (at, mut edge) in old.into_iter().enumerate() {
            let id = EdgeId::new(at);
            if !cone.reaches_target(edge.from) {
                continue;
            }
            if !cone.matters(id) {
                match edge.op {
                    Op::Assume(_) => {
                        // Both edges of the branch become one.
                        if last == Some(edge.from) {
                            continue;
                        }
                        last = Some(edge.from);
                        let alone = self.leaving(edge.from).len() == 1;
                        match cone.control.meeting_point(edge.from) {
                            _ if alone => edge.op = Op::Skip,
                            Some(meet) if self.nodes[meet].function == self.nodes[edge.from].function => {
                                edge.to = meet;
                                edge.op = Op::Skip;
                            }
                            _ => edge.op = Op::Halt(None),
                        }
                        if self.functions[self.nodes[edge.from].function].exit == edge.to {
                            edge.op = Op::Return(None);
                        }
                    }
                    Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) | Op::CallPointer { .. } => {}
                    _ => edge.op = Op::Skip,
                }
            }
            edges.push(edge);
        }
        self.edges = IdVec::from(edges);
        self.index();
        self.assert_valid();
    }
}
