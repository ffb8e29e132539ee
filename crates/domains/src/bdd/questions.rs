//! Which variable has to tell which values apart.
//!
//! What is asked about a variable is asked about all that it is copied from, but not the other way round: where `x = y`
//! and `x` is compared with 3, `y` needs a class for 3, and the other variables that are copied from `y` do not. So a
//! copy maps the classes of its source to coarser ones, and loses only what is never asked.
//!
//! That goes for variables that are copied and compared with constants, no more. What is computed from a class is the
//! more exact the finer the class is, also where nothing is asked; so variables whose values enter anything else have
//! to know all that is asked about what they are copied from, too.

use super::partition::Landmarks;
use super::ranges::Ranges;
use cfa::{BinOp, Expr, ExprId, Exprs, Scalar, UnOp, VarId};
use flow::graph::{Components, Graph};
use std::collections::HashSet;

/// A comparison with a constant.
#[derive(Clone, Copy)]
pub enum Question {
    Is(i128),
    Below(i128),
}

/// What happens to the value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Use {
    /// It is a condition.
    Truth,
    /// It is assigned to a variable.
    Copied,
    /// It is compared with a constant.
    Compared,
    /// Anything else.
    Other,
}

/// What is known of the uses of variables.
#[derive(Default)]
pub struct Uses {
    /// Target and source of copies that keep values.
    copies: Vec<(VarId, VarId)>,
    /// Pairs that are compared with each other, or converted into each other.
    related: Vec<(VarId, VarId)>,
    /// Variables with other uses than copies and comparisons with constants.
    exact: HashSet<VarId>,
    seen: HashSet<(ExprId, Use)>,
}

impl Uses {
    /// `to := from`, which keeps the value.
    pub fn copy(&mut self, to: VarId, from: VarId) {
        self.copies.push((to, from));
    }

    /// `to := from`, which changes some values.
    pub fn convert(&mut self, to: VarId, from: VarId) {
        self.exact.insert(from);
        self.related.push((to, from));
    }

    /// The variables are compared with each other.
    pub fn compare(&mut self, a: VarId, b: VarId) {
        self.exact.extend([a, b]);
        self.related.push((a, b));
    }

    /// What happens to the variable is not seen here.
    pub fn other(&mut self, var: VarId) {
        self.exact.insert(var);
    }

    /// Notes which variables in an expression are more than copied and compared with constants.
    pub fn note(&mut self, exprs: &Exprs, root: ExprId, how: Use) {
        let mut todo = vec![(root, how)];
        while let Some((id, how)) = todo.pop() {
            if !self.seen.insert((id, how)) {
                continue;
            }
            let is_truth = exprs.ty(id) == Scalar::Bool;
            match exprs.node(id) {
                Expr::Var(var) if !matches!(how, Use::Copied | Use::Compared) => {
                    self.exact.insert(var);
                }
                Expr::Var(_) => {}
                Expr::Cast(a) if exprs.ty(a) == Scalar::Bool => todo.push((a, Use::Truth)),
                Expr::Cast(a) if keeps_values(exprs.ty(a), exprs.ty(id)) => todo.push((a, how)),
                Expr::Ite(c, a, b) => {
                    let arms = if how == Use::Compared { Use::Other } else { how };
                    todo.extend([(c, Use::Truth), (a, arms), (b, arms)]);
                }
                Expr::Unary(UnOp::Not, a) if is_truth => todo.push((a, Use::Truth)),
                Expr::Binary(BinOp::And | BinOp::Or | BinOp::Xor, a, b) if is_truth => {
                    todo.extend([(a, Use::Truth), (b, Use::Truth)]);
                }
                Expr::Binary(op, a, b) if op.is_comparison() => {
                    let side = match (exprs.integer(a), exprs.integer(b)) {
                        _ if exprs.ty(a) == Scalar::Bool => Use::Truth,
                        (None, None) => Use::Other,
                        _ => Use::Compared,
                    };
                    todo.extend([(a, side), (b, side)]);
                }
                node => todo.extend(node.operands().map(|operand| (operand, Use::Other))),
            }
        }
    }

    /// What each of so many variables has to tell apart, given what is asked about it.
    pub fn spread(mut self, vars: usize, asked: &[(VarId, Question)]) -> Questions {
        let at = |var: VarId| var.0;
        let sources = Graph::new(vars, &self.copies.iter().map(|&(to, from)| (at(to), at(from))).collect::<Vec<_>>());
        let exact = sources.reachable(self.exact.drain().map(at));
        // From who has to know to what it has to know about.
        let mut edges = Vec::new();
        for &(to, from) in &self.copies {
            edges.push((at(from), at(to)));
            if exact[at(to) as usize] {
                edges.push((at(to), at(from)));
            }
        }
        edges.extend(self.related.iter().flat_map(|&(a, b)| [(at(a), at(b)), (at(b), at(a))]));
        let graph = Graph::new(vars, &edges);
        let components = graph.components();
        let mut landmarks = vec![Landmarks::default(); components.len()];
        for (var, question) in asked {
            landmarks[components.of(at(*var)) as usize].add(*question);
        }
        for component in 0..components.len() {
            let mut all = std::mem::take(&mut landmarks[component]);
            let members = components.members(component as u32).iter();
            let others: HashSet<u32> =
                members.flat_map(|&var| graph.successors(var)).map(|&var| components.of(var)).collect();
            for other in others.into_iter().filter(|&other| other as usize != component) {
                debug_assert!((other as usize) < component, "edges lead to smaller components");
                all.extend(&landmarks[other as usize]);
            }
            landmarks[component] = all;
        }
        Questions { components, landmarks }
    }
}

/// What every variable has to tell apart.
pub struct Questions {
    components: Components,
    landmarks: Vec<Landmarks>,
}

impl Questions {
    /// What is asked about a variable.
    pub fn about(&self, var: VarId) -> &Landmarks {
        &self.landmarks[self.components.of(var.0) as usize]
    }
}

/// Whether every value of one type is the same value of the other.
pub fn keeps_values(from: Scalar, to: Scalar) -> bool {
    match (Ranges::of_type(from), Ranges::of_type(to)) {
        (Some(from), Some(to)) => to.lowest() <= from.lowest() && from.highest() <= to.highest(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: [(VarId, Question); 3] =
        [(VarId(0), Question::Is(7)), (VarId(1), Question::Is(5)), (VarId(2), Question::Below(3))];

    /// How many questions are asked about four variables; the last one has none of its own.
    fn check(uses: Uses, expected: [usize; 4]) {
        let questions = uses.spread(4, &ASKED);
        let count = |var: u32| {
            let landmarks = questions.about(VarId(var));
            landmarks.singles.len() + landmarks.cuts.len()
        };
        assert_eq!([0, 1, 2, 3].map(count), expected);
    }

    fn copies(pairs: &[(u32, u32)]) -> Uses {
        let mut uses = Uses::default();
        for &(to, from) in pairs {
            uses.copy(VarId(to), VarId(from));
        }
        uses
    }

    #[test]
    fn sources_are_asked_what_copies_are() {
        check(copies(&[(1, 0), (2, 0), (3, 0)]), [3, 1, 1, 0]);
        check(copies(&[(1, 0), (2, 1), (2, 3)]), [3, 2, 1, 1]);
        check(copies(&[(1, 0), (0, 2), (2, 1), (0, 3)]), [3, 3, 3, 3]);
    }

    #[test]
    fn exact_variables_are_asked_what_their_sources_are() {
        let mut uses = copies(&[(1, 0), (2, 0), (3, 2)]);
        uses.other(VarId(3));
        check(uses, [3, 1, 3, 3]);
        let mut uses = copies(&[(1, 0), (3, 2)]);
        uses.compare(VarId(1), VarId(3));
        check(uses, [3, 3, 3, 3]);
        let mut uses = copies(&[(1, 0)]);
        uses.convert(VarId(3), VarId(2));
        check(uses, [2, 1, 1, 1]);
    }

    #[test]
    fn wider_types_keep_values() {
        let int = Scalar::int;
        assert!(keeps_values(int(8, false), int(16, true)) && keeps_values(int(32, true), int(32, true)));
        assert!(!keeps_values(int(8, true), int(16, false)) && !keeps_values(int(32, true), int(8, true)));
        assert!(!keeps_values(int(32, true), int(32, false)) && !keeps_values(int(32, true), Scalar::Ptr));
    }
}
