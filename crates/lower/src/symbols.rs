//! What all units together say about symbols before the first is lowered: which objects are defined, which names are
//! aliases of others, which are weak, and whether there are destructors.

use crate::context::{Lowering, Lowers};
use base::{Interner, Span, Symbol};
use cfa::{Expr, VarId};
use std::collections::{HashMap, HashSet};
use syntax::Ast;
use syntax::ast::{self, DeclKind, Storage};

/// The symbols of the program.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// Objects with external linkage that some unit defines.
    objects: HashSet<Symbol>,
    /// Objects that this unit defines, static or not.
    objects_here: HashSet<Symbol>,
    /// `alias("target")`, by the name that is declared so; also `weakref`, and assembler names of what is defined.
    aliases: HashMap<Symbol, Symbol>,
    weak: HashSet<Symbol>,
    /// What some declaration of this unit calls weak.
    weak_here: HashSet<Symbol>,
    /// What has a definition that is neither weak nor for inlining only, and visible to other units.
    strong: HashSet<Symbol>,
    /// `asm("label")`: what a name is to the linker.
    labels: Vec<(Symbol, Symbol, Span)>,
    /// Objects in sections whose contents are called when the program starts or ends.
    called: Vec<Span>,
    /// Whether there is a function with the attribute `destructor`.
    pub destructors: bool,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Function,
    /// Perhaps only a tentative definition, or that of a function by a typedef's type.
    Object,
    /// Defines nothing.
    Declaration,
}

struct Declared {
    name: Symbol,
    kind: Kind,
    is_static: bool,
    specs: ast::Specs,
    declarator: ast::DeclaratorId,
}

/// Every name that a unit declares at file scope, except types, and what blocks declare with linkage.
fn each_declared(unit: &Ast, mut visit: impl FnMut(Declared)) {
    let at_file_scope: HashSet<ast::DeclId> = unit.items.iter().copied().collect();
    for item in unit.decls.ids() {
        let is_inner = !at_file_scope.contains(&item);
        let (specs, declarators, is_function) = match &unit[item].kind {
            // A function inside another one is not a symbol.
            DeclKind::Function { .. } if is_inner => continue,
            DeclKind::Function { specs, declarator, .. } => (*specs, std::slice::from_ref(declarator), true),
            DeclKind::Declaration { specs, declarators } => (*specs, &unit[*declarators], false),
            DeclKind::StaticAssert { .. } | DeclKind::Asm(_) => continue,
        };
        if specs.storage == Some(Storage::Typedef) {
            continue;
        }
        for &declarator in declarators {
            let Some(name) = unit[declarator].name else { continue };
            let is_type = matches!(unit[unit[declarator].ty].kind, ast::TypeKind::Function { .. });
            let is_extern = specs.storage == Some(Storage::Extern) && unit[declarator].init.is_none();
            if is_inner && (!(is_type || is_extern) || specs.storage == Some(Storage::Auto)) {
                continue;
            }
            let kind = match (is_function, is_type || is_extern) {
                (true, _) => Kind::Function,
                (false, true) => Kind::Declaration,
                (false, false) => Kind::Object,
            };
            let is_static = specs.storage == Some(Storage::Static);
            visit(Declared { name, kind, is_static, specs, declarator });
        }
    }
}

/// The names that some declaration of a unit calls weak, which counts for all others of it.
fn weak_names(unit: &Ast, names: &Interner) -> HashSet<Symbol> {
    let mut weak = HashSet::new();
    each_declared(unit, |Declared { name, specs, declarator, .. }| {
        let mut attrs = unit[specs.attrs].iter().chain(&unit[unit[declarator].attrs]);
        if attrs.any(|attr| names.text(attr.name) == "weak") {
            weak.insert(name);
        }
    });
    weak
}

impl<'a> Lowering<'a> {
    /// Collects what a unit says about symbols.
    pub fn scan_symbols(&mut self, unit: &Ast) {
        let counts = !self.in_user_models;
        let weak = weak_names(unit, &self.program.names);
        let names = &mut self.program.names;
        let symbols = &mut self.symbols;
        each_declared(unit, |Declared { name, kind, is_static, specs, declarator }| {
            let defines = kind == Kind::Function && !specs.inline || unit[declarator].init.is_some();
            if counts && defines && !is_static && !weak.contains(&name) {
                symbols.strong.insert(name);
            }
            match kind {
                Kind::Object if !is_static => _ = symbols.objects.insert(name),
                Kind::Function | Kind::Object | Kind::Declaration => {}
            }
            if let Some(label) = unit[declarator].asm_label {
                let label = String::from_utf8_lossy(unit.string_bytes(label)).into_owned();
                symbols.labels.push((name, names.intern(&label), unit[declarator].span));
            }
            for attr in unit[specs.attrs].iter().chain(&unit[unit[declarator].attrs]) {
                match names.text(attr.name) {
                    "alias" | "weakref" => {
                        if names.text(attr.name) == "weakref" {
                            symbols.weak.insert(name);
                        }
                        if let Some(target) = string_argument(unit, attr) {
                            symbols.aliases.insert(name, names.intern(&target));
                        }
                        // The declaration is the definition.
                        symbols.objects.remove(&name);
                    }
                    "section" if string_argument(unit, attr).is_some_and(|section| is_called(&section)) => {
                        symbols.called.push(unit[declarator].span);
                    }
                    "destructor" => symbols.destructors = true,
                    _ => {}
                }
            }
        });
        symbols.weak.extend(weak);
    }

    /// What is known when all units were scanned.
    pub fn finish_symbols(&mut self) {
        let (functions, Symbols { objects, aliases, labels, .. }) = (&self.defined_functions, &mut self.symbols);
        let is_defined = |name: &Symbol| functions.contains(name) || objects.contains(name);
        let mut unclear = Vec::new();
        for &(name, label, span) in labels.iter() {
            // Either name may be the one with the definition. Labels of the library's functions lead nowhere.
            match (is_defined(&name), is_defined(&label)) {
                (false, true) => _ = aliases.insert(name, label),
                (true, false) => _ = aliases.insert(label, name),
                // Only in some units the name stands for the label.
                (true, true) if name != label => unclear.push((name, label, span)),
                (true, true) | (false, false) => {}
            }
        }
        // A definition elsewhere overrides a weak alias.
        aliases.retain(|name, target| name != target && !is_defined(name));
        for (name, target) in aliases {
            if self.taken_globals.contains(name) {
                self.taken_globals.insert(*target);
            }
        }
        for span in std::mem::take(&mut self.symbols.called) {
            _ = self
                .error::<()>(span, "a section of functions to call is not supported; use the attribute constructor");
        }
        for (name, label, span) in unclear {
            let (name, label) = (self.text(name), self.text(label));
            let message = format!("'{name}' is '{label}' to the linker, but both are defined, which is not supported");
            _ = self.error::<()>(span, message);
        }
    }

    /// Whether another definition counts, since this one is weak or for inlining.
    pub fn is_replaced(&self, name: Symbol, specs: ast::Specs) -> bool {
        let is_static = specs.storage == Some(Storage::Static);
        let gives_way = self.in_user_models || specs.inline || self.symbols.weak_here.contains(&name);
        !is_static && self.symbols.strong.contains(&name) && gives_way
    }

    /// Turns to another unit.
    pub fn enter_unit(&mut self, unit: &Ast) {
        self.symbols.objects_here.clear();
        self.symbols.weak_here = weak_names(unit, &self.program.names);
        self.defined_here.clear();
        each_declared(unit, |declared| match declared.kind {
            Kind::Function => _ = self.defined_here.insert(declared.name),
            Kind::Object => _ = self.symbols.objects_here.insert(declared.name),
            Kind::Declaration => {}
        });
        for (name, target) in &self.symbols.aliases {
            if self.taken.globals.contains(name) {
                self.taken.globals.insert(*target);
            }
        }
    }

    /// All units, those that define aliases first: others know them by name only.
    pub fn units_in_order(&self) -> Vec<&'a Ast> {
        let is_alias = |attr: &ast::Attr| self.text(attr.name) == "alias";
        let defines_aliases = |unit: &Ast| {
            let mut found = false;
            each_declared(unit, |declared| {
                let attrs = [declared.specs.attrs, unit[declared.declarator].attrs];
                found |= attrs.into_iter().any(|attrs| unit[attrs].iter().any(is_alias));
            });
            found
        };
        let mut units: Vec<&'a Ast> = self.units.iter().collect();
        units.sort_by_key(|unit| !defines_aliases(unit));
        units
    }

    /// The name that a name of this unit is an alias of, or itself. It must be defined where it can be seen.
    pub fn alias_target(&mut self, name: Symbol, span: Span) -> Lowers<Symbol> {
        let mut target = name;
        for _ in 0..=self.symbols.aliases.len() {
            match self.symbols.aliases.get(&target) {
                Some(&next) => target = next,
                None => break,
            }
        }
        if target == name || self.is_defined(target) {
            return Ok(target);
        }
        if self.externals.contains_key(&name) {
            // Another unit has the alias of something static.
            return Ok(name);
        }
        if self.symbols.weak.contains(&name) {
            // `weakref` of something outside.
            return Ok(name);
        }
        let message =
            format!("'{}' is an alias of '{}', which is not defined here", self.text(name), self.text(target));
        self.error(span, message)
    }

    fn is_defined(&self, name: Symbol) -> bool {
        self.defined_here.contains(&name)
            || self.defined_functions.contains(&name)
            || self.symbols.objects_here.contains(&name)
            || self.symbols.objects.contains(&name)
    }

    /// Whether a name that is defined here is static.
    pub fn is_static_here(&self, name: Symbol) -> bool {
        self.defined_here.contains(&name) && !self.defined_functions.contains(&name)
            || self.symbols.objects_here.contains(&name) && !self.symbols.objects.contains(&name)
    }

    /// Whether other names stand for this one.
    pub fn has_aliases(&self, name: Symbol) -> bool {
        self.symbols.aliases.values().any(|&target| target == name)
    }

    /// Whether the symbol may be missing when the program is linked: then its address is null.
    pub fn may_be_missing(&self, name: Symbol) -> bool {
        let is_known = || crate::known::known(self.text(name)).is_some();
        self.symbols.weak.contains(&name) && !self.is_defined(name) && !is_known()
    }

    /// The use of a symbol that may be missing. What a static object holds then matters only if the object is used.
    pub fn missing_symbol(&mut self, what: &str) {
        match &mut self.weak_initialiser {
            Some(named) if self.static_context => *named = true,
            _ => self.unsupported(what),
        }
    }

    /// The program ends before it starts if it uses a static object whose initialiser names a missing symbol. The tables
    /// that a kernel module exports its symbols by are not used.
    pub fn refuse_missing_symbols(&mut self) {
        let mut initialised = std::mem::take(&mut self.weakly_initialised);
        let exprs = &self.program.exprs;
        let used: HashSet<VarId> = exprs
            .ids()
            .filter_map(|expr| match exprs.node(expr) {
                Expr::Var(var) | Expr::Addr(var) => Some(var),
                _ => None,
            })
            .collect();
        initialised.retain(|var| used.contains(var));
        for var in initialised {
            self.here = self.program.vars[var].span;
            self.unsupported("initialiser with a weak symbol that is not defined");
        }
    }
}

/// Whether the functions that a section of a program lists are called without a call in the program.
fn is_called(section: &str) -> bool {
    [".init_array", ".preinit_array", ".fini_array", ".ctors", ".dtors"].iter().any(|name| section.starts_with(name))
}

/// The string that is the attribute's first argument.
pub(crate) fn string_argument(unit: &Ast, attr: &ast::Attr) -> Option<String> {
    let Some(&ast::AttrArg::Expr(expr)) = unit[attr.args].first() else { return None };
    let ast::ExprKind::String(string) = unit[expr].kind else { return None };
    Some(String::from_utf8_lossy(unit.string_bytes(string)).into_owned())
}
