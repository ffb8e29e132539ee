//! Pictures of an ARG in Graphviz' language.

use crate::arg::Arg;
use cfa::Program;
use std::fmt::Write;

impl<S> Arg<S> {
    /// The graph: solid arrows for steps, dashed ones from covered to covering nodes. `describe` says what a state
    /// knows, one line each.
    pub fn dot(&self, program: &Program, describe: &dyn Fn(&S) -> Vec<String>) -> String {
        let mut text = "digraph arg {\n  node [shape=box, fontname=monospace];\n".to_owned();
        let mut line = |line: String| writeln!(text, "  {line}").expect("strings take all text");
        for id in self.ids() {
            let place = self.place(id);
            let function = program.function_name(program.nodes[place.node].function);
            let mut label = format!("{id} @ {function}:{}", place.node);
            for fact in describe(self.state(id)) {
                label.push_str("\\l");
                label.push_str(&fact.replace('\\', "\\\\").replace('"', "\\\""));
            }
            let style = match (program.target_at(place.node).is_some(), self.covered_by(id).is_some()) {
                (true, _) => ", style=filled, fillcolor=salmon",
                (_, true) => ", style=filled, fillcolor=lightgrey",
                (false, false) => "",
            };
            line(format!("{id} [label=\"{label}\\l\"{style}];"));
            for (parent, edge) in self.parents(id) {
                let op = program.op_text(&program.edges[edge].op).replace('\\', "\\\\").replace('"', "\\\"");
                line(format!("{parent} -> {id} [label=\"{op}\"];"));
            }
            if let Some(by) = self.covered_by(id) {
                line(format!("{id} -> {by} [style=dashed, constraint=false];"));
            }
        }
        text.push_str("}\n");
        text
    }
}
