//! The composite of an analysis of single values and a domain of sets [BS12, outlook; BHT07]: a state is a pair
//! (v, B), γ(v, B) = γ(v) ∩ γ(B). The sets take the variables that suit them, the values take the rest. Exchange is
//! precise in both directions:
//!
//! - whatever v knows about an operand is put into the operation before B's image is computed;
//! - where the successor of v depends on a register that only B knows, B is split by the values of that register, and
//!   v learns one value in each part.

use crate::cpa::{Analysis, Cpa, Export, Query, QueryAnswer};
use crate::interpolation::Refinable;
use crate::place::{Move, Step};
use crate::sets::SetDomain;
use cfa::{EdgeId, ExprId, Exprs, Node, Op, Program, VarId};
use std::collections::HashMap;
use std::rc::Rc;
use verdict::Stop;

/// A step splits a set into at most so many parts; beyond that, values stay unknown.
const MOST_PARTS: usize = 64;

/// An analysis of values that can run alongside sets.
pub trait Beside: Analysis<State: Copy> {
    /// Whether there is nothing but the sets.
    const ALONE: bool = false;

    /// Appends registers whose value before the step decides about something that the precision tracks after it.
    fn wants(&self, step: &Step, precision: &Self::Precision, vars: &mut Vec<VarId>);
    /// Whether a state knows the value that a register has where the step begins.
    fn knows(&self, state: &Self::State, step: &Step, var: VarId) -> bool;
    /// The state that also knows this value of a register where the step begins.
    fn learn(&mut self, state: &Self::State, step: &Step, var: VarId, bits: u128) -> Self::State;
    /// The state after the step without a register that was learned for it and that the precision does not track.
    fn unlearn(&mut self, state: &Self::State, step: &Step, var: VarId, precision: &Self::Precision) -> Self::State;
    /// Whether [`Export::formula`] says all that the state knows. What it leaves out may be what the next state follows from.
    fn tells_all(&self, state: &Self::State, node: Node, depth: u32) -> bool;
}

/// An analysis alongside sets whose precision can be refined.
pub trait RefinableBeside: Beside + Refinable {
    /// The register that a fact is about.
    fn register_of(&self, fact: Self::Fact) -> Option<VarId>;
}

/// Knows nothing: sets alone.
pub struct Nothing;

impl Cpa for Nothing {
    type State = ();
    type Precision = ();
    const MERGES: bool = false;

    fn initial(&mut self) {}

    fn post(&mut self, _from: &(), _step: &Step, _precision: &(), next: &mut Vec<()>) -> Result<(), Stop> {
        next.push(());
        Ok(())
    }

    fn covers(&mut self, _old: &(), _new: &()) -> Result<bool, Stop> {
        Ok(true)
    }
}

crate::without! { Nothing: StepsOver, Settles, Filing, Watches, ForcesCover, Tells }

impl Beside for Nothing {
    const ALONE: bool = true;

    fn wants(&self, _step: &Step, _precision: &(), _vars: &mut Vec<VarId>) {}

    fn knows(&self, _state: &(), _step: &Step, _var: VarId) -> bool {
        false
    }

    fn learn(&mut self, _state: &(), _step: &Step, _var: VarId, _bits: u128) {}

    fn unlearn(&mut self, _state: &(), _step: &Step, _var: VarId, _precision: &()) {}

    fn tells_all(&self, _state: &(), _node: Node, _depth: u32) -> bool {
        true
    }
}

impl Export for Nothing {
    fn formula(&self, _state: &(), _node: Node, _depth: u32, exprs: &mut Exprs) -> ExprId {
        exprs.bool(true)
    }

    fn whole(&self, _state: &(), _node: Node, exprs: &mut Exprs) -> ExprId {
        exprs.bool(true)
    }

    fn size(&self, _state: &()) -> usize {
        0
    }
}

/// Values alongside sets.
pub struct Mixed<C: Cpa, D> {
    /// The values.
    pub values: C,
    /// The sets.
    pub sets: D,
    wanted: HashMap<(Move, EdgeId), Rc<[VarId]>>,
}

/// One successor.
pub struct Successor<V, S> {
    /// After the step.
    pub state: V,
    /// After the step.
    pub set: S,
    /// What was known before the step, with what was learned from the set for it.
    pub known: V,
    /// The part of the set before the step that it stems from.
    pub part: S,
}

/// The place before a step as the place after a step, where questions are asked.
fn before(step: &Step) -> Step {
    Step { to: step.from, to_depth: step.from_depth, ..*step }
}

impl<C: Beside, D: SetDomain> Mixed<C, D> {
    /// The two side by side.
    pub fn new(values: C, sets: D) -> Self {
        Self { values, sets, wanted: HashMap::new() }
    }

    /// The precision or the encoding of sets changed.
    pub fn refined(&mut self) {
        self.wanted.clear();
        self.values.cleared();
    }

    /// The registers whose values pass from sets to values at a step.
    fn wanted(&mut self, step: &Step, precision: &C::Precision) -> Rc<[VarId]> {
        if let Some(known) = self.wanted.get(&(step.kind, step.edge)) {
            return known.clone();
        }
        let mut vars = Vec::new();
        self.values.wants(step, precision, &mut vars);
        vars.sort_unstable();
        vars.dedup();
        vars.retain(|&var| self.sets.tracks(var));
        let vars: Rc<[VarId]> = vars.into();
        self.wanted.insert((step.kind, step.edge), vars.clone());
        vars
    }

    /// Parts of (v, B) in which the values know all that the step wants to know.
    #[expect(clippy::type_complexity, reason = "pairs of the two kinds of states")]
    fn parts(
        &mut self,
        step: &Step,
        wanted: &[VarId],
        state: C::State,
        set: &D::Set,
    ) -> Result<Vec<(C::State, D::Set)>, Stop> {
        let mut parts = vec![(state, set.clone())];
        for &var in wanted {
            let mut finer = Vec::new();
            for (state, set) in &parts {
                if self.values.knows(state, step, var) {
                    finer.push((*state, set.clone()));
                    continue;
                }
                for (part, bits) in self.sets.split(set, var)? {
                    let state = bits.map_or(*state, |bits| self.values.learn(state, step, var, bits));
                    finer.push((state, part));
                }
            }
            if finer.len() > MOST_PARTS {
                break;
            }
            parts = finer;
        }
        Ok(parts)
    }

    /// Appends pairs that together cover all concrete successors of (v, B) along a step.
    pub fn post(
        &mut self,
        program: &Program,
        step: &Step,
        precision: &mut C::Precision,
        (state, set): (&C::State, &D::Set),
        next: &mut Vec<Successor<C::State, D::Set>>,
    ) -> Result<(), Stop> {
        if let Op::Unsupported(_) = program.edges[step.edge].op {
            // What it does is not known; the exploration decides whether it is reached at all.
            next.push(Successor { state: *state, set: set.clone(), known: *state, part: set.clone() });
            return Ok(());
        }
        let wanted = self.wanted(step, precision);
        let mut after = Vec::new();
        for (known, part) in self.parts(step, &wanted, *state, set)? {
            after.clear();
            self.values.post(&known, step, precision, &mut after)?;
            if after.is_empty() {
                continue;
            }
            let image = self.image(program, std::slice::from_ref(step), &known, &part)?;
            if self.sets.is_empty(&image) {
                continue;
            }
            for mut state in after.drain(..) {
                for &var in wanted.iter() {
                    state = self.values.unlearn(&state, step, var, precision);
                }
                if let Some(state) = self.values.adjust(state, step.to, precision)? {
                    next.push(Successor { state, set: image.clone(), known, part: part.clone() });
                }
            }
        }
        Ok(())
    }

    /// The image of a set along a path, given what is known before it: of one step, beside values.
    pub fn image(&mut self, program: &Program, path: &[Step], known: &C::State, set: &D::Set) -> Result<D::Set, Stop> {
        let Self { values, sets, .. } = self;
        sets.post(program, path, set, &mut |query| ask(values, known, &path[0], query))
    }

    /// The states that such a path leads into a set, given what is known before it.
    pub fn preimage(
        &mut self,
        program: &Program,
        path: &[Step],
        known: &C::State,
        set: &D::Set,
    ) -> Result<D::Set, Stop> {
        let Self { values, sets, .. } = self;
        sets.pre(program, path, set, &mut |query| ask(values, known, &path[0], query))
    }
}

fn ask<C: Analysis>(values: &mut C, known: &C::State, step: &Step, query: Query) -> Option<QueryAnswer> {
    values.answer(known, &before(step), query)
}
