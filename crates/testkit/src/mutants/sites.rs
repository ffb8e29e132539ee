//! Where Rust code can be made a little wrong.

use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ImplItemFn, Item, ItemFn, Lit, Stmt, UnOp};

/// How a mutant is put into the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// Instead of an expression.
    Expression,
    /// A condition that then is always true.
    True,
    /// A condition that then is always false.
    False,
    /// A statement that then is left out.
    Statement,
}

/// One small change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What stands there in the mutant; empty where `wrap` says it all.
    pub mutated: String,
    /// How it is put there.
    pub wrap: Wrap,
}

/// All changes of a file. Tests, constants, patterns, types and macros stay as they are.
pub fn sites(text: &str) -> Result<Vec<Site>, String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut finder = Finder { text, found: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.found)
}

struct Finder<'t> {
    text: &'t str,
    found: Vec<Site>,
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Ident>().is_ok_and(|argument| argument == "test")
    })
}

/// Whether the condition binds names, which cannot be put into another expression.
fn binds(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        Expr::Paren(inner) => binds(&inner.expr),
        _ => false,
    }
}

/// The operator that is written instead.
fn other(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::Add(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "+",
        BinOp::Div(_) => "*",
        BinOp::Rem(_) => "/",
        BinOp::BitAnd(_) => "|",
        BinOp::BitOr(_) => "&",
        BinOp::BitXor(_) => "|",
        BinOp::Shl(_) => ">>",
        BinOp::Shr(_) => "<<",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::BitAndAssign(_) => "|=",
        BinOp::BitOrAssign(_) => "&=",
        BinOp::ShlAssign(_) => ">>=",
        BinOp::ShrAssign(_) => "<<=",
        _ => return None,
    })
}

/// The method that is called instead.
fn other_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "min" => "max",
        "max" => "min",
        "any" => "all",
        "all" => "any",
        "is_some" => "is_none",
        "is_none" => "is_some",
        "is_ok" => "is_err",
        "is_err" => "is_ok",
        _ => return None,
    })
}

impl Finder<'_> {
    fn add(&mut self, expr: &impl Spanned, mutated: String, wrap: Wrap) {
        self.found.push(Site { range: expr.span().byte_range(), mutated, wrap });
    }

    fn of(&self, part: &impl Spanned) -> &str {
        &self.text[part.span().byte_range()]
    }

    fn condition(&mut self, condition: &Expr) {
        if !binds(condition) {
            self.add(condition, String::new(), Wrap::True);
            self.add(condition, String::new(), Wrap::False);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Const(_) | Item::Static(_) | Item::Macro(_) => {}
            Item::Mod(module) if is_test(&module.attrs) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if function.sig.constness.is_none() && !is_test(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_), Some(_)) = statement {
            self.add(statement, String::new(), Wrap::Statement);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_if(&mut self, expr: &'ast syn::ExprIf) {
        self.condition(&expr.cond);
        visit::visit_expr_if(self, expr);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Binary(binary) if !binds(expr) => {
                if let Some(operator) = other(&binary.op) {
                    let mutated = format!("{} {operator} {}", self.of(&binary.left), self.of(&binary.right));
                    self.add(expr, mutated, Wrap::Expression);
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let mutated = self.of(&unary.expr).to_owned();
                self.add(expr, mutated, Wrap::Expression);
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Bool(value) => self.add(expr, (!value.value).to_string(), Wrap::Expression),
                Lit::Int(value) => {
                    if let Ok(number) = value.base10_parse::<u64>() {
                        let mutated = format!("{}{}", number.wrapping_add(1), value.suffix());
                        self.add(expr, mutated, Wrap::Expression);
                    }
                }
                _ => {}
            },
            Expr::MethodCall(call) => {
                if let Some(name) = other_method(&call.method.to_string()) {
                    let (whole, method) = (expr.span().byte_range(), call.method.span().byte_range());
                    let (before, after) = (&self.text[whole.start..method.start], &self.text[method.end..whole.end]);
                    self.add(expr, format!("{before}{name}{after}"), Wrap::Expression);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_changed_is_found() {
        let text = "const N: u32 = 1 + 2; fn f(a: u32) -> bool { g(); if a < 3 { return true; } !(a == N) }
            #[cfg(test)] mod tests { fn t() { assert!(1 < 2); } }";
        let found = sites(text).expect("it is Rust");
        let texts: Vec<(&str, &str, Wrap)> =
            found.iter().map(|site| (&text[site.range.clone()], site.mutated.as_str(), site.wrap)).collect();
        let expected = [
            ("g();", "", Wrap::Statement),
            ("a < 3", "", Wrap::True),
            ("a < 3", "", Wrap::False),
            ("a < 3", "a <= 3", Wrap::Expression),
            ("3", "4", Wrap::Expression),
            ("true", "false", Wrap::Expression),
            ("!(a == N)", "(a == N)", Wrap::Expression),
            ("a == N", "a != N", Wrap::Expression),
        ];
        assert_eq!(texts, expected);
    }
}
