//! Lists of tasks as text: CSV with the columns `category,task,input,bits,expected`, and sets of patterns such as
//! `loops/*.yml`, one a line.

use crate::csv::cells;

/// A line of a list, as it stands there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// What tables group by.
    pub category: String,
    /// The name in results.
    pub task: String,
    /// The C file.
    pub input: String,
    /// `32` or `64`.
    pub bits: String,
    /// `true`, `false`, or something else where it is unknown.
    pub expected: String,
}

/// The rows of a list. An error starts with the line.
pub fn rows(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines().enumerate();
    let header = cells(lines.next().map_or("", |(_, line)| line));
    let column = |name: &str| {
        let at = header.iter().position(|cell| cell == name);
        at.ok_or_else(|| format!("1: expected columns category,task,input,bits,expected, no `{name}`"))
    };
    let at = [column("category")?, column("task")?, column("input")?, column("bits")?, column("expected")?];
    let mut rows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells = cells(line);
        let cell = |which: usize| {
            let missing = || format!("{}: expected {} columns", number + 1, header.len());
            cells.get(at[which]).cloned().ok_or_else(missing)
        };
        let (category, task, input, bits, expected) = (cell(0)?, cell(1)?, cell(2)?, cell(3)?, cell(4)?);
        rows.push(Row { category, task, input, bits, expected });
    }
    Ok(rows)
}

/// The patterns of a set with their lines, from 1.
pub fn patterns(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    let patterns = lines.map(|(number, line)| (number + 1, line.split('#').next().unwrap_or("").trim()));
    patterns.filter(|(_, pattern)| !pattern.is_empty())
}

/// Whether a name fits a pattern in which `*` stands for any text: the last star takes one character more whenever what
/// comes after it does not fit.
pub fn fits(name: &str, pattern: &str) -> bool {
    let (name, pattern) = (name.as_bytes(), pattern.as_bytes());
    let (mut at, mut next) = (0, 0);
    let mut star = None;
    while at < name.len() {
        match pattern.get(next) {
            Some(b'*') => {
                star = Some((next, at));
                next += 1;
            }
            Some(byte) if *byte == name[at] => {
                at += 1;
                next += 1;
            }
            Some(_) | None => match star {
                None => return false,
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    (at, next) = (taken + 1, place + 1);
                }
            },
        }
    }
    pattern[next..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        assert!(fits("a-1.yml", "a*.yml") && fits("a.yml", "a*.yml") && fits("abc", "*b*") && fits("", "**"));
        assert!(!fits("b.yml", "a*.yml") && !fits("a.yml.c", "a*.yml") && !fits("", "a"));
        // Minutes where every star tries every place.
        assert!(!fits(&"a".repeat(100), &("*a".repeat(40) + "b")));
    }
}
