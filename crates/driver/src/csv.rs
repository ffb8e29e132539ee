//! Lines of comma-separated values, each by itself: what follows a line that was cut short can still be read.

/// The cells of a line; `"` around a cell lets it contain commas, `""` stands for one inside.
pub fn cells(line: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let cells = reader.records().next().and_then(Result::ok);
    // A line of nothing is one empty cell.
    cells.map_or_else(|| vec![String::new()], |cells| cells.iter().map(str::to_owned).collect())
}

/// The line of some cells, without its end.
pub fn line<T: AsRef<str>>(cells: &[T]) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let cells = cells.iter().map(|cell| cell.as_ref().replace(['\n', '\r'], " "));
    writer.write_record(cells).expect("memory takes all that is written");
    let bytes = writer.into_inner().expect("memory takes all that is written");
    let line = String::from_utf8(bytes).expect("made of strings");
    line.trim_end_matches('\n').to_owned()
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
