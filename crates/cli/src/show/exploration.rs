//! What the analysis went through, for the page: coverage, abstract states, what is tracked, refinements.

use super::FinishedRun;
use super::html::{heading, table};
use base::markup;
use base::{Tracked, Trail};
use cfa::{EdgeId, FunctionKind, Node, Program};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use verdict::Verdict;

/// Longer labels are cut.
const LONGEST_LABEL: usize = 80;
/// Longer lines of states are cut.
const LONGEST_LINE: usize = 160;
/// Of what a state knows, at most so many lines.
const SHOWN_LINES: usize = 24;
/// More items of one refinement are counted only.
const SHOWN_ITEMS: usize = 40;

/// Lines of code by file, and those of them that were explored.
pub struct Coverage {
    /// Lines that became edges.
    pub code: BTreeMap<String, BTreeSet<u32>>,
    /// Those that the analysis reached.
    pub reached: BTreeMap<String, BTreeSet<u32>>,
    functions: (usize, usize),
    proved: bool,
}

impl Coverage {
    /// `None` if what was reached was not recorded.
    pub fn new(found: &FinishedRun) -> Option<Coverage> {
        let (program, trail) = (found.program, &found.outcome.counters.trail);
        let path: HashSet<Node> = match &found.outcome.verdict {
            Verdict::Unsafe(found) => found.path.iter().map(|&edge| program.edges[edge].from).collect(),
            Verdict::Safe(_) | Verdict::Unknown(_) => HashSet::new(),
        };
        if !trail.knows_coverage() && path.is_empty() {
            return None;
        }
        let reached = |node: Node| trail.has_reached(node) || path.contains(&node);
        let explored = lines(program, &reached);
        let defined = program.functions.iter().filter(|(_, function)| function.kind == FunctionKind::Defined);
        let entries: Vec<Node> = defined.map(|(_, function)| function.entry).collect();
        let entered = entries.iter().filter(|&&entry| reached(entry)).count();
        let proved = matches!(found.outcome.verdict, Verdict::Safe(_));
        let functions = (entered, entries.len());
        Some(Coverage { code: lines(program, &|_| true), reached: explored, functions, proved })
    }

    /// One sentence.
    pub fn describe(&self) -> String {
        let count = |lines: &BTreeMap<String, BTreeSet<u32>>| lines.values().map(BTreeSet::len).sum::<usize>();
        let (reached, all) = (count(&self.reached), count(&self.code));
        let share = (100 * reached).checked_div(all).unwrap_or(0);
        let (entered, functions) = self.functions;
        let rest = match self.proved {
            true => "was shown to be unreachable, was stepped over, or does not matter",
            false => "was not reached, was stepped over, or does not matter",
        };
        format!(
            "The analysis explored {reached} of {all} lines of code ({share} %) in {entered} of {functions} functions; \
             the rest {rest}."
        )
    }
}

/// The lines of edges that leave chosen nodes.
pub fn lines(program: &Program, chosen: &dyn Fn(Node) -> bool) -> BTreeMap<String, BTreeSet<u32>> {
    let mut lines: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for (_, edge) in program.edges.iter() {
        let function = program.nodes[edge.from].function;
        let is_code = program.functions[function].kind == FunctionKind::Defined && edge.span.start < edge.span.end;
        if is_code && chosen(edge.from) {
            let at = program.sources.position(edge.span);
            lines.entry(program.sources.name(at.file).to_owned()).or_default().insert(at.line);
        }
    }
    lines
}

/// What stands below the picture of the abstract states; `None` if there are none.
pub fn about_states(found: &FinishedRun) -> Option<String> {
    let trail = &found.outcome.counters.trail;
    let shown = trail.states.len();
    (shown > 0).then(|| match trail.more_states {
        0 => format!("All {shown} states of the last abstract reachability graph; dashed: covered by."),
        more => format!("The first {shown} of {} states; dashed: covered by.", shown + more),
    })
}

/// The abstract states in the form of an automaton; `number` names files.
pub fn states(found: &FinishedRun, number: &dyn Fn(&str) -> i64) -> Value {
    let (program, trail) = (found.program, &found.outcome.counters.trail);
    if trail.states.is_empty() {
        return Value::Null;
    }
    let places: HashMap<u32, usize> = trail.states.iter().enumerate().map(|(at, state)| (state.id, at)).collect();
    let on_path = path_to_target(program, trail, &places);
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for (at, state) in trail.states.iter().enumerate() {
        let node = Node(state.location);
        let target = program.target_at(node);
        let place = target.map(|target| target.span);
        let place = place.or_else(|| program.leaving(node).next().map(|edge| program.edges[edge].span));
        let (line, file) = place.map(|span| found.place(span)).map_or((0, -1), |at| (at.line, number(&at.file)));
        let kind = match (target.is_some(), state.covered_by.is_some()) {
            (true, _) => 2,
            (false, true) => 3,
            (false, false) => 0,
        };
        let name = format!("s{} {}", state.id, program.function_name(program.nodes[node].function));
        let knows: Vec<String> = state.knows.iter().take(SHOWN_LINES).map(|line| cut(line, LONGEST_LINE)).collect();
        nodes.push(json!([line, kind, name, on_path.contains(&at), file, knows]));
        for (parent, edge) in &state.parents {
            if let Some(from) = places.get(parent) {
                let label = cut(&program.op_text(&program.edges[EdgeId(*edge)].op), LONGEST_LABEL);
                edges.push(json!([from, at, label, on_path.contains(&at) && on_path.contains(from)]));
            }
        }
        if let Some(by) = state.covered_by.and_then(|by| places.get(&by)) {
            edges.push(json!([at, by, "", false, true]));
        }
    }
    json!({ "name": "states", "nodes": nodes, "edges": edges })
}

/// The states from the root to the last one at a target.
fn path_to_target(program: &Program, trail: &Trail, places: &HashMap<u32, usize>) -> HashSet<usize> {
    let mut path = HashSet::new();
    let mut at = trail.states.iter().rposition(|state| program.target_at(Node(state.location)).is_some());
    while let Some(now) = at {
        if !path.insert(now) {
            break;
        }
        at = trail.states[now].parents.first().and_then(|(parent, _)| places.get(parent)).copied();
    }
    path
}

/// What is tracked at the end, and what each refinement added.
pub fn precision(found: &FinishedRun) -> String {
    let trail = &found.outcome.counters.trail;
    let mut out = String::new();
    let place = |item: &Tracked| item.location.map(|node| location(found, Node(node))).unwrap_or_default();
    let rows = trail.tracked.iter().map(|item| vec![item.what.clone(), place(item)]);
    heading(&mut out, &format!("Tracked ({})", trail.tracked.len()), &table(rows));
    let items = trail.refinements.iter().map(|refined| {
        let shown = refined.added.iter().take(SHOWN_ITEMS).map(|item| {
            let at = place(item);
            let at = if at.is_empty() { at } else { format!(" at {at}") };
            format!("<code>{}</code>{}", markup(&item.what), markup(&at))
        });
        let mut added: Vec<String> = shown.collect();
        if refined.added.len() > SHOWN_ITEMS {
            added.push(format!("{} more", refined.added.len() - SHOWN_ITEMS));
        }
        let added = if added.is_empty() { "nothing new is tracked".to_owned() } else { added.join(", ") };
        format!("<li>path of {} steps excluded: {added}</li>", refined.path)
    });
    let mut list: String = items.collect();
    if trail.more_refinements > 0 {
        list += &format!("<li>{} more refinements</li>", trail.more_refinements);
    }
    if !list.is_empty() {
        list = format!("<ol>{list}</ol>");
    }
    heading(&mut out, &format!("Refinements ({})", trail.refinements.len() + trail.more_refinements), &list);
    if out.is_empty() {
        out += "<p>Nothing was tracked on demand and nothing was refined.</p>";
    }
    out
}

/// `main, line 12`.
fn location(found: &FinishedRun, node: Node) -> String {
    let program = found.program;
    let function = program.function_name(program.nodes[node].function);
    match program.leaving(node).next() {
        Some(edge) => format!("{function}, line {}", found.place(program.edges[edge].span).line),
        None => function.to_owned(),
    }
}
