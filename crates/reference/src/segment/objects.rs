//! The allocation table: which objects there are, and what is known of where they lie.

use super::Encoder;
use crate::Refusal;
use crate::state::{Lifetime, ObjectId, Row, SymbolicState, SymbolicValue};
use base::Span;
use cfa::{FunctionId, Storage, VarId};
use smt::TermId;
use std::collections::BTreeSet;

impl Encoder<'_> {
    /// A new row of the allocation table. The object lies apart from all that live now where `when` holds.
    pub(crate) fn object(
        &mut self,
        name: &str,
        size: TermId,
        (lifetime, align): (Lifetime, u64),
        (state, when): (Option<&SymbolicState>, TermId),
    ) -> ObjectId {
        assert!(align == 0 || align.is_power_of_two(), "alignments are powers of two");
        assert_eq!(self.terms.width(size), self.program.model.pointer_bits(), "sizes are as wide as addresses");
        let base = self.fresh_bits(&format!("&{name}"), self.program.model.pointer_bits());
        let new = self.objects.push(Row { base, size, lifetime });
        self.aligned.push((new, align, when));
        for other in self.objects.ids().take(self.objects.len() - 1) {
            // Whatever always lives is apart from all others at all times.
            let always = |object: &Row| matches!(object.lifetime, Lifetime::Always | Lifetime::Never);
            let both = match state {
                Some(state) if !always(&self.objects[other]) && !always(&self.objects[new]) => {
                    let lives = self.lives(state, other);
                    self.terms.and([lives, when])
                }
                _ => when,
            };
            if self.terms.as_bool(both) != Some(false) {
                self.apart.push((new, other, both));
            }
        }
        new
    }

    pub(crate) fn function_object(&mut self, function: FunctionId) -> ObjectId {
        if let Some(&known) = self.functions.get(&function) {
            return known;
        }
        let (name, one, yes) = (self.program.function_name(function), self.word(1), self.terms.truth());
        let object = self.object(name, one, (Lifetime::Never, 1), (None, yes));
        self.functions.insert(function, object);
        object
    }

    pub(crate) fn variable_object(&mut self, var: VarId, span: Span) -> Result<ObjectId, Refusal> {
        let variable = &self.program.vars[var];
        if variable.function.is_some() {
            let found = self.frames.iter().rev().find_map(|frame| frame.objects.get(&var));
            let name = self.program.var_name(var);
            return found.copied().ok_or_else(|| {
                Encoder::refuse(&format!("`{name}`, which is not a variable of a function that is running"), span)
            });
        }
        if let Some(&known) = self.statics.get(&var) {
            return Ok(known);
        }
        let Storage::Memory { size, align } = variable.storage else {
            return Err(Encoder::refuse("the address of a register", span));
        };
        let (size, yes) = (self.word(size), self.terms.truth());
        let object = self.object(self.program.var_name(var), size, (Lifetime::Always, align), (None, yes));
        self.statics.insert(var, object);
        Ok(object)
    }

    pub(crate) fn address_of(&mut self, var: VarId, span: Span) -> Result<SymbolicValue, Refusal> {
        let object = self.variable_object(var, span)?;
        let zero = self.word(0);
        Ok(self.pointer(object, zero))
    }

    /// What holds of the places of objects: not null, aligned, not around the end of the address space, apart from each
    /// other. Objects whose base does not occur in the formulas are left out.
    pub fn placement(&mut self, formulas: &[TermId]) -> Vec<TermId> {
        let used: BTreeSet<TermId> = self.terms.reachable(formulas).into_iter().collect();
        let (zero, one) = (self.word(0), self.word(1));
        let mut facts = Vec::new();
        for (object, align, when) in self.aligned.clone() {
            let Row { base, size, .. } = self.objects[object];
            if !used.contains(&base) {
                continue;
            }
            let nonzero = self.terms.ne(base, zero);
            let last = self.terms.bv_not(size);
            let no_wrap = self.terms.bv_ule(base, last);
            let low = self.word(align.max(1) - 1);
            let low = self.terms.bv_and(base, low);
            let even = self.terms.eq(low, zero);
            let all = self.terms.and([nonzero, no_wrap, even]);
            facts.push(self.terms.implies(when, all));
        }
        for (a, b, when) in self.apart.clone() {
            let (a, b) = (self.objects[a].clone(), self.objects[b].clone());
            if !used.contains(&a.base) || !used.contains(&b.base) {
                continue;
            }
            // Objects without bytes have addresses of their own, too.
            let mut end = |object: &Row| {
                let empty = self.terms.eq(object.size, zero);
                let extent = self.terms.ite(empty, one, object.size);
                self.terms.bv_add(object.base, extent)
            };
            let (end_a, end_b) = (end(&a), end(&b));
            let (before, behind) = (self.terms.bv_ule(end_a, b.base), self.terms.bv_ule(end_b, a.base));
            let apart = self.terms.or([before, behind]);
            facts.push(self.terms.implies(when, apart));
        }
        facts
    }
}
