//! A proof as the invariants that witnesses speak of: C expressions at loops and statements.

use crate::c_expr::Printer;
use crate::code::{Code, Form, Statement};
use base::Span;
use cfa::{Node, Program, VarId};
use std::collections::BTreeMap;
use verdict::{Proof, Ranked, Summand};

/// An invariant at a place of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFact {
    /// Whether it holds whenever the loop's condition is about to be evaluated, or just before the statement.
    pub kind: FactKind,
    /// The statement.
    pub statement: Span,
    /// A C expression in scope there.
    pub value: String,
}

/// Where an invariant holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FactKind {
    /// Whenever the condition of the loop is about to be evaluated.
    Loop,
    /// Just before the statement.
    Statement,
}

/// By place (the byte where names are looked up, the kind, the statement): the location, and what is known there.
type Found = BTreeMap<Key, Option<(Node, Vec<String>)>>;
type Key = (u32, FactKind, Span);

/// The invariants of a proof that have a place and a text. Leaving some out makes the witness weaker, not wrong.
pub fn facts(program: &Program, code: &Code, proof: &Proof) -> Vec<SourceFact> {
    // Of several locations at one place each has its own invariant, of which only the disjunction would hold; such
    // places are left out.
    let mut found = Found::new();
    for &(node, invariant) in &proof.invariants {
        let Some((kind, statement, at)) = place(program, code, node) else { continue };
        let name = |var| code.name_at(program, var, at);
        let printer = Printer { program, exprs: &proof.exprs, name: &name };
        let entry = found.entry((at, kind, statement.span)).or_insert_with(|| Some((node, Vec::new())));
        match entry {
            Some((known, conjuncts)) if *known == node => conjuncts.extend(printer.conjuncts(invariant)),
            Some(_) | None => *entry = None,
        }
    }
    let fact = |((_, kind, statement), known): (Key, Option<(Node, Vec<String>)>)| {
        let conjuncts = known?.1;
        (!conjuncts.is_empty()).then(|| SourceFact { kind, statement, value: conjuncts.join(" && ") })
    };
    found.into_iter().filter_map(fact).collect()
}

/// What measures say of two visits of a loop: each is smaller than at every earlier visit, in lexicographic order.
pub fn transitions(program: &Program, code: &Code, proof: &Proof) -> Vec<SourceFact> {
    let mut found = Vec::new();
    for measured in &proof.measures {
        let Some((FactKind::Loop, statement, at)) = place(program, code, measured.node) else { continue };
        let now = |var: VarId| code.name_at(program, var, at);
        let earlier = |var: VarId| Some(format!("\\at({}, AnyPrev)", now(var)?));
        let mut value: Option<String> = None;
        let mut whole = !measured.ranked.is_empty();
        for number in measured.ranked.iter().rev() {
            let (Some(now), Some(earlier)) = (sum(number, &now), sum(number, &earlier)) else {
                whole = false;
                break;
            };
            let less = format!("{now} < {earlier}");
            value = Some(value.map_or(less.clone(), |later| format!("{less} || ({now} == {earlier} && ({later}))")));
        }
        if let Some(value) = value.filter(|_| whole) {
            found.push(SourceFact { kind: FactKind::Loop, statement: statement.span, value });
        }
    }
    found
}

/// A number of a measure in C, computed without overflow.
fn sum(number: &Ranked, name: &impl Fn(VarId) -> Option<String>) -> Option<String> {
    let mut text = String::from("(0LL");
    for (negated, part) in &number.parts {
        let sign = if *negated { '-' } else { '+' };
        let part = match part {
            Summand::Variable(var) => name(*var)?,
            Summand::Number(value) => format!("{value}LL"),
        };
        text += &format!(" {sign} ({part})");
    }
    text.push(')');
    Some(if number.cut { format!("({text} > 0 ? {text} : 0LL)") } else { text })
}

/// The statement that a location belongs to, and the byte where names are looked up.
fn place<'c>(program: &Program, code: &'c Code, node: Node) -> Option<(FactKind, &'c Statement, u32)> {
    let first = program.leaving(node).next()?;
    let span = program.edges[first].span;
    if span.start == span.end {
        return None;
    }
    let statement = code.statement_around(span)?;
    let position = program.sources.position(statement.span);
    let line = program.sources.line_text(statement.span);
    let written =
        |keyword: &str| line.get(position.column as usize - 1..).is_some_and(|rest| rest.starts_with(keyword));
    match statement.form {
        Form::While(_) | Form::For(Ok(_)) => {
            let condition = code.span(code.condition(statement)?);
            let evaluates = condition.start <= span.start && span.end <= condition.end;
            let keyword = if matches!(statement.form, Form::While(_)) { "while" } else { "for" };
            let is_head = program.nodes[node].loop_head && evaluates && written(keyword);
            is_head.then_some((FactKind::Loop, statement, condition.start))
        }
        Form::Plain | Form::Declaration | Form::If(_) if statement.in_block => {
            let inside = |span: Span| statement.span.start <= span.start && span.end <= statement.span.end;
            let entering = program.entering(node);
            let is_first = entering.iter().all(|&edge| !inside(program.edges[edge].span));
            let whole = program.leaving(node).all(|edge| inside(program.edges[edge].span));
            (is_first && whole && !line.trim_start().starts_with('#')).then_some((
                FactKind::Statement,
                statement,
                statement.span.start,
            ))
        }
        Form::Plain | Form::Declaration | Form::If(_) | Form::DoWhile(_) | Form::For(Err(_)) => None,
        Form::Switch(_) | Form::Block | Form::Labelled => None,
    }
}
