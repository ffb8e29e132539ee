//! Declarations and attributes as text.

use super::Dump;
use crate::ast::{Alignas, AsmId, AsmOperand, Attr, AttrArg, DeclId, DeclKind, DeclaratorId, List, Specs, Storage};

impl Dump<'_> {
    /// On lines of its own.
    pub(super) fn decl(&mut self, decl: DeclId) {
        self.line();
        match self.ast[decl].kind {
            DeclKind::Declaration { specs, declarators } => {
                if declarators.is_empty() {
                    self.put("declare ");
                    self.specs(&specs);
                    self.ty(specs.ty);
                }
                for (index, &declarator) in self.ast[declarators].iter().enumerate() {
                    if index > 0 {
                        self.line();
                    }
                    self.put("declare ");
                    self.specs(&specs);
                    self.declarator(declarator);
                }
            }
            DeclKind::Function { specs, declarator, knr, body } => {
                self.put("function ");
                self.specs(&specs);
                self.declarator(declarator);
                self.inside(|dump| {
                    dump.ast[knr].iter().for_each(|&decl| dump.decl(decl));
                    dump.stmt(body);
                });
            }
            DeclKind::StaticAssert { cond, message } => {
                self.put("static_assert ");
                self.expr(cond);
                if let Some(message) = message {
                    self.put(" ");
                    self.string(message);
                }
            }
            DeclKind::Asm(asm) => self.asm(asm),
        }
        if self.indent == 0 {
            self.put("\n");
        }
    }

    pub(super) fn specs(&mut self, specs: &Specs) {
        self.put(match specs.storage {
            None => "",
            Some(Storage::Typedef) => "typedef ",
            Some(Storage::Extern) => "extern ",
            Some(Storage::Static) => "static ",
            Some(Storage::Auto) => "auto ",
            Some(Storage::Register) => "register ",
        });
        self.put(if specs.thread_local { "_Thread_local " } else { "" });
        self.put(if specs.inline { "inline " } else { "" });
        self.put(if specs.noreturn { "_Noreturn " } else { "" });
        for alignas in &self.ast[specs.alignas] {
            self.put("_Alignas(");
            match *alignas {
                Alignas::Expr(expr) => self.expr(expr),
                Alignas::Type(ty) => self.ty(ty),
            }
            self.put(") ");
        }
        if !specs.attrs.is_empty() {
            self.attrs(specs.attrs);
            self.put(" ");
        }
    }

    fn declarator(&mut self, declarator: DeclaratorId) {
        let declarator = self.ast[declarator];
        match declarator.name {
            Some(name) => self.name(name),
            None => self.put("_"),
        }
        self.put(": ");
        self.ty(declarator.ty);
        if let Some(width) = declarator.width {
            self.put(" bits ");
            self.expr(width);
        }
        if let Some(label) = declarator.asm_label {
            self.put(" asm ");
            self.string(label);
        }
        self.attrs(declarator.attrs);
        if let Some(init) = declarator.init {
            self.put(" = ");
            self.init(init);
        }
    }

    /// ` [name(args) name]`
    pub(super) fn attrs(&mut self, attrs: List<Attr>) {
        if attrs.is_empty() {
            return;
        }
        self.put(if self.out.ends_with(' ') { "[" } else { " [" });
        for (index, attr) in self.ast[attrs].iter().enumerate() {
            self.put(if index == 0 { "" } else { " " });
            self.name(attr.name);
            if attr.args.is_empty() {
                continue;
            }
            self.put("(");
            for (index, arg) in self.ast[attr.args].iter().enumerate() {
                self.put(if index == 0 { "" } else { ", " });
                match *arg {
                    AttrArg::Expr(expr) => self.expr(expr),
                    AttrArg::Type(ty) => self.ty(ty),
                }
            }
            self.put(")");
        }
        self.put("]");
    }

    pub(super) fn asm(&mut self, asm: AsmId) {
        let asm = self.ast[asm];
        self.put("asm ");
        self.put(if asm.volatile { "volatile " } else { "" });
        self.put(if asm.goto { "goto " } else { "" });
        self.string(asm.template);
        if !asm.extended {
            return;
        }
        self.asm_operands(" out", asm.outputs);
        self.asm_operands(" in", asm.inputs);
        if !asm.clobbers.is_empty() {
            self.put(" clobber");
            for &clobber in &self.ast[asm.clobbers] {
                self.put(" ");
                self.string(clobber);
            }
        }
        if !asm.labels.is_empty() {
            self.put(" labels");
            self.names(asm.labels);
        }
    }

    fn asm_operands(&mut self, word: &str, operands: List<AsmOperand>) {
        self.put(word);
        for operand in &self.ast[operands] {
            self.put(" (");
            if let Some(name) = operand.name {
                self.name(name);
                self.put(" ");
            }
            self.string(operand.constraint);
            self.put(" ");
            self.expr(operand.value);
            self.put(")");
        }
    }
}
