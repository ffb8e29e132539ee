//! Initialisers: designators, nested braces and elided ones, strings, ranges. The syntax is spread into leaves, each
//! with its place in the object; `static_init` makes cells of them, `local_init` stores.

use crate::context::{Lowering, Lowers};
use crate::leaves::{Leaf, LeafValue, Leaves, PartlyReplaced};
use crate::tags::FoundMember;
use crate::types::Ty;
use base::Span;
use cfa::types::{RecordId, Type, TypeId};
use syntax::ast::{self, Designator, ExprKind, Init, InitItem, List};

/// The items of a braced list, and how far they are used up.
#[derive(Clone, Copy)]
struct Items {
    list: List<InitItem>,
    next: usize,
    end: usize,
}

/// An object or part of one.
#[derive(Clone, Copy)]
struct Part {
    ty: TypeId,
    /// Bits from the start of the whole object.
    at: u64,
}

/// Initial values that one range may stand for; more would not fit into memory.
pub(crate) const MAX_REPEATED: u64 = 1 << 22;

pub(crate) const RANGE_TOO_LONG: &str = "the range is too long to be initialised";

impl Lowering<'_> {
    /// The type of an object after its initialiser said how long an open array is.
    pub fn completed(&mut self, ty: Ty, init: Option<Init>) -> Lowers<Ty> {
        let (Type::OpenArray(element), Some(init)) = (self.ty(ty.id).clone(), init) else { return Ok(ty) };
        let length = match init {
            Init::Expr(expr) => match self.ast[expr].kind {
                ExprKind::String(string) => {
                    let string = self.string_type(string);
                    match *self.ty(string) {
                        Type::Array(_, length) => length,
                        _ => 0,
                    }
                }
                ExprKind::CompoundLiteral { ty: literal, init } => {
                    let literal = self.ast_type(literal)?;
                    return self.completed(literal, Some(Init::List(init)));
                }
                _ => return self.error(self.ast[expr].span, "expected a braced initialiser"),
            },
            Init::List(list) => {
                let mut leaves = Leaves::default();
                self.braced(Part { ty: ty.id, at: 0 }, list, &mut leaves)?
            }
        };
        let id = self.intern(Type::Array(element, length));
        Ok(Ty { id, ..ty })
    }

    pub fn leaves(&mut self, ty: TypeId, init: Init) -> Lowers<Vec<Leaf>> {
        let mut leaves = Leaves::default();
        let whole = Part { ty, at: 0 };
        match init {
            Init::List(list) => _ = self.braced(whole, list, &mut leaves)?,
            Init::Expr(expr) => match self.ast[expr].kind {
                ExprKind::String(string) if self.is_string_array(ty, string) => {
                    self.put_leaf(whole, LeafValue::String(string), &mut leaves)?;
                }
                // `int a[] = (int []){1, 2}`: GNU C lets the literal initialise the array.
                ExprKind::CompoundLiteral { init, .. } if self.element_type(ty).is_some() => {
                    self.braced(whole, init, &mut leaves)?;
                }
                _ => self.put_leaf(whole, LeafValue::Expr(expr), &mut leaves)?,
            },
        }
        let is_literal = |l: &Self, value: ast::ExprId| {
            matches!(l.ast[value].kind, ExprKind::Int { .. } | ExprKind::Char { .. } | ExprKind::Float { .. })
        };
        if !self.static_context && leaves.gone().into_iter().any(|value| !is_literal(self, value)) {
            self.assume("initialisers that later ones replace are not evaluated, as in gcc".to_owned());
        }
        Ok(leaves.into_order_of_object())
    }

    pub fn element_type(&self, ty: TypeId) -> Option<TypeId> {
        match *self.ty(self.program.types.unqualified(ty)) {
            Type::Array(element, _) | Type::OpenArray(element) => Some(element),
            _ => None,
        }
    }

    fn record(&self, ty: TypeId) -> Option<RecordId> {
        match *self.ty(self.program.types.unqualified(ty)) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Whether a string literal can initialise an array of this type.
    fn is_string_array(&mut self, ty: TypeId, string: ast::StringId) -> bool {
        let Some(element) = self.element_type(ty) else { return false };
        let width = self.program.types.size(element);
        let character = self.string_element(string);
        self.is_integer(element) && width == self.program.types.size(character)
    }

    /// `{ ... }` for a part. Returns how many elements an array has after it.
    fn braced(&mut self, part: Part, list: ast::InitListId, leaves: &mut Leaves) -> Lowers<u64> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.braced_inner(part, list, leaves))
    }

    fn braced_inner(&mut self, part: Part, list: ast::InitListId, leaves: &mut Leaves) -> Lowers<u64> {
        let ast = self.ast;
        let ast::InitList { items, span } = ast[list];
        if self.element_type(part.ty).is_none() && self.record(part.ty).is_none() {
            let value = match ast[items].first() {
                Some(InitItem { init: Init::Expr(expr), .. }) => LeafValue::Expr(*expr),
                Some(InitItem { init: Init::List(inner), .. }) => return self.braced(part, *inner, leaves),
                None => LeafValue::Zero,
            };
            self.put_leaf(part, value, leaves)?;
            return Ok(0);
        }
        if let [InitItem { designators, init: Init::Expr(expr) }] = ast[items]
            && designators.is_empty()
            && let ExprKind::String(string) = ast[expr].kind
            && self.is_string_array(part.ty, string)
        {
            self.put_leaf(part, LeafValue::String(string), leaves)?;
            let string = self.string_type(string);
            return Ok(match *self.ty(string) {
                Type::Array(_, length) => length,
                _ => 0,
            });
        }
        if !items.is_empty() && self.is_opaque(part.ty) {
            return self.error(span, "a value of a type that is not modelled");
        }
        let mut items = Items { list: items, next: 0, end: items.len() };
        let mut longest = 0;
        let mut index = 0;
        while items.next < items.end {
            let item = ast[items.list][items.next];
            if item.designators.is_empty() {
                let Some((sub, found)) = self.part(part, index) else {
                    self.warning(span, "more initialisers than places");
                    items.next += 1;
                    continue;
                };
                index = found + 1;
                let before = items.next;
                self.in_member(part, found, leaves, |l, leaves| l.element(sub, &mut items, leaves))?;
                if items.next == before && self.element_type(part.ty).is_some() {
                    self.warning(span, "the elements are empty and take no initialiser");
                    break;
                }
            } else {
                let before = items.next;
                index = self.designated(part, &ast[item.designators], &mut items, leaves)?;
                if items.next == before {
                    self.warning(span, "an empty array takes no initialiser");
                    items.next += 1;
                }
            }
            longest = longest.max(index);
        }
        Ok(longest)
    }

    /// The part number `index` or, among members, the next that can be initialised; with its number.
    fn part(&self, part: Part, index: u64) -> Option<(FoundMember, u64)> {
        if let Some(element) = self.element_type(part.ty) {
            if let Type::Array(_, length) = *self.ty(self.program.types.unqualified(part.ty))
                && index >= length
            {
                return None;
            }
            let size = self.program.types.size(element)?;
            let bit_offset = part.at.checked_add(8_u64.checked_mul(size.checked_mul(index)?)?)?;
            return Some((FoundMember { ty: element, bit_offset, bit_width: None, unit: None, align: 1 }, index));
        }
        let record = &self.program.types.records[self.record(part.ty)?];
        let fields = record.fields.as_ref()?;
        if record.is_union && index > 0 {
            return None;
        }
        let named = |field: &&cfa::types::Field| field.name.is_some() || field.bit_width.is_none();
        let skipped = fields.iter().skip(index as usize).position(|field| named(&field))?;
        let index = index + skipped as u64;
        Some((within(part, &fields[index as usize]), index))
    }

    /// Initialises a part with the next item, or with as many as its elements take if braces are left out.
    fn element(&mut self, at: FoundMember, items: &mut Items, leaves: &mut Leaves) -> Lowers<()> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.element_inner(at, items, leaves))
    }

    fn element_inner(&mut self, at: FoundMember, items: &mut Items, leaves: &mut Leaves) -> Lowers<()> {
        let ast = self.ast;
        let Some(item) = self.item(items) else { return Ok(()) };
        let sub = Part { ty: self.program.types.unqualified(at.ty), at: at.bit_offset };
        let expr = match item.init {
            Init::List(list) => {
                items.next += 1;
                if at.bit_width.is_some() {
                    let value = match ast[ast[list].items].first() {
                        Some(InitItem { init: Init::Expr(expr), .. }) => LeafValue::Expr(*expr),
                        _ => LeafValue::Zero,
                    };
                    return self.put_leaf_at(at, value, leaves);
                }
                let cleared = leaves.clear(self.bits_of(sub));
                self.replacing(cleared)?;
                return self.braced(sub, list, leaves).map(drop);
            }
            Init::Expr(expr) => expr,
        };
        if let ExprKind::String(string) = ast[expr].kind
            && self.is_string_array(sub.ty, string)
        {
            items.next += 1;
            self.put_leaf(sub, LeafValue::String(string), leaves)?;
            return Ok(());
        }
        let aggregate = self.element_type(sub.ty).is_some() || self.record(sub.ty).is_some();
        if aggregate && !self.is_whole(sub.ty, expr) {
            return self.elided(sub, 0, items, leaves);
        }
        items.next += 1;
        self.put_leaf_at(at, LeafValue::Expr(expr), leaves)
    }

    fn item(&self, items: &Items) -> Option<InitItem> {
        self.ast[items.list][..items.end].get(items.next).copied()
    }

    /// The bits of a part. A flexible array takes all that come.
    fn bits_of(&self, part: Part) -> std::ops::Range<u64> {
        let bits = self.program.types.size(part.ty).and_then(|bytes| bytes.checked_mul(8));
        part.at..bits.and_then(|bits| part.at.checked_add(bits)).unwrap_or(u64::MAX)
    }

    fn put_leaf(&mut self, part: Part, value: LeafValue, leaves: &mut Leaves) -> Lowers<()> {
        let at = FoundMember { ty: part.ty, bit_offset: part.at, bit_width: None, unit: None, align: 1 };
        self.put_leaf_at(at, value, leaves)
    }

    fn put_leaf_at(&mut self, at: FoundMember, value: LeafValue, leaves: &mut Leaves) -> Lowers<()> {
        let place = self.bits_of(Part { ty: at.ty, at: at.bit_offset });
        let bits = at.bit_width.map_or(place.end - place.start, u64::from);
        let put = leaves.put(Leaf::new(at, bits, value));
        self.replacing(put)
    }

    /// Initialises something in a part; if the part is a union, in the given member of it.
    fn in_member(
        &mut self,
        part: Part,
        member: u64,
        leaves: &mut Leaves,
        initialise: impl FnOnce(&mut Self, &mut Leaves) -> Lowers<()>,
    ) -> Lowers<()> {
        let union = self.record(part.ty).filter(|&record| self.program.types.records[record].is_union);
        let place = self.bits_of(part);
        if let Some(union) = union {
            let left = leaves.leave_others(place.clone(), union, member);
            self.replacing(left)?;
        }
        initialise(self, leaves)?;
        if let Some(union) = union {
            leaves.choose(place, union, member);
        }
        Ok(())
    }

    fn replacing(&mut self, replaced: Result<(), PartlyReplaced>) -> Lowers<()> {
        match replaced {
            Ok(()) => Ok(()),
            Err(PartlyReplaced) => {
                self.error(self.here, "an initialiser that replaces part of an earlier value is not supported")
            }
        }
    }

    /// Whether an expression is a whole struct or union of the type.
    fn is_whole(&mut self, ty: TypeId, expr: ast::ExprId) -> bool {
        if self.record(ty).is_none() {
            return false;
        }
        match self.ast[expr].kind {
            ExprKind::Int { .. } | ExprKind::Char { .. } | ExprKind::Float { .. } | ExprKind::String(_) => false,
            _ => {
                let reported = self.diagnostics.len();
                let found = self.type_of(expr);
                self.diagnostics.truncate(reported);
                found.is_ok_and(|found| self.compatible(found, ty))
            }
        }
    }

    /// Items without braces of their own for the elements of `part` from `index` on.
    fn elided(&mut self, part: Part, mut index: u64, items: &mut Items, leaves: &mut Leaves) -> Lowers<()> {
        let mut first = true;
        while let Some(item) = self.item(items) {
            if !first && !item.designators.is_empty() {
                break;
            }
            let Some((sub, found)) = self.part(part, index) else { break };
            let before = items.next;
            self.in_member(part, found, leaves, |l, leaves| l.element(sub, items, leaves))?;
            // The item's designators led here, those of the next one lead elsewhere.
            first &= items.next == before;
            index = found + 1;
            if items.next == before && self.element_type(part.ty).is_some() {
                // Empty elements take no item, however many they are.
                break;
            }
        }
        Ok(())
    }

    /// Follows designators to the part that they name, initialises it, and goes on after it with items that have
    /// none. Returns the number of the next element of `part` itself.
    fn designated(&mut self, part: Part, path: &[Designator], items: &mut Items, leaves: &mut Leaves) -> Lowers<u64> {
        let span = self.items_span(items);
        let Some((&step, rest)) = path.split_first() else { return Ok(0) };
        match step {
            Designator::Field(name) => {
                let found = self.record(part.ty).and_then(|record| Some((record, self.field_path(record, name)?)));
                let Some((record, (_, index))) = found else {
                    let message = format!("'{}' has no member '{}'", self.show(part.ty), self.text(name));
                    return self.error(span, message);
                };
                let fields = self.program.types.records[record].fields.as_ref().expect("it has the member");
                let direct = within(part, &fields[index]);
                // A member of an anonymous one is looked up again there.
                let rest = if fields[index].name.is_none() { path } else { rest };
                self.in_member(part, index as u64, leaves, |l, leaves| l.designated_part(direct, rest, items, leaves))?;
                Ok(index as u64 + 1)
            }
            Designator::Index(index) => {
                let low = self.index_constant(index, span)?;
                let sub = self.checked_part(part, low, span)?;
                self.designated_part(sub, rest, items, leaves)?;
                Ok(low + 1)
            }
            Designator::Range(low, high) => {
                let (low, high) = (self.index_constant(low, span)?, self.index_constant(high, span)?);
                self.designated_range(part, low..=high.max(low), rest, items, leaves)?;
                Ok(high.max(low) + 1)
            }
        }
    }

    /// The next item for each element of a range; those after it that have no designator go on in the last element.
    fn designated_range(
        &mut self,
        part: Part,
        range: std::ops::RangeInclusive<u64>,
        rest: &[Designator],
        items: &mut Items,
        leaves: &mut Leaves,
    ) -> Lowers<()> {
        let (low, high) = range.into_inner();
        let span = self.items_span(items);
        let first = self.checked_part(part, low, span)?;
        let last = self.checked_part(part, high, span)?;
        let one = Items { end: items.next + 1, ..*items };
        let mut own = Leaves::default();
        let mut used = one;
        self.designated_part(first, rest, &mut used, &mut own)?;
        let in_union = own.in_union();
        let own = own.into_order_of_object();
        let times = high - low + 1;
        let element = self.bits_of(Part { ty: first.ty, at: first.bit_offset });
        let bits = element.end - element.start;
        if let [leaf] = own[..]
            && !in_union
            && (leaf.bits, leaf.times, leaf.at.bit_width) == (bits, 1, None)
        {
            *items = Items { next: used.next, ..*items };
            let put = leaves.put(Leaf { times, ..leaf });
            return self.replacing(put);
        }
        if times.saturating_mul(own.len() as u64) > MAX_REPEATED {
            return self.error(span, RANGE_TOO_LONG);
        }
        let outer = leaves.element;
        for index in low..high {
            let at = self.checked_part(part, index, span)?;
            if !self.static_context {
                leaves.element = outer.or(Some((at.bit_offset, at.bit_offset + bits)));
            }
            self.designated_part(at, rest, &mut { one }, leaves)?;
        }
        leaves.element = outer;
        self.designated_part(last, rest, items, leaves)
    }

    fn designated_part(
        &mut self,
        at: FoundMember,
        rest: &[Designator],
        items: &mut Items,
        leaves: &mut Leaves,
    ) -> Lowers<()> {
        if rest.is_empty() {
            return self.element(at, items, leaves);
        }
        let sub = Part { ty: self.program.types.unqualified(at.ty), at: at.bit_offset };
        let next = stacker::maybe_grow(64 << 10, 1 << 20, || self.designated(sub, rest, items, leaves))?;
        if self.item(items).is_some_and(|item| item.designators.is_empty()) {
            self.elided(sub, next, items, leaves)?;
        }
        Ok(())
    }

    fn items_span(&self, items: &Items) -> Span {
        match self.item(items).map(|item| item.init) {
            Some(Init::Expr(expr)) => self.ast[expr].span,
            Some(Init::List(list)) => self.ast[list].span,
            None => self.here,
        }
    }

    fn index_constant(&mut self, index: ast::ExprId, span: Span) -> Lowers<u64> {
        match u64::try_from(self.constant_int(index)?.0) {
            Ok(index) if index < 1 << 40 => Ok(index),
            _ => self.error(span, "the index is out of range"),
        }
    }

    fn checked_part(&mut self, part: Part, index: u64, span: Span) -> Lowers<FoundMember> {
        match self.part(part, index) {
            Some((found, _)) if self.element_type(part.ty).is_some() => Ok(found),
            _ => self.error(span, "the index is out of range"),
        }
    }
}

/// A direct member, placed from the start of the whole object.
fn within(part: Part, field: &cfa::types::Field) -> FoundMember {
    FoundMember {
        ty: field.ty,
        bit_offset: part.at + field.bit_offset,
        bit_width: field.bit_width,
        unit: field.unit.map(|unit| cfa::types::Unit { offset: unit.offset + part.at / 8, ..unit }),
        align: field.align,
    }
}
