//! Which values are tracked: Π of the value analysis [BL13], per scope (one set for the program; variables belong to
//! their function) or per location, and what a threshold has taken out of it for good.

use super::store::Origin;
use base::Id;
use cfa::{FunctionId, Node, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What a precision names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Item {
    /// A register variable, in all activations.
    Register(VarId),
    /// The chunk at an offset of all objects of an origin.
    Cell(Origin, u64),
    /// All of all objects of an origin.
    Whole(Origin),
}

impl Item {
    /// As text: `x`, `f::x`, `f::s+8`, `f::s[]`, `site17+0`.
    pub fn display(self, program: &Program) -> String {
        let var = |var: VarId| match program.vars[var].function {
            Some(function) => format!("{}::{}", program.function_name(function), program.var_name(var)),
            None => program.var_name(var).to_owned(),
        };
        let origin = |origin: Origin| match origin {
            Origin::Variable(id) => var(id),
            Origin::Site(edge) => format!("site{}", edge.0),
        };
        match self {
            Item::Register(id) => var(id),
            Item::Cell(from, offset) => format!("{}+{offset}", origin(from)),
            Item::Whole(from) => format!("{}[]", origin(from)),
        }
    }
}

/// A set of tracked items.
#[derive(Clone, Debug, Default)]
pub struct TrackedItems {
    registers: Vec<bool>,
    items: FxHashSet<Item>,
}

impl TrackedItems {
    /// Adds an item; whether it is new.
    pub fn insert(&mut self, item: Item) -> bool {
        if let Item::Register(var) = item {
            if self.registers.len() <= var.index() {
                self.registers.resize(var.index() + 1, false);
            }
            self.registers[var.index()] = true;
        }
        self.items.insert(item)
    }

    /// Takes an item out.
    pub fn remove(&mut self, item: Item) {
        if let Item::Register(var) = item
            && let Some(tracked) = self.registers.get_mut(var.index())
        {
            *tracked = false;
        }
        self.items.remove(&item);
    }

    /// Whether a register is tracked.
    pub fn has_register(&self, var: VarId) -> bool {
        self.registers.get(var.index()).copied().unwrap_or(false)
    }

    /// Whether the chunk at an offset is tracked.
    pub fn has_cell(&self, origin: Origin, offset: u64) -> bool {
        self.items.contains(&Item::Cell(origin, offset)) || self.has_whole(origin)
    }

    /// Whether all of the objects of an origin is tracked.
    pub fn has_whole(&self, origin: Origin) -> bool {
        self.items.contains(&Item::Whole(origin))
    }

    /// The cells that will be asked for next, if this one ends a row of cells at equal distances: as many as there are in
    /// the row, so that the elements of an array are asked for a few times and not one by one.
    ///
    /// Deviates from [BL13], which tracks what excludes the path and nothing else.
    fn continued(&self, origin: Origin, offset: u64) -> Vec<Item> {
        let has = |at: Option<u64>| at.is_some_and(|at| self.items.contains(&Item::Cell(origin, at)));
        let Some(distance) = (1..=WIDEST_ELEMENT).find(|&distance| has(offset.checked_sub(distance))) else {
            return Vec::new();
        };
        let row = (1..).take_while(|at| has(offset.checked_sub(at * distance))).count() as u64;
        if row < ROW {
            return Vec::new();
        }
        (1..=row).map_while(|at| offset.checked_add(at * distance)).map(|at| Item::Cell(origin, at)).collect()
    }

    /// All items in a fixed order.
    pub fn items(&self) -> BTreeSet<Item> {
        self.items.iter().copied().collect()
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing is tracked.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// What is tracked where.
#[derive(Clone, Debug)]
pub enum Scoping {
    /// Everything, everywhere.
    All,
    /// The same set at all locations.
    Scoped(TrackedItems),
    /// A set per location.
    Local(FxHashMap<Node, TrackedItems>),
}

/// The precision of the value analysis.
#[derive(Clone, Debug)]
pub struct Precision {
    /// What is tracked where.
    pub scoping: Scoping,
    /// What is never tracked again.
    pub dropped: FxHashSet<Item>,
    /// The functions whose calls are entered whatever they change; `None`: all of them.
    pub entered: Option<FxHashSet<FunctionId>>,
    /// What is tracked somewhere since [`Precision::take_new`] was called.
    new: Vec<Item>,
    /// Which functions are entered since then.
    new_functions: Vec<FunctionId>,
}

/// So many cells in a row have to be asked for, before those after them are tracked without being asked for.
const ROW: u64 = 8;
/// Elements of arrays are taken for neighbours if they are not farther apart.
const WIDEST_ELEMENT: u64 = 64;

impl Precision {
    /// Tracks everything.
    pub fn all() -> Self {
        Self {
            scoping: Scoping::All,
            dropped: FxHashSet::default(),
            entered: None,
            new: Vec::new(),
            new_functions: Vec::new(),
        }
    }

    /// Tracks nothing yet, one set for all locations.
    pub fn scoped() -> Self {
        Self { scoping: Scoping::Scoped(TrackedItems::default()), ..Self::all() }
    }

    /// Tracks nothing yet, a set per location.
    pub fn local() -> Self {
        Self { scoping: Scoping::Local(FxHashMap::default()), ..Self::all() }
    }

    /// The same, but calls are entered only where that matters to what is tracked, or was asked for.
    #[must_use]
    pub fn with_summaries(self) -> Self {
        Self { entered: Some(FxHashSet::default()), ..self }
    }

    /// Adds an item at a location; whether that changes anything.
    pub fn track(&mut self, node: Node, item: Item) -> bool {
        if self.dropped.contains(&item) {
            return false;
        }
        let tracked = match &mut self.scoping {
            Scoping::All => return false,
            Scoping::Scoped(tracked) => tracked,
            Scoping::Local(by_node) => by_node.entry(node).or_default(),
        };
        if !tracked.insert(item) {
            return false;
        }
        self.new.push(item);
        if let Item::Cell(origin, offset) = item {
            for next in tracked.continued(origin, offset) {
                if !self.dropped.contains(&next) && tracked.insert(next) {
                    self.new.push(next);
                }
            }
        }
        true
    }

    /// What is tracked somewhere since [`Precision::take_new`] was called, oldest first.
    pub fn new_items(&self) -> &[Item] {
        &self.new
    }

    /// Enters the calls of functions, unless all calls are entered anyway.
    pub fn enter(&mut self, functions: impl IntoIterator<Item = FunctionId>) {
        if let Some(entered) = &mut self.entered {
            self.new_functions.extend(functions.into_iter().filter(|&function| entered.insert(function)));
        }
    }

    /// What is tracked somewhere, and which functions are entered, since this was called before.
    pub fn take_new(&mut self) -> (Vec<Item>, Vec<FunctionId>) {
        (std::mem::take(&mut self.new), std::mem::take(&mut self.new_functions))
    }

    /// Never tracks an item again.
    pub fn drop_item(&mut self, item: Item) {
        self.dropped.insert(item);
        match &mut self.scoping {
            Scoping::All => {}
            Scoping::Scoped(tracked) => tracked.remove(item),
            Scoping::Local(by_node) => by_node.values_mut().for_each(|tracked| tracked.remove(item)),
        }
    }

    /// What is tracked at a location.
    pub fn view(&self, node: Node) -> View<'_> {
        let tracked = match &self.scoping {
            Scoping::All => None,
            Scoping::Scoped(tracked) => Some(Some(tracked)),
            Scoping::Local(by_node) => Some(by_node.get(&node)),
        };
        View { tracked, dropped: (!self.dropped.is_empty()).then_some(&self.dropped) }
    }

    /// Every item that is tracked anywhere, in a fixed order.
    pub fn items(&self) -> BTreeSet<Item> {
        match &self.scoping {
            Scoping::All => BTreeSet::new(),
            Scoping::Scoped(tracked) => tracked.items(),
            Scoping::Local(by_node) => by_node.values().flat_map(TrackedItems::items).collect(),
        }
    }
}

/// What is tracked at one location.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// `None`: everything. `Some(None)`: nothing.
    tracked: Option<Option<&'a TrackedItems>>,
    dropped: Option<&'a FxHashSet<Item>>,
}

impl View<'_> {
    /// Tracks everything.
    pub const ALL: View<'static> = View { tracked: None, dropped: None };

    /// Whether everything is tracked.
    pub fn is_all(&self) -> bool {
        self.tracked.is_none() && self.dropped.is_none()
    }

    /// Whether a register is tracked.
    pub fn register(&self, var: VarId) -> bool {
        match self.tracked {
            None => self.dropped.is_none_or(|dropped| !dropped.contains(&Item::Register(var))),
            Some(tracked) => tracked.is_some_and(|tracked| tracked.has_register(var)),
        }
    }

    /// Whether the chunk at an offset is tracked.
    pub fn cell(&self, origin: Origin, offset: u64) -> bool {
        match self.tracked {
            None => self.dropped.is_none_or(|dropped| {
                !dropped.contains(&Item::Cell(origin, offset)) && !dropped.contains(&Item::Whole(origin))
            }),
            Some(tracked) => tracked.is_some_and(|tracked| tracked.has_cell(origin, offset)),
        }
    }

    /// Whether all of the objects of an origin is tracked, so that they may have a fill.
    pub fn whole(&self, origin: Origin) -> bool {
        match self.tracked {
            None => self.dropped.is_none_or(|dropped| !dropped.contains(&Item::Whole(origin))),
            Some(tracked) => tracked.is_some_and(|tracked| tracked.has_whole(origin)),
        }
    }
}
