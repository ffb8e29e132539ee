//! What a slot holds: bits, and the object that they were computed from.

/// Which object a value was made from; the default is none. An object that died leaves stale origins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin(pub(super) u64);

impl Origin {
    /// No object.
    pub const NONE: Origin = Origin(0);

    pub(super) fn new(index: usize, generation: u32) -> Origin {
        Origin(u64::from(generation) << 32 | (index as u64 + 1))
    }

    /// What the result of an operation on two values is made from: the object of the one operand that has any.
    #[inline(always)]
    pub fn combine(self, other: Origin) -> Origin {
        if other.0 == 0 {
            self
        } else if self.0 == 0 {
            other
        } else {
            Origin(0)
        }
    }
}

/// At most 64 bits and where they come from. Wider values take two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Value {
    /// Zero above the width of the type.
    pub bits: u64,
    /// The object that a pointer, or a number computed from one, belongs to.
    pub origin: Origin,
}

impl Value {
    /// A plain number.
    #[inline(always)]
    pub fn number(bits: u64) -> Value {
        Value { bits, origin: Origin::NONE }
    }
}
