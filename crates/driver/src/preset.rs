//! Presets: named configurations, one TOML file each in `presets/`, built into the program.
//!
//! ```toml
//! description = "Bounded model checking"   # one line, no final stop
//! paper = "BCCZ99"                         # a key of docs/papers.bib
//! engine = "bmc"                           # a name in `analyses::ALL`, or "sequence"
//! [options]                                # the engine's option struct
//! k-max = 10
//! ```
//!
//! `engine = "sequence"` has `[[plan]]` entries instead of options: `preset`, `share` of the time, `seconds` at most, and
//! `when` it fits, as conditions on the program's features. A preset may come twice: first as a try of a moment, later
//! with time enough.
//!
//! `[budgets.NAME]` with `share` and `seconds` changes how much of its time a step of the analyses may take; the names and
//! what they are without it are in [`base::Budget`], and `--explain` shows them.

use crate::features::Condition;
use analyses::{Entry, Options};
use base::Budgets;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// A named configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// The file's name without `.toml`.
    #[serde(skip)]
    pub name: String,
    /// One line for the user.
    pub description: String,
    /// Where the algorithm comes from, a key of `docs/papers.bib`.
    pub paper: Option<String>,
    engine: String,
    #[serde(default)]
    options: toml::Table,
    #[serde(default)]
    plan: Vec<Slice>,
    #[serde(default)]
    budgets: BTreeMap<String, BudgetChange>,
}

/// What a preset changes of a budget.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BudgetChange {
    /// The share of the time.
    share: Option<f64>,
    /// At most so many seconds.
    seconds: Option<f64>,
}

/// A part of a sequence.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// Which preset.
    pub preset: String,
    /// Its name in the sequence: the preset, and from the second time on a number.
    #[serde(skip)]
    pub label: String,
    /// Its part of the time, relative to the other shares.
    pub share: f64,
    /// At most so many seconds: a try, before others have theirs.
    pub seconds: Option<f64>,
    /// Conditions on the program's features, all of which must hold; see [`crate::FEATURES`].
    #[serde(default)]
    pub when: Vec<String>,
}

impl Slice {
    /// What is wrong with it, if something is.
    fn check(&self) -> Result<(), String> {
        let name = &self.preset;
        let preset = Preset::named(name).ok_or_else(|| format!("no preset is called `{name}`"))?;
        match preset.plan() {
            Plan::Sequence(_) => return Err(format!("`{name}` is a sequence itself")),
            Plan::Engine { .. } => {}
        }
        if self.share <= 0.0 || self.seconds.is_some_and(|seconds| seconds <= 0.0) {
            return Err(format!("`{name}` has no time"));
        }
        self.when.iter().try_for_each(|condition| Condition::parse(condition).map(|_| ()))
    }
}

/// What a preset runs.
#[derive(Clone)]
pub enum Plan {
    /// One analysis.
    Engine {
        /// Which one.
        analysis: &'static Entry,
        /// The preset's options.
        options: Options,
    },
    /// Presets one after the other.
    Sequence(Vec<Slice>),
}

const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

impl Preset {
    /// All presets by name.
    pub fn all() -> impl Iterator<Item = Preset> {
        FILES.iter().map(|(name, text)| {
            let preset: Preset = toml::from_str(text).expect("presets are checked by a test");
            Preset { name: (*name).to_owned(), ..preset }
        })
    }

    /// The preset of a name.
    pub fn named(name: &str) -> Option<Preset> {
        Preset::all().find(|preset| preset.name == name)
    }

    /// The parts of a sequence that is not built in, or what is wrong with its text.
    pub fn sequence(text: &str) -> Result<Vec<Slice>, String> {
        let preset: Preset = toml::from_str(text).map_err(|error| error.to_string())?;
        preset.plan.iter().try_for_each(Slice::check)?;
        Ok(labelled(preset.plan))
    }

    /// How the steps of its analyses divide their time.
    pub fn budgets(&self) -> Budgets {
        let mut budgets = Budgets::default();
        for (name, change) in &self.budgets {
            let changed = budgets.change(name, |allowance| {
                allowance.share = change.share.unwrap_or(allowance.share);
                let most = change.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                allowance.most = most.or(allowance.most);
            });
            changed.expect("presets are checked by a test");
        }
        budgets
    }

    /// What it runs.
    pub fn plan(&self) -> Plan {
        match self.engine.as_str() {
            "sequence" => Plan::Sequence(labelled(self.plan.clone())),
            name => {
                let analysis = analyses::named(name).expect("presets are checked by a test");
                Plan::Engine { analysis, options: Options::new(self.options.clone()) }
            }
        }
    }
}

/// Gives every slice a name of its own, without blanks.
fn labelled(mut slices: Vec<Slice>) -> Vec<Slice> {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for slice in &mut slices {
        let time = times.entry(slice.preset.clone()).or_default();
        *time += 1;
        slice.label = if *time == 1 { slice.preset.clone() } else { format!("{}#{time}", slice.preset) };
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_names_of_their_own() {
        let slices: BTreeMap<String, Vec<Slice>> =
            toml::from_str("plan = [{ preset = \"a\", share = 1 }, { preset = \"b\", share = 1, seconds = 0.5 }, { preset = \"a\", share = 9 }]")
                .expect("it is well formed");
        let labels: Vec<String> = labelled(slices["plan"].clone()).into_iter().map(|slice| slice.label).collect();
        assert_eq!(labels, ["a", "b", "a#2"]);
    }

    #[test]
    fn a_preset_changes_budgets() {
        let text = "description = \"\"\nengine = \"bmc\"\n[budgets.simplify]\nseconds = 0.5";
        let preset: Preset = toml::from_str(text).expect("it is well formed");
        let changed = |(name, allowance, _): (&'static str, base::Allowance, _)| (name, allowance.most);
        let (before, after) = (Budgets::default(), preset.budgets());
        let different = after.rows().map(changed).zip(before.rows().map(changed)).filter(|(a, b)| a != b);
        let half = Some(Duration::from_millis(500));
        assert_eq!(different.map(|(new, _)| new).collect::<Vec<_>>(), [("simplify", half)]);
    }

    #[test]
    fn presets_are_well_formed() {
        for (name, text) in FILES {
            let preset: Preset = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(preset.budgets().rows().all(|(_, allowance, _)| allowance.share > 0.0), "{name}");
            assert!(!preset.description.contains('\n') && !preset.description.ends_with('.'), "{name}: one line");
            match preset.plan() {
                Plan::Engine { .. } => assert!(preset.plan.is_empty(), "{name}: only a sequence has a plan"),
                Plan::Sequence(slices) => {
                    assert!(preset.options.is_empty(), "{name}: a sequence has no options of its own");
                    slices.iter().try_for_each(Slice::check).unwrap_or_else(|why| panic!("{name}: {why}"));
                }
            }
        }
    }

    #[test]
    fn papers_are_in_the_bibliography() {
        let bibliography = include_str!("../../../docs/papers.bib");
        for preset in Preset::all() {
            if let Some(paper) = preset.paper {
                assert!(bibliography.contains(&format!("{{{paper},")), "{}: {paper}", preset.name);
            }
        }
    }
}
