//! Graphviz export: one cluster per function, calls as dashed edges between them.

use crate::op::Op;
use crate::program::{FunctionId, Node, Program};
use std::fmt::Write;

/// The automata of these functions in Graphviz' language.
pub fn dot(program: &Program, functions: &[FunctionId]) -> String {
    let nodes = program.nodes_by_function();
    let mut out = String::from("digraph cfa {\n  node [shape=circle, fontname=\"monospace\", fontsize=10];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    let mut write = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    for &id in functions {
        let name = escaped(program.function_name(id));
        write(format!("  subgraph \"cluster_{id}\" {{\n    label=\"{name}\";"));
        for &node in &nodes[id] {
            write(format!("    {node}{};", dot_node_style(program, node)));
            for edge in program.leaving(node) {
                let edge = &program.edges[edge];
                let label = escaped(&program.op_text(&edge.op));
                write(format!("    {node} -> {} [label=\"{label}\"];", edge.to));
            }
        }
        write("  }".to_owned());
    }
    for (_, edge) in program.edges.iter() {
        let Op::Call { function, .. } = edge.op else { continue };
        if functions.contains(&function) && functions.contains(&program.nodes[edge.from].function) {
            let entry = program.functions[function].entry;
            write(format!("  {} -> {entry} [style=dashed, color=gray, constraint=false];", edge.from));
        }
    }
    out + "}\n"
}

fn dot_node_style(program: &Program, node: Node) -> String {
    let info = &program.nodes[node];
    let function = &program.functions[info.function];
    let mut style = String::new();
    let mut add = |text: &str| write!(style, " [{text}]").expect("strings take all text");
    if program.target_at(node).is_some() {
        add("style=filled, fillcolor=tomato");
    }
    if info.loop_head {
        add("shape=doublecircle");
    }
    if node == function.entry || node == function.exit {
        add("penwidth=2");
    }
    style
}

/// What stands between quotes in Graphviz' language.
fn escaped(text: &str) -> String {
    base::printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::dot;
    use crate::op::Op;
    use crate::program::FunctionId;
    use crate::testing::Build;
    use expect_test::expect;

    #[test]
    fn clusters_and_calls() {
        let mut b = Build::new();
        let n = b.start(2);
        b.edge(n[0], n[1], Op::Call { function: FunctionId(1), args: Box::default(), result: None });
        let m = b.function("f", 2);
        let what = b.program.names.intern("a \"b\"");
        b.edge(m[0], m[1], Op::Unsupported(what));
        expect![[r#"
            digraph cfa {
              node [shape=circle, fontname="monospace", fontsize=10];
              edge [fontname="monospace", fontsize=10];
              subgraph "cluster_fn0" {
                label="start";
                n0 [penwidth=2];
                n0 -> n1 [label="f();"];
                n1 [penwidth=2];
              }
              subgraph "cluster_fn1" {
                label="f";
                n2 [penwidth=2];
                n2 -> n3 [label="unsupported \"a \"b\"\";"];
                n3 [penwidth=2];
              }
              n0 -> n2 [style=dashed, color=gray, constraint=false];
            }
        "#]]
        .assert_eq(&dot(&b.finish(), &[FunctionId(0), FunctionId(1)]));
    }
}
