//! Reads expressions: first as trees, by C's precedence, then with types, from what is known of each place.

use super::lexer::{Key, Lexer, Literal, Reads};
use super::reader::Scope;
use crate::expr::{BinOp, ExprId, Exprs, Living, UnOp};
use crate::scalar::{FloatKind, Scalar};

/// An expression before its types are known, and where it begins.
struct Tree {
    at: usize,
    kind: Kind,
}

enum Kind {
    Literal(Literal, Option<Scalar>),
    Truth(bool),
    Local(Key),
    Global(Key),
    LocalAddress(Key),
    GlobalAddress(Key),
    FunctionAddress(Key),
    Defined(u32),
    Load(Scalar, Box<Tree>),
    Cast(Scalar, Box<Tree>),
    Unary(UnOp, Box<Tree>),
    Binary(Infix, Box<Tree>, Box<Tree>),
    Choice(Box<Tree>, Box<Tree>, Box<Tree>),
    /// About the pointer; of one about none, the pointer counts for nothing.
    Living(Living, Option<Box<Tree>>),
}

/// An operator as it is written.
#[derive(Clone, Copy, PartialEq)]
enum Infix {
    Plain(BinOp),
    Unequal,
    Greater,
    GreaterEqual,
}

/// Longer rows of one operator are refused: a tree of them would be too deep.
const MOST_IN_A_ROW: usize = 200;

/// An expression of the type that its place asks for.
pub(super) fn read_expr(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>, wanted: Option<Scalar>) -> Reads<ExprId> {
    let tree = choice(lexer)?;
    let id = typed(lexer, scope, &tree, wanted)?;
    let ty = scope.program.exprs.ty(id);
    match wanted {
        Some(wanted) if wanted != ty => {
            Err(lexer.error(tree.at, format!("expected a value of type {wanted}, not of {ty}")))
        }
        _ => Ok(id),
    }
}

fn choice(lexer: &mut Lexer<'_>) -> Reads<Tree> {
    lexer.deeper()?;
    let at = lexer.at();
    let condition = infix(lexer, 0)?;
    let tree = if lexer.takes("?") {
        let a = choice(lexer)?;
        lexer.expect(":")?;
        let b = choice(lexer)?;
        Tree { at, kind: Kind::Choice(Box::new(condition), Box::new(a), Box::new(b)) }
    } else {
        condition
    };
    lexer.shallower();
    Ok(tree)
}

/// The operator of a symbol, and how strongly it binds.
fn operator(symbol: &str) -> Option<(Infix, u8)> {
    use Infix::Plain;
    Some(match symbol {
        "||" => (Plain(BinOp::Or), 1),
        "&&" => (Plain(BinOp::And), 2),
        "|" => (Plain(BinOp::Or), 3),
        "^" => (Plain(BinOp::Xor), 4),
        "&" => (Plain(BinOp::And), 5),
        "==" => (Plain(BinOp::Eq), 6),
        "!=" => (Infix::Unequal, 6),
        "<" => (Plain(BinOp::Lt), 7),
        "<=" => (Plain(BinOp::Le), 7),
        ">" => (Infix::Greater, 7),
        ">=" => (Infix::GreaterEqual, 7),
        "<<" => (Plain(BinOp::Shl), 8),
        ">>" => (Plain(BinOp::Shr), 8),
        "+" => (Plain(BinOp::Add), 9),
        "-" => (Plain(BinOp::Sub), 9),
        "*" => (Plain(BinOp::Mul), 10),
        "/" => (Plain(BinOp::Div), 10),
        "%" => (Plain(BinOp::Rem), 10),
        _ => return None,
    })
}

/// Operators that bind stronger than `above`; equal ones group to the left.
fn infix(lexer: &mut Lexer<'_>, above: u8) -> Reads<Tree> {
    lexer.deeper()?;
    let mut left = prefix(lexer)?;
    let mut row = 0;
    while let Some((op, binds)) = operator(lexer.symbol())
        && binds > above
    {
        row += 1;
        if row > MOST_IN_A_ROW {
            return Err(lexer.wrong("a shorter row of operators"));
        }
        lexer.takes(lexer.symbol());
        let right = infix(lexer, binds)?;
        left = Tree { at: left.at, kind: Kind::Binary(op, Box::new(left), Box::new(right)) };
    }
    lexer.shallower();
    Ok(left)
}

fn prefix(lexer: &mut Lexer<'_>) -> Reads<Tree> {
    lexer.deeper()?;
    let at = lexer.at();
    let kind = prefix_kind(lexer)?;
    lexer.shallower();
    Ok(Tree { at, kind })
}

fn prefix_kind(lexer: &mut Lexer<'_>) -> Reads<Kind> {
    if lexer.starts_literal() {
        let (literal, ty) = lexer.literal()?;
        return Ok(Kind::Literal(literal, ty));
    }
    for (symbol, op) in [("!", UnOp::Not), ("-", UnOp::Neg), ("~", UnOp::BitNot)] {
        if lexer.takes(symbol) {
            return Ok(Kind::Unary(op, Box::new(prefix(lexer)?)));
        }
    }
    if lexer.takes("(") {
        let inner = choice(lexer)?;
        lexer.expect(")")?;
        return Ok(inner.kind);
    }
    if lexer.takes("%") {
        return Ok(Kind::Defined(lexer.small()?));
    }
    if lexer.takes("@") {
        return Ok(Kind::Global(lexer.key()?));
    }
    if lexer.takes("&") {
        return Ok(match (lexer.takes_word("fn"), lexer.takes("@")) {
            (true, _) => Kind::FunctionAddress(lexer.key()?),
            (false, true) => Kind::GlobalAddress(lexer.key()?),
            (false, false) => Kind::LocalAddress(lexer.key()?),
        });
    }
    if let Some(ty) = lexer.takes_scalar() {
        let is_load = lexer.takes("[");
        if !is_load {
            lexer.expect("(")?;
        }
        let inner = Box::new(choice(lexer)?);
        lexer.expect(if is_load { "]" } else { ")" })?;
        return Ok(if is_load { Kind::Load(ty, inner) } else { Kind::Cast(ty, inner) });
    }
    for truth in [true, false] {
        if lexer.takes_word(if truth { "true" } else { "false" }) {
            return Ok(Kind::Truth(truth));
        }
    }
    const CALLS: [(&str, UnOp); 8] = [
        ("fabs", UnOp::Abs),
        ("sqrt", UnOp::Sqrt),
        ("floor", UnOp::Floor),
        ("ceil", UnOp::Ceil),
        ("trunc", UnOp::Trunc),
        ("round", UnOp::Round),
        ("rint", UnOp::RoundEven),
        ("signbit", UnOp::SignBit),
    ];
    for (word, op) in CALLS {
        if lexer.takes_word(word) {
            lexer.expect("(")?;
            let inner = Box::new(choice(lexer)?);
            lexer.expect(")")?;
            return Ok(Kind::Unary(op, inner));
        }
    }
    if let Some(question) = living(lexer) {
        lexer.expect("(")?;
        let pointer = match question.pointer() {
            Some(_) => Some(Box::new(choice(lexer)?)),
            None => None,
        };
        lexer.expect(")")?;
        return Ok(Kind::Living(question, pointer));
    }
    lexer.key().map(Kind::Local).map_err(|_| lexer.wrong("an expression"))
}

/// The question that comes next, about no pointer yet.
fn living(lexer: &mut Lexer<'_>) -> Option<Living> {
    let any = ExprId(0);
    Living::all(any).find(|question| lexer.takes_word(question.name()))
}

/// Whether a tree takes its type from its place.
fn is_bare(tree: &Tree) -> bool {
    match &tree.kind {
        Kind::Literal(Literal::Whole { .. }, None) => true,
        Kind::Unary(UnOp::Neg | UnOp::BitNot, inner) => is_bare(inner),
        Kind::Binary(Infix::Plain(op), a, b) => {
            let arithmetic = !op.is_comparison() && !matches!(op, BinOp::Shl | BinOp::Shr | BinOp::PtrAdd);
            arithmetic && is_bare(a) && is_bare(b)
        }
        _ => false,
    }
}

fn typed(lexer: &Lexer<'_>, scope: &mut Scope<'_>, tree: &Tree, wanted: Option<Scalar>) -> Reads<ExprId> {
    let refuse = |message: String| Err(lexer.error(tree.at, message));
    let missing = |what: &str, key: &Key| Err(lexer.error(tree.at, format!("no {what} {}", key.0)));
    match &tree.kind {
        Kind::Truth(truth) => Ok(scope.program.exprs.bool(*truth)),
        Kind::Literal(literal, ty) => constant(lexer, scope, tree.at, *literal, *ty, wanted),
        Kind::Local(key) | Kind::Global(key) => {
            let var = if matches!(tree.kind, Kind::Local(_)) { scope.local(key) } else { scope.global(key) };
            let Some(var) = var else { return missing("variable", key) };
            match scope.program.register(var) {
                Some(ty) => Ok(scope.program.exprs.var(var, ty)),
                None => refuse(format!("{} is in memory", key.0)),
            }
        }
        Kind::LocalAddress(key) | Kind::GlobalAddress(key) => {
            let var = if matches!(tree.kind, Kind::LocalAddress(_)) { scope.local(key) } else { scope.global(key) };
            let Some(var) = var else { return missing("variable", key) };
            match scope.program.register(var) {
                None => Ok(scope.program.exprs.addr(var)),
                Some(_) => refuse(format!("{} is a register", key.0)),
            }
        }
        Kind::FunctionAddress(key) => match scope.function(key) {
            Some(function) => Ok(scope.program.exprs.function(function)),
            None => missing("function", key),
        },
        Kind::Defined(number) => match scope.defined.get(number) {
            Some(&id) => Ok(id),
            None => refuse(format!("%{number} is not defined")),
        },
        Kind::Load(ty, pointer) => {
            let pointer = typed(lexer, scope, pointer, Some(Scalar::Ptr))?;
            if scope.program.exprs.ty(pointer) != Scalar::Ptr || *ty == Scalar::Bool {
                return refuse("a load is of a value that memory holds, through a pointer".to_owned());
            }
            Ok(scope.program.exprs.load(pointer, *ty))
        }
        Kind::Cast(ty, inner) => {
            let inner = typed(lexer, scope, inner, None)?;
            let from = scope.program.exprs.ty(inner);
            if !Exprs::may_cast(from, *ty) {
                return refuse(format!("no cast from {from} to {ty}"));
            }
            Ok(scope.program.exprs.cast(inner, *ty))
        }
        Kind::Unary(op, inner) => {
            let inner = typed(lexer, scope, inner, if *op == UnOp::Not { None } else { wanted })?;
            let ty = scope.program.exprs.ty(inner);
            match Exprs::unary_type(*op, ty) {
                Some(_) => Ok(scope.program.exprs.unary(*op, inner)),
                None => refuse(format!("{op:?} of {ty}")),
            }
        }
        Kind::Living(question, pointer) => {
            let mut about = ExprId(0);
            if let Some(pointer) = pointer {
                about = typed(lexer, scope, pointer, Some(Scalar::Ptr))?;
                if scope.program.exprs.ty(about) != Scalar::Ptr {
                    return refuse(format!("{} of a pointer", question.name()));
                }
            }
            Ok(scope.program.exprs.living(question.about(|_| about)))
        }
        Kind::Binary(op, a, b) => binary(lexer, scope, tree.at, *op, (a, b), wanted),
        Kind::Choice(condition, a, b) => {
            let condition = typed(lexer, scope, condition, Some(Scalar::Bool))?;
            let (a, b) = both(lexer, scope, (a, b), wanted)?;
            let exprs = &mut scope.program.exprs;
            if exprs.ty(condition) != Scalar::Bool || exprs.ty(a) != exprs.ty(b) {
                return refuse("a choice is between two values of one type, by a truth value".to_owned());
            }
            Ok(exprs.ite(condition, a, b))
        }
    }
}

/// Two operands of one type; one that is bare takes the other's.
fn both(
    lexer: &Lexer<'_>,
    scope: &mut Scope<'_>,
    (a, b): (&Tree, &Tree),
    wanted: Option<Scalar>,
) -> Reads<(ExprId, ExprId)> {
    if is_bare(a) && !is_bare(b) {
        let b = typed(lexer, scope, b, wanted)?;
        let ty = scope.program.exprs.ty(b);
        return Ok((typed(lexer, scope, a, Some(ty))?, b));
    }
    let a = typed(lexer, scope, a, wanted)?;
    let ty = scope.program.exprs.ty(a);
    let offset = if ty == Scalar::Ptr && wanted == Some(Scalar::Ptr) { None } else { Some(ty) };
    Ok((a, typed(lexer, scope, b, offset)?))
}

fn binary(
    lexer: &Lexer<'_>,
    scope: &mut Scope<'_>,
    at: usize,
    infix: Infix,
    (a, b): (&Tree, &Tree),
    wanted: Option<Scalar>,
) -> Reads<ExprId> {
    let op = match infix {
        Infix::Plain(op) => op,
        Infix::Unequal => BinOp::Eq,
        Infix::Greater => BinOp::Lt,
        Infix::GreaterEqual => BinOp::Le,
    };
    let wanted = if op.is_comparison() { None } else { wanted };
    let (mut a, mut b) = match op {
        BinOp::Shl | BinOp::Shr => {
            let a = typed(lexer, scope, a, wanted)?;
            (a, typed(lexer, scope, b, None)?)
        }
        BinOp::Add if !is_bare(a) => {
            let a = typed(lexer, scope, a, wanted)?;
            let ty = scope.program.exprs.ty(a);
            let by = if ty == Scalar::Ptr { scope.program.model.offset_type() } else { ty };
            (a, typed(lexer, scope, b, Some(by))?)
        }
        _ => both(lexer, scope, (a, b), wanted)?,
    };
    let exprs = &mut scope.program.exprs;
    let op = if op == BinOp::Add && exprs.ty(a) == Scalar::Ptr { BinOp::PtrAdd } else { op };
    if matches!(infix, Infix::Greater | Infix::GreaterEqual) {
        std::mem::swap(&mut a, &mut b);
    }
    let (ta, tb) = (exprs.ty(a), exprs.ty(b));
    if exprs.binary_type(op, ta, tb).is_none() {
        return Err(lexer.error(at, format!("{op:?} of {ta} and {tb}")));
    }
    let id = exprs.binary(op, a, b);
    Ok(if infix == Infix::Unequal { exprs.not(id) } else { id })
}

fn constant(
    lexer: &Lexer<'_>,
    scope: &mut Scope<'_>,
    at: usize,
    literal: Literal,
    ty: Option<Scalar>,
    wanted: Option<Scalar>,
) -> Reads<ExprId> {
    let is_whole = |ty: &Scalar| ty.is_int() || *ty == Scalar::Ptr;
    let (usual, fits) = match literal {
        Literal::Whole { .. } => (Scalar::INT, wanted.filter(is_whole)),
        Literal::Float(_) => (Scalar::Float(FloatKind::F64), wanted.filter(|ty| ty.is_float())),
        Literal::Bits(_) => (Scalar::Float(FloatKind::F64), wanted),
    };
    let ty = ty.or(fits).unwrap_or(usual);
    let bits = match (literal, ty) {
        (Literal::Whole { negative, value }, ty) if is_whole(&ty) => {
            whole(ty.bits(scope.program.model), ty, negative, value)
        }
        (Literal::Float(value), Scalar::Float(FloatKind::F64)) => Some(u128::from(value.to_bits())),
        (Literal::Float(value), Scalar::Float(FloatKind::F32)) => Some(u128::from((value as f32).to_bits())),
        (Literal::Bits(bits), ty) if ty != Scalar::Bool => Some(bits),
        _ => None,
    };
    match bits {
        Some(bits) => Ok(scope.program.exprs.bits(ty, bits)),
        None => Err(lexer.error(at, format!("no such constant of type {ty}"))),
    }
}

/// The bits of a whole number, if the type has it.
fn whole(width: u32, ty: Scalar, negative: bool, value: u128) -> Option<u128> {
    let most = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let limit = match (ty.is_signed(), negative) {
        (true, false) => most >> 1,
        (true, true) => (most >> 1) + 1,
        (false, false) => most,
        (false, true) => 0,
    };
    let bits = if negative { value.wrapping_neg() & most } else { value };
    (value <= limit).then_some(bits)
}
