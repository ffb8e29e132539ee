//! Options that say which program is meant, and what a function that is verified on its own is called with.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What program is meant.
#[derive(Args, Debug)]
pub struct ProgramArgs {
    /// C files that make up one program (.c, or preprocessed .i), or task definitions (.yml), one or more
    #[arg(required_unless_present = "compile_commands", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Take folders of headers and macros from this file, and without FILE all C files it names
    #[arg(long, value_name = "compile_commands.json")]
    pub compile_commands: Option<PathBuf>,
    /// Sizes of C's types [default: LP64, or what the task definition says]
    #[arg(long, value_enum, value_name = "MODEL")]
    pub data_model: Option<DataModelArg>,
    /// What functions without a body do: return arbitrary values, or also overwrite what their pointer arguments point
    /// to [default: havoc; pure for task definitions]
    #[arg(long = "extern", value_enum, value_name = "WHAT")]
    pub externs: Option<ExternArg>,
    /// What an execution counts for that meets undefined behaviour before an error: nothing, or the error all the same,
    /// as if a bad read gave an arbitrary value and a bad write did nothing
    #[arg(long = "ub", value_enum, value_name = "WHAT", default_value = "report")]
    pub undefined: UndefinedArg,
    /// malloc, calloc, realloc may return null
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// The function where executions start [default: main]
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    /// Library functions as this file defines them, instead of the built-in models; a definition in the program itself
    /// takes precedence over both
    #[arg(long, value_name = "FILE.c")]
    pub models: Vec<PathBuf>,
    /// A folder to search for headers
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
}

/// What functions that are verified on their own are called with.
#[derive(Args, Debug)]
#[command(next_help_heading = "Single functions (with --function, --each-function, or project)")]
pub struct GivenArgs {
    /// How many pointers lie between an argument and the last object that it leads to
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = clap::value_parser!(u32).range(0..=8))]
    pub pointer_depth: u32,
    /// How many elements the objects have that pointers point to, one object for each number of a list such as 1,8
    /// [default: 1,4, and 1 for structures]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub array_length: Vec<u64>,
    /// No two pointers point to the same object
    #[arg(long)]
    pub no_aliasing: bool,
    /// Globals hold arbitrary values when the function is called, not their initial ones
    #[arg(long)]
    pub arbitrary_globals: bool,
    /// What callers have to ensure: a C expression over the parameters, like `requires EXPRESSION` in a comment right
    /// before the function; may be repeated
    #[arg(long, value_name = "EXPRESSION")]
    pub requires: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DataModelArg {
    /// 32-bit int, long and pointers
    #[value(name = "ILP32")]
    Ilp32,
    /// 32-bit int, 64-bit long and pointers
    #[value(name = "LP64")]
    Lp64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExternArg {
    /// Return arbitrary values, change nothing
    Pure,
    /// Also overwrite what non-const pointer arguments point to
    Havoc,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum UndefinedArg {
    /// The execution ends there; the verdict is UNKNOWN with the position
    Report,
    /// The execution continues with arbitrary values
    Continue,
}
