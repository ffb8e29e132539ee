//! Everything that a run of a program leaves open, and what decides it: an engine's counterexample, the user's inputs,
//! a random seed.

use crate::history::DrawnByte;
use crate::random::Random;
use crate::scalar;
use cfa::{DataModel, EdgeId, Scalar, Source};
use std::collections::BTreeMap;

/// The choices of one run, as plain data. What is missing is 0.
///
/// Memory is named by *births*, numbered from 0 in the order of execution:
/// - before the program starts, one per memory variable without a function, in the order of their ids;
/// - on entering a function, one per memory variable among its `locals`, in their order;
/// - one per `Declare`, `Allocate` (`Resize` included), `HavocMemory` (unless its pointer is null or invalid);
/// - one per object made up for a nonzero pointer that a `Havoc` gives, the first time that it gives this value.
///
/// Objects made up for pointers that are read from memory which came from outside, and for the standard streams, are
/// numbered from 2^31 on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// The value of each `Havoc`, in the order of execution. A pointer whose source lies outside the program
    /// (everything but `Uninitialised`) is null if 0; other values stand for fresh objects, equal values for the same.
    pub havocs: Vec<u128>,
    /// Uninitialised bytes, by birth and offset in the object.
    pub bytes: BTreeMap<(u32, u64), u8>,
    /// The result of each undefined operation, in the order of execution; needed only where such a run goes on.
    pub undefined: Vec<u128>,
    /// Addresses of objects, by birth; taken where the range is free.
    pub addresses: BTreeMap<u32, u64>,
}

/// What only an execution for a user may ask of the world around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The next byte of standard input, or -1.
    Input,
    /// The time in seconds since 1970.
    Seconds,
    /// The nanoseconds after them.
    Nanoseconds,
    /// Microseconds of processor time.
    Processor,
}

/// Decides what is open. Values are cut to the type's width.
pub trait Chooser {
    /// What the world says, if it may be asked.
    fn outside(&mut self, _asked: Asked) -> Option<i64> {
        None
    }
    /// The value of a `Havoc` on this edge.
    fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128;
    /// An uninitialised byte.
    fn byte(&mut self, birth: u32, offset: u64) -> u8;
    /// The result of an undefined operation on this edge.
    fn undefined(&mut self, edge: EdgeId, ty: Scalar) -> u128;
    /// Where an object should lie, if it matters.
    fn address(&mut self, _birth: u32) -> Option<u64> {
        None
    }
}

/// Feeds [`Choices`] back.
#[derive(Clone, Debug)]
pub struct Replayer<'c> {
    choices: &'c Choices,
    havocs: usize,
    undefined: usize,
}

impl<'c> Replayer<'c> {
    /// From the first choice on.
    pub fn new(choices: &'c Choices) -> Self {
        Self { choices, havocs: 0, undefined: 0 }
    }
}

fn take(values: &[u128], next: &mut usize) -> u128 {
    *next += 1;
    values.get(*next - 1).copied().unwrap_or(0)
}

impl Chooser for Replayer<'_> {
    fn havoc(&mut self, _: EdgeId, _: Source, _: Scalar) -> u128 {
        take(&self.choices.havocs, &mut self.havocs)
    }
    fn byte(&mut self, birth: u32, offset: u64) -> u8 {
        self.choices.bytes.get(&(birth, offset)).copied().unwrap_or(0)
    }
    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        take(&self.choices.undefined, &mut self.undefined)
    }
    fn address(&mut self, birth: u32) -> Option<u64> {
        self.choices.addresses.get(&birth).copied()
    }
}

/// Random values, often small or extreme ones, which programs are more sensitive to.
impl Chooser for Random {
    fn havoc(&mut self, _: EdgeId, _: Source, ty: Scalar) -> u128 {
        if ty.is_float() && self.below(4) != 0 {
            let number = (self.below(2001) as i128 - 1000) as u128;
            let int = Scalar::int(128, true);
            return scalar::cast(DataModel::Lp64, int, ty, number).expect("integers always become floats");
        }
        match self.below(8) {
            0 => self.bits128(),
            1 => u128::MAX >> self.below(128),
            2 => 1 << self.below(128),
            3 => (self.below(20) as i128 - 10) as u128,
            4 => u128::from(self.below(1000)),
            _ => u128::from(self.below(4)),
        }
    }
    fn byte(&mut self, _: u32, _: u64) -> u8 {
        self.next() as u8
    }
    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        self.bits128()
    }
}

/// A choice that a run made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// The `Havoc` edge.
    pub edge: EdgeId,
    /// Why the value is open.
    pub source: Source,
    /// The type of the value.
    pub ty: Scalar,
    /// The value, zero above the type's width. For a pointer the choice, not the address that it led to.
    pub value: u128,
}

/// A chooser and, where wanted, a record of what it chose.
pub struct Draws<'c> {
    chooser: &'c mut dyn Chooser,
    model: DataModel,
    recording: bool,
    /// Whether to tell where bytes were drawn.
    pub(crate) noting: bool,
    /// The number of edges that were taken so far.
    pub(crate) now: u32,
    pub(crate) noted: Vec<DrawnByte>,
    pub(crate) undefined_at: Vec<u32>,
    /// The call of a library function that is not modelled whose effect was looked at first.
    pub(crate) unmodelled: Option<EdgeId>,
    /// All values in the order of execution, if recorded.
    pub drawn: Vec<Drawn>,
    /// What makes the run repeat, if recorded.
    pub choices: Choices,
}

impl<'c> Draws<'c> {
    /// What the world around the execution says.
    pub(crate) fn outside(&mut self, asked: Asked) -> Option<i64> {
        self.chooser.outside(asked)
    }

    /// Asks `chooser`.
    pub fn new(chooser: &'c mut dyn Chooser, model: DataModel, recording: bool) -> Self {
        Self {
            chooser,
            model,
            recording,
            noting: false,
            now: 0,
            noted: Vec::new(),
            undefined_at: Vec::new(),
            unmodelled: None,
            drawn: Vec::new(),
            choices: Choices::default(),
        }
    }

    pub(crate) fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        let value = self.chooser.havoc(edge, source, ty) & scalar::mask(ty.bits(self.model));
        if self.recording {
            self.drawn.push(Drawn { edge, source, ty, value });
            self.choices.havocs.push(value);
        }
        value
    }

    /// The byte at `offset` of the object with this birth, which lies at `address`.
    pub(crate) fn byte(&mut self, birth: u32, offset: u64, address: u64) -> u8 {
        if self.noting {
            self.noted.push(DrawnByte { taken: self.now, address, birth, offset });
        }
        let byte = self.chooser.byte(birth, offset);
        if self.recording && byte != 0 {
            self.choices.bytes.insert((birth, offset), byte);
        }
        byte
    }

    pub(crate) fn undefined(&mut self, edge: EdgeId, ty: Scalar) -> u128 {
        if self.noting {
            self.undefined_at.push(self.now);
        }
        let value = self.chooser.undefined(edge, ty) & scalar::mask(ty.bits(self.model));
        if self.recording {
            self.choices.undefined.push(value);
        }
        value
    }

    pub(crate) fn address(&mut self, birth: u32) -> Option<u64> {
        let address = self.chooser.address(birth)?;
        if self.recording {
            self.choices.addresses.insert(birth, address);
        }
        Some(address)
    }
}
