//! The abstract reachability graph in Graphviz' language.

use base::Trail;
use cfa::{EdgeId, Node, Program};
use std::fmt::Write;

/// The graph: solid arrows for steps, dashed ones from covered to covering states.
pub fn dot(program: &Program, trail: &Trail) -> String {
    let mut text = "digraph arg {\n  node [shape=box, fontname=monospace];\n".to_owned();
    let mut line = |line: String| writeln!(text, "  {line}").expect("strings take all text");
    for state in &trail.states {
        let (id, node) = (state.id, Node(state.location));
        let function = program.function_name(program.nodes[node].function);
        let mut label = format!("s{id} @ {function}:{node}");
        for fact in &state.knows {
            label.push_str("\\l");
            label.push_str(&escape(fact));
        }
        let style = match (program.target_at(node).is_some(), state.covered_by.is_some()) {
            (true, _) => ", style=filled, fillcolor=salmon",
            (false, true) => ", style=filled, fillcolor=lightgrey",
            (false, false) => "",
        };
        line(format!("s{id} [label=\"{label}\\l\"{style}];"));
        for (parent, edge) in &state.parents {
            let op = escape(&program.op_text(&program.edges[EdgeId(*edge)].op));
            line(format!("s{parent} -> s{id} [label=\"{op}\"];"));
        }
        if let Some(by) = state.covered_by {
            line(format!("s{id} -> s{by} [style=dashed, constraint=false];"));
        }
    }
    if trail.more_states > 0 {
        line(format!("more [label=\"{} more states\", shape=plaintext];", trail.more_states));
    }
    text.push_str("}\n");
    text
}

fn escape(text: &str) -> String {
    base::printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}
