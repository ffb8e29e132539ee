//! The store: what earlier runs found out, kept in a folder, so that verifying a program again is fast.
//!
//! - `content`: digests of functions and programs that comments, layout, uncalled code and functions whose calls do
//!   nothing (`idle`) do not change;
//! - `recall`: a TRUE by the words of the text alone, before there is a program;
//! - `portable`: evidence by names instead of ids;
//! - `reuse`: what is done with an earlier answer.
//!
//! A verdict is reused only for the same program, property, analysis, options and build of Argonaut; a counterexample
//! is executed again even then. For a program that shares functions with an earlier one, what was learned is a hint:
//! the execution is tried, invariants are proved again, and the analysis that answered starts with its precision.
//!
//! Only entries that the user's own runs wrote are believed (`secret`).
//!
//! Three kinds of files, all written next to their place and renamed, so that readers see all or nothing: `KEY.entry`
//! and `KEY.words` hold a line with an authentication code of the rest and then JSON, `KEY.index` the keys of the entries of programs
//! that have a certain function. What cannot be read is reported and not believed. The oldest files go when there are
//! too many.

mod content;
mod idle;
mod portable;
mod recall;
mod reuse;
mod secret;
mod wording;

pub(crate) use content::{Digest, Feed};
pub use recall::{Recall, Recalled};
pub(crate) use reuse::build;
pub use reuse::{STORE, StoreQuestion, run_with_store};
pub(crate) use wording::words;

use crate::output::write_file;
use flow::Prepared;
use portable::{Inputs, Invariants};
pub use secret::Secret;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Starts every entry; another format has another word.
const MAGIC: &str = "argonaut-store-2";
/// The most bytes that all files have together.
const MOST_BYTES: u64 = 256 << 20;
/// The most files.
const MOST_FILES: usize = 20_000;
/// Larger entries are not written.
const LARGEST_ENTRY: u64 = 16 << 20;
/// The most entries that an index names, the newest first.
const MOST_INDEXED: usize = 4;

/// A folder with what earlier runs found out.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    most_bytes: u64,
}

/// What is known of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Entry {
    key: String,
    /// The single-engine preset that answered.
    preset: String,
    /// How long it took.
    seconds: f64,
    /// The last bound of k-induction or bounded model checking.
    k: u64,
    /// What the value analysis tracked in the end.
    precision: Option<String>,
    found: Found,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum Found {
    Safe { invariants: Invariants, checked: String },
    Unsafe { inputs: Inputs },
}

/// How much a store holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreSize {
    /// Programs with an answer.
    pub entries: usize,
    /// Of all files.
    pub bytes: u64,
}

impl Store {
    /// The store in a folder, which need not exist yet.
    pub fn new(folder: PathBuf) -> Store {
        Store { folder, most_bytes: MOST_BYTES }
    }

    /// The folder for the user's own: `$XDG_CACHE_HOME/argonaut/store` or `~/.cache/argonaut/store`.
    pub fn default_folder() -> Option<PathBuf> {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
        Some(cache.join("argonaut").join("store"))
    }

    /// Whether what it says can be believed; if not, why.
    pub fn check(&self) -> Result<(), String> {
        Secret::read(&self.folder).map(|_| ())
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How much it holds; a folder that does not exist holds nothing.
    pub fn size(&self) -> StoreSize {
        let files = self.files();
        let entries = files.iter().filter(|(_, path, _)| path.extension().is_some_and(|word| word == "entry")).count();
        StoreSize { entries, bytes: files.iter().map(|(_, _, bytes)| bytes).sum() }
    }

    /// Removes everything that a store wrote; other files in the folder stay.
    pub fn clear(&self) -> Result<(), String> {
        for (_, path, _) in self.files() {
            std::fs::remove_file(&path).map_err(|error| format!("{}: cannot be removed ({error})", path.display()))?;
        }
        Ok(())
    }

    fn path(&self, key: Digest, kind: &str) -> PathBuf {
        self.folder.join(format!("{key}.{kind}"))
    }

    /// The entry of a key. `Err`: there is one, but it is not to be believed.
    fn read(&self, key: Digest) -> Result<Option<Entry>, String> {
        let Some(entry): Option<Entry> = self.read_kind(key, "entry", |entry: &Entry| &entry.key)? else {
            return Ok(None);
        };
        let path = self.path(key, "entry");
        // Entries that are used are the last to go; whether that worked does not matter.
        let _ = std::fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Ok(Some(entry))
    }

    /// What a file of some kind says. `Err`: there is one, but it is not to be believed.
    fn read_kind<T: DeserializeOwned>(
        &self,
        key: Digest,
        kind: &str,
        own: impl Fn(&T) -> &String,
    ) -> Result<Option<T>, String> {
        let path = self.path(key, kind);
        let Some(secret) = Secret::read(&self.folder)? else { return Ok(None) };
        let text = match read_bounded(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: ignored, cannot be read ({error})", path.display())),
        };
        let found = parse(&secret, kind, &text).filter(|found| *own(found) == key.to_string());
        found.map(Some).ok_or_else(|| format!("{}: ignored, it is damaged or not of this store", path.display()))
    }

    /// Writes an entry and names it in the indices, then makes room.
    fn write(&self, key: Digest, entry: &Entry, indices: &[(Digest, usize)]) -> Result<(), String> {
        let text = render(&Secret::make(&self.folder)?, "entry", entry);
        if text.len() as u64 > LARGEST_ENTRY {
            return Ok(());
        }
        write_file(&self.path(key, "entry"), &text)?;
        for (index, _) in indices {
            let mut keys = self.indexed(*index);
            keys.retain(|known| *known != key);
            keys.insert(0, key);
            keys.truncate(MOST_INDEXED);
            let lines: Vec<String> = keys.iter().map(|key| format!("{key}\n")).collect();
            write_file(&self.path(*index, "index"), &lines.concat())?;
        }
        self.make_room();
        Ok(())
    }

    /// The keys that an index names; a damaged one names none.
    fn indexed(&self, index: Digest) -> Vec<Digest> {
        let text = std::fs::read_to_string(self.path(index, "index")).unwrap_or_default();
        text.lines().filter_map(Digest::parse).take(MOST_INDEXED).collect()
    }

    /// The key of the entry that shares most with a program, by the weights of what is shared.
    fn most_similar(&self, indices: &[(Digest, usize)]) -> Option<Digest> {
        let mut weights: BTreeMap<Digest, usize> = BTreeMap::new();
        for (index, weight) in indices {
            for key in self.indexed(*index) {
                *weights.entry(key).or_default() += weight;
            }
        }
        weights.into_iter().max_by_key(|(_, weight)| *weight).map(|(key, _)| key)
    }

    /// All files of the store with their times and sizes.
    fn files(&self) -> Vec<(SystemTime, PathBuf, u64)> {
        let Ok(folder) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        // Also those that a run which died did not come to rename.
        let is_own = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            let mut words = name.trim_start_matches('.').split('.');
            words.next().and_then(Digest::parse).is_some() && matches!(words.next(), Some("entry" | "index" | "words"))
        };
        let files = folder.flatten().map(|file| file.path()).filter(|path| is_own(path));
        files
            .filter_map(|path| {
                let data = std::fs::metadata(&path).ok()?;
                Some((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), path, data.len()))
            })
            .collect()
    }

    /// Removes the oldest files until the rest is small enough. Another run may do so at the same time.
    fn make_room(&self) {
        let mut files = self.files();
        let mut bytes: u64 = files.iter().map(|(_, _, bytes)| bytes).sum();
        if bytes <= self.most_bytes && files.len() <= MOST_FILES {
            return;
        }
        files.sort();
        let mut left = files.len();
        for (_, path, size) in files {
            // With some room to spare, so that this is not needed after every run.
            if bytes <= self.most_bytes / 10 * 9 && left <= MOST_FILES / 10 * 9 {
                break;
            }
            let _ = std::fs::remove_file(path);
            bytes -= size;
            left -= 1;
        }
    }
}

/// The text of a file that is not larger than what is ever written.
fn read_bounded(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(LARGEST_ENTRY + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// The text of a file: an authentication code, then what it says.
fn render(secret: &Secret, kind: &str, content: &impl Serialize) -> String {
    let json = serde_json::to_string(content).expect("plain data has a text");
    format!("{MAGIC} {}\n{json}\n", secret.sign(kind, &json))
}

/// What a file says, if this store wrote it and nothing of it is lost.
fn parse<T: DeserializeOwned>(secret: &Secret, kind: &str, text: &str) -> Option<T> {
    let (head, rest) = text.split_once('\n')?;
    let json = rest.strip_suffix('\n')?;
    let code = head.strip_prefix(MAGIC)?.strip_prefix(' ')?;
    if !secret.fits(kind, json, code) {
        return None;
    }
    serde_json::from_str(json).ok()
}

/// Reads what stands after an authentication code, and what would be made of it for a program; for those who fuzz
/// readers.
pub(crate) fn read_stored(program: &Prepared, text: &str) -> Result<(), String> {
    let recalled = serde_json::from_str::<Recalled>(text).map(|_| ());
    let entry = match serde_json::from_str::<Entry>(text) {
        Ok(entry) => entry,
        Err(error) => return recalled.map_err(|_| error.to_string()),
    };
    let names = content::Names::new(program);
    let content = content::Content::new(program, &names);
    match &entry.found {
        Found::Safe { invariants, .. } => {
            // Types that no longer fit are caught, here as there.
            let restored = crate::panics::catch(|| invariants.restore(program, &names, &content))?;
            program.with_exprs(restored.exprs).assert_valid();
        }
        Found::Unsafe { inputs } => drop(inputs.choices()),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
