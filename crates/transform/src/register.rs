//! New registers for what a pass has to remember.

use base::Span;
use cfa::types::{IntKind, Type, TypeId};
use cfa::{FunctionId, Program, Scalar, Storage, VarId, VarKind, Variable};

/// A new register.
pub fn add_register(
    program: &mut Program,
    name: &str,
    kind: VarKind,
    function: Option<FunctionId>,
    scalar: Scalar,
) -> VarId {
    assert_ne!(scalar, Scalar::Bool, "registers hold what C can store");
    let name = program.names.intern(name);
    let ty = type_of(program, scalar);
    let (storage, init, span) = (Storage::Register(scalar), Box::default(), Span::default());
    let id = program.vars.push(Variable { name, function, kind, ty, storage, init, span });
    if let Some(function) = function {
        program.functions[function].locals.push(id);
    }
    id
}

/// A C type with the values of a scalar one.
fn type_of(program: &mut Program, scalar: Scalar) -> TypeId {
    const INTEGERS: [IntKind; 10] = [
        IntKind::SChar,
        IntKind::UChar,
        IntKind::Short,
        IntKind::UShort,
        IntKind::Int,
        IntKind::UInt,
        IntKind::LongLong,
        IntKind::ULongLong,
        IntKind::Int128,
        IntKind::UInt128,
    ];
    let ty = match scalar {
        Scalar::Float(kind) => Type::Float(kind),
        Scalar::Int { bits, signed } => {
            let fits = |kind: &IntKind| kind.bits(program.model) == u32::from(bits) && kind.signed() == signed;
            Type::Int(INTEGERS.into_iter().find(fits).unwrap_or(IntKind::Int))
        }
        Scalar::Ptr | Scalar::Bool => Type::Pointer(program.types.intern(Type::Void)),
    };
    program.types.intern(ty)
}
