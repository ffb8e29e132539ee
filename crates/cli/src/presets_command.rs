//! `argonaut presets`: what `--analysis` may be.

use driver::Preset;

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
