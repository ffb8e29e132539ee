//! C types and their sizes. The layout of records is computed once, by [`crate::layout`], when they are completed.

use crate::program::VarId;
use crate::scalar::{DataModel, FloatKind, Scalar};
use base::{IdVec, Interner, Symbol, define_id};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write;

define_id!(
    /// A C type of one [`Types`] store; structurally equal types have equal ids.
    TypeId,
    "t"
);
define_id!(
    /// A struct or union.
    RecordId,
    "record"
);
define_id!(
    /// An enumeration.
    EnumId,
    "enum"
);

/// C's integer types, which are different types even where they are equally wide.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names are C's")]
pub enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    /// Width in bits.
    pub fn bits(self, model: DataModel) -> u32 {
        match self {
            IntKind::Char | IntKind::SChar | IntKind::UChar => 8,
            IntKind::Short | IntKind::UShort => 16,
            IntKind::Int | IntKind::UInt => 32,
            IntKind::Long | IntKind::ULong => model.pointer_bits(),
            IntKind::LongLong | IntKind::ULongLong => 64,
            IntKind::Int128 | IntKind::UInt128 => 128,
        }
    }

    /// Whether it is signed (plain `char` is).
    pub fn signed(self) -> bool {
        match self {
            IntKind::Char | IntKind::SChar | IntKind::Short | IntKind::Int => true,
            IntKind::Long | IntKind::LongLong | IntKind::Int128 => true,
            IntKind::UChar | IntKind::UShort | IntKind::UInt => false,
            IntKind::ULong | IntKind::ULongLong | IntKind::UInt128 => false,
        }
    }

    /// Its name in C.
    pub fn name(self) -> &'static str {
        match self {
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned int",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
        }
    }
}

/// A C type without its outermost qualifiers, except where [`Type::Const`] keeps that a pointee is `const`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// `_Bool`: 8 bits that hold 0 or 1.
    Bool,
    /// An integer type.
    Int(IntKind),
    /// What gcc computes in with a bit-field that is wider than `int` and narrower than its declared type.
    Bits {
        /// The field's own width.
        width: u32,
        /// As declared.
        signed: bool,
    },
    /// A real floating-point type.
    Float(FloatKind),
    /// `_Complex` of a real floating-point type.
    Complex(FloatKind),
    /// A pointer.
    Pointer(TypeId),
    /// An array of a known number of elements.
    Array(TypeId, u64),
    /// An array whose length is not (yet) known: `[]`.
    OpenArray(TypeId),
    /// An array of variable length: a register of the size type holds the number of elements.
    VariableArray(TypeId, VarId),
    /// A function.
    Function {
        /// What it returns.
        result: TypeId,
        /// Its parameters after adjustment.
        params: Box<[TypeId]>,
        /// Whether `...` follows.
        variadic: bool,
        /// Whether the parameters are known; `f()` without prototype is not.
        prototyped: bool,
    },
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
    /// `const` of a type; only below pointers and arrays.
    Const(TypeId),
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// `None` for anonymous members and unnamed bit-fields.
    pub name: Option<Symbol>,
    /// Its type; for a bit-field the declared one.
    pub ty: TypeId,
    /// From the record's first bit.
    pub bit_offset: u64,
    /// The width of a bit-field.
    pub bit_width: Option<u32>,
    /// The bytes by which a bit-field is read and written.
    pub unit: Option<Unit>,
    /// The alignment in bytes that its place was chosen for.
    pub align: u64,
}

/// The bytes around a bit-field that loads and stores of it touch. Bit-fields of one run share them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// From the record's first byte.
    pub offset: u64,
    /// How many, at most 17.
    pub bytes: u32,
}

/// A struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its tag.
    pub tag: Option<Symbol>,
    /// Whether its members overlap.
    pub is_union: bool,
    /// Members in order; `None` until the definition was seen.
    pub fields: Option<Vec<Field>>,
    /// Bytes, 0 until complete.
    pub size: u64,
    /// Bytes, 1 until complete.
    pub align: u64,
    /// Whether an attribute had a say in the alignment.
    pub user_align: bool,
    /// `transparent_union`: as a parameter it is passed like its first member and accepts any of them.
    pub transparent: bool,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// Its tag.
    pub tag: Option<Symbol>,
    /// The integer type that represents it.
    pub repr: IntKind,
    /// Whether the definition was seen.
    pub complete: bool,
}

/// All C types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    model: DataModel,
    types: IdVec<TypeId, Type>,
    index: FxHashMap<Type, TypeId>,
    /// Structs and unions.
    pub records: IdVec<RecordId, Record>,
    /// Enumerations.
    pub enums: IdVec<EnumId, Enumeration>,
    /// What the program makes pointers to functions of: functions of another type, or anything.
    pub(crate) function_casts: BTreeSet<(Option<TypeId>, TypeId)>,
}

impl Types {
    /// A store without types.
    pub fn new(model: DataModel) -> Self {
        Self {
            model,
            types: IdVec::new(),
            index: FxHashMap::default(),
            records: IdVec::new(),
            enums: IdVec::new(),
            function_casts: BTreeSet::new(),
        }
    }

    /// The data model.
    pub fn model(&self) -> DataModel {
        self.model
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// The type behind an id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// The type without `const`.
    pub fn unqualified(&self, id: TypeId) -> TypeId {
        match *self.get(id) {
            Type::Const(inner) => self.unqualified(inner),
            _ => id,
        }
    }

    /// Whether objects that are defined with the type are `const`: those of a `const` type, and arrays of such.
    pub fn is_const(&self, id: TypeId) -> bool {
        match *self.get(id) {
            Type::Const(_) => true,
            Type::Array(element, _) | Type::OpenArray(element) => self.is_const(element),
            _ => false,
        }
    }

    /// Whether all records and enumerations that a type is made of have been pushed.
    pub(crate) fn known(&self, id: TypeId) -> bool {
        match *self.get(id) {
            Type::Record(record) => self.records.get(record).is_some(),
            Type::Enum(id) => self.enums.get(id).is_some(),
            Type::Array(inner, _) | Type::OpenArray(inner) | Type::Const(inner) => self.known(inner),
            _ => true,
        }
    }

    /// A record or enumeration that is named and does not exist.
    pub(crate) fn first_unknown(&self) -> Option<String> {
        self.types.iter().find_map(|(_, ty)| match *ty {
            Type::Record(record) if self.records.get(record).is_none() => Some(format!("record {}", record.0)),
            Type::Enum(id) if self.enums.get(id).is_none() => Some(format!("enum {}", id.0)),
            _ => None,
        })
    }

    /// How values of the type are represented: `None` for aggregates, functions, `void` and complex numbers.
    pub fn scalar(&self, id: TypeId) -> Option<Scalar> {
        match *self.get(id) {
            Type::Bool => Some(Scalar::BYTE),
            Type::Int(kind) => Some(Scalar::int(kind.bits(self.model), kind.signed())),
            // The scalar holds the value extended to all its bits.
            Type::Bits { width, signed } => Some(Scalar::int(width.next_power_of_two(), signed)),
            Type::Float(kind) => Some(Scalar::Float(kind)),
            Type::Pointer(_) => Some(Scalar::Ptr),
            Type::Enum(id) => {
                let repr = self.enums[id].repr;
                Some(Scalar::int(repr.bits(self.model), repr.signed()))
            }
            Type::Const(inner) => self.scalar(inner),
            Type::Void | Type::Complex(_) | Type::Array(..) | Type::OpenArray(_) => None,
            Type::VariableArray(..) => None,
            Type::Function { .. } | Type::Record(_) => None,
        }
    }

    /// Bytes; `None` for incomplete types. `void` and functions count 1, as in GNU C.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        // Arrays of arrays may nest deep.
        let (mut element, mut count) = (id, Some(1u64));
        loop {
            match *self.get(element) {
                Type::Array(inner, length) => {
                    count = count.and_then(|count| count.checked_mul(length));
                    element = inner;
                }
                Type::Const(inner) => element = inner,
                _ => break,
            }
        }
        self.element_size(element)?.checked_mul(count?)
    }

    /// What an array is made of in the end, without its `const`.
    pub fn element(&self, mut id: TypeId) -> TypeId {
        while let Type::Const(inner) | Type::Array(inner, _) | Type::OpenArray(inner) | Type::VariableArray(inner, _) =
            *self.get(id)
        {
            id = inner;
        }
        id
    }

    /// The size of what is not an array of known length.
    fn element_size(&self, id: TypeId) -> Option<u64> {
        Some(match *self.get(id) {
            Type::Void | Type::Bool | Type::Function { .. } => 1,
            Type::Int(kind) => u64::from(kind.bits(self.model) / 8),
            Type::Bits { width, .. } => u64::from(width.next_power_of_two() / 8),
            Type::Float(kind) => self.float_size(kind),
            Type::Complex(kind) => 2 * self.float_size(kind),
            Type::Pointer(_) => u64::from(self.model.pointer_bits() / 8),
            Type::Const(_) | Type::Array(..) | Type::OpenArray(_) | Type::VariableArray(..) => return None,
            Type::Record(id) => {
                self.records[id].fields.as_ref()?;
                self.records[id].size
            }
            Type::Enum(id) => u64::from(self.enums[id].repr.bits(self.model) / 8),
        })
    }

    /// Alignment in bytes of an object of the type on its own (`__alignof__`).
    pub fn align(&self, id: TypeId) -> u64 {
        match *self.get(self.element(id)) {
            Type::Void | Type::Bool | Type::Function { .. } => 1,
            // No element is one of these.
            Type::Const(_) | Type::Array(..) | Type::OpenArray(_) | Type::VariableArray(..) => 1,
            Type::Int(kind) => u64::from(kind.bits(self.model) / 8),
            Type::Bits { width, .. } => u64::from(width.next_power_of_two() / 8),
            Type::Float(kind) | Type::Complex(kind) => match (kind, self.model) {
                (FloatKind::F16, _) => 2,
                (FloatKind::F32, _) => 4,
                (FloatKind::F64, _) => 8,
                (FloatKind::X87, DataModel::Ilp32) => 4,
                (FloatKind::X87, DataModel::Lp64) | (FloatKind::F128, _) => 16,
            },
            Type::Pointer(_) => u64::from(self.model.pointer_bits() / 8),
            Type::Record(id) => self.records[id].align,
            Type::Enum(id) => u64::from(self.enums[id].repr.bits(self.model) / 8),
        }
    }

    fn float_size(&self, kind: FloatKind) -> u64 {
        match (kind, self.model) {
            (FloatKind::F16, _) => 2,
            (FloatKind::F32, _) => 4,
            (FloatKind::F64, _) => 8,
            (FloatKind::X87, DataModel::Ilp32) => 12,
            (FloatKind::X87, DataModel::Lp64) | (FloatKind::F128, _) => 16,
        }
    }

    /// The type as C writes it (pointers to functions and arrays in a simplified postfix form).
    pub fn display(&self, id: TypeId, names: &Interner) -> String {
        self.display_part(id, names, 32)
    }

    /// Parts that lie deeper than `depth` are left out.
    fn display_part(&self, id: TypeId, names: &Interner, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else { return "...".into() };
        let tag = |tag: Option<Symbol>| tag.map_or("<anonymous>", |name| names.text(name)).to_owned();
        match self.get(id) {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Int(kind) => kind.name().into(),
            Type::Bits { width, signed } => format!("{}long long : {width}", if *signed { "" } else { "unsigned " }),
            Type::Float(kind) => float_name(*kind).into(),
            Type::Complex(kind) => format!("{} _Complex", float_name(*kind)),
            Type::Pointer(to) => format!("{} *", self.display_part(*to, names, depth)),
            Type::Array(element, length) => format!("{} [{length}]", self.display_part(*element, names, depth)),
            Type::OpenArray(element) => format!("{} []", self.display_part(*element, names, depth)),
            Type::VariableArray(element, _) => format!("{} [*]", self.display_part(*element, names, depth)),
            Type::Function { result, params, variadic, .. } => {
                let mut text = format!("{} (", self.display_part(*result, names, depth));
                for (at, param) in params.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(text, "{comma}{}", self.display_part(*param, names, depth)).expect("strings take all text");
                }
                text + if *variadic { ", ...)" } else { ")" }
            }
            Type::Record(id) => {
                let record = &self.records[*id];
                format!("{} {}", if record.is_union { "union" } else { "struct" }, tag(record.tag))
            }
            Type::Enum(id) => format!("enum {}", tag(self.enums[*id].tag)),
            Type::Const(inner) => format!("const {}", self.display_part(*inner, names, depth)),
        }
    }
}

fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::F16 => "_Float16",
        FloatKind::F32 => "float",
        FloatKind::F64 => "double",
        FloatKind::X87 => "long double",
        FloatKind::F128 => "__float128",
    }
}
