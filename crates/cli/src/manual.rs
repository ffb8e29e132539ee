//! The manual page and what shells complete, both from the options' own descriptions.

use crate::args::Cli;
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use std::io::{Result, Write};

/// The page for man(1): the command, then a part for each subcommand with its options.
pub fn page(out: &mut Vec<u8>) -> Result<()> {
    // The page is about every build of this version.
    let command = Cli::command().long_version(env!("CARGO_PKG_VERSION"));
    let page = clap_mangen::Man::new(command.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_subcommands_section(out)?;
    for part in command.get_subcommands() {
        subcommand(part, out)?;
    }
    page.render_extra_section(out)?;
    page.render_version_section(out)
}

fn subcommand(part: &Command, out: &mut Vec<u8>) -> Result<()> {
    let title = format!("argonaut {}", part.get_name());
    let part = part.clone().bin_name(title.clone());
    let page = clap_mangen::Man::new(part.clone());
    writeln!(out, ".SH {}", title.to_uppercase())?;
    let mut text = Vec::new();
    if let Some(about) = part.get_about() {
        writeln!(text, "{}", about.to_string().replace('\\', "\\\\"))?;
    }
    page.render_synopsis_section(&mut text)?;
    page.render_options_section(&mut text)?;
    // Sections of the part are subsections of the page.
    out.extend(String::from_utf8_lossy(&text).replace("\n.SH ", "\n.SS ").bytes());
    Ok(())
}

/// The command as shells complete it: with the names of presets.
pub fn completed() -> Command {
    // The command line lives as long as the process.
    let names = || PossibleValuesParser::new(driver::Preset::all().map(|preset| &*preset.name.leak()));
    let presets = |command: Command, option: &'static str| command.mut_arg(option, |arg| arg.value_parser(names()));
    Cli::command()
        .mut_subcommand("verify", |command| presets(command, "analysis"))
        .mut_subcommand("project", |command| presets(command, "analysis"))
        .mut_subcommand("bench", |command| presets(command, "presets"))
        .mut_subcommand("presets", |command| presets(command, "preset"))
}
