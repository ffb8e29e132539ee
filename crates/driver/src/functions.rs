//! The functions that a file defines, each with a digest of all that its meaning depends on: so that after an edit only
//! those are verified again that it may concern.
//!
//! Declarations without a value (types, prototypes) count for all functions of the file. Function bodies and variables
//! with a value count for those functions that mention them, directly or by way of what they mention.

use crate::InputError;
use crate::load::{Sources, parse_units};
use crate::requires::comment;
use crate::source::FileText;
use crate::store::{Digest, Feed, build, words};
use crate::task::Task;
use base::{Interner, SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syntax::Ast;
use syntax::ast::{DeclId, DeclKind, Storage};

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedFunction {
    /// Its name.
    pub name: String,
    /// The line of its name in the file.
    pub line: u32,
    /// The last line of its body.
    pub last: u32,
    /// What it depends on in the text.
    pub digest: String,
}

/// The functions that the one file of a task defines itself, not by inclusion, in order.
pub fn functions(task: &Task, sources: Sources) -> Result<Vec<ListedFunction>, InputError> {
    let files = sources.0.clone();
    let (map, names, units) = parse_units(sources)?;
    // Everything else that the meaning depends on, but for names of files.
    let asked = format!("{:?}", Task { files: Vec::new(), entry: String::new(), expected: None, ..task.clone() });
    Ok(units.iter().zip(&files).flat_map(|(unit, file)| of_unit(&map, &names, unit, file, &asked)).collect())
}

/// A function body or a variable with a value.
struct Item {
    digest: Digest,
    mentions: BTreeSet<String>,
}

fn of_unit(map: &SourceMap, names: &Interner, unit: &Ast, file: &FileText, asked: &str) -> Vec<ListedFunction> {
    let mut shared = Feed::default();
    shared.text(asked).text(&build());
    let mut items: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    let mut always: BTreeSet<String> = BTreeSet::new();
    let mut defined = Vec::new();
    for &id in &unit.items {
        let text = map.snippet(unit[id].span);
        let own = own_names(unit, names, id);
        if own.is_empty() {
            words(text, &mut |piece| {
                shared.text(piece);
            });
            continue;
        }
        let mut feed = Feed::default();
        words(text, &mut |piece| {
            feed.text(piece);
        });
        let mentions = identifiers(text);
        // Executed no matter which function mentions it.
        let everywhere = ["constructor", "destructor", "__constructor__", "__destructor__", "alias", "__alias__"];
        if everywhere.iter().any(|word| mentions.contains(*word)) {
            always.extend(own.iter().cloned());
        }
        let digest = feed.finish();
        for name in &own {
            items.entry(name.clone()).or_default().push(Item { digest, mentions: mentions.clone() });
        }
        if let DeclKind::Function { declarator, body, .. } = unit[id].kind
            && map.name(map.position(unit[declarator].name_span).file) == base::printable(file.name())
        {
            let end = unit[body].span.end.saturating_sub(1);
            let last = map.position(Span { start: end, end }).line;
            let conditions = comment(map, file, unit[id].span);
            defined.push((own[0].clone(), map.position(unit[declarator].name_span).line, last, conditions));
        }
    }
    let shared = shared.finish();
    let numbers: HashMap<&str, usize> =
        items.keys().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let mentioned: Vec<Vec<usize>> = items
        .values()
        .map(|found| {
            let names = found.iter().flat_map(|item| &item.mentions);
            names.filter_map(|name| numbers.get(name.as_str()).copied()).collect()
        })
        .collect();
    let digest = |name: &str, conditions: &[String]| {
        let mut feed = Feed::default();
        feed.text(name).digest(shared);
        for condition in conditions {
            feed.text(condition);
        }
        let mut seen = vec![false; items.len()];
        let mut queue: Vec<usize> =
            always.iter().map(String::as_str).chain([name]).filter_map(|name| numbers.get(name).copied()).collect();
        while let Some(next) = queue.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                queue.extend(&mentioned[next]);
            }
        }
        for ((name, found), _) in items.iter().zip(seen).filter(|(_, seen)| *seen) {
            feed.text(name);
            for item in found {
                feed.digest(item.digest);
            }
        }
        feed.finish().to_string()
    };
    let listed = defined.into_iter().map(|(name, line, last, conditions)| {
        let digest = digest(&name, &conditions);
        ListedFunction { name, line, last, digest }
    });
    listed.collect()
}

/// What a definition defines; nothing for declarations that count for all.
fn own_names(unit: &Ast, names: &Interner, id: DeclId) -> Vec<String> {
    let name = |declarator: syntax::ast::DeclaratorId| unit[declarator].name.map(|name| names.text(name).to_owned());
    match unit[id].kind {
        DeclKind::Function { declarator, .. } => name(declarator).into_iter().collect(),
        DeclKind::Declaration { specs, declarators, .. } if specs.storage != Some(Storage::Typedef) => {
            let list = &unit[declarators];
            let all_named = !list.is_empty() && list.iter().all(|&one| unit[one].init.is_some());
            if all_named { list.iter().filter_map(|&one| name(one)).collect() } else { Vec::new() }
        }
        DeclKind::Declaration { .. } | DeclKind::StaticAssert { .. } | DeclKind::Asm(_) => Vec::new(),
    }
}

/// The words of a text that may be names, those in quotes included; not those of comments and line markers.
fn identifiers(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found = BTreeSet::new();
    words(text, &mut |piece| {
        found.extend(piece.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_owned));
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions whose digest changes by an edit.
    fn check(before: &str, after: &str, expected: &[&str]) {
        let listed = |text: &str| {
            let task = Task::new(crate::Request { files: vec!["t.c".into()], ..Default::default() }).expect("a task");
            functions(&task, Sources::of(vec![FileText::new("t.c", text)])).expect("valid C")
        };
        let (before, after) = (listed(before), listed(after));
        let changed = after.iter().filter(|one| !before.iter().any(|old| old.digest == one.digest));
        assert_eq!(changed.map(|one| one.name.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_what_an_edit_concerns_changes() {
        let text = "typedef int t; t g = 3; static int a(int x) { return x + g; } int b(int x) { return a(x) * 2; }\n\
                    int c(int y) { return y; } int (*table[])(int) = { c }; int d(int i) { return table[i](1); }";
        check(text, &text.replace("return y", "return  /* same */  y"), &[]);
        check(text, &text.replace("return y", "return -y"), &["c", "d"]);
        check(text, &text.replace("x + g", "x - g"), &["a", "b"]);
        check(text, &text.replace("g = 3", "g = 4"), &["a", "b"]);
        check(text, &text.replace("typedef int t", "typedef long t"), &["a", "b", "c", "d"]);
        check(text, &format!("{text} int e(void) {{ return 1; }}"), &["e"]);
    }

    /// The preprocessor leaves names of files in functions, and some files are named after a function.
    #[test]
    fn comments_and_line_markers_mention_nothing() {
        let text = "int c(int y) { return y; } int f(void) { return c(1); } int e(int x) { /* as c */\n# 7 \"c.c\"\nreturn x; }";
        check(text, &text.replace("return y", "return -y"), &["c", "f"]);
    }

    #[test]
    fn constructors_concern_all() {
        let text =
            "int g; __attribute__((constructor)) static void init(void) { g = 1; } int f(void) { return 1 / g; }";
        check(text, &text.replace("g = 1", "g = 0"), &["init", "f"]);
    }
}
