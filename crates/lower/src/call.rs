//! Calls: direct ones, through pointers, and to functions without a proper declaration.

use crate::context::{CalleeId, Entity, Lowering, Lowers, Value};
use crate::expr::Want;
use base::{Span, Symbol};
use cfa::types::{Type, TypeId};
use cfa::{Expr, ExprId, FunctionId, Op, Scalar, Source, TargetKind, VarId};
use syntax::ast::{self, ExprKind, List};

/// Whom a call goes to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Called {
    Function(FunctionId),
    Pointer(ExprId),
}

impl Lowering<'_> {
    pub fn call(&mut self, callee: ast::ExprId, args: List<ast::ExprId>, span: Span, want: Want) -> Lowers<Value> {
        if let ExprKind::Name(name) = self.ast[callee].kind {
            match self.names.lookup(name) {
                Some(Entity::Function(callee)) => return self.call_named(callee, args, span, want),
                None => {
                    let callee = self.implicit_function(name, self.ast[callee].span);
                    return self.call_named(callee, args, span, want);
                }
                Some(Entity::Object(_) | Entity::Constant { .. } | Entity::Typedef(_)) => {}
            }
        }
        let pointer = self.rvalue(callee)?;
        let ty = self.pointee(pointer.ty).unwrap_or(pointer.ty);
        if !matches!(self.ty(ty), Type::Function { .. }) {
            let message = format!("expected a function, found '{}'", self.show(pointer.ty));
            return self.error(self.ast[callee].span, message);
        }
        if let Expr::Function(function) = self.program.exprs.node(pointer.expr) {
            let name = self.program.functions[function].name;
            if let Some(Entity::Function(callee)) = self.names.lookup(name)
                && self.callees[callee].function == Some(function)
            {
                if self.callees[callee].known.is_some() || self.compatible(self.callees[callee].ty, ty) {
                    return self.call_named(callee, args, span, want);
                }
                let outside = (!self.callees[callee].defined).then_some(name);
                return self.call_function(Called::Function(function), ty, args, want, outside);
            }
            return self.call_function(Called::Function(function), ty, args, want, None);
        }
        self.call_function(Called::Pointer(pointer.expr), ty, args, want, None)
    }

    fn call_named(&mut self, callee: CalleeId, args: List<ast::ExprId>, span: Span, want: Want) -> Lowers<Value> {
        let name = self.callees[callee].name;
        if self.targets.contains(&name) && !self.in_model {
            self.discard_all(args)?;
            self.target(TargetKind::Call(name));
            let result = self.result_type(self.callees[callee].ty);
            return Ok(self.dead_value(result));
        }
        if let Some(known) = self.callees[callee].known {
            return self.call_known(known, callee, args, span, want);
        }
        if self.in_model && !self.callees[callee].defined {
            // Models call each other and functions of their own.
            self.model_functions.insert(name);
        }
        self.call_user(callee, args, want)
    }

    /// A call of a function with or without body that we know nothing else about.
    pub fn call_user(&mut self, callee: CalleeId, args: List<ast::ExprId>, want: Want) -> Lowers<Value> {
        let (ty, function) = (self.callees[callee].ty, self.function(callee));
        let outside = (!self.callees[callee].defined).then_some(self.callees[callee].name);
        self.call_function(Called::Function(function), ty, args, want, outside)
    }

    pub fn result_type(&self, ty: TypeId) -> TypeId {
        match *self.ty(ty) {
            Type::Function { result, .. } => result,
            _ => ty,
        }
    }

    /// A value that no execution computes.
    pub fn dead_value(&mut self, ty: TypeId) -> Value {
        match self.scalar(ty) {
            Some(scalar) => Value { ty, expr: self.program.exprs.bits(scalar, 0) },
            None if self.is_aggregate(ty) => {
                let size = self.program.types.size(ty).unwrap_or(0);
                let object = self.temporary_object(ty, size);
                Value { ty, expr: self.addr(object) }
            }
            None => self.void_value(),
        }
    }

    pub fn discard_all(&mut self, args: List<ast::ExprId>) -> Lowers<()> {
        let ast = self.ast;
        for &arg in ast[args].iter().rev() {
            self.discard(arg)?;
        }
        Ok(())
    }

    /// All arguments, evaluated from right to left, none converted.
    pub fn arguments(&mut self, args: List<ast::ExprId>) -> Lowers<Vec<Value>> {
        let ast = self.ast;
        let start = self.start();
        let mut values: Vec<Value> = Vec::with_capacity(args.len());
        for &arg in ast[args].iter().rev() {
            let value = self.then(start, &mut values, |l| l.rvalue(arg))?;
            values.push(value);
        }
        values.reverse();
        Ok(values)
    }

    /// Whether a prototype allows so many arguments.
    pub fn check_count(&mut self, ty: TypeId, found: usize, span: Span) -> Lowers<()> {
        let Type::Function { params, variadic, prototyped: true, .. } = self.ty(ty) else { return Ok(()) };
        let (wanted, variadic) = (params.len(), *variadic);
        if found == wanted || found > wanted && variadic {
            return Ok(());
        }
        let least = if variadic { "at least " } else { "" };
        let plural = if wanted == 1 { "" } else { "s" };
        self.error(span, format!("expected {least}{wanted} argument{plural}, found {found}"))
    }

    /// `outside` names a function without body, whose arguments beyond its parameters it may write through.
    pub fn call_function(
        &mut self,
        called: Called,
        ty: TypeId,
        args: List<ast::ExprId>,
        want: Want,
        outside: Option<Symbol>,
    ) -> Lowers<Value> {
        let ast = self.ast;
        let span = self.here;
        let Type::Function { result, params, variadic, prototyped } = self.ty(ty).clone() else {
            return self.error(span, "expected a function");
        };
        self.check_count(ty, args.len(), span)?;
        let start = self.start();
        let mut values = Vec::with_capacity(args.len() + 2);
        if let Called::Pointer(pointer) = called {
            values.push(Value { ty: self.basic.void_ptr, expr: pointer });
        }
        let first = values.len();
        for (index, &arg) in ast[args].iter().enumerate().rev() {
            let param = params.get(index).copied();
            let value = self.then(start, &mut values, |l| l.argument(arg, param))?;
            values.push(value);
        }
        let stored = match want {
            Want::Stored(target) => {
                let before = self.start();
                let place = self.then(start, &mut values, |l| l.assigned_place(target, span))?;
                Some((place, self.happened(before, &[place])))
            }
            Want::Value | Want::Nothing | Want::Into(_) => None,
        };
        let called = match called {
            Called::Pointer(_) => Called::Pointer(values[0].expr),
            Called::Function(function) => Called::Function(function),
        };
        self.here = span;
        let mut values = values.split_off(first);
        values.reverse();
        let mut copies = Vec::new();
        for value in &mut values {
            let copy = self.copied(*value)?;
            copies.extend((copy.expr != value.expr).then_some(copy.expr));
            *value = copy;
        }
        let (fixed, further) = values.split_at(if prototyped { params.len() } else { values.len() });
        let mut passed: Vec<ExprId> = Vec::with_capacity(values.len() + 2);
        if let Called::Function(function) = called
            && let Some(&level) = self.nested.get(&function)
        {
            passed.push(self.frame_address(level));
        }
        let result_object = self.is_aggregate(result).then(|| {
            let size = self.program.types.size(result).unwrap_or(0);
            self.temporary_object(result, size)
        });
        if let Some(object) = result_object {
            let address = self.addr(object);
            self.note_temporary(address);
            passed.push(address);
        }
        passed.extend(fixed.iter().map(|value| value.expr));
        if variadic {
            let area = self.variadic_area(further);
            copies.extend((!further.is_empty()).then_some(area));
            passed.push(area);
        }
        let target = match self.scalar(result) {
            Some(scalar) => self.result_register(result, scalar, want),
            None => None,
        };
        let found = stored.map(|(place, part)| {
            self.body.placed = Some(self.kept_place(place));
            part
        });
        let before = self.start();
        self.emit_call(called, ty, passed, target);
        if let Some(found) = found {
            let call = self.happened::<Value>(before, &[]);
            self.note(found, call);
        }
        if let Some(name) = outside {
            let unknown = if prototyped { further } else { fixed };
            self.outside_writes(name, unknown);
        }
        for copy in copies {
            self.end_object(copy);
        }
        Ok(match (result_object, target) {
            (Some(object), _) => Value { ty: result, expr: self.addr(object) },
            (None, Some(target)) => Value { ty: result, expr: self.var(target) },
            (None, None) if self.scalar(result).is_some() => self.dead_value(result),
            (None, None) => self.void_value(),
        })
    }

    fn emit_call(&mut self, called: Called, ty: TypeId, args: Vec<ExprId>, result: Option<VarId>) {
        let args = args.into();
        self.emit(match called {
            Called::Function(function) => Op::Call { function, args, result },
            Called::Pointer(pointer) => Op::CallPointer { pointer, args, result, ty },
        });
    }

    /// The register that a call's result goes to.
    pub fn result_register(&mut self, ty: TypeId, scalar: Scalar, want: Want) -> Option<VarId> {
        match want {
            Want::Nothing => None,
            // A function that jumps out gives no result.
            Want::Into(_) if self.unwinding.is_some() => Some(self.temporary(ty, scalar)),
            Want::Into(var) => {
                let is_bool = |l: &Self, ty: TypeId| matches!(l.ty(l.program.types.unqualified(ty)), Type::Bool);
                let same = self.program.register(var) == Some(scalar);
                let wanted = self.program.vars[var].ty;
                if same && is_bool(self, ty) == is_bool(self, wanted) {
                    Some(var)
                } else {
                    Some(self.temporary(ty, scalar))
                }
            }
            Want::Value | Want::Stored(_) => Some(self.temporary(ty, scalar)),
        }
    }

    /// One argument, converted as its parameter or by default.
    fn argument(&mut self, arg: ast::ExprId, param: Option<TypeId>) -> Lowers<Value> {
        let span = self.ast[arg].span;
        let value = self.rvalue(arg)?;
        let value = match param {
            Some(param) => match *self.ty(self.program.types.unqualified(param)) {
                Type::Record(record)
                    if self.program.types.records[record].transparent && !self.compatible(value.ty, param) =>
                {
                    return self.cast_to_union(value, param, record, span);
                }
                _ => self.convert_assigned(value, param, span)?,
            },
            None => self.default_promote(value),
        };
        if self.is_void(value.ty) {
            return self.error(span, "an argument cannot be void");
        }
        if self.is_variable_length(value.ty) {
            self.unsupported("argument of variable size");
        }
        Ok(value)
    }

    /// What is passed: of aggregates a copy, made when all arguments are known.
    pub fn copied(&mut self, value: Value) -> Lowers<Value> {
        let is_union = matches!(*self.ty(self.program.types.unqualified(value.ty)), Type::Record(record)
            if self.program.types.records[record].transparent);
        let is_made = matches!(self.program.exprs.node(value.expr), Expr::Addr(var)
            if self.program.vars[var].kind == cfa::VarKind::Temporary);
        if !self.is_aggregate(value.ty) || is_union && is_made {
            return Ok(value);
        }
        let span = self.here;
        let size = self.program.types.size(value.ty).unwrap_or(0);
        let object = self.temporary_object(value.ty, size);
        let address = self.addr(object);
        self.write(crate::lvalue::Lvalue::memory(value.ty, address), value, span)?;
        Ok(Value { ty: value.ty, expr: address })
    }

    /// A function without body may write through pointers that no prototype calls const.
    fn outside_writes(&mut self, name: Symbol, args: &[Value]) {
        if self.options.outside == cfa::Outside::Pure && !cfa::standard::is_unmodelled(self.text(name)) {
            return;
        }
        for &value in args {
            if self.may_write_to(value) {
                self.emit(Op::HavocMemory { to: value.expr, size: None, source: Source::Extern(name) });
            }
        }
    }

    /// Whether the outside may write to what a value points to.
    pub fn may_write_to(&self, value: Value) -> bool {
        self.pointee(value.ty).is_some_and(|to| !matches!(self.ty(to), Type::Const(_) | Type::Function { .. }))
            && !self.is_literal(value.expr)
    }

    /// What these values point to escapes.
    pub fn give_outside(&mut self, values: &[ExprId]) {
        if let Some(op) = self.program.give_outside(values, self.here) {
            self.emit(op);
        }
    }

    fn is_literal(&self, value: ExprId) -> bool {
        match self.program.exprs.node(value) {
            Expr::Addr(var) => self.program.vars[var].kind == cfa::VarKind::Literal,
            _ => false,
        }
    }
}
