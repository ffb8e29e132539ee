//! A picture of automata without any other tool: a layered drawing in the manner of Sugiyama [STT81].
//!
//! 1. Edges that lead back in the weak topological order are set aside; the rest is acyclic.
//! 2. A node's layer is the length of the longest path to it.
//! 3. Within layers, nodes are sorted by the mean position of their neighbours, some sweeps down and up.
//! 4. Nodes get coordinates, edges become curves with their operation next to them; the edges set aside pass at the
//!    right-hand side.

use crate::loops::Loops;
use base::markup;
use cfa::{FunctionId, Node, Program};
use std::collections::HashMap;
use std::fmt::Write;

const LAYER_HEIGHT: f64 = 70.0;
const CHAR_WIDTH: f64 = 6.2;
const RADIUS: f64 = 13.0;
const SWEEPS: usize = 8;
const LABEL_LENGTH: usize = 60;

struct Drawing {
    body: String,
    width: f64,
    height: f64,
}

/// The automata of these functions as an SVG picture, one below the other.
pub fn svg(program: &Program, functions: &[FunctionId]) -> String {
    let loops = Loops::new(program);
    let mut drawing = Drawing { body: String::new(), width: 200.0, height: 10.0 };
    for &function in functions {
        drawing.function(program, &loops, function);
    }
    let (width, height) = (drawing.width + 20.0, drawing.height + 10.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"monospace\" font-size=\"10\">\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" \
         refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker>\
         </defs>\n{}</svg>\n",
        drawing.body
    )
}

/// The layers of a function, and each node's position in its layer.
struct Layers {
    rows: Vec<Vec<Node>>,
    layer: HashMap<Node, usize>,
    place: HashMap<Node, usize>,
}

impl Layers {
    fn new(program: &Program, loops: &Loops, function: FunctionId) -> Layers {
        let mut layer: HashMap<Node, usize> = HashMap::new();
        let mut rows: Vec<Vec<Node>> = Vec::new();
        for &node in loops.order(function) {
            let forward = program.entering(node).iter().filter(|&&edge| {
                let from = program.edges[edge].from;
                loops.position(from) < loops.position(node) // 1
            });
            let at = forward.map(|&edge| layer[&program.edges[edge].from] + 1).max().unwrap_or(0); // 2
            layer.insert(node, at);
            rows.resize(rows.len().max(at + 1), Vec::new());
            rows[at].push(node);
        }
        let mut layers = Layers { rows, layer, place: HashMap::new() };
        for at in 0..layers.rows.len() {
            layers.number(at);
        }
        for sweep in 0..SWEEPS {
            for step in 0..layers.rows.len() {
                let at = if sweep % 2 == 0 { step } else { layers.rows.len() - 1 - step };
                layers.sort(program, at); // 3
            }
        }
        layers
    }

    fn number(&mut self, at: usize) {
        for (place, &node) in self.rows[at].iter().enumerate() {
            self.place.insert(node, place);
        }
    }

    fn sort(&mut self, program: &Program, at: usize) {
        let centre = |node: Node| {
            let before = program.entering(node).iter().map(|&edge| program.edges[edge].from);
            let after = program.leaving(node).map(|edge| program.edges[edge].to);
            let (sum, count) = before.chain(after).fold((0, 0), |(s, c), n| (s + self.place[&n] * 1000, c + 1));
            sum.checked_div(count).unwrap_or(self.place[&node] * 1000)
        };
        let mut keyed: Vec<(usize, Node)> = self.rows[at].iter().map(|&node| (centre(node), node)).collect();
        keyed.sort_by_key(|&(key, _)| key);
        self.rows[at] = keyed.into_iter().map(|(_, node)| node).collect();
        self.number(at);
    }
}

impl Drawing {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{text}").expect("strings take all text");
    }

    fn function(&mut self, program: &Program, loops: &Loops, function: FunctionId) {
        let layers = Layers::new(program, loops, function);
        let label = |edge| shortened(&program.op_text(&program.edges[edge].op));
        let slot = |node: Node| {
            let widest = program.leaving(node).map(|edge| label(edge).chars().count()).max().unwrap_or(0);
            (widest as f64 * CHAR_WIDTH * program.leaving(node).len().max(1) as f64).max(50.0) + 20.0
        };
        let top = self.height + 30.0;
        self.line(format_args!(
            "<text x=\"10\" y=\"{:.0}\" font-size=\"14\">{}</text>",
            top - 12.0,
            markup(program.function_name(function))
        ));
        let widths: Vec<f64> = layers.rows.iter().map(|row| row.iter().map(|&node| slot(node)).sum()).collect();
        let widest = widths.iter().copied().fold(200.0, f64::max);
        let mut at: HashMap<Node, (f64, f64)> = HashMap::new();
        for (row, (nodes, width)) in layers.rows.iter().zip(&widths).enumerate() {
            let mut x = 10.0 + (widest - width) / 2.0;
            for &node in nodes {
                at.insert(node, (x + slot(node) / 2.0, top + 20.0 + row as f64 * LAYER_HEIGHT)); // 4
                x += slot(node);
            }
        }
        let mut side = 0;
        for &node in loops.order(function) {
            for edge in program.leaving(node) {
                let (from, to) = (at[&node], at[&program.edges[edge].to]);
                let back = layers.layer[&program.edges[edge].to] <= layers.layer[&node];
                side += usize::from(back);
                let out = back.then_some(widest + 10.0 + side as f64 * 12.0);
                self.edge(from, to, out, &markup(&label(edge)));
            }
        }
        for &node in loops.order(function) {
            self.node(program, node, at[&node]);
        }
        self.width = self.width.max(widest + 30.0 + side as f64 * 12.0);
        self.height = top + 20.0 + layers.rows.len() as f64 * LAYER_HEIGHT;
    }

    /// A curve; one that is set aside passes at the horizontal position `out`.
    fn edge(&mut self, (x, y): (f64, f64), (to_x, to_y): (f64, f64), out: Option<f64>, label: &str) {
        let (start, end, half) = (y + RADIUS, to_y - RADIUS, LAYER_HEIGHT / 2.0);
        let (path, text_x, text_y) = match out {
            None => {
                let (low, high) = (start + half, end - half);
                let path = format!("M{x:.0} {start:.0}C{x:.0} {low:.0} {to_x:.0} {high:.0} {to_x:.0} {end:.0}");
                // Near the source, so that the labels of long edges stay with their branch.
                (path, x + (to_x - x) * 0.35, start + (end - start).min(LAYER_HEIGHT) * 0.5)
            }
            Some(out) => {
                let (right, to_right) = (x + RADIUS, to_x + RADIUS);
                let path = format!("M{right:.0} {y:.0}C{out:.0} {y:.0} {out:.0} {to_y:.0} {to_right:.0} {to_y:.0}");
                (path, right + 40.0, y + 12.0)
            }
        };
        self.line(format_args!("<path d=\"{path}\" fill=\"none\" stroke=\"black\" marker-end=\"url(#tip)\"/>"));
        self.line(format_args!(
            "<text x=\"{text_x:.0}\" y=\"{text_y:.0}\" text-anchor=\"middle\" fill=\"#114\">{label}</text>"
        ));
    }

    fn node(&mut self, program: &Program, node: Node, (x, y): (f64, f64)) {
        let info = &program.nodes[node];
        let fill = if program.target_at(node).is_some() { "tomato" } else { "white" };
        let function = &program.functions[info.function];
        let stroke = if [function.entry, function.exit].contains(&node) { 2 } else { 1 };
        self.line(format_args!(
            "<circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{RADIUS}\" fill=\"{fill}\" stroke=\"black\" \
             stroke-width=\"{stroke}\"/>"
        ));
        if info.loop_head {
            self.line(format_args!(
                "<circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{:.0}\" fill=\"none\" stroke=\"black\"/>",
                RADIUS - 2.0
            ));
        }
        self.line(format_args!(
            "<text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\" font-size=\"8\">{node}</text>",
            y + 3.0
        ));
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LABEL_LENGTH) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use cfa::testing::Build;
    use cfa::{FunctionId, Op};

    #[test]
    fn draws_every_node_and_edge() {
        let mut b = Build::new();
        let n = b.start(4);
        let yes = b.program.exprs.bool(true);
        b.branch(n[0], yes, n[1], n[2]);
        b.edge(n[1], n[0], Op::Skip);
        b.edge(n[2], n[3], Op::Return(None));
        let svg = super::svg(&b.finish(), &[FunctionId(0)]);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(svg.matches("marker-end").count(), 4);
        assert!(svg.contains(">[true]</text>") && svg.contains(">n3</text>"));
    }
}
