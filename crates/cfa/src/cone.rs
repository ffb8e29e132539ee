//! The cone of influence: what can decide whether an execution reaches a target (or an `Unsupported` edge, which
//! counts as one). A backward slice [Wei81] over control and data dependence, through calls, without contexts:
//!
//! 1. Only nodes matter from which a target is reachable.
//! 2. Targets matter.
//! 3. If something in a function matters, calls of the function matter.
//! 4. If an edge matters, so do the variables and memory regions that it reads, and all edges that write those.
//! 5. If an edge matters, so does every branch that decides whether it is executed (control dependence [FOW87]).
//!    An `assume` and a call that may not come back decide about all that follows them; whether the call comes back
//!    is whether the callee's exit is reached.
//!
//! Questions about living objects read what every allocation, `free` and end of a scope writes.
//!
//! Termination is no matter: what follows a loop does not depend on the loop's condition if nothing in the loop
//! matters, so a slice reaches at least what the program reaches.

use crate::expr::{Expr, ExprId, Living};
use crate::op::Op;
use crate::points_to::PointsTo;
use crate::program::{EdgeId, FunctionId, Node, Program, VarId};
use crate::regions::{RegionId, Regions};
use base::{Id, IdVec};
use control::Control;

mod control;
mod slice;

/// What can influence reaching a target.
#[derive(Clone, Debug)]
pub struct Cone {
    reaching: Vec<bool>,
    edges: Vec<bool>,
    vars: Vec<bool>,
    regions: Vec<bool>,
    control: Control,
}

impl Cone {
    /// The cone of all targets.
    pub fn new(program: &Program, points_to: &PointsTo, regions: &Regions) -> Cone {
        let mut finder = Finder::new(program, points_to, regions);
        finder.run();
        finder.cone
    }

    /// Whether a path, through calls and returns, leads from the node to a target or an `Unsupported` edge.
    pub fn reaches_target(&self, node: Node) -> bool {
        self.reaching[node.index()]
    }

    /// Whether the edge can influence reaching a target.
    pub fn matters(&self, edge: EdgeId) -> bool {
        self.edges[edge.index()]
    }

    /// Whether the variable's value can influence reaching a target.
    pub fn variable_matters(&self, var: VarId) -> bool {
        self.vars[var.index()]
    }

    /// Whether the bytes of a region can influence reaching a target.
    pub fn region_matters(&self, region: RegionId) -> bool {
        self.regions[region.index()]
    }
}

impl Program {
    /// The nodes from which a path, through calls and returns, leads to a target or an `Unsupported` edge.
    pub fn reaching_target(&self) -> Vec<bool> {
        let mut calls: IdVec<FunctionId, Vec<EdgeId>> = IdVec::filled(self.functions.len(), Vec::new());
        let taken = self.address_taken_functions();
        let mut stack: Vec<Node> = self.targets.iter().map(|target| target.node).collect();
        let mut callees: Vec<Vec<FunctionId>> = vec![Vec::new(); self.edges.len()];
        for (id, edge) in self.edges.iter() {
            match edge.op {
                Op::Call { function, .. } => callees[id.index()].push(function),
                Op::CallPointer { .. } => callees[id.index()].clone_from(&taken),
                Op::Unsupported(_) => stack.push(edge.from),
                _ => {}
            }
            for &callee in &callees[id.index()] {
                calls[callee].push(id);
            }
        }
        let mut reaching = vec![false; self.nodes.len()];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut reaching[node.index()], true) {
                continue;
            }
            for &edge in self.entering(node) {
                match self.edges[edge].op {
                    Op::Halt(_) => {}
                    // The callee's exit leads here; the call's source follows if the callee can return.
                    Op::Call { .. } | Op::CallPointer { .. } => {
                        stack.extend(callees[edge.index()].iter().map(|&callee| self.functions[callee].exit));
                    }
                    _ => stack.push(self.edges[edge].from),
                }
            }
            let function = self.nodes[node].function;
            if self.functions[function].entry == node {
                stack.extend(calls[function].iter().map(|&edge| self.edges[edge].from));
            }
        }
        reaching
    }
}

struct Finder<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    memory: &'a Regions,
    cone: Cone,
    /// By node: whether a leaving edge matters.
    nodes: Vec<bool>,
    /// Edges that matter and were not followed yet.
    queue: Vec<EdgeId>,
    writers: IdVec<VarId, Vec<EdgeId>>,
    region_writers: Vec<Vec<EdgeId>>,
    calls: IdVec<FunctionId, Vec<EdgeId>>,
    called: Vec<bool>,
    seen: Vec<bool>,
}

impl<'a> Finder<'a> {
    fn new(program: &'a Program, points_to: &'a PointsTo, memory: &'a Regions) -> Finder<'a> {
        let mut finder = Finder {
            program,
            points_to,
            memory,
            cone: Cone {
                reaching: program.reaching_target(),
                edges: vec![false; program.edges.len()],
                vars: vec![false; program.vars.len()],
                regions: vec![false; memory.regions.len()],
                control: Control::new(program),
            },
            nodes: vec![false; program.nodes.len()],
            queue: Vec::new(),
            writers: IdVec::filled(program.vars.len(), Vec::new()),
            region_writers: vec![Vec::new(); memory.regions.len()],
            calls: IdVec::filled(program.functions.len(), Vec::new()),
            called: vec![false; program.functions.len()],
            seen: vec![false; program.exprs.len()],
        };
        for id in program.edges.ids() {
            finder.index(id);
        }
        finder
    }

    fn index(&mut self, id: EdgeId) {
        let edge = &self.program.edges[id];
        let function = &self.program.functions[self.program.nodes[edge.from].function];
        if let Some(var) = edge.op.variable() {
            self.writers[var].push(id);
        }
        match &edge.op {
            Op::Call { function, .. } => {
                self.calls[*function].push(id);
                let callee = &self.program.functions[*function];
                for &param in &callee.params {
                    self.writers[param].push(id);
                }
            }
            Op::Return(_) => {
                if let Some(result) = function.result {
                    self.writers[result].push(id);
                }
            }
            // Reading from a freed object gives anything.
            Op::Free(pointer) => {
                for region in self.memory.block(self.points_to, *pointer, None) {
                    self.region_writers[region.index()].push(id);
                }
            }
            _ => {}
        }
        for region in self.memory.written(self.program, self.points_to, id) {
            self.region_writers[region.index()].push(id);
        }
    }

    fn run(&mut self) {
        for target in &self.program.targets {
            self.node(target.node); // 2
        }
        let mut pointer_calls = false;
        for id in self.program.edges.ids() {
            match self.program.edges[id].op {
                Op::Unsupported(_) => self.edge(id),
                Op::CallPointer { .. } => {
                    pointer_calls = true;
                    self.edge(id);
                }
                _ => {}
            }
        }
        if pointer_calls {
            for function in self.program.address_taken_functions() {
                if let Some(result) = self.program.functions[function].result {
                    self.variable(result);
                }
            }
        }
        loop {
            while let Some(edge) = self.queue.pop() {
                self.follow(edge);
            }
            // 5
            let deciding = self.cone.control.deciding(self.program, &self.nodes);
            if deciding.is_empty() {
                return;
            }
            for node in deciding {
                self.decide(node);
            }
        }
    }

    fn edge(&mut self, id: EdgeId) {
        let from = self.program.edges[id].from;
        // 1
        if !self.cone.reaching[from.index()] || std::mem::replace(&mut self.cone.edges[id.index()], true) {
            return;
        }
        self.node(from);
        self.queue.push(id);
    }

    fn node(&mut self, node: Node) {
        self.nodes[node.index()] = true;
        let function = self.program.nodes[node].function;
        if !std::mem::replace(&mut self.called[function.index()], true) {
            for call in self.calls[function].clone() {
                self.edge(call); // 3
            }
        }
    }

    /// A node's edges decide whether something that matters is executed.
    fn decide(&mut self, node: Node) {
        for id in self.program.leaving(node) {
            self.edge(id);
            if let Op::Call { function, .. } = self.program.edges[id].op {
                self.node(self.program.functions[function].exit);
            }
        }
    }

    fn follow(&mut self, id: EdgeId) {
        let program = self.program;
        let edge = &program.edges[id];
        let function = program.nodes[edge.from].function;
        match &edge.op {
            // Only arguments whose parameters matter are read: see `variable`.
            Op::Call { function, args, .. } => {
                let params = &program.functions[*function].params;
                for (&arg, &param) in args.iter().zip(params) {
                    if self.cone.vars[param.index()] {
                        self.reads(arg);
                    }
                }
                if let Some(result) = program.functions[*function].result.filter(|_| self.result_matters(id)) {
                    self.variable(result);
                }
            }
            Op::Return(value) => {
                let matters = program.functions[function].result.is_some_and(|var| self.cone.vars[var.index()]);
                if let Some(value) = value.filter(|_| matters) {
                    self.reads(value);
                }
            }
            Op::Halt(_) => {}
            Op::Copy { from, size, .. } => {
                let size = program.exprs.constant(*size).and_then(|size| u64::try_from(size).ok());
                for region in self.memory.block(self.points_to, *from, size) {
                    self.region(region);
                }
                edge.op.operands().for_each(|operand| self.reads(operand));
            }
            Op::Allocate { how: crate::op::Allocation::Resize(old), .. } => {
                for region in self.memory.block(self.points_to, *old, None) {
                    self.region(region);
                }
                edge.op.operands().for_each(|operand| self.reads(operand));
            }
            op => op.operands().for_each(|operand| self.reads(operand)),
        }
    }

    fn result_matters(&self, call: EdgeId) -> bool {
        self.program.edges[call].op.variable().is_some_and(|var| self.cone.vars[var.index()])
    }

    /// Step 4.
    fn reads(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut self.seen[id.index()], true) {
                continue;
            }
            let node = self.program.exprs.node(id);
            match node {
                Expr::Var(var) => self.variable(var),
                Expr::Load(pointer) => {
                    let width = self.program.exprs.ty(id).bytes(self.program.model);
                    if let Some(region) = self.memory.access(pointer, width) {
                        self.region(region);
                    }
                }
                Expr::Living(question) => self.living(question),
                _ => {}
            }
            stack.extend(node.operands());
        }
    }

    /// What lives depends on all operations that begin or end a life; what is reachable on everything.
    fn living(&mut self, question: Living) {
        let all = question == Living::Tracked;
        for id in self.program.edges.ids() {
            match self.program.edges[id].op {
                Op::Allocate { .. } | Op::Free(_) | Op::End(_) | Op::Declare(_) => self.edge(id),
                _ if all => self.edge(id),
                _ => {}
            }
        }
        if all {
            self.program.vars.ids().for_each(|var| self.variable(var));
            self.memory.regions.ids().for_each(|region| self.region(region));
        }
    }

    fn variable(&mut self, var: VarId) {
        if std::mem::replace(&mut self.cone.vars[var.index()], true) {
            return;
        }
        for writer in self.writers[var].clone() {
            if self.cone.edges[writer.index()] {
                // It mattered before; now it reads more.
                self.queue.push(writer);
            }
            self.edge(writer);
        }
    }

    fn region(&mut self, region: RegionId) {
        if !std::mem::replace(&mut self.cone.regions[region.index()], true) {
            for writer in std::mem::take(&mut self.region_writers[region.index()]) {
                self.edge(writer);
            }
        }
    }
}

#[cfg(test)]
mod tests;
