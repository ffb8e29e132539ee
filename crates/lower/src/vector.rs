//! Vector types of gcc (`vector_size`): records of their elements, so that they are copied, passed and initialised like
//! other records. Operators work on each element; casts between vectors keep the bytes.

use crate::context::{Lowering, Lowers, Value};
use crate::lvalue::Lvalue;
use crate::operator::is_comparison;
use base::Span;
use cfa::types::{Field, IntKind, Record, Type, TypeId};
use cfa::{BinOp, DataModel, ExprId, FloatKind, Op};
use syntax::ast::{self, BinaryOp, List, UnaryOp};

/// The tag of their records, which no C text can name.
const TAG: &str = "vector type";

/// What a vector type consists of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector {
    element: TypeId,
    /// Bytes of an element.
    width: u64,
    count: u64,
}

impl Lowering<'_> {
    /// The type with `vector_size(bytes)`: the attribute belongs to what pointers, arrays and functions are made of.
    pub fn with_vector_size(&mut self, ty: TypeId, bytes: u64) -> TypeId {
        match self.ty(ty).clone() {
            Type::Float(FloatKind::F16) => self.opaque("__vector", bytes, bytes),
            Type::Int(_) | Type::Float(_) => self.vector_type(ty, bytes),
            Type::Enum(id) => {
                let repr = self.program.types.enums[id].repr;
                let element = self.intern(Type::Int(repr));
                self.vector_type(element, bytes)
            }
            Type::Pointer(to) => {
                let to = self.with_vector_size(to, bytes);
                self.pointer_to(to)
            }
            Type::Const(inner) => {
                let inner = self.with_vector_size(inner, bytes);
                self.intern(Type::Const(inner))
            }
            Type::Array(element, length) => {
                let element = self.with_vector_size(element, bytes);
                self.intern(Type::Array(element, length))
            }
            Type::OpenArray(element) => {
                let element = self.with_vector_size(element, bytes);
                self.intern(Type::OpenArray(element))
            }
            Type::Function { result, params, variadic, prototyped } => {
                let result = self.with_vector_size(result, bytes);
                self.intern(Type::Function { result, params, variadic, prototyped })
            }
            Type::Record(_) if self.vector(ty).is_some() => ty,
            Type::Void | Type::Bool | Type::Record(_) | Type::VariableArray(..) => {
                self.opaque("__vector", bytes, bytes)
            }
            Type::Complex(_) | Type::Bits { .. } => self.opaque("__vector", bytes, bytes),
        }
    }

    fn vector_type(&mut self, element: TypeId, bytes: u64) -> TypeId {
        // What we do not know of vectors makes the function around it unsupported, not wrong.
        self.has_opaque = true;
        let tag = Some(self.program.names.intern(TAG));
        let width = self.program.types.size(element).expect("numbers have a size");
        if bytes < width || !bytes.is_power_of_two() {
            return self.opaque("__vector", bytes, bytes.next_power_of_two());
        }
        let same = |record: &Record| {
            let first = record.fields.iter().flatten().next();
            record.tag == tag && record.size == bytes && first.is_some_and(|field| field.ty == element)
        };
        let known = self.program.types.records.iter().find(|(_, record)| same(record)).map(|(id, _)| id);
        let record = known.unwrap_or_else(|| {
            let fields = (0..bytes / width).map(|index| Field {
                name: Some(self.program.names.intern(&format!("[{index}]"))),
                ty: element,
                bit_offset: 8 * width * index,
                bit_width: None,
                unit: None,
                align: width,
            });
            let fields = Some(fields.collect());
            let (is_union, transparent) = (false, false);
            self.program.types.records.push(Record {
                tag,
                is_union,
                fields,
                size: bytes,
                align: bytes,
                user_align: true,
                transparent,
            })
        });
        self.intern(Type::Record(record))
    }

    /// What the vector type consists of, if it is one.
    pub fn vector(&self, ty: TypeId) -> Option<Vector> {
        let Type::Record(record) = *self.ty(self.program.types.unqualified(ty)) else { return None };
        let record = &self.program.types.records[record];
        if record.tag.is_none_or(|tag| self.text(tag) != TAG) {
            return None;
        }
        let element = record.fields.iter().flatten().next()?.ty;
        let width = self.program.types.size(element)?;
        Some(Vector { element, width, count: record.size / width })
    }

    /// The element at a constant index.
    fn vector_element(&mut self, vector: Vector, address: ExprId, index: u64) -> Value {
        let at = self.offset(address, index * vector.width);
        self.read(Lvalue::memory(vector.element, at))
    }

    /// `v[i]`
    pub fn vector_index(&mut self, vector: Vector, address: ExprId, index: Value) -> Lvalue {
        let offset = self.program.model.offset_type();
        let (index, width) = (self.cast(index.expr, offset), self.number(offset, vector.width.into()));
        let bytes = self.binary(BinOp::Mul, index, width);
        Lvalue::memory(vector.element, self.binary(BinOp::PtrAdd, address, bytes))
    }

    /// A new vector whose elements are computed one by one.
    fn each_element(
        &mut self,
        ty: TypeId,
        span: Span,
        mut compute: impl FnMut(&mut Self, u64) -> Lowers<Value>,
    ) -> Lowers<Value> {
        let vector = self.vector(ty).expect("a vector type");
        let object = self.temporary_object(ty, vector.width * vector.count);
        let address = self.addr(object);
        for index in 0..vector.count {
            let value = compute(self, index)?;
            let value = self.convert(value, vector.element, span)?;
            let to = self.offset(address, index * vector.width);
            self.emit(Op::Store { to, value: value.expr });
        }
        Ok(Value { ty, expr: address })
    }

    /// `a op b` where one is a vector and the other a vector of the same shape or a number.
    pub fn vector_apply(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Lowers<Value> {
        let ty = self.program.types.unqualified(if self.vector(a.ty).is_some() { a.ty } else { b.ty });
        let vector = self.vector(ty).expect("one operand is a vector");
        let mut operand = |value: Value| match self.vector(value.ty) {
            Some(other) if (other.width, other.count) == (vector.width, vector.count) => Ok((value, Some(other))),
            Some(_) => self.error(span, "vectors of different shapes"),
            None => {
                let value = self.convert(value, vector.element, span)?;
                Ok((Value { expr: self.spill(value.ty, value.expr), ..value }, None))
            }
        };
        let ((a, of_a), (b, of_b)) = (operand(a)?, operand(b)?);
        let result = if is_comparison(op) { self.truth_vector(vector) } else { ty };
        self.each_element(result, span, |l, index| {
            let x = of_a.map_or(a, |of_a| l.vector_element(of_a, a.expr, index));
            let y = of_b.map_or(b, |of_b| l.vector_element(of_b, b.expr, index));
            let value = l.apply(op, x, y, span)?;
            if !is_comparison(op) {
                return Ok(value);
            }
            let zero = l.int_value(0);
            let truth = l.convert(value, l.basic.int, span)?;
            l.apply(BinaryOp::Sub, zero, truth, span)
        })
    }

    /// What comparisons give: -1 or 0 in signed integers of the same width.
    fn truth_vector(&mut self, vector: Vector) -> TypeId {
        let kind = match vector.width {
            1 => IntKind::SChar,
            2 => IntKind::Short,
            4 => IntKind::Int,
            8 if self.program.model == DataModel::Lp64 => IntKind::Long,
            8 => IntKind::LongLong,
            _ => IntKind::Int128,
        };
        let element = self.intern(Type::Int(kind));
        self.vector_type(element, vector.width * vector.count)
    }

    /// `__builtin_shuffle(v, mask)` and `__builtin_shuffle(v, w, mask)`: the elements that the mask names, by their
    /// numbers modulo how many there are.
    pub fn shuffle(&mut self, args: List<ast::ExprId>, span: Span) -> Lowers<Value> {
        let values = self.arguments(args)?;
        let (sources, mask) = match values[..] {
            [v, mask] => (vec![v], mask),
            [v, w, mask] => (vec![v, w], mask),
            _ => return self.error(span, "expected two or three vectors"),
        };
        let ty = self.program.types.unqualified(sources[0].ty);
        let (Some(vector), Some(numbers)) = (self.vector(ty), self.vector(mask.ty)) else {
            return self.error(span, "expected vectors");
        };
        let same = sources.iter().all(|value| self.program.types.unqualified(value.ty) == ty);
        if !same || numbers.count != vector.count || numbers.width != vector.width || !self.is_integer(numbers.element)
        {
            return self.error(span, "vectors of different shapes");
        }
        let bytes = vector.width * vector.count;
        let all = self.temporary_object(ty, bytes * sources.len() as u64);
        let all = self.addr(all);
        for (index, source) in sources.iter().enumerate() {
            let (to, size) = (self.offset(all, bytes * index as u64), self.size_const(bytes));
            self.emit(Op::Copy { to, from: source.expr, size });
        }
        let most = self.size_const(vector.count * sources.len() as u64 - 1);
        self.each_element(ty, span, |l, index| {
            let number = l.vector_element(numbers, mask.expr, index);
            let number = l.convert(number, l.basic.size, span)?;
            let number = Value { expr: l.binary(BinOp::And, number.expr, most), ..number };
            let place = l.vector_index(vector, all, number);
            Ok(l.read(place))
        })
    }

    /// `-v`, `~v`, `+v`
    pub fn vector_unary(&mut self, op: UnaryOp, value: Value, span: Span) -> Lowers<Value> {
        let vector = self.vector(value.ty).expect("a vector");
        let ty = self.program.types.unqualified(value.ty);
        self.each_element(ty, span, |l, index| {
            let x = l.vector_element(vector, value.expr, index);
            l.unary_number(op, x, span)
        })
    }

    /// A vector as another type of the same size, or the other way round: the bytes stay.
    pub fn reinterpret(&mut self, value: Value, to: TypeId, span: Span) -> Lowers<Option<Value>> {
        let (from, target) = (self.vector(value.ty), self.vector(to));
        if from.is_none() && target.is_none() {
            return Ok(None);
        }
        if self.program.types.size(value.ty) != self.program.types.size(to) {
            let message = format!("cannot convert '{}' to '{}'", self.show(value.ty), self.show(to));
            return self.error(span, message);
        }
        match (from, target, self.scalar(to)) {
            (Some(_), Some(_), _) => Ok(Some(Value { ty: to, expr: value.expr })),
            (Some(_), None, Some(scalar)) if scalar.is_int() => {
                let bits = self.load(value.expr, scalar);
                Ok(Some(Value { ty: to, expr: self.spill(to, bits) }))
            }
            (None, Some(vector), _) if self.is_integer(value.ty) => {
                let value = self.as_number(value);
                let object = self.temporary_object(to, vector.width * vector.count);
                let address = self.addr(object);
                self.emit(Op::Store { to: address, value: value.expr });
                Ok(Some(Value { ty: to, expr: address }))
            }
            _ => {
                let message = format!("cannot convert '{}' to '{}'", self.show(value.ty), self.show(to));
                self.error(span, message)
            }
        }
    }
}
