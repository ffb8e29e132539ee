//! Inline assembly.

use super::{Parse, Parser, take_list};
use crate::ast::{Asm, AsmId, AsmOperand, List, StringId};
use crate::token::Tok;
use base::Symbol;

impl Parser<'_> {
    /// `asm volatile ("template" : outputs : inputs : clobbers : labels)`, without the `;`.
    pub(super) fn asm(&mut self) -> Parse<AsmId> {
        self.expect(Tok::Asm)?;
        let (mut volatile, mut goto) = (false, false);
        loop {
            match self.token.kind {
                Tok::Volatile => volatile = true,
                Tok::Goto => goto = true,
                Tok::Inline | Tok::Const => {}
                _ => break,
            }
            self.advance();
        }
        self.expect(Tok::LParen)?;
        let template = self.string()?;
        let extended = self.at(Tok::Colon);
        let mut asm = Asm {
            volatile,
            goto,
            extended,
            template,
            outputs: List::EMPTY,
            inputs: List::EMPTY,
            clobbers: List::EMPTY,
            labels: List::EMPTY,
        };
        if self.eat(Tok::Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.eat(Tok::Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.eat(Tok::Colon) {
            asm.clobbers = self.asm_clobbers()?;
        }
        if goto {
            self.expect(Tok::Colon)?;
            asm.labels = self.asm_labels()?;
        }
        self.expect(Tok::RParen)?;
        Ok(self.ast.asms.push(asm))
    }

    fn asm_operands(&mut self) -> Parse<List<AsmOperand>> {
        let mark = self.stacks.asm_operands.len();
        while matches!(self.token.kind, Tok::LBracket | Tok::String) {
            let mut name = None;
            if self.eat(Tok::LBracket) {
                name = Some(self.expect(Tok::Ident)?.symbol);
                self.expect(Tok::RBracket)?;
            }
            let constraint = self.string()?;
            self.expect(Tok::LParen)?;
            let value = self.expression()?;
            self.expect(Tok::RParen)?;
            self.stacks.asm_operands.push(AsmOperand { name, constraint, value });
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        Ok(take_list!(self, asm_operands, mark))
    }

    fn asm_clobbers(&mut self) -> Parse<List<StringId>> {
        let mark = self.stacks.strings.len();
        while self.at(Tok::String) {
            let clobber = self.string()?;
            self.stacks.strings.push(clobber);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        Ok(take_list!(self, strings, mark))
    }

    fn asm_labels(&mut self) -> Parse<List<Symbol>> {
        let mark = self.stacks.symbols.len();
        loop {
            let label = self.expect(Tok::Ident)?.symbol;
            self.stacks.symbols.push(label);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        Ok(take_list!(self, symbols, mark))
    }
}
