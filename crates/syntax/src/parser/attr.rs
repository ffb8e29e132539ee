//! `__attribute__((...))` and `asm("label")`.

use super::{Parse, Parser, take_list};
use crate::ast::{Attr, AttrArg, ExprKind, List, StringId};
use crate::token::Tok;
use base::Symbol;

impl Parser<'_> {
    /// Appends the attributes that stand here, if any.
    pub(super) fn attributes(&mut self, attrs: &mut Vec<Attr>) -> Parse<()> {
        while self.at(Tok::Attribute) {
            self.advance();
            self.expect(Tok::LParen)?;
            self.expect(Tok::LParen)?;
            while !self.at(Tok::RParen) {
                if !self.eat(Tok::Comma) {
                    attrs.push(self.attribute()?);
                    if !matches!(self.token.kind, Tok::Comma | Tok::RParen) {
                        return Err(self.expected("',' or ')' after an attribute"));
                    }
                }
            }
            self.expect(Tok::RParen)?;
            self.expect(Tok::RParen)?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parse<Attr> {
        let start = self.token.span.start;
        let name = self.attribute_name()?;
        let mut args = List::EMPTY;
        if self.eat(Tok::LParen) {
            args = self.deeper(Self::attribute_args)?;
        }
        Ok(Attr { name, args, span: self.span_from(start) })
    }

    /// Any word, keywords (`const`) included, without the underscores around it.
    fn attribute_name(&mut self) -> Parse<Symbol> {
        let text = self.lexer.snippet(self.token.span);
        if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || self.at(Tok::String) {
            return Err(self.expected("the name of an attribute"));
        }
        self.advance();
        let bare = text.strip_prefix("__").and_then(|text| text.strip_suffix("__")).unwrap_or(text);
        Ok(self.lexer.names.intern(bare))
    }

    fn attribute_args(&mut self) -> Parse<List<AttrArg>> {
        let mark = self.stacks.attr_args.len();
        while !self.at(Tok::RParen) {
            let word = self.at(Tok::Ident) && matches!(self.peek().kind, Tok::Comma | Tok::RParen);
            let arg = if word {
                // Also when it happens to be a typedef name: `mode(word)`.
                let token = self.advance();
                AttrArg::Expr(self.new_expr(ExprKind::Name(token.symbol), token.span))
            } else if self.is_type_start(self.token) {
                AttrArg::Type(self.type_name()?)
            } else {
                AttrArg::Expr(self.assignment_expression()?)
            };
            self.stacks.attr_args.push(arg);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::RParen)?;
        Ok(take_list!(self, attr_args, mark))
    }

    /// `asm("symbol")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Parse<Option<StringId>> {
        if !self.eat(Tok::Asm) {
            return Ok(None);
        }
        self.expect(Tok::LParen)?;
        let label = self.string()?;
        self.expect(Tok::RParen)?;
        Ok(Some(label))
    }
}
