//! The book: its option reference is what the commands say of themselves, its chapters are listed and exist.
//! `UPDATE_EXPECT=1 cargo test -p cli --test book` writes the reference anew.

mod command;

use command::{argonaut, root};
use expect_test::expect_file;

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
