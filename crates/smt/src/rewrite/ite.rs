//! Rules of conditionals.

use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};

impl Terms {
    pub(super) fn simplify_ite(&mut self, condition: TermId, yes: TermId, no: TermId) -> Option<TermId> {
        // match: true ? a : b, false ? a : b
        // result: a, b
        if let Some(value) = self.as_bool(condition) {
            return Some(if value { yes } else { no });
        }
        // match: c ? a : a
        // result: a
        if yes == no {
            return Some(yes);
        }
        // match: ¬c ? a : b
        // result: c ? b : a
        if self.op(condition) == Op::Not {
            return Some(self.ite(self.arg(condition), no, yes));
        }
        // match: c ? (c ? a : b) : d
        // result: c ? a : d
        if self.op(yes) == Op::Ite && self.triple(yes).0 == condition {
            return Some(self.ite(condition, self.triple(yes).1, no));
        }
        // match: c ? a : (c ? b : d)
        // result: c ? a : d
        if self.op(no) == Op::Ite && self.triple(no).0 == condition {
            return Some(self.ite(condition, yes, self.triple(no).2));
        }
        // match: (x = y) ? x : y
        // result: y
        if self.op(condition) == Op::Eq {
            let (x, y) = self.pair(condition);
            if (x, y) == (yes, no) || (y, x) == (yes, no) {
                return Some(no);
            }
        }
        if self.sort(yes) == Sort::Bool { self.simplify_bool_ite(condition, yes, no) } else { None }
    }

    fn simplify_bool_ite(&mut self, condition: TermId, yes: TermId, no: TermId) -> Option<TermId> {
        match (self.as_bool(yes), self.as_bool(no)) {
            // match: c ? true : b
            // result: c ∨ b
            (Some(true), _) => Some(self.or([condition, no])),
            // match: c ? false : b
            // result: ¬c ∧ b
            (Some(false), _) => {
                let negated = self.not(condition);
                Some(self.and([negated, no]))
            }
            // match: c ? a : true
            // result: ¬c ∨ a
            (_, Some(true)) => Some(self.implies(condition, yes)),
            // match: c ? a : false
            // result: c ∧ a
            (_, Some(false)) => Some(self.and([condition, yes])),
            (None, None) => {
                // match: c ? a : ¬a
                // result: c = a
                if self.are_opposite(yes, no) {
                    return Some(self.eq(condition, yes));
                }
                // match: c ? c : b, c ? a : c
                // result: c ∨ b, c ∧ a
                if yes == condition {
                    return Some(self.or([condition, no]));
                }
                (no == condition).then(|| self.and([condition, yes]))
            }
        }
    }

    /// match: f(..., c ? v : w, ...) where v, w and all other arguments are values
    /// result: c ? f(..., v, ...) : f(..., w, ...)
    ///
    /// C turns conditions into 0 and 1 and tests those again; this takes them back.
    pub(super) fn lift_ite(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        if args.len() > 3 || matches!(op, Op::Ite | Op::And | Op::Or | Op::Apply(_) | Op::ConstArray(_)) {
            return None;
        }
        let position = args.iter().position(|&arg| !self.is_value(arg))?;
        let others_are_values = args.iter().skip(position + 1).all(|&arg| self.is_value(arg));
        if !others_are_values || self.op(args[position]) != Op::Ite {
            return None;
        }
        let (condition, yes, no) = self.triple(args[position]);
        if !self.is_value(yes) || !self.is_value(no) {
            return None;
        }
        let mut args = args.to_vec();
        args[position] = yes;
        let yes = self.make(op, &args);
        args[position] = no;
        let no = self.make(op, &args);
        Some(self.ite(condition, yes, no))
    }
}
