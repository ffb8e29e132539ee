//! C sources of real libraries, which come inside crates: cargo fetches them into a folder that is given. Nothing of them
//! is part of this repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Fetches crates into a folder unless they are there; the folder that they lie in.
pub fn fetch(folder: &Path, packages: &[&str]) -> Result<PathBuf, String> {
    let vendored = folder.join("vendored");
    if packages.iter().all(|package| vendored.join(package).is_dir()) {
        return Ok(vendored);
    }
    let text = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(folder.join("src")).map_err(text)?;
    std::fs::write(folder.join("src/lib.rs"), "").map_err(text)?;
    let packages: String = packages.iter().map(|package| format!("{package} = \"*\"\n")).collect();
    let manifest = format!(
        "[package]\nname = \"fetched\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n{packages}"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(text)?;
    let done =
        Command::new("cargo").args(["vendor", "--quiet", "vendored"]).current_dir(folder).output().map_err(text)?;
    match done.status.success() {
        true => Ok(vendored),
        false => Err(format!("cargo vendor fails: {}", String::from_utf8_lossy(&done.stderr))),
    }
}
