//! `shapes`: symbolic memory graphs, first with as few parts of lists told apart as can be, then with more,
//! as long as an error is not excluded. Only proofs count.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use analysis::{Order, Reached};
use base::options::OptionList;
use base::{Cancel, Counters, options};
use cfa::Op;
use domains::shape::{Options as DomainOptions, ShapeAnalysis};
use engine::cpa::{self, Explored, is_target};
use engine::proof;
use flow::Prepared;
use std::time::Instant;
use verdict::{Goals, Proof, Stop, Verdict};

pub const ENTRY: Entry = Entry {
    name: "shapes",
    options: ShapeOptions::declared,
    decides: Decides::Proofs,
    targets: TargetHandling::Together,
    run,
};

options! {
    /// Options of the shape analysis.
    pub struct ShapeOptions {
        /// Parts of a list, each with nodes that are alike, that are kept apart; one attempt for each number.
        reach: Vec<usize> = vec![1, 5],
        /// The largest lower bound that is kept for the number of nodes of a segment.
        least: u32 = 2,
        /// An attempt ends if one graph has more heap objects than this.
        most_objects: usize = 40,
        /// An attempt ends if one step makes more graphs than this from one graph.
        most_graphs: usize = 200,
        /// States at a loop head before those that differ in data only are joined; times the square of `reach`.
        patience: u32 = 40,
    }
}

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: ShapeOptions = options.read()?;
    let mut last = Stop::Bound("no attempt was requested".to_owned());
    for &reach in &options.reach {
        let (most_objects, most_graphs) = (options.most_objects, options.most_graphs);
        // The more is told apart, the more states there are that must not be joined.
        let patience = options.patience * (reach * reach) as u32;
        let domain = DomainOptions { reach, least: options.least, most_objects, most_graphs, patience };
        match attempt(run.program, domain, run.cancel, run.counters) {
            Ok(proof) => return Ok(Verdict::Safe(proof)),
            Err(stop @ (Stop::Limit(_) | Stop::Unsupported { .. })) => return Err(stop.into()),
            Err(stop) => last = stop,
        }
    }
    Ok(Verdict::Unknown(last))
}

fn attempt(
    program: &Prepared,
    options: DomainOptions,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let goals = Goals::any(program);
    let mut cpa = ShapeAnalysis::new(program, options);
    let mut reached = Reached::new(program, Order::ReversePostorder);
    counters.add("attempts", 1);
    counters.live.phase("exploration");
    let begun = Instant::now();
    cpa::start(program, &mut cpa, &mut (), &mut reached)?;
    let mut abort = |step: &analysis::Step, _: &_| is_target(program, &goals, step);
    let outcome = cpa::explore((program, &goals), &mut cpa, &mut (), &mut reached, &mut abort, (cancel, counters));
    counters.time_since("exploration", begun);
    counters.add("reached", reached.arg.len() as u64);
    if let Explored::Aborted(target) = outcome? {
        let (_, edge) = reached.arg.parent(target).expect("a target is not the root");
        let span = program.edges[edge].span;
        return Err(match program.edges[edge].op {
            Op::Unsupported(what) => Stop::Unsupported { what: program.text(what).to_owned(), span },
            _ => Stop::Undecided { what: "shapes do not exclude the error".to_owned(), span },
        });
    }
    counters.live.phase("proof check");
    let begun = Instant::now();
    let checked = proof::check((program, &goals), &mut cpa, &(), &mut reached, cancel);
    counters.time_since("proof check", begun);
    checked?;
    let checked =
        format!("The successors of all {} shapes were computed a second time and found among them.", reached.arg.len());
    Ok(proof::invariants(program, &cpa, &reached, &checked))
}
