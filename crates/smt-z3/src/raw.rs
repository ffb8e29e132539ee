//! Z3's C API (`z3_api.h`, `z3_fpa.h`), as far as we use it.

use std::ffi::{c_char, c_int, c_uint, c_void};

pub type Config = *mut c_void;
pub type Context = *mut c_void;
pub type Symbol = *mut c_void;
pub type Sort = *mut c_void;
pub type Decl = *mut c_void;
pub type Ast = *mut c_void;
pub type Solver = *mut c_void;
pub type Model = *mut c_void;
pub type AstVector = *mut c_void;

/// `Z3_L_TRUE`.
pub const TRUE: c_int = 1;
/// `Z3_L_FALSE`.
pub const FALSE: c_int = -1;

/// `Z3_ast_kind`: numerals.
pub const NUMERAL_AST: c_uint = 0;

/// Operators that take arguments only.
macro_rules! operators {
    (unary: $($unary:ident)*; binary: $($binary:ident)*; rounded: $($rounded:ident)*) => {
        unsafe extern "C" {
            $(pub fn $unary(context: Context, a: Ast) -> Ast;)*
            $(pub fn $binary(context: Context, a: Ast, b: Ast) -> Ast;)*
            $(pub fn $rounded(context: Context, mode: Ast, a: Ast, b: Ast) -> Ast;)*
        }
    };
}

operators! {
    unary: Z3_mk_not Z3_mk_bvnot Z3_mk_bvneg Z3_mk_fpa_abs Z3_mk_fpa_neg Z3_mk_fpa_is_nan Z3_mk_fpa_is_infinite
        Z3_mk_fpa_is_zero Z3_mk_fpa_is_normal Z3_mk_fpa_is_subnormal Z3_mk_fpa_is_negative Z3_mk_fpa_is_positive
        Z3_mk_fpa_to_ieee_bv;
    binary: Z3_mk_eq Z3_mk_implies Z3_mk_bvand Z3_mk_bvor Z3_mk_bvxor Z3_mk_bvadd Z3_mk_bvsub Z3_mk_bvmul Z3_mk_bvudiv
        Z3_mk_bvurem Z3_mk_bvsdiv Z3_mk_bvsrem Z3_mk_bvshl Z3_mk_bvlshr Z3_mk_bvashr Z3_mk_concat Z3_mk_bvult
        Z3_mk_bvule Z3_mk_bvslt Z3_mk_bvsle Z3_mk_fpa_rem Z3_mk_fpa_eq Z3_mk_fpa_lt Z3_mk_fpa_leq Z3_mk_select
        Z3_mk_fpa_sqrt Z3_mk_fpa_round_to_integral;
    rounded: Z3_mk_fpa_add Z3_mk_fpa_sub Z3_mk_fpa_mul Z3_mk_fpa_div
}

#[link(name = "z3")]
unsafe extern "C" {
    pub fn Z3_get_full_version() -> *const c_char;
    pub fn Z3_mk_config() -> Config;
    pub fn Z3_del_config(config: Config);
    pub fn Z3_mk_context(config: Config) -> Context;
    pub fn Z3_del_context(context: Context);
    pub fn Z3_interrupt(context: Context);
    pub fn Z3_set_error_handler(context: Context, handler: Option<unsafe extern "C" fn(Context, c_int)>);

    pub fn Z3_mk_solver(context: Context) -> Solver;
    pub fn Z3_solver_inc_ref(context: Context, solver: Solver);
    pub fn Z3_solver_dec_ref(context: Context, solver: Solver);
    pub fn Z3_solver_push(context: Context, solver: Solver);
    pub fn Z3_solver_pop(context: Context, solver: Solver, levels: c_uint);
    pub fn Z3_solver_assert(context: Context, solver: Solver, formula: Ast);
    pub fn Z3_solver_check_assumptions(
        context: Context,
        solver: Solver,
        count: c_uint,
        assumptions: *const Ast,
    ) -> c_int;
    pub fn Z3_solver_get_unsat_core(context: Context, solver: Solver) -> AstVector;
    pub fn Z3_ast_vector_inc_ref(context: Context, vector: AstVector);
    pub fn Z3_ast_vector_dec_ref(context: Context, vector: AstVector);
    pub fn Z3_ast_vector_size(context: Context, vector: AstVector) -> c_uint;
    pub fn Z3_ast_vector_get(context: Context, vector: AstVector, index: c_uint) -> Ast;
    pub fn Z3_solver_get_reason_unknown(context: Context, solver: Solver) -> *const c_char;
    pub fn Z3_solver_get_model(context: Context, solver: Solver) -> Model;
    pub fn Z3_model_inc_ref(context: Context, model: Model);
    pub fn Z3_model_dec_ref(context: Context, model: Model);
    pub fn Z3_model_eval(context: Context, model: Model, term: Ast, complete: bool, value: *mut Ast) -> bool;

    pub fn Z3_mk_string_symbol(context: Context, name: *const c_char) -> Symbol;
    pub fn Z3_mk_bool_sort(context: Context) -> Sort;
    pub fn Z3_mk_bv_sort(context: Context, width: c_uint) -> Sort;
    pub fn Z3_mk_fpa_sort(context: Context, exponent: c_uint, significand: c_uint) -> Sort;
    pub fn Z3_mk_array_sort(context: Context, index: Sort, element: Sort) -> Sort;
    pub fn Z3_mk_const(context: Context, name: Symbol, sort: Sort) -> Ast;
    pub fn Z3_mk_fresh_const(context: Context, prefix: *const c_char, sort: Sort) -> Ast;
    pub fn Z3_mk_func_decl(context: Context, name: Symbol, arity: c_uint, domain: *const Sort, range: Sort) -> Decl;
    pub fn Z3_mk_app(context: Context, decl: Decl, count: c_uint, args: *const Ast) -> Ast;

    pub fn Z3_mk_true(context: Context) -> Ast;
    pub fn Z3_mk_false(context: Context) -> Ast;
    pub fn Z3_mk_and(context: Context, count: c_uint, args: *const Ast) -> Ast;
    pub fn Z3_mk_or(context: Context, count: c_uint, args: *const Ast) -> Ast;
    pub fn Z3_mk_ite(context: Context, condition: Ast, yes: Ast, no: Ast) -> Ast;
    pub fn Z3_mk_numeral(context: Context, numeral: *const c_char, sort: Sort) -> Ast;
    pub fn Z3_mk_extract(context: Context, high: c_uint, low: c_uint, a: Ast) -> Ast;
    pub fn Z3_mk_zero_ext(context: Context, by: c_uint, a: Ast) -> Ast;
    pub fn Z3_mk_sign_ext(context: Context, by: c_uint, a: Ast) -> Ast;
    pub fn Z3_mk_store(context: Context, array: Ast, index: Ast, element: Ast) -> Ast;
    pub fn Z3_mk_const_array(context: Context, index: Sort, element: Ast) -> Ast;

    pub fn Z3_mk_fpa_rne(context: Context) -> Ast;
    pub fn Z3_mk_fpa_rna(context: Context) -> Ast;
    pub fn Z3_mk_fpa_rtp(context: Context) -> Ast;
    pub fn Z3_mk_fpa_rtn(context: Context) -> Ast;
    pub fn Z3_mk_fpa_rtz(context: Context) -> Ast;
    pub fn Z3_mk_fpa_nan(context: Context, sort: Sort) -> Ast;
    pub fn Z3_mk_fpa_to_fp_bv(context: Context, bits: Ast, sort: Sort) -> Ast;
    pub fn Z3_mk_fpa_to_fp_float(context: Context, mode: Ast, a: Ast, sort: Sort) -> Ast;
    pub fn Z3_mk_fpa_to_fp_signed(context: Context, mode: Ast, a: Ast, sort: Sort) -> Ast;
    pub fn Z3_mk_fpa_to_fp_unsigned(context: Context, mode: Ast, a: Ast, sort: Sort) -> Ast;
    pub fn Z3_mk_fpa_to_sbv(context: Context, mode: Ast, a: Ast, width: c_uint) -> Ast;
    pub fn Z3_mk_fpa_to_ubv(context: Context, mode: Ast, a: Ast, width: c_uint) -> Ast;

    pub fn Z3_get_ast_kind(context: Context, a: Ast) -> c_uint;
    pub fn Z3_get_bool_value(context: Context, a: Ast) -> c_int;
    pub fn Z3_get_numeral_string(context: Context, a: Ast) -> *const c_char;
}
