//! One solver instance of the library, with its termination callback.

use crate::failure;
use crate::manager::Manager;
use crate::raw::{self, option};
use base::Cancel;
use smt::{Answer, SolverFailure};
use std::cell::RefCell;
use std::ffi::c_void;
use std::rc::Rc;

/// A `Bitwuzla` object. Terms passed to it belong to `manager`.
pub struct Instance {
    raw: *mut raw::Instance,
    /// Owned; holds the stream that the instance writes warnings to.
    options: *mut raw::Options,
    /// Owned; read by the termination callback during a check, hence behind a raw pointer.
    cancel: *mut Option<Cancel>,
    /// Keeps the terms alive.
    pub manager: Rc<RefCell<Manager>>,
}

impl Instance {
    /// An instance with these option values on top of the defaults.
    pub fn new(settings: &[(i32, u64)]) -> Instance {
        let manager = Manager::of_this_thread();
        failure::catch();
        let cancel = Box::into_raw(Box::new(None));
        // SAFETY: the manager is alive as long as the instance; `options` and `cancel`
        // are freed after the instance.
        let (raw, options) = unsafe {
            let options = raw::bitwuzla_options_new();
            // Its warnings come back to us as answers.
            raw::bitwuzla_options_set_diagnostic_output_stream(options, c"/dev/null".as_ptr());
            for &(option, value) in [(option::PRODUCE_MODELS, 1)].iter().chain(settings) {
                raw::bitwuzla_set_option(options, option, value);
            }
            let raw = raw::bitwuzla_new(manager.borrow().raw(), options);
            raw::bitwuzla_set_termination_callback(raw, Some(must_stop), cancel.cast());
            (raw, options)
        };
        let problem = failure::take();
        assert!(problem.is_none(), "our options fit together: {problem:?}");
        Instance { raw, options, cancel, manager }
    }

    pub fn push(&mut self) {
        // SAFETY: the instance is alive, here and in all methods.
        unsafe { raw::bitwuzla_push(self.raw, 1) }
    }

    pub fn pop(&mut self) {
        // SAFETY: the caller counts levels.
        unsafe { raw::bitwuzla_pop(self.raw, 1) }
    }

    pub fn assert(&mut self, formula: raw::Term) {
        // SAFETY: `formula` is a live term of our manager.
        unsafe { raw::bitwuzla_assert(self.raw, formula) }
    }

    pub fn check(&mut self, assumptions: &mut [raw::Term], cancel: &Cancel) -> Result<Answer, SolverFailure> {
        cancel.check()?;
        // SAFETY: the terms are live; `self.cancel` is ours, and written only while the library does not search.
        let answer = unsafe {
            *self.cancel = Some(cancel.clone());
            let answer = raw::bitwuzla_check_sat_assuming(self.raw, assumptions.len() as u32, assumptions.as_mut_ptr());
            *self.cancel = None;
            answer
        };
        if let Some(problem) = failure::take() {
            return Err(SolverFailure::Incomplete(problem));
        }
        match answer {
            raw::SAT => Ok(Answer::Sat),
            raw::UNSAT => Ok(Answer::Unsat),
            _ => {
                cancel.check()?;
                Err(SolverFailure::Incomplete("Bitwuzla answers unknown".to_owned()))
            }
        }
    }

    pub fn is_failed_assumption(&self, term: raw::Term) -> bool {
        // SAFETY: the last check was unsatisfiable and `term` one of its assumptions.
        unsafe { raw::bitwuzla_is_unsat_assumption(self.raw, term) }
    }

    pub fn value(&self, term: raw::Term) -> Result<raw::Term, SolverFailure> {
        // SAFETY: the term is live; the library checks that there is a model.
        let value = unsafe { raw::bitwuzla_get_value(self.raw, term) };
        match failure::take() {
            Some(problem) => Err(SolverFailure::Incomplete(problem)),
            None => Ok(value),
        }
    }

    /// Interpolants between the asserted `groups`, one fewer than there are.
    pub fn interpolants(&self, groups: &mut [raw::Term]) -> Result<Vec<raw::Term>, SolverFailure> {
        let wanted = groups.len().saturating_sub(1);
        let mut counts = vec![1u32; wanted];
        let mut starts: Vec<*mut raw::Term> = groups[..wanted].iter_mut().map(|group| &raw mut *group).collect();
        let mut size = 0;
        // SAFETY: all terms are live and asserted, the arrays have `wanted` elements; the result is copied at once.
        let result = unsafe {
            let (counts, starts) = (counts.as_mut_ptr(), starts.as_mut_ptr());
            let first = raw::bitwuzla_get_interpolants(self.raw, wanted as u32, counts, starts, &mut size);
            if first.is_null() || size == 0 { Vec::new() } else { std::slice::from_raw_parts(first, size).to_vec() }
        };
        match failure::take() {
            Some(problem) => Err(SolverFailure::Incomplete(problem)),
            None if result.len() != wanted => Err(SolverFailure::Incomplete("no interpolants".to_owned())),
            None => Ok(result),
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: all made in `new` and freed once; the manager outlives the instance.
        unsafe {
            raw::bitwuzla_delete(self.raw);
            raw::bitwuzla_options_delete(self.options);
            drop(Box::from_raw(self.cancel));
        }
    }
}

unsafe extern "C" fn must_stop(state: *mut c_void) -> i32 {
    // SAFETY: `state` is the instance's `cancel`, see `Instance::new` and `Instance::check`.
    let cancel = unsafe { &*state.cast::<Option<Cancel>>() };
    i32::from(cancel.as_ref().is_some_and(Cancel::is_stopped))
}
