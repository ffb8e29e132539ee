//! The readers of everything but C, each with a check and a few texts to mutate; the texts are files in `corpus`.

use driver::readers::{self, Read};

/// A reader and what its fuzzer starts from.
#[derive(Clone, Copy)]
pub struct Reader {
    /// How `fuzz` calls it.
    pub name: &'static str,
    /// Texts that it reads.
    pub seeds: &'static [&'static str],
    /// Says how far a text came.
    pub check: fn(&str, u64) -> &'static str,
}

fn word(read: Read) -> &'static str {
    match read {
        Ok(()) => "read",
        Err(message) => {
            assert!(!message.is_empty() && message.len() < 1 << 20, "a message that says nothing: {message:.200}");
            "rejected"
        }
    }
}

macro_rules! readers {
    ($($name:literal $read:ident $($file:literal)+;)+) => {
        /// All of them.
        pub const READERS: [Reader; [$($name),+].len()] = [$(Reader {
            name: $name,
            seeds: &[$(include_str!(concat!("../corpus/", $file))),+],
            check: |text, _| word(readers::$read(text)),
        }),+];
    };
}

readers! {
    "property" property "property-1.prp" "property-2.prp" "property-3.prp";
    "task" task "task-1.yml" "task-2.yml";
    "witness-yaml" witness "witness-1.yml" "witness-2.yml";
    "witness-graphml" witness "witness-1.graphml" "witness-2.graphml";
    "config" configuration "config-1.toml" "config-2.toml";
    "database" database "database-1.json" "database-2.json";
    "store" stored "store-1.json" "store-2.json" "store-3.json";
    "precision" precision "precision-1.txt";
    "list" list "list-1.csv" "list-2.set";
}

/// The reader that `fuzz` calls by this name.
pub fn named(name: &str) -> Option<Reader> {
    READERS.into_iter().find(|reader| reader.name == name)
}
