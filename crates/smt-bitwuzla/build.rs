//! Finds the Bitwuzla that `./setup` built and links it statically.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=ARGONAUT_BITWUZLA_DIR");
    println!("cargo::rerun-if-env-changed=ARGONAUT_CACHE");
    println!("cargo::rerun-if-changed=../../setup");
    let folder = folder();
    let library = folder.join("lib/libbitwuzla.a");
    println!("cargo::rerun-if-changed={}", library.display());
    if !library.exists() {
        println!(
            "cargo::error=the SMT solver Bitwuzla is missing ({} does not exist): run ./setup in the repository, \
             or point ARGONAUT_BITWUZLA_DIR to a folder with lib/libbitwuzla.a",
            library.display()
        );
        std::process::exit(1);
    }
    println!("cargo::rustc-link-search=native={}", folder.join("lib").display());
    for library in ["bitwuzla", "mpfr", "gmp"] {
        println!("cargo::rustc-link-lib=static:-bundle={library}");
    }
    println!("cargo::rustc-link-lib=dylib=stdc++");
}

/// The folder of the built solver: only `setup` knows the hash of its recipe.
fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("ARGONAUT_BITWUZLA_DIR") {
        return folder.into();
    }
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../setup");
    match Command::new(&setup).arg("--where").output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().into(),
        Ok(output) => panic!("{} --where fails: {}", setup.display(), String::from_utf8_lossy(&output.stderr)),
        Err(error) => panic!("{} --where: {error}", setup.display()),
    }
}
