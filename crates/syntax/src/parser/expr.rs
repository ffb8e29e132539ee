//! Expressions: operator precedence with two explicit stacks, so that neither chains nor brackets recurse.
//!
//! The machine alternates between *wanting an operand* (prefix operators and open brackets push frames, a
//! primary pushes an operand) and *having one* (postfix operators apply, a binary operator first reduces all
//! frames that bind tighter). A bracket frame separates what is inside it from what is outside.

use super::operator::{Frame, Level, assignment, binary};
use super::{Failed, Parse, Parser, take_list};
use crate::ast::{ExprId, ExprKind, TypeId, UnaryOp};
use crate::token::Tok;
use base::Span;

/// A finished operand; `start` includes parentheses around it.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    id: ExprId,
    start: u32,
}

/// Whether a finished operand may be followed by a postfix operator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// A primary or postfix expression.
    Postfix,
    /// A unary expression without operand expression, like `sizeof(int)` or `&&label`.
    Unary,
    /// Nothing finished: another operand is wanted.
    Operand,
    /// The expression is complete.
    End,
}

impl Parser<'_> {
    /// `a, b`
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        self.expression_at(Level::Comma)
    }

    /// An expression without comma outside of brackets.
    pub(super) fn assignment_expression(&mut self) -> Parse<ExprId> {
        self.expression_at(Level::Assign)
    }

    /// An expression without comma and assignment outside of brackets, as constants are.
    pub(super) fn conditional_expression(&mut self) -> Parse<ExprId> {
        self.expression_at(Level::Conditional)
    }

    fn expression_at(&mut self, least: Level) -> Parse<ExprId> {
        let base = self.stacks.frames.len();
        let mut after = After::Operand;
        while after != After::End {
            after = match after {
                After::Operand => self.operand()?,
                After::Postfix => self.postfix()?,
                After::Unary => self.operator(base, least)?,
                After::End => After::End,
            };
        }
        Ok(self.pop_operand().id)
    }

    /// Wanting an operand: takes a prefix operator, an open bracket or a primary expression.
    fn operand(&mut self) -> Parse<After> {
        let token = self.token;
        let start = token.span.start;
        let op = match token.kind {
            Tok::Ident if !self.scopes.is_type(token.symbol) => {
                self.advance();
                return Ok(self.primary(ExprKind::Name(token.symbol), start));
            }
            Tok::Number => return self.number(),
            Tok::LParen => return self.open_paren(),
            Tok::Char => return self.character(),
            Tok::String => {
                let string = self.string()?;
                return Ok(self.primary(ExprKind::String(string), start));
            }
            Tok::Star => UnaryOp::Deref,
            Tok::Amp => UnaryOp::AddressOf,
            Tok::Minus => UnaryOp::Minus,
            Tok::Plus => UnaryOp::Plus,
            Tok::Bang => UnaryOp::Not,
            Tok::Tilde => UnaryOp::BitNot,
            Tok::PlusPlus => UnaryOp::PreInc,
            Tok::MinusMinus => UnaryOp::PreDec,
            Tok::Real => UnaryOp::Real,
            Tok::Imag => UnaryOp::Imag,
            Tok::Sizeof => return self.measure(Frame::Sizeof { start }),
            Tok::Alignof => return self.measure(Frame::Alignof { start, preferred: false }),
            Tok::AlignofPreferred => return self.measure(Frame::Alignof { start, preferred: true }),
            Tok::Extension => {
                self.advance();
                self.stacks.frames.push(Frame::Extension { start });
                return Ok(After::Operand);
            }
            Tok::AmpAmp => {
                self.advance();
                let label = self.expect(Tok::Ident)?;
                self.primary(ExprKind::LabelAddress(label.symbol), start);
                return Ok(After::Unary);
            }
            _ => {
                let kind = self.builtin()?;
                return Ok(self.primary(kind, start));
            }
        };
        self.advance();
        self.stacks.frames.push(Frame::Prefix { op, start });
        Ok(After::Operand)
    }

    /// Pushes a primary expression that ends with the last token taken.
    fn primary(&mut self, kind: ExprKind, start: u32) -> After {
        let id = self.new_expr(kind, self.span_from(start));
        self.stacks.operands.push(Operand { id, start });
        After::Postfix
    }

    /// `(`: a parenthesis, a cast, a compound literal or a statement expression.
    fn open_paren(&mut self) -> Parse<After> {
        let start = self.token.span.start;
        let next = self.peek();
        if next.kind == Tok::LBrace {
            self.advance();
            let body = self.deeper(|parser| parser.compound())?;
            self.expect(Tok::RParen)?;
            return Ok(self.primary(ExprKind::Stmt(body), start));
        }
        if !self.is_type_start(next) {
            self.advance();
            self.stacks.frames.push(Frame::Paren { start });
            return Ok(After::Operand);
        }
        let ty = self.parenthesised_type()?;
        if self.at(Tok::LBrace) {
            let init = self.init_list()?;
            return Ok(self.primary(ExprKind::CompoundLiteral { ty, init }, start));
        }
        self.stacks.frames.push(Frame::Cast { ty, start });
        Ok(After::Operand)
    }

    /// `sizeof` and its like: of a type in parentheses or of an operand.
    fn measure(&mut self, frame: Frame) -> Parse<After> {
        let start = self.advance().span.start;
        if !self.at(Tok::LParen) || !self.is_type_next() {
            self.stacks.frames.push(frame);
            return Ok(After::Operand);
        }
        let paren = self.token.span.start;
        let ty = self.parenthesised_type()?;
        if self.at(Tok::LBrace) {
            // `sizeof (T){ 1 }`: the operand is a compound literal.
            let init = self.init_list()?;
            self.stacks.frames.push(frame);
            return Ok(self.primary(ExprKind::CompoundLiteral { ty, init }, paren));
        }
        let kind = match frame {
            Frame::Alignof { preferred, .. } => ExprKind::AlignofType { ty, preferred },
            _ => ExprKind::SizeofType(ty),
        };
        self.primary(kind, start);
        // Prefix operators before it must be applied, but no postfix operator may follow.
        Ok(After::Unary)
    }

    /// `( type-name )`
    pub(super) fn parenthesised_type(&mut self) -> Parse<TypeId> {
        self.expect(Tok::LParen)?;
        let ty = self.deeper(|parser| parser.type_name())?;
        self.expect(Tok::RParen)?;
        Ok(ty)
    }

    /// Having a postfix expression: takes one postfix operator, if there is one.
    fn postfix(&mut self) -> Parse<After> {
        match self.token.kind {
            Tok::LParen => {
                self.advance();
                let args = self.stacks.exprs.len() as u32;
                if self.eat(Tok::RParen) {
                    return Ok(self.finish_call(args));
                }
                self.stacks.frames.push(Frame::Call { args });
                Ok(After::Operand)
            }
            Tok::LBracket => {
                self.advance();
                self.stacks.frames.push(Frame::Index);
                Ok(After::Operand)
            }
            kind @ (Tok::Dot | Tok::Arrow) => {
                self.advance();
                let name = self.expect(Tok::Ident)?.symbol;
                let operand = self.pop_operand();
                let arrow = kind == Tok::Arrow;
                Ok(self.primary(ExprKind::Member { base: operand.id, name, arrow }, operand.start))
            }
            kind @ (Tok::PlusPlus | Tok::MinusMinus) => {
                self.advance();
                let operand = self.pop_operand();
                let op = if kind == Tok::PlusPlus { UnaryOp::PostInc } else { UnaryOp::PostDec };
                Ok(self.primary(ExprKind::Unary { op, operand: operand.id }, operand.start))
            }
            _ => Ok(After::Unary),
        }
    }

    fn finish_call(&mut self, args: u32) -> After {
        let args = take_list!(self, exprs, args as usize);
        let callee = self.pop_operand();
        self.primary(ExprKind::Call { callee: callee.id, args }, callee.start)
    }

    /// Having a unary expression: takes a binary operator or closes a bracket, reducing what binds tighter.
    fn operator(&mut self, base: usize, least: Level) -> Parse<After> {
        let kind = self.token.kind;
        let (frame, level) = match kind {
            Tok::Comma => (Frame::Comma, Level::Comma),
            Tok::Question => (Frame::Then, Level::Conditional),
            _ => match (binary(kind), assignment(kind)) {
                (Some((op, level)), _) => (Frame::Binary { op, level }, level),
                (None, Some(op)) => (Frame::Assign { op }, Level::Assign),
                (None, None) => return self.close(base),
            },
        };
        // Left-associative operators also reduce their own level.
        let right = matches!(level, Level::Assign | Level::Conditional);
        self.reduce(base, level, if right { Keep::Equal } else { Keep::Looser });
        match self.innermost(base) {
            Some(Frame::Call { .. }) if kind == Tok::Comma => {
                self.advance();
                let argument = self.pop_operand();
                self.stacks.exprs.push(argument.id);
                return Ok(After::Operand);
            }
            None if level < least => return Ok(After::End),
            _ => {}
        }
        self.advance();
        let elvis = kind == Tok::Question && self.eat(Tok::Colon);
        self.stacks.frames.push(if elvis { Frame::ElvisElse } else { frame });
        Ok(After::Operand)
    }

    /// No operator follows: closes the innermost bracket, or ends the expression if there is none.
    fn close(&mut self, base: usize) -> Parse<After> {
        self.reduce(base, Level::Comma, Keep::Looser);
        let Some(frame) = self.innermost(base) else { return Ok(After::End) };
        match frame {
            Frame::Paren { start } => {
                self.expect(Tok::RParen)?;
                self.stacks.frames.pop();
                if let Some(operand) = self.stacks.operands.last_mut() {
                    operand.start = start;
                }
                Ok(After::Postfix)
            }
            Frame::Call { args } => {
                if !self.at(Tok::RParen) {
                    return Err(self.expected("',' or ')' in a call"));
                }
                self.advance();
                self.stacks.frames.pop();
                let argument = self.pop_operand();
                self.stacks.exprs.push(argument.id);
                Ok(self.finish_call(args))
            }
            Frame::Index => {
                self.expect(Tok::RBracket)?;
                self.stacks.frames.pop();
                let index = self.pop_operand().id;
                let operand = self.pop_operand();
                Ok(self.primary(ExprKind::Index { base: operand.id, index }, operand.start))
            }
            _ => {
                self.expect(Tok::Colon)?;
                self.stacks.frames.pop();
                self.stacks.frames.push(Frame::Else);
                Ok(After::Operand)
            }
        }
    }

    /// The innermost frame of this expression that is left after reducing.
    fn innermost(&self, base: usize) -> Option<Frame> {
        self.stacks.frames[base..].last().copied()
    }

    /// Applies the frames above `base` that bind tighter than `level`, or as tight.
    fn reduce(&mut self, base: usize, level: Level, keep: Keep) {
        while let Some(frame) = self.innermost(base) {
            let tighter = frame.level() > level || frame.level() == level && keep == Keep::Looser;
            if !tighter {
                return;
            }
            self.stacks.frames.pop();
            self.apply(frame);
        }
    }

    fn apply(&mut self, frame: Frame) {
        let last = self.pop_operand();
        let (kind, start) = match frame {
            Frame::Extension { start } => {
                self.stacks.operands.push(Operand { id: last.id, start });
                return;
            }
            Frame::Prefix { op, start } => (ExprKind::Unary { op, operand: last.id }, start),
            Frame::Sizeof { start } => (ExprKind::SizeofExpr(last.id), start),
            Frame::Alignof { start, preferred } => (ExprKind::AlignofExpr { operand: last.id, preferred }, start),
            Frame::Cast { ty, start } => (ExprKind::Cast { ty, operand: last.id }, start),
            Frame::Binary { op, .. } => {
                let left = self.pop_operand();
                (ExprKind::Binary { op, left: left.id, right: last.id }, left.start)
            }
            Frame::Assign { op } => {
                let target = self.pop_operand();
                (ExprKind::Assign { op, target: target.id, value: last.id }, target.start)
            }
            Frame::Comma => {
                let left = self.pop_operand();
                (ExprKind::Comma { left: left.id, right: last.id }, left.start)
            }
            Frame::ElvisElse => {
                let cond = self.pop_operand();
                (ExprKind::Elvis { cond: cond.id, other: last.id }, cond.start)
            }
            Frame::Else => {
                let then = self.pop_operand();
                let cond = self.pop_operand();
                (ExprKind::Conditional { cond: cond.id, then: then.id, other: last.id }, cond.start)
            }
            Frame::Then | Frame::Paren { .. } | Frame::Call { .. } | Frame::Index => {
                unreachable!("brackets are closed by their own token")
            }
        };
        self.primary(kind, start);
    }

    fn pop_operand(&mut self) -> Operand {
        self.stacks.operands.pop().expect("every frame has its operands")
    }

    fn number(&mut self) -> Parse<After> {
        use crate::literal::Number;
        let span = self.token.span;
        let kind = match crate::literal::number(self.lexer.snippet(span)) {
            Ok(Number::Int { value, base, suffix }) => ExprKind::Int { value, base, suffix },
            Ok(Number::Float { text, suffix, imaginary }) => {
                ExprKind::Float { text: self.lexer.names.intern(text), suffix, imaginary }
            }
            Err(message) => self.bad_literal(span, message),
        };
        self.advance();
        Ok(self.primary(kind, span.start))
    }

    fn character(&mut self) -> Parse<After> {
        let span = self.token.span;
        let kind = match crate::literal::character(self.lexer.snippet(span)) {
            Ok((value, encoding)) => ExprKind::Char { value, encoding },
            Err(message) => self.bad_literal(span, message),
        };
        self.advance();
        Ok(self.primary(kind, span.start))
    }

    /// A broken literal does not break the syntax around it.
    fn bad_literal(&mut self, span: Span, message: String) -> ExprKind {
        let Failed = self.error(span, message);
        ExprKind::Error
    }
}

/// What stays on the stack when an operator comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Frames of the same level, too: the operator associates to the right.
    Equal,
    /// Only looser frames.
    Looser,
}
