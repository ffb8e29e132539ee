//! What callers of a function have to see to: `requires EXPRESSION` in the comment right before its definition, or on the
//! command line. The text gets a second function with the same parameters that leaves if a condition does not hold and
//! calls the first one otherwise; executions start with it. Recursive calls are calls of the first.

use crate::InputError;
use crate::load::{Sources, parse_units};
use crate::source::FileText;
use crate::task::Task;
use base::{SourceMap, Span};
use syntax::Ast;
use syntax::ast::{DeclKind, DeclaratorId, Params, StmtId, TypeKind};

/// The same files with the second function, its name, and the conditions. Nothing if there are no conditions.
pub struct Required {
    pub sources: Sources,
    pub entry: String,
    pub conditions: Vec<String>,
}

/// Looks for conditions.
pub fn required(task: &Task, sources: Sources) -> Result<(Sources, Option<Required>), InputError> {
    let name = task.entry.rsplit(':').next().unwrap_or(&task.entry).to_owned();
    let mentions = |file: &FileText| file.written().contains("requires");
    if task.given.is_none() || name == "main" || task.requires.is_empty() && !sources.0.iter().any(mentions) {
        return Ok((sources, None));
    }
    let (map, names, units) = parse_units(Sources(sources.0.clone()))?;
    for (at, unit) in units.iter().enumerate() {
        let named = task.entry.rsplit_once(':').map(|(file, _)| file);
        if named.is_some_and(|file| !sources.0[at].name().ends_with(file)) {
            continue;
        }
        let Some(found) = definition(unit, |symbol| names.text(symbol) == name) else { continue };
        let start = map.starts().nth(at).unwrap_or(0);
        let mut conditions = task.requires.clone();
        conditions.extend(comment(&map, &sources.0[at], unit[found.item].span));
        if conditions.is_empty() {
            return Ok((sources, None));
        }
        let text = second(&map, unit, &found, &name, &conditions, |symbol| names.text(symbol).to_owned())?;
        let mut files = sources.0;
        let end = (unit[found.item].span.end - start) as usize;
        files[at].text.insert_str(end, &text);
        let entry = second_name(&name);
        if let Err(error) = parse_units(Sources(files.clone())) {
            let listed = conditions.join("`, `");
            let message = format!("{name}: `{listed}` is not a C expression over the parameters ({error})");
            return Err(InputError::new(message));
        }
        return Ok((Sources(Vec::new()), Some(Required { sources: Sources(files), entry, conditions })));
    }
    Ok((sources, None))
}

fn second_name(name: &str) -> String {
    format!("{name}__requires")
}

/// Where a function is defined.
struct Definition {
    item: syntax::ast::DeclId,
    declarator: DeclaratorId,
    body: StmtId,
}

fn definition(unit: &Ast, is_it: impl Fn(base::Symbol) -> bool) -> Option<Definition> {
    unit.items.iter().find_map(|&item| match unit[item].kind {
        DeclKind::Function { declarator, body, .. } if unit[declarator].name.is_some_and(&is_it) => {
            Some(Definition { item, declarator, body })
        }
        _ => None,
    })
}

/// The second function, on one line.
fn second(
    map: &SourceMap,
    unit: &Ast,
    found: &Definition,
    name: &str,
    conditions: &[String],
    text: impl Fn(base::Symbol) -> String,
) -> Result<String, InputError> {
    let start = unit[found.item].span.start;
    let named = unit[found.declarator].name_span;
    let before = map.snippet(Span { start, end: named.start });
    let after = map.snippet(Span { start: named.end, end: unit[found.body].span.start });
    let TypeKind::Function { function, .. } = unit[unit[found.declarator].ty].kind else {
        return Err(InputError::new(format!("{name}: conditions need a function with its own parameter list")));
    };
    let parameters: Option<Vec<String>> = match unit[function].params {
        Params::Unspecified => Some(Vec::new()),
        Params::Prototype { params, .. } => unit[params].iter().map(|param| param.name.map(&text)).collect(),
        Params::Identifiers(names) => Some(unit[names].iter().map(|&name| text(name)).collect()),
    };
    let Some(parameters) = parameters else {
        return Err(InputError::new(format!("{name}: conditions need a name for every parameter")));
    };
    let leaves: String =
        conditions.iter().map(|condition| format!("if (!({condition})) __builtin_abort(); ")).collect();
    let line = |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join(" ");
    let head = format!("{}{}{}", line(before), format_args!(" {} ", second_name(name)), line(after));
    Ok(format!(" {head} {{ {leaves}return {name}({}); }}", parameters.join(", ")))
}

/// The conditions in the comment right before a definition.
pub fn comment(map: &SourceMap, file: &FileText, definition: Span) -> Vec<String> {
    let at = map.position(definition);
    if map.name(at.file) != base::printable(file.name()) {
        return Vec::new();
    }
    let lines: Vec<&str> = file.written().lines().take(at.line as usize - 1).collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in lines.iter().rev() {
        let text = line.trim();
        if inside || text.ends_with("*/") {
            kept.push(text);
            inside = !text.contains("/*");
        } else if text.starts_with("//") {
            kept.push(text);
        } else if !text.is_empty() || !kept.is_empty() {
            break;
        }
    }
    kept.iter().rev().filter_map(|line| condition(line)).collect()
}

/// The condition on a line of a comment.
fn condition(line: &str) -> Option<String> {
    let text = line.trim_start_matches(['/', '*', '@', '!', ' ', '\t']);
    let rest = text.strip_prefix("requires")?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let begins = rest.starts_with([' ', '\t', '(']);
    let rest = rest.split("*/").next().unwrap_or(rest);
    let rest = rest.split(';').next().unwrap_or(rest).trim();
    (begins && !rest.is_empty()).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_stand_in_comments() {
        for (line, expected) in [
            ("// requires n > 0", Some("n > 0")),
            ("/*@ requires n > 0; */", Some("n > 0")),
            (" * requires: p != 0 && *p < 3", Some("p != 0 && *p < 3")),
            ("/* requires (a) */", Some("(a)")),
            ("// it requires n > 0", None),
            ("// requiresn > 0", None),
            ("// requires", None),
        ] {
            assert_eq!(condition(line).as_deref(), expected, "{line}");
        }
    }
}
