//! `argonaut export`: the program as a transition system in the formats of hardware model checkers.

use crate::args::ExportArgs;
use crate::request::request;
use base::Cancel;
use driver::{ExportFormat, Task};
use flow::Prepared;

/// Writes the files that are asked for.
pub fn export(args: &ExportArgs) -> Result<u8, String> {
    let task = Task::new(request(&args.program, args.property.as_deref())?).map_err(|error| error.to_string())?;
    let mut program = driver::load(&task).map_err(|error| error.to_string())?.program;
    driver::prepare(&mut program, task.outside);
    let program = Prepared::new(program);
    for (file, format) in [(&args.btor2, ExportFormat::Btor2), (&args.aiger, ExportFormat::Aiger)] {
        let Some(file) = file else { continue };
        let text = driver::export(&program, format, &Cancel::never())
            .map_err(|why| format!("{}: the program is not a transition system of this kind: {why}", file.display()))?;
        crate::write_file(file, &text)?;
    }
    Ok(0)
}
