//! The abstract reachability graph as text, one state per line, in the order in which they were reached.

use base::{Trail, printable};
use cfa::{EdgeId, Node, Program};

/// Number, location, what the state knows (nothing: all values are possible), how it was reached first, and which state
/// covers it.
pub fn text(program: &Program, trail: &Trail) -> String {
    let mut lines: Vec<[String; 4]> = Vec::new();
    for state in &trail.states {
        let node = Node(state.location);
        let function = program.function_name(program.nodes[node].function);
        let facts: Vec<&str> = state.knows.iter().map(String::as_str).collect();
        let error = if program.target_at(node).is_some() { " (error)" } else { "" };
        let mut reached = String::new();
        if let Some((parent, edge)) = state.parents.first() {
            reached = format!("from s{parent} by {}", program.op_text(&program.edges[EdgeId(*edge)].op));
        }
        if let Some(by) = state.covered_by {
            reached += &format!(" covered by s{by}");
        }
        let cells = [format!("s{}", state.id), format!("{function}:{node}{error}"), facts.join(" and "), reached];
        lines.push(cells.map(|cell| printable(&cell).into_owned()));
    }
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let (id, place, facts) = (width(0), width(1), width(2));
    let line =
        |[a, b, c, d]: &[String; 4]| format!("{a:<id$}  {b:<place$}  {c:<facts$}  {d}").trim_end().to_owned() + "\n";
    let mut text: String = lines.iter().map(line).collect();
    if trail.more_states > 0 {
        text += &format!("{} more states\n", trail.more_states);
    }
    text
}
