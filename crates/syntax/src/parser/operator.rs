//! Operators: how tight they bind, and the frames that wait for their operands.

use crate::ast::{BinaryOp, TypeId, UnaryOp};
use crate::token::Tok;

/// What waits for an operand.
#[derive(Clone, Copy)]
pub(super) enum Frame {
    Prefix {
        op: UnaryOp,
        start: u32,
    },
    Extension {
        start: u32,
    },
    Sizeof {
        start: u32,
    },
    Alignof {
        start: u32,
        preferred: bool,
    },
    Cast {
        ty: TypeId,
        start: u32,
    },
    Binary {
        op: BinaryOp,
        level: Level,
    },
    Assign {
        op: Option<BinaryOp>,
    },
    /// After `cond ? then :`.
    Else,
    /// After `cond ?:`.
    ElvisElse,
    Comma,
    /// After `cond ?`: closed by `:`.
    Then,
    Paren {
        start: u32,
    },
    /// `args` is the mark of the arguments so far.
    Call {
        args: u32,
    },
    Index,
}

/// Binding strength, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Brackets: nothing outside reduces through them.
    Bracket,
    Comma,
    Assign,
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Prefix,
}

impl Frame {
    pub(super) fn level(self) -> Level {
        match self {
            Frame::Prefix { .. }
            | Frame::Extension { .. }
            | Frame::Sizeof { .. }
            | Frame::Alignof { .. }
            | Frame::Cast { .. } => Level::Prefix,
            Frame::Binary { level, .. } => level,
            Frame::Assign { .. } => Level::Assign,
            Frame::Else | Frame::ElvisElse => Level::Conditional,
            Frame::Comma => Level::Comma,
            Frame::Then | Frame::Paren { .. } | Frame::Call { .. } | Frame::Index => Level::Bracket,
        }
    }
}

/// The binary operator of a token.
pub(super) fn binary(kind: Tok) -> Option<(BinaryOp, Level)> {
    Some(match kind {
        Tok::Star => (BinaryOp::Mul, Level::Product),
        Tok::Slash => (BinaryOp::Div, Level::Product),
        Tok::Percent => (BinaryOp::Rem, Level::Product),
        Tok::Plus => (BinaryOp::Add, Level::Sum),
        Tok::Minus => (BinaryOp::Sub, Level::Sum),
        Tok::Shl => (BinaryOp::Shl, Level::Shift),
        Tok::Shr => (BinaryOp::Shr, Level::Shift),
        Tok::Lt => (BinaryOp::Lt, Level::Relation),
        Tok::Gt => (BinaryOp::Gt, Level::Relation),
        Tok::Le => (BinaryOp::Le, Level::Relation),
        Tok::Ge => (BinaryOp::Ge, Level::Relation),
        Tok::EqEq => (BinaryOp::Eq, Level::Equality),
        Tok::Ne => (BinaryOp::Ne, Level::Equality),
        Tok::Amp => (BinaryOp::BitAnd, Level::BitAnd),
        Tok::Caret => (BinaryOp::BitXor, Level::BitXor),
        Tok::Pipe => (BinaryOp::BitOr, Level::BitOr),
        Tok::AmpAmp => (BinaryOp::And, Level::And),
        Tok::PipePipe => (BinaryOp::Or, Level::Or),
        _ => return None,
    })
}

/// The assignment operator of a token.
pub(super) fn assignment(kind: Tok) -> Option<Option<BinaryOp>> {
    Some(match kind {
        Tok::Assign => None,
        Tok::StarAssign => Some(BinaryOp::Mul),
        Tok::SlashAssign => Some(BinaryOp::Div),
        Tok::PercentAssign => Some(BinaryOp::Rem),
        Tok::PlusAssign => Some(BinaryOp::Add),
        Tok::MinusAssign => Some(BinaryOp::Sub),
        Tok::ShlAssign => Some(BinaryOp::Shl),
        Tok::ShrAssign => Some(BinaryOp::Shr),
        Tok::AmpAssign => Some(BinaryOp::BitAnd),
        Tok::CaretAssign => Some(BinaryOp::BitXor),
        Tok::PipeAssign => Some(BinaryOp::BitOr),
        _ => return None,
    })
}
