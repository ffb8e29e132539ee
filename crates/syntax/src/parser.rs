//! The parser: a cursor over tokens, typedef scopes, error recovery. One file per part of the grammar.
//!
//! Expressions, declarators, labels and `else if` chains are parsed with explicit stacks. What truly nests
//! (blocks, braced initialisers, parameter lists, types inside expressions) recurses on a stack that grows on
//! the heap, up to [`MAX_DEPTH`].

mod asm;
mod attr;
mod builtin;
mod decl;
mod declarator;
mod expr;
mod init;
mod operator;
mod record;
mod specs;
mod stmt;

use crate::ast::{
    AsmOperand, Ast, AttrArg, DeclId, DeclaratorId, Designator, Enumerator, Expr, ExprId, ExprKind, GenericArm,
    InitItem, Label, Param, Stmt, StmtId, StmtKind, StringId, Type, TypeId,
};
use crate::lexer::Lexer;
use crate::scope::{Meaning, PREDECLARED, Scopes};
use crate::token::{Tok, Token};
use base::{Diagnostic, Interner, Span, Symbol};

/// How deep blocks, initialisers and the like may nest.
const MAX_DEPTH: u32 = 100_000;

/// Parses one preprocessed text whose first byte has the offset `start` in the program's source map. Always
/// returns a tree; it is a faithful one if there is no error among the diagnostics.
pub fn parse(text: &str, start: u32, interner: &mut Interner) -> (Ast, Vec<Diagnostic>) {
    if u32::try_from(text.len()).ok().and_then(|len| start.checked_add(len)).is_none() {
        let message = "more than 4 GiB of source text";
        return (Ast::default(), vec![Diagnostic::error(Span { start, end: start }, message)]);
    }
    let mut scopes = Scopes::default();
    for (index, &(name, _)) in PREDECLARED.iter().enumerate() {
        scopes.declare(interner.intern(name), Meaning::Predeclared(index as u8));
    }
    let mut lexer = Lexer::new(text, start, interner);
    let token = lexer.next();
    let mut parser = Parser {
        lexer,
        token,
        ahead: None,
        prev_end: start,
        ast: Ast::default(),
        scopes,
        depth: 0,
        failed_at: None,
        stacks: Stacks::default(),
    };
    parser.file();
    debug_assert_eq!(parser.ast.verify(), Ok(()), "the tree keeps its promises");
    (parser.ast, parser.lexer.diagnostics)
}

/// An error was reported; the nearest loop over statements, members or declarations goes on after it.
struct Failed;
type Parse<T> = Result<T, Failed>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    /// The token after `token`, if it has been looked at.
    ahead: Option<Token>,
    /// End of the token before `token`.
    prev_end: u32,
    ast: Ast,
    scopes: Scopes,
    depth: u32,
    /// Where the last error was reported, to say things once.
    failed_at: Option<u32>,
    stacks: Stacks,
}

/// Declares [`Stacks`] and how to cut them all back at once.
macro_rules! stacks {
    ($($(#[$doc:meta])* $field:ident: $item:ty,)*) => {
        /// Lists under construction, one stack per kind, so that building a list allocates nothing. A list is what
        /// lies above a mark taken when it was begun.
        #[derive(Default)]
        struct Stacks { $($(#[$doc])* $field: Vec<$item>,)* }

        /// The heights of all stacks and the open scopes: what a failed construct must be cut back to.
        #[derive(Clone, Copy)]
        struct Heights { $($field: usize,)* scopes: usize, depth: u32 }

        impl Parser<'_> {
            fn heights(&self) -> Heights {
                Heights { $($field: self.stacks.$field.len(),)* scopes: self.scopes.depth(), depth: self.depth }
            }

            fn cut_back(&mut self, heights: Heights) {
                $(self.stacks.$field.truncate(heights.$field);)*
                self.scopes.leave_to(heights.scopes);
                self.depth = heights.depth;
            }
        }
    };
}

stacks! {
    /// Operands of unfinished expressions.
    operands: expr::Operand,
    /// Operators and brackets of unfinished expressions.
    frames: operator::Frame,
    exprs: ExprId,
    stmts: StmtId,
    decls: DeclId,
    declarators: DeclaratorId,
    symbols: Symbol,
    strings: StringId,
    string_spans: Span,
    attr_args: AttrArg,
    designators: Designator,
    init_items: InitItem,
    generic_arms: GenericArm,
    params: Param,
    enumerators: Enumerator,
    labels: Label,
    asm_operands: AsmOperand,
    /// Heads of unfinished `else if` chains.
    ifs: stmt::IfHead,
    /// Derivations of unfinished declarators.
    derivations: declarator::Derivation,
    /// Pointers of unfinished declarators.
    pointers: declarator::Derivation,
}

/// Cuts the list above `$mark` off a stack and stores it in the tree.
macro_rules! take_list {
    ($parser:ident, $stack:ident, $mark:expr) => {{
        let mark = $mark;
        let list = $parser.ast.list(&$parser.stacks.$stack[mark..]);
        $parser.stacks.$stack.truncate(mark);
        list
    }};
}
use take_list;

impl Parser<'_> {
    fn advance(&mut self) -> Token {
        let token = self.token;
        self.prev_end = token.span.end;
        self.token = match self.ahead.take() {
            Some(ahead) => ahead,
            None => self.lexer.next(),
        };
        token
    }

    /// The token after the current one.
    fn peek(&mut self) -> Token {
        match self.ahead {
            Some(ahead) => ahead,
            None => {
                let ahead = self.lexer.next();
                self.ahead = Some(ahead);
                ahead
            }
        }
    }

    fn at(&self, kind: Tok) -> bool {
        self.token.kind == kind
    }

    /// Takes the token if it is a `kind`.
    fn eat(&mut self, kind: Tok) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: Tok) -> Parse<Token> {
        if self.at(kind) {
            return Ok(self.advance());
        }
        let span = match kind {
            // It is missing after the last token, not before the next one, which may be lines away.
            Tok::Semi => Span { start: self.prev_end.saturating_sub(1), end: self.prev_end },
            _ => self.token.span,
        };
        Err(self.expected_at(span, kind.describe()))
    }

    /// From `start` to the end of the last token taken.
    fn span_from(&self, start: u32) -> Span {
        Span { start, end: self.prev_end.max(start) }
    }

    /// Reports that `what` should stand here.
    fn expected(&mut self, what: &str) -> Failed {
        self.expected_at(self.token.span, what)
    }

    fn expected_at(&mut self, span: Span, what: &str) -> Failed {
        let found = self.found();
        // The lexer has already said what is wrong with an empty token.
        let said = self.token.kind == Tok::Invalid && self.token.span.start == self.token.span.end;
        if !said && self.failed_at != Some(self.token.span.start) {
            self.error(span, format!("expected {what}, found {found}"));
        }
        self.failed_at = Some(self.token.span.start);
        Failed
    }

    fn found(&self) -> String {
        let text = self.lexer.snippet(self.token.span);
        match self.token.kind {
            Tok::Eof => "end of file".into(),
            Tok::Invalid => format!("invalid character {text:?}"),
            Tok::Ident if self.scopes.is_type(self.token.symbol) => format!("type name '{text}'"),
            _ if text.len() > 40 => format!("'{}...'", text.chars().take(30).collect::<String>()),
            _ => format!("'{text}'"),
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.lexer.report(Diagnostic::error(span, message));
        if self.lexer.is_exhausted() {
            // Too many errors: nothing more is read.
            self.ahead = None;
            self.token = self.lexer.next();
        }
        Failed
    }

    /// Runs `parse` one level deeper, on a stack that grows.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(self.token.span, format!("nesting deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(64 << 10, 2 << 20, || parse(self));
        self.depth = self.depth.saturating_sub(1);
        result
    }

    /// Skips to the end of a broken statement or declaration: after the next `;` or a `{...}` at this level, or
    /// before the `}` that closes the surrounding braces.
    fn skip_broken(&mut self) {
        let mut open = 0u32;
        loop {
            match self.token.kind {
                Tok::Eof => return,
                Tok::Semi if open == 0 => {
                    self.advance();
                    return;
                }
                Tok::RBrace if open == 0 => return,
                Tok::RBrace if open == 1 => {
                    self.advance();
                    return;
                }
                Tok::RBrace => open -= 1,
                Tok::LBrace => open += 1,
                _ => {}
            }
            self.advance();
        }
    }

    fn new_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.ast.exprs.push(Expr { kind, span })
    }

    fn new_stmt(&mut self, kind: StmtKind, start: u32) -> StmtId {
        let span = self.span_from(start);
        self.ast.stmts.push(Stmt { kind, span })
    }

    fn new_type(&mut self, ty: Type) -> TypeId {
        self.ast.types.push(ty)
    }

    /// Whether the token starts a type name, as after `(` in a cast.
    fn is_type_start(&self, token: Token) -> bool {
        match token.kind {
            Tok::Ident => self.scopes.is_type(token.symbol),
            kind => kind.starts_type(),
        }
    }

    /// Whether the next token starts a type name.
    fn is_type_next(&mut self) -> bool {
        let next = self.peek();
        self.is_type_start(next)
    }

    /// Whether the token starts a declaration.
    fn is_declaration_start(&self, token: Token) -> bool {
        match token.kind {
            Tok::Ident => self.scopes.is_type(token.symbol),
            kind => kind.starts_declaration(),
        }
    }
}
