//! The file, declarations and function definitions.

use super::declarator::Declared;
use super::specs::Position;
use super::{Parse, Parser, take_list};
use crate::ast::{Attr, Decl, DeclId, DeclKind, Declarator, DeclaratorId, Params, Specs, Storage, TypeId, TypeKind};
use crate::scope::Meaning;
use crate::token::Tok;

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// In a file or block, where functions may be defined as well.
    Items,
    /// In the head of a function or a `for`.
    Head,
}

impl Parser<'_> {
    /// Everything up to the end of the text.
    pub(super) fn file(&mut self) {
        while !self.at(Tok::Eof) {
            if self.eat(Tok::Semi) {
                continue;
            }
            let heights = self.heights();
            match self.external_declaration() {
                Ok(decl) => self.ast.items.push(decl),
                Err(_) => {
                    self.cut_back(heights);
                    self.skip_broken();
                    self.eat(Tok::RBrace);
                }
            }
        }
    }

    fn external_declaration(&mut self) -> Parse<DeclId> {
        match self.token.kind {
            Tok::StaticAssert => self.static_assert(),
            Tok::Asm => {
                let start = self.token.span.start;
                let asm = self.asm()?;
                self.expect(Tok::Semi)?;
                Ok(self.new_decl(DeclKind::Asm(asm), start))
            }
            _ => {
                let start = self.token.span.start;
                // Only a marker that what follows is an extension.
                while self.eat(Tok::Extension) {}
                self.declaration(Scope::Items, start, Vec::new())
            }
        }
    }

    fn new_decl(&mut self, kind: DeclKind, start: u32) -> DeclId {
        let span = self.span_from(start);
        self.ast.decls.push(Decl { kind, span })
    }

    /// `_Static_assert(cond, "message");`
    pub(super) fn static_assert(&mut self) -> Parse<DeclId> {
        let start = self.advance().span.start;
        self.expect(Tok::LParen)?;
        let cond = self.conditional_expression()?;
        let message = if self.eat(Tok::Comma) { Some(self.string()?) } else { None };
        self.expect(Tok::RParen)?;
        self.expect(Tok::Semi)?;
        Ok(self.new_decl(DeclKind::StaticAssert { cond, message }, start))
    }

    /// A declaration or a function definition. `attrs` were read before it, from `start` on.
    pub(super) fn declaration(&mut self, scope: Scope, start: u32, attrs: Vec<Attr>) -> Parse<DeclId> {
        let specs = self.specs(Position::Declaration, attrs)?;
        let mark = self.stacks.declarators.len();
        if !self.at(Tok::Semi) {
            if !matches!(self.token.kind, Tok::Ident | Tok::Star | Tok::LParen | Tok::Attribute) {
                return Err(self.expected(match self.ast[specs.ty].kind {
                    TypeKind::Implicit => "a declaration",
                    _ => "an identifier, '*' or '('",
                }));
            }
            loop {
                let (declarator, declared) = self.init_declarator(&specs)?;
                let is_first = self.stacks.declarators.len() == mark;
                self.stacks.declarators.push(declarator);
                if is_first && self.is_definition(declared.ty) {
                    if scope == Scope::Head {
                        self.error(declared.name_span, "a function cannot be defined here");
                        self.skip_braces();
                        let declarators = take_list!(self, declarators, mark);
                        return Ok(self.new_decl(DeclKind::Declaration { specs, declarators }, start));
                    }
                    self.stacks.declarators.truncate(mark);
                    return self.function(specs, declarator, start);
                }
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        self.expect(Tok::Semi)?;
        let declarators = take_list!(self, declarators, mark);
        Ok(self.new_decl(DeclKind::Declaration { specs, declarators }, start))
    }

    /// `name asm("label") __attribute__((...)) = init`; the name is declared before its initialiser.
    fn init_declarator(&mut self, specs: &Specs) -> Parse<(DeclaratorId, Declared)> {
        let start = self.token.span.start;
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let declared = self.declarator(specs.ty, &mut attrs)?;
        self.attributes(&mut attrs)?;
        let asm_label = self.asm_label()?;
        self.attributes(&mut attrs)?;
        let is_typedef = specs.storage == Some(Storage::Typedef);
        self.scopes.declare(declared.name, if is_typedef { Meaning::Typedef } else { Meaning::Ordinary });
        let init = if self.eat(Tok::Assign) { Some(self.init()?) } else { None };
        let attrs = self.ast.list(&attrs);
        let declarator = Declarator {
            name: Some(declared.name),
            name_span: declared.name_span,
            ty: declared.ty,
            attrs,
            asm_label,
            width: None,
            init,
            span: self.span_from(start),
        };
        Ok((self.ast.declarators.push(declarator), declared))
    }

    /// Whether the body of a function, or the declarations of its K&R parameters, follow.
    fn is_definition(&self, ty: TypeId) -> bool {
        let TypeKind::Function { function, .. } = self.ast[ty].kind else { return false };
        let knr = matches!(self.ast[function].params, Params::Identifiers(_));
        self.at(Tok::LBrace) || knr && self.is_declaration_start(self.token)
    }

    /// The rest of a function definition.
    fn function(&mut self, specs: Specs, declarator: DeclaratorId, start: u32) -> Parse<DeclId> {
        if specs.storage == Some(Storage::Typedef) {
            return Err(self.error(self.ast[declarator].name_span, "a function with a body cannot be a typedef"));
        }
        self.scopes.enter();
        self.declare_params(self.ast[declarator].ty);
        let mark = self.stacks.decls.len();
        while self.is_declaration_start(self.token) {
            let start = self.token.span.start;
            let decl = self.declaration(Scope::Head, start, Vec::new())?;
            self.stacks.decls.push(decl);
        }
        let knr = take_list!(self, decls, mark);
        if !self.at(Tok::LBrace) {
            return Err(self.expected("a declaration or '{'"));
        }
        let body = self.compound()?;
        self.scopes.leave();
        Ok(self.new_decl(DeclKind::Function { specs, declarator, knr, body }, start))
    }

    /// Makes the parameters of a function known to its body.
    fn declare_params(&mut self, ty: TypeId) {
        let TypeKind::Function { function, .. } = self.ast[ty].kind else { return };
        match self.ast[function].params {
            Params::Unspecified => {}
            Params::Prototype { params, .. } => {
                for param in &self.ast[params] {
                    if let Some(name) = param.name {
                        self.scopes.declare(name, Meaning::Ordinary);
                    }
                }
            }
            Params::Identifiers(names) => {
                for &name in &self.ast[names] {
                    self.scopes.declare(name, Meaning::Ordinary);
                }
            }
        }
    }

    /// Skips `{ ... }` or, before it, to it.
    fn skip_braces(&mut self) {
        while !matches!(self.token.kind, Tok::LBrace | Tok::Eof) {
            self.advance();
        }
        self.skip_broken();
    }
}
