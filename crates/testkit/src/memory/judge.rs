//! What presets say about questions whose answers are known.

use super::truth::Question;
use crate::ask::{Said, Verifier};
use crate::scratch::Scratch;

/// How an answer is to be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The known answer.
    Right,
    /// No answer.
    Unknown,
    /// The other answer.
    Wrong,
    /// Something in the verifier is broken.
    Broken(String),
}

/// Asks a preset.
pub fn judge(verifier: &Verifier, preset: &str, question: &Question) -> Result<Judgement, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let file = scratch.file("program.c");
    std::fs::write(&file, question.text()).map_err(|error| error.to_string())?;
    let (said, _) = verifier.ask(preset, question.program.model, &[], &file)?;
    Ok(match said {
        Said::Unknown => Judgement::Unknown,
        Said::Broken(what) => Judgement::Broken(what),
        Said::False if question.fails => Judgement::Right,
        Said::True if !question.fails => Judgement::Right,
        Said::True | Said::False => Judgement::Wrong,
    })
}
