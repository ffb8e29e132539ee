//! Bitwuzla's C API, as far as we use it (`bitwuzla/c/bitwuzla.h` of version 0.9.1). The numbers of kinds and options are
//! checked against the library's own names in the tests below.
//!
//! Terms and sorts are reference-counted by their manager; we never release one, they die with the manager.

use std::ffi::{c_char, c_int, c_void};

/// `BitwuzlaTermManager`.
#[repr(C)]
pub struct TermManager {
    _private: [u8; 0],
}

/// `Bitwuzla`, a solver instance.
#[repr(C)]
pub struct Instance {
    _private: [u8; 0],
}

/// `BitwuzlaOptions`.
#[repr(C)]
pub struct Options {
    _private: [u8; 0],
}

/// What `BitwuzlaTerm` points to.
#[repr(C)]
pub struct TermCell {
    _private: [u8; 0],
}

/// What `BitwuzlaSort` points to.
#[repr(C)]
pub struct SortCell {
    _private: [u8; 0],
}

/// `BitwuzlaTerm`: equal terms of one manager are equal pointers.
pub type Term = *mut TermCell;
/// `BitwuzlaSort`.
pub type Sort = *mut SortCell;

/// `BITWUZLA_SAT`.
pub const SAT: c_int = 10;
/// `BITWUZLA_UNSAT`.
pub const UNSAT: c_int = 20;

/// Numbers of an enumeration of the C API, with their names.
macro_rules! numbers {
    ($(#[$doc:meta])* $all:ident { $($name:ident = $number:literal,)+ }) => {
        $(pub const $name: c_int = $number;)+
        $(#[$doc])*
        #[cfg(test)]
        pub const $all: &[(&str, c_int)] = &[$((stringify!($name), $number)),+];
    };
}

/// `BitwuzlaKind`.
pub mod kind {
    use std::ffi::c_int;
    numbers! {
        /// All kinds we name.
        ALL {
            CONSTANT = 0,
            CONST_ARRAY = 1,
            VALUE = 2,
            AND = 4,
            DISTINCT = 5,
            EQUAL = 6,
            IFF = 7,
            IMPLIES = 8,
            NOT = 9,
            OR = 10,
            XOR = 11,
            ITE = 12,
            APPLY = 15,
            ARRAY_SELECT = 17,
            ARRAY_STORE = 18,
            BV_ADD = 19,
            BV_AND = 20,
            BV_ASHR = 21,
            BV_COMP = 22,
            BV_CONCAT = 23,
            BV_DEC = 24,
            BV_INC = 25,
            BV_MUL = 26,
            BV_NAND = 27,
            BV_NEG = 28,
            BV_NOR = 30,
            BV_NOT = 31,
            BV_OR = 32,
            BV_REDAND = 33,
            BV_REDOR = 34,
            BV_SDIV = 40,
            BV_SGE = 41,
            BV_SGT = 42,
            BV_SHL = 43,
            BV_SHR = 44,
            BV_SLE = 45,
            BV_SLT = 46,
            BV_SREM = 49,
            BV_SUB = 51,
            BV_UDIV = 53,
            BV_UGE = 54,
            BV_UGT = 55,
            BV_ULE = 56,
            BV_ULT = 57,
            BV_UREM = 59,
            BV_XNOR = 61,
            BV_XOR = 62,
            BV_EXTRACT = 63,
            BV_REPEAT = 64,
            BV_SIGN_EXTEND = 67,
            BV_ZERO_EXTEND = 68,
            FP_ABS = 69,
            FP_ADD = 70,
            FP_DIV = 71,
            FP_EQUAL = 72,
            FP_GEQ = 75,
            FP_GT = 76,
            FP_IS_INF = 77,
            FP_IS_NAN = 78,
            FP_IS_NEG = 79,
            FP_IS_NORMAL = 80,
            FP_IS_POS = 81,
            FP_IS_SUBNORMAL = 82,
            FP_IS_ZERO = 83,
            FP_LEQ = 84,
            FP_LT = 85,
            FP_MUL = 88,
            FP_NEG = 89,
            FP_REM = 90,
            FP_RTI = 91,
            FP_SQRT = 92,
            FP_SUB = 93,
            FP_TO_FP_FROM_BV = 94,
            FP_TO_FP_FROM_FP = 95,
            FP_TO_FP_FROM_SBV = 96,
            FP_TO_FP_FROM_UBV = 97,
            FP_TO_SBV = 98,
            FP_TO_UBV = 99,
        }
    }
}

/// `BitwuzlaOption`.
pub mod option {
    use std::ffi::c_int;
    numbers! {
        /// All options we name.
        ALL {
            PRODUCE_MODELS = 1,
            PRODUCE_INTERPOLANTS = 2,
            PRODUCE_UNSAT_ASSUMPTIONS = 3,
            REWRITE_LEVEL = 11,
            INTERPOLANTS_SUBST = 40,
            INTERPOLANTS_SIMP = 41,
            PREPROCESS = 44,
        }
    }
}

unsafe extern "C" {
    pub fn bitwuzla_version() -> *const c_char;
    // Of the libraries beside it.
    pub fn ccadical_signature() -> *const c_char;
    pub static __gmp_version: *const c_char;
    pub fn mpfr_get_version() -> *const c_char;
    #[cfg(test)]
    pub fn bitwuzla_kind_to_string(kind: c_int) -> *const c_char;
    #[cfg(test)]
    pub fn bitwuzla_get_option_info(options: *mut Options, option: c_int, info: *mut c_void);

    pub fn bitwuzla_options_new() -> *mut Options;
    pub fn bitwuzla_options_delete(options: *mut Options);
    pub fn bitwuzla_options_set_diagnostic_output_stream(options: *mut Options, file: *const c_char);
    pub fn bitwuzla_set_option(options: *mut Options, option: c_int, value: u64);

    pub fn bitwuzla_term_manager_new() -> *mut TermManager;
    pub fn bitwuzla_term_manager_delete(manager: *mut TermManager);

    pub fn bitwuzla_new(manager: *mut TermManager, options: *const Options) -> *mut Instance;
    pub fn bitwuzla_delete(instance: *mut Instance);
    pub fn bitwuzla_set_termination_callback(
        instance: *mut Instance,
        callback: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
        state: *mut c_void,
    );
    pub fn bitwuzla_set_abort_callback(callback: Option<unsafe extern "C" fn(*const c_char)>);
    pub fn bitwuzla_push(instance: *mut Instance, levels: u64);
    pub fn bitwuzla_pop(instance: *mut Instance, levels: u64);
    pub fn bitwuzla_assert(instance: *mut Instance, term: Term);
    pub fn bitwuzla_check_sat_assuming(instance: *mut Instance, count: u32, assumptions: *mut Term) -> c_int;
    pub fn bitwuzla_is_unsat_assumption(instance: *mut Instance, term: Term) -> bool;
    pub fn bitwuzla_get_value(instance: *mut Instance, term: Term) -> Term;
    pub fn bitwuzla_get_interpolants(
        instance: *mut Instance,
        groups: u32,
        counts: *mut u32,
        formulas: *mut *mut Term,
        size: *mut usize,
    ) -> *mut Term;

    pub fn bitwuzla_mk_bool_sort(manager: *mut TermManager) -> Sort;
    pub fn bitwuzla_mk_bv_sort(manager: *mut TermManager, width: u64) -> Sort;
    pub fn bitwuzla_mk_fp_sort(manager: *mut TermManager, exponent: u64, significand: u64) -> Sort;
    pub fn bitwuzla_mk_array_sort(manager: *mut TermManager, index: Sort, element: Sort) -> Sort;
    pub fn bitwuzla_mk_fun_sort(manager: *mut TermManager, arity: u64, domain: *mut Sort, codomain: Sort) -> Sort;

    pub fn bitwuzla_mk_true(manager: *mut TermManager) -> Term;
    pub fn bitwuzla_mk_false(manager: *mut TermManager) -> Term;
    pub fn bitwuzla_mk_bv_value(manager: *mut TermManager, sort: Sort, value: *const c_char, base: u8) -> Term;
    pub fn bitwuzla_mk_bv_value_uint64(manager: *mut TermManager, sort: Sort, value: u64) -> Term;
    pub fn bitwuzla_mk_fp_value(manager: *mut TermManager, sign: Term, exponent: Term, significand: Term) -> Term;
    pub fn bitwuzla_mk_rm_value(manager: *mut TermManager, mode: c_int) -> Term;
    pub fn bitwuzla_mk_const(manager: *mut TermManager, sort: Sort, symbol: *const c_char) -> Term;
    pub fn bitwuzla_mk_const_array(manager: *mut TermManager, sort: Sort, value: Term) -> Term;
    pub fn bitwuzla_mk_term(manager: *mut TermManager, kind: c_int, count: u32, args: *mut Term) -> Term;
    pub fn bitwuzla_mk_term_indexed(
        manager: *mut TermManager,
        kind: c_int,
        count: u32,
        args: *mut Term,
        index_count: u32,
        indices: *const u64,
    ) -> Term;

    pub fn bitwuzla_substitute_term(term: Term, size: usize, from: *mut Term, to: *mut Term) -> Term;

    pub fn bitwuzla_term_get_kind(term: Term) -> c_int;
    pub fn bitwuzla_term_get_children(term: Term, size: *mut usize) -> *mut Term;
    pub fn bitwuzla_term_get_indices(term: Term, size: *mut usize) -> *mut u64;
    pub fn bitwuzla_term_value_get_bool(term: Term) -> bool;
    pub fn bitwuzla_term_value_get_str_fmt(term: Term, base: u8) -> *const c_char;
    pub fn bitwuzla_term_value_get_rm(term: Term) -> c_int;
    pub fn bitwuzla_term_is_bool(term: Term) -> bool;
    pub fn bitwuzla_term_is_bv(term: Term) -> bool;
    pub fn bitwuzla_term_is_fp(term: Term) -> bool;
    pub fn bitwuzla_term_is_rm(term: Term) -> bool;
    pub fn bitwuzla_term_fp_get_exp_size(term: Term) -> u64;
    pub fn bitwuzla_term_fp_get_sig_size(term: Term) -> u64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn kinds_have_the_numbers_of_the_library() {
        for &(name, number) in kind::ALL {
            // SAFETY: the number is a valid kind; the result is a C string that lives in the library.
            let text = unsafe { CStr::from_ptr(bitwuzla_kind_to_string(number)) };
            let text = text.to_str().ok().and_then(|text| text.strip_prefix("BITWUZLA_KIND_")).expect("a kind");
            assert!(name == text || name.strip_prefix("ARRAY_") == Some(text), "{name} is {text}");
        }
    }

    #[test]
    fn options_have_the_numbers_of_the_library() {
        for &(name, number) in option::ALL {
            let mut info = [0u64; 64]; // larger than BitwuzlaOptionInfo; its third word is the long name
            // SAFETY: the library fills `info`, whose strings live as long as the options.
            unsafe {
                let options = bitwuzla_options_new();
                bitwuzla_get_option_info(options, number, info.as_mut_ptr().cast());
                let text = CStr::from_ptr(info[2] as *const c_char).to_str().expect("ASCII");
                assert_eq!(text.replace('-', "_").to_uppercase(), name);
                bitwuzla_options_delete(options);
            }
        }
    }
}
