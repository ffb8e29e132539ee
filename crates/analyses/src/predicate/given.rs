//! Predicates that the user gives, as C: an expression over the plain variables of a function and the globals. It is
//! read by the front end, in a program of its own that declares just these variables.

use crate::BadOption;
use base::{Interner, SourceMap};
use cfa::{BinOp, Expr, ExprId, Exprs, FloatKind, FunctionId, Op, Program, Scalar, VarId};
use domains::predicate::GivenPredicate;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// The predicates of the texts: `FUNCTION: EXPRESSION`, or `EXPRESSION` for every function that has its variables.
pub fn parse(program: &Program, texts: &[String]) -> Result<Vec<GivenPredicate>, BadOption> {
    let mut all = Vec::new();
    for text in texts {
        let given = one(program, text).map_err(|why| BadOption(format!("predicate `{text}`: {why}")))?;
        all.extend(given);
    }
    Ok(all)
}

fn one(program: &Program, text: &str) -> Result<Vec<GivenPredicate>, String> {
    let (only, text) = match text.split_once(": ") {
        Some((name, rest)) => {
            let function = program.function_named(name.trim());
            (Some(function.ok_or_else(|| format!("no function is called `{}`", name.trim()))?), rest)
        }
        None => (None, text),
    };
    let mut given: Vec<GivenPredicate> = Vec::new();
    let mut why = "no function has all its variables".to_owned();
    for function in program.functions.ids().filter(|function| only.is_none_or(|only| only == *function)) {
        let visible = visible(program, function, text);
        let used = visible.values().any(|&var| program.vars[var].function.is_some());
        let place = (used || only.is_some()).then_some(function);
        if place.is_none() && given.iter().any(|given| given.function.is_none()) {
            continue;
        }
        match read(program, &visible, text) {
            Ok((exprs, predicate)) => given.push(GivenPredicate { function: place, exprs, predicate }),
            Err(reason) => why = reason,
        }
    }
    if given.is_empty() { Err(why) } else { Ok(given) }
}

/// The registers that the names in a text stand for inside a function.
fn visible<'t>(program: &Program, function: FunctionId, text: &'t str) -> BTreeMap<&'t str, VarId> {
    let names: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty()).collect();
    let mut found = BTreeMap::new();
    for (var, variable) in program.vars.iter() {
        let Some(&name) = names.iter().find(|name| **name == program.text(variable.name)) else { continue };
        if program.register(var).is_none() {
            continue;
        }
        match variable.function {
            Some(owner) if owner == function => drop(found.insert(name, var)),
            None => drop(found.entry(name).or_insert(var)),
            Some(_) => {}
        }
    }
    found
}

fn read(program: &Program, visible: &BTreeMap<&str, VarId>, text: &str) -> Result<(Exprs, ExprId), String> {
    let mut source = String::new();
    for (name, var) in visible {
        let ty = program.register(*var).expect("only registers are visible");
        writeln!(source, "{} {name};", c_type(ty)).expect("strings take all text");
    }
    write!(source, "int predicate(void) {{ return ({text}); }} int main(void) {{ return predicate(); }}")
        .expect("strings take all text");
    let (mut sources, mut interner) = (SourceMap::new(), Interner::default());
    let start = sources.add("predicate", source);
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut interner);
    let messages = |diagnostics: &[base::Diagnostic]| {
        diagnostics.iter().map(|one| one.message.clone()).collect::<Vec<_>>().join("; ")
    };
    if !diagnostics.is_empty() {
        return Err(messages(&diagnostics));
    }
    let options = lower::Options { model: program.model, ..lower::Options::default() };
    let small = lower::lower(vec![ast], interner, sources, &options)
        .map_err(|rejected| messages(&rejected.diagnostics))?
        .program;
    let function = small.function_named("predicate").expect("it was just written");
    let mut edges = small.edges.iter().filter(|(_, edge)| small.nodes[edge.from].function == function);
    let (Some((_, edge)), None) = (edges.next(), edges.next()) else {
        return Err("give one comparison at a time, without calls, `&&`, `||` and `?:`".to_owned());
    };
    let Op::Return(Some(value)) = edge.op else { return Err("it has no value".to_owned()) };
    let of = |var: VarId| visible.get(small.text(small.vars[var].name)).copied();
    let mut exprs = program.exprs.clone();
    let value = translate(&small.exprs, value, &mut exprs, &of).ok_or("it is not a comparison of variables")?;
    let zero = exprs.bits(exprs.ty(value), 0);
    let is_zero = exprs.binary(BinOp::Eq, value, zero);
    let truth = exprs.not(is_zero);
    Ok((exprs, truth))
}

/// An expression of one program in the store of another; operands have smaller numbers.
fn translate(from: &Exprs, root: ExprId, to: &mut Exprs, of: &dyn Fn(VarId) -> Option<VarId>) -> Option<ExprId> {
    let mut order = Vec::new();
    from.visit(root, |id, node| order.push((id, node)));
    let mut known: HashMap<ExprId, ExprId> = HashMap::new();
    for (id, node) in order {
        let ty = from.ty(id);
        let new = match node {
            Expr::Const { .. } => to.bits(ty, from.constant(id).expect("the node is a constant")),
            Expr::Var(var) => to.var(of(var)?, ty),
            Expr::Unary(op, a) => to.unary(op, known[&a]),
            Expr::Binary(op, a, b) => to.binary(op, known[&a], known[&b]),
            Expr::Cast(a) => to.cast(known[&a], ty),
            Expr::Ite(a, b, c) => to.ite(known[&a], known[&b], known[&c]),
            Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Living(_) => return None,
        };
        known.insert(id, new);
    }
    Some(known[&root])
}

/// A C type that is kept in a register of this type.
fn c_type(ty: Scalar) -> &'static str {
    match ty {
        Scalar::Bool => "_Bool",
        Scalar::Ptr => "char *",
        Scalar::Float(FloatKind::F16) => "_Float16",
        Scalar::Float(FloatKind::F32) => "float",
        Scalar::Float(FloatKind::F64) => "double",
        Scalar::Float(_) => "long double",
        Scalar::Int { bits, signed: true } => match bits {
            8 => "signed char",
            16 => "short",
            32 => "int",
            64 => "long long",
            _ => "__int128",
        },
        Scalar::Int { bits, signed: false } => match bits {
            8 => "unsigned char",
            16 => "unsigned short",
            32 => "unsigned int",
            64 => "unsigned long long",
            _ => "unsigned __int128",
        },
    }
}
