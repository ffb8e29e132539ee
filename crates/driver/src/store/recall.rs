//! A TRUE for the words of a text, before anything is made of them. What parsing, lowering and points-to analysis
//! take is most of what is left when a large program is verified again.
//!
//! Only where just the verdict and what it relies on are wanted: witnesses and reports are about the program.

use super::content::{Digest, Feed};
use super::reuse::{AGAIN, build};
use super::secret::Secret;
use super::wording::words;
use super::{Store, render};
use crate::load::Sources;
use crate::output::write_file;
use crate::preset::Preset;
use crate::run::Outcome;
use crate::task::Task;
use analyses::Options;
use cfa::Program;
use serde::{Deserialize, Serialize};
use verdict::Verdict;

/// What is shown of a TRUE.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Recalled {
    /// What it is a record of.
    key: String,
    /// The text, to the last blank: what has positions is about this text alone.
    text: String,
    /// What was said about the text, with positions.
    pub warnings: Vec<String>,
    /// What the verdict rests on.
    pub assumptions: Vec<String>,
    /// Whether there is an error location at all.
    pub has_targets: bool,
    /// The single-engine preset that answered.
    pub preset: String,
    /// How its proof was checked, and that it was in an earlier run.
    pub checked: String,
}

/// A question, by the words of its program.
pub struct Recall<'a> {
    store: &'a Store,
    key: Digest,
    text: Digest,
}

impl<'a> Recall<'a> {
    /// The question about a text that was read and not yet parsed. `None` if its answer writes files.
    pub fn new(
        store: &'a Store,
        task: &Task,
        sources: &Sources,
        preset: &Preset,
        options: &Options,
    ) -> Option<Recall<'a>> {
        if options.writes_files() {
            return None;
        }
        let mut feed = Feed::default();
        feed.text("words").text(&build()).text(&preset.name).text(&options.to_string());
        // All that is asked but for the names of files.
        feed.text(&format!("{:?}", Task { files: Vec::new(), expected: None, ..task.clone() }));
        let mut exact = Feed::default();
        for text in sources.texts() {
            feed.number(0);
            words(text, &mut |piece| {
                feed.text(piece);
            });
            exact.text(text);
        }
        if task.given.is_some() {
            // Conditions for callers stand in comments.
            for line in sources.conditions() {
                feed.text(line);
            }
        }
        Some(Recall { store, key: feed.finish(), text: exact.finish() })
    }

    /// What an earlier run said about the same words. `Err`: there is something, but it is not to be believed.
    pub fn known(&self) -> Result<Option<Recalled>, String> {
        let known = self.store.read_kind(self.key, "words", |known: &Recalled| &known.key)?;
        let Some(recalled) = known else { return Ok(None) };
        let fits = recalled.warnings.is_empty() || recalled.text == self.text.to_string();
        Ok(fits.then_some(recalled))
    }

    /// Keeps the answer of a run, if it is TRUE.
    pub fn keep(&self, warnings: &[String], program: &Program, outcome: &Outcome) -> Result<(), String> {
        let (Verdict::Safe(proof), Some(last)) = (&outcome.verdict, outcome.steps.last()) else { return Ok(()) };
        let recalled = Recalled {
            key: self.key.to_string(),
            text: self.text.to_string(),
            warnings: warnings.to_vec(),
            assumptions: program.assumptions.clone(),
            has_targets: program.names_errors() || program.termination.is_some(),
            preset: last.preset.clone(),
            checked: format!("{} {AGAIN}", proof.checked.trim_end_matches(AGAIN).trim_end()),
        };
        if !self.store.folder.is_dir() {
            // The run itself could not leave its entry, and said so.
            return Ok(());
        }
        let text = render(&Secret::make(&self.store.folder)?, "words", &recalled);
        write_file(&self.store.path(self.key, "words"), &text)
    }
}
