//! From command-line arguments to what `driver` understands.

use crate::args::{DataModelArg, EngineArgs, ExternArg, GivenArgs, IncrementArg, ProgramArgs, UndefinedArg};
use cfa::Undefined;
use driver::compile_database::Flags;
use driver::{Aliasing, Given, Globals, Options, Preprocessing, Request};
use std::path::Path;

/// What program is meant.
pub fn request(args: &ProgramArgs, property: Option<&Path>) -> Result<Request, String> {
    let mut flags = match &args.compile_commands {
        Some(database) => driver::compile_database::read(database, &args.files)?,
        None => Flags::default(),
    };
    flags.include_dirs.extend(args.include_dirs.iter().cloned());
    flags.defines.extend(args.defines.iter().cloned());
    Ok(Request {
        files: if args.files.is_empty() { flags.files } else { args.files.clone() },
        property: property.map(Path::to_owned),
        checked: None,
        data_model: args.data_model.map(data_model),
        outside: args.externs.map(|externs| match externs {
            ExternArg::Pure => cfa::Outside::Pure,
            ExternArg::Havoc => cfa::Outside::Writes,
        }),
        undefined: match args.undefined {
            UndefinedArg::Report => Undefined::Report,
            UndefinedArg::Continue => Undefined::Continue,
        },
        malloc_may_fail: args.malloc_may_fail,
        entry: args.entry.clone(),
        models: args.models.clone(),
        given: None,
        requires: Vec::new(),
        preprocessing: Preprocessing {
            include_dirs: flags.include_dirs,
            defines: flags.defines,
            ignored: flags.ignored.into_iter().collect(),
        },
    })
}

/// The data model of an option.
pub fn data_model(model: DataModelArg) -> cfa::DataModel {
    match model {
        DataModelArg::Ilp32 => cfa::DataModel::Ilp32,
        DataModelArg::Lp64 => cfa::DataModel::Lp64,
    }
}

/// What a function that is verified on its own is called with.
pub fn given(args: &GivenArgs) -> Given {
    let default = Given::default();
    let lengths = |default: Vec<u64>| if args.array_length.is_empty() { default } else { args.array_length.clone() };
    Given {
        pointer_depth: args.pointer_depth,
        lengths: lengths(default.lengths),
        record_lengths: lengths(default.record_lengths),
        aliasing: if args.no_aliasing { Aliasing::Excluded } else { Aliasing::Allowed },
        globals: if args.arbitrary_globals { Globals::Arbitrary } else { Globals::Initial },
    }
}

/// Options of the engine: named ones and `--set`, which wins.
pub fn options(args: &EngineArgs) -> Options {
    let mut options = Options::default();
    for (key, bound) in [("k-init", args.k_init), ("k-max", args.k_max)] {
        if let Some(bound) = bound {
            options.set(key, &bound.to_string());
        }
    }
    if let Some(increment) = args.k_increment {
        let increment = match increment {
            IncrementArg::One => "one",
            IncrementArg::Half => "half",
            IncrementArg::Double => "double",
        };
        options.set("increment", increment);
    }
    if !args.track.is_empty() {
        options.set_list("track", &args.track);
    }
    if !args.predicates.is_empty() {
        options.set_list("predicates", &args.predicates);
    }
    if let Some(select) = &args.select {
        options.set("select", select);
    }
    for (key, file) in [("precision-in", &args.precision_in), ("precision-out", &args.precision_out)] {
        if let Some(file) = file {
            options.set_text(key, &file.display().to_string());
        }
    }
    for (key, value) in &args.settings {
        options.set(key, value);
    }
    options
}
