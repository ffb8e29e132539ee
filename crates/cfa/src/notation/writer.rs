//! Writes a program in the notation.

use super::names::{Names, escaped, in_order, quoted};
use super::types::{TypeText, write_enums, write_records};
use crate::expr::{Expr, ExprId, UnOp};
use crate::op::{Allocation, Op, Source};
use crate::program::{FunctionId, FunctionKind, Node, Program, Storage, Undefined, VarId, VarKind};
use crate::scalar::{DataModel, FloatKind, Scalar};
use crate::target::TargetKind;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Expressions with more parts than this are cut into definitions, so that shared parts are written once.
const MOST_PARTS: usize = 40;

/// The program as text that [`super::read`] understands.
pub fn write(program: &Program) -> String {
    let names = Names::new(program);
    let mut writer = Writer { program, names, out: String::new(), defined: FxHashMap::default() };
    writer.head();
    let nodes = program.nodes_by_function();
    for id in program.functions.ids() {
        writer.function(id, &nodes[id]);
    }
    writer.out
}

struct Writer<'p> {
    program: &'p Program,
    names: Names,
    out: String,
    /// Expressions that have a number.
    defined: FxHashMap<ExprId, usize>,
}

impl Writer<'_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{text}").expect("strings take all text");
    }

    fn head(&mut self) {
        let program = self.program;
        if program.model == DataModel::Ilp32 {
            self.line(format_args!("model ilp32;"));
        }
        if program.undefined == Undefined::Continue {
            self.line(format_args!("undefined continue;"));
        }
        write_enums(program, &mut self.out);
        write_records(program, &mut self.out);
        let casts = program.types.function_casts.iter().map(|&(from, to)| {
            let from = from.map_or("any".to_owned(), |from| TypeText(program, from).to_string());
            format!("makes {from} into {};", TypeText(program, to))
        });
        // By their text: types that are read get other numbers.
        for cast in casts.collect::<BTreeSet<_>>() {
            self.line(format_args!("{cast}"));
        }
        for (id, var) in program.vars.iter().filter(|(_, var)| var.function.is_none()) {
            let kind = kind_text(var.kind, VarKind::Parameter);
            let declaration = self.declaration(id).replacen('@', "", 1);
            let cells: Vec<String> =
                var.init.iter().map(|cell| format!("{}: {}", cell.offset, self.tree(cell.value))).collect();
            let init = if cells.is_empty() { String::new() } else { format!(" = {{{}}}", cells.join(", ")) };
            self.line(format_args!("{kind}{declaration}{init};"));
        }
    }

    fn declaration(&self, id: VarId) -> String {
        let (program, var) = (self.program, &self.program.vars[id]);
        let (name, ty) = (&self.names.vars[id], TypeText(program, var.ty));
        match var.storage {
            Storage::Register(scalar) if program.types.scalar(var.ty) == Some(scalar) => format!("{name}: {ty}"),
            Storage::Register(scalar) => format!("{name}: {ty} as {scalar}"),
            Storage::Memory { size, align } => {
                let usual = program.types.size(var.ty) == Some(size) && program.types.align(var.ty) == align;
                let place = if usual { String::new() } else { format!(" {size} {align}") };
                format!("memory{place} {name}: {ty}")
            }
        }
    }

    fn function(&mut self, id: FunctionId, nodes: &[Node]) {
        let (program, function) = (self.program, &self.program.functions[id]);
        let kind = match function.kind {
            FunctionKind::Defined => "",
            FunctionKind::Start => "start ",
            FunctionKind::Model => "model ",
            FunctionKind::Extern => "extern ",
        };
        let params: Vec<String> = function.params.iter().map(|&param| self.declaration(param)).collect();
        let result = function.result.map_or(String::new(), |var| format!(" -> {}", self.declaration(var)));
        let name = self.names.functions[id].clone();
        let ty = TypeText(program, function.ty);
        self.line(format_args!("\n{kind}fn {name}({}){result} of {ty} {{", params.join(", ")));
        for var in in_order(program, id) {
            if !matches!(program.vars[var].kind, VarKind::Parameter | VarKind::Result) {
                let (kind, declaration) = (kind_text(program.vars[var].kind, VarKind::Local), self.declaration(var));
                self.line(format_args!("  {kind}{declaration};"));
            }
        }
        for &node in nodes {
            self.line(format_args!("  {node}: {};", self.notes(node)));
            for edge in program.leaving(node) {
                let edge = &program.edges[edge];
                for operand in edge.op.operands() {
                    self.define(operand);
                }
                self.line(format_args!("  {} -> {}: {};", edge.from, edge.to, self.op(&edge.op)));
            }
        }
        self.line(format_args!("}}"));
    }

    fn notes(&self, node: Node) -> String {
        let program = self.program;
        let info = &program.nodes[node];
        let function = &program.functions[info.function];
        let mut notes = Vec::new();
        for (holds, note) in
            [(function.entry == node, "entry"), (info.loop_head, "loop_head"), (function.exit == node, "exit")]
        {
            notes.extend(holds.then(|| note.to_owned()));
        }
        if let Some(target) = program.target_at(node) {
            notes.push(match target.kind {
                TargetKind::Call(name) => format!("target {}", quoted(program.text(name))),
                kind @ (TargetKind::Assertion | TargetKind::Label | TargetKind::Check(_) | TargetKind::Repetition) => {
                    format!("target {}!", program.target_word(kind))
                }
            });
        }
        if notes.is_empty() { "-".to_owned() } else { notes.join(", ") }
    }

    fn op(&self, op: &Op) -> String {
        let tree = |id: &ExprId| self.tree(*id);
        let var = |id: &VarId| &self.names.vars[*id];
        let args = |args: &[ExprId]| args.iter().map(tree).collect::<Vec<_>>().join(", ");
        let to = |result: &Option<VarId>| result.map_or(String::new(), |id| format!("{} := ", self.names.vars[id]));
        match op {
            Op::Skip => "skip".to_owned(),
            Op::Assume(condition) => format!("[{}]", tree(condition)),
            Op::Assign(id, value) => format!("{} := {}", var(id), tree(value)),
            Op::Havoc(id, source) => format!("{} := {}", var(id), self.source(*source)),
            Op::Init(id) => format!("init {}", var(id)),
            Op::Declare(id) => format!("declare {}", var(id)),
            Op::Store { to, value } => format!("{}[{}] := {}", self.program.exprs.ty(*value), tree(to), tree(value)),
            Op::Copy { to, from, size } => format!("copy({}, {}, {})", tree(to), tree(from), tree(size)),
            Op::Fill { to, byte, size } => format!("fill({}, {}, {})", tree(to), tree(byte), tree(size)),
            Op::HavocMemory { to, size, source } => {
                let size = size.as_ref().map_or("all".to_owned(), tree);
                format!("havoc({}, {size}) := {}", tree(to), self.source(*source))
            }
            Op::Allocate { result, size, how } => match how {
                Allocation::Heap => format!("{} := malloc({})", var(result), tree(size)),
                Allocation::HeapZeroed => format!("{} := calloc({})", var(result), tree(size)),
                Allocation::Stack => format!("{} := alloca({})", var(result), tree(size)),
                Allocation::Resize(old) => format!("{} := realloc({}, {})", var(result), tree(old), tree(size)),
            },
            Op::Free(pointer) => format!("free({})", tree(pointer)),
            Op::End(pointer) => format!("end({})", tree(pointer)),
            Op::Call { function, args: list, result } => {
                format!("{}call {}({})", to(result), self.names.functions[*function], args(list))
            }
            Op::CallPointer { pointer, args: list, result, ty } => {
                let ty = TypeText(self.program, *ty);
                format!("{}call through {} as {ty} ({})", to(result), tree(pointer), args(list))
            }
            Op::Library { function, args: list, result } => {
                format!("{}library {}({})", to(result), quoted(function.name()), args(list))
            }
            Op::Return(value) => format!("return{}", value.as_ref().map_or(String::new(), |v| format!(" {}", tree(v)))),
            Op::Halt(value) => format!("halt{}", value.as_ref().map_or(String::new(), |v| format!(" {}", tree(v)))),
            Op::Unsupported(what) => format!("unsupported \"{}\"", escaped(self.program.text(*what), '"')),
        }
    }

    fn source(&self, source: Source) -> String {
        match source {
            Source::Input(name) => format!("input {}", quoted(self.program.text(name))),
            Source::Uninitialised => "uninitialised".to_owned(),
            Source::Indeterminate => "indeterminate".to_owned(),
            Source::Extern(name) => format!("extern {}", quoted(self.program.text(name))),
            Source::Asm => "asm".to_owned(),
            Source::Parameter => "parameter".to_owned(),
        }
    }

    /// Writes definitions for the parts of an expression that would make it too large.
    fn define(&mut self, root: ExprId) {
        let mut order = Vec::new();
        self.program.exprs.visit(root, |id, expr| order.push((id, expr)));
        let mut parts: FxHashMap<ExprId, usize> = FxHashMap::default();
        for (id, expr) in order {
            if self.defined.contains_key(&id) {
                parts.insert(id, 1);
                continue;
            }
            let own = 1 + expr.operands().map(|operand| parts[&operand]).sum::<usize>();
            if own > MOST_PARTS {
                let (number, text) = (self.defined.len() + 1, self.tree(id));
                self.line(format_args!("  %{number} = {text};"));
                self.defined.insert(id, number);
            }
            parts.insert(id, if own > MOST_PARTS { 1 } else { own });
        }
    }

    /// An expression as an operand of another.
    fn operand(&self, id: ExprId) -> String {
        let compound = matches!(
            self.program.exprs.node(id),
            Expr::Binary(..) | Expr::Ite(..) | Expr::Unary(UnOp::Not | UnOp::Neg | UnOp::BitNot, _)
        );
        let text = self.tree(id);
        if compound && !self.defined.contains_key(&id) || text.starts_with('-') { format!("({text})") } else { text }
    }

    /// An expression, down to parts that have a number; those bound its depth.
    fn tree(&self, id: ExprId) -> String {
        if let Some(number) = self.defined.get(&id) {
            return format!("%{number}");
        }
        let ty = self.program.exprs.ty(id);
        let call = |name: &str, a: ExprId| format!("{name}({})", self.tree(a));
        match self.program.exprs.node(id) {
            Expr::Const { low, high } => constant(ty, self.program.model, u128::from(low) | u128::from(high) << 64),
            Expr::Var(var) => self.names.vars[var].clone(),
            Expr::Addr(var) => format!("&{}", self.names.vars[var]),
            Expr::Function(function) => format!("&fn {}", self.names.functions[function]),
            Expr::Load(pointer) => format!("{ty}[{}]", self.tree(pointer)),
            Expr::Cast(a) => format!("{ty}({})", self.tree(a)),
            Expr::Unary(op, a) => match op {
                UnOp::Not => format!("!{}", self.operand(a)),
                UnOp::Neg => format!("- {}", self.operand(a)),
                UnOp::BitNot => format!("~{}", self.operand(a)),
                UnOp::Abs => call("fabs", a),
                UnOp::Sqrt => call("sqrt", a),
                UnOp::Floor => call("floor", a),
                UnOp::Ceil => call("ceil", a),
                UnOp::Trunc => call("trunc", a),
                UnOp::Round => call("round", a),
                UnOp::RoundEven => call("rint", a),
                UnOp::SignBit => call("signbit", a),
            },
            Expr::Binary(op, a, b) => {
                format!("{} {} {}", self.operand(a), op.symbol(), self.operand(b))
            }
            Expr::Living(question) => {
                format!("{}({})", question.name(), question.pointer().map_or(String::new(), |p| self.tree(p)))
            }
            Expr::Ite(c, a, b) => format!("{} ? {} : {}", self.operand(c), self.operand(a), self.operand(b)),
        }
    }
}

/// What a variable is, unless its place says it.
fn kind_text(kind: VarKind, usual: VarKind) -> &'static str {
    match kind {
        _ if kind == usual => "",
        VarKind::Global => "global ",
        VarKind::Literal => "literal ",
        VarKind::Local => "local ",
        VarKind::Temporary => "temporary ",
        VarKind::Parameter | VarKind::Result => unreachable!("in the head of its function"),
    }
}

fn constant(ty: Scalar, model: DataModel, bits: u128) -> String {
    let width = ty.bits(model);
    match ty {
        Scalar::Bool => if bits == 0 { "false" } else { "true" }.to_owned(),
        Scalar::Int { signed: true, .. } => {
            let value = (bits << (128 - width)) as i128 >> (128 - width);
            if ty == Scalar::INT { value.to_string() } else { format!("{value}:{ty}") }
        }
        Scalar::Int { signed: false, .. } | Scalar::Ptr => format!("{bits}:{ty}"),
        Scalar::Float(FloatKind::F64) if f64::from_bits(bits as u64).is_finite() => {
            format!("{:?}:{ty}", f64::from_bits(bits as u64))
        }
        Scalar::Float(_) => format!("#{bits:x}:{ty}"),
    }
}
