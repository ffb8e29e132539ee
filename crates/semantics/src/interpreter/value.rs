//! What a slot holds: bits, and the object that they were computed from.

/// Which object a value was made from; the default is none. An object that died leaves stale origins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin(pub(super) u64);

impl Origin {
    /// No object: a plain number.
    pub const NONE: Origin = Origin(0);
    /// Several objects, or one that arithmetic has lost: where such an address leads, only its bits say. Whatever is computed
    /// from it is so, too: `a ^ b ^ a` is an address of `b`, not one of `a`.
    pub const MIXED: Origin = Origin(u64::MAX);

    pub(super) fn new(index: usize, generation: u32) -> Origin {
        Origin(u64::from(generation) << 32 | (index as u64 + 1))
    }

    /// Whether one object is known.
    #[inline(always)]
    pub fn is_known(self) -> bool {
        self != Origin::NONE && self != Origin::MIXED
    }

    /// What the result of an operation on two values is made from: the object of the one operand that has any.
    #[inline(always)]
    pub fn combine(self, other: Origin) -> Origin {
        if other == Origin::NONE {
            self
        } else if self == Origin::NONE {
            other
        } else {
            Origin::MIXED
        }
    }

    /// The same of a difference: how far two places of one object lie apart is a plain number.
    #[inline(always)]
    pub fn combine_apart(self, other: Origin) -> Origin {
        if self == other && self.is_known() { Origin::NONE } else { self.combine(other) }
    }

    /// The same of arithmetic whose result is no address near those of its operands.
    #[inline(always)]
    pub fn scatter(self, other: Origin) -> Origin {
        if self == Origin::NONE && other == Origin::NONE { Origin::NONE } else { Origin::MIXED }
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
