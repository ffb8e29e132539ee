//! Every reader reads the texts of its corpus, and survives a few hundred mutants of them; `fuzz NAME` makes more.

use semantics::random::Random;
use testkit::mutate::mutate_text;
use testkit::readers::READERS;

#[test]
fn readers_read_their_corpus() {
    for reader in READERS {
        let read = reader.seeds.iter().filter(|text| (reader.check)(text, 0) == "read").count();
        // One text of a list is of the other kind, and one configuration holds what no option has.
        let expected = reader.seeds.len() - usize::from(matches!(reader.name, "list" | "config"));
        assert_eq!(read, expected, "{}", reader.name);
    }
}

#[test]
fn readers_survive_mutants() {
    for reader in READERS {
        let seeds: Vec<Vec<u8>> = reader.seeds.iter().map(|text| text.as_bytes().to_vec()).collect();
        let mut random = Random::new(1);
        for _ in 0..300 {
            (reader.check)(&mutate_text(&mut random, &seeds), 0);
        }
    }
}
