//! Paths from the start of the program, each known by a number that stands for its edges and calls. Two paths with one
//! number are as good as impossible, and would only lose an answer.

use super::Part;
use analysis::{Move, Step};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// More paths than this are not kept.
const MOST: usize = 1 << 16;

/// A part that has this many times as much time as an unsuccessful attempt took may try again.
const WORTH_ANOTHER_TRY: u32 = 4;

/// Whether a part with this much time would only repeat what was tried.
pub fn is_enough(spent: Duration, time: Duration) -> bool {
    time < spent * WORTH_ANOTHER_TRY
}

#[derive(Clone, Copy, Debug)]
enum Known {
    Infeasible,
    Undecided(Duration),
}

/// The paths that were asked about.
#[derive(Debug, Default)]
pub struct Paths {
    known: FxHashMap<PathNumber, (Known, Part)>,
    infeasible: u64,
}

/// What stands for a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PathNumber(u128);

/// What stands for the beginnings of a path, the shortest one first, as far as that was asked for.
#[derive(Clone, Debug, Default)]
pub struct PathNumbers(Vec<PathNumber>);

impl PathNumbers {
    /// Forgets longer beginnings than this: the path goes on in another way.
    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    /// What stands for the first so many steps of the path, at least one.
    pub fn of(&mut self, path: &[Step], length: usize) -> PathNumber {
        let mut last = self.0.last().copied().unwrap_or(PathNumber::EMPTY);
        for step in path.iter().take(length).skip(self.0.len()) {
            last = last.longer(step);
            self.0.push(last);
        }
        self.0[length - 1]
    }
}

impl PathNumber {
    const EMPTY: PathNumber = PathNumber(0x6a09_e667_f3bc_c908_bb67_ae85_84ca_a73b);

    /// The path one step longer: a step is its edge, and which side of a call it is.
    fn longer(self, step: &Step) -> PathNumber {
        let side: u128 = match step.kind {
            Move::Edge => 0,
            Move::Enter => 1,
            Move::Leave => 2,
            Move::Over => 3,
        };
        let word = (u128::from(step.edge.0) << 2) | side;
        let mixed = (self.0 ^ word).wrapping_mul(0x2d35_8dcc_aa6c_78a5_8bb8_4b93_962e_acc9);
        PathNumber(mixed ^ (mixed >> 67))
    }

    fn of(path: &[Step]) -> PathNumber {
        path.iter().fold(PathNumber::EMPTY, PathNumber::longer)
    }
}

impl Paths {
    pub fn refute(&mut self, path: &[Step], by: Part) {
        assert!(!path.is_empty(), "every execution takes the empty path");
        self.refute_number(PathNumber::of(path), by);
    }

    pub fn refute_number(&mut self, number: PathNumber, by: Part) {
        let before = self.known.get(&number).map(|(known, _)| *known);
        let room = self.known.len() < MOST || before.is_some();
        if room && !matches!(before, Some(Known::Infeasible)) {
            self.known.insert(number, (Known::Infeasible, by));
            self.infeasible += 1;
        }
    }

    /// The length of the shortest infeasible prefix, and which part found it.
    pub fn refuted(&self, path: &[Step]) -> Option<(usize, Part)> {
        if self.infeasible == 0 {
            return None;
        }
        let mut number = PathNumber::EMPTY;
        path.iter().enumerate().find_map(|(at, step)| {
            number = number.longer(step);
            match self.known.get(&number) {
                Some((Known::Infeasible, by)) => Some((at + 1, *by)),
                Some((Known::Undecided(_), _)) | None => None,
            }
        })
    }

    pub fn give_up(&mut self, path: &[Step], time: Duration, by: Part) {
        let number = PathNumber::of(path);
        let longer = match self.known.get(&number) {
            Some((Known::Infeasible, _)) => false,
            Some((Known::Undecided(before), _)) => *before < time,
            None => self.known.len() < MOST,
        };
        if longer {
            self.known.insert(number, (Known::Undecided(time), by));
        }
    }

    /// The longest unsuccessful attempt on a path, and which part made it.
    pub fn given_up(&self, path: &[Step]) -> Option<(Duration, Part)> {
        match self.known.get(&PathNumber::of(path))? {
            (Known::Undecided(time), by) => Some((*time, *by)),
            (Known::Infeasible, _) => None,
        }
    }

    /// How many are infeasible, and how many undecided.
    pub fn sizes(&self) -> (u64, u64) {
        assert!(self.infeasible <= self.known.len() as u64, "infeasible paths are known ones");
        (self.infeasible, self.known.len() as u64 - self.infeasible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::Place;
    use cfa::{EdgeId, Node};

    /// A path by its edges; `>` enters, `<` leaves.
    fn path(text: &str) -> Vec<Step> {
        let place = Place { node: Node(0), stack: analysis::Stacks::EMPTY };
        let step = |word: &str| {
            let kind = match &word[..1] {
                ">" => Move::Enter,
                "<" => Move::Leave,
                _ => Move::Edge,
            };
            let edge = EdgeId(word.trim_start_matches(['<', '>']).parse().expect("a number"));
            Step { kind, edge, from: place, to: place, from_depth: 0, to_depth: 0 }
        };
        text.split(' ').map(step).collect()
    }

    fn length(paths: &Paths, text: &str) -> Option<usize> {
        paths.refuted(&path(text)).map(|(length, _)| length)
    }

    #[test]
    fn the_shortest_prefix_is_found_and_nothing_else() {
        let mut paths = Paths::default();
        paths.refute(&path("1 >2 3 4"), Part(0));
        paths.refute(&path("1 >2 3"), Part(0));
        assert_eq!(length(&paths, "1 >2 3 4 5"), Some(3));
        assert_eq!(length(&paths, "1 >2 3"), Some(3));
        for other in ["1 >2", "1 2 3", "1 <2 3", "2 1 3", "0 1 >2 3", "1 >2 4 3"] {
            assert_eq!(length(&paths, other), None, "{other}");
        }
        assert_eq!(paths.sizes(), (2, 0));
    }

    #[test]
    fn numbers_of_beginnings_follow_the_path() {
        let (mut numbers, first, second) = (PathNumbers::default(), path("1 >2 3 4 5"), path("1 >2 6 4 5"));
        for length in [2, 5, 1, 3] {
            assert_eq!(numbers.of(&first, length), PathNumber::of(&first[..length]));
        }
        numbers.truncate(2);
        for length in [4, 2, 5] {
            assert_eq!(numbers.of(&second, length), PathNumber::of(&second[..length]));
        }
    }

    #[test]
    fn who_has_much_more_time_tries_again() {
        let mut paths = Paths::default();
        let second = Duration::from_secs(1);
        paths.give_up(&path("1 2"), second, Part(0));
        paths.give_up(&path("1 2"), second / 2, Part(1));
        assert_eq!(paths.given_up(&path("1 2")), Some((second, Part(0))), "the longer try counts");
        assert_eq!(paths.given_up(&path("1")), None);
        assert!(is_enough(second, second) && is_enough(second, 3 * second) && !is_enough(second, 4 * second));
        assert_eq!(length(&paths, "1 2"), None, "undecided is not infeasible");
        paths.refute(&path("1 2"), Part(1));
        assert_eq!((length(&paths, "1 2"), paths.given_up(&path("1 2"))), (Some(2), None));
        assert_eq!(paths.sizes(), (1, 0));
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let mut paths = Paths::default();
        for edge in 0..MOST + 10 {
            paths.refute(&path(&edge.to_string()), Part(0));
        }
        assert_eq!(paths.sizes(), (MOST as u64, 0));
    }
}
