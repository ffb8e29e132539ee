//! Functions known by name: one table, one line each. A function with a body of its own is never taken from here.

use crate::atomic::Atomic;
use crate::math::{FloatArg, Math};
use crate::modelled::MODELS;
use cfa::FloatKind::{F16, F32, F64, X87};
use cfa::types::IntKind;
use cfa::{BinOp, FloatKind, Library, UnOp};
use std::collections::HashMap;
use std::sync::OnceLock;
use syntax::ast::UnaryOp;

/// What a known function does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Known {
    /// An arbitrary value of the declared result type: an input.
    Nondet,
    /// So many bytes at a pointer become arbitrary: an input.
    InputMemory,
    /// Goes on iff the argument holds.
    Assume,
    /// `assert` without its header: fails iff the argument does not hold.
    Assert,
    /// The failure branch of `assert`.
    AssertFail,
    /// The program ends.
    Halt,
    /// The program ends with the argument as status, after whatever runs at exit.
    Exit,
    QuickExit,
    /// The same without running anything.
    ExitNow,
    Malloc,
    Calloc,
    Realloc,
    /// `aligned_alloc`, `memalign`: the size is the second argument.
    AlignedAlloc,
    Alloca,
    Free,
    /// `memcpy`, `memmove`: the ranges may overlap in both.
    Copy,
    /// `mempcpy`: returns the end.
    CopyEnd,
    /// `bcopy`: source first.
    CopyFrom,
    Fill,
    /// `bzero`
    Zero,
    /// Absolute value of an integer.
    Abs,
    Math(Math, FloatArg),
    Library(Library),
    /// The result and what its non-const pointers lead to are arbitrary.
    Contract,
    /// `scanf`, `fscanf`: the format is at this position.
    Scan(usize),
    /// Makes bytes arbitrary; in models only.
    Havoc,
    /// Makes so many bytes arbitrary, or a whole object, on which no execution may rest; in models only.
    Forget,
    /// The same of `errno`; in models only.
    ForgetErrno,
    /// What its argument points to leaves the program; in models only.
    Escape,
    /// Sets `errno` to the argument, or to any error; in models only.
    SetErrno,
    /// Whether the program is executed for a user; in models only.
    Running,
    /// The highest address of a standard stream; in models only.
    StandardStreams,
    /// The value of `stdin`, `stdout` or `stderr`, or null where the program does not name it; in models only.
    StandardStream,
    /// Whether the program names its argument, a text; in models only.
    Mentions,
    /// Whether accesses of memory are checked; in models only.
    ChecksMemory,
    /// Fails as undefined behaviour unless the argument holds; in models only.
    Requires,
    /// The argument, with checks of what is undefined; in models only.
    Checked,
    /// `__builtin_unreachable`
    Unreachable,
    /// An execution for a user ends here: what the function does is not modelled; in models only.
    CannotRun,
    /// `sscanf`
    ScanText,
    /// A model in C with this name.
    Model(&'static str),
    /// The value of the first argument as `long`.
    Expect,
    /// The first argument itself.
    Same,
    ConstantP,
    /// What kind of type the argument has.
    ClassifyType,
    /// `conj`, `creal`, `cimag`: what the operator does to a complex number of this format.
    Complex(UnaryOp, FloatKind),
    ObjectSize,
    /// Arguments are evaluated, nothing else happens.
    Nothing,
    /// An unknown pointer.
    UnknownPointer,
    /// Arithmetic that says whether it overflowed; the result's type is the third argument's target.
    Overflow(BinOp),
    /// The same with arguments and result of a type that the name says.
    OverflowAs(BinOp, IntKind),
    /// Says only whether the result would not fit the third argument's type.
    Overflows(BinOp),
    ByteSwap(u32),
    /// Sets the rounding mode of floats as `fesetround` does.
    SetRounding,
    /// The rounding mode of floats as `fegetround` knows it.
    Rounding,
    VaStart,
    VaEnd,
    VaCopy,
    Atomic(Atomic),
    /// `__builtin_shuffle`
    Shuffle,
    /// `setjmp`
    SetJump,
    /// `longjmp`
    LongJump,
    /// UNKNOWN when reached.
    Unsupported,
}

/// What is known of the function with this name.
pub(crate) fn known(name: &str) -> Option<Known> {
    static TABLE: OnceLock<HashMap<&'static str, Known>> = OnceLock::new();
    let table = TABLE.get_or_init(table);
    if let Some(&known) = table.get(name) {
        return Some(known);
    }
    if name.starts_with("__builtin_")
        && let Some(library) = Library::named(name)
    {
        return Some(Known::Library(library));
    }
    if name.starts_with("__VERIFIER_nondet_") {
        return Some(Known::Nondet);
    }
    if cfa::standard::is_unmodelled(name) {
        return Some(Known::Contract);
    }
    if let Some(atomic) = crate::atomic::named(name) {
        return Some(Known::Atomic(atomic));
    }
    let is_fortified = name.starts_with("__") && name.ends_with("_chk");
    if is_fortified || ["pthread_", "thrd_", "__sync_"].iter().any(|prefix| name.starts_with(prefix)) {
        return Some(Known::Unsupported);
    }
    if let Some(library) = Library::named(if name == "_IO_putc" { "putc" } else { name }) {
        return Some(Known::Library(library));
    }
    match name.strip_prefix("__builtin_") {
        Some(plain) => match table.get(plain).copied().or_else(|| Library::named(plain).map(Known::Library)) {
            Some(known) => Some(known),
            None if cfa::standard::is_unmodelled(plain) => Some(Known::Contract),
            None => Some(Known::Unsupported),
        },
        None => None,
    }
}

/// How a library function is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modelled {
    /// A model in C, in the file of this name.
    InC(&'static str),
    /// An operation, exact for analyses and executions.
    Exactly,
    /// Executions compute it; to analyses it is arbitrary.
    Executed,
    /// What it may write and return is arbitrary; no execution rests on that.
    Contract,
    /// UNKNOWN where it is called.
    Unsupported,
}

/// Every function of the library that is known by name, sorted, without gcc's builtins and names of our own.
pub fn library() -> Vec<(&'static str, Modelled)> {
    let file_of = |name: &str| MODELS.iter().find(|(_, names)| names.contains(&name)).map(|(file, _)| *file);
    let own = |name: &str| name.starts_with("__");
    let mut found: Vec<(&'static str, Modelled)> = table()
        .into_iter()
        .map(|(name, known)| {
            let how = match known {
                Known::Model(model) => Modelled::InC(file_of(model).expect("models stand in files")),
                Known::Contract | Known::UnknownPointer => Modelled::Contract,
                Known::Unsupported => Modelled::Unsupported,
                Known::Library(_) => Modelled::Executed,
                _ => Modelled::Exactly,
            };
            (name, how)
        })
        .chain(Library::ALL.iter().map(|library| (library.name(), Modelled::Executed)))
        .chain(cfa::standard::unmodelled().map(|name| (name, Modelled::Contract)))
        .filter(|(name, _)| !own(name))
        .collect();
    // What is exact goes before what is not.
    found.sort();
    found.dedup_by_key(|(name, _)| *name);
    found
}

fn table() -> HashMap<&'static str, Known> {
    let mut table: HashMap<&'static str, Known> = PLAIN.iter().copied().collect();
    for &(names, math) in FLOATS {
        for (&name, kind) in names.iter().zip([F64, F32, X87]) {
            table.insert(name, Known::Math(math, FloatArg::Kind(kind)));
        }
    }
    for &(name, math) in HALVES {
        table.insert(name, Known::Math(math, FloatArg::Kind(F16)));
    }
    for &(name, math) in GENERIC {
        table.insert(name, Known::Math(math, FloatArg::Own));
    }
    for &(_, names) in MODELS {
        for &name in names {
            table.insert(name, Known::Model(name));
        }
    }
    for &(alias, name) in OTHER_NAMES {
        let known = table.get(name).copied();
        table.insert(alias, known.expect("other names are of functions in the table"));
    }
    table
}

/// Functions that are not about floats.
const PLAIN: &[(&str, Known)] = &[
    ("__VERIFIER_assume", Known::Assume),
    ("__VERIFIER_nondet_memory", Known::InputMemory),
    ("assert", Known::Assert),
    ("__assert_fail", Known::AssertFail),
    ("__assert_perror_fail", Known::AssertFail),
    ("__assert", Known::AssertFail),
    ("__assert_func", Known::AssertFail),
    ("__assert_rtn", Known::AssertFail),
    ("abort", Known::Halt),
    ("__builtin_trap", Known::Halt),
    ("__stack_chk_fail", Known::Halt),
    ("__builtin_unreachable", Known::Unreachable),
    ("exit", Known::Exit),
    ("_exit", Known::ExitNow),
    ("_Exit", Known::ExitNow),
    ("quick_exit", Known::QuickExit),
    ("malloc", Known::Malloc),
    ("calloc", Known::Calloc),
    ("realloc", Known::Realloc),
    ("aligned_alloc", Known::AlignedAlloc),
    ("memalign", Known::AlignedAlloc),
    ("alloca", Known::Alloca),
    ("free", Known::Free),
    ("cfree", Known::Free),
    ("memcpy", Known::Copy),
    ("memmove", Known::Copy),
    ("__memcpy_chk", Known::Copy),
    ("__memmove_chk", Known::Copy),
    ("mempcpy", Known::CopyEnd),
    ("bcopy", Known::CopyFrom),
    ("memset", Known::Fill),
    ("__memset_chk", Known::Fill),
    ("bzero", Known::Zero),
    ("explicit_bzero", Known::Zero),
    ("abs", Known::Abs),
    ("labs", Known::Abs),
    ("llabs", Known::Abs),
    ("imaxabs", Known::Abs),
    ("htonl", Known::ByteSwap(32)),
    ("ntohl", Known::ByteSwap(32)),
    ("htons", Known::ByteSwap(16)),
    ("ntohs", Known::ByteSwap(16)),
    ("getenv", Known::UnknownPointer),
    ("secure_getenv", Known::UnknownPointer),
    ("scanf", Known::Scan(0)),
    ("fscanf", Known::Scan(1)),
    ("__isoc99_scanf", Known::Scan(0)),
    ("__isoc99_fscanf", Known::Scan(1)),
    ("__isoc23_scanf", Known::Scan(0)),
    ("__isoc23_fscanf", Known::Scan(1)),
    ("sscanf", Known::ScanText),
    ("__isoc99_sscanf", Known::ScanText),
    ("__isoc23_sscanf", Known::ScanText),
    ("__builtin_havoc", Known::Havoc),
    ("__builtin_forget", Known::Forget),
    ("__builtin_forget_errno", Known::ForgetErrno),
    ("__builtin_escape", Known::Escape),
    ("__builtin_running", Known::Running),
    ("__builtin_standard_streams", Known::StandardStreams),
    ("__builtin_standard_stream", Known::StandardStream),
    ("__builtin_mentions", Known::Mentions),
    ("__builtin_checks_memory", Known::ChecksMemory),
    ("__builtin_requires", Known::Requires),
    ("__builtin_checked", Known::Checked),
    ("__builtin_cannot_run", Known::CannotRun),
    ("__builtin_set_errno", Known::SetErrno),
    ("__builtin_expect", Known::Expect),
    ("__builtin_expect_with_probability", Known::Expect),
    ("__builtin_assume_aligned", Known::Same),
    ("__builtin_extract_return_addr", Known::Same),
    ("__builtin_launder", Known::Same),
    ("__builtin_constant_p", Known::ConstantP),
    ("__builtin_classify_type", Known::ClassifyType),
    ("conj", Known::Complex(UnaryOp::BitNot, F64)),
    ("conjf", Known::Complex(UnaryOp::BitNot, F32)),
    ("conjl", Known::Complex(UnaryOp::BitNot, X87)),
    ("creal", Known::Complex(UnaryOp::Real, F64)),
    ("crealf", Known::Complex(UnaryOp::Real, F32)),
    ("creall", Known::Complex(UnaryOp::Real, X87)),
    ("cimag", Known::Complex(UnaryOp::Imag, F64)),
    ("cimagf", Known::Complex(UnaryOp::Imag, F32)),
    ("cimagl", Known::Complex(UnaryOp::Imag, X87)),
    ("__builtin_object_size", Known::ObjectSize),
    ("__builtin_dynamic_object_size", Known::ObjectSize),
    ("__builtin_prefetch", Known::Nothing),
    ("__builtin___clear_cache", Known::Nothing),
    ("__builtin_va_end", Known::VaEnd),
    ("__builtin_va_start", Known::VaStart),
    ("__builtin_stdarg_start", Known::VaStart),
    ("__builtin_va_copy", Known::VaCopy),
    ("__builtin_return_address", Known::UnknownPointer),
    ("__builtin_frame_address", Known::UnknownPointer),
    ("__builtin_add_overflow", Known::Overflow(BinOp::Add)),
    ("__builtin_add_overflow_p", Known::Overflows(BinOp::Add)),
    ("__builtin_sub_overflow", Known::Overflow(BinOp::Sub)),
    ("__builtin_sub_overflow_p", Known::Overflows(BinOp::Sub)),
    ("__builtin_mul_overflow", Known::Overflow(BinOp::Mul)),
    ("__builtin_mul_overflow_p", Known::Overflows(BinOp::Mul)),
    ("__builtin_sadd_overflow", Known::OverflowAs(BinOp::Add, IntKind::Int)),
    ("__builtin_saddl_overflow", Known::OverflowAs(BinOp::Add, IntKind::Long)),
    ("__builtin_saddll_overflow", Known::OverflowAs(BinOp::Add, IntKind::LongLong)),
    ("__builtin_uadd_overflow", Known::OverflowAs(BinOp::Add, IntKind::UInt)),
    ("__builtin_uaddl_overflow", Known::OverflowAs(BinOp::Add, IntKind::ULong)),
    ("__builtin_uaddll_overflow", Known::OverflowAs(BinOp::Add, IntKind::ULongLong)),
    ("__builtin_ssub_overflow", Known::OverflowAs(BinOp::Sub, IntKind::Int)),
    ("__builtin_ssubl_overflow", Known::OverflowAs(BinOp::Sub, IntKind::Long)),
    ("__builtin_ssubll_overflow", Known::OverflowAs(BinOp::Sub, IntKind::LongLong)),
    ("__builtin_usub_overflow", Known::OverflowAs(BinOp::Sub, IntKind::UInt)),
    ("__builtin_usubl_overflow", Known::OverflowAs(BinOp::Sub, IntKind::ULong)),
    ("__builtin_usubll_overflow", Known::OverflowAs(BinOp::Sub, IntKind::ULongLong)),
    ("__builtin_smul_overflow", Known::OverflowAs(BinOp::Mul, IntKind::Int)),
    ("__builtin_smull_overflow", Known::OverflowAs(BinOp::Mul, IntKind::Long)),
    ("__builtin_smulll_overflow", Known::OverflowAs(BinOp::Mul, IntKind::LongLong)),
    ("__builtin_umul_overflow", Known::OverflowAs(BinOp::Mul, IntKind::UInt)),
    ("__builtin_umull_overflow", Known::OverflowAs(BinOp::Mul, IntKind::ULong)),
    ("__builtin_umulll_overflow", Known::OverflowAs(BinOp::Mul, IntKind::ULongLong)),
    ("__builtin_bswap16", Known::ByteSwap(16)),
    ("__builtin_bswap32", Known::ByteSwap(32)),
    ("__builtin_bswap64", Known::ByteSwap(64)),
    ("__builtin_set_rounding", Known::SetRounding),
    ("__builtin_rounding", Known::Rounding),
    ("__builtin_shuffle", Known::Shuffle),
    ("setjmp", Known::SetJump),
    ("_setjmp", Known::SetJump),
    ("sigsetjmp", Known::SetJump),
    ("__sigsetjmp", Known::SetJump),
    ("longjmp", Known::LongJump),
    ("_longjmp", Known::LongJump),
    ("siglongjmp", Known::LongJump),
    ("signal", Known::Unsupported),
    ("sigaction", Known::Unsupported),
    ("__cxa_atexit", Known::Unsupported),
    ("bsd_signal", Known::Unsupported),
    ("__sysv_signal", Known::Unsupported),
    ("fopencookie", Known::Unsupported),
    ("_obstack_begin", Known::Unsupported),
    ("_obstack_begin_1", Known::Unsupported),
    ("_obstack_newchunk", Known::Unsupported),
    ("register_printf_function", Known::Unsupported),
    ("register_printf_specifier", Known::Unsupported),
    ("makecontext", Known::Unsupported),
    ("setcontext", Known::Unsupported),
    ("swapcontext", Known::Unsupported),
    ("fork", Known::Unsupported),
    ("vfork", Known::Unsupported),
    ("clone", Known::Unsupported),
    ("fesetenv", Known::Unsupported),
    ("feupdateenv", Known::Unsupported),
    ("fesetmode", Known::Unsupported),
    // These write to where other memory or their list of arguments leads, or to variables of the library.
    ("readv", Known::Unsupported),
    ("preadv", Known::Unsupported),
    ("recvmsg", Known::Unsupported),
    ("recvmmsg", Known::Unsupported),
    ("process_vm_readv", Known::Unsupported),
    ("vscanf", Known::Unsupported),
    ("vfscanf", Known::Unsupported),
    ("vsscanf", Known::Unsupported),
    ("vwscanf", Known::Unsupported),
    ("vfwscanf", Known::Unsupported),
    ("vswscanf", Known::Unsupported),
    ("open_memstream", Known::Unsupported),
    ("insque", Known::Unsupported),
    ("remque", Known::Unsupported),
    ("aio_read", Known::Unsupported),
    ("aio_read64", Known::Unsupported),
    ("lio_listio", Known::Unsupported),
    ("lio_listio64", Known::Unsupported),
    ("fts_open", Known::Unsupported),
    ("fts64_open", Known::Unsupported),
    ("argp_parse", Known::Unsupported),
    ("argz_add", Known::Unsupported),
    ("argz_add_sep", Known::Unsupported),
    ("argz_append", Known::Unsupported),
    ("argz_create", Known::Unsupported),
    ("argz_create_sep", Known::Unsupported),
    ("argz_delete", Known::Unsupported),
    ("argz_extract", Known::Unsupported),
    ("argz_insert", Known::Unsupported),
    ("argz_replace", Known::Unsupported),
    ("argz_stringify", Known::Unsupported),
    ("envz_add", Known::Unsupported),
    ("envz_merge", Known::Unsupported),
    ("envz_remove", Known::Unsupported),
    ("envz_strip", Known::Unsupported),
    ("crypt_ra", Known::Unsupported),
    ("crypt_gensalt_ra", Known::Unsupported),
    ("fmemopen", Known::Unsupported),
    ("forkpty", Known::Unsupported),
    ("getsubopt", Known::Unsupported),
    ("iconv", Known::Unsupported),
    ("initstate", Known::Unsupported),
    ("initstate_r", Known::Unsupported),
    ("obstack_free", Known::Unsupported),
    ("obstack_printf", Known::Unsupported),
    ("obstack_vprintf", Known::Unsupported),
    ("open_wmemstream", Known::Unsupported),
    ("preadv2", Known::Unsupported),
    ("preadv64", Known::Unsupported),
    ("preadv64v2", Known::Unsupported),
    ("random_r", Known::Unsupported),
    ("register_printf_modifier", Known::Unsupported),
    ("register_printf_type", Known::Unsupported),
    ("semctl", Known::Unsupported),
    ("setstate", Known::Unsupported),
    ("setstate_r", Known::Unsupported),
    ("srandom_r", Known::Unsupported),
];

/// What glibc's headers call some functions.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("_IO_getc", "getc"),
    ("__bzero", "bzero"),
    ("__getdelim", "getdelim"),
    ("__mempcpy", "mempcpy"),
    ("__rawmemchr", "rawmemchr"),
    ("__secure_getenv", "secure_getenv"),
    ("__sigaddset", "sigaddset"),
    ("__sigdelset", "sigdelset"),
    ("__sigismember", "sigismember"),
    ("__stpcpy", "stpcpy"),
    ("__stpncpy", "stpncpy"),
    ("__strdup", "strdup"),
    ("__strndup", "strndup"),
    ("creat64", "creat"),
    ("open64", "open"),
];

/// Functions for `double`, `float` and `long double`.
const FLOATS: &[(&[&str; 3], Math)] = &[
    (&["fabs", "fabsf", "fabsl"], Math::Unary(UnOp::Abs)),
    (&["sqrt", "sqrtf", "sqrtl"], Math::Unary(UnOp::Sqrt)),
    (&["floor", "floorf", "floorl"], Math::Unary(UnOp::Floor)),
    (&["ceil", "ceilf", "ceill"], Math::Unary(UnOp::Ceil)),
    (&["trunc", "truncf", "truncl"], Math::Unary(UnOp::Trunc)),
    (&["round", "roundf", "roundl"], Math::Unary(UnOp::Round)),
    (&["rint", "rintf", "rintl"], Math::AsSet),
    (&["nearbyint", "nearbyintf", "nearbyintl"], Math::AsSet),
    (&["roundeven", "roundevenf", "roundevenl"], Math::Unary(UnOp::RoundEven)),
    (&["lround", "lroundf", "lroundl"], Math::ToLong(UnOp::Round)),
    (&["llround", "llroundf", "llroundl"], Math::ToLongLong(UnOp::Round)),
    (&["lrint", "lrintf", "lrintl"], Math::AsSetToLong),
    (&["llrint", "llrintf", "llrintl"], Math::AsSetToLongLong),
    (&["fmin", "fminf", "fminl"], Math::Min),
    (&["fmax", "fmaxf", "fmaxl"], Math::Max),
    (&["fmod", "fmodf", "fmodl"], Math::Rem),
    (&["fdim", "fdimf", "fdiml"], Math::Dim),
    (&["copysign", "copysignf", "copysignl"], Math::CopySign),
    (&["nan", "nanf", "nanl"], Math::Nan),
    (&["__builtin_inf", "__builtin_inff", "__builtin_infl"], Math::Inf),
    (&["__builtin_huge_val", "__builtin_huge_valf", "__builtin_huge_vall"], Math::Inf),
    (&["__isnan", "__isnanf", "__isnanl"], Math::IsNan),
    (&["isnand", "isnanf", "isnanl"], Math::IsNan),
    (&["__isinf", "__isinff", "__isinfl"], Math::IsInfSign),
    (&["isinfd", "isinff", "isinfl"], Math::IsInfSign),
    (&["__finite", "__finitef", "__finitel"], Math::IsFinite),
    (&["finite", "finitef", "finitel"], Math::IsFinite),
    (&["__signbit", "__signbitf", "__signbitl"], Math::SignBit),
    (&["__fpclassify", "__fpclassifyf", "__fpclassifyl"], Math::Classify),
];

/// Those of `_Float16` that gcc computes without a library.
const HALVES: &[(&str, Math)] = &[
    ("__builtin_fabsf16", Math::Unary(UnOp::Abs)),
    ("__builtin_copysignf16", Math::CopySign),
    ("__builtin_nanf16", Math::Nan),
    ("__builtin_inff16", Math::Inf),
    ("__builtin_huge_valf16", Math::Inf),
];

/// Macros and builtins that take any floating type.
const GENERIC: &[(&str, Math)] = &[
    ("isnan", Math::IsNan),
    ("isinf", Math::IsInf),
    ("__builtin_isinf_sign", Math::IsInfSign),
    ("isfinite", Math::IsFinite),
    ("isnormal", Math::IsNormal),
    ("signbit", Math::SignBit),
    ("__builtin_signbitf", Math::SignBit),
    ("__builtin_signbitl", Math::SignBit),
    ("fpclassify", Math::Classify),
    ("__builtin_fpclassify", Math::ClassifyAs),
    ("isgreater", Math::Greater),
    ("isgreaterequal", Math::GreaterEqual),
    ("isless", Math::Less),
    ("islessequal", Math::LessEqual),
    ("islessgreater", Math::LessGreater),
    ("isunordered", Math::Unordered),
];

/// The format of a result.
pub(crate) fn kind_of(arg: FloatArg) -> Option<FloatKind> {
    match arg {
        FloatArg::Kind(kind) => Some(kind),
        FloatArg::Own => None,
    }
}
