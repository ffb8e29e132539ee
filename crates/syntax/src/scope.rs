//! Which identifiers are typedef names here: all that the grammar of C needs to know about scopes.

use crate::ast::{BasicType, TypeKind};
use base::{Id, Symbol};

/// What an ordinary identifier means at this point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// An object, function, enumeration constant, or nothing declared at all.
    Ordinary,
    /// Declared with `typedef`.
    Typedef,
    /// A type that the compiler declares, at this index of [`PREDECLARED`].
    Predeclared(u8),
}

/// Types that gcc knows by name but that headers for other compilers declare with `typedef`.
pub(crate) const PREDECLARED: &[(&str, TypeKind)] = &[
    ("__builtin_va_list", TypeKind::VaList),
    ("__int128_t", TypeKind::Basic(BasicType::Int128)),
    ("__uint128_t", TypeKind::Basic(BasicType::UnsignedInt128)),
    ("_Float16", TypeKind::Basic(BasicType::Float16)),
    ("_Float32", TypeKind::Basic(BasicType::Float32)),
    ("_Float64", TypeKind::Basic(BasicType::Float64)),
    ("_Float128", TypeKind::Basic(BasicType::Float128)),
    ("_Float32x", TypeKind::Basic(BasicType::Float32x)),
    ("_Float64x", TypeKind::Basic(BasicType::Float64x)),
    ("__float128", TypeKind::Basic(BasicType::Float128)),
    ("__float80", TypeKind::Basic(BasicType::Float64x)),
];

/// The meanings of all names, with an undo log for leaving scopes.
#[derive(Default)]
pub(crate) struct Scopes {
    meanings: Vec<Meaning>,
    log: Vec<(Symbol, Meaning)>,
    marks: Vec<usize>,
}

impl Scopes {
    /// What `name` means here.
    pub fn meaning(&self, name: Symbol) -> Meaning {
        self.meanings.get(name.index()).copied().unwrap_or(Meaning::Ordinary)
    }

    /// Whether `name` names a type here.
    pub fn is_type(&self, name: Symbol) -> bool {
        self.meaning(name) != Meaning::Ordinary
    }

    /// Declares `name` in the innermost scope.
    pub fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let old = self.meaning(name);
        if old == meaning {
            return;
        }
        if self.meanings.len() <= name.index() {
            self.meanings.resize(name.index() + 1, Meaning::Ordinary);
        }
        self.meanings[name.index()] = meaning;
        if !self.marks.is_empty() {
            self.log.push((name, old));
        }
    }

    /// Enters a scope.
    pub fn enter(&mut self) {
        self.marks.push(self.log.len());
    }

    /// Leaves the innermost scope.
    pub fn leave(&mut self) {
        let depth = self.marks.len().saturating_sub(1);
        self.leave_to(depth);
    }

    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.marks.len()
    }

    /// Leaves scopes until `depth` are open: what a failed construct left behind.
    pub fn leave_to(&mut self, depth: usize) {
        let Some(&mark) = self.marks.get(depth) else { return };
        self.marks.truncate(depth);
        for (name, meaning) in self.log.drain(mark..).rev() {
            self.meanings[name.index()] = meaning;
        }
    }
}
