//! The allocation table: which objects there are, and what is known of where they lie.

use crate::{Encoder, Refusal, SymbolicState as State, SymbolicValue as Value};
use cfa::{Expr, Storage, VarId};
use smt::TermId;
use std::{cell::Ref, collections::BTreeSet};

base::define_id!(
    /// An object of the allocation table.
    RowId,
    "object"
);

/// Who may live how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifetime {
    /// Globals and literals. Functions are such objects, without bytes.
    Always,
    /// As the state says; only these can be freed.
    Heap,
    /// As the state says, at most until the frame of this number ends.
    Stack(usize),
}

/// A row of the allocation table. Whether the object lives is part of the state.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub base: TermId,
    pub size: TermId,
    pub lifetime: Lifetime,
    /// Whether C forbids to write to it.
    pub constant: bool,
    align: u64,
    /// The object exists where this holds.
    when: TermId,
    /// Objects before it in the table that lie apart from it where the condition holds.
    apart: Vec<(RowId, TermId)>,
}

impl Encoder<'_> {
    /// A new row. Where executions are in this state, the object lies apart from all that live, if it can exist.
    pub(crate) fn object(&self, state: &State, of: Expr, size: TermId, lifetime: Lifetime, align: u64) -> RowId {
        let (name, constant) = match of {
            Expr::Var(var) | Expr::Addr(var) => (self.program.var_name(var), self.program.is_read_only(var)),
            Expr::Function(function) => (self.program.function_name(function), true),
            _ => unreachable!("objects are of variables and functions"),
        };
        // What always lives is apart from all others at all times.
        let always = lifetime == Lifetime::Always;
        let when = if always { self.terms.truth() } else { self.terms.and([state.guard, self.can_exist(size)]) };
        let lives = |other| if always { when } else { self.terms.and([self.lives(state, other), when]) };
        let both = self.all_objects().map(|other| (other, lives(other)));
        let apart = both.filter(|(_, both)| self.terms.as_bool(*both) != Some(false)).collect();
        let base = self.fresh_bits(&format!("&{name}"), self.program.model.pointer_bits());
        self.tables.objects.borrow_mut().push(Row { base, size, lifetime, constant, align, when, apart })
    }

    /// No object is larger than half of the address space.
    pub(crate) fn can_exist(&self, size: TermId) -> TermId {
        self.terms.bv_ule(size, self.word(u64::MAX >> (65 - self.program.model.pointer_bits())))
    }

    pub(crate) fn all_objects(&self) -> impl Iterator<Item = RowId> + use<> {
        self.tables.objects.borrow().ids()
    }

    pub(crate) fn row(&self, object: RowId) -> Ref<'_, Row> {
        Ref::map(self.tables.objects.borrow(), |objects| &objects[object])
    }

    /// How long an object may live.
    pub fn lifetime(&self, object: RowId) -> Lifetime {
        self.row(object).lifetime
    }

    /// Whether an object lives.
    pub fn lives(&self, state: &State, object: RowId) -> TermId {
        let listed = state.live.get(&object).copied();
        listed.unwrap_or_else(|| self.terms.bool(self.lifetime(object) == Lifetime::Always))
    }

    /// The object lives where the condition holds, with arbitrary bytes.
    pub(crate) fn bring_to_life(&self, state: &mut State, object: RowId, lives: TermId) {
        state.live.insert(object, lives);
        self.write_whole(state, object, self.any_bytes(), lives);
    }

    /// A local variable of the innermost frame comes into being.
    pub fn local(&self, state: &mut State, var: VarId, (size, align): (u64, u64)) {
        let (size, depth) = (self.word(size), state.frames.len() - 1);
        let object = self.object(state, Expr::Addr(var), size, Lifetime::Stack(depth), align);
        state.frames[depth].objects.insert(var, object);
        self.bring_to_life(state, object, self.terms.truth());
    }

    /// The object of a variable in memory.
    pub(crate) fn variable(&self, state: &State, var: VarId) -> RowId {
        let local = state.frames.iter().rev().find_map(|frame| frame.objects.get(&var).copied());
        local.unwrap_or_else(|| {
            if self.program.vars[var].function.is_some() {
                self.not_running(var);
            }
            let Storage::Memory { size, align } = self.program.vars[var].storage else { unreachable!("a register") };
            self.fixed(state, Expr::Addr(var), size, align)
        })
    }

    /// The object of an address that is the same at all times. It gets its row when it is first needed.
    pub(crate) fn fixed(&self, state: &State, address: Expr, size: u64, align: u64) -> RowId {
        let known = self.tables.statics.borrow().get(&address).copied();
        known.unwrap_or_else(|| {
            let object = self.object(state, address, self.word(size), Lifetime::Always, align);
            self.tables.statics.borrow_mut().insert(address, object);
            object
        })
    }

    /// The address `offset` bytes after the base of an object.
    pub(crate) fn pointer(&self, object: RowId, offset: TermId) -> Value {
        Value { bits: self.terms.bv_add(self.row(object).base, offset), origin: Some((object, offset)) }
    }

    pub(crate) fn start(&self, object: RowId) -> Value {
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
    pub(crate) fn candidates(&self, pointer: Value) -> Vec<(RowId, TermId)> {
        let at = |object| (object, self.terms.bv_sub(pointer.bits, self.row(object).base));
        pointer.origin.map_or_else(|| self.all_objects().map(at).collect(), |known| vec![known])
    }

    /// What else holds of formulas: what was assumed of variables, and of the places of objects that they are not null,
    /// aligned, not around the end of the address space, apart from each other. Objects whose base does not occur in the
    /// formulas are left out.
    pub fn constraints(&self, formulas: &[TermId]) -> Result<Vec<TermId>, Refusal> {
        self.check()?;
        let (t, zero, mut facts) = (&self.terms, self.word(0), Vec::new());
        let assumed = self.tables.assumed.borrow().clone();
        let used: BTreeSet<TermId> = t.terms().reachable(&[formulas, &assumed].concat()).into_iter().collect();
        let rows = self.all_objects().map(|object| self.row(object)).filter(|row| used.contains(&row.base));
        // Objects without bytes have addresses of their own, too.
        let end = |row: &Row| t.bv_add(row.base, t.ite(t.eq(row.size, zero), self.word(1), row.size));
        for row in rows {
            let no_wrap = t.bv_ule(row.base, t.bv_not(row.size));
            let even = t.eq(t.bv_and(row.base, self.word(row.align.max(1) - 1)), zero);
            facts.push(t.implies(row.when, t.and([t.ne(row.base, zero), no_wrap, even])));
            let others = row.apart.iter().map(|(other, both)| (self.row(*other), *both));
            for (other, both) in others.filter(|(other, _)| used.contains(&other.base)) {
                let apart = [t.bv_ule(end(&row), other.base), t.bv_ule(end(&other), row.base)];
                facts.push(t.implies(both, t.or(apart)));
            }
        }
        Ok([facts, assumed].concat())
    }
}
