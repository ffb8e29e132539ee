//! The syntax tree: what was written, with positions, and nothing that a type checker would add.
//!
//! All nodes live in the arenas of one [`Ast`] and name each other by `u32` ids, so dropping or moving a
//! tree never recurses. Invariants that hold for every tree, also after errors:
//!
//! - **Post-order.** Within one arena the children of a node have smaller ids than the node (expressions in
//!   expressions, statements in statements, types in types, initialiser lists in initialiser lists). A loop
//!   over all ids in order meets children before parents.
//! - **Depth is unbounded.** `a + a + ...`, `else if` chains, `{{{...` and `f(f(f(...` may nest hundreds of
//!   thousands deep. Walk with an explicit stack, by the post-order property, or under `stacker`. Runs of
//!   labels (`case 1: case 2: x: ...`) are one [`StmtKind::Labeled`] with a list.
//! - **Spans** run from the first byte of the construct to one past its last: a call ends after its `)`, a
//!   statement after its `;` or `}`. Parentheses make no node: `(a)` has the span of `a`, but `(a) + b` starts
//!   at the `(`.
//! - **Dropped on purpose:** parentheses, `__extension__`, line markers, pragmas other than `pack`.
//!
//! Use: `ast[expr_id].kind`, and `&ast[list]` for every [`List`]. [`Ast::verify`] checks the promises; the parser
//! runs it in debug builds.

mod decl;
mod expr;
mod stmt;
mod types;
mod verify;
mod walk;

pub use decl::{Alignas, Attr, AttrArg, Decl, DeclKind, Declarator, Specs, Storage};
pub use expr::{
    Base, BinaryOp, Designator, Encoding, Expr, ExprKind, FloatSuffix, GenericArm, Init, InitItem, InitList, IntSize,
    IntSuffix, StringLit, UnaryOp,
};
pub use stmt::{Asm, AsmOperand, For, ForInit, Label, LabelKind, Stmt, StmtKind};
pub use types::{
    ArraySize, BasicType, EnumSpec, Enumerator, FunctionType, Param, Params, Quals, Record, RecordKind, Type, TypeKind,
};

use base::{IdVec, Symbol, define_id};
use std::marker::PhantomData;

define_id!(
    /// An expression.
    ExprId,
    "e"
);
define_id!(
    /// A statement.
    StmtId,
    "s"
);
define_id!(
    /// A declaration: at file scope, in a block, in a struct, or of a K&R parameter.
    DeclId,
    "d"
);
define_id!(
    /// One declared name (or unnamed bit-field) of a declaration.
    DeclaratorId,
    "n"
);
define_id!(
    /// A type as written.
    TypeId,
    "t"
);
define_id!(
    /// One occurrence of `struct S`, `struct S { ... }` or a union.
    RecordId,
    "r"
);
define_id!(
    /// One occurrence of `enum E` or `enum E { ... }`.
    EnumId,
    "m"
);
define_id!(
    /// The parameter part of a function type.
    FunctionId,
    "p"
);
define_id!(
    /// A braced initialiser.
    InitListId,
    "i"
);
define_id!(
    /// A string literal, adjacent ones concatenated.
    StringId,
    "str"
);
define_id!(
    /// The head of a `for`.
    ForId,
    "for"
);
define_id!(
    /// An `asm` statement or a file-scope `asm`.
    AsmId,
    "asm"
);

/// A run of `T` in the side table of its [`Ast`]; read it as `&ast[list]`.
pub struct List<T> {
    start: u32,
    len: u32,
    item: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The list without elements.
    pub const EMPTY: Self = Self { start: 0, len: 0, item: PhantomData };

    /// How many elements there are.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there is no element.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for List<T> {}
impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}
impl<T> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}
impl<T> Eq for List<T> {}
impl<T> std::fmt::Debug for List<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}; {}]", self.start, self.len)
    }
}

/// What may be an element of a [`List`].
pub trait Listed: Sized + Copy {
    /// The side table of this kind of element.
    fn table(ast: &Ast) -> &Vec<Self>;
    /// The same, to append to.
    fn table_mut(ast: &mut Ast) -> &mut Vec<Self>;
}

impl<T: Listed> std::ops::Index<List<T>> for Ast {
    type Output = [T];
    fn index(&self, list: List<T>) -> &[T] {
        let start = list.start as usize;
        &T::table(self)[start..start + list.len()]
    }
}

/// Declares the arenas and side tables of [`Ast`], with `ast[id]` and `&ast[list]` for each.
macro_rules! tables {
    (arenas { $($arena:ident: $id:ty => $node:ty, $arena_doc:literal;)* } lists { $($lists:ident: $item:ty;)* }) => {
        /// One parsed text.
        #[derive(Clone, Debug, Default)]
        pub struct Ast {
            /// The declarations at file scope, in order.
            pub items: Vec<DeclId>,
            $(#[doc = $arena_doc] pub $arena: IdVec<$id, $node>,)*
            /// The bytes of all string literals.
            pub(crate) string_bytes: Vec<u8>,
            $(pub(crate) $lists: Vec<$item>,)*
        }
        impl Ast {
            /// The memory that the nodes take, in bytes.
            pub fn bytes(&self) -> usize {
                let arenas = 0 $(+ size_of_val(self.$arena.as_slice()))*;
                let lists = 0 $(+ size_of_val(&self.$lists[..]))*;
                arenas + lists + self.string_bytes.len() + size_of_val(&self.items[..])
            }
        }
        $(impl std::ops::Index<$id> for Ast {
            type Output = $node;
            fn index(&self, id: $id) -> &$node {
                &self.$arena[id]
            }
        })*
        $(impl Listed for $item {
            fn table(ast: &Ast) -> &Vec<Self> {
                &ast.$lists
            }
            fn table_mut(ast: &mut Ast) -> &mut Vec<Self> {
                &mut ast.$lists
            }
        })*
    };
}

tables! {
    arenas {
        exprs: ExprId => Expr, "All expressions.";
        stmts: StmtId => Stmt, "All statements.";
        decls: DeclId => Decl, "All declarations.";
        declarators: DeclaratorId => Declarator, "All declared names.";
        types: TypeId => Type, "All types as written.";
        records: RecordId => Record, "All occurrences of structs and unions.";
        enums: EnumId => EnumSpec, "All occurrences of enums.";
        functions: FunctionId => FunctionType, "The parameter parts of all function types.";
        init_lists: InitListId => InitList, "All braced initialisers.";
        strings: StringId => StringLit, "All string literals.";
        fors: ForId => For, "The heads of all `for` statements.";
        asms: AsmId => Asm, "All asm statements.";
    }
    lists {
        expr_lists: ExprId;
        stmt_lists: StmtId;
        decl_lists: DeclId;
        declarator_lists: DeclaratorId;
        symbol_lists: Symbol;
        string_lists: StringId;
        attr_lists: Attr;
        attr_arg_lists: AttrArg;
        alignas_lists: Alignas;
        designator_lists: Designator;
        init_item_lists: InitItem;
        generic_arm_lists: GenericArm;
        param_lists: Param;
        enumerator_lists: Enumerator;
        label_lists: Label;
        asm_operand_lists: AsmOperand;
    }
}

impl Ast {
    /// The memory image of a string literal on a little-endian target, without the terminating zero: bytes for
    /// narrow and `u8`, two bytes a unit for `u`, four for `L` and `U`.
    pub fn string_bytes(&self, string: StringId) -> &[u8] {
        let string = &self.strings[string];
        &self.string_bytes[string.start as usize..][..string.len as usize]
    }

    /// Appends `items` to their side table.
    pub(crate) fn list<T: Listed>(&mut self, items: &[T]) -> List<T> {
        if items.is_empty() {
            return List::EMPTY;
        }
        let table = T::table_mut(self);
        let start = u32::try_from(table.len()).expect("fewer than 2^32 list elements");
        table.extend_from_slice(items);
        List { start, len: items.len() as u32, item: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small() {
        assert_eq!((size_of::<Expr>(), size_of::<Stmt>(), size_of::<Type>()), (24, 24, 32));
        assert_eq!((size_of::<InitItem>(), size_of::<Label>()), (16, 24));
    }
}
