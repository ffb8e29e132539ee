//! The abstract reachability graph as a picture, without any other tool. It is nearly a tree, so a tree is drawn.
//!
//! 1. Leaves stand where their layer is free, in the order of a walk from the root; 2. every other state stands above
//!    the middle of its children, or right of its layer's last one; 3. covered states are linked to those that cover
//!    them by dashed curves.

use base::markup;
use base::{AbstractState, Trail};
use cfa::{EdgeId, Node, Program};
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

/// The graph.
pub fn svg(program: &Program, trail: &Trail) -> String {
    let states: HashMap<u32, &AbstractState> = trail.states.iter().map(|state| (state.id, state)).collect();
    let (drawn, right) = arrange(program, trail, &states);
    let mut heights: Vec<usize> = Vec::new();
    for state in drawn.values() {
        if heights.len() <= state.layer {
            heights.resize(state.layer + 1, 0);
        }
        heights[state.layer] = heights[state.layer].max(state.lines.len() * LINE + 8);
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
    for state in &trail.states {
        draw(&mut text, program, &drawn, &tops, state);
    }
    if trail.more_states > 0 {
        writeln!(text, "<text x=\"4\" y=\"14\">{} more states</text>", trail.more_states)
            .expect("strings take all text");
    }
    text.push_str("</svg>\n");
    text
}

/// 1 and 2, without recursion: children first. Also how far the picture goes to the right.
fn arrange(program: &Program, trail: &Trail, states: &HashMap<u32, &AbstractState>) -> (HashMap<u32, Drawn>, usize) {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for state in &trail.states {
        if let Some((parent, _)) = state.parents.first() {
            children.entry(*parent).or_default().push(state.id);
        }
    }
    children.values_mut().for_each(|list| list.sort_unstable());
    let roots = trail.states.iter().filter(|state| state.parents.is_empty());
    let mut stack: Vec<(u32, usize, bool)> = roots.map(|state| (state.id, 0, false)).collect();
    let (mut drawn, mut right): (HashMap<u32, Drawn>, usize) = (HashMap::new(), GAP);
    // Where each layer is free.
    let mut free: Vec<usize> = Vec::new();
    while let Some((id, layer, done)) = stack.pop() {
        let below = children.get(&id).map_or(&[][..], Vec::as_slice);
        if !done {
            if free.len() <= layer {
                free.push(GAP);
            }
            stack.push((id, layer, true));
            stack.extend(below.iter().rev().map(|&child| (child, layer + 1, false)));
            continue;
        }
        let state = states[&id];
        let node = Node(state.location);
        let function = program.function_name(program.nodes[node].function);
        let mut lines = vec![format!("s{id} @ {function}:{node}")];
        lines.extend(state.knows.iter().cloned());
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) * LETTER + 12;
        let x = match (below.first(), below.last()) {
            (Some(first), Some(last)) => (drawn[first].x + drawn[last].x) / 2,
            _ => free[layer] + width / 2,
        };
        let x = x.max(free[layer] + width / 2);
        free[layer] = x + width / 2 + GAP;
        right = right.max(free[layer]);
        drawn.insert(id, Drawn { x, layer, lines, width });
    }
    (drawn, right)
}

fn draw(text: &mut String, program: &Program, drawn: &HashMap<u32, Drawn>, tops: &[usize], state: &AbstractState) {
    let Some(own) = drawn.get(&state.id) else { return };
    let (top, height) = (tops[own.layer], own.lines.len() * LINE + 8);
    let mut line = |line: String| writeln!(text, "{line}").expect("strings take all text");
    if let Some((parent, edge)) = state.parents.first()
        && let Some(above) = drawn.get(parent)
    {
        let (x, from) = (above.x, tops[above.layer] + above.lines.len() * LINE + 8);
        line(format!("<path d=\"M{x} {from} L{} {top}\" stroke=\"black\" fill=\"none\"/>", own.x));
        let op = markup(&program.op_text(&program.edges[EdgeId(*edge)].op));
        line(format!("<text x=\"{}\" y=\"{}\" fill=\"dimgrey\">{op}</text>", own.x + 4, top - 6));
    }
    if let Some(by) = state.covered_by.and_then(|by| drawn.get(&by)) {
        let to = tops[by.layer]; // 3
        line(format!(
            "<path d=\"M{} {top} C{} {top} {} {to} {} {to}\" stroke=\"grey\" stroke-dasharray=\"4\" fill=\"none\"/>",
            own.x,
            own.x + 60,
            by.x + 60,
            by.x
        ));
    }
    let fill = match (program.target_at(Node(state.location)).is_some(), state.covered_by.is_some()) {
        (true, _) => "salmon",
        (false, true) => "lightgrey",
        (false, false) => "white",
    };
    line(format!(
        "<rect x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{height}\" fill=\"{fill}\" stroke=\"black\"/>",
        own.x - own.width / 2,
        own.width
    ));
    for (at, words) in own.lines.iter().enumerate() {
        let (x, y) = (own.x - own.width / 2 + 6, top + (at + 1) * LINE);
        line(format!("<text x=\"{x}\" y=\"{y}\">{}</text>", markup(words)));
    }
}
