//! Structs whose members have variable lengths, as gcc allows inside functions: where each member lies, and the size of
//! the whole, are registers that get their values where the type is declared.
//!
//! To the rest of the program such a record is incomplete; places and sizes are asked here. Unions of this kind,
//! anonymous members, and bit-fields outside of packed ones stay rejected; passing one by value is `Unsupported`.

use crate::context::{Lowering, Lowers};
use crate::lvalue::{Location, Lvalue};
use crate::tags::FoundMember;
use base::{Span, Symbol};
use cfa::layout::{Layout, Member, RecordAttributes, layout};
use cfa::types::{Field, RecordId, Type, TypeId};
use cfa::{BinOp, ExprId, VarId};

/// A record of which only an execution knows the layout.
#[derive(Debug)]
pub(crate) struct VariableRecord {
    fields: Vec<VariableField>,
    size: VarId,
}

#[derive(Clone, Copy, Debug)]
struct VariableField {
    name: Option<Symbol>,
    /// The register with the byte from which on `within` counts.
    base: VarId,
    within: FoundMember,
}

impl Lowering<'_> {
    /// Whether a member of this type makes its record variable.
    pub fn is_variable_member(&self, ty: TypeId) -> bool {
        self.body.function.is_some() && !self.prototype && self.is_variable_length(self.program.types.unqualified(ty))
    }

    /// Lays out a record with such a member.
    pub fn define_variable_record(
        &mut self,
        record: RecordId,
        attributes: RecordAttributes,
        members: &[Member],
        span: Span,
    ) -> Lowers<()> {
        let is_odd = |member: &Member| match member.width {
            Some(_) => !attributes.packed || attributes.pack.is_some(),
            None => member.name.is_none(),
        };
        if attributes.is_union || members.iter().any(is_odd) {
            return self.error(span, "this combination of variable lengths and other members is not supported");
        }
        let mut end = self.size_const(0);
        let mut align = attributes.align.unwrap_or(1);
        let mut fields = Vec::new();
        let mut rest = members;
        while !rest.is_empty() {
            // Bit-fields in a row share bytes.
            let count = rest.iter().take_while(|member| member.width.is_some()).count().max(1);
            let (group, others) = rest.split_at(count);
            rest = others;
            let Layout { fields: laid, size, align: own, .. } = self.alone(attributes, group, span)?;
            align = align.max(own);
            end = self.aligned_up(end, own);
            let base = self.size_register(end);
            let size = match group {
                [member] if self.is_variable_member(member.ty) => self.size_expr(member.ty, span)?,
                _ => self.size_const(size),
            };
            fields.extend(laid.into_iter().map(|field| {
                let Field { name, ty, bit_offset, bit_width, unit, align } = field;
                VariableField { name, base, within: FoundMember { ty, bit_offset, bit_width, unit, align } }
            }));
            let start = self.var(base);
            end = self.binary(BinOp::Add, start, size);
        }
        let size = self.aligned_up(end, align);
        let size = self.size_register(size);
        self.program.types.records[record].align = align;
        self.variable_records.insert(record, VariableRecord { fields, size });
        Ok(())
    }

    /// A group of members as if the record had no other.
    fn alone(&mut self, attributes: RecordAttributes, group: &[Member], span: Span) -> Lowers<Layout> {
        match layout(&self.program.types, RecordAttributes { align: None, ..attributes }, group) {
            Ok(laid) => Ok(laid),
            Err(_) => self.error(span, "the type is too large"),
        }
    }

    fn size_register(&mut self, value: ExprId) -> VarId {
        let (ty, scalar) = (self.basic.size, self.program.model.size_type());
        let var = self.temporary(ty, scalar);
        self.emit(cfa::Op::Assign(var, value));
        var
    }

    /// The next multiple of a power of two.
    fn aligned_up(&mut self, value: ExprId, align: u64) -> ExprId {
        let (more, mask) = (self.size_const(align - 1), self.size_const(!(align - 1)));
        let raised = self.binary(BinOp::Add, value, more);
        self.binary(BinOp::And, raised, mask)
    }

    /// The size of such a record.
    pub fn variable_size(&mut self, ty: TypeId) -> Option<ExprId> {
        let Type::Record(record) = *self.ty(ty) else { return None };
        let size = self.variable_records.get(&record)?.size;
        Some(self.var(size))
    }

    /// The member of that name of a record at `address`, if the record is of this kind.
    pub fn variable_field(&mut self, ty: TypeId, address: ExprId, name: Symbol) -> Option<Lvalue> {
        let Type::Record(record) = *self.ty(self.program.types.unqualified(ty)) else { return None };
        let fields = &self.variable_records.get(&record)?.fields;
        let VariableField { base, within, .. } = *fields.iter().find(|field| field.name == Some(name))?;
        let offset = self.program.model.offset_type();
        let base = self.var(base);
        let base = self.cast(base, offset);
        let start = self.binary(BinOp::PtrAdd, address, base);
        let place = self.field_place(start, within);
        debug_assert!(!matches!(place.location, Location::Register(_)), "members lie in memory");
        Some(place)
    }
}
