//! Lists the preset files, so that adding a preset is adding a file.

use std::fmt::Write;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let folder = std::path::Path::new(&root).join("presets");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder of presets")
        .map(|entry| entry.expect("a readable folder").file_name().into_string().expect("a plain file name"))
        .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    let mut list = String::from("&[\n");
    for name in names {
        let path = folder.join(format!("{name}.toml"));
        writeln!(list, "    ({name:?}, include_str!({path:?})),").expect("strings take all text");
    }
    list.push(']');
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    std::fs::write(std::path::Path::new(&out).join("presets.rs"), list).expect("a writable build folder");
    println!("cargo::rerun-if-changed=presets");
}
