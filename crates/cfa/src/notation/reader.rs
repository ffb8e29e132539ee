//! Reads a program in the notation. Functions and globals may be named before they are declared, so heads come first:
//!
//! 1. Everything outside bodies; bodies and initialisers are passed over.
//! 2. Initialisers and bodies.
//! 3. Nodes get their ids in the order of their numbers, and the program is checked.

use super::expr::read_expr;
use super::lexer::{Key, Lexer, Reads, Wrong};
use super::ops::read_op;
use super::types::{read_enum, read_record, read_type};
use crate::expr::ExprId;
use crate::op::Op;
use crate::program::{
    Edge, Function, FunctionId, FunctionKind, InitCell, Node, NodeInfo, Program, Storage, Undefined, VarId, VarKind,
    Variable,
};
use crate::scalar::{DataModel, Scalar};
use crate::target::{Check, Target, TargetKind};
use crate::types::Type;
use base::{Interner, SourceMap, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The program that a text describes.
pub fn read(text: &str) -> Result<Program, Wrong> {
    let mut lexer = Lexer::new(text);
    let model = if lexer.takes_word("model") { read_model(&mut lexer)? } else { DataModel::Lp64 };
    let mut program = Program::new(model, Interner::default(), SourceMap::new());
    let mut heads = Heads::default();
    while !lexer.is_end() {
        heads.item(&mut lexer, &mut program)?; // 1
    }
    let mut bodies = Bodies::default();
    let (locals, defined) = Default::default();
    let scope = Scope { program: &mut program, heads: &heads, function: None, locals, defined };
    bodies.read(&mut lexer, scope)?; // 2
    if let Some(missing) = program.types.first_unknown() {
        return Err(lexer.error(0, format!("{missing} is not defined")));
    }
    bodies.finish(&lexer, &mut program)?; // 3
    Ok(program)
}

fn read_model(lexer: &mut Lexer<'_>) -> Reads<DataModel> {
    let model = if lexer.takes_word("ilp32") {
        DataModel::Ilp32
    } else if lexer.takes_word("lp64") {
        DataModel::Lp64
    } else {
        return Err(lexer.wrong("`ilp32` or `lp64`"));
    };
    lexer.expect(";")?;
    Ok(model)
}

/// What the first pass finds.
#[derive(Default)]
pub(super) struct Heads {
    globals: FxHashMap<Key, VarId>,
    functions: FxHashMap<Key, FunctionId>,
    /// By function.
    locals: Vec<FxHashMap<Key, VarId>>,
    /// Where bodies and initialisers begin.
    bodies: Vec<usize>,
    inits: Vec<(VarId, usize)>,
}

impl Heads {
    fn item(&mut self, lexer: &mut Lexer<'_>, program: &mut Program) -> Reads<()> {
        if lexer.takes_word("enum") {
            return read_enum(lexer, program);
        }
        if lexer.takes_word("record") {
            return read_record(lexer, program);
        }
        if lexer.takes_word("undefined") {
            if !lexer.takes_word("continue") {
                return Err(lexer.wrong("`continue`"));
            }
            program.undefined = Undefined::Continue;
            return lexer.expect(";");
        }
        if lexer.takes_word("makes") {
            let from = if lexer.takes_word("any") { None } else { Some(read_type(lexer, program)?) };
            if !lexer.takes_word("into") {
                return Err(lexer.wrong("`into`"));
            }
            let to = read_type(lexer, program)?;
            program.types.function_casts.insert((from, to));
            return lexer.expect(";");
        }
        for (word, kind) in [
            ("global", VarKind::Global),
            ("constant", VarKind::Constant),
            ("literal", VarKind::Literal),
            ("temporary", VarKind::Temporary),
        ] {
            if lexer.takes_word(word) {
                return self.global(lexer, program, kind);
            }
        }
        self.function(lexer, program)
    }

    fn global(&mut self, lexer: &mut Lexer<'_>, program: &mut Program, kind: VarKind) -> Reads<()> {
        let at = lexer.at();
        let (key, var) = declaration(lexer, program, kind, None)?;
        if self.globals.insert(key, var).is_some() {
            return Err(lexer.error(at, "declared before".to_owned()));
        }
        if lexer.takes("=") {
            self.inits.push((var, lexer.at()));
            skip_block(lexer)?;
        }
        lexer.expect(";")
    }

    fn function(&mut self, lexer: &mut Lexer<'_>, program: &mut Program) -> Reads<()> {
        let words = [("start", FunctionKind::Start), ("model", FunctionKind::Model), ("extern", FunctionKind::Extern)];
        let kind = words.iter().find(|(word, _)| lexer.takes_word(word)).map_or(FunctionKind::Defined, |word| word.1);
        if !lexer.takes_word("fn") {
            return Err(lexer.wrong("a declaration"));
        }
        let at = lexer.at();
        let key = lexer.key()?;
        let name = program.names.intern(&key.0);
        let void = program.types.intern(Type::Void);
        let (entry, exit, span) = (Node(u32::MAX), Node(u32::MAX), Span::default());
        let (params, result, locals) = (Vec::new(), None, Vec::new());
        let id = program.functions.push(Function { name, kind, ty: void, params, result, locals, entry, exit, span });
        if kind == FunctionKind::Start {
            program.entry = id;
        }
        if self.functions.insert(key, id).is_some() {
            return Err(lexer.error(at, "declared before".to_owned()));
        }
        self.locals.push(FxHashMap::default());
        lexer.expect("(")?;
        while !lexer.takes(")") {
            let param = self.local(lexer, program, id, VarKind::Parameter)?;
            program.functions[id].params.push(param);
            lexer.separator(")")?;
        }
        if lexer.takes("->") {
            program.functions[id].result = Some(self.local(lexer, program, id, VarKind::Result)?);
        }
        let ty = if lexer.takes_word("of") { Some(read_type(lexer, program)?) } else { None };
        program.functions[id].ty = ty.unwrap_or_else(|| usual_type(program, id));
        self.bodies.push(lexer.at());
        skip_block(lexer)
    }

    fn local(
        &mut self,
        lexer: &mut Lexer<'_>,
        program: &mut Program,
        function: FunctionId,
        kind: VarKind,
    ) -> Reads<VarId> {
        let at = lexer.at();
        let (key, var) = declaration(lexer, program, kind, Some(function))?;
        let known = self.locals.last_mut().expect("a function was begun");
        if known.insert(key, var).is_some() {
            return Err(lexer.error(at, "declared before".to_owned()));
        }
        Ok(var)
    }
}

/// `fn(T) -> T`, from the variables of a function's head.
fn usual_type(program: &mut Program, id: FunctionId) -> crate::types::TypeId {
    let function = &program.functions[id];
    let params = function.params.iter().map(|&param| program.vars[param].ty).collect();
    let result = function.result.map(|var| program.vars[var].ty);
    let result = result.unwrap_or_else(|| program.types.intern(Type::Void));
    program.types.intern(Type::Function { result, params, variadic: false, prototyped: true })
}

/// `x: int`, `x: int as u8`, `memory x: [3]int`, `memory 12 4 x: [3]int`.
fn declaration(
    lexer: &mut Lexer<'_>,
    program: &mut Program,
    kind: VarKind,
    function: Option<FunctionId>,
) -> Reads<(Key, VarId)> {
    let in_memory = lexer.takes_word("memory");
    let place: Option<(u64, u64)> = match in_memory && lexer.starts_literal() {
        true => Some((lexer.number()?, lexer.number()?)),
        false => None,
    };
    let key = lexer.key()?;
    lexer.expect(":")?;
    let at = lexer.at();
    let ty = read_type(lexer, program)?;
    let scalar = if lexer.takes_word("as") {
        Some(lexer.takes_scalar().ok_or_else(|| lexer.wrong("a type of values"))?)
    } else {
        program.types.known(ty).then(|| program.types.scalar(ty)).flatten()
    };
    let storage = match (in_memory, place) {
        (true, Some((size, align))) => Storage::Memory { size, align },
        (true, None) => {
            let size = program.types.known(ty).then(|| program.types.size(ty)).flatten();
            let size = size.ok_or_else(|| lexer.error(at, "the size of this type is not known".to_owned()))?;
            Storage::Memory { size, align: program.types.align(ty) }
        }
        (false, _) => Storage::Register(scalar.ok_or_else(|| lexer.error(at, "a register holds a scalar".to_owned()))?),
    };
    let name = program.names.intern(&key.0);
    let (init, span) = (Box::default(), Span::default());
    let id = program.vars.push(Variable { name, function, kind, ty, storage, init, span });
    if let Some(function) = function {
        program.functions[function].locals.push(id);
    }
    Ok((key, id))
}

/// Passes over what stands in braces.
fn skip_block(lexer: &mut Lexer<'_>) -> Reads<()> {
    lexer.expect("{")?;
    let mut open = 1;
    while open > 0 {
        match lexer.symbol() {
            "{" => open += 1,
            "}" => open -= 1,
            "" if lexer.is_end() => return Err(lexer.wrong("`}`")),
            _ => {}
        }
        lexer.skip_token()?;
    }
    Ok(())
}

/// What names mean in a body.
pub(super) struct Scope<'a> {
    pub program: &'a mut Program,
    heads: &'a Heads,
    function: Option<FunctionId>,
    locals: FxHashMap<Key, VarId>,
    /// What `%1` and its like stand for.
    pub defined: FxHashMap<u32, ExprId>,
}

impl Scope<'_> {
    pub fn local(&self, key: &Key) -> Option<VarId> {
        self.locals.get(key).copied()
    }

    pub fn global(&self, key: &Key) -> Option<VarId> {
        self.heads.globals.get(key).copied()
    }

    pub fn function(&self, key: &Key) -> Option<FunctionId> {
        self.heads.functions.get(key).copied()
    }

    /// The type of what the function returns.
    pub fn result_type(&self) -> Option<Scalar> {
        self.program.register(self.program.functions[self.function?].result?)
    }
}

/// What the second pass finds; nodes by their numbers.
#[derive(Default)]
struct Bodies {
    nodes: BTreeMap<u32, NodeInfo>,
    edges: Vec<(u32, u32, Op)>,
    entries: FxHashMap<FunctionId, u32>,
    exits: FxHashMap<FunctionId, u32>,
    targets: Vec<(u32, TargetKind)>,
}

impl Bodies {
    fn read(&mut self, lexer: &mut Lexer<'_>, mut scope: Scope<'_>) -> Reads<()> {
        for &(var, at) in &scope.heads.inits {
            lexer.jump(at);
            scope.program.vars[var].init = read_init(lexer, &mut scope)?;
        }
        for (index, &at) in scope.heads.bodies.iter().enumerate() {
            let id = FunctionId(index as u32);
            scope.function = Some(id);
            scope.locals = scope.heads.locals[index].clone();
            lexer.jump(at);
            lexer.expect("{")?;
            while !lexer.takes("}") {
                self.line(lexer, &mut scope, id)?;
                lexer.expect(";")?;
            }
        }
        Ok(())
    }

    /// A node and what is special about it, an edge, a definition or a variable.
    fn line(&mut self, lexer: &mut Lexer<'_>, scope: &mut Scope<'_>, function: FunctionId) -> Reads<()> {
        if lexer.takes("%") {
            let number = lexer.small()?;
            lexer.expect("=")?;
            let value = read_expr(lexer, scope, None)?;
            scope.defined.insert(number, value);
            return Ok(());
        }
        if !lexer.is_node() {
            return read_local(lexer, scope, function);
        }
        let from = self.node(lexer, function)?;
        if lexer.takes("->") {
            let to = self.node(lexer, function)?;
            lexer.expect(":")?;
            self.edges.push((from, to, read_op(lexer, scope)?));
            return Ok(());
        }
        lexer.expect(":")?;
        loop {
            self.note(lexer, scope.program, from, function)?;
            if !lexer.takes(",") {
                return Ok(());
            }
        }
    }

    fn node(&mut self, lexer: &mut Lexer<'_>, function: FunctionId) -> Reads<u32> {
        let at = lexer.at();
        let number = lexer.node()?;
        let info = self.nodes.entry(number).or_insert(NodeInfo { function, loop_head: false });
        if info.function != function {
            return Err(lexer.error(at, format!("n{number} is a node of another function")));
        }
        Ok(number)
    }

    fn note(&mut self, lexer: &mut Lexer<'_>, program: &mut Program, node: u32, function: FunctionId) -> Reads<()> {
        if lexer.takes_word("entry") {
            self.entries.insert(function, node);
        } else if lexer.takes_word("exit") {
            self.exits.insert(function, node);
        } else if lexer.takes_word("loop_head") {
            self.nodes.entry(node).and_modify(|info| info.loop_head = true);
        } else if lexer.takes_word("target") {
            let name = lexer.name()?;
            let kind = match (lexer.takes("!"), name.as_str()) {
                (true, "assertion") => TargetKind::Assertion,
                (true, "label") => TargetKind::Label,
                (true, "repetition") => TargetKind::Repetition,
                (true, word) => match Check::ALL.into_iter().find(|check| check.word() == word) {
                    Some(check) => TargetKind::Check(check),
                    None => return Err(lexer.wrong("a kind of target before this")),
                },
                (false, name) => TargetKind::Call(program.names.intern(name)),
            };
            self.targets.push((node, kind));
        } else if !lexer.takes("-") {
            return Err(lexer.wrong("`entry`, `exit`, `loop_head`, `target` or `-`"));
        }
        Ok(())
    }

    fn finish(self, lexer: &Lexer<'_>, program: &mut Program) -> Reads<()> {
        let mut ids = FxHashMap::default();
        for (&number, &info) in &self.nodes {
            ids.insert(number, program.nodes.push(info));
        }
        let span = Span::default();
        for (id, function) in program.functions.iter_mut() {
            let (Some(entry), Some(exit)) = (self.entries.get(&id), self.exits.get(&id)) else {
                return Err(lexer.error(0, format!("function {} has no entry or no exit", id.0 + 1)));
            };
            (function.entry, function.exit) = (ids[entry], ids[exit]);
        }
        program.edges = self
            .edges
            .into_iter()
            .map(|(from, to, op)| Edge { from: ids[&from], to: ids[&to], op, span })
            .collect::<Vec<_>>()
            .into();
        program.targets = self.targets.into_iter().map(|(node, kind)| Target::new(ids[&node], kind, span)).collect();
        if program.functions.is_empty() {
            return Err(lexer.error(0, "a program has a function".to_owned()));
        }
        program.index();
        match program.violations().first() {
            None => Ok(()),
            Some(broken) => Err(lexer.error(0, format!("no valid program: {broken}"))),
        }
    }
}

/// `{0: 5, 8: &@x + 4}`
fn read_init(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>) -> Reads<Box<[InitCell]>> {
    let mut cells = Vec::new();
    lexer.expect("{")?;
    while !lexer.takes("}") {
        let offset = lexer.number()?;
        lexer.expect(":")?;
        cells.push(InitCell { offset, value: read_expr(lexer, scope, None)? });
        lexer.separator("}")?;
    }
    Ok(cells.into())
}

fn read_local(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>, function: FunctionId) -> Reads<()> {
    let kind = if lexer.takes_word("temporary") { VarKind::Temporary } else { VarKind::Local };
    let at = lexer.at();
    let (key, var) = declaration(lexer, scope.program, kind, Some(function))?;
    if scope.locals.insert(key, var).is_some() {
        return Err(lexer.error(at, "declared before".to_owned()));
    }
    Ok(())
}
