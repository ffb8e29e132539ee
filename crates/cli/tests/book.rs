//! The book: its references of options are what the commands and the option structs say, its experiments are what their
//! results say, its chapters are listed and exist. `UPDATE_EXPECT=1 cargo test -p cli --test book` writes the references
//! and the experiments' tables and plots again.

mod command;

use command::{argonaut, root};
use driver::{Plan, Preset};
use expect_test::expect_file;
use std::collections::BTreeMap;
use std::path::Path;

/// The names of the subcommands, as `argonaut --help` lists them.
fn commands() -> Vec<String> {
    let help = argonaut(&["--help"]).out;
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| line.starts_with("  "));
    let names = list.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_option_reference_is_what_the_commands_say() {
    let mut page = String::from("# Options\n\nWhat `argonaut COMMAND --help` says.\n");
    let commands = commands();
    assert!(commands.len() >= 4, "{commands:?}");
    for name in commands {
        let help = argonaut(&[&name, "--help"]).out;
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        page += &format!("\n## argonaut {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    }
    expect_file![root().join("docs/book/src/options.md")].assert_eq(&page);
}

/// A table for each engine; the last column has the presets that set the option to something else than its default.
#[test]
fn the_engine_options_are_what_their_structs_declare() {
    let mut page = String::from(
        "# Engine options\n\nThe options of each engine, as `--set KEY=VALUE` and presets take them; `UPDATE_EXPECT=1 cargo \
         test -p cli --test book` writes this page from the option structs.\n`argonaut presets NAME` shows the same for one \
         preset. Presets that are not named in the last column use the default.\n",
    );
    let mut engines = BTreeMap::new();
    for preset in Preset::all() {
        if let Plan::Engine { analysis, options } = preset.plan() {
            engines.entry(analysis.name).or_insert_with(|| (analysis, Vec::new())).1.push((preset.name, options));
        }
    }
    assert!(engines.len() > 10, "{}", engines.len());
    for (name, (analysis, presets)) in engines {
        let names: Vec<String> = presets.iter().map(|(name, _)| format!("`{name}`")).collect();
        page += &format!("\n## {name}\n\nPresets: {}\n\n", names.join(", "));
        let declared = (analysis.options)();
        if declared.is_empty() {
            page += "It has no options.\n";
            continue;
        }
        page += "| option | value | default | what it does | set by |\n|---|---|---|---|---|\n";
        for option in declared {
            let other = |(name, options): &(String, driver::Options)| {
                let value = options.value(&option.name)?.trim_matches('"').to_owned();
                (value != option.default).then(|| format!("`{name}`: `{value}`"))
            };
            let set: Vec<String> = presets.iter().filter_map(other).collect();
            let cells =
                [&option.kind, &option.default, &option.help, &set.join(", ")].map(|cell| cell.replace('|', "\\|"));
            page += &format!("| `{}` | {} |\n", option.name, cells.join(" | "));
        }
    }
    expect_file![root().join("docs/book/src/engines.md")].assert_eq(&page);
}

#[test]
fn the_library_page_is_what_lowering_knows() {
    let mut page = String::from(
        "# The C library\n\nWhat is known about each function; `UPDATE_EXPECT=1 cargo test -p cli --test book` writes this page.\n\
         A definition in the program takes precedence over all of this, and so does one in a file given with `--models`.\n\n\
         - **model**: written in C, in a file of `crates/lower/models`; exact, or with all results that its environment allows\n\
         - **operation**: an operation of the automaton, exact everywhere\n\
         - **executed**: executions compute it; for analyses the result is arbitrary within its range; `sprintf` and `snprintf` \
         with literal formats are models\n\
         - **contract**: what it returns and what its pointers point to is arbitrary, `errno` may change; no counterexample \
         relies on it\n- **unsupported**: UNKNOWN where it is called\n\n| function | what is known |\n|---|---|\n",
    );
    let library = lower::library();
    assert!(library.len() > 1000, "{}", library.len());
    for (name, how) in library {
        let how = match how {
            lower::Modelled::InC(file) => format!("model in {file}"),
            lower::Modelled::Exactly => "operation".into(),
            lower::Modelled::Executed => "executed".into(),
            lower::Modelled::Contract => "contract".into(),
            lower::Modelled::Unsupported => "unsupported".into(),
        };
        page += &format!("| `{name}` | {how} |\n");
    }
    expect_file![root().join("docs/book/src/library.md")].assert_eq(&page);
}

#[test]
fn every_chapter_is_listed_and_every_included_file_exists() {
    let book = root().join("docs/book/src");
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).expect("the list of chapters");
    for entry in std::fs::read_dir(&book).expect("the book's folder") {
        let name = entry.expect("readable").file_name().into_string().expect("a plain name");
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name} is not listed");
        let text = std::fs::read_to_string(book.join(&name)).expect("readable");
        for include in text.split("{{#include ").skip(1) {
            let path = include.split([':', '}']).next().unwrap_or("");
            assert!(book.join(path).is_file(), "{name} includes {path}");
        }
    }
}

/// The words of a command line; quotes stand only around whole words.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace().map(|word| word.trim_matches('\''))
}

/// The parts of pages that experiments make are what their results say. `UPDATE_EXPECT=1` writes them again.
#[test]
fn experiments_are_what_their_results_say() {
    let mut names: Vec<String> = std::fs::read_dir(root().join("experiments"))
        .expect("the folder of experiments")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("a plain name"))
        .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() >= 5, "{names:?}");
    let pages = std::fs::read_dir(root().join("docs/book/src")).expect("the book's folder");
    let pages: String =
        pages.map(|page| std::fs::read_to_string(page.expect("readable").path()).expect("readable")).collect();
    for name in names {
        let paper = name.split('-').next().unwrap_or("");
        let committed = root().join("experiments/results").join(paper);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("experiment-{name}"));
        std::fs::create_dir_all(&folder).expect("a writable folder");
        std::fs::copy(committed.join("results.csv"), folder.join("results.csv")).expect("results");
        let run = argonaut(&["bench", "--experiment", &name, "--out", folder.to_str().expect("a plain path")]);
        assert_eq!(run.code, 0, "{}", run.err);
        let made = std::fs::read_to_string(folder.join(format!("{name}.md"))).expect("written");
        expect_file![committed.join(format!("{name}.md"))].assert_eq(&made);
        assert!(pages.contains(&format!("experiments/results/{paper}/{name}.md}}}}")), "no page shows {name}");
    }
}

/// The abstract states that the page about the lecture shows are those that its commands write.
#[test]
fn the_states_of_the_lecture_are_what_the_commands_write() {
    let page = std::fs::read_to_string(root().join("docs/book/src/paper-ftsrg22.md")).expect("the page");
    let commands: Vec<&str> =
        page.lines().filter(|line| line.starts_with("$ ") && line.contains("--dump-arg")).collect();
    assert!(commands.len() >= 3, "{commands:?}");
    for command in commands {
        let args: Vec<&str> = words(command).skip(2).collect();
        let name = args.iter().find(|word| word.ends_with(".txt")).expect("a file to write");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let path = path.to_str().expect("a plain path");
        let args: Vec<&str> = args.iter().map(|word| if word == name { path } else { word }).collect();
        assert_ne!(argonaut(&args).code, 2, "{command}");
        let written = std::fs::read_to_string(path).expect("written");
        expect_file![root().join("experiments/results/ftsrg22").join(name)].assert_eq(&written);
        assert!(page.contains(&format!("experiments/results/ftsrg22/{name}}}}}")), "the page does not show {name}");
    }
}

/// Every command of the book that shows what it prints does print that; `...` stands for anything.
#[test]
fn what_the_book_shows_really_happens() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let mut tried = 0;
    for entry in std::fs::read_dir(root().join("docs/book/src")).expect("the book's folder") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        for block in text.split("```console\n").skip(1) {
            let block = block.split("```").next().unwrap_or("");
            for command in block.split("$ ").skip(1) {
                let (line, shown) = command.split_once('\n').unwrap_or((command, ""));
                let Some(args) = line.strip_prefix("argonaut ").filter(|args| !args.contains("||")) else { continue };
                let is_output = |word: &str| word.ends_with(".yml") || word.ends_with(".txt");
                let args: Vec<String> = words(args)
                    .map(|word| if is_output(word) { format!("{folder}/{word}") } else { word.to_owned() })
                    .collect();
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let run = argonaut(&args);
                assert_ne!(run.code, 2, "{}: {line}: {}", path.display(), run.err);
                let mut rest = run.out.as_str();
                for part in shown.split("...\n") {
                    let at = rest.find(part).unwrap_or_else(|| panic!("{line} does not print {part}:\n{}", run.out));
                    rest = &rest[at + part.len()..];
                }
                tried += 1;
            }
        }
    }
    assert!(tried >= 6, "{tried}");
}
