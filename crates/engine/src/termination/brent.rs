//! Choices for executions in search of a repetition, after Brent's algorithm [Bre80]: a state is remembered when the loop
//! was passed 1, 2, 4, 8 ... times, so that a repetition of any length is noticed after at most three times as many steps
//! as there are before it and in it. What is remembered is compared as a whole.
//!
//! One loop is watched at a time, since only one state is remembered. Inputs stay the same at each place that asks, or are
//! as the inner chooser says.

use cfa::{EdgeId, Op, Program, Scalar, Source, VarId};
use rustc_hash::FxHashMap;
use semantics::choices::Chooser;

/// Who answers whether to remember.
pub struct Brent<'p, 'c> {
    program: &'p Program,
    inner: &'c mut dyn Chooser,
    /// The choice of the loop that is watched.
    watched: Option<VarId>,
    passed: u64,
    /// The values of inputs, where they stay the same.
    steady: Option<FxHashMap<EdgeId, u128>>,
}

impl<'p, 'c> Brent<'p, 'c> {
    /// For a run with a number: loops take turns, then inputs that change and that do not.
    pub fn new(program: &'p Program, inner: &'c mut dyn Chooser, number: u64) -> Self {
        let choices = program.termination.as_ref().map_or(&[][..], |watched| &watched.choices);
        let count = choices.len().max(1) as u64;
        let watched = choices.get((number % count) as usize).copied();
        let steady = (number / count).is_multiple_of(2).then(FxHashMap::default);
        Brent { program, inner, watched, passed: 0, steady }
    }
}

impl Chooser for Brent<'_, '_> {
    fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        if let (Op::Havoc(var, _), Some(termination)) = (&self.program.edges[edge].op, &self.program.termination)
            && termination.choices.binary_search(var).is_ok()
        {
            if self.watched != Some(*var) {
                return 0;
            }
            self.passed += 1;
            return u128::from(self.passed.is_power_of_two());
        }
        let Some(steady) = &mut self.steady else { return self.inner.havoc(edge, source, ty) };
        match steady.get(&edge) {
            Some(&value) => value,
            None => {
                let value = self.inner.havoc(edge, source, ty);
                steady.insert(edge, value);
                value
            }
        }
    }
    fn byte(&mut self, birth: u32, offset: u64) -> u8 {
        self.inner.byte(birth, offset)
    }
    fn undefined(&mut self, edge: EdgeId, ty: Scalar) -> u128 {
        self.inner.undefined(edge, ty)
    }
    fn address(&mut self, birth: u32) -> Option<u64> {
        self.inner.address(birth)
    }
}
