//! Abstract values of the shape analysis: one of a few constants, anything but a few constants, or an address with its
//! provenance. γ(`In`) and γ(`Not`) are sets of bits; an address is that of one byte of one object of the graph.

use cfa::{FunctionId, VarId};

/// Larger sets of constants become everything that is not zero, or everything.
const MOST: usize = 8;

/// An object of a graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// A memory variable in the activation with so many of the same function below.
    Var(VarId, u32),
    /// Allocated memory, or a segment of it.
    Heap(u32),
    /// Within a body: an object that every node of the segment has for itself; 0 is the node. The first number counts
    /// the bodies between here and the one that is meant.
    Local(u32, u32),
}

/// Which node of a segment an address is in. Of a plain object both are the same, written `First`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// The first one.
    First,
    /// The last one.
    Last,
}

/// An address with provenance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pointer {
    /// The object.
    pub to: Name,
    /// Which node of it, if it is a segment.
    pub end: End,
    /// The byte in the object, or somewhere outside it.
    pub at: i64,
}

/// What is known of a scalar. Sets are sorted, without repetitions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// One of these bits; never empty.
    In(Vec<u128>),
    /// Anything but these bits, also an address.
    Not(Vec<u128>),
    /// An address.
    Pointer(Pointer),
    /// The address of a function.
    Function(FunctionId),
}

impl Value {
    /// Anything.
    pub const TOP: Value = Value::Not(Vec::new());

    /// One constant.
    pub fn bits(bits: u128) -> Value {
        Value::In(vec![bits])
    }

    /// Some truth value.
    pub fn either() -> Value {
        Value::In(vec![0, 1])
    }

    /// Whether nothing is known.
    pub fn is_top(&self) -> bool {
        *self == Value::TOP
    }

    /// Sets ascend, and something is among the constants that a value may be.
    fn is_sorted(&self) -> bool {
        match self {
            Value::In(bits) => !bits.is_empty() && bits.is_sorted_by(|a, b| a < b),
            Value::Not(bits) => bits.is_sorted_by(|a, b| a < b),
            Value::Pointer(_) | Value::Function(_) => true,
        }
    }

    /// One of these constants, or what is left of them if they are too many.
    pub fn one_of(mut bits: Vec<u128>) -> Value {
        bits.sort_unstable();
        bits.dedup();
        match bits.len() {
            0 => Value::TOP,
            few if few <= MOST => Value::In(bits),
            _ if bits[0] != 0 => Value::Not(vec![0]),
            _ => Value::TOP,
        }
    }

    /// The only constant it may be.
    pub fn constant(&self) -> Option<u128> {
        match self {
            Value::In(bits) if bits.len() == 1 => Some(bits[0]),
            Value::In(_) | Value::Not(_) | Value::Pointer(_) | Value::Function(_) => None,
        }
    }

    /// The address that it is.
    pub fn pointer(&self) -> Option<Pointer> {
        match self {
            Value::Pointer(pointer) => Some(*pointer),
            Value::In(_) | Value::Not(_) | Value::Function(_) => None,
        }
    }

    /// Whether it may be true; and whether it may be false.
    pub fn truths(&self) -> (bool, bool) {
        match self {
            Value::In(bits) => (bits.iter().any(|&bits| bits != 0), bits.contains(&0)),
            Value::Not(bits) => (true, !bits.contains(&0)),
            Value::Pointer(_) | Value::Function(_) => (true, true),
        }
    }

    /// Whether all constants of `self` are among `other`'s; addresses are left to the code that knows the graphs.
    pub fn is_within(&self, other: &Value) -> bool {
        debug_assert!(self.is_sorted() && other.is_sorted(), "{self:?} {other:?}");
        match (self, other) {
            (Value::In(a), Value::In(b)) => a.iter().all(|bits| b.contains(bits)),
            (Value::In(a), Value::Not(b)) => a.iter().all(|bits| !b.contains(bits)),
            (Value::Not(a), Value::Not(b)) => b.iter().all(|bits| a.contains(bits)),
            (_, Value::Not(b)) => b.is_empty(),
            (Value::Function(f), Value::Function(g)) => f == g,
            (_, Value::In(_) | Value::Pointer(_) | Value::Function(_)) => false,
        }
    }

    /// A value that stands for both. Addresses are equal or lost.
    pub fn join(&self, other: &Value) -> Value {
        debug_assert!(self.is_sorted() && other.is_sorted(), "{self:?} {other:?}");
        match (self, other) {
            _ if self == other => self.clone(),
            (Value::In(a), Value::In(b)) => Value::one_of(a.iter().chain(b).copied().collect()),
            (Value::In(a), Value::Not(b)) | (Value::Not(b), Value::In(a)) => {
                Value::Not(b.iter().copied().filter(|bits| !a.contains(bits)).collect())
            }
            (Value::Not(a), Value::Not(b)) => Value::Not(a.iter().copied().filter(|bits| b.contains(bits)).collect()),
            (Value::Pointer(_) | Value::Function(_), _) | (_, Value::Pointer(_) | Value::Function(_)) => Value::TOP,
        }
    }

    /// What is left of `self` if the value is also one of `other`; `None` if nothing is.
    pub fn meet(&self, other: &Value) -> Option<Value> {
        debug_assert!(self.is_sorted() && other.is_sorted(), "{self:?} {other:?}");
        let some = |bits: Vec<u128>| (!bits.is_empty()).then_some(Value::In(bits));
        match (self, other) {
            (Value::In(a), Value::In(b)) => some(a.iter().copied().filter(|bits| b.contains(bits)).collect()),
            (Value::In(a), Value::Not(b)) | (Value::Not(b), Value::In(a)) => {
                some(a.iter().copied().filter(|bits| !b.contains(bits)).collect())
            }
            (Value::Not(a), Value::Not(b)) => {
                let mut all: Vec<u128> = a.iter().chain(b).copied().collect();
                all.sort_unstable();
                all.dedup();
                Some(if all.len() <= MOST { Value::Not(all) } else { self.clone() })
            }
            (Value::Pointer(_) | Value::Function(_), _) | (_, Value::Pointer(_) | Value::Function(_)) => {
                Some(self.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<Value> {
        let sets: Vec<Vec<u128>> =
            (0..8_u128).map(|mask| (0..3).filter(|bit| mask >> bit & 1 == 1).collect()).collect();
        let ins = sets.iter().filter(|set| !set.is_empty()).cloned().map(Value::In);
        ins.chain(sets.iter().cloned().map(Value::Not)).collect()
    }

    fn contains(value: &Value, bits: u128) -> bool {
        Value::bits(bits).is_within(value)
    }

    #[test]
    fn operators_are_sound() {
        for a in values() {
            for b in values() {
                let (join, meet) = (a.join(&b), a.meet(&b));
                assert!(a.is_within(&join) && b.is_within(&join), "{a:?} {b:?}");
                for bits in 0..5 {
                    let both = contains(&a, bits) && contains(&b, bits);
                    assert!(!both || meet.as_ref().is_some_and(|meet| contains(meet, bits)), "{a:?} {b:?} {bits}");
                    assert!(!a.is_within(&b) || !contains(&a, bits) || contains(&b, bits), "{a:?} {b:?} {bits}");
                }
            }
        }
    }
}
