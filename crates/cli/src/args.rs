//! The command line: what users may type. Everything in `--help` comes from here.

mod help;
mod program;
mod verify;

pub use program::{DataModelArg, ExternArg, GivenArgs, ProgramArgs, UndefinedArg};
pub use verify::{EngineArgs, Format, IncrementArg, VerifyArgs, wanted_format};

use crate::limits::{parse_memory, parse_time};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Argonaut verifies C programs: it proves that no execution reaches an error, or shows an execution that does.
#[derive(Parser, Debug)]
#[command(name = "argonaut", version, long_version = crate::version::long(), max_term_width = 100)]
#[command(after_help = help::EXAMPLES, args_override_self = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Prove that no execution reaches an error, or show one that does
    #[command(after_help = help::VERIFY_HELP)]
    Verify(Box<VerifyArgs>),
    /// Check a witness from any tool: whether what it claims about the program holds
    #[command(after_help = help::VALIDATE_HELP)]
    Validate(ValidateArgs),
    /// Say what is wrong with a witness: its structure, its hashes, its places and expressions
    LintWitness(LintArgs),
    /// Let another solver confirm what `verify --certificate` wrote
    #[command(after_help = help::CERTIFICATE_HELP)]
    CheckCertificate(CertificateArgs),
    /// Execute a program; exit status and output are the program's
    #[command(after_help = help::RUN_HELP)]
    Run(RunArgs),
    /// Print the control-flow automata of a program
    Cfa(CfaArgs),
    /// Write a program as a transition system for hardware model checkers
    #[command(after_help = help::EXPORT_HELP)]
    Export(ExportArgs),
    /// List all presets with their papers, or the options of one
    Presets {
        /// Show the options of this preset, as `--set` takes them
        preset: Option<String>,
    },
    /// Verify every function of a project separately, and after an edit only those that it affects
    #[command(after_help = help::PROJECT_HELP)]
    Project(Box<ProjectArgs>),
    /// Run presets over lists of tasks and write tables and plots
    #[command(after_help = help::BENCH_HELP)]
    Bench(BenchArgs),
    /// Show what `verify --store` has kept, or remove it
    Store(StoreArgs),
    /// Serve an editor: verify files when they are opened or saved (Language Server Protocol on standard input and output)
    Lsp(LspArgs),
    /// Check that everything Argonaut needs is there and works
    Doctor,
    /// Print a script that completes commands and options, for a shell
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, for man(1)
    Man,
}

#[derive(Args, Debug)]
pub struct ValidateArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The witness: YAML (version 2.x) or GraphML (version 1.0)
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,
    /// The property that the witness is about
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,
    /// Answer UNKNOWN when this much time has passed
    #[arg(long, value_parser = parse_time, value_name = "TIME", default_value = "90s")]
    pub time_limit: Duration,
    /// Answer UNKNOWN before more memory is used [default: 90 % of what is free]
    #[arg(long, value_parser = parse_memory, value_name = "SIZE")]
    pub memory_limit: Option<u64>,
    /// No progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Args, Debug)]
pub struct CertificateArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Which solver to run, a program in the search path
    #[arg(long, value_enum, default_value = "z3")]
    pub solver: SolverArg,
    /// How long the solver may take for each formula
    #[arg(long, value_parser = parse_time, value_name = "TIME", default_value = "60s")]
    pub time_limit: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SolverArg {
    /// Z3
    Z3,
    /// cvc5
    Cvc5,
    /// Bitwuzla
    Bitwuzla,
}

#[derive(Args, Debug)]
pub struct LintArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The witness: YAML (version 2.x) or GraphML (version 1.0)
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,
}

#[derive(Args, Debug)]
pub struct ProjectArgs {
    /// compile_commands.json, a folder (with one, or else all C files in it), or a C file
    #[arg(default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
    /// Only functions of these names, in which * and ? stand for any characters; may be repeated [default: all but main]
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub functions: Vec<String>,
    /// Only files of these names
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub files: Vec<String>,
    /// What to check, as in `verify` [default: failed assertions and all undefined behaviour]
    #[arg(long, value_name = "LIST")]
    pub check: Option<String>,
    /// Where results and pages go
    #[arg(long, value_name = "DIR", default_value = crate::project_command::DEFAULT_OUT)]
    pub out: PathBuf,
    /// How long each function may take
    #[arg(long, value_parser = parse_time, value_name = "TIME", default_value = "30s")]
    pub time_limit_per_function: Duration,
    /// Start no further function when this much time has passed
    #[arg(long, value_parser = parse_time, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// The memory limit of each function [default: 90 % of what is free]
    #[arg(long, value_parser = parse_memory, value_name = "SIZE")]
    pub memory_limit: Option<u64>,
    /// How many functions to verify at a time [default: the number of processors]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<usize>,
    /// The results.sarif of an earlier run: only findings that are not in it count
    #[arg(long, value_name = "FILE.sarif")]
    pub baseline: Option<PathBuf>,
    /// Which analysis to use, see `argonaut presets`
    #[arg(long, default_value = "auto", value_name = "PRESET")]
    pub analysis: String,
    /// Sizes of C's types [default: LP64]
    #[arg(long, value_enum, value_name = "MODEL")]
    pub data_model: Option<DataModelArg>,
    /// malloc, calloc, realloc may return null
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// A folder to search for headers, in addition
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro, in addition
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Print only the findings and the totals
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub given: GivenArgs,
}

#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Lists of tasks (.csv with the columns category,task,input,bits,expected; .set) or tasks (.yml)
    #[arg(required_unless_present = "experiment", value_name = "LIST")]
    pub lists: Vec<PathBuf>,
    /// Which presets to run, each perhaps with options set: `auto,bmc k-max=9`
    #[arg(long, value_name = "PRESETS", value_delimiter = ',', default_value = "auto")]
    pub presets: Vec<String>,
    /// Make tables and plots of a paper again: the name of a built-in experiment, such as `bl13-table-1`, or a file. Without
    /// LIST nothing is run; the results in DIR are used
    #[arg(long, value_name = "NAME|FILE.toml", conflicts_with = "presets")]
    pub experiment: Option<String>,
    /// Where results, tables and plots go
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The time limit of every run [default: 60s, or what the experiment says]
    #[arg(long, value_parser = parse_time, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// End a run that has used this much processor time, all its threads together
    #[arg(long, value_parser = parse_time, value_name = "TIME")]
    pub cpu_limit: Option<Duration>,
    /// The memory limit of every run [default: 90 % of what is free]
    #[arg(long, value_parser = parse_memory, value_name = "SIZE")]
    pub memory_limit: Option<u64>,
    /// Keep this counter or phase of `--statistics` as a column of the results; may be repeated
    #[arg(long = "counter", value_name = "NAME")]
    pub counters: Vec<String>,
    /// Where the runs take place
    #[arg(long, value_enum, value_name = "PLACE", default_value = "here")]
    pub on: PlaceArg,
    /// How many runs at a time [default: 1; on a cluster as many as it has room for]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<usize>,
    /// How many analyses a run tries at a time [default: the number of processors; 1 on a cluster]
    #[arg(long, value_name = "NUMBER")]
    pub threads: Option<usize>,
    /// Print only the table
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PlaceArg {
    /// On this machine
    Here,
    /// As job arrays of a Slurm cluster
    Slurm,
}

#[derive(Args, Debug)]
pub struct StoreArgs {
    /// What to do
    #[arg(value_enum, default_value = "show")]
    pub action: StoreAction,
    /// The folder [default: argonaut/store in the user's cache]
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct LspArgs {
    /// How long each verification may take
    #[arg(long, value_parser = parse_time, value_name = "TIME", default_value = "10s")]
    pub time_limit: Duration,
    /// Which analysis to use, see `argonaut presets`
    #[arg(long, default_value = "auto", value_name = "PRESET")]
    pub analysis: String,
    /// What to check, as `verify --check` takes it
    #[arg(long, value_name = "LIST")]
    pub check: Option<String>,
    /// Take folders of headers and macros from this file [default: compile_commands.json in the folder of the file or one
    /// above it]
    #[arg(long, value_name = "compile_commands.json")]
    pub compile_commands: Option<PathBuf>,
    /// Neither keep answers nor use those that were kept
    #[arg(long)]
    pub no_store: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StoreAction {
    /// Print where it is and how large it is
    Show,
    /// Remove everything
    Clear,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The next value of __VERIFIER_nondet_*(); may be repeated, or several separated by commas
    #[arg(long = "input", value_name = "VALUE", value_delimiter = ',', allow_hyphen_values = true)]
    pub inputs: Vec<String>,
    /// A file with input values, separated by blanks or lines
    #[arg(long, value_name = "FILE")]
    pub input_file: Option<PathBuf>,
    /// Draw further values at random, from this seed; without it they are 0
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

#[derive(Args, Debug)]
pub struct CfaArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Show only this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Write a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Write a picture
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("format").required(true).multiple(true).args(["btor2", "aiger"]))]
pub struct ExportArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The property whose violation is the bad state
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,
    /// Write the system in BTOR2: words and arrays
    #[arg(long, value_name = "FILE")]
    pub btor2: Option<PathBuf>,
    /// Write the system in AIGER, as readable text: bits and gates
    #[arg(long, value_name = "FILE")]
    pub aiger: Option<PathBuf>,
}

/// One line that says what is wrong with the command line; clap's own text spans several.
pub fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let words: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    words.join("; ").replace(":;", ":").replacen("error: ", "", 1)
}
