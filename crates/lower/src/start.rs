//! The start of the program: globals get their initial values, constructors run, then the entry function is called
//! with arbitrary arguments.

use crate::body::Body;
use crate::context::{Definition, Entity, Lowering};
use base::Span;
use cfa::types::{Type, TypeId};
use cfa::{BinOp, ExprId, Function, FunctionKind, Op, Scalar, Source, Storage, VarKind};

impl Lowering<'_> {
    pub fn add_start(&mut self) {
        let entry = self.options.entry.clone();
        let function = match entry.as_str() {
            // It is never executed.
            "" => None,
            _ => match self.entry_function(&entry) {
                Some(function) => Some(function),
                None => return,
            },
        };
        let span = function.map_or(Span::default(), |function| self.program.functions[function].span);
        self.here = span;
        let name = self.program.names.intern("$start");
        let void = self.basic.void;
        let ty = self.intern_start(void);
        let start = self.program.functions.push(Function::new(name, FunctionKind::Start, ty, span));
        self.program.entry = start;
        self.body = Body::new(Some(start));
        self.refuse_missing_symbols();
        self.initial_values();
        self.run_constructors();
        self.here = span;
        match function {
            Some(function) => self.call_entry(function),
            None => self.halt(None),
        }
        self.finish_body(start);
    }

    /// The function of this name: the one with external linkage, or the only static one. `FILE:NAME` is that of a file.
    fn entry_function(&mut self, entry: &str) -> Option<cfa::FunctionId> {
        let (file, name) = match entry.rsplit_once(':') {
            Some((file, name)) => (Some(file), name),
            None => (None, entry),
        };
        let mut found = self.functions_named(name);
        if let Some(file) = file {
            let sources = &self.program.sources;
            let ends = |path: &str| path == file || path.strip_suffix(file).is_some_and(|rest| rest.ends_with('/'));
            found.retain(|&function| ends(sources.name(sources.position(self.program.functions[function].span).file)));
        }
        if let (&[first, _, ..], None) = (found.as_slice(), file) {
            let symbol = self.program.names.intern(name);
            match self.externals.get(&symbol) {
                Some(&Entity::Function(callee)) => return self.callees[callee].function,
                _ => {
                    let span = self.program.functions[first].span;
                    let files: Vec<String> = found
                        .iter()
                        .map(|&one| self.program.sources.display(self.program.functions[one].span))
                        .collect();
                    let message = format!(
                        "several functions are called '{name}' ({}); name one as FILE:{name}",
                        files.join(", ")
                    );
                    _ = self.error::<()>(span, message);
                    return None;
                }
            }
        }
        if found.is_empty() {
            _ = self.error::<()>(Span::default(), format!("the entry function '{entry}' is not defined"));
        }
        found.first().copied()
    }

    fn intern_start(&mut self, void: TypeId) -> TypeId {
        self.intern(Type::Function { result: void, params: Box::default(), variadic: false, prototyped: true })
    }

    fn initial_values(&mut self) {
        self.initial_rounding();
        self.initial_environment();
        self.initial_unreturned();
        self.initial_unwinding();
        for var in self.program.vars.ids() {
            if self.program.vars[var].kind == VarKind::Literal || self.static_literals.contains(&var) {
                self.here = self.program.vars[var].span;
                self.emit(Op::Init(var));
            }
        }
        let mut streams = Vec::new();
        for object in self.globals.clone() {
            let object = self.objects[object];
            let var = object.var;
            self.here = self.program.vars[var].span;
            let name = self.program.vars[var].name;
            let outside = object.definition == Definition::Extern;
            if let (true, Some(value)) = (outside, library_value(self.text(name))) {
                self.library_variable(var, value);
                continue;
            }
            if outside && self.is_unused_variable_of_library(name) {
                continue;
            }
            match self.program.vars[var].storage {
                Storage::Register(_) if outside => {
                    self.assume_outside(name);
                    self.emit(Op::Havoc(var, Source::Extern(name)));
                    let (ty, value) = (self.program.vars[var].ty, self.var(var));
                    self.assume_proper(ty, value);
                    self.assume_stream(name, value, &mut streams);
                }
                Storage::Register(scalar) => {
                    let zero = self.program.exprs.bits(scalar, 0);
                    let value = self.register_inits.get(&var).copied().unwrap_or(zero);
                    self.emit(Op::Assign(var, value));
                }
                Storage::Memory { size, align } => {
                    self.complete_size(var, size, align);
                    if outside {
                        self.assume_outside(name);
                        let to = self.addr(var);
                        self.emit(Op::HavocMemory { to, size: None, source: Source::Extern(name) });
                        self.assume_proper_object(self.program.vars[var].ty, to);
                        if self.pointee(self.program.vars[var].ty).is_some() {
                            let value = self.load(to, Scalar::Ptr);
                            self.assume_stream(name, value, &mut streams);
                        }
                        // Functions without body know its address, too.
                        self.give_outside(&[to]);
                    } else {
                        self.emit(Op::Init(var));
                    }
                }
            }
        }
        self.keep_last_stream(&streams);
    }

    /// A variable of the library.
    fn library_variable(&mut self, var: cfa::VarId, value: i128) {
        match self.program.vars[var].storage {
            Storage::Register(scalar) => {
                let value = self.number(scalar, value);
                self.emit(Op::Assign(var, value));
            }
            Storage::Memory { size, align } => {
                self.complete_size(var, size, align);
                self.emit(Op::Init(var));
                if let Some(scalar) = self.scalar(self.program.vars[var].ty) {
                    let (to, value) = (self.addr(var), self.number(scalar, value));
                    self.emit(Op::Store { to, value });
                }
            }
        }
    }

    fn assume_outside(&mut self, name: base::Symbol) {
        let text = format!("{} is defined elsewhere and holds an arbitrary value", self.text(name));
        self.assume(text);
    }

    /// Types may have been completed after the declaration; an array without length has one element.
    fn complete_size(&mut self, var: cfa::VarId, size: u64, align: u64) {
        let ty = self.program.vars[var].ty;
        let full = match *self.ty(ty) {
            Type::OpenArray(element) => self.program.types.size(element),
            _ => self.program.types.size(ty),
        };
        let align = align.max(self.program.types.align(ty));
        self.program.vars[var].storage = Storage::Memory { size: size.max(full.unwrap_or(0)), align };
    }

    fn call_entry(&mut self, function: cfa::FunctionId) {
        let params = self.program.functions[function].params.clone();
        // Only of `main` the system says what it passes.
        let is_main = self.options.entry == "main";
        if let Some(given) = self.options.given.as_ref().filter(|_| !is_main) {
            let args = self.given_arguments(function, given);
            return self.call_with(function, args, is_main);
        }
        let mut args: Vec<ExprId> = Vec::new();
        for (position, &param) in params.iter().enumerate() {
            let scalar = self.program.register(param).expect("parameters are registers");
            let is_argc = is_main && position == 0 && scalar == Scalar::INT && params.len() >= 2;
            let is_argv = is_main && position == 1 && scalar == Scalar::Ptr && !args.is_empty();
            let arg = if is_argc {
                self.argument_count(self.program.vars[param].ty)
            } else if is_argv && self.scalar_of(args[0]) == Scalar::INT {
                self.argument_vector(args[0], param)
            } else if is_main && position == 2 && scalar == Scalar::Ptr {
                self.environment_list(param)
            } else {
                self.entry_argument(param, scalar)
            };
            args.push(arg);
        }
        self.call_with(function, args, is_main);
    }

    fn call_with(&mut self, function: cfa::FunctionId, args: Vec<ExprId>, is_main: bool) {
        let result = self.program.functions[function].result;
        let result = result.map(|var| {
            let scalar = self.program.register(var).expect("results are registers");
            self.temporary(self.program.vars[var].ty, scalar)
        });
        self.emit(Op::Call { function, args: args.into(), result });
        let status = result.map(|var| self.var(var)).filter(|&status| self.scalar_of(status).is_int());
        if is_main {
            self.exit(status);
        } else {
            self.halt(status);
        }
    }

    /// An arbitrary argument of the entry function.
    pub fn entry_argument(&mut self, param: cfa::VarId, scalar: Scalar) -> ExprId {
        let ty = self.program.vars[param].ty;
        let is_result = self.text(self.program.vars[param].name) == "$result";
        let object = if is_result { self.pointee(ty) } else { Some(ty) };
        if let Some(ty) = object.filter(|&ty| self.is_aggregate(ty)) {
            // Lowering passes and returns aggregates by address.
            let size = self.program.types.size(ty).unwrap_or(0);
            let var = self.temporary_object(ty, size);
            let (to, size) = (self.addr(var), self.size_const(size));
            self.emit(Op::HavocMemory { to, size: Some(size), source: Source::Parameter });
            self.assume_proper_object(ty, to);
            return to;
        }
        let value = self.arbitrary(ty, scalar, Source::Parameter);
        self.assume_proper(ty, value);
        value
    }

    /// `argc`: at least 0, and small enough for `argv` to exist.
    fn argument_count(&mut self, ty: TypeId) -> ExprId {
        let count = self.arbitrary(ty, Scalar::INT, Source::Parameter);
        let (zero, most) = (self.number(Scalar::INT, 0), self.number(Scalar::INT, 1 << 20));
        let (from, to) = (self.binary(BinOp::Le, zero, count), self.binary(BinOp::Le, count, most));
        let bounded = self.binary(BinOp::And, from, to);
        self.emit(Op::Assume(bounded));
        count
    }
}

/// What variables that belong to the library hold at the start.
fn library_value(name: &str) -> Option<i128> {
    match name {
        "optind" | "opterr" => Some(1),
        "optopt" => Some(i128::from(b'?')),
        "optarg" => Some(0),
        _ => None,
    }
}
