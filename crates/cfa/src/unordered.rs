//! Parts of expressions between which C does not decide, as lowering notes them.

use crate::expr::ExprId;
use crate::op::Op;
use crate::program::FunctionId;
use base::Span;

/// Two parts of an expression that C lets happen in either order.
#[derive(Clone, Debug)]
pub struct Unordered {
    /// Where.
    pub span: Span,
    /// In whose body.
    pub function: FunctionId,
    /// What happens first here.
    pub first: UnorderedPart,
    /// What happens next here.
    pub second: UnorderedPart,
}

/// A part of an expression.
#[derive(Clone, Debug, Default)]
pub struct UnorderedPart {
    /// What it does.
    pub ops: Vec<Op>,
    /// What it evaluates to.
    pub values: Vec<ExprId>,
    /// Pointers to aggregates that it reads.
    pub aggregates: Vec<ExprId>,
    /// Whether a target lies in it.
    pub target: bool,
    /// Whether there is more in it than is listed.
    pub large: bool,
}
