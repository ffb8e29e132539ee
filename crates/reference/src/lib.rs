//! A second encoding of programs as formulas, written from the project's definition of C alone, so that proofs do not
//! rest on one encoder. It is plain and slow: memory is one flat array of bytes with a table of objects (base, size,
//! whether it lives), and a read goes through all writes before it, one by one. Nothing is simplified beyond what the
//! constructors of terms do. Which paths are followed and what has to hold of them is the business of others.
//!
//! Meaning: a formula that follows an execution has a model for every execution that the definition allows. Where the
//! definition leaves a result open, and where this encoding knows less (objects that are older than the formula), the
//! value is arbitrary. What has no formula here is refused with its place, never guessed: the first refusal is
//! remembered, values are arbitrary from there on, and there is no formula in the end.
//!
//! A pointer that was made from the address of one object by arithmetic on pointers carries that object: an access through
//! it outside of the object reads an arbitrary value and writes nothing. All other pointers belong to the object where
//! they point.
#![warn(missing_docs)]

mod call;
mod expression;
mod float;
mod living;
mod memory;
mod objects;
mod state;
mod step;

pub use state::{ObjectId, SymbolicFrame, SymbolicState, SymbolicValue};

use base::{Cancel, IdVec, Span, Stopped};
use cfa::{FloatKind, FunctionId, Program, VarId};
use rustc_hash::FxHashMap;
use smt::{NestedTerms, Sort, TermId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Formulas with more terms than this are refused.
const MOST_TERMS: usize = 300_000;

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// This has no formula here, and where it is.
    Unsupported(String, Span),
    /// The formulas would be too large.
    Large(&'static str),
    /// The run was asked to stop, or a limit was reached.
    Stopped(Stopped),
}

/// One formula under construction. What grows is in cells, so that calls nest as the terms do.
pub struct Encoder<'p> {
    /// The terms of the formula.
    pub terms: NestedTerms,
    /// What it is about.
    pub program: &'p Program,
    /// Where the program is that is being encoded.
    pub place: Cell<Span>,
    /// Whether some part says less than the definition of C: its models need not be executions.
    pub inexact: Cell<bool>,
    /// Conditions under which reads stay in their objects. What lies outside is arbitrary each time it is read, here and not
    /// for every encoder.
    pub inside: RefCell<Vec<TermId>>,
    /// What holds of variables of the formula.
    assumed: RefCell<Vec<TermId>>,
    objects: RefCell<IdVec<ObjectId, objects::Row>>,
    statics: RefCell<BTreeMap<VarId, ObjectId>>,
    functions: RefCell<BTreeMap<FunctionId, ObjectId>>,
    writes: RefCell<IdVec<memory::Writes, memory::Written>>,
    reads: RefCell<FxHashMap<(memory::Writes, SymbolicValue, u64), TermId>>,
    numbers: RefCell<FxHashMap<(FloatKind, TermId), TermId>>,
    refused: RefCell<Option<Refusal>>,
    cancel: Cancel,
}

impl<'p> Encoder<'p> {
    /// An empty formula about a program.
    pub fn new(program: &'p Program, cancel: &Cancel) -> Self {
        Encoder {
            terms: NestedTerms::default(),
            program,
            place: Cell::new(program.functions[program.entry].span),
            inexact: Cell::default(),
            inside: RefCell::default(),
            assumed: RefCell::default(),
            objects: RefCell::default(),
            statics: RefCell::default(),
            functions: RefCell::default(),
            writes: RefCell::default(),
            reads: RefCell::default(),
            numbers: RefCell::default(),
            refused: RefCell::default(),
            cancel: cancel.clone(),
        }
    }

    /// Whether there still is a formula.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.terms.terms().len() > MOST_TERMS {
            self.refuse(Refusal::Large("the formula is too large"));
        }
        if let Err(stopped) = self.cancel.check() {
            self.refuse(Refusal::Stopped(stopped));
        }
        self.refused.borrow().clone().map_or(Ok(()), Err)
    }

    /// There is no formula, for this reason.
    pub fn refuse(&self, why: Refusal) {
        self.refused.borrow_mut().get_or_insert(why);
    }

    fn unsupported(&self, what: impl Into<String>) {
        self.refuse(Refusal::Unsupported(what.into(), self.place.get()));
    }

    fn assume(&self, condition: TermId) {
        self.assumed.borrow_mut().push(condition);
    }

    /// A number as wide as an address.
    fn word(&self, value: u64) -> TermId {
        self.terms.bv_u64(self.program.model.pointer_bits(), value)
    }

    fn fresh_bits(&self, name: &str, width: u32) -> TermId {
        self.terms.fresh_var(name, Sort::BitVec(width))
    }

    /// An arbitrary number of this width for each address.
    fn fresh_array(&self, name: &str, width: u32) -> TermId {
        self.terms.fresh_var(name, Sort::memory(self.program.model.pointer_bits(), width))
    }

    /// A truth value that is not known here.
    fn unknown(&self, name: &str) -> TermId {
        self.inexact.set(true);
        self.terms.fresh_var(name, Sort::Bool)
    }
}
