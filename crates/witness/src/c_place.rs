//! A scalar inside a variable as C names it: `[2].next` for an offset in bytes.

use cfa::types::{Type, TypeId};
use cfa::{Program, Scalar};

/// The path from a variable of type `ty` to the scalar at `offset`; `None` if there is no scalar of that type, or it
/// shares its bytes (unions, bit-fields).
pub fn place(program: &Program, ty: TypeId, offset: u64, scalar: Scalar) -> Option<String> {
    let types = &program.types;
    let ty = types.unqualified(ty);
    match types.get(ty) {
        Type::Array(element, length) => {
            let size = types.size(*element).filter(|&size| size > 0)?;
            let index = Some(offset / size).filter(|index| index < length)?;
            Some(format!("[{index}]{}", place(program, *element, offset % size, scalar)?))
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            let fields = record.fields.as_ref().filter(|_| !record.is_union)?;
            let field = fields.iter().rev().find(|field| field.bit_offset / 8 <= offset)?;
            if field.bit_width.is_some() {
                return None;
            }
            let inner = place(program, field.ty, offset - field.bit_offset / 8, scalar)?;
            Some(match field.name {
                Some(name) => format!(".{}{inner}", program.text(name)),
                None => inner,
            })
        }
        _ => (offset == 0 && types.scalar(ty) == Some(scalar)).then(String::new),
    }
}
