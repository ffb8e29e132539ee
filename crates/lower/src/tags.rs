//! Structs, unions and enums: their tags, their members, their constants.

use crate::context::{Entity, Lowering, Lowers};
use base::{Span, Symbol};
use cfa::layout::{Member, RecordAttributes, layout};
use cfa::types::{EnumId, Enumeration, Field, IntKind, Record, RecordId, Type, TypeId, Unit};
use std::collections::HashSet;
use syntax::ast::{self, DeclKind, RecordKind};

/// What a tag names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// A member found by name, also inside anonymous members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundMember {
    pub ty: TypeId,
    /// From the start of the record that was searched.
    pub bit_offset: u64,
    pub bit_width: Option<u32>,
    pub unit: Option<Unit>,
    /// Bytes.
    pub align: u64,
}

impl Lowering<'_> {
    pub fn record_specifier(&mut self, id: ast::RecordId) -> Lowers<TypeId> {
        if let Some(&record) = self.met_records.get(&id) {
            return Ok(self.intern(Type::Record(record)));
        }
        let ast::Record { kind, tag, members, span, .. } = self.ast[id];
        let is_union = kind == RecordKind::Union;
        let known = match (tag, members) {
            (Some(tag), None) => self.tags.lookup(tag),
            (Some(tag), Some(_)) => self.tags.lookup_here(tag),
            (None, _) => None,
        };
        let record = match known {
            Some(Tag::Record(record)) if self.program.types.records[record].is_union == is_union => record,
            Some(_) => {
                let message = format!("'{}' is another kind of tag", tag.map_or("", |tag| self.text(tag)));
                return self.error(span, message);
            }
            None => self.new_record(tag, is_union),
        };
        if members.is_some() {
            self.met_records.insert(id, record);
            self.check_not_defined(record, span)?;
            self.define_record(id, record)?;
        }
        Ok(self.intern(Type::Record(record)))
    }

    fn check_not_defined(&mut self, record: RecordId, span: Span) -> Lowers<()> {
        let known = &self.program.types.records[record];
        if known.fields.is_none() && !self.variable_records.contains_key(&record) {
            return Ok(());
        }
        let message = format!("redefinition of '{}'", known.tag.map_or("", |tag| self.text(tag)));
        self.error(span, message)
    }

    /// `struct S;` alone makes a new type in an inner scope.
    pub fn forward_record(&mut self, id: ast::RecordId) {
        let ast::Record { kind, tag, members, .. } = self.ast[id];
        if let (Some(tag), None) = (tag, members)
            && self.tags.lookup_here(tag).is_none()
        {
            self.new_record(Some(tag), kind == RecordKind::Union);
        }
    }

    fn new_record(&mut self, tag: Option<Symbol>, is_union: bool) -> RecordId {
        let record = Record { tag, is_union, fields: None, size: 0, align: 1, user_align: false, transparent: false };
        let id = self.program.types.records.push(record);
        if let Some(tag) = tag {
            self.tags.bind(tag, Tag::Record(id));
        }
        id
    }

    fn define_record(&mut self, id: ast::RecordId, record: RecordId) -> Lowers<()> {
        let ast = self.ast;
        let ast::Record { kind, members, pack, attrs, span, .. } = ast[id];
        self.check_layout_attributes(attrs)?;
        let mut list = Vec::new();
        for &decl in &ast[members.expect("only definitions are defined")] {
            self.members(decl, &mut list)?;
        }
        // A member may have defined a struct of the same name.
        self.check_not_defined(record, span)?;
        self.check_member_names(&list, span)?;
        let attributes = RecordAttributes {
            is_union: kind == RecordKind::Union,
            packed: self.has_attribute(attrs, "packed"),
            align: self.aligned(attrs)?,
            pack: pack.filter(|&pack| pack > 0).map(u64::from),
        };
        let transparent = self.has_attribute(attrs, "transparent_union");
        if list.iter().any(|member| self.is_variable_member(member.ty)) {
            return self.define_variable_record(record, attributes, &list, span);
        }
        let Ok(laid) = layout(&self.program.types, attributes, &list) else {
            return self.error(span, "the type is too large");
        };
        let target = &mut self.program.types.records[record];
        target.fields = Some(laid.fields);
        (target.size, target.align, target.user_align) = (laid.size, laid.align, laid.user_align);
        target.transparent = transparent;
        Ok(())
    }

    fn members(&mut self, decl: ast::DeclId, list: &mut Vec<Member>) -> Lowers<()> {
        let ast = self.ast;
        let (specs, declarators) = match ast[decl].kind {
            DeclKind::Declaration { specs, declarators } => (specs, declarators),
            DeclKind::StaticAssert { cond, message } => return self.static_assert(cond, message),
            DeclKind::Function { .. } | DeclKind::Asm(_) => return Ok(()),
        };
        let specs_align = self.alignas(specs.alignas)?.max(self.aligned(specs.attrs)?);
        let specs_packed = self.has_attribute(specs.attrs, "packed");
        if declarators.is_empty() {
            let ty = self.ast_type(specs.ty)?;
            // `struct other;` declares a tag, not a member.
            if matches!(self.ty(ty.id), Type::Record(_)) && self.program.types.size(ty.id).is_some() {
                let (type_align, align) = (ty.align, specs_align);
                list.push(Member { name: None, ty: ty.id, type_align, align, packed: specs_packed, width: None });
            }
            return Ok(());
        }
        for &declarator in &ast[declarators] {
            let declarator = &ast[declarator];
            let mut ty = self.ast_type(declarator.ty)?;
            for attrs in [specs.attrs, declarator.attrs] {
                let align = ty.align;
                ty = self.with_attributes(ty, attrs)?;
                ty.align = align;
            }
            let width = match declarator.width {
                Some(width) => Some(self.bit_width(width, ty.id, declarator.name)?),
                None => None,
            };
            let complete = self.program.types.size(ty.id).is_some()
                || matches!(self.ty(ty.id), Type::OpenArray(_))
                || self.is_variable_member(ty.id);
            if !complete || matches!(self.ty(ty.id), Type::Function { .. } | Type::Void) {
                let message = format!("a member cannot have the type '{}'", self.show(ty.id));
                return self.error(declarator.span, message);
            }
            let align = specs_align.max(self.aligned(declarator.attrs)?);
            let packed = specs_packed || self.has_attribute(declarator.attrs, "packed");
            let qualified = self.qualified(ty);
            // Alignment of a member counts only if the attribute stands in a typedef or on the member.
            list.push(Member { name: declarator.name, ty: qualified, type_align: ty.align, align, packed, width });
        }
        Ok(())
    }

    /// Members are told apart by their names, those of anonymous members included.
    fn check_member_names(&mut self, list: &[Member], span: Span) -> Lowers<()> {
        let mut seen = HashSet::new();
        let mut waiting: Vec<(Option<Symbol>, TypeId)> = list.iter().map(|member| (member.name, member.ty)).collect();
        while let Some((name, ty)) = waiting.pop() {
            match (name, self.ty(self.program.types.unqualified(ty))) {
                (Some(name), _) if !seen.insert(name) => {
                    let message = format!("two members are called '{}'", self.text(name));
                    return self.error(span, message);
                }
                (None, Type::Record(inner)) => {
                    let fields = self.program.types.records[*inner].fields.iter().flatten();
                    waiting.extend(fields.map(|field| (field.name, field.ty)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn bit_width(&mut self, width: ast::ExprId, ty: TypeId, name: Option<Symbol>) -> Lowers<u32> {
        let span = self.ast[width].span;
        let (value, _) = self.constant_int(width)?;
        let most = match self.ty(self.program.types.unqualified(ty)) {
            Type::Bool => 1,
            Type::Int(kind) => kind.bits(self.program.model),
            Type::Enum(id) => self.program.types.enums[*id].repr.bits(self.program.model),
            _ => return self.error(span, "a bit-field must have an integer type"),
        };
        match u32::try_from(value) {
            Ok(0) if name.is_some() => self.error(span, "a named bit-field cannot have width 0"),
            Ok(width) if width <= most => Ok(width),
            _ => self.error(span, format!("bit-field width {value} is not in 0..={most}")),
        }
    }

    /// The member of that name.
    pub fn field(&self, record: RecordId, name: Symbol) -> Option<FoundMember> {
        self.field_path(record, name).map(|(found, _)| found)
    }

    /// The member of that name, and the index of the direct member that is or contains it.
    pub fn field_path(&self, record: RecordId, name: Symbol) -> Option<(FoundMember, usize)> {
        let fields = self.program.types.records[record].fields.as_ref()?;
        for (index, field) in fields.iter().enumerate() {
            if field.name == Some(name) {
                let Field { ty, bit_offset, bit_width, unit, align, .. } = *field;
                return Some((FoundMember { ty, bit_offset, bit_width, unit, align }, index));
            }
            if let (None, None, Type::Record(inner)) =
                (field.name, field.bit_width, self.ty(self.program.types.unqualified(field.ty)))
                && let Some((found, _)) = self.field_path(*inner, name)
            {
                let unit = found.unit.map(|unit| Unit { offset: unit.offset + field.bit_offset / 8, ..unit });
                return Some((FoundMember { bit_offset: field.bit_offset + found.bit_offset, unit, ..found }, index));
            }
        }
        None
    }

    pub fn enum_specifier(&mut self, id: ast::EnumId) -> Lowers<TypeId> {
        if let Some(&ty) = self.met_enums.get(&id) {
            return Ok(ty);
        }
        let ast::EnumSpec { tag, items, span, .. } = self.ast[id];
        let known = match (tag, items) {
            (Some(tag), None) => self.tags.lookup(tag),
            (Some(tag), Some(_)) => self.tags.lookup_here(tag),
            (None, _) => None,
        };
        let enumeration = match known {
            Some(Tag::Enum(known)) => known,
            Some(Tag::Record(_)) => {
                let message = format!("'{}' is not an enum", tag.map_or("", |tag| self.text(tag)));
                return self.error(span, message);
            }
            None => {
                let new = Enumeration { tag, repr: IntKind::UInt, complete: false };
                let new = self.program.types.enums.push(new);
                if let Some(tag) = tag {
                    self.tags.bind(tag, Tag::Enum(new));
                }
                new
            }
        };
        let ty = self.intern(Type::Enum(enumeration));
        if items.is_some() {
            self.met_enums.insert(id, ty);
            if self.program.types.enums[enumeration].complete {
                let message = format!("redefinition of '{}'", tag.map_or("", |tag| self.text(tag)));
                return self.error(span, message);
            }
            self.define_enum(id, enumeration, ty)?;
        }
        Ok(ty)
    }

    fn define_enum(&mut self, id: ast::EnumId, enumeration: EnumId, ty: TypeId) -> Lowers<()> {
        let ast = self.ast;
        let ast::EnumSpec { items, attrs, span, .. } = ast[id];
        let mut values: Vec<(Symbol, i128)> = Vec::new();
        let mut next = 0;
        for item in &ast[items.expect("only definitions are defined")] {
            if let Some(value) = item.value {
                next = self.constant_int(value)?.0;
            }
            if self.names.lookup_here(item.name).is_some() {
                let message = format!("redefinition of '{}'", self.text(item.name));
                return self.error(item.span, message);
            }
            values.push((item.name, next));
            self.bind_constant(item.name, next, ty);
            next = next.saturating_add(1);
        }
        let low = values.iter().map(|&(_, value)| value).min().unwrap_or(0);
        let high = values.iter().map(|&(_, value)| value).max().unwrap_or(0);
        let packed = self.has_attribute(attrs, "packed");
        let Some(repr) = self.enum_repr(low, high, packed) else {
            return self.error(span, "no integer type holds all constants of the enum");
        };
        let target = &mut self.program.types.enums[enumeration];
        (target.repr, target.complete) = (repr, true);
        let with_mode = self.with_attributes(ty.into(), attrs);
        with_mode?;
        for (name, value) in values {
            self.bind_constant(name, value, ty);
        }
        Ok(())
    }

    /// gcc's choice: the first type from `unsigned int` on (`int` if something is negative) that holds all values;
    /// a packed enum starts at `unsigned char`.
    fn enum_repr(&self, low: i128, high: i128, packed: bool) -> Option<IntKind> {
        let small = [IntKind::UChar, IntKind::SChar, IntKind::UShort, IntKind::Short];
        let usual = [IntKind::UInt, IntKind::Int, IntKind::ULong, IntKind::Long, IntKind::ULongLong, IntKind::LongLong];
        let candidates = small.iter().filter(|_| packed).chain(&usual);
        candidates.copied().find(|kind| kind.signed() == (low < 0) && self.holds(*kind, low) && self.holds(*kind, high))
    }

    pub fn holds(&self, kind: IntKind, value: i128) -> bool {
        let bits = kind.bits(self.program.model);
        match kind.signed() {
            true => value >= -(1 << (bits - 1)) && value < 1 << (bits - 1),
            false => value >= 0 && (bits >= 127 || value < 1 << bits),
        }
    }

    /// Constants that fit are of type `int`, others of their enum's type, or of one that holds them while the
    /// enum is still incomplete.
    fn bind_constant(&mut self, name: Symbol, value: i128, ty: TypeId) {
        let complete = match *self.ty(ty) {
            Type::Enum(id) => self.program.types.enums[id].complete,
            _ => true,
        };
        let ty = match complete {
            _ if self.holds(IntKind::Int, value) => self.basic.int,
            true => ty,
            false if self.holds(IntKind::UInt, value) => self.basic.uint,
            false if self.holds(IntKind::LongLong, value) => self.basic.llong,
            false => self.basic.ullong,
        };
        let scalar = self.scalar(ty).expect("enums and integers are scalars");
        let value = self.number(scalar, value);
        self.names.bind(name, Entity::Constant { value, ty });
    }
}
