//! What a run is configured by: a preset, perhaps with options set, written as `PRESET [KEY=VALUE]...`. Results call
//! their runs by this text, so that runs with other options never count as done.

use driver::{Plan, Preset};

/// A preset, perhaps with options set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Configuration<'t> {
    pub preset: &'t str,
    settings: &'t str,
}

impl<'t> Configuration<'t> {
    /// Takes the text apart.
    pub fn new(text: &'t str) -> Configuration<'t> {
        let (preset, settings) = text.split_once(' ').unwrap_or((text, ""));
        Configuration { preset, settings }
    }

    /// As `--set` takes them.
    pub fn settings(self) -> impl Iterator<Item = &'t str> {
        self.settings.split_whitespace()
    }

    /// Whether there are such a preset and such options; whether the values fit is seen by the first run.
    pub fn check(self) -> Result<(), String> {
        let name = self.preset;
        let missing = || format!("no preset is called `{name}`; `argonaut presets` lists them");
        let preset = Preset::named(name).ok_or_else(missing)?;
        let known = match preset.plan() {
            Plan::Engine { analysis, .. } => (analysis.options)(),
            Plan::Sequence(_) => Vec::new(),
        };
        for setting in self.settings() {
            let Some((key, _)) = setting.split_once('=') else {
                return Err(format!("expected KEY=VALUE after the preset, found `{setting}`"));
            };
            if !known.iter().any(|option| option.name == key) {
                return Err(format!("`{name}` has no option `{key}`; `argonaut presets {name}` lists them"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Configuration::new(text).check().err().unwrap_or_default()
    }

    #[test]
    fn options_follow_the_preset() {
        let configuration = Configuration::new("expl-refsel select=none prefixes=4");
        assert_eq!(configuration.preset, "expl-refsel");
        assert_eq!(configuration.settings().collect::<Vec<_>>(), ["select=none", "prefixes=4"]);
        assert_eq!(problem("expl-refsel select=none prefixes=4"), "");
        assert_eq!(problem("auto"), "");
        assert_eq!(problem("magic"), "no preset is called `magic`; `argonaut presets` lists them");
        assert_eq!(problem("bmc speed=3"), "`bmc` has no option `speed`; `argonaut presets bmc` lists them");
        assert_eq!(problem("bmc k-max"), "expected KEY=VALUE after the preset, found `k-max`");
    }
}
