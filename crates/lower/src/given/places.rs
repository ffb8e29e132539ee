//! Where in an object of one type a pointer to another type may lead: to members and elements of that type, and as a
//! pointer to characters anywhere.

use cfa::types::{IntKind, Type, TypeId, Types};

/// Equally distant places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// The first.
    pub offset: u64,
    pub stride: u64,
    /// How many.
    pub count: u64,
}

/// Where `wanted` lies in `length` elements of type `element`.
pub(super) fn places(types: &Types, element: TypeId, length: u64, wanted: TypeId) -> Vec<Run> {
    let Some(size) = types.size(element) else { return Vec::new() };
    if is_anything(types, wanted) {
        return vec![Run { offset: 0, stride: 1, count: size * length }];
    }
    let mut runs = Vec::new();
    array(types, element, length, 0, wanted, &mut runs);
    runs.sort_by_key(|run| run.offset);
    let mut merged: Vec<Run> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last) if last.stride == run.stride && last.offset + last.count * last.stride == run.offset => {
                last.count += run.count;
            }
            // Members of a union lie at one place.
            Some(last) if *last == run => {}
            _ => merged.push(run),
        }
    }
    merged
}

fn array(types: &Types, element: TypeId, length: u64, at: u64, wanted: TypeId, runs: &mut Vec<Run>) {
    let Some(size) = types.size(element) else { return };
    if agree(types, element, wanted) {
        runs.push(Run { offset: at, stride: size, count: length });
        return;
    }
    let mut inside = Vec::new();
    member(types, element, 0, wanted, &mut inside);
    for index in 0..if inside.is_empty() { 0 } else { length } {
        let moved = inside.iter().map(|run| Run { offset: at + index * size + run.offset, ..*run });
        runs.extend(moved);
    }
}

fn member(types: &Types, ty: TypeId, at: u64, wanted: TypeId, runs: &mut Vec<Run>) {
    match *types.get(types.unqualified(ty)) {
        Type::Array(element, length) => array(types, element, length, at, wanted, runs),
        Type::Record(record) => {
            let fields = types.records[record].fields.iter().flatten();
            for field in fields.filter(|field| field.bit_width.is_none()) {
                array(types, field.ty, 1, at + field.bit_offset / 8, wanted, runs);
            }
        }
        _ => {}
    }
}

/// Whether a pointer to the type may lead anywhere.
pub(super) fn is_anything(types: &Types, ty: TypeId) -> bool {
    let ty = types.get(types.unqualified(ty));
    matches!(ty, Type::Void | Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar))
}

/// Whether an object of the one type may be accessed as one of the other (C11 6.5p7), but for characters.
fn agree(types: &Types, a: TypeId, b: TypeId) -> bool {
    let (a, b) = (types.unqualified(a), types.unqualified(b));
    let kind = |ty: TypeId| match *types.get(ty) {
        Type::Int(kind) => Some(kind.bits(types.model())),
        Type::Enum(id) => Some(types.enums[id].repr.bits(types.model())),
        _ => None,
    };
    let pointee = |ty: TypeId| match *types.get(ty) {
        Type::Pointer(to) => Some(types.unqualified(to)),
        _ => None,
    };
    a == b
        || kind(a).is_some() && kind(a) == kind(b)
        // Programs take pointers for each other, and compilers let them.
        || pointee(a).is_some() && pointee(b).is_some()
}
