//! A second encoding of programs as formulas, written from the project's definition of C alone, so that proofs do not
//! rest on one encoder. It is plain and slow: memory is one flat array of bytes with a table of objects (base, size,
//! whether it lives), and a read goes through all writes before it, one by one. Nothing is simplified beyond what the
//! constructors of terms do. Which paths and calls are followed and what has to hold there is the business of others.
//!
//! Meaning: a formula that follows an execution has a model for every execution that the definition allows. Where the
//! definition leaves a result open, and where this encoding knows less (objects that are older than the formula), the
//! value is arbitrary. What has no formula here is refused with its place, never guessed: the first refusal is
//! remembered, values are arbitrary from there on, and in the end there is no formula. A pointer that was made from the
//! address of one object by arithmetic on pointers carries that object: an access through it outside of the object reads
//! an arbitrary value and writes nothing. All other pointers belong to the object where they point.
#![warn(missing_docs)]

mod expression;
mod float;
mod living;
mod memory;
mod objects;
mod state;
mod step;

pub use memory::WriteList;
pub use objects::{Lifetime, RowId};
pub use state::{SymbolicFrame, SymbolicState, SymbolicValue};

use base::{Cancel, IdVec, Span, Stopped};
use cfa::{Expr, FloatKind, Program};
use rustc_hash::FxHashMap;
use smt::{NestedTerms, Sort, TermId};
use std::cell::{Cell, RefCell};

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
    tables: Tables,
    cancel: Cancel,
}

#[derive(Default)]
struct Tables {
    objects: RefCell<IdVec<RowId, objects::Row>>,
    /// The objects of addresses that are the same at all times.
    statics: RefCell<FxHashMap<Expr, RowId>>,
    /// WriteList, each with the length of the list before it.
    writes: RefCell<IdVec<WriteList, (memory::Write, u32)>>,
    reads: RefCell<FxHashMap<(WriteList, SymbolicValue, u64), TermId>>,
    numbers: RefCell<FxHashMap<(FloatKind, TermId), TermId>>,
    /// What holds of variables of the formula.
    assumed: RefCell<Vec<TermId>>,
    refused: RefCell<Option<Refusal>>,
}

impl<'p> Encoder<'p> {
    /// An empty formula about a program.
    pub fn new(program: &'p Program, cancel: &Cancel) -> Self {
        let place = Cell::new(program.functions[program.entry].span);
        let (terms, inexact, inside, tables) = Default::default();
        Encoder { terms, program, place, inexact, inside, tables, cancel: cancel.clone() }
    }

    /// Whether there still is a formula.
    pub fn check(&self) -> Result<(), Refusal> {
        let large = self.terms.terms().len() > MOST_TERMS;
        let large = large.then_some(Refusal::Large("the formula is too large"));
        let stopped = self.cancel.check().err().map(Refusal::Stopped);
        large.or(stopped).into_iter().for_each(|why| self.refuse(why));
        self.tables.refused.borrow().clone().map_or(Ok(()), Err)
    }

    fn refuse(&self, why: Refusal) {
        self.tables.refused.borrow_mut().get_or_insert(why);
    }

    fn unsupported(&self, what: impl Into<String>) {
        self.refuse(Refusal::Unsupported(what.into(), self.place.get()));
    }

    /// A number as wide as an address.
    fn word(&self, value: u64) -> TermId {
        self.terms.bv_u64(self.program.model.pointer_bits(), value)
    }

    fn fresh_bits(&self, name: &str, width: u32) -> TermId {
        self.terms.fresh_var(name, Sort::BitVec(width))
    }

    /// An arbitrary number of this width for each address.
    pub fn fresh_array(&self, name: &str, width: u32) -> TermId {
        self.terms.fresh_var(name, Sort::memory(self.program.model.pointer_bits(), width))
    }

    /// What is not known here.
    pub fn unknown(&self, name: &str, sort: Sort) -> TermId {
        self.inexact.set(true);
        self.terms.fresh_var(name, sort)
    }
}
