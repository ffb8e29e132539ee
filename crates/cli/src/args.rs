//! The command line: what users may type. Everything in `--help` comes from here.

use crate::limits::{parse_memory, parse_time};
use clap::{Args, Parser, Subcommand, ValueEnum};
use spec::Property;
use std::path::PathBuf;
use std::time::Duration;

/// Argonaut verifies C programs: it proves that no execution reaches an error, or shows an execution that does.
#[derive(Parser, Debug)]
#[command(name = "argonaut", version, long_version = crate::version::long(), max_term_width = 100)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  argonaut verify examples/first-bug.c      find the bug, with the inputs that lead to it
  argonaut verify --time-limit 60s a.c b.c  a program of two files
  argonaut verify task.yml                  a task definition, as used by SV-COMP
  argonaut presets                          what --analysis may be

Exit status of verify: 0 TRUE, 1 FALSE, 2 bad usage or input, 3 UNKNOWN.";

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Prove that no execution reaches an error, or show one that does
    #[command(after_help = VERIFY_HELP)]
    Verify(Box<VerifyArgs>),
    /// Check a witness from any tool: whether what it claims about the program holds
    #[command(after_help = VALIDATE_HELP)]
    Validate(ValidateArgs),
    /// Say what is wrong with a witness: its structure, its hashes, its places and expressions
    LintWitness(LintArgs),
    /// Let another solver confirm what `verify --certificate` wrote
    #[command(after_help = CERTIFICATE_HELP)]
    CheckCertificate(CertificateArgs),
    /// Execute a program; exit status and output are the program's
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// Print the control-flow automata of a program
    Cfa(CfaArgs),
    /// Write a program as a transition system for hardware model checkers
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArgs),
    /// List all presets with their papers, or the options of one
    Presets {
        /// Show the options of this preset, as `--set` takes them
        preset: Option<String>,
    },
    /// Verify every function of a project separately, and after an edit only those that it affects
    #[command(after_help = PROJECT_HELP)]
    Project(Box<ProjectArgs>),
    /// Run presets over lists of tasks and write tables and plots
    #[command(after_help = BENCH_HELP)]
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

const VERIFY_HELP: &str = "\
Errors are calls to reach_error() and __VERIFIER_error(), failed assertions and labels ERROR,
unless --property says otherwise. Inputs are the values of __VERIFIER_nondet_int() and friends.

The last line of standard output is `Verdict: TRUE`, `Verdict: FALSE (unreach-call)` or
`Verdict: UNKNOWN (reason)`. Exit status: 0 TRUE, 1 FALSE, 2 bad usage or input, 3 UNKNOWN.

Examples:
  argonaut verify examples/first-proof.c
  argonaut verify --analysis k-induction --k-max 20 --time-limit 1min loop.c
  argonaut verify --property unreach-call.prp --data-model ILP32 driver.i
  argonaut verify --format json task.yml";

const EXPORT_HELP: &str = "\
One step of the system is one iteration of the program's loops, merged into a single one with a program
counter; its bad state is an error. Recursion, floats and (for AIGER) memory that is accessed at
computed addresses are not supported: nothing is written then, and a message says why.

Examples:
  argonaut export --btor2 system.btor2 loop.c
  argonaut export --aiger system.aag --property unreach-call.prp --extern pure eca.c";

const VALIDATE_HELP: &str = "\
A violation is confirmed by an execution of the program that the witness describes, a proof by a proof
that uses the witness's invariants and checks each of them.

The last line of standard output is `Witness: CONFIRMED`, `Witness: REJECTED (reason)` or
`Witness: UNKNOWN (reason)`. Exit status: 0 confirmed, 1 rejected, 2 bad usage or input, 3 unknown.

Examples:
  argonaut verify --witness w.yml examples/first-bug.c; argonaut validate --witness w.yml examples/first-bug.c";

const CERTIFICATE_HELP: &str = "\
One line for each formula: CONFIRMED if the solver finds no model, REFUTED if it finds one, otherwise UNKNOWN.
The last line of standard output is `Certificate: CONFIRMED (formulas)`, `Certificate: REFUTED (formulas)` or
`Certificate: UNKNOWN (formulas)`. Exit status: 0 confirmed, 1 refuted, 2 bad usage or input, 3 unknown.

Examples:
  argonaut verify --certificate proof examples/first-proof.c; argonaut check-certificate proof --solver z3";

const BENCH_HELP: &str = "\
Results go to DIR/results.csv, one line per run, as soon as it ends: the same command resumes where an
interrupted one stopped. When all runs are done, DIR has table.csv, table.md and index.html with quantile plots.
Scores are SV-COMP's: 2 for a right TRUE, 1 for a right FALSE, -32 for a wrong TRUE, -16 for a wrong FALSE.

With --on slurm, every run is an element of a Slurm job array; time, memory and processors are handed to the
scheduler. Lists, DIR and this command must be on a file system that all nodes share. Partition and account
are those of SBATCH_PARTITION, SBATCH_ACCOUNT and the like. Runs of a lost node are repeated; if this command
is lost, the array goes on, and the same command collects its results. An interrupt cancels the array.

With --experiment, presets, groups of tasks and limits are those of the experiment, and DIR/NAME.md has its tables,
with the paper's figures beside ours, and its plots. The chapter on papers in the book shows them all.

Exit status: 0 all runs are done, 2 bad usage or input, 3 some runs are not done.

Examples:
  argonaut bench --presets auto,k-induction --time-limit 10s --jobs 2 --out results tasks.csv
  argonaut bench --experiment bs12-tables --out results tasks.csv
  argonaut bench --out results loops/*.yml
  argonaut bench --on slurm --memory-limit 4GiB --out results tasks.csv";

const PROJECT_HELP: &str = "\
DIR has index.html with links to reports of all functions, results.sarif for code scanning, the harnesses of
violations, and results.jsonl: the same command resumes where an earlier one stopped, and verifies again only
functions whose text, or that of something they use, has changed. Results count only for the user who made them.

Exit status: 0 no findings other than those of the baseline, 1 findings, 2 bad usage or input, 3 stopped before all
functions were verified. Functions that stay open do not count as findings.

Examples:
  argonaut project build/compile_commands.json --time-limit-per-function 20s
  argonaut project src --functions 'parse_*' --baseline main.sarif";

const RUN_HELP: &str = "\
Examples:
  argonaut run examples/first-bug.c --input 7 --input -1
  argonaut run examples/first-bug.c --seed 42";

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
