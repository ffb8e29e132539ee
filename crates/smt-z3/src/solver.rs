//! [`Z3`] as a [`Solver`].

use crate::raw::{self, Ast, Context};
use crate::translate::Translator;
use base::{Cancel, Counters};
use smt::{Answer, Backend, BitVec, Solver, SolverFailure, Sort, TermId, Terms, Value};
use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An incremental Z3. Values of arrays are not offered, only of their elements.
pub struct Z3 {
    context: Context,
    solver: raw::Solver,
    translator: Translator,
    store: Option<u32>,
    levels: u32,
    /// Of the last check, each with the literal that stands for it.
    assumptions: Vec<(TermId, Ast)>,
    /// Whether a level with the definitions of these literals is open.
    has_assumption_level: bool,
    answer: Option<Answer>,
    counters: Counters,
}

/// Makes [`Z3`] solvers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Z3Backend;

impl Backend for Z3Backend {
    fn solver(&self) -> Box<dyn Solver> {
        Box::new(Z3::new())
    }
}

impl Default for Z3 {
    fn default() -> Self {
        Self::new()
    }
}

/// A context that a watching thread may interrupt.
struct Interruptible(Context);

// SAFETY: `Z3_interrupt` is the one function that may be called from another thread during a search.
unsafe impl Sync for Interruptible {}

impl Interruptible {
    fn interrupt(&self) {
        // SAFETY: the context outlives the search.
        unsafe { raw::Z3_interrupt(self.0) }
    }
}

impl Z3 {
    /// A solver without assertions.
    pub fn new() -> Z3 {
        // SAFETY: the configuration is used up by the context; context and solver are freed in `drop`.
        unsafe {
            let config = raw::Z3_mk_config();
            let context = raw::Z3_mk_context(config);
            raw::Z3_del_config(config);
            // Without a handler errors end the process; results are looked at instead.
            raw::Z3_set_error_handler(context, Some(ignore));
            let solver = raw::Z3_mk_solver(context);
            raw::Z3_solver_inc_ref(context, solver);
            Z3 {
                context,
                solver,
                translator: Translator::new(context),
                store: None,
                levels: 0,
                assumptions: Vec::new(),
                has_assumption_level: false,
                answer: None,
                counters: Counters::default(),
            }
        }
    }

    fn translate(&mut self, terms: &Terms, term: TermId) -> Ast {
        let store = *self.store.get_or_insert(terms.store());
        assert_eq!(store, terms.store(), "one solver sees terms of one store");
        self.translator.translate(terms, term)
    }

    /// Ends what belongs to the last check.
    fn change(&mut self) {
        self.answer = None;
        if std::mem::take(&mut self.has_assumption_level) {
            // SAFETY: the level was opened by `check_assuming`.
            unsafe { raw::Z3_solver_pop(self.context, self.solver, 1) }
        }
    }

    /// Searches while another thread watches `cancel`.
    fn search(&self, literals: &[Ast], cancel: &Cancel) -> c_int {
        let done = AtomicBool::new(false);
        let context = Interruptible(self.context);
        let watch = (&context, &done);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let (context, done) = watch;
                while !done.load(Ordering::Relaxed) {
                    if cancel.is_stopped() {
                        context.interrupt();
                    }
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
            // SAFETY: literals are terms of this context.
            let answer = unsafe {
                let count = literals.len() as u32;
                raw::Z3_solver_check_assumptions(self.context, self.solver, count, literals.as_ptr())
            };
            done.store(true, Ordering::Relaxed);
            answer
        })
    }

    /// The value of a scalar term in the current model.
    fn scalar(&self, term: Ast, sort: Sort) -> Option<Value> {
        // SAFETY: the last check was satisfiable, so there is a model; it is released below.
        unsafe {
            let model = raw::Z3_solver_get_model(self.context, self.solver);
            if model.is_null() {
                return None;
            }
            raw::Z3_model_inc_ref(self.context, model);
            let value = self.scalar_in(model, term, sort);
            raw::Z3_model_dec_ref(self.context, model);
            value
        }
    }

    /// # Safety
    /// `model` is alive.
    unsafe fn scalar_in(&self, model: raw::Model, term: Ast, sort: Sort) -> Option<Value> {
        let evaluate = |term: Ast| {
            let mut value = std::ptr::null_mut();
            // SAFETY: `term` belongs to this context, `value` is written on success.
            unsafe { raw::Z3_model_eval(self.context, model, term, true, &mut value).then_some(value) }
        };
        let bits = |term: Ast, width: u32| {
            let value = evaluate(term)?;
            // SAFETY: asked only of numerals; the text is read at once.
            unsafe {
                if raw::Z3_get_ast_kind(self.context, value) != raw::NUMERAL_AST {
                    return None;
                }
                let text = CStr::from_ptr(raw::Z3_get_numeral_string(self.context, value)).to_str().ok()?;
                Some(BitVec::from_big(width, text.parse().ok()?))
            }
        };
        match sort {
            Sort::Bool => {
                let value = evaluate(term)?;
                // SAFETY: `value` is a term of sort Bool.
                match unsafe { raw::Z3_get_bool_value(self.context, value) } {
                    raw::TRUE => Some(Value::Bool(true)),
                    raw::FALSE => Some(Value::Bool(false)),
                    _ => None,
                }
            }
            Sort::BitVec(width) => Some(Value::BitVec(bits(term, width)?)),
            Sort::Float(format) => {
                // SAFETY: `term` is a float of this context. The encoding of NaN is open, so NaN is asked for first.
                let is_nan = unsafe { raw::Z3_mk_fpa_is_nan(self.context, term) };
                let nan = evaluate(is_nan)?;
                // SAFETY: `nan` is a term of sort Bool; `term` is a float.
                unsafe {
                    if raw::Z3_get_bool_value(self.context, nan) == raw::TRUE {
                        return Some(Value::Float(format, smt::float::nan(format)));
                    }
                    Some(Value::Float(format, bits(raw::Z3_mk_fpa_to_ieee_bv(self.context, term), format.width())?))
                }
            }
            Sort::Array { .. } => None,
        }
    }
}

impl Solver for Z3 {
    fn name(&self) -> String {
        // SAFETY: the version is a C string that lives in the library.
        let version = unsafe { CStr::from_ptr(raw::Z3_get_full_version()) };
        version.to_string_lossy().into_owned()
    }

    fn push(&mut self) {
        self.change();
        self.levels += 1;
        // SAFETY: context and solver are alive, here and below.
        unsafe { raw::Z3_solver_push(self.context, self.solver) }
    }

    fn pop(&mut self) {
        assert!(self.levels > 0, "pop follows push");
        self.change();
        self.levels -= 1;
        // SAFETY: levels are counted.
        unsafe { raw::Z3_solver_pop(self.context, self.solver, 1) }
    }

    fn assert(&mut self, terms: &Terms, formula: TermId) {
        self.change();
        let ast = self.translate(terms, formula);
        // SAFETY: `ast` is a formula of this context.
        unsafe { raw::Z3_solver_assert(self.context, self.solver, ast) }
    }

    fn check_assuming(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        cancel: &Cancel,
    ) -> Result<Answer, SolverFailure> {
        self.change();
        cancel.check()?;
        self.assumptions.clear();
        if !assumptions.is_empty() {
            // Z3 assumes literals only: each formula gets one that implies it.
            self.has_assumption_level = true;
            // SAFETY: terms belong to this context.
            unsafe { raw::Z3_solver_push(self.context, self.solver) }
            for &assumption in assumptions {
                let formula = self.translate(terms, assumption);
                let sort = self.translator.sort(Sort::Bool);
                // SAFETY: as above; the prefix is copied.
                let literal = unsafe {
                    let literal = raw::Z3_mk_fresh_const(self.context, c"assumption".as_ptr(), sort);
                    let implication = raw::Z3_mk_implies(self.context, literal, formula);
                    raw::Z3_solver_assert(self.context, self.solver, implication);
                    literal
                };
                self.assumptions.push((assumption, literal));
            }
        }
        let literals: Vec<Ast> = self.assumptions.iter().map(|&(_, literal)| literal).collect();
        let start = Instant::now();
        let answer = self.search(&literals, cancel);
        self.counters.time_since("solver search", start);
        self.counters.add("solver queries", 1);
        let answer = match answer {
            raw::TRUE => Answer::Sat,
            raw::FALSE => Answer::Unsat,
            _ => {
                cancel.check()?;
                // SAFETY: the reason is a C string, read at once.
                let reason = unsafe { CStr::from_ptr(raw::Z3_solver_get_reason_unknown(self.context, self.solver)) };
                return Err(SolverFailure::Incomplete(reason.to_string_lossy().into_owned()));
            }
        };
        self.answer = Some(answer);
        Ok(answer)
    }

    fn failed_assumptions(&mut self) -> Vec<TermId> {
        assert_eq!(self.answer, Some(Answer::Unsat), "the last check was unsatisfiable");
        // SAFETY: the vector is released after it is read.
        let failed: Vec<Ast> = unsafe {
            let core = raw::Z3_solver_get_unsat_core(self.context, self.solver);
            raw::Z3_ast_vector_inc_ref(self.context, core);
            let size = raw::Z3_ast_vector_size(self.context, core);
            let failed = (0..size).map(|index| raw::Z3_ast_vector_get(self.context, core, index)).collect();
            raw::Z3_ast_vector_dec_ref(self.context, core);
            failed
        };
        self.assumptions.iter().filter(|(_, literal)| failed.contains(literal)).map(|&(term, _)| term).collect()
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, SolverFailure> {
        assert_eq!(self.answer, Some(Answer::Sat), "the last check was satisfiable");
        let ast = self.translate(terms, term);
        self.scalar(ast, terms.sort(term))
            .ok_or_else(|| SolverFailure::Incomplete("Z3's model has no plain value for this".to_owned()))
    }

    fn statistics(&self) -> Counters {
        self.counters.clone()
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        // SAFETY: made in `new`, freed once.
        unsafe {
            raw::Z3_solver_dec_ref(self.context, self.solver);
            raw::Z3_del_context(self.context);
        }
    }
}

unsafe extern "C" fn ignore(_: Context, _: c_int) {}
