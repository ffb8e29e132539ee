//! Types as written -> types of the program.

use crate::context::{Entity, Lowering, Lowers, Value};
use base::Span;
use cfa::types::{IntKind, Type, TypeId};
use cfa::{BinOp, ExprId, FloatKind, Op};
use syntax::ast::{self, ArraySize, BasicType, ExprKind, Params, Quals, TypeKind, UnaryOp};

/// A type with what `cfa` does not keep in its types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ty {
    pub id: TypeId,
    pub is_const: bool,
    pub is_atomic: bool,
    /// Alignment that a typedef or attribute gave.
    pub align: Option<u64>,
}

impl From<TypeId> for Ty {
    fn from(id: TypeId) -> Self {
        Self { id, is_const: false, is_atomic: false, align: None }
    }
}

impl Lowering<'_> {
    /// The type that a piece of syntax names.
    pub fn ast_type(&mut self, id: ast::TypeId) -> Lowers<Ty> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.ast_type_inner(id))
    }

    fn ast_type_inner(&mut self, id: ast::TypeId) -> Lowers<Ty> {
        let ast::Type { kind, quals, attrs, span } = self.ast[id];
        let mut ty: Ty = match kind {
            TypeKind::Error => return Err(crate::context::Reported),
            TypeKind::Implicit => self.basic.int.into(),
            TypeKind::Basic(basic) => self.basic_type(basic)?.into(),
            TypeKind::Complex(basic) => {
                let part = self.basic_type(basic)?;
                match *self.ty(part) {
                    Type::Float(kind) if kind != FloatKind::F16 => self.intern(Type::Complex(kind)).into(),
                    _ => {
                        let (size, align) = (self.program.types.size(part), self.program.types.align(part));
                        self.opaque("_Complex", 2 * size.unwrap_or(1), align).into()
                    }
                }
            }
            TypeKind::VaList => self.va_list_type().into(),
            TypeKind::Auto => return self.error(span, "'__auto_type' needs an initialiser"),
            TypeKind::Typedef(name) => match self.names.lookup(name) {
                Some(Entity::Typedef(ty)) => {
                    self.has_volatile |= self.volatile_numbers.contains(&name);
                    ty
                }
                _ => {
                    let message = format!("expected a type name, found '{}'", self.text(name));
                    return self.error(span, message);
                }
            },
            TypeKind::Record(record) => self.record_specifier(record)?.into(),
            TypeKind::Enum(spec) => self.enum_specifier(spec)?.into(),
            TypeKind::TypeofExpr(expr) => self.type_as_declared(expr)?,
            TypeKind::TypeofType(ty) | TypeKind::Atomic(ty) => self.ast_type(ty)?,
            TypeKind::Pointer(to) => {
                let to = self.ast_type(to)?;
                let to = self.qualified(to);
                self.pointer_to(to).into()
            }
            TypeKind::Array { element, size } => self.array_type(element, size, span)?,
            TypeKind::Function { result, function } => self.function_type(result, function)?.into(),
        };
        if quals.contains(Quals::ATOMIC) || matches!(kind, TypeKind::Atomic(_)) {
            ty.align = ty.align.max(self.atomic_align(ty.id));
            ty.is_atomic = true;
            self.has_atomic = true;
        }
        ty.is_const |= quals.contains(Quals::CONST);
        self.has_volatile |= quals.contains(Quals::VOLATILE);
        self.with_attributes(ty, attrs)
    }

    /// An atomic type that fits the machine's operations is aligned like the integer of its size.
    fn atomic_align(&self, ty: TypeId) -> Option<u64> {
        self.program.types.size(ty).filter(|size| matches!(size, 1 | 2 | 4 | 8 | 16))
    }

    /// The type with which an object is defined.
    pub fn defined_type(&mut self, ty: Ty) -> TypeId {
        if self.program.types.is_const(ty.id) { ty.id } else { self.qualified(ty) }
    }

    /// The type with its `const` inside.
    pub fn qualified(&mut self, ty: Ty) -> TypeId {
        if ty.is_const && !matches!(self.ty(ty.id), Type::Function { .. } | Type::Const(_)) {
            self.intern(Type::Const(ty.id))
        } else {
            ty.id
        }
    }

    fn basic_type(&mut self, basic: BasicType) -> Lowers<TypeId> {
        let kind = match basic {
            BasicType::Void => return Ok(self.basic.void),
            BasicType::Bool => return Ok(self.basic.bool),
            BasicType::Char => IntKind::Char,
            BasicType::SignedChar => IntKind::SChar,
            BasicType::UnsignedChar => IntKind::UChar,
            BasicType::Short => IntKind::Short,
            BasicType::UnsignedShort => IntKind::UShort,
            BasicType::Int => IntKind::Int,
            BasicType::UnsignedInt => IntKind::UInt,
            BasicType::Long => IntKind::Long,
            BasicType::UnsignedLong => IntKind::ULong,
            BasicType::LongLong => IntKind::LongLong,
            BasicType::UnsignedLongLong => IntKind::ULongLong,
            BasicType::Int128 => IntKind::Int128,
            BasicType::UnsignedInt128 => IntKind::UInt128,
            BasicType::Float16 => return Ok(self.half_type()),
            BasicType::Float | BasicType::Float32 => return Ok(self.basic.float),
            BasicType::Double | BasicType::Float64 | BasicType::Float32x => return Ok(self.basic.double),
            BasicType::LongDouble | BasicType::Float64x => return Ok(self.basic.ldouble),
            BasicType::Float128 => return Ok(self.intern(Type::Float(FloatKind::F128))),
        };
        Ok(self.intern(Type::Int(kind)))
    }

    /// A type of which only the size is known. Functions that compute with it are not modelled.
    pub fn opaque(&mut self, name: &str, size: u64, align: u64) -> TypeId {
        self.has_opaque = true;
        let tag = Some(self.program.names.intern(name));
        let known = self.program.types.records.iter().find(|(_, record)| {
            (record.tag, record.size, record.align) == (tag, size, align) && record.fields.as_deref() == Some(&[])
        });
        let id = known.map(|(id, _)| id).unwrap_or_else(|| {
            self.program.types.records.push(cfa::types::Record {
                tag,
                is_union: false,
                fields: Some(Vec::new()),
                size,
                align,
                user_align: true,
                transparent: false,
            })
        });
        self.intern(Type::Record(id))
    }

    /// Whether only the size of a type is known.
    pub fn is_opaque(&self, ty: TypeId) -> bool {
        let Type::Record(record) = *self.ty(self.program.types.unqualified(ty)) else { return false };
        let record = &self.program.types.records[record];
        record.size > 0 && record.fields.as_ref().is_some_and(Vec::is_empty)
    }

    fn array_type(&mut self, element: ast::TypeId, size: ArraySize, span: Span) -> Lowers<Ty> {
        let element = self.ast_type(element)?;
        if matches!(self.ty(element.id), Type::Function { .. } | Type::Void) {
            let message = format!("an array cannot have elements of type '{}'", self.show(element.id));
            return self.error(span, message);
        }
        let inner = self.qualified(element);
        let id = match size {
            ArraySize::None | ArraySize::Star => self.intern(Type::OpenArray(inner)),
            ArraySize::Expr(length) | ArraySize::Static(length) => self.sized_array(inner, length)?,
        };
        Ok(Ty { id, is_const: element.is_const, is_atomic: false, align: element.align })
    }

    fn sized_array(&mut self, element: TypeId, length: ast::ExprId) -> Lowers<TypeId> {
        let span = self.ast[length].span;
        if self.prototype {
            // Lengths in prototypes may name other parameters; only constants matter.
            let reported = self.diagnostics.len();
            let value = self.unevaluated(|l| l.rvalue(length));
            self.diagnostics.truncate(reported);
            let known = value.ok().and_then(|value| self.int_constant(value)).and_then(|n| u64::try_from(n).ok());
            return Ok(self.intern(known.map_or(Type::OpenArray(element), |n| Type::Array(element, n))));
        }
        let value = self.rvalue(length)?;
        if !self.is_integer(value.ty) {
            return self.error(span, "expected an integer as array length");
        }
        if let Some(known) = self.int_constant(value) {
            let size = self.program.types.size(element).unwrap_or(1).max(1);
            return match u64::try_from(known) {
                Ok(n) if n.checked_mul(size).is_some_and(|bytes| bytes < 1 << 47) => {
                    Ok(self.intern(Type::Array(element, n)))
                }
                _ => self.error(span, format!("array length {known} is out of range")),
            };
        }
        if self.body.function.is_none() {
            return self.error(span, "expected a constant as array length");
        }
        let number = self.as_number(value);
        self.check_length(number.expr, span);
        let size = self.basic.size;
        let value = self.convert(value, size, span)?;
        let scalar = self.program.model.size_type();
        let variable = self.temporary(size, scalar);
        self.emit(Op::Assign(variable, value.expr));
        Ok(self.intern(Type::VariableArray(element, variable)))
    }

    fn function_type(&mut self, result: ast::TypeId, function: ast::FunctionId) -> Lowers<TypeId> {
        let span = self.ast[result].span;
        let result = self.ast_type(result)?.id;
        if matches!(self.ty(result), Type::Function { .. } | Type::Array(..) | Type::OpenArray(_)) {
            let message = format!("a function cannot return '{}'", self.show(result));
            return self.error(span, message);
        }
        let (params, variadic, prototyped) = match self.ast[function].params {
            Params::Unspecified | Params::Identifiers(_) => (Vec::new(), false, false),
            Params::Prototype { params, variadic } => {
                let outer = std::mem::replace(&mut self.prototype, true);
                let ast = self.ast;
                let types: Lowers<Vec<TypeId>> = ast[params]
                    .iter()
                    .map(|param| {
                        let ty = self.ast_type(param.ty)?;
                        let ty = self.with_attributes(ty, param.specs.attrs)?;
                        let ty = self.with_attributes(ty, param.attrs)?;
                        Ok(self.adjusted(ty))
                    })
                    .collect();
                self.prototype = outer;
                (types?, variadic, true)
            }
        };
        Ok(self.intern(Type::Function { result, params: params.into(), variadic, prototyped }))
    }

    /// The type of a parameter: arrays and functions are pointers.
    pub fn adjusted(&mut self, ty: Ty) -> TypeId {
        match *self.ty(ty.id) {
            Type::Array(element, _) | Type::OpenArray(element) | Type::VariableArray(element, _) => {
                let element = self.qualified(Ty { is_const: ty.is_const, ..element.into() });
                self.pointer_to(element)
            }
            Type::Function { .. } => self.pointer_to(ty.id),
            _ => ty.id,
        }
    }

    /// The type of an expression that is not evaluated, without decay.
    pub fn type_of(&mut self, expr: ast::ExprId) -> Lowers<TypeId> {
        self.unevaluated(|l| l.undecayed_type(expr))
    }

    /// The type of an expression that is not evaluated, const where it denotes a place that is.
    fn type_as_declared(&mut self, expr: ast::ExprId) -> Lowers<Ty> {
        let is_place = match self.ast[expr].kind {
            ExprKind::Name(name) => matches!(self.names.lookup(name), Some(Entity::Object(_))),
            ExprKind::CompoundLiteral { .. }
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => true,
            _ => false,
        };
        if is_place {
            // Once: types inside would be looked at twice on each level of a nest.
            let place = self.unevaluated(|l| l.place(expr))?;
            return Ok(Ty { is_const: place.is_const, ..place.ty.into() });
        }
        Ok(self.type_of(expr)?.into())
    }

    /// Bytes of a type as a constant or, for variable-length arrays, an expression of the size type.
    pub fn size_expr(&mut self, ty: TypeId, span: Span) -> Lowers<ExprId> {
        if let Some(size) = self.program.types.size(ty) {
            return Ok(self.size_const(size));
        }
        if let Some(size) = self.variable_size(ty) {
            return Ok(size);
        }
        match *self.ty(ty) {
            Type::VariableArray(element, length) => {
                let element = stacker::maybe_grow(64 << 10, 1 << 20, || self.size_expr(element, span))?;
                let length = self.var(length);
                Ok(self.binary(BinOp::Mul, length, element))
            }
            Type::Array(element, length) => {
                let element = stacker::maybe_grow(64 << 10, 1 << 20, || self.size_expr(element, span))?;
                let length = self.size_const(length);
                Ok(self.binary(BinOp::Mul, length, element))
            }
            Type::Const(inner) => self.size_expr(inner, span),
            _ => {
                let message = format!("the incomplete type '{}' has no size", self.show(ty));
                self.error(span, message)
            }
        }
    }

    pub fn is_integer(&self, ty: TypeId) -> bool {
        let ty = self.ty(self.program.types.unqualified(ty));
        matches!(ty, Type::Bool | Type::Int(_) | Type::Bits { .. } | Type::Enum(_))
    }

    pub fn is_arithmetic(&self, ty: TypeId) -> bool {
        self.is_integer(ty) || matches!(self.ty(self.program.types.unqualified(ty)), Type::Float(_))
    }

    /// Whether two types are the same to C, ignoring outer qualifiers.
    pub fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.compatible_inner(a, b))
    }

    fn compatible_inner(&self, a: TypeId, b: TypeId) -> bool {
        let (a, b) = (self.program.types.unqualified(a), self.program.types.unqualified(b));
        if a == b {
            return true;
        }
        match (self.ty(a), self.ty(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => self.compatible(*a, *b),
            (Type::Array(a, n), Type::Array(b, m)) => n == m && self.compatible(*a, *b),
            (
                Type::Array(a, _) | Type::OpenArray(a) | Type::VariableArray(a, _),
                Type::Array(b, _) | Type::OpenArray(b) | Type::VariableArray(b, _),
            ) => self.compatible(*a, *b),
            (
                Type::Function { result, params, variadic, prototyped },
                Type::Function { result: result2, params: params2, variadic: variadic2, prototyped: prototyped2 },
            ) => {
                self.compatible(*result, *result2)
                    && (!prototyped
                        || !prototyped2
                        || variadic == variadic2
                            && params.len() == params2.len()
                            && params.iter().zip(params2).all(|(&p, &q)| self.compatible(p, q)))
            }
            // Other units have records of their own; those that look the same are the same.
            (&Type::Record(a), &Type::Record(b)) => {
                let (a, b) = (&self.program.types.records[a], &self.program.types.records[b]);
                let alike = a.tag == b.tag && a.is_union == b.is_union;
                match (&a.fields, &b.fields) {
                    (Some(x), Some(y)) => {
                        let same = |(x, y): (&cfa::types::Field, &cfa::types::Field)| {
                            (x.name, x.bit_offset, x.bit_width) == (y.name, y.bit_offset, y.bit_width)
                        };
                        alike && a.size == b.size && x.len() == y.len() && x.iter().zip(y).all(same)
                    }
                    _ => alike && a.tag.is_some(),
                }
            }
            (&Type::Enum(a), &Type::Enum(b)) => {
                let (a, b) = (&self.program.types.enums[a], &self.program.types.enums[b]);
                a.tag == b.tag && a.repr == b.repr
            }
            (Type::Enum(id), Type::Int(kind)) | (Type::Int(kind), Type::Enum(id)) => {
                self.program.types.enums[*id].repr == *kind
            }
            _ => false,
        }
    }

    /// `__builtin_va_list`: a pointer on ILP32, an array of one 24-byte record on LP64, whose first pointer walks the
    /// further arguments.
    pub fn va_list_type(&mut self) -> TypeId {
        if let Some(ty) = self.va_list {
            return ty;
        }
        let ty = match self.program.model {
            cfa::DataModel::Ilp32 => {
                let char = self.basic.char;
                self.pointer_to(char)
            }
            cfa::DataModel::Lp64 => {
                let tag = self.program.names.intern("__va_list_tag");
                let (next, long) = (self.program.names.intern("$next"), self.basic.long);
                let rest = self.program.names.intern("$rest");
                let rest_ty = self.intern(Type::Array(long, 2));
                let field = |name, ty, bytes: u64| cfa::types::Field {
                    name: Some(name),
                    ty,
                    bit_offset: 8 * bytes,
                    bit_width: None,
                    unit: None,
                    align: 8,
                };
                let record = self.program.types.records.push(cfa::types::Record {
                    tag: Some(tag),
                    is_union: false,
                    fields: Some(vec![field(next, self.basic.void_ptr, 0), field(rest, rest_ty, 8)]),
                    size: 24,
                    align: 8,
                    user_align: false,
                    transparent: false,
                });
                let record = self.intern(Type::Record(record));
                self.intern(Type::Array(record, 1))
            }
        };
        self.va_list = Some(ty);
        ty
    }

    /// A value of the size type with the bytes of `ty`.
    pub fn size_value(&mut self, ty: TypeId, span: Span) -> Lowers<Value> {
        Ok(Value { ty: self.basic.size, expr: self.size_expr(ty, span)? })
    }
}
