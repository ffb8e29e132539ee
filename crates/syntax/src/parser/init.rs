//! Initialisers.

use super::{Parse, Parser, take_list};
use crate::ast::{Designator, Init, InitItem, InitList, InitListId, List};
use crate::token::Tok;

impl Parser<'_> {
    /// What stands after `=`.
    pub(super) fn init(&mut self) -> Parse<Init> {
        if self.at(Tok::LBrace) {
            Ok(Init::List(self.init_list()?))
        } else {
            Ok(Init::Expr(self.assignment_expression()?))
        }
    }

    /// `{ item, item, }`
    pub(super) fn init_list(&mut self) -> Parse<InitListId> {
        self.deeper(|parser| {
            let start = parser.expect(Tok::LBrace)?.span.start;
            let mark = parser.stacks.init_items.len();
            while !parser.at(Tok::RBrace) {
                let designators = parser.designators()?;
                let init = parser.init()?;
                parser.stacks.init_items.push(InitItem { designators, init });
                if !parser.eat(Tok::Comma) {
                    break;
                }
            }
            if !parser.at(Tok::RBrace) {
                return Err(parser.expected("',' or '}' in an initialiser"));
            }
            parser.advance();
            let items = take_list!(parser, init_items, mark);
            let span = parser.span_from(start);
            Ok(parser.ast.init_lists.push(InitList { items, span }))
        })
    }

    /// `.a[1] =`, `[1 ... 2] =`, and GNU's old `a:` and `[1] value`.
    fn designators(&mut self) -> Parse<List<Designator>> {
        if self.at(Tok::Ident) && self.peek().kind == Tok::Colon {
            let name = self.advance().symbol;
            self.advance();
            return Ok(self.ast.list(&[Designator::Field(name)]));
        }
        if !matches!(self.token.kind, Tok::Dot | Tok::LBracket) {
            return Ok(List::EMPTY);
        }
        let mark = self.stacks.designators.len();
        let mut is_old_index = true;
        loop {
            let designator = match self.token.kind {
                Tok::Dot => {
                    is_old_index = false;
                    self.advance();
                    Designator::Field(self.expect(Tok::Ident)?.symbol)
                }
                Tok::LBracket => self.index_designator()?,
                _ => break,
            };
            self.stacks.designators.push(designator);
        }
        if !self.eat(Tok::Assign) && !is_old_index {
            return Err(self.expected(Tok::Assign.describe()));
        }
        Ok(take_list!(self, designators, mark))
    }

    fn index_designator(&mut self) -> Parse<Designator> {
        self.advance();
        let low = self.conditional_expression()?;
        let high = if self.eat(Tok::Ellipsis) { Some(self.conditional_expression()?) } else { None };
        self.expect(Tok::RBracket)?;
        Ok(high.map_or(Designator::Index(low), |high| Designator::Range(low, high)))
    }
}
