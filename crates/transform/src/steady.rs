//! Programs for guesses about executions that never end: inputs that stay the same are part of the state, and a set of
//! states at a place is a target.

use crate::lassos::moves_on;
use crate::register::add_register;
use base::Span;
use cfa::{Edge, ExprId, Node, NodeInfo, Op, Program, Question, Scalar, Source, Target, TargetKind, VarId, VarKind};

/// The program in which each place that asks for a number gets the same one each time, with these places in the order
/// in which executions choose their numbers, before anything else, and the registers that hold them. Nodes keep their
/// numbers. What other files define, and what clocks and random generators say, is as before.
pub fn steady(plain: &Program) -> (Program, Vec<(Node, VarId)>) {
    let mut program = plain.clone();
    let mut inputs: Vec<(Node, VarId)> = Vec::new();
    for id in program.edges.ids() {
        let Edge { from, op: Op::Havoc(var, source), .. } = program.edges[id] else { continue };
        let elsewhere = program.nodes[from].function == program.entry && matches!(source, Source::Extern(_));
        let Some(ty) = program.register(var).filter(|ty| ty.is_int()) else { continue };
        if elsewhere || moves_on(&program, id) {
            continue;
        }
        let name = format!("{} at all times", program.var_name(var));
        let input = add_register(&mut program, &name, VarKind::Temporary, None, ty);
        let value = program.exprs.var(input, ty);
        program.edges[id].op = Op::Assign(var, value);
        inputs.push((from, input));
    }
    let mut at = program.functions[program.entry].entry;
    for &(_, input) in inputs.iter().rev() {
        let from = program.nodes.push(NodeInfo { function: program.entry, loop_head: false });
        let op = Op::Havoc(input, Source::Uninitialised);
        program.edges.push(Edge { from, to: at, op, span: Span::default() });
        at = from;
    }
    program.functions[program.entry].entry = at;
    program.index();
    flow::find_loops(&mut program);
    program.assert_valid();
    (program, inputs)
}

/// The program in which the only target is a state at `head` in which a condition, one of its expressions, holds.
pub fn meeting(plain: &Program, head: Node, condition: ExprId) -> Program {
    assert_eq!(plain.exprs.ty(condition), Scalar::Bool, "states meet a truth value");
    let mut program = plain.clone();
    let function = program.nodes[head].function;
    let [behind, target] = [(); 2].map(|()| program.nodes.push(NodeInfo { function, loop_head: false }));
    let leaving: Vec<_> = plain.leaving(head).collect();
    let span = leaving.first().map_or(Span::default(), |&edge| plain.edges[edge].span);
    leaving.into_iter().for_each(|edge| program.edges[edge].from = behind);
    let other = program.exprs.not(condition);
    program.edges.push(Edge { from: head, to: target, op: Op::Assume(condition), span });
    program.edges.push(Edge { from: head, to: behind, op: Op::Assume(other), span });
    program.targets.push(Target::new(target, TargetKind::Label, span));
    program.question = Question::Targets;
    program.index();
    flow::find_loops(&mut program);
    program.assert_valid();
    program
}
