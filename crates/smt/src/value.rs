//! Values of terms, and models: what the variables and functions of a formula are.

use crate::bitvec::BitVec;
use crate::op::{FunctionId, VarId};
use crate::sort::{FloatFormat, ScalarSort, Sort};
use std::collections::BTreeMap;

/// What a term can evaluate to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit vector.
    BitVec(BitVec),
    /// A float by its bits; NaN always has the bits of [`nan`](crate::float::nan).
    Float(FloatFormat, BitVec),
    /// An array.
    Array(ArrayValue),
}

/// An array: `entries`, and `default` everywhere else.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    /// Sort of the indices.
    pub index: ScalarSort,
    /// The element where no entry is.
    pub default: Box<Value>,
    /// Exceptions; none of them equals the default.
    pub entries: BTreeMap<Value, Value>,
}

/// A function: `entries`, and `default` for all other arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionValue {
    /// The result where no entry is.
    pub default: Value,
    /// Exceptions.
    pub entries: BTreeMap<Vec<Value>, Value>,
}

/// An assignment of variables and functions. What is not assigned has the zero of its sort.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Values of variables.
    pub variables: BTreeMap<VarId, Value>,
    /// Values of functions.
    pub functions: BTreeMap<FunctionId, FunctionValue>,
}

impl Value {
    /// The zero of a sort: `false`, 0, +0, the array of zeros.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(width) => Value::BitVec(BitVec::zero(width)),
            Sort::Float(format) => Value::Float(format, BitVec::zero(format.width())),
            Sort::Array { index, element } => {
                let default = Box::new(Value::zero(element.into()));
                Value::Array(ArrayValue { index, default, entries: BTreeMap::new() })
            }
        }
    }

    /// The sort of the value.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::BitVec(bits) => Sort::BitVec(bits.width()),
            Value::Float(format, _) => Sort::Float(*format),
            Value::Array(array) => {
                let element = array.default.sort().scalar().expect("elements of arrays are scalars");
                Sort::Array { index: array.index, element }
            }
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::BitVec(_) | Value::Float(..) | Value::Array(_) => None,
        }
    }

    /// The bits of a bit vector or float.
    pub fn as_bits(&self) -> Option<&BitVec> {
        match self {
            Value::BitVec(bits) | Value::Float(_, bits) => Some(bits),
            Value::Bool(_) | Value::Array(_) => None,
        }
    }

    /// Whether the two are the same, arrays extensionally.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Array(a), Value::Array(b)) => a.same(b),
            _ => self == other,
        }
    }
}

impl ArrayValue {
    /// The element at `index`.
    pub fn select(&self, index: &Value) -> &Value {
        debug_assert_eq!(index.sort(), Sort::from(self.index), "an index of the array");
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// The array with `element` at `index`.
    pub fn store(mut self, index: Value, element: Value) -> ArrayValue {
        debug_assert_eq!(index.sort(), Sort::from(self.index), "an index of the array");
        debug_assert_eq!(element.sort(), self.default.sort(), "an element of the array");
        if element == *self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
        self
    }

    fn same(&self, other: &ArrayValue) -> bool {
        debug_assert_eq!(self.index, other.index, "arrays of one sort");
        debug_assert_eq!(self.default.sort(), other.default.sort(), "arrays of one sort");
        debug_assert!(self.entries.values().all(|element| *element != *self.default), "entries are exceptions");
        let mut listed: Vec<&Value> = self.entries.keys().chain(other.entries.keys()).collect();
        listed.sort();
        listed.dedup();
        // Where the defaults differ, the arrays can only be equal if every index of a small sort is listed.
        let all_listed = match self.index {
            ScalarSort::Bool => listed.len() == 2,
            ScalarSort::BitVec(width) => width < 64 && listed.len() as u64 == 1 << width,
            ScalarSort::Float(format) => listed.len() as u64 == crate::float::count(format),
        };
        (all_listed || self.default == other.default)
            && listed.iter().all(|index| self.select(index) == other.select(index))
    }
}
