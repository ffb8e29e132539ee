//! The tree and the automaton of every form of expression, statement, declaration and type: one program that has them
//! all, and golden texts beside it (`UPDATE_EXPECT=1` writes new ones).

use base::{Interner, SourceMap};
use expect_test::expect_file;
use lower::{Options, lower};
use std::collections::BTreeSet;
use syntax::ast::{ArraySize, DeclKind, Designator, ExprKind, ForInit, LabelKind, StmtKind, TypeKind, UnaryOp};

const SOURCE: &str = include_str!("forms/forms.c");

fn parsed() -> (syntax::Ast, Interner, SourceMap) {
    let (mut names, mut sources) = (Interner::default(), SourceMap::new());
    let start = sources.add("forms.c", SOURCE.to_owned());
    let (ast, diagnostics) = syntax::parse(SOURCE, start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    (ast, names, sources)
}

#[test]
fn trees() {
    let (ast, names, _) = parsed();
    expect_file!["forms/tree.txt"].assert_eq(&ast.dump(&names));
}

#[test]
fn automata() {
    let (ast, names, sources) = parsed();
    let text = match lower(vec![ast], names, sources, &Options::default()) {
        Ok(lowered) => lowered.program.to_string(),
        Err(rejected) => rejected.diagnostics.iter().map(|found| found.render(&rejected.sources) + "\n").collect(),
    };
    expect_file!["forms/automata.txt"].assert_eq(&text);
}

#[test]
fn no_form_is_missing() {
    let (ast, ..) = parsed();
    let mut found = BTreeSet::new();
    for (_, expr) in ast.exprs.iter() {
        found.insert(expression(&expr.kind));
        match expr.kind {
            ExprKind::Unary { op, .. } => _ = found.insert(unary(op)),
            ExprKind::Binary { op, .. } => _ = found.insert(op.symbol()),
            ExprKind::Offsetof { path, .. } => found.extend(ast[path].iter().map(designator)),
            _ => {}
        }
    }
    for (_, list) in ast.init_lists.iter() {
        for item in &ast[list.items] {
            found.extend(ast[item.designators].iter().map(designator));
        }
    }
    for (_, stmt) in ast.stmts.iter() {
        found.insert(statement(&stmt.kind));
        match stmt.kind {
            StmtKind::Labeled { labels, .. } => found.extend(ast[labels].iter().map(|found| label(&found.kind))),
            StmtKind::For { head, .. } => _ = found.insert(start(&ast[head].init)),
            _ => {}
        }
    }
    found.extend(ast.decls.iter().map(|(_, decl)| declaration(&decl.kind)));
    found.extend(ast.types.iter().map(|(_, ty)| type_form(&ty.kind)));
    let missing: Vec<&str> = FORMS.iter().copied().filter(|form| !found.contains(form)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// What the functions below say, but for what only wrong programs have. A new form breaks them, and belongs here.
#[rustfmt::skip]
const FORMS: &[&str] = &[
    "name", "int", "char", "float", "string", "call", "index", "member", "arrow", "unary", "binary", "assign",
    "compound assign", "conditional", "elvis", "comma", "cast", "compound literal", "sizeof expr", "sizeof type",
    "alignof expr", "alignof type", "statement expr", "label address", "generic", "offsetof", "va_arg",
    "types compatible", "choose expr",
    "unary +", "unary -", "~", "!", "unary &", "unary *", "++x", "--x", "x++", "x--", "__real__", "__imag__",
    "*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||",
    ".field", "[index]", "[from ... to]",
    "empty", "expression", "declaration", "local labels", "block", "if", "if else", "while", "do", "for", "switch",
    "labeled", "goto", "computed goto", "break", "continue", "return", "return value", "asm",
    "case", "case range", "default", "label", "for (;", "for (expr;", "for (decl;",
    "declare", "define", "static assert", "file asm",
    "implicit", "basic", "complex", "va_list", "auto", "typedef", "record", "enum", "typeof expr", "typeof type",
    "atomic", "pointer", "array []", "array [*]", "array [n]", "array [static n]", "function",
];

fn expression(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Error => "error",
        ExprKind::Name(_) => "name",
        ExprKind::Int { .. } => "int",
        ExprKind::Char { .. } => "char",
        ExprKind::Float { .. } => "float",
        ExprKind::String(_) => "string",
        ExprKind::Call { .. } => "call",
        ExprKind::Index { .. } => "index",
        ExprKind::Member { arrow: false, .. } => "member",
        ExprKind::Member { arrow: true, .. } => "arrow",
        ExprKind::Unary { .. } => "unary",
        ExprKind::Binary { .. } => "binary",
        ExprKind::Assign { op: None, .. } => "assign",
        ExprKind::Assign { op: Some(_), .. } => "compound assign",
        ExprKind::Conditional { .. } => "conditional",
        ExprKind::Elvis { .. } => "elvis",
        ExprKind::Comma { .. } => "comma",
        ExprKind::Cast { .. } => "cast",
        ExprKind::CompoundLiteral { .. } => "compound literal",
        ExprKind::SizeofExpr(_) => "sizeof expr",
        ExprKind::SizeofType(_) => "sizeof type",
        ExprKind::AlignofExpr { .. } => "alignof expr",
        ExprKind::AlignofType { .. } => "alignof type",
        ExprKind::Stmt(_) => "statement expr",
        ExprKind::LabelAddress(_) => "label address",
        ExprKind::Generic { .. } => "generic",
        ExprKind::Offsetof { .. } => "offsetof",
        ExprKind::VaArg { .. } => "va_arg",
        ExprKind::TypesCompatible { .. } => "types compatible",
        ExprKind::ChooseExpr { .. } => "choose expr",
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "unary +",
        UnaryOp::Minus => "unary -",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::AddressOf => "unary &",
        UnaryOp::Deref => "unary *",
        UnaryOp::PreInc => "++x",
        UnaryOp::PreDec => "--x",
        UnaryOp::PostInc => "x++",
        UnaryOp::PostDec => "x--",
        UnaryOp::Real => "__real__",
        UnaryOp::Imag => "__imag__",
    }
}

fn designator(designator: &Designator) -> &'static str {
    match designator {
        Designator::Field(_) => ".field",
        Designator::Index(_) => "[index]",
        Designator::Range(..) => "[from ... to]",
    }
}

fn statement(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Error => "error",
        StmtKind::Empty { .. } => "empty",
        StmtKind::Expr(_) => "expression",
        StmtKind::Decl(_) => "declaration",
        StmtKind::LocalLabels(_) => "local labels",
        StmtKind::Compound(_) => "block",
        StmtKind::If { other: None, .. } => "if",
        StmtKind::If { other: Some(_), .. } => "if else",
        StmtKind::While { .. } => "while",
        StmtKind::DoWhile { .. } => "do",
        StmtKind::For { .. } => "for",
        StmtKind::Switch { .. } => "switch",
        StmtKind::Labeled { .. } => "labeled",
        StmtKind::Goto(_) => "goto",
        StmtKind::GotoComputed(_) => "computed goto",
        StmtKind::Break => "break",
        StmtKind::Continue => "continue",
        StmtKind::Return(None) => "return",
        StmtKind::Return(Some(_)) => "return value",
        StmtKind::Asm(_) => "asm",
    }
}

fn label(kind: &LabelKind) -> &'static str {
    match kind {
        LabelKind::Case(_) => "case",
        LabelKind::Range(..) => "case range",
        LabelKind::Default => "default",
        LabelKind::Name { .. } => "label",
    }
}

fn start(init: &ForInit) -> &'static str {
    match init {
        ForInit::None => "for (;",
        ForInit::Expr(_) => "for (expr;",
        ForInit::Decl(_) => "for (decl;",
    }
}

fn declaration(kind: &DeclKind) -> &'static str {
    match kind {
        DeclKind::Declaration { .. } => "declare",
        DeclKind::Function { .. } => "define",
        DeclKind::StaticAssert { .. } => "static assert",
        DeclKind::Asm(_) => "file asm",
    }
}

fn type_form(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Error => "error",
        TypeKind::Implicit => "implicit",
        TypeKind::Basic(_) => "basic",
        TypeKind::Complex(_) => "complex",
        TypeKind::VaList => "va_list",
        TypeKind::Auto => "auto",
        TypeKind::Typedef(_) => "typedef",
        TypeKind::Record(_) => "record",
        TypeKind::Enum(_) => "enum",
        TypeKind::TypeofExpr(_) => "typeof expr",
        TypeKind::TypeofType(_) => "typeof type",
        TypeKind::Atomic(_) => "atomic",
        TypeKind::Pointer(_) => "pointer",
        TypeKind::Array { size: ArraySize::None, .. } => "array []",
        TypeKind::Array { size: ArraySize::Star, .. } => "array [*]",
        TypeKind::Array { size: ArraySize::Expr(_), .. } => "array [n]",
        TypeKind::Array { size: ArraySize::Static(_), .. } => "array [static n]",
        TypeKind::Function { .. } => "function",
    }
}
