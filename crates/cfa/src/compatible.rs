//! Whether a function may be called through a pointer to another type of function. C allows that for compatible types
//! only (C11 6.5.2.2p9), but programs do it and compilers let them, so what the program converts on purpose counts. Here types that the machine passes alike and that programs take for each other are compatible
//! too: `void *` and `char *` with every pointer, integers and enumerations of one size with each other, records by
//! their tags, because each file of a program has types of its own.

use crate::types::{Type, TypeId, Types};

impl Types {
    /// Notes that the program converts something to a type. Matters if that is a pointer to a function, or to such
    /// a pointer, and what is converted is not one, or one that may not be called that way.
    pub fn note_cast(&mut self, from: TypeId, to: TypeId) {
        let Some(to) = self.function_behind(to) else { return };
        let from = self.function_behind(from);
        if from.is_none_or(|from| !self.is_compatible(to, from)) {
            self.function_casts.insert((from, to));
        }
    }

    /// The type of function that a pointer, or a pointer to a pointer, leads to.
    fn function_behind(&self, ty: TypeId) -> Option<TypeId> {
        let pointee = |ty: TypeId| match *self.get(self.unqualified(ty)) {
            Type::Pointer(pointee) => Some(self.unqualified(pointee)),
            _ => None,
        };
        let is_function = |ty: &TypeId| matches!(self.get(*ty), Type::Function { .. });
        let first = pointee(ty)?;
        Some(first).filter(is_function).or_else(|| pointee(first).filter(is_function))
    }

    /// Whether a function of the type `callee` may be called as one of the type `called`: the types are compatible, or
    /// the program converts a pointer to the one into a pointer to the other, or anything into the latter.
    pub fn may_call(&self, called: TypeId, callee: TypeId) -> bool {
        self.is_compatible(called, callee)
            || self.function_casts.iter().any(|&(from, to)| {
                self.is_compatible(called, to) && from.is_none_or(|from| self.is_compatible(from, callee))
            })
    }

    /// Whether two types of functions are compatible.
    pub fn is_compatible(&self, called: TypeId, callee: TypeId) -> bool {
        let function = |ty| match self.get(ty) {
            Type::Function { result, params, variadic, prototyped } => Some((*result, params, *variadic, *prototyped)),
            _ => None,
        };
        let (Some(ours), Some(theirs)) = (function(called), function(callee)) else { return false };
        let known = ours.3 && theirs.3;
        let params_agree = || {
            ours.1.len() == theirs.1.len()
                && ours.2 == theirs.2
                && ours.1.iter().zip(theirs.1).all(|(&a, &b)| self.alike(a, b))
        };
        self.alike(ours.0, theirs.0) && (!known || params_agree())
    }

    /// Whether values of two types are taken for each other.
    fn alike(&self, a: TypeId, b: TypeId) -> bool {
        let (a, b) = (self.unqualified(a), self.unqualified(b));
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Type::Void, other) | (other, Type::Void) => *other == Type::Void,
            (&Type::Pointer(x), &Type::Pointer(y)) => self.point_alike(x, y),
            (&Type::Record(x), &Type::Record(y)) => {
                let (x, y) = (&self.records[x], &self.records[y]);
                x.is_union == y.is_union && (x.tag.is_none() || y.tag.is_none() || x.tag == y.tag)
            }
            _ => match (self.scalar(a), self.scalar(b)) {
                (Some(x), Some(y)) => {
                    (x.is_int() && y.is_int() || x.is_float() && y.is_float()) && self.size(a) == self.size(b)
                }
                (None, _) | (_, None) => false,
            },
        }
    }

    /// Whether pointers to two types are taken for each other.
    fn point_alike(&self, a: TypeId, b: TypeId) -> bool {
        let (a, b) = (self.unqualified(a), self.unqualified(b));
        let any = |ty| match self.get(ty) {
            Type::Void | Type::Function { .. } => true,
            Type::Array(..) | Type::OpenArray(_) | Type::VariableArray(..) => true,
            _ => self.size(ty) == Some(1) && self.scalar(ty).is_some(),
        };
        // One level of pointers deeper is not compared: `void **` is passed for every pointer to a pointer.
        let pointers = matches!((self.get(a), self.get(b)), (Type::Pointer(_), Type::Pointer(_)));
        any(a) || any(b) || pointers || self.alike(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::DataModel;
    use crate::types::{IntKind, Record};
    use base::Interner;

    fn record(types: &mut Types, tag: base::Symbol) -> TypeId {
        let record = Record {
            tag: Some(tag),
            is_union: false,
            fields: None,
            size: 0,
            align: 1,
            user_align: false,
            transparent: false,
        };
        let record = types.records.push(record);
        let record = types.intern(Type::Record(record));
        types.intern(Type::Pointer(record))
    }

    #[test]
    fn only_what_is_passed_alike_is_taken_for_each_other() {
        let (mut types, mut names) = (Types::new(DataModel::Lp64), Interner::default());
        let (s, t) = (names.intern("s"), names.intern("t"));
        let (s1, s2, t) = (record(&mut types, s), record(&mut types, s), record(&mut types, t));
        let [void, int, unsigned, long, char] = [
            Type::Void,
            Type::Int(IntKind::Int),
            Type::Int(IntKind::UInt),
            Type::Int(IntKind::Long),
            Type::Int(IntKind::Char),
        ]
        .map(|ty| types.intern(ty));
        let [any, text, number] = [void, char, int].map(|ty| types.intern(Type::Pointer(ty)));
        let mut check = |ours: (TypeId, &[TypeId]), theirs: (TypeId, &[TypeId]), expected: bool| {
            let mut function = |(result, params): (TypeId, &[TypeId])| {
                types.intern(Type::Function { result, params: params.into(), variadic: false, prototyped: true })
            };
            let (ours, theirs) = (function(ours), function(theirs));
            assert_eq!(types.may_call(ours, theirs), expected, "{ours:?} {theirs:?}");
            assert_eq!(types.may_call(theirs, ours), expected, "{theirs:?} {ours:?}");
        };
        check((int, &[s1, int]), (unsigned, &[s2, unsigned]), true);
        check((int, &[any]), (int, &[s1]), true);
        check((int, &[text]), (int, &[number]), true);
        check((int, &[s1]), (int, &[t]), false);
        check((int, &[s1]), (int, &[number]), false);
        check((int, &[s1]), (int, &[s1, s1]), false);
        check((void, &[s1]), (int, &[s1]), false);
        check((int, &[long]), (int, &[int]), false);
        check((int, &[long]), (int, &[s1]), false);
        check((any, &[]), (s1, &[]), true);
    }
}
