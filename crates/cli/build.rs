//! Tells the command what it is built from: the commit, and the versions of the crates that solve. Lists the experiments,
//! so that adding one is adding a file.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo::rerun-if-env-changed=ARGONAUT_COMMIT");
    println!("cargo::rustc-env=ARGONAUT_COMMIT={}", commit(&root));
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let lock = std::fs::read_to_string(lock).unwrap_or_default();
    for (variable, name) in [("ARGONAUT_BATSAT", "batsat"), ("ARGONAUT_OXIDD", "oxidd")] {
        println!("cargo::rustc-env={variable}={}", locked(&lock, name).unwrap_or(""));
    }
    list_experiments(&root.join("experiments"));
}

/// Writes the list of experiments with their texts.
fn list_experiments(folder: &Path) {
    let entries = std::fs::read_dir(folder).expect("the folder of experiments");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|word| word == "toml")).collect();
    paths.sort();
    let item = |path: &PathBuf| {
        let name = path.file_stem().expect("it has an extension").to_string_lossy();
        format!("    ({name:?}, include_str!({path:?})),\n")
    };
    let list = format!("&[\n{}]", paths.iter().map(item).collect::<String>());
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&out).join("experiments.rs"), list).expect("a writable build folder");
    println!("cargo::rerun-if-changed={}", folder.display());
}

/// The version of a crate that `Cargo.lock` has chosen.
fn locked<'l>(lock: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    rest.split('"').next()
}

/// The commit, from `ARGONAUT_COMMIT` or from git; a build from an archive has neither.
fn commit(root: &Path) -> String {
    if let Ok(commit) = std::env::var("ARGONAUT_COMMIT") {
        return commit;
    }
    let git = |words: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    // A repository around an unpacked archive is not ours.
    let own = git(&["ls-files", "--error-unmatch", "setup"]).is_some();
    let Some(described) = git(&["log", "-1", "--date=short", "--format=%H (%cd)"]).filter(|_| own) else {
        return "unknown (not built in a git repository)".to_owned();
    };
    watch(root, &git);
    // Sources only: what else lies around is not in the program.
    match git(&["status", "--porcelain", "--", "crates/*/src", "Cargo.toml", "Cargo.lock", "setup"]) {
        Some(changes) if changes.is_empty() => described,
        _ => format!("{described}, with changes"),
    }
}

/// Looks again after a commit and after a change of a source.
fn watch(root: &Path, git: &impl Fn(&[&str]) -> Option<String>) {
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let path = git(&["rev-parse", "--git-path", name]).map(|path| root.join(path));
        if let Some(path) = path.filter(|path| path.exists()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let crates = std::fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
    let mut sources: Vec<PathBuf> = crates.map(|entry| entry.path().join("src")).collect();
    sources.extend(["Cargo.toml", "setup"].map(|name| root.join(name)));
    sources.sort();
    for path in sources {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}
