//! Which objects there are and which pointers may lead to them, from types alone. Bounds are those of [`Given`], and two
//! of our own, since types such as those of interpreters and compilers lead to hundreds of objects.

use super::Given;
use cfa::VarId;
use cfa::types::{Type, TypeId, Types};

/// No more objects than this.
const MOST_OBJECTS: usize = 40;
/// No more pointers that are chosen than this; further ones are null.
const MOST_SLOTS: usize = 96;
/// No larger object than this, in bytes.
const LARGEST: u64 = 1 << 24;
/// An object whose type has no size, `void`, has so many bytes for each element.
pub(super) const VOID_BYTES: u64 = 16;

/// Something that a pointer may lead to.
#[derive(Clone, Debug)]
pub(super) struct PlannedObject {
    pub name: String,
    pub element: TypeId,
    pub length: u64,
    pub size: u64,
    /// The slot that it was made for.
    pub owner: usize,
}

/// Where a pointer lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PointerHome {
    /// It is the argument with this number.
    Passed(usize),
    /// It is this register.
    Register(VarId),
    /// In this variable, at this offset.
    Variable(VarId, u64),
    /// In an object, at this offset.
    Inside(usize, u64),
}

/// A pointer.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub name: String,
    pub place: PointerHome,
    pub to: TypeId,
    /// The objects that only it leads to unless others are chosen to.
    pub own: Vec<usize>,
    /// Whether the bytes may hold something else, since other members of a union share them.
    pub in_union: bool,
    /// Whether only it leads to what it leads to: `restrict`.
    pub alone: bool,
    /// Whether it is declared as an array with a length.
    pub declared: bool,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub objects: Vec<PlannedObject>,
    pub slots: Vec<Slot>,
    /// Pointers that are null because there were too many.
    pub nulls: Vec<PointerHome>,
    /// Pointers to functions and to types that are not known, and whether their bytes may hold something else.
    pub foreign: Vec<(PointerHome, bool)>,
    /// Whether a bound of ours was met.
    pub cut: bool,
}

/// A pointer in a type.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub offset: u64,
    pub to: TypeId,
    pub name: String,
    pub in_union: bool,
}

/// The pointers in a type, by offset.
pub(super) fn leaves(
    types: &Types,
    ty: TypeId,
    at: u64,
    name: &str,
    in_union: bool,
    names: &base::Interner,
    out: &mut Vec<Leaf>,
) {
    match *types.get(types.unqualified(ty)) {
        Type::Pointer(to) => out.push(Leaf { offset: at, to, name: name.to_owned(), in_union }),
        Type::Array(element, length) => {
            let Some(size) = types.size(element) else { return };
            for index in 0..length {
                let before = out.len();
                leaves(types, element, at + index * size, &format!("{name}_{index}"), in_union, names, out);
                if out.len() == before {
                    break;
                }
            }
        }
        Type::Record(record) => {
            let record = &types.records[record];
            for field in record.fields.iter().flatten().filter(|field| field.bit_width.is_none()) {
                let inner = match field.name {
                    Some(own) => format!("{name}_{}", names.text(own)),
                    None => name.to_owned(),
                };
                leaves(types, field.ty, at + field.bit_offset / 8, &inner, in_union || record.is_union, names, out);
            }
        }
        _ => {}
    }
}

impl Plan {
    /// Adds a pointer, the objects that it leads to, and the pointers in them.
    pub fn add(
        &mut self,
        (types, names): (&Types, &base::Interner),
        given: &Given,
        (place, to, name): (PointerHome, TypeId, String),
        depth: u32,
        in_union: bool,
        alone: bool,
        declared: Option<u64>,
    ) {
        let target = types.unqualified(to);
        let opaque = matches!(types.get(target), Type::Function { .. } | Type::VariableArray(..))
            || types.size(target).is_none() && !matches!(types.get(target), Type::OpenArray(_));
        if opaque {
            self.foreign.push((place, in_union));
            return;
        }
        if self.slots.len() >= MOST_SLOTS {
            self.cut = true;
            if !in_union {
                self.nulls.push(place);
            }
            return;
        }
        let number = self.slots.len();
        let object = format!("{name}_object");
        self.slots.push(Slot {
            name,
            place,
            to: target,
            own: Vec::new(),
            in_union,
            alone,
            declared: declared.is_some(),
        });
        if depth > given.pointer_depth {
            return;
        }
        for (element, length) in shapes(types, given, target, declared) {
            if self.objects.len() >= MOST_OBJECTS {
                self.cut = true;
                return;
            }
            let Some(size) = bytes(types, given, element, length) else {
                self.cut = true;
                continue;
            };
            let at = self.objects.len();
            let name = if self.slots[number].own.is_empty() { object.clone() } else { format!("{object}_{length}") };
            self.objects.push(PlannedObject { name, element, length, size, owner: number });
            self.slots[number].own.push(at);
        }
        for at in self.slots[number].own.clone() {
            let PlannedObject { element, length, name, .. } = self.objects[at].clone();
            let step = types.size(element).unwrap_or(0);
            let mut found = Vec::new();
            for index in 0..length {
                let name = if length == 1 { name.clone() } else { format!("{name}_{index}") };
                leaves(types, element, index * step, &name, false, names, &mut found);
            }
            if let Some((part, count)) = flexible(types, given, element) {
                let (start, step) = (step * length, types.size(part).unwrap_or(0));
                for index in 0..count {
                    leaves(types, part, start + index * step, &format!("{name}_{index}"), false, names, &mut found);
                }
            }
            for leaf in found {
                let place = PointerHome::Inside(at, leaf.offset);
                let shown = match leaf.name == name {
                    // The object is a pointer itself.
                    true => format!("{}_target", self.slots[number].name),
                    false => leaf.name.replacen("_object", "", 1),
                };
                self.add((types, names), given, (place, leaf.to, shown), depth + 1, leaf.in_union, false, None);
            }
        }
    }
}

/// The elements, and how many, of the objects that a pointer to `target` leads to.
fn shapes(types: &Types, given: &Given, target: TypeId, declared: Option<u64>) -> Vec<(TypeId, u64)> {
    let (element, few) = match *types.get(target) {
        // A pointer to an array without length leads to one of as many elements.
        Type::OpenArray(element) => (element, false),
        Type::Record(_) | Type::Pointer(_) | Type::Array(..) => (target, true),
        _ => (target, false),
    };
    if let Some(length) = declared {
        return vec![(element, length.max(1))];
    }
    let lengths = if few { &given.record_lengths } else { &given.lengths };
    let factor = if matches!(types.get(element), Type::Void) { VOID_BYTES } else { 1 };
    lengths.iter().map(|&length| (element, length * factor)).collect()
}

/// How large an object is: a structure that ends in an array without length has room for some elements of it.
fn bytes(types: &Types, given: &Given, element: TypeId, length: u64) -> Option<u64> {
    let size = types.size(element)?.checked_mul(length)?;
    let more = flexible(types, given, element).map_or(Some(0), |(part, count)| types.size(part)?.checked_mul(count))?;
    size.checked_add(more).filter(|&size| size < LARGEST)
}

/// The elements, and how many, after a structure that ends in an array without length.
pub(super) fn flexible(types: &Types, given: &Given, element: TypeId) -> Option<(TypeId, u64)> {
    let Type::Record(record) = *types.get(types.unqualified(element)) else { return None };
    let record = &types.records[record];
    let last = record.fields.iter().flatten().last().filter(|_| !record.is_union)?;
    match *types.get(types.unqualified(last.ty)) {
        Type::OpenArray(part) | Type::Array(part, 0) => {
            types.size(part).map(|_| (part, given.lengths.iter().copied().max().unwrap_or(1)))
        }
        _ => None,
    }
}
