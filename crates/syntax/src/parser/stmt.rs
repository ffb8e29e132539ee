//! Statements.

use super::decl::Scope;
use super::{Failed, Parse, Parser, take_list};
use crate::ast::{Attr, ExprId, For, ForInit, Label, LabelKind, List, StmtId, StmtKind};
use crate::token::{Tok, Token};
use base::Span;

/// `if (cond) then` before an `else`.
#[derive(Clone, Copy)]
pub(super) struct IfHead {
    start: u32,
    cond: ExprId,
    then: StmtId,
}

impl Parser<'_> {
    /// `{ ... }`, with a scope of its own.
    pub(super) fn compound(&mut self) -> Parse<StmtId> {
        let open = self.expect(Tok::LBrace)?.span;
        self.scopes.enter();
        let mark = self.stacks.stmts.len();
        while !matches!(self.token.kind, Tok::RBrace | Tok::Eof) {
            let heights = self.heights();
            let from = self.token.span.start;
            let item = match self.block_item() {
                Ok(item) => item,
                Err(Failed) => {
                    self.cut_back(heights);
                    self.skip_broken();
                    self.new_stmt(StmtKind::Error, from)
                }
            };
            self.stacks.stmts.push(item);
        }
        self.scopes.leave();
        if self.at(Tok::Eof) {
            return Err(self.error(open, "expected '}' to close this '{', found end of file"));
        }
        self.expect(Tok::RBrace)?;
        let items = take_list!(self, stmts, mark);
        Ok(self.new_stmt(StmtKind::Compound(items), open.start))
    }

    /// A declaration or a statement.
    fn block_item(&mut self) -> Parse<StmtId> {
        let start = self.token.span.start;
        match self.token.kind {
            Tok::Ident => {
                let next = self.peek().kind;
                let is_type = self.scopes.is_type(self.token.symbol);
                // Labels have a name space of their own; two identifiers in a row can only be a declaration.
                if next != Tok::Colon && (is_type || next == Tok::Ident) {
                    return self.local_declaration(start, Vec::new());
                }
            }
            Tok::Extension => {
                while self.eat(Tok::Extension) {}
                if self.is_declaration_start(self.token) {
                    return self.local_declaration(start, Vec::new());
                }
                let expr = self.expression()?;
                self.expect(Tok::Semi)?;
                return Ok(self.new_stmt(StmtKind::Expr(expr), start));
            }
            Tok::Attribute => return self.attributed(start),
            Tok::StaticAssert => {
                let decl = self.static_assert()?;
                return Ok(self.new_stmt(StmtKind::Decl(decl), start));
            }
            Tok::LocalLabel => return self.local_labels(start),
            kind if kind.starts_declaration() => return self.local_declaration(start, Vec::new()),
            _ => {}
        }
        self.statement()
    }

    fn local_declaration(&mut self, start: u32, attrs: Vec<Attr>) -> Parse<StmtId> {
        let decl = self.declaration(Scope::Items, start, attrs)?;
        Ok(self.new_stmt(StmtKind::Decl(decl), start))
    }

    /// Attributes before a declaration or, like `fallthrough`, before a `;`.
    fn attributed(&mut self, start: u32) -> Parse<StmtId> {
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        if self.eat(Tok::Semi) {
            let attrs = self.ast.list(&attrs);
            return Ok(self.new_stmt(StmtKind::Empty { attrs }, start));
        }
        if !self.is_declaration_start(self.token) {
            return Err(self.expected("a declaration or ';' after attributes"));
        }
        self.local_declaration(start, attrs)
    }

    /// `__label__ a, b;`
    fn local_labels(&mut self, start: u32) -> Parse<StmtId> {
        self.advance();
        let mark = self.stacks.symbols.len();
        loop {
            let name = self.expect(Tok::Ident)?.symbol;
            self.stacks.symbols.push(name);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::Semi)?;
        let names = take_list!(self, symbols, mark);
        Ok(self.new_stmt(StmtKind::LocalLabels(names), start))
    }

    /// The body of a statement.
    fn body(&mut self) -> Parse<StmtId> {
        self.deeper(Self::statement)
    }

    /// A statement with the labels before it.
    fn statement(&mut self) -> Parse<StmtId> {
        let start = self.token.span.start;
        let mark = self.stacks.labels.len();
        while let Some(label) = self.label()? {
            self.stacks.labels.push(label);
        }
        if self.stacks.labels.len() == mark {
            return self.unlabeled();
        }
        let body = if self.at(Tok::RBrace) {
            let at = self.prev_end;
            self.new_stmt(StmtKind::Empty { attrs: List::EMPTY }, at)
        } else {
            self.block_item_after_label()?
        };
        let labels = take_list!(self, labels, mark);
        Ok(self.new_stmt(StmtKind::Labeled { labels, body }, start))
    }

    /// What a label stands before: a statement or, as gcc allows, a declaration.
    fn block_item_after_label(&mut self) -> Parse<StmtId> {
        let is_declaration = self.is_declaration_start(self.token);
        if is_declaration || matches!(self.token.kind, Tok::StaticAssert | Tok::Extension) {
            return self.block_item();
        }
        self.unlabeled()
    }

    fn label(&mut self) -> Parse<Option<Label>> {
        let Token { kind, span: Span { start, .. }, .. } = self.token;
        let kind = match kind {
            Tok::Case => {
                self.advance();
                let low = self.conditional_expression()?;
                if self.eat(Tok::Ellipsis) {
                    LabelKind::Range(low, self.conditional_expression()?)
                } else {
                    LabelKind::Case(low)
                }
            }
            Tok::Default => {
                self.advance();
                LabelKind::Default
            }
            Tok::Ident if self.peek().kind == Tok::Colon => {
                LabelKind::Name { name: self.advance().symbol, attrs: List::EMPTY }
            }
            _ => return Ok(None),
        };
        self.expect(Tok::Colon)?;
        let span = self.span_from(start);
        let mut label = Label { kind, span };
        if let LabelKind::Name { attrs, .. } = &mut label.kind
            && self.at(Tok::Attribute)
        {
            let mut list = Vec::new();
            self.attributes(&mut list)?;
            *attrs = self.ast.list(&list);
        }
        Ok(Some(label))
    }

    fn unlabeled(&mut self) -> Parse<StmtId> {
        let start = self.token.span.start;
        let kind = match self.token.kind {
            Tok::LBrace => return self.deeper(Self::compound),
            Tok::If => return self.if_chain(),
            Tok::While => self.while_loop()?,
            Tok::Do => self.do_while()?,
            Tok::For => self.for_loop()?,
            Tok::Switch => {
                self.advance();
                let value = self.condition()?;
                StmtKind::Switch { value, body: self.body()? }
            }
            Tok::Semi => {
                self.advance();
                StmtKind::Empty { attrs: List::EMPTY }
            }
            Tok::Attribute => return self.attributed(start),
            kind => {
                let kind = self.simple(kind)?;
                self.expect(Tok::Semi)?;
                kind
            }
        };
        Ok(self.new_stmt(kind, start))
    }

    /// The statements that end in a semicolon, without it.
    fn simple(&mut self, kind: Tok) -> Parse<StmtKind> {
        match kind {
            Tok::Goto => {
                self.advance();
                if self.eat(Tok::Star) {
                    return Ok(StmtKind::GotoComputed(self.expression()?));
                }
                if !self.at(Tok::Ident) {
                    return Err(self.expected("a label or '*'"));
                }
                Ok(StmtKind::Goto(self.advance().symbol))
            }
            Tok::Break => {
                self.advance();
                Ok(StmtKind::Break)
            }
            Tok::Continue => {
                self.advance();
                Ok(StmtKind::Continue)
            }
            Tok::Return => {
                self.advance();
                let value = if self.at(Tok::Semi) { None } else { Some(self.expression()?) };
                Ok(StmtKind::Return(value))
            }
            Tok::Asm => Ok(StmtKind::Asm(self.asm()?)),
            Tok::Else => Err(self.error(self.token.span, "'else' without an 'if' before it")),
            _ if kind.starts_declaration() => Err(self.expected("a statement")),
            Tok::RBrace | Tok::RParen | Tok::RBracket | Tok::Eof => Err(self.expected("a statement")),
            _ => Ok(StmtKind::Expr(self.expression()?)),
        }
    }

    /// `( expression )`
    fn condition(&mut self) -> Parse<ExprId> {
        self.expect(Tok::LParen)?;
        let cond = self.expression()?;
        self.expect(Tok::RParen)?;
        Ok(cond)
    }

    /// `if` and all the `else if` after it, built from the last to the first.
    fn if_chain(&mut self) -> Parse<StmtId> {
        let mark = self.stacks.ifs.len();
        let mut other = None;
        loop {
            let start = self.advance().span.start;
            let cond = self.condition()?;
            let then = self.body()?;
            self.stacks.ifs.push(IfHead { start, cond, then });
            if !self.eat(Tok::Else) {
                break;
            }
            if !self.at(Tok::If) {
                other = Some(self.body()?);
                break;
            }
        }
        while self.stacks.ifs.len() > mark
            && let Some(IfHead { start, cond, then }) = self.stacks.ifs.pop()
        {
            other = Some(self.new_stmt(StmtKind::If { cond, then, other }, start));
        }
        Ok(other.expect("at least one 'if' was read"))
    }

    fn while_loop(&mut self) -> Parse<StmtKind> {
        self.advance();
        let cond = self.condition()?;
        Ok(StmtKind::While { cond, body: self.body()? })
    }

    fn do_while(&mut self) -> Parse<StmtKind> {
        self.advance();
        let body = self.body()?;
        self.expect(Tok::While)?;
        let cond = self.condition()?;
        self.expect(Tok::Semi)?;
        Ok(StmtKind::DoWhile { body, cond })
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        self.advance();
        self.expect(Tok::LParen)?;
        self.scopes.enter();
        let init = self.for_init()?;
        let cond = if self.at(Tok::Semi) { None } else { Some(self.expression()?) };
        self.expect(Tok::Semi)?;
        let step = if self.at(Tok::RParen) { None } else { Some(self.expression()?) };
        self.expect(Tok::RParen)?;
        let body = self.body()?;
        self.scopes.leave();
        let head = self.ast.fors.push(For { init, cond, step });
        Ok(StmtKind::For { head, body })
    }

    fn for_init(&mut self) -> Parse<ForInit> {
        if self.eat(Tok::Semi) {
            return Ok(ForInit::None);
        }
        let start = self.token.span.start;
        while self.eat(Tok::Extension) {}
        if self.is_declaration_start(self.token) {
            return Ok(ForInit::Decl(self.declaration(Scope::Head, start, Vec::new())?));
        }
        let init = self.expression()?;
        self.expect(Tok::Semi)?;
        Ok(ForInit::Expr(init))
    }
}
