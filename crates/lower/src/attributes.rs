//! What `__attribute__((...))` and `_Alignas` say, as far as it changes types, layout or linkage. All other
//! attributes are hints.

use crate::context::{Lowering, Lowers};
use crate::types::Ty;
use cfa::FloatKind;
use cfa::types::{IntKind, Type};
use syntax::ast::{self, Alignas, Attr, AttrArg, List};

impl Lowering<'_> {
    /// Whether one of the attributes has this name.
    pub fn has_attribute(&self, attrs: List<Attr>, name: &str) -> bool {
        self.ast[attrs].iter().any(|attr| self.text(attr.name) == name)
    }

    /// Layouts other than gcc's usual ones are not modelled.
    pub fn check_layout_attributes(&mut self, attrs: List<Attr>) -> Lowers<()> {
        let ast = self.ast;
        for attr in &ast[attrs] {
            let name = self.text(attr.name);
            let changes = match name {
                "ms_struct" => true,
                "scalar_storage_order" => {
                    crate::symbols::string_argument(ast, attr).is_none_or(|order| order != "little-endian")
                }
                _ => false,
            };
            if changes {
                let message = format!("attribute {name} is not supported");
                return self.error(attr.span, message);
            }
        }
        Ok(())
    }

    /// The largest `aligned(n)`, in bytes; without argument it is the largest alignment of any type.
    pub fn aligned(&mut self, attrs: List<Attr>) -> Lowers<Option<u64>> {
        let mut largest = None;
        let ast = self.ast;
        for attr in &ast[attrs] {
            if self.text(attr.name) != "aligned" {
                continue;
            }
            let align = match ast[attr.args].first() {
                None => 16,
                Some(&AttrArg::Expr(expr)) => self.alignment(expr)?,
                Some(&AttrArg::Type(_)) => return self.error(attr.span, "expected an alignment in bytes"),
            };
            largest = largest.max(Some(align));
        }
        Ok(largest)
    }

    /// The strictest `_Alignas`.
    pub fn alignas(&mut self, list: List<Alignas>) -> Lowers<Option<u64>> {
        let mut largest = None;
        let ast = self.ast;
        for &alignas in &ast[list] {
            let align = match alignas {
                Alignas::Expr(expr) => self.alignment(expr)?,
                Alignas::Type(ty) => {
                    let ty = self.ast_type(ty)?;
                    ty.align.unwrap_or(self.program.types.align_in_record(ty.id))
                }
            };
            // `_Alignas(0)` has no effect.
            largest = largest.max((align > 0).then_some(align));
        }
        Ok(largest)
    }

    fn alignment(&mut self, expr: ast::ExprId) -> Lowers<u64> {
        let (value, _) = self.constant_int(expr)?;
        match u64::try_from(value) {
            Ok(align) if align == 0 || align.is_power_of_two() && align <= 1 << 28 => Ok(align),
            _ => self.error(self.ast[expr].span, "expected an alignment that is a power of two"),
        }
    }

    /// The type that `mode` and `aligned` in a declaration or typedef make of `ty`.
    pub fn with_attributes(&mut self, mut ty: Ty, attrs: List<Attr>) -> Lowers<Ty> {
        if attrs.is_empty() {
            return Ok(ty);
        }
        let ast = self.ast;
        for attr in &ast[attrs] {
            match self.text(attr.name) {
                "mode" => ty.id = self.with_mode(ty, attr)?,
                "vector_size" => {
                    let size = match ast[attr.args].first() {
                        Some(&AttrArg::Expr(expr)) => self.constant_int(expr)?.0,
                        _ => 16,
                    };
                    let size = u64::try_from(size).unwrap_or(16).clamp(1, 1 << 16);
                    ty.id = self.with_vector_size(ty.id, size);
                }
                _ => {}
            }
        }
        if let Some(align) = self.aligned(attrs)? {
            ty.align = Some(align);
        }
        Ok(ty)
    }

    fn with_mode(&mut self, ty: Ty, attr: &Attr) -> Lowers<cfa::types::TypeId> {
        let ast = self.ast;
        let name = match ast[attr.args].first() {
            Some(&AttrArg::Expr(expr)) => match ast[expr].kind {
                ast::ExprKind::Name(name) => self.text(name).trim_matches('_').to_owned(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        let unsigned = match self.ty(self.program.types.unqualified(ty.id)) {
            Type::Int(kind) => !kind.signed(),
            Type::Enum(id) => !self.program.types.enums[*id].repr.signed(),
            Type::Bool => true,
            _ => false,
        };
        let lp64 = self.program.model == cfa::DataModel::Lp64;
        let kind = match name.as_str() {
            "QI" | "byte" => [IntKind::SChar, IntKind::UChar],
            "HI" => [IntKind::Short, IntKind::UShort],
            "SI" => [IntKind::Int, IntKind::UInt],
            "DI" if lp64 => [IntKind::Long, IntKind::ULong],
            "DI" => [IntKind::LongLong, IntKind::ULongLong],
            "TI" => [IntKind::Int128, IntKind::UInt128],
            "word" | "pointer" | "unwind_word" => [IntKind::Long, IntKind::ULong],
            "HF" => return Ok(self.half_type()),
            "SF" => return Ok(self.basic.float),
            "DF" => return Ok(self.basic.double),
            "XF" => return Ok(self.basic.ldouble),
            "TF" => return Ok(self.intern(Type::Float(FloatKind::F128))),
            _ => return self.error(attr.span, format!("expected a machine mode, found '{name}'")),
        };
        if let Type::Enum(id) = *self.ty(self.program.types.unqualified(ty.id)) {
            self.program.types.enums[id].repr = kind[usize::from(unsigned)];
            return Ok(ty.id);
        }
        Ok(self.intern(Type::Int(kind[usize::from(unsigned)])))
    }
}
