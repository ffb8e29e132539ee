//! Where the members of structs and unions lie: gcc's rules for x86 Linux, both data models.
//!
//! Positions are bits from the start of the record. The rules, for each member in order:
//!
//! 1. Its alignment is the larger of its type's and its own `aligned` attribute. `packed` (on it or on the record)
//!    makes it 1 byte unless the member itself is `aligned`; `#pragma pack(n)` caps it at n, whatever else it says.
//!    On ILP32, 8-byte integers and doubles need only 4 inside records unless an attribute says otherwise.
//! 2. A bit-field needs no alignment of its own, but may not straddle more units of its type's alignment than the
//!    type itself has; otherwise it moves to the next unit. Packed ones and those under `#pragma pack` do straddle.
//!    A zero-width one ends the current unit.
//! 3. The record's alignment is the largest of its members'; named bit-fields count with their type's, unnamed ones
//!    not at all. Its size is rounded up to its alignment.

use crate::scalar::{DataModel, FloatKind};
use crate::types::{Field, Type, TypeId, Types, Unit};
use base::Symbol;

/// A member as declared.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// `None` for anonymous members and unnamed bit-fields.
    pub name: Option<Symbol>,
    /// Its type; an open array is a flexible one.
    pub ty: TypeId,
    /// The alignment in bytes that a typedef with `aligned` gave the type, larger or smaller than its natural one.
    pub type_align: Option<u64>,
    /// `aligned` or `_Alignas` on the member, in bytes; the largest of several.
    pub align: Option<u64>,
    /// `packed` on the member.
    pub packed: bool,
    /// Bit-field width; 0 only without name.
    pub width: Option<u32>,
}

/// What is said of the record as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordAttributes {
    /// Whether members overlap.
    pub is_union: bool,
    /// `packed`
    pub packed: bool,
    /// `aligned(n)`, in bytes.
    pub align: Option<u64>,
    /// `#pragma pack(n)`, in bytes.
    pub pack: Option<u64>,
}

/// A record with every member in its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The members in order, without zero-width bit-fields.
    pub fields: Vec<Field>,
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub align: u64,
    /// Whether an attribute had a say in the alignment; then ILP32 does not reduce it inside other records.
    pub user_align: bool,
}

/// The record would be larger than the address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// Lays out a record.
pub fn layout(types: &Types, attributes: RecordAttributes, members: &[Member]) -> Result<Layout, TooLarge> {
    let mut placing = Placing {
        types,
        attributes,
        at: 0,
        end: 0,
        align: 8 * attributes.align.unwrap_or(1).max(1),
        user_align: attributes.align.is_some(),
        fields: Vec::with_capacity(members.len()),
    };
    for member in members {
        placing.place(member)?;
    }
    let end = placing.end.max(placing.at).checked_next_multiple_of(placing.align).ok_or(TooLarge)?;
    let mut fields = placing.fields;
    group_bit_fields(types, &mut fields, attributes.is_union);
    Ok(Layout { fields, size: end / 8, align: placing.align / 8, user_align: placing.user_align })
}

/// A record under construction; all in bits.
struct Placing<'a> {
    types: &'a Types,
    attributes: RecordAttributes,
    /// Where the next member of a struct may start.
    at: u64,
    /// The largest end of a union's members.
    end: u64,
    align: u64,
    user_align: bool,
    fields: Vec<Field>,
}

impl Placing<'_> {
    fn place(&mut self, member: &Member) -> Result<(), TooLarge> {
        let packed = member.packed || self.attributes.packed;
        let (type_align, type_user) = self.type_align(member);
        let (own, user) = self.own_align(member, packed, type_align, type_user);
        self.user_align |= user;
        match member.width {
            None => self.align = self.align.max(own),
            Some(_) if member.name.is_some() => {
                let mut unit = self.reduced(member.ty, type_align, type_user);
                match self.attributes.pack {
                    Some(pack) => unit = unit.min(8 * pack),
                    None if packed => unit = unit.min(8),
                    None => {}
                }
                self.align = self.align.max(own).max(unit);
                self.user_align |= type_user;
            }
            Some(_) => {}
        }
        if self.attributes.is_union {
            self.at = 0;
        }
        let mut start = self.at.checked_next_multiple_of(own).ok_or(TooLarge)?;
        let bytes = self.types.size(member.ty).unwrap_or(0);
        let size = match member.width {
            Some(width) => u64::from(width),
            None => bytes.checked_mul(8).ok_or(TooLarge)?,
        };
        if member.width.is_some_and(|width| width > 0) && !packed && self.attributes.pack.is_none() {
            let unit = self.reduced(member.ty, type_align, type_user);
            if (start % unit + size).div_ceil(unit) > (8 * bytes) / unit {
                start = start.next_multiple_of(unit);
            }
        }
        self.at = start.checked_add(size).filter(|&end| end < 1 << 62).ok_or(TooLarge)?;
        self.end = self.end.max(self.at);
        if member.width != Some(0) {
            let (name, ty) = (member.name, member.ty);
            let align = own.div_ceil(8);
            self.fields.push(Field { name, ty, bit_offset: start, bit_width: member.width, unit: None, align });
        }
        Ok(())
    }

    /// The alignment of a member's type in bits, and whether an attribute gave it.
    fn type_align(&self, member: &Member) -> (u64, bool) {
        match member.type_align {
            Some(align) => (8 * align, true),
            None => (8 * self.types.align(member.ty), self.types.user_align(member.ty)),
        }
    }

    /// Rule 1: where the member itself may start, and whether an attribute had a say.
    fn own_align(&self, member: &Member, packed: bool, type_align: u64, type_user: bool) -> (u64, bool) {
        let asked = member.align.map(|align| 8 * align);
        let cap = |align: u64| self.attributes.pack.map_or(align, |pack| align.min(8 * pack));
        match (member.width, asked) {
            // Neither packing nor #pragma pack has a say in where a zero-width bit-field leads.
            (Some(0), _) => (self.reduced(member.ty, type_align, type_user), type_user),
            (Some(_), asked) => (cap(asked.unwrap_or(1)), asked.is_some()),
            (None, Some(asked)) if packed => (cap(asked), true),
            (None, None) if packed => (cap(type_align.min(8)), type_user),
            (None, Some(asked)) if asked >= type_align => (cap(asked), true),
            (None, _) => (cap(self.reduced(member.ty, type_align, type_user)), type_user),
        }
    }

    /// ILP32 aligns numbers to 4 bytes at most inside records, unless an attribute asked for more.
    fn reduced(&self, ty: TypeId, align: u64, user: bool) -> u64 {
        if user { align } else { align.min(8 * self.types.align_in_record(ty)) }
    }
}

impl Types {
    /// The least alignment in bytes of an object of the type as a member (`_Alignof`); differs from [`Types::align`]
    /// (`__alignof__`) for 8-byte numbers on ILP32.
    pub fn align_in_record(&self, id: TypeId) -> u64 {
        let align = self.align(id);
        if self.model() == DataModel::Lp64 {
            return align;
        }
        match *self.get(self.element(id)) {
            Type::Const(_) | Type::Array(..) | Type::OpenArray(_) | Type::VariableArray(..) => align,
            Type::Int(_) | Type::Bits { .. } | Type::Enum(_) => align.min(4),
            Type::Float(FloatKind::F64) | Type::Complex(FloatKind::F64) => align.min(4),
            Type::Float(_) | Type::Complex(_) => align,
            Type::Void | Type::Bool | Type::Pointer(_) | Type::Function { .. } | Type::Record(_) => align,
        }
    }

    /// Whether an attribute had a say in the alignment of the type.
    pub fn user_align(&self, id: TypeId) -> bool {
        match *self.get(self.element(id)) {
            Type::Const(_) | Type::Array(..) | Type::OpenArray(_) | Type::VariableArray(..) => false,
            Type::Record(record) => self.records[record].user_align,
            Type::Void | Type::Bool | Type::Int(_) | Type::Bits { .. } | Type::Float(_) | Type::Complex(_) => false,
            Type::Pointer(_) | Type::Function { .. } | Type::Enum(_) => false,
        }
    }
}

/// Gives every bit-field the bytes by which it is read and written: those of its run of neighbours, cut where a field
/// starts a new object of its declared type. So accesses of one run have one shape and touch no ordinary member.
fn group_bit_fields(types: &Types, fields: &mut [Field], is_union: bool) {
    let mut from = 0;
    while from < fields.len() {
        let mut to = from + 1;
        if fields[from].bit_width.is_none() {
            from = to;
            continue;
        }
        let mut end = bit_end(&fields[from]);
        while !is_union && to < fields.len() && fields[to].bit_width.is_some() {
            let start = fields[to].bit_offset;
            let declared = 8 * types.size(fields[to].ty).unwrap_or(1);
            if start.is_multiple_of(declared) || start.div_ceil(8) > end.div_ceil(8) {
                break;
            }
            end = bit_end(&fields[to]);
            to += 1;
        }
        let whole = Unit::covering(fields[from].bit_offset, end);
        for field in &mut fields[from..to] {
            let own = Unit::covering(field.bit_offset, bit_end(field));
            field.unit = Some(if whole.bytes <= 16 { whole } else { own });
        }
        from = to;
    }
}

fn bit_end(field: &Field) -> u64 {
    field.bit_offset + u64::from(field.bit_width.unwrap_or(0))
}

impl Unit {
    fn covering(start: u64, end: u64) -> Unit {
        Unit { offset: start / 8, bytes: (end.div_ceil(8) - start / 8) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntKind::{self, Char, Int, Long, LongLong};

    /// `kind` or `kind:width`, `_` for unnamed, then attributes `p` (packed) and `aN`.
    fn check(model: DataModel, attributes: RecordAttributes, members: &[(IntKind, Option<u32>)], expected: &str) {
        let mut types = Types::new(model);
        let mut names = base::Interner::default();
        let members: Vec<Member> = members
            .iter()
            .map(|&(kind, width)| Member {
                name: (width != Some(0)).then(|| names.intern("x")),
                ty: types.intern(Type::Int(kind)),
                type_align: None,
                align: None,
                packed: false,
                width,
            })
            .collect();
        let layout = layout(&types, attributes, &members).expect("small");
        let offsets: Vec<String> = layout.fields.iter().map(|field| field.bit_offset.to_string()).collect();
        let text = format!("{} size {} align {}", offsets.join(" "), layout.size, layout.align);
        assert_eq!(text, expected);
    }

    const PLAIN: RecordAttributes = RecordAttributes { is_union: false, packed: false, align: None, pack: None };

    #[test]
    fn numbers_are_aligned() {
        check(DataModel::Lp64, PLAIN, &[(Char, None), (LongLong, None), (Char, None)], "0 64 128 size 24 align 8");
        check(DataModel::Ilp32, PLAIN, &[(Char, None), (LongLong, None), (Char, None)], "0 32 96 size 16 align 4");
    }

    #[test]
    fn bit_fields_share_units_and_do_not_straddle() {
        check(DataModel::Lp64, PLAIN, &[(Int, Some(20)), (Int, Some(20))], "0 32 size 8 align 4");
        check(DataModel::Lp64, PLAIN, &[(Char, None), (Int, Some(20))], "0 8 size 4 align 4");
        check(DataModel::Lp64, PLAIN, &[(Int, Some(3)), (Int, Some(0)), (Char, Some(2))], "0 32 size 8 align 4");
        check(DataModel::Ilp32, PLAIN, &[(Int, Some(20)), (LongLong, Some(40))], "0 20 size 8 align 4");
        check(DataModel::Lp64, PLAIN, &[(Int, Some(20)), (Long, Some(60))], "0 64 size 16 align 8");
    }

    #[test]
    fn packing() {
        let packed = RecordAttributes { packed: true, ..PLAIN };
        check(DataModel::Lp64, packed, &[(Char, None), (Long, None)], "0 8 size 9 align 1");
        check(DataModel::Lp64, packed, &[(Int, Some(20)), (Int, Some(20))], "0 20 size 5 align 1");
        let pack = RecordAttributes { pack: Some(2), ..PLAIN };
        check(DataModel::Lp64, pack, &[(Char, None), (Long, None)], "0 16 size 10 align 2");
        let union = RecordAttributes { is_union: true, align: Some(16), ..PLAIN };
        check(DataModel::Lp64, union, &[(Int, Some(20)), (Long, None)], "0 0 size 16 align 16");
    }
}
