//! Statements.

use super::{AsmId, Attr, DeclId, ExprId, ForId, List, StmtId, StringId};
use base::{Span, Symbol};

/// A statement and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// From its first byte (the keyword, for loops) to its `;` or `}`.
    pub span: Span,
}

/// All forms of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// Stands where an error was reported.
    Error,
    /// `;`, also after statement attributes like `fallthrough`.
    Empty {
        /// `__attribute__((fallthrough));`
        attrs: List<Attr>,
    },
    /// `e;`
    Expr(ExprId),
    /// A declaration in a block; also `_Static_assert`.
    Decl(DeclId),
    /// `__label__ a, b;`
    LocalLabels(List<Symbol>),
    /// `{ ... }`
    Compound(List<StmtId>),
    /// `if (cond) then else other`; long `else if` chains nest in `other`.
    If {
        /// The condition.
        cond: ExprId,
        /// If it holds.
        then: StmtId,
        /// If it does not.
        other: Option<StmtId>,
    },
    /// `while (cond) body`
    While {
        /// The condition.
        cond: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do body while (cond);`
    DoWhile {
        /// The body.
        body: StmtId,
        /// The condition.
        cond: ExprId,
    },
    /// `for (...) body`
    For {
        /// What stands in the parentheses.
        head: ForId,
        /// The body.
        body: StmtId,
    },
    /// `switch (value) body`
    Switch {
        /// The value.
        value: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `case 1: case 2 ... 4: default: name: body`: one or more labels in a row before a statement that has no label
    /// itself. A label right before `}` gets an empty body.
    Labeled {
        /// In order, never empty.
        labels: List<Label>,
        /// What they label; never itself `Labeled`. May be a declaration, whose names then belong to the block around.
        body: StmtId,
    },
    /// `goto name;`
    Goto(Symbol),
    /// `goto *e;`
    GotoComputed(ExprId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<ExprId>),
    /// `asm(...);`
    Asm(AsmId),
}

/// One label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// What it is.
    pub kind: LabelKind,
    /// Up to and with the colon.
    pub span: Span,
}

/// All forms of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelKind {
    /// `case low:`
    Case(ExprId),
    /// `case low ... high:`
    Range(ExprId, ExprId),
    /// `default:`
    Default,
    /// `name: __attribute__((unused))`
    Name {
        /// The label.
        name: Symbol,
        /// Its attributes.
        attrs: List<Attr>,
    },
}

/// The head of a `for`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct For {
    /// First part.
    pub init: ForInit,
    /// Second part; absent means forever.
    pub cond: Option<ExprId>,
    /// Third part.
    pub step: Option<ExprId>,
}

/// The first part of a `for`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForInit {
    /// `for (;`
    None,
    /// `for (i = 0;`
    Expr(ExprId),
    /// `for (int i = 0;`
    Decl(DeclId),
}

/// `asm volatile goto ("template" : outputs : inputs : clobbers : labels)`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asm {
    /// `volatile`
    pub volatile: bool,
    /// `goto`
    pub goto: bool,
    /// Whether there is any `:` after the template.
    pub extended: bool,
    /// The template.
    pub template: StringId,
    /// The outputs.
    pub outputs: List<AsmOperand>,
    /// The inputs.
    pub inputs: List<AsmOperand>,
    /// The clobbers.
    pub clobbers: List<StringId>,
    /// The labels of `asm goto`.
    pub labels: List<Symbol>,
}

/// `[name] "constraint" (value)`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AsmOperand {
    /// The symbolic name.
    pub name: Option<Symbol>,
    /// The constraint.
    pub constraint: StringId,
    /// The operand.
    pub value: ExprId,
}
