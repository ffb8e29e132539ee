//! Function definitions: parameters, result, body.

use crate::body::Body;
use crate::context::{Access, CalleeId, DeclaredObject, Definition, Entity, Lowering, Lowers};
use crate::types::Ty;
use base::{Span, Symbol};
use cfa::types::{Type, TypeId};
use cfa::{FunctionKind, Op, Scalar, Storage, TargetKind, VarId, VarKind, Variable};
use syntax::ast::{self, DeclKind, List, Params, Quals, Specs, StmtKind, TypeKind};

/// A parameter as declared.
struct Parameter {
    name: Option<Symbol>,
    ty: Ty,
    taken: bool,
    restricted: bool,
    span: Span,
}

impl Lowering<'_> {
    pub fn define_function(
        &mut self,
        specs: Specs,
        id: ast::DeclaratorId,
        knr: List<ast::DeclId>,
        body: ast::StmtId,
    ) -> Lowers<()> {
        let declarator = self.ast[id];
        let Some(name) = declarator.name else { return Ok(()) };
        let unwanted = self.in_model && !self.model_functions.contains(&name);
        let ty = self.ast_type(declarator.ty)?.id;
        let Type::Function { result, .. } = *self.ty(ty) else {
            return self.error(declarator.span, "expected a function type");
        };
        let callee = self.declare_function(name, ty, specs, declarator.name_span)?;
        if unwanted || !self.in_model && self.is_replaced(name, specs) {
            // Other models may call it; whether one does is not yet known. What is replaced is only declared.
            return Ok(());
        }
        self.function_attributes(callee, specs.attrs);
        self.function_attributes(callee, declarator.attrs);
        let function = self.function(callee);
        if self.program.functions[function].kind != FunctionKind::Extern {
            // Inline definitions may stand in several units; the first one counts. A model may have been lowered before,
            // when one that stands above called it.
            return if specs.inline || self.in_model {
                Ok(())
            } else {
                let message = format!("redefinition of '{}'", self.text(name));
                self.error(declarator.name_span, message)
            };
        }
        self.program.functions[function].kind = if self.in_model { FunctionKind::Model } else { FunctionKind::Defined };
        self.program.functions[function].ty = ty;
        self.program.functions[function].span = declarator.span;
        self.body = Body::new(Some(function));
        self.body.noreturn = self.callees[callee].noreturn;
        self.here = declarator.span;
        self.enter_scope();
        let reported = self.diagnostics.len();
        let done = self.function_body(callee, id, knr, result, body);
        self.leave_function();
        let errors = self.diagnostics[reported..].iter().any(|found| found.severity == base::Severity::Error);
        if errors && self.has_opaque {
            // Most likely it computes with such a type, which gcc accepts.
            self.diagnostics.truncate(reported);
            self.not_modelled(function);
            return Ok(());
        }
        self.finish_body(function);
        done
    }

    /// Replaces what was lowered of the body by an edge that says that it is not modelled.
    fn not_modelled(&mut self, function: cfa::FunctionId) {
        self.body.start_over();
        self.unsupported("computation with vectors or complex numbers of such elements");
        self.leave_without_value();
        self.finish_body(function);
    }

    pub fn function_body(
        &mut self,
        callee: CalleeId,
        declarator: ast::DeclaratorId,
        knr: List<ast::DeclId>,
        result: TypeId,
        body: ast::StmtId,
    ) -> Lowers<()> {
        let ast = self.ast;
        let name = self.callees[callee].name;
        let span = ast[declarator].span;
        self.set_result(result, span);
        self.bind_params(ast[declarator].ty, knr)?;
        if self.targets.contains(&name) {
            self.target(TargetKind::Call(name));
            return Ok(());
        }
        let StmtKind::Compound(list) = ast[body].kind else { return Ok(()) };
        for &stmt in &ast[list] {
            self.statement(stmt);
        }
        let end = ast[body].span.end;
        self.here = Span { start: end.saturating_sub(1), end };
        self.finish_jumps();
        if self.body.is_entered(self.body.at) {
            // Only `main` may end without a value (C11 5.1.2.2.3).
            if self.text(name) == "main" && self.options.entry == "main" && self.scalar(result) == Some(Scalar::INT) {
                self.leave_with(0);
            } else {
                self.leave_without_value();
            }
        }
        Ok(())
    }

    /// The result variable, or for aggregates the hidden first parameter.
    pub fn set_result(&mut self, result: TypeId, span: Span) {
        let function = self.body.function.expect("results belong to functions");
        self.body.result = Some(result);
        match self.scalar(result) {
            Some(scalar) => {
                let name = self.program.names.intern("$return");
                let var = self.register(name, result, scalar, VarKind::Result, span);
                self.program.functions[function].result = Some(var);
            }
            None if self.is_void(result) => {}
            None => {
                let ty = self.pointer_to(result);
                let var = self.param("$result", ty, span);
                self.body.result_address = Some(var);
            }
        }
    }

    fn register(&mut self, name: Symbol, ty: TypeId, scalar: Scalar, kind: VarKind, span: Span) -> VarId {
        let function = self.body.function;
        let storage = Storage::Register(scalar);
        self.new_var(Variable { name, function, kind, ty, storage, init: Box::default(), span })
    }

    /// A hidden parameter that is a pointer.
    pub fn param(&mut self, name: &str, ty: TypeId, span: Span) -> VarId {
        let name = self.program.names.intern(name);
        self.named_param(name, ty, Scalar::Ptr, span)
    }

    pub fn named_param(&mut self, name: Symbol, ty: TypeId, scalar: Scalar, span: Span) -> VarId {
        let function = self.body.function.expect("parameters belong to functions");
        let var = self.register(name, ty, scalar, VarKind::Parameter, span);
        self.program.functions[function].params.push(var);
        var
    }

    fn bind_params(&mut self, ty: ast::TypeId, knr: List<ast::DeclId>) -> Lowers<()> {
        let ast = self.ast;
        let TypeKind::Function { function, .. } = ast[ty].kind else {
            return self.error(ast[ty].span, "a definition needs its own parameter list");
        };
        match ast[function].params {
            Params::Unspecified => {}
            Params::Prototype { params, variadic } => {
                for param in &ast[params] {
                    let ty = self.ast_type(param.ty)?;
                    let ty = self.with_attributes(ty, param.specs.attrs)?;
                    let ty = self.with_attributes(ty, param.attrs)?;
                    let taken = self.taken.local(param.span.start);
                    let restricted = ast[param.ty].quals.contains(Quals::RESTRICT);
                    self.bind_param(Parameter { name: param.name, ty, taken, restricted, span: param.span })?;
                }
                if variadic {
                    let ty = self.basic.void_ptr;
                    self.body.variadic_area = Some(self.param("$further", ty, ast[function].span));
                }
            }
            Params::Identifiers(names) => {
                self.check_old_declarations(&ast[names], knr)?;
                for &name in &ast[names] {
                    let param = self.old_param(name, knr, ast[function].span)?;
                    self.bind_param(param)?;
                }
            }
        }
        Ok(())
    }

    /// K&R declarations declare parameters only.
    fn check_old_declarations(&mut self, names: &[Symbol], knr: List<ast::DeclId>) -> Lowers<()> {
        let ast = self.ast;
        for &decl in &ast[knr] {
            let DeclKind::Declaration { declarators, .. } = ast[decl].kind else { continue };
            for &declarator in &ast[declarators] {
                if let Some(name) = ast[declarator].name
                    && !names.contains(&name)
                {
                    let message = format!("'{}' is not a parameter", self.text(name));
                    return self.error(ast[declarator].span, message);
                }
            }
        }
        Ok(())
    }

    /// The declaration of a K&R parameter; without one it is an `int`.
    fn old_param(&mut self, name: Symbol, knr: List<ast::DeclId>, span: Span) -> Lowers<Parameter> {
        let ast = self.ast;
        for &decl in &ast[knr] {
            let DeclKind::Declaration { declarators, .. } = ast[decl].kind else { continue };
            for &declarator in &ast[declarators] {
                let declarator = &ast[declarator];
                if declarator.name == Some(name) {
                    let ty = self.ast_type(declarator.ty)?;
                    let taken = self.taken.local(declarator.name_span.start);
                    let restricted = ast[declarator.ty].quals.contains(Quals::RESTRICT);
                    return Ok(Parameter { name: Some(name), ty, taken, restricted, span: declarator.span });
                }
            }
        }
        let taken = self.taken.globals.contains(&name);
        Ok(Parameter { name: Some(name), ty: self.basic.int.into(), taken, restricted: false, span })
    }

    fn bind_param(&mut self, param: Parameter) -> Lowers<()> {
        let ty = self.adjusted(param.ty);
        let symbol = match param.name {
            // Names like `$result` are those of hidden parameters; gcc lets programs use them, too.
            Some(name) if self.text(name).starts_with('$') => {
                let other = format!("_{}", self.text(name));
                self.program.names.intern(&other)
            }
            Some(name) => name,
            None => {
                self.unnamed += 1;
                self.program.names.intern("$unnamed")
            }
        };
        let (scalar, access) = match self.scalar(ty) {
            Some(scalar) => (scalar, Access::Register),
            None if self.program.types.size(ty).is_some() && !self.is_void(ty) => (Scalar::Ptr, Access::Indirect),
            None => {
                let message = format!("a parameter cannot have the incomplete type '{}'", self.show(ty));
                return self.error(param.span, message);
            }
        };
        let var = self.named_param(symbol, ty, scalar, param.span);
        if let Type::Array(_, length) = *self.ty(param.ty.id) {
            self.declared_lengths.insert(var, length);
        }
        if param.restricted {
            self.restricted.insert(var);
        }
        let Some(name) = param.name else { return Ok(()) };
        if self.names.lookup_here(name).is_some() {
            let message = format!("two parameters are called '{}'", self.text(name));
            return self.error(param.span, message);
        }
        // The `const` of an array's elements is not that of the pointer which it became.
        let is_const = param.ty.is_const && ty == param.ty.id;
        if is_const && access == Access::Indirect && self.options.checks.has(cfa::Check::ReadOnly) {
            self.assume("aggregates that are passed as const parameters are not written through other pointers");
        }
        let object = if param.taken && access == Access::Register {
            let ty = Ty { is_const, is_atomic: param.ty.is_atomic, ..ty.into() };
            let object = self.new_local(name, ty, true, param.span);
            self.begin(object)?;
            let (to, value) = (self.addr(self.objects[object].var), self.var(var));
            self.initialising(|l| l.emit(Op::Store { to, value }));
            object
        } else {
            self.objects.push(DeclaredObject {
                var,
                ty,
                is_const,
                is_atomic: param.ty.is_atomic,
                access,
                align: param.ty.align,
                definition: Definition::Local,
            })
        };
        self.names.bind(name, Entity::Object(object));
        Ok(())
    }
}
