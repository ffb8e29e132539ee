//! Types as written: specifiers at the leaves, declarators folded around them.

use super::{Attr, DeclId, EnumId, ExprId, FunctionId, List, RecordId, Specs, TypeId};
use base::{Span, Symbol};

/// A type as written. `int *a, b[2]` gives three: `int`, shared by a pointer and an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Qualifiers of this type: `int *const p` is a const pointer to an unqualified `int`. Those inside the
    /// brackets of an array parameter (`int a[const 3]`) are here, too: they belong to the pointer it becomes.
    pub quals: Quals,
    /// Attributes of this very type: after `*`, inside `[...]`, or in a type name. Those of a declaration are in [`Specs`] or the
    /// declarator, those of a struct or enum in its own node.
    pub attrs: List<Attr>,
    /// The specifiers; for a derived type the `*`, `[...]` or `(...)` that makes it.
    pub span: Span,
}

/// All forms of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// Stands where an error was reported.
    Error,
    /// No type specifier at all: `static x;`, `main() {}`, an undeclared K&R parameter. C90 means `int`.
    Implicit,
    /// An arithmetic type or `void`.
    Basic(BasicType),
    /// `_Complex` of an arithmetic type; `_Complex` alone is `double`.
    Complex(BasicType),
    /// `__builtin_va_list`
    VaList,
    /// `__auto_type`: the type of the initialiser.
    Auto,
    /// A typedef name in scope.
    Typedef(Symbol),
    /// A struct or union, defined here or only named.
    Record(RecordId),
    /// An enum, defined here or only named.
    Enum(EnumId),
    /// `typeof(e)`
    TypeofExpr(ExprId),
    /// `typeof(ty)`
    TypeofType(TypeId),
    /// `_Atomic(ty)`; the qualifier `_Atomic` is in [`Quals`].
    Atomic(TypeId),
    /// `pointee *`
    Pointer(TypeId),
    /// `element [size]`
    Array {
        /// The element type.
        element: TypeId,
        /// Between the brackets.
        size: ArraySize,
    },
    /// `result (params)`
    Function {
        /// The result type.
        result: TypeId,
        /// Between the parentheses.
        function: FunctionId,
    },
}

/// The types that keywords alone name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BasicType {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// `char`
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`, `signed`
    Int,
    /// `unsigned`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
    /// `_Float16`
    Float16,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// `_Float32`
    Float32,
    /// `_Float64`
    Float64,
    /// `_Float128`, `__float128`
    Float128,
    /// `_Float32x`
    Float32x,
    /// `_Float64x`, `__float80`
    Float64x,
}

/// What stands between the brackets of an array declarator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArraySize {
    /// `[]`
    None,
    /// `[*]`
    Star,
    /// `[e]`
    Expr(ExprId),
    /// `[static e]`
    Static(ExprId),
}

/// A set of type qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Quals(pub u8);

impl Quals {
    /// No qualifier.
    pub const NONE: Quals = Quals(0);
    /// `const`
    pub const CONST: Quals = Quals(1);
    /// `volatile`
    pub const VOLATILE: Quals = Quals(2);
    /// `restrict`
    pub const RESTRICT: Quals = Quals(4);
    /// `_Atomic`
    pub const ATOMIC: Quals = Quals(8);

    /// Whether all of `other` are here.
    pub fn contains(self, other: Quals) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOrAssign for Quals {
    fn bitor_assign(&mut self, other: Quals) {
        self.0 |= other.0;
    }
}

impl std::fmt::Debug for Quals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = ["const", "volatile", "restrict", "_Atomic"];
        f.debug_set().entries(names.iter().enumerate().filter(|(bit, _)| self.0 >> bit & 1 != 0).map(|x| x.1)).finish()
    }
}

/// Struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// `struct`
    Struct,
    /// `union`
    Union,
}

/// One occurrence of a struct or union specifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Struct or union.
    pub kind: RecordKind,
    /// Its tag.
    pub tag: Option<Symbol>,
    /// `None`: only named. Otherwise the definition: members are `DeclKind::Declaration` (bit-field widths are in
    /// the declarators; no declarator: an anonymous member) and `DeclKind::StaticAssert`.
    pub members: Option<List<DeclId>>,
    /// The `#pragma pack` value in force at the closing brace.
    pub pack: Option<u32>,
    /// `packed`, `aligned`, `transparent_union`, ... before the tag and after the closing brace.
    pub attrs: List<Attr>,
    /// From the keyword to the closing brace (or tag).
    pub span: Span,
}

/// One occurrence of an enum specifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EnumSpec {
    /// Its tag.
    pub tag: Option<Symbol>,
    /// `None`: only named.
    pub items: Option<List<Enumerator>>,
    /// `packed`, `mode`, ...
    pub attrs: List<Attr>,
    /// From the keyword to the closing brace (or tag).
    pub span: Span,
}

/// One constant of an enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Symbol,
    /// `= value`
    pub value: Option<ExprId>,
    /// Its attributes.
    pub attrs: List<Attr>,
    /// The name and the value.
    pub span: Span,
}

/// The parameter part of a function type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionType {
    /// The parameters.
    pub params: Params,
    /// From `(` to `)`.
    pub span: Span,
}

/// The forms of parameter lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Params {
    /// `()`: unknown in a declaration, none in a definition.
    Unspecified,
    /// `(int a, char)`, with `(void)` already made an empty list.
    Prototype {
        /// The parameters.
        params: List<Param>,
        /// Ends in `...`.
        variadic: bool,
    },
    /// `(a, b)` of a K&R definition, whose types follow in `DeclKind::Function`.
    Identifiers(List<Symbol>),
}

/// One parameter of a prototype.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The specifiers; the only storage class allowed is `register`.
    pub specs: Specs,
    /// Its name, if it has one.
    pub name: Option<Symbol>,
    /// Its whole type as written (arrays and functions are not yet pointers).
    pub ty: TypeId,
    /// Attributes of the declarator.
    pub attrs: List<Attr>,
    /// All of it.
    pub span: Span,
}
