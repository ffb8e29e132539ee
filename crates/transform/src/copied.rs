//! A second function that does the same as a first one, with variables of its own.

use base::Id;
use cfa::{Edge, FunctionId, Node, Program, Target, VarId};
use rustc_hash::FxHashMap;

/// A copy of a function.
pub(crate) struct Copied {
    /// The new function.
    pub function: FunctionId,
    /// Its nodes, by those of the first.
    pub nodes: FxHashMap<Node, Node>,
}

/// Copies a function with its locals, edges and targets; whom it calls stays the same. The program is to be indexed again.
pub(crate) fn copy_function(program: &mut Program, id: FunctionId) -> Copied {
    let mut function = program.functions[id].clone();
    let new = FunctionId::new(program.functions.len());
    let mut vars: FxHashMap<VarId, VarId> = FxHashMap::default();
    let mut exprs = FxHashMap::default();
    for &var in &function.locals {
        let mut variable = program.vars[var].clone();
        variable.function = Some(new);
        let copy = program.vars.push(variable);
        let (old, new) = match program.register(var) {
            Some(ty) => (program.exprs.var(var, ty), program.exprs.var(copy, ty)),
            None => (program.exprs.addr(var), program.exprs.addr(copy)),
        };
        exprs.insert(old, new);
        vars.insert(var, copy);
    }
    let of = |var: VarId| vars.get(&var).copied().unwrap_or(var);
    let own: Vec<Node> = program.nodes.ids().filter(|&node| program.nodes[node].function == id).collect();
    let mut nodes: FxHashMap<Node, Node> = FxHashMap::default();
    for node in own {
        let mut info = program.nodes[node];
        info.function = new;
        nodes.insert(node, program.nodes.push(info));
    }
    let edges: Vec<Edge> =
        program.edges.iter().filter(|(_, edge)| nodes.contains_key(&edge.from)).map(|(_, edge)| edge.clone()).collect();
    for edge in edges {
        let op = edge.op.map_operands(|operand| program.exprs.substitute(operand, &mut exprs));
        let op = op.map_variable(of);
        program.edges.push(Edge { from: nodes[&edge.from], to: nodes[&edge.to], op, span: edge.span });
    }
    let targets: Vec<Target> =
        program.targets.iter().filter(|target| nodes.contains_key(&target.node)).copied().collect();
    program.targets.extend(targets.into_iter().map(|target| Target { node: nodes[&target.node], ..target }));
    function.params.iter_mut().chain(&mut function.locals).chain(&mut function.result).for_each(|var| *var = of(*var));
    function.entry = nodes[&function.entry];
    function.exit = nodes[&function.exit];
    Copied { function: program.functions.push(function), nodes }
}
