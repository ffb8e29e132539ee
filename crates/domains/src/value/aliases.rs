//! What an unknown pointer may point to, from the points-to analysis, asked once per expression.

use super::store::Origin;
use cfa::ExprId;
use flow::PointsTo;
use flow::points_to::{ObjectKind, Offset};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Where one pointer may point.
#[derive(Default)]
pub(super) struct Pointees {
    places: Vec<(Origin, Offset)>,
    /// What has escaped, if the pointer may point there.
    escaped: Option<Rc<FxHashSet<Origin>>>,
}

impl Pointees {
    /// The places in objects of the program.
    pub fn places(&self) -> &[(Origin, Offset)] {
        &self.places
    }

    /// What has escaped, if the pointer may point there.
    pub fn escaped(&self) -> Option<&Rc<FxHashSet<Origin>>> {
        self.escaped.as_ref()
    }

    /// Whether a write of `size` bytes (or of any extent) may touch `width` bytes at an offset of an object of that
    /// origin; without offset, any of its bytes.
    pub fn may_touch(&self, origin: Origin, offset: Option<i64>, width: u64, size: Option<u64>) -> bool {
        let outside = self.escaped.as_ref().is_some_and(|escaped| escaped.contains(&origin));
        outside
            || self.places.iter().any(|&(place, at)| {
                place == origin
                    && match (offset, size) {
                        (Some(offset), Some(size)) => at.overlaps(size, Offset::exact(offset), width),
                        (None, _) | (_, None) => true,
                    }
            })
    }
}

/// Answers so far.
pub(super) struct Aliases<'p> {
    points_to: &'p PointsTo,
    escaped: Rc<FxHashSet<Origin>>,
    known: FxHashMap<ExprId, Rc<Pointees>>,
}

fn origin(kind: ObjectKind) -> Option<Origin> {
    match kind {
        ObjectKind::Variable(var) => Some(Origin::Variable(var)),
        ObjectKind::Allocation(edge) => Some(Origin::Site(edge)),
        ObjectKind::Unknown | ObjectKind::Function(_) => None,
    }
}

impl<'p> Aliases<'p> {
    /// Nothing asked yet.
    pub fn new(points_to: &'p PointsTo) -> Self {
        let escaped = points_to.objects.iter().filter(|(_, object)| object.escaped);
        let escaped = escaped.filter_map(|(_, object)| origin(object.kind)).collect();
        Self { points_to, escaped: Rc::new(escaped), known: FxHashMap::default() }
    }

    /// Where a pointer may point.
    pub fn of(&mut self, pointer: ExprId) -> Rc<Pointees> {
        let Self { points_to, escaped, known } = self;
        let entry = known.entry(pointer).or_insert_with(|| {
            let targets = points_to.targets(pointer);
            let places = targets.places.iter().filter_map(|place| {
                let kind = points_to.objects[place.object].kind;
                origin(kind).map(|origin| (origin, place.offset))
            });
            let escaped = targets.unknown.then(|| escaped.clone());
            Rc::new(Pointees { places: places.collect(), escaped })
        });
        entry.clone()
    }
}
