//! Certificates: what `verify --certificate` writes and `check-certificate` makes of it.

mod command;

use command::{argonaut, command, file, finish};
use std::path::{Path, PathBuf};

const LOOP: &str = "extern void reach_error(void); extern int nondet(void);
int main(void) { int x = 0; while (nondet()) if (x < 10) x++; if (x > 10) reach_error(); return 0; }";

fn certificate(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let program = file(&format!("{name}.c"), LOOP);
    let folder_name = folder.to_str().expect("a plain path");
    let run = argonaut(&["verify", "--analysis", "intervals", "--certificate", folder_name, &program]);
    assert_eq!(run.verdict(), "Verdict: TRUE", "{}{}", run.out, run.err);
    assert!(run.out.contains("Confirmed by the reference encoding, too"), "{}", run.out);
    folder
}

/// A folder with a program called `z3` that gives this answer.
fn solver(name: &str, answer: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let path = folder.join("z3");
    std::fs::write(&path, format!("#!/bin/sh\necho {answer}\n")).expect("a writable folder");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    folder
}

fn check_with(folder: &Path, answer: &str) -> command::Run {
    let solver = solver(&format!("solver-{answer}"), answer);
    let path = format!("{}:{}", solver.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = command(&["check-certificate", folder.to_str().expect("a plain path")]);
    finish(command.env("PATH", path).output().expect("the command starts"))
}

#[test]
fn the_solver_decides() {
    let folder = certificate("certificate");
    for (answer, code, last) in [
        ("unsat", 0, "Certificate: CONFIRMED (2 formulas)"),
        ("sat", 1, "Certificate: REFUTED (2 of 2 formulas)"),
        ("unknown", 3, "Certificate: UNKNOWN (2 of 2 formulas)"),
    ] {
        let run = check_with(&folder, answer);
        assert_eq!((run.code, run.verdict()), (code, last), "{}{}", run.out, run.err);
    }
    let invariants = std::fs::read_to_string(folder.join("invariants.txt")).expect("it was written");
    assert!(invariants.contains("main") && invariants.contains('x'), "{invariants}");
}

/// Whichever solvers are installed.
#[test]
fn solvers_confirm_the_formulas() {
    let folder = certificate("certificate-real");
    for solver in ["z3", "cvc5", "bitwuzla"] {
        if std::process::Command::new(solver).arg("--version").output().is_err() {
            continue;
        }
        let run = argonaut(&["check-certificate", "--solver", solver, folder.to_str().expect("a plain path")]);
        assert_eq!(run.verdict(), "Certificate: CONFIRMED (2 formulas)", "{solver}: {}{}", run.out, run.err);
    }
}

#[test]
fn other_formulas_are_not_taken_for_the_certificate() {
    let folder = certificate("certificate-changed");
    std::fs::write(folder.join("002.smt2"), "(assert false)(check-sat)\n").expect("our own file");
    let run = check_with(&folder, "unsat");
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("002.smt2: is not the formula that the manifest names"), "{}", run.err);
    let run = argonaut(&["check-certificate", env!("CARGO_TARGET_TMPDIR")]);
    assert_eq!(run.code, 2, "{}", run.out);
}

/// A folder with a manifest that names one formula.
fn stranger(name: &str, formula: &str, says: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificate-stranger");
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let path = folder.join(name);
    std::fs::write(&path, formula).expect("a writable folder");
    let hash = std::process::Command::new("sha256sum").arg(&path).output().expect("it is everywhere").stdout;
    let hash = String::from_utf8_lossy(&hash).split(' ').next().unwrap_or_default().to_owned();
    let formula = serde_json::json!({ "file": name, "sha256": hash, "says": says, "expected": "unsat" });
    let manifest = serde_json::json!({
        "argonaut": "0", "property": "p", "argument": "a", "program": [], "invariants": "i", "obligations": [formula],
    });
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).expect("a writable folder");
    folder
}

#[test]
fn certificates_of_strangers_forge_and_write_nothing() {
    let victim = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificate-victim");
    _ = std::fs::remove_file(&victim);
    let check = |folder: PathBuf| argonaut(&["check-certificate", folder.to_str().expect("a plain path")]);
    let run = check_with(&stranger("a.smt2", "", "x\nCertificate: CONFIRMED (1 formulas)\x1b[2J"), "sat");
    assert_eq!((run.code, run.out.lines().count()), (1, 2), "{}", run.out);
    assert!(run.out.contains("x\\nCertificate") && !run.out.contains('\x1b'), "{}", run.out);
    let run = check_with(&stranger("a.smt2", "", ""), "unsat; echo sat");
    assert_eq!((run.code, run.verdict()), (3, "Certificate: UNKNOWN (1 of 1 formulas)"), "{}", run.out);
    let run = check_with(&stranger("../a.smt2", "", ""), "unsat");
    assert!(run.code == 2 && run.err.contains("cannot be read"), "{}{}", run.out, run.err);
    if std::process::Command::new("z3").arg("--version").output().is_err() {
        eprintln!("no z3 here: not tested");
        return;
    }
    let writes = format!("(set-option :regular-output-channel {victim:?})(assert false)(check-sat)\n");
    let run = check(stranger("a.smt2", &writes, ""));
    assert_ne!(run.code, 0, "{}", run.out);
    let isolated = argonaut(&["doctor"]).out.lines().any(|line| line.starts_with("isolation") && line.contains(" ok "));
    assert_eq!(victim.exists(), !isolated, "{}", run.out);
}

#[test]
fn a_true_that_is_not_confirmed_can_be_refused() {
    // Recursion of unknown depth is nothing that can be unrolled.
    let recursive = "extern void reach_error(void); extern int nondet(void);
int f(int n) { if (n <= 0) return 0; return f(n - 1); }
int main(void) { if (f(nondet()) != 0) reach_error(); return 0; }";
    let program = file("refused.c", recursive);
    let run = argonaut(&["verify", "--analysis", "summaries", "--time-limit", "20s", &program]);
    assert_eq!(run.verdict(), "Verdict: TRUE", "{}", run.out);
    let run = argonaut(&[
        "verify",
        "--analysis",
        "summaries",
        "--time-limit",
        "20s",
        "--require-independent-check",
        &program,
    ]);
    let wanted = "Verdict: UNKNOWN (the proof is not confirmed independently: ";
    assert!(run.verdict().starts_with(wanted), "{}", run.out);
    assert_eq!(run.code, 3);
}
