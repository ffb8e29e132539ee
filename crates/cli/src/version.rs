//! `argonaut --version`: what this program was built from, and whose work is inside it.

use driver::Linked;

/// Crates that solve, with the versions that `Cargo.lock` names.
const CRATES: [(&str, &str, &str); 2] =
    [("batsat", env!("ARGONAUT_BATSAT"), "MIT"), ("OxiDD", env!("ARGONAUT_OXIDD"), "MIT OR Apache-2.0")];

/// Version, commit, the solvers inside with their versions and licences. One line each.
pub fn long() -> &'static str {
    let crates = CRATES.map(|(name, version, licence)| Linked { name, version: version.to_owned(), licence });
    let mut text = format!(
        "{}\ncommit: {}\nlicence: {}\ncontains:",
        env!("CARGO_PKG_VERSION"),
        env!("ARGONAUT_COMMIT"),
        env!("CARGO_PKG_LICENSE")
    );
    for Linked { name, version, licence } in driver::linked().into_iter().chain(crates) {
        let version = if version.is_empty() { String::new() } else { format!(" {version}") };
        text += &format!("\n  {name}{version} ({licence})");
    }
    text += "\n  and Rust crates, whose licences lie beside installed packages";
    // The command line lives as long as the process.
    text.leak()
}
