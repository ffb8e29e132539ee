//! What a function that is verified on its own was called with, from a counterexample: the arguments and the contents of
//! the objects that they lead to, as C writes them.
//!
//! The start of the program makes objects and chooses pointers by few kinds of operations; they are repeated here on
//! numbers and places. Bytes are those that the execution looked at; others are zero.

use crate::c_expr::constant;
use cfa::types::{IntKind, Type, TypeId};
use cfa::{BinOp, EdgeId, Expr, ExprId, Function, FunctionId, FunctionKind, Op, Program, Scalar, Source, VarId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use verdict::Counterexample;

/// More members than this of one object are not shown.
const MOST_SHOWN: usize = 64;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassedValue {
    /// A number, or a pointer made from one.
    Bits(u128),
    /// A pointer to this byte of the object with this number.
    Place(usize, i128),
    /// A pointer out of the program.
    Outside(u128),
}

/// An object that arguments lead to, a copy that is passed, or a global.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassedObject {
    /// A name that C can spell.
    pub name: String,
    /// What lies in it.
    pub ty: TypeId,
    /// Bytes.
    pub size: u64,
    /// Whether it is a variable of the program.
    pub global: Option<VarId>,
    /// What is known of its bytes.
    pub bytes: BTreeMap<u64, u8>,
    /// Pointers in it.
    pub pointers: BTreeMap<u64, PassedValue>,
}

/// One argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassedArgument {
    /// The parameter.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its value; of an aggregate the place of the copy.
    pub value: PassedValue,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Who is called.
    pub function: FunctionId,
    /// With what, without what lowering adds.
    pub arguments: Vec<PassedArgument>,
    /// All objects; which ones matter [`Call::reached`] says.
    pub objects: Vec<PassedObject>,
    /// Globals in registers that were made arbitrary.
    pub globals: Vec<(VarId, PassedValue)>,
    /// The call.
    pub edge: EdgeId,
}

/// The call of the function that is verified on its own. `None` if the start of the program does something else, or the
/// execution was too long to keep.
pub fn call(program: &Program, counterexample: &Counterexample) -> Option<Call> {
    let edge = last_call(program)?;
    if !counterexample.path.contains(&edge) {
        return None;
    }
    let Op::Call { function, args, .. } = &program.edges[edge].op else { return None };
    let mut start = Start::new(program);
    let mut choices = counterexample.choices.iter();
    for &at in &counterexample.path {
        if at == edge {
            break;
        }
        let chosen = match program.edges[at].op {
            Op::Havoc(..) => choices.next().filter(|choice| choice.edge == at).map(|choice| choice.bits),
            _ => None,
        };
        start.step(at, chosen, counterexample);
    }
    let Function { params, .. } = &program.functions[*function];
    let shown = params.iter().zip(args).filter(|(param, _)| !program.var_name(**param).starts_with("$result"));
    let shown = shown.filter(|(param, _)| program.var_name(**param) != "$further");
    let arguments = shown.enumerate().map(|(at, (&param, &arg))| {
        let name = program.var_name(param);
        let name = if name.starts_with('$') { format!("argument {}", at + 1) } else { name.to_owned() };
        Some(PassedArgument { name, ty: program.vars[param].ty, value: start.value(arg)? })
    });
    let arguments: Vec<PassedArgument> = arguments.collect::<Option<_>>()?;
    Some(Call { function: *function, arguments, objects: start.objects, globals: start.globals, edge })
}

/// The last call of a function of the user in the start of the program.
fn last_call(program: &Program) -> Option<EdgeId> {
    let calls = program.edges.iter().filter(|(_, edge)| program.nodes[edge.from].function == program.entry);
    let mut calls = calls.filter(|(_, edge)| match edge.op {
        Op::Call { function, .. } => program.functions[function].kind == FunctionKind::Defined,
        _ => false,
    });
    calls.next_back().map(|(id, _)| id)
}

/// The start of the program so far.
struct Start<'p> {
    program: &'p Program,
    registers: HashMap<VarId, PassedValue>,
    objects: Vec<PassedObject>,
    of_variables: HashMap<VarId, usize>,
    globals: Vec<(VarId, PassedValue)>,
    /// The next birth, as `semantics::choices` counts them.
    births: u32,
    outside: BTreeSet<u128>,
}

impl<'p> Start<'p> {
    fn new(program: &'p Program) -> Self {
        let in_memory = |var: &VarId| program.register(*var).is_none();
        let globals = program.vars.ids().filter(|&var| program.vars[var].function.is_none());
        let births = globals.filter(in_memory).count() + locals(program, program.entry);
        Self {
            program,
            registers: HashMap::new(),
            objects: Vec::new(),
            of_variables: HashMap::new(),
            globals: Vec::new(),
            births: births as u32,
            outside: BTreeSet::new(),
        }
    }

    fn step(&mut self, at: EdgeId, chosen: Option<u128>, counterexample: &Counterexample) {
        let program = self.program;
        let edge = &program.edges[at];
        let own = program.nodes[edge.from].function == program.entry;
        match &edge.op {
            Op::Call { function, .. } => self.births += locals(program, *function) as u32,
            Op::Havoc(var, source) => {
                let bits = chosen.unwrap_or(0);
                let is_outside =
                    program.register(*var) == Some(Scalar::Ptr) && bits != 0 && *source != Source::Uninitialised;
                if is_outside && self.outside.insert(bits) {
                    self.births += 1;
                }
                let value = if is_outside { PassedValue::Outside(bits) } else { PassedValue::Bits(bits) };
                if own && program.vars[*var].function.is_none() && *source == Source::Parameter {
                    self.globals.push((*var, value));
                }
                self.registers.insert(*var, value);
            }
            Op::Assign(var, value) if own => {
                if let Some(value) = self.value(*value) {
                    // Initial values come first; what is chosen for a pointer comes again.
                    let known = self.registers.insert(*var, value).is_some();
                    if known && program.vars[*var].function.is_none() {
                        self.globals.push((*var, value));
                    }
                }
            }
            Op::Declare(_) => self.births += 1,
            Op::Allocate { result, size, .. } => {
                self.births += 1;
                if let Some(PassedValue::Bits(size)) = self.value(*size).filter(|_| own) {
                    let (ty, name) = (program.vars[*result].ty, program.var_name(*result));
                    let ty = match *program.types.get(ty) {
                        Type::Pointer(to) => to,
                        _ => ty,
                    };
                    let object = self.object(name, ty, size as u64, None);
                    self.registers.insert(*result, PassedValue::Place(object, 0));
                }
            }
            Op::HavocMemory { to, size, source } => {
                let birth = self.births;
                self.births += 1;
                let given = own && *source == Source::Parameter;
                if let Some(PassedValue::Place(object, from)) = given.then(|| self.value(*to)).flatten() {
                    let size = size.and_then(|size| self.value(size));
                    let end = match size {
                        Some(PassedValue::Bits(size)) => from as u64 + size as u64,
                        _ => self.objects[object].size,
                    };
                    let range = from as u64..end;
                    let bytes = counterexample.bytes.iter();
                    let bytes = bytes.filter(|byte| byte.object == birth && range.contains(&byte.offset));
                    self.objects[object].bytes.extend(bytes.map(|byte| (byte.offset, byte.value)));
                }
            }
            Op::Store { to, value } if own => {
                let width = program.exprs.ty(*value).bytes(program.model);
                if let (Some(PassedValue::Place(object, at)), Some(value)) = (self.value(*to), self.value(*value)) {
                    self.objects[object].write(at as u64, width, value);
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, name: &str, ty: TypeId, size: u64, global: Option<VarId>) -> usize {
        let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        while self.objects.iter().any(|object| object.name == name) {
            name.push('_');
        }
        self.objects.push(PassedObject { name, ty, size, global, bytes: BTreeMap::new(), pointers: BTreeMap::new() });
        self.objects.len() - 1
    }

    fn variable(&mut self, var: VarId) -> usize {
        if let Some(&object) = self.of_variables.get(&var) {
            return object;
        }
        let variable = &self.program.vars[var];
        let size = match variable.storage {
            cfa::Storage::Memory { size, .. } => size,
            cfa::Storage::Register(_) => 0,
        };
        let global = variable.function.is_none().then_some(var);
        let object = self.object(self.program.var_name(var), variable.ty, size, global);
        self.of_variables.insert(var, object);
        object
    }

    /// The value of what the start computes.
    fn value(&mut self, expr: ExprId) -> Option<PassedValue> {
        let program = self.program;
        Some(match program.exprs.node(expr) {
            Expr::Const { .. } => PassedValue::Bits(program.exprs.constant(expr)?),
            Expr::Var(var) => *self.registers.get(&var)?,
            Expr::Addr(var) => PassedValue::Place(self.variable(var), 0),
            Expr::Cast(inner) => {
                let width = program.exprs.ty(expr).bits(program.model);
                match self.value(inner)? {
                    PassedValue::Bits(bits) if width < 128 => PassedValue::Bits(bits & ((1 << width) - 1)),
                    other => other,
                }
            }
            Expr::Binary(op, a, b) => match (op, self.value(a)?, self.value(b)?) {
                (BinOp::PtrAdd, PassedValue::Place(object, at), PassedValue::Bits(by)) => {
                    let shift = 128 - program.model.pointer_bits();
                    PassedValue::Place(object, at + (((by << shift) as i128) >> shift))
                }
                (BinOp::Mul, PassedValue::Bits(a), PassedValue::Bits(b)) => PassedValue::Bits(a.wrapping_mul(b)),
                (BinOp::Add, PassedValue::Bits(a), PassedValue::Bits(b)) => PassedValue::Bits(a.wrapping_add(b)),
                _ => return None,
            },
            _ => return None,
        })
    }
}

fn locals(program: &Program, function: FunctionId) -> usize {
    program.functions[function].locals.iter().filter(|&&var| program.register(var).is_none()).count()
}

impl PassedObject {
    fn write(&mut self, at: u64, width: u64, value: PassedValue) {
        self.pointers.remove(&at);
        match value {
            PassedValue::Bits(bits) => {
                self.bytes.extend((0..width).map(|byte| (at + byte, (bits >> (8 * byte)) as u8)));
            }
            PassedValue::Place(..) | PassedValue::Outside(_) => {
                self.bytes.retain(|offset, _| !(at..at + width).contains(offset));
                self.pointers.insert(at, value);
            }
        }
    }

    fn bits(&self, at: u64, width: u64) -> u128 {
        let bytes =
            (0..width.min(16)).map(|byte| u128::from(self.bytes.get(&(at + byte)).copied().unwrap_or(0)) << (8 * byte));
        bytes.sum()
    }
}

impl Call {
    /// The objects that arguments and globals lead to, in the order of numbers.
    pub fn reached(&self) -> Vec<usize> {
        let object = |value: &PassedValue| match value {
            PassedValue::Place(object, _) => Some(*object),
            PassedValue::Bits(_) | PassedValue::Outside(_) => None,
        };
        let mut seen = BTreeSet::new();
        let mut queue: Vec<usize> = self.arguments.iter().filter_map(|argument| object(&argument.value)).collect();
        queue.extend(self.globals.iter().filter_map(|(_, value)| object(value)));
        queue.extend((0..self.objects.len()).filter(|&at| self.objects[at].global.is_some()));
        while let Some(next) = queue.pop() {
            if seen.insert(next) {
                queue.extend(self.objects[next].pointers.values().filter_map(object));
            }
        }
        seen.into_iter().collect()
    }

    /// `name = value` for each argument, aggregates with their members.
    pub fn shown_arguments(&self, program: &Program) -> Vec<(String, String)> {
        let shown = self.arguments.iter().map(|PassedArgument { name, ty, value }| {
            let text = match (program.types.scalar(*ty), value) {
                (None, PassedValue::Place(object, _)) => self.contents(program, *object),
                (Some(scalar), value) => self.scalar(program, *ty, scalar, *value),
                (None, _) => "?".into(),
            };
            (name.clone(), text)
        });
        shown.collect()
    }

    /// A declaration of each object that matters, as C writes it.
    pub fn shown_objects(&self, program: &Program) -> Vec<String> {
        let copies: Vec<usize> = self
            .arguments
            .iter()
            .filter_map(|argument| match argument.value {
                PassedValue::Place(object, _) if program.types.scalar(argument.ty).is_none() => Some(object),
                _ => None,
            })
            .collect();
        let mut lines = Vec::new();
        for (var, value) in &self.globals {
            let (ty, name) = (program.vars[*var].ty, program.var_name(*var));
            let scalar = program.register(*var).unwrap_or(Scalar::INT);
            lines.push(format!("{} = {}", declared(program, ty, name), self.scalar(program, ty, scalar, *value)));
        }
        for object in self.reached().into_iter().filter(|object| !copies.contains(object)) {
            let PassedObject { name, ty, .. } = &self.objects[object];
            lines.push(format!("{} = {}", declared(program, *ty, name), self.contents(program, object)));
        }
        lines
    }

    /// The contents of an object as an initialiser.
    pub fn contents(&self, program: &Program, object: usize) -> String {
        let ty = self.objects[object].ty;
        let size = program.types.size(ty).unwrap_or(0);
        let zero = if program.types.scalar(ty).is_some() { "0" } else { "{0}" };
        let text = self.part(program, &self.objects[object], ty, 0).unwrap_or_else(|| zero.into());
        match self.objects[object].bytes.range(size..).any(|(_, byte)| *byte != 0) {
            true => format!("{text} and more after it"),
            false => text,
        }
    }

    /// `None` if it is all zero.
    fn part(&self, program: &Program, object: &PassedObject, ty: TypeId, at: u64) -> Option<String> {
        let types = &program.types;
        if let Some(scalar) = types.scalar(ty) {
            let value = match object.pointers.get(&at) {
                Some(&pointer) if scalar == Scalar::Ptr => pointer,
                _ => PassedValue::Bits(object.bits(at, scalar.bytes(program.model))),
            };
            return (value != PassedValue::Bits(0)).then(|| self.scalar(program, ty, scalar, value));
        }
        let mut parts = Vec::new();
        match *types.get(types.unqualified(ty)) {
            Type::Array(element, length) => {
                if let Some(text) = self.text(program, object, element, at, length) {
                    return Some(text);
                }
                let size = types.size(element)?;
                for index in 0..length {
                    if let Some(text) = self.part(program, object, element, at + index * size) {
                        parts.push(format!("[{index}] = {text}"));
                    }
                }
            }
            Type::Record(record) => {
                for field in types.records[record].fields.iter().flatten() {
                    let text = match field.bit_width {
                        Some(width) => bit_field(object, at * 8 + field.bit_offset, width, types.scalar(field.ty)),
                        None => self.part(program, object, field.ty, at + field.bit_offset / 8),
                    };
                    match (text, field.name) {
                        (Some(text), Some(name)) => parts.push(format!(".{} = {text}", program.text(name))),
                        (Some(text), None) => parts.push(text),
                        (None, _) => {}
                    }
                }
            }
            _ => {}
        }
        if parts.len() > MOST_SHOWN {
            parts.truncate(MOST_SHOWN);
            parts.push("...".into());
        }
        (!parts.is_empty()).then(|| format!("{{ {} }}", parts.join(", ")))
    }

    /// Characters up to a zero, if they can all be read.
    fn text(&self, program: &Program, object: &PassedObject, element: TypeId, at: u64, length: u64) -> Option<String> {
        let kind = program.types.get(program.types.unqualified(element));
        if !matches!(kind, Type::Int(IntKind::Char)) || length == 0 {
            return None;
        }
        let bytes: Vec<u8> = (at..at + length).map(|at| object.bytes.get(&at).copied().unwrap_or(0)).collect();
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let rest_is_zero = bytes[end..].iter().all(|byte| *byte == 0);
        (rest_is_zero && end > 0 && bytes[..end].iter().all(|byte| (32..127).contains(byte)))
            .then(|| format!("{:?}", String::from_utf8_lossy(&bytes[..end])))
    }

    fn scalar(&self, program: &Program, ty: TypeId, scalar: Scalar, value: PassedValue) -> String {
        let types = &program.types;
        match value {
            PassedValue::Bits(bits) => {
                let is_char = matches!(types.get(types.unqualified(ty)), Type::Int(IntKind::Char));
                match character(bits).filter(|_| is_char) {
                    Some(text) => text,
                    None if scalar == Scalar::Ptr && bits == 0 => "NULL".into(),
                    None => number(scalar, bits),
                }
            }
            PassedValue::Outside(number) => format!("<outside {number}>"),
            PassedValue::Place(object, at) => self.place(program, ty, object, at),
        }
    }

    /// A pointer into an object.
    fn place(&self, program: &Program, ty: TypeId, object: usize, at: i128) -> String {
        let PassedObject { name, ty: whole, .. } = &self.objects[object];
        let types = &program.types;
        let pointee = match *types.get(types.unqualified(ty)) {
            Type::Pointer(to) => types.size(to).unwrap_or(1).max(1) as i128,
            _ => 1,
        };
        let is_array = matches!(types.get(types.unqualified(*whole)), Type::Array(..) | Type::OpenArray(_));
        match (at, is_array) {
            (0, true) => name.clone(),
            (0, false) => format!("&{name}"),
            (_, true) if at % pointee == 0 => format!("&{name}[{}]", at / pointee),
            _ => format!("(void *)((char *)&{name} + {at})"),
        }
    }
}

fn bit_field(object: &PassedObject, at: u64, width: u32, ty: Option<Scalar>) -> Option<String> {
    let (first, shift) = (at / 8, at % 8);
    let bits = object.bits(first, (shift + u64::from(width)).div_ceil(8)) >> shift & ((1 << width) - 1);
    let signed = matches!(ty, Some(Scalar::Int { signed: true, .. }));
    (bits != 0).then(|| number(Scalar::Int { bits: width as u8, signed }, bits))
}

/// A number without what marks its type.
fn number(ty: Scalar, bits: u128) -> String {
    match ty {
        Scalar::Int { bits: width, signed: true } => {
            let shift = 128 - u32::from(width);
            (((bits << shift) as i128) >> shift).to_string()
        }
        Scalar::Int { signed: false, .. } | Scalar::Bool => bits.to_string(),
        Scalar::Float(cfa::FloatKind::F16) => format!("{:?}", cfa::half(bits)),
        Scalar::Float(cfa::FloatKind::F32) => format!("{:?}", f32::from_bits(bits as u32)),
        Scalar::Float(cfa::FloatKind::F64) => format!("{:?}", f64::from_bits(bits as u64)),
        Scalar::Ptr => format!("(void *){bits:#x}"),
        Scalar::Float(_) => constant(ty, bits).unwrap_or_else(|| format!("<bits {bits:#x}>")),
    }
}

/// A character as C writes it, if it can be read.
pub fn character(bits: u128) -> Option<String> {
    Some(match bits as u8 {
        b'\n' => "'\\n'".into(),
        b'\t' => "'\\t'".into(),
        b'\r' => "'\\r'".into(),
        b'\'' => "'\\''".into(),
        b'\\' => "'\\\\'".into(),
        byte @ 32..127 => format!("'{}'", byte as char),
        _ => return None,
    })
}

/// `int x[4]`, as C declares a variable.
fn declared(program: &Program, ty: TypeId, name: &str) -> String {
    let types = &program.types;
    let (mut at, mut bounds) = (ty, String::new());
    loop {
        match *types.get(types.unqualified(at)) {
            Type::Array(element, length) => {
                bounds += &format!("[{length}]");
                at = element;
            }
            Type::OpenArray(element) => {
                bounds += "[]";
                at = element;
            }
            _ => break,
        }
    }
    let text = types.display(types.unqualified(at), &program.names);
    let space = if text.ends_with('*') { "" } else { " " };
    format!("{text}{space}{name}{bounds}")
}
