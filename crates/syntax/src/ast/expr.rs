//! Expressions, literals and initialisers.

use super::{ExprId, InitListId, List, StmtId, StringId, TypeId};
use base::{Span, Symbol};

/// An expression and where it stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its bytes, without parentheses around it.
    pub span: Span,
}

/// All forms of expressions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExprKind {
    /// Stands where an error was reported.
    Error,
    /// `x`; also `__func__` and builtins called like functions.
    Name(Symbol),
    /// `42`, `0x2aUL`, `3i`. A literal beyond 64 bits is reported as an error by the parser.
    Int {
        /// Its value.
        value: u64,
        /// How it was written: decides the type.
        base: Base,
        /// Its suffix: decides the type.
        suffix: IntSuffix,
    },
    /// `'a'`, `L'a'`, `'ab'` (first character most significant, as gcc does).
    Char {
        /// The value in its type: plain `char` is signed, so `'\xff'` is -1.
        value: i64,
        /// `Narrow` has type `int`, `Wide` `wchar_t`, ...
        encoding: Encoding,
    },
    /// `1.5e3f`, `0x1p-3`.
    Float {
        /// The digits as written, without the suffix.
        text: Symbol,
        /// Decides the type.
        suffix: FloatSuffix,
        /// `1.0i`, `1.0j`.
        imaginary: bool,
    },
    /// `"a" "b"`.
    String(StringId),
    /// `f(a, b)`; ends with the closing parenthesis.
    Call {
        /// What is called.
        callee: ExprId,
        /// The arguments.
        args: List<ExprId>,
    },
    /// `base[index]`.
    Index {
        /// Left of the bracket.
        base: ExprId,
        /// Inside the brackets.
        index: ExprId,
    },
    /// `base.name` or `base->name`.
    Member {
        /// The aggregate or the pointer to it.
        base: ExprId,
        /// The member.
        name: Symbol,
        /// Whether it is `->`.
        arrow: bool,
    },
    /// A unary operator, pre- or postfix.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: ExprId,
    },
    /// `left op right`, also `&&` and `||`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// `target = value` or `target op= value`.
    Assign {
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// Left side.
        target: ExprId,
        /// Right side.
        value: ExprId,
    },
    /// `cond ? then : other`.
    Conditional {
        /// The condition.
        cond: ExprId,
        /// If it is true.
        then: ExprId,
        /// If it is false.
        other: ExprId,
    },
    /// `cond ?: other`: `cond` is evaluated once.
    Elvis {
        /// The condition, and the value if it is true.
        cond: ExprId,
        /// If it is false.
        other: ExprId,
    },
    /// `left, right`.
    Comma {
        /// Evaluated first.
        left: ExprId,
        /// The value.
        right: ExprId,
    },
    /// `(ty)operand`.
    Cast {
        /// The target type.
        ty: TypeId,
        /// What is cast.
        operand: ExprId,
    },
    /// `(ty){ ... }`.
    CompoundLiteral {
        /// The type of the object.
        ty: TypeId,
        /// Its initialiser.
        init: InitListId,
    },
    /// `sizeof e`.
    SizeofExpr(ExprId),
    /// `sizeof(ty)`.
    SizeofType(TypeId),
    /// `__alignof__ e`, `_Alignof e`.
    AlignofExpr {
        /// Never evaluated.
        operand: ExprId,
        /// As in `AlignofType`.
        preferred: bool,
    },
    /// `_Alignof(ty)`, `__alignof__(ty)`.
    AlignofType {
        /// The type.
        ty: TypeId,
        /// `__alignof__`: gcc's preferred alignment instead of the least that the ABI demands. They differ on i386
        /// for `double`, `long long` and their like (8 against 4).
        preferred: bool,
    },
    /// `({ ... })`; the statement is a compound.
    Stmt(StmtId),
    /// `&&label`.
    LabelAddress(Symbol),
    /// `_Generic(control, ...)`.
    Generic {
        /// Never evaluated.
        control: ExprId,
        /// At least one.
        arms: List<GenericArm>,
    },
    /// `__builtin_offsetof(ty, a.b[1])`.
    Offsetof {
        /// The aggregate.
        ty: TypeId,
        /// The path into it; the first is a field.
        path: List<Designator>,
    },
    /// `__builtin_va_arg(list, ty)`.
    VaArg {
        /// The `va_list`.
        list: ExprId,
        /// The type of the argument taken.
        ty: TypeId,
    },
    /// `__builtin_types_compatible_p(left, right)`.
    TypesCompatible {
        /// One type.
        left: TypeId,
        /// The other.
        right: TypeId,
    },
    /// `__builtin_choose_expr(cond, then, other)`.
    ChooseExpr {
        /// A constant.
        cond: ExprId,
        /// Chosen if it is not zero.
        then: ExprId,
        /// Chosen if it is zero.
        other: ExprId,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`; conjugation of complex numbers
    BitNot,
    /// `!`
    Not,
    /// `&`
    AddressOf,
    /// `*`
    Deref,
    /// `++x`
    PreInc,
    /// `--x`
    PreDec,
    /// `x++`
    PostInc,
    /// `x--`
    PostDec,
    /// `__real__`
    Real,
    /// `__imag__`
    Imag,
}

/// Operators with two operands, except assignment and comma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl BinaryOp {
    /// How it is written in C.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

/// How an integer literal was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// `0b101`
    Binary,
    /// `017`, `0`
    Octal,
    /// `15`
    Decimal,
    /// `0xf`
    Hex,
}

/// The suffix of an integer literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IntSuffix {
    /// `u`
    pub unsigned: bool,
    /// `l` or `ll`
    pub size: IntSize,
    /// `i` or `j`
    pub imaginary: bool,
}

/// The length part of an integer suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IntSize {
    /// No suffix
    #[default]
    Int,
    /// `l`
    Long,
    /// `ll`
    LongLong,
}

/// The suffix of a floating literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatSuffix {
    /// None: `double`
    Double,
    /// `f`
    Float,
    /// `l`, and gcc's `w` on x86
    LongDouble,
    /// `q` or `f128`
    Float128,
    /// `f16`
    Float16,
    /// `f32`
    Float32,
    /// `f64`
    Float64,
    /// `f32x`
    Float32x,
    /// `f64x`
    Float64x,
}

/// The prefix of a character or string literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// None
    Narrow,
    /// `u8`
    Utf8,
    /// `u`
    Utf16,
    /// `U`
    Utf32,
    /// `L`
    Wide,
}

/// A string literal after concatenation and escapes; [`super::Ast::string_bytes`] has its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StringLit {
    /// Its element type.
    pub encoding: Encoding,
    pub(crate) start: u32,
    pub(crate) len: u32,
    /// From the first opening to the last closing quote.
    pub span: Span,
}

/// One association of `_Generic`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GenericArm {
    /// `None` is `default`.
    pub ty: Option<TypeId>,
    /// The value.
    pub value: ExprId,
}

/// A step into an aggregate, in initialisers and `offsetof`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Designator {
    /// `.name`, or the old `name:`
    Field(Symbol),
    /// `[index]`
    Index(ExprId),
    /// `[low ... high]`
    Range(ExprId, ExprId),
}

/// An initialiser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Init {
    /// `= e`
    Expr(ExprId),
    /// `= { ... }`
    List(InitListId),
}

/// `{ a, .b = c, ... }`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitList {
    /// The elements in order.
    pub items: List<InitItem>,
    /// With the braces.
    pub span: Span,
}

/// One element of a braced initialiser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitItem {
    /// Where it goes; empty for "the next place".
    pub designators: List<Designator>,
    /// What goes there.
    pub init: Init,
}
