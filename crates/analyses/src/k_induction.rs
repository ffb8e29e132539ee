//! `k-induction`: with facts of other analyses, and of other parts of the run.

use crate::fact_sources::{Wait, fact_sources, predicate_facts};
use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use base::Cancel;
use base::options::OptionList;
use engine::board::Sufficed;
use engine::houdini::{candidates::Guesses, facts_with};
use engine::k_induction::{KInductionOptions, verify};
use flow::Prepared;
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "k-induction",
    options: KInductionOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Each,
    run,
};

/// Where others came to a bound it starts again: as soon as facts are known, a small one may suffice.
fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let mut options: KInductionOptions = options.read()?;
    options.k_init = options.k_init.max(run.board.find::<Sufficed>().map_or(0, |bound| bound.0));
    let model = run.memory()?;
    let (program, backend) = (run.program, run.backend);
    let mut sources = fact_sources((program, &model), backend, run.board);
    let claims = run.board.claims();
    if let Some(exprs) = claims.exprs {
        // Proved again, since they come from another run.
        let model = model.clone();
        let proved = move |program: &Prepared, cancel: &Cancel| {
            let further = (&exprs, &claims.claims[..]);
            facts_with((program, &model), backend, Guesses::Given, further, &[], cancel)
        };
        sources.insert(0, Box::new(proved));
    }
    let sources = sources.into_iter().chain(predicate_facts((program, &model), backend, run.board, Wait::Yes));
    Ok(verify((program, &model), run.goals, backend, (&options, run.board), sources, run.cancel, run.counters))
}
