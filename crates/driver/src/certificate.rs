//! Certificates: a folder with the formulas that show a TRUE, each for a solver that knows nothing of Argonaut.
//!
//! `manifest.json` names the program with its hashes, the property and all formulas; `invariants.txt` is for people;
//! `check.sh` shows how any solver confirms the formulas.

use crate::children::{ChildEnd, ChildLimits, ChildProgram};
use crate::output::write_file;
use crate::private_folder::PrivateFolder;
use cfa::{ExprId, Node, Program};
use obligations::Role;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use verdict::{Independent, Proof};

const MANIFEST: &str = "manifest.json";
const INVARIANTS: &str = "invariants.txt";
const SCRIPT: &str = "check.sh";
/// Works with every solver whose answer is the first line of its output.
const CHECK: &str = "\
#!/bin/sh
# Confirms the certificate in this folder without Argonaut: every formula must be unsatisfiable.
# Usage: sh check.sh [SOLVER [ARGUMENT...]], for example: sh check.sh z3, sh check.sh cvc5 --tlimit=60000
cd \"$(dirname \"$0\")\" || exit 2
[ $# -gt 0 ] || set -- z3
wrong=0
for formula in *.smt2; do
    answer=$(\"$@\" \"$formula\" | head -n 1)
    echo \"$formula: $answer\"
    [ \"$answer\" = unsat ] || wrong=$((wrong + 1))
done
[ \"$wrong\" -eq 0 ] && echo confirmed || { echo \"not confirmed: $wrong\"; exit 1; }
";

/// The formulas of a proof that was confirmed.
#[derive(Clone, Debug)]
pub struct Certificate {
    how: String,
    invariants: String,
    /// What each says, and its text.
    obligations: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Manifest {
    argonaut: String,
    property: String,
    /// By which argument the formulas show the property.
    argument: String,
    program: Vec<ProgramFile>,
    invariants: String,
    obligations: Vec<Formula>,
}

#[derive(Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct ProgramFile {
    file: String,
    sha256: String,
}

#[derive(Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Formula {
    file: String,
    sha256: String,
    says: String,
    expected: String,
}

impl Certificate {
    pub(crate) fn new(program: &Program, proof: &Proof, obligations: Vec<(Role, String)>) -> Self {
        let how = match &proof.independent {
            Independent::Confirmed { how, .. } => how.clone(),
            Independent::NotAsked | Independent::Not(_) => unreachable!("only what was confirmed has a certificate"),
        };
        let obligations = obligations.into_iter().map(|(role, text)| (role.describe(program), text)).collect();
        Certificate { how, invariants: readable(program, proof), obligations }
    }

    /// Writes the folder. Formulas of an earlier certificate go away.
    pub fn write(&self, folder: &Path, files: &[(String, Vec<u8>)], property: &str) -> Result<(), String> {
        let problem = |error: std::io::Error| format!("{}: cannot be written ({error})", folder.display());
        std::fs::create_dir_all(folder).map_err(problem)?;
        for entry in std::fs::read_dir(folder).map_err(problem)? {
            let path = entry.map_err(problem)?.path();
            if path.extension().is_some_and(|extension| extension == "smt2") {
                std::fs::remove_file(path).map_err(problem)?;
            }
        }
        let mut obligations = Vec::new();
        for (number, (says, text)) in self.obligations.iter().enumerate() {
            let file = format!("{:03}.smt2", number + 1);
            let text = format!("; {says}\n{text}(exit)\n");
            write_file(&folder.join(&file), &text)?;
            let sha256 = witness::sha256(text.as_bytes());
            obligations.push(Formula { file, sha256, says: says.clone(), expected: "unsat".into() });
        }
        let hash =
            |(file, bytes): &(String, Vec<u8>)| ProgramFile { file: file.clone(), sha256: witness::sha256(bytes) };
        let manifest = Manifest {
            argonaut: env!("CARGO_PKG_VERSION").into(),
            property: property.into(),
            argument: self.how.clone(),
            program: files.iter().map(hash).collect(),
            invariants: INVARIANTS.into(),
            obligations,
        };
        let manifest = serde_json::to_string_pretty(&manifest).expect("names and texts are plain");
        write_file(&folder.join(INVARIANTS), &self.invariants)?;
        write_file(&folder.join(SCRIPT), CHECK)?;
        write_file(&folder.join(MANIFEST), &(manifest + "\n"))
    }
}

/// The invariants as people read them, one a line with its place.
fn readable(program: &Program, proof: &Proof) -> String {
    let mut shown = program.clone();
    shown.exprs = proof.exprs.clone();
    let mut text = String::new();
    let mut line = |&(node, invariant): &(Node, ExprId)| {
        let function = shown.function_name(shown.nodes[node].function);
        let span = shown.leaving(node).next().map(|edge| shown.edges[edge].span);
        let place = span.map_or(String::new(), |span| shown.sources.display(span).to_string());
        writeln!(text, "{place} ({function}, {node}): {}", shown.expr_text(invariant)).expect("strings take all text");
    };
    proof.invariants.iter().for_each(&mut line);
    if text.is_empty() {
        text.push_str("The proof has no invariants.\n");
    }
    text
}

/// A solver that is a program of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverProgram {
    /// Z3.
    Z3,
    /// cvc5.
    Cvc5,
    /// Bitwuzla.
    Bitwuzla,
}

impl SolverProgram {
    /// The command with its own time limit. What it reads may come from strangers, and formulas can ask for files to be
    /// written.
    fn command(self, limit: Duration, alone: &Path) -> ChildProgram {
        let (name, limit) = match self {
            SolverProgram::Z3 => ("z3", format!("-T:{}", limit.as_secs().max(1))),
            SolverProgram::Cvc5 => ("cvc5", format!("--tlimit={}", limit.as_millis())),
            SolverProgram::Bitwuzla => ("bitwuzla", format!("--time-limit={}", limit.as_millis())),
        };
        ChildProgram::new(name).args([limit]).alone(alone)
    }
}

/// How much longer than its own limit a solver may take.
const GRACE: Duration = Duration::from_secs(10);
/// How much it may print.
const MOST_OUTPUT: usize = 1 << 20;

/// What a solver says of one formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The formula's file.
    pub file: String,
    /// What it says.
    pub says: String,
    /// `Ok(true)`: no model; `Ok(false)`: a model; `Err`: neither, for this reason.
    pub answer: Result<bool, String>,
}

/// Has a solver look at all formulas of a certificate; `tell` hears each answer at once. `Err`: it is not a certificate, or
/// the solver cannot be run.
pub fn check_certificate(
    folder: &Path,
    solver: SolverProgram,
    limit: Duration,
    tell: &mut dyn FnMut(&Checked),
) -> Result<Vec<Checked>, String> {
    let path = folder.join(MANIFEST);
    let text = is_plain_file(&path).then(|| std::fs::read_to_string(&path));
    let text = text.unwrap_or_else(|| Err(std::io::ErrorKind::NotFound.into()));
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    let manifest: Manifest = serde_json::from_str(&text)
        .map_err(|error| format!("{}: no manifest of a certificate ({error})", path.display()))?;
    if manifest.obligations.is_empty() {
        return Err(format!("{}: the certificate has no formulas", path.display()));
    }
    let alone = PrivateFolder::new()?;
    let mut all = Vec::new();
    for formula in manifest.obligations {
        let answer = ask(&folder.join(&formula.file), &formula, solver, limit, alone.path())?;
        let checked = Checked { file: formula.file, says: formula.says, answer };
        tell(&checked);
        all.push(checked);
    }
    Ok(all)
}

fn is_plain_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_file())
}

fn ask(
    path: &Path,
    formula: &Formula,
    solver: SolverProgram,
    limit: Duration,
    alone: &Path,
) -> Result<Result<bool, String>, String> {
    let inside = Path::new(&formula.file).file_name() == Some(formula.file.as_ref());
    let bytes = (inside && is_plain_file(path)).then(|| std::fs::read(path).ok()).flatten();
    let bytes = bytes.ok_or_else(|| format!("{}: cannot be read", path.display()))?;
    if witness::sha256(&bytes) != formula.sha256 {
        return Err(format!("{}: is not the formula that the manifest names", path.display()));
    }
    // No solver takes an absolute path for an option.
    let path: PathBuf = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let command = solver.command(limit, alone).args([path]).most_output(MOST_OUTPUT);
    let ended = command.within(ChildLimits::default(), limit.saturating_add(GRACE)).run();
    let ended = ended.map_err(|error| format!("{solver:?} cannot be run ({error})"))?;
    let text = String::from_utf8_lossy(&ended.out);
    let mut lines = text.lines().map(str::trim);
    Ok(match (lines.next().unwrap_or(""), lines.next()) {
        _ if matches!(ended.end, ChildEnd::Time | ChildEnd::Output | ChildEnd::Memory) => Err(ended.end.to_string()),
        ("unsat", None) => Ok(true),
        ("sat", None) => Ok(false),
        ("", _) => Err("the solver gives no answer".into()),
        ("sat" | "unsat", Some(_)) => Err("the solver says more than one thing".into()),
        (other, _) => Err(other.to_owned()),
    })
}
