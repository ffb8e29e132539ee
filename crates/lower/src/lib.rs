//! AST -> CFA: names are resolved, files linked, types and layouts built, conversions made explicit, initialisers
//! spread into cells, statements turned into edges, library functions replaced by operations or models.
//!
//! What the user got wrong is a [`Diagnostic`]; what we do not model is an `Op::Unsupported` edge at its place.
#![warn(missing_docs)]

mod accesses;
mod address;
mod allocation;
mod arguments;
mod asm;
mod assign;
mod atomic;
mod attributes;
mod body;
mod bools;
mod build;
mod builtin;
mod call;
mod checks;
mod cleanup;
mod complex;
mod condition;
mod constant;
mod context;
mod contract;
mod convert;
mod declare;
mod ends;
mod environment;
mod errno;
mod exit;
mod expr;
mod externs;
mod facts;
mod function;
mod given;
mod half;
mod initializer;
mod known;
mod leaves;
mod link;
mod literal;
mod local_init;
mod loops;
mod lvalue;
mod math;
mod modelled;
mod models;
mod nested;
mod object_size;
mod operator;
mod order;
mod overflow;
mod printed;
mod rounding;
mod scanned;
mod scope;
mod start;
mod static_init;
mod stmt;
mod streams;
mod switch;
mod symbols;
mod tags;
pub mod testing;
mod texts;
mod types;
mod unwind;
mod variable_record;
mod variadic;
mod vector;
mod wide;

#[cfg(test)]
mod tests;

pub use checks::CHECKED;
pub use given::{Aliasing, Given, Globals};
pub use known::{Modelled, library};

use base::{Diagnostic, Interner, SourceMap};
use cfa::{Checks, DataModel, Outside, Program};
use syntax::Ast;

/// What must not be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    /// Calls of these functions.
    pub functions: Vec<String>,
    /// Failed assertions (`__assert_fail` and its like).
    pub assertions: bool,
    /// Labels of these names.
    pub labels: Vec<String>,
}

/// How a program is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Sizes.
    pub model: DataModel,
    /// The function that the program starts with.
    pub entry: String,
    /// What must not be reached.
    pub targets: Targets,
    /// Which undefined behaviour must not happen.
    pub checks: Checks,
    /// What functions without body do.
    pub outside: Outside,
    /// `malloc` and its like may return null.
    pub malloc_may_fail: bool,
    /// The program is executed for a user: models ask the world what comes from outside.
    pub running: bool,
    /// So many units at the end define library functions for programs that do not define them.
    pub models: usize,
    /// What the entry function is called with if it is verified on its own.
    pub given: Option<Given>,
}

impl Default for Options {
    /// LP64, `main`, and every kind of target that is used without a property file.
    fn default() -> Self {
        Self {
            model: DataModel::Lp64,
            entry: "main".into(),
            targets: Targets {
                functions: vec!["reach_error".into(), "__VERIFIER_error".into()],
                assertions: true,
                labels: vec!["ERROR".into()],
            },
            checks: Checks::NONE,
            outside: Outside::Writes,
            malloc_may_fail: false,
            running: false,
            models: 0,
            given: None,
        }
    }
}

/// A program, and what its author should know.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program, indexed.
    pub program: Program,
    /// Warnings only.
    pub warnings: Vec<Diagnostic>,
}

/// Why there is no program.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// To render the diagnostics.
    pub sources: SourceMap,
    /// At least one error.
    pub diagnostics: Vec<Diagnostic>,
}

/// Links the units into one program. Names and texts are those that the units were parsed with.
pub fn lower(
    units: Vec<Ast>,
    names: Interner,
    sources: SourceMap,
    options: &Options,
) -> Result<Lowered, Box<Rejected>> {
    let models = std::cell::OnceCell::new();
    context::Lowering::new(&units, &models, names, sources, options).run()
}
