//! Declarators: what stands around a name, folded into a type.
//!
//! `*(*f[2])(int)` reads from the name outwards: array of pointers to functions that return pointers. The
//! parser collects these derivations in that order and applies them to the specifiers' type from the last to
//! the first. Nested parentheses are levels of an explicit stack.

use super::specs::Position;
use super::{Parse, Parser, take_list};
use crate::ast::{
    ArraySize, Attr, FunctionId, FunctionType, List, Param, Params, Quals, Storage, Type, TypeId, TypeKind,
};
use crate::scope::Meaning;
use crate::token::Tok;
use base::{Span, Symbol};

/// One step from a type to one derived from it.
#[derive(Clone, Copy)]
pub(super) enum Derivation {
    Pointer { quals: Quals, attrs: List<Attr>, span: Span },
    Array { size: ArraySize, quals: Quals, attrs: List<Attr>, span: Span },
    Function { function: FunctionId, span: Span },
}

/// A declarator with a name.
pub(super) struct Declared {
    pub name: Symbol,
    pub name_span: Span,
    pub ty: TypeId,
}

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    Forbidden,
}

impl Parser<'_> {
    /// A declarator with a name; appends the attributes inside its parentheses.
    pub(super) fn declarator(&mut self, base: TypeId, attrs: &mut Vec<Attr>) -> Parse<Declared> {
        let (name, ty) = self.any_declarator(base, Naming::Required, attrs)?;
        match name {
            Some((name, name_span)) => Ok(Declared { name, name_span, ty }),
            None => Err(self.expected("an identifier")),
        }
    }

    /// A declarator without a name.
    pub(super) fn abstract_declarator(&mut self, base: TypeId) -> Parse<TypeId> {
        let mut attrs = Vec::new();
        let (_, ty) = self.any_declarator(base, Naming::Forbidden, &mut attrs)?;
        self.attributes(&mut attrs)?;
        if attrs.is_empty() {
            return Ok(ty);
        }
        // They belong to the type as a whole, which others may share: a copy gets them.
        let mut with_attrs = self.ast[ty];
        attrs.splice(0..0, self.ast[with_attrs.attrs].iter().copied());
        with_attrs.attrs = self.ast.list(&attrs);
        Ok(self.new_type(with_attrs))
    }

    fn any_declarator(
        &mut self,
        base: TypeId,
        naming: Naming,
        attrs: &mut Vec<Attr>,
    ) -> Parse<(Option<(Symbol, Span)>, TypeId)> {
        let mark = self.stacks.derivations.len();
        // Where the pointers of the innermost open level begin, and of the levels around it.
        let mut pointers = self.stacks.pointers.len();
        let mut levels = Vec::new();
        loop {
            self.pointers()?;
            if !self.at(Tok::LParen) || !self.is_nested_declarator(naming) {
                break;
            }
            self.advance();
            self.attributes(attrs)?;
            levels.push(pointers);
            pointers = self.stacks.pointers.len();
        }
        let name = self.declared_name(naming)?;
        loop {
            self.suffixes(naming)?;
            // The rightmost pointer is nearest to the name.
            while self.stacks.pointers.len() > pointers
                && let Some(pointer) = self.stacks.pointers.pop()
            {
                self.stacks.derivations.push(pointer);
            }
            let Some(outer) = levels.pop() else { break };
            self.attributes(attrs)?;
            self.expect(Tok::RParen)?;
            pointers = outer;
        }
        Ok((name, self.fold(base, mark)))
    }

    /// Whether the `(` here groups a declarator; otherwise it opens the parameters of a nameless function type.
    fn is_nested_declarator(&mut self, naming: Naming) -> bool {
        if naming == Naming::Required {
            return true;
        }
        let next = self.peek();
        match next.kind {
            Tok::Star | Tok::LParen | Tok::LBracket | Tok::Attribute => true,
            Tok::Ident => naming == Naming::Optional && !self.scopes.is_type(next.symbol),
            _ => false,
        }
    }

    fn declared_name(&mut self, naming: Naming) -> Parse<Option<(Symbol, Span)>> {
        if naming == Naming::Forbidden {
            return Ok(None);
        }
        if self.at(Tok::Ident) {
            let token = self.advance();
            return Ok(Some((token.symbol, token.span)));
        }
        if naming == Naming::Required {
            return Err(self.expected("an identifier or '('"));
        }
        Ok(None)
    }

    /// `* const * restrict`
    fn pointers(&mut self) -> Parse<()> {
        while self.at(Tok::Star) {
            let start = self.advance().span.start;
            let mut attrs = Vec::new();
            let quals = self.qualifiers(&mut attrs)?;
            let attrs = self.ast.list(&attrs);
            let span = self.span_from(start);
            self.stacks.pointers.push(Derivation::Pointer { quals, attrs, span });
        }
        Ok(())
    }

    fn qualifiers(&mut self, attrs: &mut Vec<Attr>) -> Parse<Quals> {
        let mut quals = Quals::NONE;
        loop {
            match self.token.kind {
                Tok::Const => quals |= Quals::CONST,
                Tok::Volatile => quals |= Quals::VOLATILE,
                Tok::Restrict => quals |= Quals::RESTRICT,
                Tok::Atomic => quals |= Quals::ATOMIC,
                Tok::Attribute => {
                    self.attributes(attrs)?;
                    continue;
                }
                _ => return Ok(quals),
            }
            self.advance();
        }
    }

    /// `[2][n](int)`
    fn suffixes(&mut self, naming: Naming) -> Parse<()> {
        loop {
            let start = self.token.span.start;
            let derivation = match self.token.kind {
                Tok::LBracket => {
                    let mut attrs = Vec::new();
                    let (size, quals) = self.array_size(&mut attrs)?;
                    let attrs = self.ast.list(&attrs);
                    Derivation::Array { size, quals, attrs, span: self.span_from(start) }
                }
                Tok::LParen => {
                    let function = self.deeper(|parser| parser.params(naming))?;
                    Derivation::Function { function, span: self.span_from(start) }
                }
                _ => return Ok(()),
            };
            self.stacks.derivations.push(derivation);
        }
    }

    /// `[static const 3]`
    fn array_size(&mut self, attrs: &mut Vec<Attr>) -> Parse<(ArraySize, Quals)> {
        self.advance();
        let mut quals = self.qualifiers(attrs)?;
        let is_static = self.eat(Tok::Static);
        quals |= self.qualifiers(attrs)?;
        let size = if self.at(Tok::RBracket) {
            ArraySize::None
        } else if self.at(Tok::Star) && self.peek().kind == Tok::RBracket {
            self.advance();
            ArraySize::Star
        } else {
            let size = self.assignment_expression()?;
            if is_static { ArraySize::Static(size) } else { ArraySize::Expr(size) }
        };
        self.expect(Tok::RBracket)?;
        Ok((size, quals))
    }

    /// Applies the derivations above `mark`, the last one first.
    fn fold(&mut self, base: TypeId, mark: usize) -> TypeId {
        let mut ty = base;
        while self.stacks.derivations.len() > mark
            && let Some(derivation) = self.stacks.derivations.pop()
        {
            let (kind, quals, attrs, span) = match derivation {
                Derivation::Pointer { quals, attrs, span } => (TypeKind::Pointer(ty), quals, attrs, span),
                Derivation::Array { size, quals, attrs, span } => {
                    (TypeKind::Array { element: ty, size }, quals, attrs, span)
                }
                Derivation::Function { function, span } => {
                    (TypeKind::Function { result: ty, function }, Quals::NONE, List::EMPTY, span)
                }
            };
            ty = self.new_type(Type { kind, quals, attrs, span });
        }
        ty
    }

    /// `(int a, char *b, ...)`
    fn params(&mut self, naming: Naming) -> Parse<FunctionId> {
        let start = self.advance().span.start;
        self.scopes.enter();
        let params = self.param_forms(naming)?;
        self.scopes.leave();
        self.expect(Tok::RParen)?;
        let span = self.span_from(start);
        Ok(self.ast.functions.push(FunctionType { params, span }))
    }

    fn param_forms(&mut self, naming: Naming) -> Parse<Params> {
        let kind = self.token.kind;
        match kind {
            Tok::RParen => return Ok(Params::Unspecified),
            Tok::Void if self.peek().kind == Tok::RParen => {
                self.advance();
                return Ok(Params::Prototype { params: List::EMPTY, variadic: false });
            }
            // Types are left out only in K&R definitions: never in a type name or parameter.
            Tok::Ident if naming == Naming::Required && !self.scopes.is_type(self.token.symbol) => {
                if matches!(self.peek().kind, Tok::Comma | Tok::RParen) {
                    return self.identifier_list();
                }
            }
            _ => {}
        }
        let mark = self.stacks.params.len();
        let mut variadic = false;
        loop {
            if self.eat(Tok::Ellipsis) {
                variadic = true;
                break;
            }
            let param = self.param()?;
            self.stacks.params.push(param);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        if !self.at(Tok::RParen) {
            return Err(self.expected("',' or ')' after a parameter"));
        }
        Ok(Params::Prototype { params: take_list!(self, params, mark), variadic })
    }

    /// `(a, b)` of a K&R definition.
    fn identifier_list(&mut self) -> Parse<Params> {
        let mark = self.stacks.symbols.len();
        loop {
            let name = self.expect(Tok::Ident)?.symbol;
            self.stacks.symbols.push(name);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        if !self.at(Tok::RParen) {
            return Err(self.expected("',' or ')' after a parameter"));
        }
        Ok(Params::Identifiers(take_list!(self, symbols, mark)))
    }

    fn param(&mut self) -> Parse<Param> {
        let start = self.token.span.start;
        let specs = self.specs(Position::Param, Vec::new())?;
        let bare = self.ast[specs.ty].kind == TypeKind::Implicit;
        if bare && specs.storage != Some(Storage::Register) {
            return Err(self.expected("a parameter declaration"));
        }
        let mut attrs = Vec::new();
        let (name, ty) = self.any_declarator(specs.ty, Naming::Optional, &mut attrs)?;
        self.attributes(&mut attrs)?;
        if let Some((name, _)) = name {
            self.scopes.declare(name, Meaning::Ordinary);
        }
        let attrs = self.ast.list(&attrs);
        Ok(Param { specs, name: name.map(|(name, _)| name), ty, attrs, span: self.span_from(start) })
    }
}
