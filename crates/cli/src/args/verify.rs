//! Options of `verify`, the analyses' included.

use super::{GivenArgs, ProgramArgs};
use crate::limits::{parse_memory, parse_time};
use clap::{Args, ValueEnum};
use spec::Property;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Verify this function on its own, with arbitrary arguments; FILE:FUNCTION if several files have one of that name.
    /// Unless --check or --property says otherwise, for all undefined behaviour and failed assertions
    #[arg(long, value_name = "FUNCTION", conflicts_with = "entry")]
    pub function: Option<String>,
    /// Verify each function of the files on its own
    #[arg(long, conflicts_with_all = ["entry", "function"])]
    pub each_function: bool,
    #[command(flatten)]
    pub given: GivenArgs,
    /// The property to check
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,
    /// Check for undefined behaviour instead, a list of: assertions (the default), overflow, memory, read-only, leaks,
    /// cleanup, division, shift, conversion, lossy, uninitialised, null, bounds, pointer, undefined (everything that C
    /// leaves undefined), all; or termination: whether every execution ends
    #[arg(long, value_name = "LIST", conflicts_with = "property", value_parser = Property::checked)]
    pub check: Option<Property>,
    /// Decide each error separately: one verdict per error call, assertion or label, or per call of a small helper around
    /// an error, and one for all. --witness and --harness are about the first violation; further ones go to FILE-2, FILE-3
    /// and so on (before the extension) and to the folders DIR/2, DIR/3 and so on. --report is about the first one
    #[arg(long)]
    pub all_targets: bool,
    /// With `--check termination --analysis ranking`: print how many iterations each loop has at most, as an expression,
    /// where one was proved
    #[arg(long)]
    pub bound_loops: bool,
    /// Which analysis to use, see `argonaut presets`
    #[arg(long, default_value = "auto", value_name = "PRESET")]
    pub analysis: String,
    /// Answer UNKNOWN when this much time has passed
    #[arg(long, value_parser = parse_time, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// Answer UNKNOWN before more memory is used [default: 90 % of what is free]
    #[arg(long, value_parser = parse_memory, value_name = "SIZE")]
    pub memory_limit: Option<u64>,
    /// Read options from a file, with their long names as keys; the command line takes precedence
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// What to print on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Write a witness of a TRUE or FALSE: YAML (version 2.0; 2.1 about termination), or GraphML (1.0) if the name ends
    /// in .graphml
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write the inputs of a FALSE as a C file into this folder, with the command that compiles it
    #[arg(long, value_name = "DIR")]
    pub harness: Option<PathBuf>,
    /// Compile the program of a FALSE with its inputs, execute it, and say whether it reaches the error. Where the system
    /// allows it, the program has no network and writes to a private folder only; the output says where it does not
    #[arg(long)]
    pub confirm: bool,
    /// Write the proof of a TRUE into this folder, as formulas without models that any solver can check; see
    /// `check-certificate`. A TRUE that the second encoder does not confirm has no certificate
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,
    /// Answer UNKNOWN instead of a TRUE that the second encoder does not confirm
    #[arg(long)]
    pub require_independent_check: bool,
    /// Write a page about the answer
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Print only the verdict; no progress
    #[arg(long, short)]
    pub quiet: bool,
    /// How many analyses run at a time, where a preset has several [default: the number of processors]
    #[arg(long, value_name = "NUMBER")]
    pub threads: Option<usize>,
    /// Say what the program is like, which analyses are tried and why
    #[arg(long)]
    pub explain: bool,
    /// Print statistics of the analyses and how long they took
    #[arg(long)]
    pub statistics: bool,
    /// Remember results, and use what earlier runs found out about this program or one that shares functions with
    /// it [default folder: argonaut/store in the user's cache]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    pub store: Option<Option<PathBuf>>,
    /// No store, whatever the configuration file says
    #[arg(long)]
    pub no_store: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Options of single engines.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of the analysis (with --analysis PRESET)")]
pub struct EngineArgs {
    /// Set any option of the preset's engine
    #[arg(long = "set", value_parser = parse_setting, value_name = "KEY=VALUE")]
    pub settings: Vec<(String, String)>,
    /// First bound that k-induction and bounded model checking try
    #[arg(long, value_name = "K")]
    pub k_init: Option<u32>,
    /// Largest bound that k-induction and bounded model checking try
    #[arg(long, value_name = "K")]
    pub k_max: Option<u32>,
    /// How the bound grows
    #[arg(long, value_enum, value_name = "STEP")]
    pub k_increment: Option<IncrementArg>,
    /// Variables that the value analysis tracks from the start, separated by commas
    #[arg(long, value_name = "VARIABLES", value_delimiter = ',')]
    pub track: Vec<String>,
    /// A predicate to start with, a C expression, perhaps `FUNCTION: EXPRESSION`; may be repeated
    #[arg(long = "predicate", value_name = "EXPRESSION")]
    pub predicates: Vec<String>,
    /// Which infeasible prefix of an error path a refinement excludes: `none` for the first, or the one of least or most
    /// `length`, `width`, `depth` or `score` (`score-min`, `width+score`)
    #[arg(long, value_name = "HEURISTIC")]
    pub select: Option<String>,
    /// Start with the precision in this file: what the value analysis tracks, one `x`, `f::x`, `f::s+8` or `f::s[]` per line
    #[arg(long, value_name = "FILE")]
    pub precision_in: Option<PathBuf>,
    /// Write what the value analysis tracked in the end
    #[arg(long, value_name = "FILE")]
    pub precision_out: Option<PathBuf>,
    /// Write the abstract reachability graph, as a picture (.svg), for Graphviz (.dot) or as text (.txt): value analyses,
    /// predicate analyses and their combinations have one, at most 10,000 states are written
    #[arg(long, value_name = "FILE.dot|svg|txt")]
    pub dump_arg: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum IncrementArg {
    /// By one
    One,
    /// By half of it
    Half,
    /// To its double
    Double,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people; the last line is the verdict
    Text,
    /// One JSON document, see docs/json.md
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML, for continuous integration
    Junit,
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().into(), value.trim().into())),
        _ => Err("expected KEY=VALUE".into()),
    }
}

/// The format of results that the words of a command line ask for, also where the rest of them is wrong.
pub fn wanted_format(words: &[std::ffi::OsString]) -> Format {
    let mut format = Format::Text;
    let words: Vec<&str> = words.iter().take_while(|word| *word != "--").filter_map(|word| word.to_str()).collect();
    for (at, word) in words.iter().enumerate() {
        let value = match *word {
            "--format" => words.get(at + 1).copied(),
            word => word.strip_prefix("--format="),
        };
        format = value.and_then(|value| Format::from_str(value, false).ok()).unwrap_or(format);
    }
    format
}
