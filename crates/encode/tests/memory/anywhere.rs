//! What formulas know of a state that nothing is known of: the start of an induction step may be any state.

use super::checks::program_text;
use super::{Way, lower_checked};
use base::Cancel;
use cfa::{Check, Checks, DataModel, Expr, ExprId, Living, Undefined};
use encode::PathFormula;
use smt::{Answer, Solver};
use smt_bitwuzla::Bitwuzla;

/// Where nothing is known of what ran before, memory may be lost already.
#[test]
fn from_anywhere_memory_may_be_lost() {
    let text = program_text("static int *g; MAIN g = malloc(4); if (n) g = 0;", "return 0;");
    let program = lower_checked(text, DataModel::Lp64, Undefined::Report, Checks::of(&[Check::Track]));
    let is_asked = |id: &ExprId| matches!(program.exprs.node(*id), Expr::Living(Living::Tracked));
    let tracked = program.exprs.ids().find(is_asked).unwrap();
    for way in [Way::Events, Way::Fixed] {
        let (mut encoder, mut exprs) = (way.encoder(&program), program.exprs.clone());
        let lost = exprs.not(tracked);
        let lost = encoder.import(&exprs, lost).unwrap();
        let path = encoder.assume_fact(PathFormula::start(1), lost);
        let path = path.unwrap_or_else(|| panic!("{way:?}: all is tracked"));
        let mut formulas = vec![encoder.guards.formula(&mut encoder.terms, path.guard)];
        formulas.extend(encoder.definitions(0));
        let answer = Bitwuzla::new().check_assuming(&encoder.terms, &formulas, &Cancel::never()).unwrap();
        assert_eq!(answer, Answer::Sat, "{way:?}");
    }
}
