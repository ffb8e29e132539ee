//! The invariants of ARCHITECTURE.md that a program can check: the order of crates, who knows whom, who prints, who
//! touches files, where `unsafe` may be, one home for numbers that must agree, one meaning for names that crates share;
//! and that the repository speaks of the project alone.

mod command;

use command::root;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// All files below `folder` with one of these extensions, in order.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("").to_owned();
            if path.is_dir() && name != "target" && name != ".git" {
                folders.push(path);
            } else if path.extension().and_then(|ext| ext.to_str()).is_some_and(|ext| extensions.contains(&ext)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates in the order of the table in ARCHITECTURE.md.
fn table() -> Vec<String> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| {
        let cell = row.split('|').nth(1).unwrap_or("");
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
    })
    .collect()
}

fn crates() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("crates")).expect("the folder of crates");
    let mut names: Vec<String> =
        folders.map(|entry| entry.expect("readable").file_name().into_string().expect("a plain name")).collect();
    names.sort();
    names
}

/// The sources of a crate without its tests.
fn sources(name: &str) -> Vec<(PathBuf, String)> {
    let folder = root().join("crates").join(name).join("src");
    let is_test = |path: &PathBuf| {
        path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs" | "testing.rs")))
    };
    let files = files(&folder, &["rs"]).into_iter().filter(|path| !is_test(path));
    files
        .map(|path| {
            let text = read(&path);
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("").to_owned();
            (path, code)
        })
        .collect()
}

/// Lines of code that contain one of `words`; comments do not count.
fn lines_with(words: &[&str], code: &str) -> Vec<String> {
    let is_comment = |line: &str| line.trim_start().starts_with("//");
    code.lines()
        .filter(|line| !is_comment(line) && words.iter().any(|word| line.contains(word)))
        .map(str::to_owned)
        .collect()
}

#[test]
fn crates_use_only_crates_above_them() {
    let table = table();
    let rank: BTreeMap<&str, usize> = table.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let mut wrong = Vec::new();
    for name in crates() {
        let Some(&own) = rank.get(name.as_str()) else {
            wrong.push(format!("crate {name} is missing in the table of ARCHITECTURE.md"));
            continue;
        };
        let manifest = read(&root().join("crates").join(&name).join("Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("").split("\n[").next().unwrap_or("");
        for used in dependencies.lines().filter(|line| line.contains("path = \"../")) {
            let used = used.split(['=', ' ']).next().unwrap_or("");
            if rank.get(used).is_none_or(|&at| at >= own) {
                wrong.push(format!("{name} uses {used}, which does not stand above it in the table"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The second encoder can be read in one go, and shares only terms and the automaton with the first.
#[test]
fn the_second_encoder_is_short_and_on_its_own() {
    let lines: usize = sources("reference").iter().map(|(path, _)| read(path).lines().count()).sum();
    assert!((100..1000).contains(&lines), "{lines} lines");
    for (name, allowed) in [
        ("reference", &["base", "cfa", "rustc-hash", "smt"][..]),
        ("obligations", &["base", "cfa", "flow", "reference", "smt"]),
    ] {
        let manifest: toml::Table =
            read(&root().join("crates").join(name).join("Cargo.toml")).parse().expect("a manifest is TOML");
        let used: Vec<&str> =
            manifest["dependencies"].as_table().expect("a table").keys().map(String::as_str).collect();
        assert_eq!(used, allowed, "{name}");
    }
}

/// `engine` names no domain, `domains` names no algorithm, and `driver` does not care which analysis it runs.
#[test]
fn algorithms_domains_and_the_driver_do_not_know_each_other() {
    let mut wrong = Vec::new();
    for (name, foreign) in [("engine", "domains"), ("domains", "engine"), ("analysis", "domains")] {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        if manifest.contains(&format!("path = \"../{foreign}\"")) {
            wrong.push(format!("{name} uses {foreign}"));
        }
    }
    for (path, code) in sources("driver") {
        let found = lines_with(&["analysis.name ==", "analysis.name.as_str()", "matches!(analysis.name"], &code);
        wrong.extend(found.iter().map(|line| format!("{}: {line}", path.display())));
    }
    assert_eq!(wrong, [""; 0]);
}

/// What a message means is told by a type, not by its words. Messages of other programs have no types.
#[test]
fn nobody_decides_by_the_words_of_a_message() {
    let foreign = ["driver/src/compiler.rs", "cli/src/main.rs"];
    let subjects = ["message", "reason", "stop.to_string()", "error.to_string()", "problem"];
    let tests = ["starts_with(", "ends_with(", "contains("];
    let words: Vec<String> =
        subjects.iter().flat_map(|subject| tests.iter().map(move |test| format!("{subject}.{test}"))).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut wrong = Vec::new();
    for name in crates().into_iter().filter(|name| name != "testkit") {
        for (path, code) in
            sources(&name).into_iter().filter(|(path, _)| !foreign.iter().any(|file| path.ends_with(file)))
        {
            wrong.extend(lines_with(&words, &code).iter().map(|line| format!("{}: {line}", path.display())));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Numbers that interpreter and formulas must agree on are written down once.
#[test]
fn constants_that_must_agree_have_one_home() {
    for number in ["0x0804_9000", "0x5555_5555_5000", "LOWEST_ADDRESS: u64 =", "pub const PAGE: u64 ="] {
        let all = crates().into_iter().flat_map(|name| sources(&name));
        let homes: Vec<PathBuf> = all.filter(|(_, code)| code.contains(number)).map(|(path, _)| path).collect();
        assert_eq!(homes.len(), 1, "{number} stands in {homes:?}");
    }
}

/// The types that a file declares, with how visible they are: `pub `, `pub(crate) `.
fn declared<'a>(code: &'a str, visibility: &str) -> Vec<&'a str> {
    const KINDS: [&str; 5] = ["struct ", "enum ", "trait ", "union ", "type "];
    // Types from macros stand four blanks further to the right.
    let lines = code.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    let rest = lines.filter_map(|line| line.strip_prefix(visibility));
    let names = rest.filter_map(|line| KINDS.iter().find_map(|kind| line.strip_prefix(kind)));
    names.filter_map(|name| name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()).collect()
}

/// The public types that others see of a module: its own, those of its public modules, and what it passes on of its
/// private ones.
fn exported(file: &Path, found: &mut BTreeMap<String, PathBuf>) {
    let code = read(file);
    let folder = if file.ends_with("lib.rs") { file.with_file_name("") } else { file.with_extension("") };
    let module = |name: &str| Some(folder.join(format!("{name}.rs"))).filter(|path| path.is_file());
    let ids = code.split("define_id!(").skip(1).filter_map(|id| {
        let name = id.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("///"));
        name.and_then(|name| name.strip_suffix(','))
    });
    for name in declared(&code, "pub ").into_iter().chain(ids) {
        found.insert(name.to_owned(), file.to_owned());
    }
    for line in code.lines() {
        let public = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')).and_then(&module);
        if let Some(path) = public {
            exported(&path, found);
        }
    }
    for item in code.split("\npub use ").skip(1) {
        let item = item.split(';').next().unwrap_or("");
        let (head, rest) = item.split_once("::").unwrap_or((item, ""));
        let Some(path) = module(head) else { continue };
        let mut inside = BTreeMap::new();
        exported(&path, &mut inside);
        let wanted: Vec<&str> = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
        found.extend(inside.into_iter().filter(|(name, _)| wanted.contains(&name.as_str())));
    }
}

/// One word per concept: a type that others see has a name that no other crate's type has. What `testkit` calls its
/// own, is not visible elsewhere.
#[test]
fn a_name_of_a_public_type_means_one_thing() {
    // The tree and the automaton are two forms of a program: the tree's names are always written with `ast::`.
    const FORMS_OF_A_PROGRAM: [&str; 5] = ["Expr", "Init", "Record", "Storage", "Type"];
    const THEIR_NUMBERS: [&str; 4] = ["EnumId", "ExprId", "RecordId", "TypeId"];
    // Terms are a language of their own, and its words are those of all languages.
    const WORDS_OF_LANGUAGES: [&str; 3] = ["FunctionId", "Op", "VarId"];
    // There are two encoders on purpose, so that one checks the other.
    const MADE_TWICE: [&str; 1] = ["Encoder"];
    // Always written with its module: `interpreter::Options`.
    const ONE_PER_MODULE: [&str; 1] = ["Options"];
    let allowed = [&FORMS_OF_A_PROGRAM[..], &THEIR_NUMBERS, &WORDS_OF_LANGUAGES, &MADE_TWICE, &ONE_PER_MODULE].concat();
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in crates().into_iter().filter(|name| name != "testkit") {
        let library = root().join("crates").join(&name).join("src/lib.rs");
        let mut found = BTreeMap::new();
        if library.is_file() {
            exported(&library, &mut found);
        }
        for ty in found.into_keys() {
            homes.entry(ty).or_default().push(name.clone());
        }
    }
    assert!(homes.len() > 400, "{}", homes.len());
    homes.retain(|_, crates| crates.len() > 1);
    let unexplained: Vec<_> = homes.iter().filter(|(ty, _)| !allowed.contains(&ty.as_str())).collect();
    assert!(unexplained.is_empty(), "{unexplained:?}");
    let needless: Vec<_> = allowed.iter().filter(|ty| !homes.contains_key(**ty)).collect();
    assert!(needless.is_empty(), "no longer shared: {needless:?}");
}

/// The words on which the whole project rests name one type each, also among those that only a crate's own files see.
#[test]
fn the_first_words_of_the_glossary_name_one_type() {
    for word in ["Place", "Object", "Step", "Segment", "Fact", "Target", "Board"] {
        let mut homes = Vec::new();
        for name in crates().into_iter().filter(|name| name != "testkit") {
            for (path, code) in sources(&name) {
                let visible = ["pub ", "pub(crate) ", "pub(super) "];
                if visible.iter().any(|visibility| declared(&code, visibility).contains(&word)) {
                    homes.push(path);
                }
            }
        }
        assert!(homes.len() <= 1, "{word} is in {homes:?}");
    }
}

/// One term per concept, one meaning per term.
#[test]
fn the_glossary_explains_each_word_once() {
    let text = read(&root().join("docs/glossary.md"));
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(1);
    let words = rows.filter_map(|row| row.split(['|', ',']).nth(1)).map(str::trim);
    let mut seen = std::collections::BTreeSet::new();
    let twice: Vec<&str> = words.filter(|word| !seen.insert(*word)).collect();
    assert_eq!(twice, [""; 0]);
    assert!(seen.len() > 40, "{seen:?}");
}

/// A list at the head of a file, as in "- `store`: states", names the file's own modules.
#[test]
fn lists_of_modules_name_those_that_exist() {
    let mut wrong = Vec::new();
    for path in files(&root().join("crates"), &["rs"]) {
        let text = read(&path);
        let is_module = |name: &str| text.contains(&format!("mod {name};"));
        for line in text.lines().filter(|line| line.starts_with("//! - `") || line.starts_with("//!   `")) {
            let mut parts = line.split('`').skip(1);
            while let (Some(name), Some(after)) = (parts.next(), parts.next()) {
                let is_word =
                    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
                if is_word && after.starts_with(": ") && text.contains("\nmod ") && !is_module(name) {
                    wrong.push(format!("{}: {name}", path.display()));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// What the architecture and the comments at the head of files call `crate::module` exists.
#[test]
fn modules_that_are_named_exist() {
    let mut wrong = Vec::new();
    let mut texts: Vec<(PathBuf, String)> =
        vec![(root().join("ARCHITECTURE.md"), read(&root().join("ARCHITECTURE.md")))];
    for path in files(&root().join("crates"), &["rs"]) {
        let head: Vec<String> = read(&path).lines().filter(|line| line.starts_with("//!")).map(str::to_owned).collect();
        texts.push((path, head.join("\n")));
    }
    let crates = crates();
    for (path, text) in texts {
        for name in text.split('`').skip(1).step_by(2) {
            let Some((of, module)) = name.split_once("::").filter(|(of, _)| crates.iter().any(|name| name == of))
            else {
                continue;
            };
            let module = module.split("::").next().unwrap_or("");
            if !module.starts_with(|letter: char| letter.is_ascii_lowercase()) || module.contains(['(', ' ', '<']) {
                continue;
            }
            let folder = root().join("crates").join(of).join("src");
            let is_file = folder.join(format!("{module}.rs")).is_file() || folder.join(module).is_dir();
            let is_item = || {
                let words = [format!("fn {module}"), format!("macro_rules! {module}"), format!("mod {module}")];
                sources(of).iter().any(|(_, code)| words.iter().any(|word| code.contains(word)))
            };
            if !is_file && !is_item() {
                wrong.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn only_cli_prints_only_driver_touches_files_only_solvers_are_unsafe() {
    let mut wrong = Vec::new();
    // `testkit` is a tool of the tests, not a part of the product.
    for name in crates().into_iter().filter(|name| name != "testkit") {
        for (path, code) in sources(&name) {
            let mut forbidden = Vec::new();
            if name != "cli" {
                forbidden.extend([
                    "println!(",
                    "eprintln!(",
                    "print!(",
                    "eprint!(",
                    "dbg!(",
                    "process::exit(",
                    "io::stdout",
                    "io::stderr",
                ]);
            }
            if name != "cli" && name != "driver" {
                forbidden.extend(["fs::read", "fs::write", "File::open", "File::create", "OpenOptions"]);
            }
            if !name.starts_with("smt-") {
                forbidden.extend(["unsafe {", "unsafe fn", "unsafe impl"]);
            }
            forbidden.extend(["todo!(", "unimplemented!("]);
            wrong.extend(lines_with(&forbidden, &code).iter().map(|line| format!("{}: {line}", path.display())));
        }
    }
    // `base` looks at the memory of its own process, which is not a file of the user's.
    wrong.retain(|line| !line.contains("\"/proc/self/") && !line.contains("\"/proc/thread-self/"));
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> = files(&root().join("crates"), &["rs"])
        .iter()
        .filter(|path| !read(path).trim_start().starts_with("//!"))
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(silent, [""; 0]);
}

/// A module with parts is `x.rs` beside a folder `x`. Only helpers of tests are `mod.rs`, since every other file in a
/// folder of tests is a test of its own.
#[test]
fn modules_are_called_by_their_names() {
    let in_sources =
        |path: &PathBuf| path.ends_with("mod.rs") && path.components().any(|part| part.as_os_str() == "src");
    let found: Vec<PathBuf> = files(&root().join("crates"), &["rs"]).into_iter().filter(in_sources).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn no_paths_of_a_machine() {
    // Written so that this file does not contain what it looks for.
    let words: Vec<String> = ["work/", "root/", "home/", "tmp/w"].iter().map(|path| format!("\"/{path}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut wrong = Vec::new();
    for path in files(&root(), &["rs", "md", "toml", "c", "yml", "sh"]) {
        let text = read(&path);
        let found = text.lines().filter(|line| words.iter().any(|word| line.contains(word)));
        wrong.extend(found.map(|line| format!("{}: {line}", path.display())));
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn ci_runs_the_commands_of_the_readme() {
    let command = "./setup --tests && cargo test --workspace";
    assert!(read(&root().join("README.md")).contains(&format!("```sh\n{command}\n```")));
    let script = read(&root().join(".ci/run"));
    assert!(script.contains("README.md") && script.contains("bash -c \"${commands[1]}\""));
}

/// Whether an SPDX expression can be satisfied by `allowed` licences. `AND` binds stronger than `OR`.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    any_of(&words, &mut at, allowed) && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut found = all_of(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        found |= all_of(words, at, allowed);
    }
    found
}

fn all_of(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut found = one_of(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        found &= one_of(words, at, allowed);
    }
    found
}

fn one_of(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let word = words.get(*at).copied().unwrap_or("");
    *at += 1;
    if word == "(" {
        let found = any_of(words, at, allowed);
        *at += 1;
        return found;
    }
    let mut licence = word.to_owned();
    if words.get(*at) == Some(&"WITH") {
        licence = format!("{word} WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
    }
    allowed.contains(&licence)
}

#[test]
fn licences_are_put_together() {
    let allowed = ["MIT".to_owned(), "A WITH x".to_owned()];
    for good in ["MIT", "B OR MIT", "B/MIT", "(B OR MIT) AND A WITH x", "B AND B OR MIT"] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["", "B", "MIT AND B", "(MIT OR B) AND A", "MIT MIT", "A WITH y"] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

/// What `cargo deny check licenses sources` checks, without a tool that takes minutes to compile.
#[test]
fn dependencies_have_licences_that_go_with_ours() {
    let rules: toml::Table = read(&root().join("deny.toml")).parse().expect("TOML");
    let allowed: Vec<String> = rules["licenses"]["allow"].clone().try_into().expect("a list of licences");
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .expect("cargo");
    let data: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = data["packages"].as_array().expect("a list");
    assert!(packages.len() > 50, "{}", packages.len());
    let mut wrong = Vec::new();
    for package in packages {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or("none"));
        if !is_allowed(licence, &allowed) {
            wrong.push(format!("{name}: licence {licence}"));
        }
        let own = package["source"].is_null();
        let registered = package["source"].as_str().is_some_and(|source| source.starts_with("registry+"));
        if !own && !registered {
            wrong.push(format!("{name}: from {}", package["source"]));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Laws stand in the domain's own `laws`, or in the file of laws that compares with the evaluator of `semantics`.
#[test]
fn every_domain_has_laws() {
    // Its order is entailment: a solver decides it, and `analyses` tests it with one.
    const BY_A_SOLVER: [&str; 1] = ["predicate"];
    let folder = root().join("crates/domains/src");
    let compared = read(&root().join("crates/driver/tests/laws.rs"));
    let mut without = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder of domains") {
        let path = entry.expect("readable").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("").to_owned();
        if path.is_dir() || name == "lib" || BY_A_SOLVER.contains(&name.as_str()) {
            continue;
        }
        let parts = path.with_extension("");
        let mut texts = if parts.is_dir() { files(&parts, &["rs"]) } else { Vec::new() };
        texts.push(path);
        let own = texts.iter().any(|path| read(path).contains("mod laws"));
        if !own && !compared.contains(&format!("domains::{name}::")) {
            without.push(name);
        }
    }
    assert_eq!(without, [""; 0]);
}

/// Size of the crates, in the order of the table in ARCHITECTURE.md: `cargo test -p cli --test tidy -- --nocapture glance`.
#[test]
fn crates_at_a_glance() {
    const KINDS: [&str; 9] = ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "union"];
    let count = |code: &str, found: &dyn Fn(&str) -> bool| code.lines().filter(|line| found(line)).count();
    let is_public = |line: &str| {
        let rest = line.trim_start().strip_prefix("pub ");
        rest.and_then(|rest| rest.split(' ').next()).is_some_and(|word| KINDS.contains(&word))
    };
    let is_code = |line: &str| !line.trim_start().starts_with("//") && !line.trim().is_empty();
    let asserts = ["assert!(", "assert_eq!(", "assert_ne!(", "unreachable!(", ".expect(", "assert_valid("];
    println!("{:14} {:>6} {:>7} {:>7} {:>8}", "crate", "files", "lines", "public", "asserts");
    for name in table() {
        let sources = sources(&name);
        let lines: usize = sources.iter().map(|(_, code)| count(code, &is_code)).sum();
        let public: usize = sources.iter().map(|(_, code)| count(code, &is_public)).sum();
        let asserts: usize = sources.iter().map(|(_, code)| lines_with(&asserts, code).len()).sum();
        assert!(lines > 0, "{name} is empty");
        println!("{name:14} {:6} {lines:7} {public:7} {asserts:8}", sources.len());
    }
}
