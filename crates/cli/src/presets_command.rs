//! `argonaut presets`: what `--analysis` may be, and what `--set` may set.

use driver::{Plan, Preset};

/// One line a preset: name, description, paper.
pub fn presets() -> Result<u8, String> {
    let presets: Vec<Preset> = Preset::all().collect();
    let width = presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for preset in presets {
        let paper = preset.paper.map(|paper| format!(" [{paper}]")).unwrap_or_default();
        text += &format!("{:width$}  {}{paper}\n", preset.name, preset.description);
    }
    crate::print(&text);
    Ok(0)
}

/// The options of a preset, as the struct of its analysis declares them.
pub fn options(name: &str) -> Result<u8, String> {
    let preset =
        Preset::named(name).ok_or_else(|| format!("no preset is called `{name}`; `argonaut presets` lists them"))?;
    let mut text = format!("{name}: {}\n", preset.description);
    match preset.plan() {
        Plan::Sequence(slices) => {
            let mut parts: Vec<String> = Vec::new();
            for slice in slices {
                if !parts.contains(&slice.preset) {
                    parts.push(slice.preset);
                }
            }
            text += &format!("It has no options of its own. It runs {}.\n", parts.join(", "));
        }
        Plan::Engine { analysis, options } => {
            let declared = (analysis.options)();
            if declared.is_empty() {
                text += "It has no options.\n";
            }
            for option in declared {
                let set = options.value(&option.name).map(|value| format!(", here {value}")).unwrap_or_default();
                text += &format!("\n  {}: {} [default: {}{set}]\n", option.name, option.kind, option.default);
                text += &format!("      {}\n", option.help);
            }
        }
    }
    crate::print(&text);
    Ok(0)
}
