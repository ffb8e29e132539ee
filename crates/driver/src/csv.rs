//! Lines of comma-separated values.

/// The cells of a line; `"` around a cell lets it contain commas, `""` stands for one inside.
pub fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let last = cells.last_mut().expect("there is one from the start");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => last.push(c),
        }
    }
    cells
}

/// The line of some cells, without its end.
pub fn line<T: AsRef<str>>(cells: &[T]) -> String {
    let quoted = cells.iter().map(|cell| {
        let cell = cell.as_ref().replace(['\n', '\r'], " ");
        if cell.contains(['"', ',']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
    });
    quoted.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        for list in [vec!["a", "b"], vec!["", "a, b", "say \"x\""], vec![""]] {
            assert_eq!(cells(&line(&list)), list);
        }
    }
}
