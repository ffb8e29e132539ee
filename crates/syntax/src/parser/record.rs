//! Struct, union and enum specifiers.

use super::specs::Position;
use super::{Parse, Parser, take_list};
use crate::ast::{
    Decl, DeclId, DeclKind, Declarator, DeclaratorId, EnumId, EnumSpec, Enumerator, List, Record, RecordId, RecordKind,
    TypeKind,
};
use crate::scope::Meaning;
use crate::token::Tok;
use base::{Span, Symbol};

impl Parser<'_> {
    /// `struct tag { members }`
    pub(super) fn record(&mut self) -> Parse<RecordId> {
        let keyword = self.advance();
        let kind = if keyword.kind == Tok::Struct { RecordKind::Struct } else { RecordKind::Union };
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = self.tag()?;
        let mut members = None;
        let mut span = self.span_from(keyword.span.start);
        // As gcc: what counts is the limit where the definition ends.
        let mut pack = None;
        if self.eat(Tok::LBrace) {
            members = Some(self.members()?);
            pack = self.lexer.pack.current;
            self.expect(Tok::RBrace)?;
            span = self.span_from(keyword.span.start);
            self.attributes(&mut attrs)?;
        }
        let attrs = self.ast.list(&attrs);
        Ok(self.ast.records.push(Record { kind, tag, members, pack, attrs, span }))
    }

    /// The tag, which may only be left out before a `{`.
    fn tag(&mut self) -> Parse<Option<Symbol>> {
        if self.at(Tok::Ident) {
            return Ok(Some(self.advance().symbol));
        }
        if self.at(Tok::LBrace) { Ok(None) } else { Err(self.expected("a tag or '{'")) }
    }

    fn members(&mut self) -> Parse<List<DeclId>> {
        let mark = self.stacks.decls.len();
        while !matches!(self.token.kind, Tok::RBrace | Tok::Eof) {
            if self.eat(Tok::Semi) {
                continue;
            }
            let heights = self.heights();
            match self.member() {
                Ok(member) => self.stacks.decls.push(member),
                Err(_) => {
                    self.cut_back(heights);
                    self.skip_broken();
                }
            }
        }
        Ok(take_list!(self, decls, mark))
    }

    fn member(&mut self) -> Parse<DeclId> {
        if self.at(Tok::StaticAssert) {
            return self.static_assert();
        }
        let start = self.token.span.start;
        while self.eat(Tok::Extension) {}
        let specs = self.specs(Position::Member, Vec::new())?;
        if self.ast[specs.ty].kind == TypeKind::Implicit {
            return Err(self.expected("a member declaration"));
        }
        let mark = self.stacks.declarators.len();
        if !matches!(self.token.kind, Tok::Semi | Tok::RBrace) {
            loop {
                let declarator = self.member_declarator(specs.ty)?;
                self.stacks.declarators.push(declarator);
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        // gcc lets the last member go without its semicolon.
        if !self.at(Tok::RBrace) {
            self.expect(Tok::Semi)?;
        }
        let declarators = take_list!(self, declarators, mark);
        let span = self.span_from(start);
        Ok(self.ast.decls.push(Decl { kind: DeclKind::Declaration { specs, declarators }, span }))
    }

    /// `name`, `name : width` or `: width`
    fn member_declarator(&mut self, base: crate::ast::TypeId) -> Parse<DeclaratorId> {
        let start = self.token.span.start;
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let (mut name, mut name_span, mut ty) = (None, Span { start, end: start }, base);
        if !self.at(Tok::Colon) {
            let declared = self.declarator(base, &mut attrs)?;
            (name, name_span, ty) = (Some(declared.name), declared.name_span, declared.ty);
        }
        let width = if self.eat(Tok::Colon) { Some(self.conditional_expression()?) } else { None };
        self.attributes(&mut attrs)?;
        let attrs = self.ast.list(&attrs);
        let span = self.span_from(start);
        let declarator = Declarator { name, name_span, ty, attrs, asm_label: None, width, init: None, span };
        Ok(self.ast.declarators.push(declarator))
    }

    /// `enum tag { A, B = 2 }`
    pub(super) fn enumeration(&mut self) -> Parse<EnumId> {
        let start = self.advance().span.start;
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = self.tag()?;
        let mut items = None;
        let mut span = self.span_from(start);
        if self.eat(Tok::LBrace) {
            items = Some(self.enumerators()?);
            span = self.span_from(start);
            self.attributes(&mut attrs)?;
        }
        let attrs = self.ast.list(&attrs);
        Ok(self.ast.enums.push(EnumSpec { tag, items, attrs, span }))
    }

    fn enumerators(&mut self) -> Parse<List<Enumerator>> {
        let mark = self.stacks.enumerators.len();
        while !self.at(Tok::RBrace) {
            let name = self.expect(Tok::Ident)?;
            let mut attrs = Vec::new();
            self.attributes(&mut attrs)?;
            let value = if self.eat(Tok::Assign) { Some(self.conditional_expression()?) } else { None };
            self.scopes.declare(name.symbol, Meaning::Ordinary);
            let attrs = self.ast.list(&attrs);
            let span = self.span_from(name.span.start);
            self.stacks.enumerators.push(Enumerator { name: name.symbol, value, attrs, span });
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        if !self.at(Tok::RBrace) {
            return Err(self.expected("',' or '}' in an enum"));
        }
        self.advance();
        Ok(take_list!(self, enumerators, mark))
    }
}
