//! Operations: how an edge changes a path formula.

use crate::Encoder;
use crate::input::EventKind;
use crate::memory::suffix;
use crate::path::PathFormula;
use crate::slot::{Slot, SlotKind, slot_name};
use crate::sort::sort_of;
use cfa::{EdgeId, FunctionId, Op, Source, VarId};
use smt::TermId;

impl Encoder<'_> {
    /// The path after an edge that is not a call; `None` if nothing goes on: the condition is plainly false, or the
    /// program ends. `depth` counts the activations of the edge's function below the current one.
    pub fn step(&mut self, mut path: PathFormula, edge: EdgeId, depth: u32) -> Option<PathFormula> {
        let program = self.program;
        match &program.edges[edge].op {
            Op::Skip => {}
            Op::Free(pointer) => self.freed(&mut path, *pointer, depth),
            Op::End(pointer) => self.ends(&mut path, *pointer, depth),
            Op::Assume(condition) => {
                let condition = self.eval(&mut path, *condition, depth);
                return self.assume(path, condition);
            }
            Op::Assign(var, value) => {
                let value = self.eval(&mut path, *value, depth);
                let slot = self.register(*var, depth);
                self.set(&mut path, slot, value);
            }
            Op::Havoc(var, source) => self.havoc(&mut path, edge, *var, *source, depth),
            Op::Init(var) => {
                self.init(&mut path, *var);
                self.written_static(&mut path, *var);
            }
            Op::Declare(var) => {
                self.declare(&mut path, *var, depth, false);
                self.begins(&mut path, *var, depth);
                self.unwritten_local(&mut path, *var, depth);
            }
            Op::Store { to, value } => {
                // Where it is may depend on what it was.
                let bytes = self.exprs.ty(*value).bytes(program.model);
                self.mark_written(&mut path, *to, Some(bytes), depth);
                let value = self.eval(&mut path, *value, depth);
                let target = self.target(&mut path, *to, depth);
                self.store(&mut path, target, value, depth);
            }
            Op::Copy { to, from, size } => {
                self.copy_written(&mut path, *to, *from, *size, depth);
                self.copy(&mut path, *to, *from, *size, depth);
            }
            Op::Fill { to, byte, size } => {
                self.mark_written(&mut path, *to, self.constant_size(*size), depth);
                self.fill(&mut path, *to, *byte, *size, depth);
            }
            Op::HavocMemory { to, size, .. } => {
                match size {
                    Some(size) => self.mark_written(&mut path, *to, self.constant_size(*size), depth),
                    None => self.mark_object(&mut path, *to, depth),
                }
                self.havoc_memory(&mut path, *to, *size, depth);
            }
            Op::Allocate { result, size, how } => self.allocate(&mut path, edge, *result, *size, *how, depth),
            Op::Return(value) => {
                let result = program.functions[program.nodes[program.edges[edge].from].function].result;
                if let (Some(value), Some(result)) = (value, result) {
                    let value = self.eval(&mut path, *value, depth);
                    let slot = self.register(result, depth);
                    self.set(&mut path, slot, value);
                }
            }
            Op::Library { function, args, result } => {
                for &at in function.writes() {
                    // An execution knows what the function writes.
                    self.havoc_object(&mut path, args[at], depth);
                }
                if let Some(result) = result {
                    let ty = program.register(*result).expect("results are registers");
                    let value = self.arbitrary_of(ty);
                    let slot = self.register(*result, depth);
                    self.set(&mut path, slot, value);
                }
            }
            Op::Halt(_) | Op::Unsupported(_) => return None,
            Op::Call { .. } | Op::CallPointer { .. } => unreachable!("calls are entered and left"),
        }
        Some(path)
    }

    /// The path at the entry of a called function.
    pub fn enter(&mut self, mut path: PathFormula, call: EdgeId, caller_depth: u32, depth: u32) -> PathFormula {
        let program = self.program;
        let Op::Call { function, args, .. } = &program.edges[call].op else { unreachable!("the edge is a call") };
        let values: Vec<TermId> = args.iter().map(|arg| self.eval(&mut path, *arg, caller_depth)).collect();
        self.activate(&mut path, *function, depth);
        for (param, value) in program.functions[*function].params.iter().zip(values) {
            let slot = self.register(*param, depth);
            self.set(&mut path, slot, value);
        }
        path
    }

    /// Locals of a new activation are arbitrary.
    pub(crate) fn activate(&mut self, path: &mut PathFormula, function: FunctionId, depth: u32) {
        let program = self.program;
        for &var in self.model.clone().stale[function].iter() {
            let ty = program.register(var).expect("only registers are stale");
            let value = self.arbitrary_of(ty);
            let slot = self.register(var, depth);
            self.set(path, slot, value);
        }
        for &var in &program.functions[function].locals {
            if flow::uses::size_of(program, var).is_some() {
                self.declare(path, var, depth, true);
                self.begins(path, var, depth);
                self.unwritten_local(path, var, depth);
            }
        }
    }

    /// The path after a call, from the exit of the called function.
    pub fn leave(&mut self, mut path: PathFormula, call: EdgeId, caller_depth: u32, depth: u32) -> PathFormula {
        let Op::Call { function, result, .. } = &self.program.edges[call].op else {
            unreachable!("the edge is a call")
        };
        if let (Some(to), Some(from)) = (*result, self.program.functions[*function].result) {
            let from = self.register(from, depth);
            let value = self.value(&path, from);
            let to = self.register(to, caller_depth);
            self.set(&mut path, to, value);
        }
        self.end_locals(&mut path, *function, depth);
        self.clear_roots(&mut path, *function, depth);
        path
    }

    /// The slot of a register variable.
    pub fn register(&mut self, var: VarId, depth: u32) -> Slot {
        let depth = self.depth_of(var, depth);
        let program = self.program;
        self.slots.slot(SlotKind::Register(var, depth), || {
            let ty = program.register(var).expect("the variable is a register");
            (format!("{}{}", slot_name(program, var), suffix(depth)), sort_of(program.model, ty))
        })
    }

    /// Globals exist once, whatever the depth is.
    pub(crate) fn depth_of(&self, var: VarId, depth: u32) -> u32 {
        if self.program.vars[var].function.is_some() { depth } else { 0 }
    }

    fn havoc(&mut self, path: &mut PathFormula, edge: EdgeId, var: VarId, source: Source, depth: u32) {
        let ty = self.program.register(var).expect("only registers are made arbitrary");
        let value = self.input(edge, ty, sort_of(self.program.model, ty));
        self.event(path, EventKind::Input { edge, source, ty, value });
        let slot = self.register(var, depth);
        self.set(path, slot, value);
    }
}
