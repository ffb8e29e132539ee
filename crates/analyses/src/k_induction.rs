//! `k-induction`: with facts of other analyses, and of other parts of the run.

use crate::fact_sources::fact_sources;
use crate::shared::Wait;
use crate::{Decides, Entry, Failed, Options, Run, Targets};
use base::Cancel;
use cfa::Program;
use engine::houdini::{candidates::Guesses, facts_with};
use engine::k_induction::verify;
use verdict::Verdict;

pub const ENTRY: Entry = Entry { name: "k-induction", decides: Decides::Both, targets: Targets::Each, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options = options.read()?;
    let model = run.memory()?;
    let (program, backend, shared) = (run.program, run.backend, run.knowledge.shared.clone());
    let mut sources = fact_sources((program, &model), backend, &shared);
    let facts = std::mem::take(&mut run.knowledge.facts);
    if !facts.is_empty() {
        // Proved again, since they come from another run.
        let model = model.clone();
        let proved = move |program: &Program, cancel: &Cancel| {
            let further = (&program.exprs, &facts[..]);
            facts_with((program, &model), backend, Guesses::Given, further, &[], cancel)
        };
        sources.insert(0, Box::new(proved));
    }
    let later = shared.predicate_facts((program, &model), backend, &run.knowledge.exchange, Wait::Yes);
    let sources = sources.into_iter().chain(later);
    Ok(verify((program, &model), run.goals, backend, &options, sources, run.cancel, run.counters))
}
