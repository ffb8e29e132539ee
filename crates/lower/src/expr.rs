//! Expressions: what they do becomes edges, what they are a value.

use crate::context::{Entity, Lowering, Lowers, Value};
use crate::lvalue::Location;
use base::{Span, Symbol};
use cfa::types::{Type, TypeId};
use cfa::{Check, Scalar, Storage, VarId, VarKind, Variable};
use syntax::ast::{self, Designator, ExprKind, GenericArm, List, StmtKind, UnaryOp};

/// What becomes of the value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Want {
    /// It is used.
    Value,
    /// It is not used.
    Nothing,
    /// It goes to this register; calls may put it there at once.
    Into(VarId),
    /// It is assigned to this; a call finds the place after its arguments ([`crate::body::Body::placed`]).
    Stored(ast::ExprId),
}

impl Lowering<'_> {
    /// The value of an expression.
    pub fn rvalue(&mut self, expr: ast::ExprId) -> Lowers<Value> {
        self.expr(expr, Want::Value)
    }

    /// Evaluates an expression for what it does. `*p;` accesses what `p` leads to, although its value is not used.
    pub fn discard(&mut self, expr: ast::ExprId) -> Lowers<()> {
        let value = self.expr(expr, Want::Nothing)?;
        let is_access = matches!(
            self.ast[expr].kind,
            ExprKind::Unary { op: UnaryOp::Deref, .. } | ExprKind::Index { .. } | ExprKind::Member { .. }
        );
        let is_checked = self.checks_memory() && !self.wants(Check::Uninitialised);
        if is_access && is_checked && self.scalar(value.ty).is_some() && self.traps(value.expr) {
            self.spill(value.ty, value.expr);
        }
        Ok(())
    }

    pub fn expr(&mut self, expr: ast::ExprId, want: Want) -> Lowers<Value> {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            let outer = std::mem::replace(&mut self.here, self.ast[expr].span);
            let value = self.expr_inner(expr, want);
            self.here = outer;
            value
        })
    }

    fn expr_inner(&mut self, expr: ast::ExprId, want: Want) -> Lowers<Value> {
        let ast::Expr { kind, span } = self.ast[expr];
        match kind {
            ExprKind::Error => Err(crate::context::Reported),
            ExprKind::Name(name) => self.name(name, expr),
            ExprKind::Int { value, base, suffix } => self.int_literal(value, base, suffix),
            ExprKind::Char { value, encoding } => Ok(self.char_literal(value, encoding)),
            ExprKind::Float { text, suffix, imaginary } => {
                let value = self.float_literal(text, suffix, span)?;
                Ok(if imaginary { self.imaginary_literal(value) } else { value })
            }
            ExprKind::Call { callee, args } => self.call(callee, args, span, want),
            ExprKind::String(_)
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Index { .. }
            | ExprKind::Member { .. } => {
                let place = self.place(expr)?;
                Ok(self.read(place))
            }
            ExprKind::Unary { op, operand } => self.unary_operator(op, operand, expr, want),
            ExprKind::Binary { op, left, right } => self.binary_operator(op, left, right, expr, want),
            ExprKind::Assign { op, target, value } => self.assignment(op, target, value, want),
            ExprKind::Conditional { cond, then, other } => self.conditional(cond, Some(then), other, want),
            ExprKind::Elvis { cond, other } => self.conditional(cond, None, other, want),
            ExprKind::Comma { left, right } => {
                self.discard(left)?;
                self.expr(right, want)
            }
            ExprKind::Cast { ty, operand } => self.cast_expr(ty, operand, want),
            ExprKind::SizeofExpr(operand) => {
                if let Some(size) = self.bit_field_size(operand)? {
                    return Ok(Value { ty: self.basic.size, expr: self.size_const(size) });
                }
                let ty = self.type_of(operand)?;
                if self.is_variable_length(ty) {
                    // Only then C evaluates the operand.
                    self.place(operand)?;
                }
                self.size_value(ty, span)
            }
            ExprKind::SizeofType(ty) => {
                // Of pointers to arrays of variable length gcc evaluates no length.
                let ty = self.evaluated_if(|l| l.ast_type(ty), |l, ty| l.is_variable_length(ty.id))?;
                self.size_value(ty.id, span)
            }
            ExprKind::AlignofExpr { operand, preferred } => self.alignof_expr(operand, preferred),
            ExprKind::AlignofType { ty, preferred } => {
                let ty = self.unevaluated(|l| l.ast_type(ty))?;
                Ok(self.alignof(ty.align, ty.id, preferred))
            }
            ExprKind::Stmt(stmt) => self.statement_expr(stmt, want),
            ExprKind::LabelAddress(label) => Ok(self.label_address(label, span)),
            ExprKind::Generic { control, arms } => {
                let chosen = self.generic_choice(control, arms, span)?;
                self.expr(chosen, want)
            }
            ExprKind::Offsetof { ty, path } => self.offsetof(ty, path, span),
            ExprKind::VaArg { list, ty } => self.va_arg(list, ty),
            ExprKind::TypesCompatible { left, right } => {
                let (left, right) = (self.ast_type(left)?, self.ast_type(right)?);
                let same = self.compatible(left.id, right.id) && !self.are_different(left.id, right.id);
                Ok(self.int_value(same.into()))
            }
            ExprKind::ChooseExpr { cond, then, other } => {
                let chosen = if self.constant_int(cond)?.0 != 0 { then } else { other };
                self.expr(chosen, want)
            }
        }
    }

    fn name(&mut self, name: Symbol, expr: ast::ExprId) -> Lowers<Value> {
        if let Some(Entity::Constant { value, ty }) = self.names.lookup(name) {
            return Ok(Value { ty, expr: value });
        }
        let place = self.place(expr)?;
        Ok(self.read(place))
    }

    /// A name without declaration that is not called: `__func__` and functions known to the compiler.
    pub fn undeclared_place(&mut self, name: Symbol, span: Span) -> Lowers<crate::lvalue::Lvalue> {
        let text = self.text(name);
        if matches!(text, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let function = self.body.function.map(|function| self.program.functions[function].name);
            let bytes = function.map_or_else(Vec::new, |name| self.text(name).as_bytes().to_vec());
            let char = self.basic.char;
            let ty = self.intern(Type::Array(char, bytes.len() as u64 + 1));
            let var = self.string_bytes_object(ty, char, bytes, span);
            return Ok(crate::lvalue::Lvalue::memory(ty, self.addr(var)));
        }
        if crate::known::known(text).is_some() {
            let callee = self.implicit_function(name, span);
            let (ty, function) = (self.callees[callee].ty, self.function(callee));
            return Ok(crate::lvalue::Lvalue::memory(ty, self.program.exprs.function(function)));
        }
        let message = format!("'{}' is not declared", self.text(name));
        self.error(span, message)
    }

    /// The type of an expression whose arrays and functions do not decay; call it through `unevaluated`.
    pub fn undecayed_type(&mut self, expr: ast::ExprId) -> Lowers<TypeId> {
        match self.ast[expr].kind {
            ExprKind::Name(name) => match self.names.lookup(name) {
                Some(Entity::Constant { ty, .. }) => Ok(ty),
                Some(Entity::Function(callee)) => Ok(self.callees[callee].ty),
                _ => Ok(self.place(expr)?.ty),
            },
            ExprKind::String(string) => Ok(self.string_type(string)),
            ExprKind::CompoundLiteral { .. }
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => Ok(self.place(expr)?.ty),
            ExprKind::ChooseExpr { cond, then, other } => {
                let chosen = if self.constant_int(cond)?.0 != 0 { then } else { other };
                self.undecayed_type(chosen)
            }
            ExprKind::Generic { control, arms } => {
                let chosen = self.generic_choice(control, arms, self.ast[expr].span)?;
                self.undecayed_type(chosen)
            }
            ExprKind::Assign { target, .. } => self.undecayed_type(target),
            _ => Ok(self.rvalue(expr)?.ty),
        }
    }

    /// Bytes of an expression whose value is that of a bit-field without promotion: the smallest integer that holds it.
    fn bit_field_size(&mut self, expr: ast::ExprId) -> Lowers<Option<u64>> {
        let field = match self.ast[expr].kind {
            ExprKind::Assign { target, .. } => target,
            ExprKind::Unary { op, operand } if is_step(op) => operand,
            ExprKind::Comma { right, .. } => match self.ast[right].kind {
                ExprKind::Member { .. } => right,
                _ => return self.bit_field_size(right),
            },
            _ => return Ok(None),
        };
        if !matches!(self.ast[field].kind, ExprKind::Member { .. }) {
            return Ok(None);
        }
        Ok(match self.unevaluated(|l| l.place(field))?.location {
            crate::lvalue::Location::Bits(field) => Some(u64::from(field.width.div_ceil(8)).next_power_of_two()),
            crate::lvalue::Location::Register(_) | crate::lvalue::Location::Memory(_) => None,
        })
    }

    fn cast_expr(&mut self, ty: ast::TypeId, operand: ast::ExprId, want: Want) -> Lowers<Value> {
        let span = self.ast[operand].span;
        let ty = self.ast_type(ty)?.id;
        if self.is_void(ty) {
            self.discard(operand)?;
            return Ok(self.void_value());
        }
        // A call may use the destination if the cast changes nothing.
        let value = self.expr(operand, want)?;
        if let Type::Record(record) = *self.ty(self.program.types.unqualified(ty))
            && self.program.types.records[record].is_union
            && !self.compatible(value.ty, ty)
        {
            return self.cast_to_union(value, ty, record, span);
        }
        let value = self.convert(value, ty, span)?;
        Ok(value)
    }

    /// GNU: `(union u)x` makes a union whose member of the type of `x` is `x`.
    pub fn cast_to_union(
        &mut self,
        value: Value,
        ty: TypeId,
        record: cfa::types::RecordId,
        span: Span,
    ) -> Lowers<Value> {
        let fields = self.program.types.records[record].fields.clone().unwrap_or_default();
        let exact = fields.iter().find(|field| self.compatible(field.ty, value.ty));
        let loose = fields.iter().find(|field| self.pointee(field.ty).is_some() && self.scalar(value.ty).is_some());
        let Some(member) = exact.or(loose) else {
            let message = format!("'{}' has no member of type '{}'", self.show(ty), self.show(value.ty));
            return self.error(span, message);
        };
        let member = self.program.types.unqualified(member.ty);
        let size = self.program.types.size(ty).unwrap_or(0);
        let object = self.temporary_object(ty, size);
        let address = self.addr(object);
        let value = self.convert(value, member, span)?;
        self.write(crate::lvalue::Lvalue::memory(member, address), value, span)?;
        Ok(Value { ty, expr: address })
    }

    fn alignof_expr(&mut self, operand: ast::ExprId, preferred: bool) -> Lowers<Value> {
        if let ExprKind::Name(name) = self.ast[operand].kind
            && let Some(Entity::Object(object)) = self.names.lookup(name)
        {
            let object = self.objects[object];
            return Ok(self.alignof(object.align, object.ty, preferred));
        }
        if let ExprKind::Name(name) = self.ast[operand].kind
            && let Some(Entity::Function(_)) = self.names.lookup(name)
        {
            let size = self.basic.size;
            return Ok(self.unsupported_value("alignment of a function", size));
        }
        if let ExprKind::Member { base, name, arrow } = self.ast[operand].kind {
            let base = self.type_of(base)?;
            let to = if arrow { self.pointee(base).or_else(|| self.element_type(base)) } else { None };
            let base = to.unwrap_or(base);
            if let Type::Record(record) = *self.ty(self.program.types.unqualified(base))
                && let Some(found) = self.field(record, name)
            {
                if found.bit_width.is_some() {
                    return self.error(self.ast[operand].span, "a bit-field has no alignment");
                }
                return Ok(self.alignof(Some(found.align), found.ty, preferred));
            }
        }
        let ty = self.type_of(operand)?;
        Ok(self.alignof(None, ty, preferred))
    }

    fn alignof(&mut self, given: Option<u64>, ty: TypeId, preferred: bool) -> Value {
        let types = &self.program.types;
        let align = given.unwrap_or(if preferred { types.align(ty) } else { types.align_in_record(ty) });
        Value { ty: self.basic.size, expr: self.size_const(align) }
    }

    /// Whether types that may be the same across units are different ones in a unit: enumerations without a tag, and
    /// pointers to what only one of them calls const.
    fn are_different(&self, a: TypeId, b: TypeId) -> bool {
        let ty = |ty| self.ty(self.program.types.unqualified(ty));
        match (ty(a), ty(b)) {
            (Type::Enum(a), Type::Enum(b)) => a != b,
            (&Type::Pointer(a), &Type::Pointer(b)) => {
                let is_const = |to| matches!(self.ty(to), Type::Const(_));
                is_const(a) != is_const(b) || self.are_different(a, b)
            }
            _ => false,
        }
    }

    pub fn generic_choice(&mut self, control: ast::ExprId, arms: List<GenericArm>, span: Span) -> Lowers<ast::ExprId> {
        let ast = self.ast;
        if self.is_bit_field(control)? {
            return self.error(span, "a bit-field selects no association: its type differs between compilers");
        }
        let ty = self.unevaluated(|l| l.rvalue(control))?.ty;
        let ty = self.program.types.unqualified(ty);
        let (mut default, mut chosen) = (None, None);
        for arm in &ast[arms] {
            match arm.ty {
                None => default = Some(arm.value),
                Some(arm_ty) => {
                    let arm_ty = self.ast_type(arm_ty)?;
                    let same = self.compatible(arm_ty.id, ty) && !self.are_different(arm_ty.id, ty);
                    if !arm_ty.is_const && same && chosen.replace(arm.value).is_some() {
                        return self.error(
                            span,
                            "only 'volatile', 'restrict' or '_Atomic' selects the association: not modelled",
                        );
                    }
                }
            }
        }
        // Types do not say what is volatile or atomic, so a pointer may be one to such an object.
        let is_pointer = matches!(self.ty(ty), Type::Pointer(_));
        if chosen.is_some() && is_pointer && (self.has_volatile || self.has_atomic) {
            return self.error(span, "'volatile' or '_Atomic' may select another association: not modelled");
        }
        match chosen.or(default) {
            Some(chosen) => Ok(chosen),
            None => {
                let message = format!("no association for the type '{}'", self.show(ty));
                self.error(span, message)
            }
        }
    }

    /// Whether an expression is a bit-field or what was assigned to one.
    fn is_bit_field(&mut self, expr: ast::ExprId) -> Lowers<bool> {
        Ok(match self.ast[expr].kind {
            ExprKind::Member { .. } => {
                matches!(self.unevaluated(|l| l.place(expr))?.location, Location::Bits(_))
            }
            ExprKind::Assign { target, .. } => self.is_bit_field(target)?,
            _ => false,
        })
    }

    /// `({ ... })`: the value of its last expression statement.
    fn statement_expr(&mut self, stmt: ast::StmtId, want: Want) -> Lowers<Value> {
        let ast = self.ast;
        let StmtKind::Compound(list) = ast[stmt].kind else { return Err(crate::context::Reported) };
        if self.body.function.is_none() {
            return self.error(ast[stmt].span, "a statement expression needs a function around it");
        }
        let (last, before) = match ast[list].split_last() {
            Some((last, before)) => (Some(*last), before),
            None => (None, &[][..]),
        };
        self.enter_scope();
        for &inner in before {
            self.statement(inner);
        }
        let value = match last.map(|last| (last, ast[last].kind)) {
            Some((_, StmtKind::Expr(expr))) => self.expr(expr, want),
            Some((_, StmtKind::Labeled { labels, body })) if matches!(ast[body].kind, StmtKind::Expr(_)) => {
                self.labels(labels);
                match ast[body].kind {
                    StmtKind::Expr(expr) => self.expr(expr, want),
                    _ => Ok(self.void_value()),
                }
            }
            Some((last, _)) => {
                self.statement(last);
                Ok(self.void_value())
            }
            None => Ok(self.void_value()),
        };
        let value = value.and_then(|value| {
            let value = self.rounded_half(value);
            self.kept_from_block(value)
        });
        self.leave_scope();
        value
    }

    /// Distinct labels have distinct addresses: each one's is that of an object of its own.
    fn label_address(&mut self, name: Symbol, span: Span) -> Value {
        let name = self.label_name(name);
        let level = self.outer_label(name).unwrap_or(self.enclosing.len());
        let label = *self.label_at(level, name, span);
        let ty = self.basic.void_ptr;
        let var = match label.address {
            Some(var) => var,
            None => {
                let text = format!("&&{}", self.text(name));
                let object_name = self.program.names.intern(&text);
                let var = self.program.vars.push(Variable {
                    name: object_name,
                    function: None,
                    kind: VarKind::Literal,
                    ty: self.basic.char,
                    storage: Storage::Memory { size: 1, align: 1 },
                    init: Box::default(),
                    span,
                });
                self.label_at(level, name, span).address = Some(var);
                var
            }
        };
        Value { ty, expr: self.addr(var) }
    }

    fn offsetof(&mut self, ty: ast::TypeId, path: List<Designator>, span: Span) -> Lowers<Value> {
        let ty = self.ast_type(ty)?.id;
        let null = self.null();
        let mut place = crate::lvalue::Lvalue::memory(ty, null);
        let ast = self.ast;
        for &step in &ast[path] {
            place = match step {
                Designator::Field(name) => self.member(place, name, span)?,
                Designator::Index(index) => {
                    let base = self.read(place);
                    let index = self.rvalue(index)?;
                    let moved = self.pointer_add(base, index, span)?;
                    self.deref(moved, span)?
                }
                Designator::Range(..) => return self.error(span, "expected a member or an index"),
            };
        }
        match place.location {
            crate::lvalue::Location::Memory(address) => {
                let size = self.program.model.size_type();
                Ok(Value { ty: self.basic.size, expr: self.cast(address, size) })
            }
            _ => self.error(span, "a bit-field has no offset in bytes"),
        }
    }

    /// An `int` that is 1 or 0.
    pub fn truth_value(&mut self, truth: cfa::ExprId) -> Value {
        debug_assert_eq!(self.scalar_of(truth), Scalar::Bool);
        Value { ty: self.basic.int, expr: truth }
    }
}

fn is_step(op: UnaryOp) -> bool {
    matches!(op, UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec)
}
