//! Programs as transition systems for hardware model checkers: the program with a single loop, each step of the system one
//! iteration of it.

use base::Cancel;
use encode::{Circuit, System, aiger, btor2, check_room, memory_model};
use flow::Prepared;
use transform::SingleLoop;

/// In which format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    /// Words and arrays.
    Btor2,
    /// Bits, readable.
    Aiger,
}

/// The text of the system; else, what of the program has no place in it.
pub fn export(program: &Prepared, format: ExportFormat, cancel: &Cancel) -> Result<String, String> {
    let single = SingleLoop::new(program)?;
    let model = memory_model(&single.program, cancel).map_err(|stopped| stopped.to_string())?;
    let system = System::new(&single.program, model, single.head, cancel);
    let mut system = system.map_err(|stopped| stopped.to_string())?;
    check_room(&system.encoder).map_err(|stop| format!("{stop:?}"))?;
    let machine = system.machine();
    let terms = &system.encoder.terms;
    match format {
        ExportFormat::Btor2 => btor2::write(terms, &machine),
        ExportFormat::Aiger => Ok(aiger::write(terms, &machine, &Circuit::new(terms, &machine)?)),
    }
}
