//! Types as text.

use super::Dump;
use crate::ast::{ArraySize, BasicType, EnumId, FunctionId, Params, Quals, RecordId, RecordKind, TypeId, TypeKind};

impl Dump<'_> {
    pub(super) fn ty(&mut self, ty: TypeId) {
        self.deeper(|dump| dump.ty_here(ty));
    }

    fn ty_here(&mut self, ty: TypeId) {
        let node = self.ast[ty];
        self.quals(node.quals);
        match node.kind {
            TypeKind::Error => self.put("<error>"),
            TypeKind::Implicit => self.put("<implicit>"),
            TypeKind::Basic(basic) => self.put(basic_name(basic)),
            TypeKind::Complex(basic) => self.put_args(format_args!("_Complex {}", basic_name(basic))),
            TypeKind::VaList => self.put("va_list"),
            TypeKind::Auto => self.put("__auto_type"),
            TypeKind::Typedef(name) => self.name(name),
            TypeKind::Record(record) => self.record(record),
            TypeKind::Enum(id) => self.enumeration(id),
            TypeKind::TypeofExpr(expr) => {
                self.put("typeof ");
                self.expr(expr);
            }
            TypeKind::TypeofType(inner) => self.wrapped("typeof-type", inner),
            TypeKind::Atomic(inner) => self.wrapped("atomic", inner),
            TypeKind::Pointer(pointee) => self.wrapped("ptr", pointee),
            TypeKind::Array { element, size } => {
                self.put("array(");
                self.ty(element);
                match size {
                    ArraySize::None => {}
                    ArraySize::Star => self.put(", *"),
                    ArraySize::Expr(size) => {
                        self.put(", ");
                        self.expr(size);
                    }
                    ArraySize::Static(size) => {
                        self.put(", static ");
                        self.expr(size);
                    }
                }
                self.put(")");
            }
            TypeKind::Function { result, function } => {
                self.function_type(function);
                self.put(" -> ");
                self.ty(result);
            }
        }
        self.attrs(node.attrs);
    }

    fn wrapped(&mut self, word: &str, inner: TypeId) {
        self.put_args(format_args!("{word}("));
        self.ty(inner);
        self.put(")");
    }

    fn quals(&mut self, quals: Quals) {
        for (flag, text) in [
            (Quals::CONST, "const "),
            (Quals::VOLATILE, "volatile "),
            (Quals::RESTRICT, "restrict "),
            (Quals::ATOMIC, "_Atomic "),
        ] {
            self.put(if quals.contains(flag) { text } else { "" });
        }
    }

    fn record(&mut self, record: RecordId) {
        let record = self.ast[record];
        self.put(match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        });
        if let Some(tag) = record.tag {
            self.put(" ");
            self.name(tag);
        }
        self.attrs(record.attrs);
        if let Some(pack) = record.pack {
            self.put_args(format_args!(" pack({pack})"));
        }
        if let Some(members) = record.members {
            self.put(" {");
            self.inside(|dump| dump.ast[members].iter().for_each(|&member| dump.decl(member)));
            self.line();
            self.put("}");
        }
    }

    fn enumeration(&mut self, id: EnumId) {
        let spec = self.ast[id];
        self.put("enum");
        if let Some(tag) = spec.tag {
            self.put(" ");
            self.name(tag);
        }
        self.attrs(spec.attrs);
        let Some(items) = spec.items else { return };
        self.put(" {");
        for (index, item) in self.ast[items].iter().enumerate() {
            self.put(if index == 0 { "" } else { ", " });
            self.name(item.name);
            self.attrs(item.attrs);
            if let Some(value) = item.value {
                self.put(" = ");
                self.expr(value);
            }
        }
        self.put("}");
    }

    fn function_type(&mut self, function: FunctionId) {
        match self.ast[function].params {
            Params::Unspecified => self.put("fn(?)"),
            Params::Identifiers(names) => {
                self.put("fn(K&R");
                self.names(names);
                self.put(")");
            }
            Params::Prototype { params, variadic } => {
                self.put("fn(");
                for (index, param) in self.ast[params].iter().enumerate() {
                    self.put(if index == 0 { "" } else { ", " });
                    self.specs(&param.specs);
                    if let Some(name) = param.name {
                        self.name(name);
                        self.put(": ");
                    }
                    self.ty(param.ty);
                    self.attrs(param.attrs);
                }
                self.put(match (variadic, params.is_empty()) {
                    (false, _) => "",
                    (true, true) => "...",
                    (true, false) => ", ...",
                });
                self.put(")");
            }
        }
    }
}

fn basic_name(basic: BasicType) -> &'static str {
    match basic {
        BasicType::Void => "void",
        BasicType::Bool => "_Bool",
        BasicType::Char => "char",
        BasicType::SignedChar => "schar",
        BasicType::UnsignedChar => "uchar",
        BasicType::Short => "short",
        BasicType::UnsignedShort => "ushort",
        BasicType::Int => "int",
        BasicType::UnsignedInt => "uint",
        BasicType::Long => "long",
        BasicType::UnsignedLong => "ulong",
        BasicType::LongLong => "llong",
        BasicType::UnsignedLongLong => "ullong",
        BasicType::Int128 => "int128",
        BasicType::UnsignedInt128 => "uint128",
        BasicType::Float16 => "_Float16",
        BasicType::Float => "float",
        BasicType::Double => "double",
        BasicType::LongDouble => "ldouble",
        BasicType::Float32 => "_Float32",
        BasicType::Float64 => "_Float64",
        BasicType::Float128 => "_Float128",
        BasicType::Float32x => "_Float32x",
        BasicType::Float64x => "_Float64x",
    }
}
