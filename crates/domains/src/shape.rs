//! Shapes of lists of unknown length: symbolic memory graphs with segments of singly or doubly linked lists [DPV13], as
//! a configurable program analysis. A state is one graph; unlike canonical abstraction [SRW02], in which one summary
//! node stands for all objects of a kind, a segment knows the order of its nodes, as list predicates do [DOY06].
//!
//! At loop heads neighbours in a list that are alike are folded into a segment; where a segment is accessed, a node is
//! taken from it again. Without folding, the graphs of one path are those of its executions, as far as data is known.
//! What cannot be followed ends the analysis of the path without a verdict.

mod assume;
mod cover;
mod eval;
mod export;
mod fold;
mod graph;
mod object;
mod split;
mod transfer;
mod value;

use analysis::{Cpa, Place, Step, Watches};
use cfa::{Expr, ExprId, Living, Program, Storage};
use flow::{Liveness, Prepared};
pub use fold::Folding;
use graph::Graph;
use object::{Blank, Content, GraphObject, Shape};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use value::Name;
use verdict::Stop;

/// Settings of the analysis.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How much is folded at loop heads, if anything.
    pub folding: Option<Folding>,
    /// What is kept of memory.
    pub kept: Kept,
    /// More heap objects in one graph end the analysis.
    pub most_objects: usize,
    /// More graphs from one graph in one step end the analysis.
    pub most_graphs: usize,
    /// States at a loop head before those that differ in data only are joined.
    pub patience: u32,
}

/// What a graph says of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Data and addresses.
    All,
    /// Addresses: where lists lead.
    Links,
}

/// The shape analysis of one program.
pub struct ShapeAnalysis<'p> {
    program: &'p Program,
    options: Options,
    liveness: Arc<Liveness>,
    /// Bytes of a pointer.
    width: u64,
    /// Whether the program asks which heap objects live.
    asks_heap: bool,
    /// States at each loop head so far.
    filed: FxHashMap<Place, u32>,
}

impl<'p> ShapeAnalysis<'p> {
    /// The analysis of a program whose pointer calls are resolved.
    pub fn new(program: &'p Prepared, options: Options) -> Self {
        let width = u64::from(program.model.pointer_bits() / 8);
        let asks = |id: ExprId| {
            matches!(program.exprs.node(id), Expr::Living(Living::Heap | Living::NoHeap | Living::Tracked))
        };
        let asks_heap = program.exprs.ids().any(asks);
        Self { program, options, liveness: program.liveness(), width, asks_heap, filed: FxHashMap::default() }
    }
}

impl Cpa for ShapeAnalysis<'_> {
    type State = Rc<Graph>;
    type Precision = ();

    fn initial(&mut self) -> Rc<Graph> {
        let mut graph = Graph { lost: !self.asks_heap, ..Graph::default() };
        let entry = &self.program.functions[self.program.entry];
        for (var, variable) in self.program.vars.iter() {
            let exists = variable.function.is_none() || entry.locals.contains(&var);
            if let (true, Storage::Memory { size, .. }) = (exists, variable.storage) {
                let object = GraphObject { size, shape: Shape::Plain(Content::new(Blank::Arbitrary)) };
                graph.objects.insert(Name::Var(var, 0), Rc::new(object));
            }
        }
        Rc::new(graph)
    }

    fn post(&mut self, from: &Rc<Graph>, step: &Step, _precision: &(), next: &mut Vec<Rc<Graph>>) -> Result<(), Stop> {
        for mut graph in (transfer::Transfer { analysis: self, step }).run(from)? {
            graph.tidy();
            if let (true, Some(folding)) = (self.program.nodes[step.to.node].loop_head, self.options.folding) {
                fold::fold(&mut graph, folding, self.width);
            }
            if graph.heap_size() > self.options.most_objects {
                return Err(Stop::Bound(format!("more than {} objects in one shape", self.options.most_objects)));
            }
            let graph = Rc::new(graph);
            if !next.contains(&graph) {
                next.push(graph);
            }
        }
        Ok(())
    }

    fn merge(&mut self, new: &Rc<Graph>, old: &Rc<Graph>, at: Place) -> Result<Option<Rc<Graph>>, Stop> {
        let many = self.filed.get(&at).is_some_and(|&filed| filed > self.options.patience);
        if !many || !self.program.nodes[at.node].loop_head {
            return Ok(None);
        }
        Ok(cover::join(new, old).map(Rc::new))
    }

    fn covers(&mut self, old: &Rc<Graph>, new: &Rc<Graph>) -> Result<bool, Stop> {
        Ok(old == new || cover::covers(old, new, self.width))
    }
}

impl Watches for ShapeAnalysis<'_> {
    fn filed(&mut self, _state: &Rc<Graph>, at: Place) {
        *self.filed.entry(at).or_default() += 1;
    }

    fn cleared(&mut self) {
        self.filed.clear();
    }
}

analysis::without! { ShapeAnalysis<'_>: StepsOver, Settles, Filing, ForcesCover, Tells }

#[cfg(test)]
mod laws;
