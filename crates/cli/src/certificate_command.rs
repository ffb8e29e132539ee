//! `argonaut check-certificate`.

use crate::args::{CertificateArgs, SolverArg};
use base::printable;
use driver::{Checked, SolverProgram};

/// One line for each formula, then the answer.
pub fn check(args: &CertificateArgs) -> Result<u8, String> {
    let solver = match args.solver {
        SolverArg::Z3 => SolverProgram::Z3,
        SolverArg::Cvc5 => SolverProgram::Cvc5,
        SolverArg::Bitwuzla => SolverProgram::Bitwuzla,
    };
    let mut tell = |checked: &Checked| {
        let word = match &checked.answer {
            Ok(true) => "CONFIRMED".to_owned(),
            Ok(false) => "REFUTED".to_owned(),
            Err(why) => format!("UNKNOWN ({why})"),
        };
        crate::print(&format!("{}\n", printable(&format!("{}: {word}: {}", checked.file, checked.says))));
    };
    let all = driver::check_certificate(&args.folder, solver, args.time_limit, &mut tell)?;
    let count = |wanted: fn(&Checked) -> bool| all.iter().filter(|one| wanted(one)).count();
    let (refuted, unknown) = (count(|one| one.answer == Ok(false)), count(|one| one.answer.is_err()));
    let (line, code) = match (refuted, unknown) {
        (0, 0) => (format!("Certificate: CONFIRMED ({} formulas)", all.len()), 0),
        (0, _) => (format!("Certificate: UNKNOWN ({unknown} of {} formulas)", all.len()), 3),
        (_, _) => (format!("Certificate: REFUTED ({refuted} of {} formulas)", all.len()), 1),
    };
    crate::print(&format!("{line}\n"));
    Ok(code)
}
