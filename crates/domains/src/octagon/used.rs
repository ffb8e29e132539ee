//! What is worth following: which places a program uses, and how often.

use super::Place;
use super::linear::Range;
use cfa::{Expr, FunctionId, Op, Program, Scalar};
use flow::regions::Regions;
use std::collections::{BTreeMap, BTreeSet};

/// Which places a program uses, how often, and the constants that it compares with.
pub(super) struct Used {
    pub places: BTreeMap<Place, (Scalar, u32)>,
    pub thresholds: BTreeSet<i128>,
}

impl Used {
    pub fn new(program: &Program, regions: &Regions) -> Used {
        let mut used = Used { places: BTreeMap::new(), thresholds: BTreeSet::new() };
        let mut mixed: BTreeSet<Place> = BTreeSet::new();
        for (_, edge) in program.edges.iter() {
            let mut note = |place: Place, ty: Scalar, weight: u32| {
                let entry = used.places.entry(place).or_insert((ty, 0));
                entry.1 += weight;
                if entry.0 != ty || Range::of_type(ty).is_none() {
                    mixed.insert(place);
                }
                if let Place::Cell(region) = place
                    && !regions.shape(region).lone
                {
                    mixed.insert(place);
                }
            };
            let weight = if matches!(edge.op, Op::Assume(_)) { 2 } else { 1 };
            for operand in edge.op.operands() {
                program.exprs.visit(operand, |id, node| match node {
                    Expr::Var(var) => note(Place::Register(var), program.exprs.ty(id), weight),
                    Expr::Load(pointer) => note(Place::Cell(regions.of_pointer(pointer)), program.exprs.ty(id), weight),
                    _ => {}
                });
            }
            if let Op::Store { to, value } = edge.op {
                note(Place::Cell(regions.of_pointer(to)), program.exprs.ty(value), 1);
            }
            let result = match edge.op {
                Op::Return(Some(_)) => program.functions[program.nodes[edge.from].function].result,
                _ => edge.op.variable(),
            };
            if let Some((var, ty)) = result.and_then(|var| Some((var, program.register(var)?))) {
                note(Place::Register(var), ty, 1);
            }
            if let Op::Assume(condition) = edge.op {
                program.exprs.visit(condition, |id, _| {
                    if let Some(value) = program.exprs.integer(id) {
                        used.thresholds.extend([value - 1, value, value + 1]);
                    }
                });
            }
        }
        used.places.retain(|place, _| !mixed.contains(place));
        used
    }
}

/// The one function that a place belongs to.
pub(super) fn owner(program: &Program, place: &Place) -> Option<FunctionId> {
    match place {
        Place::Register(var) => program.vars[*var].function,
        Place::Cell(_) => None,
    }
}
