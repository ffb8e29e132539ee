//! Replaces calls through pointers by what they may call: a chain of branches `[p == &f]`, each with a direct call, or
//! `Unsupported` where the function cannot be called that way, and a last branch for the rest. Where the pointer may come
//! from outside the program, the rest is a function without body like any other: its result is arbitrary, and it may
//! write through its arguments unless externals are pure. Elsewhere the rest are null and other invalid pointers:
//! undefined behaviour, which like any other goes on with an arbitrary result and is listed among the assumptions. So
//! are pointers that lead to functions of another type than what is called, where they may lead elsewhere too.
//!
//! Where such calls are checked (`CheckCounts`), the rest is a target instead: of accesses if no function lies there, and of
//! arguments if it may be a function of another type.

use base::{IdVec, Span};
use cfa::types::{Field, IntKind, Type, TypeId};
use cfa::{
    BinOp, Check, Edge, EdgeId, ExprId, Function, FunctionId, FunctionKind, Node, NodeInfo, Op, Outside, Program,
    Scalar, Source, Storage, Target, TargetKind, VarId, VarKind, Variable,
};
use flow::points_to::{Callees, PointsTo};

/// Replaces every `CallPointer`. Edges get new ids.
pub fn resolve_pointer_calls(program: &mut Program, points_to: &PointsTo, outside: Outside) {
    debug_assert!(program.is_indexed(), "the analysis names edges by their ids");
    let (mut calls, mut calls_outside, mut mistyped) = (0, 0, 0);
    let old = std::mem::take(&mut program.edges);
    program.edges = IdVec::new();
    for (at, edge) in old.into_iter().enumerate() {
        match &edge.op {
            Op::CallPointer { .. } => {
                let callees = points_to.callees(EdgeId(at as u32));
                let rest = Rest::new(program, &callees, outside);
                calls += usize::from(!matches!(rest, Rest::Error(_)));
                calls_outside += usize::from(callees.unknown);
                mistyped += usize::from(callees.mistyped && !program.checks.calls);
                resolve(program, edge, &callees.functions, rest);
            }
            _ => {
                program.edges.push(edge);
            }
        }
    }
    if calls > 0 {
        program.assumptions.push(format!("calls through pointers reach a function ({calls} calls)"));
    }
    if calls_outside > 0 {
        let effect = match outside {
            Outside::Pure => "changes nothing",
            Outside::Writes => "writes only through its arguments",
        };
        program.assumptions.push(format!(
            "a function outside the program that a pointer points to returns an arbitrary value and {effect} \
             ({calls_outside} calls)"
        ));
    }
    if mistyped > 0 {
        program.assumptions.push(format!(
            "calls through pointers reach functions of the type that is called, or of one that the program converts to \
             it ({mistyped} calls)"
        ));
    }
    let through_pointers = |edge: &Edge| matches!(edge.op, Op::CallPointer { .. });
    debug_assert!(!program.edges.iter().any(|(_, edge)| through_pointers(edge)), "every call says whom it calls");
    program.index();
    program.assert_valid();
}

/// What a call through a pointer does that leads to no function of the program.
enum Rest {
    /// It calls a function outside the program.
    Outside(Outside),
    /// It is undefined, and goes on.
    Undefined,
    /// It is undefined, which is an error of this kind.
    Error(Check),
}

impl Rest {
    fn new(program: &Program, callees: &Callees, outside: Outside) -> Rest {
        match (program.checks.accesses, program.checks.calls) {
            _ if callees.unknown => Rest::Outside(outside),
            (true, _) if !callees.mistyped => Rest::Error(Check::Deref),
            (_, true) => Rest::Error(Check::Argument),
            (_, false) => Rest::Undefined,
        }
    }
}

fn resolve(program: &mut Program, edge: Edge, callees: &[FunctionId], rest: Rest) {
    let Op::CallPointer { pointer, args, result, ty } = edge.op else { return };
    let mut chain = Chain { program, at: edge.from, span: edge.span };
    for &function in callees {
        let own = chain.program.functions[function].ty;
        if chain.program.checks.calls && !chain.program.types.is_compatible(ty, own) {
            chain.branch(pointer, function, |chain| chain.error(Check::Argument, pointer));
        } else if call_fits(chain.program, function, &args, result, ty) {
            chain.branch(pointer, function, |chain| chain.call(function, ty, &args, result, edge.to));
        } else {
            let what = chain.program.names.intern("call of a function of another type through a pointer");
            chain.branch(pointer, function, |chain| chain.edge(edge.to, Op::Unsupported(what)));
        }
    }
    let hidden = usize::from(shape(chain.program, ty).hidden_result).min(args.len());
    let written = match rest {
        Rest::Undefined | Rest::Outside(Outside::Pure) => &args[..hidden],
        Rest::Outside(Outside::Writes) => &args[..],
        Rest::Error(kind) => return chain.error(kind, pointer),
    };
    if matches!(rest, Rest::Outside(_)) {
        chain.give_outside(&args);
    }
    chain.call_outside(pointer, written, result, edge.to);
}

/// Whether a function can be called with these arguments as the machine would do it: arguments of the same
/// kind (integer, pointer or a small struct of them; float) in the same order.
fn call_fits(program: &Program, function: FunctionId, args: &[ExprId], result: Option<VarId>, ty: TypeId) -> bool {
    let callee = &program.functions[function];
    let (Type::Function { .. }, Type::Function { .. }) = (program.types.get(ty), program.types.get(callee.ty)) else {
        return false;
    };
    let shapes_agree = shape(program, ty).agrees(&shape(program, callee.ty));
    let args_agree = args.iter().zip(&callee.params).all(|(&arg, &param)| {
        let param = program.register(param).expect("parameters are registers");
        convertible(program.exprs.ty(arg), param)
    });
    let result_agrees = match (result.and_then(|var| program.register(var)), callee.result) {
        (None, _) | (_, None) => true,
        (Some(to), Some(from)) => convertible(program.register(from).expect("results are registers"), to),
    };
    shapes_agree && args_agree && result_agrees
}

/// How a C function type is lowered to parameters.
fn shape(program: &Program, ty: TypeId) -> Shape {
    let Type::Function { result, params, variadic, prototyped } = program.types.get(ty) else {
        return Shape { params: Vec::new(), hidden_result: false, variadic: false, prototyped: false };
    };
    Shape {
        params: params.iter().map(|&param| passing(program, param)).collect(),
        hidden_result: passing(program, *result) != Passing::Scalar,
        variadic: *variadic,
        prototyped: *prototyped,
    }
}

fn passing(program: &Program, ty: TypeId) -> Passing {
    let ty = program.types.unqualified(ty);
    if program.types.scalar(ty).is_some() || *program.types.get(ty) == Type::Void {
        return Passing::Scalar;
    }
    let size = program.types.size(ty).unwrap_or(0);
    // Too small to hold a pointer, which the points-to analysis would have to follow.
    let is_small = size.is_power_of_two() && size < u64::from(program.model.pointer_bits() / 8);
    let integral = |field: &Field| program.types.scalar(field.ty).is_some_and(|scalar| !scalar.is_float());
    match *program.types.get(ty) {
        Type::Record(record) if is_small => {
            let fields = program.types.records[record].fields.as_deref().unwrap_or_default();
            if fields.iter().all(integral) { Passing::Register(size) } else { Passing::Address }
        }
        _ => Passing::Address,
    }
}

/// An object of the caller for an aggregate that it passes.
fn passed_object(program: &mut Program, caller: FunctionId, ty: TypeId, span: Span) -> VarId {
    let name = program.names.intern("call$");
    let storage = Storage::Memory { size: program.types.size(ty).unwrap_or(0), align: program.types.align(ty) };
    let (function, kind, init) = (Some(caller), VarKind::Temporary, Box::default());
    let id = program.vars.push(Variable { name, function, kind, ty, storage, init, span });
    program.functions[caller].locals.push(id);
    id
}

/// How the machine passes a parameter; in automata all aggregates are passed by the address of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    Scalar,
    /// A small aggregate of so many bytes, in a register or slot of the stack for integers.
    Register(u64),
    /// Any other aggregate.
    Address,
}

struct Shape {
    params: Vec<Passing>,
    hidden_result: bool,
    variadic: bool,
    prototyped: bool,
}

impl Shape {
    fn agrees(&self, callee: &Shape) -> bool {
        let prototyped = self.prototyped && callee.prototyped;
        let agree = |(ours, theirs): (&Passing, &Passing)| match (ours, theirs) {
            (Passing::Address, _) | (_, Passing::Address) => ours == theirs,
            (Passing::Register(ours), Passing::Register(theirs)) => ours >= theirs,
            (Passing::Scalar | Passing::Register(_), Passing::Scalar | Passing::Register(_)) => true,
        };
        let aggregates = !prototyped || self.params.iter().zip(&callee.params).all(agree);
        self.hidden_result == callee.hidden_result && self.variadic == callee.variadic && aggregates
    }
}

/// Whether the machine passes both in the same registers, so that a cast says what happens.
fn convertible(from: Scalar, to: Scalar) -> bool {
    match (from, to) {
        (Scalar::Float(_), Scalar::Float(_)) => true,
        (Scalar::Int { .. } | Scalar::Ptr, Scalar::Int { .. } | Scalar::Ptr) => true,
        (Scalar::Bool | Scalar::Float(_) | Scalar::Int { .. } | Scalar::Ptr, _) => false,
    }
}

/// The branches under construction; the next one leaves `at`.
struct Chain<'a> {
    program: &'a mut Program,
    at: Node,
    span: Span,
}

impl Chain<'_> {
    fn fresh(&mut self) -> Node {
        let function = self.program.nodes[self.at].function;
        self.program.nodes.push(NodeInfo { function, loop_head: false })
    }

    fn edge(&mut self, to: Node, op: Op) {
        let from = self.at;
        self.program.edges.push(Edge { from, to, op, span: self.span });
        self.at = to;
    }

    fn step(&mut self, op: Op) {
        let to = self.fresh();
        self.edge(to, op);
    }

    /// The call is an error.
    fn error(&mut self, kind: Check, pointer: ExprId) {
        let error = self.fresh();
        self.edge(error, Op::Skip);
        let (kind, values) = (TargetKind::Check(kind), [Some(pointer), None]);
        self.program.checks.made += 1;
        self.program.targets.push(Target { node: error, kind, span: self.span, values, symbol: "call" });
    }

    /// The arguments go to a function without body: what they point to escapes.
    fn give_outside(&mut self, args: &[ExprId]) {
        if let Some(op) = self.program.give_outside(args, self.span) {
            self.step(op);
        }
    }

    /// A call of no function of the program, which may write through `written`. The first byte of the function is
    /// read and ignored, so that an execution through a null pointer meets undefined behaviour.
    fn call_outside(&mut self, pointer: ExprId, written: &[ExprId], result: Option<VarId>, to: Node) {
        let caller = self.program.nodes[self.at].function;
        let ty = self.program.types.intern(Type::Int(IntKind::UChar));
        let byte = self.program.temporary(caller, Scalar::BYTE, ty, self.span);
        let first = self.program.exprs.load(pointer, Scalar::BYTE);
        self.step(Op::Assign(byte, first));
        let name = self.program.names.intern("a function outside the program");
        let source = Source::Extern(name);
        for &arg in written {
            if self.program.exprs.ty(arg) == Scalar::Ptr {
                self.step(Op::HavocMemory { to: arg, size: None, source });
            }
        }
        self.edge(to, result.map_or(Op::Skip, |result| Op::Havoc(result, source)));
    }

    /// What happens where the pointer leads to the function; the chain goes on where it does not.
    fn branch(&mut self, pointer: ExprId, function: FunctionId, then: impl FnOnce(&mut Self)) {
        let exprs = &mut self.program.exprs;
        let address = exprs.function(function);
        let equal = exprs.binary(BinOp::Eq, pointer, address);
        let different = exprs.not(equal);
        let (branch, yes, no) = (self.at, self.fresh(), self.fresh());
        self.edge(yes, Op::Assume(equal));
        then(self);
        self.at = branch;
        self.edge(no, Op::Assume(different));
    }

    /// A call of `function` with arguments for a function of type `called`.
    fn call(&mut self, function: FunctionId, called: TypeId, args: &[ExprId], result: Option<VarId>, to: Node) {
        let caller = self.program.nodes[self.at].function;
        let Function { params, ty: own, .. } = self.program.functions[function].clone();
        let (ours, theirs) = (shape(self.program, called), shape(self.program, own));
        let mut passed = Vec::with_capacity(params.len());
        for (at, &param) in params.iter().enumerate() {
            let ty = self.program.register(param).expect("parameters are registers");
            let position = at.wrapping_sub(usize::from(theirs.hidden_result));
            let given = ours.params.get(position).copied().unwrap_or(Passing::Scalar);
            let wanted = theirs.params.get(position).copied().unwrap_or(Passing::Scalar);
            passed.push(match (args.get(at), given, wanted) {
                (Some(&arg), Passing::Register(size), Passing::Scalar) => {
                    let value = self.program.exprs.load(arg, Scalar::int(8 * size as u32, false));
                    self.program.exprs.cast(value, ty)
                }
                (Some(&arg), Passing::Scalar, Passing::Register(size)) if ours.prototyped => {
                    let ty = self.program.vars[param].ty;
                    let object = passed_object(self.program, caller, ty, self.span);
                    self.step(Op::Declare(object));
                    let to = self.program.exprs.addr(object);
                    let value = self.program.exprs.cast(arg, Scalar::int(8 * size as u32, false));
                    self.step(Op::Store { to, value });
                    to
                }
                (None, _, Passing::Register(_) | Passing::Address) => {
                    let ty = self.program.vars[param].ty;
                    let object = passed_object(self.program, caller, ty, self.span);
                    self.step(Op::Declare(object));
                    self.program.exprs.addr(object)
                }
                (Some(&arg), ..) => self.program.exprs.cast(arg, ty),
                (None, ..) => {
                    let missing = self.program.temporary(caller, ty, self.program.vars[param].ty, self.span);
                    self.step(Op::Havoc(missing, Source::Uninitialised));
                    self.program.exprs.var(missing, ty)
                }
            });
        }
        if self.program.functions[function].kind == FunctionKind::Extern {
            // Without a prototype, a function without body takes more than it has parameters.
            self.give_outside(args.get(params.len()..).unwrap_or_default());
        }
        let args = passed.into_boxed_slice();
        let returned = self.program.functions[function].result;
        let register = |program: &Program, var| program.register(var).expect("results are registers");
        match (result, returned) {
            (None, _) => self.edge(to, Op::Call { function, args, result: None }),
            (Some(result), None) => {
                self.step(Op::Call { function, args, result: None });
                self.edge(to, Op::Havoc(result, Source::Uninitialised));
            }
            (Some(result), Some(returned)) => {
                let (wanted, ty) = (register(self.program, result), register(self.program, returned));
                if wanted == ty {
                    return self.edge(to, Op::Call { function, args, result: Some(result) });
                }
                let value = self.program.temporary(caller, ty, self.program.vars[returned].ty, self.span);
                self.step(Op::Call { function, args, result: Some(value) });
                let read = self.program.exprs.var(value, ty);
                let converted = self.program.exprs.cast(read, wanted);
                self.edge(to, Op::Assign(result, converted));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::testing::Build;
    use expect_test::expect;

    const INT: Type = Type::Int(IntKind::Int);

    #[test]
    fn a_chain_of_branches() {
        let mut b = Build::new();
        let n = b.start(4);
        let (void, int) = (b.ty(Type::Void), b.int_type());
        let (p, x) = (b.register("p", Type::Pointer(void)), b.register("x", INT));
        let f = b.program.exprs.function(FunctionId(1));
        let g = b.program.exprs.function(FunctionId(2));
        b.edge(n[0], n[1], Op::Assign(p, f));
        b.edge(n[1], n[2], Op::Assign(p, g));
        let ty = b.ty(Type::Function { result: int, params: Box::new([int]), variadic: false, prototyped: true });
        let (pointer, one) = (b.get(p), b.int(1));
        b.edge(n[2], n[3], Op::CallPointer { pointer, args: Box::new([one]), result: Some(x), ty });
        for name in ["f", "g"] {
            let m = b.function(name, 2);
            b.program.functions[FunctionId(if name == "f" { 1 } else { 2 })].ty = ty;
            b.param("a", if name == "f" { INT } else { Type::Int(IntKind::Long) });
            b.result(if name == "f" { INT } else { Type::Int(IntKind::UInt) });
            b.edge(m[0], m[1], Op::Return(None));
        }
        b.program.functions[FunctionId(0)].exit = n[3];
        b.program.nodes.push(NodeInfo { function: FunctionId(0), loop_head: false });
        let last = Node(b.program.nodes.len() as u32 - 1);
        b.program.functions[FunctionId(0)].exit = last;
        b.edge(n[3], last, Op::Return(None));
        let mut program = b.finish();
        let points_to = PointsTo::new(&program);
        resolve_pointer_calls(&mut program, &points_to, Outside::Pure);
        expect![[r#"
            start fn start() {
              p: ptr;
              x: i32;
              call$: u32;
              call$'2: u8;
              n0: entry
              n0 -> n1: p := &f;
              n1 -> n2: p := &g;
              n2 -> n9: [p == &f]
              n2 -> n10: [p != &f]
              n3 -> n8: return;
              n8: exit
              n9 -> n3: x := f(1);
              n10 -> n11: [p == &g]
              n10 -> n12: [p != &g]
              n11 -> n13: call$ := g((i64)1);
              n12 -> n14: call$'2 := *(u8*)p;
              n13 -> n3: x := (i32)call$;
              n14 -> n3: x := extern a function outside the program();
            }
        "#]]
        .assert_eq(&program.function_text(FunctionId(0)));
    }

    #[test]
    fn arguments_go_outside() {
        let mut b = Build::new();
        let n = b.start(4);
        let (void, int) = (b.ty(Type::Void), b.int_type());
        let p = b.register("p", Type::Pointer(void));
        let x = b.memory("x", VarKind::Global, int);
        let source = b.input();
        b.edge(n[0], n[1], Op::Havoc(p, source));
        let ty = b.ty(Type::Function { result: void, params: Box::default(), variadic: false, prototyped: false });
        let (pointer, x) = (b.get(p), b.program.exprs.addr(x));
        b.edge(n[1], n[2], Op::CallPointer { pointer, args: Box::new([x]), result: None, ty });
        b.edge(n[2], n[3], Op::Return(None));
        let mut program = b.finish();
        let points_to = PointsTo::new(&program);
        resolve_pointer_calls(&mut program, &points_to, Outside::Pure);
        let points_to = PointsTo::new(&program);
        assert!(points_to.objects.iter().any(|(id, object)| id.0 != 0 && object.escaped));
    }
}
