//! Addresses. Every object has a constant address of its own: objects are disjoint, aligned, not null and far from the
//! ends of the address space by construction, and most addresses in formulas fold to numbers.

use crate::regions::MemoryHalf;
use base::IdVec;
use cfa::addresses::{PAGE, function_address};
use cfa::{DataModel, Program, Storage, VarId, VarKind};

/// Bytes between two objects at least: a pointer past the end of one is not the address of the next.
const GAP: u64 = 32;

/// What an address below stems from is null: no object lies there, whatever the data model.
pub const LOWEST_ADDRESS: u64 = 1 << 16;

/// How much room an object gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spacing {
    /// Its size.
    Dense,
    /// Slots of the address space, so that the upper bits of an address tell the object.
    Slots,
}

/// Where things lie.
pub struct Layout {
    vars: IdVec<VarId, u64>,
    model: DataModel,
    spacing: Spacing,
    zero: u64,
    arbitrary: u64,
    /// Where the two halves' objects begin that are not variables.
    first_zeroed: u64,
    first_fresh: u64,
}

impl Layout {
    /// Places all memory variables.
    pub fn new(program: &Program, spacing: Spacing) -> Layout {
        let model = program.model;
        let mut vars = IdVec::new();
        let mut zero = zero_start(model);
        assert!(LOWEST_ADDRESS <= zero, "no object lies below");
        let mut arbitrary = arbitrary_start(model);
        for (_, var) in program.vars.iter() {
            let Storage::Memory { size, align } = var.storage else {
                vars.push(0);
                continue;
            };
            let next = match var.kind {
                VarKind::Global | VarKind::Literal => &mut zero,
                VarKind::Local | VarKind::Parameter | VarKind::Result | VarKind::Temporary => &mut arbitrary,
            };
            vars.push(take(next, size, align, slot(model, spacing)));
        }
        let dynamic = |next: u64| round_up(next + GAP, 1 << 20);
        let (zero, arbitrary) = (dynamic(zero), dynamic(arbitrary));
        Layout { vars, model, spacing, zero, arbitrary, first_zeroed: zero, first_fresh: arbitrary }
    }

    /// How many low bits of an address say where in its object it points to, if the others tell the object. Objects
    /// larger than that have several slots.
    pub fn slot_bits(&self) -> Option<u32> {
        slot(self.model, self.spacing).map(|slot| slot.bits)
    }

    /// Where in a slot an object starts.
    pub fn slot_start(&self) -> u64 {
        slot(self.model, self.spacing).map_or(0, |slot| slot.start)
    }

    /// Whether there are more objects than room for them.
    pub fn is_exhausted(&self) -> bool {
        let end = u64::MAX >> (64 - self.model.pointer_bits());
        self.zero > self.arbitrary_start() || self.arbitrary > end - PAGE
    }

    /// The address of a variable that has only one instance.
    pub fn var(&self, var: VarId) -> u64 {
        debug_assert_ne!(self.vars[var], 0, "{var} is a register");
        self.vars[var]
    }

    /// The address of a function, where the interpreter has it too.
    pub fn function(&self, index: usize) -> u64 {
        function_address(self.model, index)
    }

    /// No object lies below.
    pub fn lowest(&self) -> u64 {
        zero_start(self.model)
    }

    /// Where the arbitrary half begins and the zero half ends.
    pub fn arbitrary_start(&self) -> u64 {
        arbitrary_start(self.model)
    }

    /// Where objects that are not variables begin: in a slot of their own, where objects have one.
    pub fn dynamic_start(&self, half: MemoryHalf) -> u64 {
        let first = match half {
            MemoryHalf::Zero => self.first_zeroed,
            MemoryHalf::Arbitrary => self.first_fresh,
        };
        round_up(first, 1 << self.slot_bits().unwrap_or(0).max(20)) + self.slot_start()
    }

    /// Fresh objects of the arbitrary half lie after this address, in the order in which they were made.
    pub fn first_fresh(&self) -> u64 {
        self.first_fresh
    }

    /// Where the last fresh object of the arbitrary half ends.
    pub fn last_fresh(&self) -> u64 {
        self.arbitrary
    }

    /// A fresh address for an object of `size` bytes, or of unknown size.
    pub fn fresh(&mut self, half: MemoryHalf, size: Option<u64>, align: u64) -> u64 {
        let unknown = 1 << self.model.most_object_bits();
        let slot = slot(self.model, self.spacing);
        let next = match half {
            MemoryHalf::Zero => &mut self.zero,
            MemoryHalf::Arbitrary => &mut self.arbitrary,
        };
        take(next, size.unwrap_or(unknown), align.max(16), slot)
    }
}

fn zero_start(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 0x0900_0000,
        DataModel::Lp64 => 0x1000_0000,
    }
}

fn arbitrary_start(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 0x5000_0000,
        DataModel::Lp64 => 0x6000_0000_0000,
    }
}

/// Whether a number of so many bits is below or above the addresses of all objects, in every layout.
pub fn is_far_from_objects(model: DataModel, width: u32, bits: u128) -> bool {
    let last = u128::from(u64::MAX >> (64 - model.pointer_bits())) - u128::from(PAGE);
    bits < u128::from(PAGE) || width == model.pointer_bits() && bits > last
}

/// A part of the address space.
#[derive(Clone, Copy)]
struct Slot {
    bits: u32,
    start: u64,
}

fn slot(model: DataModel, spacing: Spacing) -> Option<Slot> {
    match (spacing, model) {
        (Spacing::Dense, _) => None,
        (Spacing::Slots, DataModel::Ilp32) => Some(Slot { bits: 16, start: 1 << 12 }),
        (Spacing::Slots, DataModel::Lp64) => Some(Slot { bits: 32, start: 1 << 16 }),
    }
}

fn take(next: &mut u64, size: u64, align: u64, slot: Option<Slot>) -> u64 {
    debug_assert!(align == 0 || align.is_power_of_two(), "{align}");
    let at = match slot {
        None => round_up(*next, align.max(8)),
        Some(slot) => round_up(round_up(*next, 1 << slot.bits) + slot.start, align.max(8)),
    };
    debug_assert!(at >= *next, "objects lie one after the other");
    *next = at.saturating_add(size.max(1)).saturating_add(GAP);
    at
}

fn round_up(at: u64, align: u64) -> u64 {
    debug_assert!(align > 0, "multiples of something");
    at.div_ceil(align).saturating_mul(align)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Interner, SourceMap};

    const TEXT: &str = "char a; int b[3]; _Alignas(64) char c[100]; char text[200000] = \"x\"; \
        int main(void) { char d; long e[2]; _Alignas(32) char f; char *p = &d, *q = &f; e[0] = 1; return *p + *q + e[0]; }";

    const MODELS: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];
    const SPACINGS: [Spacing; 2] = [Spacing::Dense, Spacing::Slots];
    const HALVES: [MemoryHalf; 2] = [MemoryHalf::Zero, MemoryHalf::Arbitrary];

    fn program(model: DataModel) -> Program {
        let (mut sources, mut names) = (SourceMap::new(), Interner::default());
        let start = sources.add("layout.c", TEXT.to_owned());
        let (ast, _) = syntax::parse(sources.text_at(start), start, &mut names);
        let options = lower::Options { model, ..lower::Options::default() };
        let lowered = lower::lower(vec![ast], names, sources, &options);
        lowered.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).program
    }

    /// Objects, by their first byte, size and alignment: disjoint, with a gap behind each and aligned, and at the start of
    /// slots that are nobody else's where there are slots.
    fn check_objects(layout: &Layout, objects: &mut [(u64, u64, u64)]) {
        objects.sort_unstable();
        for pair in objects.windows(2) {
            let (end, next) = (pair[0].0 + pair[0].1, pair[1].0);
            assert!(end + GAP <= next, "{:#x} ends near {next:#x}", pair[0].0);
            if let Some(bits) = layout.slot_bits() {
                assert!((end - 1) >> bits < next >> bits, "{:#x} and {next:#x} share a slot", pair[0].0);
            }
        }
        for &mut (start, _, align) in objects {
            assert!(start.is_multiple_of(align.max(8)), "{start:#x} is not aligned");
            if let Some(bits) = layout.slot_bits() {
                assert_eq!(start & ((1 << bits) - 1), layout.slot_start(), "{start:#x} is not where its slot begins");
            }
        }
    }

    #[test]
    fn objects_are_apart() {
        for (model, spacing) in MODELS.into_iter().flat_map(|model| SPACINGS.map(|spacing| (model, spacing))) {
            let (program, first) = (program(model), LOWEST_ADDRESS);
            let mut layout = Layout::new(&program, spacing);
            let mut objects = Vec::new();
            for (id, var) in program.vars.iter() {
                let Storage::Memory { size, align } = var.storage else { continue };
                let at = layout.var(id);
                assert_eq!(at < layout.arbitrary_start(), var.kind.is_static(), "{}", program.var_name(id));
                assert!(
                    first <= layout.lowest() && layout.lowest() <= at && at + size < layout.last_fresh(),
                    "{at:#x}"
                );
                objects.push((at, size, align));
            }
            assert!(objects.len() >= 6, "the program has variables");
            check_objects(&layout, &mut objects);
            let variables = objects.clone();
            assert_eq!(layout.first_fresh(), layout.last_fresh(), "nothing is fresh yet");
            for (half, size, align) in HALVES
                .into_iter()
                .flat_map(|half| [(half, Some(5), 1), (half, Some(0), 64), (half, None, 1), (half, Some(1), 0)])
            {
                let at = layout.fresh(half, size, align);
                assert_eq!(at < layout.arbitrary_start(), half == MemoryHalf::Zero, "{at:#x}");
                let bytes = size.unwrap_or(1 << model.most_object_bits());
                let behind = if half == MemoryHalf::Arbitrary { layout.last_fresh() } else { u64::MAX };
                assert!(at + bytes < behind, "{at:#x}");
                objects.push((at, bytes.max(1), align.max(16)));
            }
            check_objects(&layout, &mut objects);
            assert!(!layout.is_exhausted(), "{model:?}");
            for half in HALVES {
                // What comes into being in any execution lies behind all variables of its half, and not far behind.
                let start = layout.dynamic_start(half);
                let of_half = variables
                    .iter()
                    .filter(|object| (object.0 < layout.arbitrary_start()) == (half == MemoryHalf::Zero));
                let last = of_half.map(|object| object.0 + object.1).max().expect("there are variables");
                let unit = 1 << layout.slot_bits().unwrap_or(0).max(20);
                assert!(last + GAP < start && start < last + 2 * unit, "{last:#x}, {start:#x}");
                assert_eq!(start % unit, layout.slot_start());
                assert!(start < layout.arbitrary_start() || half == MemoryHalf::Arbitrary, "{start:#x}");
            }
            assert!(layout.first_fresh().is_multiple_of(1 << 20));
        }
    }

    /// The last byte that fits, and the next one.
    #[test]
    fn the_address_space_ends() {
        for (model, half) in MODELS.into_iter().flat_map(|model| HALVES.map(|half| (model, half))) {
            let program = program(model);
            let end = match (half, model) {
                (MemoryHalf::Zero, _) => arbitrary_start(model),
                (MemoryHalf::Arbitrary, DataModel::Ilp32) => u64::from(u32::MAX) - PAGE,
                (MemoryHalf::Arbitrary, DataModel::Lp64) => u64::MAX - PAGE,
            };
            for (more, exhausted) in [(0, false), (1, true)] {
                let mut layout = Layout::new(&program, Spacing::Dense);
                let next = layout.dynamic_start(half);
                assert_eq!(layout.fresh(half, Some(end - GAP - next + more), 16), next);
                assert_eq!(layout.is_exhausted(), exhausted, "{model:?}, {half:?}, {more}");
            }
        }
    }

    #[test]
    fn numbers_far_from_objects() {
        let (last_32, last_64) = (u128::from(u32::MAX), u128::from(u64::MAX));
        let page = u128::from(PAGE);
        for (model, width, bits, far) in [
            (DataModel::Lp64, 64, page - 1, true),
            (DataModel::Lp64, 64, page, false),
            (DataModel::Lp64, 32, page - 1, true),
            (DataModel::Lp64, 64, last_64 - page, false),
            (DataModel::Lp64, 64, last_64 - page + 1, true),
            (DataModel::Lp64, 32, last_32, false),
            (DataModel::Lp64, 128, last_64, false),
            (DataModel::Ilp32, 32, last_32 - page, false),
            (DataModel::Ilp32, 32, last_32 - page + 1, true),
            (DataModel::Ilp32, 64, last_32, false),
        ] {
            assert_eq!(is_far_from_objects(model, width, bits), far, "{model:?}, {width} bits, {bits:#x}");
        }
    }
}
