//! The allocation table: which objects there are, and what is known of where they lie.

use crate::{Encoder, ObjectId, Refusal, SymbolicState as State, SymbolicValue as Value, memory::Content};
use cfa::{FunctionId, Storage, VarId};
use smt::TermId;
use std::collections::BTreeSet;

/// Who may live how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lifetime {
    /// Globals and literals.
    Always,
    /// Its bytes are neither read nor written: a function.
    Never,
    /// As the state says; only these can be freed.
    Heap,
    /// As the state says, at most until the frame of this number ends.
    Stack(usize),
}

impl Lifetime {
    fn is_fixed(self) -> bool {
        matches!(self, Lifetime::Always | Lifetime::Never)
    }
}

/// A row of the allocation table. Whether the object lives is part of the state.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub base: TermId,
    pub size: TermId,
    pub lifetime: Lifetime,
    align: u64,
    /// The object exists where this holds.
    when: TermId,
    /// Objects before it in the table that lie apart from it where the condition holds.
    apart: Vec<(ObjectId, TermId)>,
}

impl Encoder<'_> {
    /// A new row of the allocation table. The object lies apart from all that live now where `when` holds.
    pub(crate) fn object(
        &self,
        (state, when): (&State, TermId),
        (name, size): (&str, TermId),
        (lifetime, align): (Lifetime, u64),
    ) -> ObjectId {
        let both = |other| {
            // Whatever always lives is apart from all others at all times.
            let always = lifetime.is_fixed() || self.lifetime(other).is_fixed();
            (other, if always { when } else { self.terms.and([self.lives(state, other), when]) })
        };
        let possible = |(_, both): &(ObjectId, TermId)| self.terms.as_bool(*both) != Some(false);
        let apart = self.all_objects().map(both).filter(possible).collect();
        let base = self.fresh_bits(&format!("&{name}"), self.program.model.pointer_bits());
        self.objects.borrow_mut().push(Row { base, size, lifetime, align, when, apart })
    }

    pub(crate) fn all_objects(&self) -> impl Iterator<Item = ObjectId> + use<> {
        self.objects.borrow().ids()
    }

    pub(crate) fn lifetime(&self, object: ObjectId) -> Lifetime {
        self.objects.borrow()[object].lifetime
    }

    pub(crate) fn size(&self, object: ObjectId) -> TermId {
        self.objects.borrow()[object].size
    }

    pub(crate) fn lives(&self, state: &State, object: ObjectId) -> TermId {
        match self.lifetime(object) {
            Lifetime::Always => self.terms.truth(),
            Lifetime::Never => self.terms.falsity(),
            _ => state.live.get(&object).copied().unwrap_or_else(|| self.terms.falsity()),
        }
    }

    /// The object lives where the condition holds, with arbitrary bytes.
    pub(crate) fn bring_to_life(&self, state: &mut State, object: ObjectId, lives: TermId) {
        state.live.insert(object, lives);
        let bytes = Content::Array(self.fresh_array("bytes", 8));
        self.write(state, (self.start(object), self.size(object)), bytes, lives);
    }

    pub(crate) fn function_object(&self, state: &State, function: FunctionId) -> ObjectId {
        let known = self.functions.borrow().get(&function).copied();
        known.unwrap_or_else(|| {
            let named = (self.program.function_name(function), self.word(1));
            let object = self.object((state, self.terms.truth()), named, (Lifetime::Never, 1));
            self.functions.borrow_mut().insert(function, object);
            object
        })
    }

    /// The object of a variable: one of a function that runs, or a static one, which gets its row when it is first needed.
    pub(crate) fn variable_object(&self, state: &State, var: VarId) -> ObjectId {
        let local = state.frames.iter().rev().find_map(|frame| frame.objects.get(&var).copied());
        let known = local.or_else(|| self.statics.borrow().get(&var).copied());
        known.unwrap_or_else(|| {
            let variable = &self.program.vars[var];
            if variable.function.is_some() {
                self.not_running(var);
            }
            let Storage::Memory { size, align } = variable.storage else { panic!("a register has no address") };
            let named = (self.program.var_name(var), self.word(size));
            let object = self.object((state, self.terms.truth()), named, (Lifetime::Always, align));
            self.statics.borrow_mut().insert(var, object);
            object
        })
    }

    /// The address `offset` bytes after the base of an object.
    pub(crate) fn pointer(&self, object: ObjectId, offset: TermId) -> Value {
        let base = self.objects.borrow()[object].base;
        Value { bits: self.terms.bv_add(base, offset), origin: Some((object, offset)) }
    }

    pub(crate) fn start(&self, object: ObjectId) -> Value {
        self.pointer(object, self.word(0))
    }

    /// The address `distance` bytes after a pointer, of the same object.
    pub(crate) fn behind(&self, pointer: Value, distance: TermId) -> Value {
        match pointer.origin {
            Some((object, at)) => self.pointer(object, self.terms.bv_add(at, distance)),
            None => Value::plain(self.terms.bv_add(pointer.bits, distance)),
        }
    }

    /// The objects that a pointer may lead into, and how far after their first bytes.
    pub(crate) fn candidates(&self, pointer: Value) -> Vec<(ObjectId, TermId)> {
        let at = |object| self.terms.bv_sub(pointer.bits, self.start(object).bits);
        match pointer.origin {
            Some(known) => vec![known],
            None => self.all_objects().map(|object| (object, at(object))).collect(),
        }
    }

    /// What else holds of formulas: what was assumed of variables, and of the places of objects that they are not null,
    /// aligned, not around the end of the address space, apart from each other. Objects whose base does not occur in the
    /// formulas are left out.
    pub fn constraints(&self, formulas: &[TermId]) -> Result<Vec<TermId>, Refusal> {
        self.check()?;
        let (t, objects) = (&self.terms, self.objects.borrow());
        let assumed = self.assumed.borrow().clone();
        let used: BTreeSet<TermId> = t.terms().reachable(&[formulas, &assumed].concat()).into_iter().collect();
        let (zero, one) = (self.word(0), self.word(1));
        // Objects without bytes have addresses of their own, too.
        let end = |row: &Row| t.bv_add(row.base, t.ite(t.eq(row.size, zero), one, row.size));
        let mut facts = Vec::new();
        for (_, row) in objects.iter().filter(|(_, row)| used.contains(&row.base)) {
            let no_wrap = t.bv_ule(row.base, t.bv_not(row.size));
            let even = t.eq(t.bv_and(row.base, self.word(row.align.max(1) - 1)), zero);
            facts.push(t.implies(row.when, t.and([t.ne(row.base, zero), no_wrap, even])));
            let others = row.apart.iter().map(|(other, both)| (&objects[*other], *both));
            for (other, both) in others.filter(|(other, _)| used.contains(&other.base)) {
                let apart = t.or([t.bv_ule(end(row), other.base), t.bv_ule(end(other), row.base)]);
                facts.push(t.implies(both, apart));
            }
        }
        facts.extend(assumed);
        Ok(facts)
    }
}
