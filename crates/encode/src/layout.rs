//! Addresses. Every object has a constant address of its own: objects are disjoint, aligned, not null and far from the
//! ends of the address space by construction, and most addresses in formulas fold to numbers.

use crate::regions::Segment;
use base::IdVec;
use cfa::{DataModel, Program, Storage, VarId, VarKind};

/// Bytes between two objects at least: a pointer past the end of one is not the address of the next.
const GAP: u64 = 32;

/// Where things lie.
pub struct Layout {
    vars: IdVec<VarId, u64>,
    model: DataModel,
    functions: u64,
    zero: u64,
    arbitrary: u64,
}

impl Layout {
    /// Places all memory variables.
    pub fn new(program: &Program) -> Layout {
        let model = program.model;
        let mut vars = IdVec::new();
        let (functions, mut zero) = match model {
            DataModel::Ilp32 => (0x0804_9000, 0x0900_0000),
            DataModel::Lp64 => (0x5555_5555_5000, 0x1000_0000),
        };
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
            vars.push(take(next, size, align));
        }
        let dynamic = |next: u64| round_up(next + GAP, 1 << 20);
        Layout { vars, model, functions, zero: dynamic(zero), arbitrary: dynamic(arbitrary) }
    }

    /// The address of a variable that has only one instance.
    pub fn var(&self, var: VarId) -> u64 {
        self.vars[var]
    }

    /// The address of a function, where the interpreter has it too.
    pub fn function(&self, index: usize) -> u64 {
        self.functions + 16 * index as u64
    }

    /// Where the arbitrary segment begins and the zero segment ends.
    pub fn arbitrary_start(&self) -> u64 {
        arbitrary_start(self.model)
    }

    /// Where objects that are not variables begin.
    pub fn dynamic_start(&self, segment: Segment) -> u64 {
        match segment {
            Segment::Zero => round_up(self.zero, 1 << 20),
            Segment::Arbitrary => round_up(self.arbitrary, 1 << 20),
        }
    }

    /// A fresh address for an object of `size` bytes, or of unknown size.
    pub fn fresh(&mut self, segment: Segment, size: Option<u64>, align: u64) -> u64 {
        let unknown = match self.model {
            DataModel::Ilp32 => 1 << 22,
            DataModel::Lp64 => 1 << 32,
        };
        let next = match segment {
            Segment::Zero => &mut self.zero,
            Segment::Arbitrary => &mut self.arbitrary,
        };
        take(next, size.unwrap_or(unknown), align.max(16))
    }
}

fn arbitrary_start(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 0x5000_0000,
        DataModel::Lp64 => 0x6000_0000_0000,
    }
}

fn take(next: &mut u64, size: u64, align: u64) -> u64 {
    let at = round_up(*next, align.max(8));
    *next = at + size.max(1) + GAP;
    at
}

fn round_up(at: u64, align: u64) -> u64 {
    at.div_ceil(align) * align
}
