//! `shapes`: symbolic memory graphs, first with as few parts of lists told apart as can be, then with more, as long as an
//! error is not excluded. With folded lists, only proofs count. Whether an error that is not excluded is there is looked
//! for along single paths, where nothing is folded, and counts if its execution was replayed.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use analysis::{Order, Reached, Step};
use base::options;
use base::options::OptionList;
use cfa::Op;
use domains::shape::{Folding, Kept, Options as DomainOptions, ShapeAnalysis};
use engine::cpa::{self, Explored, is_target};
use engine::evidence::Confirm;
use engine::proof;
use engine::unfolded::{self, Unfolding};
use std::time::Instant;
use verdict::{Counterexample, Goals, Proof, Stop, Verdict};

pub const ENTRY: Entry = Entry {
    name: "shapes",
    options: ShapeOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Together,
    run,
};

options! {
    /// Options of the shape analysis.
    pub struct ShapeOptions {
        /// Parts of a list, each with nodes that are alike, that are kept apart; one attempt for each number.
        reach: Vec<usize> = vec![1, 2, 5],
        /// The largest lower bound that is kept for the number of nodes of a segment.
        least: u32 = 2,
        /// An attempt ends if one graph has more heap objects than this.
        most_objects: usize = 40,
        /// An attempt ends if one step makes more graphs than this from one graph.
        most_graphs: usize = 200,
        /// States at a loop head before those that differ in data only are joined; times the square of `reach`.
        patience: u32 = 40,
        /// The most states on single paths to an error that is not excluded; first a tenth of them, between attempts.
        states: usize = 30_000,
        /// As how many steps on a single path one counts that the path of the attempt before does not have.
        detour: u32 = 20,
        /// The most single paths to one target of which it is not known whether an execution takes them.
        doubts: u32 = 30,
        /// The most single paths to one target that no execution takes.
        refuted: u32 = 300,
    }
}

/// Why an attempt is not a proof, and the path to the error that it does not exclude.
struct Open {
    stop: Stop,
    path: Vec<Step>,
}

impl From<Stop> for Open {
    fn from(stop: Stop) -> Open {
        Open { stop, path: Vec::new() }
    }
}

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: ShapeOptions = options.read()?;
    let mut open = Open::from(Stop::Bound("no attempt was requested".to_owned()));
    for (at, &reach) in options.reach.iter().enumerate() {
        match options.attempt(run, reach, Kept::All) {
            Ok(proof) => return Ok(Verdict::Safe(proof)),
            Err(Open { stop: stop @ Stop::Limit(_), .. }) => return Err(stop.into()),
            Err(other) => open = other,
        }
        if matches!(open.stop, Stop::Unsupported { .. }) {
            break;
        }
        if at == 0
            && !open.path.is_empty()
            && let Some(found) = unfold(run, &options, &open.path, options.states / 10)?
        {
            return Ok(Verdict::Unsafe(found));
        }
    }
    let found = unfold(run, &options, &open.path, options.states)?;
    Ok(found.map_or(Verdict::Unknown(open.stop), Verdict::Unsafe))
}

/// Data is joined early where only the way through a list matters.
const HASTY: u32 = 5;

/// A proof with folded lists about where executions go, not about data.
pub fn proof(run: &mut Run) -> Option<Proof> {
    let options = ShapeOptions { patience: HASTY, ..ShapeOptions::default() };
    options.reach.iter().find_map(|&reach| options.attempt(run, reach, Kept::Links).ok())
}

impl ShapeOptions {
    fn attempt(&self, run: &mut Run, reach: usize, kept: Kept) -> Result<Proof, Open> {
        // The more is told apart, the more states there are that must not be joined.
        let patience = self.patience * (reach * reach) as u32;
        let folding = Folding { reach, least: self.least };
        attempt(run, DomainOptions { kept, ..self.domain(Some(folding), patience) })
    }

    fn domain(&self, folding: Option<Folding>, patience: u32) -> DomainOptions {
        let (most_objects, most_graphs) = (self.most_objects, self.most_graphs);
        DomainOptions { folding, kept: Kept::All, most_objects, most_graphs, patience }
    }
}

/// An execution along a path without folded lists.
fn unfold(
    run: &mut Run,
    options: &ShapeOptions,
    guide: &[Step],
    states: usize,
) -> Result<Option<Counterexample>, Stop> {
    run.counters.live.phase("single paths");
    let begun = Instant::now();
    let mut cpa = ShapeAnalysis::new(run.program, options.domain(None, u32::MAX));
    let confirm = Confirm::new(run.program, run.backend, run.cancel).sharing(run.board.clone());
    let share = |most: u32| (most as usize * states / options.states.max(1)) as u32;
    let limits =
        Unfolding { states, detour: options.detour, doubts: share(options.doubts), refuted: share(options.refuted) };
    let found = unfolded::search((&confirm, run.goals), &mut cpa, guide, &limits, run.counters);
    run.counters.time_since("single paths", begun);
    found
}

fn attempt(run: &mut Run, options: DomainOptions) -> Result<Proof, Open> {
    let Run { program, cancel, counters, .. } = run;
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
        let path = reached.path_to(program, target).steps;
        let edge = &program.edges[path.last().expect("a target is not the root").edge];
        let span = edge.span;
        return Err(match edge.op {
            Op::Unsupported(what) => Stop::Unsupported { what: program.text(what).to_owned(), span }.into(),
            _ => Open { stop: Stop::Undecided { what: "shapes do not exclude the error".to_owned(), span }, path },
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
