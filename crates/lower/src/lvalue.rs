//! Lvalues: the places that expressions denote, how they are read and written.

use crate::context::{Access, Definition, Entity, Lowering, Lowers, ObjectId, Value};
use crate::tags::FoundMember;
use crate::types::Ty;
use base::Span;
use cfa::types::{Type, TypeId};
use cfa::{BinOp, Check, ExprId, Op, Scalar, VarId};
use syntax::ast::{self, ExprKind, UnaryOp};

/// Where an lvalue lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Location {
    Register(VarId),
    /// At this address; also functions.
    Memory(ExprId),
    Bits(BitField),
}

/// A bit-field in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitField {
    /// Of the bytes around it.
    pub unit: ExprId,
    pub unit_bytes: u32,
    pub shift: u32,
    pub width: u32,
}

/// An lvalue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lvalue {
    pub ty: TypeId,
    pub location: Location,
    pub is_const: bool,
}

impl Lvalue {
    pub fn memory(ty: TypeId, address: ExprId) -> Self {
        Self { ty, location: Location::Memory(address), is_const: false }
    }
}

impl Lowering<'_> {
    /// The place that an expression denotes. Aggregate rvalues count, too: they lie in memory.
    pub fn place(&mut self, expr: ast::ExprId) -> Lowers<Lvalue> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.place_inner(expr))
    }

    fn place_inner(&mut self, expr: ast::ExprId) -> Lowers<Lvalue> {
        let ast::Expr { kind, span } = self.ast[expr];
        match kind {
            ExprKind::Name(name) => match self.names.lookup(name) {
                Some(Entity::Object(object)) => {
                    let is_global = self.objects[object].definition != Definition::Local;
                    if is_global && self.may_be_missing(name) {
                        self.missing_symbol("weak symbol that is not defined");
                    }
                    Ok(self.object_place(object))
                }
                Some(Entity::Function(callee)) => {
                    if self.may_be_missing(name) {
                        self.missing_symbol("address of a weak symbol that is not defined");
                    }
                    let ty = self.callees[callee].ty;
                    if self.is_nested(callee) {
                        return Ok(Lvalue::memory(ty, self.nested_address(callee)));
                    }
                    let function = self.function(callee);
                    Ok(Lvalue::memory(ty, self.program.exprs.function(function)))
                }
                Some(Entity::Constant { .. } | Entity::Typedef(_)) => self.not_a_place(span),
                None => self.undeclared_place(name, span),
            },
            ExprKind::String(string) => {
                let (ty, var) = (self.string_type(string), self.string_object(string));
                Ok(Lvalue::memory(ty, self.addr(var)))
            }
            ExprKind::CompoundLiteral { ty, init } => self.compound_literal(ty, init, span),
            ExprKind::Unary { op: UnaryOp::Deref, operand } => {
                let pointer = self.rvalue(operand)?;
                self.deref(pointer, span)
            }
            ExprKind::Unary { op: op @ (UnaryOp::Real | UnaryOp::Imag), operand } => {
                let place = self.place(operand)?;
                self.complex_part(place, op, span)
            }
            ExprKind::Index { base, index } => self.index_place(base, index, span),
            ExprKind::Member { base, name, arrow } => {
                let base = if arrow {
                    let pointer = self.rvalue(base)?;
                    self.deref(pointer, span)?
                } else {
                    self.place(base)?
                };
                self.member(base, name, span)
            }
            ExprKind::ChooseExpr { cond, then, other } => {
                let chosen = if self.constant_int(cond)?.0 != 0 { then } else { other };
                self.place(chosen)
            }
            ExprKind::Generic { control, arms } => {
                let chosen = self.generic_choice(control, arms, span)?;
                self.place(chosen)
            }
            _ => {
                let value = self.rvalue(expr)?;
                if self.is_aggregate(value.ty) {
                    Ok(Lvalue::memory(value.ty, value.expr))
                } else {
                    self.not_a_place(span)
                }
            }
        }
    }

    fn not_a_place<T>(&mut self, span: Span) -> Lowers<T> {
        self.error(span, "expected an lvalue: a variable, a member, an element or '*' of a pointer")
    }

    pub fn object_place(&mut self, object: ObjectId) -> Lvalue {
        let object = self.objects[object];
        let location = match object.access {
            Access::Register => Location::Register(object.var),
            Access::Memory => Location::Memory(self.addr(object.var)),
            Access::Indirect => Location::Memory(self.var(object.var)),
        };
        Lvalue { ty: object.ty, location, is_const: object.is_const }
    }

    pub fn deref(&mut self, pointer: Value, span: Span) -> Lowers<Lvalue> {
        match self.pointee(pointer.ty) {
            Some(to) => {
                let is_const = matches!(self.ty(to), Type::Const(_));
                Ok(Lvalue { is_const, ..Lvalue::memory(self.program.types.unqualified(to), pointer.expr) })
            }
            None => {
                let message = format!("expected a pointer, found '{}'", self.show(pointer.ty));
                self.error(span, message)
            }
        }
    }

    fn index_place(&mut self, base: ast::ExprId, index: ast::ExprId, span: Span) -> Lowers<Lvalue> {
        let only_address = std::mem::take(&mut self.only_address);
        let start = self.start();
        let (first, length) = self.indexed(base)?;
        let mut first = [first];
        let second = self.then(start, &mut first, |l| l.rvalue(index))?;
        let [first] = first;
        if let Some(vector) = self.vector(first.ty).filter(|_| self.is_integer(second.ty)) {
            return Ok(self.vector_index(vector, first.expr, second));
        }
        let (pointer, index) = if self.pointee(first.ty).is_some() { (first, second) } else { (second, first) };
        if !self.is_integer(index.ty) {
            return self.error(span, "expected a pointer and an integer index");
        }
        if let Some(length) = length {
            self.check_subscript(index, (length, length + u64::from(only_address)), span);
        }
        let moved = self.pointer_add(pointer, index, span)?;
        self.deref(moved, span)
    }

    /// What is indexed, with the number of elements if it is an array that is a part of an object and subscripts are to be
    /// checked. Whole objects are checked where they are accessed, and arrays at the end of a struct often go on after it.
    fn indexed(&mut self, base: ast::ExprId) -> Lowers<(Value, Option<u64>)> {
        let member = match self.ast[base].kind {
            ExprKind::Member { name, .. } => Some(name),
            ExprKind::Index { .. } | ExprKind::Unary { op: UnaryOp::Deref, .. } => None,
            _ => return Ok((self.rvalue(base)?, None)),
        };
        if !self.wants(Check::Subscript) {
            return Ok((self.rvalue(base)?, None));
        }
        let place = self.place(base)?;
        let length = match *self.ty(self.program.types.unqualified(place.ty)) {
            Type::Array(_, length) => Some(length),
            _ => None,
        };
        let length = length.filter(|_| !member.is_some_and(|name| self.may_end_a_struct(name, place.ty)));
        Ok((self.read(place), length))
    }

    /// Whether some struct ends with a member of this name and type, or a union has one.
    fn may_end_a_struct(&self, name: base::Symbol, ty: TypeId) -> bool {
        self.program.types.records.iter().any(|(_, record)| {
            let fields = record.fields.as_deref().unwrap_or_default();
            let last = if record.is_union { fields } else { &fields[fields.len().saturating_sub(1)..] };
            last.iter().any(|field| field.name == Some(name) && field.ty == ty)
        })
    }

    fn check_subscript(&mut self, index: Value, (length, end): (u64, u64), span: Span) {
        let size = self.program.model.size_type();
        let (at, end) = (self.cast(index.expr, size), self.number(size, end.into()));
        let violated = self.binary(BinOp::Le, end, at);
        let length = self.number(size, length.into());
        self.check(violated, Check::Subscript, span, [Some(index.expr), Some(length)]);
    }

    /// `pointer + index` in elements.
    pub fn pointer_add(&mut self, pointer: Value, index: Value, span: Span) -> Lowers<Value> {
        let Some(to) = self.pointee(pointer.ty) else {
            let message = format!("expected a pointer, found '{}'", self.show(pointer.ty));
            return self.error(span, message);
        };
        let size = self.size_expr(to, span)?;
        let offset = self.program.model.offset_type();
        let (index, size) = (self.cast(index.expr, offset), self.cast(size, offset));
        let bytes = self.binary(BinOp::Mul, index, size);
        self.check_pointer_sum(pointer.expr, bytes, span);
        Ok(Value { ty: pointer.ty, expr: self.binary(BinOp::PtrAdd, pointer.expr, bytes) })
    }

    pub fn complex_part(&mut self, place: Lvalue, op: UnaryOp, span: Span) -> Lowers<Lvalue> {
        match (self.ty(self.program.types.unqualified(place.ty)), place.location) {
            (&Type::Complex(kind), Location::Memory(address)) => {
                let part = self.intern(Type::Float(kind));
                let size = self.program.types.size(part).expect("floats have a size");
                let address = if op == UnaryOp::Imag { self.offset(address, size) } else { address };
                Ok(Lvalue::memory(part, address))
            }
            _ if op == UnaryOp::Real => Ok(place),
            _ => self.error(span, "expected a complex number"),
        }
    }

    /// `base.name`
    pub fn member(&mut self, base: Lvalue, name: base::Symbol, span: Span) -> Lowers<Lvalue> {
        let ty = self.program.types.unqualified(base.ty);
        let (Type::Record(record), Location::Memory(address)) = (self.ty(ty), base.location) else {
            let message = format!("expected a struct or union, found '{}'", self.show(ty));
            return self.error(span, message);
        };
        let (record, address) = (*record, address);
        if let Some(place) = self.variable_field(ty, address, name) {
            return Ok(Lvalue { is_const: base.is_const || place.is_const, ..place });
        }
        let is_union = self.program.types.records[record].is_union;
        match self.field(record, name) {
            Some(found) => {
                // Any other member may be read as this one.
                if is_union {
                    self.program.types.note_cast(self.basic.int, found.ty);
                }
                let place = self.field_place(address, found);
                Ok(Lvalue { is_const: base.is_const || place.is_const, ..place })
            }
            None => {
                let message = format!("'{}' has no member '{}'", self.show(ty), self.text(name));
                self.error(span, message)
            }
        }
    }

    /// A member of the record at `address`.
    pub fn field_place(&mut self, address: ExprId, found: FoundMember) -> Lvalue {
        match (found.bit_width, found.unit) {
            (Some(width), Some(unit)) => {
                let (start, end) = (8 * unit.offset, 8 * (unit.offset + u64::from(unit.bytes)));
                assert!(start <= found.bit_offset && found.bit_offset + u64::from(width) <= end, "it lies in its unit");
            }
            _ => assert!(found.bit_offset.is_multiple_of(8), "other members begin with a byte"),
        }
        let ty = self.program.types.unqualified(found.ty);
        let location = match (found.bit_width, found.unit) {
            (Some(width), Some(unit)) => Location::Bits(BitField {
                unit: self.offset(address, unit.offset),
                unit_bytes: unit.bytes,
                shift: (found.bit_offset - 8 * unit.offset) as u32,
                width,
            }),
            _ => Location::Memory(self.offset(address, found.bit_offset / 8)),
        };
        Lvalue { ty, location, is_const: matches!(self.ty(found.ty), Type::Const(_)) }
    }

    /// What a place holds; arrays and functions decay.
    pub fn read(&mut self, place: Lvalue) -> Value {
        match place.location {
            Location::Register(_) => {}
            Location::Bits(field) if field.unit_bytes > 16 => {}
            Location::Bits(field) => self.check_bits_written(field),
            Location::Memory(address) => match *self.ty(self.program.types.unqualified(place.ty)) {
                Type::Array(..) | Type::OpenArray(_) | Type::VariableArray(..) | Type::Function { .. } => {}
                _ => {
                    if let Some(scalar) = self.scalar(place.ty) {
                        self.check_written(address, scalar.bytes(self.program.model));
                        self.check_truth(place.ty, address);
                    }
                }
            },
        }
        self.read_given(place)
    }

    /// [`Lowering::read`] of what the translation itself has written.
    pub fn read_given(&mut self, place: Lvalue) -> Value {
        match place.location {
            Location::Register(var) => Value { ty: place.ty, expr: self.var(var) },
            Location::Bits(field) => self.read_bits(field, place.ty),
            Location::Memory(address) => match *self.ty(self.program.types.unqualified(place.ty)) {
                Type::Array(element, _) | Type::OpenArray(element) | Type::VariableArray(element, _) => {
                    Value { ty: self.pointer_into(place, element), expr: address }
                }
                Type::Function { .. } => Value { ty: self.pointer_to(place.ty), expr: address },
                _ => match self.scalar(place.ty) {
                    Some(scalar) => Value { ty: place.ty, expr: self.load(address, scalar) },
                    None => Value { ty: place.ty, expr: address },
                },
            },
        }
    }

    /// The type of a pointer to a part of a place, which is const where the place is.
    fn pointer_into(&mut self, place: Lvalue, part: TypeId) -> TypeId {
        let part = self.qualified(Ty { is_const: place.is_const, ..part.into() });
        self.pointer_to(part)
    }

    /// Reads narrower than `int` are promoted at once: no construct sees the unpromoted type of a bit-field.
    fn read_bits(&mut self, field: BitField, ty: TypeId) -> Value {
        if field.unit_bytes > 16 {
            return self.unsupported_value("bit-field of more than 128 bits around it", ty);
        }
        let declared = self.scalar(ty).expect("bit-fields are integers");
        let unit_bits = 8 * field.unit_bytes;
        let unit = self.load(field.unit, Scalar::int(unit_bits, false));
        let value = self.extract(unit, field, declared.is_signed());
        self.bits_value(field, ty, value)
    }

    /// The value of a bit-field as expressions see it. gcc computes in as many bits as the field has, but narrow ones
    /// are promoted, and 32 of a wider type are an `int`.
    fn bits_value(&mut self, field: BitField, ty: TypeId, value: ExprId) -> Value {
        let declared = self.scalar(ty).expect("bit-fields are integers");
        let signed = declared.is_signed();
        let ty = match field.width {
            _ if matches!(self.ty(ty), Type::Bool) => ty,
            ..32 => self.basic.int,
            32 if signed => self.basic.int,
            32 => self.basic.uint,
            width if width < declared.bits(self.program.model) => self.intern(Type::Bits { width, signed }),
            _ => ty,
        };
        let scalar = self.scalar(ty).expect("integers are scalars");
        Value { ty, expr: self.cast(value, scalar) }
    }

    /// `width` bits from `shift` on, extended by the sign given, in the width of the unit.
    fn extract(&mut self, unit: ExprId, field: BitField, signed: bool) -> ExprId {
        let bits = 8 * field.unit_bytes;
        assert!(field.shift + field.width <= bits, "the field lies in its unit");
        let amount = |l: &mut Self, n: u32| l.number(Scalar::INT, n.into());
        if signed {
            let unit = self.cast(unit, Scalar::int(bits, true));
            let (up, down) = (amount(self, bits - field.shift - field.width), amount(self, bits - field.width));
            let raised = self.binary(BinOp::Shl, unit, up);
            self.binary(BinOp::Shr, raised, down)
        } else {
            let down = amount(self, field.shift);
            let lowered = self.binary(BinOp::Shr, unit, down);
            let mask = self.program.exprs.bits(Scalar::int(bits, false), semantics::scalar::mask(field.width));
            self.binary(BinOp::And, lowered, mask)
        }
    }

    /// Writes a value that was converted to the place's type.
    pub fn write(&mut self, place: Lvalue, value: Value, span: Span) -> Lowers<()> {
        match place.location {
            Location::Register(var) => {
                // Nothing changes if it is assigned to itself, but it is read, which may be too early.
                if self.var(var) != value.expr || self.wants(Check::Uninitialised) {
                    self.emit(Op::Assign(var, value.expr));
                }
            }
            Location::Bits(field) => self.write_bits(field, value),
            Location::Memory(address) if self.is_aggregate(place.ty) => {
                let size = self.size_expr(place.ty, span)?;
                if !self.is_zero(size) {
                    self.emit(Op::Copy { to: address, from: value.expr, size });
                }
            }
            Location::Memory(address) => self.emit(Op::Store { to: address, value: value.expr }),
        }
        Ok(())
    }

    fn write_bits(&mut self, field: BitField, value: Value) {
        if field.unit_bytes > 16 {
            self.unsupported("bit-field of more than 128 bits around it");
            return;
        }
        let bits = 8 * field.unit_bytes;
        let unit = Scalar::int(bits, false);
        let value = self.cast(value.expr, unit);
        let mask = semantics::scalar::mask(field.width);
        let combined = if field.width == bits {
            value
        } else {
            let low = self.program.exprs.bits(unit, mask);
            let cut = self.binary(BinOp::And, value, low);
            let shift = self.number(Scalar::INT, field.shift.into());
            let shifted = self.binary(BinOp::Shl, cut, shift);
            let old = self.load(field.unit, unit);
            let others = self.program.exprs.bits(unit, !(mask << field.shift));
            let kept = self.binary(BinOp::And, old, others);
            self.binary(BinOp::Or, kept, shifted)
        };
        self.emit(Op::Store { to: field.unit, value: combined });
    }

    /// The value that an assignment to the place leaves there: bit-fields cut it.
    pub fn as_stored(&mut self, place: Lvalue, value: Value) -> Value {
        let Location::Bits(field) = place.location else { return value };
        let Some(declared) = self.scalar(place.ty) else { return value };
        let width = declared.bits(self.program.model);
        let as_unit = BitField { unit_bytes: width / 8, shift: 0, ..field };
        let unsigned = self.cast(value.expr, Scalar::int(width, false));
        let cut = self.extract(unsigned, as_unit, declared.is_signed());
        self.bits_value(field, place.ty, cut)
    }

    /// `&expr`
    pub fn address_of(&mut self, expr: ast::ExprId, span: Span) -> Lowers<Value> {
        // One past the end has an address. It is the element itself that this is about, not what leads to it.
        self.only_address = matches!(self.ast[expr].kind, ExprKind::Index { .. });
        let place = self.place(expr)?;
        let ty = self.pointer_into(place, place.ty);
        match place.location {
            Location::Memory(address) => Ok(Value { ty, expr: address }),
            Location::Bits(_) => self.error(span, "a bit-field has no address"),
            Location::Register(_) => Ok(self.unsupported_value("address of a register", ty)),
        }
    }
}
