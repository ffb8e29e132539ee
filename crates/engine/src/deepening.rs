//! Recursion for analyses that know none: they are asked about the program with recursion to a depth ([`Depths`]), and
//! about the next one with more of it as long as calls may go deeper.
//!
//! A proof of a program whose calls cannot go deeper is one of the source. An execution counts if the source has it, too.

use crate::abstraction::is_about;
use crate::derived::apart;
use crate::evidence::confirm;
use base::{Cancel, Counters};
use cfa::{ExprId, Node, Program};
use flow::Prepared;
use transform::Depths;
use verdict::{Proof, Stop, Verdict};

/// How many further calls may be open at first, and at last.
const FIRST_DEPTH: usize = 3;
const MOST_DEPTH: usize = 63;
/// Programs with more locations than this are not asked about.
const MOST_NODES: usize = 20_000;

/// Whether a program needs this, and can be asked about in this way.
pub fn is_recursive(program: &Prepared) -> bool {
    let calls = program.calls();
    let recursive = |id| calls.is_reachable(id) && calls.is_recursive(id);
    program.termination.is_none() && program.functions.ids().any(recursive)
}

/// What `verify` says of the program with more and more recursion.
pub fn deepen<E>(
    source: &Prepared,
    cancel: &Cancel,
    counters: &mut Counters,
    mut verify: impl FnMut(&Prepared, &mut Counters) -> Result<Verdict, E>,
) -> Result<Verdict, E> {
    let mut depth = FIRST_DEPTH;
    let mut last = Stop::Bound(format!("recursion makes it more than {MOST_NODES} locations"));
    loop {
        let Some(depths) = Depths::new(source, depth, MOST_NODES) else { return Ok(Verdict::Unknown(last)) };
        counters.max("recursion depth", depth as u64);
        let deep = Prepared::new(depths.program.clone());
        let origin = |node: Node| Some(depths.origins.get(&node).copied().unwrap_or(node));
        match apart(&deep, counters, origin, |counters| verify(&deep, counters))? {
            Verdict::Safe(proof) => return Ok(Verdict::Safe(of_source(source, &depths, depth, proof))),
            Verdict::Unsafe(found) => return Ok(confirm(source, &found.replay_choices(), cancel)),
            Verdict::Unknown(Stop::Unsupported { what, span }) if depths.too_deep.contains(&span) => {
                last = Stop::Unsupported { what, span };
            }
            Verdict::Unknown(stop) => return Ok(Verdict::Unknown(stop)),
        }
        if let Err(stopped) = cancel.check() {
            return Ok(Verdict::Unknown(stopped.into()));
        }
        if depth >= MOST_DEPTH {
            return Ok(Verdict::Unknown(last));
        }
        depth = 2 * depth + 1;
    }
}

/// A proof of the program with recursion to a depth as one of the source: what it says of a recursive
/// function is true of one depth only.
fn of_source(source: &Program, depths: &Depths, depth: usize, proof: Proof) -> Proof {
    let Proof { mut exprs, invariants, checked, .. } = proof;
    let is_kept = |&(node, fact): &(Node, ExprId)| {
        let is_copied =
            depths.origins.contains_key(&node) || depths.recursive.contains(&depths.program.nodes[node].function);
        !is_copied && is_about(&exprs, fact, source)
    };
    let mut kept: Vec<_> = invariants.into_iter().filter(is_kept).collect();
    let anything = exprs.bool(true);
    let heads = source.nodes.iter().filter(|(_, info)| info.loop_head && depths.recursive.contains(&info.function));
    kept.extend(heads.map(|(node, _)| (node, anything)));
    let names: Vec<&str> = depths.recursive.iter().map(|&id| source.function_name(id)).collect();
    let checked = format!(
        "Recursion of {} was unrolled: no more than {} calls of each are open at a time. {checked}",
        names.join(", "),
        depth + 1
    );
    Proof { exprs, invariants: kept, checked, ..Proof::default() }
}
