//! The state of lowering, and the small steps that everything else is made of.

use crate::address::AddressTaken;
use crate::body::Body;
use crate::exit::{Automatic, Endings};
use crate::facts::Facts;
use crate::known::Known;
use crate::scope::Scopes;
use crate::symbols::Symbols;
use crate::tags::Tag;
use crate::types::Ty;
use crate::{Lowered, Options, Rejected};
use base::{Diagnostic, IdVec, Interner, Severity, SourceMap, Span, Symbol, define_id};
use cfa::types::{IntKind, RecordId, Type, TypeId};
use cfa::{ExprId, FunctionId, Program, Scalar, VarId};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use syntax::{Ast, ast};

/// An error that already is among the diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// What lowering a piece of the tree gives.
pub(crate) type Lowers<T> = Result<T, Reported>;

define_id!(
    /// A variable of the user.
    ObjectId,
    "object"
);
define_id!(
    /// A function of the user, by linkage.
    CalleeId,
    "callee"
);

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entity {
    Typedef(Ty),
    Constant { value: ExprId, ty: TypeId },
    Object(ObjectId),
    Function(CalleeId),
}

/// How the place of an object is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The variable is a register with the value.
    Register,
    /// The variable is the object.
    Memory,
    /// The variable is a register with the object's address: variable-length arrays, aggregate parameters.
    Indirect,
}

/// How far a global's definition has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    Local,
    /// Only declared.
    Extern,
    /// Defined without initialiser: zero unless an initialiser follows.
    Tentative,
    Initialised,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaredObject {
    pub var: VarId,
    pub ty: TypeId,
    pub is_const: bool,
    pub is_atomic: bool,
    pub access: Access,
    pub align: Option<u64>,
    pub definition: Definition,
}

/// A function by name and linkage.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    pub name: Symbol,
    pub ty: TypeId,
    pub function: Option<FunctionId>,
    /// Whether some unit has a body for it.
    pub defined: bool,
    pub known: Option<Known>,
    pub noreturn: bool,
    pub span: Span,
}

/// An rvalue: a scalar (also a truth value where the C type is `int`), or the address of an aggregate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub ty: TypeId,
    pub expr: ExprId,
}

/// The types that C's rules name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basic {
    pub void: TypeId,
    pub bool: TypeId,
    pub char: TypeId,
    pub int: TypeId,
    pub uint: TypeId,
    pub long: TypeId,
    pub llong: TypeId,
    pub ullong: TypeId,
    pub float: TypeId,
    pub double: TypeId,
    pub ldouble: TypeId,
    pub size: TypeId,
    pub offset: TypeId,
    pub void_ptr: TypeId,
    /// What `f()` means before any declaration.
    pub implicit: TypeId,
}

pub(crate) struct Lowering<'a> {
    pub options: &'a Options,
    pub units: &'a [Ast],
    pub models: &'a OnceCell<Ast>,
    /// The unit at hand.
    pub ast: &'a Ast,
    pub taken: AddressTaken,
    /// Names of file-scope objects whose address some unit takes.
    pub taken_globals: HashSet<Symbol>,
    /// External functions that some unit defines.
    pub defined_functions: HashSet<Symbol>,
    /// Functions that this unit defines.
    pub defined_here: HashSet<Symbol>,
    pub program: Program,
    pub basic: Basic,
    pub diagnostics: Vec<Diagnostic>,
    pub names: Scopes<Entity>,
    pub tags: Scopes<Tag>,
    /// Struct and enum specifiers of this unit that were already met.
    pub met_records: HashMap<ast::RecordId, RecordId>,
    pub met_enums: HashMap<ast::EnumId, TypeId>,
    pub objects: IdVec<ObjectId, DeclaredObject>,
    pub callees: IdVec<CalleeId, Callee>,
    /// Names with external linkage.
    pub externals: HashMap<Symbol, Entity>,
    /// Globals in order of declaration.
    pub globals: Vec<ObjectId>,
    /// Static initial values of globals that are registers.
    pub register_inits: HashMap<VarId, ExprId>,
    pub literals: HashMap<(TypeId, Vec<u8>), VarId>,
    pub facts: Facts,
    pub body: Body,
    /// The bodies around that of a function inside others, outermost first.
    pub enclosing: Vec<Body>,
    /// Functions inside others, with the level of the enclosing one.
    pub nested: HashMap<FunctionId, usize>,
    pub variable_records: HashMap<RecordId, crate::variable_record::VariableRecord>,
    pub trampolines: Vec<crate::nested::Trampoline>,
    /// How to jump out of functions, if the program ever does.
    pub unwinding: Option<crate::unwind::Unwinding>,
    /// Where what is emitted comes from.
    pub here: Span,
    /// Whether prototypes are being read, whose array lengths are never evaluated.
    pub prototype: bool,
    /// What the verdict will rest on, and how often.
    pub assumptions: BTreeMap<String, u32>,
    pub targets: HashSet<Symbol>,
    /// Functions with the attribute `constructor`.
    pub constructors: Vec<Automatic>,
    /// Functions with the attribute `destructor`.
    pub destructors: Vec<Automatic>,
    pub endings: Endings,
    pub symbols: Symbols,
    pub va_list: Option<TypeId>,
    /// Functions whose models were lowered or are waiting.
    pub model_functions: HashSet<Symbol>,
    pub in_model: bool,
    /// Whether what is lowered is what a model asks of its arguments.
    pub in_requirement: bool,
    /// Whether the address of the next place is all that is asked for.
    pub only_address: bool,
    /// Whether the unit only defines what the program does not.
    pub in_user_models: bool,
    /// Whether some type is atomic.
    pub has_atomic: bool,
    /// Whether some type is volatile.
    pub has_volatile: bool,
    /// Names for volatile numbers.
    pub volatile_numbers: HashSet<Symbol>,
    /// Whether the assignment being lowered is to an atomic object.
    pub atomicity: crate::checks::Atomicity,
    /// Whether what is being lowered is evaluated when the program runs.
    pub is_evaluated: bool,
    pub unnamed: u32,
    /// By unit and expression, types that were needed before their expressions were lowered.
    pub known_types: HashMap<(usize, ast::ExprId), TypeId>,
    /// How the program names `errno`, if it does.
    pub errno: crate::errno::Errno,
    /// Holds the rounding mode of floats, if the program ever sets it.
    pub rounding: Option<VarId>,
    /// What `getenv` said, by name.
    pub settings: std::collections::BTreeMap<Vec<u8>, crate::environment::Setting>,
    /// See [`crate::streams`].
    pub standard_streams: Option<VarId>,
    /// Says that a function ended without its value, if one may and that is checked.
    pub unreturned: Option<VarId>,
    /// Whether there is a type of which only the size is known.
    pub has_opaque: bool,
    /// Whether there is a value of type `_Float16`.
    pub has_half: bool,
    /// Whether a static initialiser is being read, whose literals are global objects.
    pub static_context: bool,
    /// Whether the static initialiser of an object names a weak symbol that is not defined.
    pub weak_initialiser: Option<bool>,
    /// Static objects whose initialisers do: their values are not known.
    pub weakly_initialised: Vec<VarId>,
    /// Compound literals outside of functions.
    pub static_literals: Vec<VarId>,
    /// How many elements array parameters are declared with.
    pub declared_lengths: HashMap<VarId, u64>,
    /// Pointer parameters with the qualifier `restrict`.
    pub restricted: HashSet<VarId>,
}

impl<'a> Lowering<'a> {
    pub fn new(
        units: &'a [Ast],
        models: &'a OnceCell<Ast>,
        mut names: Interner,
        sources: SourceMap,
        options: &'a Options,
    ) -> Self {
        let targets = options.targets.functions.iter().map(|name| names.intern(name)).collect();
        let mut program = Program::new(options.model, names, sources);
        let basic = basic_types(&mut program);
        Self {
            options,
            units,
            models,
            ast: units.first().unwrap_or_else(|| empty_ast()),
            taken: AddressTaken::default(),
            taken_globals: HashSet::new(),
            defined_functions: HashSet::new(),
            defined_here: HashSet::new(),
            program,
            basic,
            diagnostics: Vec::new(),
            names: Scopes::new(),
            tags: Scopes::new(),
            met_records: HashMap::new(),
            met_enums: HashMap::new(),
            objects: IdVec::new(),
            callees: IdVec::new(),
            externals: HashMap::new(),
            globals: Vec::new(),
            register_inits: HashMap::new(),
            literals: HashMap::new(),
            facts: Facts::new(options.checks.has(cfa::Check::Uninitialised)),
            body: Body::new(None),
            enclosing: Vec::new(),
            nested: HashMap::new(),
            variable_records: HashMap::new(),
            trampolines: Vec::new(),
            unwinding: None,
            here: Span::default(),
            prototype: false,
            assumptions: BTreeMap::new(),
            targets,
            constructors: Vec::new(),
            destructors: Vec::new(),
            endings: Endings::default(),
            symbols: Symbols::default(),
            va_list: None,
            model_functions: HashSet::new(),
            in_model: false,
            in_requirement: false,
            only_address: false,
            in_user_models: false,
            has_atomic: false,
            has_volatile: false,
            volatile_numbers: HashSet::new(),
            atomicity: crate::checks::Atomicity::No,
            is_evaluated: true,
            unnamed: 0,
            known_types: HashMap::new(),
            errno: crate::errno::Errno::default(),
            rounding: None,
            settings: std::collections::BTreeMap::new(),
            standard_streams: None,
            unreturned: None,
            has_opaque: false,
            has_half: false,
            static_context: false,
            weak_initialiser: None,
            weakly_initialised: Vec::new(),
            static_literals: Vec::new(),
            declared_lengths: HashMap::new(),
            restricted: HashSet::new(),
        }
    }

    /// All units, then what they need from outside, then the start.
    pub fn run(mut self) -> Result<Lowered, Box<Rejected>> {
        for unit in self.units {
            self.in_user_models = self.is_of_models(unit);
            self.scan_unit(unit);
        }
        self.finish_symbols();
        self.find_rounding();
        self.find_errno();
        self.find_endings();
        self.find_unwinding();
        for unit in self.units_in_order() {
            self.unit(unit);
        }
        let rejected = self.diagnostics.iter().any(|found| found.severity == Severity::Error);
        if !rejected {
            self.add_trampolines();
            self.add_models();
            self.add_externs();
            self.add_endings();
            self.add_start();
        }
        if self.diagnostics.iter().any(|found| found.severity == Severity::Error) {
            let sources = self.program.sources;
            return Err(Box::new(Rejected { sources, diagnostics: self.diagnostics }));
        }
        self.link_calls();
        self.end_trampolines();
        self.qualify_constants();
        self.program.assumptions = self
            .assumptions
            .iter()
            .map(|(text, &count)| if count > 1 { format!("{text} ({count} times)") } else { text.clone() })
            .collect();
        self.program.index();
        flow::find_indeterminate_pointers(&mut self.program);
        self.program.assert_valid();
        Ok(Lowered { program: self.program, warnings: self.diagnostics })
    }

    /// The types of variables say from now on which of them are defined `const`. Parameters of aggregate type stand for
    /// the object that was passed.
    fn qualify_constants(&mut self) {
        let mut seen = HashSet::new();
        let objects: Vec<DeclaredObject> = self.objects.iter().map(|(_, object)| *object).collect();
        // Further objects of a variable are aliases of another type.
        for object in objects.into_iter().filter(|object| seen.insert(object.var)) {
            let variable = &self.program.vars[object.var];
            let has_bytes = match object.access {
                Access::Memory => true,
                Access::Indirect => variable.kind == cfa::VarKind::Parameter,
                Access::Register => false,
            };
            if object.is_const && has_bytes && !self.program.types.is_const(variable.ty) {
                self.program.vars[object.var].ty = self.intern(Type::Const(variable.ty));
            }
        }
    }

    /// Whether the unit is one of those that the user gives in addition to the program.
    fn is_of_models(&self, unit: &Ast) -> bool {
        let program = self.units.len().saturating_sub(self.options.models);
        self.units[program..].iter().any(|other| std::ptr::eq(other, unit))
    }

    fn unit(&mut self, unit: &'a Ast) {
        self.ast = unit;
        self.in_user_models = self.is_of_models(unit);
        self.names = Scopes::new();
        self.tags = Scopes::new();
        self.met_records.clear();
        self.met_enums.clear();
        self.taken = AddressTaken::scan(unit);
        self.enter_unit(unit);
        for &item in &unit.items {
            self.top_level(item);
        }
    }

    /// What must be known of all units before the first is lowered.
    fn scan_unit(&mut self, unit: &Ast) {
        self.taken_globals.extend(AddressTaken::scan(unit).globals);
        self.scan_symbols(unit);
        for &item in &unit.items {
            if let Some((name, is_static)) = defined_name(unit, item)
                && !is_static
            {
                self.defined_functions.insert(name);
            }
        }
    }

    // Messages

    pub fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Lowers<T> {
        self.diagnostics.push(Diagnostic::error(span, message));
        Err(Reported)
    }

    pub fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(span, message));
    }

    pub fn assume(&mut self, text: impl Into<String>) {
        *self.assumptions.entry(text.into()).or_default() += 1;
    }

    pub fn text(&self, symbol: Symbol) -> &str {
        self.program.names.text(symbol)
    }

    pub fn show(&self, ty: TypeId) -> String {
        self.program.types.display(ty, &self.program.names)
    }

    // Types

    pub fn ty(&self, id: TypeId) -> &Type {
        self.program.types.get(id)
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        self.program.types.intern(ty)
    }

    pub fn pointer_to(&mut self, ty: TypeId) -> TypeId {
        self.intern(Type::Pointer(ty))
    }

    pub fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        self.program.types.scalar(ty)
    }

    pub fn is_aggregate(&self, ty: TypeId) -> bool {
        match self.ty(ty) {
            Type::Record(_) | Type::Array(..) | Type::OpenArray(_) | Type::VariableArray(..) | Type::Complex(_) => true,
            Type::Const(inner) => self.is_aggregate(*inner),
            Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) | Type::Pointer(_) => false,
            Type::Function { .. } | Type::Enum(_) | Type::Bits { .. } => false,
        }
    }

    pub fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.ty(self.program.types.unqualified(ty)), Type::Void)
    }

    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match *self.ty(self.program.types.unqualified(ty)) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }
}

/// Name of a function definition, and whether it is static.
fn defined_name(unit: &Ast, item: ast::DeclId) -> Option<(Symbol, bool)> {
    match unit[item].kind {
        ast::DeclKind::Function { specs, declarator, .. } => {
            Some((unit[declarator].name?, specs.storage == Some(ast::Storage::Static)))
        }
        ast::DeclKind::Declaration { .. } | ast::DeclKind::StaticAssert { .. } | ast::DeclKind::Asm(_) => None,
    }
}

fn empty_ast() -> &'static Ast {
    static EMPTY: std::sync::OnceLock<Ast> = std::sync::OnceLock::new();
    EMPTY.get_or_init(Ast::default)
}

fn basic_types(program: &mut Program) -> Basic {
    let model = program.model;
    let types = &mut program.types;
    let mut int = |kind| types.intern(Type::Int(kind));
    let (size, offset) = match model {
        cfa::DataModel::Ilp32 => (int(IntKind::UInt), int(IntKind::Int)),
        cfa::DataModel::Lp64 => (int(IntKind::ULong), int(IntKind::Long)),
    };
    let (char, long) = (int(IntKind::Char), int(IntKind::Long));
    let (llong, ullong, uint) = (int(IntKind::LongLong), int(IntKind::ULongLong), int(IntKind::UInt));
    let int = int(IntKind::Int);
    let void = types.intern(Type::Void);
    Basic {
        void,
        bool: types.intern(Type::Bool),
        char,
        int,
        uint,
        long,
        llong,
        ullong,
        float: types.intern(Type::Float(cfa::FloatKind::F32)),
        double: types.intern(Type::Float(cfa::FloatKind::F64)),
        ldouble: types.intern(Type::Float(cfa::FloatKind::X87)),
        size,
        offset,
        void_ptr: types.intern(Type::Pointer(void)),
        implicit: types.intern(Type::Function {
            result: int,
            params: Box::default(),
            variadic: false,
            prototyped: false,
        }),
    }
}
