//! Refinement that keeps what it does not change: [BL13] prunes those parts of the graph that have to be discovered again
//! with the new precision, instead of all of it.
//!
//! A restart at the root would find the other states again, one after the other. Where a program is infeasible for many
//! reasons that have nothing to do with each other, that is most of the work, and it grows with the square of the program.

use crate::cegar::{Interpolation, Refinement, Refiner};
use crate::refinement::LastPath;
use analysis::{Arg, ArgId, ErrorPath, Incremental, Move, Reached};
use base::Counters;
use cfa::{EdgeId, Program};
use rustc_hash::FxHashMap;
use verdict::Stop;

/// Refinement by interpolants that takes out of the reached set what the new precision changes, and keeps the rest. Its
/// work depends on what changes: neither the graph nor the path is passed over.
pub struct Pruning<'p, C: Incremental> {
    program: &'p Program,
    interpolation: Interpolation,
    last: Option<LastPath<C::Facts>>,
    /// Whether states of an earlier precision are still in the reached set.
    has_kept: bool,
    found: ByEdge,
}

/// The nodes of a graph by the edge along which they were found.
#[derive(Default)]
struct ByEdge {
    nodes: FxHashMap<EdgeId, Vec<ArgId>>,
    /// How many ids were given away when this was up to date.
    known: usize,
    generation: u64,
}

impl ByEdge {
    /// Adds the nodes that are new.
    fn update<S>(&mut self, arg: &Arg<S>) {
        if self.generation != arg.generation() {
            *self = Self { generation: arg.generation(), ..Self::default() };
        }
        for id in arg.ids_from(self.known) {
            if let Some((_, edge)) = arg.parent(id) {
                self.nodes.entry(edge).or_default().push(id);
            }
        }
        self.known = arg.ids_used();
    }

    /// The nodes that are still there.
    fn along<S>(&mut self, arg: &Arg<S>, edge: EdgeId) -> &[ArgId] {
        let Some(nodes) = self.nodes.get_mut(&edge) else { return &[] };
        nodes.retain(|&id| !arg.is_removed(id));
        nodes
    }
}

impl<'p, C: Incremental> Pruning<'p, C> {
    /// Refines as `interpolation` does.
    pub fn new(program: &'p Program, interpolation: Interpolation) -> Self {
        Self { program, interpolation, last: None, has_kept: false, found: ByEdge::default() }
    }

    /// 1. find the states that the refined precision changes: their predecessors, which stay, have other successors now;
    /// 2. take them out, with all that was found from them.
    ///
    /// `false` if the search has to start at the root, because most of the states would be found again anyway, or
    /// because the path that was refined would stay.
    fn prune(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        reached: &mut Reached<C::State>,
        (target, counters): (ArgId, &mut Counters),
    ) -> Result<bool, Stop> {
        let added = cpa.added(precision);
        self.found.update(&reached.arg);
        let candidates: Vec<ArgId> = match cpa.affected(precision, &added) {
            Some(edges) => edges.iter().flat_map(|&edge| self.found.along(&reached.arg, edge).to_vec()).collect(),
            None => reached.arg.ids().collect(),
        };
        counters.add("states looked at again", candidates.len() as u64);
        let mut changed = Vec::new();
        for id in candidates {
            let Some((parent, step)) = reached.step_to(self.program, id) else { continue };
            // 1
            let entered = step.kind == Move::Over && !cpa.steps_over(step.edge, precision);
            if entered
                || cpa.may_change(reached.arg.state(parent), &step, precision, &added)
                    && !finds_again(cpa, precision, reached, (parent, &step, id))?
            {
                changed.push(id);
            }
        }
        let Some(doomed) = reached.found_from(&changed, reached.arg.len() / 2) else { return Ok(false) };
        if !doomed.contains(&target) {
            return Ok(false);
        }
        reached.prune(self.program, cpa, &doomed)?; // 2
        cpa.pruned(reached.arg.len());
        Ok(true)
    }
}

/// Whether the successor along a step is still the same.
fn finds_again<C: Incremental>(
    cpa: &mut C,
    precision: &mut C::Precision,
    reached: &Reached<C::State>,
    (parent, step, child): (ArgId, &analysis::Step, ArgId),
) -> Result<bool, Stop> {
    let mut next = Vec::new();
    cpa.post(reached.arg.state(parent), step, precision, &mut next)?;
    for successor in next {
        if let Some(state) = cpa.adjust(successor, step.to, precision)?
            && state == *reached.arg.state(child)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

impl<C: Incremental> Refiner<C> for Pruning<'_, C> {
    fn refine(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        reached: &mut Reached<C::State>,
        path: &ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let mut last = self.last.take().map(|last| last.up_to(path.kept()));
        let refined = self.interpolation.refine_after(cpa, precision, &path.steps, &mut last, counters)?;
        self.last = last;
        match refined {
            Refinement::Refined { pivot } => {
                self.has_kept = self.prune(cpa, precision, reached, (path.target(), counters))?;
                if self.has_kept {
                    counters.add("refinements that keep states", 1);
                    return Ok(Refinement::Excluded);
                }
                Ok(Refinement::Refined { pivot })
            }
            // What is left of earlier searches may know less than the precision allows.
            Refinement::Stuck if self.has_kept => {
                self.has_kept = false;
                Ok(Refinement::Refined { pivot: 0 })
            }
            Refinement::Excluded | Refinement::Stuck | Refinement::Feasible | Refinement::Checked(_) => Ok(refined),
        }
    }
}
