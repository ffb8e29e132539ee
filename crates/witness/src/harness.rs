//! A counterexample as a C file: linked with the program, it feeds the inputs in order and tells when the error is
//! reached. It is compiled on its own, so its types need only be passed like those of the program.

use crate::heap::{FoundByte, found_bytes};
use base::Cancel;
use cfa::{Check, DataModel, Expr, FloatKind, FunctionKind, Op, Program, Scalar, Source, Storage, TargetKind, VarId};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use verdict::{Choice, Counterexample};

/// What the harness prints on standard error when the error is reached.
pub const REACHED: &str = "argonaut: the error is reached";
/// The exit status of the program then.
pub const STATUS: u8 = 107;

/// The C text; `Err` says why there is none.
pub fn harness(program: &Program, counterexample: &Counterexample) -> Result<String, String> {
    let target = &program.targets[counterexample.target];
    let errors: Vec<&str> = match target.kind {
        TargetKind::Call(name) => vec![program.text(name)],
        TargetKind::Assertion => vec!["__assert_fail", "__assert_rtn", "__assert"],
        TargetKind::Label => return Err("the error is a label, which cannot be seen from outside".into()),
        // A sanitizer sees it.
        TargetKind::Check(_) => Vec::new(),
        TargetKind::Repetition => return Err("an execution that never ends cannot be seen to its end".into()),
    };
    let mut out = String::from(HEAD);
    let owner = program.nodes[target.node].function;
    out += &sanitizers(target.check(), program.functions[owner].kind == FunctionKind::Start);
    let end = match target.check() {
        Some(Check::Track | Check::Cleanup) => "argonaut_end",
        _ => "argonaut_exit",
    };
    let mut defined: Vec<&str> = errors.clone();
    for name in &errors {
        line(&mut out, &format!("void {name}(void) {{ argonaut_reached(); }}"));
    }
    if !defined.contains(&"__VERIFIER_error") {
        line(&mut out, &format!("void __VERIFIER_error(void) {{ {end}(1); }}"));
    }
    line(&mut out, "void __VERIFIER_assume(int holds) { if (!holds) argonaut_exit(0); }");
    defined.extend(["__VERIFIER_error", "__VERIFIER_assume"]);
    let mut functions: BTreeMap<&str, Vec<&Choice>> = BTreeMap::new();
    let mut globals: HashMap<VarId, &Choice> = HashMap::new();
    for choice in &counterexample.choices {
        let edge = &program.edges[choice.edge];
        let at_start = program.functions[program.nodes[edge.from].function].kind == FunctionKind::Start;
        match (choice.source, &edge.op) {
            (Source::Extern(_), Op::Havoc(var, _)) if at_start => drop(globals.insert(*var, choice)),
            (Source::Input(name) | Source::Extern(name), _) => {
                functions.entry(program.text(name)).or_default().push(choice);
            }
            (Source::Uninitialised | Source::Indeterminate | Source::Asm | Source::Parameter, _) => {}
        }
    }
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    for (name, values) in functions.iter().filter(|(name, _)| !defined.contains(name) && is_name(name)) {
        function(&mut out, name, values, program.model);
    }
    for text in outside_variables(program, counterexample, &globals) {
        line(&mut out, &text);
    }
    out += &new_memory(&found_bytes(program, counterexample, &Cancel::never()));
    Ok(out)
}

/// How gcc's sanitizers find what is checked. Memory that is lost is looked for where the program ends, however it does
/// that: where `main` has returned, no frame is left that could keep an object; elsewhere, nothing of dead frames may be
/// left on the stack. For what is not freed, no object counts as a reason to keep another.
fn sanitizers(check: Option<Check>, returned: bool) -> String {
    let kept = match check {
        Some(Check::Track) if returned => "use_stacks=0:use_registers=0",
        Some(Check::Track) => "",
        Some(Check::Cleanup) => "use_globals=0:use_stacks=0:use_registers=0:use_tls=0",
        Some(Check::Deref | Check::Null | Check::Bounds | Check::ReadOnly | Check::Free) => {
            return address_options(":detect_stack_use_after_return=1:detect_leaks=0");
        }
        Some(_) => return address_options(""),
        None => return String::new(),
    };
    let own = default_options("lsan", kept);
    format!("{}{own}{ENDINGS}", address_options(""))
}

/// An object of a size that none can have is null, as in the interpreter, new memory holds zeros where nothing else is said,
/// and one variable may be defined in several files.
fn address_options(more: &str) -> String {
    let options = "allocator_may_return_null=1:detect_odr_violation=0:hard_rss_limit_mb=4096:\
                   max_malloc_fill_size=1048576:malloc_fill_byte=0";
    default_options("asan", &format!("{options}{more}"))
}

/// The function by which a sanitizer asks for its options; unlike the program's functions it can be seen from outside.
pub(crate) fn default_options(sanitizer: &str, options: &str) -> String {
    let name = format!("__{sanitizer}_default_options");
    format!("__attribute__((visibility(\"default\"))) const char *{name}(void) {{ return \"{options}\"; }}\n")
}

/// Ways to end at which the sanitizer does not look for lost memory by itself. A program may define the same names.
const ENDINGS: &str = "\
extern int atexit(void (*)(void));
__attribute__((no_sanitize_address)) static void argonaut_scrub(void) {
    volatile char all[65536];
    for (int at = 0; at < 65536; at++) all[at] = 0;
}
__attribute__((constructor)) static void argonaut_begin(void) { atexit(argonaut_scrub); }
extern void __lsan_do_leak_check(void);
static void argonaut_end(int status) {
    argonaut_scrub();
    __lsan_do_leak_check();
    argonaut_exit(status);
}
__attribute__((weak)) void abort(void) { argonaut_end(134); }
__attribute__((weak)) void _exit(int status) { argonaut_end(status); }
__attribute__((weak)) void _Exit(int status) { argonaut_end(status); }
__attribute__((weak)) void __assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    argonaut_end(134);
}
";

/// No header is included and no function of the library used to end: the program may define the same names in its own
/// way.
const HEAD: &str = "\
/* Written by Argonaut: the inputs of an execution that reaches the error. Compile it together with the program. */
typedef __SIZE_TYPE__ argonaut_size;
extern void *calloc(argonaut_size, argonaut_size);
extern void __lsan_ignore_object(const void *) __attribute__((weak));
static long argonaut_call(long number, long a, const void *b, long c) {
    long result;
#ifdef __x86_64__
    __asm__ volatile(\"syscall\" : \"=a\"(result) : \"a\"(number), \"D\"(a), \"S\"(b), \"d\"(c) : \"rcx\", \"r11\", \"memory\");
#else
    __asm__ volatile(\"int $0x80\" : \"=a\"(result) : \"a\"(number), \"b\"(a), \"c\"(b), \"d\"(c) : \"memory\");
#endif
    return result;
}
static void argonaut_exit(int status) {
    for (;;) argonaut_call(sizeof(long) == 8 ? 231 : 252, status, 0, 0);
}
static void argonaut_reached(void) {
    static const char text[] = \"argonaut: the error is reached\\n\";
    argonaut_call(sizeof(long) == 8 ? 1 : 4, 2, text, sizeof text - 1);
    argonaut_exit(107);
}
static void *argonaut_object(unsigned long long number) {
    static struct { unsigned long long number; void *object; } known[1024];
    for (int i = 0; i < 1024 && number != 0; i++) {
        if (known[i].object == 0) {
            known[i].number = number;
            known[i].object = calloc(1, 65536);
            if (__lsan_ignore_object) __lsan_ignore_object(known[i].object);
        }
        if (known[i].number == number) return known[i].object;
    }
    return 0;
}
";

/// The name of the function that stands in for `malloc` where new memory must hold more than zeros; the link editor puts
/// it there.
pub const MALLOC: &str = "__wrap_malloc";

/// A `malloc` whose memory holds what the execution found there.
fn new_memory(found: &[FoundByte]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let bytes = found.iter().map(|FoundByte { call, offset, value }| format!("{{{call}, {offset}ULL, {value}}}"));
    let bytes: Vec<String> = bytes.collect();
    let mut out = format!("extern void *__real_malloc(argonaut_size);\nvoid *{MALLOC}(argonaut_size size) {{\n");
    line(
        &mut out,
        "    static const struct { unsigned call; unsigned long long at; unsigned char value; } bytes[] = {",
    );
    for chunk in bytes.chunks(6) {
        line(&mut out, &format!("        {},", chunk.join(", ")));
    }
    line(&mut out, "    };");
    line(&mut out, "    static unsigned calls;");
    line(&mut out, "    unsigned call = calls++;");
    line(&mut out, "    unsigned char *object = __real_malloc(size);");
    line(&mut out, "    for (unsigned i = 0; object && i < sizeof bytes / sizeof *bytes; i++)");
    line(&mut out, "        if (bytes[i].call == call && bytes[i].at < size) object[bytes[i].at] = bytes[i].value;");
    line(&mut out, "    return object;");
    line(&mut out, "}");
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// A function that returns these values one after the other, then zeros.
fn function(out: &mut String, name: &str, values: &[&Choice], model: DataModel) {
    let ty = values[0].ty;
    let c = c_type(ty);
    let halves: Vec<String> =
        values.iter().map(|choice| format!("{{{:#x}ULL, {:#x}ULL}}", choice.bits as u64, choice.bits >> 64)).collect();
    line(out, &format!("{c} {name}(void) {{"));
    line(out, "    static const unsigned long long values[][2] = {");
    for chunk in halves.chunks(4) {
        line(out, &format!("        {},", chunk.join(", ")));
    }
    line(out, "    };");
    line(out, "    static unsigned next;");
    line(out, "    unsigned at = next++;");
    line(out, &format!("    if (at >= {}) return 0;", values.len()));
    line(
        out,
        &match ty {
            Scalar::Ptr => "    return argonaut_object(values[at][0]);".to_owned(),
            Scalar::Bool | Scalar::Int { .. } if ty.bits(model) <= 64 => format!("    return ({c})values[at][0];"),
            Scalar::Bool | Scalar::Int { .. } => {
                format!("    return ({c})((unsigned __int128)values[at][1] << 64 | values[at][0]);")
            }
            Scalar::Float(_) => {
                let union = "union { unsigned long long bits[2]; ";
                format!("    {union}{c} value; }} both = {{{{values[at][0], values[at][1]}}}};\n    return both.value;")
            }
        },
    );
    line(out, "}");
}

/// A type that is passed like this one.
pub(crate) fn c_type(ty: Scalar) -> &'static str {
    match ty {
        Scalar::Bool => "_Bool",
        Scalar::Int { bits, signed } => match (bits, signed) {
            (0..=8, true) => "signed char",
            (0..=8, false) => "unsigned char",
            (9..=16, true) => "short",
            (9..=16, false) => "unsigned short",
            (17..=32, true) => "int",
            (17..=32, false) => "unsigned",
            (33..=64, true) => "long long",
            (33..=64, false) => "unsigned long long",
            (_, true) => "__int128",
            (_, false) => "unsigned __int128",
        },
        Scalar::Float(FloatKind::F16) => "_Float16",
        Scalar::Float(FloatKind::F32) => "float",
        Scalar::Float(FloatKind::F64) => "double",
        Scalar::Float(FloatKind::X87) => "long double",
        Scalar::Float(FloatKind::F128) => "__float128",
        Scalar::Ptr => "void *",
    }
}

/// Variables that the C library defines.
const LIBRARY: [&str; 9] =
    ["stdin", "stdout", "stderr", "environ", "optarg", "optind", "opterr", "optopt", "program_invocation_name"];

/// Definitions of variables that the program only declares, with the bytes that the execution found there.
fn outside_variables(
    program: &Program,
    counterexample: &Counterexample,
    globals: &HashMap<VarId, &Choice>,
) -> Vec<String> {
    let births = births(program, counterexample);
    let start = program.edges.iter().filter(|(_, edge)| program.nodes[edge.from].function == program.entry);
    let outside = start.filter_map(|(_, edge)| match edge.op {
        Op::HavocMemory { to, source: Source::Extern(_), .. } => match program.exprs.node(to) {
            Expr::Addr(var) => Some(var),
            _ => None,
        },
        Op::Havoc(var, Source::Extern(_)) if program.vars[var].function.is_none() => Some(var),
        _ => None,
    });
    let define = |var: VarId| match program.vars[var].storage {
        Storage::Register(Scalar::Ptr) => None,
        Storage::Register(ty) => {
            let bits = globals.get(&var).map_or(0, |choice| choice.bits);
            let (c, name) = (c_type(ty), program.var_name(var));
            let float = matches!(ty, Scalar::Float(_)) && bits != 0;
            (!float).then(|| format!("{c} {name} = ({c}){:#x}ULL;", bits as u64))
        }
        Storage::Memory { size, .. } => {
            let mut text =
                format!("unsigned char {}[{}] __attribute__((aligned(16)))", program.var_name(var), size.max(1));
            let found = counterexample.bytes.iter().filter(|byte| births.get(&var) == Some(&byte.object));
            let cells: Vec<String> = found.map(|byte| format!("[{}] = {}", byte.offset, byte.value)).collect();
            if !cells.is_empty() {
                write!(text, " = {{ {} }}", cells.join(", ")).expect("strings take all text");
            }
            Some(text + ";")
        }
    };
    outside.filter(|&var| !LIBRARY.contains(&program.var_name(var))).filter_map(define).collect()
}

/// The numbers by which `semantics::choices` names what variables from outside hold: one for each, given when the
/// start of the program makes it arbitrary, after those of all global objects.
fn births(program: &Program, counterexample: &Counterexample) -> HashMap<VarId, u32> {
    let in_memory = |var: &&VarId| program.register(**var).is_none();
    let globals: Vec<VarId> = program.vars.ids().filter(|&var| program.vars[var].function.is_none()).collect();
    let locals = &program.functions[program.entry].locals;
    let mut next = (globals.iter().filter(in_memory).count() + locals.iter().filter(in_memory).count()) as u32;
    let mut births = HashMap::new();
    let mut values = counterexample.choices.iter();
    for &edge in &counterexample.path {
        let edge = &program.edges[edge];
        let is_born = match edge.op {
            Op::Call { .. } => break,
            Op::HavocMemory { to, .. } => {
                if let Expr::Addr(var) = program.exprs.node(to) {
                    births.insert(var, next);
                }
                true
            }
            Op::Declare(_) | Op::Allocate { .. } => true,
            Op::Havoc(..) => values.next().is_some_and(|choice| choice.ty == Scalar::Ptr && choice.bits != 0),
            _ => false,
        };
        next += u32::from(is_born);
    }
    births
}
