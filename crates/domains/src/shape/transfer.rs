//! What each operation does to a graph. Where a segment is in the way of a memory access, its end becomes a plain object
//! first, which gives several graphs. What cannot be followed ends the analysis, with its position.

use super::assume::Learner;
use super::eval::{Scope, slot};
use super::graph::{Graph, address};
use super::object::{Blank, Content, GraphObject, Shape};
use super::split::split;
use super::value::{End, Name, Pointer, Value};
use super::{Kept, ShapeAnalysis};
use analysis::{Move, Step};
use base::Span;
use cfa::{Allocation, ExprId, FunctionId, Op, Program, Scalar, Storage, VarId, VarKind};
use std::rc::Rc;
use verdict::Stop;

/// Deeper recursion is not followed.
const DEEPEST: u32 = 12;

/// One application of the transfer relation.
pub struct Transfer<'a, 'p> {
    pub analysis: &'a ShapeAnalysis<'p>,
    pub step: &'a Step,
}

impl<'p> Transfer<'_, 'p> {
    fn program(&self) -> &'p Program {
        self.analysis.program
    }

    fn span(&self) -> Span {
        self.program().edges[self.step.edge].span
    }

    fn stop<T>(&self, what: &str) -> Result<T, Stop> {
        Err(Stop::Undecided { what: what.to_owned(), span: self.span() })
    }

    fn scope<'g>(&self, graph: &'g Graph) -> Scope<'g>
    where
        'p: 'g,
    {
        Scope { program: self.program(), graph, depth: self.step.from_depth }
    }

    fn eval(&self, graph: &Graph, expr: ExprId) -> Value {
        self.scope(graph).eval(expr)
    }

    fn slot(&self, var: VarId) -> (VarId, u32) {
        slot(self.program(), var, self.step.from_depth)
    }

    /// The graphs after the step.
    pub fn run(&self, from: &Graph) -> Result<Vec<Graph>, Stop> {
        let edge = &self.program().edges[self.step.edge];
        if self.step.kind == Move::Leave {
            let mut graph = from.clone();
            if let Op::Call { function, result, .. } = &edge.op {
                self.leave(&mut graph, *function, *result);
            }
            return Ok(vec![graph]);
        }
        let mut next = Vec::new();
        for mut graph in self.expose(from, &edge.op)? {
            let possible = match (&edge.op, self.step.kind) {
                (Op::Call { function, args, .. }, _) => {
                    self.enter(&mut graph, *function, args)?;
                    true
                }
                (op, _) => {
                    let possible = self.operation(&mut graph, op)?;
                    self.bury(&mut graph);
                    possible
                }
            };
            if possible {
                next.push(graph);
            }
        }
        Ok(next)
    }

    /// The graphs that stand for `from` in which nothing that the operation accesses is a segment.
    fn expose(&self, from: &Graph, op: &Op) -> Result<Vec<Graph>, Stop> {
        let accessed: Vec<ExprId> = match *op {
            Op::Store { to, .. } | Op::Fill { to, .. } | Op::HavocMemory { to, .. } | Op::Free(to) | Op::End(to) => {
                vec![to]
            }
            Op::Copy { to, from, .. } => vec![to, from],
            Op::Library { function, ref args, .. } => function.writes().iter().map(|&at| args[at]).collect(),
            Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) => Vec::new(),
            Op::Allocate { .. } | Op::Call { .. } | Op::CallPointer { .. } | Op::Return(_) => Vec::new(),
            Op::Halt(_) | Op::Unsupported(_) => Vec::new(),
        };
        let (mut done, mut open) = (Vec::new(), vec![from.clone()]);
        while let Some(graph) = open.pop() {
            if done.len() + open.len() > self.analysis.options.most_graphs {
                return self.stop("there are too many shapes");
            }
            match self.in_the_way(&graph, op, &accessed) {
                Some(pointer) => {
                    debug_assert!(graph.is_segment(pointer.to), "only segments are in the way");
                    open.extend(split(&graph, pointer.to, pointer.end, self.analysis.width));
                }
                None => done.push(graph),
            }
        }
        Ok(done)
    }

    fn in_the_way(&self, graph: &Graph, op: &Op, accessed: &[ExprId]) -> Option<Pointer> {
        for operand in op.operands() {
            match self.scope(graph).values(operand) {
                Err(pointer) => return Some(pointer),
                Ok(values) => {
                    if let Some(Value::Pointer(pointer)) = values.get(&operand)
                        && accessed.contains(&operand)
                        && graph.is_segment(pointer.to)
                    {
                        return Some(*pointer);
                    }
                }
            }
        }
        None
    }

    /// Forgets registers that are never read again.
    fn bury(&self, graph: &mut Graph) {
        for &var in self.analysis.liveness.deaths(self.step.edge) {
            // In C, a variable that is never read again still exists, and the memory that it points to is not lost.
            let keeps = matches!(graph.register(self.slot(var)), Value::Pointer(Pointer { to: Name::Heap(_), .. }));
            let named = !matches!(self.program().vars[var].kind, VarKind::Temporary | VarKind::Result);
            if !(self.analysis.asks_heap && keeps && named) {
                graph.set(self.slot(var), Value::TOP);
            }
        }
    }

    /// Whether there is a successor.
    fn operation(&self, graph: &mut Graph, op: &Op) -> Result<bool, Stop> {
        match *op {
            Op::Skip => {}
            Op::Halt(_) => return Ok(false),
            Op::Assume(condition) => {
                let learner = Learner { program: self.program(), depth: self.step.from_depth };
                return Ok(learner.assume(graph, condition, true));
            }
            Op::Assign(var, expr) => {
                let value = self.eval(graph, expr);
                graph.set(self.slot(var), value);
            }
            Op::Havoc(var, _) => graph.set(self.slot(var), Value::TOP),
            Op::Init(var) => self.init(graph, var),
            Op::Declare(var) => self.declare(graph, self.slot(var)),
            Op::Store { to, value } => {
                let width = self.program().exprs.ty(value).bytes(self.program().model);
                let value = self.stored(graph, value);
                self.change(graph, to, Some(width), &mut |content, at, width| content.write(at, width, value.clone()))?;
            }
            Op::Copy { to, from, size } => self.copy(graph, (to, from), size)?,
            Op::Fill { to, byte, size } => {
                let (byte, size) = (self.eval(graph, byte).constant(), self.size(graph, size));
                let whole =
                    self.target(graph, to).and_then(|pointer| Some((pointer.at, graph.objects.get(&pointer.to)?.size)));
                let clears = byte == Some(0) && size.is_some() && whole == size.map(|size| (0, size));
                self.change(graph, to, size, &mut |content, at, width| {
                    if clears {
                        *content = Content::new(Blank::Zero);
                    } else {
                        content.forget(at, width);
                    }
                })?;
            }
            Op::HavocMemory { to, size, .. } => match size {
                Some(size) => {
                    let size = self.size(graph, size);
                    self.change(graph, to, size, &mut |content, at, width| content.forget(at, width))?;
                }
                None => self.forget_object(graph, to)?,
            },
            Op::Allocate { result, size, how } => self.allocate(graph, result, size, how)?,
            Op::Free(pointer) => self.free(graph, pointer)?,
            Op::End(pointer) => self.end(graph, pointer)?,
            Op::Return(value) => {
                let function = self.program().nodes[self.step.from.node].function;
                if let Some(result) = self.program().functions[function].result {
                    let value = value.map_or(Value::TOP, |value| self.eval(graph, value));
                    graph.set(self.slot(result), value);
                }
            }
            Op::Library { function, ref args, result } => {
                for &at in function.writes() {
                    self.forget_object(graph, args[at])?;
                }
                if let Some(result) = result {
                    graph.set(self.slot(result), Value::TOP);
                }
            }
            Op::Call { .. } | Op::CallPointer { .. } => return self.stop("a call through a pointer"),
            Op::Unsupported(_) => return self.stop("C that is not modelled"),
        }
        Ok(true)
    }

    /// What is known of a value in memory.
    fn stored(&self, graph: &Graph, value: ExprId) -> Value {
        match (self.analysis.options.kept, self.program().exprs.ty(value)) {
            (Kept::Links, Scalar::Bool | Scalar::Int { .. } | Scalar::Float(_)) => Value::TOP,
            (Kept::All, _) | (Kept::Links, Scalar::Ptr) => self.eval(graph, value),
        }
    }

    fn size(&self, graph: &Graph, expr: ExprId) -> Option<u64> {
        u64::try_from(self.eval(graph, expr).constant()?).ok()
    }

    fn target(&self, graph: &Graph, to: ExprId) -> Option<Pointer> {
        match self.eval(graph, to) {
            Value::Pointer(pointer) => Some(pointer),
            Value::In(_) | Value::Not(_) | Value::Function(_) => None,
        }
    }

    /// Changes `size` bytes of one object. Nothing lies at null; an access to anything else that is not inside a known
    /// object may change whatever an unknown pointer leads to.
    fn change(
        &self,
        graph: &mut Graph,
        to: ExprId,
        size: Option<u64>,
        change: &mut dyn FnMut(&mut Content, u64, u64),
    ) -> Result<(), Stop> {
        match self.eval(graph, to) {
            value if value.constant() == Some(0) => Ok(()),
            Value::Pointer(pointer) => {
                let Some(size) = size else { return self.stop("a write of unknown size") };
                match graph.content_mut(pointer, size) {
                    Some((content, at)) => {
                        change(content, at, size);
                        Ok(())
                    }
                    None => self.stop("a write outside its object"),
                }
            }
            Value::In(_) | Value::Not(_) | Value::Function(_) => self.stop("a write through an unknown pointer"),
        }
    }

    /// The whole object becomes arbitrary.
    fn forget_object(&self, graph: &mut Graph, to: ExprId) -> Result<(), Stop> {
        match self.eval(graph, to) {
            value if value.constant() == Some(0) => Ok(()),
            Value::Pointer(pointer) => {
                let whole = Pointer { at: 0, ..pointer };
                match graph.content_mut(whole, 0) {
                    Some((content, _)) => {
                        *content = Content::new(Blank::Arbitrary);
                        Ok(())
                    }
                    None => self.stop("a write to a list of unknown length"),
                }
            }
            Value::Function(_) => Ok(()),
            Value::In(_) | Value::Not(_) => self.stop("a write through an unknown pointer"),
        }
    }

    fn copy(&self, graph: &mut Graph, (to, from): (ExprId, ExprId), size: ExprId) -> Result<(), Stop> {
        let size = self.size(graph, size);
        let known = self.target(graph, from).zip(size).and_then(|(source, size)| {
            let (content, start) = graph.content(source, size)?;
            let inside = content.cells.range(start..start + size);
            let cells = inside.filter(|(at, (width, _))| **at + width <= start + size);
            Some(cells.map(|(at, (width, value))| (at - start, *width, value.clone())).collect::<Vec<_>>())
        });
        self.change(graph, to, size, &mut |content, at, width| {
            content.forget(at, width);
            for (offset, width, value) in known.iter().flatten() {
                content.write(at + offset, *width, value.clone());
            }
        })
    }

    fn declare(&self, graph: &mut Graph, (var, depth): (VarId, u32)) {
        if let Storage::Memory { size, .. } = self.program().vars[var].storage {
            let object = GraphObject { size, shape: Shape::Plain(Content::new(Blank::Arbitrary)) };
            graph.objects.insert(Name::Var(var, depth), Rc::new(object));
        }
    }

    /// A global gets its static initial bytes: zeros, then the cells of its initialiser.
    fn init(&self, graph: &mut Graph, var: VarId) {
        let variable = &self.program().vars[var];
        let Storage::Memory { size, .. } = variable.storage else { return };
        let mut content = Content::new(Blank::Zero);
        for cell in &variable.init {
            let width = self.program().exprs.ty(cell.value).bytes(self.program().model);
            content.write(cell.offset, width, self.eval(graph, cell.value));
        }
        graph.objects.insert(Name::Var(var, 0), Rc::new(GraphObject { size, shape: Shape::Plain(content) }));
    }

    fn allocate(&self, graph: &mut Graph, result: VarId, size: ExprId, how: Allocation) -> Result<(), Stop> {
        let blank = match how {
            Allocation::Heap => Blank::Arbitrary,
            Allocation::HeapZeroed => Blank::Zero,
            Allocation::Stack | Allocation::Resize(_) => {
                return self.stop("memory that is resized or ends with a call");
            }
        };
        let Some(size) = self.size(graph, size) else { return self.stop("memory of unknown size") };
        let name = graph.add(GraphObject { size, shape: Shape::Plain(Content::new(blank)) });
        graph.set(self.slot(result), address(name, End::First));
        Ok(())
    }

    fn free(&self, graph: &mut Graph, pointer: ExprId) -> Result<(), Stop> {
        match self.eval(graph, pointer) {
            value if value.constant() == Some(0) => Ok(()),
            Value::Pointer(Pointer { to: to @ Name::Heap(_), end: _, at: 0 }) => {
                graph.kill(&|name| name == to);
                Ok(())
            }
            Value::Pointer(_) | Value::Function(_) | Value::In(_) | Value::Not(_) => {
                self.stop("memory is freed that may be any, or none")
            }
        }
    }

    /// The scope of a stack object ends.
    fn end(&self, graph: &mut Graph, pointer: ExprId) -> Result<(), Stop> {
        match self.eval(graph, pointer) {
            Value::Pointer(Pointer { to, .. }) => {
                graph.kill(&|name| name == to);
                Ok(())
            }
            Value::Function(_) | Value::In(_) | Value::Not(_) => {
                self.stop("an object goes out of scope that may be any")
            }
        }
    }

    fn enter(&self, graph: &mut Graph, function: FunctionId, args: &[ExprId]) -> Result<(), Stop> {
        if self.step.to_depth > DEEPEST {
            return Err(Stop::Bound(format!("recursion is deeper than {DEEPEST}")));
        }
        let callee = &self.program().functions[function];
        assert_eq!(callee.params.len(), args.len(), "an argument for each parameter");
        let values: Vec<Value> = args.iter().map(|&arg| self.eval(graph, arg)).collect();
        self.bury(graph);
        for (&param, value) in callee.params.iter().zip(values) {
            graph.set(slot(self.program(), param, self.step.to_depth), value);
        }
        for &var in &callee.locals {
            self.declare(graph, slot(self.program(), var, self.step.to_depth));
        }
        Ok(())
    }

    fn leave(&self, graph: &mut Graph, function: FunctionId, result: Option<VarId>) {
        let callee = &self.program().functions[function];
        let depth = self.step.from_depth;
        let program = self.program();
        let of_callee = |var: VarId| program.vars[var].function == Some(function);
        // First objects, since the result may be the address of one.
        graph.kill(&|name| matches!(name, Name::Var(var, at) if at == depth && of_callee(var)));
        let value = callee.result.map_or(Value::TOP, |var| graph.register(self.slot(var)));
        for &var in &callee.locals {
            graph.set(self.slot(var), Value::TOP);
        }
        if let Some(result) = result {
            let dead = self.analysis.liveness.deaths(self.step.edge).contains(&result);
            graph.set(slot(program, result, self.step.to_depth), if dead { Value::TOP } else { value });
        }
    }
}
