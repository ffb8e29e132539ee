//! Primary expressions with a grammar of their own (`_Generic`, `__builtin_offsetof`, ...), and strings.

use super::{Parse, Parser, take_list};
use crate::ast::{Designator, Encoding, ExprKind, GenericArm, StringId, StringLit};
use crate::literal::{decode, split_quoted};
use crate::token::Tok;

impl Parser<'_> {
    /// A primary expression that starts with a keyword.
    pub(super) fn builtin(&mut self) -> Parse<ExprKind> {
        match self.token.kind {
            Tok::Generic => self.deeper(Self::generic),
            Tok::Offsetof => self.deeper(Self::offsetof),
            Tok::VaArg => self.deeper(Self::va_arg),
            Tok::TypesCompatible => self.deeper(Self::types_compatible),
            Tok::ChooseExpr => self.deeper(Self::choose_expr),
            _ => Err(self.expected("an expression")),
        }
    }

    /// Takes the keyword and the parenthesis after it.
    fn open_builtin(&mut self) -> Parse<()> {
        self.advance();
        self.expect(Tok::LParen).map(drop)
    }

    fn generic(&mut self) -> Parse<ExprKind> {
        self.open_builtin()?;
        let control = self.assignment_expression()?;
        let mark = self.stacks.generic_arms.len();
        while self.eat(Tok::Comma) {
            let ty = if self.eat(Tok::Default) { None } else { Some(self.type_name()?) };
            self.expect(Tok::Colon)?;
            let value = self.assignment_expression()?;
            self.stacks.generic_arms.push(GenericArm { ty, value });
        }
        if self.stacks.generic_arms.len() == mark {
            return Err(self.expected(Tok::Comma.describe()));
        }
        self.expect(Tok::RParen)?;
        Ok(ExprKind::Generic { control, arms: take_list!(self, generic_arms, mark) })
    }

    fn offsetof(&mut self) -> Parse<ExprKind> {
        self.open_builtin()?;
        let ty = self.type_name()?;
        self.expect(Tok::Comma)?;
        let mark = self.stacks.designators.len();
        let field = self.expect(Tok::Ident)?.symbol;
        self.stacks.designators.push(Designator::Field(field));
        loop {
            let designator = match self.token.kind {
                Tok::Dot => {
                    self.advance();
                    Designator::Field(self.expect(Tok::Ident)?.symbol)
                }
                Tok::LBracket => {
                    self.advance();
                    let index = self.expression()?;
                    self.expect(Tok::RBracket)?;
                    Designator::Index(index)
                }
                _ => break,
            };
            self.stacks.designators.push(designator);
        }
        self.expect(Tok::RParen)?;
        Ok(ExprKind::Offsetof { ty, path: take_list!(self, designators, mark) })
    }

    fn va_arg(&mut self) -> Parse<ExprKind> {
        self.open_builtin()?;
        let list = self.assignment_expression()?;
        self.expect(Tok::Comma)?;
        let ty = self.type_name()?;
        self.expect(Tok::RParen)?;
        Ok(ExprKind::VaArg { list, ty })
    }

    fn types_compatible(&mut self) -> Parse<ExprKind> {
        self.open_builtin()?;
        let left = self.type_name()?;
        self.expect(Tok::Comma)?;
        let right = self.type_name()?;
        self.expect(Tok::RParen)?;
        Ok(ExprKind::TypesCompatible { left, right })
    }

    fn choose_expr(&mut self) -> Parse<ExprKind> {
        self.open_builtin()?;
        let cond = self.assignment_expression()?;
        self.expect(Tok::Comma)?;
        let then = self.assignment_expression()?;
        self.expect(Tok::Comma)?;
        let other = self.assignment_expression()?;
        self.expect(Tok::RParen)?;
        Ok(ExprKind::ChooseExpr { cond, then, other })
    }

    /// One or more adjacent string tokens.
    pub(super) fn string(&mut self) -> Parse<StringId> {
        let start = self.expect(Tok::String)?.span;
        let mark = self.stacks.string_spans.len();
        self.stacks.string_spans.push(start);
        while self.at(Tok::String) {
            let span = self.advance().span;
            self.stacks.string_spans.push(span);
        }
        let encoding = self.common_encoding(mark);
        let from = self.ast.string_bytes.len();
        for index in mark..self.stacks.string_spans.len() {
            let span = self.stacks.string_spans[index];
            let content = split_quoted(self.lexer.snippet(span)).1;
            if let Err(message) = decode(content, encoding, &mut self.ast.string_bytes) {
                self.error(span, message);
            }
        }
        self.stacks.string_spans.truncate(mark);
        let len = (self.ast.string_bytes.len() - from) as u32;
        let span = self.span_from(start.start);
        Ok(self.ast.strings.push(StringLit { encoding, start: from as u32, len, span }))
    }

    /// The one prefix among the string tokens above `mark`; parts without prefix adapt to it.
    fn common_encoding(&mut self, mark: usize) -> Encoding {
        let mut common = Encoding::Narrow;
        for index in mark..self.stacks.string_spans.len() {
            let span = self.stacks.string_spans[index];
            let (encoding, _) = split_quoted(self.lexer.snippet(span));
            if common == Encoding::Narrow {
                common = encoding;
            } else if encoding != Encoding::Narrow && encoding != common {
                self.error(span, "adjacent strings with different prefixes");
            }
        }
        common
    }
}
