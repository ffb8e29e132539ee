//! Expressions and initialisers as text.

use super::Dump;
use crate::ast::{
    Base, BinaryOp, Designator, Encoding, ExprId, ExprKind, FloatSuffix, Init, IntSize, IntSuffix, StringId, UnaryOp,
};

impl Dump<'_> {
    pub(super) fn expr(&mut self, expr: ExprId) {
        self.deeper(|dump| dump.expr_here(expr));
    }

    /// `(word a b)`
    fn form(&mut self, word: &str, operands: &[ExprId]) {
        self.put("(");
        self.put(word);
        self.operands(operands);
        self.put(")");
    }

    fn operands(&mut self, operands: &[ExprId]) {
        for &operand in operands {
            self.put(" ");
            self.expr(operand);
        }
    }

    fn expr_here(&mut self, expr: ExprId) {
        match self.ast[expr].kind {
            ExprKind::Error => self.put("<error>"),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Int { value, base, suffix } => self.int(value, base, suffix),
            ExprKind::Char { value, encoding } => self.put_args(format_args!("{}'{value}'", prefix(encoding))),
            ExprKind::Float { text, suffix, imaginary } => {
                self.name(text);
                self.put(float_suffix(suffix));
                self.put(if imaginary { "i" } else { "" });
            }
            ExprKind::String(string) => self.string(string),
            ExprKind::Call { callee, args } => {
                self.put("(call ");
                self.expr(callee);
                self.operands(&self.ast[args]);
                self.put(")");
            }
            ExprKind::Index { base, index } => self.form("index", &[base, index]),
            ExprKind::Member { base, name, arrow } => {
                self.put(if arrow { "(-> " } else { "(. " });
                self.expr(base);
                self.put(" ");
                self.name(name);
                self.put(")");
            }
            ExprKind::Unary { op, operand } => self.form(unary(op), &[operand]),
            ExprKind::Binary { op, left, right } => self.form(op.symbol(), &[left, right]),
            ExprKind::Assign { op, target, value } => {
                self.put("(");
                self.put(op.map_or("", BinaryOp::symbol));
                self.put("=");
                self.operands(&[target, value]);
                self.put(")");
            }
            ExprKind::Conditional { cond, then, other } => self.form("?", &[cond, then, other]),
            ExprKind::Elvis { cond, other } => self.form("?:", &[cond, other]),
            ExprKind::Comma { left, right } => self.form(",", &[left, right]),
            ExprKind::Cast { ty, operand } => self.typed_form("cast", ty, &[operand]),
            ExprKind::CompoundLiteral { ty, init } => {
                self.put("(literal ");
                self.ty(ty);
                self.put(" ");
                self.init(Init::List(init));
                self.put(")");
            }
            ExprKind::SizeofExpr(operand) => self.form("sizeof", &[operand]),
            ExprKind::SizeofType(ty) => self.typed_form("sizeof-type", ty, &[]),
            ExprKind::AlignofExpr { operand, preferred } => {
                self.form(if preferred { "__alignof__" } else { "_Alignof" }, &[operand]);
            }
            ExprKind::AlignofType { ty, preferred } => {
                self.typed_form(if preferred { "__alignof__-type" } else { "_Alignof-type" }, ty, &[]);
            }
            ExprKind::Stmt(body) => {
                self.put("(stmt");
                self.inside(|dump| dump.stmt(body));
                self.line();
                self.put(")");
            }
            ExprKind::LabelAddress(label) => {
                self.put("(&& ");
                self.name(label);
                self.put(")");
            }
            ExprKind::Generic { control, arms } => {
                self.put("(generic ");
                self.expr(control);
                for arm in &self.ast[arms] {
                    self.put(" [");
                    match arm.ty {
                        Some(ty) => self.ty(ty),
                        None => self.put("default"),
                    }
                    self.operands(&[arm.value]);
                    self.put("]");
                }
                self.put(")");
            }
            ExprKind::Offsetof { ty, path } => {
                self.put("(offsetof ");
                self.ty(ty);
                self.put(" ");
                self.designators(&self.ast[path]);
                self.put(")");
            }
            ExprKind::VaArg { list, ty } => self.typed_form("va_arg", ty, &[list]),
            ExprKind::TypesCompatible { left, right } => {
                self.put("(types_compatible ");
                self.ty(left);
                self.put(" ");
                self.ty(right);
                self.put(")");
            }
            ExprKind::ChooseExpr { cond, then, other } => self.form("choose_expr", &[cond, then, other]),
        }
    }

    /// `(word type a b)`
    fn typed_form(&mut self, word: &str, ty: crate::ast::TypeId, operands: &[ExprId]) {
        self.put_args(format_args!("({word} "));
        self.ty(ty);
        self.operands(operands);
        self.put(")");
    }

    fn int(&mut self, value: u64, base: Base, suffix: IntSuffix) {
        match base {
            Base::Binary => self.put_args(format_args!("{value:#b}")),
            Base::Octal if value == 0 => self.put("0"),
            Base::Octal => self.put_args(format_args!("0{value:o}")),
            Base::Decimal => self.put_args(format_args!("{value}")),
            Base::Hex => self.put_args(format_args!("{value:#x}")),
        }
        self.put(if suffix.unsigned { "u" } else { "" });
        self.put(match suffix.size {
            IntSize::Int => "",
            IntSize::Long => "l",
            IntSize::LongLong => "ll",
        });
        self.put(if suffix.imaginary { "i" } else { "" });
    }

    /// Wide strings show their memory image.
    pub(super) fn string(&mut self, string: StringId) {
        let bytes = self.ast.string_bytes(string);
        let encoding = self.ast[string].encoding;
        self.put_args(format_args!("{}\"{}\"", prefix(encoding), bytes.escape_ascii()));
    }

    pub(super) fn init(&mut self, init: Init) {
        match init {
            Init::Expr(expr) => self.expr(expr),
            Init::List(list) => self.deeper(|dump| {
                dump.put("{");
                for (index, item) in dump.ast[dump.ast[list].items].iter().enumerate() {
                    dump.put(if index == 0 { "" } else { ", " });
                    let designators = &dump.ast[item.designators];
                    if !designators.is_empty() {
                        dump.designators(designators);
                        dump.put(" = ");
                    }
                    dump.init(item.init);
                }
                dump.put("}");
            }),
        }
    }

    fn designators(&mut self, designators: &[Designator]) {
        for designator in designators {
            match *designator {
                Designator::Field(name) => {
                    self.put(".");
                    self.name(name);
                }
                Designator::Index(index) => {
                    self.put("[");
                    self.expr(index);
                    self.put("]");
                }
                Designator::Range(low, high) => {
                    self.put("[");
                    self.expr(low);
                    self.put(" ... ");
                    self.expr(high);
                    self.put("]");
                }
            }
        }
    }
}

fn prefix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Narrow => "",
        Encoding::Utf8 => "u8",
        Encoding::Utf16 => "u",
        Encoding::Utf32 => "U",
        Encoding::Wide => "L",
    }
}

fn float_suffix(suffix: FloatSuffix) -> &'static str {
    match suffix {
        FloatSuffix::Double => "",
        FloatSuffix::Float => "f",
        FloatSuffix::LongDouble => "l",
        FloatSuffix::Float128 => "f128",
        FloatSuffix::Float16 => "f16",
        FloatSuffix::Float32 => "f32",
        FloatSuffix::Float64 => "f64",
        FloatSuffix::Float32x => "f32x",
        FloatSuffix::Float64x => "f64x",
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::AddressOf => "&",
        UnaryOp::Deref => "*",
        UnaryOp::PreInc => "++_",
        UnaryOp::PreDec => "--_",
        UnaryOp::PostInc => "_++",
        UnaryOp::PostDec => "_--",
        UnaryOp::Real => "__real__",
        UnaryOp::Imag => "__imag__",
    }
}
