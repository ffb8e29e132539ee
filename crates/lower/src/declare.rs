//! Declarations: file scope and blocks, linkage, tentative definitions.

use crate::context::{
    Access, Callee, CalleeId, DeclaredObject, Definition, Entity, Lowering, Lowers, ObjectId, Reported,
};
use crate::lvalue::Location;
use crate::types::Ty;
use base::{Diagnostic, Severity, Span, Symbol};
use cfa::types::{Type, TypeId};
use cfa::{Allocation, Op, Scalar, Source, Storage, VarKind, Variable};
use syntax::ast::{self, DeclKind, Init, Specs, StringId, TypeKind};

impl Lowering<'_> {
    pub fn top_level(&mut self, item: ast::DeclId) {
        let ast = self.ast;
        self.here = ast[item].span;
        match ast[item].kind {
            DeclKind::Declaration { specs, declarators } => {
                if declarators.is_empty() {
                    _ = self.ast_type(specs.ty);
                }
                for &declarator in &ast[declarators] {
                    _ = self.global_declarator(specs, declarator);
                }
            }
            DeclKind::Function { specs, declarator, knr, body } => {
                _ = self.define_function(specs, declarator, knr, body);
            }
            DeclKind::StaticAssert { cond, message } => _ = self.static_assert(cond, message),
            DeclKind::Asm(_) => self.warning(ast[item].span, "assembly outside of functions is ignored"),
        }
    }

    pub fn local_declaration(&mut self, decl: ast::DeclId) -> Lowers<()> {
        let ast = self.ast;
        match ast[decl].kind {
            DeclKind::Declaration { specs, declarators } => {
                if declarators.is_empty() {
                    if let TypeKind::Record(record) = ast[specs.ty].kind {
                        self.forward_record(record);
                    }
                    self.ast_type(specs.ty)?;
                }
                for &declarator in &ast[declarators] {
                    self.here = ast[declarator].span;
                    self.local_declarator(specs, declarator)?;
                }
                Ok(())
            }
            DeclKind::StaticAssert { cond, message } => self.static_assert(cond, message),
            DeclKind::Function { specs, declarator, knr, body } => self.define_nested(specs, declarator, knr, body),
            DeclKind::Asm(asm) => self.asm_statement(asm),
        }
    }

    pub fn static_assert(&mut self, cond: ast::ExprId, message: Option<StringId>) -> Lowers<()> {
        if self.constant_int(cond)?.0 != 0 {
            return Ok(());
        }
        let text = message.map(|message| String::from_utf8_lossy(self.ast.string_bytes(message)).into_owned());
        let text =
            text.map_or_else(|| "static assertion failed".into(), |text| format!("static assertion failed: {text}"));
        self.error(self.ast[cond].span, text)
    }

    /// The type of a declarator with what attributes say of it.
    fn declared_type(&mut self, specs: Specs, declarator: ast::DeclaratorId) -> Lowers<Ty> {
        let declarator = self.ast[declarator];
        let ty = self.ast_type(declarator.ty)?;
        let ty = self.with_attributes(ty, specs.attrs)?;
        let mut ty = self.with_attributes(ty, declarator.attrs)?;
        if let Some(align) = self.alignas(specs.alignas)? {
            ty.align = ty.align.max(Some(align));
        }
        Ok(ty)
    }

    fn global_declarator(&mut self, specs: Specs, id: ast::DeclaratorId) -> Lowers<()> {
        let declarator = self.ast[id];
        let Some(name) = declarator.name else { return Ok(()) };
        let was_volatile = self.has_volatile;
        let ty = self.given_type(specs, id)?;
        if specs.storage == Some(ast::Storage::Typedef) {
            self.note_volatile_number(name, ty, was_volatile);
            return self.declare_typedef(name, ty, specs, id);
        }
        if matches!(self.ty(ty.id), Type::Function { .. }) {
            let callee = self.declare_function(name, ty.id, specs, declarator.span)?;
            self.function_attributes(callee, specs.attrs);
            self.function_attributes(callee, declarator.attrs);
            return Ok(());
        }
        let object = self.declare_global(name, ty, specs, id)?;
        if let Some(init) = declarator.init.filter(|_| !self.is_replaced(name, specs)) {
            self.initialise_global(object, init, declarator.span)?;
        }
        Ok(())
    }

    /// A name for a volatile number, as headers of pthread.h have one, makes nothing volatile until it is used.
    fn note_volatile_number(&mut self, name: Symbol, ty: Ty, was_volatile: bool) {
        if self.has_volatile && !was_volatile && matches!(self.ty(ty.id), Type::Int(_)) {
            self.volatile_numbers.insert(name);
            self.has_volatile = false;
        }
    }

    fn declare_typedef(&mut self, name: Symbol, ty: Ty, specs: Specs, id: ast::DeclaratorId) -> Lowers<()> {
        let transparent = [specs.attrs, self.ast[id].attrs];
        if transparent.into_iter().any(|attrs| self.has_attribute(attrs, "transparent_union"))
            && let Type::Record(record) = *self.ty(ty.id)
        {
            self.program.types.records[record].transparent = true;
        }
        let declarator = self.ast[id];
        if declarator.init.is_some() {
            return self.error(declarator.span, "a typedef takes no initialiser");
        }
        match self.names.lookup_here(name) {
            Some(Entity::Typedef(old)) if self.compatible(old.id, ty.id) => {}
            Some(Entity::Typedef(old)) => {
                let (old, new) = (self.show(old.id), self.show(ty.id));
                let message = format!("'{}' was declared as '{old}' before, now as '{new}'", self.text(name));
                return self.error(declarator.span, message);
            }
            Some(Entity::Object(_) | Entity::Function(_) | Entity::Constant { .. }) => {
                let message = format!("'{}' was declared as something else", self.text(name));
                return self.error(declarator.span, message);
            }
            None => {}
        }
        self.names.bind(name, Entity::Typedef(ty));
        Ok(())
    }

    /// The type that a declarator gives, or its initialiser.
    fn given_type(&mut self, specs: Specs, id: ast::DeclaratorId) -> Lowers<Ty> {
        let declarator = self.ast[id];
        match self.auto_type(declarator.ty, declarator.init)? {
            Some(ty) => {
                let is_const = self.ast[declarator.ty].quals.contains(ast::Quals::CONST);
                Ok(Ty { is_const, ..ty.into() })
            }
            None => self.declared_type(specs, id),
        }
    }

    /// `__auto_type x = e`
    fn auto_type(&mut self, ty: ast::TypeId, init: Option<Init>) -> Lowers<Option<TypeId>> {
        match (self.ast[ty].kind, init) {
            (TypeKind::Auto, Some(Init::Expr(expr))) => {
                let value = self.unevaluated(|l| l.rvalue(expr))?;
                Ok(Some(self.program.types.unqualified(value.ty)))
            }
            _ => Ok(None),
        }
    }

    /// The function of that name and linkage, new or known.
    pub fn declare_function(&mut self, declared: Symbol, ty: TypeId, specs: Specs, span: Span) -> Lowers<CalleeId> {
        let name = self.alias_target(declared, span)?;
        let visible = match self.names.lookup(name) {
            Some(Entity::Function(callee)) => Some(callee),
            Some(_) if self.names.lookup_here(name).is_some() => {
                let message = format!("'{}' was declared as something else", self.text(name));
                return self.error(span, message);
            }
            _ => None,
        };
        let is_static = specs.storage == Some(ast::Storage::Static) || declared != name && self.is_static_here(name);
        let external = match self.externals.get(&name) {
            Some(Entity::Function(callee)) if !is_static => Some(*callee),
            _ => None,
        };
        let callee = match visible.or(external) {
            Some(callee) => {
                // Other units, aliases and calls before any declaration do not bind this one.
                let severity = match visible {
                    Some(_) if self.callees[callee].name == declared && !self.has_aliases(name) => Severity::Error,
                    _ => Severity::Warning,
                };
                self.redeclare_function(callee, ty, span, severity)?;
                callee
            }
            None => {
                let defined = self.defined_here.contains(&name) || !is_static && self.defined_functions.contains(&name);
                let known = if defined { None } else { self.known_as(name, ty) };
                let new = Callee { name, ty, function: None, defined, known, noreturn: false, span };
                let callee = self.callees.push(new);
                if !is_static {
                    self.externals.insert(name, Entity::Function(callee));
                }
                callee
            }
        };
        if specs.noreturn {
            self.callees[callee].noreturn = true;
        }
        self.names.bind(name, Entity::Function(callee));
        if declared != name {
            self.names.bind(declared, Entity::Function(callee));
            self.externals.insert(declared, Entity::Function(callee));
        }
        Ok(callee)
    }

    /// What is known of a function by its name. Many programs have an `error` of their own, which is not the library's.
    fn known_as(&self, name: Symbol, ty: TypeId) -> Option<crate::known::Known> {
        let text = self.text(name);
        let is_own = matches!(text, "error" | "error_at_line")
            && !matches!(self.ty(ty), Type::Function { variadic: true, params, .. } if params.len() >= 3);
        if is_own { None } else { crate::known::known(text) }
    }

    fn redeclare_function(&mut self, callee: CalleeId, ty: TypeId, span: Span, severity: Severity) -> Lowers<()> {
        let old = self.callees[callee].ty;
        // Models are written with types of their own.
        if !self.in_model && !self.compatible(old, ty) {
            let name = self.text(self.callees[callee].name);
            let message = format!("'{name}' was declared as '{}' before, now as '{}'", self.show(old), self.show(ty));
            self.diagnostics.push(Diagnostic { severity, span, message });
            if severity == Severity::Error {
                return Err(Reported);
            }
        }
        let better = matches!(self.ty(ty), Type::Function { prototyped: true, .. })
            || matches!(self.ty(old), Type::Function { prototyped: false, .. });
        if better {
            self.callees[callee].ty = ty;
        }
        Ok(())
    }

    pub fn function_attributes(&mut self, callee: CalleeId, attrs: ast::List<ast::Attr>) {
        if self.has_attribute(attrs, "noreturn") {
            self.callees[callee].noreturn = true;
        }
        let ast = self.ast;
        for attr in &ast[attrs] {
            match self.text(attr.name) {
                "constructor" => self.runs_automatically(callee, attr, true),
                "destructor" => self.runs_automatically(callee, attr, false),
                "ifunc" => _ = self.error::<()>(attr.span, "attribute ifunc is not supported"),
                _ => {}
            }
        }
    }

    /// A function called or named without any declaration.
    pub fn implicit_function(&mut self, name: Symbol, span: Span) -> CalleeId {
        if let Some(Entity::Function(callee)) = self.externals.get(&name) {
            return *callee;
        }
        let defined = self.defined_here.contains(&name) || self.defined_functions.contains(&name);
        let known = if defined { None } else { crate::known::known(self.text(name)) };
        if known.is_none() {
            let message =
                format!("'{}' is not declared; it is assumed to be 'int {}()'", self.text(name), self.text(name));
            self.warning(span, message);
        }
        let ty = self.basic.implicit;
        let callee = self.callees.push(Callee { name, ty, function: None, defined, known, noreturn: false, span });
        self.externals.insert(name, Entity::Function(callee));
        callee
    }

    /// A file-scope object, or one that a block declares `extern`.
    fn declare_global(&mut self, declared: Symbol, ty: Ty, specs: Specs, id: ast::DeclaratorId) -> Lowers<ObjectId> {
        let declarator = self.ast[id];
        let name = self.alias_target(declared, declarator.span)?;
        let is_static = specs.storage == Some(ast::Storage::Static) || declared != name && self.is_static_here(name);
        let is_extern = specs.storage == Some(ast::Storage::Extern);
        let known = match self.names.lookup(name) {
            Some(Entity::Object(object)) if self.objects[object].definition != Definition::Local => Some(object),
            Some(_) if self.names.lookup_here(name).is_some() => {
                let message = format!("'{}' was declared as something else", self.text(name));
                return self.error(declarator.span, message);
            }
            _ => None,
        };
        let external = match self.externals.get(&name) {
            Some(Entity::Object(object)) if !is_static => Some(*object),
            _ => None,
        };
        let is_elsewhere = is_extern || declared != name;
        let definition = if is_elsewhere { Definition::Extern } else { Definition::Tentative };
        let object = match known.or(external) {
            Some(object) if declared != name && !self.compatible(self.objects[object].ty, ty.id) => {
                return self.other_view(object, declared, ty, declarator.span);
            }
            Some(object) => {
                self.redeclare_global(object, ty, declarator.span)?;
                object
            }
            None => {
                let taken =
                    if is_static { self.taken.globals.contains(&name) } else { self.taken_globals.contains(&name) };
                let object = self.new_global(name, ty, taken, declarator.name_span);
                if !is_static {
                    self.externals.insert(name, Entity::Object(object));
                }
                object
            }
        };
        let entry = &mut self.objects[object];
        if entry.definition == Definition::Extern {
            entry.definition = definition;
        }
        entry.align = entry.align.max(ty.align);
        self.names.bind(name, Entity::Object(object));
        if declared != name {
            self.names.bind(declared, Entity::Object(object));
            self.externals.insert(declared, Entity::Object(object));
        }
        Ok(object)
    }

    /// An alias of another type than its target's: the same bytes.
    fn other_view(&mut self, object: ObjectId, declared: Symbol, ty: Ty, span: Span) -> Lowers<ObjectId> {
        let target = self.objects[object];
        if target.access != Access::Memory {
            return self.error(span, "an alias of another type than its target's is not supported here");
        }
        let view =
            self.objects.push(DeclaredObject { ty: ty.id, is_const: ty.is_const, is_atomic: ty.is_atomic, ..target });
        self.names.bind(declared, Entity::Object(view));
        self.externals.insert(declared, Entity::Object(view));
        Ok(view)
    }

    /// A variable with static storage that is not yet defined.
    pub fn new_global(&mut self, name: Symbol, ty: Ty, taken: bool, span: Span) -> ObjectId {
        let storage = match self.scalar(ty.id) {
            Some(scalar) if !taken => Storage::Register(scalar),
            _ => self.memory(ty),
        };
        let access = if matches!(storage, Storage::Register(_)) { Access::Register } else { Access::Memory };
        let kind = VarKind::Global;
        let variable = Variable { name, function: None, kind, ty: ty.id, storage, init: Box::default(), span };
        let var = self.program.vars.push(variable);
        let Ty { is_const, is_atomic, align, .. } = ty;
        let object =
            DeclaredObject { var, ty: ty.id, is_const, is_atomic, access, align, definition: Definition::Extern };
        let object = self.objects.push(object);
        self.globals.push(object);
        object
    }

    fn memory(&self, ty: Ty) -> Storage {
        let types = &self.program.types;
        let align = types.align(ty.id).max(ty.align.unwrap_or(1));
        Storage::Memory { size: types.size(ty.id).unwrap_or(0), align }
    }

    fn redeclare_global(&mut self, object: ObjectId, ty: Ty, span: Span) -> Lowers<()> {
        let old = self.objects[object].ty;
        if !self.compatible(old, ty.id) {
            let name = self.text(self.program.vars[self.objects[object].var].name);
            let message =
                format!("'{name}' was declared as '{}' before, now as '{}'", self.show(old), self.show(ty.id));
            return self.error(span, message);
        }
        if self.program.types.size(old).is_none() {
            self.set_type(object, ty);
        }
        Ok(())
    }

    /// Gives an object its complete type.
    pub fn set_type(&mut self, object: ObjectId, ty: Ty) {
        let var = self.objects[object].var;
        self.objects[object].ty = ty.id;
        self.program.vars[var].ty = ty.id;
        if self.objects[object].access == Access::Memory {
            self.program.vars[var].storage = self.memory(ty);
        }
    }

    fn local_declarator(&mut self, specs: Specs, id: ast::DeclaratorId) -> Lowers<()> {
        let declarator = self.ast[id];
        let Some(name) = declarator.name else { return Ok(()) };
        let ty = self.given_type(specs, id)?;
        match specs.storage {
            Some(ast::Storage::Typedef) => return self.declare_typedef(name, ty, specs, id),
            Some(ast::Storage::Auto) if matches!(self.ty(ty.id), Type::Function { .. }) => {
                self.declare_nested(name, ty.id, declarator.name_span)?;
                return Ok(());
            }
            _ if matches!(self.ty(ty.id), Type::Function { .. }) => {
                let callee = self.declare_function(name, ty.id, specs, declarator.span)?;
                self.function_attributes(callee, declarator.attrs);
                return Ok(());
            }
            Some(ast::Storage::Extern) => {
                self.declare_global(name, ty, specs, id)?;
                return Ok(());
            }
            Some(ast::Storage::Static) => {
                self.check_new(name, declarator.name_span)?;
                let taken = self.taken.local(declarator.name_span.start);
                let object = self.new_global(name, ty, taken, declarator.name_span);
                self.objects[object].definition = Definition::Tentative;
                self.names.bind(name, Entity::Object(object));
                if let Some(init) = declarator.init {
                    self.initialise_global(object, init, declarator.span)?;
                }
                return Ok(());
            }
            Some(ast::Storage::Auto | ast::Storage::Register) | None => {}
        }
        self.check_new(name, declarator.name_span)?;
        let ty = self.completed(ty, declarator.init)?;
        if self.program.types.size(ty.id).is_none() && !self.is_variable_length(ty.id) || self.is_void(ty.id) {
            let message = format!("'{}' has the incomplete type '{}'", self.text(name), self.show(ty.id));
            return self.error(declarator.span, message);
        }
        let cleanup = self.cleanup_of([specs.attrs, declarator.attrs])?;
        let taken = self.taken.local(declarator.name_span.start) || cleanup.is_some();
        let object = self.new_local(name, ty, taken, declarator.name_span);
        if self.objects[object].access == Access::Register {
            self.note_register(self.objects[object].var);
        }
        self.names.bind(name, Entity::Object(object));
        // `int x = x;` says that `x` is left uninitialised on purpose.
        let init = declarator.init.filter(|&init| !self.is_name(init, name));
        if init.is_none() || self.objects[object].access != Access::Register {
            self.begin(object)?;
        }
        let place = self.object_place(object);
        match (init, place.location) {
            (Some(init), _) => self.full_expression(|l| l.initialise_local(place, init, declarator.span))?,
            (None, Location::Memory(address)) => self.assume_proper_object(ty.id, address),
            (None, Location::Register(var)) => {
                let value = self.var(var);
                self.assume_proper(ty.id, value);
            }
            (None, Location::Bits(_)) => {}
        }
        if let Some(callee) = cleanup {
            self.add_cleanup(object, callee);
        }
        Ok(())
    }

    fn is_name(&self, init: Init, name: Symbol) -> bool {
        match init {
            Init::Expr(expr) => matches!(self.ast[expr].kind, ast::ExprKind::Name(other) if other == name),
            Init::List(_) => false,
        }
    }

    pub fn is_variable_length(&self, mut ty: TypeId) -> bool {
        while let Type::Array(inner, _) | Type::Const(inner) = *self.ty(ty) {
            ty = inner;
        }
        match self.ty(ty) {
            Type::VariableArray(..) => true,
            Type::Record(record) => self.variable_records.contains_key(record),
            _ => false,
        }
    }

    /// A block declares a name of its own only once.
    fn check_new(&mut self, name: Symbol, span: Span) -> Lowers<()> {
        if self.names.lookup_here(name).is_none() {
            return Ok(());
        }
        let message = format!("'{}' is already declared in this block", self.text(name));
        self.error(span, message)
    }

    /// A local variable.
    pub fn new_local(&mut self, name: Symbol, ty: Ty, taken: bool, span: Span) -> ObjectId {
        let (storage, access) = match self.scalar(ty.id) {
            Some(scalar) if !taken => (Storage::Register(scalar), Access::Register),
            _ if self.is_variable_length(ty.id) => (Storage::Register(Scalar::Ptr), Access::Indirect),
            _ => (self.memory(ty), Access::Memory),
        };
        let function = self.body.function;
        let kind = VarKind::Local;
        let var = self.new_var(Variable { name, function, kind, ty: ty.id, storage, init: Box::default(), span });
        let Ty { is_const, is_atomic, align, .. } = ty;
        self.objects.push(DeclaredObject {
            var,
            ty: ty.id,
            is_const,
            is_atomic,
            access,
            align,
            definition: Definition::Local,
        })
    }

    /// The declaration of a local is reached: it holds arbitrary bytes.
    pub fn begin(&mut self, object: ObjectId) -> Lowers<()> {
        let DeclaredObject { var, ty, access, .. } = self.objects[object];
        match access {
            Access::Register => self.emit(Op::Havoc(var, Source::Uninitialised)),
            Access::Memory => {
                self.emit(Op::Declare(var));
                let pointer = self.addr(var);
                self.note_object(pointer);
            }
            Access::Indirect => {
                let size = self.size_expr(ty, self.here)?;
                self.emit(Op::Allocate { result: var, size, how: Allocation::Stack });
                let pointer = self.var(var);
                self.note_object(pointer);
            }
        }
        Ok(())
    }
}
