//! Pictures of an ARG without any other tool. The ARG is a tree but for covering, so a tree is drawn.
//!
//! 1. Leaves stand where their layer is free, in the order of a walk from the root; 2. every other node stands above the
//!    middle of its children, or right of its layer's last one; 3. covered nodes are linked to those that cover them by dashed curves.

use crate::arg::{Arg, ArgId};
use cfa::Program;
use std::collections::HashMap;
use std::fmt::Write;

const LINE: usize = 15;
const LETTER: usize = 7;
const GAP: usize = 24;
const BETWEEN_LAYERS: usize = 46;

struct Drawn {
    x: usize,
    layer: usize,
    lines: Vec<String>,
    width: usize,
}

impl<S> Arg<S> {
    /// The graph as SVG; `describe` says what a state knows, one line each.
    pub fn svg(&self, program: &Program, describe: &dyn Fn(&S) -> Vec<String>) -> String {
        let mut drawn = HashMap::new();
        let mut right = GAP;
        if !self.is_empty() {
            self.arrange(program, describe, &mut drawn, &mut right);
        }
        let mut heights: Vec<usize> = Vec::new();
        for node in drawn.values() {
            if heights.len() <= node.layer {
                heights.resize(node.layer + 1, 0);
            }
            heights[node.layer] = heights[node.layer].max(node.lines.len() * LINE + 8);
        }
        let mut tops = vec![GAP];
        for height in &heights {
            tops.push(tops[tops.len() - 1] + height + BETWEEN_LAYERS);
        }
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{right}\" height=\"{}\" font-family=\"monospace\" \
             font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            tops[tops.len() - 1]
        );
        for id in self.ids() {
            self.draw(&mut text, program, &drawn, &tops, id);
        }
        text.push_str("</svg>\n");
        text
    }

    /// 1 and 2, without recursion: children first.
    fn arrange(
        &self,
        program: &Program,
        describe: &dyn Fn(&S) -> Vec<String>,
        drawn: &mut HashMap<ArgId, Drawn>,
        right: &mut usize,
    ) {
        let mut stack = vec![(self.root(), 0, false)];
        // Where each layer is free.
        let mut free: Vec<usize> = Vec::new();
        while let Some((id, layer, done)) = stack.pop() {
            let mut children: Vec<ArgId> = self.children(id).filter(|child| !self.is_removed(*child)).collect();
            children.sort_unstable();
            if !done {
                if free.len() <= layer {
                    free.push(GAP);
                }
                stack.push((id, layer, true));
                stack.extend(children.iter().rev().map(|&child| (child, layer + 1, false)));
                continue;
            }
            let place = self.place(id);
            let function = program.function_name(program.nodes[place.node].function);
            let mut lines = vec![format!("{id} @ {function}:{}", place.node)];
            lines.extend(describe(self.state(id)));
            let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) * LETTER + 12;
            let x = match (children.first(), children.last()) {
                (Some(first), Some(last)) => (drawn[first].x + drawn[last].x) / 2,
                _ => free[layer] + width / 2,
            };
            let x = x.max(free[layer] + width / 2);
            free[layer] = x + width / 2 + GAP;
            *right = (*right).max(free[layer]);
            drawn.insert(id, Drawn { x, layer, lines, width });
        }
    }

    fn draw(&self, text: &mut String, program: &Program, drawn: &HashMap<ArgId, Drawn>, tops: &[usize], id: ArgId) {
        let Some(node) = drawn.get(&id) else { return };
        let (top, height) = (tops[node.layer], node.lines.len() * LINE + 8);
        let mut line = |line: String| writeln!(text, "{line}").expect("strings take all text");
        if let Some((parent, edge)) = self.parent(id)
            && let Some(above) = drawn.get(&parent)
        {
            let (x, from) = (above.x, tops[above.layer] + above.lines.len() * LINE + 8);
            line(format!("<path d=\"M{x} {from} L{} {top}\" stroke=\"black\" fill=\"none\"/>", node.x));
            let op = escape(&program.op_text(&program.edges[edge].op));
            line(format!("<text x=\"{}\" y=\"{}\" fill=\"dimgrey\">{op}</text>", node.x + 4, top - 6));
        }
        if let Some(by) = self.covered_by(id).and_then(|by| drawn.get(&by)) {
            let to = tops[by.layer]; // 3
            line(format!(
                "<path d=\"M{} {top} C{} {top} {} {to} {} {to}\" stroke=\"grey\" stroke-dasharray=\"4\" fill=\"none\"/>",
                node.x,
                node.x + 60,
                by.x + 60,
                by.x
            ));
        }
        let fill = match (program.target_at(self.place(id).node).is_some(), self.covered_by(id).is_some()) {
            (true, _) => "salmon",
            (_, true) => "lightgrey",
            (false, false) => "white",
        };
        line(format!(
            "<rect x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{height}\" fill=\"{fill}\" stroke=\"black\"/>",
            node.x - node.width / 2,
            node.width
        ));
        for (at, words) in node.lines.iter().enumerate() {
            let (x, y) = (node.x - node.width / 2 + 6, top + (at + 1) * LINE);
            line(format!("<text x=\"{x}\" y=\"{y}\">{}</text>", escape(words)));
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
