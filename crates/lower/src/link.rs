//! Calls and callees that do not fit: the declaration that a caller saw may differ from the definition, or there was
//! none. Integers and pointers are converted as the machine's registers would, missing arguments are arbitrary,
//! surplus ones are dropped (those of a function without body have left the program); anything else is not modelled.

use crate::context::Lowering;
use base::{Id, Span};
use cfa::{
    Edge, EdgeId, ExprId, FunctionId, FunctionKind, Node, NodeInfo, Op, Scalar, Source, Storage, VarId, VarKind,
    Variable,
};

impl Lowering<'_> {
    /// Makes all direct calls fit their callees.
    pub fn link_calls(&mut self) {
        for index in 0..self.program.edges.len() {
            let id = EdgeId::new(index);
            if let Op::Call { function, args, result } = &self.program.edges[id].op {
                let callee = &self.program.functions[*function];
                let params = callee.params.iter();
                let fits = callee.params.len() == args.len()
                    && params.zip(args).all(|(&p, &a)| self.program.register(p) == Some(self.program.exprs.ty(a)))
                    && result.is_none_or(|to| {
                        callee.result.is_some_and(|from| self.program.register(from) == self.program.register(to))
                    });
                if !fits {
                    self.link(id);
                }
            }
        }
    }

    fn link(&mut self, id: EdgeId) {
        let Edge { from, to, op, span } = self.program.edges[id].clone();
        let Op::Call { function, args, result } = op else { return };
        let owner = self.program.nodes[from].function;
        let callee = &self.program.functions[function];
        let (params, callee_result, kind) = (callee.params.clone(), callee.result, callee.kind);
        let variadic = matches!(self.ty(callee.ty), cfa::types::Type::Function { variadic: true, .. });
        let mut passed = Vec::new();
        let mut missing = Vec::new();
        for (position, &param) in params.iter().enumerate() {
            let ty = self.program.register(param).expect("parameters are registers");
            match args.get(position) {
                Some(&arg) => match self.passed_as(arg, ty) {
                    Some(arg) => passed.push(arg),
                    None => return self.not_linked(id),
                },
                None => {
                    let var = self.local(owner, self.program.vars[param].ty, ty, span);
                    missing.push(var);
                    passed.push(self.var(var));
                }
            }
        }
        if variadic && args.len() != params.len() {
            return self.not_linked(id);
        }
        assert_eq!(passed.len(), params.len(), "each parameter gets a value");
        let surplus = args.get(params.len()..).filter(|_| kind == FunctionKind::Extern).unwrap_or_default();
        let given = self.program.give_outside(surplus, span);
        // A new node before the call for each missing argument and the surplus ones, one after it for the result.
        let mut at = from;
        for op in missing.into_iter().map(|var| Op::Havoc(var, Source::Uninitialised)).chain(given) {
            let next = self.program.nodes.push(NodeInfo { function: owner, loop_head: false });
            self.program.edges.push(Edge { from: at, to: next, op, span });
            at = next;
        }
        let (received, after) = self.received(owner, callee_result, result, to, span);
        let op = Op::Call { function, args: passed.into(), result: received };
        self.program.edges[id] = Edge { from: at, to: after, op, span };
    }

    /// How an argument looks to a parameter of another type.
    fn passed_as(&mut self, arg: ExprId, ty: Scalar) -> Option<ExprId> {
        let own = self.scalar_of(arg);
        (own.is_float() == ty.is_float()).then(|| self.cast(arg, ty))
    }

    fn not_linked(&mut self, id: EdgeId) {
        let name = self.program.names.intern("call with arguments that do not fit the definition");
        self.program.edges[id].op = Op::Unsupported(name);
    }

    fn local(&mut self, owner: FunctionId, ty: cfa::types::TypeId, scalar: Scalar, span: Span) -> VarId {
        let name = self.program.names.intern("$linked");
        let var = self.program.vars.push(Variable {
            name,
            function: Some(owner),
            kind: VarKind::Temporary,
            ty,
            storage: Storage::Register(scalar),
            init: Box::default(),
            span,
        });
        self.program.functions[owner].locals.push(var);
        var
    }

    /// Where the callee's result goes and where control is then, so that the caller's register gets it converted.
    fn received(
        &mut self,
        owner: FunctionId,
        callee: Option<VarId>,
        result: Option<VarId>,
        to: Node,
        span: Span,
    ) -> (Option<VarId>, Node) {
        let Some(result) = result else { return (None, to) };
        let wanted = self.program.register(result).expect("results are registers");
        let given = callee.and_then(|var| self.program.register(var));
        if given == Some(wanted) {
            return (Some(result), to);
        }
        let middle = self.program.nodes.push(NodeInfo { function: owner, loop_head: false });
        let compatible = given.filter(|given| given.is_float() == wanted.is_float());
        let (received, op) = match (compatible, callee) {
            (Some(given), Some(callee)) => {
                let ty = self.program.vars[callee].ty;
                let var = self.local(owner, ty, given, span);
                let value = self.var(var);
                let value = self.cast(value, wanted);
                (Some(var), Op::Assign(result, value))
            }
            _ => (None, Op::Havoc(result, Source::Uninitialised)),
        };
        self.program.edges.push(Edge { from: middle, to, op, span });
        (received, middle)
    }
}
