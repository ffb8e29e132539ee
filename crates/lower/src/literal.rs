//! Literals: numbers with their types, strings as objects.

use crate::context::{Lowering, Lowers, Value};
use base::{Span, Symbol};
use cfa::types::{IntKind, Type, TypeId};
use cfa::{DataModel, ExprId, FloatKind, InitCell, Scalar, Storage, VarId, VarKind, Variable};
use syntax::ast::{self, Base, Encoding, FloatSuffix, IntSize, IntSuffix};

impl Lowering<'_> {
    pub fn int_literal(&mut self, value: u64, base: Base, suffix: IntSuffix) -> Lowers<Value> {
        if suffix.imaginary {
            let ty = self.intern(Type::Complex(FloatKind::F64));
            return Ok(self.unsupported_value("complex integers", ty));
        }
        use IntKind::{Int, Int128, Long, LongLong, UInt, UInt128, ULong, ULongLong};
        let all: &[IntKind] = match suffix.size {
            IntSize::Int => &[Int, UInt, Long, ULong, LongLong, ULongLong, Int128, UInt128],
            IntSize::Long => &[Long, ULong, LongLong, ULongLong, Int128, UInt128],
            IntSize::LongLong => &[LongLong, ULongLong, Int128, UInt128],
        };
        // Decimal literals without `u` are signed; where the widest type is too small, gcc takes the unsigned one.
        let fits = |kind: &&IntKind| {
            let sign = kind.signed() || suffix.unsigned || base != Base::Decimal || **kind == ULongLong;
            sign && (!suffix.unsigned || !kind.signed()) && self.holds(**kind, value.into())
        };
        let kind = *all.iter().find(fits).expect("unsigned long long holds every literal");
        let ty = self.intern(Type::Int(kind));
        let scalar = Scalar::int(kind.bits(self.program.model), kind.signed());
        Ok(Value { ty, expr: self.number(scalar, value.into()) })
    }

    pub fn char_literal(&mut self, value: i64, encoding: Encoding) -> Value {
        let kind = match encoding {
            Encoding::Narrow | Encoding::Utf8 => IntKind::Int,
            Encoding::Utf16 => IntKind::UShort,
            Encoding::Utf32 => IntKind::UInt,
            Encoding::Wide => self.wide_kind(),
        };
        let ty = self.intern(Type::Int(kind));
        let scalar = Scalar::int(kind.bits(self.program.model), kind.signed());
        Value { ty, expr: self.number(scalar, value.into()) }
    }

    /// `wchar_t`: `int` on LP64, `long` on ILP32.
    fn wide_kind(&self) -> IntKind {
        match self.program.model {
            DataModel::Lp64 => IntKind::Int,
            DataModel::Ilp32 => IntKind::Long,
        }
    }

    pub fn float_literal(&mut self, text: Symbol, suffix: FloatSuffix, span: Span) -> Lowers<Value> {
        let (kind, ty) = match suffix {
            FloatSuffix::Double | FloatSuffix::Float64 | FloatSuffix::Float32x => (FloatKind::F64, self.basic.double),
            FloatSuffix::Float | FloatSuffix::Float32 => (FloatKind::F32, self.basic.float),
            FloatSuffix::LongDouble | FloatSuffix::Float64x => (FloatKind::X87, self.basic.ldouble),
            FloatSuffix::Float128 => (FloatKind::F128, self.intern(Type::Float(FloatKind::F128))),
            // gcc reads it as a float.
            FloatSuffix::Float16 => (FloatKind::F32, self.half_type()),
        };
        let text = self.text(text);
        match semantics::scalar::read_float(kind, text) {
            Some(read) => Ok(Value { ty, expr: self.program.exprs.bits(Scalar::Float(kind), read.bits) }),
            None => {
                let message = format!("'{text}' is not a floating-point number");
                self.error(span, message)
            }
        }
    }

    /// A constant of a floating type.
    pub fn float_const(&mut self, kind: FloatKind, text: &str) -> ExprId {
        let read = semantics::scalar::read_float(kind, text).expect("our own literals are well formed");
        self.program.exprs.bits(Scalar::Float(kind), read.bits)
    }

    /// The element type of a string literal.
    pub fn string_element(&mut self, string: ast::StringId) -> TypeId {
        let kind = match self.ast[string].encoding {
            Encoding::Narrow | Encoding::Utf8 => IntKind::Char,
            Encoding::Utf16 => IntKind::UShort,
            Encoding::Utf32 => IntKind::UInt,
            Encoding::Wide => self.wide_kind(),
        };
        self.intern(Type::Int(kind))
    }

    /// The array type of a string literal, terminating zero included.
    pub fn string_type(&mut self, string: ast::StringId) -> TypeId {
        let element = self.string_element(string);
        let size = self.program.types.size(element).expect("characters have a size");
        let bytes = self.ast.string_bytes(string).len() as u64;
        self.intern(Type::Array(element, bytes / size + 1))
    }

    /// The object of a string literal; equal literals share one.
    pub fn string_object(&mut self, string: ast::StringId) -> VarId {
        let (ty, element) = (self.string_type(string), self.string_element(string));
        let bytes = self.ast.string_bytes(string).to_vec();
        let span = self.ast[string].span;
        self.string_bytes_object(ty, element, bytes, span)
    }

    pub fn string_bytes_object(&mut self, ty: TypeId, element: TypeId, bytes: Vec<u8>, span: Span) -> VarId {
        if let Some(&var) = self.literals.get(&(ty, bytes.clone())) {
            if self.program.vars[var].span != span {
                self.program.repeated_literals.insert(var);
            }
            return var;
        }
        let width = self.program.types.size(element).expect("characters have a size");
        let scalar = self.scalar(element).expect("characters are scalars");
        let init: Vec<InitCell> = bytes
            .chunks(width as usize)
            .enumerate()
            .filter_map(|(index, chunk)| {
                let value = chunk.iter().rev().fold(0_u128, |value, &byte| value << 8 | u128::from(byte));
                let value = (value != 0).then(|| self.program.exprs.bits(scalar, value))?;
                Some(InitCell { offset: index as u64 * width, value })
            })
            .collect();
        let shown: String = String::from_utf8_lossy(&bytes).escape_default().take(40).collect();
        let name = self.program.names.intern(&format!("\"{shown}\""));
        let size = self.program.types.size(ty).expect("string literals have a size");
        let var = self.program.vars.push(Variable {
            name,
            function: None,
            kind: VarKind::Literal,
            ty,
            storage: Storage::Memory { size, align: width },
            init: init.into(),
            span,
        });
        self.literals.insert((ty, bytes), var);
        var
    }
}
