//! Names in the notation: plain words, or anything between backquotes.

use crate::program::{FunctionId, Program, VarId, VarKind};
use base::IdVec;
use rustc_hash::FxHashMap;

/// Words that mean something; as names they stand in backquotes.
const WORDS: &[&str] = &[
    "alloca",
    "all",
    "any",
    "as",
    "asm",
    "bool",
    "calloc",
    "call",
    "copy",
    "declare",
    "end",
    "entry",
    "freeable",
    "no_heap",
    "room",
    "tracked",
    "exit",
    "extern",
    "fabs",
    "false",
    "fill",
    "floor",
    "ceil",
    "fn",
    "free",
    "global",
    "halt",
    "havoc",
    "indeterminate",
    "init",
    "input",
    "library",
    "literal",
    "local",
    "loop_head",
    "malloc",
    "memory",
    "model",
    "parameter",
    "ptr",
    "realloc",
    "return",
    "rint",
    "round",
    "signbit",
    "skip",
    "sqrt",
    "start",
    "target",
    "temporary",
    "through",
    "true",
    "trunc",
    "uninitialised",
    "unsupported",
];

/// A name as it is written.
pub(super) fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && name.chars().all(is_inner)
        && !WORDS.contains(&name)
        && !is_node_or_scalar(name);
    if plain { name.to_owned() } else { format!("`{}`", escaped(name, '`')) }
}

/// Whether a character may stand inside a plain name.
pub(super) fn is_inner(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// `n12`, `i32`, `u8`, `f64`: what the notation itself means by such words.
fn is_node_or_scalar(name: &str) -> bool {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    name.len() == digits.len() + 1
        && name.starts_with(['n', 'i', 'u', 'f'])
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// A text between quotes.
pub(super) fn escaped(text: &str, quote: char) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            c if c == quote || c == '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// The names of a program's variables and functions as they are written: of several equal ones in one scope, the
/// second is `x'2`, and so on.
pub(super) struct Names {
    pub vars: IdVec<VarId, String>,
    pub functions: IdVec<FunctionId, String>,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let mut names = Names {
            vars: IdVec::filled(program.vars.len(), String::new()),
            functions: IdVec::filled(program.functions.len(), String::new()),
        };
        let mut known = FxHashMap::default();
        for (id, _) in program.vars.iter().filter(|(_, var)| var.function.is_none()) {
            names.vars[id] = format!("@{}", fresh(&mut known, program.var_name(id)));
        }
        let mut functions = FxHashMap::default();
        for (id, _) in program.functions.iter() {
            names.functions[id] = fresh(&mut functions, program.function_name(id));
            let mut locals = FxHashMap::default();
            for var in in_order(program, id) {
                names.vars[var] = fresh(&mut locals, program.var_name(var));
            }
        }
        names
    }
}

/// The variables of a function in the order of the text: parameters, result, the others.
pub(super) fn in_order(program: &Program, function: FunctionId) -> Vec<VarId> {
    let function = &program.functions[function];
    let named = |var: &VarId| matches!(program.vars[*var].kind, VarKind::Parameter | VarKind::Result);
    let heads = function.params.iter().chain(&function.result).copied();
    heads.chain(function.locals.iter().copied().filter(|var| !named(var))).collect()
}

fn fresh<'a>(known: &mut FxHashMap<&'a str, u32>, name: &'a str) -> String {
    let count = known.entry(name).or_insert(0);
    *count += 1;
    if *count == 1 { quoted(name) } else { format!("{}'{count}", quoted(name)) }
}
