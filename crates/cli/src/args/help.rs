//! What `--help` says after the options: exit statuses, files and examples.

pub const EXAMPLES: &str = "\
Examples:
  argonaut verify examples/first-bug.c      find the bug, with the inputs that lead to it
  argonaut verify --time-limit 60s a.c b.c  a program of two files
  argonaut verify task.yml                  a task definition, as used by SV-COMP
  argonaut presets                          what --analysis may be

Exit status of verify: 0 TRUE, 1 FALSE, 2 bad usage or input, 3 UNKNOWN.";

pub const VERIFY_HELP: &str = "\
Errors are calls to reach_error() and __VERIFIER_error(), failed assertions and labels ERROR,
unless --property says otherwise. Inputs are the values of __VERIFIER_nondet_int() and friends.

The last line of standard output is `Verdict: TRUE`, `Verdict: FALSE (unreach-call)` or
`Verdict: UNKNOWN (reason)`. Exit status: 0 TRUE, 1 FALSE, 2 bad usage or input, 3 UNKNOWN.

Examples:
  argonaut verify examples/first-proof.c
  argonaut verify --analysis k-induction --k-max 20 --time-limit 1min loop.c
  argonaut verify --property unreach-call.prp --data-model ILP32 driver.i
  argonaut verify --format json task.yml";

pub const EXPORT_HELP: &str = "\
One step of the system is one iteration of the program's loops, merged into a single one with a program
counter; its bad state is an error. Recursion, floats and (for AIGER) memory that is accessed at
computed addresses are not supported: nothing is written then, and a message says why.

Examples:
  argonaut export --btor2 system.btor2 loop.c
  argonaut export --aiger system.aag --property unreach-call.prp --extern pure eca.c";

pub const VALIDATE_HELP: &str = "\
A violation is confirmed by an execution of the program that the witness describes, a proof by a proof
that uses the witness's invariants and checks each of them.

The last line of standard output is `Witness: CONFIRMED`, `Witness: REJECTED (reason)` or
`Witness: UNKNOWN (reason)`. Exit status: 0 confirmed, 1 rejected, 2 bad usage or input, 3 unknown.

Examples:
  argonaut verify --witness w.yml examples/first-bug.c; argonaut validate --witness w.yml examples/first-bug.c";

pub const CERTIFICATE_HELP: &str = "\
One line for each formula: CONFIRMED if the solver finds no model, REFUTED if it finds one, otherwise UNKNOWN.
The last line of standard output is `Certificate: CONFIRMED (formulas)`, `Certificate: REFUTED (formulas)` or
`Certificate: UNKNOWN (formulas)`. Exit status: 0 confirmed, 1 refuted, 2 bad usage or input, 3 unknown.

Examples:
  argonaut verify --certificate proof examples/first-proof.c; argonaut check-certificate proof --solver z3";

pub const BENCH_HELP: &str = "\
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

pub const PROJECT_HELP: &str = "\
DIR has index.html with links to reports of all functions, results.sarif for code scanning, the harnesses of
violations, and results.jsonl: the same command resumes where an earlier one stopped, and verifies again only
functions whose text, or that of something they use, has changed. Results count only for the user who made them.

Exit status: 0 no findings other than those of the baseline, 1 findings, 2 bad usage or input, 3 stopped before all
functions were verified. Functions that stay open do not count as findings.

Examples:
  argonaut project build/compile_commands.json --time-limit-per-function 20s
  argonaut project src --functions 'parse_*' --baseline main.sarif";

pub const RUN_HELP: &str = "\
Examples:
  argonaut run examples/first-bug.c --input 7 --input -1
  argonaut run examples/first-bug.c --seed 42";
