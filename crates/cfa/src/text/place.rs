//! Places in memory as C names them: a pointer that is a variable's address or a typed pointer plus offsets is
//! matched against the C type, so that a load prints as `s.f`, `p->f` or `a[i]`. Best effort: where offsets and
//! types do not fit, the caller prints the pointer arithmetic itself.

use super::expr::{POSTFIX, Piece, UNARY};
use crate::expr::{BinOp, Expr, ExprId};
use crate::program::{Program, VarKind};
use crate::scalar::Scalar;
use crate::types::{RecordId, Type, TypeId};

/// How many pointers in a row (`p->next->next`) are followed.
const MAX_DEPTH: u32 = 40;

/// The load or store of `ty` at a pointer, and how strongly its text binds.
pub(super) fn lvalue(program: &Program, pointer: ExprId, ty: Scalar) -> (Vec<Piece>, u8) {
    if let Some(place) = place(program, pointer, MAX_DEPTH)
        && let Some(pieces) = place.finish(program, |program, at| program.types.scalar(at) == Some(ty))
    {
        return pieces;
    }
    (vec![Piece::Text(format!("*({ty}*)")), Piece::Expr(pointer, UNARY)], UNARY)
}

/// `&s.f` or `&a[i]`, for a pointer that is not just a variable's address.
pub(super) fn address(program: &Program, pointer: ExprId) -> Option<(Vec<Piece>, u8)> {
    let place = place(program, pointer, MAX_DEPTH)?;
    if place.deref && place.offset == 0 && place.steps == 0 {
        return None;
    }
    let (mut pieces, _) = place.finish(program, |_, _| true)?;
    pieces.insert(0, Piece::Text("&".to_owned()));
    Some((pieces, UNARY))
}

/// A place on the way: `pieces` denote an object of type `ty` (or, if `deref`, a pointer to one), and the place
/// meant lies `offset` bytes into it.
struct Lvalue {
    pieces: Vec<Piece>,
    ty: TypeId,
    deref: bool,
    offset: i128,
    steps: u32,
}

enum Offset {
    Bytes(i128),
    Scaled(ExprId, i128),
}

/// The place that a pointer points to.
fn place(program: &Program, pointer: ExprId, depth: u32) -> Option<Lvalue> {
    let exprs = &program.exprs;
    let mut offsets = Vec::new();
    let mut base = pointer;
    while let Expr::Binary(BinOp::PtrAdd, inner, offset) = exprs.node(base) {
        offsets.push(offset_of(program, offset)?);
        base = inner;
    }
    let mut place = match exprs.node(base) {
        Expr::Addr(var) if program.vars[var].kind != VarKind::Literal => {
            let pieces = vec![Piece::Text(program.unique_var_name(var))];
            Lvalue { pieces, ty: program.vars[var].ty, deref: false, offset: 0, steps: 0 }
        }
        Expr::Var(var) => {
            let Type::Pointer(ty) = *program.types.get(program.types.unqualified(program.vars[var].ty)) else {
                return None;
            };
            let pieces = vec![Piece::Text(program.unique_var_name(var))];
            Lvalue { pieces, ty, deref: true, offset: 0, steps: 0 }
        }
        Expr::Load(inner) if depth > 0 => {
            let place = place(program, inner, depth - 1)?;
            let is_pointer = |program: &Program, at| matches!(program.types.get(at), Type::Pointer(_));
            let (found, (pieces, binds)) = place.finish_typed(program, is_pointer)?;
            let Type::Pointer(ty) = *program.types.get(found) else { return None };
            let pieces = if binds < POSTFIX { parenthesised(pieces) } else { pieces };
            Lvalue { pieces, ty, deref: true, offset: 0, steps: 0 }
        }
        _ => return None,
    };
    for offset in offsets.into_iter().rev() {
        match offset {
            Offset::Bytes(bytes) => place.offset += bytes,
            Offset::Scaled(index, scale) => place.index(program, index, scale)?,
        }
    }
    Some(place)
}

fn parenthesised(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.insert(0, Piece::Text("(".to_owned()));
    pieces.push(Piece::Text(")".to_owned()));
    pieces
}

/// A byte offset as a constant, or an index times a constant.
fn offset_of(program: &Program, offset: ExprId) -> Option<Offset> {
    let exprs = &program.exprs;
    let signed = |bits: u128| {
        let unused = 128 - program.model.pointer_bits();
        (bits << unused) as i128 >> unused
    };
    if let Some(bits) = exprs.constant(offset) {
        return Some(Offset::Bytes(signed(bits)));
    }
    let (index, scale) = match exprs.node(offset) {
        Expr::Binary(BinOp::Mul, index, scale) => (index, signed(exprs.constant(scale)?)),
        _ => (offset, 1),
    };
    // The conversion to the offset type is what C's indexing does anyway.
    let index = match exprs.node(index) {
        Expr::Cast(narrow) if exprs.ty(narrow).is_int() && widens(program, narrow) => narrow,
        _ => index,
    };
    Some(Offset::Scaled(index, scale))
}

fn widens(program: &Program, narrow: ExprId) -> bool {
    program.exprs.ty(narrow).bits(program.model) <= program.model.pointer_bits()
}

impl Lvalue {
    /// Moves into the object until the place is the type's start and the type is accepted.
    fn finish(self, program: &Program, accepts: impl Fn(&Program, TypeId) -> bool) -> Option<(Vec<Piece>, u8)> {
        Some(self.finish_typed(program, accepts)?.1)
    }

    fn finish_typed(
        mut self,
        program: &Program,
        accepts: impl Fn(&Program, TypeId) -> bool,
    ) -> Option<(TypeId, (Vec<Piece>, u8))> {
        loop {
            let ty = program.types.unqualified(self.ty);
            if self.offset == 0 && accepts(program, ty) {
                let binds = if self.deref { UNARY } else { POSTFIX };
                if self.deref {
                    self.pieces.insert(0, Piece::Text("*".to_owned()));
                }
                return Some((ty, (self.pieces, binds)));
            }
            self.step(program, &accepts)?;
        }
    }

    /// Moves to the array of elements of `scale` bytes and takes element `index` of it.
    fn index(&mut self, program: &Program, index: ExprId, scale: i128) -> Option<()> {
        loop {
            let ty = program.types.unqualified(self.ty);
            let size = |ty| program.types.size(ty).map(i128::from);
            let element = match *program.types.get(ty) {
                Type::Array(element, _) | Type::OpenArray(element) => Some(element),
                _ => None,
            };
            if self.offset == 0 && self.deref && size(ty) == Some(scale) && self.steps == 0 {
                self.deref = false;
            } else if self.offset == 0 && element.and_then(size) == Some(scale) {
                self.dereference();
                self.ty = element?;
            } else {
                self.step(program, &|program: &Program, at| matches!(program.types.get(at), Type::Array(..)))?;
                continue;
            }
            self.steps += 1;
            self.pieces.push(Piece::Text("[".to_owned()));
            self.pieces.push(Piece::Expr(index, 0));
            self.pieces.push(Piece::Text("]".to_owned()));
            return Some(());
        }
    }

    fn dereference(&mut self) {
        if std::mem::take(&mut self.deref) {
            let pieces = std::mem::take(&mut self.pieces);
            self.pieces = vec![Piece::Text("(*".to_owned())];
            self.pieces.extend(pieces);
            self.pieces.push(Piece::Text(")".to_owned()));
        }
    }

    /// One member or element deeper.
    fn step(&mut self, program: &Program, accepts: &impl Fn(&Program, TypeId) -> bool) -> Option<()> {
        let ty = program.types.unqualified(self.ty);
        let size = |ty| program.types.size(ty).map(i128::from).filter(|&size| size > 0);
        if self.deref && size(ty).is_some_and(|size| !(0..size).contains(&self.offset)) {
            let size = size(ty)?;
            self.element(self.offset.div_euclid(size), size);
            self.deref = false;
            return Some(());
        }
        match *program.types.get(ty) {
            Type::Array(element, length) if self.offset >= 0 => {
                let size = size(element)?;
                if self.offset / size >= i128::from(length) {
                    return None;
                }
                self.dereference();
                self.element(self.offset / size, size);
                self.ty = element;
            }
            Type::Record(record) => self.member(program, record, accepts)?,
            _ => return None,
        }
        Some(())
    }

    fn element(&mut self, index: i128, size: i128) {
        self.pieces.push(Piece::Text(format!("[{index}]")));
        self.offset -= index * size;
        self.steps += 1;
    }

    fn member(
        &mut self,
        program: &Program,
        record: RecordId,
        accepts: &impl Fn(&Program, TypeId) -> bool,
    ) -> Option<()> {
        let covering = program.types.records[record].fields.as_ref()?.iter().filter(|field| {
            let size = program.types.size(field.ty).map_or(0, i128::from);
            let start = i128::from(field.bit_offset / 8);
            field.bit_width.is_none() && (start..start + size).contains(&self.offset)
        });
        // Of a union's members, one that is the place itself is best.
        let exact = covering.clone().find(|field| {
            i128::from(field.bit_offset / 8) == self.offset && accepts(program, program.types.unqualified(field.ty))
        });
        let field = exact.or_else(|| covering.clone().next())?;
        if let Some(name) = field.name {
            let dot = if std::mem::take(&mut self.deref) { "->" } else { "." };
            self.pieces.push(Piece::Text(format!("{dot}{}", program.text(name))));
        }
        self.offset -= i128::from(field.bit_offset / 8);
        self.ty = field.ty;
        self.steps += 1;
        Some(())
    }
}
