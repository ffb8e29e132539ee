//! Events: the arbitrary values and the new objects of paths, so that a model of a formula becomes an execution.

use crate::Encoder;
use crate::blocks::Chain;
use crate::float;
use crate::guard::Guard;
use crate::regions::{MemoryHalf, Region};
use cfa::addresses::PAGE;
use cfa::{EdgeId, Scalar, Source};
use rustc_hash::FxHashMap;
use semantics::choices::Choices;
use smt::{BitVec, Solver, SolverFailure, TermId, Terms, Value};
use std::collections::BTreeSet;

/// Something that a path left open.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it happens.
    pub guard: Guard,
    /// What.
    pub kind: EventKind,
}

/// Kinds of [`Event`]s.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// A register got an arbitrary value.
    Input {
        /// The edge that asked for it.
        edge: EdgeId,
        /// What it stands for.
        source: Source,
        /// Its type.
        ty: Scalar,
        /// The variable that stands for it.
        value: TermId,
    },
    /// An object came into being, or its bytes became arbitrary.
    Birth {
        /// Where the values begin in an object that was there before; nothing happens to null.
        pointer: Option<TermId>,
        /// Where it lies, in which regions, and how many bytes it has, if it is in arrays.
        object: Option<(TermId, Vec<Region>, u64)>,
        /// Values at offsets from there, or from the start of the object.
        parts: Vec<(u64, TermId)>,
    },
    /// A read, which gives whatever the model says if the address is null or near it.
    Read {
        /// The address.
        address: TermId,
        /// What was read.
        value: TermId,
        /// Its type.
        ty: Scalar,
    },
    /// The object that a pointer points to became arbitrary; nothing happens to null.
    Forgotten {
        /// The pointer.
        pointer: TermId,
        /// What the pointer's region holds since.
        held: Vec<Held>,
    },
}

/// What a region holds.
#[derive(Clone, Debug)]
pub enum Held {
    /// One value, at this offset of its object.
    Cell {
        /// The offset.
        offset: u64,
        /// The value.
        value: TermId,
    },
    /// Elements by address.
    Array {
        /// The size of an element.
        bytes: u64,
        /// The array.
        value: TermId,
    },
}

impl Encoder<'_> {
    /// What a model says about the choices of its execution: events are encoded along the unrolled program, so the
    /// order of encoding is the order of every execution. Call it after `Sat`.
    pub fn choices(&mut self, solver: &mut dyn Solver) -> Result<Choices, SolverFailure> {
        let events = std::mem::take(&mut self.events);
        let choices = self.choices_of(solver, &events);
        // Also where the solver gives up: there may be further questions.
        self.events = events;
        choices
    }

    fn choices_of(&mut self, solver: &mut dyn Solver, events: &[Event]) -> Result<Choices, SolverFailure> {
        let mut known = FxHashMap::default();
        let mut extraction = Extraction::default();
        for event in events {
            if self.holds(solver, event.guard, &mut known)? {
                extraction.event(self, solver, &event.kind)?;
            }
        }
        Ok(extraction.choices)
    }

    /// The same for a chain of blocks.
    pub fn chain_choices(&mut self, solver: &mut dyn Solver, chain: &Chain) -> Result<Choices, SolverFailure> {
        let events = std::mem::take(&mut self.events);
        let choices = self.chain_choices_of(solver, chain, &events);
        self.events = events;
        choices
    }

    fn chain_choices_of(
        &mut self,
        solver: &mut dyn Solver,
        chain: &Chain,
        events: &[Event],
    ) -> Result<Choices, SolverFailure> {
        let mut extraction = Extraction::default();
        for (event, current, number) in chain.events(events) {
            let rename = |terms: &mut Terms, term: TermId| {
                terms.rename(term, |name, index| match index {
                    Some(_) => Some(current.get(&name).copied().unwrap_or(0)),
                    None => Some(number),
                })
            };
            let guard = self.guards.formula(&mut self.terms, event.guard);
            let guard = rename(&mut self.terms, guard);
            if solver.value(&self.terms, guard)? != Value::Bool(true) {
                continue;
            }
            let kind = match &event.kind {
                EventKind::Input { edge, source, ty, value } => {
                    let value = rename(&mut self.terms, *value);
                    EventKind::Input { edge: *edge, source: *source, ty: *ty, value }
                }
                EventKind::Birth { pointer, object, parts } => EventKind::Birth {
                    pointer: pointer.map(|pointer| rename(&mut self.terms, pointer)),
                    object: object
                        .as_ref()
                        .map(|(address, regions, size)| (rename(&mut self.terms, *address), regions.clone(), *size)),
                    parts: parts.iter().map(|(offset, part)| (*offset, rename(&mut self.terms, *part))).collect(),
                },
                EventKind::Read { address, value, ty } => EventKind::Read {
                    address: rename(&mut self.terms, *address),
                    value: rename(&mut self.terms, *value),
                    ty: *ty,
                },
                EventKind::Forgotten { pointer, held } => EventKind::Forgotten {
                    pointer: rename(&mut self.terms, *pointer),
                    held: held
                        .iter()
                        .map(|held| match *held {
                            Held::Cell { offset, value } => {
                                Held::Cell { offset, value: rename(&mut self.terms, value) }
                            }
                            Held::Array { bytes, value } => {
                                Held::Array { bytes, value: rename(&mut self.terms, value) }
                            }
                        })
                        .collect(),
                },
            };
            extraction.event(self, solver, &kind)?;
        }
        Ok(extraction.choices)
    }

    /// The bytes of an object that the model gives the region's first array.
    fn initial_bytes(
        &mut self,
        solver: &mut dyn Solver,
        choices: &mut Choices,
        birth: u32,
        (address, region, size): (u64, Region, u64),
        arrays: &mut FxHashMap<Region, Value>,
    ) -> Result<(), SolverFailure> {
        let shape = self.model.regions.shape(region);
        if !shape.arbitrary || shape.cell {
            return Ok(());
        }
        let array = match arrays.get(&region) {
            Some(array) => array,
            None => {
                let start = self.start_array(region, MemoryHalf::Arbitrary, 0);
                let value = solver.value(&self.terms, start)?;
                arrays.entry(region).or_insert(value)
            }
        };
        array_bytes(choices, birth, (address, size), array, self.model.regions.shape(region).bytes);
        Ok(())
    }

    /// Whether a guard holds in the solver's model.
    pub fn holds(
        &self,
        solver: &mut dyn Solver,
        guard: Guard,
        known: &mut FxHashMap<Guard, bool>,
    ) -> Result<bool, SolverFailure> {
        let mut path = Vec::new();
        let mut at = guard;
        let mut result = loop {
            if let Some(&value) = known.get(&at) {
                break value;
            }
            match self.guards.last(at) {
                None => break true,
                Some((condition, before)) => {
                    path.push((at, condition));
                    at = before;
                }
            }
        };
        for (at, condition) in path.into_iter().rev() {
            result = result && solver.value(&self.terms, condition)? == Value::Bool(true);
            known.insert(at, result);
        }
        Ok(result)
    }
}

/// Choices on the way from a model to an execution.
#[derive(Default)]
struct Extraction {
    choices: Choices,
    births: u32,
    foreign: BTreeSet<u128>,
    arrays: FxHashMap<Region, Value>,
    /// Where objects lie and how large they are, in the order of their births.
    objects: Vec<(u64, u64)>,
}

impl Extraction {
    /// Where the object lies that a pointer leads to, and how large it is.
    fn object_at(&self, pointer: u64) -> (u64, u64) {
        let around = |&&(start, size): &&(u64, u64)| start <= pointer && pointer - start < size.max(1);
        self.objects.iter().rev().find(around).copied().unwrap_or((pointer, UNKNOWN_SIZE))
    }

    /// An event that happens.
    fn event(&mut self, encoder: &mut Encoder, solver: &mut dyn Solver, kind: &EventKind) -> Result<(), SolverFailure> {
        match kind {
            EventKind::Input { source, ty, value, .. } => {
                let value = solver.value(&encoder.terms, *value)?;
                let bits = encoding_of(&value, *ty);
                self.choices.havocs.push(bits);
                let outside = *ty == Scalar::Ptr && *source != Source::Uninitialised;
                if outside && bits != 0 && self.foreign.insert(bits) {
                    self.births += 1;
                }
            }
            EventKind::Birth { pointer, object, parts } => {
                let mut start = 0;
                if let Some(pointer) = pointer {
                    let pointer = bits_of(&solver.value(&encoder.terms, *pointer)?).map_or(0, |bits| bits as u64);
                    if pointer == 0 {
                        return Ok(());
                    }
                    start = pointer - self.object_at(pointer).0;
                }
                for (offset, part) in parts {
                    let value = solver.value(&encoder.terms, *part)?;
                    write_bytes(&mut self.choices, self.births, start + offset, &value);
                }
                if let Some((address, regions, size)) = object
                    && let Some(address) = bits_of(&solver.value(&encoder.terms, *address)?)
                {
                    self.choices.addresses.insert(self.births, address as u64);
                    self.objects.push((address as u64, *size));
                    for &region in regions {
                        let place = (address as u64, region, *size);
                        encoder.initial_bytes(solver, &mut self.choices, self.births, place, &mut self.arrays)?;
                    }
                }
                self.births += 1;
            }
            EventKind::Read { address, value, ty } => {
                let address = bits_of(&solver.value(&encoder.terms, *address)?);
                if address.is_some_and(|address| address < u128::from(PAGE)) {
                    let value = solver.value(&encoder.terms, *value)?;
                    self.choices.undefined.push(encoding_of(&value, *ty));
                }
            }
            EventKind::Forgotten { pointer, held } => {
                let pointer = bits_of(&solver.value(&encoder.terms, *pointer)?).map_or(0, |bits| bits as u64);
                if pointer == 0 {
                    return Ok(());
                }
                let object = self.object_at(pointer);
                for held in held {
                    match held {
                        Held::Cell { offset, value } => {
                            let value = solver.value(&encoder.terms, *value)?;
                            write_bytes(&mut self.choices, self.births, *offset, &value);
                        }
                        Held::Array { bytes, value } => {
                            let value = solver.value(&encoder.terms, *value)?;
                            array_bytes(&mut self.choices, self.births, object, &value, *bytes);
                        }
                    }
                }
                self.births += 1;
            }
        }
        Ok(())
    }
}

/// So much of an object is looked at whose size is unknown.
const UNKNOWN_SIZE: u64 = 4096;

/// The bytes of an object that a model gives an array with elements of so many bytes.
fn array_bytes(choices: &mut Choices, birth: u32, (address, size): (u64, u64), array: &Value, step: u64) {
    assert!((1..=16).contains(&step), "elements are scalars");
    let Value::Array(array) = array else { return };
    for (index, element) in &array.entries {
        let at = bits_of(index).map_or(0, |bits| bits as u64);
        if at >= address && at - address < size {
            write_bytes(choices, birth, at - address, element);
        }
    }
    let filler = bits_of(&array.default).unwrap_or(0);
    if filler != 0 && size <= 4096 {
        for offset in (0..size).step_by(step as usize) {
            for byte in 0..step {
                let value = (filler >> (8 * byte)) as u8;
                choices.bytes.entry((birth, offset + byte)).or_insert(value);
            }
        }
    }
}

fn bits_of(value: &Value) -> Option<u128> {
    value.as_bits().and_then(BitVec::to_u128)
}

/// Little endian.
fn write_bytes(choices: &mut Choices, birth: u32, offset: u64, value: &Value) {
    let bits = match value {
        Value::Float(format, bits) => {
            let kind = crate::memory::kind_of(*format);
            BitVec::new(kind.bits(), float::encoding(kind, bits.to_u128().unwrap_or(0)))
        }
        Value::BitVec(bits) => bits.clone(),
        Value::Bool(_) | Value::Array(_) => return,
    };
    for at in 0..bits.width() / 8 {
        let byte = bits.extract(8 * at + 7, 8 * at).to_u64().unwrap_or(0) as u8;
        choices.bytes.insert((birth, offset + u64::from(at)), byte);
    }
}

/// The C encoding of a value of a model.
pub fn encoding_of(value: &Value, ty: Scalar) -> u128 {
    match (value, ty) {
        (Value::Bool(value), _) => u128::from(*value),
        (Value::Float(_, bits), Scalar::Float(kind)) => float::encoding(kind, bits.to_u128().unwrap_or(0)),
        (Value::BitVec(bits) | Value::Float(_, bits), _) => bits.to_u128().unwrap_or(0),
        (Value::Array(_), _) => unreachable!("inputs are scalars"),
    }
}
