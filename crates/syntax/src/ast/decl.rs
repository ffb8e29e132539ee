//! Declarations, declared names and attributes.

use super::{AsmId, DeclId, DeclaratorId, ExprId, Init, List, StmtId, StringId, TypeId};
use base::{Span, Symbol};

/// A declaration and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decl {
    /// What it is.
    pub kind: DeclKind,
    /// Up to and with the `;` or `}`.
    pub span: Span,
}

/// All forms of declarations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclKind {
    /// `specifiers a, *b = 0;`, also without any declarator (`struct S { int x; };`).
    Declaration {
        /// What all names share.
        specs: Specs,
        /// The names.
        declarators: List<DeclaratorId>,
    },
    /// A function definition.
    Function {
        /// Storage class, `inline`, ...
        specs: Specs,
        /// Name and type; the type is always a `TypeKind::Function`.
        declarator: DeclaratorId,
        /// The declarations between `)` and `{` of a K&R definition.
        knr: List<DeclId>,
        /// A compound statement.
        body: StmtId,
    },
    /// `_Static_assert(cond, "message");`
    StaticAssert {
        /// A constant.
        cond: ExprId,
        /// What to say.
        message: Option<StringId>,
    },
    /// `asm("...");` at file scope.
    Asm(AsmId),
}

/// What the specifiers of a declaration say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Specs {
    /// The type before any declarator, with its qualifiers.
    pub ty: TypeId,
    /// Storage class, if any.
    pub storage: Option<Storage>,
    /// `_Thread_local` or `__thread`.
    pub thread_local: bool,
    /// `inline`
    pub inline: bool,
    /// `_Noreturn`
    pub noreturn: bool,
    /// `_Alignas(...)`, all of them.
    pub alignas: List<Alignas>,
    /// Attributes among the specifiers: they belong to every declared name.
    pub attrs: List<Attr>,
}

/// Storage classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// `_Alignas(...)`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alignas {
    /// `_Alignas(8)`
    Expr(ExprId),
    /// `_Alignas(long)`
    Type(TypeId),
}

/// One declared name, struct member or unnamed bit-field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declarator {
    /// The name; `None` only for unnamed bit-fields.
    pub name: Option<Symbol>,
    /// The name's bytes.
    pub name_span: Span,
    /// The whole type.
    pub ty: TypeId,
    /// Attributes of this name alone.
    pub attrs: List<Attr>,
    /// `asm("symbol")`
    pub asm_label: Option<StringId>,
    /// Bit-field width.
    pub width: Option<ExprId>,
    /// Initialiser.
    pub init: Option<Init>,
    /// The declarator with its initialiser.
    pub span: Span,
}

/// `name(args)` inside `__attribute__((...))`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attr {
    /// Without the optional `__` around it: `__packed__` is `packed`.
    pub name: Symbol,
    /// Identifiers are `ExprKind::Name`, strings `ExprKind::String`.
    pub args: List<AttrArg>,
    /// Name and arguments.
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrArg {
    /// `8`, `printf`, `"section"`
    Expr(ExprId),
    /// `int *`
    Type(TypeId),
}
