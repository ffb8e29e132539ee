//! Octagons as difference-bound matrices [Min06]: every variable `v` stands for two nodes, `+v` and `-v`, and the entry from
//! node `p` to node `q` bounds `q - p`. Variables are integers, so closed matrices are tight: bounds of single variables are
//! even, and whatever follows from them is entered [BHZ08].

use std::borrow::Cow;

/// No bound.
const NONE: i128 = i128::MAX / 4;

/// Bounds of `±v ±w` for all pairs of variables. Its set may be empty only while it is not closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Matrix {
    vars: usize,
    bounds: Vec<i128>,
    /// Whether every bound that follows is entered.
    closed: bool,
}

/// One of the two nodes of a variable: its value, or the opposite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Term {
    pub var: usize,
    pub negative: bool,
}

impl Term {
    pub fn plus(var: usize) -> Term {
        Term { var, negative: false }
    }

    pub fn minus(var: usize) -> Term {
        Term { var, negative: true }
    }

    pub fn opposite(self) -> Term {
        Term { negative: !self.negative, ..self }
    }

    fn node(self) -> usize {
        2 * self.var + usize::from(self.negative)
    }
}

impl Matrix {
    /// All values of so many variables.
    pub fn full(vars: usize) -> Matrix {
        let mut bounds = vec![NONE; 4 * vars * vars];
        (0..2 * vars).for_each(|node| bounds[node * 2 * vars + node] = 0);
        Matrix { vars, bounds, closed: true }
    }

    pub fn vars(&self) -> usize {
        self.vars
    }

    fn at(&self, p: usize, q: usize) -> i128 {
        debug_assert!(p < 2 * self.vars && q < 2 * self.vars, "{p} and {q} of {} nodes", 2 * self.vars);
        self.bounds[p * 2 * self.vars + q]
    }

    fn lower(&mut self, p: usize, q: usize, bound: i128) {
        debug_assert!(p < 2 * self.vars && q < 2 * self.vars, "{p} and {q} of {} nodes", 2 * self.vars);
        let entry = &mut self.bounds[p * 2 * self.vars + q];
        *entry = bound.min(*entry);
    }

    /// The bound of `a + b`; of `2 a` if they are the same.
    pub fn sum(&self, a: Term, b: Term) -> Option<i128> {
        Some(self.at(b.opposite().node(), a.node())).filter(|bound| *bound < NONE)
    }

    /// The bound of a term.
    pub fn most(&self, term: Term) -> Option<i128> {
        self.sum(term, term).map(|twice| twice.div_euclid(2))
    }

    /// The states in which `a + b` is at most this, `2 a` if they are the same; `None` if there is none.
    pub fn restricted(&self, a: Term, b: Term, bound: i128) -> Option<Matrix> {
        debug_assert!(a.var < self.vars && b.var < self.vars, "{a:?} and {b:?} of {} variables", self.vars);
        let mut all = self.closed()?;
        if all.sum(a, b).is_some_and(|known| known <= bound) {
            return Some(all);
        }
        let (p, q) = (b.opposite().node(), a.node());
        all.lower(p, q, bound);
        all.lower(q ^ 1, p ^ 1, bound);
        // What leads over the new edge, its mirror image, or both.
        let nodes = 2 * all.vars;
        let old = all.clone();
        for i in 0..nodes {
            let (to_p, to_q) = (old.at(i, p), old.at(i, q ^ 1));
            for j in 0..nodes {
                let ways = [
                    sum(&[to_p, bound, old.at(q, j)]),
                    sum(&[to_q, bound, old.at(p ^ 1, j)]),
                    sum(&[to_p, bound, old.at(q, q ^ 1), bound, old.at(p ^ 1, j)]),
                    sum(&[to_q, bound, old.at(p ^ 1, p), bound, old.at(q, j)]),
                ];
                ways.into_iter().for_each(|way| all.lower(i, j, way));
            }
        }
        let not_empty = all.tighten();
        debug_assert!(!not_empty || all.is_coherent(), "a bound and its mirror image are one");
        not_empty.then_some(all)
    }

    /// Whether `q - p` and `-p - -q`, which are the same, have the same bound.
    fn is_coherent(&self) -> bool {
        let nodes = 2 * self.vars;
        (0..nodes).all(|p| (0..nodes).all(|q| self.at(p, q) == self.at(q ^ 1, p ^ 1)))
    }

    /// [`Matrix::closed`] without a copy if it is that already.
    pub fn as_closed(&self) -> Option<Cow<'_, Matrix>> {
        if self.closed { Some(Cow::Borrowed(self)) } else { self.closed().map(Cow::Owned) }
    }

    /// The same set with every bound entered; `None` if it is empty.
    pub fn closed(&self) -> Option<Matrix> {
        let mut all = self.clone();
        if all.closed {
            return Some(all);
        }
        let nodes = 2 * all.vars;
        for k in 0..nodes {
            for i in 0..nodes {
                let first = all.at(i, k);
                if first < NONE {
                    for j in 0..nodes {
                        let way = sum(&[first, all.at(k, j)]);
                        all.lower(i, j, way);
                    }
                }
            }
        }
        all.closed = true;
        let not_empty = all.tighten();
        debug_assert!(!not_empty || all.is_coherent(), "a bound and its mirror image are one");
        not_empty.then_some(all)
    }

    /// Enters what follows from bounds of single variables in a matrix whose shortest ways are entered. Says whether the set
    /// is not empty.
    fn tighten(&mut self) -> bool {
        let nodes = 2 * self.vars;
        for p in 0..nodes {
            let alone = self.at(p, p ^ 1);
            if alone < NONE {
                self.bounds[p * nodes + (p ^ 1)] = 2 * alone.div_euclid(2);
            }
        }
        let empty = |p: usize| self.at(p, p) < 0 || sum(&[self.at(p, p ^ 1), self.at(p ^ 1, p)]) < 0;
        if (0..nodes).any(empty) {
            return false;
        }
        for p in 0..nodes {
            for q in 0..nodes {
                let both = sum(&[self.at(p, p ^ 1), self.at(q ^ 1, q)]);
                if both < NONE {
                    self.lower(p, q, both / 2);
                }
            }
        }
        true
    }

    /// Nothing is known of a variable any more.
    pub fn forgotten(&self, var: usize) -> Option<Matrix> {
        assert!(var < self.vars, "{var} of {} variables", self.vars);
        let mut all = self.closed()?;
        let nodes = 2 * all.vars;
        for own in [2 * var, 2 * var + 1] {
            for other in (0..nodes).filter(|&other| other != own) {
                all.bounds[own * nodes + other] = NONE;
                all.bounds[other * nodes + own] = NONE;
            }
        }
        Some(all)
    }

    /// The variable becomes its opposite.
    pub fn negated(&self, var: usize) -> Matrix {
        assert!(var < self.vars, "{var} of {} variables", self.vars);
        let swapped = |node: usize| if node / 2 == var { node ^ 1 } else { node };
        let mut all = self.clone();
        let nodes = 2 * all.vars;
        for p in 0..nodes {
            for q in 0..nodes {
                all.bounds[swapped(p) * nodes + swapped(q)] = self.at(p, q);
            }
        }
        all
    }

    /// The variable grows by something between two numbers.
    pub fn moved(&self, var: usize, least: i128, most: i128) -> Option<Matrix> {
        assert!(var < self.vars, "{var} of {} variables", self.vars);
        assert!(least <= most, "between {least} and {most} lies nothing");
        let mut all = self.closed()?;
        let nodes = 2 * all.vars;
        let (plus, minus) = (2 * var, 2 * var + 1);
        // How much `node` grows at most.
        let growth = |node: usize| {
            if node == plus {
                most
            } else if node == minus {
                -least
            } else {
                0
            }
        };
        for p in 0..nodes {
            for q in (0..nodes).filter(|&q| q != p) {
                let bound = all.at(p, q);
                if bound < NONE {
                    // The opposite of `p` is what the bound adds to `q`.
                    all.bounds[p * nodes + q] = bound + growth(q) + growth(p ^ 1);
                }
            }
        }
        all.closed = least == most;
        all.closed()
    }

    /// Whether every state of this set is one of the other. This one must be closed.
    pub fn leq(&self, other: &Matrix) -> bool {
        assert_eq!(self.vars, other.vars, "octagons of the same variables");
        debug_assert!(self.closed, "bounds that follow are not entered");
        self.bounds.iter().zip(&other.bounds).all(|(a, b)| a <= b)
    }

    /// The smallest octagon around two that are closed.
    pub fn join(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.vars, other.vars, "octagons of the same variables");
        debug_assert!(self.closed && other.closed, "bounds that follow are not entered");
        let bounds = self.bounds.iter().zip(&other.bounds).map(|(a, b)| *a.max(b)).collect();
        Matrix { bounds, ..self.clone() }
    }

    /// What both have in common.
    pub fn meet(&self, other: &Matrix) -> Option<Matrix> {
        assert_eq!(self.vars, other.vars, "octagons of the same variables");
        let bounds = self.bounds.iter().zip(&other.bounds).map(|(a, b)| *a.min(b)).collect();
        Matrix { vars: self.vars, bounds, closed: false }.closed()
    }

    /// Bounds that grew go. It is not closed, since that would bring some of them back for ever.
    pub fn widened(&self, new: &Matrix) -> Matrix {
        assert_eq!(self.vars, new.vars, "octagons of the same variables");
        let bounds = self.bounds.iter().zip(&new.bounds).map(|(old, new)| if new <= old { *old } else { NONE });
        Matrix { vars: self.vars, bounds: bounds.collect(), closed: false }
    }

    /// A bound that is entered without drawing conclusions.
    pub fn entered(&mut self, a: Term, b: Term, bound: i128) {
        let (p, q) = (b.opposite().node(), a.node());
        self.lower(p, q, bound);
        self.lower(q ^ 1, p ^ 1, bound);
        self.closed = false;
    }

    /// The same about variables at other places: each new one is an old one, or arbitrary.
    pub fn placed(&self, from: &[Option<usize>]) -> Option<Matrix> {
        let old = self.closed()?;
        let mut all = Matrix::full(from.len());
        debug_assert!(from.iter().flatten().all(|&var| var < self.vars), "variables of the old octagon");
        let nodes = 2 * from.len();
        let source = |node: usize| from[node / 2].map(|var| 2 * var + node % 2);
        for p in 0..nodes {
            for q in (0..nodes).filter(|&q| q != p) {
                if let (Some(x), Some(y)) = (source(p), source(q)) {
                    all.bounds[p * nodes + q] = old.at(x, y);
                }
            }
        }
        Some(all)
    }
}

/// The sum of bounds, none if one is missing.
fn sum(bounds: &[i128]) -> i128 {
    if bounds.iter().any(|bound| *bound >= NONE) { NONE } else { bounds.iter().sum::<i128>().min(NONE) }
}
