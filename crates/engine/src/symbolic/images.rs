//! Which images are computed: of single edges, or of whole branches.
//!
//! A branch is a path between two places where sets are kept: loop heads, places where paths meet, entries and exits of
//! functions, places after calls. Between them the automaton is a tree, so the last edge of a branch tells all of it.
//! Nothing is looked up, joined or kept inside the tree, what does not branch is one image, and empty parts of the tree
//! are not entered.

use analysis::sets::SetDomain;
use analysis::{Beside, Mixed, Place, Stacks, Step, Successor};
use base::IdVec;
use cfa::{Node, Op};
use flow::Prepared;
use std::collections::HashSet;
use verdict::Stop;

/// Which images are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Images {
    /// Of every edge; a set is kept at every place.
    Edges,
    /// Of whole branches, for sets alone; a set is kept where paths meet.
    Branches,
}

/// The locations where no set is kept.
pub struct Passed(IdVec<Node, bool>);

/// One successor, and the step that leads to it last.
pub type Arrival<C, D> = (Step, Successor<<C as analysis::Cpa>::State, <D as SetDomain>::Set>);

impl Passed {
    /// All locations inside branches.
    pub fn new(program: &Prepared, images: Images) -> Self {
        if images == Images::Edges {
            return Self(program.nodes.iter().map(|_| false).collect::<Vec<_>>().into());
        }
        let loops = program.loops();
        let mut kept: HashSet<Node> = program.targets.iter().map(|target| target.node).collect();
        kept.extend(program.functions.iter().flat_map(|(_, function)| [function.entry, function.exit]));
        let inside = |node: Node| {
            matches!(program.entering(node), [edge] if is_plain(&program.edges[*edge].op))
                && !kept.contains(&node)
                && loops.headed_by(node).is_none()
        };
        Self(program.nodes.ids().map(inside).collect::<Vec<_>>().into())
    }

    /// The branch that ends with this step and begins at this location.
    pub fn branch(&self, program: &Prepared, stacks: &Stacks, start: Node, last: &Step) -> Vec<Step> {
        let mut branch = vec![*last];
        let mut at = last.from;
        while at.node != start {
            debug_assert!(self.0[at.node], "only inside branches");
            let edge = program.entering(at.node)[0];
            let from = Place { node: program.edges[edge].from, stack: at.stack };
            branch.push(stacks.step_between(program, from, edge, at));
            at = from;
        }
        branch.reverse();
        branch
    }

    /// The branch in pieces, each of which is one image: cut where the automaton branches, and around inputs, since the value
    /// of an input is read off the element after it.
    pub fn pieces(&self, program: &Prepared, branch: Vec<Step>) -> Vec<Vec<Step>> {
        let is_input = |step: &Step| matches!(program.edges[step.edge].op, Op::Havoc(..));
        let mut pieces: Vec<Vec<Step>> = Vec::new();
        for step in branch {
            match pieces.last_mut() {
                Some(piece)
                    if !is_input(&step)
                        && !is_input(&piece[piece.len() - 1])
                        && program.leaving(step.from.node).len() == 1 =>
                {
                    piece.push(step);
                }
                _ => pieces.push(vec![step]),
            }
        }
        pieces
    }

    /// Appends pairs that together cover all that the branches lead to from (v, B).
    pub fn successors<C: Beside, D: SetDomain>(
        &self,
        program: &Prepared,
        mixed: &mut Mixed<C, D>,
        precision: &mut C::Precision,
        stacks: &mut Stacks,
        (place, state, set): (Place, C::State, &D::Set),
        next: &mut Vec<Arrival<C, D>>,
    ) -> Result<(), Stop> {
        let (mut steps, mut after) = (Vec::new(), Vec::new());
        if !C::ALONE {
            stacks.steps(program, place, &mut steps);
            for step in steps {
                mixed.post(program, &step, precision, (&state, set), &mut after)?;
                next.extend(after.drain(..).map(|successor| (step, successor)));
            }
            return Ok(());
        }
        let mut todo = vec![(place, set.clone())];
        let mut path = Vec::new();
        while let Some((at, here)) = todo.pop() {
            stacks.steps(program, at, &mut steps);
            for step in std::mem::take(&mut steps) {
                path.clear();
                path.push(step);
                self.extend(program, stacks, &mut path);
                let last = path[path.len() - 1];
                let image = match program.edges[last.edge].op {
                    // What it does is not known; the exploration decides whether it is reached at all.
                    Op::Unsupported(_) => here.clone(),
                    _ => mixed.sets.post(program, &path, &here, &mut |_| None)?,
                };
                if mixed.sets.is_empty(&image) {
                    continue;
                }
                match self.0[last.to.node] {
                    true => todo.push((last.to, image)),
                    false => next.push((last, Successor { state, set: image, known: state, part: set.clone() })),
                }
            }
        }
        Ok(())
    }

    /// Makes the path longer as long as it passes locations where it does not branch.
    fn extend(&self, program: &Prepared, stacks: &mut Stacks, path: &mut Vec<Step>) {
        let mut steps = Vec::new();
        while let Some(last) = path.last()
            && self.0[last.to.node]
        {
            stacks.steps(program, last.to, &mut steps);
            match steps[..] {
                [only] if is_plain(&program.edges[only.edge].op) => path.push(only),
                _ => return,
            }
            steps.clear();
        }
    }
}

/// Whether an operation may lie inside a branch: no call, nothing that ends the analysis.
fn is_plain(op: &Op) -> bool {
    !matches!(op, Op::Unsupported(_) | Op::Call { .. } | Op::CallPointer { .. })
}
