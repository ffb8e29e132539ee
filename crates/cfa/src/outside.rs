//! Values that leave the program: to functions without body, to inline assembly. They are passed to a function that
//! does nothing, for the points-to analysis: what they point to escapes.

use crate::expr::ExprId;
use crate::op::Op;
use crate::program::{Edge, Function, FunctionId, FunctionKind, NodeInfo, Program, Storage, VarId, VarKind, Variable};
use crate::scalar::Scalar;
use crate::types::{Type, TypeId};
use base::Span;

impl Program {
    /// The call that gives these values to the outside; `None` if none of them can hold an address.
    pub fn give_outside(&mut self, values: &[ExprId], span: Span) -> Option<Op> {
        let may_point = |&value: &ExprId| {
            let ty = self.exprs.ty(value);
            (ty.is_int() || ty == Scalar::Ptr) && self.exprs.constant(value).is_none()
        };
        let args: Box<[ExprId]> = values.iter().copied().filter(may_point).collect();
        if args.is_empty() {
            return None;
        }
        let types: Vec<Scalar> = args.iter().map(|&arg| self.exprs.ty(arg)).collect();
        let function = self.outside_function(&types, span);
        Some(Op::Call { function, args, result: None })
    }

    /// A function without body that takes arguments of these types and does nothing.
    fn outside_function(&mut self, types: &[Scalar], span: Span) -> FunctionId {
        let name = self.names.intern("outside$");
        let takes =
            |params: &[VarId]| params.iter().map(|&param| self.register(param)).eq(types.iter().map(|&ty| Some(ty)));
        let known = self.functions.iter().find(|(_, function)| function.name == name && takes(&function.params));
        if let Some((id, _)) = known {
            return id;
        }
        let id = self.functions.next_id();
        let void = self.types.intern(Type::Void);
        let pointer = self.types.intern(Type::Pointer(void));
        let (params, variadic) = (Box::default(), false);
        let ty = self.types.intern(Type::Function { result: void, params, variadic, prototyped: false });
        let entry = self.nodes.push(NodeInfo { function: id, loop_head: false });
        let exit = self.nodes.push(NodeInfo { function: id, loop_head: false });
        let kind = FunctionKind::Extern;
        let (params, result, locals) = (Vec::new(), None, Vec::new());
        self.functions.push(Function { name, kind, ty, params, result, locals, entry, exit, span });
        for &scalar in types {
            let param = self.temporary(id, scalar, pointer, span);
            self.vars[param].kind = VarKind::Parameter;
            self.functions[id].params.push(param);
        }
        self.edges.push(Edge { from: entry, to: exit, op: Op::Return(None), span });
        id
    }

    /// A new register of a function for a value that a call passes or returns.
    pub fn temporary(&mut self, function: FunctionId, scalar: Scalar, ty: TypeId, span: Span) -> VarId {
        let var = Variable {
            name: self.names.intern("call$"),
            function: Some(function),
            kind: VarKind::Temporary,
            ty,
            storage: Storage::Register(scalar),
            init: Box::default(),
            span,
        };
        let id = self.vars.push(var);
        self.functions[function].locals.push(id);
        id
    }
}
