//! Names in nested scopes: the innermost meaning of a symbol is one lookup away, leaving a scope restores the outer
//! ones.

use base::{Id, Symbol};

/// What symbols mean, innermost first.
#[derive(Debug)]
pub(crate) struct Scopes<T> {
    /// By symbol: 1 + the index of its innermost binding, 0 for none.
    innermost: Vec<u32>,
    bindings: Vec<Binding<T>>,
    /// How many bindings there were when each open scope began.
    scopes: Vec<usize>,
}

#[derive(Debug)]
struct Binding<T> {
    name: Symbol,
    shadowed: u32,
    depth: u32,
    meaning: T,
}

impl<T: Copy> Scopes<T> {
    pub fn new() -> Self {
        Self { innermost: Vec::new(), bindings: Vec::new(), scopes: Vec::new() }
    }

    /// How many scopes are open; 0 at file scope.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub fn enter(&mut self) {
        self.scopes.push(self.bindings.len());
    }

    pub fn leave(&mut self) {
        let start = self.scopes.pop().expect("scopes are left as often as entered");
        for binding in self.bindings.drain(start..).rev() {
            self.innermost[binding.name.index()] = binding.shadowed;
        }
    }

    /// The innermost meaning.
    pub fn lookup(&self, name: Symbol) -> Option<T> {
        let at = *self.innermost.get(name.index())?;
        Some(self.bindings[at.checked_sub(1)? as usize].meaning)
    }

    /// The meaning that the innermost open scope itself gives.
    pub fn lookup_here(&self, name: Symbol) -> Option<T> {
        let at = *self.innermost.get(name.index())?;
        let binding = &self.bindings[at.checked_sub(1)? as usize];
        (binding.depth as usize == self.depth()).then_some(binding.meaning)
    }

    /// Gives `name` a meaning in the innermost scope, in place of one that it has there.
    pub fn bind(&mut self, name: Symbol, meaning: T) {
        if self.innermost.len() <= name.index() {
            self.innermost.resize(name.index() + 1, 0);
        }
        let shadowed = self.innermost[name.index()];
        if let Some(at) = shadowed.checked_sub(1) {
            let binding = &mut self.bindings[at as usize];
            if binding.depth as usize == self.scopes.len() {
                binding.meaning = meaning;
                return;
            }
        }
        self.bindings.push(Binding { name, shadowed, depth: self.scopes.len() as u32, meaning });
        self.innermost[name.index()] = self.bindings.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_meanings_end_with_their_scope() {
        let (a, b) = (Symbol(3), Symbol(0));
        let mut scopes = Scopes::new();
        scopes.bind(a, 1);
        scopes.enter();
        assert_eq!((scopes.lookup(a), scopes.lookup_here(a), scopes.lookup(b)), (Some(1), None, None));
        scopes.bind(a, 2);
        scopes.bind(a, 3);
        scopes.bind(b, 4);
        assert_eq!((scopes.lookup(a), scopes.lookup(b)), (Some(3), Some(4)));
        scopes.leave();
        assert_eq!((scopes.lookup(a), scopes.lookup(b)), (Some(1), None));
    }
}
