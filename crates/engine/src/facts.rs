//! Facts: conditions that were proved at locations. Those of data-flow analyses are made here; `houdini` makes
//! others from guesses.

use crate::dataflow;
use analysis::dataflow::FlowDomain;
use base::Cancel;
use cfa::{ExprId, Exprs, Node, Scalar};
use flow::Prepared;
use verdict::Stop;

/// Truth values that hold whenever an execution is at their node.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Where their expressions live.
    pub exprs: Exprs,
    /// The facts.
    pub facts: Vec<(Node, ExprId)>,
}

/// Finds facts about a program; each is checked before it is given away.
pub type FactSource<'a> = Box<dyn Fn(&Prepared, &Cancel) -> Result<Facts, Stop> + Send + 'a>;

/// Facts at loop heads by a data-flow analysis.
pub fn dataflow_facts<D: FlowDomain>(program: &Prepared, domain: &D, cancel: &Cancel) -> Result<Facts, Stop> {
    let heads = program.loops().loops.iter().map(|(_, one)| one.head).collect();
    dataflow_facts_at(program, domain, heads, cancel)
}

/// Facts at some nodes by a data-flow analysis.
pub fn dataflow_facts_at<D: FlowDomain>(
    program: &Prepared,
    domain: &D,
    nodes: Vec<Node>,
    cancel: &Cancel,
) -> Result<Facts, Stop> {
    let solution = dataflow::solve(program, domain, cancel)?;
    dataflow::check(program, domain, &solution)?;
    let mut exprs = program.exprs.clone();
    let mut facts = Vec::new();
    for node in nodes {
        let fact = match &solution[node] {
            Some(state) => domain.invariant(state, &mut exprs),
            None => exprs.bool(false),
        };
        assert_eq!(exprs.ty(fact), Scalar::Bool, "facts are conditions");
        facts.push((node, fact));
    }
    Ok(Facts { exprs, facts })
}
